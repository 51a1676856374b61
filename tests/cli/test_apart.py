"""Heads that are learned apart, through the commands."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from typer.testing import CliRunner

import novikoff as nk
from novikoff.cli import app

KINDS = pytest.mark.parametrize("kind", ["one-vs-rest", "one-vs-one"])
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 60)
X = RNG.integers(-3, 4, (60, 3)) + 3.0 * np.eye(3)[Y]


def run(*words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = CliRunner().invoke(app, list(map(str, words)))
    return result.exit_code, result.stdout, result.output


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    rows = [",".join(map(str, [*x, "abc"[label]])) for x, label in zip(X.tolist(), Y.tolist(), strict=True)]
    path.write_text("u,v,w,kind\n" + "\n".join(rows) + "\n")
    return path


@KINDS
def test_a_model_is_fitted_described_and_asked(kind, table, tmp_path):
    file = tmp_path / "m.nvk"
    options = ["-s", f"multiclass={kind}", "-s", "max_iter=5", "--label", "kind", "--cache-dir", tmp_path / "cache"]
    code, out, _ = run("fit", table, "-o", file, *options, "--quiet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        examples = nk.data.read(table, label="kind")
        model = nk.Perceptron(multiclass=kind, max_iter=5).fit(examples)
    assert code == 0
    assert out.startswith(model.summary())
    assert nk.load(file).coef_.tobytes() == model.coef_.tobytes()
    code, out, _ = run("predict", file, table)
    assert out.split() == model.predict(examples).tolist()
    code, out, _ = run("predict", file, table, "--scores", "--json")
    assert code == 0
    code, out, _ = run("eval", file, table, "--json")
    assert json.loads(out)["mistakes"] == np.sum(model.predict(examples) != np.array(list("abc"))[Y])
    code, _, text = run("explain", file, table)
    assert code == (0 if kind == "one-vs-rest" else 1)
    assert ("share" in text) if kind == "one-vs-rest" else ("pairs of classes vote" in text)


@KINDS
def test_a_stream_is_learned_line_by_line(kind, table, tmp_path):
    file = tmp_path / "m.nvk"
    code, out, text = run("learn", file, table, "-s", f"multiclass={kind}", "--label", "kind", "--quiet")
    loop, said = nk.Perceptron(multiclass=kind), []
    for x, label in zip(X, Y, strict=True):
        said.append(loop.predict_one(x))
        loop.learn_one(x, "abc"[label])
    assert code == 0, text
    assert nk.load(file).coef_.tobytes() == loop.coef_.tobytes()
    answers = out.split()
    assert len(answers) == 60
    assert all(told == label for told, label in zip(answers[10:], said[10:], strict=True) if label is not None)


@KINDS
def test_a_run_of_many_heads_keeps_no_checkpoint(kind, table, tmp_path, caplog):
    model = nk.Perceptron(multiclass=kind, max_iter=3)
    with pytest.warns(ConvergenceWarning):
        nk.fit_file(model, table, label="kind", cache=tmp_path / "cache", resume=True)
    assert "there is no checkpoint of this run" in caplog.text
