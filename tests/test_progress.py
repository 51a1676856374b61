"""What a long fit shows: in a log, in a terminal, and in a notebook."""

from __future__ import annotations

import math
import sys
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pytest

import novikoff as nk
from novikoff import progress
from novikoff.progress import Bracket, Counted, Descent, Passes

X, Y = np.array([[2.0, 1.0], [3.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]), [1, 1, -1, -1]


class Notebook:
    """Stands in for IPython: what was displayed, and what it became."""

    def __init__(self) -> None:
        self.outputs: list[list[str]] = []

    def display(self, shown, *, raw, display_id):
        assert raw is display_id is True
        self.outputs.append([shown])
        return self

    def update(self, shown, *, raw):
        assert raw is True
        self.outputs[-1].append(shown)


@pytest.fixture
def notebook(monkeypatch):
    """A notebook, whose cells show every change."""
    shown = Notebook()
    module = ModuleType("IPython.display")
    module.display = shown.display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    return shown


def bars(shown):
    """The text beside each state of a bar, and how far that is; nothing after the work."""
    *states, last = shown.outputs[-1]
    assert set(last.values()) == {""}
    found = []
    for state in states:
        root = ElementTree.fromstring(state["text/html"])
        (bar,) = root
        assert bar.get("max") == "1"
        assert bar.tail == state["text/plain"]
        found.append((bar.tail, None if bar.get("value") is None else float(bar.get("value"))))
    return found


def test_a_notebook_shows_the_passes_of_those_that_there_may_be(notebook, capsys):
    with Passes("Perceptron", "given", 1000) as watch:
        watch(26, 3)
        watch(1000, 0)
    assert bars(notebook) == [
        ("Perceptron: pass 26 of at most 1,000, 3 updates", 0.026),
        ("Perceptron: pass 1,000 of at most 1,000, 0 updates", 1.0),
    ]
    assert capsys.readouterr() == ("", "")


def test_the_bar_of_a_bracket_fills_as_the_gap_closes(notebook):
    with Bracket("certify", 0.01) as watch:
        for lower in (-math.inf, 0.0, 0.5, 0.9, 0.99, 1.0):
            watch(3, lower, 1.0)
    texts, shares = zip(*bars(notebook), strict=True)
    assert texts[2] == "certify: pass 3, the best margin is between 0.5 and 1"
    assert shares == (None, None, pytest.approx(math.log(0.5) / math.log(0.01), abs=1e-4), 0.5, 1.0, 1.0)


def test_least_squares_end_at_an_accuracy_or_at_a_number_of_iterations(notebook):
    with Descent("gd", 100, 1e-6) as watch:
        watch(0, 1.0)
        watch(50, 1e-3)
        watch(90, 1e-3)
        watch(91, 0.0)
    assert [share for _, share in bars(notebook)] == [0.0, 0.5, 0.9, 1.0]
    with Descent("sgd", 100, None) as watch:
        watch(25, 1e-30)
    assert bars(notebook) == [("least squares, sgd: iteration 25 of at most 100, 1e-30", 0.25)]


def test_what_has_no_known_end_has_a_bar_that_only_moves(notebook):
    with Counted("reading <{:,}> examples") as watch:
        watch(2048)
    assert bars(notebook) == [("reading <2,048> examples", None)]


def test_a_cell_is_not_told_more_often_than_it_can_show(notebook, monkeypatch):
    monkeypatch.setattr(progress, "PAUSE", 0.1)
    clock = iter([0.0, 0.05, 0.09, 0.11, 0.15, 0.3])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with Passes("Perceptron", "worst", 10) as watch:
        for passes in range(1, 7):
            watch(passes, passes)
    assert [text for text, _ in bars(notebook)] == [
        f"Perceptron: search {passes} of at most 10 found row {passes}" for passes in (1, 4, 6)
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("fit", "text"),
    [
        (lambda verbose: nk.Perceptron(verbose=verbose).fit(X, Y), "Perceptron: pass 1 of at most 1,000, "),
        (lambda verbose: nk.certify(X, Y, verbose=verbose), "certify: pass "),
        (lambda verbose: nk.MaxMarginClassifier(verbose=verbose).fit(X, Y), "certify: pass "),
        (
            lambda verbose: nk.LeastSquares("cg", verbose=verbose).fit(X, Y),
            "least squares, cg: iteration 0 of at most 1,000",
        ),
        (
            lambda verbose: nk.Perceptron(multiclass="one-vs-rest", verbose=verbose).fit(X, [1, 2, 3, 3]),
            "Perceptron: pass 1 of at most 1,000, ",
        ),
    ],
)
def test_fits_are_silent_unless_they_are_asked(notebook, capsys, fit, text):
    fit(0)
    assert notebook.outputs == []
    fit(1)
    assert len(notebook.outputs) == 1
    assert bars(notebook)[0][0].startswith(text)
    assert capsys.readouterr() == ("", "")


def test_the_cell_is_cleared_however_the_work_ends(notebook):
    def work():
        with Passes("Perceptron", "given", 10) as watch:
            watch(1, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert len(bars(notebook)) == 1


def test_a_log_gets_lines_at_doubling_counts(capsys):
    with Passes("Perceptron", "given", 100) as watch:
        for passes in range(1, 20):
            watch(passes, 7)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"Perceptron: pass {passes} of at most 100, 7 updates" for passes in (1, 2, 4, 8, 16)]


def test_a_terminal_shows_a_bar_and_leaves_nothing(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with Passes("Perceptron [/b]", "given", 10) as watch:
        watch(5, 7)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Perceptron [/b]: pass 5 of at most 10, 7 updates" in err
    assert "━━━" in err
    assert err.endswith("\x1b[2K"), "the line is erased"
