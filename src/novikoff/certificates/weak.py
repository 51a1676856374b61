"""Data without a separator may still have w with y<w,x> >= 0 throughout, not all zero: find one.

By strict complementarity (Goldman and Tucker 1956) the rows split: Z, on which every such w is zero, which are the
rows that take part in vanishing positive combinations; and the rest, on which one w is positive at once.
"""

from __future__ import annotations

import math

import numpy as np

from novikoff.certificates import corral as wolfe
from novikoff.certificates.lifting import whole
from novikoff.certificates.rational import integer_rows, integers, null_vector, orthogonal, smallest_product
from novikoff.certificates.solve import VANISHED, WIDE, CountedRows, approach, length, spread, steps_at_a_time
from novikoff.engine.rows import Indices, smallest
from novikoff.engine.storage import Vector

TOLERANCE = 2.0**-30  # rows this close to the span of Z, relatively, are taken to be in it
BLOCK = 512  # rows that are projected between two looks at the clock
LARGEST = 200  # equations for which w is made exact


def weak_separator(data: CountedRows, null_rows: Indices) -> tuple[list[int] | None, bool]:
    """Integers w with <w,a> >= 0 on every row and > 0 on some, or None; and whether it is > 0 on all of sign -1."""
    # A positive combination of rows with signs -1 vanishes: w is 0 there. With an intercept there always is one.
    lost = bool((data.signs[null_rows] < 0).any())
    if lost:
        w = _one_signed_columns(data)
        if w is not None:
            return w, False
    if data.width > WIDE:
        return None, False
    w = _by_complementarity(data, null_rows)
    if w is None:
        return None, False
    if lost:
        return w, False
    # 0 counts as +1: are the rows of sign -1 all beyond 0?
    negative = np.flatnonzero(data.signs < 0)
    return w, smallest_product(data, w, negative)[1] > 0


def _one_signed_columns(data: CountedRows) -> list[int] | None:
    """The columns with y x >= 0 on every row, minus those with y x <= 0: the cheapest weak separator."""
    above, below = data.column_signs
    w = (above & ~below).astype(int) - (below & ~above).astype(int)
    return [int(x) for x in w] if w.any() else None


def _by_complementarity(data: CountedRows, null_rows: Indices) -> list[int] | None:
    zero = null_rows
    while True:
        B = data.columns(zero)
        B[:, 0] = 0.0
        c = wolfe.corral(1 + data.width, data.width)
        free = 0
        pace = steps_at_a_time(c)
        for start in range(0, len(B), pace):
            data.look()
            free = wolfe.span(c, free, B, start, min(len(B), start + pace))
        zero = zero[c.members[:free]]
        outside = np.flatnonzero(_distances(data, c, free) > TOLERANCE * data.norms)
        if len(outside) == 0 or free > LARGEST:
            return None
        w, vanishing = _separate(data, c, free, outside)
        if w is not None:
            return _exactly(data, zero, w)
        # Which of them take part, exactly: among floats a weight of 0 looks like one of 1e-17.
        together = np.concatenate([zero, vanishing])
        p = null_vector(integer_rows(data, together).table, data.look)
        if p is None or not any(p[len(zero) :]):
            return None
        zero = np.concatenate([zero, together[len(zero) :][np.array(p[len(zero) :], dtype=object) != 0]])


def _separate(data: CountedRows, c: wolfe.Corral, free: int, outside: Indices) -> tuple[Vector | None, Indices]:
    """w orthogonal to the span and positive on the rows outside; or None and rows that cancel modulo the span."""
    which = spread(outside, data.page)
    B = data.columns(which)
    size = free
    while True:
        size = approach(data, c, size, free, B, 2.0**-10)
        members = which[c.members[free:size]]
        if length(c.r) < VANISHED:
            return None, members
        r = c.r[1 : 1 + data.width]
        w = -r / np.abs(r).max()
        z = data.products(w)
        rest = np.setdiff1d(outside[z[outside] < float(np.median(z[members])) / 2], which)
        if len(rest) == 0:
            return w, members
        new = smallest(z, rest, data.page)
        which, B = np.concatenate([which, new]), np.concatenate([B, data.columns(new)])


def _distances(data: CountedRows, c: wolfe.Corral, free: int) -> Vector:
    """How far each row is from the span, in the units of the data."""
    out = np.empty(data.n)
    Q = c.Q[:free, 1 : 1 + data.width]
    for start in range(0, data.n, BLOCK):
        data.look()
        which = np.arange(start, min(data.n, start + BLOCK))
        A = data.columns(which)[:, 1:]
        A -= (A @ Q.T) @ Q
        out[which] = np.sqrt(np.einsum("ij,ij->i", A, A)) / data.scale
    return out


def _exactly(data: CountedRows, basis: Indices, w: Vector) -> list[int] | None:
    """The w' near w that is exactly orthogonal to the rows of the basis, if it keeps its promise on every row."""
    exact, _ = integers(np.round(w * 2.0**40))
    if len(basis):
        block = integer_rows(data, basis)
        columns = block.columns.tolist()
        found = orthogonal(whole(block.table), [exact[j] for j in columns], data.look)
        if found is None:
            return None
        changed, unit = found
        exact = [unit * x for x in exact]
        for j, x in zip(columns, changed, strict=True):
            exact[j] = x
    common = math.gcd(*exact) or 1
    exact = [x // common for x in exact]
    row = int(np.argmax(data.products(w)))
    everywhere = smallest_product(data, exact)[1] >= 0
    return exact if everywhere and smallest_product(data, exact, np.array([row]))[1] > 0 else None
