"""Names of columns, in a table with open addressing, and compared byte by byte: two names never share a column.

Its hash is a polynomial over the integers mod 2^61 - 1 at a secret point, so nobody can choose names that collide.
Several texts may be read at once: each has a table of its own for the names that the common one does not
hold, and these move to the common one in the order of the texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from novikoff.data.scan.text import (
    AT,
    CARET,
    DONE,
    FULL_ARENA,
    FULL_TABLE,
    LOW32,
    NAMES,
    U0,
    U1,
    U2,
    U3,
    U8,
    U29,
    U32,
    U61,
    Integers,
    Text,
)
from novikoff.engine.compile import inlined, kernel, outlined


class Names(NamedTuple):
    """Names as bytes, one after the other, and a table that finds them."""

    arena: Text
    ends: Integers  # name c is arena[ends[c] : ends[c + 1]]
    slots: Integers  # a power of two of pairs: a key, and its column or -1 for none
    key: np.uint64  # random, below 2^61 - 1


PRIME = np.uint64((1 << 61) - 1)
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
def absorb(h: np.uint64, word: np.uint64, byte: np.uint8, names: Names) -> tuple[np.uint64, np.uint64]:
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
def key_of(h: np.uint64, word: np.uint64, size: int, names: Names) -> np.int64:
    """What tells names apart: a short one is a word, which is positive; a long one has a hash, here below -1."""
    return np.int64(word) if size < WORD else -2 - np.int64(_seal(h, word, names))


@inlined
def first_slot(key: np.int64, names: Names) -> np.uint64:
    """The slot where a search begins.

    For a short name these are the top bits of its product with an odd number, mod 2^64 (Dietzfelbinger et al. 1997).
    """
    size = np.uint64(names.slots.shape[0])
    if key <= 0:
        return np.uint64(-2 - key) << U1 & (size - U1)
    odd = names.key << U2 | U1
    a1, a0 = np.uint64(key) >> U32, np.uint64(key) & LOW32
    b1, b0 = odd >> U32, odd & LOW32
    top = (a0 * b0 >> U32) + (a1 * b0 + a0 * b1 & LOW32) & LOW32
    return (top * (size >> U1) >> U32) << U1


@inlined
def _key_of_column(names: Names, column: int) -> np.int64:
    h, word = U0, U1
    for p in range(names.ends[column], names.ends[column + 1]):
        h, word = absorb(h, word, names.arena[p], names)
    return key_of(h, word, names.ends[column + 1] - names.ends[column], names)


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


@inlined
def find(
    names: Names, key: np.int64, text: Text, space: int, space_end: int, start: int, stop: int
) -> tuple[np.uint64, int]:
    """The slot of a name, or the empty one where it would be; its column, or -1."""
    mask = np.uint64(names.slots.shape[0] - 1)
    i = first_slot(key, names)
    column = names.slots[i + U1]
    while column >= 0 and not (
        names.slots[i] == key and (key > 0 or _is_name(names, column, text, space, space_end, start, stop))
    ):
        i = (i + U2) & mask
        column = names.slots[i + U1]
    return i, column


@outlined
def append(names: Names, column: int, text: Text, space: int, space_end: int, start: int, stop: int) -> int:
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
    for column in range(start, stop):
        key = _key_of_column(names, column)
        i, known = find(names, key, names.arena, 0, 0, names.ends[column], names.ends[column + 1])
        if known >= 0:
            return column
        names.slots[i], names.slots[i + U1] = key, column
    return stop


@kernel
def adopt(names: Names, state: Integers, own: Names, columns: Integers) -> int:
    """Columns of the common table for the names of another, from state[AT] on; new ones follow the state[NAMES] known.

    Stops where there is no room.
    """
    while state[AT] < columns.shape[0]:
        name = state[AT]
        start, stop = own.ends[name], own.ends[name + 1]
        key = _key_of_column(own, name)
        i, column = find(names, key, own.arena, 0, 0, start, stop)
        if column < 0:
            column = state[NAMES]
            fault = append(names, column, own.arena, 0, 0, start, stop)
            if fault != DONE:
                return fault
            names.slots[i], names.slots[i + U1] = key, column
            state[NAMES] = column + 1
        columns[name] = column
        state[AT] = name + 1
    return DONE


@outlined
def forget(names: Names, start: int, stop: int) -> None:
    """Take the latest columns out of the table, last in first out: no search has passed over them."""
    mask = np.uint64(names.slots.shape[0] - 1)
    for column in range(stop - 1, start - 1, -1):
        i = first_slot(_key_of_column(names, column), names)
        while names.slots[i + U1] != column:
            i = (i + U2) & mask
        names.slots[i + U1] = -1
