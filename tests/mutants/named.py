"""Mutants that somebody thought of: a wrong theorem, or a proof that is not followed, which once passed all tests."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from tests.mutants.operators import Mutant, code_at

PERCEPTRON = "src/novikoff/theory/perceptron.py"
MARGIN = "src/novikoff/theory/margin_perceptron.py"
GAME = "src/novikoff/game.py"
LOOPS = "src/novikoff/engine/loops.py"

# name, file, the text as it stands (once in the file), and what it becomes
NAMED = [
    (
        "1/gamma^2 on a stream, halved",
        PERCEPTRON,
        """    (SEPARATED, UNIT_ROWS, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_NEGATIVE),
    _unit_bound,
    lambda run: at_most(run.mistakes, Fraction(1), run.margin_sq),
""",
        """    (SEPARATED, UNIT_ROWS, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_NEGATIVE),
    _unit_bound,
    lambda run: at_most(run.mistakes, Fraction(1, 2), run.margin_sq),
""",
    ),
    (
        "R^2/gamma^2, halved",
        PERCEPTRON,
        "    lambda run: at_most(run.mistakes, run.radius_sq, run.margin_sq),\n",
        "    lambda run: at_most(run.mistakes, run.radius_sq / 2, run.margin_sq),\n",
    ),
    (
        "2 gamma ||w0|| from any start, halved",
        PERCEPTRON,
        "- run.radius_sq) ** 2 <= 4 * run.margin_sq * sqnorm(run.start)",
        "- run.radius_sq) ** 2 <= run.margin_sq * sqnorm(run.start)",
    ),
    (
        "3/gamma^2 updates, made 2",
        MARGIN,
        "return at_most(len(run.updates), Fraction(3), run.margin_sq)",
        "return at_most(len(run.updates), Fraction(2), run.margin_sq)",
    ),
    (
        "a margin of gamma/3, made gamma/2",
        MARGIN,
        "_margin_at_least(run, Fraction(1), Fraction(1))",
        "_margin_at_least(run, Fraction(1), Fraction(0))",
    ),
    (
        "play does not ask whether y<w,x> <= theta at an update",
        GAME,
        '        self._require(product <= theta, at, "it updated where y<w,x> > theta")\n',
        "",
    ),
    (
        "play does not compare w with w + yx",
        GAME,
        "        self._require(added, at, ",
        "        self._require(True, at, ",
    ),
    (
        "play does not check the first inequality",
        GAME,
        '            self._require(gain >= self._worst, at, "<w,w*> grew by less than gamma")\n',
        "            pass\n",
    ),
    (
        "play does not see a mistake without an update",
        GAME,
        '        self._require(counted > 0 or not mistake, at, "it made a mistake without an update")\n',
        "",
    ),
    (
        "a pass is clean although theta rose in it",
        LOOPS,
        "            stood = s.theta == s.pass_theta\n",
        "            stood = True\n",
    ),
]


def named(root: Path) -> list[Mutant]:
    """The list as mutants. A text that is gone, or there twice, is an error: the list has to be mended."""
    found = []
    for name, file, before, after in NAMED:
        text = (root / file).read_text("utf-8")
        if text.count(before) != 1:
            raise SystemExit(f"{file}: the text of the mutant {name!r} is there {text.count(before)} times, not once")
        place = text.index(before)
        same = (a == b for a, b in zip(before, after, strict=False))
        changed = place + len(list(takewhile(bool, same)))
        line = text[:changed].count("\n") + 1
        start = len(text[:place].encode())
        stop = start + len(before.encode())
        found.append(Mutant(file, name, "named", before, after, line, start, stop, code_at(text, line), ""))
    return found
