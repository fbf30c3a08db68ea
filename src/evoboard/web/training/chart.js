// A chart whose colours are the page's: "$name" anywhere in its options is the style variable
// --name, "$h7" the seventh of many hues; both follow the theme. It is drawn once it has a size.
// options.unit: "elo" or "share" (of 1), how values are written.
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

function plain(value) {
  if (typeof value !== "number") return "–";
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 3;
  return value.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", "−");
}

const WRITTEN = {
  elo: (value) => (Math.round(value) > 0 ? "+" : "") + plain(Math.round(value)),
  share: (value) => `${Math.round(100 * value)}%`,
};

// A value with its interval; of a perfect score only one end is known.
function measuredText([, value, low, high, bound], text) {
  if (low === undefined) return text(value);
  if (bound > 0) return `> ${text(low)}, won every game`;
  if (bound < 0) return `< ${text(high)}, lost every game`;
  return `${text(value)} (${text(low)} … ${text(high)})`;
}

// The tip of all series at one generation; those that are nothing there are left out.
function tip(text) {
  return (params) => {
    const box = document.createElement("div");
    const head = box.appendChild(document.createElement("div"));
    head.textContent = `generation ${Math.round(params[0]?.axisValue ?? 0)}`;
    const rows = params.filter((p) => p.seriesId.startsWith("line") && (p.value[1] !== 0 || p.value.length > 2));
    for (const { seriesId, value, color } of rows.slice(0, 14)) {
      const row = box.appendChild(document.createElement("div"));
      row.className = "chart-tip";
      row.appendChild(document.createElement("i")).style.background = color;
      row.appendChild(document.createElement("span")).textContent = seriesId.slice("line ".length);
      row.appendChild(document.createElement("b")).textContent = measuredText(value, text);
    }
    return box;
  };
}

// The tip of one cell of a heat map.
function cellTip(options) {
  return ({ value: [column, row, share] }) => {
    const names = options.yAxis.data;
    const next = names[row + 1] ?? Infinity;
    const last = next - 1 > names[row] && next < Infinity ? `–${next - 1}` : "";
    const games = share < 0.001 ? "under 0.1" : plain(Math.round(share * 1000) / 10);
    const box = document.createElement("div");
    box.textContent = `generation ${options.xAxis.data[column]}: ${games}% of games last ${names[row]}${last} plies`;
    return box;
  };
}

// An interval as an upright bar with its ends; an end beyond the chart is an arrow.
function bar(params, api) {
  const { y: top, height } = params.coordSys;
  const [middle, low] = api.coord([api.value(0), api.value(2)]);
  const x = middle + api.value(5);
  const high = api.coord([api.value(0), api.value(3)])[1];
  const bound = api.value(4);
  const ends = [
    { at: Math.min(low, top + height), open: low > top + height || bound < 0, to: -1 },
    { at: Math.max(high, top), open: high < top || bound > 0, to: 1 },
  ];
  if (bound > 0) ends[1].at = top;
  if (bound < 0) ends[0].at = top + height;
  const style = { stroke: api.visual("color"), lineWidth: 1.5, fill: "none", opacity: 0.65 };
  const lines = ends.map(({ at, open, to }) => {
    const points = open ? [[x - 4, at + 6 * to], [x, at], [x + 4, at + 6 * to]] : [[x - 4, at], [x + 4, at]];
    return { type: "polyline", shape: { points }, style };
  });
  const stem = { type: "line", shape: { x1: x, y1: ends[0].at, x2: x, y2: ends[1].at }, style };
  return { type: "group", children: [stem, ...lines] };
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
      const { unit, ...options } = coloured(this.options, styles);
      const text = WRITTEN[unit] ?? plain;
      options.tooltip.formatter = options.tooltip.trigger === "axis" ? tip(text) : cellTip(options);
      if (options.yAxis.type === "value") options.yAxis.axisLabel.formatter = text;
      for (const series of options.series) {
        if (series.type === "custom") series.renderItem = bar;
      }
      if (this.counted !== options.yAxis.name) this.chart.clear(); // another chart than before
      this.counted = options.yAxis.name;
      // Replacing the series alone leaves a tip and a hidden line as they are.
      this.chart.setOption(options, { replaceMerge: ["series"] });
    },
  },
};
