"""Every way in, every kind of number: what float64 holds is taken, what it does not is refused, or warned of."""

from __future__ import annotations

import datetime
import math
import re
import warnings
from collections import UserList, deque
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from novikoff import LeastSquares, MarginPerceptron, MaxMarginClassifier, Perceptron, certify, data, verify
from novikoff.float64 import matrix, nearest
from tests.numbers_oracle import KEPT, ROUNDED, TOO_LARGE, expected, holds

E53 = 2**53
INTEGERS = [
    0,
    7,
    -7,
    E53,
    -E53,
    E53 + 1,
    -E53 - 1,
    E53 + 2,
    2**60,
    2**60 + 1,
    -(2**60) - 2,
    2**62 + 2**9,
    2**62 + 2**10,
]
EDGES = [2**63 - 1, -(2**63), -(2**63) + 1, 2**63 - 512, 2**63 - 1024]
UNSIGNED = [2**63, 2**63 + 1, 2**64 - 1, 2**64 - 2048, 2**64 - 1024]
LARGE = [2**64, 2**64 + 1, 2**200, 2**200 + 1, 10**22, 10**23, 2**1023, 2**1024 - 2**971, 2**1024, 10**400, -(10**400)]
TINY = np.longdouble(2.0**-1074)
LONGS = [np.longdouble(x) for x in (0.5, 3, 2.0**1000)] + [
    np.longdouble(1) / 3,
    np.longdouble(E53) + 1,
    np.longdouble(2) ** 60 + 1,
    TINY,
    TINY / 4,
    TINY * 3 / 2,
    np.longdouble(2) ** 1024,
    -(np.longdouble(2) ** 2000),
]
FRACTIONS = [
    Fraction(1, 2),
    Fraction(-3, 1024),
    Fraction(1, 3),
    Fraction(1, 10),
    Fraction(E53 + 1),
    Fraction(2**60),
    Fraction(10**400, 3),
    Fraction(1, 2**1074),
    Fraction(1, 2**1075),
    Fraction(1, 10**400),
]
DECIMALS = [
    Decimal(text) for text in ("0.1", "2.50", "-1.25", "9007199254740993", "9007199254740993.5", "1152921504606846976")
]
DECIMALS += [
    Decimal(text)
    for text in ("9007199254740993.0", "1E+22", "1E+300", "1E+999", "-1E+999", "1E-400", "0E-400", "1E-320")
]
TEXTS = [str(x) for x in INTEGERS + EDGES + UNSIGNED + LARGE]
TEXTS += ["9007199254740993.0", "9007199254740993e0", "-9007199254740993E0", "0.1", "1e22", "1e23", "1e300", "-1.5e-7"]
TEXTS += [
    "1e308",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1e999",
    "-1e999",
    "4.9e-324",
    "3e-324",
    "2e-324",
]
TEXTS += ["1e-400", "-1e-400", "0e-400", "0.0e-999", "0." + "0" * 400 + "1", "1e-5000", str(2**120), str(2**120 + 1)]
TEXTS += [
    str(10**34),
    str(10**35 + 2**60),
    str(2**116 + 2**63),
    str(2**116 + 2**64),
    "9" * 35,
    "1" + "0" * 308,
    "123456789" * 40,
]


def as_column(values, dtype):
    array = np.empty(len(values), dtype=dtype)
    array[:] = values
    return array


# Each way puts the number in a given row of a column of ones, beside a column of halves: X, and where it is.
def numbers(value, one=1):
    return [one, value, one, one]


def filled(value, kind):
    return as_column(numbers(value, kind(1)), object)


ARRAYS = {
    "list": lambda v: [[x, 0.5] for x in numbers(v)],
    "tuple": lambda v: tuple((x, 0.5) for x in numbers(v)),
    "list of mixed rows": lambda v: [[1.0, 0.5], [v, 0.5], [1.5, 0.5], [1.0, 0.5]],
    "object array": lambda v: np.array([[x, 0.5] for x in numbers(v)], dtype=object),
    "object frame": lambda v: pd.DataFrame({"a": as_column(numbers(v), object), "b": [0.5] * 4}),
}
INT64 = {
    "int64 array": lambda v: np.array([[x, 5] for x in numbers(v)], dtype=np.int64),
    "int64 array, columns first": lambda v: np.asfortranarray(np.array([[x, 5] for x in numbers(v)], dtype=np.int64)),
    "big-endian int64 array": lambda v: np.array([[x, 5] for x in numbers(v)], dtype=">i8"),
    "list of int64 and float64 arrays": lambda v: list(
        zip(np.array(numbers(v), dtype=np.int64), np.full(4, 0.5), strict=True)
    ),
    "int64 frame": lambda v: pd.DataFrame({"a": np.array(numbers(v), dtype=np.int64), "b": [5] * 4}),
    "mixed frame": lambda v: pd.DataFrame({"a": np.array(numbers(v), dtype=np.int64), "b": [0.5] * 4}),
    "frame with bools": lambda v: pd.DataFrame({"id": np.array(numbers(v), dtype=np.int64), "flag": [True] * 4}),
    "nullable frame": lambda v: pd.DataFrame({"a": pd.array(numbers(v), dtype="Int64"), "b": [0.5] * 4}),
    "arrow-backed frame": lambda v: pd.DataFrame({"a": pd.array(numbers(v), dtype="int64[pyarrow]"), "b": [0.5] * 4}),
    "sparse frame": lambda v: pd.DataFrame(
        {"a": pd.arrays.SparseArray(numbers(v), fill_value=0), "b": pd.arrays.SparseArray([0.5] * 4, fill_value=0)}
    ),
    "polars frame": lambda v: pl.DataFrame({"a": pl.Series(numbers(v), dtype=pl.Int64), "b": [0.5] * 4}),
    "polars frame of integers": lambda v: pl.DataFrame({"a": pl.Series(numbers(v), dtype=pl.Int64), "b": [5] * 4}),
    "arrow table": lambda v: pa.table({"a": pa.array(numbers(v), pa.int64()), "b": [0.5] * 4}),
    "arrow batch": lambda v: pa.RecordBatch.from_pydict({"a": pa.array(numbers(v), pa.int64()), "b": [0.5] * 4}),
}
UINT64 = {
    "uint64 array": lambda v: np.array([[x, 5] for x in numbers(v)], dtype=np.uint64),
    "uint64 frame": lambda v: pd.DataFrame({"a": np.array(numbers(v), dtype=np.uint64), "b": [-5] * 4}),
    "nullable uint64 frame": lambda v: pd.DataFrame({"a": pd.array(numbers(v), dtype="UInt64"), "b": [0.5] * 4}),
    "polars uint64 frame": lambda v: pl.DataFrame({"a": pl.Series(numbers(v), dtype=pl.UInt64), "b": [0.5] * 4}),
    "arrow uint64 table": lambda v: pa.table({"a": pa.array(numbers(v), pa.uint64()), "b": [0.5] * 4}),
}
DECIMAL = {
    "arrow decimals": lambda v: pa.table(
        {"a": pa.array(map(Decimal, numbers(v)), pa.decimal128(38, 9)), "b": [0.5] * 4}
    ),
    "polars decimals": lambda v: pl.DataFrame(
        {"a": pl.Series(map(Decimal, numbers(v)), dtype=pl.Decimal(38, 9)), "b": 0.5}
    ),
    "decimals in pandas": lambda v: pd.DataFrame(
        {"a": pd.array(list(map(Decimal, numbers(v))), dtype=pd.ArrowDtype(pa.decimal128(38, 9))), "b": [0.5] * 4}
    ),
}
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def sparse(format, kind, dtype):
    def made(value):
        values = np.array([[x, 0] for x in numbers(value)], dtype=dtype)
        coo = (sp.coo_array if kind == "array" else sp.coo_matrix)(values)
        return coo.asformat(format)

    return made


for format in FORMATS:
    for kind in ("array", "matrix"):
        INT64[f"int64 {format}_{kind}"] = sparse(format, kind, np.int64)
UINT64 |= {f"uint64 {format}_array": sparse(format, "array", np.uint64) for format in FORMATS}
LONG = {
    "longdouble array": lambda v: np.array([[x, 0.5] for x in numbers(v)], dtype=np.longdouble),
    "longdouble frame": lambda v: pd.DataFrame({"a": np.array(numbers(v), dtype=np.longdouble), "b": [0.5] * 4}),
} | {f"longdouble {format}_array": sparse(format, "array", np.longdouble) for format in ("csr", "csc", "coo")}
TEXT = {
    "array of text": lambda v: np.array([["1", "0.5"], [v, "0.5"], ["1", "0.5"], ["1", "0.5"]]),
    "list of text and numbers": lambda v: [["1", 0.5], [v, 0.5], ["1", 0.5], ["1", 0.5]],
}


def cases():
    everywhere = INTEGERS + EDGES + UNSIGNED + LARGE + LONGS + FRACTIONS + DECIMALS + TEXTS
    everywhere = [value for value in everywhere if not 1.7e308 < abs(expected(value)[1]) < math.inf]  # norms are larger
    for ways, values in (
        (ARRAYS, everywhere[::3]),
        (INT64, INTEGERS + EDGES),
        (UINT64, [x for x in INTEGERS if x >= 0] + UNSIGNED),
        (LONG, LONGS),
        (TEXT, [text for text in everywhere if isinstance(text, str)]),
        (DECIMAL, [x for x in DECIMALS if Decimal("-1e28") < x < Decimal("1e28") and x.as_tuple().exponent >= -9]),
    ):
        for way, make in ways.items():
            yield pytest.param(make, values, id=way)


Y = [0, 1, 0, 1]
LEARNERS = [Perceptron(), MarginPerceptron(threshold=1.0), LeastSquares(method="sgd")]


def told(call, *args):
    """What it returns, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*args)
    return found, [str(warning.message) for warning in caught if "float64" in str(warning.message)]


def plain(X, near):
    """The same in float64."""
    width = X.shape[1] if hasattr(X, "shape") else len(X[0])
    rest = matrix(X)[0]
    rest = np.asarray(rest.toarray() if sp.issparse(rest) else rest, dtype=np.float64)
    wanted = rest.copy()
    wanted[1, 0] = near
    assert width == 2
    np.testing.assert_array_equal(rest, wanted)
    return wanted


@pytest.mark.parametrize(("make", "values"), list(cases()))
def test_certify_verify_and_learners_know_which_numbers_float64_holds(make, values):
    met = set()
    for turn, value in enumerate(values):
        verdict, near = expected(value)
        X = make(value)
        met.add(verdict)
        if verdict == TOO_LARGE:
            for call in (certify, Perceptron().fit, Perceptron().partial_fit, LeastSquares().fit):
                with pytest.raises(ValueError, match=r"row 1, column 0.* is too large for float64"):
                    call(X, Y)
            continue
        same = plain(X, near)
        proof = certify(same, Y)
        learner = LEARNERS[
            turn % len(LEARNERS) if abs(near) < 1e100 else 0
        ]  # least squares have no squares of the others
        model, said = told(clone(learner).partial_fit, X, Y)
        alike = clone(learner).partial_fit(same, Y)
        assert model.coef_.tobytes() == alike.coef_.tobytes()
        assert len(said) == (verdict == ROUNDED)
        assert all(re.match("row 1, column 0( \\(.*\\))?: float64 does not hold ", message) for message in said)
        if verdict == KEPT:
            again = certify(X, Y)
            assert again.to_json() == proof.to_json()
            assert verify(again, X, Y) == verify(proof, same, Y)
        else:
            run = told(Perceptron().partial_fit, X, Y)[0]
            for call in (certify, partial(verify, proof), run.certify):
                with pytest.raises(ValueError, match=r"row 1, column 0.*: float64 does not hold .* round it first"):
                    call(X, Y)
    assert KEPT in met
    assert ROUNDED in met


def test_the_oracle_knows_some_numbers_by_heart():
    assert [holds(Fraction(x)) for x in (2**53, 2**53 + 1, 2**53 + 2, 2**1023, 2**1024)] == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert [holds(Fraction(1, x)) for x in (2, 3, 10, 2**1074, 2**1075)] == [True, False, False, True, False]
    assert expected("9007199254740993") == (ROUNDED, 2.0**53)
    assert expected("9007199254740993.0") == (KEPT, 2.0**53)
    assert expected("1e-400") == (ROUNDED, 0.0)
    assert expected(Decimal("0.1")) == (KEPT, 0.1)
    assert expected("1e999")[0] == TOO_LARGE


@pytest.mark.parametrize("value", [*LONGS, *FRACTIONS, *DECIMALS, *TEXTS, *INTEGERS, *UNSIGNED, *LARGE], ids=str)
def test_one_number_is_judged_as_the_oracle_judges_it(value):
    verdict, near = expected(value)
    found, kept = nearest(value)
    assert kept == (verdict == KEPT)
    assert abs(found) == near if verdict == TOO_LARGE else found == near


def test_an_int64_of_every_size_is_judged_as_the_oracle_judges_it():
    rng = np.random.default_rng(5)
    sizes, low, sign = rng.integers(40, 63, 4000), rng.integers(0, 40, 4000), rng.choice([-1, 1], 4000)
    values = [int(x) >> int(62 - size) for x, size in zip(rng.integers(0, 2**62, 4000), sizes, strict=True)]
    values += [(1 << int(k)) + int(s) * (1 << int(j)) for k, j, s in zip(sizes, low, sign, strict=True)]
    values += [-value for value in values]
    for array in (np.array(values), np.array([abs(x) * 2 + 1 for x in values], dtype=np.uint64)):
        lost = [not holds(Fraction(x)) for x in array.tolist()]
        assert 0.1 < np.mean(lost) < 0.9
        rounded = matrix(array[:, None])[1]
        assert rounded.count == sum(lost)
        assert rounded.place == f"row {lost.index(True)}, column 0"
        kept = array[~np.array(lost)][:, None]
        assert matrix(kept)[0] is kept
        assert matrix(kept)[1] is None


# One example -----------------------------------------------------------------------------------------------------


def rows_of(value):
    yield "x, column 1", [0.5, value]
    yield "x, column 1", np.array([0.5, value], dtype=object)
    yield "feature 'b'", {"a": 0.5, "b": value}
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        yield "x, column 1", np.array([1, value], dtype=np.int64)
        yield "row 0, column 1", sp.csr_array(np.array([[0, value]], dtype=np.int64))
    if isinstance(value, np.longdouble):
        yield "x, column 1", np.array([0.5, value])


@pytest.mark.parametrize("value", [*INTEGERS, *EDGES, *LARGE, *LONGS, *FRACTIONS, *DECIMALS, *TEXTS], ids=str)
def test_one_example_is_learned_with_a_warning_or_refused(value):
    verdict, near = expected(value)
    for place, x in rows_of(value):
        first = 0.0 if sp.issparse(x) else float(x["a"] if isinstance(x, dict) else x[0])
        fresh = Perceptron(fit_intercept=False)
        if verdict == TOO_LARGE:
            with pytest.raises(ValueError, match="too large for float64"):
                fresh.learn_one(x, 1)
            continue
        if near == 0 and first == 0:
            continue
        model, said = told(fresh.learn_one, x, 1)
        assert model.coef_[0].tolist() == [first, near]
        assert bool(said) == (verdict == ROUNDED)
        assert all(message.startswith(f"{place}: float64 does not hold ") for message in said)
        side, said = told(model.predict_one, x)
        assert side == 1
        assert len(said) == (verdict == ROUNDED)


# Rows of frames --------------------------------------------------------------------------------------------------

FRAME = pd.DataFrame({"a": [1.0, 2.0, -1.0], "b": [5.0, -1.0, 2.0]})


def swapped_rows(frame, i):
    row = frame.iloc[i]
    yield row
    yield row[["b", "a"]]
    yield frame.iloc[[i]]
    yield frame.iloc[[i]][["b", "a"]]
    yield pl.from_pandas(frame)[i][:, ["b", "a"]]
    yield pa.Table.from_pandas(frame.iloc[[i]][["b", "a"]], preserve_index=False)


def test_a_row_of_a_frame_goes_by_name():
    model = Perceptron().fit(FRAME, [1, 0, 1])
    for i in range(3):
        said = [model.predict_one(row) for row in swapped_rows(FRAME, i)]
        assert said == [model.predict_one(FRAME.to_numpy()[i])] * 6
        learned = [
            Perceptron().partial_fit(FRAME, [1, 0, 1]).learn_one(row, 0).coef_.tolist()
            for row in swapped_rows(FRAME, i)
        ]
        assert (
            learned == [Perceptron().partial_fit(FRAME, [1, 0, 1]).learn_one(FRAME.to_numpy()[i], 0).coef_.tolist()] * 6
        )
        assert all(model._row_of(row) == model._row_of(FRAME.to_numpy()[i]) for row in swapped_rows(FRAME, i))


def test_a_model_that_begins_with_rows_of_a_frame_knows_their_names():
    one, other = Perceptron(), Perceptron()
    for i, row in FRAME.iterrows():
        one.learn_one(row, bool(i % 2))
        other.learn_one(row[["b", "a"]] if i else row, bool(i % 2))
    assert one.weights() == other.weights()
    assert set(one.weights()) <= {"a", "b", None}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (FRAME.iloc[0].rename({"a": "c"}), "x has 'c', which is no column of the model: name the columns"),
        (FRAME.iloc[0][["a"]], "x lacks 'b', a column of the model: name the columns"),
        (pd.Series([1.0, 5.0]), "x has 0, which is no column of the model: .* pass a vector in their order"),
        (pd.Series([1.0, 2.0], index=["a", "a"]), "two columns of x have the same name"),
        (FRAME.iloc[:2], "x must be one example, a row of a frame; got 2 rows"),
    ],
)
def test_a_row_of_a_frame_with_other_names_is_refused(row, message):
    model = Perceptron().fit(FRAME, [1, 0, 1])
    before = model.coef_.tobytes()
    for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match=message):
            call(row)
    assert model.coef_.tobytes() == before


def test_a_row_goes_by_position_where_the_model_has_no_names():
    model = Perceptron(fit_intercept=False).learn_one([1.0, -1.0], 1)
    assert model.predict_one(pd.Series([2.0, 1.0], index=["b", "a"])) == 1


# The whole family ------------------------------------------------------------------------------------------------


def test_the_frame_of_64_bit_ids_is_refused_by_both():
    ids = pd.DataFrame({"id": [2**60 + 1, 2**60], "b": [0.5, 0.5]})
    rounded = ids.to_numpy()
    assert rounded.dtype == np.float64
    proof = certify(rounded, [0, 1])
    for call in (certify, lambda X, y: verify(proof, X, y)):
        with pytest.raises(ValueError, match=r"row 0, column 0 \('id'\): float64 does not hold 1152921504606846977"):
            call(ids, [0, 1])
    with pytest.warns(UserWarning, match=r"row 0, column 0 \('id'\): float64 does not hold 1152921504606846977;"):
        MaxMarginClassifier(C=1.0).fit(ids, [0, 1])


def test_learners_warn_once_a_call_where_they_are_called():
    X = [[2**53 + 1, 2**53 + 3], [1, 2**60 + 1]]
    with pytest.warns(UserWarning, match=r"row 0, column 0: .* \(the first of 3 such numbers\)") as caught:
        Perceptron(max_iter=10**4).fit(X, [0, 1])
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_int8_entries_that_are_stored_twice_are_added_up_as_numbers():
    twice = sp.csr_array((np.array([100, 100, 1], dtype=np.int8), [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    proof = certify(twice, [0, 1])
    assert proof.to_json() == certify([[200.0], [1.0]], [0, 1]).to_json()
    assert verify(proof, twice, [0, 1]) == verify(proof, [[200], [1]], [0, 1])
    assert Perceptron().fit(twice, [0, 1]).coef_.tolist() == Perceptron().fit([[200.0], [1.0]], [0, 1]).coef_.tolist()
    assert twice.nnz == 3


def test_entries_stored_twice_whose_sum_float64_does_not_hold_are_refused():
    twice = sp.csr_array((np.array([0.1, 0.2, 1.0]), [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    for call in (certify, lambda X, y: verify(certify([[0.5], [1.0]], y), X, y)):
        with pytest.raises(ValueError, match=r"row 0, column 0: float64 does not hold the sum of the 2 entries"):
            call(twice, [0, 1])
    with pytest.warns(UserWarning, match=r"row 0, column 0: float64 does not hold the sum of the 2 entries"):
        model = Perceptron().partial_fit(twice, [0, 1])
    exact = float(Fraction(0.1) + Fraction(0.2))
    assert model.coef_.tolist() == Perceptron().partial_fit([[exact], [1.0]], [0, 1]).coef_.tolist()
    huge = sp.csr_array((np.array([1e308, 1e308, 1.0]), [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    for call in (certify, Perceptron().fit):
        with pytest.raises(ValueError, match=r"row 0, column 0: the sum of the 2 entries .* is too large"):
            call(huge, [0, 1])


def test_what_a_matrix_says_of_its_order_is_not_believed():
    true = sp.csr_array(np.array([[3.0, 4.0], [-1.0, 0.0]]))
    for indices, values in (([0, 0, 1, 0], [1.0, 2.0, 4.0, -1.0]), ([1, 0, 0, 0], [4.0, 1.0, 2.0, -1.0])):
        liar = sp.csr_array((np.array(values), np.array(indices), np.array([0, 3, 4])), shape=(2, 2))
        liar.has_canonical_format = liar.has_sorted_indices = True
        proof = certify(liar, [0, 1])
        assert proof.to_json() == certify(true, [0, 1]).to_json()
        assert verify(proof, liar, [0, 1]).radius == verify(proof, true, [0, 1]).radius >= 5.0
        model = Perceptron().fit(liar, [0, 1])
        assert model.coef_.tolist() == Perceptron().fit(true, [0, 1]).coef_.tolist()
        assert model.decision_function(liar).tolist() == model.decision_function(true).tolist()
        assert data.Dataset(liar, np.array([0, 1])).digest == proof.about.digest


@pytest.mark.parametrize(
    "y",
    [
        [1, pd.NA, 0, 1],
        pd.Series([1, pd.NA, 0, 1], dtype=object),
        pd.Series([1, pd.NA, 0, 1], dtype="Int64"),
        pd.Series(["a", pd.NA, "b", "a"], dtype="string"),
        pd.Series([True, pd.NA, False, True], dtype="boolean"),
        ["a", None, "b", "a"],
    ],
    ids=str,
)
def test_a_missing_label_is_named(y):
    for call in (certify, Perceptron().fit, LeastSquares().fit, MaxMarginClassifier().fit):
        with pytest.raises(ValueError, match=r"y\[1\]|y contains NaN|y must hold numbers"):
            call([[1.0], [2.0], [3.0], [4.0]], y)
    if y[0] == "a":
        model, classes = Perceptron(), ["a", "b"]
    else:
        model, classes = Perceptron(), [0, 1]
    model.predict_learn([[1.0], [2.0], [3.0], [4.0]], np.asarray(y, dtype=object), classes=classes)
    assert model.rounds_ == 3 if hasattr(model, "rounds_") else model.mistakes_ <= 3


# What is no number -----------------------------------------------------------------------------------------------

TIMES = np.array(["2024-05-05", "2024-05-05"], dtype="M8[ns]") + np.array([0, 100], dtype="m8[ns]")
SPANS = TIMES - TIMES[0]


@cache
def of_numbers():
    """A certificate; made when it is asked for, so that collecting the tests compiles nothing."""
    return certify([[0.0], [1.0]], [0, 1])


def a_date():
    yield "datetime64", TIMES[:, None]
    yield "timedelta64", SPANS[:, None]
    yield "days", TIMES[:, None].astype("M8[D]")
    for name, values in (("times", TIMES), ("spans", SPANS)):
        yield f"list of {name}", [[value] for value in values]
        yield f"objects: {name}", as_column(list(values), object)[:, None]
        yield f"pandas {name}", pd.DataFrame({"t": values})
        yield f"pandas {name} beside numbers", pd.DataFrame({"t": values, "b": [0.5, 1.0]})
        yield f"pandas {name} as objects", pd.DataFrame({"t": pd.Series(values, dtype=object)})
        yield (
            f"pandas {name} of Arrow",
            pd.DataFrame({"t": pd.array(values, dtype=pd.ArrowDtype(pa.array(values).type))}),
        )
        yield f"Arrow {name}", pa.table({"t": pa.array(values)})
        yield f"polars {name}", pl.DataFrame({"t": values})
        yield f"polars {name} beside numbers", pl.DataFrame({"t": values, "b": [0.5, 1.0]})
    yield "with a zone", pd.DataFrame({"t": pd.Series(TIMES).dt.tz_localize("UTC")})
    yield "dates of Python", [[datetime.date(2024, 5, 5)], [datetime.date(2024, 5, 6)]]
    yield "Arrow dates", pa.table({"t": [datetime.date(2024, 5, 5)] * 2})
    yield "polars times of day", pl.DataFrame({"t": [datetime.time(1), datetime.time(2)]})


def everyone():
    """All that takes X and y."""
    return (
        certify,
        partial(verify, of_numbers()),
        partial(verify, of_numbers(), reference=True),
        Perceptron().fit,
        Perceptron().partial_fit,
        LeastSquares().fit,
        MaxMarginClassifier().fit,
        MaxMarginClassifier(C=1.0).fit,
    )


@pytest.mark.parametrize("X", [pytest.param(X, id=name) for name, X in a_date()])
def test_dates_and_durations_are_no_numbers(X):
    for call in everyone():
        with pytest.raises(ValueError, match=r"row 0, column 0.* is a date or a duration.* seconds for example"):
            call(X, [0, 1])


def test_the_cure_for_dates_is_one():
    seconds = (TIMES - TIMES.min()) / np.timedelta64(1, "s")
    proof = certify(seconds[:, None], [0, 1])
    assert verify(proof, pd.DataFrame({"t": seconds}), [0, 1]).verdict == "separable"


def test_one_example_holds_no_dates():
    for x in ([1.0, TIMES[0]], SPANS, {"a": SPANS[1]}, {"a": TIMES[0]}, pd.Series(TIMES, index=["a", "b"])):
        with pytest.raises(ValueError, match=r"a date or a duration|a number is expected"):
            Perceptron().learn_one(x, 1)


def test_records_are_no_numbers():
    for call in everyone():
        with pytest.raises(ValueError, match=r"row 0, column 0: .* is a record"):
            call(np.array([[(E53 + 1,)], [(E53,)]], dtype=[("id", np.int64)]), [0, 1])


MASKED = np.ma.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], mask=[[0, 0], [0, 1], [0, 0]])


def test_what_is_masked_is_not_there():
    y = [0, 1, 1]
    for call in everyone():
        with pytest.raises(ValueError, match=r"row 1, column 1 is masked, .* filled"):
            call(MASKED, y)
        with pytest.raises(ValueError, match=r"X\[1\]\[1\] is masked"):
            call(list(MASKED), y)
        with pytest.raises(ValueError, match=r"y\[2\] is masked"):
            call(MASKED.data, np.ma.array(y, mask=[0, 0, 1]))
    with pytest.raises(ValueError, match=r"sample_weight\[0\] is masked"):
        LeastSquares().fit(MASKED.data, y, sample_weight=np.ma.array(y, mask=[1, 0, 0]))
    model = Perceptron().fit(MASKED.data, y)
    for call in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=r"row 1, column 1 is masked"):
            call(MASKED)
    for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match=r"x\[1\] is masked"):
            call(MASKED[1])


def test_a_mask_that_masks_nothing_does_not_matter():
    X, y = np.ma.array(MASKED.data, mask=False), np.ma.array([0, 1, 1])
    proof = certify(X, y)
    assert proof.to_json() == certify(MASKED.data, [0, 1, 1]).to_json()
    assert verify(proof, X, y) == verify(proof, MASKED.data, [0, 1, 1])
    assert Perceptron().fit(X, y).coef_.tolist() == Perceptron().fit(MASKED.data, [0, 1, 1]).coef_.tolist()


# Other ways in ---------------------------------------------------------------------------------------------------


class Rows:
    """A sequence that Python knows nothing of."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        return self.rows[place]


class Interface:
    def __init__(self, rows):
        self.array = np.array(rows)
        self.__array_interface__ = self.array.__array_interface__


class Index:
    """An integer of some other library, which compares as a float does."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __float__(self):
        return float(self.value)

    def __eq__(self, other):
        return float(self) == other

    __hash__ = None


def as_array_of_0d(rows):
    array = np.empty((len(rows), 2), dtype=object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            array[i, j : j + 1] = [np.array(cell)]
    return array


HOLDERS = {
    "deque": lambda rows: deque(map(deque, rows)),
    "UserList": lambda rows: UserList(map(UserList, rows)),
    "sequence": lambda rows: Rows([Rows(row) for row in rows]),
    "memoryview": lambda rows: memoryview(np.array(rows)),
    "array interface": Interface,
    "0-d arrays": lambda rows: [[np.array(cell) for cell in row] for row in rows],
    "0-d arrays and floats": lambda rows: [[np.array(first), float(then)] for first, then in rows],
    "array of 0-d arrays": as_array_of_0d,
    "other integers": lambda rows: [[Index(cell) for cell in row] for row in rows],
    "StringDType": lambda rows: np.array([[str(x) for x in row] for row in rows], dtype=np.dtypes.StringDType()),
    "underscores": lambda rows: np.array([[f"{x:_}" for x in row] for row in rows]),
    "underscores in lists": lambda rows: [[f"{first:_}", float(then)] for first, then in rows],
    "full width": lambda rows: np.array([["".join(chr(ord(c) + 0xFEE0) for c in str(x)) for x in row] for row in rows]),
    "bytes": lambda rows: np.array([[str(x).encode() for x in row] for row in rows]),
}


@pytest.mark.parametrize("hold", [pytest.param(hold, id=name) for name, hold in HOLDERS.items()])
def test_whatever_holds_the_numbers_they_are_examined(hold):
    rows, y = [[2, 0], [2 * E53, 2], [E53 + 1, 1]], ["a", "a", "b"]
    proof = certify(np.array(rows, dtype=float), y)
    for call in (certify, partial(verify, proof), partial(verify, proof, reference=True), MaxMarginClassifier().fit):
        with pytest.raises(ValueError, match=r"row 2, column 0: float64 does not hold .* round it first"):
            call(hold(rows), y)
    assert len(told(Perceptron().partial_fit, hold(rows), y)[1]) == 1
    rows[2][0] = E53 + 2
    proof = certify(rows, y)
    assert proof.to_json() == certify(hold(rows), y).to_json()
    assert verify(proof, hold(rows), y) == verify(proof, rows, y)
    assert not told(Perceptron().partial_fit, hold(rows), y)[1]


def test_numbers_beside_text_keep_their_value():
    X = [[np.float32(0.1), "1"], [0, "2"]]
    assert certify(X, [0, 1]).to_json() == certify([[float(np.float32(0.1)), 1.0], [0.0, 2.0]], [0, 1]).to_json()
    with pytest.raises(ValueError, match=r"row 0, column 0: float64 does not hold 0.333"):
        certify([[np.longdouble(1) / 3, "1"], [0, "2"]], [0, 1])


@pytest.mark.parametrize("text", ["1__0", "_1", "1_", "1_.5", "１_", "eins", ""])
def test_what_float_does_not_take_is_no_number(text):
    with pytest.raises(ValueError, match="could not convert"):
        nearest(text)


def test_texts_of_other_scripts_are_judged_as_their_digits_are():
    for text in TEXTS:
        there = text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
        assert nearest(f"\u2003{there} ") == nearest(text)


def test_a_hard_margin_is_a_certificate_and_refuses():
    X = [[E53 + 1, 0.5], [E53, 0.5]]
    with pytest.raises(ValueError, match=r"row 0, column 0: float64 does not hold .* round it first"):
        MaxMarginClassifier().fit(X, [0, 1])
    with pytest.warns(UserWarning, match="row 0, column 0: float64 does not hold"):
        MaxMarginClassifier(C=1.0).fit(X, [0, 1])


# Damaged matrices ------------------------------------------------------------------------------------------------


def damaged(format, data, indices, indptr):
    X = sp.csr_array((4, 2)).asformat(format)
    X.data, X.indices, X.indptr = np.array(data), np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int32)
    return X


def harmed():
    yield "csr, from the third entry on", damaged("csr", np.ones(6), [0, 0, 1, 0, 1, 0], [2, 2, 3, 4, 6])
    yield "csr of integers", damaged("csr", np.ones(6, dtype=int), [0, 0, 1, 0, 0, 1], [2, 2, 3, 4, 6])
    yield "csr, ordered", damaged("csr", np.ones(6), [0, 1, 1, 0, 0, 1], [2, 2, 3, 4, 6])
    yield "csr, falling", damaged("csr", np.ones(4), [0, 1, 0, 1], [0, 3, 2, 4, 4])
    yield "csr, too short", damaged("csr", np.ones(4), [0, 1, 0, 1], [0, 1, 2, 4])
    yield "csr, beyond its entries", damaged("csr", np.ones(4), [0, 1, 0, 1], [0, 1, 2, 3, 6])
    yield "csr, outside", damaged("csr", np.ones(4), [0, 1, 2, 1], [0, 1, 2, 3, 4])
    yield "csr of integers, outside", damaged("csr", np.ones(4, dtype=int), [0, 1, -1, 1], [0, 1, 2, 3, 4])
    yield "csc, from the second entry on", damaged("csc", np.ones(4), [0, 1, 2, 3], [1, 2, 4])
    yield "csc, outside", damaged("csc", np.ones(4), [0, 1, 2, 4], [0, 2, 4])
    outside = sp.coo_array(np.eye(4, 2))
    outside.coords = (np.array([0, 4]), np.array([0, 1]))
    yield "coo, outside", outside
    blocks = sp.bsr_array(np.kron(np.ones((2, 1)), np.eye(2)), blocksize=(2, 2))
    blocks.indptr = np.array([1, 1, 2], dtype=np.int32)
    yield "bsr, from the second block on", blocks


@pytest.mark.parametrize("X", [pytest.param(X, id=name) for name, X in harmed()])
def test_damaged_sparse_matrices_are_refused_by_all(X):
    for call in everyone():
        with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
            call(X, [0, 1, 1, 0])


def test_a_damaged_sparse_row_is_refused():
    row = sp.csr_array(np.array([[1.0, 0.0, 2.0]]))
    row.indptr = np.array([1, 2], dtype=np.int32)
    model = Perceptron().learn_one([1.0, 2.0, 3.0], 1)
    for call in (model.predict_one, lambda x: model.learn_one(x, 1)):
        with pytest.raises(ValueError, match="X is a damaged sparse matrix"):
            call(row)


def test_room_behind_the_entries_is_no_damage():
    for format, indices, indptr in (("csr", [0, 1, 0, 1, 7], [0, 1, 2, 3, 4]), ("csc", [0, 2, 1, 3, 7], [0, 2, 4])):
        X = damaged(format, np.ones(5), indices, indptr)
        dense = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
        proof = certify(dense, list("abab"))
        assert verify(proof, X, list("abab")) == verify(proof, dense, list("abab"))


# Storages of one matrix ------------------------------------------------------------------------------------------


def random_matrix(rng):
    n, d = (int(size) for size in rng.integers(1, 7, 2))
    kind = rng.choice(["bits", "small", "integers", "halves", "floats", "denormals", "large integers"])
    if kind == "bits":
        X = rng.integers(0, 2, (n, d)).astype(float)
    elif kind == "small":
        X = rng.integers(-90, 90, (n, d)).astype(float)
    elif kind == "integers":
        X = rng.integers(-(2**31), 2**31, (n, d)).astype(float)
    elif kind == "halves":
        X = rng.integers(-9, 9, (n, d)) / 2
    elif kind == "floats":
        X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4)
    elif kind == "denormals":
        X = rng.integers(-5, 6, (n, d)) * 2.0**-1074
    else:
        X = rng.integers(-(2**50), 2**50, (n, d)) * 2.0 ** rng.integers(0, 12)
    X[rng.random((n, d)) < rng.choice([0.0, 0.3, 0.8])] = 0.0
    return X


def split(rng, X, dtype):
    """A CSR matrix, its entries in any order and some of them in two parts whose sum is exact."""
    rows, columns, values = [], [], []
    for i, j in zip(*np.nonzero(X), strict=True):
        parts = [X[i, j]]
        for part in (X[i, j] / 2, 3.0, 100.0, 0.0):
            rest = X[i, j] - part
            exact = Fraction(rest) + Fraction(part) == Fraction(X[i, j])
            if exact and rng.random() < 0.5 and all(x == dtype(x) for x in (rest, part) if abs(x) < 2**62):
                parts = [rest, part]
        rows += [i] * len(parts)
        columns += [j] * len(parts)
        values += parts
    order = rng.permutation(len(rows))
    coo = sp.coo_array(
        (np.array(values)[order].astype(dtype), (np.array(rows, int)[order], np.array(columns, int)[order])),
        shape=X.shape,
    )
    rows, columns = coo.coords
    by_row = np.argsort(rows, kind="stable")
    ends = np.searchsorted(rows[by_row], np.arange(X.shape[0] + 1))
    csr = sp.csr_array((coo.data[by_row], columns[by_row].astype(np.int32), ends), shape=X.shape)
    return [coo, csr] if rng.random() < 0.5 else [csr]


def storages(rng, X):
    yield X
    yield np.asfortranarray(X)
    yield X.astype(">f8")
    yield X.astype(np.longdouble)
    yield X.astype(object)
    yield X.tolist()
    yield [[Fraction(x) for x in row] for row in X.tolist()]
    yield [[int(x) if x == int(x) else x for x in row] for row in X.tolist()]
    yield [[repr(x) for x in row] for row in X.tolist()]
    names = [f"c{j}" for j in range(X.shape[1])]
    yield pd.DataFrame(X, columns=names)
    yield pd.DataFrame({name: [int(x) if x == int(x) else x for x in X[:, j]] for j, name in enumerate(names)})
    yield pl.DataFrame(dict(zip(names, X.T, strict=True)))
    yield pa.table(dict(zip(names, X.T, strict=True)))
    for format in FORMATS:
        yield sp.coo_array(X).asformat(format)
        yield sp.coo_matrix(X).asformat(format)
    yield from split(rng, X, np.float64)
    if (X.astype(np.float32) == X).all():
        yield X.astype(np.float32)
        yield sp.csr_matrix(X.astype(np.float32))
    for dtype in (np.bool_, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
        with np.errstate(invalid="ignore"):
            same = (X.astype(dtype).astype(np.longdouble) == X).all() and (np.abs(X) < 2.0**62).all()
        if same:
            yield X.astype(dtype)
            yield pd.DataFrame(X.astype(dtype))
            yield sp.csc_array(X.astype(dtype))
            if dtype in (np.int8, np.int64):
                yield from split(rng, X, dtype)


def outcome(X, y):
    try:
        found = certify(X, y)
    except ValueError as refusal:  # a margin that is no float64
        text = str(refusal)
    else:
        text = found.to_json()
        verify(found, X, y)
    model = Perceptron().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
    return text, model.mistakes_, model.coef_.tobytes(), model.intercept_.tobytes(), model.radius_


@pytest.mark.parametrize("count", [100, pytest.param(6000, marks=pytest.mark.long)])
@pytest.mark.filterwarnings("ignore:X has feature names", "ignore:X does not have valid feature names")
def test_the_storage_of_a_matrix_changes_nothing(count):
    rng = np.random.default_rng(count)
    compared = 0
    kinds = set()
    while compared < count:
        X = random_matrix(rng)
        y = rng.integers(0, 2, X.shape[0])
        if len(set(y.tolist())) < 2:
            continue
        first = None
        for stored in storages(rng, X):
            found = outcome(stored, y)
            first = first or found
            assert found == first, (type(stored), getattr(stored, "dtype", None))
            kinds.add((type(stored).__name__, str(getattr(stored, "dtype", ""))))
            compared += 1
    assert len(kinds) > 40


@pytest.mark.parametrize("kind", [sp.csc_array, sp.csc_matrix, sp.bsr_array, sp.lil_array, sp.coo_array, sp.dok_array])
def test_small_matrices_of_any_storage_have_the_indices_of_csr(kind):
    """Loops are compiled for indices of 32 bits and of 64: nobody waits for the latter who does not need them."""
    X = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])
    found = matrix(kind(X))[0]
    assert (found.indices.dtype, found.indptr.dtype) == (np.int32, np.int32)
    twice = sp.csr_array(([1.0, 1.0, 3.0], [1, 1, 0], [0, 2, 3]), shape=(2, 3))
    assert matrix(twice)[0].indices.dtype == np.int32
    assert matrix(sp.coo_array(([1.0], ([0], [2**31])), shape=(1, 2**31 + 1)))[0].indices.tolist() == [2**31]
