"""How fast the page is: first picture, a long run from request to picture, frames while scrubbing.

A measurement, not a test: ``python -m tests.lab.measure``. Other work on the machine shows in the numbers.
"""

from __future__ import annotations

import shutil
import statistics

import numpy as np
from playwright.sync_api import Page, sync_playwright

from novikoff.lab import server
from novikoff.lab.experiment import Experiment
from novikoff.lab.run import run
from tests.lab.running import Running

READY = "() => (document.querySelector('.count')?.textContent.split(' / ')[1] ?? 0) > 0"

# Reload the same points as if they were new, until the picture shows the answer: milliseconds.
ASK = """async () => {
  const { lab } = await import("./lab.js");
  const began = performance.now();
  const drawn = (done) => requestAnimationFrame(() => setTimeout(done));
  const answered = new Promise((done) => lab.addEventListener("run", () => drawn(done), { once: true }));
  lab.fill(lab.points, lab.labels);
  await answered;
  return performance.now() - began;
}"""

# One step a frame, back and forth: milliseconds of every frame.
SCRUB = """async () => {
  const { lab } = await import("./lab.js");
  const frames = [];
  let before = performance.now();
  for (let i = 0; i < 180; i++) {
    lab.go((i * 7) % (lab.last + 1));
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - before);
    before = performance.now();
  }
  return frames;
}"""

# The work of one step without waiting for a frame.
WORK = """async () => {
  const { lab } = await import("./lab.js");
  const began = performance.now();
  for (let i = 0; i < 300; i++) {
    lab.go((i * 7) % (lab.last + 1));
    document.body.getBoundingClientRect();
  }
  return (performance.now() - began) / 300;
}"""


def crowd() -> Experiment:
    """300 points in the plane with a run of some 500 updates."""
    rng = np.random.default_rng(1)
    y = np.where(np.arange(300) % 2 == 0, 1, -1)
    X = np.column_stack([rng.uniform(-1, 1, 300), 0.3 + y * rng.uniform(0.05, 0.5, 300)]).round(3)
    return Experiment(X.tolist(), y.tolist(), learner="margin perceptron")


def fragment(experiment: Experiment) -> str:
    points = zip(experiment.points, experiment.labels, strict=True)
    text = ";".join(("p" if label > 0 else "m") + ",".join(map(str, point)) for point, label in points)
    return f"?d={text}&learner=margin+perceptron"


def frames(page: Page) -> str:
    taken = sorted(page.evaluate(SCRUB))
    work = page.evaluate(WORK)
    late = taken[int(0.95 * len(taken))]
    return f"median frame {statistics.median(taken):.1f} ms, 95 % {late:.1f} ms, work of a step {work:.2f} ms"


def main() -> None:
    server.warm_up()
    experiment = crowd()
    print(f"{len(experiment.points)} points, {len(run(experiment).row)} updates")
    with Running() as running, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        firsts = []
        for _ in range(5):
            page.goto("about:blank")
            page.goto(running.url)
            page.wait_for_function(READY)
            firsts.append(page.evaluate("() => performance.now()"))
        print(f"from navigation to the first picture: best {min(firsts):.0f} ms of {len(firsts)}")
        for tab in ("geometry", "proof"):
            page.goto("about:blank")
            page.goto(f"{running.url}#{tab}{fragment(experiment)}")
            page.wait_for_function(READY)
            asked = [page.evaluate(ASK) for _ in range(9)]
            best, median = min(asked), statistics.median(asked)
            print(f"{tab}: from the request to the picture: best {best:.0f} ms, median {median:.0f} ms")
            print(f"{tab}: scrubbing: {frames(page)}")
        browser.close()


if __name__ == "__main__":
    main()
