"""Every pair of labels by itself: the claims of `separability`, about the rows of the two labels.

a_i = (x_i, c) for the rows of the later label of the pair, and -(x_i, c) for those of the earlier one
"""

from __future__ import annotations

from collections.abc import Sequence

from novikoff.certificates.claim import Combination, OneVsOneClaim, SeparableClaim, require
from novikoff.certificates.claim.one_vs_one import Pair, SeparablePair, alone
from novikoff.certificates.reference import separability
from novikoff.certificates.reference.rows import Example, row
from novikoff.certificates.verified import Verified, of_pairs, shown


def check_pairs(claim: OneVsOneClaim, examples: Sequence[Example], place: Sequence[int]) -> Verified:
    """``place`` is that of each row's label among those of the claim."""
    balance = []
    for pair in claim.pairs:
        signs = {claim.labels.index(pair.against): -1, claim.labels.index(pair.positive): 1}
        members = [i for i, label in enumerate(place) if label in signs]
        balance.append(_check_pair(claim, pair, examples, members, [signs[place[i]] for i in members]))
    return of_pairs(claim, balance)


def _check_pair(
    claim: OneVsOneClaim, pair: Pair, examples: Sequence[Example], members: Sequence[int], signs: Sequence[int]
) -> bool:
    """The claims of a pair, about the rows of its two labels alone. Is sum p s = 0 over its combination?"""
    number = {i: k for k, i in enumerate(members)}  # of each row among these
    named = [*pair.combination.rows, *([pair.closest] if isinstance(pair, SeparablePair) else [])]
    of_pair = f"of {shown(pair.against)} and {shown(pair.positive)}"
    require(all(i in number for i in named), f"{of_pair}: a row that it names has another label")

    combination = Combination([number[i] for i in pair.combination.rows], pair.combination.weights)
    closest = number[pair.closest] if isinstance(pair, SeparablePair) else 0
    about = alone(pair, claim.head, combination, closest)
    rows = [row(examples[i], s, claim.head) for i, s in zip(members, signs, strict=True)]
    if isinstance(about, SeparableClaim):
        separability.check_separable(about, rows)
    else:
        separability.check_not_separable(about, rows)
    return separability.signs_balance(combination, signs)
