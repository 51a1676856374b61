"""Models to files and back: the header, and what it must say."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.disk import atomic
from novikoff.estimators.guarantee import guarantee
from novikoff.estimators.named_weights import NamedWeights
from novikoff.estimators.registry import ANY, NUMBERS, REGISTRY, Model
from novikoff.learners.state import State, require
from novikoff.store import container, feature_names, scaling
from novikoff.store.container import VERSION, Content, InvalidModel
from novikoff.store.description import Description
from novikoff.store.header import classes_out, object_in, sections, stream_in, value_in, value_out

TWISTER = 624  # words of the Mersenne Twister


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


def load(path: str | os.PathLike[str]) -> Model:
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
        model = _built(header, state)
        promised = _promised(model)
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
        standardization=model.standardization_,
        guarantee=promised,
        input=header["input"],
        stream=header["stream"],
        weights=NamedWeights.of(model, state.names),
    )


# Out ---------------------------------------------------------------------------------------------


def to_parts(model: Any) -> list[bytes | memoryview]:
    """The file of a model, in parts; the same bytes for the same model."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

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
    state.arrays |= scaling.to_arrays(model.standardization_)
    parameters, random = _parameters_out(model)
    header = {
        "format": VERSION,
        "producer": f"novikoff {version('novikoff')}",
        "learner": name,
        "parameters": parameters,
        "classes": classes_out(state.classes),
        "features": {"count": state.width, "named": state.names is not None, "growing": state.growing},
        "guarantee": {key: value_out(value, key) for key, value in guarantee(model).items()},
        "input": _input_out(getattr(model, "reading_", None)),
        "stream": stream_in(getattr(model, "stream_", None)),
        "state": {key: value_out(value, key) for key, value in state.values.items()},
    }
    arrays = state.arrays | random | (feature_names.to_arrays(state.names) if state.names is not None else {})
    try:
        _built(*_checked(Content(header, arrays, 0, ""), known=state.names))
        return container.pack(header, arrays)
    except InvalidModel as error:
        raise ValueError(f"this {name} cannot be saved, because it could not be read again: {error}") from None


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


def _input_out(reading: Any) -> Any:
    try:
        plain = json.loads(json.dumps(reading, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"reading_ is not plain JSON: {error}") from None
    if plain != reading or not isinstance(reading, dict | None):
        raise ValueError("reading_ is not plain JSON: a dict of strings, numbers, bools, None, lists and such dicts")
    return plain


# In ----------------------------------------------------------------------------------------------


def from_content(content: Content) -> Model:
    """The model; `InvalidModel` if it could not have been saved."""
    model: Model = _built(*_checked(content))
    return model


def _built(header: dict[str, Any], state: State) -> Any:
    """The model of a header and a state, which is used up."""
    kind = REGISTRY[header["learner"]]
    try:
        model = kind.estimator(**header["parameters"])
        model._validate_params()
        kept = scaling.from_state(state, grows=kind.grows)
        require(kept is None or kind.standardises, f"the columns of a {kind.name} are not standardised")
        model._take_state(state)
        inputs.keep(model, kept)
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
    header, state = sections(content, known)
    name = header["learner"]
    if name not in REGISTRY:
        raise InvalidModel(f"it is a model of an unknown kind, {name[:40]!r}: known are {', '.join(REGISTRY)}")
    kind = REGISTRY[name]
    header["parameters"] = _parameters_in(header["parameters"], kind.estimator, state.arrays)
    if state.growing and not kind.grows:
        raise InvalidModel(f"the columns of a {name} do not grow")
    if (state.classes is None) != (kind.labels == NUMBERS):
        raise InvalidModel(f"a {name} {'needs labels' if state.classes is None else 'has no labels'}")
    if state.classes is not None and len(state.classes) != 2 and kind.labels != ANY:
        raise InvalidModel(f"a {name} has two labels, and this has {len(state.classes)}")
    return header, state


def _parameters_in(values: Any, learner: type[Any], arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Parameters that the file does not have, as one of an older novikoff may not, keep their defaults."""
    values = dict(object_in(values, "parameters"))
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
        0, values=dict(object_in(words, "RandomState")), arrays={"key": arrays.pop("random_state", np.empty(0))}
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
