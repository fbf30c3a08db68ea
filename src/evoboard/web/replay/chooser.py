"""The part of a page in which one of a run's recorded games is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.store.games import GameFilter
from evoboard.web import theme
from evoboard.web.board.board import chosen
from evoboard.web.network.source import latest_runs
from evoboard.web.replay.recorded import (
    GameRow,
    Kinds,
    kinds_of,
    list_games,
    place_of,
)
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.values import reason_words, score_text

ROWS = 10  # of a page
ALL = "all"  # a choice that filters nothing
# What games were played for, in words.
PURPOSES = {
    "fitness": "fitness",
    "anchor": "fixed opponents",
    "previous": "previous champions",
    "spread": "earlier champions",
}


def purpose_words(purpose: str) -> str:
    """Return what games were played for, in words."""
    return PURPOSES.get(purpose, purpose)


class GameList(ui.element, component="games.js"):
    """A page of games; `on_pick` gets the number of the chosen row."""

    def __init__(self, on_pick: Callable[[int], Any]) -> None:
        super().__init__()
        self._count = 0
        self.props.update(rows=[], sides=["", ""], at=-1)
        self.on("pick", lambda event: chosen(event.args, self._count, on_pick))

    def show(self, rows: Sequence[GameRow], sides: Sequence[str], at: int) -> None:
        """Show the games, row `at` marked."""
        self._count = len(rows)
        shown = []
        for (generation, _, game), labels in rows:
            result, plies = game.record.result, game.record.plies
            why = f"{purpose_words(game.purpose)}: {reason_words(game.record.reason, plies)}"
            shown.append([generation, *labels, result, score_text(result), plies, why])
        self.props.update(rows=shown, sides=list(sides), at=at)
        self.update()


class Chooser(theme.SilentUpdate):
    """Run, filters and a paged list; `on_game` gets run, generation and number of a game."""

    def __init__(self, site: Site, on_game: Callable[[str, int, int], Any]) -> None:
        super().__init__()
        self.site, self.on_game = site, on_game
        self.kinds: Kinds | None = None
        self.rows: list[GameRow] = []
        self.first = self.total = 0
        self.chosen: tuple[int, int] | None = None  # generation and number of the game shown
        self.place: int | None = None  # its number among the wanted games

    def build(self) -> None:
        """Build the elements; the run's own line is the page's."""
        self.run = ui.select({}, label="Run", on_change=self.by_visitor(self._run_chosen)).classes(
            "grow"
        )
        self.run.style("min-width: 0")

    def build_list(self) -> None:
        """Build filters, list and pager."""
        filtered = self.by_visitor(self._filtered)
        with ui.element("div").classes("rp-filters") as self.filters:
            self.generation = ui.select({}, label="Generation", on_change=filtered)
            self.purpose = ui.select({}, label="Played for", on_change=filtered)
            self.player = ui.input("Player").props("debounce=350 clearable maxlength=60")
            self.player.props["placeholder"] = "champion, #2, id, name"
            self.player.on_value_change(self.by_visitor(self._player_typed))
            self.result = ui.select({}, label="Result", on_change=filtered)
        self.list = GameList(self._picked)
        with ui.element("div").classes("rp-pager") as self.pager:
            self.counted = ui.label().classes("dim small number grow")
            self.newer = theme.icon_button("chevron_left", "Page before", lambda: self._turn(-1))
            self.older = theme.icon_button("chevron_right", "Next page", lambda: self._turn(1))
        self.none = theme.Message("dim said", "status")

    # --- runs -------------------------------------------------------------------------------

    async def start(self, run: str, *, choose: bool = True) -> str:
        """Offer the runs, `run` chosen; return its name or "".

        If there is none of that name, `choose` selects the first one with games.
        """
        names = await off_loop(latest_runs)
        chosen = run if run in names else ""
        for name in names if choose and not chosen else ():
            if await self._holds_games(name):
                chosen = name
                break
        chosen = chosen or (names[0] if names and choose else "")
        self.set(lambda: self.run.set_options(names, value=chosen or None))
        await self._open_run(chosen)
        return chosen

    async def _holds_games(self, name: str) -> bool:
        try:
            return bool((await off_loop(kinds_of, name, self.site)).generations)
        except EvoboardError:
            return False

    async def _open_run(self, name: str) -> None:
        self.kinds = None
        told = "There is no run yet; train one on the Train page, or open a game file."
        if self.run.options:
            told = "Choose a run to see its games."
        try:
            self.kinds = await off_loop(kinds_of, name, self.site) if name else None
        except EvoboardError as error:
            told = str(error)
        if self.kinds and not self.kinds.generations:
            told = f"{name} has kept no games; [record] games_every in its settings keeps some."
        empty = not (self.kinds and self.kinds.generations)
        self.none.say(told if empty else "")
        for part in (self.filters, self.list, self.pager):
            part.set_visibility(not empty)
        self.set(self._offer_filters)
        await self._list(0)

    def _offer_filters(self) -> None:
        kinds = self.kinds or Kinds("", ("First", "Second"), [], [])
        generations = {ALL: "All", **{str(g): str(g) for g in kinds.generations}}
        self.generation.set_options(generations, value=ALL)
        words = {purpose: purpose_words(purpose) for purpose in kinds.purposes}
        self.purpose.set_options({ALL: "All", **words}, value=ALL)
        self.player.set_value("")
        self._offer_results()
        self.result.set_value(ALL)

    def _offer_results(self) -> None:
        sides = self.kinds.sides if self.kinds else ("First", "Second")
        results = {ALL: "All", "first": f"{sides[0]} wins", "draw": "Draw"}
        results["second"] = f"{sides[1]} wins"
        if str(self.player.value or "").strip():
            results |= {"won": "The player wins", "lost": "The player loses"}
        chosen = self.result.value if self.result.value in results else ALL
        self.result.set_options(results, value=chosen)

    async def _run_chosen(self, event: Any) -> None:
        if event.value:
            self.chosen = None
            await self._open_run(str(event.value))
            await self.show_first()

    async def show_first(self) -> None:
        """Choose the first game of the list."""
        if self.rows:
            await self._choose(0)

    # --- filters ----------------------------------------------------------------------------

    @property
    def wanted(self) -> GameFilter:
        """What the filters say."""

        def chosen(field: Any) -> str:
            return "" if field.value in (None, ALL) else str(field.value)

        generation = chosen(self.generation)
        return GameFilter(
            int(generation) if generation else None,
            chosen(self.purpose),
            str(self.player.value or ""),
            chosen(self.result),
        )

    async def _filtered(self, _: Any) -> None:
        await self._list(0)

    async def _player_typed(self, _: Any) -> None:
        self.set(self._offer_results)
        await self._list(0)

    async def _turn(self, pages: int) -> None:
        await self._list(max(0, min(self.first + pages * ROWS, self.total - 1)))

    async def _list(self, first: int) -> None:
        """Show the page of games that holds number `first`."""
        run, wanted = str(self.run.value or ""), self.wanted
        if not run or not self.kinds:
            self.rows, self.total = [], 0
            return
        self.first = first - first % ROWS
        with self.complaining():
            self.total, self.rows = await off_loop(list_games, run, wanted, self.first, ROWS)
            self.place = None
            if self.chosen:
                self.place = await off_loop(place_of, run, wanted, *self.chosen)
            self._show_rows()

    def _show_rows(self) -> None:
        sides = self.kinds.sides if self.kinds else ("", "")
        marked = [i for i, row in enumerate(self.rows) if row.kept[:2] == self.chosen]
        self.list.show(self.rows, sides, marked[0] if marked else -1)
        last = min(self.first + ROWS, self.total)
        span = f"{self.first + 1:,}–{last:,} of {self.total:,}" if self.total else "no such game"
        self.counted.set_text(span)
        self.newer.set_enabled(self.first > 0)
        self.older.set_enabled(last < self.total)

    # --- games ------------------------------------------------------------------------------

    async def _picked(self, row: int) -> None:
        if row < len(self.rows):
            await self._choose(self.first + row)

    async def go(self, steps: int) -> None:
        """Choose a neighbour of the game shown."""
        if self.total:
            at = -1 if self.place is None else self.place
            await self._choose(max(0, min(at + steps, self.total - 1)))

    async def _choose(self, place: int) -> None:
        if not self.first <= place < self.first + len(self.rows):
            await self._list(place)
        if self.first <= place < self.first + len(self.rows):
            generation, number, _ = self.rows[place - self.first].kept
            await theme.done(self.on_game(str(self.run.value), generation, number))

    async def mark(self, generation: int, number: int) -> None:
        """Mark the game that is shown, and turn to its page if it is among the wanted ones."""
        self.chosen = (generation, number)
        run = str(self.run.value or "")
        self.place = await off_loop(place_of, run, self.wanted, generation, number)
        if self.place is not None and not 0 <= self.place - self.first < len(self.rows):
            return await self._list(self.place)
        return self._show_rows()

    def unmark(self) -> None:
        """Mark no game: one from elsewhere is shown."""
        self.chosen = self.place = None
        self._show_rows()
