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
    count = len(claim.contradictions)
    if count == 1:
        return "One is given, and a contradiction among the rows leaves every w a mistake."
    what = f"One is given, and {count} contradictions among the rows"
    if all(each.numerator == claim.denominator for each in claim.contradictions):
        return f"{what}, of which no two share a row, leave every w a mistake each."
    weighted = f"{what}, with weights of which no row has more than 1 in all"
    return f"{weighted}, leave every w as many mistakes as these add up to, rounded up."
