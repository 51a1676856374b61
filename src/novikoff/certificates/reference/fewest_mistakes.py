"""The fewest mistakes, between two ends: each claim under its own name, as one formula.

    fewest mistakes     <w, a_i> <= 0  for at most upper rows i                          `errs_at_most`
                        sum p a = 0  for each contradiction                              `vanishes`
                        sum of the numerators of the contradictions with row i
                          <= denominator                           for every i           `covers_no_row_twice`
                        sum of all numerators / denominator > lower - 1                  `bounds_from_below`
       enumerated:      every w has <w, a_i> <= 0 for at least lower rows i              `fewest_in_the_plane`

Why the contradictions bound from below: whatever w is, on some row of each of them <w, a_i> <= 0, since the mean of
these products is 0. With lambda = numerator / denominator, the sum of all lambda is so at most the sum, over the rows
that w has wrong, of the lambda of the contradictions with that row, which is at most 1. Mistakes are whole.

Why the enumeration sees all: the vectors that are right on the same rows, and are orthogonal to none, make up a cone.
Each such cone has a side, a piece of the plane {w: <w, a_i> = 0} of some row. A w in it has the products of the cone
with all rows but the multiples of a_i; and of these it can be moved to either side. In that plane, w turns around: the
other rows change their sides one after the other, in the order of their angles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from novikoff.certificates.claim import Contradiction, FewestMistakesClaim, require
from novikoff.certificates.reference.rows import Row, Rows, Vector, product
from novikoff.certificates.reference.separability import vanishes

Triple = tuple[int, int, int]


def check_fewest_mistakes(claim: FewestMistakesClaim, rows: Sequence[Row]) -> None:
    lower, upper = claim.mistakes
    require(errs_at_most(upper, claim.separator, rows), f"its separator makes more than {upper} mistakes")
    check_contradictions(claim, rows)
    if claim.enumerated:
        require(fewest_in_the_plane(lower, rows), f"some hyperplane makes fewer than {lower} mistakes")


def check_contradictions(claim: FewestMistakesClaim, rows: Rows) -> None:
    """What is said of them; `rows` has those that they name."""
    for k, each in enumerate(claim.contradictions):
        require(vanishes(each.combination, rows), f"the weighted rows of its contradiction {k} do not sum to zero")
    found = covers_no_row_twice(claim.contradictions, claim.denominator)
    require(found, "its contradictions use a row more than once: their numerators exceed the denominator")
    if not claim.enumerated:
        lower = claim.mistakes[0]
        found = bounds_from_below(lower, claim.contradictions, claim.denominator)
        require(found, f"its contradictions do not prove its lower number of mistakes, {lower}")


def errs_at_most(upper: int, w: Vector, rows: Sequence[Row]) -> bool:
    return sum(product(w, a) <= 0 for a in rows) <= upper


def covers_no_row_twice(contradictions: Sequence[Contradiction], denominator: int) -> bool:
    used: Counter[int] = Counter()
    for combination, numerator in contradictions:
        for i in combination.rows:
            used[i] += numerator
    return max(used.values(), default=0) <= denominator


def bounds_from_below(lower: int, contradictions: Sequence[Contradiction], denominator: int) -> bool:
    """The sum of all lambda, rounded up, is at least lower."""
    return sum(each.numerator for each in contradictions) > (lower - 1) * denominator


def fewest_in_the_plane(lower: int, rows: Sequence[Row]) -> bool:
    """Of at most three coordinates; a row of zeros is a mistake of every w."""
    triples = [triple(a) for a in rows if a.entries]
    most = max((most_right_beside(a, triples) for a in triples), default=0)
    return len(rows) - most >= lower


def triple(a: Row) -> Triple:
    """A positive multiple of the row, with zeros for coordinates that it does not have."""
    entries = dict(a.entries)
    return entries.get(0, 0), entries.get(1, 0), entries.get(2, 0)


def most_right_beside(a: Triple, triples: Sequence[Triple]) -> int:
    """On how many rows a w can be right that is nearly orthogonal to a.

    In the coordinates <e, .> and <f, .> of the plane a row is b, of angle phi, or -b; w turns by the angle tau, and is
    right on a row with b where phi > tau, on one with -b where phi < tau; and -w the other way around.
    """
    e, f = across(a)
    parallel, steps = [], Counter[Fraction | None]()
    for v in triples:
        x, y = dot(e, v), dot(f, v)
        if x == y == 0:
            parallel.append(dot(a, v) > 0)
        elif y == 0:
            steps[None] += 1 if x > 0 else -1
        else:
            steps[Fraction(-x, y)] += 1 if y > 0 else -1
    others = half_turn(steps, len(triples) - len(parallel))
    return others + max(sum(parallel), len(parallel) - sum(parallel))


def half_turn(steps: Counter[Fraction | None], others: int) -> int:
    """The most of the other rows that w, or -w, is right on, between two angles at which rows change their side."""
    change = [steps[None], *(steps[angle] for angle in sorted(x for x in steps if x is not None))]
    now = (others + sum(change)) // 2  # before the first of them, those with b
    most = max(now, others - now)
    for step in change:
        now -= step
        most = max(most, now, others - now)
    return most


def across(a: Triple) -> tuple[Triple, Triple]:
    """Two independent vectors that are orthogonal to a."""
    p, q, r = a
    if r:
        return (r, 0, -p), (0, r, -q)
    return ((q, -p, 0), (0, 0, 1)) if q else ((0, 1, 0), (0, 0, 1))


def dot(u: Triple, v: Triple) -> int:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
