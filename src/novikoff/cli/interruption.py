"""Ctrl-C before a command has begun; it waits for nothing but the standard library."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


@contextmanager
def told_in_a_line() -> Iterator[None]:
    """Ctrl-C ends the process with one line instead of the trace of where it came."""
    try:
        yield
    except KeyboardInterrupt:
        print("novikoff: interrupted", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
