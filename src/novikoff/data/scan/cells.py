"""Where the records of a table end: the rule for quotes, byte by byte."""

from __future__ import annotations

import numpy as np

from novikoff.data.scan.text import NEWLINE, RETURN, Text, byte_at
from novikoff.engine.compile import inlined, kernel

DOUBLE_QUOTE = ord('"')


@inlined
def _closing_quote(text: Text, p: int) -> int:
    """Where the quoted cell ends whose content begins at p: at a quote that is not doubled; or the end of the text."""
    n = int(text.shape[0])
    while p < n:
        if byte_at(text, p) == DOUBLE_QUOTE:
            if p + 1 == n or byte_at(text, p + 1) != DOUBLE_QUOTE:
                return p
            p += 1
        p += 1
    return n


@kernel
def records(text: Text, delimiter: int) -> tuple[int, int, int]:
    """Where the last complete record ends; where a quoted cell begins that does not end (-1: none), and its number.

    A cell is quoted if it *begins* with a quote; any other quote is a character. A record ends with \\n, \\r or \\r\\n
    outside of quoted cells; a \\r at the end of the text may be half of a line end, and so ends none.
    """
    n = text.shape[0]
    end = p = 0
    cell = 1
    begins = True
    while p < n:
        c = byte_at(text, p)
        if begins and c == DOUBLE_QUOTE:
            opened = p
            p = _closing_quote(text, p + 1)
            if p == n:
                return end, opened, cell
            begins = False
        elif c == NEWLINE or (c == RETURN and p + 1 < n):  # the end moves on if \n follows
            end = p + 1
            cell = 1
            begins = True
        else:
            begins = c == delimiter
            cell += begins
        p += 1
    return end, -1, cell


def as_text(content: bytes | memoryview) -> Text:
    """The bytes as the kernels take them, without a copy."""
    found = np.frombuffer(content, dtype=np.uint8)
    found.flags.writeable = False
    return found
