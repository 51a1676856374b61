"""The online protocol over a batch: predict, see the label, learn, row by row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.engine.rows import BadRowError
from novikoff.estimators.bases import BaseEstimator
from novikoff.estimators.one_by_one import OneByOne
from novikoff.examples import Said
from novikoff.inputs import RowError
from novikoff.labels import PLUS_MINUS, Labels, labelled, one_column
from novikoff.learners.alone import alone


class InRounds(OneByOne):
    """A batch as a stream: for each row the label is predicted before it is learned."""

    def predict_learn(self, X: Any, y: Any = None, classes: Any = None) -> NDArray[Any]:
        """The online protocol over a batch: the label predicted for each row, before its true label is learned.

        It equals a loop of `predict_one` and `learn_one`, but that the first label stands for undecided: if a row is
        refused, those before it have been learned.

        Parameters
        ----------
        X : array, frame, sparse matrix or `novikoff.data.Dataset`. Columns beyond those known so far, of a
            sparse matrix or with names, are new features.
        y : n labels; None or NaN where the label is not known
        classes : as in `partial_fit`

        Returns
        -------
        labels
        """
        return self._named(self._online_answers(X, classes, y).places)

    def _named(self, places: NDArray[np.intp]) -> NDArray[Any]:
        """The labels of places among the classes."""
        return np.asarray(self.classes_[np.minimum(places, len(self.classes_) - 1)])

    @alone
    def _online_answers(self, X: Any, classes: Any = None, y: Any = None) -> Said:
        """What `predict_learn` predicts: a place among the classes for each row, and where that is undecided."""
        y = inputs.labels(X, y, unweighted="a stream")
        X, names = inputs.first_matrix(BaseEstimator(), X)
        before = self._learner.width if self._begun() else 0
        if not self._begun():
            self._check_parameters()
            labels = PLUS_MINUS if classes is None else Labels.declared(classes)
            self._adopt(self._fresh(X.shape[1], labels), labels, names)
            self._nothing_batched()
        if X.shape[1] != self._learner.width or names is not None:
            self._widen(X, names)
        said = Said(np.zeros(X.shape[0], dtype=np.intp), np.zeros(X.shape[0], dtype=np.bool_))
        try:
            column = one_column(y, X.shape[0])
            rows, beyond = self._standardisable(X)
            column = column[: rows.shape[0]]
            for start, stop, labels in self._parts(column):
                self._answer(rows, column, start, stop, labels, said)
            if beyond is not None:
                raise beyond
        except RowError as refused:
            refused.said = Said(said.places[: refused.row], said.undecided[: refused.row])
            self._narrow(before, X[: refused.row], names)
            raise
        return said

    def _standardisable(self, X: Any) -> tuple[Any, RowError | None]:
        """The rows as they are learned from, up to one that cannot be standardised."""
        try:
            return inputs.standardised(self, X), None
        except RowError as error:
            return inputs.standardised(self, X[: error.row]), error

    def _parts(self, y: NDArray[Any]) -> Iterator[tuple[int, int, Labels]]:
        """Rows start .. stop - 1, whose labels are all among these; a row whose label is new comes alone."""
        start, labels = 0, self._labels
        for row in _first_rows(y):
            try:
                after = labels.joined(y[row])
            except ValueError:
                if row > start:
                    yield start, row, labels
                raise labels.outside(y, row) from None
            if after.classes is not labels.classes:
                if row > start:
                    yield start, row, labels
                yield row, row + 1, after
                start = row + 1
            labels = after
        if start < len(y):
            yield start, len(y), labels

    def _answer(self, X: Any, y: NDArray[Any], start: int, stop: int, labels: Labels, said: Said) -> None:
        """The protocol over some rows."""
        before, learner, part = self._labels, self._learner, X[start:stop]
        mistakes = learner.mistakes
        new = labels.classes is not before.classes
        first = self._scores_now(part) if new else None
        self._join(labels)
        try:
            rows = self._rows(part, labels.targets_so_far(y[start:stop], stop - start), learner)
            scores, bad = self._learner.rounds(rows), None
        except BadRowError as error:
            scores, bad = error.scores, error
        self._note(said, start, scores)
        if first is not None:
            self._note(said, start, first)
            if len(before.unmet) < 2:
                said.undecided[start] = True  # that label could not be said
        if bad is not None:
            if bad.row == 0:
                self._learner, self._labels, self.classes_ = learner, before, before.classes
            raise inputs.row_error(bad.code, X, start + bad.row, self._names())
        if new:
            self._count_as_mistake(before, mistakes)

    def _scores_now(self, X: Any) -> NDArray[np.float64]:
        rows = self._rows(X, np.empty(0, dtype=np.int8), self._learner)
        with suppress(BadRowError):  # which is told when it is to be learned
            return np.asarray(self._learner.scores(rows))
        return np.zeros(1)

    def _note(self, said: Said, start: int, scores: NDArray[np.float64]) -> None:
        """Write down what was said of some rows."""
        part = slice(start, start + len(scores))
        places = self._places(scores)
        if scores.ndim == 2:
            undecided = np.sum(scores == scores.max(axis=1, keepdims=True, initial=-math.inf), axis=1) > 1
        else:
            undecided = (scores == 0) & (self._learner.zero == 0)
            if len(self.classes_) == 1:
                undecided |= scores > 0  # the side of a class that there was no example of
        said.places[part], said.undecided[part] = places, undecided

    def _widen(self, X: Any, names: NDArray[Any] | None) -> None:
        """Room for the columns of X, of which those known so far come first."""
        learner = self._learner
        if names is not None:
            known = self._names()
            if known is names:
                return
            if known is None or list(names[: len(known)]) != list(known[: len(names)]):
                raise ValueError("the columns of these examples are not those of the model, nor do they extend them")
        elif not sp.issparse(X) or (X.shape[1] > learner.width and self._names() is not None):
            raise ValueError(f"X has {X.shape[1]} features, but the model has {learner.width}")
        if X.shape[1] > learner.width:
            learner.widen(X.shape[1])
            self.n_features_in_ = learner.width
            if names is not None:
                self.feature_names_in_, self._columns = names, None

    def _narrow(self, before: int, X: Any, names: NDArray[Any] | None) -> None:
        """Give up columns that no row learned from has: those of X are the last rows, and there were so many before."""
        learner = self._learner
        if not sp.issparse(X):
            return
        width = max(before, int(X.indices.max()) + 1 if X.nnz else 0)
        if width < learner.width:
            learner.widen(width)
            self.n_features_in_ = width
            if names is not None:
                self.feature_names_in_, self._columns = names[:width], None


def _first_rows(y: NDArray[Any]) -> list[int]:
    """Where each known label comes for the first time, in the order of the rows."""
    places: dict[Any, int] = {}
    known = np.flatnonzero(labelled(y))
    if y.dtype.kind == "O":
        for row in known.tolist():
            places.setdefault(y[row], row)
        return list(places.values())
    return sorted(known[np.unique(y[known], return_index=True)[1]].tolist())
