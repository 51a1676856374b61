"""The online protocol over a batch, for any learner that can follow it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.estimators.linear import LinearClassifier
from novikoff.examples import Said
from novikoff.inputs import Examples, RowError, item

NOTHING = Said(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.bool_))


class Answers(NamedTuple):
    """What was said of the rows of a batch, before the label of each was learned."""

    said: NDArray[Any]  # labels
    wrong: NDArray[np.bool_]
    labelled: NDArray[np.bool_]  # others are not learned, and not wrong


class RefusedError(ValueError):
    """An example that cannot be learned from; those before it in the batch have been, and their answers are here."""

    def __init__(self, error: ValueError, answers: Answers) -> None:
        # Where it is in the batch says nothing to somebody who sees a stream.
        super().__init__(re.sub(r"\brow \d+\b", "the example", re.sub(r"^y\[\d+\] =", "the label", str(error))))
        self.answers = answers


def rounds(model: Any, examples: Examples, classes: Any = None) -> Answers:
    """The label predicted for each row before its true one was learned, and whether it was wrong.

    Labels that are not known (None or NaN) are not learned, and no prediction is wrong there. If a row is refused,
    those before it have been learned, and the `RefusedError` has their answers.
    """
    y = np.full(examples.X.shape[0], np.nan) if examples.y is None else examples.y
    known = y == y if y.dtype.kind == "f" else np.array([label is not None for label in y.tolist()])
    refused: ValueError | None = None
    if isinstance(model, LinearClassifier):
        try:
            answers = model._online_answers(replace(examples, y=y), classes)
        except RowError as error:
            refused, answers = error, error.said or NOTHING
        said = model._named(answers.places)
        wrong = known[: len(said)] & ((said != y[: len(said)]) | answers.undecided)
    else:
        said, refused = _one_by_one(model, examples.X, y, known, classes)
        wrong = known[: len(said)] & (said != y[: len(said)])
    found = Answers(said, wrong, known[: len(said)])
    if refused is not None:
        raise RefusedError(refused, found) from None
    return found


def _one_by_one(
    model: Any, X: Any, y: NDArray[Any], known: NDArray[np.bool_], classes: Any
) -> tuple[NDArray[Any], ValueError | None]:
    if not hasattr(model, "learn_one") and not hasattr(model, "partial_fit"):
        raise ValueError(f"{type(model).__name__} learns from all examples at once, not from a stream: use fit")
    answer = _learn_one if hasattr(model, "learn_one") else _learn_batch
    said: list[Any] = []
    try:
        for i in range(len(y)):
            said.append(answer(model, X[[i]], y[[i]] if known[i] else None, classes))
    except ValueError as error:
        return np.array(said), error
    return np.array(said), None


def _learn_one(model: Any, X: Any, y: NDArray[Any] | None, classes: Any) -> Any:
    x = X if hasattr(X, "indptr") else X[0]
    said = model.predict_one(x)
    if y is not None:
        model.learn_one(x, item(y[0]))
    return said


def _learn_batch(model: Any, X: Any, y: NDArray[Any] | None, classes: Any) -> Any:
    """Before the first label, what is predicted is the first class."""
    fitted = hasattr(model, "classes_")
    said = model.predict(X)[0] if fitted else sorted(classes or (-1, 1))[0]
    if y is not None:
        model.partial_fit(X, y, classes=None if fitted else classes)
    return said
