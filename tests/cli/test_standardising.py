"""`novikoff fit --standardize`, and what the other commands do with such a model, without an option."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import novikoff as nk
from novikoff import data
from novikoff.cli import app
from tests.data.test_standardising import NAMES, X, Y, table

assert table  # a fixture


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def model(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    answer = run("fit", table, "-o", "m.nvk", "--standardize", "-q", "--cache-dir", "copies")
    assert answer.exit_code == 0, answer.output
    assert "Columns are standardised, each minus its mean, divided by its standard deviation" in answer.stdout
    return tmp_path / "m.nvk"


def test_a_model_file_says_how(model: Path) -> None:
    told = run("inspect", model).stdout
    kept = nk.load(model).standardization_
    assert re.search(r"\(income - 9[0-9.]+\) / 3[0-9.]+, \(age - ", told)
    assert "(always - 7.5) / 1." in told
    assert "R, margins and bounds are of standardised rows; the model takes rows as they are." in told
    record = json.loads(run("inspect", model, "--json").stdout)
    assert record["standardization"] == {"means": kept.means.tolist(), "scales": kept.scales.tolist()}


def test_predictions_are_those_on_raw_rows(model: Path, table: Path) -> None:
    expected = nk.load(model).predict(data.read(table)).tolist()
    assert run("predict", model, table).stdout.split() == expected == Y.tolist()
    assert "0 mistakes on 80 examples" in run("eval", model, table).stdout
    assert "Cross-validated in 4 folds: " in run("eval", model, table, "--folds", "4").stdout
    assert "0 mistakes on 80 labelled examples" in run("learn", model, table).stderr


def test_shares_are_those_of_standardised_values(model: Path, table: Path) -> None:
    record = json.loads(run("explain", model, table, "--row", "3", "--json").stdout)
    clf = nk.load(model)
    z = clf.standardization_.rows(X[[3]])[0]
    assert len(record["shares"]) == 3, "a column of one value has no share"
    for part in record["shares"]:
        j = NAMES.index(part["feature"])
        assert (part["value"], part["standardised"]) == (X[3, j], z[j])
        assert part["share"] == z[j] * clf.coef_[0, j]
    total = sum(part["share"] for part in record["shares"]) + record["intercept"]
    assert np.isclose(total, record["score"])
    head = run("explain", model, table).stdout.splitlines()[1].split()
    assert head == ["feature", "value", "standardised", "weight", "share"]


def test_a_report_is_about_the_rows_as_learned(model: Path, table: Path) -> None:
    answer = run("report", table, "-o", "report.html", "--model", model, "-q")
    assert answer.exit_code == 0, answer.output
    assert "That is about these rows as the model learns from them, with standardised columns." in answer.stdout
    page = Path("report.html").read_text("utf-8")
    clf, ds = nk.load(model), data.read(table)
    Z = clf.standardization_.rows(ds.X)
    assert nk.certify(Z, ds.y).about.digest in page
    assert "All that this page says of rows and columns is about the standardised ones." in page
    assert "rows = model.standardization_.rows(data.X)" in page
    assert "learned from other rows than these" not in page
    assert "no bound on the error on new rows: nothing follows for new data: its columns" in page.lower()
    same = nk.report(clf, ds, title=f"Report on {table}")
    assert same.certificate.about.digest == nk.certify(Z, ds.y).about.digest
    assert "standardize=True)" in same.html


def test_what_cannot_be_standardised(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = run("fit", table, "-o", "m.nvk", "--standardize", "--learner", "winnow", "--cache-dir", "copies")
    assert refused.exit_code == 1
    assert "Winnow learns from 0 and 1" in refused.stderr
    assert "leave out standardize (--standardize)" in refused.stderr
    assert run("certify", table, "--standardize").exit_code == 2
    (tmp_path / "xor.csv").write_text("a,b,label\n0,0,0\n1,1,0\n0,1,1\n1,0,1\n")
    proof = run("fit", "xor.csv", "-o", "m.nvk", "--standardize", "--learner", "max-margin", "--cache-dir", "copies")
    assert proof.exit_code == 10
    assert "That is about the rows with standardised columns" in proof.stderr
