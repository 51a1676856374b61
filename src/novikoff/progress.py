"""Progress of long work: a line and a bar in a terminal and in a notebook; plain lines at doubling counts elsewhere.

The bar says how much is done of what there is at most: a run may end sooner.
"""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from novikoff.views import Html, tag

if TYPE_CHECKING:
    from rich.console import Console

PAUSE = 0.1  # seconds between two changes that a notebook is told of
BAR = "accent-color: #0a7fc4; width: 14em; margin-right: 0.7em; vertical-align: middle"


class _Place(Protocol):
    """Where a line is shown."""

    def show(self, count: int, line: str, share: float | None) -> None:
        """``share``: of the work, what is done; None: nobody knows."""

    def clear(self) -> None: ...


class _Stream:
    """Standard error that nobody watches: a log gets a line at counts 1, 2, 4, ..."""

    def __init__(self) -> None:
        self._next = 1

    def show(self, count: int, line: str, share: float | None) -> None:
        if count >= self._next:
            print(line, file=sys.stderr)
            while self._next <= count:
                self._next *= 2

    def clear(self) -> None:
        """Lines stay."""


class _Terminal:
    def __init__(self, name: str, console: Console) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), TimeElapsedColumn()
        self._live = Progress(*columns, console=console, transient=True)
        self._task = self._live.add_task(name, total=None)
        self._live.start()

    def show(self, count: int, line: str, share: float | None) -> None:
        self._live.update(self._task, description=line, total=None if share is None else 1.0, completed=share)

    def clear(self) -> None:
        self._live.stop()


class _Cell:
    """The output of a notebook's cell. What comes too soon after the last is left out."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._after = -math.inf

    def show(self, count: int, line: str, share: float | None) -> None:
        now = time.monotonic()
        if now < self._after:
            return
        self._after = now + PAUSE
        done = {} if share is None else {"value": f"{share:.4f}"}
        self._put(tag("div", tag("progress", max=1, style=BAR, **done), line), line)

    def clear(self) -> None:
        if self._handle is not None:
            self._put(Html(), "")

    def _put(self, content: Html, line: str) -> None:
        from IPython.display import display

        shown = {"text/html": content, "text/plain": line}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def _place(name: str) -> _Place:
    from rich.console import Console  # which takes its time

    console = Console(file=sys.stderr)
    if console.is_jupyter:
        return _Cell()
    return _Terminal(name, console) if console.is_terminal else _Stream()


class _Line:
    """One line that changes; a context manager."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._at: _Place | None = None

    def __enter__(self) -> Self:
        self._at = _place(self._name)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._at:
            self._at.clear()

    def _show(self, count: int, line: str, share: float | None = None) -> None:
        if self._at:
            self._at.show(count, line, share)


class Passes(_Line):
    """Call it with (passes so far, what the last pass found); there are at most so many."""

    def __init__(self, name: str, order: str, most: int) -> None:
        super().__init__(name)
        self._most = most
        turn = f"{name}: {'pass' if order == 'given' else 'search'} {{passes:,}} of at most {most:,}"
        self._line = f"{turn}, {{found:,}} updates" if order == "given" else f"{turn} found row {{found}}"

    def __call__(self, passes: int, found: int) -> None:
        self._show(passes, self._line.format(passes=passes, found=found), passes / self._most)


class Bracket(_Line):
    """Call it with (passes so far, the two ends of the margin), which are to come within the gap of each other."""

    def __init__(self, name: str, gap: float) -> None:
        super().__init__(name)
        self._gap = gap

    def __call__(self, passes: int, lower: float, upper: float) -> None:
        line = f"certify: pass {passes:,}, the best margin is between {lower:.6g} and {upper:.6g}"
        self._show(passes, line, self._closed(lower, upper))

    def _closed(self, lower: float, upper: float) -> float | None:
        """How far the gap has closed, where each pass closes a part of what is left of it."""
        if not lower > 0:
            return None  # there may be no separator
        return _approached(1 - lower / upper, self._gap)


class Pairs(_Line):
    """Call it with (how many pairs of labels are settled, how many of them have no separator); there are so many."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__(name)
        self._most = most

    def __call__(self, settled: int, without: int) -> None:
        line = f"certify: {settled:,} of {self._most:,} pairs of labels, {without:,} without a separator"
        self._show(settled, line, settled / self._most)


class Optimum(_Line):
    """Call it with (passes so far, the two ends of the optimum), which are to come within the gap of each other."""

    def __init__(self, name: str, gap: float) -> None:
        super().__init__(name)
        self._gap = gap

    def __call__(self, passes: int, lower: float, upper: float) -> None:
        line = f"certify: pass {passes:,}, the optimum is between {lower:.6g} and {upper:.6g}"
        self._show(passes, line, _approached(1 - lower / upper, self._gap) if upper > 0 else None)


class Descent(_Line):
    """Call it with (iterations so far, accuracy or loss); with a ``tol``, an accuracy of that is the end."""

    def __init__(self, method: str, most: int, tol: float | None) -> None:
        super().__init__(method)
        self._method, self._most, self._tol = method, most, tol

    def __call__(self, iterations: int, value: float) -> None:
        done = iterations / self._most
        if self._tol:
            done = max(done, _approached(value, self._tol))
        line = f"least squares, {self._method}: iteration {iterations:,} of at most {self._most:,}, {value:.3g}"
        self._show(iterations, line, min(1.0, done))


class Counted(_Line):
    """Call it with a number, which the line names."""

    def __init__(self, line: str) -> None:
        super().__init__(line.format(0))
        self._line = line

    def __call__(self, count: int) -> None:
        self._show(count, self._line.format(count))


def _approached(left: float, goal: float) -> float:
    """The way from 1 down to a goal below 1, on a logarithmic scale: what is done of it, from 0 to 1."""
    if left <= goal:
        return 1.0
    return max(0.0, math.log(left) / math.log(goal)) if goal < 1 else 0.0


class Mistakes(_Line):
    """Call it with the two ends of the fewest mistakes, which are to meet."""

    def __init__(self) -> None:
        super().__init__("mistakes")
        self._count = 0

    def __call__(self, lower: int, upper: int) -> None:
        self._count += 1
        self._show(self._count, f"mistakes: at least {lower:,}, at most {upper:,}", lower / upper if upper else 1.0)
