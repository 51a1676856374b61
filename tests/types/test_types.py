"""What an editor and a type checker know of the public names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from novikoff.descent.run import METHODS, Method
from novikoff.estimators.registry import REGISTRY, Model
from novikoff.learners.passive_aggressive import VARIANTS, Variant
from novikoff.learners.perceptron import AT_ZERO, AtZero

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
USES = HERE / "uses.py"
MARK = re.compile(r"# error: ([a-z-]+)$")
TOLD = re.compile(r"^\S+uses\.py:(\d+): error: .*\[([a-z-]+)\]$", re.MULTILINE)


def test_a_model_is_any_of_the_registry():
    assert list(get_args(Model)) == [entry.estimator for entry in REGISTRY.values()]


@pytest.mark.parametrize(("words", "used"), [(AtZero, AT_ZERO), (Variant, VARIANTS), (Method, METHODS)])
def test_the_words_that_a_type_has_are_those_that_mean_something(words, used):
    assert set(get_args(words)) == set(used)


def test_a_type_checker_tells_each_wrong_use_and_no_right_one():
    lines = USES.read_text(encoding="utf-8").splitlines()
    wrong = {(number, found[1]) for number, line in enumerate(lines, 1) if (found := MARK.search(line))}
    options = ["--config-file", "pyproject.toml", "--no-pretty", "--hide-error-context"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, USES.relative_to(ROOT)], cwd=ROOT, capture_output=True, text=True
    )
    told = {(int(found[1]), found[2]) for found in TOLD.finditer(done.stdout)}
    assert len(wrong) > 20
    assert told == wrong, done.stdout + done.stderr
