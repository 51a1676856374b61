"""Complete, quasi-complete or overlap, and what becomes of each coefficient: against a linear program in rationals."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.certificates import prove
from novikoff.certificates.check import minor
from novikoff.certificates.claim import InvalidCertificate
from tests.certificates import oracle, published
from tests.certificates.kinds import separation as kind


def ask(X, y, **options):
    """The proof, which both checks accept and agree on."""
    proof = nk.certify(X, y, separation=True, **options)
    fast, slow = (nk.verify(proof, X, y, reference=reference) for reference in (False, True))
    assert fast == slow
    assert fast.separation == proof.separation
    if proof.separation in ("overlap", "quasi-complete"):
        assert isinstance(proof, nk.NotSeparable)
        assert fast.coefficients == proof.coefficients
    return proof


# ---------------------------------------------------------------- the same by linear programs in Fractions


def nonnegative(columns, target):
    """Are there weights >= 0 with which the columns add up to the target? The simplex method, with Bland's rule."""
    signs = [-1 if t < 0 else 1 for t in target]
    n = len(columns)
    table = [
        [s * Fraction(c[k]) for c in columns] + [s * Fraction(t)]
        for k, (s, t) in enumerate(zip(signs, target, strict=True))
    ]
    basis = [None] * len(table)
    cost = [sum(column) for column in zip(*table, strict=True)] if table else [0] * (n + 1)
    while True:
        enter = next((k for k in range(n) if cost[k] > 0), None)
        if enter is None:
            return cost[-1] == 0
        ratios = [
            (row[-1] / row[enter], -1 if basis[r] is None else basis[r], r)
            for r, row in enumerate(table)
            if row[enter] > 0
        ]
        leave = min(ratios)[2]
        pivot = [v / table[leave][enter] for v in table[leave]]
        table[leave], basis[leave] = pivot, enter
        for r, row in enumerate(table):
            if r != leave and row[enter]:
                table[r] = [v - row[enter] * q for v, q in zip(row, pivot, strict=True)]
        cost = [v - cost[enter] * q for v, q in zip(cost, pivot, strict=True)]


def minus(row):
    return [-x for x in row]


def exactly(X, y, intercept):
    """What the rows are by definition: the kind, the coefficients, and those that every weak separator needs."""
    signs = [1 if label else -1 for label in y]
    a = oracle.rows_of(X, signs, Fraction(1) if intercept else 0)
    D = len(a[0])
    zero = [row for row in a if nonnegative(a, minus(row))]
    if not zero:
        return "complete", None, None
    both = [*a, *map(minus, a)]
    cone = [*a, *map(minus, zero)]
    fates = []
    for j in range(D):
        e = [Fraction(k == j) for k in range(D)]
        if nonnegative([*zero, *map(minus, zero)], e):
            fates.append("finite")
        elif not nonnegative(both, e):
            fates.append("dependent")
        elif nonnegative(cone, e):
            fates.append("+infinity")
        else:
            fates.append("-infinity" if nonnegative(cone, minus(e)) else "not determined")
    units = [[Fraction(s * (k == j)) for k in range(D)] for j in range(D) for s in (1, -1)]
    needed = [
        j
        for j in range(D)
        if len(zero) < len(a) and all(nonnegative([*a, *units[2 * j : 2 * j + 2]], minus(row)) for row in a)
    ]
    return "overlap" if len(zero) == len(a) else "quasi-complete", tuple(fates), needed


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_verdict_and_coefficients_are_those_of_linear_programs(seed):
    rng = random.Random(seed)
    seen = Counter()
    for _ in range(250 if seed == 0 else 4000):
        X, y = kind.data(rng)
        intercept = rng.random() < 0.75
        proof = ask(X, y, fit_intercept=intercept)
        expected, fates, needed = exactly(X, y, intercept)
        assert proof.separation == expected
        seen[expected] += 1
        if fates is not None:
            assert proof.coefficients == fates
            seen.update(fates)
        if expected == "quasi-complete":
            claimed = proof.detail.fates.needed
            assert set(claimed) <= set(needed)
            seen["needed"] += len(needed)
            seen["claimed"] += len(claimed)
    assert min(seen[name] for name in ("complete", "quasi-complete", "overlap")) > 25
    assert min(seen[name] for name in ("finite", "dependent", "+infinity", "-infinity", "not determined")) > 10
    assert seen["claimed"] == seen["needed"]


# ---------------------------------------------------------------- cases that can be checked with a pencil


def test_two_groups_that_mix_overlap():
    proof = ask([[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0])
    assert proof.separation == "overlap"
    assert proof.coefficients == ("finite", "finite")
    assert "maximum likelihood estimate at a finite point" in str(proof)


def test_an_indicator_of_one_class_goes_to_infinity():
    X = [[0, 1.0], [0, 2.0], [0, 3.0], [1, 2.0]]
    proof = ask(X, [0, 1, 0, 1])
    assert proof.separation == "quasi-complete"
    assert proof.coefficients == ("+infinity", "finite", "finite")
    assert proof.detail.fates.needed == (0,)
    assert "1 coefficient goes to +infinity: column 0;" in str(proof)
    assert "Every such w needs column 0." in str(proof)


def test_groups_that_touch_at_one_point_are_quasi_complete():
    """At x = 2 both labels occur; below it is one, above it the other (Albert and Anderson's figure)."""
    proof = ask([[0.0], [1.0], [2.0], [2.0], [3.0]], [0, 0, 0, 1, 1])
    assert proof.separation == "quasi-complete"
    assert proof.coefficients == ("+infinity", "-infinity")
    assert proof.detail.moved == 3
    assert set(proof.detail.fates.needed) == {0, 1}


def test_groups_apart_are_complete():
    proof = ask([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert proof.separation == "complete"
    assert "Complete separation" in str(proof)
    assert isinstance(proof, nk.Separable)


def test_indicators_of_all_levels_with_a_constant_are_told_as_a_relation():
    X = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    proof = ask(X, [0, 0, 0, 1, 1, 1])
    assert proof.separation == "overlap"
    assert proof.coefficients == ("dependent",) * 4
    assert proof.relations == ({0: 1, 1: 1, 2: 1, 3: -1},)
    assert "column 0 + column 1 + column 2 = 1" in str(proof)


def test_names_of_columns_are_said():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"NV": [0, 0, 0, 1], "PI": [1.0, 2.0, 3.0, 2.0], "empty": [0.0] * 4})
    proof = ask(frame, [0, 1, 0, 1])
    assert "goes to +infinity: NV;" in str(proof)
    assert "1 column is 0 on every row: empty." in str(proof)


def test_coefficient_that_may_go_either_way_has_two_separators():
    """Rows e1 and e1 + e2 of one class: e2 >= -e1 is all that is known of the second coefficient."""
    X = [[1.0, 1.0], [1.0, -1.0], [0.0, 0.0], [0.0, 0.0]]
    proof = ask(X, [1, 1, 1, 0])
    assert proof.coefficients == ("+infinity", "not determined", "finite")
    weak, (other,) = proof.weak, proof.detail.fates.others
    assert weak[1] * other[1] < 0


def test_proof_of_verdict_alone_costs_and_says_what_it_did():
    X, y = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0]
    proof = nk.certify(X, y)
    assert proof.separation is None
    assert proof.coefficients is None
    assert nk.verify(proof, X, y).separation is None
    assert '"kind": "not separable"' in proof.to_json()
    assert nk.certify([[0.0], [1.0]], [0, 1]).separation is None


# ---------------------------------------------------------------- larger data, other storage, limits


def generated(n, d, seed, quasi):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) / np.sqrt(d) + rng.logistic(size=n) > 0
    if quasi:
        X[:, 0] = (rng.random(n) < 0.1) & y
    return X, y


@pytest.mark.parametrize("quasi", [False, True])
@pytest.mark.parametrize("store", [np.asarray, np.float32, sp.csr_matrix])
def test_storage_does_not_matter(store, quasi):
    X, y = generated(300, 5, 3, quasi)
    X = np.round(X * 64) / 64
    proof = ask(store(X), y)
    assert proof.separation == ("quasi-complete" if quasi else "overlap")
    assert proof.to_json() == ask(X, y).to_json()


def test_columns_of_very_different_sizes():
    X, y = generated(60, 4, 5, True)
    X = X * np.array([1.0, 1e-140, 1e140, 1e-5])
    assert ask(X, y).coefficients == ask(X * np.array([1.0, 2.0**300, 2.0**-300, 1.0]), y).coefficients


def test_more_columns_than_rows():
    X, y = generated(6, 9, 0, False)
    X, y = np.vstack([X, X[:1]]), np.append(y, ~y[0])
    proof = ask(X, y)
    assert proof.separation == "quasi-complete"
    assert len(proof.relations) == 4


def test_rows_of_zeros_through_the_origin():
    assert ask([[0.0, 0.0], [0.0, 0.0]], [0, 1], fit_intercept=False).separation == "overlap"
    proof = ask([[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]], [0, 1, 0], fit_intercept=False)
    assert proof.separation == "quasi-complete"
    assert proof.coefficients == ("+infinity", "+infinity")


def test_a_minor_that_the_smaller_prime_divides_has_the_larger():
    """2^30 2^31 - 1 1 = 2^61 - 1, which float64 does not hold; but the entries are floats."""
    c = [[2.0**30, 1.0], [1.0, 2.0**31]]
    X = np.array([c[0], c[0], c[1], c[1]])
    proof = ask(X, [1, 0, 1, 0], fit_intercept=False)
    assert proof.separation == "overlap"
    assert proof.detail.span.modulus == 89
    record = json.loads(proof.to_json())
    record["span"]["modulus"] = 61
    for reference in (False, True):
        with pytest.raises(InvalidCertificate, match="minor of its span is 0 modulo"):
            nk.verify(record, X, [1, 0, 1, 0], reference=reference)


def test_budgets_leave_the_verdict_and_say_what_is_open():
    X, y = generated(200, 4, 1, True)
    passes = nk.certify(X, y).passes
    proof = nk.certify(X, y, separation=True, max_passes=passes)
    assert isinstance(proof, nk.NotSeparable)
    assert proof.separation is None
    assert "is not decided: " in str(proof)
    assert nk.verify(proof, X, y).separation is None
    undecided = nk.certify(X, y, separation=True, max_passes=0)
    assert undecided.separation is None


def test_what_is_interrupted_leaves_the_verdict(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(prove, "separate", stop)
    proof = nk.certify([[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0], separation=True)
    assert proof.separation is None
    assert "is not decided: it was interrupted." in str(proof)


def test_more_columns_than_are_asked_are_said():
    X = np.vstack([np.eye(2100), np.eye(2100)[:1]])
    y = np.arange(2101) % 2 == 0
    y[2100] = not y[0]
    proof = nk.certify(sp.csr_matrix(X), y, separation=True)
    assert proof.separation is None
    assert "are too many to ask it of." in str(proof)


# ---------------------------------------------------------------- what is refused


def changed(record, **fields):
    return json.loads(json.dumps(record)) | fields


@pytest.mark.parametrize("reference", [False, True])
def test_one_row_that_no_weak_separator_moves_is_too_many_for_a_column_that_diverges(reference):
    X = [[1.0, 1.0], [1.0, -1.0], [0.0, 0.0], [0.0, 0.0]]
    y = [1, 1, 1, 0]
    good = json.loads(nk.certify(X, y, separation=True).to_json())
    column = good["diverges"][0]
    weights = dict(zip(column["rows"], column["weights"], strict=True)) | {2: 1}
    more = column | {"rows": sorted(weights), "weights": [weights[i] for i in sorted(weights)]}
    with pytest.raises(nk.InvalidCertificate, match="on which its weak separator is 0"):
        nk.verify(changed(good, diverges=[more]), X, y, reference=reference)


@pytest.mark.parametrize("reference", [False, True])
def test_every_false_claim_is_refused_in_words(reference):
    X = [[1.0, 1.0], [1.0, -1.0], [0.0, 0.0], [0.0, 0.0]]
    y = [1, 1, 1, 0]
    good = json.loads(nk.certify(X, y, separation=True).to_json())
    of_zero, of_all = good["span"], good["all_rows"]
    only_zero = {"rows": of_zero["rows"], "columns": of_zero["columns"], "modulus": 61}
    forged = {
        "its kernels leave open": {"diverges": []},
        "does not diverge by the rows": {"diverges": [good["diverges"][0] | {"scale": -good["diverges"][0]["scale"]}]},
        "on which its weak separator is 0": {"diverges": [good["diverges"][0] | {"rows": [2], "weights": [1]}]},
        "not two signs": {"others": [_sparse(good["weak"])]},
        "one of its other weak separators has": {"others": [{"columns": [0], "values": [-1]}]},
        "0 on every row": {"weak": [0, 0, 0]},
        "the kernel of its span is not orthogonal": {"weak": [1, -1, 0]},
        "are not D together": {"span": only_zero | {"kernel": of_zero["kernel"][1:]}},
        "echelon": {"span": of_zero | {"kernel": of_zero["kernel"][::-1]}},
        "is not in its combination": {"span": of_zero | {"rows": [0]}},
        "minor of the span of all rows is 0": {"all_rows": of_all | {"rows": sorted({0, 2, 3})}},
        "modulus": {"span": of_zero | {"modulus": 3}},
    }
    for sentence, fields in forged.items():
        with pytest.raises(InvalidCertificate) as error:
            nk.verify(changed(good, **fields), X, y, reference=reference)
        assert sentence in str(error.value), (sentence, str(error.value))
    assert nk.verify(good, X, y, reference=reference).separation == "quasi-complete"


def _sparse(values):
    return {"columns": [j for j, x in enumerate(values) if x], "values": [x for x in values if x]}


@pytest.mark.parametrize("reference", [False, True])
def test_quasi_complete_separation_is_not_overlap_and_the_other_way_round(reference):
    X = [[0.0], [1.0], [2.0], [2.0], [3.0]]
    y = [0, 0, 0, 1, 1]
    quasi = json.loads(nk.certify(X, y, separation=True).to_json())
    kept = {name: quasi[name] for name in quasi if name not in kind.QUASI}
    with pytest.raises(InvalidCertificate, match="the kernel of its span is not orthogonal to its rows"):
        nk.verify(kept | {"kind": "overlap"}, X, y, reference=reference)


# ---------------------------------------------------------------- published data


def maximum_likelihood(X, y):
    """Newton's method, from 0."""
    A = np.column_stack([np.ones(len(X)), X])
    b = np.zeros(A.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-A @ b))
        b += np.linalg.solve((A.T * (p * (1 - p))) @ A, A.T @ (y - p))
    return b


@pytest.mark.parametrize("table", [published.lizards, published.vasoconstriction])
def test_published_estimates_that_exist_are_finite(table):
    X, y, estimates = table()
    assert np.abs(maximum_likelihood(X, y) - estimates).max() < 6e-4, "the table is the published one"
    proof = ask(X, y)
    assert proof.separation == "overlap"
    assert set(proof.coefficients) == {"finite"}


def test_one_lizard_species_never_in_a_cell_of_its_own():
    """With a column for tall thin sunny perches, where no opalinus was seen, its coefficient goes to infinity."""
    X, y, _ = published.lizards()
    cell = (X[:, 0] == 1) & (X[:, 1] == 0) & (X[:, 2] == 0)
    proof = ask(np.column_stack([X, cell]), y)
    assert proof.separation == "quasi-complete"
    assert proof.coefficients == ("finite",) * 5 + ("+infinity", "finite")
    assert proof.detail.moved == cell.sum() == 33


def test_textbook_example_of_complete_separation():
    assert ask(*published.complete()).separation == "complete"


def test_textbook_example_of_quasi_complete_separation():
    proof = ask(*published.quasi_complete())
    assert proof.separation == "quasi-complete"
    assert proof.coefficients == ("+infinity", "finite", "-infinity")
    assert proof.detail.moved == 7


def test_the_words_of_one_row():
    """Through the origin a row of zeros is a proof by itself."""
    zeros = nk.certify([[0.0], [0.0]], [0, 1], separation=True, fit_intercept=False)
    assert "Row 0, counted from 0, is zero: it has y<w,x> = 0, whatever w is." in str(zeros)
    assert "Overlap: every row is zero, and no w moves any." in str(zeros)
    assert repr(zeros).endswith("; row 0 is zero>")
    assert "overlap. Every row is zero: so" in str(nk.verify(zeros, [[0.0], [0.0]], [0, 1]))
    X = [[1.0], [0.0]]
    quasi = nk.certify(X, [0, 1], separation=True, fit_intercept=False)
    words = str(nk.verify(quasi, X, [0, 1]))
    assert "since they are zero. Towards the supremum" in words
    assert "these coefficients go to -infinity: column 0. Every such u needs column 0. Coefficients that" in words
    plain = nk.certify(X, [0, 1], fit_intercept=False)
    assert "on some row, since a row is zero." in str(nk.verify(plain, X, [0, 1]))


def test_quasi_separation_behind_dependent_columns_names_the_cure():
    """All levels beside a constant: every coefficient is open, though level c occurs with one label only."""
    X = np.repeat(np.eye(3), 2, axis=0)
    y = [0, 1, 0, 1, 1, 1]
    proof = ask(X, y)
    assert proof.separation == "quasi-complete"
    assert set(proof.coefficients) == {"dependent"}
    assert "Leave out one column of each relation, and ask again" in str(proof)
    assert ask(X[:, 1:], y).coefficients == ("finite", "+infinity", "finite")


def test_where_floats_see_no_difference_the_cure_is_one():
    """Times in seconds since 1970, a few seconds apart."""
    times = 1.7e9 + np.arange(10.0)[:, None].repeat(6, axis=0)
    y = (times[:, 0] > 1.7e9 + 5).astype(int)
    y[30:36:2] = 1
    proof = ask(times, y)
    assert proof.separation is None
    assert "subtract a number from each, which changes nothing but the intercept" in str(proof)
    assert ask(times - 1.7e9, y).coefficients == ("+infinity", "-infinity")


def test_every_verdict_can_be_asked_for_its_coefficients():
    X, y = [[0.0], [1.0]], [0, 1]
    assert ask(X, y).coefficients is None
    assert nk.certify(X, y, max_passes=0, separation=True).coefficients is None
    assert nk.certify([[0.0], [0.0]], y).coefficients is None


# The minor of the fast check ------------------------------------------------------------------------


def test_products_of_residues_are_those_of_integers():
    rng = random.Random(0)
    prime = 2**61 - 1
    for shape in ((5, 48, 7), (1, 1, 1), (3, 20, 2)):
        left, right = (
            [[rng.choice([0, 1, prime - 1, rng.randrange(prime)]) for _ in range(n)] for _ in range(m)]
            for m, n in (shape[:2], shape[1:])
        )
        exact = [
            [sum(a * b for a, b in zip(row, column, strict=True)) % prime for column in zip(*right, strict=True)]
            for row in left
        ]
        found = minor._sum_of_products(np.array(left, dtype=np.uint64), np.array(right, dtype=np.uint64))
        assert found.tolist() == exact


@pytest.mark.parametrize("size", [1, 47, 49, 100, 130])
def test_a_minor_of_any_size_is_told_from_0(size):
    rng = np.random.default_rng(size)
    table = rng.integers(0, 2**61 - 1, (size, size))
    assert minor.regular(table, size // 2, 61) == (True, True)
    dependent = table.copy()
    dependent[-1] = dependent[0] if size > 1 else 0
    assert minor.regular(dependent, size // 2, 61) == (True, False)
    dependent = table.copy()
    dependent[:, 0] = 0
    assert minor.regular(dependent, size, 61) == (False, False)
