"""Tables as people have them: other separators and decimals, other encodings, years as names, an index, parts alone."""

import gzip
import io
import re
import sys
from unittest import mock

import numpy as np
import pytest

from novikoff import Perceptron, certify, data, fit_file, load, save
from novikoff.cli.predictions import columns_of
from novikoff.data import FormatError, Reading, sources
from novikoff.data.dialect import MOST, SEPARATORS, Dialect, sniffed
from novikoff.data.lines import Lines
from tests.data.fuzz_files import check_reading
from tests.data.test_reading import dense, write

EXPECTED = ([[1.5, 1, 0], [2, 0, 1]], ["a", "b=x", "b=y"], [0, 1])
BLOCKS = (1, 7, 1 << 24)  # bytes


def found(ds):
    return dense(ds.X).tolist(), ds.names.tolist(), ds.y.tolist()


def read(tmp_path, content, *, name="file.csv", **options):
    """The file, which is read to the same examples by chunks, mapped, without pyarrow and in blocks of any size."""
    path = write(tmp_path / name, content)
    ds = data.read(path, **options)
    for block in BLOCKS:
        with mock.patch.object(sources, "BLOCK", block):
            check_reading(path, {"format": ds.reading.format, **options})
            assert found(data.read(path, **options)) == found(ds)
    return ds


def refused(tmp_path, content, *, name="file.csv", **options):
    """What is said of a file that cannot be read, in whatever blocks."""
    path = write(tmp_path / name, content)
    messages = []
    for block in BLOCKS:
        with mock.patch.object(sources, "BLOCK", block), pytest.raises(ValueError, match="file") as caught:
            data.read(path, **options)
        messages.append(str(caught.value).removeprefix(str(path)))
    assert len({re.split("[;(]|, but", message)[0] for message in messages}) == 1
    return messages[-1]


# Separators and decimals ---------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("separator", SEPARATORS)
def test_separators_and_decimals(tmp_path, separator, decimal, end):
    if separator == decimal:
        return
    text = "a;b;label\n1,5;x;0\n2;y;1\n".replace(",", decimal).replace(";", separator).replace("\n", end)
    ds = read(tmp_path, text)
    assert found(ds) == EXPECTED
    assert ds.dialect == Dialect(separator, decimal, header=True)
    assert found(read(tmp_path, text, delimiter=separator, decimal=decimal)) == EXPECTED
    assert found(data.read(write(tmp_path / "file.csv.gz", gzip.compress(text.encode())))) == EXPECTED
    if separator != "|":  # which without a suffix may be VW
        assert found(data.read(write(tmp_path / "file.txt", text))) == EXPECTED


def test_names_between_bars(tmp_path):
    assert found(data.read(write(tmp_path / "file.txt", "a|b|label\n1.5|x|0\n2|y|1\n"))) == EXPECTED
    assert data.read(write(tmp_path / "file.txt", "1|2|0\n-2.5|3|1\n")).X.tolist() == [[1, 2], [-2.5, 3]]
    for line in ("1 |a b", "1 2 tag|a b", "| a", "1|a:2 b", "tag| a", "1|a|b"):
        assert data.read(write(tmp_path / "file.txt", f"{line}\n"), label=False).reading.format == "vw"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "\n\nsep=;"])
def test_a_line_that_says_what_separates_the_cells(tmp_path, line, mark):
    ds = read(tmp_path, mark + f"{line}\r\na;b;label\r\n1,5;x;0\r\n2;y;1\r\n".encode())
    assert found(ds) == EXPECTED
    assert ds.dialect.declared
    assert data.read(write(tmp_path / "file.csv", "sep=^\n1^2^0\n\n3^4^1\n")).X.tolist() == [[1, 2], [3, 4]]


def test_a_line_that_separates_otherwise_than_the_option_says(tmp_path):
    assert found(read(tmp_path, "sep=,\na;b;label\n1.5;x;0\n2;y;1\n", delimiter=";")) == EXPECTED


def test_lines_are_counted_with_the_one_that_says_what_separates(tmp_path):
    said = refused(tmp_path, "sep=;\na;b;label\n1;2;0\n1;z;0\n")
    assert said.startswith(", line 4, column 2: 'z' is not a number")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ('a,"b;c;d",label\n1,"2;3;4",0\n', ","),
        ('"a;b","c;d",label\n"x;y","z;w",0\n"x;u","z;v",1\n', ","),
        ('a;"b,c,d";label\n1;"2,3,4";0\n', ";"),
        ('a\t"b\nc;d"\tlabel\n1\t2\t0\n', "\t"),
        ('5" pipe;"x, y";label\n1;2;0\n', ";"),
        ("temperature, °C;pressure, hPa;label\n1,5;2,5;0\n2;3;1\n", ";"),
        ("tags;more,value,label\nx;y;z,1,0\nq,2,1\n", ","),
        ("a|b,c|d,label\n1,2,0\n", ","),
        ("1,5;2,3\n2,7;1,1\n", ";"),
        ("1;5,2\n3;4,1\n", ";"),
        ("x;y,1\nz;w,0\n", ","),
        ("a\n1\n", ","),
        ("", ","),
        ("a;b\n1;2\n1;2;3\n", ";"),
        (f"a;b\n1;{'x,' * (MOST // 2)}\n", ";"),
    ],
)
def test_what_separates_the_cells(text, separator):
    assert (
        sniffed(text.encode()[: sources.HEAD], Reading(format="csv"), complete=len(text) < sources.HEAD)[0] == separator
    )
    for given in SEPARATORS:  # what is said, is so
        assert sniffed(text.encode(), Reading(format="csv", delimiter=given), complete=True).delimiter == given
    assert sniffed(text.encode(), Reading(format="tsv"), complete=True).delimiter == "\t"


@pytest.mark.parametrize(
    ("cells", "decimal"),
    [
        ("1,5", ","),
        ("2;3", "."),
        ("-,5", ","),
        ("1,5;1.5", "."),
        ("1,5e-3", ","),
        ("1.234,5", ","),
        ("1.234;0,5", ","),
        ("1.234", "."),
        ("1,500;2,250", ","),
        ("1,234,567;1,500", "."),
        ("1,234.5;1,500", "."),
        ("x,y", "."),
        ("01.02.2020;3,5", ","),
    ],
)
def test_which_sign_decimals_have(cells, decimal):
    text = "".join(f"{cell};0\n" for cell in cells.split(";")).encode()
    assert sniffed(text, Reading(format="csv"), complete=True).decimal == decimal
    for given in ".,":
        assert sniffed(text, Reading(format="csv", decimal=given), complete=True).decimal == given


def test_thousands_between_tabs_are_not_taken_for_decimals():
    assert sniffed(b"1,500\t0\n2,250\t1\n", Reading(format="tsv"), complete=True).decimal == "."


def test_a_decimal_comma_is_read_to_the_last_bit(tmp_path):
    values = np.random.default_rng(0).standard_normal(50)
    text = "a;label\n" + "".join(f"{value!r};{value > 0}\n".replace(".", ",") for value in values.tolist())
    assert read(tmp_path, text).X.ravel().tobytes() == values.tobytes()


def test_labels_with_a_decimal_comma(tmp_path):
    assert read(tmp_path, "a;b;label\n1,5;1;0,5\n2;2;1\n").y.tolist() == [0.5, 1]
    assert read_one(tmp_path, "a;b;label\n1,5;1;0,5\n2;2;x\n").y.tolist() == ["0,5", "x"]


def test_numbers_with_a_comma_that_float64_does_not_hold(tmp_path):
    ds = read_one(tmp_path, "a;b;label\n9007199254740993;1,5;0\n1e-400;0,25;1\n")
    assert "line 2, column 1 ('a'): float64 does not hold 9007199254740993" in str(ds.rounded)


def read_one(tmp_path, content, **options):
    return data.read(write(tmp_path / "file.csv", content), **options)


def test_points_between_thousands(tmp_path):
    said = refused_once(tmp_path, "a;b;label\n1.234,5;2;0\n1,5;3;1\n")
    assert said.startswith(
        f"{tmp_path / 'file.csv'}, line 2, column 1: '1.234,5' is not a number: remove the points between"
    )


def test_a_comma_where_a_point_is_expected(tmp_path):
    said = refused(tmp_path, "a;b;label\n1.5;2;0\n1,5;3;1\n")
    assert said.startswith(
        ", line 3, column 1: '1,5' is not a number; decimal=',' reads a comma as the sign of decimals"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ";;"}, "delimiter=';;': one character is expected, such as ; or |, or tab"),
        ({"delimiter": ""}, "delimiter=''"),
        ({"delimiter": "a"}, "delimiter='a'"),
        ({"delimiter": '"'}, "delimiter="),
        ({"delimiter": "\n"}, "delimiter="),
        ({"delimiter": "§"}, "delimiter="),
        ({"delimiter": 3}, "delimiter=3"),
        ({"decimal": ";"}, "decimal=';' is neither a point nor a comma"),
        ({"encoding": "klingon"}, "encoding='klingon' is not known: utf-8, utf-16, cp1252"),
        ({"encoding": "idna"}, "encoding='idna' is none that files are written in"),
        ({"encoding": "zlib"}, "encoding='zlib' is none that files are written in"),
        ({"encoding": "a\0b"}, "is not known"),
        ({"encoding": 8}, "encoding=8: the name of an encoding is expected"),
        ({"columns": ["a", "b"], "drop": ["b"]}, "columns asks for 'b', and drop leaves it out"),
        ({"drop": "b"}, "drop='b': a list of columns is expected"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        Reading(**options)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["tab", "\\t", "\t"])
def test_a_tab_by_its_name(tmp_path, name):
    assert found(read(tmp_path, "a\tb\tlabel\n1.5\tx\t0\n2\ty\t1\n", delimiter=name)) == EXPECTED


# Encodings -----------------------------------------------------------------------------------------

UMLAUTS = "größe;b;label\n1,5;é;ja\n2;€;nein\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings(tmp_path, encoding):
    marked = encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32")
    content = UMLAUTS.encode(encoding)
    for options in [{"encoding": encoding}, {}] if marked else [{"encoding": encoding}]:
        for name, packed in (("file.csv", content), ("file.csv.gz", gzip.compress(content)), ("file", content)):
            ds = read(tmp_path, packed, name=name, **options)
            assert ds.names.tolist() == ["größe", "b=é", "b=€"]
            assert ds.y.tolist() == ["ja", "nein"]
            assert ds.dialect.encoding.startswith(encoding.removesuffix("-sig"))


def test_utf_16_the_other_way_round(tmp_path):
    assert read(tmp_path, b"\xfe\xff" + UMLAUTS.encode("utf-16-be")).y.tolist() == ["ja", "nein"]


def test_text_that_is_not_in_utf_8(tmp_path):
    said = refused(tmp_path, "a,b,label\n1,2,no\n1,3,é\n".encode("cp1252"))
    assert said == (
        ", line 3, column 3: the text is not in UTF-8; encoding='cp1252' reads what many programs on Windows write"
    )
    assert refused(tmp_path, "a,é,label\n1,2,no\n".encode("cp1252")).startswith(", line 1, column 2: the text is not")


@pytest.mark.parametrize(
    ("content", "encoding", "place"),
    [
        (b"a,b,label\n1,2,no\n1,3,\x81\n", "cp1252", "line 3, column 3"),
        ("a,b,label\n1,2,no\n1,3,".encode("utf-16-le") + b"\x00\xd8x\x00", "utf-16-le", "line 3, column 3"),
        ("a,b,label\n1,2,no\n1,3,x".encode("utf-16-le") + b"y", "utf-16-le", "line 3, column 3"),
        (b"a,b,label\n1,2,no\n1,3,\xe9\n", "ascii", "line 3, column 3"),
    ],
)
def test_text_that_is_not_in_the_encoding_that_is_said(tmp_path, content, encoding, place):
    assert refused(tmp_path, content, encoding=encoding) == f", {place}: the text is not in {encoding}"


def test_utf_16_without_a_mark(tmp_path):
    for encoding in ("utf-16-le", "utf-16-be"):
        said = refused(tmp_path, UMLAUTS.encode(encoding))
        assert said.endswith(
            f"this looks like text in {encoding} without a byte-order mark; encoding='{encoding}' reads that"
        )
    with pytest.raises(ValueError, match=r"file\.csv"):  # as it is said
        data.read(tmp_path / "file.csv", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.svm", "1 1:2\n0 1:3\n"), ("a.vw", "1 | ä:2\n0 | ä:3\n"), ("a.jsonl", '{"ä":2,"y":1}\n{"ä":3,"y":0}\n')],
)
def test_other_text_in_other_encodings(tmp_path, name, text):
    for encoding in ("utf-16", "utf-8-sig"):
        ds = data.read(write(tmp_path / name, text.encode(encoding)))
        assert dense(ds.X).tolist() == [[2], [3]]
    assert dense(data.read(write(tmp_path / name, text.encode("cp1252")), encoding="cp1252").X).tolist() == [[2], [3]]
    assert ds.names is None or ds.names.tolist() == ["ä"]


# Missing values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["N/A", "n/a", "#N/A", "<NA>", "NULL", "-", "?"])
def test_words_for_missing_values(tmp_path, word):
    text = f"a,b,label\n1,x,0\n{word},y,1\n3,{word},1\n"
    assert ", line 3, column 1: the value is missing; missing='zero' or missing='column' fills it in" in refused(
        tmp_path, text
    )
    ds = read(tmp_path, text, missing="zero")
    assert dense(ds.X).tolist() == [[1, 1, 0], [0, 0, 1], [3, 0, 0]]
    assert ds.filled == 2


def test_plus_and_minus_are_labels(tmp_path):
    assert read(tmp_path, "a,kind\n1,+\n2,-\n").y.tolist() == ["+", "-"]
    assert "line 3, column 2: the label is missing" in refused(tmp_path, "a,kind\n1,+\n2,N/A\n")


# The first line ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "header"),
    [
        ("country,2019,2020,grew|F,1,2,yes|G,3,4,no", True),
        ("2019,2020,2021,grew|1,2,3,yes|2,3,4,no", True),
        ("2019,2020,2021|1,2,0|3,4,1", True),
        ("2019,1999,2021|1,2,0|3,4,1", False),
        ("cook,1985,yes|pilot,1970,no", False),
        ("cook,1985,yes|pilot,1970,no|clerk,12,no", False),
        ("cook,2000,yes|pilot,1,no|clerk,2,no", True),
        ("a,2019,7|F,1,2|G,3,4", False),
        ("a,2019,2019,grew|F,1,2,yes", False),
        ("a,2019,label|1,2000,0|3,1999,1", True),
        ("2020|1|2", False),
    ],
)
def test_years_as_names(lines, header):
    text = lines.replace("|", "\n").encode()
    assert (sniffed(text, Reading(format="csv"), complete=True).header or b"label" in text) is header


def test_a_table_with_years_as_names(tmp_path):
    ds = read(tmp_path, "country,2019,2020,grew\nF,1,2,yes\nG,3,4.5,no\n")
    assert ds.names.tolist() == ["2019", "2020", "country=F", "country=G"]
    assert ds.y.tolist() == ["yes", "no"]
    assert len(data.read(tmp_path / "file.csv", header=False, categorical=[0, 1, 2])) == 3


def test_names_that_are_there_twice(tmp_path):
    said = refused(tmp_path, "age,age,churned\n1,2,no\n3,4,yes\n")
    assert said == ", line 1, column 2: two columns are called 'age' (the other is column 1): name them in the file"
    assert "two columns have no name" in refused(tmp_path, "a,,,label\n1,2,3,no\n3,4,5,yes\n")
    assert read(tmp_path, "n,n,y\nn,y,n\n", header=None).reading.header is False  # text all over


# The index -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [("0", "1"), ("17", "3"), ("ann", "bob"), ("2020-01-01", "2020-01-02")])
def test_the_index_that_pandas_writes(tmp_path, caplog, cells):
    ds = read(tmp_path, ",a,b,label\n{},1,x,0\n{},2,y,1\n".format(*cells))
    said = f"{tmp_path / 'file.csv'}: the first column, which has no name, is left out as the index of the rows"
    assert caplog.messages[0] == said
    caplog.clear()
    data.read(tmp_path / "file.csv", features=["a"])
    assert not caplog.messages
    assert ds.names.tolist() == ["a", "b=x", "b=y"]
    assert ds.dialect.row_names
    assert "; the first column left out as the index of the rows; " in str(ds)


def test_a_frame_without_names(tmp_path):
    ds = read(tmp_path, ",0,1,2\n0,1.5,2,0\n1,3,4,1\n")
    assert (ds.names.tolist(), ds.X.tolist(), ds.y.tolist()) == (["0", "1"], [[1.5, 2], [3, 4]], [0, 1])
    assert data.read(write(tmp_path / "file.csv", "0,1,2\n1,2,0\n3,4,1\n")).y.tolist() == [2, 0, 1]  # which may be data


def test_what_is_no_index(tmp_path):
    assert read(tmp_path, ",a,label\n7,1,0\n7,2,1\n").names.tolist() == ["", "a"]
    assert read(tmp_path, "id,a,label\n0,1,0\n1,2,1\n").names.tolist() == ["id", "a"]
    assert read(tmp_path, ",a,label\n0,1,0\n1,2,1\n", columns=["", "a"]).names.tolist() == ["", "a"]
    assert read(tmp_path, ",a,label\n0,1,0\n1,2,1\n", categorical=[0]).names.tolist() == ["a", "=0", "=1"]
    assert read(tmp_path, ",a,label\n0,1,0\n1,2,1\n", label=0).y.tolist() == [0, 1]
    assert not data.read(write(tmp_path / "file.csv", "a,b,label\n0,1,0\n1,2,1\n"), label=False).dialect.row_names


def test_an_index_counts_as_a_column_of_the_file(tmp_path):
    said = refused(tmp_path, ",a,b,label\n0,1,2,0\n1,2,z,1\n")
    assert said.startswith(", line 3, column 3: 'z' is not a number")
    assert data.read(tmp_path / "file.csv", drop=["b"]).names.tolist() == ["a"]
    ds = data.read(tmp_path / "file.csv", label=False, drop=["b"])
    assert (ds.names.tolist(), ds.dialect.row_names) == (["a", "label"], True)


# Columns left out, and columns alone ---------------------------------------------------------------

PLACES = "id,a,b,kind\nu,1,x,no\nv,2,y,yes\n"


@pytest.mark.parametrize("name", ["file.csv", "file.parquet", "file.arrow"])
@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"drop": ["id"]}, ["a", "b=x", "b=y"]),
        ({"drop": [0, "b"]}, ["a"]),
        ({"drop": [-2, 0]}, ["a"]),
        ({"columns": ["a"]}, ["a"]),
        ({"columns": ["b", "a"]}, ["a", "b=x", "b=y"]),
        ({"columns": ["a", "kind"]}, ["a"]),
        ({"columns": ["a", "b=y"]}, ["a", "b=y"]),
        ({"features": ["b=y", "a"], "drop": ["gone"]}, ["b=y", "a"]),
    ],
)
def test_some_of_the_columns(tmp_path, name, options, names):
    data.convert(write(tmp_path / "plain.csv", PLACES), tmp_path / "table.csv")
    if name != "file.csv":
        import pyarrow as pa
        from pyarrow import csv, parquet

        table = csv.read_csv(tmp_path / "plain.csv")
        if name.endswith("parquet"):
            parquet.write_table(table, tmp_path / name)
        else:
            with pa.ipc.new_file(str(tmp_path / name), table.schema) as file:
                file.write_table(table)
        ds = data.read(tmp_path / name, **options)
    else:
        ds = read(tmp_path, PLACES, **options)
    assert ds.names.tolist() == names
    assert ds.y.tolist() == ["no", "yes"]


def test_the_label_is_the_last_of_those_that_are_left(tmp_path):
    assert read(tmp_path, PLACES, drop=["kind", "id"]).y.tolist() == ["x", "y"]
    assert data.read(write(tmp_path / "file.csv", "1,2,3\n4,5,6\n"), drop=[-1]).y.tolist() == [2, 5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": ["idd"]}, "drop=['idd']: there is no such column (did you mean 'id'?); the columns are 'id', 'a'"),
        ({"drop": [4]}, "drop=[4]: there are 4 columns, counted from 0"),
        ({"columns": ["a", "bb"]}, "columns=['bb']: there is no such column (did you mean 'b'?)"),
        ({"drop": ["kind"], "label": "kind"}, "label='kind' is one of the columns to drop"),
        ({"drop": ["id", "a", "b"]}, "no column is left for the features"),
        ({"drop": [0, 1, 2, 3]}, "drop leaves no column"),
        ({"label": "kin"}, "label='kin': there is no such column (did you mean 'kind'?)"),
    ],
)
def test_columns_that_are_not_there(tmp_path, options, message):
    assert message in refused(tmp_path, PLACES, **options)


def test_one_column_alone(tmp_path):
    for text, separator in (("a:b:c\n1:2:0\n", ";"), ("x\n1\n2\n", ";"), ("a b c\n1 2 0\n", " ")):
        said = refused(tmp_path, text)
        assert "there is one column, " in said
        assert f"beside it. The cells are read as separated by commas; delimiter={separator!r}" in said
    assert "separated by commas; delimiter='|'" in refused(tmp_path, "a|b\n1|2\n", delimiter=",")


def test_ten_thousand_columns(tmp_path):
    text = ";".join(["label", *(f"c{place}" for place in range(10_000))]) + "\n"
    text += ";".join(["yes"] + ["1,5"] * 10_000) + "\n" + ";".join(["no"] + ["2"] * 10_000) + "\n"
    ds = data.read(write(tmp_path / "file.csv", text))
    assert (ds.X.shape, ds.X.sum(), ds.dialect.delimiter) == ((2, 10_000), 35_000, ";")


def test_files_without_examples(tmp_path):
    for text in ("", "\n\n", "sep=;\n", "a;b;c\n", "\ufeffsep=;\r\na;b\r\n"):
        path = write(tmp_path / "file.csv", text)
        with pytest.raises(ValueError, match=r"file\.csv holds no examples$"):
            data.read(path)


def test_columns_are_those_of_a_table(tmp_path):
    for name, text in (("a.svm", "1 1:2\n0 1:3\n"), ("a.vw", "1 | a:2\n"), ("a.jsonl", '{"a":2,"y":1}\n')):
        with pytest.raises(ValueError, match=r"^drop=\('a',\) leaves out a column of a table \(csv, tsv"):
            data.read(write(tmp_path / name, text), drop=["a"])


def test_a_year_is_a_name_and_no_position(tmp_path):
    text = "country,2019,2020,grew\nF,1,2,yes\nG,3,4.5,no\n"
    assert read(tmp_path, text, drop=[2019, 0]).names.tolist() == ["2020"]
    assert read(tmp_path, text, label=2020, drop=["country"], categorical=["grew"]).y.tolist() == [2, 4.5]


# The model, the next file, and streams -------------------------------------------------------------


def test_each_file_is_looked_at_for_itself(tmp_path):
    write(tmp_path / "a.csv", "a;b;label\n1,5;x;0\n")
    write(tmp_path / "b.csv", "a,b,label\n2,y,1\n")
    assert found(data.read(tmp_path / "?.csv")) == EXPECTED
    model = fit_file(Perceptron(), tmp_path / "?.csv", cache=tmp_path / "cache")
    assert (model.reading_["delimiter"], model.reading_["header"]) == (None, True)


def test_what_a_model_knows_of_its_file(tmp_path):
    path = write(tmp_path / "a.csv", UMLAUTS.replace("b;", "id;").encode("cp1252"))
    model = fit_file(Perceptron(), path, cache=tmp_path / "cache", encoding="cp1252", drop=["id"])
    save(model, tmp_path / "m.nvk")
    known = columns_of(load(tmp_path / "m.nvk"))
    assert data.read(path, **known).names.tolist() == ["größe"]
    plain = write(tmp_path / "b.csv", "größe,label\n3.5,ja\n".encode("cp1252"))  # without the column that was left out
    assert data.read(plain, **known).X.tolist() == [[3.5]]


def arrived(content, sizes, **options):
    """The labels and values of a stream whose bytes arrive in parts of these sizes."""
    parts = iter([content[start : start + sizes] for start in range(0, len(content), sizes)] + [b""])
    lines = Lines("-", Reading(**{"format": "csv", **options}))
    pipe = mock.Mock()
    pipe.buffer.fileno.side_effect = OSError
    pipe.buffer.read1.side_effect = lambda size: next(parts)
    with mock.patch.object(sys, "stdin", pipe):
        examples = list(lines.arriving(1 << 20, lambda file: True))
    rows = [row for ds in examples for row in dense(ds.X)[:, :1].tolist()]
    return rows, [label for ds in examples for label in ds.y.tolist()], lines.lines


@pytest.mark.parametrize("sizes", [1, 2, 3, 1000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("first", ["", "sep=;\n"])
def test_a_stream_of_lines(sizes, encoding, first):
    content = (first + ";a;b;label\n0;1,5;x;é\n1;2;y;no\n").encode(encoding)
    assert arrived(content, sizes) == ([[1.5], [2]], ["é", "no"], 2)


def test_a_stream_in_another_encoding():
    content = "a;label\n1,5;é\n2;no\n".encode("cp1252")
    assert arrived(content, 1, encoding="cp1252") == ([[1.5], [2]], ["é", "no"], 2)
    with pytest.raises(FormatError, match="line 2, column 2: the text is not in UTF-8; encoding='cp1252'"):
        arrived(content, 1)
    with pytest.raises(ValueError, match="standard input: every second byte is NUL"):
        arrived("a;label\n1,5;é\n2;no\n".encode("utf-16-le"), 100)


def test_a_line_of_numbers_is_an_example_at_once():
    """Nobody waits for the next line to find out that this one holds no names."""
    asked = []

    def more(size):
        asked.append(size)
        return [b"1;2;0\n", b""][len(asked) - 1]

    lines = Lines("-", Reading(format="csv", header=None))
    pipe = mock.Mock()
    pipe.buffer.fileno.side_effect = OSError
    pipe.buffer.read1.side_effect = more
    with mock.patch.object(sys, "stdin", pipe):
        examples = lines.arriving(1 << 20, lambda file: True)
        assert next(examples).X.tolist() == [[1, 2]]
        assert len(asked) == 1


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("a;b;label\n1,5;x;0\n2;y;1\n".encode("utf-16"))))
    assert found(data.read("-")) == EXPECTED


def test_no_more_than_the_beginning_is_looked_at(tmp_path):
    """A comma in a number far down changes nothing of what the beginning has told."""
    text = "a;b;label\n" + "1.5;x;0\n" * 200 + "1,5;y;1\n"
    said = refused_once(tmp_path, text)
    assert "line 202, column 1: '1,5' is not a number; decimal=','" in said


def refused_once(tmp_path, content):
    with pytest.raises(ValueError, match="file") as caught:
        data.read(write(tmp_path / "file.csv", content))
    return str(caught.value)


# In our own words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.svm", "1\n-1\n", "none of these examples has a feature: there is nothing to tell them apart by"),
        ("a.vw", "1 |\n-1 |\n", "none of these examples has a feature"),
        ("a.jsonl", '{"y": 1}\n{"y": 0}\n', "none of these examples has a feature"),
        ("a.csv", "label\n1\n0\n", "there is one column, 'label', and it holds the labels"),
        ("a.csv", "w,label\n1,1\n2,0\n", "none of these examples has a feature"),
        (
            "b.jsonl",
            '{"x": [1, 2]}\n{"x": [2, 3]}\n',
            "these examples have no labels, which are needed here",
        ),
        ("b.csv", "a,label\n1,0\n", "y holds one class only, 0: a separator needs examples of two classes"),
    ],
)
def test_what_cannot_be_learned_from_is_told_in_our_own_words(tmp_path, name, content, sentence):
    path = write(tmp_path / name, content)
    options = {"weight": "w"} if content.startswith("w") else {}

    def certified():
        certify(data.read(path, **options))

    def fitted():
        fit_file(Perceptron(), path, cache=tmp_path / "cache", **options)

    for way in (certified, fitted):
        with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
            way()
        assert sentence in str(caught.value)
        assert not any(word in str(caught.value) for word in ("Found array", "BaseEstimator", "target y", "sklearn"))
