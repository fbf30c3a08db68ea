// The small box that asks which of several moves is meant: a promotion, an amount, or a text.

import { pieceArt, pieceWords } from "pieces";

export function html(name, properties = {}, parent = null) {
  const node = Object.assign(document.createElement(name), properties);
  parent?.append(node);
  return node;
}

// Open the box for moves that share their cells; the board gets the chosen one by `send`.
export function askWhich(board, moves, amount) {
  const popup = html("div", { className: "evb-popup" }, board.root);
  popup.setAttribute("role", "dialog");
  popup.onpointerdown = (event) => event.stopPropagation();
  popup.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") board.cancel();
  });
  const kind = moves.every((move) => move.promotion) ? askPromotion
    : moves.every((move) => move.amount) ? askAmount : askText;
  popup.setAttribute("aria-label", kind(board, popup, moves, amount));
  (popup.querySelector(".done") || popup.firstChild).focus({ preventScroll: true });
  return popup;
}

function button(popup, text, label, act) {
  const node = html("button", { type: "button", textContent: text, onclick: act }, popup);
  node.setAttribute("aria-label", label);
  return node;
}

function askPromotion(board, popup, moves) {
  const mover = board.men.get(moves[0].cells[0])?.piece, sides = board.data.sides;
  const glyphs = mover?.side ? "♛♜♝♞" : "♕♖♗♘";
  const order = (move) => "QRBN".indexOf(move.promotion.toUpperCase());
  for (const move of [...moves].sort((a, b) => order(a) - order(b))) {
    const glyph = mover?.glyph && order(move) >= 0 ? glyphs[order(move)] : "";
    const piece = { symbol: move.promotion, side: mover?.side ?? 0, count: 1, glyph };
    const node = button(popup, "", pieceWords(piece, sides), () => board.send(move));
    node.className = "piece";
    node.innerHTML = `<svg viewBox="-50 -50 100 100">${pieceArt(piece, sides, false)}</svg>`;
  }
  return "Promote to";
}

function askAmount(board, popup, moves, wanted) {
  const sorted = [...moves].sort((a, b) => a.amount - b.amount), cell = sorted[0].cells.at(-1);
  let at = sorted.findIndex((move) => move.amount === wanted);
  if (at < 0) at = sorted.length - 1;
  const step = (by) => {
    at = Math.max(0, Math.min(sorted.length - 1, at + by));
    number.textContent = sorted[at].amount;
    value.textContent = board.valueOf(sorted[at])?.[1] ?? "";
    less.disabled = at === 0;
    more.disabled = at === sorted.length - 1;
    board.lift(cell, sorted[at].amount);
  };
  const less = button(popup, "−", "fewer", () => step(-1));
  const number = html("output", {}, popup);
  const more = button(popup, "+", "more", () => step(1));
  const value = html("small", {}, popup);
  button(popup, "OK", "make the move", () => board.send(sorted[at])).className = "done";
  popup.addEventListener("keydown", (event) => {
    const ways = { ArrowUp: 1, ArrowRight: 1, "+": 1, ArrowDown: -1, ArrowLeft: -1, "-": -1 };
    if (!ways[event.key]) return;
    event.preventDefault();
    step(ways[event.key]);
  });
  step(0);
  return "How many?";
}

function askText(board, popup, moves) {
  for (const move of moves) button(popup, board.words(move), board.words(move), () => board.send(move));
  return "Which move?";
}
