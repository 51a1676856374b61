"""What each row weighs: sample_weight, the importance that a file states, and class_weight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.labels import column

Weights = NDArray[np.float64]


class Weighed(NamedTuple):
    """The rows of positive weight."""

    X: Any
    y: Any
    weights: Weights | None = None  # None if all are 1
    places: NDArray[np.intp] | None = None  # where they were; None if no row is missing


def weighed(X: Any, y: Any, given: Any, class_weight: Any, known: Any = ()) -> Weighed:
    """The rows of positive weight with their labels and weights.

    Parameters
    ----------
    X, y : a float array or CSR matrix, and its labels
    given : a weight for each row, or None
    class_weight : None, "balanced", or a dict from label to weight
    known : labels that ``class_weight`` may have beside those of y; None if any other may come
    """
    if given is None and class_weight is None:
        return Weighed(X, y)
    y = column(y, X.shape[0])
    weights = inputs.sample_weights(given, X.shape[0])
    if class_weight is not None:
        with np.errstate(over="ignore"):  # which is refused below
            weights = weights * _of_classes(class_weight, y, weights > 0, known)
        _check_products(weights)
    kept = np.flatnonzero(weights)
    places = None
    if len(kept) < len(weights):
        X, y, weights, places = X[kept], y[kept], weights[kept], kept
    return Weighed(X, y, None if (weights == 1).all() else weights, places)


def _of_classes(class_weight: Any, y: NDArray[Any], there: NDArray[np.bool_], known: Any) -> Weights:
    """That of the class of each row; "balanced" counts the rows that are there."""
    classes = [inputs.item(label) for label in inputs.distinct(y)]
    codes = np.searchsorted(inputs.distinct(y), y)
    if class_weight == "balanced":
        counts = np.bincount(codes[there], minlength=len(classes))
        found = int(there.sum()) / (np.count_nonzero(counts) * np.maximum(counts, 1))
        return np.asarray(found[codes], dtype=np.float64)
    others = None if known is None else [inputs.item(label) for label in known if inputs.item(label) not in classes]
    _check_dict(class_weight, None if others is None else classes + others)
    return np.array([float(class_weight.get(label, 1.0)) for label in classes])[codes]


def _check_dict(class_weight: Mapping[Any, Any], classes: list[Any] | None) -> None:
    for label, weight in class_weight.items():
        if classes is not None and inputs.item(label) not in classes:
            shown = ", ".join(map(repr, classes[:10]))
            raise ValueError(f"class_weight has {label!r}, which is no label of y: these are {shown}")
        if not isinstance(weight, Real) or not 0 <= float(weight) < math.inf:
            raise ValueError(f"class_weight[{label!r}] = {weight!r}: a finite number >= 0 is expected")


def _check_products(weights: Weights) -> None:
    bad = np.flatnonzero(~np.isfinite(weights))
    if len(bad):
        raise ValueError(f"sample_weight[{bad[0]}] times the weight of its class is no float: take smaller ones")
    if not weights.any():
        raise ValueError("every row has the weight 0: no example is left")
