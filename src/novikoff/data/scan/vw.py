"""The loop over VW text: ``[label] [importance] ['tag]|namespace[:scale] feature[:value] ... |namespace ...``."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from novikoff.data.scan.name_table import Names, absorb, append, find, first_slot, forget, key_of
from novikoff.data.scan.numbers import EXACT, multiply, note, number, rare_number
from novikoff.data.scan.text import (
    ASK,
    AT,
    BAR,
    CARET,
    CELLS,
    COLON,
    DONE,
    DROPPED,
    FULL_ARENA,
    FULL_TABLE,
    LINES,
    NAMES,
    NEGATIVE,
    NEWLINE,
    NO_BAR,
    NO_NAME,
    NOT_A_NUMBER,
    NOT_FINITE,
    PLACE,
    QUOTE,
    RETURN,
    ROUNDED,
    ROUNDED_ROW,
    ROWS,
    RUN,
    SPACE,
    START,
    TAB,
    TOO_MANY,
    U0,
    U1,
    U2,
    Fault,
    Floats,
    Integers,
    Parsed,
    Text,
    byte_at,
    is_space,
    next_line,
    sort,
)
from novikoff.engine.compile import inlined, kernel, outlined, prefetch
from novikoff.engine.storage import two_sum


class Extras(NamedTuple):
    """What a VW line has beside a row: its importance, and where its tag is."""

    weights: Floats
    tag: Integers
    tag_end: Integers


# What ends a name: 1 always, 2 if the line ends.
ENDS = np.zeros(256, dtype=np.uint8)
ENDS[[SPACE, TAB, COLON, BAR, NEWLINE]] = 1
ENDS[RETURN] = 2


@inlined
def _ends_line(text: Text, p: int) -> bool:
    c = byte_at(text, p)
    return c == NEWLINE or (c == RETURN and byte_at(text, p + 1) == NEWLINE)


@inlined
def _ends_feature(text: Text, p: int) -> bool:
    c = byte_at(text, p)
    return is_space(c) or c == BAR or _ends_line(text, p)


@inlined
def _scan_name(text: Text, p: int, h: np.uint64, word: np.uint64, names: Names) -> tuple[int, np.uint64, np.uint64]:
    """Where the name at p ends, and the hash so far."""
    while True:
        c = text[np.uint64(p)]
        if ENDS[c] != 0 and (ENDS[c] == 1 or byte_at(text, p + 1) == NEWLINE):
            return p, h, word
        h, word = absorb(h, word, c, names)
        p += 1


@inlined
def _skip_spaces(text: Text, p: int) -> int:
    while is_space(byte_at(text, p)):
        p += 1
    return p


@outlined
def _header(
    text: Text, p: int, row: int, rows: Parsed, extras: Extras, given: Floats, known: int, asked: Integers
) -> Fault:
    """Label, importance and tag. Returns a code, and the place of the fault or of the first bar."""
    rows.labels[row] = math.nan
    extras.weights[row] = 1.0
    extras.tag[row] = extras.tag_end[row] = 0
    bar = p
    while byte_at(text, bar) != BAR:
        if byte_at(text, bar) == NEWLINE:
            return NO_BAR, bar
        bar += 1
    word = 0
    while True:
        p = _skip_spaces(text, p)
        if p == bar:
            return DONE, bar
        start = p
        while p < bar and not is_space(byte_at(text, p)):
            p += 1
        end = p
        quote = byte_at(text, start) == QUOTE
        if p == bar or (quote and _skip_spaces(text, p) == bar):
            extras.tag[row], extras.tag_end[row] = (start + 1 if quote else start), end
            return DONE, bar
        fault, x, p = rare_number(text, start, given, known, asked)
        word += 1
        if word == 3:
            return TOO_MANY, start
        if p != end:
            fault = NOT_A_NUMBER
        if fault != DONE:
            return fault, start
        if word == 1:
            rows.labels[row] = x
        elif x < 0.0:
            return NEGATIVE, start
        else:
            extras.weights[row] = x


@inlined
def _look_up(
    text: Text,
    space: int,
    space_end: int,
    begin: int,
    end: int,
    fixed: bool,
    names: Names,
    base: int,
    own: Names,
    state: Integers,
    rows: Parsed,
) -> tuple[int, int]:
    """Put columns for the names of a namespace that wait from `begin` to `end`; a code, and where the kept ones end.

    First the two slots where a short name most likely is, without a branch, so that the processor waits for several of
    them at once.
    """
    mask = np.uint64(names.slots.shape[0] - 1)
    found = state[CELLS]
    for j in range(begin, end):
        key = rows.keys[np.uint64(j)]
        i = first_slot(key, names)
        column = names.slots[i + U1] if names.slots[i] == key else -1
        i = (i + U2) & mask
        column = names.slots[i + U1] if names.slots[i] == key else column
        rows.columns[np.uint64(found + j)] = column if key > 0 else -1
    kept = begin
    for j in range(begin, end):
        column = np.int64(rows.columns[np.uint64(found + j)])
        if column < 0:
            key = rows.keys[np.uint64(j)]
            extent = rows.spare[np.uint64(j)]
            start, stop = extent >> 32, extent & 0xFFFFFFFF
            _, column = find(names, key, text, space, space_end, start, stop)
        if column < 0:
            if fixed:
                state[DROPPED] += 1
                continue
            i, column = find(own, key, text, space, space_end, start, stop)
            if column < 0:
                column = state[NAMES]
                fault = append(own, column, text, space, space_end, start, stop)
                if fault != DONE:
                    return fault, kept
                own.slots[i], own.slots[i + U1] = key, column
                state[NAMES] = column + 1
            column += base
        rows.spare[np.uint64(kept)] = column
        rows.copy[np.uint64(kept)] = rows.copy[np.uint64(j)]
        kept += 1
    return DONE, kept


@inlined
def _is_whole(x: float) -> bool:
    return x == math.floor(x)


@inlined
def _odd_part(x: float) -> np.uint64:
    """The odd integer m with |x| = m 2^k, for x != 0; it has at most 53 bits."""
    fraction, _ = math.frexp(abs(x))
    m = np.uint64(math.ldexp(fraction, 53))
    while m & U1 == U0:
        m >>= U1
    return m


@outlined
def _scaled(x: float, scale: float, place: int, asked: Integers) -> float:
    """x times the scale of its namespace.

    Noted, with ~place, if they are integers and float64 does not hold their product, or if nothing but zero is left
    of it.
    """
    product = x * scale
    if x == 0.0 or scale == 0.0 or math.isinf(product):
        return product
    lost = product == 0.0
    if abs(product) >= EXACT and _is_whole(x) and _is_whole(scale):
        high, low = multiply(_odd_part(x), _odd_part(scale))
        lost = bool(high > U0 or low >= np.uint64(EXACT))
    if lost:
        note(~place, asked)
    return product


@outlined
def _merged(rows: Parsed, start: int, stop: int, bar: int, asked: Integers) -> int:
    """Order cells, and add up those of one column in the order of the text. Returns the new end, or -1.

    A sum of integers that float64 does not hold is noted, with the place ~bar of the first bar.
    """
    sort(rows, start, stop)
    k = start
    for j in range(start + 1, stop):
        if rows.columns[j] == rows.columns[k]:
            x, y = float(rows.values[k]), float(rows.values[j])
            total, error = two_sum(x, y)
            if math.isinf(total):
                return -1
            if error != 0.0 and _is_whole(x) and _is_whole(y):
                note(~bar, asked)
            rows.values[k] = total
        else:
            k += 1
            rows.columns[k] = rows.columns[j]
            rows.values[k] = rows.values[j]
    return k + 1


@inlined
def _ordered(rows: Parsed, first: int, n: int, bar: int, asked: Integers) -> int:
    """Put the cells that wait, in the order of their columns, at `first`. Returns their end, or -1 for an infinite sum.

    A column goes to the place that is the number of smaller ones. These add up to less than 0 + 1 + ... only if one
    appears twice.
    """
    falls = 0
    for j in range(1, n):
        falls += rows.spare[np.uint64(j)] <= rows.spare[np.uint64(j - 1)]
    if falls > 0 and n <= RUN:
        total = 0
        for k in range(n):
            column = rows.spare[np.uint64(k)]
            place = 0
            for j in range(n):
                place += rows.spare[np.uint64(j)] < column
            rows.columns[np.uint64(first + place)] = column
            rows.values[np.uint64(first + place)] = rows.copy[np.uint64(k)]
            total += place
        if 2 * total == n * (n - 1):
            return first + n
    for j in range(n):
        rows.columns[np.uint64(first + j)] = rows.spare[np.uint64(j)]
        rows.values[np.uint64(first + j)] = rows.copy[np.uint64(j)]
    return _merged(rows, first, first + n, bar, asked) if falls > 0 else first + n


@inlined
def _vw_line(
    text: Text,
    p: int,
    fixed: bool,
    names: Names,
    base: int,
    own: Names,
    state: Integers,
    rows: Parsed,
    extras: Extras,
    given: Floats,
    known: int,
    asked: Integers,
) -> Fault:
    """Read the line at p. Returns a code, and the place of the fault or of the line's end."""
    row, first = state[ROWS], state[CELLS]
    fault, p = _header(text, p, row, rows, extras, given, known, asked)
    if fault != DONE:
        return fault, p
    bar = p
    waiting = begin = 0
    scale = 1.0
    space = space_end = p
    outer = 0  # bytes of the name before those of the feature
    prefix, prefix_word = U0, U1
    while not _ends_line(text, p):
        c = byte_at(text, p)
        if c == BAR:
            fault, begin = _look_up(text, space, space_end, begin, waiting, fixed, names, base, own, state, rows)
            if fault != DONE:
                return fault, p
            waiting = begin
            p += 1
            space = p
            p, prefix, prefix_word = _scan_name(text, p, U0, U1, names)
            space_end = p
            outer = space_end - space + 1 if space_end > space else 0
            if space_end > space:
                prefix, prefix_word = absorb(prefix, prefix_word, np.uint8(CARET), names)
            scale = 1.0
            if byte_at(text, p) == COLON:
                if space_end == space:
                    return NO_NAME, p
                start = p + 1
                fault, scale, p = rare_number(text, start, given, known, asked)
                if not _ends_feature(text, p):
                    fault = NOT_A_NUMBER
                if fault != DONE:
                    return fault, start
            p = _skip_spaces(text, p)
            continue
        start = p
        p, h, word = _scan_name(text, p, prefix, prefix_word, names)
        stop = p
        if start == stop:
            return NO_NAME, p
        x = 1.0
        if byte_at(text, p) == COLON:
            fault, x, p = number(text, stop + 1, given, known, asked)
            if not _ends_feature(text, p):
                fault = NOT_A_NUMBER
            if fault != DONE:
                return fault, stop + 1
        if scale != 1.0:
            x = _scaled(x, scale, stop + 1, asked)
        if math.isinf(x):
            return NOT_FINITE, start
        at = np.uint64(waiting)
        key = key_of(h, word, stop - start + outer, names)
        rows.keys[at] = key
        prefetch(names.slots, first_slot(key, names))
        rows.spare[at] = start << 32 | stop
        rows.copy[at] = x
        waiting += 1
        p = _skip_spaces(text, p)
    fault, waiting = _look_up(text, space, space_end, begin, waiting, fixed, names, base, own, state, rows)
    if fault != DONE:
        return fault, p
    if asked[0] > known:
        return ASK, p
    k = _ordered(rows, first, waiting, bar, asked)
    if k < 0:
        return NOT_FINITE, bar
    rows.indptr[row + 1] = k
    state[ROWS] = row + 1
    state[CELLS] = k
    return DONE, p


@kernel
def vw(
    text: Text,
    fixed: bool,
    names: Names,
    base: int,
    own: Names,
    state: Integers,
    rows: Parsed,
    extras: Extras,
    given: Floats,
    asked: Integers,
) -> int:
    """Read lines from state[AT] on, to the end or to a line that Python must see.

    A name that is not among `names` is dropped if these are `fixed`; otherwise it is entered in `own`, and its column
    is `base` more than its number there. A line that is not read to its end leaves no names behind.
    """
    known = given.shape[0]
    while state[AT] < text.shape[0]:
        start = state[AT]
        p = _skip_spaces(text, start)
        if not _ends_line(text, p):
            asked[0] = 0
            rounded = asked[ROUNDED]
            columns = state[NAMES]
            dropped = state[DROPPED]
            fault, p = _vw_line(text, p, fixed, names, base, own, state, rows, extras, given, known, asked)
            if fault != DONE:
                forget(own, columns, state[NAMES])
                state[NAMES], state[DROPPED] = columns, dropped
                if fault in (FULL_TABLE, FULL_ARENA):
                    asked[ROUNDED] = rounded
                    return fault
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


@kernel
def renumber(rows: Parsed, count: int, base: int, columns: Integers) -> None:
    """Put columns[c - base] for the columns c >= base of so many rows, and order the rows again."""
    for row in range(count):
        start, stop = rows.indptr[row], rows.indptr[row + 1]
        new = 0
        for k in range(start, stop):
            if rows.columns[k] >= base:
                rows.columns[k] = columns[rows.columns[k] - base]
                new += 1
        if new > 0:
            sort(rows, start, stop)
