// The legal moves with their values, the best first. A click emits the move's index, pointing at
// one emits hover with it, and with null when the pointer leaves.
//
// items: [[text, value, index], …]; more: how many are not shown.

export default {
  template: `
    <table class="ranks" aria-label="Moves by value" @pointerleave="$emit('hover', null)">
      <tr v-for="[text, value, index] in items" :key="index" @pointerenter="$emit('hover', index)">
        <td><button type="button" @click="$emit('pick', index)">{{ text }}</button></td>
        <td>{{ value }}</td>
      </tr>
      <tr v-if="more"><td class="dim" colspan="2">and {{ more }} more</td></tr>
    </table>`,
  props: { items: Array, more: Number },
  emits: ["pick", "hover"],
};
