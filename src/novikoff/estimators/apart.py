"""Many classes as heads that are learned apart: one against the rest, or one against one."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.estimators import words
from novikoff.estimators.learning import Learning
from novikoff.inputs import Columns, keep
from novikoff.labels import Labels
from novikoff.learners.committee import ALL_OTHERS, Committee, Division
from novikoff.learners.linear import LinearLearner, Outcome
from novikoff.learners.state import BadState, State, require

NOTHING = np.empty(0, dtype=np.int64)


class Ran(NamedTuple):
    """How the last ``fit`` of a head went, and how many passes there have been since."""

    history: NDArray[np.int64] = NOTHING
    passes: int = 0
    stopped: words.Stop = words.Stop(words.ON_A_STREAM, 0, interrupted=False)


class Apart(Learning):
    """What is known of each head."""

    _ran: dict[Division, Ran]  # of those that a fit or a batch has met

    @property
    def estimators_(self) -> list[Self]:
        """Of more than two classes that are learned apart: a fitted estimator of two for each head, as copies.

        One against the rest in the order of ``classes_``, with True for the class; one against one in the order
        (0, 1), (0, 2), ..., (1, 2), ..., with its two labels.
        """
        learner = self._learned()
        if not isinstance(learner, Committee):
            raise AttributeError(
                f"this {type(self).__name__} is one learner, of which all is known here: multiclass='one-vs-rest' and "
                "'one-vs-one' have estimators_, for more than two classes"
            )
        return [self._head(*head) for head in zip(learner.divisions, learner.members, strict=True)]

    def _head(self, division: Division, member: LinearLearner) -> Self:
        seed = self.random_state if self._drawn is None else self._drawn
        options = self.get_params(deep=False) | {"multiclass": "joint", "random_state": seed}
        # The weights of classes are those of its rows. That they were found from all rows is to be known of it.
        options["class_weight"] = "balanced" if self.class_weight == "balanced" else None
        head: Self = type(self)(**options)
        rest = division[0] == ALL_OTHERS
        labels = Labels(np.array([False, True]) if rest else self.classes_[[*division]])
        head._adopt(member.copy(), labels, getattr(self, "feature_names_in_", None))
        head._columns = None if self._columns is None else Columns(self._columns.names(), fixed=False)
        keep(head, self.standardization_)
        ran = self._ran.get(division, Ran())
        head.history_, head.passes_, head.n_iter_, head._stopped = ran.history, ran.passes, ran.passes, ran.stopped
        return head

    # How it went -------------------------------------------------------------------------------------

    def _heads_went(self, learner: Committee, went: list[tuple[Outcome, words.End]], seed: int | None) -> None:
        """After a fit: what is known of each head, and of the whole."""
        self._ran, self._drawn = {}, seed if isinstance(self.random_state, np.random.RandomState) else None
        for division, member, (outcome, end) in zip(learner.divisions, learner.members, went, strict=True):
            self.passes_ = len(outcome.history)
            self._ran[division] = Ran(outcome.history, self.passes_, words.stop(end, self, member))
        self.passes_ = self.n_iter_ = max(ran.passes for ran in self._ran.values())
        self.history_ = np.zeros(self.passes_, dtype=np.int64)
        for ran in self._ran.values():
            found = ran.history if self.order == "given" else ran.history >= 0
            self.history_[: len(found)] += found
        reason = words.reason_of_heads([end for _, end in went], self)
        self._stopped = words.Stop(reason, 0, any(end.interrupted for _, end in went))

    def _heads_streamed(self, learner: Committee) -> None:
        """After a batch of a stream."""
        ran = {division: self._ran.get(division, Ran()) for division in learner.divisions}
        self._ran = {division: one._replace(passes=one.passes + 1) for division, one in ran.items()}

    def _stops(self) -> list[tuple[LinearLearner, words.Stop]]:
        """Each learner, and why its last fit stopped."""
        learner = self._learned()
        if not isinstance(learner, Committee):
            return [(learner, self._stopped)]
        stops = [self._ran.get(division, Ran()).stopped for division in learner.divisions]
        return list(zip(learner.members, stops, strict=True))

    # To keep and take up again ------------------------------------------------------------------------

    def _write_heads(self, state: State, learner: Committee) -> None:
        ran = [self._ran.get(division, Ran()) for division in learner.divisions]
        state.arrays["heads_history"] = np.concatenate([one.history for one in ran])
        state.values |= {
            "drawn": self._drawn,
            "heads_turns": [len(one.history) for one in ran],
            "heads_passes": [one.passes for one in ran],
            "heads_reason": [one.stopped.reason for one in ran],
            "heads_updates": [one.stopped.changes for one in ran],
            "heads_interrupted": [one.stopped.interrupted for one in ran],
            "heads_counted": [one.stopped.counted for one in ran],
            "heads_aside": [one.stopped.aside for one in ran],
        }

    def _take_heads(self, state: State, learner: Committee) -> None:
        """The same again; of an array of counts, each head has its part."""
        count = len(learner.divisions)
        drawn = state.value("drawn")
        require(drawn is None or (type(drawn) is int and 0 <= drawn < 2**32), "drawn is no seed")
        names = ("turns", "passes", "updates", "counted", "reason", "interrupted", "aside")
        columns = [state.each(f"heads_{name}", count) for name in names]
        own = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        history = state.array("heads_history", "<i8", None)
        self._drawn, self._ran, start = drawn, {}, 0
        for division, values in zip(learner.divisions, own, strict=True):
            one = State(0, values=values)
            stop, passes = start + one.integer("turns"), one.integer("passes")
            reason, changes = one.text("reason"), one.integer("updates")
            stopped = words.Stop(reason, changes, one.flag("interrupted"), one.integer("counted", 1), one.flag("aside"))
            if passes or stopped.interrupted:  # else it has met no fit, and no batch
                self._ran[division] = Ran(history[start:stop], passes, stopped)
            start = stop
        if start != len(history):
            raise BadState("heads_history is not that of its heads")
