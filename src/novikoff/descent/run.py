"""Run a method until it is accurate enough, out of iterations, interrupted, or diverging; and keep the trace."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff.descent import methods
from novikoff.descent.methods import Diverged, Step
from novikoff.descent.squares import WIDE, Squares
from novikoff.engine.dense import DenseRows
from novikoff.engine.storage import Vector

Method = Literal["gd", "newton", "sgd", "newton-sgd", "kaczmarz", "cg"]
METHODS: tuple[Method, ...] = get_args(Method)
STOCHASTIC = ("sgd", "newton-sgd", "kaczmarz")
INTERRUPTED = "interrupted"
PATIENCE = 5  # passes of a stochastic method without progress
FEWEST = 200  # and at least so many steps: what a pass over a few drawn rows meets goes up and down

Watch = Callable[[int, float], None]


@dataclass(frozen=True)
class Trace:
    """How a run went: one entry for each iteration, the start included for the batch methods.

    Attributes
    ----------
    iterations, rows : rows counts every time that one was read
    seconds : since the start of the run
    loss : F(w); for a stochastic method the sum of the squares as the pass met them
    accuracy : ||grad F(w)|| relative to that at w = 0; nan for the stochastic methods, which do not know it
    """

    iterations: NDArray[np.int64]
    rows: NDArray[np.int64]
    seconds: Vector
    loss: Vector
    accuracy: Vector


@dataclass(frozen=True)
class Outcome:
    trace: Trace
    reason: str
    converged: bool
    diverged: bool = False


def automatic(F: Squares) -> str:
    """Newton's method where a Hessian is cheap, conjugate gradients where it is not."""
    few = F.width <= WIDE if isinstance(F.rows, DenseRows) else F.width <= 500
    return "newton" if few else "cg"


def first_step(steepest: float, memory: int, step: str | float, *, average: bool) -> tuple[float, float]:
    """alpha and its decay for SGD; ``steepest`` is R^2.

    Averaged, the constant 1/(8 R^2) of Bach and Moulines (their gamma = 1/(4 R^2) multiplies half the gradient).
    Else 1/(2 R^2), with which a step meets the target of the longest row, falling as 1/(1 + t/memory).
    """
    if isinstance(step, float):
        return step, 0.0
    if average and step == "auto":
        return 1.0 / (8.0 * (steepest or 1.0)), 0.0
    return 1.0 / (2.0 * (steepest or 1.0)), 1.0 / memory


def run(
    F: Squares,
    method: str,
    w: Vector,
    *,
    step: str | float,
    average: bool,
    max_iter: int,
    tol: float,
    shuffle: bool,
    rng: np.random.RandomState,
    watch: Watch | None = None,
) -> Outcome:
    """Move w, in place, to the minimum of F."""
    chosen = step if isinstance(step, float) else None
    mean = methods.Mean(F.width if average else 0)
    order = rng if shuffle else None
    # A run from 0 meets the gradient at 0 by itself.
    scale = methods.length(F.gradient(np.zeros(F.width))[0]) if method not in STOCHASTIC and np.any(w) else None
    steps: Iterator[Step]
    if method == "gd":
        steps = methods.gradient_descent(F, w, chosen)
    elif method == "newton":
        steps = methods.newton(F, w, chosen)
    elif method == "cg":
        steps = methods.conjugate_gradients(F, w, tol, scale)
    elif method == "sgd":
        # A given step needs no R, and one pass over the data less.
        alpha, decay = first_step(0.0 if chosen else F.steepest, F.n, step, average=average)
        steps = methods.stochastic(F, w, order, alpha, decay, mean)
    elif method == "newton-sgd":
        steps = methods.stochastic_newton(F, w, order, chosen)
    else:
        steps = methods.randomized_kaczmarz(F, w, rng)
    why = _automatic_step(F, method, step, average)
    outcome = _drive(steps, method not in STOCHASTIC, scale, method == "newton" and not chosen, max_iter, tol, watch)
    w[:] = mean.of(w)
    if not why or outcome.diverged or outcome.reason == INTERRUPTED:
        return outcome
    return replace(outcome, reason=f"{outcome.reason}; {why}")


def _automatic_step(F: Squares, method: str, step: str | float, average: bool) -> str:
    """Which step was chosen, and why; nothing where it was given or there is none to choose."""
    if isinstance(step, float) or method not in ("gd", "sgd", "newton-sgd"):
        return ""
    if method == "gd":
        return f"alpha = 1/L = {1.0 / F.smoothness:.3g}" if F.smoothness > 0 else ""
    if method == "newton-sgd":
        return "alpha = n/(n h + t), h the largest leverage"
    alpha, decay = first_step(F.steepest, F.n, step, average=average)
    return f"alpha = 1/({'2' if decay else '8'} R^2) = {alpha:.3g}" + (", falling as 1/(1 + t/n)" if decay else "")


def _drive(
    steps: Iterator[Step],
    batch: bool,
    scale: float | None,
    refining: bool,
    max_iter: int,
    tol: float,
    watch: Watch | None,
) -> Outcome:
    began = time.perf_counter()
    record: list[tuple[int, int, float, float, float]] = []
    rows, best, behind = 0, math.inf, 0
    reason, converged = f"{max_iter} iterations are used up", False
    try:
        for number, at in enumerate(steps, start=0 if batch else 1):
            if not (math.isfinite(at.loss) and (math.isfinite(at.gradient) or not batch)):
                raise FloatingPointError("the sum of squares is not finite")
            rows += at.rows
            scale = at.gradient if scale is None else scale
            accuracy = at.gradient / scale if scale else 0.0 if at.gradient == 0 else at.gradient
            record.append((number, rows, time.perf_counter() - began, at.loss, accuracy))
            if watch:
                watch(number, accuracy if batch else at.loss)
            if batch and accuracy <= tol:
                reason, converged = f"the gradient is at most {tol:g} of that at w = 0", True
                break
            if not batch:
                behind = 0 if at.loss < best * (1 - tol) else behind + 1
                best = min(best, at.loss)
                if at.loss == 0:
                    reason, converged = "a pass met no residual", True
                    break
                if behind >= PATIENCE and behind * at.rows >= FEWEST:
                    reason, converged = f"{behind} passes lowered the loss by less than {tol:g} of it", True
                    break
            if refining and number >= methods.REFINEMENTS and accuracy >= record[-2][4]:
                reason, converged = "the gradient is as small as rounding allows", True
                break
            if number >= max_iter:
                break
    except Diverged as bound:
        return Outcome(_trace(record), f"diverged: {bound}", converged=False, diverged=True)
    except KeyboardInterrupt:
        reason = INTERRUPTED
    return Outcome(_trace(record), reason, converged)


def _trace(record: list[tuple[int, int, float, float, float]]) -> Trace:
    columns = np.array(record, dtype=np.float64).reshape(-1, 5).T
    return Trace(columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2], columns[3], columns[4])
