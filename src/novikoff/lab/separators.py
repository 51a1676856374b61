"""The game against the Perceptron: you give examples of length at most 1, and some separator must keep margin γ."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

import novikoff as nk
from novikoff.certificates.divisions import Division
from novikoff.certificates.prove import Question, prove
from novikoff.lab.choices import interval, limits
from novikoff.lab.words import number
from novikoff.words import counted

SLACK = 1e-6  # a margin of (1 - SLACK) γ counts as γ: 1/γ² stays the same integer
PASSES = 500  # of a certificate
DIGITS = 9  # of a coordinate: what is 0 in the picture is 0 in the certificate
DIRECTIONS = 720  # that a hint tries in the plane
SHORTEST = 1e-3  # of an example
LEAST_D, MOST_D = 2, 12  # the plane, and what fits on the page
OFFERED, USUAL, USUAL_D = (4, 9, 16, 25, 49, 100), 25, 6  # of 1/γ² in the plane, and of d = 1/γ² beyond it

Matrix = NDArray[np.float64]
Sign = Literal[-1, 1]
Coordinate = Annotated[float, Meta(ge=-1e3, le=1e3)]
Vector = Annotated[list[Coordinate], Meta(min_length=LEAST_D, max_length=MOST_D)]


class Against(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The dimension, the mistakes that the theorem shall allow (γ is one over their root), your examples, and the next.

    Examples longer than 1 are divided by their length.
    """

    d: Annotated[int, Meta(ge=LEAST_D, le=MOST_D)]
    allowed: Annotated[int, Meta(ge=1, le=100)]
    moves: Annotated[list[tuple[Vector, Sign]], Meta(max_length=200)] = []
    x: Vector | None = None


class Margins(msgspec.Struct, frozen=True):
    """The mistakes that the theorem may be let allow: from, to, at first, and those of the menu."""

    least: int
    most: int
    usual: int
    offered: list[int]


class Vectors(msgspec.Struct, frozen=True):
    """What can be played against the Perceptron: in the plane, or with as many coordinates as mistakes are allowed."""

    plane: Margins
    space: Margins
    rounds: int
    shortest: float  # an example


class Given(msgspec.Struct, frozen=True):
    """A round: <w,x> before it, and ||w|| after it."""

    x: list[float]
    product: float
    prediction: int
    label: int
    norm: float


class Asked(msgspec.Struct, frozen=True):
    """The next example as it will be taken, the prediction, and the labels that a separator of margin γ can give it."""

    x: list[float]
    product: float
    prediction: int
    labels: list[int]


class Played(msgspec.Struct, frozen=True):
    """The game as far as it went."""

    gamma: float
    bound: int
    mistakes: int
    w: list[float]
    rounds: list[Given]
    arc: tuple[float, float] | None  # in the plane: angles between which a separator of margin γ lies; None elsewhere
    next: Asked | None
    curves: tuple[list[int], list[float], list[float], list[float]]  # mistakes t, √t, ||w||, γt
    theorem: str
    verdict: str


class Move(msgspec.Struct, frozen=True):
    """An example that is a mistake, if one was found."""

    x: list[float] | None
    label: int | None
    text: str


def vectors() -> Vectors:
    """For the page's controls."""
    allowed, d = interval(Against, "allowed"), interval(Against, "d")
    least, most = max(allowed.least, d.least), min(allowed.most, d.most)
    return Vectors(
        plane=Margins(allowed.least, allowed.most, USUAL, list(OFFERED)),
        space=Margins(least, most, USUAL_D, list(range(least, most + 1))),
        rounds=limits(Against, "moves").max_length,
        shortest=SHORTEST,
    )


def perceptron(request: Against) -> Played:
    """The Perceptron's answers to your examples."""
    A, y = _examples(request)
    gamma, learner = request.allowed**-0.5, _perceptron()
    rounds: list[Given] = []
    norms = [0.0]
    for x, label in zip(A, y.tolist(), strict=True):
        product, prediction = float(_weights(learner, request.d) @ x), int(learner.predict_one(x))
        learner.learn_one(x, label)
        norm = float(np.linalg.norm(_weights(learner, request.d)))
        rounds.append(Given(x.tolist(), product, prediction, label, norm))
        if prediction != label:
            norms.append(norm)
    mistakes = len(norms) - 1
    asked = None
    if request.x is not None:
        x = _scaled(request.x, request.d, "x")
        labels = [label for label in (-1, 1) if _margin(np.vstack([A, x]), np.append(y, label)) >= gamma * (1 - SLACK)]
        product = float(_weights(learner, request.d) @ x)
        asked = Asked(x.tolist(), product, int(learner.predict_one(x)), labels)
    t = list(range(mistakes + 1))
    return Played(
        gamma=gamma,
        bound=request.allowed,
        mistakes=mistakes,
        w=_weights(learner, request.d).tolist(),
        rounds=rounds,
        arc=_arc(A * y[:, None], gamma) if request.d == 2 and len(A) else None,
        next=asked,
        curves=(t, [math.sqrt(k) for k in t], norms, [gamma * k for k in t]),
        theorem=(
            f"If ‖x‖ ≤ 1 and some separator has margin γ = {number(gamma)}, the Perceptron makes at most 1/γ² = "
            f"{request.allowed} mistakes, in any dimension."
        ),
        verdict=_verdict(request, mistakes),
    )


def advice(request: Against) -> Move:
    """An example on which the Perceptron is wrong now, and that leaves much to come."""
    A, y = _examples(request)
    learner, gamma = _perceptron(), request.allowed**-0.5
    for x, label in zip(A, y.tolist(), strict=True):
        learner.learn_one(x, label)
    found = _in_the_plane(learner, A, y, gamma) if request.d == 2 else _orthonormal(learner, A, y, gamma)
    if found is None:
        tried = f"{DIRECTIONS} directions" if request.d == 2 else "the coordinate vectors"
        return Move(None, None, f"None of {tried} makes it wrong any more and leaves a separator of margin γ.")
    x, label = found
    why = (
        f"of {DIRECTIONS} directions, the mistake that leaves the most separators"
        if request.d == 2
        else "orthogonal to w, so that ‖w‖² grows by all of 1; the worst case is d of these"
    )
    shown = ", ".join(number(value) for value in x.tolist())
    return Move(x.tolist(), label, f"Give ({shown}) and say {'+' if label > 0 else '−'}: {why}.")


# The examples --------------------------------------------------------------------------------------


def _perceptron() -> nk.Perceptron:
    """That of the notes on the mistake bound model: w = 0 predicts +."""
    return nk.Perceptron(fit_intercept=False, at_zero="positive")


def _weights(learner: Any, d: int) -> Matrix:
    return np.asarray(learner.coef_[0]) if hasattr(learner, "classes_") else np.zeros(d)


def _examples(request: Against) -> tuple[Matrix, NDArray[np.int8]]:
    """The rows and their labels, or the first round after which no separator is left."""
    A = np.array([_scaled(x, request.d, f"round {i}") for i, (x, _) in enumerate(request.moves, 1)])
    A, y = A.reshape(-1, request.d), np.array([label for _, label in request.moves], dtype=np.int8)
    least = request.allowed**-0.5 * (1 - SLACK)
    if len(y) and _margin(A, y) < least:
        first = bisect_left(range(1, len(y) + 1), True, key=lambda n: _margin(A[:n], y[:n]) < least) + 1
        raise ValueError(
            f"round {first}: no separator has margin {number(request.allowed**-0.5)} any more: give the other "
            "label, or another example"
        )
    return A, y


def _scaled(x: list[float], d: int, where: str) -> Matrix:
    if len(x) != d:
        raise ValueError(f"{where}: the example has {len(x)} coordinates: give it {d}")
    length = math.hypot(*x)
    if length < SHORTEST:
        raise ValueError(f"{where}: the example is 0 or almost: move it away from the origin")
    return np.round(np.array(x) / max(1.0, length), DIGITS) + 0.0  # no −0


def _margin(A: Matrix, y: NDArray[np.int8]) -> float:
    """Of the best separator; at most 0 if there is none."""
    proof: Any = prove(A, Division(1, (-1,), y.astype(np.int8)), Question(SLACK / 10, 0.0, max_passes=PASSES))[1]
    return float(proof.margin[0])


def _arc(signed: Matrix, gamma: float) -> tuple[float, float]:
    """The angles of the w* with <w*,yx> >= γ for all; the second is below the first where there are none.

    Each example allows arccos(γ/||x||) to both sides of yx.
    """
    reach = np.arccos(np.minimum(1.0, gamma / np.hypot(signed[:, 0], signed[:, 1])))
    towards = np.arctan2(signed[:, 1], signed[:, 0])
    off = (towards - towards[0] + math.pi) % (2 * math.pi) - math.pi
    return float(towards[0] + np.max(off - reach)), float(towards[0] + np.min(off + reach))


# Hints ---------------------------------------------------------------------------------------------


def _in_the_plane(learner: Any, A: Matrix, y: NDArray[np.int8], gamma: float) -> tuple[Matrix, int] | None:
    best: tuple[float, Matrix, int] | None = None
    for k in range(DIRECTIONS):
        angle = 2 * math.pi * k / DIRECTIONS
        x = _scaled([math.cos(angle), math.sin(angle)], 2, "hint")
        label = -int(learner.predict_one(x))
        low, high = _arc(np.vstack([A * y[:, None], x * label]), gamma)
        if high >= low and (best is None or high - low > best[0] + 1e-9):
            best = high - low, x, label
    return None if best is None else best[1:]


def _orthonormal(learner: Any, A: Matrix, y: NDArray[np.int8], gamma: float) -> tuple[Matrix, int] | None:
    w = _weights(learner, A.shape[1])
    for x in sorted(np.eye(len(w)), key=lambda x: abs(float(w @ x))):
        label = -int(learner.predict_one(x))
        if _margin(np.vstack([A, x]), np.append(y, label)) >= gamma * (1 - SLACK):
            return x, label
    return None


def _verdict(request: Against, mistakes: int) -> str:
    made = f"{counted(mistakes, 'mistake')} in {counted(len(request.moves), 'round')}"
    if not request.moves:
        return f"Choose an example and say what its label is. The theorem allows {counted(request.allowed, 'mistake')}."
    if mistakes == request.allowed:
        return f"You forced {made}: all that the theorem allows. Nobody can force more."
    return f"{made[0].upper()}{made[1:]} so far; the theorem allows {request.allowed}."
