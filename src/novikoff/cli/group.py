"""How a command is called, and how it ends: by its exit code, or by one line that says what went wrong."""

from __future__ import annotations

import logging
import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from novikoff.cli import light
from novikoff.cli.answers import ERROR, sentence, tell
from novikoff.cli.interruption import INTERRUPTED, told_in_a_line
from novikoff.cli.options import FLAGS
from novikoff.cli.output import whole_output
from novikoff.words import in_a_shell

QUIET = {"-q", "--quiet"}  # no progress on standard error


class App(typer.Typer):
    """The commands, made on the first call: Ctrl-C may come meanwhile."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        light.Process.is_ours = not args and "args" not in kwargs
        with told_in_a_line():
            return super().__call__(*args, **kwargs)


class Commands(TyperGroup):
    """The one place where a command's answer becomes the exit code, and an error one line and the exit code 1.

    ``--debug`` shows where an error came from.
    """

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with told_in_a_line():
            return super().make_context(*args, **kwargs)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None and os.path.isfile(args[0]):
            ctx.fail(f"{args[0]!r} is a file, and a command comes before it: novikoff certify {shlex.quote(args[0])}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        debug = bool(ctx.params.get("debug"))
        level = logging.INFO if ctx.params.get("verbose") else logging.WARNING
        with (
            warnings.catch_warnings(),
            _messages(level, quiet=not QUIET.isdisjoint(ctx.args)),
            whole_output(),
            in_a_shell(FLAGS),
        ):
            if not debug:
                warnings.simplefilter("ignore")
                warnings.filterwarnings("always", category=UserWarning)
                warnings.showwarning = _tell_warning
            try:
                raise typer.Exit(super().invoke(ctx))
            except BrokenPipeError:
                # Whoever read our output has gone. Python would complain once more at its exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(ERROR) from None
            except KeyboardInterrupt:
                if debug:
                    raise
                tell("interrupted")
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
def _messages(level: int, *, quiet: bool) -> Iterator[None]:
    """Show what the library reports while it works, from a level of importance on; and why the first run takes long."""
    logger, teller = logging.getLogger("novikoff"), _Teller()
    compiling = logging.getLogger("novikoff.compiling")
    before = logger.level, compiling.level
    logger.addHandler(teller)
    logger.setLevel(level)
    compiling.setLevel(logging.WARNING if quiet else logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(before[0])
        compiling.setLevel(before[1])


def _tell_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    for line in str(message).splitlines():
        tell(line)
