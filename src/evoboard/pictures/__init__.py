"""Boards, networks and charts as SVG, for notebooks and files; reports as HTML."""
