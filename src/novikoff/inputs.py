"""From what users have (arrays, frames, CSR, dicts) to rows; `novikoff.labels` does it for labels.

Every error about rows is raised here, with the place, the value and what is expected.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import float64
from novikoff.engine.decide import (
    NORM_RANGE,
    NOT_FINITE,
    OVERFLOW,
    STEP_RANGE,
    THETA_RANGE,
    UNDERFLOW,
    ZERO_ROW,
    divisor,
)
from novikoff.engine.dense import DenseRows
from novikoff.engine.moments import moments
from novikoff.engine.rows import BadRowError
from novikoff.examples import FLOAT32 as FLOAT32
from novikoff.examples import FLOAT64 as FLOAT64
from novikoff.examples import FLOATS
from novikoff.examples import Examples as Examples
from novikoff.examples import RowError as RowError
from novikoff.examples import distinct as distinct
from novikoff.examples import item as item
from novikoff.float64 import Rounded, TooLargeError
from novikoff.standardization import Standardization
from novikoff.words import said, setting, told

CROWDED = 8  # a matrix is dense, however it is stored, if at least one number in so many is not 0

SparseVector = tuple[NDArray[np.uint32], NDArray[Any]]
E = TypeVar("E", bound=Examples)


def labels(X: Any, y: Any, *, unweighted: str = "") -> Any:
    """y, or that of `Examples` in the place of X. A learner that knows no weights gives its name."""
    if isinstance(X, Examples):
        if y is not None:
            raise ValueError("X comes with its labels: do not pass y as well")
        if unweighted and X.weights is not None:
            raise ValueError(f"these examples carry weights, of which {unweighted} knows nothing: drop them first")
        y = X.y
        if y is None:
            option = said("label", "NAME")
            raise ValueError(f"these examples have no labels, which are needed here; {option} names those of a file")
    if isinstance(X, (str, os.PathLike)):
        raise ValueError("X is text, and rows are expected: pass what novikoff.data.read(path) returns for a file")
    if y is None:
        raise ValueError("this learner requires y to be passed, but the target y is None")
    if isinstance(y, str):
        raise ValueError(
            f"y is the text {y[:60]!r}, and a label for each row is expected: pass the column, frame[{y[:60]!r}]"
        )
    return float64.unmasked(y, "y")


def given_weights(X: Any, sample_weight: Any) -> Any:
    """sample_weight, the importance of each example; or that of `Examples` in the place of X."""
    found = X.weights if sample_weight is None and isinstance(X, Examples) else sample_weight
    return float64.unmasked(found, "sample_weight")


def first_matrix(estimator: Any, X: Any, *, exact: bool = False) -> tuple[Any, NDArray[Any] | None]:
    """X as `matrix` gives it, and the names of its columns; the estimator is left alone."""
    X, names, rounded = _first_matrix(estimator, X)
    if rounded is not None:
        rounded.refuse() if exact else rounded.warn()
    return X, names


def _first_matrix(estimator: Any, X: Any) -> tuple[Any, NDArray[Any] | None, Rounded | None]:
    shadow = copy(estimator)
    if isinstance(X, Examples):
        if not X.X.shape[1]:
            raise ValueError("none of these examples has a feature: there is nothing to tell them apart by")
        found, rounded = _validated(shadow, X.X, reset=True)
        return found, X.names, X.rounded or rounded
    X, rounded = _validated(shadow, X, reset=True)
    return X, getattr(shadow, "feature_names_in_", None), rounded


def matrix(estimator: Any, X: Any, *, exact: bool = False) -> Any:
    """X as a C-contiguous float array or CSR matrix of the fitted width, without a copy where it already is one.

    Where float64 does not hold a number of X, there is a warning; or, if it must be exact, an error. An estimator that
    standardises its columns gets them so.
    """
    found = _as_given(estimator, X, exact=exact)
    if isinstance(X, Examples) and X.standardization is not None:
        if X.standardization != estimator.standardization_:
            raise ValueError("the columns of these examples are standardised, and not by the numbers of the model")
        return found
    return standardised(estimator, found)


def _as_given(estimator: Any, X: Any, *, exact: bool) -> Any:
    """The same before anything is standardised."""
    if type(X) is np.ndarray and _is_as_expected(estimator, X):
        return X
    if isinstance(X, Examples):
        known = getattr(estimator, "feature_names_in_", None)
        if known is not None and X.names is not None and not np.array_equal(known, X.names):
            raise ValueError(
                "the columns of these examples are not those of the model: "
                "read them with features=model.feature_names_in_"
            )
        # The names agree, or one side has none: nothing for scikit-learn to warn of.
        shadow = copy(estimator)
        shadow.__dict__.pop("feature_names_in_", None)
        found, rounded = _validated(shadow, X.X, reset=False)
        rounded = X.rounded or rounded
    else:
        found, rounded = _validated(estimator, X, reset=False)
    if rounded is not None:
        rounded.refuse() if exact else rounded.warn()
    return found


def _is_as_expected(estimator: Any, X: Any) -> bool:
    """Is this an array or CSR matrix that scikit-learn would pass on as it is?"""
    sparse = sp.issparse(X) and X.format == "csr" and len(X.shape) == 2
    return (
        (sparse or (type(X) is np.ndarray and X.ndim == 2 and X.flags.c_contiguous))
        and X.dtype in FLOATS
        and X.shape[0] > 0
        and 0 < X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
    )


def check_fitted(estimator: Any) -> None:
    """An estimator that has learned knows its columns; of any other scikit-learn says what it thinks."""
    if "n_features_in_" not in vars(estimator):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)


def plain_matrix(X: Any) -> tuple[Any, NDArray[Any] | None]:
    """X as `matrix` gives it, and not rounded, and the names of its columns: for functions that are no estimators."""
    from sklearn.base import BaseEstimator

    return first_matrix(BaseEstimator(), X, exact=True)


def _validated(estimator: Any, X: Any, *, reset: bool) -> tuple[Any, Rounded | None]:
    numbers, rounded = float64.matrix(X)
    if not reset and numbers is X and _is_as_expected(estimator, X):
        return X, rounded
    from sklearn.utils.validation import check_array, validate_data

    # Values are checked by the loops, which read them anyway.
    rules = {"accept_sparse": "csr", "dtype": FLOATS, "order": "C", "ensure_all_finite": False}
    try:
        if numbers is X or not float64.is_frame(X):
            found = validate_data(estimator, numbers, reset=reset, **rules)
        else:
            validate_data(estimator, X, reset=reset, skip_check_array=True)  # which looks at the names
            found = check_array(numbers, estimator=estimator, **rules)
    except ValueError:
        _refuse_text(X)
        raise
    if not float64.is_numbers(numbers):  # scikit-learn has made numbers of it, and nobody knows how
        raise ValueError("X is not a matrix of numbers")
    return found, rounded


def _refuse_text(X: Any) -> None:
    """Say in which column of a frame there is text: scikit-learn names the cell alone."""
    if not float64.is_frame(X):
        return
    for name in X.columns if hasattr(X, "iloc") or hasattr(X, "get_columns") else X.column_names:
        for cell in np.ravel(np.asarray(X[name], dtype=object)):
            if isinstance(cell, str):
                raise ValueError(
                    f"column {name!r} of X holds text ({cell[:60]!r}), and numbers are expected: leave it out, or make "
                    "a column of 0 and 1 for each of its values, with pandas.get_dummies or "
                    "sklearn.preprocessing.OneHotEncoder"
                ) from None


# Columns that are standardised ---------------------------------------------------------------------


def standardised(estimator: Any, X: Any) -> Any:
    """Rows in the columns of an estimator, as it learns from them: by the numbers that it keeps, if it keeps any."""
    kept: Standardization | None = estimator.standardization_
    return X if kept is None else standardised_by(kept, X, getattr(estimator, "feature_names_in_", None))


def standardised_by(kept: Standardization, X: Any, names: Any = None, before: int = 0) -> Any:
    """Rows as they are learned from; the first of them is row ``before``. What is not finite is left to the loops."""
    found = kept.rows(X)
    if not np.isfinite(found.data if sp.issparse(found) else found).all():
        _check_standardised(kept, X, found, names, before)
    return found


def _check_standardised(kept: Standardization, X: Any, found: Any, names: Any, before: int) -> None:
    """Raise for the first row that was finite, and is so no more."""
    for row in range(X.shape[0]):
        given, made = (part[[row]].toarray()[0] if sp.issparse(part) else part[row] for part in (X, found))
        given = np.pad(given, (0, len(made) - len(given)))
        lost = np.isfinite(given) & ~np.isfinite(made)
        if lost.any() and np.isfinite(given).all():
            column = int(np.argmax(lost))
            means, scales = kept.of_width(len(made))
            raise RowError(
                f"row {before + row}, column {column}{_named(names, column)}: {given[column]:g} cannot be standardised "
                f"by the mean {means[column]:g} and the deviation {scales[column]:g}, since the result is too large "
                "for float64. Look at this value; or multiply the column by a small number before fit",
                before + row,
            )


def standardization_of(X: Any, names: Any = None) -> Standardization:
    """By which numbers the columns of a float array or CSR matrix are standardised."""
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    with refusals(X, names):
        means, deviations, constant = moments(X)
    lost = np.flatnonzero((deviations == 0) & ~constant)
    if len(lost):
        raise ValueError(
            f"column {lost[0]}{_named(names, lost[0])} cannot be divided by its standard deviation, which is too small "
            "for float64: multiply the column by a large number first, or leave it out"
        )
    return Standardization(np.zeros(len(means)) if _is_sparse(X) else means, np.where(constant, 1.0, deviations))


def _is_sparse(X: Any) -> bool:
    """Is it a CSR matrix, and so few of its numbers other than 0 that it would be a waste to write down all of them?"""
    return bool(sp.issparse(X) and np.count_nonzero(X.data) * CROWDED < X.shape[0] * X.shape[1])


def _named(names: Any, column: int) -> str:
    return "" if names is None else f" ({names[column]!r})"


def with_standardised_columns(examples: E) -> E:
    """The same examples, standardised in memory by their own means and deviations."""
    X = float64.matrix(examples.X)[0]
    kept = standardization_of(X, examples.names)
    return replace(examples, X=standardised_by(kept, X, examples.names), record=None, standardization=kept)


def standardised_for(estimator: Any, examples: E) -> E:
    """Examples as an estimator that standardises its columns learns from them."""
    X = matrix(estimator, examples, exact=True)
    return replace(examples, X=X, record=None, standardization=estimator.standardization_)


def begin_with(estimator: Any, X: Any, *, goes_on: bool = False) -> Standardization | None:
    """How the rows of a fit have been standardised before it: `keep` it once the fit is done.

    Where the fit ``goes_on`` with the weights of a fit before, theirs must have been, too, and alike.
    """
    found = X.standardization if isinstance(X, Examples) else None
    if goes_on and found != estimator.standardization_:
        raise ValueError(
            "warm_start=True goes on with weights, and those are for columns that were not standardised as these are: "
            "set warm_start=False to begin again. partial_fit takes rows as they are, and standardises them by the "
            "numbers of the first fit"
        )
    return found


def keep(estimator: Any, standardization: Standardization | None) -> None:
    """Standardise whatever rows come to an estimator from now on; or, if None, do not."""
    estimator.__dict__.pop("standardization_", None)
    if standardization is not None:
        estimator.standardization_ = standardization


# Weights and single examples -----------------------------------------------------------------------


def sample_weights(given: Any, n: int) -> NDArray[np.float64]:
    """One number >= 0 for each row; 1 by default."""
    if given is None:
        return np.ones(n)
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold a number for each row: {error}") from None
    if found.ndim == 0:
        found = np.full(n, float(found))
    if found.shape != (n,):
        raise ValueError(f"sample_weight has shape {found.shape}, but X has {n} rows: one number for each is expected")
    bad = np.flatnonzero(~((found >= 0) & (found < np.inf)))
    if len(bad):
        raise ValueError(f"sample_weight[{bad[0]}] = {found[bad[0]]}: a finite number >= 0 is expected")
    if not found.any():
        raise ValueError("every sample_weight is zero: no example is left")
    return found


def dense_vector(x: Any, width: int | None) -> NDArray[Any]:
    """A list, array or 1 x d matrix as a float vector of the expected length."""
    try:
        vector, rounded = float64.vector(x)
        if vector.dtype not in FLOATS:
            if vector.dtype.kind == "c":
                raise ValueError("complex numbers have no sign")
            vector = vector.astype(np.float64)
    except TooLargeError:
        raise
    except (TypeError, ValueError) as error:
        raise ValueError(f"x must hold real numbers: {error}") from None
    if rounded is not None:
        rounded.warn()
    if vector.ndim == 2 and vector.shape[0] == 1:
        vector = vector[0]
    if vector.ndim != 1:
        raise ValueError(f"x must be one example, a vector; got an array of shape {vector.shape}")
    _check_width(vector.shape[0], width)
    return np.ascontiguousarray(vector)


def sparse_vector(x: Any, width: int | None) -> SparseVector:
    """A sparse row as (columns, values)."""
    if len(x.shape) == 2 and x.shape[0] != 1:
        raise ValueError(f"x must be one example, a sparse row; got a matrix of shape {x.shape}")
    _check_width(x.shape[-1], width)
    float64.check_ends(x)
    row, rounded = float64.matrix(x.reshape(1, x.shape[-1]))
    if rounded is not None:
        rounded.warn()
    if row.data.dtype.kind not in "fiub" or (
        row.nnz and not 0 <= row.indices.min() <= row.indices.max() < row.shape[1]
    ):
        raise ValueError("x must be a sparse row of real numbers whose columns are inside its shape")
    values = row.data if row.data.dtype in FLOATS else row.data.astype(np.float64)
    return row.indices.astype(np.uint32), values


def by_feature(x: Any) -> bool:
    """Whether an example is a dict from feature to value, or what is used as one; a `dok_array` is a sparse row."""
    return isinstance(x, Mapping) and not sp.issparse(x)


def named_row(x: Any) -> dict[Hashable, Any] | None:
    """A row of a frame, as a Series, a namedtuple or a frame of one row, by name; None for anything else."""
    if float64.is_frame(x):
        if x.shape[0] != 1:
            raise ValueError(f"x must be one example, a row of a frame; got {x.shape[0]} rows")
        values, rounded = float64.matrix(x)
        if rounded is not None:
            rounded.warn()
        if values is x:
            raise ValueError("x must hold real numbers")
        return _by_name(getattr(x, "column_names", x.columns), values[0].tolist())
    if hasattr(x, "iloc") and hasattr(x, "index"):
        return _by_name(x.index, x.tolist())
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return _by_name(x._fields, list(x))
    return None


def _by_name(names: Iterable[Hashable], values: list[Any]) -> dict[Hashable, Any]:
    row = dict(zip(names, values, strict=True))
    if len(row) < len(values):
        raise ValueError("two columns of x have the same name: rename one of them, or pass a vector (x.to_numpy())")
    return row


def in_columns(row: Mapping[Hashable, Any], names: Iterable[Hashable]) -> list[Any]:
    """The values of a named row in the order of the columns of a model, which are all there, and no others."""
    known = list(names)
    cure = "name the columns of x as those of the model, or pass a vector in their order (x.to_numpy(), or tuple(x))"
    strange = [name for name in row if name not in set(known)]
    if strange:
        raise ValueError(f"x has {strange[0]!r}, which is no column of the model: {cure}")
    lacking = [name for name in known if name not in row]
    if lacking:
        raise ValueError(f"x lacks {lacking[0]!r}, a column of the model: {cure}")
    return [row[name] for name in known]


def norm(values: NDArray[Any], constant: float) -> float:
    """||(x, constant)||, correctly rounded before the root: what scale="sphere" divides by."""
    rows = DenseRows(values.reshape(1, -1), np.full(1, math.inf), constant, True)
    return divisor(rows, 0)


def _check_width(found: int, width: int | None) -> None:
    if width is not None and found != width:
        raise ValueError(f"x has {found} features, but the model has {width}")


def on_the_sphere(X: Any, norms: NDArray[np.float64], constant: float) -> Any:
    """(X, constant), each row divided by its norm entry by entry: the rows that scale="sphere" learns from."""
    last = (constant / norms)[:, None]
    if not sp.issparse(X):
        return np.hstack([X.astype(np.float64) / norms[:, None], last])
    X = X.tocsr().astype(np.float64)
    X.data /= np.repeat(norms, np.diff(X.indptr))
    return sp.csr_array(sp.hstack([X, sp.csr_array(last)]))


class Columns:
    """Which column a feature of a dict has: given by a frame's names, or by first appearance."""

    def __init__(self, names: Iterable[Hashable] = (), *, fixed: bool) -> None:
        self._index = {name: column for column, name in enumerate(names)}
        self._fixed = fixed
        self._last: tuple[tuple[Hashable, ...], NDArray[np.uint32]] = ((), np.empty(0, dtype=np.uint32))

    def __len__(self) -> int:
        return len(self._index)

    def names(self) -> list[Hashable]:
        return list(self._index)

    def place(self, name: Hashable) -> int | None:
        """The column of a feature."""
        return self._index.get(name)

    def read(self, x: Mapping[Hashable, Any]) -> SparseVector:
        """Columns and values of the features that have a column."""
        keys = tuple(x)
        values = numbers(x)
        last = self._last  # looked at once: another thread may read another example at the same time
        if keys == last[0]:
            return last[1], values
        if self._fixed:
            unseen = next((key for key in keys if key not in self._index), None)
            if unseen is not None:
                raise ValueError(f"feature {unseen!r} was not seen in fit")
        check_finite(x, values)
        if None in keys:
            raise ValueError("None cannot be the name of a feature: it stands for the constant coordinate")
        columns = np.array([self._index.get(key, -1) for key in keys], dtype=np.int64)
        if (columns < 0).any():
            return columns[columns >= 0].astype(np.uint32), values[columns >= 0]
        places = columns.astype(np.uint32)
        self._last = keys, places
        return places, values

    def unseen(self, x: Mapping[Hashable, Any]) -> list[Hashable]:
        """The features that have no column, in order."""
        return [key for key in dict.fromkeys(x) if key not in self._index]

    def append(self, names: Iterable[Hashable]) -> None:
        """The next columns for new features."""
        for name in names:
            self._index[name] = len(self._index)

    def shrink(self, size: int) -> None:
        """Forget the features that came last."""
        while len(self._index) > size:
            self._index.popitem()
        self._last = ((), np.empty(0, dtype=np.uint32))


FLOAT_TYPES = frozenset((float, np.float64, np.float32, bool, np.bool_))  # of values that float64 holds
KNOWN_TYPES = FLOAT_TYPES | {int}


def numbers(x: Mapping[Hashable, Any]) -> NDArray[np.float64]:
    """The values of a dict."""
    held = FLOAT_TYPES.issuperset(map(type, x.values()))
    if held or (KNOWN_TYPES.issuperset(map(type, x.values())) and max(map(abs, x.values())) <= float64.EXACT):
        return np.fromiter(x.values(), dtype=np.float64, count=len(x))
    return _one_by_one(x)


def _one_by_one(x: Mapping[Hashable, Any]) -> NDArray[np.float64]:
    found, lost = np.empty(len(x)), None
    for k, (name, value) in enumerate(x.items()):
        found[k], kept = _number(name, value)
        if not kept:
            told = Rounded(f"feature {name!r}", float64.shown(value))
            if math.isinf(found[k]):
                raise TooLargeError(told.place, told.value)
            lost = float64.joined(lost, told)
    if lost is not None:
        lost.warn()
    return found


def _number(name: Hashable, value: Any) -> tuple[float, bool]:
    try:
        return float64.nearest(value)
    except (TypeError, ValueError):
        raise ValueError(f"feature {name!r} is {value!r}: a number is expected") from None


def check_finite(x: Mapping[Hashable, Any], values: NDArray[np.float64]) -> None:
    if not np.isfinite(values).all():
        name = list(x)[int(np.argmin(np.isfinite(values)))]
        raise ValueError(f"feature {name!r} is {x[name]!r}: a finite number is expected")


def check_rows(X: Any, names: Any = None) -> None:
    """Raise for the first row that is not finite, if there is one."""
    values = X.data if sp.issparse(X) else X
    finite = np.isfinite(values)
    if not finite.all():
        cell = int(np.argmin(finite))
        row = int(np.searchsorted(X.indptr, cell, side="right")) - 1 if sp.issparse(X) else cell // X.shape[1]
        raise row_error(NOT_FINITE, X, row, names)


@contextmanager
def refusals(X: Any, names: Any = None, places: NDArray[np.intp] | None = None) -> Iterator[None]:
    """A row of X that the loops refuse meanwhile is told with its place, the value and the cure.

    ``places`` says where the rows of X are in what the caller was given; None: there.
    """
    try:
        yield
    except BadRowError as bad:
        place = bad.row if places is None else int(places[bad.row])
        raise row_error(bad.code, X, bad.row, names, place) from None


def row_error(code: int, X: Any, row: int, names: Any = None, place: int | None = None) -> RowError:
    """What is wrong with a row that the loops refused, where, and what to do about it."""
    span = slice(X.indptr[row], X.indptr[row + 1]) if sp.issparse(X) else None
    columns, values = (range(X.shape[1]), X[row]) if span is None else (X.indices[span], X.data[span])
    place = row if place is None else place
    return RowError(_refused(code, f"row {place}", columns, values, names), place)


def example_error(code: int, x: Any) -> ValueError:
    """What is wrong with one example that the loops refused, and what to do about it."""
    if by_feature(x):
        values = numbers(x)
        check_finite(x, values)
        return ValueError(_refused(code, "the example", list(x), values, None))
    columns, values = sparse_vector(x, None) if sp.issparse(x) else (None, dense_vector(x, None))
    places = range(len(values)) if columns is None else columns
    return ValueError(_refused(code, "the example", places, values, None))


def _refused(code: int, place: str, columns: Any, values: NDArray[Any], names: Any) -> str:
    if code == NOT_FINITE:
        at = int(np.argmin(np.isfinite(values)))
        shown = "NaN" if np.isnan(values[at]) else "infinity" if values[at] > 0 else "-infinity"
        where = f"{place}, column {columns[at]}{_named(names, columns[at])}"
        return (
            f"Input X contains {shown}: {where}. Every value must be finite: "
            f"remove such rows, or fill them in{told(' with sklearn.impute.SimpleImputer', ': --missing zero')}"
        )
    if code == ZERO_ROW:
        return (
            f"{place} is all zeros: {setting('scale', 'sphere')} divides every row by its norm. Remove it, or use "
            f"{setting('fit_intercept', True)}"
        )
    if code == OVERFLOW:
        return (
            f"the weights overflow at {place}: its values are too large for float64, or what it weighs is. "
            "Scale the features, or take smaller weights"
        )
    if code == UNDERFLOW:
        return (
            f"{place} weighs so little that its products with its values are too small for float64. "
            "Take larger weights, or scale the features"
        )
    if code == NORM_RANGE:
        return (
            f"{setting('scale', 'sphere')} divides by the norm, which at {place} is not a float64. Scale the features"
        )
    if code == STEP_RANGE:
        return f"a step divides by the square of the norm, which at {place} is not a float64. Scale the features"
    assert code == THETA_RANGE
    return (
        f"{setting('threshold', 'auto')} is the square of the largest norm, which at {place} is not a float64. Scale "
        "the features"
    )
