"""The fast check: floats call the rows on which rounding cannot matter, `reference` decides the others.

It reads the rows a block at a time, once, for the digest, the products with the vector of the claim and the norms. A
float sum of k products errs by at most k u / (1 - k u) ||w|| ||x|| + k 2^-1075, with u = 2^-53 (Higham 2002, section
3.1): a row that is further from its limit than that is clear.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.certificates.check import fewest_mistakes, joint, one_vs_one, separability, separation, soft_margin
from novikoff.certificates.check.classes import check_digest
from novikoff.certificates.check.data import Data, ExactRows
from novikoff.certificates.claim import (
    FewestMistakesClaim,
    Head,
    JointSeparableClaim,
    Label,
    ManyClassClaim,
    OneVsOneClaim,
    OverlapClaim,
    QuasiCompleteClaim,
    SeparableClaim,
    SoftMarginClaim,
    TwoClassClaim,
    require,
)
from novikoff.certificates.reference.separability import signs_balance
from novikoff.certificates.reference.separation import needed_columns
from novikoff.certificates.verified import Verified, of_fewest_mistakes, of_joint, of_separability, of_separation


def check(claim: TwoClassClaim, data: Data, signs: Any, against: tuple[Label, ...], weights: Any = None) -> Verified:
    """What the claim proves of the data: signs are +1 for its positive label and -1 for the others, `against`."""
    head = claim.head
    _check_shape(head, data)
    rows = ExactRows(data, signs, head)
    if isinstance(claim, SoftMarginClaim):
        return soft_margin.check_soft_margin(claim, data, signs, rows, weights, against)
    if isinstance(claim, FewestMistakesClaim):
        fewest_mistakes.check_fewest_mistakes(claim, data, signs, rows)
        return of_fewest_mistakes(claim, against)
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


def check_classes(claim: ManyClassClaim, data: Data, place: Any) -> Verified:
    """The same of a claim about many classes: the places of the labels of the rows, as the claim has them."""
    head = claim.head
    _check_shape(head, data)
    check_digest(head, data, place)
    rows = ExactRows(data, np.ones(head.n, dtype=np.int8), head)  # without signs
    if isinstance(claim, OneVsOneClaim):
        return one_vs_one.check_pairs(claim, data, place, rows)
    if isinstance(claim, JointSeparableClaim):
        joint.check_separable(claim, data, place, rows)
    else:
        joint.check_not_separable(claim, place, rows)
    return of_joint(claim)


def _check_shape(head: Head, data: Data) -> None:
    ours = [*data.shape]
    require([head.n, head.d] == ours, f"this proof is about data of shape {[head.n, head.d]}; yours is {ours}")
