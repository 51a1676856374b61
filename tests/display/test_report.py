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
    assert "No. The certificate names 4 rows" in made("the proof alone").html


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
    assert "--max-seconds" in page.html
    assert page.beside == {}
    assert "download" not in page.html


def test_a_notebook_shows_it_in_a_frame():
    (frame,) = Page(made("named")._repr_html_()).all("iframe")
    assert frame["srcdoc"] == made("named").html


# Refusals ----------------------------------------------------------------------------------------


def test_what_cannot_be_reported_on():
    with pytest.raises(ValueError, match=r"3 labels, and a report is about two.*y == label"):
        report(None, IRIS.data, IRIS.target)
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
    code, text = run("three.csv", "-o", "d.html")
    assert (code, "three.csv has 3 labels" in text) == (1, True)
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
