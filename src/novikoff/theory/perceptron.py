"""The Perceptron's theorems, as the notes state them and with the constants they allow."""

from __future__ import annotations

import math
from fractions import Fraction

from novikoff.theory.exact import Number, at_least, inner, rational, sqnorm
from novikoff.theory.theorem import Hypothesis, Run, Theorem

NOVIKOFF = (
    "A. B. J. Novikoff, On convergence proofs on perceptrons, "
    "Symposium on the Mathematical Theory of Automata XII (1962) 615-622"
)


def update_bound(radius_sq: Number, margin_sq: Number, threshold: Number = 0) -> int:
    """floor((R^2 + 2 theta) / gamma^2) from w = 0, for squares given exactly.

    Each update adds at most R^2 + 2 theta to ||w||^2 and at least gamma to <w,w*>, so after M of them
    M gamma <= <w,w*> <= ||w|| <= sqrt(M (R^2 + 2 theta)).
    """
    if not rational(margin_sq) > 0:
        raise ValueError(f"the bound needs a positive margin; gamma^2 = {margin_sq}")
    return math.floor((rational(radius_sq) + 2 * rational(threshold)) / rational(margin_sq))


def bound_from_start(radius_sq: Number, gamma: Number, start_norm: Number, threshold: Number = 0) -> int:
    """floor((R^2 + 2 theta + 2 gamma ||w0||) / gamma^2): the same from any w0.

    M gamma - ||w0|| <= <w,w*> <= ||w|| <= sqrt(||w0||^2 + M (R^2 + 2 theta)). If the left side is positive,
    square it; if not, M <= ||w0|| / gamma. A float gamma is trusted to 2^-51 of its value, and taken at the lower end.
    """
    margin = at_least(gamma)
    if not margin > 0:
        raise ValueError(f"the bound needs a positive margin; gamma = {gamma}")
    growth = rational(radius_sq) + 2 * rational(threshold) + 2 * margin * rational(start_norm)
    return math.floor(growth / margin**2)


def at_most(count: int, gain: Fraction, margin_sq: Fraction) -> bool:
    """count <= gain / gamma^2, without a division."""
    return margin_sq > 0 and count * margin_sq <= gain


def _adds(run: Run) -> bool:
    """Is w after each update, where the learner's own was recorded, w + y x?"""
    return all(
        b == a + run.signs[i] * x
        for before, after, i in zip(run.path, run.path[1:], run.updates, strict=False)
        for a, b, x in zip(before, after, run.rows[i], strict=True)
    )


SEPARATED = Hypothesis("w* separates the examples: y<w*,x> >= gamma ||w*|| > 0", lambda run: min(run.margins) > 0)
UNIT_ROWS = Hypothesis("||x|| = 1 for every example", lambda run: all(sqnorm(row) == 1 for row in run.rows))
UNIT_BALL = Hypothesis("||x|| <= 1 for every example", lambda run: run.radius_sq <= 1)
FROM_ZERO = Hypothesis("w starts at 0", lambda run: not any(run.start))
ADDS = Hypothesis("every update is exactly w + y x", _adds)
ON_MISTAKES = Hypothesis(
    "w changes on mistakes, and on every one",
    lambda run: (
        len(run.updates) == run.mistakes
        and all(p < 0 or (p == 0 and run.zero != run.signs[i]) for p, i in zip(run.products, run.updates, strict=True))
    ),
)
ZERO_MISTAKE = Hypothesis("<w,x> = 0 counts as a mistake", lambda run: run.zero == 0)
ZERO_POSITIVE = Hypothesis("<w,x> = 0 predicts +", lambda run: run.zero == 1)
ZERO_NEGATIVE = Hypothesis("<w,x> = 0 predicts -", lambda run: run.zero == -1)


def _unit_bound(margin_sq: Number) -> int:
    return update_bound(1, margin_sq)


BATCH = Theorem(
    "perceptron-batch",
    "Perceptron, batch",
    "Repeating w <- w + y x on any misclassified example ends after at most 1/gamma^2 updates.",
    (SEPARATED, UNIT_ROWS, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_MISTAKE),
    _unit_bound,
    lambda run: at_most(len(run.updates), Fraction(1), run.margin_sq),
    "N. Harvey, Machine Learning Theory, Lecture 7 (2018), Theorem 1.1",
)

ONLINE = Theorem(
    "perceptron-online",
    "Perceptron, any sequence",
    "On any sequence of examples the Perceptron makes at most 1/gamma^2 mistakes.",
    (SEPARATED, UNIT_BALL, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_MISTAKE),
    _unit_bound,
    lambda run: at_most(run.mistakes, Fraction(1), run.margin_sq),
    "S. Vempala, Lecture 1: The Perceptron Algorithm, Theorem 1.1",
)

RADIUS = Theorem(
    "perceptron-radius",
    "Perceptron, rows of any length",
    "With R = max ||x|| and sgn(0) = +1, the Perceptron makes at most R^2/gamma^2 mistakes.",
    (SEPARATED, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_POSITIVE),
    update_bound,
    lambda run: at_most(run.mistakes, run.radius_sq, run.margin_sq),
    "N. Mehta, Machine Learning Theory (CSC 431/531), Lecture 2, Theorem 2; " + NOVIKOFF,
)

STREAM = Theorem(
    "perceptron-stream",
    "Perceptron on a stream",
    "Predicting + if <w,x> > 0 and - otherwise, the Perceptron makes at most 1/gamma^2 mistakes on a stream.",
    (SEPARATED, UNIT_ROWS, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_NEGATIVE),
    _unit_bound,
    lambda run: at_most(run.mistakes, Fraction(1), run.margin_sq),
    "Lecture notes on the perceptron and stochastic gradient descent, Proposition 10.1",
)

BALL = Theorem(
    "perceptron-ball",
    "Perceptron, cyclic passes in the unit ball",
    "Passing over the examples until a pass is free of mistakes takes at most 1/gamma^2 mistakes in all.",
    (SEPARATED, UNIT_BALL, FROM_ZERO, ADDS, ON_MISTAKES, ZERO_MISTAKE),
    _unit_bound,
    lambda run: at_most(run.mistakes, Fraction(1), run.margin_sq),
    "Lecture notes on the perceptron with an absorbed bias, convergence theorem",
)


def _inequalities(run: Run) -> bool:
    """On the path of w that the learner took, where it was recorded: both inequalities at every single step."""
    worst = min(run.margins)
    pairs = zip(run.path, run.path[1:], strict=False)
    return all(
        inner(after, run.witness) - inner(before, run.witness) >= worst
        and sqnorm(after) - sqnorm(before) <= run.radius_sq
        for before, after in pairs
    )


def growth_bound(updates: int, radius_sq: Number) -> int:
    """floor(t R^2): what t mistakes add to ||w||^2, at most, from any start."""
    return math.floor(updates * rational(radius_sq))


INEQUALITIES = Theorem(
    "perceptron-inequalities",
    "The two inequalities of the proof",
    "Every mistake adds at least gamma to <w,w*> (||w*|| = 1) and at most R^2 to ||w||^2.",
    (ADDS, ON_MISTAKES),
    growth_bound,
    _inequalities,
    "N. Harvey, Lecture 7, Claims 1.2 and 1.3; N. Mehta, Lecture 2, (1) and (2)",
)

START = Theorem(
    "perceptron-start",
    "Perceptron from any start",
    "From w0 the Perceptron makes at most (R^2 + 2 gamma ||w0||)/gamma^2 mistakes.",
    (SEPARATED, ADDS, ON_MISTAKES),
    bound_from_start,
    # M gamma^2 - R^2 <= 2 gamma ||w0||, squared where the left side is positive
    lambda run: (
        (
            run.mistakes * run.margin_sq <= run.radius_sq
            or (run.mistakes * run.margin_sq - run.radius_sq) ** 2 <= 4 * run.margin_sq * sqnorm(run.start)
        )
        and run.margin_sq > 0
    ),
    "Novikoff's argument with w0 kept",
)


def least_allowed(radius_sq: Number, norm_sq: Number, updates: int) -> int:
    """floor(R^2 M^2 / ||w||^2): whatever the best margin is, R^2/gamma^2 is no less.

    Without updates it is 1, since gamma <= R. If w = 0 after some, no margin is positive, and no bound exists.
    """
    if updates == 0:
        return 1
    if not rational(norm_sq) > 0:
        raise ValueError(f"w = 0 after {updates} updates: the examples cancel, and no separator exists")
    return math.floor(rational(radius_sq) * updates**2 / rational(norm_sq))


def _upper_end(run: Run) -> bool:
    """gamma ||sum|| for the witness: gamma^2 M^2 <= ||w - w0||^2."""
    w = [a - b for a, b in zip(run.path[-1], run.path[0], strict=True)]
    return run.margin_sq * len(run.updates) ** 2 <= sqnorm(w)


UPPER_END = Theorem(
    "margin-upper-end",
    "A run bounds every margin from above",
    "If w is the sum of y x over M updates, no w* has a margin above ||w||/M.",
    (ADDS,),
    least_allowed,
    _upper_end,
    "Cauchy-Schwarz: M gamma <= <w,w*> <= ||w||; the dual of the maximum margin",
)


def doubling_updates(d: int) -> int:
    """(4^d - 1)/3, exactly, on `novikoff.problems.doubling(d)`.

    w is made of integers. An update on example k needs w_k <= w_1 + ... + w_(k-1), and only it makes w_k larger. So,
    by induction, w_k <= 2^(k-1) at all times: before such an update w_k <= 1 + 2 + ... + 2^(k-2) = 2^(k-1) - 1. At the
    end w_k >= 1 + w_1 + ... + w_(k-1) for every k, hence w_k >= 2^(k-1). So the run ends at w = (1, 2, ..., 2^(d-1)).
    Every example has y<w*,x> = 1 for this vector w*, so every update adds 1 to <w,w*>, and there have been
    ||w*||^2 = 1 + 4 + ... + 4^(d-1) of them. (That the run ends is Novikoff's theorem.)
    """
    if d < 1:
        raise ValueError(f"the family has 1 example at least; d = {d}")
    return ((1 << 2 * d) - 1) // 3


def _is_doubling(run: Run) -> bool:
    d = len(run.witness)
    family = {(*[Fraction(-1)] * k, Fraction(1), *[Fraction(0)] * (d - 1 - k)) for k in range(d)}
    return {tuple(y * x for x in row) for row, y in zip(run.rows, run.signs, strict=True)} == family


TINY_MARGIN = Theorem(
    "tiny-margin",
    "A tiny margin costs exponentially many mistakes",
    "On the d examples y x_k = e_k - e_1 - ... - e_(k-1) every run of the Perceptron, in whatever order, ends at "
    "w = (1, 2, 4, ..., 2^(d-1)) after exactly (4^d - 1)/3 updates.",
    (
        Hypothesis("the examples are y x_k = e_k - e_1 - ... - e_(k-1)", _is_doubling),
        FROM_ZERO,
        ADDS,
        Hypothesis("w changes only where y<w,x> <= 0", lambda run: all(p <= 0 for p in run.products)),
        Hypothesis("the run is finished: y<w,x> > 0 for every example", lambda run: min(run.finals) > 0),
    ),
    doubling_updates,
    lambda run: (
        run.path[-1] == [2**k for k in range(len(run.witness))]
        and len(run.updates) == doubling_updates(len(run.witness))
    ),
    "S. Vempala, Lecture 1, closing remark; the family is a decision list",
)


def lifted_bound(radius_sq: Number, bias_sq: Number, margin_sq: Number, constant: Number = 1) -> int:
    """floor((R^2 + c^2)(1 + b^2/c^2)/rho^2): rows (x, c), ||x|| <= R, y(<w*,x> + b) >= rho for ||w*|| = 1.

    The rows have norms of at most sqrt(R^2 + c^2). The vector (w*, b/c) has the same products <w*,x> + b, and the
    length sqrt(1 + b^2/c^2), so its margin is rho/sqrt(1 + b^2/c^2). Both go into R^2/gamma^2.
    """
    rho_sq, c_sq = rational(margin_sq), rational(constant) ** 2
    if not (rho_sq > 0 and c_sq > 0):
        raise ValueError(f"the bound needs a positive distance and a constant; rho^2 = {margin_sq}, c = {constant}")
    return math.floor((rational(radius_sq) + c_sq) * (1 + rational(bias_sq) / c_sq) / rho_sq)


def _lifted(run: Run) -> bool:
    """M rho^2 <= (R^2 + c^2)(1 + b^2/c^2), all of it in the space without the constant."""
    c = run.rows[0][-1]
    *normal, last = run.witness
    length_sq = sqnorm(normal)
    if not (c and length_sq):
        return False
    b_sq = (c * last) ** 2 / length_sq
    distances = [y * (inner(normal, row[:-1]) + c * last) for row, y in zip(run.rows, run.signs, strict=True)]
    rho_sq = min(distances) ** 2 / length_sq
    radius_sq = max(sqnorm(row[:-1]) for row in run.rows)
    return min(distances) > 0 and run.mistakes * rho_sq <= (radius_sq + c**2) * (1 + b_sq / c**2)


LIFT = Theorem(
    "perceptron-lift",
    "Perceptron with a constant coordinate",
    "Let ||x|| <= R, and let the hyperplane <w*,x> + b = 0, ||w*|| = 1, have all examples on their sides at a distance "
    "of at least rho. On the rows (x, c) the Perceptron makes at most (R^2 + c^2)(1 + b^2/c^2)/rho^2 mistakes.",
    (
        Hypothesis(
            "the last coordinate is the same c in every row, not 0",
            lambda run: bool(run.rows[0][-1]) and len({row[-1] for row in run.rows}) == 1,
        ),
        Hypothesis("w* is not 0: there is a hyperplane", lambda run: any(run.witness[:-1])),
        SEPARATED,
        FROM_ZERO,
        ADDS,
        ON_MISTAKES,
    ),
    lifted_bound,
    _lifted,
    "Novikoff's theorem on the rows (x, c)",
)
