"""The report: what the data are, whether they are separable and why, the run, and its hyperplane, on one page."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from novikoff import inputs
from novikoff.certificates import Proof
from novikoff.disk import atomic
from novikoff.display.report import many, sections
from novikoff.display.report.case import Case, Origin, case_of
from novikoff.display.report.many import ManyCase, many_case
from novikoff.display.report.page import document, drawing
from novikoff.estimators.folds import CrossValidated
from novikoff.estimators.hyperplane import LinearModel
from novikoff.words import counted

__all__ = ["Origin", "Report", "report"]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page that is complete in itself: ``save`` it, or let a notebook show it.

    Attributes
    ----------
    html : str
    certificate : `novikoff.Separable`, `novikoff.NotSeparable` or `novikoff.Undecided`; of many labels, one for each
    beside : dict
        The files that the page speaks of and does not hold: a certificate that is too large for it, by its name.
    cross_validated : CrossValidated or None
        ``rows``, ``mistakes`` and ``rate`` on parts that were held out; None where the page says why there are none.
    """

    html: str
    certificate: Proof | Mapping[Any, Proof]
    beside: dict[str, bytes]
    cross_validated: CrossValidated | None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, and what goes beside it into the same directory; nothing half-written is left behind."""
        for name, content in self.beside.items():
            atomic.write(Path(path).with_name(name), [content])
        atomic.write(path, [self.html.encode("utf-8")])

    def __repr__(self) -> str:
        found = self.certificate
        verdict = found.verdict if isinstance(found, Proof) else counted(len(found), "label")
        return f"<Report: {verdict}, {len(self.html):,} characters of HTML; save(path) writes it>"

    def _repr_html_(self) -> str:
        # In a frame, its style is its own.
        look = "width: 100%; height: 50em; border: 0"
        return f'<iframe title="report" style="{look}" srcdoc="{html.escape(self.html)}"></iframe>'


def report(
    clf: LinearModel | None,
    X: Any,
    y: Any = None,
    *,
    title: str | None = None,
    certificate: Proof | Mapping[Any, Proof] | None = None,
    origin: Origin | None = None,
) -> Report:
    """All that is known about a fit, for somebody who was not there: one HTML page without any link to the network.

    It needs matplotlib: ``pip install 'novikoff[plots]'``.

    Parameters
    ----------
    clf : a fitted `Perceptron`, `MarginPerceptron` or `MaxMarginClassifier`; None for the data and the proof alone
    X, y : the data that it learned from, with two labels or more; or a `novikoff.data.Dataset`
    title : the heading
    certificate : what `novikoff.certify` said of these data; by default it is asked
    origin : how to repeat it, which the command line knows

    Returns
    -------
    Report

    Examples
    --------
    >>> import novikoff as nk
    >>> X, y = [[2, 1], [3, 0], [0, 2], [-1, 1]], ["in", "in", "out", "out"]
    >>> page = nk.report(nk.Perceptron().fit(X, y), X, y)
    >>> "Separable: a hyperplane has all 4 rows on the sides of their labels." in page.html
    True
    """
    if clf is not None and not isinstance(clf, LinearModel):
        raise TypeError(
            "a report is about a hyperplane, of a Perceptron, MarginPerceptron or MaxMarginClassifier; "
            f"{type(clf).__name__} is none of them: a verdict of certify is passed as certificate=, after None, X and y"
        )
    origin = origin or Origin()
    learner = type(clf).__name__ if clf else "Separability"
    found: Case | ManyCase
    with drawing():
        if len(inputs.distinct(inputs.labels(X, y))) <= 2:
            found = case = case_of(clf, X, y, certificate, origin)
            heading = title or f"{learner} on {counted(case.n, 'row')} and {counted(case.d, 'column')}"
            page = document(heading, sections.top(case, heading), *sections.all_of(case))
        else:
            found = each = many_case(clf, X, y, certificate, origin)
            heading = title or f"{learner} on {counted(each.n, 'row')} and {counted(each.d, 'column')}"
            page = document(heading, many.top(each, heading), *many.all_of(each))
    estimate = found.estimate if clf is not None else None
    proved = found.proofs if isinstance(found, ManyCase) else found.proof
    return Report(page, proved, found.beside, estimate if isinstance(estimate, CrossValidated) else None)
