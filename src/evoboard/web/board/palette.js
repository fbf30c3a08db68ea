// Pieces to choose from in the position editor; a click emits the index of the chosen one.
//
// items: pieces as in a view; a symbol of "" is the eraser.

import { pieceArt, pieceWords } from "pieces";

const ERASER =
  `<path d="M-24-24L24 24M24-24L-24 24" stroke="#8a3a2a" stroke-width="9" stroke-linecap="round"/>`;

export default {
  template: `
    <div class="palette" role="radiogroup" aria-label="Piece to place">
      <button v-for="(item, i) in items" :key="i" type="button" role="radio" :class="[{ on: i === at }, item.side === 1 ? 'second' : 'first']"
        :aria-checked="i === at" :aria-label="words(item)" :title="words(item)" @click="$emit('pick', i)">
        <svg viewBox="-50 -50 100 100" v-html="art(item)"></svg>
      </button>
    </div>`,
  props: { items: Array, sides: Array, counted: Boolean, at: Number },
  emits: ["pick"],
  methods: {
    words(item) {
      return item.symbol ? pieceWords(item, this.sides) : "remove";
    },
    art(item) {
      return item.symbol ? pieceArt(item, this.sides, this.counted) : ERASER;
    },
  },
};
