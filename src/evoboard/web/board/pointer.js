// Mouse, pen and finger: pressing, dragging and dropping.

const DRAG_FROM = 5; // pixels

export class Pointer {
  constructor(board) {
    this.board = board;
    this.drag = null;
    const on = (name, act) => board.svg.addEventListener(name, act);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.follow(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.giveUp());
    on("pointerleave", () => this.point(-1, 0, 0));
    on("contextmenu", (event) => event.preventDefault());
    on("evb-drop", ({ detail }) => this.putDown(detail)); // from a palette
    // The press that opens a box has been taken by the board; any other one closes it.
    this.outside = (event) => board.popup && !event.defaultPrevented && board.cancel();
    window.addEventListener("pointerdown", this.outside);
  }

  close() {
    window.removeEventListener("pointerdown", this.outside);
  }

  // Return the cell under an event, and the point in the units of the drawing.
  place(event) {
    const { svg, geometry } = this.board, point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(svg.getScreenCTM().inverse());
    return [geometry.cellAt(x, y), x, y];
  }

  point(cell, x, y) {
    if (!this.drag && !this.board.popup) this.board.tips.point(cell, x, y);
  }

  press(event) {
    const { board } = this;
    if (board.popup || event.button || !event.isPrimary) return;
    const [cell, x, y] = this.place(event);
    event.preventDefault(); // no text selection, no focus by mouse
    document.activeElement?.blur?.();
    board.tips.close();
    const chosen = board.path.at(-1) === cell;
    if (board.data.mode !== "edit") {
      if (board.isTarget(cell) && !chosen) return board.proceed(cell);
      if (!chosen) board.choose(cell);
      if (!board.path.length) return;
    }
    const man = board.men.get(board.path[0] ?? cell), from = [event.clientX, event.clientY];
    const amount = board.path.length && board.heaps ? board.heaps.amountAt(cell, x, y, board.moves) : 0;
    this.drag = { cell, man, chosen, from, at: [x, y], amount, moved: false };
    board.svg.setPointerCapture(event.pointerId);
  }

  follow(event) {
    const [cell, x, y] = this.place(event), { board, drag } = this;
    if (!drag) return this.point(cell, x, y);
    const far = Math.hypot(event.clientX - drag.from[0], event.clientY - drag.from[1]) > DRAG_FROM;
    if (!(drag.man || drag.amount) || !(drag.moved || far)) return;
    drag.moved = true;
    if (drag.amount) return board.heaps.carry(drag.cell, drag.amount, drag.at, [x, y]);
    board.men.lift(drag.man, [x, y]);
    this.over?.remove();
    this.over = board.isTarget(cell) ? board.marks.paint(cell, "over") : null;
  }

  release(event) {
    const drag = this.drag, [cell, x, y] = this.place(event), { board } = this;
    this.end();
    if (!drag) return;
    if (board.data.mode === "edit") return this.edit(drag, cell);
    if (drag.moved && drag.amount) return this.drop(drag, x, y);
    if (drag.moved && cell !== drag.cell && board.isTarget(cell)) {
      drag.man.dropped = true;
      board.proceed(cell);
      if (board.popup) return; // it waits where it was dropped
      if (board.path.length) drag.man.dropped = false; // it has stepped there, or gone home
      else if (board.men.get(drag.cell) === drag.man) board.men.settle(drag.man.node, drag.cell);
      return;
    }
    if (drag.man) board.men.settle(drag.man.node, drag.cell);
    if (drag.moved || cell !== drag.cell) return;
    if (board.path.length > 1) return board.stayThere();
    if (!board.decideHere(cell, drag.chosen, drag.amount) && drag.chosen) board.cancel();
  }

  // Stop dragging; what was dragged is wherever it is.
  end() {
    this.board.men.letGo(this.drag?.man);
    this.drag = null;
    this.over?.remove();
  }

  giveUp() {
    this.end();
    this.board.cancel();
  }

  // Matches dragged off their heap are taken; those dropped on it go back.
  drop({ cell, amount }, x, y) {
    const { board } = this;
    if (!board.heaps.isOff(cell, x, y)) return board.cancel();
    board.send(board.starts(cell).find((move) => move.amount === amount));
  }

  // A piece of a palette is dropped here: {clientX, clientY, piece}, the piece as its number.
  putDown(event) {
    const [cell] = this.place(event), { board } = this;
    if (board.data.mode === "edit" && cell >= 0) board.emit("edit", { cell, piece: event.piece });
  }

  edit(drag, cell) {
    const { board } = this;
    if (drag.moved && cell !== drag.cell) board.emit("edit", { from: drag.cell, to: cell });
    else if (cell >= 0) board.emit("edit", { cell });
    if (drag.man && cell === drag.cell) board.men.settle(drag.man.node, cell);
  }
}
