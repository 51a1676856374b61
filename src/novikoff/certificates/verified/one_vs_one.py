"""What follows from a verdict on each pair of labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from novikoff.certificates.claim import Head, NotSeparableClaim, OneVsOneClaim, SeparableClaim, Sides
from novikoff.certificates.claim.one_vs_one import Pair, SeparablePair
from novikoff.certificates.verified.separability import of_separability
from novikoff.certificates.verified.words import DECIMALS, SHOWN, Verified, coordinate, recorded, shown


def of_pairs(claim: OneVsOneClaim, signs_balance: Sequence[bool]) -> Verified:
    """The consequences of a claim that holds, pair by pair; ``signs_balance`` is as in `of_separability`."""
    pairs = tuple(_verified(pair, claim.head, same) for pair, same in zip(claim.pairs, signs_balance, strict=True))
    return Verified(
        verdict=claim.kind,
        positive=None,
        against=(),
        constant=claim.head.constant or None,
        rows=tuple(sorted({i for pair in claim.pairs for i in pair.combination.rows})),
        implies=f"{_words(claim)} {DECIMALS}{recorded(claim.reading)}",
        reading=claim.reading,
        labels=claim.labels,
        pairs=pairs,
    )


def _verified(pair: Pair, head: Head, signs_balance: bool) -> Verified:
    """What is recorded of the file is said once, of all pairs."""
    about, sides = head._replace(reading=None), Sides(pair.positive, (pair.against,))
    claim: SeparableClaim | NotSeparableClaim
    if isinstance(pair, SeparablePair):  # what is said of it needs no vector
        claim = SeparableClaim(about, sides, pair.combination, (), pair.margin, pair.radius, pair.closest)
    else:
        claim = NotSeparableClaim(about, sides, pair.combination, None if pair.weak is None else ())
    return of_separability(claim, (pair.against,), signs_balance)


def _words(claim: OneVsOneClaim) -> str:
    without = [pair for pair in claim.pairs if not isinstance(pair, SeparablePair)]
    words = f"{len(claim.labels)} labels in pairs, {coordinate(claim.head)}: "
    words += f"{len(claim.pairs) - len(without)} of {len(claim.pairs)} pairs have a separator of their rows"
    if not without:
        return f"{words}."
    return f"{words}; {'; '.join(_few(without))}: no w has y<w,x> > 0 on all rows of the pair."


def _few(pairs: Sequence[Pair]) -> Iterator[str]:
    """Some of the pairs, and how many more there are."""
    for pair in pairs[:SHOWN]:
        yield f"{shown(pair.against)} and {shown(pair.positive)} have none"
    if len(pairs) > SHOWN:
        yield f"nor have {len(pairs) - SHOWN} more"
