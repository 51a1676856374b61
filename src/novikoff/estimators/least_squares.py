"""Least squares by the methods of the notes and some later ones, as scikit-learn estimators."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.descent.methods import Diverged
from novikoff.descent.run import INTERRUPTED, METHODS, STOCHASTIC, Method, Trace, automatic, run
from novikoff.descent.squares import Squares
from novikoff.descent.stream import Stream
from novikoff.engine.storage import Vector, over
from novikoff.estimators.bases import BaseEstimator, ClassifierMixin, RegressorMixin, available_if
from novikoff.estimators.export import Plane, fitted, from_raw_rows
from novikoff.estimators.hyperplane import Scored
from novikoff.estimators.parameters import BOOLEAN, RANDOM, VERBOSE, Auto, Interval, estimator, one_of, parameter
from novikoff.estimators.portable import Portable
from novikoff.estimators.shown import Shown
from novikoff.labels import Labels
from novikoff.learners.alone import alone
from novikoff.learners.state import State, require
from novikoff.progress import Descent
from novikoff.standardization import Standardization
from novikoff.views import Html, card, facts
from novikoff.words import setting, told

if TYPE_CHECKING:
    from sklearn.linear_model import LinearRegression, RidgeClassifier
    from sklearn.utils import Tags

Step = Literal["auto", "1/t"]
TRACE = {"iterations": "<i8", "rows": "<i8", "seconds": "<f8", "loss": "<f8", "accuracy": "<f8"}
OVERFLOW = "the sums of squares overflow: scale the features and the targets"


@estimator
class _Parameters:
    """The parameters that the regressor and the classifier have in common."""

    method: Auto | Method = parameter(one_of(Auto, Method), default="auto", kw_only=False)
    step: Step | float = parameter(one_of(Step), Interval(Real, 0, None, closed="neither"), default="auto")
    fit_intercept: bool = parameter(BOOLEAN, default=True)
    max_iter: int = parameter(Interval(Integral, 1, None, closed="left"), default=1000)
    tol: float = parameter(Interval(Real, 0, None, closed="left"), default=1e-6)
    shuffle: bool = parameter(BOOLEAN, default=True)
    average: bool = parameter(BOOLEAN, default=False)
    random_state: int | np.random.RandomState | None = parameter(RANDOM, default=None)
    warm_start: bool = parameter(BOOLEAN, default=False)
    verbose: int = parameter(VERBOSE, default=0)


class _LeastSquares(_Parameters, Shown, BaseEstimator, Portable):
    """What the regressor and the classifier share."""

    coef_: NDArray[np.float64]
    intercept_: Any
    n_features_in_: int
    trace_: Trace
    _stream: Stream  # of partial_fit

    def _fit(self, X: Any, names: Any, y: Vector, sample_weight: Any, standardization: Standardization | None) -> Self:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.utils import check_random_state

        self._check_parameters()
        F = self._squares(X, y, sample_weight)
        method = automatic(F) if self.method == "auto" else self.method
        w = np.zeros(F.width)
        if self.warm_start and hasattr(self, "coef_") and self.coef_.size == X.shape[1]:
            w = self._weights()
            w[-1] *= self.fit_intercept
        try:
            with np.errstate(all="ignore"), self._progress(method) if self.verbose else nullcontext() as watch:
                outcome = run(
                    F,
                    method,
                    w,
                    step=self._step(),
                    average=self.average,
                    max_iter=int(self.max_iter),
                    tol=float(self.tol),
                    shuffle=self.shuffle,
                    rng=check_random_state(self.random_state),
                    watch=watch,
                )
        except (FloatingPointError, np.linalg.LinAlgError):
            inputs.check_rows(X, names)
            raise ValueError(OVERFLOW) from None
        if outcome.diverged or not np.isfinite(w).all():
            inputs.check_rows(X, names)
        self.__dict__.pop("_stream", None)
        inputs.keep(self, standardization)
        self._adopt(w, X, names)
        self.trace_, self.stop_reason_, self.method_ = outcome.trace, outcome.reason, method
        self.n_iter_ = int(outcome.trace.iterations[-1]) if len(outcome.trace.iterations) else 0
        if not outcome.converged and not self.interrupted_:
            raised = told("raise max_iter", "allow more (-s max_iter=N)")
            shorter, scaled = f"give a shorter step, or {setting('step', 'auto')}", f"{raised}, or scale the features"
            cure = shorter if outcome.diverged else scaled
            warnings.warn(
                f"{setting('method', method)}: {outcome.reason}. {cure[0].upper()}{cure[1:]}",
                ConvergenceWarning,
                stacklevel=4,
            )
        return self

    def _progress(self, method: str) -> Descent:
        return Descent(method, int(self.max_iter), None if method in STOCHASTIC else float(self.tol))

    def _partial_fit(self, X: Any, names: Any, y: Vector, sample_weight: Any) -> Self:
        from sklearn.exceptions import ConvergenceWarning

        self._check_parameters()
        F = self._squares(X, y, sample_weight)
        try:
            with np.errstate(all="ignore"):
                stream = self._stream if self._begun() else Stream(F, self.method, self.average)
                stream.learn(F, self._step())
        except FloatingPointError:
            inputs.check_rows(X, names)
            raise ValueError(OVERFLOW) from None
        except Diverged as bound:
            warnings.warn(
                f"method={self.method!r} diverged, and this batch is left out: {bound}. Give a shorter step",
                ConvergenceWarning,
                stacklevel=4,
            )
        if not self._begun():
            inputs.keep(self, None)  # of a fit before, which is forgotten
        self._stream, self.t_, self.n_iter_ = stream, stream.steps, 1
        self._adopt(stream.mean, X, names)
        return self

    def _begin_with(self, X: Any) -> Standardization | None:
        """How the rows of a fit have been standardised before it."""
        return inputs.begin_with(self, X, goes_on=self.warm_start and hasattr(self, "coef_"))

    @property
    def interrupted_(self) -> bool:
        """Did Ctrl-C end the last fit?"""
        return getattr(self, "stop_reason_", None) == INTERRUPTED

    def _check_parameters(self) -> None:
        self._validate_params()
        if self.method == "newton-sgd" and self.step == "1/t":
            raise ValueError("step='1/t' is for method='sgd'; the automatic step of 'newton-sgd' falls as 1/t already")
        if self.method in ("kaczmarz", "cg") and self.step != "auto":
            raise ValueError(f"method={self.method!r} chooses its steps: leave step='auto'")
        if self.method in ("gd", "newton", "auto") and self.step == "1/t":
            raise ValueError(f"step='1/t' is for method='sgd', not for {self.method!r}")
        if self.average and self.method != "sgd":
            raise ValueError(f"average=True is for method='sgd', not for {self.method!r}")

    def _step(self) -> str | float:
        return self.step if isinstance(self.step, str) else float(self.step)

    def _squares(self, X: Any, y: Vector, sample_weight: Any) -> Squares:
        weights = inputs.sample_weights(sample_weight, X.shape[0])
        rows = over(X, 1.0 if self.fit_intercept else 0.0, norms=False)
        return Squares(rows, y, weights, X.shape[1])

    def _weights(self) -> Vector:
        return np.append(np.ravel(self.coef_), np.ravel(self.intercept_))

    def _adopt(self, w: Vector, X: Any, names: Any) -> None:
        self.coef_, self.intercept_ = w[:-1], float(w[-1])
        self.n_features_in_ = X.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names

    def _values(self, X: Any) -> Vector:
        inputs.check_fitted(self)
        X = inputs.matrix(self, X)
        with np.errstate(all="ignore"):
            values = np.asarray(X @ np.ravel(self.coef_), dtype=np.float64) + np.ravel(self.intercept_)
        if not np.isfinite(values).all():
            inputs.check_rows(X, getattr(self, "feature_names_in_", None))
        return values

    def _next_matrix(self, X: Any) -> tuple[Any, Any]:
        if not self._begun():
            return inputs.first_matrix(self, X)
        return inputs.matrix(self, X), getattr(self, "feature_names_in_", None)

    def _begun(self) -> bool:
        return "_stream" in self.__dict__

    def _has_learned(self) -> bool:
        return hasattr(self, "coef_")

    def _card(self) -> Html:
        known: list[tuple[str, object]] = [("Columns", f"{self.n_features_in_:,}"), ("Iterations", f"{self.n_iter_:,}")]
        if hasattr(self, "trace_"):
            loss = self.trace_.loss
            known += [("Method", self.method_), ("Stopped", self.stop_reason_)]
            known.append(("Sum of squares", f"{loss[-1]:.6g}" if len(loss) else ""))
        return card(type(self).__name__, "by least squares", facts(known))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # For others ----------------------------------------------------------------------------------

    def _give_state(self) -> State:
        state = State.of(self)
        state.arrays["w"] = self._weights()
        fitted, streamed, streaming = hasattr(self, "trace_"), hasattr(self, "t_"), self._begun()
        state.values |= {
            "iterations": self.n_iter_,
            "fitted": fitted,
            "streamed": streamed,
            "streaming": streaming,
        }
        if fitted:
            state.values |= {"method": self.method_, "stop_reason": self.stop_reason_}
            state.arrays |= {f"trace_{name}": getattr(self.trace_, name) for name in TRACE}
        if streamed:
            state.values["steps"] = self.t_
        if streaming:
            self._stream.write_state(state)
        return state

    def _take_state(self, state: State) -> None:
        self._check_parameters()
        self._adopt(state.array("w", "<f8", state.width + 1), np.empty((0, state.width)), state.columns())
        if state.classes is not None:
            self.classes_ = state.classes
        self.n_iter_ = state.integer("iterations")
        if state.flag("fitted"):
            self.method_, self.stop_reason_ = state.text("method"), state.text("stop_reason")
            require(self.method_ in METHODS, "it was fitted by no known method")
            trace = {name: state.array(f"trace_{name}", kind, None) for name, kind in TRACE.items()}
            require(len({len(column) for column in trace.values()}) == 1, "the columns of its trace differ in length")
            self.trace_ = Trace(**trace)
        if state.flag("streamed"):
            self.t_ = state.integer("steps")
        if state.flag("streaming"):
            method = state.text("stream_method")
            require(method in STOCHASTIC, "it streams by no known method")
            self._stream = Stream.from_state(state, method)

    def _rule_to_export(self) -> Plane:
        inputs.check_fitted(self)
        w = self._weights()
        return Plane(w[:-1], float(w[-1]), second_at_zero=True)


def _streams(estimator: _LeastSquares) -> bool:
    if estimator.method not in STOCHASTIC:
        raise AttributeError(
            f"partial_fit is for the methods {', '.join(STOCHASTIC)}; this one has {estimator.method!r}"
        )
    return True


class LeastSquares(Scored, RegressorMixin, _LeastSquares):
    r"""Minimise :math:`F(w) = \sum_i (\langle w, x_i\rangle - y_i)^2`, by the method of your choice.

    A step alpha multiplies the gradient as the notes write it, 2 (<w,x> - y) x. (scikit-learn multiplies half of it:
    its eta0 is 2 alpha.) The constant coordinate 1 is appended to every row, and is not special.

    Parameters
    ----------
    method : "auto", "gd", "newton", "sgd", "newton-sgd", "kaczmarz" or "cg"
        "auto" is Newton's method (a solution of the normal equations, refined; by singular values where they are too
        ill-conditioned) if there are few columns, else conjugate gradients.
        "newton-sgd" takes the Hessian from the whole data in ``fit``, and updates it row by row
        (Sherman and Morrison) in ``partial_fit``.
        "kaczmarz" is for equations that have a solution; else it ends at a distance that grows with the residuals.
    step : "auto", "1/t" or float
        alpha. By default 1/L for "gd", L the largest eigenvalue of the Hessian; 1/(2 R^2) falling as 1/(1 + t/n) for
        "sgd", R the norm of the longest row; the constant 1/(8 R^2) if averaged (Bach and Moulines 2013);
        n/(n h + t) for "newton-sgd", h the largest leverage.
    fit_intercept : bool
    max_iter : int
        Iterations of a batch method, passes of a stochastic one.
    tol : float
        Stop when ||grad F(w)|| <= tol ||grad F(0)||; for the stochastic methods, when 5 passes, or 200 steps if that
        is more, lower the loss by less than tol of it.
    shuffle : bool
        The first pass goes in the given order; later ones are reshuffled, or not.
    average : bool
        Return the mean of all iterates of "sgd".
    random_state : int, RandomState or None
    warm_start : bool
        Start from the last weights instead of 0.
    verbose : int

    Attributes
    ----------
    coef_, intercept_ : array of shape (d,), float
    trace_ : `iterations`, `rows` (read), `seconds`, `loss` and `accuracy` along the way
    stop_reason_ : str
    method_ : str
        What "auto" chose.
    n_iter_ : int

    Examples
    --------
    >>> from novikoff import LeastSquares
    >>> reg = LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> reg.coef_.round(6), round(reg.intercept_, 6)
    (array([2.]), 1.0)
    >>> reg.method_, reg.stop_reason_
    ('newton', 'the gradient is at most 1e-06 of that at w = 0')

    References
    ----------
    F. Bach and E. Moulines, Non-strongly-convex smooth stochastic approximation with convergence rate O(1/n), NIPS
    2013. T. Strohmer and R. Vershynin, J. Fourier Anal. Appl. 15 (2009) 262-278.
    """

    @alone
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the minimum.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d)
        y : n numbers
        sample_weight : n numbers >= 0, the weights of the squares

        Returns
        -------
        self
        """
        y, sample_weight = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        standardization = self._begin_with(X)
        X, names = inputs.first_matrix(self, X)
        return self._fit(X, names, _targets(y, X.shape[0]), sample_weight, standardization)

    @available_if(_streams)
    @alone
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """One pass over these rows, in the given order, from where the last call ended."""
        y, sample_weight = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        X, names = self._next_matrix(X)
        return self._partial_fit(X, names, _targets(y, X.shape[0]), sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """<w,x> + intercept."""
        return self._values(X)

    def to_sklearn(self) -> LinearRegression:
        """A fitted ``sklearn.linear_model.LinearRegression`` that predicts the same."""
        inputs.check_fitted(self)
        from sklearn.linear_model import LinearRegression

        twin = LinearRegression(fit_intercept=self.fit_intercept)
        return from_raw_rows(self, fitted(twin, self, self.coef_.copy(), self.intercept_))


class LeastSquaresClassifier(Scored, ClassifierMixin, _LeastSquares):
    """Two classes as the numbers -1 and +1, fitted by least squares, told apart by the sign.

    Parameters and attributes are those of `LeastSquares`; ``classes_`` holds the two labels, the second is +.

    Examples
    --------
    >>> from novikoff import LeastSquaresClassifier
    >>> clf = LeastSquaresClassifier().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> clf.predict([[0.5], [4.5]])
    array(['low', 'high'], dtype='<U4')
    """

    classes_: NDArray[Any]

    @alone
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the minimum of the squares, with -1 and +1 for the two labels.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, d)
        y : n labels of any type, two of them different
        sample_weight : n numbers >= 0, the weights of the squares

        Returns
        -------
        self
        """
        y, sample_weight = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        standardization = self._begin_with(X)
        X, names = inputs.first_matrix(self, X)
        labels = Labels.of(y, X.shape[0]).two()
        signs = labels.signs(y, X.shape[0]).astype(np.float64)
        self._fit(X, names, signs, sample_weight, standardization)
        self.classes_ = labels.classes
        return self

    @available_if(_streams)
    @alone
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over these rows, in the given order, from where the last call ended.

        The first call needs both labels, in ``classes`` or in y.
        """
        y, sample_weight = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        X, names = self._next_matrix(X)
        if self._begun():
            labels = Labels(self.classes_)
        else:
            labels = (Labels.begun(y, X.shape[0]) if classes is None else Labels.declared(classes)).several().two()
        self._partial_fit(X, names, labels.signs(y, X.shape[0]).astype(np.float64), sample_weight)
        self.classes_ = labels.classes
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """<w,x> + intercept."""
        return self._values(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels; at zero the second."""
        positive = self._values(X) >= 0
        return self.classes_[positive.astype(np.intp)]

    def to_sklearn(self) -> RidgeClassifier:
        """A fitted ``sklearn.linear_model.RidgeClassifier`` without a penalty that predicts the same.

        At a score of exactly zero it predicts the first label, this one the second.
        """
        inputs.check_fitted(self)
        from sklearn.linear_model import RidgeClassifier

        twin = RidgeClassifier(fit_intercept=self.fit_intercept)
        # It learns what the labels are; the weights come from here.
        twin.fit(np.zeros((2, self.n_features_in_)), self.classes_)
        return from_raw_rows(self, fitted(twin.set_params(alpha=0.0), self, self.coef_.copy(), self.intercept_.copy()))

    def _adopt(self, w: Vector, X: Any, names: Any) -> None:
        super()._adopt(w, X, names)
        self.coef_, self.intercept_ = w[None, :-1], w[-1:].copy()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _targets(y: Any, n: int) -> Vector:
    from sklearn.utils.validation import column_or_1d

    y = column_or_1d(y, warn=True)
    if y.dtype.kind not in "biuf":
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"y must hold numbers; it holds {inputs.item(y[0])!r}") from None
    if y.shape[0] != n:
        raise ValueError(f"X has {n} rows but y has {y.shape[0]} values: they must be of the same length")
    y = y.astype(np.float64, copy=False)
    wrong = np.flatnonzero(~np.isfinite(y))
    if len(wrong):
        kind = "NaN" if np.isnan(y[wrong[0]]) else "infinity"
        raise ValueError(f"Input y contains {kind}: y[{wrong[0]}]. Every value must be finite")
    return np.ascontiguousarray(y)
