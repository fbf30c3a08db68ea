// What pointing at a cell tells: the value of the move that is meant, and which matches go.

import { html } from "choices";

export class Tips {
  constructor(board) {
    this.board = board;
    this.hovered = this.tip = null;
    this.at = [-1, 0, 0];
  }

  // More is known about the position: tell it of the cell that is still pointed at.
  renew() {
    if (this.hovered === null) return;
    this.close();
    this.point(...this.at);
  }

  // The pointer is over a cell (-1: over none), at a point of the drawing.
  point(cell, x, y) {
    const { board } = this;
    this.at = [cell, x, y];
    let moves = this.movesAt(cell);
    if (board.heaps && moves.length) {
      const amount = board.heaps.amountAt(cell, x, y, moves);
      moves = moves.filter((move) => move.amount === amount);
      board.lift(cell, amount);
    } else board.lift(-1, 0);
    const move = board.bestMove(moves) || (moves.length === 1 ? moves[0] : null);
    const index = move ? move.index : null;
    board.svg.style.cursor = moves.length || board.data.mode === "edit" ? "pointer" : "";
    if (index === this.hovered) return;
    this.close();
    this.hovered = index;
    if (move && board.valueOf(move) && cell !== board.path[0]) this.open(cell, move);
  }

  // The moves of the chosen piece to a cell, or those that begin there.
  movesAt(cell) {
    const { board } = this;
    const ending = board.path.length ? board.going().filter((m) => board.endsAt(m, cell)) : [];
    return ending.length ? ending : board.pool.filter((m) => m.cells[0] === cell);
  }

  open(cell, move) {
    this.tip = html("div", { className: "evb-tip" }, this.board.root);
    html("b", { textContent: this.board.valueOf(move)[1] }, this.tip);
    html("span", { textContent: this.board.words(move) }, this.tip);
    this.board.anchor(this.tip, cell);
  }

  close() {
    this.tip?.remove();
    this.tip = this.hovered = null;
  }
}
