"""What a learner keeps beside its weights, so that what is returned need not be the last w.

A *round* is a row that had its turn with its label, or, where the next violated example is searched for, a search.
Loops are handed one of three named tuples, and Numba finds what to do at an update by its type: `Last` keeps nothing
and costs nothing, `Average` adds up so that the mean of the hypotheses after all rounds is known at any time, and
`Survivors` keeps those that lived through the most rounds. None of them costs anything in a round without an update.
Passes take `Last` as survivors without a place: the same results, and one machine code less for each kind of rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import INLINED, by_type, outlined
from novikoff.engine.storage import Storage
from novikoff.engine.weights import Weights, copy_to, means_at, step, step_is_finite

MODEST = 2.0**900  # where ||w|| is no more in any of at most 2^62 rounds, the sum of an `Average` is finite


class Last(NamedTuple):
    """The last hypothesis: w, and nothing beside it."""

    # What compiled loops ask: see below.

    def before_step(
        self,
        rows: Storage,
        i: int,
        y: float,
        w: Weights,
        length: float,
        divisor: float,
        rival: int,
        norm: float,
        s: Any,
    ) -> bool:
        return True

    def seen(self, rows: Storage, i: int, w: Weights, s: Any) -> tuple[Any, float]:
        return w, s.norm


class Average(NamedTuple):
    """The mean of the hypotheses after each of T rounds (Freund and Schapire 1999; Collins 2002).

    An update in round t is in those after the rounds t .. T, which is T - (t - 1) of them, so the mean is w - U/T with
    U the sum over the updates of (t - 1) step y x. The factor (t - 1) step rounds once, its product with an entry and
    the sum once each; then U/T and the difference. All are made entry by entry in the order of the updates, so the
    bits are the same for every storage and however the rows are split.
    """

    tilt: Weights  # U
    room: Weights  # the mean, at the columns of the row at hand

    def before_step(
        self,
        rows: Storage,
        i: int,
        y: float,
        w: Weights,
        length: float,
        divisor: float,
        rival: int,
        norm: float,
        s: Any,
    ) -> bool:
        share = float(s.rounds) * length
        if not (norm <= MODEST and share <= MODEST) and not step_is_finite(
            self.tilt, rows, i, y, share, divisor, rival
        ):
            return False
        step(self.tilt, rows, i, y, share, divisor, rival)
        return True

    def seen(self, rows: Storage, i: int, w: Weights, s: Any) -> tuple[Any, float]:
        return self.room, means_at(w, rows, i, self.tilt, float(max(1, s.rounds)), self.room)


class Survivors(NamedTuple):
    """Of the hypotheses before the last, those that lived through the most rounds, ties to the earlier."""

    W: NDArray[np.float64]  # (places, k, D); there may be none
    lived: NDArray[np.int64]  # (places,) how many rounds each left w as it was; 0: nobody is in this place
    born: NDArray[np.int64]  # (places,) how many rounds there were before its first
    since: NDArray[np.int64]  # (1,) the same of w

    def before_step(
        self,
        rows: Storage,
        i: int,
        y: float,
        w: Weights,
        length: float,
        divisor: float,
        rival: int,
        norm: float,
        s: Any,
    ) -> bool:
        if self.lived.shape[0] == 0:
            return True
        lived = s.rounds - self.since[0]
        if lived > 0:
            _remember(self, w, lived)
        self.since[0] = s.rounds + 1
        return True


Kept = Last | Average | Survivors
OnStream = Last | Average
LAST = Last()
NOBODY = Survivors(np.zeros((0, 1, 1)), *(np.zeros(size, dtype=np.int64) for size in (0, 0, 1)))


@outlined
def _remember(kept: Survivors, w: Weights, lived: int) -> None:
    """Put w in the place of the hypothesis that survived the shortest, if that was shorter."""
    weakest = 0
    for k in range(1, kept.lived.shape[0]):
        if kept.lived[k] < kept.lived[weakest] or (
            kept.lived[k] == kept.lived[weakest] and kept.born[k] > kept.born[weakest]
        ):
            weakest = k
    if lived > kept.lived[weakest]:
        kept.lived[weakest], kept.born[weakest] = lived, kept.since[0]
        copy_to(w, kept.W[weakest])


def before_step(
    kept: Kept,
    rows: Storage,
    i: int,
    y: float,
    w: Weights,
    length: float,
    divisor: float,
    rival: int,
    norm: float,
    s: Any,
) -> bool:
    """Take note of an update that is about to be made, after which ||w|| <= norm. False: a sum would overflow."""
    return kept.before_step(rows, i, y, w, length, divisor, rival, norm, s)


def seen(kept: OnStream, rows: Storage, i: int, w: Weights, s: Any) -> tuple[Any, float]:
    """What predicts row i now, right at its columns; and a bound on the norm of that."""
    return kept.seen(rows, i, w, s)


def in_passes(kept: Kept) -> Kept:
    """As passes are handed it: see the head of this file."""
    return NOBODY if isinstance(kept, Last) else kept


by_type(
    before_step,
    lambda kept, rows, i, y, w, length, divisor, rival, norm, s: kept.instance_class.before_step,
    **INLINED,
)
by_type(seen, lambda kept, rows, i, w, s: kept.instance_class.seen, **INLINED)
