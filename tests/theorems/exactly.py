"""Rational data on which the theorems' hypotheses hold, and runs of the learners on them in any order."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from novikoff.theory import Run
from novikoff.theory.exact import inner, sqnorm

HALVES = st.fractions(-2, 2, max_denominator=2)


@st.composite
def unit_vectors(draw, d):
    """A rational point of the sphere: the line through the north pole and a point t of the plane meets it there."""
    t = [draw(HALVES) for _ in range(d - 1)]
    square = sqnorm(t)
    return [*(2 * x / (square + 1) for x in t), (square - 1) / (square + 1)]


@st.composite
def rows_of(draw, kind, d):
    """On the sphere, in the ball, or of any length."""
    x = draw(unit_vectors(d))
    if kind == "ball":
        length = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2, 3)]))
    elif kind == "any":
        length = draw(st.sampled_from([Fraction(1), Fraction(3), Fraction(1, 4)]))
    else:
        length = Fraction(1)
    return [length * v for v in x]


@st.composite
def separated(draw, kind, *, share=Fraction(1, 3), constant=None):
    """Rows, labels and a witness whose margin is at least a share of every row; at times a label is wrong."""
    d = draw(st.integers(2, 3))
    rows = draw(st.lists(rows_of(kind, d), min_size=2, max_size=6))
    if constant is not None:
        rows = [[*row, constant] for row in rows]
    witness = [Fraction(draw(st.integers(-3, 3))) for _ in rows[0]]
    if not any(witness):
        witness[0] = Fraction(1)
    least_sq = share**2 * sqnorm(witness)
    kept = [row for row in rows if inner(witness, row) ** 2 >= least_sq * sqnorm(row)]
    rows = kept or [witness if constant is None else [*witness[:-1], constant]]
    signs = [1 if inner(witness, row) > 0 else -1 for row in rows]
    if draw(st.integers(0, 9)) == 0:
        signs[-1] = -signs[-1]
    return rows, signs, witness


def learn(
    rows: Sequence[Sequence[Fraction]],
    signs: Sequence[int],
    witness: Sequence[Fraction],
    picks: Sequence[int],
    *,
    zero: int = 0,
    threshold: Fraction | None = None,
    start: Sequence[Fraction] = (),
    most: int = 100,
) -> Run:
    """Updates on violated examples, chosen by the picks in turn, until none is left or there are too many."""
    w = list(start) or [Fraction(0)] * len(rows[0])
    updates: list[int] = []
    mistakes = 0

    def wrong(product: Fraction, y: int) -> bool:
        return product < 0 or (product == 0 and zero != y)

    while len(updates) < most:
        products = [y * inner(w, row) for row, y in zip(rows, signs, strict=True)]
        violated = [
            i
            for i, (product, y) in enumerate(zip(products, signs, strict=True))
            if (wrong(product, y) if threshold is None else product <= threshold)
        ]
        if not violated:
            break
        i = violated[picks[len(updates) % len(picks)] % len(violated)]
        mistakes += wrong(products[i], signs[i])
        w = [a + signs[i] * b for a, b in zip(w, rows[i], strict=True)]
        updates.append(i)
    return Run.of(rows, signs, witness, updates, mistakes=mistakes, zero=zero, threshold=threshold or 0, start=start)


picks = st.lists(st.integers(0, 5), min_size=1, max_size=7)
