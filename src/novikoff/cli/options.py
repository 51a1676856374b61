"""The options that commands share."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

Source = Annotated[
    str,
    typer.Argument(help="A file, a pattern in quotes, or - for standard input.", show_default=False, metavar="DATA"),
]
ModelFile = Annotated[Path, typer.Argument(help="A model file.", show_default=False, metavar="MODEL")]
AsJson = Annotated[bool, typer.Option("--json", help="The answer as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Format = Annotated[
    str | None,
    typer.Option(
        help="svmlight, vw, csv, tsv, jsonl, parquet, arrow, npy, npz, idx, arff; by name and content otherwise."
    ),
]
Label = Annotated[str | None, typer.Option(help="The column of the labels, by name or position.")]
Positive = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="Ask for this label against all others: labels become True and False."),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER", help="What separates the cells of a table: a character, or tab; otherwise found out."
    ),
]
Decimal = Annotated[
    str | None, typer.Option(metavar="CHARACTER", help="The sign of decimals in a table, . or ,; otherwise found out.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="How text is written: cp1252, latin-1, ...; UTF-8 otherwise.")
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="zero fills missing values in with 0; column also marks them, in a column of their own; error refuses.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave out a column, by name or position; more with commas between them."),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Take no other columns as features; more with commas between them."),
]
Weight = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column of a table with the weight of each row, by name.")
]
SkipBad = Annotated[int, typer.Option(metavar="N", help="Skip up to N malformed lines, and report them.")]
Read = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        "-r",
        metavar="OPTION=VALUE",
        help="More about the file: header=false, zero_based=true, categorical=zip,job.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="A parameter of the learner: max_iter=50, shuffle=false."),
]
Learner = Annotated[str, typer.Option(help="perceptron, margin-perceptron, max-margin, least-squares, winnow, ...")]


# How a file is read --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReadingOptions:
    """What the line says about how to read the data: the options of each command that reads some."""

    format: Format = None
    label: Label = None
    positive: Positive = None
    weight: Weight = None
    drop: Drop = None
    columns: Columns = None
    missing: Missing = None
    delimiter: Delimiter = None
    decimal: Decimal = None
    encoding: Encoding = None
    skip_bad: SkipBad = 0
    read: Read = None

    def given(self, known: dict[str, Any] | None = None) -> dict[str, Any]:
        """The keyword arguments of `novikoff.data.read`: those that a model knows, and those given on the line."""
        options: dict[str, Any] = dict(known or {})
        for name in FLAGS:
            value = getattr(self, name)
            if value:
                options[name] = value if isinstance(value, str | int) else ",".join(value)
        assigned = _known_options(assignments(self.read, "--read"))
        options |= assigned
        for name in ("categorical", "columns", "drop", "features"):
            given = options.get(name)
            if isinstance(given, str | int) and not isinstance(given, bool):
                words = str(given).split(",")
                options[name] = tuple(map(_column, words) if name in ("categorical", "drop") else words)
        if self.label and "label" not in assigned:
            options["label"] = _column(self.label)
        return options


FLAGS = tuple(option.name for option in fields(ReadingOptions) if option.name != "read")


def flag(name: str) -> str:
    """How an option of the reader is given on the line, but for its value."""
    return f"--{name.replace('_', '-')}" if name in FLAGS else f"-r {name}="


def _column(text: Any) -> Any:
    """A column by its position, if that is a number; else by its name."""
    return int(text) if isinstance(text, str) and text.removeprefix("-").isdigit() else text


def reads_data(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of reading: it takes them as one value, ``reading``; typer sees them in its place."""
    own = inspect.signature(command, eval_str=True)
    options = inspect.signature(ReadingOptions, eval_str=True).parameters

    @wraps(command)
    def called(**given: Any) -> int:
        reading = ReadingOptions(**{name: given.pop(name) for name in options})
        return command(reading=reading, **given)

    seen = [
        each
        for parameter in own.parameters.values()
        for each in (options.values() if parameter.name == "reading" else [parameter])
    ]
    called.__signature__ = own.replace(parameters=seen)  # type: ignore[attr-defined]  # typer and inspect look for it
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in seen}
    return called


def _known_options(given: dict[str, Any]) -> dict[str, Any]:
    """Options of the reader, and no others."""
    from novikoff.data.options import check_names  # which waits for SciPy

    try:
        check_names(given)
    except TypeError as error:
        raise typer.BadParameter(str(error), param_hint="--read") from None
    return given


def assignments(pairs: Iterable[str] | None, option: str) -> dict[str, Any]:
    """name=value, where values are Python's or JSON's: 0.5, true, None; anything else is text."""
    found: dict[str, Any] = {}
    for pair in pairs or ():
        name, sign, text = pair.partition("=")
        if not sign or not name.isidentifier():
            raise typer.BadParameter(f"{pair!r} is not NAME=VALUE", param_hint=option)
        words = {"true": True, "false": False, "null": None, "inf": math.inf}
        try:
            found[name] = words[text] if text in words else ast.literal_eval(text)
        except (ValueError, SyntaxError):
            found[name] = text
    return found
