"""The field `reading` of a certificate: what it may hold, and what becomes of it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, fields
from functools import cache

import numpy as np
import pytest

import novikoff as nk
from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.claim.reading import (
    DOUBTS,
    FILE_FORMATS,
    KINDS,
    LONGEST_NAME,
    MOST_NAMES,
    MOST_SKIPPED,
    SETTINGS,
    how_read,
)
from novikoff.data import read, stream
from novikoff.data.options import FORMATS, MISSING_RULES, NOT_RECORDED, Reading
from novikoff.display.report.case import Origin, case_of
from tests.certificates import oracle

LONG = "x" * LONGEST_NAME
X, Y = [[2.0, 1.0], [-1.0, 0.5]], ["in", "out"]

NAMES = {"format": "csv", "label": "kind", "positive": 1.5, "zero_based": True}
CHANGES = {
    "weight": "importance",
    "header": False,
    "delimiter": ";",
    "decimal": ",",
    "encoding": "cp1252",
    "missing": "zero",
    "drop": ["id", 0],
    "categorical": ["job", 3],
    "columns": ["a", "b"],
    "width": 7,
    "skip_bad": 2,
}


@cache
def proof():
    return json.loads(nk.certify(X, Y).to_json())


def reading(settings, skipped=0, filled=0):
    return {"settings": settings, "skipped": skipped, "filled": filled}


def options_in(record):
    """What is recorded beside the columns."""
    left = {name: value for name, value in record.items() if name != "columns"}
    return left if left["settings"] else None


def with_reading(record):
    return proof() | {"reading": record}


# ---------------------------------------------------------------- what it says


@pytest.mark.parametrize("reference", [False, True])
def test_what_is_recorded_is_said_and_changes_nothing_else(reference):
    record = reading({"label": "kind", "skip_bad": 3, "missing": "column"}, skipped=1, filled=2)
    plain = nk.verify(proof(), X, Y, reference=reference)
    told = nk.verify(with_reading(record), X, Y, reference=reference)
    assert plain.reading is None
    assert asdict(told)["reading"] == record | {"columns": ()}
    said = (
        " By its own record it is about a file that was read with label='kind', skip_bad=3, missing='column'; "
        "lines skipped: 1; missing values filled in: 2."
    )
    assert told.implies == plain.implies + said
    assert asdict(told) | {"reading": None, "implies": plain.implies} == asdict(plain)


def test_a_certificate_about_arrays_has_no_such_field():
    assert "reading" not in proof()


def test_what_is_recorded_cannot_write_to_a_terminal():
    told = nk.verify(with_reading(reading({"label": "\x1b[2J\n" + "x" * 900})), X, Y)
    assert told.implies.isprintable()
    assert len(told.implies) < 600


# ---------------------------------------------------------------- which settings there are


def test_every_option_of_the_reader_is_recorded_but_those_of_memory_and_of_streams():
    options = {field.name for field in fields(Reading)}
    assert options - {*NOT_RECORDED} == SETTINGS.keys()
    assert FILE_FORMATS == FORMATS
    assert [rule for rule in MISSING_RULES if SETTINGS["missing"](rule)] == [
        rule for rule in MISSING_RULES if rule != Reading().missing
    ]


@pytest.mark.parametrize(("name", "value"), [*NAMES.items(), *CHANGES.items()])
def test_a_setting_names_or_changes(name, value):
    found = how_read(reading({name: value}, skipped=int(name == "skip_bad"), filled=int(name == "missing")))
    expected = ({}, {name: value}) if name in CHANGES else ({name: value}, {})
    assert (found.names, found.changes) == expected


@pytest.mark.parametrize(("name", "value"), [("skip_bad", 2), ("missing", "zero")])
def test_a_setting_that_met_nothing_changed_nothing(name, value):
    found = how_read(reading({name: value, "width": 7}))
    assert (found.names, found.changes) == ({}, {"width": 7})


# ---------------------------------------------------------------- where it comes from

NUMBERED = "kind,1,2\nin,2,1\nin,3,\noops\nin,3,4\nout,0,2\n"  # a first line that does not look like names
GIVEN = {"label": "kind", "header": True, "missing": "zero", "categorical": (1,), "skip_bad": 4}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(NUMBERED)
    return path


def recorded(proof):
    return json.loads(proof.to_json()).get("reading")


def test_the_examples_of_a_file_carry_the_record(table):
    examples = read(table, **GIVEN)
    settings = {"label": "kind", "header": True, "missing": "zero", "categorical": [1], "skip_bad": 4}
    assert options_in(examples.record) == reading(settings, skipped=1, filled=1)
    assert examples.record["columns"] == [
        {"name": "kind", "kind": "label"},
        {"name": "1", "kind": "text", "levels": 3},
        {"name": "2", "kind": "number"},
    ]
    assert recorded(nk.certify(examples)) == examples.record
    assert recorded(nk.Perceptron().fit(examples).certify(examples).proof) == examples.record
    assert json.loads(case_of(None, examples, None, None, Origin()).certificate)["reading"] == examples.record
    assert nk.verify(nk.certify(examples), examples).reading == how_read(examples.record)


def test_every_label_of_several_has_it(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("kind,x,z\na,0,0\nb,0,1\nc,1,0\n")
    examples = read(path, label=0)
    columns = [{"name": "kind", "kind": "label"}, *({"name": name, "kind": "number"} for name in "xz")]
    expected = reading({"label": 0}) | {"columns": columns}
    assert [recorded(proof) for proof in nk.certify(examples).values()] == [expected] * 3


def test_the_types_of_numpy_become_those_of_json(table):
    given = {"label": np.int64(0), "header": True, "columns": np.array(["1"]), "skip_bad": np.int8(2)}
    examples = read(table, missing="zero", **given)
    assert json.loads(json.dumps(examples.record)) == examples.record
    assert recorded(nk.certify(examples))["settings"] == {
        "label": 0,
        "header": True,
        "missing": "zero",
        "columns": ["1"],
        "skip_bad": 2,
    }
    assert type(examples.record["settings"]["skip_bad"]) is int


def test_rows_that_are_not_those_of_the_file_have_no_record(table):
    examples = read(table, **GIVEN)
    assert recorded(nk.certify(examples.X, examples.y)) is None
    on_the_sphere = nk.Perceptron(scale="sphere").fit(examples)
    assert recorded(on_the_sphere.certify(examples).proof) is None
    assert [part.record for part in stream(table, chunk=2, **GIVEN)] == [None, None]


@pytest.mark.parametrize(
    ("text", "header", "kept"),
    [
        ("kind,x\nin,2\nout,-1\n", True, False),
        ("in,x\nin,far\nout,near\n", False, True),
        ("in,2\nout,-1\n", False, False),
        ("in,2\nout,-1\nin,3\n", True, True),
        ("label,0\nin,2\nout,-1\n", True, False),
    ],
)
def test_a_header_is_recorded_where_the_first_line_looks_otherwise(tmp_path, text, header, kept):
    path = tmp_path / "table.csv"
    path.write_text(text)
    found = read(path, header=header, label=0).record
    assert options_in(found) == reading({"label": 0} | ({"header": header} if kept else {}))
    assert options_in(read(path, header=header).record) == (reading({"header": header}) if kept else None)


def test_a_header_says_nothing_of_formats_that_have_none(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:2\n-1 1:-1\n")
    assert read(path, header=True).record is None


@pytest.mark.parametrize(
    ("name", "value"), [("skip_bad", MOST_SKIPPED + 1), ("columns", ["x", LONG + "x"]), ("label", LONG + "x")]
)
def test_what_has_no_room_in_a_certificate_is_left_out_with_a_warning(tmp_path, name, value):
    path = tmp_path / "long.csv"
    path.write_text(f"x,{LONG}x,label\n1,0,0\n0,1,1\n")
    examples = read(path, **{name: value})
    with pytest.warns(UserWarning, match=f"leaves out how the file was read .its reading has a {name}") as told:
        proof = nk.certify(examples)
    assert told[0].filename == __file__
    assert recorded(proof) is None


# ---------------------------------------------------------------- what it may hold

MANY = [str(place) for place in range(MOST_NAMES)]


@pytest.mark.parametrize(
    "settings",
    [
        *({"format": name} for name in FORMATS),
        *({"label": column} for column in ("", LONG, 0, -1, 2**31 - 1, -(2**31))),
        {"categorical": MANY},
        {"categorical": ["a", "a", 1, 1]},
        {"columns": MANY},
        {"width": 2**31 - 1},
        {"skip_bad": MOST_SKIPPED},
        *({"encoding": "x" * length} for length in (1, 40)),
        *({"positive": label} for label in (LONG, "", 0, 1.5, True, 2**1024 - 1)),
    ],
)
def test_what_it_may_hold(settings):
    assert how_read(reading(settings)).settings == settings
    assert oracle.accepts(with_reading(reading(settings)), X, Y)


def test_what_it_may_say_of_columns():
    columns = [
        {"name": LONG, "kind": "text", "levels": 2**63 - 1, "doubt": "dates"},
        *({"name": place, "kind": kind} for place, kind in enumerate(KINDS) if kind != "text"),
        *({"name": "", "kind": "number", "doubt": doubt} for doubt in DOUBTS),
    ]
    record = reading({}) | {"columns": columns}
    assert how_read(record).columns == tuple(columns)
    assert oracle.accepts(with_reading(record), X, Y)
    told = nk.verify(with_reading(record), X, Y)
    assert told.implies.endswith("'' (ids), '' (dates), '' (levels) and 1 more.")
    assert len(told.implies) < 600


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (None, "its reading is not settings, skipped and filled"),
        ([], "its reading is not settings, skipped and filled"),
        ({}, "its reading is not settings, skipped and filled"),
        ({"settings": {"label": 0}, "skipped": 0}, "its reading is not settings, skipped and filled"),
        (reading({"label": 0}) | {"path": "a.csv"}, "its reading is not settings, skipped and filled"),
        (reading({}), "its reading has neither settings nor columns"),
        (reading({}) | {"columns": []}, "the columns of its reading are not each a name and a kind"),
        *(
            (reading({"label": 0}) | {"columns": columns}, "the columns of its reading are not each a name and a kind")
            for columns in [None, {}, "a", [None], [["a", "number"]], [{"name": "a"}], [{"kind": "number"}]]
        ),
        *(
            (reading({"label": 0}) | {"columns": [column]}, "the columns of its reading are not each a name and a kind")
            for column in [
                {"name": "a", "kind": "numbers"},
                {"name": "a", "kind": ["number"]},
                {"name": True, "kind": "number"},
                {"name": LONG + "x", "kind": "number"},
                {"name": "a", "kind": "number", "levels": 1},
                {"name": "a", "kind": "text"},
                {"name": "a", "kind": "text", "levels": -1},
                {"name": "a", "kind": "text", "levels": 2**63},
                {"name": "a", "kind": "text", "levels": True},
                {"name": "a", "kind": "number", "doubt": "none"},
                {"name": "a", "kind": "number", "doubt": None},
                {"name": "a", "kind": "number", "path": "/etc/passwd"},
            ]
        ),
        (reading(["label"]), "the settings of its reading are not some of"),
        (reading({"path": "/etc/passwd"}), "the settings of its reading are not some of"),
        (reading({"label": 0, "max_line": 2**60}), "the settings of its reading are not some of"),
        (reading({"online": True}), "the settings of its reading are not some of"),
        *(
            (reading({name: value}), f"its reading has a {name} that cannot be")
            for name, values in {
                "format": ["exe", "", "/etc/passwd", None, 1, ["csv"]],
                "label": [True, False, None, 1.0, [0], LONG + "x", 2**31, -(2**31) - 1],
                "positive": [None, ["a"], {}, LONG + "x", 10**400, math.inf, math.nan],
                "weight": [0, True, None, ["a"], LONG + "x"],
                "header": [0, 1, "true", None],
                "zero_based": [0, 1, "true", None],
                "delimiter": ["", ";;", 1, None, [";"]],
                "decimal": ["", ";", 1, None, [","]],
                "encoding": ["", "x" * 41, 1, None, ["utf-8"]],
                "drop": [[], "job", [LONG + "x"], [True], [1.5], [["a"]], [*MANY, "x"], [2**31], None],
                "missing": ["error", "mean", 0, None, True],
                "categorical": [[], "job", {"job": 1}, [LONG + "x"], [True], [1.5], [["a"]], [*MANY, "x"], [2**31]],
                "columns": [[], "a", ["a", "a"], [1], [None], [LONG + "x"], [*MANY, "x"], [["a"]]],
                "width": [0, -1, True, 2.0, "2", 2**31],
                "skip_bad": [0, -1, True, 2.0, "2", MOST_SKIPPED + 1],
            }.items()
            for value in values
        ),
        *(
            (reading({"skip_bad": 9, "missing": "zero"}, *counts), "its reading does not count the skipped lines")
            for bad in (-1, True, 1.0, "1", None, 2**63)
            for counts in ((bad, 0), (0, bad))
        ),
        (reading({"skip_bad": 2}, skipped=3), "its reading skipped more lines than its skip_bad allows"),
        (reading({"label": 0}, skipped=1), "its reading skipped more lines than its skip_bad allows"),
        (reading({"label": 0}, filled=1), "its reading filled in values without saying how"),
    ],
)
def test_what_it_may_not_hold(record, sentence):
    with pytest.raises(InvalidCertificate, match=sentence):
        nk.verify(with_reading(record), X, Y)
    assert not oracle.accepts(with_reading(record), X, Y)


def test_a_setting_that_is_there_twice():
    text = json.dumps(with_reading(reading({"label": 0}))).replace('"label": 0', '"label": 0, "label": 1')
    with pytest.raises(InvalidCertificate, match="twice"):
        nk.verify(type("Text", (), {"to_json": lambda self: text})(), X, Y)


def test_version_1_has_none():
    from tests.certificates.mutate import in_format_1

    old = in_format_1(proof(), proof()["digest"])
    assert nk.verify(old, X, Y).reading is None
    with pytest.raises(InvalidCertificate, match="fields"):
        nk.verify(old | {"reading": reading({"label": 0})}, X, Y)
