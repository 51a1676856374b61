"""What was read, in a line; and the columns and rows that should make one doubt."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.certificates.certificate import DOUBTS as IN_WORDS
from novikoff.certificates.claim import DOUBTS, KINDS, how_read
from novikoff.cli.predictions import columns_of
from novikoff.data import account, read
from novikoff.data.account import DATES, IDS, LEVELS, LOOKED_AT, WRITTEN_NUMBERS, repeated, row_keys
from novikoff.data.dataset import Dataset
from tests.data.test_reading import write

ROWS = range(40)


def table(tmp_path, *columns, name="own.csv", **options):
    """A file of these columns, each a name and a function of the row, and a label y that was not taken by default."""
    names = [name for name, _ in columns]
    lines = [",".join(str(cell(row)) for _, cell in columns) + f",{row % 2}" for row in ROWS]
    return read(write(tmp_path / name, "\n".join([",".join([*names, "y"]), *lines]) + "\n"), **options)


def doubts(ds):
    return {doubt.column: doubt.why for doubt in ds.account.doubts}


# The line ------------------------------------------------------------------------------------------

OWN = """id,name,age,income,tier,member,churned
7,Ann,41,,a,yes,True
9,Bob,30,52000,b,no,False
12,Ann,22,31000,a,no,True
"""


def test_the_line_tells_each_column(tmp_path):
    ds = read(write(tmp_path / "own.csv", OWN), missing="zero", drop=["id"], positive="True")
    assert str(ds) == (
        "3 rows, 7 columns → 8 features: age and income are numbers; name (2 levels), tier (2 levels) and member "
        "(2 levels); id left out; label churned, + is True (2; called True, and all others False); "
        "1 missing value as 0 (missing='zero')"
    )
    assert ds.account.record["line"] == str(ds)
    assert json.loads(json.dumps(ds.account.record)) == ds.account.record


@pytest.mark.parametrize(
    ("name", "text", "options", "line"),
    [
        ("a.csv", "x,y\n1,a\n2,b\n4,c\n", {}, "x is a number; label y, 3 classes: a (1), b (1) and c (1)"),
        ("a.csv", "x,y\n1,a\n2,a\n", {}, "x is a number; label y, a (2) alone"),
        ("a.csv", "x,z\n1,2\n2,3\n", {"label": False}, "x and z are numbers; no labels"),
        ("a.csv", "1,0\n2,1\n", {}, "column 1 is a number; label column 2, + is 1 (1) and - is 0 (1)"),
        ("a.csv", "t,y\ntrue,0\nfalse,1\n", {}, "t is true or false; label y, + is 1 (1) and - is 0 (1)"),
        ("a.csv", "x,w,y\n3,1,0\n4,2,1\n", {"weight": "w"}, "x is a number; the weights are w; label y, "),
        ("a.csv", ",x,y\n0,5,0\n1,6,1\n", {}, "x is a number; the first column left out as the index of the rows; "),
        ("a.csv", "x,y\noops\n3,1\n4,0\n", {"skip_bad": 1}, "label y, + is 1 (1) and - is 0 (1); 1 line skipped"),
        ("a.jsonl", '{"y": 0, "a": 1, "b": "u"}\n{"y": 1, "b": "v"}\n', {}, "a is a number; b (2 levels); label y, "),
        ("a.svm", "1 1:2\n0 2:1\n", {}, "2 rows, 2 features (CSR, 1 entries a row): label, + is 1 (1) and - is 0 (1)"),
        ("a.arff", "@attribute x numeric\n@attribute y {u,v}\n@data\n1,u\n2,v\n", {}, "x is a number; label y, + is v"),
    ],
)
def test_the_line_of_other_files(tmp_path, name, text, options, line):
    assert line in str(read(write(tmp_path / name, text), **options))


def test_the_columns_of_parquet_and_arrays_are_those_of_text(tmp_path):
    text = read(write(tmp_path / "own.csv", OWN), missing="zero")
    for name in ("own.parquet", "own.arrow"):
        nk.data.convert(tmp_path / "own.csv", tmp_path / "table.parquet", missing="zero")
        import pandas as pd

        frame = pd.read_csv(tmp_path / "own.csv")
        path = tmp_path / name
        frame.to_parquet(path) if name.endswith("parquet") else frame.to_feather(path)
        ds = read(path, missing="zero")
        kinds = [(column.name, column.kind, column.levels, column.samples) for column in ds.columns]
        assert kinds == [(column.name, column.kind, column.levels, column.samples) for column in text.columns]
    np.save(tmp_path / "own.npy", np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0]]))
    assert [column.kind for column in read(tmp_path / "own.npy").columns] == ["number", "number", "label"]


def test_a_name_cannot_write_to_a_terminal(tmp_path):
    assert str(read(write(tmp_path / "a.csv", "a\x1b[2J,y\n1,\x1b]0;\n2,b\n"))).isprintable()


def test_a_data_set_without_rows_has_its_line():
    assert str(Dataset(np.empty((0, 2)), np.empty(0))) == "0 rows, 2 features: no labels"


# Doubts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        (lambda row: 1000 + 37 * row, IDS),
        (lambda row: -row, IDS),
        (lambda row: 1000 + row // 2, None),
        (lambda row: row + 0.5, None),
        (lambda row: 20240101 + row % 28, DATES),
        (lambda row: 20241301 + row % 28, None),
        (lambda row: 20240100 + row % 28, None),
        (lambda row: f"user{row}", LEVELS),
        (lambda row: f"user{row // 2}", None),
        (lambda row: f"user{min(row, 20)}", LEVELS),
        (lambda row: f"2024-01-{row % 28 + 1:02d}", DATES),
        (lambda row: f"{row % 28 + 1}.1.2024", DATES),
        (lambda row: f"{row % 12 + 1}/7/24", DATES),
        (lambda row: f"2024-01-{row % 28 + 1:02d}T10:0{row % 10}:00Z", DATES),
        (lambda row: f"2024-01-01-{row % 9}", None),
        (lambda row: f"{row % 3}-45-{row % 9 + 20}", None),
        (lambda row: f"2024-{row % 9 + 13}-01", None),
        (lambda row: f"1.{row % 9 + 32}.10", None),
        (lambda row: f"10.0.0.{row % 9}", None),
        (lambda row: f"${row % 9}.50", WRITTEN_NUMBERS),
        (lambda row: f"{row % 9}%", WRITTEN_NUMBERS),
        (lambda row: f'"1,{500 + row % 9}"', WRITTEN_NUMBERS),
        (lambda row: f"{row % 9} 500 €", WRITTEN_NUMBERS),
        (lambda row: f"{row % 2}%", None),
        (lambda row: f"{row % 9} kg", None),
    ],
)
def test_what_a_column_is_doubted_for(tmp_path, cell, why):
    ds = table(tmp_path, ("x", lambda row: row % 7), ("c", cell))
    assert doubts(ds) == ({} if why is None else {"c": why})
    assert sum(warning.startswith("c ") for warning in ds.account.warnings) == (why is not None)


@pytest.mark.parametrize(
    ("odd", "cell", "example"),
    [
        ("not yet", lambda row: f"2024-01-{row % 28 + 1:02d}", "dates ('2024-01-02')"),
        ("none at all", lambda row: f"{row % 9}%", "numbers as text ('1%')"),
    ],
)
def test_what_is_shown_of_a_column_is_what_it_is_doubted_for(tmp_path, odd, cell, example):
    ds = table(tmp_path, ("x", lambda row: row % 7), ("c", lambda row: cell(row) if row else odd))
    assert f"c holds {example}, and each of" in ds.account.warnings[0]


def test_numbers_in_quotation_marks_have_their_own_cure(tmp_path):
    lines = [f'{{"x": {row % 7}, "c": "{row % 9}", "y": {row % 2}}}\n' for row in ROWS]
    (warning, *_) = read(write(tmp_path / "a.jsonl", "".join(lines))).account.warnings
    assert warning.endswith("is a feature by itself: store them as numbers, without quotation marks")


def test_many_doubted_columns_take_few_sentences(tmp_path):
    ds = table(tmp_path, *((f"c{j}", lambda row: f"v{row}") for j in range(15)), ("x", lambda row: row % 7))
    assert len(doubts(ds)) == 15
    assert len(ds.account.warnings) == account.NAMED + 1
    assert ds.account.warnings[-1] == "the same holds of c6, c7, c8, c9, c10, c11 and 3 more, as of c0"
    proof = nk.certify(ds)
    assert "and 11 more: ask without, by drop=['c0', 'c1', 'c2', 'c3'] and so on, " in str(proof)


def test_text_on_demand_is_not_taken_for_numbers(tmp_path):
    columns = ("zip", lambda row: 10000 + row % 9), ("x", lambda row: row % 7)
    assert doubts(table(tmp_path, *columns)) == {}
    assert doubts(table(tmp_path, *columns, categorical=["zip"])) == {}
    assert doubts(table(tmp_path, ("zip", lambda row: 10000 + row), categorical=["zip"])) == {"zip": LEVELS}


def test_few_rows_may_all_be_different(tmp_path):
    lines = [f"{row},u{row},{row % 2}" for row in range(19)]
    path = write(tmp_path / "few.csv", "\n".join(["id,user,y", *lines]))
    assert doubts(read(path)) == {}
    with path.open("a") as file:
        file.write("\n19,u19,0\n")
    assert doubts(read(path)) == {"id": IDS, "user": LEVELS}


def test_a_label_by_default_is_said(tmp_path):
    path = write(tmp_path / "a.csv", "x,kind\n1,a\n2,b\n")
    (warning,) = read(path).account.warnings
    beginning = "the label is kind, the last column, since no column is called label, y, target or class: "
    assert warning == f"{beginning}label='NAME' names another"
    wide = write(tmp_path / "wide.csv", "x,kind,more\n1,a,3\n2,b,4\n")
    (warning,) = read(wide, drop=["more"]).account.warnings
    assert warning.startswith("the label is kind, the last column that is left, since ")
    assert read(path, label="kind").account.warnings == ()
    assert read(write(tmp_path / "b.csv", "x,class\n1,a\n2,b\n")).account.warnings == ()
    assert read(write(tmp_path / "a.svm", "1 1:2\n0 1:1\n")).account.warnings == ()


def test_what_is_said_of_a_label_by_default_is_so(tmp_path):
    path = write(tmp_path / "a.csv", "x,label,kind\n1,a,u\n2,b,v\n")
    (warning,) = read(path, drop=["label"]).account.warnings
    assert warning.startswith(
        "the label is kind, the last column, since no column that is left is called label, y, target or class: "
    )
    (warning,) = read(write(tmp_path / "b.csv", "1,0\n2,1\n")).account.warnings
    assert warning.endswith("label=0 takes the first")
    assert read(tmp_path / "b.csv", label=0).y.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["own.csv", "own.jsonl"])
def test_the_cure_for_a_column_works(tmp_path, name):
    csv = table(tmp_path, ("id", lambda row: row), ("x", lambda row: row % 7))
    if name.endswith("csv"):
        assert "drop=['id'] leaves it out" in csv.account.warnings[0]
        return
    nk.data.convert(tmp_path / "own.csv", tmp_path / name)
    (warning, *_) = read(tmp_path / name).account.warnings
    assert "leave it out of the file" in warning
    assert "drop=" not in warning


def test_all_kinds_and_doubts_have_their_words():
    assert set(DOUBTS) == set(IN_WORDS) == {IDS, DATES, LEVELS, WRITTEN_NUMBERS}
    assert {"number", "truth", "text", "label", "weight", "index", "left out"} == set(KINDS)


def test_what_a_separator_uses_is_said_with_it(tmp_path):
    ds = table(tmp_path, ("u", lambda row: f"a{row}"), ("x", lambda row: row % 7), ("u=", lambda row: "bc"[row % 2]))
    proof = nk.certify(ds)
    assert [doubted.column for doubted in proof.rests_on] == ["u"]
    assert "This separator uses u (nearly a level a row): ask without, by drop=['u'], whether" in str(proof)
    shown = proof._repr_html_().partition("<details>")[0]
    assert "Careful</th><td>This separator uses u (nearly a level a row)" in shown, "not folded away"
    places = proof.rests_on[0].features
    assert [ds.names[place] for place in places] == [f"u=a{row}" for row in ROWS]
    clf = nk.Perceptron().fit(ds)
    assert clf.certify(ds).proof.rests_on == proof.rests_on
    assert how_read(json.loads(proof.to_json())["reading"]).columns[0]["doubt"] == LEVELS
    without = table(tmp_path, ("x", lambda row: row % 7), ("z", lambda row: row % 2))
    assert nk.certify(without).rests_on == ()


def test_of_a_format_that_drops_nothing_another_file_is_asked_for(tmp_path):
    lines = [f'{{"u": "a{row}", "x": {row % 7}, "y": {row % 2}}}\n' for row in ROWS]
    proof = nk.certify(read(write(tmp_path / "a.jsonl", "".join(lines))))
    assert "u (nearly a level a row): ask without, with a file that leaves it out, whether it rests" in str(proof)


def test_a_column_of_numbers_is_no_level_of_another(tmp_path):
    ds = table(tmp_path, ("u", lambda row: f"a{row}"), ("u=size", lambda row: row % 9), ("x", lambda row: row % 7))
    (doubted,) = ds.doubted
    assert [ds.names[place] for place in doubted.features] == [f"u=a{row}" for row in ROWS]


def test_a_column_without_weight_is_not_used(tmp_path):
    ds = table(tmp_path, ("id", lambda row: 2 * row + 5), ("x", lambda row: 1e6 * (row % 2)))
    exact = nk.certify(ds.X[:, 1:], ds.y)
    proof = nk.certify(ds)
    assert doubts(ds) == {"id": IDS}
    assert bool(proof.rests_on) == bool(proof.w[0])
    assert exact.rests_on == ()


# Rows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_that_are_there_twice(sparse):
    rng = np.random.RandomState(3)
    X = rng.randint(-1, 2, (60, 3)).astype(float)
    X[X == 0] = rng.choice([0.0, -0.0], (X == 0).sum())
    later, earlier = repeated(sp.csr_array(X) if sparse else X)
    groups = {}
    for row, values in enumerate((X + 0.0).tolist()):
        groups.setdefault(tuple(values), []).append(row)
    assert sorted(later.tolist()) == sorted(row for group in groups.values() for row in group[1:])
    assert all((X[row] == X[other]).all() and other < row for row, other in zip(later, earlier, strict=True))


def test_keys_are_those_of_the_numbers_and_not_of_their_storage():
    rng = np.random.RandomState(5)
    X = rng.randint(-2, 3, (50, 8)) * 2.0 ** rng.randint(-40, 40, (50, 8))
    keys = row_keys(X)
    assert len(set(keys.tolist())) == 50
    stored = sp.csr_array(X)
    stored.data[::7] = 0.0
    for other in (X.astype(np.float32), np.asfortranarray(X), sp.csr_array(X)):
        assert row_keys(other).tolist() == keys.tolist()
    assert row_keys(stored).tolist() == row_keys(stored.toarray()).tolist()


def test_rows_whose_keys_meet_are_still_compared(monkeypatch):
    monkeypatch.setattr(account, "row_keys", lambda X: np.zeros(X.shape[0], dtype=np.uint64))
    X = np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 3.0]])
    for storage in (X, sp.csr_array(X)):
        later, earlier = repeated(storage)
        assert (later.tolist(), earlier.tolist()) == ([2], [1])


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (
            "aab",
            "2 rows have the features of an earlier one, 1 of them with another label: no hyperplane puts both on ",
        ),
        ("aaa", "2 rows have the features of an earlier one, with the same label"),
    ],
)
def test_repeated_rows_are_said(tmp_path, labels, sentence):
    text = "x,y\n2,b\n" + "".join(f"1,{label}\n" for label in labels)
    assert any(sentence in warning for warning in read(write(tmp_path / "a.csv", text)).account.warnings)


def test_of_numbers_to_predict_there_are_no_sides(tmp_path):
    lines = [f"{row % 20},{row * 0.37}\n" for row in ROWS]
    ds = read(write(tmp_path / "a.csv", "".join(["x,y\n", *lines])))
    assert "label y, 40 different numbers from 0 to 14.43" in str(ds)
    assert ds.account.warnings[0] == "20 rows have the features of an earlier one, 20 of them with another label"


def test_rows_of_a_wide_matrix_are_compared_many_at_a_time(monkeypatch):
    n, wide = 3000, 1 << 30
    X = sp.csr_array((np.ones(n), np.full(n, wide - 1), np.arange(n + 1)), shape=(n, wide))
    steps = []
    equal = account._equal
    monkeypatch.setattr(account, "_equal", lambda *rows: [steps.append(part) or part for part in equal(*rows)])
    later, _ = repeated(X)
    assert (len(later), len(steps)) == (n - 1, 1)
    monkeypatch.setattr(account, "AT_ONCE", 100)
    rng = np.random.RandomState(0)
    some = sp.random_array((500, 40), density=0.1, format="csr", rng=rng)
    assert row_keys(some).tolist() == row_keys(some.toarray()).tolist()


def test_only_the_first_rows_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(account, "LOOKED_AT", 30)
    lines = [f"{row % 30 if row < 31 else 7},{row % 2}" for row in range(100)]
    ds = read(write(tmp_path / "a.csv", "\n".join(["x,y", *lines])))
    assert ds.account.warnings == (
        "x holds a different integer in each of the first 30 rows, as ids do, by which a learner can tell rows that "
        "have nothing else in common: drop=['x'] leaves it out",
    )
    monkeypatch.setattr(account, "LOOKED_AT", 32)
    ds = read(write(tmp_path / "b.csv", "\n".join(["x,y", *lines])))
    assert ds.account.warnings[0].startswith("of the first 32 rows 2 rows have the features of an earlier one, ")
    assert LOOKED_AT >= 2**16


# Where it goes -------------------------------------------------------------------------------------


def test_a_model_from_a_file_says_what_it_learned_from(tmp_path):
    ds = table(tmp_path, ("id", lambda row: row), ("x", lambda row: row % 2 * 100))
    told = []
    clf = nk.fit_file(nk.Perceptron(), tmp_path / "own.csv", announce=told.append, cache=tmp_path / "cache")
    assert told == [ds.account]
    assert nk.fit_file(nk.Perceptron(), tmp_path / "own.csv", cache=tmp_path / "cache").reading_ == clf.reading_
    nk.save(clf, tmp_path / "model.nvk")
    loaded = nk.load(tmp_path / "model.nvk")
    assert loaded.reading_["account"] == ds.account.record
    assert f"It learned from {ds}." in str(nk.store.describe(tmp_path / "model.nvk"))
    again = read(tmp_path / "own.csv", **columns_of(loaded))
    assert np.array_equal(loaded.predict(again), clf.predict(ds))


@pytest.mark.parametrize(
    ("positive", "text", "expected"),
    [
        ("b", "a\nb\nc\n", [False, True, False]),
        ("1", "0\n1\n2\n", [False, True, False]),
        (1, "0\n1\n2\n", [False, True, False]),
        (1.0, "0\n1\n2\n", [False, True, False]),
        ("1.5", "0\n1.5\n2\n", [False, True, False]),
        (2, "a\n2\nc\n", [False, True, False]),
        ("true", "False\nTrue\nFalse\n", None),
    ],
)
def test_one_label_against_all_others(tmp_path, positive, text, expected):
    path = write(
        tmp_path / "a.csv", "x,y\n" + "".join(f"{row % 2},{label}\n" for row, label in enumerate(text.split()))
    )
    if expected is None:
        message = "a.csv: positive='true': no row has this label; there are 'False' and 'True'"
        with pytest.raises(ValueError, match=message):
            read(path, positive=positive)
        return
    ds = read(path, positive=positive)
    assert (ds.y.dtype, ds.y.tolist()) == (bool, expected)
    parts = nk.data.stream(path, chunk=1, positive=positive)
    assert [part.y.tolist() for part in parts] == [[label] for label in expected]
    copied = nk.fit_file(nk.Perceptron(), path, positive=positive, cache=tmp_path / "cache")
    assert copied.classes_.tolist() == [False, True]
    nk.save(copied, tmp_path / "m.nvk")
    assert columns_of(nk.load(tmp_path / "m.nvk"))["positive"] == positive


def test_labels_of_json_are_bools_or_text(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"x": 1, "y": true}\n{"x": 2, "y": false}\n')
    assert read(path, positive="false").y.tolist() == [False, True]
    assert read(path, positive=False).y.tolist() == [False, True]
    with pytest.raises(ValueError, match="positive=0: no row has this label; there are False and True"):
        read(path, positive=0)


@pytest.mark.parametrize("positive", [float("nan"), None, ["a"], b"a"])
def test_what_is_no_label(tmp_path, positive):
    path = write(tmp_path / "a.csv", "x,y\n1,a\n2,b\n")
    if positive is None:
        assert read(path, positive=None).y.tolist() == ["a", "b"]
        return
    with pytest.raises(ValueError, match="a label is expected, as the file has it"):
        read(path, positive=positive)


# Wide and hostile ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "header", "line", "rows"),
    [
        (nk.Perceptron, [f"c{j}" for j in range(1200)], lambda i: [(i * j) % 7 for j in range(1200)] + [i % 2], 4),
        (nk.Perceptron, [f"c{j}" for j in range(400)], lambda i: [f"v{i}" for _ in range(400)] + [i % 2], 24),
        (nk.LeastSquares, ["x"], lambda i: [i % 5, i * 0.37], 3000),
        (nk.Perceptron, ["x"], lambda i: [i % 5, f"k{i}"], 300),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_model_of_many_columns_or_labels_can_be_read_again(tmp_path, learner, header, line, rows):
    lines = [",".join(map(str, line(i))) for i in range(rows)]
    path = write(tmp_path / "own.csv", "\n".join([",".join([*header, "y"]), *lines]) + "\n")
    model = nk.fit_file(learner(max_iter=1), path, cache=tmp_path / "cache")
    nk.save(model, tmp_path / "model.nvk")
    kept = nk.load(tmp_path / "model.nvk").reading_["account"]
    assert kept == model.reading_["account"]
    assert kept["line"] == str(read(path))
    assert (kept["columns"] is None) == (len(header) > account.KEPT)
    assert (kept["classes"] is None) == (len(header) == 1)


def test_what_could_not_be_read_again_is_not_saved(tmp_path):
    model = nk.Perceptron().fit([[0], [1]], [0, 1])
    model.reading_ = {"columns": [{"name": f"c{j}", "kind": "number"} for j in range(1200)]}
    with pytest.raises(ValueError, match="cannot be saved, because it could not be read again: its objects have more"):
        nk.save(model, tmp_path / "model.nvk")
    assert not (tmp_path / "model.nvk").exists()


@pytest.mark.parametrize("line", [{"a": [1]}, ["x"], True, None, 7])
def test_a_forged_account_is_not_told(tmp_path, line):
    model = nk.Perceptron().fit([[0], [1]], [0, 1])
    model.reading_ = {"account": {"line": line}}
    nk.save(model, tmp_path / "model.nvk")
    assert "It learned from" not in str(nk.store.describe(tmp_path / "model.nvk"))


def test_a_forged_account_tells_no_more_than_one_can(tmp_path):
    model = nk.Perceptron().fit([[0], [1]], [0, 1])
    model.reading_ = {"account": {"line": "\x1b[2J" * 10**6}}
    nk.save(model, tmp_path / "model.nvk")
    told = str(nk.store.describe(tmp_path / "model.nvk"))
    assert "It learned from \ufffd[2J" in told
    assert len(told) < 6000
    assert "\x1b" not in told
