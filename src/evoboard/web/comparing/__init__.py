"""Tournaments in the browser: played in the background, watched, kept, and opened game by game."""
