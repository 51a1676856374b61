"""One example at a time."""

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
    UNDECIDED,
    learn_dense,
    learn_dense64,
    learn_dense64_heads,
    learn_sparse,
    learn_sparse64,
    learn_sparse64_heads,
    rank_dense,
    rank_dense64,
    rank_sparse,
    rank_sparse64,
    score_dense,
    score_dense64,
    score_sparse,
    score_sparse64,
)
from novikoff.estimators.learning import Learning
from novikoff.inputs import FLOAT64
from novikoff.labels import PLUS_MINUS, Labels
from novikoff.learners.alone import LEARNING, alone, check_alone
from novikoff.learners.committee import Committee
from novikoff.learners.linear import LinearLearner


class OneByOne(Learning):
    """One example at a time: predict, see the label, learn."""

    def predict_one(self, x: Any) -> Any:
        """The label that is predicted for one example.

        None where the rule is undecided: at <w,x> = 0 if ``at_zero`` is "mistake"; where the largest scores are equal;
        and where the side is that of a class which no example had yet.

        Parameters
        ----------
        x : a vector, a sparse row, or a dict from feature to value; a row of a frame goes by the names of its
            columns, if those of the model have names
        """
        try:
            learner = self._learner
        except AttributeError:
            return self._start_online(x).predict_one(x)
        if self.standardization_ is not None:
            x = self._standardised(x)
        if len(learner.W) > 1:
            place = self._rank(x, learner)
            return None if place == UNDECIDED else self._labels.named_one(place)
        # A vector that a kernel takes as it is; written out because a call would cost a tenth of the whole.
        if learner.aside:
            score = self._score(x, learner)
        elif type(x) is ndarray and x.dtype is FLOAT64 and x.shape == learner.shape and x.flags.c_contiguous:
            score = score_dense64()(x, learner.w, learner.state)
            if math.isnan(score):
                raise inputs.example_error(NOT_FINITE, x)
        else:
            score = self._score(x, learner)
        if score > 0.0:
            return self._labels.pair[1]
        if score < 0.0:
            return self._labels.pair[0]
        return self._labels.pair[learner.zero > 0] if learner.zero else None

    def sign_one(self, x: Any) -> int:
        """Of two classes: -1 or +1; at <w,x> = 0 what ``at_zero`` says, which under "mistake" is 0.

        Parameters
        ----------
        x : as in `predict_one`
        """
        if not self._begun():
            return self._start_online(x).sign_one(x)
        learner = self._learner
        if self.standardization_ is not None:
            x = self._standardised(x)
        self._labels.two("sign_one is for two, and predict_one returns the label of any")
        score = self._score(x, learner)
        return 1 if score > 0.0 else -1 if score < 0.0 else learner.zero

    def _score(self, x: Any, learner: LinearLearner) -> float:
        """<w,x> with the exact sign, for what predicts."""
        if learner.aside:
            score = learner.score_aside(self._plain(x))
        elif type(x) is dict or inputs.by_feature(x):
            places, values = self._named_columns().read(x)
            score = score_sparse64()(places, values, learner.w, learner.state)
        elif (row := self._row(x)) is not None:
            return self._score(row, learner)
        else:
            example = self._example(x)
            if isinstance(example, tuple):
                score = score_sparse(example[0], example[1], learner.w, learner.state)
            else:
                score = score_dense(example, learner.w, learner.state)
        if math.isnan(score):
            raise inputs.example_error(NOT_FINITE, x)
        return score

    def _rank(self, x: Any, learner: LinearLearner) -> int:
        """The place of the class with the largest score, or UNDECIDED."""
        weights: Any = None if learner.aside else learner.weights
        if learner.aside:
            place = learner.rank_aside(self._plain(x))
        elif type(x) is ndarray and x.dtype is FLOAT64 and x.shape == learner.shape and x.flags.c_contiguous:
            place = rank_dense64()(x, weights, learner.state)
        elif type(x) is dict or inputs.by_feature(x):
            places, values = self._named_columns().read(x)
            place = rank_sparse64()(places, values, weights, learner.state)
        elif (row := self._row(x)) is not None:
            return self._rank(row, learner)
        else:
            example = self._example(x)
            if isinstance(example, tuple):
                place = rank_sparse(example[0], example[1], weights, learner.state)
            else:
                place = rank_dense(example, weights, learner.state)
        if place == NOT_FINITE:
            raise inputs.example_error(NOT_FINITE, x)
        return place

    def _plain(self, x: Any) -> NDArray[Any] | inputs.SparseVector:
        """One example as a vector, or as a pair of columns and values."""
        if type(x) is dict or inputs.by_feature(x):
            return self._named_columns().read(x)
        row = self._row(x)
        return self._example(x) if row is None else self._plain(row)

    def learn_one(self, x: Any, y: Any) -> Self:
        """See one example with its true label, and update if the rule says so.

        Parameters
        ----------
        x : a vector, a sparse row, or a dict from feature to value; a feature gets its column when
            it first appears. A row of a frame goes by the names of its columns, as in `predict_one`
        y : a label. One that is new joins the classes with weights of 0, unless ``classes`` were declared: its first
            example counts as a mistake. Of two classes a bool may say which

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
        if self.standardization_ is not None:
            x = self._standardised(x)
        target = self._labels.target_of(y)
        if target is None or self._labels.unmet:
            return self._learn_new_label(x, y)
        # A vector that a kernel takes as it is; written out because a call would cost a tenth of the whole.
        if type(x) is ndarray and x.dtype is FLOAT64 and x.shape == learner.shape and x.flags.c_contiguous:
            by_kind = learn_dense64 if len(learner.W) == 1 else learn_dense64_heads
            code = by_kind[learner.kind](x, target, learner.weights, learner.kept, learner.rule, learner.state)
            if code < 0:
                raise inputs.example_error(code, x)
            if learner.chosen is not None:
                learner.return_state()
        else:
            self._learn(x, target)
        return self

    def _learn(self, x: Any, target: int) -> None:
        """See one example, whose label is known."""
        learner = self._learner
        if isinstance(learner, Committee):
            return self._learn_apart(x, target)
        if type(x) is dict or inputs.by_feature(x):
            code = self._learn_dict(x, target)
        elif (row := self._row(x)) is not None:
            return self._learn(row, target)
        else:
            example = self._example(x)
            if isinstance(example, tuple):
                code = learn_sparse(*example, target, learner.weights, learner.kept, learner.rule, learner.state)
            else:
                code = learn_dense(example, target, learner.weights, learner.kept, learner.rule, learner.state)
        if code < 0:
            raise inputs.example_error(code, x)
        if learner.chosen is not None:
            learner.return_state()

    @alone
    def _learn_apart(self, x: Any, target: int) -> None:
        """The same for heads that are learned apart, which all learn it or none."""
        own, before = self._learner, self._learner.width
        named: Any = x if type(x) is dict or inputs.by_feature(x) else self._row(x)
        example: Any
        if inputs.by_feature(named):
            columns = self._named_columns()
            example = columns.read(named)
            if len(example[0]) < len(named):
                unseen = columns.unseen(named)
                own.widen(before + len(unseen))
                columns.append(unseen)
                example = columns.read(named)
        else:
            example = self._plain(x)
        code = own.learn(example, target)
        if code < 0:
            if own.width > before:
                self._named_columns().shrink(before)
                own.widen(before)
            raise inputs.example_error(code, x)
        self.n_features_in_ = own.width

    @alone
    def _learn_new_label(self, x: Any, y: Any) -> Self:
        """An example of a class that there was none of yet."""
        before, learner, mistakes = self._labels, self._learner, self._learner.mistakes
        self._join(before.joined(y))
        try:
            target = self._labels.target_of(y)
            assert target is not None
            self._learn(x, target)
        except BaseException:
            self._learner, self._labels, self.classes_ = learner, before, before.classes
            raise
        self._count_as_mistake(before, mistakes)
        return self

    def _join(self, labels: Labels) -> None:
        """The labels after a new one, with weights for it."""
        if labels.heads != self._labels.heads:
            self._learner = self._with_heads_for(labels)
        self._labels, self.classes_ = labels, labels.classes

    def _count_as_mistake(self, before: Labels, mistakes: int) -> None:
        """The first example of a class that was not there before: nobody could predict it.

        Where nothing had been met, what is predicted at zero counts as it always does.
        """
        if isinstance(self._learner, Committee):  # whose new heads are at 0, where it is a mistake of each
            return
        state = self._learner.state[0]
        joined = self._labels.classes is not before.classes and len(before.unmet) < 2
        if joined and state.mistakes == mistakes:
            state.mistakes += 1

    @alone
    def _learn_first(self, x: Any, y: Any) -> Self:
        if self._begun():  # by another thread, since the caller looked
            return self.learn_one(x, y)
        self.__dict__.update(self._start_online(x).learn_one(x, y).__dict__)
        return self

    def _names(self) -> NDArray[Any] | None:
        """The names of the columns, whether a table or dicts gave them."""
        if self._columns is not None:
            return np.array(self._columns.names(), dtype=object)
        return getattr(self, "feature_names_in_", None)

    def _row_of(self, x: Any) -> dict[Hashable, float]:
        """One example as it is learned from: column (or feature) -> value, the constant under None."""
        learner = self._learner if self._begun() else self._start_online(x)._learner
        names: list[Hashable] = list(range(learner.width))
        if self.standardization_ is not None:
            x = self._standardised(x)
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
        """The weights by column (or feature), the constant coordinate's under None; all but zeros by default.

        Of two classes; more have a vector each, in ``coef_``.
        """
        if not self._begun():
            return dict.fromkeys(names or (), 0.0)
        learner = self._learner
        self._labels.two("weights() is for two, and coef_ has a row of weights for each of more")
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

    def _standardised(self, x: Any) -> Any:
        """One example as it is learned from, in the columns of the model."""
        plain = self._plain(x)
        if isinstance(plain, tuple):
            columns, values = plain
            row: Any = sp.csr_array((values, columns, [0, len(columns)]), shape=(1, self._learner.width))
        else:
            row, values = plain[None, :], plain
        if not np.isfinite(values).all():
            raise inputs.example_error(NOT_FINITE, x)
        row = inputs.standardised(self, row)
        return row if sp.issparse(row) else row[0]

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

    def _learn_dict(self, x: Mapping[Hashable, Any], target: int) -> int:
        own = self._learner
        places, values = self._named_columns().read(x)
        if len(places) < len(x):
            return self._learn_new_features(x, target)
        by_kind = learn_sparse64 if len(own.W) == 1 else learn_sparse64_heads
        # In one line without a call: no thread that grows the model comes between its arrays.
        return by_kind[own.kind](places, values, target, own.weights, own.kept, own.rule, own.state)

    @alone
    def _learn_new_features(self, x: Mapping[Hashable, Any], target: int) -> int:
        columns, own = self._named_columns(), self._learner
        before = own.width
        unseen = columns.unseen(x)
        # First the weights, then the names: whoever predicts meanwhile finds no name without its weight.
        own.widen(before + len(unseen))
        columns.append(unseen)
        places, values = columns.read(x)
        by_kind = learn_sparse64 if len(own.W) == 1 else learn_sparse64_heads
        code = by_kind[own.kind](places, values, target, own.weights, own.kept, own.rule, own.state)
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

    def _sign_of(self, y: Any) -> int:
        """Of two classes: the sign that `learn_one` takes a label for."""
        labels = self._labels if self._begun() else PLUS_MINUS
        return (labels.joined(y) if labels.target_of(y) is None else labels).sign_of(y)
