"""The fast check: floats call the rows on which rounding cannot matter, `reference` decides the others.

It reads the rows a block at a time, once, for the digest, the products with the vector of the claim and the norms. A
float sum of k products errs by at most k u / (1 - k u) ||w|| ||x|| + k 2^-1075, with u = 2^-53 (Higham 2002, section
3.1): a row that is further from its limit than that is clear.
"""

from __future__ import annotations

from typing import Any

from novikoff.certificates.check import fewest_mistakes, separability
from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.claim import Claim, FewestMistakesClaim, Label, NotSeparableClaim, SeparableClaim, require
from novikoff.certificates.reference.separability import signs_balance
from novikoff.certificates.verified import Verified, of_fewest_mistakes, of_separability


def check(claim: Claim, data: Data, signs: Any, against: tuple[Label, ...]) -> Verified:
    """What the claim proves of the data: signs are +1 for its positive label and -1 for the others, `against`."""
    head = claim.head
    ours = [*data.shape]
    require([head.n, head.d] == ours, f"this proof is about data of shape {[head.n, head.d]}; yours is {ours}")
    rows = ExactRows(data, signs, head)
    assert isinstance(claim, SeparableClaim | NotSeparableClaim | FewestMistakesClaim)
    if isinstance(claim, FewestMistakesClaim):
        fewest_mistakes.check_fewest_mistakes(claim, data, signs, rows)
        return of_fewest_mistakes(claim, against)
    if isinstance(claim, SeparableClaim):
        separability.check_separable(claim, data, signs, rows)
    else:
        separability.check_not_separable(claim, data, signs, rows)
    return of_separability(claim, against, signs_balance(claim.combination, signs.tolist()))
