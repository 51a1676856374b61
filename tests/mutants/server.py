"""Runs tests in a copy of the tree, each time in a process of its own that need not import the heavy libraries.

    python -m tests.mutants.server

reads orders from its standard input, a JSON object a line, and answers each with a line:
{"tests": [...], "limit": seconds, "log": path} with {"code": ..., "seconds": ...}, where the code is that of pytest,
or null after the limit. With "profile": path, the functions that each test calls are written there, and a test that
takes more than "slowest" is given up; with "all": true, the tests go on after one that fails. All seconds are
those of the processor: what else it does changes nothing.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

# What novikoff and its tests import, but not novikoff itself: that is what changes.
HEAVY = [
    "numpy",
    "scipy.sparse",
    "scipy.optimize",
    "scipy.linalg",
    "sklearn.linear_model",
    "sklearn.pipeline",
    "sklearn.preprocessing",
    "sklearn.utils.estimator_checks",
    "numba",
    "numba.core.caching",
    "hypothesis",
    "hypothesis.extra.numpy",
    "pandas",
    "flint",
]

PATIENCE = 20  # seconds by the clock for each one of the limit: for a test that waits for ever
QUIET = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-m", "not long"]
# Where the interpreter runs a kernel, numbers of NumPy warn of what they do silently in machine code.
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
UNWARNED = ["-W", "ignore::RuntimeWarning"]


class Unshrunk:
    """A failure is enough: it need not be made small. The interpreter, which is slow, tries fewer examples."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        examples = 25 if INTERPRETED else settings.default.max_examples
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutants", derandomize=True, deadline=None, phases=phases, max_examples=examples)
        settings.load_profile("mutants")


class TooSlow(BaseException):  # not for a test, or Hypothesis, to catch
    pass


def _too_slow(signal: int, frame: FrameType | None) -> None:
    raise TooSlow


class Profile:
    """Which functions each test calls, and how long it takes."""

    def __init__(self, path: str, slowest: float) -> None:
        self._path, self._slowest = path, slowest
        signal.signal(signal.SIGPROF, _too_slow)
        self._found: dict[str, Any] = {}
        self._called: set[CodeType] = set()
        sys.setprofile(self._see)  # what is called at import counts for every test

    def _see(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            self._called.add(frame.f_code)

    def _functions(self) -> list[list[Any]]:
        root = os.path.join(os.getcwd(), "src", "")
        return sorted(
            [os.path.relpath(code.co_filename), code.co_firstlineno, code.co_name]
            for code in self._called
            if code.co_filename.startswith(root)
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        sys.setprofile(None)
        if not self._found:
            self._note("", 0.0)
        self._called = set()
        start = time.process_time()
        sys.setprofile(self._see)
        signal.setitimer(signal.ITIMER_PROF, self._slowest)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            sys.setprofile(None)
            self._note(item.nodeid, time.process_time() - start)

    def _note(self, test: str, seconds: float) -> None:
        self._found.setdefault(test, {}).update(calls=self._functions(), seconds=seconds)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # A test that fails as the tree stands shows nothing about mutants.
        if report.failed or report.skipped:
            self._found.setdefault(report.nodeid, {})["unfit"] = True

    def pytest_sessionfinish(self) -> None:
        Path(self._path).write_text(json.dumps(self._found))


def run(order: dict[str, Any]) -> int:
    """In the child: the code of pytest."""
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    options = QUIET + UNWARNED if INTERPRETED else QUIET
    plugins: list[object] = [Unshrunk()]
    if order.get("all"):  # also after a failure
        options = [option for option in options if option != "-x"]
    if "profile" in order:
        plugins.append(Profile(order["profile"], order["slowest"]))
    return int(pytest.main([*options, *order["tests"]], plugins=plugins))


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """Run the tests in a child, and see how it ends."""
    start = time.monotonic()
    before = _used()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.setsid()  # so that whatever a test starts ends with it
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(order["limit"]), resource.RLIM_INFINITY))
            code = run(order)
            sys.stdout.flush()
        finally:
            os._exit(code)
    status = None
    parent = os.getppid()  # if it is killed, nobody waits for an answer
    while status is None and time.monotonic() - start < PATIENCE * order["limit"] and os.getppid() == parent:
        done, raw = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(raw) if done else None
        if status is None:
            time.sleep(0.01)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    code = None if status == -signal.SIGXCPU else status
    return {"code": code, "seconds": _used() - before}


def _used() -> float:
    """Seconds of the processor that children have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    sys.dont_write_bytecode = True
    for name in HEAVY:
        importlib.import_module(name)
    assert not any(name.split(".")[0] == "novikoff" for name in sys.modules)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
