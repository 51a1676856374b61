"""Real data where it is present: `NOVIKOFF_DATA` names the folder, `benchmarks/data` by default."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer


class MissingError(Exception):
    """A data file that is not there."""


def _path(name: str) -> Path:
    path = Path(os.environ.get("NOVIKOFF_DATA", Path(__file__).parent / "data")) / name
    if not path.exists():
        raise MissingError(f"{name} is not in the data folder (set NOVIKOFF_DATA)")
    return path


def _open(name: str) -> bytes:
    return gzip.decompress(_path(name).read_bytes())


@cache
def mnist():
    """60000 x 784 pixels and the digits."""
    pixels = np.frombuffer(_open("mnist-train-images-idx3-ubyte.gz"), np.uint8, offset=16).reshape(-1, 784)
    digits = np.frombuffer(_open("mnist-train-labels-idx1-ubyte.gz"), np.uint8, offset=8)
    return pixels, digits


def newsgroups():
    """Word counts of 11293 posts, and whether each is about hockey."""
    lines = _open("20newsgroups-train.tab.gz").decode("utf-8", "replace").split("\n")[3:]
    pairs = [line.partition("\t") for line in lines if line]
    X = CountVectorizer(token_pattern=r"\S+").fit_transform(text for _, _, text in pairs)
    return X.astype(np.float64), np.array([1 if "hockey" in label else -1 for label, _, _ in pairs])


def sonar():
    """208 x 60 echoes, and whether each is a mine's."""
    lines = _path("sonar.csv").read_text().split()
    cells = [line.rpartition(",") for line in lines]
    X = np.array([[float(cell) for cell in values.split(",")] for values, _, _ in cells])
    return X, np.array([1 if label == "M" else -1 for _, _, label in cells])


def with_margin(n: int, d: int, margin: float, *, seed: int = 0):
    """Unit rows pushed apart along a hidden direction until the margin is at least this, through the origin."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1)[:, None]
    distance = X @ u
    y = np.where(distance > 0, 1, -1)
    return X + (y * np.maximum(margin - y * distance, 0.0))[:, None] * u, y


def noisy_plane(n: int, d: int, dtype: type, *, seed: int = 0):
    """Gaussian rows on the grid 1/16 (so that float32 sums are exact), labels by a plane, some flipped."""
    rng = np.random.default_rng(seed)
    X = (np.round(rng.standard_normal((n, d)) * 16) / 16).astype(dtype)
    u = rng.standard_normal(d)
    return X, np.where(X @ u / np.linalg.norm(u) + 0.1 * rng.standard_normal(n) > 0, 1, -1)


def apart(n: int, d: int, *, seed: int = 5):
    """Rows on both sides of a plane, pushed half a unit away from it; on the grid 1/64, so that float32 holds them."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(d)
    u /= np.linalg.norm(u)
    X = rng.standard_normal((n, d))
    y = np.where(X @ u > 0, 1, -1)
    return np.round((X + 0.5 * y[:, None] * u) * 64) / 64, y
