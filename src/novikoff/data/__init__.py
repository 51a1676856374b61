"""Examples from files, and data with a known margin."""

from novikoff.data.block import FormatError
from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.generators import Problem, doubling, orthonormal, separable, spiral
from novikoff.data.options import Reading
from novikoff.data.reading import read, stream
from novikoff.data.writing import convert

__all__ = [
    "Dataset",
    "FormatError",
    "Problem",
    "Reading",
    "Skipped",
    "convert",
    "doubling",
    "orthonormal",
    "read",
    "separable",
    "spiral",
    "stream",
]
