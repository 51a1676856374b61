"""How many connections there may be, and how long each may take. uvicorn's own limits begin at a complete request."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS = 224  # open at once: with a browser's six, many pages
BACKLOG = 64  # that are accepted before one of them is looked at
REQUEST_SECONDS = 10.0  # from the connection, or the last answer, to the end of the next request's headers
ANSWER_SECONDS = 30.0  # in which the client takes nothing of an answer that waits for it


def most_connections() -> int:
    """How many connections may be open at once: as many as there are descriptors for.

    To accept one more than that is an error, and a page of log, each time.
    """
    try:
        import resource
    except ImportError:  # Windows
        return CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if soft == resource.RLIM_INFINITY else max(1, min(CONNECTIONS, soft - BACKLOG - 64))


class Connection(H11Protocol):
    """A connection that is closed when it takes too long, or when it has waited longest and there are too many."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._timer: asyncio.TimerHandle | None = None
        self._waiting_since: float | None = None  # for a request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        if len(self.connections) >= most_connections():
            self._make_room()
        super().connection_made(transport)
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._waiting_since is not None and self._busy():
            self._waiting_since = None
            self._forget_the_end()

    def on_response_complete(self) -> None:
        super().on_response_complete()  # which may begin with a request that has come meanwhile
        self._expect_request()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._end_after(ANSWER_SECONDS)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._forget_the_end()
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_the_end()
        super().connection_lost(exc)

    def _busy(self) -> bool:
        """Whether a request is being answered; however long it computes."""
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_request(self) -> None:
        """The next one, when all of an answer has been made and most of it has been taken."""
        if not self._busy() and not self.flow.write_paused and not self.transport.is_closing():
            self._waiting_since = self.loop.time()
            self._end_after(REQUEST_SECONDS)

    def _end_after(self, seconds: float) -> None:
        self._forget_the_end()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _forget_the_end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _make_room(self) -> None:
        """Close the connection that has waited longest for its request, or for its answer if none waits for that."""
        others = [one for one in self.connections if isinstance(one, Connection)]
        idle = [one for one in others if one._waiting_since is not None]
        oldest = min(idle, key=lambda one: one._waiting_since or 0.0) if idle else others[0]
        self.connections.discard(oldest)  # it is lost a little later
        oldest.transport.abort()
