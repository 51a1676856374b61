"""The learner beside a hyperplane that is known to be good: that of the certificate, or of the soft margin."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np

from novikoff.certificates import Separable
from novikoff.display.report.case import ENTRIES, Array, Case
from novikoff.display.report.page import paragraphs, table
from novikoff.display.style import number
from novikoff.estimators.max_margin import MaxMarginClassifier
from novikoff.views.html import Html, joined
from novikoff.words import told

PASSES = 2_000  # of the soft margin over the data
DIFFERENT = 5  # weights


class Rival(NamedTuple):
    """A hyperplane to compare with."""

    name: str
    w: Array  # the constant coordinate last
    settled: bool = True


def rival(case: Case) -> Rival | str:
    """The best hyperplane that is at hand; or why there is none."""
    from sklearn.exceptions import ConvergenceWarning

    proof, clf = case.proof, case.model
    if isinstance(proof, Separable):
        if isinstance(clf, MaxMarginClassifier) and math.isinf(clf.C):
            return "The learner's hyperplane is that of the certificate."
        return Rival("separator of the certificate", np.append(proof.coef, proof.last))
    if isinstance(clf, MaxMarginClassifier):
        return ""
    if case.entries > ENTRIES:
        return "It is not compared with a soft margin, since the data are large."
    soft = MaxMarginClassifier(
        C=1.0, fit_intercept=case.constant > 0, intercept_scaling=case.constant or 1.0, max_iter=PASSES
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            soft.fit(case.examples)
        except ValueError as error:
            return f"It is not compared with a soft margin: {error}"
    w = np.append(soft.coef_[0], soft.intercept_[0] / case.constant if case.constant else 0.0)
    if not w.any():
        return "The soft margin has no hyperplane here: all of its weights are 0."
    return Rival(told("MaxMarginClassifier(C=1.0)", "--learner max-margin -s C=1.0"), w, settled=not caught)


def comparison(case: Case, other: Rival | str) -> Html:
    """Errors, margins and weights, side by side."""
    if isinstance(other, str):
        return paragraphs(other)
    assert case.w is not None
    names = (f"{type(case.model).__name__} as learned", other.name)
    both = [(w / math.hypot(*w)) for w in (case.w, other.w)]
    margins = [margins_of(case, w) for w in both]
    errors = [errors_of(case), int(np.sum(margins[1] <= 0))]
    lines = [
        ("rows on the wrong side", *(f"{count:,}" for count in errors)),
        ("smallest margin", *(number(float(found.min())) for found in margins)),
        ("median margin", *(number(float(np.median(found))) for found in margins)),
    ]
    different = np.argsort(-np.abs(both[0] - both[1]), kind="stable")[:DIFFERENT]
    weights = [
        (
            "(constant)" if j == case.d else case.column(j),
            *(number(float(w[j])) for w in both),
            number(float(both[0][j] - both[1][j])),
        )
        for j in different.tolist()
        if both[0][j] != both[1][j]
    ]
    parts: list[object] = [table("The learner, and a good hyperplane beside it", ("", *names), lines, words=(0,))]
    if weights:
        head = ("column" if case.names is None else "feature", *names, "difference")
        parts.append(table("Where they differ most, both as vectors of length 1", head, weights, words=(0,)))
    if not other.settled:
        parts.append(paragraphs(f"The soft margin had not settled after {PASSES:,} passes: its numbers may be better."))
    return joined(parts)


def errors_of(case: Case) -> int:
    """The rows that the learner has on the wrong side, or on the hyperplane."""
    return int(np.sum(case.margins <= 0))


def margins_of(case: Case, w: Array) -> Array:
    """y<w,x> of all rows as they were given, for a unit vector."""
    found: Array = case.signs * (case.X @ w[:-1] + w[-1] * case.constant)
    return found
