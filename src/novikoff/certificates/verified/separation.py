"""What follows from overlap, or from quasi-complete separation."""

from __future__ import annotations

from collections.abc import Sequence

from novikoff.certificates.claim import Label, OverlapClaim, QuasiCompleteClaim
from novikoff.certificates.verified.separability import beside_the_origin
from novikoff.certificates.verified.words import DECIMALS, SHOWN, Verified, division, recorded

FINITE, DEPENDENT, OPEN = "finite", "dependent", "not determined"
INFINITE = {1: "+infinity", -1: "-infinity"}


def of_separation(
    claim: OverlapClaim | QuasiCompleteClaim,
    against: tuple[Label, ...],
    signs_balance: bool,
    moved: int = 0,
    needed: tuple[int, ...] = (),
) -> Verified:
    """The consequences of a claim that holds.

    ``moved``: how many rows the weak separator puts strictly on their side. ``needed``: the columns that every weak
    separator needs. The others are as for `of_separability`.
    """
    head, positive = claim.head, claim.sides.positive
    quasi = isinstance(claim, QuasiCompleteClaim)
    words = _quasi_complete(claim, moved, needed) if isinstance(claim, QuasiCompleteClaim) else _overlap(claim)
    words += beside_the_origin(head, signs_balance)
    return Verified(
        verdict="not separable",
        positive=positive,
        against=against,
        constant=head.constant or None,
        rows=tuple(claim.combination.rows),
        implies=f"{division(positive, against, head)}: {words} {DECIMALS}{recorded(claim.reading)}",
        weakly_separable=quasi,
        separation=claim.kind,
        coefficients=coefficients(claim),
        needed=needed,
        reading=claim.reading,
    )


def coefficients(claim: OverlapClaim | QuasiCompleteClaim) -> tuple[str, ...]:
    """What becomes of each coefficient of a logistic regression without penalty, towards its supremum."""
    all_rows = claim.all_rows if isinstance(claim, QuasiCompleteClaim) else claim.span
    found = [DEPENDENT if j in all_rows.touched else FINITE for j in range(claim.head.width)]
    if isinstance(claim, QuasiCompleteClaim):
        for column in claim.diverges:
            found[column.column] = INFINITE[1 if column.scale > 0 else -1]
        for j in claim.undetermined:
            found[j] = OPEN
    return tuple(found)


def _overlap(claim: OverlapClaim) -> str:
    rows = len(claim.combination.rows)
    because = f"{rows} rows with positive weights sum to exactly zero, and they span all rows"
    return (
        f"overlap. {'Every row is zero' if rows == 1 else because}: so every w that is not 0 on all rows has "
        "y<w,x> < 0 on some row, and the maximum likelihood estimate of a logistic regression exists and is finite."
        f"{_relations(len(claim.span.kernel), coefficients(claim))}"
    )


def _quasi_complete(claim: QuasiCompleteClaim, moved: int, needed: tuple[int, ...]) -> str:
    fates = coefficients(claim)
    rows = len(claim.combination.rows)
    because = f"{rows} of them with positive weights sum to exactly zero and span them"
    parts = [
        "quasi-complete separation. Some u has y<u,x> >= 0 on every row, and the maximum likelihood estimate of a "
        f"logistic regression does not exist. At most {moved} of {claim.head.n} rows can be put strictly on their "
        "side while no row is on the wrong one; the others are at 0 for every such u, since "
        f"{'they are zero' if rows == 1 else because}.",
    ]
    open_columns = []
    for name, where in (
        (INFINITE[1], "to +infinity"),
        (INFINITE[-1], "to -infinity"),
        (OPEN, "either way, or nowhere, which is not determined"),
    ):
        columns = [j for j, fate in enumerate(fates) if fate == name]
        if columns:
            open_columns.append(f"{where}: {_columns(columns, claim.head.d)}")
    if open_columns:
        parts.append(f"Towards the supremum of the likelihood these coefficients go {'; '.join(open_columns)}.")
    if needed:
        parts.append(f"Every such u needs {_columns(needed, claim.head.d)}.")
    finite = fates.count(FINITE)
    parts.append(f"Coefficients that stay finite: {finite} of {len(fates)}.")
    return " ".join(parts) + _relations(len(claim.all_rows.kernel), fates)


def _relations(count: int, fates: Sequence[str]) -> str:
    if not count:
        return ""
    hold = "1 linear relation holds" if count == 1 else f"{count} linear relations hold"
    leaves = "leaves" if count == 1 else "leave"
    left = fates.count(DEPENDENT)
    coefficients = "1 coefficient" if left == 1 else f"{left} coefficients"
    return f" {hold} between the columns on every row, and {leaves} {coefficients} undetermined, whatever y is."


def _columns(columns: Sequence[int], d: int) -> str:
    """Some of the columns, counted from 0, and how many more there are."""
    names = ["the constant" if j == d else f"column {j}" for j in columns[:SHOWN]]
    last = f"{len(columns) - SHOWN} more" if len(columns) > SHOWN else names.pop()
    return f"{', '.join(names)} and {last}" if names else last
