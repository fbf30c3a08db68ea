// Pieces as SVG text, each within a square of 100 units around the origin.
// What a piece is, its glyph tells: a chess figure, a draughts disc, a disc, else its symbol.

const CHESS = {
  "♔": "K", "♕": "Q", "♖": "R", "♗": "B", "♘": "N", "♙": "P",
  "♚": "k", "♛": "q", "♜": "r", "♝": "b", "♞": "n", "♟": "p",
};
const DRAUGHTS = { "⛀": "m", "⛁": "k", "⛂": "M", "⛃": "K" };
const WORDS = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };

// Outlines of the six chess figures, and the lines drawn on them.
const FIGURES = {
  P: [
    "M-27 39C-27 29-22 26-15 22C-9 16-6 7-5-2H-10C-13-2-14-5-12-7L-9-10A14.5 14.5 0 1 1 9-10L12-7C14-5 13-2 10-2H5C6 7 9 16 15 22C22 26 27 29 27 39Z",
    "M-17 29H17",
  ],
  R: [
    "M-27 39V31L-20 27L-16 21L-14-6L-20-11L-22-33H-12V-26H-5V-33H5V-26H12V-33H22L20-11L14-6L16 21L20 27L27 31V39Z",
    "M-20-11H20M-14-6H14M-16 21H16M-20 28H20",
  ],
  N: [
    "M-20 39C-21 24-3 15-2 1C-6 7-13 8-17 7C-16 11-19 15-24 14C-32 12-36 5-33-1L-20-21C-19-27-17-30-14-32L-15-42L-6-36L-1-43L4-34C22-29 33-4 29 39Z",
    "M-3-30C14-24 21-2 20 32M-20 2L-17 7",
    "M-19-15a3 3 0 1 0 6 0a3 3 0 1 0-6 0M-29.5 3.5a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  ],
  B: [
    "M-30 39C-31 33-26 31-19 31C-12 31-9 29-8 25L-12 24V18L-10 15C-22 5-21-14-3-31A6.5 6.5 0 1 1 3-31C21-14 22 5 10 15L12 18V24L8 25C9 29 12 31 19 31C26 31 31 33 30 39L8 38C4 38 2 36 0 34C-2 36-4 38-8 38Z",
    "M-10 15H10M-12 20.5H12M0-17V3M-9-7H9",
  ],
  Q: [
    "M-24 39V33L-20 26C-20 20-22 15-26 9L-37-17A5 5 0 1 1-33-19L-19-1L-20-27A5 5 0 1 1-15-27L-5-3L-2-31A5 5 0 1 1 2-31L5-3L15-27A5 5 0 1 1 20-27L19-1L33-19A5 5 0 1 1 37-17L26 9C22 15 20 20 20 26L24 33V39Z",
    "M-25 10Q0 2 25 10M-21 19Q0 12 21 19M-20 27Q0 21 20 27M-23 33H23",
  ],
  K: [
    "M-24 39V32L-22 24C-36 13-40 1-33-8C-26-16-11-13-4-3V-21C-8-21-8-26-3-26V-31H-9V-36H-3V-42H3V-36H9V-31H3V-26C8-26 8-21 4-21V-3C11-13 26-16 33-8C40 1 36 13 22 24L24 32V39Z",
    "M-22 24Q0 16 22 24M-24 32Q0 25 24 32M0-3V17M-4-21H4",
  ],
};
const CROWN = "M-17 12L-20-9L-9-1L0-15L9-1L20-9L17 12Z";

// Side names that are colours: [fill, edge, text].
const COLOURS = {
  white: ["#f7f3ea", "#5d5546", "#3b362f"],
  black: ["#3d3a38", "#171615", "#f2eee6"],
  blue: ["#3470b3", "#1f4773", "#ffffff"],
  red: ["#c4463a", "#7d281f", "#ffffff"],
  yellow: ["#f0c33c", "#a5801a", "#3b3112"],
  green: ["#4f9d62", "#2d6540", "#ffffff"],
};
const PLAIN = [COLOURS.white, COLOURS.black];

// Return fill, edge and text colour of a side (-1: neither's).
export function coloursOf(side, sides) {
  if (side < 0) return ["#d8c8a4", "#8d7a50", "#3b3112"];
  return COLOURS[(sides[side] || "").toLowerCase()] || PLAIN[side];
}

// Return what tells one drawing from another.
export function artKey(piece) {
  return [piece.glyph || piece.symbol, piece.side, piece.count].join("|");
}

// Return a piece in words: "White knight", "Red, 4".
export function pieceWords(piece, sides) {
  const side = piece.side < 0 ? "" : sides[piece.side] + " ";
  const chess = CHESS[piece.glyph], draughts = DRAUGHTS[piece.glyph];
  if (chess) return side + WORDS[chess.toUpperCase()];
  if (draughts) return side + (draughts.toUpperCase() === "K" ? "king" : "man");
  if (piece.count > 1) return `${side}${piece.count}`;
  return `${side}${piece.symbol}`.trim();
}

// Return the drawing of a piece; on a board where pieces are `counted` it shows how many.
export function pieceArt(piece, sides, counted = piece.count > 1) {
  const chess = CHESS[piece.glyph];
  if (chess) return figure(chess.toUpperCase(), chess === chess.toUpperCase());
  const draughts = DRAUGHTS[piece.glyph];
  if (draughts) {
    const colours = draughts === draughts.toUpperCase() ? DARK_MAN : LIGHT_MAN;
    return man(colours, draughts.toUpperCase() === "K");
  }
  const colours = coloursOf(piece.side, sides);
  if (counted) return army(colours, piece.count);
  if (piece.glyph === "●") return man(colours, false);
  const named = (sides[piece.side] || "").toLowerCase() in COLOURS;
  return named ? token(colours, piece.glyph || piece.symbol) : letter(piece.glyph || piece.symbol, piece.side);
}

function figure(kind, light) {
  const [outline, lines, dots] = FIGURES[kind];
  const [fill, edge, line] = light ? ["#fdfbf6", "#33302c", "#33302c"] : ["#3f3b38", "#141312", "#e6e0d6"];
  return (
    `<path d="${outline}" fill="${fill}" stroke="${edge}" stroke-width="3" stroke-linejoin="round"/>` +
    `<path d="${lines}" fill="none" stroke="${line}" stroke-width="2.4" stroke-linecap="round"/>` +
    (dots ? `<path d="${dots}" fill="${line}"/>` : "")
  );
}

const LIGHT_MAN = ["#fbf4e4", "#4d3c25", "#a67f3f"];
const DARK_MAN = ["#453d38", "#1d1917", "#e3b95a"];

function man([fill, edge, crown], king) {
  return (
    `<circle cy="4" r="39" fill="#000" opacity=".22"/>` +
    `<circle r="39" fill="${fill}" stroke="${edge}" stroke-width="2.5"/>` +
    `<circle r="31" fill="none" stroke="${edge}" stroke-width="2" opacity=".55"/>` +
    (king
      ? `<path d="${CROWN}" fill="${crown}" stroke="${edge}" stroke-width="2" stroke-linejoin="round"/>` +
        `<path d="M-17 17H17" stroke="${crown}" stroke-width="4" stroke-linecap="round"/>`
      : `<circle r="21" fill="none" stroke="${edge}" stroke-width="2" opacity=".35"/>`)
  );
}

// Discs, more of them for more pieces, above the middle: a tile's name stands below it.
function army([fill, edge, text], count) {
  const layers = Math.min(3, Math.ceil(count / 4)), top = -5 - 3 * layers;
  let art = `<ellipse cy="${top + 6 * layers + 25}" rx="28" ry="7" fill="#000" opacity=".22"/>`;
  for (let i = layers; i > 0; i--)
    art += `<circle cy="${top + 6 * i}" r="30" fill="${edge}" stroke="${edge}" stroke-width="1"/>`;
  return (
    art +
    `<circle cy="${top}" r="30" fill="${fill}" stroke="${edge}" stroke-width="2.5"/>` +
    `<circle cy="${top}" r="24" fill="none" stroke="#fff" stroke-width="1.5" opacity=".45"/>` +
    `<text y="${top}" dy=".35em" text-anchor="middle" font-size="${count > 9 ? 30 : 35}" ` +
    `font-weight="700" fill="${text}">${Number(count)}</text>`
  );
}

function letter(text, side) {
  const ink = side === 1 ? "#b3402f" : side === 0 ? "#2f5f93" : "#4a4540";
  return written(text, text.length > 1 ? 40 : 76, ink);
}

// A disc in the colour of a side that is named after one, with the piece's letter on it.
function token([fill, edge, ink], text) {
  return (
    `<circle cy="4" r="37" fill="#000" opacity=".22"/>` +
    `<circle r="37" fill="${fill}" stroke="${edge}" stroke-width="2.5"/>` +
    written(text, text.length > 1 ? 28 : 46, ink)
  );
}

function written(text, size, ink) {
  const node = document.createElement("i");
  node.textContent = [...text].slice(0, 3).join("");
  return (
    `<text dy=".35em" text-anchor="middle" font-size="${size}" font-weight="700" ` +
    `fill="${ink}">${node.innerHTML}</text>`
  );
}

// Return one match of a heap, 80 units long, around the origin.
export const MATCH =
  `<rect x="-3.5" y="-36" width="7" height="76" rx="2" fill="#ecd3a3" stroke="#9a7a45" stroke-width="1.2"/>` +
  `<path d="M-2-20V36" stroke="#fff" stroke-width="1.2" opacity=".45"/>` +
  `<ellipse cy="-38" rx="6.5" ry="9" fill="#c8402f" stroke="#8a2a1e" stroke-width="1.2"/>` +
  `<ellipse cx="-2" cy="-41" rx="1.6" ry="3" fill="#fff" opacity=".5"/>`;
