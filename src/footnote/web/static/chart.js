// A small bar chart of figures the result has; it draws nothing that is not in the answer's results.

import { el, svg } from "./dom.js";

const WIDTH = 560;
const ROW = 22;
const MOST = 24;

/** A chart for the first result whose operation declares one (`answer.display.charts`, by operation), or null. */
export function drawing(answer) {
  if (answer.kind !== "answer") return null;
  for (const result of answer.results ?? []) {
    const spec = answer.display?.charts?.[result.operation];
    const bars = spec ? barsOf(result, spec) : [];
    if (bars.length > 1 && bars.length <= MOST) return chart(result, bars);
  }
  return null;
}

function barsOf(result, spec) {
  const table = (result.tables ?? []).find((entry) => entry.name === spec.of);
  const bars = (table?.rows ?? []).map(({ figures }) => {
    const figure = figures[spec.series[0]];
    return { label: figures[spec.label]?.display ?? "", display: figure?.display ?? "", currency: figure?.currency, value: Number(figure?.value) };
  });
  // Bars of two currencies cannot be compared by length.
  const comparable = new Set(bars.map((bar) => bar.currency)).size === 1 && bars.every((bar) => Number.isFinite(bar.value));
  return comparable ? bars : [];
}

function chart(result, bars) {
  const longest = Math.max(...bars.map((bar) => bar.label.length));
  const left = Math.min(200, 16 + longest * 7);
  const right = 16 + Math.max(...bars.map((bar) => bar.display.length)) * 7;
  const low = Math.min(0, ...bars.map((bar) => bar.value));
  const high = Math.max(0, ...bars.map((bar) => bar.value));
  const scale = (WIDTH - left - right) / (high - low || 1);
  const zero = left - low * scale;
  const height = bars.length * ROW;
  const rows = bars.map((bar, index) => {
    const x = bar.value < 0 ? zero + bar.value * scale : zero;
    const middle = index * ROW + ROW / 2;
    return [
      svg("text", { x: left - 10, y: middle + 4, "text-anchor": "end" }, bar.label),
      svg("rect", { class: "bar", x, y: middle - 6, width: Math.abs(bar.value) * scale, height: 12 }),
      svg("text", { x: Math.max(x + Math.abs(bar.value) * scale, zero) + 8, y: middle + 4 }, bar.display),
    ];
  });
  const says = bars.map((bar) => `${bar.label} ${bar.display}`).join("; ");
  return el("figure", { class: "chart" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${result.title}: ${says}` }, rows,
      svg("line", { class: "axis", x1: zero, x2: zero, y1: 0, y2: height })));
}
