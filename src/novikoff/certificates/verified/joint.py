"""What follows from vectors for all classes at once, or from rows and rivals that cancel."""

from __future__ import annotations

from typing import Any

from novikoff.certificates.claim import JointNotSeparableClaim, JointSeparableClaim
from novikoff.certificates.verified.separability import mistakes, promise
from novikoff.certificates.verified.words import DECIMALS, Verified, coordinate, recorded, rounded_up


def of_joint(claim: JointSeparableClaim | JointNotSeparableClaim) -> Verified:
    """The consequences of a claim that holds."""
    found: dict[str, Any] = {}
    if isinstance(claim, JointSeparableClaim):
        bound = rounded_up(mistakes(claim.radius, claim.margin[0]))
        found = {"margin": claim.margin, "radius": claim.radius, "mistake_bound": bound}
        words = _separable(claim)
    else:
        words = _not_separable(claim)
    return Verified(
        verdict=claim.kind,
        positive=None,
        against=(),
        constant=claim.head.constant or None,
        rows=tuple(sorted(set(claim.combination.rows))),
        implies=(
            f"{len(claim.labels)} labels at once, {coordinate(claim.head)}: {words} {DECIMALS}{recorded(claim.reading)}"
        ),
        reading=claim.reading,
        labels=claim.labels,
        **found,
    )


def _separable(claim: JointSeparableClaim) -> str:
    """The theorem on many classes has the bound of that on two, for the margin that is meant here."""
    lower, upper = claim.margin
    return (
        "there is a w for each label such that on every row <w_y - w_r,x> > 0 for its own label y and every other r, "
        f"with margin at least {lower} (of <w_y - w_r,x>/(sqrt(2) ||W||)); none has a margin above {upper}. "
        f"For all labels together, {promise(mistakes(claim.radius, lower), claim.head.constant)}"
    )


def _not_separable(claim: JointNotSeparableClaim) -> str:
    rows = len(claim.combination.rows)
    because = f"{rows} rows with rivals and positive weights sum to exactly zero in the block of each"
    return (
        "whatever w there is for each label, some row has <w_y - w_r,x> <= 0 for its own label y and another r, since "
        f"{'a row is zero' if rows == 1 else because}."
    )
