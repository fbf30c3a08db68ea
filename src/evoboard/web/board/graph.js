// An evaluation over a game: one point per position, between 0 (side 1 wins) and 1 (side 0 wins).
//
// points: [share or null, …]; at: the position shown now; a click emits the position's number.

const WIDTH = 600, HEIGHT = 110;

export default {
  template: `
    <svg class="evg" :viewBox="'0 0 ${WIDTH} ${HEIGHT}'" preserveAspectRatio="none" role="img"
      :aria-label="label" @click="pick">
      <rect class="evg-back" width="${WIDTH}" height="${HEIGHT}"/>
      <path class="evg-above" :d="area(0)"/>
      <path class="evg-area" :d="area(${HEIGHT})"/>
      <path class="evg-zero" d="M0 ${HEIGHT / 2}H${WIDTH}"/>
      <path class="evg-line" :d="line"/>
      <path v-if="points.length" class="evg-now" :d="'M' + x(at) + ' 0V${HEIGHT}'"/>
    </svg>`,
  props: { points: Array, at: Number, label: String },
  emits: ["select"],
  computed: {
    known() {
      return this.points.map((y, i) => [this.x(i), y]).filter(([, y]) => y !== null);
    },
    line() {
      return this.known.map(([x, y], i) => `${i ? "L" : "M"}${x} ${HEIGHT * (1 - y)}`).join("");
    },
  },
  methods: {
    // What lies between the line and an edge.
    area(edge) {
      if (!this.known.length) return "";
      const last = this.known.at(-1)[0], first = this.known[0][0];
      return `${this.line}L${last} ${edge}L${first} ${edge}Z`;
    },
    x(i) {
      return (WIDTH * i) / Math.max(1, this.points.length - 1);
    },
    pick(event) {
      const box = this.$el.getBoundingClientRect();
      const share = (event.clientX - box.left) / box.width;
      this.$emit("select", Math.round(share * (this.points.length - 1)));
    },
  },
};
