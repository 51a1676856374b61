"""What the commands that ask a model share: how to read a file for it, and how its answers are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novikoff.cli.answers import to_json
from novikoff.examples import distinct, item, written
from novikoff.float64 import nearest

if TYPE_CHECKING:
    from novikoff.data import Dataset

CHUNK = 50_000  # rows at a time


def columns_of(model: Any) -> dict[str, Any]:
    """How to read a file for a model: as the one that it learned from, its columns matched to the model's."""
    names = getattr(model, "feature_names_in_", None)
    known = dict(getattr(model, "reading_", None) or {})
    if known.get("format") == "idx":  # whose label is the name of a file
        known.pop("label", None)
    for name in ("format", "weight", "skip_bad", "account"):  # of that file alone
        known.pop(name, None)
    if names is not None:
        return known | {"features": tuple(names), "width": None}
    return known | {"features": None, "width": model.n_features_in_}


def about(classes: Any, columns: Any, constants: dict[str, Any]) -> dict[str, Any]:
    """What an answer in JSON is about: the labels, and which of two is +; the names of the columns; and `constants`."""
    labels = None if classes is None else [item(label) for label in classes]
    return {
        "classes": labels,
        "positive": labels[1] if labels and len(labels) == 2 else None,
        "columns": None if columns is None else [item(name) for name in columns],
        **constants,
    }


def constants_of(model: Any) -> dict[str, Any]:
    """Is there a constant coordinate, and which? None where a learner has no such choice."""
    return {name: getattr(model, name, None) for name in ("fit_intercept", "intercept_scaling")}


def about_model(model: Any) -> dict[str, Any]:
    """The same of a model that has learned."""
    return about(getattr(model, "classes_", None), getattr(model, "feature_names_in_", None), constants_of(model))


def about_data(examples: Dataset, constants: dict[str, Any]) -> dict[str, Any]:
    """The same of data, for a learner with these `constants`."""
    return about(None if examples.y is None else distinct(examples.y), examples.names, constants)


def lines(
    values: NDArray[Any], tags: list[str] | None, name: str, more: dict[str, Any] | None = None, *, json: bool
) -> bytes:
    """One value a line, followed by the tag where there is one; numbers so that they can be read back.

    ``more`` is what each line says beside them in JSON.
    """
    if json:
        ends = [{"tag": tag} for tag in tags] if tags else [{}] * len(values)
        beside = more or {}
        records = ({name: value, **beside, **end} for value, end in zip(values.tolist(), ends, strict=True))
        return "".join(to_json(record) + "\n" for record in records).encode()
    different, which = np.unique(values, return_inverse=True)
    words = [written(value) for value in different.tolist()]
    if tags:
        told = [f"{words[i]} {tag}".rstrip() for i, tag in zip(which.tolist(), tags, strict=True)]
    else:
        told = np.array(words, dtype=object)[which].tolist()
    return ("\n".join(told) + "\n").encode(errors="surrogateescape")


def labels_of(classes: str | None) -> list[Any] | None:
    """no,yes -> labels, two or more; numbers if they are."""
    if classes is None:
        return None
    found: list[Any] = [label.strip() for label in classes.split(",")]
    if len(found) < 2 or len(set(found)) < len(found):
        raise ValueError(f"--classes {classes}: different labels are expected, two at least, with commas between them")
    try:
        numbers = [float(label) for label in found]
    except ValueError:
        return found
    if all(nearest(label)[1] for label in found):
        return numbers
    try:
        return [int(label) for label in found]
    except ValueError:
        raise ValueError(f"--classes {classes}: float64 does not hold one of these labels") from None


def cure_for_labels(model: Any, classes: list[Any] | None) -> str:
    """What to do about a label that is refused, if it can be done: a model that has begun keeps those it has."""
    return "" if hasattr(model, "classes_") or classes else "; --classes names the labels of a new model"
