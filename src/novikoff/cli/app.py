"""The commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli.options import (
    App,
    AsJson,
    Commands,
    Format,
    Label,
    Learner,
    ModelFile,
    Quiet,
    Read,
    Set,
    SkipBad,
    Source,
    reading_options,
)
from novikoff.theory import THEOREMS

EXIT_CODES = "Exit codes: 0 good, 1 an error, 2 wrong usage, 10 not separable, 11 undecided, 130 interrupted."

app = App(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"""
A tour: `novikoff fit train.svm.gz -o model.nvk`, then `novikoff predict model.nvk new.csv`,
`novikoff certify train.svm.gz -o proof.json`, `novikoff verify proof.json train.svm.gz`.

{EXIT_CODES}
""",
)

MODELS, PROOFS, THEORY = "Files and models", "Proofs", "Theory and pictures"


def _version(asked: bool) -> None:
    if asked:
        from novikoff import __version__

        print(f"novikoff {__version__}")
        raise typer.Exit


@app.callback()
def novikoff(
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say what is done, on standard error.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="And exit.")] = False,
) -> None:
    """Linear classifiers that come with their proof."""


# Files and models --------------------------------------------------------------------------------


@app.command(rich_help_panel=MODELS)
def fit(
    data: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    learner: Learner = "perceptron",
    set_: Set = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint of a killed run.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Parse the file again, and drop its checkpoints.")] = False,
    cache_dir: Annotated[Path | None, typer.Option(help="Where the binary copy of the data is kept.")] = None,
    keep_cache: Annotated[bool, typer.Option(help="Leave the binary copy for the next time.")] = True,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn a model from a file of any size.

    The file is parsed once, into a binary copy that later passes and later runs read from.
    """
    from novikoff.cli.fit import fit

    code = fit(
        learner,
        set_,
        data,
        output,
        reading_options(format, label, skip_bad, read),
        resume=resume,
        fresh=fresh,
        cache=cache_dir,
        keep_cache=keep_cache,
        json=as_json,
        quiet=quiet,
    )
    raise typer.Exit(code)


@app.command(rich_help_panel=MODELS)
def predict(
    model: ModelFile,
    data: Source,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file instead of standard output.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write ⟨w,x⟩ instead of labels.")] = False,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
) -> None:
    """Write the predicted label of each example, one a line. Labels in the data are not needed, and not looked at."""
    from novikoff.cli.predict import columns_of, predict

    def reading(loaded: Any) -> dict[str, Any]:
        return reading_options(format, label, skip_bad, read, columns_of(loaded))

    raise typer.Exit(predict(model, data, output, reading, scores=scores, json=as_json))


@app.command("eval", rich_help_panel=MODELS)
def evaluate(
    arguments: Annotated[list[str], typer.Argument(metavar="[MODEL] DATA", show_default=False)],
    progressive: Annotated[
        bool, typer.Option("--progressive", "-p", help="Predict each example before learning it; needs no model.")
    ] = False,
    learner: Learner = "perceptron",
    set_: Set = None,
    classes: Annotated[str | None, typer.Option(help="The two labels, for --progressive: no,yes")] = None,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Count a model's mistakes on labelled examples; or (--progressive) a learner's, example by example."""
    from novikoff.cli import predict as commands
    from novikoff.cli.learners import learner as new
    from novikoff.store import load

    if len(arguments) != (2 - progressive) and not (progressive and len(arguments) == 2):
        raise typer.BadParameter("a model and data are expected; with --progressive, data alone will do")
    if progressive:
        model = load(arguments[0]) if len(arguments) == 2 else new(learner, set_)
        known = commands.columns_of(model) if len(arguments) == 2 else None
        reading = reading_options(format, label, skip_bad, read, known)
        pair = commands.two_labels(classes)
        raise typer.Exit(commands.progressive(model, arguments[-1], reading, pair, json=as_json, quiet=quiet))

    def reading_for(loaded: Any) -> dict[str, Any]:
        return reading_options(format, label, skip_bad, read, commands.columns_of(loaded))

    raise typer.Exit(commands.evaluate(Path(arguments[0]), arguments[1], reading_for, json=as_json))


@app.command(rich_help_panel=MODELS)
def learn(
    model: ModelFile,
    data: Source = "-",
    learner: Learner = "perceptron",
    set_: Set = None,
    classes: Annotated[
        str | None, typer.Option(help="The two labels of a new model, unless they are -1 and 1.")
    ] = None,
    every: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How often to save.")] = 10.0,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn from a stream: for each line, write the prediction, then learn its label.

    `tail -f events.vw | novikoff learn model.nvk`

    The model goes on from where its file stands; without a file a new one is made. It is saved after the first lines,
    then now and then, and at the end: of the input, or by Ctrl-C, SIGTERM or SIGHUP, which wait for the lines at hand.
    A line without a label is predicted only.
    """
    from novikoff.cli.learn import learn
    from novikoff.cli.learners import learner as learner_of
    from novikoff.cli.predict import columns_of, two_labels

    def new() -> Any:
        return learner_of(learner, set_)

    def reading(known: Any) -> dict[str, Any]:
        found = None if known is None else columns_of(known) | {"width": None}
        return reading_options(format, label, skip_bad, read, found)

    code = learn(model, data, new, reading, two_labels(classes), every=every, json=as_json, quiet=quiet)
    raise typer.Exit(code)


@app.command(rich_help_panel=MODELS)
def inspect(model: ModelFile, as_json: AsJson = False) -> None:
    """Say what is in a model file: learner, labels, features, guarantees. Nothing in it is run."""
    from dataclasses import asdict

    from novikoff.cli.options import as_json as to_json
    from novikoff.store import describe

    about = describe(model)
    print(to_json(asdict(about)) if as_json else about)


@app.command(rich_help_panel=MODELS)
def explain(
    model: ModelFile,
    data: Source,
    row: Annotated[int, typer.Option(min=0, help="Which example, from 0.")] = 0,
    top: Annotated[int, typer.Option(min=1, help="How many features to list.")] = 10,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
) -> None:
    """Explain one prediction: each feature's share of the score."""
    from novikoff.cli.predict import columns_of, explain

    def reading(loaded: Any) -> dict[str, Any]:
        return reading_options(format, label, skip_bad, read, columns_of(loaded))

    raise typer.Exit(explain(model, data, row, top, reading, json=as_json))


@app.command(rich_help_panel=MODELS)
def convert(
    source: Source,
    target: Annotated[Path, typer.Argument(help="Its format is told by its name: a.parquet, b.svm.gz.")],
    to: Annotated[str | None, typer.Option(help="The format of the target, where its name does not tell.")] = None,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
) -> None:
    """Write the examples of one file in another format."""
    from novikoff.cli.options import as_json as to_json
    from novikoff.data import convert

    count = convert(source, target, to=to, **reading_options(format, label, skip_bad, read))
    print(to_json({"target": str(target), "examples": count}) if as_json else f"{count:,} examples in {target}.")


@app.command(rich_help_panel=MODELS)
def warmup(quiet: Quiet = False) -> None:
    """Compile everything now, so that no later command waits for it. Takes a minute or two, once."""
    from novikoff.cli.warmup import warmup

    warmup(quiet=quiet)


# Proofs ------------------------------------------------------------------------------------------


@app.command(rich_help_panel=PROOFS)
def certify(
    data: Source,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the proof.")] = None,
    gap: Annotated[float, typer.Option(help="Relative distance of the two ends of the margin.")] = 0.01,
    intercept: Annotated[bool, typer.Option(help="Append the constant coordinate 1.")] = True,
    max_seconds: Annotated[float | None, typer.Option(help="When to give up.")] = None,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Is the data separable, and by what margin? Exit 0: separable; 10: not; 11: undecided; 1: an error."""
    from novikoff.cli.certify import certify_file

    reading = reading_options(format, label, skip_bad, read)
    raise typer.Exit(certify_file(data, output, gap, intercept, max_seconds, reading, json=as_json, quiet=quiet))


@app.command(rich_help_panel=PROOFS)
def verify(
    proof: Annotated[Path, typer.Argument(help="A certificate that `certify` wrote.", show_default=False)],
    data: Source,
    reference: Annotated[
        bool, typer.Option("--reference", help="By the slow checker that is made to be read: pure Python, rationals.")
    ] = False,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
) -> None:
    """Check a proof against the data, in exact arithmetic. Exit 0: valid; 1: invalid, or an error."""
    from novikoff.cli.certify import verify_file

    reading = reading_options(format, label, skip_bad, read)
    raise typer.Exit(verify_file(proof, data, reading, reference=reference, json=as_json))


# Theory and pictures -----------------------------------------------------------------------------


@app.command(rich_help_panel=THEORY)
def demo(quiet: Quiet = False) -> None:
    """The Perceptron on two data sets that ship with scikit-learn, and what its theorem says of the runs."""
    from novikoff.cli.demo import run

    run(quiet=quiet)


@app.command(rich_help_panel=THEORY)
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

    concepts = concept_class(class_, {"d": d, "n": n, "k": k, "weight": weight})
    raise typer.Exit(play_game(concepts, learner, adversary, rounds, seed, as_json=as_json))


@app.command(rich_help_panel=THEORY)
def rates(
    plot: Annotated[Path | None, typer.Option(help="Where to draw it (needs matplotlib): rates.png.")] = None,
    seeds: Annotated[int, typer.Option(min=2, help="Runs of the stochastic methods to average.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Measure the costs of GD, Newton, SGD and stochastic Newton, beside the notes' table. Takes a minute."""
    from novikoff.cli.rates import run

    raise typer.Exit(run(plot, seeds, as_json=as_json))


@app.command(rich_help_panel=THEORY)
def lab(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="8462, or any that is free, by default.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
    unsafe_bind: Annotated[
        bool, typer.Option("--unsafe-bind", help="Let other machines in; there is no login.")
    ] = False,
) -> None:
    """Open the page on which to place points, step, and watch the proof. Ctrl-C ends it."""
    try:
        from novikoff.lab.server import serve
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn", "msgspec", "anyio"):
            raise
        print(f"novikoff: the lab needs {package}: pip install 'novikoff[lab]'", file=sys.stderr)
        raise typer.Exit(1) from None
    raise typer.Exit(serve(host, port, browser=browser, unsafe=unsafe_bind))


@app.command(rich_help_panel=THEORY)
def report(
    data: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page: report.html.")],
    learner: Learner = "perceptron",
    set_: Set = None,
    model: Annotated[Path | None, typer.Option(help="Report on this model instead of learning one.")] = None,
    title: Annotated[str | None, typer.Option(help="The heading.")] = None,
    gap: Annotated[float, typer.Option(help="Relative distance of the two ends of the margin.")] = 0.01,
    max_seconds: Annotated[float | None, typer.Option(help="When to give up the search for a proof.")] = None,
    format: Format = None,
    label: Label = None,
    skip_bad: SkipBad = 0,
    read: Read = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Learn, certify, and write one HTML page with all that is known. Exit codes as those of `certify`."""
    from novikoff.cli.report import report_file

    def reading(known: dict[str, Any] | None) -> dict[str, Any]:
        return reading_options(format, label, skip_bad, read, known)

    code = report_file(data, output, learner, set_, model, reading, title, gap, max_seconds, json=as_json, quiet=quiet)
    raise typer.Exit(code)


@app.command(rich_help_panel=THEORY)
def theorems() -> None:
    """Print every theorem: statement, hypotheses, source."""
    for theorem in THEOREMS:
        hypotheses = (f"  - {hypothesis.text}" for hypothesis in theorem.hypotheses)
        lines = [
            f"{theorem.title} ({theorem.id})",
            f"  {theorem.statement}",
            *hypotheses,
            f"  {theorem.citation}",
        ]
        print("\n".join(lines), end="\n\n")
