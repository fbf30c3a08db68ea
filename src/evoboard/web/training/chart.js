// A chart whose colours are the page's: "$name" anywhere in its options is the style variable
// --name, "$h7" the seventh of many hues; both follow the theme. It is drawn once it has a size.
import { echarts } from "nicegui-echart";

const HUE = 137.508; // the golden angle: neighbours never look alike

function colour(name, styles) {
  const hue = /^h(\d+)$/.exec(name);
  if (!hue) return styles.getPropertyValue(`--${name}`).trim();
  const dark = document.documentElement.dataset.theme === "dark";
  return `hsl(${(100 + hue[1] * HUE) % 360}, ${dark ? 38 : 42}%, ${dark ? 58 : 62}%)`;
}

function coloured(value, styles) {
  if (typeof value === "string" && value[0] === "$") return colour(value.slice(1), styles);
  if (Array.isArray(value)) return value.map((each) => coloured(each, styles));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, coloured(v, styles)]));
}

function numberText(value) {
  if (typeof value !== "number") return "–";
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 3;
  return value.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", "−");
}

// The tip of all series at one generation; those that are nothing there are left out.
function tip(params) {
  const box = document.createElement("div");
  const head = box.appendChild(document.createElement("div"));
  head.textContent = `generation ${Math.round(params[0]?.axisValue ?? 0)}`;
  const rows = params.filter((p) => !p.seriesId.startsWith("band") && p.value[1] !== 0);
  for (const { seriesName, value, color } of rows.slice(0, 14)) {
    const row = box.appendChild(document.createElement("div"));
    row.className = "chart-tip";
    row.appendChild(document.createElement("i")).style.background = color;
    row.appendChild(document.createElement("span")).textContent = seriesName;
    const range = value.length > 3 ? ` (${numberText(value[2])} … ${numberText(value[3])})` : "";
    row.appendChild(document.createElement("b")).textContent = numberText(value[1]) + range;
  }
  return box;
}

// The tip of one cell of a heat map.
function cellTip(options) {
  return ({ value: [column, row, share] }) => {
    const names = options.yAxis.data;
    const next = names[row + 1] ?? Infinity;
    const last = next - 1 > names[row] && next < Infinity ? `–${next - 1}` : "";
    const games = share < 0.001 ? "under 0.1" : numberText(Math.round(share * 1000) / 10);
    const box = document.createElement("div");
    box.textContent = `generation ${options.xAxis.data[column]}: ${games} % of games last ${names[row]}${last} plies`;
    return box;
  };
}

export default {
  template: `<div role="img"></div>`,
  props: { options: Object, enable3d: Boolean, renderer: String, theme: String },
  mounted() {
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(this.$el);
    this.themes = new MutationObserver(() => this.update_chart());
    this.themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  },
  beforeUnmount() {
    this.sizes.disconnect();
    this.themes.disconnect();
    this.chart?.dispose();
  },
  methods: {
    fit() {
      if (!this.$el.clientWidth || !this.$el.clientHeight) return;
      if (this.chart) return this.chart.resize();
      this.chart = echarts.init(this.$el);
      this.update_chart();
    },
    update_chart() {
      if (!this.chart || !this.options.series) return;
      const styles = getComputedStyle(document.documentElement);
      const options = coloured(this.options, styles);
      const tips = { axis: tip, item: cellTip(options) };
      options.tooltip.formatter = tips[options.tooltip.trigger];
      for (const axis of [options.yAxis].flat()) {
        if (axis.type === "value") axis.axisLabel.formatter = numberText;
      }
      // Replacing the series alone leaves a tip and a hidden line as they are.
      this.chart.setOption(options, { replaceMerge: ["series"] });
    },
  },
};
