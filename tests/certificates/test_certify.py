"""Every verdict is right, by exact arithmetic: hard margins, no margins, weak margins, and awkward data."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

import novikoff as nk
from novikoff.certificates import rational, solve
from novikoff.engine.rows import Rows, smallest
from tests.certificates import oracle


def claims_hold(text, X, y):
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    return oracle.accepts(text, dense.astype(float).tolist(), np.asarray(y).tolist())


def settled(X, y, gap=0.01, **options):
    """The verdict, after everything that must hold of any verdict."""
    proof = nk.certify(X, y, gap, **options)
    text = proof.to_json()
    assert claims_hold(text, X, y)
    assert nk.verify(proof, X, y).verdict == proof.verdict
    assert nk.certify(X, y, gap, **options).to_json() == text, "a second run gives the same bytes"
    if isinstance(proof, nk.Separable):
        assert Fraction(proof.margin[0]) >= (1 - Fraction(gap)) * Fraction(proof.margin[1])
    else:
        D = X.shape[1] + (1 if options.get("fit_intercept", True) else 0)
        assert len(proof.rows) <= D + 1
    return proof


def mirrored(n, d, gamma, seed, *, spread=1.0):
    """Rows gamma e_1 + v and gamma e_1 - v: their mean is gamma e_1, so gamma* = gamma, exactly, through 0."""
    rng = np.random.default_rng(seed)
    V = np.round(rng.standard_normal((n, d)) * spread * 2.0**20) / 2.0**20
    V[:, 0] = 0.0
    A = np.concatenate([V, -V])
    A[:, 0] = gamma
    y = np.where(rng.random(2 * n) < 0.5, 1, -1)
    y[:2] = 1, -1
    order = rng.permutation(2 * n)
    return (A * y[:, None])[order], y[order]


# The verdict and the bracket ------------------------------------------------------------------------


def test_xor_needs_four_rows():
    proof = settled(np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0]))
    assert isinstance(proof, nk.NotSeparable)
    assert proof.rows.tolist() == [0, 1, 2, 3]
    assert proof.weights == (1, 1, 1, 1)


@pytest.mark.parametrize("gamma", [0.5, 2.0**-10, 2.0**-20, 2.0**-30, 2.0**-36])
@pytest.mark.parametrize(("n", "d"), [(20, 3), (200, 10), (500, 40)])
def test_a_known_margin_is_inside_the_bracket(gamma, n, d):
    X, y = mirrored(n, d, gamma, seed=n)
    proof = settled(X, y, fit_intercept=False)
    assert isinstance(proof, nk.Separable)
    assert proof.margin[0] <= gamma <= proof.margin[1]


@pytest.mark.parametrize("gamma", [2.0**-60, 2.0**-120])
def test_margins_that_no_float_can_see_are_left_to_integers(gamma):
    X, y = mirrored(30, 4, gamma, seed=5)
    proof = settled(X, y, fit_intercept=False)
    assert isinstance(proof, nk.Separable)
    assert proof.margin[0] <= gamma <= proof.margin[1]


@pytest.mark.parametrize("seed", range(12))
def test_degenerate_margins_in_integers(seed):
    """Many combinations prove the same margin, so weights on the way are exactly 0."""
    X, y = mirrored(10 + seed, 8 + seed, 2.0**-58, seed=seed)
    proof = settled(X, y, fit_intercept=False)
    assert proof.margin[0] <= 2.0**-58 <= proof.margin[1]


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_very_different_length(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 8)) * 10.0 ** rng.integers(-9, 10, (60, 1))
    y = np.where(rng.random(60) < 0.5, 1, -1)
    assert isinstance(settled(X, y, fit_intercept=False), nk.NotSeparable)
    X *= np.where(X @ np.ones(8) * y > 0, 1, -1)[:, None]
    assert isinstance(settled(X, y, fit_intercept=False), nk.Separable)


@pytest.mark.parametrize("gap", [0.3, 1e-2, 1e-6, 1e-9])
def test_the_gap_asked_for_is_reached(gap):
    X, y = mirrored(300, 12, 2.0**-12, seed=1)
    low, high = settled(X, y, gap, fit_intercept=False).margin
    assert low >= (1 - gap) * high


def test_orthonormal_rows_have_margin_one_over_root_n():
    proof = settled(np.eye(9), np.array([1, -1] * 4 + [1]), 1e-9, fit_intercept=False)
    assert proof.margin[0] <= 1 / 3 <= proof.margin[1]
    assert proof.mistake_bound == pytest.approx(9)
    assert len(proof.rows) == 9


def test_the_margin_of_two_points():
    # Rows (1, 1) and (1, -1) in the space with the constant: y (x, 1) = (1, 1) and (1, -1), nearest point (1, 0).
    proof = settled(np.array([[1.0], [-1.0]]), np.array(["b", "a"]))
    assert proof.margin == pytest.approx((1.0, 1.0))
    assert proof.margin[0] <= 1.0 <= proof.margin[1]
    assert proof.coef == pytest.approx([proof.coef[0]])
    assert proof.intercept == 0.0
    assert proof.euclidean_margin == 1.0
    assert proof.radius == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["plenty", "wide", "deficient", "float32", "integers", "duplicated"])
def test_random_labels_are_settled_either_way(name, seed):
    rng = np.random.default_rng(seed)
    n, d = {"plenty": (120, 8), "wide": (15, 60)}.get(name, (40, 12))
    X = rng.standard_normal((n, d))
    if name == "deficient":
        X = rng.integers(-3, 4, (n, 4)).astype(float) @ rng.integers(-3, 4, (4, d))
    elif name == "float32":
        X = X.astype(np.float32)
    elif name == "integers":
        X = rng.integers(-2, 3, (n, 5))
    elif name == "duplicated":
        X = X[rng.integers(0, n // 2, n)]
    y = rng.integers(0, 2, n)
    if name == "duplicated":  # the same labels for the same rows
        y = (X[:, 0] > 0).astype(int)
    y[0], y[1] = (0, 1) if name != "duplicated" else y[:2]
    proof = settled(X, y)
    assert isinstance(
        proof, {"plenty": nk.NotSeparable, "wide": nk.Separable, "duplicated": nk.Separable}.get(name, object)
    )


@pytest.mark.parametrize("n", [70, 78, 80, 82, 90])
def test_near_the_capacity_of_a_hyperplane(n):
    """Cover 1965: n random points in d = 40 dimensions are separable with probability 1/2 at n = 2 d."""
    rng = np.random.default_rng(n)
    settled(rng.standard_normal((n, 39)), rng.integers(0, 2, n))


@given(
    hnp.arrays(np.int8, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-2, 2)),
    st.integers(0, 2**12 - 1),
    st.booleans(),
)
@settings(max_examples=150)
def test_small_integers(X, bits, intercept):
    y = np.array([bits >> i & 1 for i in range(len(X))])
    y[0], y[1] = 0, 1
    settled(X.astype(np.float64), y, 1e-6, fit_intercept=intercept)


@pytest.mark.parametrize("exponent", [-500, -498, 498, 500])
@pytest.mark.parametrize("separable", [True, False])
def test_far_from_one(exponent, separable):
    X, y = mirrored(40, 5, 0.25 if separable else 0.0, seed=3)
    here, there = (settled(A, y, fit_intercept=False) for A in (X, np.ldexp(X, exponent)))
    assert type(here) is type(there)
    if separable:
        assert [math.ldexp(end, exponent) for end in here.margin] == pytest.approx(there.margin, rel=1e-9, abs=0)
        assert there.margin[0] <= math.ldexp(0.25, exponent) <= there.margin[1]


def test_columns_of_very_different_size():
    X, y = mirrored(40, 5, 0.25, seed=3)
    proof = settled(X * [2.0**80, 1, 2.0**-60, 2.0**40, 1], y, fit_intercept=False)
    assert isinstance(proof, nk.Separable)


# Not separable ----------------------------------------------------------------------------------------


def test_a_contradicting_pair_is_found_first_and_named():
    X, y = mirrored(200, 6, 0.25, seed=7)
    X, y = np.concatenate([X, X[[17]]]), np.append(y, -y[17])
    proof = settled(X, y)
    assert proof.contradiction
    assert proof.rows.tolist() == [17, 400]
    assert proof.weights == (1, 1)
    assert "same example with different labels" in str(proof)


def test_rows_that_nearly_cancel_give_no_direction_to_begin_with():
    X = np.array([[1.0, 0.0], [6.1e-17, 1.0], [6.1e-17, 1.0]])
    proof = nk.certify(X, [-1, 1, -1], fit_intercept=False)
    assert isinstance(proof, nk.NotSeparable)
    nk.verify(proof, X, [-1, 1, -1])


def test_the_smallest_floats_are_not_zero():
    """Scaled by a half they are, and then the two rows would look like a contradiction."""
    X, y = np.array([[5e-324], [-5e-324]]), np.array([0, 1])
    assert isinstance(settled(X, y, fit_intercept=False), nk.Separable)
    proof = nk.certify(X, y, fit_intercept=True)
    assert nk.verify(proof, X, y).verdict == "separable"
    assert claims_hold(proof.to_json(), X, y)


def test_a_row_of_zeros_contradicts_itself_through_the_origin():
    X, y = mirrored(10, 3, 0.25, seed=7)
    X[4] = 0.0
    proof = settled(X, y, fit_intercept=False)
    assert proof.rows.tolist() == [4]


def test_weakly_separable_data_carry_w():
    # y<u,x> for u = (1, 0): 0 on the first two, which cancel, and 1 on the third and fourth.
    X, y = np.array([[0, 1], [0, 2], [1, 5], [-1, 3.0]]), np.array([1, -1, 1, -1])
    proof = settled(X, y, fit_intercept=False)
    assert proof.rows.tolist() == [0, 1]
    assert proof.weights == (2, 1)
    assert proof.weak is not None
    assert nk.verify(proof, X, y).weakly_separable
    assert not proof.at_zero_positive


def test_the_convention_that_zero_is_positive():
    """002 predicts + at 0: rows of label + may cancel, rows of label - may not."""
    X = np.array([[0, 1], [0, -1], [-1, 3.0], [-2, 3.0]])
    accepted = settled(X, np.array([1, 1, -1, -1]), fit_intercept=False)
    assert accepted.at_zero_positive
    assert "at_zero='positive'" in str(accepted)
    assert nk.Perceptron(at_zero="positive", fit_intercept=False).fit(X, [1, 1, -1, -1]).margin_[0] <= 0
    refused = settled(X, np.array([-1, -1, 1, 1]), fit_intercept=False)
    assert refused.weak is not None
    assert not refused.at_zero_positive


@pytest.mark.parametrize("seed", range(8))
def test_weak_separators_of_mixed_problems(seed):
    """Rows that cancel in a subspace, and rows beyond it, all turned by an integer matrix."""
    rng = np.random.default_rng(seed)
    flat = rng.integers(-3, 4, (6, 2))
    A = np.zeros((26, 5), dtype=int)
    A[:12, :2] = np.concatenate([flat, -flat])
    A[12:] = rng.integers(-3, 4, (14, 5))
    A[12:, 4] = rng.integers(1, 4, 14)
    A = A[A.any(axis=1)] @ np.triu(rng.integers(1, 3, (5, 5)))
    y = rng.choice([-1, 1], len(A))
    y[:2] = 1, -1
    proof = settled((A * y[:, None]).astype(float), y, fit_intercept=False)
    assert isinstance(proof, nk.NotSeparable)
    assert proof.weak is not None


def test_strictly_inseparable_data_have_no_weak_separator():
    proof = settled(np.array([[-2.0], [-1], [1], [2]]), np.array([0, 1, 0, 1]))
    assert proof.weak is None


# Storage, labels, budgets -----------------------------------------------------------------------------


@pytest.mark.parametrize("separable", [True, False])
def test_storage_does_not_matter(separable):
    X, y = mirrored(60, 6, 0.25 if separable else 0.0, seed=2)
    X = np.round(X * 16) / 16
    X[np.abs(X) < 0.3] = 0.0
    text = settled(X, y).to_json()
    shuffled = sp.csr_array(X)
    for i in range(len(X)):
        span = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
        shuffled.indices[span], shuffled.data[span] = (
            shuffled.indices[span][::-1].copy(),
            shuffled.data[span][::-1].copy(),
        )
    shuffled.has_sorted_indices = False
    for other in (sp.csr_array(X), sp.csc_matrix(X), shuffled, np.asfortranarray(X), X.astype(np.float32)):
        assert json.loads(nk.certify(other, y).to_json())["digest"] == json.loads(text)["digest"]
        assert nk.verify(nk.certify(other, y), X, y).verdict == json.loads(text)["kind"]


def test_wide_sparse_rows():
    rng = np.random.default_rng(0)
    X = sp.random_array((150, 5000), density=0.01, rng=rng, format="csr")
    y = rng.integers(0, 2, 150)
    proof = settled(X, y)
    assert isinstance(proof, nk.Separable)
    # Rows 0 and 1 add up to rows 2 and 3.
    X = sp.lil_array(X)
    X[[3]] = X[[0]] + X[[1]] - X[[2]]
    y[:4] = 1, 1, 0, 0
    X = sp.csr_array(X)
    X.data = np.round(X.data * 2.0**20) / 2.0**20
    rounded = sp.lil_array(X)
    rounded[[3]] = rounded[[0]] + rounded[[1]] - rounded[[2]]
    proof = settled(sp.csr_array(rounded), y)
    assert isinstance(proof, nk.NotSeparable)
    assert proof.rows.tolist() == [0, 1, 2, 3]


def test_more_than_two_classes_get_a_verdict_each():
    iris = datasets.load_iris()
    proofs = nk.certify(iris.data, iris.target_names[iris.target])
    assert {str(label): proof.verdict for label, proof in proofs.items()} == {
        "setosa": "separable",
        "versicolor": "not separable",
        "virginica": "not separable",
    }
    for label, proof in proofs.items():
        assert proof.about.positive == label
        assert {label, *proof.about.against} == set(iris.target_names)
        assert json.loads(proof.to_json())["against"] == [str(name) for name in iris.target_names if name != label]
        nk.verify(proof, iris.data, iris.target_names[iris.target])


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "breast_cancer"])
@pytest.mark.parametrize("standardised", [True, False])
def test_the_data_sets_of_scikit_learn(name, standardised):
    bunch = getattr(datasets, f"load_{name}")()
    X = StandardScaler().fit_transform(bunch.data) if standardised else bunch.data
    found = nk.certify(X, bunch.target)
    for proof in found.values() if isinstance(found, nk.Verdicts) else [found]:
        assert nk.verify(proof, X, bunch.target).verdict == proof.verdict
        assert name == "digits" or claims_hold(proof.to_json(), X, bunch.target)  # slow in Fractions


def test_a_budget_ends_undecided_with_a_bracket_that_is_true():
    X, y = mirrored(5000, 30, 2.0**-8, seed=0)
    proof = nk.certify(X, y, fit_intercept=False, max_passes=2)
    assert isinstance(proof, nk.Undecided)
    assert proof.margin[0] <= 2.0**-8 <= proof.margin[1]
    assert "2 passes" in str(proof)
    with pytest.raises(ValueError, match="undecided"):
        proof.to_json()
    with pytest.raises(ValueError, match="undecided"):
        nk.verify(proof, X, y)
    assert isinstance(nk.certify(X, y, max_seconds=0.0), nk.Undecided)


def test_a_proof_in_hand_outlives_the_budget():
    X, y = mirrored(20, 3, 0.25, seed=0)
    X, y = np.concatenate([X, X[[3]]]), np.append(y, -y[3])
    assert isinstance(nk.certify(X, y, max_passes=1), nk.NotSeparable)


def test_one_ctrl_c_ends_every_label(monkeypatch):
    from novikoff.certificates import solve

    asked = []

    def interrupted(*_):
        asked.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "guesses", interrupted)
    iris = datasets.load_iris()
    proofs = nk.certify(iris.data, iris.target)
    assert len(asked) == 1
    assert [type(proof) for proof in proofs.values()] == [nk.Undecided] * 3


def test_proofs_can_be_compared_and_kept_in_sets():
    proof = nk.certify([[1.0], [-1.0]], [1, 0])
    other = nk.certify([[1.0], [-1.0]], [1, 0])
    assert proof in [other, proof]
    assert len({proof, other}) == 2


def test_ctrl_c_ends_undecided(monkeypatch):
    from novikoff.certificates import solve

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "guesses", interrupted)
    X, y = mirrored(20, 3, 0.25, seed=0)
    proof = nk.certify(X, y)
    assert isinstance(proof, nk.Undecided)
    assert "interrupted" in str(proof)


def test_the_bracket_closes_on_the_screen(capsys):
    X, y = mirrored(2000, 20, 2.0**-6, seed=0)
    nk.certify(X, y, verbose=1)
    assert "the best margin is between" in capsys.readouterr().err


def test_saving_leaves_one_file(tmp_path):
    X, y = mirrored(20, 3, 0.25, seed=0)
    proof = nk.certify(X, y)
    proof.save(tmp_path / "proof.json")
    assert [path.name for path in tmp_path.iterdir()] == ["proof.json"]
    verified = nk.verify(tmp_path / "proof.json", X, y)
    assert verified.margin == proof.margin
    assert verified.mistake_bound == proof.mistake_bound
    with pytest.raises(nk.InvalidCertificate, match="digest"):
        nk.verify(tmp_path / "proof.json", X + 1, y)


def test_what_is_printed_says_which_label_against_which_and_with_which_constant():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    with_constant, origin = nk.certify(X, y, intercept_scaling=0.5), nk.certify(X, y, fit_intercept=False)
    assert "'low' against 'high', with the constant coordinate 0.5." in str(with_constant)
    assert "So Perceptron(intercept_scaling=0.5), from w = 0, makes at most " in str(with_constant)
    assert "'low' against 'high', through the origin." in str(origin)
    assert "A hyperplane beside the origin may separate them" in str(origin)
    undecided = nk.certify(X, y, max_passes=0)
    assert "Undecided, 'low' against 'high', with the constant coordinate 1: " in str(undecided)
    for proof in (with_constant, origin):
        assert str(proof).endswith("decimals in text stand for the nearest float64.")
    twice = nk.certify([[1.0], [1.0], [2.0]], [0, 1, 1], fit_intercept=False)
    assert "beside the origin" not in str(twice)


@pytest.mark.parametrize("scale", ["none", "ball", "sphere"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_run_is_proved_for_its_labels_and_its_learner(scale, fit_intercept):
    X, y = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-4.0, 1.0]]), ["no", "no", "yes", "yes"]
    clf = nk.Perceptron(scale=scale, fit_intercept=fit_intercept).fit(X, y)
    proof = clf.certify(X, y).proof
    assert (proof.about.positive, proof.about.against) == ("yes", ("no",))
    constant = "intercept_scaling=1" if fit_intercept else "fit_intercept=False"
    learner = f"Perceptron(scale='sphere', {constant})" if scale == "sphere" else f"Perceptron({constant})"
    assert f"So {learner}, from w = 0, makes" in str(proof)
    assert clf.mistakes_ <= proof.most_mistakes
    if scale != "sphere":
        assert nk.verify(proof, X, y).constant == (1.0 if fit_intercept else None)


def test_rows_stored_twice_are_the_same_for_both():
    """Whatever the type, and whatever the matrix says of itself; not as SciPy adds int8."""
    y = [0, 1, 1]
    for dtype in (np.int8, np.int16, np.float16, np.float32, np.float64):
        data, columns, ends = np.array([100, 100, 3, 5, -7], dtype=dtype), [1, 1, 0, 1, 0], [0, 2, 4, 5]
        X = sp.csr_matrix((data, columns, ends), shape=(3, 2))
        dense = np.array([[0.0, 200], [3, 5], [-7, 0]])
        lying = sp.csr_matrix((data, columns, ends), shape=(3, 2))
        lying.has_canonical_format = lying.has_sorted_indices = True
        for matrix in (X, lying):
            for fit_intercept in (True, False):
                proof = nk.certify(matrix, y, fit_intercept=fit_intercept)
                assert oracle.accepts(proof.to_json(), dense.tolist(), y)
                assert nk.verify(proof, matrix, y) == nk.verify(proof, dense, y)
        assert data.tolist() == [100, 100, 3, 5, -7]


def test_margins_whose_squares_are_no_floats():
    """The upper end is not 0 because its square is none."""
    X = np.array([[-2.1e-286, -5e-265, -1.3e-172], [1.8e-133, 3.7e-60, 5.1e-116]])
    proof = nk.certify(X, [0, 1], 1e-6, fit_intercept=False)
    assert 0 < proof.margin[0] <= proof.margin[1]
    assert claims_hold(proof.to_json(), X, [0, 1])
    assert nk.verify(proof, X, [0, 1]).margin == proof.margin


def test_labels_that_a_list_would_lose_are_kept():
    """NumPy makes text of 1 beside "1", and floats of large integers beside floats."""
    X = [[0.0], [1.0], [2.0]]
    proofs = nk.certify(X, [2**53 + 1, 2.0**53, 0.5])
    assert sorted(proofs) == [0.5, 2.0**53, 2**53 + 1]
    with pytest.raises(ValueError, match="different types"):
        nk.certify(X, ["1", 1, 1])


# Bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0, np.nan], [0, 1]], [0, 1], "row 0, column 1"),
        ([[1.0, 2], [0, -np.inf]], [0, 1], "-infinity: row 1, column 1"),
        ([[1.0], [2]], [1, 1], "one class"),
        ([[1.0], [2]], [0, 1, 1], "2 rows but y has 3"),
        (np.empty((0, 2)), [], "0 sample"),
        ([[1.0], [2], [3]], [0.1, 0.2, 0.5], "continuous"),
        ([[1.7e308] * 4, [-1.7e308] * 4], [0, 1], "too large for a float64"),
        ([[2**53 + 1], [1]], [0, 1], "row 0, column 0: float64 does not hold 9007199254740993"),
        (np.array([[-(2**60) - 1], [1]]), [0, 1], "row 0, column 0: float64 does not hold -1152921504606846977"),
    ],
)
def test_bad_data(X, y, message):
    with pytest.raises(ValueError, match=message):
        nk.certify(X, y)


@pytest.mark.parametrize("options", [{"gap": 0}, {"gap": 1}, {"max_passes": -1}, {"intercept_scaling": math.inf}])
def test_bad_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        nk.certify([[1.0], [2]], [0, 1], **options)


@pytest.mark.parametrize(
    ("X", "constant"),
    [
        ([[2e300], [1e300]], 1e-30),
        ([[1.5e308], [1e308]], 0.1),
        ([[1.5e308], [1e308]], 1 / 3),
        ([[2e-310], [1e-310]], 1e300),
    ],
)
def test_a_constant_that_is_lost_beside_the_features_is_refused(X, constant):
    """Rows are brought into the middle of the floats; a constant that is rounded on the way is another question."""
    with pytest.raises(ValueError, match="the constant coordinate among them, whose ratio is not a float64"):
        nk.certify(X, [1, 0], intercept_scaling=constant)


@pytest.mark.parametrize(("scale", "constant"), [(1e300, 1.0), (1e300, 2.0**-20), (1e-300, 1.0), (1e308, 2.0**-40)])
def test_a_constant_that_is_kept_beside_large_and_small_features(scale, constant):
    X = np.array([[1.5 * scale], [scale]])
    settled(X, np.array([1, 0]), intercept_scaling=constant)


def test_rows_that_cancel_are_found_in_rationals_too(monkeypatch):
    """Where the null vector of the guess is not to be had, the nearest point in rationals is 0."""
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    monkeypatch.setattr(rational, "null_vector", lambda table, look: None)
    proof = settled(X, y)
    assert isinstance(proof, nk.NotSeparable)
    assert proof.rows.tolist() == [0, 1, 2, 3]


def test_a_margin_that_no_float_holds_is_an_error():
    with pytest.raises(ValueError, match="the margin is too small for a float64, though it is there"):
        nk.certify([[0.0], [5e-324]], [0, 1])


def test_labels_are_listed_in_words():
    X = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 0.0], [9.0, 9.0], [1.0, 1.0], [2.0, 2.0]])
    assert "'a' against 'b' and 'c'," in str(nk.certify(X[:3], list("abc"))["a"])
    assert "'a' against 'b', 'c' and 'd'," in str(nk.certify(X[:4], list("abcd"))["a"])
    assert "'a' against 'b', 'c', 'd' and 'e'," in str(nk.certify(X[:5], list("abcde"))["a"])
    assert "'a' against 'b', 'c', 'd' and 2 other labels," in str(nk.certify(X, list("abcdef"))["a"])


def test_what_is_known_when_the_budget_runs_out_gets_better():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 30))
    y = (X @ rng.standard_normal(30) > 0).astype(int)
    best = nk.certify(X, y, 1e-9).margin
    brackets = [nk.certify(X, y, 1e-9, max_passes=passes).margin for passes in (1, 3)]
    for lower, upper in brackets:  # all of them hold the best margin that there is
        assert lower <= best[1]
        assert best[0] <= upper
    assert brackets[1][1] < brackets[0][1]
    assert brackets[1][0] > brackets[0][0]


@pytest.mark.parametrize("label", [None, float("nan"), np.nan])
def test_a_label_that_is_missing_has_its_cure(label):
    with pytest.raises(ValueError, match="leave out the rows without a label"):
        nk.certify([[1.0], [2.0], [3.0]], np.array(["a", "b", label], dtype=object))


def test_of_several_contradictions_the_first_is_named():
    X = [[1.0, 2.0], [3.0, 4.0], [3.0, 4.0], [7.0, 8.0], [9.0, 9.0], [1.0, 2.0]]
    assert nk.certify(X, [0, 0, 1, 1, 0, 1]).rows.tolist() == [0, 5]


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("size", [1.0, 8.0, 2.0**40])
def test_rows_in_few_coordinates_have_the_same_inner_products(storage, size):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((12, 30)) * size
    signs = rng.choice([-1, 1], 12).astype(np.int8)
    data = solve.CountedRows(Rows(storage(X), signs, 1.0), None, None)
    which = np.array([7, 2, 9])
    A = np.column_stack([X, np.ones(12)])[which] * signs[which][:, None] * data.scale
    short = solve._gram_columns(data, which)
    assert short.shape == (3, 4)
    np.testing.assert_allclose(short[:, 1:] @ short[:, 1:].T, A @ A.T, rtol=1e-12)


@pytest.mark.parametrize("size", [1.0, 2.0**40, 2.0**-40])
def test_a_weak_separator_is_found_for_rows_of_any_length(size):
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [-5.0, -2.0]]) * size
    proof = settled(X, np.array([1, 1, 1, -1]), fit_intercept=False)
    assert proof.weak is not None


def test_beyond_the_bound_for_rounded_weights_the_promise_is_for_exact_ones():
    X = np.array([[1.0, 2.0**-30], [1.0, -(2.0**-30)]])
    proof = nk.certify(X, [1, -1], fit_intercept=False)
    assert proof.most_mistakes is None
    words = f"Perceptron(fit_intercept=False), from w = 0, would make at most {proof.mistake_bound!r} mistakes"
    assert words in str(proof)
    assert words in str(nk.verify(proof, X, [1, -1]))


@pytest.mark.parametrize("page", [1, 2, 5, 11, 12, 30])
def test_a_page_of_violators_is_the_first_in_the_order_of_products_and_rows(page):
    rng = np.random.default_rng(page)
    for _ in range(50):
        z = rng.integers(0, 4, 30).astype(float)  # full of ties
        which = np.flatnonzero(rng.random(30) < 0.7)
        expected = sorted(sorted(which.tolist(), key=lambda i: (z[i], i))[:page])
        assert smallest(z, which, page).tolist() == expected
