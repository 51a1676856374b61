"""What `certify` records of how it read a file, and how far `verify` believes it."""

from __future__ import annotations

import base64
import builtins
import csv
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from novikoff.cli import app
from novikoff.data import read

CLEAN = "kind,x,z\nin,2,1\nin,3,0\nin,3,4\nout,0,2\nout,-1,1\n"
BAD_LINE = CLEAN.replace("in,3,0\n", "in,3,0\noops\n")
HOLE = CLEAN.replace("in,3,0\n", "in,3,\n")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments)


def certified(text: str, *options: str, name: str = "a.csv") -> dict[str, Any] | None:
    """Certify a file of this text; what the certificate records."""
    Path(name).write_text(text)
    found = run("certify", name, *options, "-o", "proof.json", "-q")
    assert found.exit_code == 0, found.output
    record: dict[str, Any] | None = json.loads(Path("proof.json").read_text()).get("reading")
    return record


def forge(**fields: Any) -> None:
    record = json.loads(Path("proof.json").read_text())
    record["reading"] |= fields
    Path("proof.json").write_text(json.dumps(record))


def verified(*options: str, name: str = "a.csv") -> str:
    found = run("verify", "proof.json", name, *options)
    assert found.exit_code == 0, found.output
    return str(found.stdout)


def refused(*options: str, name: str = "a.csv") -> str:
    found = run("verify", "proof.json", name, *options)
    assert (found.exit_code, found.stdout) == (1, "")
    return str(found.stderr)


# What is recorded --------------------------------------------------------------------------------


def described(label: str, *numbers: str) -> list[dict[str, str]]:
    return [{"name": label, "kind": "label"}, *({"name": name, "kind": "number"} for name in numbers)]


def test_with_no_options_the_columns_are_recorded():
    columns = [{"name": "x", "kind": "number"}, {"name": "z", "kind": "number"}, {"name": "kind", "kind": "label"}]
    record = {"settings": {}, "skipped": 0, "filled": 0, "columns": columns}
    assert certified("x,z,kind\n2,1,in\n0,2,out\n") == record
    assert "record" not in verified()
    assert certified("1 1:2\n-1 1:-1\n", name="a.svm") is None


def test_the_options_that_were_given_and_what_they_did():
    assert certified(BAD_LINE, "--label", "kind", "--skip-bad", "5") == {
        "settings": {"label": "kind", "skip_bad": 5},
        "skipped": 1,
        "filled": 0,
        "columns": described("kind", "x", "z"),
    }
    assert certified(HOLE, "--label", "0", "-r", "missing=zero", "-r", "columns=x,z") == {
        "settings": {"label": 0, "missing": "zero", "columns": ["x", "z"]},
        "skipped": 0,
        "filled": 1,
        "columns": described("kind", "x", "z"),
    }


def test_limits_on_memory_and_defaults_are_not_recorded():
    assert certified(CLEAN, "--label", "kind", "-r", "max_line=1000", "-r", "missing=error") == {
        "settings": {"label": "kind"},
        "skipped": 0,
        "filled": 0,
        "columns": described("kind", "x", "z"),
    }


def test_which_label_is_positive_is_a_name():
    record = certified("x,kind\n2,a\n3,a\n0,b\n-1,c\n", "--positive", "a")
    assert record["settings"] == {"positive": "a"}
    told = verified()
    assert told.startswith("Valid. True against False, ")
    assert "read with positive='a';" in told
    assert "--positive d: no row has this label; there are 'a', 'b' and 'c'" in refused("--positive", "d")
    assert "is refused" in refused("--positive", "b")
    forge(settings={"positive": "b"})
    assert "is refused" in refused()


def test_columns_that_may_name_the_rows_are_said_whoever_asks():
    text = "id,x,kind\n" + "".join(f"{1000 + row},{row % 3},{'ab'[row >= 10]}\n" for row in range(20))
    record = certified(text)
    assert record["columns"][0] == {"name": "id", "kind": "number", "doubt": "ids"}
    assert "By its own record, columns to doubt: 'id' (ids)." in verified()
    found = run("certify", "a.csv")
    use = "This separator uses id (integers that differ, as ids do)"
    assert f"{use}: ask without, by --drop id, whether it rests on that." in found.stdout.splitlines()
    assert "novikoff: careful: id holds a different integer in each row, " in found.stderr
    assert "novikoff: read 20 rows, 3 columns → 2 features: id and x are numbers; label kind, " in found.stderr
    without = run("certify", "a.csv", "--drop", "id")
    assert without.exit_code == 10
    assert "; id left out; label kind" in without.stderr
    assert "id" not in without.stdout.split()
    assert run("certify", "a.csv", "-q").stderr == ""


def test_every_label_of_several_has_the_record():
    Path("a.csv").write_text("kind,x,z\na,0,0\nb,0,1\nc,1,0\n")
    assert run("certify", "a.csv", "--label", "kind", "-o", "proof.json", "-q").exit_code == 0
    for label in "abc":
        assert run("verify", f"proof-{label}.json", "a.csv").exit_code == 0


def test_what_cannot_be_recorded_is_told():
    Path("a.csv").write_text(BAD_LINE)
    found = run("certify", "a.csv", "--label", "kind", "--skip-bad", "99999999", "-o", "proof.json", "-q")
    assert found.exit_code == 0
    sentence = "the certificate leaves out how the file was read (its reading has a skip_bad that cannot be)"
    assert f"novikoff: {sentence}: `verify` will need the same options again\n" in found.stderr
    assert "reading" not in json.loads(Path("proof.json").read_text())
    assert "a.csv, line 4" in refused("--label", "kind")
    assert verified("--label", "kind", "--skip-bad", "1")


def test_a_report_has_the_certificate_of_certify():
    record = certified(BAD_LINE, "--label", "kind", "--skip-bad", "5")
    assert run("report", "a.csv", "--label", "kind", "--skip-bad", "5", "-o", "report.html", "-q").exit_code == 0
    [certificate] = re.findall("application/json;base64,([A-Za-z0-9+/=]+)", Path("report.html").read_text())
    assert json.loads(base64.b64decode(certificate))["reading"] == record


def test_a_file_without_labels_is_told_to_have_none():
    Path("a.csv").write_text("x,z\n1,2\n")
    found = run("certify", "a.csv", "-r", "label=false", "-q")
    assert found.exit_code == 1
    assert "these examples have no labels, which are needed here; --label NAME names those of a file" in found.stderr


# What names things is taken over -----------------------------------------------------------------

NAMING = [
    (CLEAN, "a.csv", ("--label", "kind")),
    (CLEAN, "a.csv", ("--label", "0")),
    (CLEAN, "a.txt", ("--format", "csv", "--label", "kind")),
    ("1 1:2 2:1\n-1 1:-1\n", "a.svm", ("-r", "zero_based=true")),
]


@pytest.mark.parametrize(("text", "name", "options"), NAMING)
def test_what_only_names_things_need_not_be_said_again(text, name, options):
    record = certified(text, *options, name=name)
    told = verified(name=name)
    assert told.startswith("Valid. ")
    assert "By its own record it is about a file that was read with " in told
    assert json.loads(verified("--json", name=name))["reading"] == {"columns": []} | record
    forge(settings={"label": "nobody"} if "label" in record["settings"] else {"label": 0})
    assert run("verify", "proof.json", name).exit_code == 1  # so it was needed


def test_the_line_comes_before_the_record():
    certified(CLEAN, "--label", "kind")
    assert "its label 'out' does not occur in y" in refused("--label", "x")
    forge(settings={"label": "x"})
    assert "its label 'out' does not occur in y" in refused()
    assert verified("--label", "kind")


# What leaves out or makes up data is not -------------------------------------------------------------

UNTRUSTED = [
    (
        BAD_LINE,
        ("--skip-bad", "3"),
        "--skip-bad 3 (1 line was skipped), ",
        "give --skip-bad yourself, or --as-recorded",
    ),
    (
        HOLE,
        ("-r", "missing=zero"),
        "--missing zero (1 missing value was filled in with 0), ",
        "give --missing ... yourself, or --as-recorded",
    ),
    (
        HOLE,
        ("-r", "missing=column"),
        "--missing column (1 missing value was filled in with 0, with a 1 in a column of its own), ",
        "give --missing ... yourself, or --as-recorded",
    ),
    (CLEAN, ("-r", "columns=x"), "--columns x, ", "give --columns ... yourself, or --as-recorded"),
    (CLEAN, ("-r", "categorical=x"), "-r categorical=x, ", "give -r categorical=... yourself, or --as-recorded"),
    (
        CLEAN.replace("x,z", "1,2"),
        ("-r", "header=true"),
        "-r header=true, ",
        "give -r header=... yourself, or --as-recorded",
    ),
    (
        "in,x\nin,far\nout,near\n",
        ("--label", "0", "-r", "header=false"),
        "-r header=false, ",
        "give -r header=... yourself, or --as-recorded",
    ),
]


@pytest.mark.parametrize(("text", "options", "recorded", "cure"), UNTRUSTED)
def test_what_changes_the_data_is_the_users_to_say(text, options, recorded, cure):
    record = certified(text, "--label", "kind", *options)
    told = refused()
    assert f"proof.json is refused: it is about a file that was read with {recorded}" in told
    assert cure in told
    assert verified("--as-recorded")
    assert json.loads(verified("--as-recorded", "--json").splitlines()[-1])["reading"] == record
    assert verified(*options)


def test_width_is_the_users_to_say():
    certified("1 1:2 2:1\n-1 1:-1\n", "-r", "width=1", name="a.svm")
    assert "read with -r width=1, and which data" in refused(name="a.svm")
    assert verified("--as-recorded", name="a.svm")


def test_each_of_them_must_be_said():
    certified(BAD_LINE.replace("in,3,4", "in,,4"), "--label", "kind", "--skip-bad", "3", "-r", "missing=zero")
    told = refused("--skip-bad", "1")
    assert "--missing zero" in told
    assert "--skip-bad" not in told
    done = "1 line was skipped; 1 missing value was filled in with 0"
    assert verified("--skip-bad", "1", "-r", "missing=zero").startswith(f"Valid, for the rows that were read ({done}).")
    assert verified("--as-recorded").startswith(f"Valid, for the rows that were read ({done}).")


def test_options_that_met_nothing_are_passed_over():
    certified(CLEAN, "--label", "kind", "--skip-bad", "3", "-r", "missing=zero")
    assert verified().startswith("Valid. ")


def test_a_file_without_what_was_skipped_is_valid_if_the_user_says_so():
    certified(BAD_LINE, "--label", "kind", "--skip-bad", "3")
    Path("clean.csv").write_text(CLEAN)
    assert "--skip-bad 3" in refused(name="clean.csv")
    assert verified("-r", "skip_bad=0", name="clean.csv").startswith("Valid. ")


# Forgeries ---------------------------------------------------------------------------------------


def test_a_record_that_hides_the_skipping_fails_by_the_file():
    certified(BAD_LINE, "--label", "kind", "--skip-bad", "3")
    forge(settings={"label": "kind"}, skipped=0)
    assert "a.csv, line 4" in refused()
    forge(settings={"label": "kind", "skip_bad": 3}, skipped=0)
    assert "a.csv, line 4" in refused()


def test_a_record_that_hides_dropped_columns_fails_by_the_digest():
    certified(CLEAN, "--label", "kind", "-r", "columns=x")
    forge(settings={"label": "kind"})
    assert "proof.json is refused: this proof is about data of shape [5, 1]; yours is [5, 2]" in refused()


@pytest.mark.parametrize(
    ("text", "option", "fields", "sentence"),
    [
        (BAD_LINE, ("--skip-bad", "3"), {"skipped": 2}, "it records 2 skipped lines, and this file has 1"),
        (HOLE, ("-r", "missing=zero"), {"filled": 2}, "it records 2 filled values, and this file has 1"),
    ],
)
def test_what_was_done_is_counted_again(text, option, fields, sentence):
    certified(text, "--label", "kind", *option)
    forge(**fields)
    assert f"proof.json is refused: {sentence}" in refused("--as-recorded")
    assert verified(*option)  # the user's own reading, of which the record says nothing


@pytest.mark.parametrize("name", ["path", "max_line", "max_names", "online", "cache"])
def test_an_option_that_is_none_of_the_format_is_refused_before_the_file_is_opened(name):
    certified(CLEAN, "--label", "kind")
    forge(settings={name: "/etc/passwd"})
    assert "the settings of its reading are not some of" in refused("--as-recorded", name="absent.csv")


def test_a_column_called_like_a_file_opens_none(folder, monkeypatch):
    secret = str(folder / "secret.csv")
    Path(secret).write_text(CLEAN)
    certified(CLEAN, "--label", "kind")
    opened = []
    real = os.open, builtins.open
    monkeypatch.setattr(os, "open", lambda file, *rest, **more: opened.append(file) or real[0](file, *rest, **more))
    monkeypatch.setattr(builtins, "open", lambda file, *rest, **m: opened.append(file) or real[1](file, *rest, **m))
    for settings in (
        {"label": secret},
        {"label": "kind", "columns": [secret]},
        {"label": "kind", "categorical": [secret]},
    ):
        forge(settings=settings)
        opened.clear()
        run("verify", "proof.json", "a.csv", "--as-recorded")
        names = {Path(file).name for file in opened if not isinstance(file, int)}
        assert "a.csv" in names
        assert "secret.csv" not in names


def test_the_certificate_is_read_once_as_from_a_pipe(monkeypatch):
    import novikoff.certificates.claim as claims

    certified(CLEAN, "--label", "kind")
    opened = []
    text = claims._text
    monkeypatch.setattr(claims, "_text", lambda certificate: opened.append(certificate) or text(certificate))
    verified()
    assert len(opened) == 1


def test_the_reference_says_the_same():
    certified(CLEAN, "--label", "kind")
    assert verified() == verified("--reference")


def test_the_rows_are_those_of_the_reader():
    certified(HOLE, "--label", "kind", "-r", "missing=column")
    record = json.loads(Path("proof.json").read_text())
    assert record["digest"] == read("a.csv", label="kind", missing="column").digest


# The cures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a,b", "1", "-2", "c\nd", "it's", "two words", "-r", "$HOME", "x=y"])
def test_the_cure_for_a_column_of_any_name_can_be_pasted(name):
    with open("a.csv", "w", newline="") as file:
        csv.writer(file).writerows([[name, "x", "z", "kind"], *([f"u{i}", i % 7, i % 3, i % 2] for i in range(40))])
    told = run("certify", "a.csv", "-r", "header=true").stderr
    (cure,) = re.findall("separates any labels: (.*) leaves it out", told)
    found = run("certify", "a.csv", "--json", "-r", "header=true", *shlex.split(cure))
    assert found.exit_code in (0, 10), found.output
    assert [
        column["name"] for column in json.loads(found.stdout)["read"]["columns"] if column["kind"] == "left out"
    ] == [name]
