// You are the learner: predict, against the library's adversary.

import { element } from "./dom.js";
import { action, enable, judged, rounds, score, survivors } from "./game-parts.js";
import { options } from "./options.js";

export function duel(host, state, { api, write }) {
  let predictions = read(state.moves);
  let answer = null;
  const top = score("Littlestone’s theorem");
  const question = element("p", { class: "question" });
  const told = element("p", { class: "told" });
  const predict = [0, 1].map((label) => action(`Predict ${label}`, () => replay([...predictions, label]), true));
  const peek = element("input", { type: "checkbox", onchange: () => votes() });
  const vote = element("div", { class: "votes" });
  const undo = action("Take back", () => replay(predictions.slice(0, -1)));
  const again = action("Begin again", () => replay([]));
  const history = rounds("Rounds", ["round", "x", "you", "truth", "Halving", "optimal", "left"]);
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
          element("h2", {}, "Your prediction"),
          told,
          question,
          element("div", { class: "toolbar" }, ...predict),
          element("label", { class: "check" }, peek, "Show how Halving and the standard optimal algorithm would vote"),
          vote,
          element("div", { class: "toolbar" }, undo, again),
        ),
        history.node,
      ),
      element("div", { class: "side" }, list.node),
    ),
  );

  async function replay(now) {
    try {
      answer = await api.latest("/api/game/learn", {
        concepts: state.class,
        size: Number(state.size),
        predictions: now,
      });
    } catch (error) {
      if (error.name !== "AbortError" && answer === null && now.length) await replay([]); // the moves of a link
      return api.fail(error);
    }
    api.fail(null);
    predictions = now;
    state.moves = now.join("");
    write();
    show();
  }

  function show() {
    top.show(answer, answer.dimension, "mistakes that nobody can avoid");
    const last = answer.rounds.at(-1);
    told.textContent = last
      ? `Wrong: the label of ${last.x} is ${last.label}. ${answer.left} of ${answer.size} concepts are left.`
      : `One of ${answer.size} ${answer.name} is the truth.`;
    if (answer.over) question.replaceChildren("The game is over: everything is known.");
    else question.replaceChildren("What is the label of ", element("strong", { class: "mono" }, answer.point.x), "?");
    predict.forEach((button) => enable(button, !answer.over));
    enable(undo, predictions.length > 0);
    enable(again, predictions.length > 0);
    votes();
    history.show(
      answer.rounds.map(({ x, prediction, label, halving, optimal, left }, i) => ({
        mistake: false,
        cells: [
          String(i + 1),
          x,
          judged(prediction, label),
          String(label),
          judged(halving, label),
          judged(optimal, label),
          String(left),
        ],
      })),
    );
    list.show(answer.concepts);
    api.say(`${told.textContent} ${answer.over ? answer.verdict : question.textContent}`);
  }

  function votes() {
    vote.hidden = !peek.checked || !answer || answer.over;
    if (vote.hidden) return;
    const { point, halving, parts } = answer;
    vote.replaceChildren(
      element("p", {}, `Halving would say ${halving}: ${point.zeros} concepts say 0, ${point.ones} say 1.`),
      element(
        "p",
        {},
        `The standard optimal algorithm would say ${point.prediction}: the concepts that say 0 have Littlestone dimension ${parts[0]}, those that say 1 have ${parts[1]}.`,
      ),
    );
  }

  replay(predictions);
  return {};
}

function read(text) {
  return /^[01]+$/.test(text) && text.length <= options.game.predictions ? [...text].map(Number) : [];
}
