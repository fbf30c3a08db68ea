// The keyboard: a cursor that walks over the cells while the board has the focus, and shortcuts.

import { pieceWords } from "pieces";

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ELSEWHERE = "input, textarea, select, [contenteditable], .q-dialog, .q-menu";

export class Typing {
  // shortcuts: the keys that are handed on as they are, wherever on the page they are pressed.
  constructor(board, shortcuts) {
    this.board = board;
    board.svg.addEventListener("keydown", (event) => this.typed(event));
    board.svg.addEventListener("focus", () => {
      if (board.svg.matches(":focus-visible")) this.pointAt(Math.max(0, board.cursor));
    });
    board.svg.addEventListener("blur", () => board.marks.draw());
    this.onKey = (event) => this.shortcut(event, shortcuts);
    window.addEventListener("keydown", this.onKey);
  }

  close() {
    window.removeEventListener("keydown", this.onKey);
  }

  typed(event) {
    const { board } = this, way = WAYS[event.key], enter = event.key === "Enter" || event.key === " ";
    if (!board.svg.matches(":focus-visible") || !(way || enter || event.key === "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return board.cancel();
    if (way) return this.pointAt(this.neighbour(board.cursor, way));
    const cell = board.cursor, chosen = board.path[0] === cell;
    if (board.data.mode === "edit") return board.emit("edit", { cell });
    if (board.isTarget(cell)) return board.proceed(cell);
    if (board.path.length > 1 && board.path.at(-1) === cell) return board.stayThere();
    if (board.decideHere(cell, chosen, 1)) return;
    if (chosen) board.cancel();
    else board.choose(cell);
  }

  neighbour(cell, [dx, dy]) {
    const { data, geometry } = this.board, count = data.board.width * data.board.height;
    const [x, y] = geometry.centre(cell);
    let best = cell, least = Infinity;
    for (let other = 0; other < count; other++) {
      const [u, v] = geometry.centre(other);
      const along = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (along > 1 && along + 3 * aside < least) [best, least] = [other, along + 3 * aside];
    }
    return best;
  }

  pointAt(cell) {
    const { board } = this, { data } = board;
    board.cursor = cell;
    board.marks.draw();
    const man = data.pieces.find((piece) => piece.cell === cell);
    board.say(`${data.board.names[cell]}, ${man ? pieceWords(man, data.sides) : "empty"}`);
  }

  shortcut(event, keys) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (this.board.popup || event.target.closest?.(ELSEWHERE) || !keys.includes(event.key)) return;
    event.preventDefault();
    this.board.emit("key", event.key);
  }
}
