// You are the adversary of a learner of concepts: choose a point, say its label.

import { element, set } from "./dom.js";
import { action, enable, judged, rounds, score, survivors } from "./game-parts.js";
import { options } from "./options.js";

const menu = options.game;

export function board(host, state, { api, write }) {
  let moves = read(state.moves);
  let answer = null;
  let chosen = 0;
  const rival = menu.learners.find((one) => one.key === state.learner);
  const top = score(rival.heading);
  const tiles = element("div", { class: "tiles" });
  const points = element("fieldset", { class: "points" }, element("legend", {}, "1. Choose an example"), tiles);
  const asked = element("p", { class: "asked-of", id: "asked-of" });
  const say = [0, 1].map((label) => action("", () => move(chosen, label), true));
  const why = element("p", { class: "quiet why" });
  const hint = element("p", { class: "hint-text" });
  const undo = action("Take back", () => replay(moves.slice(0, -1)));
  const again = action("Begin again", () => replay([]));
  const history = rounds("Rounds", ["round", "x", "predicted", "truth", "left"]);
  const literals = survivors("Literals in the hypothesis");
  const list = survivors("Version space");
  host.append(
    top.node,
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        { class: "side" },
        element(
          "div",
          { class: "card" },
          points,
          element("h2", {}, "2. Say its label"),
          asked,
          element("div", { class: "toolbar" }, ...say),
          why,
          element("div", { class: "toolbar" }, action("Hint", ask), undo, again),
          hint,
        ),
        history.node,
      ),
      element("div", { class: "side" }, rival.eliminates ? literals.node : null, list.node),
    ),
  );

  const request = (now) => ({ concepts: state.class, size: Number(state.size), learner: state.learner, moves: now });

  async function replay(now) {
    try {
      answer = await api.latest("/api/game/play", request(now));
    } catch (error) {
      if (error.name !== "AbortError" && answer === null && now.length) await replay([]); // the moves of a link
      return api.fail(error);
    }
    api.fail(null);
    moves = now;
    state.moves = moves.map(([point, label]) => `${point}:${label}`).join(",");
    write();
    hint.textContent = "";
    show();
  }

  function move(point, label) {
    replay([...moves, [point, label]]);
  }

  async function ask() {
    try {
      const best = await api.latest("/api/game/hint", request(moves));
      if (best.point !== null) choose(best.point);
      hint.textContent = best.text;
      api.say(best.text);
    } catch (error) {
      api.fail(error);
    }
  }

  function choose(point) {
    chosen = point;
    const { x, prediction, zeros, ones } = answer.points[point];
    for (const [i, tile] of [...tiles.children].entries()) tile.querySelector("input").checked = i === point;
    asked.replaceChildren(
      "x = ",
      element("strong", { class: "mono" }, x),
      ": the learner predicts ",
      element("strong", {}, String(prediction)),
      ".",
    );
    const counts = [zeros, ones];
    say.forEach((button, label) => {
      button.textContent = `Say ${label}: ${label === prediction ? "it was right" : "it was wrong"}`;
      set(button, { class: label === prediction ? "button" : "button primary" });
      enable(button, counts[label] > 0);
    });
    const blocked = counts.findIndex((count) => count === 0);
    why.textContent =
      blocked < 0
        ? `Of the concepts that are left, ${zeros} would say 0 and ${ones} would say 1.`
        : `${answer.left === 1 ? "The concept that is left says" : `All ${answer.left} concepts that are left say`} ${1 - blocked}, so the label cannot be ${blocked}.`;
  }

  function show() {
    top.show(answer, answer.bound, "mistakes");
    if (tiles.children.length !== answer.points.length) tiles.replaceChildren(...answer.points.map((_, i) => tile(i)));
    [...tiles.children].forEach((node, i) => fill(node, answer.points[i]));
    choose(Math.min(chosen, answer.points.length - 1));
    history.show(
      answer.rounds.map(({ x, prediction, label, left }, i) => ({
        mistake: prediction !== label,
        cells: [String(i + 1), x, judged(prediction, label), String(label), String(left)],
      })),
    );
    list.show(answer.concepts);
    if (answer.literals) literals.show(answer.literals);
    enable(undo, moves.length > 0);
    enable(again, moves.length > 0);
    api.say(`${answer.verdict} ${answer.left} of ${answer.size} concepts left.`);
  }

  function tile(i) {
    return element(
      "label",
      { class: "tile" },
      element("input", { type: "radio", name: "point", onchange: () => (choose(i), (hint.textContent = "")) }),
      element("span", { class: "mono x" }),
      element("span", { class: "predicts" }),
      element("span", { class: "vote" }, element("span", { class: "zeros" }), element("span", { class: "ones" })),
    );
  }

  replay(moves);
  return {};
}

function fill(node, { x, prediction, zeros, ones }) {
  const part = (name) => node.querySelector(name);
  part(".x").textContent = x;
  part(".predicts").textContent = `→ ${prediction}`;
  part(".zeros").style.flexGrow = zeros;
  part(".ones").style.flexGrow = ones;
  set(part("input"), { "aria-label": `${x}, predicts ${prediction}, ${zeros} say 0, ${ones} say 1` });
  set(node, { class: zeros && ones ? "tile" : "tile settled" });
}

function read(text) {
  if (!/^\d+:[01](,\d+:[01])*$/.test(text)) return [];
  const moves = text.split(",").map((move) => move.split(":").map(Number));
  return moves.length <= menu.rounds && moves.every(([point]) => point <= menu.last_point) ? moves : [];
}
