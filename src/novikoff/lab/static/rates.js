// The notes' table of costs beside runs of the methods: accuracy against iterations, or against rows read.

import { choice, element, set, svg } from "./dom.js";
import { control, defaults, fromText, options } from "./options.js";

// Of the curves, in the order of the methods: the second name is left of its end, where there is room, and the fourth below it.
const STYLES = [
  { color: "--series-1", dash: null },
  { color: "--series-2", dash: "9 4", nameBefore: true },
  { color: "--series-3", dash: "3 3" },
  { color: "--series-4", dash: "12 3 3 3", nameBelow: true },
];
const { methods: KEYS, options: OPTIONS, rows: ROWS, targets: TARGETS } = options.rates;
const METHODS = KEYS.map((key, i) => ({ key, ...STYLES[i % STYLES.length] }));
const DEFAULT = { methods: KEYS.join(","), ...defaults(OPTIONS), against: "iterations" };

export function mount(panel, api) {
  const state = { ...DEFAULT, ...readable(new URLSearchParams(api.read())) };
  let answer = null;
  const boxes = METHODS.map(({ key }) => element("input", { type: "checkbox", value: key, onchange: () => methods() }));
  METHODS.forEach(({ key }, i) => (boxes[i].checked = state.methods.split(",").includes(key)));
  const names = METHODS.map((method) => element("span", {}, swatch(method), method.key));
  const fields = OPTIONS.map((option) => control(option, (value) => change(option.key, value)));
  OPTIONS.forEach(({ key }, i) => fields[i].show(state[key]));
  const against = choice(
    "Against",
    [
      ["iterations", "iterations"],
      ["rows", "rows read"],
    ],
    state.against,
    (value) => ((state.against = value), note(), draw()),
  );
  const picture = svg("svg", { class: "rates-chart", role: "img" });
  const seen = element("div", { class: "seen" });
  const body = element("tbody");
  const heads = [
    "",
    "time per iteration",
    "iterations to ε",
    "total time",
    "in full",
    ...TARGETS.map((target) => `ε = ${target} after`),
    "measured here",
  ];
  panel.append(
    element(
      "div",
      { class: "card game-options" },
      element("h2", {}, "Four ways to least squares"),
      element(
        "p",
        { class: "quiet" },
        `F(w) = Σ(⟨w,x⟩ − y)² on ${ROWS} random rows. Accuracy ε is (F(w) − F*)/(F(0) − F*).`,
      ),
      element(
        "fieldset",
        { class: "pick" },
        element("legend", {}, "Methods"),
        ...boxes.map((box, i) => element("label", { class: "check" }, box, names[i])),
      ),
      element("div", { class: "toolbar" }, ...fields.map((field) => field.node), against.node),
    ),
    element(
      "div",
      { class: "columns" },
      element("div", { class: "card" }, element("h2", {}, "Accuracy, both axes logarithmic"), picture),
      element("div", { class: "card" }, element("h2", {}, "What is seen"), seen),
    ),
    element(
      "div",
      { class: "card" },
      element("h2", {}, "The notes’ table, and what these runs did"),
      element(
        "div",
        { class: "table wrap", tabindex: 0, role: "region", "aria-label": "Costs of the methods" },
        element(
          "table",
          {},
          element(
            "thead",
            {},
            element("tr", {}, ...heads.map((head) => element(head ? "th" : "td", head ? { scope: "col" } : {}, head))),
          ),
          body,
        ),
      ),
      element(
        "p",
        { class: "quiet" },
        "2 GD is Newton’s method, 2 SGD stochastic Newton. The notes leave out the columns d and the condition number k, and the n in the total time of GD; “in full” has time per iteration and iterations with them.",
      ),
    ),
  );
  new ResizeObserver(() => draw()).observe(picture);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  function note() {
    const text = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) if (value !== DEFAULT[key]) text.set(key, value);
    api.write(text.toString().replaceAll("%2C", ","));
  }

  function methods() {
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    if (chosen.length) change("methods", chosen.join(","));
    else boxes.forEach((box) => (box.checked = state.methods.split(",").includes(box.value)));
  }

  function change(key, value) {
    state[key] = value;
    run();
  }

  async function run() {
    try {
      answer = await api.latest("/api/rates", {
        methods: state.methods.split(","),
        ...Object.fromEntries(OPTIONS.map(({ key }) => [key, state[key]])),
      });
    } catch (error) {
      return api.fail(error);
    }
    api.fail(null);
    note();
    seen.replaceChildren(...answer.seen.map((text) => element("p", {}, text)));
    body.replaceChildren(
      ...answer.table.map(({ method, name, notes, full, measured }) =>
        element(
          "tr",
          {},
          element(
            "th",
            { scope: "row" },
            swatch(METHODS.find((one) => one.key === method)),
            `${method.replace("2", "2 ")} `,
            element("span", { class: "quiet" }, name),
          ),
          ...notes.map((text) => element("td", {}, text)),
          element("td", {}, full.join("; ")),
          ...TARGETS.map((_, target) =>
            element(
              "td",
              {},
              answer.paths.find((path) => path.method === method)?.reached[target]?.toLocaleString("en") ?? "–",
            ),
          ),
          element("td", {}, measured ?? "not chosen"),
        ),
      ),
    );
    draw();
    api.say(answer.seen[0] ?? "");
  }

  function draw() {
    const width = picture.clientWidth;
    if (!answer || !width) return;
    const height = Math.min(440, Math.max(280, width * 0.6));
    const [left, right, top, bottom] = [56, 14, 12, 46];
    const rows = state.against === "rows";
    const curves = answer.paths.map((path) => ({
      ...METHODS.find((one) => one.key === path.method),
      ...path,
      xs: path.iterations.map((t) => t * (rows ? path.rows : 1)),
    }));
    const most = Math.ceil(Math.log10(Math.max(10, ...curves.flatMap((curve) => curve.xs))));
    const low = Math.floor(Math.log10(Math.min(0.1, ...curves.flatMap((curve) => curve.accuracy))));
    const high = Math.max(0, Math.ceil(Math.log10(Math.max(1, ...curves.flatMap((curve) => curve.accuracy)))));
    const X = (value) => left + ((width - left - right) * Math.log10(value)) / most;
    const Y = (value) => top + ((height - top - bottom) * (high - Math.log10(value))) / (high - low);
    const parts = [];
    for (let power = 0; power <= most; power += width < 500 && most > 4 ? 2 : 1) {
      parts.push(svg("line", { class: "grid", x1: X(10 ** power), x2: X(10 ** power), y1: top, y2: height - bottom }));
      parts.push(
        svg(
          "text",
          { x: X(10 ** power), y: height - bottom + 18, "text-anchor": power === most ? "end" : "middle" },
          (10 ** power).toLocaleString("en"),
        ),
      );
    }
    for (let power = low; power <= high; power += Math.max(1, Math.ceil((high - low) / 8))) {
      parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: Y(10 ** power), y2: Y(10 ** power) }));
      parts.push(
        svg(
          "text",
          { x: left - 8, y: Y(10 ** power), "text-anchor": "end", "dominant-baseline": "middle" },
          power ? "10" : "1",
          power ? svg("tspan", { dy: -5, "font-size": 10 }, String(power).replace("-", "−")) : null,
        ),
      );
    }
    parts.push(
      svg(
        "text",
        { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" },
        rows ? "rows read" : "iterations",
      ),
    );
    for (const { key, color, dash, nameBefore, nameBelow, xs, accuracy } of curves) {
      const line = svg("path", {
        class: "curve",
        "stroke-dasharray": dash,
        d: [`M${X(1)} ${Y(1)}`, ...xs.map((x, i) => `L${X(x).toFixed(1)} ${Y(accuracy[i]).toFixed(1)}`)].join(""),
      });
      line.style.stroke = `var(${color})`;
      const end = [X(xs.at(-1) ?? 1), Y(accuracy.at(-1) ?? 1)];
      const dot = svg("circle", { cx: end[0], cy: end[1], r: 4 });
      dot.style.fill = `var(${color})`;
      const before = end[0] + 64 > width - right || (nameBefore && end[0] > left + 64);
      const name = svg(
        "text",
        {
          class: "name",
          x: before ? end[0] - 8 : end[0] + 8,
          y: end[1] + (nameBelow ? 20 : -9),
          "text-anchor": before ? "end" : "start",
        },
        key.replace("2", "2 "),
      );
      name.style.fill = `var(${color})`;
      parts.push(line, dot, name);
    }
    set(picture, {
      viewBox: `0 0 ${width} ${height}`,
      height,
      "aria-label": `Accuracy against ${rows ? "rows read" : "iterations"}. ${answer.paths.map((path) => `${path.name}: ${path.ending}`).join(". ")}.`,
    });
    picture.replaceChildren(...parts);
  }

  run();
  return { shown: draw };
}

function swatch({ color, dash }) {
  const line = svg("line", { x1: 0, y1: 5, x2: 26, y2: 5, "stroke-width": 2.5, "stroke-dasharray": dash });
  line.style.stroke = `var(${color})`;
  return svg("svg", { class: "swatch", width: 26, height: 10, "aria-hidden": "true" }, line);
}

// What of an address can be read.
function readable(given) {
  const found = {};
  for (const option of OPTIONS) {
    const value = fromText(option, given.get(option.key));
    if (value !== undefined) found[option.key] = value;
  }
  const methods = (given.get("methods") ?? "").split(",").filter((one) => KEYS.includes(one));
  if (methods.length) found.methods = [...new Set(methods)].join(",");
  if (given.get("against") === "rows") found.against = "rows";
  return found;
}
