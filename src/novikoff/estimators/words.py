"""What the estimators say in words."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from novikoff.words import counted

STILL = "found nothing to update"
ON_A_STREAM = "learning from a stream, which has no end"


class End(NamedTuple):
    """How a run over a data set ended."""

    finished: bool  # the last pass found nothing to update
    reached: bool  # nothing is left to update, whether a pass has shown it or not
    separates: bool  # the margin of the returned weights over all rows is positive
    errors: int  # the rows that they misclassify, by the convention at zero
    rows: int
    ending: str = STILL  # what is true of the last pass of a run that is finished
    interrupted: bool = False  # nothing else is known then


INTERRUPTED = End(finished=False, reached=False, separates=False, errors=0, rows=0, interrupted=True)


class Stop(NamedTuple):
    """Why the last fit stopped."""

    reason: str
    updates: int  # made by then
    interrupted: bool


def stop(end: End, model: Any, updates: int) -> Stop:
    return Stop(_reason(end, model), updates, end.interrupted)


def _reason(end: End, model: Any) -> str:
    turns = _turns(model)
    if end.interrupted:
        return f"interrupted after {turns}"
    stopped = f"max_iter = {model.max_iter:,} reached after {turns}"
    if end.reached:
        how = f"the last of {turns} {end.ending}" if end.finished else f"{stopped}, with nothing to update"
        if end.errors:
            return f"{how}, but {_misclassified(end)}"
        found = "separated" if end.separates else "no mistakes left by the convention at zero; this is no separator"
        return f"{found}: {how}"
    if end.separates:
        return f"{stopped}: the returned weights separate the rows, but not all by more than the threshold"
    return f"{stopped}: not separated; {_misclassified(end)}"


def _turns(model: Any) -> str:
    return counted(model.passes_, "pass" if model.order == "given" else "search")


def _misclassified(end: End) -> str:
    if not end.errors:
        return "the returned weights misclassify no row by the convention at zero, but they are no separator"
    return f"the returned weights misclassify {end.errors:,} of {end.rows:,} rows"


def warning(end: End, model: Any, upper: float, allowed: int | None) -> str:
    """The ConvergenceWarning: how far off, what the theorem still allows, what to try."""
    noun = model._learner.noun
    turns = "passes" if model.order == "given" else "searches"
    name, limit = type(model).__name__, f"in max_iter = {model.max_iter:,} {turns}"
    if end.separates:
        text = f"{name} separated the data {limit}, but not with every y<w,x> > theta = {model.threshold_:.4g}. "
    else:
        text = f"{name} did not separate the data {limit}: {_misclassified(end)}. "
    if allowed is not None:
        least = f"{allowed:,}" if allowed < 10**15 else f"{Decimal(allowed):.3g}"
        text += (
            f"No separator has a margin above {upper:.4g} (R = {model.radius_:.4g}), so the theorem allows at least "
            f"{least} {noun}s, and {model._learner.bounded:,} were made. "
        )
    if upper < 1e-10 * model.radius_:
        return text + (
            "The updates cancel out: these data are not separable in any useful sense. Look for equal rows with "
            "different labels, or allow for errors with another learner."
        )
    text += "Raise max_iter to go on. "
    if end.separates:
        return text
    return text + (
        "Features on one scale (sklearn.preprocessing.StandardScaler) often enlarge the margin. If the data cannot be "
        "separated at all, no max_iter leads to a separator."
    )


def summary(name: str, model: Any, upper: float, least: int | None) -> str:
    lower = model.margin_[0]
    noun = "mistakes" if model.mistakes_ == model.updates_ else f"mistakes and {model.updates_:,} updates"
    lines = [
        f"{name}: {model.stop_reason_}.",
        f"{model.mistakes_:,} {noun}, rows of norm at most R = {model.radius_:.6g}.",
    ]
    best = f"no separator has one above {upper:.6g}." if math.isfinite(upper) else ""
    if lower > 0:
        lines.append(f"The margin of this separator is {lower:.6g}" + (f"; {best}" if best else "."))
        if least is not None:
            most = model.bound(Fraction(lower))
            at_most = "." if most is None else f" and, by this separator, at most {most:,}."
            what = " mistakes" if model._learner.rule.bounds() == "mistakes" else ""
            lines.append(f"The theorem allows at least {least:,}{what}{at_most}")
    elif best:
        lines.append(best.replace("no separator has one", "No separator has a margin"))
    return "\n".join(lines)
