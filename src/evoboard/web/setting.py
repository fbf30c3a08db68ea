"""Parts of pages that set elements of their own: what the page sets is no visitor's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.web import theme


class SettingPart:
    """A part of a visitor's page that tells its own settings from the visitor's."""

    def __init__(self) -> None:
        self.client = ui.context.client
        self._setting = False

    def by_visitor(self, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a handler that is deaf while the page itself sets its elements."""
        return lambda event: None if self._setting else act(event)

    def set(self, act: Callable[[], Any]) -> None:
        """Set elements without taking that for a visitor's choice."""
        self._setting = True
        try:
            act()
        finally:
            self._setting = False

    def complain(self, error: EvoboardError | str) -> None:
        """Show what went wrong to this page's visitor."""
        with self.client:
            theme.complain(error)
