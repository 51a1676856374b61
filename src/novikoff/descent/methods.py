"""The methods. Each is a generator that moves w in place and, after every iteration, says how it stands.

An iteration is one step of a batch method, or one pass of a stochastic one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.descent import sweeps
from novikoff.descent.squares import WIDE, Squares
from novikoff.engine.storage import Vector

REFINEMENTS = 5  # steps of Newton's method: one for the quadratic, the others for rounding
PAGE = 1 << 20  # stored entries per call of a stochastic loop
SINGULAR = 1e-12  # a scaled Hessian of smaller reciprocal condition is left to the singular values


class Step(NamedTuple):
    """Where a method stands."""

    rows: int  # read by this iteration
    loss: float  # F(w); for a stochastic method, the sum of the squares as it met them
    gradient: float  # ||grad F(w)||; nan where it is not known


class Mean:
    """The mean of the iterates of SGD, from the tilt that `kernels.squares.sgd` gathers; not kept if ``width`` is 0."""

    def __init__(self, width: int) -> None:
        self.tilt = np.zeros(width)
        self.steps = 0

    def of(self, w: Vector) -> Vector:
        """The mean if it is kept, else the last iterate w."""
        return w - self.tilt / self.steps if self.tilt.size and self.steps else w.copy()


class Diverged(Exception):  # noqa: N818  # caught by the driver, and told as a reason
    """The step is too long: why."""


def gradient_descent(F: Squares, w: Vector, step: float | None) -> Iterator[Step]:
    """w <- w - alpha grad F(w); alpha = 1/L by default."""
    alpha = step or (1.0 / F.smoothness if F.smoothness > 0 else 0.0)  # rows of zeros leave nothing to do
    first = math.inf
    while True:
        g, loss = F.gradient(w)
        now = length(g)
        first = min(first, now)
        if not now <= 1e6 * first:
            raise Diverged(
                f"alpha = {alpha:.3g} is above 2/L = {2.0 / F.smoothness:.3g}, "
                "where L is the largest eigenvalue of the Hessian"
            )
        yield Step(F.n, loss, now)
        w -= alpha * g


def newton(F: Squares, w: Vector, step: float | None) -> Iterator[Step]:
    """w <- w - H^-1 grad F(w). Once, for a quadratic; again, where rounding left something.

    Of a singular Hessian, the solution of least norm.
    """
    if F.width > WIDE:
        raise ValueError(f"method='newton' makes a Hessian of {F.width} x {F.width}: use method='cg', which makes none")
    inverse = Inverse(F)
    alpha = 1.0 if step is None else step
    least = None
    first = math.inf
    while True:
        g, loss = F.gradient(w)
        now = length(g)
        first = min(first, now)
        if alpha >= 2.0 and not now <= 1e3 * first:
            raise Diverged(f"alpha = {alpha:.3g}, and from 2 on a step overshoots by more than it corrects")
        yield Step(F.n, loss, now)
        if not inverse.singular:
            w -= alpha * inverse(g)
            continue
        if least is None:
            least = least_norm(F, inverse.size)
        w += alpha * (least - w)


def least_norm(F: Squares, size: int) -> Vector:
    """The minimum of F of least norm, by the singular values; those below rounding count as zero."""
    import scipy.linalg as la  # which takes its time

    A, b = F.reduced()
    out = np.zeros(F.width)
    cond = np.finfo(np.float64).eps * max(F.n, size)
    out[:size] = la.lstsq(A[:, :size], b, cond=cond, lapack_driver="gelsd")[0]
    return out


class Inverse:
    """H^-1, by Cholesky's factor of the Hessian scaled to a unit diagonal."""

    def __init__(self, F: Squares) -> None:
        import scipy.linalg as la

        self.size = F.width if F.rows.constant else F.width - 1
        H = F.hessian[: self.size, : self.size]
        diagonal = np.sqrt(np.diag(H))
        self.scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
        scaled = H * self.scale[:, None] * self.scale
        try:
            self._factor = la.cholesky(scaled, lower=True)
            condition = la.lapack.dpocon(self._factor, np.abs(scaled).sum(axis=0).max(), uplo="L")[0]
            self.singular = not condition > SINGULAR
        except la.LinAlgError:
            self.singular = True

    def __call__(self, g: Vector) -> Vector:
        out = np.zeros_like(g)
        import scipy.linalg as la

        solved = la.cho_solve((self._factor, True), g[: self.size] * self.scale)
        out[: self.size] = solved * self.scale
        return out

    def matrix(self, width: int) -> NDArray[np.float64]:
        """H^-1 in full, zero where there is no constant coordinate."""
        out = np.zeros((width, width))
        import scipy.linalg as la

        whole = la.cho_solve((self._factor, True), np.diag(self.scale)) * self.scale[:, None]
        out[: self.size, : self.size] = (whole + whole.T) / 2
        return out


def conjugate_gradients(F: Squares, w: Vector, tol: float, scale: float | None) -> Iterator[Step]:
    """On H w = b, with the residuals carried along (Hestenes and Stiefel), which does not square the condition again.

    From 0 it tends to the solution of least norm. The residuals are updated, not computed anew, until the gradient
    seems to be at most tol of ``scale`` (of the first if None).
    """
    r = F.y - F.products(w)
    z = F.combination(F.s * r)  # minus half the gradient
    p = z.copy()
    square, now = inner(z, z), 2.0 * length(z)
    goal = tol * (now if scale is None else scale)
    rows = 2 * F.n
    while True:
        if not math.isfinite(square):
            raise FloatingPointError("the gradient is too long")
        yield Step(rows, inner(F.s * r, r), now)
        rows = 2 * F.n
        q = F.products(p)
        bend = inner(F.s * q, q)
        before = square
        if bend > 0.0:
            w += square / bend * p
            r -= square / bend * q
            z = F.combination(F.s * r)
            now = 2.0 * length(z)
        if not bend > 0.0 or now <= goal:
            # It seems to be done, or p is in the null space to rounding: look at where w really is.
            r = F.y - F.products(w)
            z = F.combination(F.s * r)
            now = 2.0 * length(z)
            rows += 2 * F.n
            before = math.inf
        square = inner(z, z)
        p = z + (square / before) * p


def stochastic(
    F: Squares, w: Vector, rng: np.random.RandomState | None, step: float, decay: float, mean: Mean
) -> Iterator[Step]:
    """SGD: w <- w - alpha_t grad Q_i(w), the first pass in the given order, later ones reshuffled."""
    order: NDArray[np.int64] | range = range(F.n)
    while True:
        before, tilt, start = w.copy(), mean.tilt.copy(), mean.steps
        loss = 0.0
        for some in _pages(F, order):
            done = mean.steps
            mean.steps += len(some)  # before the loop: Ctrl-C is heard right after it
            loss += sweeps.sgd(F.rows, F.y, F.s, some, step, decay, done, w, mean.tilt)
        if not (math.isfinite(loss) and np.isfinite(w).all() and np.isfinite(mean.tilt).all()):
            w[:], mean.tilt[:], mean.steps = before, tilt, start
            raise overshooting(step, F.steepest)
        yield Step(F.n, loss, math.nan)
        if rng is not None:
            order = np.asarray(order)
            rng.shuffle(order)


def randomized_kaczmarz(F: Squares, w: Vector, rng: np.random.RandomState) -> Iterator[Step]:
    """Project onto the equation of a row drawn with probability proportional to s_i ||a_i||^2; n draws an iteration."""
    reach = np.cumsum(F.s * F.sqnorms)
    if not math.isfinite(reach[-1]):
        raise FloatingPointError("the rows are too long")
    if reach[-1] < np.finfo(np.float64).tiny:  # from there on, u < 1 makes u * reach < reach, rounded or not
        raise ValueError("every row is zero, or too short for float64: there is nothing to project onto")
    while True:
        order = np.searchsorted(reach, rng.random_sample(F.n) * reach[-1], side="right")
        loss = 0.0
        for some in _pages(F, order):
            loss += sweeps.kaczmarz(F.rows, F.y, F.sqnorms, some, w)
        yield Step(F.n, loss, math.nan)


def stochastic_newton(F: Squares, w: Vector, rng: np.random.RandomState | None, step: float | None) -> Iterator[Step]:
    """w <- w - alpha_t H^-1 grad Q_i(w), H from the whole data; alpha_t = n / (leverage + t) by default."""
    if F.width > WIDE:
        raise ValueError(f"method='newton-sgd' makes a Hessian of {F.width} x {F.width}: use method='sgd'")
    inverse = Inverse(F)
    if inverse.singular:
        raise ValueError("the Hessian is singular, so method='newton-sgd' has no step: use 'newton', 'sgd' or 'cg'")
    P = 2.0 * inverse.matrix(F.width)  # H^-1 grad Q_i = P s_i (<w,a_i> - y_i) a_i
    leverage = _leverage(F, P)
    first, decay = step or 0.0, 0.0
    if step is None:
        # A step changes <w,a_i> - y_i by at most that itself if alpha s_i <a_i, P a_i> <= 1.
        start = max(1.0, F.n * leverage)
        first, decay = F.n / start, 1.0 / start
    order = np.arange(F.n)
    done = 0
    while True:
        before = w.copy()
        loss = 0.0
        for some in _pages(F, order):
            loss += sweeps.newton_sgd(F.rows, F.y, F.s, some, first, decay, done, P, w)
            done += len(some)
        if not (math.isfinite(loss) and np.isfinite(w).all()):
            w[:] = before
            if first * leverage < 2.0:
                raise FloatingPointError("no step overshoots: the squares are too large")
            raise Diverged(
                f"alpha = {first:.3g}, and from 2/h = {2.0 / leverage:.3g} on, where h is the largest leverage, "
                "a step overshoots by more than it corrects"
            )
        yield Step(F.n, loss, math.nan)
        if rng is not None:
            rng.shuffle(order)


def _leverage(F: Squares, P: NDArray[np.float64]) -> float:
    """max s_i <a_i, P a_i>."""
    return max(float(np.einsum("ij,ij->i", A @ P, A).max()) for A, _ in F.dense())


def _pages(F: Squares, order: NDArray[np.int64] | range) -> Iterator[NDArray[np.int64]]:
    # Small ones: an order that is not shuffled is never written out in full.
    pace = max(1, PAGE // F.stored)
    for k in range(0, len(order), pace):
        yield np.arange(k, min(k + pace, len(order))) if isinstance(order, range) else order[k : k + pace]


def overshooting(step: float, steepest: float) -> Exception:
    """Why a pass of SGD left the floats; below 1/R^2 no step overshoots, so that the squares were too large."""
    if step * steepest < 1.0:
        return FloatingPointError("no step overshoots: the squares are too large")
    return Diverged(
        f"alpha = {step:.3g}, and from 1/R^2 = {1.0 / steepest:.3g} on, where R is the norm of the longest row, "
        "a step overshoots by more than it corrects"
    )


def inner(u: Vector, v: Vector) -> float:
    """<u,v>, not by BLAS: its threads keep a core busy after a call, and how it sums depends on the machine."""
    return float(np.einsum("i,i->", u, v))


def length(v: Vector) -> float:
    """||v||, where its square may be too small or too large for a float."""
    most = float(np.max(np.abs(v)))
    return most * math.sqrt(inner(v / most, v / most)) if 0 < most < math.inf else most
