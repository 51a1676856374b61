"""Elements of HTML that escape what they hold."""

from __future__ import annotations

import html
from collections.abc import Iterable


class Html(str):
    """Text that is HTML already."""


def escaped(content: object) -> Html:
    """Any text, harmless: marks as entities, and a sign for what cannot be printed."""
    if isinstance(content, Html):
        return content
    return Html(html.escape("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in str(content))))


def tag(name: str, *content: object, **attributes: object) -> Html:
    """An element; of ``class_`` the underscore is dropped, and other underscores are hyphens."""
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{words}>{''.join(map(escaped, content))}</{name}>")


def joined(parts: Iterable[object]) -> Html:
    return Html("\n".join(map(escaped, parts)))
