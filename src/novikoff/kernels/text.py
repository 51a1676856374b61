"""Parsers of example lines: bytes in, CSR rows out, in one pass and without allocation.

A number becomes the float64 nearest to it, ties to even, as in Python's `float`. Up to 18 digits make
an integer w, and the number is w * 10^q. If w <= 2^53 and |q| <= 22, both factors are exact and one
multiplication or division rounds right (Clinger 1990). Otherwise w is multiplied by 128 bits of 10^q,
which suffice for every w < 2^64 (Lemire 2021; Mushtak and Lemire 2023). More than 18 digits lie between
w and w + 1; where these two round to different floats, the number is asked back: the loop stops before
the line, and is called again with the answers.

Names of columns are kept in a table with open addressing and compared byte by byte: two names never
share a column. Its hash is a polynomial over the integers mod 2^61 - 1 at a secret point, so nobody
can choose names that collide.

Every text ends with a newline, which therefore ends every scan.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.kernels.compile import inlined, kernel, outlined

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

TAB, NEWLINE, RETURN, SPACE, HASH, QUOTE, PLUS, MINUS, DOT, ZERO, COLON, CARET, BAR = b"\t\n\r #'+-.0:^|"
LETTER_E, CAPITAL_E, LETTER_Q, LETTER_I, LETTER_D = b"eEqid"

Fault = tuple[int, int]  # a code and a place


@inlined
def _byte(text: Text, p: int) -> int:
    return int(text[np.uint64(p)])


@inlined
def _digit(text: Text, p: int) -> int:
    """0 to 9, and something else for what is no digit."""
    return int(text[np.uint64(p)]) - ZERO


@inlined
def _is_sign(c: int) -> bool:
    return c == MINUS or c == PLUS  # of `c in` Numba makes a loop


@inlined
def _is_space(c: int) -> bool:
    return c == SPACE or c == TAB  # of `c in` Numba makes a loop


@inlined
def _is_blank(c: int) -> bool:
    """White space within a line."""
    return c == SPACE or (c >= TAB and c <= RETURN and c != NEWLINE)


@kernel
def count(text: Text, byte: int) -> int:
    found = 0
    for p in range(text.shape[0]):
        found += text[p] == byte
    return found


@outlined
def _next_line(text: Text, p: int) -> int:
    while _byte(text, p) != NEWLINE:
        p += 1
    return p + 1


# Numbers.

EXACT = 1 << 53
DIGITS = 18  # 10^18 < 2^63
TENS = np.array([float(10**q) for q in range(23)])  # exact
LOWEST, HIGHEST = -342, 308  # w * 10^q is 0 below and infinite above, for every w < 2^64

U0, U1, U3, U32, U63 = (np.uint64(n) for n in (0, 1, 3, 32, 63))
LOW32 = np.uint64((1 << 32) - 1)
ALL64 = np.uint64((1 << 64) - 1)


def _power(q: int) -> int:
    """The leading 128 bits of 10^q, that is of 5^q; where 5^-q < 2^63 they are rounded up, else down."""
    five: int = 5 ** abs(q)
    bits = five.bit_length()
    if q < 0:
        return (1 << (bits + 127)) // five + (1 if bits <= 63 else 0)
    return five << (128 - bits) if bits <= 128 else five >> (bits - 128)


POWERS = np.array(
    [[power >> 64, power & int(ALL64)] for power in map(_power, range(LOWEST, HIGHEST + 1))], dtype=np.uint64
)


@inlined
def _multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The high and the low half of a * b."""
    a1, a0 = a >> U32, a & LOW32
    b1, b0 = b >> U32, b & LOW32
    low = a0 * b0
    middle = a1 * b0 + (low >> U32)
    other = a0 * b1 + (middle & LOW32)
    return a1 * b1 + (middle >> U32) + (other >> U32), (other << U32) | (low & LOW32)


@outlined
def _nearest(w: int, q: int) -> float:
    """The float64 nearest to w * 10^q, for 0 <= w < 2^63."""
    if w == 0 or q < LOWEST:
        return 0.0
    if q > HIGHEST:
        return math.inf
    m = np.uint64(w)
    shift = 0
    for step in (32, 16, 8, 4, 2, 1):
        if m >> np.uint64(64 - step) == U0:
            m <<= np.uint64(step)
            shift += step  # in the end 2^63 <= m < 2^64
    high, low = _multiply(m, POWERS[q - LOWEST, 0])
    if high & np.uint64(511) == np.uint64(511):  # the bits that follow could carry into those that are kept
        more, _ = _multiply(m, POWERS[q - LOWEST, 1])
        if more > ALL64 - low:
            high += U1
            low = more - (ALL64 - low) - U1
        else:
            low += more
    top = int(high >> U63)
    kept = high >> np.uint64(top + 9)  # 54 bits: the 53 of the float and one to round by
    exponent = ((217706 * q) >> 16) + top - shift + 10  # the number is kept * 2^exponent, and a fraction of that
    below = -1075 - exponent
    if below > 0:  # subnormal: fewer bits
        if below >= 64:
            return 0.0
        kept >>= np.uint64(below)
        exponent += below
    elif low <= U1 and -4 <= q <= 23 and kept & U3 == U1 and kept << np.uint64(top + 9) == high:
        kept -= U1  # exactly half way, and the even one is below
    kept = (kept + (kept & U1)) >> U1
    if exponent > 970 or (exponent == 970 and kept == np.uint64(EXACT)):
        return math.inf
    return math.ldexp(float(kept), exponent + 1)


@outlined
def _round(text: Text, p: int, exponent: int) -> float:
    """The float64 nearest to the digits from p on, times 10^exponent; nan if the first 18 do not decide."""
    w = 0
    kept = 0
    q = exponent
    rest = False
    fraction = False
    while True:
        c = _byte(text, p)
        d = c - ZERO
        if c == DOT and not fraction:
            fraction = True
        elif d < 0 or d > 9:
            break
        elif kept < DIGITS:
            w = w * 10 + d
            if w > 0:
                kept += 1
            if fraction:
                q -= 1
        else:
            rest = rest or d > 0
            if not fraction:
                q += 1
        p += 1
    low = _nearest(w, q)
    if rest and _nearest(w + 1, q) != low:
        return math.nan
    return low


@outlined
def _recall(place: int, given: Floats, known: int, asked: Integers) -> float:
    """The answer to a number that digits did not decide. Without one, note its place and go on with 0."""
    n = asked[0]
    asked[0] = n + 1
    if n < known:
        return float(given[n])
    asked[n + 1] = place
    return 0.0


@inlined
def _number(text: Text, p: int, given: Floats, known: int, asked: Integers) -> tuple[int, float, int]:
    """A code, the number at p, and where it ends."""
    c = _byte(text, p)
    if _is_sign(c):
        p += 1
    first = p
    w = 0
    d = _digit(text, p)
    while d >= 0 and d <= 9:
        w = w * 10 + d
        p += 1
        d = _digit(text, p)
    digits = p - first
    q = 0
    if d == DOT - ZERO:
        p += 1
        point = p
        d = _digit(text, p)
        while d >= 0 and d <= 9:
            w = w * 10 + d
            p += 1
            d = _digit(text, p)
        q = point - p
        digits -= q
    if digits == 0:
        return NOT_A_NUMBER, 0.0, p
    exponent = 0
    if d == LETTER_E - ZERO or d == CAPITAL_E - ZERO:
        p += 1
        sign = _byte(text, p)
        if _is_sign(sign):
            p += 1
        start = p
        d = _digit(text, p)
        while d >= 0 and d <= 9:
            if exponent < 1 << 56:  # far more than a text has digits to make up for
                exponent = exponent * 10 + d
            p += 1
            d = _digit(text, p)
        if p == start:
            return NOT_A_NUMBER, 0.0, p
        if sign == MINUS:
            exponent = -exponent
        q += exponent
    if digits <= DIGITS and w <= EXACT and q <= 22 and q >= -22:
        x = float(w) / float(TENS[np.uint64(-q)]) if q < 0 else float(w) * float(TENS[np.uint64(q)])
    else:
        x = _round(text, first, exponent)
        if x != x:
            x = _recall(first, given, known, asked)
        if x == math.inf:
            return NOT_FINITE, 0.0, p
    return DONE, -x if c == MINUS else x, p


@outlined
def _rare_number(text: Text, p: int, given: Floats, known: int, asked: Integers) -> tuple[int, float, int]:
    return _number(text, p, given, known, asked)


# Rows.


class Rows(NamedTuple):
    """Room for what is read, and scratch."""

    labels: Floats
    indptr: Integers
    columns: NDArray[np.int32]
    values: Floats
    keys: Integers
    spare: Integers
    copy: Floats


RUN = 32


@outlined
def _sort(rows: Rows, start: int, stop: int) -> None:
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


# svmlight: label [qid:n] column:value ... [# comment]


@inlined
def _skip_blanks(text: Text, p: int) -> int:
    while _is_blank(_byte(text, p)):
        p += 1
    return p


@inlined
def _ends_cells(c: int) -> bool:
    return c == NEWLINE or c == HASH  # of `c in` Numba makes a loop


@inlined
def _ends_token(c: int) -> bool:
    return _is_blank(c) or _ends_cells(c)


@outlined
def _saturated(text: Text, p: int, stop: int) -> int:
    """An integer of many digits, or one that is too large."""
    n = 0
    while p < stop and n <= LARGEST:
        n = n * 10 + _digit(text, p)
        p += 1
    return n if p == stop else LARGEST + 1


@outlined
def _skip_query(text: Text, p: int) -> int:
    """Past ``qid:n``; p itself where there is none."""
    at = p
    for c in (LETTER_Q, LETTER_I, LETTER_D, COLON):
        if _byte(text, at) != c:
            return p
        at += 1
    c = _byte(text, at)
    if _is_sign(c):
        at += 1
    start = at
    while 0 <= _digit(text, at) <= 9:
        at += 1
    return at if at > start and _ends_token(_byte(text, at)) else p


@inlined
def _svmlight_line(
    text: Text, p: int, base: int, width: int, state: Integers, rows: Rows, given: Floats, known: int, asked: Integers
) -> Fault:
    """Read the line whose label is at p. Returns a code, and the place of the fault or of the line's end."""
    start = p
    fault, label, p = _rare_number(text, p, given, known, asked)
    if not _ends_token(_byte(text, p)):
        fault = NOT_A_NUMBER
    if fault != DONE:
        return fault, start
    row, first, dropped = state[ROWS], state[CELLS], state[DROPPED]
    k = first
    last = -1
    ordered = True
    p = _skip_blanks(text, p)
    if _byte(text, p) == LETTER_Q:
        p = _skip_blanks(text, _skip_query(text, p))
    while True:
        c = _byte(text, p)
        if _ends_cells(c):
            break
        start = p
        column = 0
        d = c - ZERO
        while d >= 0 and d <= 9:
            column = column * 10 + d
            p += 1
            d = _digit(text, p)
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
        fault, x, p = _number(text, start, given, known, asked)
        if not _ends_token(_byte(text, p)):
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
        _sort(rows, first, k)
        for j in range(first + 1, k):
            if rows.columns[j] == rows.columns[j - 1]:
                return TWICE, p
    rows.labels[row] = label
    rows.indptr[row + 1] = k
    state[ROWS] = row + 1
    state[CELLS] = k
    state[DROPPED] = dropped
    return DONE, p


@kernel
def svmlight(text: Text, base: int, width: int, state: Integers, rows: Rows, given: Floats, asked: Integers) -> int:
    """Read lines from state[AT] on, to the end or to a line that Python must see.

    Columns are numbered from `base`; those from `width` on are dropped, unless it is negative. `given`
    answers what the first line asked.
    """
    known = given.shape[0]
    while state[AT] < text.shape[0]:
        start = state[AT]
        p = _skip_blanks(text, start)
        if not _ends_cells(_byte(text, p)):
            asked[0] = 0
            fault, p = _svmlight_line(text, p, base, width, state, rows, given, known, asked)
            if asked[0] > known:
                return ASK
            if fault != DONE:
                state[START], state[PLACE] = start, p
                state[AT] = _next_line(text, p)
                state[LINES] += 1
                return fault
            known = 0
        state[AT] = _next_line(text, p)
        state[LINES] += 1
    return DONE


# The names of columns.


class Names(NamedTuple):
    """Names as bytes, one after the other, and a table that finds them."""

    arena: Text
    ends: Integers  # name c is arena[ends[c] : ends[c + 1]]
    slots: Integers  # a power of two of pairs: a key, and its column or -1 for none
    key: np.uint64  # random, below 2^61 - 1


PRIME = np.uint64((1 << 61) - 1)
U2, U8, U29, U61 = (np.uint64(n) for n in (2, 8, 29, 61))
WORD = 7  # bytes
LOW29 = np.uint64((1 << 29) - 1)
FULL_WORD = np.uint64(1 << 56)


@inlined
def _times(a: np.uint64, b: np.uint64) -> np.uint64:
    """a * b mod 2^61 - 1 for a < 2^62, b < 2^61; 2^61 counts as 1, and 2^64 as 8."""
    a1, a0 = a >> U32, a & LOW32
    b1, b0 = b >> U32, b & LOW32
    low = a0 * b0
    middle = a1 * b0 + a0 * b1
    s = ((a1 * b1) << U3) + (middle >> U29) + ((middle & LOW29) << U32) + (low & PRIME) + (low >> U61)
    s = (s & PRIME) + (s >> U61)
    return s - PRIME if s >= PRIME else s


@inlined
def _absorb(h: np.uint64, word: np.uint64, byte: np.uint8, names: Names) -> tuple[np.uint64, np.uint64]:
    """Go on with the hash h of the words before, and the word begun. A word is a 1 and up to 7 bytes."""
    word = word << U8 | np.uint64(byte)
    if word >= FULL_WORD:
        return _times(h + word, names.key), U1
    return h, word


@inlined
def _seal(h: np.uint64, word: np.uint64, names: Names) -> np.uint64:
    """The hash of a name: a polynomial whose coefficients are its words, at the key.

    Different names of at most n words are different polynomials, which agree at no more than n of 2^61 keys.
    """
    h = _times(h + word, names.key)
    return h ^ h >> U32


@inlined
def _key(h: np.uint64, word: np.uint64, size: int, names: Names) -> np.int64:
    """What tells names apart: a short one is a word, which is positive; a long one has a hash, here below -1."""
    return np.int64(word) if size < WORD else -2 - np.int64(_seal(h, word, names))


@inlined
def _hash(key: np.int64, names: Names) -> np.uint64:
    return _seal(U0, np.uint64(key), names) if key > 0 else np.uint64(-2 - key)


@inlined
def _key_of(names: Names, column: int) -> np.int64:
    h, word = U0, U1
    for p in range(names.ends[column], names.ends[column + 1]):
        h, word = _absorb(h, word, names.arena[p], names)
    return _key(h, word, names.ends[column + 1] - names.ends[column], names)


@inlined
def _is_name(names: Names, column: int, text: Text, space: int, space_end: int, start: int, stop: int) -> bool:
    """Is this the name of the column: text[start:stop], after text[space:space_end] and ^ if that is not empty?"""
    a = names.ends[np.uint64(column)]
    size = stop - start
    if space_end > space:
        size += space_end - space + 1
    if names.ends[np.uint64(column + 1)] - a != size:
        return False
    if space_end > space:
        for p in range(space, space_end):
            if names.arena[np.uint64(a)] != text[np.uint64(p)]:
                return False
            a += 1
        if names.arena[np.uint64(a)] != CARET:
            return False
        a += 1
    for p in range(start, stop):
        if names.arena[np.uint64(a)] != text[np.uint64(p)]:
            return False
        a += 1
    return True


@outlined
def _append(names: Names, column: int, text: Text, space: int, space_end: int, start: int, stop: int) -> int:
    a = names.ends[column]
    if 4 * (column + 1) > names.slots.shape[0] or column + 1 >= names.ends.shape[0]:
        return FULL_TABLE
    if a + (space_end - space + 1) + (stop - start) > names.arena.shape[0]:
        return FULL_ARENA
    if space_end > space:
        for p in range(space, space_end):
            names.arena[a] = text[p]
            a += 1
        names.arena[a] = CARET
        a += 1
    for p in range(start, stop):
        names.arena[a] = text[p]
        a += 1
    names.ends[column + 1] = a
    return DONE


@kernel
def enter(names: Names, start: int, stop: int) -> int:
    """Put these columns into the table; stops at a name that is there already, and returns its column."""
    mask = np.uint64(names.slots.shape[0] - 1)
    for column in range(start, stop):
        key = _key_of(names, column)
        i = _hash(key, names) << U1 & mask
        while names.slots[i + U1] >= 0:
            if names.slots[i] == key and (
                key > 0
                or _is_name(names, names.slots[i + U1], names.arena, 0, 0, names.ends[column], names.ends[column + 1])
            ):
                return column
            i = (i + U2) & mask
        names.slots[i], names.slots[i + U1] = key, column
    return stop


@outlined
def _forget(names: Names, start: int, stop: int) -> None:
    """Take the latest columns out of the table, last in first out: no search has passed over them."""
    mask = np.uint64(names.slots.shape[0] - 1)
    for column in range(stop - 1, start - 1, -1):
        i = _hash(_key_of(names, column), names) << U1 & mask
        while names.slots[i + U1] != column:
            i = (i + U2) & mask
        names.slots[i + U1] = -1


# VW: [label] [importance] ['tag]|namespace[:scale] feature[:value] ... |namespace ...


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
    c = _byte(text, p)
    return c == NEWLINE or (c == RETURN and _byte(text, p + 1) == NEWLINE)


@inlined
def _ends_feature(text: Text, p: int) -> bool:
    c = _byte(text, p)
    return _is_space(c) or c == BAR or _ends_line(text, p)


@inlined
def _scan_name(text: Text, p: int, h: np.uint64, word: np.uint64, names: Names) -> tuple[int, np.uint64, np.uint64]:
    """Where the name at p ends, and the hash so far."""
    while True:
        c = text[np.uint64(p)]
        if ENDS[c] != 0 and (ENDS[c] == 1 or _byte(text, p + 1) == NEWLINE):
            return p, h, word
        h, word = _absorb(h, word, c, names)
        p += 1


@inlined
def _skip_spaces(text: Text, p: int) -> int:
    while _is_space(_byte(text, p)):
        p += 1
    return p


@outlined
def _header(
    text: Text, p: int, row: int, rows: Rows, extras: Extras, given: Floats, known: int, asked: Integers
) -> Fault:
    """Label, importance and tag. Returns a code, and the place of the fault or of the first bar."""
    rows.labels[row] = math.nan
    extras.weights[row] = 1.0
    extras.tag[row] = extras.tag_end[row] = 0
    bar = p
    while _byte(text, bar) != BAR:
        if _byte(text, bar) == NEWLINE:
            return NO_BAR, bar
        bar += 1
    word = 0
    while True:
        p = _skip_spaces(text, p)
        if p == bar:
            return DONE, bar
        start = p
        while p < bar and not _is_space(_byte(text, p)):
            p += 1
        end = p
        quote = _byte(text, start) == QUOTE
        if p == bar or (quote and _skip_spaces(text, p) == bar):
            extras.tag[row], extras.tag_end[row] = (start + 1 if quote else start), end
            return DONE, bar
        fault, x, p = _rare_number(text, start, given, known, asked)
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
    count: int,
    fixed: bool,
    names: Names,
    state: Integers,
    rows: Rows,
    k: int,
) -> tuple[int, int]:
    """Columns for the names of a namespace that wait with their hashes; a code, and the place after the last cell.

    One after the other and with nothing between, so that the processor waits for several of them at once.
    """
    mask = np.uint64(names.slots.shape[0] - 1)
    for j in range(count):
        key = rows.keys[np.uint64(j)]
        extent = rows.spare[np.uint64(j)]
        start, stop = extent >> 32, extent & 0xFFFFFFFF
        i = _hash(key, names) << U1 & mask
        column = names.slots[i + U1]
        while column >= 0 and not (
            names.slots[i] == key and (key > 0 or _is_name(names, column, text, space, space_end, start, stop))
        ):
            i = (i + U2) & mask
            column = names.slots[i + U1]
        if column < 0:
            if fixed:
                state[DROPPED] += 1
                continue
            column = state[NAMES]
            fault = _append(names, column, text, space, space_end, start, stop)
            if fault != DONE:
                return fault, k
            names.slots[i], names.slots[i + U1] = key, column
            state[NAMES] = column + 1
        rows.columns[np.uint64(k)] = column
        rows.values[np.uint64(k)] = rows.copy[np.uint64(j)]
        k += 1
    return DONE, k


@inlined
def _vw_line(
    text: Text,
    p: int,
    fixed: bool,
    names: Names,
    state: Integers,
    rows: Rows,
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
    k = first
    waiting = 0
    scale = 1.0
    space = space_end = p
    outer = 0  # bytes of the name before those of the feature
    prefix, prefix_word = U0, U1
    while not _ends_line(text, p):
        c = _byte(text, p)
        if c == BAR:
            fault, k = _look_up(text, space, space_end, waiting, fixed, names, state, rows, k)
            if fault != DONE:
                return fault, p
            waiting = 0
            p += 1
            space = p
            p, prefix, prefix_word = _scan_name(text, p, U0, U1, names)
            space_end = p
            outer = space_end - space + 1 if space_end > space else 0
            if space_end > space:
                prefix, prefix_word = _absorb(prefix, prefix_word, np.uint8(CARET), names)
            scale = 1.0
            if _byte(text, p) == COLON:
                if space_end == space:
                    return NO_NAME, p
                start = p + 1
                fault, scale, p = _rare_number(text, start, given, known, asked)
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
        if _byte(text, p) == COLON:
            fault, x, p = _number(text, stop + 1, given, known, asked)
            if not _ends_feature(text, p):
                fault = NOT_A_NUMBER
            if fault != DONE:
                return fault, stop + 1
        x *= scale
        if math.isinf(x):
            return NOT_FINITE, start
        at = np.uint64(waiting)
        rows.keys[at] = _key(h, word, stop - start + outer, names)
        rows.spare[at] = start << 32 | stop
        rows.copy[at] = x
        waiting += 1
        p = _skip_spaces(text, p)
    fault, k = _look_up(text, space, space_end, waiting, fixed, names, state, rows, k)
    if fault != DONE:
        return fault, p
    ordered = True
    for j in range(first + 1, k):
        ordered = ordered and rows.columns[np.uint64(j - 1)] < rows.columns[np.uint64(j)]
    if asked[0] > known:
        return ASK, p
    if not ordered:
        _sort(rows, first, k)
        k = _merge(rows, first, k)
        if k < 0:
            return NOT_FINITE, bar
    rows.indptr[row + 1] = k
    state[ROWS] = row + 1
    state[CELLS] = k
    return DONE, p


@inlined
def _merge(rows: Rows, start: int, stop: int) -> int:
    """Add up cells of the same column, in the order of the text. Returns the new end, or -1 for an infinite sum."""
    k = start
    for j in range(start + 1, stop):
        if rows.columns[j] == rows.columns[k]:
            total = float(rows.values[k]) + float(rows.values[j])
            if math.isinf(total):
                return -1
            rows.values[k] = total
        else:
            k += 1
            rows.columns[k] = rows.columns[j]
            rows.values[k] = rows.values[j]
    return k + 1


@kernel
def vw(
    text: Text,
    fixed: bool,
    names: Names,
    state: Integers,
    rows: Rows,
    extras: Extras,
    given: Floats,
    asked: Integers,
) -> int:
    """Read lines from state[AT] on, to the end or to a line that Python must see.

    A new name becomes the next column, or is dropped if the names are `fixed`. A line that is not read to its
    end leaves no names behind.
    """
    known = given.shape[0]
    while state[AT] < text.shape[0]:
        start = state[AT]
        p = _skip_spaces(text, start)
        if not _ends_line(text, p):
            asked[0] = 0
            columns = state[NAMES]
            dropped = state[DROPPED]
            fault, p = _vw_line(text, p, fixed, names, state, rows, extras, given, known, asked)
            if fault != DONE:
                _forget(names, columns, state[NAMES])
                state[NAMES], state[DROPPED] = columns, dropped
                if fault in (FULL_TABLE, FULL_ARENA):
                    return fault
            if asked[0] > known:
                return ASK
            if fault != DONE:
                state[START], state[PLACE] = start, p
                state[AT] = _next_line(text, p)
                state[LINES] += 1
                return fault
            known = 0
        state[AT] = _next_line(text, p)
        state[LINES] += 1
    return DONE
