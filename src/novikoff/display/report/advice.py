"""What to do: a few sentences that depend on the case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from novikoff.certificates import NotSeparable, Proof, Separable, Undecided
from novikoff.display.report.case import Case, Given
from novikoff.display.report.compare import Rival, errors_of, margins_of
from novikoff.display.style import number
from novikoff.estimators.linear import LinearClassifier
from novikoff.words import agreeing, column_name, counted, listed, said, setting, told

TINY = 1e-4  # of a margin: this share of R, or less


def of_two(case: Case, other: Rival | str) -> list[str]:
    """Two to four sentences about two labels."""
    proof = case.proof
    if isinstance(proof, Separable):
        return [*[*_separable(case, proof), *_cut_short(case)][:3], _new_rows()]
    if isinstance(proof, Undecided):
        budget = told("more seconds (max_seconds)", "more seconds (--max-seconds)")
        return [
            f"Whether a hyperplane separates these labels is open: allow {budget}, until the answer has its proof.",
            *_errors(case, other),
            _new_rows(),
        ]
    return [*_not_separable(case, proof), *_errors(case, other), _new_rows()]


def _separable(case: Case, proof: Separable) -> Iterator[str]:
    ratio = proof.margin[0] / proof.radius
    weights = case.d + (case.constant > 0)
    doubted = [each.column for each in proof.rests_on]
    if doubted:
        yield (
            f"The separator uses {_some([column_name(column) for column in doubted])}: see Careful above, and make "
            f"this report again with {said('drop', doubted)}, to see whether the verdict rests on that."
        )
    if weights >= case.n:
        cure = "" if doubted else f" Leave out columns that name the rows, with {said('drop', ['NAME'])}."
        yield (
            f"There are {weights:,} weights for {case.n:,} rows: so many can tell nearly any labels apart, whatever "
            f"they mean.{cure}"
        )
    best = told("MaxMarginClassifier()", "novikoff fit --learner max-margin")
    if ratio > TINY:
        yield (
            f"The labels can be told apart without an error, with room between them: {best} returns the hyperplane "
            "that has the most of it."
        )
    else:
        yield (
            f"The labels can be told apart without an error, but the margin is tiny: {number(ratio)} of R, so that a "
            f"small error of measurement can put row {proof.closest:,} on the other side."
        )
        yield (
            "If the columns are in units of very different sizes, bring them to one scale: the margin is measured in "
            f"the units of all of them. {best} finds the separator without waiting for a Perceptron."
        )


def _cut_short(case: Case) -> Iterator[str]:
    """A learner that has left errors where none need be."""
    if case.clf is None or case.w is None:
        return
    wrong = errors_of(case)
    if not wrong:
        return
    has = f"The learner has {counted(wrong, 'row')} on the wrong side or on its hyperplane"
    if isinstance(case.clf, LinearClassifier) and case.learned_here and case.clf.passes_ >= case.clf.max_iter:
        more = setting("max_iter", 10 * case.clf.max_iter)
        yield f"{has}, because it was stopped after {counted(case.clf.passes_, 'pass')}: give it more, with {more}."
    else:
        yield f"{has}, and a separator has none: {told('MaxMarginClassifier()', '--learner max-margin')} finds one."


def _not_separable(case: Case, proof: NotSeparable) -> Iterator[str]:
    if proof.contradiction:
        i, j = proof.rows[:2].tolist()
        yield f"Look at rows {i:,} and {j:,}: one may be mislabelled, or the columns lack what tells them apart."
    elif len(proof.rows) == 1:
        yield "A row of zeros lies on every hyperplane through the origin: take one with a constant."
    else:
        rows = counted(len(proof.rows), "row")
        yield (
            f"No hyperplane will do, so look at the {rows} of the certificate: a label among them may be wrong, or the "
            "columns lack what tells the labels apart, and more columns may help."
        )
    if proof.origin_only:
        yield f"Or learn with a constant, {setting('fit_intercept', True)}: a hyperplane beside the origin may do."


def _errors(case: Case, other: Rival | str) -> Iterator[str]:
    """Whose errors to accept."""
    if case.clf is None or case.w is None:
        soft = told("MaxMarginClassifier(C=1.0)", "novikoff fit --learner max-margin -s C=1.0")
        yield f"Or accept some errors: {soft} weighs them against the margin."
        return
    if not isinstance(other, Rival):
        return
    mine, wrong = errors_of(case), int(np.sum(margins_of(case, other.w) <= 0))
    if wrong < mine:
        yield f"Or accept errors: {other.name} makes {wrong:,} here, and the learner of this report {mine:,}."
    else:
        yield f"Or accept errors: the learner of this report makes {mine:,} here, and {other.name} {wrong:,}."


def _new_rows() -> str:
    return "How many errors to expect on other rows is told under New data, and not by the rows that were learned from."


def of_many(given: Given, proofs: Mapping[str, Proof], wrong: int | None) -> list[str]:
    """The same about many labels; ``proofs`` by the names of the labels."""
    apart = [label for label, proof in proofs.items() if isinstance(proof, Separable)]
    never = [label for label, proof in proofs.items() if isinstance(proof, NotSeparable)]
    lines = []
    if len(apart) == len(proofs):
        heads = setting("multiclass", "one-vs-rest")
        lines.append(f"Each label has a hyperplane that sets it apart from all others, and {heads} can find them.")
    if never:
        lines.append(
            f"No hyperplane sets {_some(never)} apart from the rest. The certificates name the rows: a label among "
            "them may be wrong, or the columns lack what tells these labels apart."
        )
        same = next(
            (proof for proof in proofs.values() if isinstance(proof, NotSeparable) and proof.contradiction), None
        )
        if same is not None:
            i, j = same.rows[:2].tolist()
            lines.append(
                f"Rows {i:,} and {j:,} hold the same example with different labels: whatever is learned from these "
                "columns, it has one of them wrong."
            )
        else:
            lines.append(
                "One vector for each label, as the learner has by default, or pairs of labels may tell all rows apart "
                "all the same: the certificates say nothing of that."
            )
    if len(apart) + len(never) < len(proofs):
        lines.append(f"Some are open: allow {told('more seconds (max_seconds)', 'more seconds (--max-seconds)')}.")
    if wrong and isinstance(given.clf, LinearClassifier) and given.clf.passes_ >= given.clf.max_iter:
        more = setting("max_iter", 10 * given.clf.max_iter)
        lines.append(
            f"The learner was stopped after {counted(given.clf.passes_, 'pass')} with {counted(wrong, 'error')}: more "
            f"passes ({more}), or {setting('hypothesis', 'average')}, may leave fewer."
        )
    return [*lines[:3], _new_rows()] if given.clf is not None else lines[:4]


def _some(labels: list[str]) -> str:
    shown = labels[:4]
    if len(labels) > 4:
        shown[-1] = f"{len(labels) - 3:,} {agreeing(len(labels) - 3, 'other', 'others')}"
    return listed(shown)
