"""Both sides by hand, and what a player thinks of every position of the game."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from evoboard.core.errors import EvoboardError
from evoboard.core.options import split_options
from evoboard.games.base import Game
from evoboard.web import theme
from evoboard.web.async_player import has_opinion
from evoboard.web.board.board import Ranks
from evoboard.web.driver import SessionDriver
from evoboard.web.file_dialog import ask_file, ask_game_file
from evoboard.web.game_page import GamePage, Opinion, adviser_name, session_asked_for
from evoboard.web.opponents import (
    FIRST_GAME,
    at_generation,
    offered,
    offers,
    require_offered,
    short_name,
    with_limit,
)
from evoboard.web.player_picker import chosen_generation, generation_field
from evoboard.web.position_dialog import PositionDialog
from evoboard.web.session import PERSON, GameSession
from evoboard.web.site import Site
from evoboard.web.threads import off_loop
from evoboard.web.values import seen_by_first, value_text
from evoboard.web.viewer import Viewer

TITLE, PATH, ICON, ORDER = "Analysis", "/analysis", "query_stats", 20

MOST_RANKS = 5


async def build(site: Site) -> None:
    """Build the page.

    /analysis?t=NAME shows a session, /analysis?game=chess&start=FEN&player=linear a new one.
    """
    page = AnalysisPage(site)
    page.build()
    found, wrong = await off_loop(session_asked_for, site, site.query(), _set_up)
    session, refused = _by_hand(site, found)
    await page.show_session(session, turn=False)
    if wrong or refused:
        page.complain(wrong or refused)


def _by_hand(site: Site, session: GameSession) -> tuple[GameSession, str]:
    """Return a session to be moved by hand: of a game that is being played, a copy.

    Where its adviser cannot be asked, that is left to the page, and it says why.
    """
    if session.seats != (PERSON, PERSON):
        opponent = session.seats[1 - session.person]
        session = site.sessions.copy(session)
        session.adviser = session.adviser or opponent
    told = ""
    try:
        if has_opinion(session.adviser) and require_offered(session.adviser):
            return session, told
    except EvoboardError as error:
        told = str(error)
    session.adviser = ""
    return session, told


def _set_up(site: Site, query: dict[str, str]) -> GameSession:
    game = site.load_game(query.get("game") or site.first_game or FIRST_GAME)
    player = query.get("player", "")
    player = player if has_opinion(player) else _telling(game)
    start = game.parse_state(query["start"]) if query.get("start") else None
    return site.sessions.new(game, start=start, adviser=require_offered(player))


def _telling(game: Game) -> str:
    """Return the first player offered that has an opinion about positions."""
    return next(o.text for o in offered(game) if has_opinion(o.text))


class AnalysisPage(GamePage):
    """The page's elements and what they do."""

    path = PATH

    def build(self) -> None:
        """Build the elements."""
        self.viewer = Viewer(
            on_move=self._moved,
            on_ply=self.refresh,
            on_key=self._pressed,
            keys=("t",),
            play_anywhere=True,
            change=self.change,
        )
        with ui.element("div").classes("game deep"):
            with ui.element("div").classes("stack"):
                self.viewer.build_board(steps=True)
                with theme.card():
                    self.viewer.build_graph()
            with ui.element("div").classes("stack"):
                self._build_tools()
                self.opinion = Opinion()
                with self.opinion.card:
                    self.static = ui.label().classes("small number")
                with theme.card() as moves:
                    moves.classes("grow-moves")
                    self.viewer.build_moves()
                with theme.card() as self.ranks_card:
                    self.ranks = Ranks(self._moved, self._pointed)
        self.position = PositionDialog(self._placed)

    def _build_tools(self) -> None:
        with theme.card():
            with ui.element("div").classes("line tight"):
                self.name = ui.select(self.site.games, on_change=self._game_chosen).classes("grow")
                self.name.props["aria-label"] = "Game"
                theme.icon_button("undo", "Take back (t)", self._take_back)
                theme.icon_button("swap_vert", "Flip (f)", self.viewer.flip)
                self.build_menu(
                    ("Open a game file …", "upload_file", self._ask_game_file),
                    ("Set up or paste a position …", "edit", self.ask_position),
                )
            with ui.element("div").classes("line tight"):
                self.player = ui.select({}, label="Evaluation by", on_change=self._player_chosen)
                self.player.classes("grow")
                self.depth = ui.number("Plies", min=1, max=30, format="%d").style("width: 76px")
                self.depth.on("change", self._depth_chosen)
                theme.icon_button("upload_file", "Load a player or genome file", self._ask_file)
            self.generation = generation_field()
            self.generation.on("change", self._generation_chosen)
            with ui.element("div").classes("line tight"):
                self.typed = ui.input("Type a move").classes("grow").props("maxlength=60")
                self.typed.on("keydown.enter", self._type_move)
        self.build_banner()

    def prepare(self, driver: SessionDriver) -> None:
        """Have the driver ask about every position of the game."""
        driver.examines = True

    async def show_session(self, session: GameSession, *, turn: bool = True) -> None:
        """Show a session, and who can be asked about it."""
        found = await off_loop(offers, session.game)
        shown = {o.text: o.label for o in found if has_opinion(o.text)}
        if not has_opinion(session.adviser):
            session.adviser = ""
        if session.adviser and session.adviser not in shown:
            shown[session.adviser] = short_name(session.adviser)
        self.adviser = session.adviser or next(iter(shown))
        session.adviser = self.adviser
        self.player.set_options(shown, value=self.adviser)
        self._show_depth()
        self.name.set_value(split_options(session.spec)[0])
        await super().show_session(session, turn=turn)

    def refresh(self) -> None:
        """Show what is thought of the position."""
        session = self.session
        if session is None:
            return
        ply = self.viewer.ply
        ended = session.verdict() if self.viewer.live else ""
        self.show_banner(session, session.trouble or session.unsaved or ended)
        thought = session.line[ply].thought
        self.opinion.show(session, ply, adviser_name(session), thought)
        value = session.line[ply].static_eval
        for_side = f" for {session.game.sides[0]}, without search"
        scale = next((node.thought.scale for node in session.line if node.thought), None)
        self.static.set_text("" if value is None else f"{value_text(value, scale)}{for_side}")
        self._refresh_ranks(session, ply)

    def _refresh_ranks(self, session: GameSession, ply: int) -> None:
        thought, state = session.line[ply].thought, session.line[ply].state
        known, scale = (thought.move_values, thought.scale) if thought else ({}, None)
        legal = session.game.legal_moves(state)
        ranked = sorted((m for m in legal if m in known), key=lambda m: -known[m])
        items = [
            (
                session.game.move_label(state, move),
                value_text(seen_by_first(known[move], session.game.side(state)), scale),
                legal.index(move),
            )
            for move in ranked[:MOST_RANKS]
        ]
        self.ranks_card.set_visibility(bool(items))
        self.ranks.show(items, max(0, len(ranked) - MOST_RANKS))

    # --- moves ------------------------------------------------------------------------------

    def _moved(self, index: int) -> None:
        """Play a move at the position shown; another one than before begins a line of its own."""
        session, ply = self.session, self.viewer.ply
        if session is None:
            return
        legal = session.game.legal_moves(session.line[ply].state)
        if 0 <= index < len(legal):
            self._play(session, ply, legal[index])

    def _play(self, session: GameSession, ply: int, move: int) -> None:
        if ply < session.ply and session.line[ply + 1].move == move:
            return self.viewer.go_to(ply + 1)
        try:
            self.change(session.tree.branch, ply, move)
        except EvoboardError as error:
            self.viewer.refresh(anew=True)
            return self.complain(error)
        return self.viewer.go_to(ply + 1)

    def _take_back(self) -> None:
        if self.session and self.session.ply:
            ply = self.session.ply - 1
            self.change(self.session.tree.take_back)
            self.viewer.go_to(ply)

    def _type_move(self) -> None:
        session = self.session
        if session is None or not str(self.typed.value or "").strip():
            return
        state = session.line[self.viewer.ply].state
        with self.complaining():
            move = session.game.parse_move(state, str(self.typed.value))
            self.typed.set_value("")
            self._play(session, self.viewer.ply, move)

    def _pointed(self, index: int | None) -> None:
        """Show the move that is pointed at in the list as an arrow."""
        session = self.session
        if session is None:
            return
        looks = session.tree.view(session.line[self.viewer.ply]).moves
        cells = looks[index].cells if index is not None and 0 <= index < len(looks) else ()
        self.viewer.arrows = [(cells, "line")] if cells else []
        self.viewer.refresh_board()

    def _pressed(self, key: str) -> Any:
        return self._take_back() if key == "t" else None

    # --- game, position, player -------------------------------------------------------------

    async def _game_chosen(self, event: Any) -> None:
        session = self.session
        current = session and split_options(session.spec)[0]
        if event.value and event.value != current:
            made = await off_loop(_set_up, self.site, {"game": str(event.value)})
            await self.show_session(made, turn=False)

    async def _placed(self, state: Any) -> None:
        old = self.session
        if old:
            made = self.site.sessions.new(old.game, start=state, adviser=old.adviser)
            await self.show_session(made, turn=False)

    def _ask_game_file(self) -> None:
        ask_game_file(self.client, self.site, self._game_loaded)

    async def _game_loaded(self, session: GameSession) -> None:
        """Show a file's game; one that players have played is copied, to be moved by hand."""
        made, _ = _by_hand(self.site, session)
        made.adviser = self.adviser if self.session and self.session.game is session.game else ""
        made.save()
        await self.show_session(made)

    def _player_chosen(self, event: Any) -> None:
        if event.value and self.session and event.value != self.adviser:
            self._ask(str(event.value))

    def _show_depth(self) -> None:
        kind, options = split_options(self.adviser)
        self.generation.set_visibility(kind == "run")
        depth = options.get("depth") or ""
        self.depth.set_value(int(depth) if depth.isdecimal() else None)

    def _generation_chosen(self) -> None:
        if self.session and self.player.value:
            wanted = chosen_generation(self.generation)
            self._ask(at_generation(str(self.player.value), wanted))

    def _depth_chosen(self) -> None:
        if self.session and self.player.value and self.depth.value:
            base = at_generation(str(self.player.value), chosen_generation(self.generation))
            limit = "rounds" if base.startswith("mcts") else "depth"
            scale = 1000 if limit == "rounds" else 1
            self._ask(with_limit(base, limit, max(1, min(30, float(self.depth.value))) * scale))

    def _ask(self, text: str) -> None:
        assert self.session is not None
        assert self.driver is not None
        with self.complaining():
            self.adviser = require_offered(text)
            self._show_depth()
            self.session.ask_adviser(text)
            self.driver.wake()

    def _ask_file(self) -> None:
        if self.session:
            ask_file(self.client, self.session.game, self._loaded)

    def _loaded(self, text: str) -> None:
        self._ask(text)
        options = {**dict(self.player.options), text: f"Loaded: {short_name(text)}"}
        self.player.set_options(options, value=text)
