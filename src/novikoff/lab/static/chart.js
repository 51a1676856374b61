// Curves: uPlot with the page's colours, a legend that is text, and a mark at the current step.

import uPlot from "./vendor/uplot/uPlot.esm.js";
import { element, svg } from "./dom.js";

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const charts = new Set();
const WHOLE = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) => [1, 2, 5].map((factor) => factor * 10 ** power)); // ticks at integers
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((chart) => chart.redraw()));

export function lineChart(host, { title, x, series, log = false, height = 260, range = null }) {
  const values = series.map(() => element("span", { class: "value" }));
  const legend = element(
    "ul",
    { class: "legend" },
    series.map((one, i) => element("li", {}, swatch(one), one.label, " ", values[i])),
  );
  const text = element("p", { class: "visually-hidden" });
  const plot = element("div", { class: "plot", "aria-hidden": "true" });
  host.append(element("figure", { class: "chart" }, element("figcaption", {}, title), legend, plot, text));
  const mark = element("div", { class: "mark" });
  let data = [[0], ...series.map(() => [null])];
  const axis = () => ({
    stroke: () => css("--quiet"),
    grid: { stroke: () => css("--line"), width: 1 },
    ticks: { stroke: () => css("--line"), width: 1, size: 5 },
    font: "13px system-ui, sans-serif",
  });
  const drawn = new uPlot(
    {
      width: Math.max(plot.clientWidth, 240),
      height,
      legend: { show: false },
      cursor: { show: false },
      padding: [10, 14, 0, 0],
      scales: { x: { time: false }, y: { distr: log ? 3 : 1, ...(range && { range }) } },
      axes: [
        { ...axis(), label: x, labelFont: "13px system-ui, sans-serif", labelSize: 22, size: 34, incrs: WHOLE },
        { ...axis(), size: 58 },
      ],
      series: [
        {},
        ...series.map(({ label, color, dash, width = 2, points = false }) => ({
          label,
          stroke: () => css(color),
          width,
          dash,
          points: { show: points, size: 5 },
        })),
      ],
      hooks: { draw: [() => place()] },
    },
    data,
    plot,
  );
  drawn.over.append(mark);
  charts.add(drawn);
  let at = null;
  function place() {
    const inside = at !== null && data[0][at] !== undefined;
    mark.hidden = !inside;
    if (inside) mark.style.transform = `translateX(${drawn.valToPos(data[0][at], "x")}px)`;
  }
  let width = 0;
  new ResizeObserver(() => {
    if (!plot.clientWidth || plot.clientWidth === width) return;
    width = plot.clientWidth;
    drawn.setSize({ width, height });
  }).observe(plot);
  return {
    data(columns) {
      data = columns;
      drawn.setData(columns);
    },
    cursor(i) {
      at = i;
      place();
    },
    values(texts) {
      texts.forEach((value, i) => (values[i].textContent = value));
    },
    describe(words) {
      text.textContent = words;
    },
  };
}

function swatch({ color, dash, width = 2 }) {
  const line = svg("line", { x1: 0, y1: 5, x2: 22, y2: 5, "stroke-width": width, "stroke-dasharray": dash?.join(" ") });
  line.style.stroke = `var(${color})`;
  return svg("svg", { class: "swatch", width: 22, height: 10, "aria-hidden": "true" }, line);
}
