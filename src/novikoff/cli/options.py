"""What the commands share: their options, how they speak, and how they end."""

from __future__ import annotations

import ast
import json
import logging
import math
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from typer.core import TyperGroup

from novikoff.cli.interruption import INTERRUPTED as INTERRUPTED
from novikoff.cli.interruption import told_in_a_line
from novikoff.cli.output import whole_output

GOOD, ERROR, USAGE, NOT_SEPARABLE, UNDECIDED = 0, 1, 2, 10, 11

Source = Annotated[
    str,
    typer.Argument(help="A file, a pattern in quotes, or - for standard input.", show_default=False, metavar="DATA"),
]
ModelFile = Annotated[Path, typer.Argument(help="A model file.", show_default=False, metavar="MODEL")]
AsJson = Annotated[bool, typer.Option("--json", help="The answer as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Format = Annotated[
    str | None,
    typer.Option(help="svmlight, vw, csv, tsv, jsonl, parquet, arrow, npy, npz; by name and content otherwise."),
]
Label = Annotated[str | None, typer.Option(help="The column of the labels, by name or position.")]
SkipBad = Annotated[int, typer.Option(metavar="N", help="Skip up to N malformed lines, and report them.")]
Read = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        "-r",
        metavar="OPTION=VALUE",
        help="More about the file: header=false, zero_based=true, missing=zero, categorical=zip,job.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="A parameter of the learner: max_iter=50, shuffle=true."),
]
Learner = Annotated[str, typer.Option(help="perceptron, margin-perceptron, max-margin, least-squares, winnow, ...")]


class App(typer.Typer):
    """The commands, made on the first call: Ctrl-C may come meanwhile."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with told_in_a_line():
            return super().__call__(*args, **kwargs)


class Commands(TyperGroup):
    """The one place where errors become one line and an exit code; ``--debug`` shows where they came from."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with told_in_a_line():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        debug = bool(ctx.params.get("debug"))
        level = logging.INFO if ctx.params.get("verbose") else logging.WARNING
        with warnings.catch_warnings(), _messages(level), whole_output():
            if not debug:
                warnings.simplefilter("ignore")
                warnings.filterwarnings("always", category=UserWarning)
                warnings.showwarning = _tell_warning
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                # Whoever read our output has gone. Python would complain once more at its exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(ERROR) from None
            except KeyboardInterrupt:
                if debug:
                    raise
                print("novikoff: interrupted", file=sys.stderr)
                raise typer.Exit(INTERRUPTED) from None
            except (ValueError, OSError, ImportError, AttributeError, MemoryError) as error:
                if debug:
                    raise
                tell(sentence(error))
                raise typer.Exit(ERROR) from None


class _Teller(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage())


@contextmanager
def _messages(level: int) -> Iterator[None]:
    """Show what the library reports while it works, from a level of importance on."""
    logger, teller, before = logging.getLogger("novikoff"), _Teller(), logging.getLogger("novikoff").level
    logger.addHandler(teller)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(before)


def sentence(error: BaseException) -> str:
    """An error as it is told."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return str(error) or type(error).__name__


def tell(message: str) -> None:
    print(f"novikoff: {message}", file=sys.stderr)


def _tell_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    tell(str(message))


def reading_options(
    format: str | None, label: str | None, skip_bad: int, more: list[str] | None, known: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The keyword arguments of `novikoff.data.read`: those that a model knows, and those given on the line."""
    options: dict[str, Any] = dict(known or {})
    for name, value in (("format", format), ("label", label), ("skip_bad", skip_bad or None)):
        if value is not None:
            options[name] = value
    options |= _known_options(assignments(more, "--read"))
    for name in ("categorical", "columns"):
        if isinstance(options.get(name), str):
            options[name] = tuple(options[name].split(","))
    if isinstance(options.get("label"), str):
        position = options["label"].removeprefix("-")
        options["label"] = int(options["label"]) if position.isdigit() else options["label"]
    return options


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


def as_json(record: Any) -> str:
    """JSON with NumPy's numbers as plain ones, and null for what is not finite."""
    return json.dumps(_plain(record))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def report_skipped(lines: Iterable[Any]) -> None:
    for line in lines:
        tell(f"skipped {line}")
