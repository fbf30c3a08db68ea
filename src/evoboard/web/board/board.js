// Draws a position handed over as data and lets a person enter a move. It knows no rules: it gets
// the look of every legal move (cells, captures, promotion, amount) and emits a move's index.
//
// data: {board, pieces, sides, side, marks, moves, last, values, arrows, room, flipped, mode,
//        label, position, revision}; see board.py, which writes it. mode: "play", "look", "edit".
//        As long as `position` stays the same, what a person has begun to enter stays, too.
// emits: move(index, position), hover(index or null), edit({cell | from, to}), key(name)

import { askWhich, html } from "choices";
import { geometryOf, originOf } from "geometry";
import { Heaps } from "heaps";
import { artKey, pieceArt, pieceWords } from "pieces";
import { drawScenery, moveTo, svg } from "scenery";

const DRAG_FROM = 5; // pixels
const STEP_MS = 190;

const begins = (cells, path) => path.every((cell, i) => cells[i] === cell);
const alike = (a, b) => a.length === b.length && begins(a, b);
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

class Board {
  constructor(root, emit) {
    this.root = root;
    this.emit = emit;
    this.men = new Map(); // cell -> {piece, node}
    this.path = []; // cells chosen so far
    this.cursor = -1; // cell under the keyboard's cursor
    this.svg = svg("svg", { class: "evb-svg", tabindex: "0", role: "application" }, root);
    this.layers = {};
    for (const name of ["cells", "shade", "names", "pieces", "dots", "arrows", "tags"])
      this.layers[name] = svg("g", { class: `evb-${name}` }, this.svg);
    this.live = html("div", { className: "evb-live" }, root);
    this.live.setAttribute("aria-live", "polite");
    this.chips = html("div", { className: "evb-chips" }, root);
    this.listen();
  }

  // --- showing -----------------------------------------------------------------------------

  show(data) {
    if (this.data && data.revision === this.data.revision) return;
    const before = this.data;
    if (data.position && before?.position === data.position) {
      // The same position, and more is known about it now.
      const { values, arrows } = data;
      this.data = { ...before, values, revision: data.revision, arrows: this.sent ? [] : arrows };
      this.closeTip();
      return this.mark();
    }
    this.data = data;
    this.sent = false;
    this.moves = data.moves.map((look, index) => ({ ...look, index }));
    this.pool = this.moves;
    this.path = [];
    this.drag?.man?.node.classList.remove("dragged");
    this.drag = null;
    this.closePopup();
    this.closeTip();
    const heaps = data.board.shape === "heaps";
    const counts = heaps ? this.room(data, before) : [];
    const key = JSON.stringify([data.board, data.flipped, counts]);
    const anew = key !== this.boardKey;
    if (anew) {
      this.boardKey = key;
      this.geometry = geometryOf(data.board, data.flipped, counts);
      this.drawBoard();
    }
    this.svg.setAttribute("aria-label", data.label || "board");
    if (!heaps) this.heaps = null;
    if (heaps) this.placeMatches(anew);
    else this.placePieces(anew);
    this.offerLoose();
    this.mark();
  }

  // Heaps keep the room they once needed, so that nothing jumps when matches are taken.
  room(data, before) {
    const counts = Array(data.board.width).fill(0);
    const seen = before && before.board.shape === data.board.shape && before.board.width === data.board.width ? this.seen : counts;
    for (const piece of data.pieces) counts[piece.cell] = piece.count;
    this.seen = counts.map((c, i) => Math.max(c, seen[i] || 0, (data.room || [])[i] || 0));
    return this.seen;
  }

  drawBoard() {
    const [x, y, width, height] = this.geometry.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.root.style.setProperty("--evb-ratio", width / height);
    this.root.dataset.shape = this.data.board.shape;
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.men.clear();
    drawScenery(this.data.board, this.geometry, this.layers.cells, this.layers.names);
  }

  placePieces(anew) {
    const { pieces, sides, last, board } = this.data;
    const counted = (piece) => piece.count > 1 || (board.shape === "hex" && !piece.glyph);
    const left = anew ? new Map() : this.men, fresh = [];
    if (anew) this.layers.pieces.replaceChildren();
    this.men = new Map();
    for (const piece of pieces) {
      const old = left.get(piece.cell);
      if (old && artKey(old.piece) === artKey(piece)) {
        this.men.set(piece.cell, old);
        left.delete(piece.cell);
        this.settle(old.node, piece.cell);
      } else fresh.push(piece);
    }
    for (const piece of fresh) {
      const from = originOf(piece, left, last, this.geometry.centre);
      const man = from === null ? this.newMan(piece, anew) : left.get(from);
      if (from !== null) left.delete(from);
      man.node.innerHTML = pieceArt(piece, sides, counted(piece));
      man.piece = piece;
      if (from !== null && from !== piece.cell) this.travel(man.node, from, piece.cell, last);
      else this.settle(man.node, piece.cell);
      this.men.set(piece.cell, man);
    }
    for (const man of left.values()) this.vanish(man.node);
    if (!anew && last && last.amount && last.cells.length > 1) this.sendGhost(last, counted);
  }

  newMan(piece, anew) {
    const node = svg("g", { class: anew ? "evb-man" : "evb-man born" }, this.layers.pieces);
    return { piece, node };
  }

  settle(node, cell) {
    node.style.transform = moveTo(this.geometry.centre(cell));
  }

  travel(node, from, to, last) {
    node.parentNode.append(node); // above the others
    const whole = last && last.cells.length > 2 && last.cells[0] === from && last.cells.at(-1) === to;
    if (whole && !still()) {
      const frames = last.cells.map((cell) => ({ transform: moveTo(this.geometry.centre(cell)) }));
      node.classList.add("dragged"); // the path is animated, not the straight line
      node.animate(frames, { duration: STEP_MS * (frames.length - 1), easing: "ease-in-out" });
      this.settle(node, to);
      requestAnimationFrame(() => node.classList.remove("dragged"));
    } else this.settle(node, to);
  }

  vanish(node) {
    node.classList.add("gone");
    setTimeout(() => node.remove(), still() ? 0 : 220);
  }

  // A part of an army on its way.
  sendGhost(last, counted) {
    const [from, to] = [last.cells[0], last.cells.at(-1)];
    const source = this.men.get(from)?.piece || this.men.get(to)?.piece;
    if (!source || still()) return;
    const node = svg("g", { class: "evb-man dragged" }, this.layers.pieces);
    const piece = { ...source, side: last.side ?? source.side, count: last.amount };
    node.innerHTML = pieceArt(piece, this.data.sides, counted(piece));
    const frames = [from, to].map((cell) => ({ transform: moveTo(this.geometry.centre(cell)) }));
    node.animate(frames, { duration: 220, easing: "ease-in-out" }).onfinish = () => node.remove();
  }

  placeMatches(anew) {
    const counts = Array(this.data.board.width).fill(0);
    for (const piece of this.data.pieces) counts[piece.cell] = piece.count;
    if (anew) this.heaps = new Heaps(this.layers.pieces, counts, this.geometry, (node) => this.vanish(node));
    else this.heaps.place(counts);
    counts.forEach((count, cell) => (this.layers.names.children[cell].textContent = count));
  }

  // Moves without a place on the board (a pass) become buttons.
  offerLoose() {
    const loose = this.moves.filter((move) => !move.cells.length);
    this.chips.replaceChildren();
    for (const move of loose) {
      const chip = html("button", { type: "button", textContent: move.text }, this.chips);
      chip.onclick = () => this.send(move);
    }
  }

  // --- highlights --------------------------------------------------------------------------

  mark() {
    const { shade, dots, arrows, tags } = this.layers, { last, marks } = this.data;
    for (const layer of [shade, dots, arrows, tags]) layer.replaceChildren();
    const paint = (cell, style) => this.paint(shade, cell, style);
    if (last && this.data.board.shape !== "heaps") {
      for (const cell of new Set(last.cells)) paint(cell, "last");
      for (const cell of last.captures) if (!last.cells.includes(cell)) paint(cell, "taken");
    }
    for (const cell of marks) paint(cell, "mark");
    for (const cell of this.path) paint(cell, "chosen");
    if (this.cursor >= 0 && document.activeElement === this.svg) paint(this.cursor, "cursor");
    this.markTargets();
    for (const arrow of this.data.arrows || []) this.drawArrow(arrow);
    this.svg.classList.toggle("live", this.moves.length > 0 || this.data.mode === "edit");
  }

  paint(layer, cell, style) {
    if (this.data.board.shape === "heaps") {
      const [x, y, width, height] = this.geometry.tray(cell);
      return svg("rect", { class: `evb-shade ${style}`, x, y, width, height, rx: 16 }, layer);
    }
    const [u, v] = this.geometry.centre(cell);
    const place = { d: this.geometry.outline, transform: `translate(${u} ${v})` };
    return svg("path", { class: `evb-shade ${style}`, ...place }, layer);
  }

  markTargets() {
    if (!this.path.length) return;
    const going = this.going(), ends = new Set(), stations = new Set();
    for (const move of going) {
      if (move.cells.length === this.path.length) {
        if (!this.heaps) this.badge(this.path.at(-1), move);
      } else {
        ends.add(move.cells.at(-1));
        for (const cell of move.cells.slice(this.path.length, -1)) stations.add(cell);
      }
      for (const cell of move.captures)
        if (!move.cells.includes(cell)) this.paint(this.layers.shade, cell, "threat");
    }
    for (const cell of stations) if (!ends.has(cell)) this.dot(cell, "way");
    for (const cell of ends) {
      this.dot(cell, this.men.has(cell) && cell !== this.path[0] ? "take" : "end");
      const text = this.bestValue(going.filter((move) => move.cells.at(-1) === cell));
      if (text) this.tag(cell, text);
    }
  }

  dot(cell, style) {
    const [cx, cy] = this.geometry.centre(cell);
    const r = { end: 15, way: 9, take: 43 }[style];
    svg("circle", { class: `evb-dot ${style}`, cx, cy, r }, this.layers.dots);
  }

  badge(cell, move) {
    const [x, y] = this.geometry.centre(cell);
    const node = svg("g", { class: "evb-badge", transform: `translate(${x + 27} ${y - 29})` }, this.layers.dots);
    svg("circle", { r: 15 }, node);
    svg("text", { dy: ".35em" }, node).textContent = move.text.endsWith("+") ? "+" : "✓";
    svg("title", {}, node).textContent = move.text;
  }

  tag(cell, text) {
    const [x, y] = this.geometry.centre(cell);
    const node = svg("g", { class: "evb-tag", transform: `translate(${x} ${y + 36})` }, this.layers.tags);
    const width = 12 + 11.5 * text.length;
    svg("rect", { x: -width / 2, y: -13, width, height: 26, rx: 8 }, node);
    svg("text", { dy: ".35em" }, node).textContent = text;
  }

  drawArrow({ cells, kind }) {
    if (this.data.board.shape === "heaps" || cells.length === 1)
      return this.paint(this.layers.shade, cells[0], `arrow ${kind}`);
    const points = cells.map((cell) => this.geometry.centre(cell));
    const [x, y] = points.at(-1), [u, v] = points.at(-2);
    const angle = Math.atan2(y - v, x - u), cut = 34;
    points[points.length - 1] = [x - cut * Math.cos(angle), y - cut * Math.sin(angle)];
    const group = svg("g", { class: `evb-arrow ${kind || ""}` }, this.layers.arrows);
    svg("polyline", { points: points.map((p) => p.join(",")).join(" ") }, group);
    const turn = `translate(${x} ${y}) rotate(${(angle * 180) / Math.PI})`;
    svg("path", { d: "M-8 0L-42-22V22Z", transform: turn }, group);
  }

  // --- values ------------------------------------------------------------------------------

  valueOf(move) {
    return this.data.values?.[move.index] ?? null;
  }

  // Values come with a number to compare by: [number, text].
  bestMove(moves) {
    const known = moves.filter((move) => this.valueOf(move));
    return known.sort((a, b) => this.valueOf(b)[0] - this.valueOf(a)[0])[0] || null;
  }

  bestValue(moves) {
    const best = this.bestMove(moves);
    return best && this.valueOf(best)[1];
  }

  hover(cell, x, y) {
    if (this.drag || this.popup) return;
    const going = this.path.length ? this.going() : this.pool;
    let moves = this.path.length ? going.filter((m) => m.cells.at(-1) === cell) : [];
    if (!moves.length) moves = this.pool.filter((m) => m.cells[0] === cell);
    if (this.heaps && moves.length) {
      const amount = this.heaps.amountAt(cell, x, y, moves);
      moves = moves.filter((move) => move.amount === amount);
      this.lift(cell, amount);
    } else this.lift(-1, 0);
    const move = this.bestMove(moves) || (moves.length === 1 ? moves[0] : null);
    const index = move ? move.index : null;
    this.svg.style.cursor = moves.length || this.data.mode === "edit" ? "pointer" : "";
    if (index === this.hovered) return;
    this.closeTip();
    this.hovered = index;
    if (move && this.valueOf(move) && cell !== this.path[0]) {
      this.tip = html("div", { className: "evb-tip" }, this.root);
      html("b", { textContent: this.valueOf(move)[1] }, this.tip);
      html("span", { textContent: move.text }, this.tip);
      this.anchor(this.tip, cell);
    }
    if (this.data.hovers) this.emit("hover", index);
  }

  closeTip() {
    this.tip?.remove();
    this.tip = this.hovered = null;
  }

  // Show which matches a click would take.
  lift(cell, amount) {
    this.heaps?.lift(cell, amount);
  }

  // --- entering a move ---------------------------------------------------------------------

  going() {
    return this.pool.filter((move) => move.cells.length && begins(move.cells, this.path));
  }

  isTarget(cell) {
    const at = this.path.length;
    return (
      at > 0 && this.going().some((move) => move.cells.length > at && move.cells.slice(at).includes(cell))
    );
  }

  starts(cell) {
    return this.moves.filter((move) => move.cells[0] === cell);
  }

  choose(cell) {
    this.pool = this.moves;
    this.path = this.starts(cell).length ? [cell] : [];
    this.mark();
    const here = this.men.get(cell);
    if (this.path.length || !this.moves.length || here?.piece.side !== this.data.side) return;
    // It cannot move (another one must, perhaps): show which can.
    for (const start of new Set(this.moves.map((move) => move.cells[0])))
      if (start !== undefined) this.paint(this.layers.shade, start, "able");
    this.say("This piece cannot move now; those that can are marked.");
  }

  // Go on to a cell: make the move it ends, or step through the cells where several are meant.
  proceed(cell) {
    const at = this.path.length, going = this.going();
    const ends = going.filter((move) => move.cells.length > at && move.cells.at(-1) === cell);
    const through = going.filter((move) => move.cells.slice(at, -1).includes(cell) && !ends.includes(move));
    if (!through.length && ends.length && ends.every((m) => alike(m.cells, ends[0].cells)))
      return this.decide(ends);
    if (through.length + ends.length === 1) return this.decide([...through, ...ends]);
    const next = going.filter((move) => move.cells[at] === cell);
    if (next.length) this.path.push(cell);
    else {
      this.pool = [...ends, ...through];
      this.say("Several ways lead there: step through the cells.");
    }
    this.mark();
  }

  // Make the move among `moves`, or ask which.
  decide(moves, amount = 0) {
    if (moves.length === 1 && !(amount && this.heaps)) return this.send(moves[0]);
    this.closePopup();
    this.popup = askWhich(this, moves, amount);
    this.anchor(this.popup, moves[0].cells.at(-1));
  }

  send(move) {
    this.closePopup();
    this.path = [];
    this.pool = this.moves = [];
    this.lift(-1, 0);
    this.closeTip();
    this.sent = true;
    this.preview(move);
    this.mark();
    this.emit("move", move.index, this.data.position);
  }

  // Show a plain move before the server has confirmed it; whatever it says then replaces this.
  preview(move) {
    const [from, to] = [move.cells[0], move.cells.at(-1)], man = this.men.get(from);
    if (!man || from === to || move.amount) return;
    for (const cell of new Set([...move.captures, to])) {
      if (this.men.has(cell)) this.vanish(this.men.get(cell).node);
      this.men.delete(cell);
    }
    this.men.delete(from);
    this.men.set(to, man);
    man.piece = { ...man.piece, cell: to };
    if (man.dropped) this.settle(man.node, to);
    else this.travel(man.node, from, to, move);
    man.dropped = false;
    this.data = { ...this.data, last: move, arrows: [], marks: [] };
  }

  closePopup() {
    this.popup?.remove();
    this.popup = null;
  }

  cancel() {
    this.closePopup();
    this.pool = this.moves;
    this.path = [];
    for (const [cell, man] of this.men) this.settle(man.node, cell);
    this.heaps?.putBack();
    this.lift(-1, 0);
    this.mark();
  }

  // Put a box beside a cell, inside the board.
  anchor(node, cell) {
    const frame = this.root.getBoundingClientRect(), box = node.getBoundingClientRect();
    const matrix = this.svg.getScreenCTM(), [x, y] = this.geometry.centre(cell);
    const at = (dy) => new DOMPoint(x, y + dy).matrixTransform(matrix);
    const left = at(0).x - frame.left - box.width / 2, above = at(-46).y - frame.top - box.height;
    node.style.left = `${Math.max(4, Math.min(frame.width - box.width - 4, left))}px`;
    node.style.top = `${above > 0 ? above : at(46).y - frame.top}px`;
  }

  // --- pointer and keyboard ----------------------------------------------------------------

  listen() {
    const on = (name, act) => this.svg.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.follow(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => this.hover(-1, 0, 0));
    on("contextmenu", (event) => event.preventDefault());
    on("keydown", (event) => this.typed(event));
    on("focus", () => {
      if (this.svg.matches(":focus-visible")) this.pointAt(this.cursor < 0 ? 0 : this.cursor);
    });
    on("blur", () => this.mark());
    this.onKey = (event) => this.shortcut(event);
    // The press that opens a box has been taken by the board; any other one closes it.
    this.onPress = (event) => this.popup && !event.defaultPrevented && this.cancel();
    window.addEventListener("keydown", this.onKey);
    window.addEventListener("pointerdown", this.onPress);
  }

  close() {
    window.removeEventListener("keydown", this.onKey);
    window.removeEventListener("pointerdown", this.onPress);
  }

  place(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(this.svg.getScreenCTM().inverse());
    return [this.geometry.cellAt(x, y), x, y];
  }

  press(event) {
    if (this.popup || event.button) return;
    const [cell, x, y] = this.place(event);
    event.preventDefault(); // no text selection, no focus by mouse
    document.activeElement?.blur?.();
    this.closeTip();
    const chosen = this.path.length === 1 && this.path[0] === cell;
    if (this.data.mode !== "edit") {
      if (this.isTarget(cell) && !chosen) return this.proceed(cell);
      if (!chosen) this.choose(cell);
      if (!this.path.length) return;
    }
    const man = this.men.get(cell);
    this.drag = { cell, man, chosen, from: [event.clientX, event.clientY], at: [x, y], amount: 0, moved: false };
    if (this.path.length && this.heaps) this.drag.amount = this.heaps.amountAt(cell, x, y, this.moves);
    this.svg.setPointerCapture(event.pointerId);
  }

  follow(event) {
    const [cell, x, y] = this.place(event), drag = this.drag;
    if (!drag) return this.hover(cell, x, y);
    const far = Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) > DRAG_FROM;
    if (!(drag.man || drag.amount) || !(drag.moved || far)) return;
    if (drag.amount) {
      drag.moved = true;
      return this.heaps.carry(drag.cell, drag.amount, drag.at, [x, y]);
    }
    if (!drag.moved) drag.man.node.classList.add("dragged"), drag.man.node.parentNode.append(drag.man.node);
    drag.moved = true;
    drag.man.node.style.transform = moveTo([x, y]);
    this.over?.remove();
    this.over = this.isTarget(cell) ? this.paint(this.layers.shade, cell, "over") : null;
  }

  release(event) {
    const drag = this.drag, [cell, x, y] = this.place(event);
    this.drag = null;
    this.over?.remove();
    if (!drag) return;
    drag.man?.node.classList.remove("dragged");
    if (this.data.mode === "edit") return this.edit(drag, cell);
    if (drag.moved && drag.amount) return this.drop(drag, x, y);
    if (drag.moved && cell !== drag.cell && this.isTarget(cell)) {
      drag.man.dropped = true;
      this.proceed(cell);
      if (!this.popup && this.men.get(drag.cell) === drag.man) this.settle(drag.man.node, drag.cell);
      return;
    }
    if (drag.man) this.settle(drag.man.node, drag.cell);
    if (drag.moved || cell !== drag.cell) return;
    const here = this.starts(cell).filter((move) => move.cells.length === 1);
    if (here.length && (drag.chosen || here.length === this.starts(cell).length))
      this.decide(here, drag.amount);
    else if (drag.chosen) this.cancel();
  }

  // Matches dragged off their heap are taken; those dropped on it go back.
  drop({ cell, amount }, x, y) {
    if (!this.heaps.isOff(cell, x, y)) return this.cancel();
    this.send(this.starts(cell).find((move) => move.amount === amount));
  }

  edit(drag, cell) {
    if (drag.moved && cell !== drag.cell) this.emit("edit", { from: drag.cell, to: cell });
    else if (cell >= 0) this.emit("edit", { cell });
    if (drag.man && cell === drag.cell) this.settle(drag.man.node, cell);
  }

  // The board has the keyboard's focus: a cursor walks over the cells.
  typed(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key], enter = event.key === "Enter" || event.key === " ";
    if (!this.svg.matches(":focus-visible") || !(way || enter || event.key === "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return this.cancel();
    if (way) return this.pointAt(this.neighbour(this.cursor, way));
    if (this.data.mode === "edit") return this.emit("edit", { cell: this.cursor });
    if (this.isTarget(this.cursor)) return this.proceed(this.cursor);
    const here = this.starts(this.cursor).filter((move) => move.cells.length === 1);
    const chosen = this.path[0] === this.cursor;
    if (here.length && (chosen || here.length === this.starts(this.cursor).length)) this.decide(here, 1);
    else if (chosen) this.cancel();
    else this.choose(this.cursor);
  }

  neighbour(cell, [dx, dy]) {
    const count = this.data.board.width * this.data.board.height;
    const [x, y] = this.geometry.centre(cell);
    let best = cell, least = Infinity;
    for (let other = 0; other < count; other++) {
      const [u, v] = this.geometry.centre(other);
      const along = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (along > 1 && along + 3 * aside < least) [best, least] = [other, along + 3 * aside];
    }
    return best;
  }

  pointAt(cell) {
    this.cursor = cell;
    this.mark();
    const man = this.data.pieces.find((piece) => piece.cell === cell);
    this.say(`${this.data.board.names[cell]}, ${man ? pieceWords(man, this.data.sides) : "empty"}`);
  }

  say(text) {
    this.live.textContent = text;
  }

  shortcut(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.popup || event.defaultPrevented) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable], .q-dialog, .q-menu")) return;
    if (!(this.keys || []).includes(event.key)) return;
    event.preventDefault();
    this.emit("key", event.key);
  }
}

export default {
  template: `<div class="evb"></div>`,
  props: { data: String, keys: Array },
  emits: ["move", "hover", "edit", "key"],
  mounted() {
    this.board = new Board(this.$el, (...event) => this.$emit(...event));
    this.board.keys = this.keys;
    this.board.show(JSON.parse(this.data));
  },
  beforeUnmount() {
    this.board.close();
  },
  watch: {
    data(now) {
      this.board.show(JSON.parse(now));
    },
  },
};
