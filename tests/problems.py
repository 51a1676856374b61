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
def near_ties(draw, *, rows=(2, 10), columns=(1, 5)):
    """Rows that almost cancel: multiples of a few vectors, moved by a few units in the last place."""
    n, d = draw(st.integers(*rows)), draw(st.integers(*columns))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    base = rng.standard_normal((2, d)) * 10.0 ** rng.integers(-6, 7)
    X = base[rng.integers(0, 2, n)] * rng.choice([-3.0, -1.0, 1.0, 3.0, 1 / 3], (n, 1))
    for _ in range(draw(st.integers(0, 2))):
        X = np.nextafter(X, rng.choice([-np.inf, np.inf], X.shape))
    return X, draw(labels(n))


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
