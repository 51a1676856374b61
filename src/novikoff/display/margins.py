"""How far every example is from the hyperplane."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import Separable
from novikoff.display import two_classes
from novikoff.display.style import (
    BLUE,
    INK,
    MANY,
    ORANGE,
    PALE,
    legend,
    number,
    panels,
    rings,
    root_of,
    scatter,
)
from novikoff.estimators.hyperplane import LinearModel
from novikoff.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from novikoff.display.style import Place

Kind = Literal["sorted", "histogram"]


@dataclass(eq=False)
class MarginDisplay:
    """The margins y⟨w,x⟩/‖w‖ of all examples, and the bracket on the best margin that a separator can have.

    Make one with `from_estimator` or `from_certificate`. Margins are those of the theorems: the constant coordinate is
    one of the coordinates.

    Parameters
    ----------
    margins : array of n numbers
    signs : array of -1 and +1
    bracket : (lower, upper)
        The best separator's margin lies between them; lower <= 0 if none is known, upper = inf if there is no limit.
    support : array of int
        The rows that determine the best separator.
    names : names of the classes - and +

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    points_ : the marks of the two classes, + first (``kind="sorted"``)
    bars_ : the heights of the bars, + first (``kind="histogram"``)
    """

    margins: NDArray[np.float64]
    signs: NDArray[np.int8]
    bracket: tuple[float, float]
    support: NDArray[np.int64]
    names: tuple[str, str] = ("−", "+")

    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    points_: list[Any] = field(init=False, repr=False)
    bars_: list[Any] = field(init=False, repr=False)

    @classmethod
    def from_estimator(
        cls, clf: LinearModel, X: Any, y: Any = None, *, kind: Kind = "sorted", ax: Place = None, **kwargs: Any
    ) -> Self:
        """The margins under a fitted classifier.

        Parameters
        ----------
        clf : `Perceptron`, `MarginPerceptron` or `MaxMarginClassifier`
        X, y : examples; those of the fit, if the bracket is to be about them
        kind, ax, kwargs : as in `plot`
        """
        if not isinstance(clf, LinearModel):
            raise TypeError(
                f"a Perceptron, MarginPerceptron or MaxMarginClassifier is needed, not {type(clf).__name__}"
            )
        scores = clf.decision_function(X)
        given = two_classes.read(inputs.matrix(clf, X), inputs.labels(X, y), clf.classes_)
        last = float(clf.intercept_[0]) / clf.intercept_scaling if clf.fit_intercept else 0.0
        length = math.hypot(*clf.coef_[0], last)
        if length == 0:
            raise ValueError("w = 0 has no margin: the model has not been updated yet")
        margins = given.signs * scores / length
        if getattr(clf, "scale", "none") == "ball":  # which reports margins of rows divided by R
            lengths = sp.linalg.norm(given.X, axis=1) if sp.issparse(given.X) else np.linalg.norm(given.X, axis=1)
            margins = margins / np.hypot(lengths, clf.intercept_scaling if clf.fit_intercept else 0.0).max()
        support = getattr(clf, "support_", np.empty(0, dtype=np.int64))
        return cls(margins, given.signs, clf.margin_, support, given.names).plot(ax, kind=kind, **kwargs)

    @classmethod
    def from_certificate(
        cls, proof: Separable, X: Any, y: Any = None, *, kind: Kind = "sorted", ax: Place = None, **kwargs: Any
    ) -> Self:
        """The margins under the separator of a certificate.

        Parameters
        ----------
        proof : `novikoff.Separable`
        X, y : the data that it is about
        kind, ax, kwargs : as in `plot`
        """
        if not isinstance(proof, Separable):
            verdict = getattr(proof, "verdict", proof)
            raise TypeError(f"margins need a separator, and the verdict is {verdict!r}: {two_classes.cure(proof)}")
        given = two_classes.read_for(proof, X, y)
        w = np.append(proof.coef, proof.last)
        margins = given.signs * (given.X @ proof.coef + proof.intercept) / math.sqrt(w @ w)
        return cls(margins, given.signs, proof.margin, proof.rows, given.names).plot(ax, kind=kind, **kwargs)

    def plot(self, ax: Place = None, *, kind: Kind = "sorted", **kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes or a figure to draw in; by default a new figure
        kind : "sorted" for one mark an example, "histogram" for counts
        kwargs : passed to the marks or bars, e.g. ``alpha``

        Returns
        -------
        self
        """
        if kind not in ("sorted", "histogram"):
            raise ValueError(f"kind must be 'sorted' or 'histogram', got {kind!r}")
        (self.ax_,) = (ax,) = panels(ax, 1, 1, (6.4, 4.2))
        self.figure_ = root_of(ax)
        (self._sorted if kind == "sorted" else self._histogram)(ax, **kwargs)
        ax.set_title(self._title())
        across = kind == "sorted"
        lower, upper = self.bracket
        (ax.axhline if across else ax.axvline)(0.0, color=INK, linewidth=1)
        if 0 < upper < math.inf:
            low = max(lower, 0.0)
            span, line = (ax.axhspan, ax.axhline) if across else (ax.axvspan, ax.axvline)
            span(low, upper, color=PALE, alpha=0.3, linewidth=0, zorder=0)
            label = f"best margin: {number(low)} to {number(upper)}" if low else f"best margin: at most {number(upper)}"
            line(upper, color=INK, linestyle="--", linewidth=1, label=label)
            if low:
                line(low, color=INK, linestyle=":", linewidth=1)
        legend(ax)
        return self

    def _sorted(self, ax: Axes, **kwargs: Any) -> None:
        order = np.argsort(self.margins, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(1, len(order) + 1)
        # The curve is monotone: some of its points show all of it.
        shown = order[np.unique(np.linspace(0, len(order) - 1, MANY).astype(int))]
        points = np.column_stack([rank, self.margins])
        self.points_ = scatter(ax, points[shown], self.signs[shown], self.names, **kwargs)
        if len(self.support):
            rings(ax, points[self.support], f"support ({counted(len(self.support), 'row')})", s=90)
        ax.set(xlabel="examples, the closest first", ylabel=r"margin $y\langle w, x\rangle / \|w\|$")
        if len(order) < 12:
            ax.set_xticks(np.arange(1, len(order) + 1))

    def _histogram(self, ax: Axes, **kwargs: Any) -> None:
        edges: Any = np.histogram_bin_edges(self.margins, bins=min(60, max(8, int(len(self.margins) ** 0.5))))
        self.bars_ = []
        for sign, name, colour, hatch in ((1, self.names[1], BLUE, ""), (-1, self.names[0], ORANGE, "////")):
            options = {"color": colour, "alpha": 0.6, "hatch": hatch, "edgecolor": INK, "linewidth": 0.5, "label": name}
            options["histtype"] = "stepfilled"  # one outline, drawn much faster than a rectangle a bar
            self.bars_.append(ax.hist(self.margins[self.signs == sign], edges, **{**options, **kwargs})[0])
        ax.set(xlabel=r"margin $y\langle w, x\rangle / \|w\|$", ylabel="examples")
        ax.set_ylim(0, 1.05 * max(1, *(bars.max() for bars in self.bars_)))

    def _title(self) -> str:
        wrong = int(np.sum(self.margins <= 0))
        if wrong:
            return f"{wrong:,} of {counted(len(self.margins), 'example')} on the wrong side or on the hyperplane"
        closest = number(float(self.margins.min()))
        if len(self.margins) == 1:
            return f"The example is on its side; its margin is {closest}"
        return f"All {counted(len(self.margins), 'example')} are on their sides; the smallest margin is {closest}"
