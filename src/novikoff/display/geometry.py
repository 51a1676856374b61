"""The geometry of the Perceptron."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import Separable, certify
from novikoff.display import two_classes
from novikoff.display.scene import Array, Arrow, Scene, draw_flat, draw_solid, orthogonal, reach, unit
from novikoff.display.style import PURPLE, RED, legend, literal, number, panels, root_of
from novikoff.display.two_classes import TwoClasses
from novikoff.estimators.hyperplane import LinearModel
from novikoff.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from novikoff.display.style import Place

RINGS = 12  # closest examples that are ringed, at most
TURNS = 100  # of the power method
PROJECTED = (r"along $w$: $\langle x, w\rangle/\|w\|$", "first principal direction orthogonal to $w$")


@dataclass(eq=False)
class GeometryDisplay:
    """The geometry of the Perceptron, in one to three panels.

    - `from_estimator`, `from_certificate`: examples, the hyperplane, its normal w, and the closest examples;
    - `update`: one update, as before, example and after;
    - `lift`: what the constant coordinate does;
    - `sphere`: examples in the unit ball, with w* and γ.

    Parameters
    ----------
    scenes : what each panel shows, in coordinates
    names : names of the classes - and +

    Attributes
    ----------
    axes_, figure_ : where it is drawn
    points_ : for each panel the marks of the two classes, + first
    """

    scenes: list[Scene]
    names: tuple[str, str] = ("−1", "+1")

    axes_: list[Axes] = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    points_: list[list[Any]] = field(init=False, repr=False)

    # What is shown -----------------------------------------------------------------------------

    @classmethod
    def from_estimator(cls, clf: LinearModel, X: Any, y: Any = None, *, ax: Place = None, **kwargs: Any) -> Self:
        """Examples on both sides of a fitted hyperplane, in the space of X.

        Two columns are drawn as they are. Of more, the picture shows the plane of w and the first principal
        direction orthogonal to w: distances to the hyperplane are true, those along it are not.

        Parameters
        ----------
        clf : `Perceptron`, `MarginPerceptron` or `MaxMarginClassifier`
        X, y : examples
        ax, kwargs : as in `plot`
        """
        if not isinstance(clf, LinearModel):
            raise TypeError(
                f"a Perceptron, MarginPerceptron or MaxMarginClassifier is needed, not {type(clf).__name__}"
            )
        coef, intercept = clf.coef_[0], float(clf.intercept_[0])
        given = two_classes.read(inputs.matrix(clf, X), inputs.labels(X, y), clf.classes_)
        names = getattr(clf, "feature_names_in_", None)
        if names is not None:
            given = given._replace(columns=tuple(map(literal, names)))
        return cls([flat_scene(given, coef, intercept)], given.names).plot(ax, **kwargs)

    @classmethod
    def from_certificate(cls, proof: Separable, X: Any, y: Any = None, *, ax: Place = None, **kwargs: Any) -> Self:
        """Examples on both sides of the separator of a certificate.

        Parameters
        ----------
        proof : `novikoff.Separable`
        X, y : the data that it is about
        ax, kwargs : as in `plot`
        """
        if not isinstance(proof, Separable):
            verdict = getattr(proof, "verdict", proof)
            raise TypeError(f"there is no separator to draw: the verdict is {verdict!r}: {two_classes.cure(proof)}")
        given = two_classes.read_for(proof, X, y)
        return cls([flat_scene(given, proof.coef, proof.intercept)], given.names).plot(ax, **kwargs)

    @classmethod
    def update(
        cls, w: Any, x: Any, y: int, *, X: Any = None, labels: Any = None, ax: Place = None, **kwargs: Any
    ) -> Self:
        """One update w + y x, through the origin: before, the example, after.

        In more than two dimensions the picture shows the plane of w and x, in which the update happens.

        Parameters
        ----------
        w, x : vectors of the same length, the constant coordinate included if there is one
        y : -1 or +1
        X, labels : further examples, and their two labels
        ax, kwargs : as in `plot`
        """
        w, x = np.asarray(w, dtype=np.float64), np.asarray(x, dtype=np.float64)
        if w.ndim != 1 or w.shape != x.shape or len(w) < 2:
            raise ValueError(f"w and x must be vectors of one length, at least 2; got shapes {w.shape} and {x.shape}")
        if not (np.isfinite(w).all() and np.isfinite(x).all()):
            raise ValueError("w and x must hold finite numbers")
        if y not in (-1, 1):
            raise ValueError(f"y must be -1 or +1, got {y!r}")
        if not x.any():
            raise ValueError("x = 0 changes nothing: an update needs another example")
        names, rows, signs = ("−1", "+1"), x[None, :], np.array([y], dtype=np.int8)
        if X is not None:
            given = two_classes.read(X, labels)
            if given.X.shape[1] != len(w):
                raise ValueError(f"X has {given.X.shape[1]} columns, but w has {len(w)} weights")
            names, rows = given.names, np.vstack([rows, given.dense()])
            signs = np.append(signs, given.signs)
        plane = np.eye(2) if len(w) == 2 else _span(x if not w.any() else w, x)
        axes = (
            ("$x_1$", "$x_2$") if len(w) == 2 else ("along $w$" if w.any() else "along $x$", "across it, towards $x$")
        )
        return cls(_update_scenes(plane @ w, rows @ plane.T, signs, axes), names).plot(ax, **kwargs)

    @classmethod
    def lift(cls, X: Any, y: Any = None, *, ax: Place = None, **kwargs: Any) -> Self:
        """Examples in one or two dimensions, without and with a constant coordinate 1.

        Parameters
        ----------
        X, y : examples with one or two columns
        ax, kwargs : as in `plot`
        """
        given = two_classes.read(X, y)
        points, k = given.dense(), given.X.shape[1]
        if k > 2:
            raise ValueError(f"a lift is drawn from 1 dimension to 2 or from 2 to 3; X has {k} columns")
        through = certify(points, given.signs, fit_intercept=False)
        lifted = np.column_stack([points, np.ones(len(points))])
        proof = certify(points, given.signs)
        before = unit(through.coef) if isinstance(through, Separable) else None
        normal = unit(np.append(proof.coef, proof.intercept)) if isinstance(proof, Separable) else None
        small, large = ("the point 0", "a line") if k == 1 else ("a line through 0", "a plane")
        first = Scene(
            points,
            given.signs,
            f"Here {small} separates them" if before is not None else f"Here {small} cannot separate them",
            given.columns,
            normal=before,
            origin=True,
        )
        second = Scene(
            lifted,
            given.signs,
            f"With a constant coordinate,\n{large} through 0 {'cannot' if normal is None else 'can'}",
            (*given.columns, "constant coordinate"),
            normal=normal,
            arrows=(Arrow(np.zeros(2), normal * reach(lifted) / 4, "$w$"),) if normal is not None and k == 1 else (),
            origin=True,
        )
        return cls([first, second], given.names).plot(ax, **kwargs)

    @classmethod
    def sphere(cls, X: Any, y: Any = None, w: Any = None, *, ax: Place = None, **kwargs: Any) -> Self:
        """Examples divided by R, so that they lie in the unit ball, with the unit vector w* and its margin γ.

        Parameters
        ----------
        X, y : examples, the constant coordinate included if there is one. Two columns are drawn as a circle,
            three as a sphere; of more, the plane of w and the first principal direction orthogonal to it
        w : a separator through the origin; by default the one with the largest margin
        ax, kwargs : as in `plot`
        """
        given = two_classes.read(X, y)
        rows = given.dense()
        if rows.shape[1] < 2:
            raise ValueError("the sphere is drawn in 2 dimensions or more; X has 1 column")
        radius = float(np.linalg.norm(rows, axis=1).max())
        if radius == 0:
            raise ValueError("every row of X is zero: there is no sphere around them")
        if w is None:
            proof = certify(rows, given.signs, fit_intercept=False)
            if not isinstance(proof, Separable):
                raise ValueError(f"no w through the origin separates the examples. {proof}")
            w = proof.coef
        w = np.asarray(w, dtype=np.float64)
        if w.shape != rows.shape[1:] or not np.isfinite(w).all() or not w.any():
            raise ValueError(f"w must hold {rows.shape[1]} finite weights, not all zero")
        plane = np.eye(rows.shape[1]) if rows.shape[1] <= 3 else _plane(rows, w)
        star = plane @ unit(w)
        points = rows @ plane.T / radius
        margins = given.signs * (points @ star)
        gamma = float(margins.min())
        closest = _closest(margins) if gamma > 0 else []
        if gamma > 0:
            bound = number(int(1 / gamma**2))
            title = (
                f"In the unit ball with margin $\\gamma$ = {number(gamma)}:\nat most $1/\\gamma^2$ = {bound} mistakes"
            )
        else:
            wrong = counted(int(np.sum(margins <= 0)), "example")
            title = f"$w$ does not separate them: {wrong}\non the wrong side or on the hyperplane"
        scene = Scene(
            points,
            given.signs,
            title,
            given.columns if len(plane) == rows.shape[1] else PROJECTED,
            normal=star,
            margin=max(gamma, 0.0),
            gap=r"$\gamma$" if gamma > 0 else "",
            closest=closest,
            arrows=(Arrow(np.zeros(len(star)), star, "$w^*$"),),
            ball=True,
        )
        return cls([scene], given.names).plot(ax, **kwargs)

    # Drawing -----------------------------------------------------------------------------------

    def plot(self, ax: Place = None, **kwargs: Any) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, as many as there are panels; or one, or a figure, to be divided; by default a new figure
        kwargs : passed to the marks of the examples, e.g. ``s`` for their size

        Returns
        -------
        self
        """
        count = len(self.scenes)
        solid = [scene.points.shape[1] == 3 for scene in self.scenes]
        self.axes_ = panels(ax, 1, count, (5.4 if count == 1 else 4.2 * count, 5.0), solid=solid)
        self.figure_ = root_of(self.axes_[0])
        self.points_ = []
        for panel, scene, is_solid in zip(self.axes_, self.scenes, solid, strict=True):
            self.points_.append((draw_solid if is_solid else draw_flat)(panel, scene, self.names, kwargs))
            panel.set_title(scene.title, fontsize="medium")
        # One legend for all: that of the flat panel with the most to name.
        flat = [panel for panel in self.axes_ if panel.name != "3d"] or self.axes_
        legend(max(flat, key=lambda panel: len(panel.get_legend_handles_labels()[0])))
        return self


# Coordinates ---------------------------------------------------------------------------------------


def flat_scene(given: TwoClasses, coef: Array, intercept: float) -> Scene:
    """The picture of a hyperplane in the space of X."""
    length = float(np.linalg.norm(coef))
    d = given.X.shape[1]
    if length == 0:
        points = given.dense() if d <= 2 else np.asarray(given.X @ _plane(given.X, coef).T)
        every = "every example is on it" if intercept == 0 else "all examples are on one side"
        return Scene(points, given.signs, f"w = 0 is no hyperplane: {every}", given.columns)
    if d <= 2:
        points, normal, axes = given.dense(), coef / length, given.columns
    else:
        plane = _plane(given.X, coef)
        points, normal, axes = np.asarray(given.X @ plane.T), np.array([1.0, 0.0]), PROJECTED
    offset = intercept / length
    sides = given.signs * (points @ normal + offset)
    closest = float(sides.min())
    n = len(sides)
    if closest > 0:
        all_of = f"All {n:,} examples" if n > 1 else "The example"
        title = f"{all_of} on {'their sides' if n > 1 else 'its side'};\nthe closest is {number(closest)} away"
    else:
        title = f"{int(np.sum(sides <= 0)):,} of {counted(n, 'example')}\non the wrong side or on the hyperplane"
    # The normal starts at the point of the hyperplane that is nearest to the middle of the examples.
    middle = points.mean(axis=0)
    if d > 2:  # below all of them
        middle[1] = points[:, 1].min() - np.ptp(points[:, 1]) / 6
    foot = middle - (middle @ normal + offset) * normal
    arrow = reach(points[:, :1] if d > 2 else points) / 5
    return Scene(
        points,
        given.signs,
        title,
        axes,
        normal,
        offset,
        max(closest, 0.0),
        (r"$\gamma$" if offset == 0 else f"distance {number(closest)}") if closest > 0 else "",
        _closest(sides) if closest > 0 else [],
        arrows=(Arrow(foot, foot + normal * arrow, "$w$"),),
        projected=d > 2,
    )


def _update_scenes(w: Array, points: Array, signs: NDArray[np.int8], axes: Sequence[str]) -> list[Scene]:
    """Before, the example, after; the example is the first point."""
    x, y = points[0], int(signs[0])
    after = w + y * x
    zero = np.zeros(2)

    def panel(title: str, weights: Array, arrows: Sequence[Arrow]) -> Scene:
        normal = unit(weights) if weights.any() else None
        return Scene(points, signs, title, axes, normal, example=0, arrows=arrows, origin=True)

    def wrong(weights: Array) -> str:
        count = int(np.sum(signs * (points @ weights) <= 0))
        return f"{count} of {len(signs)} misclassified" if count else "all on their sides"

    old, new = Arrow(zero, w, "$w$"), Arrow(zero, after, r"$w + y\,x$", PURPLE)
    step = Arrow(w, after, "$+x$" if y > 0 else "$-x$", RED, "--")
    first = f"before: {wrong(w)}" if w.any() else "before: w = 0"
    verb = "added to" if y > 0 else "subtracted from"
    return [
        panel(f"{first}\n$y\\langle w, x\\rangle$ = {number(y * float(w @ x))}", w, [old] if w.any() else []),
        panel(
            f"the label of $x$ is {'+' if y > 0 else '−'}1,\nso $x$ is {verb} $w$",
            w,
            [*([old] if w.any() else []), Arrow(zero, x, "$x$", RED), step, new][: 4 if w.any() else 1],
        ),
        panel(
            f"after: {wrong(after)}\n$y\\langle w, x\\rangle$ = {number(y * float(after @ x))}",
            after,
            [Arrow(zero, after, "$w$", PURPLE)] if after.any() else [],
        ),
    ]


def _closest(sides: Array) -> list[int]:
    """The examples on the edge of the band."""
    edge = np.flatnonzero(sides <= sides.min() * (1 + 1e-6))
    return [int(i) for i in edge[:RINGS]]


def _span(u: Array, v: Array) -> Array:
    """An orthonormal basis, as two rows, of a plane that holds u and v; u is along the first."""
    first = unit(u)
    rest = v - (v @ first) * first
    rest -= (rest @ first) * first
    if np.linalg.norm(rest) <= 1e-12 * np.linalg.norm(v):
        return np.vstack([first, orthogonal(first)])
    return np.vstack([first, unit(rest)])


def _plane(X: Any, w: Array) -> Array:
    """w and the first principal direction of the rows orthogonal to it, by the power method."""
    u = unit(w) if w.any() else np.eye(len(w))[0]
    mean = np.asarray(X.mean(axis=0)).ravel()
    v = unit(np.random.RandomState(0).standard_normal(len(w)))
    for _ in range(TURNS):
        z = X @ v - mean @ v
        turned = X.T @ z - mean * z.sum()
        turned -= (turned @ u) * u
        if not turned.any():
            return np.vstack([u, orthogonal(u)])
        before, v = v, unit(turned)
        if abs(before @ v) > 1 - 1e-14:
            break
    return _span(u, v)
