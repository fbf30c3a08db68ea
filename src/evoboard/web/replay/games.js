// A page of recorded games to choose from; a click emits the number of the row.
//
// rows: [[generation, first, second, result, score, plies, title], …]; at: the row shown now, or -1.

export default {
  template: `
    <table class="rg" aria-label="Recorded games">
      <thead>
        <tr><th>Gen.</th><th>{{ sides[0] }}</th><th>{{ sides[1] }}</th><th>Result</th><th>Plies</th></tr>
      </thead>
      <tbody>
        <tr v-for="([generation, first, second, result, score, plies, title], i) in rows" :key="i" :title="title" tabindex="0"
          :class="{ now: i === at }" :aria-selected="i === at" @click="$emit('pick', i)" @keydown.enter="$emit('pick', i)">
          <td>{{ generation }}</td>
          <td :class="{ won: result > 0 }">{{ first }}</td>
          <td :class="{ won: result < 0 }">{{ second }}</td>
          <td>{{ score }}</td>
          <td>{{ plies }}</td>
        </tr>
      </tbody>
    </table>`,
  props: { rows: Array, sides: Array, at: Number },
  emits: ["pick"],
};
