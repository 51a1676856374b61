"""`novikoff inspect`: the weights by name, the largest of them or all, for people and for programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import novikoff as nk
from novikoff.cli import app
from novikoff.data import Dataset

RNG = np.random.default_rng(8)
WIDE = RNG.standard_normal((40, 15))
NAMES = np.array([f"column {j}" for j in range(15)], dtype=object)


def run(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["inspect", *map(str, words)])
    return result.exit_code, result.stdout, result.stderr


def kept(folder: Path, model: object, X: object, y: object, names: object = NAMES) -> Path:
    model.fit(Dataset(X, np.asarray(y), names))
    nk.save(model, folder / "m.nvk")
    return folder / "m.nvk"


def two(folder: Path) -> tuple[Path, nk.Perceptron]:
    model = nk.Perceptron(max_iter=10_000)
    return kept(folder, model, WIDE, np.where(WIDE[:, 3] > 0, "up", "down")), model


def three(folder: Path, **settings: object) -> tuple[Path, nk.Perceptron]:
    model = nk.Perceptron(max_iter=10_000, **settings)
    return kept(folder, model, WIDE, np.array(["a", "b", "c"])[WIDE[:, :3].argmax(axis=1)]), model


def test_a_dozen_of_the_largest_by_name(tmp_path: Path) -> None:
    path, model = two(tmp_path)
    code, text, _ = run(path)
    assert code == 0
    assert "speak for up if they are +, for down if they are -:" in text
    w = model.coef_[0]
    order = np.argsort(-np.abs(w), kind="stable")[:12]
    told = [line.split(None, 1) for line in text.splitlines() if line.startswith("    ")]
    assert [name for _, name in told[:12]] == NAMES[order].tolist()
    assert [float(value) for value, _ in told[:12]] == pytest.approx(w[order], rel=1e-5)
    assert "and 3 smaller: novikoff inspect --weights" in text
    assert float(told[-1][0]) == pytest.approx(model.intercept_[0])
    assert told[-1][1] == "(constant)"


def test_a_few_for_each_of_many_labels(tmp_path: Path) -> None:
    path, model = three(tmp_path)
    text = run(path)[1]
    for place, label in enumerate("abc"):
        (line,) = (line for line in text.splitlines() if line.startswith(f"  {label}: "))
        *told, constant = line.removeprefix(f"  {label}: ").split(", ")
        order = np.argsort(-np.abs(model.coef_[place]), kind="stable")[:4]
        assert [each.split(" ", 1)[1] for each in told] == NAMES[order].tolist()
        assert constant.endswith(" (constant)")


def test_pairs_are_named(tmp_path: Path) -> None:
    path, model = three(tmp_path, multiclass="one-vs-one")
    assert "\n  b against a: " in run(path)[1]
    rows = list(csv.reader(io.StringIO(run(path, "--weights", "--csv")[1])))
    assert rows[0] == ["feature", "b against a", "c against a", "c against b"]
    np.testing.assert_array_equal(np.array(rows[1:-1])[:, 1:].astype(float).T, model.coef_)


def test_all_weights_to_the_last_bit(tmp_path: Path) -> None:
    for made in (two, three):
        path, model = made(tmp_path)
        rows = list(csv.reader(io.StringIO(run(path, "--weights", "--csv")[1])))
        found = json.loads(run(path, "--weights", "--json")[1])
        assert [row[0] for row in rows] == ["feature", *NAMES, "(constant)"]
        np.testing.assert_array_equal(np.array(rows[1:])[:, 1:].astype(float)[:-1].T, model.coef_)
        np.testing.assert_array_equal(np.array(rows[-1][1:], dtype=float), model.intercept_)
        np.testing.assert_array_equal([head["weights"] for head in found["heads"]], model.coef_)
        assert [head["intercept"] for head in found["heads"]] == model.intercept_.tolist()
        assert found["features"] == found["columns"] == NAMES.tolist()
        assert found["classes"] == model.classes_.tolist()
        assert (found["fit_intercept"], found["intercept_scaling"]) == (True, 1.0)
    assert rows[0] == ["feature", "a", "b", "c"]


def test_all_weights_for_people_the_largest_first(tmp_path: Path) -> None:
    path, model = two(tmp_path)
    first, heading, *lines = run(path, "--weights")[1].splitlines()
    assert first == "Weights above 0 speak for up, those below for down."
    assert heading.split() == ["weight", "feature"]
    assert [line.split(None, 1)[1] for line in lines[:-1]] == NAMES[np.argsort(-np.abs(model.coef_[0]))].tolist()
    assert lines[-1].endswith("(constant)")
    idle = WIDE.copy()
    idle[:, [1, 5]] = 0.0
    path = kept(tmp_path, nk.Perceptron(max_iter=10_000), idle, WIDE[:, 3] > 0)
    text = run(path, "--weights")[1]
    assert text.endswith("\n2 more are 0.\n")
    assert "column 1\n" not in text


def test_columns_without_names_are_counted_as_the_file_does(tmp_path: Path) -> None:
    (tmp_path / "a.svm").write_text("1 1:2 2:1\n-1 1:-2 2:1\n")
    path = tmp_path / "m.nvk"
    assert CliRunner().invoke(app, ["fit", str(tmp_path / "a.svm"), "-o", str(path), "-q"]).exit_code == 0
    assert json.loads(run(path, "--weights", "--json")[1])["features"] == [1, 2]
    assert json.loads(run(path, "--json")[1])["largest_weights"][0]["weights"][0]["feature"] == 1
    nk.save(nk.Perceptron().fit([[2.0, 1.0], [-2.0, 1.0]], [1, -1]), path)
    assert json.loads(run(path, "--weights", "--json")[1])["features"] == [0, 1]


def test_a_stream_that_has_met_one_label(tmp_path: Path) -> None:
    path = tmp_path / "m.nvk"
    CliRunner().invoke(app, ["learn", str(path), "-q", "--format", "jsonl"], input='{"label": "up", "x": 1}\n')
    code, text, _ = run(path)
    assert code == 0
    assert "x\n" in text
    assert run(path, "--weights")[0] == 0


def test_a_regression_speaks_for_no_label(tmp_path: Path) -> None:
    path = tmp_path / "m.nvk"
    nk.save(nk.LeastSquares().fit([[1.0], [2.0]], [2.0, 4.0]), path)
    assert "Weights:\n" in run(path)[1]
    assert json.loads(run(path, "--json")[1])["positive"] is None


def test_what_is_asked_for_and_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "m.nvk"
    nk.save(nk.Disjunction().fit([[0, 1], [1, 0]], [0, 1]), path)
    assert "Weights" not in run(path)[1]
    assert json.loads(run(path, "--json")[1])["largest_weights"] is None
    code, _, error = run(path, "--weights")
    assert (code, "Disjunction has no weights" in error) == (1, True)
    assert run(path, "--csv")[0] == 2
    assert run(path, "--weights", "--csv", "--json")[0] == 2


def test_nothing_in_a_name_writes_to_a_terminal(tmp_path: Path) -> None:
    names = np.array(["\x1b[31m", "\ud800"], dtype=object)
    path = kept(tmp_path, nk.Perceptron(), np.array([[1.0, 2.0], [-1.0, 0.5]]), ["x", "y"], names)
    for words in ((), ("--weights",)):
        code, text, _ = run(path, *words)
        assert code == 0
        assert "\x1b" not in text
    assert run(path, "--weights", "--csv")[0] == 0
