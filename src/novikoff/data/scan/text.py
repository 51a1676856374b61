"""What the parsers of example lines share: bytes, the rows that come out, and what a loop says when it stops.

They read in one pass and without allocation. Every text ends with a newline, which therefore ends every scan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel, outlined

Text = NDArray[np.uint8]
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

LARGEST = (1 << 28) - 1  # a column number; the weights of so many columns take 2 GB

# What a loop returns with. From NOT_A_NUMBER on: what is wrong at state[PLACE], in the line before state[AT].
DONE, ASK, FULL_TABLE, FULL_ARENA = 0, 1, 2, 3
NOT_A_NUMBER, NOT_FINITE, NOT_A_COLUMN, BELOW_ONE, TOO_LARGE, TWICE = 10, 11, 12, 13, 14, 15
NO_BAR, NO_NAME, NEGATIVE, TOO_MANY = 20, 21, 22, 23

# The state of a loop: where it stands, what it has read, and where the last bad line is.
AT, LINES, ROWS, CELLS, DROPPED, NAMES, START, PLACE = 0, 1, 2, 3, 4, 5, 6, 7
STATE = 8

# The end of `asked`: of the numbers that float64 does not hold, the row and the place of the first, and how many.
ROUNDED_ROW, ROUNDED_PLACE, ROUNDED, ENDING = -3, -2, -1, 3

TAB, NEWLINE, RETURN, SPACE, HASH, QUOTE, PLUS, MINUS, DOT, ZERO, COLON, CARET, BAR = b"\t\n\r #'+-.0:^|"
LETTER_E, CAPITAL_E, LETTER_Q, LETTER_I, LETTER_D = b"eEqid"
LETTER_C, LETTER_O, LETTER_S, LETTER_T = b"cost"

U0, U1, U2, U3, U8, U10, U29, U32, U61, U63 = (np.uint64(n) for n in (0, 1, 2, 3, 8, 10, 29, 32, 61, 63))
LOW32 = np.uint64((1 << 32) - 1)

Fault = tuple[int, int]  # a code and a place


@inlined
def byte_at(text: Text, p: int) -> int:
    return int(text[np.uint64(p)])


@inlined
def digit_at(text: Text, p: int) -> int:
    """0 to 9, and something else for what is no digit."""
    return int(text[np.uint64(p)]) - ZERO


@inlined
def is_sign(c: int) -> bool:
    return c == MINUS or c == PLUS  # of `c in` Numba makes a loop


@inlined
def is_space(c: int) -> bool:
    return c == SPACE or c == TAB  # of `c in` Numba makes a loop


@inlined
def is_blank(c: int) -> bool:
    """White space within a line."""
    return c == SPACE or (c >= TAB and c <= RETURN and c != NEWLINE)


@kernel
def extent(text: Text) -> tuple[int, int]:
    """How many lines there are, and how many bytes that may stand before a feature: those up to a space.

    By parts, which are counted in 16 bits: a processor adds four times as many of them at once as of 64.
    """
    lines = blanks = 0
    for start in range(0, text.shape[0], 4096):
        stop = min(start + 4096, text.shape[0])
        some_lines = some_blanks = np.uint16(0)
        for p in range(np.uint64(start), np.uint64(stop)):
            some_lines = np.uint16(some_lines + np.uint16(text[p] == NEWLINE))
            some_blanks = np.uint16(some_blanks + np.uint16(text[p] <= SPACE))
        lines += int(some_lines)
        blanks += int(some_blanks)
    return lines, blanks


@outlined
def next_line(text: Text, p: int) -> int:
    while byte_at(text, p) != NEWLINE:
        p += 1
    return p + 1


class Parsed(NamedTuple):
    """Room for the rows that are parsed, and scratch."""

    labels: Floats
    weights: Floats  # of svmlight lines
    indptr: Integers
    columns: NDArray[np.int32]
    values: Floats
    keys: Integers
    spare: Integers
    copy: Floats


RUN = 32


@outlined
def sort(rows: Parsed, start: int, stop: int) -> None:
    """Order the cells of a row by column; equal columns keep their order.

    Runs are sorted by rank, which takes n^2 comparisons and no branch; runs are merged, for n log n in all.
    """
    n = stop - start
    spare, keys = rows.keys, rows.spare
    for k in range(n):
        spare[np.uint64(k)] = np.int64(rows.columns[np.uint64(start + k)]) << 32 | k
        rows.copy[np.uint64(k)] = rows.values[np.uint64(start + k)]
    for left in range(0, n, RUN):
        right = min(left + RUN, n)
        for k in range(left, right):
            key = spare[np.uint64(k)]
            rank = left
            for j in range(left, right):
                rank += spare[np.uint64(j)] < key
            keys[np.uint64(rank)] = key
    run = RUN
    while run < n:
        for left in range(0, n, 2 * run):
            middle, right = min(left + run, n), min(left + 2 * run, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or keys[i] < keys[j]):
                    spare[k] = keys[i]
                    i += 1
                else:
                    spare[k] = keys[j]
                    j += 1
        keys, spare = spare, keys
        run *= 2
    for k in range(n):
        key = keys[np.uint64(k)]
        rows.columns[np.uint64(start + k)] = key >> 32
        rows.values[np.uint64(start + k)] = rows.copy[np.uint64(key & 0xFFFFFFFF)]
