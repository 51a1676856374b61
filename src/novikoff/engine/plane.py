"""The weights of two classes: one vector, and the hyperplane that it stands on."""

from __future__ import annotations

import math
from typing import NamedTuple

from novikoff.engine import sums
from novikoff.engine.compile import reassociated
from novikoff.engine.storage import (
    Sketch,
    Storage,
    Vector,
    add,
    constant_term,
    dot,
    dot_and_sqnorm,
    sketch,
    sum_is_finite,
    sum_rounds,
)

NO_RIVAL = -1


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

    def rounded(self, rows: Storage, i: int, y: float, divisor: float, rival: int) -> tuple[float, int]:
        m, e = sums.rounded_dot(rows, i, divisor, self.w)
        return y * m, e

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


@reassociated
def _sqnorm(w: Vector) -> float:
    q = 0.0
    for j in range(w.shape[0]):
        q += w[j] * w[j]
    return q
