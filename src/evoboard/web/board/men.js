// The pieces on the board by cell, each {piece, node}, and how they appear, travel and vanish.

import { originOf } from "geometry";
import { artKey, pieceArt } from "pieces";
import { moveTo, svg } from "scenery";

const STEP_MS = 190;
const VANISH_MS = 220;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function vanish(node) {
  node.classList.add("gone");
  setTimeout(() => node.remove(), still() ? 0 : VANISH_MS);
}

export class Men extends Map {
  constructor(layer) {
    super();
    this.layer = layer;
  }

  // Show the pieces of a position; those that have moved travel, unless the board is drawn anew.
  place(data, geometry, anew) {
    Object.assign(this, { data, geometry });
    const left = anew ? new Map() : new Map(this), fresh = [];
    if (anew) this.layer.replaceChildren();
    this.clear();
    for (const piece of data.pieces) {
      const old = left.get(piece.cell);
      if (old && artKey(old.piece) === artKey(piece)) {
        this.set(piece.cell, old);
        left.delete(piece.cell);
        old.node.classList.remove("jumped");
        this.settle(old.node, piece.cell);
      } else fresh.push(piece);
    }
    for (const piece of fresh) this.enter(piece, left, anew);
    for (const man of left.values()) vanish(man.node);
    if (!anew && data.last?.amount && data.last.cells.length > 1) this.sendGhost(data.last);
  }

  // Show a piece that is new on its cell: one of those that have left theirs, or another.
  enter(piece, left, anew) {
    const { last } = this.data;
    const from = originOf(piece, left, last, this.geometry.centre);
    const man = from === null ? { node: this.draw("", anew ? "" : "born") } : left.get(from);
    left.delete(from);
    man.node.innerHTML = this.art(piece);
    man.piece = piece;
    if (from !== null && from !== piece.cell) this.travel(man.node, from, piece.cell, last);
    else this.settle(man.node, piece.cell);
    this.set(piece.cell, man);
  }

  art(piece) {
    const { board, sides } = this.data;
    return pieceArt(piece, sides, piece.count > 1 || (board.shape === "hex" && !piece.glyph));
  }

  draw(art, style) {
    const node = svg("g", { class: `evb-man ${style}` }, this.layer);
    node.innerHTML = art;
    return node;
  }

  settle(node, cell) {
    node.style.transform = moveTo(this.geometry.centre(cell));
  }

  travel(node, from, to, last) {
    node.parentNode.append(node); // above the others
    const whole = last && last.cells.length > 2 && last.cells[0] === from && last.cells.at(-1) === to;
    if (whole && !still()) {
      const frames = this.frames(last.cells);
      node.classList.add("dragged"); // the path is animated, not the straight line
      node.animate(frames, { duration: STEP_MS * (frames.length - 1), easing: "ease-in-out" });
      this.settle(node, to);
      requestAnimationFrame(() => node.classList.remove("dragged"));
    } else this.settle(node, to);
  }

  frames(cells) {
    return cells.map((cell) => ({ transform: moveTo(this.geometry.centre(cell)) }));
  }

  // Show a part of an army on its way.
  sendGhost(last) {
    const [from, to] = [last.cells[0], last.cells.at(-1)];
    const source = this.get(from)?.piece || this.get(to)?.piece;
    if (!source || still()) return;
    const piece = { ...source, side: last.side ?? source.side, count: last.amount };
    const node = this.draw(this.art(piece), "dragged");
    const way = { duration: VANISH_MS, easing: "ease-in-out" };
    node.animate(this.frames([from, to]), way).onfinish = () => node.remove();
  }

  // Show a man where the cells of a path have led it, and as taken those it has jumped over.
  stand(path, jumped) {
    for (const [cell, man] of this) {
      man.node.classList.toggle("jumped", jumped.includes(cell));
      this.settle(man.node, cell === path[0] ? path.at(-1) : cell);
    }
    const mover = path.length > 1 && this.get(path[0]);
    if (mover) this.layer.append(mover.node); // above the others
  }

  // Make a plain move, of which some steps are made already; return whether it was one.
  carryOut(move, steps) {
    const [from, to] = [move.cells[0], move.cells.at(-1)], man = this.get(from);
    if (!man || from === to || move.amount) return false;
    for (const cell of new Set([...move.captures, to])) {
      if (this.has(cell)) vanish(this.get(cell).node);
      this.delete(cell);
    }
    this.delete(from);
    this.set(to, man);
    man.piece = { ...man.piece, cell: to };
    if (man.dropped) this.settle(man.node, to);
    else this.travel(man.node, move.cells[steps], to, { cells: move.cells.slice(steps) });
    man.dropped = false;
    return true;
  }

  // Let a man follow the pointer; a pale copy of it stays where it came from.
  lift(man, [x, y]) {
    if (!this.ghost) {
      this.ghost = man.node.cloneNode(true);
      this.ghost.classList.add("left");
      man.node.before(this.ghost);
      man.node.classList.add("dragged");
      this.layer.append(man.node); // above the others
    }
    man.node.style.transform = moveTo([x, y]);
  }

  // End what `lift` has begun.
  letGo(man) {
    man?.node.classList.remove("dragged");
    this.ghost?.remove();
    this.ghost = null;
  }

  goHome() {
    this.stand([], []);
  }
}
