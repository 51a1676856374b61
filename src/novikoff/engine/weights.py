"""The weights of a learner, whatever the number of classes: what loops ask of them.

Of two classes they are one vector (`novikoff.engine.plane`), and y is -1 or +1; of more, a head for each
(`novikoff.engine.heads`), and y is the place of the class. Either way p tells how right they are on an example: y<w,x>,
or half of what the true class is ahead of its rival. Numba finds the methods by the type of the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.engine.compile import INLINED, by_type
from novikoff.engine.heads import Heads
from novikoff.engine.plane import NO_RIVAL, Plane
from novikoff.engine.storage import Sketch, Storage

Weights = Plane | Heads

__all__ = ["NO_RIVAL", "Heads", "Plane", "Weights"]


def entries(weights: Weights) -> int:
    """How many weights a class has, that of the constant coordinate included."""
    return weights.entries()


def share(weights: Weights, rows: Storage) -> float:
    """What of `product` is the same for all rows."""
    return weights.share(rows)


def sketch(weights: Weights, rows: Storage) -> Sketch:
    """What `novikoff.engine.storage.settled` has to know of them; a copy of one byte an entry is for one vector."""
    return weights.sketch(rows)


def product(weights: Weights, rows: Storage, i: int, y: float, share: float) -> float:
    """p in floats, before any division by the norm."""
    return weights.product(rows, i, y, share)


def product_and_sqnorm(weights: Weights, rows: Storage, i: int, y: float) -> tuple[float, float]:
    """`product`, and ||(x_i, constant)||^2; the latter is not finite if an entry is not."""
    return weights.product_and_sqnorm(rows, i, y)


def as_sign(weights: Weights, y: float) -> float:
    """What a rule is told of a label."""
    return weights.as_sign(y)


def sign_beyond(weights: Weights, rows: Storage, i: int, y: float, divisor: float, theta: float, error: float) -> int:
    """The sign of p - theta, where ``error`` bounds that of p in floats."""
    return weights.sign_beyond(rows, i, y, divisor, theta, error)


def sign_of_difference(
    weights: Weights,
    rows: Storage,
    i: int,
    yi: float,
    qi: float,
    ei: float,
    j: int,
    yj: float,
    qj: float,
    ej: float,
) -> int:
    """The sign of p of row i less p of row j, with the divisors and the errors in floats of both."""
    return weights.sign_of_difference(rows, i, yi, qi, ei, j, yj, qj, ej)


def rival(weights: Weights, rows: Storage, i: int, y: float, divisor: float, error: float) -> int:
    """The class that a step leads away from; NO_RIVAL of two."""
    return weights.rival(rows, i, y, divisor, error)


def nearest(weights: Weights, rows: Storage, i: int, y: float, divisor: float, rival: int, size: float) -> float:
    """p of a row against this rival, correctly rounded; ``size`` is at least ||w|| ||x||."""
    return weights.nearest(rows, i, y, divisor, rival, size)


def step(weights: Weights, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> None:
    """w += length y row, or of many classes the true one up by length row and the rival down; entry by entry."""
    weights.step(rows, i, y, length, divisor, rival)


def step_rounds(weights: Weights, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int) -> bool:
    """Is some entry of that sum no float?"""
    return weights.step_rounds(rows, i, y, length, divisor, rival)


def step_is_finite(
    weights: Weights, rows: Storage, i: int, y: float, length: float, divisor: float, rival: int
) -> bool:
    """Would every entry of it be finite?"""
    return weights.step_is_finite(rows, i, y, length, divisor, rival)


def sqnorm(weights: Weights) -> float:
    """||w||^2 in floats; of many classes ||W||^2/2."""
    return weights.sqnorm()


def squares(weights: Weights) -> int:
    """Its rounding is that of a sum of so many squares, at most."""
    return weights.squares()


def size(weights: Weights) -> float:
    """At least ||w||, however large or small the entries are."""
    return weights.size()


def copy_to(weights: Weights, room: NDArray[np.float64]) -> None:
    """Write a row for each head."""
    weights.copy_to(room)


def means_at(weights: Weights, rows: Storage, i: int, tilt: Any, rounds: float, room: Any) -> float:
    """room = w - tilt/rounds at the columns of row i; and a bound on its norm there, infinite if it is far from 1."""
    return weights.means_at(rows, i, tilt, rounds, room)


by_type(entries, lambda weights: weights.instance_class.entries, **INLINED)
by_type(share, lambda weights, rows: weights.instance_class.share, **INLINED)
by_type(sketch, lambda weights, rows: weights.instance_class.sketch, **INLINED)
by_type(product, lambda weights, rows, i, y, share: weights.instance_class.product, **INLINED)
by_type(product_and_sqnorm, lambda weights, rows, i, y: weights.instance_class.product_and_sqnorm, **INLINED)
by_type(as_sign, lambda weights, y: weights.instance_class.as_sign, **INLINED)
by_type(sign_beyond, lambda weights, rows, i, y, divisor, theta, error: weights.instance_class.sign_beyond, **INLINED)
by_type(
    sign_of_difference,
    lambda weights, rows, i, yi, qi, ei, j, yj, qj, ej: weights.instance_class.sign_of_difference,
    **INLINED,
)
by_type(rival, lambda weights, rows, i, y, divisor, error: weights.instance_class.rival, **INLINED)
by_type(nearest, lambda weights, rows, i, y, divisor, rival, size: weights.instance_class.nearest, **INLINED)
by_type(step, lambda weights, rows, i, y, length, divisor, rival: weights.instance_class.step, **INLINED)
by_type(step_rounds, lambda weights, rows, i, y, length, divisor, rival: weights.instance_class.step_rounds, **INLINED)
by_type(
    step_is_finite, lambda weights, rows, i, y, length, divisor, rival: weights.instance_class.step_is_finite, **INLINED
)
by_type(sqnorm, lambda weights: weights.instance_class.sqnorm, **INLINED)
by_type(squares, lambda weights: weights.instance_class.squares, **INLINED)
by_type(size, lambda weights: weights.instance_class.size, **INLINED)
by_type(copy_to, lambda weights, room: weights.instance_class.copy_to, **INLINED)
by_type(means_at, lambda weights, rows, i, tilt, rounds, room: weights.instance_class.means_at, **INLINED)
