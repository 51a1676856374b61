"""The commands, as a user would type them."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from novikoff.cli import app
from novikoff.theory import THEOREMS


def run(*words):
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.output


def test_help_is_a_tour():
    code, text = run("--help")
    assert code == 0
    for command in ("demo", "certify", "verify", "play", "rates", "theorems"):
        assert command in text


def test_an_unknown_command_is_wrong_usage():
    code, text = run("separate")
    assert code == 2
    assert "No such command" in text


def test_theorems_prints_every_one():
    code, text = run("theorems")
    assert code == 0
    for theorem in THEOREMS:
        assert theorem.id in text
        assert theorem.statement in text
        assert theorem.citation in text
        assert all(hypothesis.text in text for hypothesis in theorem.hypotheses)


def test_demo_tells_what_was_found():
    code, text = run("demo", "--quiet")
    assert code == 0
    assert "separated: the last of 4 passes" in text  # iris
    assert "The theorem allows" in text
    assert "It can: 0 errors on 569 tumours" in text


@pytest.fixture
def files(tmp_path):
    """Two small files, separable and not, each as CSV and as svmlight."""
    (tmp_path / "yes.csv").write_text("width,height,kind\n2,1,in\n3,0,in\n0,2,out\n-1,1,out\n")
    (tmp_path / "yes.svm").write_text("+1 1:2 2:1\n+1 1:3\n-1 2:2\n-1 1:-1 2:1\n")
    (tmp_path / "no.csv").write_text("0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    (tmp_path / "no.svm").write_text("-1 1:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n")
    (tmp_path / "three.csv").write_text("0,0,a\n0,1,b\n1,0,c\n")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "svm"])
def test_certify_and_verify(files, ending):
    data, proof = str(files / f"yes.{ending}"), str(files / "proof.json")
    code, text = run("certify", data, "-o", proof, "--quiet")
    assert code == 0
    assert text.startswith("Separable: a hyperplane puts all 4 rows on their sides.")
    code, text = run("verify", proof, data)
    assert code == 0
    assert text.startswith("Valid. A separator exists")
    code, text = run("verify", proof, str(files / f"no.{ending}"))
    assert code == 1
    assert "proof.json is refused: this proof is about data with digest" in text


@pytest.mark.parametrize("ending", ["csv", "svm"])
def test_not_separable_is_exit_10(files, ending):
    data, proof = str(files / f"no.{ending}"), str(files / "proof.json")
    code, text = run("certify", data, "-o", proof, "-q")
    assert code == 10
    assert "Not separable" in text
    assert run("verify", proof, data)[0] == 0


def test_answers_as_json(files):
    data, proof = str(files / "yes.csv"), str(files / "proof.json")
    code, text = run("certify", data, "-o", proof, "-q", "--json")
    answer = json.loads(text)
    assert code == 0
    assert answer["verdict"] == "separable"
    assert answer["margin"][0] <= answer["margin"][1]
    assert json.loads(run("verify", proof, data, "--json")[1])["margin"] == answer["margin"]
    code, text = run("certify", str(files / "no.csv"), "-q", "--json")
    assert (code, json.loads(text)["rows"]) == (10, [0, 1, 2, 3])


def test_out_of_time_is_exit_11(files):
    code, text = run("certify", str(files / "yes.csv"), "--max-seconds", "0", "-q", "--json")
    assert code == 11
    assert json.loads(text)["verdict"] == "undecided"


def test_more_classes_get_a_file_each(files):
    code, text = run("certify", str(files / "three.csv"), "-o", str(files / "proof.json"), "-q")
    assert code == 0
    assert text.count("against the rest:") == 3
    for label in "abc":
        assert run("verify", str(files / f"proof-{label}.json"), str(files / "three.csv"))[0] == 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.csv", None, "no such file"),
        ("bad.csv", "1,2,a\n1,x,b\n", "bad.csv, line 2"),
        ("ragged.csv", "1,2,a\n1,b\n", "ragged.csv, line 2, column 3: 2 cells, but 3 are expected"),
        ("empty.csv", "", "no examples"),
        ("latin.csv", b"1,\xff\n2,a\n", "latin.csv, line 1, column 2: the text is not in UTF-8"),
        ("nan.csv", "1,nan,a\n1,2,b\n", "nan.csv, line 1, column 2: the value is missing"),
        ("bad.svm", "hello world\n", "bad.svm, line 1, column 1: 'hello' is not a number"),
        ("one.csv", "1,a\n2,a\n", "one class"),
    ],
)
def test_a_bad_file_is_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    code, text = run("certify", str(tmp_path / name), "-o", str(tmp_path / "proof.json"), "-q")
    assert code == 1
    assert message in text
    assert not (tmp_path / "proof.json").exists()


def test_wrong_usage_is_exit_2(files):
    assert run("certify")[0] == 2
    assert run("certify", str(files / "yes.csv"), "--gap", "wide")[0] == 2
    assert run("certify", str(files / "yes.csv"), "--gap", "3", "-q")[0] == 1
