"""Learners over {0, 1}^d: the round in which no concept is left, batch against online, storages, bad input."""

from __future__ import annotations

import pickle
from itertools import combinations, pairwise, permutations, product

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from novikoff import concepts
from novikoff.estimators.boolean import KDNF, Conjunction, Disjunction, MonotoneConjunction, MonotoneDisjunction
from novikoff.estimators.winnow import Winnow
from novikoff.learners.elimination import Terms
from novikoff.learners.online import NotRealizable

ELIMINATION = [MonotoneConjunction(), Conjunction(), MonotoneDisjunction(), Disjunction(), KDNF(k=1), KDNF(k=2)]
ALL = [*ELIMINATION, Winnow(), Winnow(variant=2), Winnow(alpha=1.3, threshold=2.5), Winnow(variant=2, r=3)]
EACH = pytest.mark.parametrize("model", ALL, ids=str)
EACH_ELIMINATION = pytest.mark.parametrize("model", ELIMINATION, ids=str)


def realizable(model, X, y):
    """Does some concept agree with all examples? By brute force."""
    d = X.shape[1]
    if isinstance(model, KDNF):
        # The largest k-DNF that is 0 on the negatives holds every term that is true in none of them.
        negatives = [x for x, label in zip(X, y, strict=True) if not label]
        terms = [
            dict(zip(which, values, strict=True))
            for size in range(min(model.k, d) + 1)
            for which in combinations(range(d), size)
            for values in product((0, 1), repeat=size)
        ]
        kept = [t for t in terms if not any(all(x[i] == b for i, b in t.items()) for x in negatives)]
        return all(
            any(all(x[i] == b for i, b in t.items()) for t in kept) for x, label in zip(X, y, strict=True) if label
        )
    name = type(model).__name__
    constant = {"Conjunction": 0, "Disjunction": 1}.get(name)  # literals that contradict each other
    if constant is not None and all(label == constant for label in y):
        return True
    classes = {
        "MonotoneConjunction": concepts.monotone_conjunctions,
        "Conjunction": concepts.conjunctions,
        "MonotoneDisjunction": concepts.monotone_disjunctions,
        "Disjunction": concepts.disjunctions,
    }
    return bool(classes[name](d).consistent(X, y))


def stream(rng, model, n, d, noise):
    """Rows, and labels by a random concept, some of them flipped."""
    X = (rng.random((n, d)) < rng.random()).astype(float)
    relevant = rng.random(d) < 0.4
    some = X[:, relevant] == (1 if "Monotone" in str(model) else rng.integers(0, 2, relevant.sum()))
    y = some.all(axis=1) if "Conj" in str(model) else some.any(axis=1)
    return X, (y ^ (rng.random(n) < noise)).astype(int)


def learn_all(model, X, y):
    """One example after the other; the learner, and the error that ended it."""
    model = clone(model)
    for x, label in zip(X, y, strict=True):
        before = pickle.dumps(model)
        try:
            model.learn_one(x, label)
        except NotRealizable as error:
            assert pickle.dumps(model) == before
            return model, error
    return model, None


def fit(model, X, y):
    model = clone(model)
    try:
        return model.fit(X, y), None
    except NotRealizable as error:
        return model, error


def same(a, b):
    return a._state == b._state and (a.rounds_, a.mistakes_) == (b.rounds_, b.mistakes_)


def facts(error):
    return None if error is None else (str(error), error.round, error.examples)


# No concept is left --------------------------------------------------------------------------------


@EACH_ELIMINATION
def test_the_first_round_without_a_concept_is_that_of_brute_force(model):
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(120):
        n, d = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        X, y = stream(rng, model, n, d, rng.choice([0.1, 0.4]))
        _, error = learn_all(model, X, y)
        stop = n if error is None else error.round
        assert realizable(model, X[:stop], y[:stop])
        if error is None:
            continue
        found += 1
        assert not realizable(model, X[: stop + 1], y[: stop + 1])
        assert error.examples[-1] == error.round
        some = list(error.examples)
        assert not realizable(model, X[some], y[some]), "the rounds that it names contradict each other"
        assert all(f"{i}" in str(error) for i in some)
    assert 20 < found < 120


def test_a_positive_after_a_negative_that_it_makes_impossible():
    learner = MonotoneConjunction().learn_one((1, 0), 0)
    with pytest.raises(NotRealizable, match="false in round 0, labelled 0, is false in round 1, labelled 1") as info:
        learner.learn_one((1, 0), 1)
    assert (info.value.round, info.value.examples) == (1, (0, 1))
    learner.learn_one((1, 1), 1)
    assert (learner.rounds_, learner.mistakes_, learner.literals_) == (2, 0, ["x[0]", "x[1]"])


def test_several_rounds_contradict_one():
    X = [(1, 1, 0, 0), (0, 1, 1, 1), (1, 1, 1, 0), (1, 1, 0, 1)]
    with pytest.raises(NotRealizable, match="one of the rounds 2 and 3, labelled 1") as info:
        MonotoneConjunction().fit(X, [0, 0, 1, 1])
    assert info.value.examples == (0, 2, 3)


def test_rounds_that_have_no_part_in_it_are_not_named():
    # Round 0 drops x[2] only, which is 1 in round 1.
    with pytest.raises(NotRealizable) as info:
        MonotoneConjunction().fit([(1, 1, 0), (0, 1, 1), (0, 1, 1)], [1, 0, 1])
    assert info.value.examples == (1, 2)
    # Of two negatives that become impossible at once, the one with fewer variables left is named.
    with pytest.raises(NotRealizable) as info:
        MonotoneConjunction().fit([(0, 0, 1, 1), (1, 1, 0, 1), (0, 0, 0, 1)], [0, 0, 1])
    assert info.value.examples == (1, 2)


@pytest.mark.parametrize(
    ("model", "x", "y"), [(MonotoneConjunction(), (1, 1), 0), (MonotoneDisjunction(), (0, 0), 1)], ids=str
)
def test_what_every_concept_says_is_no_matter_of_learning(model, x, y):
    with pytest.raises(NotRealizable, match="every monotone") as info:
        model.learn_one(x, y)
    assert info.value.examples == (0,)
    assert model.bound() is None
    for general in (Conjunction(), Disjunction()):
        general.learn_one(x, y)


def test_a_long_list_of_rounds_is_cut_in_the_message_only():
    d = 40
    X = np.vstack([np.zeros(d), 1 - np.eye(d)])
    with pytest.raises(NotRealizable, match=r"rounds 1, 2, .* 10, \.\.\. and 40") as info:
        MonotoneConjunction().fit(X, [0] + [1] * d)
    assert info.value.examples == tuple(range(d + 1))


# Batch and online ----------------------------------------------------------------------------------


@EACH
def test_a_pass_is_learning_one_by_one(model):
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(80):
        n, d = int(rng.integers(1, 25)), int(rng.integers(1, 6))
        X, y = stream(rng, model, n, d, rng.choice([0.0, 0.05, 0.3]))
        one, error = learn_all(model, X, y)
        ended += error is not None
        for data in (X, sp.csr_array(X), X.astype(np.float32), X.astype(bool)):
            many, their_error = fit(model, data, y)
            assert facts(their_error) == facts(error)
            if error is None:
                assert same(one, many)
                assert many.predict(data).tolist() == [one.predict_one(x) for x in X]
        # in parts, and on from there: what is remembered is the same as well
        parts, their_error = clone(model), None
        cuts = [0, *sorted(rng.integers(0, n + 1, 3).tolist()), n]
        try:
            for start, stop in pairwise(cuts):
                if rng.random() < 0.3 or start == stop:
                    for i in range(start, stop):
                        parts.learn_one(X[i], y[i])
                else:
                    parts.partial_fit(X[start:stop], y[start:stop])
        except NotRealizable as stopped:
            their_error = stopped
        assert facts(their_error) == facts(error)
        assert error or same(one, parts)
    assert ended > 10 or isinstance(model, Winnow)


@given(st.data())
def test_a_pass_is_learning_one_by_one_on_what_hypothesis_finds(data):
    d = data.draw(st.integers(1, 4))
    examples = data.draw(st.lists(st.tuples(st.tuples(*[st.integers(0, 1)] * d), st.integers(0, 1)), max_size=12))
    X, y = np.array([x for x, _ in examples]).reshape(-1, d), [label for _, label in examples]
    model = data.draw(st.sampled_from(ELIMINATION))
    cut = data.draw(st.integers(0, len(y)))
    one, error = learn_all(model, X, y)
    parts, their_error = clone(model), None
    try:
        for part in (slice(0, cut), slice(cut, len(y))):
            if len(y[part]):
                parts.partial_fit(X[part], y[part])
    except NotRealizable as stopped:
        their_error = stopped
    assert facts(their_error) == facts(error)
    assert error or same(one, parts)


@EACH
def test_any_csr_of_the_same_matrix_is_the_same(model):
    rng = np.random.default_rng(2)
    X, y = stream(rng, model, 60, 7, 0)
    plain = clone(model).fit(X, y)
    # an explicit zero in every row, columns in disorder, and a one that is stored as 0.25 + 0.75
    data, indices, indptr = [], [], [0]
    for x in X:
        cells = [(j, v) for j, v in enumerate(x) if v] + [(int(np.argmin(x)), 0.0)] * int(x.min() == 0)
        if x.any():
            j = int(np.argmax(x))
            cells = [(k, v) for k, v in cells if k != j] + [(j, 0.25), (j, 0.75)]
        cells = [cells[i] for i in rng.permutation(len(cells))]
        indices += [j for j, _ in cells]
        data += [v for _, v in cells]
        indptr.append(len(indices))
    S = sp.csr_array((np.array(data, dtype=float), indices, indptr), shape=X.shape)
    before = S.data.copy()
    assert np.array_equal(S.toarray(), X)
    for other in (S, sp.csr_matrix(S), sp.csc_array(X), sp.coo_array(X)):
        fitted = clone(model).fit(other, y)
        assert same(fitted, plain)
        assert np.array_equal(fitted.predict(other), plain.predict(X))
        assert fitted.predict_one(sp.csr_array(X[:1])) == plain.predict_one(X[0])
    assert np.array_equal(S.data, before)


@EACH
def test_frames_keep_their_names(model):
    X = pd.DataFrame([[1, 1, 0], [1, 0, 1], [0, 0, 0]], columns=["red", "round", "old"])
    y = [1, 1, 0]
    for table in (X, pl.from_pandas(X)):
        fitted = clone(model).fit(table, y)
        assert list(fitted.feature_names_in_) == ["red", "round", "old"]
        assert fitted.n_features_in_ == 3
        assert same(fitted, clone(model).fit(X.to_numpy(), y))
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(X[["old", "red", "round"]])
    if type(model) is MonotoneConjunction:
        assert fitted.literals_ == ["red"]
    if type(model) is Disjunction:
        assert fitted.literals_ == ["red", "round", "old"]
    fitted.fit(X.to_numpy(), y)
    assert not hasattr(fitted, "feature_names_in_")


def test_what_is_left_in_words():
    X, y = [(1, 1, 0), (1, 0, 0)], [1, 1]
    assert MonotoneConjunction().fit(X, y).literals_ == ["x[0]"]
    assert Conjunction().fit(X, y).literals_ == ["x[0]", "~x[2]"]
    assert MonotoneDisjunction().fit(X, [0, 0]).literals_ == ["x[2]"]
    assert Disjunction().fit(X, [0, 0]).literals_ == ["x[2]", "~x[0]"]
    assert KDNF(k=1).fit(X, [0, 0]).terms_ == ["~x[0]", "x[2]"]
    assert KDNF(k=1).fit(X, [1, 1]).terms_[0] == "1"
    for model in (MonotoneConjunction(), KDNF()):
        assert not hasattr(model, "literals_")
        assert not hasattr(model, "terms_")


def test_a_negative_that_another_implies_is_forgotten():
    # What is 0 in these: {0, 1}, {0, 2}, {1, 2}, {0, 1} again, {0}. The last needs x[0], which rejects the first two.
    X, y = 1 - np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]), [0] * 5
    fitted = [MonotoneConjunction().fit(X, y), learn_all(MonotoneConjunction(), X, y)[0]]
    fitted.append(MonotoneConjunction().fit(X[:3], y[:3]).partial_fit(X[3:], y[3:]))
    for model in fitted:
        assert sorted(model._core._negatives) == [0b001, 0b110]
        assert model._core._negatives[0b110].round == 2
    # a positive makes {0, 1} and {1, 2} one set, and the first of the two is kept
    model = MonotoneConjunction().fit(X[:3:2], [0, 0]).learn_one((0, 1, 0, 1), 1)
    assert sorted(model._core._negatives) == [0b010]
    assert model._core._negatives[0b010].round == 0


def test_few_negatives_are_kept():
    rng = np.random.default_rng(3)
    X = (rng.random((20_000, 12)) < 0.8).astype(float)
    y = X[:, :4].all(axis=1).astype(int)
    for model in (MonotoneConjunction(), Conjunction()):
        fitted = clone(model).fit(X, y)
        assert len(fitted._core._negatives) == 4, "one for each variable that matters"
        assert len(learn_all(model, X[:2000], y[:2000])[0]._core._negatives) == 4


def test_terms_in_parts():
    # 211 terms and 25,000 rows are more than are taken at a time.
    rng = np.random.default_rng(4)
    X = (rng.random((25_000, 10)) < 0.5).astype(float)
    y = ((X[:, 0] == 1) & (X[:, 1] == 0) | (X[:, 5] == 1)).astype(int)
    model = KDNF(k=2).fit(X, y)
    assert model.terms_[0] == "x[5]"
    assert "x[0] & ~x[1]" in model.terms_
    assert np.array_equal(model.predict(X), y)
    assert model.mistakes_ <= model.bound()
    y[-1] = 1 - y[-1]
    X[-1] = X[0]
    y[-1] = 1 - y[0]
    with pytest.raises(NotRealizable) as info:
        model.fit(X, y)
    assert info.value.round == 24_999
    with pytest.raises(ValueError, match="terms are too many"):
        Terms(10**6, 3)


# The contract --------------------------------------------------------------------------------------


@EACH
def test_clone_pickle_copy_and_what_is_known_before(model):
    model = clone(model)
    assert clone(model).get_params() == model.get_params()
    assert model.bound() is None
    assert model._state is None
    assert (model.rounds_, model.mistakes_) == (0, 0)
    with pytest.raises(NotFittedError):
        model.predict([[1, 0]])
    assert model.predict_one((1, 0)) in (0, 1)
    assert not hasattr(model, "n_features_in_")
    rng = np.random.default_rng(5)
    X, y = stream(rng, model, 40, 5, 0)
    model.fit(X[:20], y[:20])
    before = model._state
    twins = [pickle.loads(pickle.dumps(model)), model.copy()]
    model.partial_fit(X[20:], y[20:])
    assert [twin._state for twin in twins] == [before, before]
    for twin in twins:
        for x, label in zip(X[20:], y[20:], strict=True):
            twin.learn_one(x, label)
        assert same(twin, model)
    assert list(model.classes_) == [0, 1]
    assert model.score(X, y) == (model.predict(X) == y).mean()
    assert hash(model._state) == hash(twins[0]._state)


@EACH
def test_a_copy_is_on_its_own(model):
    model = clone(model).learn_one((1, 1, 0), 1).learn_one((0, 1, 0), 0)
    twin, before = model.copy(), pickle.dumps(model)
    for x, y in [((1, 0, 0), 1), ((0, 0, 0), 0), ((1, 1, 1), 1)]:
        try:
            twin.learn_one(x, y)
        except NotRealizable:
            continue
    assert pickle.dumps(model) == before


@EACH
def test_a_model_mapped_into_memory_can_go_on_learning(model, tmp_path):
    X, y = stream(np.random.default_rng(6), model, 30, 4, 0)
    model = clone(model).fit(X[:10], y[:10])
    joblib.dump(model, tmp_path / "model")
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    for one in (model, mapped):
        for x, label in zip(X[10:20], y[10:20], strict=True):
            one.learn_one(x, label)
        one.partial_fit(X[20:], y[20:])
    assert same(model, mapped)


def test_grid_search_and_cross_validation():
    rng = np.random.default_rng(7)
    X = (rng.random((300, 8)) < 0.5).astype(int)
    y = X[:, 2] | (X[:, 4] & X[:, 5])
    # Of two literals it takes two terms at least, so k = 1 fits no fold.
    search = GridSearchCV(KDNF(), {"k": [2, 3]}).fit(X, y)
    assert search.best_score_ > 0.9
    assert cross_val_score(Winnow(), X, X[:, 2] | X[:, 3]).mean() > 0.9


@EACH
def test_labels_may_be_bools_or_floats_but_nothing_else(model):
    X, y = [[1, 0], [0, 0]], [1, 0]
    plain = clone(model).fit(X, y)
    for labels in (np.array(y, dtype=bool), np.array(y, dtype=float), [True, False]):
        assert same(clone(model).fit(X, labels), plain)
    before = pickle.dumps(plain)
    for labels in ([1, -1], [2, 0], ["1", "0"], [1.0, np.nan]):
        for method in (plain.fit, plain.partial_fit):
            with pytest.raises(ValueError, match=r"y\[\d\] = .* is neither of the two labels 0 and 1"):
                method(X, labels)
    with pytest.raises(ValueError, match="labels"):
        plain.learn_one(X[0], -1)
    with pytest.raises(ValueError, match="the labels here are 0 and 1"):
        plain.partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match="2 rows but y has 1"):
        plain.fit(X, [1])
    assert pickle.dumps(plain) == before
    plain.partial_fit(X, y, classes=[0, 1])


@EACH
def test_bad_values_are_named_and_change_nothing(model):
    X, y = stream(np.random.default_rng(8), model, 20, 4, 0)
    model = clone(model).fit(X, y)
    before = pickle.dumps(model)
    for value in (2.0, -1.0, 0.5, np.nan, np.inf, 5e-324, 1 + 2**-52):
        broken = X.copy()
        broken[7, 2] = value
        for data in (broken, sp.csr_array(broken)):
            for call in (lambda data=data: model.fit(data, y), lambda data=data: model.partial_fit(data, y)):
                with pytest.raises(ValueError, match="in row 7, column 2: every entry must be 0 or 1"):
                    call()
            with pytest.raises(ValueError, match="row 7, column 2"):
                model.predict(data)
        for method in (model.predict_one, lambda x: model.learn_one(x, 1)):
            with pytest.raises(ValueError, match=r"x\[2\] is .*: every entry must be 0 or 1"):
                method(broken[7])
    with pytest.raises(ValueError, match=r"row 7, column 2 \('c'\)"):
        clone(model).fit(pd.DataFrame(broken, columns=list("abcd")), y)
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="x has 3 entries"):
        model.learn_one((1, 0, 1), 1)
    with pytest.raises(ValueError, match="one vector"):
        model.learn_one([[1, 0, 1, 0]], 1)
    assert pickle.dumps(model) == before


def test_a_bad_value_counts_before_a_contradiction():
    with pytest.raises(ValueError, match="row 2, column 0"):
        MonotoneConjunction().fit([[1.0], [1.0], [3.0]], [1, 0, 1])


@pytest.mark.parametrize("k", [0, 1.5, "2", None])
def test_k_is_a_positive_integer(k):
    with pytest.raises(ValueError, match="k"):
        KDNF(k=k).fit([[0]], [1])
    with pytest.raises(ValueError, match="k"):
        KDNF(k=k).learn_one([0], 1)


@pytest.mark.parametrize("kind", [Conjunction, Disjunction])
def test_batches_equal_one_by_one_on_all_small_streams(kind):
    """Two variables, every order of the four points, every target: needed literals and their negations among them."""
    points = [np.array(point, dtype=np.float64) for point in product((0, 1), repeat=2)]
    literals = [lambda x: x[0], lambda x: 1 - x[0], lambda x: x[1], lambda x: 1 - x[1]]
    for chosen in [subset for size in range(3) for subset in combinations(range(4), size)]:
        join = all if kind is Conjunction else any
        for order in permutations(points):
            labels = [int(join(literals[k](x) for k in chosen)) for x in order]
            batch = kind().fit(np.array(order), labels)
            single = kind()
            for x, label in zip(order, labels, strict=True):
                single.learn_one(x, label)
            assert batch.mistakes_ == single.mistakes_
            assert batch.predict(np.array(points)).tolist() == [single.predict_one(x) for x in points]


def test_what_contradicts_is_told_in_the_words_of_the_class():
    with pytest.raises(NotRealizable, match="variable that is false in round 0, labelled 0, is false in round 1"):
        MonotoneConjunction().learn_one([1.0, 0.0], 0).learn_one([1.0, 0.0], 1)
    with pytest.raises(NotRealizable, match="literal that is true in round 0, labelled 1, is true in round 1"):
        Disjunction().learn_one([1.0, 0.0], 1).learn_one([1.0, 0.0], 0)
