"""Halfspaces by shrinking ellipsoids: mistakes grow with ln(1/gamma) instead of 1/gamma^2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from novikoff.theory.exact import Interval, Number, Vector, at_least, inner, logarithm, root, settled, sqnorm, vector
from novikoff.theory.perceptron import SEPARATED, UNIT_BALL
from novikoff.theory.theorem import Hypothesis, Run, Theorem

Matrix = Sequence[Vector]


def ball_radius(gamma: Number) -> Fraction:
    """gamma/(1+gamma): the radius of a ball inside the unit ball, all of whose points separate the examples weakly.

    For ||w*|| = 1, y<w*,x> >= gamma and ||x|| <= 1 it is centred at w*/(1+gamma): its points have y<w,x> >=
    gamma/(1+gamma) - ||x|| gamma/(1+gamma) >= 0, and ||w|| <= 1. A float gamma is trusted to 2^-51 of its value.
    """
    margin = at_least(gamma) if isinstance(gamma, int | Fraction) or math.isfinite(gamma) else Fraction(0)
    if not 0 < margin <= 1:
        raise ValueError(f"gamma is {gamma}: a margin of examples in the unit ball is above 0 and at most 1")
    return margin / (1 + margin)


def ellipsoid_bound(d: int, gamma: Number) -> int:
    """floor(2 d (d+1) ln((1+gamma)/gamma)), for rows of d >= 2 coordinates.

    The ellipsoid is the unit ball at first. It always holds the ball of `ball_radius`, so its volume stays at least
    (gamma/(1+gamma))^d of what it was, and every mistake takes a factor exp(-1/(2(d+1))) or less:
    M/(2(d+1)) <= d ln((1+gamma)/gamma).
    """
    if d < 2:
        raise ValueError(f"the bound needs 2 coordinates at least; d = {d}")
    ratio = 1 / ball_radius(gamma)  # above 1 and rational, so its logarithm is irrational

    def bound(digits: int) -> Interval:
        low, high = logarithm(ratio, digits)
        return 2 * d * (d + 1) * low, 2 * d * (d + 1) * high

    return settled(math.floor, bound)


@dataclass(frozen=True)
class Shrinking(Run):
    """A run with the ellipsoids {c + B u : ||u|| <= 1} before the first update and after each."""

    centres: Sequence[Vector] = field(default=())
    factors: Sequence[Matrix] = field(default=())

    @classmethod
    def along(
        cls,
        X: Sequence[Sequence[Number]],
        y: Sequence[int],
        witness: Sequence[Number],
        updates: Sequence[int],
        ellipsoids: Sequence[tuple[Sequence[Number], Sequence[Sequence[Number]]]],
        mistakes: int | None = None,
    ) -> Shrinking:
        """From numbers of any kind, each taken at its exact value; an ellipsoid is (c, B)."""
        run = Run.of(X, y, witness, updates, mistakes=mistakes, zero=1)
        return cls(
            **vars(run),
            centres=[vector(c) for c, _ in ellipsoids],
            factors=[[vector(row) for row in B] for _, B in ellipsoids],
        )

    @property
    def dimension(self) -> int:
        return len(self.witness)


# Ellipsoids in rationals ---------------------------------------------------------------------------


def solved(A: Matrix, right: Matrix) -> tuple[Fraction, list[list[Fraction]]]:
    """det A and, unless it is 0, A^-1 right."""
    n, determinant = len(A), Fraction(1)
    rows = [[*a, *b] for a, b in zip(A, right, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return Fraction(0), []
        if pivot != k:
            rows[k], rows[pivot], determinant = rows[pivot], rows[k], -determinant
        determinant *= rows[k][k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return determinant, [row[n:] for row in rows]


def volume(B: Matrix) -> Fraction:
    """Of {B u : ||u|| <= 1}, in unit balls."""
    return abs(solved(B, [[]] * len(B))[0])


def nonnegative(form: Matrix) -> bool:
    """v'Av >= 0 for all v, for a symmetric A: one square is taken off after the other."""
    rows = [list(row) for row in form]
    while rows:
        (pivot, *rest), *below = rows
        if pivot < 0 or (pivot == 0 and any(rest)):
            return False
        rows = [[b - row[0] * a / pivot if pivot else b for a, b in zip(rest, row[1:], strict=True)] for row in below]
    return True


def holds_the_rest(before: tuple[Vector, Matrix], after: tuple[Vector, Matrix], a: Vector) -> bool:
    """Proves that an ellipsoid holds all points of the one before with <a,w> >= 0; False if it finds no proof.

    Let w = c + B u, g = B'a and h = <a,c>. If <a,w> >= 0 and ||u|| <= 1, then g.u + h >= 0 and g.u <= s for every
    s >= ||g||, so that for all l, m >= 0
        l (||u||^2 - 1) + m (g.u + h) (g.u - s) <= 0.
    The new ellipsoid is ||v|| <= 1 with v = B1^-1 (c + B u - c1). If the left side exceeds ||v||^2 - 1 for all u,
    a quadratic form in (u, 1), then ||v|| <= 1 where the left side is at most 0.
    """
    (c, B), (c1, B1) = before, after
    d, size = len(c), volume(B1)
    g, h = [inner(column, a) for column in zip(*B, strict=True)], inner(a, c)
    s = root(sqnorm(g))[1]
    if d < 2 or not size or not s or h <= -s:
        return False
    columns = list(zip(*solved(B1, [[*row, x - y] for row, x, y in zip(B, c, c1, strict=True)])[1], strict=True))
    # With the l and m of the deep cut both sides are equal for its own ellipsoid; one that is wider by a factor f has
    # room, shared between the squares of u and the constant. l = 1 and m = 0 are for one that holds all of the old.
    depth = max(-h / s, Fraction(0))
    delta = d * d * (1 - depth**2) / (d * d - 1)
    ratio = (d - 1) * (1 - depth) / ((d + 1) * (1 + depth))
    wider = Fraction(max(float((size / volume(B)) ** 2 / (delta**d * ratio)) ** (1 / d), 1.0))  # f^2
    first = float(1 / (delta * wider) + (1 - 1 / wider) / 2), float((1 / ratio - 1) / (delta * wider * s**2))

    def exceeds(l: Fraction, m: Fraction) -> bool:  # noqa: E741
        form = [[m * g[i] * g[j] - inner(columns[i], columns[j]) for j in range(d)] for i in range(d)]
        for i in range(d):
            form[i][i] += l
            form[i].append(m * (h - s) / 2 * g[i] - inner(columns[i], columns[d]))
        form.append([*(row[d] for row in form), 1 - l - m * h * s - sqnorm(columns[d])])
        return nonnegative(form)

    return exceeds(*map(Fraction, first)) or exceeds(Fraction(1), Fraction(0))


# The theorem ---------------------------------------------------------------------------------------


def _from_the_ball(run: Shrinking) -> bool:
    unit = [[Fraction(int(i == j)) for j in range(run.dimension)] for i in range(run.dimension)]
    return not any(run.centres[0]) and [list(row) for row in run.factors[0]] == unit


def _one_for_each(run: Shrinking) -> bool:
    return len(run.updates) == run.mistakes == len(run.centres) - 1 == len(run.factors) - 1


def _holding(run: Shrinking) -> bool:
    pairs = list(zip(run.centres, run.factors, strict=True))
    return all(
        holds_the_rest(before, after, [run.signs[i] * x for x in run.rows[i]])
        for before, after, i in zip(pairs, pairs[1:], run.updates, strict=False)
    )


def _shrinking(run: Shrinking) -> bool:
    volumes = [volume(B) for B in run.factors]
    return all(
        0 < after < before and 2 * (run.dimension + 1) * logarithm(after / before, 40)[1] <= -1
        for before, after in pairwise(volumes)
    )


ELLIPSOID = Theorem(
    "ellipsoid",
    "Ellipsoids around the separators",
    "If every mistake replaces the ellipsoid by one that holds what the example leaves of it and has at most "
    "exp(-1/(2(d+1))) of its volume, there are at most 2 d (d+1) ln((1+gamma)/gamma) mistakes.",
    (
        Hypothesis("the rows have 2 coordinates at least", lambda run: run.dimension >= 2),
        SEPARATED,
        UNIT_BALL,
        Hypothesis("the first ellipsoid is the unit ball", _from_the_ball),
        Hypothesis("every mistake gives a new ellipsoid", _one_for_each),
        Hypothesis("the new ellipsoid holds all points of the old one with y<w,x> >= 0", _holding),
        Hypothesis("the new ellipsoid has at most exp(-1/(2(d+1))) of the volume of the old one", _shrinking),
    ),
    ellipsoid_bound,
    lambda run: (
        run.margin_sq > 0
        and run.dimension >= 2
        and run.mistakes <= ellipsoid_bound(run.dimension, min(root(run.margin_sq)[0], Fraction(1)))
    ),
    "M. Grötschel, L. Lovász and A. Schrijver, Geometric Algorithms and Combinatorial Optimization (1988), chapter 3, "
    "with Novikoff's margin",
    about=Shrinking,
)
