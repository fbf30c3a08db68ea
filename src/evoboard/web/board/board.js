// Draws a position handed over as data and lets a person enter a move. It knows no rules: it gets
// the look of every legal move (cells, captures, promotion, amount, also) and emits a move's index.
//
// data: {board, pieces, sides, side, marks, moves, last, values, labels, arrows, room, flipped,
//        mode, label, position, revision}; see board.py, which writes it. mode: "play", "look" or
//        "edit". As long as `position` stays the same, what a person has begun to enter stays, too.
// emits: move(index, position), hover(index or null), edit({cell[, piece] | from, to}), key(name)
//
// The parts: men (the pieces), heaps (matches), marks (highlights), tips (values), pointer, typing.

import { askWhich, html } from "choices";
import { geometryOf } from "geometry";
import { Heaps } from "heaps";
import { Marks } from "marks";
import { Men, vanish } from "men";
import { Pointer } from "pointer";
import { drawScenery, svg } from "scenery";
import { Tips } from "tips";
import { Typing } from "typing";

const LAYERS = ["cells", "shade", "names", "pieces", "dots", "arrows", "tags"]; // the lowest first

const begins = (cells, path) => path.every((cell, i) => cells[i] === cell);
const alike = (a, b) => a.length === b.length && begins(a, b);

class Board {
  constructor(root, emit, keys) {
    Object.assign(this, { root, emit });
    this.path = []; // cells chosen so far
    this.cursor = -1; // cell under the keyboard's cursor
    this.svg = svg("svg", { class: "evb-svg", tabindex: "0", role: "application" }, root);
    this.layers = Object.fromEntries(
      LAYERS.map((name) => [name, svg("g", { class: `evb-${name}` }, this.svg)]),
    );
    this.live = html("div", { className: "evb-live" }, root);
    this.live.setAttribute("aria-live", "polite");
    this.note = html("div", { className: "evb-note" }, root);
    this.chips = html("div", { className: "evb-chips" }, root);
    this.men = new Men(this.layers.pieces);
    this.marks = new Marks(this);
    this.tips = new Tips(this);
    this.pointer = new Pointer(this);
    this.typing = new Typing(this, keys || []);
  }

  close() {
    this.pointer.close();
    this.typing.close();
  }

  // --- showing -----------------------------------------------------------------------------

  show(data) {
    const before = this.data;
    if (data.revision === before?.revision) return;
    if (data.position && data.position === before?.position) return this.learn(data);
    this.pointer.end();
    this.closePopup();
    this.tips.close();
    this.data = data;
    this.sent = false;
    this.moves = data.moves.map((look, index) => ({ ...look, index }));
    this.pool = this.moves;
    this.path = [];
    const heaps = data.board.shape === "heaps", room = heaps ? this.room(data, before) : [];
    const key = JSON.stringify([data.board, data.flipped, room]);
    const anew = key !== this.boardKey;
    if (anew) {
      this.boardKey = key;
      this.geometry = geometryOf(data.board, data.flipped, room);
      this.drawBoard();
    }
    this.svg.setAttribute("aria-label", data.label || "board");
    if (heaps) this.placeMatches(anew);
    else {
      this.heaps = null;
      this.men.place(data, this.geometry, anew);
    }
    this.offerLoose();
    this.tellDuty();
    this.marks.draw();
  }

  // The same position, and more is known about it now.
  learn({ values, labels, arrows, revision }) {
    this.data = { ...this.data, values, labels, revision, arrows: this.sent ? [] : arrows };
    this.marks.draw();
    this.tips.renew();
  }

  // Heaps keep the room they once needed, so that nothing jumps when matches are taken.
  room(data, before) {
    const same = before?.board.shape === data.board.shape && before.board.width === data.board.width;
    const seen = same ? this.seen : [];
    this.seen = countsOf(data).map((c, i) => Math.max(c, seen[i] || 0, (data.room || [])[i] || 0));
    return this.seen;
  }

  drawBoard() {
    const [x, y, width, height] = this.geometry.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.root.style.setProperty("--evb-ratio", width / height);
    this.root.style.setProperty("--evb-scale", width / 800); // letters are as large on every board
    // A wide board may take a wider column.
    this.root.closest(".game")?.style.setProperty("--board-ratio", width / height);
    this.root.dataset.shape = this.data.board.shape;
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.men.clear();
    drawScenery(this.data.board, this.geometry, this.layers.cells, this.layers.names);
  }

  placeMatches(anew) {
    const counts = countsOf(this.data);
    if (anew) this.heaps = new Heaps(this.layers.pieces, counts, this.geometry, vanish);
    else this.heaps.place(counts);
    this.countMatches(counts);
  }

  countMatches(counts) {
    counts.forEach((count, cell) => (this.layers.names.children[cell].textContent = count));
  }

  // Moves without a place on the board (a pass) become buttons.
  offerLoose() {
    this.chips.replaceChildren();
    const loose = this.moves.filter((look) => !look.cells.length);
    const className = loose.length === this.moves.length ? "only" : "";
    for (const move of loose) {
      const told = { type: "button", className, textContent: this.words(move) };
      const chip = html("button", told, this.chips);
      chip.onclick = () => this.send(move);
    }
  }

  // Say so where every legal move takes something: other pieces seem to refuse to move then.
  tellDuty() {
    const must = this.moves.length > 0 && this.moves.every((move) => move.captures.length);
    this.note.textContent = must ? "You must capture" : "";
    if (must) this.say("You must capture.");
  }

  say(text) {
    this.live.textContent = text;
  }

  // --- what is known about moves -----------------------------------------------------------

  // Return a move as the list of moves writes it, where that is known.
  words(move) {
    return this.data.labels?.[move.index] || move.text;
  }

  // Values come with a number to compare by: [number, text].
  valueOf(move) {
    return this.data.values?.[move.index] ?? null;
  }

  bestMove(moves) {
    const known = moves.filter((move) => this.valueOf(move));
    return known.sort((a, b) => this.valueOf(b)[0] - this.valueOf(a)[0])[0] || null;
  }

  // Return the moves that begin with the cells chosen so far.
  going() {
    return this.pool.filter((move) => move.cells.length && begins(move.cells, this.path));
  }

  // Tell whether a move's last cell is meant: it, or one that may be named instead.
  endsAt(move, cell) {
    return move.cells.at(-1) === cell || (move.also || []).includes(cell);
  }

  isTarget(cell) {
    const at = this.path.length;
    const leads = (move) =>
      move.cells.length > at && (move.cells.slice(at).includes(cell) || this.endsAt(move, cell));
    return at > 0 && this.going().some(leads);
  }

  // Return the cells of what is taken on the steps made so far, where moves tell it step by step.
  jumped() {
    const made = this.path.length - 1, [first, ...others] = this.going();
    if (made < 1 || !first) return [];
    const taken = ({ cells, captures }) =>
      captures.length === cells.length - 1 ? captures.slice(0, made) : [];
    return taken(first).filter((cell) => others.every((move) => taken(move).includes(cell)));
  }

  starts(cell) {
    return this.moves.filter((move) => move.cells[0] === cell);
  }

  // --- entering a move ---------------------------------------------------------------------

  choose(cell) {
    this.pool = this.moves;
    this.path = this.starts(cell).length ? [cell] : [];
    this.stand();
    this.marks.draw();
    const here = this.men.get(cell);
    if (this.path.length || !this.moves.length || here?.piece.side !== this.data.side) return;
    // It cannot move (another one must, perhaps): show which can.
    this.marks.frameStarts(this.moves);
    const duty = this.note.textContent && `${this.note.textContent}. `;
    this.say(`${duty}This piece cannot move now; those that can are marked.`);
  }

  // Go on to a cell: make the move it ends, or step through the cells where several are meant.
  proceed(cell) {
    const at = this.path.length, going = this.going();
    const ends = going.filter((move) => move.cells.length > at && this.endsAt(move, cell));
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
    this.stand();
    this.marks.draw();
  }

  // Show the chosen piece where it has stepped to, and as taken what it has jumped over.
  stand() {
    this.men.stand(this.path, this.jumped());
  }

  // The cell that was stepped to is chosen again: make the move that ends there, else none.
  stayThere() {
    const here = this.going().filter((move) => move.cells.length === this.path.length);
    if (here.length) this.decide(here);
    else this.cancel();
  }

  // Make one of the moves that end where they begin, where that is meant; return whether it is.
  decideHere(cell, chosen, amount) {
    const all = this.starts(cell), here = all.filter((move) => move.cells.length === 1);
    if (!here.length || !(chosen || here.length === all.length)) return false;
    this.decide(here, amount);
    return true;
  }

  // Make the move among `moves`, or ask which.
  decide(moves, amount = 0) {
    if (moves.length === 1 && !(amount && this.heaps)) return this.send(moves[0]);
    this.closePopup();
    this.popup = askWhich(this, moves, amount);
    this.anchor(this.popup, moves[0].cells.at(-1));
  }

  send(move) {
    const steps = Math.max(0, this.path.length - 1); // made already
    this.closePopup();
    this.path = [];
    this.pool = this.moves = [];
    this.lift(-1, 0);
    this.tips.close();
    this.note.textContent = "";
    this.sent = true;
    this.preview(move, steps);
    this.marks.draw();
    this.emit("move", move.index, this.data.position);
  }

  // Show a plain move before the server has confirmed it; whatever it says then replaces this.
  preview(move, steps) {
    if (this.heaps && move.amount) {
      const counts = countsOf(this.data);
      counts[move.cells[0]] -= move.amount;
      this.heaps.place(counts);
      this.countMatches(counts);
    } else if (!this.men.carryOut(move, steps)) return;
    this.data = { ...this.data, last: move, arrows: [], marks: [] };
  }

  cancel() {
    this.closePopup();
    this.pool = this.moves;
    this.path = [];
    this.men.goHome();
    this.heaps?.putBack();
    this.lift(-1, 0);
    this.marks.draw();
  }

  // Show which matches a click would take.
  lift(cell, amount) {
    this.heaps?.lift(cell, amount);
  }

  closePopup() {
    this.popup?.remove();
    this.popup = null;
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
}

// Return how many pieces each cell of a board of heaps holds.
function countsOf({ board, pieces }) {
  const counts = Array(board.width).fill(0);
  for (const piece of pieces) counts[piece.cell] = piece.count;
  return counts;
}

export default {
  template: `<div class="evb"></div>`,
  props: { data: String, keys: Array },
  emits: ["move", "edit", "key"],
  mounted() {
    this.board = new Board(this.$el, (...event) => this.$emit(...event), this.keys);
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
