"""The checker of certificates of linear separability, in exact arithmetic. With the solver it shares `float64`.

docs/certificate.md is what it enforces: `_read` and `_claim` the file, `_sides` the labels, `_check_*` the claims.
Rows a_i = s_i (x_i, c): s_i = +1 for the positive label, -1 for the others. A float sum of k products errs by at most
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

Label = str | bool | int | float
LABELS = str, bool, int, float

FORMAT, FORMAT_1 = "novikoff certificate 2", "novikoff certificate 1"
SEPARABLE, NOT_SEPARABLE, ORIGIN = "separable", "not separable", "through the origin"
HEAD = {"format", "kind", "positive", "against", "constant", "rows", "columns", "digest"}
HEAD_1 = {"format", "digest", "shape", "constant", "positive", "verdict", "weights"}
FLOAT_HEX = r"0x[01]\.[0-9a-f]{1,13}p[+-]([0-9]{1,3}|10[01][0-9]|102[0-3])"
ZERO_HEX = "0x0.0p+0"
LARGEST_FILE = 2**28  # bytes
LARGEST_FLOAT = 2**1024 - 2**971
BEYOND = Fraction(2**3000)  # no ||a_i||^2 is as large
CHUNK = 2**20  # stored entries that are looked at together
SHOWN = 4  # labels that are named in a sentence
DECIMALS = "The numbers are float64; decimals in text stand for the nearest float64."


class InvalidCertificate(ValueError):  # noqa: N818  # it reads better without Error
    """The certificate does not prove what it says about these data."""


@dataclass(frozen=True)
class Verified:
    """What a certificate proves: ``positive`` against the labels ``against``, with the constant coordinate or without.

    ``str`` of it is ``implies``, the same in words.
    """

    verdict: str  # "separable" or "not separable"
    positive: Label  # the label of sign +1
    against: tuple[Label, ...]  # all the other labels of the data, of sign -1
    constant: float | None  # the coordinate appended to every row; None: the hyperplane goes through the origin
    margin: tuple[float, float] | None
    radius: float | None
    mistake_bound: float | None  # radius^2 / lower^2, rounded up: of a Perceptron with this constant and exact updates
    rows: tuple[int, ...]  # of the proof
    weakly_separable: bool
    implies: str

    def __str__(self) -> str:
        return self.implies


def verify(certificate: Any, X: Any, y: Any = None) -> Verified:
    """What the certificate (a path, a parsed dict, or an object with ``to_json``) proves about X and y, or a pair X."""
    claim = _claim(_read(certificate))
    X, y = unpacked(X) if y is None else (X, y)
    data = Data(X, y, claim.positive, claim.against, claim.constant)
    asked, found = [claim.n, claim.d], [*data.shape]
    _require(asked == found, f"this proof is about data of shape {asked}; yours is {found}")
    check = _check_separable if claim.kind == SEPARABLE else _check_not_separable
    return check(claim, data)


# The claims ----------------------------------------------------------------------------------------


def _check_separable(claim: Claim, data: Data) -> Verified:
    assert claim.ends is not None
    assert claim.closest is not None
    lower, upper, radius = map(Fraction, claim.ends)
    w = claim.vector
    _, columns, z, q = data.exact([claim.closest])
    least = Fraction(z @ w[columns], q)
    data.scan(w, least, radius**2, claim.digest)
    _require(least > 0, f"its separator does not separate: row {claim.closest} has y<w,x> <= 0")
    nonzero = w[w != 0].astype(object)
    _require(least**2 >= lower**2 * (nonzero @ nonzero), "its separator has less than the lower margin")
    v, q = data.combine(claim.combined, claim.weights)
    _require(v @ v <= (upper * q * sum(claim.weights)) ** 2, "its combination does not prove the upper margin")
    bound = (radius / lower) ** 2
    implies = (
        f"{_division(data)}: a separator exists with margin at least {claim.ends[0]}; no separator has a margin above "
        f"{claim.ends[1]}. {_promise(bound, claim.constant)} {DECIMALS}"
    )
    margin, far = claim.ends[:2], claim.ends[2]
    return _verified(claim, data, margin, far, _up(bound), weak=False, implies=implies)


def _check_not_separable(claim: Claim, data: Data) -> Verified:
    w = np.empty(0) if claim.vector is None else claim.vector
    _, weak = data.scan(w, Fraction(0), BEYOND, claim.digest)
    _require(weak or claim.vector is None, "its weak separator has y<u,x> = 0 on every row")
    total, _ = data.combine(claim.combined, claim.weights)
    _require(not total.size, "its weighted rows do not sum to zero")  # so no <w,a_i> > 0 on all of them
    implies = f"{_division(data)}: every w has y<w,x> <= 0 on some row, since "
    implies += f"{len(claim.combined)} rows with positive weights sum to exactly zero."
    if weak:
        implies += " Some u has y<u,x> >= 0 on every row, and > 0 on some."
    if not claim.constant:
        # With any constant c the same rows sum to (0, c sum p s), which is 0 as well if sum p s is.
        balanced = not sum(claim.weights * data.signs[claim.combined].astype(object))
        implies += (
            " No hyperplane beside the origin separates them either."
            if balanced
            else " A hyperplane beside the origin, with a constant coordinate, may still separate them."
        )
    return _verified(claim, data, None, None, None, weak=weak, implies=f"{implies} {DECIMALS}")


def _verified(
    claim: Claim, data: Data, margin: Any, radius: float | None, bound: float | None, *, weak: bool, implies: str
) -> Verified:
    constant = claim.constant or None
    rows = tuple(claim.combined)
    return Verified(claim.kind, claim.positive, data.against, constant, margin, radius, bound, rows, weak, implies)


def _division(data: Data) -> str:
    """Which label against which, and with which constant, in words."""
    others = [_shown(label) for label in data.against[:SHOWN]]
    if len(data.against) > SHOWN:
        others[-1] = f"{len(data.against) - SHOWN + 1} other labels"
    last = others.pop()
    against = f"{', '.join(others)} and {last}" if others else last
    constant = f"with the constant coordinate {data.constant!r}" if data.constant else ORIGIN
    return f"{_shown(data.positive)} against {against}, {constant}"


def _promise(bound: Fraction, constant: float) -> str:
    """At most how many mistakes, and whose."""
    learner = f"Perceptron(intercept_scaling={constant!r})" if constant else "Perceptron(fit_intercept=False)"
    # A Perceptron whose w is rounded to float64 after every update makes at most B / (1 - 2^-50 B) mistakes.
    if bound < 2**49:
        most = bound / (1 - bound / 2**50) // 1
        return f"{learner}, from w = 0, makes at most {most} mistakes on these rows, in any order."
    return f"{learner}, from w = 0, would make at most {_up(bound)} mistakes on these rows if w were not rounded."


def _shown(label: Label) -> str:
    text = repr(label)
    return text if len(text) <= 60 else text[:57] + "..."


# The data ------------------------------------------------------------------------------------------


class Data:
    """Rows and signs, read a block at a time; the caller's arrays are left alone."""

    def __init__(self, X: Any, y: Any, positive: Label, against: tuple[Label, ...] | None, constant: float) -> None:
        self.X = X = exact_matrix(X)
        self.sparse = hasattr(X, "tocsr")
        if self.sparse:
            _check_sound(X)
        n, d = X.shape
        labels = _labels(y)
        _require(labels.shape == (n,), f"X has {n} rows, but y is of shape {labels.shape}", ValueError)
        self.shape, self.constant, self.positive = (n, d), constant, positive
        self.signs, self.against = _sides(labels, positive, against)
        stored = self.X.nnz if self.sparse else n * d
        self.small = stored < 2**16
        self.few = max(1, 2**17 * n // max(1, stored))  # rows of a block

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

    def scan(self, w: Any, least: Fraction, most: Fraction, name: str | None) -> tuple[str, bool]:
        """The digest, which must be the name. Given w, all <w,a_i> >= least and ||a_i||^2 <= most. Is some > 0?"""
        unclear, some = [], False
        floats = Filter(w, least, most, self.constant) if w.size else None
        parts = [hashlib.sha256() for _ in range(3)]
        hashed: Any = ()
        with ThreadPoolExecutor(2) as pool:  # hashing runs beside the products, unless it is sooner done than handed on
            several = map if self.small else pool.map
            for start in range(0, self.shape[0], step := 2 * self.few):
                here = slice(start, start + step)
                starts, columns, x = self.take(here)
                read = [np.diff(starts).astype("<i8"), columns.astype("<u4"), x.astype("<f8", copy=False)]
                list(hashed)  # waits for the block before
                hashed = several(type(parts[0]).update, parts, read)
                if floats:
                    doubtful, above = floats.call(starts, columns, x, self.signs[here])
                    unclear += (start + np.flatnonzero(doubtful)).tolist()
                    some = some or above
            list(hashed)
        parts.append(hashlib.sha256(self.signs.tobytes()))
        head = b"novikoff data 1" + np.array(self.shape, "<i8").tobytes()
        ours = hashlib.sha256(head + b"".join(part.digest() for part in parts)).hexdigest()
        _require(name in (None, ours), f"this proof is about data with digest {name!s:.12}...; yours is {ours:.12}...")
        for j in range(0, len(unclear), self.few):
            above = self._scan_exactly(unclear[j : j + self.few], w, least, most)
            some = some or above
        return ours, some

    def _scan_exactly(self, rows: list[int], w: Any, least: Fraction, most: Fraction) -> bool:
        """The rows that floats could not call. Is <w,a> > 0 on some?"""
        starts, columns, z, q = self.exact(rows)
        dots = np.add.reduceat(z * w[columns], starts[:-1])
        squares = np.add.reduceat(z * z, starts[:-1])
        low = dots < -(-least * q // 1)
        long = squares > most * q * q // 1
        _require(not any(low), f"row {rows[low.argmax()]} has y<w,x> < {'that of the closest' if least else 0}")
        _require(not any(long), f"its radius is too small: row {rows[long.argmax()]} is longer")
        return any(dots > 0)

    def exact(self, rows: list[int]) -> tuple[Any, Any, Any, int]:
        """Integers: q a_i of the k-th row is z[starts[k] : starts[k + 1]] in its columns, and zero in the others."""
        starts, columns, x = self.take(rows)
        x, columns = np.insert(x, starts[1:], self.constant), np.insert(columns, starts[1:], self.shape[1])
        fraction, e = np.frexp(x * np.repeat(self.signs[rows], np.diff(starts) + 1))
        z, k, starts = (fraction * 2.0**53).astype(np.int64), max(0, 53 - int(e.min())), starts + np.arange(len(starts))
        kind = np.int64 if e.max() + k < 64 else object  # |z| < 2^53
        return starts, columns, (z.astype(kind) << (e + (k - 53)).astype(kind)).astype(object), 1 << k

    def combine(self, rows: list[int], p: Any) -> tuple[Any, int]:
        """The non-zeros of q sum p_i a_i, and q."""
        total, scale = np.zeros(self.shape[1] + 1, dtype=object), 1
        for j in range(0, len(rows), self.few):
            starts, columns, z, q = self.exact(rows[j : j + self.few])
            total, scale = (total * (q // scale), q) if q > scale else (total, scale)
            np.add.at(total, columns, np.repeat(p[j : j + self.few] * (scale // q), np.diff(starts)) * z)
        return total[total != 0], scale


class Filter:
    """Floats that call the rows on which rounding cannot matter: <w,a> >= least and ||a||^2 <= most."""

    def __init__(self, w: Any, least: Fraction, most: Fraction, constant: float) -> None:
        scale = 1 << max(0, int(np.abs(w).max(initial=0)).bit_length() - 64)
        self.v = (w / scale).astype(np.float64)  # rounded
        self.norm = float(np.sqrt(np.einsum("i,i", self.v, self.v)))
        self.bottom, self.top = _up(least / scale), -_up(-most)
        self.constant = constant

    @np.errstate(all="ignore")
    def call(self, starts: Any, columns: Any, x: Any, signs: Any) -> tuple[Any, bool]:
        """Which of these rows are in doubt; and is <w,a> > 0 on one of them, for certain?"""
        k, c = np.diff(starts), self.constant
        full = np.flatnonzero(k)
        dot, square = np.zeros((2, len(k)))
        dot[full] = np.add.reduceat(x * self.v[columns], starts[full])
        square[full] = np.add.reduceat(x * x, starts[full])
        dot = signs * (dot + c * self.v[-1])
        square = square + c * c
        size = self.norm * np.sqrt(square + 2.0**-1000)
        # k + 1 products are added: twice Higham's bound, and more for the rounding of v, of the norms and of this line.
        error = (k + 9) * 2.0**-52 * size
        excess = (k + 9) * (2.0**-52 * square + 2.0**-1072)  # a square that underflows errs by 2^-1075
        near = size.min() < 2**52 or any(square + excess > self.top)
        if near and c.is_integer() and np.all(x == np.rint(x)):  # integers add up exactly below 2^53
            error[size < 2**52] = 0.0
            excess[square < 2**52] = 0.0
        clear = (dot - error >= self.bottom) & (square + excess <= self.top)
        return ~clear, bool(np.any((dot > 0) & (dot >= error)))


def _check_sound(X: Any) -> None:
    """A CSR matrix may be made of parts that do not fit together."""
    n, d = X.shape
    ends = X.indptr
    sound = len(ends) == n + 1 and ends[0] == 0 and np.all(ends[:-1] <= ends[1:])
    sound = sound and ends[-1] <= min(len(X.data), len(X.indices))
    _require(sound, "X is a damaged sparse matrix: its indptr does not lead through its entries", ValueError)
    for start in range(0, int(ends[-1]), CHUNK):
        columns = X.indices[start : min(start + CHUNK, int(ends[-1]))]
        inside = columns.min() >= 0 and columns.max() < d
        _require(inside, "X is a damaged sparse matrix: it stores entries outside its columns", ValueError)


# The labels ----------------------------------------------------------------------------------------


def _labels(y: Any) -> Any:
    """The labels as an array of bools, integers, floats or text; or of plain Python values, if y was no such array."""
    labels = np.asarray(y) if hasattr(y, "__array__") else np.fromiter([*y], dtype=object)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.dtype.kind in "OT":
        return _plain(labels)
    known = labels.dtype.kind in "biuU" or labels.dtype.newbyteorder("=") in (np.float16, np.float32, np.float64)
    cure = "convert them to text, for example, with y.astype(str)"
    _require(known, f"a certificate cannot name labels of type {labels.dtype}: {cure}", ValueError)
    return labels


def _plain(labels: Any) -> Any:
    values = [
        label.item() if isinstance(label, np.generic) and label.dtype.kind in "biufU" else label
        for label in labels.flat
    ]
    for i, label in enumerate(values):
        if type(label) not in LABELS:
            raise ValueError(f"y[{i}] = {label!r:.60}: a certificate can name text, numbers and bools only")
    return np.fromiter(values, dtype=object).reshape(labels.shape)


def _sides(labels: Any, positive: Label, against: tuple[Label, ...] | None) -> tuple[Any, tuple[Label, ...]]:
    """+1 for the positive label and -1 for the others, all of which are named and occur; and the others.

    Format 1 does not name them (None): then they are all that occur.
    """
    if against is None:
        occurring = {*labels.tolist()} if labels.dtype == object else {*np.unique(labels).tolist()}
        others = filter(_is_label, occurring - {positive})
        against = tuple(sorted(others, key=lambda label: (type(label) is str, label)))
        _require(against, f"y holds no label beside {_shown(positive)}: a separator needs two")
    sides = {positive: 1} | dict.fromkeys(against, -1)
    signs, missing = (_sides_of_values if labels.dtype == object else _sides_of_array)(labels, sides)
    _require(not missing, f"its label {_shown(next(iter(missing), ''))} does not occur in y")
    unnamed = np.flatnonzero(signs == 0)
    if len(unnamed):
        label = labels[unnamed[:1]].tolist()[0]
        raise InvalidCertificate(f"y[{unnamed[0]}] = {_shown(label)}, a label that it does not name")
    return signs, against


def _sides_of_values(labels: Any, sides: dict[Label, int]) -> tuple[Any, list[Label]]:
    """The signs of plain Python values, 0 where there is none; and the labels that do not occur."""
    occurring = {*labels.tolist()}
    signs = np.fromiter((sides.get(label, 0) for label in labels), dtype="<i1", count=len(labels))
    return signs, [label for label in sides if label not in occurring]


def _sides_of_array(labels: Any, sides: dict[Label, int]) -> tuple[Any, list[Label]]:
    """The same for labels of a NumPy type."""
    signs = np.zeros(len(labels), dtype="<i1")
    missing = []
    for label, sign in sides.items():
        found = _where(labels, label)
        signs[found] = sign
        if not np.any(found):
            missing.append(label)
    return signs, missing


def _where(labels: Any, label: Label) -> Any:
    """Where the labels equal this one as Python compares, exactly: 1 == 1.0 == True, 2^53 + 1 != 2.0^53, "1" != 1.

    NumPy compares exactly within one type; Python says whether the label is the value of that type.
    """
    nowhere = np.zeros(len(labels), dtype=bool)
    if (labels.dtype.kind == "U") != isinstance(label, str):
        return nowhere
    try:
        with np.errstate(all="ignore"):
            near = labels.dtype.type(label)
    except (OverflowError, ValueError):
        return nowhere
    found = labels == near
    same = np.any(found) and labels[np.argmax(found)].item() == label
    return found if same else nowhere


# The certificate -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Claim:
    """A certificate that keeps to the format; nothing has been compared with the data yet."""

    kind: str
    positive: Label
    against: tuple[Label, ...] | None  # None: format 1, which does not state it
    constant: float  # 0: through the origin
    n: int
    d: int
    digest: str
    combined: list[int]  # rows
    weights: Any  # of these rows, positive integers
    vector: Any  # the separator, the weak one, or None: d + 1 integers, of which the last is 0 through the origin
    ends: tuple[float, float, float] | None = None  # of a separable claim: the margin's two, and the radius
    closest: int | None = None


def _claim(record: dict[str, Any]) -> Claim:
    first = record["format"] == FORMAT_1
    if first:
        record = _from_format_1(record)
    kind = record.get("kind")
    separable = kind == SEPARABLE
    _require(separable or kind == NOT_SEPARABLE, f"its kind is not {SEPARABLE!r} or {NOT_SEPARABLE!r}")
    own = {"separator", "margin", "radius", "closest"} if separable else {"weak"} & record.keys()
    fields = HEAD | own | {"combination"}
    _require(record.keys() == fields, f"its fields are not {sorted(fields)}")
    n, d = record["rows"], record["columns"]
    _require(all(type(x) is int and 0 <= x < 2**63 for x in (n, d)), "its rows and columns are not two numbers >= 0")
    constant = _constant(record["constant"])
    positive, against = _named(record["positive"], record["against"], first=first)
    combined, weights = _combination(record["combination"], n, d, n if separable else d + 2)
    vector, ends, closest = None, None, None
    for name in {"separator", "weak"} & own:
        vector = _vector(record[name], d, constant)
    if separable:
        ends = _ends(record["margin"], record["radius"])
        closest = record["closest"]
        _require(type(closest) is int and 0 <= closest < n, "its closest row is not in X")
    digest = record["digest"]
    _require(type(digest) is str, "its digest is not text")
    return Claim(
        SEPARABLE if separable else NOT_SEPARABLE,
        positive,
        against,
        constant,
        n,
        d,
        digest,
        combined,
        weights,
        vector,
        ends,
        closest,
    )


def _from_format_1(old: dict[str, Any]) -> dict[str, Any]:
    """The same claims under the names of format 2."""
    separable = old.get("verdict") == SEPARABLE
    own = {"support", "margin", "radius", "closest"} if separable else {"rows"} | ({"weak"} & old.keys())
    _require(old.keys() == HEAD_1 | own, f"its fields are not {sorted(HEAD_1 | own)}")
    shape = old["shape"]
    _require(type(shape) is list and len(shape) == 2, "its shape is not two numbers")
    origin = old["constant"] == ZERO_HEX
    _require(old["constant"] != ORIGIN, "its constant is not a float.hex() >= 0")
    new = {name: old[name] for name in ("format", "positive", "digest")}
    new |= {"kind": old["verdict"], "against": None, "rows": shape[0], "columns": shape[1]}
    new["constant"] = ORIGIN if origin else old["constant"]
    new["combination"] = old["support"] if separable else {"rows": old["rows"], "weights": old["weights"]}
    for name, former in {"separator": "weights"}.items() if separable else {"weak": "weak"}.items():
        if former in old:
            new[name] = _without_constant(old[former]) if origin else old[former]
    return new | {name: old[name] for name in own & {"margin", "radius", "closest"}}


def _without_constant(vector: Any) -> Any:
    """Format 1 has a weight for the constant 0, which must be 0."""
    last = vector[-1] if type(vector) is list and vector else None
    unused = (type(last) is int and last == 0) or (type(last) is str and re.fullmatch("-?0x0+", last))
    _require(unused, "its weights use a constant that is zero")
    return vector[:-1]


def _constant(text: Any) -> float:
    """c > 0; or 0, through the origin."""
    if text == ORIGIN:
        return 0.0
    good = type(text) is str and re.fullmatch(FLOAT_HEX, text) and float.fromhex(text).hex() == text != ZERO_HEX
    _require(good, f"its constant is not a float.hex() > 0, nor {ORIGIN!r}")
    return float.fromhex(text)


def _named(positive: Any, against: Any, *, first: bool) -> tuple[Label, tuple[Label, ...] | None]:
    _require(_is_label(positive), "its positive label is not text, a bool or a finite number")
    if first:
        return positive, None
    others = tuple(against) if type(against) is list else (against,)
    _require(all(map(_is_label, others)), "its other labels are not text, bools or finite numbers")
    _require(type(against) is not list or len(others) > 1, "its list of other labels does not hold two of them")
    _require(len({positive, *others}) == 1 + len(others), "it names a label twice")
    return positive, others


def _is_label(label: Any) -> bool:
    number = type(label) in (int, float) and abs(label) < 2**1024
    return number or type(label) in (str, bool)


def _combination(combination: Any, n: int, d: int, most: int) -> tuple[list[int], Any]:
    """Rows and their positive weights."""
    good = type(combination) is dict and combination.keys() == {"rows", "weights"}
    _require(good, "its combination is not rows and weights")
    rows = combination["rows"]
    good = type(rows) is list and all(type(i) is int and 0 <= i < n for i in rows)
    _require(good, "a row of its combination is not in X")
    good = rows == sorted(set(rows)) and 0 < len(rows) <= most
    _require(good, f"the rows of its combination are not 1 to {most} in increasing order")
    weights = _integers(combination["weights"], len(rows), d).astype(object)
    _require(min(weights) > 0, "the weight of one of its rows is not positive")
    return rows, weights


def _vector(values: Any, d: int, constant: float) -> Any:
    if constant:
        return _integers(values, d + 1, d)
    return np.append(_integers(values, d, d), 0)


def _ends(margin: Any, radius: Any) -> tuple[float, float, float]:
    good = type(margin) is list and len(margin) == 2 and all(map(_is_positive, (*margin, radius)))
    _require(good and margin[0] <= margin[1], "its margin and radius are not positive floats, the margin's in order")
    return float(margin[0]), float(margin[1]), float(radius)


def _is_positive(x: Any) -> bool:
    """A float64 > 0; one without a fraction may be written as an integer."""
    return type(x) in (int, float) and 0 < x <= LARGEST_FLOAT and float(x) == x


def _integers(values: Any, count: int, d: int) -> Any:
    _require(type(values) is list and len(values) == count, f"its weights are not {count} integers")
    small = np.array(values) if {*map(type, values)} == {int} else np.empty(0)
    if small.dtype == np.int64 and -(2**53) < small.min() <= small.max() < 2**53:
        return small
    # Rows are integers below 2^2098 times 2^-1074. Cramer's rule for their Gram matrix, of at most d + 2 rows, and
    # Hadamard's bound leave room.
    form = re.compile(f"-?0x[0-9a-f]{{1,{min(LARGEST_FILE, 1100 * (d + 2))}}}")
    found = [_integer(x, form) for x in values]
    _require(None not in found, f"its weights are not {count} integers")
    return np.array(found, dtype=object)


def _integer(x: Any, form: re.Pattern[str]) -> int | None:
    if type(x) is int and abs(x) < 2**53:
        return x
    return int(x, 16) if type(x) is str and form.fullmatch(x) else None


def _up(x: Fraction) -> float:
    near = float(x) if abs(x) <= LARGEST_FLOAT else np.inf if x > 0 else -np.inf
    return near if near >= x else float(np.nextafter(near, np.inf))


def _require(holds: Any, sentence: str, kind: type[ValueError] = InvalidCertificate) -> None:
    if not holds:
        raise kind(sentence)


def _read(certificate: Any) -> dict[str, Any]:
    try:
        if hasattr(certificate, "to_json"):
            text = certificate.to_json()
        elif isinstance(certificate, dict):
            text = json.dumps(certificate)
        else:
            _require(Path(certificate).stat().st_size <= LARGEST_FILE, "the file is too large")
            text = Path(certificate).read_text("utf-8")
        record = json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidCertificate(f"this is not a certificate: {error}") from error
    known = type(record) is dict and record.get("format") in (FORMAT, FORMAT_1)
    _require(known, f"its format is not {FORMAT!r} or {FORMAT_1!r}")
    return dict(record)


def _each_once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(items)
    _require(len(fields) == len(items), "a field is there twice")
    return fields
