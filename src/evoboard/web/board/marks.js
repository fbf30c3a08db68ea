// What is drawn over and under the pieces: the last move, chosen cells, targets, values, arrows.

import { svg } from "scenery";

const DOTS = { end: 15, way: 9, take: 43 }; // radii

export class Marks {
  constructor(board) {
    this.board = board;
  }

  draw() {
    const { layers, data, path, cursor, moves } = this.board;
    for (const name of ["shade", "dots", "arrows", "tags"]) layers[name].replaceChildren();
    if (data.last && data.board.shape !== "heaps") this.drawLast(data.last);
    for (const cell of data.marks) this.paint(cell, "mark");
    for (const cell of path) this.paint(cell, "chosen");
    if (path.length) this.drawTargets();
    if (cursor >= 0 && document.activeElement === this.board.svg) this.paint(cursor, "cursor");
    for (const arrow of data.arrows || []) this.drawArrow(arrow);
    this.board.svg.classList.toggle("live", moves.length > 0 || data.mode === "edit");
  }

  // Colour a cell; return what was drawn.
  paint(cell, style) {
    const { data, geometry, layers } = this.board;
    if (data.board.shape === "heaps") {
      const [x, y, width, height] = geometry.tray(cell);
      return svg("rect", { class: `evb-shade ${style}`, x, y, width, height, rx: 16 }, layers.shade);
    }
    const [u, v] = geometry.centre(cell);
    const place = { d: geometry.outline, transform: `translate(${u} ${v})` };
    return svg("path", { class: `evb-shade ${style}`, ...place }, layers.shade);
  }

  drawLast(last) {
    for (const cell of new Set(last.cells)) this.paint(cell, "last");
    for (const cell of last.captures) if (!last.cells.includes(cell)) this.paint(cell, "taken");
  }

  // Mark where the chosen piece can go, and what it would take.
  drawTargets() {
    const { path, men, heaps } = this.board, going = this.board.going();
    const ends = new Set(), stations = new Set(), jumped = this.board.jumped();
    for (const move of going) {
      if (move.cells.length === path.length) {
        if (!heaps) this.badge(path.at(-1), move);
      } else {
        ends.add(move.cells.at(-1));
        for (const cell of move.cells.slice(path.length, -1)) stations.add(cell);
      }
      for (const cell of move.captures)
        if (!move.cells.includes(cell) && !jumped.includes(cell)) this.paint(cell, "threat");
    }
    for (const cell of stations) if (!ends.has(cell)) this.dot(cell, "way");
    for (const cell of ends) {
      this.dot(cell, men.has(cell) && cell !== path[0] ? "take" : "end");
      const best = this.board.bestMove(going.filter((move) => move.cells.at(-1) === cell));
      if (best) this.tag(cell, this.board.valueOf(best)[1]);
    }
  }

  // Frame the cells whose pieces can move.
  frameStarts(moves) {
    for (const cell of new Set(moves.flatMap((move) => move.cells.slice(0, 1)))) this.paint(cell, "able");
  }

  dot(cell, style) {
    const [cx, cy] = this.board.geometry.centre(cell);
    svg("circle", { class: `evb-dot ${style}`, cx, cy, r: DOTS[style] }, this.board.layers.dots);
  }

  badge(cell, move) {
    const [x, y] = this.board.geometry.centre(cell);
    const place = { class: "evb-badge", transform: `translate(${x + 27} ${y - 29})` };
    const node = svg("g", place, this.board.layers.dots);
    svg("circle", { r: 15 }, node);
    svg("text", { dy: ".35em" }, node).textContent = move.text.endsWith("+") ? "+" : "✓";
    svg("title", {}, node).textContent = this.board.words(move);
  }

  tag(cell, text) {
    const [x, y] = this.board.geometry.centre(cell);
    const place = { class: "evb-tag", transform: `translate(${x} ${y + 36})` };
    const node = svg("g", place, this.board.layers.tags);
    const width = 12 + 11.5 * text.length;
    svg("rect", { x: -width / 2, y: -13, width, height: 26, rx: 8 }, node);
    svg("text", { dy: ".35em" }, node).textContent = text;
  }

  drawArrow({ cells, kind }) {
    const { data, geometry, layers } = this.board;
    if (data.board.shape === "heaps" || cells.length === 1)
      return this.paint(cells[0], `arrow ${kind}`);
    const points = cells.map((cell) => geometry.centre(cell));
    const [x, y] = points.at(-1), [u, v] = points.at(-2);
    const angle = Math.atan2(y - v, x - u), cut = 34;
    points[points.length - 1] = [x - cut * Math.cos(angle), y - cut * Math.sin(angle)];
    const group = svg("g", { class: `evb-arrow ${kind || ""}` }, layers.arrows);
    svg("polyline", { points: points.map((p) => p.join(",")).join(" ") }, group);
    const turn = `translate(${x} ${y}) rotate(${(angle * 180) / Math.PI})`;
    svg("path", { d: "M-8 0L-42-22V22Z", transform: turn }, group);
  }
}
