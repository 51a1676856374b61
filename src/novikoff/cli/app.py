"""The commands."""

from __future__ import annotations

from typing import Annotated

import typer

from novikoff.theory import THEOREMS, Theorem

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Linear classifiers that come with their proof.")

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]


@app.command()
def demo(quiet: Quiet = False) -> None:
    """The Perceptron on two data sets that ship with scikit-learn, and what its theorem says of the runs."""
    from novikoff.cli.demo import run

    run(quiet=quiet)


@app.command()
def theorems(
    markdown: Annotated[bool, typer.Option("--markdown", help="As a page of the documentation.")] = False,
) -> None:
    """Print every theorem: statement, hypotheses, source."""
    for theorem in THEOREMS:
        if markdown:
            title, source, bullet = f"## {theorem.title}", f"*{theorem.citation}.* `{theorem.id}`", "- "
            print("\n\n".join([title, theorem.statement, *_bullets(theorem, bullet), source]), end="\n\n")
        else:
            lines = [
                f"{theorem.title} ({theorem.id})",
                f"  {theorem.statement}",
                *_bullets(theorem, "  - "),
                f"  {theorem.citation}",
            ]
            print("\n".join(lines), end="\n\n")


def _bullets(theorem: Theorem, bullet: str) -> list[str]:
    lines = [bullet + hypothesis.text for hypothesis in theorem.hypotheses]
    return ["\n".join(lines)] if lines else []
