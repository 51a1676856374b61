"""Small changes of a source text, each of which a test should notice.

constant    n -> n + 1, n - 1, 0 (exponents of slacks among them); a float -> twice, half; True <-> False
comparison  < <-> <=, > <-> >=, == <-> !=, is <-> is not, in <-> not in
arithmetic  + <-> -, * <-> /, << <-> >>, & <-> |, and the same before an =
term        a + b, a - b -> a, or b without its sign
sign        -x -> x, not x -> x
logic       and <-> or
check       a raise, or a call of something named require or check, is left out; a condition is True, or False
return      return x -> return None, and -(x) or not (x) where numbers or truth values are returned
swap        min <-> max, any <-> all, floor <-> ceil, and down <-> up at the end of a name that rounds

Left alone: constants on a line whose comment says that no result depends on it; docstrings and other texts, type
hints, ``__all__``, decorators, imports, what makes up the words of an error or of ``__str__`` and ``__repr__``, and
assertions, which only tell mypy what is so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
SWAPS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "floor": "ceil",
    "ceil": "floor",
    "round_up": "round_down",
    "round_down": "round_up",
    "sqrt_up": "sqrt_down",
    "sqrt_down": "sqrt_up",
}
NEGATIONS = {"int": "-", "float": "-", "Fraction": "-", "Number": "-", "bool": "not "}
WORDS = {"__str__", "__repr__", "_repr_html_"}  # methods that only say something
CHECKS = ("require", "check")
TUNING = b"no result depends on it"  # in a comment


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a file."""

    file: str  # from the root of the tree
    function: str  # the qualified name of what the place is in; "" at the top of the module
    operator: str
    before: str  # the text that is replaced
    after: str
    line: int
    start: int  # in bytes of the file
    stop: int
    code: tuple[int, str] | None  # the first line and the name of the code object it is in; None: run at import
    context: str  # the whole line, without its indentation

    @property
    def key(self) -> str:
        """What names it in the list of survivors, whatever changes elsewhere in the file."""
        if self.operator == "named":
            return f"{self.file} | {self.function}"
        return f"{self.file} | {self.function} | {self.operator} | {self.context} | {self.before} -> {self.after}"

    def applied_to(self, text: bytes) -> bytes:
        """The text of the file, changed."""
        assert text[self.start : self.stop] == self.before.encode(), self.key
        return text[: self.start] + self.after.encode() + text[self.stop :]

    def compiles(self, root: Path) -> bool:
        """Most do."""
        try:
            compile(self.applied_to((root / self.file).read_bytes()), self.file, "exec")
        except SyntaxError:
            return False
        return True


@cache
def mutants(root: Path, file: str) -> tuple[Mutant, ...]:
    """All mutants of a file."""
    found: dict[tuple[int, int, str], Mutant] = {}
    for mutant in _Finder(file, (root / file).read_bytes()).found():
        found.setdefault((mutant.start, mutant.stop, mutant.after), mutant)
    return tuple(found.values())


class _Finder:
    """Walks over a module and notes what could be changed."""

    def __init__(self, file: str, text: bytes) -> None:
        self._file, self._text = file, text
        self._tree = ast.parse(text)
        self._lines = text.split(b"\n")
        self._offsets = [0]
        for line in self._lines:
            self._offsets.append(self._offsets[-1] + len(line) + 1)

    def found(self) -> Iterator[Mutant]:
        yield from self._walk(self._tree, "", None, "")

    # Where things are ----------------------------------------------------------------------------

    def _span(self, node: ast.AST) -> tuple[int, int]:
        start = self._offsets[node.lineno - 1] + node.col_offset
        stop = self._offsets[node.end_lineno - 1] + node.end_col_offset
        return start, stop

    def _source(self, node: ast.AST) -> str:
        start, stop = self._span(node)
        return self._text[start:stop].decode()

    # The walk ------------------------------------------------------------------------------------

    def _walk(self, node: ast.AST, function: str, code: tuple[int, str] | None, result: str) -> Iterator[Mutant]:
        """Of a node in a function that says it returns such a `result`."""
        for child in _parts(node):
            name, inside, returned = function, code, result
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = f"{function}.{child.name}".lstrip(".")
            if isinstance(child, ast.FunctionDef | ast.Lambda):
                inside = _code(child)
            if isinstance(child, ast.FunctionDef):
                returned = self._source(child.returns) if child.returns else ""
            for operator, start, stop, after in self._changes(child, returned):
                line = self._text.count(b"\n", 0, start) + 1
                before = self._text[start:stop].decode()
                context = self._lines[line - 1].decode().strip()
                if before != after:
                    yield Mutant(self._file, name, operator, before, after, line, start, stop, inside, context)
            yield from self._walk(child, name, inside, returned)

    def _changes(self, node: ast.AST, result: str) -> Iterator[tuple[str, int, int, str]]:
        """Operator, place and new text."""
        match node:
            case ast.Constant(value=bool() | int() | float()):
                yield from self._constant(node)
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for left, kind, right in zip(sides, node.ops, sides[1:], strict=False):
                    yield from self._between("comparison", left, right, COMPARISONS.get(type(kind)))
            case ast.BinOp():
                yield from self._between("arithmetic", node.left, node.right, ARITHMETIC.get(type(node.op)))
                if isinstance(node.op, ast.Add | ast.Sub):
                    for kept in (node.left, node.right):
                        yield "term", *self._span(node), f"({self._source(kept)})"
            case ast.AugAssign():
                yield from self._between("arithmetic", node.target, node.value, ARITHMETIC.get(type(node.op)))
            case ast.UnaryOp(op=ast.USub() | ast.Not()):
                yield "sign", *self._span(node), f"({self._source(node.operand)})"
            case ast.BoolOp():
                pair = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from self._between("logic", left, right, pair)
            case ast.If() | ast.IfExp():
                for value in ("True", "False"):
                    yield "check", *self._span(node.test), value
            case ast.comprehension():
                for condition in node.ifs:
                    yield "check", *self._span(condition), "True"
            case ast.While():
                yield "check", *self._span(node.test), "False"  # True would not end
            case ast.Raise():
                yield "check", *self._span(node), "pass"
            case ast.Expr(value=ast.Call(func=called)) if any(check in _name(called) for check in CHECKS):
                yield "check", *self._span(node), "pass"
            case ast.Return(value=ast.AST() as value):
                yield "return", *self._span(value), "None"
                if result in NEGATIONS:
                    yield "return", *self._span(value), f"{NEGATIONS[result]}({self._source(value)})"
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in SWAPS:
                _, stop = self._span(node.func)
                yield "swap", stop - len(name), stop, SWAPS[name]

    def _constant(self, node: ast.Constant) -> Iterator[tuple[str, int, int, str]]:
        if TUNING in self._lines[node.lineno - 1]:
            return
        start, stop = self._span(node)
        value = node.value
        new: list[object]
        if isinstance(value, bool):
            new = [not value]
        elif isinstance(value, int):
            new = [value + 1, value - 1, 0]
        else:
            new = [2 * value, value / 2] if value else [1.0]
        for other in new:
            if other != value or isinstance(value, bool):
                text = repr(other)
                yield "constant", start, stop, f"({text})" if text.startswith("-") else text

    def _between(
        self, operator: str, left: ast.AST, right: ast.AST, pair: tuple[str, str] | None
    ) -> Iterator[tuple[str, int, int, str]]:
        """The operator that stands between two parts, with nothing beside it but spaces, brackets and comments."""
        if pair is None:
            return
        start, stop = self._span(left)[1], self._span(right)[0]
        place = self._text.find(pair[0].encode(), start, stop)
        if place >= 0:
            yield operator, place, place + len(pair[0]), pair[1]


def code_at(text: str, line: int) -> tuple[int, str] | None:
    """The code object that a line is in: its first line and its name; None at the top of the module."""
    inside = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.lineno <= line <= node.end_lineno
    ]
    return _code(max(inside, key=lambda node: node.lineno)) if inside else None


def _code(node: ast.FunctionDef | ast.Lambda) -> tuple[int, str]:
    """As the interpreter has it: a decorator is part of a function."""
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    return (node.decorator_list[0].lineno if node.decorator_list else node.lineno), node.name


def _name(called: ast.AST) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node may be changed."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        yield from (default for default in [*node.args.defaults, *node.args.kw_defaults] if default is not None)
        yield from node.body if isinstance(node, ast.FunctionDef) else [node.body]
        return
    for field, value in ast.iter_fields(node):
        if field in ("decorator_list", "annotation", "returns", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _only_words(child):
                yield child


def _only_words(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name=name):
            return name in WORDS
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Assert():
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "T" | "F" | "P")]):
            return True
        case ast.Call(func=called):
            name = _name(called)
            return name.endswith(("Error", "Warning", "Realizable", "Separable")) or name == "warn"
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False
