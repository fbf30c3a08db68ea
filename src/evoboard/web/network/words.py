"""A network in words: what it consists of, which views there are of it, what it says."""

from __future__ import annotations

from evoboard.games.rules import Array
from evoboard.networks.graph_network import GraphNetwork
from evoboard.web.network.source import Shown
from evoboard.web.values import value_text


def modes_of(shown: Shown, counts: dict[str, int], on_board: bool) -> dict[str, str]:
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
    """Return what strength means in a view."""
    direct = "stronger a square" if on_board else "longer a bar"
    views = {"matrix": "stronger a cell", "boards": "stronger a square", "direct": direct}
    why = "the more it carries here" if signal else "the larger its weight"
    return f"the {views.get(mode, 'stronger a link')}, {why}; point at anything for its numbers"


def described(shown: Shown, counts: dict[str, int]) -> str:
    """Return what a network consists of; `counts` as `anatomy.summary` gives them."""

    def some(count: int, what: str) -> str:
        return f"{count:,} {what}{'' if count == 1 else 's'}"

    direct = f", {counts['direct']:,} direct" if counts["direct"] else ""
    parts = (
        f"{some(counts['inputs'], 'input')} ({shown.encoder.name})",
        some(counts["hidden"], "hidden node"),
        some(counts["outputs"], "output"),
        some(counts["links"], "link") + direct,
    )
    return " · ".join(parts)


def said(shown: Shown, state: Array) -> str:
    """Return what a network says about a position: its value, or the move a policy names."""
    game = shown.game
    mover = game.sides[game.side(state)]
    if shown.values_positions:
        return f"{value_text(shown.look(state).value)} for {mover}"
    if not game.legal_moves(state):
        return ""
    move = shown.player().think(state, 1).move
    if move < 0:
        return f"{mover} names no legal move, and would lose"
    return f"{mover} plays {game.move_label(state, move)}"
