"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Linear classifiers that come with their proof.")

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]


@app.command()
def demo(quiet: Quiet = False) -> None:
    """The Perceptron on two data sets that ship with scikit-learn, and what its theorem says of the runs."""
    from novikoff.cli.demo import run

    run(quiet=quiet)


@app.command()
def theorems() -> None:
    """Print every theorem: statement, hypotheses, source."""
    from novikoff.theory import THEOREMS

    console = Console(highlight=False, soft_wrap=True)
    for theorem in THEOREMS:
        console.print(f"[bold]{theorem.title}[/bold] ({theorem.id})")
        console.print(f"  {theorem.statement}", markup=False)
        for hypothesis in theorem.hypotheses:
            console.print(f"  - {hypothesis.text}", markup=False)
        console.print(f"  {theorem.citation}\n", markup=False, style="dim")
