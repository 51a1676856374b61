"""A new learner is a file with its rule and its estimator, and a line in the registry."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
import scipy.sparse as sp

from novikoff import Perceptron
from novikoff.engine import loops, machine_code
from novikoff.engine.decide import STATE
from novikoff.engine.keeping import LAST
from novikoff.engine.rows import Rows
from novikoff.learners.linear import LinearLearner
from tests.rules import strider
from tests.rules.strider import Stride, Strider

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("order", ["given", "first", "worst"])
@pytest.mark.parametrize("make", [np.asarray, pytest.param(sp.csr_array, marks=pytest.mark.long)])
def test_a_rule_of_another_module_is_compiled_into_the_loops(order, make):
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (30, 3)).astype(float)
    y = np.where(X @ [1, -2, 1] + 0.5 > 0, 1, -1).astype(np.int8)
    learner = LinearLearner(Stride(), 3, 1.0, unit=False)
    outcome = learner.run(Rows(make(X), y, 1.0), order, 100)
    theirs = Perceptron(order=order, shuffle=False, max_iter=100).fit(X, y)
    assert outcome.finished
    assert np.array_equal(learner.w, 2 * np.array(list(theirs.weights([0, 1, 2, None]).values())))
    assert outcome.history.tolist() == theirs.history_.tolist()
    ours = Strider(order=order, shuffle=False, max_iter=100).fit(make(X), y)
    assert (ours.margin_[0], ours.mistakes_) == (theirs.margin_[0], theirs.mistakes_)
    assert [ours.predict_one(x) for x in X] == theirs.predict(X).tolist()


def key_of(rule):
    """The name of the machine code of `learn_dense` for a rule."""
    compiled = loops.learn_dense
    types = tuple(numba.typeof(one) for one in (np.zeros(1), 1, np.zeros(2), LAST, rule, np.zeros(1, dtype=STATE)))
    machine_code.digest_of_sources.cache_clear()
    return compiled._cache._key(types, compiled.targetctx.codegen())


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is no machine code")
def test_machine_code_goes_by_the_text_of_the_rule(tmp_path, monkeypatch):
    """Of rules that have the same name, too."""
    keys = []
    try:
        for step in ("2.0", "3.0", "2.0"):
            file = tmp_path / "somebodys_rule.py"
            file.write_text(Path(strider.__file__).read_text().replace("return 2.0", f"return {step}"))
            spec = importlib.util.spec_from_file_location("somebodys_rule", file)
            module = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, "somebodys_rule", module)
            spec.loader.exec_module(module)
            keys.append(key_of(module.Stride()))
    finally:
        machine_code.digest_of_sources.cache_clear()
    different = [key.rpartition("[")[2] for key in keys]  # the digests of the sources
    assert different[0] == different[2] != different[1]


@pytest.mark.long
def test_one_file_and_one_line_bring_a_learner_everywhere(tmp_path):
    copy = tmp_path / "src"
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    estimators = copy / "novikoff" / "estimators"
    shutil.copy(ROOT / "tests" / "rules" / "strider.py", estimators / "strider.py")
    registry = (estimators / "registry.py").read_text()
    for before, line in (
        ("from novikoff.estimators.winnow import", "from novikoff.estimators.strider import Strider\n"),
        ("        Entry(MaxMarginClassifier,", "        Entry(Strider, (theory.RADIUS,), grows=True),\n"),
    ):
        assert registry.count(before) == 1
        registry = registry.replace(before, line + before)
    (estimators / "registry.py").write_text(registry)
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.rules.everywhere", str(copy)],
        cwd=tmp_path / "work",
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(copy), str(ROOT)]),
            "NOVIKOFF_CACHE_DIR": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.split()) == 7
