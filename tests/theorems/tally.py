"""How often a theorem applied to what a test made up: a test whose hypotheses never hold tests nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from novikoff.theory import Finding, Theorem

LEAST = Fraction(1, 10)


def confirmed(theorem: Theorem, record: Any) -> bool:
    """Do all hypotheses hold on the record, and the conclusion?"""
    finding = theorem.check(record)
    return finding.applies and finding.conclusion


class Tally:
    """Counts the checks of one test, and those whose hypotheses held."""

    def __init__(self) -> None:
        self.checks = 0
        self.applied = 0

    def check(self, theorem: Theorem, record: Any) -> Finding:
        """The theorem must hold on the record."""
        finding = theorem.check(record)
        self.checks += 1
        self.applied += finding.applies
        assert finding.holds, f"{theorem.id} is false: its hypotheses hold, its conclusion does not"
        return finding


@contextmanager
def applied_often(least: Fraction = LEAST) -> Iterator[Tally]:
    """A tally that fails at the end if fewer than a tenth of the checks met all hypotheses."""
    tally = Tally()
    yield tally
    assert tally.checks, "nothing was checked"
    share = Fraction(tally.applied, tally.checks)
    assert share >= least, f"the hypotheses held in {tally.applied} of {tally.checks} checks: make up better records"
