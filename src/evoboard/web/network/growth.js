// How champions grew: links and hidden nodes by generation. A click emits the generation.
//
// series: [{name, points: [[generation, number], …]}, …]; at: the generation shown; last: the last.

const WIDTH = 300, HEIGHT = 44;

export default {
  template: `
    <div class="net-growth">
      <svg :viewBox="'0 0 ${WIDTH} ${HEIGHT}'" preserveAspectRatio="none" role="img" :aria-label="words" @click="pick">
        <path v-for="(one, i) in series" :key="one.name" :class="'net-growth-' + i" :d="line(one)"/>
        <path class="net-growth-now" :d="'M' + x(at) + ' 0V${HEIGHT}'"/>
      </svg>
      <div class="small dim">
        <span v-for="(one, i) in series" :key="one.name">
          <i :class="'net-key-' + i"></i>{{ one.name }}, up to {{ most(one) }}
        </span>
      </div>
    </div>`,
  props: { series: Array, at: Number, last: Number },
  emits: ["select"],
  computed: {
    words() {
      return this.series.map((one) => `${one.name} by generation, up to ${this.most(one)}`).join("; ");
    },
  },
  methods: {
    most(one) {
      return Math.max(...one.points.map(([, number]) => number));
    },
    x(generation) {
      return (WIDTH * generation) / Math.max(1, this.last);
    },
    line(one) {
      const most = Math.max(1, this.most(one));
      return one.points
        .map(([generation, number], i) => `${i ? "L" : "M"}${this.x(generation)} ${HEIGHT - 4 - ((HEIGHT - 8) * number) / most}`)
        .join("");
    },
    pick(event) {
      const box = this.$el.querySelector("svg").getBoundingClientRect();
      this.$emit("select", Math.round(((event.clientX - box.left) / box.width) * this.last));
    },
  },
};
