"""The laws of games: what every game obeys, how that is tried, and when a game must be."""
