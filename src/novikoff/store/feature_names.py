"""The names of features as arrays: all of them one after another, and where each ends."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.store.container import InvalidModel

TEXT, ENDS, INTEGERS = "names_text", "names_ends", "names_integers"
ARRAYS = {TEXT: "|u1", ENDS: "<i8", INTEGERS: "|u1"}
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)


def to_arrays(names: list[Any]) -> dict[str, NDArray[Any]]:
    """Text in UTF-8, ends in characters, and a 1 for each name that is an integer (none at all if all are text)."""
    kinds = set(map(type, names))
    if not kinds <= {str, int}:
        names = [name.item() if isinstance(name, np.generic) else name for name in names]
        for name in names:
            if type(name) not in (str, int):
                raise ValueError(f"the feature {name!r} has a name that is neither a string nor an integer: rename it")
    integers = [] if kinds == {str} else [type(name) is int for name in names]
    words = list(map(str, names)) if any(integers) else names
    text = "".join(words).encode("utf-8", "surrogatepass")  # a name may hold half a pair, which UTF-8 has no word for
    return {
        TEXT: np.frombuffer(text, dtype=np.uint8),
        ENDS: np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words))),
        INTEGERS: np.array(integers if any(integers) else [], dtype=np.uint8),
    }


def from_arrays(arrays: dict[str, NDArray[Any]], known: list[Any] | None = None) -> list[Any]:
    """The names, whose arrays are taken out of the others; `known` are those that were made into these arrays."""
    found = {name: arrays.pop(name, np.empty(0)) for name in ARRAYS}
    if known is not None:
        return known
    if any(array.ndim != 1 or array.dtype.str != ARRAYS[name] for name, array in found.items()):
        raise InvalidModel(f"the names of its features are not in arrays {', '.join(ARRAYS)} of their types")
    try:
        text = found[TEXT].tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise InvalidModel("the names of its features are not in UTF-8") from None
    ends = found[ENDS]
    starts = np.concatenate([[0], ends])[:-1]
    if (ends < starts).any() or (ends[-1] if len(ends) else 0) != len(text):
        raise InvalidModel("the ends of the names of its features do not fit their text")
    names: list[Any] = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    integers = found[INTEGERS]
    if len(integers) not in (0, len(names)) or (integers > 1).any():
        raise InvalidModel("it does not say which names of its features are integers")
    for place in np.flatnonzero(integers).tolist():
        names[place] = _integer(names[place])
    return names


def _integer(text: str) -> int:
    if INTEGER.fullmatch(text) is None or text == "-0":
        raise InvalidModel(f"the name {text[:40]!r} of a feature is not an integer")
    try:
        return int(text)
    except ValueError as error:  # too many digits for Python
        raise InvalidModel(f"the name {text[:40]}... of a feature: {error}") from None
