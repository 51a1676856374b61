"""How a file was read: what the reader did to it in words, and how far a certificate's record of it is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from novikoff.cli.answers import tell
from novikoff.cli.options import flag
from novikoff.words import counted, filled_in, listed, said, skipped

if TYPE_CHECKING:
    from novikoff.certificates.claim import HowRead
    from novikoff.data import Dataset
    from novikoff.data.account import Account


def announce(account: Account, *, quiet: bool = False) -> None:
    """What was read, and what should make one doubt, before anything is made of it; what was made up in any case."""
    if not quiet:
        tell(f"read {account}")
        for warning in account.warnings:
            tell(f"careful: {warning}")
    elif account.filled:
        tell(filled_in(account.filled, account.missing))


# The record ----------------------------------------------------------------------------------------


def taken_over(recorded: HowRead | None, options: dict[str, Any], *, as_recorded: bool) -> dict[str, Any]:
    """The options given on the line, and those that a certificate adds to them.

    It may name things. What leaves out data, or makes some up, is for the user to say: with such options of his own, or
    by ``as_recorded``.
    """
    from novikoff.certificates.claim import InvalidCertificate

    if recorded is None:
        return options
    given = options.keys() | ({"columns"} if "features" in options else set())  # the columns of a model are recorded so
    changes = {name: value for name, value in recorded.changes.items() if name not in given}
    if changes and not as_recorded:
        raise InvalidCertificate(_refusal(recorded, changes))
    return recorded.names | changes | options


def _refusal(recorded: HowRead, changes: dict[str, Any]) -> str:
    done = []
    if "skip_bad" in changes:
        done.append(skipped(recorded.skipped))
    if "missing" in changes:
        done.append(filled_in(recorded.filled, changes["missing"]))
    settings = listed([said(name, value) for name, value in changes.items()])
    own = listed([flag(name) if name == "skip_bad" else f"{flag(name)} ...".replace("= ", "=") for name in changes])
    return (
        f"it is about a file that was read with {settings}{f' ({listed(done)})' if done else ''}, and which data are "
        f"left out or made up is not for a certificate to say: give {own} yourself, or --as-recorded to read it so"
    )


def check_done(recorded: HowRead | None, examples: Dataset, options: dict[str, Any]) -> None:
    """What was recorded to have been done to the file is what was done now, where the user has not said what to do."""
    from novikoff.certificates.claim import InvalidCertificate

    if recorded is None:
        return
    for name, then, now, noun in (
        ("skip_bad", recorded.skipped, len(examples.bad), "skipped line"),
        ("missing", recorded.filled, examples.filled, "filled value"),
    ):
        if name not in options and then != now:
            raise InvalidCertificate(f"it records {counted(then, noun)}, and this file has {now:,}")
