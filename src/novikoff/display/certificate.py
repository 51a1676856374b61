"""The rows that prove it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.certificates import NotSeparable, Separable, Verdicts
from novikoff.display import two_classes
from novikoff.display.style import BLUE, INK, ORANGE, PALE, legend, panels, root_of, scatter
from novikoff.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from novikoff.display.style import Place

Array = NDArray[np.float64]

Kind = Literal["auto", "weights", "images", "hulls"]
BARS = 25  # rows with a bar, at most
ACROSS, DOWN = 4, 3  # images of one class
CAPTION = 0.42  # the height of the words under an image, in images


@dataclass(eq=False)
class CertificateDisplay:
    """The rows of a certificate with their weights.

    Of `NotSeparable` they add up to zero, Σ p y (x, 1) = 0: the rows of one class and those of the other have the same
    weighted mean, so that no hyperplane comes between. Of `Separable` they are the support, which proves that
    no margin is larger. Make one with `from_certificate`.

    Parameters
    ----------
    rows : array of int
    shares : array
        The weights, divided by their sum.
    signs : array of -1 and +1, of these rows
    points : array of shape (len(rows), d)
    title : str
    names : names of the classes - and +
    hulls : bool or None
        True where both classes have the same weighted mean, False where the rows cancel without a constant
        coordinate, None for the support of a separator.
    image_shape : (height, width) or None
    others, other_signs : the remaining examples of a plane

    Attributes
    ----------
    ax_, figure_ : where it is drawn
    bars_, images_ : the bars, or the images with the heaviest of each class first
    """

    rows: NDArray[np.int64]
    shares: Array
    signs: NDArray[np.int8]
    points: Array
    title: str
    names: tuple[str, str] = ("−1", "+1")
    hulls: bool | None = True
    image_shape: tuple[int, int] | None = None
    others: Array = field(default_factory=lambda: np.empty((0, 2)))
    other_signs: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))

    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    bars_: list[Any] = field(init=False, repr=False)
    images_: list[Any] = field(init=False, repr=False)

    @classmethod
    def from_certificate(
        cls,
        proof: Separable | NotSeparable,
        X: Any,
        y: Any = None,
        *,
        image_shape: tuple[int, int] | None = None,
        kind: Kind = "auto",
        ax: Place = None,
        **kwargs: Any,
    ) -> Self:
        """The rows of a certificate.

        Parameters
        ----------
        proof : what `novikoff.certify` returned
        X, y : the data that it is about
        image_shape : (height, width), if the rows are images
        kind, ax, kwargs : as in `plot`
        """
        if isinstance(proof, Verdicts):
            raise TypeError(f"certify gave a verdict for each label: {two_classes.cure(proof)}")
        if not isinstance(proof, Separable | NotSeparable):
            kind = getattr(proof, "verdict", type(proof).__name__)
            what = "only a proof that rows are separable, or not, has rows to show"
            raise TypeError(f"{what}; this is {kind}: {two_classes.cure(proof)}")
        given = two_classes.read_for(proof, X, y)
        d = given.X.shape[1]
        if image_shape is not None and math.prod(image_shape) != d:
            raise ValueError(f"image_shape = {tuple(image_shape)} holds {math.prod(image_shape)} values; a row has {d}")
        total = sum(proof.weights)
        display = cls(
            proof.rows,
            np.array([float(Fraction(weight, total)) for weight in proof.weights]),
            given.signs[proof.rows],
            given.dense(proof.rows),
            title_of(proof, given.X.shape[0]),
            given.names,
            proof.about.constant > 0 if isinstance(proof, NotSeparable) else None,
            image_shape,
        )
        if d == 2:
            rest = np.setdiff1d(np.arange(given.X.shape[0]), proof.rows)
            display.others, display.other_signs = given.dense(rest), given.signs[rest]
        return display.plot(ax, kind=kind, **kwargs)

    @property
    def common(self) -> Array | None:
        """The point that is in both hulls; without a constant coordinate 0, which is in the hull of the y x."""
        if self.hulls is None:
            return None
        return self._mixture(1) if self.hulls else np.zeros(self.points.shape[1])

    def _mixture(self, sign: int) -> Array:
        share = np.where(self.signs == sign, self.shares, 0.0)
        mean: Array = share @ self.points / share.sum()
        return mean

    def plot(self, ax: Place = None, *, kind: Kind = "auto", **kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes or a figure to draw in; by default a new figure
        kind : "weights" for bars, "images", or "hulls" (two columns, not separable); "auto" takes
            the images or the hulls where there are any
        kwargs : passed to the bars, the images or the marks

        Returns
        -------
        self
        """
        flat = self.points.shape[1] == 2 and self.hulls is not None
        if kind == "auto":
            kind = "images" if self.image_shape else "hulls" if flat else "weights"
        if kind not in ("weights", "images", "hulls"):
            raise ValueError(f"kind must be 'auto', 'weights', 'images' or 'hulls', got {kind!r}")
        if kind == "images" and self.image_shape is None:
            raise ValueError("kind='images' needs image_shape=(height, width)")
        if kind == "hulls" and not flat:
            raise ValueError("kind='hulls' is for a proof of non-separability in two columns")
        bars = min(len(self.rows), BARS)
        size = {"weights": (6.4, 2.1 + 0.2 * bars), "images": (10.0, 4.6), "hulls": (5.4, 5.2)}[kind]
        (self.ax_,) = (ax,) = panels(ax, 1, 1, size)
        self.figure_ = root_of(ax)
        self.bars_, self.images_ = [], []
        {"weights": self._weights, "images": self._images, "hulls": self._hulls}[kind](ax, **kwargs)
        ax.set_title(self.title)
        return self

    def _weights(self, ax: Axes, **kwargs: Any) -> None:
        from matplotlib.ticker import PercentFormatter

        heaviest = np.argsort(-self.shares, kind="stable")[:BARS]
        place = np.arange(len(heaviest))
        for sign, name, colour, hatch in ((1, self.names[1], BLUE, ""), (-1, self.names[0], ORANGE, "////")):
            chosen = self.signs[heaviest] == sign
            options = {"color": colour, "hatch": hatch, "edgecolor": INK, "linewidth": 0.5, "label": name}
            if chosen.any():
                self.bars_.append(ax.barh(place[chosen], self.shares[heaviest][chosen], **{**options, **kwargs}))
        ax.set_yticks(place, [f"row {i}" for i in self.rows[heaviest]], fontsize="small")
        ax.set_ylim(len(heaviest) - 0.3, -0.7)
        ax.set_xlim(0, 1.08 * self.shares.max())
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
        rest = len(self.rows) - len(heaviest)
        ax.set_xlabel("share of the weight" + (f"; {counted(rest, 'lighter row')} not shown" if rest else ""))
        legend(ax)

    def _hulls(self, ax: Axes, **kwargs: Any) -> None:
        """The classes' hulls with their common point; through the origin, the hull of the y x around 0."""
        points = self.points if self.hulls else self.points * self.signs[:, None]
        others = self.others if self.hulls else self.others * self.other_signs[:, None]
        if len(others):
            scatter(ax, others, self.other_signs, ("_", "_"), **{"alpha": 0.35, **kwargs})
        groups = [(1, BLUE, "-"), (-1, ORANGE, "--")] if self.hulls else [(0, PALE, "-")]
        for sign, colour, style in groups:
            corners = _around(points[self.signs == sign] if sign else points)
            if len(corners):
                ax.fill(*corners.T, facecolor=colour, alpha=0.25, edgecolor="none")
                ax.plot(*np.vstack([corners, corners[:1]]).T, color=colour, linestyle=style, linewidth=1.6, zorder=2)
        scatter(ax, points, self.signs, self.names, **kwargs)
        common = self.common
        assert common is not None
        label = "in both hulls" if self.hulls else "0 is in the hull"
        for i, at, share in zip(self.rows, points, self.shares, strict=True):
            away = at - common
            far = float(np.hypot(*away))
            name = f"row {i}: {share:.0%}"
            if far <= 1e-9 * float(np.abs(points).max()):
                label += f" ({name})"
                continue
            # The name stands on the far side of the row, as seen from the common point.
            x, y = away / far
            beside = "center" if abs(x) < 0.4 else "left" if x > 0 else "right"
            level = "center" if abs(y) < 0.4 else "bottom" if y > 0 else "top"
            look: dict[str, Any] = {"textcoords": "offset points", "ha": beside, "va": level, "fontsize": "small"}
            ax.annotate(name, tuple(at), (9 * x, 9 * y), zorder=6, **look)
        star: dict[str, Any] = {"marker": "*", "markersize": 15, "color": INK, "markeredgecolor": "white"}
        ax.plot([common[0]], [common[1]], linestyle="", **star, label=label, zorder=5)
        ax.margins(0.25, 0.12)
        ax.set(xlabel="$x_1$" if self.hulls else "$y\\,x_1$", ylabel="$x_2$" if self.hulls else "$y\\,x_2$")
        legend(ax)

    def _images(self, ax: Axes, **kwargs: Any) -> None:
        """The heaviest of each class, and the weighted means, which are the same picture."""
        assert self.image_shape is not None
        ax.set_axis_off()
        low, high = float(self.points.min()), float(self.points.max())
        options = {"cmap": "gray_r", "vmin": low, "vmax": high, "interpolation": "none", **kwargs}
        left = 0.0
        for sign in (1, -1):
            mine = np.flatnonzero(self.signs == sign)
            mine = mine[np.argsort(-self.shares[mine], kind="stable")]
            shown = mine[: ACROSS * DOWN]
            few = "" if len(shown) == len(mine) else f", the {len(shown)} heaviest of {len(mine):,} rows"
            name = self.names[(sign + 1) // 2]
            ax.text(left, 0.12, f"label {name}{few}", ha="left", va="bottom", fontsize="medium")
            for k, i in enumerate(shown):
                corner = left + k % ACROSS * 1.08, -(k // ACROSS) * (1 + CAPTION)
                words = f"row {self.rows[i]}\n{_percent(self.shares[i])}"
                self.images_.append(self._image(ax, self.points[i], corner, words, options))
            left += max(1, min(ACROSS, len(shown))) * 1.08 + 0.5
        if self.hulls:
            ax.text(left, 0.12, "weighted means", ha="left", va="bottom", fontsize="medium")
            for k, sign in enumerate((1, -1)):
                words = f"of label {self.names[(sign + 1) // 2]}" + ("" if sign > 0 else "\nthe same")
                corner = left + 0.2, -k * (1 + CAPTION)
                self.images_.append(self._image(ax, self._mixture(sign), corner, words, options))
            left += 1.6
        most = max(int(np.sum(self.signs == sign)) for sign in (1, -1))
        deep = max(2, min(DOWN, -(-most // ACROSS)))
        ax.set(xlim=(-0.1, left + 0.1), ylim=(-(deep - 1) * (1 + CAPTION) - 1 - CAPTION, 0.45))
        ax.set_aspect("equal")

    def _image(self, ax: Axes, row: Array, corner: tuple[float, float], words: str, options: dict[str, Any]) -> Any:
        assert self.image_shape is not None
        x, y = corner
        tall, wide = self.image_shape
        height, width = min(1.0, tall / wide), min(1.0, wide / tall)
        image = ax.imshow(row.reshape(self.image_shape), extent=(x, x + width, y - height, y), **options)
        frame = np.array([[x, y], [x + width, y], [x + width, y - height], [x, y - height], [x, y]])
        ax.plot(*frame.T, color=PALE, linewidth=0.8)
        ax.text(x + width / 2, y - height - 0.04, words, ha="center", va="top", fontsize=7, linespacing=1.1)
        return image


def _around(points: Array) -> Array:
    """The corners of the convex hull, in order."""
    points = np.unique(points, axis=0)
    if len(points) < 3 or np.linalg.matrix_rank(points[1:] - points[0]) < 2:
        if len(points) < 3:
            return points
        along = (points - points[0]) @ (points[-1] - points[0])
        return points[[np.argmin(along), np.argmax(along)]]
    from scipy.spatial import ConvexHull

    corners: Array = points[ConvexHull(points).vertices]
    return corners


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 1e-3 else f"{share:.0e}"


def title_of(proof: Separable | NotSeparable, n: int) -> str:
    rows: Sequence[int] = proof.rows.tolist()
    if isinstance(proof, Separable):
        return f"{counted(len(rows), 'row')} of {n:,} prove that no margin is larger"
    if proof.contradiction:
        return f"Rows {rows[0]} and {rows[1]} are the same example\nwith different labels"
    if len(rows) == 1:
        return f"Row {rows[0]} is zero: no hyperplane\nthrough the origin has it on its side"
    if proof.about.constant == 0:
        return f"Not separable through the origin:\n{len(rows):,} of {n:,} rows cancel with these weights"
    return f"Not separable: {len(rows):,} of {n:,} rows have a common mean"
