"""A short command begins soon: `inspect` and `predict` need neither scikit-learn nor the compiler to say the same."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils._param_validation import make_constraint

import novikoff as nk
from novikoff import data
from novikoff.engine import machine_code
from novikoff.engine.compile import INTERPRETED, interpret_small_work, kernel
from novikoff.estimators.registry import BITS, BY_RULE, NUMBERS, REGISTRY
from novikoff.store import container
from tests.cli.one_process import answer

ROOT = Path(__file__).parents[2]
HEAVY = {"sklearn", "numba", "llvmlite", "pandas", "pyarrow"}


def in_a_process(commands: list[list[str]]) -> tuple[list[Any], set[str]]:
    """What commands say in a process that begins with them, and what that has imported."""
    program = [sys.executable, "-m", "tests.cli.one_process"]
    done = subprocess.run(program, input=json.dumps(commands), capture_output=True, text=True, cwd=ROOT, check=True)
    found = json.loads(done.stdout)
    return found["answers"], set(found["modules"])


def as_always(commands: list[list[str]]) -> list[Any]:
    """The same in this process, which has everything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [answer(arguments, ours=False) for arguments in commands]


# Data on which a sum in floats is wrong: ties, huge and tiny numbers, rows of zeros.

HARD = np.array(
    [
        [0.0, 0.0, 0.0],
        [1.0, 1.0, 1.0],
        [1e16, 1.0, -1e16],
        [1e16, -1.0, -1e16],
        [2.0**-1074, 0.0, 0.0],
        [-(2.0**-1074), 2.0**-1074, 0.0],
        [1e300, 1e300, -1e300],
        [-1e308, 1e-308, 1e308],
        [0.1, 0.2, -0.3],
        [0.1, 0.2, -0.30000000000000004],
        [3.0, -1.5, -1.5],
        [1e-200, 1e-200, -2e-200],
    ]
)
CUBE = np.array([[(i >> j) & 1 for j in range(3)] for i in range(8)], dtype=np.float64)


def write(folder: Path, name: str, X: np.ndarray) -> list[Path]:
    """A matrix in every format that a model without names of columns can be asked about."""
    rows = [[repr(value) for value in row] for row in X.tolist()]
    (folder / f"{name}.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    sparse = ["0 " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(row) if float(value)) for row in rows]
    (folder / f"{name}.svm").write_text("\n".join(sparse) + "\n")
    np.save(folder / f"{name}.npy", X)
    np.save(folder / f"{name}32.npy", np.clip(X, -1e38, 1e38).astype(np.float32))
    csr = sp.csr_array(X)
    sp.save_npz(folder / f"{name}.npz", csr)
    return [folder / f"{name}{end}" for end in (".csv", ".svm", ".npy", "32.npy", ".npz")]


def asked_of(path: Path) -> list[str]:
    return ["-r", "header=false", "-r", "label=false"] if path.suffix == ".csv" else []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("start")


def models(folder: Path) -> dict[Path, bool]:
    """A model of every learner, some in several ways; and whether it takes bits alone."""
    found: dict[Path, bool] = {}

    def keep(name: str, model: Any, X: Any, y: Any, *, bits: bool = False) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nk.save(model.fit(X, y), folder / f"{name}.nvk")
        found[folder / f"{name}.nvk"] = bits

    X = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [-1.0, -1.0, -1.0], [-2.0, 0.0, -1.0]])
    words = ["in", "in", "out", "out"]
    for name, entry in REGISTRY.items():
        if entry.labels == BITS:
            keep(name, entry.estimator(), CUBE, CUBE[:, 0].astype(int), bits=True)
        else:
            keep(name, entry.estimator(), X, [1.0, 2.0, -1.0, -0.5] if entry.labels == NUMBERS else words)
    for entry in BY_RULE:
        keep(f"{entry.name} sphere", entry.estimator(scale="sphere"), X, words)
        keep(
            f"{entry.name} origin",
            entry.estimator(fit_intercept=False, at_zero="positive"),
            X,
            [False, False, True, True],
        )
    keep("soft", nk.MaxMarginClassifier(C=0.5), X, words)
    keep("shuffled", nk.Perceptron(shuffle=True, random_state=np.random.RandomState(1), scale="ball"), X, words)
    return found


@pytest.mark.long
def test_every_learner_and_format_without_the_compiler_and_without_scikit_learn(folder: Path) -> None:
    hard, cube = write(folder, "hard", HARD), write(folder, "cube", CUBE)
    commands: list[list[str]] = []
    for model, bits in models(folder).items():
        commands += [["inspect", str(model)], ["inspect", "--json", str(model)]]
        for path in cube if bits else hard:
            commands.append(["predict", *asked_of(path), str(model), str(path)])
        commands.append(["predict", "--json", str(model), str(cube[1])])
    light, modules = in_a_process(commands)
    assert modules.isdisjoint(HEAVY)
    for command, ours, expected in zip(commands, light, as_always(commands), strict=True):
        assert ours == expected, command
    assert sum(code == 0 for code, _, _ in light) > 0.9 * len(light)  # and the rest are refusals


def test_text_columns_and_the_formats_of_lines(folder: Path) -> None:
    (folder / "pets.csv").write_text("weight,colour,kind\n4.5,grey,cat\n30,brown,dog\n3.5,brown,cat\n20,grey,dog\n")
    (folder / "words.vw").write_text("1 a|w spam:2 x\n-1 b|w ham y\n1 c|w spam z\n-1 d|w ham x\n")
    (folder / "lines.jsonl").write_text('{"a": 1, "b": true, "label": 1}\n{"a": -2.5, "b": false, "label": 0}\n')
    commands = []
    for name, label in (("pets.csv", {"label": "kind"}), ("words.vw", {}), ("lines.jsonl", {"label": "label"})):
        examples = data.read(folder / name, **label)
        model = nk.Perceptron().fit(examples)
        model.reading_ = label or None
        nk.save(model, folder / f"{name}.nvk")
        commands += [["inspect", str(folder / f"{name}.nvk")], ["inspect", "--weights", str(folder / f"{name}.nvk")]]
        commands += [["predict", str(folder / f"{name}.nvk"), str(folder / name)]]
    light, modules = in_a_process(commands)
    assert modules.isdisjoint(HEAVY)
    assert light == as_always(commands)
    assert {code for code, _, _ in light} == {0}


def test_scores_are_those_of_the_compiled_loops_to_the_last_bit(folder: Path) -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 40))
    np.save(folder / "many.npy", X)
    nk.save(nk.Perceptron(max_iter=5000).fit(X, X @ rng.standard_normal(40) > 0), folder / "many.nvk")
    command = ["predict", "--scores", str(folder / "many.nvk"), str(folder / "many.npy")]
    light, modules = in_a_process([command])
    assert "sklearn" not in modules
    assert light == as_always([command])


def changed(model: Path, to: Path, **parameters: Any) -> str:
    """A model file with other parameters, whole in every other respect."""
    content = container.read(model)
    header = content.header | {"parameters": content.header["parameters"] | parameters}
    to.write_bytes(b"".join(bytes(part) for part in container.pack(header, content.arrays)))
    return str(to)


def in_order(answer: list[Any]) -> list[Any]:
    """An answer in which words in braces, which are in no order, are in order."""
    return [*answer[:2], re.sub(r"\{[^}]*\}", lambda found: str(sorted(found.group()[1:-1].split(", "))), answer[2])]


@pytest.mark.long
def test_what_is_refused_is_refused_in_the_same_words(folder: Path) -> None:
    perceptron, squares = folder / "p.nvk", folder / "q.nvk"
    nk.save(nk.Perceptron().fit([[1.0, 2.0], [-1.0, 0.0]], [1, -1]), perceptron)
    nk.save(nk.LeastSquares().fit([[1.0, 2.0], [-1.0, 0.0]], [1, -1]), squares)
    wrong: list[dict[str, Any]] = [
        {"max_iter": 0},
        {"max_iter": 1.0},
        {"intercept_scaling": 0.0},
        {"intercept_scaling": {"float": "inf"}},
        {"scale": "globe"},
        {"shuffle": 1},
        {"shuffle": True, "order": "worst"},
        {"random_state": -1},
        {"random_state": 2**32},
        {"verbose": -1},
        {"verbose": "loud"},
        {"at_zero": None},
        {"unheard_of": 1},
    ]
    right = [{"max_iter": True}, {"random_state": 2**32 - 1}, {"verbose": True}, {"intercept_scaling": 2}]
    files = [changed(perceptron, folder / f"p{k}.nvk", **new) for k, new in enumerate([*wrong, *right])]
    files += [changed(squares, folder / "q0.nvk", tol=-1.0), changed(squares, folder / "q1.nvk", step="2/t")]
    np.save(folder / "wide.npy", np.ones((2, 4)))
    np.save(folder / "thin.npy", np.ones((2, 0)))
    np.save(folder / "nan.npy", np.array([[1.0, np.nan]]))
    (folder / "lost.csv").write_text(f"a,b\n{2**53 + 1},0\n")
    (folder / "bad.svm").write_text("1 1:1\n1 2:x\n")
    commands = [["inspect", file] for file in files]
    for name in ("wide.npy", "thin.npy", "nan.npy", "lost.csv", "bad.svm", "no.npy"):
        commands += [["predict", str(model), str(folder / name)] for model in (perceptron, squares)]
    light, expected = in_a_process(commands)[0], as_always(commands)
    for command, ours, theirs in zip(commands, light, expected, strict=True):
        assert in_order(ours) == in_order(theirs), command
    codes = [code for code, _, _ in expected]
    assert codes[: len(wrong)] == [1] * len(wrong)
    assert codes[len(wrong) : len(wrong) + len(right)] == [0] * len(right)
    assert set(codes[len(files) :]) == {1}


def test_a_process_that_goes_on_keeps_its_estimators(folder: Path) -> None:
    nk.save(nk.Perceptron().fit([[1.0], [-1.0]], [1, -1]), folder / "one.nvk")
    program = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from novikoff.cli import app\n"
        "assert CliRunner().invoke(app, ['inspect', sys.argv[1]]).exit_code == 0\n"
        "from sklearn.base import BaseEstimator, is_classifier\n"
        "import novikoff as nk\n"
        "assert isinstance(nk.Perceptron(), BaseEstimator) and is_classifier(nk.Perceptron())\n"
    )
    subprocess.run([sys.executable, "-c", program, str(folder / "one.nvk")], check=True)


# Parameters ----------------------------------------------------------------------------------------

VALUES = [
    *(None, True, False, np.True_, 0, 1, 2, 3, -1, np.int64(2), 2**32 - 1, 2**32, 2**70, 10**400),
    *(0.0, 0.5, 1.0, 1e-12, 1e-13, -0.5, np.float64(1.5), np.inf, -np.inf, np.nan, 1j),
    *("auto", "1/t", "mistake", "given", "none", "PA-I", "sgd", "", [], np.random.RandomState(0)),
]


@pytest.mark.parametrize("name", REGISTRY)
def test_a_parameter_is_allowed_where_scikit_learn_allows_it(name: str) -> None:
    estimator = REGISTRY[name].estimator
    constraints = estimator._parameter_constraints
    declared = fields(estimator) if constraints else ()
    assert {each.name for each in declared} == set(estimator._get_param_names())
    for each in declared:
        for value in VALUES:
            theirs = any(make_constraint(one).is_satisfied_by(value) for one in constraints[each.name])
            assert any(one.allows(value) for one in each.metadata["allowed"]) == theirs, (each.name, value)


# The interpreter and the compiler ------------------------------------------------------------------


@pytest.fixture
def little_work() -> Iterator[None]:
    """Ten entries are little."""
    interpret_small_work(10)
    yield
    interpret_small_work(0)


def added(values: np.ndarray, factor: float) -> float:
    found = 0.0
    for k in range(values.shape[0]):
        found += factor * values[k]
    return found


@pytest.mark.skipif(INTERPRETED, reason="everything is interpreted")
@pytest.mark.usefixtures("little_work")
def test_small_work_is_interpreted_and_what_comes_after_it_compiled() -> None:
    adds: Any = kernel(added)
    ones = np.ones(4)
    assert adds(ones, 1.0) == adds(ones, 1.0) == 4.0  # 8 entries
    assert "compiled" not in vars(adds)
    assert adds(ones, 1.0) == 4.0
    assert len(adds.compiled.signatures) == 1


@pytest.mark.skipif(INTERPRETED, reason="everything is interpreted")
@pytest.mark.usefixtures("little_work")
def test_the_interpreter_overflows_as_machine_code_does() -> None:
    adds: Any = kernel(added)
    assert adds(np.full(2, 1e308), 1.0) == np.inf
    assert "compiled" not in vars(adds)


@pytest.mark.skipif(INTERPRETED, reason="everything is interpreted")
@pytest.mark.usefixtures("little_work")
def test_an_interrupt_waits_for_the_end_of_a_loop_that_is_interpreted() -> None:
    """As it does for machine code: an update that is half made would be no update."""
    done = []

    def interrupted(values: np.ndarray) -> None:
        signal.raise_signal(signal.SIGINT)
        done.append(True)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            kernel(interrupted)(np.ones(1))
        assert done
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_small_fit_and_a_short_stream_need_no_compiler(folder: Path) -> None:
    """And the models are the same, byte for byte."""
    rng = np.random.default_rng(5)
    X = rng.integers(-3, 4, (60, 3))
    rows = [f"{a},{b},{c},{'yes' if a - b + 2 * c > 0 else 'no'}" for a, b, c in X.tolist()]
    (folder / "train.csv").write_text("\n".join(["a,b,c,label", *rows]) + "\n")
    lines = [f"{1 if x[0] > 0 else -1} |w {'up' if x[0] > 0 else 'down'} v{x[1] + 3}:0.5" for x in X.tolist()]
    (folder / "train.vw").write_text("\n".join(lines) + "\n")
    ways = {"light": [], "always": []}
    for way, commands in ways.items():
        for entry in BY_RULE:
            for order in ("given", "first", "worst"):
                out = str(folder / f"{way} {entry.name} {order}.nvk")
                options = ["-s", f"order={order}", "-s", "max_iter=300", "-s", "scale=sphere", "-q", "-o", out]
                options += ["--cache-dir", str(folder / "copies")]
                commands.append(["fit", str(folder / "train.csv"), "--learner", entry.command, *options])
            out = str(folder / f"{way} {entry.name}.nvk")
            commands.append(["learn", out, str(folder / "train.vw"), "--learner", entry.command, "-q"])
    light, modules = in_a_process(ways["light"][:4])
    assert modules.isdisjoint({"numba", "llvmlite"})
    more, _ = in_a_process(ways["light"][4:])  # whatever is left to the compiler
    always = as_always(ways["always"])
    for ours, theirs in zip(light + more, always, strict=True):
        assert [each.replace("light ", "always ") if isinstance(each, str) else each for each in ours] == theirs
    for model in folder.glob("light *.nvk"):
        assert model.read_bytes() == (folder / model.name.replace("light ", "always ")).read_bytes(), model.name


@pytest.mark.parametrize(("options", "told"), [([], True), (["-q"], False), (["--quiet"], False)])
def test_the_shell_says_that_it_compiles_unless_it_is_to_be_quiet(
    options: list[str], told: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compile_something(*_: Any, **__: Any) -> None:
        machine_code.compiling.info("compiling")
        raise ValueError("enough")

    monkeypatch.setattr("novikoff.fitting.fitted_to_file", compile_something)
    _, _, said = answer(["fit", "no.csv", "-o", str(folder / "no.nvk"), *options], ours=False)
    assert ("novikoff: compiling\n" in said) is told
    assert said.endswith("novikoff: enough\n")
