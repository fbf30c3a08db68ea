"""Players: anything that answers a position with a move, one file per kind, written as text."""
