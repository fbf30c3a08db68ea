// Where the cells of a board lie, by its shape. All lengths in units of the drawing.

export const CELL = 100;
const HEX_SIDE = CELL / Math.sqrt(3);
const MATCH_GAP = 34, LINE = 104, MOST_IN_LINE = 20, TRAY = 24;

// Return {box, centre(cell), cellAt(x, y), outline(cell)} of a board as it is drawn.
export function geometryOf(board, flipped, counts) {
  const flat = { square, hex, heaps }[board.shape](board, counts);
  if (!flipped || board.shape === "heaps") return flat;
  const [left, top, width, height] = flat.box;
  const turn = ([x, y]) => [2 * left + width - x, 2 * top + height - y];
  return {
    ...flat,
    centre: (cell) => turn(flat.centre(cell)),
    cellAt: (x, y) => flat.cellAt(...turn([x, y])),
  };
}

function square({ width, height }) {
  return {
    box: [0, 0, width * CELL, height * CELL],
    centre: (cell) => [
      ((cell % width) + 0.5) * CELL,
      (height - 0.5 - Math.floor(cell / width)) * CELL,
    ],
    cellAt(x, y) {
      const column = Math.floor(x / CELL), row = height - 1 - Math.floor(y / CELL);
      return column >= 0 && column < width && row >= 0 && row < height ? row * width + column : -1;
    },
    outline: `M-50-50h100v100h-100z`,
  };
}

function hex({ width, height, slant }) {
  const shift = (row) => ((slant ? row : row % 2) * CELL) / 2;
  const widest = width * CELL + (slant ? height - 1 : Math.min(1, height - 1)) * (CELL / 2);
  const centre = (cell) => {
    const row = Math.floor(cell / width);
    return [
      ((cell % width) + 0.5) * CELL + shift(row),
      HEX_SIDE + (height - 1 - row) * 1.5 * HEX_SIDE,
    ];
  };
  const corners = [...Array(6)].map((_, i) => {
    const angle = (Math.PI / 3) * i + Math.PI / 6, side = HEX_SIDE - 2.5;
    return `${(side * Math.cos(angle)).toFixed(2)} ${(side * Math.sin(angle)).toFixed(2)}`;
  });
  return {
    box: [-6, -6, widest + 12, HEX_SIDE * (1.5 * height + 0.5) + 12],
    centre,
    cellAt: (x, y) => nearest(x, y, width * height, centre, CELL / 2 + 4),
    outline: `M${corners.join("L")}z`,
  };
}

function nearest(x, y, cells, centre, reach) {
  let best = -1, least = reach;
  for (let cell = 0; cell < cells; cell++) {
    const [u, v] = centre(cell), distance = Math.hypot(x - u, y - v);
    if (distance < least) [best, least] = [cell, distance];
  }
  return best;
}

// One tray per heap, one below the other; long heaps take several lines.
function heaps({ width }, counts) {
  const inLine = Math.max(10, Math.min(MOST_IN_LINE, Math.max(...counts)));
  const wide = inLine * MATCH_GAP + 130;
  const heights = counts.map((count) => Math.ceil(Math.max(1, count) / inLine) * LINE + TRAY);
  const tops = heights.map((_, i) => heights.slice(0, i).reduce((a, b) => a + b + 14, 14));
  const total = tops[width - 1] + heights[width - 1] + 14;
  return {
    box: [0, 0, wide, total],
    centre: (cell) => [wide / 2, tops[cell] + heights[cell] / 2],
    cellAt: (x, y) => tops.findIndex((top, i) => y >= top - 7 && y < top + heights[i] + 7),
    tray: (cell) => [12, tops[cell], wide - 24, heights[cell]],
    match(cell, index) {
      const line = Math.floor(index / inLine);
      const x = 74 + (index % inLine) * MATCH_GAP;
      return [x, tops[cell] + TRAY / 2 + line * LINE + LINE / 2];
    },
    // Return which of a heap's matches is under a point.
    matchAt(cell, x, y, count) {
      const line = Math.max(0, Math.floor((y - tops[cell] - TRAY / 2) / LINE));
      const column = Math.round((x - 74) / MATCH_GAP);
      const index = line * inLine + Math.max(0, Math.min(inLine - 1, column));
      return Math.min(index, count - 1);
    },
  };
}

// Return the cell a piece that is new on its cell has come from, null where it has appeared.
// left: the men whose cells have changed, by cell; last: the move that was made, if one was.
export function originOf(piece, left, last, centre) {
  const same = (other) => other.side === piece.side && other.symbol === piece.symbol;
  const here = left.get(piece.cell);
  if (here && same(here.piece)) return piece.cell; // only its count has changed
  if (piece.count > 1 || last?.amount) return null;
  if (last && last.cells.length > 1 && piece.cell === last.cells.at(-1)) {
    const mover = left.get(last.cells[0]);
    if (mover && mover.piece.side === piece.side) return last.cells[0]; // perhaps promoted
  }
  const [x, y] = centre(piece.cell);
  let best = null, least = Infinity;
  for (const [cell, man] of left) {
    const [u, v] = centre(cell), distance = Math.hypot(x - u, y - v);
    if (same(man.piece) && distance < least) [best, least] = [cell, distance];
  }
  return best;
}
