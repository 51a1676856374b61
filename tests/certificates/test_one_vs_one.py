"""Every pair of labels in one call and one file."""

from __future__ import annotations

import itertools
import json
import pickle
import random

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff.certificates import pairs
from novikoff.certificates.certificate import Undecided
from novikoff.engine.rows import Rows
from tests.certificates.kinds import classes, one_vs_one

LINE = [[0.0], [1.0], [2.0], [1.0]]
LABELS = ["a", "b", "c", "c"]


def both(certificate, X, y):
    """What the two checks say, which is the same."""
    fast = nk.verify(certificate, X, y)
    assert fast == nk.verify(certificate, X, y, reference=True)
    return fast


def alone(X, y, a, b, **options):
    """The verdict of a call of its own."""
    y = np.asarray(y)
    chosen = (y == a) | (y == b)
    return nk.certify(np.asarray(X)[chosen], y[chosen], **options), np.flatnonzero(chosen)


@pytest.mark.parametrize("seed", range(12))
def test_each_pair_has_the_proof_of_a_call_of_its_own(seed):
    rng = np.random.default_rng(seed)
    k, n, d = 3 + seed % 3, 60, 1 + seed % 5
    y = np.array([f"label {i}" for i in rng.permutation(np.arange(n) % k)])
    X = rng.integers(-3, 4, (n, d)).astype(float) if seed % 2 else rng.standard_normal((n, d))
    X[:, 0] += 4.0 * (y == "label 0")
    options = [{}, {"fit_intercept": False}, {"gap": 1e-6}][seed % 3]
    verdicts = nk.certify(X, y, multiclass="one-vs-one", **options)
    assert list(verdicts) == list(itertools.combinations(np.unique(y).tolist(), 2))
    for (a, b), verdict in verdicts.items():
        expected, rows = alone(X, y, a, b, **options)
        assert verdict.verdict == expected.verdict
        assert verdict.margin == expected.margin
        assert verdict.weights == expected.weights
        assert verdict.rows.tolist() == rows[expected.rows].tolist()
        assert str(verdict).splitlines()[0] == str(expected).splitlines()[0]
        if expected.verdict == "separable":
            assert verdict.w == expected.w
            assert verdict.closest == rows[expected.closest]
    found = both(verdicts, X, y)
    assert [pair.verdict for pair in found.pairs] == [verdict.verdict for verdict in verdicts.values()]
    assert [pair.margin for pair in found.pairs if pair.margin] == [
        verdict.margin for verdict in verdicts.values() if isinstance(verdict, nk.Separable)
    ]


def test_every_storage_gives_the_same_bytes():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (80, 30)).astype(np.float64)
    X[:, 17] = 0.0
    y = np.arange(80) % 4
    X[np.arange(80), y] += 5.0
    text = nk.certify(X, y, multiclass="one-vs-one").to_json()
    for other in (X.astype(np.float32), X.astype(int), np.asfortranarray(X), X.tolist()):
        assert nk.certify(other, y, multiclass="one-vs-one").to_json() == text
    sparse = sp.csr_array(X)
    text = nk.certify(sparse, y, multiclass="one-vs-one").to_json()
    for other in (sparse.astype(np.float32), sparse.tocsc(), sp.csr_matrix(X)):
        assert nk.certify(other, y, multiclass="one-vs-one").to_json() == text
    for data in (X, sparse):
        assert both(json.loads(text), data, y).verdict == "one-vs-one"


def test_texts_are_wide_and_their_pairs_have_a_part_of_the_words():
    rng = np.random.default_rng(0)
    X = sp.random_array((90, 6000), density=0.004, format="csr", random_state=rng)
    y = np.repeat(["x", "y", "z"], 30)
    verdicts = nk.certify(X, y, multiclass="one-vs-one")
    for (a, b), verdict in verdicts.items():
        chosen = np.flatnonzero((y == a) | (y == b))
        expected = nk.certify(X[chosen], y[chosen])
        assert verdict.verdict == expected.verdict == "separable"
        assert len(verdict.w) == 6001
        assert verdict.margin[0] <= expected.margin[1]
        assert expected.margin[0] <= verdict.margin[1]
    both(verdicts, X, y)


def test_of_two_labels_it_is_the_plain_question():
    for what in ("one-vs-rest", "one-vs-one", "joint"):
        assert (
            nk.certify([[0], [1]], ["a", "b"], multiclass=what).to_json()
            == nk.certify([[0], [1]], list("ab")).to_json()
        )


def test_the_words():
    verdicts = nk.certify(LINE, LABELS, multiclass="one-vs-one")
    assert repr(verdicts) == "<PairVerdicts: 3 pairs of 3 labels: 2 separable, 1 not separable>"
    assert str(verdicts).splitlines()[0] == "4 rows; each of 3 pairs of labels, with the constant coordinate 1:"
    assert "3 pairs of labels" in verdicts._repr_html_()
    assert verdicts["a", "c"].verdict == "separable"
    assert str(pickle.loads(pickle.dumps(verdicts))) == str(verdicts)
    found = both(verdicts, LINE, LABELS)
    assert found.labels == ("a", "b", "c")
    assert found.positive is None
    assert "2 of 3 pairs have a separator of their rows; 'b' and 'c' have none" in str(found)
    assert str(found.pairs[0]).startswith("'b' against 'a', with the constant coordinate 1.0: a separator exists")
    assert repr(found) == "<Verified: 3 labels, one-vs-one, by 3 rows>"


def test_one_pair_of_a_table_is_no_file_of_its_own():
    verdicts = nk.certify(LINE, LABELS, multiclass="one-vs-one")
    with pytest.raises(ValueError, match="one of many: save the table of all of them"):
        verdicts["a", "b"].to_json()


def test_pairs_without_a_verdict_are_named_and_nothing_is_saved(tmp_path):
    verdicts = nk.certify(LINE, LABELS, multiclass="one-vs-one", max_seconds=0.0)
    assert {verdict.verdict for verdict in verdicts.values()} == {"undecided"}
    with pytest.raises(ValueError, match=r"3 pairs of labels are undecided.*'a' and 'b', 'a' and 'c' and 'b' and 'c'"):
        verdicts.save(tmp_path / "proof.json")
    assert not any(tmp_path.iterdir())


def test_one_interrupt_ends_all_that_is_left_and_keeps_what_is_known(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % 5
    waited = []

    def interrupted(jobs):
        waited.append(jobs)
        raise KeyboardInterrupt

    monkeypatch.setattr(pairs, "wait", interrupted)
    monkeypatch.setattr(pairs, "cores", lambda: 1)
    verdicts = nk.certify(X, y, multiclass="one-vs-one")
    assert waited
    assert len(verdicts) == 10
    assert isinstance(verdicts[3, 4], Undecided)
    assert verdicts[3, 4].why == "it was interrupted"


def test_an_error_in_one_pair_is_told_and_ends_the_others():
    X = [[1e-300, 1e300], [1e300, 1.0], [1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ValueError, match="scale the features"):
        nk.certify(X, ["a", "b", "c", "c"], multiclass="one-vs-one")


@pytest.mark.parametrize("X", [[[np.nan], [1.0], [2.0]], [[np.inf], [1.0], [2.0]]])
def test_what_is_not_finite_is_named(X):
    with pytest.raises(ValueError, match="row 0"):
        nk.certify(X, ["a", "b", "c"], multiclass="one-vs-one")


def test_an_unknown_question_is_refused():
    with pytest.raises(ValueError, match="multiclass must be one of 'one-vs-rest', 'one-vs-one', 'joint', got 'ovo'"):
        nk.certify(LINE, LABELS, multiclass="ovo")


def test_progress_counts_the_pairs(capsys):
    nk.certify(LINE, LABELS, multiclass="one-vs-one", verbose=1)
    assert "certify: 1 of 3 pairs of labels, 0 without a separator" in capsys.readouterr().err


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e150, 1e300])
def test_huge_and_tiny_numbers(scale):
    X = np.array([[1.0], [2.0], [4.0], [3.0]]) * scale
    verdicts = nk.certify(X, LABELS, multiclass="one-vs-one", fit_intercept=False)
    both(verdicts, X, LABELS)
    assert {verdict.verdict for verdict in verdicts.values()} == {"not separable"}
    X = np.array([[1.0, 0], [-2.0, 0], [0, 4.0], [0, 3.0]]) * scale
    verdicts = nk.certify(X, LABELS, multiclass="one-vs-one", fit_intercept=False)
    both(verdicts, X, LABELS)
    assert {verdict.verdict for verdict in verdicts.values()} == {"separable"}


@pytest.mark.parametrize(
    "lengths", [[1.0, 1e-200, 3.0], [1e-200, 1e-170, 5e-324], [1e200, 1.0, 3e200], [0.0, 0.0, 2.0]]
)
def test_the_radius_of_a_part_is_that_of_its_longest_row(lengths):
    X = np.array(lengths)[:, None] * np.array([[0.6, 0.8]])
    whole, part = (Rows(X, np.ones(3, dtype=np.int8), 0.0) for _ in range(2))
    whole.survey()
    part.take_norms(whole.norms)
    assert part.radius_sq == whole.radius_sq
    assert part.norms.tolist() == whole.norms.tolist()


# Forged certificates ------------------------------------------------------------------------------------------


def forged(change):
    record = json.loads(nk.certify(LINE, LABELS, multiclass="one-vs-one").to_json())
    change(record)
    return record


FORGERIES = {
    "kind": lambda r: r.update(kind="one-vs-two"),
    "its labels are not a list of three": lambda r: r.update(labels=["a", "b"]),
    "it names a label twice": lambda r: r.update(labels=["a", "b", "b"]),
    "'d' does not occur in y": lambda r: (
        r.update(labels=["a", "b", "d"]),
        r["pairs"][1].update(positive="d"),
        r["pairs"][2].update(positive="d"),
    ),
    "its pairs are not 3, one for each two": lambda r: r["pairs"].pop(),
    "not those of its labels in order": lambda r: r["pairs"].reverse(),
    "one of its pairs is not an object": lambda r: r["pairs"].__setitem__(0, []),
    "the kind of a pair is not": lambda r: r["pairs"][0].update(kind="undecided"),
    "the fields of a pair are not": lambda r: r["pairs"][0].pop("radius"),
    "about data with digest": lambda r: r.update(digest="0" * 64),
    "about data of shape": lambda r: r.update(columns=2),
    "of 'a' and 'b': a row that it names has another label": lambda r: r["pairs"][0].update(closest=3),
    "has less than the lower margin": lambda r: r["pairs"][0]["margin"].__setitem__(0, 0.4472135954999582),
    "does not prove the upper margin": lambda r: r["pairs"][1].update(margin=[0.4, 0.44]),
    "its radius is too small": lambda r: r["pairs"][0].update(radius=1.4142),
    "does not separate": lambda r: r["pairs"][0]["separator"].update(weights=[-2, 1]),
    "in increasing order": lambda r: r["pairs"][0]["separator"].update(columns=[1, 0]),
    "of a column that is not there": lambda r: r["pairs"][0]["separator"].update(columns=[0, 2]),
    "zero in a column that it names": lambda r: r["pairs"][0]["separator"].update(weights=[0, 1]),
    "its separator is not columns and weights": lambda r: r["pairs"][0].update(separator=[2, -1]),
    "its weighted rows do not sum to zero": lambda r: r["pairs"][2]["combination"].update(weights=[1, 2]),
    "weak separator|row 2 has y<w,x> < 0": lambda r: r["pairs"][2]["weak"].update(weights=[-1, 1]),
}


@pytest.mark.parametrize("sentence", FORGERIES)
def test_a_forgery_is_refused_with_a_sentence(sentence):
    record = forged(FORGERIES[sentence])
    for reference in (False, True):
        with pytest.raises(nk.InvalidCertificate, match=sentence):
            nk.verify(record, LINE, LABELS, reference=reference)


@pytest.mark.parametrize("unit", [5e-324, 1e-320, 1e-310])
def test_numbers_of_few_digits_hide_no_margin(unit):
    X = [[0.0, unit], [5 * unit, 0.0], [0.0, 7 * unit], [9 * unit, -9 * unit]]
    y = ["a", "b", "c", "a"]
    record = json.loads(nk.certify(np.array(X) * 2.0**40, y, multiclass="one-vs-one", fit_intercept=False).to_json())
    place = [0, 1, 2, 0]
    record["digest"] = classes.digest(X, place)
    rng = random.Random(0)
    told = set()
    for _ in range(60):
        change = json.loads(json.dumps(record))
        for pair in change["pairs"]:
            pair["radius"] = 1.0
            if "margin" in pair:
                pair["margin"] = [5e-324, rng.choice([5e-324, 1e-323, 4 * unit, 9 * unit, 1e-300])]
        expected = one_vs_one.accepts(change, X, y)
        told.add(expected)
        for reference in (False, True):
            assert accepted(change, X, y, reference=reference) == expected
    assert False in told


def test_a_weak_separator_that_is_zero_everywhere_is_refused():
    X = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0]]
    record = json.loads(nk.certify(X, LABELS, multiclass="one-vs-one").to_json())
    record["pairs"][2]["weak"] = {"columns": [1], "weights": [1]}
    for reference in (False, True):
        with pytest.raises(nk.InvalidCertificate, match="0 on every row"):
            nk.verify(record, X, LABELS, reference=reference)


def test_rows_of_other_labels_are_exchanged():
    record = forged(lambda r: None)
    for y in (["a", "b", "c", "b"], ["b", "a", "c", "c"]):
        with pytest.raises(nk.InvalidCertificate, match="digest"):
            nk.verify(record, LINE, y)
    with pytest.raises(nk.InvalidCertificate, match="a label that it does not name"):
        nk.verify(record, [*LINE[:3], [1.0]], ["a", "b", "c", "d"])


def accepted(record, X, y, **options):
    try:
        nk.verify(record, X, y, **options)
    except nk.InvalidCertificate:
        return False
    return True
