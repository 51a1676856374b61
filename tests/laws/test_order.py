"""The order of shuffled passes: what it is, that it never changes, and that nothing else of a run depends on it."""

from __future__ import annotations

import itertools
import math
import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff import MarginPerceptron, PassiveAggressive, Perceptron
from novikoff.engine import order as orders
from novikoff.engine import rows as engine
from novikoff.engine.order import Order
from novikoff.learners.linear import LinearLearner
from novikoff.problems import separable
from tests import problems

# The definition, in whole numbers ----------------------------------------------------------------


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def stream(key):
    """SplitMix64."""
    while True:
        key = (key + 0x9E3779B97F4A7C15) % 2**64
        yield mixed(key)


def key(*numbers):
    found = 0
    for number in numbers:
        found = next(stream((found + number) % 2**64))
    return found


def below(words, bound):
    """Of all products of a word's upper half, those that leave as many for each number."""
    return next(x * bound >> 32 for x in (word >> 32 for word in words) if x * bound % 2**32 >= 2**32 % bound)


def in_disorder(entries, *numbers):
    entries, words = list(entries), stream(key(*numbers))
    for last in reversed(range(1, len(entries))):
        other = below(words, last + 1)
        entries[last], entries[other] = entries[other], entries[last]
    return entries


def slow(n, seed, turn, block=256, most=256):
    """The groups of a pass, each as its rows in order."""
    blocks = [range(start, min(n, start + block)) for start in range(0, n, block)]
    count = math.ceil(len(blocks) / most)
    groups = [[] for _ in range(count)]
    for run, start in enumerate(range(0, len(blocks), count)):
        for group, dealt in enumerate(in_disorder(range(start, start + count), seed, turn, run)):
            if dealt < len(blocks):
                groups[group].extend(blocks[dealt])
    return [in_disorder(rows, seed, turn, most + group) for group, rows in enumerate(groups)]


def fast(n, seed, turn):
    """The same from the engine, asked as `run` does."""
    order, at, groups = Order(n, seed), 0, []
    while at < n:
        stretch, base = order.ahead(turn, at)
        groups.append(stretch[at - base : n - base].tolist())
        at = min(n, base + len(stretch))
    return groups


# What the first release with this order drew.
TEN = {
    (0, 0): [7, 0, 1, 8, 5, 4, 9, 6, 2, 3],
    (0, 1): [8, 6, 5, 4, 0, 1, 9, 2, 3, 7],
    (2**64 - 1, 0): [6, 0, 7, 4, 9, 2, 3, 5, 8, 1],
}
SIZES = [50176, 49920, 49984, 49920]  # of the groups of 200,000 rows, and the first rows of each
FIRST = [
    [1125, 41005, 15696, 77503],
    [178270, 104477, 60517, 19158],
    [161493, 149966, 38389, 80988],
    [13599, 137438, 171455, 169194],
]

SEEDS = st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1))
TURNS = st.one_of(st.integers(0, 9), st.integers(0, 2**40))


@given(st.integers(1, 60), SEEDS, TURNS)
def test_of_few_rows_it_is_the_definition(n, seed, turn):
    assert fast(n, seed, turn) == slow(n, seed, turn)


@given(st.integers(1, 200), st.integers(1, 4), st.integers(1, 5), SEEDS, TURNS)
def test_of_many_rows_it_is_the_definition(n, block, most, seed, turn):
    """The same with blocks and groups of another size, so that few rows are many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "BLOCK", block)
        patch.setattr(orders, "MOST", most)
        assert fast(n, seed, turn) == slow(n, seed, turn, block, most)


@pytest.mark.parametrize("n", [65_536, 65_537, 150_000])
def test_of_very_many_rows_it_is_the_definition(n):
    assert fast(n, 7, 3) == slow(n, 7, 3)


def test_the_generator_is_splitmix64():
    """The numbers that its authors' program prints."""
    words = stream(1234567)
    assert [next(words) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert int(orders.key_of(5, 6, 7)[0]) == key(5, 6, 7)


@pytest.mark.parametrize("bound", [3, 3 << 30, (1 << 31) + 1, (1 << 32) - 1])
def test_numbers_below_a_large_bound_are_drawn_again_where_they_must_be(bound):
    again = 0
    for place in range(200):
        words = stream(place)
        with np.errstate(over="ignore"):
            after, ours = orders._below(np.uint64(place), np.uint64(bound))
        assert int(ours) == below(words, bound) < bound
        again += int(after) != (place + 0x9E3779B97F4A7C15) % 2**64
    assert again == 0 if bound == 3 else again > 30 or bound == (1 << 32) - 1


def test_it_never_changes():
    """If this fails, fits of the past cannot be repeated: it must not be adapted."""
    for (seed, turn), rows in TEN.items():
        assert fast(10, seed, turn) == [rows]
    groups = fast(200_000, 0, 0)
    assert ([len(group) for group in groups], [group[:4] for group in groups]) == (SIZES, FIRST)


# What it is for ------------------------------------------------------------------------------------


@given(st.integers(1, 300_000), SEEDS)
def test_a_pass_meets_each_row_once_with_few_in_hand(n, seed):
    groups = fast(n, seed, 0)
    blocks, count = -(-n // 256), -(-n // 65_536)
    assert len(groups) == count
    assert np.array_equal(np.sort(np.concatenate(groups)), np.arange(n))
    for group in groups:
        assert len(group) <= 65_536
        held = np.unique(np.array(group) // 256)
        assert len(held) <= 256
        runs = held // count
        assert len(set(runs.tolist())) == len(held), "two neighbours in a group"
        assert set(runs.tolist()) >= set(range(blocks // count)), "a group without one of a whole run"


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_orders_of_few_rows_are_equally_likely(n):
    counts = Counter(tuple(fast(n, seed, turn)[0]) for seed in range(120) for turn in range(20))
    assert set(counts) == set(itertools.permutations(range(n)))
    expected = 2400 / math.factorial(n)
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_squared < 2 * len(counts) + 6 * math.sqrt(2 * len(counts))


def test_any_row_comes_anywhere(monkeypatch):
    """Also where there are groups: any block goes to any group of its run, and any row to any place in it."""
    monkeypatch.setattr(orders, "BLOCK", 2)
    monkeypatch.setattr(orders, "MOST", 2)
    n, seeds = 7, 3000  # four blocks, the last of one row; two groups
    counts = np.zeros((n, n))
    for seed in range(seeds):
        for place, row in enumerate(itertools.chain(*fast(n, seed, 0))):
            counts[row, place] += 1
    # By the definition: the two blocks of each run go to the two groups with probability 1/2 each, independently.
    exact = np.zeros((n, n))
    for mine, other in itertools.product((0, 1), repeat=2):
        groups = [[], []]
        for run, swapped in enumerate((mine, other)):
            for group in (0, 1):
                block = 2 * run + (group ^ swapped)
                groups[group] += [row for row in (2 * block, 2 * block + 1) if row < n]
        start = 0
        for group in groups:
            exact[np.ix_(group, range(start, start + len(group)))] += 0.25 / len(group)
            start += len(group)
    possible = exact > 0
    assert not counts[~possible].any()
    assert possible.sum() == n * n - 1  # the last row, with a short block, cannot be last of the first group
    deviation = (counts - seeds * exact)[possible] / np.sqrt(seeds * exact * (1 - exact))[possible]
    assert np.abs(deviation).max() < 4.5


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_rows_sorted_by_label_come_mixed(share):
    n = 1_000_000
    label = np.arange(n) < share * n
    order = np.concatenate(fast(n, 0, 0))
    seen = np.cumsum(label[order]) / np.arange(1, n + 1)
    deviation = math.sqrt(share * (1 - share))
    few = np.arange(2_000, n)
    assert (np.abs(seen[few] - share) < 5 * deviation / np.sqrt(few + 1)).all()


def test_passes_and_seeds_differ():
    orders_found = {tuple(fast(12, seed, turn)[0]) for seed in range(30) for turn in range(30)}
    assert len(orders_found) == 900


# Runs ------------------------------------------------------------------------------------------------

LEARNERS = [Perceptron, MarginPerceptron, PassiveAggressive]


def quietly(model, X, y):
    with warnings.catch_warnings(action="ignore"):
        try:
            return model.fit(X, y)
        except ValueError as error:
            return str(error)


def bits(model):
    if isinstance(model, str):
        return model
    counts = model.mistakes_, model.updates_, model.history_.tolist(), model.margin_, model.stop_reason_
    return (model.coef_.tobytes(), model.intercept_.tobytes(), *counts)


@given(problems.any_data(), st.sampled_from(LEARNERS), st.integers(0, 9), st.integers(1, 3), st.integers(1, 3))
def test_a_shuffled_fit_is_one_pass_over_the_rows_in_that_order(data, kind, seed, block, most):
    X, y = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "BLOCK", block)
        patch.setattr(orders, "MOST", most)
        model = quietly(kind(random_state=seed, max_iter=5), X, y)
    if isinstance(model, str):
        return
    order = [row for turn in range(model.passes_) for group in slow(len(X), seed, turn, block, most) for row in group]
    one = quietly(kind(shuffle=False, max_iter=1), X[order], y[order])
    assert (one.mistakes_, one.updates_) == (model.mistakes_, model.updates_)
    assert one.coef_.tobytes() == model.coef_.tobytes()


def paced(rows):
    """The engine's `Rows`, of which a loop may take so many at a time."""
    return property(lambda self: rows)


@given(problems.any_data(), st.sampled_from(LEARNERS), st.integers(1, 9), st.integers(1, 3), st.integers(1, 3))
def test_where_loops_return_changes_nothing(data, kind, pace, block, most):
    X, y = data
    found = []
    for rows in (pace, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(orders, "BLOCK", block)
            patch.setattr(orders, "MOST", most)
            patch.setattr(engine.Rows, "pace", paced(rows))
            found.append(bits(quietly(kind(max_iter=7), X, y)))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "kind", [Perceptron, *(pytest.param(kind, marks=pytest.mark.long) for kind in LEARNERS if kind is not Perceptron)]
)
@pytest.mark.parametrize("groups", [1, 3])
def test_memory_files_and_storages_give_the_same_bits(kind, groups, tmp_path):
    rng = np.random.default_rng(1)
    n = 60_000 * groups
    X = rng.integers(-3, 4, (n, 4)).astype(np.float32)
    y = np.where(X @ [1, 2, -1, 0.5] + 0.5 > 0, 1, -1)
    y[::5000] *= -1
    by_label = np.argsort(y, kind="stable")
    X, y = X[by_label], y[by_label]
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    found = {
        name: bits(quietly(kind(max_iter=4), data, y))
        for name, data in {
            "float32": X,
            "float64": X.astype(np.float64),
            "csr": sp.csr_array(X),
            "mapped": mapped,
        }.items()
    }
    found["with bytes"] = bits(quietly(kind(max_iter=4, byte_copy=True), mapped, y))
    assert all(each == found["float64"] for each in found.values()), found.keys()


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("scale", ["none", "sphere"])
def test_a_quiet_group_is_read_by_rows_to_the_same_bits(kind, scale, monkeypatch):
    """Most groups of a late pass are quiet; whether that is noticed changes nothing."""
    monkeypatch.setattr(orders, "BLOCK", 4)
    monkeypatch.setattr(orders, "MOST", 4)
    problem = separable(900, 3, margin=0.01, random_state=2)
    asked = Counter()
    real = LinearLearner._is_quiet

    def counted(self, *data):
        found = real(self, *data)
        asked[found] += 1
        return found

    found = []
    for judge in (counted, lambda *_: False):
        monkeypatch.setattr(LinearLearner, "_is_quiet", judge)
        for data in (problem.X, sp.csr_array(problem.X)):
            found.append(bits(quietly(kind(scale=scale, max_iter=60), data, problem.y)))
    assert all(each == found[0] for each in found)
    assert min(asked[True], asked[False]) > 50, asked


# What the parameters mean --------------------------------------------------------------------------

X0 = [[1.0, 0.5], [0.0, 1.0], [-1.0, -0.5], [0.25, -1.0], [1.0, 1.0]]
Y0 = [1, 1, -1, -1, 1]


def test_auto_is_on_for_the_given_order_alone():
    assert bits(Perceptron().fit(X0, Y0)) == bits(Perceptron(shuffle=True, random_state=0).fit(X0, Y0))
    for order in ("first", "worst"):
        found = Perceptron(order=order).fit(X0, Y0)
        assert bits(found) == bits(Perceptron(order=order, shuffle=False).fit(X0, Y0))
        assert not found.to_sklearn().shuffle
    assert Perceptron().fit(X0, Y0).to_sklearn().shuffle
    assert not Perceptron(shuffle=False).fit(X0, Y0).to_sklearn().shuffle


def test_streams_go_in_the_given_order():
    whole = Perceptron().partial_fit(X0, Y0)
    one_by_one = Perceptron()
    for x, label in zip(X0, Y0, strict=True):
        one_by_one.learn_one(x, label)
    assert whole.coef_.tobytes() == one_by_one.coef_.tobytes()


def test_a_generator_gives_one_seed_for_each_fit():
    ours, theirs = np.random.RandomState(5), np.random.RandomState(5)
    for _ in range(3):
        seed = int(theirs.randint(2**32, dtype=np.uint64))
        assert bits(Perceptron(random_state=ours).fit(X0, Y0)) == bits(Perceptron(random_state=seed).fit(X0, Y0))


def test_without_a_seed_the_system_is_asked(monkeypatch):
    monkeypatch.setattr("secrets.randbits", lambda count: 2 ** (count - 1) + 3)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = quietly(Perceptron(random_state=None, max_iter=1, fit_intercept=False), X, y)
    (order,) = slow(50, 2**63 + 3, 0)
    one = quietly(Perceptron(shuffle=False, max_iter=1, fit_intercept=False), X[order], y[order])
    assert one.coef_.tobytes() == model.coef_.tobytes()
