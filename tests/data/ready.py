"""What a process of the tests begins with: the kernels of the learners that it fits."""

import tempfile
import warnings
from pathlib import Path

import novikoff as nk
from tests.data.runs import SHUFFLED, WORST, hard, learner

with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
    path = hard(Path(folder, "a.svm"))
    for model in (SHUFFLED, WORST, "Perceptron(max_iter=2)"):
        nk.fit_file(learner(model), path, cache=Path(folder, "copies"))
