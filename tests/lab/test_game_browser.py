"""The Game and Rates tabs in a browser: a journey by keyboard, links, narrow windows, and axe."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.lab.running import Running


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Running() as running:
        yield running.url


@pytest.fixture(params=["light", pytest.param("dark", marks=pytest.mark.long)])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page on which nothing may be written to the console."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    page.close()
    # The browser itself notes a request that was refused.
    assert [text for text in said if "status of 422" not in text] == []


def accessible(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the button of that name has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            return
    raise AssertionError(f"no way to {name!r} by Tab")


def test_a_game_against_halving_by_keyboard_alone(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("tab", name="Geometry").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Game")).to_be_focused()
    expect(page.locator(".tile")).to_have_count(16)
    tab_to(page, "Hint")
    for number in range(1, 5):
        page.keyboard.press("Enter")
        expect(page.locator(".hint-text")).to_contain_text(f"From here {5 - number} mistake")
        wrong = page.get_by_role("button", name=re.compile("it was wrong"))
        text = wrong.text_content()
        assert text is not None
        for _ in range(2):
            page.keyboard.press("Shift+Tab")
            if page.evaluate("document.activeElement.textContent") == text:
                break
        page.keyboard.press("Enter")
        expect(page.locator(".score .count")).to_have_text(f"{number} of 4 mistakes")
        tab_to(page, "Hint")
    expect(page.locator(".score .tell")).to_have_text(
        "You forced 4 mistakes in 4 rounds: all that the theorem allows. Nobody can force more."
    )
    expect(page.get_by_role("heading", name="Version space: 1 of 16 left")).to_be_visible()
    expect(page.locator(".concepts s")).to_have_count(15)
    accessible(page)


def test_a_link_is_the_game_and_an_unreadable_one_a_new_game(page: Page, url: str) -> None:
    page.goto(f"{url}#game?learner=optimal&class=intervals&size=6&moves=2:1,4:0")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_text("Take back").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.wait_for_function("location.hash === '#game?learner=optimal&class=intervals&size=6&moves=2:1'")
    page.reload()
    expect(page.locator("tbody tr")).to_have_count(1)
    for text in ("moves=2:1,2:0x", "class=none&size=99&learner=x&role=y", "learner=perceptron&moves=9:9:p", "size=%"):
        page.goto("about:blank")
        page.goto(f"{url}#game?{text}")
        expect(page.get_by_text("No round yet.")).to_be_visible()
        expect(page.locator("#error")).to_be_hidden()
    page.goto("about:blank")
    page.goto(f"{url}#game?moves=15:0")
    expect(page.locator("#error")).to_contain_text("round 1: the label of 1111 cannot be 0")
    expect(page.get_by_text("No round yet.")).to_be_visible()


def test_a_label_that_no_concept_explains_cannot_be_said(page: Page, url: str) -> None:
    page.goto(f"{url}#game?class=thresholds&size=4&moves=1:1")
    page.get_by_role("radio", name="3, predicts 1").check()
    zero = page.get_by_role("button", name="Say 0: it was wrong")
    expect(zero).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".why")).to_have_text("All 2 concepts that are left say 1, so the label cannot be 0.")
    zero.press("Enter")
    page.get_by_role("button", name="Say 1: it was right").click()
    expect(page.locator("tbody tr")).to_have_count(2)


def test_the_learner_meets_the_adversary(page: Page, url: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{url}#game?role=learner&class=eight")
    page.get_by_label("Show how Halving").check()
    for number in range(1, 3):
        told = page.locator(".votes p").nth(1).text_content() or ""
        page.get_by_role("button", name=f"Predict {told.split('would say ')[1][0]}").click()
        expect(page.locator(".score .count")).to_have_text(f"{number} of 2 mistakes that nobody can avoid")
    expect(page.locator(".score .tell")).to_contain_text("exactly Ldim(C)")
    accessible(page)


def test_votes_may_be_asked_for_before_the_first_answer(page: Page, url: str) -> None:
    held: list[Route] = []
    page.route("**/api/game/learn", lambda route: held.append(route))
    with page.expect_request("**/api/game/learn"):
        page.goto(f"{url}#game?role=learner&class=eight")
    page.get_by_label("Show how Halving").check()
    held.pop().continue_()
    expect(page.locator(".votes p")).to_have_count(2)


def test_the_perceptron_in_the_plane_by_pointer_and_keys(page: Page, url: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{url}#game?learner=perceptron")
    expect(page.locator(".asked-of")).to_have_text("⟨w,x⟩ = 0, which predicts +.")
    page.locator(".disc").click()  # the origin
    expect(page.locator(".asked-of")).to_contain_text("choose another example")
    page.get_by_label("x1").fill("0.6")
    expect(page.locator(".asked-of")).to_have_text("⟨w,x⟩ = 0, which predicts +.")
    page.get_by_role("button", name="Say −: it was wrong").press("Enter")
    expect(page.locator(".score .count")).to_have_text("1 of 25 mistakes")
    expect(page.locator(".disc")).to_have_attribute("aria-label", re.compile("with 1 examples, w = \\(−0.6, "))
    page.get_by_role("button", name="Hint").press("Enter")
    expect(page.locator(".hint-text")).to_contain_text("of 720 directions")
    accessible(page)


def test_rates_by_keyboard(page: Page, url: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{url}#rates")
    expect(page.locator(".curve")).to_have_count(4)
    expect(page.locator(".seen")).to_contain_text("To accuracy 0.01, Newton reads 300 rows")
    accessible(page)
    page.get_by_role("checkbox", name="2SGD").press("Space")
    expect(page.locator(".curve")).to_have_count(3)
    page.get_by_role("combobox", name="Step").select_option("2.1")
    expect(page.locator(".seen")).to_contain_text("Gradient descent diverged")
    expect(page.locator(".rates-chart")).to_have_attribute("aria-label", re.compile("Newton: diverged"))
    page.get_by_role("combobox", name="Against").select_option("rows")
    assert page.url.endswith("#rates?methods=GD,2GD,SGD&step=2.1&against=rows")
    page.reload()
    expect(page.locator(".curve")).to_have_count(3)
    expect(page.get_by_role("combobox", name="Step")).to_have_value("2.1")


@pytest.mark.parametrize(
    "where", ["game", "game?role=learner&class=intervals&moves=01", "game?learner=perceptron&space=space", "rates"]
)
def test_nothing_is_wider_than_a_telephone(page: Page, url: str, where: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{url}#{where}")
    expect(page.locator(".seen p, .score .tell").first).not_to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    accessible(page)
