// Elements from names, attributes and children. Strings become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  return set(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return set(document.createElementNS(SVG, name), attributes, children);
}

export function set(node, attributes, children = []) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === null || value === undefined || value === false) node.removeAttribute(key);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// A labelled choice: options are [value, text] pairs.
export function choice(label, options, value, onchange) {
  const select = element("select", { onchange: () => onchange(select.value) });
  for (const [key, text] of options) select.append(element("option", { value: key }, text));
  select.value = value;
  return { node: element("label", { class: "field" }, element("span", {}, label), select), select };
}

// A number as people write it: four digits, a true minus sign.
export function shown(value) {
  return String(Number(value.toPrecision(4))).replace("-", "−");
}
