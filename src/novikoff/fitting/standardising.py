"""The rows of a file with standardised columns: a second copy beside the first, for as long as one fit takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff import float64
from novikoff.data.cache import cured
from novikoff.data.dataset import Dataset
from novikoff.inputs import standardised_by, standardization_of

ENTRIES = 1 << 20  # that are standardised at a time; no result depends on it


@contextmanager
def standardised_copy(examples: Dataset, home: Path) -> Iterator[Dataset]:
    """The examples, standardised by their own means and deviations, in a file that has no name.

    So nobody takes it for the copy of the rows as they are, and it is gone with the process, whatever ends that.
    """
    X = float64.matrix(examples.X)[0]
    kept = standardization_of(X, examples.names)
    pace = max(1, ENTRIES // max(1, (X.nnz if sp.issparse(X) else X.size) // max(1, X.shape[0])))
    with ExitStack() as held:
        with cured(home):
            file = held.enter_context(TemporaryFile(dir=home))
            for start in range(0, X.shape[0], pace):
                part = standardised_by(kept, X[start : start + pace], examples.names, before=start)
                file.write(np.ascontiguousarray(part.data if sp.issparse(part) else part).data)
            file.flush()
        sparse = sp.issparse(X) and not kept.centred
        yield replace(examples, X=_mapped(file, home, X, sparse=sparse), record=None, standardization=kept)


def _mapped(file: Any, home: Path, X: Any, *, sparse: bool) -> Any:
    """The values of a file of this directory in the places of those of X; or, if not sparse, in all places."""
    count = X.nnz if sparse else X.shape[0] * X.shape[1]
    values = np.empty(0)
    if count:
        mapped = np.memmap(file, np.float64, "r", shape=(count,))
        mapped.filename = str(home / "standardised")  # it has no name; but what a run keeps beside it goes there, too
        values = mapped.view(np.ndarray)
    if not sparse:
        return values.reshape(X.shape)
    found = sp.csr_array((values, X.indices, X.indptr), shape=X.shape)
    found.has_sorted_indices = found.has_canonical_format = True
    return found
