"""The maximum margin, hard or soft, as a scikit-learn estimator."""

from __future__ import annotations

import math
import re
import warnings
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import NotSeparable, NotSeparableError, Separable, SoftMargin, Undecided
from novikoff.certificates.certificate import FINEST, About, nameable, plain
from novikoff.certificates.claim.soft_margin import MOST_EXPONENT
from novikoff.estimators.export import fitted, from_raw_rows
from novikoff.estimators.hyperplane import LinearModel
from novikoff.estimators.parameters import BOOLEAN, VERBOSE, Interval, estimator, one_of, parameter
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


Loss = Literal["squared_hinge", "hinge"]


@estimator
class MaxMarginClassifier(LinearModel):
    r"""The hyperplane with the largest margin, with its proof; or, with a finite ``C``, the soft margin.

    With C = inf: minimise ‖w‖ subject to y⟨w,x⟩ ≥ 1 on every row, the constant coordinate included. Where no
    separator exists, ``fit`` raises `NotSeparableError`, whose ``proof`` shows it. With a finite C:

    .. math:: \min_w \tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - y_i \langle w, x_i \rangle)^2

    or the sum without the square, for ``loss="hinge"``; as ``LinearSVC(loss=loss, C=C)`` has it, the intercept
    penalised with the rest (unlike SVC). The optimum is proved to lie between two numbers.

    Parameters
    ----------
    C : float
        inf for the hard margin, which comes with a certificate: numbers that float64 does not hold are refused.
    gap : float
        How far apart the two ends of the margin may be, relatively; or those of the optimum, for a finite C. With
        squares the weights go on to the optimum itself, as far as floats can.
    loss : "squared_hinge" or "hinge"
        Of the soft margin; for a finite C.
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
    certificate_ : `novikoff.Separable`, or `novikoff.SoftMargin` for a finite C
        None where floats, or ``max_iter`` passes, do not bring the two ends of the optimum within ``gap``, and for
        labels that no certificate can name, such as dates.
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
    loss: Loss = parameter(one_of(Loss), default="squared_hinge")
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
        if len(np.unique(signs[kept])) < 2:
            raise ValueError("the rows of positive sample_weight hold one class only: a separator needs two")
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        learner = LinearLearner(Perceptron(), X.shape[1], constant, unit=False)  # which predicts, and never learns
        against, positive = map(plain, labels.classes)
        if math.isinf(self.C):
            if len(kept) < X.shape[0]:
                X, signs = X[kept], signs[kept]
            support = kept[self._fit_hard(learner, X, Division(positive, (against,), signs), constant, names)]
        else:
            weights = None if sample_weight is None else importance
            support = self._fit_soft(learner, X, Division(positive, (against,), signs), weights, constant, names)
        inputs.keep(self, standardization)
        self._learner, self.classes_, self.n_features_in_ = learner, labels.classes, X.shape[1]
        self.support_ = support
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
        self.certificate_: Separable | SoftMargin | None = proof
        self.margin_, self.n_iter_ = proof.margin, proof.passes
        return proof.rows

    def _fit_soft(
        self, learner: LinearLearner, X: Any, division: Division, weights: Any, constant: float, names: Any
    ) -> NDArray[np.int64]:
        from sklearn.exceptions import ConvergenceWarning

        from novikoff.certificates.optimum import Cost, minimise
        from novikoff.certificates.prove import INTERRUPTED, Question

        cost = Cost(float(self.C), self.loss, weights)
        question = Question(
            gap=float(self.gap), constant=constant, max_passes=int(self.max_iter), verbose=int(self.verbose)
        )
        found = minimise(X, division, cost, question, names, to_the_end=True)[1]
        proof, data = found.proof, found.data
        if isinstance(proof, Undecided):
            if proof.why == INTERRUPTED:
                raise KeyboardInterrupt
            cure = told("raise max_iter, lower C", "give it more (-s max_iter=N), a lower C (-s C=0.1)")
            warnings.warn(
                f"the soft margin has not settled after {data.passes} passes: {cure}, or scale the features",
                ConvergenceWarning,
                stacklevel=4,
            )
        learner.w[:] = found.w
        learner.examine(data.rows)
        upper = math.inf
        if len(found.support):
            upper = round_up(data.upper(found.support, found.alpha))
        self.margin_, self.n_iter_ = (learner.lower, upper), data.passes
        named = all(map(_can_be_named, (division.positive, *division.against)))
        self.certificate_ = proof if isinstance(proof, SoftMargin) and named else None
        return found.rows

    def _card(self) -> Html:
        proof = self.certificate_
        return card(
            type(self).__name__,
            ("hard" if math.isinf(self.C) else f"soft, C = {self.C:g}") + (", with its proof" if proof else ""),
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
            loss=self.loss,
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
        proof = self.certificate_
        if proof is None:
            return state
        about = proof.about
        state.arrays["proof_rows"] = proof.rows
        state.values |= {
            "proof_digest": about.digest,
            "proof_shape": [about.n, about.d],
            "proof_constant": about.constant,
            "proof_positive": about.positive,
        }
        if isinstance(proof, SoftMargin):
            state.arrays["proof_w"] = np.array(proof.w, dtype="<i8")
            state.arrays["proof_alphas"] = np.array(proof.alphas, dtype="<i8")
            state.arrays["proof_lengths"] = np.array(proof.lengths, dtype="<f8")
            state.values |= {
                "proof_loss": proof.loss,
                "proof_c": proof.C,
                "proof_lower": proof.objective[0],
                "proof_upper": proof.objective[1],
                "proof_w_exponent": proof.w_exponent,
                "proof_alpha_exponent": proof.alpha_exponent,
                "proof_radius": proof.radius,
                "proof_weighted": proof.weighted or "",
                "proof_heaviest": proof.heaviest,
            }
        else:
            state.values |= {
                "certified": True,
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
        elif "proof_loss" in state.values:
            self.certificate_ = self._take_soft_proof(state)

    def _take_about(self, state: State) -> tuple[About, NDArray[np.int64]]:
        """What a certificate is about, and its rows."""
        n, d = state.integers("proof_shape", 2)
        require(0 < n < MOST and d == state.width, "its certificate is about data of another shape")
        rows = state.array("proof_rows", "<i8", None)
        require(len(rows) and ((rows >= 0) & (rows < n)).all(), "its certificate names rows that do not exist")
        constant = state.number("proof_constant", 0.0)
        require(math.isfinite(constant), "the constant of its certificate is not finite")
        assert state.classes is not None
        against, positive = state.classes.tolist()
        named = state.value("proof_positive")
        require(type(named) is type(positive) and named == positive, "its certificate has another positive label")
        about = About(state.text("proof_digest"), n, d, constant, positive, (against,), names=state.columns())
        return about, rows

    def _take_proof(self, state: State) -> Separable:
        """The certificate: a claim, which `novikoff.verify` checks against the data."""
        lower, upper = self.margin_
        about, rows = self._take_about(state)
        require(0 < lower <= upper < math.inf, "the margin of its certificate is not positive and finite")
        radius = state.number("proof_radius", 0.0)
        require(0 < radius < math.inf, "the radius of its certificate is not positive and finite")
        w = state.integers("proof_w", about.d + 1)
        require(any(w), "the separator of its certificate is zero")
        return Separable(
            about,
            self.n_iter_,
            (lower, upper),
            radius,
            w,
            rows,
            state.integers("proof_weights", len(rows)),
            state.integer("proof_closest", 0, about.n - 1),
        )

    def _take_soft_proof(self, state: State) -> SoftMargin:
        """The same of a soft margin."""
        about, rows = self._take_about(state)
        require((np.diff(rows) > 0).all(), "the rows of its certificate are not in order")
        loss = state.text("proof_loss")
        require(loss in get_args(Loss), "the loss of its certificate is unknown")
        C, radius, heaviest = (state.number(f"proof_{name}", 0.0) for name in ("c", "radius", "heaviest"))
        lower, upper = state.number("proof_lower", 0.0), state.number("proof_upper", 0.0)
        finite = 0 < C < math.inf and radius < math.inf and 0 < heaviest < math.inf and lower <= upper < math.inf
        require(finite, "the numbers of its certificate are not positive, finite and in order")
        alphas = state.array("proof_alphas", "<i8", len(rows))
        lengths = state.array("proof_lengths", "<f8", len(rows))
        good = (alphas > 0).all() and ((lengths >= 0) & (lengths < math.inf)).all()
        require(good, "the dual of its certificate is not positive")
        weighted = state.text("proof_weighted")
        require(re.fullmatch("([0-9a-f]{64})?", weighted), "the digest of its weights is not 64 hexadecimal digits")
        return SoftMargin(
            about,
            self.n_iter_,
            C,
            loss,
            (lower, upper),
            tuple(state.array("proof_w", "<i8", about.d + 1).tolist()),
            state.integer("proof_w_exponent", -MOST_EXPONENT, MOST_EXPONENT),
            rows,
            tuple(alphas.tolist()),
            state.integer("proof_alpha_exponent", -MOST_EXPONENT, MOST_EXPONENT),
            tuple(lengths.tolist()),
            radius,
            weighted or None,
            heaviest,
        )


def _can_be_named(label: Any) -> bool:
    try:
        nameable(label)
    except ValueError:
        return False
    return True
