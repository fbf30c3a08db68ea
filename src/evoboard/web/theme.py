"""The shell of every page, and the few building blocks pages are made of.

The look is in theme.css; classes worth knowing: `card`, `stack` (one below the other), `line`
(side by side), `dim`, `small`, `number`. There is no Tailwind.
"""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.web.board.board import STYLE

CSS = (Path(__file__).parent / "theme.css").read_text(encoding="utf-8")
SCRIPT = (Path(__file__).parent / "shell.js").read_text(encoding="utf-8")
LOGO = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><rect x="1" y="1" width="22" height="22" rx="5" '
    'fill="#4a7d3a"/><path d="M1 12h11V1h6a5 5 0 0 1 5 5v6H12v11H6a5 5 0 0 1-5-5z" fill="#b9d3a6"/>'
    '<circle cx="12" cy="12" r="4.2" fill="#fff" stroke="#2d2b29" stroke-width="1.4"/></svg>'
)
FAVICON = LOGO.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')


def head(boot: str) -> str:
    """Return what every page has in its head; `boot` identifies one start of the server."""
    return (
        f"<style>{CSS}{STYLE}</style><script>const EVOBOARD_BOOT = {json.dumps(boot)};\n{SCRIPT}"
        "</script>"
    )


def set_defaults() -> None:
    """Make Quasar's controls plain: no capitals, no shadows, compact fields."""
    ui.button.default_props("no-caps unelevated")
    for field in (ui.input, ui.number, ui.select, ui.textarea):
        field.default_props("outlined dense")
    ui.toggle.default_props("no-caps unelevated")
    ui.switch.default_props("dense")


@contextmanager
def shell(pages: list[Any], here: Any) -> Iterator[None]:
    """Build header and navigation; what follows is the page.

    It is sent before it is built where that takes a while; until then, "Loading" stands there.
    """
    with ui.element("header").classes("top"):
        with ui.element("a").classes("brand").props('href="/"'):
            ui.html(LOGO, sanitize=False)
            ui.label("evoboard")
        with ui.element("nav").classes("nav").props('aria-label="Pages"'):
            for page in pages:
                marked = ' aria-current="page"' if page is here else ""
                link = ui.element("a").props(f'href="{page.PATH}" data-page{marked}')
                with link.classes("here" if page is here else ""):
                    ui.icon(page.ICON).props('aria-hidden="true"')
                    ui.label(page.TITLE)
        switch = icon_button("contrast", "Light, dark, or as the system", None)
        switch.on("click", js_handler="() => evoboard.nextTheme()")
    with ui.element("main").classes("page loading") as main:
        try:
            yield
        finally:
            set_class(main, "loading", False)


@contextmanager
def card(title: str = "") -> Iterator[ui.element]:
    """Build a card, with a small heading where it has one."""
    with ui.element("section").classes("card stack") as made:
        if title:
            heading(title)
        yield made


def heading(text: str, level: int = 2) -> ui.element:
    """Return a heading."""
    made = ui.element(f"h{level}")
    with made:
        ui.label(text)
    return made


def button(
    text: str, act: Callable[..., Any] | None, *, icon: str = "", main: bool = False
) -> ui.button:
    """Return a button with a text."""
    made = ui.button(text, on_click=act, icon=icon or None, color=None)
    return made.classes("main" if main else "plain")


def icon_button(icon: str, label: str, act: Callable[..., Any] | None) -> ui.button:
    """Return a button that is only an icon; its label is its tooltip and is read aloud."""
    made = ui.button(icon=icon, on_click=act, color=None).props("flat").classes("icon")
    made.props["aria-label"] = label
    made.props["title"] = label
    return made


@contextmanager
def dialog(title: str) -> Iterator[ui.dialog]:
    """Build a dialog with a heading; `dialog_buttons` ends it."""
    with ui.dialog() as made, ui.element("div").classes("card stack"):
        heading(title)
        yield made


def dialog_buttons(
    within: ui.dialog, text: str = "", act: Callable[..., Any] | None = None, close: str = "Cancel"
) -> ui.button:
    """Build the last line of a dialog; return the button that acts, else the one that closes it."""
    with ui.element("div").classes("line"):
        ui.element("span").classes("grow")
        made = button(close, within.close)
        return button(text, act, main=True) if text else made


def choice_list(items: Iterable[tuple[str, str, Callable[[], Any]]]) -> None:
    """Build a list of things to choose: a title, details, and what choosing it does."""
    with ui.list().props("dense separator").classes("saved-games"):
        for title, details, act in items:
            with ui.item(on_click=act), ui.item_section():
                ui.item_label(title)
                ui.item_label(details).props("caption").classes("number")


class Message(ui.label):
    """A sentence, seen while there is something to say."""

    def __init__(self, classes: str = "small said", role: str = "alert") -> None:
        super().__init__()
        self.classes(classes).props(f'role="{role}"')
        self.say("")

    def say(self, text: str) -> None:
        """Say something, or nothing."""
        self.set_text(text)
        self.set_visibility(bool(text))


class ProgressBar:
    """A thin bar that shows how far something is."""

    def __init__(self) -> None:
        with ui.element("div").classes("thin") as self.bar:
            self.done = ui.element("div")

    def show(self, share: float, *, seen: bool = True, known: bool = True) -> None:
        """Show a share from 0 to 1, or just that something is going on if it is not `known`."""
        self.done.style(f"width: {100 * min(1.0, share):.1f}%")
        set_class(self.bar, "unknown", not known)
        self.bar.set_visibility(seen)


class PlayButton:
    """A button that plays something step by step, and pauses; `on_step` is called at each.

    `on_begin` is called first.
    """

    def __init__(
        self,
        seconds: float,
        on_begin: Callable[[], Any],
        on_step: Callable[[], Any],
        labels: tuple[str, str] = ("Play (p)", "Pause (p)"),
    ) -> None:
        self.on_begin, self.labels = on_begin, labels
        self.button = icon_button("play_arrow", labels[0], self.toggle)
        self.timer = ui.timer(seconds, on_step, active=False)

    def toggle(self) -> None:
        """Play, or pause."""
        if not self.timer.active:
            self.on_begin()
        self._show(not self.timer.active)

    def stop(self) -> None:
        """Pause."""
        self._show(False)

    def _show(self, plays: bool) -> None:
        self.timer.active = plays
        icon, label = "pause" if plays else "play_arrow", self.labels[plays]
        self.button.props.update({"icon": icon, "aria-label": label, "title": label})
        self.button.update()


def set_class(element: ui.element, name: str, on: bool) -> None:
    """Give an element a class, or take it away."""
    element.classes(add=name if on else "", remove="" if on else name)


async def done(answer: Any) -> None:
    """Await what a callback returned, if it is awaitable."""
    if inspect.isawaitable(answer):
        await answer


def complain(error: Exception | str) -> None:
    """Show what went wrong, as text."""
    # At the top: below are the board, which must not be covered, and a phone's navigation.
    where: Any = "top"
    ui.notify(
        str(error),
        position=where,
        type="warning",
        multi_line=True,
        timeout=9000,
        close_button="OK",
        group="complaint",  # the latest takes the place of the one before
        badgeClass="hidden",
    )


def replace_address(path: str) -> None:
    """Change the address in the browser's bar; a reload then shows the same."""
    ui.run_javascript(f"evoboard.replaceAddress({json.dumps(path)})")


class PagePart:
    """A page, or a part of one, that belongs to a visitor."""

    def __init__(self) -> None:
        self.client = ui.context.client

    def complain(self, error: Exception | str) -> None:
        """Show what went wrong to this page's visitor."""
        with self.client:
            complain(error)

    @contextmanager
    def complaining(self) -> Iterator[None]:
        """Show an expected error instead of raising it; the rest of the block is skipped."""
        try:
            yield
        except (EvoboardError, OSError) as error:
            self.complain(error)


class LateDialog(PagePart, ABC):
    """A dialog that is built when it is first opened: most visitors never see it."""

    def __init__(self) -> None:
        super().__init__()
        self._built = False

    @abstractmethod
    def build(self) -> None:
        """Build the elements."""

    def build_once(self) -> None:
        """Build the elements, unless they are there."""
        if not self._built:
            with self.client:
                self.build()
            self._built = True


class SilentUpdate(PagePart):
    """A part of a page that can tell its own changes from the visitor's."""

    def __init__(self) -> None:
        super().__init__()
        self._setting = False

    def by_visitor(self, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a handler that ignores events while the page itself sets its elements."""
        return lambda event: None if self._setting else act(event)

    def set(self, act: Callable[[], Any]) -> None:
        """Set elements without taking that for a visitor's choice."""
        self._setting = True
        try:
            act()
        finally:
            self._setting = False
