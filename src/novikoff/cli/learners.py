"""The learners by the names that the command line gives them."""

from __future__ import annotations

import difflib
from typing import Any

import typer

from novikoff.cli.options import assignments
from novikoff.estimators.registry import REGISTRY

NAMES = {entry.command: entry.estimator for entry in REGISTRY.values() if entry.command}


def new_learner(name: str, settings: list[str] | None) -> Any:
    """A new estimator with these parameters."""
    if name not in NAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(sorted(NAMES))}", param_hint="--learner")
    parameters = assignments(settings, "--set")
    try:
        model = NAMES[name](**parameters)
    except TypeError:
        known = NAMES[name]().get_params()
        wrong = next(key for key in parameters if key not in known)
        near = difflib.get_close_matches(wrong, known, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        told = f"{name} has no {wrong!r}{hint}: it has {', '.join(known)}"
        raise typer.BadParameter(told, param_hint="--set") from None
    return model
