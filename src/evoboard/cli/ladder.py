"""The command ladder: where players stand among fixed ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from evoboard.arena.ladder import EqualSearch, Ladder, Place, Tell
from evoboard.cli.options import PLAYER, GameOption, Json, Seed, Threads
from evoboard.cli.printing import command, named_bars, print_json, table_console
from evoboard.core.errors import EvoboardError
from evoboard.core.wording import counted, share_words
from evoboard.games.base import load_game
from evoboard.pictures.ladder import draw_ladder
from evoboard.players.base import borrowed_player
from evoboard.players.equal_search import search_words

WIDE, NARROW = 40, 12  # columns of bars


@command(
    "evoboard ladder champion --game kingcapture",
    "evoboard ladder run:mine@best run:mine@gen=0 --game draughts --games 200",
    "evoboard ladder --game chess                 # the ladder as it stands",
    "evoboard ladder --game FILE.py --every-rung  # let the slow rungs play, too",
)
def ladder(
    game: GameOption,
    texts: Annotated[list[str] | None, typer.Argument(metavar="PLAYER", help=PLAYER)] = None,
    games: Annotated[
        int,
        typer.Option(
            help="Games at equal search, and as many on the ladder; an even number.", min=2
        ),
    ] = 100,
    every_rung: Annotated[
        bool, typer.Option("--every-rung", help="First let all rungs play, even the slow ones.")
    ] = False,
    seed: Seed = 1,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Rate players: first at equal search, then Elo on the game's ladder of fixed players."""
    loaded, console = load_game(game), table_console()
    found, wanted, cut = Ladder(loaded), list(dict.fromkeys(texts or ())), False
    told: set[str] = set()
    try:
        for text in wanted:  # what needs no rung comes first: putting them up may take hours
            with _bars(as_json) as tell:
                equal = found.measure_equal(text, games, seed, threads, tell)
            if equal and not as_json:
                console.print(f"[bold]{escape(text)}[/] {equal_words(found, text, equal)}")
                told.add(text)
        with _bars(as_json) as tell:
            found.put_up(seed, threads, tell, every=every_rung)
            for text in wanted:
                found.measure(text, games, seed, threads, tell)
    except KeyboardInterrupt:
        cut = True
    places = found.places()
    picture = None
    if found.own.games:
        picture = found.path.with_suffix(".svg")
        draw_ladder(places, f"{loaded.title}: the ladder").save(picture)
    if as_json:
        cutting = {"interrupted": True} if cut else {}
        where = {"file": str(found.path), "picture": picture and str(picture)}
        rules = {"game": loaded.name, "options": loaded.options, "seed": seed}
        data = {**rules, "players": [_data(found, t) for t in wanted], **where}
        print_json({**data, "ladder": [place._asdict() for place in places], **cutting})
    else:
        for text in wanted:
            for line in _player_lines(found, text, text in told):
                console.print(line)
        _print_ladder(console, places, set(wanted))
        for problem in _problems(found, places):
            console.print(f"[yellow]{escape(problem)}[/]", soft_wrap=True)
        console.print(
            "[dim]95%: for rungs relative to random moves, for others relative to the rungs[/]"
        )
        if picture:
            console.print(f"[dim]games: {found.path}, picture: {picture}[/]", soft_wrap=True)
        if cut:
            console.print("[yellow]interrupted; the same command continues from here[/]")
    if cut:
        raise typer.Exit(130)


@contextmanager
def _bars(quiet: bool) -> Iterator[Tell]:
    """Give what shows how far each player is."""
    with named_bars(quiet) as show:

        def tell(who: str, ended: int, total: int, elo: float) -> None:
            show(who, ended, total, "" if math.isnan(elo) else f"{who}  Elo {elo:+.0f}")

        yield tell


def _problems(ladder: Ladder, places: list[Place]) -> Iterator[str]:
    """Yield what is wrong with players that the file names and that cannot be made any more.

    Whether a rung can be met here is asked before it is met.
    """
    for text in (place.text for place in places if not place.rung):
        try:
            with borrowed_player(text, ladder.game):
                pass
        except EvoboardError as error:
            yield f"{text} has games in {ladder.path}, but cannot play: {error}"


def equal_words(ladder: Ladder, text: str, found: EqualSearch) -> str:
    """Return how a player did at equal search: "at equal search, depth 3: 61% ± 4 against …"."""
    games, plies = found.wins + found.draws + found.losses, ladder.game.draws.plies
    cap = f"at most {counted(plies, 'ply', 'plies')}" if plies else ""
    how = ", ".join(filter(None, ["at equal search", _how(ladder, text), cap]))
    share = share_words(found.share, found.low, found.high, digits=1)
    return (
        f"{how}: {share} against "
        f"{found.opponent} (+{found.wins} ={found.draws} −{found.losses}, {counted(games, 'game')})"
    )


def _player_lines(ladder: Ladder, text: str, equal_told: bool) -> Iterator[str]:
    """Yield what is known of a player, at equal search first, unless that has been printed."""
    equal, place = ladder.equal_search(text), ladder.place(text)
    if equal and not equal_told:
        yield f"[bold]{escape(text)}[/] {equal_words(ladder, text, equal)}"
    if place:
        ends = f"{place.low:+.0f} … {place.high:+.0f}"
        met = ladder.meetings(text).items()
        elo = f"[bold]{place.elo:+.0f}[/] ({ends}), {counted(place.games, 'game')}"
        yield f"[bold]{escape(text)}[/] Elo on the ladder: {elo}"
        if not place.rung:
            rows = "; ".join(f"{escape(who)} +{w} ={d} −{n}" for who, (w, d, n) in met)
            yield f"[dim]against rungs, most of which search differently: {rows}[/]"
    if not equal and not place:
        yield f"[bold]{escape(text)}[/] [yellow]no game has ended yet[/]"
    yield ""


def _how(ladder: Ladder, text: str) -> str:
    with borrowed_player(text, ladder.game) as player:
        return search_words(player)


def _print_ladder(console: Console, places: list[Place], wanted: set[str]) -> None:
    """Print all players, each with a bar from the lowest Elo to its own."""
    width = max([len("player"), *(len(place.text) for place in places)])
    bars = max(NARROW, min(WIDE, console.width - width - 30))
    low = min(0.0, *(place.elo for place in places)) if places else 0.0
    high = max([1.0, *(place.elo for place in places)])
    console.print(Text(f"{'player':<{width}}  {'Elo':>6}  {'95%':<15}", "bold"), soft_wrap=True)
    for place in places:
        known = place.low < place.high
        ends = f"{place.low:+.0f} … {place.high:+.0f}" if known else "by definition"
        bar = "█" * round(bars * (place.elo - low) / (high - low))
        look = "dim" if place.rung else "bold green" if place.text in wanted else "green"
        line = Text(f"{place.text:<{width}}", "" if place.rung else look)
        line.append(f"  {place.elo:>+6.0f}  {ends:<15} ").append(bar, look)
        console.print(line, soft_wrap=True)


def _data(ladder: Ladder, text: str) -> dict[str, Any]:
    equal, place = ladder.equal_search(text), ladder.place(text)
    return {
        "player": text,
        "search": _how(ladder, text),
        "equal_search": equal and equal._asdict(),
        "place": place and place._asdict(),
        "meetings": {
            who: dict(zip(("wins", "draws", "losses"), counts, strict=True))
            for who, counts in ladder.meetings(text).items()
        },
    }
