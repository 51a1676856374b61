"""The fast check: floats call the rows on which rounding cannot matter, `reference` decides the others.

It reads the rows a block at a time, once, for the digest, the products with the vector of the claim and the norms. A
float sum of k products errs by at most k u / (1 - k u) ||w|| ||x|| + k 2^-1075, with u = 2^-53 (Higham 2002, section
3.1): a row that is further from its limit than that is clear.
"""

from __future__ import annotations

from typing import Any

from novikoff.certificates.check import separability, separation
from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.claim import (
    Claim,
    Label,
    NotSeparableClaim,
    OverlapClaim,
    QuasiCompleteClaim,
    SeparableClaim,
    require,
)
from novikoff.certificates.reference.separability import signs_balance
from novikoff.certificates.reference.separation import needed_columns
from novikoff.certificates.verified import Verified, of_separability, of_separation


def check(claim: Claim, data: Data, signs: Any, against: tuple[Label, ...]) -> Verified:
    """What the claim proves of the data: signs are +1 for its positive label and -1 for the others, `against`."""
    head = claim.head
    ours = [*data.shape]
    require([head.n, head.d] == ours, f"this proof is about data of shape {[head.n, head.d]}; yours is {ours}")
    rows = ExactRows(data, signs, head)
    assert isinstance(claim, SeparableClaim | NotSeparableClaim | OverlapClaim | QuasiCompleteClaim)
    balance = signs_balance(claim.combination, signs.tolist())
    if isinstance(claim, OverlapClaim):
        separation.check_overlap(claim, data, signs, rows)
        return of_separation(claim, against, balance)
    if isinstance(claim, QuasiCompleteClaim):
        zero = separation.check_quasi_complete(claim, data, signs, rows)
        needed = needed_columns(claim, [i for i in claim.all_rows.rows if not zero[i]])
        return of_separation(claim, against, balance, int((~zero).sum()), needed)
    if isinstance(claim, SeparableClaim):
        separability.check_separable(claim, data, signs, rows)
    else:
        separability.check_not_separable(claim, data, signs, rows)
    return of_separability(claim, against, balance)
