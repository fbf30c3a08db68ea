"""Encoders: a state as the numbers a network sees, one file per family."""
