"""A network in words: what it consists of, which views there are of it, what it says."""

from __future__ import annotations

from evoboard.core.arrays import Array
from evoboard.core.wording import counted
from evoboard.games.history import History
from evoboard.networks.graph_network import GraphNetwork
from evoboard.players.network import PlayerNetwork
from evoboard.web.values import seen_by_first, value_text


def modes_of(shown: PlayerNetwork, counts: dict[str, int], on_board: bool) -> dict[str, str]:
    """Return the views there are of a network, by mode, the most telling first."""
    modes: dict[str, str] = {}
    if isinstance(shown.network, GraphNetwork):
        if counts["hidden"]:
            modes["hidden"] = "Hidden nodes"
        elif not on_board:
            modes["all"] = "All links"
        if counts["direct"]:
            modes["direct"] = "Direct links"
        return {**modes, "all": "All links"}
    modes["matrix"] = "Matrices"
    if counts["hidden"] and on_board:
        modes["boards"] = "As boards"
    if counts["direct"]:
        modes["direct"] = "Direct links"
    return modes


def legend(mode: str, on_board: bool, *, signal: bool) -> str:
    """Return what opacity, or length, means in a view."""
    direct = "more opaque a square" if on_board else "longer a bar"
    views = {"matrix": "more opaque a cell", "boards": "more opaque a square", "direct": direct}
    why = "the more it carries here" if signal else "the larger its weight"
    return f"the {views.get(mode, 'more opaque a link')}, {why}"


def described(shown: PlayerNetwork, counts: dict[str, int]) -> str:
    """Return what a network consists of; `counts` as `anatomy.summary` gives them."""
    direct = f", {counts['direct']:,} direct" if counts["direct"] else ""
    parts = (
        f"{counted(counts['inputs'], 'input')} ({shown.encoder.name.replace('_', ' ')})",
        counted(counts["hidden"], "hidden node"),
        counted(counts["outputs"], "output"),
        counted(counts["links"], "link") + direct,
    )
    return " · ".join(parts)


def said(shown: PlayerNetwork, state: Array) -> str:
    """Return what a network says about a position: its value, or the move a policy names.

    The value is the first side's and in pawns, as everywhere; where the output itself, which the
    drawing shows, speaks for the second side or is another number, that is said as well.
    """
    game, side = shown.game, shown.game.side(state)
    mover = game.sides[side]
    if shown.values_positions:
        value, scale = shown.look(state).value, shown.player().scale
        seen = seen_by_first(value, side)
        told = f"{value_text(seen, scale)} for {game.sides[0]}"
        if side == 1 and shown.encoder.seen_by == "mover":
            return f"{told}; its output is for {mover}, who is to move: {value_text(value)}"
        return told + (f"; its output is {value_text(seen)}" if scale else "")
    if not game.legal_moves(state):
        return ""
    move = shown.player().think(History.of(game, state), 1).move
    if move < 0:
        return f"{mover} chooses no legal move, and would lose"
    return f"{mover} plays {game.move_label(state, move)}"
