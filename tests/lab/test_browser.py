"""The page as a visitor uses it, in a browser: the first visit, every tab, and the keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from novikoff.lab import server
from tests.lab.running import Running

Open = Callable[..., Page]
DONE = re.compile(r"^(\d+) / \1$")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server.warm_up()
    with Running() as running:
        yield running.url


@pytest.fixture
def visit(browser: Browser, url: str) -> Iterator[Open]:
    """Opens pages; at the end, nothing was said on the console and nothing was asked of another machine."""
    contexts, said, asked = [], [], []

    def visit(fragment: str = "", **options: Any) -> Page:
        context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options}
        )
        context.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)  # other tests share the machine
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(url + fragment)
        return page

    yield visit
    for context in contexts:
        context.close()
    # The browser itself notes a request that was refused; where that was meant, it is the only thing said.
    noted = [text for text in said if "status of 422" in text]
    assert len(noted) == getattr(visit, "refused", 0)
    assert [text for text in said if text not in noted] == []
    assert {address for address in asked if not address.startswith((url, "data:", "blob:"))} == set()


def count(page: Page) -> Any:
    return page.locator("[role=tabpanel]:not([hidden]) .count")


def ready(page: Page) -> Page:
    """The answer to what was last asked is on the page."""
    expect(page.locator("#panels")).to_have_attribute("aria-busy", "false")
    expect(count(page)).not_to_have_text("0 / 0")
    return page


def combobox(page: Page, name: str) -> Any:
    return page.get_by_role("combobox", name=name, exact=True)


def fragment(page: Page, pattern: str) -> None:
    expect(page).to_have_url(re.compile(pattern))


def test_the_first_visit(visit: Open) -> None:
    page = ready(visit())
    expect(page.locator(".point")).to_have_count(14)
    expect(page.locator(".about")).to_contain_text("Press Step and watch the line turn")
    expect(page.locator(".verdict")).to_contain_text("at most 302 mistakes")
    expect(page.locator(".band .best")).to_have_count(1)
    expect(page.locator(".line .now")).to_have_count(0)  # w = 0
    page.get_by_role("button", name="Step", exact=True).click()
    expect(count(page)).to_have_text("1 / 13")
    expect(page.locator(".line .now")).to_have_count(1)
    expect(page.locator(".tell")).to_contain_text("Update 1 (round 1, pass 1): point 1")
    expect(page.locator("#status")).to_contain_text("Update 1")
    combobox(page, "Speed").select_option("very fast")
    page.get_by_role("button", name="Play").click()
    expect(count(page)).to_have_text(DONE)
    expect(page.locator(".done")).to_contain_text("Separated after 13 mistakes")
    page.get_by_role("button", name="Step back").click()
    expect(count(page)).to_have_text("12 / 13")
    page.get_by_role("slider", name="Update").fill("3")
    expect(count(page)).to_have_text("3 / 13")
    fragment(page, r"#geometry\?e=first&t=3$")


def test_points_by_mouse(visit: Open) -> None:
    page = ready(visit())
    box = page.locator("svg.picture").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + 60, box["y"] + 60)
    expect(page.locator(".point")).to_have_count(15)
    expect(page.locator(".point").last).to_have_class(re.compile("plus"))
    before = page.locator(".point").last.get_attribute("aria-label")
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 100, steps=5)
    page.mouse.up()
    expect(page.locator(".point").last).not_to_have_attribute("aria-label", before or "")
    fragment(page, r"#geometry\?d=p")
    page.get_by_role("radio", name="Erase points").check()
    page.mouse.click(box["x"] + 160, box["y"] + 100)
    expect(page.locator(".point")).to_have_count(14)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".point")).to_have_count(15)
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".point")).to_have_count(0)
    expect(page.locator(".verdict")).to_contain_text("place points of both classes")
    page.get_by_role("radio", name="Place minus points").check()
    page.mouse.click(box["x"] + 200, box["y"] + 200)
    expect(page.locator(".verdict")).to_contain_text("at least one point of the other class")


def test_points_by_touch(visit: Open) -> None:
    page = ready(visit(has_touch=True, is_mobile=True, viewport={"width": 360, "height": 740}))
    box = page.locator("svg.picture").first.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + 40, box["y"] + 40)
    expect(page.locator(".point")).to_have_count(15)


def test_by_keyboard_alone(visit: Open) -> None:
    page = ready(visit())

    def tab_to(what: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.locator(f"{what}:focus").count():
                return
        raise AssertionError(f"Tab never reaches {what}")

    tab_to(".point")
    label = page.locator(".point:focus")
    expect(label).to_have_attribute("aria-label", re.compile("^Point 1, plus, at "))
    before = label.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(label).not_to_have_attribute("aria-label", before or "")
    page.keyboard.press("-")
    expect(label).to_have_attribute("aria-label", re.compile("^Point 1, minus"))
    page.keyboard.press("+")
    expect(label).to_have_attribute("aria-label", re.compile("^Point 1, plus"))
    page.keyboard.press("PageDown")
    expect(page.locator(".point:focus")).to_have_attribute("aria-label", re.compile("^Point 2, minus"))
    page.keyboard.press("Delete")
    expect(page.locator(".point")).to_have_count(13)
    expect(page.locator(".point:focus")).to_have_attribute("aria-label", re.compile("^Point 2, plus"))
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    tab_to("input[type=range]")
    page.keyboard.press("Home")
    expect(count(page)).to_have_text(re.compile("^0 /"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(count(page)).to_have_text(re.compile("^1 /"))
    page.keyboard.press("Shift+Tab")
    tab_to("select")
    page.locator(".add-point").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".point")).to_have_count(14)
    expect(page.locator(".point").last).to_be_focused()
    page.locator("#tab-geometry").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-proof")).to_be_focused()
    expect(page.locator("#panel-proof")).to_be_visible()


def test_options_change_the_run(visit: Open) -> None:
    page = ready(visit())
    combobox(page, "Learner").select_option("margin perceptron")
    expect(page.locator(".figures")).to_contain_text("updates")
    combobox(page, "Next example").select_option("shuffled")
    page.get_by_label("Seed").fill("5")
    page.get_by_label("Seed").press("Enter")
    combobox(page, "Scaling").select_option("ball")
    page.get_by_label("Constant coordinate").uncheck()
    combobox(page, "⟨w,x⟩ = 0 is").select_option("positive")
    fragment(page, "learner=margin\\+perceptron&order=shuffled&seed=5&at_zero=positive&intercept=0&scale=ball")
    expect(ready(page).locator(".verdict")).to_contain_text("Not separable")  # by a line through the origin
    page.reload()
    expect(ready(page).locator(".verdict")).to_contain_text("Not separable")
    expect(page.get_by_label("Seed")).to_have_value("5")
    expect(page.get_by_label("Constant coordinate")).not_to_be_checked()


@pytest.mark.long
def test_every_example_is_drawn(visit: Open) -> None:
    page = ready(visit())
    menu = combobox(page, "Example")
    keys = [key for key in menu.locator("option").evaluate_all("nodes => nodes.map(node => node.value)") if key]
    assert len(keys) >= 9
    for key in keys:
        menu.select_option(key)
        fragment(page, f"#geometry\\?e={key}$")
        ready(page)
        page.get_by_role("button", name="To the end").click()
        expect(count(page)).to_have_text(DONE)
        expect(page.locator(".done")).to_have_count(1)
    menu.select_option("xor")
    expect(page.locator(".obstacle .hull")).to_have_count(2)
    expect(page.locator(".obstacle .meeting")).to_have_count(1)
    expect(page.locator(".verdict")).to_contain_text("the hulls of the two classes meet, exactly")
    menu.select_option("doubling")
    expect(page.locator("svg.space")).to_be_visible()
    drawn = page.locator("svg.space .now-3, svg.space .point").first.evaluate("node => node.outerHTML")
    page.locator("svg.space").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("svg.space .now-3, svg.space .point").first.evaluate("node => node.outerHTML") != drawn


def test_the_table_says_what_the_picture_shows(visit: Open) -> None:
    page = ready(visit("#geometry?e=first&t=2"))
    page.get_by_text("Table of updates").click()
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(13)
    expect(page.locator("tr[aria-current=step] td").first).to_have_text("2")
    page.get_by_role("button", name="Step", exact=True).click()
    expect(page.locator("tr[aria-current=step] td").first).to_have_text("3")


def test_the_proof(visit: Open) -> None:
    page = ready(visit("#proof?e=tiny&t=40"))
    panel = page.locator("#panel-proof")
    expect(panel.locator(".claim")).to_contain_text("at most R²/γ² = 791 mistakes")
    expect(panel.locator("canvas")).to_have_count(3)
    expect(panel.locator(".sentences .ceiling")).to_contain_text("‖w + yx‖² = ‖w‖² + 2y⟨w,x⟩ + ‖x‖²")
    expect(panel.locator(".sentences .floor")).to_contain_text("because w* has margin γ")
    expect(panel.locator(".sentences .squeeze")).to_contain_text(
        "γt ≤ ⟨w,w*⟩ ≤ ‖w‖ ≤ R√t: 2.231 ≤ 3.458 ≤ 3.486 ≤ 9.925"
    )
    expect(panel.locator(".checked")).to_contain_text("held at every update (94), checked in exact arithmetic")
    expect(panel.locator(".allowed")).to_contain_text("40 mistakes of 791 allowed")
    panel.get_by_role("slider", name="Update").fill("94")
    expect(panel.locator(".done")).to_contain_text("Separated after 94 mistakes")
    panel.get_by_label("As far as the lines cross").check()
    expect(panel.locator(".mark").first).to_be_hidden()
    page.get_by_role("tab", name="Geometry").click()
    expect(count(page)).to_have_text("94 / 94")
    fragment(page, r"#geometry\?e=tiny&t=94$")


def test_without_a_separator_the_proof_says_so(visit: Open) -> None:
    page = ready(visit("#proof?e=xor&t=9"))
    expect(page.locator(".claim")).to_contain_text("it promises nothing here")
    expect(page.locator(".checked")).to_contain_text("no w* for the proof")


def test_share_and_save(visit: Open, tmp_path: Path) -> None:
    page = ready(visit("#geometry?e=first&t=4", permissions=["clipboard-read", "clipboard-write"]))
    page.get_by_text("Share, save, load").click()
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator(".sharing [role=status]")).to_contain_text("clipboard")
    assert page.evaluate("() => navigator.clipboard.readText()").endswith("#geometry?e=first&t=4")
    page.get_by_role("button", name="Copy Python").click()
    expect(page.locator(".sharing [role=status]")).to_contain_text("Python code")
    assert "import novikoff as nk" in page.evaluate("() => navigator.clipboard.readText()")
    for name, begin in (("Python", b"import"), ("CSV", b"x1,x2,label"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save {name}").click()
        target = tmp_path / saved.value.suggested_filename
        saved.value.save_as(target)
        content = target.read_bytes()
        assert content.startswith(begin)
        assert len(content) > 100
    page.get_by_label("Points as CSV").fill("1,2,cat\n-1,x,dog")
    page.get_by_role("button", name="Use these points").click()
    expect(page.locator("#error")).to_have_text("line 2, column 2: 'x' is not a number")
    visit.refused = 1  # type: ignore[attr-defined]


def test_points_from_csv(visit: Open, tmp_path: Path) -> None:
    page = ready(visit())
    page.get_by_text("Share, save, load").click()
    page.get_by_label("Points as CSV").fill("x,y,kind\n1,2,cat\n-1,0.5,dog\n0,0,cat")
    page.get_by_role("button", name="Use these points").click()
    expect(page.locator(".point")).to_have_count(3)
    expect(page.locator(".sharing [role=status]")).to_contain_text("+ is dog, − is cat")
    file = tmp_path / "mine.csv"
    file.write_text("1,+1\n2,+1\n-1,-1\n-2,-1\n")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".point")).to_have_count(4)
    fragment(page, r"d=p1;p2;m-1;m-2")


def test_a_shared_state_survives(visit: Open) -> None:
    page = ready(visit("#geometry?d=p1,2;m-1,0.5;p3,0&order=worst&t=1"))
    expect(page.locator(".point")).to_have_count(3)
    expect(count(page)).to_have_text(re.compile("^1 /"))
    fragment(page, re.escape("#geometry?d=p1,2;m-1,0.5;p3,0&order=worst&t=1"))


BROKEN = [
    "#geometry?d=p1,x",
    "#geometry?d=q1,2",
    "#geometry?d=p1,2;m1",
    "#geometry?d=p1e9,2",
    "#geometry?e=nothing",
    "#geometry?e=first&order=sideways",
    "#geometry?e=first&t=-1",
    "#geometry?%E0%A4%A",
    "#<img src=x onerror=alert(1)>",
]


@pytest.mark.long
def test_bad_links_are_refused_gently(visit: Open, url: str) -> None:
    page = visit()
    for broken in BROKEN:
        page.goto("about:blank")
        page.goto(url + broken)
        expect(ready(page).locator("#error"), broken).to_contain_text("The link could not be read")
        expect(page.locator(".point"), broken).to_have_count(14)


def test_a_server_that_went_away_is_explained(browser: Browser) -> None:
    with Running() as running:
        page = browser.new_context().new_page()
        page.goto(running.url)
        ready(page)
    combobox(page, "Scaling").select_option("ball")
    expect(page.locator(".verdict")).to_contain_text("Is “novikoff lab” still running")
    page.context.close()


@pytest.mark.parametrize("where", ["#geometry?e=xor&t=5", "#proof?e=first&t=5"])
@pytest.mark.long
def test_axe_finds_nothing(visit: Open, where: str) -> None:
    page = ready(visit(where, bypass_csp=True))  # the checker is a script that the page's policy would refuse
    for details in page.locator("[role=tabpanel]:not([hidden]) details").all():
        details.evaluate("node => { node.open = true }")
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 800})
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
        small = page.evaluate(
            "() => [...document.querySelectorAll('button, select, input:not(.visually-hidden), summary, .target')]"
            ".filter(node => node.checkVisibility() && !node.closest('.check, .space'))"
            ".map(node => node.getBoundingClientRect()).filter(box => box.width < 24 || box.height < 24).length"
        )
        assert small == 0


def test_the_picture_stays_where_it_is(visit: Open) -> None:
    """A click must not move what is under the next one."""
    page = ready(visit())
    before = page.locator("svg.picture").first.bounding_box()
    assert before
    page.mouse.click(before["x"] + 60, before["y"] + 60)
    expect(page.locator(".point")).to_have_count(15)
    step = page.locator("#panel-geometry").get_by_role("button", name="Step", exact=True)
    place = step.bounding_box()
    for _ in range(3):
        step.click()
    expect(count(page)).to_have_text(re.compile("^3 /"))
    assert page.locator("svg.picture").first.bounding_box() == before
    assert step.bounding_box() == place
