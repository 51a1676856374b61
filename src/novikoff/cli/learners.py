"""The learners by the names that the command line gives them."""

from __future__ import annotations

import re
from typing import Any

import typer

from novikoff.cli.options import assignments
from novikoff.store.model import LEARNERS


def _hyphened(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower().removesuffix("-classifier")


# max-margin, least-squares-classifier -> least-squares: a label is a class here, not a number.
NAMES = {_hyphened(name): kind for name, kind in LEARNERS.items() if name != "LeastSquares"}


def learner(name: str, settings: list[str] | None) -> Any:
    """A new estimator with these parameters."""
    if name not in NAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(sorted(NAMES))}", param_hint="--learner")
    parameters = assignments(settings, "--set")
    try:
        model = NAMES[name](**parameters)
    except TypeError:
        known = NAMES[name]().get_params()
        wrong = next(key for key in parameters if key not in known)
        raise typer.BadParameter(f"{name} has no {wrong!r}: it has {', '.join(known)}", param_hint="--set") from None
    return model
