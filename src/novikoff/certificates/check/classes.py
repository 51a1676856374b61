"""Floats that say for which rows of many classes rounding cannot matter: the products with several vectors at once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificates.check.data import Data
from novikoff.certificates.check.digest import digest_of
from novikoff.certificates.claim import Combination, Head, require
from novikoff.certificates.verified import rounded_up

PART = 128  # numbers that are added up in a row; no result depends on it
LEAST = 2.0**-900  # products with smaller numbers may lose all their digits


def check_digest(head: Head, data: Data, place: Any) -> None:
    """It is that of the data, with the places of the labels."""
    found = digest_of(2, data, place, "<u4")
    require(head.digest == found, f"this proof is about data with digest {head.digest:.12}...; yours is {found:.12}...")


class Vectors(NamedTuple):
    """Some vectors, in floats, each of them divided by its own power of two."""

    V: Any  # (D, m), with the constant coordinate last; through the origin that is 0
    norms: Any  # (m,) their lengths
    scales: list[int]


def scale_of(integers: Sequence[int]) -> int:
    """The power of two that brings them below 2^64, and 1 where they are."""
    largest = max(max(integers, default=0), -min(integers, default=0))
    return 1 << max(0, largest.bit_length() - 64)


class Floats(NamedTuple):
    """Some entries of a vector of integers, in floats, divided by a power of two."""

    columns: Any
    values: Any
    scale: int

    @classmethod
    def of(cls, columns: Any, integers: Sequence[int], scale: int | None = None) -> Floats:
        scale = scale or scale_of(integers)
        values = np.array([x / scale for x in integers] if scale > 1 else integers, dtype=np.float64)  # rounded
        return cls(np.asarray(columns, dtype=np.int64), values, scale)


NOTHING = Floats.of([], [])


def vectors(d: int, found: Sequence[Floats]) -> Vectors:
    """Side by side."""
    V = np.zeros((d + 1, len(found)))
    for m, one in enumerate(found):
        V[one.columns, m] = one.values
    return Vectors(V, np.sqrt(np.einsum("ij,ij->j", V, V)), [one.scale for one in found])


class Products(NamedTuple):
    """<v, a_i> for some rows and vectors, and ||a_i||^2, with bounds on their errors."""

    dot: Any  # (n, m)
    error: Any
    square: Any  # (n,)
    excess: Any


@np.errstate(all="ignore")
def products(data: Data, rows: Any, v: Vectors, constant: float) -> Products:
    """The bounds are those of `novikoff.certificates.check.filter.Filter`."""
    found = data.products(rows, v.V[:-1])
    dot = found.dot + constant * v.V[-1]
    square = found.square + constant * constant
    size = np.sqrt(square + 2.0**-1000)[:, None] * v.norms
    error = (found.terms + 9)[:, None] * 2.0**-52 * size
    excess = (found.terms + 9) * (2.0**-52 * square + 2.0**-1072)
    if constant.is_integer() and found.whole:  # integers add up exactly below 2^53
        error[size < 2**52] = 0.0
        excess[square < 2**52] = 0.0
    return Products(dot, error, square, excess)


def bottoms(least: Sequence[Fraction], scales: Sequence[int]) -> Any:
    """What products with vectors that were divided by these must reach: floats that are no smaller."""
    return np.array([rounded_up(limit / scale) for limit, scale in zip(least, scales, strict=True)])


def tops(most: Sequence[Fraction]) -> Any:
    """What squares may reach: floats that are no larger."""
    return np.array([-rounded_up(-limit) for limit in most])


@np.errstate(all="ignore")
def surely_bounds(combination: Combination, signs: Any, upper: float, data: Data, constant: float) -> bool:
    """Is ||sum p a|| <= upper sum p for certain, by floats?"""
    scale = scale_of(combination.weights)
    p = np.array([x / scale for x in combination.weights])
    p /= float(p.max())
    if p.min() < LEAST or upper < LEAST:
        return False
    block = data.some(combination.rows)
    terms = np.repeat(signs * p, np.diff(block.ends)) * block.values
    d = data.shape[1]
    total = np.append(np.bincount(block.columns, terms, d), constant * np.sum(signs * p))
    noise = np.append(np.bincount(block.columns, np.abs(terms), d), constant * np.sum(p))
    t = len(p)
    reach = np.abs(total) + (t + 8) * (2.0**-52 * noise + 2.0**-1072)
    reach = reach[np.append(np.bincount(block.columns, minlength=d) > 0, constant > 0)]  # the others are 0
    size = float(reach.max(initial=0.0))
    if size == 0.0:
        return True
    parts = np.zeros(-(-len(reach) // PART) * PART)
    parts[: len(reach)] = (reach / size) ** 2
    length = size * float(np.sqrt(parts.reshape(-1, PART).sum(axis=1).sum()))
    rounding = (PART + len(parts) // PART + t + 32) * 2.0**-52
    return bool(length * (1 + rounding) <= upper * float(p.sum()) * (1 - rounding))
