"""What every encoder promises, and how one is found for a game."""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from evoboard.core import catalog
from evoboard.core.arrays import Array
from evoboard.core.errors import OptionError, PartError
from evoboard.core.link import constant_slot, slot
from evoboard.core.options import make_part, split_options
from evoboard.games.base import Game

PACKAGE = "evoboard.encoders"
TRIED_GAMES, TRIED_PLIES = 4, 30  # in which a user's own encoder is tried before it is used
_sound: set[tuple[Any, ...]] = set()

INPUTS: int = constant_slot()  # how many numbers `encode` writes
SEEN_BY_MOVER: int = constant_slot()  # 1: seen by the side to move; 0: always by side 0
UNLISTED: int = (
    constant_slot()
)  # inputs from this one on are not listed but written in their places


@slot
def encode(state: Array, out: Array) -> None:
    """Write the INPUTS float32 numbers that describe `state` into `out[:INPUTS]`."""


@slot
def list_inputs(state: Array, out: Array) -> int:
    """Write the inputs that are not 0 into `out`, as pairs of index and value; return how many.

    An index may occur more than once; its values are added. Inputs from UNLISTED on are all written
    in their places, as `encode` does. Only some encoders have this kernel.
    """


@dataclass(frozen=True)
class Encoder:
    """An encoder for one game: its kernel, how many numbers it writes, and whose view they are.

    `seen_by` "mover": the network's value is the side to move's. "first": it is always side 0's
    (a paper's "seen by white"), and evaluation turns it round when side 1 is to move.

    `listed` fills the slot `list_inputs`; its pairs fit into `out[:unlisted]`, and the inputs from
    there on, few and seldom 0, are not listed (None: all are). Where most inputs are 0, this takes
    far less time than `encode`. Experiments use it only with `always_listed`, because adding in
    another order rounds differently, and existing experiments must keep their results.

    For pictures of networks: `names` labels inputs that are not squares of the board; `planes` says
    what each board of inputs shows if there are several.
    """

    name: str
    inputs: int
    encode: Callable[[Array, Array], None]
    seen_by: Literal["mover", "first"]
    names: tuple[str, ...] = ()
    planes: tuple[str, ...] = ()
    listed: Callable[[Array, Array], int] | None = None
    always_listed: bool = False
    unlisted: int | None = None

    @property
    def bindings(self) -> dict[str, Any]:
        """Return what generic kernels need from the encoder."""
        mover = int(self.seen_by == "mover")
        unlisted = self.inputs if self.unlisted is None else self.unlisted
        numbers = {"INPUTS": self.inputs, "SEEN_BY_MOVER": mover, "UNLISTED": unlisted}
        return {"encode": self.encode, **numbers}


def find_encoder(text: str, game: Game) -> Encoder:
    """Return the encoder that a text names for a game; "own" is the one in the game's own file.

    An encoder module defines `encoder_for(game) -> Encoder | None`, None if it does not fit. One
    with a class `Options` gets them as a second argument: "subsquares:king=1.3".
    """
    name, given = split_options(text)
    if name == "own" and not given:
        if "encode" not in game.bindings:
            raise OptionError(f"{game.name} has no encode(state, out) and INPUTS in its own file.")
        own = game.bindings
        return Encoder("own", own["INPUTS"], own["encode"], "mover")
    module = catalog.find("encoder", PACKAGE, name, "encoder_for")
    found: Encoder | None = _made(module, game, given)
    if found is None:
        fitting = ", ".join(encoder_names(game)) or "none"
        raise OptionError(f"the encoder {name} does not fit {game.name}; these do: {fitting}.")
    if name.endswith(".py"):
        _require_sound(found, game, name)
    return replace(found, name=text) if given else found


def _require_sound(encoder: Encoder, game: Game, name: str) -> None:
    """Raise PartError if a user's own encoder does not write exactly its inputs.

    Compiled at full speed it is not checked, and an input that it leaves out would keep the value
    of another position.
    """
    key = encoder.encode, encoder.inputs, game.name, repr(game.options)
    if key in _sound:
        return
    encode = game.link(encoder.encode, "checked", **encoder.bindings)
    wanted = f"it must write all {encoder.inputs} numbers in every position."
    for seed in range(1, 1 + TRIED_GAMES):
        state = game.initial(seed)
        for ply in range(TRIED_PLIES):
            written = [np.full(encoder.inputs, fill, np.float32) for fill in (9e9, -9e9)]
            try:
                for out in written:
                    encode(state, out)
            except IndexError:
                raise PartError(
                    f"the encoder {name} reads or writes out of bounds; {wanted}"
                ) from None
            except ZeroDivisionError:
                raise PartError(f"the encoder {name} divides by zero.") from None
            if not np.array_equal(written[0], written[1], equal_nan=True):
                raise PartError(f"the encoder {name} leaves out some of its inputs; {wanted}")
            if not np.isfinite(written[0]).all():
                raise PartError(f"the encoder {name} writes a number that is not finite.")
            moves = game.legal_moves(state)
            if not moves:
                break
            state = game.apply(state, moves[(7 * ply + 13 * seed) % len(moves)])
    _sound.add(key)


def encoder_names(game: Game) -> list[str]:
    """Return the names of the encoders that fit a game, the game's own first."""
    names = catalog.names(PACKAGE, "encoder_for")
    modules = {name: catalog.find("encoder", PACKAGE, name, "encoder_for") for name in names}
    fitting = [name for name, module in modules.items() if _made(module, game, {}) is not None]
    return (["own"] if "encode" in game.bindings else []) + fitting


def encoders_with(inputs: int, game: Game) -> list[str]:
    """Return the encoders of a game that give that many inputs; OptionError if none does."""
    sizes = {name: find_encoder(name, game).inputs for name in encoder_names(game)}
    fitting = [name for name, size in sizes.items() if size == inputs]
    if fitting:
        return fitting
    known = ", ".join(f"{name} {size}" for name, size in sizes.items()) or "none"
    raise OptionError(
        f"the network has {inputs} inputs, and no encoder of {game.name} gives as many: {known}."
    )


def default_encoder(game: Game, preferred: Sequence[str] = ()) -> str:
    """Return the name of the encoder to use where none is named: a preferred one, else the first
    that fits."""
    fitting = encoder_names(game)
    if not fitting:
        raise OptionError(
            f"no encoder fits {game.name}; write encode(state, out) and INPUTS in it."
        )
    return next((name for name in preferred if name in fitting), fitting[0])


def _made(module: types.ModuleType, game: Game, given: Mapping[str, str]) -> Any:
    name = module.__name__.rpartition(".")[2]
    return make_part(module, module.encoder_for, game, given, f"the encoder {name}")
