"""How the commands answer: exit codes, lines on standard error, JSON."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

GOOD, ERROR, NOT_SEPARABLE, UNDECIDED = 0, 1, 10, 11


def tell(message: str) -> None:
    print(f"novikoff: {message}", file=sys.stderr)


def report_skipped(lines: Iterable[Any]) -> None:
    for line in lines:
        tell(f"skipped {line}")


def sentence(error: BaseException) -> str:
    """An error as it is told."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror[0].lower()}{error.strerror[1:]}"
    return str(error) or type(error).__name__


def to_json(record: Any) -> str:
    """JSON with NumPy's numbers as plain ones, and null for what is not finite."""
    return json.dumps(_plain(record))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
