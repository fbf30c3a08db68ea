"""Look inside a network: its graph with the inputs as the board, and what it computes now."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from evoboard.arena.game_text import game_spec
from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError
from evoboard.pictures.anatomy import anatomy, summary
from evoboard.pictures.inputs import Arrangement, arrange_inputs
from evoboard.players.network import PlayerNetwork
from evoboard.web import theme
from evoboard.web.board.board import Board, room_of
from evoboard.web.file_dialog import ask_network
from evoboard.web.network.element import STYLE, NetworkView, live_data
from evoboard.web.network.generation_slider import GenerationSlider
from evoboard.web.network.source import choices, load
from evoboard.web.network.words import described, legend, modes_of, said
from evoboard.web.opponents import at_generation
from evoboard.web.site import Site, address
from evoboard.web.threads import off_loop

TITLE, PATH, ICON, ORDER = "Network", "/network", "hub", 40


async def build(site: Site) -> None:
    """Build the page: /network?player=run:NAME&generation=8&state=TEXT (or run=NAME)."""
    ui.add_css(STYLE)
    query = site.query()
    page = NetworkPage(site)
    page.build()
    known = await off_loop(choices)
    wanted = query.get("player") or (f"run:{query['run']}" if query.get("run") else "")
    generation = query.get("generation", "")
    if wanted and generation.isdecimal():
        wanted = at_generation(wanted, int(generation))
    await page.start(known, wanted, query.get("state", ""))


def _opened(text: str, site: Site) -> tuple[PlayerNetwork, Arrangement, dict[str, Any]]:
    shown = load(text, site)
    inputs = arrange_inputs(shown.game, shown.encoder)
    return shown, inputs, anatomy(shown.network, shown.outputs, inputs)


class NetworkPage(theme.SilentUpdate):
    """The page's elements and what they do."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site, self.main = site, ui.context.slot.parent
        self.generations = GenerationSlider(self._go_to_generation)
        self.shown: PlayerNetwork | None = None
        self.inputs: Arrangement | None = None
        self.states: list[Array] = []
        self.asked = 0  # the number of the latest question; answers to older ones are dropped

    def build(self) -> None:
        """Build the elements."""
        with ui.element("div").classes("net-page"):
            with theme.card() as choose:
                choose.classes("net-choose")
                self._build_choice()
            with theme.card() as main:
                main.classes("net-main")
                self._build_drawing()
            with theme.card("Position") as position:
                position.classes("net-position")
                self._build_position()

    def _build_choice(self) -> None:
        with ui.element("div").classes("line tight"):
            chosen = self.by_visitor(self._player_chosen)
            self.player = ui.select({}, label="Network of", on_change=chosen)
            self.player.classes("grow").style("min-width: 0")
            theme.icon_button("upload_file", "Load a player, network or genome", self._ask_file)
        self.generations.build()
        self.facts = ui.label().classes("small dim")

    def _build_drawing(self) -> None:
        with ui.element("div").classes("line"):
            self.mode = ui.toggle({}, on_change=self.by_visitor(self._show_mode))
            ui.element("span").classes("grow")
            self.signal = ui.switch("Signals", on_change=self.by_visitor(self._show_mode))
            self.signal.props["title"] = (
                "Show what each link carries in this position, not its weight"
            )
            with theme.icon_button("download", "Save the drawing", None), ui.menu():
                for form in ("svg", "png"):
                    ui.menu_item(f"As {form.upper()}", on_click=lambda f=form: self._save(f))
        self.view = NetworkView()
        with ui.element("div").classes("net-legend"):
            for colour, name in (("pos", "positive"), ("neg", "negative")):
                with ui.element("span"):
                    ui.element("i").style(f"background: var(--net-{colour})")
                    ui.label(name).style("display: inline")
            self.legend = ui.label()

    def _build_position(self) -> None:
        self.board = Board(on_move=self._moved)
        self.value = ui.label().classes("number").style("font-weight: 600")
        with ui.element("div").classes("line tight"):
            self.text = ui.input("Paste a position").classes("grow").props("maxlength=400")
            self.text.on("keydown.enter", self._position_typed)
            self.text.on("blur", self._position_typed)
            theme.icon_button("undo", "Take back", self._take_back)
            theme.icon_button("restart_alt", "Start position", self._restart)
            theme.icon_button("query_stats", "Analyse this position", self._analyse)

    # --- which network ------------------------------------------------------------------------

    async def start(self, known: dict[str, str], wanted: str, state: str) -> None:
        """Show the network that is asked for, else the first there is."""
        base = at_generation(wanted, None)
        options = {**known} if not base or base in known else {base: base, **known}
        self.set(lambda: self.player.set_options(options, value=base or next(iter(options))))
        if not await self.open(wanted or next(iter(options)), state):
            shipped = next(text for text in known if text.startswith("champion:"))
            self.set(lambda: self.player.set_options(known, value=shipped))
            await self.open(shipped)

    async def open(self, text: str, state: str = "") -> bool:
        """Show a player's network, False where that cannot be; the position stays if it can."""
        self.asked += 1
        mine = self.asked
        try:
            shown, inputs, drawn = await off_loop(_opened, text, self.site)
        except EvoboardError as error:
            self.complain(error)
            return False
        if mine != self.asked:
            return True
        self._place(shown, state)
        # Another network of the same kind: its values are there in no time, and nothing flickers.
        known = self.shown is not None and _alike(self.shown, shown)
        live = await off_loop(live_data, shown, inputs, self.states[-1]) if known else None
        self.shown, self.inputs = shown, inputs
        counts = summary(shown.network)
        self.facts.set_text(described(shown, counts))
        self.view.show(drawn, live, f"{shown.title}: {described(shown, counts)}")
        self._offer_modes(shown, counts)
        await self.generations.show(shown)
        theme.set_class(self.main, "loading", False)  # before anything may have to be compiled
        await self._look()
        return True

    def _place(self, shown: PlayerNetwork, state: str) -> None:
        """Set the position: the one asked for, the one before if it fits, else the start."""
        game, before = shown.game, self.shown
        if before is None or not self.states or before.game is not game:
            self.states = [game.initial()]
        if state:
            with self.complaining():
                self.states = [game.parse_state(state)]

    async def _player_chosen(self, event: Any) -> None:
        if event.value:
            self.generations.play.stop()
            await self.open(str(event.value))

    async def _go_to_generation(self, generation: int) -> None:
        if self.shown:
            await self.open(at_generation(self.shown.text, generation))

    def _ask_file(self) -> None:
        here = self.shown.game.name if self.shown else next(iter(self.site.games))
        ask_network(self.client, self.site, here, self._loaded)

    async def _loaded(self, text: str) -> None:
        options = await off_loop(choices)
        self.set(lambda: self.player.set_options(options, value=text))
        await self.open(text)

    # --- how it is drawn ----------------------------------------------------------------------

    def _offer_modes(self, shown: PlayerNetwork, counts: dict[str, int]) -> None:
        modes = modes_of(shown, counts, bool(self.inputs and self.inputs.on_board))
        chosen = self.mode.value if self.mode.value in modes else next(iter(modes))
        self.set(lambda: self.mode.set_options(modes, value=chosen))
        self._show_mode()

    def _show_mode(self, _: Any = None) -> None:
        on_board, signal = bool(self.inputs and self.inputs.on_board), bool(self.signal.value)
        told = legend(str(self.mode.value), on_board, signal=signal)
        self.view.show_mode(self.mode.value, signal=signal, told=told)
        self.legend.set_text(f"{told}; point at anything for its numbers")

    def _save(self, form: Any) -> None:
        if self.shown:
            name = self.shown.title.replace(",", "").replace(" ", "-")
            self.view.save(form, "".join(c for c in name if c.isalnum() or c in "-_.")[:80])

    # --- the position -------------------------------------------------------------------------

    async def _look(self) -> None:
        """Show the position, and what the network computes for it."""
        shown, inputs = self.shown, self.inputs
        if shown is None or inputs is None:
            return
        state, mine = self.states[-1], self.asked
        self._show_board(shown, state)
        with self.complaining():
            live = await off_loop(live_data, shown, inputs, state)
            told = await off_loop(said, shown, state)
            if mine != self.asked or state is not self.states[-1]:
                return
            self.view.show_live(live)
            turned = live["turned"] and f"; it sees the board from {shown.game.sides[1]}'s side"
            self.value.set_text(f"{told}{turned or ''}")

    def _show_board(self, shown: PlayerNetwork, state: Array) -> None:
        game = shown.game
        view = game.view(state)
        room = room_of(game.view(game.initial()))
        label = f"{game.name} board, {game.sides[view.side]} to move"
        # As in the drawing, never turned round.
        self.board.show(view, playable=True, room=room, label=label)
        self.text.set_value(game.state_text(state))
        self._remember(shown, state)

    def _remember(self, shown: PlayerNetwork, state: Array) -> None:
        """Put what is shown into the page's address."""
        game = shown.game
        player, generation = at_generation(shown.text, None), shown.generation
        if "#" in shown.text:  # one that is not its generation's champion
            player, generation = shown.text, None
        begun = len(self.states) == 1 and (state == game.initial()).all()
        text = "" if begun else game.state_text(state)
        number = "" if generation is None else str(generation)
        theme.replace_address(address(PATH, player=player, generation=number, state=text))

    async def _moved(self, index: int) -> None:
        if self.shown is None:
            return
        game, state = self.shown.game, self.states[-1]
        legal = game.legal_moves(state)
        if 0 <= index < len(legal):
            self.states.append(game.apply(state, legal[index]))
            await self._look()

    async def _position_typed(self) -> None:
        text = str(self.text.value or "").strip()
        if self.shown is None or text in ("", self.shown.game.state_text(self.states[-1])):
            return
        with self.complaining():
            self.states.append(self.shown.game.parse_state(text))
            await self._look()

    async def _restart(self) -> None:
        if self.shown:
            self.states = [self.shown.game.initial()]
            await self._look()

    async def _take_back(self) -> None:
        if len(self.states) > 1:
            self.states.pop()
            await self._look()

    def _analyse(self) -> None:
        if self.shown:
            game = self.shown.game
            start, player = game.state_text(self.states[-1]), self.shown.text
            ui.navigate.to(address("/analysis", game=game_spec(game), start=start, player=player))


def _alike(one: PlayerNetwork, other: PlayerNetwork) -> bool:
    """Tell whether two networks are computed by the same compiled code."""
    kinds = [(shown.game, shown.encoder.name, type(shown.network)) for shown in (one, other)]
    return kinds[0] == kinds[1]
