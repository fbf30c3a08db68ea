// Ratings with their intervals, and the cross-table. A click on a cell emits pair [row, column].
//
// rows: [{ player, place, name, elo, interval, points, left, width, dot, cells: [{ text, tint, at }] }, …]
// in the order of the ratings; left, width and dot are per cent of the scale; at is the pair or null.

export default {
  template: `
    <div class="standings">
      <table class="ratings" aria-label="Ratings">
        <thead><tr><th></th><th>player</th><th class="right">Elo, 95 %</th><th></th>
          <th class="right">points</th></tr></thead>
        <tbody><tr v-for="row in rows" :key="row.player">
          <td class="dim">{{ row.place }}</td>
          <td class="who"><span>{{ row.name }}</span></td>
          <td class="right"><b>{{ row.elo }}</b><small class="dim">{{ row.interval }}</small></td>
          <td class="scale"><div><i v-if="zero !== null" class="zero" :style="{ left: zero + '%' }"></i>
            <i v-if="row.width > 0" class="whisker" :style="{ left: row.left + '%', width: row.width + '%' }"></i>
            <i v-if="row.dot !== null" class="dot-mark" :style="{ left: row.dot + '%' }"></i></div></td>
          <td class="right">{{ row.points }}</td>
        </tr></tbody>
      </table>
      <div class="cross-box" tabindex="0" role="region" aria-label="Cross-table"><table class="cross">
        <thead><tr><th></th><th></th><th v-for="row in rows" :key="row.player">{{ row.place }}</th></tr></thead>
        <tbody><tr v-for="row in rows" :key="row.player">
          <td class="dim">{{ row.place }}</td>
          <th scope="row"><span>{{ row.name }}</span></th>
          <td v-for="(cell, i) in row.cells" :key="i">
            <button v-if="cell.at" type="button" :class="{ on: cell.at[0] === at[0] && cell.at[1] === at[1] }"
              :style="{ background: tint(cell.tint) }" :title="cell.title" @click="$emit('pair', cell.at)">
              {{ cell.text }}</button>
            <span v-else class="dim">{{ cell.text }}</span>
          </td>
        </tr></tbody>
      </table></div>
    </div>`,
  props: { rows: Array, zero: Number, at: Array },
  emits: ["pair"],
  methods: {
    // 0 lost all, 1 won all: the further from the middle, the stronger the colour.
    tint(share) {
      if (share === null) return "transparent";
      const colour = share >= 0.5 ? "var(--s0)" : "var(--s4)";
      return `color-mix(in srgb, ${colour} ${Math.round(Math.abs(share - 0.5) * 70)}%, transparent)`;
    },
  },
};
