"""Recorded games: those of a run, or one from a file; stepped through, with an evaluation."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui

from evoboard.core.errors import EvoboardError, quoted
from evoboard.core.wording import counted
from evoboard.web import replay, theme
from evoboard.web.file_dialog import ask_game_file
from evoboard.web.folders import game_names
from evoboard.web.game_page import GamePage
from evoboard.web.opponents import short_name
from evoboard.web.replay.chooser import Chooser, purpose_words
from evoboard.web.replay.judge_panel import JudgePanel
from evoboard.web.replay.recorded import Recorded, open_game
from evoboard.web.session import PERSON, GameSession
from evoboard.web.site import Site, address
from evoboard.web.threads import off_loop
from evoboard.web.viewer import Viewer

TITLE, PATH, ICON, ORDER = "Replay", "/replay", "slideshow", 30

STYLE = (Path(replay.__path__[0]) / "replay.css").read_text(encoding="utf-8")
SPEEDS = {0.5: "½×", 1.0: "1×", 2.0: "2×", 4.0: "4×", 8.0: "8×"}  # by plies a second


async def build(site: Site) -> None:
    """Build the page.

    /replay?run=NAME&generation=8&game=3 shows a recorded game, /replay?t=NAME a saved one; both
    take ply=12.
    """
    ui.add_css(STYLE)
    page = ReplayPage(site)
    page.build()
    await page.start(site.query())


class ReplayPage(GamePage):
    """The page's elements and what they do."""

    path = PATH

    def build(self) -> None:
        """Build the elements."""
        self.recorded: Recorded | None = None
        keys = ("p", "n", "b")
        self.viewer = Viewer(on_ply=self._stepped, on_key=self._pressed, keys=keys)
        self.judges = JudgePanel(self.site, self.viewer)
        self.chooser = Chooser(self.site, self._game_chosen)
        with ui.element("div").classes("game replay"):
            with ui.element("div").classes("rp-board") as self.left:
                self.viewer.build_board()
                self._build_steps()
                with theme.card() as graph:
                    graph.classes("rp-graph")
                    self.viewer.build_graph()
            self.trouble = theme.Message("card said rp-trouble")
            with ui.element("div").classes("stack rp-side") as self.side:
                with theme.card() as moves:
                    moves.classes("rp-moves")
                    self.told = ui.label().classes("small dim said")
                    with ui.element("div").classes("line tight rp-others") as self.others:
                        self.other_lines = ui.label().classes("small grow")
                        theme.button("Analyse", self._analyse)
                    self.back = ui.link("Back to its tournament").classes("small")
                    self.viewer.build_moves(steps=False)
                with theme.card():
                    self.judges.build()
            with theme.card() as games:
                games.classes("rp-games")
                with ui.element("div").classes("line tight"):
                    self.chooser.build()
                    theme.icon_button("upload_file", "Open a game file", self.ask_file)
                    self._build_menu()
                self.chooser.build_list()

    def _build_menu(self) -> None:
        self.build_menu(
            ("Analyse this game", "query_stats", self._analyse),
            ("Look into the network", "hub", self._look_inside),
        )

    def _build_steps(self) -> None:
        def build_play() -> None:
            self.play = theme.PlayButton(1.0, self._begin_to_play, self._play_on)
            self.play.button.classes("play")

        with self.viewer.build_steps("rp-steps", build_play):
            theme.icon_button("swap_vert", "Flip (f)", self.viewer.flip)
            with ui.element("div").classes("rp-speed"):
                self.speed = ui.select(SPEEDS, value=1.0, on_change=self._speed_chosen)
                self.speed.props["aria-label"] = self.speed.props["title"] = "Speed"

    # --- which game -------------------------------------------------------------------------

    async def start(self, query: dict[str, str]) -> None:
        """Show what the address asks for; where it asks for no game, the first there is."""
        self._show_parts()
        saved, ply = query.get("t", ""), query.get("ply", "")
        # Next to a game from elsewhere, the games of a run would seem to belong to it.
        run = await self.chooser.start(query.get("run", ""), choose=not saved)
        numbers = [query.get("generation", ""), query.get("game", "")]
        if query.get("run") and query["run"] != run:
            self.complain(f"there is no run {quoted(query['run'])} here.")
        if saved:
            await self._open_saved(saved)
        elif run and all(number.isdecimal() and len(number) < 10 for number in numbers):
            await self._game_chosen(run, int(numbers[0]), int(numbers[1]))
        elif self.chooser.rows:
            await self.chooser.show_first()
        elif not query.get("run"):
            names = await off_loop(game_names)
            if names:
                await self._open_saved(names[0])
        if ply.isdecimal() and len(ply) < 10:
            self.viewer.go_to(int(ply))

    def _show_parts(self) -> None:
        """Show board and moves where there is a game; else what is in its way."""
        for part in (self.left, self.side):
            part.set_visibility(self.session is not None)
        if self.session is not None:
            self.trouble.say("")

    async def _game_chosen(self, run: str, generation: int, number: int) -> None:
        try:
            found = await off_loop(open_game, run, generation, number, self.site)
        except EvoboardError as error:
            return self._stay_away(run, error)
        self.recorded = found
        theme.replace_address(address(PATH, run=run, generation=str(generation), game=str(number)))
        await self.chooser.mark(generation, number)
        return await self.show_session(found.session)

    def _stay_away(self, run: str, error: EvoboardError) -> None:
        """Say why a game cannot be shown; one of another run is no stand-in for it."""
        if self.session is not None and self.recorded and self.recorded.run == run:
            return self.complain(error)
        self.play.stop()
        self.judges.stop()
        self.session = self.recorded = None
        self.trouble.say(str(error))
        return self._show_parts()

    async def _open_saved(self, name: str) -> None:
        """Show a saved game as it is now, without disturbing anyone who plays it."""
        try:
            found = await off_loop(self.site.sessions.find, name)
        except EvoboardError as error:
            return self.complain(error)
        if found is None:
            return self.complain(f"there is no saved game {quoted(name)}.")
        theme.replace_address(address(PATH, t=name))
        return await self._show_file(self.site.sessions.copy(found, found.seats))

    async def _show_file(self, session: GameSession) -> None:
        self.recorded = None
        self.chooser.unmark()
        await self.show_session(session)

    async def show_session(self, session: GameSession, *, turn: bool = True) -> None:
        """Show a game from its start; only the judge thinks here."""
        self.play.stop()
        same = self.session is not None and self.session.game is session.game
        self.session = session
        self._show_parts()
        self.offer_notation(session)
        self.viewer.open(session, 0, turn=turn and not same)
        others = len(session.tree.branches()) - 1
        self.others.set_visibility(others > 0)
        them = "it" if others == 1 else "them"
        self.other_lines.set_text(f"and {counted(others, 'side line')}: Analyse shows {them}")
        self._tell()
        await self.judges.show(session, self.recorded)

    def _attend(self) -> None:
        """Have no player think or move: what is shown here has been played."""

    def _gone(self) -> None:
        self.judges.stop()

    def _tell(self) -> None:
        """Say which game this is, and where in it one is."""
        session = self.session
        if session is None:
            return
        where = f"ply {self.viewer.ply} of {session.ply}"
        if self.recorded:
            kept = self.recorded.row.kept
            purpose = purpose_words(kept.game.purpose)
            what = f"Generation {kept.generation}, {purpose}, game {kept.number + 1}"
        else:
            what = "A saved game" if not any(session.seats) else self._players(session)
        self.told.set_text(f"{what} · {where}")
        tournament = session.tree.tags.get("tournament", "")
        self.back.set_visibility(bool(tournament))
        self.back.props["href"] = address("/compare", c=tournament)

    def _players(self, session: GameSession) -> str:
        people = zip(session.game.sides, session.seats, session.names, strict=True)
        names = [
            name or (side if seat == PERSON else short_name(seat)) for side, seat, name in people
        ]
        return f"Saved game, {' – '.join(names)}"

    # --- stepping and playing ---------------------------------------------------------------

    def _stepped(self) -> None:
        self._tell()
        self.judges.tell()

    def _begin_to_play(self) -> None:
        if self.viewer.live:
            self.viewer.go_to(0)

    def _play_on(self) -> None:
        self.viewer.step("ArrowRight")
        if self.viewer.live:
            self.play.stop()

    def _speed_chosen(self) -> None:
        self.play.timer.interval = 1.0 / float(self.speed.value or 1.0)

    async def _pressed(self, key: str) -> None:
        if key == "p":
            self.play.toggle()
        else:
            await self.chooser.go(1 if key == "n" else -1)

    # --- elsewhere --------------------------------------------------------------------------

    def _analyse(self) -> None:
        self.open_analysis(self.judges.network_text())

    def _look_inside(self) -> None:
        text = self.judges.network_text()
        if self.session is None or not text:
            return self.complain("choose a network as the judge first.")
        state = self.session.game.state_text(self.session.line[self.viewer.ply].state)
        return ui.navigate.to(address("/network", player=text, state=state))

    def ask_file(self) -> None:
        """Ask for a game file and show what it holds."""
        ask_game_file(self.client, self.site, self._loaded)

    async def _loaded(self, session: GameSession) -> None:
        # Kept under a name of its own, so that a reload finds it.
        session.save()
        theme.replace_address(address(PATH, t=session.name))
        await self._show_file(session)
