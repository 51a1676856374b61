"""The fast check: floats call the rows on which rounding cannot matter, `reference` decides the others.

It reads the rows a block at a time, once, for the digest, the products with the vector of the claim and the norms. A
float sum of k products errs by at most k u / (1 - k u) ||w|| ||x|| + k 2^-1075, with u = 2^-53 (Higham 2002, section
3.1): a row that is further from its limit than that is clear.
"""

from __future__ import annotations

from typing import Any

from novikoff.certificates.check import separability, soft_margin
from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.claim import Claim, Label, NotSeparableClaim, SeparableClaim, SoftMarginClaim, require
from novikoff.certificates.reference.separability import signs_balance
from novikoff.certificates.verified import Verified, of_separability


def check(claim: Claim, data: Data, signs: Any, against: tuple[Label, ...], weights: Any = None) -> Verified:
    """What the claim proves of the data: signs are +1 for its positive label and -1 for the others, `against`."""
    head = claim.head
    ours = [*data.shape]
    require([head.n, head.d] == ours, f"this proof is about data of shape {[head.n, head.d]}; yours is {ours}")
    rows = ExactRows(data, signs, head)
    if isinstance(claim, SoftMarginClaim):
        return soft_margin.check_soft_margin(claim, data, signs, rows, weights, against)
    assert isinstance(claim, SeparableClaim | NotSeparableClaim)
    if isinstance(claim, SeparableClaim):
        separability.check_separable(claim, data, signs, rows)
    else:
        separability.check_not_separable(claim, data, signs, rows)
    return of_separability(claim, against, signs_balance(claim.combination, signs.tolist()))
