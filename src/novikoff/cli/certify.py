"""`novikoff certify` and `novikoff verify`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from novikoff.certificates import NotSeparable, Proof, Separable, Undecided, certify
from novikoff.certificates.certificate import ORIGIN
from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.verify import verify
from novikoff.cli.options import ERROR, GOOD, NOT_SEPARABLE, UNDECIDED, as_json, counted, report_skipped, tell
from novikoff.data import Dataset, read
from novikoff.data.sources import check_target


def certify_file(
    data: str,
    output: Path | None,
    gap: float,
    intercept: bool,
    max_seconds: float | None,
    reading: dict[str, Any],
    *,
    json: bool,
    quiet: bool,
) -> int:
    if output is not None:
        check_target(output, data)
    examples = read(data, **reading)
    report_skipped(examples.bad)
    if examples.filled:
        tell(_filled(examples))
    verbose = 0 if quiet else 1
    found = certify(examples, gap=gap, fit_intercept=intercept, max_seconds=max_seconds, verbose=verbose)
    proofs = found if isinstance(found, dict) else {"": found}
    for label, proof in proofs.items():
        if output and not isinstance(proof, Undecided):
            named = output.with_stem(f"{output.stem}-{quote(str(label), safe='')}")
            proof.save(named if isinstance(found, dict) else output)
    if json:
        records = {str(label): _record(proof) for label, proof in proofs.items()}
        print(as_json(records if isinstance(found, dict) else records[""]))
    else:
        for proof in proofs.values():
            print(f"{proof}\n" if isinstance(found, dict) else proof)
    if any(isinstance(proof, Undecided) for proof in proofs.values()):
        return UNDECIDED
    return NOT_SEPARABLE if any(isinstance(proof, NotSeparable) for proof in proofs.values()) else GOOD


def verify_file(proof: Path, data: str, reading: dict[str, Any], *, reference: bool, json: bool) -> int:
    examples = read(data, **reading)
    report_skipped(examples.bad)
    try:
        verified = verify(proof, examples, reference=reference)
    except InvalidCertificate as error:
        tell(f"{proof} is refused: {error}")
        return ERROR
    if json:
        more = {"constant": verified.constant or ORIGIN, "skipped": len(examples.bad), "filled": examples.filled}
        print(as_json(asdict(verified) | more))
    else:
        print(f"Valid{_of_the_rows_read(examples)}. {verified}")
    return GOOD


def _of_the_rows_read(examples: Dataset) -> str:
    """What the reader did to the file that the certificate knows nothing of."""
    skipped = len(examples.bad)
    done = []
    if skipped:
        done.append(f"{counted(skipped, 'line')} {'was' if skipped == 1 else 'were'} skipped")
    if examples.filled:
        done.append(_filled(examples))
    return f", for the rows that were read ({'; '.join(done)})" if done else ""


def _filled(examples: Dataset) -> str:
    were = "was" if examples.filled == 1 else "were"
    marked = ", with a 1 in a column of its own" if examples.reading.missing == "column" else ""
    return f"{counted(examples.filled, 'missing value')} {were} filled in with 0{marked}"


def _record(proof: Proof) -> dict[str, Any]:
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
    elif isinstance(proof, Undecided):
        record |= {"margin": proof.margin, "why": proof.why}
    return record
