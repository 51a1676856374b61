"""What follows from a hyperplane with few mistakes, and from contradictions."""

from __future__ import annotations

from novikoff.certificates.claim import FewestMistakesClaim, Label
from novikoff.certificates.verified.words import Verified, division, recorded


def of_fewest_mistakes(claim: FewestMistakesClaim, against: tuple[Label, ...]) -> Verified:
    """The consequences of a claim that holds."""
    head, positive = claim.head, claim.sides.positive
    words = f"{_bracket(*claim.mistakes)} {_because(claim)}"
    if not head.constant:
        words += " A hyperplane beside the origin, with a constant coordinate, may make fewer."
    return Verified(
        verdict=claim.kind,
        positive=positive,
        against=against,
        constant=head.constant or None,
        rows=claim.rows,
        implies=f"{division(positive, against, head)}: {words}{recorded(claim.reading)}",
        mistakes=claim.mistakes,
        reading=claim.reading,
    )


def _bracket(lower: int, upper: int) -> str:
    if lower == upper:
        return f"the fewest mistakes, rows with y<w,x> <= 0, that a hyperplane makes are exactly {lower}."
    return (
        f"the fewest mistakes, rows with y<w,x> <= 0, that a hyperplane makes are at least {lower} and at most {upper}."
    )


def _because(claim: FewestMistakesClaim) -> str:
    if claim.mistakes[0] == 0:
        return "One is given."
    if claim.enumerated:
        return "One is given, and all others were enumerated."
    several = len(claim.contradictions) > 1
    what = f"{len(claim.contradictions)} contradictions" if several else "a contradiction"
    return f"One is given, and {what} among the rows, of which no row is used more than once, {_leave(several)}."


def _leave(several: bool) -> str:
    return "leave every w a mistake each" if several else "leaves every w a mistake"
