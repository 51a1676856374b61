"""Problems whose best margin is known exactly, because it is built in.

All entries are multiples of a power of two, so that the floats are the numbers meant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.theory.exact import sqnorm, sqrt_down, sqrt_up, vector


@dataclass(frozen=True)
class Problem:
    """Examples, the best separator through the origin, and its exact R^2 and gamma^2."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    witness: NDArray[np.float64]  # w*, of any length
    radius_sq: Fraction
    margin_sq: Fraction

    @property
    def radius(self) -> float:
        return sqrt_up(self.radius_sq)

    @property
    def margin(self) -> float:
        return sqrt_down(self.margin_sq)

    @property
    def bound(self) -> int:
        """floor(R^2/gamma^2)."""
        return math.floor(self.radius_sq / self.margin_sq)

    def stream(self) -> Iterator[tuple[NDArray[np.float64], int]]:
        """The examples one by one, for `novikoff.play`."""
        return ((x, int(label)) for x, label in zip(self.X, self.y, strict=True))


def orthonormal(n: int) -> Problem:
    """x_t = e_t with alternating labels: R^2/gamma^2 = n, and the Perceptron makes exactly n mistakes.

    (Through the origin, and with zero counting as a mistake.)

    >>> from novikoff import Perceptron, play
    >>> problem = orthonormal(49)
    >>> run = play(Perceptron(fit_intercept=False), problem.stream(), problem.witness)
    >>> run.mistakes, run.bound
    (49, 49)
    """
    y = _alternating(n)
    return Problem(np.eye(n), y, y.astype(np.float64), Fraction(1), Fraction(1, n))


def doubling(d: int) -> Problem:
    """d examples on which the Perceptron makes exactly (4^d - 1)/3 updates, in any order.

    (`novikoff.theory.TINY_MARGIN` has the proof.)
    y x_k = e_k - e_1 - ... - e_(k-1), whose best separator through the origin is (1, 2, 4, ...): the Perceptron ends
    there. With an intercept the problem is a different and much easier one.
    """
    y = _alternating(d)
    X = (np.eye(d) - np.tril(np.ones((d, d)), -1)) * y[:, None]
    return Problem(X, y, np.exp2(np.arange(d, dtype=np.float64)), Fraction(d), Fraction(3, 4**d - 1))


def spiral(n: int) -> Problem:
    """3n^2 - 2 examples in three dimensions that leave the Margin Perceptron no better than its theorem says.

    R is n (but for rounding) and the best margin is 1, that of e_1. With theta = R^2 the theorem allows 3n^2 updates
    and promises a third of the best margin. In the given order, through the origin, each example but the first has
    y<w,x> = theta (but for rounding) when it comes, so that ||w||^2 grows by 3R^2, and at the end the margin is hardly
    more than 1/3.

    >>> from novikoff import MarginPerceptron
    >>> problem = spiral(10)
    >>> model = MarginPerceptron(fit_intercept=False, shuffle=False).fit(problem.X, problem.y)
    >>> model.updates_, model.bound(problem.margin), round(model.margin_[0] / problem.margin, 3)
    (298, 299, 0.335)
    """
    if not 2 <= n <= 100:
        raise ValueError(f"2 <= n <= 100 is needed, got n = {n}")
    unit = 2.0**-36
    theta = n**2 * (1 - 2.0**-30)  # a little less than R^2, so that rounding leaves no product above it
    width = math.sqrt(n**2 - 1) * (1 - 2.0**-50)
    rows: list[list[float]] = []
    w = np.zeros(2)  # its part across e_1; the part along e_1 is len(rows)
    while (rest := theta - len(rows)) >= -width * (length := math.hypot(*w)):
        forward = w / length if length else np.array([1.0, 0.0])
        cosine = min(rest / (width * length), 1.0) if length else 1.0
        sideways = np.array([-forward[1], forward[0]])
        across = width * (cosine * forward + math.sqrt(1 - cosine**2) * sideways)
        across = np.trunc(across / unit) * unit
        rows.append([1.0, *across.tolist()])
        w += across
    # No row can have y<w,x> <= theta any more. The rows go round e_1, a point of their convex hull: its margin is best.
    y = _alternating(len(rows))
    radius_sq = max(sqnorm(vector(row)) for row in rows)
    return Problem(np.array(rows) * y[:, None], y, np.eye(3)[0], radius_sq, Fraction(1))


def separable(n: int, d: int, *, margin: float, radius: float = 1.0, random_state: Any = None) -> Problem:
    """n random examples in d dimensions, within the radius, whose best margin through the origin is `margin`.

    The margin is rounded to a multiple of about 2^-20 of the radius. Two examples on the margin lie
    opposite each other across the best direction, so that no other direction does better.
    """
    if n < 3 or d < 2:
        raise ValueError(f"n >= 3 examples in d >= 2 dimensions are needed, got n = {n}, d = {d}")
    if not 0 < margin < radius:
        raise ValueError(f"0 < margin < radius is needed, got margin = {margin}, radius = {radius}")
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    unit = 2.0 ** (math.floor(math.log2(radius)) - 20)
    gamma = max(1.0, math.floor(margin / unit)) * unit
    y = _alternating(n)
    along = gamma + (radius - gamma) * rng.beta(1, 3, size=n)
    across = rng.standard_normal((n, d - 1))
    room = np.sqrt(radius**2 - along**2) * rng.beta(3, 1, size=n)
    across *= (room / np.linalg.norm(across, axis=1))[:, None]
    A = np.trunc(np.column_stack([along, across]) / unit) * unit  # rows y x in the frame of w* = e_1
    A[:3, 0] = gamma
    A[2, 1:] = -A[0, 1:]
    # A reflection I - (2/m) v v^T with v in {0, 1}^d and m = 2^k ones has dyadic entries.
    m = 1 << min(3, d.bit_length() - 1)
    v = np.zeros(d)
    v[[0, *(1 + rng.permutation(d - 1)[: m - 1])]] = 1.0
    A -= np.outer(A @ v, v) * (2.0 / m)
    witness = np.eye(d)[0] - v * (2.0 / m)
    lengths = np.einsum("ij,ij->i", A, A)
    longest = np.flatnonzero(lengths >= lengths.max() * (1 - 1e-12))
    radius_sq = max(sqnorm(vector(A[i].tolist())) for i in longest)
    return Problem(A * y[:, None], y, witness, radius_sq, Fraction(gamma) ** 2)


def _alternating(n: int) -> NDArray[np.int64]:
    return np.where(np.arange(n) % 2 == 0, 1, -1)
