"""`novikoff rates`: the table of costs, measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.answers import ERROR, GOOD, tell
from novikoff.cli.options import AsJson

if TYPE_CHECKING:
    from novikoff.descent.rates import Rates


def rates(
    plot: Annotated[Path | None, typer.Option(help="Where to draw it (needs matplotlib): rates.png.")] = None,
    seeds: Annotated[int, typer.Option(min=2, help="Runs of the stochastic methods to average.")] = 30,
    as_json: AsJson = False,
) -> int:
    """Measure the costs of GD, Newton, SGD and stochastic Newton, beside the notes' table. Takes a minute."""
    from novikoff.descent.rates import rates as measured

    if plot is not None:
        try:
            import matplotlib.figure  # noqa: F401  # before the minute, not after it
        except ImportError:
            tell("a plot needs matplotlib: pip install 'novikoff[plots]'")
            return ERROR
    found = measured(seeds=seeds)
    print(json.dumps(_record(found)) if as_json else found)
    if plot is not None:
        try:
            _draw(found, plot)
        except (OSError, ValueError) as error:
            tell(str(error))
            return ERROR
        print(f"Drawn in {plot}.", file=sys.stderr)
    return GOOD


def _record(found: Rates) -> dict[str, Any]:
    entries = [
        {
            "method": entry.method,
            "quantity": entry.quantity,
            "notes": entry.notes,
            "expected": entry.expected,
            "measured": entry.curve.slope,
            "interval": [entry.curve.low, entry.curve.high],
            "verdict": entry.verdict,
        }
        for entry in found.entries
    ]
    return {"entries": entries, "newton_on_logistic": found.newton, "one_step": found.one_step}


def _draw(found: Rates, plot: Path) -> None:
    from matplotlib.figure import Figure

    from novikoff.display.rates import RatesDisplay

    display = RatesDisplay.from_rates(found, ax=Figure(figsize=(16, 7), layout="constrained"))
    display.figure_.savefig(plot, dpi=120)
