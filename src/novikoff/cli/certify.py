"""`novikoff certify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from novikoff.cli.answers import GOOD, NOT_SEPARABLE, UNDECIDED, report_skipped, to_json
from novikoff.cli.options import AsJson, Quiet, ReadingOptions, Source, reads_data
from novikoff.cli.reading import announce
from novikoff.words import listed

if TYPE_CHECKING:
    from novikoff.certificates import Proof


@reads_data
def certify(
    data: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where to write the proof; of more than two labels one for each: proof-LABEL.json."
        ),
    ] = None,
    gap: Annotated[float, typer.Option(help="Relative distance of the two ends of the margin.")] = 0.01,
    intercept: Annotated[bool, typer.Option(help="Append the constant coordinate 1.")] = True,
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
    """Is the data separable, and by what margin? Exit 0: separable; 10: not; 11: undecided; 1: an error."""
    from novikoff.certificates import Undecided, Verdicts, certify
    from novikoff.cli.predictions import about_data
    from novikoff.data import read
    from novikoff.data.sources import check_target

    if output is not None:
        check_target(output, data)
    examples = read(data, **reading.given())
    report_skipped(examples.bad)
    announce(examples.account, quiet=quiet)
    found = certify(
        examples,
        gap=gap,
        fit_intercept=intercept,
        max_seconds=max_seconds,
        verbose=0 if quiet else 1,
        separation=separation,
    )
    many = isinstance(found, Verdicts)
    proofs = dict(found) if isinstance(found, Verdicts) else {"": found}
    saved = []
    for label, proof in proofs.items():
        if output and not isinstance(proof, Undecided):
            named = output.with_stem(f"{output.stem}-{quote(str(label), safe='')}") if many else output
            proof.save(named)
            saved.append(str(named))
    if as_json:
        known = about_data(examples, {"fit_intercept": intercept, "intercept_scaling": 1.0})
        known |= {"read": examples.account.record}
        records = {str(label): known | _record(proof) for label, proof in proofs.items()}
        print(to_json(records if many else records[""]))
    else:
        print(found)
        if saved:
            print(f"Saved in {listed(saved)}.")
    return max(map(exit_code, proofs.values()))


def exit_code(proof: Proof) -> int:
    from novikoff.certificates import NotSeparable, Undecided

    return UNDECIDED if isinstance(proof, Undecided) else NOT_SEPARABLE if isinstance(proof, NotSeparable) else GOOD


def _record(proof: Proof) -> dict[str, Any]:
    from novikoff.certificates import NotSeparable, Separable, Undecided
    from novikoff.certificates.certificate import ORIGIN

    about = proof.about
    record: dict[str, Any] = {
        "verdict": proof.verdict,
        "positive": about.positive,
        "against": about.against,
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
    elif isinstance(proof, NotSeparable):
        record |= {"rows": proof.rows.tolist(), "weakly_separable": proof.weak is not None}
        record |= {"separation": proof.separation}
        if proof.coefficients is not None:
            record["coefficients"] = {about.column(j): fate for j, fate in enumerate(proof.coefficients)}
    elif isinstance(proof, Undecided):
        record |= {"margin": proof.margin, "why": proof.why}
    return record
