"""Pictures of a few lines: SVG in the colours of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from novikoff.views.html import Html, tag
from novikoff.words import counted, plural

WIDTH = 440.0
EDGE = 4.0  # beside the picture
LETTER = 6.6  # the width of a letter, more or less
MOST = 120  # bars or corners that are drawn
ZERO = "margin 0"  # the start of a scale of margins


def bracket(lower: float, upper: float, *, width: float = WIDTH, top: float | None = None, words: bool = True) -> Html:
    """Where the best margin lies: up to ``lower`` it is known to reach, beyond ``upper`` nobody gets.

    ``top`` is the end of the scale, for several that are to be compared.
    """
    least = max(lower, 0.0) if math.isfinite(lower) else 0.0
    most = upper if math.isfinite(upper) else None
    end = top or (most or least or 1.0) * 1.08
    across = (width - 2 * EDGE) / end
    sure, limit = EDGE + least * across, None if most is None else EDGE + most * across
    parts = [_box("room", EDGE, 2, width - 2 * EDGE, 12), _box("known", EDGE, 2, sure - EDGE, 12)]
    parts.append(_box("open", sure, 2, (width - EDGE if limit is None else limit) - sure, 12))
    if limit is not None:
        parts.append(_line("limit", limit, 0, limit, 16))
    height = 16.0
    if words:
        height = 32.0
        parts.append(_text(EDGE, 29, ZERO, "start"))
        parts += _ends(sure if least > 0 else None, limit, f"{least:.6g}", "" if most is None else f"{most:.6g}", width)
    return _picture(width, height, _said(lower, upper), parts)


def _said(lower: float, upper: float) -> str:
    above = f"at most {upper:.6g}" if math.isfinite(upper) else "without a known upper end"
    return f"The best margin is at least {lower:.6g} and {above}." if lower > 0 else f"The best margin is {above}."


def _ends(sure: float | None, limit: float | None, least: str, most: str, width: float) -> list[Html]:
    """The numbers below the two ends; one text where there is no room for two."""
    if sure is None or limit is None:
        at, text = (limit, most) if sure is None else (sure, least)
        return [] if at is None or not text else [_text(*_inside(at, text, width), text)]
    if limit - sure > LETTER * (len(least) + len(most)) / 2 + 12:
        return [_text(*_inside(sure, least, width), least), _text(*_inside(limit, most, width), most)]
    both = least if least == most else f"{least} to {most}"
    return [_text(*_inside((sure + limit) / 2, both, width), both)]


def _inside(at: float, text: str, width: float) -> tuple[float, float]:
    """Where the middle of a text is, so that it neither leaves the picture nor covers the 0."""
    half = LETTER * len(text) / 2
    return min(max(at, EDGE + LETTER * (len(ZERO) + 2) + half), width - half), 29


def share(made: int, allowed: int | None, noun: str) -> Html:
    """How many were made of those that a theorem allows."""
    if allowed is None or allowed < made:
        return Html()
    width, text = WIDTH, f"{counted(made, noun)}, {allowed:,} allowed"
    part = made / allowed if allowed else 0.0
    bar = [_box("room", EDGE, 2, width - 2 * EDGE, 12), _box("known", EDGE, 2, (width - 2 * EDGE) * part, 12)]
    bar += [_line("limit", width - EDGE, 0, width - EDGE, 16), _text(EDGE, 29, text, "start")]
    return _picture(width, 32, f"{text}.", bar)


def steps(rounds: Sequence[int], end: int, limit: int | None, noun: str) -> Html:
    """A count that grows by one in some of ``end`` rounds, and the line that it stays below."""
    count = len(rounds)
    if not count or not end:
        return Html()
    shown = limit is not None and limit <= 4 * count
    width, height, top = WIDTH, 110.0, (limit if limit is not None and shown else count) * 1.12
    across, up = (width - 2 * EDGE) / end, (height - 24) / top
    every = max(1, math.ceil(count / MOST))
    corners = [(EDGE, 0)]
    for k in range(every - 1, count, every):
        at = EDGE + (rounds[k] + 1) * across
        corners += [(at, corners[-1][1]), (at, k + 1)]
    corners += [(corners[-1][0], count), (width - EDGE, count)]
    path = " ".join(f"{x:.1f},{height - 18 - y * up:.1f}" for x, y in corners)
    parts = [_line("axis", EDGE, height - 18, width - EDGE, height - 18), tag("polyline", points=path, class_="line")]
    if shown and limit is not None:
        level = height - 18 - limit * up
        parts.append(_line("limit", EDGE, level, width - EDGE, level))
        parts.append(_text(EDGE, level - 4, f"{limit:,} allowed", "start"))
    parts.append(_text(EDGE, height - 4, f"{plural(noun)} so far", "start"))
    parts.append(_text(width - EDGE, height - 4, f"round {end:,}", "end"))
    bound = f", of which the theorem allows {limit:,}" if limit is not None else ""
    return _picture(width, height, f"{counted(count, noun)} in {counted(end, 'round')}{bound}.", parts)


def bars(heights: Sequence[float], said: str) -> Html:
    """Numbers between 0 and 1 as bars beside each other; the first of many."""
    some = heights[:MOST]
    wide = min(24.0, (WIDTH - 2 * EDGE) / max(1, len(some)))
    parts = [_box("known", EDGE + k * wide, 42 - 40 * h, wide * 0.8, 40 * h) for k, h in enumerate(some)]
    parts.append(_line("axis", EDGE, 42, EDGE + wide * len(some), 42))
    return _picture(WIDTH, 44, said, parts)


# Elements ------------------------------------------------------------------------------------------


def _picture(width: float, height: float, said: str, parts: Sequence[Html]) -> Html:
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        aria_label=said,
    )


def _box(kind: str, x: float, y: float, width: float, height: float) -> Html:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{max(0.0, width):.1f}", "height": f"{max(0.0, height):.1f}"}
    return tag("rect", **place, class_=kind)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Html:
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=kind)


def _text(x: float, y: float, text: str, anchor: str = "middle") -> Html:
    return tag("text", text, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)
