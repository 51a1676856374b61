"""How every picture looks, and where it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.ticker import Formatter

    Place = Axes | Figure | SubFigure | Sequence[Axes] | None

# Okabe and Ito's colours, told apart by everybody; in grey the marks and the lines differ.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"
INK, PALE = "#1a1a1a", "#8c8c8c"
POSITIVE: dict[str, Any] = {"color": BLUE, "marker": "o", "edgecolors": "white"}
NEGATIVE: dict[str, Any] = {"color": ORANGE, "marker": "s", "edgecolors": INK}
BELOW = 40  # points from the axes to the legend
LONGEST = 24  # letters of a name
MANY = 2_000  # points from which on a vector graphic holds them as an image


def panels(
    place: Place, rows: int, columns: int, size: tuple[float, float], *, solid: Sequence[bool] = ()
) -> list[Axes]:
    """rows x columns axes: of a new figure of this size, of a given one, within given axes, or the given ones.

    ``solid`` says which of them have three dimensions.
    """
    try:
        from matplotlib.axes import Axes
        from matplotlib.figure import FigureBase
        from matplotlib.gridspec import GridSpec
    except ImportError:
        raise ImportError("a plot needs matplotlib: pip install 'novikoff[plots]'") from None
    count = rows * columns
    kinds = ["3d" if k < len(solid) and solid[k] else None for k in range(count)]
    if isinstance(place, Axes):
        if count == 1 and (kinds[0] is None) == (place.name != "3d"):
            return [place]
        place.set_axis_off()
        figure: Any = place.figure
        box = place.get_position()
        whole = (
            place.get_subplotspec() or GridSpec(1, 1, figure, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)[0]
        )
        grid: Any = whole.subgridspec(rows, columns)
    elif place is None or isinstance(place, FigureBase):
        if place is None:
            import matplotlib.pyplot as plt
            from matplotlib.layout_engine import ConstrainedLayoutEngine

            place = plt.figure(figsize=size, layout=ConstrainedLayoutEngine(h_pad=0.08, w_pad=0.08))
        figure = place
        grid = figure.add_gridspec(rows, columns)
    else:
        given = list(np.ravel(np.asarray(place, dtype=object)))
        if len(given) != count or not all(isinstance(ax, Axes) for ax in given):
            raise ValueError(f"ax: {count} axes are needed ({rows} x {columns}), got {len(given)} objects")
        return given
    return [figure.add_subplot(spec, projection=kind) for spec, kind in zip(grid, kinds, strict=True)]


def root_of(ax: Axes) -> Figure:
    """The figure that these axes are drawn in."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def number(value: float) -> str:
    """A count or a length for a reader: 221; 326,263; 0.749; −3; 2.1e+08."""
    whole = abs(value) < 1e7 and value == int(value)
    return (f"{int(value):,}" if whole else f"{float(value):.3g}").replace("-", "−")


def plain_numbers() -> Formatter:
    """0.001, 1, 1,000 on a logarithmic axis, and powers of ten beyond."""
    from matplotlib.ticker import FuncFormatter

    def written(value: float, _: Any) -> str:
        if value == 0 or 1e-3 <= abs(value) < 1e5:
            return f"{value:,g}"
        power = np.log10(abs(value))
        mantissa = value / 10 ** np.floor(power + 1e-9)
        times = "" if abs(mantissa - 1) < 1e-6 else rf"{mantissa:g}\cdot "
        return rf"${times}10^{{{int(np.floor(power + 1e-9))}}}$"

    return FuncFormatter(written)


def mark_size(count: int) -> float:
    """The area of a mark, in points, if there are so many."""
    return 36.0 if count <= 200 else 16.0 if count <= MANY else 4.0


def literal(name: object) -> str:
    """A name as matplotlib shall write it: not as a formula, not left out of a legend, and no longer than a figure."""
    text = "".join(c if c.isprintable() else "\ufffd" for c in str(name))
    short = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return (" " + short if short.startswith("_") else short).replace("$", r"\$")


def scatter(ax: Axes, points: NDArray[Any], signs: NDArray[Any], names: Sequence[str], **kwargs: Any) -> list[Any]:
    """The examples of both classes, a mark and a colour for each."""
    dots = []
    size = mark_size(len(points))
    for sign, look, name in ((1, POSITIVE, names[1]), (-1, NEGATIVE, names[0])):
        chosen = points[signs == sign]
        options = {"s": size, "linewidths": 0.5 if size > 4 else 0, "rasterized": len(points) > MANY, "zorder": 3}
        dots.append(ax.scatter(*chosen.T, label=name, **{**look, **options, **kwargs}))
    return dots


def rings(ax: Any, points: NDArray[Any], label: str, *, colour: str = INK, **kwargs: Any) -> None:
    """Circles around some of the marks."""
    look = {"s": 100, "facecolors": "none", "edgecolors": colour, "linewidths": 1.3, "zorder": 4, **kwargs}
    ax.scatter(*points.T, label=label, **look)


def legend(ax: Axes) -> None:
    """Below the picture and the words on its axis, where there are no data."""
    from matplotlib.collections import PathCollection
    from matplotlib.transforms import ScaledTranslation

    handles, _ = ax.get_legend_handles_labels()
    columns = len(handles) if len(handles) < 4 else (len(handles) + 1) // 2
    made = ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=ax.transAxes + ScaledTranslation(0, -BELOW / 72, root_of(ax).dpi_scale_trans),
        ncols=columns,
        frameon=False,
        fontsize="small",
        borderaxespad=0.0,
        handletextpad=0.5,
        columnspacing=1.2,
    )
    for handle in made.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set_sizes([36])  # a mark is to be seen here, however small it is among many
