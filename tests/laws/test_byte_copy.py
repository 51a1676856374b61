"""The copy of one byte an entry: what it says is true, what it cannot settle is read in full, and no bit changes."""

from __future__ import annotations

import logging
import math
import os
import warnings
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.engine import byte_copy, byte_rows
from novikoff.engine.byte_copy import ByteCopy
from novikoff.engine.byte_rows import BLOCK, ByteRows
from novikoff.engine.compile import kernel
from novikoff.engine.plane import Plane
from novikoff.engine.rows import Rows
from novikoff.engine.storage import settled, sketch
from novikoff.learners.linear import LinearLearner
from novikoff.learners.margin_perceptron import MarginPerceptron as MarginRule
from novikoff.learners.perceptron import Perceptron as PerceptronRule
from tests import problems
from tests.laws.test_exactness import AGGRESSIVE, AT_ZERO, SCALE, bits, fit

# As compiled: sums in any order, and with fused operations.
sketched = kernel(lambda copy, w: sketch(copy, w))
settles = kernel(lambda copy, i, y, of_w, level: settled(copy, i, y, of_w, 0.0, level, 0.0))
product = kernel(lambda copy, i: byte_rows._product(copy.q, i, copy.v))


@st.composite
def floats(draw):
    """Rows of ordinary size, of which most are far from most hyperplanes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(20, 60)), draw(st.integers(1, 70))
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, (n, 1))
    y = np.where(X @ rng.standard_normal(d) > 0, 1, -1)
    y[0], y[1] = 1, -1
    return X, y


def measured(X, y=None, *, constant=0.0, unit=False):
    """Rows that know their norms."""
    rows = Rows(X, np.ones(len(X), dtype=np.int8) if y is None else y.astype(np.int8), constant, unit=unit)
    rows.survey()
    return rows


def copied(X):
    """The copy of these rows."""
    copy = byte_copy._beside(measured(X).storage)
    for i in range(len(X)):
        assert not settles(copy, i, 1.0, (1.0, 1.0, 0.0), -np.inf)  # a row without its bytes: they are made now
    assert not np.isnan(copy.scale).any()
    assert copy.read[0] == 0
    return copy


def sqnorm(v):
    return sum((Fraction(x) ** 2 for x in v), Fraction(0))


# What the copy says ------------------------------------------------------------------------------


@given(st.one_of(floats(), problems.near_ties(), problems.grids()), st.sampled_from([np.float64, np.float32]))
def test_the_bounds_of_a_row_hold_and_are_tight(data, dtype):
    X = data[0].astype(dtype)
    copy = copied(X)
    for i, x in enumerate(X.astype(np.float64).tolist()):
        if not any(x):
            assert copy.lost[i] == np.inf
            continue
        s, q = Fraction(copy.scale[i]), [int(k) for k in copy.q[i]]
        assert not any(q[len(x) :])
        assert max(map(abs, q)) == 127
        lost = sqnorm(Fraction(a) - s * b for a, b in zip(x, q, strict=False))
        length = sqnorm(s * b for b in q)
        for exact, bound in ((lost, copy.lost[i]), (length, copy.length[i])):
            assert exact <= Fraction(bound) ** 2
            # Beyond the norm itself, the roundings of s q alone.
            assert bound <= math.sqrt(exact) * (1 + 1e-9) + 2.0**-50 * math.sqrt(length)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from([1e-250, 1e-3, 1.0, 1e80]))
def test_the_sketch_of_w_holds_and_is_tight(seed, d, size):
    w = np.random.default_rng(seed).standard_normal(d + 1) * size
    copy = copied(np.ones((1, d)))
    t, norm, missing = sketched(copy, w)
    if size == 1e-250:
        assert missing == np.inf
        return
    v = [int(k) for k in copy.v[:d]]
    assert max(map(abs, v)) == 32767
    exact = sqnorm(w[:d].tolist())
    rest = sqnorm(Fraction(a) - Fraction(t) * b for a, b in zip(w[:d].tolist(), v, strict=True))
    assert exact <= Fraction(norm) ** 2 <= exact * (1 + Fraction(1, 2**30))
    assert rest <= Fraction(missing) ** 2
    assert missing <= math.sqrt(rest) * (1 + 1e-9) + 2.0**-50 * math.sqrt(exact)


def test_a_weight_vector_of_zeros_settles_nothing():
    copy = copied(np.ones((1, 3)))
    assert not settles(copy, 0, 1.0, sketched(copy, np.zeros(4)), -1.0)


@pytest.mark.parametrize("d", [1, BLOCK, BLOCK + 1, 3 * BLOCK + 7])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_products_are_exact(d, sign):
    copy = copied(np.full((1, d), -1.0))
    t, norm, missing = sketched(copy, np.full(d + 1, -float(sign)))
    assert product(copy, 0) == sign * d * 127 * 32767
    # Nothing but rounding is lost, so the row is settled up to its last bits, and not beyond.
    of_w = t, norm, missing
    assert settles(copy, 0, float(sign), of_w, d * (1 - 1e-9))
    assert not settles(copy, 0, float(sign), of_w, float(d))


@given(floats(), st.integers(0, 2**32 - 1))
def test_settled_rows_are_beyond_the_level(data, seed):
    X, y = data
    w = np.append(np.random.default_rng(seed).standard_normal(X.shape[1]), 0.0)
    copy = copied(X)
    of_w = sketched(copy, w)
    exact = [sum(Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=False)) for x in X.tolist()]
    count = 0
    for i, true in enumerate(exact):
        value = float(y[i] * true)
        # At the product itself and just above it nothing may be settled; far enough below it everything is.
        for level in (value, np.nextafter(value, np.inf), value + abs(value) * 1e-12):
            assert not settles(copy, i, float(y[i]), of_w, level)
        count += settles(copy, i, float(y[i]), of_w, value - 0.1 * np.linalg.norm(w) * copy.norm[i])
    assert count == len(X)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_what_the_sketch_of_w_lost_is_counted_where_the_bytes_lost_nothing(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-127, 128, (30, d)).astype(np.float64)
    X[:, 0] = 127.0
    w = np.append(rng.standard_normal(d), 0.0)
    copy = copied(X)
    assert (copy.scale == 1.0).all()
    of_w = sketched(copy, w)
    for i, x in enumerate(X.tolist()):
        value = float(sum(Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=False)))
        assert not settles(copy, i, 1.0, of_w, np.nextafter(value, np.inf))


# The same bits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learners", "dtype"),
    [
        pytest.param([nk.Perceptron], np.float64, id="sign", marks=pytest.mark.compiles),
        pytest.param([nk.Perceptron], np.float32, id="sign-float32", marks=pytest.mark.long),
        pytest.param(AGGRESSIVE, np.float64, id="product", marks=pytest.mark.long),
        pytest.param([nk.MarginPerceptron], np.float64, id="threshold", marks=pytest.mark.long),
    ],
)
@given(st.one_of(floats(), problems.any_data()), st.data(), AT_ZERO, SCALE, st.booleans(), st.booleans())
def test_the_copy_changes_no_bit(learners, dtype, data, draw, at_zero, scale, intercept, shuffle):
    X, y = data
    learner = draw.draw(st.sampled_from(learners))
    model = partial(learner, at_zero=at_zero, scale=scale, fit_intercept=intercept, shuffle=shuffle, random_state=3)
    with np.errstate(over="ignore"):
        part = X.astype(dtype)
    assume(np.isfinite(part).all())
    expected = bits(fit(model(max_iter=9, byte_copy=False), part, y))
    assert bits(fit(model(max_iter=9, byte_copy=True), part, y)) == expected


@pytest.mark.parametrize("rule", [PerceptronRule(), pytest.param(MarginRule(auto=True), marks=pytest.mark.long)])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_few_rows_are_read_in_full(rule, unit, constant):
    """The hypothesis of the law above: rows are settled by their bytes, and by nothing else."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2000, 50))
    u = rng.standard_normal(50)
    y = np.where(X @ u > 0, 1, -1)
    X += 0.4 * y[:, None] * u / np.linalg.norm(u)
    rows = measured(X, y, constant=constant, unit=unit)
    learner = LinearLearner(rule, 50, constant, unit=unit)
    outcome = learner.run(rows, "given", 500, byte_copy=True)
    assert outcome.finished
    passes = len(outcome.history) - 1  # the first reads the rows
    assert passes > 1
    assert int(rows.beside.read[0]) < 0.1 * passes * rows.n


def test_the_margin_and_the_errors_are_found_through_the_copy():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 30))
    y = np.where(X[:, 0] > 0, 1, -1)
    w = rng.standard_normal(31)
    rows = measured(X, y, constant=1.0)
    expected = hardest, wrong = rows.examine(Plane(w), 0)
    assert hardest > 0
    assert wrong > 0
    rows.beside = copy = byte_copy._beside(rows.storage)
    assert rows.examine(Plane(w), 0) == expected  # the bytes are made on the way
    assert copy.read[0] == 0
    assert rows.examine(Plane(w), 0) == expected
    assert wrong <= copy.read[0] < wrong + 50


# When it is made ---------------------------------------------------------------------------------


@pytest.fixture
def chosen(monkeypatch):
    """A choice for a thousand rows, which are enough."""
    monkeypatch.setattr(byte_copy, "LEAST", 1)
    rows = measured(np.random.default_rng(0).standard_normal((1024, 4)))
    return ByteCopy(rows, "auto", 1000)


def uses_bytes(choice):
    return isinstance(choice.storage, ByteRows)


def test_it_is_made_after_a_quiet_pass(chosen):
    for updates in (500, 33, 1024):
        chosen.note(updates)
        assert not uses_bytes(chosen)
    chosen.note(32)
    assert uses_bytes(chosen)


def test_it_is_given_up_when_it_settles_little_and_taken_up_when_it_is_much_quieter(chosen):
    chosen.note(0)
    chosen.storage.read[0] += 128
    chosen.note(20)
    assert uses_bytes(chosen)
    chosen.storage.read[0] += 129
    chosen.note(20)
    assert not uses_bytes(chosen)
    chosen.note(11)
    assert not uses_bytes(chosen)
    chosen.note(10)
    assert uses_bytes(chosen)


def test_a_run_that_ends_makes_no_copy():
    """Not one that is used to count the errors at the end, either: they are counted in one reading."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 4))
    for passes, expected in ((1, False), (2, True)):
        rows = measured(X, np.sign(X[:, 0] + 0.1 * rng.standard_normal(500)))
        LinearLearner(PerceptronRule(), 4, 0.0, unit=False).run(rows, "given", passes, byte_copy=True)
        assert (rows.beside is not None) == expected
    rows = measured(X + 10, np.ones(500))
    assert LinearLearner(PerceptronRule(), 4, 0.0, unit=False).run(rows, "given", 9, byte_copy=True).finished
    assert rows.beside is None or not np.isnan(rows.beside.scale).all()


@pytest.mark.parametrize(
    ("wanted", "passes", "made"),
    [("auto", 4, False), ("auto", 5, True), (False, 99, False), (np.False_, 99, False), (np.True_, 2, True)],
)
def test_it_is_made_where_it_can_pay(chosen, wanted, passes, made):
    choice = ByteCopy(chosen._rows, wanted, passes)
    for _ in range(4):
        choice.note(0)
    assert uses_bytes(choice) == made == choice.possible


def test_small_data_have_none():
    assert not ByteCopy(measured(np.ones((10, 2))), "auto", 1000).possible
    assert ByteCopy(measured(np.ones((10, 2))), True, 1000).possible


def test_rows_that_were_not_met_yet_are_waited_for(chosen):
    chosen._rows.storage.norm[5] = np.nan
    chosen.note(0)
    assert not uses_bytes(chosen)
    chosen._rows.storage.norm[5] = 1.0
    chosen.note(0)
    assert uses_bytes(chosen)


def test_without_the_memory_the_rows_are_read(chosen, monkeypatch, caplog):
    def none(rows):
        raise MemoryError("no room")

    monkeypatch.setattr(byte_copy, "_beside", none)
    with caplog.at_level(logging.INFO, "novikoff"):
        chosen.note(0)
        chosen.note(0)
    assert not uses_bytes(chosen)
    assert "no room" in caplog.text


# Beside a mapped file ----------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(4)
    X = np.round(rng.standard_normal((600, 8)), 3)
    y = np.where(X @ np.arange(8) > 0, "in", "out")
    path = tmp_path / "data.csv"
    lines = [",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("a,b,c,d,e,f,g,h,label\n" + "\n".join(lines) + "\n")
    return path


def fitted(table, cache, **parameters):
    model = nk.Perceptron(max_iter=30, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return nk.fit_file(model, table, cache=cache, label="label")


def test_of_a_mapped_file_it_is_on_disk_and_leaves_nothing(table, tmp_path, monkeypatch):
    homes = []
    on_disk = byte_copy._on_disk
    monkeypatch.setattr(byte_copy, "_on_disk", lambda home, *shape: homes.append(home) or on_disk(home, *shape))
    plain = fitted(table, tmp_path / "cache", byte_copy=False)
    (home,) = (tmp_path / "cache").iterdir()
    before = sorted(home.rglob("*"))
    model = fitted(table, tmp_path / "cache", byte_copy=True)
    assert bits(model) == bits(plain)
    assert homes == [next(home.glob("copy-*"))]
    assert sorted(home.rglob("*")) == before


def test_a_full_disk_costs_the_copy_alone(table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, os.strerror(28))

    plain = fitted(table, tmp_path / "cache", byte_copy=False)
    monkeypatch.setattr(os, "posix_fallocate", full)
    assert bits(fitted(table, tmp_path / "cache", byte_copy=True)) == bits(plain)
