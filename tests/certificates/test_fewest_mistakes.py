"""The fewest mistakes: the two ends hold, meet in the plane, and nothing false is accepted."""

import copy
import itertools
import json
import random
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from typer.testing import CliRunner

import novikoff as nk
from novikoff.certificates import hyperplane, packing
from novikoff.certificates.check.plane import Plane
from novikoff.certificates.claim import InvalidCertificate
from novikoff.certificates.mistakes import Contradiction
from novikoff.certificates.reference.fewest_mistakes import most_right_beside, triple
from novikoff.certificates.reference.rows import Row
from novikoff.cli.app import app
from tests.certificates import oracle
from tests.certificates.kinds import fewest_mistakes as kind

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def fewest(a):
    """By trying all sets of rows, the largest first."""
    for k in range(len(a), 0, -1):
        if any(oracle.cancels(list(rows)) is None for rows in itertools.combinations(a, k)):
            return len(a) - k
    return len(a)


def degenerate(rng):
    n, d = rng.randint(2, 8), rng.randint(1, 3)
    values = rng.choice([(0, 1), (-1, 0, 1), (-2, -1, 0, 1, 2), (0.1, -0.2, 0.3), (1e-9, 1.0, -1e9)])
    X = np.array([[float(rng.choice(values)) for _ in range(d)] for _ in range(n)])
    how = rng.randint(0, 4)
    if how == 1:
        X = X[[rng.randrange(min(3, n)) for _ in range(n)]]
    elif how == 2:
        X[:, -1] = 3 * X[:, 0]
    elif how == 3:
        X = np.array([[rng.gauss(0, 1) for _ in range(d)] for _ in range(n)])
    y = [rng.randint(0, 1) for _ in range(n)]
    y[0], y[-1] = 0, 1
    return X, y, rng.random() < 0.6


def flipped(n, d, seed, share=0.05):
    """Labels of a hyperplane, some of them flipped; and how many."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    wrong = rng.random(n) < share
    return X, np.where((X @ rng.standard_normal(d) > 0.2) ^ wrong, 1, 0), int(wrong.sum())


def verified(found, X, y):
    """What both checks say, which is the same."""
    fast, slow = nk.verify(found, X, y), nk.verify(found, X, y, reference=True)
    assert fast == slow
    assert fast.mistakes == found.bracket
    return fast


# The two ends --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_the_fewest_of_all_sets_of_rows_lie_between_the_ends_and_in_the_plane_these_meet(seed):
    rng = random.Random(seed)
    exact = 0
    for _ in range(70):
        X, y, constant = degenerate(rng)
        found = nk.fewest_mistakes(sp.csr_array(X) if rng.random() < 0.5 else X, y, fit_intercept=constant)
        true = fewest(oracle.rows_of(X.tolist(), [1 if label else -1 for label in y], int(constant)))
        assert found.bracket[0] <= true <= found.bracket[1]
        if X.shape[1] + constant <= 3:
            assert found.bracket == (true, true)
        exact += found.exact
        assert kind.accepts(json.loads(found.to_json()), X.tolist(), y)
        verified(found, X, y)
    assert exact > 60


@pytest.mark.parametrize(("n", "d"), [(150, 1), (200, 2), (200, 4), (300, 8)])
def test_flipped_labels_are_bracketed(n, d):
    X, y, wrong = flipped(n, d, seed=d)
    found = nk.fewest_mistakes(X, y, max_seconds=None)
    assert found.bracket[1] <= wrong
    assert found.bracket[0] >= 0.7 * found.bracket[1]
    assert d > 2 or found.exact
    assert found.why == ""
    verified(found, X, y)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_two_thousand_rows_are_bracketed_and_planes_of_as_many_are_exact(seed):
    X, y, wrong = flipped(2000, 10, seed)
    found = nk.fewest_mistakes(X, y, max_seconds=None)
    assert 0.7 * found.bracket[1] <= found.bracket[0] <= found.bracket[1] <= wrong
    nk.verify(found, X, y)
    for P in (X[:, :2], np.round(X[:, :2], 1), X[:, :1] * [1, 3]):
        found = nk.fewest_mistakes(P, y, max_seconds=None)
        assert found.exact
        nk.verify(found, P, y)


def test_the_hyperplane_makes_the_mistakes_that_it_is_said_to():
    X, y, _ = flipped(300, 4, seed=3)
    found = nk.fewest_mistakes(X, y)
    signs = np.where(y == 1, 1, -1)
    wrong = np.flatnonzero(signs * (X @ found.coef + found.intercept) <= 0)
    assert wrong.tolist() == found.mistakes.tolist()
    assert len(wrong) == found.bracket[1]


def test_every_contradiction_has_a_mistake_of_any_hyperplane():
    X, y, _ = flipped(300, 4, seed=4)
    found = nk.fewest_mistakes(X, y)
    a = np.column_stack([X, np.ones(300)]) * np.where(y == 1, 1, -1)[:, None]
    for w in np.random.default_rng(0).standard_normal((50, 5)):
        products = a @ w
        assert all(min(products[list(rows)]) <= 0 for rows, _ in found.contradictions)


def test_copies_of_a_contradiction_are_as_many_mistakes():
    X, y = np.repeat(XOR[0], 5, axis=0), np.repeat(XOR[1], 5)
    assert nk.fewest_mistakes(X, y).bracket == (5, 5)


def test_separable_data_have_none():
    found = nk.fewest_mistakes([[0.0], [1], [2]], [0, 0, 1])
    assert found.bracket == (0, 0)
    assert found.contradictions == ()
    assert len(found.mistakes) == 0
    assert "it separates the rows" in str(found)
    verified(found, [[0.0], [1], [2]], [0, 0, 1])


def test_a_margin_that_no_float_can_see_is_seen():
    rng = np.random.default_rng(5)
    V = np.round(rng.standard_normal((12, 4)) * 2.0**20) / 2.0**20
    V[:, 0] = 2.0**-60
    X, y = np.concatenate([V, V * [-1, 1, 1, 1], V[:1]]), np.repeat([1, 0, 0], [12, 12, 1])
    X[12:24, 1:] = X[:12, 1:]
    found = nk.fewest_mistakes(X[:24], y[:24], fit_intercept=False)
    assert found.bracket == (0, 0)
    verified(found, X[:24], y[:24])
    found = nk.fewest_mistakes(X, y, fit_intercept=False)
    assert found.bracket == (1, 1)
    verified(found, X, y)


@pytest.mark.parametrize("constant", [True, False])
def test_rows_on_a_line_but_for_rounding(constant):
    """What separates them is a matter of their last digits, and no float tells it."""
    t = np.random.default_rng(5).integers(-(2**20), 2**20, 12)
    X = np.outer(t, [1 / 3, 1.7, 3.14159])
    X = np.concatenate([X, np.nextafter(X, np.inf), X[:1]])
    y = np.repeat([0, 1, 1], [12, 12, 1])
    found = nk.fewest_mistakes(X, y, fit_intercept=constant)
    assert max(map(abs, found.w)).bit_length() > 60
    assert constant or found.exact
    verified(found, X, y)


def test_a_row_on_the_hyperplane_is_a_mistake():
    """Three points of a line, the label of the one in the middle alone, and no line that only touches it."""
    assert nk.fewest_mistakes([[0, 0], [1, 1], [2, 2]], [0, 1, 0]).bracket == (1, 1)
    zero = nk.fewest_mistakes([[0.0, 0], [1, 1]], [0, 1], fit_intercept=False)
    assert zero.bracket == (1, 1)
    assert zero.contradictions == (Contradiction((0,), (1,)),)


def test_weights_that_share_rows_can_prove_more_than_disjoint_contradictions():
    packed = packing.Packing(3)
    packed.add(Contradiction(rows, (1, 1)) for rows in ((0, 1), (1, 2), (0, 2)))
    packed.take_disjoint()
    assert packed.lower == 1
    packed.solve(10.0)
    assert packed.lambdas == [Fraction(1, 2)] * 3
    assert packed.lower == 2


def test_shared_rows_prove_more_than_disjoint_ones(monkeypatch):
    X, y, _ = flipped(120, 5, seed=1, share=0.2)
    found = nk.fewest_mistakes(X, y, max_seconds=None)
    monkeypatch.setattr(packing, "shared", lambda *_: None)
    disjoint = nk.fewest_mistakes(X, y, max_seconds=None)
    assert all(share == 1 for share in disjoint.shares)
    assert any(share < 1 for share in found.shares)
    assert found.bracket[0] > disjoint.bracket[0]


def test_the_same_data_give_the_same_bytes():
    X, y, _ = flipped(150, 5, seed=1)
    assert nk.fewest_mistakes(X, y).to_json() == nk.fewest_mistakes(X, y).to_json()


@pytest.mark.parametrize(
    "convert",
    [np.float32, np.int64, np.bool_, lambda X: sp.csr_array(X.astype(float)), lambda X: X.astype(float).tolist()],
)
def test_how_the_rows_are_stored_does_not_matter(convert):
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, (60, 5)), rng.integers(0, 2, 60)
    stored = X.astype(convert) if isinstance(convert, type) else convert(X)
    found = nk.fewest_mistakes(stored, y)
    assert found.to_json() == nk.fewest_mistakes(X.astype(float), y).to_json()
    verified(found, X, y)


@pytest.mark.parametrize("scale", [2.0**-1000, 1e-300, 1e300])
def test_rows_of_any_scale(scale):
    X, y, _ = flipped(40, 3, seed=6, share=0.2)
    found = nk.fewest_mistakes(scale * X, y, fit_intercept=False)
    assert found.bracket == nk.fewest_mistakes(X, y, fit_intercept=False).bracket
    verified(found, scale * X, y)


@pytest.mark.parametrize("n", [5, 40, 200])
def test_noise_on_a_line(n):
    """Until hardly a row is left that no contradiction uses."""
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal(n), rng.integers(0, 2, n)
    y[:2] = 0, 1
    for X in (x[:, None], np.column_stack([x, 2 * x])):
        found = nk.fewest_mistakes(X, y)
        assert found.exact
        verified(found, X, y)


def test_more_columns_than_rows():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((6, 30))
    X[3:] = X[:3]
    found = nk.fewest_mistakes(X, [0, 0, 0, 1, 1, 1])
    assert found.bracket == (3, 3)
    verified(found, X, [0, 0, 0, 1, 1, 1])


def test_many_columns_are_searched_without_linear_programs():
    rng = np.random.default_rng(3)
    X = sp.random_array((60, 400), density=0.05, rng=rng, format="csr")
    X = sp.csr_array(sp.vstack([X, X[:7]]))
    y = np.append(rng.integers(0, 2, 60), np.zeros(7, dtype=int))
    y[:7] = 1
    found = nk.fewest_mistakes(X, y)
    assert found.bracket == (7, 7)
    verified(found, X, y)


# All lines of a plane ------------------------------------------------------------------------------


def exact_rows(values):
    """Rows as the checks have them."""
    return [Row([(j, int(Fraction(x) * 2**1074)) for j, x in enumerate(row) if x], 2**1074) for row in values.tolist()]


def most_right(plane):
    known = -1
    while better := plane.better(known):
        assert better.right > known
        known = better.right
    return known


def planes(rng):
    """Rows of three coordinates or less: points with a constant, and others."""
    n, d = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    values = [rng.integers(-2, 3, (n, d)), rng.standard_normal((n, d)), rng.integers(-9, 9, (n, d)) / 10]
    A = values[rng.integers(3)].astype(float)
    if rng.random() < 0.2:
        A *= 10.0 ** rng.integers(-200, 200, (n, 1))
    if rng.random() < 0.5:
        A[:, -1] = 1
    if d > 1 and rng.random() < 0.2:
        A[:, 0] = 0.1 * A[:, 1]
    return A * rng.choice([-1, 1], (n, 1))


def test_floats_find_what_the_reference_finds_in_fractions():
    rng = np.random.default_rng(7)
    for _ in range(400):
        rows = exact_rows(planes(rng))
        triples = [triple(a) for a in rows if a.entries]
        known = max((most_right_beside(a, triples) for a in triples), default=-1)
        assert most_right(Plane(rows)) == known


@pytest.mark.parametrize("how", ["a grid", "tenths", "a line", "one point", "close together"])
def test_floats_find_it_where_many_angles_are_the_same(how):
    rng = np.random.default_rng(11)
    P = rng.integers(0, 6, (40, 2)).astype(float)
    if how == "tenths":
        P /= 10
    elif how == "a line":
        P[:, 1] = 0.1 * P[:, 0]
    elif how == "one point":
        P[:] = P[0]
    elif how == "close together":
        P = 1 + P * 2.0**-50
    A = np.column_stack([P, np.ones(40)]) * rng.choice([-1, 1], (40, 1))
    rows = exact_rows(A)
    triples = [triple(a) for a in rows]
    assert most_right(Plane(rows)) == max(most_right_beside(a, triples) for a in triples)


@pytest.mark.parametrize("seed", range(20))
def test_the_other_half_of_a_turn_is_looked_at(seed):
    """w is right on the rows that -w is wrong on: of both, the better one stays it if the other rows change signs."""
    rng = random.Random(seed)
    a = (0, 0, 1)
    others = [(rng.randint(-5, 5), rng.choice([-3, -2, -1, 1, 2, 3]), rng.randint(-5, 5)) for _ in range(9)]
    opposite = [(-p, -q, -r) for p, q, r in others]
    assert most_right_beside(a, [a, *others]) == most_right_beside(a, [a, *opposite])


def test_all_lines_are_looked_at_where_contradictions_leave_a_gap():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), rng.integers(0, 2, 60)
    found = nk.fewest_mistakes(X, y)
    assert found.enumerated
    assert found.exact
    assert "all lines of the plane" in str(found)
    assert "enumerated" in verified(found, X, y).implies
    record = json.loads(found.to_json())
    del record["enumerated"]
    with pytest.raises(InvalidCertificate, match="do not prove its lower number"):
        nk.verify(record, X, y)


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_on_the_hyperplane_are_mistakes_though_floats_cannot_call_them(form, reference):
    X, y = np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.1], [0.1, 0.4]]), [1, 0, 1, 0]
    record = json.loads(nk.fewest_mistakes(X, y).to_json()) | {"separator": [1, -1, 0], "contradictions": []}
    record.pop("enumerated", None)
    assert nk.verify(record | {"mistakes": [0, 2]}, form(X), y, reference=reference).mistakes == (0, 2)
    with pytest.raises(InvalidCertificate, match="more than 1 mistake"):
        nk.verify(record | {"mistakes": [0, 1]}, form(X), y, reference=reference)


# What is refused -----------------------------------------------------------------------------------


def changed(record, path, value):
    record = copy.deepcopy(record)
    at = record
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return record


CHANGES = [
    (("format",), "novikoff certificate 1"),
    (("kind",), "separable"),
    (("kind",), "fewest errors"),
    (("positive",), 0),
    (("against",), [0, 1]),
    (("constant",), "through the origin"),
    (("rows",), 5),
    (("columns",), 3),
    (("digest",), "0" * 64),
    (("separator",), [0, 0, 0]),
    (("separator",), [1, 1]),
    (("separator",), None),
    (("mistakes",), [2, 1]),
    (("mistakes",), [0, 5]),
    (("mistakes",), [2, 2]),
    (("mistakes",), [0, 0]),
    (("mistakes",), [True, 1]),
    (("mistakes",), [1]),
    (("contradictions",), []),
    (("contradictions",), {}),
    (("contradictions", 0), {"rows": [0], "weights": [1]}),
    (("contradictions", 0, "rows"), [0, 1, 2]),
    (("contradictions", 0, "rows"), [0, 1, 2, 4]),
    (("contradictions", 0, "rows"), [0, 2, 1, 3]),
    (("contradictions", 0, "weights"), [1, 1, 1, 2]),
    (("contradictions", 0, "weights"), [1, 1, 1, -1]),
    (("contradictions", 0, "numerator"), 2),
    (("contradictions", 0, "numerator"), 0),
    (("contradictions", 0, "numerator"), 0.5),
    (("denominator",), 0),
    (("denominator",), "0x0"),
    (("denominator",), 1.0),
    (("enumerated",), False),
    (("enumerated",), 1),
    (("surprise",), 1),
]


@pytest.mark.parametrize(("path", "value"), CHANGES)
def test_a_certificate_with_a_changed_field_is_refused_by_both_checks(path, value):
    record = changed(json.loads(nk.fewest_mistakes(*XOR).to_json()), path, value)
    X = np.array(XOR[0], dtype=float).tolist()
    assert not kind.accepts(record, X, XOR[1])
    for reference in (False, True):
        with pytest.raises(InvalidCertificate):
            nk.verify(record, *XOR, reference=reference)


def test_what_stays_true_is_accepted():
    record = json.loads(nk.fewest_mistakes(*XOR).to_json())
    for path, value in [
        (("mistakes",), [0, 4]),
        (("constant",), "0x1.8000000000000p+0"),
        (("denominator",), 1),
        (("enumerated",), True),
        (("contradictions", 0, "weights"), ["0x2", 2, 2, 2]),
    ]:
        for reference in (False, True):
            nk.verify(changed(record, path, value), *XOR, reference=reference)


def test_a_contradiction_counts_once():
    """Each row may be used once in all: the same contradiction twice proves nothing more."""
    record = json.loads(nk.fewest_mistakes(*XOR).to_json())
    record["contradictions"] *= 2
    record["mistakes"] = [1, 1]
    for reference in (False, True):
        with pytest.raises(InvalidCertificate, match="more than once"):
            nk.verify(record, *XOR, reference=reference)
    record["denominator"] = 2
    assert nk.verify(record, *XOR).mistakes == (1, 1)


def test_lines_are_enumerated_in_the_plane_only():
    X, y, _ = flipped(20, 3, seed=0)
    record = json.loads(nk.fewest_mistakes(X, y).to_json()) | {"enumerated": True}
    with pytest.raises(InvalidCertificate, match="more than 3 coordinates"):
        nk.verify(record, X, y)


def test_an_enumeration_that_finds_a_better_line_refuses_the_certificate():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), rng.integers(0, 2, 60)
    record = json.loads(nk.fewest_mistakes(X, y).to_json())
    record["mistakes"] = [record["mistakes"][0] + 1, 60]
    for reference in (False, True):
        with pytest.raises(InvalidCertificate, match="some hyperplane makes fewer"):
            nk.verify(record, X, y, reference=reference)


# Budgets, Ctrl-C, and what is no question ------------------------------------------------------------


def test_without_time_the_ends_are_far_apart_and_true():
    X, y, _ = flipped(100, 4, seed=2)
    found = nk.fewest_mistakes(X, y, max_seconds=0)
    assert found.why == "the time is used up"
    assert "ended early" in str(found)
    assert "Allow more max_seconds" in str(found)
    verified(found, X, y)


@pytest.mark.parametrize("place", ["search", "_along_lines"])
def test_ctrl_c_leaves_what_is_proved_by_then(place, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(hyperplane, place, interrupted)
    X, y, _ = flipped(100, 4, seed=2)
    found = nk.fewest_mistakes(X, y)
    assert found.why == "it was interrupted"
    assert found.bracket[0] >= 1
    verified(found, X, y)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[0], [1], [2]], ["a", "b", "c"], {}, "y == 'a'"),
        ([[0], [1]], [1, 1], {}, "class"),
        ([[0], [float("nan")]], [0, 1], {}, "row 1"),
        ([[0], [1]], [0, 1, 1], {}, "same length"),
        ([[0], [1]], [0, 1], {"max_seconds": -1}, "max_seconds"),
        ([[0], [1]], [0, 1], {"intercept_scaling": 0}, "intercept_scaling"),
    ],
)
def test_what_is_no_question_is_told_with_its_cure(X, y, options, message):
    with pytest.raises(ValueError, match=message):
        nk.fewest_mistakes(X, y, **options)


# Words ---------------------------------------------------------------------------------------------


def test_the_words_name_the_rows_the_contradictions_and_both_ends():
    X, y, _ = flipped(120, 5, seed=1, share=0.2)
    found = nk.fewest_mistakes(X, y, max_seconds=None)
    lower, upper = found.bracket
    assert f"at least {lower} and at most {upper}" in str(found)
    assert ", ".join(map(str, found.mistakes[:5])) in str(found)
    assert "of which no row gets more than 1" in str(found)
    assert repr(found) == f"<FewestMistakes: 1 against 0, 120 rows; the fewest mistakes are {lower} to {upper}>"
    assert "Fewest mistakes" in found._repr_html_()
    said = verified(found, X, y)
    assert f"are at least {lower} and at most {upper}" in str(said)
    assert "Verified: 1 against 0, fewest mistakes" in repr(said)


def test_through_the_origin_it_is_said_that_a_constant_may_help():
    said = nk.verify(nk.fewest_mistakes(*XOR, fit_intercept=False), *XOR)
    assert "A hyperplane beside the origin" in said.implies


def test_the_command_saves_what_verify_reads(tmp_path):
    data, proof = tmp_path / "xor.csv", tmp_path / "proof.json"
    data.write_text("a,b,kind\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    run = CliRunner().invoke(app, ["mistakes", str(data), "--label", "kind", "-o", str(proof), "-q"])
    assert run.exit_code == 0
    assert "exactly 1" in run.stdout
    assert "Valid" in CliRunner().invoke(app, ["verify", str(proof), str(data)]).stdout
    answer = json.loads(CliRunner().invoke(app, ["mistakes", str(data), "--label", "kind", "-q", "--json"]).stdout)
    assert answer["bracket"] == [1, 1]


def test_a_bracket_that_stays_open_has_its_exit_code(tmp_path):
    data = tmp_path / "noise.csv"
    X, y, _ = flipped(100, 4, seed=2)
    data.write_text("a,b,c,d,y\n" + "\n".join(",".join(map(str, [*x, label])) for x, label in zip(X, y, strict=True)))
    assert CliRunner().invoke(app, ["mistakes", str(data), "--max-seconds", "0", "-q"]).exit_code == 11


def test_rows_of_lengths_that_no_float_compares_have_an_answer():
    """Then no soft margin is found, and the search goes on without it."""
    large = 2.0**300
    X, y = [[-large, -2 * large], [0.0, 0.0], [0.0, 2.0], [1 / large, 1 / large]], [0, 1, 0, 0]
    found = nk.fewest_mistakes(X, y)
    assert found.exact
    assert nk.verify(found, X, y, reference=True).mistakes == found.bracket


def test_the_words_say_whether_contradictions_share_rows():
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1]
    found = nk.fewest_mistakes(X, y)
    record = json.loads(found.to_json())
    record.pop("enumerated", None)
    first, second = ({"rows": rows, "weights": [1, 1], "numerator": 1} for rows in ([0, 1], [2, 3]))
    record |= {"contradictions": [first, second], "denominator": 1, "mistakes": [2, 2]}
    assert "2 contradictions among the rows, of which no two share a row" in str(nk.verify(record, X, y))
    record |= {"contradictions": [first, first], "denominator": 2, "mistakes": [1, 2]}
    assert "with weights of which no row has more than 1 in all" in str(nk.verify(record, X, y))
    record |= {"contradictions": [first], "denominator": 1}
    assert "a contradiction among the rows leaves every w a mistake." in str(nk.verify(record, X, y))
