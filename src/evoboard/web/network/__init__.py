"""Networks to look at: where they come from, how they are laid out, and how they are drawn."""
