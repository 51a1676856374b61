"""Is what a certificate claims true? In Fractions, from its JSON text and the data, slowly."""

import json
from fractions import Fraction

import numpy as np
import scipy.sparse as sp


def _number(x):
    return int(x, 16) if isinstance(x, str) else x


def _combination(rows, p, A):
    return [sum(weight * A[i][j] for i, weight in zip(rows, p, strict=True)) for j in range(len(A[0]))]


def claims_hold(text, X, y):
    """True if every claim is true of the data with these labels (the digest is not looked at)."""
    record = json.loads(text)
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    constant = Fraction(float.fromhex(record["constant"]))
    A = []
    for row, label in zip(X.tolist(), np.asarray(y).tolist(), strict=True):
        sign = 1 if label == record["positive"] else -1
        A.append([sign * Fraction(x) for x in row] + [sign * constant])
    if record["verdict"] == "not separable":
        p = [_number(x) for x in record["weights"]]
        if min(p) <= 0 or any(_combination(record["rows"], p, A)):
            return False
        if "weak" in record:
            u = [_number(x) for x in record["weak"]]
            products = [sum(a * b for a, b in zip(u, row, strict=True)) for row in A]
            return min(products) >= 0 and max(products) > 0
        return True
    w = [_number(x) for x in record["weights"]]
    lower, upper, radius = (Fraction(x) for x in (*record["margin"], record["radius"]))
    products = [sum(a * b for a, b in zip(w, row, strict=True)) for row in A]
    p = [_number(x) for x in record["support"]["weights"]]
    v = _combination(record["support"]["rows"], p, A)
    return (
        min(products) > 0
        and min(p) > 0
        and min(products) ** 2 >= lower**2 * sum(x * x for x in w)
        and products[record["closest"]] == min(products)
        and sum(x * x for x in v) <= upper**2 * sum(p) ** 2
        and max(sum(x * x for x in row) for row in A) <= radius**2
    )
