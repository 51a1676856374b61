"""Is it separable, by what margin, and why."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import closer as twice
from novikoff.certificates import rational, solve
from novikoff.certificates.certificate import FINEST, About, NotSeparable, Separable, Undecided, Verdict
from novikoff.certificates.claim import InvalidCertificate, how_read
from novikoff.certificates.closer import Closer
from novikoff.certificates.divisions import Division, classes, divisions
from novikoff.certificates.separation import separation as separate
from novikoff.certificates.solve import CountedRows, Guess, OutOfBudget
from novikoff.certificates.spans import Blurred, Unclear
from novikoff.certificates.verdicts import Verdicts
from novikoff.certificates.weak import weak_separator
from novikoff.engine.rows import Indices, Rows, sqnorm
from novikoff.examples import Doubted
from novikoff.progress import Bracket
from novikoff.theory.exact import round_up, sqrt_down, sqrt_up
from novikoff.words import told

if TYPE_CHECKING:
    from novikoff.certificates.joint_verdicts import JointVerdict
    from novikoff.certificates.pair_verdicts import PairVerdicts
    from novikoff.certificates.soft_margin import SoftMargin

INTERRUPTED = "it was interrupted"
SPREAD = 2.0**10  # the longest row over the shortest, above which rows are also tried at equal length
WORD = 2.0**52  # weights are rounded to integers of this size, unless that loses the margin


@dataclass(frozen=True)
class Question:
    """What is asked, and how much may be spent on it."""

    gap: float = 0.01
    constant: float = 1.0
    max_passes: int | None = None
    max_seconds: float | None = None
    verbose: int = 0
    sphere: float | None = None  # as in `About`
    reading: dict[str, Any] | None = None  # as in `About`
    doubted: tuple[Doubted, ...] = ()  # as in `About`
    halt: Event | None = None  # where another thread says that it was interrupted
    separation: bool = False  # is it quasi-complete separation or overlap?


FROM_ZERO = (
    "; the usual reason are columns whose values are far from 0 and close to each other: subtract a number from each, "
    "which changes nothing but the intercept"
)

Multiclass = Literal["one-vs-rest", "one-vs-one", "joint"]
MULTICLASS = get_args(Multiclass)
Loss = Literal["squared_hinge", "hinge"]
Flags = NDArray[np.bool_] | Sequence[bool]  # labels that are two at most


@overload
def certify(
    X: Any,
    y: Flags,
    gap: float = ...,
    *,
    C: float,
    loss: Loss | None = ...,
    sample_weight: Any = ...,
    fit_intercept: bool = ...,
    intercept_scaling: float = ...,
    max_passes: int | None = ...,
    max_seconds: float | None = ...,
    verbose: int = ...,
) -> SoftMargin | Undecided: ...
@overload
def certify(
    X: Any,
    y: Any = ...,
    gap: float = ...,
    *,
    C: float,
    loss: Loss | None = ...,
    sample_weight: Any = ...,
    fit_intercept: bool = ...,
    intercept_scaling: float = ...,
    max_passes: int | None = ...,
    max_seconds: float | None = ...,
    verbose: int = ...,
) -> SoftMargin | Undecided | Verdicts: ...
@overload
def certify(
    X: Any,
    y: Flags,
    gap: float = ...,
    *,
    separation: bool = ...,
    multiclass: Multiclass = ...,
    C: None = ...,
    fit_intercept: bool = ...,
    intercept_scaling: float = ...,
    max_passes: int | None = ...,
    max_seconds: float | None = ...,
    verbose: int = ...,
) -> Verdict: ...
@overload
def certify(
    X: Any,
    y: Any = ...,
    gap: float = ...,
    *,
    separation: bool = ...,
    multiclass: Literal["one-vs-rest"] = ...,
    C: None = ...,
    fit_intercept: bool = ...,
    intercept_scaling: float = ...,
    max_passes: int | None = ...,
    max_seconds: float | None = ...,
    verbose: int = ...,
) -> Verdict | Verdicts: ...
@overload
def certify(
    X: Any,
    y: Any = ...,
    gap: float = ...,
    *,
    separation: bool = ...,
    multiclass: Multiclass = ...,
    C: float | None = ...,
    loss: Loss | None = ...,
    sample_weight: Any = ...,
    fit_intercept: bool = ...,
    intercept_scaling: float = ...,
    max_passes: int | None = ...,
    max_seconds: float | None = ...,
    verbose: int = ...,
) -> Verdict | SoftMargin | Verdicts | PairVerdicts | JointVerdict: ...
def certify(
    X: Any,
    y: Any = None,
    gap: float = 0.01,
    *,
    separation: bool = False,
    multiclass: Multiclass = "one-vs-rest",
    C: float | None = None,
    loss: Loss | None = None,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    max_passes: int | None = None,
    max_seconds: float | None = None,
    verbose: int = 0,
) -> Verdict | SoftMargin | Verdicts | PairVerdicts | JointVerdict:
    """Is there a hyperplane with every row on its side, and with what margin? The answer comes with its proof.

    With ``C``: what is the optimum of the soft margin, ||w||^2/2 + C sum loss(1 - y<w,x>)?

    Parameters
    ----------
    X : array, frame or sparse matrix of shape (n, d), taken exactly as stored; or a `novikoff.data.Dataset`, and then
        the certificate records how the file was read
    y : n labels: text, finite numbers or bools, which the certificate names; others (dates, None, NaN) are refused
    gap : how far apart the two ends of the margin may be, or of the optimum: lower >= (1 - gap) upper
    separation : of rows that are not separable, ask on: is it quasi-complete separation or overlap, and which
        coefficients of a logistic regression stay finite? The answer is ``.separation`` and ``.coefficients``
    multiclass : what is asked of more than two labels (of two it makes no difference): "one-vs-rest", each label
        against all the others; "one-vs-one", each pair of labels by itself, in one table and one file; "joint", whether
        there is a w for each label such that on every row that of its own has a larger product with x than any other
    C : None for the question of separability; a number for the optimum of the soft margin
    loss : of the soft margin, "squared_hinge" (the default), max(0, s)^2, or "hinge", max(0, s)
    sample_weight : n numbers >= 0 that multiply C, row by row; by default the weights of the `Dataset`, if it has some
    fit_intercept : append the constant coordinate ``intercept_scaling``; else the hyperplane goes through 0
    max_passes, max_seconds : where to give up; by default never
    verbose : 1 shows the bracket closing: a bar in a terminal or a notebook, lines on standard error elsewhere

    Returns
    -------
    Separable or NotSeparable, with C SoftMargin; or, when a budget runs out or on Ctrl-C, Undecided. With more than two
    labels, Verdicts: a table that holds, for every label, its verdict against the rest; with "one-vs-one" PairVerdicts,
    the same for every pair of labels, and there ``max_seconds`` is for all of them; with "joint" JointSeparable,
    JointNotSeparable or Undecided.
    """
    _check_options(gap, multiclass, intercept_scaling, max_passes, max_seconds)
    weights = _check_soft(X, C, loss, sample_weight, separation=separation)
    y = inputs.labels(X, y)
    reading = recorded(X)
    doubted = X.doubted if isinstance(X, inputs.Examples) else ()
    X, names = inputs.plain_matrix(X)
    constant = float(intercept_scaling) if fit_intercept else 0.0
    question = Question(
        gap, constant, max_passes, max_seconds, verbose, reading=reading, doubted=doubted, separation=separation
    )
    found = classes(y, X.shape[0])
    if multiclass != "one-vs-rest" and len(found.labels) > 2:
        if C is not None or separation:
            what = "a soft margin is" if C is not None else "separation is asked"
            cure = told("leave multiclass out", "leave --multiclass out")
            raise ValueError(f"{what} of one label against all others: {cure}")
        from novikoff.certificates import joint, pairs  # which go on from here

        rows, about = pairs.surveyed(X, found, question, names)
        return (pairs.one_vs_one if multiclass == "one-vs-one" else joint.joint)(rows, about, question)
    hashed: bytes | None = None
    proofs: dict[Any, Verdict | SoftMargin] = {}
    proof: Verdict | SoftMargin
    if C is not None:
        from novikoff.certificates.optimum import Cost, minimise  # which go on from here

        weights = None if weights is None else inputs.sample_weights(weights, X.shape[0])
        cost = Cost(float(C), loss or "squared_hinge", weights)
    for division in divisions(found):
        if C is None:
            hashed, proof = prove(X, division, question, names, hashed)
        else:
            hashed, optimum = minimise(X, division, cost, question, names, hashed)
            proof = optimum.proof
        proofs[division.positive] = proof
        if isinstance(proof, Undecided) and proof.why == INTERRUPTED:
            question = replace(question, max_seconds=0.0)  # one Ctrl-C ends the labels that are left, too
    return next(iter(proofs.values())) if len(proofs) == 1 else Verdicts(proofs)


def _check_options(
    gap: float, multiclass: str, intercept_scaling: float, max_passes: int | None, max_seconds: float | None
) -> None:
    if multiclass not in MULTICLASS:
        words = ", ".join(map(repr, MULTICLASS))
        raise ValueError(f"{told('multiclass', '--multiclass')} must be one of {words}, got {multiclass!r}")
    if not FINEST <= gap < 1:
        raise ValueError(f"{told('gap', '--gap')} must be at least {FINEST} and below 1, got {gap!r}")
    if not 0 < intercept_scaling < math.inf:
        raise ValueError(f"intercept_scaling must be positive and finite, got {intercept_scaling!r}")
    for name, budget in (("max_passes", max_passes), ("max_seconds", max_seconds)):
        if budget is not None and not (isinstance(budget, Real) and budget >= 0):
            raise ValueError(f"{told(f'{name} must be None or', '--max-seconds must be')} at least 0, got {budget!r}")


def _check_soft(X: Any, C: float | None, loss: str | None, sample_weight: Any, *, separation: bool) -> Any:
    """Is the question of the soft margin complete? The weights that it is asked with."""
    if C is None:
        cure = told("give C as well, C=1.0 for example, or leave it out", "give --C as well, or leave it out")
        if loss is not None:
            raise ValueError(f"{told('loss', '--loss')} belongs to the soft margin: {cure}")
        if sample_weight is not None:
            raise ValueError(f"sample_weight belongs to the soft margin, whose C it multiplies: {cure}")
        return None
    if separation:
        raise ValueError(
            told("separation is", "--separation is") + " a question about rows without C: leave one of them out"
        )
    if not (isinstance(C, Real) and 0 < C < math.inf):
        cure = told("or None for separability", "or left out for separability")
        raise ValueError(f"{told('C', '--C')} must be positive and finite, {cure}, got {C!r}")
    if loss not in (None, "hinge", "squared_hinge"):
        raise ValueError(f"{told('loss', '--loss')} must be 'hinge' or 'squared_hinge', got {loss!r}")
    return inputs.given_weights(X, sample_weight)


def recorded(X: Any) -> dict[str, Any] | None:
    """How the file was read, if X is a `Dataset` and its certificate can say it; a warning if it cannot."""
    if not isinstance(X, inputs.Examples) or X.record is None:
        return None
    try:
        how_read(X.record)
    except InvalidCertificate as error:
        warnings.warn(
            f"the certificate leaves out how the file was read ({error}): `verify` will need the same options again",
            UserWarning,
            stacklevel=3,
        )
        return None
    return X.record


def prove(
    X: Any, division: Division, question: Question, names: Any = None, hashed: bytes | None = None
) -> tuple[bytes, Verdict]:
    """The verdict on one division of the rows; and the digest of X, for the next one."""
    hashed, about, data, radius, power = prepared(X, division, question, names, hashed)
    return hashed, _Case(about, data, radius, power, question).verdict()


def prepared(
    X: Any, division: Division, question: Question, names: Any = None, hashed: bytes | None = None
) -> tuple[bytes, About, CountedRows, float, int]:
    """The digest of X, what a proof says it is about, the rows times 2^-power, their radius, and that power."""
    hashed, about, rows = surveyed(X, division, question, names, hashed)
    return hashed, about, *counted(rows, question)


def surveyed(
    X: Any, division: Division, question: Question, names: Any = None, hashed: bytes | None = None
) -> tuple[bytes, About, Rows]:
    """The digest of X, what a proof says it is about, and the rows, each of which has been looked at."""
    n, d = X.shape
    rows = Rows(X, division.signs, question.constant)
    with inputs.refusals(X, names):
        rows.survey()
    hashed = hashed or rows.matrix_digest()
    labels = division.positive, division.against
    about = About(
        rows.digest(hashed),
        n,
        d,
        question.constant,
        *labels,
        question.sphere,
        question.reading,
        question.doubted,
        names=names,
    )
    return hashed, about, rows


def verdict_on(rows: Rows, about: About, question: Question) -> Verdict:
    """The verdict on rows with signs that have been looked at."""
    return _Case(about, *counted(rows, question), question).verdict()


def counted(rows: Rows, question: Question) -> tuple[CountedRows, float, int]:
    """The rows as a search reads them, times 2^-power; their own radius; and that power."""
    rows, power, radius = within_floats(rows)
    return CountedRows(rows, question.max_passes, question.max_seconds, question.halt), radius, power


def within_floats(rows: Rows) -> tuple[Rows, int, float]:
    """The rows, times a power of two where their squares would not be floats; that power; and their own radius."""
    power = _awkward(rows.radius)
    if power:
        rows = _rescaled(rows, power)
    radius_sq = rows.radius_sq * Fraction(4) ** power
    if radius_sq > Fraction(sys.float_info.max) ** 2:
        raise ValueError("the norm of a row of X is too large for a float64: scale the features")
    return rows, power, sqrt_up(radius_sq)


def _awkward(radius: float) -> int:
    """The power of two to divide by, where norms are so far from 1 that their squares would not be floats."""
    if radius == 0 or 2.0**-300 < radius < 2.0**300:
        return 0
    return math.frexp(radius)[1] if radius < math.inf else 1024


def _rescaled(rows: Rows, power: int) -> Rows:
    """The rows times 2^-power, exactly, on a copy; an error if an entry is too small beside another for that."""
    constant = rows.constant
    copy = rows.storage.some(slice(None), rows.width - 1).astype(np.float64)
    values: Any = copy.data if sp.issparse(copy) else copy
    kept = values.copy()
    np.ldexp(values, -power, out=values)
    last = math.ldexp(constant, -power)
    if not np.array_equal(np.ldexp(values, power), kept) or math.ldexp(last, power) != constant:
        raise ValueError(
            "X holds values, the constant coordinate among them, whose ratio is not a float64 (over 1e300): scale the "
            "features before certifying"
        )
    return Rows(copy, rows.signs, last)


@dataclass
class _Case:
    """One division of the rows, on its way to a verdict."""

    about: About
    data: CountedRows
    radius: float
    power: int  # margins of the data are those of the rows times 2^power
    question: Question

    def verdict(self) -> Verdict:
        self.lower, self.upper = -math.inf, self.radius
        try:
            with Bracket("certify", self.question.gap) if self.question.verbose else nullcontext() as watch:
                return self._obvious() or self._search(watch)
        except OutOfBudget as out:
            why = str(out)
        except KeyboardInterrupt:
            why = INTERRUPTED
        return Undecided(self.about, self.data.passes, (self.lower, self.upper), why)

    def _search(self, watch: Bracket | None) -> Verdict:
        gap = self.question.gap
        for guess in solve.guesses(self.data, gap):
            upper = self._note(guess, watch)
            if guess.lowest > 0 and guess.lowest >= (1 - 1.01 * gap) * float(upper):
                proof = self._separable(guess)
                if proof:
                    return proof
        return self._beyond_floats(guess, watch)

    def _note(self, guess: Guess, watch: Bracket | None) -> Fraction:
        """What the guess says of the margin goes into the bracket; returns its upper end, in the units of the rows."""
        upper = self.data.upper(guess.rows, guess.p)
        self.upper = min(self.upper, round_up(upper * self._unit))
        noise = (self.data.width + 4) * 2.0**-52 * self.data.rows.radius
        self.lower = max(self.lower, math.ldexp(guess.lowest - noise, self.power))
        if watch:
            watch(self.data.passes, self.lower, self.upper)
        return upper

    @property
    def _unit(self) -> Fraction:
        return Fraction(2) ** self.power

    # Separable ---------------------------------------------------------------------------------

    def _separable(self, guess: Guess) -> Separable | None:
        """The guess with exact ends, if they are close enough together."""
        kept = guess.p > 2.0**-200 * guess.p.max()
        order = np.argsort(guess.rows[kept])
        rows, p = guess.rows[kept][order], guess.p[kept][order]
        weights = rational.integers(p)[0]
        upper = round_up(self.data.upper(rows, p) * self._unit)
        rounded = np.round(guess.w * WORD) / WORD
        for w in (rounded, guess.w):
            closest = self.data.rows.hardest(w)
            self.data.spend(1)
            product = self.data.rows.product(closest, w)
            ratio = product**2 / sqnorm(w) if product > 0 else Fraction(0)
            proof = self._with_ends(rational.integers(w)[0], rows, weights, upper, closest, ratio)
            if proof:
                return proof
        return None

    def _with_ends(
        self,
        w: list[int],
        rows: Indices,
        weights: list[int],
        upper: float,
        closest: int,
        margin_sq: Fraction,
    ) -> Separable | None:
        """The proof, if the margin of w comes close enough to the upper end."""
        lower = sqrt_down(margin_sq * self._unit**2)
        if not lower > 0 or Fraction(lower) < (1 - Fraction(self.question.gap)) * Fraction(upper):
            return None
        return Separable(
            self.about,
            self.data.passes,
            (lower, upper),
            self.radius,
            tuple(w),
            rows,
            tuple(weights),
            closest,
            "complete" if self.question.separation else None,
        )

    # Not separable -----------------------------------------------------------------------------

    def _obvious(self) -> NotSeparable | None:
        """A row of zeros, or two rows that say the opposite."""
        zero = np.flatnonzero(self.data.norms == 0.0)
        if len(zero):
            return self._not_separable(zero[:1], [1])
        pair = _contradiction(self.data)
        return self._not_separable(pair, [1, 1], contradiction=True) if pair is not None else None

    def _not_separable(self, rows: Indices, weights: list[int], *, contradiction: bool = False) -> NotSeparable:
        """The proof by these rows, those of weight 0 left out.

        It is irreducible: the rows with weight have one dependence, so without any one of them they are independent,
        and can be separated. A row of zeros and two opposite rows have one; so have the rows of
        `rational.null_vector`, since those before the last are independent; those of `rational.nearest`, which are
        affinely independent; and those that `rational.circuit` leaves.
        """
        used = [k for k, weight in enumerate(weights) if weight]
        used.sort(key=lambda k: int(rows[k]))
        common = math.gcd(*weights)
        rows, weights = rows[used], [weights[k] // common for k in used]
        if not self.question.separation:
            return self._with_weak_separator(rows, weights, contradiction)
        try:
            found = separate(self.data, rows, weights, self.power)
        except Unclear as unclear:
            cure = FROM_ZERO if isinstance(unclear, Blurred) and self.about.constant else ""
            return replace(self._with_weak_separator(rows, weights, contradiction), unanswered=f"{unclear}{cure}")
        except OutOfBudget as out:
            return replace(self._plain(rows, weights, contradiction), unanswered=str(out))
        except KeyboardInterrupt:
            return replace(self._plain(rows, weights, contradiction), unanswered=INTERRUPTED)
        weak = found.detail.weak
        if weak is not None and not self.about.constant:
            weak = (*weak, 0)
        proof = self._plain(found.rows, found.weights, contradiction=False)
        return replace(proof, weak=weak, at_zero_positive=found.accepted, detail=found.detail)

    def _with_weak_separator(self, rows: Indices, weights: list[int], contradiction: bool) -> NotSeparable:
        proof = self._plain(rows, weights, contradiction)
        try:
            weak, accepted = weak_separator(self.data, rows)
        except (OutOfBudget, KeyboardInterrupt):  # the verdict stands without it
            return proof
        return replace(proof, weak=None if weak is None else tuple(weak), at_zero_positive=accepted)

    def _plain(self, rows: Indices, weights: list[int], contradiction: bool) -> NotSeparable:
        balance = sum(p * int(s) for p, s in zip(weights, self.data.signs[rows], strict=True))
        return NotSeparable(
            self.about,
            self.data.passes,
            rows,
            tuple(weights),
            None,
            False,
            contradiction,
            not self.about.constant and balance != 0,
        )

    def _beyond_floats(self, guess: Guess, watch: Bracket | None) -> Verdict:
        """Floats have nothing better than this guess: integers decide, and twice the digits tell them where to look."""
        for rows in self._suspects(guess):
            cancelling = self._cancelling(rows)
            if cancelling:
                return cancelling
        rows, weights = guess.rows, [Fraction(x) for x in guess.p.tolist()]
        if self.data.width <= solve.WIDE:
            for closer in twice.guesses(self.data, self.question.gap, guess):
                self._note(closer.guess, watch)
            proof = self._cancelling(closer.guess.rows) if closer.vanished else self._closed(closer)
            if proof:
                return proof
            rows, weights = closer.guess.rows, closer.weights()
        found = rational.nearest(self.data, self.question.gap, rows, weights)
        return self._proof(found) or self._no_float_holds_it()

    def _cancelling(self, rows: Indices) -> NotSeparable | None:
        """The proof by the vanishing combination of these rows, if there is one of one sign."""
        p = rational.null_vector(rational.integer_rows(self.data, rows).table, self.data.look)
        p = rational.one_signed(p) if p else None
        return self._not_separable(rows, p) if p else None

    def _closed(self, closer: Closer) -> Verdict | None:
        """The guess in integers, if its ends are close enough together."""
        w, p = rational.in_integers(closer.w()), rational.in_integers(closer.weights())
        kept = [k for k, weight in enumerate(p) if weight > 0]
        rows, p = closer.guess.rows[kept], [p[k] for k in kept]
        block = rational.integer_rows(self.data, rows)
        upper = rational.combination(self.data, block, p)
        if not any(upper):
            return self._not_separable(rows, rational.circuit(block.table, p, self.data.look))
        return self._with_margin(w, *rational.smallest_product(self.data, w), upper, rows, p, block.exponent)

    def _proof(self, found: rational.Nearest) -> Verdict | None:
        """What the nearest point proves."""
        if not any(found.w):
            return self._not_separable(found.rows, found.p)
        return self._with_margin(found.w, found.closest, found.smallest, found.w, found.rows, found.p, found.exponent)

    def _with_margin(
        self,
        w: list[int],
        closest: int,
        smallest: Fraction,
        v: list[int],
        rows: Indices,
        p: list[int],
        exponent: int,
    ) -> Separable | None:
        """The proof by w, and by v = sum p a 2^-exponent, if their ends are close enough together."""
        order = np.argsort(rows)
        common = math.gcd(*w)
        squared = Fraction(_square(v), sum(p) ** 2) * Fraction(4) ** (exponent + self.power)
        return self._with_ends(
            [x // common for x in w],
            rows[order],
            [p[k] for k in order],
            sqrt_up(squared),
            closest,
            smallest**2 / _square(w) if smallest > 0 else Fraction(0),
        )

    def _no_float_holds_it(self) -> Verdict:
        raise ValueError("the margin is too small for a float64, though it is there: scale the features")

    def _suspects(self, guess: Guess) -> Iterator[Indices]:
        """Rows that may cancel: of the guess; and of a search that sees long and short rows alike."""
        yield guess.rows
        norms = self.data.norms
        if self.data.width <= solve.WIDE and norms.max() > SPREAD * norms.min():
            *_, last = solve.guesses(self.data.with_unit_rows(), self.question.gap)
            yield last.rows


def _square(w: list[int]) -> int:
    return sum(x * x for x in w)


def _contradiction(data: CountedRows) -> Indices | None:
    """Two equal rows with different signs, if there are any."""
    # Equal rows have equal products with any vector; in a mixed group of them some neighbours differ in sign.
    keys = data.products(np.random.RandomState(1).standard_normal(data.width)) * data.signs
    order = np.argsort(keys, kind="stable")
    pairs = np.column_stack([order[:-1], order[1:]])[np.diff(keys[order]) == 0]
    pairs = np.sort(pairs[data.signs[pairs[:, 0]] != data.signs[pairs[:, 1]]], axis=1)
    for pair in pairs[np.lexsort(pairs.T[::-1])]:
        if _equal(data, pair):
            return np.asarray(pair)
    return None


def _equal(data: CountedRows, pair: Indices) -> bool:
    """Are the two rows the same example?"""
    first, second = data.rows.dense(pair) * data.signs[pair][:, None]
    return bool(np.array_equal(first, second))
