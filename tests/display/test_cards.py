"""What a notebook shows: short words, pictures to scale, and the marks of the data as text."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.pipeline import make_pipeline

import novikoff as nk
from novikoff.views import bars, bracket, card, share, steps
from novikoff.views.card import STYLE
from novikoff.views.pictures import MOST

EVIL = "</pre><script>alert('1')</script><b onload=\"x\">&amp;"
OTHER = "plain"
X = np.array([[2.0, 1.0], [3.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
Y = [EVIL, EVIL, OTHER, OTHER]
CROSSED = [EVIL, OTHER, EVIL, OTHER]
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
BITS = np.eye(3, dtype=int)
CONCEPTS = nk.concepts.monotone_conjunctions(d=3)


def from_file(folder):
    path = folder / "table.csv"
    path.write_text(f'"{EVIL.replace(chr(34), chr(34) * 2)}",b,label\n1,2,<i>x\n3,4,y\n')
    return nk.data.read(path, label="label")


def game():
    problem = nk.problems.separable(50, 3, margin=0.1, random_state=0)
    return nk.play(nk.Perceptron(fit_intercept=False), problem.stream(), witness=problem.witness)


def played(learner):
    return learner.learn_one([1, 1, 0], 0)


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

THINGS = {
    "separable": lambda _: nk.certify(X, Y),
    "not separable": lambda _: nk.certify(SQUARE, CROSSED),
    "undecided": lambda _: nk.certify(X, Y, max_passes=0),
    "verdicts": lambda _: nk.certify(X, [EVIL, EVIL, OTHER, "third"]),
    "verified": lambda _: nk.verify(nk.certify(X, Y), X, Y),
    "refuted": lambda _: nk.verify(nk.certify(SQUARE, CROSSED), SQUARE, CROSSED),
    "run": lambda _: nk.Perceptron().fit(X, Y).certify(X, Y),
    "run without a separator": lambda _: nk.Perceptron(max_iter=3).fit(SQUARE, CROSSED).certify(SQUARE, CROSSED),
    "transcript": lambda _: game(),
    "transcript of concepts": lambda _: nk.play(nk.Halving(CONCEPTS), []),
    "dataset": from_file,
    "dataset without names": lambda _: nk.data.Dataset(X, np.array(Y, dtype=object)),
    "Halving": lambda _: played(nk.Halving(CONCEPTS)),
    "StandardOptimal": lambda _: nk.StandardOptimal(CONCEPTS),
    "WeightedMajority": lambda _: played(nk.WeightedMajority(CONCEPTS)),
    "RandomizedWeightedMajority": lambda _: played(nk.RandomizedWeightedMajority(CONCEPTS)),
    "EllipsoidPerceptron": lambda _: nk.EllipsoidPerceptron(gamma=0.1).learn_one([0.5, 0.5], 0),
    "Perceptron": lambda _: nk.Perceptron().fit(X, Y),
    "Perceptron in the ball": lambda _: nk.Perceptron(scale="ball").fit(X, Y),
    "Perceptron with weights": lambda _: nk.Perceptron().fit(X, Y, sample_weight=[1, 2, 3, 4]),
    "Perceptron on a stream": lambda _: nk.Perceptron().learn_one({EVIL: 1}, EVIL),
    "Perceptron of three classes": lambda _: nk.Perceptron().fit(X, [EVIL, EVIL, OTHER, "third"]),
    "heads": lambda _: nk.Perceptron(multiclass="one-vs-one").fit(X, [EVIL, EVIL, OTHER, "third"]),
    "PassiveAggressive": lambda _: nk.PassiveAggressive().fit(X, Y),
    "MaxMarginClassifier": lambda _: nk.MaxMarginClassifier().fit(X, Y),
    "soft": lambda _: nk.MaxMarginClassifier(C=1.0).fit(X, Y),
    "LeastSquares": lambda _: nk.LeastSquares().fit(X, [1, 2, 3, 4]),
    "LeastSquaresClassifier": lambda _: nk.LeastSquaresClassifier().fit(X, Y),
    "LeastSquares in batches": lambda _: nk.LeastSquares("sgd").partial_fit(X, [1, 2, 3, 4]),
    "Winnow": lambda _: nk.Winnow(k=1).fit(BITS, [1, 0, 1]),
    "Conjunction": lambda _: nk.Conjunction().fit(BITS, [1, 0, 0]),
    "KDNF": lambda _: nk.KDNF().fit(BITS, [1, 0, 0]),
}


def html(thing):
    """Its card alone, without scikit-learn's diagram, as elements."""
    whole = thing._repr_html_()
    return ElementTree.fromstring(whole[whole.index('<div class="nk-card"') :])


def text(element):
    return "".join(element.itertext())


@pytest.mark.parametrize("name", THINGS)
def test_a_card_is_well_formed_and_runs_nothing(name, tmp_path):
    root = html(THINGS[name](tmp_path))
    allowed = {
        *("div", "style", "span", "p", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"),
        *("svg", "rect", "line", "polyline", "text"),
    }
    for element in root.iter():
        assert element.tag in allowed
        assert not any(key.startswith("on") or "href" in key for key in element.attrib)


@pytest.mark.parametrize("name", THINGS)
def test_it_is_said_in_short(name, tmp_path):
    shown = repr(THINGS[name](tmp_path))
    assert len(shown) < 400
    assert "\n" not in shown or "(" in shown.partition("\n")[0], "scikit-learn's own may have lines"


def test_a_proof_of_many_rows_and_huge_weights_is_short():
    digits = load_digits()
    proof = nk.certify(digits.data, digits.target == 8)
    assert repr(proof) == "<NotSeparable: True against False, 1,797 rows; 50 rows with positive weights add up to zero>"
    assert max(proof.weights) > 2**100
    assert len(proof._repr_html_()) < 10_000


@pytest.mark.parametrize(
    "name", ["separable", "not separable", "verdicts", "verified", "Perceptron", "dataset", "heads"]
)
def test_marks_of_the_data_are_told_and_not_obeyed(name, tmp_path):
    root = html(THINGS[name](tmp_path))
    assert "script>" in text(root)
    assert not list(root.iter("script"))
    assert "<b " not in ElementTree.tostring(root, encoding="unicode")


def test_characters_that_nobody_sees_are_replaced():
    assert "\x1b" not in card("\x1b[31m", "a\u202eb")
    assert "\u202e" not in card("\x1b[31m", "a\u202eb")


# Pictures ------------------------------------------------------------------------------------------


def boxes(picture):
    root = ElementTree.fromstring(picture)
    return root, {box.get("class"): {k: float(v) for k, v in box.items() if k != "class"} for box in root.iter("rect")}


def test_a_bracket_is_to_scale():
    root, box = boxes(bracket(0.3, 0.9))
    assert box["known"]["width"] / (box["known"]["width"] + box["open"]["width"]) == pytest.approx(1 / 3, abs=1e-3)
    assert box["open"]["x"] == pytest.approx(box["known"]["x"] + box["known"]["width"], abs=0.1)
    limit = float(root.find("line").get("x1"))
    assert limit == pytest.approx(box["open"]["x"] + box["open"]["width"], abs=0.1)
    assert limit < box["room"]["x"] + box["room"]["width"]
    assert [each.text for each in root.iter("text")] == ["margin 0", "0.3", "0.9"]
    assert root.get("aria-label") == "The best margin is at least 0.3 and at most 0.9."


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((-np.inf, 0.9), ["margin 0", "0.9"]),
        ((0.0, np.inf), ["margin 0"]),
        ((0.5, np.inf), ["margin 0", "0.5"]),
        ((0.5, 0.5), ["margin 0", "0.5"]),
        ((0.5, 0.501), ["margin 0", "0.5 to 0.501"]),
        ((1e-300, 1e300), ["margin 0", "1e-300", "1e+300"]),
        ((0.0, 0.0), ["margin 0", "0"]),
    ],
)
def test_the_words_of_a_bracket_stand_beside_each_other(ends, words):
    root, box = boxes(bracket(*ends))
    texts = list(root.iter("text"))
    assert [each.text for each in texts] == words
    assert all(value >= 0 for each in box.values() for value in each.values())
    sides = []
    for each in texts:
        half = 3.3 * len(each.text)
        middle = float(each.get("x")) + (half if each.get("text-anchor") == "start" else 0)
        sides.append((middle - half, middle + half))
    assert all(one[1] < other[0] for one, other in pairwise(sides))
    assert sides[-1][1] <= float(root.get("width")) + 1


def test_what_was_made_of_what_is_allowed():
    root, box = boxes(share(1, 4, "mistake"))
    assert box["known"]["width"] / box["room"]["width"] == pytest.approx(0.25, abs=1e-3)
    assert root.find("text").text == "1 mistake, 4 allowed"
    assert boxes(share(0, 0, "mistake"))[1]["known"]["width"] == 0
    assert share(3, None, "mistake") == share(5, 4, "mistake") == ""


def test_a_count_climbs_where_it_does_and_stays_below_its_line():
    root = ElementTree.fromstring(steps([0, 5, 9], 10, 4, "mistake"))
    corners = [tuple(map(float, corner.split(","))) for corner in root.find("polyline").get("points").split()]
    heights = sorted({y for _, y in corners}, reverse=True)
    assert len(heights) == 4
    rises = [b[0] for a, b in pairwise(corners) if b[1] < a[1]]
    across = (440 - 8) / 10
    assert rises == pytest.approx([4 + across, 4 + 6 * across, 4 + 10 * across], abs=0.1)
    limit = next(line for line in root.iter("line") if line.get("class") == "limit")
    assert float(limit.get("y1")) < heights[-1]
    assert root.get("aria-label") == "3 mistakes in 10 rounds, of which the theorem allows 4."
    assert "allowed" not in steps([0], 10, 99, "mistake"), "a line that is far away would flatten the curve"
    assert steps([], 10, 4, "mistake") == steps([], 0, None, "mistake") == ""


def test_pictures_do_not_grow_with_what_they_show():
    assert len(steps(range(100_000), 100_000, None, "mistake")) < 6_000
    assert bars([1.0] * 1000, "").count("<rect") == MOST


def test_colours_are_mixed_from_the_ink_of_the_page():
    for rule in re.findall(r"[^;{]*#[0-9a-f]{3,6}[^;]*;", STYLE):
        assert re.search(r"color-mix\(in srgb, #[0-9a-f]{6} \d+%, (currentColor|transparent)\)", rule), rule
    assert "prefers-color-scheme" not in STYLE, "a notebook may be dark where the system is light"


# Estimators ----------------------------------------------------------------------------------------


def test_before_a_fit_there_is_the_diagram_alone():
    shown = nk.Perceptron()._repr_html_()
    assert "sk-top-container" in shown
    assert "nk-card" not in shown


def test_after_a_fit_the_card_stands_below_the_diagram():
    model = nk.Perceptron().fit(X, Y)
    shown = model._repr_html_()
    assert shown.index("sk-top-container") < shown.index("nk-card")
    assert "nk-card" in model._repr_mimebundle_()["text/html"]
    assert model.summary() in text(html(model))
    assert "nk-card" not in clone(model)._repr_html_()


def test_whoever_wants_text_gets_text():
    model = nk.Perceptron().fit(X, Y)
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_a_pipeline_shows_its_own_diagram():
    shown = make_pipeline(nk.Perceptron()).fit(X, Y)._repr_html_()
    assert "Perceptron" in shown
    assert "nk-card" not in shown


def test_the_card_says_what_is_known():
    iris = load_iris()
    model = nk.MarginPerceptron().fit(iris.data, iris.target == 0)
    root = html(model)
    said = [text(cell) for cell in root.iter("td")]
    lower, upper = model.margin_
    assert f"at most {model.bound(lower):,} updates, by this separator" in said
    assert f"{lower:.6g} to {upper:.6g}" in said
    assert model.stop_reason_ in said
    pictures = [picture.get("aria-label") for picture in root.iter("svg")]
    assert pictures == [
        f"The best margin is at least {lower:.6g} and at most {upper:.6g}.",
        f"{model.updates_} updates, {model.bound(lower):,} allowed.",
    ]
