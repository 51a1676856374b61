"""The checker of certificates of linear separability, in exact arithmetic. With the solver it shares `float64`.

Rows a_i = s_i (x_i, c): s_i = +1 for the positive label, else -1. A float sum of k products errs by at most
k u / (1 - k u) ||w|| ||x|| + k 2^-1075, u = 2^-53 (Higham 2002, 3.1): floats call clear rows, integers the others."""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.float64 import exact_matrix, unpacked

FIELDS = {"format", "digest", "shape", "constant", "positive", "verdict", "weights"}
FORMAT, FLOAT_HEX = "novikoff certificate 1", r"0x[01]\.[0-9a-f]{1,13}p[+-]([0-9]{1,3}|10[01][0-9]|102[0-3])"
LARGEST_FILE, LARGEST_FLOAT, BEYOND = 2**28, 2**1024 - 2**971, Fraction(2**3000)  # bytes; -; no ||a_i||^2 is as large


class InvalidCertificate(ValueError):  # noqa: N818  # it reads better without Error
    """The certificate does not prove what it says about these data."""


@dataclass(frozen=True)
class Verified:
    verdict: str
    margin: tuple[float, float] | None
    radius: float | None
    mistake_bound: float | None  # radius^2 / lower^2, rounded up
    rows: tuple[int, ...]  # of the proof
    weakly_separable: bool
    implies: str

    def __str__(self) -> str:
        return self.implies


def verify(certificate: Any, X: Any, y: Any = None) -> Verified:
    """What the certificate (a path, a parsed dict, or an object with ``to_json``) proves about X and y, or a pair X."""
    proof, (X, y) = _read(certificate), unpacked(X) if y is None else (X, y)
    separable, weak = proof.get("verdict") == "separable", {"weak"} & proof.keys()
    _require(separable or proof.get("verdict") == "not separable", "its verdict is not 'separable' or 'not separable'")
    fields = FIELDS | ({"support", "margin", "radius", "closest"} if separable else {"rows"} | weak)
    _require(proof.keys() == fields, f"its fields are not {sorted(fields)}")
    c, label, shape = str(proof["constant"]), proof["positive"], repr(proof["shape"])
    _require(re.fullmatch(FLOAT_HEX, c) and float.fromhex(c).hex() == c, "its constant is not a float.hex() >= 0")
    _require(type(label) in (str, bool) or (type(label) in (int, float) and abs(label) < 1e300), "no positive label")
    data = Data(X, y, label, float.fromhex(c))
    (n, d), support = data.shape, proof["support"] if separable else {k: proof[k] for k in ("rows", "weights")}
    _require(shape == f"[{n}, {d}]", f"this proof is about data of shape {shape:.40}; yours is {[n, d]}")
    _require(type(support) is dict and support.keys() == {"rows", "weights"}, "its support is not rows and weights")
    rows, closest, most = support["rows"], proof.get("closest", 0), n if separable else d + 2
    _require(type(rows) is list and all(type(i) is int and 0 <= i < n for i in [*rows, closest]), "a row is not in X")
    _require(rows == sorted(set(rows)) and 0 < len(rows) <= most, f"its rows are not 1 to {most} in increasing order")
    p = _integers(support["weights"], len(rows), d).astype(object)
    _require(min(p) > 0, "the weight of one of its rows is not positive")
    w = _integers(proof["weights" if separable else "weak"], d + 1, d) if separable or weak else p[:0]
    if separable:
        return _separable(proof, data, w, rows, p)
    _, some = data.scan(w, Fraction(0), BEYOND, str(proof["digest"]))
    _require(some or not weak, "its weak separator has y<u,x> = 0 on every row")
    _require(not data.combine(rows, p)[0].size, "its weighted rows do not sum to zero")  # so no <w,a_i> > 0 on all
    implies = f"Every w has y<w,x> <= 0 on some row: {len(rows)} rows with positive weights sum to exactly zero."
    implies += " Some u has y<u,x> >= 0 on every row, and > 0 on some." if some else ""
    return Verified("not separable", None, None, None, tuple(rows), some, implies)


def _separable(proof: dict[str, Any], data: Data, w: Any, rows: list[int], p: Any) -> Verified:
    margin = proof["margin"] if type(proof["margin"]) is list else []
    ends = [float(x) for x in (*margin, proof["radius"]) if type(x) in (int, float) and 0 < x <= LARGEST_FLOAT]
    _require(len(ends) == 3 == len(margin) + 1 and ends[0] <= ends[1], "its margin and radius are not positive floats")
    _require(data.constant > 0 or w[-1] == 0, "its weights use a constant that is zero")
    (lower, upper, radius), (_, columns, z, q) = map(Fraction, ends), data.exact([proof["closest"]])
    data.scan(w, least := Fraction(z @ w[columns], q), radius**2, str(proof["digest"]))
    _require(least > 0, f"its weights do not separate: row {proof['closest']} has y<w,x> <= 0")
    _require(least**2 >= lower**2 * ((u := w[w != 0].astype("O")) @ u), "its weights have less than the lower margin")
    v, q = data.combine(rows, p)
    _require(v @ v <= (upper * q * sum(p)) ** 2, "its support does not prove the upper margin")
    implies = f"A separator exists with margin at least {ends[0]}; no separator has a margin above {ends[1]}; "
    implies += f"a perceptron makes at most {(radius / lower) ** 2 // 1} mistakes on these data."
    return Verified("separable", (ends[0], ends[1]), ends[2], _up((radius / lower) ** 2), tuple(rows), False, implies)


class Data:  # rows and signs, read a block at a time; the caller's arrays are left alone
    def __init__(self, X: Any, y: Any, positive: Any, constant: float) -> None:
        self.sparse = hasattr(X := exact_matrix(X), "tocsr")
        (n, d), labels = X.shape, np.asarray(y) if hasattr(y, "dtype") else np.array([*y], dtype=object)
        _require(labels.shape == (n,), f"X has {n} rows, but y is of shape {labels.shape}", ValueError)
        self.shape, self.signs = (n, d), np.where(np.asarray(labels == positive, dtype=bool), 1, -1).astype("<i1")
        self.X, self.constant, self.few = X, constant, max(1, 2**17 * n // max(1, X.nnz if self.sparse else n * d))

    def take(self, rows: Any) -> tuple[Any, Any, Any]:
        """The columns and values of the non-zeros of some rows; those of the k-th are starts[k] to starts[k + 1]."""
        if self.sparse and isinstance(rows, slice):  # no copy
            ends = self.X.indptr[rows.start : rows.stop + 1]
            flat, at = (part[ends[0] : ends[-1]] for part in (self.X.data, self.X.indices))
        elif self.sparse:
            flat, at, ends = (part := self.X[rows]).data, part.indices, part.indptr
        else:
            flat, at, ends = (part := self.X[rows]).ravel(), None, np.arange(len(part) + 1) * self.shape[1]
        kept: Any = slice(None) if (full := self.sparse and np.all(flat)) else np.flatnonzero(flat != 0)
        starts, x = ends - ends[0] if full else np.searchsorted(kept, ends - ends[0]), np.asarray(flat[kept], float)
        columns = at[kept] if self.sparse else kept - np.repeat(ends[:-1], np.diff(starts))
        for k in np.flatnonzero(~np.isfinite(x)):
            i = np.arange(self.shape[0])[rows][np.searchsorted(starts, k, "right") - 1]
            raise ValueError(f"X has {x[k]} in row {i}, column {columns[k]}: every value must be finite")
        return starts, columns, x

    @np.errstate(all="ignore")
    def scan(self, w: Any, least: Fraction, most: Fraction, name: str | None) -> tuple[str, bool]:
        """The digest, which must be the name. Given w, all <w,a_i> >= least and ||a_i||^2 <= most. Is some > 0?"""
        (n, d), c, unclear, some, hashed = self.shape, self.constant, [], False, iter([None])
        hashes, pool = [hashlib.sha256() for _ in range(3)], ThreadPoolExecutor(2)  # hashing runs beside the products
        v = (w / (scale := 1 << max(0, int(np.abs(w).max(initial=0)).bit_length() - 64))).astype(np.float64)  # rounded
        norm, bottom, top = float(np.sqrt(np.einsum("i,i", v, v))), _up(least / scale), -_up(-most)
        for start in range(0, n, step := 2 * self.few):
            starts, columns, x = self.take(here := slice(start, start + step))
            read = [(k := np.diff(starts)).astype("<i8"), columns.astype("<u4"), x.astype("<f8", copy=False)]
            _, hashed = [*hashed], pool.map(type(hashes[0]).update, hashes, read)  # waits for the block before
            if w.size:
                full, (dot, square) = np.flatnonzero(k), np.zeros((2, len(k)))
                dot[full], square[full] = (np.add.reduceat(t, starts[full]) for t in (x * v[columns], x * x))
                dot, square = self.signs[here] * (dot + c * v[d]), square + c * c
                size = norm * np.sqrt(square + 2.0**-1000)
                error, excess = (k + 9) * (2.0**-52 * np.array((size, square)) + 2.0**-1072)  # twice gamma_k, and more
                if (size.min() < 2**52 or any(square + excess > top)) and c.is_integer() and np.all(x == np.rint(x)):
                    error[size < 2**52], excess[square < 2**52] = 0.0, 0.0  # integers add up exactly below 2^53
                unclear += (start + np.flatnonzero(~((dot - error >= bottom) & (square + excess <= top)))).tolist()
                some = some or bool(np.any((dot > 0) & (dot >= error)))
        _, parts = [*hashed], b"".join(h.digest() for h in (*hashes, hashlib.sha256(self.signs.tobytes())))
        ours = hashlib.sha256(b"novikoff data 1" + np.array([n, d], "<i8").tobytes() + parts).hexdigest()
        _require(name in (None, ours), f"this proof is about data with digest {name!s:.12}...; yours is {ours:.12}...")
        for block in (unclear[j : j + self.few] for j in range(0, len(unclear), self.few)):
            starts, columns, z, q = self.exact(block)
            dots, squares = (np.add.reduceat(t, starts[:-1]) for t in (z * w[columns], z * z))
            low, long = dots < -(-least * q // 1), squares > most * q * q // 1
            _require(not any(low), f"row {block[low.argmax()]} has y<w,x> < {'that of the closest' if least else 0}")
            _require(not any(long), f"its radius is too small: row {block[long.argmax()]} is longer")
            some = some or any(dots > 0)
        return ours, some

    def exact(self, rows: list[int]) -> tuple[Any, Any, Any, int]:
        """Integers: q a_i of the k-th row is z[starts[k] : starts[k + 1]] in its columns, and zero in the others."""
        starts, columns, x = self.take(rows)
        x, columns = np.insert(x, starts[1:], self.constant), np.insert(columns, starts[1:], self.shape[1])
        fraction, e = np.frexp(x * np.repeat(self.signs[rows], np.diff(starts) + 1))
        z, k, starts = (fraction * 2.0**53).astype(np.int64), max(0, 53 - int(e.min())), starts + np.arange(len(starts))
        kind = np.int64 if e.max() + k < 64 else object  # |z| < 2^53
        return starts, columns, (z.astype(kind) << (e + (k - 53)).astype(kind)).astype(object), 1 << k

    def combine(self, rows: list[int], p: Any) -> tuple[Any, int]:  # the non-zeros of q sum p_i a_i, and q
        total, scale = np.zeros(self.shape[1] + 1, dtype=object), 1
        for j in range(0, len(rows), self.few):
            starts, columns, z, q = self.exact(rows[j : j + self.few])
            total, scale = (total * (q // scale), q) if q > scale else (total, scale)
            np.add.at(total, columns, np.repeat(p[j : j + self.few] * (scale // q), np.diff(starts)) * z)
        return total[total != 0], scale


def _integers(values: Any, count: int, d: int) -> Any:
    # Floats are integers < 2^2098 over 2^1074, so Cramer's rule and Hadamard's bound give (2^2098 sqrt(d + 1))^(d + 1).
    form = re.compile(f"-?0x[0-9a-f]{{1,{min(LARGEST_FILE, 1 + (d + 1) * (2098 + (d + 1).bit_length()) // 4)}}}")
    _require(type(values) is list and len(values) == count, f"its weights are not {count} integers")
    small = np.array(values) if {*map(type, values)} == {int} else np.empty(0)
    if small.dtype == np.int64 and -(2**53) < small.min() <= small.max() < 2**53:
        return small
    values = [x if type(x) is int and abs(x) < 2**53 else form.fullmatch(str(x)) and int(x, 16) for x in values]
    _require(None not in values, f"its weights are not {count} integers")
    return np.array(values, dtype=object)


def _up(x: Fraction) -> float:
    near = float(x) if abs(x) <= LARGEST_FLOAT else np.inf if x > 0 else -np.inf
    return near if near >= x else float(np.nextafter(near, np.inf))


def _require(holds: Any, sentence: str, kind: type[ValueError] = InvalidCertificate) -> None:
    if not holds:
        raise kind(sentence)


def _read(certificate: Any) -> Any:
    try:
        if hasattr(certificate, "to_json") or isinstance(certificate, dict):
            text = json.dumps(certificate) if isinstance(certificate, dict) else certificate.to_json()
        else:
            _require(Path(certificate).stat().st_size <= LARGEST_FILE, "the file is too large")
            text = Path(certificate).read_text("utf-8")
        proof = json.loads(text, object_pairs_hook=lambda items: len(dict(items)) == len(items) and dict(items))
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidCertificate(f"this is not a certificate: {error}") from error
    _require(type(proof) is dict and proof.get("format") == FORMAT, f"its format is not {FORMAT!r}, each field once")
    return proof
