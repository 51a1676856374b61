"""Writers: what is written is read back, bit for bit, whatever the two formats are."""

from __future__ import annotations

import importlib
import io
import json
import sys
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from novikoff import data
from novikoff.data import sources, writing
from novikoff.data.options import FORMATS as ALL

FORMATS = [format for format in ALL if format not in writing.ONLY_READ]
NAMED = ("vw", "csv", "tsv", "jsonl", "parquet", "arrow", "npz")


def example(rng, n=30, d=6):
    """Numbers of all sizes, zeros among them; every column appears in the first row."""
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-300, 300, (n, d))
    X[rng.random((n, d)) < 0.4] = 0
    X[0] = [1 / 3, 1, 1e300, 5e-324, -2, 0.1]
    return X, rng.integers(0, 2, n)


def dense(ds):
    X = ds.X.toarray() if sp.issparse(ds.X) else ds.X
    return X if ds.names is None else X[:, np.argsort(ds.names)]


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The same examples in every format."""
    folder = tmp_path_factory.mktemp("originals")
    X, y = example(np.random.default_rng(0))
    np.savez(folder / "a.npz", X=X, y=y, names=np.array(list("abcdef")))
    for format in FORMATS:
        data.convert(folder / "a.npz", folder / f"b.{format}")
    return folder, X, y


@pytest.mark.parametrize(("first", "second"), list(product(FORMATS, FORMATS)))
@pytest.mark.parametrize("chunk", [7, 1 << 14])
def test_every_pair(originals, tmp_path, monkeypatch, first, second, chunk):
    folder, X, y = originals
    monkeypatch.setattr(writing, "CHUNK", chunk)
    monkeypatch.setattr(sources, "BLOCK", 200 * chunk)
    assert data.convert(folder / f"b.{first}", tmp_path / f"c.{second}") == 30
    ds = data.read(tmp_path / f"c.{second}")
    assert dense(ds).tobytes() == X.tobytes()
    assert ds.y.tolist() == y.tolist()
    if first in NAMED and second in NAMED:
        assert sorted(ds.names) == list("abcdef")
    assert list(tmp_path.iterdir()) == [tmp_path / f"c.{second}"]


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("format", FORMATS)
def test_compressed(originals, tmp_path, format, suffix):
    folder, X, _ = originals
    target = tmp_path / f"c.{format}{suffix}"
    data.convert(folder / "a.npz", target)
    magic = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd"}[suffix]
    assert target.read_bytes().startswith(magic)
    assert dense(data.read(target)).tobytes() == X.tobytes()


def test_the_text_that_is_written(tmp_path):
    source = tmp_path / "a.csv"
    source.write_text('a,"b,c",label\n0.1,1,2\n0,-3e22,0.5\n')
    expected = {
        "svmlight": "2 1:0.1 2:1\n0.5 2:-3e+22\n",
        "csv": 'a,"b,c",label\n0.1,1,2.0\n0,-3e+22,0.5\n',
        "tsv": "a\tb,c\tlabel\n0.1\t1\t2.0\n0\t-3e+22\t0.5\n",
        "vw": "2 | a:0.1 b,c\n0.5 | b,c:-3e+22\n",
        "jsonl": '{"label": 2.0, "features": {"a": 0.1, "b,c": 1.0}}\n{"label": 0.5, "features": {"b,c": -3e+22}}\n',
    }
    for format, text in expected.items():
        data.convert(source, tmp_path / f"b.{format}")
        assert (tmp_path / f"b.{format}").read_text() == text


@pytest.mark.parametrize("format", ["vw", "jsonl", "parquet", "arrow", "npz"])
@pytest.mark.parametrize("chunk", [1, 2, 10])
def test_weights_and_tags(tmp_path, monkeypatch, format, chunk):
    monkeypatch.setattr(writing, "CHUNK", chunk)
    (tmp_path / "a.vw").write_text("1 | a:2 b\n-1 2.5 'x| b:3\n1 | c\n")
    for source in ("a.vw", f"b.{format}"):
        data.convert(tmp_path / source, tmp_path / f"b.{format}")
        ds = data.read(tmp_path / f"b.{format}")
        assert ds.weights.tolist() == [1, 2.5, 1]
        assert ds.tags == ["", "x", ""]
        assert ds.names.tolist() == ["a", "b", "c"]
        assert ds.X.toarray().tolist() == [[2, 1, 0], [0, 3, 0], [0, 0, 1]]


@pytest.mark.parametrize("format", ["svmlight", "csv", "tsv", "npy"])
def test_weights_are_not_lost_in_silence(tmp_path, format):
    (tmp_path / "a.vw").write_text("1 2 | a\n-1 | b\n")
    with pytest.raises(ValueError, match=f"the examples have an importance, which {format} cannot hold"):
        data.convert(tmp_path / "a.vw", tmp_path / f"b.{format}")
    assert not (tmp_path / f"b.{format}").exists()


@pytest.mark.parametrize("format", ["parquet", "arrow", "csv", "tsv", "jsonl", "npz"])
def test_labels_of_text(tmp_path, format):
    (tmp_path / "a.csv").write_text("a,label\n1,in\n2,out\n")
    data.convert(tmp_path / "a.csv", tmp_path / f"b.{format}")
    assert data.read(tmp_path / f"b.{format}").y.tolist() == ["in", "out"]


@pytest.mark.parametrize("format", ["svmlight", "vw", "npy"])
def test_labels_of_text_where_numbers_are_needed(tmp_path, format):
    (tmp_path / "a.csv").write_text("a,label\n1,in\n2,out\n")
    (tmp_path / f"b.{format}").write_text("old")
    with pytest.raises(ValueError, match=f"the label in is text, but {format} holds numbers alone"):
        data.convert(tmp_path / "a.csv", tmp_path / f"b.{format}")
    assert (tmp_path / f"b.{format}").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("format", ["parquet", "arrow", "npz", "jsonl"])
def test_labels_keep_their_type(tmp_path, format):
    for y in (np.array([True, False]), np.array([3, 4]), np.array([1.0, 2.0])):
        np.savez(tmp_path / "a.npz", X=np.eye(2), y=y)
        data.convert(tmp_path / "a.npz", tmp_path / f"b.{format}")
        assert data.read(tmp_path / f"b.{format}").y.dtype == y.dtype


@pytest.mark.parametrize("format", ["parquet", "arrow", "csv"])
def test_whole_numbers_that_become_others(tmp_path, monkeypatch, format):
    monkeypatch.setattr(writing, "CHUNK", 2)
    monkeypatch.setattr(sources, "BLOCK", 4)
    (tmp_path / "a.csv").write_text("a,label\n1,0\n2,1\n3,0.5\n")
    data.convert(tmp_path / "a.csv", tmp_path / f"b.{format}")
    assert data.read(tmp_path / f"b.{format}").y.tolist() == [0, 1, 0.5]


@pytest.mark.parametrize("format", ["vw", "csv", "jsonl", "parquet", "npy"])
def test_examples_without_labels(tmp_path, format):
    np.savez(tmp_path / "a.npz", X=np.eye(3))
    data.convert(tmp_path / "a.npz", tmp_path / f"b.{format}")
    ds = data.read(tmp_path / f"b.{format}", label=False)
    assert ds.y is None
    assert dense(ds).tolist() == np.eye(3).tolist()


def test_svmlight_needs_labels(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3))
    with pytest.raises(ValueError, match="the examples have no labels, which svmlight needs"):
        data.convert(tmp_path / "a.npz", tmp_path / "b.svm")


def test_the_sparse_layout(tmp_path):
    S = sp.random_array((50, 20_000), density=0.001, rng=np.random.default_rng(0), format="csr")
    np.savez(tmp_path / "a.npz", data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, y=np.arange(50))
    for format in ("parquet", "arrow", "npz"):
        data.convert(tmp_path / "a.npz", tmp_path / f"b.{format}")
        ds = data.read(tmp_path / f"b.{format}")
        assert ds.X.shape == S.shape
        assert (ds.X != S).nnz == 0
        assert ds.names is None
        assert (S[:, :100] != data.read(tmp_path / f"b.{format}", width=100).X).nnz == 0
    assert (sp.load_npz(tmp_path / "b.npz") != S).nnz == 0
    schema = pq.read_schema(tmp_path / "b.parquet")
    assert schema.names == ["label", "indices", "values"]
    assert json.loads(schema.metadata[b"novikoff"]) == {"width": 20_000, "names": None}
    for format in ("csv", "tsv", "npy"):
        with pytest.raises(ValueError, match=f"20,000 columns are too many for {format}.*use parquet, arrow, npz"):
            data.convert(tmp_path / "a.npz", tmp_path / f"b.{format}")


def test_the_sparse_layout_of_others(tmp_path):
    rows = {"indices": [[3, 1], [], [0]], "values": [[1.0, 2.0], [], [4.0]], "label": [1, 0, 1]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet")
    ds = data.read(tmp_path / "a.parquet")
    assert ds.X.toarray().tolist() == [[0, 2, 0, 1], [0, 0, 0, 0], [4, 0, 0, 0]]
    assert [len(chunk) for chunk in data.stream(tmp_path / "a.parquet", 2)] == [2, 1]
    for change, message in (
        ({"values": [[1.0], [2.0], [4.0]]}, "not as many indices as values"),
        ({"indices": [[-3, 1], [], [0]]}, "an index outside them"),
        ({"indices": [[3, 1], None, [0]]}, "is missing"),
        ({"values": [[1.0, float("nan")], [], [4.0]]}, "row 1, column 2: the value is missing"),
        ({"label": [1, None, 0]}, "row 2, column 'label': the label is missing"),
    ):
        pq.write_table(pa.table(rows | change), tmp_path / "a.parquet")
        with pytest.raises(ValueError, match=message):
            data.read(tmp_path / "a.parquet")


@pytest.mark.parametrize("format", FORMATS)
def test_from_standard_input(tmp_path, monkeypatch, format):
    monkeypatch.setattr(writing, "CHUNK", 1)
    monkeypatch.setattr(sources, "BLOCK", 4)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 | a:2\n0 | b:3\n1 | c:1\n")))
    assert data.convert("-", tmp_path / f"b.{format}") == 3
    assert dense(data.read(tmp_path / f"b.{format}")).tolist() == [[2, 0, 0], [0, 3, 0], [0, 0, 1]]


def test_a_file_onto_itself_with_options(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("kind,a,b\nin,1,?\nout,2,3\n")
    data.convert(path, path, label="kind", missing="column")
    assert path.read_text() == "a,b,b=missing,label\n1,0,1,in\n2,3,0,out\n"


def test_the_format_of_the_target(tmp_path):
    (tmp_path / "a.csv").write_text("1,0\n2,1\n")
    with pytest.raises(ValueError, match="b: the format is not recognized; say to= one of svmlight, vw"):
        data.convert(tmp_path / "a.csv", tmp_path / "b")
    data.convert(tmp_path / "a.csv", tmp_path / "b", to="vw")
    assert (tmp_path / "b").read_text() == "0 | 0\n1 | 0:2\n"


def test_names_that_a_format_cannot_hold(tmp_path):
    (tmp_path / "a.csv").write_text("a b,kind\n1,0\n2,1\n")
    with pytest.raises(ValueError, match="the column 'a b' cannot be written in vw"):
        data.convert(tmp_path / "a.csv", tmp_path / "b.vw")
    (tmp_path / "a.csv").write_text("label,kind\n1,0\n2,1\n")
    for format in ("csv", "parquet"):
        with pytest.raises(ValueError, match="a column is called 'label', which is the name of the labels: rename it"):
            data.convert(tmp_path / "a.csv", tmp_path / f"b.{format}", label="kind")


def test_nothing_half_written_remains(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "CHUNK", 1)
    monkeypatch.setattr(sources, "BLOCK", 4)
    (tmp_path / "a.csv").write_text("a,label\n1,0\n2,1\n3,1\nx,1\n")
    for format in FORMATS:
        with pytest.raises(data.FormatError, match="line 5"):
            data.convert(tmp_path / "a.csv", tmp_path / f"b.{format}.gz")
    assert list(tmp_path.iterdir()) == [tmp_path / "a.csv"]


def test_numeric_names_survive_a_table(tmp_path):
    (tmp_path / "a.vw").write_text("1 | 7:2 8:3\n0 | 9:1\n")
    data.convert(tmp_path / "a.vw", tmp_path / "b.csv")
    ds = data.read(tmp_path / "b.csv")
    assert ds.names.tolist() == ["7", "8", "9"]
    assert ds.X.tolist() == [[2, 3, 0], [0, 0, 1]]


def test_what_needs_pyarrow(tmp_path, monkeypatch):
    real = importlib.import_module

    def absent(name, *args):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *args)

    monkeypatch.setattr(importlib, "import_module", absent)
    (tmp_path / "a.csv").write_text("1,0\n2,1\n")
    for name in ("b.parquet", "b.arrow", "b.csv.zst"):
        with pytest.raises(ImportError, match="need pyarrow: pip install"):
            data.convert(tmp_path / "a.csv", tmp_path / name)
    data.convert(tmp_path / "a.csv", tmp_path / "b.svm.xz")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.csv", "b.svm.xz"]
