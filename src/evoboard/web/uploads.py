"""Files from visitors: games, players, and networks that can be made into one (checked, then
kept)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from evoboard.arena.game_files import decoded, read_games
from evoboard.arena.notation.base import FoundGame
from evoboard.core.errors import EvoboardError, NotationError, PartError, quoted, unknown
from evoboard.core.options import split_options
from evoboard.core.whole_file import write_whole
from evoboard.core.wording import readable
from evoboard.encoders.base import encoder_names, encoders_with
from evoboard.games.base import Game
from evoboard.interop.importing import is_line, network_in
from evoboard.players.base import make_player
from evoboard.players.file import player_data
from evoboard.search.base import search_names
from evoboard.web.folders import uploads_folder
from evoboard.web.session import GameSession
from evoboard.web.sessions import Sessions

LARGEST = 2_000_000  # bytes of a player
LARGEST_GAME = 1_000_000


def keep_player(content: bytes, name: str, game: Game) -> str:
    """Keep an uploaded file and return the text of its player; PartError says what is wrong.

    The file gets a name of our own: nothing from the visitor becomes part of a path. Other
    networks, if they name no encoder, get the first one of the game with as many inputs, and a
    search of depth 1.
    """
    if len(content) > LARGEST:
        raise PartError(f"{quoted(name)} has {len(content):,} bytes; at most {LARGEST:,} are read.")
    try:
        text = content.decode("utf-8")
        data = text if is_line(text) else json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise PartError(f"{quoted(name)} is not JSON text: {str(error)[:100]}.") from None
    try:
        if not isinstance(data, dict) or "format" not in data:
            network, named = network_in(data, game)
            encoder = named or encoders_with(network.inputs, game)[0]
            settings = {"depth": 1}
            data = player_data(game.name, encoder, network.to_json(), "alphabeta", settings)
        _require_known(data, game)
        title = readable(str(data.get("title") or name.removesuffix(".json")))[:80]
        return _kept({**data, "title": title}, game)
    except EvoboardError as error:
        raise PartError(f"{quoted(name)}: {error}") from error
    except OSError as error:
        raise PartError(f"{quoted(name)} cannot be kept: {error.strerror or error}.") from error
    except (KeyError, TypeError, ValueError, OverflowError, IndexError, AttributeError) as error:
        told = f"{type(error).__name__}: {error}"[:120]
        raise PartError(f"{quoted(name)} cannot be read as a player ({told}).") from error


def _require_known(data: dict[str, Any], game: Game) -> None:
    """Raise PartError if a player's file names parts that are not ours, such as programs."""
    for key, known in (("search", search_names()), ("encoder", encoder_names(game))):
        name = split_options(str(data.get(key, "")))[0]
        if name not in known:
            raise PartError(unknown(key, name, known))


def own_game(content: bytes) -> str:
    """Return the game that a player's file names, empty where it names none."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    says = isinstance(data, dict) and "format" in data and "game" in data
    return str(data["game"]) if says else ""


def read_file(content: bytes, name: str) -> list[FoundGame]:
    """Return the games that a file holds; NotationError names the file."""
    if len(content) > LARGEST_GAME:
        raise NotationError(
            f"{quoted(name)} has {len(content):,} bytes; at most {LARGEST_GAME:,} are read."
        )
    try:
        found = read_games(decoded(content))
    except EvoboardError as error:
        raise NotationError(f"{quoted(name)}: {error}") from error
    if not found:
        raise NotationError(f"{quoted(name)} holds no game.")
    return found


def open_found(found: FoundGame, name: str, sessions: Sessions) -> GameSession:
    """Return a session with one of a file's games; NotationError names the file."""
    try:
        return sessions.from_tree(found.tree(sessions.load_game))
    except EvoboardError as error:
        raise NotationError(f"{quoted(name)}: {error}") from error


def _kept(data: dict[str, Any], game: Game) -> str:
    text = json.dumps(data, indent=1)
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    path = uploads_folder() / f"{digest}.json"
    known = path.exists()
    write_whole(path, text)
    try:
        make_player(f"file:{path}", game)
    except Exception as error:
        if not known:
            path.unlink(missing_ok=True)
        if isinstance(error, EvoboardError):
            told = (
                str(error)
                .replace(f"player {quoted(f'file:{path}')}: ", "")
                .replace(str(path), "it")
            )
            raise PartError(told) from error
        raise
    return f"file:{path}"
