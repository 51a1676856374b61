"""IDX, the format of MNIST: images, and their labels in a file beside them."""

import gzip
import math
import shutil
import struct
from unittest import mock

import numpy as np
import pytest

from novikoff import Perceptron, data, fit_file
from novikoff.cli.predictions import columns_of
from novikoff.data import sources
from tests.data.fuzz_files import check_reading
from tests.data.test_reading import write

IMAGES = np.arange(5 * 2 * 3, dtype=np.uint8).reshape(5, 2, 3)
LABELS = np.array([3, 8, 8, 3, 255], dtype=np.uint8)
CODES = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}


def idx(array):
    code = CODES[array.dtype.str[1:]]
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, code, array.ndim]) + sizes + array.astype(array.dtype.newbyteorder(">")).tobytes()


def mnist(folder, images=IMAGES, labels=LABELS, names=("x-images-idx3-ubyte", "x-labels-idx1-ubyte"), pack=bytes):
    write(folder / names[1], pack(idx(labels)))
    return write(folder / names[0], pack(idx(images)))


@pytest.mark.parametrize("block", [1, 100, 1 << 24])
@pytest.mark.parametrize("kind", CODES)
def test_arrays_of_every_type(tmp_path, monkeypatch, kind, block):
    monkeypatch.setattr(sources, "BLOCK", block)
    path = mnist(tmp_path, IMAGES.astype(kind), (LABELS % 100).astype(kind))
    ds = data.read(path)
    assert ds.X.tolist() == IMAGES.reshape(5, 6).tolist()
    assert ds.X.dtype == (np.float64 if kind in ("i4", "f8") else np.float32)
    assert ds.y.tolist() == [3, 8, 8, 3, 55]
    assert (ds.y.dtype.kind, ds.reading.format) == ("f" if kind[0] == "f" else "i", "idx")
    check_reading(path, {"format": "idx"})


@pytest.mark.parametrize(
    "names",
    [
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
        ("train-images.idx3-ubyte", "train-labels.idx1-ubyte"),
        ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
        ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte"),
        ("train-images-idx3-ubyte", "train-labels-idx1-ubyte.gz"),
        ("images.idx", "labels.idx"),
        ("images-of-images.idx", "images-of-labels.idx"),
    ],
)
def test_the_labels_are_beside_the_images(tmp_path, names):
    (tmp_path / "images").mkdir()
    path = mnist(tmp_path / "images", names=names, pack=gzip.compress if names[0].endswith("gz") else bytes)
    assert data.read(path).y.tolist() == LABELS.tolist()
    assert data.read(path, label=False).y is None
    (tmp_path / "images" / names[1]).unlink()
    assert data.read(path).y is None


def test_labels_by_their_name(tmp_path, monkeypatch):
    path = mnist(tmp_path, names=("a.idx", "b.idx"))
    assert data.read(path).y is None
    monkeypatch.chdir(tmp_path.parent)
    for label in ("b.idx", str(tmp_path / "b.idx"), f"{tmp_path.name}/b.idx"):
        assert data.read(path, label=label).y.tolist() == LABELS.tolist()
    with pytest.raises(FileNotFoundError, match=r"c\.idx: there is no such file"):
        data.read(path, label="c.idx")
    with pytest.raises(ValueError, match="label=0: the labels of an IDX file are in a file of their own"):
        data.read(path, label=0)


def test_a_pattern_of_files_and_chunks(tmp_path):
    mnist(tmp_path, names=("a-images.idx", "a-labels.idx"))
    mnist(tmp_path, labels=LABELS + 1, names=("b-images.idx", "b-labels.idx"))
    ds = data.read(tmp_path / "*-images.idx")
    assert ds.y.tolist() == [*LABELS.tolist(), *(LABELS + 1).tolist()]
    assert [len(part) for part in data.stream(tmp_path / "*-images.idx", 4)] == [4, 4, 2]
    with pytest.raises(ValueError, match=r"a-labels\.idx: an IDX file of one dimension holds labels; give the file"):
        data.read(tmp_path / "a-labels.idx")
    write(tmp_path / "b-images.idx", idx(IMAGES[:, :, :2]))
    with pytest.raises(ValueError, match=r"b-images\.idx: the columns are not those of the first file"):
        data.read(tmp_path / "*-images.idx")


def test_the_copy_knows_the_file_of_the_labels(tmp_path):
    """Other labels are other data, though the images are the same."""
    path = mnist(tmp_path, labels=np.array([0, 0, 0, 1, 1], dtype=np.uint8))
    how = {"cache": tmp_path / "cache"}
    model = fit_file(Perceptron(), path, **how)
    mnist(tmp_path, labels=np.array([0, 0, 1, 1, 1], dtype=np.uint8))
    assert fit_file(Perceptron(), path, **how).data_digest_ != model.data_digest_
    shutil.rmtree(tmp_path / "cache")
    other = mnist(tmp_path, labels=np.array([0, 0, 1, 1, 1], dtype=np.uint8), names=("a.idx", "b.idx"))
    model = fit_file(Perceptron(), other, label="b.idx", **how)
    assert data.read(path, **columns_of(model)).y is not None  # those beside it, and not b.idx


def test_missing_values(tmp_path):
    images = IMAGES.astype("f4")
    images[3, 0, 1] = math.nan
    path = mnist(tmp_path, images)
    with pytest.raises(ValueError, match=r"x-images-idx3-ubyte, row 4, column 2: the value is missing; missing='zero'"):
        data.read(path)
    assert data.read(path, missing="zero").X[3, 1] == 0
    images[3, 0, 1] = math.inf
    with pytest.raises(ValueError, match=r"row 4, column 2: inf is not finite"):
        data.read(mnist(tmp_path, images), missing="zero")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (idx(IMAGES)[:-1], "the IDX file ends before the 5 rows that its header promises"),
        (idx(IMAGES) + b"\0", "the IDX file goes on behind the rows that its header tells of"),
        (idx(IMAGES)[:9], "the IDX file ends within its header"),
        (b"\0\0\x08", "is no IDX file"),
        (b"\0\0\x0a\3" + idx(IMAGES)[4:], "is no IDX file"),
        (b"\0\1\x08\3" + idx(IMAGES)[4:], "is no IDX file"),
        (b"\0\0\x08\0", "is no IDX file"),
        (idx(IMAGES[:0]), "holds no examples"),
        (idx(IMAGES[:, :0]), "0 numbers a row; from 1 to 1,048,576 are read"),
        (b"\0\0\x08\xff" + b"\xff" * 4 * 255, "numbers a row; from 1 to 1,048,576 are read"),
        (b"\0\0\x08\2" + b"\xff\xff\xff\xff\0\0\0\1", "ends before the"),
        (b"\0\0\x08\1" + b"\0\0\0\1a", "an IDX file of one dimension holds labels"),
    ],
)
def test_files_that_nobody_should_send(tmp_path, content, message):
    for pack in (bytes, gzip.compress):
        with pytest.raises(ValueError, match=r"x\.idx") as caught:
            data.read(write(tmp_path / "x.idx", pack(content)))
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (idx(LABELS[:4]), "4 labels, but .* has 5 rows"),
        (idx(IMAGES), "an IDX file of labels has one dimension, and this one 3"),
        (idx(LABELS)[:-1], "the IDX file ends before the 5 rows"),
        (b"1,2,3\n", "an IDX file of labels is expected"),
    ],
)
def test_labels_that_do_not_fit(tmp_path, labels, message):
    path = mnist(tmp_path)
    write(tmp_path / "x-labels-idx1-ubyte", labels)
    with mock.patch.object(sources, "BLOCK", 10), pytest.raises(ValueError, match=f"x-labels-idx1-ubyte: {message}"):
        data.read(path)


def test_its_columns_have_no_names(tmp_path):
    path = mnist(tmp_path)
    assert data.read(path).names is None
    for options in ({"columns": ["0"]}, {"drop": [0]}, {"weight": "0"}, {"width": 7}):
        with pytest.raises(ValueError, match=r"columns|column|width"):
            data.read(path, **options)
    assert data.read(path, width=6).X.shape == (5, 6)


@pytest.mark.parametrize("name", ["a.xlsx", "a.XLSX", "a.ods", "a.xls", "old", "new"])
def test_a_spreadsheet_gets_its_cure(tmp_path, name):
    content = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100) if name == "old" else b"PK\3\4" + bytes(26) + b"xl/workbook"
    )
    with pytest.raises(ValueError, match=rf"{name} is a spreadsheet, and those are not read: save its sheet as CSV"):
        data.read(write(tmp_path / name, content))
