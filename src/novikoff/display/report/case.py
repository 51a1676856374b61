"""All that a report tells of: the data, the verdict, the model, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import NotSeparable, Proof, Separable, Undecided, certify
from novikoff.display import two_classes
from novikoff.engine.rows import Rows
from novikoff.estimators.folds import CrossValidated, cross_validated
from novikoff.estimators.hyperplane import LinearModel
from novikoff.estimators.linear import LinearClassifier
from novikoff.examples import written
from novikoff.labels import Labels
from novikoff.standardization import Standardization

FOLDS = 5  # of the cross-validation
ENTRIES = 500_000  # of X: more are not cross-validated without being asked
EMBEDDED = 1 << 20  # bytes of a certificate that the page holds; a larger one is a file beside it

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class Origin(NamedTuple):
    """Where data and model came from, in the words of a shell."""

    data: str = "DATA"  # the file, followed by the options that it is read with
    command: str | None = None  # what made the report
    note: str = ""  # what else there is to say about the run


@dataclass(frozen=True, eq=False)
class Given:
    """The data and the model, whatever the number of labels."""

    X: Any  # a float array or a CSR matrix, n x d, as it is learned from
    y: NDArray[Any]
    labels: tuple[str, ...]
    names: NDArray[Any] | None  # of the columns
    tags: list[str] | None  # of the rows
    clf: LinearModel | None
    origin: Origin
    weights: Array | None  # of the rows
    source: Any  # what the rows came in: a `Dataset` tells how it was read
    given: Any  # X before its columns are standardised, if the model does that

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    @property
    def constant(self) -> float:
        """The constant coordinate."""
        return 0.0 if self.clf is None else constant_of(self.clf)

    @cached_property
    def norms(self) -> Array:
        """Of the rows, the constant coordinate included."""
        if sp.issparse(self.X):
            lengths = sp.linalg.norm(self.X, axis=1)
        else:
            lengths = np.sqrt(np.einsum("ij,ij->i", self.X, self.X, dtype=np.float64))
        found: Array = np.hypot(lengths, self.constant)
        return found

    @property
    def radius(self) -> float:
        return float(self.norms.max())

    def column(self, j: int) -> str:
        return str(j) if self.names is None else str(self.names[j])

    def dense(self, rows: Any) -> Array:
        part = self.X[rows]
        return np.asarray(part.toarray() if sp.issparse(part) else part, dtype=np.float64)

    @property
    def entries(self) -> int:
        return int(self.X.nnz if sp.issparse(self.X) else self.X.size)

    @cached_property
    def estimate(self) -> CrossValidated | str:
        """What models with these settings do on rows that they have not learned from; or why that was not tried."""
        fewest = int(np.unique(self.y, return_counts=True)[1].min())
        if self.entries > ENTRIES:
            return (
                "Not cross-validated, since the data are large. novikoff eval DATA --folds 5 does it, with the options "
                "that the report was made with; so does cross_val_score of scikit-learn."
            )
        if fewest < 2:
            return "Not cross-validated: a label with one row cannot be learned without it."
        try:
            return cross_validated(self.model, self.examples, folds=min(FOLDS, fewest))
        except ValueError as error:
            return f"Not cross-validated: {error}"

    @property
    def examples(self) -> inputs.Examples:
        """The rows as they were given."""
        return inputs.Examples(self.given, self.y, self.names, self.weights)

    @property
    def model(self) -> LinearModel:
        assert self.clf is not None
        return self.clf

    @property
    def standardization(self) -> Standardization | None:
        """By which numbers the columns are standardised before they are learned from."""
        return None if self.clf is None else self.clf.standardization_

    @property
    def learned_here(self) -> bool:
        """Can the model have learned from these rows?"""
        raise NotImplementedError

    @cached_property
    def scores(self) -> Array:
        # Examples, because an array would be asked for the names of its columns.
        return self.model.decision_function(inputs.Examples(self.given, None, self.names))


def certificate_of(proof: Proof) -> tuple[str, bytes]:
    """The name and the content of the file of a proof."""
    return f"certificate-{proof.about.digest[:12]}.json", proof.to_json().encode("utf-8")


@dataclass(frozen=True, eq=False)
class Case(Given):
    """Two labels."""

    signs: NDArray[np.int8]  # +1 for the second of the labels
    proof: Separable | NotSeparable | Undecided

    @property
    def constant(self) -> float:
        return self.proof.about.constant

    @property
    def radius(self) -> float:
        return self.proof.radius if isinstance(self.proof, Separable) else super().radius

    def label(self, i: int) -> str:
        return self.labels[int(self.signs[i] > 0)]

    # The certificate ---------------------------------------------------------------------------

    @cached_property
    def certificate(self) -> bytes:
        return certificate_of(self.proof)[1]

    @property
    def file_name(self) -> str:
        return certificate_of(self.proof)[0]

    @property
    def beside(self) -> dict[str, bytes]:
        if isinstance(self.proof, Undecided) or len(self.certificate) <= EMBEDDED:
            return {}
        return {self.file_name: self.certificate}

    # The model ---------------------------------------------------------------------------------

    @property
    def scale(self) -> str:
        """What the rows are divided by before they are learned from: "none", "ball" (R) or "sphere" (their norm)."""
        return str(getattr(self.clf, "scale", "none"))

    @cached_property
    def w(self) -> Array | None:
        """The weights of the model, the constant coordinate last; None if there are none but zeros."""
        if self.clf is None:
            return None
        last = float(self.clf.intercept_[0]) / self.constant if self.constant else 0.0
        w: Array = np.append(self.clf.coef_[0], last)
        return w if w.any() else None

    @cached_property
    def margins(self) -> Array:
        """y<w,x>/||w||, of the rows as they are learned from."""
        assert self.w is not None
        margins: Array = self.signs * self.scores / math.hypot(*self.w)
        return margins / self.radius if self.scale == "ball" else margins

    @cached_property
    def hardest(self) -> Indices:
        """All rows, the smallest margin first."""
        order: Indices = np.argsort(self.margins, kind="stable")
        return order

    def parts(self, i: int) -> tuple[Array, Array]:
        """The values of a row, and what each of them adds to its margin."""
        assert self.w is not None
        unit = {"none": 1.0, "ball": self.radius, "sphere": float(self.norms[i])}[self.scale]
        x = self.dense([i])[0]
        return x, self.signs[i] * (self.w[:-1] / math.hypot(*self.w)) * x / unit

    @property
    def bracket(self) -> tuple[float, float]:
        """What is known about the best margin of the rows as they are learned from."""
        if self.scale != "none" or (isinstance(self.proof, Undecided) and self.learned_here):
            return self.model.margin_
        return self.proof.margin

    @property
    def learned_here(self) -> bool:
        return self._learned_here

    @cached_property
    def _learned_here(self) -> bool:
        """Certain if it remembers their digest."""
        clf, proof = self.clf, self.proof
        known = getattr(clf, "certificate_", None)
        digest = known.about.digest if known else getattr(clf, "data_digest_", None)
        if digest is not None:
            return digest == proof.about.digest or Rows(self.given, self.signs, 0.0).has_digest(digest)
        if not isinstance(clf, LinearClassifier) or self.scale != "none":
            return True
        if clf.radius_ > self.radius * (1 + 1e-9):
            return False
        if not isinstance(proof, Separable) or clf._learner.weighed:
            return True
        allowed = clf.bound(Fraction(proof.margin[0]))
        return allowed is None or clf._learner.bounded <= allowed

    @cached_property
    def allowed(self) -> int | None:
        """How many updates the theorem allows the run."""
        clf, proof = self.clf, self.proof
        if not isinstance(clf, LinearClassifier) or not self.learned_here:
            return None
        gamma = Fraction(max(clf.margin_[0], 0.0))
        if isinstance(proof, Separable) and self.scale != "sphere":
            gamma = Fraction(proof.margin[0]) / (Fraction(proof.radius) if self.scale == "ball" else 1)
        return cast("int | None", clf.bound(gamma)) if gamma and not clf._learner.weighed else None


def case_of(clf: LinearModel | None, X: Any, y: Any, proof: Proof | Mapping[Any, Proof] | None, origin: Origin) -> Case:
    """Everything read and checked; the verdict, where none is given, found."""
    y, tags, weights = inputs.labels(X, y), getattr(X, "tags", None), inputs.given_weights(X, None)
    if clf is not None and len(clf.classes_) > 2:
        raise ValueError(
            f"y holds two labels at most, and the model knows {len(clf.classes_)}: report on rows of at least three"
        )
    given, names = inputs.plain_matrix(X)
    matrix = given
    if clf is not None:
        matrix, names = inputs.matrix(clf, X), getattr(clf, "feature_names_in_", names)
    labels = Labels.of(y, matrix.shape[0]).two() if clf is None else Labels(clf.classes_)
    signs = labels.signs(y, matrix.shape[0])
    constant = constant_of(clf) if clf is not None else proof.about.constant if isinstance(proof, Proof) else 1.0
    if proof is None:
        options = {"intercept_scaling": constant} if constant else {"fit_intercept": False}
        standardised = clf is not None and clf.standardization_ is not None
        record = None if standardised else getattr(X, "record", None)  # of rows that are not those of the file
        doubted = getattr(X, "doubted", ())
        examples = inputs.Examples(matrix, labels.of_signs(signs), names, record=record, doubted=doubted)
        proof = certify(examples, **options)
    elif not isinstance(proof, Separable | NotSeparable | Undecided):
        raise TypeError(f"a report is on the verdict of certify(X, y); this is {proof!r}: {two_classes.cure(proof)}")
    else:
        two_classes.read_for(proof, matrix, y)
        if proof.about.constant != constant:
            raise ValueError(
                f"the certificate is about rows with the constant coordinate {proof.about.constant:g}, the model about "
                f"rows with {constant:g}: pass the model's fit_intercept and intercept_scaling to certify"
            )
    assert isinstance(proof, Separable | NotSeparable | Undecided)
    first, second = labels.classes
    if clf is None or clf.standardization_ is None:
        given = matrix
    names_of_labels = (written(first), written(second))
    y = labels.of_signs(signs)
    return Case(matrix, y, names_of_labels, names, tags, clf, origin, weights, X, given, signs, proof)


def constant_of(clf: Any) -> float:
    return float(clf.intercept_scaling) if clf.fit_intercept else 0.0
