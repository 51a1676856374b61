"""Are all classes separable at once: a vector for each, such that on every row that of its own is ahead of all others?

A pair of classes without a separator settles it: its rows, each with the other class as rival, cancel. Else the search
is that for two classes, over the rows of `novikoff.certificates.kesler`; margins here are those of that problem over
sqrt(2), as the theorems on many classes have them.
"""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from novikoff.certificates import pairs, rational, solve
from novikoff.certificates.certificate import About, NotSeparable, Undecided
from novikoff.certificates.joint_verdicts import JointNotSeparable, JointSeparable, JointVerdict
from novikoff.certificates.kesler import KeslerRows
from novikoff.certificates.prove import INTERRUPTED, SPREAD, WORD, Question, within_floats
from novikoff.certificates.solve import Guess, OutOfBudget
from novikoff.engine.rows import Indices, Rows
from novikoff.progress import Bracket
from novikoff.theory.exact import sqrt_down, sqrt_up

COARSE = 0.9  # the gap at which pairs are looked at: their margins are of no use here


def joint(rows: Rows, about: About, question: Question) -> JointVerdict:
    """The verdict on all labels at once."""
    start = time.monotonic()
    passes = 0
    for (a, b), verdict in pairs.settled(rows, about, replace(question, gap=max(COARSE, question.gap))):
        passes += verdict.passes
        if isinstance(verdict, Undecided):
            return Undecided(about, passes, (-math.inf, math.inf), verdict.why)
        if isinstance(verdict, NotSeparable):
            rivals = np.where(rows.signs[verdict.rows] == a, b, a)
            return JointNotSeparable(about, passes, verdict.rows, rivals, verdict.weights)
    scaled, power, radius = within_floats(rows)
    left = None if question.max_seconds is None else max(0.0, question.max_seconds - (time.monotonic() - start))
    data = KeslerRows(scaled, len(about.labels), question.max_passes, left)
    return _Case(about, data, question, radius, power).verdict()


@dataclass
class _Case:
    """The search over rows and rivals, on its way to a verdict."""

    about: About
    data: KeslerRows
    question: Question
    radius: float
    power: int  # margins of the data are those of the rows times 2^power

    def verdict(self) -> JointVerdict:
        self.lower, self.upper = -math.inf, self.radius
        try:
            with Bracket("certify", self.question.gap) if self.question.verbose else nullcontext() as watch:
                return self._search(watch)
        except OutOfBudget as out:
            why = str(out)
        except KeyboardInterrupt:
            why = INTERRUPTED
        return Undecided(self.about, self.data.passes, (self.lower, self.upper), why)

    def _search(self, watch: Bracket | None) -> JointVerdict:
        gap = self.question.gap
        for guess in solve.guesses(self.data, gap):
            upper = self._note(guess, watch)
            if guess.lowest > 0 and guess.lowest >= (1 - 1.01 * gap) * float(upper):
                proof = self._separable(guess)
                if proof:
                    return proof
        return self._beyond_floats(guess)

    def _note(self, guess: Guess, watch: Bracket | None) -> Fraction:
        """What the guess says of the margin goes into the bracket; returns its upper end, in the units of the data."""
        upper = self.data.upper(guess.rows, guess.p)
        self.upper = min(self.upper, self._end(upper**2))
        noise = (self.data.width + 4) * 2.0**-52 * float(self.data.norms.max())
        self.lower = max(self.lower, math.ldexp((guess.lowest - noise) * (1 - 2.0**-50) / math.sqrt(2), self.power))
        if watch:
            watch(self.data.passes, self.lower, self.upper)
        return upper

    def _end(self, squared: Fraction) -> float:
        """The upper end of the margin, in the units of the rows, from the square of that of the data."""
        return sqrt_up(squared * Fraction(4) ** self.power / 2)

    # Separable ---------------------------------------------------------------------------------

    def _separable(self, guess: Guess) -> JointSeparable | None:
        """The guess with exact ends, if they are close enough together."""
        order = np.argsort(guess.rows)
        order = order[guess.p[order] > 2.0**-200 * guess.p.max()]
        which, p = guess.rows[order], guess.p[order]
        end = self._end(self.data.upper(which, p) ** 2)
        for w in (np.round(guess.w * WORD) / WORD, guess.w):
            proof = self._with_ends(rational.integers(w)[0], which, rational.integers(p)[0], end)
            if proof:
                return proof
        return None

    def _with_ends(self, w: list[int], which: Indices, p: list[int], upper: float) -> JointSeparable | None:
        """The proof, if the margin of w comes close enough to the upper end."""
        closest, smallest = rational.smallest_product(self.data, w)
        if smallest <= 0:
            return None
        margin_sq = smallest**2 / (2 * sum(x * x for x in w))
        lower = sqrt_down(margin_sq * Fraction(4) ** self.power)
        if not lower > 0 or Fraction(lower) < (1 - Fraction(self.question.gap)) * Fraction(upper):
            return None
        common, width = math.gcd(*w), self.data.rows.width
        return JointSeparable(
            self.about,
            self.data.passes,
            self.data.examples(which),
            self.data.rivals[which],
            tuple(p),
            (lower, upper),
            self.radius,
            tuple(tuple(x // common for x in w[at : at + width]) for at in range(0, len(w), width)),
            (int(self.data.examples(np.array([closest]))[0]), int(self.data.rivals[closest])),
        )

    # Not separable, or beyond floats ------------------------------------------------------------

    def _not_separable(self, which: Indices, weights: list[int]) -> JointNotSeparable:
        used = sorted((k for k, weight in enumerate(weights) if weight), key=lambda k: int(which[k]))
        common = math.gcd(*weights)
        rows, rivals = self.data.examples(which[used]), self.data.rivals[which[used]]
        p = tuple(weights[k] // common for k in used)
        return JointNotSeparable(self.about, self.data.passes, rows, rivals, p)

    def _beyond_floats(self, guess: Guess) -> JointVerdict:
        """Floats have nothing better than this guess: integers decide."""
        suspects = [guess.rows]
        norms = self.data.norms
        if self.data.width <= solve.WIDE and norms.max() > SPREAD * norms.min():
            *_, last = solve.guesses(self.data.with_unit_rows(), self.question.gap)
            suspects.append(last.rows)
        for which in suspects:
            p = rational.null_vector(rational.integer_rows(self.data, which).table, self.data.look)
            p = rational.one_signed(p) if p else None
            if p:
                return self._not_separable(which, p)
        weights = [Fraction(x) for x in guess.p.tolist()]
        found = rational.nearest(self.data, self.question.gap, guess.rows, weights)
        if not any(found.w):
            return self._not_separable(found.rows, found.p)
        order = np.argsort(found.rows)
        length_sq = Fraction(sum(x * x for x in found.w), sum(found.p) ** 2) * Fraction(4) ** found.exponent
        proof = self._with_ends(found.w, found.rows[order], [found.p[k] for k in order], self._end(length_sq))
        if proof is None:
            raise ValueError("the margin is too small for a float64, though it is there: scale the features")
        return proof
