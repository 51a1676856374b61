"""The labels of a certificate about many classes: each of them by its place in a list."""

from __future__ import annotations

from typing import Any

from novikoff.certificates.claim.fields import Label, is_label, require


def many(values: Any) -> tuple[Label, ...]:
    """At least three labels, no two of them the same."""
    require(type(values) is list and len(values) > 2, "its labels are not a list of three or more")
    require(all(map(is_label, values)), "one of its labels is not text, a bool or a finite number")
    require(len(set(values)) == len(values), "it names a label twice")
    return tuple(values)
