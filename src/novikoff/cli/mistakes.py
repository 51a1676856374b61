"""`novikoff mistakes`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.answers import GOOD, UNDECIDED, report_skipped, to_json
from novikoff.cli.options import AsJson, Quiet, ReadingOptions, Source, reads_data
from novikoff.cli.reading import announce

if TYPE_CHECKING:
    from novikoff.certificates import FewestMistakes


@reads_data
def mistakes(
    data: Source,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the proof.")] = None,
    intercept: Annotated[bool, typer.Option(help="Append the constant coordinate 1.")] = True,
    max_seconds: Annotated[float, typer.Option(help="Stop after so many seconds, with what is proved by then.")] = 10.0,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> int:
    """How many rows does the best hyperplane have wrong? Exit 0: exactly known; 11: within two ends; 1: an error."""
    from novikoff.certificates import fewest_mistakes
    from novikoff.cli.predictions import about_data
    from novikoff.data import read
    from novikoff.data.sources import check_target

    if output is not None:
        check_target(output, data)
    examples = read(data, **reading.given())
    report_skipped(examples.bad)
    announce(examples.account, quiet=quiet)
    found = fewest_mistakes(examples, fit_intercept=intercept, max_seconds=max_seconds, verbose=0 if quiet else 1)
    if output is not None:
        found.save(output)
    if as_json:
        known = about_data(examples, {"fit_intercept": intercept, "intercept_scaling": 1.0})
        print(to_json(known | {"read": examples.account.record} | _record(found)))
    else:
        print(found)
        if output is not None:
            print(f"Saved in {output}.")
    return GOOD if found.exact else UNDECIDED


def _record(found: FewestMistakes) -> dict[str, Any]:
    from novikoff.certificates.certificate import ORIGIN

    about = found.about
    return {
        "verdict": found.verdict,
        "positive": about.positive,
        "against": about.against,
        "constant": about.constant or ORIGIN,
        "digest": about.digest,
        "passes": found.passes,
        "bracket": found.bracket,
        "mistakes": found.mistakes.tolist(),
        "contradictions": len(found.contradictions),
        "enumerated": found.enumerated,
        "why": found.why,
        "implies": str(found),
    }
