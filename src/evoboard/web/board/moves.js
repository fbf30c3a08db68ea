// The list of a game's moves, two plies to a row; a click emits the number of plies played then.
//
// items: [[text, note], …] of the main line, in order; first: the side of the first move; at: plies shown now;
// lines: [[parent, ply, [text, …]], …] other lines, numbered from 1: each leaves line `parent` (0: the main one)
// after so many plies; on: the number of the line that is looked at.

export default {
  template: `
    <ol class="evm" role="listbox" aria-label="Moves" tabindex="-1">
      <template v-for="row in rows" :key="row.number">
      <li v-if="row.cells.length">
        <span class="evm-number">{{ row.number }}</span>
        <template v-for="(cell, i) in row.cells" :key="i">
          <button v-if="cell" type="button" role="option" class="evm-move" :class="mark(0, cell.ply)"
            :aria-selected="isNow(0, cell.ply)" @click="$emit('select', cell.ply)">
            <span>{{ cell.text }}</span><small v-if="cell.note">{{ cell.note }}</small>
          </button>
          <span v-else class="evm-move none">…</span>
        </template>
      </li>
      <li v-for="number in row.lines" :key="number" class="evm-line">
        <template v-for="part in parts(number)" :key="part.key">
          <span v-if="part.opens" class="evm-bracket">(</span>
          <span v-else-if="part.closes" class="evm-bracket"><button type="button" aria-label="Make this the main line"
            title="Make this the main line" @click="$emit('lead', part.closes)">↑</button><button type="button"
            class="evm-drop" aria-label="Remove this line" title="Remove this line" @click="$emit('drop', part.closes)">×</button>)</span>
          <button v-else type="button" :class="mark(part.line, part.ply)" :aria-current="isNow(part.line, part.ply)"
            @click="$emit('line', part.line, part.ply)"><small v-if="part.number">{{ part.number }}</small>{{ part.text }}</button>
        </template>
      </li>
      </template>
      <li v-if="!items.length" class="evm-none">No move yet</li>
      <li v-if="result" class="evm-result">{{ result }}</li>
    </ol>`,
  props: { items: Array, first: Number, at: Number, result: String, lines: Array, on: Number },
  emits: ["select", "line", "drop", "lead"],
  computed: {
    place() {
      return [this.at, this.on, this.items.length, this.lines.length, this.result].join();
    },
    rows() {
      const cells = this.items.map(([text, note], i) => ({ text, note, ply: i + 1 }));
      if (this.first === 1 && cells.length) cells.unshift(null);
      const rows = [];
      for (let i = 0; i < cells.length; i += 2)
        rows.push({ number: i / 2 + 1, cells: cells.slice(i, i + 2), lines: [] });
      if (!rows.length) rows.push({ number: 1, cells: [], lines: [] }); // for lines alone
      for (const [number, ply] of this.leaving[0])
        rows[Math.min(this.rowOf(ply), rows.length - 1)].lines.push(number);
      return rows;
    },
    // By number of line: those that leave it, as [number, ply].
    leaving() {
      const found = [[], ...this.lines.map(() => [])];
      this.lines.forEach(([parent, ply], i) => found[parent].push([i + 1, ply]));
      return found;
    },
    // By number of line: until which ply the line that is looked at runs along it.
    shared() {
      const until = new Map([[this.on, Infinity]]);
      for (let line = this.on; line > 0; line = this.lines[line - 1][0])
        until.set(this.lines[line - 1][0], this.lines[line - 1][1]);
      return until;
    },
  },
  mounted() {
    this.reveal();
  },
  watch: {
    // Only what moves the mark scrolls: a list that was scrolled to other moves stays where it is.
    place: { handler: "reveal", flush: "post" },
  },
  methods: {
    // The row of the move that is made after so many plies.
    rowOf(ply) {
      return Math.floor((ply + (this.first === 1)) / 2);
    },
    isNow(line, ply) {
      return ply === this.at && ply <= (this.shared.get(line) ?? -1);
    },
    mark(line, ply) {
      return { now: this.isNow(line, ply), along: this.on > 0 && ply <= (this.shared.get(line) ?? -1) };
    },
    // A line's moves, and in brackets behind the moves they replace those of the lines that leave it.
    parts(line) {
      const [, begin, texts] = this.lines[line - 1], found = [{ key: `(${line}`, opens: line }];
      let told = false; // whether a move stands right before
      texts.forEach((text, i) => {
        const ply = begin + i, second = (ply + (this.first === 1)) % 2, row = this.rowOf(ply) + 1;
        found.push({ key: `${line} ${ply}`, line, ply: ply + 1, text, number: second ? (told ? "" : `${row}…`) : `${row}.` });
        const here = this.leaving[line].filter(([, at]) => at === ply || (at > ply && i === texts.length - 1));
        found.push(...here.flatMap(([number]) => this.parts(number)));
        told = !here.length;
      });
      return [...found, { key: `)${line}`, closes: line }];
    },
    // Scroll the list, never the page.
    reveal() {
      const list = this.$el, line = list.querySelector(".now")?.closest("li");
      if (this.result && !this.on && this.at === this.items.length) return void (list.scrollTop = list.scrollHeight);
      if (!line) return void (list.scrollTop = 0);
      const top = line.getBoundingClientRect().top - list.getBoundingClientRect().top;
      if (top < 0 || top + line.offsetHeight > list.clientHeight)
        list.scrollTop += top - list.clientHeight / 2;
    },
  },
};
