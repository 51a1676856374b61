"""Cross-validation: an estimate of the error on new data, and no bound."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff import inputs
from novikoff.estimators.bases import BaseEstimator
from novikoff.examples import Examples
from novikoff.labels import column
from novikoff.words import counted


@dataclass(frozen=True)
class CrossValidated:
    """Mistakes on rows that were held out, fold by fold."""

    rows: tuple[int, ...]  # of each fold
    mistakes: tuple[int, ...]

    @property
    def rate(self) -> float:
        return sum(self.mistakes) / sum(self.rows)

    @property
    def rates(self) -> list[float]:
        """Of each fold."""
        return [wrong / rows for wrong, rows in zip(self.mistakes, self.rows, strict=True)]

    def __str__(self) -> str:
        return (
            f"Cross-validated in {counted(len(self.rows), 'fold')}: {counted(sum(self.mistakes), 'mistake')} on "
            f"{counted(sum(self.rows), 'example')}, each predicted by a model that learned from the other folds: "
            f"{self.rate:.2%}, from {min(self.rates):.2%} to {max(self.rates):.2%} in a fold. This is an estimate, and "
            "no bound."
        )


def cross_validated(model: Any, X: Any, y: Any = None, *, folds: int, sample_weight: Any = None) -> CrossValidated:
    """The mistakes of models with the settings of this one, on the rows of each fold after learning from the others.

    Folds are drawn with a seed of their own, and each has its share of every label. If the model standardises columns,
    those of each fold do so by the rows that they learn from.
    """
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold

    y, given = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
    X, names = inputs.first_matrix(BaseEstimator(), X)
    y = column(y, X.shape[0])
    if given is not None:
        given = inputs.sample_weights(given, len(y))
        there = given > 0  # a row of weight 0 is no row
        X, y, given = X[there], y[there], given[there]
    most = max(np.unique(y, return_counts=True)[1])
    if folds > most:
        raise ValueError(
            f"{counted(folds, 'fold')} of rows of which no label has more than {most:,}: each label has a share of "
            "every fold, so take fewer"
        )
    splits = StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    counts = []
    for learned, held_out in splits:
        others = Examples(X[learned], y[learned], names, None if given is None else given[learned])
        if model.standardization_ is not None:  # each fold by its own means and deviations
            others = inputs.with_standardised_columns(others)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of the settings, which the whole fit has told
            fold = clone(model).fit(others)
        said = fold.predict(Examples(X[held_out], None, names))
        counts.append((len(held_out), int(np.sum(said != y[held_out]))))
    rows, mistakes = zip(*counts, strict=True)
    return CrossValidated(rows, mistakes)
