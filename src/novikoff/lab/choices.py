"""What a request's type lets one choose: read off its fields, their limits and their defaults, for a form on the page.

A field says in its `Meta` what the type cannot: the title of its control, and one of
``words`` (the text of each value), ``offered`` (a few numbers within the limits) and ``only_with`` (see `Option`).
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Meta, inspect


class Choice(msgspec.Struct, frozen=True):
    """A value, and how it reads."""

    value: str | float
    text: str


class Option(msgspec.Struct, frozen=True):
    """A control: a menu where there are choices, a box to tick where the default is a bool, else a number."""

    key: str
    title: str
    default: str | bool | float
    choices: list[Choice]
    least: float | None = None
    most: float | None = None
    only_with: tuple[str, str] | None = None  # the option and the value without which this one has no effect


class Range(msgspec.Struct, frozen=True):
    """The least and the largest number that are taken."""

    least: int
    most: int


def worded(title: str, **words: str) -> Meta:
    """The title of a menu, and the text of each value, in the order of the menu."""
    return Meta(title=title, extra={"words": words})


def option(request: type[msgspec.Struct], key: str) -> Option:
    """The control of a field."""
    field = next(field for field in _fields(request) if field.name == key)
    described = field.type
    assert isinstance(described, inspect.Metadata), f"{request.__name__}.{key} has no title"
    extra = described.extra or {}
    return Option(
        key=key,
        title=(described.extra_json_schema or {})["title"],
        default=field.default,
        choices=_choices(described.type, extra),
        least=getattr(described.type, "ge", None),
        most=getattr(described.type, "le", None),
        only_with=extra.get("only_with"),
    )


def limits(request: type[msgspec.Struct], *path: str) -> Any:
    """What `msgspec.inspect` says of a field, such as ``max_length``; "item" goes from a list to what it holds."""
    found: Any = inspect.type_info(request)
    for name in path:
        found = found.item_type if name == "item" else next(one.type for one in found.fields if one.name == name)
        if isinstance(found, inspect.Metadata):
            found = found.type
    return found


def interval(request: type[msgspec.Struct], key: str) -> Range:
    """The integers that a field takes."""
    found = limits(request, key)
    return Range(found.ge, found.le)


def _fields(request: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(request)
    assert isinstance(info, inspect.StructType)
    return info.fields


def _choices(kind: inspect.Type, extra: dict[str, Any]) -> list[Choice]:
    if isinstance(kind, inspect.LiteralType):
        words = extra["words"]
        return [Choice(str(value), words[value]) for value in sorted(kind.values, key=list(words).index)]
    return [Choice(value, f"{value:g}") for value in extra.get("offered", ())]
