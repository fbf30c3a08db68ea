"""A ladder for each game: fixed players with known Elo, on which any other player can be placed.

Random moves are worth 0. The rungs have met each other once and for all (`ladders/` in the package
for our own games; for a user's game, on first use). A player to be rated then plays against
rungs: at first any, then those that its results so far make most informative, near its strength
and quick. Its rating rests on its games against the rungs alone, whose ratings stay as they are, so
that players measured at different times compare.

All games are kept, even those played before an error or Ctrl-C; measuring
again continues from there.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.contest import EndedGame, Terms, play_schedule
from evoboard.arena.elo import Tally, elo_difference, expected_score
from evoboard.arena.game_text import game_spec
from evoboard.arena.ratings import rate
from evoboard.arena.result_cache import digest
from evoboard.arena.rungs import LOWEST, QUICK, can_play, effort, rungs_of
from evoboard.arena.schedules import Schedule, both_colours, require_pairs, start_positions
from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.options import split_options
from evoboard.core.rng import address
from evoboard.core.wording import as_name
from evoboard.games.base import Game
from evoboard.players.base import Player, SearchPlayer, borrowed_player
from evoboard.players.equal_search import counter_of
from evoboard.store.ladder_file import (
    LadderFile,
    LadderGame,
    ladders_folder,
    merge_ladder,
    read_ladder,
)

SHIPPED = Path(__file__).resolve().parent.parent / "ladders"
RUNG_GAMES, COSTLY_GAMES = 60, 20  # of each rung against those below and around it
FIRST_ROUND, ROUND = 4, 20  # games after which opponents are chosen again
FEW = 12  # games against one rung after which another, equally informative, is worth twice as much
MOVES, OVERHEAD = 30, 0.1  # of a rung in a game, and seconds of the game that it does not think
BELOW_TOP, OUT_OF_REACH = 50.0, 300.0  # Elo
SEEDS_APART = 1_000_000  # opening i of seed s is numbered SEEDS_APART × s + i
EVERY = "--every-rung"  # of the command that puts all of them up
CHANGING = ("run", "file", "champion")  # kinds of players whose text may later mean another player

# Called with who is measured, how many games have just ended, of how many, and its Elo so far.
Tell = Callable[[str, int, int, float], None]


class Place(NamedTuple):
    """Where a player stands: Elo with its 95% interval, games played, share of the points."""

    text: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    rung: bool


class EqualSearch(NamedTuple):
    """A player against `opponent`, which counts pieces and searches as it does.

    Games won, drawn and lost, and the share of the points with the ends of its 95% interval.
    """

    opponent: str
    wins: int
    draws: int
    losses: int
    share: float
    low: float
    high: float


class Ladder:
    """The ladder of a game, as far as it has been set up and climbed."""

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        self.game, self.rungs = game, rungs_of(game)
        rules = _rules(game)
        self.path = (folder or ladders_folder()) / f"{_file_name(game)}.json"
        self.own, self.shipped = read_ladder(self.path, rules), LadderFile(rules)
        self.own.made_by = self.own.made_by or f"evoboard ladder --game {game_spec(game)}"
        ours = SHIPPED / self.path.name
        if game.built_in and ours != self.path.resolve():  # the maker of the shipped one has both
            self.shipped = read_ladder(ours, rules)
        self._counters: dict[str, str | None] = {}
        self._playable: dict[str, bool] = {}
        self._openings: dict[int, Array] = {}
        self._fitted: tuple[int, dict[str, Place]] = (-1, {})

    @property
    def games(self) -> list[LadderGame]:
        """All games there are."""
        return [*self.shipped.games, *self.own.games]

    # --- where the players stand ------------------------------------------------------------------

    def rung_places(self) -> dict[str, Place]:
        """Return the rungs that have been set up, by text, the lowest first."""
        games = self.games
        if self._fitted[0] != len(games):
            among = [g for g in games if g.first in self.rungs and g.second in self.rungs]
            texts = [LOWEST, *sorted(_texts(among) - {LOWEST})]
            found = {LOWEST: Place(LOWEST, 0.0, 0.0, 0.0, 0, 0.5, True)}
            if among:
                table = _table(texts, among)
                rated, points = rate(table), table.points()
                for i, text in enumerate(texts):
                    share = float(points[i] / max(1, rated.games[i]))
                    ends = (float(rated.elo[i]), float(rated.low[i]), float(rated.high[i]))
                    found[text] = Place(text, *ends, int(rated.games[i]), share, True)
            self._fitted = len(games), dict(sorted(found.items(), key=lambda item: item[1].elo))
        return self._fitted[1]

    def place(self, text: str) -> Place | None:
        """Return where a player stands by its games against rungs; None before it has any."""
        rungs = self.rung_places()
        if text in rungs:
            return rungs[text]
        games = self._against_rungs(text)
        if not games:
            return None
        texts = [*rungs, text]
        held = np.array([*(place.elo for place in rungs.values()), np.nan])
        table = _table(texts, games)
        rated = rate(table, texts.index(LOWEST), held=held)
        me = len(texts) - 1
        ends = (float(rated.elo[me]), float(rated.low[me]), float(rated.high[me]))
        return Place(text, *ends, len(games), float(rated.scores[me]), False)

    def places(self) -> list[Place]:
        """Return all players, the best first."""
        others = _texts(self.own.games) - set(self.rungs)
        found = [place for text in others if (place := self.place(text))]
        return sorted([*self.rung_places().values(), *found], key=lambda p: (-p.elo, p.text))

    def meetings(self, text: str) -> dict[str, tuple[int, int, int]]:
        """Return wins, draws and losses of a player against each rung that it has met."""
        found: dict[str, list[int]] = {}
        for game in self._against_rungs(text):
            other, result = game.second, game.result
            if game.second == text:
                other, result = game.first, -result
            found.setdefault(other, [0, 0, 0])[1 - result] += 1
        order = [rung for rung in self.rung_places() if rung in found]
        return {rung: (found[rung][0], found[rung][1], found[rung][2]) for rung in order}

    def equal_search(self, text: str) -> EqualSearch | None:
        """Return how a player has done against one that counts pieces and searches as it does."""
        opponent = self._counter(text)
        games = self._between(text, opponent) if opponent else []
        if opponent is None or not games:
            return None
        table = _table([text, opponent], games)
        found = elo_difference(Tally.of_table(table, 0, 1))
        ends = expected_score(found.low), expected_score(found.high)
        return EqualSearch(opponent, *table.counts_of(0), found.score, *ends)

    def _counter(self, text: str) -> str | None:
        if text not in self._counters:
            self._counters[text] = counter_of(text, self.game)
        found = self._counters[text]
        return None if found == text else found

    def _between(self, one: str, other: str) -> list[LadderGame]:
        return [game for game in self.games if {game.first, game.second} == {one, other}]

    def _against_rungs(self, text: str) -> list[LadderGame]:
        rungs = self.rung_places()
        return [
            game
            for game in self.games
            if (game.first == text and game.second in rungs)
            or (game.second == text and game.first in rungs)
        ]

    # --- climbing ---------------------------------------------------------------------------------

    def measure_equal(
        self, text: str, games: int = 100, seed: int = 1, threads: int = 0, tell: Tell | None = None
    ) -> EqualSearch | None:
        """Return the result of that many games at equal search, or None if the player has no such
        opponent.

        It needs no rung; games that were played before are not played again.
        """
        require_pairs(games)
        self._recognise(text)
        opponent = self._counter(text)
        if text not in self.rungs and opponent:
            play = _Climb(self, seed, threads, tell or (lambda *told: None))
            play.against(text, opponent, games)
        return self.equal_search(text)

    def measure(
        self, text: str, games: int = 100, seed: int = 1, threads: int = 0, tell: Tell | None = None
    ) -> Place:
        """Return where a player stands after that many games at equal search, and as many against
        rungs near it; those that were played before are not played again."""
        self.measure_equal(text, games, seed, threads, tell)
        self.put_up(seed, threads, tell)
        play = _Climb(self, seed, threads, tell or (lambda *told: None))
        if text not in self.rungs:
            # Games at equal search are further games, if they are against a rung at all.
            opponent = self._counter(text)
            met = min(games, len(self._between(text, opponent))) if opponent else 0
            play.up(text, games + (met if opponent in self.rung_places() else 0))
        elif text not in self.rung_places():
            play.up(text, wanted_games(text))
        found = self.place(text)
        assert found is not None
        return found

    def put_up(
        self, seed: int = 1, threads: int = 0, tell: Tell | None = None, every: bool = False
    ) -> None:
        """Have rungs play that have not played yet: the quick ones, or `every` one that can play
        here."""
        play = _Climb(self, seed, threads, tell or (lambda *told: None))
        if every and EVERY not in self.own.made_by:
            self.own.made_by += f" {EVERY}"
        for text in self.rungs[1:]:
            if (every or effort(text) <= QUICK) and self.missing(text) and self.can_play(text):
                play.up(text, wanted_games(text))

    def missing(self, text: str) -> bool:
        """Tell whether a rung has not played all its games yet."""
        placed = self.rung_places().get(text)
        return placed is None or placed.games < wanted_games(text)

    def can_play(self, text: str) -> bool:
        """Tell whether a rung can be met here."""
        if text not in self._playable:
            self._playable[text] = can_play(text, self.game)
        return self._playable[text]

    def _recognise(self, text: str) -> None:
        """Check the player's text; drop the games of another player with the same text."""
        with borrowed_player(text, self.game) as player:
            mark = _mark(text, player)
        if self.own.marks.get(text, mark) != mark:
            self.own.forget([text])
        self.own.marks |= {text: mark} if mark else {}

    def opening(self, seed: int, number: int) -> Array:
        """Return the position that the numbered game of a seed begins from."""
        known = self._openings.get(seed)
        if known is None or len(known) <= number:
            known = start_positions(self.game, 2 * number + 16, address(seed, "ladder"), None)
            self._openings[seed] = known
        return np.asarray(known[number])

    def save(self) -> None:
        """Save everything that is not shipped; what others have saved meanwhile stays."""
        merge_ladder(self.path, self.own)


class _Climb:
    """Plays rounds of games for players on their way up."""

    def __init__(self, ladder: Ladder, seed: int, threads: int, tell: Tell) -> None:
        self.ladder, self.seed, self.threads, self.tell = ladder, seed, threads, tell

    def up(self, text: str, games: int) -> None:
        """Play until the player has that many games; the ladder grows where it is too short."""
        ladder = self.ladder
        while (played := self._played(text)) < games:
            if text not in ladder.rungs:
                self._extend(text)
            place = ladder.place(text)
            self.tell(text, 0, games, np.nan if place is None else place.elo)
            some = min(games - played, max(FIRST_ROUND, min(ROUND, played)))
            self._play(text, self._opponents(text, max(1, some // 2)), games)

    def against(self, text: str, opponent: str, games: int) -> None:
        """Play until two players have met that many times."""
        while (played := len(self.ladder._between(text, opponent))) < games:
            self.tell(text, 0, games, np.nan)
            self._play(text, [opponent] * max(1, min(ROUND, games - played) // 2), games)

    def _played(self, text: str) -> int:
        return len(self.ladder._against_rungs(text))

    def _extend(self, text: str) -> None:
        """Set up the next rung of a kind that may match a player about to pass them all."""
        ladder = self.ladder
        place, rungs = ladder.place(text), ladder.rung_places()
        met = [rung for rung in rungs.values() if ladder.can_play(rung.text)]
        if place is None or place.elo < max(rung.elo for rung in met) - BELOW_TOP:
            return
        for new in ladder.rungs:
            kind = split_options(new)[0]
            of_kind = [rung.elo for rung in met if split_options(rung.text)[0] == kind]
            near = bool(of_kind) and max(of_kind) > place.elo - OUT_OF_REACH
            if new not in rungs and near and ladder.can_play(new):
                self.up(new, wanted_games(new))
                return

    def _play(self, text: str, chosen: Sequence[str], total: int) -> None:
        """Play a pair of games against each, and keep those that ended, whatever happens."""
        ladder = self.ladder
        schedule, numbers = self._schedule(text, chosen)
        players = [text, *dict.fromkeys(chosen)]

        ended: list[EndedGame] = []

        def note(game: EndedGame) -> None:
            ended.append(game)  # one step under the GIL
            self.tell(text, 1, total, np.nan)

        terms = Terms(address(self.seed, "ladder", text, len(ladder.games)), threads=self.threads)
        try:
            play_schedule(ladder.game, players, schedule, terms, note)
        finally:
            for game in sorted(ended, key=lambda game: game.number):
                pair, opening = (players[game.first], players[game.second]), numbers[game.opening]
                ladder.own.games.append(LadderGame(*pair, opening, game.record.result))
            if ended:
                ladder.save()

    def _opponents(self, text: str, pairs: int) -> list[str]:
        """Return the opponents of the next pairs of games: the rungs that tell most for the time
        they take."""
        ladder = self.ladder
        rungs = [
            rung for rung in ladder.rung_places().values()
            if rung.text != text and ladder.can_play(rung.text)
        ]  # fmt: skip
        place = ladder.place(text)
        # A player without games starts in the middle.
        elo = place.elo if place else float(np.median([rung.elo for rung in rungs]))
        met = Counter(
            game.first if game.second == text else game.second
            for game in ladder._against_rungs(text)
        )
        found = []
        for _ in range(pairs):

            def worth(rung: Place) -> float:
                share = expected_score(elo - rung.elo)
                cost = MOVES * effort(rung.text) + OVERHEAD
                return (share * (1 - share)) ** 2 / cost**0.5 / (1 + met[rung.text] / FEW)

            best = max(rungs, key=worth)
            met[best.text] += 2
            found.append(best.text)
        return found

    def _schedule(self, text: str, chosen: Sequence[str]) -> tuple[Schedule, list[int]]:
        """Return pairs of games from openings that the two have not met in yet, and the numbers of
        these openings."""
        used = dict.fromkeys(chosen, 0)
        for game in self.ladder.games:
            other = game.first if game.second == text else game.second
            seed, place = divmod(game.opening, SEEDS_APART)
            if text in game[:2] and other in used and seed == self.seed:
                used[other] = max(used[other], place + 1)
        order = {rung: number for number, rung in enumerate(dict.fromkeys(chosen), 1)}
        places, pairs = [], []
        for rung in chosen:
            places.append(used[rung])
            used[rung] += 1
            pairs.append((0, order[rung]))
        openings = np.stack([self.ladder.opening(self.seed, place) for place in places])
        opening_of = np.repeat(np.arange(len(places)), 2)
        schedule = Schedule(both_colours(np.array(pairs, np.int64)), opening_of, openings)
        return schedule, [SEEDS_APART * self.seed + place for place in places]


def wanted_games(text: str) -> int:
    """Return how many games put a rung up."""
    return RUNG_GAMES if effort(text) <= QUICK else COSTLY_GAMES


def _table(texts: Sequence[str], games: Sequence[LadderGame]) -> ResultTable:
    """Return games as a table of players that are numbered as their texts are."""
    place = {text: number for number, text in enumerate(texts)}
    rows = [(place[game.first], place[game.second]) for game in games]
    openings = [game.opening for game in games]
    return ResultTable.of(len(texts), rows, [game.result for game in games], openings)


def _texts(games: Iterable[LadderGame]) -> set[str]:
    return {text for game in games for text in game[:2]}


def _rules(game: Game) -> dict[str, Any]:
    """Return what decides a ladder's games besides the players."""
    rules = {"game": game.name, "version": game.version, "options": _plain(game.options)}
    if not game.built_in:  # authors change a game without raising its version
        source = Path(game.file).read_bytes()
        rules["source"] = hashlib.blake2b(source, digest_size=8).hexdigest()
    return {**rules, "opening plies": game.opening_plies, "draws": asdict(game.draws)}


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in options.items()}


def _file_name(game: Game) -> str:
    """Return the name of a ladder's file, without its ending: the game with its options."""
    name = game_spec(game)
    if not game.built_in:
        name = game.name + name.removeprefix(game.file)
    if game.start_state is not None:
        name += "-" + hashlib.blake2b(game.start_state.tobytes(), digest_size=4).hexdigest()
    return as_name(name, 100, "game")


def _mark(text: str, player: Player) -> str:
    """Return what distinguishes players with the same text, "" if a text always means the same
    one."""
    kind = split_options(text)[0]
    made = hashlib.blake2b(digest_size=8)
    if kind.endswith(".py"):
        made.update(Path(kind).read_bytes())
    elif kind in CHANGING and isinstance(player, SearchPlayer):
        made.update(repr((player.searcher.module.__name__, player.searcher.settings)).encode())
        made.update(digest(player.network))
    else:
        return ""
    return made.hexdigest()
