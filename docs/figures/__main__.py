"""Draws the pictures of the documentation with the code that its pages show: ``python -m docs.figures [folder]``.

A link to a picture stands for the current figure at that place of the page.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import sys
import warnings
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PAGES = (HERE.parent / "guides" / "plots.md", *sorted((HERE.parent / "learn").glob("*.md")))


def pictures(text: str) -> list[tuple[int, str]]:
    """The pictures that a page links to: the line, and the name of the file."""
    return [(text.count("\n", 0, m.start()), m[1]) for m in re.finditer(r"!\[[^]]*\]\(\.\./figures/([^)]+)\)", text)]


def draw(page: Path, folder: Path) -> list[Path]:
    """Run a page, and save its pictures."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    made = []
    examples = doctest.DocTestParser().get_examples(text)
    for line, name in pictures(text):
        while examples and examples[0].lineno < line:
            example = examples.pop(0)
            if not example.options.get(doctest.SKIP):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(example.source, str(page), "single"), names)
        plt.gcf().savefig(folder / name, metadata={"Date": None})
        plt.close("all")
        made.append(folder / name)
    return made


if __name__ == "__main__":
    matplotlib.use("Agg")
    warnings.simplefilter("error")
    # The same picture gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "novikoff"}):
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
        for page in PAGES:
            for path in draw(page, folder):
                print(f"{path}  {path.stat().st_size // 1000} kB")
