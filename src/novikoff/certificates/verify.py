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
    ManyClassClaim,
    Sides,
    SoftMarginClaim,
    TwoClassClaim,
    is_label,
    read_claim,
    require,
)
from novikoff.certificates.verified import Verified, shown
from novikoff.float64 import check_ends, exact_matrix, unmasked, unpacked

LABELS = str, bool, int, float
CHUNK = 2**20  # stored entries that are looked at together; no result depends on it


def verify(certificate: Any, X: Any, y: Any = None, *, sample_weight: Any = None, reference: bool = False) -> Verified:
    """What a certificate proves about X and y, in exact arithmetic; `InvalidCertificate` if it does not.

    Parameters
    ----------
    certificate : a path, a parsed dict, what `certify` returned, or a `Claim` that was read
    X, y : the data, or a `novikoff.data.Dataset` with its labels; numbers that float64 does not hold are refused
    sample_weight : the weights of the rows, of a soft margin with weights; by default those of the `Dataset`
    reference : run the short checker that is made to be read, which is slow, instead of the fast one

    Returns
    -------
    Verified, and of a soft margin VerifiedSoftMargin
    """
    claim = read_claim(certificate)
    weights = _weights(sample_weight, claim, X if y is None else None)
    X, y = unpacked(X) if y is None else (X, y)
    matrix = exact_matrix(X)
    _check_sound(matrix)
    labels = _labels(y)
    n = matrix.shape[0]
    if labels.shape != (n,):
        raise ValueError(f"X has {n} rows, but y is of shape {labels.shape}")
    data = Data(matrix)
    if reference:
        return _by_reference(claim, data, labels, weights)
    if isinstance(claim, ManyClassClaim):
        return check.check_classes(claim, data, _places(claim.labels, labels))
    assert isinstance(claim, TwoClassClaim)
    signs, against = _sides(claim.sides, labels)
    return check.check(claim, data, signs, against, weights)


def _by_reference(claim: Claim, data: Data, labels: Any, weights: Any) -> Verified:
    listed = None if weights is None else weights.tolist()
    return reference.check(claim, data.examples(), data.shape[1], labels.tolist(), listed)


def _weights(given: Any, claim: Claim, examples: Any) -> Any:
    """The weights of the rows as floats; of examples, their own, if the claim speaks of weights."""
    weighted = isinstance(claim, SoftMarginClaim) and claim.weighted is not None
    require(weighted or given is None, "this proof is about rows without weights: leave sample_weight out")
    if weighted and given is None:
        given = getattr(examples, "weights", None)
    if given is None:
        return None
    try:
        found = np.asarray(unmasked(given, "sample_weight"), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold a number for each row: {error}") from None
    if found.ndim != 1:
        raise ValueError(f"sample_weight is of shape {found.shape}: one number for each row is expected")
    return found


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
    return _numbered(labels, {positive: 1} | dict.fromkeys(against, -1), "<i1"), against


def _places(named: tuple[Label, ...], labels: Any) -> Any:
    """The place of each row's label among those that are named, all of which occur."""
    return _numbered(labels, {label: place for place, label in enumerate(named, start=1)}, "<i4") - 1


def _numbered(labels: Any, numbers: dict[Label, int], dtype: str) -> Any:
    """The numbers of the labels, none of them 0; each label has one, and each of those with a number occurs."""
    found, missing = (_numbers_of_values if labels.dtype == object else _numbers_of_array)(labels, numbers, dtype)
    require(not missing, f"its label {shown(next(iter(missing), ''))} does not occur in y")
    unnamed = np.flatnonzero(found == 0)
    if len(unnamed):
        label = labels[unnamed[:1]].tolist()[0]
        raise InvalidCertificate(f"y[{unnamed[0]}] = {shown(label)}, a label that it does not name")
    return found


def _numbers_of_values(labels: Any, numbers: dict[Label, int], dtype: str) -> tuple[Any, list[Label]]:
    """The numbers of plain Python values, 0 where there is none; and the labels that do not occur."""
    occurring = {*labels.tolist()}
    found = np.fromiter((numbers.get(label, 0) for label in labels), dtype=dtype, count=len(labels))
    return found, [label for label in numbers if label not in occurring]


def _numbers_of_array(labels: Any, numbers: dict[Label, int], dtype: str) -> tuple[Any, list[Label]]:
    """The numbers of labels of a NumPy type, 0 where there is none; and the labels that do not occur."""
    found = np.zeros(len(labels), dtype=dtype)
    missing = []
    for label, number in numbers.items():
        here = _where(labels, label)
        found[here] = number
        if not np.any(here):
            missing.append(label)
    return found, missing


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
