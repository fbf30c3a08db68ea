"""The browser app: one local server, one page per file in `pages/`."""
