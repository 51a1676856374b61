"""The commands, as a user would type them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

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


def test_without_a_command_there_is_a_tour(tmp_path, monkeypatch):
    """Its example is what the program prints, and its last three commands run."""
    monkeypatch.chdir(tmp_path)
    code, text = run()
    assert code == 0
    assert len(text.splitlines()) <= 32
    assert max(map(len, text.splitlines())) < 100
    example, _, yours = text.partition("On a file of yours")
    (_, table), (command, printed) = (part.split("\n", 1) for part in example.split("    $ ")[1:])
    (tmp_path / "pets.csv").write_text("".join(f"{line.strip()}\n" for line in table.splitlines() if line))
    result = CliRunner().invoke(app, shlex.split(command)[1:])
    assert result.exit_code == 0
    assert " ".join(printed.split()).startswith(" ".join(result.stdout.split()))
    commands = [line.partition("#")[0].split() for line in yours.splitlines() if line.startswith("    novikoff")]
    assert len(commands) == 3
    assert text.endswith("NEW\n")
    for words in commands:
        asked = ["pets.csv" if word == "FILE" else word for word in words[1:]]
        assert CliRunner().invoke(app, [*asked, "--quiet"]).exit_code == 0
    assert run("predict", "model.nvk", "pets.csv")[1].split() == ["cat", "cat", "cat", "dog", "dog"]


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
    assert "separated: the last of 2 passes" in text  # iris
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
    division = "'out' against 'in'" if ending == "csv" else "1.0 against -1.0"
    assert text.startswith(
        f"Separable: a hyperplane puts all 4 rows on their sides, {division}, with the constant coordinate 1."
    )
    assert "So a Perceptron (-s intercept_scaling=1), from w = 0, makes at most" in text
    assert "decimals in text stand for the nearest float64" in text
    assert text.endswith(f"Saved in {proof}.\n")
    code, text = run("verify", proof, data)
    assert code == 0
    assert text.startswith(f"Valid. {division}, with the constant coordinate 1.0: a separator exists")
    assert "decimals in text stand for the nearest float64" in text
    code, text = run("verify", proof, str(files / f"no.{ending}"))
    assert code == 1
    other = "its label 'out' does not occur in y" if ending == "csv" else "this proof is about data with digest"
    assert f"proof.json is refused: {other}" in text


def test_through_the_origin_is_said(files):
    """x = 1, 2 | 3, 4 has a separator, though none through the origin."""
    (files / "line.csv").write_text("1,low\n2,low\n3,high\n4,high\n")
    data, proof = str(files / "line.csv"), str(files / "proof.json")
    code, text = run("certify", data, "--no-intercept", "-o", proof, "-q")
    assert code == 10
    assert "'low' against 'high', through the origin." in text
    assert "A hyperplane beside the origin may separate them" in text
    code, text = run("verify", proof, data)
    assert code == 0
    assert "'low' against 'high', through the origin: " in text
    assert "may still separate them" in text
    assert json.loads(run("verify", proof, data, "--json")[1])["constant"] == "through the origin"
    code, text = run("certify", data, "--no-intercept", "-q", "--json")
    assert json.loads(text)["constant"] == "through the origin"
    assert run("certify", data, "-q")[0] == 0


@pytest.mark.parametrize("positive", ["nobody", 7, 2.5, "A", "0", 1.5])
def test_xor_is_not_separable_from_nobody(files, positive):
    """A certificate that calls every row -1, in the old format and in the new one."""
    data, proof = str(files / "no.csv"), files / "proof.json"
    assert run("certify", data, "-o", str(proof), "-q")[0] == 10
    record = json.loads(proof.read_text()) | {"kind": "separable", "positive": positive, "separator": [0, 0, -1]}
    record |= {"margin": [1.0, 1.0], "radius": 2.0, "closest": 0, "combination": {"rows": [0], "weights": [1]}}
    for against in (0, 1, [0, 1], [1, 0, positive]):
        proof.write_text(json.dumps(record | {"against": against}))
        code, text = run("verify", str(proof), data)
        assert code == 1
        assert "proof.json is refused: " in text
    old = {"format": "novikoff certificate 1", "verdict": "separable", "shape": [4, 2], "weights": [0, 0, -1]}
    old |= {"support": record["combination"]}
    old |= {name: record[name] for name in ("digest", "constant", "positive", "margin", "radius", "closest")}
    proof.write_text(json.dumps(old))
    code, text = run("verify", str(proof), data)
    assert code == 1
    assert f"its label {positive!r} does not occur in y" in text


def test_verify_names_the_lines_that_it_skips(files):
    (files / "bad.csv").write_text("2,1,in\n3,x,in\n3,0,in\n0,2,out\n-1,1,out\n")
    data, proof = str(files / "bad.csv"), str(files / "proof.json")
    assert run("certify", data, "--skip-bad", "1", "-o", proof, "-q")[0] == 0
    code, text = run("verify", proof, data, "--skip-bad", "1")
    assert code == 0
    assert "bad.csv, line 2" in text
    assert "Valid, for the rows that were read (1 line was skipped). " in text
    told = run("verify", proof, data, "--skip-bad", "1", "--json")[1]
    assert json.loads(next(line for line in told.splitlines() if line.startswith("{")))["skipped"] == 1


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
    assert (answer["positive"], answer["against"], answer["constant"]) == ("out", ["in"], 1.0)
    assert answer["learner"] == "Perceptron(intercept_scaling=1)"
    checked = json.loads(run("verify", proof, data, "--json")[1])
    assert checked["margin"] == answer["margin"]
    assert (checked["positive"], checked["against"], checked["constant"]) == ("out", ["in"], 1.0)
    for told in (answer, checked):
        assert "'out' against 'in', with the constant coordinate 1" in told["implies"]
        assert "decimals in text stand for the nearest float64" in told["implies"]
    code, text = run("certify", str(files / "no.csv"), "-q", "--json")
    assert (code, json.loads(text)["rows"]) == (10, [0, 1, 2, 3])


def test_out_of_time_is_exit_11(files):
    code, text = run("certify", str(files / "yes.csv"), "--max-seconds", "0", "-q", "--json")
    assert code == 11
    assert json.loads(text)["verdict"] == "undecided"


def test_more_classes_get_a_file_each(files):
    code, text = run("certify", str(files / "three.csv"), "-o", str(files / "proof.json"), "-q")
    assert code == 0
    assert text.startswith("3 rows; each of 3 labels against all others, with the constant coordinate 1:\n")
    saved = [str(files / f"proof-{label}.json") for label in "abc"]
    assert text.endswith(f"Saved in {saved[0]}, {saved[1]} and {saved[2]}.\n")
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


@pytest.mark.parametrize(
    ("name", "text", "rule", "filled", "sentence"),
    [
        ("a.csv", "x,z,label\n2,1,in\n3,,in\n0,2,out\n-1,1,out\n", "zero", 1, "1 missing value was filled in with 0"),
        (
            "a.csv",
            "x,z,label\n2,?,in\n3,,in\n0,2,out\n-1,1,out\n",
            "column",
            2,
            "2 missing values were filled in with 0, with a 1 in a column of its own",
        ),
        (
            "a.csv",
            "x,job,label\n2,?,in\n3,a,in\n-1,,out\n-1,b,out\n",
            "zero",
            2,
            "2 missing values were filled in with 0",
        ),
        (
            "a.jsonl",
            '{"y": 1, "x": [2, null]}\n{"y": 0, "x": [-1, 0]}\n',
            "zero",
            1,
            "1 missing value was filled in with 0",
        ),
        (
            "a.jsonl",
            '{"y": 1, "x": {"a": 2, "b": null}}\n{"y": 0, "x": {"a": NaN}}\n',
            "zero",
            2,
            "2 missing values were filled in with 0",
        ),
    ],
)
def test_verify_says_how_many_values_were_filled_in(tmp_path, name, text, rule, filled, sentence):
    (tmp_path / name).write_text(text)
    data, proof = str(tmp_path / name), str(tmp_path / "proof.json")
    code, told = run("certify", data, "-r", f"missing={rule}", "-o", proof, "-q")
    assert code == 0
    assert f"novikoff: {sentence}\n" in told
    code, told = run("verify", proof, data, "-r", f"missing={rule}")
    assert code == 0
    assert told.startswith(f"Valid, for the rows that were read ({sentence}). ")
    assert json.loads(run("verify", proof, data, "-r", f"missing={rule}", "--json")[1])["filled"] == filled


def test_verify_says_what_was_skipped_and_what_was_filled_in(tmp_path):
    (tmp_path / "a.csv").write_text("2,1,in\n3,x,in\n3,,in\n0,2,out\n-1,1,out\n")
    data, proof = str(tmp_path / "a.csv"), str(tmp_path / "proof.json")
    options = ("--skip-bad", "1", "-r", "missing=zero")
    assert run("certify", data, *options, "-o", proof, "-q")[0] == 0
    code, told = run("verify", proof, data, *options)
    assert code == 0
    done = "1 line was skipped; 1 missing value was filled in with 0"
    assert f"Valid, for the rows that were read ({done}). " in told


def test_a_bound_beyond_float64_is_said_in_digits(tmp_path):
    (tmp_path / "far.csv").write_text("x,label\n1e-100,yes\n-1e-100,no\n1e100,yes\n")
    data, proof = str(tmp_path / "far.csv"), str(tmp_path / "proof.json")
    code, text = run("certify", data, "--no-intercept", "-o", proof, "-q")
    assert code == 0
    assert "would make at most 10^401 mistakes" in text
    for command in (("certify", data, "--no-intercept", "-q"), ("verify", proof, data)):
        code, text = run(*command)
        assert code == 0
        assert "inf" not in text
        code, text = run(*command, "--json")
        found = json.loads(text, parse_constant=pytest.fail)
        assert found["mistake_bound"] is None
        assert "at most 10^401 mistakes" in found["implies"]


TWO_LABELS = {"classes": ["in", "out"], "positive": "out", "columns": ["width", "height"]}
CONSTANTS = {"fit_intercept": True, "intercept_scaling": 1.0}
ABOUT = [
    (["certify", "yes.csv"], TWO_LABELS | CONSTANTS),
    (["certify", "yes.csv", "--no-intercept"], TWO_LABELS | {"fit_intercept": False, "intercept_scaling": 1.0}),
    (["fit", "yes.csv", "-o", "n.nvk"], TWO_LABELS | CONSTANTS),
    (["fit", "yes.csv", "-o", "n.nvk", "-s", "intercept_scaling=2.5"], TWO_LABELS | {"intercept_scaling": 2.5}),
    (["eval", "m.nvk", "yes.csv"], TWO_LABELS | CONSTANTS),
    (["eval", "--folds", "2", "yes.csv"], TWO_LABELS | CONSTANTS),
    (["eval", "--folds", "2", "yes.csv", "-s", "fit_intercept=false"], TWO_LABELS | {"fit_intercept": False}),
    (["eval", "-p", "yes.csv"], TWO_LABELS | CONSTANTS),
    (["explain", "m.nvk", "yes.csv"], TWO_LABELS | CONSTANTS | {"label": "out"}),
    (["inspect", "m.nvk"], TWO_LABELS | CONSTANTS),
    (["predict", "m.nvk", "yes.csv", "--scores"], {"positive": "out"}),
    (["eval", "k.nvk", "three.csv"], {"classes": ["a", "b", "c"], "positive": None, "columns": None}),
    (["explain", "k.nvk", "three.csv", "--row", "1"], {"label": "b", "positive": None} | CONSTANTS),
    (["predict", "k.nvk", "three.csv", "--scores"], {"classes": ["a", "b", "c"]}),
]


@pytest.mark.parametrize(("words", "expected"), ABOUT, ids=lambda value: " ".join(value) if type(value) is list else "")
def test_an_answer_in_json_says_its_labels_columns_and_constants(files, monkeypatch, words, expected):
    monkeypatch.chdir(files)
    assert run("fit", "yes.csv", "-o", "m.nvk", "-q")[0] == run("fit", "three.csv", "-o", "k.nvk", "-q")[0] == 0
    quiet = [] if words[0] in ("explain", "inspect", "predict") else ["-q"]
    result = CliRunner().invoke(app, [*words, "--json", *quiet])
    assert result.exit_code in (0, 10)
    answer = json.loads(result.stdout.splitlines()[0])
    assert {name: answer[name] for name in expected} == expected


def test_certify_goes_on_to_separation(tmp_path):
    data, proof = str(tmp_path / "women.csv"), str(tmp_path / "proof.json")
    Path(data).write_text("NV,PI,HG\n0,1,0\n0,2,1\n0,3,0\n1,2,1\n")
    code, text = run("certify", data, "--label", "HG", "--separation", "-o", proof, "-q")
    assert code == 10
    assert "1 coefficient goes to +infinity: NV;" in text
    code, text = run("certify", data, "--label", "HG", "--separation", "-q", "--json")
    record = json.loads(text)
    assert record["separation"] == "quasi-complete"
    assert record["coefficients"] == {"NV": "+infinity", "PI": "finite", "the intercept": "finite"}
    for options in ([], ["--reference"]):
        code, text = run("verify", proof, data, *options)
        assert code == 0
        assert "quasi-complete separation" in text


def test_certify_says_them_for_each_of_many_labels(files):
    answer = json.loads(CliRunner().invoke(app, ["certify", str(files / "three.csv"), "--json", "-q"]).stdout)
    for label, one in answer.items():
        assert (one["positive"], one["classes"], one["columns"]) == (label, ["a", "b", "c"], None)
