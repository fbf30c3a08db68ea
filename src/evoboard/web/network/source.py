"""Networks to look into: a run's, a file's, a champion's."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evoboard.core.errors import EvoboardError, NotFound, quoted
from evoboard.core.options import split_options, with_options
from evoboard.games.base import Game
from evoboard.players import champion
from evoboard.players.file import read_player
from evoboard.players.network import PlayerNetwork, made_network, stored_network
from evoboard.players.run import read_address, run_players
from evoboard.store.reader import open_run
from evoboard.store.run_file import DATABASE, run_folder, run_names
from evoboard.web.folders import uploads_folder
from evoboard.web.opponents import require_offered, short_name

if TYPE_CHECKING:  # sites have sessions, and those are driven by networks, too
    from evoboard.web.site import Site


def latest_runs() -> list[str]:
    """Return the names of all runs, those written last first."""

    def written(name: str) -> float:
        files = [run_folder(name) / f"{DATABASE}{log}" for log in ("", "-wal")]
        return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)

    return sorted(run_names(), key=written, reverse=True)


def choices() -> dict[str, str]:
    """Return the players whose networks can be shown, by their texts, with a label each."""
    games = {player.text: player.plays for player in run_players()}
    texts = [f"run:{name}" for name in latest_runs() if f"run:{name}" in games]
    found = {text: f"Run: {text.removeprefix('run:')} ({games[text]})" for text in texts}
    for path in sorted(champion.FOLDER.glob("*.json")):
        found[f"champion:{path.stem}"] = f"Champion of {path.stem}"
    folder = uploads_folder()
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        with suppress(EvoboardError):
            game = str(read_player(path)["game"])
            found[f"file:{path}"] = f"Loaded: {short_name(f'file:{path}')} ({game})"
    return {**found, "linear": "Linear evaluator (chess)"}


def load(text: str, site: Site, game: str = "") -> PlayerNetwork:
    """Return the network of a player's text; OptionError if the player has none.

    A champion is that of `game`, or of the one in its text: champion:chess.
    """
    kind, options = split_options(require_offered(text))
    if kind == "run":
        run = read_address(options.get("", "")).run
        return made_network(text, partial(load_run_game, run, site=site))
    if kind == "champion" and "" not in options:
        text = with_options(kind, {"": game, **options})
    return made_network(text, site.load_game)


def load_genome(run: str, identity: int, site: Site) -> PlayerNetwork:
    """Return the network of a genome that a run has kept, by its id."""
    with open_run(run) as reader:
        player = reader.facts()["player"]
        network = reader.genome(identity).network
    game = load_run_game(run, str(player["game"]), site)
    about = {"title": f"Run {run}, individual {identity}"}
    return stored_network(game, {**player, "network": network}, about, identity=identity)


def load_run_game(run: str, spec: str, site: Site) -> Game:
    """Return the game of a run; NotFound says what to do where the app does not have it."""
    try:
        return site.load_game(spec)
    except NotFound as error:
        name = Path(split_options(spec)[0]).name
        raise NotFound(
            f"the run {run} plays {quoted(name)}, which this app does not have; "
            f"start it with evoboard app --game {name}."
        ) from error
