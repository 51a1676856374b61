"""A linear learner: the weights, what is counted, and the three ways through the data."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff.engine import decide, sums
from novikoff.engine.decide import NOT_FINITE, STATE, divisor
from novikoff.engine.loops import NOBODY, Signs, climb, cycle, norm_above, rounds, scores
from novikoff.engine.rows import DenseRows, Rows, Vector
from novikoff.learners.state import State, require
from novikoff.theory.exact import root, round_up, sqrt_down, sqrt_up

AT_ZERO = {"mistake": 0, "positive": 1, "negative": -1}
ORDERS = ("given", "first", "worst")

BUDGET = 1 << 25  # stored entries per call of a loop, some 20 ms: Ctrl-C is heard; no result depends on it
PASSES = 1 << 16  # passes per call; no result depends on it
FINITE = sys.float_info.max

# What of the record outlives a pass: integers with their range, counts, and floats from 0 up to.
RANGES = {
    "zero": (-1, 1),
    "margin": (0, 1),
    "auto": (0, 1),
    "unit": (0, 1),
    "rounded": (0, 1),
    "radius_e": (-4096, 4096),
}
COUNTS = ("mistakes", "updates")
FLOATS = {"theta": FINITE, "constant": FINITE, "radius_m": math.nextafter(1.0, 0.0)}

Watch = Callable[[int, int], None]


class Rule(NamedTuple):
    """When to update."""

    zero: int  # the prediction at <w,x> = 0: +1, -1, or 0 for "always a mistake"
    margin: bool = False  # update when y<w,x> <= theta instead of on mistakes
    theta: float = 0.0
    auto: bool = False  # theta = (largest ||x|| so far)^2


class BadRowError(Exception):
    """A row that cannot be learned from: one of the codes of `novikoff.engine.decide`, and where.

    `scores` are those of the rows before it, in the online protocol.
    """

    def __init__(self, code: int, row: int, scores: Vector | None = None) -> None:
        self.code, self.row, self.scores = code, row, scores


class Outcome(NamedTuple):
    """How a run over a data set ended."""

    history: NDArray[np.int64]  # updates in each pass, or the row that each search found (-1: none)
    finished: bool  # the last pass was free of updates
    interrupted: bool


class Journal(Protocol):
    """Keeps a run, so that it can be taken up again after a crash: `LinearLearner.run` is the only caller."""

    def recall(self, learner: LinearLearner) -> tuple[NDArray[np.int64], Any] | None:
        """Put the learner where the kept run stood; its history and, if it shuffles, the generator's state then."""

    def keep(self, learner: LinearLearner, history: list[NDArray[np.int64]], generator: Any) -> None:
        """A good moment to write down where the run stands."""


class LinearLearner:
    """w, with the constant coordinate last, and the counts of a run."""

    def __init__(self, rule: Rule, width: int, constant: float, *, unit: bool, ball: bool = False) -> None:
        self.w: Vector = np.zeros(width + 1)
        self.width, self.shape = width, (width,)
        self.state: Any = np.zeros(1, dtype=STATE)
        state = self.state[0]
        state.zero, state.margin, state.auto, state.theta = rule.zero, rule.margin, rule.auto, rule.theta
        state.constant, state.unit = constant, unit
        self.ball = ball  # radius, margin and bound are reported for rows divided by R
        self.start_norm = 0.0  # ||w|| at the start, rounded up
        self.lower = -math.inf  # margin over the data of the last run
        self.lower_updates = 0  # the number of updates at which `lower` was true

    def copy(self) -> LinearLearner:
        twin = object.__new__(LinearLearner)
        twin.__dict__.update(self.__dict__)
        twin.w, twin.state = self.w.copy(), self.state.copy()
        return twin

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Own the arrays: what joblib maps into memory is read-only, and kernels write."""
        self.__dict__.update(state)
        self.w, self.state = np.array(self.w), np.array(self.state)

    def start_from(self, other: LinearLearner) -> None:
        """The weights of another learner of the same width; nothing counted yet."""
        self.w[:-1] = other.w[: self.width]
        self.w[-1] = other.w[-1] if self.state[0].constant else 0.0
        self.start_norm = sqrt_up(self._sqnorm())

    def widen(self, width: int) -> None:
        """Room for `width` columns: the constant coordinate stays last."""
        if width + 1 > self.w.shape[0]:
            w = np.zeros(max(width, 2 * self.w.shape[0]) + 1)
            w[: self.width] = self.w[: self.width]
            w[-1] = self.w[-1]
            self.w = w
        self.width, self.shape = width, (width,)

    # What is known -----------------------------------------------------------------------------

    @property
    def geometry(self) -> tuple[float, bool]:
        """The constant coordinate, and whether rows are put on the sphere."""
        return float(self.state[0].constant), bool(self.state[0].unit)

    @property
    def zero(self) -> int:
        return int(self.state[0].zero)

    @property
    def theta(self) -> float:
        return float(self.state[0].theta)

    @property
    def mistakes(self) -> int:
        return int(self.state[0].mistakes)

    @property
    def updates(self) -> int:
        return int(self.state[0].updates)

    @property
    def rounded(self) -> bool:
        """Was some update not exactly w + yx, but its nearest floats?"""
        return bool(self.state[0].rounded)

    @property
    def radius(self) -> float:
        """The largest ||x|| so far, rows as learned from."""
        return float(decide.root(float(self.state[0].radius_m), int(self.state[0].radius_e)))

    @property
    def radius_sq(self) -> Fraction:
        """An upper bound on R^2, within its last bits."""
        state = self.state[0]
        # A unit row is divided by its rounded norm, entry by entry: ||x||^2 <= (1 + 2^-53)^2 (1 + 2^-52)^2.
        above = Fraction(1, 2**50) if state.unit else Fraction(1, 2**53)
        return self._radius_sq * (1 + above)

    @property
    def radius_sq_below(self) -> Fraction:
        """A lower bound on it, as close."""
        return self._radius_sq * (1 - Fraction(1, 2**50))

    @property
    def _radius_sq(self) -> Fraction:
        return Fraction(float(self.state[0].radius_m)) * Fraction(2) ** int(self.state[0].radius_e)

    @property
    def upper(self) -> float:
        """No separator of the rows seen has a margin above ||w||/updates (`novikoff.theory.UPPER_END`)."""
        if self.updates == 0 or self.start_norm > 0:
            return math.inf
        along = root(self._sqnorm())[1] / self.updates
        if not self.rounded:
            return round_up(along)
        # w is the sum of M updates but for their rounding: at most 2^-53 ||w_t|| each, where
        # ||w_t||^2 <= 4 t (R^2 + 2 theta), the 4 for the rounding again.
        longest = root(self.updates * (self.radius_sq + 2 * Fraction(self.theta)))[1]
        return round_up(along + longest / 2**52)

    def _sqnorm(self) -> Fraction:
        return sums.to_fraction(sums.exact_sqnorm(self.w))

    # Learning ----------------------------------------------------------------------------------

    def run(
        self,
        rows: Rows,
        signs: Signs,
        order: str,
        max_iter: int,
        shuffle: np.random.RandomState | None,
        watch: Watch | None,
        journal: Journal | None = None,
    ) -> Outcome:
        """Passes (or searches) until one is free of updates, or `max_iter` of them, or Ctrl-C."""
        kept = journal.recall(self) if journal else None
        state = self.state[0]
        n = signs.shape[0]
        budget = self._budget(rows, n)
        turns = np.empty(0, dtype=np.int64)  # the given order
        log = np.empty(min(max_iter, 1 if shuffle else PASSES), dtype=np.int64)
        history: list[NDArray[np.int64]] = []
        generator = None  # what the order of this pass was drawn from
        passes = 0
        interrupted = False
        try:
            if kept:
                history, passes = [kept[0]], len(kept[0])
                if shuffle:
                    shuffle.set_state(kept[1])
            else:
                state.at, state.found, state.done, state.pass_theta = 0, 0, False, state.theta
                if order == "first":
                    self.hardest(rows, signs)  # sees every row, so that R and theta are those of the data
                    state.pass_theta = state.theta
            while passes < max_iter and not state.done:
                if shuffle and (state.at == 0 or not turns.size):
                    generator = shuffle.get_state() if journal else None
                    turns = shuffle.permutation(n)
                page = log[: max_iter - passes]
                if order == "worst":
                    logged = climb(rows, signs, True, self.w, self.state, budget, page)
                else:
                    logged = cycle(rows, signs, turns, order == "first", self.w, self.state, budget, page)
                if logged < 0:
                    raise BadRowError(logged, int(state.row))
                if logged:
                    history.append(page[:logged].copy())
                    passes += logged
                    if watch:
                        watch(passes, int(page[logged - 1]))
                if journal:
                    journal.keep(self, history, shuffle.get_state() if shuffle and state.at == 0 else generator)
        except KeyboardInterrupt:
            interrupted = not state.done
        self.lower = -math.inf
        joined = np.concatenate(history) if history else np.empty(0, dtype=np.int64)
        return Outcome(joined, bool(state.done), interrupted)

    def rounds(self, rows: Rows, signs: Signs) -> Vector:
        """The online protocol, row by row: <w,x> before the label is learned; a sign 0 is no label."""
        out = np.empty(signs.shape[0])
        budget = self._budget(rows, signs.shape[0])
        for start in range(0, signs.shape[0], budget):
            code = rounds(rows, signs, self.w, self.state, start, min(signs.shape[0], start + budget), out)
            if code < 0:
                row = int(self.state[0].row)
                raise BadRowError(code, row, out[:row])
        return out

    def one_pass(self, rows: Rows, signs: Signs) -> None:
        """Each row once, in the given order."""
        state = self.state[0]
        state.at = 0
        turns = np.empty(0, dtype=np.int64)
        log = np.empty(1, dtype=np.int64)
        budget = self._budget(rows, signs.shape[0])
        logged = 0
        while not logged:
            logged = cycle(rows, signs, turns, False, self.w, self.state, budget, log)
        if logged < 0:
            raise BadRowError(logged, int(state.row))

    def hardest(self, rows: Rows, signs: Signs) -> int:
        """The row with the smallest y<w,x>, exactly, ties to the lower row."""
        state = self.state[0]
        state.at, state.found = 0, 0
        log = np.empty(1, dtype=np.int64)
        budget = self._budget(rows, signs.shape[0])
        logged = 0
        while not logged:
            logged = climb(rows, signs, False, self.w, self.state, budget, log)
        if logged < 0:
            raise BadRowError(logged, int(state.row))
        state.at, state.found = 0, 0
        return int(log[0])

    def measure_margin(self, rows: Rows, signs: Signs) -> bool:
        """lower = min y<w,x>/||w|| over the rows, rounded down. Is it positive, before any rounding?"""
        i = self.hardest(rows, signs)
        length_sq = self._sqnorm()
        if length_sq == 0:
            self.lower = -math.inf
            return False
        smallest = sums.to_fraction(sums.exact_dot(rows, i, float(signs[i]), divisor(rows, i), self.w))
        ratio = smallest**2 / length_sq
        self.lower = sqrt_down(ratio) if smallest >= 0 else -sqrt_up(ratio)
        self.lower_updates = self.updates
        return smallest > 0

    def errors(self, rows: Rows, signs: Signs) -> int:
        """How many of the rows w misclassifies, by the convention at zero."""
        sides = signs * np.sign(self.scores(rows, signs.shape[0]))
        return int(np.sum((sides < 0) | ((sides == 0) & (signs != self.zero))))

    def scores(self, rows: Rows, n: int) -> Vector:
        """<w, row> for every row, with the exact sign."""
        out = np.empty(n)
        budget = self._budget(rows, n)
        for start in range(0, n, budget):
            row = scores(rows, self.w, start, min(n, start + budget), out)
            if row != NOBODY:
                raise BadRowError(NOT_FINITE, row)
        return out

    @staticmethod
    def _budget(rows: Rows, n: int) -> int:
        stored = rows.X.size if isinstance(rows, DenseRows) else rows.data.size
        return max(1, BUDGET // (stored // max(1, n) + 8))

    # To keep and take up again ------------------------------------------------------------------

    def write_state(self, state: State) -> None:
        """All that later decisions depend on.

        Where a pass stands is left out, since every pass starts anew; so is the
        bound on ||w||, which depends on where the loops returned to Python, and is found again from w.
        """
        record = self.state[0]
        state.arrays["w"] = self.w  # with the room for columns to come: the error of the filter counts it
        for name in (*RANGES, *COUNTS):
            state.values[name] = int(record[name])
        for name in FLOATS:
            state.values[name] = float(record[name])
        state.values |= {
            "ball": self.ball,
            "start_norm": float(self.start_norm),
            "lower": float(self.lower),
            "lower_updates": self.lower_updates,
        }

    @classmethod
    def from_state(cls, state: State) -> LinearLearner:
        """The learner again."""
        w = state.array("w", "<f8", None)
        width = state.width
        require(w.shape[0] > width, f"it has {width} columns, but {w.shape[0]} weights: one more is the least")
        require(np.isfinite(w).all(), "a weight is not finite")
        require(not w[width:-1].any(), "a column that does not exist yet has a weight")
        learner = cls(Rule(zero=0), 0, 0.0, unit=False, ball=state.flag("ball"))
        learner.w, learner.width, learner.shape = w, width, (width,)
        record = learner.state[0]
        state.values.setdefault("rounded", 1)  # older files do not say: the weaker promise is the safe one
        for name, (least, most) in RANGES.items():
            record[name] = state.integer(name, least, most)
        for name in COUNTS:
            record[name] = state.integer(name)
        for name, largest in FLOATS.items():
            record[name] = state.number(name, 0.0, largest)
        record.radius_sq = decide.power(float(record.radius_m), int(record.radius_e))
        require(
            record.radius_m >= 0.5 or record.radius_m == record.radius_e == 0,
            "radius_m is not a mantissa: from 1/2 up to 1, or 0 before the first row",
        )
        require(not record.auto or record.theta == record.radius_sq, "theta is not the square of the largest norm")
        record.pass_theta = record.theta
        record.norm = norm_above(w)
        learner.start_norm = state.number("start_norm", 0.0)
        learner.lower = state.number("lower")
        learner.lower_updates = state.integer("lower_updates")
        return learner
