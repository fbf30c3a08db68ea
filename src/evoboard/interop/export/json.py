"""json: the player's file that evoboard itself reads: file:PLAYER.json."""

from __future__ import annotations

import json

from evoboard.players.file import player_data
from evoboard.players.network import PlayerNetwork

SUMMARY = "the player, for use in evoboard as file:PLAYER.json"
ENDINGS = (".json",)


def export(subject: PlayerNetwork) -> str:
    """Return the player's file: network, encoder, search and settings."""
    setup, network = subject.setup, subject.network.to_json()
    seconds = {} if subject.seconds is None else {"seconds": subject.seconds}
    settings = {**setup.settings, **seconds}
    name = subject.game.name
    data = player_data(name, setup.encoder, network, setup.search, settings, subject.about)
    return json.dumps(data) + "\n"
