"""The notes' table of costs, measured: time per iteration, and iterations to accuracy epsilon, of four methods.

The problems have a known minimum and a known condition number: A = U diag(s) V' with singular values chosen, and noise
that is orthogonal to the columns of A, so that w* stays the minimum. Accuracy is (F(w) - F*) / (F(0) - F*).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from novikoff.descent import sweeps
from novikoff.descent.methods import Inverse
from novikoff.descent.squares import Squares
from novikoff.engine.storage import Vector, over

NOTES = "Lecture notes on the perceptron and stochastic gradient descent, section 11"
FULL = "L. Bottou and O. Bousquet, The tradeoffs of large scale learning, NIPS 2007"
CONDITION, WIDTH = 20.0, 8
ROUGH = 1e-2  # the accuracy of the runs that are timed
METHODS = ("GD", "2GD", "SGD", "2SGD")

REMARKS = f"""Where the notes' table is shorter than the truth:
- GD's total time is n log 1/e, time per iteration by iterations; the table has -log e.
- The dimension d and the condition number k are left out. In full, with v = tr(G H^-1) for the noise:
    method  per iteration  iterations to e  time to e
    GD      nd             k log 1/e        n d k log 1/e
    2GD     nd^2 + d^3     log log 1/e      (nd^2 + d^3) log log 1/e
    SGD     d              v k^2/e          d v k^2/e
    2SGD    d^2            v/e              d^2 v/e
  The iterations and the other costs are Bottou's and Bousquet's, who take the inverse Hessian as known: their 2GD costs
  nd + d^2 an iteration. To form the Hessian and to solve with it costs nd^2 + d^3.
Sources: {NOTES};
{FULL}."""

Matrix = NDArray[np.float64]


class Problem(NamedTuple):
    F: Squares
    best: Vector
    hessian: Matrix  # of F, exact up to rounding: 2 V diag(s^2) V'

    def excess(self, w: Vector) -> float:
        """(F(w) - F*) / (F(0) - F*)."""
        e = w - self.best
        return float(e @ self.hessian @ e) / float(self.best @ self.hessian @ self.best)


def problem(n: int, d: int, condition: float, rng: np.random.RandomState) -> Problem:
    """n rows, d columns, the condition number of the Hessian, and a residual as large as the signal."""
    U = np.linalg.qr(rng.standard_normal((n, d)))[0]
    V = np.linalg.qr(rng.standard_normal((d, d)))[0]
    s = np.sqrt(np.geomspace(1.0, 1.0 / condition, d) * n)
    A = np.ascontiguousarray(U * s @ V.T)
    best = V @ (rng.choice([-1.0, 1.0], d) / s)  # F(0) - F* is spread evenly over the eigenvectors
    noise = rng.standard_normal(n)
    noise -= U @ (U.T @ noise)
    y = A @ best + noise * (np.linalg.norm(A @ best) / np.linalg.norm(noise))
    F = Squares(over(A, 0.0, norms=False), y, np.ones(n), d)
    return Problem(F, np.append(best, 0.0), np.pad(2.0 * (V * s**2) @ V.T, (0, 1)))


class Curve(NamedTuple):
    """Measured points, and the straight line through them where both are in the right scale."""

    x: Vector
    y: Vector
    slope: float
    low: float  # of a 95 % confidence interval for the slope
    high: float


def fitted(x: Sequence[float], y: Sequence[float]) -> Curve:
    """The line of least squares through the points, with Student's interval for its slope."""
    across, up = np.asarray(x) - np.mean(x), np.asarray(y) - np.mean(y)
    spread = float(across @ across)
    slope = float(across @ up) / spread
    freedom = len(x) - 2
    rest = up - slope * across
    width = float(stdtrit(freedom, 0.975)) * math.sqrt(float(rest @ rest) / freedom / spread)
    return Curve(np.asarray(x), np.asarray(y), slope, slope - width, slope + width)


class Entry(NamedTuple):
    """One exponent: what the notes' table says, what the full form says, and what was measured."""

    method: str
    quantity: str
    notes: str  # "-" where the table is silent
    expected: str  # the exponent in the full form
    curve: Curve
    slip: str = ""  # what is wrong with the notes' entry

    @property
    def verdict(self) -> str:
        """Does what is expected lie in the interval, or within 0.2 of it? Caches and constants bend a straight line."""
        if self.curve.high - self.curve.low > 1.5:
            return "too noisy to tell: run it again on a quiet machine"
        if self.notes == "-":
            return f"{self.expected} in the full form"
        agrees = self.curve.low - 0.2 <= float(self.expected) <= self.curve.high + 0.2
        return (self.slip or "as the notes say") if agrees else f"{self.expected} was expected"


@dataclass(frozen=True)
class Rates:
    """The table. `print` it; `novikoff.display.RatesDisplay` draws it."""

    entries: list[Entry]
    newton: list[float]  # accuracy after every step of Newton's method on a logistic loss
    one_step: float  # accuracy of Newton's method after one step on the quadratic

    def __str__(self) -> str:
        line = "{:<6}  {:<37}  {:<12}  {:>8}  {:<14}  {}".format
        head = line("method", "quantity", "notes", "measured", "95 %", "")
        rows = [
            line(
                e.method,
                e.quantity,
                e.notes,
                f"{e.curve.slope:.2f}",
                f"{e.curve.low:.2f} to {e.curve.high:.2f}",
                e.verdict,
            )
            for e in self.entries
        ]
        steps = ", ".join(f"{excess:.0e}" for excess in self.newton)
        return "\n".join(
            [
                head.rstrip(),
                "-" * len(head),
                *rows,
                "",
                f"2GD on the quadratic: accuracy {self.one_step:.0e} after one step. log log 1/e is invisible there.",
                f"2GD on a logistic loss: {steps} after 0, 1, ... steps: the digits double, so log log 1/e.",
                "",
                REMARKS,
            ]
        )


def rates(
    *, sizes: Sequence[int] = (25_000, 50_000, 100_000, 200_000, 400_000), seeds: int = 30, random_state: int = 0
) -> Rates:
    """Measure the table.

    Parameters
    ----------
    sizes : numbers of rows over which the time of an iteration is fitted
    seeds : runs over which the accuracy of the stochastic methods is averaged
    random_state : int

    Returns
    -------
    Rates
    """
    rng = np.random.RandomState(random_state)
    entries = [*_times(sizes, rng), *_batch(rng), *_stochastic(seeds, rng)]
    quadratic = problem(2000, WIDTH, CONDITION, rng)
    g = quadratic.F.gradient(np.zeros(WIDTH + 1))[0]
    return Rates(entries, newton_on_logistic(rng), quadratic.excess(-Inverse(quadratic.F)(g)))


# Time per iteration --------------------------------------------------------------------------------


def _times(sizes: Sequence[int], rng: np.random.RandomState) -> Iterator[Entry]:
    problems = [problem(n, 2 * WIDTH, CONDITION, rng) for n in sizes]
    measured = [{method: _seconds(_iteration(p, method)) for method in METHODS} for p in problems]
    for method, notes, expected in zip(METHODS, ("n", "n", "1", "1"), "1100", strict=True):
        curve = fitted(np.log(sizes).tolist(), [math.log(times[method]) for times in measured])
        yield Entry(method, "time per iteration ~ n^p: p", notes, expected, curve)
    measured = [{method: _seconds((_run(p, method), 1), rounds=3) for method in METHODS} for p in problems]
    for method, notes in zip(METHODS, ("-log epsilon", "n log log", "1/epsilon", "1/epsilon"), strict=True):
        curve = fitted(np.log(sizes).tolist(), [math.log(times[method]) for times in measured])
        slip = "n is missing in the notes" if method == "GD" else ""
        yield Entry(method, "total time ~ n^p: p", notes, "1" if method in ("GD", "2GD") else "0", curve, slip)
    widths = (32, 64, 128, 256, 512)
    problems = [problem(4096, d, CONDITION, rng) for d in widths]
    measured = [{method: _seconds(_iteration(p, method)) for method in METHODS} for p in problems]
    for method, expected in zip(METHODS, "1212", strict=True):
        curve = fitted(np.log(widths).tolist(), [math.log(times[method]) for times in measured])
        yield Entry(method, "time per iteration ~ d^p: p", "-", expected, curve)


def _iteration(p: Problem, method: str) -> tuple[Callable[[], object], int]:
    """A call, and how many iterations it makes."""
    F = p.F
    w = np.zeros(F.width)
    order = np.random.RandomState(0).randint(F.n, size=2000)
    if method == "GD":
        return lambda: F.gradient(w), 1
    if method == "2GD":

        def step() -> None:
            F.__dict__.pop("hessian", None)
            Inverse(F)(F.gradient(w)[0])

        return step, 1
    if method == "SGD":
        return lambda: sweeps.sgd(F.rows, F.y, F.s, order, 1e-6, 0.0, 0, w, np.empty(0)), len(order)
    P = 2.0 * Inverse(F).matrix(F.width)
    return lambda: sweeps.newton_sgd(F.rows, F.y, F.s, order, 1e-6, 0.0, 0, P, w), len(order)


def _run(p: Problem, method: str) -> Callable[[], object]:
    """A run to the accuracy ROUGH; stochastic Newton is given the inverse Hessian."""
    if method == "GD":
        return lambda: descent(p, ROUGH)
    if method == "2GD":
        return _iteration(p, method)[0]
    plan, checkpoints = schedule(p, method), range(1000, 1_000_000, 1000)
    return lambda: next(e for e in accuracies(p, plan, checkpoints, seed=0) if e <= ROUGH)


def _seconds(work: tuple[Callable[[], object], int], rounds: int = 7) -> float:
    """The best of several, each long enough to be timed."""
    call, iterations = work
    call()
    start = time.perf_counter()
    call()
    repeats = max(1, min(100, int(2e-3 / (time.perf_counter() - start + 1e-9))))
    best = math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        best = min(best, time.perf_counter() - start)
    return best / (repeats * iterations)


# Iterations to epsilon -----------------------------------------------------------------------------


def descent(p: Problem, epsilon: float) -> list[float]:
    """The accuracy of GD with alpha = 1/L after 0, 1, ... iterations, until it is below epsilon."""
    w = np.zeros(p.F.width)
    alpha = 1.0 / float(np.linalg.eigvalsh(p.hessian)[-1])
    history = [p.excess(w)]
    while history[-1] > epsilon:
        w -= alpha * p.F.gradient(w)[0]
        history.append(p.excess(w))
    return history


def needed(history: Sequence[float], epsilon: float) -> int:
    """The first iteration with an accuracy of at most epsilon."""
    return next(k for k, excess in enumerate(history) if excess <= epsilon)


def logarithmic(history: Sequence[float], start: float = 1e-8, end: float = 1e-26) -> Curve:
    """Iterations from accuracy ``start`` on, against log(start/epsilon): a start that is faster is no exponent."""
    targets = np.geomspace(start, end, 21)[1:]
    counts = [needed(history, epsilon) - needed(history, start) for epsilon in targets]
    return fitted([math.log(math.log(start / e)) for e in targets], np.log(counts).tolist())


def _batch(rng: np.random.RandomState) -> Iterator[Entry]:
    curve = logarithmic(descent(problem(500, WIDTH, CONDITION, rng), 1e-26))
    yield Entry("GD", "iterations ~ (log 1/epsilon)^p: p", "-log epsilon", "1", curve)
    conditions = (10.0, 30.0, 100.0, 300.0, 1000.0)
    counts = [needed(descent(problem(500, WIDTH, k, rng), 1e-6), 1e-6) for k in conditions]
    yield Entry(
        "GD",
        "iterations ~ k^p, k the condition: p",
        "-",
        "1",
        fitted(np.log(conditions).tolist(), np.log(counts).tolist()),
    )


def newton_on_logistic(rng: np.random.RandomState, n: int = 500, d: int = 5) -> list[float]:
    """The accuracy of damped Newton steps on sum log(1 + exp(-y<w,x>)), relative to the start."""
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + 2 * rng.standard_normal(n) > 0, 1.0, -1.0)

    def loss(w: Vector) -> float:
        return float(np.logaddexp(0.0, -y * (X @ w)).sum())

    w, path = np.full(d, 4.0), []
    for _ in range(60):
        path.append(w)
        chance = 1.0 / (1.0 + np.exp(y * (X @ w)))
        g = -X.T @ (y * chance)
        H = (X.T * (chance * (1.0 - chance))) @ X
        direction = -np.linalg.solve(H, g)
        if math.sqrt(float(g @ g)) < 1e-12 * n:
            break
        t = 1.0
        while loss(w + t * direction) > loss(w) + 0.25 * t * float(g @ direction) and t > 1e-6:
            t /= 2
        w = w + t * direction
    best = path[-1]
    H = (X.T * 0.25) @ X
    errors = [float((v - best) @ H @ (v - best)) for v in path[:-1]]
    return [error / errors[0] for error in errors]


class Schedule(NamedTuple):
    """alpha_t = step / (1 + decay t), and what multiplies the gradient besides: 2 H^-1, or nothing."""

    step: float
    decay: float
    inverse: Matrix | None


def schedule(p: Problem, method: str) -> Schedule:
    """SGD: half the gradient is multiplied by 2/(m (t0 + t)), m the least eigenvalue of the mean Hessian, t0 = 2 R^2/m.

    2SGD: alpha_t = n/(t0 + t), t0 the largest leverage times n.
    """
    F = p.F
    if method == "SGD":
        least = float(np.linalg.eigvalsh(p.hessian[:-1, :-1])[0]) / (2 * F.n)
        return Schedule(1.0 / (2.0 * F.steepest), least / (2.0 * F.steepest), None)
    P = 2.0 * Inverse(F).matrix(F.width)
    leverage = max(float(np.einsum("ij,ij->i", A @ P, A).max()) for A, _ in F.dense())
    return Schedule(1.0 / leverage, 1.0 / (leverage * F.n), P)


def accuracies(p: Problem, plan: Schedule, checkpoints: Sequence[int], seed: int) -> Iterator[float]:
    """The accuracy of SGD or 2SGD on rows drawn with replacement, at these numbers of steps."""
    F, rng, w, done = p.F, np.random.RandomState(seed), np.zeros(p.F.width), 0
    for stop in checkpoints:
        order = rng.randint(F.n, size=stop - done)
        if plan.inverse is None:
            sweeps.sgd(F.rows, F.y, F.s, order, plan.step, plan.decay, done, w, np.empty(0))
        else:
            sweeps.newton_sgd(F.rows, F.y, F.s, order, plan.step, plan.decay, done, plan.inverse, w)
        done = stop
        yield p.excess(w)


def _stochastic(seeds: int, rng: np.random.RandomState) -> Iterator[Entry]:
    conditions = (5.0, 10.0, 20.0, 40.0, 80.0)
    checkpoints = [2**k for k in range(13, 20)]
    for method in ("SGD", "2SGD"):
        last = []
        for condition in conditions:
            p = problem(1000, WIDTH, condition, rng)
            plan = schedule(p, method)
            runs = [list(accuracies(p, plan, checkpoints, seed)) for seed in range(seeds)]
            mean = np.mean(runs, axis=0)
            last.append(float(mean[-1]))
            if condition == CONDITION:
                # mean accuracy ~ t^-1/p, so t ~ epsilon^-p
                curve = fitted((-np.log(mean)).tolist(), np.log(checkpoints).tolist())
                yield Entry(method, "iterations ~ (1/epsilon)^p: p", "1/epsilon", "1", curve)
        # At equal t the accuracy is proportional to what multiplies 1/epsilon.
        curve = fitted(np.log(conditions).tolist(), np.log(last).tolist())
        yield Entry(method, "iterations ~ k^p, k the condition: p", "-", "at most 2" if method == "SGD" else "0", curve)
