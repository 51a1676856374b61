"""The algorithms of the notes in rationals: what every run is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

Number = int | float | Fraction


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


class Aggressive(NamedTuple):
    w: list[Fraction]
    mistakes: int
    history: list[int]
    updates: list[int]  # the example of each
    steps: list[Fraction]  # tau of each


def aggressive_step(variant: int, C: Number, loss: Number, sqnorm: Number) -> Number:
    """tau of PA, PA-I and PA-II (Crammer et al. 2006, figure 1), in rationals or in floats."""
    if variant == 0:
        return loss / sqnorm
    return min(C, loss / sqnorm) if variant == 1 else loss / (sqnorm + 1 / (2 * C))


def passive_aggressive(
    X: Sequence[Sequence[Number]],
    y: Sequence[int],
    *,
    variant: int = 0,
    C: Number = 1,
    constant: float = 0.0,
    zero: int = 0,
    order: str = "given",
    max_iter: int = 100,
    tol: float | None = None,
    start: Sequence[Number] = (),
    rounded: bool = False,
) -> Aggressive:
    """PA, PA-I or PA-II on rows with the constant appended: until a pass makes no mistake, or has no loss above tol.

    With ``rounded``, tau is what floats make of y<w,x> and ||x||^2 correctly rounded, there is none for losses below
    2^-40, and w is float64 after every product and sum.
    """
    rows = [[Fraction(v) for v in row] + [Fraction(constant)] for row in X]
    w = [Fraction(v) for v in start] or [Fraction(0)] * len(rows[0])
    mistakes, updates, steps, history = 0, [], [], []
    number = float if rounded else Fraction  # a Fraction becomes the nearest float

    def product(i: int) -> Fraction:
        return y[i] * sum((a * b for a, b in zip(w, rows[i], strict=True)), Fraction(0))

    def learn(i: int) -> tuple[bool, bool, Fraction]:
        """Was it a mistake, was it an update, what was the loss?"""
        nonlocal w
        exact = product(i)
        wrong = exact < 0 or (exact == 0 and zero != y[i])
        loss, sqnorm = 1 - number(exact), number(sum(v * v for v in rows[i]))
        if exact >= 1 or sqnorm == 0 or (rounded and loss < 2.0**-40):
            return wrong, False, max(1 - exact, Fraction(0))
        tau = aggressive_step(variant, number(C), loss, sqnorm)
        w = [Fraction(number(a + Fraction(number(y[i] * Fraction(tau) * b)))) for a, b in zip(w, rows[i], strict=True)]
        updates.append(i)
        steps.append(Fraction(tau))
        return wrong, True, Fraction(loss)

    for _ in range(max_iter):
        before, found, passed = mistakes, 0, []
        turns = range(len(rows)) if order != "worst" else [min(range(len(rows)), key=lambda i: (product(i), i))]
        for i in turns:
            wrong, updated, loss = learn(i)
            mistakes += wrong
            passed.append(loss)
            found += updated
            if updated and order == "first":
                break
        last = updates[-1] if found else -1
        history.append(found if order == "given" else last)
        if not found or (order == "given" and (mistakes == before if tol is None else max(passed) <= tol)):
            break
    return Aggressive(w, mistakes, history, updates, steps)


class Classes(NamedTuple):
    W: list[list[Fraction]]
    mistakes: int
    history: list[int]
    updates: list[tuple[int, int]]  # the example of each, and the class whose row went down
    path: list[list[list[Fraction]]]  # W before the first update and after each


def many_classes(
    X: Sequence[Sequence[Number]],
    labels: Sequence[int],
    k: int,
    *,
    threshold: Number = 0,
    constant: float = 0.0,
    order: str = "given",
    max_iter: int = 100,
    start: Sequence[Sequence[Number]] = (),
    rounded: bool = False,
) -> Classes:
    """The Perceptron for the classes 0, ..., k-1: W is updated where <w_y,x> - <w_r,x> <= 2 threshold for some r != y.

    The row of the true class goes up by x, that of the largest score among the others down (of the lowest class, if
    several have it). A tie with the true class is a mistake. With ``rounded`` W is float64 after every update.
    """
    rows = [[Fraction(v) for v in row] + [Fraction(constant)] for row in X]
    W = [[Fraction(v) for v in w] for w in start] or [[Fraction(0)] * len(rows[0]) for _ in range(k)]
    mistakes, history, updates, path = 0, [], [], [[list(w) for w in W]]

    def worst(i: int) -> tuple[Fraction, int]:
        """The smallest lead of the true class, and the rival."""
        scores = [sum((a * b for a, b in zip(w, rows[i], strict=True)), Fraction(0)) for w in W]
        lead, rival = min((scores[labels[i]] - score, c) for c, score in enumerate(scores) if c != labels[i])
        return lead, rival

    for _ in range(max_iter):
        turns = list(range(len(rows)))
        if order != "given":
            bad = [i for i in turns if worst(i)[0] <= 2 * threshold]
            turns = [] if not bad else [bad[0]] if order == "first" else [min(bad, key=lambda i: (worst(i)[0], i))]
        found = 0
        for i in turns:
            lead, rival = worst(i)
            if lead > 2 * threshold:
                continue
            mistakes += lead <= 0
            for c, sign in ((labels[i], 1), (rival, -1)):
                W[c] = [a + sign * b for a, b in zip(W[c], rows[i], strict=True)]
                if rounded:
                    W[c] = [Fraction(float(a)) for a in W[c]]
            updates.append((i, rival))
            path.append([list(w) for w in W])
            found += 1
        history.append(found if order == "given" else turns[0] if found else -1)
        if not found:
            break
    return Classes(W, mistakes, history, updates, path)


class Weighted(NamedTuple):
    w: list[Fraction]
    mistakes: int
    history: list[int]
    steps: list[int]  # the example of every update
    path: list[list[Fraction]]  # w before the first update and after each


def weighted_perceptron(
    X: Sequence[Sequence[Number]],
    y: Sequence[int],
    weights: Sequence[Number],
    *,
    threshold: Number = 0,
    constant: float = 0.0,
    zero: int = 0,
    max_iter: int = 100,
    start: Sequence[Number] = (),
    rounded: bool = False,
) -> Weighted:
    """The Perceptron on examples with weights c >= 0: w + c y x where y<w,x> <= threshold; a weight of 0 is no example.

    Without a threshold, at 0, ``zero`` is what <w,x> = 0 predicts. With ``rounded`` c x is float64, and then the sum.
    """
    rows = [[Fraction(v) for v in row] + [Fraction(constant)] for row in X]
    w = [Fraction(v) for v in start] or [Fraction(0)] * len(rows[0])
    number = float if rounded else Fraction  # a Fraction becomes the nearest float
    mistakes, history, steps, path = 0, [], [], [list(w)]
    for _ in range(max_iter):
        found = 0
        for i, (row, sign) in enumerate(zip(rows, y, strict=True)):
            side = sign * sum((a * b for a, b in zip(w, row, strict=True)), Fraction(0))
            wrong = side < 0 or (side == 0 and zero != sign)
            if not weights[i] or not (wrong or (threshold and side <= threshold)):
                continue
            mistakes += wrong
            step = [Fraction(number(Fraction(weights[i]) * b)) for b in row]
            w = [Fraction(number(a + sign * b)) for a, b in zip(w, step, strict=True)]
            steps.append(i)
            path.append(list(w))
            found += 1
        history.append(found)
        if not found:
            break
    return Weighted(w, mistakes, history, steps, path)


class Round(NamedTuple):
    """What a round left behind."""

    W: list[list[Fraction]]  # a row for each class; of two classes one row
    updated: bool
    mistake: bool


def rounds(
    X: Sequence[Sequence[Number]],
    y: Sequence[int],
    *,
    classes: int = 2,
    constant: float = 0.0,
    zero: int = 0,
    theta: Number = 0,
    margin: bool = False,
    passes: int = 1,
    weights: Sequence[Number] = (),
) -> list[Round]:
    """Every round of a Perceptron, or with ``margin`` a Margin Perceptron, until a pass makes no update.

    Of two classes y is -1 or +1; of more the place of the class, and the rival goes down (ties to the lowest). A
    weight multiplies the step.
    """
    rows = [[Fraction(v) for v in row] + [Fraction(constant)] for row in X]
    W = [[Fraction(0)] * len(rows[0]) for _ in range(1 if classes == 2 else classes)]
    found: list[Round] = []
    for _ in range(passes):
        any_update = False
        for i, row in enumerate(rows):
            p, moves = lead(W, row, y[i])
            mistake = p < 0 or (p == 0 and zero != (y[i] if classes == 2 else 1))
            updated = p <= theta if margin else mistake
            if updated:
                step = Fraction(weights[i]) if len(weights) else Fraction(1)
                W = [[a + moves.get(r, 0) * step * b for a, b in zip(w, row, strict=True)] for r, w in enumerate(W)]
            any_update |= updated
            found.append(Round(W, updated, mistake))
        if not any_update:
            break
    return found


def lead(W: Sequence[Sequence[Fraction]], row: Sequence[Fraction], y: int) -> tuple[Fraction, dict[int, int]]:
    """p, and which way the heads go in an update."""
    scores = [sum((a * b for a, b in zip(w, row, strict=True)), Fraction(0)) for w in W]
    if len(W) == 1:
        return y * scores[0], {0: y}
    rival = min((r for r in range(len(W)) if r != y), key=lambda r: (-scores[r], r))
    return (scores[y] - scores[rival]) / 2, {y: 1, rival: -1}


def survivors(found: Sequence[Round]) -> list[list[list[Fraction]]]:
    """The hypotheses that ended in an update, those that had survived most rounds first, ties to the earlier."""
    W = [[Fraction(0)] * len(w) for w in found[0].W]
    lived, born, ended = 0, 0, []
    for t, one in enumerate(found):
        if one.updated:
            ended.append((-lived, born, W))
            W, lived, born = one.W, 0, t + 1
        else:
            lived += 1
    return [W for lived, _, W in sorted(ended, key=lambda one: one[:2]) if lived]
