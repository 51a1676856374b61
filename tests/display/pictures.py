"""What every picture must have: ink, words that can be read, and marks that differ without colour."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.text import Text

TOLERANCE = 1.0  # pixels by which boxes of words may touch


def canvas(size=(6.4, 4.8)):
    """A figure that pyplot does not know."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def rendered(figure):
    """The pixels, as floats from 0 to 1."""
    if not isinstance(figure.canvas, FigureCanvasAgg):
        FigureCanvasAgg(figure)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255.0


def words(figure):
    """The visible texts with their boxes in pixels; ticks outside the axes' limits are not drawn."""
    renderer = figure.canvas.get_renderer()
    found = []
    for ax in figure.axes:
        hidden = set()
        for axis in getattr(ax, "_axis_map", {}).values():
            shown = {label for tick in axis._update_ticks() for label in (tick.label1, tick.label2)}
            every = {label for tick in (*axis.majorTicks, *axis.minorTicks) for label in (tick.label1, tick.label2)}
            hidden |= every - shown
            if not ax.axison:
                hidden |= every | {axis.label, axis.offsetText}
        found += [text for text in ax.findobj(Text) if text not in hidden]
    found += [text for text in figure.texts if text not in found]
    boxes = []
    for text in dict.fromkeys(found):
        if text.get_visible() and text.get_text().strip():
            boxes.append((text.get_text(), text.get_window_extent(renderer)))
    return boxes


def check(figure):
    """Not blank, nothing cut off, no word upon another."""
    pixels = rendered(figure)
    assert (pixels < 0.9).any(axis=2).mean() > 0.001, "blank"
    high, wide = pixels.shape[:2]
    boxes = words(figure)
    assert boxes, "no words"
    for text, box in boxes:
        assert min(box.x0, box.y0) >= -TOLERANCE, f"{text!r} leaves the figure: {box}"
        assert max(box.x1 - wide, box.y1 - high) <= TOLERANCE, f"{text!r} leaves the figure: {box}"
    for (one, a), (other, b) in combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= TOLERANCE or up <= TOLERANCE, f"{one!r} and {other!r} overlap by {across:.1f} x {up:.1f}"


def luminance(colour):
    return float(np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722)))


def check_without_colour(ax):
    """Everything that the legend tells apart differs in luminance, in mark, in line or in hatch."""
    looks = []
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        if isinstance(handle, PathCollection):
            shape = handle.get_paths()[0].vertices.round(3).tobytes()
            face = handle.get_facecolor()
            looks.append((label, "marks", shape, luminance(face[0]) if len(face) else 1.0))
        elif hasattr(handle, "get_linestyle") and hasattr(handle, "get_marker"):
            looks.append((label, "line", (handle.get_linestyle(), handle.get_marker()), luminance(handle.get_color())))
        else:
            patch = handle.patches[0] if hasattr(handle, "patches") else handle
            looks.append((label, "area", getattr(patch, "get_hatch", lambda: None)(), 0.5))
    for one, other in combinations(looks, 2):
        differ = one[1:3] != other[1:3] or abs(one[3] - other[3]) > 0.15
        assert differ, f"{one[0]!r} and {other[0]!r} look the same without colour"
