"""Weighted Majority: every concept votes, a wrong one with less weight (`novikoff.theory.WEIGHTED_MAJORITY`)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts import Bits, Concept, ConceptClass, Words, codes, unpacked
from novikoff.learners.online import OnlineLearner
from novikoff.theory.experts import penalty, randomized_bound, weighted_majority_bound

Counts = NDArray[np.unsignedinteger[Any]]
Histogram = NDArray[np.int64]

UNIT = 2**64  # draws are whole numbers below it, and probabilities are counted in 1/UNIT


class _Poll(NamedTuple):
    """How the concepts vote on one example."""

    labels: Words
    bits: Bits  # of the concepts, in the order of their codes
    ones: Histogram  # of those that say 1: how many have made k mistakes more than the best
    for_one: float  # their weight
    weight: float  # of all
    slack: float  # both floats are within slack * weight


class _Vote(OnlineLearner):
    """Counts the mistakes of every concept, from those of the best on."""

    def __init__(self, concepts: ConceptClass, beta: float | Fraction = 0.5) -> None:
        self.concepts, self.beta = concepts, beta
        self._beta = penalty(beta)
        whole = len(concepts.whole.reshape(-1)) * 64 == concepts.size
        self._codes = None if whole else codes(concepts.whole)
        self._counts: Counts = np.zeros(concepts.size, dtype=np.uint8)
        self._all: Histogram = np.array([concepts.size])
        self._powers = np.ones(1)
        self._poll: _Poll | None = None
        self.best_mistakes_ = 0

    @property
    def best_(self) -> Concept:
        """The concept with the fewest mistakes, the first of them if there are several."""
        place = int(np.argmin(self._counts))
        return Concept(self.concepts, place if self._codes is None else int(self._codes[place]))

    @property
    def _state(self) -> Hashable:
        return self._counts.tobytes()

    def _details(self) -> list[tuple[str, object]]:
        return [
            ("Class", self.concepts),
            ("Mistakes of the best concept", f"{self.best_mistakes_:,}"),
        ]

    def _polled(self, x: Any) -> _Poll:
        labels = self.concepts.labels(x)
        last = self._poll  # looked at once: another thread may ask for another vote at the same time
        if last is not None and np.array_equal(labels, last.labels):
            return last
        bits = unpacked(labels) if self._codes is None else unpacked(labels)[self._codes]
        ones = np.bincount(self._counts[bits], minlength=len(self._all))
        # Powers by repeated multiplication are right to 2 k 2^-53 of their value (beta is rounded, too), the sums of
        # K terms to K 2^-53 more. What underflows is below 2^-900 in all, and the best concept alone has weight 1.
        if len(self._powers) < len(self._all):
            self._powers = np.cumprod(np.append(1.0, np.full(2 * len(self._all), float(self._beta))))
        powers, slack = self._powers[: len(self._all)], 2.0**-50 * (len(self._all) + 2)
        poll = _Poll(labels, bits, ones, float(ones @ powers), float(self._all @ powers), slack)
        self._poll = poll
        return poll

    def _sum(self, terms: Sequence[int]) -> int:
        """The sum of terms[k] beta^k, times a positive number: an integer of the same sign."""
        p, q = self._beta.numerator, self._beta.denominator
        total, power, last = 0, 1, len(terms)
        for k in range(len(terms) - 1, -1, -1):
            if terms[k]:
                total *= p ** (last - k)
                power *= q ** (last - k)
                total += terms[k] * power
                last = k
        return total

    def _update(self, x: Any, y: int) -> None:
        poll = self._polled(x)
        right = poll.ones if y else self._all - poll.ones
        grown = np.append(right, 0)
        grown[1:] += self._all - right
        least, most = np.flatnonzero(grown)[[0, -1]].tolist()
        wide = self._counts.astype(np.min_scalar_type(most), copy=False)
        counts = wide + (poll.bits != y)
        if least:  # it is 1: the best concepts were all wrong
            counts -= counts.dtype.type(1)
        self._counts = counts.astype(np.min_scalar_type(most - least), copy=False)
        self._all = grown[least : most + 1]
        self._poll = None
        self.best_mistakes_ += least


class WeightedMajority(_Vote):
    """Every concept votes with weight beta^(its mistakes); a tie predicts 1. It never gives up on a class.

    With m mistakes of the best concept it makes at most (ln |C| + m ln(1/beta)) / ln(2/(1+beta)). Weights are compared
    exactly, so predictions are the same on every machine.

    Parameters
    ----------
    concepts : a class from `novikoff.concepts`
    beta : float or Fraction, taken at its exact value
        What the weight of a wrong concept is multiplied by, 0 < beta < 1.

    Attributes
    ----------
    best_ : Concept
        One with the fewest mistakes.
    best_mistakes_ : int

    Examples
    --------
    >>> from novikoff import concepts, play
    >>> from novikoff.learners.weighted_majority import WeightedMajority
    >>> learner = WeightedMajority(concepts.thresholds(7))
    >>> run = play(learner, [(3, 1), (1, 0), (5, 0), (2, 1), (3, 1)])
    >>> run.mistakes, run.bound, learner.best_, learner.best_mistakes_
    (2, 9, <concept x >= 2>, 1)
    """

    def bound(self) -> int:
        """The most mistakes that the theorem allows, for the m of the examples so far."""
        return weighted_majority_bound(self.concepts.size, self.best_mistakes_, self._beta)

    def predict_one(self, x: Any) -> int:
        poll = self._polled(x)
        lead = 2 * poll.for_one - poll.weight
        if abs(lead) > 3 * poll.slack * poll.weight:
            return int(lead > 0)
        return int(self._sum((2 * poll.ones - self._all).tolist()) >= 0)


class RandomizedWeightedMajority(_Vote):
    """Predicts 1 with a probability equal to the share of the weight that says 1.

    With m mistakes of the best concept it makes at most (ln |C| + m ln(1/beta)) / (1 - beta) on average over its draws.
    There is one draw for each round, fixed by the seed and the round: predictions can be asked for again, and a copy
    predicts the same.

    Parameters
    ----------
    concepts : a class from `novikoff.concepts`
    beta : float or Fraction, taken at its exact value
        What the weight of a wrong concept is multiplied by, 0 < beta < 1.
    random_state : int, at least 0

    Attributes
    ----------
    best_ : Concept
        One with the fewest mistakes.
    best_mistakes_ : int
    expected_mistakes_ : float
        The sum of the probabilities of being wrong.

    Examples
    --------
    >>> from novikoff import concepts
    >>> from novikoff.learners.weighted_majority import RandomizedWeightedMajority
    >>> learner = RandomizedWeightedMajority(concepts.thresholds(7))
    >>> for x, y in [(3, 1), (1, 0), (5, 0), (2, 1), (3, 1)]:
    ...     learner = learner.learn_one(x, y)
    >>> round(learner.expected_mistakes_, 3), learner.bound()
    (2.675, 6)
    """

    def __init__(self, concepts: ConceptClass, beta: float | Fraction = 0.5, random_state: int = 0) -> None:
        super().__init__(concepts, beta)
        if not isinstance(random_state, int | np.integer) or isinstance(random_state, bool) or random_state < 0:
            raise ValueError(f"random_state is {random_state!r}: it must be an integer, at least 0")
        self.random_state = int(random_state)
        self._expected = 0  # in 1/UNIT

    def bound(self) -> int:
        """What the theorem allows `expected_mistakes_`, rounded up. `mistakes_`, one draw of them, may exceed it."""
        return randomized_bound(self.concepts.size, self.best_mistakes_, self._beta)

    @property
    def expected_mistakes_(self) -> float:
        return self._expected / UNIT

    @property
    def _state(self) -> Hashable:
        return self.rounds_, self._counts.tobytes()

    def _draw(self) -> int:
        """The random number of this round, below 2^64: raw words of a named generator do not change with NumPy."""
        return int(np.random.PCG64([self.random_state, self.rounds_]).random_raw())

    def predict_one(self, x: Any) -> int:
        # 1 if draw/UNIT is below the share: that has the probability of the share, to 1/UNIT.
        poll, draw = self._polled(x), self._draw()
        lead = poll.for_one - poll.weight * (draw / UNIT)
        if abs(lead) > 3 * poll.slack * poll.weight:
            return int(lead > 0)
        pairs = zip(poll.ones.tolist(), self._all.tolist(), strict=True)
        return int(self._sum([UNIT * one - draw * both for one, both in pairs]) > 0)

    def _update(self, x: Any, y: int) -> None:
        poll = self._polled(x)
        share = min(poll.for_one / poll.weight, 1.0)
        super()._update(x, y)
        self._expected += int((1.0 - share if y else share) * UNIT)
