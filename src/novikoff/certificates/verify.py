"""`verify`: from what users have to the claim and the data, and to one of the two checkers."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.certificates import check, reference
from novikoff.certificates.check.data import Data
from novikoff.certificates.claim import (
    Claim,
    InvalidCertificate,
    Label,
    NotSeparableClaim,
    OverlapClaim,
    QuasiCompleteClaim,
    SeparableClaim,
    Sides,
    is_label,
    read_claim,
    require,
)
from novikoff.certificates.verified import Verified, shown
from novikoff.float64 import check_ends, exact_matrix, unmasked, unpacked

LABELS = str, bool, int, float
CHUNK = 2**20  # stored entries that are looked at together; no result depends on it


def verify(certificate: Any, X: Any, y: Any = None, *, reference: bool = False) -> Verified:
    """What a certificate proves about X and y, in exact arithmetic; `InvalidCertificate` if it does not.

    Parameters
    ----------
    certificate : a path, a parsed dict, what `certify` returned, or a `Claim` that was read
    X, y : the data, or a `novikoff.data.Dataset` with its labels; numbers that float64 does not hold are refused
    reference : run the short checker that is made to be read, which is slow, instead of the fast one

    Returns
    -------
    Verified
    """
    claim = read_claim(certificate)
    X, y = unpacked(X) if y is None else (X, y)
    matrix = exact_matrix(X)
    _check_sound(matrix)
    labels = _labels(y)
    n = matrix.shape[0]
    if labels.shape != (n,):
        raise ValueError(f"X has {n} rows, but y is of shape {labels.shape}")
    data = Data(matrix)
    if reference:
        return _by_reference(claim, data, labels)
    assert isinstance(claim, SeparableClaim | NotSeparableClaim | OverlapClaim | QuasiCompleteClaim)
    signs, against = _sides(claim.sides, labels)
    return check.check(claim, data, signs, against)


def _by_reference(claim: Claim, data: Data, labels: Any) -> Verified:
    return reference.check(claim, data.examples(), data.shape[1], labels.tolist())


def _check_sound(X: Any) -> None:
    """A CSR matrix may be made of parts that do not fit together."""
    if not hasattr(X, "tocsr"):
        return
    check_ends(X)
    stored = int(X.indptr[-1])
    for start in range(0, stored, CHUNK):
        columns = X.indices[start : min(start + CHUNK, stored)]
        if columns.min() < 0 or columns.max() >= X.shape[1]:
            raise ValueError("X is a damaged sparse matrix: it stores entries outside its columns")


# The labels ----------------------------------------------------------------------------------------


def _labels(y: Any) -> Any:
    """The labels as an array of bools, integers, floats or text; or of plain Python values, if y was no such array."""
    labels = np.asarray(unmasked(y, "y")) if hasattr(y, "__array__") else np.fromiter([*y], dtype=object)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.dtype.kind in "OT":
        return _plain(labels)
    known = labels.dtype.kind in "biuU" or labels.dtype.newbyteorder("=") in (np.float16, np.float32, np.float64)
    if not known:
        cure = "convert them to text, for example, with y.astype(str)"
        raise ValueError(f"a certificate cannot name labels of type {labels.dtype}: {cure}")
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


def _sides(named: Sides, labels: Any) -> tuple[Any, tuple[Label, ...]]:
    """+1 for the positive label and -1 for the others, all of which are named and occur; and the others."""
    positive, against = named.positive, named.against
    if against is None:  # format 1: they are all that occur
        occurring = {*labels.tolist()} if labels.dtype == object else {*np.unique(labels).tolist()}
        others = filter(is_label, occurring - {positive})
        against = tuple(sorted(others, key=lambda label: (type(label) is str, label)))
        require(against, f"y holds no label beside {shown(positive)}: a separator needs two")
    sides = {positive: 1} | dict.fromkeys(against, -1)
    signs, missing = (_sides_of_values if labels.dtype == object else _sides_of_array)(labels, sides)
    require(not missing, f"its label {shown(next(iter(missing), ''))} does not occur in y")
    unnamed = np.flatnonzero(signs == 0)
    if len(unnamed):
        label = labels[unnamed[:1]].tolist()[0]
        raise InvalidCertificate(f"y[{unnamed[0]}] = {shown(label)}, a label that it does not name")
    return signs, against


def _sides_of_values(labels: Any, sides: dict[Label, int]) -> tuple[Any, list[Label]]:
    """The signs of plain Python values, 0 where there is none; and the labels that do not occur."""
    occurring = {*labels.tolist()}
    signs = np.fromiter((sides.get(label, 0) for label in labels), dtype="<i1", count=len(labels))
    return signs, [label for label in sides if label not in occurring]


def _sides_of_array(labels: Any, sides: dict[Label, int]) -> tuple[Any, list[Label]]:
    """The signs of labels of a NumPy type, 0 where there is none; and the labels that do not occur."""
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
