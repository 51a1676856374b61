"""Side by side: alternating, best of several, the same output on both sides."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """One line of the table. A ratio above 1 means that we are faster."""

    job: str
    peer: str
    ours: float  # seconds
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


def side_by_side(ours: Callable[[], Any], theirs: Callable[[], Any], *, rounds: int) -> tuple[float, float]:
    """The best time of each, taken in turns."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for side, call in enumerate((ours, theirs)):
            gc.collect()
            start = time.perf_counter()
            call()
            best[side] = min(best[side], time.perf_counter() - start)
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
) -> Result:
    """Time both, after checking that they give the same output."""
    a, b = ours(), theirs()
    if same is not None and not same(a, b):
        raise AssertionError(f"{job}: the two sides do not agree")
    mine, peers = side_by_side(ours, theirs, rounds=rounds)
    return Result(job, peer, mine / per, peers / per, peers / mine, bar, unit, remark)
