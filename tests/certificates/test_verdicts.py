"""The table of many classes, which is read like a dict."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Mapping

import numpy as np
import pytest

import novikoff as nk

LINE = np.arange(3.0)[:, None]


def test_it_behaves_as_a_dict_of_proofs():
    verdicts = nk.certify(LINE, ["a", "b", "c"])
    assert isinstance(verdicts, Mapping)
    assert list(verdicts) == ["a", "b", "c"] == [*verdicts.keys()]
    assert len(verdicts) == 3
    assert verdicts["b"] is dict(verdicts)["b"] is [*verdicts.values()][1]
    assert "d" not in verdicts
    assert verdicts == dict(verdicts)
    assert verdicts.get("d") is None
    with pytest.raises(KeyError, match="d"):
        verdicts["d"]
    for twin in (copy.copy(verdicts), pickle.loads(pickle.dumps(verdicts))):
        assert str(twin) == str(verdicts)


def test_labels_of_numpy_find_their_proof():
    verdicts = nk.certify(LINE, np.array([7, 8, 9]))
    assert verdicts[np.int64(8)].verdict == "not separable"


def test_the_table_is_aligned_and_says_what_the_proofs_say():
    verdicts = nk.certify(LINE, ["a", "the longest label", "c"], gap=0.5)
    head, columns, *lines = str(verdicts).splitlines()
    assert head == "3 rows; each of 3 labels against all others, with the constant coordinate 1:"
    for line, (label, proof) in zip(lines, verdicts.items(), strict=True):
        assert line.startswith(repr(label))
        assert line.index(proof.verdict) == columns.index("verdict")
        if isinstance(proof, nk.Separable):
            assert f"{proof.margin[0]:.6g}" in line
            assert f"at most {proof.most_mistakes}" in line
        assert line.endswith(str(len(proof.rows)))


def test_its_repr_is_one_line_however_many_labels():
    verdicts = nk.certify(np.arange(30.0)[:, None], [f"label {k}" for k in range(30)])
    shown = repr(verdicts)
    assert shown == (
        "<Verdicts: 30 labels, each against all others: 2 separable ('label 0' and 'label 29'), "
        "28 not separable ('label 1', 'label 10', 'label 11' and 25 more)>"
    )


def test_what_was_not_decided_is_said():
    problem = nk.problems.separable(60, 3, margin=0.01, random_state=0)
    verdicts = nk.certify(problem.X, np.array(["a", "b", "c"])[np.arange(60) % 3], max_passes=0)
    assert {proof.verdict for proof in verdicts.values()} == {"undecided"}
    upper = verdicts["a"].margin[1]
    assert math.isfinite(upper)
    assert str(verdicts).splitlines()[2].split() == [
        "'a'",
        "undecided",
        "at",
        "most",
        f"{upper:.6g}",
        "no",
        "bound",
        "none",
    ]


def test_several_certificates_are_not_one():
    verdicts = nk.certify(LINE, ["a", "b", "c"])
    with pytest.raises(nk.InvalidCertificate, match="several, one for each label: give one of them"):
        nk.verify(verdicts, LINE, ["a", "b", "c"])


def test_of_many_labels_too_the_table_says_which_separation_it_is():
    X, y = [[1.0], [1.0], [2.0], [2.0], [1.5]], ["a", "b", "b", "c", "b"]
    verdicts = nk.certify(X, y, separation=True)
    lines = str(verdicts).splitlines()[2:]
    assert [proof.separation for proof in verdicts.values()] == ["quasi-complete", "overlap", "quasi-complete"]
    assert all(
        f"not separable, {proof.separation}  " in line for proof, line in zip(verdicts.values(), lines, strict=True)
    )
    assert "not separable, overlap" in verdicts._repr_html_()
