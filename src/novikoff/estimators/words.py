"""What the estimators say in words."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from novikoff.learners.linear import LinearLearner
from novikoff.words import agreeing, counted, plural, setting, told

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
    counted: int = 1  # hypotheses whose errors were counted, to return the best
    stopped: bool = False  # did a callback end it?


INTERRUPTED = End(finished=False, reached=False, separates=False, errors=0, rows=0, interrupted=True)


class Stop(NamedTuple):
    """Why the last fit stopped."""

    reason: str
    changes: int  # of what predicts, by then: updates, or rounds of an average
    interrupted: bool
    counted: int = 1  # hypotheses whose errors were counted, to return the best
    aside: bool = False  # was it not the last that was returned?


def stop(end: End, model: Any, learner: LinearLearner) -> Stop:
    return Stop(_reason(end, model), learner.changes, end.interrupted, end.counted, learner.aside)


def _reason(end: End, model: Any) -> str:
    turns = _turns(model)
    if end.interrupted:
        return f"interrupted after {turns}"
    stopped = f"{'ended by a callback' if end.stopped else f'max_iter = {model.max_iter:,} reached'} after {turns}"
    if end.reached:
        how = f"the last of {turns} {end.ending}" if end.finished else f"{stopped}, with nothing to update"
        if end.errors:
            return f"{how}, but {_misclassified(end)}"
        found = "separated" if end.separates else "no mistakes left by the convention at zero; this is no separator"
        return f"{found}: {how}"
    if end.separates:
        return f"{stopped}: the returned weights separate the rows, but not all by more than the threshold"
    return f"{stopped}: not separated; {_misclassified(end)}"


def reason_of_heads(ends: list[End], model: Any) -> str:
    """Of heads that were learned apart."""
    turns = _turns(model)
    if any(end.interrupted for end in ends):
        return f"interrupted after {turns}"
    apart = sum(end.separates for end in ends)
    if apart == len(ends):
        return f"separated: each of {apart:,} heads, the last after {turns}"
    some = agreeing(apart, "separates its rows", "separate theirs")
    return f"not separated: {apart:,} of {len(ends):,} heads {some}, after {turns} at most"


def _turns(model: Any) -> str:
    return counted(model.passes_, "pass" if model.order == "given" else "search")


def _misclassified(end: End) -> str:
    if not end.errors:
        return "the returned weights misclassify no row by the convention at zero, but they are no separator"
    return f"the returned weights misclassify {end.errors:,} of {end.rows:,} rows"


def warning(end: End, model: Any) -> str:
    """The ConvergenceWarning: without numbers, so that of many equal ones Python shows one."""
    name, turns = type(model).__name__, "passes" if model.order == "given" else "searches"
    if end.separates:
        return (
            f"{name} separated the data, but not with every y<w,x> > theta, in {_limit(turns)}.\n"
            + told("Raise max_iter to go on", f"-s max_iter=N allows N {turns}")
            + f"{told('; the numbers are in stop_reason_ and summary()', '')}."
        )
    return (
        f"{name} did not separate the data in {_limit(turns)}"
        f"{told('; the numbers are in stop_reason_ and summary()', f' (-s max_iter=N allows N {turns})')}.\n"
        f"Can they be separated? {told('nk.certify(X, y)', 'novikoff certify FILE')} tells. If not, try "
        f"{setting('hypothesis', 'average')} or {told('MaxMarginClassifier(C=1.0)', '--learner max-margin -s C=1.0')}."
    )


def warning_of_heads(model: Any) -> str:
    """The same for heads that were learned apart."""
    name, turns = type(model).__name__, "passes" if model.order == "given" else "searches"
    return (
        f"{name} did not separate all of its classes in {_limit(turns)}"
        f"{told('; the numbers are in summary() and estimators_', f' (-s max_iter=N allows N {turns})')}.\n"
        f"If they cannot be separated, try {setting('hypothesis', 'average')}, or {setting('multiclass', 'joint')}."
    )


def _limit(turns: str) -> str:
    return told(f"max_iter {turns}", f"the {turns} that it was given")


def summary_of_heads(name: str, model: Any) -> str:
    """The whole in two lines or three, and a line for each head."""
    learner = model._learner
    lines = [
        f"{name}, {learner.kind}: {model.stop_reason_}.",
        f"{counted(model.mistakes_, 'mistake')} and {counted(model.updates_, 'update')} of "
        f"{counted(len(learner.members), 'head')} in all, rows of norm at most R = {model.radius_:.6g}.",
    ]
    if learner.weighed:
        lines.append(f"The updates weigh {learner.weight:.6g} in all.")
    lines += standardised(model)
    return "\n".join([*lines, *(f"{what}: {how}." for what, how in model._heads_in_words())])


def summary(name: str, model: Any, upper: float, least: int | None, against: int | None, new_data: str) -> str:
    """``against``: the best bound that a comparison vector is known to give."""
    lower, learner = model.margin_[0], model._learner
    updates = "" if model.mistakes_ == model.updates_ else f" and {counted(model.updates_, 'update')}"
    lines = [
        f"{name}: {model.stop_reason_}.",
        f"{counted(model.mistakes_, 'mistake')}{updates}, rows of norm at most R = {model.radius_:.6g}.",
    ]
    if learner.weighed:
        lines.append(f"The updates weigh {learner.weight:.6g} in all.")
    lines += standardised(model)
    if returned := _returned(model, learner):
        lines.append(returned)
    best = f"no separator has one above {upper:.6g}." if math.isfinite(upper) else ""
    if lower > 0:
        lines.append(f"The margin of this separator is {lower:.6g}" + (f"; {best}" if best else "."))
        if least is not None:
            what = " mistakes" if learner.rule.bounds() == "mistakes" else ""
            lines.append(
                f"The theorem allows at least {least:,}{what}{_at_most(model.bound(Fraction(lower)), against)}"
            )
    elif best:
        lines.append(best.replace("no separator has one", "No separator has a margin"))
        if least is not None:
            noun = learner.noun if least == 1 else plural(learner.noun)
            made = f"{learner.bounded:,} {agreeing(learner.bounded, 'was', 'were')} made"
            lines.append(f"So the theorem allows at least {_long(least)} {noun}, and {made}.")
    if against is not None and not lower > 0:
        lines.append(
            f"On such data it allows at most {counted(against, 'update')}, by a vector that it was compared with."
        )
    if new_data:
        lines.append(new_data)
    return "\n".join(lines)


def standardised(model: Any) -> list[str]:
    """How the columns were, if they were; and of which rows the numbers are."""
    kept = model.standardization_
    return [] if kept is None else [f"Columns are standardised, {kept}: R, margins and bounds are of such rows."]


def _at_most(most: int | None, against: int | None) -> str:
    """The best bound that is known: that of the separator found, or of a vector that the run was compared with."""
    if against is not None and (most is None or against < most):
        return f" and, by a vector that it was compared with, at most {against:,}."
    return "." if most is None else f" and, by this separator, at most {most:,}."


def _returned(model: Any, learner: LinearLearner) -> str:
    """Which hypothesis it is, where that is not the last for want of others."""
    if learner.tilt is not None:
        return f"The weights are the average of the hypotheses after {counted(learner.rounds_made, 'round')}."
    stopped = model._stopped
    if stopped.counted == 1 or model.stop_reason_ != stopped.reason:
        return ""
    return f"The weights are the best of {stopped.counted} hypotheses counted" + (
        "." if learner.aside else ": the last one."
    )


def _long(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"{Decimal(count):.3g}"
