// Weights on the board: what one node gets straight from every input. Direct links, one board per
// output; or, of a layered network, one small board per node of its first layer.

import { brief, cellPath, clamp, drawCells, drawNames, inputAt, largest, number, paint, svg, text } from "net_draw";

const CAPTION = 20, GAP = 18, LIST_ROW = 30, NAME = 70;

// items: [{title, weights: [weight or null for each input], bias}, …]
export function drawBoards(root, data, items, live, { width, signal }) {
  const inputs = data.inputs, list = inputs.shape === "list";
  const value = (item, i) => (item.weights[i] ?? 0) * (signal && live ? live.slots[i] : 1);
  const most = largest(items.flatMap((item) => item.weights.map((_, i) => value(item, i))));
  const place = list ? columnsOf(items, width, inputs.height) : flow(inputs, items.length, width);
  items.forEach((item, k) => {
    const [left, top] = place.corner(k), at = (x, y) => [left + x * place.unit, top + y * place.unit];
    drawBoard(svg("g", {}, root), inputs, item, (i) => value(item, i), at, place.unit, most, place.unit >= 34 || list);
    const title = list && items.length > 6 ? item.title.replace(/^\D+/, "") : item.title;
    const [x, style] = list ? [left + place.unit * 0.45, "mid"] : [left, ""];
    text(root, x, top - 7, title, `${style} ${place.unit < 20 ? "dim" : "strong"}`);
  });
  if (list) inputs.names.forEach((name, i) => text(root, NAME, place.corner(0)[1] + (i + 0.6) * LIST_ROW, name, "dim end"));
  return { height: place.height, lines: [], hit: (x, y) => hit(x, y, inputs, items, live, place) };
}

function drawBoard(layer, inputs, item, value, at, unit, most, numbers) {
  const inner = inputs.shape === "hex" ? unit * 0.96 : inputs.shape === "square" ? unit : unit * 0.9;
  drawCells(layer, inputs, at, unit);
  const linked = inputs.places.map((_, i) => i).filter((i) => item.weights[i] != null);
  const path = (i) => cellPath(inputs.shape, ...at(...inputs.places[i]), inner);
  paint(layer, linked.map((i) => ({ value: value(i), path: path(i) })), most);
  if (unit >= 34) drawNames(layer, inputs, at, unit, numbers ? 0 : unit);
  if (!numbers) return;
  for (const i of linked) {
    const [x, y] = at(...inputs.places[i]), small = inputs.shape === "hex" || unit < 40;
    const style = Math.abs(value(i)) > 0.55 * most ? "net-weight on" : "net-weight";
    text(layer, x + inner / 2, y + inner / 2 + 4, brief(value(i)), `${style} ${small ? "in" : "mid"}`);
  }
}

// As many boards to a row as are still readable.
function flow(inputs, count, width) {
  const most = inputs.height > 9 ? 34 : 62, room = width - 34;
  const narrowest = Math.max(64, inputs.width * 7), fitting = Math.max(1, Math.floor(room / narrowest));
  const used = Math.min(clamp(Math.ceil(Math.sqrt((count * room) / 700)), 1, fitting), count);
  const unit = Math.min((room - (used - 1) * GAP) / used / inputs.width, most);
  const wide = unit * inputs.width + GAP, high = unit * inputs.height + CAPTION + (unit >= 34 ? 22 : 8);
  const left = count === 1 ? (width - wide + GAP) / 2 : 22;
  return {
    unit,
    corner: (k) => [left + (k % used) * wide, CAPTION + 4 + Math.floor(k / used) * high],
    height: Math.ceil(count / used) * high + 8,
  };
}

function columnsOf(items, width, rows) {
  const unit = LIST_ROW, wide = Math.min(unit + 24, (width - NAME - 20) / items.length);
  return { unit, height: 46 + unit * rows, corner: (k) => [NAME + 10 + k * wide, 30] };
}

function hit(x, y, inputs, items, live, place) {
  for (let k = 0; k < items.length; k++) {
    const [left, top] = place.corner(k);
    const input = inputAt(inputs, (x - left) / place.unit, (y - top) / place.unit);
    if (input < 0) continue;
    const weight = items[k].weights[input], name = inputs.names[input];
    const lines = [weight == null ? "no link" : `weight ${number(weight)}`];
    if (live && weight != null) lines.push(`input ${number(live.slots[input])}`, `carries ${number(weight * live.slots[input])}`);
    const [cx, cy] = [left + inputs.places[input][0] * place.unit, top + inputs.places[input][1] * place.unit];
    return { key: `b${k} ${input}`, title: `${name} → ${items[k].title}`, lines, box: [cx, cy, place.unit, place.unit] };
  }
  return null;
}

// Return the direct links of a network, one item per output.
export function directItems(data) {
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
export function layerItems(data) {
  const { sources, targets, weights } = data.layers[0];
  return [...Array(targets)].map((_, k) => ({ title: `${k}`, weights: weights.slice(k * sources, (k + 1) * sources) }));
}
