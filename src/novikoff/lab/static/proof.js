// The proof of the theorem, drawn: the floor under <w,w*>, the ceiling over ||w||, and where they cross.

import { lineChart } from "./chart.js";
import { element, shown, svg } from "./dom.js";
import { lab } from "./lab.js";
import { share, transport } from "./transport.js";

export function mount(panel, api) {
  const remember = share(panel, api);
  const claim = element("p", { class: "claim" });
  const bar = element("div", { class: "allowed" });
  const sentences = element("div", { class: "sentences" });
  const title = element("h2");
  const checked = element("p", { class: "quiet checked" });
  const hosts = { squeeze: element("div"), square: element("div"), cosine: element("div") };
  const far = element("input", { type: "checkbox", onchange: () => curves() });
  panel.append(
    element("div", { class: "statement" }, element("h2", {}, "The theorem"), claim, bar),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        { class: "card main" },
        hosts.squeeze,
        element("label", { class: "check" }, far, "As far as the lines cross: no run can get there"),
        transport(),
        element("div", { class: "pair" }, hosts.square, hosts.cosine),
      ),
      element(
        "div",
        { class: "side" },
        element("div", { class: "card" }, title, sentences),
        element("div", { class: "card" }, checked),
      ),
    ),
  );
  const squeeze = lineChart(hosts.squeeze, {
    title: "The squeeze",
    x: "updates t",
    height: 300,
    series: [
      { label: "the ceiling", color: "--quiet", dash: [7, 5] },
      { label: "‖w‖", color: "--series-1", width: 2.5 },
      { label: "⟨w,w*⟩", color: "--series-2", width: 2.5 },
      { label: "the floor", color: "--witness", dash: [3, 4] },
    ],
  });
  const square = lineChart(hosts.square, {
    title: "‖w‖² stays under its line",
    x: "updates t",
    height: 200,
    series: [
      { label: "its line", color: "--quiet", dash: [7, 5] },
      { label: "‖w‖²", color: "--series-1", width: 2.5 },
    ],
  });
  const cosine = lineChart(hosts.cosine, {
    title: "The angle closes",
    x: "updates t",
    height: 200,
    range: [-0.05, 1.05],
    series: [{ label: "cos ∠(w, w*)", color: "--series-2", width: 2.5 }],
  });

  function curves() {
    const run = lab.run;
    if (!run) return;
    const { t, norm, roof, floor, inner, norm_sq, ceiling, cosine: cos, far: beyond } = run.curves;
    const none = t.map(() => null);
    far.disabled = !beyond;
    if (far.checked && beyond) {
      const [ts, floors, roofs] = beyond;
      const xs = [...new Set([...t, ...ts])].sort((a, b) => a - b);
      const spread = (keys, values) => {
        const known = new Map(keys.map((key, i) => [key, values[i]]));
        return xs.map((x) => known.get(x) ?? undefined);
      };
      squeeze.data([
        xs,
        spread([...t, ...ts], [...roof, ...roofs]),
        spread(t, norm),
        spread(t, inner),
        spread([...t, ...ts], [...floor, ...floors]),
      ]);
    } else squeeze.data([t, roof, norm, inner ?? none, floor ?? none]);
    square.data([t, ceiling, norm_sq]);
    cosine.data([t, cos ?? none]);
    step();
  }

  let asked = 0;
  async function run() {
    if (panel.hidden) return;
    const { run, problem } = lab;
    checked.textContent = "";
    if (!run) {
      claim.textContent = problem ?? "";
      bar.replaceChildren();
      sentences.replaceChildren();
      title.textContent = "This step";
      return;
    }
    const { noun, bound, threshold } = lab.learner;
    claim.textContent = run.witness
      ? `Some separator w* of length 1 has margin γ = ${shown(run.witness.margin)} on these points of norm at most R = ${shown(run.radius)}` +
        (threshold ? ` with θ = ${shown(run.theta)}. ` : ". ") +
        (!run.bound
          ? "That is so small that nothing is promised for weights that are rounded to floats."
          : `So there are at most ${bound} = ${run.bound} ${noun}s, in any order.`)
      : `${run.proof.join(" ")} The theorem asks for a separator, so it promises nothing here: only ‖w‖² stays under its line.`;
    curves();
    const mine = ++asked;
    checked.textContent = "Checking both inequalities in exact arithmetic …";
    await new Promise((done) => setTimeout(done, 300)); // while points move, the picture goes first
    if (mine !== asked || panel.hidden) return;
    try {
      const answer = await api.latest("/api/check", lab.experiment());
      if (mine === asked) checked.textContent = answer.text;
    } catch (error) {
      if (mine === asked && error.name !== "AbortError") checked.textContent = error.message;
    }
  }

  function step() {
    const { run, step, last } = lab;
    if (!run || panel.hidden) return;
    const { norm, roof, floor, inner, norm_sq, ceiling, cosine: cos } = run.curves;
    const words = step ? run.steps[step - 1] : null;
    title.textContent = words ? words.title : "Before the first update";
    const lines = words
      ? [
          ["why", words.why],
          ["ceiling", words.ceiling],
          ["floor", words.floor],
          ["squeeze", words.squeeze],
        ]
      : [["why", run.start]];
    sentences.replaceChildren(
      ...lines.filter(([, text]) => text).map(([kind, text]) => element("p", { class: kind }, text)),
    );
    if (step === last && last) sentences.append(element("p", { class: "done" }, run.summary));
    squeeze.cursor(far.checked && run.curves.far ? null : step);
    square.cursor(step);
    cosine.cursor(step);
    squeeze.values([roof, norm, inner, floor].map((one) => (one ? shown(one[step]) : "")));
    square.values([ceiling, norm_sq].map((one) => shown(one[step])));
    cosine.values([cos ? shown(cos[step]) : ""]);
    squeeze.describe(
      floor
        ? `After ${step} updates: floor ${shown(floor[step])}, ⟨w,w*⟩ ${shown(inner[step])}, ‖w‖ ${shown(norm[step])}, ceiling ${shown(roof[step])}.`
        : `After ${step} updates ‖w‖ is ${shown(norm[step])}, under its ceiling ${shown(roof[step])}.`,
    );
    square.describe(
      `After ${step} updates ‖w‖² is ${shown(norm_sq[step])}, under its line at ${shown(ceiling[step])}.`,
    );
    cosine.describe(
      cos
        ? `After ${step} updates the cosine of the angle between w and w* is ${shown(cos[step])}.`
        : "There is no w* to compare with.",
    );
    meter(run, step);
    api.say(words ? `${words.title}. ${words.why}` : run.start);
    remember();
  }

  function meter(run, step) {
    if (!run.bound) return bar.replaceChildren();
    const { noun } = lab.learner;
    const made = noun === "update" ? step : run.mistake.slice(0, step).filter(Boolean).length;
    const share = Math.min(1, made / Number(run.bound.replaceAll(",", "")));
    const label = `${made} ${noun}s of ${run.bound} allowed`;
    bar.replaceChildren(
      svg(
        "svg",
        { class: "meter", role: "img", "aria-label": label, width: "100%", height: 12 },
        svg("rect", { class: "all", width: "100%", height: 12, rx: 6 }),
        svg("rect", { class: "made", width: `${Math.max(share * 100, made ? 0.6 : 0)}%`, height: 12, rx: 6 }),
      ),
      element("span", { "aria-hidden": "true" }, label),
    );
  }

  lab.addEventListener("run", run);
  lab.addEventListener("step", step);
  if (!lab.examples.length) lab.start(api.read(), api.fail).catch(api.fail);
  return {
    shown() {
      if (!lab.examples.length) return;
      run();
      remember();
    },
  };
}
