"""Do the tests notice? Changes the source in many small ways, one at a time, and counts how many changes survive.

    python -m tests.mutants [--count N] [--seed N] [--workers N] [--only TEXT] [--keys FILE] [--limit SECONDS]

First the tests of the table below run once, as the tree stands, to see which functions each of them calls, and how
long it takes. Then every mutant meets the tests that call what it changes, the quickest first, until one fails. A
mutant of a kernel is run by the interpreter (NUMBA_DISABLE_JIT): it is the same text, and compiling it would take
longer than its tests. For all others the kernels are as they are, and come from the user's cache.

A survivor needs a reason in survivors.toml. One whose reason begins with "equivalent" cannot be told from the source by
any result, and does not count. The exit status is 1 if one has no reason, or if fewer than 97 % of the others are
killed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.mutants.named import named
from tests.mutants.operators import Mutant, mutants

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
SURVIVORS = Path(__file__).with_name("survivors.toml")
ENOUGH = 0.97

# What is changed, and the tests that meet it.
COMPILED, INTERPRETED = "compiled", "interpreted"
PARTS: dict[str, tuple[str, list[str], list[str]]] = {  # a file belongs to the first that names it
    "engine": (
        INTERPRETED,
        [
            f"src/novikoff/{name}.py"
            for name in [
                *(f"engine/{name}" for name in ("decide", "loops", "storage", "dense", "csr", "rule", "sums")),
                *(f"learners/{name}" for name in ("perceptron", "margin_perceptron", "passive_aggressive")),
                *(f"certificates/{name}" for name in ("corral", "dual", "modular", "twofold")),
                "learners/boolean_loops",
                "descent/sweeps",
            ]
        ],
        [
            "tests/golden",
            "tests/laws/test_exact.py",
            "tests/laws/test_exactness.py",
            "tests/laws/test_corral.py",
            "tests/laws/test_twofold.py",
            "tests/laws/test_concepts.py",
            "tests/laws/test_hypotheses.py",
            "tests/laws/test_many_classes.py",
            "tests/laws/test_weights.py",
            "tests/theorems/test_runs.py",
            "tests/theorems/test_winnow.py",
            "tests/theorems/test_elimination.py",
            "tests/theorems/test_passive_aggressive.py",
            "tests/estimators/test_passive_aggressive.py",
            "tests/laws/test_trace.py",
            "tests/laws/test_rows.py",
            "tests/certificates/test_certify.py",
            "tests/certificates/test_lifting.py",
            "tests/estimators/test_boolean.py",
            "tests/estimators/test_bad_input.py",
            "tests/estimators/test_examples.py",
            "tests/estimators/test_least_squares.py",
            "tests/estimators/test_one_example.py",
        ],
    ),
    "theory": (
        COMPILED,
        ["src/novikoff/theory/*.py"],
        [
            "src/novikoff/theory",
            "tests/golden",
            "tests/theorems",
            "tests/estimators/test_boolean.py",
            "docs/theorems",
            "tests/test_docs.py",
        ],
    ),
    "learners": (
        COMPILED,
        ["src/novikoff/learners/*.py", "src/novikoff/engine/rows.py", "src/novikoff/engine/trace.py"],
        [
            "src/novikoff/learners",
            "tests/golden",
            "tests/theorems",
            "tests/laws/test_apart.py",
            "tests/laws/test_exactness.py",
            "tests/laws/test_concepts.py",
            "tests/laws/test_hypotheses.py",
            "tests/laws/test_many_classes.py",
            "tests/laws/test_weights.py",
            "tests/estimators/test_boolean.py",
            "tests/estimators/test_examples.py",
            "tests/estimators/test_bad_input.py",
            "tests/estimators/test_new_data.py",
            "tests/estimators/test_threads.py",
            "tests/estimators/test_passive_aggressive.py",
            "tests/laws/test_trace.py",
            "tests/laws/test_order.py",
            "tests/estimators/test_one_example.py",
            "tests/data/test_journal.py",
            "tests/display/test_cards.py",
            "tests/laws/test_rows.py",
            "tests/store/test_files.py",
            "tests/store/test_round_trip.py",
            "tests/store/test_hostile.py",
        ],
    ),
    "certificates": (
        COMPILED,
        ["src/novikoff/certificates/*.py", "src/novikoff/certificates/*/*.py"],
        [
            "src/novikoff/certificates",
            "tests/certificates",
            "tests/estimators/test_max_margin.py",
            "tests/display/test_cards.py",
        ],
    ),
    "game": (
        COMPILED,
        ["src/novikoff/game.py"],
        ["src/novikoff/game.py", "tests/theorems", "tests/display/test_cards.py"],
    ),
}

LONGEST = 40.0  # seconds of tests, as measured, that a mutant meets
SLOWEST = 10.0  # seconds; a test that takes longer is left out


def part_of(file: str) -> str:
    """The name of the part that a file belongs to."""
    return next(name for name, (_, globs, _) in PARTS.items() if any(Path(file).match(glob) for glob in globs))


def draw(count: int, seed: int) -> list[Mutant]:
    """One mutant of each of so many lines.

    The lines are those with the smallest digests, and so are the operator and the mutant of each: as good as a random
    choice, and an edit in one place, or a function that moves to another file, does not draw others in all places.
    """

    def digest(*parts: str) -> str:
        return hashlib.sha256("\n".join((str(seed), *parts)).encode()).hexdigest()

    def rank(mutant: Mutant) -> tuple[str, str, str]:
        line = (mutant.function, mutant.context)
        change = (mutant.operator, mutant.before, mutant.after)
        return digest(*line), digest(*line, mutant.operator), digest(*line, *change)

    files = {
        str(path.relative_to(ROOT)) for _, globs, _ in PARTS.values() for glob in globs for path in ROOT.glob(glob)
    }
    drawn: dict[tuple[str, int], Mutant] = {}
    for mutant in sorted((mutant for file in sorted(files) for mutant in mutants(ROOT, file)), key=rank):
        place = (mutant.file, mutant.line)
        if len(drawn) < count and place not in drawn and mutant.compiles(ROOT):
            drawn[place] = mutant
    return list(drawn.values())


@dataclass
class Verdict:
    mutant: Mutant
    outcome: str  # killed, timed out, survived, not run
    seconds: float = 0.0


class Worker:
    """A copy of the tree, with servers that run tests in it."""

    def __init__(self, place: Path, stack: ExitStack) -> None:
        self.copy = place / "tree"
        self._place, self._stack = place, stack
        self._servers: dict[str, subprocess.Popen[str]] = {}
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for name in listed.stdout.splitlines():
            if (ROOT / name).is_file():
                (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.copy / name)

    def _server(self, mode: str) -> subprocess.Popen[str]:
        if mode not in self._servers:
            environment = os.environ | {
                "PYTHONPATH": str(self.copy / "src"),
                "NUMBA_DISABLE_JIT": "1" if mode == INTERPRETED else "0",
                "HYPOTHESIS_STORAGE_DIRECTORY": str(self._place / "hypothesis"),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "OMP_NUM_THREADS": "1",
                "OPENBLAS_NUM_THREADS": "1",
            }
            self._servers[mode] = self._stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.mutants.server"],
                    cwd=self.copy,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        return self._servers[mode]

    def ask(self, mode: str, **order: Any) -> dict[str, Any]:
        server = self._server(mode)
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(order | {"log": str(self._log(mode))}) + "\n")
        server.stdin.flush()
        line = server.stdout.readline()
        if not line:
            raise SystemExit("a server of tests ended; its last words are above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _log(self, mode: str) -> Path:
        return self._place / f"{mode}.log"

    def said(self, mode: str) -> str:
        """The end of what the last tests printed."""
        return self._log(mode).read_text("utf-8", errors="replace")[-3000:]

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """The file of a mutant holds it."""
        file = self.copy / mutant.file
        text, status = file.read_bytes(), file.stat()
        try:
            file.write_bytes(mutant.applied_to(text))
            yield
        finally:
            file.write_bytes(text)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # so that its bytecode is known again


class Tests:
    """Which tests call which function, and how long they take, by mode."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[tuple[str, int, str], list[str]]] = {COMPILED: {}, INTERPRETED: {}}
        self._at_import: dict[str, set[tuple[str, int, str]]] = {COMPILED: set(), INTERPRETED: set()}
        self._seconds: dict[str, dict[str, float]] = {COMPILED: {}, INTERPRETED: {}}

    def learn(self, mode: str, profile: dict[str, Any]) -> None:
        for test, seen in profile.items():
            if "unfit" in seen:
                continue
            calls = [tuple(call) for call in seen["calls"]]
            if not test:
                self._at_import[mode].update(calls)
                continue
            self._seconds[mode][test] = seen["seconds"]
            for call in calls:
                self._calls[mode].setdefault(call, []).append(test)

    def of(self, mutant: Mutant) -> tuple[list[str], float]:
        """Those that a mutant meets, the quickest first, and the seconds that they take together."""
        part = part_of(mutant.file)
        mode, _, places = PARTS[part]
        call = None if mutant.code is None else (mutant.file, *mutant.code)
        if call is None or call in self._at_import[mode]:
            tests = [test for test in self._seconds[mode] if test.startswith(tuple(places))]
        else:
            tests = self._calls[mode].get(call, [])
        seconds = self._seconds[mode]
        kept, total = [], 0.0
        for test in sorted(tests, key=lambda test: seconds[test]):
            total += seconds[test]
            if total > LONGEST:
                break
            kept.append(test)
        return kept, total


def observe(workers: list[Worker], parts: set[str]) -> Tests:
    """Run the tests as the tree stands, and note which functions they call."""
    tests = Tests()
    places = dict.fromkeys((PARTS[part][0], place) for part in sorted(parts) for place in PARTS[part][2])

    def look(worker: Worker, task: tuple[str, str]) -> None:
        mode, place = task
        profile = worker.copy.parent / f"{mode}.json"
        if mode == COMPILED:  # now, or else a test would seem to take as long as its kernels take to compile
            worker.ask(mode, tests=[place], limit=1200, all=True)
        answer = worker.ask(mode, tests=[place], limit=1200, all=True, slowest=SLOWEST, profile=str(profile))
        if answer["code"] not in (0, 1, 5):  # 5: a directory without doctests
            raise SystemExit(f"{place} does not run as the tree stands ({mode}):\n{worker.said(mode)}")
        found = json.loads(profile.read_text())
        print(f"{mode}: {place}, {len(found) - 1} tests in {answer['seconds']:.0f} s", flush=True)
        for test, seen in found.items():
            if "unfit" in seen:
                why = f"takes more than {SLOWEST:.0f} s" if seen["seconds"] >= SLOWEST else "fails, or is skipped"
                print(f"  left out: {test}, which {why}")
        tests.learn(mode, found)

    share(look, workers, list(places))
    return tests


def share(job: Callable[[Worker, T], None], workers: list[Worker], tasks: list[T]) -> None:
    """Do a job for each task, one worker beside the other."""
    waiting: queue.SimpleQueue[T] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)

    def work(worker: Worker) -> None:
        while True:
            try:
                task = waiting.get_nowait()
            except queue.Empty:
                return
            job(worker, task)

    with ThreadPoolExecutor() as pool:
        try:
            list(pool.map(work, workers))
        finally:  # after an error, or Ctrl-C, no new one is begun
            while not waiting.empty():
                waiting.get_nowait()


def judge(mutant: Mutant, worker: Worker, tests: Tests, limit: float) -> Verdict:
    """Does a test fail with this change?"""
    mode = PARTS[part_of(mutant.file)][0]
    met, seconds = tests.of(mutant)
    if not met:
        return Verdict(mutant, "not run")
    with worker.changed(mutant):
        answer = worker.ask(mode, tests=met, limit=limit + 3 * seconds)
        if answer["code"] == 4:  # a name of a test is gone: it is made of what was changed
            files = list(dict.fromkeys(test.split("::")[0] for test in met))
            again = worker.ask(mode, tests=files, limit=limit + 3 * seconds)
            answer = again | {"seconds": answer["seconds"] + again["seconds"]}
    code = answer["code"]
    if code == 5:
        raise SystemExit(f"no tests were found for {mutant.key}:\n{worker.said(mode)}")
    outcome = "survived" if code == 0 else "timed out" if code is None else "killed"
    return Verdict(mutant, outcome, answer["seconds"])


def report(verdicts: list[Verdict], reasons: dict[str, str], whole: bool) -> int:
    """The table, the survivors, and the exit status."""
    outcomes = Counter((part_of(verdict.mutant.file), verdict.outcome) for verdict in verdicts)
    print(f"\n{'part':<10}{'drawn':>7}{'killed':>8}{'timed out':>11}{'survived':>10}{'not run':>9}")
    for part in [*PARTS, "all"]:
        row = {
            outcome: sum(
                number for (name, kind), number in outcomes.items() if part in (name, "all") and kind == outcome
            )
            for outcome in ("killed", "timed out", "survived", "not run")
        }
        print(
            f"{part:<10}{sum(row.values()):>7}"
            + "".join(f"{number:>{width}}" for number, width in zip(row.values(), (8, 11, 10, 9), strict=True))
        )
    alive = [verdict for verdict in verdicts if verdict.outcome in ("survived", "not run")]
    unexplained = [verdict for verdict in alive if verdict.mutant.key not in reasons]
    for verdict in alive:
        mutant = verdict.mutant
        print(
            f"\n{verdict.outcome}: {mutant.file}:{mutant.line} in {mutant.function or 'the module'}, {mutant.operator}"
        )
        print(f"  {mutant.key}\n  {reasons.get(mutant.key, 'NO REASON')}")
    equivalent = [verdict for verdict in alive if reasons.get(verdict.mutant.key, "").startswith("equivalent")]
    share = 1 - (len(alive) - len(equivalent)) / max(1, len(verdicts) - len(equivalent))
    print(
        f"\n{len(verdicts)} mutants, {len(equivalent)} of them equivalent; {share:.1%} of the others killed, "
        f"{len(unexplained)} survivors without a reason"
    )
    stale = reasons.keys() - {verdict.mutant.key for verdict in alive}
    if stale and whole:
        print(f"{len(stale)} reasons are for mutants that were not drawn, or are killed by now:")
        print("".join(f"  {key}\n" for key in sorted(stale)), end="")
    return 1 if unexplained or share < ENOUGH else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=520, help="how many are drawn beside those with a name")
    parser.add_argument("--seed", type=int, default=1962)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants whose key holds this text")
    parser.add_argument("--keys", type=Path, help="mutants whose keys are the lines of this file, as a report has them")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds beside three times what the tests take")
    chosen = parser.parse_args()
    reasons = tomllib.loads(SURVIVORS.read_text("utf-8"))
    reasons = {entry["mutant"]: entry["reason"] for entry in reasons.get("survivor", [])}
    todo = [*named(ROOT), *draw(chosen.count, chosen.seed)]
    todo = [mutant for mutant in todo if chosen.only in mutant.key]
    if chosen.keys:
        listed = {line.strip() for line in chosen.keys.read_text("utf-8").splitlines()}
        todo = [mutant for mutant in todo if mutant.key in listed]
    if not todo:
        print("no mutant that is drawn has such a key")
        return 2
    start = time.monotonic()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mutants-")))
        workers = [Worker(place / str(number), stack) for number in range(chosen.workers)]
        tests = observe(workers, {part_of(mutant.file) for mutant in todo})
        verdicts: list[Verdict] = []

        def meet(worker: Worker, mutant: Mutant) -> None:
            verdict = judge(mutant, worker, tests, chosen.limit)
            verdicts.append(verdict)
            print(
                f"{len(verdicts):>4}/{len(todo)} {time.monotonic() - start:>5.0f} s  {verdict.outcome:<9} "
                f"{verdict.seconds:>5.1f} s  {mutant.file}:{mutant.line}  {mutant.operator}: "
                f"{_short(mutant.before)} -> {_short(mutant.after)}",
                flush=True,
            )

        share(meet, workers, todo)
    return report(verdicts, reasons, whole=not chosen.only and not chosen.keys)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:37] + "..."


if __name__ == "__main__":
    sys.exit(main())
