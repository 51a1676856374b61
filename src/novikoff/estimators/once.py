"""A warning that is shown once for each place in a program, as Python means to."""

from __future__ import annotations

import sys
import warnings

SHOWN: set[tuple[str, str, int]] = set()  # text, file and line


def warn_once(text: str, category: type[Warning], depth: int) -> None:
    """Warn about the line so many calls up: once, unless a filter says otherwise.

    Python's own memory of what was shown is lost whenever anybody enters `warnings.catch_warnings`, and scikit-learn
    does so in every fit.
    """
    place = sys._getframe()
    for _ in range(depth):
        place = place.f_back or place  # nobody may have called the first one
    key = text, place.f_code.co_filename, place.f_lineno
    if key in SHOWN and not _filtered(text, category):
        return
    SHOWN.add(key)
    warnings.warn(text, category, stacklevel=depth + 1)


def _filtered(text: str, category: type[Warning]) -> bool:
    """Is there a filter for it, so that not the default decides?"""
    return any(
        issubclass(category, kind) and (message is None or message.match(text))
        for _, message, kind, *_ in warnings.filters
    )
