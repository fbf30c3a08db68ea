"""The controls of a form: one for each entry, which shows what is wrong with its value."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

from nicegui import ui

from evoboard.core.settings import Problem
from evoboard.core.wording import by_file_name
from evoboard.web import theme
from evoboard.web.training.form_values import from_control, put, to_control, value_at
from evoboard.web.training.schema import FormEntry, Place

USUAL = "as usual"  # what is shown where a choice may be left out


class Controls:
    """Controls that fill in a form's values; `on_change` is called with every entry that has a new
    one."""

    def __init__(self, on_change: Callable[[FormEntry, Any], Any]) -> None:
        self.on_change = on_change
        self.values: dict[str, Any] = {}
        self._built: dict[Place, Any] = {}

    def begin(self, values: dict[str, Any]) -> None:
        """Forget all controls, and fill in these values from now on."""
        self.values = values
        self._built.clear()

    def forget(self, keep: Container[Place]) -> None:
        """Forget the controls that are taken away: all but these."""
        self._built = {place: each for place, each in self._built.items() if place in keep}

    def build(self, entry: FormEntry) -> None:
        """Build the control of an entry, with its value."""
        if entry.kind == "tables":
            return self._build_tables(entry)
        value = to_control(entry, value_at(self.values, entry.place))
        if entry.kind == "switch":
            control = self._switch(entry, value)
        elif entry.kind == "choice":
            options = {choice: choice_label(choice) or USUAL for choice in entry.choices}
            if value not in options:
                options[value] = choice_label(str(value))
            control = ui.select(options, label=entry.title, value=value)
            control.on_value_change(lambda event: self._take(entry, event.value, True))
        else:
            control = self._text(entry, value)
        if entry.kind != "switch":
            control.props("hide-bottom-space").classes("full-width")
            if not entry.is_part:
                control.props["hint"] = entry.about
        control.mark(".".join(map(str, entry.place)))
        self._built[entry.place] = control

    def complain(self, problem: Problem) -> bool:
        """Show a problem at the control it is about; tell whether there is one."""
        for length in range(len(problem.place), 0, -1):
            control = self._built.get(problem.place[:length])
            if control is not None and hasattr(control, "error"):
                control.error = problem.text
                control.run_method("focus")
                return True
        return False

    def has(self, place: Place) -> bool:
        """Tell whether there is a control for a place, or for the list it stands in."""
        return any(place[:length] in self._built for length in range(len(place), 0, -1))

    def clear_errors(self) -> None:
        """Take back all complaints."""
        for control in self._built.values():
            if getattr(control, "error", None):
                control.error = None

    def _switch(self, entry: FormEntry, value: Any) -> ui.element:
        with ui.element("div").classes("train-switch"):
            control = ui.switch(entry.title, value=value)
            control.on_value_change(lambda event: self._take(entry, event.value, True))
            ui.label(entry.about).classes("dim small")
        return control

    def _text(self, entry: FormEntry, value: Any) -> Any:
        """Return a field for a number or a text; it is checked when it is left."""
        if entry.kind == "lines":
            control: Any = ui.textarea(f"{entry.title}, one a line", value=value).props("autogrow")
        else:
            control = ui.input(entry.title, value=value).props("autocomplete=off")
            mode = {"whole": "numeric", "number": "decimal"}.get(entry.kind, "text")
            control.props(f"inputmode={mode}")
        control.on_value_change(lambda event: self._take(entry, event.value, False))
        control.on("change", lambda: self.on_change(entry, value_at(self.values, entry.place)))
        return control

    async def _take(self, entry: FormEntry, raw: Any, complete: bool) -> None:
        value = from_control(entry, raw)
        put(self.values, entry.place, value)
        if complete:
            await theme.done(self.on_change(entry, value))

    def _build_tables(self, entry: FormEntry) -> None:
        """Build the rows of a list of tables; they can be added to and removed."""
        box = ui.element("div").classes("train-tables")

        def draw() -> None:
            box.clear()
            with box:
                ui.label(entry.title)
                ui.label(entry.about).classes("dim small")
                rows = value_at(self.values, entry.place) or []
                for number in range(len(rows)):
                    with ui.element("div").classes("train-row"):
                        with ui.element("div").classes("fields"):
                            for column in entry.columns:
                                place = (*entry.place, number, *column.place)
                                self.build(replace(column, place=place))
                        theme.icon_button("close", "Remove", lambda number=number: remove(number))
                theme.button("Add", add, icon="add")

        async def add() -> None:
            rows = list(value_at(self.values, entry.place) or [])
            put(self.values, entry.place, [*rows, _new_row(entry)])
            draw()
            await theme.done(self.on_change(entry, rows))

        async def remove(number: int) -> None:
            rows = list(value_at(self.values, entry.place) or [])
            put(self.values, entry.place, rows[:number] + rows[number + 1 :])
            draw()
            await theme.done(self.on_change(entry, rows))

        draw()


def choice_label(choice: str) -> str:
    """Return a choice as people read it: a user's file by its name alone."""
    return by_file_name(choice) if choice.endswith(".py") else choice.replace("_", " ")


def _new_row(entry: FormEntry) -> dict[str, Any]:
    """Return a row with a value in every column that needs one."""
    row = {}
    for column in entry.columns:
        usual = column.choices[0] if column.choices else 1
        value = usual if column.default is None and not column.optional else column.default
        if value is not None:
            row[str(column.place[-1])] = value
    return row
