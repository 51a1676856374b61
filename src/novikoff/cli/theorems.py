"""`novikoff theorems`."""

from __future__ import annotations

from novikoff.cli.answers import GOOD


def theorems() -> int:
    """Print every theorem: statement, hypotheses, source."""
    from novikoff.theory import THEOREMS

    for theorem in THEOREMS:
        lines = [
            f"{theorem.title} ({theorem.id})",
            f"  {theorem.statement}",
            *(f"  - {hypothesis.text}" for hypothesis in theorem.hypotheses),
            f"  {theorem.citation}",
        ]
        print("\n".join(lines), end="\n\n")
    return GOOD
