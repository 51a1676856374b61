"""Numbers in files: the nearest float64, and a word about those that it does not hold."""

from __future__ import annotations

import json
import math
import warnings
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from novikoff import Perceptron, certify, data, fit_file, verify
from novikoff.data.lines import Lines
from novikoff.data.options import Reading
from tests.data.test_reading import hide_pyarrow
from tests.numbers_oracle import KEPT, ROUNDED, TOO_LARGE, expected

TEXTS = [
    "7",
    "-0",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "1152921504606846976",
    "18446744073709551615",
]
TEXTS += [
    "18446744073709551616",
    "9007199254740993.0",
    "9007199254740993e0",
    "-90071992547409930E-1",
    "0.1",
    "1e300",
    "1e22",
]
TEXTS += [
    "1.7976931348623159e308",
    "1e999",
    "-1e999",
    "4.9e-324",
    "2e-324",
    "1e-400",
    "-1e-5000",
    "0e-400",
    "0." + "0" * 400 + "1",
]
TEXTS += [
    str(2**116 + 2**63),
    str(2**116 + 2**64),
    str(2**120),
    str(2**120 + 1),
    "9" * 35,
    "1" + "0" * 308,
    "123456789" * 40,
]
TEXTS += ["9" * 36, "1" + "0" * 22, "1" + "0" * 23, str(2**1023), str(2**1023 + 1)]

# A line for each of (label, numbers), and what the column of the first number is called.
LINES = {
    "svmlight": (lambda y, x: f"{y} " + " ".join(f"{j + 1}:{cell}" for j, cell in enumerate(x)), "", "5"),
    "vw": (lambda y, x: f"{y} |" + "".join(f" c{j}:{cell}" for j, cell in enumerate(x)), "", "8"),
    "csv": (lambda y, x: ",".join([*x, y]), "HEAD", "1 ('c0')"),
    "tsv": (lambda y, x: "\t".join([*x, y]), "HEAD", "1 ('c0')"),
    "jsonl": (lambda y, x: f'{{"label": {y}, "x": [{", ".join(x)}]}}', "", "'[0]'"),
}


def written(path, format, rows):
    """A file of these rows, of which the labels are 0, 1, 0, 1, ..."""
    line, head, _ = LINES[format]
    lines = [line(str(i % 2), row) for i, row in enumerate(rows)]
    if head:
        mark = "," if format == "csv" else "\t"
        lines.insert(0, mark.join([*(f"c{j}" for j in range(len(rows[0]))), "label"]))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(params=[*LINES, "csv module"])
def format(request, monkeypatch):
    if request.param == "csv module":
        hide_pyarrow(monkeypatch)
        return "csv"
    return request.param


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def test_every_text_is_kept_or_told_or_refused(tmp_path, format):
    place = LINES[format][2]
    met = set()
    for text in TEXTS:
        verdict, near = expected(text)
        met.add(verdict)
        path = written(tmp_path / f"a.{format}", format, [["1", "0.5"], [text, "0.5"], ["1", "0.25"]])
        line = 3 if format in ("csv", "tsv") else 2
        if verdict == TOO_LARGE:
            with pytest.raises(ValueError, match=rf"line {line}, column"):
                data.read(path, format=format)
            continue
        ds = data.read(path, format=format)
        assert dense(ds.X).tolist() == [[1.0, 0.5], [near, 0.5], [1.0, 0.25]]
        assert (ds.rounded is None) == (verdict == KEPT)
        if verdict == ROUNDED:
            assert ds.rounded.place == f"{path}, line {line}, column {place}"
            assert ds.rounded.count == 1
            assert text.startswith(ds.rounded.value[:30])
    assert met == {KEPT, ROUNDED, TOO_LARGE}


def test_what_is_told_reaches_everyone(tmp_path, format):
    place = LINES[format][2]
    line = 3 if format in ("csv", "tsv") else 2
    path = written(
        tmp_path / f"a.{format}",
        format,
        [["-9007199254740994", "1"], ["9007199254740993", "2"], ["-9007199254740995", "4"]],
    )
    ds = data.read(path, format=format)
    proof = certify(data.Dataset(ds.X, ds.y))
    told = (
        rf"a\.{format}, line {line}, column .* float64 does not hold 9007199254740993 \(the first of 2 such numbers\)"
    )
    for call in (certify, lambda ds: verify(proof, ds)):
        with pytest.raises(ValueError, match=told):
            call(ds)
    with pytest.warns(UserWarning, match=told):
        Perceptron().partial_fit(ds)
    with pytest.warns(UserWarning, match=told):
        X, y = ds
    assert (X, y) == (ds.X, ds.y)
    with pytest.warns(UserWarning, match=told):
        assert data.convert(path, tmp_path / "b.npz", format=format) == 3
    for _ in range(2):  # the copy is made, and found again
        with pytest.warns(UserWarning, match=told):
            fit_file(Perceptron(), path, cache=tmp_path / "cache", format=format)
    chunks = list(data.stream(path, 1, format=format))
    assert [chunk.rounded is None for chunk in chunks] == [True, False, False]
    assert chunks[1].rounded.place == f"{path}, line {line}, column {place}"
    assert chunks[1].rounded.count == 1
    arrived = list(Lines(str(path), Reading(format=format, online=True)).arriving(8, lambda file: True))
    assert [place for place, chunk in enumerate(arrived) if chunk.rounded] == [
        arrived.index(next(c for c in arrived if c.rounded))
    ]


def test_a_bad_line_tells_nothing_of_its_numbers(tmp_path, format):
    path = written(tmp_path / f"a.{format}", format, [["1", "2"], ["9007199254740993", "no"], ["3", "4"]])
    if format == "vw":
        assert data.read(path, format=format, skip_bad=1).rounded is None
    else:
        ds = data.read(path, format=format, skip_bad=1)
        assert len(ds) == 2
        assert len(ds.bad) == 1
        assert ds.rounded is None


def test_binary_files_tell_the_row(tmp_path):
    numbers = [2**60, 7, 2**53 + 1, -(2**53) - 1]
    X, y = np.array([[1, x] for x in numbers]), np.array([0, 1, 0, 1])
    np.save(tmp_path / "a.npy", np.column_stack([X, y]))
    np.savez(tmp_path / "a.npz", X=X, y=y)
    sparse = sp.csr_array(X)
    np.savez(
        tmp_path / "s.npz",
        y=y,
        format=b"csr",
        shape=X.shape,
        data=sparse.data,
        indices=sparse.indices,
        indptr=sparse.indptr,
    )
    np.savez(tmp_path / "l.npz", X=X.astype(np.longdouble), y=y)
    table = pa.table({"a": [0.5] * 4, "id": numbers, "label": y})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    pq.write_table(
        table.set_column(1, "id", pa.array(map(Decimal, numbers), pa.decimal128(30, 2))), tmp_path / "d.parquet"
    )
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=1)
    for name in ("a.npy", "a.npz", "s.npz", "l.npz", "a.parquet", "d.parquet", "a.arrow"):
        ds = data.read(tmp_path / name)
        assert dense(ds.X)[:, 1].tolist() == [2.0**60, 7.0, 2.0**53, -(2.0**53)]
        assert ds.rounded.place.startswith(f"{tmp_path / name}, row 3, column ")
        assert ds.rounded.count == 2
        with pytest.raises(ValueError, match=r"row 3, column .*float64 does not hold 9007199254740993"):
            certify(ds)
        with pytest.warns(UserWarning, match=r"row 3, column .*float64 does not hold 9007199254740993"):
            Perceptron().partial_fit(ds)


def test_the_digits_of_other_scripts_are_digits(tmp_path, format):
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    for text, verdict in (("9007199254740993", ROUNDED), ("9007199254740994", KEPT), ("1e-400", ROUNDED), ("0", KEPT)):
        path = written(tmp_path / f"a.{format}", format, [["1", "0.5"], [text.translate(wide), "0.5"], ["1", "0.25"]])
        if format not in ("csv", "tsv"):
            with pytest.raises(ValueError, match="line 2, column"):
                data.read(path, format=format)
            continue
        ds = data.read(path, format=format)
        assert ds.X[1].tolist() == [float(text), 0.5]
        assert (ds.rounded is None) == (verdict == KEPT)
        if verdict == ROUNDED:
            assert ds.rounded.value == text.translate(wide)
            with pytest.raises(ValueError, match=r"line 3, column 1 \('c0'\): float64 does not hold"):
                certify(ds)


def test_an_underscore_makes_no_number_of_a_file(tmp_path, format):
    path = written(tmp_path / f"a.{format}", format, [["1", "0.5"], ["9_007_199_254_740_993", "0.5"], ["1", "0.25"]])
    with pytest.raises(ValueError, match=r"line [23], column"):
        data.read(path, format=format)


def random_text(rng):
    """A number as somebody may write it."""
    digits = "".join(map(str, rng.integers(0, 10, rng.integers(1, 25)).tolist()))
    form = rng.integers(0, 6)
    if form == 0:
        text = str(int(digits[:15]))
    elif form == 1:
        text = str(int(digits))
    elif form == 2:
        text = str(int(rng.integers(1, 2**53)) << int(rng.integers(0, 60)))
    elif form == 3:
        text = f"{int(digits)}.{rng.integers(0, 10**9)}"
    elif form == 4:
        text = f"{int(digits[:3])}.{digits}e{rng.integers(-340, 300)}"
    else:
        text = repr(float(np.uint64(rng.integers(0, 0x7FEF_FFFF_FFFF_FFFF)).view(np.float64)))
    return "-" * int(rng.integers(0, 2)) + text


@pytest.mark.parametrize("count", [600, pytest.param(60_000, marks=pytest.mark.long)])
def test_random_texts_are_read_as_float_reads_them(tmp_path, format, count):
    rng = np.random.default_rng(count)
    rows = [[random_text(rng) for _ in range(10)] for _ in range(count // 10)]
    wanted = [[float(text) for text in row] for row in rows]
    verdicts = [[expected(text)[0] for text in row] for row in rows]
    assert all(math.isfinite(x) for row in wanted for x in row)
    lost = [(i, j) for i, row in enumerate(verdicts) for j, verdict in enumerate(row) if verdict == ROUNDED]
    assert 0.05 < len(lost) / count < 0.5
    ds = data.read(written(tmp_path / f"a.{format}", format, rows), format=format)
    assert np.array_equal(dense(ds.X), wanted)
    assert ds.rounded.count == len(lost)
    assert f"line {lost[0][0] + 1 + (format in ('csv', 'tsv'))}, " in ds.rounded.place
    assert rows[lost[0][0]][lost[0][1]].startswith(ds.rounded.value[:30])


def test_a_key_that_json_writes_large_is_an_integer_of_its_size(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"label": 1, "features": {"n": 2**53 + 1, "m": {"k": [0.5, 2**60]}}}) + "\n")
    ds = data.read(path)
    assert ds.rounded.place == f"{path}, line 1, column 'n'"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dense(ds.X).tolist() == [[2.0**53, 0.5, 2.0**60]]
