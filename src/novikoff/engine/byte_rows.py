"""Dense rows with a copy of one byte an entry, which settles most rows of a quiet pass from an eighth of the memory.

A pass is bound by the memory that it reads. Beside the caller's row x the copy has q = round(x/s), whole numbers of at
most 127 with one scale s for the row, and bounds on what that lost:

    lost >= ||x - s q||    and    length >= s ||q||.

Of w, without its constant coordinate, there is a *sketch* of 16 bits an entry, made again after every update:
v = round(w/t), with bounds on ||w|| and on ||w - t v||. Then

    <w,x> = s t <q,v> + s <q, w - t v> + <x - s q, w>,    so
    |<w,x> - s t <q,v>| <= length ||w - t v|| + lost ||w||.

<q,v> is a sum of whole numbers, hence exact. A row that is beyond the threshold by more than this needs no more. Any
other row is read in full, and decided as without the copy: the same mistakes, the same bits.

The bytes of a row are made when it is first asked for: it is about to be read in full, so that its memory is read once
for both.

Rounding. s and t are floats, and what is lost is measured against them. For e = x - s q the computed e' has
|e| <= (1 + 2u) |e'| + u s |q|, entry by entry, with u = 2^-53; a sum of d squares errs by less than (d + 2) u,
relatively. Scales outside 2^-300 .. 2^300 are not used, so that whatever underflows here is far below u s ||q||. The
product s t <q,v> rounds twice (the integer is a float), and its sum with the share of the constant coordinate, which
has rounded as well, once more: in all at most 5u ||w|| ||x||, constant included, and 4u of the bound above. The filter
of `novikoff.engine.decide` allows (d + 3) 2u ||w|| ||x|| for its own, 8u or more; here that is asked for again.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import inlined, larger, outlined, reassociated
from novikoff.engine.dense import fetch_row

BLOCK = 512  # columns: 512 * 127 * 32767 < 2^31, so the sum of so many products is a 32-bit integer
PAD = 32  # the width of the copy is a multiple of it, filled up with zeros
ENTRY, WEIGHT = 127.0, 32767.0  # the largest q and v
SMALLEST, LARGEST = 2.0**-300, 2.0**300  # scales that are used


class ByteRows(NamedTuple):
    X: NDArray[Any]  # these four as in `DenseRows`
    norm: NDArray[np.float64]
    constant: float
    unit: bool
    q: NDArray[np.int8]  # (n, d or a little more)
    scale: NDArray[np.float64]  # (n,) s; nan until the bytes of the row are made
    lost: NDArray[np.float64]  # (n,) at least ||x - s q||; inf for a row that is always read in full
    length: NDArray[np.float64]  # (n,) at least s ||q||
    v: NDArray[np.int16]  # (d or a little more,) of the sketch of w
    read: NDArray[np.int64]  # (1,) how many rows were read in full although they had their bytes

    # What compiled loops ask: see `novikoff.engine.storage`.

    def cells(self, i: int) -> range:
        return range(np.uint64(self.X.shape[1]))

    def column(self, k: int) -> int:
        return k

    def value(self, i: int, k: int) -> float:
        return np.float64(self.X[i, k])

    def fetch(self, i: int) -> None:
        fetch_row(self.q, i)
        if math.isnan(self.scale[i]):
            fetch_row(self.X, i)

    def sketch(self, w: NDArray[np.float64]) -> tuple[float, float, float]:
        """t, and upper bounds on ||w|| and ||w - t v||; v is written down."""
        return _sketch(w, self.X.shape[1], self.v)

    def settled(
        self, i: int, y: float, sketch: tuple[float, float, float], share: float, level: float, tilt: float
    ) -> bool:
        """Is y<w,x> > level + tilt ||x|| for sure, as far as the copy tells? ``share`` is the constant's part."""
        if math.isnan(self.scale[i]):
            _make_bytes(self, i)
            return False
        t, norm, missing = sketch
        product = (self.scale[i] * t) * _product(self.q, i, self.v) + share
        error = (self.lost[i] * norm + self.length[i] * missing) * (1.0 + 2.0**-40)
        sure = bool(y * product > level + tilt * self.norm[i] + error)
        self.read[0] += not sure
        return sure

    # What Python asks.

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (self.q, self.scale, self.lost, self.length))


@inlined
def _product(q: NDArray[np.int8], i: int, v: NDArray[np.int16]) -> float:
    """<q_i,v>, exactly."""
    total = np.int64(0)
    width = np.uint64(v.shape[0])
    for start in range(np.uint64(0), width, np.uint64(BLOCK)):
        part = np.int32(0)
        for j in range(start, min(np.uint64(start + np.uint64(BLOCK)), width)):
            part = np.int32(part + np.int32(np.int32(q[i, j]) * np.int32(v[j])))
        total += part
    return float(total)


@reassociated
def _largest(x: NDArray[Any], d: int) -> float:
    largest = 0.0
    for j in range(np.uint64(d)):
        largest = larger(abs(np.float64(x[j])), largest)
    return largest


@reassociated
def _rounded(x: NDArray[Any], d: int, scale: float, out: NDArray[Any]) -> tuple[float, float, float]:
    """out = round(x/scale). Returns ||x||^2, ||x - scale out||^2 and ||out||^2, as floats."""
    inverse = 1.0 / scale
    whole = rest = rounded = 0.0
    for j in range(np.uint64(d)):
        z = np.float64(x[j])
        near = np.rint(z * inverse)
        out[j] = near
        left = z - scale * near
        whole += z * z
        rest += left * left
        rounded += near * near
    return whole, rest, rounded


@inlined
def _slack(d: int) -> float:
    """1 + more than what a root of a sum of d squares, and a few operations after it, can err."""
    return 1.0 + float(d + 16) * 2.0**-52


@inlined
def _sketch(w: NDArray[np.float64], d: int, v: NDArray[np.int16]) -> tuple[float, float, float]:
    largest = _largest(w, d)
    t = largest / WEIGHT
    if not SMALLEST <= t <= LARGEST:
        return 0.0, math.inf, math.inf  # nothing is settled
    whole, rest, rounded = _rounded(w, d, t, v)
    missing = math.sqrt(rest) + 2.0**-52 * t * math.sqrt(rounded)
    return t, math.sqrt(whole) * _slack(d), missing * _slack(d)


@outlined
def _make_bytes(rows: ByteRows, i: int) -> None:
    """Of a row whose norm is known."""
    d = rows.X.shape[1]
    scale, lost, length = 0.0, math.inf, math.inf
    if math.isfinite(rows.norm[i]):
        s = _largest(rows.X[i], d) / ENTRY
        if SMALLEST <= s <= LARGEST:
            _, rest, rounded = _rounded(rows.X[i], d, s, rows.q[i])
            scale = s
            length = s * math.sqrt(rounded) * _slack(d)
            lost = (math.sqrt(rest) + 2.0**-52 * length) * _slack(d)
    rows.lost[i] = lost
    rows.length[i] = length
    rows.scale[i] = scale
