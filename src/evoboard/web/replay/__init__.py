"""Recorded games: finding them in a run, showing them again, and what networks think of them."""
