"""The weights of a model by the names of its features, and by the labels that they speak for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import item, written
from novikoff.learners.committee import PAIRS, divisions


class Head(NamedTuple):
    """One vector of weights: a score above 0 speaks for a label, one below 0 for the other, if that is one."""

    label: Any = None  # None of a regression, and of a stream that has met one label so far
    other: Any = None  # None if all others are meant

    def __str__(self) -> str:
        return written(self.label) if self.other is None else f"{written(self.label)} against {written(self.other)}"


@dataclass(frozen=True, eq=False)
class NamedWeights:
    """The weights of a model, a row for each head, and what rows and columns stand for."""

    features: Sequence[Any]  # names; or the numbers of the columns, as the file counts them
    heads: list[Head]
    W: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    @classmethod
    def of(cls, model: Any, names: Sequence[Any] | None = None) -> NamedWeights | None:
        """Those of a fitted model; None if it has no weights.

        Parameters
        ----------
        model : a fitted estimator
        names : of the features, where the model does not tell them itself
        """
        if not hasattr(model, "coef_"):
            return None
        features = feature_names(model, names)
        W = np.atleast_2d(model.coef_)[:, : len(features)]  # on a stream there may be room for more
        return cls(features, _heads(model, len(W)), W, np.ravel(model.intercept_))

    def largest(self, head: int, count: int) -> NDArray[np.intp]:
        """The columns of its largest weights by absolute value, without those that are 0."""
        w = self.W[head]
        order = np.argsort(-np.abs(w), kind="stable")[:count]
        found: NDArray[np.intp] = order[w[order] != 0]
        return found


def feature_names(model: Any, names: Sequence[Any] | None = None) -> Sequence[Any]:
    """What the features of a model are called; without names they are counted, as the file counts its columns."""
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [item(name) for name in names]
    first = int((getattr(model, "reading_", None) or {}).get("zero_based") is False)
    return range(first, first + int(model.n_features_in_))


def _heads(model: Any, count: int) -> list[Head]:
    labels = [item(label) for label in getattr(model, "classes_", ())]
    if len(labels) < 2:
        return [Head()]
    if len(labels) == 2:
        return [Head(labels[1], labels[0])]
    if getattr(model, "multiclass", "") == PAIRS:
        return [Head(labels[positive], labels[negative]) for negative, positive in divisions(PAIRS, len(labels))]
    return [Head(label) for label in labels[:count]]
