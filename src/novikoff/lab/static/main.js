// The tabs. A tab is a line of TABS: a module with mount(element, api). The modules come when the library has said what
// can be chosen; until then, and if it does not, there are tabs with nothing in them.

import { latest, post } from "./api.js";
import { element } from "./dom.js";

const TABS = [
  { key: "geometry", title: "Geometry", load: () => import("./geometry.js") },
  { key: "proof", title: "Proof", load: () => import("./proof.js") },
  { key: "game", title: "Game", load: () => import("./game.js") },
  { key: "rates", title: "Rates", load: () => import("./rates.js") },
];

const status = document.getElementById("status");
const alarm = document.getElementById("error");
const bar = document.querySelector(".tabs");
const panels = document.getElementById("panels");
const modules = new Map(); // key -> the module of a tab
const open = new Map(); // key -> what mount returned
let current = null;

// Text for screen readers, at the pace of a person: the last of a burst is said.
let speaking = 0;
function say(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => (status.textContent = text), 400);
}

function fail(error) {
  if (error?.name === "AbortError") return;
  alarm.textContent = error ? error.message : "";
  alarm.hidden = !error;
}

function fragment() {
  const [key, ...rest] = location.hash.slice(1).split("?");
  let text = rest.join("?");
  try {
    text = decodeURI(text);
  } catch {
    text = "unreadable";
  }
  return { key, text };
}

function api(key) {
  return {
    post,
    latest,
    say,
    fail,
    read: () => (fragment().key === key ? fragment().text : ""),
    write: (text) => {
      if (current === key) history.replaceState(null, "", `#${key}${text ? `?${text}` : ""}`);
    },
  };
}

function show(key, focus = false) {
  const before = current;
  select(key, focus);
  if (before !== key) enter(key);
}

function select(key, focus) {
  for (const { key: other, title } of TABS) {
    const tab = document.getElementById(`tab-${other}`);
    const panel = document.getElementById(`panel-${other}`);
    const chosen = other === key;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    panel.hidden = !chosen;
    if (!chosen) {
      if (current === other) open.get(other)?.hidden?.();
      continue;
    }
    document.title = `${title} · novikoff lab`;
    if (focus) tab.focus();
  }
  current = key;
}

function enter(key) {
  if (!modules.has(key)) return;
  if (!open.has(key)) open.set(key, modules.get(key).mount(document.getElementById(`panel-${key}`), api(key)) ?? {});
  open.get(key).shown?.();
}

async function begin() {
  const [{ lab }, ...loaded] = await Promise.all([import("./lab.js"), ...TABS.map((tab) => tab.load())]);
  TABS.forEach(({ key }, i) => modules.set(key, loaded[i]));
  // What is shown belongs to an earlier question until the answer comes.
  lab.addEventListener("points", () => panels.setAttribute("aria-busy", "true"));
  lab.addEventListener("run", () => panels.setAttribute("aria-busy", "false"));
  enter(current);
  if (wanted && !TABS.some((tab) => tab.key === wanted))
    fail(new Error("The link could not be read, so here is the first example."));
}

for (const { key, title } of TABS) {
  bar.append(
    element(
      "button",
      { role: "tab", id: `tab-${key}`, "aria-controls": `panel-${key}`, type: "button", onclick: () => show(key) },
      title,
    ),
  );
  panels.append(
    element("section", { role: "tabpanel", id: `panel-${key}`, "aria-labelledby": `tab-${key}`, hidden: true }),
  );
}
bar.addEventListener("keydown", (event) => {
  const at = TABS.findIndex((tab) => tab.key === current);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(TABS[(to + TABS.length) % TABS.length].key, true);
});

const wanted = fragment().key;
show(TABS.some((tab) => tab.key === wanted) ? wanted : "geometry");
begin().catch(fail);
// A link that is pasted into the same page, or the Back button: begin again from it.
addEventListener("hashchange", () => location.reload());
