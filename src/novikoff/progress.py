"""Progress of a long fit: a live line on a terminal, plain lines at doubling passes elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn


class Passes:
    """Call it with (passes so far, what the last pass found); use it as a context manager."""

    def __init__(self, name: str, order: str) -> None:
        self._name, self._next = name, 1
        self._line = (
            "{name}: pass {passes:,}, {found:,} updates"
            if order == "given"
            else "{name}: search {passes:,} found row {found}"
        )
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

    def __call__(self, passes: int, found: int) -> None:
        line = self._line.format(name=self._name, passes=passes, found=found)
        if self._live and self._task is not None:
            self._live.update(self._task, description=line)
        elif passes >= self._next:
            print(line, file=sys.stderr)
            while self._next <= passes:
                self._next *= 2
