// The list of a game's moves, two plies to a row; a click emits the number of plies played then.
//
// items: [[text, note], …] in order; first: the side of the first move; at: plies shown now;
// lines: [[ply, [text, …]], …] other lines, each with the number of plies it begins after.

export default {
  template: `
    <ol class="evm" role="listbox" aria-label="Moves" tabindex="-1">
      <template v-for="row in rows" :key="row.number">
      <li v-if="row.cells.length">
        <span class="evm-number">{{ row.number }}</span>
        <template v-for="(cell, i) in row.cells" :key="i">
          <button v-if="cell" type="button" role="option" class="evm-move" :class="{ now: cell.ply === at }"
            :aria-selected="cell.ply === at" @click="$emit('select', cell.ply)">
            <span>{{ cell.text }}</span><small v-if="cell.note">{{ cell.note }}</small>
          </button>
          <span v-else class="evm-move none">…</span>
        </template>
      </li>
      <li v-for="line in row.lines" :key="line.number" class="evm-line">
        <button v-for="move in line.moves" :key="move.ply" type="button" @click="$emit('line', line.number, move.ply)">
          <small v-if="move.number">{{ move.number }}</small>{{ move.text }}</button>
        <button type="button" class="evm-drop" aria-label="Remove this line" title="Remove this line"
          @click="$emit('drop', line.number)">×</button>
      </li>
      </template>
      <li v-if="!items.length" class="evm-none">No move yet</li>
      <li v-if="result" class="evm-result">{{ result }}</li>
    </ol>`,
  props: { items: Array, first: Number, at: Number, result: String, lines: Array },
  emits: ["select", "line", "drop"],
  computed: {
    place() {
      return [this.at, this.items.length, this.lines.length, this.result].join();
    },
    rows() {
      const cells = this.items.map(([text, note], i) => ({ text, note, ply: i + 1 }));
      if (this.first === 1 && cells.length) cells.unshift(null);
      const rows = [];
      for (let i = 0; i < cells.length; i += 2)
        rows.push({ number: i / 2 + 1, cells: cells.slice(i, i + 2), lines: [] });
      if (!rows.length) rows.push({ number: 1, cells: [], lines: [] }); // for lines alone
      this.lines.forEach(([ply, texts], number) => {
        const row = rows[Math.min(this.rowOf(ply), rows.length - 1)];
        row.lines.push({ number, moves: texts.map((text, i) => this.entry(text, ply + i, i)) });
      });
      return rows;
    },
  },
  mounted() {
    this.reveal();
  },
  watch: {
    // Only what moves the mark scrolls: whoever looks at other moves is left alone meanwhile.
    place: { handler: "reveal", flush: "post" },
  },
  methods: {
    // The row of the move that is made after so many plies.
    rowOf(ply) {
      return Math.floor((ply + (this.first === 1)) / 2);
    },
    // A move of another line, with its number where it is a first move or begins the line.
    entry(text, ply, index) {
      const second = (ply + (this.first === 1)) % 2, row = this.rowOf(ply) + 1;
      const number = second ? (index ? "" : `${row}…`) : `${row}.`;
      return { text, ply: ply + 1, number };
    },
    // Scroll the list, never the page.
    reveal() {
      const list = this.$el, line = list.querySelector(".now")?.closest("li");
      if (this.result && this.at === this.items.length) return void (list.scrollTop = list.scrollHeight);
      if (!line) return void (list.scrollTop = 0);
      const top = line.getBoundingClientRect().top - list.getBoundingClientRect().top;
      if (top < 0 || top + line.offsetHeight > list.clientHeight)
        list.scrollTop += top - list.clientHeight / 2;
    },
  },
};
