"""The commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from novikoff.theory import THEOREMS, Theorem

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Linear classifiers that come with their proof.")

File = Annotated[Path, typer.Argument(help="CSV with the label last (*.csv), or svmlight.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="The answer as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]


@app.command()
def demo(quiet: Quiet = False) -> None:
    """The Perceptron on two data sets that ship with scikit-learn, and what its theorem says of the runs."""
    from novikoff.cli.demo import run

    run(quiet=quiet)


@app.command()
def certify(
    data: File,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the proof.")] = None,
    gap: Annotated[float, typer.Option(help="Relative distance of the two ends of the margin.")] = 0.01,
    intercept: Annotated[bool, typer.Option(help="Append the constant coordinate 1.")] = True,
    max_seconds: Annotated[float | None, typer.Option(help="When to give up.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Is the data separable, and by what margin? Exit 0: separable; 10: not; 11: undecided; 1: an error."""
    from novikoff.cli.certify import certify_file

    raise typer.Exit(certify_file(data, output, gap, intercept, max_seconds, as_json=as_json, quiet=quiet))


@app.command()
def verify(
    proof: Annotated[Path, typer.Argument(help="A certificate that `certify` wrote.", show_default=False)],
    data: File,
    as_json: AsJson = False,
) -> None:
    """Check a proof against the data, in exact arithmetic. Exit 0: valid; 1: invalid, or an error."""
    from novikoff.cli.certify import verify_file

    raise typer.Exit(verify_file(proof, data, as_json=as_json))


@app.command()
def play(
    class_: Annotated[str, typer.Option("--class", help="monotone-conjunctions, parities, thresholds, ...")],
    learner: Annotated[str, typer.Option(help="halving, standard-optimal, conjunction, winnow, ...")] = "halving",
    d: Annotated[int | None, typer.Option(help="Variables, for classes over {0, 1}^d.")] = None,
    n: Annotated[int | None, typer.Option(help="Points, for thresholds, intervals and singletons.")] = None,
    k: Annotated[int | None, typer.Option(help="Relevant variables, for juntas.")] = None,
    weight: Annotated[int | None, typer.Option(help="The largest weight, for linear-thresholds.")] = None,
    adversary: Annotated[bool, typer.Option("--adversary", help="The worst examples that a concept explains.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Random examples, without an adversary.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the random examples and the concept that labels them.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Play the mistake bound game, round by round. Exit 0; 1: an error, or a learner that has no concept left."""
    from novikoff.cli.play import concept_class, play_game

    try:
        concepts = concept_class(class_, {"d": d, "n": n, "k": k, "weight": weight})
        raise typer.Exit(play_game(concepts, learner, adversary, rounds, seed, as_json=as_json))
    except ValueError as error:
        print(f"novikoff: {error}", file=sys.stderr)
        raise typer.Exit(1) from None


@app.command()
def rates(
    plot: Annotated[Path | None, typer.Option(help="Where to draw it (needs matplotlib): rates.png.")] = None,
    seeds: Annotated[int, typer.Option(min=2, help="Runs of the stochastic methods to average.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Measure the costs of GD, Newton, SGD and stochastic Newton, beside the notes' table. Takes a minute."""
    from novikoff.cli.rates import run

    raise typer.Exit(run(plot, seeds, as_json=as_json))


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
