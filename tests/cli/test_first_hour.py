"""The first hour with files as people have them: what they type and what they are told, wrong tries first."""

from __future__ import annotations

import json
import random
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from novikoff.cli import app


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(line: str) -> Any:
    return CliRunner().invoke(app, line.split()[1:])


def told(line: str, *sentences: str, code: int = 0) -> str:
    """What a command says, on both streams; these sentences are part of it, in this order."""
    found = run(line)
    text = " ".join(re.sub("[│╭╮╰╯─]", " ", f"{found.stderr}\n{found.stdout}").split())  # however it is wrapped
    assert found.exit_code == code, text
    assert "Traceback" not in text
    start = 0
    for sentence in sentences:
        assert sentence in text[start:], f"{sentence!r} is not in, or not behind, {text}"
        start = text.index(sentence, start) + len(sentence)
    return text


# A German export: cp1252, semicolons, decimal commas, days as people write them ------------------


def customers() -> None:
    rng = random.Random(7)
    lines = ["Kunde;Name;Alter;Umsatz;Seit;Stufe;Gekündigt"]
    for i in range(60):
        day = date(2023, 1, 1) + timedelta(days=rng.randrange(400))
        name, age, sales = rng.choice(["Müller", "Öztürk", "Groß"]), rng.randrange(20, 80), rng.randrange(999)
        gone = "nein" if sales > 400 else "ja"
        row = [f"{4000 + i}", f'"{name}; A."', f"{age}", f"{sales},50", f"{day:%d.%m.%Y}", rng.choice("abc"), gone]
        lines.append(";".join(row))
    Path("kunden.csv").write_bytes("\r\n".join([*lines, ""]).encode("cp1252"))


def test_a_table_in_another_encoding() -> None:
    customers()
    told(
        "novikoff certify kunden.csv",
        "kunden.csv, line 1, column 7: the text is not in UTF-8; --encoding cp1252 reads what many programs on Windows",
        code=1,
    )
    told(
        "novikoff certify kunden.csv --encoding cp1252 -o proof.json",
        "novikoff: read 60 rows, 7 columns → ",
        "Kunde, Alter and Umsatz are numbers; Name (3 levels), Seit (",
        "levels, nearly one a row) and Stufe (3 levels); label Gekündigt, + is nein (",
        "careful: Kunde holds a different integer in each row",
        "--drop Kunde leaves it out",
        "careful: Seit holds dates ('",
        "careful: the label is Gekündigt, the last column, since no column is called label",
        "Separable: a hyperplane puts all 60 rows on their sides, 'nein' against 'ja'",
        "This separator uses Kunde (integers that differ, as ids do) and Seit (dates): ask without, by --drop ",
    )
    without = "--encoding cp1252 --drop Kunde,Seit --label Gekündigt"
    text = told(f"novikoff certify kunden.csv {without} -o proof.json", "Kunde and Seit left out; ", "Separable: ")
    assert "careful" not in text
    assert "This separator uses" not in text
    told("novikoff verify proof.json kunden.csv", "proof.json is refused: ", "--as-recorded to read it so", code=1)
    told("novikoff verify proof.json kunden.csv --as-recorded", "Valid. 'nein' against 'ja', ")


def test_a_model_for_it_needs_no_options_any_more() -> None:
    customers()
    how = "--encoding cp1252 --drop Kunde,Seit,Name --label Gekündigt"
    told(
        f"novikoff fit kunden.csv {how} --standardize -o model.nvk",
        "novikoff: read 60 rows, 7 columns → 5 features: Alter and Umsatz are numbers; Stufe (3 levels); Kunde, Name",
        "Perceptron: separated: ",
        "Columns are standardised, each minus its mean, divided by its standard deviation",
        "Saved in model.nvk.",
    )
    told("novikoff eval model.nvk kunden.csv", "0 mistakes on 60 examples: accuracy 100.0000%.")
    answers = run("novikoff predict model.nvk kunden.csv").stdout.split()
    assert answers == [line.split(";")[-1] for line in Path("kunden.csv").read_text("cp1252").splitlines()[1:]]
    lines = Path("kunden.csv").read_text("cp1252").replace(",50;", ".50;").replace(";", "|").splitlines()
    Path("neu.csv").write_text("\n".join(lines).replace('"Müller| A."', "M").replace('"', ""), encoding="cp1252")
    told(
        "novikoff inspect model.nvk",
        "Labels: 'ja' (-) and 'nein' (+).",
        "Columns are standardised",
        "Umsatz",
        "It learned from 60 rows, 7 columns → 5 features",
    )
    record = json.loads(run("novikoff inspect model.nvk --json").stdout)
    assert (record["positive"], record["input"]["account"]["rows"]) == ("nein", 60)
    told("novikoff explain model.nvk kunden.csv --row 3", "Example 3: predicted ", "Umsatz")


def test_the_next_export_is_in_utf_8() -> None:
    customers()
    warned = "careful: neu.csv seems to be in UTF-8, but is read as cp1252, in which some letters become others: "
    told("novikoff fit kunden.csv --encoding cp1252 --drop Kunde,Seit -o model.nvk")
    assert "seems to be" not in told("novikoff eval model.nvk kunden.csv", "60 examples")
    Path("neu.csv").write_text(Path("kunden.csv").read_text("cp1252"), "utf-8")
    told("novikoff predict model.nvk neu.csv", f"{warned}--encoding utf-8 reads it")
    assert "seems to be" not in told("novikoff eval model.nvk neu.csv --encoding utf-8", "60 examples")


# Money, percents, days and holes -----------------------------------------------------------------


def test_numbers_that_are_written_as_text() -> None:
    rng = random.Random(3)
    lines = ["date,region,units,revenue,growth,target"]
    for i in range(40):
        region = "N/A" if i == 1 else rng.choice(["north", "south"])
        row = [
            f"{date(2024, 1, 1) + timedelta(days=i)}",
            region,
            f"{rng.randrange(5)}",
            f'"${rng.randrange(1, 9)},250.50"',
        ]
        lines.append(",".join([*row, f"{rng.randrange(50)}%", f"{i % 2}"]))
    Path("sales.csv").write_text("\n".join([*lines, ""]))
    told(
        "novikoff certify sales.csv",
        "sales.csv, line 3, column 2: the value is missing; --missing zero or --missing column fills it in",
        code=1,
    )
    told(
        "novikoff certify sales.csv --missing zero",
        "units is a number; date (40 levels, nearly one a row), region (2 levels), revenue (8 levels) and growth (",
        "1 missing value as 0 (--missing zero)",
        "careful: date holds dates ('2024-01-01'), and each of its 40 levels is a feature by itself",
        "careful: revenue holds numbers as text ('$",
        "write them in the file without signs of money, %, spaces and marks between thousands",
        "careful: growth holds numbers as text ('",
        "This separator uses date (dates)",
    )
    told("novikoff certify sales.csv --missing zero --dorp date", "No such option: --dorp", "--drop", code=2)
    told("novikoff certify sales.csv --missing zero --drop dates", "did you mean 'date'?", code=1)
    told("novikoff certify sales.csv --missing zero --label targets", "did you mean 'target'?", code=1)
    told("novikoff certify sales.csv -r mising=zero", "there is no option 'mising' (did you mean missing?)", code=2)
    told("novikoff certify Sales.csv", "Sales.csv: there is no such file", code=1)


# What a spreadsheet writes -----------------------------------------------------------------------


def test_a_spreadsheet() -> None:
    rng = random.Random(5)
    lines = ["sep=;", ";2019;2020;grew"]
    for i in range(30):
        before, after = rng.randrange(1, 200) / 4, rng.randrange(1, 200) / 4
        lines.append(f"{i};{before};{after};{'yes' if after > before else 'no'}".replace(".", ","))
    Path("export.csv").write_text("\n".join(lines), encoding="utf-16")
    told(
        "novikoff certify export.csv --label grew",
        "read 30 rows, 4 columns → 2 features: 2019 and 2020 are numbers; the first column left out as the index",
        "label grew, + is yes (",
        "Separable: ",
    )
    Path("book.xlsx").write_bytes(b"PK\x03\x04" + bytes(30) + b"xl/workbook.xml")
    told("novikoff certify book.xlsx", "book.xlsx", "CSV", code=1)


# Events with three labels ------------------------------------------------------------------------


def test_three_labels_that_come_one_by_one() -> None:
    rng = random.Random(2)
    with open("events.jsonl", "w") as file:
        for _ in range(60):
            clicks, device = rng.randrange(9), rng.choice(["ios", "web"])
            label = "leave" if clicks < 3 else "look" if clicks < 6 else "buy"
            file.write(json.dumps({"clicks": clicks, "device": device, "label": label}) + "\n")
    text = told(
        "novikoff certify events.jsonl",
        "clicks is a number; device (2 levels); label, 3 classes: buy (",
        "60 rows; each of 3 labels against all others, with the constant coordinate 1:",
        "not separable",
        code=10,
    )
    assert "'buy' " in text
    told("novikoff certify events.jsonl --positive buy", "label, + is buy (", "Separable: ", "True against False")
    told(
        "novikoff certify events.jsonl --positive bye",
        "no row has this label; there are 'buy', 'leave' and 'look'",
        code=1,
    )
    told("novikoff learn stream.nvk events.jsonl", "mistakes on 60 labelled examples; saved in stream.nvk")
    told("novikoff inspect stream.nvk", "3 labels: ")
    told("novikoff fit events.jsonl -o model.nvk -q", "Saved in model.nvk.")
    told("novikoff report events.jsonl -o report.html -q", "report.html", code=10)
    assert "leave" in Path("report.html").read_text()


# A table with a bad end --------------------------------------------------------------------------


def test_a_line_that_is_no_example() -> None:
    lines = ["weight,colour,kind"]
    lines += [
        f"{30 + i if i % 2 else 4 + i % 3},{'brown' if i % 3 else 'grey'},{'dog' if i % 2 else 'cat'}"
        for i in range(30)
    ]
    Path("pets.csv").write_text("\n".join([*lines, "total 30", ""]))
    told("novikoff certify pets.csv", "pets.csv, line 32, column 2: 1 cells, but 3 are expected", code=1)
    told(
        "novikoff certify pets.csv --skip-bad 1 -o proof.json",
        "skipped pets.csv, line 32, column 2",
        "1 line skipped",
        "rows have the features of an earlier one, with the same label",
        "Separable: ",
    )
    told("novikoff verify proof.json pets.csv", "is refused", "--skip-bad", code=1)
    told(
        "novikoff verify proof.json pets.csv --skip-bad 1", "Valid, for the rows that were read (1 line was skipped). "
    )
    told("novikoff report pets.csv --skip-bad 1 -o pets.html -q", "Written to pets.html.")
    page = Path("pets.html").read_text()
    assert "1 line skipped" in page
    assert str(Path.cwd()) not in page


def test_a_file_without_a_command_and_a_parameter_that_is_nearly_right() -> None:
    Path("pets.csv").write_text("weight,kind\n4,cat\n30,dog\n")
    told(
        "novikoff pets.csv",
        "'pets.csv' is a file, and a command comes before it: novikoff certify pets.csv",
        code=2,
    )
    told("novikoff pets.cvs", "No such command 'pets.cvs'", code=2)
    told("novikoff fit pets.csv -o pets.nvk -s maxiter=5", "has no 'maxiter' (did you mean max_iter?): it has", code=2)
