// Place points, step, and watch the line turn.

import { choice, element, set, shown } from "./dom.js";
import { lab } from "./lab.js";
import { control, options } from "./options.js";
import { Picture } from "./picture.js";
import { Space } from "./space.js";
import { sharing } from "./share.js";
import { share, transport } from "./transport.js";

export function mount(panel, api) {
  const remember = share(panel, api);
  const stage = element("div", { class: "stage" });
  const story = element("div", { class: "story" });
  const pen = penChoice();
  const picture = new Picture(stage);
  const space = new Space(stage);
  pen.onpick = (value) => (picture.pen = value);
  const tell = element("p", { class: "tell" });
  const about = element("p", { class: "quiet about" });
  const verdict = element("div", { class: "verdict" });
  const figures = element("dl", { class: "figures" });
  const table = updateTable();
  let mistakes = [0]; // after each update
  const undo = element("button", { class: "button", type: "button", onclick: () => lab.undo() }, "Undo");
  const edit = element(
    "div",
    { class: "toolbar", role: "group", "aria-label": "Points" },
    pen.node,
    element("button", { class: "button add-point", type: "button", onclick: () => picture.addInTheMiddle() }, "Add"),
    undo,
    element("button", { class: "button", type: "button", onclick: () => lab.clear() }, "Clear"),
    toggle("Best line", true, (on) => {
      picture.best = space.best = on;
      picture.redraw();
      space.draw();
    }),
  );
  const keys = element("p", { class: "quiet keys" });
  const examples = choice("Example", [["", "your own points"]], "", (key) => key && lab.load(key));
  panel.append(
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        { class: "card main" },
        element("div", { class: "toolbar spread" }, examples.node, edit),
        stage,
        about,
        keys,
        transport(),
      ),
      element(
        "div",
        { class: "side" },
        element("div", { class: "card" }, element("h2", {}, "This step"), tell, story, figures),
        element("div", { class: "card" }, element("h2", {}, "What is true of these points"), verdict),
        element(
          "details",
          { class: "card", open: matchMedia("(min-width: 900px)").matches },
          element("summary", {}, "Learner and options"),
          controls(),
        ),
        element("details", { class: "card" }, element("summary", {}, "Table of updates"), table.node),
        element(
          "details",
          { class: "card" },
          element("summary", {}, "Share, save, load"),
          sharing(api, () => picture),
        ),
      ),
    ),
  );

  function points() {
    const flat = (lab.points[0]?.length ?? 2) < 3;
    set(picture.svg, { hidden: !flat });
    set(space.node, { hidden: flat });
    edit.querySelectorAll("button").forEach((button) => (button.disabled = !flat));
    undo.disabled = !lab.undoable;
    keys.replaceChildren(
      flat ? "Click to place a point, drag to move it. " : "Drag, or the arrow keys, turn the picture. ",
      element(
        "span",
        { class: "keyboard" },
        flat ? "Keys: arrows move it, + and − label it, Delete removes it, Space plays." : "Space plays.",
      ),
    );
    if (examples.select.length === 1)
      for (const one of lab.examples) examples.select.append(element("option", { value: one.key }, one.title));
    examples.select.value = lab.example ?? "";
    hint();
    picture.title.textContent = `${lab.points.length} labelled points in the plane and the line of w`;
  }

  function hint() {
    const text =
      lab.examples.find((one) => one.key === lab.example)?.about ?? `${lab.points.length} points of your own.`;
    const hint = element(
      "span",
      { class: lab.last && lab.step ? "hint over" : "hint" },
      " Press Step and watch the line turn after each mistake.",
    );
    about.replaceChildren(text, hint);
  }

  function run() {
    const { run, problem } = lab;
    verdict.replaceChildren(
      ...(run ? run.proof.map((line) => element("p", {}, line)) : [element("p", {}, problem ?? "")]),
    );
    verdict.className = `verdict ${run ? run.verdict.replace(" ", "-") : "none"}`;
    table.fill(run);
    mistakes = [0];
    run?.mistake.forEach((wrong, i) => mistakes.push(mistakes[i] + wrong));
  }

  function step() {
    if (panel.hidden) return;
    const { run, step, last } = lab;
    story.replaceChildren();
    figures.replaceChildren();
    hint();
    if (!run) {
      tell.textContent = lab.problem ?? "";
      return;
    }
    const words = step ? run.steps[step - 1] : null;
    tell.textContent = words ? words.title : "Before the first update";
    story.append(element("p", {}, words ? words.why : run.start));
    if (step === last && last) story.append(element("p", { class: "done" }, run.summary));
    const w = run.w[step].slice(0, lab.options.intercept ? undefined : -1);
    const atMost = run.bound ? ` of at most ${run.bound}` : "";
    const { noun } = lab.learner;
    figures.append(
      figure("w", `(${w.map(shown).join(", ")})`),
      figure("mistakes", `${mistakes[step]}${noun === "mistake" ? atMost : ""}`),
    );
    if (noun === "update") figures.append(figure("updates", `${step}${atMost}`));
    if (run.witness)
      figures.append(figure("margin γ", shown(run.witness.margin)), figure("radius R", shown(run.radius)));
    picture.desc.textContent = `After ${step} of ${last} updates. ${words ? `${words.title}. ${words.why}` : run.start} ${run.proof[0]}`;
    space.desc.textContent = picture.desc.textContent;
    table.mark(step);
    api.say(
      step === last && last ? `${words.title}. ${run.summary}` : words ? `${words.title}. ${words.why}` : run.start,
    );
    remember();
  }

  lab.addEventListener("points", points);
  lab.addEventListener("run", run);
  lab.addEventListener("step", step);
  if (lab.examples.length) {
    points();
    picture.redraw();
    run();
    step();
  } else lab.start(api.read(), api.fail).catch(api.fail);
  return {
    shown() {
      if (!lab.examples.length) return;
      picture.redraw();
      step();
    },
  };
}

function figure(name, value) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, value));
}

function toggle(text, on, change) {
  const box = element("input", { type: "checkbox", onchange: () => change(box.checked) });
  box.checked = on;
  return element("label", { class: "check" }, box, text);
}

function penChoice() {
  const pen = { onpick: null };
  const kinds = [
    [1, "+", "Place plus points"],
    [-1, "−", "Place minus points"],
    [0, "×", "Erase points"],
  ];
  pen.node = element(
    "fieldset",
    { class: "pen" },
    element("legend", { class: "visually-hidden" }, "A click in the picture"),
    kinds.map(([value, sign, label]) => {
      const input = element("input", {
        type: "radio",
        name: "pen",
        value,
        "aria-label": label,
        onchange: () => pen.onpick(value),
      });
      input.checked = value === 1;
      return element(
        "label",
        { class: ["minus", "erase", "plus"][value === 0 ? 1 : value + 1], title: label },
        input,
        element("span", { "aria-hidden": "true" }, sign),
      );
    }),
  );
  return pen;
}

// The menus and numbers, then the boxes to tick.
function controls() {
  const fields = options.experiment.options.map((option) => ({
    ...option,
    ...control(option, (value) => lab.choose(option.key, value)),
  }));
  const update = () => {
    for (const { key, node, show, only_with: needed } of fields) {
      show(lab.options[key]);
      node.hidden = needed !== null && lab.options[needed[0]] !== needed[1];
    }
  };
  lab.addEventListener("points", update);
  update();
  const isBox = (field) => typeof field.default === "boolean";
  const ordered = [...fields.filter((field) => !isBox(field)), ...fields.filter(isBox)];
  return element("div", { class: "options" }, ...ordered.map((field) => field.node));
}

// The updates as a table: filled when it is first opened, for at most a few hundred rows the browser does not mind.
function updateTable() {
  const body = element("tbody");
  const head = element(
    "tr",
    {},
    ["update", "point", "label", "y⟨w,x⟩", "‖w‖²", "w"].map((name) => element("th", { scope: "col" }, name)),
  );
  const node = element(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": "Table of updates" },
    element("table", {}, element("thead", {}, head), body),
  );
  let run = null;
  let rows = [];
  let marked = -1;
  const write = () => {
    if (!run || rows.length || !node.closest("details").open) return;
    rows = run.row.map((row, i) =>
      element(
        "tr",
        {},
        [
          i + 1,
          row + 1,
          lab.labels[row] > 0 ? "+" : "−",
          shown(run.product[i]),
          shown(run.curves.norm_sq[i + 1]),
          `(${run.w[i + 1]
            .slice(0, lab.options.intercept ? undefined : -1)
            .map(shown)
            .join(", ")})`,
        ].map((cell) => element("td", {}, String(cell))),
      ),
    );
    body.replaceChildren(...rows);
    mark(lab.step);
  };
  const mark = (step) => {
    rows[marked]?.removeAttribute("aria-current");
    marked = step - 1;
    rows[marked]?.setAttribute("aria-current", "step");
  };
  queueMicrotask(() => node.closest("details").addEventListener("toggle", write));
  return {
    node,
    mark,
    fill(next) {
      run = next;
      rows = [];
      body.replaceChildren();
      write();
    },
  };
}
