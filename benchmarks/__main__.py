"""Run the benchmarks, print the tables and keep them: `python -m benchmarks [group ...]`; all groups by default."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import (
    boolean,
    certify,
    classes,
    concepts,
    files,
    least_squares,
    mistakes,
    perceptron,
    separation,
    soft,
)
from benchmarks.measure import Result, Skipped

HERE = Path(__file__).parent
GROUPS = {
    **perceptron.GROUPS,
    **classes.GROUPS,
    **certify.GROUPS,
    **separation.GROUPS,
    **soft.GROUPS,
    **mistakes.GROUPS,
    "halving": concepts.halving,
    "littlestone": concepts.littlestone,
    **boolean.GROUPS,
    **least_squares.GROUPS,
    **files.GROUPS,
}
AREAS = {
    "Passes over dense rows": ("dense", "converge", "quiet", "mapped"),
    "Sparse rows": ("sparse",),
    "Many classes and noise": (
        "accuracy",
        "many",
        "apart",
        "returned",
        "order",
        "aggressive",
        "pairs",
        "class_streams",
    ),
    "Streams": ("online", "one_row"),
    "Start": ("start_up",),
    "Certificates": ("certify", "certify-digits", "separation", "soft", "soft-digits", "mistakes", "mistakes-plane"),
    "Mistake bounds": ("halving", "littlestone", "boolean"),
    "Least squares": ("sgd", "solve", "solve-sparse"),
    "Files": ("readers", "passes", "memory", "parquet"),
}
HEAD = "| job | against | ours | theirs | ratio | bar |\n|---|---|---|---|---|---|"
KEPT = HERE / "results.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"
TOOLS = ("numpy", "scikit-learn", "numba", "river")


def digits(value: float, count: int) -> str:
    """So many significant digits, and never an exponent."""
    return f"{float(f'{value:.{count}g}'):,.15g}"


def amount(value: float, unit: str) -> str:
    """A measurement with its unit; seconds in the unit that suits them."""
    if unit != "s":
        return f"{digits(value, 3)} {unit}"
    for name, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.9995 * size:
            return f"{digits(value / size, 3)} {name}"
    return f"{digits(value / 1e-9, 3)} ns"


def row(result: Result | Skipped) -> str:
    if isinstance(result, Skipped):
        return f"| {result.job} | skipped: {result.why} | | | | |"
    bar = "" if result.bar is None else f"{digits(result.bar, 2)}× {'met' if result.met else '**missed**'}"
    peer = result.peer + (f" ({result.remark})" if result.remark else "")
    ours, theirs = amount(result.ours, result.unit), amount(result.theirs, result.unit)
    return f"| {result.job} | {peer} | {ours} | {theirs} | {result.ratio:.2f}× | {bar} |"


def main() -> None:
    print(HEAD)
    for group in sys.argv[1:] or GROUPS:
        results = []
        for result in GROUPS[group]():
            results.append(result)
            print(row(result), flush=True)
        keep(group, results)


def processor() -> str:
    """What the machine says of its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    about = dict(line.replace("\t", "").split(":", 1) for line in lines if ":" in line)
    told = {name: value.strip() for name, value in about.items()}
    number = ", ".join(f"{name} {told[name]}" for name in ("cpu family", "model") if name in told)
    return f"{told.get('model name', platform.machine())} ({number.replace('cpu ', '')})"


def keep(group: str, results: list[Result | Skipped]) -> None:
    """Replace what is known of this group on this machine, in the record and on the page."""
    known = json.loads(KEPT.read_text())
    machine = known.setdefault(processor(), {"about": {}, "groups": {}})
    machine["about"] = {"Python": platform.python_version(), **{name: version(name) for name in TOOLS}}
    machine["groups"][group] = {
        "measured": date.today().isoformat(),
        "results": [asdict(result) for result in results],
    }
    KEPT.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")
    text = PAGE.read_text()
    start, end = "<!-- tables -->\n", "<!-- end of tables -->"
    before, after = text.split(start)[0], text.split(end)[1]
    PAGE.write_text(f"{before}{start}\n{tables(known)}\n{end}{after}")


def tables(known: dict[str, Any]) -> str:
    """An area after the other, and in each a table for every machine."""
    lines = []
    for title, groups in AREAS.items():
        lines.append(f"## {title}\n")
        for name, machine in known.items():
            found = [machine["groups"][group] for group in groups if group in machine["groups"]]
            if not found:
                continue
            days = " and ".join(sorted({group["measured"] for group in found}))
            tools = ", ".join(f"{tool} {number}" for tool, number in machine["about"].items())
            lines.append(f"{name}; {days}; {tools}\n\n{HEAD}")
            for group in found:
                lines += [row(Skipped(**each) if "why" in each else Result(**each)) for each in group["results"]]
            lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
