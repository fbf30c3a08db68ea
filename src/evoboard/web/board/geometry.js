// Where the cells of a board lie, by its shape. All lengths in units of the drawing.

export const CELL = 100;
const HEX_SIDE = CELL / Math.sqrt(3);
const MATCH_GAP = 34, LINE = 104, TRAY = 24, GAP = 14, MARGIN = 12;
const FEWEST_IN_LINE = 10, MOST_IN_LINE = 40, MOST_COLUMNS = 3;

// Return {box, centre(cell), cellAt(x, y), outline} of a board as it is drawn; heaps have tray(cell),
// numberAt(cell), match(cell, index) and matchAt(cell, x, y, count) instead of an outline.
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

// One tray per heap; long heaps take several lines, many heaps several columns.
function heaps(_, counts) {
  const { box, inLine, trays } = roomiest(counts), digits = numberRoom(counts);
  const first = digits + MATCH_GAP / 2;
  const holds = ([left, top, width, height], x, y) =>
    x >= left - GAP / 2 && x < left + width + GAP / 2 && y >= top - GAP / 2 && y < top + height + GAP / 2;
  return {
    box,
    centre: (cell) => [trays[cell][0] + trays[cell][2] / 2, trays[cell][1] + trays[cell][3] / 2],
    cellAt: (x, y) => trays.findIndex((tray) => holds(tray, x, y)),
    tray: (cell) => trays[cell],
    numberAt: (cell) => [trays[cell][0] + digits / 2, trays[cell][1] + trays[cell][3] / 2],
    match(cell, index) {
      const [left, top] = trays[cell], line = Math.floor(index / inLine);
      return [left + first + (index % inLine) * MATCH_GAP, top + TRAY / 2 + (line + 0.5) * LINE];
    },
    // Return which of a heap's matches is under a point.
    matchAt(cell, x, y, count) {
      const [left, top] = trays[cell];
      const line = Math.max(0, Math.floor((y - top - TRAY / 2) / LINE));
      const column = Math.round((x - left - first) / MATCH_GAP);
      const index = line * inLine + Math.max(0, Math.min(inLine - 1, column));
      return Math.min(index, count - 1);
    },
  };
}

// Return how wide the number beside a heap may get.
const numberRoom = (counts) => 28 + 20 * String(Math.max(...counts)).length;

// Return the arrangement of trays that is drawn largest in a square window.
function roomiest(counts) {
  const longest = Math.max(FEWEST_IN_LINE, Math.min(MOST_IN_LINE, Math.max(...counts)));
  let best = null;
  for (let columns = 1; columns <= Math.min(MOST_COLUMNS, counts.length); columns++)
    for (let inLine = FEWEST_IN_LINE; inLine <= longest; inLine++) {
      const found = arranged(counts, columns, inLine), wrapped = counts.filter((c) => c > inLine).length;
      // A heap in one line is easier to count than one in two.
      const size = Math.max(found.box[2], found.box[3]) * (1 + 0.06 * wrapped);
      if (!best || size < best.size) best = { ...found, size };
    }
  return best;
}

function arranged(counts, columns, inLine) {
  const width = numberRoom(counts) + inLine * MATCH_GAP + GAP;
  const height = (count) => Math.ceil(Math.max(1, count) / inLine) * LINE + TRAY;
  const rows = Math.ceil(counts.length / columns), trays = [];
  let total = 0;
  for (let column = 0; column < columns; column++) {
    let top = GAP;
    for (const count of counts.slice(column * rows, (column + 1) * rows)) {
      trays.push([MARGIN + column * (width + GAP), top, width, height(count)]);
      top += height(count) + GAP;
    }
    total = Math.max(total, top);
  }
  return { inLine, trays, box: [0, 0, 2 * MARGIN + columns * (width + GAP) - GAP, total] };
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
