"""One example at a time, and streams of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy import ndarray
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.engine.decide import NOT_FINITE, ZERO_ROW
from novikoff.engine.loops import (
    learn_dense,
    learn_dense64,
    learn_sparse,
    learn_sparse64,
    score_dense,
    score_dense64,
    score_sparse,
    score_sparse64,
)
from novikoff.estimators.bases import BaseEstimator
from novikoff.estimators.learning import Learning
from novikoff.inputs import FLOAT64, RowError
from novikoff.labels import PLUS_MINUS, Labels
from novikoff.learners.alone import LEARNING, alone, check_alone


class OneByOne(Learning):
    """One example at a time: predict, see the label, learn."""

    def predict_one(self, x: Any) -> int:
        """-1 or +1; at <w,x> = 0 what ``at_zero`` says, which under "mistake" is 0.

        Parameters
        ----------
        x : a vector, a sparse row, or a dict from feature to value; a row of a frame goes by the names of its
            columns, if those of the model have names
        """
        try:
            learner = self._learner
        except AttributeError:
            return self._start_online(x).predict_one(x)
        # A vector that a kernel takes as it is; written out because a call would cost a tenth of the whole.
        if learner.aside:
            score = self._score_aside(x)
        elif type(x) is ndarray and x.dtype is FLOAT64 and x.shape == learner.shape and x.flags.c_contiguous:
            score = score_dense64()(x, learner.w, learner.state)
        elif type(x) is dict or inputs.by_feature(x):
            places, values = self._named_columns().read(x)
            score = score_sparse64()(places, values, learner.w, learner.state)
        elif (row := self._row(x)) is not None:
            return self.predict_one(row)
        else:
            example = self._example(x)
            if isinstance(example, tuple):
                score = score_sparse(example[0], example[1], learner.w, learner.state)
            else:
                score = score_dense(example, learner.w, learner.state)
        if score > 0.0:
            return 1
        if score < 0.0:
            return -1
        if math.isnan(score):
            raise inputs.example_error(NOT_FINITE, x)
        return learner.zero

    def _score_aside(self, x: Any) -> float:
        """Where what predicts is not the state of the learner."""
        if type(x) is dict or inputs.by_feature(x):
            return self._learner.score_aside(self._named_columns().read(x))
        if (row := self._row(x)) is not None:
            return self._score_aside(row)
        return self._learner.score_aside(self._example(x))

    def learn_one(self, x: Any, y: Any) -> Self:
        """See one example with its true label, and update if the rule says so.

        Parameters
        ----------
        x : a vector, a sparse row, or a dict from feature to value; a feature gets its column when
            it first appears. A row of a frame goes by the names of its columns, as in `predict_one`
        y : one of the two labels of an earlier fit, or a bool; -1 or +1 unless one of them is such a label

        Returns
        -------
        self
        """
        try:
            learner = self._learner
        except AttributeError:
            return self._learn_first(x, y)
        if LEARNING:
            check_alone(self)
        sign = self._labels.sign_of(y)
        if type(x) is ndarray and x.dtype is FLOAT64 and x.shape == learner.shape and x.flags.c_contiguous:
            code = learn_dense64[learner.kind](x, sign, learner.weights, learner.kept, learner.rule, learner.state)
        elif type(x) is dict or inputs.by_feature(x):
            code = self._learn_dict(x, sign)
        elif (row := self._row(x)) is not None:
            return self.learn_one(row, y)
        else:
            example = self._example(x)
            if isinstance(example, tuple):
                code = learn_sparse(*example, sign, learner.weights, learner.kept, learner.rule, learner.state)
            else:
                code = learn_dense(example, sign, learner.weights, learner.kept, learner.rule, learner.state)
        if code < 0:
            raise inputs.example_error(code, x)
        if learner.chosen is not None:
            learner.return_state()
        return self

    @alone
    def _learn_first(self, x: Any, y: Any) -> Self:
        if self._begun():  # by another thread, since the caller looked
            return self.learn_one(x, y)
        self.__dict__.update(self._start_online(x).learn_one(x, y).__dict__)
        return self

    def predict_learn(self, X: Any, y: Any = None, classes: Any = None) -> NDArray[Any]:
        """The online protocol over a batch: the label predicted for each row, before its true label is learned.

        It equals a loop of `predict_one` and `learn_one`: if a row is refused, those before it have been learned.

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
        return self.sides(self.online_scores(X, classes, y))

    @alone
    def online_scores(self, X: Any, classes: Any = None, y: Any = None) -> NDArray[np.float64]:
        """What `predict_learn` predicts from: <w,x> for each row, before its label is learned."""
        y = inputs.labels(X, y, unweighted="a stream")
        X, names = inputs.first_matrix(BaseEstimator(), X)
        before = self._learner.width if self._begun() else 0
        if not self._begun():
            self._check_parameters()
            labels = (Labels.declared(classes, y) or PLUS_MINUS).two()
            self._adopt(self._fresh(X.shape[1]), labels, names)
            self._nothing_batched()
        learner = self._learner
        if X.shape[1] != learner.width or names is not None:
            self._widen(X, names)
        try:
            signs = self._labels.signs_so_far(y, X.shape[0])
        except RowError as error:
            if error.row:
                error.scores = self.online_scores(X[: error.row], y=y[: error.row])
            self._narrow(before, X[: error.row], names)
            raise
        try:
            with inputs.refusals(X, names):
                return learner.rounds(self._rows(X, signs))
        except RowError as refused:
            self._narrow(before, X[: refused.row], names)
            raise

    def undecided(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Scores of zero where that counts as a mistake, whatever the label."""
        zero: NDArray[np.bool_] = scores == 0
        return zero if self._learner.zero == 0 else np.zeros_like(zero)

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

    def _names(self) -> NDArray[Any] | None:
        """The names of the columns, whether a table or dicts gave them."""
        if self._columns is not None:
            return np.array(self._columns.names(), dtype=object)
        return getattr(self, "feature_names_in_", None)

    def row_of(self, x: Any) -> dict[Hashable, float]:
        """One example as it is learned from: column (or feature) -> value, the constant under None."""
        learner = self._learner if self._begun() else self._start_online(x)._learner
        names: list[Hashable] = list(range(learner.width))
        if self._begun() and (named := self._row(x)) is not None:
            x = named
        if inputs.by_feature(x):
            names, values = list(x), inputs.numbers(x)
        elif sp.issparse(x):
            columns, values = inputs.sparse_vector(x, learner.width)
            names = [int(column) for column in columns]
        else:
            values = inputs.dense_vector(x, learner.width)
        constant, unit = learner.geometry
        length = inputs.norm(values, constant) if unit else 1.0
        if length == 0.0:
            raise inputs.example_error(ZERO_ROW, x)
        row = {name: float(value) / length for name, value in zip(names, values, strict=True)}
        row[None] = constant / length
        return row

    def weights(self, names: Iterable[Hashable] | None = None) -> dict[Hashable, float]:
        """The weights by column (or feature), the constant coordinate's under None; all but zeros by default."""
        if not self._begun():
            return dict.fromkeys(names or (), 0.0)
        learner = self._learner
        if names is not None:
            return {name: self._weight(name) for name in names}
        features = self._columns.names() if self._columns else range(learner.width)
        by_name: dict[Hashable, float] = dict(zip(features, learner.w.tolist(), strict=False))
        by_name[None] = float(learner.w[-1])
        return {name: weight for name, weight in by_name.items() if weight}

    def _weight(self, name: Hashable) -> float:
        """That of one column (or feature); 0 where there is none."""
        learner = self._learner
        if name is None:
            return float(learner.w[-1])
        if self._columns:
            column = self._columns.place(name)
        else:
            column = int(name) if isinstance(name, Integral) and 0 <= name < learner.width else None
        return 0.0 if column is None else float(learner.w[column])

    def _example(self, x: Any) -> NDArray[Any] | inputs.SparseVector:
        """One example as the kernels take it: a vector, or a pair of columns and values."""
        if sp.issparse(x):
            return inputs.sparse_vector(x, self._learner.width)
        return inputs.dense_vector(x, self._learner.width)

    def _row(self, x: Any) -> NDArray[Any] | dict[Hashable, Any] | None:
        """A row of a frame as a model whose columns have names takes it: in their order, or as a dict if they grow."""
        names, row = self._names(), inputs.named_row(x)
        if names is None or row is None:
            return None
        if hasattr(self, "feature_names_in_"):
            return inputs.dense_vector(inputs.in_columns(row, names), None)
        return row

    def _named_columns(self) -> inputs.Columns:
        if self._columns is None:
            if not hasattr(self, "feature_names_in_"):
                raise ValueError("the columns of this model have no names, so x cannot be a dict: pass a vector")
            self._columns = inputs.Columns(self.feature_names_in_, fixed=True)
        return self._columns

    def _learn_dict(self, x: Mapping[Hashable, Any], sign: int) -> int:
        own = self._learner
        places, values = self._named_columns().read(x)
        if len(places) < len(x):
            return self._learn_new_features(x, sign)
        # In one line without a call: no thread that grows the model comes between its arrays.
        return learn_sparse64[own.kind](places, values, sign, own.weights, own.kept, own.rule, own.state)

    @alone
    def _learn_new_features(self, x: Mapping[Hashable, Any], sign: int) -> int:
        columns, own = self._named_columns(), self._learner
        before = own.width
        unseen = columns.unseen(x)
        # First the weights, then the names: whoever predicts meanwhile finds no name without its weight.
        own.widen(before + len(unseen))
        columns.append(unseen)
        places, values = columns.read(x)
        code = learn_sparse64[own.kind](places, values, sign, own.weights, own.kept, own.rule, own.state)
        if code < 0:
            columns.shrink(before)
            own.widen(before)
        self.n_features_in_ = own.width
        return code

    def _start_online(self, x: Any) -> Self:
        """A model that has seen nothing, as wide as x."""
        self._check_parameters()
        twin: Self = type(self)(**self.get_params(deep=False))
        named = inputs.by_feature(x) or all(isinstance(name, str) for name in inputs.named_row(x) or (0,))
        width = 0 if named else x.shape[-1] if sp.issparse(x) else len(inputs.dense_vector(x, None))
        twin._adopt(twin._fresh(width), PLUS_MINUS, None)
        twin._columns = inputs.Columns(fixed=False) if named else None
        twin._nothing_batched()
        return twin

    def sign_of(self, y: Any) -> int:
        """The sign that `learn_one` takes a label for."""
        return (self._labels if self._begun() else PLUS_MINUS).sign_of(y)
