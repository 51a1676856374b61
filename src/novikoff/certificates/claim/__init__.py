"""What a certificate says: the file of docs/certificate.md, read with every rule of its format.

There is no mathematics here, and there are no data: whether the claims are true is for the check to say
(`novikoff.certificates.reference`). The standard library is all that it needs. Each kind of certificate has its file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from novikoff.certificates.claim import (
    fewest_mistakes,
    format_1,
    joint,
    one_vs_one,
    separability,
    separation,
    soft_margin,
)
from novikoff.certificates.claim.fewest_mistakes import Contradiction as Contradiction
from novikoff.certificates.claim.fewest_mistakes import FewestMistakesClaim as FewestMistakesClaim
from novikoff.certificates.claim.fields import LARGEST_FILE
from novikoff.certificates.claim.fields import LARGEST_FLOAT as LARGEST_FLOAT
from novikoff.certificates.claim.fields import ORIGIN as ORIGIN
from novikoff.certificates.claim.fields import Combination as Combination
from novikoff.certificates.claim.fields import InvalidCertificate as InvalidCertificate
from novikoff.certificates.claim.fields import Label as Label
from novikoff.certificates.claim.fields import Sides as Sides
from novikoff.certificates.claim.fields import is_label as is_label
from novikoff.certificates.claim.fields import require as require
from novikoff.certificates.claim.head import Claim as Claim
from novikoff.certificates.claim.head import Head as Head
from novikoff.certificates.claim.joint import JointNotSeparableClaim as JointNotSeparableClaim
from novikoff.certificates.claim.joint import JointSeparableClaim as JointSeparableClaim
from novikoff.certificates.claim.one_vs_one import OneVsOneClaim as OneVsOneClaim
from novikoff.certificates.claim.reading import DOUBTS as DOUBTS
from novikoff.certificates.claim.reading import KINDS as KINDS
from novikoff.certificates.claim.reading import HowRead as HowRead
from novikoff.certificates.claim.reading import how_read as how_read
from novikoff.certificates.claim.separability import NotSeparableClaim as NotSeparableClaim
from novikoff.certificates.claim.separability import SeparableClaim as SeparableClaim
from novikoff.certificates.claim.separation import Divergence as Divergence
from novikoff.certificates.claim.separation import OverlapClaim as OverlapClaim
from novikoff.certificates.claim.separation import QuasiCompleteClaim as QuasiCompleteClaim
from novikoff.certificates.claim.separation import Span as Span
from novikoff.certificates.claim.separation import Sparse as Sparse
from novikoff.certificates.claim.soft_margin import SoftMarginClaim as SoftMarginClaim

FORMAT = "novikoff certificate 2"

TwoClassClaim = (  # which have `sides`
    SeparableClaim | NotSeparableClaim | OverlapClaim | QuasiCompleteClaim | SoftMarginClaim | FewestMistakesClaim
)
ManyClassClaim = OneVsOneClaim | JointSeparableClaim | JointNotSeparableClaim  # which have `labels`

READERS: dict[str, Callable[[dict[str, Any]], Claim]] = {
    SeparableClaim.kind: separability.separable,
    NotSeparableClaim.kind: separability.not_separable,
    OneVsOneClaim.kind: one_vs_one.one_vs_one,
    JointSeparableClaim.kind: joint.separable,
    JointNotSeparableClaim.kind: joint.not_separable,
    FewestMistakesClaim.kind: fewest_mistakes.fewest_mistakes,
    SoftMarginClaim.kind: soft_margin.soft_margin,
    OverlapClaim.kind: separation.overlap,
    QuasiCompleteClaim.kind: separation.quasi_complete,
}


def read_claim(certificate: Any) -> Claim:
    """The claim of a path, a parsed dict, or an object with ``to_json``; one that has been read stays what it is."""
    if isinstance(certificate, Claim):
        return certificate
    try:
        record = json.loads(_text(certificate), object_pairs_hook=_each_once)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidCertificate(f"this is not a certificate: {error}") from error
    known = type(record) is dict and record.get("format") in (FORMAT, format_1.FORMAT)
    require(known, f"its format is not {FORMAT!r} or {format_1.FORMAT!r}")
    if record["format"] == format_1.FORMAT:
        return format_1.claim(record)
    kind = record.get("kind")
    require(type(kind) is str and kind in READERS, f"its kind is not one of {', '.join(map(repr, READERS))}")
    return READERS[kind](record)


def _text(certificate: Any) -> str:
    if hasattr(certificate, "to_json"):  # a table of pairs, which is a mapping, is one certificate
        return str(certificate.to_json())
    if isinstance(certificate, dict):
        return json.dumps(certificate)
    if isinstance(certificate, Mapping):
        raise TypeError("these are several, one for each label: give one of them")
    with open(certificate, "rb") as file:
        small = os.fstat(file.fileno()).st_size <= LARGEST_FILE
        content = file.read(LARGEST_FILE + 1) if small else b""  # a pipe or a device does not say how much it has
    require(small and len(content) <= LARGEST_FILE, f"the file is too large: {LARGEST_FILE:,} bytes are allowed")
    return content.decode("utf-8")


def _each_once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(items)
    require(len(fields) == len(items), "a field is there twice")
    return fields
