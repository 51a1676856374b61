"""The options of the readers: which there are, what they are called, and in whose words they are said."""

import inspect
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest
from typer.testing import CliRunner

from novikoff import data, fit_file
from novikoff.cli import app
from novikoff.cli.options import FLAGS, ReadingOptions
from novikoff.data import Reading
from novikoff.data.options import DECIMALS, FORMATS, MISSING_RULES, Options
from novikoff.words import in_a_shell, said


def test_they_are_those_of_a_reading():
    """The one is what a type checker and an editor read, the other what is kept: they are the same options."""
    assert [option.name for option in fields(Reading) if option.name != "online"] == list(Options.__annotations__)
    types = get_type_hints(Options)
    assert get_args(get_args(types["format"])[0]) == FORMATS
    assert get_args(types["missing"]) == MISSING_RULES
    assert get_args(get_args(types["decimal"])[0]) == DECIMALS


@pytest.mark.parametrize("function", [data.read, data.stream, data.convert, fit_file])
def test_each_is_a_parameter_with_its_default(function):
    """`help`, and the completion of notebooks, look at the signature."""
    parameters = inspect.signature(function).parameters
    for option in fields(Reading):
        if option.name != "online":
            assert parameters[option.name].kind is inspect.Parameter.KEYWORD_ONLY
            assert parameters[option.name].default == option.default
    assert all(parameter.kind is not inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())


def test_those_with_a_flag_are_options_of_the_reader():
    assert set(FLAGS) < {option.name for option in fields(Reading)}
    assert {option.name for option in fields(ReadingOptions)} == {*FLAGS, "read"}


@pytest.mark.parametrize(
    ("name", "value", "python", "shell"),
    [
        ("label", "kind", "label='kind'", "--label kind"),
        ("label", "the kind", "label='the kind'", "--label 'the kind'"),
        ("skip_bad", 3, "skip_bad=3", "--skip-bad 3"),
        ("delimiter", ";", "delimiter=';'", "--delimiter ';'"),
        ("categorical", ["zip", "job"], "categorical=['zip', 'job']", "-r categorical=zip,job"),
        ("drop", ["id"], "drop=['id']", "--drop id"),
        ("header", False, "header=False", "-r header=false"),
        ("max_line", 100, "max_line=100", "-r max_line=100"),
        ("label", "a\x1b[2J\n", "label='a\\x1b[2J\\n'", "--label 'a\\x1b[2J\\n'"),
    ],
)
def test_an_option_in_the_words_of_who_hears_of_it(name, value, python, shell):
    assert said(name, value) == python
    with in_a_shell(FLAGS):
        assert said(name, value) == shell
    assert said(name, value) == python


MESSY = "id;age;job;churned\nu;41,5;cook;yes\nv;N/A;clerk;no\nw;22;cook;no\n"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "line 3, column 2: the value is missing; --missing zero or --missing column fills it in (column 'age')"),
        (
            ("--label", "churn"),
            "--label churn: there is no such column (did you mean 'churned'?); the columns",
        ),
        (("--drop", "ids"), "--drop ids: there is no such column (did you mean 'id'?)"),
        (
            ("--decimal", "."),
            "line 2, column 2: '41,5' is not a number; --decimal , reads a comma as the",
        ),
        (("--delimiter", ","), "--delimiter ';' is another way"),
        (("--encoding", "klingon"), "--encoding klingon is not known"),
    ],
)
def test_a_shell_is_spoken_to_in_its_own_words(tmp_path, options, sentence):
    path = tmp_path / "messy.csv"
    path.write_text(MESSY)
    found = CliRunner().invoke(app, ["certify", str(path), "-q", *options])
    assert found.exit_code == 1
    assert sentence in found.stderr
    assert found.stderr.count("\n") == 1


def test_the_flags_of_a_shell(tmp_path):
    path, table = tmp_path / "messy.txt", tmp_path / "table.csv"
    path.write_bytes(MESSY.replace("job", "größe").encode("cp1252"))
    options = ["--encoding", "cp1252", "--missing", "zero", "--drop", "id,1", "--delimiter", ";", "--decimal", ","]
    assert CliRunner().invoke(app, ["convert", str(path), str(table), *options]).exit_code == 0
    assert table.read_text() == "größe=cook,größe=clerk,label\n1,0,yes\n0,1,no\n1,0,no\n"
    options = ["--columns", "age", "--missing", "column", "--encoding", "cp1252", "--label", "churned"]
    assert CliRunner().invoke(app, ["convert", str(path), str(table), *options]).exit_code == 0
    assert table.read_text() == "age,age=missing,label\n41.5,0,yes\n0,1,no\n22,0,no\n"
