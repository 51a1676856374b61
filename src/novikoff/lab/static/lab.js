// The experiment on the page: points and options, the transcript that the library returned, and the current step.
// Events: "points" (what is asked changed), "run" (the answer came), "step", "playing".

import { latest, post } from "./api.js";
import { defaults, fromText, options, toText } from "./options.js";

const { options: OPTIONS, learners, limits } = options.experiment;
const DEFAULTS = defaults(OPTIONS);
export const SPEEDS = [1, 3, 12, 60]; // updates a second

class Lab extends EventTarget {
  points = [];
  labels = [];
  options = { ...DEFAULTS };
  example = null; // the key of the example whose points these are
  examples = [];
  run = null;
  problem = null; // why there is no run
  step = 0;
  playing = false;
  speed = 3;
  #past = [];
  #asking = false;
  #stale = false;
  #wanted = null; // a step to go to when the run comes

  async start(text, onerror) {
    this.examples = await post("/api/examples", {});
    const refused = text && !this.#parse(text);
    if (this.points.length) this.#ask();
    else {
      this.load(this.examples[0].key);
      this.#past = [];
      this.dispatchEvent(new Event("points"));
    }
    if (refused) onerror(new Error("The link could not be read, so here is the first example."));
  }

  // What its theorem bounds, and whether it has a threshold.
  get learner() {
    return learners[this.options.learner];
  }

  get last() {
    return this.run ? this.run.row.length : 0;
  }

  // What is asked -------------------------------------------------------------------------------

  load(key) {
    const found = this.examples.find((one) => one.key === key);
    if (!found) return false;
    const { points, labels, ...options } = found.experiment;
    this.#remember();
    this.#wanted = 0;
    this.#replace(points, labels, { ...DEFAULTS, ...options }, key);
    this.dispatchEvent(new Event("loaded"));
    return true;
  }

  fill(points, labels) {
    this.#remember();
    this.#wanted = 0;
    this.#replace(points, labels, this.options, null);
    this.dispatchEvent(new Event("loaded"));
  }

  choose(option, value) {
    this.#replace(this.points, this.labels, { ...this.options, [option]: value }, this.example);
  }

  add(point, label) {
    if (this.points.length >= limits.points) return -1;
    this.#remember();
    this.#replace([...this.points, point], [...this.labels, label], this.options, null);
    return this.points.length - 1;
  }

  move(i, point, { remember = true } = {}) {
    if (remember) this.#remember();
    this.#replace(this.points.with(i, point), this.labels, this.options, null);
  }

  relabel(i, label) {
    if (this.labels[i] === label) return;
    this.#remember();
    this.#replace(this.points, this.labels.with(i, label), this.options, null);
  }

  remove(i) {
    this.#remember();
    this.#replace(this.points.toSpliced(i, 1), this.labels.toSpliced(i, 1), this.options, null);
  }

  clear() {
    this.#remember();
    this.#wanted = 0;
    this.#replace([], [], this.options, null);
  }

  undo() {
    const before = this.#past.pop();
    if (before) this.#replace(before.points, before.labels, before.options, before.example);
  }

  get undoable() {
    return this.#past.length > 0;
  }

  #remember() {
    const { points, labels, options, example } = this;
    this.#past.push({ points, labels, options, example });
    if (this.#past.length > 100) this.#past.shift();
  }

  #replace(points, labels, options, example) {
    Object.assign(this, { points, labels, options, example });
    this.pause();
    this.dispatchEvent(new Event("points"));
    this.#ask();
  }

  experiment() {
    return { points: this.points, labels: this.labels, ...this.options };
  }

  // One question at a time: while it is open, changes only note that there is a newer one.
  async #ask() {
    if (this.#asking) {
      this.#stale = true;
      return;
    }
    this.#asking = true;
    do {
      this.#stale = false;
      let run = null;
      let problem = null;
      const asked = this.experiment();
      if (!this.points.length)
        problem = "Click or tap in the picture to place points of both classes, or choose an example.";
      else if (new Set(this.labels).size < 2) problem = "Place at least one point of the other class, too.";
      else {
        try {
          run = await latest("/api/run", asked);
        } catch (error) {
          problem = error.message;
        }
      }
      if (this.#stale) continue;
      const atEnd = this.run !== null && this.step > 0 && this.step === this.last;
      this.run = run;
      this.problem = problem;
      this.step =
        this.#wanted !== null && run
          ? Math.min(this.#wanted, this.last)
          : atEnd
            ? this.last
            : Math.min(this.step, this.last);
      if (run) this.#wanted = null;
      this.dispatchEvent(new Event("run"));
      this.#announce(null);
    } while (this.#stale);
    this.#asking = false;
  }

  // The step ------------------------------------------------------------------------------------

  go(step) {
    const to = Math.max(0, Math.min(this.last, step));
    if (to === this.step) return;
    const from = this.step;
    this.step = to;
    this.#announce(from);
  }

  #announce(from) {
    this.dispatchEvent(new CustomEvent("step", { detail: from }));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (!this.last) return;
    if (this.step === this.last) this.go(0);
    this.playing = true;
    this.dispatchEvent(new Event("playing"));
    let next = performance.now() + 150;
    const tick = (now) => {
      if (!this.playing) return;
      if (now >= next) {
        next = Math.max(next + 1000 / this.speed, now);
        this.go(this.step + 1);
        if (this.step >= this.last) return this.pause();
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.dispatchEvent(new Event("playing"));
  }

  // The address ---------------------------------------------------------------------------------

  toText() {
    const text = new URLSearchParams();
    if (this.example) text.set("e", this.example);
    else text.set("d", this.points.map((point, i) => (this.labels[i] > 0 ? "p" : "m") + point.join(",")).join(";"));
    const base = {
      ...DEFAULTS,
      ...(this.example ? this.examples.find((one) => one.key === this.example).experiment : {}),
    };
    for (const { key } of OPTIONS) if (this.options[key] !== base[key]) text.set(key, toText(this.options[key]));
    if (this.step) text.set("t", this.step);
    return text.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
  }

  // Everything or nothing: a link that is half understood would show something else than was shared.
  #parse(text) {
    const given = new URLSearchParams(text);
    const chosen = {};
    for (const option of OPTIONS) {
      if (!given.has(option.key)) continue;
      chosen[option.key] = fromText(option, given.get(option.key));
      if (chosen[option.key] === undefined) return false;
    }
    const step = given.get("t") ?? "0";
    if (!/^\d+$/.test(step) || Number(step) > limits.updates) return false;
    let points = [];
    let labels = [];
    let example = null;
    if (given.has("e")) {
      const found = this.examples.find((one) => one.key === given.get("e"));
      if (!found) return false;
      const { points: x, labels: y, ...preset } = found.experiment;
      [points, labels, example] = [x, y, found.key];
      Object.assign(chosen, { ...preset, ...chosen });
    } else if (given.get("d")) {
      for (const part of given.get("d").split(";")) {
        const point = part
          .slice(1)
          .split(",")
          .map((cell) => (cell.trim() === "" ? NaN : Number(cell)));
        if (!"pm".includes(part[0]) || point.some((v) => !(Math.abs(v) <= limits.largest))) return false;
        if (point.length > limits.coordinates) return false;
        points.push(point);
        labels.push(part[0] === "p" ? 1 : -1);
      }
      if (points.length > limits.points || points.some((point) => point.length !== points[0].length)) return false;
    } else return false;
    Object.assign(this, { points, labels, options: { ...DEFAULTS, ...chosen }, example });
    this.#wanted = Number(step);
    this.dispatchEvent(new Event("points"));
    this.dispatchEvent(new Event("loaded"));
    return true;
  }
}

export const lab = new Lab();
