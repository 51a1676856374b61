"""``weight=COLUMN``: a column of a table weighs the rows, and is no feature."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import novikoff as nk
from novikoff import data
from novikoff.cli import app

FRAME = pd.DataFrame(
    {
        "a": [1.0, 2.0, -1.0, 3.0, 0.5],
        "w": [2.0, 1.0, 0.0, 5.0, 0.25],
        "colour": ["red", "blue", "red", "green", "blue"],
        "b": [2.0, 1.0, 3.0, -1.0, 4.0],
        "y": ["yes", "no", "no", "no", "yes"],
    }
)
FORMATS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "arrow": lambda frame, path: frame.to_feather(path),
}


def written(frame, folder, kind="csv"):
    path = folder / f"table.{kind}"
    FORMATS[kind](frame, path)
    return path


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("left_out", ["colour", "nothing"])
def test_the_others_are_read_as_if_it_were_not_there(kind, left_out, tmp_path):
    frame = FRAME.drop(columns=[left_out], errors="ignore")
    expected = data.read(written(frame.drop(columns="w"), tmp_path, kind))
    path = written(frame, tmp_path, kind)
    found = data.read(path, weight="w")
    assert found.names.tolist() == expected.names.tolist()
    assert np.array_equal(dense(found.X), dense(expected.X))
    assert sp.issparse(found.X) == sp.issparse(expected.X)
    assert found.y.tolist() == expected.y.tolist()
    assert found.weights.tolist() == FRAME["w"].tolist()
    assert found.reading.weight == "w"
    parts = list(data.stream(path, 2, weight="w"))
    assert np.concatenate([part.weights for part in parts]).tolist() == FRAME["w"].tolist()
    assert parts[-1].names.tolist() == expected.names.tolist()


def test_a_fit_to_the_file_is_the_fit_with_these_weights(tmp_path):
    path = written(FRAME.drop(columns="colour"), tmp_path)
    X, y = FRAME[["a", "b"]].to_numpy(), FRAME["y"].to_numpy()
    there = nk.Perceptron().fit(X, y, sample_weight=FRAME["w"])
    for model in (
        nk.Perceptron().fit(data.read(path, weight="w")),
        nk.fit_file(nk.Perceptron(), path, weight="w", cache=tmp_path / "copies"),
    ):
        assert model.coef_.tolist() == there.coef_.tolist()
        assert model.weight_of_updates_ == there.weight_of_updates_ > there.updates_
        assert model.feature_names_in_.tolist() == ["a", "b"]


def test_a_model_reads_files_with_it_and_without(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(FRAME, tmp_path)
    run = CliRunner().invoke
    assert run(app, ["fit", str(path), "--weight", "w", "-o", "m.nvk", "-q"]).exit_code == 0
    model = nk.load("m.nvk")
    assert model.weight_of_updates_ > model.updates_
    assert "w" not in model.feature_names_in_.tolist()
    said = run(app, ["predict", "m.nvk", str(path)]).stdout
    assert said.split() == model.predict(data.read(path, weight="w")).tolist()
    bare = written(FRAME.drop(columns=["w", "y"]), tmp_path, "parquet")
    assert run(app, ["predict", "m.nvk", str(bare)]).stdout == said
    ours = data.read(path, weight="w", columns=tuple(model.feature_names_in_.tolist()))
    assert ours.names.tolist() == model.feature_names_in_.tolist()
    assert ours.weights.tolist() == FRAME["w"].tolist()
    assert "weighs every example 1" in run(app, ["learn", "m.nvk", str(path), "--weight", "w"]).stderr


def test_a_certificate_records_it_and_does_not_choose_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(FRAME, tmp_path)
    run = CliRunner().invoke
    assert run(app, ["certify", str(path), "--weight", "w", "-o", "proof.json", "-q"]).exit_code == 0
    refused = run(app, ["verify", "proof.json", str(path)])
    assert refused.exit_code == 1
    assert "read with --weight w" in refused.output
    for own in (["--weight", "w"], ["-r", "weight=w"], ["--as-recorded"]):
        assert run(app, ["verify", "proof.json", str(path), *own]).stdout.startswith("Valid.")


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("z", "no column of numbers 'z' for the weights: the columns are 'a', 'w', 'b'"),
        ("y", "no column of numbers 'y' for the weights: it holds the labels"),
        ("colour", "no column of numbers 'colour' for the weights"),
    ],
)
def test_a_column_that_is_none_of_numbers(weight, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        data.read(written(FRAME, tmp_path), weight=weight)


def test_weights_that_are_none(tmp_path):
    path = written(FRAME.assign(w=[1.0, 2.0, 3.0, -0.5, 1.0]), tmp_path)
    with pytest.raises(ValueError, match=r"table\.csv, example 4: the weight -0\.5 is negative"):
        data.read(path, weight="w")
    path.write_text("a,w,y\n1,2,0\n2,,1\n")
    with pytest.raises(ValueError, match=r"line 3, column 2: the value is missing"):
        data.read(path, weight="w")
    assert data.read(path, weight="w", missing="zero").weights.tolist() == [2.0, 0.0]
    with pytest.raises(ValueError, match="missing='column' gives a missing weight a column"):
        data.read(path, weight="w", missing="column")
    with pytest.raises(ValueError, match="the name of a column is expected"):
        data.read(path, weight=1)
    path.write_text("1,2,0\n2,3,1\n")
    with pytest.raises(ValueError, match="the columns have none"):
        data.read(path, weight="w")
    (tmp_path / "a.vw").write_text("1 |f a:1\n-1 |f b:1\n")
    with pytest.raises(ValueError, match=r"names a column of a table \(csv, tsv, parquet, arrow, arff\)"):
        data.read(tmp_path / "a.vw", weight="a")
