"""The parameters of an estimator, each written once: name, type, default, and what is allowed.

scikit-learn reads parameters off the signature of ``__init__``, wants it to store them and to do nothing else, and
checks them in ``fit`` by ``_parameter_constraints``. A dataclass makes the first two, and the third is beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, cast, dataclass_transform

C = TypeVar("C", bound=type)


def parameter(default: Any, *allowed: Any, positional: bool = False) -> Any:
    """A parameter of an estimator.

    Parameters
    ----------
    default : what it is if it is not given
    allowed : scikit-learn's constraints, of which one must hold
    positional : may it be given without its name?
    """
    return field(default=default, kw_only=not positional, metadata={"allowed": allowed})


@dataclass_transform(eq_default=False, field_specifiers=(parameter,))
def estimator(cls: C) -> C:
    """The class with an ``__init__`` that takes the parameters which it and its bases declare."""
    made: Any = dataclass(eq=False, repr=False, match_args=False)(cls)
    made._parameter_constraints = {each.name: list(each.metadata["allowed"]) for each in fields(made)}
    return cast(C, made)
