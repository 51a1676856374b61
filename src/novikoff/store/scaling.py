"""By which numbers the columns of a model are standardised, as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff.learners.state import State, require
from novikoff.standardization import Standardization

MEANS, SCALES = "standard_means", "standard_scales"


def to_arrays(kept: Standardization | None) -> dict[str, NDArray[np.float64]]:
    return {} if kept is None else {MEANS: kept.means, SCALES: kept.scales}


def from_state(state: State, *, grows: bool) -> Standardization | None:
    """What the state says, which is taken out of it; of a learner whose columns may grow on a stream, or not."""
    if MEANS not in state.arrays and SCALES not in state.arrays:
        return None
    means, scales = state.array(MEANS, "<f8", None), state.array(SCALES, "<f8", None)
    fits = len(means) == state.width or (grows and len(means) < state.width)
    require(len(means) == len(scales) and fits, "its means and scales are not those of its columns")
    require(len(means), "it standardises no column")
    require(np.isfinite(means).all(), "the mean of a column is not finite")
    require((np.isfinite(scales) & (scales > 0)).all(), "the scale of a column is not a finite number above 0")
    return Standardization(means, scales)
