"""json: the player's file that evoboard itself reads: file:PLAYER.json."""

from __future__ import annotations

import json

from evoboard.interop.export.subject import Subject
from evoboard.players.file import FORMAT

SUMMARY = "the player for evoboard itself, as file:PLAYER.json"
ENDINGS = (".json",)


def export(subject: Subject) -> str:
    """Return the player's file: network, encoder, search and settings."""
    data = {"format": FORMAT, "version": 1, **subject.about, "game": subject.game.name}
    data |= {"encoder": subject.encoder_text, "search": subject.search}
    data |= {"settings": dict(subject.settings), "network": subject.network.to_json()}
    return json.dumps(data) + "\n"
