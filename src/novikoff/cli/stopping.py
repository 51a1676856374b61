"""Ctrl-C, SIGTERM and SIGHUP as a wish that is noted, and met when the work at hand is done."""

from __future__ import annotations

import os
import select
import signal
import socket
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopping:
    """A context in which the signals interrupt nothing, however many come; ``asked`` is the name of the first."""

    def __init__(self) -> None:
        self.asked: str | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        # The handler of a signal runs between two steps of Python, and a wait may begin before: a byte comes at once.
        self._ear, self._mouth = socket.socketpair()
        self._ear.setblocking(False)
        self._mouth.setblocking(False)
        self._woken = signal.set_wakeup_fd(self._mouth.fileno(), warn_on_full_buffer=False)
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup, or a shell that put us in the background
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._woken)
        self._ear.close()
        self._mouth.close()

    def more_wanted(self, file: int | None) -> bool:
        """Wait until a file (None: none) has something to read, or a signal comes; False if one has come."""
        while self.asked is None and file is not None and os.name == "posix":  # elsewhere files cannot be waited for
            ready, _, _ = select.select([file, self._ear.fileno()], [], [])
            if file in ready:
                break
            self._ear.recv(1024)  # of a signal that is not ours
        return self.asked is None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = self.asked or signal.Signals(number).name
