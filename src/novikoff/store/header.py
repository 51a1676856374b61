"""The header of a model file: how values are written, and what each of its sections must say."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.learners.state import MOST, State
from novikoff.store import feature_names
from novikoff.store.container import Content, InvalidModel

KEYS = {"format", "producer", "learner", "parameters", "classes", "features", "guarantee", "input", "stream", "state"}
STREAM = ("lines", "answered", "learned")
GUARANTEES = {"radius", "rounds", "mistakes", "updates", "margin", "allowed", "bound", "stop_reason", "data"}
LABEL_TYPES = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|\|O|<U([0-9]{1,5})")
LABELS = {"b": (bool,), "i": (int,), "u": (int,), "f": (float,), "U": (str,), "O": (bool, int, float, str)}
LONGEST_COUNT = 2**13  # bits of R^2/gamma^2, which are floats
SAFE = 2**53  # JSON readers are sure of integers below


def sections(content: Content, known: list[Any] | None = None) -> tuple[dict[str, Any], State]:
    """The header with its values read, but for the parameters, and the state.

    ``known`` are the names of the features if they are at hand.
    """
    header, arrays = dict(content.header), dict(content.arrays)
    if content.version == 1:
        _from_version_1(header, arrays)
    if header.keys() != KEYS:
        wrong = ", ".join(sorted(map(repr, header.keys() ^ KEYS)))[:200]
        raise InvalidModel(f"its header lacks, or should not have, {wrong}")
    if type(header["format"]) is not int or header["format"] != content.version:
        raise InvalidModel("its header is of another version than the file")
    if type(header["producer"]) is not str:
        raise InvalidModel("it does not say who wrote it")
    if type(header["learner"]) is not str:
        raise InvalidModel(f"it is a model of an unknown kind, {str(header['learner'])[:40]!r}")
    header["guarantee"] = _guarantee_in(header["guarantee"])
    if not isinstance(header["input"], dict | None):
        raise InvalidModel("its 'input' is not a JSON object")
    header["stream"] = stream_in(header["stream"])
    width, names, growing = _features_in(header["features"], arrays, known)
    classes = _classes_in(header["classes"])
    values = {key: value_in(value) for key, value in object_in(header["state"], "state").items()}
    return header, State(width, classes, names, growing, values, arrays)


def value_out(value: Any, where: str) -> Any:
    """A value in JSON: where it has no word, {"int": hexadecimal}, {"float": "inf" or "-inf"} or {"dict": pairs}."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list):
        return [value_out(entry, where) for entry in value]
    if isinstance(value, dict):
        return {"dict": [[value_out(key, where), value_out(entry, where)] for key, entry in value.items()]}
    if type(value) is float and math.isinf(value):
        return {"float": "inf" if value > 0 else "-inf"}
    if type(value) is int and abs(value) >= SAFE:
        return {"int": hex(value)}
    if value is None or type(value) in (bool, int, str) or (type(value) is float and value == value):
        return value
    raise ValueError(f"{where} is {value!r}: a model file keeps None, bools, integers, floats (not nan) and strings")


def value_in(value: Any) -> Any:
    """The value that `value_out` wrote."""
    if type(value) is list:
        return [value_in(entry) for entry in value]
    if type(value) is not dict:
        return value
    if value.keys() == {"float"} and value["float"] in ("inf", "-inf"):
        return float(value["float"])
    if value.keys() == {"int"} and type(value["int"]) is str and re.fullmatch(r"-?0x[0-9a-f]+", value["int"]):
        return int(value["int"], 16)
    if value.keys() == {"dict"} and type(value["dict"]) is list:
        pairs = [value_in(pair) for pair in value["dict"]]
        if all(type(pair) is list and len(pair) == 2 and type(pair[0]) not in (list, dict) for pair in pairs):
            return dict(pairs)
    raise InvalidModel("a value is neither a number nor a word")


def object_in(value: Any, name: str) -> dict[str, Any]:
    if type(value) is not dict:
        raise InvalidModel(f"its {name!r} is not a JSON object")
    return value


def classes_out(classes: NDArray[Any] | None) -> Any:
    if classes is None:
        return None
    dtype = classes.dtype.newbyteorder("<").str
    if LABEL_TYPES.fullmatch(dtype) is None:
        raise ValueError(f"labels of type {classes.dtype} cannot be saved: use strings, integers, floats or bools")
    return {"dtype": dtype, "values": [value_out(label, "a label") for label in classes.tolist()]}


def _classes_in(classes: Any) -> NDArray[Any] | None:
    if classes is None:
        return None
    classes = object_in(classes, "classes")
    if (
        classes.keys() != {"dtype", "values"}
        or type(classes["dtype"]) is not str
        or type(classes["values"]) is not list
    ):
        raise InvalidModel("its labels are not stated by dtype and values")
    if LABEL_TYPES.fullmatch(classes["dtype"]) is None:
        raise InvalidModel(f"its labels are of an unknown type, {classes['dtype'][:40]!r}")
    try:
        dtype, labels = np.dtype(classes["dtype"]), value_in(classes["values"])
        if not labels or any(type(label) not in LABELS[dtype.kind] for label in labels):
            raise InvalidModel(f"its labels are not values of the type {classes['dtype']}")
        found = np.array(labels, dtype=dtype)
    except (OverflowError, TypeError) as error:
        raise InvalidModel(f"its labels: {error}") from None
    if found.tolist() != labels or len(set(labels)) < len(labels):
        raise InvalidModel(f"its labels are not different values of the type {classes['dtype']}")
    return found


def _features_in(
    features: Any, arrays: dict[str, NDArray[Any]], known: list[Any] | None
) -> tuple[int, list[Any] | None, bool]:
    features = object_in(features, "features")
    if features.keys() != {"count", "named", "growing"}:
        raise InvalidModel("its features are not stated by count, named and growing")
    count, named, growing = features["count"], features["named"], features["growing"]
    if type(count) is not int or not 0 <= count <= MOST or type(named) is not bool or type(growing) is not bool:
        raise InvalidModel(
            "its features are not counted by an integer, or it does not say whether they have names and grow"
        )
    if not named:
        if growing:
            raise InvalidModel("its features grow, but have no names")
        return count, None, False
    found = feature_names.from_arrays(arrays, known)
    if len(found) > count or (len(found) < count and not growing):
        raise InvalidModel(f"it has {count} features, but {len(found)} names")
    return count, found, growing


def _from_version_1(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Bring a header of version 1, which has the names of features in it and no stream, into the form of version 2."""
    features = header.get("features")
    if "stream" in header or type(features) is not dict or features.keys() != {"count", "names", "growing"}:
        raise InvalidModel("its features are not stated by count, names and growing, or it is not of version 1")
    header["stream"] = None
    listed = features["names"]
    header["features"] = {"count": features["count"], "named": listed is not None, "growing": features["growing"]}
    if listed is not None:
        found = [value_in(name) for name in listed] if type(listed) is list else [None]
        if not set(map(type, found)) <= {str, int}:
            raise InvalidModel("the names of its features are not a list of strings and integers")
        arrays |= feature_names.to_arrays(found)


def stream_in(stream: Any) -> dict[str, int] | None:
    """How far a model has come in streams."""
    if stream is None:
        return None
    counts = object_in(stream, "stream")
    if counts.keys() != set(STREAM) or any(type(counts[name]) is not int for name in STREAM):
        raise InvalidModel(f"its stream is not stated by the integers {', '.join(STREAM)}")
    # An example takes a line at least, and what is learned was answered.
    if not 0 <= counts["learned"] <= counts["answered"] <= counts["lines"] <= MOST:
        raise InvalidModel("its stream has learned or answered more lines than it has read")
    return {name: counts[name] for name in STREAM}


def _guarantee_in(values: Any) -> dict[str, Any]:
    """The guarantee that a header tells to people; the numbers that a model works with are in its state."""
    known = {key: value_in(value) for key, value in object_in(values, "guarantee").items()}
    kinds: Mapping[str, tuple[type, ...]] = {
        "radius": (float,),
        "margin": (list,),
        "stop_reason": (str,),
        "data": (str,),
    }
    if known.keys() != GUARANTEES:
        raise InvalidModel(f"its guarantee does not state {', '.join(sorted(GUARANTEES))}")
    for key, value in known.items():
        if value is not None and type(value) not in kinds.get(key, (int,)):
            raise InvalidModel(f"its guarantee has a {key} of the wrong type")
        if type(value) is int and not 0 <= value < 1 << LONGEST_COUNT:
            raise InvalidModel(f"its guarantee has a {key} that no theorem gives")
    margin = known["margin"]
    if margin is not None and (len(margin) != 2 or any(type(end) is not float for end in margin)):
        raise InvalidModel("its guarantee has a margin that is not two floats")
    return known
