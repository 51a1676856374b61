"""`novikoff verify`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from novikoff.cli.answers import ERROR, GOOD, report_skipped, tell, to_json
from novikoff.cli.options import AsJson, ReadingOptions, Source, reads_data
from novikoff.cli.reading import check_done, taken_over
from novikoff.words import filled_in, skipped

if TYPE_CHECKING:
    from novikoff.data import Dataset


@reads_data
def verify(
    proof: Annotated[Path, typer.Argument(help="A certificate that `certify` wrote.", show_default=False)],
    data: Source,
    reference: Annotated[
        bool, typer.Option("--reference", help="By the slow checker that is made to be read: pure Python, rationals.")
    ] = False,
    as_recorded: Annotated[
        bool,
        typer.Option(
            "--as-recorded", help="Leave out and fill in what the proof records; otherwise it may only name columns."
        ),
    ] = False,
    *,
    reading: ReadingOptions,
    as_json: AsJson = False,
) -> int:
    """Check a proof against the data, in exact arithmetic. Exit 0: valid; 1: invalid, or an error."""
    from novikoff.certificates.claim import ORIGIN, InvalidCertificate, read_claim
    from novikoff.certificates.verify import verify
    from novikoff.data import read

    options = reading.given()
    try:
        claim = read_claim(proof)
        examples = read(data, **taken_over(claim.reading, options, as_recorded=as_recorded))
        report_skipped(examples.bad)
        verified = verify(claim, examples, reference=reference)
        check_done(claim.reading, examples, options)
    except InvalidCertificate as error:
        tell(f"{proof} is refused: {error}")
        return ERROR
    if as_json:
        more = {"constant": verified.constant or ORIGIN, "skipped": len(examples.bad), "filled": examples.filled}
        known = {name: value for name, value in asdict(verified).items() if name != "alphas"}
        print(to_json(known | more))
    else:
        print(f"Valid{_of_the_rows_read(examples)}. {verified}")
    return GOOD


def _of_the_rows_read(examples: Dataset) -> str:
    """What the reader did to the file that the certificate knows nothing of."""
    done = []
    if examples.bad:
        done.append(skipped(len(examples.bad)))
    if examples.filled:
        done.append(filled_in(examples.filled, examples.reading.missing))
    return f", for the rows that were read ({'; '.join(done)})" if done else ""
