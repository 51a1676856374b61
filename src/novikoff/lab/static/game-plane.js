// You are the adversary of the Perceptron: give points in the plane, or vectors.

import { lineChart } from "./chart.js";
import { element, set, shown, svg } from "./dom.js";
import { action, enable, judged, rounds, score } from "./game-parts.js";
import { options } from "./options.js";

const { rounds: ROUNDS, shortest: SHORTEST } = options.game.vectors;
const SIZE = 210; // pixels of the picture for length 1
const sign = (label) => (label > 0 ? "+" : "−");

export function plane(host, state, { api, write }) {
  const allowed = Number(state.allowed);
  const flat = state.space === "plane";
  const d = flat ? 2 : allowed;
  let moves = read(state.moves, d);
  let x = flat ? [0.6, 0.5] : Array.from({ length: d }, (_, i) => (i ? 0 : 1));
  let answer = null;
  const top = score(options.game.learners.find((one) => one.key === state.learner).heading);
  const inputs = x.map(() =>
    element("input", {
      type: "number",
      min: -1,
      max: 1,
      step: flat ? 0.05 : 1,
      oninput: () => ((x = inputs.map((input) => Number(input.value) || 0)), refresh()),
    }),
  );
  const asked = element("p", { class: "asked-of" });
  const say = [-1, 1].map((label) =>
    action("", () => answer?.next && replay([...moves, [answer.next.x, label]]), true),
  );
  const why = element("p", { class: "quiet why" });
  const hint = element("p", { class: "hint-text" });
  const undo = action("Take back", () => replay(moves.slice(0, -1)));
  const again = action("Begin again", () => replay([]));
  const history = rounds("Rounds", ["round", "x", "⟨w,x⟩", "predicted", "truth", "‖w‖"]);
  const picture = svg("svg", { class: "disc", viewBox: "-240 -240 480 480", role: "img", onclick: place });
  const curves = element("div", { class: "card" });
  const fields = element(
    "fieldset",
    { class: "coordinates" },
    element(
      "legend",
      {},
      flat ? "1. Choose a point: click in the disc, or type" : "1. Choose a vector; it is divided by its length",
    ),
    ...inputs.map((input, i) => element("label", { class: "field" }, element("span", {}, `x${i + 1}`), input)),
  );
  host.append(
    top.node,
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        { class: flat ? "card plane-game" : "card" },
        flat
          ? element(
              "div",
              {},
              picture,
              element(
                "p",
                { class: "quiet" },
                "Green: the directions that are left for w*. Dashed: where ⟨w,x⟩ = 0; examples on the side of w are predicted +. A ring: a mistake.",
              ),
            )
          : null,
        element(
          "div",
          { class: "moves" },
          fields,
          element("h2", {}, "2. Say its label"),
          asked,
          element("div", { class: "toolbar" }, ...say),
          why,
          element("div", { class: "toolbar" }, action("Hint", ask), undo, again),
          hint,
        ),
      ),
      element("div", { class: "side" }, curves, history.node),
    ),
  );
  const chart = lineChart(curves, {
    title: "The squeeze",
    x: "mistakes t",
    height: 200,
    series: [
      { label: "√t, the ceiling", color: "--quiet", dash: [7, 5] },
      { label: "‖w‖", color: "--series-1", width: 2.5 },
      { label: "γt, the floor", color: "--witness", dash: [3, 4] },
    ],
  });

  const request = (now) => ({ d, allowed, moves: now, x: Math.hypot(...x) >= SHORTEST ? x : null });

  async function replay(now) {
    try {
      answer = await api.latest("/api/game/perceptron", request(now));
    } catch (error) {
      if (error.name !== "AbortError" && answer === null && now.length) await replay([]); // the moves of a link
      return api.fail(error);
    }
    api.fail(null);
    const played = now !== moves;
    moves = now;
    state.moves = moves.map(([point, label]) => `${point.join(":")}:${label > 0 ? "p" : "m"}`).join(",");
    write();
    if (played) hint.textContent = "";
    show();
    if (played) api.say(answer.verdict);
  }
  const refresh = () => replay(moves);

  async function ask() {
    try {
      const best = await api.latest("/api/game/advice", { d, allowed, moves });
      if (best.x) {
        x = best.x;
        inputs.forEach((input, i) => (input.value = Number(x[i].toFixed(3))));
        await refresh();
      }
      hint.textContent = best.text;
      api.say(best.text);
    } catch (error) {
      api.fail(error);
    }
  }

  function place(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    x = [point.x / SIZE, -point.y / SIZE].map((v) => Math.round(v * 100) / 100);
    inputs.forEach((input, i) => (input.value = x[i]));
    refresh();
  }

  function show() {
    top.show(answer, answer.bound, "mistakes");
    const { next } = answer;
    if (next) {
      const product =
        next.product === 0 ? "⟨w,x⟩ = 0, which predicts " : `⟨w,x⟩ = ${shown(next.product)}: the Perceptron predicts `;
      asked.replaceChildren(product, element("strong", {}, sign(next.prediction)), ".");
    } else asked.textContent = "The origin has no side: choose another example.";
    say.forEach((button, i) => {
      const label = i ? 1 : -1;
      button.textContent = `Say ${sign(label)}${next ? (label === next.prediction ? ": it was right" : ": it was wrong") : ""}`;
      set(button, { class: next && label !== next.prediction ? "button primary" : "button" });
      enable(button, Boolean(next?.labels.includes(label)));
    });
    const gamma = shown(answer.gamma);
    why.textContent = !next
      ? ""
      : next.labels.length === 2
        ? `With either label, some separator has margin γ = ${gamma} on all examples.`
        : next.labels.length === 1
          ? `Only with ${sign(next.labels[0])} does some separator have margin γ = ${gamma} on all examples.`
          : `With neither label does any separator have margin γ = ${gamma} on all examples: choose another one.`;
    enable(undo, moves.length > 0);
    enable(again, moves.length > 0);
    history.show(
      answer.rounds.map((one, i) => {
        const mistake = one.prediction !== one.label;
        return {
          mistake,
          cells: [
            String(i + 1),
            `(${one.x.map((v) => shown(Math.round(v * 100) / 100)).join(", ")})`,
            shown(Number(one.product.toPrecision(2))),
            judged(sign(one.prediction), sign(one.label)),
            sign(one.label),
            shown(one.norm),
          ],
        };
      }),
    );
    curves.hidden = answer.mistakes === 0;
    chart.data(answer.curves);
    const end = answer.curves.map((curve) => curve.at(-1));
    chart.describe(
      `After ${end[0]} mistakes: γt is ${shown(end[3])}, the length of w is ${shown(end[2])}, and √t is ${shown(end[1])}.`,
    );
    if (flat) draw();
  }

  // The disc of the examples, the arc of the separators that are left, w and its line.
  function draw() {
    const at = ([a, b], far = SIZE) => [a * far, -b * far];
    const { w, arc, rounds: given, next } = answer;
    const length = Math.hypot(...w);
    const parts = [svg("circle", { class: "rim", r: SIZE }), svg("circle", { class: "origin", r: 3 })];
    const [from, to] = arc ?? [0, 2 * Math.PI];
    const edge = (angle) => at([Math.cos(angle), Math.sin(angle)], SIZE + 14);
    if (arc === null) parts.push(svg("circle", { class: "arc", r: SIZE + 14 }));
    else {
      const [a, b] = [edge(from), edge(Math.max(to, from + 0.012))];
      parts.push(
        svg("path", { class: "arc", d: `M${a} A${SIZE + 14} ${SIZE + 14} 0 ${to - from > Math.PI ? 1 : 0} 0 ${b}` }),
      );
    }
    const middle = edge((from + to) / 2);
    parts.push(
      svg(
        "text",
        {
          class: "star",
          x: middle[0] * 0.86,
          y: middle[1] * 0.86,
          "text-anchor": "middle",
          "dominant-baseline": "middle",
        },
        "w*",
      ),
    );
    if (length > 0) {
      const unit = w.map((v) => v / length);
      const [sx, sy] = at([-unit[1], unit[0]]);
      const [tx, ty] = at(unit, Math.min(length / Math.sqrt(allowed), 1) * SIZE);
      parts.push(svg("line", { class: "side-line", x1: -sx, y1: -sy, x2: sx, y2: sy }));
      parts.push(
        svg("line", { class: "w", x1: 0, y1: 0, x2: tx, y2: ty }),
        svg("circle", { class: "w-tip", cx: tx, cy: ty, r: 5 }),
        svg("text", { class: "w-name", x: tx + 9, y: ty - 7 }, "w"),
      );
    }
    for (const one of given) parts.push(mark(at(one.x), one.label, one.prediction !== one.label));
    if (next) {
      const [cx, cy] = at(next.x);
      parts.push(
        svg("circle", { class: "next", cx, cy, r: 9 }),
        svg("path", { class: "next", d: `M${cx - 15} ${cy}h8M${cx + 7} ${cy}h8M${cx} ${cy - 15}v8M${cx} ${cy + 7}v8` }),
      );
    }
    picture.replaceChildren(...parts);
    const seen =
      arc === null
        ? "Every direction of w* is possible."
        : `The directions of w* that are left span ${Math.max(0, ((to - from) * 180) / Math.PI).toFixed(1)} degrees.`;
    set(picture, {
      "aria-label": `The unit disc with ${given.length} examples, w = (${w.map(shown).join(", ")}). ${seen}`,
    });
  }

  inputs.forEach((input, i) => (input.value = x[i]));
  replay(moves);
  return {};
}

// + is a disc, − a square; a mistake has a ring.
function mark([cx, cy], label, mistake) {
  const shape =
    label > 0 ? svg("circle", { cx, cy, r: 7 }) : svg("rect", { x: cx - 6.5, y: cy - 6.5, width: 13, height: 13 });
  return svg(
    "g",
    { class: label > 0 ? "given plus" : "given minus" },
    shape,
    mistake ? svg("circle", { class: "wrong", cx, cy, r: 12 }) : null,
  );
}

function read(text, d) {
  const moves = [];
  for (const part of text ? text.split(",").slice(0, ROUNDS) : []) {
    const cells = part.split(":");
    const label = { p: 1, m: -1 }[cells.pop()];
    const point = cells.map(Number);
    if (!label || point.length !== d || !point.every((v) => Math.abs(v) <= 1)) return [];
    moves.push([point, label]);
  }
  return moves;
}
