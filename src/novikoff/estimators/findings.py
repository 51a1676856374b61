"""What is known of a run, and its theorem."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import JointSeparable, RunProof, Separable, Verdict
from novikoff.certificates.certificate import nameable
from novikoff.certificates.joint_verdicts import JointVerdict
from novikoff.engine.loops import Signs
from novikoff.engine.rule import Rule
from novikoff.engine.trace import Trace
from novikoff.estimators import words
from novikoff.estimators.against import bound_against
from novikoff.estimators.apart import Apart
from novikoff.estimators.new_data import CONFIDENCE, Generalization, generalization, in_a_line
from novikoff.estimators.shown import few
from novikoff.learners.committee import ALL_OTHERS, Committee
from novikoff.learners.linear import LinearLearner
from novikoff.theory.exact import Number, root, round_down, round_up
from novikoff.theory.rounding import positive_margin
from novikoff.views import Html, bracket, card, facts, grid, in_words, share
from novikoff.words import between, plural

if TYPE_CHECKING:
    from novikoff.certificates.prove import Question


class Findings(Apart):
    """What is known after learning, and what the theorem says of it."""

    @property
    def last_coef_(self) -> NDArray[np.float64]:
        """The last w, which is the state of the learner: learning goes on from it, and the theorems are about it."""
        learner = self._learned()
        return np.array(learner.W[:, : learner.width])

    @property
    def last_intercept_(self) -> NDArray[np.float64]:
        return np.asarray(self._learned().W[:, -1] * self._learner.geometry[0])

    @property
    def mistakes_(self) -> int:
        return self._learned().mistakes

    @property
    def updates_(self) -> int:
        return self._learned().updates

    @property
    def weight_of_updates_(self) -> float:
        """C, the weights of the updates in all: their number, if no example has a weight."""
        return self._learned().weight

    @property
    def radius_(self) -> float:
        return 1.0 if self._learned().ball else self._learner.radius

    @property
    def margin_(self) -> tuple[float, float]:  # type: ignore[override]  # nobody sets it
        learner = self._fitted()
        lower = learner.lower if learner.lower_changes == learner.changes else -math.inf
        upper = learner.upper
        if learner.ball and learner.radius_sq:
            # Dividing rows by R divides margins by R; the ends stay on their sides.
            below, above = root(learner.radius_sq)
            if math.isfinite(lower):
                lower = round_down(Fraction(lower) / (above if lower >= 0 else below))
            if math.isfinite(upper):
                upper = round_up(Fraction(upper) / below)
        return lower, upper

    def bound(self, gamma: Number) -> int | float | None:
        """How many updates the theorem allows so far, if some separator has margin gamma: floor(C), or a little more.

        C = (R^2 + 2 theta)/gamma^2; after a warm start from w0 it is (R^2 + 2 theta + 2 gamma ||w0||)/gamma^2. Once
        an update has rounded (``rounded_``), the bound is floor(C/(1 - 2^-50 C)), which is the same unless C is huge or
        just below an integer (`novikoff.theory.ROUNDED`); for C of 2^49 or more there is none, and None is returned.

        If examples have weights, it is ``weight_of_updates_`` that is bounded, by (c R^2 + 2 theta)/gamma^2 with the
        largest weight c of an update: a float, rounded up; and where updates rounded, 1 + 2^-49 M times that after M
        of them (`novikoff.theory.WEIGHTED_ROUNDED`). Of passive-aggressive learners None.

        Parameters
        ----------
        gamma : a margin of the rows as learned from. Ints and Fractions are exact; a float is trusted to
            2^-51 of its value and taken at the lower end, so that 1/sqrt(n) at R = 1 gives n.
        """
        return self._allowed(gamma, rounded=self._fitted().rounded)

    def _allowed(self, gamma: Number, *, rounded: bool) -> int | float | None:
        learner = self._fitted()
        run = learner.facts._replace(rounded=rounded)
        gamma = positive_margin(gamma)
        if learner.ball and run.radius_sq and learner.rule.measures():
            gamma *= root(learner.radius_sq_below)[0]  # that of the rows as they are
        elif learner.ball and run.radius_sq:
            below = learner.radius_sq_below  # dividing by less than R, the bound can only grow
            run = run._replace(radius_sq=Fraction(1), theta=run.theta / below, start=run.start / root(below)[0])
        return learner.rule.bound(gamma, run)

    def certify(
        self,
        X: Any,
        y: Any = None,
        gap: float = 0.01,
        *,
        max_passes: int | None = None,
        max_seconds: float | None = None,
    ) -> RunProof:
        """Tie this run to its theorem: find a separator of the data, and check updates <= bound with it, exactly.

        Of a run on more than two classes the separator has a vector for each, as with ``multiclass="joint"`` in
        `novikoff.certify`, and the theorem is that on many classes.

        Parameters
        ----------
        X, y : the data that the model learned from
        gap, max_passes, max_seconds : as in `novikoff.certify`

        Returns
        -------
        RunProof
            With ``proof``, ``mistakes``, ``updates`` and ``bound``; ``bound`` is None without a separator, or with
            one of so small a margin that the theorem promises nothing for rounded weights.
        """
        from novikoff.certificates.prove import Question, recorded
        from novikoff.certificates.verify import verify

        learner = self._fitted()
        if self.standardization_ is not None:
            raise ValueError(
                "this run learned from standardised columns, and a certificate is about rows as they are given. Make "
                "them once: Z = clf.standardization_.rows(X), for a float array or CSR matrix X. Then "
                "novikoff.certify(Z, y) is about them, and clone(clf).fit(Z, y).certify(Z, y) about this run"
            )
        y = inputs.labels(X, y)
        constant, unit = learner.geometry
        reading = None if unit else recorded(X)  # divided by their norms, the rows are not those of the file
        doubted = X.doubted if isinstance(X, inputs.Examples) and not unit else ()
        X = inputs.matrix(self, X, exact=True)
        targets = self._labels.targets(y, X.shape[0])
        sphere = constant if unit else None
        if unit:
            with inputs.refusals(X, getattr(self, "feature_names_in_", None)):
                X, constant = inputs.on_the_sphere(X, self._rows(X, targets).norms, constant), 0.0
        question = Question(gap, constant, max_passes, max_seconds, int(self.verbose), sphere, reading, doubted)
        proof = self._proof(X, targets, question)
        if not isinstance(proof, Separable | JointSeparable):
            return RunProof(proof, learner.mistakes, learner.updates, None, learner.rule.bounds())
        many = isinstance(proof, JointSeparable)
        margin = verify(proof, X, self.classes_[targets if many else (targets + 1) // 2]).margin
        assert margin is not None
        # The witness has at least this margin, so the theorem allows at most so many updates.
        bound = None if learner.weighed else cast("int | None", learner.rule.bound(Fraction(margin[0]), learner.facts))
        if learner.radius > proof.radius or (bound is not None and learner.bounded > bound):
            raise ValueError(
                f"this model did not learn from these data: it met a row of norm {learner.radius:g} and made "
                f"{learner.updates} updates, but here R = {proof.radius:g} and the theorem allows {bound}"
            )
        return RunProof(proof, learner.mistakes, learner.updates, bound, learner.rule.bounds())

    def _proof(self, X: Any, targets: Signs, question: Question) -> Verdict | JointVerdict:
        """Is there a separator of these rows: of two classes, or of more at once?"""
        from novikoff.certificates import joint, pairs
        from novikoff.certificates.divisions import Classes, Division
        from novikoff.certificates.prove import prove

        names = getattr(self, "feature_names_in_", None)
        labels = [nameable(label) for label in self.classes_]
        if len(labels) == 2:
            return prove(X, Division(labels[1], (labels[0],), targets), question, names)[1]
        return joint.joint(*pairs.surveyed(X, Classes(labels, targets.astype(np.int64)), question, names), question)

    def trace(self, X: Any, y: Any = None, sample_weight: Any = None) -> Trace:
        """The updates of the last ``fit``, in order: it is made once more, and must end in the same weights.

        Parameters
        ----------
        X, y, sample_weight : the data of that fit, which started from w = 0; rows of weight 0 are not counted
        """
        learner = self._fitted()
        y, given = inputs.labels(X, y), inputs.given_weights(X, sample_weight)
        X, y, importance, places = self._weighed(inputs.matrix(self, X), y, given)
        if self._shuffles() and not isinstance(self.random_state, int | np.integer):
            raise ValueError("the order of a shuffled fit can be repeated only if random_state is an int")
        rows = self._rows(X, self._labels.targets(y, X.shape[0]), learner, importance)
        heads = len(learner.W)
        again = LinearLearner(learner.rule, X.shape[1], rows.constant, unit=rows.unit, heads=heads)
        trace = Trace(rows)
        with inputs.refusals(X, getattr(self, "feature_names_in_", None), places):
            again.run(rows, self.order, max(1, self.passes_), seed=self._seed(), trace=trace)
        if again.updates != learner.updates or not np.array_equal(again.W, learner.W):
            raise ValueError(
                "the fit cannot be repeated: X and y are not the data it saw last, or it started from other weights "
                "than 0"
            )
        return trace

    def bound_against(self, u: Any, X: Any, y: Any = None) -> int | None:
        """The most updates that the last ``fit`` can have made, by how well any other vector u does on its rows.

        No separator is needed. Of the rows that the run updated on, as often as it did, u has losses
        l = max(0, 1 - y<u,x>), and whoever updates where y<w,x> <= theta makes at most (sqrt(q) + D)^2 and
        L + q/2 + sqrt(q L + q^2/4) updates, where L and D^2 are the sums of l and l^2, and q = ||u||^2 (R^2 + 2 theta)
        (`novikoff.theory.REGRET`, `DEVIATIONS`): the smaller is returned, computed in rationals. Where sums rounded,
        with what that adds; None where nothing is promised then. Without losses q is Novikoff's bound.

        Parameters
        ----------
        u : d weights, or d + 1 with that of the constant coordinate last; of k > 2 classes a row of them for each. Or a
            fitted linear model, such as ``MaxMarginClassifier(C=1.0)``. Its length matters: it is to have y<u,x> >= 1
        X, y : the data of that fit, which is made once more for its updates

        Returns
        -------
        int or None
            `summary` tells the smallest one that was found.

        Examples
        --------
        >>> import novikoff as nk
        >>> X, y = [[0, 1], [1, 2], [2, 1], [3, 0], [1, 1], [2, 2]], [0, 0, 1, 1, 1, 0]
        >>> clf = nk.Perceptron(max_iter=20).fit(X, y)
        >>> soft = nk.MaxMarginClassifier(C=1.0).fit(X, y)
        >>> clf.updates_ <= clf.bound_against(soft, X, y)
        True
        """
        learner = self._fitted()
        if learner.rule.bounds() != "updates" or learner.weighed:
            raise ValueError(
                "this bound is for a Perceptron or MarginPerceptron on examples without weights; of a "
                "PassiveAggressive learner see novikoff.theory.PASSIVE_1 and PASSIVE_2"
            )
        if hasattr(u, "coef_") and getattr(u, "standardization_", None) != self.standardization_:
            raise ValueError("the columns of u are not standardised as those of this run: compare weights for the same")
        most, known = bound_against(u, learner, self.trace(X, y)), self._against()
        if most is not None:
            self._compared = learner.updates, most if known is None else min(most, known)
        return most

    def generalization(self, confidence: float = CONFIDENCE) -> Generalization:
        """What the run says of its errors on new data, if the rows are independent draws: bounds, and their conditions.

        After a first pass over n rows with M mistakes, the hypotheses before each of these rows have, with the
        probability 1 - delta = ``confidence``, a mean error of at most M/n + sqrt(ln(1/delta)/(2n)), and their vote has
        at most twice as much (`novikoff.theory.FIRST_PASS`). That says nothing of their average, the best, or the last.
        But if a run ends without an error on its rows, and has updated on k of them, the weights it ends with have an
        error of at most (ln C(n,k) + ln n + ln(1/delta))/(n - k) (`novikoff.theory.COMPRESSION`).

        An error is a wrong answer, or none, whatever a row weighs. On a stream, and after ``partial_fit`` alone, all
        that was learned from is the first pass.

        Parameters
        ----------
        confidence : above 0 and below 1

        Returns
        -------
        Generalization
            ``first_pass`` and ``compression``, of which one may be None, and ``hypotheses`` in words. A `ValueError`
            says why there is neither: after a warm start, with ``class_weight="balanced"`` or ``scale="ball"``; and
            under ``order="first"`` or ``"worst"``, which leave the second bound alone, if the run does not separate.

        Examples
        --------
        >>> import novikoff as nk
        >>> problem = nk.problems.separable(1000, 2, margin=0.1, random_state=1)
        >>> said = nk.Perceptron().fit(problem.X, problem.y).generalization(confidence=0.99)
        >>> said.first_pass.mean_error < 0.15, said.compression.error < 0.15
        (True, True)
        """
        return generalization(self, confidence)

    @property
    def threshold_(self) -> float:
        """theta in use: 0 for the Perceptron."""
        return self._learned().theta

    @property
    def _rule_in_use(self) -> Rule:
        """How it learns: the rule that compiled loops ask."""
        return self._learned().rule

    @property
    def rounded_(self) -> bool:
        """Was some update not exactly w + yx, but its nearest floats?"""
        return self._learned().rounded

    @property
    def stop_reason_(self) -> str:
        """Why the last fit stopped, in words; after further updates, that it goes on."""
        goes_on = any(
            learner.changes != stopped.changes or learner.aside != stopped.aside for learner, stopped in self._stops()
        )
        return words.ON_A_STREAM if goes_on else self._stopped.reason

    @property
    def interrupted_(self) -> bool:
        """Did Ctrl-C end the last fit?"""
        return self._stopped.interrupted if self._learned() else False

    def summary(self) -> str:
        """What was found, in words."""
        if isinstance(self._learned(), Committee):
            return words.summary_of_heads(type(self).__name__, self)
        return words.summary(type(self).__name__, self, *self._theorem_allows(), self._against(), in_a_line(self))

    def _card(self) -> Html:
        learner, name = self._learned(), type(self).__name__
        counts = [
            ("Stopped", self.stop_reason_),
            ("Classes", few(self.classes_)),
            ("Mistakes", f"{self.mistakes_:,}"),
            ("Updates", f"{self.updates_:,}"),
            ("Passes", f"{self.passes_:,}"),
            ("Largest norm", f"R = {self.radius_:.6g}"),
        ]
        if isinstance(learner, Committee):
            heads = grid(("head", "how it went"), self._heads_in_words())
            return card(name, learner.kind, facts(counts), heads, in_words(self.summary()))
        allowed = self._allowed_at_most()
        if allowed is not None:
            counts.append(("The theorem allows", f"at most {allowed:,} {plural(learner.noun)}, by this separator"))
        return card(
            name,
            self.stop_reason_.partition(":")[0],
            bracket(*self.margin_) if max(self.margin_[0], 0.0) or math.isfinite(self.margin_[1]) else "",
            share(learner.bounded, allowed, learner.noun),
            facts([*counts, ("Best margin", between(self.margin_))]),
            in_words(self.summary()),
        )

    def _allowed_at_most(self) -> int | None:
        """What the theorem allows by the separator that was found, if one was."""
        lower = self.margin_[0]
        if not lower > 0 or self._learner.weighed:
            return None
        return cast("int | None", self.bound(Fraction(lower)))

    def _heads_in_words(self) -> list[tuple[str, str]]:
        """What each sets apart, and how that went."""
        found = []
        for (negative, positive), head in zip(self._learner.divisions, self.estimators_, strict=True):
            other = "the rest" if negative == ALL_OTHERS else repr(self._labels.named_one(negative))
            found.append((f"{self._labels.named_one(positive)!r} against {other}", head.stop_reason_))
        return found

    def _against(self) -> int | None:
        """The best bound that a vector is known to give this run; none after further updates."""
        updates, most = self._compared or (-1, None)
        return most if updates == self._learner.updates else None

    def _theorem_allows(self) -> tuple[float, int | None]:
        """U with gamma* <= U, and the least that the theorem then allows."""
        upper = self.margin_[1]
        if not 0 < upper < math.inf or self._learner.weighed:
            return upper, None
        # No less is allowed than without rounding. From 0, what was made is allowed; U is rounded up, so its bound can
        # be one less.
        least = self._allowed(Fraction(upper), rounded=False)
        assert isinstance(least, int)
        return upper, max(least, self._learner.bounded)
