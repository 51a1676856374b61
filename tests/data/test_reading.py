"""Readers: every format, every option, and errors that name the place."""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib
import io
import json
import lzma
import sys
import threading
from dataclasses import asdict
from functools import partial
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Perceptron, certify, data, fit_file
from novikoff.data import FormatError, Reading, reading, sources
from novikoff.data.columns import number
from novikoff.data.splitting import Splitter, text_blocks
from novikoff.data.tables import TableParser
from novikoff.data.vw import VwParser

PEOPLE = "age,job,pay,label\n41,cook,1.5,yes\n30,clerk,2,no\n22,cook,-3e2,no\n"


@pytest.fixture(params=["pyarrow", "csv module"])
def either_way(request, monkeypatch):
    """Tables are read by pyarrow, or without it."""
    if request.param == "csv module":
        hide_pyarrow(monkeypatch)


def hide_pyarrow(monkeypatch):
    real = importlib.import_module

    def absent(name, *args):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(importlib, "import_module", absent)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(content)
    return sink.getvalue().to_pybytes()


def frame(X, names, y):
    return pa.table({**{name: X[:, j] for j, name in enumerate(names)}, "label": y})


def archived(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def saved(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def parquet(table):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def arrow(table, new=pa.ipc.new_file):
    sink = pa.BufferOutputStream()
    with new(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue().to_pybytes()


X = np.array([[0.5, 2.0], [-1.0, 1e-3], [3.0, 0.25]])
Y = np.array([1, 0, 1])
TABLE = frame(X, ["a", "b"], Y)
SAME = {  # the same three examples in every format
    "svmlight": b"1 1:0.5 2:2\n0 1:-1 2:1e-3\n1 1:3 2:.25\n",
    "vw": b"1 | a:0.5 b:2\n0 | a:-1 b:1e-3\n1 | a:3 b:.25\n",
    "csv": b"a,b,label\n0.5,2,1\n-1,1e-3,0\n3,.25,1\n",
    "tsv": b"a\tb\tlabel\n0.5\t2\t1\n-1\t1e-3\t0\n3\t.25\t1\n",
    "jsonl": b'{"a": 0.5, "b": 2, "label": 1}\n{"a": -1, "b": 1e-3, "label": 0}\n{"label": 1, "b": 0.25, "a": 3}\n',
    "parquet": parquet(TABLE),
    "arrow": arrow(TABLE),
    "npy": saved(np.column_stack([X, Y])),
    "npz": archived(X=X, y=Y, names=np.array(["a", "b"])),
}
TEXTS = ("svmlight", "vw", "csv", "tsv", "jsonl")
NAMELESS = ("svmlight", "npy")


@pytest.mark.parametrize("format", SAME)
def test_the_same_examples_in_every_format(tmp_path, format):
    ds = data.read(write(tmp_path / f"file.{format}", SAME[format]))
    assert dense(ds.X).tolist() == X.tolist()
    assert ds.y.tolist() == Y.tolist()
    assert (None if ds.names is None else ds.names.tolist()) == (None if format in NAMELESS else ["a", "b"])
    assert ds.reading.format == format
    assert ds.digest == certify(X, Y).about.digest
    assert len(ds) == 3
    unpacked, labels = ds
    assert unpacked is ds.X
    assert labels is ds.y
    assert sp.issparse(ds.X) == (format in ("svmlight", "vw", "jsonl"))
    assert sp.issparse(ds.X) or ds.X.flags.c_contiguous


@pytest.mark.parametrize("format", SAME)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_compressed_by_content(tmp_path, format, pack):
    ds = data.read(write(tmp_path / f"file.{format}", pack(SAME[format])))
    assert dense(ds.X).tolist() == X.tolist()


@pytest.mark.parametrize("format", SAME)
def test_the_format_by_content(tmp_path, format):
    ds = data.read(write(tmp_path / "file.train", SAME[format]))
    assert ds.reading.format == format
    ds = data.read(write(tmp_path / "other", gzip.compress(SAME[format])))
    assert ds.reading.format == format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        *((f"a{suffix}", format) for suffix, format in sources.SUFFIXES.items()),
        ("a.CSV", "csv"),
        ("b.svm.gz", "svmlight"),
        ("b.parquet.zst", "parquet"),
        ("b.c.vw.xz", "vw"),
        ("b.jsonl.bz2", "jsonl"),
        ("b.gz", None),
        ("csv", None),
        ("a.txt", None),
    ],
)
def test_the_format_by_name(name, format):
    assert sources.named_format(name) == format


@pytest.mark.parametrize(
    ("line", "format"),
    [
        (b'{"a": 1}', "jsonl"),
        (b"1 |f 9:6.2e-02", "vw"),
        (b"| a b", "vw"),
        (b"+1 qid:3 1:0.5 7:2 # note", "svmlight"),
        (b"+1 cost:2.5 1:0.5 7:2", "svmlight"),
        (b"-1.5", "svmlight"),
        (b"\n\n# comment\n1 1:2", "svmlight"),
        (b"1,2,3", "csv"),
        (b"ham\tGo, now", "tsv"),
        (b"\xef\xbb\xbfa,b", "csv"),
        (b"hello world", None),
        (b"1 2:x", None),
    ],
)
def test_the_format_of_a_first_line(tmp_path, line, format):
    source = sources.Source(str(write(tmp_path / "file", line + b"\n")))
    if format is None:
        with pytest.raises(
            ValueError, match="file: the format is not recognized; format='svmlight' says it, or one of vw, csv"
        ):
            sources.opened(source, Reading())
    else:
        assert sources.opened(source, Reading()) == format
    source.close()


def test_an_arrow_stream(tmp_path):
    ds = data.read(write(tmp_path / "file", arrow(TABLE, pa.ipc.new_stream)))
    assert ds.X.tolist() == X.tolist()


@pytest.mark.parametrize("format", SAME)
def test_standard_input(monkeypatch, format):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAME[format])))
    ds = data.read("-")
    assert dense(ds.X).tolist() == X.tolist()
    assert not sys.stdin.buffer.closed


@pytest.mark.parametrize("format", SAME)
def test_a_pattern_of_files(tmp_path, format):
    for name in "cab":
        write(tmp_path / f"{name}.{format}", SAME[format])
    (tmp_path / f"d.{format}").mkdir()
    ds = data.read(tmp_path / f"*.{format}")
    assert dense(ds.X).tolist() == [*X.tolist()] * 3
    assert ds.y.tolist() == [*Y.tolist()] * 3
    with pytest.raises(FileNotFoundError, match="no file matches"):
        data.read(tmp_path / "*.nothing")


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    for name in ("b", "a", "c"):
        write(tmp_path / f"{name}.csv", f"1,{name}\n")
    assert data.read(tmp_path / "?.csv").y.tolist() == ["a", "b", "c"]
    assert data.read(write(tmp_path / "[x].csv", "1,x\n")).y.tolist() == ["x"]


@pytest.mark.parametrize(
    ("format", "other"),
    [
        ("csv", b"a,c,label\n1,2,3\n"),
        ("csv", b"a,b\n1,2\n"),
        ("parquet", parquet(frame(X, ["a", "c"], Y))),
        ("arrow", arrow(frame(X, ["b", "a"], Y))),
        ("npz", archived(X=X, y=Y, names=np.array(["a", "c"]))),
        ("npy", saved(np.ones((2, 4)))),
    ],
)
def test_files_with_other_columns(tmp_path, format, other):
    write(tmp_path / f"a.{format}", SAME[format])
    write(tmp_path / f"b.{format}", other)
    with pytest.raises(ValueError, match=rf"b\.{format}.*: the columns are not those of the first file"):
        data.read(tmp_path / f"?.{format}")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (archived(X=X), "some examples have a label and others have none"),
        (archived(X=X, y=np.array(["a", "b", "a"])), "some labels are text and others are numbers"),
        (
            archived(data=X[0], indices=np.array([0, 1]), indptr=np.array([0, 2]), shape=np.array([1, 2]), y=Y[:1]),
            "some files hold dense rows and others sparse ones",
        ),
    ],
)
def test_files_that_do_not_go_together(tmp_path, other, message):
    write(tmp_path / "a.npz", archived(X=X, y=Y))
    write(tmp_path / "b.npz", other)
    with pytest.raises(ValueError, match=rf"b\.npz: {message}"):
        data.read(tmp_path / "?.npz")
    with pytest.raises(ValueError, match=rf"b\.npz: {message}"):
        list(data.stream(tmp_path / "?.npz"))


def test_a_column_of_numbers_that_is_text_in_the_next_file(tmp_path):
    write(tmp_path / "a.parquet", parquet(pa.table({"a": [1.5, 2], "b": ["u", "v"], "label": [0, 1]})))
    same = write(tmp_path / "b.parquet", parquet(pa.table({"a": [1, 2], "b": ["u", "w"], "label": [0.5, 1]})))
    assert data.read(tmp_path / "?.parquet").y.tolist() == [0, 1, 0.5, 1]
    for table in ({"a": ["1", "2"], "b": ["u", "v"]}, {"a": [1.5, 2], "b": [1, 2]}):
        write(same, parquet(pa.table({**table, "label": [0, 1]})))
        with pytest.raises(ValueError, match=r"b\.parquet: the columns are not those of the first file"):
            data.read(tmp_path / "?.parquet")


@pytest.mark.parametrize("format", SAME)
@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
@pytest.mark.parametrize("block", [1, 20, 1 << 24])
def test_a_stream_is_the_file(tmp_path, monkeypatch, format, chunk, block):
    monkeypatch.setattr(sources, "BLOCK", block)
    path = write(tmp_path / f"file.{format}", SAME[format])
    chunks = list(data.stream(path, chunk))
    assert [len(ds) for ds in chunks] == [chunk] * (3 // chunk) + [3 % chunk] * (3 % chunk > 0)
    rows = [row + [0] * (2 - len(row)) for ds in chunks for row in dense(ds.X).tolist()]
    assert rows == X.tolist()
    assert [label for ds in chunks for label in ds.y.tolist()] == Y.tolist()
    assert chunks[-1].reading == data.read(path).reading


@pytest.mark.parametrize("format", ["svmlight", "vw", "csv"])
def test_a_stream_left_half_way_waits_for_nobody(tmp_path, monkeypatch, format):
    """It may end within a garbage collection, where a thread that is waited for cannot end."""
    monkeypatch.setattr(sources, "BLOCK", 1)
    path = write(tmp_path / f"file.{format}", SAME[format])
    waited = []
    monkeypatch.setattr(threading.Thread, "join", lambda *_: waited.append("join"))
    chunks = data.stream(path, 1)
    next(chunks)
    chunks.close()
    with pytest.raises(FormatError):
        data.read(write(tmp_path / f"bad.{format}", b"a,label\n1,0\nx y:z\n"), format=format)
    assert waited == []


def test_names_are_settled_while_nothing_is_scanned(tmp_path, monkeypatch):
    class Lazy:
        """A pool whose work is done when the result is asked for: the latest moment that it could be."""

        def __init__(self, workers):
            pass

        def submit(self, *work):
            return SimpleNamespace(result=partial(*work))

        def shutdown(self, **how):
            pass

    done = []

    def noted(name, call):
        return lambda *arguments: done.append(name) or call(*arguments)

    for name in ("scan", "settle"):
        monkeypatch.setattr(VwParser, name, noted(name, getattr(VwParser, name)))
    monkeypatch.setattr(reading, "ThreadPoolExecutor", Lazy)
    monkeypatch.setattr(sources, "BLOCK", 8)
    path = write(tmp_path / "file.vw", "1 | a b\n0 | b c\n1 | c d\n0 | d b\n1 | e a\n")
    ds = data.read(path)
    assert ds.names.tolist() == list("abcde")
    assert ds.X.toarray().tolist() == [
        [1, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 1, 0, 1, 0],
        [1, 0, 0, 0, 1],
    ]
    assert done == [*["scan"] * 2, *["settle"] * 2] * 2 + ["scan", "settle"]


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("block", [1, 40, 100, 1 << 24])
def test_categories_do_not_depend_on_the_blocks(tmp_path, monkeypatch, block):
    monkeypatch.setattr(sources, "BLOCK", block)
    lines = [f"{i % 3},{'abcdefg'[i % 7]},{i / 7!r},{'xyz'[i % 2 + i // 20]}l,{i % 2}" for i in range(40)]
    path = write(tmp_path / "file.csv", "n,p,q,r,label\n" + "\n".join(lines) + "\n")
    ds = data.read(path)
    assert ds.names.tolist() == ["n", "q", "p=a", "r=xl", "p=b", "r=yl", *(f"p={c}" for c in "cdefg"), "r=zl"]
    expected = np.zeros((40, 12))
    for i in range(40):
        expected[i, :2] = i % 3, i / 7
        expected[i, ds.names.tolist().index(f"p={'abcdefg'[i % 7]}")] = 1
        expected[i, ds.names.tolist().index(f"r={'xyz'[i % 2 + i // 20]}l")] = 1
    assert ds.X.toarray().tolist() == expected.tolist()
    assert ds.X.has_canonical_format
    assert all(np.all(np.diff(ds.X[[i]].indices) > 0) for i in range(40))


@pytest.mark.usefixtures("either_way")
def test_a_table_of_numbers_and_categories(tmp_path):
    ds = data.read(write(tmp_path / "people.csv", PEOPLE))
    assert ds.names.tolist() == ["age", "pay", "job=cook", "job=clerk"]
    assert ds.X.toarray().tolist() == [[41, 1.5, 1, 0], [30, 2, 0, 1], [22, -300, 1, 0]]
    assert ds.y.tolist() == ["yes", "no", "no"]
    assert (ds.reading.label, ds.reading.header) == ("label", True)
    assert str(ds) == (
        "3 rows, 4 columns → 4 features: age and pay are numbers; job (2 levels); label, + is yes (1) and - is no (2)"
    )
    assert repr(ds) == f"<Dataset: {ds}>"


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("first", "header"),
    [("a,b,c", True), ("a,b,1", False), ("3,4,label", True), ("a,,c", True), ("a,b,nan", True)],
)
def test_when_the_first_line_is_a_header(tmp_path, first, header):
    path = write(tmp_path / "file.csv", f"{first}\n1,2,c\n")
    assert data.read(path, categorical=[0, 1, 2]).reading.header is header
    assert len(data.read(path, header=False, categorical=[0, 1, 2], missing="zero", label=0)) == 2


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("header", "option", "label"),
    [
        ("a,y,label", None, "label"),
        ("class,y,a", None, "y"),
        ("class,target,a", None, "target"),
        ("class,b,a", None, "class"),
        ("c,b,a", None, "a"),
        ("c,b,label", "b", "b"),
        ("c,b,label", 0, 0),
        ("c,b,label", -2, -2),
        ("c,b,label", False, False),
    ],
)
def test_where_the_label_is(tmp_path, header, option, label):
    ds = data.read(write(tmp_path / "file.csv", f"{header}\n10,11,12\n20,21,22\n"), label=option)
    assert ds.reading.label == label
    assert ds.reading.label is label or label is not False
    names = header.split(",")
    if label is False:
        assert ds.y is None
        assert ds.names.tolist() == names
        assert ds.digest is None
        assert str(ds) == "2 rows, 3 columns → 3 features: c, b and label are numbers; no labels"
    else:
        place = names.index(label) if isinstance(label, str) else label % 3
        assert ds.y.tolist() == [10 + place, 20 + place]
        assert ds.names.tolist() == [name for name in names if name != names[place]]


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("cells", "kind", "labels"),
    [
        ("1 0", "i", [1, 0]),
        ("1 0.5", "f", [1, 0.5]),
        ("1 a", "U", ["1", "a"]),
        ("True False", "U", ["True", "False"]),
        ("9223372036854775808 1", "f", [2.0**63, 1]),
        ("-9223372036854775807 1", "i", [-(2**63) + 1, 1]),
    ],
)
def test_labels_keep_their_type(tmp_path, cells, kind, labels):
    ds = data.read(write(tmp_path / "file.csv", "\n".join(f"7,{cell}" for cell in cells.split())))
    assert ds.y.dtype.kind == kind
    assert ds.y.tolist() == labels


@pytest.mark.usefixtures("either_way")
def test_labels_as_text(tmp_path):
    path = write(tmp_path / "file.csv", "a,label\n1,01\n2,1\n")
    assert data.read(path).y.tolist() == [1, 1]
    assert data.read(path, categorical=["label"]).y.tolist() == ["01", "1"]


@pytest.mark.usefixtures("either_way")
def test_columns_of_truth(tmp_path):
    ds = data.read(write(tmp_path / "file.csv", "a,b,label\ntrue,TRUE,1\nFalse,?,0\nTrue,false,0\n"), missing="column")
    assert ds.names.tolist() == ["a", "b", "b=missing"]
    assert ds.X.tolist() == [[1, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan", "null", "None", "?", " ? "])
def test_missing_values(tmp_path, word):
    path = write(tmp_path / "file.csv", f"a,b,c,label\n1,2,x,0\n3,{word},y,1\n4,5,{word},1\n6,{word},y,0\n")
    with pytest.raises(FormatError, match=r"file.csv, line 3, column 2: the value is missing; missing='zero' or .*'b'"):
        data.read(path)
    ds = data.read(path, missing="zero")
    assert ds.names.tolist() == ["a", "b", "c=x", "c=y"]
    assert ds.X.toarray().tolist() == [[1, 2, 1, 0], [3, 0, 0, 1], [4, 5, 0, 0], [6, 0, 0, 1]]
    ds = data.read(path, missing="column")
    assert ds.names.tolist() == ["a", "b", "c=x", "b=missing", "c=y", "c=missing"]
    assert ds.X.toarray()[:, 2:].tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [0, 1, 1, 0]]
    path = write(path, f"a,label\n1,2\n3,{word}\n")
    with pytest.raises(FormatError, match=r"file.csv, line 3, column 2: the label is missing"):
        data.read(path, missing="zero")


@pytest.mark.usefixtures("either_way")
def test_a_column_without_a_name(tmp_path):
    path = write(tmp_path / "file.csv", ",c,label\n7,x,1\n7,?,0\n")  # no index: it does not tell the rows apart
    ds = data.read(path, missing="zero")
    assert ds.names.tolist() == ["", "c=x"]
    assert ds.X.toarray().tolist() == [[7, 1], [7, 0]]


@pytest.mark.usefixtures("either_way")
def test_columns_of_missing_values_in_a_model(tmp_path):
    train = data.read(write(tmp_path / "a.csv", "a,b,label\n1,2,0\n?,3,1\n"), missing="column")
    how = asdict(train.reading) | {"features": train.names.tolist()}
    ds = data.read(write(tmp_path / "b.csv", "b,a\n5,\n?,6\n"), **how)
    assert ds.names.tolist() == ["a", "b", "a=missing"]
    assert ds.X.tolist() == [[0, 5, 1], [6, 0, 0]]


@pytest.mark.usefixtures("either_way")
def test_other_words_for_nan_are_not_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 4)
    path = write(tmp_path / "a.csv", "a,label\n1,0\n2,1\n-nan,1\n")
    with pytest.raises(FormatError, match=r"a.csv, line 4, column 1: '-nan' is not a number"):
        data.read(path, missing="zero")


def test_a_level_that_is_called_like_a_column(tmp_path):
    path = write(tmp_path / "file.csv", "a=b,a,label\n0,b,1\n1,c,0\n")
    with pytest.raises(ValueError, match=r"file.csv: two columns are called 'a=b': rename one of them"):
        data.read(path)


def test_missing_numbers_leave_dense_rows_dense(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 8)
    path = write(tmp_path / "file.csv", "a,b,label\n" + "1,2,0\n" * 9 + "1,?,1\n?,2,1\n")
    ds = data.read(path, missing="column")
    assert ds.names.tolist() == ["a", "b", "b=missing", "a=missing"]
    assert ds.X.tolist() == [[1, 2, 0, 0]] * 9 + [[1, 0, 1, 0], [0, 2, 0, 1]]
    assert data.read(path, missing="zero").X[-2:].tolist() == [[1, 0], [0, 2]]


@pytest.mark.usefixtures("either_way")
def test_numbers_that_are_categories(tmp_path):
    path = write(tmp_path / "file.csv", "zip,doors,label\n10,2,0\n20,5more,1\n10,4,1\n")
    with pytest.raises(FormatError, match=r"line 3, column 2: '5more' is not a number, .*categorical=\['doors'\]"):
        data.read(path)
    ds = data.read(path, categorical=["zip", "doors"])
    assert ds.names.tolist() == ["zip=10", "doors=2", "zip=20", "doors=5more", "doors=4"]
    assert ds.X.shape == (3, 5)
    assert ds.X.toarray()[2].tolist() == [1, 0, 0, 0, 1]
    with pytest.raises(ValueError, match=r"\['zap'\]: there is no such column \(did you mean 'zip'\?\); the columns"):
        data.read(path, categorical=["zap"])
    headless = write(tmp_path / "headless.csv", "10,2,0\n20,3,1\n")
    assert data.read(headless, categorical=[0]).names.tolist() == ["1", "0=10", "0=20"]


@pytest.mark.usefixtures("either_way")
def test_the_columns_of_a_model(tmp_path):
    train = data.read(write(tmp_path / "people.csv", PEOPLE))
    how = asdict(train.reading) | {"features": train.names.tolist()}
    new = write(tmp_path / "new.csv", "pay,when,job,label,age\n7,2020-01-01,pilot,no,1\n8,?,clerk,yes,2\n")
    ds = data.read(new, **how)
    assert ds.names.tolist() == train.names.tolist()
    assert ds.X.toarray().tolist() == [[1, 7, 0, 0], [2, 8, 0, 1]]
    assert ds.y.tolist() == ["no", "yes"]
    unlabelled = data.read(write(tmp_path / "new.csv", "pay,job,age\n7,cook,1\n"), **how)
    assert unlabelled.y is None
    assert unlabelled.X.toarray().tolist() == [[1, 7, 1, 0]]
    numbers = data.read(write(tmp_path / "new.csv", "pay,job,age\n7,5,1\n"), **how)  # a level that looks like a number
    assert numbers.X.toarray().tolist() == [[1, 7, 0, 0]]
    for header in ("pay,job,ages", "pay,jobs,age"):
        with pytest.raises(ValueError, match=r"new.csv: there is no column '.*', which the model needs"):
            data.read(write(tmp_path / "new.csv", f"{header}\n7,cook,1\n"), **how)


@pytest.mark.usefixtures("either_way")
def test_a_table_without_names_for_a_model(tmp_path):
    train = data.read(write(tmp_path / "a.csv", "1,2,0\n3,4,1\n"))
    how = asdict(train.reading) | {"width": 2}
    assert data.read(tmp_path / "a.csv", **how).y.tolist() == [0, 1]
    unlabelled = data.read(write(tmp_path / "b.csv", "5,6\n7,8\n"), **how)
    assert unlabelled.y is None
    assert unlabelled.X.tolist() == [[5, 6], [7, 8]]
    with pytest.raises(ValueError, match=r"c.csv: 3 columns, but width=2"):
        data.read(write(tmp_path / "c.csv", "5,6,7,8\n"), **how)


@pytest.mark.parametrize("format", ["vw", "jsonl", "npz", "parquet"])
def test_columns_of_a_model_in_other_formats(tmp_path, format):
    ds = data.read(write(tmp_path / f"a.{format}", SAME[format]), columns=["b"])
    assert dense(ds.X).tolist() == X[:, 1:].tolist()
    assert ds.names.tolist() == ["b"]
    if format in ("vw", "jsonl"):
        ds = data.read(tmp_path / f"a.{format}", columns=["z", "b", "a"])
        assert dense(ds.X).tolist() == [[0, b, a] for a, b in X.tolist()]
    else:
        assert dense(data.read(tmp_path / f"a.{format}", columns=["b", "a"]).X).tolist() == X[:, ::-1].tolist()
        with pytest.raises(ValueError, match="no column 'z', which the model needs"):
            data.read(tmp_path / f"a.{format}", features=["z", "b", "a"])


@pytest.mark.parametrize(
    ("name", "text"),
    [("svmlight", b"1 1:5\n0 3:7\n"), ("vw", b"1 | a b\n-1 | c\n"), ("jsonl", b'{"a": 1}\n{"b": 2}\n')],
)
def test_a_block_of_text_has_the_indices_of_csr(name, text):
    X = reading.line_parser(Reading(format=name)).parse(text, 1, 0).X
    assert (X.indices.dtype, X.indptr.dtype) == (np.int32, np.int32)


def test_zero_based_columns(tmp_path, monkeypatch):
    one = write(tmp_path / "one.svm", "1 1:5\n0 3:7\n")
    zero = write(tmp_path / "zero.svm", "1 0:5\n0 2:7\n")
    for path, found in ((one, False), (zero, True)):
        ds = data.read(path)
        assert ds.X.toarray().tolist() == [[5, 0, 0], [0, 0, 7]]
        assert ds.reading.zero_based is found
    assert data.read(one, zero_based=True).X.shape == (2, 4)
    assert data.read(one, width=9).X.shape == (2, 9)
    assert data.read(one, width=2).X.toarray().tolist() == [[5, 0], [0, 0]]
    with pytest.raises(FormatError, match=r"zero.svm, line 1, column \d: column 0, .*zero_based=True"):
        data.read(zero, zero_based=False)
    monkeypatch.setattr(sources, "BLOCK", 1)
    with pytest.raises(FormatError, match=r"late.svm, line 3, column \d: column 0"):
        data.read(write(tmp_path / "late.svm", "1 1:5\n0 3:7\n1 0:2\n"))
    assert data.read(tmp_path / "late.svm", zero_based=True).X.shape == (3, 4)


BAD = {
    "svmlight": ("1 1:2\n0 1:x\n0 1:1\n1 z:3\n", 2, 4),
    "vw": ("1 | a:2\n0 | a:x\n0 | a\n1 | a:y\n", 2, 4),
    "csv": ("a,b,label\n1,2,0\n1,x,0\n1,2,1\n1,2\n", 3, 5),
    "tsv": ("a\tlabel\n1\t0\nx\t0\n1\t1\n\t1\n", 3, 5),
    "jsonl": ('{"a": 1, "y": 0}\n{"a": 1]\n{"a": 1, "y": 1}\n{"a": 2}\n', 2, 4),
}


@pytest.mark.parametrize("format", BAD)
@pytest.mark.parametrize("block", [1, 1 << 24])
def test_bad_lines(tmp_path, monkeypatch, format, block):
    monkeypatch.setattr(sources, "BLOCK", block)
    text, first, second = BAD[format]
    path = write(tmp_path / f"bad.{format}", text)
    with pytest.raises(FormatError, match=rf"bad\.{format}, line {first}, column \d+: ") as caught:
        data.read(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(FormatError, match=rf"bad\.{format}, line {second}, column \d+: "):
        data.read(path, skip_bad=1)
    ds = data.read(path, skip_bad=2)
    assert len(ds) == 2
    assert [(line.path, line.line) for line in ds.bad] == [(str(path), first), (str(path), second)]
    assert str(ds.bad[0]).startswith(f"{path}, line {first}, column ")
    assert [line.line for chunk in data.stream(path, 1, skip_bad=2) for line in chunk.bad] == [first, second]


@pytest.mark.parametrize("chunk", [None, 1, 5])
def test_bad_lines_at_the_end_of_a_stream(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(sources, "BLOCK", 8)
    path = write(tmp_path / "a.svm", "1 1:1\n0 1:2\n1 x\n0 y\n")
    assert [bad.line for ds in data.stream(path, chunk, skip_bad=2) for bad in ds.bad] == [3, 4]


def test_bad_lines_are_counted_over_all_files(tmp_path):
    for name in "ab":
        write(tmp_path / f"{name}.csv", "a,label\n1,0\nx,1\n2,1\n")
    assert len(data.read(tmp_path / "?.csv", skip_bad=2)) == 4
    with pytest.raises(FormatError, match=r"b\.csv, line 3, column 1: 'x' is not a number"):
        data.read(tmp_path / "?.csv", skip_bad=1)


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n1,2,0\n1,2\n", "line 3, column 3: 2 cells, but 3 are expected"),
        ("a,b,c\n1,2,0\n1,2,3,4\n", "line 3, column 4: 4 cells, but 3 are expected"),
        ('a,b,c\n1,"2\n",0\n\n1,inf,3\n', "line 5, column 2: 'inf' is not a number"),
        ("a,b,c\r1,2,0\r\n1,-nan,0\n", "line 3, column 2: '-nan' is not a number"),
        ("a,b,c\n1,2,0\n1,1_0,0\n", "line 3, column 2: '1_0' is not a number"),
        ("a,b,c\n1,1e999,0\n1,1,0\n", "line 2, column 2: '1e999' is not a number"),
        (b"a,b,c\n1,2,0\n1,\xff,0\n", "line 3, column 2: "),
        (b"a,b,c\nx,2,0\n\xff,1,0\n", "line 3, column 1: the text is not in UTF-8"),
        (b"a,b,c\n1,2,x\n1,1,\xff\n", "line 3, column 3: the text is not in UTF-8"),
        (b"a,b\xff,c\n1,2,x\n", "line 1, column 2: the text is not in UTF-8"),
    ],
)
def test_where_a_table_is_wrong(tmp_path, text, message):
    with pytest.raises(FormatError) as caught:
        data.read(write(tmp_path / "bad.csv", text))
    assert str(caught.value).startswith(f"{tmp_path / 'bad.csv'}, {message}")


@pytest.mark.usefixtures("either_way")
def test_what_the_first_block_settles(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 4)
    for row, message in (
        ("z,true,1", "line 4, column 1: 'z' is not a number; .*categorical=\\['a'\\]"),
        ("2,perhaps,1", "line 4, column 2: 'perhaps': true or false is expected in column 'b'"),
        ("2,true,one", "line 4, column 3: the label 'one' is not a number, as those before.*categorical=\\['label'\\]"),
    ):
        path = write(tmp_path / "bad.csv", f"a,b,label\n1,true,0\n1,false,1\n{row}\n")
        with pytest.raises(FormatError, match=message):
            data.read(path)
        assert len(data.read(path, categorical=["a", "b", "label"])) == 3


@pytest.mark.usefixtures("either_way")
def test_newlines_of_all_kinds_and_blank_lines(tmp_path):
    path = write(tmp_path / "file.csv", b'\xef\xbb\xbf\r\na,b,label\r\n1,x,0\n\n2,"y\r\nz",1\r3, x ,0\r\n\r\n')
    ds = data.read(path)
    assert ds.names.tolist() == ["a", "b=x", "b=y\r\nz"]
    assert ds.X.toarray().tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0]]
    for format, text in (
        ("svmlight", b"1 1:2\r\n\r\n0 1:3\n1 1:4"),
        ("vw", b"1 | a:2\r\n\n0 | a:3\n1 | a:4"),
        ("jsonl", b'{"a":2,"y":1}\r\n\r\n\n{"a":3,"y":0}\n{"a":4,"y":1}'),
    ):
        ds = data.read(write(tmp_path / f"file.{format}", text))
        assert ds.X.toarray().tolist() == [[2], [3], [4]]
        assert ds.y.tolist() == [1, 0, 1]


@pytest.mark.parametrize("format", SAME)
def test_one_row(tmp_path, format):
    content = {
        "svmlight": b"1 1:2",
        "vw": b"1 | a:2",
        "csv": b"2,1",
        "tsv": b"2\t1",
        "jsonl": b'{"a": 2, "label": 1}',
        "parquet": parquet(TABLE.slice(0, 1).drop_columns("b")),
        "arrow": arrow(TABLE.slice(0, 1).drop_columns("b")),
        "npy": saved(np.array([[2.0, 1]])),
        "npz": archived(X=np.array([[2.0]]), y=np.array([1])),
    }[format]
    ds = data.read(write(tmp_path / f"file.{format}", content))
    assert dense(ds.X).tolist() == [[0.5 if format in ("parquet", "arrow") else 2]]
    assert ds.y.tolist() == [1]
    assert str(ds).startswith("1 row, ")
    assert " 1 feature" in str(ds)
    assert str(ds).endswith(", 1 (1) alone")


@pytest.mark.parametrize("format", SAME)
def test_empty_files(tmp_path, format):
    empty = {
        "csv": b"a,b\n",
        "parquet": parquet(TABLE.slice(0, 0)),
        "arrow": arrow(TABLE.slice(0, 0)),
        "npy": saved(np.empty((0, 3))),
        "npz": archived(X=np.empty((0, 3))),
    }
    for content in {b"", empty.get(format, b"\n\n")}:
        path = write(tmp_path / f"file.{format}", content)
        with pytest.raises(ValueError, match=rf"file\.{format}"):
            data.read(path)
    with pytest.raises(ValueError, match=rf"file\.{format} holds no examples$"):
        data.read(path if content else write(path, empty.get(format, b"\n")))
    with pytest.raises(ValueError, match="holds no examples"):
        list(data.stream(write(tmp_path / "nothing", b"")))


@pytest.mark.parametrize("format", SAME)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_compressed_data_that_end_too_early(tmp_path, format, pack):
    path = write(tmp_path / f"file.{format}", pack(SAME[format] * 50)[:-9])
    with pytest.raises(ValueError, match=rf"^[^:]*file\.{format}: the compressed data end too early$"):  # named once
        data.read(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_damaged_compressed_data(tmp_path, pack):
    packed = bytearray(pack(bytes(np.random.default_rng(0).integers(48, 58, 5000, dtype=np.uint8)) + b"\n"))
    packed[500:540] = bytes(40)
    with pytest.raises(ValueError, match=r"file\.csv: the compressed data are damaged|end too early") as caught:
        data.read(write(tmp_path / "file.csv", bytes(packed)))
    assert "\n" not in str(caught.value)


def test_there_is_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"absent.csv: there is no such file$"):
        data.read(tmp_path / "absent.csv")
    with pytest.raises(IsADirectoryError, match="is a directory: give a file, or a pattern"):
        data.read(tmp_path)


@pytest.mark.parametrize("format", ["parquet", "arrow", "npy", "npz"])
def test_damaged_binary_files(tmp_path, format):
    for content in (b"hello", SAME[format][: len(SAME[format]) // 2], SAME[format][:8]):
        with pytest.raises(ValueError, match=rf"file\.{format}") as caught:
            data.read(write(tmp_path / f"file.{format}", content))
        assert "\n" not in str(caught.value)


def test_pickles_are_refused(tmp_path):
    for name, content in (("a.npy", saved(np.array([{}], dtype=object))), ("a.npz", archived(X=np.array([None])))):
        with pytest.raises(ValueError, match=rf"{name} cannot be read as a NumPy file: .*Python objects are not read"):
            data.read(write(tmp_path / name, content))


def test_a_huge_index(tmp_path):
    ds = data.read(write(tmp_path / "a.svm", "1 1:1 100000000:3\n0 5:1\n"))
    assert ds.X.shape == (2, 100_000_000)
    assert ds.X.nnz == 3
    with pytest.raises(FormatError, match=r"a.svm, line 1, column \d+: "):
        data.read(write(tmp_path / "a.svm", "1 99999999999:3\n"))


def test_vw_names_weights_and_tags(tmp_path):
    ds = data.read(write(tmp_path / "a.vw", "1 2.5 'first|n a:2 b\n-1 |n c\n"))
    assert ds.names.tolist() == ["n^a", "n^b", "n^c"]
    assert ds.weights.tolist() == [2.5, 1]
    assert ds.tags == ["first", ""]
    assert data.read(tmp_path / "a.vw", label=False).y is None
    unlabelled = data.read(write(tmp_path / "b.vw", "| a\n| b\n"))
    assert unlabelled.y is None
    with pytest.raises(ValueError, match=r"c.vw: some examples have a label and others have none"):
        data.read(write(tmp_path / "c.vw", "1 | a\n| b\n"))


def test_weights_and_tags_in_a_stream(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 1)
    path = write(tmp_path / "a.vw", "1 | a\n1 2 'x| a\n1 | b\n")
    ds = data.read(path)
    assert ds.weights.tolist() == [1, 2, 1]
    assert ds.tags == ["", "x", ""]
    first, second = data.stream(path, 2)
    assert (first.weights.tolist(), second.weights) == ([1, 2], None)
    assert (first.tags, second.tags) == (["", "x"], None)
    assert second.names.tolist() == ["a", "b"]
    assert first.X.shape[1] == len(first.names)


def test_json_objects(tmp_path):
    lines = [
        {"age": 41, "job": "cook", "ok": True, "home": {"zip": 12, "at": [1.5, 0]}, "label": "yes"},
        {"label": "no", "job": "pilot", "age": 0, "weight": 70, "ok": False},
    ]
    ds = data.read(write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, lines))))
    assert ds.names.tolist() == ["age", "job=cook", "ok", "home.zip", "home.at[0]", "home.at[1]", "job=pilot", "weight"]
    assert ds.X.toarray().tolist() == [[41, 1, 1, 12, 1.5, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 70]]
    assert ds.y.tolist() == ["yes", "no"]
    assert ds.weights is None
    assert ds.reading.label == "label"
    assert data.read(tmp_path / "a.jsonl", label=False).y is None
    assert data.read(tmp_path / "a.jsonl", label=False).names[-1] == "weight"
    assert "age=41" in data.read(tmp_path / "a.jsonl", categorical=["age"]).names


def test_json_features_beside_a_weight_and_a_tag(tmp_path):
    text = '{"y": 1, "features": {"a": 2}, "weight": 3, "tag": "t"}\n{"y": 2, "features": {"weight": 4}, "x": 1}\n'
    ds = data.read(write(tmp_path / "a.jsonl", text))
    assert ds.names.tolist() == ["a", "weight"]
    assert ds.weights.tolist() == [3, 1]
    assert ds.tags == ["t", ""]
    ds = data.read(write(tmp_path / "b.jsonl", '{"y": true, "x": [1, 2.5]}\n{"y": false, "x": [0, true]}\n'))
    assert ds.X.tolist() == [[1, 2.5], [0, 1]]
    assert ds.names is None
    assert ds.y.dtype == bool
    ds = data.read(write(tmp_path / "c.jsonl", '{"a": 1}\n{"a": 2}\n'))
    assert ds.y is None
    assert ds.reading.label is False


def test_json_null_is_missing(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"a": 1, "b": null, "y": 0}\n{"a": NaN, "b": 2, "y": 1}\n')
    with pytest.raises(FormatError, match="line 1, column 1: 'b': the value is missing; missing='zero'"):
        data.read(path)
    assert data.read(path, missing="zero").X.toarray().tolist() == [[1, 0], [0, 2]]
    ds = data.read(path, missing="column")
    assert ds.names.tolist() == ["a", "b=missing", "a=missing", "b"]
    assert ds.X.toarray().tolist() == [[1, 1, 0, 0], [0, 0, 1, 2]]
    path = write(tmp_path / "b.jsonl", '{"x": [1, null], "y": 0}\n')
    assert data.read(path, missing="zero").X.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[1]", "column 1: an object is expected"),
        (b'{"a": 1,}', "column 9: this is not JSON: "),
        (b'{"a": "\xff", "y": 1}', "column 8: the text is not in UTF-8"),
        (b'{"a": 1}', "column 1: the label is missing: there is no 'y'"),
        (b'{"a": 1, "y": null}', "column 1: the label is missing"),
        (b'{"a": 1, "y": []}', r"column 1: the label \[\] is neither a number nor text"),
        (b'{"a": 1, "y": "b"}', "column 1: the label 'b' is of another kind than those before"),
        (b'{"a": 1, "y": true}', "column 1: the label True is of another kind"),
        (b'{"a": 1e999, "y": 1}', "column 1: 'a' is inf: a finite number is expected"),
        (b'{"a": 1' + b"0" * 400 + b', "y": 1}', "column 1: 'a' is inf"),
        (b'{"a": ["b"], "y": 1}', "column 1: 'a': an array of numbers is expected"),
        (b'{"a.b": 1, "a": {"b": 2}, "y": 1}', "column 1: two features are called 'a.b'"),
        (b'{"x": [1], "y": 1}', "column 1: an array of features, but those before are objects"),
        (b'{"features": {"a": 1}, "weight": -1, "y": 1}', "column 1: the weight -1.0 is negative"),
        (b"[" * 100_000, "column 1: this JSON cannot be read|this is not JSON"),
    ],
)
def test_where_json_is_wrong(tmp_path, line, message):
    path = write(tmp_path / "a.jsonl", b'{"a": 1, "y": 0}\n' + line + b"\n")
    with pytest.raises(FormatError, match=rf"a.jsonl, line 2, {message}"):
        data.read(path)
    ds = data.read(path, skip_bad=1)
    assert ds.names.tolist() == ["a"]
    assert len(ds) == 1


def test_json_arrays_of_one_length(tmp_path):
    path = write(tmp_path / "a.jsonl", '{"x": [1, 2], "y": 0}\n{"x": [1], "y": 0}\n')
    with pytest.raises(FormatError, match="line 2, column 1: 1 features, but 2 are expected"):
        data.read(path)
    with pytest.raises(FormatError, match="line 1, column 1: 2 features, but 1 are expected"):
        data.read(path, width=1)
    with pytest.raises(FormatError, match="line 2, column 1: an object of features, but those before are arrays"):
        data.read(write(path, '{"x": [1, 2], "y": 0}\n{"a": 1, "y": 0}\n'))


def test_types_of_a_table(tmp_path):
    table = pa.table(
        {
            "f": pa.array([1.5, 2.5, None]),
            "i": pa.array([1, None, 3], pa.int8()),
            "b": pa.array([True, False, None]),
            "s": pa.array(["u", None, "v"]),
            "d": pa.array(["w", "w", "z"]).dictionary_encode(),
            "n": pa.array([7, 8, 7]).dictionary_encode(),
            "y": pa.array([True, False, True]),
        }
    )
    for format, content in (("parquet", parquet(table)), ("arrow", arrow(table))):
        ds = data.read(write(tmp_path / f"a.{format}", content), missing="zero")
        assert ds.names.tolist() == ["f", "i", "b", "n", "s=u", "d=w", "s=v", "d=z"]
        assert ds.X.toarray().tolist() == [
            [1.5, 1, 1, 7, 1, 1, 0, 0],
            [2.5, 0, 0, 8, 0, 1, 0, 0],
            [0, 3, 0, 7, 0, 0, 1, 1],
        ]
        assert ds.y.dtype == bool
        ds = data.read(tmp_path / f"a.{format}", missing="column")
        assert [name for name in ds.names if "missing" in name] == ["i=missing", "s=missing", "f=missing", "b=missing"]
        with pytest.raises(ValueError, match=rf"a\.{format}, row 2, column 'i': the value is missing; missing='zero'"):
            data.read(tmp_path / f"a.{format}")
        assert "i=1" in data.read(tmp_path / f"a.{format}", missing="zero", categorical=["i"]).names


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"a": pa.array([0], pa.date32()), "y": [1]}, r"column 'a' is of type date32.*: numbers, bools or text are"),
        ({"a": [[1]], "y": [1]}, "column 'a' is of type list"),
        ({"a": [float("inf")], "y": [1]}, "row 1, column 'a': inf is not finite"),
        ({"a": [float("nan")], "y": [1]}, "row 1, column 'a': the value is missing"),
        ({"a": [1, 2], "y": pa.array([1, None])}, "row 2, column 'y': the label is missing"),
        ({"a": [1, 2], "y": ["b", ""]}, "row 2, column 'y': the label is missing"),
    ],
)
def test_a_table_that_cannot_be_used(tmp_path, table, message):
    for format, pack in (("parquet", parquet), ("arrow", arrow)):
        with pytest.raises(ValueError, match=rf"a\.{format}[,:] {message}"):
            data.read(write(tmp_path / f"a.{format}", pack(pa.table(table))))


def test_float32_stays(tmp_path):
    table = pa.table({"a": pa.array([0.1, 2], pa.float32()), "b": pa.array([1, 2], pa.float32()), "y": [0, 1]})
    ds = data.read(write(tmp_path / "a.parquet", parquet(table)))
    assert ds.X.dtype == np.float32
    assert ds.y.dtype == np.int64
    mixed = table.append_column("c", pa.array([1, 2], pa.int8()))
    assert data.read(write(tmp_path / "a.parquet", parquet(mixed)), label="y").X.dtype == np.float64
    assert data.read(write(tmp_path / "a.npy", saved(np.ones((2, 3), dtype=np.float32)))).X.dtype == np.float32


def test_row_groups_and_batches(tmp_path):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((5000, 3))
    pq.write_table(frame(A, "abc", np.arange(5000)), tmp_path / "a.parquet", row_group_size=700)
    assert data.read(tmp_path / "a.parquet").X.tobytes() == A.tobytes()
    chunks = list(data.stream(tmp_path / "a.parquet", 1234))
    assert np.concatenate([ds.y for ds in chunks]).tolist() == list(range(5000))


def test_arrays(tmp_path):
    A = np.arange(12).reshape(4, 3)
    path = write(tmp_path / "a.npy", saved(A))
    assert data.read(path).y.tolist() == [2, 5, 8, 11]
    ds = data.read(path, label=0)
    assert ds.X.tolist() == A[:, 1:].tolist()
    assert ds.y.tolist() == [0, 3, 6, 9]
    assert data.read(path, label=False).X.tolist() == A.tolist()
    assert data.read(path, width=3).y is None
    with pytest.raises(ValueError, match=r"a.npy: label=3, but there are 3 columns"):
        data.read(path, label=3)
    B = A.astype(float)
    B[2, 1] = np.nan
    path = write(path, saved(B))
    with pytest.raises(ValueError, match=r"a.npy, row 3, column 2: the value is missing"):
        data.read(path)
    assert data.read(path, missing="zero").X[2].tolist() == [6, 0]
    for wrong in (np.arange(3), np.array([["a", "b"]])):
        with pytest.raises(ValueError, match=r"a.npy: an array of numbers in two dimensions is expected"):
            data.read(write(path, saved(wrong)))


def test_archives(tmp_path):
    S = sp.random_array((20, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    sp.save_npz(tmp_path / "a.npz", S)
    ds = data.read(tmp_path / "a.npz")
    assert (ds.X != S).nnz == 0
    assert ds.y is None
    assert data.read(tmp_path / "a.npz", width=40).X.shape == (20, 40)
    assert (S[:, :10] != data.read(tmp_path / "a.npz", width=10).X).nnz == 0
    for arrays, message in (
        ({"Z": X}, "neither X nor a CSR matrix"),
        ({"X": X, "y": Y[:2]}, "y holds 2 entries, but X is 3 by 2"),
        ({"X": X, "names": np.array(["a"])}, "names holds 1 entries"),
        ({"X": X[0]}, r"X is an array of shape \(2,\); rows and columns are expected"),
        ({"X": X * np.inf}, "row 1, column 1: inf is not finite"),
        ({"data": [1.0], "indices": [5], "indptr": [0, 1], "shape": [1, 2]}, ""),
        ({"X": np.array([[np.longdouble(2) ** 2000]])}, "row 1, column 1: .* is too large for float64"),
    ):
        with pytest.raises(ValueError, match=rf"b\.npz: .*{message}"):
            data.read(write(tmp_path / "b.npz", archived(**arrays)))
    with pytest.raises(ValueError, match="there is no column 'c', which the model needs"):
        data.read(write(tmp_path / "b.npz", SAME["npz"]), features=["a", "c"])
    with pytest.raises(ValueError, match="2 columns, but 3 are expected"):
        data.read(write(tmp_path / "b.npz", archived(X=X)), width=3)


def test_what_needs_pyarrow(tmp_path, monkeypatch):
    hide_pyarrow(monkeypatch)
    for format in ("parquet", "arrow"):
        with pytest.raises(ImportError, match=rf"{format} files need pyarrow: pip install 'novikoff\[data\]'"):
            data.read(write(tmp_path / f"a.{format}", SAME[format]))
    with pytest.raises(ImportError, match="zst files need pyarrow"):
        data.read(write(tmp_path / "a.csv.zst", zstd(SAME["csv"])))
    assert data.read(write(tmp_path / "a.csv.gz", gzip.compress(SAME["csv"]))).X.tolist() == X.tolist()


def test_the_options_are_checked():
    for options, message in (
        ({"format": "xml"}, "format='xml' is not one of svmlight, vw"),
        ({"missing": "drop"}, "missing='drop' is not one of error, zero, column"),
        ({"label": True}, "label is the name or the position"),
        ({"columns": "ab"}, "columns='ab': a list of columns is expected"),
        ({"columns": ["a", "a"]}, "columns holds a name twice"),
        ({"categorical": "a"}, "categorical='a': a list"),
        ({"width": 0}, "width=0"),
        ({"skip_bad": -1}, "skip_bad=-1"),
    ):
        with pytest.raises(ValueError, match=message):
            Reading(**options)
    with pytest.raises(ValueError, match="chunk=0"):
        data.stream("a.csv", 0)
    with pytest.raises(TypeError, match="labels"):
        data.read("a.csv", labels=3)


def test_a_reading_can_be_kept_as_json():
    reading = Reading(format="csv", label=False, categorical=["a", 3], columns=("b", "c"), width=2)
    kept = json.loads(json.dumps(asdict(reading)))
    assert Reading(**kept) == reading


def test_labels_that_are_not_there(tmp_path):
    path = write(tmp_path / "a.csv", PEOPLE)
    with pytest.raises(
        ValueError,
        match=r"a.csv: label='pays': there is no such column \(did you mean 'pay'\?\); the columns are 'age', 'job'",
    ):
        data.read(path, label="pays")
    with pytest.raises(ValueError, match=r"a.csv: label=4, but there are 4 columns"):
        data.read(path, label=4)
    with pytest.raises(ValueError, match=r"the columns have no names"):
        data.read(write(path, "1,2\n"), label="b")
    with pytest.raises(FormatError, match=r"line 1, column 2: two columns are called 'a' \(the other is column 1\)"):
        data.read(write(path, "a,a\n1,2\n"), header=True)


def test_words_for_many_labels(tmp_path):
    path = write(tmp_path / "a.csv", "\n".join(f"1,{i}" for i in range(1200)))
    labels = "0 (1), 1 (1), 2 (1), 3 (1), 4 (1), 5 (1) and 1,194 more"
    assert str(data.read(path)) == (
        f"1,200 rows, 2 columns → 1 feature: column 1 is a number; label column 2, 1,200 classes: {labels}"
    )
    assert data.read(path).digest is None


CELLS = st.text(st.sampled_from("ab\"',;\t\n\r é1"), min_size=1, max_size=6).filter(
    lambda cell: cell.strip() and number(cell.strip()) is None
)


@given(
    st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), CELLS, CELLS), min_size=1, max_size=8),
    st.data(),
)
def test_quoted_cells_both_ways(rows, draw):
    """What csv.writer writes is read back by pyarrow and by the csv module, in blocks of any size."""
    delimiter, format = draw.draw(st.sampled_from([(",", "csv"), ("\t", "tsv")]))
    file = io.StringIO()
    end, quoting = draw.draw(st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]))
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([("a", "b", "label"), *((repr(value), cell, label) for value, cell, label in rows)])
    text = file.getvalue().encode()
    size = draw.draw(st.sampled_from([1, 7, 30, 1000]))

    class Text:
        def __init__(self):
            file = io.BytesIO(text)
            self.read, self.readinto = file.read, file.readinto

    results = []
    for with_arrow in (True, False):
        parser = TableParser(Reading(format=format, categorical=["b", "label"]))
        if not with_arrow:
            parser._arrow = None
        line, labels, numbers, levels = 1, [], [], []
        for block in text_blocks(Text(), size, Splitter(Reading(format=format))):
            part = parser.parse(block, line, 0)
            line += part.lines
            if part.X.shape[0]:
                labels += part.y.tolist()
                A = part.X.toarray()
                numbers += A[:, 0].tolist()
                levels += [parser.names[j] for j in np.argmax(A[:, 1:], axis=1) + 1]
        results.append((labels, numbers, levels, line))
    assert results[0] == results[1]
    assert results[0][0] == [label.strip() for _, _, label in rows]
    assert results[0][1] == [value for value, _, _ in rows]
    assert results[0][2] == [f"b={cell.strip()}" for _, cell, _ in rows]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30), st.integers(1, 25))
def test_numbers_to_the_last_bit(values, digits):
    cells = [
        *map(repr, values),
        *(f"{value:.{digits}e}" for value in values),
        *(f"{value:+.{digits}g}" for value in values),
    ]
    cells = [cell for cell in cells if number(cell) is not None]
    parser = TableParser(Reading(format="csv"))
    block = parser.parse("\n".join(f"{cell},0" for cell in cells).encode(), 1, 0)
    assert block.X[:, 0].tobytes() == np.array([float(cell) for cell in cells]).tobytes()


def test_an_unknown_option_is_told_with_the_nearest(tmp_path):
    path = write(tmp_path / "file.csv", PEOPLE)
    ways = [data.read, data.stream, lambda path, **options: fit_file(Perceptron(), path, **options)]
    for way in ways:
        with pytest.raises(TypeError, match=r"there is no option 'seed': categorical, columns, decimal, delimiter"):
            way(path, seed=";")
        with pytest.raises(TypeError, match=r"there is no option 'headers' \(did you mean header\?\): categorical"):
            way(path, headers=True)
