"""Heads that are learned apart: a learner of two classes for each class against the rest, or for each pair of classes.

Each head is the learner that it would be alone, to the bit: with the sign of a class on its side as the label, it meets
the rows of the classes that it sets apart, and no others, in the order that so many rows have. What it has cannot be
told from a separate run: its own counts, its own hypothesis, its own theorem.

Together they predict: of one against the rest the class of the largest score, compared exactly as those of
`novikoff.engine.heads`; of one against one the class with the most votes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.abreast import Abreast, Averages, KeptOfAll, Stacked, SurvivorsOfAll, Together, together
from novikoff.engine.csr import CsrRows
from novikoff.engine.decide import NOT_FINITE
from novikoff.engine.heads import Heads
from novikoff.engine.loops import UNDECIDED, Signs, learn_dense64, learn_sparse64, norm_above, score_dense64
from novikoff.engine.order import GIVEN, Order
from novikoff.engine.plane import LARGEST, Plane
from novikoff.engine.rows import BadRowError, Rows
from novikoff.engine.rule import Rule
from novikoff.learners.linear import COUNTS, FLOATS, RANGES, LinearLearner, Outcome, Watch, columns_of
from novikoff.learners.state import State, require

Multiclass = Literal["joint", "one-vs-rest", "one-vs-one"]
JOINT, REST, PAIRS = get_args(Multiclass)

ALL_OTHERS = -1  # the negative side of a division, where that is the rest
Division = tuple[int, int]  # the class on the negative side, and that on the positive one

NOTHING = np.empty(0, dtype=np.int64)
NO_TALLY = np.empty(0, dtype=np.uint64)
TOGETHER = 64  # heads that read the rows together, at most: a bit for each is in 64
ROOM = 1 << 28  # bytes for the survivors of those, if that is enough for one

# Of the state of a learner: what all heads have in common, beside the rule, and what each has of its own.
COMMON = ("ball", "constant", "unit")
OWN = (*sorted({*RANGES, *COUNTS, *FLOATS} - {*COMMON}), "start_norm", "lower", "lower_updates")
OWN += ("run_rows", "first_mistakes", "support")


def divisions(kind: str, classes: int) -> list[Division]:
    """What each head sets apart, in order."""
    if kind == REST:
        return [(ALL_OTHERS, positive) for positive in range(classes)]
    return list(combinations(range(classes), 2))


def signs_of(apart: list[Division], classes: int) -> Signs:
    """T[head, class]: on which side of each head the examples of a class are; 0 if on none."""
    table = np.zeros((len(apart), classes), dtype=np.int8)
    for head, (negative, positive) in enumerate(apart):
        table[head, slice(None) if negative == ALL_OTHERS else negative] = -1
        table[head, positive] = 1
    return table


def votes(scores: NDArray[np.float64], signs: Signs) -> NDArray[np.float64]:
    """From the scores of all pairs: how many pairs a class wins, and less than 1/3 more or less for its scores.

    The votes come from exact signs; a score of 0 is one for the first of two. What breaks ties is a sum of floats s, as
    s/(3(|s| + 1)): scikit-learn's (`OneVsOneClassifier`).
    """
    pairs, classes = signs.shape
    won = np.where(scores > 0, 1.0, -1.0) @ signs  # the pairs of a class that it wins, less the others
    sums = np.zeros((len(scores), classes))
    scores = np.clip(scores, -LARGEST / classes, LARGEST / classes)  # so that no sum overflows
    for pair in range(pairs):  # one after another, lest the sum depends on how many rows there are
        first, second = int(signs[pair].argmin()), int(signs[pair].argmax())
        sums[:, first] -= scores[:, pair]
        sums[:, second] += scores[:, pair]
    return np.asarray((won + (classes - 1)) / 2 + sums / (np.abs(sums) + 1) / 3)


class Committee:
    """Learners of two classes, whose weights lie below each other.

    Parameters
    ----------
    kind : "one-vs-rest" or "one-vs-one"
    classes : how many
    members : a learner for each of some divisions; the others begin anew
    like : what a new one is like
    """

    shape = None  # of an example that loops take to all heads at once: there is none
    aside = True  # what predicts is asked of `rank_aside`

    def __init__(self, kind: str, classes: int, members: dict[Division, LinearLearner], like: LinearLearner) -> None:
        self.kind, self.classes = kind, classes
        self.divisions = divisions(kind, classes)
        self.signs = signs_of(self.divisions, classes)
        self.members = [members[each] if each in members else like.anew() for each in self.divisions]
        self._stack()

    def _stack(self) -> None:
        """Let all heads lie in arrays that belong to the whole."""
        first = max(self.members, key=lambda member: member.W.shape[1])
        room = first.W.shape[1]
        for member in self.members:
            member.fill(room)
        self.width = first.width
        self.W: NDArray[np.float64] = np.empty((len(self.members), room))
        self.state: Any = np.empty(len(self.members), dtype=first.state.dtype)
        self.tilt = None if first.tilt is None else np.empty_like(self.W)
        for head, member in enumerate(self.members):
            part = slice(head, head + 1)
            member.lie_in(self.W[part], None if self.tilt is None else self.tilt[part], self.state[part])

    def copy(self) -> Committee:
        twin = object.__new__(Committee)
        twin.__dict__.update(self.__dict__)
        twin.members = [member.copy() for member in self.members]
        twin._stack()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("W", "state", "tilt")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._stack()

    def is_like(self, other: Any) -> bool:
        """Is it of the same kind, and has it as many columns and classes?"""
        same = isinstance(other, Committee) and (self.kind, self.classes) == (other.kind, other.classes)
        return same and self.width == other.width

    def start_from(self, other: Any) -> None:
        """The weights of another one of the same width and classes; nothing counted yet."""
        for member, before in zip(self.members, other.members, strict=True):
            member.start_from(before)

    def widen(self, width: int) -> None:
        """Room for `width` columns: the constant coordinate stays last."""
        for member in self.members:
            member.widen(width)
        self.width = width
        if self.members[0].W.shape[1] > self.W.shape[1]:
            self._stack()

    def with_classes(self, classes: int) -> Committee:
        """A copy with so many classes. Heads that are new start at 0."""
        twin = self.copy()
        return Committee(self.kind, classes, dict(zip(twin.divisions, twin.members, strict=True)), twin.members[0])

    # What predicts ------------------------------------------------------------------------------

    @property
    def hypothesis(self) -> NDArray[np.float64]:
        """The weights that predict, as W has them."""
        return np.concatenate([member.hypothesis for member in self.members])

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """A column for each class, the largest of which is predicted."""
        W = self.hypothesis
        if self.kind == REST:
            return rows.rankings(Heads(W, np.empty(len(W))))
        return votes(np.column_stack([rows.scores(w) for w in W]), self.signs)

    def scores_of(self, example: Any) -> NDArray[np.float64]:
        """The same for an example: a vector, or a pair of columns and values. No other weights are looked at."""
        columns, values = example if isinstance(example, tuple) else (np.arange(self.width), example)
        if self.tilt is None and all(member.chosen is None for member in self.members):
            W = columns_of(self.W, columns)
        else:
            W = np.concatenate([member.hypothesis_at(columns) for member in self.members])
        x = np.ascontiguousarray(values, dtype=np.float64)
        if self.kind == REST:
            constant, unit = self.geometry
            row = Rows(x.reshape(1, -1), np.empty(0, dtype=np.int8), constant, unit=unit)
            return np.asarray(row.rankings(Heads(W, np.empty(len(W))))[0])
        state = self.state[:1].copy()
        state[0].norm = norm_above(Plane(W.reshape(-1)))  # of all, which is no less than that of any
        scores = np.array([score_dense64()(x, w, state) for w in W])
        if np.isnan(scores).any():
            raise BadRowError(NOT_FINITE, 0)
        return np.asarray(votes(scores.reshape(1, -1), self.signs)[0])

    def rank_aside(self, example: Any) -> int:
        """The place of the class that is predicted, or UNDECIDED, or NOT_FINITE."""
        try:
            scores = self.scores_of(example)
        except BadRowError:
            return NOT_FINITE
        best = np.flatnonzero(scores == scores.max())
        return int(best[0]) if len(best) == 1 else UNDECIDED

    # What is known -----------------------------------------------------------------------------

    @property
    def geometry(self) -> tuple[float, bool]:
        """The constant coordinate, and whether rows are put on the sphere."""
        return self.members[0].geometry

    @property
    def zero(self) -> int:
        return self.members[0].zero

    @property
    def rule(self) -> Rule:
        return self.members[0].rule

    @property
    def ball(self) -> bool:
        return self.members[0].ball

    @property
    def theta(self) -> float:
        """The largest of the heads."""
        return max(member.theta for member in self.members)

    @property
    def radius(self) -> float:
        """The largest ||x|| that any has met."""
        return max(member.radius for member in self.members)

    @property
    def mistakes(self) -> int:
        """Of all heads: an example may be a mistake of several."""
        return sum(member.mistakes for member in self.members)

    @property
    def updates(self) -> int:
        return sum(member.updates for member in self.members)

    @property
    def weight(self) -> float:
        return sum(member.weight for member in self.members)

    @property
    def weighed(self) -> bool:
        return any(member.weighed for member in self.members)

    @property
    def rounded(self) -> bool:
        return any(member.rounded for member in self.members)

    # Learning ----------------------------------------------------------------------------------

    def rows_of(self, head: int, rows: Rows) -> tuple[Rows, NDArray[np.intp] | None]:
        """The rows that a head meets, with its signs; and which they are, unless they are all.

        Those of two classes are copied, as long as they are learned from: in an order that is drawn for so many rows,
        they are not where they would be among all.
        """
        signs = self.signs[head][rows.signs]
        if self.kind == REST:
            return rows.signed(signs), None
        which = np.flatnonzero(signs)
        return rows.only(which, signs[which]), which

    def one_pass(self, rows: Rows) -> None:
        """Each row once to every head that it is for, in the given order."""
        if self.kind == REST:
            for group in self._groups(0):
                _, interrupted, _ = self._pass_group(group, rows, 1, None, self._keep(group, 0), NO_TALLY, None)
                if interrupted:
                    raise KeyboardInterrupt
            return
        for head, member in enumerate(self.members):
            part, which = self.rows_of(head, rows)
            if part.n:
                with told_where(which):
                    member.one_pass(part)

    def pass_together(
        self, rows: Rows, max_iter: int, *, seed: int | None = None, survivors: bool = False, watch: Watch | None = None
    ) -> Iterator[list[Outcome]]:
        """`LinearLearner.run` of all heads against the rest, in the given order or shuffled, over one reading.

        With ``survivors`` each keeps those that `LinearLearner.choose_best` counts. That takes room: so where the heads
        go in several groups, the next one sets out when the caller asks for it.
        """
        places = self.members[0].places(max_iter) if survivors else 0
        for group in self._groups(places):
            members, kept = self.members[group], self._keep(group, places)
            for member in members:
                member.run_rows, member.first_mistakes = rows.n, -1
            tally = np.zeros(rows.n, dtype=np.uint64)
            made, interrupted, stopped = self._pass_group(group, rows, max_iter, seed, kept, tally, watch)
            outcomes = []
            for head, member in enumerate(members):
                history = [updates[heads == head] for heads, updates in made]
                done = bool(member.state[0].done)
                member.support = int(np.count_nonzero(tally & np.uint64(1 << head)))
                updates = np.concatenate([NOTHING, *history])
                outcomes.append(Outcome(updates, done, interrupted and not done, stopped and not done))
            yield outcomes
            if interrupted:
                return

    def _groups(self, places: int) -> list[slice]:
        """The heads that go together: as many as ``ROOM`` has room for what they keep."""
        size = min(TOGETHER, max(1, ROOM // max(1, places * self.W[0].nbytes)))
        heads = len(self.members)
        return [slice(start, min(start + size, heads)) for start in range(0, heads, size)]

    def _pass_group(
        self,
        group: slice,
        rows: Rows,
        max_iter: int,
        seed: int | None,
        kept: KeptOfAll,
        tally: NDArray[np.uint64],
        watch: Watch | None,
    ) -> tuple[list[tuple[NDArray[np.int64], NDArray[np.int64]]], bool, bool]:
        """The heads that were in each pass, with their updates; whether Ctrl-C ended it, or ``watch`` did."""
        rows.open(object())  # these heads have not met them
        members, state = self.members[group], self.state[group]
        for member in members:
            member.return_state()
            member.begin()
            member.lower = -math.inf
            member.state[0].norm = norm_above(member.weights)
        before = state["mistakes"].copy()
        order = None if seed is None else Order(rows.n, seed)
        made: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        running, interrupted, stopped = np.arange(len(members)), False, False
        beside, log = self._together(group, running, rows), np.empty(len(members), dtype=np.int64)
        try:
            while len(running) and len(made) < max_iter and not stopped:
                first = state[running[0]]
                way = order.ahead(int(first.turns), int(first.at)) if order else GIVEN
                pace = max(1, rows.pace // len(running))
                data = rows.storage, rows.signs, rows.importance
                code = together(*data, *way, beside, kept, self.rule, state, pace, log, tally)
                if code < 0:
                    raise BadRowError(code, int(first.row))
                if not code:
                    continue
                if not made and len(tally):
                    for member, mistakes in zip(members, (state["mistakes"] - before).tolist(), strict=True):
                        member.first_mistakes = mistakes
                made.append((running, log[: len(running)].copy()))
                stopped = bool(watch and watch(len(made), int(made[-1][1].sum())))
                if state["done"][running].any():
                    self._put_back(group, beside)
                    running = running[state["done"][running] == 0]
                    beside = self._together(group, running, rows)
        except KeyboardInterrupt:
            interrupted = True
        self._put_back(group, beside)
        return made, interrupted, stopped

    def _keep(self, group: slice, places: int) -> KeptOfAll:
        """What these heads keep beside their weights, in arrays of which each has a part."""
        if self.tilt is not None:
            return Averages(self.tilt[group])
        size = group.stop - group.start
        lived, born = np.zeros((2, size, places), dtype=np.int64)
        W = np.zeros((size, places, 1, self.W.shape[1]))
        kept = SurvivorsOfAll(W, lived, born, np.zeros((size, 1), dtype=np.int64))
        for head, member in enumerate(self.members[group] if places else []):
            member.kept = kept.of(head)
        return kept

    def _together(self, group: slice, heads: NDArray[np.int64], rows: Rows) -> Together:
        """The weights of these heads of a group as a copy that suits the rows."""
        W, room = self.W[group][heads], np.empty((3, len(heads)))
        if isinstance(rows.storage, CsrRows):
            return Abreast(np.ascontiguousarray(W.T), heads, group.start, *room)
        return Stacked(W, heads, group.start, *room)

    def _put_back(self, group: slice, beside: Together) -> None:
        self.W[group][beside.heads] = beside.rows_of_weights()

    def learn(self, example: Any, target: int) -> int:
        """One round of the online protocol; an error code of a head, and then nothing has changed."""
        learns, touched = self._way(example)
        arrays = [self.W] if self.tilt is None else [self.W, self.tilt]
        before = [array[:, touched].copy() for array in arrays]
        state = self.state.copy()
        learners = [pair for pair in zip(self.members, self.signs[:, target].tolist(), strict=True) if pair[1]]
        for member, sign in learners:
            code = learns(sign, member.weights, member.kept, member.rule, member.state)
            if code < 0:
                for array, was in zip(arrays, before, strict=True):
                    array[:, touched] = was
                self.state[:] = state
                return code
        for member, _ in learners:
            if member.chosen is not None:
                member.return_state()
        return 0

    def _way(self, example: Any) -> tuple[Callable[..., int], Any]:
        """The loop for an example, which waits for its sign; and the columns that it may change."""
        kind = self.members[0].kind
        if isinstance(example, tuple):
            columns = np.ascontiguousarray(example[0], dtype=np.uint32)
            values = np.ascontiguousarray(example[1], dtype=np.float64)
            return partial(learn_sparse64[kind], columns, values), [*columns.tolist(), -1]
        return partial(learn_dense64[kind], np.ascontiguousarray(example, dtype=np.float64)), slice(None)

    def rounds(self, rows: Rows) -> NDArray[np.float64]:
        """The online protocol, row by row: `scores` before the label is learned; a class -1 is not known."""
        out = np.empty((rows.n, self.classes))
        for i in range(rows.n):
            example = _example(rows, i)
            try:
                out[i] = self.scores_of(example)
            except BadRowError as bad:
                raise BadRowError(bad.code, i, out[:i]) from None
            code = self.learn(example, int(rows.signs[i])) if rows.signs[i] >= 0 else 0
            if code < 0:
                raise BadRowError(code, i, out[:i])
        return out

    # To keep and take up again ------------------------------------------------------------------

    def write_state(self, state: State) -> None:
        """All that later decisions depend on: what heads have of their own as lists, and their weights as matrices."""
        parts = [State(self.width) for _ in self.members]
        for member, part in zip(self.members, parts, strict=True):
            member.write_state(part)
        state.values |= {name: value for name, value in parts[0].values.items() if name not in OWN}
        state.values |= {name: [part.values[name] for part in parts] for name in OWN}
        state.values |= {"kind": self.kind, "chose": [member.chosen is not None for member in self.members]}
        state.arrays["w"] = self.W
        if self.tilt is not None:
            state.arrays["tilt"] = self.tilt
        if any(state.values["chose"]):
            state.arrays["chosen"] = self.hypothesis

    @classmethod
    def from_state(cls, state: State, rule: type[Any], classes: int) -> Committee:
        """The committee again, whose rule is of this kind."""
        kind = state.text("kind")
        require(kind in (REST, PAIRS) and classes > 2, "a committee has more than two classes, and is of a known kind")
        apart = divisions(kind, classes)
        W = state.array("w", "<f8", len(apart), None)
        tilt = state.array("tilt", "<f8", *W.shape) if "tilt" in state.arrays else None
        chosen = state.array("chosen", "<f8", *W.shape) if "chosen" in state.arrays else W
        own = {name: state.each(name, len(apart)) for name in (*OWN, "chose")}
        common = {name: state.value(name) for name in (*COMMON, *(f"rule_{field}" for field in rule._fields))}
        members = {}
        for head, division in enumerate(apart):
            values = common | {name: own[name][head] for name in OWN}
            part = State(state.width, values=values, arrays={"w": W[head]})
            if tilt is not None:
                part.arrays["tilt"] = tilt[head : head + 1]
            require(type(own["chose"][head]) is bool, "chose is not a list of bools")
            if own["chose"][head]:
                part.arrays["chosen"] = chosen[head : head + 1]
            members[division] = LinearLearner.from_state(part, rule)
            part.finish()
        return cls(kind, classes, members, members[apart[0]])


def of_two(learner: LinearLearner, kind: str, classes: int) -> Committee:
    """After a stream of two classes: what it has learned is that of the second against the first.

    Of one against the rest the first class has the same run with the signs turned round, since the second was the rest.
    """
    members = {(0, 1): learner}
    if kind == REST:
        members = {(ALL_OTHERS, 0): learner.mirrored(), (ALL_OTHERS, 1): learner}
    return Committee(kind, classes, members, learner)


@contextmanager
def told_where(which: NDArray[np.intp] | None) -> Iterator[None]:
    """A row that is refused meanwhile is told by its place among all, which this says; None: there."""
    try:
        yield
    except BadRowError as bad:
        raise BadRowError(bad.code, bad.row if which is None else int(which[bad.row])) from None


def _example(rows: Rows, i: int) -> Any:
    """Row i as `Committee.learn` takes it."""
    storage = rows.storage
    if not isinstance(storage, CsrRows):
        return storage.X[i]
    entries = slice(int(storage.indptr[i]), int(storage.indptr[i + 1]))
    return storage.indices[entries], storage.data[entries]
