"""The rules by which models predict, as graphs of ONNX and as attributes of scikit-learn's estimators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff import inputs
from novikoff.engine.storage import Vector
from novikoff.estimators.guarantee import guarantee
from novikoff.standardization import Standardization

OPSET, IR = 18, 9  # of ONNX: what runtimes since 2023 read
TINY = 5e-324


class Plane(NamedTuple):
    """<coef,x> + intercept, divided by ||(x, constant)|| if there is ``on_sphere``, the constant."""

    coef: Vector
    intercept: float
    second_at_zero: bool  # a score of 0 predicts the second label
    on_sphere: float | None = None


class Planes(NamedTuple):
    """The same for each of many classes, of which the largest score is predicted."""

    coef: NDArray[np.float64]  # (k, d)
    intercept: Vector
    on_sphere: float | None = None


class TermSet(NamedTuple):
    """A disjunction of terms, each of pairs (variable, value)."""

    terms: Sequence[Sequence[tuple[int, int]]]
    k: int
    width: int


# scikit-learn ------------------------------------------------------------------------------------


def fitted(estimator: Any, model: Any, coef: NDArray[np.float64], intercept: Any, **attributes: Any) -> Any:
    """An estimator of scikit-learn with the weights and the columns of a model."""
    estimator.coef_, estimator.intercept_ = coef, intercept
    estimator.n_features_in_ = coef.shape[-1]
    if hasattr(model, "feature_names_in_"):
        estimator.feature_names_in_ = model.feature_names_in_.copy()
    for name, value in attributes.items():
        setattr(estimator, name, value)
    return estimator


def from_raw_rows(model: Any, last: Any) -> Any:
    """An estimator of scikit-learn that takes the rows of a model: one that standardises them before, if it does."""
    if model.standardization_ is None:
        return last
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    means, scales = model.standardization_.of_width(model.n_features_in_)
    scaler = StandardScaler(with_mean=model.standardization_.centred)
    scaler.mean_, scaler.scale_, scaler.n_features_in_ = means.copy(), scales.copy(), model.n_features_in_
    if hasattr(last, "feature_names_in_"):
        scaler.feature_names_in_ = last.feature_names_in_
        del last.feature_names_in_
    return make_pipeline(scaler, last)


def polynomial(rule: TermSet, powers: NDArray[np.int64]) -> tuple[Vector, float]:
    """How many of the terms are true in x, as coefficients of the given monomials and a constant.

    A term with the negated variables N and the others P is prod_P x prod_N (1 - x): over the subsets S of N the sum of
    (-1)^|S| prod_P x prod_S x. All of these are integers.
    """
    places = {tuple(np.flatnonzero(row).tolist()): place for place, row in enumerate(powers)}
    coef, constant = np.zeros(len(powers)), 0.0
    for term in rule.terms:
        plain = [j for j, value in term if value]
        negated = [j for j, value in term if not value]
        for size in range(len(negated) + 1):
            for some in combinations(negated, size):
                if monomial := tuple(sorted([*plain, *some])):
                    coef[places[monomial]] += (-1) ** size
                else:
                    constant += (-1) ** size
    return coef, constant


# ONNX --------------------------------------------------------------------------------------------


def onnx_model(model: Any, rule: Plane | Planes | TermSet) -> Any:
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs the package onnx: pip install 'novikoff[onnx]'") from None
    graph = _Graph(onnx)
    if isinstance(rule, TermSet):
        width, side = rule.width, graph.terms(rule)
    else:
        graph.standardise(model.standardization_, rule.coef.shape[-1])
        width, side = rule.coef.shape[-1], graph.scores(rule)
    classes = getattr(model, "classes_", None)
    if classes is not None:
        if isinstance(rule, Planes):
            which = graph.largest(side)
        else:
            which = graph.second(side, at_zero=isinstance(rule, Plane) and rule.second_at_zero)
        graph.label(which, classes)
    double = onnx.TensorProto.DOUBLE
    X = onnx.helper.make_tensor_value_info("X", double, ["rows", width])
    proto = onnx.helper.make_model(
        onnx.helper.make_graph(graph.nodes, type(model).__name__, [X], graph.outputs, graph.constants),
        producer_name="novikoff",
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        ir_version=IR,
    )
    names = getattr(model, "feature_names_in_", None)
    onnx.helper.set_model_props(
        proto,
        {
            "learner": type(model).__name__,
            "guarantee": json.dumps(_without_infinity(guarantee(model)), allow_nan=False),
            "features": json.dumps(None if names is None else [str(name) for name in names]),
        },
    )
    onnx.checker.check_model(proto, full_check=True)
    return proto


class _Graph:
    """Nodes, constants and outputs under construction."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.rows = "X"  # as the model learned from them

    def node(self, operator: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(self._onnx.helper.make_node(operator, inputs, [output], **attributes))
        return output

    def constant(self, name: str, value: Any, dtype: Any = np.float64) -> str:
        self.constants.append(self._onnx.numpy_helper.from_array(np.array(value, dtype=dtype), name))
        return name

    def output(self, name: str, kind: int, *columns: int) -> None:
        self.outputs.append(self._onnx.helper.make_tensor_value_info(name, kind, ["rows", *columns]))

    def standardise(self, kept: Standardization | None, width: int) -> None:
        """Let what follows be about rows that are standardised."""
        if kept is None:
            return
        means, scales = kept.of_width(width)
        if kept.centred:
            self.rows = self.node("Sub", [self.rows, self.constant("means", means)], "centred")
        self.rows = self.node("Div", [self.rows, self.constant("scales", scales)], "standardised")

    def scores(self, rule: Plane | Planes) -> str:
        """The score, or that of each class; returns the value that decides: its sign, or the place of the largest."""
        many = isinstance(rule, Planes)
        self.constant("coef", rule.coef.T)
        self.constant("intercept", rule.intercept)
        dot = self.node("MatMul", [self.rows, "coef"], "dot")
        self.output("score", self._onnx.TensorProto.DOUBLE, *([len(rule.coef)] if many else []))
        if rule.on_sphere is None:
            return self.node("Add", [dot, "intercept"], "score")
        side = self.node("Add", [dot, "intercept"], "unscaled")
        # Dividing by the norm changes no sign; a row of zeros keeps its score 0.
        self.constant("columns", [1], np.int64)
        self.constant("constant_sq", rule.on_sphere**2)
        self.constant("tiny", TINY)
        square = self.node("Mul", [self.rows, self.rows], "square")
        sqnorm = self.node("ReduceSum", [square, "columns"], "sqnorm", keepdims=int(many))
        norm = self.node("Sqrt", [self.node("Add", [sqnorm, "constant_sq"], "with_constant")], "norm")
        self.node("Div", [side, self.node("Max", [norm, "tiny"], "divisor")], "score")
        return side

    def terms(self, rule: TermSet) -> str:
        """The columns of ``literals`` are x, 1 - x, 1 and 0; a term is true where the least of its literals is 1."""
        d = rule.width
        false = [[2 * d + 1] * rule.k]
        true = [[j + d * (1 - value) for j, value in term] + [2 * d] * (rule.k - len(term)) for term in rule.terms]
        self.constant("places", false + true, np.int64)
        self.constant("one", 1.0)
        self.constant("ends", [[1.0, 0.0]])
        self.constant("last", [-1], np.int64)
        self.constant("two", [2], np.int64)
        self.constant("half", 0.5)
        shape = self.node("Shape", ["X"], "rows", start=0, end=1)
        ends = self.node("Expand", ["ends", self.node("Concat", [shape, "two"], "shape", axis=0)], "both")
        negated = self.node("Sub", ["one", "X"], "negated")
        literals = self.node("Concat", ["X", negated, ends], "literals", axis=1)
        met = self.node("Gather", [literals, "places"], "met", axis=1)
        each = self.node("ReduceMin", [met, "last"], "each", keepdims=0)
        self.output("score", self._onnx.TensorProto.DOUBLE)
        return self.node("Sub", [self.node("ReduceMax", [each, "last"], "some", keepdims=0), "half"], "score")

    def second(self, side: str, *, at_zero: bool) -> str:
        """Is it the second of two labels?"""
        self.constant("zero", 0.0)
        second = self.node("GreaterOrEqual" if at_zero else "Greater", [side, "zero"], "second")
        return self.node("Cast", [second], "which", to=self._onnx.TensorProto.INT64)

    def largest(self, scores: str) -> str:
        """The place of the largest score, the first of several."""
        return self.node("ArgMax", [scores], "which", axis=1, keepdims=0)

    def label(self, which: str, classes: NDArray[Any]) -> None:
        kinds = self._onnx.TensorProto
        labels = [inputs.item(label) for label in classes]
        known: dict[type, tuple[int, Any]] = {
            bool: (kinds.BOOL, np.bool_),
            int: (kinds.INT64, np.int64),
            float: (kinds.DOUBLE, np.float64),
            str: (kinds.STRING, np.object_),
        }
        if len({type(label) for label in labels}) > 1 or type(labels[0]) not in known:
            raise ValueError(
                f"ONNX has no type for the labels {labels!r}: bools, integers, floats or strings are needed"
            )
        kind, dtype = known[type(labels[0])]
        self.constant("labels", labels, dtype)
        self.node("Gather", ["labels", which], "label")
        self.output("label", kind)


def _without_infinity(value: Any) -> Any:
    """Numbers that are not finite as words: JSON has none."""
    if isinstance(value, dict):
        return {name: _without_infinity(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_without_infinity(entry) for entry in value]
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
