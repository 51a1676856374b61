"""A card: a heading, a picture, facts, and the whole in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from novikoff.views.html import Html, joined, tag

# A notebook has its own paper and ink, which no query of the browser knows: all colours are mixed from the ink. It has
# its own tables, too, with stripes and numbers to the right: the class stands thrice where ours are to win.
STYLE = """
.nk-card { color: inherit; max-width: 46rem; line-height: 1.45; margin: 0.3rem 0; }
.nk-card .title { font-size: 1.05em; font-weight: 600; margin: 0 0 0.35rem; overflow-wrap: anywhere; }
.nk-card .title span { font-weight: 400; }
.nk-card.nk-card.nk-card table { border-collapse: collapse; margin: 0.35rem 0; font-size: 0.92em; background: none; }
.nk-card.nk-card.nk-card tr { background: none; }
.nk-card.nk-card.nk-card th, .nk-card.nk-card.nk-card td {
  color: inherit; text-align: left; vertical-align: top; padding: 0.2rem 1.1rem 0.2rem 0; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  max-width: none; white-space: normal; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.nk-card.nk-card.nk-card th {
  color: color-mix(in srgb, currentColor 70%, transparent); font-weight: 400; white-space: nowrap; }
.nk-card .grid { overflow-x: auto; }
.nk-card.nk-card.nk-card .grid td { vertical-align: middle; overflow-wrap: break-word; }
.nk-card svg { display: block; max-width: 100%; height: auto; margin: 0.2rem 0; overflow: visible; }
.nk-card .grid svg { max-width: none; }
.nk-card svg text { fill: currentColor; font-size: 12px; font-family: inherit; }
.nk-card .axis { stroke: color-mix(in srgb, currentColor 45%, transparent); fill: none; }
.nk-card .limit { stroke: currentColor; stroke-dasharray: 4 3; fill: none; }
.nk-card .known { fill: color-mix(in srgb, #0a7fc4 80%, currentColor); }
.nk-card .line { stroke: color-mix(in srgb, #0a7fc4 80%, currentColor); stroke-width: 1.8; fill: none; }
.nk-card .open { fill: color-mix(in srgb, #0a7fc4 28%, transparent); }
.nk-card .room { fill: color-mix(in srgb, currentColor 12%, transparent); }
.nk-card summary { cursor: pointer; font-size: 0.92em; }
.nk-card pre {
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3rem 0; font-size: 0.88em;
  max-height: 24em; overflow-y: auto; background: none; color: inherit; }
"""


def card(heading: str, about: object, *content: object) -> Html:
    """The heading is what it is, ``about`` what more there is to say of it in half a line."""
    # No heading: notebooks would list it among those of their text.
    title = tag("div", heading, tag("span", f" · {about}") if about else "", class_="title")
    return tag("div", tag("style", Html(STYLE)), title, *content, class_="nk-card")


def facts(rows: Iterable[tuple[str, object]]) -> Html:
    """Names and values; what there is nothing to say of is left out."""
    said = ((name, value) for name, value in rows if value not in (None, ""))
    body = (tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in said)
    return tag("table", tag("tbody", joined(body)))


def grid(head: Sequence[object], rows: Iterable[Sequence[object]]) -> Html:
    """A table with a line of names."""
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    body = (tag("tr", *(tag("td", cell) for cell in row)) for row in rows)
    return tag("div", tag("table", tag("thead", top), tag("tbody", joined(body))), class_="grid")


def in_words(text: object) -> Html:
    """The whole text, folded away."""
    return tag("details", tag("summary", "In words"), tag("pre", text))
