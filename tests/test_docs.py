"""The documentation: links lead somewhere, every page is found, and what is generated is up to date."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from docs.figures.__main__ import PAGES, pictures
from docs.reference.__main__ import pages as reference_pages
from docs.theorems.__main__ import EXAMPLES, SECTIONS, WHY
from docs.theorems.__main__ import pages as theorem_pages

from novikoff.theory import THEOREMS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
MARKDOWN = sorted([README, *ROOT.glob("C*.md"), *DOCS.rglob("*.md")])
COURSE = sorted((DOCS / "learn").glob("[0-9]-*.md"))


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "code", text)


def links(page):
    """The relative links of a page: the file, and the heading in it if there is one."""
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", target):
            path, _, heading = unquote(target).partition("#")
            yield ((page.parent / path).resolve() if path else page), heading


def headings(page):
    """As GitHub makes anchors of them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for title in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        yield re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


# Links ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, heading in links(page):
        assert target.exists(), f"{page.relative_to(ROOT)} links to {target}, which does not exist"
        if heading:
            assert heading in headings(target), f"{target.relative_to(ROOT)} has no heading {heading!r}"


def test_every_page_is_two_clicks_from_the_readme():
    near = {target for target, _ in links(README)}
    assert DOCS / "index.md" in near, "README.md does not link to the map, docs/index.md"
    far = {target for page in near if page.suffix == ".md" for target, _ in links(page)}
    lost = sorted(str(page.relative_to(ROOT)) for page in set(DOCS.rglob("*.md")) - near - far)
    assert not lost, f"docs/index.md does not link to {', '.join(lost)}"


def test_the_course_leads_from_page_to_page():
    assert len(COURSE) == 7
    for page, following in pairwise(COURSE):
        last = page.read_text(encoding="utf-8").rstrip().splitlines()[-1]
        assert re.search(rf"Next: \[[^]]+\]\({following.name}\)", last)
    for page in COURSE:
        text = page.read_text(encoding="utf-8")
        assert text.count("<details>") == text.count("</details>") >= 3, "every exercise has its check"
        assert pictures(text), "every page has a figure"
        for other in COURSE:
            assert other == page or f"({other.name})" in text


def test_figures_are_those_of_the_pages():
    """Every picture is drawn by the code of one page, and none is left over. ``python -m docs.figures`` draws them."""
    shown = [name for page in PAGES for _, name in pictures(page.read_text(encoding="utf-8"))]
    assert len(shown) == len(set(shown))
    assert set(shown) == {path.name for path in (DOCS / "figures").glob("*.svg")}


# What is generated ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "made"), [("theorems", theorem_pages), ("reference", reference_pages)], ids=["theorems", "reference"]
)
def test_generated_pages_are_up_to_date(folder, made):
    files = made()
    for name, text in files.items():
        assert (DOCS / folder / name).read_text(encoding="utf-8") == text, f"run: python -m docs.{folder}"
    by_hand = {"notes.md"} if folder == "theorems" else set()
    assert {path.name for path in (DOCS / folder).glob("*.md")} == set(files) | by_hand


def test_every_theorem_has_its_page():
    ids = [theorem.id for theorem in THEOREMS]
    assert len(ids) == len(set(ids))
    assert set(EXAMPLES) == set(ids) >= set(SECTIONS)
    assert set(WHY) == {hypothesis.text for theorem in THEOREMS for hypothesis in theorem.hypotheses}
    for theorem in THEOREMS:
        text = (DOCS / "theorems" / f"{theorem.id}.md").read_text(encoding="utf-8")
        # The example satisfies all hypotheses, so that the check says something.
        assert f"Finding(theorem='{theorem.id}', unmet=(), conclusion=True)" in text


def test_the_reference_is_complete_and_runs_nothing():
    text = "\n".join(reference_pages().values())
    assert ">>>" not in text
    for name in ("#### Perceptron.learn_one", "**at_zero**", "novikoff.certify(X, y=None, gap=0.01", "## ConceptClass"):
        assert name in text
