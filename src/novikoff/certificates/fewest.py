"""How many mistakes are the fewest that a hyperplane makes, and why not fewer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import hyperplane, packing, rational
from novikoff.certificates.certificate import About
from novikoff.certificates.check.plane import Better, Plane
from novikoff.certificates.claim.fewest_mistakes import PLANE
from novikoff.certificates.divisions import Division, classes, divisions
from novikoff.certificates.mistakes import FewestMistakes
from novikoff.certificates.prove import INTERRUPTED, WORD, Question, prepared, recorded
from novikoff.certificates.reference.rows import Row
from novikoff.certificates.solve import CountedRows, OutOfBudget
from novikoff.engine import weights
from novikoff.engine.rows import Indices
from novikoff.engine.storage import Vector
from novikoff.progress import Mistakes
from novikoff.words import told

SECONDS = 10.0
SEARCHING = 0.3  # of the time, at most, for the hyperplane
NARROW = 300  # columns up to which contradictions are looked for by linear programs,
SMALL = 2**23  # and entries
BLOCK = 256  # rows that are integers at a time
LINES = 6000  # rows of a plane up to which all lines are looked at: some seconds


def fewest_mistakes(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    max_seconds: float | None = SECONDS,
    verbose: int = 0,
) -> FewestMistakes:
    """How many rows does the best hyperplane have wrong? Two numbers that it lies between, each with its proof.

    A mistake is a row with y<w,x> <= 0. The upper number comes with a hyperplane, the lower with contradictions: rows
    that cancel with positive weights, on one of which every hyperplane errs. In the plane (two columns and a constant,
    or less) the two meet, as far as time allows: all lines are looked at.

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d), taken exactly as stored; or a `novikoff.data.Dataset`,
        of which each row counts once, whatever its weight
    y : n labels, of two kinds; of more, ask about one against the others (``y == label``)
    fit_intercept : append the constant coordinate ``intercept_scaling``; else the hyperplane goes through 0
    max_seconds : where to stop, with what is proved by then; None: when the search ends by itself. What it finds
        depends on the data alone, unless time or Ctrl-C ends it
    verbose : 1 shows the two numbers coming closer

    Returns
    -------
    FewestMistakes
    """
    if not 0 < intercept_scaling < math.inf:
        raise ValueError(f"intercept_scaling must be positive and finite, got {intercept_scaling!r}")
    if max_seconds is not None and not (isinstance(max_seconds, Real) and max_seconds >= 0):
        raise ValueError(f"{told('max_seconds must be None or', '--max-seconds must be')} at least 0: {max_seconds!r}")
    y = inputs.labels(X, y)
    reading = recorded(X)
    doubted = X.doubted if isinstance(X, inputs.Examples) else ()
    X, names = inputs.plain_matrix(X)
    constant = float(intercept_scaling) if fit_intercept else 0.0
    question = Question(constant=constant, max_seconds=max_seconds, reading=reading, doubted=doubted)
    _, about, data, _, _ = prepared(X, _only_division(y, X.shape[0]), question, names)
    with Mistakes() if verbose else nullcontext() as watch:
        return _Hunt(about, data, watch).result()


def _only_division(y: Any, n: int) -> Division:
    first, *more = divisions(classes(y, n))
    if more:
        cure = told(f"y == {first.positive!r}", f"--positive {first.positive}")
        raise ValueError(
            f"y holds {len(more) + 1:,} labels, and a hyperplane has two sides: ask about one label against the "
            f"others, with {cure}"
        )
    return first


class _Hunt:
    """The two ends, on their way to each other."""

    def __init__(self, about: About, data: CountedRows, watch: Callable[[int, int], None] | None) -> None:
        self._about, self._data, self._watch = about, data, watch
        self._w = [0] * data.width
        self._missed = np.ones(data.n, dtype=np.bool_)
        self._upper = data.n
        self._packing = packing.Packing(data.n)
        self._enumerated = False

    def result(self) -> FewestMistakes:
        why = ""
        try:
            self._search()
        except OutOfBudget as out:
            why = str(out)
        except KeyboardInterrupt:
            why = INTERRUPTED
        used = self._packing.used()
        return FewestMistakes(
            self._about,
            self._data.passes,
            (self._lower, self._upper),
            tuple(self._w),
            np.flatnonzero(self._missed),
            tuple(each for each, _ in used),
            tuple(share for _, share in used),
            self._enumerated,
            why,
        )

    @property
    def _lower(self) -> int:
        return self._upper if self._enumerated else self._packing.lower

    def _done(self) -> bool:
        if self._watch:
            self._watch(self._lower, self._upper)
        return self._lower >= self._upper

    def _search(self) -> None:
        data = self._data
        self._packing.add(packing.obvious(data))
        self._packing.take_disjoint()
        self._among_the_rest(most=1)
        if self._done():
            return
        self._better_hyperplane()
        narrow = data.width <= NARROW and data.n * data.width <= SMALL
        if narrow:
            self._beside_the_wrong()
        if self._done():
            return
        self._among_the_rest(most=data.n)
        if self._done():
            return
        if self._about.d + (1 if self._about.constant else 0) <= PLANE and data.n <= LINES:
            self._all_lines()
        elif narrow:
            self._sharing()
        self._done()

    # The upper end -----------------------------------------------------------------------------

    def _offer(self, w: Vector) -> int:
        """The mistakes of w, exactly; it is kept if they are fewer."""
        wrong, missed, w = self._counted(w)
        if wrong < self._upper:
            rounded = np.round(w * WORD) / WORD
            short = self._counted(rounded)
            wrong, missed, w = short if short[0] <= wrong else (wrong, missed, w)
            self._keep(rational.integers(w)[0], missed)
        return wrong

    def _offer_separator(self, w: list[int] | None, which: Indices) -> None:
        """The same of integers that have these rows right, even if rounded to floats they have not."""
        assert w is not None
        others = np.setdiff1d(np.arange(self._data.n), which)
        if self._offer(_floats(w)) <= len(others):
            return
        missed = np.zeros(self._data.n, dtype=np.bool_)
        for start in range(0, len(others), BLOCK):
            self._data.look()
            some = others[start : start + BLOCK]
            block = rational.integer_rows(self._data, some)
            columns = block.columns.tolist()
            missed[some] = [sum(w[j] * x for j, x in zip(columns, row, strict=True)) <= 0 for row in block.table]
        if np.count_nonzero(missed) < self._upper:
            self._keep(w, missed)

    def _counted(self, w: Vector) -> tuple[int, NDArray[np.bool_], Vector]:
        missed = np.zeros(self._data.n, dtype=np.bool_)
        w = w / (np.abs(w).max() or 1.0)
        self._data.spend(1)
        return self._data.rows.examine(weights.Plane(w), 0, missed)[1], missed, w

    def _keep(self, w: list[int], missed: NDArray[np.bool_]) -> None:
        common = math.gcd(*w) or 1
        self._w, self._missed = [x // common for x in w], missed
        self._upper = int(np.count_nonzero(missed))

    def _better_hyperplane(self) -> None:
        """Where time is short, some of it is left for the lower end."""
        if not self._data.norms.any():
            return
        try:
            hyperplane.search(self._data.within(SEARCHING), self._offer)
        except OutOfBudget:
            self._data.look()

    # The lower end -----------------------------------------------------------------------------

    def _among_the_rest(self, most: int) -> None:
        """Contradictions among rows that no other uses, so many at most; or else a hyperplane that has those right."""
        packed = self._packing
        free = self._data.norms > 0.0
        for (rows, _), _ in packed.used():
            free[list(rows)] = False
        for _ in range(most):
            which = np.flatnonzero(free)
            if len(which) == 0:
                break
            w, found = packing.separator_or_contradiction(self._data.only(which))
            if found is None:
                self._offer_separator(w, which)
                break
            used = which[list(found.rows)]
            free[used] = False
            packed.add([packing.contradiction(used, found.weights)])
            packed.take_disjoint()

    def _beside_the_wrong(self) -> None:
        """A contradiction for each wrong row, sharing none; rows that have none at all are wrong without need."""
        data, packed = self._data, self._packing
        before = data.n + 1
        while self._upper < before:
            before = self._upper
            for m in packing.disjoint(packing.Beside(data, self._missed), packed):
                if self._missed[m]:
                    which = np.append(np.flatnonzero(~self._missed), m)
                    w, found = packing.separator_or_contradiction(data.only(which))
                    if found is None:
                        self._offer_separator(w, which)
                    else:
                        packed.add([packing.contradiction(which[list(found.rows)], found.weights)])

    def _sharing(self) -> None:
        """Contradictions that share rows by weight."""
        beside = packing.Beside(self._data, self._missed)
        packing.shared(beside, self._packing, self._upper, lambda: self._data.seconds_left)

    def _all_lines(self) -> None:
        """Every hyperplane of a plane."""
        table = rational.integer_rows(self._data, np.arange(self._data.n))
        shift = max(0, table.exponent)
        columns = table.columns.tolist()
        rows = [
            Row([(j, x << shift) for j, x in zip(columns, row, strict=True) if x], 2 ** max(0, -table.exponent))
            for row in table.table
        ]
        plane = Plane(rows)
        while better := plane.better(self._data.n - self._upper, self._data.look):
            w = _beside(better, rows)
            w += [0] * (self._data.width - len(w))
            self._keep(w[: self._data.width], np.array([_dot(w, a) <= 0 for a in rows]))
        self._enumerated = self._packing.lower < self._upper


def _floats(w: list[int]) -> Vector:
    """Integers of any size as floats of which the largest is 1."""
    largest = max(map(abs, w)) or 1
    return np.array([float(Fraction(x, largest)) for x in w])


def _beside(better: Better, rows: list[Row]) -> list[int]:
    """w moved so little towards one side of a that no row but the multiples of a notices."""
    moves = ((abs(_dot(better.w, row)), abs(_dot(better.a, row))) for row in rows)
    large = max((move // left for left, move in moves if left), default=0) + 1
    side = 1 if better.forward else -1
    return [large * x + side * y for x, y in zip(better.w, better.a, strict=True)]


def _dot(w: Sequence[int], a: Row) -> int:
    return sum(w[j] * z for j, z in a.entries)
