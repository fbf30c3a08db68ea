"""Checks of the parts that an experiment names, each with the place of the name."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from evoboard.core import catalog
from evoboard.core.errors import EvoboardError, NotFound, OptionError, quoted, unknown
from evoboard.core.kernel_tuple import is_number
from evoboard.core.options import require_taking, split_options
from evoboard.core.settings import HERE, Place, Settings, wrong_at
from evoboard.core.wording import listed, with_article
from evoboard.encoders.base import Encoder, encoder_names, find_encoder
from evoboard.games.base import Game
from evoboard.players.base import HOW, borrowed_player, is_kind, player_names

Part = TypeVar("Part")
ONE_THREAD = "with several threads on a move, the same seed would not always give the same run."


def found(place: Place, find: Callable[[], Part]) -> Part:
    """Return what `find` finds; where it finds nothing, that is wrong at `place`."""
    try:
        return find()
    except EvoboardError as error:
        raise wrong_at(place, f"{HERE}: {error}") from error


def require_search(name: str, module: types.ModuleType) -> None:
    """Raise if a user's search lacks what every search must have."""
    _require_members("search", name, module, ("Settings", "workspace", "best_move"))
    derived = isinstance(module.Settings, type) and issubclass(module.Settings, Settings)
    fields = module.Settings.model_fields.values() if derived else ()
    if not derived or any(f.is_required() or not is_number(f.annotation) for f in fields):
        raise OptionError(
            f"{name} is not a search: its Settings must be derived from those of "
            "evoboard.core.settings, and each must be a bool, int or float with a default."
        )
    require_taking(module.workspace, "game, settings, scratch", name)
    require_taking(module.best_move, "network, state, settings, chance, work", name)


def require_strategy(name: str, module: types.ModuleType) -> None:
    """Raise if a user's strategy leaves something undefined."""
    missing = sorted(getattr(module.Strategy, "__abstractmethods__", ()))
    if missing:
        raise OptionError(f"{name} is not a strategy: its Strategy lacks {listed(missing)}.")
    taken = {
        "first": "self",
        "breed": "self, population, evidence",
        "express": "self, genes",
    }
    for method, names in taken.items():
        require_taking(getattr(module.Strategy, method), names, name)


def require_encoder(text: str, game: Game) -> None:
    """Raise where there is no such encoder, or none for the game."""
    name = split_options(text)[0]
    if catalog.is_path(name):
        module = catalog.load_file("encoder", Path(name))
        _require_members("encoder", name, module, ("encoder_for",))
    try:
        encoder = find_encoder(text, game)
    except NotFound as error:
        hint = unknown("encoder", name, encoder_names(game))
        raise OptionError(f"{hint} Your own is named by its file: FILE.py.") from error
    if not isinstance(encoder, Encoder) or encoder.seen_by not in ("mover", "first"):
        raise OptionError(
            f'encoder_for in {name} must return None or an Encoder that is seen_by "mover" or '
            f'"first"; it returned {str(encoder)[:60]}.'
        )


def _require_members(
    kind: str, name: str, module: types.ModuleType, members: Sequence[str]
) -> None:
    missing = [each for each in members if not hasattr(module, each)]
    if missing:
        raise OptionError(f"{name} is not {with_article(kind)}: it lacks {listed(missing)}.")


def require_players(texts: Sequence[str]) -> None:
    """Raise for a text that names no kind of player; `try_players` checks its options.

    Those of several threads are refused here: with them, one seed would not give one run.
    """
    for text in texts:
        kind, options = split_options(text)
        if options.get("threads", "1") != "1":
            threads = quoted(options["threads"])
            raise OptionError(f"{text} has {threads} threads; it must be 1: {ONE_THREAD}")
        if not is_kind(kind):
            raise OptionError(f"{unknown('player', kind, player_names())} {HOW}")


def try_players(place: str, texts: Sequence[str], game: Game) -> None:
    """Make each player once, so that a run with a wrong one ends before it begins."""
    for text in texts:
        try:
            with borrowed_player(text, game):
                pass
        except EvoboardError as error:
            raise type(error)(f"{place}: {error}") from error
