"""Boards and networks as SVG: for notebooks, reports and files, without a browser."""
