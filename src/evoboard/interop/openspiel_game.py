"""A game, its states and observations, and a bot, as classes of OpenSpiel. Needs pyspiel."""

from __future__ import annotations

import copy
import re
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from evoboard.arena.match import Match
from evoboard.core.errors import IllegalMove, OptionError, PartError
from evoboard.core.rng import address
from evoboard.encoders.base import Encoder, default_encoder, find_encoder
from evoboard.games.base import Game
from evoboard.games.history import History
from evoboard.players.base import make_player
from evoboard.search.base import Thought
from evoboard.search.limits import NO_LIMITS, Limits, Stop

LONGEST = 100_000  # plies, where no rule ends a game; OpenSpiel wants a bound
PREFERRED = ("own", "planes", "squares", "heaps", "cells")  # encoders


@dataclass(frozen=True, eq=False)
class Registration:
    """A game and how it is shown to OpenSpiel; see `openspiel.register`."""

    game: Game
    encoder: str = ""
    actions: int = 0
    seed: int = 1

    def __post_init__(self) -> None:
        if self.actions < 0 or self.seed < 1:
            raise OptionError(
                f"actions is {self.actions} and seed {self.seed}; they must be at least 0 and 1."
            )
        self.seen  # noqa: B018 (a wrong encoder is reported at once)

    @cached_property
    def name(self) -> str:
        """The short name in OpenSpiel: the game and all that is not as usual."""
        parts = ["evoboard", self.game.name]
        for key, value in self.game.changed_options.items():
            parts += [key, *(map(str, value) if isinstance(value, tuple) else [str(value)])]
        parts += [self.encoder] if self.encoder else []
        parts += [f"actions {self.actions}"] if self.actions else []
        parts += [f"seed {self.seed}"] if self.seed != 1 else []
        return re.sub(r"\W+", "_", " ".join(parts))

    @cached_property
    def seen(self) -> Encoder:
        """The encoder of observations."""
        return find_encoder(self.encoder or default_encoder(self.game, PREFERRED), self.game)

    @cached_property
    def start(self) -> OpenSpielMatch:
        """A game that has not begun; copies of it are what states hold."""
        return OpenSpielMatch(self)

    @cached_property
    def type(self) -> Any:
        """What OpenSpiel must know of the kind of game."""
        return pyspiel.GameType(
            short_name=self.name,
            long_name=f"evoboard: {self.game.title}",
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
            information=pyspiel.GameType.Information.PERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=2,
            min_num_players=2,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
            parameter_specification={},
        )

    @cached_property
    def info(self) -> Any:
        """What OpenSpiel must know of the sizes of the game."""
        return pyspiel.GameInfo(
            num_distinct_actions=self.actions or self.game.max_moves,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game.draws.plies or LONGEST,
        )


class OpenSpielMatch(Match):
    """A match in OpenSpiel's terms, copied quickly: OpenSpiel copies states deeply, and often."""

    def __init__(self, terms: Registration) -> None:
        self.terms = terms
        super().__init__(terms.game, start=terms.game.initial(terms.seed))

    def at(self, history: History) -> OpenSpielMatch:
        """Return the match of another game so far."""
        twin = copy.deepcopy(self)
        twin.history = history
        twin._judge()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenSpielMatch:
        twin = OpenSpielMatch.__new__(OpenSpielMatch)
        twin.__dict__.update(self.__dict__)  # a history never changes
        return twin

    def __reduce__(self) -> Any:
        # OpenSpiel writes states by pickle; the moves are enough to come back.
        return replayed, (self.terms.name, self.moves)

    @property
    def actions(self) -> list[int]:
        """The legal actions in ascending order."""
        if not self.terms.actions:
            return list(range(len(self.legal)))
        for move in self.legal:
            if not 0 <= move < self.terms.actions:
                raise PartError(
                    f"{self.game.name} has the move number {move}; actions={self.terms.actions} "
                    "is too small for it. Leave it out where moves are large numbers."
                )
        return sorted(self.legal)

    def move_of(self, action: int) -> int:
        """Return our move of a legal action."""
        if action not in self.actions:
            position = self.game.state_text(self.state)
            raise IllegalMove(f"action {action} is not legal in {position}.")
        return action if self.terms.actions else self.legal[action]

    def action_of(self, move: int) -> int:
        """Return the action of a legal move."""
        return move if self.terms.actions else self.legal.index(move)


_registered: dict[str, Registration] = {}


def register_game(terms: Registration) -> str:
    """Make a game known to OpenSpiel, in place of an earlier one of that name; return the name."""
    _registered[terms.name] = terms
    # A class for each: OpenSpiel keeps it beyond Python's end, where a function would be missed.
    pyspiel.register_game(terms.type, type("OurGame", (OurGame,), {"terms": terms}))
    return terms.name


def replayed(name: str, moves: list[int]) -> OpenSpielMatch:
    """Return a game of that name after these moves."""
    if name not in _registered:
        raise OptionError(f"{name} is not known here; register its game first.")
    match = copy.deepcopy(_registered[name].start)
    for move in moves:
        match.play(move)
    return match


class OurGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours; what is registered are its subclasses, one for each game."""

    terms: Registration

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        super().__init__(self.terms.type, self.terms.info, params or {})

    def new_initial_state(self) -> OurState:
        """Return the start of a game."""
        return OurState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return what makes observations: of the board, or of all moves so far."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return BoardObserver(self.terms, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class OurState(pyspiel.State):  # type: ignore[misc]
    """A game in progress; `match` is our own form of it, and all that it holds."""

    def __init__(self, game: OurGame) -> None:
        super().__init__(game)
        self.match = copy.deepcopy(game.terms.start)

    def current_player(self) -> int:
        """Return the side to move."""
        if self.match.over:
            return int(pyspiel.PlayerId.TERMINAL)
        return self.match.game.side(self.match.state)

    def is_terminal(self) -> bool:
        """Tell whether the game has ended."""
        return self.match.over

    def returns(self) -> list[float]:
        """Return 1 for the winner, -1 for the loser, 0 for both where there is none."""
        return [float(self.match.result), -float(self.match.result)]

    def _legal_actions(self, player: int) -> list[int]:
        return self.match.actions

    def _apply_action(self, action: int) -> None:
        self.match.play(self.match.move_of(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.match.game.move_text(self.match.state, self.match.move_of(action))

    def __str__(self) -> str:
        return self.match.game.state_text(self.match.state)


class BoardObserver:
    """Observations: the encoder's numbers, then the side to move; as text the position."""

    def __init__(self, terms: Registration, params: Any) -> None:
        if params:
            raise OptionError(f"observations have no parameters, but {params} is given.")
        self._encode = terms.game.link(terms.seen.encode)
        self._inputs = terms.seen.inputs
        self.tensor = np.zeros(self._inputs + 1, np.float32)
        self.dict = {"inputs": self.tensor[: self._inputs], "side": self.tensor[self._inputs :]}

    def set_from(self, state: OurState, player: int) -> None:
        """Write the observation of a state; it is the same for both players."""
        match = state.match
        self._encode(match.state, self.tensor)
        self.tensor[self._inputs] = match.game.side(match.state)

    def string_from(self, state: OurState, player: int) -> str:
        """Return the position as text."""
        return str(state)


class PlayerBot(pyspiel.Bot):  # type: ignore[misc]
    """One of our players."""

    def __init__(self, name: str, player: str, player_id: int, seed: int) -> None:
        super().__init__()
        if name not in _registered:
            raise OptionError(f"our players play our games; make {name} with as_openspiel.")
        if player_id not in (0, 1):
            raise OptionError(f"player_id is {player_id}; the sides of a game are 0 and 1.")
        self._player = make_player(player, _registered[name].game)
        self._player_id, self._seed = player_id, seed

    def player_id(self) -> int:
        """Return the side it plays."""
        return self._player_id

    def restart(self) -> None:
        """Begin another game; nothing is remembered from one move to the next."""

    def restart_at(self, state: OurState) -> None:
        """Begin at a position."""

    def inform_action(self, state: OurState, player_id: int, action: int) -> None:
        """Take notice of the other side's move."""

    def provides_policy(self) -> bool:
        """Tell that it gives no probabilities."""
        return False

    def step(self, state: OurState) -> int:
        """Return the action of the player's move."""
        match = state.match
        chance = address(self._seed, "openspiel", self._player_id, match.history.ply)
        move = self._player.think(match.history, chance).move
        if move not in match.legal:
            position = match.game.state_text(match.state)
            raise IllegalMove(
                f"{self._player.name} names no legal move in {position}, which forfeits the game; "
                "OpenSpiel has no such action."
            )
        return match.action_of(move)


class BotPlayer:
    """A bot of OpenSpiel as one of our players; it must play a game that is registered."""

    deterministic = False

    def __init__(self, game: OurGame, bot: Any, name: str) -> None:
        self._game, self._bot, self.name = game, bot, name

    def think(
        self,
        history: History,
        chance: int,
        limits: Limits = NO_LIMITS,
        stop: Stop | None = None,
    ) -> Thought:
        """Return the bot's move; it says nothing about the position."""
        began = time.perf_counter()
        state = self._game.new_initial_state()
        state.match = state.match.at(history)
        self._bot.restart_at(state)
        action = self._bot.step(state)
        # An action that is not legal forfeits the game, as with any other player.
        move = state.match.move_of(action) if action in state.match.actions else -1
        return Thought(move, 0.0, (move,), 0, 0, time.perf_counter() - began, {})
