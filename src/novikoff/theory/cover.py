"""Cover's count: how many labellings of points a hyperplane through the origin can separate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from novikoff.theory.ellipsoid import solved
from novikoff.theory.exact import Number, Vector, inner, vector
from novikoff.theory.theorem import Hypothesis, Theorem

COVER_1965 = (
    "T. M. Cover, Geometrical and statistical properties of systems of linear inequalities with applications in "
    "pattern recognition, IEEE Transactions on Electronic Computers EC-14 (1965) 326-334"
)
Labels = tuple[int, ...]


@dataclass(frozen=True)
class Labellings:
    """Points, and every labelling of them decided: separable or not, with the proof.

    Parameters
    ----------
    points
        In R^d.
    separators
        For each labelling that has one, labels in {-1, +1}, a w with y<w,x> > 0 on all points.
    cancelling
        For each other, weights c >= 0, not all 0, with sum c y x = 0.
    """

    points: Sequence[Vector]
    separators: Mapping[Labels, Vector]
    cancelling: Mapping[Labels, Vector]

    @classmethod
    def of(
        cls,
        X: Sequence[Sequence[Number]],
        separators: Mapping[Labels, Sequence[Number]],
        cancelling: Mapping[Labels, Sequence[Number]],
    ) -> Labellings:
        """From numbers of any kind, each taken at its exact value."""
        proofs = ({labels: vector(proof) for labels, proof in some.items()} for some in (separators, cancelling))
        return cls([vector(row) for row in X], *proofs)

    @property
    def d(self) -> int:
        return len(self.points[0])


def cover_count(n: int, d: int) -> int:
    """2 (C(n-1,0) + C(n-1,1) + ... + C(n-1,d-1)).

    Let C(n,d) be the number for n points in general position in R^d. Take one point p more. A labelling of the first n
    that is separable can be continued with both labels of p exactly if some separator of it goes through p, that is, if
    it is separable after projection along p, where the n points are in general position in R^(d-1). So
    C(n+1,d) = C(n,d) + C(n,d-1), with C(1,d) = 2 and C(n,0) = 0; the sum has the same recursion, by Pascal's rule.

    For n <= d it is 2^n: every labelling. For n = 2d it is half of all. With a constant coordinate, d is one more.
    """
    if n < 1 or d < 1:
        raise ValueError(f"the count needs 1 point and 1 dimension at least; n = {n}, d = {d}")
    return 2 * sum(math.comb(n - 1, k) for k in range(d))


def _general(found: Labellings) -> bool:
    """Are any d of the points, or all if they are fewer, linearly independent? Their Gram determinant says so."""
    some = min(found.d, len(found.points))
    grams = ([[inner(u, v) for v in rows] for u in rows] for rows in combinations(found.points, some))
    return all(solved(gram, [[]] * some)[0] for gram in grams)


def _separates(found: Labellings, labels: Labels, w: Vector) -> bool:
    return all(y * inner(w, x) > 0 for x, y in zip(found.points, labels, strict=True))


def _cancels(found: Labellings, labels: Labels, weights: Vector) -> bool:
    signed = [c * y for c, y in zip(weights, labels, strict=True)]
    columns = zip(*found.points, strict=True)
    return min(weights) >= 0 and any(weights) and not any(inner(signed, column) for column in columns)


def _decided(found: Labellings) -> bool:
    every = set(product((-1, 1), repeat=len(found.points)))
    return (
        found.separators.keys() | found.cancelling.keys() == every
        and all(_separates(found, labels, w) for labels, w in found.separators.items())
        and all(_cancels(found, labels, c) for labels, c in found.cancelling.items())
    )


COVER = Theorem(
    "cover",
    "Cover: how many labellings are separable",
    "Of the 2^n labellings of n points in general position in R^d, hyperplanes through the origin separate exactly "
    "2 (C(n-1,0) + ... + C(n-1,d-1)).",
    (
        Hypothesis("any d points, or all if they are fewer, are linearly independent", _general),
        Hypothesis(
            "every labelling is decided: y<w,x> > 0 for every point, or c >= 0, not all 0, with sum c y x = 0",
            _decided,
        ),
    ),
    cover_count,
    lambda found: len(found.separators) == cover_count(len(found.points), found.d),
    COVER_1965,
    about=Labellings,
)
