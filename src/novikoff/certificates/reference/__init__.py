"""The reference check: the claims of docs/certificate.md, each under its own name, in exact arithmetic.

These are the files to read for whoever does not want to trust the rest. They need the standard library alone, and they
are slow: every product is a sum of Python's integers. `novikoff.certificates.check` is the fast one; what its floats
cannot tell apart it brings here, and it must agree with these files on every certificate.

    rows            a_i = s_i (x_i, c), with s_i = +1 for the positive label and -1 for the others;
                    a_i = s_i x_i through the origin

`separability` has the claims of a verdict, `separation` those of quasi-complete separation and overlap, `soft_margin`
those of an optimum, and `fewest_mistakes` those about the fewest mistakes; of many classes `one_vs_one` has those of a
verdict for each pair, and `joint` those about all of them at once. `rows` makes the rows of floats, `digest` names the
data, and `labels` says which stands against which.
"""

from __future__ import annotations

from collections.abc import Sequence

from novikoff.certificates.claim import (
    Claim,
    FewestMistakesClaim,
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
from novikoff.certificates.reference import fewest_mistakes, joint, one_vs_one, separability, separation, soft_margin
from novikoff.certificates.reference.digest import digest_of
from novikoff.certificates.reference.labels import other_labels, places, sign
from novikoff.certificates.reference.rows import Example, row
from novikoff.certificates.verified import Verified, of_fewest_mistakes, of_joint, of_separability, of_separation


def check(
    claim: Claim,
    examples: Sequence[Example],
    columns: int,
    labels: Sequence[Label],
    weights: Sequence[float] | None = None,
) -> Verified:
    """What the claim proves about these examples, labels and weights; `InvalidCertificate` if it does not."""
    head = claim.head
    ours = [len(examples), columns]
    require([head.n, head.d] == ours, f"this proof is about data of shape {[head.n, head.d]}; yours is {ours}")
    require(len(labels) == head.n, f"there are {len(labels)} labels for {head.n} rows")
    if isinstance(claim, ManyClassClaim):
        return _check_classes(claim, examples, labels)
    assert isinstance(claim, TwoClassClaim)
    against = other_labels(claim.sides, labels)
    signs = [sign(label, claim.sides.positive) for label in labels]
    digests = [digest_of(version, examples, columns, signs) for version in (1, 2)]
    require(head.digest in digests, f"this proof is about data with digest {head.digest}; yours is {digests[-1]}")

    rows = [row(x, s, head) for x, s in zip(examples, signs, strict=True)]
    if isinstance(claim, SoftMarginClaim):
        return soft_margin.check_soft_margin(claim, rows, signs, weights, against)
    if isinstance(claim, FewestMistakesClaim):
        fewest_mistakes.check_fewest_mistakes(claim, rows)
        return of_fewest_mistakes(claim, against)
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


def _check_classes(claim: ManyClassClaim, examples: Sequence[Example], labels: Sequence[Label]) -> Verified:
    """The same of a claim about many classes, whose rows x_i have no sign: (x_i, c), or x_i through the origin."""
    head = claim.head
    place = places(claim.labels, labels)
    digest = digest_of(2, examples, head.d, place, "<I")
    require(head.digest == digest, f"this proof is about data with digest {head.digest}; yours is {digest}")

    if isinstance(claim, OneVsOneClaim):
        return one_vs_one.check_pairs(claim, examples, place)
    rows = [row(x, 1, head) for x in examples]
    if isinstance(claim, JointSeparableClaim):
        joint.check_separable(claim, rows, place)
    else:
        joint.check_not_separable(claim, rows, place)
    return of_joint(claim)
