"""From files to models: reading text, learning from it in one pass and in further ones, memory, and Parquet."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import load_svmlight_file

import novikoff as nk
from benchmarks.measure import Result, compare, side_by_side
from novikoff import data

VW = "vw --loss_function hinge --sgd"


def write_text(path: Path, size: int, *, format: str, per_row: int = 20, width: int = 100_000) -> int:
    """About `size` bytes of examples, 20 features a row, the same in both formats; returns how many."""
    rng = np.random.default_rng(0)
    weights = rng.standard_normal(width)
    lines, rows = [], 0
    # A few thousand different rows, written again and again: text is what is measured, not the generator.
    for _ in range(5000):
        columns = np.sort(rng.choice(width, per_row, replace=False))
        values = np.round(rng.random(per_row), 6)
        label = 1 if weights[columns] @ values > 0 else -1
        cells = " ".join(f"{c + 1}:{v:.6f}" for c, v in zip(columns.tolist(), values.tolist(), strict=True))
        lines.append(f"{label} | {cells}\n" if format == "vw" else f"{label} {cells}\n")
    other = lines[0].removeprefix("-") if lines[0].startswith("-") else "-" + lines[0]
    lines.append(other)  # contradicts the first: there is no separator, and every pass is made
    block = "".join(lines).encode()
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)
            rows += len(lines)
    return rows


def readers() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.svm")
        write_text(path, 150 * 10**6, format="svmlight")
        yield compare(
            "read svmlight text, 150 MB",
            "scikit-learn load_svmlight_file",
            partial(data.read, path),
            partial(load_svmlight_file, str(path)),
            same=lambda ours, theirs: (
                np.array_equal(ours.X.data, theirs[0].data)
                and np.array_equal(ours.X.indices, theirs[0].indices)
                and np.array_equal(ours.y, theirs[1])
            ),
            bar=6.0,
            rounds=3,
        )


def vw(folder: str, *arguments: str) -> None:
    """What its command does, in this process."""
    import vowpalwabbit

    command = [
        "--quiet",
        "-d",
        f"{folder}/a.vw",
        "--loss_function",
        "hinge",
        "--sgd",
        "-b",
        "18",
        "-f",
        f"{folder}/m.vw",
    ]
    vowpalwabbit.Workspace(arg_list=[*command, *arguments]).finish()


def fit(folder: str, name: str, passes: int, *, keep: bool) -> None:
    """What ours does, but for the import of scikit-learn: parse, copy, learn, measure, hash, save."""
    model = nk.Perceptron(max_iter=passes, shuffle=False)  # as theirs
    with warnings.catch_warnings(action="ignore"):  # that it did not separate the data
        nk.fit_file(model, f"{folder}/{name}", cache=f"{folder}/copies", keep_cache=keep)
    nk.save(model, f"{folder}/m.nvk")


def passes() -> Iterator[Result]:
    """From text to a model file; a further pass is a twentieth of 21 passes less one."""
    with tempfile.TemporaryDirectory() as folder:
        rows = write_text(Path(folder, "a.vw"), 10**9, format="vw")
        write_text(Path(folder, "a.svm"), 10**9 - 2 * rows, format="svmlight")
        os.sync()  # who comes first should not have the disk to contend with
        for name, what in (("a.vw", "VW text"), ("a.svm", "svmlight text, for VW the same examples in its own")):
            fit(folder, name, 1, keep=False)
            mine, peers = side_by_side(
                partial(fit, folder, name, 1, keep=False), partial(vw, folder), rounds=3, clock=perf_counter
            )
            job = f"one pass from 1 GB of {what}, to a model file"
            remark = f"{rows:,} examples of 20 features; ours writes the binary copy, too"
            yield Result(job, VW, mine, peers, peers / mine, 1.2, "s", remark)
        again = ("--cache_file", f"{folder}/a.cache", "--holdout_off", "--passes")
        fit(folder, "a.vw", 1, keep=True)
        vw(folder, *again, "2")
        mine, peers = side_by_side(
            partial(fit, folder, "a.vw", 21, keep=True), partial(vw, folder, *again, "21"), rounds=2, clock=perf_counter
        )
        mine_once, peers_once = side_by_side(
            partial(fit, folder, "a.vw", 1, keep=True), partial(vw, folder, *again, "1"), rounds=2, clock=perf_counter
        )
        mine, peers = (mine - mine_once) / 20, (peers - peers_once) / 20
        yield Result("a further pass, from the cache", f"{VW}, its cache", mine, peers, peers / mine, 2.0)


def memory() -> Iterator[Result]:
    """The anonymous memory of `fit` on 4 GB, sampled from outside."""
    with tempfile.TemporaryDirectory() as folder:
        rows = write_text(Path(folder, "a.svm"), 4 * 10**9, format="svmlight")
        command = [sys.executable, "-m", "novikoff.cli", "fit", "a.svm", "-q", "--cache-dir", "copies", "-o", "m.nvk"]
        child = subprocess.Popen([*command, "-s", "max_iter=2"], cwd=folder, stderr=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            peak = max(peak, _anonymous(child.pid))
            try:
                child.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
        assert child.returncode == 0
        yield Result(
            "peak anonymous memory of fit on a 4 GB file",
            "the bar",
            peak / 1e6,
            600.0,
            600e6 / peak,
            1.0,
            "MB",
            f"{rows:,} examples",
        )


def _anonymous(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon")), 0)


def parquet() -> Iterator[Result]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    X = rng.standard_normal((1_000_000, 100))
    y = np.where(X @ rng.standard_normal(100) > 0, 1, -1)
    model = nk.Perceptron(max_iter=2)
    names = [f"x{j}" for j in range(100)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        columns = {name: X[:, j] for j, name in enumerate(names)}
        pq.write_table(pa.table({**columns, "label": y}), path, row_group_size=100_000)
        model.partial_fit(nk.inputs.Examples(X, y, np.array(names, dtype=object)), classes=[-1, 1])
        w, b = model.coef_[0], model.intercept_[0]

        def ours() -> np.ndarray:
            return np.concatenate([model.predict(chunk) for chunk in data.stream(path, columns=names)])

        def theirs() -> np.ndarray:
            table = pq.read_table(path, columns=names)
            rows = np.column_stack([column.to_numpy() for column in table.columns])
            return np.where(rows @ w + b > 0, 1, -1)

        yield compare(
            "predict from Parquet, 1,000,000 x 100",
            "pyarrow read, numpy column_stack and product",
            ours,
            theirs,
            same=np.array_equal,
            bar=1 / 1.3,
            rounds=5,
            clock=perf_counter,
        )


GROUPS = {"readers": readers, "passes": passes, "memory": memory, "parquet": parquet}
