"""The VW parser against the format read slowly, and its table of names."""

import math
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from novikoff import certify, data
from novikoff.data import vw
from novikoff.data.block import FormatError
from novikoff.data.vw import VwParser
from tests.data.corpora import corpus
from tests.data.test_svmlight import ALL, bits, number


class BadError(Exception):
    """A malformed line, with the place."""


def expect(condition, place):
    if not condition:
        raise BadError(place)


def read_line(line):
    """Label, importance, tag, and (name, value) pairs in the order of the text."""
    label, weight, tag, features = math.nan, 1.0, b"", []
    bar = line.find(b"|")
    expect(bar >= 0, len(line))
    words = list(re.finditer(rb"[^ \t]+", line[:bar]))
    if words and (words[-1].end() == bar or words[-1][0].startswith(b"'")):
        tag = words.pop()[0].removeprefix(b"'")
    for k, word in enumerate(words):
        x = number(word[0])
        expect(k < 2 and x is not None and (k == 0 or x >= 0), word.start())
        label, weight = (x, weight) if k == 0 else (label, x)
    scale, prefix = 1.0, b""
    for piece in re.finditer(rb"(\|?)([^ \t|:]*)(:?)([^ \t|]*)", line[bar:]):
        if not piece[0]:
            continue
        opens, name, colon, value = piece.groups()
        expect(name or not colon, bar + piece.start() + len(opens))
        x = number(value) if colon else 1.0
        expect(x is not None, bar + piece.end() - len(value))
        if opens:
            scale, prefix = x, name + b"^" if name else b""
        else:
            expect(math.isfinite(x * scale), bar + piece.start())
            features.append((prefix + name, x * scale))
    return label, weight, tag, features, bar


def slowly(text, columns=None):
    """Labels, weights, tags, rows as dicts, names, places of bad lines, features dropped."""
    numbers = {} if columns is None else {name.encode(errors="surrogateescape"): i for i, name in enumerate(columns)}
    labels, weights, tags, rows, bad, dropped = [], [], [], [], [], 0
    for n, line in enumerate(text.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if not line.strip(b" \t"):
            continue
        try:
            label, weight, tag, features, bar = read_line(line)
            sums, lost = {}, 0
            for name, x in features:
                if columns is not None and name not in numbers:
                    lost += 1
                else:
                    sums[name] = sums[name] + x if name in sums else x
            # A partial sum that overflows is refused even if the rest would cancel.
            expect(all(map(math.isfinite, sums.values())), bar)
        except BadError as place:
            bad.append((n, place.args[0] + 1))
            continue
        for name in sums:
            numbers.setdefault(name, len(numbers))
        labels.append(label)
        weights.append(weight)
        tags.append(tag.decode(errors="surrogateescape"))
        rows.append(dict(sorted((numbers[name], x) for name, x in sums.items())))
        dropped += lost
    return labels, weights, tags, rows, [name.decode(errors="surrogateescape") for name in numbers], bad, dropped


def check(text, columns=None):
    """The parser agrees with the slow reading, to the last bit."""
    parser = VwParser(columns)
    block = parser.parse(text, 1, ALL)
    labels, weights, tags, rows, names, bad, dropped = slowly(text, columns)
    assert [(b.line, b.column) for b in block.bad] == bad
    assert parser.names == names
    assert parser.width == block.X.shape[1] == len(names)
    assert parser.dropped == dropped
    if block.y is None:
        assert all(map(math.isnan, labels))
    else:
        assert bits(block.y) == bits(labels)
    assert weights == ([1.0] * len(rows) if block.weights is None else block.weights.tolist())
    assert tags == ([""] * len(rows) if block.tags is None else block.tags)
    assert block.lines == text.count(b"\n") + (text[-1:] not in b"\n")
    assert np.diff(block.X.indptr).tolist() == [len(row) for row in rows]
    assert block.X.indices.tolist() == [column for row in rows for column in row]
    assert bits(block.X.data) == bits([x for row in rows for x in row.values()])
    for size in (1, 2, 3):
        check_pieces(text, columns, block, parser, size)
    return block


def check_pieces(text, columns, block, whole, size):
    """Scanned in five pieces, so many at once, and settled in order, the text is the same block."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", text)
    ends = [round(len(lines) * i / 5) for i in range(6)]
    pieces = [b"".join(lines[start:end]) for start, end in pairwise(ends)]
    parser = VwParser(columns)
    blocks = []
    for i in range(0, 5, size):
        scans = [parser.scan(piece, 1, ALL) for piece in pieces[i : i + size]]
        blocks += (parser.settle(scan, 1) for scan in scans)
    assert (parser.names, parser.width, parser.dropped) == (whole.names, whole.width, whole.dropped)
    assert np.concatenate([np.diff(part.X.indptr) for part in blocks]).tolist() == np.diff(block.X.indptr).tolist()
    assert np.concatenate([part.X.indices for part in blocks]).tolist() == block.X.indices.tolist()
    assert bits(np.concatenate([part.X.data for part in blocks])) == bits(block.X.data)
    assert sum(len(part.bad) for part in blocks) == len(block.bad)


def test_an_example_by_hand():
    text = b"1 0.5 'a|n x y:2 |m:3 x:2 y | x ^y\n|m x x n^x\r\n\n0 |n x"
    parser = VwParser()
    block = parser.parse(text, 1, 0)
    assert parser.names == ["n^x", "n^y", "m^x", "m^y", "x", "^y", "m^n^x"]
    assert block.X.toarray().tolist() == [[1, 2, 6, 3, 1, 1, 0], [0, 0, 2, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0]]
    assert block.weights.tolist() == [0.5, 1, 1]
    assert block.tags == ["a", "", ""]
    assert bits(block.y) == bits([1, math.nan, 0])
    check(text)


@pytest.mark.parametrize(
    ("header", "label", "weight", "tag"),
    [
        ("", None, 1, None),
        ("1 ", 1, 1, None),
        ("1", None, 1, "1"),  # adjacent to the bar: a tag, as in VW
        ("-1.5 2 ", -1.5, 2, None),
        ("1 2 tag", 1, 2, "tag"),
        ("1 2 'tag", 1, 2, "tag"),
        ("1 2 'tag  ", 1, 2, "tag"),
        ("1 'tag ", 1, 1, "tag"),
        ("'", None, 1, None),
        ("\t1\t", 1, 1, None),
        ("1 ta'g:1", 1, 1, "ta'g:1"),
    ],
)
def test_header(header, label, weight, tag):
    block = VwParser().parse(header.encode() + b"| a", 1, 0)
    assert (None if block.y is None else block.y[0]) == label
    assert (1 if block.weights is None else block.weights[0]) == weight
    assert (block.tags or [None])[0] == (tag if tag is not None or block.tags is None else "")


names = st.text(st.sampled_from("abcxyz^é0"), min_size=1, max_size=9)
values = st.one_of(
    st.sampled_from(["", "", ":2", ":-0.5", ":1e-3", ":0", ":-0", ":.5", ":1e300"]),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f":{x!r}"),
)


@st.composite
def lines(draw):
    line = draw(
        st.sampled_from(["", "1 ", "-1 ", "0.25 3 ", "1 2 'tag", "1 tag", "'tag ", "2 1e-5 ", "1 -1 ", "shared "])
    )
    for _ in range(draw(st.integers(1, 3))):
        line += "|" + draw(st.sampled_from(["", "", "n", "m:2", "long_namespace:0.1", "é"]))
        for _ in range(draw(st.integers(0, 5))):
            line += draw(st.sampled_from([" ", "  ", "\t"])) + draw(names) + draw(values)
    return draw(st.sampled_from([line] * 6 + ["", " ", "no bar"]))


@given(st.lists(lines(), max_size=8), st.data())
@settings(deadline=None, max_examples=300)
def test_reads_what_the_slow_parser_reads(content, data):
    text = "".join(line + data.draw(st.sampled_from(["\n", "\r\n", " \n"])) for line in content)
    text = (text if data.draw(st.booleans()) else text.rstrip("\n")).encode()
    check(text)
    check(text, columns=["a", "n^b", "m^x", "é", "0"])


@given(
    st.lists(
        st.sampled_from([b"1", b"a", b":", b"|", b" ", b"\t", b"\n", b"\r", b"'", b"^", b".5", b"-", b"\xff", b"\0"])
    )
)
@example([b"1 |a\rb:2\r\n|\r\n"])
@example([b"1e308|:", b"\n|a:10 b:1e308\n|a b:1e308 b:1e308 b:-1e308\n"])
@settings(deadline=None, max_examples=500)
def test_any_bytes(pieces):
    check(b"".join(pieces))


@given(
    st.lists(st.sampled_from(["1 |n a b:2\n", "|m b a\r\n", "\n", "x\n", "2 'q |n c:x\n", "1 |n c a c\n"])), st.data()
)
@settings(deadline=None, max_examples=60)
def test_cuts_at_line_ends_change_nothing(content, data):
    whole, parser = VwParser(), VwParser()
    block = whole.parse("".join(content).encode(), 1, ALL)
    rows, bad, line, at = [], [], 1, 0
    while at < len(content):
        take = data.draw(st.integers(1, len(content) - at))
        part = parser.parse(memoryview("".join(content[at : at + take]).encode()), line, ALL)
        rows += [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in part.X]
        bad += part.bad
        line += part.lines
        at += take
    assert parser.names == whole.names
    assert rows == [dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in block.X]
    assert (bad, line - 1) == (block.bad, len(content))


# Bad lines.


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("1 2 a b", 8, "a '|' is expected before the features"),
        ("abc | a", 1, "'abc' is not a number"),
        ("nan | a", 1, "'nan': a finite number is expected"),
        ("shared | a", 1, "examples of several lines ('shared') are not supported"),
        ("1:2:0.5 | a", 1, "'1:2:0.5': labels with costs or probabilities are not supported, one number is expected"),
        ("1 -2 | a", 3, "'-2': an importance is at least 0"),
        ("1 2 3 | a", 5, "'3': only a label and an importance are expected before a tag and '|'"),
        ("1 | a:x", 7, "'x' is not a number"),
        ("1 | a:", 7, "a number is expected"),
        ("1 | a:1:2", 7, "'1:2' is not a number"),
        ("1 | a:inf b", 7, "'inf': a finite number is expected"),
        ("1 | a :2", 7, "a name is expected before ':'"),
        ("1 |:2 a", 4, "a name is expected before ':'"),
        ("1 |n:2x a", 6, "'2x' is not a number"),
        ("1 |n:1e200 a:1e200", 12, "'a:1e200': a finite number is expected"),
        ("1 | a:1e308 b a:1e308", 3, "the values of a feature add up to more than a float can hold"),
    ],
)
def test_an_error_names_the_place(line, column, message):
    with pytest.raises(FormatError) as caught:
        VwParser().parse(b"1 | a\n\r\n" + line.encode() + b"\r\n", 11, 0)
    assert (caught.value.line, caught.value.column, caught.value.message) == (13, column, message)


def test_a_skipped_line_leaves_no_names():
    text = b"1 | a\n1 | b c a d:x\n1 | c\n" + b"1 " * 3 + b"\n2 | b:9007199254740993.00000000000000000001 e\n"
    parser = VwParser()
    block = parser.parse(text, 1, 2)
    assert parser.names == ["a", "c", "b", "e"]
    assert block.X.data.tolist() == [1.0, 1.0, 9007199254740994.0, 1.0]
    assert [b.line for b in block.bad] == [2, 4]
    with pytest.raises(FormatError, match="line 4"):
        VwParser().parse(text, 1, 1)


def test_skipped_lines_that_fill_the_table_leave_no_names():
    bad = b"1 | " + b" ".join(b"bad_%d" % i for i in range(3000)) + b" x:y\n"
    parser = VwParser()
    parser.parse(bad + b"1 | a\n" + bad + b"1 | b bad_7\n", 1, 2)
    assert parser.names == ["a", "b", "bad_7"]


# Names.


def test_many_names():
    rng = np.random.default_rng(0)
    pool = [f"f{i}" for i in range(100_000)] + ["x" * n for n in range(1, 300)]
    order = rng.permutation(len(pool))
    text = "".join("1 |n " + " ".join(pool[i] for i in part) + "\n" for part in np.array_split(order, 500)).encode()
    parser = VwParser()
    block = parser.parse(text, 1, 0)
    assert parser.names == [f"n^{pool[i]}" for i in order]
    assert block.X.indices.tolist() == list(range(len(pool)))
    again = parser.parse(text, 1, 0)
    assert again.X.indices.tolist() == list(range(len(pool)))
    fixed = VwParser(columns=parser.names[::-1])
    assert (
        fixed.parse(text + b"1 |n new |m f1\n", 1, 0).X.indices.tolist()[:3]
        == sorted(len(pool) - 1 - i for i in range(len(np.array_split(order, 500)[0])))[:3]
    )
    assert (fixed.dropped, fixed.width) == (2, len(pool))
    assert fixed.names == parser.names[::-1]


@pytest.mark.parametrize("key", [3, 2**61 - 2, 2**32, 2**31 + 1, 1, 0])
def test_columns_do_not_depend_on_the_key(key, monkeypatch):
    # The last keys are bad ones, under which many names collide: what is found must be right all the same.
    monkeypatch.setattr(vw, "_KEY", np.uint64(key))
    check(b"1 | n-x n^x m^x n^y nn^ |n x y-x |m x | n^x\n")
    check(
        "".join(
            f"1 |{'abcdefgh'[: i % 8]} x{i * 7 % 900} y z{i % 11} {'long_name' * (i % 5)}\n" for i in range(600)
        ).encode()
    )


@pytest.mark.parametrize("key", [12345678901234567, 2**61 - 2, 2**60 + 2**32 - 1])
def test_the_hash_is_the_polynomial(key):
    """The compiled arithmetic mod 2^61 - 1, against Python's integers."""
    from novikoff.data.scan import name_table as kernels

    prime = 2**61 - 1
    for name in [b"", b"a", b"abcdef", b"abcdefg", b"\xff" * 20, bytes(range(200))]:
        words = [int.from_bytes(b"\1" + name[i : i + 7]) for i in range(0, len(name) // 7 * 7 + 1, 7)]
        h = 0
        for word in words:
            h = (h + word) * key % prime
        h ^= h >> 32
        slots = np.full(2 * 4096, -1, dtype=np.int64)
        table = kernels.Names(
            np.frombuffer(name + b"-", dtype=np.uint8).copy(), np.array([0, len(name)]), slots, np.uint64(key)
        )
        assert kernels.enter(table, 0, 1) == 1
        place = h % 4096 if len(name) >= 7 else words[0] * (4 * key + 1) % 2**64 >> 52
        assert np.flatnonzero(slots[1::2] >= 0).tolist() == [place]
        assert slots[place * 2] == (words[0] if len(name) < 7 else -2 - h)  # a short name is its own key


def test_bytes_that_are_not_text():
    text = b"1 \xfe\xff|\xff \x00\x80:2 \xc3\xa9\n"
    parser = VwParser()
    block = parser.parse(text, 1, 0)
    assert parser.names == ["\udcff^\0\udc80", "\udcff^é"]
    assert block.tags == ["\udcfe\udcff"]
    assert VwParser(parser.names).parse(text, 1, 0).X.toarray().tolist() == [[2.0, 1.0]]


def test_two_columns_of_one_name():
    with pytest.raises(ValueError, match="two columns have the name 'b'"):
        VwParser(columns=["a", "b", "c", "b"])


@pytest.mark.parametrize("text", [b"", b"\n", b" \t\r\n"])
def test_nothing(text):
    block = VwParser().parse(text, 1, 0)
    assert (block.X.shape, block.y, block.weights, block.tags) == ((0, 0), None, None, None)


def test_room_for_lines_without_blanks():
    """Features follow a blank; scales of namespaces, and numbers that are read slowly, need none."""
    slow = b"0.1234567890123456789012345678901234567890"  # more digits than the loop decides on its own
    for line in (b"|a:" + slow + b" x" + b"|b:" + slow, b"|" * 50 + b"x", b"|x" * 50, b"1|a:1 x|b x"):
        check(line * 30)
        check(line * 30 + b"\n" + line)
        check(line + b"\r\n" + b"\t" * 40 + line)


@pytest.mark.parametrize(("format", "text"), corpus("vw"))
def test_corpus(format, text):
    check(text)
    check(text, columns=["a", "b", "n^a", "1"])


def test_the_same_without_compilation():
    code = (
        "import tests.data.test_vw as t\n"
        "t.check(b'1 2 t|n:2 a b:0.1 a:3 |long_name_space:1e23 x\\n1 | c c c:x\\n|n c a b')\n"
        "t.check(b'1 | ' + b' '.join(b'f%d' % i for i in range(1500)))\n"
        "t.test_an_example_by_hand()\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=environment, timeout=100)


# Sums and products --------------------------------------------------------------------------------


def told(text: bytes) -> tuple[int, str, str, int] | None:
    found = VwParser().parse(b"1 | b\n" + text + b"\n", 1, 0).inexact
    return found and (found.at, found.column, found.value, found.many)


SUM = "the sum of the values of a feature that is there more than once"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1 | a:9007199254740992 a:1", (2, "3", SUM, 1)),
        (b"1 | a:9007199254740992 c a:1 |n d:1 |n d:-9007199254740994", (2, "3", SUM, 2)),
        (b"1 |n:1e-200 a:1e-200", (2, "15", "1e-200 times the scale of its namespace", 1)),
        (b"1 |n:3 a:-3002399751580331", (2, "10", "-3002399751580331 times the scale of its namespace", 1)),
        (b"1 |n:3 c a:9007199254740991", (2, "12", "9007199254740991 times the scale of its namespace", 1)),
        (b"1 | a:9007199254740992 a:2 a:-2", None),
        (b"1 |n:3 a:1152921504606846976 b:2 c", None),
        (b"1 |n:0 a:5 c |m:7 d:0", None),
        (b"1 |n:3 a:0.1 | d:0.1 d:0.2", None),  # decimals stand for the nearest float64, and so do what they make
        (b"1 |n:0.1 a:9007199254740991", None),
    ],
)
def test_integers_that_add_or_multiply_to_none_are_told(
    text: bytes, expected: tuple[int, str, str, int] | None, tmp_path: Path
) -> None:
    assert told(text) == expected
    path = tmp_path / "a.vw"
    path.write_bytes(b"-1 | z\n" + text + b"\n")
    if expected is None:
        assert data.read(path).rounded is None
        return
    with pytest.raises(ValueError, match=f"a.vw, line 2, column {expected[1]}: float64 does not hold {expected[2]}"):
        certify(data.read(path))


def test_integers_as_the_reference_has_them() -> None:
    rng = np.random.default_rng(5)
    lost = 0
    for _ in range(300):
        x, y = (int(n) << int(k) for n, k in zip(rng.integers(1, 2**40, 2), rng.integers(0, 30, 2), strict=True))
        for exact, text in ((x * y, f"1 |n:{x} a:{y}"), (x + y, f"1 | a:{x} a:{y}")):
            held = float(exact) == exact
            kept = float(x) == x and float(y) == y
            assert (told(text.encode()) is None) == (held and kept)
            lost += not held
    assert 30 < lost < 570
