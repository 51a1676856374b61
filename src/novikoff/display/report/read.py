"""What was read, in words."""

from __future__ import annotations

from typing import Any

from novikoff.words import agreeing, counted, filled_in


def what_was_read(source: Any) -> str:
    """How a `Dataset` came about: rows and columns, what was filled in, and what was left out; empty for arrays."""
    if not hasattr(source, "reading"):
        return ""
    told = [f"{source}."]
    if isinstance(source.reading.label, str | int) and not isinstance(source.reading.label, bool):
        told.append(f"The labels are the column {source.reading.label!r}.")
    if source.filled:
        told.append(f"{filled_in(source.filled, source.reading.missing)}.")
    if source.bad:
        first = source.bad[0]
        lines = f"{counted(len(source.bad), 'line')} {agreeing(len(source.bad), 'was', 'were')}"
        told.append(f"{lines} left out, the first of them line {first.line}: {first.message}.")
    if source.reading.drop:
        told.append(f"Left out: {', '.join(map(str, source.reading.drop))}.")
    return " ".join(told)
