"""A linear learner: the weights, what is counted, and the three ways through the data."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff.engine import decide, sums
from novikoff.engine.byte_copy import ByteCopy
from novikoff.engine.decide import STATE, THETA_RANGE
from novikoff.engine.keeping import LAST, Average, Survivors, in_passes
from novikoff.engine.loops import (
    TRACE,
    Signs,
    climb,
    cycle,
    norm_above,
    quiet,
    rank_dense,
    rounds,
    rounds_of_heads,
    score_dense,
    scores,
    scores_of_heads,
)
from novikoff.engine.order import GIVEN, Group, Order
from novikoff.engine.rows import BadRowError, Rows, radius_sq, rounded_radius_sq, sqnorm
from novikoff.engine.rule import Facts, Rule
from novikoff.engine.storage import Storage, Vector
from novikoff.engine.trace import Trace
from novikoff.engine.weights import Heads, Plane, Weights
from novikoff.learners.state import State, require
from novikoff.theory.exact import root, round_up, sqrt_down, sqrt_up

NextRow = Literal["given", "first", "worst"]
Hypothesis = Literal["best", "average", "last"]

PASSES = 1 << 16  # passes per call; no result depends on it
FINITE = sys.float_info.max

# What of the record outlives a pass: integers with their range, counts, and floats from 0 up to.
RANGES = {"unit": (0, 1), "rounded": (0, 1), "radius_e": (-4096, 4096)}
COUNTS = ("mistakes", "updates", "rounds")
WEIGHTS = ("least_weight", "most_weight", "weight")
FLOATS = {"theta": FINITE, "constant": FINITE, "radius_m": math.nextafter(1.0, 0.0), "steps": FINITE}
FLOATS |= dict.fromkeys(WEIGHTS, FINITE)
# And what is needed to go on in the middle of one.
PLACE = ("at", "found", "done", "turns", "pass_mistakes")
PLACE_FLOATS = ("pass_theta", "loss")

# Of a run for the best hypothesis: so much of its passes may go into counting errors, of so many hypotheses at least
# and at most; and the bytes that those before the last may take (one is always kept).
SHARE, FEWEST, MOST = 10, 2, 16
ROOM = 1 << 27

NO_TRACE = np.empty(0, dtype=TRACE)
NO_TALLY = np.empty(0, dtype=np.uint32)

VIEWS = ("w", "weights", "kept", "aside", "kind")  # of W and of other attributes

Watch = Callable[[int, int], object]  # passes so far, what the last one found -> is that enough?


class Outcome(NamedTuple):
    """How a run over a data set ended."""

    history: NDArray[np.int64]  # updates in each pass, or the row that each search found (-1: none)
    finished: bool  # the last pass was free of updates
    interrupted: bool
    stopped: bool = False  # by who watched it


class Journal(Protocol):
    """Keeps a run, so that it can be taken up again after a crash: `LinearLearner.run` is the only caller."""

    def recall(self, learner: LinearLearner) -> tuple[NDArray[np.int64], int | None] | None:
        """Put the learner where the kept run stood; its history and, if it shuffles, the seed of its order."""

    def keep(self, learner: LinearLearner, history: list[NDArray[np.int64]], seed: int | None) -> None:
        """A good moment to write down where the run stands."""


class LinearLearner:
    """W, the weights of each head with the constant coordinate last, and the counts of a run.

    Two classes have one head, ``w``; more have one each. What predicts, `shown`, is that; or, if there are averages,
    the mean of the W after all rounds; or, after a run for the best hypothesis and until W changes, ``chosen``.
    """

    w: Vector  # of two classes
    weights: Weights  # what loops get
    kept: Any  # what they keep beside it: a `novikoff.engine.keeping.Kept`
    aside: bool  # is what predicts not W?
    kind: Any  # which machine code learns one example: see `novikoff.engine.loops.ByKind`

    def __init__(
        self, rule: Rule, width: int, constant: float, *, unit: bool, ball: bool = False, heads: int = 1
    ) -> None:
        self.W: NDArray[np.float64] = np.zeros((heads, width + 1))
        self.rule = rule
        self.state: Any = np.zeros(1, dtype=STATE)
        state = self.state[0]
        state.theta = rule.threshold(0.0)
        state.constant, state.unit = constant, unit
        self.ball = ball  # radius, margin and bound are reported for rows divided by R
        self.start_norm = 0.0  # ||w|| at the start, rounded up
        self.tilt: NDArray[np.float64] | None = None  # U of the averages (`novikoff.engine.keeping`)
        self.chosen: LinearLearner | None = None  # its weights are those that a run returned in the place of W
        self.lower = -math.inf  # margin of what predicts, over the data of the last run
        self.lower_changes = 0  # the number of `changes` at which `lower` was true
        self.run_rows = 0  # of the last run
        self.first_mistakes = -1  # those of its first pass; -1 before the end of that, and of searches
        self.support = -1  # on how many of the rows it updated; -1 if they were not counted
        self.tally = NO_TALLY  # while it runs, how often on each, if they are counted
        self._set_width(width)

    def _set_width(self, width: int) -> None:
        self.width, self.shape = width, (width,)
        if len(self.W) == 1:
            self.w = self.W[0]
        self.weights = _weights(self.W)
        self.kept = LAST if self.tilt is None else Average(_weights(self.tilt), _weights(np.zeros_like(self.W)))
        self.aside = self.tilt is not None or self.chosen is not None
        self.kind = type(self.rule) if self.tilt is None else (type(self.rule), Average)

    def copy(self) -> LinearLearner:
        twin = object.__new__(LinearLearner)
        twin.__dict__.update(self.__dict__)
        twin._own()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in VIEWS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Own the arrays: what joblib maps into memory is read-only, and kernels write."""
        self.__dict__.update(state)
        self._own()

    def _own(self) -> None:
        self.W, self.state = np.array(self.W), np.array(self.state)
        self.tilt = None if self.tilt is None else np.array(self.tilt)
        self.chosen = None if self.chosen is None else self.chosen.copy()
        self._set_width(self.width)

    def anew(self) -> LinearLearner:
        """A learner by the same rule, on such rows, with as many heads, that has seen nothing."""
        constant, unit = self.geometry
        twin = LinearLearner(self.rule, self.width, constant, unit=unit, ball=self.ball, heads=len(self.W))
        if self.tilt is not None:
            twin.average()
        return twin

    def mirrored(self) -> LinearLearner:
        """Of two classes: what it would be, had they been named the other way round (and 0 is always a mistake)."""
        twin = self.copy()
        twin.W = 0.0 - self.W  # without a zero that is negative, which no run has
        twin.tilt = None if self.tilt is None else 0.0 - self.tilt
        twin.chosen = None if self.chosen is None else self.chosen.mirrored()
        twin._set_width(self.width)
        return twin

    def lie_in(self, W: NDArray[np.float64], tilt: NDArray[np.float64] | None, state: Any) -> None:
        """Move into arrays of the same shapes, of which somebody else has the whole."""
        W[:], state[:] = self.W, self.state
        if tilt is not None:
            tilt[:] = self.tilt
        self.W, self.tilt, self.state = W, tilt, state
        self._set_width(self.width)

    def is_like(self, other: Any) -> bool:
        """Has it as many columns and heads?"""
        return type(other) is LinearLearner and (self.width, len(self.W)) == (other.width, len(other.W))

    def start_from(self, other: LinearLearner) -> None:
        """The weights of another learner of the same width and classes; nothing counted yet."""
        self.W[:, :-1] = other.W[:, : self.width]
        self.W[:, -1] = other.W[:, -1] if self.state[0].constant else 0.0
        self.start_norm = sqrt_up(self.sqnorm)

    @property
    def sqnorm(self) -> Fraction:
        """||w||^2, exactly; of many classes ||W||^2/2, so that two heads w and -w have that of w."""
        return sqnorm(self.w) if len(self.W) == 1 else sum(map(sqnorm, self.W), Fraction(0)) / 2

    def widen(self, width: int) -> None:
        """Room for `width` columns: the constant coordinate stays last."""
        if self.chosen is not None:
            self.chosen.widen(width)
        room = self.W.shape[1]
        if width + 1 > room:
            self._make_room(max(width, 2 * room) + 1)
        self._set_width(width)

    def _make_room(self, room: int) -> None:
        self.W = _wider(self.W, self.width, room)
        self.tilt = None if self.tilt is None else _wider(self.tilt, self.width, room)

    def fill(self, room: int) -> None:
        """Have so many entries, of which those of no column are 0."""
        if self.chosen is not None:
            self.chosen.fill(room)
        self._make_room(room)
        self._set_width(self.width)

    def add_heads(self, heads: int) -> None:
        """Room for so many heads; new ones are 0. The one of two classes becomes w for the second, -w for the first."""
        if heads == len(self.W):
            return
        self.W, self.lower = _more_heads(self.W, heads), -math.inf
        self.tilt = None if self.tilt is None else _more_heads(self.tilt, heads)
        if self.chosen is not None:
            self.chosen.add_heads(heads)
        self._set_width(self.width)

    # What predicts ------------------------------------------------------------------------------

    def average(self) -> None:
        """Return the mean of the hypotheses after all rounds from now on: before the first one."""
        self.tilt = np.zeros_like(self.W)
        self._set_width(self.width)

    def keep_survivors(self, passes: int) -> None:
        """For `choose_best` after a run of so many passes at most."""
        places = self.places(passes)
        lived, born, since = (np.zeros(size, dtype=np.int64) for size in (places, places, 1))
        self.kept = Survivors(np.zeros((places, *self.W.shape)), lived, born, since)

    def places(self, passes: int) -> int:
        """How many survivors are kept in a run of so many passes."""
        return max(1, min(_counts(passes) - 1, ROOM // self.W.nbytes))

    @property
    def hypothesis(self) -> NDArray[np.float64]:
        """The weights that predict, as W has them."""
        if self.chosen is not None:
            return self.chosen.W
        return self.W if self.tilt is None else mean(self.W, self.tilt, self.rounds_made)

    @property
    def shown(self) -> LinearLearner:
        """What predicts: this learner, or one with other weights, which never learns."""
        return self._with(self.hypothesis) if self.tilt is not None else self.chosen or self

    def _with(self, W: NDArray[np.float64]) -> LinearLearner:
        twin = object.__new__(LinearLearner)
        twin.__dict__.update(self.__dict__)
        twin.W, twin.tilt, twin.chosen, twin.state = W, None, None, np.array(self.state)
        twin._set_width(self.width)
        twin.state[0].norm = norm_above(twin.weights)
        return twin

    def return_state(self) -> None:
        """W has had a round: from now on it predicts, unless there are averages."""
        if self.chosen is not None:
            self.lower = -math.inf
        self.chosen = None
        self.aside = self.tilt is not None

    def score_aside(self, example: Any) -> float:
        """<w,x> with the exact sign for what predicts two classes where that is not w.

        The example is a vector, or a pair of columns and values: no other weights are looked at.
        """
        twin, values = self._at(example)
        return float(score_dense(values, twin.w, twin.state))

    def rank_aside(self, example: Any) -> int:
        """The same for many classes: the place of the largest score, or UNDECIDED."""
        twin, values = self._at(example)
        assert isinstance(twin.weights, Heads)
        return int(rank_dense(values, twin.weights, twin.state))

    def _at(self, example: Any) -> tuple[LinearLearner, NDArray[Any]]:
        """What predicts, at the columns of an example, and its values there."""
        columns, values = example if isinstance(example, tuple) else (np.arange(self.width), example)
        return self._with(self.hypothesis_at(columns)), values

    def hypothesis_at(self, columns: NDArray[Any]) -> NDArray[np.float64]:
        """`hypothesis` at these columns, and the constant coordinate."""
        if self.chosen is not None:
            return columns_of(self.chosen.W, columns)
        W = columns_of(self.W, columns)
        return W if self.tilt is None else mean(W, columns_of(self.tilt, columns), self.rounds_made)

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """<w,x> of every row with the exact sign; of many classes a column for each, right at the top."""
        weights = self.shown.weights
        return rows.rankings(weights) if isinstance(weights, Heads) else rows.scores(weights.w)

    # What is known -----------------------------------------------------------------------------

    @property
    def geometry(self) -> tuple[float, bool]:
        """The constant coordinate, and whether rows are put on the sphere."""
        return float(self.state[0].constant), bool(self.state[0].unit)

    @property
    def zero(self) -> int:
        return self.rule.zero

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
    def rounds_made(self) -> int:
        """Rows that had their turn with a label, or searches."""
        return int(self.state[0].rounds)

    @property
    def changes(self) -> int:
        """How often what predicts may have changed: at every update, or in every round of an average."""
        return self.updates if self.tilt is None else self.rounds_made

    @property
    def bounded(self) -> int:
        """How many there were of what the theorem bounds."""
        return self.mistakes if self.rule.bounds() == "mistakes" else self.updates

    @property
    def noun(self) -> str:
        """What that is, in a word."""
        return "mistake" if self.bounded == self.mistakes else "update"

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
        return radius_sq(self.state[0], bool(self.state[0].unit))

    @property
    def radius_sq_below(self) -> Fraction:
        """A lower bound on it, as close."""
        return rounded_radius_sq(self.state[0]) * (1 - Fraction(1, 2**50))

    @property
    def facts(self) -> Facts:
        """What the theorem of the rule is asked with."""
        # Adding up M lengths in floats rounds by at most M 2^-53 of the sum; whole ones not at all.
        steps = Fraction(float(self.state[0].steps))
        if steps != self.updates or self.weighed:
            steps *= 1 - Fraction(self.updates, 2**52)
        start, theta = Fraction(self.start_norm), Fraction(self.theta)
        least, most = map(Fraction, self._weights_between)
        return Facts(self.radius_sq, theta, start, self.updates, steps, self.rounded, least, most)

    @property
    def _weights_between(self) -> tuple[float, float]:
        """The least and the largest weight of an example that it updated on."""
        record = self.state[0]
        return (float(record.least_weight), float(record.most_weight)) if self.updates else (1.0, 1.0)

    @property
    def weight(self) -> float:
        """The weights of the updates in all: their number, if no example had one."""
        return float(self.state[0].weight)

    @property
    def weighed(self) -> bool:
        """Did an example that it updated on have a weight other than 1?"""
        return self._weights_between != (1.0, 1.0)

    @property
    def upper(self) -> float:
        """No separator of the rows seen has a margin above ||w||/(sum of the steps) (`novikoff.theory.UPPER_END`)."""
        run = self.facts
        if run.updates == 0 or run.start > 0 or not self.state[0].steps < FINITE:
            return math.inf
        along = root(self.sqnorm)[1] / run.steps
        if not run.rounded:
            return round_up(along)
        # w is the sum of the M steps but for their rounding: at most 2^-53 ||w_t|| each, as much again for the product
        # step x, and ||w_t|| is at most twice the rule's `longest`.
        return round_up(along + self.rule.longest(run) * run.updates / run.steps / 2**52)

    # Learning ----------------------------------------------------------------------------------

    def run(
        self,
        rows: Rows,
        order: str = "given",
        max_iter: int = 1,
        *,
        seed: int | None = None,
        watch: Watch | None = None,
        each_pass: bool = False,
        journal: Journal | None = None,
        trace: Trace | None = None,
        tally: NDArray[np.uint32] | None = None,
        enough: int | None = None,
        byte_copy: str | bool = False,
    ) -> Outcome:
        """Passes (or searches) until one satisfies the rule, or `max_iter` of them, or Ctrl-C.

        With a ``seed`` each pass goes in an order of its own: see `novikoff.engine.order`. ``trace`` gets every update,
        ``tally`` how many there were on each row. After ``enough`` updates no new pass begins, nor after one of which
        ``watch`` says that it is enough; with ``each_pass`` it sees every one. ``byte_copy``: see
        `novikoff.engine.byte_copy`; for passes in the given order or shuffled.
        """
        kept = journal.recall(self) if journal else None
        self.return_state()
        rows.open(self)
        state = self.state[0]
        page = NO_TRACE if trace is None else trace.page
        counts = NO_TALLY if tally is None else tally
        counted = len(counts) > 0 and (kept is None or len(self.tally) == len(counts))
        if kept and counted:
            counts[:] = self.tally
        self.tally = counts
        bytes_beside = ByteCopy(rows, byte_copy if order == "given" and len(self.W) == 1 else False, max_iter)
        one_by_one = enough is not None or each_pass or bytes_beside.possible
        log = np.empty(min(max_iter, 1 if one_by_one else PASSES), dtype=np.int64)
        history: list[NDArray[np.int64]] = []
        passes = 0
        interrupted = stopped = False
        self.run_rows = rows.n
        try:
            if kept:
                history, passes, seed = [kept[0]], len(kept[0]), kept[1]
            else:
                self.first_mistakes = -1
                if order == "first":
                    self.see(rows)  # R and theta are those of the data from the beginning
                self.begin()
            shuffled = None if seed is None else Order(rows.n, seed)
            before = -1  # the updates when the last group began
            mistaken = int(state.pass_mistakes)  # before the first pass, if that has not ended
            while passes < max_iter and not state.done and (enough is None or self.updates < enough):
                room = log[: max_iter - passes if passes else 1]  # the loop returns after the first pass
                data = bytes_beside.storage, rows.signs, rows.importance
                if order == "worst":
                    logged = climb(*data, self.weights, self.kept, self.rule, self.state, rows.pace, room, page, counts)
                else:
                    here = int(state.turns), int(state.at)
                    group = shuffled.group_from(*here) if shuffled else None
                    calm, before = (self.updates == before, self.updates) if group else (False, before)
                    if group and calm and self._is_quiet(group, data[:2], rows.pace):
                        state.at += group.size
                        state.rounds += group.size
                        logged = state.traced = 0
                    else:
                        turns, base = shuffled.ahead(*here) if shuffled else GIVEN
                        way = *data, turns, base, order == "first", self.weights, in_passes(self.kept)
                        logged = cycle(*way, self.rule, self.state, rows.pace, room, page, counts)
                if logged < 0:
                    raise BadRowError(logged, int(state.row))
                if trace is not None:
                    trace.turn_page(int(state.traced))
                if logged:
                    if passes == 0 and order == "given":
                        self.first_mistakes = int(state.mistakes) - mistaken
                    history.append(room[:logged].copy())
                    passes += logged
                    if not state.done and passes < max_iter:
                        bytes_beside.note(int(room[logged - 1]))
                    stopped = bool(watch and watch(passes, int(room[logged - 1]))) and not state.done
                if journal:
                    journal.keep(self, history, seed)
                if stopped:
                    break
        except KeyboardInterrupt:
            interrupted = not state.done
        self.support, self.tally = int(np.count_nonzero(counts)) if counted else -1, NO_TALLY
        self.lower = -math.inf
        joined = np.concatenate(history) if history else np.empty(0, dtype=np.int64)
        return Outcome(joined, bool(state.done), interrupted, stopped)

    def _is_quiet(self, group: Group, data: tuple[Storage, Signs], pace: int) -> bool:
        """Would no row of the group do anything in its turn? Then they may be read as memory and files like it."""
        step = max(1, pace // group.block)
        return all(
            quiet(*data, GIVEN[0], group.starts[k : k + step], group.block, self.weights, self.state)
            for k in range(0, len(group.starts), step)
        )

    def begin(self) -> None:
        """At the first row of a first pass."""
        state = self.state[0]
        for name in (*PLACE, *PLACE_FLOATS):
            state[name] = 0
        state.pass_theta, state.pass_mistakes = state.theta, state.mistakes

    def see(self, rows: Rows) -> None:
        """Let the radius, and the threshold that goes with it, be no less than those of all the rows."""
        state, seen = self.state[0], rows.survey()
        rows.reader = self
        if (seen.radius_e, seen.radius_m) <= (state.radius_e, state.radius_m) and state.radius_m:
            return
        if not decide.has_threshold(self.rule, float(seen.radius_sq)):
            raise BadRowError(THETA_RANGE, int(np.argmax(rows.norms)))
        state.radius_m, state.radius_e, state.radius_sq = seen.radius_m, seen.radius_e, seen.radius_sq
        state.theta = self.rule.threshold(float(seen.radius_sq))

    def one_pass(self, rows: Rows) -> None:
        """Each row once, in the given order."""
        self.begin()
        rows.open(self)
        log = np.empty(1, dtype=np.int64)
        way = rows.storage, rows.signs, rows.importance, *GIVEN, False
        kept, logged = in_passes(self.kept), 0
        while not logged:
            logged = cycle(*way, self.weights, kept, self.rule, self.state, rows.pace, log, NO_TRACE, NO_TALLY)
        if logged < 0:
            raise BadRowError(logged, int(self.state[0].row))
        self.return_state()

    def rounds(self, rows: Rows) -> NDArray[np.float64]:
        """The online protocol, row by row: <w,x> before the label is learned; a sign 0, or a class -1, is no label."""
        rows.open(self)
        many = len(self.W) > 1
        loop: Any = rounds_of_heads if many else rounds
        out = np.empty((rows.n, len(self.W)) if many else rows.n)
        known = np.flatnonzero(rows.signs >= 0 if many else rows.signs)
        first = int(known[0]) if len(known) else rows.n  # up to here ``chosen`` predicts, if there is one
        before = self._chosen_scores(rows, first + 1, out)
        for start in range(0, rows.n, rows.pace):
            stop = min(rows.n, start + rows.pace)
            code = loop(rows.storage, rows.signs, self.weights, self.kept, self.rule, self.state, start, stop, out)
            if code < 0:
                row = int(self.state[0].row)
                out[: len(before)] = before
                if row > first:
                    self.return_state()
                raise BadRowError(code, row, out[:row])
        out[: len(before)] = before
        if len(known):
            self.return_state()
        return out

    def _chosen_scores(self, rows: Rows, stop: int, like: NDArray[np.float64]) -> NDArray[np.float64]:
        """Those of the first rows, from the weights that a run returned in the place of W; none if it did not."""
        out = np.empty_like(like[: 0 if self.chosen is None else stop])
        if self.chosen is not None:
            loop: Any = scores_of_heads if len(self.W) > 1 else scores
            weights = self.chosen.weights if len(self.W) > 1 else self.chosen.w
            loop(rows.storage, weights, 0, len(out), out)
        return out

    def examine(self, rows: Rows) -> tuple[bool, int]:
        """Does what predicts separate the rows, and how many does it misclassify, by the convention at zero?

        lower = min p/||w|| over the rows, rounded down.
        """
        self.lower = -math.inf
        shown = self.shown
        return self._found(rows, shown, *rows.examine(shown.weights, self.zero))

    def choose_best(self, rows: Rows, passes: int) -> tuple[bool, int, int]:
        """After a run of so many passes: return, of its last hypothesis and those that survived longest, the one with
        the fewest errors, by their weights; ties to the last, then to who survived longer. If the last has none, no
        other is counted.

        As `examine` for the chosen one, and how many were counted.
        """
        self.lower = -math.inf
        best, (hardest, errors, loss) = self, self._errors(rows)
        survivors = self._survivors(_counts(passes) - 1) if errors else []
        for W in survivors:
            other = self._with(W)
            found, wrong, lost = other._errors(rows)
            if lost < loss:
                best, hardest, errors, loss = other, found, wrong, lost
        self.chosen = None if best is self else best
        self._set_width(self.width)
        return *self._found(rows, best, hardest, errors), 1 + len(survivors)

    def _errors(self, rows: Rows) -> tuple[int, int, float]:
        """The row of the smallest p, how many W misclassifies, and their weights in all."""
        missed = np.zeros(len(rows.importance), dtype=np.bool_)
        hardest, errors = rows.examine(self.weights, self.zero, missed)
        return hardest, errors, math.fsum(rows.importance[missed]) if len(missed) else errors

    def _survivors(self, most: int) -> list[NDArray[np.float64]]:
        """Those that survived longest, ties to the earlier."""
        kept = self.kept
        assert isinstance(kept, Survivors)
        order = np.lexsort((kept.born, -kept.lived))[:most]
        return [kept.W[place].copy() for place in order if kept.lived[place]]

    def _found(self, rows: Rows, shown: LinearLearner, hardest: int, errors: int) -> tuple[bool, int]:
        length_sq = shown.sqnorm
        if length_sq == 0:
            return False, errors
        smallest = rows.product_with(hardest, shown.weights)
        ratio = smallest**2 / length_sq
        self.lower = sqrt_down(ratio) if smallest >= 0 else -sqrt_up(ratio)
        self.lower_changes = self.changes
        return smallest > 0, errors

    # To keep and take up again ------------------------------------------------------------------

    def write_state(self, state: State, *, running: bool = False) -> None:
        """All that later decisions depend on; in the middle of a run, where it stands, too.

        The bound on ||w|| is left out: it depends on where the loops returned to Python, and is found again from w.
        """
        record = self.state[0]
        # With the room for columns to come: the error of the filter counts it.
        state.arrays["w"] = self.w if len(self.W) == 1 else self.W
        if self.tilt is not None:
            state.arrays["tilt"] = self.tilt
        if self.chosen is not None:
            state.arrays["chosen"] = self.chosen.W
        if running and isinstance(self.kept, Survivors):
            places, heads, room = self.kept.W.shape
            state.arrays["survivors"] = self.kept.W.reshape(places * heads, room)
            state.arrays["survivors_lived"] = self.kept.lived
            state.arrays["survivors_born"] = self.kept.born
            state.values["survivors_since"] = int(self.kept.since[0])
        if running and len(self.tally):
            state.arrays["updated_on"] = np.packbits(self.tally > 0)
        for name, value in self.rule._asdict().items():
            state.values[f"rule_{name}"] = value
        for name in (*RANGES, *COUNTS, *(PLACE if running else ())):
            state.values[name] = int(record[name])
        for name in (*FLOATS, *(PLACE_FLOATS if running else ())):
            state.values[name] = float(record[name])
        state.values |= {
            "ball": self.ball,
            "start_norm": float(self.start_norm),
            "lower": float(self.lower),
            "lower_updates": self.lower_changes,
            "run_rows": self.run_rows,
            "first_mistakes": self.first_mistakes,
            "support": self.support,
        }

    @classmethod
    def from_state(cls, state: State, kind: type[Any], *, running: bool = False) -> LinearLearner:
        """The learner again, whose rule is of this kind."""
        W = np.atleast_2d(state.array("w", "<f8", *([None] * state.dimensions("w"))))
        width, (heads, entries) = state.width, W.shape
        require(heads == 1 or heads > 2, f"it has {heads} vectors of weights: two classes have one")
        require(entries > width, f"it has {width} columns, but {entries} weights: one more is the least")
        require(np.isfinite(W).all(), "a weight is not finite")
        require(not W[:, width:-1].any(), "a column that does not exist yet has a weight")
        _from_older_files(state)
        rule = kind(*(state.like(f"rule_{name}", kind._field_defaults[name]) for name in kind._fields))
        require(rule.is_sound(), f"no {kind.__name__} has the parameters {tuple(rule)}")
        learner = cls(rule, 0, 0.0, unit=False, ball=state.flag("ball"))
        learner.W = W
        if "tilt" in state.arrays:
            learner.tilt = state.array("tilt", "<f8", *learner.W.shape)
            require(np.isfinite(learner.tilt).all(), "what it averages with is not finite")
        learner._set_width(width)
        record = learner.state[0]
        for name, (least, most) in RANGES.items():
            record[name] = state.integer(name, least, most)
        for name in (*COUNTS, *(PLACE if running else ())):
            record[name] = state.integer(name)
        for name, largest in FLOATS.items():
            record[name] = state.number(name, 0.0, largest)
        record.radius_sq = sums.power(float(record.radius_m), int(record.radius_e))
        require(
            record.radius_m >= 0.5 or record.radius_m == record.radius_e == 0,
            "radius_m is not a mantissa: from 1/2 up to 1, or 0 before the first row",
        )
        theta = rule.threshold(float(record.radius_sq))
        require(record.theta == theta, "theta is not that of the rule and the largest norm")
        record.pass_theta = record.theta
        for name in PLACE_FLOATS if running else ():
            record[name] = state.number(name, 0.0, FINITE)
        record.norm = norm_above(learner.weights)
        learner.run_rows = state.integer("run_rows")
        learner.first_mistakes = state.integer("first_mistakes", -1, learner.run_rows)
        learner.support = state.integer("support", -1, learner.run_rows)
        if running and "updated_on" in state.arrays:
            marks = state.array("updated_on", "|u1", (learner.run_rows + 7) // 8)
            learner.tally = np.unpackbits(marks, count=learner.run_rows).astype(np.uint32)
        if "chosen" in state.arrays:
            chosen = state.array("chosen", "<f8", *learner.W.shape)
            require(np.isfinite(chosen).all(), "a weight of the hypothesis that it returns is not finite")
            learner.chosen = learner._with(chosen)
            learner._set_width(width)
        if running and "survivors" in state.arrays:
            learner.kept = _survivors_of(state, learner)
        learner.start_norm = state.number("start_norm", 0.0)
        learner.lower = state.number("lower")
        learner.lower_changes = state.integer("lower_updates")
        return learner


def _unweighted(values: dict[str, Any]) -> None:
    """What a file says of before there were weights."""
    updates = values.get("updates")
    if type(updates) is int and 0 <= updates < 2**62:  # else it is refused where it is read
        values.setdefault("least_weight", float(updates > 0))
        values.setdefault("most_weight", float(updates > 0))
        values.setdefault("weight", float(updates))


def _survivors_of(state: State, learner: LinearLearner) -> Survivors:
    lived = state.array("survivors_lived", "<i8", None)
    places, (heads, room) = len(lived), learner.W.shape
    require(places > 0 and lived.min() >= 0, "no hypothesis survives fewer rounds than none")
    W = state.array("survivors", "<f8", places * heads, room).reshape(places, heads, room)
    require(np.isfinite(W).all(), "a weight of a hypothesis that survived is not finite")
    born = state.array("survivors_born", "<i8", places)
    return Survivors(W, lived, born, np.array([state.integer("survivors_since")]))


def _from_older_files(state: State) -> None:
    """Files of before there were rules: what they do not say, and what they say otherwise."""
    values = state.values
    values.setdefault("rounded", 1)  # the weaker promise is the safe one
    values.setdefault("run_rows", 0)  # not known, as of a stream
    values.setdefault("first_mistakes", -1)
    values.setdefault("support", -1)
    values.setdefault("rounds", 0)  # which averages alone divide by
    if "zero" not in values:
        _unweighted(values)
        return
    values["steps"] = float(state.integer("updates"))
    values["updates"] = int(values["steps"])
    _unweighted(values)
    values["rule_zero"] = state.integer("zero", -1, 1)
    auto = state.integer("auto", 0, 1)
    if state.integer("margin", 0, 1):
        values["rule_auto"] = bool(auto)
        values["rule_theta"] = 0.0 if auto else state.peek("theta")


def mean(W: NDArray[np.float64], tilt: NDArray[np.float64], rounds: int) -> NDArray[np.float64]:
    """W - tilt/rounds, a mean of floats: where rounding leads out of them, the largest is meant."""
    return np.clip(W - tilt / max(1, rounds), -FINITE, FINITE)


def _weights(W: NDArray[np.float64]) -> Weights:
    """As loops get them."""
    return Plane(W[0]) if len(W) == 1 else Heads(W, np.zeros(len(W)))


def _wider(W: NDArray[np.float64], width: int, room: int) -> NDArray[np.float64]:
    """With so many entries: the constant coordinate stays last."""
    wider = np.zeros((len(W), room))
    wider[:, :width] = W[:, :width]
    wider[:, -1] = W[:, -1]
    return wider


def _more_heads(W: NDArray[np.float64], heads: int) -> NDArray[np.float64]:
    """So many heads, of which the new ones are 0. Of two classes the second has w, and the first -w."""
    more = np.zeros((heads, W.shape[1]))
    more[: max(2, len(W))] = np.stack([-W[0], W[0]]) if len(W) == 1 else W
    return more


def columns_of(W: NDArray[np.float64], columns: NDArray[Any]) -> NDArray[np.float64]:
    """These columns, and the constant coordinate, row after row in memory."""
    return np.ascontiguousarray(np.concatenate([W[:, columns], W[:, -1:]], axis=1))


def _counts(passes: int) -> int:
    """How many hypotheses may have their errors counted after so many passes."""
    return max(FEWEST, min(passes // SHARE, MOST))
