"""How many mistakes were made, and how many the theorem allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from novikoff.display.style import BLUE, GREEN, RED, number, panels, plain_numbers, root_of
from novikoff.estimators.linear import LinearClassifier
from novikoff.game import Transcript
from novikoff.theory.exact import Number
from novikoff.words import counted, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from novikoff.display.style import Place

FAR = 8  # a bound this many times above the curve needs a logarithmic axis
FEW = 60  # points that are marked one by one


@dataclass(eq=False)
class MistakeCurveDisplay:
    """The mistakes of a run as they add up, under the bound of the theorem.

    Make one with `from_transcript` (round by round) or `from_estimator` (pass by pass).

    Parameters
    ----------
    time, mistakes : arrays
        ``mistakes[k]`` have been made after ``time[k]`` rounds or passes.
    updates : array or None
        The same for updates, where a learner makes more of them than mistakes.
    bound : int or None
    formula : str
        What the bound is, in mathematical notation.
    unit, noun : str
        What time counts ("round", "pass", "search"), and what the curve counts ("mistake", "update").

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    line_, update_line_, bound_line_ : the curve; that of the updates, and the bound, or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from novikoff import Perceptron, play, problems
    >>> from novikoff.display import MistakeCurveDisplay
    >>> problem = problems.orthonormal(9)
    >>> run = play(Perceptron(fit_intercept=False), problem.stream(), problem.witness)
    >>> MistakeCurveDisplay.from_transcript(run, ax=Figure()).ax_.get_title()
    '9 mistakes; the theorem allows 9'
    """

    time: NDArray[np.int64]
    mistakes: NDArray[np.int64]
    updates: NDArray[np.int64] | None = None
    bound: int | None = None
    formula: str = ""
    unit: str = "round"
    noun: str = "mistake"

    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    line_: Line2D = field(init=False, repr=False)
    update_line_: Line2D | None = field(init=False, repr=False)
    bound_line_: Line2D | None = field(init=False, repr=False)

    @classmethod
    def from_transcript(cls, run: Transcript, *, ax: Place = None, **kwargs: Any) -> Self:
        """The curve of a game, round by round.

        Parameters
        ----------
        run : what `novikoff.play` returned, for any learner
        ax, kwargs : as in `plot`
        """
        changes = sorted({*run.mistake_rounds, *(run.update_rounds or ())})
        time = np.array([0, *(at + 1 for at in changes), run.rounds])
        mistakes = np.searchsorted(run.mistake_rounds, time)
        updates = None
        if run.update_rounds is not None and run.update_rounds != run.mistake_rounds:
            updates = np.searchsorted(run.update_rounds, time)
        formula = _formula(run.threshold, run.start_sq) if run.margin_sq else ""
        return cls(time, mistakes, updates, run.bound, formula).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, clf: LinearClassifier, *, gamma: Number | None = None, ax: Place = None, **kwargs: Any
    ) -> Self:
        """The curve of a fit, pass by pass.

        Parameters
        ----------
        clf : a fitted `Perceptron` or `MarginPerceptron`
        gamma : a margin that some separator has, such as ``certify(X, y).margin[0]``; by default that of ``clf``
        ax, kwargs : as in `plot`
        """
        if not isinstance(clf, LinearClassifier):
            raise TypeError(f"a Perceptron or MarginPerceptron counts its mistakes; {type(clf).__name__} does not")
        updates = clf.updates_
        if not len(clf.history_):
            raise ValueError(
                "this model learned from a stream and has no passes to show: "
                "let novikoff.play run it, and use from_transcript"
            )
        searched = clf.order != "given"
        counts = np.append(0, np.cumsum(clf.history_ >= 0 if searched else clf.history_))
        noun = "mistake" if clf.mistakes_ == updates else "update"
        best = clf.margin_[0] if gamma is None else gamma
        told = noun == clf._learner.noun  # else the theorem is about mistakes, and this curve is not
        told = told and not clf._learner.weighed  # or it is about their weights
        bound = cast("int | None", clf.bound(best)) if told and best > 0 else None  # type: ignore[operator]  # a Number
        formula = _formula(Fraction(clf.threshold_), None)
        return cls(
            np.arange(len(counts)),
            counts,
            None,
            bound,
            formula,
            unit="search" if searched else "pass",
            noun=noun,
        ).plot(ax, **kwargs)

    @property
    def _counts(self) -> NDArray[np.int64]:
        return self.mistakes if self.updates is None else self.updates

    def plot(self, ax: Place = None, **kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes or a figure to draw in; by default a new figure
        kwargs : passed to the curve, e.g. ``color``

        Returns
        -------
        self
        """
        (self.ax_,) = (ax,) = panels(ax, 1, 1, (6.4, 4.0))
        self.figure_ = root_of(ax)
        by_rounds = self.unit == "round"
        look: dict[str, Any] = {"drawstyle": "steps-post"} if by_rounds else {}
        steps = np.flatnonzero(np.diff(self._counts)) + 1 if by_rounds else np.arange(len(self.time))
        marked = {"markevery": steps.tolist(), "markersize": 4} if len(steps) <= FEW else {"marker": ""}
        options = {"color": BLUE, "marker": "o", "label": f"{self.noun}s made", **look, **marked, **kwargs}
        (self.line_,) = ax.plot(self.time, self.mistakes, **options)
        self.update_line_ = self.bound_line_ = None
        if self.updates is not None:
            other = {**options, "color": GREEN, "marker": "^" if "markevery" in marked else "", "linestyle": "-."}
            (self.update_line_,) = ax.plot(self.time, self.updates, **{**other, "label": "updates made"})
        made = int(self._counts[-1])
        top = max(made, 1)
        if self.bound is not None:
            formula = f"{self.formula} = " if self.formula else ""
            label = f"allowed: {formula}{number(self.bound)}"
            self.bound_line_ = ax.axhline(min(self.bound, 1e300), color=RED, linestyle="--", label=label)
            top = max(top, self.bound)
        self._scales(ax, made, min(top, 10**300))
        of = {"pass": "passes", "search": "searches"}.get(self.unit, "rounds")
        nouns = "mistakes and updates" if self.updates is not None else plural(self.noun)
        ax.set(xlabel=f"{of} over the data" if self.unit == "pass" else of, ylabel=f"{nouns}, in all")
        ax.set_title(self._title())
        return self

    def _scales(self, ax: Axes, made: int, top: int) -> None:
        """Axes from 0, and the legend where the curves leave room."""
        from matplotlib.ticker import MaxNLocator

        far = top > FAR * max(made, 1)
        if far and top > 10:
            ax.set_yscale("symlog", linthresh=1, linscale=0.5)
            ax.yaxis.set_major_formatter(plain_numbers())
            ax.set_ylim(-0.1, float(top) ** 1.08)
            height = np.log10(10 * max(made, 0.1)) / np.log10(10 * float(top))
        else:
            ax.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
            ax.set_ylim(-0.03 * top, 1.1 * top)
            height = made / top
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        ax.grid(axis="y", alpha=0.3)
        ax.legend(loc="lower right" if height > 0.4 else "center right", fontsize="small", framealpha=1.0)

    def _title(self) -> str:
        made = counted(int(self.mistakes[-1]), self.noun)
        if self.updates is not None:
            made += f" and {counted(int(self.updates[-1]), 'update')}"
        return (
            f"{made}; no bound is known" if self.bound is None else f"{made}; the theorem allows {number(self.bound)}"
        )


def _formula(theta: Fraction | None, start_sq: Fraction | None) -> str:
    growth = "R^2 + 2\\theta" if theta else "R^2"
    if start_sq:
        growth += " + 2\\gamma\\|w_0\\|"
    return f"$({growth})/\\gamma^2$" if "+" in growth else f"${growth}/\\gamma^2$"
