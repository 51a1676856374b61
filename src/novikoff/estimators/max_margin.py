"""The maximum margin, hard or soft, as a scikit-learn estimator."""

from __future__ import annotations

import math
import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import NotSeparable, NotSeparableError, Separable
from novikoff.certificates.certificate import FINEST, About, plain
from novikoff.engine.rows import Rows
from novikoff.estimators.export import fitted, from_raw_rows
from novikoff.estimators.hyperplane import LinearModel
from novikoff.estimators.parameters import BOOLEAN, VERBOSE, Interval, estimator, parameter
from novikoff.estimators.shown import few
from novikoff.labels import Labels
from novikoff.learners.alone import alone
from novikoff.learners.linear import LinearLearner
from novikoff.learners.perceptron import Perceptron
from novikoff.learners.state import MOST, State, require
from novikoff.theory.exact import round_up
from novikoff.views import Html, bracket, card, facts, in_words
from novikoff.words import between, counted, told

if TYPE_CHECKING:
    from sklearn.svm import LinearSVC

    from novikoff.certificates.divisions import Division


@estimator
class MaxMarginClassifier(LinearModel):
    r"""The hyperplane with the largest margin, with its proof; or, with a finite ``C``, the soft margin.

    With C = inf: minimise ‖w‖ subject to y⟨w,x⟩ ≥ 1 on every row, the constant coordinate included. Where no
    separator exists, ``fit`` raises `NotSeparableError`, whose ``proof`` shows it. With a finite C:

    .. math:: \min_w \tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - y_i \langle w, x_i \rangle)^2

    as ``LinearSVC(loss="squared_hinge", C=C)`` has it, the intercept penalised with the rest (unlike SVC).

    Parameters
    ----------
    C : float
        inf for the hard margin, which comes with a certificate: numbers that float64 does not hold are refused.
    gap : float
        How far apart the two ends of the margin may be, relatively; for C = inf.
    fit_intercept, intercept_scaling : bool, float
        Append the constant coordinate ``intercept_scaling`` to every row.
    max_iter : int
        The most passes over the data; for a finite C.
    verbose : int
        1 shows the bracket closing, as `Perceptron` shows its passes.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,)
        Scaled so that y⟨w,x⟩ = 1 on the closest example (C = inf).
    classes_ : the two labels; the second is +
    margin_ : (lower, upper)
        The hyperplane has min y⟨w,x⟩/‖w‖ = lower (negative if it does not separate); none has more than upper.
    support_ : the rows that carry the solution
    certificate_ : `novikoff.Separable`, or None for a finite C
    n_iter_ : int
        Passes over the data.

    Examples
    --------
    >>> from novikoff import MaxMarginClassifier
    >>> clf = MaxMarginClassifier().fit([[2, 1], [3, 0], [0, 2], [-1, 1]], ["in", "in", "out", "out"])
    >>> clf.predict([[4, 1]])
    array(['in'], dtype='<U3')
    >>> print(clf.certificate_)
    Separable: a hyperplane puts all 4 rows on their sides, 'out' against 'in', with the constant coordinate 1.
    The best margin is at least 1.11144 (this one has it) and at most 1.11144, with R = 3.16228, ...

    References
    ----------
    P. Wolfe, Mathematical Programming 11 (1976) 128-149. C. Cortes and V. Vapnik, Machine Learning 20 (1995) 273-297.
    """

    C: float = parameter(Interval(Real, 0, math.inf, closed="right"), default=math.inf, kw_only=False)
    gap: float = parameter(Interval(Real, FINEST, 1, closed="left"), default=1e-3)
    fit_intercept: bool = parameter(BOOLEAN, default=True)
    intercept_scaling: float = parameter(Interval(Real, 0, None, closed="neither"), default=1.0)
    max_iter: int = parameter(Interval(Integral, 1, None, closed="left"), default=100_000)
    verbose: int = parameter(VERBOSE, default=0)

    @alone
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the hyperplane.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d)
        y : n labels, two classes of any type
        sample_weight : n numbers >= 0
            Multiplies C, row by row. A row of weight 0 is not there; for C = inf nothing else matters.

        Returns
        -------
        self
        """
        from novikoff.certificates.divisions import Division

        self._validate_params()
        y, sample_weight = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        standardization = inputs.begin_with(self, X)
        X, names = inputs.first_matrix(self, X, exact=math.isinf(self.C))  # the hard margin comes with a certificate
        labels = Labels.of(y, X.shape[0]).two()
        signs = labels.signs(y, X.shape[0])
        importance = inputs.sample_weights(sample_weight, X.shape[0])
        kept = np.flatnonzero(importance)
        if len(kept) < X.shape[0]:
            X, signs, importance = X[kept], signs[kept], importance[kept]
            if len(np.unique(signs)) < 2:
                raise ValueError("the rows of positive sample_weight hold one class only: a separator needs two")
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        learner = LinearLearner(Perceptron(), X.shape[1], constant, unit=False)  # which predicts, and never learns
        if math.isinf(self.C):
            against, positive = map(plain, labels.classes)
            division = Division(positive, (against,), signs)
            support = self._fit_hard(learner, X, division, constant, names)
        else:
            support = self._fit_soft(learner, X, signs, importance, constant, names)
        inputs.keep(self, standardization)
        self._learner, self.classes_, self.n_features_in_ = learner, labels.classes, X.shape[1]
        self.support_ = kept[support]
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def _fit_hard(
        self, learner: LinearLearner, X: Any, division: Division, constant: float, names: Any
    ) -> NDArray[np.int64]:
        from novikoff.certificates.prove import Question, prove

        question = Question(gap=float(self.gap), constant=constant, verbose=int(self.verbose))
        proof = prove(X, division, question, names)[1]
        if isinstance(proof, NotSeparable):
            raise NotSeparableError(proof)
        if not isinstance(proof, Separable):
            raise KeyboardInterrupt
        w = np.append(proof.coef, proof.last)
        # y<w,x> = 1 on the closest row.
        learner.w[:] = w / (proof.margin[0] * math.sqrt(w @ w))
        self.certificate_: Separable | None = proof
        self.margin_, self.n_iter_ = proof.margin, proof.passes
        return proof.rows

    def _fit_soft(
        self, learner: LinearLearner, X: Any, signs: Any, importance: Any, constant: float, names: Any
    ) -> NDArray[np.int64]:
        from sklearn.exceptions import ConvergenceWarning

        from novikoff.certificates.soft import soft_margin
        from novikoff.certificates.solve import CountedRows

        rows = Rows(X, signs, constant)
        with inputs.refusals(X, names):
            data = CountedRows(rows, None, None)
        w, p, done = soft_margin(data, float(self.C) * importance, int(self.max_iter))
        if not done:
            cure = told("raise max_iter, lower C", "give it more (-s max_iter=N), a lower C (-s C=0.1)")
            warnings.warn(
                f"the soft margin has not settled after {data.passes} passes: {cure}, or scale the features",
                ConvergenceWarning,
                stacklevel=4,
            )
        learner.w[:] = w
        learner.examine(rows)
        support = np.flatnonzero(p)
        upper = math.inf
        if len(support):
            upper = round_up(data.upper(support, p[support]))
        self.margin_, self.certificate_, self.n_iter_ = (learner.lower, upper), None, data.passes
        return support

    def _card(self) -> Html:
        proof = self.certificate_
        return card(
            type(self).__name__,
            f"soft, C = {self.C:g}" if proof is None else "hard, with its proof",
            bracket(*self.margin_),
            facts(
                [
                    ("Classes", few(self.classes_)),
                    ("Best margin", between(self.margin_)),
                    ("Carried by", counted(len(self.support_), "row")),
                    ("Passes", f"{self.n_iter_:,}"),
                ]
            ),
            "" if proof is None else in_words(proof),
        )

    def to_sklearn(self) -> LinearSVC:
        """A fitted ``sklearn.svm.LinearSVC`` that predicts the same.

        It adds up in floats, where this one has exact signs: next to the hyperplane the two may differ. Its C is ours,
        or 1e6 for the hard margin, which it has not.
        """
        from sklearn.svm import LinearSVC

        self._fitted()
        twin = LinearSVC(
            C=self.C if math.isfinite(self.C) else 1e6,
            fit_intercept=self.fit_intercept,
            intercept_scaling=self.intercept_scaling,
            max_iter=self.max_iter,
            verbose=self.verbose,
        )
        known = {"classes_": self.classes_.copy(), "n_iter_": self.n_iter_}
        return from_raw_rows(self, fitted(twin, self, self.coef_, self.intercept_, **known))

    def _give_state(self) -> State:
        state = State.of(self)
        self._learner.write_state(state)
        state.arrays["support"] = self.support_
        lower, upper = self.margin_
        state.values |= {"passes": self.n_iter_, "margin_lower": lower, "margin_upper": upper, "certified": False}
        if proof := self.certificate_:
            about = proof.about
            state.arrays["proof_rows"] = proof.rows
            state.values |= {
                "certified": True,
                "proof_digest": about.digest,
                "proof_shape": [about.n, about.d],
                "proof_constant": about.constant,
                "proof_positive": about.positive,
                "proof_radius": proof.radius,
                "proof_w": list(proof.w),
                "proof_weights": list(proof.weights),
                "proof_closest": proof.closest,
            }
        return state

    def _take_state(self, state: State) -> None:
        assert state.classes is not None
        self._learner, self.classes_, self.n_features_in_ = (
            LinearLearner.from_state(state, Perceptron),
            state.classes,
            state.width,
        )
        self.support_ = state.array("support", "<i8", None)
        self.margin_ = state.number("margin_lower"), state.number("margin_upper")
        self.n_iter_, self.certificate_ = state.integer("passes"), None
        names = state.columns()
        if names is not None:
            self.feature_names_in_ = names
        if state.flag("certified"):
            self.certificate_ = self._take_proof(state)

    def _take_proof(self, state: State) -> Separable:
        """The certificate: a claim, which `novikoff.verify` checks against the data."""
        lower, upper = self.margin_
        n, d = state.integers("proof_shape", 2)
        require(0 < n < MOST and d == state.width, "its certificate is about data of another shape")
        require(0 < lower <= upper < math.inf, "the margin of its certificate is not positive and finite")
        rows = state.array("proof_rows", "<i8", None)
        require(len(rows) and ((rows >= 0) & (rows < n)).all(), "its certificate names rows that do not exist")
        constant = state.number("proof_constant", 0.0)
        require(math.isfinite(constant), "the constant of its certificate is not finite")
        assert state.classes is not None
        against, positive = state.classes.tolist()
        named = state.value("proof_positive")
        require(type(named) is type(positive) and named == positive, "its certificate has another positive label")
        radius = state.number("proof_radius", 0.0)
        require(0 < radius < math.inf, "the radius of its certificate is not positive and finite")
        w = state.integers("proof_w", d + 1)
        require(any(w), "the separator of its certificate is zero")
        return Separable(
            About(state.text("proof_digest"), n, d, constant, positive, (against,)),
            self.n_iter_,
            (lower, upper),
            radius,
            w,
            rows,
            state.integers("proof_weights", len(rows)),
            state.integer("proof_closest", 0, n - 1),
        )
