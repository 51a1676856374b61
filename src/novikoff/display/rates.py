"""The table of costs of least squares as a picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from novikoff.descent.rates import Entry, Rates
from novikoff.display.style import BLUE, GREEN, ORANGE, PURPLE, panels, plain_numbers, root_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from novikoff.display.style import Place

LOOKS = {"GD": (BLUE, "o", "-"), "2GD": (ORANGE, "s", "--"), "SGD": (GREEN, "^", "-."), "2SGD": (PURPLE, "D", ":")}
AXES = {
    "time per iteration ~ n^p: p": ("Time per iteration, by rows", "rows n", "seconds"),
    "total time ~ n^p: p": ("Total time to accuracy 0.01", "rows n", "seconds"),
    "time per iteration ~ d^p: p": ("Time per iteration, by columns", "columns d", "seconds"),
    "iterations ~ (log 1/epsilon)^p: p": ("Iterations to accuracy ε", "log 1/ε", "iterations"),
    "iterations ~ (1/epsilon)^p: p": ("Steps to accuracy ε", "1/ε", "steps"),
    "iterations ~ k^p, k the condition: p": ("The price of conditioning", "condition number", "relative iterations"),
}


@dataclass(eq=False)
class RatesDisplay:
    """What an iteration of least squares costs, and how many are needed: measured points and fitted exponents.

    Parameters
    ----------
    rates : what `novikoff.rates` returned

    Attributes
    ----------
    axes_, figure_ : where it is drawn
    lines_ : dict
        For each entry of the table, (method, quantity), the measured points.
    """

    rates: Rates

    axes_: list[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    lines_: dict[tuple[str, str], Line2D] = field(init=False, repr=False)

    @classmethod
    def from_rates(cls, rates: Rates, *, ax: Place = None, **kwargs: Any) -> Self:
        """The picture of a measured table.

        Parameters
        ----------
        rates : what `novikoff.rates` returned
        ax, kwargs : as in `plot`
        """
        return cls(rates).plot(ax, **kwargs)

    def plot(self, ax: Place = None, **kwargs: Any) -> Self:
        """Draw one panel for each quantity, and one for Newton's method on a logistic loss.

        Parameters
        ----------
        ax : axes, as many as panels; or one, or a figure, to be divided; by default a new figure
        kwargs : passed to the measured points, e.g. ``markersize``

        Returns
        -------
        self
        """
        ordered = sorted(self.rates.entries, key=lambda entry: list(AXES).index(entry.quantity))
        groups = [(quantity, list(entries)) for quantity, entries in groupby(ordered, key=lambda e: e.quantity)]
        count = len(groups) + 1
        columns = min(count, 4)
        rows = -(-count // columns)
        axes = panels(ax, rows, columns, (3.9 * columns, 3.5 * rows + 0.2))
        for spare in axes[count:]:
            spare.set_axis_off()
        self.axes_ = axes[:count]
        self.figure_ = root_of(axes[0])
        self.lines_ = {}
        for panel, (quantity, entries) in zip(self.axes_, groups, strict=False):
            self._quantity(panel, quantity, entries, kwargs)
        self._newton(self.axes_[-1])
        for panel in self.axes_:
            panel.grid(alpha=0.3)
        return self

    def _quantity(self, panel: Axes, quantity: str, entries: list[Entry], kwargs: dict[str, Any]) -> None:
        from matplotlib.ticker import LogLocator, NullFormatter

        title, x, y = AXES[quantity]
        for entry in entries:
            self.lines_[entry.method, quantity] = _line(panel, entry, y.startswith("relative"), kwargs)
        panel.set(title=title, xlabel=x, ylabel=y, xscale="log", yscale="log")
        # Room for the legend above the curves.
        low, high = panel.get_ylim()
        panel.set_ylim(low, high * (high / low) ** (0.12 * len(entries) + 0.12))
        panel.legend(title="slope, 95 %", fontsize="small", title_fontsize="small", loc="upper left", framealpha=1.0)
        for axis in (panel.xaxis, panel.yaxis):
            low, high = axis.get_view_interval()
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,)))
            axis.set_major_formatter(plain_numbers())
            axis.set_minor_formatter(NullFormatter())

    def _newton(self, panel: Axes) -> None:
        colour, mark, _ = LOOKS["2GD"]
        panel.semilogy(self.rates.newton, marker=mark, color=colour, label="logistic loss")
        steps = [1.0, self.rates.one_step]
        panel.semilogy(steps, marker="x", linestyle="--", color=BLUE, label="least squares")
        panel.set(title="Newton: the digits double", xlabel="step", ylabel="accuracy")
        panel.legend(fontsize="small", loc="upper right", framealpha=1.0)


def _line(panel: Axes, entry: Entry, relative: bool, kwargs: dict[str, Any]) -> Line2D:
    """The points, and the fitted power through their middle."""
    curve = entry.curve
    colour, mark, style = LOOKS[entry.method]
    x, y = np.exp(curve.x), np.exp(curve.y - (curve.y[0] if relative else 0.0))
    half = (curve.high - curve.low) / 2
    label = f"{entry.method}: {curve.slope:.2f} ± {half:.2f}"
    fit = np.exp(np.mean(np.log(y)) + curve.slope * (curve.x - curve.x.mean()))
    (points,) = panel.plot(x, y, **{"marker": mark, "linestyle": "", "color": colour, "label": label, **kwargs})
    panel.plot(x, fit, color=colour, linestyle=style, linewidth=1)
    return points
