// The plane: points, the line of w, the best line with its band, or the proof that there is none.
// On a line (d = 1) with the constant coordinate the points are drawn at height 1, where they are learned from.

import { set, shown, svg } from "./dom.js";
import { lab } from "./lab.js";
import { options } from "./options.js";

const TURN = 260; // milliseconds that a step takes to be seen
const ALL_IN_TAB_ORDER = 40; // points; of more than that, one is, and Page Up and Page Down go to the others
const CROWD = 80; // points from which on they are drawn smaller
const { largest, smallest } = options.experiment.limits; // of a coordinate
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Picture {
  view = { x: 0, y: 0, unit: 60 }; // the centre in data coordinates, and pixels per unit
  pen = 1; // the class that a click places, or 0 to erase
  selected = -1;
  best = true; // show the best separator
  #size = { width: 640, height: 480 };
  #layers = {};
  #nodes = [];
  #drag = null;
  #animation = 0;

  constructor(host) {
    const layer = (name, attributes = {}) => (this.#layers[name] = svg("g", { class: name, ...attributes }));
    this.title = svg("title", { id: "picture-title" });
    this.desc = svg("desc", { id: "picture-desc" });
    this.svg = svg(
      "svg",
      { class: "picture", role: "group", "aria-labelledby": "picture-title", "aria-describedby": "picture-desc" },
      this.title,
      this.desc,
      ["sides", "axes", "band", "obstacle", "line", "points", "ring"].map((name) =>
        layer(name, name === "points" ? {} : { "aria-hidden": "true" }),
      ),
    );
    host.append(this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.#down(event));
    this.svg.addEventListener("pointermove", (event) => this.#moved(event));
    this.svg.addEventListener("pointerup", (event) => this.#up(event));
    this.svg.addEventListener("pointercancel", () => (this.#drag = null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.svg.addEventListener("focusin", (event) => this.#select(this.#nodes.indexOf(event.target.closest(".point"))));
    new ResizeObserver(() => this.#resize()).observe(this.svg);
    lab.addEventListener("loaded", () => {
      this.selected = -1;
      this.fit();
    });
    lab.addEventListener("points", () => this.#points());
    lab.addEventListener("run", () => this.#proof());
    lab.addEventListener("step", (event) => this.#step(event.detail));
  }

  // Coordinates -----------------------------------------------------------------------------------

  get #dimension() {
    return lab.points[0]?.length ?? 2;
  }

  get #height() {
    return lab.options.intercept ? 1 : 0; // of points on a line
  }

  #place(point) {
    return point.length === 1 ? [point[0], this.#height] : point;
  }

  #px([x, y]) {
    const { width, height } = this.#size;
    return [width / 2 + (x - this.view.x) * this.view.unit, height / 2 - (y - this.view.y) * this.view.unit];
  }

  #at(event) {
    const box = this.svg.getBoundingClientRect();
    const { width, height } = this.#size;
    const x = this.view.x + (event.clientX - box.left - width / 2) / this.view.unit;
    const y = this.view.y - (event.clientY - box.top - height / 2) / this.view.unit;
    const digits = Math.max(0, Math.ceil(Math.log10(this.view.unit)));
    return (this.#dimension === 1 ? [x] : [x, y]).map((v) =>
      Math.max(-largest, Math.min(largest, Number(v.toFixed(digits)))),
    );
  }

  // The line of w as a x + b y + c = 0 in the plane of the picture.
  #line(w) {
    if (this.#dimension === 1) return this.#height ? [w[0], w[1], 0] : [w[0], 0, 0];
    return [w[0], w[1], lab.options.intercept ? w[2] : 0];
  }

  // The answer, if it is about points such as these: a new question may already be on its way.
  get #run() {
    const run = lab.run;
    const d = this.#dimension;
    return run &&
      d < 3 &&
      run.w[0].length === d + 1 &&
      run.row.every((row) => row < lab.points.length) &&
      (run.obstacle?.rows ?? []).every((row) => row < lab.points.length)
      ? run
      : null;
  }

  get #throughZero() {
    return this.#dimension === 1 || !lab.options.intercept;
  }

  fit() {
    const places = lab.points.map((point) => this.#place(point));
    if (this.#throughZero || !places.length) places.push([0, 0]);
    if (this.#dimension === 1) places.push([0, 1.4], [0, -0.6]);
    const xs = places.map((p) => p[0]);
    const ys = places.map((p) => p[1]);
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const { width, height } = this.#size;
    const unit = Math.min((width - 90) / (right - left || 2), (height - 90) / (high - low || 2));
    this.view = { x: (left + right) / 2, y: (low + high) / 2, unit: Math.min(unit, 1 / smallest) };
    this.redraw();
  }

  #resize() {
    const box = this.svg.getBoundingClientRect();
    if (!box.width || (box.width === this.#size.width && box.height === this.#size.height)) return;
    this.#size = { width: box.width, height: box.height };
    set(this.svg, { viewBox: `0 0 ${box.width} ${box.height}` });
    this.fit();
  }

  redraw() {
    this.#axes();
    this.#points();
    this.#proof();
    this.#step(null);
  }

  // Drawing -----------------------------------------------------------------------------------------

  #axes() {
    const { width, height } = this.#size;
    const [x0, y0] = this.#px([0, 0]);
    const parts = [];
    const step = nice(70 / this.view.unit);
    const left = this.view.x - width / 2 / this.view.unit;
    const low = this.view.y - height / 2 / this.view.unit;
    for (let i = Math.ceil(left / step); i * step < left + width / this.view.unit; i++) {
      const [x] = this.#px([i * step, 0]);
      parts.push(svg("line", { x1: x, x2: x, y1: 0, y2: height, class: i === 0 ? "axis" : "grid" }));
      if (x > 24 && x < width - 24)
        parts.push(svg("text", { x, y: height - 6, "text-anchor": "middle" }, shown(i * step)));
    }
    for (let i = Math.ceil(low / step); i * step < low + height / this.view.unit; i++) {
      const [, y] = this.#px([0, i * step]);
      parts.push(svg("line", { y1: y, y2: y, x1: 0, x2: width, class: i === 0 ? "axis" : "grid" }));
      if (y > 16 && y < height - 30) parts.push(svg("text", { x: 6, y: y + 4 }, shown(i * step)));
    }
    if (this.#throughZero) parts.push(svg("circle", { cx: x0, cy: y0, r: 3, class: "origin" }));
    this.#layers.axes.replaceChildren(...parts);
  }

  #points() {
    const layer = this.#layers.points;
    if (this.#dimension === 3) return layer.replaceChildren();
    while (this.#nodes.length > lab.points.length) this.#nodes.pop().remove();
    while (this.#nodes.length < lab.points.length) {
      const node = svg("g", { class: "point", role: "button", "aria-roledescription": "point" });
      this.#nodes.push(node);
    }
    if (layer.childElementCount !== this.#nodes.length) layer.replaceChildren(...this.#nodes);
    this.selected = Math.min(this.selected, lab.points.length - 1);
    lab.points.forEach((point, i) => this.#point(i, point));
  }

  #point(i, point) {
    const node = this.#nodes[i];
    const plus = lab.labels[i] > 0;
    const [x, y] = this.#px(this.#place(point));
    const kind = plus ? "plus" : "minus";
    if (node.dataset.kind !== kind) {
      const mark = plus
        ? svg("circle", { r: 7.5, class: "shape" })
        : svg("rect", { x: -6.5, y: -6.5, width: 13, height: 13, class: "shape" });
      const sign = svg("path", { d: plus ? "M-3.5 0h7M0-3.5v7" : "M-3.5 0h7", class: "sign" });
      node.replaceChildren(svg("circle", { r: 14, class: "target" }), mark, sign);
      node.dataset.kind = kind;
    }
    const alone = lab.points.length > ALL_IN_TAB_ORDER && i !== Math.max(0, this.selected);
    set(node, {
      class: `point ${kind}${i === this.selected ? " selected" : ""}`,
      transform: `translate(${x} ${y}) scale(${lab.points.length > CROWD ? 0.75 : 1})`,
      tabindex: alone ? -1 : 0,
      "aria-label": `Point ${i + 1}, ${kind}, at ${point.map(shown).join(", ")}`,
    });
  }

  #proof() {
    const { band, obstacle } = this.#layers;
    band.replaceChildren();
    obstacle.replaceChildren();
    const run = this.#run;
    if (!run) return;
    if (run.witness && this.best) this.#band(run.witness, band);
    if (run.obstacle) this.#obstacle(run.obstacle, obstacle);
  }

  #band({ w, band }, layer) {
    const [a, b, c] = this.#line(w);
    if (!a && !b) return;
    if (band !== null) {
      const strip = clip(clip(this.#frame(), a, b, c + band), -a, -b, band - c);
      layer.append(svg("polygon", { points: this.#path(strip), class: "strip" }));
      for (const side of [band, -band]) layer.append(this.#segment(a, b, c + side, "edge"));
    }
    layer.append(this.#segment(a, b, c, "best"));
    const [x, y] = this.#foot(a, b, c, 0.32);
    layer.append(svg("text", { x: x + 8, y: y - 8, class: "name" }, "w*"));
  }

  #obstacle({ rows, weights, point }, layer) {
    const places = rows.map((row) => {
      const place = this.#place(lab.points[row]);
      return point ? place : place.map((v) => v * lab.labels[row]);
    });
    if (point) {
      for (const [sign, kind] of [
        [1, "plus"],
        [-1, "minus"],
      ]) {
        const corners = around(places.filter((_, i) => lab.labels[rows[i]] === sign));
        layer.append(svg("polygon", { points: this.#path(corners), class: `hull ${kind}` }));
      }
    } else {
      const [x0, y0] = this.#px([0, 0]);
      layer.append(svg("polygon", { points: this.#path(around(places)), class: "hull" }));
      for (const place of places) {
        const [x, y] = this.#px(place);
        layer.append(svg("line", { x1: x0, y1: y0, x2: x, y2: y, class: "spoke" }));
      }
    }
    rows.forEach((row, i) => {
      const [x, y] = this.#px(places[i]);
      layer.append(svg("text", { x: x + 12, y: y - 10, class: "weight" }, String(Number(weights[i].toPrecision(3)))));
    });
    const [x, y] = this.#px(point ? this.#place(point) : [0, 0]);
    layer.append(
      svg("path", { d: "M-9 0H9M0-9V9M-6-6 6 6M-6 6 6-6", transform: `translate(${x} ${y})`, class: "meeting" }),
    );
  }

  #step(from) {
    cancelAnimationFrame(this.#animation);
    if (this.svg.closest("[role=tabpanel]").hidden) return;
    if (!this.#run) {
      this.#layers.sides.replaceChildren();
      this.#layers.line.replaceChildren();
      this.#layers.ring.replaceChildren();
      return;
    }
    const forward = from !== null && lab.step === from + 1 && lab.speed <= 12 && !still.matches;
    if (!forward) return this.#draw(1);
    const begin = performance.now();
    const length = Math.min(TURN, lab.playing ? 800 / lab.speed : TURN);
    const frame = (now) => {
      const s = Math.min(1, (now - begin) / length);
      this.#draw(s * (2 - s));
      if (s < 1) this.#animation = requestAnimationFrame(frame);
    };
    this.#animation = requestAnimationFrame(frame);
  }

  // w on its way from the previous step to this one: s = 1 is there.
  #draw(s) {
    const { run, step } = lab;
    const before = run.w[Math.max(0, step - 1)];
    const w = run.w[step].map((v, i) => before[i] + s * (v - before[i]));
    const [a, b, c] = this.#line(w);
    const frame = this.#frame();
    const sides = [];
    for (const [sign, kind] of [
      [1, "plus"],
      [-1, "minus"],
    ]) {
      const side = clip(frame, sign * a, sign * b, sign * c);
      if ((a || b || sign * c > 0) && side.length)
        sides.push(svg("polygon", { points: this.#path(side), class: kind }));
    }
    this.#layers.sides.replaceChildren(...sides);
    const parts = [];
    const row = step > 0 ? run.row[step - 1] : -1;
    const old = this.#line(before);
    if (row >= 0 && (old[0] || old[1])) parts.push(this.#segment(...old, "before"));
    if (a || b) parts.push(this.#segment(a, b, c, "now"));
    if (this.#throughZero) this.#vectors(parts, old, [a, b], row);
    else if (a || b) {
      const from = this.#foot(a, b, c, 0);
      const length = Math.hypot(a, b);
      parts.push(arrow(from, [from[0] + (46 * a) / length, from[1] - (46 * b) / length], "w", "w"));
    }
    this.#layers.line.replaceChildren(...parts);
    this.#layers.ring.replaceChildren();
    if (row >= 0 && row < lab.points.length) {
      const [cx, cy] = this.#px(this.#place(lab.points[row]));
      this.#layers.ring.append(svg("circle", { cx, cy, r: 15, class: "asked" }));
    }
  }

  // Through the origin w is an arrow, and an update adds the arrow y x to it; all at one scale in a run.
  #vectors(parts, before, w, row) {
    const { width, height } = this.#size;
    if (this.#longest?.run !== lab.run) {
      const most = Math.max(...lab.run.w.map((v) => Math.hypot(...this.#line(v).slice(0, 2))));
      this.#longest = { run: lab.run, most };
    }
    const room = (0.42 * Math.min(width, height)) / this.view.unit;
    const factor = Math.min(1, room / (this.#longest.most || 1));
    const zero = this.#px([0, 0]);
    const tip = (v) => this.#px([v[0] * factor, v[1] * factor]);
    if (row >= 0 && (before[0] || before[1])) {
      parts.push(arrow(zero, tip(before), "w-before", ""));
      parts.push(
        arrow(
          tip(before),
          tip(w),
          `added ${lab.labels[row] > 0 ? "plus" : "minus"}`,
          lab.labels[row] > 0 ? "+x" : "−x",
        ),
      );
    }
    if (w[0] || w[1]) parts.push(arrow(zero, tip(w), "w", "w"));
  }

  #longest = null;

  // Pieces ------------------------------------------------------------------------------------------

  #frame() {
    const { width, height } = this.#size;
    const [w, h] = [width / 2 / this.view.unit, height / 2 / this.view.unit];
    const { x, y } = this.view;
    return [
      [x - w, y - h],
      [x + w, y - h],
      [x + w, y + h],
      [x - w, y + h],
    ];
  }

  #path(corners) {
    return corners
      .map((corner) =>
        this.#px(corner)
          .map((v) => v.toFixed(2))
          .join(","),
      )
      .join(" ");
  }

  // The point of the line that is nearest to the centre, moved along it by a share of the picture's width; in pixels.
  #foot(a, b, c, share) {
    const { width } = this.#size;
    const { x, y, unit } = this.view;
    const t = (a * x + b * y + c) / (a * a + b * b);
    const length = Math.hypot(a, b);
    const along = ((share * width) / unit) * (b > 0 ? 1 : -1);
    return this.#px([x - t * a + (along * b) / length, y - t * b - (along * a) / length]);
  }

  #segment(a, b, c, kind) {
    const far = 2; // pictures away
    const [x1, y1] = this.#foot(a, b, c, far);
    const [x2, y2] = this.#foot(a, b, c, -far);
    return svg("line", { x1, y1, x2, y2, class: kind });
  }

  // Hands -------------------------------------------------------------------------------------------

  #select(i) {
    if (i === this.selected || i < 0) return;
    const before = this.selected;
    this.selected = i;
    for (const k of [before, i]) if (k >= 0 && k < lab.points.length) this.#point(k, lab.points[k]);
    this.svg.dispatchEvent(new Event("selected"));
  }

  #down(event) {
    if (event.button !== 0 || this.#dimension === 3) return;
    const i = this.#nodes.indexOf(event.target.closest(".point"));
    if (i >= 0 && this.pen === 0) return lab.remove(i);
    if (i >= 0) {
      this.#drag = { i, moved: false, x: event.clientX, y: event.clientY };
      this.svg.setPointerCapture(event.pointerId);
      this.#nodes[i].focus({ preventScroll: true });
    } else this.#drag = { i: -1, x: event.clientX, y: event.clientY };
  }

  #moved(event) {
    const drag = this.#drag;
    if (!drag || drag.i < 0) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 3) return;
    lab.move(drag.i, this.#at(event), { remember: !drag.moved });
    drag.moved = true;
  }

  #up(event) {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.i >= 0 || this.pen === 0) return;
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 6) return;
    this.addAt(this.#at(event));
  }

  addAt(point) {
    const i = lab.add(point, this.pen || 1);
    if (i < 0) return false;
    this.#nodes[i].focus({ preventScroll: true });
    return true;
  }

  // A new point near the centre, beside those that are there.
  addInTheMiddle() {
    const step = 30 / this.view.unit;
    const digits = Math.max(0, Math.ceil(Math.log10(this.view.unit)));
    let point;
    for (let k = 0; ; k++) {
      const angle = 2.4 * k;
      point = [
        this.view.x + step * Math.sqrt(k) * Math.cos(angle),
        this.view.y + step * Math.sqrt(k) * Math.sin(angle),
      ];
      point = point.slice(0, this.#dimension).map((v) => Number(v.toFixed(digits)));
      if (!lab.points.some((other) => Math.hypot(...other.map((v, i) => v - point[i])) < step / 2)) break;
    }
    return this.addAt(point);
  }

  #key(event) {
    const i = this.#nodes.indexOf(event.target.closest(".point"));
    if (i < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = (event.shiftKey ? 25 : 5) / this.view.unit;
    const moves = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
    const n = lab.points.length;
    if (moves[event.key]) {
      const digits = Math.max(0, Math.ceil(Math.log10(this.view.unit / 5)) + 1);
      lab.move(
        i,
        lab.points[i].map((v, k) => Number((v + moves[event.key][k]).toFixed(digits))),
        { remember: !event.repeat },
      );
    } else if (event.key === "Delete" || event.key === "Backspace") {
      lab.remove(i);
      (this.#nodes[Math.min(i, n - 2)] ?? document.querySelector(".add-point")).focus();
    } else if (event.key === "+" || event.key === "=") lab.relabel(i, 1);
    else if (event.key === "-" || event.key === "−") lab.relabel(i, -1);
    else if (event.key === "PageDown" || event.key === "PageUp") {
      const to = (i + (event.key === "PageDown" ? 1 : n - 1)) % n;
      this.#select(to);
      this.#nodes[to].focus();
    } else return;
    event.preventDefault();
  }
}

// The part of a convex polygon where a x + b y + c >= 0.
function clip(polygon, a, b, c) {
  const out = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    const [s, t] = [a * p[0] + b * p[1] + c, a * q[0] + b * q[1] + c];
    if (s >= 0) out.push(p);
    if (s * t < 0) out.push([p[0] + (s / (s - t)) * (q[0] - p[0]), p[1] + (s / (s - t)) * (q[1] - p[1])]);
  });
  return out;
}

// Corners in order around their mean.
function around(corners) {
  const [x, y] = [0, 1].map((k) => corners.reduce((sum, corner) => sum + corner[k], 0) / corners.length);
  return corners.toSorted((p, q) => Math.atan2(p[1] - y, p[0] - x) - Math.atan2(q[1] - y, q[0] - x));
}

function nice(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= step);
}

export function arrow([x1, y1], [x2, y2], kind, name) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(10, length / 2);
  const [bx, by] = [x2 - ux * head, y2 - uy * head];
  const wing = head * 0.45;
  // beside the middle of an arrow that is added, beyond the tip of one that stands alone
  const label = (text) =>
    kind.startsWith("added")
      ? svg("text", { x: (x1 + x2) / 2 - uy * 16, y: (y1 + y2) / 2 + ux * 16 + 4, "text-anchor": "middle" }, text)
      : svg("text", { x: x2 + ux * 14, y: y2 + uy * 14 + 5, "text-anchor": "middle" }, text);
  const tip = `${x2},${y2} ${bx - uy * wing},${by + ux * wing} ${bx + uy * wing},${by - ux * wing}`;
  return svg(
    "g",
    { class: `arrow ${kind}` },
    svg("line", { x1, y1, x2: bx, y2: by }),
    svg("polygon", { points: tip }),
    name ? label(name) : null,
  );
}
