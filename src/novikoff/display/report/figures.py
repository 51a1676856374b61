"""The figures of a report, each at a cost that does not grow with the data."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec

import numpy as np
import scipy.sparse as sp

from novikoff.certificates import NotSeparable, Separable
from novikoff.display import two_classes
from novikoff.display.certificate import CertificateDisplay, title_of
from novikoff.display.geometry import GeometryDisplay, flat_scene
from novikoff.display.margins import MarginDisplay
from novikoff.display.mistakes import MistakeCurveDisplay
from novikoff.display.proof import ProofDisplay
from novikoff.display.report.case import Array, Case
from novikoff.display.report.features import square
from novikoff.display.report.page import drawn, paragraphs
from novikoff.display.style import literal, number
from novikoff.estimators.linear import LinearClassifier
from novikoff.views.html import Html

FEW = 400  # marks that are drawn one by one
SHOWN = 250_000  # entries of the rows that are projected
REPEATED = 200_000  # entries of data whose fit is repeated,
STEPS = 1_000  # and its updates

P = ParamSpec("P")


def _unless_beyond_float64(figure: Callable[P, Html]) -> Callable[P, Html]:
    """A picture needs squares and quotients of what it shows, which float64 may not hold."""

    @wraps(figure)
    def drawn_or_told(*args: P.args, **kwargs: P.kwargs) -> Html:
        try:
            with np.errstate(over="raise", divide="raise", invalid="raise"):
                return figure(*args, **kwargs)
        except ArithmeticError:
            return paragraphs("What would be drawn here is too large, or too small, for a picture.")

    return drawn_or_told


@_unless_beyond_float64
def certificate(case: Case, proof: Separable | NotSeparable, shares: Array) -> Html:
    """The rows of a certificate: as images, as hulls in the plane, or as bars."""
    points = case.dense(proof.rows)
    shape = square(points)
    against = isinstance(proof, NotSeparable)
    hulls = proof.about.constant > 0 if against else None
    title = title_of(proof, case.n)
    display = CertificateDisplay(
        proof.rows, shares, case.signs[proof.rows], points, title, _names(case), hulls, image_shape=shape
    )
    flat = case.d == 2 and against
    if flat:
        rest = np.setdiff1d(np.arange(case.n), proof.rows)
        rest = rest[:: 1 + len(rest) // FEW]
        display.others, display.other_signs = case.dense(rest), case.signs[rest]
    bars = 0.18 * min(25, len(proof.rows))
    size = (9.0, 4.2) if shape else (5.6, 5.6) if flat else (6.4, 1.8 + bars)
    edges = (0.1, 0.0, 0.1, 0.35) if shape else (0.75, 1.1, 0.2, 0.4) if flat else (0.85, 0.85, 0.2, 0.4)

    def draw(figure: Any) -> str:
        display.plot(figure)
        if flat:
            display.ax_.set(xlabel=_axis(case, 0), ylabel=_axis(case, 1))
        kind = "as images" if shape else "with the hulls around them" if flat else "with a bar for the weight of each"
        return f"The rows of the certificate, {kind}. {_line(title)}."

    caption = (
        "The rows that cannot all be on their sides, with their shares of the weight."
        if against
        else "The support: the rows that hold the best hyperplane in its place."
    )
    return drawn(draw, size, edges, "certificate", caption)


@_unless_beyond_float64
def curve(case: Case, clf: LinearClassifier) -> Html:
    """Mistakes or updates, pass by pass, under the bound."""
    searched = clf.order != "given"
    counts = np.append(0, np.cumsum(clf.history_ >= 0 if searched else clf.history_))
    noun = "mistake" if clf.mistakes_ == clf.updates_ else "update"

    def draw(figure: Any) -> str:
        unit = "search" if searched else "pass"
        bound = case.allowed if noun == clf._learner.noun else None
        display = MistakeCurveDisplay(np.arange(len(counts)), counts, bound=bound, unit=unit, noun=noun)
        return f"A curve of the {noun}s as they add up. {display.plot(figure).ax_.get_title()}."

    without = "mistakes" if clf._rule_kind.measures() and not searched else "any"
    caption = f"How the {noun}s added up. A {'search' if searched else 'pass'} without {without} ends the run."
    return drawn(draw, (6.4, 3.6), (0.85, 0.55, 0.15, 0.4), "curve", caption)


@_unless_beyond_float64
def steps(case: Case, clf: LinearClassifier) -> Html:
    """Novikoff's proof for this run, where it costs little."""
    run_from_zero = case.learned_here and len(clf.history_) and not clf._rule_kind.measures()
    if not isinstance(case.proof, Separable) or not run_from_zero:
        return Html()
    entries = case.X.nnz if sp.issparse(case.X) else case.X.size
    if entries > REPEATED or clf.updates_ > STEPS:
        return paragraphs(
            "The steps of the proof are not drawn, because the run would have to be made once more; "
            "ProofDisplay.from_estimator(clf, X, y) does so."
        )

    def draw(figure: Any) -> str:
        unnamed = copy(clf)  # an array has no names to compare with
        unnamed.__dict__.pop("feature_names_in_", None)
        display = ProofDisplay.from_estimator(unnamed, case.X, clf.classes_[(case.signs > 0).astype(int)], ax=figure)
        return (
            "Three curves of Novikoff's proof, update by update, and the bounds on them, which meet at "
            f"{number(int(display.crossing_))} updates; {number(clf.updates_)} were made."
        )

    caption = (
        "Why mistakes must end: each one lengthens w by a little at most, and turns it towards w*, the separator of "
        "the certificate, by a little at least. Where the two bounds meet, no mistake is left."
    )
    try:
        return drawn(draw, (10.0, 3.7), (1.0, 0.5, 0.15, 0.6), "steps", caption, formulas=True)
    except ValueError as error:  # a shuffle that cannot be repeated, a warm start
        return paragraphs(f"The steps of the proof are not drawn: {str(error).rstrip('.')}.")


@_unless_beyond_float64
def margins(case: Case) -> Html:
    """One mark a row, or a histogram."""
    support = getattr(case.clf, "support_", np.empty(0, dtype=np.int64)) if case.learned_here else ()
    many = case.n > FEW
    display = MarginDisplay(case.margins, case.signs, case.bracket, np.asarray(support, dtype=np.int64), _names(case))

    def draw(figure: Any) -> str:
        ax = display.plot(figure, kind="histogram" if many else "sorted").ax_
        (ax.set_xlabel if many else ax.set_ylabel)("margin y⟨w,x⟩/‖w‖")
        kind = "A histogram of the margins" if many else "The margins of all rows, sorted"
        return f"{kind}. {ax.get_title()}."

    caption = (
        "The margin of every row: how far it is from the hyperplane, on its own side. "
        "Dashed: no hyperplane has all rows farther away than this."
    )
    known = 0 < case.bracket[1] < np.inf
    return drawn(
        draw, (6.4, 4.0), (0.85, 0.85, 0.15, 0.4), "margins", caption if known else caption.partition(" Dashed")[0]
    )


@_unless_beyond_float64
def geometry(case: Case) -> Html:
    """The hyperplane from the side; of many rows, those next to it and some of the others."""
    most = min(case.n, max(FEW // 2, SHOWN // case.d))
    shown = np.arange(case.n)
    if most < case.n:
        shown = np.union1d(case.hardest[: most // 4], np.linspace(0, case.n - 1, most - most // 4).astype(int))
    axes = tuple(_axis(case, j) for j in range(min(case.d, 2)))
    given = two_classes.TwoClasses(case.X[shown], case.signs[shown], _names(case), axes)
    scene = flat_scene(given, case.model.coef_[0], float(case.model.intercept_[0]))
    scene = replace(
        scene,
        axes=axes if case.d <= 2 else ("along w: ⟨x,w⟩/‖w‖", "first principal direction orthogonal to w"),
        gap=scene.gap.replace(r"$\gamma$", "γ"),
        arrows=[arrow._replace(label="w") for arrow in scene.arrows],
    )

    def draw(figure: Any) -> str:
        display = GeometryDisplay([scene], _names(case)).plot(figure, rasterized=len(shown) > FEW)
        (ax,) = display.axes_
        if len(shown) < case.n:
            ax.set_title(f"{len(shown):,} of {case.n:,} rows, the hardest among them")
        return f"The rows and the hyperplane. {_line(ax.get_title())}."

    caption = (
        "The hyperplane, seen from the side: from left to right is the direction of w, and distances to the hyperplane "
        "are true; upwards is the direction across it in which the rows differ most. The axes may have different "
        "scales."
        if case.d > 2
        else "The rows, and the hyperplane between them."
    )
    return drawn(draw, (6.4, 5.4), (1.1, 1.1, 0.2, 0.6), "geometry", caption)


def _names(case: Case) -> tuple[str, str]:
    return literal(case.labels[0]), literal(case.labels[1])


def _axis(case: Case, j: int) -> str:
    return f"column {j}" if case.names is None else literal(case.names[j])


def _line(title: str) -> str:
    return title.replace("\n", " ")
