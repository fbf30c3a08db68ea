"""Players: anything that answers a game with a move, one file per kind, written as text."""
