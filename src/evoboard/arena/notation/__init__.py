"""Notations: how the people of a game write whole games down. A new one is one file."""
