"""`fit_file(standardize=True)`: the fit on rows that are standardised by hand, and a model that does so by itself."""

from __future__ import annotations

import copy
import pickle
import statistics
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import novikoff as nk
from novikoff import data
from novikoff.certificates import NotSeparableError
from novikoff.data import sources
from novikoff.engine import byte_copy
from novikoff.estimators.folds import cross_validated
from novikoff.fitting import standardising
from novikoff.inputs import Examples, RowError, with_standardised_columns
from tests.data.runs import WORST, hard, killed, learner, same

pytestmark = pytest.mark.filterwarnings("ignore:.*did not separate", "ignore:.*separated the data, but not")

NAMES = ["income", "age", "level", "always"]
LEARNERS = [
    nk.Perceptron(),
    nk.Perceptron(scale="sphere"),
    nk.Perceptron(max_iter=3, hypothesis="average"),
    nk.MarginPerceptron(max_iter=50),
    nk.PassiveAggressive(),
    nk.MaxMarginClassifier(),
    nk.MaxMarginClassifier(C=1.0),
    nk.LeastSquaresClassifier(),
]
ONLINE = [model for model in LEARNERS if hasattr(model, "learn_one")]


def people(n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    """Columns of different units, one of bits and one of a single value; and labels that a hyperplane divides."""
    rng = np.random.default_rng(4)
    Z = rng.standard_normal((n, 2))
    Z += 0.2 * np.sign(Z.sum(axis=1))[:, None]
    bits = rng.integers(0, 2, n)
    X = np.column_stack([1e5 + 3e4 * Z[:, 0], 40 + 10 * Z[:, 1], bits, np.full(n, 7.5)])
    return X, np.where(Z.sum(axis=1) > 0, "yes", "no")


X, Y = people()
KEPT = StandardScaler().fit(X)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("tables") / "people.csv"
    pd.DataFrame(X, columns=NAMES).assign(label=Y).to_csv(path, index=False)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "copies"


def fitted(model: Any, path: Path, place: Path, **options: Any) -> Any:
    return nk.fit_file(clone(model), path, cache=place, standardize=True, **options)


def by_hand(model: Any, kept: Any) -> Any:
    return clone(model).fit((X - kept.means) / kept.scales, Y)


def what(model: Any) -> str:
    return repr(model)


# The fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [64, 1 << 24])
@pytest.mark.parametrize("model", LEARNERS, ids=what)
def test_it_is_the_fit_by_hand(
    model: Any, block: int, table: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "BLOCK", block)
    monkeypatch.setattr(standardising, "ENTRIES", 4 if block == 64 else 1 << 20)
    ours = fitted(model, table, place)
    kept = ours.standardization_
    assert kept.means.tolist() == [statistics.mean(column) for column in X.T.tolist()]
    assert kept.scales.tolist() == [statistics.pstdev(column) or 1.0 for column in X.T.tolist()]
    np.testing.assert_allclose(kept.scales, KEPT.scale_, rtol=1e-12)
    assert kept.scales[3] == 1.0, "a column of one value is not divided"
    theirs = by_hand(model, kept)
    assert ours.coef_.tobytes() == theirs.coef_.tobytes()
    assert ours.intercept_.tobytes() == theirs.intercept_.tobytes()
    assert ours.data_digest_ == data.read(table).digest, "the data are the rows of the file"
    assert theirs.standardization_ is None


def test_every_dense_storage_gives_the_same_bits(table: Path, place: Path, tmp_path: Path) -> None:
    expected = fitted(LEARNERS[0], table, place)
    frame = pd.DataFrame(X, columns=NAMES).assign(label=Y)
    frame.to_parquet(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", np.column_stack([X, Y == "yes"]))
    for name in ("a.parquet", "a.npy"):
        found = fitted(LEARNERS[0], tmp_path / name, place)
        assert found.coef_.tobytes() == expected.coef_.tobytes()
        assert found.standardization_ == expected.standardization_
    with open(table, "rb") as stream:  # as every pipe, it is read into memory
        piped = nk.fit_file(nk.Perceptron(), f"/dev/fd/{stream.fileno()}", standardize=True, format="csv")
    assert same(piped, expected)


def test_zeros_of_sparse_rows_stay_zeros(tmp_path: Path, place: Path) -> None:
    path = hard(tmp_path / "a.svm")
    path.write_text(path.read_text() + "1 99:1\n")  # so that few of the numbers are not 0
    ds = data.read(path)
    assert 8 * ds.X.nnz < ds.X.shape[0] * ds.X.shape[1]
    ours = nk.fit_file(learner(WORST), path, cache=place, standardize=True)
    kept = ours.standardization_
    assert not kept.means.any()
    np.testing.assert_allclose(kept.scales, StandardScaler().fit(ds.X.toarray()).scale_)
    Z = ds.X.toarray() / kept.scales
    for rows in (Z, sp.csr_array(Z)):
        assert ours.coef_.tobytes() == learner(WORST).fit(rows, ds.y).coef_.tobytes()
    theirs = learner(WORST).fit(Z, ds.y)
    assert ours.decision_function(ds.X.toarray()).tobytes() == theirs.decision_function(Z).tobytes()
    for rows in (ds.X, ds):
        assert ours.decision_function(rows).tobytes() == theirs.decision_function(sp.csr_array(Z)).tobytes()


def test_levels_of_a_text_column_are_columns_like_others(tmp_path: Path, place: Path) -> None:
    (tmp_path / "a.csv").write_text("size,colour,kind\n4,grey,0\n30,brown,1\n3,brown,0\n28,white,1\n")
    clf = fitted(nk.Perceptron(), tmp_path / "a.csv", place)
    kept = clf.standardization_
    assert kept.means.tolist() == [65 / 4, 0.25, 0.5, 0.25]
    ds = data.read(tmp_path / "a.csv")
    Z = (ds.X.toarray() - kept.means) / kept.scales
    theirs = nk.Perceptron().fit(Z, ds.y)
    assert clf.coef_.tobytes() == theirs.coef_.tobytes()
    assert clf.decision_function(ds).tobytes() == theirs.decision_function(Z).tobytes()
    np.testing.assert_allclose(kept.scales, [np.std([4, 30, 3, 28]), 3**0.5 / 4, 0.5, 3**0.5 / 4])


@pytest.mark.parametrize(("others", "centred"), [(7, True), (8, False)])
def test_crowded_rows_are_dense_however_they_are_stored(
    tmp_path: Path, place: Path, others: int, centred: bool
) -> None:
    """Of 1 + others columns one number is there in each row; stored zeros do not count."""
    rows = [f"{row % 2} 1:{1 + row % 2} {1 + others}:0" for row in range(6)]
    (tmp_path / "a.svm").write_text("\n".join(rows) + "\n")
    kept = fitted(nk.Perceptron(), tmp_path / "a.svm", place).standardization_
    assert kept.centred is centred
    piped = with_standardised_columns(data.read(tmp_path / "a.svm"))
    assert sp.issparse(piped.X) is not centred
    assert piped.standardization == kept


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda kept: pickle.loads(pickle.dumps(kept))])
def test_nobody_can_write_to_the_numbers_of_a_copy(copied: Any) -> None:
    kept = with_standardised_columns(Examples(X, Y)).standardization
    assert kept is not None
    found = copied(kept)
    assert found == kept
    with pytest.raises(ValueError, match="read-only"):
        found.means[0] = 1.0


def test_means_do_not_weigh(tmp_path: Path, place: Path) -> None:
    frame = pd.DataFrame(X, columns=NAMES).assign(label=Y, w=np.arange(len(X)) % 3)
    frame.to_csv(tmp_path / "a.csv", index=False)
    ours = fitted(nk.Perceptron(), tmp_path / "a.csv", place, weight="w")
    kept = ours.standardization_
    np.testing.assert_allclose(kept.means, KEPT.mean_, rtol=1e-14)
    theirs = nk.Perceptron().fit((X - kept.means) / kept.scales, Y, sample_weight=np.arange(len(X)) % 3)
    assert ours.coef_.tobytes() == theirs.coef_.tobytes()


# The model ---------------------------------------------------------------------------------------


def forms(x: np.ndarray) -> list[Any]:
    frame = pd.DataFrame(x[None, :], columns=NAMES)
    return [x, x.tolist(), sp.csr_array(x[None, :]), dict(zip(NAMES, x.tolist(), strict=True)), frame, frame.iloc[0]]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("model", LEARNERS, ids=what)
def test_a_loaded_model_takes_rows_as_they_are(model: Any, table: Path, place: Path, tmp_path: Path) -> None:
    nk.save(fitted(model, table, place), tmp_path / "model.nvk")
    ours = nk.load(tmp_path / "model.nvk")
    kept = ours.standardization_
    theirs, Z = by_hand(model, kept), (X - kept.means) / kept.scales
    frame = pd.DataFrame(X, columns=NAMES)
    scores = theirs.decision_function(Z)
    for rows in (X, frame, data.read(table), sp.csr_array(X), X.tolist()):
        assert ours.decision_function(rows).tobytes() == scores.tobytes()
        assert ours.predict(rows).tolist() == theirs.predict(Z).tolist()
    assert ours.score(frame, Y) == theirs.score(Z, Y)
    for twin in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert twin.predict(frame).tolist() == ours.predict(frame).tolist()
        assert twin.standardization_ == kept


@pytest.mark.parametrize("model", ONLINE, ids=what)
def test_one_example_at_a_time(model: Any, table: Path, place: Path, tmp_path: Path) -> None:
    nk.save(fitted(model, table, place), tmp_path / "model.nvk")
    kept = nk.load(tmp_path / "model.nvk").standardization_
    theirs, Z = by_hand(model, kept), (X - kept.means) / kept.scales
    for form in range(6):
        ours, twin = nk.load(tmp_path / "model.nvk"), copy.deepcopy(theirs)
        for i in range(30):
            x, label = forms(X[i])[form], "yes" if i % 2 else "no"
            assert ours.predict_one(x) == twin.predict_one(Z[i])
            assert ours.sign_one(x) == twin.sign_one(Z[i])
            assert list(ours._row_of(x).values()) == list(twin._row_of(Z[i]).values())
            ours.learn_one(x, label)
            twin.learn_one(Z[i], label)
        assert ours.last_coef_.tobytes() == twin.last_coef_.tobytes()
        assert (ours.mistakes_, ours.radius_) == (twin.mistakes_, twin.radius_)


def test_a_feature_that_a_dict_lacks_is_zero_and_so_below_its_mean(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    assert ours._row_of({"income": 1e5}) == ours._row_of([1e5, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="'wealth' was not seen in fit"):
        ours.predict_one({"wealth": 1.0})
    for _ in range(2):  # the second time the names are known
        with pytest.raises(ValueError, match="feature 'age' is nan: a finite number is expected"):
            ours.predict_one({"income": 1e5, "age": float("nan")})
        ours.predict_one({"income": 1e5, "age": 40.0})


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("model", ONLINE, ids=what)
def test_streams_and_batches_go_on(model: Any, table: Path, place: Path) -> None:
    ours = fitted(model, table, place)
    kept = ours.standardization_
    theirs, Z = by_hand(model, kept), (X - kept.means) / kept.scales
    turned = np.where(np.arange(len(X)) % 5 == 0, "yes", Y)
    if model.scale == "none" and model.hypothesis == "best":
        assert ours.trace(data.read(table)).rows.tolist() == theirs.trace(Z, Y).rows.tolist()
    assert ours.predict_learn(data.read(table)).tolist() == theirs.predict_learn(Z, Y).tolist()
    ours.partial_fit(X, turned)
    theirs.partial_fit(Z, turned)
    assert ours.predict_learn(sp.csr_array(X), turned).tolist() == theirs.predict_learn(Z, turned).tolist()
    assert ours.last_coef_.tobytes() == theirs.last_coef_.tobytes()
    assert ours.standardization_ == kept


def test_the_game_sees_what_the_learner_sees(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    kept = ours.standardization_
    run = nk.play(ours, zip(X, Y, strict=True), witness=ours.last_coef_[0].tolist())
    twin = by_hand(nk.Perceptron(), kept)
    Z = (X - kept.means) / kept.scales
    theirs = nk.play(twin, zip(Z, Y, strict=True), witness=twin.last_coef_[0].tolist())
    assert (run.radius, run.margin, run.failures) == (theirs.radius, theirs.margin, theirs.failures) != (None, None, ())


def test_columns_that_come_later_are_taken_as_they_are(tmp_path: Path, place: Path) -> None:
    path = hard(tmp_path / "a.svm")
    ours = nk.fit_file(nk.Perceptron(max_iter=5), path, cache=place, standardize=True)
    d, kept = ours.n_features_in_, ours.standardization_
    more = sp.csr_array(np.eye(d + 2))
    ours.predict_learn(more, [-1, 1] * ((d + 2) // 2))
    assert ours.n_features_in_ == d + 2
    expected = [*((1 - kept.means) / kept.scales), 1.0, 1.0]
    assert list(ours._row_of(np.ones(d + 2)).values())[:-1] == expected
    assert list(ours._row_of(sp.csr_array(np.ones((1, d + 2)))).values())[:-1] == expected


def test_what_is_narrower_has_zeros_in_the_columns_that_it_lacks(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    narrow = Examples(X[:5, :3], Y[:5], ours.feature_names_in_[:3])
    padded = Examples(np.column_stack([X[:5, :3], np.zeros(5)]), Y[:5], ours.feature_names_in_)
    assert ours.predict_learn(narrow).tolist() == copy.deepcopy(ours).predict_learn(padded).tolist()
    np.testing.assert_array_equal(ours.standardization_.rows(narrow.X), ours.standardization_.rows(padded.X))


def test_heads_that_are_learned_apart_standardise_too(tmp_path: Path, place: Path) -> None:
    three = np.where(X[:, 1] > 45, "old", Y)
    pd.DataFrame(X, columns=NAMES).assign(label=three).to_csv(tmp_path / "a.csv", index=False)
    for how in ("one-vs-rest", "one-vs-one"):
        model = nk.Perceptron(multiclass=how, max_iter=20)
        ours = fitted(model, tmp_path / "a.csv", place)
        kept = ours.standardization_
        theirs, frame = clone(model).fit((X - kept.means) / kept.scales, three), pd.DataFrame(X, columns=NAMES)
        assert ours.predict(frame).tolist() == theirs.predict((X - kept.means) / kept.scales).tolist()
        for head, twin in zip(ours.estimators_, theirs.estimators_, strict=True):
            assert head.predict(frame).tolist() == twin.predict((X - kept.means) / kept.scales).tolist()
        assert "Columns are standardised" in ours.summary()


# What is forgotten, and what is refused ------------------------------------------------------------


@pytest.mark.parametrize("model", LEARNERS, ids=what)
def test_the_next_fit_forgets_it(model: Any, table: Path, place: Path) -> None:
    ours = fitted(model, table, place)
    assert clone(ours).standardization_ is None
    small = X / [1e5, 40, 1, 7.5] - [1, 1, 0, 0]
    assert ours.fit(small, Y).standardization_ is None
    assert ours.coef_.tobytes() == clone(model).fit(small, Y).coef_.tobytes()


def test_a_stream_of_squares_begins_again_without(table: Path, place: Path) -> None:
    ours = fitted(nk.LeastSquaresClassifier(method="sgd", step=1e-12, tol=1.0, random_state=0), table, place)
    assert ours.standardization_ is not None
    assert ours.partial_fit(X, Y).standardization_ is None


@pytest.mark.parametrize("kind", [nk.Perceptron, nk.LeastSquaresClassifier])
def test_a_warm_start_goes_on_in_the_same_columns_alone(kind: Any, table: Path, place: Path) -> None:
    ours = fitted(kind(warm_start=True), table, place)
    before = ours.coef_.tobytes(), ours.standardization_
    with pytest.raises(ValueError, match="those are for columns that were not standardised as these are"):
        ours.fit(X, Y)
    assert (ours.coef_.tobytes(), ours.standardization_) == before
    nk.fit_file(ours, table, cache=place, standardize=True)
    plain = kind(warm_start=True).fit(X / 1e5, Y)
    with pytest.raises(ValueError, match="set warm_start=False to begin again"):
        nk.fit_file(plain, table, cache=place, standardize=True)


@pytest.mark.parametrize("wrong", ["yes", 1, None, "false"])
def test_a_wrong_answer_is_told(wrong: Any, table: Path, place: Path) -> None:
    with pytest.raises(ValueError, match=r"standardize=.*: True or False is expected"):
        nk.fit_file(nk.Perceptron(), table, cache=place, standardize=wrong)
    assert not place.exists()


@pytest.mark.parametrize("model", [nk.Winnow(), nk.Conjunction(), nk.KDNF()], ids=what)
def test_learners_of_bits_say_why_not(model: Any, table: Path, place: Path) -> None:
    with pytest.raises(ValueError, match=r"learns from 0 and 1, .*leave out standardize \(--standardize\)"):
        nk.fit_file(model, table, cache=place, standardize=True)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_rows_that_are_not_finite(value: float, storage: Any) -> None:
    rows = X.copy()
    rows[[3, 5], 1] = value
    shown = "NaN" if np.isnan(value) else "infinity"
    with pytest.raises(ValueError, match=rf"contains {shown}: row 3, column 1 \('age'\)"):
        with_standardised_columns(Examples(storage(rows), Y, np.array(NAMES, dtype=object)))


@pytest.mark.parametrize(
    ("values", "match"),
    [
        (["0"] * 300 + ["5e-324"], r"column 0 \('a'\) cannot be divided by its standard deviation.*leave it out"),
        (
            ["-1.7e308"] * 300 + ["1.7e308"],
            r"row 300, column 0 \('a'\): 1.7e\+308 cannot be standardised by the mean -1",
        ),
    ],
)
def test_columns_that_cannot_be_standardised(
    values: list[str], match: str, tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standardising, "ENTRIES", 8)
    lines = (f"{value},{i},{i % 2}\n" for i, value in enumerate(values))
    (tmp_path / "a.csv").write_text("a,b,label\n" + "".join(lines))
    before = nk.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    weights = before.coef_.tobytes()
    with pytest.raises(ValueError, match=match):
        nk.fit_file(before, tmp_path / "a.csv", cache=place, standardize=True)
    assert (before.coef_.tobytes(), before.standardization_) == (weights, None)


def test_a_row_beyond_float64_is_told_and_those_before_it_are_learned() -> None:
    tiny = np.array([[0.0, 1e-300], [1.0, 0.0], [1.0, 2e-300], [0.0, 0.0]])
    ours = nk.Perceptron().fit(with_standardised_columns(Examples(tiny, np.array([0, 1, 0, 1]))))
    bad = np.array([[0.0, 0.0], [1.0, 1e-300], [0.0, 1e10], [1.0, 0.0]])
    match = "row 2, column 1: 1e[+]10 cannot be standardised by the mean .*too large for float64"
    with pytest.raises(RowError, match=match):
        ours.predict(bad)
    with pytest.raises(ValueError, match="cannot be standardised by the mean"):
        ours.learn_one(bad[2], 1)
    twin = copy.deepcopy(ours)
    said = twin.predict_learn(bad[:2], [1, 0])
    with pytest.raises(RowError, match=match) as error:
        ours.predict_learn(bad, [1, 0, 1, 0])
    assert ours._named(error.value.said.places).tolist() == said.tolist()
    assert ours.last_coef_.tobytes() == twin.last_coef_.tobytes()
    with pytest.raises(ValueError, match="contains infinity: row 1"):  # which is no matter of standardising
        ours.predict([[0.0, 0.0], [np.inf, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="contains NaN: the example, column 1"):
        ours.predict_one([0.0, np.nan])


# What is known of it -------------------------------------------------------------------------------


def test_what_a_certificate_is_about(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    ds = data.read(table)
    with pytest.raises(ValueError, match=r"Z = clf\.standardization_\.rows\(X\)"):
        ours.certify(ds)
    Z = ours.standardization_.rows(ds.X)
    assert clone(ours).fit(Z, ds.y).certify(Z, ds.y).updates == ours.updates_
    best = fitted(nk.MaxMarginClassifier(), table, place)
    assert nk.verify(best.certificate_, Z, ds.y).margin is not None
    assert best.certificate_.about.digest != best.data_digest_ == nk.certify(ds).about.digest


def test_no_separator_of_the_standardised_rows(tmp_path: Path, place: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b,label\n0,0,0\n1,1,0\n0,1,1\n1,0,1\n")
    with pytest.raises(NotSeparableError) as error:
        fitted(nk.MaxMarginClassifier(), tmp_path / "a.csv", place)
    assert error.value.__notes__ == ["That is about the rows with standardised columns, which are rounded to float64."]


def test_nothing_follows_for_new_data_but_an_estimate_does(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    assert "Columns are standardised, each minus its mean" in ours.summary()
    assert "R, margins and bounds are of such rows" in ours.summary()
    assert "new ones" not in ours.summary()
    with pytest.raises(ValueError, match="standardised by the means and deviations of all rows"):
        ours.generalization()
    ours.standardization_ = None  # whatever becomes of it
    with pytest.raises(ValueError, match="were not counted"):
        ours.generalization()


def test_each_fold_is_standardised_by_the_rows_that_it_learns_from() -> None:
    noisy = np.where(np.arange(len(X)) % 4 == 0, "yes", Y)
    model = nk.Perceptron(max_iter=5).fit(with_standardised_columns(Examples(X, noisy)))
    wrong = []
    for learned, held_out in StratifiedKFold(4, shuffle=True, random_state=0).split(X, noisy):
        with warnings.catch_warnings(action="ignore"):
            fold = nk.Perceptron(max_iter=5).fit(with_standardised_columns(Examples(X[learned], noisy[learned])))
        wrong.append(int(np.sum(fold.predict(X[held_out]) != noisy[held_out])))
    found = cross_validated(model, X, noisy, folds=4)
    assert found.mistakes == tuple(wrong)
    assert found != cross_validated(clone(model), X, noisy, folds=4), "which does not standardise"


def test_a_comparison_vector_is_for_the_same_columns(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    soft = fitted(nk.MaxMarginClassifier(C=1.0), table, place)
    ds = data.read(table)
    assert ours.updates_ <= ours.bound_against(soft, ds)
    with pytest.raises(ValueError, match="the columns of u are not standardised as those of this run"):
        ours.bound_against(nk.MaxMarginClassifier(C=1.0).fit(ds), ds)


def test_examples_that_are_standardised_otherwise_are_refused(table: Path, place: Path) -> None:
    ours = fitted(nk.Perceptron(), table, place)
    done = with_standardised_columns(data.read(table))
    assert ours.predict(done).tolist() == ours.predict(data.read(table)).tolist()
    half = with_standardised_columns(Examples(X[:40], Y[:40], done.names))
    with pytest.raises(ValueError, match="standardised, and not by the numbers of the model"):
        ours.predict(half)


# The copy ------------------------------------------------------------------------------------------


def test_the_copy_of_the_rows_is_that_of_every_fit(table: Path, place: Path) -> None:
    plain = nk.fit_file(nk.Perceptron(max_iter=5), table, cache=place)
    fitted(nk.Perceptron(), table, place)
    assert same(nk.fit_file(nk.Perceptron(max_iter=5), table, cache=place), plain)
    assert [file.name for file in place.glob("*/*")] == ["copy-1"]


@pytest.mark.compiles
def test_bytes_beside_the_rows_are_on_the_disk_too(table: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = []
    real = byte_copy._on_disk
    monkeypatch.setattr(byte_copy, "_on_disk", lambda home, *shape: homes.append(home) or real(home, *shape))
    model = nk.PassiveAggressive(byte_copy=True)
    ours = fitted(model, table, place)
    assert homes == list(place.iterdir())
    assert ours.coef_.tobytes() == by_hand(model, ours.standardization_).coef_.tobytes()


def test_a_killed_run_is_taken_up_and_no_other(tmp_path: Path, place: Path) -> None:
    path = hard(tmp_path / "a.svm")
    ours = nk.fit_file(learner(WORST), path, cache=place, standardize=True)
    killed(learner(WORST), path, place, standardize=True)
    with pytest.raises(ValueError, match="standardize was True and is False"):
        nk.fit_file(learner(WORST), path, cache=place, resume=True)
    taken_up = nk.fit_file(learner(WORST), path, cache=place, standardize=True, resume=True)
    assert same(taken_up, ours)
    assert taken_up.standardization_ == ours.standardization_
    killed(learner(WORST), path, place)
    with pytest.raises(ValueError, match="standardize was False and is True"):
        nk.fit_file(learner(WORST), path, cache=place, standardize=True, resume=True)


def test_a_full_disk_is_told(table: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nk.fit_file(nk.Perceptron(max_iter=2), table, cache=place)

    class Full:
        def __init__(self, **_: Any) -> None: ...
        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None: ...
        def write(self, content: Any) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(standardising, "TemporaryFile", Full)
    with pytest.raises(OSError, match=r"no space left on device\. .* name another directory \(--cache-dir"):
        fitted(nk.Perceptron(), table, place)
