"""Examples from files."""

from novikoff.data.block import FormatError
from novikoff.data.dataset import Dataset, Skipped
from novikoff.data.options import Reading
from novikoff.data.reading import read, stream
from novikoff.data.writing import convert

__all__ = ["Dataset", "FormatError", "Reading", "Skipped", "convert", "read", "stream"]
