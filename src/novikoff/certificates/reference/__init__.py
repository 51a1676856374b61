"""The reference check: the claims of docs/certificate.md, each under its own name, in exact arithmetic.

These are the files to read for whoever does not want to trust the rest. They need the standard library alone, and they
are slow: every product is a sum of Python's integers. `novikoff.certificates.check` is the fast one; what its floats
cannot tell apart it brings here, and it must agree with these files on every certificate.

    rows            a_i = s_i (x_i, c), with s_i = +1 for the positive label and -1 for the others;
                    a_i = s_i x_i through the origin

`separability` has the claims of a verdict, `separation` those of quasi-complete separation and overlap. `rows` makes
the rows of floats, `digest` names the data, and `labels` says which stands against which.
"""

from __future__ import annotations

from collections.abc import Sequence

from novikoff.certificates.claim import (
    Claim,
    Label,
    NotSeparableClaim,
    OverlapClaim,
    QuasiCompleteClaim,
    SeparableClaim,
    require,
)
from novikoff.certificates.reference import separability, separation
from novikoff.certificates.reference.digest import digest_of
from novikoff.certificates.reference.labels import other_labels, sign
from novikoff.certificates.reference.rows import Example, row
from novikoff.certificates.verified import Verified, of_separability, of_separation


def check(claim: Claim, examples: Sequence[Example], columns: int, labels: Sequence[Label]) -> Verified:
    """What the claim proves about these examples and their labels; `InvalidCertificate` if it does not."""
    head = claim.head
    ours = [len(examples), columns]
    require([head.n, head.d] == ours, f"this proof is about data of shape {[head.n, head.d]}; yours is {ours}")
    require(len(labels) == head.n, f"there are {len(labels)} labels for {head.n} rows")
    assert isinstance(claim, SeparableClaim | NotSeparableClaim | OverlapClaim | QuasiCompleteClaim)
    against = other_labels(claim.sides, labels)
    signs = [sign(label, claim.sides.positive) for label in labels]
    digests = [digest_of(version, examples, columns, signs) for version in (1, 2)]
    require(head.digest in digests, f"this proof is about data with digest {head.digest}; yours is {digests[-1]}")

    rows = [row(x, s, head) for x, s in zip(examples, signs, strict=True)]
    balance = separability.signs_balance(claim.combination, signs)
    if isinstance(claim, OverlapClaim):
        separation.check_overlap(claim, rows)
        return of_separation(claim, against, balance)
    if isinstance(claim, QuasiCompleteClaim):
        separation.check_quasi_complete(claim, rows)
        zero = separation.zero_rows(claim.weak, rows)
        needed = separation.needed_columns(claim, set(claim.all_rows.rows) - zero)
        return of_separation(claim, against, balance, head.n - len(zero), needed)
    if isinstance(claim, SeparableClaim):
        separability.check_separable(claim, rows)
    else:
        separability.check_not_separable(claim, rows)
    return of_separability(claim, against, balance)
