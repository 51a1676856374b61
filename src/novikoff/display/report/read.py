"""What was read, in words."""

from __future__ import annotations

from typing import Any


def what_was_read(source: Any) -> tuple[str, ...]:
    """How a `Dataset` came about: a line, and what should make one doubt; nothing for arrays."""
    if not hasattr(source, "account"):
        return ()
    bad = source.bad
    first = (f"The first line that was left out is line {bad[0].line}: {bad[0].message}.",) if bad else ()
    return (f"{source.account}.", *first, *(f"Careful: {warning}." for warning in source.account.warnings))
