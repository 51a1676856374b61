"""The page offers what the server says, and keeps within what it says: nothing of it is written in the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from novikoff.estimators.registry import Entry
from novikoff.lab.experiment import LEARNERS, Learner
from novikoff.lab.gallery import Everything
from novikoff.lab.options import options
from tests.lab.careful import CarefulPerceptron
from tests.lab.running import Running

FIRST = "#geometry?e=first"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Running() as running:
        yield running.url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in which nothing may throw."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    page.close()
    assert thrown == []


def told(page: Page, change: Callable[[Any], None]) -> None:
    """Let the server say something else than it does."""

    def say(route: Route) -> None:
        answer = route.fetch().json()
        change(answer)
        route.fulfill(content_type="application/json", body=json.dumps(answer))

    page.route("**/api/options", say)


def visit(page: Page, address: str) -> Page:
    page.goto("about:blank")
    page.goto(address)
    return page


def offered(page: Page, name: str) -> list[tuple[str, str]]:
    menu = page.get_by_role("combobox", name=name, exact=True)
    expect(menu).to_be_visible()
    return [tuple(one) for one in menu.locator("option").evaluate_all("all => all.map(one => [one.value, one.text])")]


@pytest.mark.long
def test_the_menus_are_those_of_the_server(page: Page, url: str) -> None:
    served = options(Everything())
    visit(page, f"{url}{FIRST}")
    expect(page.locator(".point")).to_have_count(14)
    expect(page.get_by_label("Seed")).to_be_hidden()  # it needs another order
    visit(page, f"{url}{FIRST}&order=shuffled")
    expect(page.get_by_label("Seed")).to_be_visible()
    for option in served.experiment.options:
        if option.choices:
            assert offered(page, option.title) == [(choice.value, choice.text) for choice in option.choices]
    seed = page.get_by_label("Seed")
    assert (seed.get_attribute("min"), seed.get_attribute("max")) == ("0", str(2**31 - 1))
    visit(page, f"{url}#rates")
    for option in served.rates.options[:-1]:
        assert [text for _, text in offered(page, option.title)] == [choice.text for choice in option.choices]
    assert page.get_by_label("Seed").get_attribute("max") == "9999"
    visit(page, f"{url}#game")
    assert offered(page, "Against") == [(one.key, one.title) for one in served.game.learners]
    assert offered(page, "Concepts") == [(one.key, one.title) for one in served.game.classes]
    for one in served.game.learners:
        visit(page, f"{url}#game?learner={one.key}")
        expect(page.locator(".score h2")).to_have_text(one.heading)
        expect(page.get_by_role("heading", name="Literals in the hypothesis")).to_have_count(int(one.eliminates))
    visit(page, f"{url}#game?learner=elimination")
    assert offered(page, "Concepts") == [(one.key, one.title) for one in served.game.classes if one.elimination]
    for space, margins in (("plane", served.game.vectors.plane), ("space", served.game.vectors.space)):
        visit(page, f"{url}#game?learner=perceptron&space={space}")
        assert [int(key) for key, _ in offered(page, "Mistakes allowed, 1/γ²")] == margins.offered
        expect(page.locator(".score .count")).to_have_text(f"0 of {margins.usual} mistakes")


def test_a_learner_of_the_table_is_on_the_page(page: Page, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEARNERS, "careful", Learner(Entry(CarefulPerceptron, ())))
    visit(page, f"{url}{FIRST}")
    expect(page.locator(".point")).to_have_count(14)
    menu = page.get_by_role("combobox", name="Learner", exact=True)
    menu.select_option("Careful Perceptron")
    expect(page.locator(".figures")).to_contain_text(re.compile(r"updates0 of at most \d+"))
    expect(page).to_have_url(re.compile("learner=careful$"))
    page.reload()
    expect(menu).to_have_value("careful")
    page.get_by_role("tab", name="Proof").click()
    expect(page.locator(".claim")).to_contain_text(re.compile(r"with θ = 2\. .* \(R² \+ 2θ\)/γ² = \d+ updates"))
    expect(page.locator(".allowed")).to_contain_text("0 updates of")
    monkeypatch.undo()
    visit(page, f"{url}{FIRST}&learner=careful")  # where nobody knows it, the link is not half understood
    expect(page.locator("#error")).to_contain_text("The link could not be read")
    expect(menu).to_have_value("perceptron")


@pytest.mark.long
def test_the_page_keeps_to_the_limits_that_it_is_told(page: Page, url: str) -> None:
    def tighter(answer: Any) -> None:
        answer["experiment"]["limits"] |= {
            "points": 3, "coordinates": 2, "largest": 4, "smallest": 0.5, "updates": 5, "characters": 20,
        }  # fmt: skip
        next(one for one in answer["experiment"]["options"] if one["key"] == "seed")["most"] = 7

    told(page, tighter)
    good = "#geometry?d=p1,2;m-1,0.5;p4,0&t=1&seed=7"
    visit(page, url + good)
    expect(page.locator(".point")).to_have_count(3)
    expect(page.locator("#error")).to_be_hidden()
    page.get_by_role("button", name="Add").click()
    page.locator(".point").first.press("ArrowRight")  # what comes after the click, and after what it may do
    expect(page.locator(".point")).to_have_count(3)
    page.get_by_text("Share, save, load").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "long.csv", "mimeType": "text/csv", "buffer": b"1,2,+\n3,4,-\n 5,6,-\n7,8,+\n"}
    )
    expect(page.locator("#error")).to_have_text("long.csv is too long: the lab takes 3 points.")
    for bad in (
        "d=p1,2;m-1,0.5;p4,0;p1,1",
        "d=p1,2,3;m-1,0.5,1",
        "d=p1,2;m-1,5",
        "d=p1,2;m-1,0.5&t=6",
        "d=p1,2;m-1,0.5&seed=8",
        "d=p1,2;m-1,0.5&intercept=2",
    ):
        visit(page, f"{url}#geometry?{bad}")
        expect(page.locator("#error")).to_contain_text("The link could not be read")


def test_the_picture_keeps_points_within_the_plane_that_it_is_told(page: Page, url: str) -> None:
    told(page, lambda answer: answer["experiment"]["limits"].update(largest=2, smallest=0.1))
    visit(page, f"{url}#geometry?d=p0,0;m2,0")
    expect(page.locator(".point")).to_have_count(2)
    places = page.locator(".point").evaluate_all("all => all.map(one => one.transform.baseVal[0].matrix.e)")
    assert places[1] - places[0] == pytest.approx(2 * 10)  # a pixel is no less than the smallest coordinate
    visit(page, f"{url}{FIRST}")
    expect(page.locator(".point")).to_have_count(14)
    box = page.locator("svg.picture").first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    expect(page.locator(".point").last).to_have_attribute("aria-label", "Point 15, plus, at 2, −2")


@pytest.mark.long
def test_games_keep_to_the_limits_that_they_are_told(page: Page, url: str) -> None:
    def tighter(answer: Any) -> None:
        answer["game"] |= {"rounds": 2, "last_point": 4, "predictions": 2}
        answer["game"]["vectors"] |= {"rounds": 1, "shortest": 0.5}
        answer["game"]["vectors"]["plane"] |= {"most": 30, "usual": 9}

    told(page, tighter)
    rows = page.locator("tbody tr")
    thresholds = "class=thresholds&size=6"
    for place, count in (
        (f"{thresholds}&moves=2:1,4:1", 2),
        (f"{thresholds}&moves=2:1,4:1,3:1", 0),
        (f"{thresholds}&moves=5:1", 0),
        (f"role=learner&{thresholds}&moves=01", 2),
        (f"role=learner&{thresholds}&moves=010", 0),
        ("learner=perceptron&moves=1:0:m,1:0:m", 1),
    ):
        visit(page, f"{url}#game?{place}")
        expect(page.locator(".score .tell")).not_to_be_empty()
        expect(rows).to_have_count(count)
        expect(page.locator("#error")).to_be_hidden()
    page.get_by_label("x1").fill("0.1")
    page.get_by_label("x2").fill("0.1")
    expect(page.locator(".asked-of")).to_contain_text("The origin has no side")
    for allowed, count in (("30", "0 of 30 mistakes"), ("31", "0 of 9 mistakes")):
        visit(page, f"{url}#game?learner=perceptron&allowed={allowed}")
        expect(page.locator(".score .count")).to_have_text(count)


@pytest.mark.long
def test_rates_are_what_the_page_is_told(page: Page, url: str) -> None:
    def other(answer: Any) -> None:
        rates = answer["rates"]
        rates |= {"methods": rates["methods"][::-1], "rows": 123, "targets": ["a tenth"]}
        rates["options"][-1] |= {"most": 7, "default": 3}

    told(page, other)
    for link, seed in (("", "3"), ("?seed=7", "7"), ("?seed=8", "3")):
        visit(page, f"{url}#rates{link}")
        expect(page.locator(".curve")).to_have_count(4)
        expect(page.get_by_label("Seed")).to_have_value(seed)
    page.get_by_role("checkbox", name="SGD").first.uncheck()
    expect(page).to_have_url(re.compile("methods=SGD,2GD,GD"))
    page.get_by_role("checkbox", name="SGD").first.check()
    expect(page).to_have_url(re.compile("#rates$"))  # all of them, which needs no words
    expect(page.locator(".pick .check")).to_have_text(["2SGD", "SGD", "2GD", "GD"])
    expect(page.locator("#panel-rates")).to_contain_text("on 123 random rows")
    expect(page.locator("#panel-rates th[scope=col]")).to_contain_text(["ε = a tenth after", "measured here"])


@pytest.mark.parametrize("status", [None, 500])
def test_without_the_options_there_is_a_sentence_and_no_broken_page(page: Page, url: str, status: int | None) -> None:
    def refuse(route: Route) -> None:
        if status is None:
            route.abort()
        else:
            route.fulfill(status=status, content_type="application/json", body='{"error": "the lab failed"}')

    page.route("**/api/options", refuse)
    visit(page, url)
    expect(page.locator("#error")).to_have_text(
        "The lab does not answer. Is “novikoff lab” still running in its terminal?"
        if status is None
        else "the lab failed"
    )
    for name in ("Game", "Rates", "Geometry"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    page.unroute("**/api/options")
    page.reload()
    expect(page.locator("#error")).to_be_hidden()
    expect(page.locator(".point")).to_have_count(14)


def test_the_options_are_asked_for_once_and_a_step_asks_nothing(page: Page, url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(url)))
    visit(page, f"{url}{FIRST}")
    expect(page.locator("#panel-geometry .count")).to_have_text("0 / 13")
    for name in ("Proof", "Game", "Rates", "Geometry"):
        page.get_by_role("tab", name=name).click()
    expect(page.locator("#panel-geometry")).to_be_visible()
    assert asked.count("api/options") == 1
    page.wait_for_load_state("networkidle")
    asked.clear()
    page.locator("#panel-geometry").get_by_role("button", name="Step", exact=True).click()
    expect(page.locator("#panel-geometry .count")).to_have_text("1 / 13")
    assert asked == []


@pytest.mark.parametrize(
    ("link", "place", "text"),
    [
        (
            "#geometry?e=first&learner=margin+perceptron&order=shuffled&seed=5&at_zero=positive&intercept=0&scale=ball&t=2",
            ".figures",
            "updates2",
        ),
        ("#geometry?e=setosa&order=given", ".verdict", "Separable"),
        ("#proof?d=p1,2;m-1,0.5;p3,0&order=worst&t=1", ".allowed", "1 mistakes of"),
        ("#game?learner=elimination&class=conjunctions&size=3&moves=7:1", ".score .count", "1 of 4 mistakes"),
        ("#game?learner=perceptron&space=space&allowed=4&moves=1:0:0:0:m", ".score .count", "1 of 4 mistakes"),
        ("#rates?methods=GD,2SGD&condition=100&d=4&step=0.5&seed=12&against=rows", ".seen", "Gradient descent"),
    ],
)
def test_links_of_yesterday_open(page: Page, url: str, link: str, place: str, text: str) -> None:
    visit(page, url + link)
    expect(page.locator(f"[role=tabpanel]:not([hidden]) {place}")).to_contain_text(text)
    expect(page.locator("#error")).to_be_hidden()
    assert page.evaluate("location.hash") == link
