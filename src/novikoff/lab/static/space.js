// Points in space, seen from a direction that drag, or the arrow keys, turn. For looking at; the points come from CSV.

import { set, svg } from "./dom.js";
import { lab } from "./lab.js";
import { options } from "./options.js";
import { arrow } from "./picture.js";

const EDGES = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [1, 2, 4].filter((bit) => !(i & bit)).map((bit) => [i, i | bit]));

export class Space {
  best = true;
  #yaw = 0.6;
  #pitch = 0.35;
  #drag = null;
  #size = { width: 640, height: 480 };

  constructor(host) {
    this.desc = svg("desc", { id: "space-desc" });
    this.#scene = svg("g", { "aria-hidden": "true" });
    this.node = svg(
      "svg",
      {
        class: "picture space",
        role: "img",
        tabindex: 0,
        "aria-label": "Labelled points in space and the plane of w; arrow keys turn it",
        "aria-describedby": "space-desc",
        hidden: true,
      },
      this.desc,
      this.#scene,
    );
    host.append(this.node);
    this.node.addEventListener("pointerdown", (event) => {
      this.#drag = [event.clientX, event.clientY];
      this.node.setPointerCapture(event.pointerId);
    });
    this.node.addEventListener("pointermove", (event) => {
      if (!this.#drag) return;
      this.#turn((event.clientX - this.#drag[0]) / 120, (event.clientY - this.#drag[1]) / 120);
      this.#drag = [event.clientX, event.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, () => (this.#drag = null));
    this.node.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
      if (!by) return;
      event.preventDefault();
      this.#turn(...by);
    });
    new ResizeObserver(() => {
      const { width, height } = this.node.getBoundingClientRect();
      if (!width) return;
      this.#size = { width, height };
      set(this.node, { viewBox: `0 0 ${width} ${height}` });
      this.draw();
    }).observe(this.node);
    lab.addEventListener("points", () => this.draw());
    lab.addEventListener("step", () => this.draw());
  }

  #scene;

  #turn(yaw, pitch) {
    this.#yaw += yaw;
    this.#pitch = Math.max(-1.5, Math.min(1.5, this.#pitch + pitch));
    this.draw();
  }

  draw() {
    if (lab.points[0]?.length !== 3) return this.#scene.replaceChildren();
    const { width, height } = this.#size;
    const reach = Math.max(...lab.points.flat().map(Math.abs), options.experiment.limits.smallest);
    const unit = (0.3 * Math.min(width, height)) / reach;
    const [cy, sy, cp, sp] = [Math.cos(this.#yaw), Math.sin(this.#yaw), Math.cos(this.#pitch), Math.sin(this.#pitch)];
    const px = ([x, y, z]) => {
      const [u, v] = [cy * x + sy * y, -sy * x + cy * y];
      return [width / 2 + u * unit, height / 2 - (cp * z + sp * v) * unit];
    };
    const zero = px([0, 0, 0]);
    const parts = [0, 1, 2].map((k) =>
      arrow(zero, px([0, 1, 2].map((i) => (i === k ? 1.25 * reach : 0))), "axis-3", `x${k + 1}`),
    );
    const run = lab.run?.w[0].length === 4 && lab.run.row.every((row) => row < lab.points.length) ? lab.run : null;
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
      [i & 1, i & 2, i & 4].map((bit) => (bit ? 1.15 * reach : -1.15 * reach)),
    );
    const plane = (w, kind) => {
      const value = (p) => w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + (lab.options.intercept ? w[3] : 0);
      const cuts = EDGES.flatMap(([i, j]) => {
        const [s, t] = [value(corners[i]), value(corners[j])];
        return s * t < 0 ? [corners[i].map((v, k) => v + (s / (s - t)) * (corners[j][k] - v))] : [];
      }).map(px);
      if (cuts.length < 3) return;
      const [mx, my] = [0, 1].map((k) => cuts.reduce((sum, cut) => sum + cut[k], 0) / cuts.length);
      cuts.sort((p, q) => Math.atan2(p[1] - my, p[0] - mx) - Math.atan2(q[1] - my, q[0] - mx));
      parts.push(svg("polygon", { points: cuts.map((cut) => cut.join(",")).join(" "), class: kind }));
    };
    if (run) {
      if (run.witness && this.best) plane(run.witness.w, "best-3");
      const w = run.w[lab.step];
      plane(w, "now-3");
      const length = Math.hypot(w[0], w[1], w[2]);
      if (length) parts.push(arrow(zero, px(w.slice(0, 3).map((v) => (v / length) * reach)), "w", "w"));
    }
    const asked = run && lab.step ? run.row[lab.step - 1] : -1;
    lab.points.forEach((point, i) => {
      const [x, y] = px(point);
      const plus = lab.labels[i] > 0;
      parts.push(svg("line", { x1: zero[0], y1: zero[1], x2: x, y2: y, class: "spoke" }));
      if (i === asked) parts.push(svg("circle", { cx: x, cy: y, r: 15, class: "asked" }));
      const mark = plus
        ? svg("circle", { r: 7.5, class: "shape" })
        : svg("rect", { x: -6.5, y: -6.5, width: 13, height: 13, class: "shape" });
      const sign = svg("path", { d: plus ? "M-3.5 0h7M0-3.5v7" : "M-3.5 0h7", class: "sign" });
      parts.push(
        svg("g", { class: `point ${plus ? "plus" : "minus"}`, transform: `translate(${x} ${y})` }, mark, sign),
      );
    });
    this.#scene.replaceChildren(...parts);
  }
}
