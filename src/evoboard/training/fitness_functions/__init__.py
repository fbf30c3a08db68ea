"""Fitness as a function of game records, one file per function, found by name."""
