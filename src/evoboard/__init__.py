"""Evolve neural networks that play board games: `import evoboard as eb`; docs/api.md has examples.

The names below come from `evoboard.api`, which is imported when one of them is first used: the
command line starts without it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evoboard.api import (
        EvoboardError,
        Match,
        analyse,
        draw_board,
        draw_curves,
        draw_network,
        grade,
        import_player,
        load_game,
        make_player,
        match,
        open_run,
        rate,
        resume,
        study,
        tournament,
        train,
        value,
    )

__all__ = [
    "EvoboardError",
    "Match",
    "analyse",
    "draw_board",
    "draw_curves",
    "draw_network",
    "grade",
    "import_player",
    "load_game",
    "make_player",
    "match",
    "open_run",
    "rate",
    "resume",
    "study",
    "tournament",
    "train",
    "value",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("evoboard.api"), name)
    raise AttributeError(f"evoboard has no {name!r}; it has {', '.join(__all__)}.")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
