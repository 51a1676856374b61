"""All 55 linear problems of MNIST, certified and verified: `python -m benchmarks.mnist` writes the guide's table."""

from __future__ import annotations

import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np

import novikoff as nk
from benchmarks import datasets

PAGE = Path(__file__).parent.parent / "docs" / "guides" / "mnist.md"


PROBLEMS = [*combinations(range(10), 2), *((a, None) for a in range(10))]


def problem(a, b):
    """X and y of a pair of digits, or of one against the rest."""
    pixels, digits = datasets.mnist()
    chosen = digits >= 0 if b is None else (digits == a) | (digits == b)
    return pixels[chosen].astype(np.float32), np.where(digits[chosen] == a, 1, -1)


def settle(digits):
    """A problem: its proof, the size of the file, the seconds to find and save it, and to verify the file."""
    X, y = problem(*digits)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        start = time.perf_counter()
        proof = nk.certify(X, y)
        proof.save(path)
        middle = time.perf_counter()
        nk.verify(path, X, y)
        end = time.perf_counter()
        return digits, len(X), proof, path.stat().st_size, middle - start, end - middle


def settle_all(*, show: bool = False):
    """All of them in two processes, and the seconds that it took, reading included."""
    start = time.perf_counter()
    found = []
    with ProcessPoolExecutor(2) as pool:
        for result in pool.map(settle, PROBLEMS):
            found.append(result)
            if show:
                print(_row(*result), flush=True)
    return found, time.perf_counter() - start


def _row(digits, n, proof, size, found, verified):
    name = f"{digits[0]} v {'rest' if digits[1] is None else digits[1]}"
    if isinstance(proof, nk.Separable):
        lower, upper = proof.margin
        verdict = f"separable | {lower:.2f} .. {upper:.2f}"
    else:
        verdict = f"**not separable** | {len(proof.rows)} images cancel"
    return f"| {name} | {n} | {verdict} | {size // 1000} kB | {found:.2f} s | {verified:.2f} s |"


def main() -> None:
    head = "| problem | images | verdict | margin, or proof | file | found | verified |\n|---|---|---|---|---|---|---|"
    print(head)
    found, total = settle_all(show=True)
    separable = sum(isinstance(row[2], nk.Separable) for row in found)
    text = PAGE.read_text()
    start, end = "<!-- table -->\n", "<!-- end of table -->"
    summary = (
        f"{separable} of {len(found)} are separable. All were found, saved and verified in {total:.0f} seconds "
        "by two processes, reading included."
    )
    table = "\n".join([head, *(_row(*row) for row in found)])
    PAGE.write_text(f"{text.split(start)[0]}{start}\n{table}\n\n{summary}\n\n{end}{text.split(end)[1]}")
    print(summary)


if __name__ == "__main__":
    sys.exit(main())
