"""What the estimators say in words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from novikoff.learners.linear import Outcome

ON_A_STREAM = "learning from a stream, which has no end"


def stop_reason(outcome: Outcome, max_iter: int, order: str) -> str:
    passes = len(outcome.history)
    turns = (
        f"{passes:,} pass{'' if passes == 1 else 'es'}"
        if order == "given"
        else f"{passes:,} search{'' if passes == 1 else 'es'}"
    )
    if outcome.interrupted:
        return f"interrupted after {turns}"
    if outcome.separated:
        return f"separated: the last of {turns} found nothing to update"
    return f"max_iter = {max_iter:,} reached after {turns}: not separated"


def last_pass(outcome: Outcome, order: str, noun: str) -> str:
    if order == "given":
        count = int(outcome.history[-1])
        return f"the last pass made {count:,} {noun}{'' if count == 1 else 's'}"
    return f"the last search still found row {int(outcome.history[-1])}"


def not_separated(name: str, model: Any, outcome: Outcome, upper: float, allowed: int | None) -> str:
    """The ConvergenceWarning: how far off, what the theorem still allows, what to try."""
    noun = "mistake" if model.mistakes_ == model.updates_ else "update"
    last = last_pass(outcome, model.order, noun)
    text = f"{name} did not separate the data in max_iter = {model.max_iter:,} passes: {last}. "
    if allowed is not None:
        least = f"{allowed:,}" if allowed < 10**15 else f"{float(allowed):.3g}"
        text += (
            f"No separator has a margin above {upper:.4g} (R = {model.radius_:.4g}), so the theorem allows at least "
            f"{least} {noun}s, and {model.updates_:,} were made. "
        )
    if upper < 1e-10 * model.radius_:
        return text + (
            "The updates cancel out: these data are not separable in any useful sense. Look for equal rows with "
            "different labels, or allow for errors with another learner."
        )
    text += "Raise max_iter to go on. "
    return text + (
        "Features on one scale (sklearn.preprocessing.StandardScaler) often enlarge the margin. If the data cannot be "
        "separated at all, no max_iter will do."
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
            lines.append(f"The theorem allows at least {least:,} and, by this separator, at most {most:,}.")
    elif best:
        lines.append(best.replace("no separator has one", "No separator has a margin"))
    return "\n".join(lines)
