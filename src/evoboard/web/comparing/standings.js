// Ratings with their intervals on a scale, and the cross-table. A click on a cell emits pair [row, column].
//
// rows: [{ player, place, name, elo, interval, points, left, width, dot, open, cells: [{ text, tint, at }] }, …]
// in the order of the ratings; left, width and dot are per cent of the scale; open: whether an interval goes on
// beyond either end of it; at is the pair or null. ticks: [{ at, text }, …], at in per cent.

export default {
  template: `
    <div class="standings">
      <table class="ratings" aria-label="Ratings">
        <thead><tr><th></th><th>player</th><th class="right">Elo<small>95% interval</small></th>
          <th class="scale" aria-hidden="true"><div><i v-for="tick in ticks" :key="tick.at" class="tick-text"
            :style="{ left: tick.at + '%' }">{{ tick.text }}</i></div></th>
          <th class="right">points</th></tr></thead>
        <tbody><tr v-for="row in rows" :key="row.player">
          <td class="dim">{{ row.place }}</td>
          <td class="who"><span :title="row.name">{{ row.name }}</span></td>
          <td class="right elo"><b>{{ row.elo }}</b><small class="dim">{{ row.interval }}</small></td>
          <td class="scale" :title="row.elo + ', ' + row.interval"><div>
            <i v-for="tick in ticks" :key="tick.at" class="tick" :class="{ zero: tick.text === '0' }"
              :style="{ left: tick.at + '%' }"></i>
            <i v-if="row.width > 0" class="whisker" :class="{ 'open-left': row.open[0], 'open-right': row.open[1] }"
              :style="{ left: row.left + '%', width: row.width + '%' }"></i>
            <i v-if="row.dot !== null" class="dot-mark" :style="{ left: row.dot + '%' }"></i></div></td>
          <td class="right points">{{ row.points }}</td>
        </tr></tbody>
      </table>
      <div>
        <div class="dim small">Points of each player against each other one. Choose a cell to see its games.</div>
        <div class="cross-box" tabindex="0" role="region" aria-label="Cross-table"><table class="cross">
          <thead><tr><th></th><th></th><th v-for="row in rows" :key="row.player">{{ row.place }}</th></tr></thead>
          <tbody><tr v-for="row in rows" :key="row.player">
            <td class="dim">{{ row.place }}</td>
            <th scope="row"><span :title="row.name">{{ row.name }}</span></th>
            <td v-for="(cell, i) in row.cells" :key="i">
              <button v-if="cell.at" type="button" :class="{ on: cell.at[0] === at[0] && cell.at[1] === at[1] }"
                :aria-label="cell.title + '; show the games'" :style="{ background: tint(cell.tint) }" :title="cell.title"
                @click="$emit('pair', cell.at)">{{ cell.text }}</button>
              <span v-else class="dim">{{ cell.text }}</span>
            </td>
          </tr></tbody>
        </table></div>
      </div>
    </div>`,
  props: { rows: Array, ticks: Array, at: Array },
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
