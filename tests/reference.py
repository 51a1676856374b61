"""The algorithms of the notes in rationals: what every run is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class Result(NamedTuple):
    w: list[Fraction]
    mistakes: int
    updates: int
    history: list[int]
    steps: list[int]  # the example of every update


def perceptron(
    X: Sequence[Sequence[float]],
    y: Sequence[int],
    *,
    constant: float = 0.0,
    zero: int = 0,
    order: str = "given",
    max_iter: int = 100,
    threshold: float | str | None = None,
    rounded: bool = False,
) -> Result:
    """Perceptron, or Margin Perceptron with a threshold, on rows with the constant appended.

    Decisions are always exact; with ``rounded`` the weights are float64 after every update.
    """
    rows = [[Fraction(float(v)) for v in row] + [Fraction(constant)] for row in X]
    w = [Fraction(0)] * len(rows[0])
    norms = [sum(v * v for v in row) for row in rows]
    theta = (
        max(norms)
        if threshold == "auto" and order != "given"
        else 0
        if threshold in (None, "auto")
        else Fraction(threshold)
    )
    mistakes, steps, history = 0, [], []

    def side(i: int) -> Fraction:
        return y[i] * sum(a * b for a, b in zip(w, rows[i], strict=True))

    def wrong(i: int) -> bool:
        return side(i) < 0 or (side(i) == 0 and zero != y[i])

    def violated(i: int) -> bool:
        return wrong(i) if threshold is None else side(i) <= theta

    for _ in range(max_iter):
        found = 0
        if order == "given":
            turns = range(len(rows))
        else:
            bad = [i for i in range(len(rows)) if violated(i)]
            turns = [] if not bad else [bad[0]] if order == "first" else [min(bad, key=lambda i: (side(i), i))]
        for i in turns:
            if threshold == "auto":
                theta = max(theta, norms[i])
            if not violated(i):
                continue
            mistakes += wrong(i)
            w = [a + y[i] * b for a, b in zip(w, rows[i], strict=True)]
            if rounded:
                w = [Fraction(float(a)) for a in w]
            steps.append(i)
            found += 1
        history.append(found if order == "given" else turns[0] if found else -1)
        if not found:
            break
    return Result(w, mistakes, len(steps), history, steps)
