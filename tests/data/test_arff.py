"""ARFF: declared attributes, quotes of both kinds, comments, weights; and what is refused."""

import gzip
from unittest import mock

import numpy as np
import pytest

from novikoff import data
from novikoff.data import FormatError, sources
from tests.data.fuzz_files import check_reading
from tests.data.test_reading import dense, either_way, write  # noqa: F401  # a fixture

PETS = """% Pets that we know.
@RELATION pets

@ATTRIBUTE weight REAL
@attribute 'the colour' {grey, 'light brown', "so \\'so\\'"}
@attribute legs INTEGER [0,9]
@attribute tame {false, true}
@attribute kind {cat,dog}   % the label

@DATA
4.5, grey, 4, true, cat
% a comment between the rows
30,'light brown',4,false,dog

3.5,"so 'so'",3,TRUE,cat
"""


def read(tmp_path, content, **options):
    """The file, which is read to the same examples by chunks, mapped, without pyarrow and in blocks of any size."""
    path = write(tmp_path / "file.arff", content)
    ds = data.read(path, **options)
    for block in (1, 17, 60, 1 << 24):
        with mock.patch.object(sources, "BLOCK", block):
            check_reading(path, {"format": "arff", **options})
            again = data.read(path, **options)
            assert (dense(again.X).tolist(), again.y.tolist()) == (dense(ds.X).tolist(), ds.y.tolist())
    return ds


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_numbers_nominal_values_and_truth(tmp_path, end):
    ds = read(tmp_path, PETS.replace("\n", end))
    assert ds.names.tolist() == [
        "weight",
        "legs",
        "tame",
        "the colour=grey",
        "the colour=light brown",
        "the colour=so 'so'",
    ]
    assert dense(ds.X).tolist() == [[4.5, 4, 1, 1, 0, 0], [30, 4, 0, 0, 1, 0], [3.5, 3, 1, 0, 0, 1]]
    assert ds.y.tolist() == ["cat", "dog", "cat"]
    assert (ds.reading.format, ds.reading.label, ds.reading.header) == ("arff", "kind", None)
    assert ds.record is not None
    assert ds.record["settings"] == {}


def test_by_name_by_content_and_compressed(tmp_path):
    for name, content in (
        ("pets.arff.gz", gzip.compress(PETS.encode())),
        ("pets", PETS),
        ("pets.txt", PETS.partition("\n")[2]),
    ):
        assert data.read(write(tmp_path / name, content)).reading.format == "arff"


def test_options(tmp_path):
    ds = read(tmp_path, PETS, drop=["the colour", "tame"], label="legs")
    assert ds.names.tolist() == ["weight", "kind=cat", "kind=dog"]
    assert ds.y.tolist() == [4, 4, 3]
    assert read(tmp_path, PETS, columns=["legs", "weight"]).X.tolist() == [[4, 4.5], [4, 30], [3, 3.5]]
    assert read(tmp_path, PETS, features=["tame", "the colour=grey"]).X.toarray().tolist() == [[1, 1], [0, 0], [1, 0]]
    assert read(tmp_path, PETS, categorical=["legs"]).names.tolist()[-1] == "legs=3"
    ds = read(tmp_path, PETS, weight="legs", drop=["the colour"])
    assert ds.weights.tolist() == [4, 4, 3]
    assert ds.names.tolist() == ["weight", "tame"]


def head(*attributes):
    return "@relation r\n" + "".join(f"@attribute {attribute}\n" for attribute in attributes) + "@data\n"


def test_missing_values_are_question_marks_alone(tmp_path):
    text = head("a numeric", "b {NA,-,x}", "c {0,1}", "class {+,-}") + "?,NA,0,+\n2,-,1,-\n3,?,1,-\n"
    with pytest.raises(FormatError, match=r"line 7, column 1: the value is missing; missing='zero'"):
        data.read(write(tmp_path / "file.arff", text))
    ds = read(tmp_path, text, missing="zero")
    assert ds.names.tolist() == ["a", "b=NA", "c=0", "b=-", "c=1"]
    assert dense(ds.X).tolist() == [[0, 1, 1, 0, 0], [2, 0, 0, 1, 1], [3, 0, 0, 0, 1]]
    assert (ds.y.tolist(), ds.filled) == (["+", "-", "-"], 2)
    with pytest.raises(FormatError, match=r"line 6, column 2: the label is missing"):
        data.read(write(tmp_path / "file.arff", head("a numeric", "c {x,y}") + "1,x\n1,?\n"))


@pytest.mark.parametrize(
    ("declared", "cells", "labels"),
    [
        ("{0,1}", "0 1", [0, 1]),
        ("{1,2,x}", "2 1", ["2", "1"]),
        ("{+,-}", "+ -", ["+", "-"]),
        ("numeric", "0.5 1", [0.5, 1]),
        ("string", "1 2", ["1", "2"]),
    ],
)
def test_labels_are_what_is_declared(tmp_path, declared, cells, labels):
    first, second = cells.split()
    ds = read(tmp_path, head("a numeric", f"class {declared}") + f"1,{first}\n2,{second}\n")
    assert ds.y.tolist() == labels


def test_weights_of_rows(tmp_path):
    text = head("a numeric", "class {x,y}") + "1,x,{2.5}\n2,y\n3,x, { 0 }\n"
    assert read(tmp_path, text).weights.tolist() == [2.5, 1, 0]
    assert read(tmp_path, text.replace("2,y", "two,y"), skip_bad=1).weights.tolist() == [2.5, 0]
    with pytest.raises(FormatError, match=r"line 5, column 1: the weight '-1' is no number from 0 on"):
        data.read(write(tmp_path / "file.arff", head("a numeric", "class {x,y}") + "1,x,{-1}\n"))


def test_an_attribute_of_text_has_the_levels_that_appear(tmp_path):
    ds = read(tmp_path, head("name string", "a numeric", "class {x,y}") + "'Ann \\'B\\' C',1,x\nbob,2,y\n")
    assert ds.names.tolist() == ["a", "name=Ann 'B' C", "name=bob"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (head("a numeric", "a numeric"), "line 4, column 1: two attributes are called 'a': rename one of them"),
        (head("a complex"), "line 2, column 1: the attribute 'a' is of no known type: 'complex'"),
        (head("a"), "line 2, column 1: the attribute 'a' is of no known type: ''"),
        ("@relation r\n@attribute\n@data\n", "line 2, column 1: @attribute NAME TYPE is expected"),
        ("@relation r\n@data\n1\n", "line 2, column 1: no @attribute comes before @data"),
        ("@relation r\n1,2\n", "line 2, column 1: @attribute or @data is expected, and not '1,2'"),
        (
            head("when date 'yyyy-MM-dd'", "a numeric") + "2020-01-01,1\n",
            "line 4, column 1: the attribute 'when' is of type date: numbers, nominal values or text are expected; "
            "drop=['when'] leaves it out",
        ),
        (
            head("a {x,y}", "b numeric", "class {0,1}") + "x,1,0\nz,1,1\n",
            "line 7, column 1: 'z' is none of the values",
        ),
        (head("a numeric", "class {0,1}") + "1,0\n2,2\n", "line 6, column 2: '2' is none of the values of 'class'"),
        (head("a numeric", "class {0,1}") + "1,0\nx,1\n", "line 6, column 1: 'x' is not a number"),
        (head("a numeric", "class numeric") + "1,0\n2,x\n", "line 6, column 2: the label 'x' is not a number"),
        (head("a numeric", "class {0,1}") + "1,0,1\n", "line 5, column 3: 3 cells, but 2 are expected"),
        (
            head("a numeric", "class {0,1}") + "{0 1}\n",
            "line 5, column 1: rows of sparse ARFF are not read: save it in",
        ),
        (head("a string", "class {0,1}") + "'x,1\n", "line 5, column 1: the quote that begins this value has no end"),
        (head("a string", "class {0,1}") + "'x'y,1\n", "line 5, column 1: a comma is expected behind the quoted value"),
        (head("a numeric", "class {0,1}"), " holds no examples"),
        (head("ä numeric").encode("cp1252"), "line 2, column 1: the text is not in UTF-8; encoding='cp1252'"),
    ],
)
def test_where_it_is_wrong(tmp_path, text, message):
    path = write(tmp_path / "file.arff", text)
    for block in (1, 1 << 24):
        with mock.patch.object(sources, "BLOCK", block), pytest.raises(ValueError, match=r"file\.arff") as caught:
            data.read(path)
        assert message in str(caught.value)
    assert message not in str(outcome(path, drop=["when"]) if "when" in str(text) else "")


def outcome(path, **options):
    return data.read(path, label=False, **options)


def test_files_with_other_attributes(tmp_path):
    write(tmp_path / "a.arff", head("a numeric", "class {0,1}") + "1,0\n")
    write(tmp_path / "b.arff", head("a numeric", "class {0,1,2}") + "1,1\n")
    with pytest.raises(FormatError, match=r"b\.arff, line 4, column 1: the attributes are not those of the first file"):
        data.read(tmp_path / "?.arff")
    write(tmp_path / "b.arff", "% other words\n" + head("a numeric", "class {0,1}") + "2,1\n")
    assert data.read(tmp_path / "?.arff").X.tolist() == [[1], [2]]


def test_a_line_of_spaces_takes_no_longer_than_its_length(tmp_path):
    """Looking for the end of a cell once is enough."""
    row = "1," + " " * 200_000 + "x" + " " * 200_000 + "\n"
    ds = data.read(
        write(tmp_path / "file.arff", head("a numeric", "class {x,'y'}") + row + "2,'y'\n" + ",{" * 50_000), skip_bad=1
    )
    assert ds.y.tolist() == ["x", "y"]


def test_it_is_not_written(tmp_path):
    write(tmp_path / "a.arff", PETS)
    with pytest.raises(ValueError, match=r"b\.arff: arff is read, and not written; to='csv' writes a table"):
        data.convert(tmp_path / "a.arff", tmp_path / "b.arff")
    assert data.convert(tmp_path / "a.arff", tmp_path / "b.csv") == 3
    assert np.array_equal(dense(data.read(tmp_path / "b.csv").X), dense(data.read(tmp_path / "a.arff").X))
