// The empty board: its cells, or the trays of heaps, and their names.

import { CELL } from "geometry";

export function svg(name, attributes = {}, parent = null) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent?.append(node);
  return node;
}

export const moveTo = ([x, y]) => `translate(${x}px, ${y}px)`;

export function drawScenery(board, geometry, cells, names) {
  if (board.shape === "heaps") return drawTrays(board, geometry, cells, names);
  const dark = new Set(board.dark);
  for (let cell = 0; cell < board.width * board.height; cell++) {
    const [u, v] = geometry.centre(cell);
    const shade = dark.has(cell) ? "dark" : board.dark.length ? "light" : "plain";
    const attributes = { d: geometry.outline, transform: `translate(${u} ${v})` };
    svg("path", { class: `evb-cell ${shade}`, ...attributes }, cells);
  }
  drawNames(board, geometry, names);
}

function drawTrays(board, geometry, cells, names) {
  board.names.forEach((name, cell) => {
    const [x, y, width, height] = geometry.tray(cell);
    svg("rect", { class: "evb-tray", x, y, width, height, rx: 16 }, cells);
    const [u, v] = geometry.numberAt(cell);
    svg("text", { class: "evb-name heap", x: u, y: v, dy: ".35em" }, names).textContent = name;
  });
}

// Files and ranks along the edges where cells are named so; else every cell's own name.
function drawNames(board, geometry, names) {
  const { width, height } = board;
  const gridded = board.names.every(
    (name, cell) => name === String.fromCharCode(97 + (cell % width)) + (1 + Math.floor(cell / width)),
  );
  const put = (text, x, y, style, cell) => {
    const shade = board.dark.includes(cell) ? "on-dark" : "on-light";
    svg("text", { class: `evb-name ${style} ${shade}`, x, y }, names).textContent = text;
  };
  for (let cell = 0; cell < width * height; cell++) {
    const [x, y] = geometry.centre(cell), name = board.names[cell];
    if (board.shape === "hex") put(name, x, y + 47, "tile", cell);
    else if (!gridded) put(name, x - 47, y - 34, "corner", cell);
    else {
      if (y > height * CELL - CELL) put(name[0], x + 44, y + 43, "file", cell);
      if (x > width * CELL - CELL) put(name.slice(1), x + 44, y - 30, "file", cell);
    }
  }
}
