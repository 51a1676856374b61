"""A small file must not make the check slow, or ask for much memory: what would is refused, or met in another way."""

import json
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

import novikoff as nk
from novikoff.certificates.check.products import LONG, SHORT, _signs
from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.claim.separation import MOST_MODULO_LARGER


@pytest.mark.parametrize("bits", [3, SHORT - 1, SHORT + 1, LONG, LONG + 1, 40_000])
@pytest.mark.parametrize("unit", [1.0, 2.0**-30])
def test_signs_of_long_and_short_vectors_are_those_of_integers(bits, unit):
    """Half of the products with the rows (1, 1, ...) vanish, but for 1 at the end."""
    rng = np.random.default_rng(bits)
    part = np.vstack([np.ones(40), rng.integers(-9, 10, (5, 40))]) * unit
    long = 2**bits
    vectors = [[(0, long), (1, -long)], [(0, long), (1, 1 - long)], [(2, 1), (3, -1)], [(j, long) for j in range(40)]]
    whole = (part / unit).astype(int).tolist()
    expected = [[sum(row[j] * x for j, x in v) for v in vectors] for row in whole]
    expected = [[(x > 0) - (x < 0) for x in row] for row in expected]
    assert _signs(part, vectors).tolist() == expected


def test_one_long_integer_does_not_make_all_vectors_long():
    rng = np.random.default_rng(0)
    base = rng.integers(-3, 4, (60, 4)).astype(float)
    X, y = np.hstack([base] * 12), rng.integers(0, 2, 60)
    record = json.loads(nk.certify(X, y, separation=True).to_json())
    assert record["kind"] == "overlap"
    long = "1" * 1100 * (X.shape[1] + 2)
    record["span"]["kernel"][0]["values"] = ["0x" + long, "-0x" + long]
    tracemalloc.start()
    assert nk.verify(record, X, y).separation == "overlap"
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("part", ["separator", "dual"])
def test_integers_of_a_soft_margin_that_no_objective_allows_are_refused(part, reference):
    X, y = [[1.0, 2.0], [2.0, 0.0], [0.0, 3.0]], [0, 1, 1]
    record = json.loads(nk.certify(X, y, C=1.0).to_json())
    record[part]["exponent"] = -4096
    record[part]["integers"][0] = "0x1" + "0" * 2048
    with pytest.raises(InvalidCertificate, match=r"not below 2\^8192 in size"):
        nk.verify(record, X, y, reference=reference)
    record[part]["integers"][0] = "0x" + "f" * 2048
    with pytest.raises(InvalidCertificate, match=r"(upper|lower) end of its objective"):
        nk.verify(record, X, y, reference=reference)


def test_a_large_minor_is_taken_modulo_the_smaller_prime():
    n = MOST_MODULO_LARGER + 1
    rows = csr_array((np.ones(2 * n), (np.arange(2 * n), np.repeat(np.arange(n), 2))), shape=(2 * n, n))
    y = [0, 1] * n
    record = json.loads(nk.certify(rows, y, fit_intercept=False).to_json())
    record |= {"kind": "overlap", "combination": {"rows": list(range(2 * n)), "weights": [1] * (2 * n)}}
    span = {"rows": list(range(0, 2 * n, 2)), "columns": list(range(n)), "modulus": 61, "kernel": []}
    assert nk.verify(record | {"span": span}, rows, y).separation == "overlap"
    with pytest.raises(InvalidCertificate, match="has more than 512 rows"):
        nk.verify(record | {"span": span | {"modulus": 89}}, rows, y)


def test_many_sparse_vectors_are_no_dense_matrix():
    """5,000 columns, of which 4,999 are the first times -1, 0 and 1 in turn: as many relations."""
    width = 5000
    times = np.arange(width) % 3 - 1.0
    X, y = np.outer([1.0, 1.0, 2.0], times), [0, 1, 0]
    kernel = []
    for j in range(width):
        if times[j] == 0:
            kernel.append({"columns": [j], "values": [1]})
        elif j + 3 < width:
            kernel.append({"columns": [j, j + (1 if times[j] == 1 and j + 2 >= width else 3)], "values": [1, -1]})
    last = {sign: max(j for j in range(width) if times[j] == sign) for sign in (1, -1)}
    first, second = sorted(last.values())
    kernel.append({"columns": [first, second], "values": [1, 1]})
    kernel.sort(key=lambda v: v["columns"][0])
    plain = nk.certify(csr_array(X), y, fit_intercept=False)
    record = json.loads(plain.to_json()) | {"kind": "overlap"}
    record["combination"] = {"rows": [0, 1], "weights": [1, 1]}
    record["span"] = {"rows": [0], "columns": [second], "modulus": 61, "kernel": kernel}
    record.pop("weak", None)
    tracemalloc.start()
    assert nk.verify(record, X, y).separation == "overlap"
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()
    kernel[7]["values"] = [2] if len(kernel[7]["values"]) == 1 else [1, -2]
    kernel[6]["values"] = [2] if len(kernel[6]["values"]) == 1 else [1, -2]
    with pytest.raises(InvalidCertificate, match="not orthogonal to its rows"):
        nk.verify(record, X, y)
