"""The examples of a picture: rows, signs, and what the two classes are called."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import NotSeparable, PairVerdicts, Proof, Undecided, Verdicts
from novikoff.display.style import literal
from novikoff.engine.rows import Rows
from novikoff.labels import Labels


class TwoClasses(NamedTuple):
    """Examples of two classes, as pictures need them."""

    X: Any  # a float array or a CSR matrix, n x d
    signs: NDArray[np.int8]
    names: tuple[str, str]  # of the classes with the signs -1 and +1
    columns: tuple[str, ...]

    def dense(self, rows: NDArray[Any] | None = None) -> NDArray[np.float64]:
        X = self.X if rows is None else self.X[rows]
        return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def read(X: Any, y: Any = None, classes: NDArray[Any] | None = None) -> TwoClasses:
    """Examples of two classes."""
    y = inputs.labels(X, y)
    X, columns = inputs.plain_matrix(X)
    inputs.check_rows(X, columns)
    labels = Labels.of(y, X.shape[0]).two() if classes is None else Labels(classes)
    return TwoClasses(X, labels.signs(y, X.shape[0]), _names(labels), _columns(columns, X.shape[1]))


def read_for(proof: Proof, X: Any, y: Any) -> TwoClasses:
    """The examples that a certificate is about; with more than two labels, the rest are one class."""
    about = proof.about
    if about.labels:
        raise ValueError(f"this verdict is one of many, about some rows of its data: {cure(proof)}")
    y = inputs.labels(X, y)
    X, columns = inputs.plain_matrix(X)
    if X.shape != (about.n, about.d):
        raise ValueError(f"the certificate is about {about.n} rows and {about.d} columns, but X has shape {X.shape}")
    found = np.asarray(y)
    positive = found == about.positive
    if np.any(positive):
        others = np.unique(found[~positive])
        names = (_name(others[0]) if len(others) == 1 else f"not {_name(about.positive)}", _name(about.positive))
        signs = np.where(positive, np.int8(1), np.int8(-1))
    else:
        labels = Labels.of(y, X.shape[0]).two()
        names, signs = _names(labels), labels.signs(y, X.shape[0])
    if len(signs) != about.n or not Rows(X, signs, 0.0).has_digest(about.digest):
        raise ValueError("these are not the data of the certificate: its digest is another one")
    return TwoClasses(X, signs, names, _columns(columns, X.shape[1]))


def cure(proof: object) -> str:
    """What to pass instead of something that cannot be shown."""
    many = isinstance(proof, PairVerdicts) or (isinstance(proof, Proof) and proof.about.labels)
    if many:
        return "certify the rows of two of the labels by themselves, and pass that proof with these rows"
    if isinstance(proof, Verdicts):
        return "pass one of them, verdicts[label]"
    if isinstance(proof, NotSeparable):
        return "CertificateDisplay.from_certificate shows the rows that prove it"
    if isinstance(proof, Undecided):
        return "give certify more time"
    return "pass what certify(X, y) says, without C"


def _names(labels: Labels) -> tuple[str, str]:
    first, second = labels.classes
    return _name(first), _name(second)


def _name(label: Any) -> str:
    plain = inputs.item(label)
    return literal(plain if isinstance(plain, str) else str(plain).replace("-", "−"))


def _columns(names: Any, d: int) -> tuple[str, ...]:
    return tuple(f"$x_{{{j + 1}}}$" for j in range(min(d, 3))) if names is None else tuple(map(literal, names))
