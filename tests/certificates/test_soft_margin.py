"""Soft margins: the optimum is between the two ends, what follows from them holds, and nothing false is accepted."""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC, LinearSVC
from typer.testing import CliRunner

import novikoff as nk
from novikoff import theory
from novikoff.certificates import solve
from novikoff.certificates.check import soft_margin as fast
from novikoff.certificates.claim import read_claim
from novikoff.certificates.reference import soft_margin as reference
from novikoff.certificates.verified.soft_margin import length_up
from novikoff.cli import app
from tests.certificates import oracle
from tests.certificates.kinds import soft_margin as kind

LOSSES = ["hinge", "squared_hinge"]
INF = math.inf


def overlapping(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, d)), 2)
    return X, rng.random(n) < 1 / (1 + np.exp(-2 * X[:, 0]))


def verified(proof, X, y, **extra):
    """By both checkers, which agree."""
    found = nk.verify(proof, X, y, **extra)
    assert found == nk.verify(proof, X, y, reference=True, **extra)
    assert found.objective == proof.objective
    assert found.least_wrong() == found.wrong == proof.least_wrong()
    return found


def objective(X, y, w, C, loss, weights=None):
    """P(w), in floats."""
    slack = np.maximum(0, 1 - np.where(y, 1, -1) * (np.column_stack([X, np.ones(len(X))]) @ w))
    costs = C * (np.ones(len(X)) if weights is None else np.asarray(weights))
    return w @ w / 2 + costs @ (slack if loss == "hinge" else slack**2)


# ---------------------------------------------------------------- the optimum


def solution(A, right):
    """Of a square system in Fractions; None if it is singular."""
    table = [[*row, b] for row, b in zip(A, right, strict=True)]
    for k in range(len(table)):
        pivot = next((r for r in range(k, len(table)) if table[r][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [x / table[k][k] for x in table[k]]
        for r in range(len(table)):
            if r != k and table[r][k]:
                table[r] = [x - table[r][k] * p for x, p in zip(table[r], table[k], strict=True)]
    return [row[-1] for row in table]


def best_dual(a, costs, squared):
    """The optimum, exactly: of some best alpha the rows that are neither at 0 nor at C_i are independent."""
    gram = [[oracle.dot(one, other) for other in a] for one in a]
    if squared:
        for i, cost in enumerate(costs):
            gram[i][i] += 1 / (2 * cost)
    best = Fraction(0)
    for places in itertools.product((0, 1) if squared else (0, 1, 2), repeat=len(a)):
        free = [i for i, place in enumerate(places) if place == 1]
        alpha = [costs[i] if place == 2 else Fraction(0) for i, place in enumerate(places)]
        right = [1 - oracle.dot(gram[i], alpha) for i in free]
        found = solution([[gram[i][j] for j in free] for i in free], right)
        if found is None or not all(x >= 0 and (squared or x <= costs[i]) for i, x in zip(free, found, strict=True)):
            continue
        for i, x in zip(free, found, strict=True):
            alpha[i] = x
        squares = sum(x * oracle.dot(gram[i], alpha) for i, x in enumerate(alpha))
        best = max(best, sum(alpha) - squares / 2)
    return best


@pytest.mark.parametrize("loss", LOSSES)
def test_the_exact_optimum_is_between_the_ends(loss):
    rng = random.Random(0)
    for _ in range(15):
        n, d = rng.randint(2, 5), rng.randint(1, 3)
        X = [[float(rng.randint(-2, 2)) for _ in range(d)] for _ in range(n)]
        y = [0, 1, *(rng.randint(0, 1) for _ in range(n - 2))]
        weights = [float(rng.choice([1, 2, 0.5])) for _ in y]
        constant = rng.randint(0, 1)
        C = rng.choice([1.0, 8.0])
        proof = nk.certify(X, y, 1e-6, C=C, loss=loss, sample_weight=weights, fit_intercept=bool(constant))
        assert proof.gap <= 1e-6
        a = oracle.rows_of(X, [2 * label - 1 for label in y], constant)
        best = best_dual(a, [Fraction(C * weight) for weight in weights], loss == "squared_hinge")
        assert proof.objective[0] <= best <= proof.objective[1]
        verified(proof, X, y, sample_weight=weights)


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_liblinear_finds_the_same_optimum(C, loss):
    X, y = overlapping()
    proof = nk.certify(X, y, gap=1e-4, C=C, loss=loss)
    svc = LinearSVC(C=C, loss=loss, dual=True, tol=1e-10, max_iter=10**6, random_state=0).fit(X, y)
    theirs = objective(X, y, np.append(svc.coef_, svc.intercept_), C, loss)
    assert proof.objective[0] <= theirs <= proof.objective[1] * (1 + 1e-4)
    assert objective(X, y, np.append(proof.coef, proof.intercept), C, loss) <= proof.objective[1]
    verified(proof, X, y)


def test_libsvm_finds_the_same_optimum():
    """SVC does not penalise its intercept: mirrored rows, each at half the cost, hold it at 0."""
    X, y = overlapping(seed=1)
    A = np.where(y, 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(len(X))])
    svc = SVC(kernel="linear", C=0.5, tol=1e-8).fit(np.concatenate([A, -A]), np.repeat([1, -1], len(A)))
    proof = nk.certify(X, y, gap=1e-5, C=1.0, loss="hinge")
    theirs = objective(X, y, svc.coef_[0], 1.0, "hinge")
    assert proof.objective[0] <= theirs <= proof.objective[1] * (1 + 1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_repetitions(loss):
    X, y = overlapping()
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    proof = nk.certify(X, y, gap=1e-7, C=0.5, loss=loss, sample_weight=weights)
    repeated = nk.certify(np.repeat(X, weights, axis=0), np.repeat(y, weights), gap=1e-7, C=0.5, loss=loss)
    assert proof.objective == pytest.approx(repeated.objective, rel=1e-6)
    assert not set(proof.rows.tolist()) & set(np.flatnonzero(weights == 0).tolist())
    verified(proof, X, y, sample_weight=weights)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_storage_and_type_is_the_same_problem(loss):
    X = np.random.default_rng(0).integers(-3, 4, (40, 5))
    y = np.random.default_rng(1).integers(0, 2, 40)
    for given in (X, X.astype(np.float32), sp.csr_array(X.astype(float)), X.tolist(), X > 0):
        proof = nk.certify(given, y, gap=1e-6, C=1.0, loss=loss)
        found = verified(proof, given, y)
        if not (isinstance(given, np.ndarray) and given.dtype == bool):
            assert proof.objective == pytest.approx(nk.certify(X, y, gap=1e-6, C=1.0, loss=loss).objective, rel=1e-6)
            assert found.rows == tuple(proof.rows)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("density", [0.01, 0.5])
def test_wide_rows_take_the_dual(loss, density):
    rng = np.random.default_rng(0)
    X = sp.random_array((60, solve.WIDE + 500), density=density, rng=rng, format="csr")
    y = rng.integers(0, 2, 60)
    proof = nk.certify(X, y, gap=1e-4, C=1.0, loss=loss)
    assert proof.gap <= 1e-4
    found = nk.verify(proof, X, y)
    assert found.objective == proof.objective


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0], [1.0]], [0, 1]),  # the same example on both sides
        ([[0.0], [0.0], [1.0]], [0, 1, 1]),  # rows of zeros
        ([[0.0, 0.0], [0.0, 0.0]], [0, 1]),  # nothing else
        ([[1.0, 1.0, 2.0], [2.0, 2.0, 4.0], [3.0, 3.0, 6.0]], [0, 1, 0]),  # columns that depend on each other
        ([[1.0, 0.0, 0.0, 5.0], [0.0, 3.0, 0.0, 5.0]], [0, 1]),  # more columns than rows, one constant
        ([[1e-150], [-1e-150]], [0, 1]),
        ([[1e4, 1e-4], [1e4, -1e-4], [-1e4, 3e-4]], [0, 1, 1]),  # columns of very different sizes
    ],
)
@pytest.mark.parametrize("intercept", [True, False])
def test_degenerate_data_have_an_optimum_as_well(X, y, loss, intercept):
    for C in (1e-6, 1.0, 1e4):
        proof = nk.certify(X, y, C=C, loss=loss, fit_intercept=intercept)
        assert isinstance(proof, nk.SoftMargin)
        verified(proof, X, y)


def test_a_large_C_tends_to_the_hard_margin():
    X, y = overlapping()
    y = X[:, 0] > 0.1 * X[:, 1]
    hard = nk.certify(X, y, gap=1e-6)
    soft = nk.certify(X, y, gap=1e-6, C=1e9)
    assert soft.objective[1] == pytest.approx(1 / hard.margin[0] ** 2 / 2, rel=1e-4)


# ---------------------------------------------------------------- what follows


def wrong(a, w):
    return sum(oracle.dot(row, w) < 1 for row in a)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_short_w_leaves_so_many_rows_within_the_margin(loss):
    X, y = overlapping(40, 2)
    A = np.where(y, 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(len(X))])
    rng = np.random.default_rng(0)
    for C in (0.1, 1.0, 10.0):
        proof = nk.certify(X, y, gap=1e-5, C=C, loss=loss)
        found = verified(proof, X, y)
        directions = rng.standard_normal((2000, 3)) + proof.last * rng.integers(0, 2, (2000, 1))
        directions = np.vstack([directions, np.append(proof.coef, proof.last)])
        for bound in (0.0, 0.5, found.length, 3.0, 100.0):
            least = proof.least_wrong(bound)
            assert least == found.least_wrong(bound)
            W = directions / np.linalg.norm(directions, axis=1, keepdims=True) * bound * 0.999999
            assert np.min(np.sum(A @ W.T < 1, axis=0)) >= least
        assert proof.least_wrong(0.0) == len(proof.rows) or loss == "squared_hinge"
        assert proof.least_wrong() > 0


def test_the_number_of_rows_is_tight_and_needs_the_bound():
    """One example on both sides: w = 0 leaves both rows within the margin, |w| = 1 one of them."""
    proof = nk.certify([[1.0], [1.0]], [0, 1], C=1.0, loss="hinge", fit_intercept=False)
    assert [proof.least_wrong(0.0), proof.least_wrong(1.0)] == [2, 1]
    # Rows that can be separated, by a w that is longer than B.
    far = nk.certify([[1.0], [-1.0]], [1, 0], C=0.1, loss="hinge", fit_intercept=False)
    a = [[Fraction(1)], [Fraction(1)]]
    assert far.least_wrong() == 2 == wrong(a, [Fraction(1, 5)])
    assert far.least_wrong(1.0) == 0 == wrong(a, [Fraction(1)])
    with pytest.raises(ValueError, match="bound must be a finite number >= 0"):
        far.least_wrong(-1.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_perceptron_keeps_to_the_bound_in_its_first_pass(loss):
    X, y = overlapping(300, 2)
    X = X + 3 * np.where(y, 1, -1)[:, None] * [1, 0]
    proof = nk.certify(X, y, gap=1e-6, C=1.0, loss=loss)
    found = verified(proof, X, y)
    assert proof.first_pass == found.first_pass < len(X)
    assert f"at most {proof.first_pass} mistakes in its first pass" in str(found)
    a = [[Fraction(x) for x in row] for row in np.column_stack([X, np.ones(len(X))]).tolist()]
    w = [Fraction(x) for x in [*proof.coef.tolist(), proof.last]]
    products = [(s * oracle.dot(row, w), 1) for s, row in zip(np.where(y, 1, -1).tolist(), a, strict=True)]
    square = max(oracle.dot(row, row) for row in a)
    bound = theory.regret_bound if loss == "hinge" else theory.deviation_bound
    assert bound(square, oracle.dot(w, w), products, rounded=True) <= proof.first_pass
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(X))
        clf = nk.Perceptron().partial_fit(X[order], y[order], classes=[False, True])
        assert 0 < clf.mistakes_ <= proof.first_pass


def test_lengths_are_rounded_up_to_24_bits():
    for square in (1, 2, Fraction(1, 3), 10**400, Fraction(1, 10**700), 9, Fraction(49, 4)):
        found = Fraction(length_up(Fraction(square)))
        assert found**2 >= square > (found * (1 - Fraction(1, 2**23))) ** 2
        odd = found.numerator >> (found.numerator & -found.numerator).bit_length() - 1
        assert odd.bit_length() <= 24
    assert length_up(Fraction(9)) == 3.0


# ---------------------------------------------------------------- certificates that are not true


def forged(proof, X, y, extra, **changes):
    record = json.loads(proof.to_json())
    for path, value in changes.items():
        *places, last = path.split("__")
        where = record
        for place in places:
            where = where[place]
        where[last] = value(copy.deepcopy(where[last])) if callable(value) else value
    assert not kind.accepts(record, X, y, **extra)
    sentences = []
    for slow in (False, True):
        with pytest.raises(nk.InvalidCertificate) as caught:
            nk.verify(record, X, y, reference=slow, **extra)
        sentences.append(str(caught.value))
    return sentences[0]


def test_a_false_claim_is_refused_with_its_name():
    X, y = (given.tolist() for given in overlapping(30, 2))
    proof = nk.certify(X, y, C=1.0, loss="hinge")

    def refused(**changes):
        return forged(proof, X, y, {}, **changes)

    lower, upper = proof.objective
    optimum = nk.certify(X, y, gap=1e-9, C=1.0, loss="hinge").objective
    assert "lower end of its objective" in refused(objective=[optimum[1], max(upper, optimum[1])])
    assert "upper end of its objective" in refused(objective=[lower, optimum[0]])
    assert "box" in refused(dual__integers=lambda values: [x * 2 for x in values])
    assert "box" in refused(C=(0.5).hex())
    assert "separator" in refused(separator__integers=lambda values: [-x for x in values])
    assert "separator" in refused(separator__exponent=lambda e: e + 3)
    assert "box" in refused(dual__exponent=lambda e: e + 1)
    assert "not one of 'hinge', 'squared_hinge'" in refused(loss="log")
    assert "lower end" in refused(loss="squared_hinge")
    assert "C is not a float.hex() > 0" in refused(C="through the origin")
    assert "exponent from -4096 to 4096" in refused(separator__exponent=4097)
    assert "at least one, in increasing order" in refused(dual__rows=lambda rows: rows[::-1])
    assert "not positive" in refused(dual__integers=lambda values: [0, *values[1:]])
    assert "two numbers" in refused(objective=[lower])
    assert "not a float64 >= 0" in refused(objective=[-1.0, upper])
    assert "not in order" in refused(objective=[upper, lower])
    assert "digest" in refused(digest="0" * 64)
    assert "its fields are not" in refused(closest=0)
    assert "digest of its weights is not" in refused(weighted="x")
    assert "weights" in refused(weighted="0" * 64)


def test_weights_are_part_of_the_claim():
    X, y = (given.tolist() for given in overlapping(20, 2))
    weights = [float(k % 3) for k in range(20)]
    proof = nk.certify(X, y, C=1.0, loss="hinge", sample_weight=weights)
    verified(proof, X, y, sample_weight=weights)
    verified(proof, X, y, sample_weight=np.array(weights, dtype=np.float32))
    others = [1.0] * 20
    for given, sentence in [
        (None, "give their weights as sample_weight"),
        (others, "other weights"),
        (weights[:-1], "not a finite number >= 0 for each of 20"),
        ([-1.0, *weights[1:]], "not a finite number"),
        ([math.nan, *weights[1:]], "not a finite number"),
    ]:
        for slow in (False, True):
            with pytest.raises(nk.InvalidCertificate, match=sentence):
                nk.verify(proof, X, y, sample_weight=given, reference=slow)
    with pytest.raises(nk.InvalidCertificate, match="leave sample_weight out"):
        nk.verify(nk.certify(X, y, C=1.0), X, y, sample_weight=weights)
    with pytest.raises(nk.InvalidCertificate, match="leave sample_weight out"):
        nk.verify(nk.certify(X, y), X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="a number for each row"):
        nk.verify(proof, X, y, sample_weight="abc")
    # A row of weight 0 cannot carry anything.
    record = json.loads(proof.to_json())
    record["dual"]["rows"] = [0, *record["dual"]["rows"]]
    record["dual"]["integers"] = [1, *record["dual"]["integers"]]
    with pytest.raises(nk.InvalidCertificate, match="box"):
        nk.verify(record, X, y, sample_weight=weights)


def test_the_fast_check_decides_by_rationals_where_floats_cannot(monkeypatch):
    """An end that is true by less than the rounding of floats is accepted, the next float beyond it refused."""
    X, y = (given.tolist() for given in overlapping(12, 2))
    asked = []
    primal, dual = reference.primal, reference.dual
    for loss in LOSSES:
        proof = nk.certify(X, y, C=1.0, loss=loss)
        claim = nk.certificates.claim.read_claim(proof)
        a = {}
        signs = [1 if label else -1 for label in y]
        for i, (x, s) in enumerate(zip(X, signs, strict=True)):
            a[i] = nk.certificates.reference.rows.row(list(enumerate(x)), s, claim.head)
        costs = [Fraction(1)] * len(y)
        above, below = primal(claim, [a[i] for i in range(len(y))], costs), dual(claim, a, costs)
        upper, lower = nk.theory.exact.round_up(above), nk.theory.exact.round_down(below)
        record = json.loads(proof.to_json()) | {"objective": [lower, upper]}
        assert kind.accepts(record, X, y)
        asked.clear()
        monkeypatch.setattr(fast.reference, "bounds_from_below", _noted(asked, reference.bounds_from_below))
        assert nk.verify(record, X, y).objective == nk.verify(record, X, y, reference=True).objective
        monkeypatch.undo()
        assert asked
        for ends in ([math.nextafter(lower, INF), upper], [lower, math.nextafter(upper, 0.0)]):
            record["objective"] = ends
            assert not kind.accepts(record, X, y)
            for slow in (False, True):
                with pytest.raises(nk.InvalidCertificate, match="end of its objective"):
                    nk.verify(record, X, y, reference=slow)


def _noted(asked, function):
    def noting(*arguments):
        asked.append(function.__name__)
        return function(*arguments)

    return noting


def mutations(count, seed):
    """Numbers moved, fields taken away or exchanged: both checkers accept what the oracle accepts, and say the same."""
    rng = random.Random(seed)
    accepted = 0
    for _ in range(count):
        record, X, y, extra = kind.make(rng)
        assert kind.accepts(record, X, y, **extra)
        for _ in range(20):
            changed = copy.deepcopy(record)
            _mutate(changed, rng)
            found = []
            for slow in (False, True):
                try:
                    found.append(nk.verify(changed, X, y, reference=slow, **extra))
                except nk.InvalidCertificate:
                    found.append(None)
            assert found[0] == found[1]
            assert (found[0] is not None) == kind.accepts(changed, X, y, **extra)
            accepted += found[0] is not None
    return accepted


def _mutate(record, rng):
    where = rng.choice([record, record["dual"], record["separator"], record["objective"], record["dual"]["integers"]])
    place = rng.choice(list(where)) if isinstance(where, dict) else rng.randrange(len(where))
    old = where[place]
    if type(old) is int:
        where[place] = old + rng.choice([-1, 1, -1000, 1000, old])
    elif type(old) is float:
        where[place] = old * rng.choice([1 - 1e-9, 1 + 1e-9, 0.5, 2, -1])
    elif isinstance(where, dict) and rng.random() < 0.5:
        del where[place]
    else:
        where[place] = rng.choice([None, 0, "hinge", "squared_hinge", [], "0x1.0000000000000p+1", "through the origin"])


def test_mutated_certificates_are_accepted_where_they_are_true():
    assert mutations(25, 0) > 25


@pytest.mark.long
def test_many_mutated_certificates_are_accepted_where_they_are_true():
    assert mutations(1500, 1) > 1500


# ---------------------------------------------------------------- questions, budgets, words


def test_a_question_that_is_not_one_is_answered_with_its_cure():
    X, y = overlapping(20, 2)
    for given, sentence in [
        ({"loss": "hinge"}, "loss belongs to the soft margin: give C as well"),
        ({"sample_weight": np.ones(20)}, "sample_weight belongs to the soft margin"),
        ({"C": 0.0}, "C must be positive and finite"),
        ({"C": INF}, "C must be positive and finite"),
        ({"C": math.nan}, "C must be positive and finite"),
        ({"C": "1"}, "C must be positive and finite, or None for separability, got '1'"),
        ({"C": 1.0, "max_seconds": "1"}, "max_seconds must be None or at least 0, got '1'"),
        ({"C": 1.0, "loss": "log"}, "'hinge' or 'squared_hinge'"),
        ({"C": 1.0, "sample_weight": np.ones(3)}, "one number for each"),
        ({"C": 1.0, "sample_weight": -np.ones(20)}, ">= 0"),
        ({"C": 1.0, "sample_weight": np.zeros(20)}, "every sample_weight is zero"),
        ({"C": 1.0, "sample_weight": np.where(y, 1.0, 0.0)}, "one class only"),
        ({"C": 1e-300}, "take another C"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            nk.certify(X, y, **given)
    with pytest.raises(ValueError, match="finite"):
        nk.certify(X * np.nan, y, C=1.0)
    with pytest.raises(ValueError, match="two"):
        nk.certify(X, np.ones(20), C=1.0)
    with pytest.raises(ValueError, match="lower C, or scale"):
        nk.certify(X * 1e200, y, C=1.0)


def test_a_budget_that_ends_leaves_an_honest_bracket(monkeypatch):
    X, y = overlapping()
    best = nk.certify(X, y, gap=1e-9, C=1.0, loss="hinge").objective
    for most in range(30):
        proof = nk.certify(X, y, gap=1e-9, C=1.0, loss="hinge", max_passes=most)
        assert proof.verdict == "undecided"
        assert 0 <= proof.objective[0] <= best[1]
        assert best[0] <= proof.objective[1] <= 60.000001
    assert "The optimum is at least" in str(proof)
    assert "passes over the data are used up" in str(proof)
    with pytest.raises(ValueError, match="nothing to save"):
        proof.to_json()
    assert nk.certify(X, y, C=1.0, max_seconds=0).verdict == "undecided"
    monkeypatch.setattr(solve.CountedRows, "sum", _interrupt)
    assert nk.certify(X, y, C=1.0).why == "it was interrupted"
    table = nk.certify(X, np.arange(60) % 3, C=1.0)
    assert [proof.verdict for proof in table.values()] == ["undecided"] * 3
    with pytest.raises(KeyboardInterrupt):
        nk.MaxMarginClassifier(C=1.0).fit(X, y)


def _interrupt(*_):
    raise KeyboardInterrupt


def test_the_words():
    X, y = overlapping()
    proof = nk.certify(X, y, C=1.0, loss="hinge")
    text = str(proof)
    assert text.startswith("Soft margin of 60 rows, True against False, with the constant coordinate 1:\nno w has ")
    assert "sum max(0, 1 - y<w,x>) below" in text
    assert f"at least {proof.least_wrong()} rows have y<w,x> < 1: wrong, or within the margin." in text
    assert repr(proof).startswith("<SoftMargin: True against False, 60 rows; the optimum is between ")
    assert "Soft margin" in proof._repr_html_()
    found = str(nk.verify(proof, X, y))
    assert f"no w has ||w||^2/2 + 1.0 sum max(0, 1 - y<w,x>) below {proof.objective[0]}" in found
    assert "max(0, 1 - y<w,x>)^2" in str(nk.certify(X, y, C=1.0))
    weighted = nk.certify(X, y, C=1.0, sample_weight=np.arange(60) + 1)
    assert "sum weight max(0, 1 - y<w,x>)^2" in str(weighted)
    assert weighted.first_pass is None


def test_the_two_ends_are_seen_to_meet(capsys):
    X, y = overlapping()
    nk.certify(X, y, C=1.0, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("certify: pass ")
    assert "the optimum is between" in lines[0]


def test_of_many_classes_there_is_a_table():
    X, _ = overlapping()
    table = nk.certify(X, np.arange(60) % 3, C=0.1)
    assert isinstance(table, nk.Verdicts)
    lines = str(table).splitlines()
    assert lines[1].split("  ")[0] == "label"
    assert "optimum" in lines[1]
    assert "wrong or within the margin" in lines[1]
    assert lines[2].startswith("0      soft margin")
    assert "soft margin" in table._repr_html_()
    assert "3 soft margin" in repr(table)


# ---------------------------------------------------------------- the estimator, files, the shell


@pytest.mark.parametrize("loss", LOSSES)
def test_the_estimator_carries_its_certificate(loss, tmp_path):
    X, y = overlapping()
    weights = np.random.default_rng(0).integers(0, 3, len(X)) / 2
    for extra in ({}, {"sample_weight": weights}):
        clf = nk.MaxMarginClassifier(C=2.0, loss=loss, gap=1e-5).fit(X, y, **extra)
        proof = clf.certificate_
        assert proof.gap <= 1e-5
        verified(proof, X, y, **extra)
        assert clf.coef_[0].tolist() == proof.coef.tolist()
        assert clf.support_.tolist() == proof.rows.tolist()
        nk.save(clf, tmp_path / "model.nvk")
        found = nk.load(tmp_path / "model.nvk")
        assert found.certificate_.to_json() == proof.to_json()
        assert str(found.certificate_) == str(proof)
        assert found.loss == loss
        assert clf.to_sklearn().loss == loss


def test_labels_without_a_name_in_certificates_have_a_soft_margin_without_one():
    X, y = overlapping()
    dates = np.where(y, np.datetime64("2020-01-01"), np.datetime64("2021-01-01"))
    assert nk.MaxMarginClassifier(C=1.0).fit(X, dates).certificate_ is None


def test_the_shell_certifies_and_verifies_a_soft_margin(tmp_path):
    X, y = overlapping()
    lines = [f"{a},{b},{c},{1 + k % 2},{label}" for k, ((a, b, c), label) in enumerate(zip(X, y, strict=True))]
    data, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    data.write_text("\n".join(["a,b,c,w,label", *lines]) + "\n")
    run = CliRunner().invoke
    asked = ["certify", str(data), "--label", "label", "--C", "1", "--loss", "hinge", "-o", str(proof), "--quiet"]
    for weight in ([], ["--weight", "w"]):
        found = run(app, [*asked, *weight])
        assert found.exit_code == 0, found.output
        assert "Soft margin of 60 rows" in found.output
        found = run(app, ["verify", str(proof), str(data), "--json", *weight])
        assert found.exit_code == 0, found.output
        assert json.loads(found.output)["verdict"] == "soft margin"
    found = run(app, [*asked, "--json"])
    assert json.loads(found.output)["loss"] == "hinge"
    found = run(app, ["certify", str(data), "--label", "label", "--loss", "hinge"])
    assert found.exit_code != 0
    assert "--loss belongs to the soft margin" in found.output


def test_where_floats_end_the_cure_is_not_time():
    undecided = nk.certify([[1.0], [2.0]], [0, 1], C=1e300)
    assert undecided.verdict == "undecided"
    assert "Take a smaller C, or a wider gap" in str(undecided)
    with pytest.raises(ValueError, match=r"^C is below 1e-270 or above 1e300: take another C$"):
        nk.certify([[1.0], [2.0]], [0, 1], C=1e-300)


def test_the_reference_by_itself_refuses_weights_of_a_proof_without():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 0]
    claim = read_claim(nk.certify(X, y, C=1.0))
    reference.require_weights(claim, None, [-1, 1, -1])
    with pytest.raises(nk.InvalidCertificate, match="leave sample_weight out"):
        reference.require_weights(claim, [1.0, 1.0, 1.0], [-1, 1, -1])
