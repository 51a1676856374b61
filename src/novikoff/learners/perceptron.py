"""The Perceptron: on a mistake, w <- w + y x. At most R^2/gamma^2 mistakes (`novikoff.theory.RADIUS`)."""

from __future__ import annotations

from novikoff.learners.linear import AT_ZERO, Rule


def perceptron(at_zero: str) -> Rule:
    """Update exactly on mistakes; <w,x> = 0 predicts as ``at_zero`` says."""
    return Rule(zero=AT_ZERO[at_zero])
