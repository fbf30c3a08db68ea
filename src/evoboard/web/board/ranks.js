// The legal moves with their values, the best first. A click emits the move's index, pointing at
// one emits hover with it, and with null when the pointer leaves.
//
// items: [[text, value, index], …]; more: how many are not shown.

export default {
  template: `
    <ol class="ranks" aria-label="Moves by value" @pointerleave="$emit('hover', null)">
      <li v-for="[text, value, index] in items" :key="index">
        <button type="button" @click="$emit('pick', index)" @pointerenter="$emit('hover', index)"
          @focus="$emit('hover', index)" @blur="$emit('hover', null)">
          <span>{{ text }}</span><span>{{ value }}</span>
        </button>
      </li>
      <li v-if="more" class="dim">and {{ more }} more</li>
    </ol>`,
  props: { items: Array, more: Number },
  emits: ["pick", "hover"],
};
