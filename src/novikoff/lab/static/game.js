// The mistake bound game: force mistakes from a learner, or be the learner. The library replays every game from its moves.

import { choice, element } from "./dom.js";
import { board } from "./game-board.js";
import { duel } from "./game-duel.js";
import { plane } from "./game-plane.js";
import { options as all } from "./options.js";

const menu = all.game;
const GAMES = { board, duel, plane };
// What is in the address: role, and the options and moves of the three kinds of games.
const DEFAULT = {
  role: "adversary",
  learner: menu.learners[0].key,
  class: menu.classes[0].key,
  size: "",
  space: "plane",
  allowed: String(menu.vectors.plane.usual),
  moves: "",
};
// A whole number in an address, if it is within limits.
const within = (text, { least, most, usual }) =>
  /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most ? String(Number(text)) : String(usual);

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
  let playing = null;
  const rival = () => menu.learners.find((one) => one.key === state.learner);
  const playable = (one) => state.role === "learner" || !rival().eliminates || one.elimination;

  function kind() {
    return state.role === "learner" ? "duel" : rival().vectors ? "plane" : "board";
  }

  // Put what cannot be read, or does not fit together, back to what can.
  function repair() {
    const one = (value, allowed, otherwise) => (allowed.includes(value) ? value : otherwise);
    state.role = one(state.role, ["adversary", "learner"], "adversary");
    state.learner = rival()?.key ?? DEFAULT.learner;
    state.space = one(state.space, ["plane", "space"], "plane");
    const fits = menu.classes.filter(playable);
    const found = fits.find((one) => one.key === state.class) ?? fits[0];
    state.class = found.key;
    state.size = within(state.size, found);
    state.allowed = within(state.allowed, menu.vectors[state.space]);
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
      fields.push(["learner", "Against", menu.learners.map((one) => [one.key, one.title])]);
    if (kind() === "plane") {
      fields.push([
        "space",
        "Examples",
        [
          ["plane", "in the plane"],
          ["space", "with as many coordinates"],
        ],
      ]);
      const named = (m) =>
        state.space === "plane" ? `${m}: γ = ${Math.round(1000 / Math.sqrt(m)) / 1000}` : String(m);
      const margins = menu.vectors[state.space].offered.map((m) => [String(m), named(m)]);
      if (!margins.some(([value]) => value === state.allowed)) margins.push([state.allowed, state.allowed]);
      fields.push(["allowed", "Mistakes allowed, 1/γ²", margins]);
    } else {
      fields.push(["class", "Concepts", menu.classes.filter(playable).map((one) => [one.key, one.title])]);
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
    playing = GAMES[kind()](host, state, {
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

  begin();
  return { shown: () => playing?.shown?.() };
}
