"""The theorems about least squares: they hold, they are tight, their hypotheses are needed; and LeastSquares obeys."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from novikoff import LeastSquares
from novikoff.theory import least_squares as theory
from novikoff.theory.ellipsoid import solved
from novikoff.theory.exact import inner, sqnorm
from tests.theorems.tally import applied_often, confirmed

# Runs are cut short on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SMALL = st.integers(-6, 6).map(lambda k: Fraction(k, 2))


@st.composite
def systems(draw, consistent=False):
    """Rows of full column rank, targets, and w* from the normal equations."""
    d = draw(st.integers(1, 3))
    n = draw(st.integers(d, 4))
    X = [[draw(SMALL) for _ in range(d)] for _ in range(n)]
    y = [draw(SMALL) for _ in range(n)]
    if consistent:
        w = [draw(SMALL) for _ in range(d)]
        y = [inner(w, a) for a in X]
    optimum = least(X, y)
    assume(optimum is not None)
    return X, y, optimum


def least(X, y):
    columns = list(zip(*X, strict=True))
    gram = [[inner(u, v) for v in columns] for u in columns]
    determinant, solution = solved(gram, [[inner(y, c)] for c in columns])
    return [row[0] for row in solution] if determinant else None


def starts(d):
    return st.lists(SMALL, min_size=d, max_size=d)


def descend(X, y, w, alpha, steps):
    path = [w]
    for _ in range(steps):
        g = [0] * len(w)
        for a, t in zip(X, y, strict=True):
            r = inner(path[-1], a) - t
            g = [v + 2 * r * x for v, x in zip(g, a, strict=True)]
        path.append([v - alpha * x for v, x in zip(path[-1], g, strict=True)])
    return path


def frobenius(X):
    return sum(sqnorm(a) for a in X)


def projections(X, y, optimum, path, *, sigma_sq, probabilities=None):
    by_length = [sqnorm(a) / frobenius(X) for a in X]
    return theory.Projections.of(X, y, path, optimum, sigma_sq=sigma_sq, probabilities=probabilities or by_length)


def averaging(X, y, start, optimum, *, length=5, **changed):
    radius_sq = changed.pop("radius_sq", max(sqnorm(x) for x in X))
    noise_sq = max((t - inner(optimum, x)) ** 2 for x, t in zip(X, y, strict=True))
    given = {"step": 1 / (4 * radius_sq), "radius_sq": radius_sq, "noise_sq": noise_sq, "length": length}
    return theory.Averaging.of(X, y, start, optimum, **given | changed)


# They hold ------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(systems(), st.data())
def test_gradient_descent(system, data):
    X, y, optimum = system
    d = len(optimum)
    # mu = 1/tr(H^-1) and L = tr(H) are rational and on the right sides of the eigenvalues.
    H = [[2 * sum(a[i] * a[j] for a in X) for j in range(d)] for i in range(d)]
    inverse = solved(H, [[Fraction(int(i == j)) for j in range(d)] for i in range(d)])[1]
    mu, L = 1 / sum(inverse[i][i] for i in range(d)), sum(H[i][i] for i in range(d))
    run = theory.Descent.of(X, y, descend(X, y, data.draw(starts(d)), 1 / L, 3), optimum, mu=mu, L=L, step=1 / L)
    finding = theory.GRADIENT_DESCENT.check(run)
    assert finding.unmet == ()
    assert finding.conclusion


@settings(max_examples=60)
@given(systems(), st.data())
def test_newton(system, data):
    X, y, optimum = system
    w = data.draw(starts(len(optimum)))
    finding = theory.NEWTON.check(theory.Quadratic.of(X, y, [w, optimum, optimum], optimum))
    assert finding.unmet == ()  # with an invertible H, the step to w* is the one that Newton's method takes
    assert finding.conclusion
    other = [optimum[0] + 1, *optimum[1:]]
    finding = theory.NEWTON.check(theory.Quadratic.of(X, y, [w, other], optimum))
    assert finding.unmet == ("every step is w <- w - H^-1 grad F(w)",)
    assert not finding.conclusion


def damped(X, y, w, alpha, steps):
    """Newton's method by its definition, H^-1 grad F solved in rationals."""
    d = len(w)
    H = [[2 * sum(a[i] * a[j] for a in X) for j in range(d)] for i in range(d)]
    path = [w]
    for _ in range(steps):
        residuals = [inner(path[-1], a) - t for a, t in zip(X, y, strict=True)]
        gradient = [[2 * sum(r * a[j] for r, a in zip(residuals, X, strict=True))] for j in range(d)]
        step = solved(H, gradient)[1]
        path.append([v - alpha * s[0] for v, s in zip(path[-1], step, strict=True)])
    return path


def test_damped_newton():
    with applied_often() as tally:

        @settings(max_examples=60)
        @given(systems(), st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(5)]), st.data())
        def each(system, alpha, data):
            X, y, optimum = system
            path = damped(X, y, data.draw(starts(len(optimum))), alpha, 3)
            run = theory.Damped.of(X, y, path, optimum, step=alpha)
            finding = tally.check(theory.DAMPED_NEWTON, run)
            assert finding.applies
            assert run.distances_sq[3] == (1 - alpha) ** 6 * run.distances_sq[0]

        each()


@settings(max_examples=60)
@given(systems(consistent=True), st.data())
def test_kaczmarz(system, data):
    X, y, optimum = system
    d = len(optimum)
    gram = [[sum(a[i] * a[j] for a in X) for j in range(d)] for i in range(d)]
    inverse = solved(gram, [[Fraction(int(i == j)) for j in range(d)] for i in range(d)])[1]
    path = [data.draw(starts(d))]
    for i in data.draw(st.lists(st.integers(0, len(X) - 1), max_size=4)):
        if any(X[i]):
            share = (y[i] - inner(path[-1], X[i])) / sqnorm(X[i])
            path.append([v + share * x for v, x in zip(path[-1], X[i], strict=True)])
    run = projections(X, y, optimum, path, sigma_sq=1 / sum(inverse[i][i] for i in range(d)))
    finding = theory.KACZMARZ.check(run)
    assert finding.unmet == ()
    assert finding.conclusion


@settings(max_examples=30)
@given(systems(), st.data())
def test_bach_and_moulines(system, data):
    X, y, optimum = system
    finding = theory.BACH_MOULINES.check(averaging(X, y, data.draw(starts(len(optimum))), optimum))
    assert finding.unmet == ()
    assert finding.conclusion


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("optimum", [[Fraction(1), Fraction(-1, 3)], [Fraction(5), Fraction(0)]])
def test_the_expectation_is_the_mean_over_all_runs(first, optimum):
    # optimum or not: the recursion for the moments is exact either way
    X = [[Fraction(1), Fraction(2)], [Fraction(0), Fraction(-1)], [Fraction(3, 2), Fraction(1)]]
    y = [Fraction(1), Fraction(2), Fraction(0)]
    run = averaging(X, y, [Fraction(1), Fraction(1)], optimum, length=4)

    def f(w):
        return sum((inner(w, x) - t) ** 2 for x, t in zip(X, y, strict=True)) / 6

    for n, excess in enumerate(run.excess(first), start=1):
        total = Fraction(0)
        for draws in itertools.product(range(3), repeat=n - 1 + first):
            path = [[Fraction(1), Fraction(1)]]
            for i in draws:
                r = inner(path[-1], X[i]) - y[i]
                path.append([v - run.step * r * x for v, x in zip(path[-1], X[i], strict=True)])
            total += f([sum(c) / n for c in zip(*path[first:], strict=True)]) - f(optimum)
        assert excess == total / 3 ** (n - 1 + first)


# They are tight -------------------------------------------------------------------------------------


def test_gradient_descent_meets_its_rate_on_the_flattest_direction():
    X, y = [[1, 0], [0, 3]], [0, 0]  # H = diag(2, 18)
    run = theory.Descent.of(
        X, y, descend(X, y, [Fraction(1), Fraction(0)], Fraction(1, 18), 4), [0, 0], mu=2, L=18, step=Fraction(1, 18)
    )
    assert confirmed(theory.GRADIENT_DESCENT, run)
    assert run.distances_sq == [Fraction(8, 9) ** (2 * k) for k in range(5)]
    assert theory.GRADIENT_DESCENT.bound(9, Fraction(8, 9) ** 4) == 4


def test_kaczmarz_meets_its_rate_on_orthogonal_rows_of_one_length():
    X = [[3, 4, 0], [-4, 3, 0], [0, 0, 5]]
    path = [[Fraction(a), Fraction(b), Fraction(c)] for a, b, c in [(1, 0, 0), (2, -7, 1), (0, 0, 0)]]
    run = projections(X, [7, -1, 5], [1, 1, 1], path, sigma_sq=25)
    assert confirmed(theory.KACZMARZ, run)
    assert [run.expected_sq(w) for w in path] == [Fraction(2, 3) * e for e in run.distances_sq]


def test_averaging_is_within_a_constant_of_its_bound():
    # One coordinate of noise: n E tends to sigma^2 d/2, a quarter of what the bound gives for it.
    X, y = [[Fraction(1)], [Fraction(1)]], [Fraction(1), Fraction(-1)]
    run = averaging(X, y, [0], [0], length=60)
    assert confirmed(theory.BACH_MOULINES, run)
    for first in (0, 1):
        ratio = 60 * run.excess(first)[-1] / (2 * run.noise_sq)
        assert Fraction(1, 5) < ratio < Fraction(1, 4)


def test_the_bound_of_averaging_is_compared_without_a_root():
    X, y = [[Fraction(1)], [Fraction(2)]], [Fraction(1), Fraction(-1)]
    for start, first in ((Fraction(3), 0), (Fraction(-1, 10), 1)):
        plain = averaging(X, y, [start], least(X, y), length=3)
        most = [max(n * float(e) / 2 for n, e in enumerate(plain.excess(k), start=1)) for k in (0, 1)]
        assert most[first] > most[1 - first]  # either mean can be the one that decides
        # Such R and sigma that each is half of the root of the bound, and the sum a little more or less than enough.
        half_sq, distance_sq = most[first] / 4, float((start - plain.optimum[0]) ** 2)
        for slack in (1e-6, -1e-6):
            changed = {"radius_sq": half_sq / distance_sq, "noise_sq": half_sq * (1 + slack), "step": plain.step}
            run = averaging(X, y, [start], plain.optimum, length=3, **changed)
            assert theory.BACH_MOULINES.check(run).conclusion == (slack > 0)


# Hypotheses are needed ------------------------------------------------------------------------------

ONE = [[Fraction(1)]]
PLANE = [[1, 0], [0, 3]]
NOISE = averaging([[1], [1]], [1, -1], [0], [0], noise_sq=0)
EXCITED = averaging([[Fraction(2)]], [0], [1], [0], length=20, radius_sq=Fraction(1, 2))
HASTY = averaging(ONE, [0], [1], [0], length=20, step=3)
REPEATED = [[Fraction(1, 4), 0]] * 8 + [[0, 1]]


def straight(*, mu, L, step, optimum=(0, 0), path=None, start=(1, 1)):
    path = path or descend(PLANE, [0, 0], [Fraction(v) for v in start], step, 2)
    return theory.Descent.of(PLANE, [0, 0], path, optimum, mu=mu, L=L, step=step)


def half(X, y, path, optimum):
    return theory.Damped.of(X, y, path, optimum, step=Fraction(1, 2))


@pytest.mark.parametrize(
    ("theorem", "run", "without"),
    [
        (theory.GRADIENT_DESCENT, straight(mu=3, L=18, step=Fraction(1, 18), start=(1, 0)), "mu I <= H"),
        (theory.GRADIENT_DESCENT, straight(mu=2, L=6, step=Fraction(1, 6), start=(0, 1)), "H <= L I"),
        (theory.GRADIENT_DESCENT, straight(mu=2, L=18, step=Fraction(1, 18), optimum=(1, 1)), "grad F(w*) = 0"),
        (theory.GRADIENT_DESCENT, straight(mu=2, L=18, step=Fraction(1, 8), start=(0, 1)), "alpha = 1/L"),
        (theory.GRADIENT_DESCENT, straight(mu=2, L=18, step=Fraction(1, 18), path=[[1, 1], [1, 1]]), "every step"),
        (theory.NEWTON, theory.Quadratic.of([[1, 1]], [1], [[0, 0], [0, 0]], [1, 0]), "H is invertible"),
        (theory.NEWTON, theory.Quadratic.of(ONE, [1], [[0], [Fraction(1, 2)]], [1]), "every step"),
        (theory.DAMPED_NEWTON, half([[1, 1]], [1], [[0, 0], [1, 0]], [1, 0]), "H is invertible"),
        (theory.DAMPED_NEWTON, half(ONE, [1], [[0], [Fraction(1, 2)]], [2]), "grad F(w*) = 0"),
        (theory.DAMPED_NEWTON, half(ONE, [1], [[0], [1]], [1]), "every step"),
        (theory.KACZMARZ, projections([[1], [1]], [1, -1], [0], [[Fraction(0)]], sigma_sq=2), "<w*,a> = y"),
        (theory.KACZMARZ, projections(PLANE, [0, 0], [0, 0], [[1, 0]], sigma_sq=2), "sigma_min^2"),
        (
            theory.KACZMARZ,
            projections(
                REPEATED, [0] * 9, [0, 0], [[0, 1]], sigma_sq=Fraction(1, 2), probabilities=[Fraction(1, 9)] * 9
            ),
            "probability",
        ),
        (theory.BACH_MOULINES, NOISE, "E xi xi'"),
        (theory.BACH_MOULINES, EXCITED, "E ||x||^2 xx'"),
        (theory.BACH_MOULINES, HASTY, "gamma"),
    ],
)
def test_a_hypothesis_is_needed(theorem, run, without):
    finding = theorem.check(run)
    assert without in finding.unmet[0]
    assert len(finding.unmet) == 1 or without == "H is invertible"  # then there is no H^-1 to step with
    assert not finding.conclusion
    assert finding.holds


def test_without_an_inverse_there_is_no_step_of_newton():
    # H v = -grad F(0) has solutions, one of them v = (1, 0), and each ends at a minimum. None of them is H^-1 of it.
    finding = theory.NEWTON.check(theory.Quadratic.of([[1, 1]], [1], [[0, 0], [1, 0]], [1, 0]))
    assert finding.unmet == tuple(h.text for h in theory.NEWTON.hypotheses)
    assert finding.conclusion


# Bounds ---------------------------------------------------------------------------------------------


@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 40), st.integers(0, 30))
def test_the_smallest_number_of_contractions(p, q, part, power):
    kappa = 1 + Fraction(p, q)
    factor = 1 - 1 / kappa
    for epsilon in (Fraction(part, 40), factor**power, factor**power - Fraction(1, 10**30)):
        if epsilon > 0:
            k = theory.contraction_bound(kappa, epsilon)
            assert factor**k <= epsilon
            assert k == 0 or factor ** (k - 1) > epsilon


def test_contractions_at_the_ends():
    assert theory.contraction_bound(1, Fraction(1, 10**9)) == 1
    assert theory.contraction_bound(1, 1) == theory.contraction_bound(7, 2) == 0
    assert theory.contraction_bound(1e10, 1e-6) == pytest.approx(1e10 * math.log(1e6), rel=1e-9)
    assert len(str(theory.contraction_bound(1e300, 0.5))) == 300
    for kappa, epsilon in ((0.5, 0.5), (2, 0), (2, -1), (math.inf, 0.5), (2, math.nan)):
        with pytest.raises(ValueError, match="kappa >= 1 and epsilon > 0"):
            theory.contraction_bound(kappa, epsilon)


@given(st.integers(1, 5), *[st.fractions(0, 9, max_denominator=4)] * 3, st.fractions(Fraction(1, 20), 9))
def test_the_smallest_number_of_averaged_steps(d, noise_sq, radius_sq, distance_sq, epsilon):
    n = theory.averaging_bound(d, noise_sq, radius_sq, distance_sq, epsilon)
    noise, start = d * noise_sq, radius_sq * distance_sq

    def enough(n):
        over = n * epsilon / 2 - noise - start
        return over >= 0 and over**2 >= 4 * noise * start

    assert n >= 1
    assert enough(n)
    assert n == 1 or not enough(n - 1)


def test_averaged_steps_that_are_whole_are_not_rounded_up():
    assert theory.averaging_bound(4, 9, 4, 25, 2) == 256  # 2/2 (3 * 2 + 2 * 5)^2
    assert theory.averaging_bound(4, 0, 4, 0, 2) == 1, "a mean is of 1 iterate at least"
    with pytest.raises(ValueError, match="epsilon > 0"):
        theory.averaging_bound(1, 1, 1, 1, 0)


def test_newton_needs_one_step():
    assert theory.NEWTON.bound() == 1


def test_damped_newton_needs_as_many_as_its_factor_says():
    assert theory.DAMPED_NEWTON.bound(Fraction(1, 2), Fraction(1, 1024)) == 10
    assert theory.DAMPED_NEWTON.bound(Fraction(3, 2), Fraction(1, 1024)) == 10
    assert theory.DAMPED_NEWTON.bound(1, Fraction(1, 10**9)) == 1
    assert theory.DAMPED_NEWTON.bound(0.1, 1e-6) == math.ceil(math.log(1e-6) / math.log(0.9))
    for alpha in (0, 2, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="0 < alpha < 2"):
            theory.DAMPED_NEWTON.bound(alpha, 0.5)


# LeastSquares ---------------------------------------------------------------------------------------


def noisy(n, d, seed, noise=0.3):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((n, d)) * np.linspace(1, 3, d)
    y = X @ rng.standard_normal(d) + noise * rng.standard_normal(n)
    return X, y, np.linalg.lstsq(X, y, rcond=None)[0]


def fitted(method, X, y, **parameters):
    return LeastSquares(method, fit_intercept=False, **parameters).fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_its_gradient_descent_contracts(seed):
    X, y, optimum = noisy(40, 4, seed)
    values = np.linalg.eigvalsh(2 * X.T @ X)
    rate = 1 - values[0] / values[-1]
    errors = [np.linalg.norm(optimum)]
    for k in range(1, 12):
        errors.append(np.linalg.norm(fitted("gd", X, y, max_iter=k, tol=0).coef_ - optimum))
        assert errors[-1] <= rate * errors[-2] * (1 + 1e-9)
    model = fitted("gd", X, y, tol=1e-8)
    # The gradient is H times the error, so that it contracts as the error does.
    assert model.n_iter_ <= theory.contraction_bound(values[-1] / values[0] * (1 + 1e-9), 1e-8)


def test_its_gradient_descent_meets_the_rate():
    X, y = np.diag([1.0, 3.0]), np.array([1.0, 0.0])  # w* = e_1, along the flattest direction
    model = fitted("gd", X, y, max_iter=5, tol=0)
    assert 1 - model.coef_[0] == pytest.approx((8 / 9) ** 5, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_its_newton_takes_one_step(seed):
    X, y, optimum = noisy(40, 4, seed)
    model = fitted("newton", X, y)
    assert model.n_iter_ == theory.NEWTON.bound()
    assert model.trace_.accuracy[-1] < 1e-13
    assert np.allclose(model.coef_, optimum, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.25, 0.5, 1.5])
def test_its_damped_newton_multiplies_the_error_exactly(alpha):
    X, y, optimum = noisy(40, 4, 1)
    for k in range(1, 8):
        left = fitted("newton", X, y, step=alpha, max_iter=k, tol=0).coef_ - optimum
        assert left == pytest.approx(-((1 - alpha) ** k) * optimum, rel=1e-9, abs=1e-12)


def test_its_kaczmarz_contracts_on_average():
    X, _, w = noisy(12, 3, 0)
    y = X @ w
    rate = 1 - np.linalg.eigvalsh(X.T @ X)[0] / (X**2).sum()
    left = [((fitted("kaczmarz", X, y, max_iter=1, random_state=s).coef_ - w) ** 2).sum() for s in range(400)]
    assert np.mean(left) <= rate**12 * (w @ w)
    assert np.mean(left) > 1e-3 * rate**12 * (w @ w)  # so that the bound says something


def test_its_kaczmarz_meets_the_rate_on_orthogonal_rows():
    X, w = np.array([[3.0, 4, 0], [-4, 3, 0], [0, 0, 5]]), np.array([1.0, -2.0, 1.5])
    left = [((fitted("kaczmarz", X, X @ w, max_iter=1, random_state=s).coef_ - w) ** 2).sum() for s in range(1000)]
    # Three draws. ||e||^2 has a standard deviation below ||w||^2/2, its mean one below 0.016 ||w||^2.
    assert np.mean(left) == pytest.approx((2 / 3) ** 3 * (w @ w), abs=0.05 * (w @ w))


@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_its_averaged_sgd_keeps_the_bound_and_has_the_expected_excess(how):
    # Rows of one length, so that every sample shows R, and step="auto" is 1/(8 R^2): gamma = 1/(4 R^2).
    X = [
        [Fraction(3), Fraction(4)],
        [Fraction(5), Fraction(0)],
        [Fraction(0), Fraction(5)],
        [Fraction(4), Fraction(-3)],
    ]
    y = [Fraction(v) for v in (1, 2, -1, 3)]
    optimum, n = least(X, y), 20
    exact = averaging(X, y, [0, 0], optimum, length=n)
    assert confirmed(theory.BACH_MOULINES, exact)
    A, b = np.array(X, dtype=float), np.array(y, dtype=float)
    least_loss = ((A @ np.array(optimum, dtype=float) - b) ** 2).mean() / 2
    found = []
    for seed in range(400):
        i = np.random.RandomState(seed).randint(4, size=n)
        model = LeastSquares("sgd", average=True, fit_intercept=False, max_iter=1)
        getattr(model, how)(A[i], b[i])
        found.append(((A @ model.coef_ - b) ** 2).mean() / 2 - least_loss)
    noise, start = 2 * float(exact.noise_sq), float(exact.radius_sq * sqnorm(optimum))
    assert np.mean(found) <= 2 / n * (math.sqrt(noise) + math.sqrt(start)) ** 2
    error = 4 * np.std(found) / math.sqrt(len(found))
    assert error < 0.25 * np.mean(found)
    assert np.mean(found) == pytest.approx(float(exact.excess(1)[-1]), abs=error)
    assert abs(float(exact.excess(0)[-1]) - np.mean(found)) > error  # the other mean is told apart
