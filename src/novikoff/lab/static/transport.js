// The bar that moves through the updates: back, play, step, scrub, speed. One for each tab, in step with each other.

import { choice, element, set, svg } from "./dom.js";
import { SPEEDS, lab } from "./lab.js";

const ICONS = {
  first: "M5 4v12M15 4 8 10l7 6z",
  back: "M14 4 6 10l8 6z",
  play: "M6 3.5 16 10 6 16.5z",
  pause: "M6 4h3v12H6zM12 4h3v12h-3z",
  step: "M6 4l8 6-8 6z",
  last: "M15 4v12M5 4l7 6-7 6z",
};
const icon = (name) =>
  svg("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
const button = (label, name, onclick) =>
  element("button", { class: "button icon", type: "button", "aria-label": label, title: label, onclick }, icon(name));

export function transport() {
  const first = button("To the start", "first", () => lab.go(0));
  const back = button("Step back", "back", () => lab.go(lab.step - 1));
  const play = element("button", { class: "button", type: "button", onclick: () => lab.toggle() });
  const step = element(
    "button",
    { class: "button primary", type: "button", onclick: () => (lab.pause(), lab.go(lab.step + 1)) },
    icon("step"),
    "Step",
  );
  const last = button("To the end", "last", () => lab.go(lab.last));
  const range = element("input", {
    type: "range",
    min: 0,
    max: 1,
    value: 0,
    step: 1,
    "aria-label": "Update",
    oninput: () => (lab.pause(), lab.go(Number(range.value))),
  });
  const count = element("output", { class: "count" });
  const speed = choice(
    "Speed",
    SPEEDS.map((n, i) => [n, ["slow", "normal", "fast", "very fast"][i]]),
    lab.speed,
    (value) => (lab.speed = Number(value)),
  );
  const update = () => {
    set(range, { max: Math.max(1, lab.last), "aria-valuetext": `after ${lab.step} of ${lab.last} updates` });
    range.value = lab.step;
    range.disabled = play.disabled = !lab.last;
    first.disabled = back.disabled = lab.step === 0;
    step.disabled = last.disabled = lab.step >= lab.last;
    count.textContent = `${lab.step} / ${lab.last}`;
  };
  const playing = () => play.replaceChildren(icon(lab.playing ? "pause" : "play"), lab.playing ? "Pause" : "Play");
  lab.addEventListener("step", update);
  lab.addEventListener("playing", playing);
  update();
  playing();
  return element(
    "div",
    { class: "transport", role: "group", "aria-label": "Updates" },
    element("div", { class: "buttons" }, first, back, play, step, last),
    range,
    count,
    speed.node,
  );
}

// Space plays on this tab, wherever a key has no other meaning. Returns what notes the state in the address.
export function share(panel, api) {
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest?.("input:not([type=range]), select, textarea, button, summary, a");
    if (panel.hidden || busy || event.key !== " ") return;
    event.preventDefault();
    lab.toggle();
  });
  let writing = 0;
  return () => {
    clearTimeout(writing);
    writing = setTimeout(() => lab.examples.length && api.write(lab.toText()), 150);
  };
}
