"""A page of HTML that needs nothing else: elements that escape what they hold, tables, and figures as SVG."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree

from novikoff.display.style import INK
from novikoff.views.html import Html, joined, tag

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Ink and paper are the page's, so that figures follow it into the dark.
COLOURS = {INK: "var(--ink)", "#000000": "var(--ink)", "#ffffff": "var(--paper)"}
LINKS = "{http://www.w3.org/1999/xlink}"
DPI = 144  # of the parts of a figure that are images

Size = tuple[float, float]  # inches
Edges = tuple[float, float, float, float]  # left, below, right and above the axes, in inches


def paragraphs(*texts: object) -> Html:
    return joined(tag("p", text) for text in texts if text)


def section(ident: str, heading: str, *content: object) -> Html:
    return tag("section", tag("h2", heading, id=ident), "\n", joined(content), "\n", aria_labelledby=ident)


def facts(caption: str, rows: Iterable[tuple[object, object]]) -> Html:
    """A table of names and values."""
    body = (tag("tr", tag("th", name, scope="row"), tag("td", value)) for name, value in rows)
    return tag("table", tag("caption", caption), tag("tbody", joined(body)), class_="facts")


def table(caption: str, head: Sequence[object], rows: Iterable[Sequence[object]], words: Sequence[int] = ()) -> Html:
    """A table of numbers; the columns in ``words`` hold text."""
    look = ["words" if k in words else "number" for k in range(len(head))]
    top = (tag("th", cell, scope="col", class_=kind) for cell, kind in zip(head, look, strict=True))
    body = (tag("tr", *(tag("td", cell, class_=kind) for cell, kind in zip(row, look, strict=True))) for row in rows)
    whole = tag("table", tag("caption", caption), tag("thead", tag("tr", *top)), tag("tbody", joined(body)))
    # What is wider than the page is scrolled, which a keyboard must be able to do.
    return tag("div", whole, class_="wide", tabindex=0, role="region", aria_label=caption)


def code(*lines: str) -> Html:
    return tag("pre", tag("code", "\n".join(lines)))


def document(title: str, *content: object) -> str:
    style = files("novikoff.display").joinpath("report/page.css").read_text(encoding="utf-8")
    head = joined(
        [
            Html('<meta charset="utf-8">'),
            Html(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
            Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Html('<meta name="color-scheme" content="light dark">'),
            tag("title", title),
            Html(f"<style>\n{style}</style>"),
        ]
    )
    body = tag("main", joined(content))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


# Figures -----------------------------------------------------------------------------------------


@contextmanager
def drawing() -> Iterator[None]:
    """The look of all figures, whatever the user's own is."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("a report needs matplotlib: pip install 'novikoff[plots]'") from None
    look: dict[Any, Any] = {key: value for key, value in matplotlib.rcParamsDefault.items() if "backend" not in key}
    look |= {"svg.hashsalt": "novikoff", "savefig.transparent": True, "image.composite_image": False}
    with matplotlib.rc_context(look), warnings.catch_warnings():
        # The browser has the letters that the font of the measurements lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def drawn(
    draw: Callable[[Any], str], size: Size, edges: Edges, ident: str, caption: str, *, formulas: bool = False
) -> Html:
    """What ``draw`` puts into a figure with these edges around its axes; it returns what is to be seen.

    Words are text; with formulas, whose signs the fonts of a browser may not have, all of them are outlines.
    """
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=size)
    (width, height), (left, bottom, right, top) = size, edges
    figure.subplots_adjust(left / width, bottom / height, 1 - right / width, 1 - top / height, wspace=0.3)
    alt = draw(figure)
    for ax in figure.axes:
        ax.title.set_fontsize("medium")
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "path" if formulas else "none"}):
        figure.savefig(out, format="svg", dpi=DPI, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return tag("figure", _inline(out.getvalue(), ident, alt), tag("figcaption", caption))


def _inline(svg: str, ident: str, alt: str) -> Html:
    """An SVG document as an element of the page: no namespaces, no style sheet, no name that another figure has."""
    root = ElementTree.fromstring(svg[svg.index("<svg") :])
    box = root.get("viewBox", "")
    for part in root.iter():
        for style in [child for child in part if child.tag.endswith("}style")]:
            part.remove(style)
        part.tag = part.tag.rpartition("}")[2]
        part.attrib = {key.removeprefix(LINKS): _value(key, value, ident) for key, value in part.items()}
    used = {name for part in root.iter() for key, value in part.items() for name in _links(key, value)}
    for part in root.iter():
        if part.get("id") not in used:
            part.attrib.pop("id", "")
    width = float(box.split()[2]) / 72
    root.attrib = {"viewBox": box, "style": f"width: {width:.3g}in", "role": "img", "aria-label": alt}
    return Html(ElementTree.tostring(root, encoding="unicode"))


def _value(key: str, value: str, ident: str) -> str:
    """An attribute in the colours of the page; its links stay within the figure."""
    if key == "id":
        return f"{ident}-{value}"
    if key.endswith("href"):
        return value.replace("#", f"#{ident}-", 1) if value.startswith("#") else value
    value = re.sub("#[0-9a-f]{6}", lambda found: COLOURS.get(found[0], found[0]), value)
    return value.replace("url(#", f"url(#{ident}-")


def _links(key: str, value: str) -> list[str]:
    return [value[1:]] if key == "href" else re.findall(r"url\(#([^)]*)\)", value)
