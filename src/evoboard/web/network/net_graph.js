// A sparse network: inputs where they lie on the board, hidden nodes by depth, outputs last; from
// left to right, or on a narrow screen from top to bottom.

import {
  brief, cellPath, clamp, drawCells, drawNames, inputAt, largest, number, paint, round, sign, svg, text, wrapped,
} from "net_draw";
import { pieceArt } from "pieces";

const [DEPTH, PLACE, BIAS, RESPONSE, BOUND, STEEPNESS, ACTIVATION, AGGREGATION] = [0, 1, 2, 3, 4, 5, 6, 7];
const NARROW = 640, LIST_ROW = 30, NAME = 66;

// Draw into `root`; return {height, hit(x, y), lines} for pointing at things.
export function drawGraph(root, data, live, { width, mode, signal }) {
  const plan = planOf(data, width);
  const links = linksOf(data, live, mode, signal, plan);
  drawInputs(root, data, live, plan);
  const lines = drawLinks(root, links, plan);
  drawFeet(root, data, links, plan);
  const nodes = drawNodes(root, data, live, plan);
  return {
    height: plan.height,
    lines,
    links,
    hit: (x, y) => hit(x, y, data, live, links, nodes, plan),
  };
}

// --- where everything is -------------------------------------------------------------------

function planOf(data, width) {
  const { nodes, ends } = data, count = data.inputs.places.length;
  const list = data.inputs.shape === "list";
  const inputs = width < NARROW || !list ? wrapped(data.inputs, Math.min(width, 470)) : data.inputs;
  const columns = Math.max(...nodes.map((node) => node[DEPTH]));
  const sizes = Array(columns + 1).fill(0);
  for (const node of nodes) sizes[node[DEPTH]]++;
  const plan = { inputs, columns, sizes, count, width, ends: new Set(ends), narrow: width < NARROW };
  const placed = plan.narrow ? downwards(plan, data) : rightwards(plan, data);
  return { ...placed, port: (slot) => portOf(slot, placed) };
}

// Links begin in the middle of a square; at the edge of a cell that has a number in it.
function portOf(slot, { inputs, unit, count, narrow, centre }) {
  const [x, y] = centre(slot), half = 0.4 * unit;
  if (slot >= count || inputs.shape === "square" || inputs.shape === "hex") return [x, y];
  return narrow ? [x - 0.05 * unit, y + half] : [x + half, y - 0.05 * unit];
}

function rightwards(plan, data) {
  const { inputs, width, sizes, columns, count } = plan, list = inputs.shape === "list";
  const left = list ? NAME + 14 : 24, area = list ? LIST_ROW : Math.min(width * 0.44, 470);
  const unit = list ? LIST_ROW : Math.min(area / inputs.width, inputs.shape === "grid" ? 24 : 62);
  const boardHeight = unit * inputs.height, most = Math.max(...sizes);
  // Many nodes in a column are spread as far as the screen allows, and further if they must.
  const spread = Math.min(most * 90, clamp(innerHeight - 360, 240, 560));
  const height = Math.round(60 + Math.max(boardHeight, spread, Math.min(most * 34, 1000), 220));
  const top = (height - boardHeight) / 2 + 4;
  const from = left + unit * inputs.width, until = width - 92, step = (until - from) / columns;
  const corner = (x, y) => [left + x * unit, top + y * unit];
  const centre = (slot) => {
    if (slot < count) return corner(...inputs.places[slot]).map((at) => at + unit / 2);
    const node = data.nodes[slot - count], last = node[DEPTH] === columns;
    const span = last ? Math.min(height - 60, 70 * sizes[columns]) : height - 60;
    return [from + step * node[DEPTH], (height - span) / 2 + 4 + span * node[PLACE]];
  };
  const radius = (depth) => clamp(Math.min(((height - 60) / Math.max(1, sizes[depth])) * 0.38, step * 0.42), 3.5, 15);
  return { ...plan, unit, height, corner, centre, radius, step, from };
}

function downwards(plan, data) {
  const { inputs, width, sizes, columns, count } = plan;
  const unit = Math.min((width - 44) / inputs.width, inputs.shape === "grid" ? 36 : 54);
  const left = (width - unit * inputs.width) / 2, top = 22;
  const from = top + unit * inputs.height + 16, step = clamp(420 / columns, 62, 110);
  const corner = (x, y) => [left + x * unit, top + y * unit];
  const centre = (slot) => {
    if (slot < count) return corner(...inputs.places[slot]).map((at) => at + unit / 2);
    const node = data.nodes[slot - count];
    return [16 + (width - 32) * node[PLACE], from + step * node[DEPTH]];
  };
  const radius = (depth) => clamp(((width - 32) / Math.max(1, sizes[depth])) * 0.4, 3.5, 14);
  return { ...plan, unit, height: from + step * columns + 46, corner, centre, radius, step, from };
}

// --- links ---------------------------------------------------------------------------------

function linksOf(data, live, mode, signal, plan) {
  const direct = ([source, target]) => source < plan.count && plan.ends.has(target);
  const shown = data.links.filter((link) => mode === "all" || !direct(link));
  const carried = ([source, , weight]) => (live ? live.slots[source] * weight : 0);
  const value = signal && live ? carried : ([, , weight]) => weight;
  const most = largest(shown.map(value));
  return shown
    .map((link) => {
      const strength = most ? Math.abs(value(link)) / most : 0;
      return { link, value: value(link), carried: carried(link), strength };
    })
    .sort((a, b) => a.strength - b.strength);
}

function drawLinks(root, links, plan) {
  const layer = svg("g", { class: "net-links" }, root);
  // Among many links only the strong ones should be seen at once.
  const fade = clamp(1 + 1.2 * Math.log10(links.length / 150), 1, 3);
  return links.map((item) => {
    const [source, target] = item.link;
    const [x, y] = plan.port(source), [u, v] = plan.centre(target);
    item.points = curve(x, y, u, v, source, target, plan);
    const [, middle, end] = item.points;
    const d = item.points.length === 3
      ? `M${round(x)} ${round(y)}Q${round(middle[0])} ${round(middle[1])} ${round(end[0])} ${round(end[1])}`
      : `M${round(x)} ${round(y)}L${round(u)} ${round(v)}`;
    const strength = item.strength ** fade;
    const opacity = round(0.05 + 0.95 * strength), breadth = round(0.7 + 2.3 * strength);
    const faint = item.value === 0 ? 0.04 : opacity;
    const style = { class: `net-link ${sign(item.value)}`, "stroke-opacity": faint, "stroke-width": breadth };
    return svg("path", { ...style, d }, layer);
  });
}

// A link that passes over a column bends, so that it is not taken for one to a node on its way.
function curve(x, y, u, v, source, target, plan) {
  const passes = source >= plan.count && Math.abs((plan.narrow ? v - y : u - x) / plan.step) > 1.5;
  if (!passes) return [[x, y], [u, v]];
  const bow = 0.16 * (plan.narrow ? v - y : u - x) * ((source + target) % 2 ? 1 : -1);
  const middle = plan.narrow ? [(x + u) / 2 + bow, (y + v) / 2] : [(x + u) / 2, (y + v) / 2 + bow];
  return [[x, y], middle, [u, v]];
}

// --- inputs and nodes ----------------------------------------------------------------------

function drawInputs(root, data, live, plan) {
  const { inputs, unit, corner, narrow } = plan, layer = svg("g", {}, root);
  drawCells(layer, inputs, corner, unit);
  drawNames(layer, inputs, corner, unit);
  for (const [title, x, y] of inputs.titles) text(layer, corner(x, y)[0], corner(x, y)[1] - 3, title, "tiny");
  if (inputs.shape === "list")
    inputs.names.forEach((name, i) => text(layer, corner(0, 0)[0] - 7, plan.centre(i)[1] + 4, name, "dim end"));
  if (!narrow) text(layer, corner(0, 0)[0], 13, "inputs", "dim");
  if (!live) return;
  const values = live.slots.slice(0, plan.count), most = largest(values);
  const boardless = inputs.shape === "list" || inputs.shape === "grid";
  const inner = inputs.shape === "hex" ? unit * 0.96 : inputs.shape === "square" ? unit : unit * 0.9;
  const paler = live.pieces.length ? 0.75 : 1; // where pieces must be seen
  const path = (i) => cellPath(inputs.shape, ...corner(...inputs.places[i]), inner);
  paint(layer, values.map((value, i) => ({ value: paler * value, path: path(i) })), most);
  for (const [input, piece] of live.pieces) {
    const [x, y] = plan.centre(input);
    const place = `translate(${round(x)} ${round(y)}) scale(${round(unit / 112)})`;
    const art = pieceArt(piece, live.sides, live.counted), group = svg("g", { class: "net-piece", transform: place }, layer);
    // A light edge: dark pieces would be lost on a dark page.
    svg("g", { class: "net-halo" }, group).innerHTML = art;
    svg("g", { opacity: 0.9 }, group).innerHTML = art;
  }
  if (boardless && unit >= 24)
    values.forEach((value, i) => {
      const [x, y] = plan.centre(i), style = Math.abs(value) > 0.55 * most ? "in on" : "in";
      text(layer, x - unit * 0.05, y + 2, brief(value), style);
    });
}

// A dot where a link begins.
function drawFeet(root, data, links, plan) {
  const layer = svg("g", {}, root), begun = new Set(links.map(({ link }) => link[0]).filter((s) => s < plan.count));
  for (const slot of begun) {
    const [cx, cy] = plan.port(slot).map(round);
    svg("circle", { class: "net-foot", cx, cy, r: plan.unit < 16 ? 1.4 : 2.4 }, layer);
  }
}

function drawNodes(root, data, live, plan) {
  const layer = svg("g", {}, root), { count, columns } = plan;
  const inner = live ? live.slots.slice(count) : [], most = largest(inner);
  if (!plan.narrow)
    drawHeads(layer, plan);
  return data.nodes.map((node, k) => {
    const slot = count + k, end = data.ends.indexOf(slot);
    const r = end >= 0 ? Math.min(18, plan.radius(node[DEPTH]) + 4) : plan.radius(node[DEPTH]);
    const [cx, cy] = plan.centre(slot).map(round);
    svg("circle", { class: "net-node", cx, cy, r: round(r) }, layer);
    if (live && most) {
      const opacity = round(0.85 * Math.abs(inner[k]) / most);
      svg("circle", { class: `net-${sign(inner[k])}`, "fill-opacity": opacity, cx, cy, r: round(r - 0.8) }, layer);
      if (r >= 13) text(layer, cx, cy + 3.5, brief(inner[k]), `in strong ${opacity > 0.55 ? "on" : ""}`);
    }
    if (end >= 0) labelOutput(layer, data.outputs[end], cx, cy, r, plan, end);
    return { slot, x: cx, y: cy, r };
  });
}

// Name the columns, as many as there is room for.
function drawHeads(layer, { from, step, columns, ends }) {
  const every = Math.ceil(52 / step);
  text(layer, from + step * columns, 13, ends.size > 1 ? "outputs" : "output", "dim mid");
  for (let depth = 1; depth < columns && (columns - depth) * step > 50; depth += every)
    text(layer, from + step * depth, 13, `depth ${depth}`, "dim mid");
}

function labelOutput(layer, name, x, y, r, plan, end) {
  if (!plan.narrow) return text(layer, x + r + 7, y + 4, name, "strong");
  const crowded = plan.ends.size > 5;
  const below = y + r + 15 + (crowded && end % 2 ? 12 : 0);
  return text(layer, x, below, crowded ? name.replace(/\D+/, "") : name, "strong mid");
}

// --- pointing ------------------------------------------------------------------------------

export function nameOf(slot, data) {
  const count = data.inputs.names.length, end = data.ends.indexOf(slot);
  if (slot < count) return data.inputs.names[slot];
  return end >= 0 ? data.outputs[end] : `node ${slot - count}`;
}

function hit(x, y, data, live, links, nodes, plan) {
  const node = nodes.find((n) => Math.hypot(n.x - x, n.y - y) <= n.r + 4);
  if (node) return aboutNode(node.slot, data, live, links, plan);
  const [left, top] = plan.corner(0, 0);
  const input = inputAt(plan.inputs, (x - left) / plan.unit, (y - top) / plan.unit);
  if (input >= 0) return aboutInput(input, data, live, links, plan);
  let best = null, least = 6;
  links.forEach((item, i) => {
    const distance = toLine(x, y, item.points);
    if (distance < least) [best, least] = [i, distance];
  });
  return best === null ? null : aboutLink(best, data, live, links);
}

function aboutNode(slot, data, live, links, plan) {
  const node = data.nodes[slot - plan.count], [x, y] = plan.centre(slot);
  const into = links.filter(({ link }) => link[1] === slot).length;
  const out = links.filter(({ link }) => link[0] === slot).length;
  const lines = [`bias ${number(node[BIAS])}`, shape(node), `${into} in, ${out} out`];
  if (live) lines.unshift(`activation ${number(live.slots[slot])}`);
  const ring = [x, y, plan.radius(node[DEPTH]) + 5], lit = ({ link }) => link[0] === slot || link[1] === slot;
  return { key: `n${slot}`, title: nameOf(slot, data), lines, ring, lit };
}

function shape(node) {
  const parts = [node[ACTIVATION]];
  if (node[AGGREGATION] !== "sum") parts.push(`of the ${node[AGGREGATION]}`);
  if (node[RESPONSE] !== 1) parts.push(`response ${number(node[RESPONSE])}`);
  if (node[BOUND] !== 1) parts.push(`bound ${number(node[BOUND])}`);
  if (node[STEEPNESS] !== 1) parts.push(`steepness ${number(node[STEEPNESS])}`);
  return parts.join(", ");
}

function aboutInput(input, data, live, links, plan) {
  const out = links.filter(({ link }) => link[0] === input).length;
  const lines = [`${out} ${out === 1 ? "link" : "links"}`];
  if (live) lines.unshift(`value ${number(live.slots[input])}`);
  return { key: `i${input}`, title: data.inputs.names[input], lines, lit: ({ link }) => link[0] === input };
}

function aboutLink(index, data, live, links) {
  const item = links[index], [source, target, weight] = item.link;
  const lines = [`weight ${number(weight)}`];
  if (live) lines.push(`carries ${number(item.carried)}`);
  const title = `${nameOf(source, data)} → ${nameOf(target, data)}`;
  return { key: `l${index}`, title, lines, lit: (other) => other === item };
}

function toLine(x, y, points) {
  const path = points.length === 2 ? points : bent(points);
  return Math.min(...path.slice(1).map((end, i) => toSegment(x, y, path[i], end)));
}

function bent([[x, y], [m, n], [u, v]]) {
  return [...Array(9)].map((_, i) => {
    const t = i / 8, s = 1 - t;
    return [s * s * x + 2 * s * t * m + t * t * u, s * s * y + 2 * s * t * n + t * t * v];
  });
}

function toSegment(x, y, [a, b], [c, d]) {
  const length = (c - a) ** 2 + (d - b) ** 2 || 1;
  const t = clamp(((x - a) * (c - a) + (y - b) * (d - b)) / length, 0, 1);
  return Math.hypot(x - a - t * (c - a), y - b - t * (d - b));
}
