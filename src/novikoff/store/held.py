"""A model file has one writer at a time: a second one would write over what the first has learned."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime

from novikoff.disk import atomic, locks


@contextmanager
def held(path: str | os.PathLike[str], warn: Callable[[str], object]) -> Iterator[None]:
    """Be the only writer of a model file, by whatever name it is reached; else a `ValueError` says who is.

    What is locked is a file beside it, ``.model.nvk.lock``, since the model itself is replaced at every save. It is
    there while somebody writes; a process that is killed leaves it behind, free.
    """
    place = atomic.check(path)
    lock = place.with_name(f".{place.name}.lock")
    with ExitStack() as stack:
        try:
            stack.enter_context(locks.exclusive(lock, wait=False, remove=True, mode=0o666))
        except locks.LockedError as error:
            raise ValueError(
                f"{os.fspath(path)}: {error.holder} is writing this model{_since(lock)}. Two writers would lose "
                "each other's work: end that one, or write to another file"
            ) from None
        except locks.NoLocksError:
            warn(f"{os.fspath(path)}: there are no locks here, so nothing keeps a second writer away")
        yield


def _since(lock: os.PathLike[str]) -> str:
    try:
        begun = datetime.fromtimestamp(os.stat(lock).st_mtime).astimezone()
    except OSError:  # it has just ended
        return ""
    return f" since {begun:%Y-%m-%d %H:%M:%S %Z}"
