"""Searches: how a player finds its move, one file each, generic over game, encoder and network."""
