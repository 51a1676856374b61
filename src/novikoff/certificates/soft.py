"""The soft margin in floats: minimise ||w||^2 / 2 + sum C_i loss(1 - <w,a_i>), by w and by the dual.

The loss is max(0, s), the hinge, or its square. Both are, the hinge up to a smoothing, of one form: the dual

    D(p) = sum p - ||sum p a||^2 / 2 - sum r_i p_i^2 / 2    over    0 <= p_i <= b_i

has b_i = infinity and r_i = 1 / (2 C_i) for squares, and b_i = C_i and r_i = mu / C_i for a hinge that is a parabola
where 0 < s < mu (Nesterov 2005). Its primal is smooth, with the weights p_i = min(b_i, max(0, s_i / r_i)). As mu tends
to 0 so do the minima to that of the hinge: they differ by at most mu/4 times the C_i of the rows with 0 < s_i < mu.

Nothing here is proof: `novikoff.certificates.optimum` makes the two ends exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from novikoff.certificates import dual
from novikoff.certificates.solve import SWEEPS, WIDE, CountedRows, spread
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

FINEST = 1e-10  # the gap that coordinate descent can be asked to close
BLOCK = 4096  # rows at a time
HALVINGS = 60  # of a step: what is left is rounding
SPARSE = 4  # a product of columns is made entry by entry if at most one in so many is stored
SMOOTHEST, SHARPER = 1.0, 4.0  # mu at first, and what it is divided by
SHARPEST = 2.0**-40  # beyond it 1 - <w,a> is rounding
SAMPLE = 8  # rows for a column, of the smallest part of the rows that w is sought on
LARGER = 4  # how much larger the next part is
LOOSE = 1e-2  # the gap on a part
SAME = 2.0**-48  # primal values so close, relatively, are the same to floats


class LostInRounding(ValueError):  # noqa: N818  # users see a ValueError
    """The Hessian is not positive definite, in floats."""


class Objective(NamedTuple):
    """What is minimised over the rows of positive cost."""

    costs: Vector  # C_i > 0
    squared: bool

    def primal(self, w: Vector, z: Vector) -> float:
        slack = np.maximum(0.0, 1.0 - z)
        return float(0.5 * (w @ w) + self.costs @ (slack * slack if self.squared else slack))

    def dual(self, p: Vector, v: Vector) -> float:
        """D(p), where v = sum p a."""
        ridge = p @ (p / self.costs) / 4.0 if self.squared else 0.0
        return float(p.sum() - 0.5 * (v @ v) - ridge)

    def best_share(self, p: Vector, v: Vector) -> float:
        """The t for which D(t p) is largest, at most 1 where there is a box."""
        square = float(v @ v + (p @ (p / self.costs) / 2.0 if self.squared else 0.0))
        total = float(p.sum())
        return 1.0 if square <= total and not self.squared else total / square if square > 0.0 else 0.0

    def ridge(self, mu: float) -> Vector:
        return 0.5 / self.costs if self.squared else mu / self.costs

    @property
    def box(self) -> Vector:
        return np.full(len(self.costs), math.inf) if self.squared else self.costs


class Best:
    """The best w and the best p so far, and how close they are."""

    def __init__(
        self,
        data: CountedRows,
        objective: Objective,
        gap: float,
        watch: Callable[[int, float, float], None] | None = None,
    ) -> None:
        self.objective, self.gap = objective, gap
        self._data, self._watch = data, watch
        self.w, self.upper = np.zeros(data.width), objective.primal(np.zeros(data.width), np.zeros(data.n))
        self.p, self.lower = np.zeros(data.n), 0.0

    def offer(self, w: Vector, z: Vector, p: Vector, v: Vector) -> bool:
        """Note a w with its products z, and weights p with their v = sum p a. Are the ends close enough?"""
        upper = self.objective.primal(w, z)
        least = float(z.min())
        if 0.0 < least < 1.0:  # w separates, and a longer one has no loss
            longer = self.objective.primal(w / least, z / least)
            if longer < upper:
                w, upper = w / least, longer
        if upper <= self.upper * (
            1 + SAME
        ):  # of those that floats cannot tell apart the last is nearest to the minimum
            self.w, self.upper = w.copy(), upper
        share = self.objective.best_share(p, v)
        lower = self.objective.dual(share * p, share * v)
        if lower > self.lower:
            self.p, self.lower = share * p, lower
        if self._watch:
            self._watch(self._data.passes, self.lower, self.upper)
        return self.closed

    @property
    def closed(self) -> bool:
        return self.upper - self.lower <= self.gap * self.upper


def search(data: CountedRows, best: Best, *, to_the_end: bool = False) -> None:
    """Bring the ends together, as far as floats can; `OutOfBudget` leaves what was found so far.

    ``to_the_end``: to the minimum, even if the gap is closed before.
    """
    if to_the_end:
        best.gap = FINEST if data.width > WIDE else -math.inf
    if data.width > WIDE:
        _coordinate_descent(data, best)
        return
    w = np.zeros(data.width)
    size = SAMPLE * data.width
    parts = []
    while size * LARGER <= data.n:
        parts.append(size)
        size *= LARGER
    for size in parts:
        which = spread(np.arange(data.n), size)
        part, costs = data.only(which), best.objective.costs[which]
        rough = Best(part, Objective(costs * (data.n / size), best.objective.squared), LOOSE)
        w = _newton(part, rough, w)
        data.spend(-(-part.passes * size // data.n))
    _newton(data, best, w)


# Newton's method -----------------------------------------------------------------------------------


def _newton(data: CountedRows, best: Best, w: Vector) -> Vector:
    """With exact line search: the objective is piecewise quadratic, so it ends for each mu (Mangasarian 2002)."""
    objective = best.objective
    box, mu = objective.box, SMOOTHEST
    ridge = objective.ridge(mu)
    z = data.products(w)
    done, level = False, math.inf
    while True:
        slack = 1.0 - z
        p = np.clip(slack / ridge, 0.0, box)
        v = data.sum(p)
        if best.offer(w, z, p, v) or (done and (objective.squared or mu < SHARPEST)):
            return best.w
        # What is left at this mu is ||w - v||^2 / 2; the rest of the gap is its price.
        left = 0.5 * float((w - v) @ (w - v))
        if not objective.squared and (done or left < (best.upper - best.lower) / SHARPER):
            mu, level = mu / SHARPER, math.inf
            ridge = objective.ridge(mu)
            p = np.clip(slack / ridge, 0.0, box)
            v = data.sum(p)
        smooth = _Smooth(ridge, box)
        try:
            w, z, done = _step(data, smooth, w, z, w - v)
        except LostInRounding:
            if mu == SMOOTHEST:
                raise
            return best.w  # sharper than floats can be
        before, level = level, smooth.value(w, 1.0 - z)
        done = done or level >= before  # it falls no further, in floats


class _Smooth(NamedTuple):
    """sum h_i(s_i) with h_i' = min(b_i, max(0, s_i / r_i))."""

    ridge: Vector
    box: Vector

    def value(self, w: Vector, slack: Vector) -> float:
        """||w||^2 / 2 + sum h_i(s_i)."""
        p = np.clip(slack / self.ridge, 0.0, self.box)
        return float(0.5 * (w @ w) + p @ (slack - 0.5 * self.ridge * p))

    def curved(self, slack: Vector) -> NDArray[np.bool_]:
        """Where its second derivative is not 0."""
        inside: NDArray[np.bool_] = (slack > 0.0) & (slack < self.box * self.ridge)
        return inside


def _step(data: CountedRows, smooth: _Smooth, w: Vector, z: Vector, gradient: Vector) -> tuple[Vector, Vector, bool]:
    """The next w with its products; and is it the minimum, or as near to it as floats come?"""
    curved = smooth.curved(1.0 - z)
    which = np.flatnonzero(curved)
    hessian = _hessian(data, which, 1.0 / smooth.ridge[which])
    if not (np.isfinite(hessian).all() and np.isfinite(gradient).all()):
        raise LostInRounding(
            "C times the squares of the features is more than a float can hold: lower C, or scale them"
        )
    try:
        step = -la.cho_solve(la.cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False), gradient)
    except la.LinAlgError:
        raise LostInRounding(
            "C is so large that w itself is lost in rounding: lower C, or scale the features"
        ) from None
    slope = data.products(step)
    t = _line_search(smooth, w, step, z, slope)
    w, z = w + t * step, z + t * slope
    # A whole step that changes no side ends at the minimum.
    same = t == 1.0 and bool(np.array_equal(curved, smooth.curved(1.0 - z)))
    short = math.sqrt(step @ step) * t <= 1e-14 * math.sqrt(w @ w)
    stuck = t <= 2.0**-HALVINGS  # nowhere along the step does the objective fall, in floats
    return w, (data.products(w) if same else z), same or short or stuck


def _hessian(data: CountedRows, which: Indices, weights: Vector) -> NDArray[np.float64]:
    """I + sum of weight a a' over these rows: the lower half is enough."""
    hessian = np.zeros((data.width, data.width))
    with np.errstate(over="ignore", invalid="ignore"):
        if data.density * SPARSE <= 1.0:
            for start in range(0, len(which), data.rows.pace):
                data.look()
                chosen = slice(start, start + data.rows.pace)
                dual.squares(data.rows.storage, which[chosen], weights[chosen], hessian)
        else:
            for start in range(0, len(which), BLOCK):
                data.look()
                A = data.columns(which[start : start + BLOCK])[:, 1:]
                A *= (np.sqrt(weights[start : start + BLOCK]) / data.scale)[:, None]
                hessian += A.T @ A
    hessian[np.diag_indices(data.width)] += 1.0
    return hessian


def _line_search(smooth: _Smooth, w: Vector, step: Vector, z: Vector, slope: Vector) -> float:
    """The minimum over t >= 0 along w + t step: the derivative is piecewise linear and increasing."""
    along, square = float(w @ step), float(step @ step)
    rising = slope / smooth.ridge
    start = (1.0 - z) / smooth.ridge

    def derivative(t: float) -> float:
        return along + t * square - float(np.clip(start - t * rising, 0.0, smooth.box) @ slope)

    at_zero, at_one = derivative(0.0), derivative(1.0)
    if abs(at_one) <= 1e-12 * abs(at_zero):
        return 1.0
    low, high, below, above = 0.0, 1.0, at_zero, at_one
    while above < 0:
        low, high, below = high, 2.0 * high, above
        above = derivative(high)
    for turn in range(HALVINGS):
        # The secant is exact on the last piece; every other turn halves, lest one end stays where it is.
        share = below / (below - above) if turn % 2 else 0.5
        middle = low + min(max(share, 0.001), 0.999) * (high - low)
        found = derivative(middle)
        if abs(found) <= 1e-3 * abs(at_zero):
            return middle
        low, high, below, above = (middle, high, found, above) if found < 0 else (low, middle, below, found)
    return high


# Coordinate descent --------------------------------------------------------------------------------


def _coordinate_descent(data: CountedRows, best: Best) -> None:
    """Sweeps over the rows that may change, until primal and dual meet."""
    objective = best.objective
    p, w, ends = np.zeros(data.n), np.zeros(data.width), np.zeros(2)
    ridge, box = objective.ridge(0.0), objective.box
    shuffle = np.random.RandomState(0).shuffle
    active = np.arange(data.n)
    while True:
        for _ in range(SWEEPS):
            data.look()
            shuffle(active)
            dual.sweep(data.rows.storage, data.signs, active, p, w, ridge, box, ends)
        w = data.sum(p)
        z = data.products(w)
        data.spend(SWEEPS * len(active) // data.n)
        lower = best.lower
        if best.offer(w, z, p, w) or (len(active) == data.n and best.lower <= lower):
            return
        active = np.flatnonzero(((z < 1.0) & (p < box)) | ((z > 1.0) & (p > 0.0)))
        if best.lower <= lower:
            active = np.arange(data.n)
