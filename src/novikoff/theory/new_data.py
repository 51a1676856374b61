"""What a run says about data that it has not seen, if the rows are independent draws from one distribution.

The error of a hypothesis is the probability that it errs on a new draw; to be undecided is an error. Let h_0, ...,
h_(n-1) be what a learner predicts with in the rounds of its first pass over n draws, and M the number of its mistakes
in that pass. If h_t depends on the first t draws alone, it errs on the next one with the probability err(h_t). So

    E M = E err(h_0) + ... + E err(h_(n-1)).

Given what came before, err(h_t) - [h_t errs in its round] has the mean 0, and lies in an interval of length 1. For the
mean of these differences, which is the mean error less M/n, Azuma's inequality in Hoeffding's form says

    P(mean err(h_t) - M/n >= z) <= exp(-2 n z^2), for every z > 0.

With the probability 1 - delta the mean error is therefore below M/n + sqrt(ln(1/delta)/(2n)). The vote of h_0, ...,
h_(n-1) is right wherever more than half of them are right, for any number of classes. Where it errs at least half of
them do, so its error is at most twice their mean error. Nothing follows for the last hypothesis, nor for the best of
them, nor for the mean of their weights.

Everything rests on it that h_t depends on the first t draws alone. It does if the learner goes through the rows once,
in an order that was chosen without looking at them. It does not if anything that goes into h_t was found from all
rows: weights of the classes by how frequent they are, a threshold or a scale from the largest norm, a standardisation,
a start that was learned from some of them, or an order that begins with what is hardest.

Compression. Let a run over n draws end without an error on any of them, and let it have updated on k of them only: its
support. If the same learner ends with the same hypothesis on these k rows alone, visited in the same order, then that
is one of C(n,k) hypotheses h_I, each of which depends on the draws at a set I of k places alone. The n - k others are
independent of h_I. That it errs on none of them, and has an error of e or more, has the probability (1 - e)^(n-k) at
most. So, for each k,

    P(the run ends, with k support rows and an error >= e) <= C(n,k) (1 - e)^(n-k) <= C(n,k) exp(-(n-k) e).

It is at most delta/n for e = (ln C(n,k) + ln n + ln(1/delta))/(n-k), and k is one of 0, ..., n-1, or n, of which
nothing is said. So with the probability 1 - delta the run does not end, or its error is below that e.

A Perceptron that ends is such a learner: rows that it has never updated on have not changed what it did. The order may
be any that was chosen without looking at the rows; always the first violated row, or the hardest one, are allowed as
well. But as above, nothing may be found from all rows: a threshold from the largest norm is not that of the support
rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product

from novikoff.theory.exact import Number, logarithm, rational, root, round_up, vector
from novikoff.theory.theorem import Hypothesis, Theorem

Sample = tuple[int, ...]
Errs = Sequence[bool]
DIGITS = 40  # of logarithms
FEW = 1000  # from here on C(n,k) is not written out

CESA_BIANCHI = (
    "N. Cesa-Bianchi, A. Conconi and C. Gentile, On the generalization ability of on-line learning algorithms, IEEE "
    "Transactions on Information Theory 50 (2004) 2050-2057"
)
LITTLESTONE_WARMUTH = (
    "N. Littlestone and M. K. Warmuth, Relating data compression and learnability (1986); S. Floyd and M. K. Warmuth, "
    "Sample compression, learnability, and the Vapnik-Chervonenkis dimension, Machine Learning 21 (1995) 269-304"
)


# The bounds ----------------------------------------------------------------------------------------


def _doubt(confidence: Number) -> Fraction:
    """ln(1/delta) for delta = 1 - confidence, from above. A float, trusted to 2^-51 of itself, has its upper end."""
    slack = 0 if isinstance(confidence, int | Fraction) else Fraction(1, 2**51)
    delta = 1 - rational(confidence) * (1 + slack) if math.isfinite(float(confidence)) else Fraction(0)
    if not 0 < delta < 1:
        raise ValueError(f"a confidence is above 0 and below 1, 0.95 say; it is {confidence}")
    return -logarithm(delta, DIGITS)[0]


def _mean_error(mistakes: int, n: int, confidence: Number) -> Fraction:
    if not 0 <= mistakes <= n or n < 1:
        raise ValueError(f"the bound needs 0 <= mistakes <= n and n >= 1; mistakes = {mistakes}, n = {n}")
    return Fraction(mistakes, n) + root(_doubt(confidence) / (2 * n))[1]


def first_pass_bound(mistakes: int, n: int, confidence: Number = 0.95) -> float:
    """M/n + sqrt(ln(1/delta)/(2n)), rounded up, and 1 at most: of the mean error of the hypotheses of the first pass.

    ``mistakes`` are those of the first pass over n rows, and delta is 1 - confidence.
    """
    return round_up(min(Fraction(1), _mean_error(mistakes, n, confidence)))


def vote_bound(mistakes: int, n: int, confidence: Number = 0.95) -> float:
    """Twice what `first_pass_bound` is, 1 at most: of the error of the vote of the hypotheses of the first pass."""
    return round_up(min(Fraction(1), 2 * _mean_error(mistakes, n, confidence)))


def compression_bound(support: int, n: int, confidence: Number = 0.95) -> float:
    """(ln C(n,k) + ln n + ln(1/delta))/(n - k), rounded up, and 1 at most: of the error of a run that has ended.

    ``support`` is k, how many of the n rows the run updated on, and delta is 1 - confidence. If neither k nor n - k is
    below 1000, C(n,k) is taken at its upper end by Stirling's formula.
    """
    if not 0 <= support <= n or n < 1:
        raise ValueError(f"the bound needs 0 <= support <= n and n >= 1; support = {support}, n = {n}")
    doubt = _doubt(confidence)
    if support == n:
        return 1.0
    return round_up(min(Fraction(1), (_log_choices(n, support) + _log(n) + doubt) / (n - support)))


def _log(value: int | Fraction) -> Fraction:
    """The logarithm, from above."""
    return logarithm(value, DIGITS)[1]


def _log_choices(n: int, k: int) -> Fraction:
    """ln C(n,k), from above.

    By Robbins sqrt(2 pi m) (m/e)^m exp(1/(12m+1)) <= m! <= sqrt(2 pi m) (m/e)^m exp(1/(12m)). In n!/(k! (n-k)!) the
    last factors make at most 1, since 12n > 12k + 1; and 2 pi > 6.28.
    """
    rest = n - k
    if min(k, rest) < FEW:
        return _log(math.comb(n, k))
    powers = n * _log(n) - sum(m * logarithm(m, DIGITS)[0] for m in (k, rest))
    return powers + _log(Fraction(100 * n, 628 * k * rest)) / 2


# The first pass ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draws:
    """All that can happen to a learner in one pass over n draws from a finite distribution.

    Parameters
    ----------
    chances
        The probability of each of the m examples.
    samples
        Of each sequence of n examples, as numbers 0, ..., m-1 in the order of the rounds, its probability; 0 for those
        that are left out.
    errs
        For each of these sequences, and each of its rounds, on which of the m examples the hypothesis before this round
        errs.
    votes
        For each of these sequences, on which of the m examples the vote of these hypotheses errs. Where it is left out,
        it errs wherever at least half of them do.
    """

    chances: Sequence[Fraction]
    samples: Mapping[Sample, Fraction]
    errs: Mapping[Sample, Sequence[Errs]]
    votes: Mapping[Sample, Errs] = field(default_factory=dict)

    @classmethod
    def of(cls, chances: Sequence[Number], n: int, hypothesis: Callable[[Sample], Errs]) -> Draws:
        """n independent draws; the hypothesis is a function of those before its round."""
        parts = vector(chances)
        samples = independent(parts, n)
        known = {past: hypothesis(past) for t in range(n) for past in product(range(len(parts)), repeat=t)}
        return cls(parts, samples, {s: [known[s[:t]] for t in range(n)] for s in samples})

    @property
    def n(self) -> int:
        return len(next(iter(self.samples)))

    @cached_property
    def outcomes(self) -> list[tuple[Fraction, int, Fraction, Fraction]]:
        """Of each sequence that can happen: probability, mistakes, mean error, and error of the vote."""
        return [(p, *self._outcome(s)) for s, p in self.samples.items() if p]

    def _outcome(self, sample: Sample) -> tuple[int, Fraction, Fraction]:
        errs = self.errs[sample]
        mistakes = sum(wrong[i] for wrong, i in zip(errs, sample, strict=True))
        mean = sum((error_of(self.chances, wrong) for wrong in errs), Fraction(0)) / self.n
        return mistakes, mean, error_of(self.chances, self.votes.get(sample, self.outvoted(sample)))

    def outvoted(self, sample: Sample) -> list[bool]:
        """Where at least half of the hypotheses err."""
        return [2 * sum(column) >= self.n for column in zip(*self.errs[sample], strict=True)]


def error_of(chances: Sequence[Fraction], errs: Errs) -> Fraction:
    """The probability of an error on a new draw."""
    return sum((p for p, wrong in zip(chances, errs, strict=True) if wrong), Fraction(0))


def independent(chances: Sequence[Fraction], n: int) -> dict[Sample, Fraction]:
    """The probability of each sequence of n independent draws."""
    every = product(range(len(chances)), repeat=n)
    return {sample: math.prod((chances[i] for i in sample), start=Fraction(1)) for sample in every}


def _independent(draws: Draws | Samples) -> bool:
    expected = independent(draws.chances, draws.n)
    return min(draws.chances) >= 0 and all(draws.samples.get(s, Fraction(0)) == p for s, p in expected.items())


def _by_the_past(draws: Draws) -> bool:
    known: dict[Sample, Errs] = {}
    possible = [s for s, p in draws.samples.items() if p]
    return all(
        list(known.setdefault(s[:t], draws.errs[s][t])) == list(draws.errs[s][t])
        for s in possible
        for t in range(draws.n)
    )


def _is_a_vote(draws: Draws) -> bool:
    """Does it err only where it may? It is right wherever more than half of the hypotheses are."""
    possible = [s for s in draws.votes if draws.samples.get(s)]
    return all(may or not does for s in possible for does, may in zip(draws.votes[s], draws.outvoted(s), strict=True))


INDEPENDENT = Hypothesis("the draws are independent, all from one distribution", _independent)
BY_THE_PAST = Hypothesis("a hypothesis depends on the draws before its round alone", _by_the_past)
A_VOTE = Hypothesis("the vote is right wherever more than half of the hypotheses are", _is_a_vote)


def _log_at_most(value: Fraction, power: Fraction) -> bool:
    """Is value <= exp(power), for a power below 0? Powers of e are not rational, so that enough digits decide."""
    digits = 20
    while True:
        low, high = logarithm(value, digits)
        if high <= power or low > power:
            return high <= power
        digits *= 2


def _rare(n: int, found: Sequence[tuple[Fraction, Fraction]]) -> bool:
    """Is P(Z >= z) <= exp(-2 n z^2) for all z > 0, for pairs of a value of Z and its probability?

    It is if it is for the values of Z, since P is constant between them.
    """
    tails = {z: sum((p for other, p in found if other >= z), Fraction(0)) for z, _ in found if z > 0}
    return all(_log_at_most(tail, -2 * n * z**2) for z, tail in tails.items())


def _rarely_better_than_it_is(draws: Draws) -> bool:
    """For the mean error less M/n, and for half of the error of the vote less M/n."""
    n = draws.n
    of_mean = [(mean - Fraction(mistakes, n), p) for p, mistakes, mean, _ in draws.outcomes]
    of_vote = [(vote / 2 - Fraction(mistakes, n), p) for p, mistakes, _, vote in draws.outcomes]
    return _rare(n, of_mean) and _rare(n, of_vote)


def mean_of_mistakes(mistakes: int, n: int) -> Fraction:
    """M/n, where M is the expected number of mistakes in n rounds: what the mean error is expected to be."""
    return Fraction(mistakes, n)


def _mean_identity(draws: Draws) -> bool:
    mistakes = sum((p * m for p, m, _, _ in draws.outcomes), Fraction(0))
    errors = sum((p * mean for p, _, mean, _ in draws.outcomes), Fraction(0))
    votes = sum((p * vote for p, _, _, vote in draws.outcomes), Fraction(0))
    return mistakes == draws.n * errors and votes * draws.n <= 2 * mistakes


ONLINE_TO_BATCH = Theorem(
    "online-to-batch",
    "From mistakes to errors",
    "In one pass over n independent draws the expected number of mistakes is the sum of the expected errors of the "
    "hypotheses of its rounds, and the vote of them has at most twice their mean error.",
    (INDEPENDENT, BY_THE_PAST, A_VOTE),
    mean_of_mistakes,
    _mean_identity,
    CESA_BIANCHI,
    Draws,
)

FIRST_PASS = Theorem(
    "first-pass",
    "What the first pass says about new data",
    "If the first pass over n independent draws makes M mistakes, then, with the probability 1 - delta, the hypotheses "
    "of its rounds have a mean error of at most M/n + sqrt(ln(1/delta)/(2n)), and their vote errs at most twice as "
    "often.",
    (INDEPENDENT, BY_THE_PAST, A_VOTE),
    first_pass_bound,
    _rarely_better_than_it_is,
    CESA_BIANCHI + ", with Azuma's inequality",
    Draws,
)


# Compression ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Samples:
    """All that can happen to a learner that goes on until nothing is wrong, on n draws from a finite distribution.

    Parameters
    ----------
    chances
        The probability of each of the m examples.
    samples
        Of each sequence of n examples, as numbers 0, ..., m-1, its probability; 0 for those that are left out.
    runs
        For each sequence of up to n examples, what the learner makes of it: the places that it updated on, or None if
        it does not end, and on which of the m examples it errs then.
    """

    chances: Sequence[Fraction]
    samples: Mapping[Sample, Fraction]
    runs: Mapping[Sample, tuple[Sequence[int] | None, Errs]]

    @classmethod
    def of(
        cls, chances: Sequence[Number], n: int, learner: Callable[[Sample], tuple[Sequence[int] | None, Errs]]
    ) -> Samples:
        """n independent draws; the learner is a function of a sequence of examples."""
        parts = vector(chances)
        every = (s for size in range(n + 1) for s in product(range(len(parts)), repeat=size))
        return cls(parts, independent(parts, n), {s: learner(s) for s in every})

    @property
    def n(self) -> int:
        return len(next(iter(self.samples)))

    def ended(self) -> Iterator[tuple[Sample, Sequence[int], Errs]]:
        """The sequences that can happen, and on which the run ends, with their support and errors."""
        for sample, p in self.samples.items():
            support, errs = self.runs[sample]
            if p and support is not None:
                yield sample, support, errs

    @cached_property
    def outcomes(self) -> list[tuple[Fraction, int, Fraction]]:
        """Of each run that ends: probability, support, error."""
        return [(self.samples[s], len(support), error_of(self.chances, errs)) for s, support, errs in self.ended()]


def _rare_at_every_size(found: Samples) -> bool:
    """P(the run ends with support k and an error >= e) <= C(n,k) (1 - e)^(n-k), for each k and error e."""
    n = found.n
    return all(
        sum(p for p, size, error in found.outcomes if size == k and error >= e) <= math.comb(n, k) * (1 - e) ** (n - k)
        for k, e in {(size, error) for _, size, error in found.outcomes}
    )


COMPRESSION = Theorem(
    "compression",
    "What few support rows say about new data",
    "If a run over n independent draws ends without an error on them, and ends the same on its k support rows alone, "
    "then, with the probability 1 - delta, its error is at most (ln C(n,k) + ln n + ln(1/delta))/(n - k).",
    (
        INDEPENDENT,
        Hypothesis(
            "a run that ends errs on none of its draws",
            lambda found: not any(errs[i] for sample, _, errs in found.ended() for i in sample),
        ),
        Hypothesis(
            "on its support rows alone, in the same order, a run ends with the same hypothesis",
            lambda found: all(
                list(found.runs[tuple(sample[place] for place in support)][1]) == list(errs)
                for sample, support, errs in found.ended()
            ),
        ),
    ),
    compression_bound,
    _rare_at_every_size,
    LITTLESTONE_WARMUTH,
    Samples,
)
