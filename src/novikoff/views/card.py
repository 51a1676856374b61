"""A card: a heading, a picture, facts, and the whole in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from novikoff.views.html import Html, joined, tag

# A notebook has its own paper and ink, which no query of the browser knows: all colours are mixed from the ink.
STYLE = """
.novikoff-card { color: inherit; max-width: 46rem; line-height: 1.45; margin: 0.3rem 0; }
.novikoff-card .title { font-size: 1.05em; font-weight: 600; margin: 0 0 0.35rem; overflow-wrap: anywhere; }
.novikoff-card .title span { font-weight: 400; }
.novikoff-card table { border-collapse: collapse; margin: 0.35rem 0; font-size: 0.92em; background: none; }
.novikoff-card tr, .novikoff-card tr:nth-child(even), .novikoff-card tr:hover { background: none; }
.novikoff-card th, .novikoff-card td { color: inherit; text-align: left; vertical-align: top; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  padding: 0.2rem 1.1rem 0.2rem 0; max-width: none; white-space: normal; overflow-wrap: anywhere; }
.novikoff-card th { font-weight: 400; white-space: nowrap; color: color-mix(in srgb, currentColor 70%, transparent); }
.novikoff-card .grid { overflow-x: auto; }
.novikoff-card .grid td { font-variant-numeric: tabular-nums; vertical-align: middle; overflow-wrap: break-word; }
.novikoff-card .grid svg { max-width: none; }
.novikoff-card svg { display: block; max-width: 100%; height: auto; margin: 0.2rem 0; overflow: visible; }
.novikoff-card svg text { fill: currentColor; font-size: 12px; font-family: inherit; }
.novikoff-card .axis { stroke: color-mix(in srgb, currentColor 45%, transparent); fill: none; }
.novikoff-card .limit { stroke: currentColor; stroke-dasharray: 4 3; fill: none; }
.novikoff-card .known { fill: color-mix(in srgb, #0a7fc4 80%, currentColor); }
.novikoff-card .line { stroke: color-mix(in srgb, #0a7fc4 80%, currentColor); stroke-width: 1.8; fill: none; }
.novikoff-card .open { fill: color-mix(in srgb, #0a7fc4 28%, transparent); }
.novikoff-card .room { fill: color-mix(in srgb, currentColor 12%, transparent); }
.novikoff-card summary { cursor: pointer; font-size: 0.92em; }
.novikoff-card pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3rem 0; font-size: 0.88em;
  max-height: 24em; overflow-y: auto; background: none; color: inherit; }
"""


def card(heading: str, about: object, *content: object) -> Html:
    """The heading is what it is, ``about`` what more there is to say of it in half a line."""
    # No heading: notebooks would list it among those of their text.
    title = tag("div", heading, tag("span", f" · {about}") if about else "", class_="title")
    return tag("div", tag("style", Html(STYLE)), title, *content, class_="novikoff-card")


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
