"""Where floats end: twice the digits go on, and integers prove."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import images

import novikoff as nk
from novikoff.certificates import closer, corral, lifting, modular, prove, rational, solve, twofold
from novikoff.engine.rows import Rows


def as_problem(X, y):
    rows = Rows(np.ascontiguousarray(X, dtype=np.float64), y.astype(np.int8), 1.0)
    rows.survey()
    return solve.CountedRows(rows, None, None)


def last(guesses):
    *_, guess = guesses
    return guess


@pytest.fixture(scope="module")
def shirts():
    return images.garments(260, 16, seed=1)[0]


@pytest.mark.parametrize("links", [30, 50])
@pytest.mark.parametrize("separable", [True, False])
def test_chains_of_images_are_settled_without_rational_search(shirts, links, separable, monkeypatch):
    """Weights, or margins, that differ by 2^links: one pair of images decides, and floats cannot see it."""
    X, y = images.chained(shirts, links, separable=separable)
    data = as_problem(X, y)
    guess = last(solve.guesses(data, 0.01))
    assert guess.lowest < 0, "floats find no separator"
    null = rational.null_vector(rational.integer_rows(data, guess.rows).table, data.look)
    assert null is None or rational.one_signed(null) is None, "and no rows that cancel"
    monkeypatch.setattr(rational, "nearest", None)
    proof = nk.certify(X, y)
    assert nk.verify(proof, X, y).verdict == ("separable" if separable else "not separable")
    assert nk.certify(X, y).to_json() == proof.to_json()
    if separable:
        assert 0 < proof.margin[0] < 2.0**-links * proof.radius


def test_a_small_margin_is_that_of_the_rationals(shirts):
    X, y = images.chained(shirts, 30, separable=True)
    data = as_problem(X, y)
    guess = last(closer.guesses(data, 1e-6, last(solve.guesses(data, 1e-6))))
    exact = rational.nearest(data, 1e-6, guess.guess.rows, guess.weights())
    squared = Fraction(sum(x * x for x in exact.w), sum(exact.p) ** 2) * Fraction(4) ** exact.exponent
    assert guess.guess.lowest**2 == pytest.approx(float(squared), rel=1e-5)


@pytest.mark.parametrize("size", [1.0, 2.0**-70, 2.0**200])
def test_inner_products_have_twice_the_digits(size):
    rng = np.random.default_rng(0)
    for n in (1, 7, 200, 1000):
        a, b = (rng.standard_normal(n) * size for _ in range(2))
        b -= a * ((a @ b) / (a @ a))  # most of it cancels
        low = a * 2.0**-53 * rng.uniform(-1, 1, n)
        most = np.linalg.norm(a) * np.linalg.norm(b)
        high, rest = twofold.inner(a, low, b, 0 * b, 1.01 * most)
        exact = sum((Fraction(x) + Fraction(z)) * Fraction(v) for x, z, v in zip(a, low, b, strict=True))
        assert abs(Fraction(high) + Fraction(rest) - exact) <= Fraction(most) / 2**94


def exactly(pair, k):
    return [Fraction(a) + Fraction(b) for a, b in zip(pair.high[k].tolist(), pair.low[k].tolist(), strict=True)]


@pytest.mark.parametrize("near", [1.0, 2.0**-40, 2.0**-70])
def test_the_factor_of_nearly_dependent_rows(near):
    """After rows came and went: B = L Q, Q Q^T = I, and the residual is orthogonal to the corral, to 25 digits."""
    rng = np.random.default_rng(1)
    B = np.column_stack([np.ones(60), rng.integers(-255, 256, (60, 12)) / 1024])
    B[20:40] = B[:20]
    B[20:40, 5] += near / 1024
    order = rng.permutation(60)
    c = twofold.corral(13, 13)
    size = twofold.enter(c, 0, B, order, 2.0**-40)
    size = twofold.enter(c, size, B, order, 2.0**-40)
    twofold.settle(c, size)
    assert size > 3
    Q, L = ([exactly(pair, k) for k in range(size)] for pair in (c.Q, c.L))
    tiny = Fraction(1, 2**84)
    for k in range(size):
        row = B[c.members[k]].tolist()
        for j in range(13):
            assert abs(sum(L[k][m] * Q[m][j] for m in range(k + 1)) - Fraction(row[j])) < tiny
        for m in range(k + 1):
            assert abs(sum(a * b for a, b in zip(Q[k], Q[m], strict=True)) - (k == m)) < tiny
    p = [Fraction(c.p.high[k]) + Fraction(c.p.low[k]) for k in range(size)]
    assert min(p) > 0
    r = [Fraction(j == 0) - sum(p[k] * Fraction(B[c.members[k], j]) for k in range(size)) for j in range(13)]
    for j in range(13):
        assert abs(r[j] - Fraction(c.r.high[j]) - Fraction(c.r.low[j])) < tiny
    for k in range(size):
        assert abs(sum(Fraction(a) * b for a, b in zip(B[c.members[k]].tolist(), r, strict=True))) < tiny


@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_products_of_rows_have_the_sign_of_the_exact_ones(storage):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 256, (40, 30)).astype(float)
    signs = rng.choice([-1, 1], 40).astype(np.int8)
    rows = Rows(X if storage == "dense" else sp.csr_array(X), signs, 1.0)
    rows.survey()
    w = twofold.pair(31)
    w.high[:] = rng.standard_normal(31)
    w.low[:] = w.high * 2.0**-54 * rng.uniform(-1, 1, 31)
    # Nearly orthogonal to the rows, as a residual is: all but the last coordinate is chosen.
    exact_w = [Fraction(a) + Fraction(b) for a, b in zip(w.high.tolist(), w.low.tolist(), strict=True)]
    rest = sum(a * Fraction(x) for a, x in zip(exact_w[:-1], X[0].tolist(), strict=True))
    w.high[-1] = -float(rest)
    w.low[-1] = float(-rest - Fraction(w.high[-1]))
    out = np.empty(40)
    twofold.products(rows.storage, signs, w, 0, 40, out)
    exact_w[-1] = Fraction(w.high[-1]) + Fraction(w.low[-1])
    size = np.linalg.norm(w.high) * rows.norms
    for i in range(40):
        exact = int(signs[i]) * sum(a * Fraction(x) for a, x in zip(exact_w, [*X[i].tolist(), 1.0], strict=True))
        # The result is one float, so half a unit in its last place is lost.
        assert abs(Fraction(out[i]) - exact) <= abs(exact) / 2**52 + Fraction(size[i]) / 2**94
    assert abs(out[0]) < 2.0**-90 * size[0]


# Budgets ---------------------------------------------------------------------------------------------------


class Clock:
    """It is a second later every time that somebody looks."""

    def __init__(self):
        self.looks = 0

    def monotonic(self):
        self.looks += 1
        return float(self.looks)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(solve, "time", clock)
    return clock


def stages(name, shirts, monkeypatch):
    """Data on which one stage after another is busy."""
    if name == "rationals":
        monkeypatch.setattr(prove._Case, "_closed", lambda *_: None)
        return images.chained(shirts[:140], 30, separable=True)
    return images.chained(shirts[:140], 30, separable=name == "twofold")


@pytest.mark.parametrize("name", ["twofold", "null vector", "rationals"])
def test_every_stage_hears_the_budget_at_once(name, shirts, clock, monkeypatch):
    X, y = stages(name, shirts, monkeypatch)
    proof = nk.certify(X, y, max_seconds=1e9)
    decided = []
    for allowed in np.linspace(0, clock.looks, 14).astype(int).tolist():
        clock.looks = 0
        found = nk.certify(X, y, max_seconds=allowed)
        decided.append(not isinstance(found, nk.Undecided))
        if decided[-1]:  # what was left was the weak separator, which a verdict can do without
            assert found.rows.tolist() == proof.rows.tolist()
            assert found.weights == proof.weights
        else:
            assert "time is used up" in str(found)
            # One look sets the deadline, and the one that is beyond it is the last.
            assert clock.looks == allowed + 2
    assert decided == sorted(decided)
    assert sum(decided) < 7


@pytest.mark.parametrize("name", ["twofold", "null vector", "rationals"])
def test_how_often_one_looks_at_the_clock_changes_nothing(name, shirts, clock, monkeypatch):
    X, y = stages(name, shirts, monkeypatch)
    text = nk.certify(X, y, max_seconds=1e9).to_json()
    seldom, clock.looks = clock.looks, 0
    for module, pace in (
        (solve, "STEP"),
        (closer, "STEP"),
        (modular, "PIECE"),
        (modular, "BLOCK"),
        (rational, "BLOCK"),
        (lifting, "BLOCK"),
    ):
        monkeypatch.setattr(module, pace, 1)
    assert nk.certify(X, y, max_seconds=1e9).to_json() == text
    assert clock.looks > 1.5 * seldom


def test_ctrl_c_is_heard_in_every_stage(shirts, monkeypatch):
    X, y = images.chained(shirts, 30, separable=False)

    class Impatient(Clock):
        def monotonic(self):
            if super().monotonic() == self.end:
                raise KeyboardInterrupt
            return 0.0

    for end in (3, 30, 100, 250):
        clock = Impatient()
        clock.end = end
        monkeypatch.setattr(solve, "time", clock)
        found = nk.certify(X, y, max_seconds=1e9)
        assert isinstance(found, nk.Undecided)
        assert clock.looks == end
        assert "interrupted" in str(found)


@pytest.mark.parametrize("name", ["twofold", "null vector", "rationals"])
def test_between_two_pieces_of_work_somebody_looks_at_the_clock(name, shirts, clock, monkeypatch):
    """So the longest silence is one call of one loop, whose size is bounded."""
    X, y = stages(name, shirts, monkeypatch)
    last, calls = [0], set()

    def watched(module, loop):
        work = getattr(module, loop)

        def run(*arguments):
            assert clock.looks > last[0], loop
            last[0] = clock.looks
            calls.add(loop)
            return work(*arguments)

        monkeypatch.setattr(module, loop, run)

    watched(corral, "enter")
    watched(twofold, "enter")
    watched(twofold, "products")
    for loop in ("_bring_up", "_echelon", "_reduce"):
        watched(modular, loop)
    monkeypatch.setattr(modular, "PIECE", 2.0**18)
    nk.certify(X, y, max_seconds=1e9)
    assert {"enter", "products", "_echelon"} <= calls
    assert name == "twofold" or {"_bring_up", "_reduce"} <= calls
