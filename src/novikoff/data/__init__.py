"""Data with a known margin."""

from novikoff.data.generators import Problem, doubling, orthonormal, separable

__all__ = ["Problem", "doubling", "orthonormal", "separable"]
