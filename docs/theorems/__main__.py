"""Writes a page for each theorem of `novikoff.theory`, and their list: ``python -m docs.theorems``.

Statement, hypotheses, bound and source are the object's. What the object does not know stands here: why each hypothesis
is there, where the course proves it, and a small record on which it can be checked. The outputs are computed.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import sys
import textwrap
from pathlib import Path

from novikoff import theory
from novikoff.theory import THEOREMS, Theorem

HERE = Path(__file__).parent

SECTIONS = {  # the first theorem of each
    "perceptron-batch": "The Perceptron",
    "margin-perceptron": "The Margin Perceptron",
    "passive-aggressive": "The Passive-Aggressive learners",
    "perceptron-regret": "Any data",
    "many-classes": "Many classes",
    "perceptron-weighted": "Examples with weights",
    "online-to-batch": "What a run says about new data",
    "halving": "Finite classes of concepts",
    "monotone-conjunction": "Conjunctions, disjunctions and k-DNF",
    "winnow-1": "Winnow",
    "weighted-majority": "When no concept fits",
    "ellipsoid": "Halfspaces with tiny margins",
    "gradient-descent": "Least squares",
}

COURSE = {  # the page that proves it
    "2-proof": "perceptron-batch perceptron-online perceptron-radius perceptron-stream perceptron-ball "
    "perceptron-inequalities perceptron-start margin-upper-end tiny-margin perceptron-rounded "
    "perceptron-lower",
    "3-constant": "perceptron-lift",
    "4-margin": "margin-perceptron margin-perceptron-threshold margin-perceptron-step worst-first worst-first-margin",
    "6-certificates": "cover",
    "5-mistake-bounds": "halving littlestone littlestone-lower monotone-conjunction conjunction",
    "7-least-squares": "gradient-descent newton damped-newton kaczmarz averaged-sgd",
}

CONVENTION = "The convention of the source. The bound holds under the two others as well: a mistake has y<w,x> <= 0."
CLASS = "Nothing is known about labels from outside the class: no learner has a bound then."
RULE = "The theorem is about this learner. Another one may need more mistakes, or fewer."
STEP = "A longer step can lead past u, and a shorter one takes less off ||w - u||^2 than the bound counts on."
WHY = {
    "w* separates the examples: y<w*,x> >= gamma ||w*|| > 0": "Otherwise there is nothing to come closer to. Where no "
    "separator exists and <w,x> = 0 counts as a mistake, the Perceptron never ends; where zero predicts a label, it "
    "may end with examples on its hyperplane.",
    "||x|| = 1 for every example": "The proof needs ||x|| <= 1: a longer example can add more than 1 to ||w||^2. With "
    "norms up to R, R^2 takes the place of 1.",
    "||x|| <= 1 for every example": "A longer example takes a longer step. Divide all of them by the largest norm; the "
    "margin is divided with them.",
    "w starts at 0": "From elsewhere w may first have to be led back; `perceptron-start` says what that costs.",
    "w changes on mistakes, and on every one": "An update with y<w,x> > 0 can add more than R^2 to ||w||^2; a mistake "
    "without an update can be repeated for ever.",
    "<w,x> = 0 counts as a mistake": CONVENTION,
    "<w,x> = 0 predicts +": CONVENTION,
    "<w,x> = 0 predicts -": CONVENTION,
    "every update is exactly w + y x": "The theorem is about this update; `perceptron-rounded` is for weights that are "
    "rounded.",
    "w and x are float64, and every update is w + y x to the nearest float64": "So an update is off by at most half a "
    "unit in the last place of each entry.",
    "C < 2^49": "Beyond it rounding can undo an update: with w = -2^54 and x = 1, w + x rounds to w for ever.",
    "the examples are y x_k = e_k - e_1 - ... - e_(k-1)": "Most data are kinder.",
    "w changes only where y<w,x> <= 0": "Other updates lead elsewhere, or further.",
    "the last coordinate is the same c in every row, not 0": "It is what carries the bias: b/c times c.",
    "w* is not 0: there is a hyperplane": "With w* = 0 the constant alone decides, and no distance is defined.",
    "the examples are orthogonal, and all of one length R > 0": "Then no example says anything about the next, and "
    "sum y x has the same margin R/sqrt(n) on all.",
    "every label is one that the learner did not predict": "This is the adversary's move.",
    "any d points, or all if they are fewer, are linearly independent": "Points in special position have fewer "
    "separable labellings: x and 2x always share a label.",
    "every labelling is decided: y<w,x> > 0 for every point, or c >= 0, not all 0, with sum c y x = 0": "It makes the "
    "count a proved one; by Gordan's theorem one of the two always exists, never both.",
    "w* = sum a_i y_i x_i with a_i >= 0 of sum 1": "It says that w* is in the convex hull of the examples y x. Without "
    "it w* may be shorter, and w runs ahead of T w*.",
    "y<w*,x> >= ||w*||^2 for every example": "It says that no point of the hull is nearer to the origin, so that "
    "||w*|| is the best margin.",
    "every update is on an example with the smallest y<w,x>": "Any other choice may lead away from the nearest point; "
    "then half of the margin is all that is promised.",
    "gamma > 0": "Without a separator the run never ends.",
    "the run is finished: y<w,x> > 0 for every example": "A run that was cut off has made as few updates as one likes.",
    "theta = 1": "The source's choice; see `margin-perceptron-threshold` for others.",
    "theta >= 0": "Otherwise R^2 + 2 theta can be negative, and no bound on ||w||^2 is left.",
    "theta > 0": "At theta = 0 it is the Perceptron, and no margin is promised.",
    "w changes only where y<w,x> <= theta": "Any other update can add more than R^2 + 2 theta to ||w||^2.",
    "the run is finished: y<w,x> > theta for every example": "Before the end w need not have any margin.",
    "y<u,x> >= 1 for every example": "Then l(u) = 0, and every update brings w closer to u. PA goes all the way for "
    "every label, a wrong one too; PA-I and PA-II have bounds in which the losses of u stand.",
    "w changes only where y<w,x> < 1, by tau y x with tau = (1 - y<w,x>)/||x||^2": STEP,
    "w changes only where y<w,x> < 1, by tau y x with tau = min(C, (1 - y<w,x>)/||x||^2)": STEP,
    "w changes only where y<w,x> < 1, by tau y x with tau = (1 - y<w,x>)/(||x||^2 + 1/(2C))": STEP,
    "w changes on every mistake": "A mistake without an update can be repeated for ever.",
    "C > 0": "With C = 0 no step is taken; with C < 0 it leads away from the example.",
    "W* separates the examples: <w*_y,x> - <w*_r,x> >= sqrt(2) gamma ||W*|| > 0 for every r != y": "Otherwise there is "
    "nothing to come closer to.",
    "W starts at 0": "From elsewhere ||W|| can be larger, and the margin smaller.",
    "every update adds exactly x to w_y, and takes it from w_r for one r != y": "So it is one update of a binary "
    "Perceptron. The proof says what rounding changes.",
    "W changes only where <w_y,x> - <w_r,x> <= 2 theta": "Any other update can add more than 2 (R^2 + 2 theta) to "
    "||W||^2. Which of several such classes goes down is left open.",
    "the run is finished: <w_y,x> - <w_r,x> > 2 theta for every example and r != y": "Before the end W need not have "
    "any margin.",
    "W changes where a class that was met scores no less than the true one, and only there; such a class goes down": ""
    "A tie without an update can be a mistake for ever, and other updates lead elsewhere.",
    "a class that was met, and is alone in the lead, is predicted": "Who predicts something else makes mistakes that "
    "are no updates.",
    "c > 0 for every example": "A negative weight leads away from the example; with one of 0 it is none.",
    "every update is exactly w + c y x": "The theorem is about this update; `weighted-rounded` is for floats.",
    "w, x and c are float64, every update is w + y c x with product and sum to the nearest float64, and no product "
    "loses digits below the normal range": "So product and sum are off by at most half a unit in the last place of "
    "each entry. A product that underflows may be 0, and w stands still.",
    "the draws are independent, all from one distribution": "Rows that repeat each other, that are sorted, or that "
    "come from elsewhere than the new data, say little about these.",
    "a hypothesis depends on the draws before its round alone": "One that was found with the help of its own row does "
    "not err there, and may err on all others.",
    "the vote is right wherever more than half of the hypotheses are": "So it errs only where at least half of them "
    "do. It may be a vote for one of many classes.",
    "a run that ends errs on none of its draws": "A run that was cut off can be wrong everywhere.",
    "on its support rows alone, in the same order, a run ends with the same hypothesis": "Otherwise the other rows "
    "have had a say in it, and to be right on them is no surprise.",
    "some concept agrees with every round": CLASS + " Weighted majority is for this case.",
    "the prediction is the majority of the version space, 1 if it is even": "A mistake must remove half of it. What "
    "is done with a tie does not matter for the bound.",
    "every example is a point of the domain": "The dimension is that of the class on these points.",
    "the prediction is the label whose part of the version space has the larger Ldim, 1 if equal": RULE,
    "the tree is complete, and the concept at the end of every way down agrees with its labels": "Otherwise no concept "
    "may be left that agrees with the answers.",
    "the depth of the tree is Ldim(C)": "A shallower tree forces fewer mistakes.",
    "the game goes down the tree to its end, each time to the label that was not predicted": "This is the adversary's "
    "move; what the learner predicts is left to it.",
    "the target is a conjunction of variables": CLASS,
    "the target is a conjunction of literals": CLASS,
    "the target is a disjunction of variables": CLASS,
    "the target is a disjunction of literals": CLASS,
    "the target is a disjunction of terms of at most k literals": CLASS,
    "every label is the target's": "One wrong label can drop a part of the target, which never comes back.",
    "the prediction is a conjunction of variables, of all those that no positive has falsified before": RULE,
    "the prediction is a conjunction of literals, of all those that no positive has falsified before": RULE,
    "the prediction is a disjunction of variables, of all those that no negative has satisfied before": RULE,
    "the prediction is a disjunction of literals, of all those that no negative has satisfied before": RULE,
    "the prediction is a disjunction of terms of at most k literals, of all those that no negative has satisfied "
    "before": RULE,
    "the label is 1 if and only if one of k variables is": "A demotion must never touch a variable that matters.",
    "alpha > 1 and theta >= 1/alpha": "Otherwise a promotion is none, or the bound on the promotions of one variable "
    "is negative.",
    "predicts by <w,x> > theta (at theta either way); w starts at 1; mistakes take active weights to alpha w, 0": RULE,
    "the label is 1 if and only if at least r of k variables are, r >= 1": "It makes the gap delta = 1/r between the "
    "two sides.",
    "alpha = 1 + 1/(2r) and theta >= 1": "The factor must be small against the gap.",
    "predicts by <w,x> > theta (at theta either way); w starts at 1; mistakes take active weights to alpha w, "
    "w/alpha": RULE,
    "0 < beta < 1": "At 1 nothing is learned; at 0 a concept that errs once is gone, and the best one may err.",
    "the prediction is that of the larger weight, 1 if both are equal": "Then half of the "
    "weight, at least, has erred with every mistake, and loses its share 1 - beta.",
    "the probability of predicting 1 is the share of the weight that says 1": "Then the probability of a mistake is "
    "the share of the weight that errs.",
    "the rows have 2 coordinates at least": "An ellipsoid on a line is an interval, for which the volume formula "
    "divides by 0.",
    "the first ellipsoid is the unit ball": "It holds w*, and its volume is the unit of all others.",
    "every mistake gives a new ellipsoid": "A mistake without one costs no volume.",
    "the new ellipsoid holds all points of the old one with y<w,x> >= 0": "Otherwise the separators can be cut off.",
    "the new ellipsoid has at most exp(-1/(2(d+1))) of the volume of the old one": "This is what a mistake costs.",
    "mu I <= H": "Along a direction in which F is flat, nothing brings w closer.",
    "H <= L I": "Where F is steeper than that, the step 1/L overshoots.",
    "grad F(w*) = 0": "It says what w* is.",
    "alpha = 1/L": "Shorter steps are slower. At 2/L a step along the steepest direction comes back after two, and "
    "longer ones diverge.",
    "every step is w <- w - alpha grad F(w)": RULE.replace("learner", "method").replace("mistakes", "steps"),
    "H is invertible": "Otherwise the step is not defined.",
    "every step is w <- w - alpha H^-1 grad F(w)": RULE.replace("learner", "method").replace("mistakes", "steps"),
    "every step is w <- w - H^-1 grad F(w)": RULE.replace("learner", "method").replace("mistakes", "steps"),
    "<w*,a> = y for every row": "Equations that contradict each other pull w to and fro for ever.",
    "sigma_min^2 I <= A'A": "Along a direction that no row sees, w never moves.",
    "a row is drawn with probability ||a||^2/||A||_F^2": "It makes the mean progress ||A(w - w*)||^2/||A||_F^2.",
    "E (y - <w*,x>) x = 0": "It says what w* is.",
    "E ||x||^2 xx' <= R^2 E xx'": "It follows from ||x|| <= R, and keeps a step from overshooting.",
    "E xi xi' <= sigma^2 E xx' for the noise xi = (y - <w*,x>) x": "It says what sigma is.",
    "gamma = 1/(4 R^2)": "The constants of the statement are for this step.",
}
WHY_HERE = {  # where a theorem needs a hypothesis for a reason of its own
    ("tiny-margin", "w starts at 0"): "A lucky start can be a separator.",
    ("margin-perceptron", "w starts at 0"): "From elsewhere ||w|| can be larger, and the margin smaller.",
    ("margin-perceptron-threshold", "w starts at 0"): "From elsewhere ||w|| can be larger, and the margin smaller.",
    ("weighted-margin", "w starts at 0"): "From elsewhere ||w|| can be larger, and the margin smaller.",
    ("worst-first", "w starts at 0"): "From elsewhere the start stays in the distance to T w*.",
    ("worst-first-margin", "w starts at 0"): "From elsewhere ||w|| can be larger, and the margin smaller.",
    **{
        (
            name,
            "w starts at 0",
        ): "||w - u||^2 is ||u||^2 at the beginning. From elsewhere it is (||u|| + ||w0||)^2 at most, "
        "and this takes the place of ||u||^2."
        for name in ("passive-aggressive", "passive-aggressive-1", "passive-aggressive-2")
    },
    **{
        (name, "w starts at 0"): "From elsewhere <w,u> can be as low as -||u|| ||w0||, and the bound grows by what it "
        "takes to make up for it."
        for name in ("perceptron-regret", "perceptron-deviations", "perceptron-regret-rounded")
    },
    ("damped-newton", "H is invertible"): "Otherwise there is no H^-1 to step with.",
    ("ellipsoid", "w* separates the examples: y<w*,x> >= gamma ||w*|| > 0"): "The volume stays above that of a small "
    "ball of separators around w*; without w* there may be none.",
    ("ellipsoid", "||x|| <= 1 for every example"): "For longer examples that ball holds vectors that do not separate.",
}

RUN = "run = theory.Run.of([[1, 0], [0, 1]], [1, -1], witness=[1, -1], updates={updates})"
GAME = "game = theory.Game(labels, truth=[0, 0], predictions=[1, 1], domain=labels)"
EXAMPLES = {
    "perceptron-batch": (RUN.format(updates="[0, 1]"),),
    "perceptron-online": (RUN.format(updates="[0, 1]"),),
    "perceptron-radius": (RUN.format(updates="[1], zero=+1"),),
    "perceptron-stream": (RUN.format(updates="[0], zero=-1"),),
    "perceptron-ball": (RUN.format(updates="[0, 1]"),),
    "perceptron-inequalities": (RUN.format(updates="[0, 1]"),),
    "perceptron-start": (RUN.format(updates="[1] * 4, start=[9, 3]"),),
    "margin-upper-end": (RUN.format(updates="[0, 1]"),),
    "tiny-margin": (
        "run = theory.Run.of([[1, 0], [1, -1]], [1, -1], witness=[1, 2], updates=[0, 1, 0, 1, 0])  # d = 2",
    ),
    "perceptron-lift": (
        "x, labels = [[1], [3]], [-1, 1]  # separated at 2: w* = 1, b = -2, rho = 1",
        "rows = [[*row, 2] for row in x]  # c = 2",
        "run = theory.Run.of(rows, labels, witness=[1, -1], updates=[0, 1, 0, 1, 0])",
    ),
    "perceptron-lower": (
        "duel = theory.Duel.of([[2, 0], [0, 2]], [1, -1], predictions=[-1, 1])  # R = 2, gamma^2 = 2",
    ),
    "cover": (
        "x = [[1], [2]]  # on a line, two of the four labellings are separable at 0",
        "separable = {(1, 1): [1], (-1, -1): [-1]}",
        "others = {(1, -1): [2, 1], (-1, 1): [2, 1]}  # 2 times the first row cancels the second",
        "found = theory.Labellings.of(x, separable, others)",
    ),
    "margin-perceptron-step": (RUN.format(updates="[0, 0], threshold=1"),),
    "worst-first": (
        "half = theory.rational(1) / 2",
        "run = theory.WorstFirst.along([[1, 1], [1, -1]], [1, 1], hull=[half, half], updates=[0, 1, 0, 1])",
    ),
    "worst-first-margin": (
        "half = theory.rational(1) / 2",
        "run = theory.WorstFirst.along([[1, 1], [1, -1]], [1, 1], [half, half], updates=[0, 1, 0, 1], threshold=3)",
    ),
    "margin-perceptron": (RUN.format(updates="[0, 1, 0, 1], mistakes=2, threshold=1"),),
    "margin-perceptron-threshold": (
        "run = theory.Run.of([[2, 0], [0, 2]], [1, -1], [1, -1], updates=[0, 1, 0, 1], mistakes=2, threshold=4)",
    ),
    "perceptron-rounded": (
        "x = 1 / 3  # a float: x + x is exact, and x + x + x rounds",
        "run = theory.Run.of([[x]], [1], [1], updates=[0, 0, 0], threshold=1, weights=[[0], [x], [2 * x], [1.0]])",
    ),
    "passive-aggressive": (
        "x = [[2, 0], [0, 1]]  # u = (1/2, -1) has y<u,x> = 1 on both",
        "run = theory.AggressiveRun.of(x, [1, -1], [0.5, -1], updates=[0, 1], steps=[0.25, 1], mistakes=2)",
    ),
    "passive-aggressive-1": (
        "x, y = [[1], [1]], [1, -1]  # one of the two labels is wrong",
        "run = theory.AggressiveRun.of(x, y, [1], [0, 1, 0], [0.5] * 3, mistakes=2, variant=1, C=0.5)",
    ),
    "passive-aggressive-2": (
        "x, y = [[1], [1]], [1, -1]  # one of the two labels is wrong",
        "run = theory.AggressiveRun.of(x, y, [1], [0, 1], [0.5, 0.75], mistakes=2, variant=2, C=0.5)",
    ),
    "perceptron-regret": (
        "x, y = [[1], [1]], [1, -1]  # one of the two labels is wrong",
        "run = theory.Run.of(x, y, witness=[1], updates=[0, 1, 0, 1])  # u = 1 has the loss 2 in each update on x_1",
    ),
    "perceptron-deviations": (
        "x, y = [[1], [1]], [1, -1]  # one of the two labels is wrong",
        "run = theory.Run.of(x, y, witness=[1], updates=[0, 1, 0, 1])  # u = 1 has the loss 2 in each update on x_1",
    ),
    "perceptron-regret-rounded": (
        "x = 1 / 3  # a float: x + x is exact, and x + x + x rounds",
        "path = [[0], [x], [2 * x], [1.0]]",
        "run = theory.Run.of([[x], [x]], [1, -1], [1], updates=[0, 0, 0], threshold=1, weights=path)",
    ),
    "many-classes": (
        "x = [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]  # one of each class, and W* has the same rows",
        "run = theory.ClassRun.of(x, [0, 1, 2], witness=x, updates=[(0, 1), (2, 1)])  # R^2/gamma^2 = 8/3",
    ),
    "many-classes-margin": (
        "x = [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]  # one of each class, and W* has the same rows",
        "run = theory.ClassRun.of(x, [0, 1, 2], witness=x, updates=[(0, 1), (2, 1)], threshold=4)",
    ),
    "many-classes-upper-end": (
        "x = [[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]  # one of each class, and W* has the same rows",
        "run = theory.ClassRun.of(x, [0, 1, 2], witness=x, updates=[(0, 1), (2, 1)])",
    ),
    "many-classes-stream": (
        "x, classes, seen = [[1, 0], [0, 1], [1, 0]], [0, 1, 0], [None, 0, None]  # what is predicted",
        "game = theory.ClassStream.of(x, classes, [[1, -1], [-1, 1]], predictions=seen, rivals=[None, 0, 1])",
    ),
    "perceptron-weighted": (
        "fifth, updates = theory.rational(1) / 5, [0] + [1] * 31",
        "x = [[1, 0], [-3 * fifth, 4 * fifth]]  # R^2/gamma^2 is 5",
        "run = theory.WeightedRun.weighted(x, [1, 1], [50, 1], witness=[1, 2], updates=updates)  # C = 81",
    ),
    "weighted-margin": (
        "x, y, costs = [[1, 0], [0, 1]], [1, -1], [2, 1]",
        "run = theory.WeightedRun.weighted(x, y, costs, [1, -1], updates=[0, 1, 1], threshold=1)",
    ),
    "weighted-upper-end": (
        "x, y, costs = [[1, 0], [0, 1]], [1, -1], [2, 1]",
        "run = theory.WeightedRun.weighted(x, y, costs, [1, -1], updates=[0, 1])",
    ),
    "weighted-rounded": (
        "x, c = 0.1, 0.3  # c x rounds",
        "run = theory.WeightedRun.weighted([[x]], [1], [c], [1], updates=[0], weights=[[0], [c * x]])",
    ),
    "online-to-batch": (
        "half = theory.rational(1) / 2  # two examples, drawn with equal probability, four times",
        "def wrong(past): return [0 not in past, 1 not in past]  # right on what was met",
        "draws = theory.Draws.of([half, half], 4, wrong)",
    ),
    "first-pass": (
        "half = theory.rational(1) / 2  # two examples, drawn with equal probability, four times",
        "def wrong(past): return [0 not in past, 1 not in past]  # right on what was met",
        "draws = theory.Draws.of([half, half], 4, wrong)",
    ),
    "compression": (
        "half = theory.rational(1) / 2  # two examples, drawn with equal probability, four times",
        "def learn(past): return (0,) if len({*past}) == 1 else None, [0 not in past[:1], 1 not in past[:1]]",
        "samples = theory.Samples.of([half, half], 4, learn)  # right on its first example, and ends if all are equal",
    ),
    "halving": ("labels = [[0, 0, 1, 1], [0, 1, 0, 1]]  # of four concepts, in two rounds", GAME),
    "littlestone": ("labels = [[0, 0, 1, 1], [0, 1, 0, 1]]  # of four concepts, on two points", GAME),
    "littlestone-lower": (
        "labels = [[0, 0, 1, 1], [0, 1, 0, 1]]  # of four concepts, on two points",
        "tree = (0, (1, 0, 1), (1, 2, 3))  # point 0, then point 1, then a concept",
        "game = theory.Forced(labels, truth=[0, 0], predictions=[1, 1], domain=labels, tree=tree)",
    ),
    "monotone-conjunction": (
        "x, target = [(1, 1, 0), (1, 0, 1)], [[(0, 1)]]  # the variable x_0",
        "game = theory.BooleanGame(x, truth=[1, 1], predictions=[0, 0], target=target)",
    ),
    "conjunction": (
        "x, target = [(1, 1, 0), (1, 0, 0), (0, 1, 0)], [[(0, 1)], [(2, 0)]]  # x_0 and not x_2",
        "game = theory.BooleanGame(x, truth=[1, 1, 0], predictions=[0, 0, 0], target=target)",
    ),
    "monotone-disjunction": (
        "x, target = [(0, 1, 1), (1, 0, 0)], [[(0, 1)]]  # the variable x_0",
        "game = theory.BooleanGame(x, truth=[0, 1], predictions=[1, 1], target=target)",
    ),
    "disjunction": (
        "x, target = [(0, 1, 1), (0, 0, 1)], [[(0, 1)], [(2, 0)]]  # x_0 or not x_2",
        "game = theory.BooleanGame(x, truth=[0, 0], predictions=[1, 1], target=target)",
    ),
    "k-dnf": (
        "x, target = [(0, 1, 1), (1, 0, 0)], [[(0, 1), (2, 0)]]  # one term: x_0 and not x_2",
        "game = theory.BooleanGame(x, truth=[0, 1], predictions=[1, 1], target=target, k=2)",
    ),
    "winnow-1": (
        "x, two = [(1, 1, 0, 0), (0, 1, 1, 0)], theory.rational(2)",
        "game = theory.WinnowGame(x, truth=[1, 0], predictions=[0, 1], target=[0], alpha=two, threshold=two)",
    ),
    "winnow-2": (
        "x, half = [(1, 1, 0, 0), (1, 0, 0, 0)], theory.rational(1) / 2",
        "game = theory.WinnowGame(x, truth=[1, 1], predictions=[0, 0], target=[0], alpha=1 + half, threshold=8 * half)",
    ),
    "weighted-majority": (
        "labels = [[0, 1], [1, 0], [1, 0]]  # of two concepts, in three rounds",
        "game = theory.Vote(labels, truth=[0, 1, 0], predictions=[1, 1, 1], beta=theory.rational(1) / 2)",
    ),
    "randomized-weighted-majority": (
        "from fractions import Fraction",
        "labels, half = [[0, 1], [1, 0], [1, 0]], Fraction(1, 2)",
        "shares = [half, Fraction(2, 3), Fraction(4, 5)]  # of the weight that says 1",
        "game = theory.Vote(labels, [0, 1, 0], [1, 1, 1], beta=half, probabilities=shares)",
    ),
    "ellipsoid": (
        "third, ball = theory.rational(1) / 3, ([0, 0], [[1, 0], [0, 1]])",
        "half = ([third, 0], [[0.67, 0], [0, 1.16]])  # holds the right half of the ball",
        "x = [[1, 0], [0.5, 0.5]]",
        "run = theory.Shrinking.along(x, [1, 1], witness=[1, 1], updates=[0], ellipsoids=[ball, half])",
    ),
    "gradient-descent": (
        "A, y, path = [[1, 0], [0, 2]], [1, 2], [[0, 0], [0.25, 1]]",
        "run = theory.Descent.of(A, y, path, optimum=[1, 1], mu=2, L=8, step=0.125)",
    ),
    "newton": ("run = theory.Quadratic.of([[1, 0], [0, 2]], [1, 2], path=[[0, 0], [1, 1]], optimum=[1, 1])",),
    "damped-newton": (
        "run = theory.Damped.of([[1, 0], [0, 2]], [1, 2], path=[[0, 0], [0.5, 0.5]], optimum=[1, 1], step=0.5)",
    ),
    "kaczmarz": (
        "A, fifth = [[1, 0], [0, 2]], theory.rational(1) / 5",
        "drawn = [fifth, 4 * fifth]",
        "run = theory.Projections.of(A, [1, 2], [[0, 0]], [1, 1], sigma_sq=1, probabilities=drawn)",
    ),
    "averaged-sgd": (
        "run = theory.Averaging.of([[1], [1]], [0, 2], [0], [1], step=0.25, radius_sq=1, noise_sq=1, length=5)",
    ),
}

KINDS = {"Fraction": "a rational", "float": "a float"}  # what bounds are, if they are no integers
LETTERS = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "kappa": "κ", "mu": "μ", "xi": "ξ"},
    **{"rho": "ρ", "sigma": "σ", "tau": "τ", "theta": "θ"},
}


def set_in_type(text: str) -> str:
    """The signs of mathematics for what stands for them in ASCII."""
    text = text.replace("<-", "←").replace("<=", "≤").replace(">=", "≥").replace("||", "‖").replace("grad F", "∇F")
    text = re.sub(r"<([^<> ]+,[^<>]+?)>", r"⟨\1⟩", text)
    text = re.sub(r"(?<![A-Za-z`])(" + "|".join(LETTERS) + r")(?![A-Za-z(])", lambda m: LETTERS[m[1]], text)
    return text.replace("^2", "²").replace("^-1", "⁻¹").replace("*", r"\*")


def constant(theorem: Theorem) -> str:
    """Its name in `novikoff.theory`."""
    return next(name for name in theory.__all__ if getattr(theory, name) is theorem)


def linked(text: str) -> str:
    """Names of theorems in backquotes become links."""
    known = {theorem.id: theorem.title for theorem in THEOREMS}
    return re.sub(r"`([a-z0-9-]+)`", lambda m: f"[{known[m[1]]}]({m[1]}.md)" if m[1] in known else m[0], text)


def example(theorem: Theorem) -> str:
    """A record, and what the check finds on it."""
    lines = EXAMPLES[theorem.id]
    record = lines[-1].partition(" ")[0]
    check = f"theory.{constant(theorem)}.check({record})"
    names: dict[str, object] = {"theory": theory}
    for line in lines:
        exec(line, names)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(check, theorem.id, "single"), names)
    return "\n".join(["```python", ">>> from novikoff import theory", *(f">>> {line}" for line in [*lines, check])]) + (
        f"\n{shown.getvalue()}\n```"
    )


def paragraphs(text: str) -> list[str]:
    """A docstring as paragraphs; an indented one holds formulas, a line each."""
    parts = [part for part in text.split("\n\n") if part]
    return [_formulas(part) if part.startswith(" ") else set_in_type(part) for part in parts]


def _formulas(part: str) -> str:
    return "> " + set_in_type(textwrap.dedent(part)).replace("\n", "\\\n> ")


def bound(theorem: Theorem) -> list[str]:
    arguments = ", ".join(inspect.signature(theorem.bound).parameters)
    returned = str(inspect.signature(theorem.bound).return_annotation)
    kind = next((said for name, said in KINDS.items() if name in returned), "an integer")
    kind += ", or None" if "None" in returned else ""
    call = f"`theory.{constant(theorem)}.bound({arguments})` is {kind}."
    return ["## The bound", call, *paragraphs(inspect.getdoc(theorem.bound) or "")]


def proof(theorem: Theorem) -> list[str]:
    """From the module, where the learners of a family share one; and where the course has it."""
    module = sys.modules[theorem.bound.__module__]
    family = module.__name__.rpartition(".")[2] in (
        "elimination",
        "winnow",
        "worst_first",
        "rounding",
        "passive_aggressive",
        "any_data",
        "many_classes",
        "weights",
        "new_data",
    )
    told = paragraphs((inspect.getdoc(module) or "").partition("\n\n")[2]) if family else []
    told += [
        f"[The course](../learn/{n}.md) has it in words."
        for n, proved in COURSE.items()
        if theorem.id in proved.split()
    ]
    return ["## Proof", *told] if told else []


def page(theorem: Theorem) -> str:
    hypotheses = [
        f"- **{set_in_type(h.text)}.** {set_in_type(linked(WHY_HERE.get((theorem.id, h.text)) or WHY[h.text]))}"
        for h in theorem.hypotheses
    ]
    return "\n\n".join(
        [
            f"# {theorem.title}",
            f"> {set_in_type(theorem.statement)}",
            f"*{theorem.citation}.*",
            "## Hypotheses",
            "\n".join(hypotheses) or "None.",
            *bound(theorem),
            *proof(theorem),
            "## Check it",
            f"`check` decides hypotheses and conclusion in rationals, on a [`{theorem.about.__name__}`]"
            "(../reference/theory.md):",
            example(theorem),
            "`unmet` lists the hypotheses that do not hold, `conclusion` says whether the conclusion does.",
            f"`{theorem.id}` · [all theorems](index.md)\n",
        ]
    )


def index() -> str:
    lines = [
        "# The theorems",
        "",
        "Each is an object in `novikoff.theory`, with a bound that is exact or rounded to the safe side, or None where "
        "nothing is promised, and a `check` that decides",
        "hypotheses and conclusion on a run in rationals. `novikoff theorems` prints them.",
        "[Where the lecture notes slip or differ](notes.md).",
    ]
    for theorem in THEOREMS:
        if theorem.id in SECTIONS:
            lines += ["", f"## {SECTIONS[theorem.id]}", ""]
        lines.append(f"- **[{theorem.title}]({theorem.id}.md).** {set_in_type(theorem.statement)}")
    return "\n".join([*lines, ""])


def pages() -> dict[str, str]:
    """The files and what they hold."""
    return {"index.md": index(), **{f"{theorem.id}.md": page(theorem) for theorem in THEOREMS}}


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
    print(f"{len(pages())} pages in {HERE}")
