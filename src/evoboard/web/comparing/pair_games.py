"""The games of two players in a tournament, each to be opened in Replay or Analysis."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from evoboard.arena.contest import EndedGame
from evoboard.core.wording import counted
from evoboard.web import theme
from evoboard.web.comparing import saved
from evoboard.web.comparing.tournaments import Tournament
from evoboard.web.site import address
from evoboard.web.threads import off_loop
from evoboard.web.values import reason_words, score_text

MOST = 200  # games that are listed
PLACES = {"Replay": ("slideshow", "/replay"), "Analyse": ("query_stats", "/analysis")}


class PairGames(theme.PagePart):
    """A list of games; it is seen while a pair is chosen."""

    def __init__(self) -> None:
        super().__init__()
        with theme.card() as self.card:
            self.title = ui.label().style("font-weight: 600")
            self.rows = ui.element("div").classes("pair-games")
        self.hide()

    def hide(self) -> None:
        """Show nothing."""
        self.card.set_visibility(False)

    def show(self, tournament: Tournament, names: Sequence[str], pair: tuple[int, int]) -> None:
        """List the games of a pair."""
        self.card.set_visibility(True)
        self.title.set_text(f"{names[pair[0]]} against {names[pair[1]]}")
        found = [each for each in tournament.games() if {each.first, each.second} == set(pair)]
        self.rows.clear()
        with self.rows:
            for ended in found[:MOST]:
                self._add(tournament, ended, names)

    def _add(self, tournament: Tournament, ended: EndedGame, names: Sequence[str]) -> None:
        number, record = ended.number, ended.record
        with ui.element("div").classes("pair-game"):
            ui.label(str(number + 1)).classes("dim number")
            ui.label(f"{names[ended.first]} – {names[ended.second]}").classes("cut")
            ui.label(score_text(record.result)).classes("number")
            plies = counted(record.plies, "ply", "plies")
            why = reason_words(record.reason, record.plies)
            ui.label(why if plies in why else f"{why}, {plies}").classes("dim small cut")
            for word, (icon, path) in PLACES.items():
                made = theme.icon_button(icon, f"{word} game {number + 1}", None)
                made.on("click", lambda path=path: self._open(tournament, number, path))

    async def _open(self, tournament: Tournament, number: int, path: str) -> None:
        """Write the game where other pages find it, and go there."""
        with self.complaining():
            name = await off_loop(saved.write_game, tournament, number)
            with self.client:
                ui.navigate.to(address(path, t=name))
