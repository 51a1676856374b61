"""What the estimators inherit from scikit-learn; or, in a process that is bare, what stands in for it.

scikit-learn takes a second to import. A process that reads one model, asks it for a few labels and is over (the shell's
`inspect` and `predict`) needs of it that parameters are stored and checked, and nothing else: so there, and nowhere
else, the estimators are made without it. What is refused is still refused in scikit-learn's words, for which it is
imported after all.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, ClassVar, Self, TypeVar

from novikoff import estimators
from novikoff.estimators.parameters import Allowed, checked_by_sklearn

F = TypeVar("F", bound=Callable[..., Any])


class _BareEstimator:
    """Parameters, as scikit-learn's ``BaseEstimator`` has them."""

    _parameter_constraints: ClassVar[dict[str, list[Allowed]]]

    @classmethod
    def _get_param_names(cls) -> list[str]:
        own = cls.__init__ is not object.__init__
        return sorted(name for name in signature(cls).parameters) if own else []

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._get_param_names()}

    def _validate_params(self) -> None:
        for name, value in self.get_params().items():
            allowed = self._parameter_constraints.get(name)
            if allowed is not None and not any(each.allows(value) for each in allowed):
                checked_by_sklearn(type(self).__name__, self._parameter_constraints, self.get_params())

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn's validation, which is asked what to say of data that will not do."""
        from sklearn.base import BaseEstimator

        return BaseEstimator.__sklearn_tags__(self)


class _BareClassifier:
    """The tags of a classifier; nobody asks for its score."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        parent: Any = super()
        tags = parent.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags


class _BareRegressor:
    """Nobody asks for the score of a regression."""


def _always(check: Callable[[Any], bool]) -> Callable[[F], F]:
    return lambda method: method


# mypy takes it for True. scikit-learn has no type hints: with its classes for bases, every name and every parameter
# would seem to be there. So mypy is told what is inherited from it; editors read that off scikit-learn itself.
MYPY = False

if MYPY:

    class BaseEstimator(_BareEstimator):
        def set_params(self, **parameters: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def set_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_partial_fit_request(self, **requests: bool | str | None) -> Self: ...
        def set_score_request(self, **requests: bool | str | None) -> Self: ...

    class ClassifierMixin(_BareClassifier): ...

    class RegressorMixin(_BareRegressor): ...

    available_if = _always
elif estimators.BARE:
    BaseEstimator, ClassifierMixin, RegressorMixin = _BareEstimator, _BareClassifier, _BareRegressor
    available_if = _always
else:
    from sklearn.base import BaseEstimator as BaseEstimator
    from sklearn.base import ClassifierMixin as ClassifierMixin
    from sklearn.base import RegressorMixin as RegressorMixin
    from sklearn.utils.metaestimators import available_if as available_if
