"""`novikoff certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast
from urllib.parse import quote

import typer

from novikoff.cli.answers import GOOD, NOT_SEPARABLE, UNDECIDED, report_skipped, tell, to_json
from novikoff.cli.options import AsJson, Quiet, ReadingOptions, Source, reads_data
from novikoff.cli.reading import announce
from novikoff.words import listed

if TYPE_CHECKING:
    from novikoff.certificates import PairVerdicts, Proof, Verdicts


@reads_data
def certify(
    data: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where to write the proof; of more than two labels one for each: proof-LABEL.json."
        ),
    ] = None,
    multiclass: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="Of more than two labels: one-vs-rest; one-vs-one, each pair, with one proof; joint, all at once.",
        ),
    ] = "one-vs-rest",
    gap: Annotated[float, typer.Option(help="Relative distance of the two ends of the margin.")] = 0.01,
    intercept: Annotated[bool, typer.Option(help="Append the constant coordinate 1.")] = True,
    C: Annotated[float | None, typer.Option("--C", help="The optimum of the soft margin with this C, proved.")] = None,
    loss: Annotated[
        Literal["squared_hinge", "hinge"] | None, typer.Option(help="Of the soft margin; squared_hinge by default.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Give up the search after so many seconds.")] = None,
    separation: Annotated[
        bool,
        typer.Option(
            "--separation",
            help="Ask on: quasi-complete separation or overlap, and which coefficients diverge?",
        ),
    ] = False,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """Is the data separable, and by what margin? Exit 0: separable; 10: not; 11: undecided; 1: an error.

    With --C: what is the optimum of the soft margin? The weights of the examples multiply C. Exit 0: proved.
    """
    from novikoff.certificates import PairVerdicts, Verdicts, certify
    from novikoff.certificates.prove import MULTICLASS, Multiclass
    from novikoff.cli.predictions import about_data
    from novikoff.data import read
    from novikoff.data.sources import check_target

    if multiclass not in MULTICLASS:
        raise typer.BadParameter(f"{multiclass!r} is none of {listed(MULTICLASS)}", param_hint="--multiclass")
    if output is not None:
        check_target(output, data)
    examples = read(data, **reading.given())
    report_skipped(examples.bad)
    announce(examples.account, quiet=quiet)
    found = certify(
        examples,
        gap=gap,
        separation=separation,
        multiclass=cast(Multiclass, multiclass),
        C=C,
        loss=loss,
        fit_intercept=intercept,
        max_seconds=max_seconds,
        verbose=0 if quiet else 1,
    )
    many = isinstance(found, Verdicts | PairVerdicts)
    proofs: dict[Any, Proof] = dict(found) if isinstance(found, Verdicts | PairVerdicts) else {"": found}
    saved = [] if output is None else _saved(found, output)
    if as_json:
        known = about_data(examples, {"fit_intercept": intercept, "intercept_scaling": 1.0})
        known |= {"read": examples.account.record}
        records = {_key(label): known | _record(proof) for label, proof in proofs.items()}
        print(to_json(records if many else records[""]))
    else:
        print(found)
        if saved:
            print(f"Saved in {listed(saved)}.")
    return max(map(exit_code, proofs.values()))


def _saved(found: Proof | Verdicts | PairVerdicts, output: Path) -> list[str]:
    """Write what is proved; the files: of verdicts on each label one for each."""
    from novikoff.certificates import PairVerdicts, Undecided, Verdicts

    if isinstance(found, Verdicts):
        files = {output.with_stem(f"{output.stem}-{quote(str(label), safe='')}"): one for label, one in found.items()}
        decided: dict[Path, Any] = {path: one for path, one in files.items() if not isinstance(one, Undecided)}
    elif isinstance(found, PairVerdicts):
        undecided = any(isinstance(one, Undecided) for one in found.values())
        decided = {} if undecided else {output: found}
        if undecided:
            tell(f"{output} was not written: it would prove the verdict on every pair, and some are undecided")
    else:
        decided = {} if isinstance(found, Undecided) else {output: found}
    for path, proof in decided.items():
        proof.save(path)
    return [str(path) for path in decided]


def _key(label: Any) -> str:
    """How a label, or a pair of them, is named in JSON."""
    return f"{label[0]} and {label[1]}" if isinstance(label, tuple) else str(label)


def exit_code(proof: Proof) -> int:
    from novikoff.certificates import JointNotSeparable, NotSeparable, Undecided

    if isinstance(proof, Undecided):
        return UNDECIDED
    return NOT_SEPARABLE if isinstance(proof, NotSeparable | JointNotSeparable) else GOOD


def _record(proof: Proof) -> dict[str, Any]:
    from novikoff.certificates import JointNotSeparable, JointSeparable, NotSeparable, Separable, SoftMargin, Undecided
    from novikoff.certificates.certificate import ORIGIN

    about = proof.about
    record: dict[str, Any] = {
        "verdict": proof.verdict,
        **({"positive": about.positive, "against": about.against} if about.against else {"labels": about.labels}),
        "constant": about.constant or ORIGIN,
        "digest": about.digest,
        "passes": proof.passes,
        "implies": str(proof),
    }
    if isinstance(proof, Separable):
        record |= {
            "separation": proof.separation,
            "margin": proof.margin,
            "euclidean_margin": proof.euclidean_margin,
            "radius": proof.radius,
            "mistake_bound": proof.mistake_bound,
            "learner": about.learner,
            "closest": proof.closest,
            "support": proof.rows.tolist(),
        }
    elif isinstance(proof, SoftMargin):
        record |= {
            "objective": proof.objective,
            "C": proof.C,
            "loss": proof.loss,
            "coef": proof.coef.tolist(),
            "intercept": proof.intercept,
            "least_wrong": proof.least_wrong(),
            "first_pass": proof.first_pass,
            "rows": proof.rows.tolist(),
        }
    elif isinstance(proof, NotSeparable):
        record |= {"rows": proof.rows.tolist(), "weakly_separable": proof.weak is not None}
        record |= {"separation": proof.separation}
        if proof.coefficients is not None:
            record["coefficients"] = {about.column(j): fate for j, fate in enumerate(proof.coefficients)}
    elif isinstance(proof, JointSeparable):
        record |= {
            "margin": proof.margin,
            "radius": proof.radius,
            "mistake_bound": proof.mistake_bound,
            "learner": about.learner,
            "closest": proof.closest,
            "support": sorted({*proof.rows.tolist()}),
        }
    elif isinstance(proof, JointNotSeparable):
        record |= {"rows": proof.rows.tolist(), "rivals": [about.labels[r] for r in proof.rivals]}
    elif isinstance(proof, Undecided) and proof.objective is not None:
        record |= {"objective": proof.objective, "why": proof.why}
    elif isinstance(proof, Undecided):
        record |= {"margin": proof.margin, "why": proof.why}
    return record
