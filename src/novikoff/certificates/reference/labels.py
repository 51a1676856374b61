"""Which label stands against which."""

from __future__ import annotations

from collections.abc import Sequence

from novikoff.certificates.claim import Label, Sides, is_label, require
from novikoff.certificates.verified import shown


def sign(label: Label, positive: Label) -> int:
    """+1 for the positive label. Python compares as the format says: 1 == 1.0 == True, 2^53 + 1 != 2.0^53, "1" != 1."""
    return 1 if label == positive else -1


def places(named: Sequence[Label], labels: Sequence[Label]) -> list[int]:
    """The place of each row's label among those that are named. All that are named occur, and all that occur are."""
    occurring = set(labels)
    for label in named:
        require(label in occurring, f"its label {shown(label)} does not occur in y")
    place = {label: k for k, label in enumerate(named)}
    for i, label in enumerate(labels):
        require(label in place, f"y[{i}] = {shown(label)}, a label that it does not name")
    return [place[label] for label in labels]


def other_labels(sides: Sides, labels: Sequence[Label]) -> tuple[Label, ...]:
    """The labels against the positive one. All that are named occur, and all that occur are named."""
    occurring = set(labels)
    require(sides.positive in occurring, f"its label {shown(sides.positive)} does not occur in y")
    if sides.against is None:  # format 1: they are all that occur
        others = [label for label in occurring if label != sides.positive]
        require(others, f"y holds no label beside {shown(sides.positive)}: a separator needs two")
        require(all(map(is_label, others)), "y holds a label that no certificate can name")
        return tuple(sorted(others, key=lambda label: (type(label) is str, label)))
    for label in sides.against:
        require(label in occurring, f"its label {shown(label)} does not occur in y")
    named = {sides.positive, *sides.against}
    for i, label in enumerate(labels):
        require(label in named, f"y[{i}] = {shown(label)}, a label that it does not name")
    return sides.against
