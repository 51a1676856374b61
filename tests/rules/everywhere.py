"""What a learner of the registry is given for nothing: run in a process whose registry has `Strider`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import scipy.sparse as sp
from docs.reference.__main__ import pages
from typer.testing import CliRunner

import novikoff as nk
from novikoff.cli import app
from novikoff.cli.warmup import _jobs
from novikoff.estimators.registry import REGISTRY
from novikoff.lab.endpoints import ENDPOINTS

X = np.array([[2.0, 1.0], [1.0, -3.0], [-1.0, 2.0], [-2.0, -2.0], [0.5, 0.25]])
Y = np.array([1, 1, -1, -1, 1])


def strider() -> Any:
    return REGISTRY["Strider"].estimator


def twice_the_perceptron() -> None:
    for order in ("given", "first", "worst"):
        for data in (X, sp.csr_array(X)):
            ours, theirs = (kind(order=order).fit(data, Y) for kind in (strider(), nk.Perceptron))
            assert np.array_equal(ours.coef_, 2 * theirs.coef_)
            assert (ours.mistakes_, ours.history_.tolist()) == (theirs.mistakes_, theirs.history_.tolist())
            assert ours.margin_[0] == theirs.margin_[0]
            assert theirs.margin_[1] <= ours.margin_[1] < theirs.margin_[1] * (1 + 1e-12)
            assert ours.bound(0.5) == theirs.bound(0.5)


def model_file() -> None:
    model = strider()().partial_fit(X[:3], Y[:3])
    nk.save(model, "a.nvk")
    loaded = nk.load("a.nvk")
    assert type(loaded) is strider()
    for one in (model, loaded):
        one.partial_fit(X[3:], Y[3:]).learn_one(-X[0], 1)
    assert np.array_equal(model.coef_, loaded.coef_)
    assert model.updates_ == loaded.updates_ > 0


def in_the_game() -> None:
    run = nk.play(strider()(), [(x, int(y)) for x, y in zip(X, Y, strict=True)] * 3, witness=nk.certify(X, Y).w)
    assert run.inequalities_held
    assert run.mistakes <= run.bound


def shell(*arguments: str) -> str:
    found = CliRunner().invoke(app, list(arguments))
    assert found.exit_code == 0, found.output
    return found.stdout


def in_the_shell() -> None:
    rows = [",".join(map(str, [*x, y])) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    Path("a.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    shell("fit", "a.csv", "--learner", "strider", "-o", "b.nvk", "--cache-dir", "copies", "-q")
    assert np.array_equal(nk.load("b.nvk").coef_, strider()().fit(X, Y).coef_)
    assert shell("predict", "b.nvk", "a.csv").split() == [str(y) for y in Y]
    assert "Strider" in shell("inspect", "b.nvk")


def in_the_lab() -> None:
    def answer(path: str, **request: Any) -> Any:
        kind, function = ENDPOINTS[path]
        return msgspec.to_builtins(function(msgspec.json.decode(msgspec.json.encode(request), type=kind)))

    told = answer("/api/options")["experiment"]["learners"]["strider"]
    assert told == {"noun": "mistake", "bound": "R²/γ²", "threshold": False}
    shown = answer("/api/run", points=X.tolist(), labels=Y.tolist(), learner="strider")
    assert shown["finished"]
    assert shown["row"] == strider()(shuffle=False).fit(X, Y).trace(X, Y).rows.tolist()


def in_the_reference() -> None:
    found = pages()
    assert "[`Strider`](perceptrons.md#strider) | `strider` | two labels |" in found["index.md"]
    assert "## Strider" in found["perceptrons.md"]


def in_the_warm_up() -> None:
    jobs = {name: job for name, job in _jobs() if "Strider" in name}
    assert {"Strider, float64", "Strider, float32", "Strider, sparse"} <= set(jobs)
    for name in ("Strider, float64", "Strider, orders and streams, sparse", "Strider, one example at a time"):
        jobs[name]()


if __name__ == "__main__":
    warnings.simplefilter("error")
    assert Path(nk.__file__).is_relative_to(sys.argv[1]), nk.__file__
    for seen in (
        twice_the_perceptron,
        model_file,
        in_the_game,
        in_the_shell,
        in_the_lab,
        in_the_reference,
        in_the_warm_up,
    ):
        seen()
        print(seen.__name__)
