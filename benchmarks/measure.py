"""Side by side: alternating, best of several, the same output on both sides.

Time is that of the processor, of all threads and of child processes: what other programs do meanwhile counts less.
Where threads and the disk are the point, as with files, it is the clock on the wall.
"""

from __future__ import annotations

import gc
import resource
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """One line of the table. A ratio above 1 means that we are faster."""

    job: str
    peer: str
    ours: float  # in the unit: s, ms a pass, MB, ...
    theirs: float
    ratio: float
    bar: float | None  # what was promised
    unit: str = "s"
    remark: str = ""

    @property
    def met(self) -> bool | None:
        return None if self.bar is None else self.ratio >= self.bar


@dataclass(frozen=True)
class Skipped:
    """A job that could not run, and why."""

    job: str
    why: str


def processor_time() -> float:
    """Seconds that this process and its children have computed."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def side_by_side(
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    *,
    rounds: int,
    clock: Callable[[], float] = processor_time,
) -> tuple[float, float]:
    """The best time of each, taken in turns."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for side, call in enumerate((ours, theirs)):
            gc.collect()
            start = clock()
            call()
            best[side] = min(best[side], clock() - start)
    return best[0], best[1]


def compare(
    job: str,
    peer: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    *,
    same: Callable[[Any, Any], bool] | None,
    bar: float | None,
    rounds: int = 7,
    per: int = 1,
    unit: str = "s",
    remark: str = "",
    clock: Callable[[], float] = processor_time,
) -> Result:
    """Time both, after checking that they give the same output."""
    a, b = ours(), theirs()
    if same is not None and not same(a, b):
        raise AssertionError(f"{job}: the two sides do not agree")
    mine, peers = side_by_side(ours, theirs, rounds=rounds, clock=clock)
    return Result(job, peer, mine / per, peers / per, peers / mine, bar, unit, remark)
