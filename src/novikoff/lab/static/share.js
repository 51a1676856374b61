// Take it along: a link, Python code, CSV, a picture; and bring points of your own.

import { element } from "./dom.js";
import { lab } from "./lab.js";
import { options } from "./options.js";

const PAINT = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "fill-opacity",
  "font-family",
  "font-size",
  "font-style",
  "font-weight",
];
const { limits } = options.experiment;

export function sharing(api, picture) {
  const said = element("p", { class: "quiet", role: "status" });
  const area = element("textarea", {
    rows: 5,
    spellcheck: "false",
    placeholder: "x1, x2, label\n1.5, 2, +1\n-1, 0.5, -1",
  });
  const file = element("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,text/csv",
    class: "visually-hidden",
    tabindex: -1,
    "aria-hidden": "true",
  });
  const guard = (work) => async () => {
    try {
      said.textContent = (await work()) ?? "";
      api.fail(null);
    } catch (error) {
      api.fail(error);
    }
  };
  const read = async (text) => {
    const { points, labels, positive, negative } = await api.post("/api/read", { text });
    lab.fill(points, labels);
    return `${points.length} points read; + is ${positive}, − is ${negative}.`;
  };
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (chosen)
      await guard(async () =>
        chosen.size > limits.characters
          ? Promise.reject(new Error(`${chosen.name} is too long: the lab takes ${limits.points} points.`))
          : read(await chosen.text()),
      )();
    file.value = "";
  });
  const code = async () => await api.post("/api/code", lab.experiment());
  const button = (text, work) => element("button", { class: "button", type: "button", onclick: guard(work) }, text);
  return element(
    "div",
    { class: "sharing" },
    element(
      "div",
      { class: "toolbar" },
      button("Copy link", async () => {
        api.write(lab.toText());
        await copy(location.href);
        return "The link is in the clipboard. It opens this state in a lab on this address.";
      }),
      button("Copy Python", async () => {
        await copy((await code()).python);
        return "Python code that repeats this run is in the clipboard.";
      }),
      button("Save Python", async () => save("run.py", (await code()).python, "text/x-python")),
      button("Save CSV", async () => save("points.csv", (await code()).csv, "text/csv")),
      button("Save SVG", async () => save("lab.svg", standalone(picture()), "image/svg+xml")),
      button("Save PNG", async () => save("lab.png", await png(picture()))),
    ),
    element(
      "label",
      { class: "field wide" },
      element("span", {}, "Points as CSV: one to three coordinates, then the label"),
      area,
    ),
    element(
      "div",
      { class: "toolbar" },
      button("Use these points", () => read(area.value)),
      element("button", { class: "button", type: "button", onclick: () => file.click() }, "Open a file"),
      file,
    ),
    said,
  );
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error("The browser does not let the page use the clipboard: use Save instead, or copy the address.");
  }
}

function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return `${name} was saved.`;
}

// A copy of the picture that carries its colours with it.
function standalone(picture) {
  const drawn =
    [...document.querySelectorAll("svg.picture")].find((node) => !node.hasAttribute("hidden")) ?? picture.svg;
  const copied = drawn.cloneNode(true);
  const { width, height } = drawn.getBoundingClientRect();
  const originals = [drawn, ...drawn.querySelectorAll("*")];
  [copied, ...copied.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of PAINT) node.setAttribute(name, style.getPropertyValue(name));
    for (const name of [
      "class",
      "tabindex",
      "role",
      "id",
      "aria-labelledby",
      "aria-describedby",
      "aria-roledescription",
    ])
      node.removeAttribute(name);
  });
  copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copied.setAttribute("width", width);
  copied.setAttribute("height", height);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(drawn).backgroundColor);
  copied.insertBefore(ground, copied.querySelector("g"));
  return new XMLSerializer().serializeToString(copied);
}

async function png(picture) {
  const text = standalone(picture);
  const image = new Image();
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    image.src = url;
    await image.decode();
    const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}
