"""A chart as an element of a page; its options may name the page's colours, see chart.js."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

STYLE = (Path(__file__).parent / "training.css").read_text(encoding="utf-8")


class Chart(ui.echart, component="chart.js"):
    """Draws options of ECharts in the page's colours."""

    def __init__(self) -> None:
        super().__init__({})
        self.classes("chart")

    def show(self, options: dict[str, Any], label: str) -> None:
        """Show a chart; the label is read aloud."""
        self.props["aria-label"] = label
        self.props["options"] = options
        self.update()
