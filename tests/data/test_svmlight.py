"""The svmlight parser: against scikit-learn, against `float`, and against the format read slowly."""

import math
import os
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from novikoff import Perceptron
from novikoff.data import read
from novikoff.data.block import FormatError
from novikoff.data.svmlight import SvmlightParser
from tests.data.corpora import corpus

ALL = 1 << 60
NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def number(token):
    return float(token) if NUMBER.fullmatch(token) and math.isfinite(float(token)) else None


def slowly(text, base=0, width=None):
    """The format, line by line: labels, weights, rows as dicts, places of bad lines, cells dropped."""
    labels, weights, rows, bad, dropped = [], [], [], [], 0
    for n, line in enumerate(text.split(b"\n"), 1):
        tokens = list(re.finditer(rb"[^ \t\r\v\f]+", line.partition(b"#")[0]))
        if not tokens:
            continue
        label = number(tokens[0][0])
        cells, lost, place, twice, seen = {}, 0, None if label is not None else tokens[0].start(), None, set()
        query = len(tokens) > 1 and re.fullmatch(rb"qid:[+-]?[0-9]+", tokens[1][0])
        begin, weight = 2 if query else 1, 1.0
        if len(tokens) > begin and tokens[begin][0].startswith(b"cost:"):
            weight = number(tokens[begin][0].removeprefix(b"cost:"))
            if place is None and (weight is None or weight < 0):
                place = tokens[begin].start() + len(b"cost:")
            begin += 1
        for token in tokens[begin:]:
            if place is not None:
                break
            column, colon, value = token[0].partition(b":")
            x = number(value)
            if not colon or not re.fullmatch(rb"[0-9]+", column):
                place = token.start()
                continue
            column = 10**9 if len(column) > 4000 else int(column)
            if column < base or (width is None and column >= 1 << 28):
                place = token.start()
            elif x is None:
                place = token.start() + len(token[0]) - len(value)
            else:
                twice = token.start() if twice is None and column in seen else twice
                seen.add(column)
                if width is not None and column - base >= width:
                    lost += 1
                elif column - base in cells:
                    cells[None] = None
                else:
                    cells[column - base] = x
        place = twice if place is None and None in cells else place
        if place is not None:
            bad.append((n, place + 1))
        else:
            labels.append(label)
            weights.append(weight)
            rows.append(cells)
            dropped += lost
    return labels, weights, rows, bad, dropped


def bits(values):
    return np.asarray(values, dtype=np.float64).view(np.int64).tolist()


def check(text, base=0, width=None):
    """The parser agrees with the slow reading, to the last bit."""
    parser = SvmlightParser(zero_based=base == 0, width=width)
    block = parser.parse(text, 1, ALL)
    labels, weights, rows, bad, dropped = slowly(text, base, width)
    assert bits(weights) == bits(np.ones(len(labels)) if block.weights is None else block.weights)
    assert [(b.line, b.column) for b in block.bad] == bad
    assert bits(block.y) == bits(labels)
    assert block.lines == text.count(b"\n") + (text[-1:] not in b"\n")
    assert np.diff(block.X.indptr).tolist() == [len(row) for row in rows]
    assert block.X.indices.tolist() == [column for row in rows for column in sorted(row)]
    assert bits(block.X.data) == bits([row[column] for row in rows for column in sorted(row)])
    assert parser.dropped == dropped
    if width is not None:
        assert parser.width == block.X.shape[1] == width
    return block


def agrees_with_sklearn(text, zero_based):
    X, y = load_svmlight_file(BytesIO(text), zero_based=zero_based)
    block = SvmlightParser(zero_based=zero_based).parse(text, 1, 0)
    assert bits(block.y) == bits(y)
    assert bits(block.X.data) == bits(X.data)
    assert block.X.indices.tolist() == X.indices.tolist()
    assert block.X.indptr.tolist() == X.indptr.tolist()


blanks = st.sampled_from([" ", "  ", "\t", " \t ", "\r ", "\v", "\f"])
numerals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(["+1", "-1", ".5", "5.", "1E5", "-1.5e-3", "1e-400", "-0", "007", "0.1e+2"]),
)


@st.composite
def lines(draw):
    columns = sorted(draw(st.sets(st.integers(1, 60), max_size=6)))
    line = draw(numerals)
    if draw(st.booleans()):
        line += draw(blanks) + f"qid:{draw(st.integers(0, 9))}"
    for column in columns:
        line += draw(blanks) + f"{column}:{draw(numerals)}"
    line += draw(st.sampled_from(["", " ", " # comment 1:2", "# x", "\t#"]))
    return draw(st.sampled_from([line] * 5 + ["", "  ", "# only a comment"]))


@given(st.lists(lines(), min_size=1, max_size=8), st.data())
@settings(deadline=None, max_examples=200)
def test_reads_what_scikit_learn_reads(content, data):
    text = "".join(line + data.draw(st.sampled_from(["\n", "\r\n"])) for line in content)
    text = (text if data.draw(st.booleans()) else text.rstrip("\r\n")).encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agrees_with_sklearn(text, zero_based=data.draw(st.booleans()))
    check(text)


def test_reads_a_large_file_as_scikit_learn_does():
    rng = np.random.default_rng(3)
    content = []
    for i in range(3000):
        columns = np.sort(rng.choice(5000, size=rng.integers(0, 40), replace=False)) + 1
        if i == 7:
            columns = np.arange(1, 2000)
        values = rng.normal(size=columns.size) * 10.0 ** rng.integers(-30, 30)
        form = ["%r", "%.6f", "%.17g", "%g", "%.3e"][i % 5]
        content.append(
            f"{rng.integers(-3, 3)} " + " ".join(f"{c}:{form % float(v)}" for c, v in zip(columns, values, strict=True))
        )
    text = "\n".join(content).encode()
    agrees_with_sklearn(text, zero_based=False)
    agrees_with_sklearn(text, zero_based=True)


# Numbers.


def values_of(tokens):
    """The tokens as values of one column, and as labels."""
    block = SvmlightParser(zero_based=True).parse(b"".join(b"%b 0:%b\n" % (t, t) for t in tokens), 1, 0)
    assert bits(block.y) == bits(block.X.data)
    return block.X.data


def test_every_number_is_the_float_of_python():
    rng = np.random.default_rng(0)
    patterns = rng.integers(0, 1 << 64, size=30000, dtype=np.uint64).view(np.float64)
    near = np.concatenate([rng.normal(size=3000), 10.0 ** rng.integers(-5, 25, size=3000)]).tolist()
    floats = [x for x in patterns.tolist() if math.isfinite(x)] + near
    tokens = [form % x for x in floats for form in ("%r", "%.17g", "%.16e", "%.18e")]
    tokens += [form % x for x in floats[::10] for form in ("%.30g", "%.60e", "%f", "%.25f")]
    digits = ["".join(map(str, rng.integers(0, 10, size=n))) for n in rng.integers(1, 25, size=20000)]
    tokens += [f"{d}e{e}" for d, e in zip(digits, rng.integers(-400, 280, size=len(digits)), strict=True)]
    tokens += [f"{d[:k]}.{d[k:]}" for d, k in zip(digits, rng.integers(0, 25, size=len(digits)), strict=True)]
    assert bits(values_of([t.encode() for t in tokens])) == bits([float(t) for t in tokens])


def test_numbers_half_way_between_two_floats():
    rng = np.random.default_rng(1)
    tokens = []
    floats = rng.integers(0, 0x7FE << 52, size=3000, dtype=np.uint64).view(np.float64).tolist()
    for x in [*floats, 0.0, 5e-324, 2.0**53]:
        # exactly between x and its neighbour: its decimal expansion ends; then one more digit on either side
        (n, d), (n2, d2) = x.as_integer_ratio(), math.nextafter(x, math.inf).as_integer_ratio()
        top, bottom = n * d2 + n2 * d, 2 * d * d2
        k = max(bottom.bit_length() - 1, 0)
        exact = str(top * 10**k // bottom)
        tokens += [f"{exact}e-{k}", f"{exact}1e-{k + 1}", f"{int(exact) - 1}9e-{k + 1}"]
    for m in rng.integers(1 << 53, 1 << 59, size=20000).tolist():  # ties among integers, and times powers of ten
        tokens += [str((m | 1) << (m % 3)), f"{m}e{m % 24}", f"{m}e-{m % 6}"]
    assert bits(values_of([t.encode() for t in tokens])) == bits([float(t) for t in tokens])


TOKENS = """
0 -0 +0 0.0 00 007 1 +2 -1.5e-3 .5 5. 1E5 1e5 1e+5 0e999 -0e-999 0.e5 -.5e1
5e-324 2.4703282292062327e-324 2.4703282292062328e-324 1e-400 -1e-400 1e-999999999999999999999
2.2250738585072011e-308 2.2250738585072012e-308 2.2250738585072014e-308 1.7976931348623157e308
1.7976931348623158e308 179769313486231580793728971405e279 9007199254740993 9007199254740992
9007199254740991e22 9007199254740993e-22 9007199254740992.999999999999999999999999 1e22 1e23 -1e-22
18014398509481989 36028797018963967 9223372036854775807 18446744073709551615 99999999999999999999
"""


@pytest.mark.parametrize(
    "token",
    [
        *TOKENS.split(),
        "0." + "0" * 5000 + "123e5000",
        "1" + "0" * 5000 + "e-5000",
        "123456789" * 700 + "e-6000",
        "0" * 3000 + "1.5",
        "9007199254740993." + "0" * 900 + "1",
    ],
)
def test_a_number(token):
    assert bits(values_of([token.encode()])) == bits([float(token)])
    assert bits(values_of([b"-" + token.lstrip("+-").encode()])) == bits([-float(token.lstrip("+-"))])


@pytest.mark.parametrize("token", ["nan", "NaN", "inf", "-inf", "+Infinity", "1e999", "-1e309", "1" * 400])
@pytest.mark.parametrize("token_of", ["1 5:{}", "1 5:{} # c", "{} 5:1"])
def test_numbers_are_finite(token, token_of):
    with pytest.raises(FormatError, match="a finite number is expected"):
        SvmlightParser().parse(token_of.format(token).encode(), 1, 0)


def test_the_largest_float_and_the_first_beyond():
    limit = 2**1024 - 2**970  # half way from the largest float to 2^1024 rounds to the even one, which is infinite
    assert values_of([str(limit - 1).encode()])[0] == sys.float_info.max
    with pytest.raises(FormatError, match="a finite number"):
        values_of([str(limit).encode()])


@pytest.mark.parametrize(
    "token",
    [
        "",
        "+",
        "-",
        ".",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1_000",
        "0x10",
        "1.2.3",
        "--1",
        "1,5",
        "1f",
        "1d5",
        "٣",
        "\0",
        "1\0",
    ],
)
def test_other_spellings_are_no_numbers(token):
    with pytest.raises(FormatError, match="number") as caught:
        SvmlightParser().parse(f"1 1:1\n1 17:{token} 18:1".encode(), 1, 0)
    assert (caught.value.line, caught.value.column) == (2, 6)


# Bad lines.


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("abc 1:2", 1, "'abc' is not a number"),
        ("  1,2 1:2", 3, "'1,2' are several labels; one number is expected"),
        ("1 1:2 3", 7, "'3' has no value: column:value is expected"),
        ("1 1:2\tx:3", 7, "'x' is not a column number"),
        ("1 -1:2", 3, "'-1' is not a column number"),
        ("1 1:2 qid:3", 7, "'qid' is not a column number"),
        ("1 1:2 cost:3", 7, "'cost' is not a column number"),
        ("1 cos:3 1:2", 3, "'cos' is not a column number"),
        ("1 cost:-2.5 1:2", 8, "the importance -2.5 is negative"),
        ("1 cost:x 1:2", 8, "'x' is not a number"),
        ("1 cost: 1:2", 8, "a number is expected"),
        ("1 qid:3 cost:inf 1:2", 14, "'inf': a finite number is expected"),
        ("1 cost:1 cost:1 1:2", 10, "'cost' is not a column number"),
        ("1 1:abc#", 5, "'abc' is not a number"),
        ("1 1: 2", 5, "a number is expected"),
        ("1 3:1 7:1 3:2", 11, "column 3 appears twice"),
        ("1 7:1 03:1 3:2 7:1 # 3:2", 12, "column 3 appears twice"),
        ("1 0:1", 3, "column 0, but the first column is 1: pass zero_based=True"),
        ("1 1:" + "x" * 50, 5, "'" + "x" * 37 + "...' is not a number"),
        ("1 1:\udcff", 5, "'\\\\xff' is not a number"),
        (
            "1 268435456:1",
            3,
            "column 268435456 would need 2.15 GB of weights; give the features names (the VW format) or renumber them",
        ),
    ],
)
def test_an_error_names_the_place(line, column, message):
    text = b"1 1:1\n\n# c\r\n" + line.encode(errors="surrogateescape")
    with pytest.raises(FormatError) as caught:
        SvmlightParser(zero_based=False).parse(text, 101, 0)
    error = caught.value
    assert (error.line, error.column, error.message, error.path) == (104, column, message, None)
    assert str(error.at("data.svm")) == f"data.svm, line 104, column {column}: {message}"


@given(st.lists(st.tuples(lines(), st.one_of(st.none(), numerals)), min_size=1, max_size=8))
@settings(deadline=None, max_examples=200)
def test_the_cost_factor_is_the_importance(content):
    """After the label and the query, where SVM-light writes it."""
    told = []
    for line, cost in content:
        found = re.match(r"([^\s#]+(?:\s+qid:\d+)?)(.*)", line)
        told.append(line if cost is None or not found else f"{found[1]} cost:{cost}{found[2]}")
    check("\n".join(told).encode())


def test_weights_of_a_file_are_learned_with(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 cost:2.5 1:1 2:2\n-1 1:2\n-1 qid:7 cost:0 2:3 # a note\n-1 cost:1e-1 2:1\n")
    examples = read(path)
    assert examples.weights.tolist() == [2.5, 1.0, 0.0, 0.1]
    plain = tmp_path / "b.svm"
    plain.write_text("1 cost:1 1:1\n-1 1:2\n")
    assert read(plain).weights is None
    model = Perceptron(max_iter=50).fit(examples)
    theirs = Perceptron(max_iter=50).fit(examples.X, examples.y, sample_weight=examples.weights)
    assert (model.coef_.tolist(), model.weight_of_updates_) == (theirs.coef_.tolist(), theirs.weight_of_updates_)
    assert model.weight_of_updates_ != model.updates_


def test_bad_lines_are_skipped_whole():
    text = b"1 1:1\n2 2:2 2:3\n3 3:3 9:x\nx\n4 4:4 # y\n"
    parser = SvmlightParser()
    block = parser.parse(text, 11, 3)
    assert block.y.tolist() == [1.0, 4.0]
    assert block.X.indices.tolist() == [1, 4]
    assert [(b.line, b.column) for b in block.bad] == [(12, 7), (13, 9), (14, 1)]
    assert (parser.width, parser.smallest, block.lines) == (5, 1, 5)
    with pytest.raises(FormatError, match="line 14, column 1: 'x' is not a number"):
        SvmlightParser().parse(text, 11, 2)


def test_an_overflow_among_numbers_that_were_asked_back_is_found_first():
    tie = "9007199254740993." + "0" * 30 + "1"
    beyond = str(2**1024 - 2**970) + "." + "0" * 30 + "1"
    text = f"1 1:{tie} 2:{beyond} 3:x\n2 5:{tie}\n".encode()
    block = SvmlightParser().parse(text, 1, 1)
    assert [(b.line, b.column) for b in block.bad] == [(1, text.index(b"2:179") + 3)]
    assert block.X.data.tolist() == [9007199254740994.0]
    check(text)


# Columns.


@pytest.mark.parametrize("n", [2, 3, 16, 17, 31, 33, 64, 100, 1000])
def test_columns_are_sorted(n):
    rng = np.random.default_rng(n)
    text = b"".join(
        b"1 " + b" ".join(b"%d:%d" % (c, i) for i, c in enumerate(order)) + b"\n"
        for order in (rng.permutation(n), np.arange(n)[::-1], np.roll(np.arange(n), 1))
    )
    assert check(text).X.has_canonical_format


def test_a_column_beyond_the_width_is_dropped():
    parser = SvmlightParser(zero_based=False, width=3)
    block = parser.parse(b"1 1:1 3:3 4:4 99999999999999999999999:5\n", 1, 0)
    assert block.X.toarray().tolist() == [[1.0, 0.0, 3.0]]
    assert (parser.dropped, parser.width) == (2, 3)
    check(b"1 4:1 2:1 3:1\n1 9:1 9:1\n1 1:1 1:1\n", base=1, width=3)


def test_a_width_needs_a_base():
    with pytest.raises(ValueError, match="give both"):
        SvmlightParser(width=3)


@pytest.mark.parametrize("text", [b"", b"\n", b"# nothing", b" \r\n\n"])
def test_nothing(text):
    block = SvmlightParser().parse(text, 1, 0)
    assert block.X.shape == (0, 0)
    assert block.y.size == 0


def test_largest_column():
    block = SvmlightParser().parse(b"1 000000000000000000000268435455:2\n", 1, 0)
    assert block.X.indices.tolist() == [268435455]


# Blocks.


@given(
    st.lists(st.sampled_from(["1 1:1 2:0.1\n", "-1 5:1e-300\r\n", "\n", "x\n", "2 9:1 3:1\n", "1 2:1 2:1\n"])),
    st.data(),
)
@settings(deadline=None, max_examples=60)
def test_cuts_at_line_ends_change_nothing(content, data):
    whole = SvmlightParser().parse("".join(content).encode(), 1, ALL)
    parser = SvmlightParser()
    parts, line, at = [], 1, 0
    while at < len(content):
        take = data.draw(st.integers(1, len(content) - at))
        parts.append(parser.parse(memoryview("".join(content[at : at + take]).encode()), line, ALL))
        line += parts[-1].lines
        at += take
    assert line - 1 == whole.lines == len(content)
    assert [b for part in parts for b in part.bad] == whole.bad
    assert [x for part in parts for x in part.y.tolist()] == whole.y.tolist()
    assert [x for part in parts for x in part.X.data.tolist()] == whole.X.data.tolist()
    assert [x for part in parts for x in part.X.indices.tolist()] == whole.X.indices.tolist()
    assert parser.width == whole.X.shape[1]


def test_blocks_in_threads():
    texts = [b"1 %d:1 %d:2\n" % (5 + i, 100 + i) * 2000 for i in range(20)]
    parser, alone = SvmlightParser(), SvmlightParser()
    with ThreadPoolExecutor(4) as pool:
        blocks = list(pool.map(lambda text: parser.parse(text, 1, 0), texts))
    for block, text in zip(blocks, texts, strict=True):
        assert block.X.indices.tolist() == alone.parse(text, 1, 0).X.indices.tolist()
    assert (parser.smallest, parser.width) == (alone.smallest, alone.width) == (5, 120)


@pytest.mark.parametrize(("format", "text"), corpus("svmlight"))
def test_corpus(format, text):
    check(text)
    check(text, base=1)
    check(text, base=1, width=4)


@given(
    st.lists(
        st.sampled_from(
            [b"1", b"0", b":", b" ", b"\n", b"\r", b"#", b".", b"e", b"-", b"qid:", b"cost:", b"9", b"\xff", b"\0"]
        )
    )
)
@example([b"1 1:1#2:2\n1#"])
@settings(deadline=None, max_examples=500)
def test_any_bytes(pieces):
    check(b"".join(pieces))


def test_the_same_without_compilation():
    code = (
        "import tests.data.test_svmlight as t\n"
        "t.check(b'1 3:0.1 2:9007199254740993.00000000000000001 # c\\n2 qid:1 1:1e23 1:2\\n-1 5:2.5e-310\\nx')\n"
        "t.test_a_number('2.4703282292062328e-324')\n"
        "t.test_columns_are_sorted(33)\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=environment, timeout=100)
