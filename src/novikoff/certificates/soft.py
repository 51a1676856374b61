"""The soft margin with squared slacks: minimise ||w||^2 / 2 + sum C_i max(0, 1 - <w,a_i>)^2.

Its dual is the nearest-point problem with 1/(2 C_i) added to the diagonal of the Gram matrix, p_i = 2 C_i slack_i.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from novikoff.certificates import dual
from novikoff.certificates.solve import SWEEPS, WIDE, CountedRows
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector

TOLERANCE = 1e-10  # of the gradient, or of the gap between primal and dual, relatively
BLOCK = 4096  # rows at a time
HALVINGS = 60  # of a step: what is left is rounding


def soft_margin(data: CountedRows, costs: Vector, max_passes: int) -> tuple[Vector, Vector, bool]:
    """w, the weights p of the rows, and whether they are the minimum."""
    return _newton(data, costs, max_passes) if data.width <= WIDE else _coordinate_descent(data, costs, max_passes)


def _newton(data: CountedRows, costs: Vector, max_passes: int) -> tuple[Vector, Vector, bool]:
    """Newton's method with exact line search: the objective is piecewise quadratic, so it ends (Mangasarian 2002)."""
    w = np.zeros(data.width)
    z = np.zeros(data.n)
    done = stuck = False
    while not (done or stuck) and data.passes < max_passes:
        violated = np.flatnonzero(z < 1.0)
        hessian, gradient = _derivatives(data, costs, violated, 1.0 - z)
        gradient += w
        try:
            step = -la.cho_solve(la.cho_factor(hessian, overwrite_a=True), gradient)
        except la.LinAlgError:
            raise ValueError(
                "C is so large that w itself is lost in rounding: lower C, or scale the features"
            ) from None
        slope = data.products(step)
        t = _line_search(w, step, z, slope, costs)
        w, z = w + t * step, z + t * slope
        # A whole step that changes no side ends at the minimum.
        done = t == 1.0 and bool(np.array_equal(violated, np.flatnonzero(z < 1.0)))
        done = done or math.sqrt(step @ step) * t <= TOLERANCE * 1e-4 * math.sqrt(w @ w)
        stuck = t == 2.0**-HALVINGS  # nowhere along the step does the objective fall, in floats
    z = data.products(w)
    return w, 2.0 * costs * np.maximum(0.0, 1.0 - z), done


def _derivatives(
    data: CountedRows, costs: Vector, violated: Indices, slack: Vector
) -> tuple[NDArray[np.float64], Vector]:
    """The Hessian, and the gradient of the slacks."""
    hessian, gradient = np.eye(data.width), np.zeros(data.width)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(violated), BLOCK):
            which = violated[start : start + BLOCK]
            A = data.columns(which)[:, 1:] / data.scale
            weight = 2.0 * costs[which]
            hessian += (A.T * weight) @ A
            gradient -= A.T @ (weight * slack[which])
    if not (np.isfinite(hessian).all() and np.isfinite(gradient).all()):
        raise ValueError("C times the squares of the features is more than a float can hold: lower C, or scale them")
    return hessian, gradient


def _line_search(w: Vector, step: Vector, z: Vector, slope: Vector, costs: Vector) -> float:
    """The minimum over t >= 0 along w + t step: the derivative is piecewise linear and increasing."""

    def derivative(t: float) -> float:
        slack = np.maximum(0.0, 1.0 - (z + t * slope))
        return float(w @ step + t * (step @ step) - 2.0 * (costs * slack) @ slope)

    at_one = derivative(1.0)
    if abs(at_one) <= 1e-12 * abs(derivative(0.0)):
        return 1.0
    low, high = (0.0, 1.0) if at_one > 0 else (1.0, 2.0)
    while derivative(high) < 0:
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) < 0 else (low, middle)
    return high


def _coordinate_descent(data: CountedRows, costs: Vector, max_passes: int) -> tuple[Vector, Vector, bool]:
    """Sweeps over the rows with weight and the violators, until primal and dual meet."""
    p, w, ends = np.zeros(data.n), np.zeros(data.width), np.zeros(2)
    ridge = 0.5 / costs
    shuffle = np.random.RandomState(0).shuffle
    active = np.arange(data.n)
    while True:
        for _ in range(SWEEPS):
            shuffle(active)
            dual.sweep(data.rows.storage, data.signs, active, p, w, ridge, ends)
        z = data.products(w)
        data.spend(SWEEPS * len(active) // data.n)
        slack = np.maximum(0.0, 1.0 - z)
        primal = 0.5 * (w @ w) + costs @ (slack * slack)
        lower = p.sum() - 0.5 * (w @ w) - 0.5 * ridge @ (p * p)
        done = primal - lower <= TOLERANCE * primal
        if done or data.passes >= max_passes:
            return w, p, bool(done)
        active = np.flatnonzero((z < 1.0) | (p > 0.0))
