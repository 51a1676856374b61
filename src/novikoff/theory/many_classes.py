"""The Perceptron for k classes: by one change of the space it is the Perceptron for two.

W has a row w_r for each class r, and <w_r,x> is the score of r. On an example x of class y it changes where
<w_y,x> - <w_r,x> <= 2 theta for some r != y: w_y by x, and one such w_r by -x. (At theta = 0 these are the mistakes,
if a tie with the true class is one.) The margin of W* is the smallest of (<w*_y,x> - <w*_r,x>)/(sqrt(2) ||W*||), over
all examples and all r != y, where ||W|| is the root of the sum of all squares.

Take W as one long vector, and let z be x at the place of y, -x at that of r, and 0 elsewhere. Then
<W,z> = <w_y,x> - <w_r,x>, ||z||^2 = 2 ||x||^2, and the update is W + z. So V = W/sqrt(2) changes by the row
z/sqrt(2), of length ||x||, and only where <V,z/sqrt(2)> = <W,z>/2 <= theta. It is a binary Perceptron with the
threshold theta, whose rows z/sqrt(2), for every x and every r != y, all have the label +. Its margins
<V*,z/sqrt(2)>/||V*|| are <W*,z>/(sqrt(2) ||W*||), those of above. So every theorem about the binary learner is one
about W, with the same constants for any k: with ||W0||/sqrt(2) for the length of the start, ||W||/(sqrt(2) M) for the
upper end, and, since each entry of W + z is rounded as one of w + y x is, with the same term for rounding
(`perceptron-rounded`). Against any U (`perceptron-regret`) they take (<u_y,x> - <u_r,x>)/2 of each update for y<u,x>,
and ||U||^2/2 for ||u||^2. For two classes and w_1 = -w_0 = w it is the binary learner itself.

New classes. The row of a class that was not met before is 0. The rows of all classes add up to 0 from the start on: an
update adds x to one, and takes it from another. So the largest score of the classes that were met is at least 0, and
the first example of a new class is an update, but for the first example of all, which has no rival. Hence one mistake,
at most, is no update. This needs W = 0 at the start, and sums that are not rounded. Otherwise every class may cost one
when it is first met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from novikoff.theory.exact import Number, Vector, inner, rational, root, sqnorm, vector
from novikoff.theory.margin_perceptron import NOT_NEGATIVE
from novikoff.theory.passive_aggressive import EVERY_MISTAKE
from novikoff.theory.perceptron import at_most, bound_from_start, least_allowed, update_bound
from novikoff.theory.rounding import float_bound_from_start
from novikoff.theory.theorem import Hypothesis, Theorem

Matrix = Sequence[Vector]

KESLER = (
    "Kesler's construction, in N. J. Nilsson, Learning Machines (1965), section 5.1; K. Crammer and Y. Singer, "
    "Ultraconservative online algorithms for multiclass problems, Journal of Machine Learning Research 3 (2003) 951-991"
)


def matrix(rows: Sequence[Sequence[Number]]) -> list[list[Fraction]]:
    return [vector(row) for row in rows]


def matrix_sq(W: Matrix) -> Fraction:
    """||W||^2, the sum of all squares."""
    return sum((sqnorm(row) for row in W), Fraction(0))


def lead(W: Matrix, x: Vector, y: int, r: int) -> Fraction:
    """<w_y,x> - <w_r,x>."""
    return inner(W[y], x) - inner(W[r], x)


def moved(W: Matrix, x: Vector, y: int, r: int) -> list[list[Fraction]]:
    """W with x added to row y, and taken from row r."""
    step = {y: 1, r: -1}
    return [[a + step.get(c, 0) * b for a, b in zip(w, x, strict=True)] for c, w in enumerate(W)]


class _Classes:
    """Examples with the classes 0, ..., k-1, and a W* for them."""

    rows: Sequence[Vector]
    labels: Sequence[int]
    witness: Matrix

    @cached_property
    def radius_sq(self) -> Fraction:
        return max(sqnorm(row) for row in self.rows)

    def leads(self, W: Matrix) -> list[Fraction]:
        """<w_y,x> - <w_r,x> of every example, for every r != y."""
        examples = zip(self.rows, self.labels, strict=True)
        return [lead(W, x, y, r) for x, y in examples for r in range(len(self.witness)) if r != y]

    @cached_property
    def margins(self) -> list[Fraction]:
        """The leads of W*; divide by sqrt(2) ||W*|| for the margins."""
        return self.leads(self.witness)

    @cached_property
    def margin_sq(self) -> Fraction:
        """gamma^2 of the witness; 0 if it does not separate."""
        worst = min(self.margins)
        return worst**2 / (2 * matrix_sq(self.witness)) if worst > 0 else Fraction(0)


@dataclass(frozen=True)
class ClassRun(_Classes):
    """A run of a Perceptron for k classes in exact rationals.

    Parameters
    ----------
    rows, labels
        The examples as learned from, and their classes 0, ..., k-1.
    witness
        W*, a row for each class, of any length.
    updates
        Pairs of the example of an update and the class r whose row went down, in order.
    mistakes
        How many of its predictions were wrong.
    threshold
        theta: there is an update where <w_y,x> - <w_r,x> <= 2 theta.
    start
        W before the first update; 0 if it is empty.
    weights
        W as the learner had it, before the first update and after each. Without them W is what the updates make of
        ``start``, in exact arithmetic.
    """

    rows: Sequence[Vector]
    labels: Sequence[int]
    witness: Matrix
    updates: Sequence[tuple[int, int]]
    mistakes: int = 0
    threshold: Fraction = Fraction(0)
    start: Matrix = ()
    weights: Sequence[Matrix] = ()

    def __post_init__(self) -> None:
        if self.weights and len(self.weights) != len(self.updates) + 1:
            raise ValueError(
                f"{len(self.updates)} updates were recorded, but W at {len(self.weights)} times: before the first "
                "update and after each"
            )

    @classmethod
    def of(
        cls,
        X: Sequence[Sequence[Number]],
        labels: Sequence[int],
        witness: Sequence[Sequence[Number]],
        updates: Sequence[tuple[int, int]],
        *,
        mistakes: int | None = None,
        threshold: Number = 0,
        start: Sequence[Sequence[Number]] = (),
        weights: Sequence[Sequence[Sequence[Number]]] = (),
    ) -> ClassRun:
        """From numbers of any kind, each taken at its exact value."""
        return cls(
            matrix(X),
            [int(label) for label in labels],
            matrix(witness),
            [(int(i), int(r)) for i, r in updates],
            len(updates) if mistakes is None else mistakes,
            rational(threshold),
            matrix(weights[0] if weights else start),
            [matrix(W) for W in weights],
        )

    @cached_property
    def path(self) -> list[Matrix]:
        """W before the first update and after each."""
        if self.weights:
            return list(self.weights)
        steps: list[Matrix] = [self.start or [[Fraction(0)] * len(row) for row in self.witness]]
        for i, r in self.updates:
            steps.append(moved(steps[-1], self.rows[i], self.labels[i], r))
        return steps

    @cached_property
    def products(self) -> list[Fraction]:
        """<w_y,x> - <w_r,x> of every update, before it."""
        updates = zip(self.path, self.updates, strict=False)
        return [lead(W, self.rows[i], self.labels[i], r) for W, (i, r) in updates]

    @cached_property
    def finals(self) -> list[Fraction]:
        """<w_y,x> - <w_r,x> of every example at the end, for every r != y."""
        return self.leads(self.path[-1])


def _adds(run: ClassRun) -> bool:
    return all(
        r != run.labels[i] and matrix(after) == moved(before, run.rows[i], run.labels[i], r)
        for before, after, (i, r) in zip(run.path, run.path[1:], run.updates, strict=False)
    )


SEPARATED_CLASSES = Hypothesis(
    "W* separates the examples: <w*_y,x> - <w*_r,x> >= sqrt(2) gamma ||W*|| > 0 for every r != y",
    lambda run: min(run.margins) > 0,
)
CLASSES_FROM_ZERO = Hypothesis("W starts at 0", lambda run: not any(map(any, run.start)))
CLASSES_ADD = Hypothesis("every update adds exactly x to w_y, and takes it from w_r for one r != y", _adds)
CLASSES_AT_THRESHOLD = Hypothesis(
    "W changes only where <w_y,x> - <w_r,x> <= 2 theta", lambda run: all(p <= 2 * run.threshold for p in run.products)
)
CLASSES_FINISHED = Hypothesis(
    "the run is finished: <w_y,x> - <w_r,x> > 2 theta for every example and r != y",
    lambda run: min(run.finals) > 2 * run.threshold,
)


def many_classes_bound(
    radius_sq: Number, gamma: Number, start_norm: Number = 0, threshold: Number = 0, *, rounded: bool = False
) -> int | None:
    """floor((R^2 + 2 theta + sqrt(2) gamma ||W0||)/gamma^2), for any number of classes.

    ||W0||/sqrt(2) is taken at an upper end within 2^-64 of it, and a float gamma, trusted to 2^-51 of its value, at the
    lower end. Where updates were ``rounded``, C/(1 - 2^-50 C) takes the place of this C; None for C of 2^49 or more.
    """
    half = root(rational(start_norm) ** 2 / 2)[1]
    bound = float_bound_from_start if rounded else bound_from_start
    return bound(radius_sq, gamma, half, threshold)


def _few_updates(run: ClassRun) -> bool:
    """M gamma^2 - R^2 - 2 theta <= sqrt(2) gamma ||W0||, squared where the left side is positive."""
    count = max(len(run.updates), run.mistakes)
    rest = count * run.margin_sq - run.radius_sq - 2 * run.threshold
    return run.margin_sq > 0 and (rest <= 0 or rest**2 <= 2 * run.margin_sq * matrix_sq(run.path[0]))


MANY_CLASSES = Theorem(
    "many-classes",
    "Perceptron for many classes",
    "For any number of classes the Perceptron makes at most (R^2 + 2 theta + sqrt(2) gamma ||W0||)/gamma^2 updates, "
    "and no more mistakes: R^2/gamma^2 from W0 = 0 with theta = 0.",
    (SEPARATED_CLASSES, NOT_NEGATIVE, CLASSES_ADD, CLASSES_AT_THRESHOLD, EVERY_MISTAKE),
    many_classes_bound,
    _few_updates,
    KESLER,
    ClassRun,
)


def many_classes_updates(radius_sq: Number, margin_sq: Number, threshold: Number) -> int:
    """floor((R^2 + 2 theta)/gamma^2), for squares given exactly: as for two classes."""
    return update_bound(radius_sq, margin_sq, threshold)


def _wide(run: ClassRun) -> bool:
    """min <W,z>/(sqrt(2) ||W||) >= theta gamma/(R^2 + 2 theta), as squares."""
    worst, growth = min(run.finals), run.radius_sq + 2 * run.threshold
    return worst > 0 and worst**2 * growth**2 >= 2 * run.threshold**2 * run.margin_sq * matrix_sq(run.path[-1])


MANY_CLASSES_MARGIN = Theorem(
    "many-classes-margin",
    "Margin Perceptron for many classes",
    "Updating while some <w_y,x> - <w_r,x> <= 2 theta ends after at most (R^2 + 2 theta)/gamma^2 updates with a margin "
    "of at least theta gamma/(R^2 + 2 theta), for any number of classes.",
    (
        SEPARATED_CLASSES,
        Hypothesis("theta > 0", lambda run: run.threshold > 0),
        CLASSES_FROM_ZERO,
        CLASSES_ADD,
        CLASSES_AT_THRESHOLD,
        CLASSES_FINISHED,
    ),
    many_classes_updates,
    lambda run: at_most(len(run.updates), run.radius_sq + 2 * run.threshold, run.margin_sq) and _wide(run),
    KESLER + "; Harvey's proof",
    ClassRun,
)


def many_classes_least(radius_sq: Number, norm_sq: Number, updates: int) -> int:
    """floor(2 R^2 M^2/||W||^2): whatever the best margin is, R^2/gamma^2 is no less."""
    return least_allowed(radius_sq, rational(norm_sq) / 2, updates)


def _upper_end(run: ClassRun) -> bool:
    """gamma <= ||W - W0||/(sqrt(2) M), as squares."""
    change = [[a - b for a, b in zip(w, v, strict=True)] for w, v in zip(run.path[-1], run.path[0], strict=True)]
    return 2 * run.margin_sq * len(run.updates) ** 2 <= matrix_sq(change)


MANY_CLASSES_END = Theorem(
    "many-classes-upper-end",
    "A run for many classes bounds every margin from above",
    "If M updates have changed W0 to W, no W* has a margin above ||W - W0||/(sqrt(2) M).",
    (CLASSES_ADD,),
    many_classes_least,
    _upper_end,
    KESLER + "; the dual of the maximum margin",
    ClassRun,
)


# Classes that appear on the way --------------------------------------------------------------------


@dataclass(frozen=True)
class ClassStream(_Classes):
    """A stream on which classes are first met, and what a learner that starts at 0 did, in exact rationals.

    Parameters
    ----------
    rows, labels
        The example of each round, and its class 0, ..., k-1.
    witness
        W*, a row for each class.
    predictions
        What the learner predicted: a class, or None.
    rivals
        The class whose row went down in each round, or None where there was no update.
    """

    rows: Sequence[Vector]
    labels: Sequence[int]
    witness: Matrix
    predictions: Sequence[int | None]
    rivals: Sequence[int | None]

    @classmethod
    def of(
        cls,
        X: Sequence[Sequence[Number]],
        labels: Sequence[int],
        witness: Sequence[Sequence[Number]],
        predictions: Sequence[int | None],
        rivals: Sequence[int | None],
    ) -> ClassStream:
        """From numbers of any kind, each taken at its exact value."""
        return cls(matrix(X), list(labels), matrix(witness), list(predictions), list(rivals))

    @property
    def mistakes(self) -> int:
        return sum(p != y for p, y in zip(self.predictions, self.labels, strict=True))

    @property
    def updates(self) -> int:
        return sum(r is not None for r in self.rivals)

    @cached_property
    def scores(self) -> list[dict[int, Fraction]]:
        """Of every round: the score of the true class and of all that were met before."""
        W: Matrix = [[Fraction(0)] * len(row) for row in self.witness]
        met: set[int] = set()
        found = []
        for x, y, r in zip(self.rows, self.labels, self.rivals, strict=True):
            met.add(y)
            found.append({c: inner(W[c], x) for c in met})
            if r is not None:
                W = moved(W, x, y, r)
        return found


def _updates_on_violations(stream: ClassStream) -> bool:
    """Where another class met before has no smaller score, the row of one such class goes down, and nowhere else."""
    rounds = zip(stream.scores, stream.labels, stream.rivals, strict=True)
    violating = (({c for c, s in scores.items() if c != y and s >= scores[y]}, r) for scores, y, r in rounds)
    return all(r in some if some else r is None for some, r in violating)


def _predicts_the_leader(stream: ClassStream) -> bool:
    """Is the true class predicted where it was met before, and is alone in the lead?"""
    rounds = zip(stream.scores, stream.labels, stream.predictions, strict=True)
    met = [set(stream.labels[:t]) for t in range(len(stream.labels))]
    return all(
        p == y
        for (scores, y, p), before in zip(rounds, met, strict=True)
        if y in before and all(s < scores[y] for c, s in scores.items() if c != y)
    )


def new_classes_bound(radius_sq: Number, margin_sq: Number, first_met: int = 1) -> int:
    """floor(R^2/gamma^2) + 1 mistakes, with W = 0 at the start and sums that are not rounded.

    Without these two, ``first_met`` is the number of classes that were first met, and their number takes the place of
    the 1: what is no update is the first example of a class.
    """
    return update_bound(radius_sq, margin_sq) + first_met


NEW_CLASSES = Theorem(
    "many-classes-stream",
    "Classes that appear on the way",
    "On a stream whose classes are first met on the way, where the row of a new class is 0, the Perceptron makes at "
    "most R^2/gamma^2 updates, and at most R^2/gamma^2 + 1 mistakes.",
    (
        SEPARATED_CLASSES,
        Hypothesis(
            "W changes where a class that was met scores no less than the true one, and only there; such a class "
            "goes down",
            _updates_on_violations,
        ),
        Hypothesis("a class that was met, and is alone in the lead, is predicted", _predicts_the_leader),
    ),
    new_classes_bound,
    lambda stream: (
        at_most(stream.updates, stream.radius_sq, stream.margin_sq)
        and at_most(stream.mistakes - 1, stream.radius_sq, stream.margin_sq)
    ),
    KESLER + "; the rows add up to 0",
    ClassStream,
)
