// Pieces to choose from in the position editor: a click emits the index of the chosen one, and one
// that is dragged lands on the board it is dropped on.
//
// items: pieces as in a view; a symbol of "" is the eraser.

import { pieceArt, pieceWords } from "pieces";

const DRAG_FROM = 5; // pixels
const ERASER =
  `<path d="M-24-24L24 24M24-24L-24 24" stroke="#5f1a0f" stroke-width="9" stroke-linecap="round"/>`;

export default {
  template: `
    <div class="palette" role="radiogroup" aria-label="Piece to place">
      <button v-for="(item, i) in items" :key="i" type="button" role="radio" :class="[{ on: i === at }, item.side === 1 ? 'second' : 'first']"
        :aria-checked="i === at" :aria-label="words(item)" :title="words(item)" @click="$emit('pick', i)"
        @pointerdown="press($event, i)" @pointermove="follow" @pointerup="release" @pointercancel="end">
        <svg viewBox="-50 -50 100 100" v-html="art(item)"></svg>
      </button>
    </div>`,
  props: { items: Array, sides: Array, counted: Boolean, at: Number },
  emits: ["pick"],
  beforeUnmount() {
    this.end();
  },
  methods: {
    words(item) {
      return item.symbol ? pieceWords(item, this.sides) : "remove";
    },
    art(item) {
      return item.symbol ? pieceArt(item, this.sides, this.counted) : ERASER;
    },
    press(event, piece) {
      if (event.button || !event.isPrimary) return;
      this.drag = { piece, from: [event.clientX, event.clientY], node: null };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    follow(event) {
      const { drag } = this, { clientX: x, clientY: y } = event;
      if (!drag || (!drag.node && Math.hypot(x - drag.from[0], y - drag.from[1]) <= DRAG_FROM)) return;
      if (!drag.node) {
        drag.node = event.currentTarget.querySelector("svg").cloneNode(true);
        drag.node.setAttribute("class", "palette-drag");
        document.body.append(drag.node);
        this.$emit("pick", drag.piece);
      }
      drag.node.style.transform = `translate(${x}px, ${y}px)`;
    },
    release({ clientX, clientY }) {
      const { drag } = this;
      this.end();
      if (!drag?.node) return;
      const board = document.elementFromPoint(clientX, clientY)?.closest(".evb-svg");
      const detail = { clientX, clientY, piece: drag.piece };
      board?.dispatchEvent(new CustomEvent("evb-drop", { detail }));
    },
    end() {
      this.drag?.node?.remove();
      this.drag = null;
    },
  },
};
