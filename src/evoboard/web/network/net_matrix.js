// A layered network as matrices: a column for every source, a row for every target, the biases
// beside them; with a position, the sources' values above and the targets' at the right.

import { brief, clamp, largest, number, paint, round, svg, text } from "net_draw";

const SIDE = 58, TITLE = 18, STRIP = 12, GAP = 24, LETTER = 5, NUMBERS = 28;

export function drawMatrices(root, data, live, { width, signal }) {
  const blocks = blocksOf(data);
  let top = 0;
  for (const block of blocks) {
    block.left = 10 + LETTER * Math.min(12, Math.max(...block.rows.map((name) => name.length)));
    block.unit = clamp((width - block.left - SIDE) / block.sources, 0.5, 96);
    const [least, most] = [block.targets > 60 ? 4 : 7, block.targets > 14 ? 18 : 26];
    block.tall = clamp(Math.max(block.unit, 260 / block.targets), least, most);
    block.head = headOf(block);
    block.top = top + TITLE + block.head.high + STRIP + 3;
    block.right = block.left + block.unit * block.sources;
    drawBlock(svg("g", {}, root), block, live, signal, top);
    top = block.top + block.tall * block.targets + GAP;
  }
  if (data.difference) {
    const told = `Beside these, the sum of all inputs times ${number(data.difference)} goes to every output.`;
    text(root, 4, top + 4, told, "dim");
    top += GAP;
  }
  return { height: top, lines: [], hit: (x, y) => hit(x, y, data, blocks, live) };
}

// Each block knows in which slots its sources and targets are, and what they are called.
function blocksOf(data) {
  const blocks = [], { inputs, outputs } = data;
  const numbers = (count) => [...Array(count)].map((_, i) => `${i}`);
  let from = 0, to = inputs.places.length;
  data.layers.forEach((layer, i) => {
    const last = i === data.layers.length - 1;
    const what = i ? `layer ${i}` : "inputs", many = layer.targets > 1 ? "outputs" : "output";
    const where = last ? many : `layer ${i + 1}`, ends = last ? many : layer.targets > 1 ? "nodes" : "node";
    const title = `${layer.sources} ${i ? "nodes" : "inputs"} → ${layer.targets} ${ends}, ${layer.activation}`;
    const rows = last ? outputs : numbers(layer.targets), columns = i ? numbers(layer.sources) : inputs.names;
    blocks.push({ ...layer, from, to, what, where, first: !i, last, title, rows, columns, groups: i ? [] : groupsOf(inputs) });
    [from, to] = [to, to + layer.targets];
  });
  if (data.direct.length) {
    const sizes = { sources: inputs.places.length, targets: outputs.length, rows: outputs, columns: inputs.names };
    const names = { what: "inputs", where: "output", title: "direct links: inputs → output", groups: groupsOf(inputs) };
    blocks.push({ ...sizes, ...names, weights: data.direct, bias: [], from: 0, to: from, first: true, last: true });
  }
  return blocks;
}

// Return [title, first column] of inputs that belong together: a plane's, or windows of one size.
function groupsOf(inputs) {
  const starts = inputs.titles.map(([title, x, y]) => [title, inputs.places.findIndex(([u, v]) => u >= x && v >= y)]);
  if (inputs.squares) return starts;
  const each = inputs.places.length / Math.max(1, starts.length);
  return starts.map(([title], i) => [title, Math.round(i * each)]);
}

// --- names of columns ----------------------------------------------------------------------

// Return which names stand above a block, how, and how much room they take.
function headOf({ groups, columns, unit }) {
  const letters = Math.max(...columns.map((name) => name.length));
  const item = (name, i) => ({ name, i });
  if (groups.length) {
    const longest = Math.max(...groups.map(([name]) => name.length)) * LETTER + 6;
    const every = Math.ceil(longest / ((unit * columns.length) / groups.length));
    const items = groups.map(([name, i]) => item(name, i)).filter((_, k) => longest < 30 || k % every === 0);
    return { style: "start", high: 12, items };
  }
  if (letters * LETTER + 2 <= unit || letters <= 3) {
    const every = Math.max(1, Math.ceil((letters * LETTER + 3) / unit));
    return { style: "middle", high: 12, items: columns.map(item).filter((_, i) => i % every === 0) };
  }
  if (unit < 12) return { style: "none", high: 0, items: [] };
  return { style: "slanted", high: 14 + 0.6 * LETTER * Math.min(letters, 20), items: columns.map(item) };
}

function drawHead(layer, { head, groups, left, unit, top, tall, targets }) {
  const y = top - STRIP - 5;
  for (const { name, i } of head.items) {
    const x = left + i * unit;
    if (head.style === "start") text(layer, x + 1, y, name, "tiny");
    else if (head.style === "middle") text(layer, x + unit / 2, y, name, "tiny mid");
    else {
      const cut = name.length > 20 ? `${name.slice(0, 19)}…` : name, at = [round(x + unit / 2 - 2), round(y)];
      text(layer, ...at, cut, "tiny").setAttribute("transform", `rotate(-36 ${at.join(" ")})`);
    }
  }
  const lines = groups.slice(1).map(([, i]) => `M${round(left + i * unit)} ${round(top - STRIP - 2)}V${round(top + tall * targets)}`);
  if (lines.length) svg("path", { class: "net-rule", d: lines.join("") }, layer);
}

// --- drawing -------------------------------------------------------------------------------

function drawBlock(layer, block, live, signal, begin) {
  const { sources, targets, weights, left, unit, tall, top, from, to } = block;
  const value = (i) => weights[i] * (signal && live ? live.slots[from + (i % sources)] : 1);
  const most = largest(weights.map((_, i) => value(i)));
  const title = text(layer, 4, begin + 13, block.title, "strong");
  svg("tspan", { class: "net-text dim", dx: 10 }, title).textContent = `strongest ${number(largest(weights))}`;
  const place = (i) => [left + (i % sources) * unit, top + Math.floor(i / sources) * tall];
  const cell = (x, y, w, h) => `M${x.toFixed(2)} ${y.toFixed(2)}h${w.toFixed(2)}v${h.toFixed(2)}h${(-w).toFixed(2)}z`;
  svg("rect", { class: "net-shade", x: left, y: top, width: unit * sources, height: tall * targets }, layer);
  paint(layer, weights.map((_, i) => ({ value: value(i), path: cell(...place(i), unit, tall) })), most);
  if (unit >= NUMBERS && tall >= 18)
    weights.forEach((_, i) => writeIn(layer, value(i), most, place(i), unit, tall));
  drawRows(layer, block);
  const column = (x, name, numbers) => {
    if (!numbers.length) return;
    text(layer, x + 8, top - 5, name, "tiny mid");
    svg("rect", { class: "net-shade", x, y: top, width: 16, height: tall * targets }, layer);
    paint(layer, numbers.map((number, i) => ({ value: number, path: cell(x, top + i * tall, 16, tall) })), largest(numbers));
  };
  column(block.right + 8, "bias", block.bias);
  if (live) {
    column(block.right + 32, "value", live.slots.slice(to, to + targets));
    const above = live.slots.slice(from, from + sources), y = top - STRIP;
    svg("rect", { class: "net-shade", x: left, y, width: unit * sources, height: 9 }, layer);
    paint(layer, above.map((number, i) => ({ value: number, path: cell(left + i * unit, y, unit, 9) })), largest(above));
  }
  drawHead(layer, block);
}

function writeIn(layer, value, most, [x, y], unit, tall) {
  const style = Math.abs(value) > 0.55 * most ? "in on" : "in";
  text(layer, x + unit / 2, y + tall / 2 + 3.5, brief(value), style);
}

function drawRows(layer, { rows, left, top, tall }) {
  const every = Math.ceil(10 / tall);
  rows.forEach((name, i) => {
    if (i % every === 0) text(layer, left - 5, top + (i + 0.5) * tall + 3, name.length > 12 ? `${name.slice(0, 11)}…` : name, "tiny end");
  });
}

// --- pointing ------------------------------------------------------------------------------

function hit(x, y, data, blocks, live) {
  const block = blocks.find((b) => y >= b.top - STRIP && y < b.top + b.tall * b.targets && x >= b.left);
  if (!block) return null;
  const column = Math.floor((x - block.left) / block.unit), row = Math.floor((y - block.top) / block.tall);
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
  const box = [block.left + column * block.unit, block.top + row * block.tall, block.unit, block.tall];
  return { key, title: `${source} → ${target}`, lines, box };
}
