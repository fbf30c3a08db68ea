"""The papers' experiments and some of our own, one TOML file each; `catalog` finds them."""
