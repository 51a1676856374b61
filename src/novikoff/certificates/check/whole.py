"""Sums of products of integers, exactly, by floats: each integer is cut into digits so small that no sum rounds."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Any

import numpy as np

from novikoff.certificates.check.data import Data

DIGIT = 16  # bits; a sum of 2^16 products of such a digit and an entry below 2^20 is below 2^52
ENTRY = 2.0**20
MOST = 2**16  # terms
TOGETHER = 2**7  # digits that are summed up together


def combined(data: Data, rows: Sequence[int], weights: Sequence[int], signs: Any, constant: float) -> list[int] | None:
    """sum p s (x, c) over these rows: the coordinates that are not 0; None where entries are no small integers."""
    if len(rows) > MOST or not (constant.is_integer() and constant < ENTRY) or not data.is_small_and_whole(rows, ENTRY):
        return None
    size = -(-max(weights).bit_length() // DIGIT)
    digits = np.frombuffer(b"".join(p.to_bytes(2 * size, "little") for p in weights), "<u2").reshape(-1, size)
    total = np.empty((size, data.shape[1] + 1), dtype=np.int64)
    for start in range(0, size, TOGETHER):
        coefficients = (digits[:, start : start + TOGETHER] * signs[:, None]).T.astype(np.float64)
        total[start : start + TOGETHER, :-1] = data.sums(rows, coefficients)
        total[start : start + TOGETHER, -1] = constant * coefficients.sum(axis=1)
    return _assembled(total)


def sqnorm(integers: Sequence[int]) -> int:
    """||w||^2 of a vector of integers."""
    if len(integers) > MOST or not -(2**53) < min(integers, default=0) <= max(integers, default=0) < 2**53:
        return sum(map(mul, integers, integers))
    w = np.abs(np.array(integers, dtype=np.int64))
    digits = np.stack([(w >> shift) & 0x3FFFF for shift in (0, 18, 36)]).astype(np.float64)
    squares = (digits @ digits.T).astype(np.int64).tolist()  # 2^16 products of 36 bits
    return sum(x << 18 * (a + b) for a, line in enumerate(squares) for b, x in enumerate(line))


def _assembled(total: Any) -> list[int]:
    """sum_l total[l] 2^(16 l), for every column: carries go up, until each digit is one."""
    carry = np.zeros(total.shape[1], dtype=np.int64)
    for line in total:
        line += carry
        carry = line >> DIGIT
        line &= 2**DIGIT - 1
    shift = DIGIT * len(total)
    some = np.flatnonzero(total.any(axis=0) | (carry != 0))
    columns = np.ascontiguousarray(total[:, some].T.astype("<u2"))
    last = carry[some].tolist()
    return [int.from_bytes(x.tobytes(), "little") + (c << shift) for x, c in zip(columns, last, strict=True)]
