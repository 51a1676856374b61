"""Files that nobody should send: refused in one line, or read; never a crash, a hang or memory without end."""

import gzip
import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from novikoff import data
from tests.data.corpora import corpus
from tests.data.fuzz_files import FORMATS, check
from tests.data.test_reading import SAME, X, Y, archived, arrow, dense, parquet, saved, write


@pytest.mark.parametrize(("format", "content"), corpus(*FORMATS))
def test_what_fuzzing_found(format, content, tmp_path):
    check(format, content, tmp_path)


def header(shape, descr="<f8", version=b"\x01\x00"):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + version + struct.pack("<H" if version == b"\x01\x00" else "<I", len(text)) + text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header((1 << 40, 1 << 20)), "float64 of (1099511627776, 1048576) takes 9,223,372,036,854,775,808 bytes, but"),
        (header((-1, -1)) + bytes(8), "float64 of (-1, -1) takes"),
        (header((3, 2)) + bytes(47), "takes 48 bytes, but there are 47"),
        (header((3, 2)) + bytes(49), "takes 48 bytes, but there are 49"),
        (header("(3, 2"), "the header is not one of versions 1 and 2"),
        (header("(" * 5000), "the header is not one of versions 1 and 2"),
        (header((3, 2), "<q9"), "the header is not one of versions 1 and 2"),
        (header((3, 2), version=b"\x09\x00"), "the header is not one of versions 1 and 2"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "the header is not one of versions 1 and 2"),
        (
            header((1 << 40, 0)),
            "an array of numbers in two dimensions is expected, not float64 of (1099511627776, 0)",
        ),
        (header((0, 1 << 40)), "holds no examples"),
        (saved(np.ones((2, 2), dtype=complex)), "an array of numbers in two dimensions is expected, not complex128"),
        (saved(np.array([[1, 0], [2, np.nan]])), "row 2, column 2: the label is missing"),
    ],
)
def test_arrays(tmp_path, content, message):
    for pack in (bytes, gzip.compress):
        with pytest.raises(ValueError, match=r"file\.npy") as caught:
            data.read(write(tmp_path / "file.npy", pack(content)))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


CSR = {"data": np.ones(3), "indices": np.array([0, 1, 1]), "indptr": np.array([0, 2, 2, 3]), "shape": np.array([3, 2])}


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"indptr": [0, 2, 2, 300]}, "not where its indptr says"),
        ({"indptr": [0, 3, 2, 3]}, "not where its indptr says"),
        ({"indptr": [1, 2, 2, 3]}, "not where its indptr says"),
        ({"indptr": np.array([0, 2, 2**64 - 1, 3], dtype=np.uint64)}, "not where its indptr says"),
        ({"data": np.ones(2)}, "not where its indptr says"),
        ({"indices": [0, 1, 2]}, "has 2 columns, but stores entries outside them"),
        ({"indices": [0, -1, 1]}, "has 2 columns, but stores entries outside them"),
        ({"indices": [0, 2**32, 1]}, "has 2 columns, but stores entries outside them"),
        ({"indices": [0.0, 1.0, 1.0]}, "a part of the CSR matrix is not of its type"),
        ({"indptr": [[0, 2, 2, 3]]}, "a part of the CSR matrix is not of its type"),
        ({"indptr": np.array([], dtype=int)}, "cannot be"),
        ({"shape": [3, 2**31]}, "a CSR matrix of shape [3, 2147483648] with 4 ends of rows cannot be"),
        ({"shape": [2**62, 2]}, "cannot be"),
        ({"shape": [3, -2]}, "cannot be"),
        ({"shape": [3]}, "cannot be"),
        ({"data": ["a", "b", "c"]}, "a part of the CSR matrix is not of its type"),
        ({"data": [1e308, 1e308, np.inf]}, "inf is not finite; every number must be finite here"),
        (
            {"data": [1e308, 1e308, 1], "indices": [0, 0, 1]},
            "the sum of the 2 entries that are stored there is too large",
        ),
        ({"format": b"csc"}, "neither X nor a CSR matrix"),
        ({"y": np.array(1)}, "y is not a list of entries, but an array of (), int64"),
        ({"y": np.ones((3, 2))}, "y is not a list of entries, but an array of (3, 2), float64"),
        ({"y": np.array(["2026-01-01"] * 3, dtype="M8")}, "y is not a list of entries"),
        ({"y": [1, np.nan, 0]}, "row 2, column 'y': the label is missing"),
        ({"y": np.array([None] * 3)}, "y: Python objects are not read"),
        ({"y": np.array([b"a", b"\xff", b"c"])}, "utf-8"),
        ({"names": np.ones((2, 2))}, "names is not a list of entries"),
        ({"names": np.array([0x110000, 97], dtype=np.uint32).view("U1")}, "the text is not Unicode"),
        ({"names": ["a", "a"]}, "two columns have the same name"),
        ({"weights": [1, -1, 1]}, "the weights are not all finite and at least 0"),
        ({"weights": [1, np.nan, 1]}, "the weights are not all finite and at least 0"),
        ({"weights": ["a", "b", "c"]}, "weights is not a list of entries"),
        ({"tags": ["a", "b"]}, "tags holds 2 entries, but X is 3 by 2"),
    ],
)
def test_archives(tmp_path, parts, message):
    with pytest.raises(ValueError, match=r"file\.npz") as caught:
        data.read(write(tmp_path / "file.npz", archived(**{**CSR, **parts})))
    assert message in str(caught.value)


def test_archives_that_are_in_order(tmp_path):
    """The hostile ones above differ in one part alone."""
    wide = {**CSR, "data": np.ones(9), "indices": np.array([0, 1, 1, *range(6)]), "tags": np.array([b"a", b"b", b"c"])}
    for parts in (CSR, wide, {**CSR, "indptr": CSR["indptr"].astype(">u8"), "indices": CSR["indices"].astype(">i2")}):
        ds = data.read(write(tmp_path / "file.npz", archived(**parts)))
        assert dense(ds.X).tolist() == [[1, 1], [0, 0], [0, 1]]
    ds = data.read(write(tmp_path / "file.npz", archived(X=X, y=np.array([b"no", b"yes", b"no"]))))
    assert ds.y.tolist() == ["no", "yes", "no"]
    ds.X[0, 0] = 7  # it is the reader's own memory
    twice = {**CSR, "indices": np.array([1, 1, 1])}
    assert dense(data.read(write(tmp_path / "file.npz", archived(**twice))).X).tolist() == [[0, 2], [0, 0], [0, 1]]


@pytest.mark.parametrize("place", range(0, len(SAME["npz"]), 3))
def test_a_byte_of_an_archive(tmp_path, place):
    content = bytearray(SAME["npz"])
    content[place] ^= 0x41
    try:
        found = data.read(write(tmp_path / "file.npz", bytes(content)), format="npz")
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017  # most bytes matter, some do not
    else:
        assert found.X.tolist() == X.tolist()


def test_an_archive_within_an_archive(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("X.npy", SAME["npz"])
    with pytest.raises(ValueError, match=r"file\.npz cannot be read as a NumPy file: X: the header is not one of"):
        data.read(write(tmp_path / "file.npz", file.getvalue()))


def lists(indices, values, notes=None, **columns):
    table = pa.table({"indices": indices, "values": values, **columns})
    return table if notes is None else table.replace_schema_metadata({b"novikoff": notes})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (lists([[0, 2**32 + 1]], [[1.0, 2.0]]), "columns, but a row has an index outside them"),
        (lists([[0, -1]], [[1.0, 2.0]]), "columns, but a row has an index outside them"),
        (lists([[0, 5]], [[1.0, 2.0]], b'{"width": 3}'), "the sparse layout has 3 columns, but a row has an index"),
        (lists([[0], [1, 2]], [[1.0, 3.0], [2.0]]), "has not as many indices as values"),
        (lists([[0], None], [[1.0], [2.0]]), "a row of the sparse layout, or an entry of it, is missing"),
        (lists([[0], [None]], [[1.0], [2.0]]), "a row of the sparse layout, or an entry of it, is missing"),
        (lists([[0], [1]], [[1.0], [None]]), "a row of the sparse layout, or an entry of it, is missing"),
        (lists([[0], [1]], [[1.0], [np.inf]]), "inf is not finite; every number must be finite here"),
        (lists([[0.5]], [[1.0]]), "column 'indices' of the sparse layout is of type list"),
        (lists([[0]], [["a"]]), "column 'values' of the sparse layout is of type list"),
        (lists([[0]], [[1.0]], weight=["a"]), "column 'weight' of the sparse layout is of type string"),
        (lists([[0]], [[1.0]], weight=[-1.0]), "the weights are not all finite and at least 0"),
        (lists([[0]], [[1.0]], tag=[1]), "column 'tag' of the sparse layout is of type int64"),
        (lists([[0]], [[1.0]], b"{"), "Expecting property name"),
        (lists([[0]], [[1.0]], b"[]"), "what the metadata say about the columns cannot be"),
        (lists([[0]], [[1.0]], b'{"width": -1}'), "what the metadata say about the columns cannot be"),
        (lists([[0]], [[1.0]], b'{"width": 9999999999}'), "what the metadata say about the columns cannot be"),
        (lists([[0]], [[1.0]], b'{"width": 1, "names": ["a", "b"]}'), "what the metadata say about the columns"),
        (lists([[0]], [[1.0]], b'{"width": 2, "names": ["a", "a"]}'), "what the metadata say about the columns cannot"),
        (lists([[0]], [[1.0]], b'{"width": 1, "names": [1]}'), "what the metadata say about the columns cannot be"),
        (pa.table({}), "there are no columns"),
    ],
)
def test_the_sparse_layout(tmp_path, table, message):
    for format, pack in (("parquet", parquet), ("arrow", arrow)):
        with pytest.raises(ValueError, match=rf"file\.{format}") as caught:
            data.read(write(tmp_path / f"file.{format}", pack(table)))
        assert message in str(caught.value)


def test_a_column_far_away(tmp_path):
    """The width is the word of the file: a model of two columns takes no memory for it."""
    path = write(tmp_path / "file.arrow", arrow(lists([[0, 1], [1, 2**31 - 2]], [[1.0, 2.0], [3.0, 4.0]])))
    assert data.read(path).X.shape == (2, 2**31 - 1)
    tracemalloc.start()
    try:
        assert dense(data.read(path, width=2).X).tolist() == [[1, 2], [0, 3]]
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_tags_that_are_missing(tmp_path):
    path = write(tmp_path / "file.arrow", arrow(lists([[0], [1]], [[1.0], [2.0]], tag=["a", None])))
    assert data.read(path).tags == ["a", ""]


def test_buffers_that_point_outside(tmp_path):
    """Text and dictionaries whose offsets lie: pyarrow alone follows them."""
    numbers, codes = pa.array([1.0, 2.0, 3.0]), np.array([0, 1, 1], np.int32)
    for column, truth in (
        (pa.array(["ab", "c", "d"]), np.array([0, 2, 3, 4], np.int32)),
        (pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(["u", "v"])), codes),
    ):
        content = arrow(pa.table({"a": numbers, "t": column, "label": numbers}))
        lie = np.array([*truth[:-1], 1 << 30], np.int32)
        assert content.count(truth.tobytes()) == 1
        path = write(tmp_path / "file.arrow", content.replace(truth.tobytes(), lie.tobytes()))
        for label in ("label", "t"):
            with pytest.raises(ValueError, match=r"file\.arrow: [^\n]*$"):
                data.read(path, label=label)


def test_a_stream_that_promises_too_much(tmp_path):
    """The length of a message is the word of the file: nothing is allocated for it."""
    content = bytearray(arrow(pa.table({"a": X[:, 0], "label": Y}), pa.ipc.new_stream))
    place = content.index(b"\xff\xff\xff\xff", 4)
    content[place + 4 : place + 8] = struct.pack("<i", 2**31 - 1)
    for pack in (bytes, gzip.compress):
        with pytest.raises(ValueError, match=r"file\.arrow: .*"):
            data.read(write(tmp_path / "file.arrow", pack(bytes(content))))


def test_json_without_end(tmp_path):
    for text in (
        "[" * 100_000,
        '{"a": ' * 50_000,
        '{"label": 1, "a": ' + "9" * 10_000 + "}",
        json.dumps({"label": 1e308, "a": 1})[:-1],
    ):
        with pytest.raises(data.FormatError, match=r"file\.jsonl, line 1, column"):
            data.read(write(tmp_path / "file.jsonl", text))
