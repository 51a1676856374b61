"""Novikoff's proof, drawn from a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import Separable
from novikoff.display.style import BLUE, GREEN, INK, PALE, RED, number, panels, plain_numbers, root_of
from novikoff.estimators.linear import LinearClassifier
from novikoff.game import Transcript

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from novikoff.display.style import Place

FAR = 8  # an end this many times beyond the last update needs logarithmic axes
FEW = 60


@dataclass(eq=False)
class ProofDisplay:
    r"""Why the mistakes must end: a ceiling, a floor, and the point where they meet.

    Every update adds at most R² + 2θ to ‖w‖² and at least γ to ⟨w,w*⟩, ‖w*‖ = 1, so

    .. math:: (\gamma t)^2 \le \langle w, w^* \rangle^2 \le \|w\|^2 \le (R^2 + 2\theta) t,

    which is impossible beyond t = (R² + 2θ)/γ². Make one with `from_transcript` or `from_estimator`.

    Parameters
    ----------
    norm_sq, inner, cosine : arrays
        ‖w‖², ⟨w,w*⟩ and ⟨w,w*⟩/‖w‖ after each update.
    radius_sq, margin_sq, threshold : Fraction
        R², γ² and θ.

    Attributes
    ----------
    axes_, figure_ : where it is drawn
    norm_line_, inner_line_, cosine_line_ : what was measured
    ceiling_, floor_, floor_sq_, cosine_floor_ : what the proof says
    crossing_ : float
        (R² + 2θ)/γ², where floor² meets the ceiling.
    """

    norm_sq: NDArray[np.float64]
    inner: NDArray[np.float64]
    cosine: NDArray[np.float64]
    radius_sq: Fraction
    margin_sq: Fraction
    threshold: Fraction = Fraction(0)

    axes_: list[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    norm_line_: Line2D = field(init=False, repr=False)
    inner_line_: Line2D = field(init=False, repr=False)
    cosine_line_: Line2D = field(init=False, repr=False)
    ceiling_: Line2D = field(init=False, repr=False)
    floor_: Line2D = field(init=False, repr=False)
    floor_sq_: Line2D = field(init=False, repr=False)
    cosine_floor_: Line2D = field(init=False, repr=False)
    crossing_: float = field(init=False, repr=False)

    @classmethod
    def from_transcript(cls, run: Transcript, *, ax: Place = None, **kwargs: Any) -> Self:
        """The proof of a game that was played with a witness.

        Parameters
        ----------
        run : what ``novikoff.play(learner, stream, witness=...)`` returned
        ax, kwargs : as in `plot`
        """
        if run.margin_sq is None or run.radius_sq is None or run.threshold is None:
            raise ValueError("the proof needs a separator w*: play the game with witness=w* and a linear learner")
        if not run.margin_sq:
            raise ValueError("the witness does not separate the stream, so the proof has no floor: give one that does")
        if run.start_sq:
            raise ValueError("this run did not start at w = 0, and the picture is of a proof that does")
        return cls(
            np.array(run.norm_sq),
            np.array(run.inner),
            np.array(run.potential),
            run.radius_sq,
            run.margin_sq,
            run.threshold,
        ).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, clf: LinearClassifier, X: Any, y: Any = None, *, gap: float = 0.01, ax: Place = None, **kwargs: Any
    ) -> Self:
        """The proof of a fit: the updates are made once more, with the certificate's separator as w*.

        Parameters
        ----------
        clf : a `Perceptron` or `MarginPerceptron` that was fitted to X and y, starting from w = 0
        X, y : the data of the fit
        gap : how close w* comes to the best margin, as in `novikoff.certify`
        ax, kwargs : as in `plot`
        """
        if not isinstance(clf, LinearClassifier) or clf._rule_kind.measures():
            raise TypeError(f"the proof is that of a Perceptron or MarginPerceptron, not of {type(clf).__name__}")
        if len(clf.classes_) > 2:
            raise ValueError(f"the picture is that of a run on two classes; this one has {len(clf.classes_)}")
        proof = clf.certify(X, y, gap).proof
        if not isinstance(proof, Separable):
            raise ValueError(f"without a separator the proof has no floor. {proof}")
        trace = clf.trace(X, y)
        star = np.array([float(x) for x in _shortened(proof.w[: clf.n_features_in_ + 1])])
        star /= np.sqrt(star @ star)
        steps = [(np.einsum("ij,ij->i", w, w), w @ star) for w in trace.path()]
        norm_sq, inner = (np.concatenate([np.empty(0), *parts]) for parts in zip(*steps, strict=True))
        with np.errstate(invalid="ignore"):
            cosine = np.where(norm_sq > 0, inner / np.sqrt(norm_sq), 0.0)
        return cls(
            norm_sq,
            inner,
            cosine,
            Fraction(proof.radius) ** 2,
            Fraction(proof.margin[0]) ** 2,
            Fraction(clf.threshold_),
        ).plot(ax, **kwargs)

    def plot(self, ax: Place = None, **kwargs: Any) -> Self:
        """Draw it in three panels.

        Parameters
        ----------
        ax : three axes, one to be divided, or a figure; by default a new figure
        kwargs : passed to the three measured curves, e.g. ``color``

        Returns
        -------
        self
        """
        self.axes_ = panels(ax, 1, 3, (12.0, 4.2))
        self.figure_ = root_of(self.axes_[0])
        growth = float(self.radius_sq + 2 * self.threshold)
        gamma = float(self.margin_sq) ** 0.5
        self.crossing_ = end = float((self.radius_sq + 2 * self.threshold) / self.margin_sq)
        t = np.arange(1, len(self.norm_sq) + 1)
        far = end > FAR * max(len(t), 1)
        grid = np.geomspace(0.8, 1.6 * end, 200) if far else np.linspace(0, 1.12 * end, 200)
        before = grid <= end
        look = {"color": BLUE, "label": "measured", "zorder": 3, **_marks(len(t)), **kwargs}
        bound: dict[str, Any] = {"color": RED, "linestyle": "--"}
        floor: dict[str, Any] = {"color": GREEN, "linestyle": "-."}
        term = "R^2 + 2\\theta" if self.threshold else "R^2"
        short = f"({term})" if self.threshold else term

        lengths, along, cosines = self.axes_
        (self.norm_line_,) = lengths.plot(t, self.norm_sq, **{**look, "label": r"$\|w\|^2$"})
        (self.ceiling_,) = lengths.plot(grid, growth * grid, **bound, label=f"ceiling ${short}\\,t$")
        (self.floor_sq_,) = lengths.plot(grid, (gamma * grid) ** 2, **floor, label=r"floor $(\gamma t)^2$")
        (self.inner_line_,) = along.plot(t, self.inner, **{**look, "label": r"$\langle w, w^*\rangle$"})
        (self.floor_,) = along.plot(grid, gamma * grid, **floor, label=r"floor $\gamma t$")
        (self.cosine_line_,) = cosines.plot(t, self.cosine, **{**look, "label": r"$\langle w, w^*\rangle/\|w\|$"})
        below = rf"\sqrt{{{term}}}" if self.threshold else "R"
        label = rf"floor $\gamma\sqrt{{t}}/{below}$"
        (self.cosine_floor_,) = cosines.plot(grid[before], gamma * np.sqrt(grid[before] / growth), **floor, label=label)
        cosines.axhline(1.0, **bound, label="a cosine is at most 1")

        lengths.set(title=f"Each update adds at most\n${term}$ = {number(growth)} to $\\|w\\|^2$", ylabel=r"$\|w\|^2$")
        along.set(
            title=f"and at least $\\gamma$ = {number(gamma)}\nto $\\langle w, w^*\\rangle$",
            ylabel=r"$\langle w, w^*\rangle$",
        )
        cosines.set(
            title=f"so there are at most ${short}/\\gamma^2$\n= {number(int(end))} updates; {number(len(t))} were made",
            ylabel="cosine of the angle to $w^*$",
            ylim=(0, 1.09),
        )
        for panel in self.axes_:
            panel.set_xlabel("updates $t$")
            if far:
                panel.set_xscale("log")
                panel.xaxis.set_major_formatter(plain_numbers())
                if panel is not cosines:
                    panel.set_yscale("log")
                    panel.yaxis.set_major_formatter(plain_numbers())
            panel.set_xlim(grid[0], grid[-1])
            panel.axvspan(end, grid[-1], color=PALE, alpha=0.25, linewidth=0)
            # The curves rise, and the cosine's fast.
            loc: Any = "lower right" if panel is cosines else "upper left"
            panel.legend(loc=loc, fontsize="small", framealpha=1.0)
            panel.grid(alpha=0.25)
        for panel, height in ((lengths, growth * end), (cosines, 1.0)):
            panel.plot([end], [height], marker="*", markersize=13, color=INK, linestyle="", zorder=4)
        middle = (end * grid[-1]) ** 0.5 if far else (end + grid[-1]) / 2
        words = f"$t > {short}/\\gamma^2$: no mistakes left"
        for panel in (lengths, along):
            upwards: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": "small"}
            panel.text(middle, 0.05, words, **upwards, transform=panel.get_xaxis_transform())
        return self


def _marks(count: int) -> dict[str, Any]:
    return {"marker": "o", "markersize": 4} if count <= FEW else {"linewidth": 2}


def _shortened(w: Sequence[int]) -> list[Fraction]:
    """Weights of any size as fractions of the largest."""
    most = max(abs(x) for x in w)
    return [Fraction(x, most) for x in w]
