"""json: the player's file that evoboard itself reads: file:PLAYER.json."""

from __future__ import annotations

import json

from evoboard.players.file import FORMAT
from evoboard.players.network import PlayerNetwork

SUMMARY = "the player for evoboard itself, as file:PLAYER.json"
ENDINGS = (".json",)


def export(subject: PlayerNetwork) -> str:
    """Return the player's file: network, encoder, search and settings."""
    data = {"format": FORMAT, "version": 1, **subject.about, "game": subject.game.name}
    settings = dict(subject.setup.settings)
    if subject.seconds is not None:
        settings["seconds"] = subject.seconds
    data |= {"encoder": subject.setup.encoder, "search": subject.setup.search}
    data |= {"settings": settings, "network": subject.network.to_json()}
    return json.dumps(data) + "\n"
