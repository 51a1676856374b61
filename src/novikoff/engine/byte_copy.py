"""When a copy of one byte an entry pays, and where it is kept (what it is: `novikoff.engine.byte_rows`)."""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.byte_rows import PAD, ByteRows
from novikoff.engine.dense import DenseRows
from novikoff.engine.rows import Rows
from novikoff.engine.storage import Storage

# The choice goes by counts alone, so it is the same on every machine; and no result depends on it.
LEAST = 1 << 23  # bytes of X below which a pass is short anyway
SHORT = 4  # passes that may end before it has paid
QUIET = 32  # a pass is quiet if at most one row in so many is updated on: after each, w is rounded again
FULL = 8  # and bytes are given up if more than one row in so many had to be read in full

log = logging.getLogger("novikoff")


class ByteCopy:
    """What the next pass of a run reads: the rows, or the bytes beside them once there are any.

    Parameters
    ----------
    rows : the rows of the run
    wanted : "auto" for where it pays; True for as soon as possible, and always; False for never
    passes : the most that the run may make
    """

    def __init__(self, rows: Rows, wanted: str | bool, passes: int) -> None:
        self._rows = rows
        automatic = isinstance(wanted, str)  # else a bool, perhaps NumPy's
        self._always = not automatic and bool(wanted)
        self._copy: ByteRows | None = None
        self._using = False
        self._most = rows.n if self._always else rows.n // QUIET  # updates that a quiet pass may have
        self._read = 0  # rows read in full before this pass
        worthwhile = rows.storage.stored.nbytes >= LEAST and passes > SHORT
        self.possible = isinstance(rows.storage, DenseRows) and (self._always or (automatic and worthwhile))

    @property
    def storage(self) -> Storage:
        """What the next pass reads."""
        if self._using:
            return cast(Storage, self._copy)  # to a loop it is as any other
        return self._rows.storage

    def note(self, updates: int) -> None:
        """A pass has ended, with so many updates, and another one is to follow."""
        if not self.possible or (self._always and self._using):
            return
        if self._using:
            self._judge(updates)
            return
        if updates <= self._most:
            self._using = self._copy is not None or self._make()

    def _judge(self, updates: int) -> None:
        """After a pass over the bytes: did they settle enough?"""
        assert self._copy is not None
        read = int(self._copy.read[0])
        if (read - self._read) * FULL > self._rows.n:
            self._using = False
            self._most = min(self._most, updates // 2)  # come back when it is much quieter
        self._read = read

    def _make(self) -> bool:
        """Is there a copy now? Not if rows have not been met yet, after a run was taken up; nor without the memory."""
        rows = self._rows
        dense = rows.storage
        if not isinstance(dense, DenseRows) or np.isnan(dense.norm).any():
            return False
        try:
            copy = _beside(dense)
        except (OSError, MemoryError) as error:
            log.info("no copy of one byte an entry: %s", error)
            self.possible = False
            return False
        self._copy = rows.beside = copy
        log.info("further passes read a copy of one byte an entry: %.1f MB", copy.nbytes / 1e6)
        return True


def _beside(rows: DenseRows) -> ByteRows:
    """Room for the copy: in memory, or in a file without a name where the rows themselves are mapped from one.

    The bytes of a row are made when it is first read.
    """
    n, d = rows.X.shape
    width = -(-d // PAD) * PAD
    home = _mapped_from(rows.X)
    q = np.zeros((n, width), dtype=np.int8) if home is None else _on_disk(home, n, width)
    scale, lost, length = np.full((3, n), np.nan)
    return ByteRows(*rows, q, scale, lost, length, np.zeros(width, dtype=np.int16), np.zeros(1, dtype=np.int64))


def _mapped_from(X: Any) -> Path | None:
    """The directory of the file that the rows are mapped from; None if they are in memory."""
    while X is not None:
        if isinstance(X, np.memmap):
            return None if X.filename is None else Path(X.filename).parent
        X = getattr(X, "base", None) if isinstance(X, np.ndarray) else getattr(X, "owner", None)
    return None


def _on_disk(home: Path, n: int, width: int) -> NDArray[np.int8]:
    """Zeros in a file of that directory, which has no name and goes with the last process that maps it."""
    if not hasattr(os, "posix_fallocate"):
        raise OSError("this system does not reserve room in a file")
    with tempfile.TemporaryFile(dir=home) as file:
        os.posix_fallocate(file.fileno(), 0, n * width)  # a full disk is an error now, and not a signal later
        return np.memmap(file, dtype=np.int8, mode="r+", shape=(n, width))
