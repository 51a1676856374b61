"""What a reader did to a file, in words."""

from __future__ import annotations

from novikoff.words import agreeing, counted


def skipped(lines: int) -> str:
    return f"{counted(lines, 'line')} {agreeing(lines, 'was', 'were')} skipped"


def filled_in(values: int, missing: str) -> str:
    """``missing`` is the rule by which it was done, "zero" or "column"."""
    marked = ", with a 1 in a column of its own" if missing == "column" else ""
    return f"{counted(values, 'missing value')} {agreeing(values, 'was', 'were')} filled in with 0{marked}"
