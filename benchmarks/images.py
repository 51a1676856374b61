"""Images of two kinds of garments, and chains of pairs hidden among them: small integers, and hard for floats.

Like photographs of clothes they have pixels that are hardly ever used, smooth cloth, so that rows are nearly dependent,
and classes that overlap.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter, zoom

FOLDS = 6  # knots of the cloth's texture, each way


def garments(n: int, side: int, *, seed: int = 0):
    """n images of side x side pixels from 0 to 255: shirts (+1) and T-shirts (-1), whose sleeves overlap in length."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    X = np.empty((n, side * side), dtype=np.uint8)
    for i in range(n):
        shape = gaussian_filter(_silhouette(rng, side, 0.55 if y[i] > 0 else 0.35), rng.uniform(0.3, 0.7))
        X[i] = np.clip(np.rint(shape * _cloth(rng, side)), 0, 255).ravel()
    return X, y


def _silhouette(rng, side: int, sleeves: float):
    down, across = np.mgrid[0:side, 0:side] / (side - 1)
    half, top, bottom = rng.normal([0.20, 0.08, 0.93], 0.03)
    out = np.abs(across - rng.normal(0.5, 0.015))  # from the middle
    width = half + rng.normal(0, 0.04) * (down - 0.5)
    neck, deep = rng.uniform([0.03, 0.02], [0.12, 0.15])
    torso = (out < width) & (down > top) & (down < bottom)
    torso &= ~((out < neck) & (down < top + deep * (1 - out / neck)))
    shoulder = top + 2 * rng.normal(0.35, 0.12) * (out - half)
    thick = rng.normal(0.11, 0.02) + 0.15 * (1 - 2 * (out - half))
    sleeve = (out >= half) & (out < half + rng.normal(0.14, 0.03))
    sleeve &= (down > shoulder) & (down < shoulder + thick) & (down < top + rng.normal(sleeves, 0.12))
    return (torso | sleeve).astype(float)


def _cloth(rng, side: int):
    texture = zoom(rng.standard_normal((FOLDS, FOLDS)), side / FOLDS, order=1)
    return rng.uniform(60, 240) + rng.uniform(5, 50) * texture


def chained(X, links: int, *, separable: bool, seed: int = 0):
    """Pairs of images that differ in two rare pixels each, so that weights double from link to link; and the rest of X.

    Two chains of pixels start at the same one. Along the first a separator has w_(j+1) > 2 w_j, along the second
    u_(j+1) < 2 u_j; and a last pair has w > u at their ends, or u > w: then the pairs cancel, with weights from 1
    to 2^links, and without that pair the data are separable. The other images take the side of a plane that the
    chains agree with. (This holds if the garments of the pairs are independent, 2 links + 2 of them.)
    """
    X = X.astype(np.int64)
    rare = np.argsort((X > 0).sum(axis=0), kind="stable")[: 2 * links + 1]
    X[:, rare] = 0
    up, down = rare[: links + 1], np.append(rare[0], rare[links + 1 :])
    pairs = [([up[0], 1], [up[0], 0])]  # pixel and what is added to it, in the class +1 and in the class -1
    for j in range(links):
        pairs += [([up[j + 1], 1], [up[j], 2]), ([down[j], 2], [down[j + 1], 1])]
    ends = ([up[-1], 1], [down[-1], 1])
    pairs.append(ends if separable else ends[::-1])
    count = len(pairs)
    in_pairs = np.repeat(X[:count], 2, axis=0)
    for k, pair in enumerate(pairs):
        for side, (pixel, more) in enumerate(pair):
            in_pairs[2 * k + side, pixel] += more
    score = _plane(X, pairs, up, down)
    clear = np.flatnonzero(np.abs(score) > 1e-6 * np.abs(score).max())
    rest = clear[clear >= count]
    images = np.concatenate([in_pairs, X[rest]]).astype(np.uint8)
    y = np.concatenate([np.tile([1, -1], count), np.where(score[rest] > 0, 1, -1)])
    order = np.random.default_rng(seed).permutation(len(y))
    return images[order], y[order]


def _plane(X, pairs, up, down):
    """The scores of a plane that lies halfway between the two images of every pair."""
    weight = np.zeros(X.shape[1])
    weight[down] = 1.5 ** np.arange(len(down))
    weight[up] = 3.0 ** np.arange(len(up))
    goal = [-sum(weight[pixel] * more for pixel, more in pair) / 2 for pair in pairs]
    A = np.column_stack([X, np.ones(len(X))]).astype(float)
    w = np.linalg.lstsq(A[: len(pairs)], np.array(goal), rcond=None)[0]
    return A @ w
