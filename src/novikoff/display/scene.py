"""One panel of a geometric picture: points, a hyperplane, arrows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.display.style import INK, MANY, NEGATIVE, PALE, POSITIVE, RED, mark_size, rings, scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

ROUND = 64  # straight pieces of a circle
LOPSIDED = 25.0  # a picture this many times wider than high is not drawn to one scale,
PROJECTED = 2.0  # nor one this many times wider whose axes are along and across the hyperplane: right angles stay right
FEW = 500  # marks in a space, or crosses, from which on they are an image


class Arrow(NamedTuple):
    start: Array
    end: Array
    label: str
    colour: str = INK
    style: str = "-"


@dataclass(frozen=True, eq=False)
class Scene:
    """What one panel shows: points in 1, 2 or 3 dimensions, and the hyperplane <normal, z> + offset = 0."""

    points: Array  # n x k
    signs: NDArray[np.int8]
    title: str
    axes: Sequence[str]  # their names
    normal: Array | None = None
    offset: float = 0.0
    margin: float = 0.0  # the band on both sides of the hyperplane that holds no example
    gap: str = ""  # what the distance of the closest example is called; in the legend if it is no symbol
    closest: Sequence[int] = ()
    example: int | None = None  # the one that an update is about
    arrows: Sequence[Arrow] = ()
    origin: bool = False  # does it matter where 0 is?
    ball: bool = False  # the unit circle or sphere
    projected: bool = False  # from the side: the axes are along w and across it

    @property
    def sides(self) -> Array:
        """y (<normal, z> + offset) of every point; above 0 on the right side."""
        assert self.normal is not None
        return self.signs * (self.points @ self.normal + self.offset)

    @property
    def wrong(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.sides <= 0) if self.normal is not None else np.arange(len(self.signs))


def unit(v: Array) -> Array:
    v = np.asarray(v, dtype=np.float64)
    v = v / np.abs(v).max()
    return v / np.linalg.norm(v)


def reach(points: Array) -> float:
    """How large the picture is."""
    spread = float(np.max(np.ptp(points, axis=0), initial=0.0))
    return spread or float(np.abs(points).max()) or 1.0


def orthogonal(u: Array) -> Array:
    """Some unit vector orthogonal to u."""
    e = np.zeros(len(u))
    e[np.argmin(np.abs(u))] = 1.0
    return unit(e - (e @ u) * u)


def draw_flat(ax: Axes, scene: Scene, names: Sequence[str], kwargs: dict[str, Any]) -> list[Any]:
    """One or two dimensions."""
    line = scene.points.shape[1] == 1
    points = np.column_stack([scene.points, np.zeros(len(scene.points))]) if line else scene.points
    normal = None if scene.normal is None else np.append(scene.normal, 0.0)[:2]
    dots = scatter(ax, points, scene.signs, names, **kwargs)
    ends = [np.append(end, 0.0)[:2] for arrow in scene.arrows for end in (arrow.start, arrow.end)]
    content = np.vstack([points, *ends, *([np.zeros((1, 2))] if scene.origin else [])])
    if scene.ball:
        angle = np.linspace(0, 2 * np.pi, 4 * ROUND)
        ax.plot(np.cos(angle), np.sin(angle), color=PALE, linewidth=1)
        content = np.vstack([content, [[-1.0, -1.0], [1.0, 1.0]]])
    _frame(ax, content, line, PROJECTED if scene.projected else LOPSIDED)
    if normal is not None:
        _hyperplane(ax, normal, scene.offset, scene.margin, 4 * reach(content) + abs(scene.offset))
    if scene.origin:
        ax.plot([0], [0], marker="+", markersize=12, markeredgewidth=1.6, color=INK, linestyle="", zorder=5)
        if not line:
            _word(ax, "0", np.zeros(2), np.array([-9.0, -11.0]), INK)
    for arrow in scene.arrows:
        _arrow(ax, np.append(arrow.start, 0.0)[:2], np.append(arrow.end, 0.0)[:2], arrow)
    _marks(ax, scene, points, normal)
    ax.set_xlabel(scene.axes[0])
    if line:
        ax.set_yticks([])
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.spines["bottom"].set_position("zero")
        ax.set_box_aspect(1)
    else:
        ax.set_ylabel(scene.axes[1])
    return dots


def _frame(ax: Axes, content: Array, line: bool, most: float) -> None:
    """Room around everything, in one scale for both axes, unless that would be a strip, ``most`` times as long."""
    low, high = content.min(axis=0), content.max(axis=0)
    spans = high - low
    widest = float(spans.max()) or float(np.abs(content).max()) or 1.0
    if line:
        ax.set(xlim=(low[0] - 0.1 * widest, high[0] + 0.1 * widest), ylim=(-1, 1))
        return
    lopsided = spans.min() > 0 and widest > most * spans.min()
    pad = 0.12 * (np.where(spans > 0, spans, widest) if lopsided else np.full(2, widest))
    if not lopsided:  # a square
        pad += (widest - spans) / 2
        ax.set_aspect("equal", adjustable="box")
    ax.set(xlim=(low[0] - pad[0], high[0] + pad[0]), ylim=(low[1] - pad[1], high[1] + pad[1]))


def _hyperplane(ax: Axes, normal: Array, offset: float, margin: float, far: float) -> None:
    """The line, and the band on both sides of it."""
    along = np.array([-normal[1], normal[0]]) * far
    middle = np.mean([ax.get_xlim(), ax.get_ylim()], axis=1)
    foot = middle - (middle @ normal + offset) * normal
    ends = np.vstack([foot - along, foot + along])
    ax.autoscale(False)
    ax.plot(*ends.T, color=INK, linewidth=1.6, label="hyperplane", zorder=2)
    if margin > 0:
        above, below = ends + margin * normal, ends - margin * normal
        ax.fill(*np.vstack([above, below[::-1]]).T, color=PALE, alpha=0.25, linewidth=0, label="no examples", zorder=0)
        for edge in (above, below):
            ax.plot(*edge.T, color=PALE, linewidth=1, linestyle="--", zorder=1)


def _arrow(ax: Axes, start: Array, end: Array, arrow: Arrow) -> None:
    look: dict[str, Any] = {"arrowstyle": "-|>", "color": arrow.colour, "linewidth": 1.6, "linestyle": arrow.style}
    look |= {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 14}
    ax.annotate("", tuple(end), tuple(start), arrowprops=look, zorder=5)
    # The name stands to the left of the arrow's middle, as seen from its start.
    step = ax.transData.transform(end) - ax.transData.transform(start)
    size = float(np.hypot(*step)) or 1.0
    side = np.array([-step[1], step[0]]) / size * 11
    _word(ax, arrow.label, start + 0.6 * (end - start), side, arrow.colour)


def _marks(ax: Axes, scene: Scene, points: Array, normal: Array | None) -> None:
    """Rings around the closest, a cross through the wrong, and the distance of the closest."""
    if scene.example is not None:
        rings(ax, points[[scene.example]], "the example", colour=RED, s=140)
    if len(scene.closest):
        rings(ax, points[list(scene.closest)], "closest")
    if normal is None:
        return
    wrong = points[scene.wrong]
    if len(wrong):
        crosses: dict[str, Any] = {"marker": "x", "s": 1.6 * mark_size(len(points)), "color": INK, "zorder": 4}
        crosses["linewidths"] = 1.2 if len(points) <= MANY else 0.4
        ax.scatter(wrong[:, 0], wrong[:, 1], label="wrong side", rasterized=len(wrong) > FEW, **crosses)
    if scene.gap:
        at = points[scene.closest[0]]
        foot = at - (at @ normal + scene.offset) * normal
        symbol = scene.gap.startswith("$")
        ax.plot(*np.vstack([foot, at]).T, color=RED, linewidth=2, zorder=2, label=None if symbol else scene.gap)
        if symbol:
            side = 12 * np.array([-normal[1], normal[0]])
            _word(ax, scene.gap, (foot + at) / 2, side, RED)


def _word(ax: Axes, text: str, at: Array, away: Array, colour: str) -> None:
    """Beside a place, ``away`` in points."""
    paper = {"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    middle: dict[str, Any] = {"ha": "center", "va": "center"}
    ax.annotate(text, tuple(at), tuple(away), textcoords="offset points", color=colour, zorder=6, bbox=paper, **middle)


def draw_solid(ax: Any, scene: Scene, names: Sequence[str], kwargs: dict[str, Any]) -> list[Any]:
    """Three dimensions."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]  # no hints there

    dots = []
    for sign, look, name in ((1, POSITIVE, names[1]), (-1, NEGATIVE, names[0])):
        chosen = scene.points[scene.signs == sign]
        options = {"s": 30, "linewidths": 0.5, "depthshade": False, "rasterized": len(scene.points) > FEW}
        dots.append(ax.scatter(*chosen.T, label=name, **{**look, **options, **kwargs}))
    size = 1.0 if scene.ball else reach(np.vstack([scene.points, np.zeros(3)]))
    if scene.ball:
        turn, height = np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13)
        ball = np.outer(np.cos(turn), np.sin(height)), np.outer(np.sin(turn), np.sin(height))
        ax.plot_wireframe(*ball, np.outer(np.ones(25), np.cos(height)), color=PALE, linewidth=0.4, alpha=0.6)
        ax.set_box_aspect((1, 1, 1), zoom=0.9)
        ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1], zticks=[-1, 0, 1])
    else:
        ax.plot([0], [0], [0], marker="+", markersize=12, markeredgewidth=1.6, color=INK, linestyle="")
        ax.text(0, 0, 0, "  0", fontsize="small", va="top")
    if scene.normal is not None:
        patch = _disc(scene.normal) if scene.ball else _sheet(scene)
        surface = Poly3DCollection([patch], facecolor=PALE, alpha=0.35, edgecolor=INK, linewidths=1, label="hyperplane")
        ax.add_collection3d(surface)
    for arrow in scene.arrows:
        ax.quiver(*arrow.start, *(arrow.end - arrow.start), color=arrow.colour, linewidth=1.8, arrow_length_ratio=0.15)
        ax.text(*(arrow.end + 0.08 * size * unit(arrow.end)), arrow.label)
    if len(scene.closest):
        rings(ax, scene.points[list(scene.closest)], "closest", depthshade=False)
    if scene.gap:
        assert scene.normal is not None
        at = scene.points[scene.closest[0]]
        foot = at - (at @ scene.normal) * scene.normal
        ax.plot(*np.vstack([foot, at]).T, color=RED, linewidth=2, label=f"{scene.gap}")
    ax.set(xlabel=scene.axes[0], ylabel=scene.axes[1], zlabel=scene.axes[2])
    if not scene.ball:
        ax.set_box_aspect(None, zoom=0.82)  # room for the name of the third axis
        ax.set_zlim(0, 1.3)
        ax.set_zticks([0, 1])
        ax.locator_params(axis="x", nbins=4)
        ax.locator_params(axis="y", nbins=4)
        ax.view_init(elev=22, azim=_azimuth(scene.normal))
    return dots


def _azimuth(normal: Array | None) -> float:
    """Look a little to the side of the plane's edge, so that both sides of it are seen."""
    return -60.0 if normal is None else math.degrees(math.atan2(normal[1], normal[0])) - 50.0


def _disc(normal: Array) -> Array:
    """The unit circle in the plane through 0."""
    one = orthogonal(normal)
    two = np.cross(normal, one)
    turn = np.linspace(0, 2 * np.pi, ROUND)
    circle: Array = np.outer(np.cos(turn), one) + np.outer(np.sin(turn), two)
    return circle


def _sheet(scene: Scene) -> Array:
    """The part of a plane through 0 between the heights 0 and 1.25 of the constant coordinate."""
    normal = scene.normal
    assert normal is not None
    flat = normal[:2]
    if not flat.any():
        far = np.abs(scene.points[:, :2]).max()
        return np.array([[-far, -far, 0], [far, -far, 0], [far, far, 0], [-far, far, 0]])
    along = orthogonal(unit(flat))
    foot = -normal[2] * flat / (flat @ flat)  # of the separating line, at height 1
    middle = scene.points[:, :2] @ along
    ends = np.array([min(0.0, middle.min()), max(0.0, middle.max())])
    low = [np.append(s * along, 0.0) for s in ends]
    high = [np.append(1.25 * foot + s * along, 1.25) for s in ends[::-1]]
    return np.array([*low, *high])
