"""Labelled examples from a file: CSV, or the svmlight format."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file


def read(path: str | Path) -> tuple[Any, NDArray[Any]]:
    """X and y: from CSV with the label in the last column (``*.csv``), else svmlight (``.gz`` and ``.bz2`` too)."""
    path = Path(path)
    if not path.exists():
        raise ValueError(f"{path}: there is no such file")
    if path.suffix == ".csv":
        try:
            return _read_csv(path)
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not text in UTF-8: {error}") from None
    try:
        X, y = load_svmlight_file(str(path))
    except ValueError as error:
        raise ValueError(f"{path} is not in the svmlight format (label column:value ...): {error}") from None
    return X, y


def _read_csv(path: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    rows: list[list[float]] = []
    labels: list[str] = []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        for cells in reader:
            if not cells:
                continue
            try:
                values = [float(cell) for cell in cells[:-1]]
            except ValueError as error:
                if reader.line_num == 1:
                    continue  # the names of the columns
                raise ValueError(f"{path}, line {reader.line_num}: {error}") from None
            if rows and len(values) != len(rows[0]):
                raise ValueError(
                    f"{path}, line {reader.line_num}: {len(cells)} columns, but {len(rows[0]) + 1} before it"
                )
            rows.append(values)
            labels.append(cells[-1].strip())
    if not rows:
        raise ValueError(f"{path} holds no examples")
    try:
        return np.array(rows), np.array([float(label) for label in labels])
    except ValueError:
        return np.array(rows), np.array(labels)
