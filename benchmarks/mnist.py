"""All 55 linear problems of MNIST, certified and verified: `python -m benchmarks.mnist` writes the guide's table."""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np

import novikoff as nk
from benchmarks import datasets

PAGE = Path(__file__).parent.parent / "docs" / "guides" / "mnist.md"


def problems():
    """Name, X and y: 45 pairs of digits, then each digit against the rest."""
    pixels, digits = datasets.mnist()
    X = pixels.astype(np.float32)
    for a, b in combinations(range(10), 2):
        chosen = (digits == a) | (digits == b)
        yield f"{a} v {b}", X[chosen], np.where(digits[chosen] == a, 1, -1)
    for a in range(10):
        yield f"{a} v rest", X, np.where(digits == a, 1, -1)


def settle_all(*, show: bool = False):
    """Each problem: its proof, the seconds to find and save it, the seconds to verify the file."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.json"
        for name, X, y in problems():
            start = time.perf_counter()
            proof = nk.certify(X, y)
            proof.save(path)
            middle = time.perf_counter()
            nk.verify(path, X, y)
            end = time.perf_counter()
            found.append((name, len(X), proof, path.stat().st_size, middle - start, end - middle))
            if show:
                print(_row(*found[-1]), flush=True)
    return found


def _row(name, n, proof, size, found, verified):
    if isinstance(proof, nk.Separable):
        lower, upper = proof.margin
        verdict = f"separable | {lower:.2f} .. {upper:.2f}"
    else:
        verdict = f"**not separable** | {len(proof.rows)} images cancel"
    return f"| {name} | {n} | {verdict} | {size // 1000} kB | {found:.2f} s | {verified:.2f} s |"


def main() -> None:
    head = "| problem | images | verdict | margin, or proof | file | found | verified |\n|---|---|---|---|---|---|---|"
    print(head)
    found = settle_all(show=True)
    total = sum(row[4] + row[5] for row in found)
    separable = sum(isinstance(row[2], nk.Separable) for row in found)
    text = PAGE.read_text()
    start, end = "<!-- table -->\n", "<!-- end of table -->"
    summary = f"{separable} of {len(found)} are separable. All were found, saved and verified in {total:.0f} seconds."
    table = "\n".join([head, *(_row(*row) for row in found)])
    PAGE.write_text(f"{text.split(start)[0]}{start}\n{table}\n\n{summary}\n\n{end}{text.split(end)[1]}")
    print(summary)


if __name__ == "__main__":
    sys.exit(main())
