"""The proof in words and symbols, with the numbers of one step. Numbers are shown to four digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import NotSeparable, Separable
from novikoff.lab.experiment import LEARNERS, Experiment, Learner
from novikoff.words import agreeing, counted, listed

if TYPE_CHECKING:
    from novikoff.lab.run import Curves, History, Update


class Told(NamedTuple):
    """What every sentence of a run speaks of."""

    experiment: Experiment
    radius: float
    theta: float
    margin: float | None
    allowed: int | None

    @property
    def learner(self) -> Learner:
        return LEARNERS[self.experiment.learner]

    @property
    def noun(self) -> str:
        return self.learner.noun


class Step(msgspec.Struct, frozen=True):
    """One update in words."""

    title: str
    why: str
    ceiling: str
    floor: str | None
    squeeze: str | None


def number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def term(value: float) -> str:
    """A number with its sign as an operator."""
    return f"− {number(-value)}" if value < 0 else f"+ {number(value)}"


def start(told: Told) -> str:
    convention = {
        "mistake": "so ⟨w,x⟩ = 0 for every point, which counts as a mistake",
        "positive": "so ⟨w,x⟩ = 0 for every point, which predicts +",
        "negative": "so ⟨w,x⟩ = 0 for every point, which predicts −",
    }[told.experiment.at_zero]
    return f"Start: w = 0, {convention}."


def points(rows: list[int]) -> str:
    """Point 3; or: Points 1, 4 and 9. The page counts from 1."""
    names = [str(row + 1) for row in rows]
    shown = names if len(names) <= 6 else [*names[:5], f"{len(names) - 5} more"]
    return f"{agreeing(len(names), 'Point', 'Points')} {listed(shown)}"


def separable(told: Told, proof: Separable) -> list[str]:
    """What the certificate proves, in terms of the page."""
    experiment, n = told.experiment, proof.about.n
    included = ", the constant coordinate included" if experiment.intercept else ""
    lines = [
        f"Separable: all {n} points can be on their sides.",
        f"The best margin is γ = {number(told.margin or 0.0)}, with R = {number(told.radius)}{included}.",
    ]
    if experiment.intercept and experiment.scale != "sphere" and len(experiment.points[0]) > 1:
        lines.append(f"In the picture the nearest point is {number(proof.euclidean_margin)} away from the best line.")
    learner = "this learner makes" if told.learner.threshold else f"a {told.learner.title} makes"
    if told.allowed is not None:
        lines.append(f"So {learner} at most {told.allowed:,} {told.noun}s on these points, in any order.")
    else:
        lines.append("The margin is so small that nothing is promised for weights that are rounded to floats.")
    proves = agreeing(len(proof.rows), "proves", "prove")
    lines.append(f"{points(sorted(proof.rows.tolist()))} {proves} that no margin is larger.")
    return lines


def not_separable(told: Told, proof: NotSeparable, point: list[float] | None) -> list[str]:
    """Why there is no separator, in terms of the page."""
    rows = proof.rows.tolist()
    lines = ["Not separable: nothing puts every point on its side."]
    if proof.contradiction:
        lines.append(f"{points(rows)} are the same point with different labels.")
    elif point is not None:
        plus, minus = ([row for row in rows if told.experiment.labels[row] == sign] for sign in (1, -1))
        place = ", ".join(map(number, point))
        lines.append(
            f"{points(plus)} (+) and {points(minus).lower()} (−) have the same mean ({place}) under the weights shown: "
            "the hulls of the two classes meet, exactly."
        )
    else:
        lines.append(
            f"{points(rows)}, with the weights shown: the sum of weight · y · x is exactly 0, so whatever w is, one of "
            "them has y⟨w,x⟩ ≤ 0."
        )
    if proof.weak is not None:
        lines.append("Some w has y⟨w,x⟩ ≥ 0 on every point: only points at zero are in the way.")
    if proof.at_zero_positive:
        lines.append("If ⟨w,x⟩ = 0 predicts +, that w makes no mistake.")
    if proof.origin_only and not told.experiment.intercept:
        lines.append("This is about w through the origin: with the constant coordinate there may be a separator.")
    return lines


def steps(
    told: Told,
    updates: list[Update],
    y: NDArray[np.int8],
    products: NDArray[np.float64],
    squares: NDArray[np.float64],
    curves: Curves,
) -> list[Step]:
    """Why each update happened, and what it did to the two quantities of the proof."""
    searching = told.experiment.order in ("first", "worst")
    out: list[Step] = []
    for t, (update, m, q) in enumerate(zip(updates, products.tolist(), squares.tolist(), strict=True), 1):
        sign = "+" if y[update.row] > 0 else "−"
        place = f"search {update.round}" if searching else f"round {update.round:,}, pass {update.turn}"
        told_of = _unit_step if update.step == 1 and not told.experiment.rule.measures() else _measured_step
        why, ceiling, floor, squeeze = told_of(told, update, sign, m, q, curves, t)
        out.append(
            Step(f"Update {t:,} ({place}): point {update.row + 1}, label\u00a0{sign}", why, ceiling, floor, squeeze)
        )
    return out


Sentences = tuple[str, str, str | None, str | None]


def _unit_step(told: Told, update: Update, sign: str, m: float, q: float, curves: Curves, t: int) -> Sentences:
    """w <- w + y x: why, and what the two inequalities of the proof say of it."""
    radius_sq, theta = told.radius**2, told.theta
    before, after = curves.norm_sq[t - 1], curves.norm_sq[t]
    if not theta:
        # Decisions are exact, and this number is not: where it rounds to the wrong side, say so.
        shown = "= 0" if m == 0 else f"= {number(m)} < 0" if m < 0 else f"≤ 0 (rounded: {number(m)})"
        why = f"y⟨w,x⟩ {shown}: a mistake, so w ← w {sign} x."
        reason, more = "y⟨w,x⟩ ≤ 0", f"R² = {number(before)} + {number(radius_sq)}"
    else:
        kind = "a mistake" if update.mistake else "right, but too close"
        why = f"y⟨w,x⟩ = {number(m)} ≤ θ = {number(theta)}: {kind}, so w ← w {sign} x."
        reason, more = "y⟨w,x⟩ ≤ θ", f"R² + 2θ = {number(before)} + {number(radius_sq + 2 * theta)}"
    ceiling = (
        f"‖w + yx‖² = ‖w‖² + 2y⟨w,x⟩ + ‖x‖² = {number(before)} {term(2 * m)} + {number(q)} = {number(after)} "
        f"≤ ‖w‖² + {more}, because {reason} and ‖x‖ ≤ R."
    )
    if curves.inner is None or curves.floor is None:
        return why, ceiling, None, None
    was, now = curves.inner[t - 1], curves.inner[t]
    floor = (
        f"⟨w + yx, w*⟩ = ⟨w,w*⟩ + y⟨x,w*⟩ = {number(was)} {term(now - was)} = {number(now)} "
        f"≥ ⟨w,w*⟩ + γ = {number(was)} + {number(told.margin or 0.0)}, because w* has margin γ."
    )
    top = "R√t" if not theta else "√((R² + 2θ)t)"
    return why, ceiling, floor, _squeezed("γt", top, curves, t)


def _measured_step(told: Told, update: Update, sign: str, m: float, q: float, curves: Curves, t: int) -> Sentences:
    """w <- w + tau y x: why, and what the two inequalities of the proof say of it."""
    tau, theta = update.step, told.theta
    before, after = curves.norm_sq[t - 1], curves.norm_sq[t]
    more = told.radius**2 * tau**2 + 2 * theta * tau
    kind = "a mistake" if update.mistake else "right, but too close"
    why = f"y⟨w,x⟩ = {number(m)} ≤ θ = {number(theta)}: {kind}, so w ← w {sign} τx with τ = {number(tau)}."
    ceiling = (
        f"‖w + τyx‖² = ‖w‖² + 2τy⟨w,x⟩ + τ²‖x‖² = {number(before)} {term(2 * tau * m)} + {number(tau**2 * q)} = "
        f"{number(after)} ≤ ‖w‖² + 2θτ + R²τ² = {number(before)} + {number(more)}, because y⟨w,x⟩ ≤ θ and ‖x‖ ≤ R."
    )
    if curves.inner is None or curves.floor is None:
        return why, ceiling, None, None
    was, now = curves.inner[t - 1], curves.inner[t]
    floor = (
        f"⟨w + τyx, w*⟩ = ⟨w,w*⟩ + τy⟨x,w*⟩ = {number(was)} {term(now - was)} = {number(now)} "
        f"≥ ⟨w,w*⟩ + γτ = {number(was)} + {number((told.margin or 0.0) * tau)}, because w* has margin γ."
    )
    return why, ceiling, floor, _squeezed("γΣτ", "√Σ(R²τ² + 2θτ)", curves, t)


def _squeezed(bottom: str, top: str, curves: Curves, t: int) -> str:
    assert curves.floor is not None
    assert curves.inner is not None
    return (
        f"{bottom} ≤ ⟨w,w*⟩ ≤ ‖w‖ ≤ {top}: {number(curves.floor[t])} ≤ {number(curves.inner[t])} "
        f"≤ {number(curves.norm[t])} ≤ {number(curves.roof[t])}."
    )


def summary(told: Told, history: History, mistakes: int, verdict: str) -> str:
    """How the run ended."""
    made = counted(mistakes, "mistake")
    if told.noun == "update" or mistakes < len(history.updates):
        made += f" and {counted(len(history.updates), 'update')}"
    searches = told.experiment.order in ("first", "worst")
    turns = counted(history.passes, "search" if searches else "pass")
    if history.finished:
        text = f"Separated after {made} in {turns}"
        if not history.separates and told.experiment.rule.measures():
            text = f"Ended without separating the points, after {made} in {turns}"
        elif not history.separates:
            text = f"No mistakes left by the convention at zero; this is no separator: {made} in {turns}"
        return text + (f"; the theorem allows {told.allowed:,}." if told.allowed is not None else ".")
    if verdict == "not separable":
        ever = ", so it would go on for ever" if told.experiment.at_zero == "mistake" else " strictly"
        return f"Shown: the first {made}. Nothing separates these points{ever}."
    allowed = "" if told.allowed is None else f", of the {told.allowed:,} that the theorem allows"
    return f"Shown: the first {made}{allowed}; the page stops here."
