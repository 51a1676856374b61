"""Writes the reference from the docstrings: ``python -m docs.reference``.

One page for each group of names. Examples lose their prompts, since they are tested where they stand, in the source;
and no block is marked as Python, so that formatters leave it as it is.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import novikoff
from novikoff import concepts, data, display, problems, theory
from novikoff.estimators.registry import BY_RULE, REGISTRY

HERE = Path(__file__).parent
WIDTH = 100
RULE = re.compile(r"^-{3,}$")
LISTS = ("Parameters", "Attributes", "Returns", "Raises")


class Group(NamedTuple):
    title: str
    module: ModuleType
    names: list[str]


def _defined(module: ModuleType, returns: str) -> list[str]:
    """The functions of a module that are annotated to return this."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__annotations__.get("return") == returns and not name.startswith("_")
    ]


GROUPS = {
    "perceptrons": Group("Perceptrons", novikoff, [*(entry.name for entry in BY_RULE), "MaxMarginClassifier"]),
    "certificates": Group(
        "Certificates",
        novikoff,
        [
            "certify",
            "fewest_mistakes",
            "verify",
            "Separable",
            "NotSeparable",
            "SoftMargin",
            "Undecided",
            "FewestMistakes",
            "Verdicts",
            "PairVerdicts",
            "JointSeparable",
            "JointNotSeparable",
            "RunProof",
            "Verified",
            "VerifiedSoftMargin",
            "NotSeparableError",
            "InvalidCertificate",
        ],
    ),
    "mistake-bounds": Group(
        "The mistake bound model",
        novikoff,
        [
            "play",
            "Transcript",
            "worst_case",
            "Halving",
            "StandardOptimal",
            "littlestone_dimension",
            "shattered_tree",
            "MonotoneConjunction",
            "Conjunction",
            "MonotoneDisjunction",
            "Disjunction",
            "KDNF",
            "Winnow",
            "WeightedMajority",
            "RandomizedWeightedMajority",
            "EllipsoidPerceptron",
            "NotRealizable",
        ],
    ),
    "least-squares": Group("Least squares", novikoff, ["LeastSquares", "LeastSquaresClassifier", "rates"]),
    "models": Group("Models and files", novikoff, ["fit_file", "save", "load", "InvalidModel", "report", "Report"]),
    "data": Group("novikoff.data", data, sorted(data.__all__, key=str.lower)),
    "problems": Group("novikoff.problems", problems, ["Problem", "separable", "orthonormal", "doubling", "spiral"]),
    "concepts": Group("novikoff.concepts", concepts, [*_defined(concepts, "ConceptClass"), "ConceptClass", "Concept"]),
    "display": Group("novikoff.display", display, sorted(display.__all__)),
    "theory": Group(
        "novikoff.theory", theory, sorted((n for n in theory.__all__ if callable(getattr(theory, n))), key=str.lower)
    ),
}
MODULES = ("concepts", "data", "display", "problems", "theory")  # names of `novikoff` that have a page of their own


# Docstrings ----------------------------------------------------------------------------------------


def sections(doc: str) -> list[tuple[str, str]]:
    """(title, body) of a docstring in numpydoc's form; the first has no title."""
    lines = doc.splitlines()
    starts = [i for i in range(len(lines) - 1) if lines[i].strip() and RULE.match(lines[i + 1].strip())]
    ends = [*starts, len(lines)]
    found = [("", "\n".join(lines[: ends[0]]).strip())]
    for start, end in zip(starts, ends[1:], strict=True):
        found.append((lines[start].strip(), textwrap.dedent("\n".join(lines[start + 2 : end])).strip("\n")))
    return found


def text(body: str) -> str:
    """Prose, formulas and examples as markdown."""
    parts = []
    for part in re.split(r"\n\s*\n", body.strip()):
        if part.lstrip().startswith(">>>"):
            parts.append(code(textwrap.dedent(part)))
        elif part.startswith(".. math::"):
            parts.append("$$" + part.removeprefix(".. math::").strip() + "$$")
        elif part.startswith("    "):
            parts.append("```\n" + textwrap.dedent(part) + "\n```")
        else:
            parts.append(re.sub(r":math:`([^`]+)`", r"$\1$", part).replace("``", "`"))
    return "\n\n".join(parts)


def code(example: str) -> str:
    """An example without prompts; what it prints becomes a comment."""
    lines = [line[4:] if line.startswith((">>>", "...")) else f"# {line}" for line in example.splitlines()]
    return "\n".join(["```", *lines, "```"])


def items(body: str) -> str:
    """A list of names, each with a type and a description."""
    entries: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith(" ") and entries:
            entries[-1][1].append(line.strip())
        elif line.strip():
            entries.append((line.strip(), []))
    found = []
    for head, rest in entries:
        name, colon, kind = head.partition(" : ")
        shown = (f"**{name}** : {kind}" if colon else head).replace("``", "`")
        more = " ".join(rest).replace("``", "`").strip()
        found.append(f"- {shown}" + (f"  \n  {more}" if more else ""))
    return "\n".join(found)


def described(doc: str | None, level: int) -> list[str]:
    parts = []
    for title, body in sections(inspect.cleandoc(doc or "")):
        if title:
            parts.append(f"**{title}**" if level > 2 else f"### {title}")
        if body:
            parts.append(items(body) if title in LISTS else text(body))
    return parts


# Objects -------------------------------------------------------------------------------------------


def object_of(module: ModuleType, name: str) -> Any:
    """What a name stands for: an estimator, or something of the module."""
    return REGISTRY[name].estimator if name in REGISTRY else getattr(module, name)


def signature(name: str, function: Any) -> str:
    """The call, without types: those are in the list of parameters."""
    words, star = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            words.append("*")
        star = star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        prefix = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        given = parameter.default is not parameter.empty
        # The factory of a field has no value to show.
        default = "..." if "factory" in repr(parameter.default) else repr(parameter.default)
        words.append(f"{prefix}{parameter.name}" + (f"={default}" if given else ""))
    call = textwrap.fill(f"{name}({', '.join(words)})", WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return f"```\n{call}\n```"


def fields(cls: type[Any]) -> str:
    """The fields of a record, with the comments that stand beside them."""
    if not dataclasses.is_dataclass(cls):
        return ""
    comments: dict[str, str] = {}
    for kind in reversed(cls.__mro__[:-1]):
        for line in inspect.getsource(kind).splitlines() if kind.__module__.startswith("novikoff") else ():
            if found := re.match(r"    (\w+): [^#]*  # (.*)$", line):
                comments[found[1]] = found[2]
    return "\n".join(
        f"- **{f.name}** : {f.type}" + (f"  \n  {comments[f.name]}" if f.name in comments else "")
        for f in dataclasses.fields(cls)
    )


def members(cls: type[Any]) -> list[tuple[str, Any]]:
    """Public methods and properties of ours, documented ones, inherited ones included."""
    found: dict[str, Any] = {}
    for kind in cls.__mro__:
        if not kind.__module__.startswith("novikoff"):
            continue
        for name, value in vars(kind).items():
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            documented = inspect.isfunction(function) or isinstance(function, property) or hasattr(function, "fn")
            if not name.startswith("_") and documented and inspect.getdoc(function):
                found.setdefault(name, function)
    return sorted(found.items())


def told(value: Any) -> str:
    """The docstring, unless it is the signature that a dataclass puts in its place."""
    doc = inspect.getdoc(value) or ""
    return "" if doc.startswith(f"{getattr(value, '__name__', '')}(") else doc


def entry(module: ModuleType, name: str, seen: dict[Any, str]) -> list[str]:
    """One name; ``seen`` says where the page describes a method already."""
    value, full = object_of(module, name), f"{module.__name__}.{name}"
    parts = [f"## {name}"]
    exception = inspect.isclass(value) and issubclass(value, Exception)
    if not exception:
        parts.append(signature(full, value))
    parts += described(told(value), 2)
    if not inspect.isclass(value) or exception:
        return parts
    if not re.search(r"^\s*(Parameters|Attributes)$", told(value), re.MULTILINE) and (listed := fields(value)):
        parts += ["### Fields", listed]
    own = [(member, function) for member, function in members(value) if function not in seen]
    if own:
        parts.append("### Methods and properties")
    for member, function in own:
        parts.append(f"#### {name}.{member}")
        if not isinstance(function, property):
            parts.append(signature(member, getattr(function, "fn", function)))
        parts += described(inspect.getdoc(function), 3)
    shared = [f"[{member}]({seen[f]})" for member, f in members(value) if f in seen]
    if shared:
        parts.append(f"Described above: {', '.join(shared)}.")
    seen.update((function, f"#{name}{member}".lower()) for member, function in own)
    return parts


def page(group: Group) -> str:
    listed = " · ".join(f"[{name}](#{name.lower()})" for name in group.names)
    head = [f"# {group.title}", *described(group.module.__doc__ if group.module is not novikoff else None, 3), listed]
    if group.module is theory:
        named = [n for n in theory.__all__ if isinstance(getattr(theory, n), theory.Theorem)]
        links = ", ".join(f"[`{n}`](../theorems/{getattr(theory, n).id}.md)" for n in named)
        head.append(f"The theorems: {links}; and all of them in `THEOREMS`.")
    seen: dict[Any, str] = {}
    return "\n\n".join([*head, *(part for name in group.names for part in entry(group.module, name, seen))]) + "\n"


def summary(module: ModuleType, name: str) -> str:
    first = told(object_of(module, name)).split("\n\n")[0]
    return " ".join(re.sub(r":math:`([^`]+)`", r"$\1$", first).replace("``", "`").split())


def estimators() -> list[str]:
    """The table of what each estimator can do, from the registry."""
    pages = {name: file for file, group in GROUPS.items() for name in group.names}
    lines = [
        "## Which estimator",
        "",
        "| | in the shell | learns from | weights | by batches | one example at a time | what bounds it |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, entry in REGISTRY.items():
        theorems = ", ".join(f"[{theorem.id}](../theorems/{theorem.id}.md)" for theorem in entry.guarantee)
        cells = [
            f"[`{name}`]({pages[name]}.md#{name.lower()})",
            f"`{entry.command}`" if entry.command else "",
            entry.labels,
            "`sample_weight`" if entry.weighs else "",
            "`partial_fit`" if entry.batches else "",
            "`learn_one`" if entry.online else "",
            theorems or "its [certificate](certificates.md)",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def index() -> str:
    lines = [
        "# Reference",
        "",
        "All public names, from their docstrings. `help(novikoff.Perceptron)` shows the same in Python. The commands",
        "of the shell are in [their guide](../guides/command-line.md), and `novikoff COMMAND --help` has every option.",
    ]
    lines += ["", *estimators()]
    for file, group in GROUPS.items():
        lines += ["", f"## [{group.title}]({file}.md)", ""]
        lines += [
            f"- [`{name}`]({file}.md#{name.lower()}) {summary(group.module, name)}".rstrip() for name in group.names
        ]
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """The files and what they hold."""
    grouped = {name for group in GROUPS.values() if group.module is novikoff for name in group.names}
    if missing := set(novikoff.__all__) - grouped - set(MODULES):
        raise ValueError(f"docs/reference/__main__.py has no group for {', '.join(sorted(missing))}")
    return {"index.md": index(), **{f"{file}.md": page(group) for file, group in GROUPS.items()}}


if __name__ == "__main__":
    for name, content in pages().items():
        (HERE / name).write_text(content, encoding="utf-8")
    print(f"{len(GROUPS) + 1} pages in {HERE}")
