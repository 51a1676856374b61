"""The model file: a JSON header, arrays, a SHA-256. Reading one runs nothing. docs/model-file.md has the format."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from novikoff.store.container import InvalidModel as InvalidModel

if TYPE_CHECKING:
    from novikoff.store.description import Description as Description
    from novikoff.store.model import describe as describe
    from novikoff.store.model import load as load
    from novikoff.store.model import save as save

# Imported on first use: `novikoff.store.bare` reads a model without scikit-learn.
_HOMES = {"Description": "description", "describe": "model", "load": "model", "save": "model"}

__all__ = ["Description", "InvalidModel", "describe", "load", "save"]


if not TYPE_CHECKING:  # which is to find what is not there

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'novikoff.store' has no attribute {name!r}")
        found = getattr(importlib.import_module(f"novikoff.store.{_HOMES[name]}"), name)
        globals()[name] = found
        return found
