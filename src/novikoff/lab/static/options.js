// What can be chosen, and how far: asked of the library once. A module that imports this one waits for the answer.

import { post } from "./api.js";
import { choice, element } from "./dom.js";

export const options = await post("/api/options", {});

export const defaults = (list) => Object.fromEntries(list.map((option) => [option.key, option.default]));

// The value of an option in an address, or undefined where it cannot be read.
export function fromText(option, text) {
  if (option.choices.length) return option.choices.find(({ value }) => String(value) === text)?.value;
  if (typeof option.default === "boolean") return ["0", "1"].includes(text) ? text === "1" : undefined;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  return value >= option.least && value <= option.most ? value : undefined;
}

export const toText = (value) => String(typeof value === "boolean" ? Number(value) : value);

// The control of an option; `show` puts a value into it.
export function control(option, onchange) {
  if (option.choices.length) return menu(option, onchange);
  return typeof option.default === "boolean" ? tick(option, onchange) : number(option, onchange);
}

function menu({ title, choices, default: usual }, onchange) {
  const field = choice(
    title,
    choices.map(({ value, text }) => [value, text]),
    usual,
    (text) => onchange(choices.find(({ value }) => String(value) === text).value),
  );
  return { node: field.node, show: (value) => (field.select.value = value) };
}

function tick({ title }, onchange) {
  const box = element("input", { type: "checkbox", onchange: () => onchange(box.checked) });
  return { node: element("label", { class: "check" }, box, title), show: (value) => (box.checked = value) };
}

function number({ title, least, most }, onchange) {
  const input = element("input", {
    type: "number",
    min: least,
    max: most,
    step: 1,
    onchange: () => input.checkValidity() && onchange(Math.trunc(Number(input.value))),
  });
  const node = element("label", { class: "field" }, element("span", {}, title), input);
  return { node, show: (value) => (input.value = value) };
}
