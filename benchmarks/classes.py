"""Many classes and noise: accuracy on new data, and the time of passes, against scikit-learn and river."""

from __future__ import annotations

import gzip
import tempfile
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import combinations
from time import perf_counter

import numpy as np
import scipy.sparse as sp
from river.linear_model import Perceptron as RiverPerceptron
from river.multiclass import OneVsRestClassifier as RiverOneVsRest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import novikoff as nk
from benchmarks import datasets
from benchmarks.measure import Result, Skipped, compare, side_by_side
from novikoff import PassiveAggressive, Perceptron

warnings.simplefilter("ignore", ConvergenceWarning)

PASSES, SEEDS = 10, 5
POINTS = 0.005  # how far the average may be behind


def _digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X / 16, y, random_state=0)


def _a9a():
    X, y = load_svmlight_file(str(datasets._path("a9a")), n_features=123)
    Z, truth = load_svmlight_file(str(datasets._path("a9a.t")), n_features=123)
    for matrix in (X, Z):  # as scikit-learn's learners want them
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return X, Z, y, truth


def _mnist():
    def part(images, labels):
        pixels = np.frombuffer(datasets._open(images), np.uint8, offset=16).reshape(-1, 784)
        return pixels.astype(np.float32) / np.float32(255), np.frombuffer(datasets._open(labels), np.uint8, offset=8)

    X, y = part("mnist-train-images-idx3-ubyte.gz", "mnist-train-labels-idx1-ubyte.gz")
    Z, truth = part("mnist-t10k-images-idx3-ubyte.gz", "mnist-t10k-labels-idx1-ubyte.gz")
    return X, Z, y, truth


def _newsgroups():
    def part(name):
        lines = datasets._open(name).decode("utf-8", "replace").split("\n")[3:]
        pairs = [line.partition("\t") for line in lines if line]
        return [text for _, _, text in pairs], np.array([label for label, _, _ in pairs])

    (texts, y), (others, truth) = part("20newsgroups-train.tab.gz"), part("20newsgroups-test.tab.gz")
    counts, weigh = CountVectorizer(token_pattern=r"\S+"), TfidfTransformer()
    return weigh.fit_transform(counts.fit_transform(texts)), weigh.transform(counts.transform(others)), y, truth


def _covtype():
    with gzip.open(datasets._path("covtype.csv.gz")) as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.float32, skiprows=1)
    X, Z, y, truth = train_test_split(table[:, :-1], table[:, -1].astype(int), random_state=0)
    scale = StandardScaler().fit(X)
    return scale.transform(X), scale.transform(Z), y, truth


DATA = {
    "a9a": _a9a,
    "20newsgroups tf-idf, 20 classes": _newsgroups,
    "MNIST, 10 classes": _mnist,
    "digits, 10 classes": _digits,
    "covtype, 7 classes": _covtype,
}


def _accuracy(model, X, Z, y, truth):
    """The mean over some seeds, in percent."""
    found = [clone(model).set_params(random_state=seed).fit(X, y).score(Z, truth) for seed in range(SEEDS)]
    return 100 * float(np.mean(found))


def accuracy() -> Iterator[Result | Skipped]:
    """On rows that were not learned from, after ten passes."""
    for name, load in DATA.items():
        job = f"accuracy on new data, {name}"
        try:
            data = load()
        except datasets.MissingError as missing:
            yield Skipped(job, str(missing))
            continue
        average = SGDClassifier(loss="perceptron", average=True, penalty=None, max_iter=PASSES, tol=None)
        average.set_params(learning_rate="constant", eta0=1.0)
        for ours, theirs, peer, least in (
            (Perceptron(hypothesis="average", max_iter=PASSES), average, "SGDClassifier, averaged", -100 * POINTS),
            (Perceptron(max_iter=PASSES), SklearnPerceptron(max_iter=PASSES, tol=None), "scikit-learn Perceptron", 0),
        ):
            mine, other = _accuracy(ours, *data), _accuracy(theirs, *data)
            remark = f"hypothesis={ours.hypothesis}, mean of {SEEDS} seeds"
            yield Result(job, peer, mine, other, mine / other, (other + least) / other, "%", remark)


def _time(job, ours, theirs, X, y, bar, rounds, peer="scikit-learn Perceptron, one against the rest"):
    fit = lambda model: clone(model).fit(X, y)  # noqa: E731
    fit(ours), fit(theirs)
    mine, other = side_by_side(partial(fit, ours), partial(fit, theirs), rounds=rounds)
    return Result(job, peer, mine, other, other / mine, bar)


def many() -> Iterator[Result | Skipped]:
    """Ten passes over ten classes."""
    try:
        X, _, y, _ = _mnist()
    except datasets.MissingError as missing:
        yield Skipped("10 classes, MNIST 60000 x 784 float32, 10 passes", str(missing))
        return
    for options, note in (({}, ""), ({"shuffle": False, "hypothesis": "last"}, ", given order, last")):
        job = f"10 classes joint, MNIST 60000 x 784 float32, 10 passes{note}"
        ours, theirs = Perceptron(max_iter=PASSES, **options), SklearnPerceptron(max_iter=PASSES, tol=None)
        yield _time(job, ours, theirs.set_params(shuffle=not options), X, y, 5.0, rounds=2)


def apart() -> Iterator[Result | Skipped]:
    """Ten passes of a head for each class against the rest, which is what scikit-learn's Perceptron learns."""
    for name, load in (
        ("20 classes, 20newsgroups tf-idf CSR", _newsgroups),
        ("10 classes, MNIST 60000 x 784 float32", _mnist),
    ):
        job = f"one against the rest, {name}, 10 passes"
        try:
            X, _, y, _ = load()
        except datasets.MissingError as missing:
            yield Skipped(job, str(missing))
            continue
        for options, note in (({}, ""), ({"shuffle": False, "hypothesis": "last"}, ", given order, last")):
            ours = Perceptron(multiclass="one-vs-rest", max_iter=PASSES, **options)
            theirs = SklearnPerceptron(max_iter=PASSES, tol=None, shuffle=not options)
            yield _time(job + note, ours, theirs, X, y, 2.0, rounds=3, peer="scikit-learn Perceptron")


def returned() -> Iterator[Result]:
    """What the choice of a hypothesis costs."""
    X, y = datasets.noisy_plane(200_000, 100, np.float64)
    for name, bar in (("average", 1 / 1.25), ("best", 1 / 1.25)):
        ours, theirs = (Perceptron(max_iter=PASSES, hypothesis=each) for each in (name, "last"))
        job = f'hypothesis="{name}", 10 passes, 200000 x 100 float64, noisy'
        yield _time(job, ours, theirs, X, y, bar, 5, peer='hypothesis="last"')


def order() -> Iterator[Result | Skipped]:
    """Ten passes in the default order, against as many in the given one."""
    X, y = datasets.noisy_plane(200_000, 100, np.float64)
    rng = np.random.default_rng(0)
    sparse = sp.random_array((200_000, 2000), density=0.02, format="csr", random_state=rng)
    sides = sparse @ rng.standard_normal(2000) + rng.standard_normal(200_000) > 0
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", X)
        mapped = np.load(f"{folder}/X.npy", mmap_mode="r")
        for name, data, labels in (
            ("200000 x 100 float64, noisy", X, y),
            ("200000 x 100 float32, noisy", X.astype(np.float32), y),
            ("200000 x 100 float64, noisy, mapped", mapped, y),
            ("200000 x 2000 CSR, 40 entries a row, noisy", sparse, sides),
        ):
            job = f"the default order, 10 passes, {name}"
            ours, theirs = (Perceptron(max_iter=PASSES, shuffle=each, hypothesis="last") for each in (True, False))
            yield _time(job, ours, theirs, data, labels, 1 / 1.3, 5, "the given order")


def aggressive() -> Iterator[Result | Skipped]:
    """Passes of PA-I."""
    kinds = [("200000 x 100 float64, noisy", lambda: datasets.noisy_plane(200_000, 100, np.float64), 3.5)]
    kinds.append(("20newsgroups CSR", datasets.newsgroups, 1.3))
    for name, load, bar in kinds:
        try:
            X, y = load()
        except datasets.MissingError as missing:
            yield Skipped(f"passive-aggressive, {name}", str(missing))
            continue
        for passes in (1, PASSES):
            options = {"max_iter": passes, "shuffle": False, "fit_intercept": False}
            ours = PassiveAggressive(**options, hypothesis="last", tol=0.0)
            theirs = SGDClassifier(
                **options, loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0, tol=None, random_state=0
            )
            job = f"passive-aggressive, {passes} {'pass' if passes == 1 else 'passes'}, {name}"
            same = lambda a, b: np.allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12)  # noqa: E731
            fit = lambda model, X=X, y=y: clone(model).fit(X, y)  # noqa: E731
            yield compare(
                job, "SGDClassifier, pa1", partial(fit, ours), partial(fit, theirs), same=same, bar=bar, rounds=5
            )


def _separately(X, y):
    """A call for each pair, on the rows of its two labels."""
    found = {}
    for a, b in combinations(np.unique(y).tolist(), 2):
        chosen = np.flatnonzero((y == a) | (y == b))
        found[a, b] = nk.certify(X[chosen], y[chosen])
    return found


def _same_verdicts(ours, theirs) -> bool:
    """The brackets of the best margin have a number in common, or there is none."""
    return all(
        ours[pair].verdict == one.verdict
        and ours[pair].margin[0] <= one.margin[1]
        and one.margin[0] <= ours[pair].margin[1]
        for pair, one in theirs.items()
    )


def pairs() -> Iterator[Result | Skipped]:
    """Every pair of labels certified: one call on all cores against separate ones, by the clock on the wall."""
    for name, load in (("MNIST raw pixels, 45 pairs", _pixels), ("20newsgroups word counts CSR, 190 pairs", _counts)):
        job = f"certify one-vs-one, {name}"
        try:
            X, y = load()
        except datasets.MissingError as missing:
            yield Skipped(job, str(missing))
            continue
        ours, theirs = partial(nk.certify, X, y, multiclass="one-vs-one"), partial(_separately, X, y)
        result = compare(
            job, "our own separate calls", ours, theirs, same=_same_verdicts, bar=1.5, rounds=3, clock=perf_counter
        )
        yield result
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/proof.json"
            ours().save(path)
            check = partial(nk.verify, path, X, y)
            seconds = min(side_by_side(check, check, rounds=2, clock=perf_counter))
        ratio = result.ours / seconds
        yield Result(f"verify {job}", "our own search", seconds, result.ours, ratio, 2.0, remark="bar: half of it")


def _pixels():
    pixels, digits = datasets.mnist()
    return pixels.astype(np.float32), digits


def _counts():
    lines = datasets._open("20newsgroups-train.tab.gz").decode("utf-8", "replace").split("\n")[3:]
    posts = [line.partition("\t") for line in lines if line]
    X = CountVectorizer(token_pattern=r"\S+").fit_transform(text for _, _, text in posts)
    return X.astype(np.float64), np.array([label for label, _, _ in posts])


def streams() -> Iterator[Result]:
    """Dicts of ten classes."""
    X, y = load_digits(return_X_y=True)
    examples = [({f"x{j}": float(v) for j, v in enumerate(x[:20])}, int(label)) for x, label in zip(X, y, strict=True)]

    def play(model):
        for x, label in examples:
            model.predict_one(x)
            model.learn_one(x, label)

    play(Perceptron())
    mine, other = side_by_side(lambda: play(Perceptron()), lambda: play(RiverOneVsRest(RiverPerceptron())), rounds=3)
    n = len(examples)
    job = "predict_one + learn_one, dict, 10 classes, d = 20"
    yield Result(job, "river OneVsRestClassifier(Perceptron)", mine / n, other / n, other / mine, 3.0)


GROUPS = {
    "accuracy": accuracy,
    "many": many,
    "apart": apart,
    "returned": returned,
    "order": order,
    "aggressive": aggressive,
    "pairs": pairs,
    "class_streams": streams,
}
