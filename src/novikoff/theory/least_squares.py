"""Theorems about least squares: what a step of each method does to the error, in exact rationals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

from novikoff.theory.ellipsoid import Matrix, nonnegative, solved
from novikoff.theory.exact import (
    Interval,
    Number,
    Vector,
    inner,
    logarithm,
    rational,
    root,
    settled,
    sqnorm,
    vector,
)
from novikoff.theory.theorem import Hypothesis, Theorem

NOTES = "Lecture notes on the perceptron and stochastic gradient descent, section 11"
STROHMER_VERSHYNIN = (
    "T. Strohmer and R. Vershynin, A randomized Kaczmarz algorithm with exponential convergence, "
    "J. Fourier Anal. Appl. 15 (2009) 262-278"
)
BACH_MOULINES_2013 = (
    "F. Bach and E. Moulines, Non-strongly-convex smooth stochastic approximation with convergence rate O(1/n), "
    "NIPS 2013, Theorem 1"
)


# Bounds --------------------------------------------------------------------------------------------


def contraction_bound(kappa: Number, epsilon: Number) -> int:
    """The smallest k with (1 - 1/kappa)^k <= epsilon.

    For gradient descent kappa = L/mu, and epsilon is what is left of ||w - w*||; for Kaczmarz' method
    kappa = ||A||_F^2/sigma_min^2, and epsilon is what is left of the expected ||w - w*||^2.
    """
    finite = all(isinstance(value, int | Fraction) or math.isfinite(value) for value in (kappa, epsilon))
    if not finite or rational(kappa) < 1 or rational(epsilon) <= 0:
        raise ValueError(f"the bound needs kappa >= 1 and epsilon > 0; they are {kappa} and {epsilon}")
    factor, left = 1 - 1 / rational(kappa), rational(epsilon)
    if left >= 1 or factor == 0:
        return 0 if left >= 1 else 1

    def quotient(digits: int) -> Interval:
        (low, high), (step_low, step_high) = logarithm(1 / left, digits), logarithm(1 / factor, digits)
        return (low / step_high, high / step_low) if step_low > 0 else (Fraction(-1), Fraction(1))

    # The quotient of the logarithms is an integer k only if factor^k = epsilon, in lowest terms on both sides.
    k = round(sum(quotient(32 + factor.denominator.bit_length())) / 2)
    if 0 < k <= left.denominator.bit_length() and factor**k == left:
        return k
    return settled(math.ceil, quotient)


def averaging_bound(d: int, noise_sq: Number, radius_sq: Number, distance_sq: Number, epsilon: Number) -> int:
    """The smallest n >= 1 with (2/n) (sigma sqrt(d) + R ||w_0 - w*||)^2 <= epsilon, for squares given exactly."""
    level = rational(epsilon)
    if not level > 0:
        raise ValueError(f"the bound needs epsilon > 0; it is {epsilon}")
    noise, start = d * rational(noise_sq), rational(radius_sq) * rational(distance_sq)
    # n - 2 (noise + start)/epsilon is at least the root of 16 noise start/epsilon^2.
    plain, square = 2 * (noise + start) / level, 16 * noise * start / level**2
    n = max(1, math.ceil(plain + root(square)[0]))
    return n if (n - plain) ** 2 >= square else n + 1


def _one_step() -> int:
    return 1


def damped_bound(alpha: Number, epsilon: Number) -> int:
    """The smallest k with |1 - alpha|^k <= epsilon, for 0 < alpha < 2.

    grad F(w) = H (w - w*), so w - alpha H^-1 grad F(w) - w* = (1 - alpha)(w - w*).
    """
    finite = isinstance(alpha, int | Fraction) or math.isfinite(alpha)
    left = abs(1 - rational(alpha)) if finite else Fraction(1)
    if not left < 1:
        raise ValueError(f"the bound needs 0 < alpha < 2; alpha = {alpha}")
    return contraction_bound(1 / (1 - left), epsilon)


# Runs ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Quadratic:
    """A run on F(w) = sum (<w,a_i> - y_i)^2 in exact rationals.

    Parameters
    ----------
    rows, targets
        a_i, with the constant coordinate if there is one, and y_i.
    path
        w_0, w_1, ...
    optimum
        w*, where F is least.
    """

    rows: Matrix
    targets: Vector
    path: Matrix
    optimum: Vector

    @classmethod
    def of(
        cls,
        X: Iterable[Iterable[Number]],
        y: Iterable[Number],
        path: Iterable[Iterable[Number]],
        optimum: Iterable[Number],
        **others: Any,
    ) -> Self:
        """From numbers of any kind, each taken at its exact value."""
        exact = {k: vector(v) if isinstance(v, Iterable) else rational(v) for k, v in others.items()}
        return cls([vector(row) for row in X], vector(y), [vector(w) for w in path], vector(optimum), **exact)

    @cached_property
    def hessian(self) -> list[list[Fraction]]:
        """2 sum a_i a_i'."""
        return [[2 * value for value in row] for row in _gram(self.rows)]

    def gradient(self, w: Vector) -> list[Fraction]:
        """2 sum (<w,a_i> - y_i) a_i."""
        residuals = [inner(w, a) - y for a, y in zip(self.rows, self.targets, strict=True)]
        return [2 * inner(residuals, column) for column in zip(*self.rows, strict=True)]

    @cached_property
    def distances_sq(self) -> list[Fraction]:
        """||w_k - w*||^2."""
        return [sqnorm(_minus(w, self.optimum)) for w in self.path]


@dataclass(frozen=True)
class Descent(Quadratic):
    """A run of gradient descent with the step alpha, on F with mu I <= H <= L I."""

    mu: Fraction
    L: Fraction
    step: Fraction


@dataclass(frozen=True)
class Damped(Quadratic):
    """A run of Newton's method with the step alpha."""

    step: Fraction


@dataclass(frozen=True)
class Projections(Quadratic):
    """A run of Kaczmarz' method: row i is drawn with probability p_i, and w projected onto <w,a_i> = y_i.

    ``sigma_sq`` is at most the smallest eigenvalue of A'A.
    """

    sigma_sq: Fraction
    probabilities: Vector

    @cached_property
    def frobenius_sq(self) -> Fraction:
        return sum((sqnorm(a) for a in self.rows), Fraction(0))

    def expected_sq(self, w: Vector) -> Fraction:
        """E ||w' - w*||^2 after one draw."""
        total = Fraction(0)
        for a, y, p in zip(self.rows, self.targets, self.probabilities, strict=True):
            share = (y - inner(w, a)) / sqnorm(a) if any(a) else Fraction(0)
            total += p * sqnorm([v + share * x - o for v, x, o in zip(w, a, self.optimum, strict=True)])
        return total


@dataclass(frozen=True)
class Averaging:
    """All runs of w <- w - gamma (<w,x> - y) x at once, where (x, y) is drawn from a list, f(w) = E (<w,x> - y)^2 / 2.

    Half the square, hence half the gradient: gamma is 2 alpha of `novikoff.LeastSquares`.

    Parameters
    ----------
    rows, targets
        The list; every pair in it has the same probability.
    start, optimum
        w_0, and w* where f is least.
    step
        gamma.
    radius_sq, noise_sq
        R^2 and sigma^2.
    length
        How many steps.
    """

    rows: Matrix
    targets: Vector
    start: Vector
    optimum: Vector
    step: Fraction
    radius_sq: Fraction
    noise_sq: Fraction
    length: int

    @classmethod
    def of(
        cls,
        X: Iterable[Iterable[Number]],
        y: Iterable[Number],
        start: Iterable[Number],
        optimum: Iterable[Number],
        *,
        step: Number,
        radius_sq: Number,
        noise_sq: Number,
        length: int,
    ) -> Averaging:
        """From numbers of any kind, each taken at its exact value."""
        given = [vector(row) for row in X], vector(y), vector(start), vector(optimum)
        return cls(*given, rational(step), rational(radius_sq), rational(noise_sq), length)

    @cached_property
    def hessian(self) -> list[list[Fraction]]:
        """E xx'."""
        return [[value / len(self.rows) for value in row] for row in _gram(self.rows)]

    @cached_property
    def residuals(self) -> list[Fraction]:
        """y - <w*,x>; the noise is xi = (y - <w*,x>) x."""
        return [y - inner(self.optimum, x) for x, y in zip(self.rows, self.targets, strict=True)]

    def weighted(self, weights: Vector) -> list[list[Fraction]]:
        """E c xx'."""
        columns = list(zip(*self.rows, strict=True))
        n = len(self.rows)
        return [[sum(map(_product, weights, u, v), Fraction(0)) / n for v in columns] for u in columns]

    def excess(self, first: int) -> list[Fraction]:
        """E f(mean of n iterates from w_first on) - f(w*), for n = 1, 2, ...

        z_t = (w_t - w*, 1) becomes M z_t with M = (I - gamma xx', gamma xi; 0, 1), drawn anew each time. So
        E z_(t+1) z_(t+1)' = E M (E z_t z_t') M', and E z_s z_t' = E z_s z_s' (E M')^(t-s) for s < t.
        """
        d, n = len(self.start), len(self.rows)
        steps = []
        for x, r in zip(self.rows, self.residuals, strict=True):
            M = [[(i == j) - self.step * x[i] * x[j] for j in range(d)] + [self.step * r * x[i]] for i in range(d)]
            steps.append([*M, [Fraction(0)] * d + [Fraction(1)]])
        mean = _scaled(_sum(steps), Fraction(1, n))
        z = [*_minus(self.start, self.optimum), Fraction(1)]
        moment = [[a * b for b in z] for a in z]
        # (<w,x> - y)^2 - (<w*,x> - y)^2 is a quadratic form in z.
        form = _sum(
            [[[a * b for b in (*x, -r)] for a in (*x, -r)] for x, r in zip(self.rows, self.residuals, strict=True)]
        )
        form[d][d] = Fraction(0)
        found: list[Fraction] = []
        cross = total = _scaled(moment, Fraction(0))
        for t in range(first + self.length):
            if t >= first:
                moved = _times(cross, _transposed(mean))  # E (sum so far) z_t'
                total = _sum([total, moved, _transposed(moved), moment])
                cross = _sum([moved, moment])
                k = t - first + 1
                found.append(sum(map(inner, form, total), Fraction(0)) / (2 * n * k * k))
            moment = _scaled(_sum([_times(_times(M, moment), _transposed(M)) for M in steps]), Fraction(1, n))
        return found


# Matrices ------------------------------------------------------------------------------------------


def _product(*factors: Fraction) -> Fraction:
    return math.prod(factors, start=Fraction(1))


def _minus(u: Vector, v: Vector) -> list[Fraction]:
    return [a - b for a, b in zip(u, v, strict=True)]


def _transposed(A: Matrix) -> list[list[Fraction]]:
    return [list(column) for column in zip(*A, strict=True)]


def _times(A: Matrix, B: Matrix) -> list[list[Fraction]]:
    columns = _transposed(B)
    return [[inner(row, column) for column in columns] for row in A]


def _sum(matrices: Sequence[Matrix]) -> list[list[Fraction]]:
    return [[sum(values, Fraction(0)) for values in zip(*rows, strict=True)] for rows in zip(*matrices, strict=True)]


def _scaled(A: Matrix, c: Fraction) -> list[list[Fraction]]:
    return [[c * value for value in row] for row in A]


def _gram(A: Matrix) -> list[list[Fraction]]:
    columns = _transposed(A)
    return [[inner(u, v) for v in columns] for u in columns]


def _at_most(A: Matrix, B: Matrix) -> bool:
    """A <= B: B - A is positive semidefinite."""
    return nonnegative([_minus(b, a) for a, b in zip(A, B, strict=True)])


def _identity(c: Fraction, d: int) -> list[list[Fraction]]:
    return [[c if i == j else Fraction(0) for j in range(d)] for i in range(d)]


# Gradient descent and Newton's method --------------------------------------------------------------


def _newton_steps(run: Quadratic, alpha: Fraction = Fraction(1)) -> bool:
    """H (w_(k+1) - w_k) = - alpha grad F(w_k), which for an invertible H has one solution."""
    return _invertible(run) and all(
        [inner(row, _minus(after, before)) for row in run.hessian] == [-alpha * g for g in run.gradient(before)]
        for before, after in pairwise(run.path)
    )


def _invertible(run: Quadratic) -> bool:
    return solved(run.hessian, [[]] * len(run.hessian))[0] != 0


def _gradient_steps(run: Descent) -> bool:
    return all(
        _minus(before, after) == [run.step * g for g in run.gradient(before)] for before, after in pairwise(run.path)
    )


def _contracts(run: Descent) -> bool:
    return all(run.L**2 * after <= (run.L - run.mu) ** 2 * before for before, after in pairwise(run.distances_sq))


STATIONARY = Hypothesis("grad F(w*) = 0", lambda run: not any(run.gradient(run.optimum)))

# w_(k+1) - w* = (I - H/L)(w_k - w*), and the eigenvalues of I - H/L are between 0 and 1 - mu/L.
GRADIENT_DESCENT = Theorem(
    "gradient-descent",
    "Gradient descent on a quadratic",
    "If mu I <= H <= L I, every step w <- w - (1/L) grad F(w) multiplies ||w - w*|| by at most 1 - mu/L.",
    (
        Hypothesis("mu I <= H", lambda run: _at_most(_identity(run.mu, len(run.hessian)), run.hessian)),
        Hypothesis("H <= L I", lambda run: _at_most(run.hessian, _identity(run.L, len(run.hessian)))),
        STATIONARY,
        Hypothesis("alpha = 1/L", lambda run: run.step * run.L == 1),
        Hypothesis("every step is w <- w - alpha grad F(w)", _gradient_steps),
    ),
    contraction_bound,
    _contracts,
    NOTES,
    about=Descent,
)

INVERTIBLE = Hypothesis("H is invertible", _invertible)

# grad F(w + v) = grad F(w) + H v.
NEWTON = Theorem(
    "newton",
    "Newton's method on a quadratic",
    "If H is invertible, one step w <- w - H^-1 grad F(w) from any w ends where the gradient is zero.",
    (
        INVERTIBLE,
        Hypothesis("every step is w <- w - H^-1 grad F(w)", _newton_steps),
    ),
    _one_step,
    lambda run: not any(any(run.gradient(w)) for w in run.path[1:]),
    NOTES,
    about=Quadratic,
)

DAMPED_NEWTON = Theorem(
    "damped-newton",
    "Newton's method with a shorter step",
    "If H is invertible, every step w <- w - alpha H^-1 grad F(w) multiplies w - w* by exactly 1 - alpha.",
    (
        INVERTIBLE,
        STATIONARY,
        Hypothesis("every step is w <- w - alpha H^-1 grad F(w)", lambda run: _newton_steps(run, run.step)),
    ),
    damped_bound,
    lambda run: all(
        _minus(after, run.optimum) == [(1 - run.step) * e for e in _minus(before, run.optimum)]
        for before, after in pairwise(run.path)
    ),
    NOTES + ", Remark 11.1",
    about=Damped,
)


# Kaczmarz' method ----------------------------------------------------------------------------------


# A projection takes <w - w*,a>^2/||a||^2 off ||w - w*||^2; on average ||A(w - w*)||^2/||A||_F^2.
KACZMARZ = Theorem(
    "kaczmarz",
    "Randomised Kaczmarz",
    "If A w* = y and row i is drawn with probability ||a_i||^2/||A||_F^2, projecting onto its equation multiplies "
    "||w - w*||^2 by at most 1 - sigma_min^2/||A||_F^2 on average.",
    (
        Hypothesis(
            "<w*,a> = y for every row",
            lambda run: [inner(run.optimum, a) for a in run.rows] == list(run.targets),
        ),
        Hypothesis(
            "sigma_min^2 I <= A'A",
            lambda run: _at_most(_identity(run.sigma_sq, len(run.optimum)), _gram(run.rows)),
        ),
        Hypothesis(
            "a row is drawn with probability ||a||^2/||A||_F^2",
            lambda run: [p * run.frobenius_sq for p in run.probabilities] == [sqnorm(a) for a in run.rows],
        ),
    ),
    contraction_bound,
    lambda run: all(
        run.frobenius_sq * run.expected_sq(w) <= (run.frobenius_sq - run.sigma_sq) * before
        for w, before in zip(run.path, run.distances_sq, strict=True)
    ),
    STROHMER_VERSHYNIN,
    about=Projections,
)


# Averaged SGD --------------------------------------------------------------------------------------


def _long_rows(run: Averaging) -> bool:
    """E ||x||^2 xx' <= R^2 E xx'."""
    return _at_most(run.weighted([sqnorm(x) for x in run.rows]), _scaled(run.hessian, run.radius_sq))


def _noisy(run: Averaging) -> bool:
    """E xi xi' <= sigma^2 E xx'."""
    return _at_most(run.weighted([r * r for r in run.residuals]), _scaled(run.hessian, run.noise_sq))


def _averages(run: Averaging) -> bool:
    """n E/2 <= (sigma sqrt(d) + R ||w_0 - w*||)^2 for the excess E of either mean, without a root."""
    noise, start = len(run.start) * run.noise_sq, run.radius_sq * sqnorm(_minus(run.start, run.optimum))
    over = (n * e / 2 - noise - start for first in (0, 1) for n, e in enumerate(run.excess(first), start=1))
    return all(o <= 0 or o * o <= 4 * noise * start for o in over)


# The paper has the mean of w_0, ..., w_(n-1); its proof gives the same for w_1, ..., w_n, which LeastSquares returns.
# Let g = gamma R^2 < 1 and H = E xx'. By linearity w_t - w* = b_t + v_t, b without the noise and v from 0.
# 1. E ||b_(t+1)||^2 <= E ||b_t||^2 - gamma (2 - g) E <b_t,H b_t>. Summed from t = 0 or from 1, and by convexity, the
#    mean b of n iterates has E <b,Hb> <= ||w_0 - w*||^2/(n gamma).
# 2. v = v^0 + v^1 + ..., where v^r_(t+1) = (I - gamma H) v^r_t + gamma xi^r, xi^0 = xi and xi^(r+1) = (H - xx') v^r_t.
#    By induction E xi^r xi^r' <= g^r sigma^2 H and E v^r v^r' <= gamma g^r sigma^2 I. n times the mean is a sum of at
#    most n uncorrelated H^-1 (I - (I - gamma H)^k) xi^r, so E <v^r,H v^r> <= g^r sigma^2 d/n for either mean.
# By Minkowski's inequality the root of E <w - w*,H(w - w*)> for the mean w is at most
#    (sigma sqrt(d)/(1 - sqrt(g)) + ||w_0 - w*||/sqrt(gamma)) / sqrt(n).
# The draws are independent: this is one pass over a sample or a stream, and says nothing about later passes.
BACH_MOULINES = Theorem(
    "averaged-sgd",
    "Averaged SGD with a constant step",
    "For f(w) = E (<w,x> - y)^2 / 2 and gamma = 1/(4 R^2), the mean of n iterates, w_0 to w_(n-1) or w_1 to w_n, has "
    "E f - f(w*) <= (2/n) (sigma sqrt(d) + R ||w_0 - w*||)^2.",
    (
        Hypothesis("E (y - <w*,x>) x = 0", lambda run: not any(inner(run.residuals, c) for c in _transposed(run.rows))),
        # This follows from ||x|| <= R for every x.
        Hypothesis("E ||x||^2 xx' <= R^2 E xx'", _long_rows),
        Hypothesis("E xi xi' <= sigma^2 E xx' for the noise xi = (y - <w*,x>) x", _noisy),
        Hypothesis("gamma = 1/(4 R^2)", lambda run: 4 * run.step * run.radius_sq == 1),
    ),
    averaging_bound,
    _averages,
    BACH_MOULINES_2013,
    about=Averaging,
)
