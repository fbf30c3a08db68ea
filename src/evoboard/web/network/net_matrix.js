// A layered network as matrices: a column for every source, a row for every target, the biases
// beside them; with a position, the sources' values above and the targets' at the right.

import { clamp, largest, number, paint, svg, text } from "net_draw";

const LEFT = 4, SIDE = 56, CAPTION = 34, GAP = 22;

export function drawMatrices(root, data, live, { width, signal }) {
  const blocks = blocksOf(data);
  let top = 2;
  for (const block of blocks) {
    block.unit = clamp((width - LEFT - SIDE) / block.sources, 0.5, 24);
    block.tall = clamp(block.unit, block.targets > 60 ? 4 : 7, 14);
    block.top = top + CAPTION;
    block.right = LEFT + block.unit * block.sources;
    drawBlock(svg("g", {}, root), block, live, signal);
    top = block.top + block.tall * block.targets + GAP;
  }
  if (data.difference) {
    const told = `Beside these, the sum of all inputs times ${number(data.difference)} goes to every output.`;
    text(root, LEFT, top + 4, told, "dim");
    top += GAP;
  }
  return { height: top, lines: [], hit: (x, y) => hit(x, y, data, blocks, live) };
}

// Each block knows in which slots its sources and targets are.
function blocksOf(data) {
  const blocks = [];
  let from = 0, to = data.inputs.places.length;
  data.layers.forEach((layer, i) => {
    const last = i === data.layers.length - 1;
    const what = i ? `layer ${i}` : "inputs", outputs = layer.targets > 1 ? "outputs" : "output";
    const where = last ? outputs : `layer ${i + 1}`, ends = last ? outputs : "nodes";
    const title = `${layer.sources} ${i ? "nodes" : "inputs"} → ${layer.targets} ${ends}, ${layer.activation}`;
    blocks.push({ ...layer, from, to, what, where, first: !i, last, title });
    [from, to] = [to, to + layer.targets];
  });
  if (data.direct.length) {
    const sizes = { sources: data.inputs.places.length, targets: data.outputs.length };
    const names = { what: "inputs", where: "output", title: "direct links: inputs → output" };
    blocks.push({ ...sizes, ...names, weights: data.direct, bias: [], from: 0, to: from, first: true, last: true });
  }
  return blocks;
}

function drawBlock(layer, block, live, signal) {
  const { sources, targets, weights, unit, tall, top, from, to } = block;
  const value = (i) => weights[i] * (signal && live ? live.slots[from + (i % sources)] : 1);
  const most = largest(weights.map((_, i) => value(i)));
  const title = text(layer, LEFT, top - 20, block.title, "strong");
  svg("tspan", { class: "net-text dim", dx: 10 }, title).textContent = `strongest ${number(largest(weights))}`;
  const place = (i) => [LEFT + (i % sources) * unit, top + Math.floor(i / sources) * tall];
  const cell = (x, y, w, h) => `M${x.toFixed(2)} ${y.toFixed(2)}h${w.toFixed(2)}v${h.toFixed(2)}h${(-w).toFixed(2)}z`;
  svg("rect", { class: "net-shade", x: LEFT, y: top, width: unit * sources, height: tall * targets }, layer);
  paint(layer, weights.map((_, i) => ({ value: value(i), path: cell(...place(i), unit, tall) })), most);
  const column = (x, name, numbers) => {
    if (!numbers.length) return;
    text(layer, x + 8, top - 5, name, "tiny mid");
    svg("rect", { class: "net-shade", x, y: top, width: 16, height: tall * targets }, layer);
    paint(layer, numbers.map((number, i) => ({ value: number, path: cell(x, top + i * tall, 16, tall) })), largest(numbers));
  };
  column(block.right + 8, "bias", block.bias);
  if (!live) return;
  column(block.right + 30, "value", live.slots.slice(to, to + targets));
  const above = live.slots.slice(from, from + sources);
  svg("rect", { class: "net-shade", x: LEFT, y: top - 13, width: unit * sources, height: 9 }, layer);
  paint(layer, above.map((number, i) => ({ value: number, path: cell(LEFT + i * unit, top - 13, unit, 9) })), largest(above));
}

function hit(x, y, data, blocks, live) {
  const block = blocks.find((b) => y >= b.top - 14 && y < b.top + b.tall * b.targets && x >= LEFT);
  if (!block) return null;
  const column = Math.floor((x - LEFT) / block.unit), row = Math.floor((y - block.top) / block.tall);
  const source = block.first ? data.inputs.names[column] : `${block.what} node ${column}`;
  const target = block.last ? data.outputs[row] : `${block.where} node ${row}`;
  const key = [blocks.indexOf(block), column, row].join(" ");
  if (row < 0) {
    if (!live || column >= block.sources) return null;
    return { key, title: source, lines: [`value ${number(live.slots[block.from + column])}`] };
  }
  if (column >= block.sources) {
    if (x < block.right + 6) return null;
    const lines = block.bias.length ? [`bias ${number(block.bias[row])}`] : [];
    if (live) lines.push(`activation ${number(live.slots[block.to + row])}`);
    return { key: `${key} t`, title: target, lines };
  }
  const weight = block.weights[row * block.sources + column], lines = [`weight ${number(weight)}`];
  if (live) lines.push(`carries ${number(weight * live.slots[block.from + column])}`);
  const box = [LEFT + column * block.unit, block.top + row * block.tall, block.unit, block.tall];
  return { key, title: `${source} → ${target}`, lines, box };
}
