"""The predictions of a model file, without scikit-learn: for a place where models are used and not made."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.heads import Heads
from novikoff.engine.rows import BadRowError, Rows
from novikoff.labels import Labels
from novikoff.learners.committee import PAIRS, divisions, signs_of, votes
from novikoff.learners.linear import mean
from novikoff.learners.state import BadState, State, require
from novikoff.standardization import Standardization
from novikoff.store import container, scaling
from novikoff.store.container import InvalidModel
from novikoff.store.header import sections


class Hyperplane:
    """Two classes on the two sides of w, or more with a vector each or one for each pair, as the model file has them.

    Attributes
    ----------
    classes : the labels; of two the second is +
    names : of the columns, or None
    """

    def __init__(
        self,
        classes: NDArray[Any],
        names: list[Any] | None,
        W: NDArray[np.float64],
        constant: float,
        unit: bool,
        zero: int,
        *,
        pairs: bool = False,
        standardization: Standardization | None = None,
    ) -> None:
        self.classes, self.names, self._pairs = classes, names, pairs
        self._W, self._constant, self._unit, self._zero = W, constant, unit, zero
        self._standardization = standardization

    def scores(self, X: Any) -> NDArray[np.float64]:
        """<w,x> with the exact sign, or a column for each class, as ``decision_function`` of the estimator has them.

        Parameters
        ----------
        X : array or CSR matrix of shape (n, d)
        """
        X = X if hasattr(X, "indptr") else np.ascontiguousarray(X, dtype=np.float64)
        width = self._W.shape[1] - 1
        if len(X.shape) != 2 or X.shape[1] != width:
            raise ValueError(f"X has shape {X.shape}, but the model has {width} features")
        if self._standardization is not None:
            X = self._standardization.rows(X)
        rows = Rows(X, np.empty(0, dtype=np.int8), self._constant, unit=self._unit)
        try:
            if self._pairs:
                k = len(self.classes)
                return votes(np.column_stack([rows.scores(w) for w in self._W]), signs_of(divisions(PAIRS, k), k))
            if len(self._W) > 1:
                return rows.rankings(Heads(self._W, np.zeros(len(self._W))))
            return rows.scores(self._W[0])
        except BadRowError as bad:
            raise ValueError(f"row {bad.row} of X has an entry that is not finite") from None

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels, as the estimator predicts them."""
        scores = self.scores(X)
        if scores.ndim == 2:
            return np.asarray(self.classes[scores.argmax(axis=1)])
        positive = scores >= 0 if self._zero > 0 else scores > 0
        # Of a stream with one label so far there is no other to say.
        return np.asarray(self.classes[np.minimum(positive.astype(np.intp), len(self.classes) - 1)])


def load(path: str | os.PathLike[str]) -> Hyperplane:
    """The hyperplane of a model file; `InvalidModel` if it holds none.

    Parameters
    ----------
    path : a file that `novikoff.save` wrote, of a perceptron of any kind or a MaxMarginClassifier

    Examples
    --------
    >>> import tempfile
    >>> import novikoff as nk
    >>> from novikoff.store import bare
    >>> clf = nk.Perceptron().fit([[2, 1], [3, 0], [0, 2], [-1, 1]], ["in", "in", "out", "out"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.save(clf, folder + "/model.nvk")
    ...     print(bare.load(folder + "/model.nvk").predict([[4, 1]]))
    ['in']
    """
    header, state = sections(container.read(path))
    try:
        standardization = scaling.from_state(state, grows=True)
        require(state.classes is not None and "constant" in state.values, f"a {header['learner']} has no hyperplane")
        assert state.classes is not None
        W = np.atleast_2d(state.array("w", "<f8", *([None] * state.dimensions("w"))))
        require(
            W.shape[1] > state.width and np.isfinite(W).all(), "its weights are not those of its columns, or not finite"
        )
        k, pairs = len(state.classes), state.values.get("kind") == PAIRS
        heads = len(divisions(PAIRS, k)) if pairs else Labels(state.classes).heads
        require(len(W) == heads, "its weights do not tell its labels apart")
        W = _predicting(state, W)
        zero = state.integer("rule_zero" if "rule_zero" in state.values else "zero", -1, 1)
        constant, unit = state.number("constant", 0.0), bool(state.integer("unit", 0, 1))
    except BadState as error:
        raise InvalidModel(f"{os.fspath(path)}: {error}") from None
    used = np.concatenate([W[:, : state.width], W[:, -1:]], axis=1)
    return Hyperplane(
        state.classes,
        state.names,
        used,
        constant,
        unit=unit,
        zero=zero,
        pairs=pairs,
        standardization=standardization,
    )


def _predicting(state: State, W: NDArray[np.float64]) -> NDArray[np.float64]:
    """What predicts in the place of W: the hypothesis that a run returned, or the average over all rounds."""
    if "chosen" in state.arrays:
        W = state.array("chosen", "<f8", *W.shape)
    elif "tilt" in state.arrays:
        tilt = state.array("tilt", "<f8", *W.shape)
        apart = "kind" in state.values  # heads that were learned apart, each in rounds of its own
        rounds = state.each("rounds", len(W)) if apart else [state.integer("rounds")] * len(W)
        require(all(type(count) is int and count >= 0 for count in rounds), "rounds are not counted by integers")
        W = np.concatenate([mean(W[r : r + 1], tilt[r : r + 1], count) for r, count in enumerate(rounds)])
    require(np.isfinite(W).all(), "a weight is not finite")
    return W
