"""Least squares by the methods of the notes' table, side by side on one small problem with a known minimum."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Literal, get_args

import msgspec
import numpy as np
from msgspec import Meta

from novikoff.descent import methods, rates
from novikoff.descent.methods import Diverged
from novikoff.descent.rates import Problem
from novikoff.lab.choices import Option, option
from novikoff.lab.words import number
from novikoff.words import counted

ROWS = 300
BATCH = 600  # iterations of a batch method at most
STEPS = 2**15  # of a stochastic one
RUNS = 6  # over which its accuracy is averaged
FLOOR = 1e-14  # accuracies below it are rounding
LOST = 1e3  # an accuracy above it has diverged
TARGETS = (1e-2, 1e-6)

Method = Literal["GD", "2GD", "SGD", "2SGD"]
NAMES = {"GD": "Gradient descent", "2GD": "Newton", "SGD": "Stochastic gradient", "2SGD": "Stochastic Newton"}
# Of the notes: time per iteration, iterations to accuracy ε, total time. And in full, with k and d.
NOTES = {
    "GD": ("n", "−log ε", "−log ε"),
    "2GD": ("n", "log log 1/ε", "n log log 1/ε"),
    "SGD": ("1", "1/ε", "1/ε"),
    "2SGD": ("1", "1/ε", "1/ε"),
}
FULL = {
    "GD": ("nd", "k log 1/ε"),
    "2GD": ("nd² + d³", "log log 1/ε"),
    "SGD": ("d", "k²/ε"),
    "2SGD": ("d²", "1/ε"),
}


class Descend(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which methods, and the problem: the condition number k of the Hessian, d columns, and a seed.

    ``step`` multiplies the step that the library would take.
    """

    methods: Annotated[list[Method], Meta(min_length=1, max_length=len(get_args(Method)))]
    condition: Annotated[
        float, Meta(ge=1, le=300, title="Condition number k", extra={"offered": (1, 5, 20, 100, 300)})
    ] = 20.0
    d: Annotated[int, Meta(ge=2, le=16, title="Columns d", extra={"offered": (2, 4, 8, 16)})] = 8
    step: Annotated[
        float,
        Meta(ge=0.05, le=4, title="Step, times the library’s", extra={"offered": (0.1, 0.5, 1, 1.5, 1.9, 2.1, 4)}),
    ] = 1.0
    seed: Annotated[int, Meta(ge=0, le=9999, title="Seed")] = 0


class Comparison(msgspec.Struct, frozen=True):
    """What can be compared: the methods, the options, the rows of the problem, and the accuracies of the table."""

    methods: list[Method]
    options: list[Option]
    rows: int
    targets: list[str]


class Path(msgspec.Struct, frozen=True):
    """A run: accuracy (F(w) - F*)/(F(0) - F*) after so many iterations, each of which reads so many rows."""

    method: str
    name: str
    iterations: list[int]
    accuracy: list[float]
    rows: int
    reached: list[int | None]  # the first iteration with each accuracy of TARGETS
    diverged: bool
    ending: str


class Entry(msgspec.Struct, frozen=True):
    """A column of the notes' table, and what was seen."""

    method: str
    name: str
    notes: tuple[str, str, str]
    full: tuple[str, str]
    measured: str | None


class Descent(msgspec.Struct, frozen=True):
    """The runs, the table, and what is seen in words."""

    n: int
    paths: list[Path]
    table: list[Entry]
    seen: list[str]


def comparison() -> Comparison:
    """For the page's controls and headings."""
    options = [option(Descend, key) for key in ("condition", "d", "step", "seed")]
    return Comparison(list(get_args(Method)), options, ROWS, [_power(target) for target in TARGETS])


def descend(request: Descend) -> Descent:
    """Run the methods."""
    rng = np.random.RandomState(request.seed)
    p = rates.problem(ROWS, request.d, request.condition, rng)
    chosen = [method for method in NAMES if method in request.methods]
    with np.errstate(all="ignore"):
        paths = [(_batch if method in ("GD", "2GD") else _stochastic)(p, method, request) for method in chosen]
    by_name = {path.method: path for path in paths}
    table = [
        Entry(
            method,
            name,
            NOTES[method],
            FULL[method],
            _measured(by_name[method], request) if method in by_name else None,
        )
        for method, name in NAMES.items()
    ]
    return Descent(ROWS, paths, table, list(_sentences(paths, request)))


# Runs ----------------------------------------------------------------------------------------------


def _batch(p: Problem, method: str, request: Descend) -> Path:
    w = np.zeros(p.F.width)
    if method == "GD":
        steps = methods.gradient_descent(p.F, w, request.step / p.F.smoothness)
    else:
        steps = methods.newton(p.F, w, request.step)
    accuracy: list[float] = []
    diverged = ""
    try:
        next(steps)  # the start
        for _ in islice(steps, BATCH):
            accuracy.append(p.excess(w))
            if accuracy[-1] <= FLOOR:
                break
            if not accuracy[-1] <= LOST:
                raise Diverged("the step is too long")
    except Diverged as reason:
        diverged = str(reason)
    iterations = list(range(1, len(accuracy) + 1))
    return _path(method, iterations, accuracy, p.F.n, diverged)


def _stochastic(p: Problem, method: str, request: Descend) -> Path:
    plan = rates.schedule(p, method)
    plan = plan._replace(step=plan.step * request.step)
    marks = _marks(STEPS)
    runs = [list(rates.accuracies(p, plan, marks, seed=request.seed + run)) for run in range(RUNS)]
    mean = np.mean(runs, axis=0)
    lost = np.flatnonzero(~(mean <= LOST))
    end = int(lost[0]) if len(lost) else len(marks)
    return _path(method, marks[:end], mean[:end].tolist(), 1, "the step is too long" if len(lost) else "")


def _marks(last: int) -> list[int]:
    """Integers from 1 to ``last``, evenly spaced in their logarithm."""
    return sorted({round(10**power) for power in np.linspace(0.0, math.log10(last), 90)})


def _path(method: str, iterations: list[int], accuracy: list[float], rows: int, diverged: str) -> Path:
    if diverged:
        ending = f"diverged: {diverged}"
    elif not accuracy or accuracy[-1] <= FLOOR:
        ending = f"as accurate as floats allow after {counted(len(accuracy), 'iteration')}"
    else:
        ending = f"accuracy {_power(accuracy[-1])} after {counted(iterations[-1], 'iteration')}"
    few = [i for i in range(len(iterations)) if iterations[i] in set(_marks(max(iterations)))] if iterations else []
    shown = [max(accuracy[i], FLOOR) for i in few]
    reached = [next((t for t, e in zip(iterations, accuracy, strict=True) if e <= least), None) for least in TARGETS]
    return Path(method, NAMES[method], [iterations[i] for i in few], shown, rows, reached, bool(diverged), ending)


# Words ---------------------------------------------------------------------------------------------


def _measured(path: Path, request: Descend) -> str:
    """The exponent or factor that the table speaks of."""
    if path.diverged:
        return path.ending
    t, e = np.array(path.iterations), np.array(path.accuracy)
    if path.method == "2GD" and request.step == 1:
        return f"accuracy {_power(path.accuracy[0])} after 1 iteration: this loss is quadratic"
    if path.method in ("GD", "2GD"):
        inside = (e < 1e-2) & (e > 10 * FLOOR)
        if inside.sum() < 4:
            return path.ending
        factor = math.exp(rates.fitted(t[inside].tolist(), np.log(e[inside]).tolist()).slope)
        slowest = 1 - request.step / (request.condition if path.method == "GD" else 1)
        return f"an iteration multiplies ε by {number(factor)}; theory: {number(slowest**2)} in the end"
    late = t >= STEPS // 64
    slope = rates.fitted(np.log(t[late]).tolist(), np.log(e[late]).tolist()).slope
    return f"iterations ≈ (1/ε)^{number(round(-1 / slope, 2))}" if slope < -0.1 else "no straight line yet"


def _sentences(paths: list[Path], request: Descend) -> Iterator[str]:
    for path in paths:
        if path.diverged:
            yield f"{path.name} {path.ending}. Take a shorter one."
    well = [path for path in paths if not path.diverged]
    for place, target in enumerate(TARGETS):
        reached = [(path, t) for path in well if (t := path.reached[place]) is not None]
        if not reached:
            continue
        order = sorted(reached, key=lambda pair: pair[1] * pair[0].rows)
        (first, least), (last, most) = order[0], order[-1]
        text = f"To accuracy {_power(target)}, {first.name} reads {counted(least * first.rows, 'row')}"
        text += f", {last.name} {most * last.rows:,}." if len(order) > 1 else "."
        missed = [path.name for path in well if path.reached[place] is None]
        yield text + (f" Not reached by {' and '.join(missed)}." if missed else "")
    if any(path.method == "2SGD" for path in well):
        yield "Stochastic Newton is given H⁻¹: the rows that this costs are not counted."
    if any(path.method == "2GD" for path in well):
        digits = ", ".join(_power(e) for e in rates.newton_on_logistic(np.random.RandomState(request.seed))[-6:])
        yield (
            "A quadratic hides Newton’s log log 1/ε. The last steps on a logistic loss show it, as the digits double: "
            f"{digits}."
        )


def _power(value: float) -> str:
    """A number as a person writes it in a sentence about accuracy."""
    if value >= 0.01 or value == 0:
        return number(float(f"{value:.1g}"))
    exponent = math.floor(math.log10(value))
    digit = round(value / 10.0**exponent)
    if digit == 10:
        digit, exponent = 1, exponent + 1
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if digit == 1 else f"{digit}·10{raised}"
