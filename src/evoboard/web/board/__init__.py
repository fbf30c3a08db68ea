"""The board as an element of a page: JavaScript that draws, and its Python side."""
