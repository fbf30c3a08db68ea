"""Commands about single players: players, analyse."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import typer
from pydantic.fields import FieldInfo
from rich.console import Console
from rich.markup import escape

from evoboard.cli.board import draw
from evoboard.cli.options import GameOption, Json, PlayerText, StateText
from evoboard.cli.printing import (
    command,
    joined,
    plain_table,
    print_json,
    print_table,
    table_console,
)
from evoboard.core.errors import OptionError
from evoboard.core.options import option_text, options_model
from evoboard.core.settings import Settings, plain
from evoboard.core.wording import counted
from evoboard.games.base import load_game
from evoboard.games.history import History, legal_steps
from evoboard.games.rules import ONGOING
from evoboard.players import champion
from evoboard.players.base import (
    Player,
    SearchOptions,
    asking_for_all,
    names_limit,
    player_names,
    players_own,
)
from evoboard.search.base import Thought, find_search, search_names
from evoboard.search.limits import OPEN, Limits, Stop
from evoboard.search.values import plies_to_end


@command(
    "evoboard players",
    "evoboard players --json",
)
def players(as_json: Json = False) -> None:
    """List the kinds of players and how to write them, and how strong the champions are."""
    from evoboard.core import catalog

    found = {n: catalog.find("player", "evoboard.players", n, "player_for") for n in player_names()}
    if as_json:
        data = {n: _player_data(module) for n, module in found.items()}
        known = {game: champion.about(game) for game in champion.names()}
        about = ("title", "made by", "time", "measured", "ladder")
        data["champion"]["champions"] = {
            game: {key: told[key] for key in about if key in told} for game, told in known.items()
        }
        return print_json(data)
    table = plain_table("player", "what it does", "options")
    for name, module in found.items():
        table.add_row(f"[cyan]{name}[/]", module.SUMMARY, _options_text(module))
    console = table_console()
    console.print(table)
    console.print(
        "\nWrite a player as KIND or KIND:option=value,…, such as material:depth=3,search=pvs;\n"
        "your own player as FILE.py or FILE.py:option=value,…\n",
        markup=False,
    )
    rows = [
        [search, ", ".join(f"{name}={option_text(value)}" for name, value in fields.items())]
        for search in search_names()
        for module in [find_search(search)]
        for fields in [{**plain(module.Settings()), **players_own(module)}]
    ]
    print_table(console, ("search", "settings"), rows)
    console.print()
    told = [
        [name, f"{champion.strength_words(data)}; {champion.made_words(data)}"]
        for name in champion.names()
        for data in [champion.about(name)]
    ]
    print_table(console, ("champion", "how strong it is, and what makes it"), told)


def _player_data(module: types.ModuleType) -> dict[str, Any]:
    """Return what a kind of player is and takes: settings by name, each with its default.

    `default` is null where there is none, or the player's own file or run decides. Where any search
    will do, `searches` has the settings of each.
    """
    model = options_model(module, module.__name__)
    data = {"summary": module.SUMMARY, "options": _options_text(module), "settings": _about(model)}
    if issubclass(model, SearchOptions):
        data["settings"]["search"]["choices"] = search_names()
        modules = {name: find_search(name) for name in search_names()}
        data["searches"] = {name: _about(m.Settings, players_own(m)) for name, m in modules.items()}
    return data


def _about(model: type[Settings], own: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return settings with their defaults, some of them players' own, and what they mean."""
    return {
        name: {
            "default": {name: _default(field), **(own or {})}[name],
            "about": field.description or "",
        }
        for name, field in model.model_fields.items()
    }


def _default(field: FieldInfo) -> Any:
    return None if field.is_required() else field.default


def _options_text(module: types.ModuleType) -> str:
    """Return a player's options in a line, with their defaults."""
    model = options_model(module, module.__name__)
    texts = []
    for name, field in model.model_fields.items():
        default = _default(field)
        bare = name == getattr(model, "BARE", "")
        if not bare:
            texts.append(name if default in (None, "") else f"{name}={option_text(default)}")
    if issubclass(model, SearchOptions):
        texts.append("the search's settings")
    elif model.model_config.get("extra") == "allow":
        texts.append("the engine's own options")
    return ", ".join(texts) or "–"


@command(
    "evoboard analyse material:depth=4 --game kingcapture",
    'evoboard analyse run:mine@best --game nim --state "3,5,7 0"',
    "evoboard analyse mcts --game draughts --seconds 2 --json",
)
def analyse(
    player: PlayerText,
    game: GameOption,
    state: StateText = None,
    seconds: Annotated[float | None, typer.Option(help="How long to think.")] = None,
    as_json: Json = False,
) -> None:
    """Ask a player about a position: its value, and every move with its value and line."""
    loaded = load_game(game)
    position = loaded.initial() if state is None else loaded.parse_state(state)
    if loaded.outcome(position) != ONGOING:
        raise OptionError(f"the game is over in this position: {loaded.reason(position)}.")
    thinker, history = asking_for_all(player, loaded), History.of(loaded, position)
    # A time that is given is used, unless the player's text says how far to look.
    depth = OPEN if seconds is not None and not names_limit(player) else None
    thought = _think(thinker, history, Limits(depth, seconds=seconds))
    if thought.move < 0:
        raise OptionError(f"the player {player!r} gave no legal move in this position.")

    def labels(moves: Sequence[int]) -> list[str]:
        return [loaded.move_label(*step) for step in legal_steps(loaded, position, moves)]

    line = labels(thought.line)
    values = {loaded.move_label(position, m): v for m, v in thought.move_values.items()}
    best = dict(sorted(values.items(), key=lambda item: -item[1]))
    found = (labels(moves) for moves in thought.move_lines.values())
    lines = {moves[0]: moves for moves in found if len(moves) > 1}
    if as_json:
        told = {name: getattr(thought, name) for name in ("value", "nodes", "depth", "seconds")}
        answer = loaded.move_text(position, thought.move)
        return print_json({"move": answer, **told, "line": line, "moves": best, "lines": lines})
    console = table_console()
    draw(loaded.view(position), console)
    side = loaded.sides[loaded.side(position)]
    console.print(
        f"\n[bold]{escape(side)}[/] plays [bold]{loaded.move_label(position, thought.move)}[/]"
    )
    worth = _value(thought.value)
    number = worth[0] in "+-"
    worth = f"value {worth} for {side}, who is to move" if number else f"{side} {worth}"
    console.print(f"{worth}   line {joined(line)}", markup=False)
    looked = counted(thought.nodes, "position")
    console.print(f"{looked} looked at, depth {thought.depth}, {thought.seconds:.3f} s")
    if best:
        behind = ", what is expected then" if lines else ""
        console.print(f"[dim]every move, its value for {escape(side)}{behind}:[/]")
    width = max([10, *map(len, best)])
    for label, value in best.items():
        then = joined(lines.get(label, [])[1:])
        console.print(f"{label:>{width}} {_value(value):<6}   {then}".rstrip(), markup=False)


def _think(player: Player, history: History, limits: Limits) -> Thought:
    """Return the player's thought; Ctrl-C stops it, and it answers with what it has so far."""
    status, stop = Console(stderr=True).status("thinking … (Ctrl-C: answer now)"), Stop()
    with status, ThreadPoolExecutor(1) as pool:
        future = pool.submit(player.think, history, 1, limits, stop)
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                stop.set()


def _value(value: float) -> str:
    """Return a value as people read it: a number, or a win or loss in that many plies."""
    plies = plies_to_end(value)
    if plies is None:
        return f"{round(value, 3) + 0.0:+.3f}"  # never -0.000
    return f"{'wins' if value > 0 else 'loses'} in {counted(plies, 'ply', 'plies')}"
