"""How a command that is over soon begins soon."""

from __future__ import annotations

import sys
from typing import Any

# Entries of rows, or bytes of text, that the interpreter may be handed. It takes some 4 microseconds for a byte, and
# the compiler's front end a third of a second to import; no result depends on it.
SMALL = 1 << 16
# Bytes of a table that are read cell by cell: this takes 0.1 microseconds for one, and pyarrow a tenth of a second to
# import.
SMALL_TABLE = 1 << 20


class Process:
    """This one."""

    is_ours = False  # it was started for one command, whose arguments are its own


def travel_light(*, decisions: bool = True) -> None:
    """Do without scikit-learn; and, for small work that asks for ``decisions`` alone, without the compiler.

    To be called before an estimator is imported, by a command that reads a model and changes none. In a process that
    goes on after the command, estimators are what they always are.
    """
    if not Process.is_ours or "novikoff.estimators.bases" in sys.modules:
        return
    from novikoff import estimators
    from novikoff.engine.compile import interpret_small_work

    estimators.BARE = True
    if decisions:
        interpret_small_work(SMALL)


def begin_without_compiler(model: Any) -> None:
    """Let the interpreter begin to teach a model, until there is enough to do for the compiler.

    For learners by a rule: their loops return to Python after a few rows, and take the same decisions either way.
    """
    from novikoff.engine.compile import interpret_small_work
    from novikoff.estimators.linear import LinearClassifier

    if Process.is_ours and isinstance(model, LinearClassifier):
        interpret_small_work(SMALL)


def read_light() -> None:
    """Read small tables without pyarrow, too: the rows are the same. After `travel_light`."""
    from novikoff.data import tables

    if Process.is_ours:
        tables.PATIENCE = SMALL_TABLE
