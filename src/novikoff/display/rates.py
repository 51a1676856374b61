"""The table of costs as a picture."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from novikoff.descent.rates import Entry, Rates

# Okabe and Ito's colours: told apart by everybody.
COLOURS = {"GD": "#0072b2", "2GD": "#e69f00", "SGD": "#009e73", "2SGD": "#cc79a7"}
MARKS = {"GD": "o", "2GD": "s", "SGD": "^", "2SGD": "D"}
AXES = {
    "time per iteration ~ n^p: p": ("Time per iteration", "rows n", "seconds"),
    "total time ~ n^p: p": ("Total time to accuracy 0.01", "rows n", "seconds"),
    "time per iteration ~ d^p: p": ("Time per iteration", "columns d", "seconds"),
    "iterations ~ (log 1/epsilon)^p: p": ("Iterations to accuracy ε", "log 1/ε", "iterations"),
    "iterations ~ (1/epsilon)^p: p": ("Steps to accuracy ε", "1/ε", "steps"),
    "iterations ~ k^p, k the condition: p": ("The price of conditioning", "condition number", "relative iterations"),
}


def draw(rates: Rates, path: Path) -> None:
    """Every fitted line with its points, and Newton's method on a logistic loss."""
    figure = Figure(figsize=(16, 7), layout="constrained")
    *panels, spare = figure.subplots(2, 4).ravel()
    spare.axis("off")
    by_quantity = sorted(rates.entries, key=lambda e: list(AXES).index(e.quantity))
    for panel, (quantity, entries) in zip(panels, groupby(by_quantity, key=lambda e: e.quantity), strict=False):
        title, x, y = AXES[quantity]
        place = "center left" if title.startswith("Time") else "upper left"
        for entry in entries:
            _line(panel, entry, relative=y.startswith("relative"))
        panel.set(title=title, xlabel=x, ylabel=y, xscale="log", yscale="log")
        panel.legend(title="slope, 95 %", fontsize="small", title_fontsize="small", loc=place, framealpha=0.5)
        for axis in (panel.xaxis, panel.yaxis):
            low, high = axis.get_view_interval()
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 50 * low else (1.0,)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
    last = panels[-1]
    last.semilogy(rates.newton, marker=MARKS["2GD"], color=COLOURS["2GD"], label="logistic loss")
    last.semilogy([1.0, rates.one_step], marker="x", linestyle="--", color=COLOURS["2GD"], label="least squares")
    last.set(title="Newton: the digits double", xlabel="step", ylabel="accuracy")
    last.legend(fontsize="small")
    for panel in panels:
        panel.grid(alpha=0.3)
    figure.suptitle("What an iteration costs, and how many are needed")
    figure.savefig(path, dpi=120)


def _line(panel: Axes, entry: Entry, *, relative: bool) -> None:
    curve = entry.curve
    x, y = np.exp(curve.x), np.exp(curve.y - (curve.y[0] if relative else 0.0))
    half = (curve.high - curve.low) / 2
    label = f"{entry.method}: {curve.slope:.2f} ± {half:.2f}"
    middle = np.exp(np.mean(np.log(y)) + curve.slope * (curve.x - curve.x.mean()))
    panel.plot(x, y, MARKS[entry.method], color=COLOURS[entry.method], label=label)
    panel.plot(x, middle, color=COLOURS[entry.method], linewidth=1)
