"""Data sets that the page opens with: a name, one sentence, and the points."""

from __future__ import annotations

import msgspec
import numpy as np
from sklearn.datasets import load_iris

from novikoff import problems
from novikoff.lab.experiment import Experiment


class Example(msgspec.Struct, frozen=True):
    """An experiment with a name."""

    key: str
    title: str
    about: str
    experiment: Experiment


class Everything(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No options."""


def examples(_: Everything) -> list[Example]:
    """All of them; the first is the one to open with."""
    return [
        Example(
            "first",
            "Two clusters",
            "Fourteen points that a line separates: a few mistakes, and the Perceptron has found one.",
            _plane(
                [(2.6, 1.9), (0.4, 1.5), (2.1, 1.1), (1.8, 1.6), (1.6, 1.4), (1.9, 2.2), (0.9, 2.1)],
                [(-0.2, -0.2), (-1.3, -0.4), (0.8, -1.3), (-2.0, -1.7), (-0.2, 1.2), (0.5, 0.7), (-0.3, 0.5)],
            ),
        ),
        Example(
            "through-zero",
            "One update, as in the notes",
            "No constant coordinate: the line passes through 0, and w is an arrow that turns towards each mistake.",
            _plane(
                [(0.3, 1.0), (0.9, 0.5), (-0.4, 0.8), (0.9, -0.4)],
                [(-0.8, 0.3), (-0.9, -0.3), (-0.3, -0.9), (0.4, -0.85)],
                intercept=False,
            ),
        ),
        Example(
            "line",
            "Points on a line",
            "1-D points whose classes meet at 1, not at 0. The constant coordinate lifts them to height 1, and a line "
            "through 0 separates them; switch it off and none does.",
            Experiment([[1.4], [2.0], [2.6], [0.8], [0.2], [-0.6], [-1.2]], [1, 1, 1, -1, -1, -1, -1]),
        ),
        Example(
            "tiny",
            "A tiny margin",
            "The classes almost touch: γ is small, the theorem allows R²/γ² mistakes, and many are made.",
            Experiment(
                [
                    [1.0, 0.65],
                    [-1.0, 0.68],
                    [0.2, 0.59],
                    [0.6, 0.71],
                    [1.0, 0.47],
                    [-1.0, 0.455],
                    [-0.2, 0.425],
                    [0.5, 0.35],
                ],
                [1, 1, 1, 1, -1, -1, -1, -1],
            ),
        ),
        Example(
            "xor",
            "XOR: no line exists",
            "The hulls of the two classes meet, and the point where they do proves that no line separates them.",
            _plane([(1, 1), (-1, -1)], [(-1, 1), (1, -1)]),
        ),
        Example(
            "one-wrong",
            "One wrong label",
            "Two clusters and one stray point: three rows are enough to prove that no line exists.",
            _plane(
                [(1.5, 1.2), (2.2, 0.6), (1.1, 2.1), (2.4, 2.0)], [(-1.2, -0.4), (-0.6, -1.5), (-2, -1.3), (1.8, 1.4)]
            ),
        ),
        Example(
            "doubling",
            "The doubling sequence",
            "Three examples in space, y x = e_k − e_1 − ... − e_(k−1): with d of them in d dimensions the Perceptron "
            "makes exactly (4^d − 1)/3 mistakes, in whatever order.",
            _problem(problems.doubling(3)),
        ),
        Example(
            "random",
            "300 random points, γ = 0.01",
            "Random points in the unit disc whose best margin through 0 is 0.01 by construction.",
            _problem(problems.separable(300, 2, margin=0.01, random_state=3)),
        ),
        _iris("setosa", 0, "Iris: setosa and versicolor", "Petal length and width in cm: separable, with room."),
        _iris(
            "virginica",
            2,
            "Iris: virginica and versicolor",
            "Petal length and width in cm: no line separates these, as two equal flowers show.",
        ),
    ]


def _plane(plus: list[tuple[float, float]], minus: list[tuple[float, float]], *, intercept: bool = True) -> Experiment:
    """Points of the two classes in turn, as a stream would bring them."""
    pairs = [(list(map(float, p)), s) for s, points in ((1, plus), (-1, minus)) for p in points]
    order = sorted(range(len(pairs)), key=lambda i: i if i < len(plus) else i - len(plus))
    return Experiment([pairs[i][0] for i in order], [pairs[i][1] for i in order], intercept=intercept)  # type: ignore[misc]


def _problem(problem: problems.Problem) -> Experiment:
    return Experiment(problem.X.tolist(), problem.y.tolist(), intercept=False)


def _iris(key: str, species: int, title: str, about: str) -> Example:
    X, y = load_iris(return_X_y=True)
    chosen = np.flatnonzero((y == species) | (y == 1))
    labels = np.where(y[chosen] == species, 1, -1)
    points = X[chosen][:, 2:]
    return Example(key, title, about, Experiment(points.tolist(), labels.tolist(), order="worst"))
