"""All classes at once, against an exact linear program in Kesler's space and against the theorems on many classes."""

from __future__ import annotations

import itertools
import json
import math
import pickle
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.certificates import joint as search
from novikoff.certificates import pairs
from novikoff.theory import many_classes
from tests.certificates import oracle
from tests.certificates.kinds import classes, joint
from tests.certificates.test_one_vs_one import accepted, both

CORNERS = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "c"]


def kesler(X, y, labels, constant):
    return joint.kesler(X, classes.places(labels, y), len(labels), constant)


def check_against_the_program(X, y, **options):
    """The verdict is that of an exact linear program over rows and rivals, and both checks accept it."""
    proof = nk.certify(X, y, multiclass="joint", **options)
    record = json.loads(proof.to_json())
    rows = kesler(X, y, record["labels"], oracle._constant(record["constant"]))
    cancels = oracle.cancels([*rows.values()]) is not None
    assert proof.verdict == ("joint not separable" if cancels else "joint separable")
    assert joint.accepts(record, X, y)
    both(record, X, y)
    return proof


@pytest.mark.parametrize("seed", range(20))
def test_the_verdict_is_that_of_an_exact_program(seed):
    rng = random.Random(seed)
    for _ in range(6):
        X, y = classes.problem(rng)
        check_against_the_program(X, y, **classes.options(rng))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 220))
def test_the_verdict_is_that_of_an_exact_program_on_many(seed):
    test_the_verdict_is_that_of_an_exact_program(seed)


def test_every_pair_may_be_separable_and_all_at_once_not():
    rng = random.Random(0)
    found = Counter()
    for _ in range(20):
        X, y = classes.cycle(rng)
        apart = nk.certify(X, y, multiclass="one-vs-one")
        proof = check_against_the_program(X, y)
        found[{pair.verdict for pair in apart.values()} == {"separable"}] += 1
        assert isinstance(proof, nk.JointNotSeparable)
    assert found[True] > 10


def test_a_pair_without_a_separator_is_the_proof():
    X, y = [[0.0], [1.0], [1.0], [2.0]], ["a", "b", "c", "c"]
    proof = check_against_the_program(X, y)
    assert (proof.rows.tolist(), proof.rivals.tolist(), proof.weights) == ([1, 2], [2, 1], (1, 1))
    assert "'b' and 'c' have no separator of their own rows already" in str(proof)


def test_a_row_of_zeros_cancels_by_itself_through_the_origin():
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    proof = check_against_the_program(X, y, fit_intercept=False)
    assert (proof.rows.tolist(), proof.weights) == ([0], (1,))


@pytest.mark.parametrize("seed", range(6))
def test_the_margin_is_that_of_the_learners_and_no_learner_makes_more_mistakes(seed):
    rng = np.random.default_rng(seed)
    k = 3 + seed % 3
    y = np.arange(40) % k
    X = rng.standard_normal((40, 4)) + 9.0 * np.eye(k, 4)[y]
    X[np.arange(40) % 7 == 0] *= 1.5
    proof = nk.certify(X, y, 1e-9, multiclass="joint", intercept_scaling=2.0)
    if isinstance(proof, nk.JointNotSeparable):
        both(proof, X, y)
        return
    rows = np.column_stack([X, np.full(40, 2.0)])
    of_proof = many_classes.ClassRun.of(rows, y, proof.W, [])
    assert Fraction(proof.margin[0]) ** 2 <= of_proof.margin_sq <= Fraction(proof.margin[1]) ** 2
    assert proof.margin[1] - proof.margin[0] <= 1e-9 * proof.margin[1]
    clf = nk.Perceptron(intercept_scaling=2.0, max_iter=10_000, hypothesis="last").fit(X, y)
    assert clf.mistakes_ <= clf.updates_ <= proof.most_mistakes == math.floor(both(proof, X, y).mistake_bound)
    assert (X @ proof.coef.T + proof.intercept).argmax(axis=1).tolist() == y.tolist()


@pytest.mark.parametrize("scale", ["none", "sphere"])
def test_a_run_on_many_classes_is_tied_to_its_theorem(scale):
    rng = np.random.default_rng(1)
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    X = rng.standard_normal((60, 3)) + 6.0 * np.eye(3)[np.arange(60) % 3]
    clf = nk.Perceptron(scale=scale, max_iter=1000).fit(X, y)
    run = clf.certify(X, y)
    assert isinstance(run.proof, nk.JointSeparable)
    assert (run.mistakes, run.updates) == (clf.mistakes_, clf.updates_)
    assert run.updates <= run.bound <= run.proof.most_mistakes
    assert "the theorem allows" in str(run)
    run = clf.certify(np.zeros_like(X) + 1.0, y)
    assert isinstance(run.proof, nk.JointNotSeparable)
    assert run.bound is None
    assert "without a separator the theorem promises nothing" in str(run)
    assert "Not separable at once" in run._repr_html_()


def test_a_run_on_other_data_is_told():
    X, y = np.eye(3), ["a", "b", "c"]
    with pytest.raises(ValueError, match="this model did not learn from these data"):
        nk.Perceptron().fit(9.0 * X, y).certify(X, y)


def test_the_bracket_is_tight():
    """Three corners: by symmetry and a pencil, W has the rows of the centred corners."""
    X = np.eye(3)
    proof = nk.certify(X, [0, 1, 2], 1e-9, multiclass="joint", fit_intercept=False)
    best = 1 / (math.sqrt(2) * math.sqrt(2))  # <w_y - w_r,x> = 1 and ||W||^2 = 3 (4 + 1 + 1)/9 = 2
    assert proof.margin == pytest.approx((best, best), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e150, 1e300])
def test_huge_and_tiny_numbers(scale):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [0.0, 2.0]]) * scale
    proof = nk.certify(X, ["a", "b", "c", "c"], multiclass="joint", fit_intercept=False)
    assert isinstance(proof, nk.JointSeparable)
    assert both(proof, X, ["a", "b", "c", "c"]).margin == proof.margin


def test_a_margin_beyond_floats_is_found_by_integers():
    X = [[1.0, 0.0], [1.0 + 2**-52, 1.0], [1.0 + 2**-51, 1.0], [0.0, 0.0]]
    check_against_the_program(X, ["a", "b", "c", "a"])


@pytest.mark.parametrize("kind", ["dense", "wide"])
def test_every_storage_gives_the_same_bytes(kind):
    rng = np.random.default_rng(3)
    d = 30 if kind == "dense" else 900  # three blocks of which are too wide to be made dense
    X = rng.integers(0, 3, (60, d)).astype(np.float64) * (rng.random((60, d)) < 20 / d)
    y = np.arange(60) % 3
    X[np.arange(60), y] += 6.0
    text = nk.certify(X, y, multiclass="joint").to_json()
    for other in (X.astype(np.float32), X.astype(int), np.asfortranarray(X), X.tolist()):
        assert nk.certify(other, y, multiclass="joint").to_json() == text
    for other in (sp.csr_array(X), sp.csc_matrix(X)):
        found = json.loads(nk.certify(other, y, multiclass="joint").to_json())
        assert found["kind"] == json.loads(text)["kind"] == "joint separable"
        for data in (X, other.tocsr()):
            both(found, data, y)


def test_budgets_leave_an_honest_bracket():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 4
    X = rng.standard_normal((300, 3)) + 9.0 * np.eye(4, 3)[y]
    best = nk.certify(X, y, multiclass="joint").margin
    for passes in range(6):
        verdict = nk.certify(X, y, 1e-9, multiclass="joint", max_passes=passes)
        assert verdict.margin[0] <= best[1]
        assert best[0] <= verdict.margin[1]
    verdict = nk.certify(X, y, multiclass="joint", max_seconds=0.0)
    assert verdict.verdict == "undecided"
    assert "4 labels at once" in str(verdict)
    with pytest.raises(ValueError, match="proves nothing"):
        verdict.to_json()


def test_an_interrupt_is_heard(monkeypatch):
    def interrupted(data, gap):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(search.solve, "guesses", interrupted)
    monkeypatch.setattr(search.pairs, "settled", lambda rows, about, question: iter(()))
    verdict = nk.certify(*CORNERS, multiclass="joint")
    assert (verdict.verdict, verdict.why) == ("undecided", "it was interrupted")


def test_the_first_pair_without_a_separator_is_enough(monkeypatch):
    settled = []
    original = pairs._settle

    def noted(X, rows, about, question, pair, members):
        if not question.halt.is_set():
            settled.append(pair)
        return original(X, rows, about, question, pair, members)

    monkeypatch.setattr(pairs, "_settle", noted)
    monkeypatch.setattr(pairs, "cores", lambda: 1)
    X = np.zeros((40, 1))
    proof = nk.certify(X, np.arange(40), multiclass="joint")
    assert proof.rows.tolist() == [0, 1]
    assert len(settled) < 780


def test_the_words():
    proof = nk.certify(*CORNERS, multiclass="joint")
    assert repr(proof).startswith("<JointSeparable: 3 labels at once, 3 rows; the best margin is ")
    assert "Joint separable" in proof._repr_html_()
    assert str(pickle.loads(pickle.dumps(proof))) == str(proof)
    found = both(proof, *CORNERS)
    assert (found.labels, found.positive, found.against) == (("a", "b", "c"), None, ())
    assert str(found).startswith("3 labels at once, with the constant coordinate 1.0: there is a w for each label")
    assert repr(found) == "<Verified: 3 labels, joint separable, by 3 rows>"
    assert "joint separable" in found._repr_html_()


# Forged certificates ------------------------------------------------------------------------------------------

FORGERIES = {
    "its labels are not a list of three": lambda r: r.update(labels=["a", "b"]),
    "about data with digest": lambda r: r.update(labels=["b", "a", "c"]),
    "its combination is not rows, rivals and weights": lambda r: r["combination"].pop("rivals"),
    "a row of its combination is not in X": lambda r: r["combination"]["rows"].__setitem__(0, 3),
    "a rival of its combination is not one": lambda r: r["combination"]["rivals"].__setitem__(0, 3),
    "a rival of its combination is the label": lambda r: r["combination"].update(rows=[0], rivals=[0], weights=[1]),
    "are not 1 to 6 in increasing order": lambda r: [r["combination"][name].reverse() for name in ("rows", "rivals")],
    "weight of one of its rows is not positive": lambda r: r["combination"]["weights"].__setitem__(0, 0),
    "its separator is not 3 vectors": lambda r: r["separator"].pop(),
    "a vector of its separator is not 3 integers": lambda r: r["separator"][0].pop(),
    "its separator does not separate": lambda r: r.update(separator=r["separator"][::-1]),
    "has less than the lower margin": lambda r: (
        r["margin"].__setitem__(0, r["margin"][1] * (1 + 1e-9)) or r["margin"].__setitem__(1, 9.0)
    ),
    "does not prove the upper margin": lambda r: r.update(margin=[1e-9, r["margin"][0] * (1 - 1e-9)]),
    "its radius is too small": lambda r: r.update(radius=1.4142),
    "closest": lambda r: r.update(closest=[0, 0]),
    "its closest is not a row and a rival": lambda r: r.update(closest=0),
    "its fields are not": lambda r: r.pop("radius"),
}


@pytest.mark.parametrize("sentence", FORGERIES)
def test_a_forgery_is_refused_with_a_sentence(sentence):
    record = json.loads(nk.certify(*CORNERS, multiclass="joint").to_json())
    FORGERIES[sentence](record)
    for reference in (False, True):
        with pytest.raises(nk.InvalidCertificate, match=sentence):
            nk.verify(record, *CORNERS, reference=reference)


def test_rows_that_do_not_cancel_in_every_block_are_refused():
    X, y = [[0.0], [1.0], [1.0], [2.0]], ["a", "b", "c", "c"]
    record = json.loads(nk.certify(X, y, multiclass="joint").to_json())
    for rivals in ([0, 1], [2, 0]):
        record["combination"]["rivals"] = rivals
        for reference in (False, True):
            with pytest.raises(nk.InvalidCertificate, match="do not sum to zero in every block"):
                nk.verify(record, X, y, reference=reference)


def test_another_row_that_is_closer_is_told_from_the_closest():
    X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]], ["a", "b", "c"]
    record = json.loads(nk.certify(X, y, multiclass="joint").to_json())
    others = [v for v in itertools.permutations(range(3), 2) if list(v) != record["closest"]]
    for closest in others:
        change = record | {"closest": list(closest), "margin": [1e-3, 1.0]}
        expected = joint.accepts(change, X, y)
        for reference in (False, True):
            assert accepted(change, X, y, reference=reference) == expected


def test_two_rivals_need_not_be_two_labels_without_a_separator():
    """Through the origin rows of a third label can cancel by themselves, with both as rivals."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), ["c", "c", "a", "b"]
    record = {
        "combination": {"rows": [0, 1, 2], "rivals": [0, 1, 1], "weights": [1, 1, 1]},
        "kind": "joint not separable",
    }
    proof = nk.certify(X, y, multiclass="joint", fit_intercept=False)
    changed = json.loads(proof.to_json()) | record
    for reference in (False, True):
        assert nk.verify(changed, X, y, reference=reference).verdict == "joint not separable"
    assert nk.certify(X[2:], y[2:], fit_intercept=False).verdict == "separable"
    assert "no separator of their own" not in str(proof)


def test_a_row_of_zeros_is_said_as_one():
    X, y = np.zeros((3, 1)), [0, 1, 2]
    proof = nk.certify(X, y, multiclass="joint", fit_intercept=False)
    assert "is zero: no label has a larger <w,x> there than another." in str(proof)
    assert "since a row is zero." in str(nk.verify(proof, X, y))
