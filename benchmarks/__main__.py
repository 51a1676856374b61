"""Run the benchmarks and print the table; keep it if all were run: `python -m benchmarks [group ...]`."""

from __future__ import annotations

import json
import platform
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

from benchmarks import boolean, certify, concepts, least_squares, perceptron
from benchmarks.measure import Result, Skipped

HERE = Path(__file__).parent
GROUPS = {
    **perceptron.GROUPS,
    "certify": certify.certify,
    "halving": concepts.halving,
    "littlestone": concepts.littlestone,
    **boolean.GROUPS,
    **least_squares.GROUPS,
}
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
    head = "| job | peer | ours | theirs | ratio | bar |\n|---|---|---|---|---|---|"
    print(head)
    results = []
    for group in sys.argv[1:] or GROUPS:
        for result in GROUPS[group]():
            results.append(result)
            print(row(result), flush=True)
    if sys.argv[1:]:
        return
    names = ("numpy", "scikit-learn", "numba", "river")
    about = {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}",
        **{name: version(name) for name in names},
    }
    kept = [
        result.record() if isinstance(result, Result) else {"job": result.job, "skipped": result.why}
        for result in results
    ]
    (HERE / "results.json").write_text(json.dumps({"about": about, "results": kept}, indent=1) + "\n")
    table = "\n".join([head, *(row(result) for result in results)])
    text = PAGE.read_text()
    start, end = "<!-- table -->\n", "<!-- end of table -->"
    before, after = text.split(start)[0], text.split(end)[1]
    stamp = ", ".join(f"{key} {value}" if key in names else value for key, value in about.items())
    PAGE.write_text(f"{before}{start}\n{table}\n\nMeasured: {stamp}.\n\n{end}{after}")


if __name__ == "__main__":
    sys.exit(main())
