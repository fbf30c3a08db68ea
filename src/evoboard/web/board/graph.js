// An evaluation over a game: one point per position, between 0 (side 1 wins) and 1 (side 0 wins).
// Pointing at it tells move and value; a click emits the position's number.
//
// points: [share or null, …]; texts: [what is said of a position, …], perhaps fewer; first: the side
// of the first move; at: the position shown now; result: how the game ended, empty while it goes on; turned: side 0
// is above, as it is on a board turned round.

const WIDTH = 600, HEIGHT = 110, MOST_TICKS = 10;
const PERCENT = 100 / WIDTH;

export default {
  template: `
    <div class="evg" role="img" :aria-label="label" @click="$emit('select', plyAt($event))"
      @pointermove="over = plyAt($event)" @pointerleave="over = null">
      <div class="evg-plot">
        <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
          <rect class="evg-back" width="${WIDTH}" height="${HEIGHT}"/>
          <path class="evg-above" :d="area(turned ? ${HEIGHT} : 0)"/>
          <path class="evg-area" :d="area(turned ? 0 : ${HEIGHT})"/>
          <path class="evg-zero" d="M0 ${HEIGHT / 2}H${WIDTH}"/>
          <path class="evg-line" :d="line"/>
          <path v-if="points.length" class="evg-now" :d="'M' + x(at) + ' 0V${HEIGHT}'"/>
          <path v-if="over !== null" class="evg-over" :d="'M' + x(over) + ' 0V${HEIGHT}'"/>
        </svg>
        <span v-if="result" class="evg-end" :title="result" :style="{ top: endTop }"></span>
        <span v-if="tip" class="evg-tip" :style="tipPlace">{{ tip }}</span>
      </div>
      <div class="evg-axis" aria-hidden="true">
        <span v-for="tick in ticks" :key="tick.text" :style="{ left: tick.left }">{{ tick.text }}</span>
      </div>
    </div>`,
  props: { points: Array, texts: Array, first: Number, at: Number, label: String, result: String, turned: Boolean },
  emits: ["select"],
  data: () => ({ over: null }),
  computed: {
    known() {
      return this.points.map((y, i) => [this.x(i), y]).filter(([, y]) => y !== null);
    },
    line() {
      return this.known.map(([x, y], i) => `${i ? "L" : "M"}${x} ${HEIGHT * this.top(y)}`).join("");
    },
    // Numbers of moves, as the list of moves has them, under the positions their first plies lead to.
    ticks() {
      const plies = this.points.length - 1, late = this.first === 1 ? 1 : 0;
      const last = Math.floor((plies + late + 1) / 2), step = niceStep(last / MOST_TICKS);
      const ticks = [];
      for (let move = step; move <= last; move += step)
        ticks.push({ text: move, left: `${this.x(Math.max(1, 2 * move - 1 - late)) * PERCENT}%` });
      return ticks;
    },
    tip() {
      if (this.over === null || this.over >= this.points.length) return "";
      return [this.numberOf(this.over), this.texts[this.over]].filter(Boolean).join(" ");
    },
    tipPlace() {
      const left = this.x(this.over) * PERCENT;
      return left > 50 ? { right: `${100 - left}%` } : { left: `${left}%` };
    },
    endTop() {
      return `${100 * this.top(this.points.at(-1) ?? 0.5)}%`;
    },
  },
  methods: {
    // How far below the upper edge a share lies.
    top(share) {
      return this.turned ? share : 1 - share;
    },
    // What lies between the line and an edge.
    area(edge) {
      if (!this.known.length) return "";
      const last = this.known.at(-1)[0], first = this.known[0][0];
      return `${this.line}L${last} ${edge}L${first} ${edge}Z`;
    },
    x(i) {
      return (WIDTH * i) / Math.max(1, this.points.length - 1);
    },
    // The number of the move that led to a position: "12." of side 0, "12…" of side 1.
    numberOf(ply) {
      if (!ply) return "Start";
      const half = ply - 1 + (this.first === 1 ? 1 : 0);
      return `${Math.floor(half / 2) + 1}${half % 2 ? "…" : "."}`;
    },
    plyAt(event) {
      const box = this.$el.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      return Math.round(share * (this.points.length - 1));
    },
  },
};

// The least of 1, 2, 5, 10, 20, 50, … that is no smaller.
function niceStep(least) {
  for (let ten = 1; ; ten *= 10) for (const n of [1, 2, 5]) if (n * ten >= least) return n * ten;
}
