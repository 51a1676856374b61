"""Models of every kind, in the states that they get into."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from novikoff import (
    KDNF,
    Conjunction,
    Disjunction,
    LeastSquares,
    LeastSquaresClassifier,
    MarginPerceptron,
    MaxMarginClassifier,
    MonotoneConjunction,
    MonotoneDisjunction,
    PassiveAggressive,
    Perceptron,
    Winnow,
)
from novikoff.engine.decide import STATE
from novikoff.inputs import Examples, with_standardised_columns
from novikoff.learners.linear import COUNTS, FLOATS, PLACE, PLACE_FLOATS, RANGES

# Of a pass, and of no use after it; of the filter, which no decision depends on.
PASSING = {*PLACE, *PLACE_FLOATS, "row", "norm", "slow", "step", "rival", "traced"}
DERIVED = {"radius_sq"}
KEPT = {*RANGES, *COUNTS, *FLOATS}


def rows(seed: int = 0, n: int = 40, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Separable rows and bools."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.arange(1, d + 1) > 0.3


def bits(seed: int = 0, n: int = 40, d: int = 6) -> np.ndarray:
    return (np.random.default_rng(seed).random((n, d)) < 0.5).astype(np.float64)


X, TRUE = rows()
NOISY = TRUE ^ (np.arange(len(TRUE)) % 9 == 4)
B = bits()
AND, OR = (B[:, 0] * B[:, 2]).astype(int), np.maximum(B[:, 0], B[:, 2]).astype(int)
XOR = (B[:, 0] != B[:, 2]).astype(int)
WORDS = [({f"w{j}": 1.0 + j for j in range(i % 7 + 1)}, i % 3 == 0) for i in range(25)]


def quiet(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make()


def online(model: Any, examples: Any) -> Any:
    for x, y in examples:
        model.learn_one(x, y)
    return model


def changed(model: Any, **parameters: Any) -> Any:
    return model.set_params(**parameters)


def given(model: Any, **attributes: Any) -> Any:
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


FRAME = pd.DataFrame(X, columns=["a", "b", "größe", "d\n"])

WIDE = X * [1.0, 1e4, 1e-3, 1.0] + [0.0, 3e4, 0.0, 7.0]  # columns of different units


def standardised(model: Any, X: Any, y: Any, names: Any = None) -> Any:
    """As `fit_file` fits it."""
    return model.fit(with_standardised_columns(Examples(X, y, names)))


def grown(model: Any) -> Any:
    """With a column that its fit did not have."""
    model.predict_learn(sp.csr_array(np.eye(6)), [True, False] * 3)
    return model


OLD = {"shuffle": False, "random_state": None}  # in the files of version 1

ZOO: dict[str, Callable[[], Any]] = {
    "perceptron": lambda: Perceptron().fit(X, TRUE),
    "the best": lambda: quiet(lambda: Perceptron(max_iter=20).fit(X, NOISY)),
    "average": lambda: quiet(lambda: Perceptron(max_iter=20, hypothesis="average").fit(X, NOISY)),
    "average of a stream": lambda: online(MarginPerceptron(hypothesis="average"), WORDS),
    "perceptron-strings": lambda: Perceptron(at_zero="positive").fit(X, np.where(TRUE, "yes", "no")),
    "perceptron-objects": lambda: Perceptron().fit(X, np.where(TRUE, "yes", "no").astype(object)),
    "perceptron-floats": lambda: Perceptron(at_zero="negative").fit(X, np.where(TRUE, 3.0, -2.0)),
    "perceptron-int8": lambda: Perceptron().fit(X, np.where(TRUE, 7, 3).astype(np.int8)),
    "perceptron-float32": lambda: Perceptron().fit(X.astype(np.float32), TRUE),
    "perceptron-sparse": lambda: Perceptron().fit(sp.csr_array(np.where(abs(X) > 0.5, X, 0)), TRUE),
    "perceptron-frame": lambda: Perceptron(**OLD).fit(FRAME, TRUE),
    "perceptron-frame-dict": lambda: online(Perceptron().fit(FRAME, TRUE), [({"a": 2.0}, False)]),
    "perceptron-sphere": lambda: Perceptron(scale="sphere", fit_intercept=False).fit(X, TRUE),
    "perceptron-ball": lambda: Perceptron(scale="ball", intercept_scaling=3.5).fit(X, TRUE),
    "perceptron-first": lambda: Perceptron(order="first").fit(X, TRUE),
    "perceptron-worst": lambda: Perceptron(order="worst").fit(X, TRUE),
    "perceptron-unfinished": lambda: quiet(lambda: Perceptron(max_iter=1).fit(X, TRUE)),
    "perceptron-seeded": lambda: Perceptron(shuffle=True, random_state=5).fit(X, TRUE),
    "perceptron-generator": lambda: Perceptron(shuffle=True, random_state=np.random.RandomState(5)).fit(X, TRUE),
    "perceptron-warm": lambda: Perceptron(warm_start=True).fit(X, TRUE).fit(X[::-1], TRUE[::-1]),
    "perceptron-partial": lambda: Perceptron().partial_fit(X, TRUE).partial_fit(X[:9], TRUE[:9]),
    "perceptron-on": lambda: Perceptron().fit(X, TRUE).partial_fit(-X[:5], TRUE[:5]),
    "perceptron-online": lambda: online(Perceptron(), zip(X, TRUE, strict=True)),
    "perceptron-dicts": lambda: online(Perceptron(**OLD), WORDS),
    "perceptron-int-names": lambda: online(
        Perceptron(**OLD), [({3: 1.0, 2**70: 2.0, "3": -1.0}, True), ({-4: 1.0}, False)]
    ),
    "perceptron-changed": lambda: changed(Perceptron().fit(X, TRUE), at_zero="positive", scale="sphere", max_iter=7),
    "perceptron-huge": lambda: Perceptron().fit(X * 1e200, TRUE),
    "perceptron-tiny": lambda: Perceptron(fit_intercept=False).fit(rows()[0] * 1e-310, X @ [1, 2, 3, 4] > 0),
    "perceptron-read": lambda: given(
        Perceptron(**OLD).fit(X, TRUE),
        data_digest_="ab" * 32,
        reading_={"file": "a.csv", "skip": [1, 2.5, None, {"b": True}]},
    ),
    "one against the rest": lambda: quiet(
        lambda: Perceptron(multiclass="one-vs-rest", max_iter=20).fit(X, np.where(NOISY, TRUE + 1, 0))
    ),
    "one against one": lambda: quiet(
        lambda: PassiveAggressive(multiclass="one-vs-one", order="first", random_state=np.random.RandomState(2)).fit(
            FRAME, np.array(["u", "v", "w", "x"])[TRUE + 2 * NOISY]
        )
    ),
    "averages of a stream against the rest": lambda: online(
        MarginPerceptron(multiclass="one-vs-rest", hypothesis="average", **OLD),
        [(x, i % 4) for i, (x, _) in enumerate(WORDS)],
    ),
    "perceptron-standardised": lambda: standardised(Perceptron(), WIDE, TRUE, FRAME.columns.to_numpy()),
    "perceptron-standardised-sphere": lambda: standardised(Perceptron(scale="sphere", max_iter=3000), WIDE, TRUE),
    "perceptron-standardised-grown": lambda: grown(standardised(Perceptron(), sp.csr_array(WIDE), TRUE)),
    "one against one, standardised": lambda: quiet(
        lambda: standardised(Perceptron(multiclass="one-vs-one", max_iter=20), WIDE, np.where(NOISY, TRUE + 1, 0))
    ),
    "margin": lambda: MarginPerceptron().fit(X, TRUE),
    "margin-threshold": lambda: MarginPerceptron(threshold=0.5).fit(X, TRUE),
    "margin-online": lambda: online(MarginPerceptron(), WORDS),
    "margin-sphere": lambda: MarginPerceptron(scale="sphere", threshold=1).fit(X, TRUE),
    "aggressive": lambda: PassiveAggressive().fit(X, TRUE),
    "aggressive-pa": lambda: PassiveAggressive(variant="PA", at_zero="negative").fit(FRAME, TRUE),
    "aggressive-tol": lambda: quiet(lambda: PassiveAggressive(variant="PA-II", tol=0.9, scale="sphere").fit(X, TRUE)),
    "aggressive-first": lambda: quiet(
        lambda: PassiveAggressive(order="first", scale="ball", C=0.25, max_iter=9).fit(X, TRUE)
    ),
    "aggressive-dicts": lambda: online(PassiveAggressive(variant="PA-II", C=0.1), WORDS),
    "aggressive-warm": lambda: PassiveAggressive(warm_start=True).fit(X, TRUE).fit(-X, TRUE).partial_fit(X, TRUE),
    "max-margin": lambda: MaxMarginClassifier().fit(X, TRUE),
    "max-margin-frame": lambda: MaxMarginClassifier(fit_intercept=False, gap=1e-2).fit(FRAME, X @ [1, 2, 3, 4] > 0),
    "max-margin-weights": lambda: MaxMarginClassifier().fit(
        X, np.where(TRUE, "u", "v"), sample_weight=np.arange(40) % 3
    ),
    "max-margin-soft": lambda: MaxMarginClassifier(C=0.7).fit(X, TRUE),
    "max-margin-standardised": lambda: standardised(MaxMarginClassifier(), WIDE, TRUE),
    "squares-standardised": lambda: standardised(LeastSquares(), WIDE, X[:, 0] + TRUE),
    "squares": lambda: LeastSquares().fit(X, X[:, 0] + TRUE),
    "squares-frame": lambda: LeastSquares(method="gd", step=1e-3, max_iter=4000).fit(FRAME, X[:, 0]),
    "squares-sgd": lambda: quiet(lambda: LeastSquares("sgd", random_state=0, average=True, max_iter=5).fit(X, X[:, 1])),
    "squares-stream": lambda: (
        LeastSquares("sgd", average=True, random_state=0).partial_fit(X, X[:, 1]).partial_fit(X, X[:, 2])
    ),
    "squares-newton": lambda: LeastSquares("newton-sgd", random_state=0).partial_fit(X, X[:, 1]),
    "squares-both": lambda: (
        LeastSquares("kaczmarz", random_state=1, tol=1e-3)
        .partial_fit(X, X[:, 1])
        .fit(X, X @ [1, 2, 3, 4])
        .partial_fit(X, X[:, 2])
    ),
    "squares-classes": lambda: LeastSquaresClassifier().fit(X, np.where(TRUE, "yes", "no")),
    "squares-classes-stream": lambda: LeastSquaresClassifier("sgd", random_state=0).partial_fit(X, TRUE),
    "winnow": lambda: Winnow(k=2).fit(B, OR),
    "winnow-2": lambda: Winnow(2, k=3, r=2, alpha=1.25, threshold=4.5).fit(B, OR),
    "winnow-online": lambda: online(Winnow(), zip(B[:7], OR[:7], strict=True)),
    "monotone-conjunction": lambda: MonotoneConjunction().fit(B, AND),
    "conjunction": lambda: Conjunction().fit(B[:9], AND[:9]),
    "conjunction-frame": lambda: Conjunction().fit(pd.DataFrame(B, columns=list("abcdef")), AND),
    "monotone-disjunction": lambda: MonotoneDisjunction().fit(B, OR),
    "disjunction-online": lambda: online(Disjunction(), zip(B, OR, strict=True)),
    "disjunction-negatives": lambda: Disjunction().fit(B[OR == 1][:8], OR[OR == 1][:8]),
    "conjunction-negatives": lambda: Conjunction().fit(B[AND == 0], AND[AND == 0]),
    "kdnf": lambda: KDNF(k=2).fit(B, XOR),
    "kdnf-wide": lambda: changed(KDNF(k=9).fit(B[:5, :3], XOR[:5]), k=1),
}


def made(name: str) -> Any:
    return ZOO[name]()


def table(model: Any) -> tuple[Any, Any]:
    """Rows that this model takes, and labels (or targets) for it to go on with."""
    d, names = model.n_features_in_, getattr(model, "feature_names_in_", None)
    if hasattr(model, "rounds_"):
        D: Any = bits(9, 12, d)
        y: Any = np.asarray(model.predict(pd.DataFrame(D, columns=names) if names is not None else D))
    else:
        D, y = rows(9, 12, d)
        labels = getattr(model, "classes_", None)
        y = D[:, 0] if labels is None else labels[y.astype(int)]
    return (pd.DataFrame(D, columns=names) if names is not None else D), y


def differences(a: Any, b: Any, where: str = "model") -> list[str]:
    """Where two objects differ in any bit, but for what a pass leaves behind."""
    if type(a) is not type(b):
        return [f"{where}: {type(a).__name__} and {type(b).__name__}"]
    if isinstance(a, np.ndarray):
        if a.dtype == STATE:
            return [f"{where}.{name}" for name in a.dtype.names if name not in PASSING and (a[name] != b[name]).any()]
        if a.dtype == object:
            return differences(a.tolist(), b.tolist(), where)
        return [] if (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()) else [where]
    if isinstance(a, np.random.RandomState):
        return differences(a.get_state(legacy=False), b.get_state(legacy=False), where)
    if isinstance(a, float):
        return [] if a.hex() == b.hex() else [where]
    if isinstance(a, dict):
        if list(a) != list(b):
            return [f"{where}: {list(a)} and {list(b)}"]
        return [found for key in a for found in differences(a[key], b[key], f"{where}.{key}")]
    if isinstance(a, list | tuple):
        if len(a) != len(b):
            return [f"{where}: lengths"]
        return [
            found for i, (p, q) in enumerate(zip(a, b, strict=True)) for found in differences(p, q, f"{where}[{i}]")
        ]
    if hasattr(a, "__dict__"):
        return differences(essence(a), essence(b), where)
    return [] if a == b else [where]


def essence(thing: Any) -> dict[str, Any]:
    """Attributes in order, without caches."""
    parts = {name: value for name, value in sorted(vars(thing).items()) if name not in ("_last", "_floats", "coef")}
    if "_columns" in parts and "feature_names_in_" in parts:
        del parts["_columns"]
    return parts
