// The mistake bound game: force mistakes from a learner, or be the learner. The library replays every game from its moves.

import { choice, element } from "./dom.js";
import { board } from "./game-board.js";
import { duel } from "./game-duel.js";
import { plane } from "./game-plane.js";

// What is in the address: role, and the options and moves of the three kinds of games.
const DEFAULT = {
  role: "adversary",
  learner: "halving",
  class: "monotone-conjunctions",
  size: "",
  space: "plane",
  allowed: "25",
  moves: "",
};

export function mount(panel, api) {
  const state = { ...DEFAULT };
  for (const [key, value] of new URLSearchParams(api.read())) if (key in state) state[key] = value;
  const options = element("div", { class: "toolbar" });
  const about = element("p", { class: "quiet" });
  const host = element("div");
  panel.append(
    element("div", { class: "card game-options" }, element("h2", {}, "The mistake bound game"), about, options),
    host,
  );
  let menu = null;
  let games = {};
  let playing = null;

  function kind() {
    return state.role === "learner" ? "duel" : state.learner === "perceptron" ? "plane" : "board";
  }

  // Put what cannot be read, or does not fit together, back to what can.
  function repair() {
    const one = (value, allowed, otherwise) => (allowed.includes(value) ? value : otherwise);
    state.role = one(state.role, ["adversary", "learner"], "adversary");
    state.learner = one(state.learner, [...Object.keys(menu.learners), "perceptron"], "halving");
    state.space = one(state.space, ["plane", "space"], "plane");
    let found = menu.classes.find((one) => one.key === state.class) ?? menu.classes[0];
    if (kind() === "board" && state.learner === "elimination" && !found.elimination) found = menu.classes[0];
    state.class = found.key;
    const size = /^\d{1,2}$/.test(state.size) ? Number(state.size) : found.usual;
    state.size = String(size >= found.least && size <= found.most ? size : found.usual);
    const allowed = /^\d{1,3}$/.test(state.allowed) ? Number(state.allowed) : 0;
    const most = state.space === "plane" ? 100 : 12;
    state.allowed = String(allowed >= 2 && allowed <= most ? allowed : state.space === "plane" ? 25 : 6);
  }

  function change(key, value) {
    state[key] = value;
    state.moves = "";
    if (key === "class") state.size = "";
    begin();
  }

  function begin() {
    repair();
    const range = (least, most) =>
      Array.from({ length: most - least + 1 }, (_, i) => [String(least + i), String(least + i)]);
    const found = menu.classes.find((one) => one.key === state.class);
    const fields = [
      [
        "role",
        "You are",
        [
          ["adversary", "the adversary"],
          ["learner", "the learner"],
        ],
      ],
    ];
    if (state.role === "adversary")
      fields.push(["learner", "Against", [...Object.entries(menu.learners), ["perceptron", "Perceptron"]]]);
    if (kind() === "plane") {
      fields.push([
        "space",
        "Examples",
        [
          ["plane", "in the plane"],
          ["space", "with as many coordinates"],
        ],
      ]);
      const margins =
        state.space === "plane"
          ? [4, 9, 16, 25, 49, 100].map((m) => [String(m), `${m}: γ = ${Math.round(1000 / Math.sqrt(m)) / 1000}`])
          : range(2, 12);
      if (!margins.some(([value]) => value === state.allowed)) margins.push([state.allowed, state.allowed]);
      fields.push(["allowed", "Mistakes allowed, 1/γ²", margins]);
    } else {
      const fits = menu.classes.filter(
        (one) => state.role === "learner" || state.learner !== "elimination" || one.elimination,
      );
      fields.push(["class", "Concepts", fits.map((one) => [one.key, one.title])]);
      if (found.least < found.most)
        fields.push(["size", found.letter === "d" ? "Variables d" : "Points n", range(found.least, found.most)]);
    }
    const focused = options.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    options.replaceChildren(
      ...fields.map(([key, label, values]) => {
        const field = choice(label, values, state[key], (value) => change(key, value));
        field.select.dataset.key = key;
        return field.node;
      }),
    );
    if (focused) options.querySelector(`[data-key=${focused}]`)?.focus();
    about.textContent =
      state.role === "adversary"
        ? "Give the learner examples and say their labels. You may change your mind about the truth at any time, as long as one concept explains everything that you said."
        : "An adversary asks, you predict, and it answers what hurts most, as long as one concept explains everything that it said.";
    host.replaceChildren();
    playing = games[kind()](host, state, {
      api,
      write: () => {
        const text = new URLSearchParams();
        const keys = {
          board: ["learner", "class", "size"],
          duel: ["class", "size"],
          plane: ["learner", "space", "allowed"],
        }[kind()];
        for (const key of ["role", ...keys, "moves"])
          if (state[key] && state[key] !== DEFAULT[key]) text.set(key, state[key]);
        api.write(text.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%3B", ";"));
      },
    });
  }

  api
    .post("/api/game/menu", {})
    .then((answer) => {
      menu = answer;
      games = { board, duel, plane };
      begin();
    })
    .catch(api.fail);
  return { shown: () => playing?.shown?.() };
}
