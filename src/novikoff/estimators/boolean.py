"""Learners over {0, 1}^d with labels 0 and 1: conjunctions, disjunctions and k-DNF by elimination."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.concepts import Bits, boolean
from novikoff.engine.storage import Storage, over
from novikoff.estimators.bases import BaseEstimator, ClassifierMixin
from novikoff.estimators.export import Plane, TermSet, fitted, polynomial
from novikoff.estimators.hyperplane import Scored
from novikoff.estimators.parameters import Interval, estimator, parameter
from novikoff.estimators.portable import Portable
from novikoff.estimators.shown import Shown, few
from novikoff.labels import Labels
from novikoff.learners.alone import alone
from novikoff.learners.boolean_loops import Flags, first_not_boolean
from novikoff.learners.elimination import Elimination, Nouns, TermElimination
from novikoff.learners.online import OnlineLearner
from novikoff.learners.state import State, require
from novikoff.theory.elimination import kdnf_bound, literals_bound, monotone_bound
from novikoff.views import Html, card

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline
    from sklearn.utils import Tags

LABELS = Labels(np.array([0, 1]))
MOST_LITERALS = 10**6  # k of a state from outside


class Core(Protocol):
    """A learner of bits."""

    def copy(self) -> Self: ...
    def predict_one(self, x: Bits) -> int: ...
    def learn(self, x: Bits, y: int, round: int) -> None: ...
    def one_pass(self, rows: Storage, labels: Flags, round: int) -> int: ...
    def predictions(self, rows: Storage, n: int) -> Flags: ...
    def write_state(self, state: State) -> None: ...
    def read_state(self, state: State, rounds: int) -> None: ...


class BooleanClassifier(Scored, Shown, ClassifierMixin, BaseEstimator, OnlineLearner, Portable):
    """Batch, streaming and online use of one learner of bits. A subclass states that, and its bound."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    classes_: NDArray[np.int64]
    n_features_in_: int
    _core: Any

    @abstractmethod
    def _fresh(self, d: int) -> Core:
        """The learner before the first example."""

    # Batch -------------------------------------------------------------------------------------

    @alone
    def fit(self, X: Any, y: Any = None) -> Self:
        """One pass over the rows in the given order.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d), every entry 0 or 1
        y : n labels, 0 or 1

        Returns
        -------
        self
        """
        y = inputs.labels(X, y, unweighted=type(self).__name__)
        X, names = inputs.first_matrix(self, X)
        core = self._checked(X.shape[1])
        return self._adopt(core, X.shape[1], names, *self._pass(core, X, y, 0, names))

    @alone
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """One pass over the rows in the given order, from where the model stands; ``classes`` may only be 0 and 1."""
        if classes is not None and inputs.distinct(classes).tolist() != [0, 1]:
            raise ValueError(f"classes = {list(classes)!r}: the labels here are 0 and 1")
        if not self._begun():
            return self.fit(X, y)
        y = inputs.labels(X, y, unweighted=type(self).__name__)
        X, names = inputs.matrix(self, X), getattr(self, "feature_names_in_", None)
        core = self._core.copy()
        n, mistakes = self._pass(core, X, y, self.rounds_, names)
        self._core = core
        self.rounds_ += n
        self.mistakes_ += mistakes
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The labels, 0 or 1."""
        inputs.check_fitted(self)
        X = inputs.matrix(self, X)
        rows = boolean_rows(X, getattr(self, "feature_names_in_", None))
        return np.asarray(self._core.predictions(rows, X.shape[0]), dtype=np.int64)

    def _pass(self, core: Core, X: Any, y: Any, round: int, names: Any) -> tuple[int, int]:
        """Rounds and mistakes."""
        labels = LABELS.signs(y, X.shape[0]) > 0
        return len(labels), core.one_pass(boolean_rows(X, names), labels, round)

    # Online ------------------------------------------------------------------------------------

    def predict_one(self, x: Any) -> int:
        """0 or 1.

        Parameters
        ----------
        x : a vector or a sparse row of 0 and 1
        """
        core, x = self._read(x)
        return core.predict_one(x)

    def _update(self, x: Any, y: int) -> None:
        core, x = self._read(x)
        core.learn(x, y, self.rounds_)
        if not self._begun():
            self._adopt(core, len(x), None, 0, 0)

    def _read(self, x: Any) -> tuple[Core, Bits]:
        """The learner, a new one if there is none, and the example as it takes it."""
        if self._begun():
            if hasattr(self, "feature_names_in_") and (row := inputs.named_row(x)) is not None:
                x = inputs.in_columns(row, self.feature_names_in_)
            return self._core, boolean(x, self.n_features_in_)
        x = boolean(x)
        return self._checked(len(x)), x

    def copy(self) -> Self:
        """Another learner in the same state."""
        twin = super().copy()
        if self._begun():
            twin._core = self._core.copy()
        return twin

    # Helpers -----------------------------------------------------------------------------------

    def _checked(self, d: int) -> Core:
        self._validate_params()
        return self._fresh(d)

    def _adopt(self, core: Core, d: int, names: Any, rounds: int, mistakes: int) -> Self:
        self._core, self.n_features_in_, self.classes_ = core, d, LABELS.classes.copy()
        self.rounds_, self.mistakes_ = rounds, mistakes
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def _begun(self) -> bool:
        return "_core" in self.__dict__

    def _has_learned(self) -> bool:
        return self._begun()

    def _card(self) -> Html:
        return card(type(self).__name__, self._made(), *self._content())

    def __sklearn_is_fitted__(self) -> bool:
        return self._begun()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    # For others ----------------------------------------------------------------------------------

    def to_sklearn(self) -> Any:
        """A fitted ``sklearn.linear_model.Perceptron`` that predicts the same on rows of 0 and 1."""
        inputs.check_fitted(self)
        rule = self._rule_to_export()
        assert isinstance(rule, Plane)
        return self._as_perceptron(rule.coef, rule.intercept)

    def _as_perceptron(self, coef: Any, intercept: float) -> Any:
        from sklearn.linear_model import Perceptron

        counts = {"classes_": LABELS.classes.copy(), "n_iter_": 1, "t_": float(self.rounds_ + 1)}
        return fitted(Perceptron(), self, coef[None, :], np.array([intercept]), **counts)

    def _give_state(self) -> State:
        state = State.of(self)
        self._core.write_state(state)
        state.values |= {"rounds": self.rounds_, "mistakes": int(self.mistakes_)}
        return state

    def _take_state(self, state: State) -> None:
        assert state.classes is not None
        require(state.classes.tolist() == [0, 1], "its labels are not 0 and 1")
        rounds = state.integer("rounds")
        mistakes = state.integer("mistakes", 0, rounds)
        core = self._core_of(state)
        core.read_state(state, rounds)
        self._adopt(core, state.width, state.columns(), rounds, mistakes)

    def _core_of(self, state: State) -> Core:
        """A fresh learner of the size of a state: no larger than its arrays."""
        return self._fresh(state.width)


def boolean_rows(X: Any, names: Any = None) -> Storage:
    """Rows of 0 and 1, in the order of the columns and without duplicates."""
    rows = over(X, 0.0, norms=False)
    k = first_not_boolean(rows.stored)
    if k >= 0:
        row, column = rows.place(k)
        name = f" ({names[column]!r})" if names is not None else ""
        value = "NaN" if np.isnan(rows.stored[k]) else rows.stored[k]
        raise ValueError(f"X has {value} in row {row}, column {column}{name}: every entry must be 0 or 1")
    return rows


class _Eliminating(BooleanClassifier):
    """What remains of all positions."""

    @property
    def _state(self) -> Hashable:
        return (self.n_features_in_, self._core.left) if self._begun() else None

    def _remaining(self) -> Any:
        if not self._begun():
            raise AttributeError(f"this {type(self).__name__} has not learned anything yet")
        return self._core.remaining()

    def _name(self, literal: tuple[int, int]) -> str:
        j, value = literal
        names = getattr(self, "feature_names_in_", None)
        return ("" if value else "~") + (f"x[{j}]" if names is None else str(names[j]))


class _Literals(_Eliminating):
    """A conjunction of literals, or a disjunction: that is the negation of a conjunction of negated literals."""

    _sides: ClassVar[tuple[bool, bool]]  # is there x_j in that conjunction, is there its negation?
    _dual: ClassVar[bool]
    _nouns: ClassVar[Nouns]

    def _fresh(self, d: int) -> Core:
        return Elimination(d, self._sides, self._dual, self._nouns)

    def _core_of(self, state: State) -> Core:
        removed = state.arrays.get("removed")
        fits = removed is not None and removed.shape[-1:] == (state.width,)
        require(fits, "its literals are not those of its columns")
        return self._fresh(state.width)

    def _rule_to_export(self) -> Plane:
        # The literals of the conjunction that are false in x are (how many x_j it holds) - <v,x>: none, or at least 1.
        literals = self._remaining()
        v = np.zeros(self.n_features_in_)
        for j, value in literals:
            v[j] += 1.0 if value else -1.0
        sign = -1.0 if self._dual else 1.0
        return Plane(sign * v, sign * (0.5 - sum(value for _, value in literals)), second_at_zero=False)

    def bound(self) -> int | None:
        """The most mistakes that the theorem allows: d, or d + 1 with negations; None before d is known."""
        if not self._begun():
            return None
        return (literals_bound if all(self._sides) else monotone_bound)(self.n_features_in_)

    @property
    def literals_(self) -> list[str]:
        """What remains, variables before negations."""
        literals = [(j, value ^ self._dual) for j, value in self._remaining()]
        return [self._name(literal) for literal in sorted(literals, key=lambda literal: -literal[1])]

    def _details(self) -> list[tuple[str, object]]:
        return [("Literals left", few(self.literals_))]


class MonotoneConjunction(_Literals):
    """x_i & x_j & ...: starts with all d variables, drops those that are 0 in a positive. At most d mistakes.

    Attributes
    ----------
    literals_ : list of str
        The variables that remain.
    rounds_, mistakes_ : int

    Notes
    -----
    `novikoff.NotRealizable` is raised in the round in which no conjunction is left that agrees with all examples. It
    names rounds that contradict each other, and the learner is as it was before.

    Examples
    --------
    >>> from novikoff.estimators.boolean import MonotoneConjunction
    >>> model = MonotoneConjunction().fit([[1, 1, 0], [1, 0, 1], [0, 1, 1]], [1, 1, 0])
    >>> model.literals_, model.mistakes_, model.bound()
    (['x[0]'], 2, 3)
    """

    _sides, _dual = (True, False), False
    _nouns = Nouns("monotone conjunction", "variable")


class Conjunction(_Literals):
    """Variables and negations: starts with all 2d literals, which is always 0. At most d + 1 mistakes.

    The conjunctions that hold a variable and its negation are in the class: they are the function 0.
    Attributes and errors as in `MonotoneConjunction`.

    Examples
    --------
    >>> from novikoff.estimators.boolean import Conjunction
    >>> Conjunction().fit([[1, 1, 0], [1, 0, 0], [0, 1, 0]], [1, 1, 0]).literals_
    ['x[0]', '~x[2]']
    """

    _sides, _dual = (True, True), False
    _nouns = Nouns("conjunction", "literal")


class MonotoneDisjunction(_Literals):
    """x_i | x_j | ...: starts with all d variables, drops those that are 1 in a negative. At most d mistakes.

    Attributes and errors as in `MonotoneConjunction`.

    Examples
    --------
    >>> from novikoff.estimators.boolean import MonotoneDisjunction
    >>> MonotoneDisjunction().fit([[0, 1, 0], [1, 0, 0]], [0, 1]).literals_
    ['x[0]', 'x[2]']
    """

    _sides, _dual = (False, True), True
    _nouns = Nouns("monotone disjunction", "variable")


class Disjunction(_Literals):
    """Variables and negations: starts with all 2d literals, which is always 1. At most d + 1 mistakes.

    Attributes and errors as in `MonotoneConjunction`.

    Examples
    --------
    >>> from novikoff.estimators.boolean import Disjunction
    >>> Disjunction().fit([[0, 1, 0], [1, 1, 0]], [0, 1]).literals_
    ['x[0]', 'x[2]', '~x[1]']
    """

    _sides, _dual = (True, True), True
    _nouns = Nouns("disjunction", "literal")


@estimator
class KDNF(_Eliminating):
    """A disjunction of terms of at most k literals: starts with all of them, drops those that are true in a negative.

    There are N = sum of C(d,i) 2^i terms, i <= k, and S = sum of C(d,i) of them are true in any x. The first mistake
    drops exactly S, every other at least one: at most N - S + 1 mistakes. (The well-known bound is N.)

    Parameters
    ----------
    k : int

    Attributes
    ----------
    terms_ : list of str
        The terms that remain; the empty one is "1".
    rounds_, mistakes_ : int

    Examples
    --------
    >>> from novikoff.estimators.boolean import KDNF
    >>> model = KDNF(k=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> model.terms_, model.mistakes_, model.bound()
    (['x[0] & ~x[1]', '~x[0] & x[1]'], 2, 6)
    """

    k: int = parameter(Interval(Integral, 1, None, closed="left"), default=2, kw_only=False)

    def _fresh(self, d: int) -> Core:
        return TermElimination(d, int(self.k))

    def bound(self) -> int | None:
        """The most mistakes that the theorem allows: N - S + 1; None before d is known."""
        return kdnf_bound(self.n_features_in_, self._core.terms.k) if self._begun() else None

    @property
    def terms_(self) -> list[str]:
        """What remains, short terms first."""
        return [" & ".join(map(self._name, term)) or "1" for term in self._remaining()]

    def _details(self) -> list[tuple[str, object]]:
        return [("Terms left", few(self.terms_))]

    def to_sklearn(self) -> Pipeline:
        """A fitted pipeline of scikit-learn, ``PolynomialFeatures`` and a ``Perceptron``, that predicts the same.

        How many terms are true in x is a polynomial with integer coefficients, and it is compared with 1/2.
        """
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import PolynomialFeatures

        rule = self._rule_to_export()
        features = PolynomialFeatures(rule.k, interaction_only=True, include_bias=False)
        features.fit(np.zeros((1, rule.width)))
        if hasattr(self, "feature_names_in_"):
            features.feature_names_in_ = self.feature_names_in_.copy()
        coef, constant = polynomial(rule, features.powers_)
        last = self._as_perceptron(coef, constant - 0.5)
        last.__dict__.pop("feature_names_in_", None)
        return make_pipeline(features, last)

    def _rule_to_export(self) -> TermSet:
        terms, d = self._remaining(), self.n_features_in_
        return TermSet(terms, min(self._core.terms.k, d), d)

    def _core_of(self, state: State) -> Core:
        k, d, removed = state.integer("k", 1, MOST_LITERALS), state.width, state.arrays.get("removed")
        # Stop at the first sum of C(d,i) 2^i that is above what the file holds.
        terms, i = 1, 0
        while removed is not None and i < min(k, d) and terms <= removed.shape[-1]:
            i += 1
            terms += math.comb(d, i) << i
        require(removed is not None and terms == removed.shape[-1], f"its terms are not those of {d} columns, k = {k}")
        return TermElimination(d, k)
