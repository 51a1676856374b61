"""The online protocol over a batch, for any learner that can follow it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.estimators.linear import LinearClassifier
from novikoff.inputs import Examples


def rounds(model: Any, examples: Examples, classes: Any = None) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The label predicted for each row before its true one was learned, and whether it was wrong.

    Labels that are not known (None or NaN) are not learned, and no prediction is wrong there.
    """
    y = np.full(examples.X.shape[0], np.nan) if examples.y is None else examples.y
    known = y == y if y.dtype.kind == "f" else np.array([label is not None for label in y.tolist()])
    if isinstance(model, LinearClassifier):
        scores = model.online_scores(Examples(examples.X, y, examples.names, examples.weights), classes)
        said = model.sides(scores)
        return said, known & ((said != y) | model.undecided(scores))
    if hasattr(model, "learn_one"):
        said = _one_by_one(model, examples.X, y, known)
    elif hasattr(model, "partial_fit"):
        said = _batch_by_batch(model, examples.X, y, known, classes)
    else:
        raise ValueError(f"{type(model).__name__} learns from all examples at once, not from a stream: use fit")
    return said, known & (said != y)


def _one_by_one(model: Any, X: Any, y: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[Any]:
    said = []
    for i, label in enumerate(y.tolist()):
        x = X[[i]] if hasattr(X, "indptr") else X[i]
        said.append(model.predict_one(x))
        if known[i]:
            model.learn_one(x, label)
    return np.array(said)


def _batch_by_batch(model: Any, X: Any, y: NDArray[Any], known: NDArray[np.bool_], classes: Any) -> NDArray[Any]:
    """Before the first label, what is predicted is the first class."""
    said = []
    for i in range(X.shape[0]):
        fitted = hasattr(model, "classes_")
        said.append(model.predict(X[[i]])[0] if fitted else sorted(classes or (-1, 1))[0])
        if known[i]:
            model.partial_fit(X[[i]], y[[i]], classes=None if fitted else classes)
    return np.array(said)
