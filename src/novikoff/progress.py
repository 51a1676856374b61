"""Progress of long work: a live line on a terminal, plain lines at doubling counts elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self


class _Line:
    """One line that changes; a context manager."""

    def __init__(self, name: str) -> None:
        from rich.console import Console  # which take their time
        from rich.progress import Progress, TextColumn, TimeElapsedColumn

        self._next = 1
        console = Console(file=sys.stderr)
        self._live = (
            Progress(TextColumn("{task.description}"), TimeElapsedColumn(), console=console, transient=True)
            if console.is_terminal
            else None
        )
        self._task = self._live.add_task(name, total=None) if self._live else None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def _show(self, count: int, line: str) -> None:
        if self._live and self._task is not None:
            self._live.update(self._task, description=line)
        elif count >= self._next:
            print(line, file=sys.stderr)
            while self._next <= count:
                self._next *= 2


class Passes(_Line):
    """Call it with (passes so far, what the last pass found)."""

    def __init__(self, name: str, order: str) -> None:
        super().__init__(name)
        self._line = (
            f"{name}: pass {{passes:,}}, {{found:,}} updates"
            if order == "given"
            else f"{name}: search {{passes:,}} found row {{found}}"
        )

    def __call__(self, passes: int, found: int) -> None:
        self._show(passes, self._line.format(passes=passes, found=found))


class Bracket(_Line):
    """Call it with (passes so far, the two ends of the margin)."""

    def __call__(self, passes: int, lower: float, upper: float) -> None:
        self._show(passes, f"certify: pass {passes:,}, the best margin is between {lower:.6g} and {upper:.6g}")


class Descent(_Line):
    """Call it with (iterations so far, accuracy or loss)."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self._method = method

    def __call__(self, iterations: int, value: float) -> None:
        self._show(iterations, f"least squares, {self._method}: iteration {iterations:,}, {value:.3g}")


class Counted(_Line):
    """Call it with a number, which the line names."""

    def __init__(self, line: str) -> None:
        super().__init__(line.format(0))
        self._line = line

    def __call__(self, count: int) -> None:
        self._show(count, self._line.format(count))
