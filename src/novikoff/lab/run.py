"""A run of a learner as the page draws it: every update, the certificate, and the curves of the proof."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import NotSeparable, Separable, Undecided
from novikoff.certificates.divisions import Division
from novikoff.certificates.prove import Question, prove
from novikoff.engine.rule import Facts
from novikoff.engine.trace import Trace
from novikoff.lab import words
from novikoff.lab.experiment import Experiment
from novikoff.learners.linear import LinearLearner

Vector = NDArray[np.float64]
Signs = NDArray[np.int8]

ENOUGH = 1500  # updates after which no new pass begins; a pass has at most as many as there are points
FOREVER = 60  # the same where no separator exists
MOST_ROUNDS = 300_000
GAP, SECONDS = 1e-6, 1.0  # of a certificate
FAR = 96  # intervals of the curves that run on to the crossing


class Update(NamedTuple):
    """A round in which w changed."""

    row: int
    round: int  # from 1; under "first" and "worst" the search
    turn: int  # the pass, from 1
    mistake: bool
    step: float  # its length, w <- w + step y x
    w: list[float]  # afterwards, the constant coordinate last


class History(NamedTuple):
    updates: list[Update]
    rounds: int
    passes: int
    finished: bool  # the last pass found nothing to update
    theta: float
    separates: bool  # the margin of the last w over the points is positive


class Witness(msgspec.Struct, frozen=True):
    """A separator with (nearly) the best margin."""

    w: list[float]  # of length 1, the constant coordinate last
    margin: float  # gamma, of rows as learned from
    band: float | None  # |<w,(x,1)>| of the nearest point in the plane of the page; None on the sphere
    support: list[int]  # the rows that prove that no margin is larger


class Obstacle(msgspec.Struct, frozen=True):
    """Why there is no separator: the weighted sum of y x over these rows is exactly zero."""

    rows: list[int]
    weights: list[float]  # of sum 1 in each class, if the hulls meet; else of sum 1
    point: list[float] | None  # where the hulls of the two classes meet; None: 0 is in the hull of the y x


class Curves(msgspec.Struct, frozen=True):
    """After t updates: floor <= inner <= norm <= roof, and norm_sq <= ceiling."""

    t: list[int]
    norm_sq: list[float]
    ceiling: list[float]
    norm: list[float]
    roof: list[float]
    floor: list[float] | None
    inner: list[float] | None
    cosine: list[float] | None
    far: tuple[list[float], list[float], list[float]] | None  # t, floor and roof as far as they cross


class Run(msgspec.Struct, frozen=True):
    """The transcript."""

    verdict: str
    proof: list[str]
    witness: Witness | None
    obstacle: Obstacle | None
    radius: float
    theta: float
    bound: str | None  # the most updates that the theorem allows
    mistakes: int
    finished: bool
    summary: str
    start: str
    row: list[int]  # of each update
    round: list[int]
    turn: list[int]
    mistake: list[bool]
    product: list[float]  # y<w,x> before the update
    w: list[list[float]]  # one more than updates: it begins at 0
    steps: list[words.Step]
    curves: Curves


def run(experiment: Experiment) -> Run:
    """Learn from the points, update by update, and certify them."""
    X, y = experiment.rows()
    rows, norms = as_learned(experiment, X, y)
    proof = certificate(experiment, X, y, norms)
    history = learn(experiment, X, y, FOREVER if isinstance(proof, NotSeparable) else ENOUGH)
    radius = 1.0 if experiment.scale == "sphere" else float(norms.max())
    # Dividing rows by R divides w by R; but not where steps depend on the length of the rows.
    unit = radius if experiment.scale == "ball" and not experiment.rule.measures() else 1.0
    scaled = rows / unit
    path = np.array([[0.0] * rows.shape[1], *(update.w for update in history.updates)]) / unit
    chosen = np.array([update.row for update in history.updates], dtype=np.int64)
    signed = scaled[chosen] * y[chosen, None]
    product = np.einsum("ij,ij->i", path[:-1], signed)
    theta = history.theta / unit**2
    witness = _witness(experiment, proof, unit) if isinstance(proof, Separable) else None
    allowed = None
    if isinstance(proof, Separable):
        # The page speaks of every order of these points, and in another one updates may round.
        facts = Facts(
            Fraction(proof.radius) ** 2, Fraction(history.theta), Fraction(0), ENOUGH, Fraction(ENOUGH), rounded=True
        )
        allowed = cast("int | None", experiment.rule.bound(Fraction(proof.margin[0]), facts))
    lengths = np.array([update.step for update in history.updates])
    curves = _curves(path, lengths, radius / unit, theta, witness)
    mistakes = sum(update.mistake for update in history.updates)
    told = words.Told(experiment, radius / unit, theta, witness.margin if witness else None, allowed)
    obstacle = _obstacle(proof, X, rows, y) if isinstance(proof, NotSeparable) else None
    if isinstance(proof, Separable):
        lines = words.separable(told, proof)
    elif isinstance(proof, NotSeparable):
        lines = words.not_separable(told, proof, obstacle.point if obstacle else None)
    else:
        lines = str(proof).splitlines()
    return Run(
        verdict=proof.verdict,
        proof=lines,
        witness=witness,
        obstacle=obstacle,
        radius=radius / unit,
        theta=theta,
        bound=None if allowed is None else f"{allowed:,}",
        mistakes=mistakes,
        finished=history.finished,
        summary=words.summary(told, history, mistakes, proof.verdict),
        start=words.start(told),
        row=chosen.tolist(),
        round=[update.round for update in history.updates],
        turn=[update.turn for update in history.updates],
        mistake=[update.mistake for update in history.updates],
        product=product.tolist(),
        w=path.tolist(),
        steps=words.steps(told, history.updates, y, product, np.einsum("ij,ij->i", signed, signed), curves),
        curves=curves,
    )


def as_learned(experiment: Experiment, X: Vector, y: Signs) -> tuple[Vector, Vector]:
    """The rows that enter the products, with their constant, and the norms that they had before any scaling."""
    with inputs.refusals(X):
        norms = experiment.rows_of(X, y).norms
    if experiment.scale == "sphere":
        return inputs.on_the_sphere(X, norms, experiment.constant), norms
    return np.column_stack([X, np.full(len(X), experiment.constant)]), norms


def certificate(experiment: Experiment, X: Vector, y: Signs, norms: Vector) -> Separable | NotSeparable | Undecided:
    """Is there a separator of the rows as learned from?"""
    constant = experiment.constant
    if experiment.scale == "sphere":
        X, constant = inputs.on_the_sphere(X, norms, constant), 0.0
    load()
    proof = prove(X, Division(1, (-1,), y), Question(GAP, constant, max_seconds=SECONDS))[1]
    assert isinstance(proof, Separable | NotSeparable | Undecided)
    return proof


@cache
def load() -> None:
    """Compile, or read from the cache, what certificates need: it must not count as time spent on the first one."""
    square = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    for constant in (0.0, 1.0):
        for signs in ([1, 1, -1, -1], [1, -1, 1, -1]):
            division = Division(1, (-1,), np.array(signs, dtype=np.int8))
            prove(square + 0.3, division, Question(GAP, constant))


def learn(experiment: Experiment, X: Vector, y: Signs, enough: int) -> History:
    """Every update of a run that `fit` would make, with w after it."""
    rows = experiment.rows_of(X, y)
    trace = Trace(rows)
    learner = LinearLearner(experiment.rule, X.shape[1], experiment.constant, unit=rows.unit)
    searches = experiment.order in ("first", "worst")
    seed = experiment.seed if experiment.order == "shuffled" else None
    order, most = (experiment.order, enough) if searches else ("given", -(-MOST_ROUNDS // len(y)))
    with inputs.refusals(X):
        outcome = learner.run(rows, order, most, seed=seed, trace=trace, enough=enough)
        separates = learner.examine(rows)[0]
    passes = len(outcome.history)
    path = [w for block in trace.path() for w in block.tolist()]
    rounds = trace.turns + 1 if searches else trace.turns * len(y) + trace.places + 1
    noted = zip(trace.rows, rounds, trace.turns + 1, trace.mistakes, trace.steps, path, strict=True)
    updates = [
        Update(int(row), int(at), int(turn), bool(mistake), float(step), w) for row, at, turn, mistake, step, w in noted
    ]
    seen = len(updates) if searches else passes * len(y)
    return History(updates, seen, passes, outcome.finished, learner.theta, separates)


def _witness(experiment: Experiment, proof: Separable, unit: float) -> Witness:
    w = np.append(proof.coef, proof.last)
    if experiment.scale == "sphere":
        w = w[:-1]  # the rows on the sphere carry their own constant
    w = w / np.linalg.norm(w)
    gamma = proof.margin[0]
    return Witness(
        w=w.tolist(),
        margin=gamma / unit,
        band=None if experiment.scale == "sphere" else gamma,
        support=proof.rows.tolist(),
    )


def _obstacle(proof: NotSeparable, X: Vector, rows: Vector, y: Signs) -> Obstacle:
    most = max(proof.weights)
    share = np.array([float(Fraction(weight, most)) for weight in proof.weights])
    used = rows[proof.rows]
    last = used[:, -1]
    plus = y[proof.rows] > 0
    point = None
    if last.all() and plus.any() and not plus.all():
        # Coordinate d + 1 of the sum is zero, too: both classes have the same weight, and the same mean.
        share *= last
        share = np.where(plus, share / share[plus].sum(), share / share[~plus].sum())
        point = (share[plus] @ X[proof.rows][plus]).tolist()
    else:
        share /= share.sum()
    return Obstacle(proof.rows.tolist(), share.tolist(), point)


def _curves(path: Vector, lengths: Vector, radius: float, theta: float, witness: Witness | None) -> Curves:
    """Each update adds at most R^2 step^2 + 2 theta step to ||w||^2, and at least gamma step to <w,w*>."""
    t = np.arange(len(path))
    norm_sq = np.einsum("ij,ij->i", path, path)
    norm = np.sqrt(norm_sq)
    ceiling = np.append(0.0, np.cumsum(radius**2 * lengths**2 + 2 * theta * lengths))
    floor = inner = cosine = far = None
    if witness is not None:
        along = path @ np.array(witness.w)
        floor, inner = (witness.margin * np.append(0.0, np.cumsum(lengths))).tolist(), along.tolist()
        cosine = np.divide(along, norm, out=np.zeros(len(t)), where=norm > 0).tolist()
        gain = radius**2 + 2 * theta
        crossing = gain / witness.margin**2
        if math.isfinite(crossing) and np.all(lengths == 1.0):
            steps = np.linspace(0.0, 1.08 * max(crossing, t[-1]), FAR + 1)
            far = steps.tolist(), (witness.margin * steps).tolist(), np.sqrt(gain * steps).tolist()
    roof = np.sqrt(ceiling)
    return Curves(
        t.tolist(), norm_sq.tolist(), ceiling.tolist(), norm.tolist(), roof.tolist(), floor, inner, cosine, far
    )
