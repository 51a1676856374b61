"""Run the benchmarks, print the table and keep it: `python -m benchmarks [group ...]`; all groups by default."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks import boolean, certify, concepts, files, least_squares, perceptron
from benchmarks.measure import Result, Skipped

HERE = Path(__file__).parent
GROUPS = {
    **perceptron.GROUPS,
    **certify.GROUPS,
    "halving": concepts.halving,
    "littlestone": concepts.littlestone,
    **boolean.GROUPS,
    **least_squares.GROUPS,
    **files.GROUPS,
}
HEAD = "| job | peer | ours | theirs | ratio | bar |\n|---|---|---|---|---|---|"
KEPT = HERE / "results.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"


def seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} s"


def row(result: Result | Skipped) -> str:
    if isinstance(result, Skipped):
        return f"| {result.job} | skipped: {result.why} | | | | |"
    bar = "" if result.bar is None else f"{result.bar:g}× {'met' if result.met else '**missed**'}"
    peer = result.peer + (f" ({result.remark})" if result.remark else "")
    return (
        f"| {result.job} | {peer} | {seconds(result.ours)} | {seconds(result.theirs)} | {result.ratio:.2f}× | {bar} |"
    )


def main() -> None:
    print(HEAD)
    for group in sys.argv[1:] or GROUPS:
        results = []
        for result in GROUPS[group]():
            results.append(result)
            print(row(result), flush=True)
        keep(group, results)


def keep(group: str, results: list[Result | Skipped]) -> None:
    """Replace what is known of this group, in the record and on the page."""
    known = json.loads(KEPT.read_text())
    versions = {name: version(name) for name in ("numpy", "scikit-learn", "numba", "river")}
    machine = f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}"
    known["about"] = {"machine": machine, **versions}
    known["groups"][group] = {
        "measured": date.today().isoformat(),
        "results": [asdict(result) for result in results],
    }
    KEPT.write_text(json.dumps(known, indent=1) + "\n")
    lines = [HEAD]
    for name in GROUPS:
        for record in known["groups"].get(name, {"results": []})["results"]:
            lines.append(row(Skipped(**record) if "why" in record else Result(**record)))
    days = sorted({found["measured"] for found in known["groups"].values()})
    stamp = ", ".join([machine, *(f"{name} {number}" for name, number in versions.items())])
    text = PAGE.read_text()
    start, end = "<!-- table -->\n", "<!-- end of table -->"
    before, after = text.split(start)[0], text.split(end)[1]
    table = "\n".join(lines)
    PAGE.write_text(
        f"{before}{start}\n{table}\n\nMeasured: {' to '.join({days[0], days[-1]})}, {stamp}.\n\n{end}{after}"
    )


if __name__ == "__main__":
    sys.exit(main())
