"""scikit-learn's callbacks, from its version 1.9 on, are told of the passes of a fit, and may end it.

That interface is new, and its makers say that it may change: all that is known of it is here, and it is imported where
callbacks have been set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib.util import find_spec
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from novikoff.estimators.bases import available_if

P = ParamSpec("P")
Model = TypeVar("Model")
T = TypeVar("T")

SET, PROPAGATED = "_skl_callbacks", "_parent_callback_ctx"  # where scikit-learn keeps those of an estimator


Attributes = dict[str, Any]


@cache
def _exist() -> bool:
    return find_spec("sklearn.callback") is not None


class Called:
    """An estimator that takes callbacks."""

    @available_if(lambda self: _exist())
    def set_callbacks(self, *callbacks: Any) -> Self:
        """Let these follow every later ``fit``, pass by pass: ``sklearn.callback.ProgressBar()``, for example.

        A callback may end the fit after a pass. This is scikit-learn's interface, of its version 1.9 and later, where
        it is experimental.

        Parameters
        ----------
        callbacks : callbacks of scikit-learn, in place of those set before; none to have none

        Returns
        -------
        self
        """
        from sklearn.callback import CallbackSupportMixin

        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self


def tells_callbacks(fit: Callable[Concatenate[Model, P], T]) -> Callable[Concatenate[Model, P], T]:
    """For a fit that has `Tasks`: however it ends, its callbacks are told to clear up."""

    @wraps(fit)
    def told(self: Model, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if not _listened_to(self):
            return fit(self, *args, **kwargs)
        from sklearn.callback import with_callbacks

        ended: T = with_callbacks(fit)(self, *args, **kwargs)
        return ended

    return told


def _listened_to(estimator: Any) -> bool:
    return not vars(estimator).keys().isdisjoint({SET, PROPAGATED})


class Tasks:
    """A fit and its passes, as the tasks that callbacks are told of.

    Parameters
    ----------
    estimator : what is fitted
    X, y : its data, as they came
    most : how many passes there may be; None: that is not known
    as_fitted : the attributes of a fitted estimator, if the fit ended now
    """

    def __init__(self, estimator: Any, X: Any, y: Any, most: int | None, as_fitted: Callable[[], Attributes]) -> None:
        from sklearn.callback import CallbackSupportMixin

        self._left = most
        self._about = {"estimator": estimator, "X": X, "y": y}
        self._as_fitted = as_fitted
        self._whole = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=most)
        self._whole.call_on_fit_task_begin(**self._about)
        self._pass: Any = None
        self._begin()

    @classmethod
    def of(cls, estimator: Any, X: Any, y: Any, most: int | None, as_fitted: Callable[[], Attributes]) -> Tasks | None:
        """None where nobody listens."""
        return cls(estimator, X, y, most, as_fitted) if _listened_to(estimator) else None

    def end_pass(self) -> bool:
        """A pass has ended; does a callback want it to be the last?"""
        enough = self._pass.call_on_fit_task_end(**self._about, reconstruction_attributes=self._as_fitted)
        self._pass = None
        if not enough:
            self._begin()
        return bool(enough)

    def _begin(self) -> None:
        if self._left != 0:
            self._left = None if self._left is None else self._left - 1
            self._pass = self._whole.subcontext(task_name="pass").call_on_fit_task_begin(**self._about)

    def end(self) -> None:
        """The fit has ended, and the estimator is fitted."""
        if self._pass is not None:  # which nobody made
            self._pass.call_on_fit_task_end(estimator=self._about["estimator"])
        self._whole.call_on_fit_task_end(**self._about, reconstruction_attributes=dict)
