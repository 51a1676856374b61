"""The weights of two classes: one vector, and the hyperplane that it stands on."""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.engine import sums
from novikoff.engine.compile import inlined, outlined, reassociated
from novikoff.engine.storage import (
    Sketch,
    Storage,
    Vector,
    add,
    cells,
    column,
    constant_term,
    dot,
    dot_and_sqnorm,
    sketch,
    sum_is_finite,
    sum_rounds,
)

Matrix = NDArray[np.float64]

NO_RIVAL = -1
LARGEST = sys.float_info.max


class Plane(NamedTuple):
    w: Vector  # (D,) the constant coordinate last

    # What compiled loops ask: see `novikoff.engine.weights`.

    def entries(self) -> int:
        return len(self.w)

    def share(self, rows: Storage) -> float:
        return constant_term(rows, self.w)

    def sketch(self, rows: Storage) -> Sketch:
        return sketch(rows, self.w)

    def product(self, rows: Storage, i: int, y: float, share: float) -> float:
        return y * dot(rows, i, self.w, share)

    def product_and_sqnorm(self, rows: Storage, i: int, y: float) -> tuple[float, float]:
        s, q = dot_and_sqnorm(rows, i, self.w)
        return y * s, q

    def as_sign(self, y: float) -> float:
        return y

    def sign_beyond(self, rows: Storage, i: int, y: float, divisor: float, theta: float, error: float) -> int:
        return sums.sign_of_dot(rows, i, y, divisor, self.w, theta)

    def sign_of_difference(
        self, rows: Storage, i: int, yi: float, qi: float, ei: float, j: int, yj: float, qj: float, ej: float
    ) -> int:
        return sums.sign_of_difference(rows, i, yi, qi, j, yj, qj, self.w)

    def rival(self, rows: Storage, i: int, y: float, divisor: float, error: float) -> int:
        return NO_RIVAL

    def nearest(self, rows: Storage, i: int, y: float, divisor: float, rival: int, size: float) -> float:
        return y * sums.nearest_dot(rows, i, divisor, self.w, size)

    def step(self, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> None:
        add(rows, i, y * length, divisor, self.w)

    def step_rounds(self, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> bool:
        return sum_rounds(rows, i, y * length, divisor, self.w)

    def step_is_finite(self, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> bool:
        return sum_is_finite(rows, i, y * length, divisor, self.w)

    def sqnorm(self) -> float:
        return _sqnorm(self.w)

    def squares(self) -> int:
        return len(self.w)

    def size(self) -> float:
        largest = 0.0
        for j in range(self.w.shape[0]):
            largest = max(largest, abs(self.w[j]))
        return largest * math.sqrt(self.w.shape[0])

    def copy_to(self, room: Matrix) -> None:
        for j in range(self.w.shape[0]):
            room[0, j] = self.w[j]

    def means_at(self, rows: Storage, i: int, tilt: Plane, rounds: float, room: Plane) -> float:
        q = mean_at(rows, i, self.w, tilt.w, rounds, room.w)
        return norm_of_means(q, len(self.w))


@reassociated
def _sqnorm(w: Vector) -> float:
    q = 0.0
    for j in range(w.shape[0]):
        q += w[j] * w[j]
    return q


@outlined
def mean_at(rows: Storage, i: int, w: Vector, tilt: Vector, rounds: float, room: Vector) -> float:
    """room = w - tilt/rounds at the columns of row i. Returns the sum of the squares; -1 if all are zero."""
    q, largest = 0.0, 0.0
    for k in cells(rows, i):
        j = column(rows, k)
        room[j] = mean(w[j], tilt[j], rounds)
        q += room[j] * room[j]
        largest = max(largest, abs(room[j]))
    last = w.shape[0] - 1
    room[last] = mean(w[last], tilt[last], rounds)
    largest = max(largest, abs(room[last]))
    return q + room[last] * room[last] if largest > 0.0 else -1.0


@inlined
def mean(w: float, tilt: float, rounds: float) -> float:
    """w - tilt/rounds, which is a mean of floats: where rounding leads out of them, the largest is meant."""
    return min(max(w - tilt / rounds, -LARGEST), LARGEST)


@inlined
def norm_of_means(q: float, width: int) -> float:
    """A bound on the norm of what has squares that add up to q in floats: for the filter of decisions."""
    if q < 0.0:
        return 0.0
    # The squares round to a sum that is off by width 2^-52 of it at most; outside the filter's range no bound is asked.
    return math.sqrt(q) * (1.0 + (width + 2) * 2.0**-52) if 2.0**-800 <= q <= 2.0**800 else math.inf
