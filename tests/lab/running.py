"""The lab on a free port of this machine, in a thread."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

import uvicorn

from novikoff.lab import server


class Running:
    """A context in which ``url`` answers."""

    def __enter__(self) -> Self:
        self._listener = server._listen("127.0.0.1", 0)
        self.port = int(self._listener.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}/"
        names = frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})
        self._server = uvicorn.Server(server.configuration(server.application(names)))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listener]}, daemon=True)
        self._thread.start()
        return self

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._server.server_state.connections)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._listener.close()
