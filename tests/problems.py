"""Data for the tests: on ties, near ties, at the ends of the floats."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def grids(draw, *, rows=(2, 12), columns=(1, 5), bits=3, magnitude=4):
    """Small multiples of 2^-bits: dot products tie all the time, and floats are exact."""
    n, d = draw(st.integers(*rows)), draw(st.integers(*columns))
    cells = hnp.arrays(np.int64, (n, d), elements=st.integers(-magnitude, magnitude))
    return draw(cells) / 2.0 ** draw(st.integers(0, bits)), draw(labels(n))


@st.composite
def near_ties(draw, *, rows=(2, 12), columns=(2, 6)):
    """Every row is orthogonal to the weights that a learner has when it meets it, but for rounding.

    So the float dot product is noise, and only exact arithmetic knows its sign.
    """
    n, d = draw(st.integers(*rows)), draw(st.integers(*columns))
    constant = draw(st.sampled_from([0.0, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = draw(labels(n))
    scale = 10.0 ** rng.integers(-4, 5, d)
    w = np.zeros(d + 1)
    X = np.empty((n, d))
    for i in range(n):
        x = np.append(rng.standard_normal(d) * scale, constant)
        for _ in range(3):  # towards <w,x> = 0, by the features alone
            x[:d] -= w[:d] * (w @ x) / max(w[:d] @ w[:d], 1e-300)
        X[i] = x[:d]
        w += y[i] * x
    return X, y


@st.composite
def extremes(draw, *, rows=(2, 8), columns=(1, 4)):
    """Finite rows whose dot products overflow and underflow."""
    n, d = draw(st.integers(*rows)), draw(st.integers(*columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = 10.0 ** rng.choice([-320.0, -200.0, -160.0, 0.0, 150.0, 160.0, 300.0], (n, d))
    return rng.integers(-9, 10, (n, d)) * scale, draw(labels(n))


def labels(n):
    """n signs, both present."""
    return hnp.arrays(np.int64, n, elements=st.sampled_from([-1, 1])).filter(lambda y: abs(y.sum()) < n)


def any_data():
    return st.one_of(grids(), near_ties(), extremes())
