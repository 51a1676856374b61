"""The sections of a report, in plain words for somebody who was not there."""

from __future__ import annotations

import base64
import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp

from novikoff.certificates import NotSeparable, Separable, Undecided
from novikoff.certificates.certificate import DECIMALS
from novikoff.display.report import advice, features, figures
from novikoff.display.report.case import Case, Given, Indices
from novikoff.display.report.compare import Rival, comparison, rival
from novikoff.display.report.page import code, facts, paragraphs, section, table
from novikoff.display.report.read import what_was_read
from novikoff.estimators.linear import LinearClassifier
from novikoff.estimators.max_margin import MaxMarginClassifier
from novikoff.learners.committee import Committee
from novikoff.views.html import Html, joined, tag
from novikoff.words import agreeing, counted, listed, setting

HARDEST, HEAVIEST, LARGEST = 10, 10, 15  # rows and features in a table
NAMED = 30  # columns that are named
BLAMED = 12  # rows that a sentence names
NARROW = 5  # columns up to which the rows of a certificate are shown with their values
PARTS = 4  # features told of one row
PACKAGES = ("novikoff", "numpy", "scipy", "scikit-learn", "numba", "python-flint", "matplotlib")

Facts = list[tuple[object, object]]


def all_of(case: Case) -> Iterator[Html]:
    yield _data(case)
    yield _verdict(case)
    if case.clf is not None or case.origin.note:
        yield _run(case)
    if case.clf is not None:
        yield new_data(case)
    other: Rival | str = ""
    if case.w is not None:
        other = rival(case)
        yield _hyperplane(case, other)
        yield _weights(case)
    yield todo(advice.of_two(case, other))
    yield again(case)
    yield words(case)


# The top -----------------------------------------------------------------------------------------


def top(case: Case, heading: str) -> Html:
    proof, clf = case.proof, case.clf
    if isinstance(proof, Separable):
        margin = number(proof.margin[0])
        margin += f" to {above}" if (above := number(proof.margin[1])) != margin else ""
        told = f"Separable: a hyperplane has {_all(case.n)} on the sides of their labels. This is proved, not "
        told += f"estimated: {proof.about.division}."
    elif isinstance(proof, NotSeparable):
        margin = "none"
        told = f"Not separable: no hyperplane has {_all(case.n)} on the sides of their labels. This is proved: "
        told += f"{proof.about.division}."
    else:
        margin = f"at most {number(proof.margin[1])}"
        told = f"Undecided: whether a hyperplane separates the two labels was not settled, because {proof.why}."
    key = [("Data", f"{case.n:,} × {case.d:,}", "rows × columns")]
    key.append(("Best margin", margin, f"R = {number(case.radius)}"))
    if isinstance(clf, LinearClassifier):
        allowed = "no bound is known" if case.allowed is None else f"the theorem allows {_count(case.allowed)}"
        key.append((f"{_noun(clf).capitalize()}s in learning", f"{clf._learner.bounded:,}", allowed))
    if case.w is not None:
        wrong = int(np.sum(case.margins <= 0))
        key.append(("On the wrong side", f"{wrong:,}", f"of {counted(case.n, 'row')} ({wrong / case.n:.2%})"))
    here = {"data": "The data", "verdict": "Is there a separator?"}
    here |= {"run": "The run"} if clf is not None or case.origin.note else {}
    here |= {"new": "New data"} if clf is not None else {}
    here |= {"hyperplane": "The hyperplane", "weights": "The weights"} if case.w is not None else {}
    here |= {"todo": "What to do", "again": "Do it again", "words": "Words"}
    return header(heading, told, proof.verdict.replace(" ", "-"), key, here)


def header(heading: str, told: str, verdict: str, key: Sequence[tuple[str, str, str]], here: Mapping[str, str]) -> Html:
    """The verdict in a sentence and in numbers, and links to the sections."""
    cells = (tag("div", tag("dt", name), tag("dd", value, tag("small", more))) for name, value, more in key)
    links = (tag("li", tag("a", name, href=f"#{ident}")) for ident, name in here.items())
    return tag(
        "header",
        tag("h1", heading),
        tag("p", told, class_=f"verdict {verdict}"),
        tag("dl", joined(cells), class_="key"),
        tag("nav", tag("ul", joined(links)), aria_label="Sections"),
    )


# The data ----------------------------------------------------------------------------------------


def _data(case: Case) -> Html:
    counts = (int(np.sum(case.signs < 0)), int(np.sum(case.signs > 0)))
    each = [
        (label, sign, f"{count:,}", f"{count / case.n:.1%}")
        for label, sign, count in zip(case.labels, "−+", counts, strict=True)
    ]
    return section(
        "data",
        "The data",
        *given(case),
        paragraphs(f"The label {case.labels[1]} is +, and {case.labels[0]} is −."),
        table("The two labels", ("label", "side", "rows", "share"), each, words=(0, 1)),
    )


def given(case: Given) -> Iterator[Html]:
    """What was read, and what can be seen in it."""
    X = case.X
    if sp.issparse(X):
        storage = f"sparse rows (CSR, {X.dtype}), {X.nnz / case.n:.3g} entries a row"
    else:
        storage = f"dense ({X.dtype}), {counted(X.nbytes, 'byte')}"
    constants = features.constant(X)
    copies = features.repeated(X, constants)
    idle = len(constants) or len(copies)
    rows: Facts = [
        ("Rows", f"{case.n:,}"),
        ("Columns", f"{case.d:,}" + (", without names: they are counted from 0" if case.names is None else "")),
        ("Storage", storage),
        ("Constant coordinate", f"{case.constant:g}, appended to every row" if case.constant else "none"),
        *([("Columns are standardised", str(case.standardization))] if case.standardization else []),
        ("R, the norm of the longest row", number(case.radius)),
        ("Columns with one value only", _listed(case, constants)),
        ("Columns that repeat another one", _listed(case, copies)),
    ]
    if case.names is not None:
        more = f", and {case.d - NAMED:,} more" if case.d > NAMED else ""
        rows.insert(2, ("Their names", ", ".join(case.column(j)[:60] for j in range(min(case.d, NAMED))) + more))
    if isinstance(case, Case):
        rows.append(("Digest", tag("code", case.proof.about.digest)))
    yield paragraphs(*what_was_read(case.source))
    yield facts("What was given", rows)
    if idle:
        yield paragraphs("Columns with one value, and copies, have no say in what can be separated.")
    if case.standardization:
        yield paragraphs(
            "The model standardises the columns of the data, by numbers that it keeps. All that this page says of rows "
            "and columns is about the standardised ones."
        )


def _listed(case: Given, found: Indices) -> str:
    shown = ", ".join(case.column(j)[:60] for j in found[:5].tolist())
    return f"{len(found):,}: {shown}{', …' if len(found) > 5 else ''}" if len(found) else "none"


# The verdict -------------------------------------------------------------------------------------


def _verdict(case: Case) -> Html:
    proof = case.proof
    if isinstance(proof, Undecided):
        return section("verdict", "Is there a separator?", paragraphs(*_open(proof)))
    told = _why(case, proof) if isinstance(proof, Separable) else paragraphs(*_why_not(proof))
    return section("verdict", "Is there a separator?", told, _proof_rows(case, proof), _check(case))


def _why(case: Case, proof: Separable) -> Html:
    most = proof.most_mistakes
    known: Facts = [
        ("Best margin, at least", number(proof.margin[0])),
        ("Best margin, at most", number(proof.margin[1])),
        ("R", number(proof.radius)),
        (f"Mistakes of {proof.about.learner}, at most", "not known" if most is None else _count(most)),
        ("Closest row", row_name(case, proof.closest)),
        ("Rows of the support", f"{len(proof.rows):,}"),
    ]
    if proof.about.constant:
        known.insert(2, ("Distance of the closest row, by the columns alone", number(proof.euclidean_margin)))
    return joined(
        [
            paragraphs(
                "Yes. The certificate holds a hyperplane, which anybody can check row by row, and some rows, the "
                "support, which show that no other hyperplane does much better.",
                f"By Novikoff's theorem, {proof.promise}, however often they are shown.",
                DECIMALS,
            ),
            facts("What is proved", known),
        ]
    )


def _why_not(proof: NotSeparable) -> Iterator[str]:
    rows = proof.rows.tolist()
    if proof.contradiction:
        yield f"No. Rows {rows[0]:,} and {rows[1]:,} are the same example with different labels."
    elif len(rows) == 1:
        yield f"No. Row {rows[0]:,} is zero, and no hyperplane through the origin has it on either side."
    else:
        yield f"No. The certificate names {counted(len(rows), 'row')}, with positive whole numbers as weights. " + (
            "Weighted like this, the rows of one label have the same mean as those of the other, and nothing comes "
            "between a point and itself."
            if proof.about.constant
            else "Weighted like this, with their labels as signs, they add up to zero; so do their weighted margins, "
            "whatever the hyperplane through the origin is, and not all of them are positive."
        )
        yield (
            f"These rows are to blame together, {_numbers(rows)}: without any one of them the others of the proof "
            "could be separated. Other rows may be to blame as well; that these are the fewest is not promised."
        )
    if proof.origin_only:
        how = setting("fit_intercept", True)
        yield f"A hyperplane beside the origin may separate them: learn with {how}."
    yield DECIMALS
    if proof.weak is not None:
        yield "Some hyperplane has no row strictly on the wrong side, though: some rows are on it."


def _numbers(rows: Sequence[int]) -> str:
    """Of rows, in a sentence; the first of them, if they are many."""
    shown = [f"{i:,}" for i in rows[:BLAMED]]
    return listed([*shown, f"{len(rows) - BLAMED:,} more"] if len(rows) > BLAMED else shown)


def _open(proof: Undecided) -> Iterator[str]:
    yield (
        f"This is not known: {proof.why} after {counted(proof.passes, 'pass')} over the data. No hyperplane has "
        f"a margin above {number(proof.margin[1])}. There is no certificate."
    )


def _proof_rows(case: Case, proof: Separable | NotSeparable) -> Html:
    total = sum(proof.weights)
    shares = np.array([weight / total for weight in proof.weights])  # rounded correctly, whatever their size
    heaviest = np.argsort(-shares, kind="stable")[:HEAVIEST].tolist()
    rows = proof.rows[heaviest]
    head = ["row", "label", "share of the weight"]
    lines: list[list[object]] = [
        [row_name(case, i), case.label(i), f"{shares[k]:.2%}"] for k, i in zip(heaviest, rows.tolist(), strict=True)
    ]
    if case.d <= NARROW and not isinstance(proof, Separable):
        head += [case.column(j) if case.names is not None else f"column {j}" for j in range(case.d)]
        lines = [[*line, *map(number, x)] for line, x in zip(lines, case.dense(rows).tolist(), strict=True)]
    few = f", the {len(lines)} heaviest of {len(shares):,}" if len(lines) < len(shares) else ""
    return joined(
        [
            figures.certificate(case, proof, shares),
            table(f"Rows of the certificate{few}", head, lines, words=(1,)),
        ]
    )


def _check(case: Case) -> Html:
    size = f"{len(case.certificate):,} bytes"
    if case.beside:
        where: list[object] = [f"The certificate ({size}) is in a file beside this page, "]
    else:
        data = f"data:application/json;base64,{base64.b64encode(case.certificate).decode()}"
        where = [tag("a", "Save the certificate", href=data, download=case.file_name), f" ({size}) as "]
    return joined(
        [
            tag("h3", "Check it"),
            tag("p", *where, tag("code", case.file_name), ". Then"),
            _checking(case),
        ]
    )


def _checking(case: Case) -> Html:
    """How to have the certificate checked."""
    told = (
        "decides in exact arithmetic whether it proves what it says about these data. The checker shares "
        "with the search the rule which numbers float64 holds, and no other code"
    )
    if case.standardization:
        lines = (
            "import novikoff as nk",
            "",
            'model, data = nk.load("MODEL"), nk.data.read("DATA")  # those of this page',
            "rows = model.standardization_.rows(data.X)",
            f'print(nk.verify("{case.file_name}", rows, data.y))',
        )
        return joined([code(*lines), paragraphs(f"{told}.")])
    return joined(
        [
            code(f"novikoff verify {case.file_name} {case.origin.data}"),
            paragraphs(f"{told}; --reference runs a short one that is made to be read."),
        ]
    )


# The run -----------------------------------------------------------------------------------------


def _run(case: Case) -> Html:
    clf, note = case.clf, paragraphs(case.origin.note)
    if clf is None:
        return section("run", "The run", note)
    rows: Facts = [("Learner", tag("code", repr(clf)))]
    parts: list[object] = []
    if not case.learned_here:
        parts.append(paragraphs("The model learned from other rows than these: its counts are not about them."))
    if isinstance(clf, LinearClassifier):
        lower, upper = clf.margin_
        rows += [
            ("Mistakes", f"{clf.mistakes_:,}"),
            ("Updates", f"{clf.updates_:,}"),
            ("Passes over the data", f"{clf.passes_:,}"),
            (f"{_noun(clf).capitalize()}s that the theorem allows", _count(case.allowed)),
            ("Margin of its hyperplane", number(lower)),
            ("Best margin, by this run alone", f"at most {number(upper)}" if upper < math.inf else "–"),
            ("Why it stopped", clf.stop_reason_),
        ]
        if case.learned_here and case.allowed is None:
            parts.append(paragraphs("The theorem needs a separator; without one it promises nothing."))
        if len(clf.history_):
            parts += [figures.curve(case, clf), figures.steps(case, clf)]
    elif isinstance(clf, MaxMarginClassifier):
        lower, upper = clf.margin_
        rows += [
            ("Kind", "hard margin: every row on its side" if math.isinf(clf.C) else f"soft margin, C = {clf.C:g}"),
            ("Margin of its hyperplane", number(lower)),
            ("Best margin", f"at most {number(upper)}" if upper < math.inf else "–"),
            ("Passes over the data", f"{clf.n_iter_:,}"),
            ("Rows that carry it", f"{len(clf.support_):,}"),
        ]
    if case.w is None:
        parts.append(paragraphs("All weights are zero, which is no hyperplane."))
    return section("run", "The run", note, facts("What was learned, and how", rows), *parts)


# New data ----------------------------------------------------------------------------------------


def new_data(case: Given) -> Html:
    clf = case.model
    proved = Html()
    if isinstance(clf, LinearClassifier) and not isinstance(clf._learner, Committee) and case.learned_here:
        proved = _proved(clf)
    return section("new", "New data", proved, tag("h3", "Estimated"), paragraphs(case.estimate))


def _proved(clf: LinearClassifier) -> Html:
    try:
        found = clf.generalization()
    except ValueError as error:
        return joined([tag("h3", "Proved"), paragraphs(f"No bound on the error on new rows: {error}")])
    bounds = (bound for bound in (found.first_pass, found.compression, *found.refused) if bound is not None)
    return joined(
        [
            tag("h3", "Proved"),
            paragraphs(f"With a probability of {found.confidence:g} for each statement:"),
            tag("ul", *(tag("li", bound) for bound in bounds)),
            paragraphs("An error is the probability of a wrong answer, or of none. This holds if"),
            tag("ul", *(tag("li", hypothesis) for hypothesis in found.hypotheses)),
        ]
    )


# The hyperplane ----------------------------------------------------------------------------------


def _hyperplane(case: Case, other: Rival | str) -> Html:
    said, true = case.model._sides(case.scores) == case.model.classes_[1], case.signs > 0
    confusion = [
        (label, f"{int(np.sum((true == side) & ~said)):,}", f"{int(np.sum((true == side) & said)):,}")
        for label, side in zip(case.labels, (False, True), strict=True)
    ]
    head = ("true label", *(f"predicted {label}" for label in case.labels))
    return section(
        "hyperplane",
        "The hyperplane",
        paragraphs("How the hyperplane that was learned divides these rows. On the wrong side, margins are negative."),
        table("Which label is taken for which", head, confusion, words=(0,)),
        comparison(case, other),
        figures.margins(case),
        figures.geometry(case),
        tag("h3", "The hardest rows"),
        _hardest(case),
    )


def _hardest(case: Case) -> Html:
    rows = case.hardest[:HARDEST]
    said = case.model._sides(case.scores[rows]) == case.model.classes_[1]
    lines = []
    for i, guess in zip(rows.tolist(), said.tolist(), strict=True):
        x, shares = case.parts(i)
        largest = [j for j in np.argsort(-np.abs(shares), kind="stable")[:PARTS].tolist() if shares[j]]
        parts = (tag("li", f"{case.column(j)} = {number(x[j])} ({number(shares[j], '+.2g')})") for j in largest)
        told = tag("ul", *parts, class_="plain") if largest else "–"
        lines.append((row_name(case, i), case.label(i), case.labels[int(guess)], number(case.margins[i]), told))
    noun = "column" if case.names is None else "feature"
    return table(
        f"The smallest margins first; in brackets, what a {noun} adds to the margin",
        ("row", "label", "predicted", "margin", f"{noun}s that weigh most"),
        lines,
        words=(1, 2, 4),
    )


def _weights(case: Case) -> Html:
    w = case.model.coef_[0]
    top = np.argsort(-np.abs(w), kind="stable")[:LARGEST]
    top = top[w[top] != 0]
    part = case.X[:, top]
    with np.errstate(over="ignore", invalid="ignore"):  # what is beyond float64 is not known
        spread = (part.toarray() if sp.issparse(part) else part).std(axis=0, dtype=np.float64)
    lines = [
        (case.column(j), number(w[j], "+.6g"), case.labels[int(w[j] > 0)], number(abs(w[j]) * spread[k], ".3g"))
        for k, j in enumerate(top.tolist())
    ]
    used = int(np.count_nonzero(w))
    return section(
        "weights",
        "The weights",
        paragraphs(
            f"{used:,} of {counted(case.d, 'weight')} {agreeing(used, 'is', 'are')} not zero; the intercept is "
            f"{number(case.model.intercept_[0], '+.6g')}. Weights depend on the units of the columns; weights "
            "times the spread (the standard deviation) do not."
        ),
        table(
            f"The largest of {used:,}" if len(lines) < used else "All weights that are not zero",
            ("column" if case.names is None else "feature", "weight", "speaks for", "weight × spread"),
            lines,
            words=(0, 2),
        ),
    )


# The end -----------------------------------------------------------------------------------------


def todo(sentences: Sequence[str]) -> Html:
    return section("todo", "What to do", paragraphs(*sentences))


def again(case: Given) -> Html:
    if case.origin.command:
        how = code(case.origin.command)
    else:
        learned = "clf = None" if case.clf is None else f"clf = nk.{case.clf!r}.fit(X, y)"
        if case.standardization:
            learned = f'clf = nk.fit_file(nk.{case.clf!r}, "DATA", standardize=True)'
        how = code(
            "import novikoff as nk",
            "",
            learned,
            'nk.report(clf, X, y).save("report.html")',
        )
    shuffled = case.clf._shuffles() if isinstance(case.clf, LinearClassifier) else getattr(case.clf, "shuffle", False)
    chance = shuffled and getattr(case.clf, "random_state", None) is None
    same = (
        "Rows were shuffled without random_state: another run is another one."
        if chance
        else ("With the same data and these versions, this gives the same page, byte for byte.")
    )
    versions: Facts = [("Python", platform.python_version()), *((name, version(name)) for name in PACKAGES)]
    return section(
        "again",
        "Do it again",
        how,
        paragraphs(same),
        facts("Versions", versions),
    )


def words(case: Given) -> Html:
    with_it = f", with the constant coordinate {case.constant:g}" if case.constant else ""
    known = {
        "Row": "One example. Rows count from 0: in a table, row 0 is the first one below the names of the columns.",
        "Hyperplane": "Where a weighted sum of the columns, ⟨w,x⟩, is zero; one label is above it, the other below.",
        "Separable": "Some hyperplane has all rows of one label on one side, and all rows of the other on the other.",
        "Margin (γ)": "Of a row: y⟨w,x⟩/‖w‖, its distance from the hyperplane, negative on the wrong side"
        f"{with_it}. Of a hyperplane: the smallest margin of its rows.",
        "R": f"The norm of the longest row{with_it}.",
        "Mistake, update": "A row that was met on the wrong side, or on the hyperplane; a change of w due to a row.",
        "The theorem": "If some hyperplane has margin γ, a Perceptron makes at most R²/γ² mistakes (Novikoff 1962).",
        "Certificate": "A file that proves the verdict, and that anybody can check against the data.",
    }
    pairs = (tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in known.items())
    return section("words", "Words", tag("dl", joined(pairs), class_="words"))


def row_name(case: Given, i: int) -> Html:
    """The number of a row, and its name if it has one."""
    name = case.tags[i] if case.tags else ""
    return tag("span", str(i), tag("small", f" {name}") if name else "")


def _all(count: int) -> str:
    return f"all {count:,} rows"


def _noun(clf: LinearClassifier) -> str:
    return str(clf._learner.noun)


def number(value: Any, form: str = ".6g") -> str:
    value = float(value)
    if not math.isfinite(value):
        return "not known"
    whole = form == ".6g" and value.is_integer() and abs(value) < 1e15
    return (f"{int(value):,}" if whole else f"{value:{form}}").replace("-", "−")


def _count(value: int | None) -> str:
    if value is None:
        return "not known"
    return f"{value:,}" if value < 10**15 else f"{float(value):.3g}" if value < 10**300 else "over 1e300"
