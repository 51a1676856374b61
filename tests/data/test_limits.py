"""Text of any length: what is too long is refused where it begins, before it takes memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from novikoff import data
from novikoff.data import FormatError, Reading, columns, sources, tables
from novikoff.data.lines import Lines
from novikoff.data.splitting import Refusal, Splitter, text_blocks
from novikoff.data.tables import TableParser
from tests.data.test_reading import arrow, dense, either_way, write

assert either_way  # a fixture

LIMIT = 100

# Of each format: lines before, and a line of as many bytes as are wanted.
FORMATS = {
    "svm": (b"1 1:1\n-1 2:1\n", lambda size: b"1 1:2".ljust(size)),
    "vw": (b"1 | a\n-1 | b\n", lambda size: b"1 | a ".ljust(size)),
    "csv": (b"a,label\n1,2\n", lambda size: b"3,4".rjust(size)),
    "tsv": (b"a\tlabel\n1\t2\n", lambda size: b"3\t4".rjust(size)),
    "jsonl": (b'{"a": 1, "label": 1}\n{"a": 2, "label": 0}\n', lambda size: b'{"a": 2, "label": 1}'.ljust(size)),
}


def whole(path, **options):
    return data.read(path, **options)


def streamed(path, **options):
    *_, last = data.stream(path, 1, **options)
    return last


def online(path, **options):
    *_, last = Lines(str(path), Reading(online=True, **options)).arriving(30, lambda file: True)
    return last


@pytest.mark.parametrize("block", [1, 7, 60, 1000])
@pytest.mark.parametrize("reader", [whole, streamed, online])
@pytest.mark.parametrize("format", FORMATS)
def test_a_line_is_refused_for_its_length_alone(format, reader, block, tmp_path, monkeypatch):
    """Wherever blocks begin, compressed or not, and with or without lines after it."""
    monkeypatch.setattr(sources, "BLOCK", block)
    before, line = FORMATS[format]
    last = b"\n" if reader is online else b""  # online, a last line without a newline is refused for that
    for after, pack in ((last, bytes), (b"\n", gzip.compress), (b"\n" + line(50) + b"\n", bytes)):
        path = write(tmp_path / f"file.{format}", pack(before + line(LIMIT) + after))
        reader(path, max_line=LIMIT)
        path = write(tmp_path / f"file.{format}", pack(before + line(LIMIT + 1) + after))
        with pytest.raises(FormatError, match=rf"file\.{format}, line 3, column 1: this line has more than 100 bytes"):
            reader(path, max_line=LIMIT)
        reader(path, max_line=LIMIT + 1)


@pytest.mark.parametrize("format", FORMATS)
def test_the_first_fault_is_the_one_that_is_told(format, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK", 40)
    before, line = FORMATS[format]
    path = write(tmp_path / f"file.{format}", before + b"no, example, at all\n" + line(200) + b"\n")
    with pytest.raises(FormatError, match="line 3, column") as caught:
        data.read(path, max_line=LIMIT)
    assert "max_line" not in str(caught.value)
    with pytest.raises(FormatError, match="line 4, column 1: this line has more than 100 bytes"):
        data.read(path, max_line=LIMIT, skip_bad=1)


def test_the_message_tells_the_cure(tmp_path):
    path = write(tmp_path / "file.svm", b"1 " + b"1:1" * 100)
    with pytest.raises(FormatError) as caught:
        data.read(path, max_line=LIMIT)
    cure = re.search(r"max_line=(\d+) allows more", str(caught.value))
    assert int(cure[1]) > LIMIT
    for wrong in (0, -1, 1.5, True, "64"):
        with pytest.raises(ValueError, match=r"max_line=.*: a number of bytes is expected"):
            data.read(path, max_line=wrong)


BOMB = """
import gzip, resource, sys
import novikoff.data as data
from novikoff.data.lines import Lines
from novikoff.data.options import Reading

folder, megabytes = sys.argv[1], int(sys.argv[2])

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

beginnings = {
    "svm": (b"1 1:1\\n", b" "), "vw": (b"1 | a\\n", b" "), "jsonl": (b'{"a": 1, "y": 1}\\n', b" "),
    "csv": (b'a,y\\n1,2\\n"', b","), "tsv": (b'a\\ty\\n1\\t2\\n', b"1"),
}
for format, (begin, _) in beginnings.items():
    open(f"{folder}/small.{format}", "wb").write(begin.removesuffix(b'"'))
    data.read(f"{folder}/small.{format}")
before = peak()
for format, (begin, filler) in beginnings.items():
    path = f"{folder}/bomb.{format}.gz"
    part = gzip.compress(filler * (1 << 20), 1)
    with open(path, "wb") as file:
        file.write(gzip.compress(begin))
        for _ in range(2048):  # members of one gzip file: 2 GiB
            file.write(part)
    for reader in (data.read, lambda path: list(data.stream(path)),
                   lambda path: list(Lines(path, Reading(online=True)).arriving(1 << 20, lambda file: True))):
        try:
            reader(path)
        except data.FormatError as error:
            assert path in str(error) and "max_line" in str(error), error
        else:
            raise AssertionError("read")
        assert peak() - before < megabytes, (format, peak() - before)
print(peak() - before)
"""


@pytest.mark.long
def test_two_gigabytes_in_a_line_of_a_small_file_take_a_few_megabytes(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", BOMB, str(tmp_path), "500"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert max(path.stat().st_size for path in tmp_path.glob("bomb*")) < 20_000_000


# quotes ------------------------------------------------------------------------------------------


def slow_cut(text, delimiter):
    """The rule, with a word for each state: the end of the last record, and place and number of the open cell."""
    state, end, opened, cell = "cell begins", 0, -1, 1
    for place, byte in enumerate(text):
        following = text[place + 1 : place + 2]
        c = chr(byte)
        if state == "quoted":
            if c == '"':
                state = "quote in quotes"
            continue
        if state == "quote in quotes" and c == '"':
            state = "quoted"
        elif state == "cell begins" and c == '"':
            state, opened = "quoted", place
        elif c == "\n" or (c == "\r" and following not in (b"\n", b"")):
            state, end, cell = "cell begins", place + 1, 1
        elif c == delimiter:
            state, cell = "cell begins", cell + 1
        else:
            state = "in a cell"
    return (end, opened, cell) if state == "quoted" else (end, -1, cell)


def cells(text, delimiter):
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text.decode())
    return list(csv.reader(lines, delimiter=delimiter))


@pytest.mark.parametrize("count", [5_000, pytest.param(200_000, marks=pytest.mark.long)])
def test_records_end_where_the_slow_rule_and_the_csv_module_say(count):
    pick = random.Random(1)
    opened = quoted_ends = 0
    for _ in range(count):
        format, delimiter = pick.choice([("csv", ","), ("tsv", "\t")])
        text = "".join(pick.choices(f'a"{delimiter}\n\r ', [3, 3, 2, 2, 1, 1], k=pick.randrange(1, 25))).encode()
        splitter = Splitter(Reading(format=format))
        cut = splitter.cut(memoryview(text), complete=False)
        if b'"' in text:
            assert tuple(cut) == slow_cut(text, delimiter), text
        else:
            assert cut.end <= slow_cut(text, delimiter)[0]
        assert cells(text[: cut.end], delimiter) + cells(text[cut.end :], delimiter) == cells(text, delimiter), text
        opened += cut.opened >= 0
        quoted_ends += any("\n" in cell for record in cells(text[: cut.end], delimiter) for cell in record)
    assert opened > count // 10
    assert quoted_ends > count // 100


def test_a_quote_inside_a_cell_holds_nothing_back(tmp_path, monkeypatch, either_way):
    """One in the second line of a thousand: no block grows beyond its size."""
    text = b"size,label\n" + b'5" pipe,a\n' + b"6 in,b\n" * 1000
    path = write(tmp_path / "file.csv", text)
    source = sources.Source(str(path))
    blocks = list(text_blocks(source, 64, Splitter(Reading(format="csv"))))
    source.close()
    assert b"".join(blocks) == text
    assert max(map(len, blocks)) <= 2 * 64
    monkeypatch.setattr(sources, "BLOCK", 64)
    ds = data.read(path)
    assert ds.names.tolist() == ['size=5" pipe', "size=6 in"]
    assert ds.X.sum(axis=0).tolist() == [1, 1000]
    found = [chunk.X.shape[0] for chunk in Lines(str(path), Reading(online=True)).arriving(64, lambda file: True)]
    assert sum(found) == 1001
    assert len(found) > 50


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('5" pipe', '5" pipe'),
        ('a"b"c', 'a"b"c'),
        ('"a"b', "ab"),
        ('"a"b"c', 'ab"c'),
        ('"a""b"', 'a"b'),
        ('"a\r\nb"', "a\r\nb"),
        ('"a,b"', "a,b"),
        ('""""', '"'),
        ('x ""', 'x ""'),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_a_quote_is(cell, value, end, tmp_path, monkeypatch, either_way):
    text = end.join(["word,n,label", f"{cell},1,a", f"z,2,{cell}", "z,3,b", ""])
    for block in (1, 5, 1000):
        monkeypatch.setattr(sources, "BLOCK", block)
        ds = data.read(write(tmp_path / "file.csv", text), categorical=["word", "label"])
        assert ds.names.tolist() == ["n", f"word={value}", "word=z"]
        assert ds.y.tolist() == ["a", value, "b"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("reader", [whole, streamed, online])
def test_a_quoted_cell_that_does_not_end(reader, end, tmp_path, monkeypatch, either_way):
    """It is told where it began: at its limit, and at the end of the file."""
    monkeypatch.setattr(sources, "BLOCK", 16)
    lines = [b"a,b,label", b'1,"x', b'y",p', b'2,"u', b'v","w', b"3,z,q"]
    path = write(tmp_path / "file.csv", end.join([*lines, b""]))
    with pytest.raises(
        FormatError, match=r"file\.csv, line 5, column 3: the quoted cell that begins here has not ended"
    ):
        reader(path)
    path = write(tmp_path / "file.csv", end.join([*lines, *[b"3,z,q"] * 100, b'"', b""]))
    with pytest.raises(FormatError, match=r"file\.csv, line 5, column 3: .* there are 100 bytes of this record"):
        reader(path, max_line=100)


def test_a_cell_of_any_length_up_to_the_limit(tmp_path, either_way):
    """The csv module has a limit of its own, of 131,072 characters."""
    word = "ä" * 200_000
    ds = data.read(write(tmp_path / "file.csv", f'a,label\n"{word}",x\nb,"{word}"\n'))
    assert ds.names.tolist() == [f"a={word}", "a=b"]
    assert ds.y.tolist() == ["x", word]


# both ways of reading a table --------------------------------------------------------------------

TOKENS = [*'",,\n\n\ra1é ', '""', "\r\n", "b c", "2.5", "-3e2", "NA", "true", "\ufeff"]
IN_CELLS = [token for token in TOKENS if token not in ",\n\r\n"]


def outcome(text, size, options, *, with_arrow):
    """Everything that a reader tells of a table; how often it was asked for a row, too."""
    file = io.BytesIO(text)
    parser = TableParser(Reading(format="csv", **options))
    if not with_arrow:
        parser._arrow = None
    line, allowed, rows, labels, bad = 1, parser.reading.skip_bad, [], [], []
    try:
        for block in text_blocks(file, size, Splitter(parser.reading)):
            if isinstance(block, Refusal):
                raise block.error(line)
            part = parser.parse(block, line, allowed)
            line += part.lines
            allowed -= len(part.bad)
            bad += part.bad
            if part.X.shape[0]:
                X = sp.csr_array(part.X)
                rows += [(X[[i]].indices.tolist(), X[[i]].data.tolist()) for i in range(X.shape[0])]
                labels += [] if part.y is None else part.y.tolist()
    except ValueError as error:
        return rows, labels, bad, str(error)
    return rows, labels, bad, line, parser.names, parser.reading


@pytest.mark.parametrize("count", [1_500, pytest.param(40_000, marks=pytest.mark.long)])
def test_both_ways_read_random_tables_alike(count):
    pick = random.Random(2)
    read = quoted = refused = skipped = 0
    for _ in range(count):
        width = pick.randrange(1, 4)
        header = ",".join(["a", "b", "label"][-width:]) + "\n"
        if pick.random() < 0.5:
            body = "".join(pick.choices(TOKENS, k=pick.randrange(1, 25)))
        else:
            body = "".join(
                ",".join("".join(pick.choices([*IN_CELLS, '"x\n,"'], k=pick.choice([1, 1, 2]))) for _ in range(width))
                + pick.choice(["\n", "\r\n"])
                for _ in range(pick.randrange(1, 6))
            )
        options = pick.choice(
            [{}, {"missing": "zero", "skip_bad": 3}, {"missing": "column", "categorical": (0,)}, {"skip_bad": 20}]
        )
        size = pick.choice([1, 8, 30, 1000])
        text = (header + body).encode()
        results = [outcome(text, size, options, with_arrow=with_arrow) for with_arrow in (True, False)]
        assert results[0] == results[1], (text, size, options)
        read += bool(results[0][0])
        quoted += bool(results[0][0]) and '"' in body
        refused += len(results[0]) == 4
        skipped += bool(results[0][2])
    assert min(read, refused) > count // 10
    assert min(quoted, skipped) > count // 20


def test_a_byte_order_mark_is_one_at_the_beginning_of_a_file_alone(tmp_path, monkeypatch, either_way):
    mark = "\ufeff"
    for block in (1, 1000):
        monkeypatch.setattr(sources, "BLOCK", block)
        path = write(tmp_path / "file.csv", f"{mark}a,label\n{mark}b,x\n{mark}c,y\nc,y\n")
        for reader in (whole, streamed, online):
            assert reader(path).names.tolist() == [f"a={mark}b", f"a={mark}c", "a=c"]
    two = write(tmp_path / "file.csv", f"{mark}{mark}a,label\n1,x\n")
    assert whole(two).names.tolist() == online(two).names.tolist() == [f"{mark}a"]
    for format, (text, _) in FORMATS.items():
        path = write(tmp_path / f"file.{format}", mark.encode() + text)
        for reader in (whole, online):
            assert len(reader(path)) >= 1
    path = write(tmp_path / "quoted.csv", f'{mark}"a,b",label\n1,2\n')
    assert online(path).names.tolist() == whole(path).names.tolist() == ["a,b"]


@pytest.mark.parametrize("rows", [["1,7", "NA,a", "2,8"], ["NA,a", "1,7", "2,8"], ["1,7", "x,a", "2,8"]])
def test_a_row_that_is_skipped_decides_nothing_about_labels(rows, tmp_path, monkeypatch, either_way):
    for block in (1, 1000):
        monkeypatch.setattr(sources, "BLOCK", block)
        ds = data.read(write(tmp_path / "file.csv", "\n".join(["n,label", *rows])), skip_bad=1)
        assert ds.y.dtype.kind == "i"
        assert ds.y.tolist() == [7, 8]
        assert len(ds.bad) == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("reader", [whole, streamed, online])
def test_blank_lines_before_a_header_are_blank_however_they_come(reader, end, tmp_path, monkeypatch, either_way):
    monkeypatch.setattr(sources, "BLOCK", 8)
    path = write(tmp_path / "file.csv", end * 40 + end.join(["a,label", "1,7", "2,8", ""]))
    assert reader(path).names.tolist() == ["a"]
    path = write(tmp_path / "file.csv", end * 40 + end.join(["a,label", "1,7", "2,8,9", ""]))
    with pytest.raises(FormatError, match="line 43, column 3: 3 cells, but 2 are expected"):
        reader(path)


# columns and names -------------------------------------------------------------------------------


def test_columns_of_dense_rows_are_bounded(tmp_path, monkeypatch, either_way):
    for place in (columns, tables, data.jsonlines):
        if hasattr(place, "MOST_COLUMNS"):
            monkeypatch.setattr(place, "MOST_COLUMNS", 50)
    assert data.read(write(tmp_path / "file.csv", ",".join("1" * 50))).X.shape == (1, 49)
    row = json.dumps({"y": 1, "x": [1] * 50})
    assert data.read(write(tmp_path / "file.jsonl", row)).X.shape == (1, 50)
    with pytest.raises(FormatError, match="line 1, column 51: 60 columns, and dense rows have at most"):
        data.read(write(tmp_path / "file.csv", ",".join("1" * 60)))
    with pytest.raises(FormatError, match="line 2, column 1: 51 columns, and dense rows have at most"):
        data.read(write(tmp_path / "file.jsonl", "\n" + json.dumps({"y": 1, "x": [1] * 51})))


def test_wide_tables_are_read_without_pyarrow_to_the_same_rows(tmp_path, monkeypatch):
    path = write(tmp_path / "file.csv", "a,b,c,label\n1,x,3,u\n4,y,6,v\n")
    narrow = data.read(path)
    monkeypatch.setattr(tables, "WIDE", 3)
    monkeypatch.setattr(TableParser, "_read", None)  # which calls pyarrow
    wide = data.read(path)
    assert dense(wide.X).tolist() == dense(narrow.X).tolist()
    assert (wide.names.tolist(), wide.y.tolist()) == (narrow.names.tolist(), narrow.y.tolist())


NAMED = {
    "vw": ("1 | {}", "column 1"),
    "jsonl": ('{{"y": 1, "x": {{"{}": 1}}}}', "column 1"),
    "csv": ("{},1", "column 1"),
}


@pytest.mark.parametrize("reader", [whole, streamed, online])
@pytest.mark.parametrize("format", NAMED)
def test_names_are_bounded_in_all(format, reader, tmp_path, monkeypatch, either_way):
    """Fourteen bytes each, with four more for its place: ten of them are 180."""
    monkeypatch.setattr(sources, "BLOCK", 50)
    line, column = NAMED[format]
    prefix = "n=" if format == "csv" else ""
    header = ["n,label"] if format == "csv" else []
    names = [f"{'name' if prefix else 'a name'.replace(' ', '-')}{i:0{8}}" for i in range(12)]
    assert {len(prefix + name) for name in names} == {14}
    lines = [*header, line.format(names[0]), *(line.format(name) for name in names), ""]
    path = write(tmp_path / f"file.{format}", "\n".join(lines))
    room = 18 * 12
    assert reader(path, max_names=room).names.tolist() == [prefix + name for name in names]
    place = len(header) + 1 + 10 + 1
    with pytest.raises(FormatError, match=rf"line {place}, {column}: with '{prefix}{names[10]}' the names") as caught:
        reader(path, max_names=room - 19)
    assert f"max_names={2 * (room - 19)}" in str(caught.value)


def test_names_of_a_model_do_not_count_twice(tmp_path):
    """Those of a fixed set of columns are not added to."""
    path = write(tmp_path / "file.vw", "1 | a b c\n-1 | d\n")
    assert data.read(path, columns=["a", "b"], max_names=2).X.shape == (2, 2)
    path = write(tmp_path / "file.csv", "aaaa,bbbb\n1,2\n")
    with pytest.raises(FormatError, match="line 1, column 2: with 'bbbb' the names of the columns take more than 15"):
        data.read(path, max_names=15)
    assert data.read(path, max_names=16).names.tolist() == ["aaaa"]


def test_online_names_that_are_refused_are_not_kept(tmp_path):
    """All lines before are learned; the model gets no column for the line that is refused."""
    path = write(tmp_path / "file.vw", "1 | aa\n\nbad\n-1 | bb\n1 | cc aa\n-1 | dd\n")
    found = []
    with pytest.raises(FormatError, match="line 5, column 1: with 'cc'"):
        found.extend(Lines(str(path), Reading(online=True, max_names=12, skip_bad=1)).arriving(1000, lambda file: True))
    assert [ds.names.tolist() for ds in found] == [["aa", "bb"]]
    assert found[0].y.tolist() == [1, -1]


def test_a_message_is_short_however_long_the_cell(tmp_path, either_way):
    long = "x" * 100_000
    for name, text in (("a.csv", f"a,label\n1,0\n{long},1\n"), ("a.jsonl", f'{{"y": 1, "x": ["{long}"]}}')):
        with pytest.raises(FormatError) as caught:
            data.read(write(tmp_path / name, text))
        assert len(str(caught.value)) < 2000
    ds = data.read(write(tmp_path / "a.csv", f"a,label\n1,0\n{long},1\n"), skip_bad=1)
    assert len(ds.bad[0].message) < 2000


# JSON, Arrow -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a": 1, "y": 1, "a": 2}', "a"),
        ('{"y": 1, "x": {"b": 1, "b": 1}}', "b"),
        ('{"y": 1, "y": 0, "a": 1}', "y"),
        ('{"y": 1, "x": {"c": {"d": 1, "e": 2, "d": 3}}}', "d"),
    ],
)
def test_a_key_twice_in_an_object_is_refused(text, key, tmp_path):
    path = write(tmp_path / "file.jsonl", '{"y": 1, "a": 1, "b": 2}\n' + text + "\n")
    with pytest.raises(FormatError, match=f"line 2, column 1: the key '{key}' appears twice"):
        data.read(path)
    assert len(data.read(path, skip_bad=1)) == 1


def spoil(path):
    """Write over the content, in place, and cut it off."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(b"\x7f" * size)
        file.truncate(10)


@pytest.mark.parametrize("writer", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("sparse", [True, False])
def test_what_was_read_from_an_arrow_file_stays_as_it_is(sparse, writer, tmp_path):
    """The file may be written over, or cut off, before the examples are looked at."""
    n = 5000
    label, weight = np.arange(n, dtype=float), np.ones(n) * 0.5
    values = {"indices": [[0, 2]] * n, "values": [[1.0, 2.0]] * n, "weight": weight} if sparse else {"a": label + 1}
    content = arrow(pa.table({**values, "label": label}), writer)
    path = write(tmp_path / "file.arrow", content)
    ds = data.read(path)
    spoil(path)
    expected = [[1.0, 0.0, 2.0]] * n if sparse else (label + 1)[:, None].tolist()
    assert dense(ds.X).tolist() == expected
    assert ds.y.tolist() == label.tolist()
    assert ds.weights is None if not sparse else (ds.weights == 0.5).all()


def test_what_was_read_from_a_parquet_file_stays_as_it_is(tmp_path):
    n = 5000
    table = pa.table({"a": np.arange(n) + 0.5, "label": np.arange(n, dtype=float)})
    path = tmp_path / "file.parquet"
    pa.parquet.write_table(table, path, compression="none", use_dictionary=False)
    ds = data.read(path)
    spoil(path)
    assert ds.X[:, 0].tolist() == (np.arange(n) + 0.5).tolist()
    assert ds.y.tolist() == list(range(n))
