"""NEAT's mutations, one file each; `base` has what they promise."""
