// Direct links of inputs that are no squares: a row for each by its name, a bar for its weight;
// with many outputs a cell instead of the bar.

import { brief, clamp, largest, number, round, sign, svg, text } from "net_draw";

const ROW = 30, TOP = 30, GAP = 10, BARS = 110;

export function drawBars(root, inputs, items, live, { width, signal }) {
  const value = (item, i) => (item.weights[i] ?? 0) * (signal && live ? live.slots[i] : 1);
  const most = largest(items.flatMap((item) => item.weights.map((_, i) => value(item, i))));
  const left = clamp(7 * Math.max(...inputs.names.map((name) => name.length)) + 14, 56, width * 0.4);
  const wide = Math.min((width - left - 8) / items.length - GAP, 700);
  const plan = { left, wide, corner: (k) => left + k * (wide + GAP) };
  inputs.names.forEach((name, i) => text(root, left - 10, TOP + (i + 0.5) * ROW + 4, cut(name, left - 14), "dim end"));
  items.forEach((item, k) => {
    const title = wide < 44 ? item.title.replace(/^\D+(?=\d)/, "") : item.title;
    text(root, plan.corner(k) + wide / 2, TOP - 8, title, "mid strong");
    item.weights.forEach((weight, i) => {
      if (weight != null) drawOne(root, value(item, i), most, plan.corner(k), TOP + i * ROW, wide);
    });
  });
  return { height: TOP + ROW * inputs.names.length + 10, lines: [], hit: (x, y) => hit(x, y, inputs, items, live, plan) };
}

function drawOne(root, value, most, x, y, wide) {
  const strength = most ? Math.abs(value) / most : 0, high = ROW - 6;
  svg("rect", { class: "net-shade", x: round(x), y: y + 3, width: round(wide), height: high }, root);
  if (wide < BARS) {
    const look = { class: `net-${sign(value)}`, "fill-opacity": round(0.95 * strength) };
    svg("rect", { ...look, x: round(x), y: y + 3, width: round(wide), height: high }, root);
    if (wide >= 24) text(root, x + wide / 2, y + ROW / 2 + 4, brief(value), `net-weight mid ${strength > 0.55 ? "on" : ""}`);
    return;
  }
  // From the middle to the right where it is positive, to the left where it is negative.
  const middle = x + wide / 2, length = (wide / 2 - 40) * strength, left = value < 0 ? middle - length : middle;
  svg("rect", { class: `net-${sign(value)}`, x: round(left), y: y + 5, width: round(length), height: high - 4 }, root);
  svg("path", { class: "net-edge", d: `M${round(middle)} ${y}v${ROW}` }, root);
  const end = value < 0 ? middle - length - 6 : middle + length + 6;
  text(root, end, y + ROW / 2 + 4, brief(value), `net-weight ${value < 0 ? "end" : ""}`);
}

// Return a name that fits into a number of pixels.
function cut(name, room) {
  const letters = Math.floor(room / 6);
  return name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
}

function hit(x, y, inputs, items, live, { wide, corner }) {
  const i = Math.floor((y - TOP) / ROW), k = items.findIndex((_, n) => x >= corner(n) && x < corner(n) + wide);
  if (k < 0 || i < 0 || i >= inputs.names.length) return null;
  const weight = items[k].weights[i], lines = [weight == null ? "no link" : `weight ${number(weight)}`];
  if (live && weight != null) lines.push(`input ${number(live.slots[i])}`, `carries ${number(weight * live.slots[i])}`);
  const box = [corner(k), TOP + i * ROW + 3, wide, ROW - 6];
  return { key: `d${k} ${i}`, title: `${inputs.names[i]} → ${items[k].title}`, lines, box };
}
