"""Objective grades of players, one file per game that has one, found by the game's name."""
