"""Models to files and back: the header, and what it must say."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from novikoff.disk import atomic
from novikoff.estimators.guarantee import guarantee
from novikoff.estimators.registry import NUMBERS, REGISTRY
from novikoff.learners.state import MOST, State
from novikoff.store import container, feature_names
from novikoff.store.container import VERSION, Content, InvalidModel
from novikoff.words import counted

KEYS = {"format", "producer", "learner", "parameters", "classes", "features", "guarantee", "input", "stream", "state"}
STREAM = ("lines", "answered", "learned")
GUARANTEES = {"radius", "rounds", "mistakes", "updates", "margin", "allowed", "bound", "stop_reason", "data"}
LABEL_TYPES = re.compile(r"\|b1|[|<][iu][1248]|<f[248]|\|O|<U([0-9]{1,5})")
LABELS = {"b": (bool,), "i": (int,), "u": (int,), "f": (float,), "U": (str,), "O": (bool, int, float, str)}
LONGEST_COUNT = 2**13  # bits of R^2/gamma^2, which are floats
SAFE = 2**53  # JSON readers are sure of integers below
TWISTER = 624  # words of the Mersenne Twister


@dataclass(frozen=True)
class Description:
    """What a model file says of itself; ``str`` tells it in words.

    Attributes
    ----------
    path, size, format, producer, sha256 : where it is, its bytes, version of the format, who wrote it, its digest
    learner, parameters : name and values; a random_state that was a generator is "RandomState"
    classes : the two labels, or None
    n_features, feature_names, growing : columns, their names or None, and whether new names get new columns
    guarantee : R, rounds, mistakes, updates, margin, what the theorem allows, why it stopped, digest of the data; told
        by the state of the model, which nobody can check without the data
    input : how the data were read, or None
    stream : lines read, examples answered and learned by `novikoff learn`, or None
    """

    path: str
    size: int
    format: int
    producer: str
    sha256: str
    learner: str
    parameters: dict[str, Any]
    classes: list[Any] | None
    n_features: int
    feature_names: list[Any] | None
    growing: bool
    guarantee: dict[str, Any]
    input: dict[str, Any] | None
    stream: dict[str, int] | None = None

    def __str__(self) -> str:
        changed = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        lines = [f"{self.learner}({changed})"]
        if self.classes is not None:
            lines.append(f"Labels: {self.classes[0]!r} (-) and {self.classes[1]!r} (+).")
        lines.append(self._features())
        lines += self._streamed()
        lines.append("By the account of the file, which nothing but the data can confirm:")
        lines += (f"  {promise}" for promise in self._promises())
        lines.append(f"  Data: {self.guarantee['data'] or 'no digest is kept'}.")
        lines.append(f"{self.size:,} bytes, format {self.format}, written by {self.producer}, SHA-256 {self.sha256}.")
        # What a file says may be meant for the terminal.
        return "\n".join("".join(c if c.isprintable() else "\ufffd" for c in line) for line in lines)

    def _features(self) -> str:
        count = counted(self.n_features, "feature")
        if not self.feature_names:
            return count + "."
        shown = ", ".join(str(name)[:40] for name in self.feature_names[:5])
        more = f" and {len(self.feature_names) - 5:,} more" if len(self.feature_names) > 5 else ""
        return f"{count}: {shown}{more}{'; new ones are learned' if self.growing else ''}."

    def _streamed(self) -> list[str]:
        if self.stream is None:
            return []
        lines, answered, learned = (self.stream[name] for name in STREAM)
        return [f"From streams: {lines:,} lines read, {answered:,} examples answered, {learned:,} of them learned."]

    def _promises(self) -> list[str]:
        known = self.guarantee
        lines = []
        if known["mistakes"] is not None:
            text = f"{known['mistakes']:,} mistakes"
            if known["updates"] not in (None, known["mistakes"]):
                text += f" and {known['updates']:,} updates"
            if known["rounds"] is not None:
                text += f" in {known['rounds']:,} rounds"
            allows = [f"at least {known['allowed']:,}"] if known["allowed"] is not None else []
            allows += [f"at most {known['bound']:,}"] if known["bound"] is not None else []
            lines.append(text + (f"; the theorem allows {' and '.join(allows)}." if allows else "."))
        elif known["bound"] is not None:
            lines.append(f"A Perceptron makes at most {known['bound']:,} mistakes on these rows, in any order.")
        if known["radius"] is not None:
            lines.append(f"Rows of norm at most R = {known['radius']:.6g}.")
        if known["margin"] is not None:
            lower, upper = known["margin"]
            ends = [f"at least {lower:.6g}"] if lower > 0 else []
            ends += [f"at most {upper:.6g}"] if upper < math.inf else []
            if ends:
                lines.append(f"The best margin is {' and '.join(ends)}.")
        if known["stop_reason"]:
            lines.append(f"{known['stop_reason'][0].upper()}{known['stop_reason'][1:]}.")
        return lines


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file, whole or not at all.

    Parameters
    ----------
    model : any fitted classifier or regression of this library
    path : by custom it ends in ``.nvk``

    Examples
    --------
    >>> import tempfile
    >>> from novikoff import Perceptron
    >>> from novikoff.store import describe, load, save
    >>> clf = Perceptron().fit([[2, 1], [3, 0], [0, 2], [-1, 1]], ["in", "in", "out", "out"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(clf, folder + "/model.nvk")
    ...     print(describe(folder + "/model.nvk").guarantee["mistakes"])
    ...     print(load(folder + "/model.nvk").predict([[4, 1]]))
    2
    ['in']
    """
    atomic.write(path, to_parts(model))


def load(path: str | os.PathLike[str]) -> Any:
    """The model of a file, as it was saved: it predicts, counts and goes on learning as the original, bit for bit.

    Nothing in the file is run. `InvalidModel` says what is wrong with it.
    """
    content = container.read(path)
    try:
        return from_content(content)
    except InvalidModel as error:
        raise InvalidModel(f"{os.fspath(path)}: {error}") from None


def describe(path: str | os.PathLike[str]) -> Description:
    """What a model file says of itself. What it promises follows from its state, whatever else the file states."""
    content = container.read(path)
    try:
        header, state = _checked(content)
        promised = _promised(_built(header, state))
    except InvalidModel as error:
        raise InvalidModel(f"{os.fspath(path)}: {error}") from None
    return Description(
        path=os.fspath(path),
        size=content.size,
        format=header["format"],
        producer=header["producer"],
        sha256=content.digest,
        learner=header["learner"],
        parameters={
            name: "RandomState" if isinstance(value, np.random.RandomState) else value
            for name, value in header["parameters"].items()
        },
        classes=None if state.classes is None else state.classes.tolist(),
        n_features=state.width,
        feature_names=state.names,
        growing=state.growing,
        guarantee=promised,
        input=header["input"],
        stream=header["stream"],
    )


# Out ---------------------------------------------------------------------------------------------


def to_parts(model: Any) -> list[bytes | memoryview]:
    """The file of a model, in parts; the same bytes for the same model."""
    name = type(model).__name__
    if name not in REGISTRY or REGISTRY[name].estimator is not type(model):
        raise TypeError(f"a {name} cannot be saved: only {', '.join(REGISTRY)} can")
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ValueError(
            f"this {name} has not learned anything yet, so there is nothing to save: call fit, partial_fit or learn_one"
        ) from None
    state = model._give_state()
    parameters, random = _parameters_out(model)
    header = {
        "format": VERSION,
        "producer": f"novikoff {version('novikoff')}",
        "learner": name,
        "parameters": parameters,
        "classes": _classes_out(state.classes),
        "features": {"count": state.width, "named": state.names is not None, "growing": state.growing},
        "guarantee": {key: value_out(value, key) for key, value in guarantee(model).items()},
        "input": _input_out(getattr(model, "reading_", None)),
        "stream": _stream_in(getattr(model, "stream_", None)),
        "state": {key: value_out(value, key) for key, value in state.values.items()},
    }
    arrays = state.arrays | random | (feature_names.to_arrays(state.names) if state.names is not None else {})
    try:
        _built(*_checked(Content(header, arrays, 0, ""), known=state.names))
    except InvalidModel as error:
        raise ValueError(f"this {name} cannot be saved, because it could not be read again: {error}") from None
    return container.pack(header, arrays)


def value_out(value: Any, where: str) -> Any:
    """A value in JSON: what JSON has no word for becomes {"int": hexadecimal} or {"float": "inf" or "-inf"}."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list):
        return [value_out(entry, where) for entry in value]
    if type(value) is float and math.isinf(value):
        return {"float": "inf" if value > 0 else "-inf"}
    if type(value) is int and abs(value) >= SAFE:
        return {"int": hex(value)}
    if value is None or type(value) in (bool, int, str) or (type(value) is float and value == value):
        return value
    raise ValueError(f"{where} is {value!r}: a model file keeps None, bools, integers, floats (not nan) and strings")


def _parameters_out(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The parameters; a generator of random numbers as its state, with an array."""
    parameters = model.get_params(deep=False)
    random = parameters.get("random_state")
    arrays = {}
    if isinstance(random, np.random.RandomState):
        found = random.get_state(legacy=False)
        if found["bit_generator"] != "MT19937":
            raise ValueError(
                f"random_state is a generator {found['bit_generator']}: a model file keeps MT19937, or a seed"
            )
        arrays["random_state"] = found["state"]["key"].astype("<u4")
        words = {"position": int(found["state"]["pos"]), "gauss": float(found["gauss"]) if found["has_gauss"] else None}
        parameters["random_state"] = None
    out = {name: value_out(value, f"the parameter {name}") for name, value in parameters.items()}
    if arrays:
        out["random_state"] = {"RandomState": words}
    return out, arrays


def _classes_out(classes: NDArray[Any] | None) -> Any:
    if classes is None:
        return None
    dtype = classes.dtype.newbyteorder("<").str
    if LABEL_TYPES.fullmatch(dtype) is None:
        raise ValueError(f"labels of type {classes.dtype} cannot be saved: use strings, integers, floats or bools")
    return {"dtype": dtype, "values": [value_out(label, "a label") for label in classes.tolist()]}


def _input_out(reading: Any) -> Any:
    try:
        plain = json.loads(json.dumps(reading, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"reading_ is not plain JSON: {error}") from None
    if plain != reading or not isinstance(reading, dict | None):
        raise ValueError("reading_ is not plain JSON: a dict of strings, numbers, bools, None, lists and such dicts")
    return plain


# In ----------------------------------------------------------------------------------------------


def from_content(content: Content) -> Any:
    """The model; `InvalidModel` if it could not have been saved."""
    return _built(*_checked(content))


def _built(header: dict[str, Any], state: State) -> Any:
    """The model of a header and a state, which is used up."""
    learner = REGISTRY[header["learner"]].estimator
    try:
        model = learner(**header["parameters"])
        model._validate_params()
        model._take_state(state)
        state.finish()
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidModel(str(error)[:500]) from None
    digest, certificate = header["guarantee"]["data"], getattr(model, "certificate_", None)
    if digest is not None and not (certificate and certificate.about.digest == digest):
        model.data_digest_ = digest
    if header["input"] is not None:
        model.reading_ = header["input"]
    if header["stream"] is not None:
        model.stream_ = header["stream"]
    return model


def _promised(model: Any) -> dict[str, Any]:
    """The guarantee that follows from the state of a model of a file."""
    try:
        return guarantee(model)
    except (ValueError, ArithmeticError) as error:
        raise InvalidModel(f"no run ends in its state: {error}") from None


def _checked(content: Content, known: list[Any] | None = None) -> tuple[dict[str, Any], State]:
    """The header with its values read, and the state; `known` are the names of the features if they are at hand."""
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
    name = header["learner"]
    if type(name) is not str or name not in REGISTRY:
        raise InvalidModel(f"it is a model of an unknown kind, {str(name)[:40]!r}: known are {', '.join(REGISTRY)}")
    kind = REGISTRY[name]
    header["parameters"] = _parameters_in(header["parameters"], kind.estimator, arrays)
    header["guarantee"] = _guarantee_in(header["guarantee"])
    if not isinstance(header["input"], dict | None):
        raise InvalidModel("its 'input' is not a JSON object")
    header["stream"] = _stream_in(header["stream"])
    width, known, growing = _features_in(header["features"], arrays, known)
    if growing and not kind.grows:
        raise InvalidModel(f"the columns of a {name} do not grow")
    classes = _classes_in(header["classes"])
    if (classes is None) != (kind.labels == NUMBERS):
        raise InvalidModel(f"a {name} {'needs two labels' if classes is None else 'has no labels'}")
    values = {key: value_in(value) for key, value in _object(header["state"], "state").items()}
    return header, State(width, classes, known, growing, values, arrays)


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
    raise InvalidModel("a value is neither a number nor a word")


def _object(value: Any, name: str) -> dict[str, Any]:
    if type(value) is not dict:
        raise InvalidModel(f"its {name!r} is not a JSON object")
    return value


def _parameters_in(values: Any, learner: type[Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Parameters that the file does not have, as one of an older novikoff may not, keep their defaults."""
    values = dict(_object(values, "parameters"))
    unknown = sorted(values.keys() - set(learner._get_param_names()))
    if unknown:
        raise InvalidModel(f"{learner.__name__} has no parameter {unknown[0][:40]!r}: perhaps a newer novikoff made it")
    random = values.get("random_state")
    if type(random) is dict and random.keys() == {"RandomState"}:
        values["random_state"] = None
        found = {key: value_in(value) for key, value in values.items()}
        found["random_state"] = _random_in(random["RandomState"], arrays)
        return found
    found = {key: value_in(value) for key, value in values.items()}
    if any(type(value) is list for value in found.values()):
        raise InvalidModel("a parameter is a list")
    return found


def _random_in(words: Any, arrays: dict[str, NDArray[Any]]) -> np.random.RandomState:
    state = State(
        0, values=dict(_object(words, "RandomState")), arrays={"key": arrays.pop("random_state", np.empty(0))}
    )
    try:
        key = state.array("key", "<u4", TWISTER)
        position = state.integer("position", 0, TWISTER)
        gauss = state.value("gauss")
        state.finish()
    except ValueError as error:
        raise InvalidModel(f"its random_state: {error}") from None
    if gauss is not None and type(gauss) is not float:
        raise InvalidModel("its random_state: gauss is neither a float nor null")
    random = np.random.RandomState()
    random.set_state(("MT19937", key, position, int(gauss is not None), gauss or 0.0))
    return random


def _from_version_1(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """As version 2 says it: version 1 has the names in the header, and no stream."""
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


def _features_in(
    features: Any, arrays: dict[str, NDArray[Any]], known: list[Any] | None
) -> tuple[int, list[Any] | None, bool]:
    features = _object(features, "features")
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


def _stream_in(stream: Any) -> dict[str, int] | None:
    """How far a model has come in streams."""
    if stream is None:
        return None
    counts = _object(stream, "stream")
    if counts.keys() != set(STREAM) or any(type(counts[name]) is not int for name in STREAM):
        raise InvalidModel(f"its stream is not stated by the integers {', '.join(STREAM)}")
    # An example takes a line at least, and what is learned was answered.
    if not 0 <= counts["learned"] <= counts["answered"] <= counts["lines"] <= MOST:
        raise InvalidModel("its stream has learned or answered more lines than it has read")
    return {name: counts[name] for name in STREAM}


def _classes_in(classes: Any) -> NDArray[Any] | None:
    if classes is None:
        return None
    classes = _object(classes, "classes")
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
        if len(labels) != 2 or any(type(label) not in LABELS[dtype.kind] for label in labels):
            raise InvalidModel(f"its labels are not two values of the type {classes['dtype']}")
        found = np.array(labels, dtype=dtype)
    except (OverflowError, TypeError) as error:
        raise InvalidModel(f"its labels: {error}") from None
    if found.tolist() != labels or labels[0] == labels[1]:
        raise InvalidModel(f"its labels are not two different values of the type {classes['dtype']}")
    return found


def _guarantee_in(values: Any) -> dict[str, Any]:
    """It is told, and not used: the state has the numbers."""
    known = {key: value_in(value) for key, value in _object(values, "guarantee").items()}
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
