"""Wolfe's method as in `novikoff.certificates.corral`, with twice the digits: every number is a sum of two floats.

Where a corral is nearly dependent, or its nearest point nearly 0, a float factor has no digit left that is true. Here
the factor itself is carried to some 30 digits (Dekker 1971), so the residual is a direction again, and the rows that
it says are violated are. It takes some three times as long.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, kernel, outlined, product_error, reassociated
from novikoff.engine.loops import Signs
from novikoff.engine.storage import Storage, Vector, cells, column, two_sum, value

DEPENDENT = 2.0**-86  # as in the corral of floats


class Pair(NamedTuple):
    """A vector, or a matrix, as a sum of two: the second is below the rounding of the first."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]


def pair(*shape: int) -> Pair:
    return Pair(np.zeros(shape), np.zeros(shape))


class Corral(NamedTuple):
    """As `novikoff.certificates.corral.Corral`."""

    Q: Pair
    L: Pair
    members: NDArray[np.int64]
    p: Pair
    step: Pair
    gap: Pair
    work: Pair
    cosine: Pair
    sine: Pair
    r: Pair
    fresh: Pair


def corral(width: int, size: int) -> Corral:
    """An empty one for columns of `width` entries, at most `size` of them."""
    size += 2
    r = pair(width)
    r.high[0] = 1.0
    return Corral(
        pair(size, width),
        pair(size, size),
        np.zeros(size, dtype=np.int64),
        pair(size),
        pair(size),
        pair(size),
        pair(size),
        pair(size),
        pair(size),
        r,
        pair(width),
    )


# Numbers -----------------------------------------------------------------------------------------------


@inlined
def _plus(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    s, t = two_sum(ah, bh)
    t += al + bl
    high = s + t
    return high, t - (high - s)


@inlined
def _times(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    p = ah * bh
    e = product_error(ah, bh, p) + (ah * bl + al * bh)
    high = p + e
    return high, e - (high - p)


@inlined
def _over(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    q = ah / bh
    ph, pl = _times(-q, 0.0, bh, bl)
    rh, _ = _plus(ah, al, ph, pl)
    return _plus(q, 0.0, rh / bh, 0.0)


@inlined
def _root(ah: float, al: float) -> tuple[float, float]:
    """The square root: one step of Newton's method from that of floats."""
    if ah <= 0.0:
        return 0.0, 0.0
    x = math.sqrt(ah)
    ph, pl = _times(-x, 0.0, x, 0.0)
    rh, _ = _plus(ah, al, ph, pl)
    return _plus(x, 0.0, rh / (2.0 * x), 0.0)


# Vectors -----------------------------------------------------------------------------------------------


@inlined
def _pieces(ah: float, al: float, bh: float, bl: float, grid: float) -> tuple[float, float]:
    """a b as a multiple of the grid's last bit, and the rest."""
    p = ah * bh
    top = (p + grid) - grid
    return top, (p - top) + (product_error(ah, bh, p) + (ah * bl + al * bh))


@inlined
def _grid(most: float) -> float:
    """Numbers whose sums stay below `most` add up without rounding, once rounded to its last bit (Rump et al. 2008)."""
    return 3.0 * 2.0 ** math.frexp(most)[1]


@reassociated
def _sum(ah: Vector, al: Vector, bh: Vector, bl: Vector, grid: float) -> tuple[float, float]:
    high, low = 0.0, 0.0
    for j in range(np.uint64(ah.shape[0])):
        top, rest = _pieces(ah[j], al[j], bh[j], bl[j], grid)
        high += top
        low += rest
    return high, low


@inlined
def inner(ah: Vector, al: Vector, bh: Vector, bl: Vector, most: float) -> tuple[float, float]:
    """<a,b> for ||a|| ||b|| <= most; its error is some 2^-100 of that."""
    high, low = _sum(ah, al, bh, bl, _grid(most))
    return two_sum(high, low)


@inlined
def _add(ch: float, cl: float, ah: Vector, al: Vector, bh: Vector, bl: Vector) -> None:
    """b += c a."""
    for j in range(np.uint64(ah.shape[0])):
        ph, pl = _times(ch, cl, ah[j], al[j])
        bh[j], bl[j] = _plus(bh[j], bl[j], ph, pl)


@inlined
def _rotate(ch: float, cl: float, sh: float, sl: float, ah: Vector, al: Vector, bh: Vector, bl: Vector) -> None:
    """(a, b) becomes (c a + s b, c b - s a)."""
    for j in range(np.uint64(ah.shape[0])):
        xh, xl, yh, yl = ah[j], al[j], bh[j], bl[j]
        ph, pl = _times(ch, cl, xh, xl)
        qh, ql = _times(sh, sl, yh, yl)
        ah[j], al[j] = _plus(ph, pl, qh, ql)
        ph, pl = _times(ch, cl, yh, yl)
        qh, ql = _times(sh, sl, xh, xl)
        bh[j], bl[j] = _plus(ph, pl, -qh, -ql)


@inlined
def _copy(a: Vector, b: Vector) -> None:
    for j in range(np.uint64(a.shape[0])):
        b[j] = a[j]


@inlined
def _fill(a: Vector, x: float) -> None:
    for j in range(np.uint64(a.shape[0])):
        a[j] = x


@outlined
def _length(x: Pair, most: float) -> tuple[float, float]:
    sh, sl = inner(x.high, x.low, x.high, x.low, most * most)
    return _root(sh, sl)


@outlined
def _project(c: Corral, size: int, x: Pair, most: float) -> None:
    """x -= Q Q^T x, the coefficients into work; ||x|| <= most."""
    for k in range(size):
        qh, ql = c.Q.high[k], c.Q.low[k]
        top, low = inner(qh, ql, x.high, x.low, most)
        c.work.high[k], c.work.low[k] = top, low
        _add(-top, -low, qh, ql, x.high, x.low)


# The corral --------------------------------------------------------------------------------------------


@outlined
def _append(c: Corral, size: int, b: Vector) -> bool:
    """Extend the factor by b; False, and nothing changed, if b is in the span."""
    x, rh, rl = c.fresh, c.L.high[size], c.L.low[size]
    _copy(b, x.high)
    _fill(x.low, 0.0)
    _fill(rh[:size], 0.0)
    _fill(rl[:size], 0.0)
    whole = math.sqrt(_float_square(b)) * 1.0001
    before = whole
    left = left_low = 0.0
    for _ in range(3):
        _project(c, size, x, before)
        for k in range(size):
            rh[k], rl[k] = _plus(rh[k], rl[k], c.work.high[k], c.work.low[k])
        left, left_low = _length(x, before)
        if left > 0.1 * before or not left > DEPENDENT * whole:
            break
        before = left * 1.0001
    if not left > DEPENDENT * whole:
        return False
    rh[size], rl[size] = left, left_low
    oh, ol = _over(1.0, 0.0, left, left_low)
    qh, ql = c.Q.high[size], c.Q.low[size]
    for j in range(np.uint64(b.shape[0])):
        qh[j], ql[j] = _times(oh, ol, x.high[j], x.low[j])
    return True


@reassociated
def _float_square(b: Vector) -> float:
    s = 0.0
    for j in range(np.uint64(b.shape[0])):
        s += b[j] * b[j]
    return s


@outlined
def _remove(c: Corral, size: int, at: int) -> None:
    """Take column `at` out of the factor; the direction that it leaves free becomes the last row of Q."""
    ch, cl, sh, sl = c.cosine.high, c.cosine.low, c.sine.high, c.sine.low
    for i in range(at, size - 1):
        rh, rl = c.L.high[i], c.L.low[i]
        _copy(c.L.high[i + 1, : i + 2], rh)
        _copy(c.L.low[i + 1, : i + 2], rl)
        xh, xl = rh[at], rl[at]
        for k in range(at, i):
            yh, yl = rh[k + 1], rl[k + 1]
            ph, pl = _times(ch[k], cl[k], xh, xl)
            qh, ql = _times(sh[k], sl[k], yh, yl)
            rh[k], rl[k] = _plus(ph, pl, qh, ql)
            ph, pl = _times(ch[k], cl[k], yh, yl)
            qh, ql = _times(sh[k], sl[k], xh, xl)
            xh, xl = _plus(ph, pl, -qh, -ql)
        yh, yl = rh[i + 1], rl[i + 1]
        ph, pl = _times(xh, xl, xh, xl)
        qh, ql = _times(yh, yl, yh, yl)
        ph, pl = _plus(ph, pl, qh, ql)
        dh, dl = _root(ph, pl)
        rh[i], rl[i] = dh, dl
        ch[i], cl[i] = _over(xh, xl, dh, dl)
        sh[i], sl[i] = _over(yh, yl, dh, dl)
    for k in range(at, size - 1):
        m = k + 1
        _rotate(ch[k], cl[k], sh[k], sl[k], c.Q.high[k], c.Q.low[k], c.Q.high[m], c.Q.low[m])
        g = c.gap
        _rotate(ch[k], cl[k], sh[k], sl[k], g.high[k : k + 1], g.low[k : k + 1], g.high[m : m + 1], g.low[m : m + 1])
    for i in range(at, size - 1):
        c.members[i] = c.members[i + 1]
        c.p.high[i], c.p.low[i] = c.p.high[i + 1], c.p.low[i + 1]


@outlined
def _solve(c: Corral, size: int) -> None:
    """R step = gap."""
    wh, wl = c.work.high, c.work.low
    _copy(c.gap.high[:size], wh)
    _copy(c.gap.low[:size], wl)
    for i in range(size - 1, -1, -1):
        top, low = _over(wh[i], wl[i], c.L.high[i, i], c.L.low[i, i])
        c.step.high[i], c.step.low[i] = top, low
        _add(-top, -low, c.L.high[i, :i], c.L.low[i, :i], wh[:i], wl[:i])


@outlined
def _descend(c: Corral, size: int) -> int:
    """Move p to the minimum over its corral, dropping columns that would become negative. Returns the size."""
    while True:
        _solve(c, size)
        first = -1
        lh, ll = 1.0, 0.0
        for i in range(size):
            ph, pl, sh, sl = c.p.high[i], c.p.low[i], c.step.high[i], c.step.low[i]
            if sh < 0.0 and _plus(ph, pl, sh, sl)[0] <= 0.0:
                th, tl = _over(ph, pl, -sh, -sl)
                if th < lh or (th == lh and tl < ll):
                    lh, ll, first = th, tl, i
        oh, ol = _plus(1.0, 0.0, -lh, -ll)
        for i in range(size):
            sh, sl = _times(lh, ll, c.step.high[i], c.step.low[i])
            c.p.high[i], c.p.low[i] = _plus(c.p.high[i], c.p.low[i], sh, sl)
            c.gap.high[i], c.gap.low[i] = _times(oh, ol, c.gap.high[i], c.gap.low[i])
        if first < 0:
            return size
        c.p.high[first] = c.p.low[first] = 0.0
        for i in range(size - 1, -1, -1):
            if c.p.high[i] <= 0.0 and c.step.high[i] < 0.0:
                _remove(c, size, i)
                size -= 1
                _add(c.gap.high[size], c.gap.low[size], c.Q.high[size], c.Q.low[size], c.r.high, c.r.low)


@kernel
def enter(c: Corral, size: int, B: NDArray[np.float64], candidates: NDArray[np.int64], least: float) -> int:
    """Let those candidates enter in turn that still violate <b,r> <= least ||r||^2. Returns the size of the corral."""
    for j in candidates:
        b = B[j]
        square = _float_square(c.r.high)
        share = _float_product(b, c.r)
        if not share > least * square or size + 2 > c.L.high.shape[0] or not _append(c, size, b):
            continue
        qh, ql = c.Q.high[size], c.Q.low[size]
        top, low = inner(qh, ql, c.r.high, c.r.low, 1.0001 * math.sqrt(square))
        if top <= 0.0:
            continue
        _add(-top, -low, qh, ql, c.r.high, c.r.low)
        c.members[size] = j
        c.p.high[size] = c.p.low[size] = 0.0
        c.gap.high[size], c.gap.low[size] = top, low
        size = _descend(c, size + 1)
    return size


@outlined
def _float_product(b: Vector, r: Pair) -> float:
    """<b,r>."""
    most = 1.0001 * math.sqrt(_float_square(b) * _float_square(r.high))
    return _sum_with_float(b, r.high, r.low, _grid(most))


@reassociated
def _sum_with_float(b: Vector, rh: Vector, rl: Vector, grid: float) -> float:
    high, low = 0.0, 0.0
    for j in range(np.uint64(b.shape[0])):
        top, rest = _pieces(b[j], 0.0, rh[j], rl[j], grid)
        high += top
        low += rest
    return high + low


@kernel
def price(B: NDArray[np.float64], r: Pair, out: Vector) -> None:
    """out = B r."""
    for i in range(B.shape[0]):
        out[i] = _float_product(B[i], r)


@kernel
def settle(c: Corral, size: int) -> None:
    """Make the residual orthogonal to the corral again."""
    for _ in range(2):
        _project(c, size, c.r, 1.0001 * math.sqrt(_float_square(c.r.high)))


@kernel
def products(rows: Storage, y: Signs, w: Pair, start: int, stop: int, out: Vector) -> None:
    """out_i = <w, a_i> for a range of rows."""
    last = w.high.shape[0] - 1
    most = 1.0001 * math.sqrt(_float_square(w.high))
    for i in range(start, stop):
        grid = _grid(most * rows.norm[i])
        high, low = _row_sum(rows, i, w, grid)
        top, rest = _pieces(w.high[last], w.low[last], rows.constant, 0.0, grid)
        out[i] = y[i] * ((high + top) + (low + rest))


@reassociated
def _row_sum(rows: Storage, i: int, w: Pair, grid: float) -> tuple[float, float]:
    high, low = 0.0, 0.0
    for k in cells(rows, i):
        j = column(rows, k)
        top, rest = _pieces(w.high[j], w.low[j], value(rows, i, k), 0.0, grid)
        high += top
        low += rest
    return high, low
