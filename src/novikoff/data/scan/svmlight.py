"""The loop over svmlight text: ``label [qid:n] [cost:c] column:value ... [# comment]``."""

from __future__ import annotations

import numpy as np

from novikoff.data.scan.numbers import DIGITS, number, rare_number
from novikoff.data.scan.text import (
    ASK,
    AT,
    BELOW_ONE,
    CELLS,
    COLON,
    DONE,
    DROPPED,
    HASH,
    LARGEST,
    LETTER_C,
    LETTER_D,
    LETTER_I,
    LETTER_O,
    LETTER_Q,
    LETTER_S,
    LETTER_T,
    LINES,
    NEGATIVE,
    NEWLINE,
    NOT_A_COLUMN,
    NOT_A_NUMBER,
    PLACE,
    ROUNDED,
    ROUNDED_ROW,
    ROWS,
    START,
    TOO_LARGE,
    TWICE,
    ZERO,
    Fault,
    Floats,
    Integers,
    Parsed,
    Text,
    byte_at,
    digit_at,
    is_blank,
    is_sign,
    next_line,
    sort,
)
from novikoff.engine.compile import inlined, kernel, outlined


@inlined
def _skip_blanks(text: Text, p: int) -> int:
    while is_blank(byte_at(text, p)):
        p += 1
    return p


@inlined
def _ends_cells(c: int) -> bool:
    return c == NEWLINE or c == HASH  # of `c in` Numba makes a loop


@inlined
def _ends_token(c: int) -> bool:
    return is_blank(c) or _ends_cells(c)


@outlined
def _saturated(text: Text, p: int, stop: int) -> int:
    """An integer of many digits, or one that is too large."""
    n = 0
    while p < stop and n <= LARGEST:
        n = n * 10 + digit_at(text, p)
        p += 1
    return n if p == stop else LARGEST + 1


@outlined
def _skip_query(text: Text, p: int) -> int:
    """Past ``qid:n``; p itself where there is none."""
    at = p
    for c in (LETTER_Q, LETTER_I, LETTER_D, COLON):
        if byte_at(text, at) != c:
            return p
        at += 1
    c = byte_at(text, at)
    if is_sign(c):
        at += 1
    start = at
    while 0 <= digit_at(text, at) <= 9:
        at += 1
    return at if at > start and _ends_token(byte_at(text, at)) else p


@outlined
def _begins_cost(text: Text, p: int) -> int:
    """Past ``cost:``; p itself where there is none."""
    at = p
    for c in (LETTER_C, LETTER_O, LETTER_S, LETTER_T, COLON):
        if byte_at(text, at) != c:
            return p
        at += 1
    return at


@inlined
def _svmlight_line(
    text: Text,
    p: int,
    base: int,
    width: int,
    state: Integers,
    rows: Parsed,
    given: Floats,
    known: int,
    asked: Integers,
) -> Fault:
    """Read the line whose label is at p. Returns a code, and the place of the fault or of the line's end."""
    start = p
    fault, label, p = rare_number(text, p, given, known, asked)
    if not _ends_token(byte_at(text, p)):
        fault = NOT_A_NUMBER
    if fault != DONE:
        return fault, start
    row, first, dropped = state[ROWS], state[CELLS], state[DROPPED]
    k = first
    last = -1
    ordered = True
    p = _skip_blanks(text, p)
    if byte_at(text, p) == LETTER_Q:
        p = _skip_blanks(text, _skip_query(text, p))
    weight = 1.0
    start = _begins_cost(text, p) if byte_at(text, p) == LETTER_C else p
    if start > p:
        fault, weight, p = rare_number(text, start, given, known, asked)
        if not _ends_token(byte_at(text, p)):
            fault = NOT_A_NUMBER
        if fault == DONE and weight < 0.0:
            fault = NEGATIVE
        if fault != DONE:
            return fault, start
        p = _skip_blanks(text, p)
    while True:
        c = byte_at(text, p)
        if _ends_cells(c):
            break
        start = p
        column = 0
        d = c - ZERO
        while d >= 0 and d <= 9:
            column = column * 10 + d
            p += 1
            d = digit_at(text, p)
        if p == start or d != COLON - ZERO:
            return NOT_A_COLUMN, start
        if p - start > DIGITS:
            column = _saturated(text, start, p)
        column -= base
        if column < 0:
            return BELOW_ONE, start
        if width < 0 and column + base > LARGEST:
            return TOO_LARGE, start
        start = p + 1
        fault, x, p = number(text, start, given, known, asked)
        if not _ends_token(byte_at(text, p)):
            fault = NOT_A_NUMBER
        if fault != DONE:
            return fault, start
        if width >= 0 and column >= width:
            dropped += 1
        else:
            rows.columns[np.uint64(k)] = column
            rows.values[np.uint64(k)] = x
            k += 1
            if column <= last:
                ordered = False
            last = column
        p = _skip_blanks(text, p)
    if asked[0] > known:
        return ASK, p
    if not ordered:
        sort(rows, first, k)
        for j in range(first + 1, k):
            if rows.columns[j] == rows.columns[j - 1]:
                return TWICE, p
    rows.labels[row] = label
    rows.weights[row] = weight
    rows.indptr[row + 1] = k
    state[ROWS] = row + 1
    state[CELLS] = k
    state[DROPPED] = dropped
    return DONE, p


@kernel
def svmlight(text: Text, base: int, width: int, state: Integers, rows: Parsed, given: Floats, asked: Integers) -> int:
    """Read lines from state[AT] on, to the end or to a line that Python must see.

    Columns are numbered from `base`; those from `width` on are dropped, unless it is negative. `given`
    answers what the first line asked.
    """
    known = given.shape[0]
    while state[AT] < text.shape[0]:
        start = state[AT]
        p = _skip_blanks(text, start)
        if not _ends_cells(byte_at(text, p)):
            asked[0] = 0
            rounded = asked[ROUNDED]
            fault, p = _svmlight_line(text, p, base, width, state, rows, given, known, asked)
            if asked[0] > known:
                asked[ROUNDED] = rounded
                return ASK
            if fault != DONE:
                asked[ROUNDED] = rounded
                state[START], state[PLACE] = start, p
                state[AT] = next_line(text, p)
                state[LINES] += 1
                return fault
            known = 0
            if rounded == 0 and asked[ROUNDED] > 0:
                asked[ROUNDED_ROW] = state[ROWS] - 1
        state[AT] = next_line(text, p)
        state[LINES] += 1
    return DONE
