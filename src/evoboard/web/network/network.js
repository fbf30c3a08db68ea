// Draws a network; pointing at something shows its numbers; saves the drawing as SVG or PNG.
//
// data: what anatomy.py says about a network, as JSON text; live: what live.py says about a
// position, or ""; mode: "hidden" (links but the direct ones), "all", "direct", "matrix", "boards";
// signal: links by what they carry in the position, not by their weights; label: which network this is,
// and told: what strength means, both also written into a saved drawing.

import { drawDirect, drawLayer } from "net_boards";
import { STYLE, svg, text } from "net_draw";
import { drawGraph } from "net_graph";
import { drawMatrices } from "net_matrix";

const EDGE = 12, LINE = 18; // around a saved drawing, and of its words
const LETTER = 7.5; // about as wide as a letter of them, in a wide font
const COLOURS = /var\((--[\w-]+)\)/g;

export default {
  template: `
    <div class="net">
      <div class="net-frame" ref="frame"></div>
      <div class="net-tip" ref="tip" hidden><b></b><span></span></div>
    </div>`,
  props: { data: String, live: String, mode: String, signal: Boolean, label: String, told: String },
  mounted() {
    this.svg = svg("svg", { class: "net-svg", role: "img" }, this.$refs.frame);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.unpoint());
    this.watcher = new ResizeObserver(() => {
      if (Math.abs(this.$refs.frame.clientWidth - this.width) > 1) this.draw();
    });
    this.watcher.observe(this.$refs.frame);
    this.draw();
  },
  beforeUnmount() {
    this.watcher.disconnect();
  },
  computed: {
    drawn() {
      return [this.data, this.live, this.mode, this.signal];
    },
  },
  watch: { drawn: "draw" },
  methods: {
    draw() {
      if (!this.svg) return;
      this.unpoint();
      this.svg.replaceChildren();
      this.svg.setAttribute("aria-label", this.label || "network");
      this.width = this.$refs.frame.clientWidth;
      if (!this.data || this.width < 60) return;
      svg("style", {}, this.svg).textContent = STYLE;
      this.root = svg("g", {}, this.svg);
      const data = JSON.parse(this.data), live = this.live ? JSON.parse(this.live) : null;
      const how = { width: this.width, mode: this.mode, signal: this.signal };
      this.view = this.drawMode(data, live, how);
      this.above = svg("g", {}, this.svg);
      const height = Math.ceil(this.view.height);
      for (const [name, value] of Object.entries({ width: this.width, height, viewBox: `0 0 ${this.width} ${height}` }))
        this.svg.setAttribute(name, value);
    },

    drawMode(data, live, how) {
      if (this.mode === "direct") return drawDirect(this.root, data, live, how);
      if (this.mode === "boards") return drawLayer(this.root, data, live, how);
      if (this.mode === "matrix") return drawMatrices(this.root, data, live, how);
      return drawGraph(this.root, data, live, how);
    },

    // --- pointing --------------------------------------------------------------------------

    point(event) {
      const frame = this.svg.getBoundingClientRect(), scale = this.width / frame.width;
      const [x, y] = [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
      const found = this.view?.hit(x, y) || null;
      if (found?.key !== this.pointed) {
        this.unpoint();
        if (found) this.mark(found);
      }
      if (found) this.placeTip(event.clientX, event.clientY);
    },

    mark(found) {
      this.pointed = found.key;
      const [title, rest] = this.$refs.tip.children;
      title.textContent = found.title;
      rest.textContent = found.lines.filter(Boolean).join(" · ");
      this.$refs.tip.hidden = false;
      if (found.box) {
        const [x, y, width, height] = found.box;
        svg("rect", { class: "net-mark", x, y, width, height }, this.above);
      }
      if (found.ring) svg("circle", { class: "net-mark", cx: found.ring[0], cy: found.ring[1], r: found.ring[2] }, this.above);
      if (found.lit) this.light(found.lit);
    },

    light(wanted) {
      this.root.classList.add("picking");
      this.view.lines.forEach((line, i) => line.classList.toggle("lit", wanted(this.view.links[i])));
    },

    unpoint() {
      this.pointed = undefined;
      if (!this.$refs.tip) return;
      this.$refs.tip.hidden = true;
      this.root?.classList.remove("picking");
      this.above?.replaceChildren();
    },

    // Beside the pointer, inside the page.
    placeTip(x, y) {
      const tip = this.$refs.tip, box = this.$el.getBoundingClientRect(), size = tip.getBoundingClientRect();
      const left = Math.max(4, Math.min(x - box.left + 14, box.width - size.width - 4));
      const above = y - box.top - size.height - 12;
      tip.style.left = `${left}px`;
      tip.style.top = `${above > 0 ? above : y - box.top + 18}px`;
    },

    // --- saving ----------------------------------------------------------------------------

    // The drawing as a file of its own: with its colours written out, on the page's background.
    fileText() {
      this.unpoint();
      const copy = this.svg.cloneNode(true), style = getComputedStyle(this.svg);
      const colour = (name) => style.getPropertyValue(name).trim();
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      copy.removeAttribute("class");
      copy.querySelector("style").textContent = STYLE.replace(COLOURS, (_, name) => colour(name));
      const title = svg("title"), drawn = Math.ceil(this.view.height);
      const head = lines(this.label, this.width), foot = lines(this.told, this.width);
      const [left, top, width] = [-EDGE, -EDGE - LINE * head.length, this.width + 2 * EDGE];
      const height = drawn + 2 * EDGE + LINE * (head.length + foot.length + 1);
      title.textContent = this.label;
      head.forEach((words, i) => text(copy, 0, top + EDGE + LINE * (i + 0.7), words, i ? "" : "strong"));
      this.writeSigns(copy, drawn + LINE * 0.7);
      foot.forEach((words, i) => text(copy, 0, drawn + LINE * (i + 1.7), words, "dim"));
      for (const [name, value] of Object.entries({ width, height, viewBox: `${left} ${top} ${width} ${height}` }))
        copy.setAttribute(name, value);
      const back = svg("rect", { x: left, y: top, width, height, fill: colour("--surface") });
      copy.prepend(title, back);
      return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
    },

    // What the colours mean, as below the drawing on the page.
    writeSigns(parent, y) {
      ["positive", "negative"].forEach((word, i) => {
        svg("rect", { class: i ? "net-neg" : "net-pos", x: 90 * i, y: y - 7, width: 22, height: 4, rx: 2 }, parent);
        text(parent, 90 * i + 28, y, word, "dim");
      });
    },

    saveSvg(name) {
      this.save(new Blob([this.fileText()], { type: "image/svg+xml" }), `${name}.svg`);
    },

    savePng(name) {
      const address = URL.createObjectURL(new Blob([this.fileText()], { type: "image/svg+xml" }));
      const image = new Image(), scale = 2;
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = image.width * scale;
        canvas.height = image.height * scale;
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(address);
        canvas.toBlob((blob) => this.save(blob, `${name}.png`), "image/png");
      };
      image.src = address;
    },

    save(blob, name) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
  },
};

// Words in lines that are not much wider than so many pixels.
function lines(words, width) {
  const found = [""];
  for (const word of words.split(" ")) {
    if (found.at(-1) && (found.at(-1).length + word.length + 1) * LETTER > width) found.push("");
    found.push(`${found.pop()} ${word}`.trim());
  }
  return found;
}
