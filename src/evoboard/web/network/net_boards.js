// Weights on the board: what one node gets straight from every input. Direct links, one board per
// output; or, of a layered network, one small board per node of its first layer. Inputs that are
// windows of the board are shown twice: added up on its squares, and by the windows' sizes.

import { brief, cellPath, clamp, drawCells, drawNames, inputAt, largest, number, paint, svg, text, wrapped } from "net_draw";
import { drawBars } from "net_bars";

const CAPTION = 24, GAP = 18, READABLE = 27;

export function drawDirect(root, data, live, how) {
  const items = directItems(data), { inputs } = data;
  if (inputs.shape === "list") return drawBars(root, inputs, items, live, how);
  if (!inputs.squares) return drawBoards(root, inputs, items, live, how);
  const sums = squareItems(inputs, items).map((item) => ({ ...item, title: `${item.title}: the windows that hold a square, added up` }));
  const above = drawBoards(root, inputs.squares, sums, null, how);
  const single = items.map((item) => ({ ...item, title: `${item.title}: every window, by its size` }));
  const below = drawBoards(root, wrapped(inputs, how.width), single, live, how, above.height + 8);
  return { height: below.height, lines: [], hit: (x, y) => above.hit(x, y) || below.hit(x, y) };
}

// What the nodes of the first layer see, one board for each.
export function drawLayer(root, data, live, how) {
  const { inputs } = data, items = layerItems(data);
  if (!inputs.squares) return drawBoards(root, inputs, items, live, how);
  return drawBoards(root, inputs.squares, squareItems(inputs, items), null, how);
}

// items: [{title, weights: [weight or null for each input], what}, …]
function drawBoards(root, inputs, items, live, { width, signal }, from = 0) {
  const value = (item, i) => (item.weights[i] ?? 0) * (signal && live ? live.slots[i] : 1);
  const most = largest(items.flatMap((item) => item.weights.map((_, i) => value(item, i))));
  const place = flow(inputs, items.length, width, from);
  items.forEach((item, k) => {
    const [left, top] = place.corner(k), at = (x, y) => [left + x * place.unit, top + y * place.unit];
    drawBoard(svg("g", {}, root), inputs, item, (i) => value(item, i), at, place.unit, most);
    text(root, left, top - 7 - place.titled, item.title, place.unit < 20 && items.length > 1 ? "dim" : "strong");
  });
  return { height: place.height, lines: [], hit: (x, y) => hit(x, y, inputs, items, live, place) };
}

function drawBoard(layer, inputs, item, value, at, unit, most) {
  const inner = inputs.shape === "hex" ? unit * 0.96 : inputs.shape === "square" ? unit : unit * 0.9;
  const numbers = unit >= READABLE;
  drawCells(layer, inputs, at, unit);
  const linked = inputs.places.map((_, i) => i).filter((i) => item.weights[i] != null);
  const path = (i) => cellPath(inputs.shape, ...at(...inputs.places[i]), inner);
  paint(layer, linked.map((i) => ({ value: value(i), path: path(i) })), most);
  const strong = (i) => (Math.abs(value(i)) > 0.55 * most ? "on" : "lit");
  if (unit >= 34) drawNames(layer, inputs, at, unit, numbers && unit < 44 ? 0 : unit, strong);
  for (const [title, x, y] of inputs.titles) text(layer, at(x, y)[0], at(x, y)[1] - 4, title, unit < 16 ? "tiny" : "dim");
  if (!numbers) return;
  for (const i of linked) {
    const [x, y] = at(...inputs.places[i]), small = inputs.shape === "hex" || unit < 40;
    text(layer, x + inner / 2, y + inner / 2 + 4, brief(value(i)), `net-weight ${strong(i)} ${small ? "in" : "mid"}`);
  }
}

// As many boards to a row as are still readable.
function flow(inputs, count, width, from) {
  const most = inputs.height > 9 ? 48 : 62, room = width - 34, titled = inputs.titles.length ? 14 : 0;
  const narrowest = Math.max(64, inputs.width * 7), fitting = Math.max(1, Math.floor(room / narrowest));
  const used = Math.min(clamp(Math.ceil(Math.sqrt((count * room) / 700)), 1, fitting), count);
  const tallest = count === 1 ? 460 / inputs.height : most; // one board is no taller than a screen
  const unit = Math.min((room - (used - 1) * GAP) / used / inputs.width, most, Math.max(24, tallest));
  const wide = unit * inputs.width + GAP, high = unit * inputs.height + CAPTION + titled + (unit >= 34 ? 22 : 8);
  const left = count === 1 ? (width - wide + GAP) / 2 : 22;
  return {
    unit,
    titled,
    corner: (k) => [left + (k % used) * wide, from + CAPTION + titled + Math.floor(k / used) * high],
    height: from + Math.ceil(count / used) * high + 8,
  };
}

function hit(x, y, inputs, items, live, place) {
  for (let k = 0; k < items.length; k++) {
    const [left, top] = place.corner(k);
    const input = inputAt(inputs, (x - left) / place.unit, (y - top) / place.unit);
    if (input < 0) continue;
    const weight = items[k].weights[input], name = inputs.names[input], { held } = items[k];
    const lines = [weight == null ? "no link" : `weight ${number(weight)}`];
    if (held) lines[0] = `${number(weight)} in ${held[input]} windows`;
    if (live && weight != null) lines.push(`input ${number(live.slots[input])}`, `carries ${number(weight * live.slots[input])}`);
    const [cx, cy] = [left + inputs.places[input][0] * place.unit, top + inputs.places[input][1] * place.unit];
    const title = held ? `square ${name}` : `${name} → ${items[k].title.split(":")[0]}`;
    return { key: `b${top} ${k} ${input}`, title, lines, box: [cx, cy, place.unit, place.unit] };
  }
  return null;
}

// Return the direct links of a network, one item per output.
function directItems(data) {
  const count = data.inputs.places.length;
  if (data.kind === "graph") {
    const items = data.ends.map((_, k) => ({ title: data.outputs[k], weights: Array(count).fill(null) }));
    for (const [source, target, weight] of data.links) {
      const end = data.ends.indexOf(target);
      if (source < count && end >= 0) items[end].weights[source] = weight;
    }
    return items;
  }
  const single = data.layers.length === 1, flat = single ? data.layers[0].weights : data.direct;
  return data.outputs.map((title, k) => ({ title, weights: flat.slice(k * count, (k + 1) * count) }));
}

// Return what the nodes of the first layer see, one item per node.
function layerItems(data) {
  const { sources, targets, weights } = data.layers[0];
  return [...Array(targets)].map((_, k) => ({ title: `${k}`, weights: weights.slice(k * sources, (k + 1) * sources) }));
}

// Return what a piece on each square adds, through all windows that hold it.
function squareItems({ windows }, items) {
  const held = windows.map((some) => some.length);
  const sum = (weights, some) => some.reduce((total, i) => total + (weights[i] ?? 0), 0);
  return items.map(({ title, weights }) => ({ title, held, weights: windows.map((some) => sum(weights, some)) }));
}
