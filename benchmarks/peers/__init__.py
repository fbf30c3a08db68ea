"""Speeds of software written by others, measured in the same run as ours: one number each."""
