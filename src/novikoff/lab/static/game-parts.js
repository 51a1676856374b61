// What the three kinds of games share on the page: the theorem with its score, the rounds, and what is ruled out.

import { element, set } from "./dom.js";

// The theorem, a mark for every mistake that it allows, and the sentence that judges the game.
export function score(title) {
  const theorem = element("p", { class: "claim" });
  const pips = element("div", { class: "pips", "aria-hidden": "true" });
  const count = element("p", { class: "count" });
  const verdict = element("p", { class: "tell" });
  const node = element(
    "div",
    { class: "statement score" },
    element("h2", {}, title),
    theorem,
    element("div", { class: "tally" }, count, pips),
    verdict,
  );
  return {
    node,
    show(answer, allowed, label) {
      theorem.textContent = answer.theorem;
      const total = Math.max(allowed, answer.mistakes);
      count.replaceChildren(element("strong", {}, String(answer.mistakes)), ` of ${allowed} ${label}`);
      pips.replaceChildren(
        ...Array.from({ length: total }, (_, i) =>
          element("span", { class: i >= allowed ? "extra" : i < answer.mistakes ? "made" : "" }),
        ),
      );
      set(verdict, { class: answer.over || answer.mistakes >= allowed ? "tell done" : "tell" });
      verdict.textContent = answer.verdict;
    },
  };
}

// A table of rounds: the newest row is the current one.
export function rounds(title, heads) {
  const body = element("tbody");
  const empty = element("p", { class: "quiet" }, "No round yet.");
  const table = element(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": title, hidden: true },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
      body,
    ),
  );
  return {
    node: element("div", { class: "card" }, element("h2", {}, title), empty, table),
    show(rows) {
      empty.hidden = rows.length > 0;
      table.hidden = rows.length === 0;
      body.replaceChildren(
        ...rows.map(({ cells, mistake }, i) =>
          element(
            "tr",
            { "aria-current": i === rows.length - 1 ? "true" : null, class: mistake ? "mistake" : null },
            ...cells.map((cell) => element("td", {}, cell)),
          ),
        ),
      );
      table.scrollTop = table.scrollHeight;
    },
  };
}

// Concepts or literals, those that are ruled out struck through.
export function survivors(title) {
  const heading = element("h2");
  const list = element("ul", { class: "concepts" });
  const scroll = element("div", { class: "table", tabindex: 0, role: "region", "aria-label": title }, list);
  return {
    node: element("div", { class: "card" }, heading, scroll),
    show(items) {
      const left = items.filter((one) => one.out === null).length;
      heading.textContent = `${title}: ${left} of ${items.length} left`;
      list.replaceChildren(
        ...items.map(({ text, out }) =>
          element(
            "li",
            { class: out === null ? null : "out" },
            out === null ? text : element("s", {}, text),
            out === null ? null : element("span", { class: "visually-hidden" }, ` ruled out in round ${out}`),
          ),
        ),
      );
    },
  };
}

// A button that stays in the order of keys when it has nothing to do.
export function action(text, onclick, primary = false) {
  const node = element(
    "button",
    {
      type: "button",
      class: primary ? "button primary" : "button",
      onclick: () => node.getAttribute("aria-disabled") !== "true" && onclick(),
    },
    text,
  );
  return node;
}

// A prediction, and whether it was right.
export const judged = (prediction, label) => `${prediction} ${prediction === label ? "✓" : "✗"}`;

export const enable = (node, on) => set(node, { "aria-disabled": on ? null : "true" });
