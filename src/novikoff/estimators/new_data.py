"""What a run says about data that it has not seen, with every condition in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from novikoff.learners.linear import LinearLearner
from novikoff.theory.new_data import compression_bound, first_pass_bound, vote_bound
from novikoff.words import counted, listed, setting, told

CONFIDENCE = 0.95
SHOWN = 10**4  # a bound is shown in so many parts, rounded up

INDEPENDENT = (
    "the rows, each with its label and its weight, are independent draws from one distribution, that of new rows"
)
NOT_LOOKED_AT = "their order was chosen without looking at them"
OWN_PAST = (
    "nothing that the learner was given was found from these rows: no standardising by their means, no selection of "
    "columns, no parameter tuned on them, no weight of a row that depends on others"
)
CLASSES = "the classes were known before the rows"
OTHERS_BEFORE = "what the learner had learned before it had learned from other rows"
ONCE = "each was learned from once, and their number was fixed in advance"

OF_A_FIT = (INDEPENDENT, NOT_LOOKED_AT, OWN_PAST, CLASSES)
OF_A_STREAM = (INDEPENDENT, NOT_LOOKED_AT, OWN_PAST, CLASSES, ONCE)

NOT_COUNTED = (
    "rows and mistakes were not counted for it, as after another fit than the parameters speak of, and in model files "
    "of before"
)


@dataclass(frozen=True)
class FirstPass:
    """What the mistakes of a first pass say (`novikoff.theory.FIRST_PASS`)."""

    rows: int
    mistakes: int  # rows on which the weights of that moment erred, or were undecided
    mean_error: float  # at least the mean of the errors of these weights
    vote_error: float  # at least the error of their vote

    @classmethod
    def of(cls, mistakes: int, rows: int, confidence: float) -> FirstPass:
        return cls(rows, mistakes, first_pass_bound(mistakes, rows, confidence), vote_bound(mistakes, rows, confidence))

    def __str__(self) -> str:
        return (
            f"The hypotheses before each of the {counted(self.rows, 'row')} of the first pass, which made "
            f"{counted(self.mistakes, 'mistake')}, have a mean error of at most {shown(self.mean_error)}, and their "
            f"vote has an error of at most {shown(self.vote_error)}. Nothing follows for their average, the best or "
            "the last."
        )


@dataclass(frozen=True)
class Compression:
    """What it says that a few rows make the weights which separate all (`novikoff.theory.COMPRESSION`)."""

    rows: int
    support: int  # the rows that the run updated on
    error: float  # at least the error of the weights that it ended with

    @classmethod
    def of(cls, support: int, rows: int, confidence: float) -> Compression:
        return cls(rows, support, compression_bound(support, rows, confidence))

    def __str__(self) -> str:
        return (
            f"The weights that the run ended with, which {self.support:,} of {counted(self.rows, 'row')} have made, "
            f"and which err on none, have an error of at most {shown(self.error)}."
        )


@dataclass(frozen=True)
class Generalization:
    """Bounds on errors on new data. An error is the probability of a wrong answer, or of none, for a new row.

    Attributes
    ----------
    confidence : float
        Each bound holds with this probability, whatever the distribution, if all ``hypotheses`` are true.
    first_pass : FirstPass or None
        ``rows``, ``mistakes``, ``mean_error`` and ``vote_error`` of the weights before each row of the first pass.
    compression : Compression or None
        ``rows``, ``support`` and ``error`` of the weights with which a run without an error on its rows ended.
    hypotheses : tuple of str
        What must be true, and cannot be seen in the model.
    refused : tuple of str
        Why the bound that is None is not given.
    """

    confidence: float
    first_pass: FirstPass | None
    compression: Compression | None
    hypotheses: tuple[str, ...]
    refused: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"New rows, with a probability of {self.confidence:g} for each statement:"]
        lines += [f"- {found}" for found in (self.first_pass, self.compression) if found is not None]
        lines += [f"- {reason}" for reason in self.refused]
        lines.append("An error is the probability of a wrong answer, or of none, whatever a row weighs. This holds if")
        lines += [f"- {hypothesis}" for hypothesis in self.hypotheses]
        return "\n".join(lines)


def shown(bound: float) -> str:
    """A bound in words, rounded up."""
    return f"{math.ceil(Fraction(bound) * SHOWN) / SHOWN:.4f}"


# Of a model ----------------------------------------------------------------------------------------


def generalization(model: Any, confidence: float) -> Generalization:
    """Of what a learner by a rule has learned."""
    learner: LinearLearner = model._fitted()
    streamed = not len(model.history_) and not model.interrupted_
    if reason := _of_all_rows(model, learner):
        raise ValueError(f"nothing follows for new data: {reason}")
    refused = []
    first = compression = None
    if reason := _why_no_pass(learner) if streamed else _why_no_first_pass(model, learner):
        refused.append(f"Of the first pass nothing follows: {reason}.")
    elif streamed:
        first = FirstPass.of(learner.mistakes, learner.rounds_made, confidence)
    else:
        first = FirstPass.of(learner.first_mistakes, learner.run_rows, confidence)
    if reason := _why_no_compression(model, learner):
        refused.append(f"Of the weights returned nothing follows: {reason}.")
    else:
        compression = Compression.of(learner.support, learner.run_rows, confidence)
    if first is None and compression is None:
        raise ValueError(" ".join(refused))
    return Generalization(confidence, first, compression, OF_A_STREAM if streamed else OF_A_FIT, tuple(refused))


def of_stream(mistakes: int, rows: int, confidence: float = CONFIDENCE, *, begun: bool) -> Generalization:
    """Of examples that were predicted before they were learned, by a new learner or by one that had begun before."""
    hypotheses = (INDEPENDENT, NOT_LOOKED_AT, OWN_PAST, ONCE, *([OTHERS_BEFORE] if begun else []))
    return Generalization(confidence, FirstPass.of(mistakes, rows, confidence), None, hypotheses)


def in_a_line(model: Any) -> str:
    """Of a ``fit``, for a summary; empty where nothing follows, or nothing that is below 1."""
    if not len(model.history_):
        return ""  # nobody knows whether the batches of a stream were new rows
    try:
        found = generalization(model, CONFIDENCE)
    except ValueError:
        return ""
    bounds = []
    if found.first_pass and found.first_pass.mean_error < 1:
        bounds.append(f"{shown(found.first_pass.mean_error)} on average over the first pass")
    if found.compression and found.compression.error < 1:
        bounds.append(f"{shown(found.compression.error)} for these weights")
    if not bounds:
        return ""
    each = f"{CONFIDENCE:g}" + " each" * (len(bounds) > 1)
    return (
        f"If the rows are independent draws, the error on new ones is, with probability {each}, at most "
        f"{listed(bounds)}: {told('generalization()', 'novikoff report')} has all conditions."
    )


def _of_all_rows(model: Any, learner: LinearLearner) -> str:
    """What went into every hypothesis that was found from all rows, or from others; empty if nothing did."""
    if learner.start_norm > 0:
        return "it started from weights that were learned before, from the same rows perhaps (warm_start)"
    return looks_at_all_rows(model)


def looks_at_all_rows(model: Any) -> str:
    """What makes every hypothesis depend on all rows; empty if nothing does."""
    if model.class_weight == "balanced":
        balanced = setting("class_weight", "balanced")
        return f"{balanced} counts the labels of all rows, and so every step depends on all of them"
    if model.scale == "ball":
        return (
            f"{setting('scale', 'ball')} divides by the largest norm of all rows; {setting('scale', 'none')} takes the "
            "same decisions without"
        )
    if model.standardization_ is not None:
        return "its columns were standardised by the means and deviations of all rows"
    return ""


def _why_no_first_pass(model: Any, learner: LinearLearner) -> str:
    """Of a ``fit``."""
    if model.order == "first":
        return f"{setting('order', 'first')} begins again after every update, and does not go through the rows once"
    if model.order == "worst":
        return f"{setting('order', 'worst')} looks at all rows to choose the next one"
    if learner.run_rows == 0:
        return NOT_COUNTED
    if learner.first_mistakes < 0:
        return "it was interrupted" if model.interrupted_ else NOT_COUNTED
    return ""


def _why_no_pass(learner: LinearLearner) -> str:
    """Of a stream."""
    if learner.rounds_made:
        return ""
    return NOT_COUNTED if learner.updates else "nothing has been learned yet"


def _why_no_compression(model: Any, learner: LinearLearner) -> str:
    if learner.tilt is not None:
        return "every row has a part in their average"
    if not model.margin_[0] > 0:
        return "they are not known to separate all rows that were learned from"
    if learner.aside:
        return "they are not the last, and all rows have a part in which of them was returned"
    if learner.rule.threshold(1.0) != learner.rule.threshold(2.0):
        return "the threshold is found from the largest norm of all rows: give it as a number"
    return NOT_COUNTED if learner.support < 0 else ""
