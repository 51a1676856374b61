"""The Margin Perceptron: while y<w,x> <= theta, w <- w + y x.

At most (R^2 + 2 theta)/gamma^2 updates, and a margin of at least theta gamma/(R^2 + 2 theta)
(`novikoff.theory.THRESHOLD`); theta = R^2 gives 3R^2/gamma^2 and gamma/3.
"""

from __future__ import annotations

from novikoff.learners.linear import AT_ZERO, Rule


def margin_perceptron(at_zero: str, threshold: float | str) -> Rule:
    """Update when y<w,x> <= threshold; "auto" is the square of the largest ||x|| so far."""
    if threshold == "auto":
        return Rule(zero=AT_ZERO[at_zero], margin=True, auto=True)
    return Rule(zero=AT_ZERO[at_zero], margin=True, theta=float(threshold))
