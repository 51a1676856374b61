"""`novikoff rates`: the table of costs, measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from novikoff.descent.rates import rates
from novikoff.display.rates import RatesDisplay


def run(plot: Path | None, seeds: int, *, as_json: bool) -> int:
    if plot is not None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            print("novikoff: a plot needs matplotlib: pip install 'novikoff[plots]'", file=sys.stderr)
            return 1
    found = rates(seeds=seeds)
    if as_json:
        entries = [
            {
                "method": e.method,
                "quantity": e.quantity,
                "notes": e.notes,
                "expected": e.expected,
                "measured": e.curve.slope,
                "interval": [e.curve.low, e.curve.high],
                "verdict": e.verdict,
            }
            for e in found.entries
        ]
        print(json.dumps({"entries": entries, "newton_on_logistic": found.newton, "one_step": found.one_step}))
    else:
        print(found)
    if plot is not None:
        try:
            RatesDisplay.from_rates(found, ax=Figure(figsize=(16, 7), layout="constrained")).figure_.savefig(
                plot, dpi=120
            )
        except (OSError, ValueError) as error:
            print(f"novikoff: {error}", file=sys.stderr)
            return 1
        print(f"Drawn in {plot}.", file=sys.stderr)
    return 0
