"""The report: its numbers are those of the objects, its page is sound, and nothing in the data can harm it."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris
from typer.testing import CliRunner

from novikoff import (
    MarginPerceptron,
    MaxMarginClassifier,
    Perceptron,
    Winnow,
    certify,
    data,
    problems,
    save,
    verify,
)
from novikoff.cli import app
from novikoff.display.report import case, features, report
from novikoff.display.style import literal
from novikoff.estimators.folds import cross_validated
from novikoff.inputs import Examples
from tests.display.pictures import check

VOID = {"meta", "br", "hr", "img", "input", "link"}
IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, np.where(IRIS.target == 0, "setosa", "other")
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
OVERLAP = (
    np.random.RandomState(0).standard_normal((40, 2)) + np.repeat([[0.0], [1.5]], 20, axis=0),
    np.repeat([3, 8], 20),
)
HOSTILE = [
    '<script>alert("1")</script>',
    "$\\frac{$ & $x$",
    '"><img src=http://x.invalid/a onerror=b>',
    "_\x00\u200b]]>",
]


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words, self.cells = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("td", "th", "dd", "dt"):
            self.cells.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.words.append(text)
        if {"td", "th", "dd", "dt"} & set(self.open):
            self.cells[-1] += text

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    @property
    def facts(self):
        """The tables of names and values, as one dict; the first of a name."""
        return dict(reversed(list(pairwise(self.cells))))

    @property
    def text(self):
        return "".join(self.words)


def unfinished(model, *examples):
    with pytest.warns(match="did not separate"):
        return model.fit(*examples)


def hostile():
    """Names of columns and labels that would like to be something else."""
    labels = np.array([HOSTILE[0], HOSTILE[1]], dtype=object)[[0, 1, 1, 0, 1, 0]]
    values = np.array([[0.0, 3.0], [2.0, 0.5], [3.0, 0.0], [-1.0, 2.0], [4.0, 1.0], [0.5, 4.0]])
    return data.Dataset(values, labels, np.array(HOSTILE[2:], dtype=object), tags=[*HOSTILE, "", "plain"])


def sparse():
    problem = problems.separable(80, 12, margin=0.1, random_state=3)
    return sp.csr_array(np.where(np.abs(problem.X) > 0.1, problem.X, 0.0)), problem.y


def pictures():
    digits = load_digits()
    return digits.data, np.where(digits.target == 8, "8", "not 8")


def cases():
    slow = problems.doubling(9)
    narrow = np.array([[1.0], [2.0], [3.0], [5.0]]), np.array([False, False, True, True])
    rows, labels = sparse()
    many = problems.separable(900, 3, margin=0.05, random_state=0)
    yield "named", lambda: report(Perceptron().fit(X, Y), X, Y)
    yield "best", lambda: report(MaxMarginClassifier().fit(X, Y), X, Y)
    yield "soft", lambda: report(MaxMarginClassifier(C=1.0).fit(*OVERLAP), *OVERLAP)
    yield "ball", lambda: report(MarginPerceptron(scale="ball").fit(X, Y), X, Y)
    yield "sphere", lambda: report(Perceptron(scale="sphere").fit(X, Y), X, Y)
    yield "worst first", lambda: report(Perceptron(order="worst").fit(X, Y), X, Y)
    yield "not separable", lambda: report(unfinished(Perceptron(max_iter=5), *OVERLAP), *OVERLAP)
    yield "through the origin", lambda: report(unfinished(Perceptron(fit_intercept=False, max_iter=5), *XOR), *XOR)
    yield "the proof alone", lambda: report(None, *XOR)
    yield "undecided", lambda: report(None, slow.X, slow.y, certificate=certify(slow.X, slow.y, max_passes=0))
    yield "one column", lambda: report(Perceptron().fit(*narrow), *narrow)
    yield "sparse", lambda: report(Perceptron(max_iter=10_000).fit(rows, labels), rows, labels)
    yield "many rows", lambda: report(Perceptron().fit(many.X, many.y), many.X, many.y)
    yield "hostile", lambda: report(Perceptron().fit(hostile()), hostile(), title=HOSTILE[0])
    yield "a stream", lambda: report(Perceptron().learn_one([1.0], 1), [[1.0], [-1.0]], [1, -1])
    yield "no weights", lambda: report(Perceptron(fit_intercept=False).learn_one([0.0], 1), [[1.0], [-1.0]], [1, -1])
    yield "images", lambda: report(None, *pictures())


CASES = dict(cases())
MADE = {}


def made(name):
    if name not in MADE:
        MADE[name] = CASES[name]()
    return MADE[name]


# The page ----------------------------------------------------------------------------------------


FIGURES = {
    "named": "certificate curve steps margins geometry",
    "ball": "certificate curve steps margins geometry",
    "sphere": "certificate curve steps margins geometry",
    "worst first": "certificate curve steps margins geometry",
    "sparse": "certificate curve steps margins geometry",
    "best": "certificate margins geometry",
    "soft": "certificate margins geometry",
    "not separable": "certificate curve margins geometry",
    "the proof alone": "certificate",
    "undecided": "",
    "a stream": "certificate margins geometry",
    "no weights": "certificate",
    "through the origin": "certificate curve",
    "one column": "certificate curve steps margins geometry",
    "many rows": "certificate curve steps margins geometry",
    "hostile": "certificate curve steps margins geometry",
    "images": "certificate",
}
ALTS = {
    "The rows of the": "certificate",
    "A curve of the ": "curve",
    "Three curves of": "steps",
    "The margins of ": "margins",
    "A histogram of ": "margins",
    "The rows and th": "geometry",
}


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_sound_and_alone(name):
    page = Page(made(name).html)
    assert page.all("html") == [{"lang": "en"}]
    policy = next(meta["content"] for meta in page.all("meta") if "http-equiv" in meta)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert not {tag for tag, _ in page.elements} & {
        "script",
        "link",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "img",
    }
    ids = Counter(attrs["id"] for _, attrs in page.elements if "id" in attrs)
    assert max(ids.values()) == 1
    for tag, attrs in page.elements:
        assert not [key for key in attrs if key.startswith("on")]
        assert "src" not in attrs
        assert "xlink:href" not in attrs
        for value in attrs.values():
            assert "http" not in (value or "") or tag in ("meta", "svg")
        target = attrs.get("href")
        if target is not None:
            assert target.startswith(("data:application/json;base64,", "data:image/png;base64,")) or target[1:] in ids
        for link in re.findall(r"url\(([^)]*)\)", " ".join(filter(None, attrs.values()))):
            assert link[0] == "#"
            assert link[1:] in ids
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    check_words(page, FIGURES[name])


def check_words(page, expected):
    """Every figure and table says what it is, and every section can be reached."""
    pictures = page.all("svg")
    assert len(pictures) == len(page.all("figure")) == len(page.all("figcaption"))
    assert all(svg["role"] == "img" and len(svg["aria-label"]) > 30 for svg in pictures)
    assert len({svg["aria-label"] for svg in pictures}) == len(pictures)
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(cell["scope"] in ("row", "col") for cell in page.all("th"))
    assert [attrs["aria-labelledby"] for attrs in page.all("section")] == [attrs["id"] for attrs in page.all("h2")]
    links = [attrs["href"][1:] for attrs in page.all("a") if attrs["href"].startswith("#")]
    assert links == [attrs["id"] for attrs in page.all("h2")]
    assert [ALTS[svg["aria-label"][:15]] for svg in pictures] == expected.split()


def test_steps_that_cannot_be_drawn_say_why():
    page = report(Perceptron(random_state=None).fit(X, Y), X, Y)
    assert "not drawn: the order of a shuffled fit can be repeated only if random_state is an int." in page.html
    assert "byte for byte" not in page.html


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize("size", [1e-300, 1e155, 1e300])
@pytest.mark.filterwarnings("ignore:.*did not separate")
def test_rows_beyond_all_pictures_have_a_report(size, separable, classes):
    rng = np.random.default_rng(0)
    Z = rng.integers(-4, 5, (30, 3))
    y = np.where(Z[:, 0] > 0, 1, 0) if separable else rng.integers(0, 2, 30)
    y = np.where(Z[:, 1] > 0, 2, y) if classes == 3 else y
    html = report(Perceptron(max_iter=5).fit(Z * size, y), Z * size, y).html
    if classes == 2 and size > 1:
        assert "What would be drawn here is too large, or too small, for a picture." in html
    assert ">nan<" not in html


def test_words_stay_within_their_figures(monkeypatch):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    seen = []

    def keep(figure, out, **_):
        FigureCanvasAgg(figure)
        check(figure)
        seen.append(figure)
        out.write('<svg viewBox="0 0 72 72"/>')

    monkeypatch.setattr(Figure, "savefig", keep)
    many = problems.separable(12_000, 3, margin=0.0123, random_state=0)
    report(Perceptron().fit(many.X, many.y), many.X, many.y)
    report(None, *OVERLAP)
    assert len(seen) == 6


@pytest.mark.parametrize("name", ["not separable", "images"])
def test_same_input_same_bytes(name):
    assert CASES[name]().html == made(name).html


def test_figures_do_not_depend_on_the_users_style():
    import matplotlib

    with matplotlib.rc_context({"font.size": 20, "lines.linewidth": 7, "axes.facecolor": "pink"}):
        assert CASES["not separable"]().html == made("not separable").html
        assert matplotlib.rcParams["font.size"] == 20


def test_no_figure_is_left_open():
    import matplotlib.pyplot as plt

    report(None, *XOR)
    assert plt.get_fignums() == []


def test_hostile_names_are_shown_and_harmless():
    page = Page(made("hostile").html)
    assert made("hostile").html.count("<script") == 0
    for name in HOSTILE[:3]:
        assert name in page.text
    assert "\x00" not in page.text
    assert "_\ufffd\ufffd]]>" in page.text
    named = [words for words in page.words if words.startswith("$\\frac{$ & $x$")]
    assert named  # in the legend of a figure, too, as it is and not as a formula


@pytest.mark.parametrize("name", ["$", "$x\\$$", "_x", "名", "a" * 99])
def test_any_name_can_be_drawn(name):
    labels = np.array([name, "other"])[[0, 1, 1, 0]]
    examples = Examples(np.array([[0.0, 3.0], [2.0, 0.5], [3.0, 0.0], [-1.0, 2.0]]), labels, np.array([name, "b"]))
    text = Page(report(Perceptron().fit(examples), examples).html).words
    assert text.count(literal(name).replace("\\$", "$")) >= 2


# Its numbers -------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_objects():
    clf, proof = MarginPerceptron().fit(X, Y), certify(X, Y)
    facts = Page(report(clf, X, Y).html).facts
    assert facts["Mistakes"] == f"{clf.mistakes_:,}"
    assert facts["Updates"] == f"{clf.updates_:,}"
    assert facts["Passes over the data"] == f"{clf.passes_:,}"
    assert facts["Why it stopped"] == clf.stop_reason_
    assert facts["Updates that the theorem allows"] == f"{clf.bound(proof.margin[0]):,}"
    assert facts[f"Mistakes of {proof.about.learner}, at most"] == f"{proof.most_mistakes:,}"
    assert facts["Margin of its hyperplane"] == f"{clf.margin_[0]:.6g}"
    assert facts["Best margin, at least"] == f"{proof.margin[0]:.6g}"
    assert facts["Best margin, at most"] == f"{proof.margin[1]:.6g}"
    assert facts["R"] == f"{proof.radius:.6g}"
    assert facts["Closest row"] == str(proof.closest)
    assert facts["Digest"] == proof.about.digest
    assert (facts["Rows"], facts["Columns"]) == ("150", "4")


def test_what_is_said_of_new_data():
    clf = Perceptron().fit(X, Y)
    text = Page(report(clf, X, Y).html).text
    said = clf.generalization()
    for part in (
        str(said.first_pass),
        str(said.compression),
        *said.hypotheses,
        str(cross_validated(clf, X, Y, folds=5)),
    ):
        assert part in text
    other = Perceptron(scale="ball", order="worst").fit(X, Y)
    text = Page(report(other, X, Y).html).text
    assert "No bound on the error on new rows: nothing follows for new data: scale='ball'" in text
    assert "Cross-validated in 5 folds" in text
    assert "Proved" not in Page(made("best").html).words, "the theorems are about learners by a rule"
    assert "New data" not in Page(made("the proof alone").html).words


def test_what_is_cross_validated_and_what_is_not(monkeypatch):
    few, labels = X[46:150], Y[46:150].copy()  # four of one label
    assert (
        f"{cross_validated(Perceptron(), few, labels, folds=4)}"
        in Page(report(Perceptron().fit(few, labels), few, labels).html).text
    )
    assert "a label with one row" in made("a stream").html
    monkeypatch.setattr(case, "ENTRIES", X.size - 1)
    assert "novikoff eval DATA --folds 5" in report(Perceptron().fit(X, Y), X, Y).html
    monkeypatch.setattr(case, "ENTRIES", X.size)
    assert "novikoff eval DATA --folds 5" not in report(Perceptron().fit(X, Y), X, Y).html


def test_weights_of_a_file_are_those_of_the_cross_validation():
    examples = Examples(X.to_numpy(), Y, None, np.where(np.arange(150) % 3, 2.0, 0.0))
    clf = Perceptron().fit(examples)
    assert str(cross_validated(clf, examples, folds=5)) in Page(report(clf, examples).html).text


def cells(page, caption):
    """The body of the table with this caption."""
    part = re.search(rf"<caption>{re.escape(caption)}.*?</table>", page.html, re.S)[0]
    rows = re.findall(r"<tr>(.*?)</tr>", part, re.S)[1:]
    return [
        [html.unescape(re.sub("<[^>]*>", " ", cell)).split() for cell in re.findall(r"<td.*?</td>", row, re.S)]
        for row in rows
    ]


def test_the_hardest_rows_and_what_adds_up_to_their_margins():
    clf = Perceptron().fit(X, Y)
    signs = np.where(Y == "setosa", 1, -1)
    margins = signs * clf.decision_function(X) / np.hypot(np.linalg.norm(clf.coef_), clf.intercept_[0])
    lines = cells(report(clf, X, Y), "The smallest margins first")
    order = np.argsort(margins, kind="stable")[:10]
    assert [int(line[0][0]) for line in lines] == order.tolist()
    assert [line[1][0] for line in lines] == Y[order].tolist()
    assert [float(line[3][0].replace("−", "-")) for line in lines] == pytest.approx(margins[order], rel=1e-5)
    told = " ".join(lines[0][4])
    for j, name in enumerate(X.columns):
        share = (
            signs[order[0]]
            * clf.coef_[0, j]
            * X.iloc[order[0], j]
            / np.hypot(*[np.linalg.norm(clf.coef_), clf.intercept_[0]])
        )
        assert f"{name} = {X.iloc[order[0], j]:.6g} ({share:+.2g})".replace("-", "−") in told


@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
def test_margins_are_those_of_the_rows_as_learned(scale):
    clf = Perceptron(scale=scale).fit(X, Y)
    told = case.case_of(clf, X, Y, None, case.Origin())
    assert told.margins.min() == pytest.approx(clf.margin_[0], rel=1e-9)
    i = int(told.hardest[0])
    w = told.w
    unit = {"none": 1.0, "ball": told.radius, "sphere": told.norms[i]}[scale]
    constant = told.signs[i] * w[-1] / (np.linalg.norm(w) * unit)
    assert told.parts(i)[1].sum() + constant == pytest.approx(told.margins[i], rel=1e-9)
    assert told.allowed is not None
    assert clf.updates_ <= told.allowed


def test_the_weights_by_name():
    clf = Perceptron().fit(X, Y)
    order = np.argsort(-np.abs(clf.coef_[0]), kind="stable")
    lines = cells(report(clf, X, Y), "All weights that are not zero")
    assert [" ".join(line[0]) for line in lines] == [X.columns[j] for j in order]
    assert [float(line[1][0].replace("−", "-")) for line in lines] == pytest.approx(clf.coef_[0, order], rel=1e-5)
    assert [line[2][0] for line in lines] == ["setosa" if clf.coef_[0, j] > 0 else "other" for j in order]
    assert [float(line[3][0]) for line in lines] == pytest.approx(
        np.abs(clf.coef_[0, order]) * X.to_numpy()[:, order].std(axis=0), rel=1e-2
    )


def test_who_was_taken_for_whom():
    clf = unfinished(Perceptron(max_iter=3), *pictures())
    rows, labels = pictures()
    lines = cells(report(clf, rows, labels, certificate=certify(rows, labels)), "Which label is taken for which")
    said = clf.predict(rows)
    expected = [[int(np.sum((labels == true) & (said == label))) for label in clf.classes_] for true in clf.classes_]
    assert [[int(cell[0].replace(",", "")) for cell in line[1:]] for line in lines] == expected


def test_dense_and_sparse_say_the_same():
    rows, labels = sparse()
    one, other = (report(Perceptron(max_iter=10_000).fit(Z, labels), Z, labels).html for Z in (rows, rows.toarray()))
    differing = [a for a, b in zip(one.splitlines(), other.splitlines(), strict=True) if a != b]
    assert len([line for line in differing if "Storage" in line]) == 1
    words = [Page(text).cells for text in (one, other)]
    assert [a for a, b in zip(*words, strict=True) if a != b] == [Page(one).facts["Storage"]]


def test_another_model_is_not_told_a_bound():
    elsewhere = Perceptron().fit(X * 100, Y)
    page = report(elsewhere, X, Y)
    assert "learned from other rows" in page.html
    assert Page(page.html).facts["Mistakes that the theorem allows"] == "not known"


# The proof ---------------------------------------------------------------------------------------


def test_the_certificate_can_be_saved_and_verified():
    for clf, examples in ((Perceptron().fit(X, Y), (X, Y)), (None, XOR)):
        page = Page(report(clf, *examples).html)
        (link,) = (attrs for attrs in page.all("a") if "download" in attrs)
        content = json.loads(base64.b64decode(link["href"].partition(",")[2]))
        assert verify(content, *(np.asarray(part) for part in examples)).verdict == content["kind"]
        assert f"novikoff verify {link['download']} DATA" in page.text


def test_a_large_certificate_is_a_file_beside_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(case, "EMBEDDED", 10)
    page = report(None, *XOR)
    assert "data:application/json" not in page.html
    page.save(tmp_path / "page.html")
    (name,) = page.beside
    assert name in page.html
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert verify(tmp_path / name, *XOR).verdict == "not separable"


def test_not_separable_names_rows_and_weights():
    lines = cells(made("the proof alone"), "Rows of the certificate")
    assert [(line[0][0], line[1][0], line[2][0]) for line in lines] == [
        (str(i), str(label), "25.00%") for i, label in enumerate(XOR[1])
    ]
    assert [(line[3][0], line[4][0]) for line in lines] == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
    page = made("the proof alone").html
    assert "No. The certificate names 4 rows" in page
    assert "These rows are to blame together, 0, 1, 2 and 3: without any one of them the others" in page


def test_equal_rows_with_different_labels_are_named():
    page = report(None, [[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], ["a", "a", "b"])
    assert "Rows 0 and 2 are the same example with different labels" in page.html


def test_a_zero_row_through_the_origin():
    rows, labels = np.array([[1.0], [0.0], [-1.0]]), [1, 1, -1]
    proof = certify(rows, labels, fit_intercept=False)
    assert "Row 1 is zero" in report(None, rows, labels, certificate=proof).html


def test_undecided_says_so():
    page = made("undecided")
    assert "Undecided: " in page.html
    assert "allow more seconds (max_seconds), until the answer has its proof." in Page(page.html).text
    assert page.beside == {}
    assert "download" not in page.html


def test_a_notebook_shows_it_in_a_frame():
    (frame,) = Page(made("named")._repr_html_()).all("iframe")
    assert frame["srcdoc"] == made("named").html


# Refusals ----------------------------------------------------------------------------------------


def test_what_cannot_be_reported_on():
    with pytest.raises(ValueError, match=r"y holds 3 labels, and the model knows 2: report on a model of all"):
        report(Perceptron().fit(X, Y), IRIS.data, IRIS.target)
    with pytest.raises(ValueError, match="two labels at most, and the model knows 3"):
        report(unfinished(Perceptron(max_iter=2), X, THREE), X, Y)
    with pytest.raises(TypeError, match="there are 3 labels: pass what certify gives, a verdict for each"):
        report(None, IRIS.data, IRIS.target, certificate=certify(X, Y))
    with pytest.raises(ValueError, match="not the data of the certificate"):
        report(None, IRIS.data, IRIS.target, certificate=certify(IRIS.data + 1, IRIS.target))
    with pytest.raises(TypeError, match="Winnow is none of them"):
        report(Winnow(), *XOR)
    with pytest.raises(ValueError, match="not the data of the certificate"):
        report(None, *XOR, certificate=certify(XOR[0] + 1, XOR[1]))
    with pytest.raises(ValueError, match="constant coordinate 0, the model about rows with 1"):
        report(Perceptron().fit(X, Y), X, Y, certificate=certify(X, Y, fit_intercept=False))
    with pytest.raises(ValueError, match="neither of the two labels"):
        report(Perceptron().fit(X, Y), X, np.where(Y == "other", "third", Y))


# Columns -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_that_say_nothing(store, dtype):
    rng = np.random.RandomState(0)
    table = rng.standard_normal((1500, 9)).astype(dtype)
    table[:, 2], table[:, 5], table[:, 7], table[:, 8] = 0.0, 3.0, table[:, 1], table[:, 0]
    table[-1, 8] += 1  # the last row makes it another column
    table[0, [1, 7]] = 0.0, -0.0
    X = store(table)
    assert features.constant(X).tolist() == [2, 5]
    assert features.repeated(X, features.constant(X)).tolist() == [7]
    almost = table.copy()
    almost[-1, 5] = 4.0
    assert features.constant(store(almost)).tolist() == [2]


def test_rows_that_are_images_are_shown_as_such():
    (alt,) = (svg["aria-label"] for svg in Page(made("images").html).all("svg"))
    assert alt.startswith("The rows of the certificate, as images. Not separable: ")


def test_images_are_told_from_other_squares():
    digits = load_digits().data
    assert features.square(digits) == (8, 8)
    assert features.square(digits[:, :63]) is None
    assert features.square(digits[:, np.random.RandomState(0).permutation(64)]) is None
    assert features.square(np.zeros((5, 64))) is None
    assert features.square(digits[:, :49]) is None


# Many labels -------------------------------------------------------------------------------------

THREE = np.array(["setosa", "versicolor", "virginica"])[IRIS.target]


@pytest.fixture(scope="module")
def many():
    with pytest.warns(match="did not separate"):
        clf = Perceptron(max_iter=30).fit(X, THREE)
    return clf, report(clf, X, THREE)


def test_many_labels_each_against_the_rest(many):
    _, page = many
    proofs = certify(X, THREE)
    lines = cells(page, "One label against all others")
    for line, (label, proof) in zip(lines, proofs.items(), strict=True):
        assert line[0] == [label]
        assert " ".join(line[1]) == proof.verdict == page.certificate[label].verdict
        told = [float(end) for end in line[2] if end not in ("none", "to")]
        assert told == sorted({float(f"{end:.6g}") for end in proof.margin if end})
        assert line[3] == [str(len(proof.rows))]
    parsed = Page(page.html)
    assert "Of 3 labels, 1 can be separated from the rest by a hyperplane, and 2 cannot: this is proved." in parsed.text
    links = [attrs for attrs in parsed.all("a") if "download" in attrs]
    assert len(links) == 3
    for link, (label, proof) in zip(links, proofs.items(), strict=True):
        content = json.loads(base64.b64decode(link["href"].partition(",")[2]))
        assert verify(content, X, THREE).verdict == proof.verdict
        assert content["positive"] == label
        assert f"novikoff verify {link['download']} DATA" in parsed.text


def test_many_labels_and_who_is_taken_for_whom(many):
    clf, page = many
    said = clf.predict(X)
    lines = cells(page, "Which label is taken for which")
    table = [[int(np.sum((true == THREE) & (said == label))) for label in clf.classes_] for true in clf.classes_]
    assert [[int(cell[0]) for cell in line[1:4]] for line in lines] == table
    assert [int(line[4][0]) for line in lines] == [sum(row) - row[place] for place, row in enumerate(table)]
    wrong = np.flatnonzero(said != THREE)
    listed = cells(page, "Wrong labels, the widest gap")
    assert {int(line[0][0]) for line in listed} <= set(wrong.tolist())
    assert len(listed) == min(10, len(wrong))
    assert f"The learner gives {len(wrong)} rows of 150 a wrong label." in Page(page.html).text


def test_many_labels_what_else_is_told(many):
    clf, page = many
    text = Page(page.html).text
    assert str(cross_validated(clf, X, THREE, folds=5)) in text
    assert page.cross_validated == cross_validated(clf, X, THREE, folds=5)
    assert str(clf.generalization().first_pass) in text
    for line, weights in zip(cells(page, "The largest weights"), clf.coef_, strict=True):
        largest = int(np.argmax(np.abs(weights)))
        assert " ".join(line[1]).startswith(f"{X.columns[largest]} ({weights[largest]:+.4g})".replace("-", "−"))
    assert "No hyperplane sets versicolor and virginica apart from the rest." in text
    assert "The learner was stopped after 30 passes" in text
    assert Page(page.html).facts["Why it stopped"] == clf.stop_reason_


@pytest.mark.parametrize("multiclass", ["one-vs-rest", "one-vs-one"])
def test_many_labels_learned_apart(multiclass):
    with pytest.warns(match="did not separate"):
        clf = Perceptron(max_iter=20, multiclass=multiclass).fit(X, THREE)
    page = report(clf, X, THREE)
    lines = cells(page, "Its 3 heads")
    assert [" ".join(line[1]) for line in lines] == [how for _, how in clf._heads_in_words()]
    assert len(cells(page, "The largest weights")) == 3


def test_many_labels_and_the_same_example_twice():
    rows, labels = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]], ["a", "b", "c", "c"]
    text = Page(report(None, rows, labels).html).text
    assert "Rows 0 and 3 hold the same example with different labels: whatever is learned" in text
    assert "may tell all rows apart" not in text
    assert "may tell all rows apart" in Page(report(None, X, THREE).html).text


def test_many_labels_without_a_learner_or_an_answer(monkeypatch):
    text = Page(report(None, X, THREE).html).text
    assert "The errors" not in text
    open_ = report(None, X, THREE, certificate=certify(X, THREE, max_passes=0))
    text = Page(open_.html).text
    assert "; some are undecided." in text
    assert "Some are open: allow more seconds (max_seconds)." in text
    assert "download" not in open_.html
    monkeypatch.setattr("novikoff.display.report.many.EMBEDDED", 10)
    beside = report(None, X, THREE).beside
    assert len(beside) == 3


def test_more_labels_than_a_table_holds(monkeypatch):
    monkeypatch.setattr("novikoff.display.report.many.MOST", 2)
    with pytest.warns(match="did not separate"):
        clf = Perceptron(max_iter=2).fit(X, THREE)
    found = Counter(zip(THREE, clf.predict(X), strict=True))
    expected = {pair: count for pair, count in found.items() if pair[0] != pair[1]}
    lines = cells(report(clf, X, THREE), "The most frequent errors")
    assert {(line[0][0], line[1][0]): int(line[2][0]) for line in lines} == expected


def test_many_labels_are_text_whatever_they_contain():
    labels = np.array(HOSTILE[:3], dtype=object)[[0, 1, 2, 0, 1, 2]]
    values = np.eye(3)[[0, 1, 2, 0, 1, 2]]
    text = report(Perceptron().fit(values, labels), values, labels).html
    Page(text)
    assert "<script" not in text
    assert "<img" not in text


# The learner beside another hyperplane, and what to do -------------------------------------------------


def test_a_separable_case_is_compared_with_the_separator_of_the_certificate():
    clf = Perceptron().fit(X, Y)
    page = report(clf, X, Y)
    proof = page.certificate
    w = np.append(clf.coef_[0], clf.intercept_[0])
    best = np.append(proof.coef, proof.intercept)
    w, best = w / np.linalg.norm(w), best / np.linalg.norm(best)
    lines = cells(page, "The learner, and a good hyperplane beside it")
    assert lines[0][1:] == [["0"], ["0"]]
    signs = np.where(Y == "setosa", 1, -1)
    rows = np.column_stack([X, np.ones(150)])
    for place, vector in enumerate((w, best), 1):
        assert float(lines[1][place][0]) == pytest.approx((signs * (rows @ vector)).min(), rel=5e-3)
    different = cells(page, "Where they differ most")
    order = np.argsort(-np.abs(w - best), kind="stable")
    names = [*X.columns, "(constant)"]
    assert [" ".join(line[0]) for line in different] == [names[j] for j in order[:5]]
    for line, j in zip(different, order, strict=False):
        assert float(line[3][0].replace("−", "-")) == pytest.approx(w[j] - best[j], rel=5e-3)


def test_one_that_is_not_is_compared_with_the_soft_margin(monkeypatch):
    clf = unfinished(Perceptron(max_iter=5), *OVERLAP)
    page = report(clf, *OVERLAP)
    soft = MaxMarginClassifier(C=1.0).fit(*OVERLAP)
    lines = cells(page, "The learner, and a good hyperplane beside it")
    wrong = [int(np.sum(model.predict(OVERLAP[0]) != OVERLAP[1])) for model in (clf, soft)]
    assert [int(cell[0]) for cell in lines[0][1:]] == wrong
    assert "Or accept errors: " in Page(page.html).text
    assert "The learner, and a good" not in made("soft").html, "with itself it is not compared"
    assert "The learner&#x27;s hyperplane is that of the certificate." in made("best").html
    monkeypatch.setattr("novikoff.display.report.compare.ENTRIES", 10)
    assert "not compared with a soft margin, since the data are large" in report(clf, *OVERLAP).html


def test_what_to_do_depends_on_the_case():
    def advice(name):
        return Page(made(name).html).text.partition("What to do\n")[2].rpartition("Do it again")[0]

    assert "with room between them: MaxMarginClassifier() returns" in advice("named")
    assert "so look at the 4 rows of the certificate" in advice("the proof alone")
    assert "Or accept some errors: MaxMarginClassifier(C=1.0)" in advice("the proof alone")
    assert "is open: allow more seconds" in advice("undecided")
    tiny = np.array([[1.0, 0.0], [1.0, 1e-7]]), [0, 1]
    text = Page(report(None, *tiny).html).text
    assert "the margin is tiny: " in text
    assert "put row" in text
    assert "There are 5 weights for 150 rows" not in advice("named")
    assert "There are 3 weights for 2 rows: so many can tell nearly any labels apart" in text
    same = np.array([[1.0], [1.0]]), [0, 1]
    assert "Look at rows 0 and 1: one may be mislabelled" in report(None, *same).html
    slow = problems.separable(60, 3, margin=0.01, random_state=1)
    short = unfinished(Perceptron(max_iter=1), slow.X, slow.y)
    assert "because it was stopped after 1 pass: give it more, with max_iter=10." in report(short, slow.X, slow.y).html
    for name in CASES:
        assert 1 <= made(name).html.partition('id="todo"')[2].partition("</section>")[0].count("<p>") <= 4


def test_columns_that_name_the_rows_are_the_first_thing_to_do_about(tmp_path):
    lines = [f"{100 + i},{i % 7},{i < 20}" for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["customer,visits,stays", *lines]))
    page = report(None, data.read(tmp_path / "a.csv"))
    todo = Page(page.html).text.rpartition("What to do")[2].strip()
    assert todo.startswith(
        "The separator uses customer: see Careful above, and make this report again with drop=['customer']"
    )
    without = report(None, data.read(tmp_path / "a.csv", drop=["customer"]))
    assert without.certificate.verdict == "not separable"
    assert "The separator uses" not in without.html


def test_what_was_read_is_told(tmp_path):
    (tmp_path / "a.csv").write_text("x,z,kind\n1,2,in\n3,,in\n0,oops,out\n-1,1,out\n0,2,out\n")
    examples = data.read(tmp_path / "a.csv", label="kind", missing="zero", skip_bad=2)
    text = Page(report(Perceptron(max_iter=1_000).fit(examples), examples).html).text
    assert f"{examples}." in text
    assert "label kind, + is out (2) and - is in (2)" in text
    assert "1 missing value as 0 (missing='zero'); 1 line skipped." in text
    assert "The first line that was left out is line 4: " in text
    assert "The label out is +, and in is −." in text
    assert "x, z" in text


# The command -------------------------------------------------------------------------------------


def run(*words):
    result = CliRunner().invoke(app, ["report", *map(str, words), "-q"])
    return result.exit_code, result.output


@pytest.fixture
def files(tmp_path):
    (tmp_path / "yes.csv").write_text("width,<b>,kind\n2,1,in\n3,0,in\n0,2,out\n-1,1,out\n")
    (tmp_path / "no.svm").write_text("-1 1:0\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n")
    (tmp_path / "three.csv").write_text("0,0,a\n0,1,b\n1,0,c\n")
    return tmp_path


def test_the_command_and_its_own_words(files, monkeypatch):
    monkeypatch.chdir(files)
    code, text = run("yes.csv", "-o", "a.html", "--label", "kind", "-s", "random_state=1")
    assert code == 0
    assert text.startswith("Separable: ")
    assert text.endswith("Written to a.html.\n")
    page = Page((files / "a.html").read_text(encoding="utf-8"))
    assert "Report on yes.csv" in page.text
    assert "&lt;b&gt;" in (files / "a.html").read_text(encoding="utf-8")
    (again,) = re.findall("novikoff (report .*)", page.text)
    before = (files / "a.html").read_bytes()
    assert CliRunner().invoke(app, [*shlex.split(again), "-q"]).exit_code == 0
    assert (files / "a.html").read_bytes() == before
    (link,) = (attrs for attrs in page.all("a") if "download" in attrs)
    (files / link["download"]).write_bytes(base64.b64decode(link["href"].partition(",")[2]))
    (check,) = re.findall("novikoff (verify .*)", page.text)
    assert CliRunner().invoke(app, shlex.split(check)).output.startswith("Valid. ")


def test_a_model_file_and_a_file_with_other_columns(files, monkeypatch):
    monkeypatch.chdir(files)
    clf = Perceptron().fit(data.read("yes.csv"))
    save(clf, "model.nvk")
    (files / "more.csv").write_text("x,<b>,width,kind\n9,1,2,in\n9,2,0,out\n")
    code, _ = run("more.csv", "-o", "a.html", "--model", "model.nvk", "-r", "label=kind")
    assert code == 0
    page = Page((files / "a.html").read_text(encoding="utf-8"))
    assert page.facts["Updates"] == f"{clf.updates_:,}"
    (link,) = (attrs for attrs in page.all("a") if "download" in attrs)
    (files / link["download"]).write_bytes(base64.b64decode(link["href"].partition(",")[2]))
    (check,) = re.findall("novikoff (verify .*)", page.text)
    assert CliRunner().invoke(app, shlex.split(check)).output.startswith("Valid. ")


def test_exit_codes(files, monkeypatch):
    monkeypatch.chdir(files)
    assert run("no.svm", "-o", "b.html")[0] == 10
    assert run("yes.csv", "-o", "c.html", "--max-seconds", "0")[0] == 11
    assert "Undecided" in (files / "c.html").read_text(encoding="utf-8")
    code, text = run("three.csv", "-o", "d.html", "--learner", "max-margin")
    assert (code, "there are 3 classes. For more than two, take --learner perceptron" in text) == (1, True)
    (files / "none.csv").write_text("a,b\n1,2\n")
    code, text = run("none.csv", "-o", "d.html", "-r", "label=false")
    assert (code, "none.csv has no labels" in text) == (1, True)
    assert run("yes.csv", "-o", "d.html", "--learner", "winnow")[0] == 1
    assert run("yes.csv", "-o", "d.html", "--learner", "nothing")[0] == 2
    assert not (files / "d.html").exists()


def test_a_hard_margin_without_separator_shows_the_proof(files, monkeypatch):
    monkeypatch.chdir(files)
    assert run("no.svm", "-o", "e.html", "--learner", "max-margin")[0] == 10
    text = (files / "e.html").read_text(encoding="utf-8")
    assert "No hyperplane was learned" in text
    assert "No. The certificate names 4 rows" in text
    assert run("yes.csv", "-o", "e.html", "--learner", "max-margin")[0] == 0
    assert "hard margin" in (files / "e.html").read_text(encoding="utf-8")


def test_a_run_that_was_cut_short_says_so(files, monkeypatch):
    from novikoff.cli import report as command

    monkeypatch.chdir(files)
    monkeypatch.setattr(command, "ENTRIES", 0)
    assert run("no.svm", "-o", "f.html", "--json")[1].startswith('{"report": "f.html"')
    found = json.loads(run("no.svm", "-o", "f.html", "--json")[1])["cross_validated"]
    assert found["rate"] == sum(found["mistakes"]) / sum(found["rows"])
    assert f"{sum(found['mistakes'])} mistakes on {sum(found['rows'])} examples" in (files / "f.html").read_text()
    assert "gave the learner 10 passes" in (files / "f.html").read_text(encoding="utf-8")
    run("no.svm", "-o", "f.html", "-s", "max_iter=12")
    text = (files / "f.html").read_text(encoding="utf-8")
    assert "max_iter = 12 reached" in text
    assert "gave the learner" not in text


def test_many_labels_from_the_command_and_back(files, monkeypatch):
    monkeypatch.chdir(files)
    result = CliRunner().invoke(app, ["report", "three.csv", "-o", "g.html", "-q", "--json", "-s", "multiclass=joint"])
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer["verdict"] == dict.fromkeys("abc", "separable")
    assert (answer["classes"], answer["positive"], answer["fit_intercept"]) == (["a", "b", "c"], None, True)
    page = Page((files / "g.html").read_text(encoding="utf-8"))
    before = (files / "g.html").read_bytes()
    (again,) = re.findall("novikoff (report .*)", page.text)
    assert CliRunner().invoke(app, [*shlex.split(again), "-q"]).exit_code == 0
    assert (files / "g.html").read_bytes() == before
    for link in (attrs for attrs in page.all("a") if "download" in attrs):
        (files / link["download"]).write_bytes(base64.b64decode(link["href"].partition(",")[2]))
    for command in re.findall("novikoff (verify .*)", page.text):
        assert CliRunner().invoke(app, shlex.split(command)).output.startswith("Valid. ")
    assert str(files) not in page.text


def test_the_report_in_a_shell_speaks_of_flags(files, monkeypatch):
    monkeypatch.chdir(files)
    (files / "over.csv").write_text("x,kind\n1,a\n2,a\n5,a\n4,b\n6,b\n7,b\n")
    run("over.csv", "-o", "h.html", "-s", "max_iter=2")
    text = Page((files / "h.html").read_text(encoding="utf-8")).text
    assert "--learner max-margin -s C=1.0" in text
    assert "MaxMarginClassifier(" not in text
    answer = json.loads(CliRunner().invoke(app, ["report", "yes.csv", "-o", "i.html", "-q", "--json"]).stdout)
    assert (answer["positive"], answer["columns"]) == ("out", ["width", "<b>"])
