"""What the page asks: points, labels, a learner and its options."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from novikoff.engine.rows import Rows
from novikoff.engine.rule import Rule
from novikoff.learners.margin_perceptron import MarginPerceptron
from novikoff.learners.perceptron import AT_ZERO, Perceptron

MOST_POINTS = 500
LARGEST, SMALLEST = (
    1e6,
    1e-9,
)  # of a coordinate that is not 0: what a picture can show, and exact arithmetic is quick with
Coordinate = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Point = Annotated[list[Coordinate], Meta(min_length=1, max_length=3)]
Label = Literal[-1, 1]


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points with labels, and how to learn from them."""

    points: Annotated[list[Point], Meta(min_length=1, max_length=MOST_POINTS)]
    labels: Annotated[list[Label], Meta(min_length=1, max_length=MOST_POINTS)]
    learner: Literal["perceptron", "margin perceptron"] = "perceptron"
    order: Literal["given", "first", "worst", "shuffled"] = "given"
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    at_zero: Literal["mistake", "positive", "negative"] = "mistake"
    intercept: bool = True
    scale: Literal["none", "ball", "sphere"] = "none"

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
        zero = AT_ZERO[self.at_zero]
        return Perceptron(zero) if self.learner == "perceptron" else MarginPerceptron(zero, auto=True)

    def rows_of(self, X: NDArray[np.float64], y: NDArray[np.int8]) -> Rows:
        """The rows as they are learned from."""
        return Rows(X, y, self.constant, unit=self.scale == "sphere")

    @property
    def constant(self) -> float:
        return 1.0 if self.intercept else 0.0
