"""A report on more than two labels: each of them against the rest, and the learner that tells them all apart."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.certificates import NotSeparable, Proof, Separable, Undecided, certify
from novikoff.certificates.certificate import DECIMALS
from novikoff.display import two_classes
from novikoff.display.report import advice, sections
from novikoff.display.report.case import EMBEDDED, Given, Origin, certificate_of, constant_of
from novikoff.display.report.page import code, facts, paragraphs, section, table
from novikoff.estimators.hyperplane import LinearModel
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.named_weights import NamedWeights
from novikoff.examples import item, written
from novikoff.labels import Labels
from novikoff.learners.committee import Committee
from novikoff.views.html import Html, tag
from novikoff.words import counted

MOST = 20  # labels whose confusion is a table of all against all
ERRORS, CONFUSIONS = 10, 20  # rows in a table
LARGEST = 6  # weights told of one label,
HEADS = 60  # and for how many labels, or pairs of them


@dataclass(frozen=True, eq=False)
class ManyCase(Given):
    """More than two labels."""

    places: NDArray[np.intp]  # of the label of each row
    proofs: Mapping[Any, Proof]  # of each label against the rest

    @property
    def constant(self) -> float:
        return next(iter(self.proofs.values())).about.constant

    @property
    def by_name(self) -> dict[str, Proof]:
        return {written(label): proof for label, proof in self.proofs.items()}

    @cached_property
    def certificates(self) -> dict[str, tuple[str, bytes]]:
        """Of each label that has one: the name of its file, and the content."""
        return {
            label: certificate_of(proof) for label, proof in self.by_name.items() if not isinstance(proof, Undecided)
        }

    @property
    def beside(self) -> dict[str, bytes]:
        """The certificates that are too large for the page."""
        return {name: content for name, content in self.certificates.values() if len(content) > EMBEDDED}

    @cached_property
    def said(self) -> NDArray[np.intp]:
        """The place of the label that is predicted for each row."""
        return Labels(self.model.classes_).codes(self.model._sides(self.scores), self.n)

    @cached_property
    def wrong(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.said != self.places)

    @property
    def learned_here(self) -> bool:
        """Can the model have learned from these rows?"""
        clf = self.clf
        if not isinstance(clf, LinearClassifier) or clf.scale != "none":
            return True
        return bool(clf.radius_ <= self.radius * (1 + 1e-9))


def many_case(
    clf: LinearModel | None, X: Any, y: Any, proofs: Proof | Mapping[Any, Proof] | None, origin: Origin
) -> ManyCase:
    """Everything read and checked; the verdicts, where none are given, found."""
    if clf is not None and len(clf.classes_) <= 2:
        raise ValueError(
            f"y holds {len(inputs.distinct(inputs.labels(X, y)))} labels, and the model knows "
            f"{len(clf.classes_)}: report on a model of all of them"
        )
    y, weights = inputs.labels(X, y), inputs.given_weights(X, None)
    given, names = inputs.plain_matrix(X)
    matrix = given
    if clf is not None:
        matrix, names = inputs.matrix(clf, X), getattr(clf, "feature_names_in_", names)
    labels = Labels.of(y, matrix.shape[0]) if clf is None else Labels(clf.classes_)
    places = labels.codes(y, matrix.shape[0])
    y = labels.named(places)
    constant = constant_of(clf) if clf is not None else 1.0
    if proofs is None:
        options = {"intercept_scaling": constant} if constant else {"fit_intercept": False}
        standardised = clf is not None and clf.standardization_ is not None
        record = None if standardised else getattr(X, "record", None)  # of rows that are not those of the file
        doubted = getattr(X, "doubted", ())
        examples = inputs.Examples(matrix, y, names, record=record, doubted=doubted)
        proofs = certify(examples, **options)
    elif isinstance(proofs, Proof):
        raise TypeError(f"there are {len(labels.classes)} labels: pass what certify gives, a verdict for each")
    else:
        for proof in proofs.values():
            if not isinstance(proof, Separable | NotSeparable | Undecided) or proof.about.labels:
                what = "a report on many labels is on the verdicts of certify(X, y), each label against the rest"
                raise TypeError(f"{what}: leave certificate out, or pass these; this is {proofs!r}")
            two_classes.read_for(proof, matrix, y)
            if clf is not None and proof.about.constant != constant:
                raise ValueError("the certificates have another constant coordinate than the model")
    assert isinstance(proofs, Mapping)
    named = tuple(written(label) for label in labels.classes)
    tags = getattr(X, "tags", None)
    if clf is None or clf.standardization_ is None:
        given = matrix
    return ManyCase(matrix, y, named, names, tags, clf, origin, weights, X, given, places, proofs)


# The page ----------------------------------------------------------------------------------------


def top(case: ManyCase, heading: str) -> Html:
    proofs = list(case.proofs.values())
    apart = sum(isinstance(proof, Separable) for proof in proofs)
    never = sum(isinstance(proof, NotSeparable) for proof in proofs)
    told = f"Of {counted(len(proofs), 'label')}, {apart:,} can be separated from the rest by a hyperplane"
    told += f", and {never:,} cannot: this is proved." if apart + never == len(proofs) else "; some are undecided."
    verdict = "separable" if apart == len(proofs) else "not-separable" if never else "undecided"
    key: list[tuple[str, str, str]] = [("Data", f"{case.n:,} × {case.d:,}", "rows × columns")]
    key.append(("Labels", f"{len(case.labels):,}", f"{apart:,} separable from the rest"))
    clf = case.clf
    if isinstance(clf, LinearClassifier):
        key.append(("Mistakes in learning", f"{clf.mistakes_:,}", f"in {counted(clf.passes_, 'pass')}"))
    if clf is not None:
        wrong = len(case.wrong)
        key.append(("Wrong labels", f"{wrong:,}", f"of {counted(case.n, 'row')} ({wrong / case.n:.2%})"))
    here = {"data": "The data", "verdict": "Each against the rest"}
    if clf is not None:
        here |= {"run": "The run", "new": "New data", "errors": "The errors", "weights": "The weights"}
    here |= {"todo": "What to do", "again": "Do it again", "words": "Words"}
    return sections.header(heading, told, verdict, key, here)


def all_of(case: ManyCase) -> Iterator[Html]:
    yield _data(case)
    yield _verdicts(case)
    if case.clf is not None:
        yield _run(case, case.clf)
        yield sections.new_data(case)
        yield _errors(case)
        yield _weights(case)
    wrong = None if case.clf is None else len(case.wrong)
    yield sections.todo(advice.of_many(case, case.by_name, wrong))
    yield sections.again(case)
    yield sections.words(case)


def _data(case: ManyCase) -> Html:
    counts = np.bincount(case.places, minlength=len(case.labels)).tolist()
    each = [(label, f"{count:,}", f"{count / case.n:.1%}") for label, count in zip(case.labels, counts, strict=True)]
    return section(
        "data",
        "The data",
        *sections.given(case),
        table("The labels", ("label", "rows", "share"), each, words=(0,)),
    )


def _verdicts(case: ManyCase) -> Html:
    lines = []
    for label, proof in case.by_name.items():
        margin = _bracket(proof)
        rows = f"{len(proof.rows):,}" if isinstance(proof, Separable | NotSeparable) else "–"
        lines.append((label, proof.verdict, margin, rows, _certificate(case, label)))
    head = ("label", "against the rest", "best margin", "rows of the proof", "certificate")
    checks = [f"novikoff verify {name} {case.origin.data}" for name, _ in case.certificates.values()]
    return section(
        "verdict",
        "Each against the rest",
        paragraphs(
            "Is there a hyperplane with all rows of a label on one side, and all other rows on the other? Where there "
            "is, how large can its margin be? Where there is none, the certificate names rows that show it.",
            DECIMALS,
        ),
        table("One label against all others", head, lines, words=(0, 1, 4)),
        *([tag("h3", "Check it"), code(*checks[:MOST])] if checks else []),
    )


def _bracket(proof: Proof) -> str:
    assert isinstance(proof, Separable | NotSeparable | Undecided)
    if isinstance(proof, NotSeparable):
        return "none"
    if isinstance(proof, Undecided):
        return f"at most {sections.number(proof.margin[1])}"
    low, high = map(sections.number, proof.margin)
    return low if low == high else f"{low} to {high}"


def _certificate(case: ManyCase, label: str) -> object:
    if label not in case.certificates:
        return "–"
    name, content = case.certificates[label]
    if name in case.beside:
        return tag("code", name)
    link = f"data:application/json;base64,{base64.b64encode(content).decode()}"
    return tag("a", name, href=link, download=name)


def _run(case: ManyCase, clf: LinearModel) -> Html:
    rows: list[tuple[object, object]] = [("Learner", tag("code", repr(clf)))]
    parts = [paragraphs(case.origin.note)]
    if not case.learned_here:
        parts.append(paragraphs("The model learned from other rows than these: its counts are not about them."))
    if isinstance(clf, LinearClassifier):
        rows += [
            ("Mistakes", f"{clf.mistakes_:,}"),
            ("Updates", f"{clf.updates_:,}"),
            ("Passes over the data", f"{clf.passes_:,}"),
            ("Why it stopped", clf.stop_reason_),
        ]
        learner = clf._learner
        if isinstance(learner, Committee):
            heads = clf._heads_in_words()
            found = table(f"Its {counted(len(heads), 'head')}", ("what it sets apart", "how that went"), heads, (0, 1))
            parts.append(found)
        elif clf.margin_[0] > 0:
            rows.append(("Margin of its weights", sections.number(clf.margin_[0])))
    return section("run", "The run", facts("What was learned, and how", rows), *parts)


def _errors(case: ManyCase) -> Html:
    wrong = case.wrong
    counts = np.zeros((len(case.labels), len(case.labels)), dtype=np.int64)
    np.add.at(counts, (case.places, case.said), 1)
    if len(case.labels) <= MOST:
        head = ("true label", *(f"predicted {label}" for label in case.labels), "errors")
        lines = [
            (label, *(f"{count:,}" for count in counts[place]), f"{counts[place].sum() - counts[place, place]:,}")
            for place, label in enumerate(case.labels)
        ]
        confusion = table("Which label is taken for which", head, lines, words=(0,))
    else:
        np.fill_diagonal(counts, 0)
        order = np.argsort(-counts, axis=None, kind="stable")[:CONFUSIONS]
        pairs = [divmod(int(place), len(case.labels)) for place in order if counts.flat[place]]
        told = [(case.labels[true], case.labels[said], f"{counts[true, said]:,}") for true, said in pairs]
        confusion = table("The most frequent errors", ("true label", "predicted", "rows"), told, words=(0, 1))
    parts = [paragraphs(f"The learner gives {counted(len(wrong), 'row')} of {case.n:,} a wrong label."), confusion]
    if len(wrong):
        rows = np.arange(case.n)
        with np.errstate(over="ignore", invalid="ignore"):  # of two infinite scores nobody knows the gap
            gaps = (case.scores[rows, case.said] - case.scores[rows, case.places])[wrong]
        worst = wrong[np.argsort(-gaps, kind="stable")[:ERRORS]]
        lines = [
            (
                sections.row_name(case, i),
                case.labels[case.places[i]],
                case.labels[case.said[i]],
                sections.number(case.scores[i, case.places[i]]),
                sections.number(case.scores[i, case.said[i]]),
            )
            for i in worst.tolist()
        ]
        head = ("row", "label", "predicted", "score of its label", "score of the predicted")
        parts.append(table("Wrong labels, the widest gap between the scores first", head, lines, words=(1, 2)))
    return section("errors", "The errors", *parts)


def _weights(case: ManyCase) -> Html:
    weights = NamedWeights.of(case.model, None if case.names is None else [item(name) for name in case.names])
    assert weights is not None
    lines = []
    for place, head in enumerate(weights.heads[:HEADS]):
        parts = (
            tag("li", f"{weights.features[j]} ({sections.number(weights.W[place, j], '+.4g')})")
            for j in weights.largest(place, LARGEST).tolist()
        )
        told = tag("ul", *parts, class_="plain")
        lines.append((str(head), told, sections.number(weights.intercepts[place], "+.4g")))
    left = len(weights.heads) - len(lines)
    return section(
        "weights",
        "The weights",
        paragraphs(
            "A weight above 0 speaks for the label, and one below 0 against it. Weights depend on the units of the "
            "columns." + (f" {left:,} more are not shown." if left else "")
        ),
        table("The largest weights", ("label", "features that weigh most", "constant"), lines, words=(0, 1)),
    )
