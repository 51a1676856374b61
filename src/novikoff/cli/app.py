"""The commands: a table of contents. Each has a file of its own, and `novikoff --help` shows them by panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from novikoff.cli.answers import GOOD
from novikoff.cli.certify import certify
from novikoff.cli.convert import convert
from novikoff.cli.demo import demo
from novikoff.cli.evaluate import evaluate
from novikoff.cli.explain import explain
from novikoff.cli.fit import fit
from novikoff.cli.group import App, Commands
from novikoff.cli.inspect import inspect
from novikoff.cli.lab import lab
from novikoff.cli.learn import learn
from novikoff.cli.mistakes import mistakes
from novikoff.cli.play import play
from novikoff.cli.predict import predict
from novikoff.cli.rates import rates
from novikoff.cli.report import report
from novikoff.cli.theorems import theorems
from novikoff.cli.tour import TOUR
from novikoff.cli.verify import verify
from novikoff.cli.warmup import warmup

PANELS: dict[str, dict[str, Callable[..., int]]] = {
    "Files and models": {
        "fit": fit,
        "predict": predict,
        "eval": evaluate,
        "learn": learn,
        "inspect": inspect,
        "explain": explain,
        "convert": convert,
        "warmup": warmup,
    },
    "Proofs": {
        "certify": certify,
        "mistakes": mistakes,
        "verify": verify,
    },
    "Theory and pictures": {
        "demo": demo,
        "play": play,
        "rates": rates,
        "lab": lab,
        "report": report,
        "theorems": theorems,
    },
}

EXIT_CODES = "Exit codes: 0 good, 1 an error, 2 wrong usage, 10 not separable, 11 undecided, 130 interrupted."

app = App(
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"""
A tour: `novikoff`, without a command.

{EXIT_CODES}
""",
)


def _version(asked: bool) -> None:
    if asked:
        from novikoff import __version__

        print(f"novikoff {__version__}")
        raise typer.Exit


@app.callback()
def novikoff(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say what is done, on standard error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Linear classifiers that come with their proof."""
    if context.invoked_subcommand is None:
        print(TOUR, end="")
        raise typer.Exit(GOOD)


for panel, commands in PANELS.items():
    for name, command in commands.items():
        app.command(name, rich_help_panel=panel)(command)
