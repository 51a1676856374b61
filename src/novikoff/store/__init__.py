"""The model file: a JSON header, arrays, a SHA-256. Reading one runs nothing. docs/model-file.md has the format."""

from novikoff.store.container import InvalidModel
from novikoff.store.model import Description, describe, load, save

__all__ = ["Description", "InvalidModel", "describe", "load", "save"]
