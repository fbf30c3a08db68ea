// What all drawings of networks share: colours by sign, strength as opacity, numbers as text.

export const STYLE = `
.net-text { font: 12px Roboto, system-ui, sans-serif; fill: var(--ink); }
.net-text.dim { fill: var(--dim); font-size: 11px; }
.net-text.mid { text-anchor: middle; }
.net-text.end { text-anchor: end; }
.net-text.strong { font-weight: 600; }
.net-text.tiny { font-size: 9px; fill: var(--dim); }
.net-text.lit { fill: var(--ink); }
.net-text.on { fill: var(--net-on); }
.net-text.in { font-size: 10px; text-anchor: middle; }
.net-plain { fill: var(--net-cell); }
.net-shade { fill: var(--net-cell-dark); }
.net-blank { fill: var(--net-blank); }
.net-edge { fill: none; stroke: var(--line); }
.net-rule { fill: none; stroke: var(--ink); stroke-width: 1; stroke-opacity: .55; }
.net-halo * { fill: var(--net-halo); stroke: var(--net-halo); stroke-width: 11; stroke-linejoin: round; opacity: 1; }
.net-halo [opacity] { display: none; }
.net-piece text { font-family: Roboto, system-ui, sans-serif; }
.net-pos { fill: var(--net-pos); }
.net-neg { fill: var(--net-neg); }
.net-link { fill: none; stroke-linecap: round; }
.net-link.pos { stroke: var(--net-pos); }
.net-link.neg { stroke: var(--net-neg); }
.net-foot { fill: var(--dim); }
.net-node { fill: var(--surface); stroke: var(--dim); stroke-width: 1.5; }
.net-mark { fill: none; stroke: var(--accent); stroke-width: 2.5; }
.picking .net-link { opacity: .09; }
.picking .net-link.lit { opacity: 1; }
`;

export function svg(name, attributes = {}, parent = null) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent?.append(node);
  return node;
}

export function text(parent, x, y, content, style = "") {
  const node = svg("text", { class: `net-text ${style}`, x: round(x), y: round(y) }, parent);
  node.textContent = content;
  return node;
}

export const round = (x) => Math.round(x * 100) / 100;
export const sign = (x) => (x < 0 ? "neg" : "pos");
export const largest = (numbers) => numbers.reduce((most, x) => Math.max(most, Math.abs(x ?? 0)), 0);
export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));

// Return a number in three digits.
export function number(x) {
  if (x === 0) return "0";
  const plain = Math.abs(x) >= 0.001 && Math.abs(x) < 1e5;
  const shown = plain ? String(Number(Math.abs(x).toPrecision(3))) : Math.abs(x).toExponential(1);
  return (x < 0 ? "−" : "") + shown;
}

// Return a number as short as a cell needs it: −.53
export function brief(x) {
  if (Number.isInteger(x) && Math.abs(x) < 1000) return String(x).replace("-", "−");
  const size = Math.abs(x), shown = size >= 9.95 ? size.toFixed(0) : size.toFixed(size >= 0.995 ? 1 : 2);
  return Number(shown) === 0 ? "0" : (x < 0 ? "−" : "") + shown.replace(/^0\./, ".");
}

// Draw many cells in few paths: one for each sign and each of some strengths.
// cells: [{path, value}, …]; `most` is the value drawn at full strength.
export function paint(parent, cells, most) {
  const levels = 24, groups = new Map();
  for (const { path, value } of cells) {
    const level = most ? Math.ceil((Math.abs(value) / most) * levels) : 0;
    if (!level) continue;
    const key = `${sign(value)} ${Math.min(level, levels)}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(path);
  }
  for (const [key, paths] of groups) {
    const [way, level] = key.split(" ");
    svg("path", { class: `net-${way}`, "fill-opacity": round(0.95 * (level / levels)), d: paths.join("") }, parent);
  }
}

const HEX = [...Array(6)].map((_, i) => {
  const angle = (Math.PI / 3) * i + Math.PI / 6;
  return [0.5 + Math.cos(angle) / Math.sqrt(3), 0.5 + Math.sin(angle) / Math.sqrt(3)];
});

// Return the outline of a cell with its upper left corner at x, y.
export function cellPath(shape, x, y, size) {
  if (shape !== "hex") return `M${round(x)} ${round(y)}h${round(size)}v${round(size)}h${round(-size)}z`;
  return `M${HEX.map(([u, v]) => `${round(x + u * size)} ${round(y + v * size)}`).join("L")}z`;
}

// Draw the empty cells of an arrangement of inputs; `at` gives a cell's corner.
export function drawCells(parent, inputs, at, size) {
  const dark = new Set(inputs.dark), hex = inputs.shape === "hex";
  // Squares that are all alike are told apart by the gaps between them.
  const inner = hex ? size * 0.96 : inputs.shape !== "square" ? size * 0.9 : dark.size ? size : size * 0.97;
  const path = ([x, y]) => cellPath(inputs.shape, ...at(x, y), inner);
  const of = (places) => places.map(path).join("");
  const shaded = inputs.places.filter((_, i) => dark.has(i)), plain = inputs.places.filter((_, i) => !dark.has(i));
  if (inputs.blank.length) svg("path", { class: "net-blank", d: of(inputs.blank) }, parent);
  if (shaded.length) svg("path", { class: "net-shade", d: of(shaded) }, parent);
  if (plain.length) svg("path", { class: dark.size ? "net-plain" : "net-shade", d: of(plain) }, parent);
}

// Write the names of squares: files and ranks along the edges, else in the cells if there is `room`,
// each in its style.
export function drawNames(parent, inputs, at, size, room = size, style = () => "") {
  const { names, places, shape, cells } = inputs;
  if (shape === "list" || shape === "grid" || inputs.titles.length) return;
  const squares = names.map((_, i) => i).filter((i) => cells[i] >= 0);
  const gridded = squares.every((i) => /^[a-z]\d+$/.test(names[i]));
  const low = Math.max(...squares.map((i) => places[i][1])), left = Math.min(...squares.map((i) => places[i][0]));
  for (let i = 0; i < names.length && size >= 20; i++)
    if (cells[i] < 0) {
      const [x, y] = at(...places[i]);
      text(parent, x + size / 2, y + size + 10, names[i].replace("input ", ""), "tiny mid");
    }
  for (const i of squares) {
    const [x, y] = at(...places[i]);
    if (!gridded && room >= 30) text(parent, x + size / 2, y + size - (shape === "hex" ? 7 : 3), names[i], `tiny mid ${style(i)}`);
    if (gridded && places[i][1] === low) text(parent, x + size / 2, y + size + 11, names[i][0], "dim mid");
    if (gridded && places[i][0] === left) text(parent, x - 5, y + size / 2 + 4, names[i].slice(1), "dim end");
  }
}

// Return the arrangement for a drawing so many pixels wide: a list becomes rows of a few cells,
// groups of inputs stand in as many rows as they need to be readable.
export function wrapped(inputs, width) {
  if (inputs.shape === "list") return wrappedList(inputs);
  return inputs.shape === "grid" && inputs.titles.length ? wrappedGroups(inputs, width / 27) : inputs;
}

function wrappedList(inputs) {
  const columns = Math.ceil(inputs.places.length / Math.ceil(inputs.places.length / 10));
  const places = inputs.places.map((_, i) => [i % columns, Math.floor(i / columns)]);
  return { ...inputs, shape: "grid", places, width: columns, height: Math.ceil(places.length / columns) };
}

function wrappedGroups(inputs, most) {
  const places = [...inputs.places], titles = [], between = 0.7, above = 1;
  let [left, top, high, wide] = [0, 0, 0, 0];
  inputs.titles.forEach(([title, begin], k) => {
    const end = inputs.titles[k + 1]?.[1] ?? Infinity;
    const members = inputs.places.map((_, i) => i).filter((i) => inputs.places[i][0] >= begin && inputs.places[i][0] < end);
    const columns = 1 + Math.max(...members.map((i) => inputs.places[i][0])) - begin;
    if (left && left + columns > most) [left, top, high] = [0, top + high + above, 0];
    for (const i of members) places[i] = [inputs.places[i][0] - begin + left, inputs.places[i][1] + top];
    titles.push([title, left, top]);
    high = Math.max(high, ...members.map((i) => inputs.places[i][1] + 1));
    wide = Math.max(wide, left + columns);
    left += columns + between;
  });
  return { ...inputs, places, titles, width: wide, height: top + high };
}

// Return which input's cell is under a point given in cells.
export function inputAt(inputs, x, y) {
  return inputs.places.findIndex(([u, v]) => x >= u && x < u + 1 && y >= v && y < v + 1);
}
