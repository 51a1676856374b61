"""Where things are kept that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_directory() -> Path:
    """`$NOVIKOFF_CACHE_DIR`, else `novikoff` in `$XDG_CACHE_HOME`, else in `.cache` at home.

    A path that is not absolute is no place: it would be another one in every working directory. Such a variable
    is passed over, as the XDG specification demands of its own.
    """
    for variable, below in (("NOVIKOFF_CACHE_DIR", ""), ("XDG_CACHE_HOME", "novikoff")):
        chosen = os.environ.get(variable, "")
        if os.path.isabs(chosen):
            return Path(chosen, below)
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        raise FileNotFoundError(
            "there is no home directory to keep a cache in: set NOVIKOFF_CACHE_DIR to the absolute path of a directory"
        )
    return Path(home, ".cache", "novikoff")
