"""What the linear estimators share: batch, streaming and online use of one learner."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from contextlib import nullcontext
from copy import copy
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy import ndarray
from numpy.typing import NDArray
from sklearn import linear_model
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from novikoff import inputs
from novikoff.certificates import NotSeparable, RunProof, Separable, Undecided
from novikoff.certificates.certificate import nameable
from novikoff.certificates.divisions import Division
from novikoff.certificates.prove import Question, prove
from novikoff.certificates.verify import verify
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
from novikoff.engine.rows import Rows
from novikoff.engine.rule import Rule
from novikoff.engine.trace import Trace
from novikoff.estimators import words
from novikoff.estimators.export import fitted
from novikoff.estimators.model import LinearModel
from novikoff.estimators.parameters import estimator, parameter
from novikoff.inputs import FLOAT64, RowError
from novikoff.labels import PLUS_MINUS, Labels
from novikoff.learners.alone import LEARNING, alone, check_alone
from novikoff.learners.linear import ORDERS, Journal, LinearLearner, Outcome
from novikoff.learners.perceptron import AT_ZERO
from novikoff.learners.state import State, require
from novikoff.progress import Passes
from novikoff.theory.exact import Number, root, round_down, round_up
from novikoff.theory.rounding import positive_margin


@estimator
class Shared:
    """The parameters that all learners by passes have."""

    at_zero: str = parameter("mistake", StrOptions(set(AT_ZERO)))
    order: str = parameter("given", StrOptions(set(ORDERS)))
    fit_intercept: bool = parameter(True, "boolean")
    intercept_scaling: float = parameter(1.0, Interval(Real, 0, None, closed="neither"))
    scale: str = parameter("none", StrOptions({"none", "ball", "sphere"}))
    max_iter: int = parameter(1000, Interval(Integral, 1, None, closed="left"))
    shuffle: bool = parameter(False, "boolean")
    random_state: int | np.random.RandomState | None = parameter(None, "random_state")
    warm_start: bool = parameter(False, "boolean")
    verbose: int = parameter(0, "verbose")


class LinearClassifier(LinearModel, Shared, ABC):
    """A learner of two classes. A subclass states its parameters and its rule, and nothing else."""

    _columns: inputs.Columns | None  # of the features of dicts
    _labels: Labels
    _stopped: words.Stop  # why the last fit stopped
    passes_: int
    n_iter_: int
    history_: NDArray[np.int64]

    rule: ClassVar[Any]  # the type of its rule

    @abstractmethod
    def _rule(self) -> Rule:
        """How to learn, from the parameters."""

    # Batch -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None) -> Self:
        """Pass over the data until a pass is free of updates, or ``max_iter`` times.

        Ctrl-C ends it early, with the model as it stands and ``stop_reason_`` saying so.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d), or a `novikoff.data.Dataset` with its labels
        y : n labels, two classes of any type

        Returns
        -------
        self
        """
        return self.fit_journalled(X, y, None)

    @alone
    def fit_journalled(self, X: Any, y: Any, journal: Journal | None) -> Self:
        """`fit`, which a journal follows and can take up again: see `novikoff.fit_file`."""
        self._check_parameters()
        y = inputs.labels(X, y, unweighted=type(self).__name__)
        X, names = inputs.first_matrix(self, X)
        labels = Labels.of(y, X.shape[0]).two()
        learner = self._fresh(X.shape[1])
        if self.warm_start and self._begun() and self._learner.width == X.shape[1]:
            learner.start_from(self._learner)
        rows = self._rows(X, labels.signs(y, X.shape[0]))
        rng = check_random_state(self.random_state) if self.shuffle else None
        with inputs.refusals(X, names):
            with Passes(type(self).__name__, self.order) if self.verbose else nullcontext() as watch:
                outcome = learner.run(rows, self.order, self.max_iter, shuffle=rng, watch=watch, journal=journal)
            end = words.INTERRUPTED if outcome.interrupted else _end(learner, outcome, rows)
        twin = copy(self)
        twin._adopt(learner, labels, names)
        twin.history_ = outcome.history
        twin.passes_ = twin.n_iter_ = len(outcome.history)
        twin._stopped = words.stop(end, twin, learner.updates)
        # At once: an interrupt leaves the old model or the new one, and nothing between.
        self.__dict__ = twin.__dict__
        if not end.interrupted and not end.reached:
            message = words.warning(end, self, *self._theorem_allows())
            warnings.warn(message, ConvergenceWarning, stacklevel=4)  # past fit, and the guard of this
        return self

    @alone
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """One pass over a batch, in the given order, from where the model stands.

        Parameters
        ----------
        X, y : as in `fit`
        classes : the two labels; needed at the first call unless y holds both, or only -1, +1 or bools

        Returns
        -------
        self
        """
        y = inputs.labels(X, y, unweighted=type(self).__name__)
        begun = self._begun()
        if begun:
            known = self.classes_.tolist()
            if classes is not None and list(classes) != known and inputs.distinct(classes).tolist() != known:
                raise ValueError(f"classes = {list(classes)!r} are not the labels of the first call, {known!r}")
            X, names = inputs.matrix(self, X), getattr(self, "feature_names_in_", None)
            labels, learner = self._labels, self._learner.copy()
        else:
            self._check_parameters()
            X, names = inputs.first_matrix(self, X)
            labels = (Labels.declared(classes, y) or Labels.of(y, X.shape[0])).two()
            learner = self._fresh(X.shape[1])
        rows = self._rows(X, labels.signs(y, X.shape[0]), learner)
        with inputs.refusals(X, names):
            learner.one_pass(rows)
        if begun:
            self._learner = learner
        else:
            self._adopt(learner, labels, names)
            self._nothing_batched()
        self.passes_ += 1
        self.n_iter_ = self.passes_
        return self

    # Online ------------------------------------------------------------------------------------

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
        if type(x) is ndarray and x.dtype is FLOAT64 and x.shape == learner.shape and x.flags.c_contiguous:
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
            code = learn_dense64(self.rule)(x, sign, learner.w, learner.rule, learner.state)
        elif type(x) is dict or inputs.by_feature(x):
            code = self._learn_dict(x, sign)
        elif (row := self._row(x)) is not None:
            return self.learn_one(row, y)
        else:
            example = self._example(x)
            if isinstance(example, tuple):
                code = learn_sparse(*example, sign, learner.w, learner.rule, learner.state)
            else:
                code = learn_dense(example, sign, learner.w, learner.rule, learner.state)
        if code < 0:
            raise inputs.example_error(code, x)
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
        y = inputs.labels(X, y, unweighted=type(self).__name__)
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
        learner = self._learner
        places, values = self._named_columns().read(x)
        if len(places) < len(x):
            return self._learn_new_features(x, sign)
        return learn_sparse64(self.rule)(places, values, sign, learner.w, learner.rule, learner.state)

    @alone
    def _learn_new_features(self, x: Mapping[Hashable, Any], sign: int) -> int:
        columns, learner = self._named_columns(), self._learner
        before = learner.width
        unseen = columns.unseen(x)
        # First the weights, then the names: whoever predicts meanwhile finds no name without its weight.
        learner.widen(before + len(unseen))
        columns.append(unseen)
        places, values = columns.read(x)
        code = learn_sparse64(self.rule)(places, values, sign, learner.w, learner.rule, learner.state)
        if code < 0:
            columns.shrink(before)
            learner.widen(before)
        self.n_features_in_ = learner.width
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

    # What is known -----------------------------------------------------------------------------

    @property
    def mistakes_(self) -> int:
        return self._fitted().mistakes

    @property
    def updates_(self) -> int:
        return self._fitted().updates

    @property
    def radius_(self) -> float:
        return 1.0 if self._fitted().ball else self._learner.radius

    @property
    def margin_(self) -> tuple[float, float]:
        learner = self._fitted()
        lower = learner.lower if learner.lower_updates == learner.updates else -math.inf
        upper = learner.upper
        if learner.ball and learner.radius_sq:
            # Dividing rows by R divides margins by R; the ends stay on their sides.
            below, above = root(learner.radius_sq)
            if math.isfinite(lower):
                lower = round_down(Fraction(lower) / (above if lower >= 0 else below))
            if math.isfinite(upper):
                upper = round_up(Fraction(upper) / below)
        return lower, upper

    def bound(self, gamma: Number) -> int | None:
        """How many updates the theorem allows so far, if some separator has margin gamma: floor(C), or a little more.

        C = (R^2 + 2 theta)/gamma^2; after a warm start from w0 it is (R^2 + 2 theta + 2 gamma ||w0||)/gamma^2. Once
        an update has rounded (``rounded_``), the bound is floor(C/(1 - 2^-50 C)), which is the same unless C is huge or
        just below an integer (`novikoff.theory.ROUNDED`); for C of 2^49 or more there is none, and None is returned.

        Parameters
        ----------
        gamma : a margin of the rows as learned from. Ints and Fractions are exact; a float is trusted to
            2^-51 of its value and taken at the lower end, so that 1/sqrt(n) at R = 1 gives n.
        """
        return self._allowed(gamma, rounded=self._fitted().rounded)

    def _allowed(self, gamma: Number, *, rounded: bool) -> int | None:
        learner = self._learner
        run = learner.facts._replace(rounded=rounded)
        gamma = positive_margin(gamma)
        if learner.ball and run.radius_sq and learner.rule.measures():
            gamma *= root(learner.radius_sq_below)[0]  # that of the rows as they are
        elif learner.ball and run.radius_sq:
            below = learner.radius_sq_below  # dividing by less than R, the bound can only grow
            run = run._replace(radius_sq=Fraction(1), theta=run.theta / below, start=run.start / root(below)[0])
        return learner.rule.bound(gamma, run)

    def certify(
        self,
        X: Any,
        y: Any = None,
        gap: float = 0.01,
        *,
        max_passes: int | None = None,
        max_seconds: float | None = None,
    ) -> RunProof:
        """Tie this run to its theorem: find a separator of the data, and check updates <= bound with it, exactly.

        Parameters
        ----------
        X, y : the data that the model learned from
        gap, max_passes, max_seconds : as in `novikoff.certify`

        Returns
        -------
        RunProof
            With ``proof``, ``mistakes``, ``updates`` and ``bound``; ``bound`` is None without a separator, or with
            one of so small a margin that the theorem promises nothing for rounded weights.
        """
        learner = self._fitted()
        y = inputs.labels(X, y)
        X = inputs.matrix(self, X, exact=True)
        signs = self._labels.signs(y, X.shape[0])
        against, positive = map(nameable, self.classes_)
        constant, unit = learner.geometry
        sphere = constant if unit else None
        if unit:
            with inputs.refusals(X, getattr(self, "feature_names_in_", None)):
                X, constant = inputs.on_the_sphere(X, self._rows(X, signs).norms, constant), 0.0
        question = Question(gap, constant, max_passes, max_seconds, int(self.verbose), sphere)
        division = Division(positive, (against,), signs)
        proof = prove(X, division, question, getattr(self, "feature_names_in_", None))[1]
        if not isinstance(proof, Separable):
            assert isinstance(proof, NotSeparable | Undecided)
            return RunProof(proof, learner.mistakes, learner.updates, None)
        margin = verify(proof, X, self._labels.of_signs(signs)).margin
        assert margin is not None
        # The witness has at least this margin, so the theorem allows at most so many updates.
        bound = learner.rule.bound(Fraction(margin[0]), learner.facts)
        if learner.radius > proof.radius or (bound is not None and learner.bounded > bound):
            raise ValueError(
                f"this model did not learn from these data: it met a row of norm {learner.radius:g} and made "
                f"{learner.updates} updates, but here R = {proof.radius:g} and the theorem allows {bound}"
            )
        return RunProof(proof, learner.mistakes, learner.updates, bound)

    def trace(self, X: Any, y: Any = None) -> Trace:
        """The updates of the last ``fit``, in order: it is made once more, and must end in the same weights.

        Parameters
        ----------
        X, y : the data of that fit, which started from w = 0
        """
        learner = self._fitted()
        y = inputs.labels(X, y)
        X = inputs.matrix(self, X)
        if self.shuffle and not isinstance(self.random_state, int | np.integer):
            raise ValueError("the order of a shuffled fit can be repeated only if random_state is an int")
        rng = check_random_state(self.random_state) if self.shuffle else None
        rows = self._rows(X, self._labels.signs(y, X.shape[0]), learner)
        again, trace = LinearLearner(learner.rule, X.shape[1], rows.constant, unit=rows.unit), Trace(rows)
        with inputs.refusals(X, getattr(self, "feature_names_in_", None)):
            again.run(rows, self.order, max(1, self.passes_), shuffle=rng, trace=trace)
        if again.updates != learner.updates or not np.array_equal(again.w, learner.w):
            raise ValueError(
                "the fit cannot be repeated: X and y are not the data it saw last, or it started from other weights "
                "than 0"
            )
        return trace

    @property
    def threshold_(self) -> float:
        """theta in use: 0 for the Perceptron."""
        return self._fitted().theta

    @property
    def rounded_(self) -> bool:
        """Was some update not exactly w + yx, but its nearest floats?"""
        return self._fitted().rounded

    @property
    def stop_reason_(self) -> str:
        """Why the last fit stopped, in words; after further updates, that it goes on."""
        goes_on = self._fitted().updates != self._stopped.updates
        return words.ON_A_STREAM if goes_on else self._stopped.reason

    @property
    def interrupted_(self) -> bool:
        """Did Ctrl-C end the last fit?"""
        return self._stopped.interrupted if self._fitted() else False

    def summary(self) -> str:
        """What was found, in words."""
        self._fitted()
        return words.summary(type(self).__name__, self, *self._theorem_allows())

    def sign_of(self, y: Any) -> int:
        """The sign that `learn_one` takes a label for."""
        return (self._labels if self._begun() else PLUS_MINUS).sign_of(y)

    # Helpers -----------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        self._validate_params()
        if self.shuffle and self.order != "given":
            raise ValueError(f"shuffle=True goes with order='given' alone, not with order={self.order!r}")
        if not math.isfinite(self.intercept_scaling):
            raise ValueError(f"intercept_scaling must be finite, got {self.intercept_scaling!r}")

    def _fresh(self, width: int) -> LinearLearner:
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        return LinearLearner(self._rule(), width, constant, unit=self.scale == "sphere", ball=self.scale == "ball")

    def _rows(self, X: Any, signs: Any, learner: LinearLearner | None = None) -> Rows:
        """The rows of X as the learner learns from them; by default as a new one would."""
        constant, unit = (learner or self._fresh(0)).geometry
        return Rows(X, signs, constant, unit=unit)

    def _adopt(self, learner: LinearLearner, labels: Labels, names: NDArray[Any] | None) -> None:
        self._learner, self._labels, self.n_features_in_ = learner, labels, learner.width
        self.classes_, self._columns = labels.classes, None
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names

    def _nothing_batched(self) -> None:
        self.passes_ = self.n_iter_ = 0
        self.history_ = np.empty(0, dtype=np.int64)
        self._stopped = words.Stop(words.ON_A_STREAM, 0, interrupted=False)

    def _theorem_allows(self) -> tuple[float, int | None]:
        """U with gamma* <= U, and the least that the theorem then allows."""
        upper = self.margin_[1]
        if not 0 < upper < math.inf:
            return upper, None
        # No less is allowed than without rounding. From 0, what was made is allowed; U is rounded up, so its bound can
        # be one less.
        least = self._allowed(Fraction(upper), rounded=False)
        assert least is not None
        return upper, max(least, self._learner.bounded)

    # For others ----------------------------------------------------------------------------------

    def to_sklearn(self) -> linear_model.Perceptron:
        """A fitted ``sklearn.linear_model.Perceptron`` that predicts the same.

        It adds up in floats, where this one has exact signs: next to the hyperplane the two may differ. At a score of
        exactly zero it predicts the first label, also under ``at_zero="positive"``. Under ``scale="sphere"`` its
        scores are those of the row as it is; a positive factor, which changes no label.
        """
        self._fitted()
        twin = linear_model.Perceptron(
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=None,
            shuffle=self.shuffle,
            random_state=self.random_state,
            warm_start=self.warm_start,
            verbose=self.verbose,
        )
        counts = {"classes_": self.classes_.copy(), "n_iter_": self.n_iter_, "t_": float(self.updates_ + 1)}
        return fitted(twin, self, self.coef_, self.intercept_, **counts)

    def _give_state(self) -> State:
        state = State.of(self)
        self._learner.write_state(state)
        if self._columns is not None and not hasattr(self, "feature_names_in_"):
            state.names, state.growing = self._columns.names(), True
        state.arrays["history"] = self.history_
        state.values |= {
            "passes": self.passes_,
            "stop_reason": self._stopped.reason,
            "stop_updates": self._stopped.updates,
            "interrupted": self._stopped.interrupted,
        }
        return state

    def _take_state(self, state: State) -> None:
        self._check_parameters()
        assert state.classes is not None
        learner = LinearLearner.from_state(state, self.rule)
        self._adopt(learner, Labels(state.classes), None if state.growing else state.columns())
        if state.growing:
            self._columns = inputs.Columns(state.names or (), fixed=False)
            require(len(self._columns) == len(state.names or ()) <= learner.width, "two columns have the same name")
        self.history_ = state.array("history", "<i8", None)
        self.passes_ = self.n_iter_ = state.integer("passes")
        state.values.setdefault("interrupted", False)  # older files do not say
        self._stopped = words.Stop(state.text("stop_reason"), state.integer("stop_updates"), state.flag("interrupted"))


def _end(learner: LinearLearner, outcome: Outcome, rows: Rows) -> words.End:
    """How a run ended: what the weights that it returns do on all rows."""
    try:
        separates = learner.measure_margin(rows)
        # Where the last pass changed w, what was right in its turn may be wrong by now; and a rule that measures may
        # have left a mistake alone, as on a row of zeros.
        still = outcome.finished and not outcome.history[-1] > 0
        known = separates or (still and not learner.rule.measures())
        errors = 0 if known else learner.errors(rows)
    except KeyboardInterrupt:
        learner.lower = -math.inf
        return words.INTERRUPTED
    # Is nothing left to do, though no pass has shown it?
    reached = outcome.finished or learner.rule.fulfilled(separates, errors, learner.theta)
    ending = words.STILL if still else learner.rule.ending()
    return words.End(outcome.finished, reached, separates, errors, rows.n, ending)
