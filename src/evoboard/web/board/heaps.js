// The matches of a board of heaps: placing them, lifting those a click would take, and carrying a
// handful away by dragging.

import { MATCH } from "pieces";
import { moveTo, svg } from "scenery";

export class Heaps {
  // layer: where the matches are drawn; vanish(node): how one disappears.
  constructor(layer, counts, geometry, vanish) {
    Object.assign(this, { layer, geometry, vanish, counts });
    this.matches = counts.map(() => []);
    this.carried = []; // [node, x, y] of each match that follows the pointer
    this.place(counts, "evb-man");
  }

  place(counts, style = "evb-man born") {
    this.counts = counts;
    counts.forEach((count, cell) => {
      const matches = this.matches[cell];
      // What was carried off disappears where it was dropped.
      while (matches.length > count) this.remove(matches.pop());
      while (matches.length < count) {
        const node = svg("g", { class: style }, this.layer);
        node.innerHTML = MATCH;
        node.style.transform = moveTo(this.geometry.match(cell, matches.length));
        matches.push(node);
      }
    });
    this.putBack();
  }

  remove(node) {
    this.carried = this.carried.filter(([other]) => other !== node);
    this.vanish(node);
  }

  // Return how many matches are meant by a point: the one there and all after it, or as many of
  // them as a move may take.
  amountAt(cell, x, y, moves) {
    const count = this.counts[cell], wanted = count - this.geometry.matchAt(cell, x, y, count);
    const amounts = moves.filter((move) => move.cells[0] === cell).map((move) => move.amount);
    const fewer = amounts.filter((amount) => amount <= wanted);
    return fewer.length ? Math.max(...fewer) : amounts.length ? Math.min(...amounts) : 0;
  }

  lift(cell, amount) {
    this.matches.forEach((matches, heap) =>
      matches.forEach((node, i) =>
        node.classList.toggle("lifted", heap === cell && i >= matches.length - amount),
      ),
    );
  }

  // Let the last matches of a heap follow the pointer from one point to another.
  carry(cell, amount, [u, v], [x, y]) {
    if (!this.carried.length) {
      this.lift(-1, 0);
      const first = this.counts[cell] - amount;
      this.carried = this.matches[cell]
        .slice(first)
        .map((node, i) => [node, ...this.geometry.match(cell, first + i)]);
      for (const [node] of this.carried) {
        node.classList.add("dragged");
        this.layer.append(node); // above the others
      }
    }
    const off = this.isOff(cell, x, y);
    for (const [node, homeX, homeY] of this.carried) {
      node.classList.toggle("lifted", off); // dropped here they would be taken
      node.style.transform = moveTo([homeX + x - u, homeY + y - v]);
    }
  }

  // Say whether a point is off a heap, so that what is dropped there has been taken.
  isOff(cell, x, y) {
    const [left, top, width, height] = this.geometry.tray(cell);
    return x < left || x > left + width || y < top || y > top + height;
  }

  putBack() {
    for (const [node, x, y] of this.carried) {
      node.classList.remove("dragged");
      node.style.transform = moveTo([x, y]);
    }
    this.carried = [];
  }
}
