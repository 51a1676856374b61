"""What the page asks: points, labels, a learner and its options."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from novikoff.engine.rows import Rows
from novikoff.engine.rule import Rule
from novikoff.estimators.registry import BY_RULE, Entry
from novikoff.lab.choices import worded

MOST_POINTS = 500
MOST_COORDINATES = 3
# Of a coordinate that is not 0: what a picture can show, and exact arithmetic is quick with.
LARGEST, SMALLEST = 1e6, 1e-9
Coordinate = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Point = Annotated[list[Coordinate], Meta(min_length=1, max_length=MOST_COORDINATES)]
Label = Literal[-1, 1]


class Learner(NamedTuple):
    """A learner of the registry, as the page shows it."""

    entry: Entry

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def estimator(self) -> type[Any]:
        return self.entry.estimator

    def rule(self, at_zero: str) -> Rule:
        """Its rule under a convention at zero, with its own parameters at their defaults."""
        rule: Rule = self.estimator(at_zero=at_zero)._rule()
        return rule

    @property
    def threshold(self) -> bool:
        """Does it update on right predictions, too, while y<w,x> <= theta?"""
        return self.rule("mistake").threshold(1.0) > 0

    @property
    def noun(self) -> str:
        """What its theorem bounds."""
        return "update" if self.rule("mistake").bounds() == "updates" and self.threshold else "mistake"

    @property
    def bound(self) -> str:
        """How many of these there are at most."""
        return self.rule("mistake").formula()


# By the name that is sent, and that links hold. The page shows whatever stands here, in this order.
LEARNERS: dict[str, Learner] = {entry.title.lower(): Learner(entry) for entry in BY_RULE}


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points with labels, and how to learn from them."""

    points: Annotated[list[Point], Meta(min_length=1, max_length=MOST_POINTS)]
    labels: Annotated[list[Label], Meta(min_length=1, max_length=MOST_POINTS)]
    learner: Annotated[str, Meta(title="Learner", extra_json_schema={"enum": list(LEARNERS)})] = "perceptron"
    order: Annotated[
        Literal["given", "first", "worst", "shuffled"],
        worded(
            "Next example",
            given="in the given order",
            first="the first mistake",
            worst="the worst mistake",
            shuffled="shuffled each pass",
        ),
    ] = "given"
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1, title="Seed", extra={"only_with": ("order", "shuffled")})] = 0
    at_zero: Annotated[
        Literal["mistake", "positive", "negative"],
        worded("⟨w,x⟩ = 0 is", mistake="always a mistake", positive="the prediction +", negative="the prediction −"),
    ] = "mistake"
    intercept: Annotated[bool, Meta(title="Constant coordinate (the line need not pass through 0)")] = True
    scale: Annotated[
        Literal["none", "ball", "sphere"],
        worded("Scaling", none="none", ball="into the unit ball", sphere="onto the unit sphere"),
    ] = "none"

    def __post_init__(self) -> None:
        if self.learner not in LEARNERS:
            raise ValueError(f"the learner {self.learner[:40]!r} is not known: choose one of {', '.join(LEARNERS)}")

    def rows(self) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """X and y, or what is wrong with them."""
        if len(self.labels) != len(self.points):
            raise ValueError(f"{len(self.points)} points but {len(self.labels)} labels: give every point one label")
        widths = {len(point) for point in self.points}
        if len(widths) > 1:
            raise ValueError(
                f"the points have {min(widths)} to {max(widths)} coordinates: all must have the same number"
            )
        for i, point in enumerate(self.points, 1):
            for value in point:
                if 0 < abs(value) < SMALLEST:
                    raise ValueError(f"point {i} has the coordinate {value}: make it 0, or at least {SMALLEST} in size")
        if len(set(self.labels)) == 1:
            sign = "+" if self.labels[0] > 0 else "−"
            raise ValueError(f"every point has the label {sign}: place at least one of the other class")
        return np.array(self.points, dtype=np.float64), np.array(self.labels, dtype=np.int8)

    @property
    def rule(self) -> Rule:
        return LEARNERS[self.learner].rule(self.at_zero)

    def rows_of(self, X: NDArray[np.float64], y: NDArray[np.int8]) -> Rows:
        """The rows as they are learned from."""
        return Rows(X, y, self.constant, unit=self.scale == "sphere")

    @property
    def constant(self) -> float:
        return 1.0 if self.intercept else 0.0
