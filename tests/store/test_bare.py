"""Predictions of a model file without scikit-learn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.store import bare, container

rng = np.random.default_rng(5)
X = rng.standard_normal((60, 4))
Y = np.where(X @ [1.0, -2.0, 0.5, 0.0] > 0.2, "yes", "no")
KINDS = np.array(["no", "perhaps", "so", "yes"])[rng.integers(0, 4, len(X))]
MODELS = {
    "perceptron": nk.Perceptron(at_zero="positive"),
    "sphere": nk.Perceptron(scale="sphere", intercept_scaling=2.0),
    "margin": nk.MarginPerceptron(fit_intercept=False, max_iter=5),
    "passive": nk.PassiveAggressive(),
    "best": nk.MaxMarginClassifier(C=1.0),
    "pairs": nk.Perceptron(multiclass="one-vs-one"),
}

WITHOUT = """
import json, sys
sys.modules["sklearn"] = None  # whoever imports it fails
import numpy as np
from novikoff.store import bare
X = np.load(sys.argv[1])
print(json.dumps([bare.load(path).predict(X).tolist() for path in sys.argv[2:]]))
"""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_it_predicts_as_the_estimator_where_there_is_no_scikit_learn(tmp_path: Path) -> None:
    models = {name: model.fit(X, KINDS if name == "pairs" else Y) for name, model in MODELS.items()}
    paths = [tmp_path / f"{name}.nvk" for name in models]
    for path, model in zip(paths, models.values(), strict=True):
        nk.save(model, path)
    rows = np.concatenate([X, -X, np.zeros((1, 4))])
    np.save(tmp_path / "rows.npy", rows)
    command = [sys.executable, "-c", WITHOUT, str(tmp_path / "rows.npy"), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    told = json.loads(done.stdout)
    for name, model, labels in zip(models, models.values(), told, strict=True):
        assert labels == model.predict(rows).tolist(), name


def test_scores_are_those_of_the_decision_function_for_every_storage(tmp_path: Path) -> None:
    model = nk.Perceptron().fit(X, Y)
    nk.save(model, tmp_path / "a.nvk")
    plane = bare.load(tmp_path / "a.nvk")
    assert plane.classes.tolist() == ["no", "yes"]
    for storage in (np.asarray, sp.csr_array, np.ndarray.tolist):
        scores = plane.scores(storage(X))
        assert np.array_equal(scores, model.decision_function(storage(X)))
        # The signs are exact; the rest of a score is rounded in the order that suits its storage.
        assert np.array_equal(np.sign(scores), np.sign(model.decision_function(X)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("hypothesis", ["best", "average", "last"])
@pytest.mark.parametrize("multiclass", ["one-vs-rest", "one-vs-one"])
def test_heads_that_were_learned_apart_tell_its_classes(multiclass: str, hypothesis: str, tmp_path: Path) -> None:
    model = nk.Perceptron(multiclass=multiclass, hypothesis=hypothesis, max_iter=7).fit(X, KINDS)
    nk.save(model, tmp_path / "a.nvk")
    found = bare.load(tmp_path / "a.nvk")
    for storage in (np.asarray, sp.csr_array):
        assert found.scores(storage(X)).tobytes() == model.decision_function(storage(X)).tobytes()
        assert found.predict(storage(X)).tolist() == model.predict(storage(X)).tolist()
    with pytest.raises(ValueError, match="row 0 of X has an entry that is not finite"):
        found.predict([[np.nan] * 4])
    content = container.read(tmp_path / "a.nvk")
    content.header["classes"]["values"] = content.header["classes"]["values"][:3]
    (tmp_path / "b.nvk").write_bytes(b"".join(container.pack(content.header, content.arrays)))
    with pytest.raises(nk.InvalidModel, match="its weights do not tell its labels apart"):
        bare.load(tmp_path / "b.nvk")


def test_a_stream_with_one_label_so_far(tmp_path: Path) -> None:
    model = nk.Perceptron().learn_one([1.0, 0.0], "yes")
    nk.save(model, tmp_path / "a.nvk")
    rows = np.array([[1.0, 0.0], [-3.0, 0.0]])
    assert np.sign(model.decision_function(rows)).tolist() == [-1, 1], "the second is on the side of no label"
    assert bare.load(tmp_path / "a.nvk").predict(rows).tolist() == model.predict(rows).tolist() == ["yes", "yes"]


def test_features_that_grew_are_the_columns(tmp_path: Path) -> None:
    model = nk.Perceptron()
    for i in range(18):
        model.learn_one({f"w{j}": 1.0 + j for j in range(i % 5 + 1)}, i % 2 == 0)
    nk.save(model, tmp_path / "a.nvk")
    plane = bare.load(tmp_path / "a.nvk")
    assert plane.names == [f"w{j}" for j in range(5)]
    rows = np.eye(5) * 3.0 - 1.0
    expected = [model.sign_one({f"w{j}": row[j] for j in range(5)}) for row in rows]
    assert np.sign(plane.scores(rows)).tolist() == expected
    assert any(expected)


def test_files_of_the_first_version_are_read() -> None:
    path = Path(__file__).parent / "version1" / "max-margin.nvk"
    model = nk.load(path)
    rows = rng.standard_normal((5, model.n_features_in_))
    assert np.array_equal(bare.load(path).scores(rows), model.decision_function(rows))


def test_what_is_no_hyperplane_is_refused(tmp_path: Path) -> None:
    nk.save(nk.MonotoneConjunction().fit([[1, 0]], [1]), tmp_path / "a.nvk")
    with pytest.raises(nk.InvalidModel, match=r"a\.nvk: a MonotoneConjunction has no hyperplane"):
        bare.load(tmp_path / "a.nvk")
    nk.save(nk.Perceptron().fit(X, Y), tmp_path / "b.nvk")
    plane = bare.load(tmp_path / "b.nvk")
    with pytest.raises(ValueError, match=r"X has shape \(2, 3\), but the model has 4 features"):
        plane.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="row 1 of X has an entry that is not finite"):
        plane.predict([[0.0] * 4, [np.nan] * 4])


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("rule_zero", 2, "rule_zero is 2"),
        ("constant", -1.0, "constant is -1.0"),
        ("unit", 7, "unit is 7"),
    ],
)
def test_a_lie_has_its_sentence(key: str, value: object, told: str, tmp_path: Path) -> None:
    nk.save(nk.Perceptron().fit(X, Y), tmp_path / "a.nvk")
    content = container.read(tmp_path / "a.nvk")
    content.header["state"][key] = value
    (tmp_path / "b.nvk").write_bytes(b"".join(container.pack(content.header, content.arrays)))
    with pytest.raises(nk.InvalidModel, match=told):
        bare.load(tmp_path / "b.nvk")
