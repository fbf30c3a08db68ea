"""Commands in which players meet: match, tournament."""

from __future__ import annotations

import threading
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from evoboard.arena.contest import Contest, EndedGame, Terms, play_contest
from evoboard.arena.sprt import MOST_GAMES as MOST_TESTED
from evoboard.arena.sprt import Sprt
from evoboard.arena.standings import MatchResult, Standings
from evoboard.cli.convert import Save, require_new, save_contest
from evoboard.cli.options import PLAYER, GameOption, Json, Openings, Seed, Threads
from evoboard.cli.printing import command, plain_table, print_json, progress_bars, table_console
from evoboard.core.errors import OptionError
from evoboard.core.wording import counted, elo_words
from evoboard.games.base import Game, load_game

Plies = Annotated[
    int | None,
    typer.Option(help="Draw when a game reaches this many plies; 0: never.", min=0, max=100_000),
]
Quiet = Annotated[
    int | None,
    typer.Option(
        "--quiet", help="Draw after this many plies without progress; 0: never.", min=0, max=100_000
    ),
]
Repetitions = Annotated[
    int | None,
    typer.Option(help="Draw when a position occurs this many times; 0: never.", min=0, max=1000),
]

MOST_GAMES = 1_000_000  # kept in memory with all their moves


@command(
    "evoboard match material:depth=2 random --game chess --games 20",
    "evoboard match run:mine@best run:mine@gen=0 --game kingcapture --save games.pgn",
    "evoboard match champion material:depth=3 --game kingcapture --plies 100",
    "evoboard match champion:seconds=0.1 champion:seconds=0.1,null_move=0 --game chess --sprt 0,10",
    "evoboard match mcts:rounds=200 perfect --game nim:heaps=3/5/7 --json",
)
def match(
    first: Annotated[str, typer.Argument(metavar="A", help=PLAYER)],
    second: Annotated[str, typer.Argument(metavar="B", help=PLAYER)],
    game: GameOption,
    games: Annotated[
        int | None,
        typer.Option(
            help="How many games, by default 100 (with --sprt at most, 20,000); an even number, "
            "because openings are played in pairs.",
            max=MOST_GAMES,
        ),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="ELO0,ELO1",
            help="End as soon as it is decided whether A is ELO1 stronger than B or only ELO0, "
            "with 5% of errors.",
        ),
    ] = None,
    seed: Seed = 1,
    openings: Openings = None,
    plies: Plies = None,
    quiet: Quiet = None,
    repetitions: Repetitions = None,
    threads: Threads = 0,
    save: Save = None,
    as_json: Json = False,
) -> None:
    """Play A against B: wins, draws and losses of A, and Elo with its 95% interval."""
    test = None if sprt is None else Sprt.parse(sprt)
    games = games if games is not None else MOST_TESTED if test else 100
    loaded = load_game(game)
    require_new(save, loaded)
    rules = loaded.draws.changed(plies=plies, quiet=quiet, repetitions=repetitions)
    terms = Terms(seed, openings, rules, threads)
    contest = _with_progress(loaded, [first, second], games, terms, quiet=as_json, sprt=test)
    result, done = MatchResult(contest, test), len(contest.records)
    if test and test.accepted(result.tally) is not None:
        games = done
    estimate, data = result.estimate, result.as_data()
    how = _played_how(loaded, terms)
    if as_json:
        cut = {"interrupted": True} if done < games else {}
        print_json({**data, "players": [first, second], **how, **cut})
        save_contest(contest, loaded, save)
        return _end(done, games)
    console = table_console()
    who = f"[bold]{escape(first)}[/] against [bold]{escape(second)}[/]"
    console.print(f"{who}, {escape(loaded.name)}, {_so_many(done, games)}")
    numbers = "  ".join(f"{name} {data[name]}" for name in ("wins", "draws", "losses"))
    console.print(f"{numbers}  score {estimate.score:.1%}")
    sides = [
        f"as {escape(name)} +{won} ={drawn} -{lost}"
        for name, (won, drawn, lost) in zip(
            loaded.sides, (result.counts_as(0), result.counts_as(1)), strict=True
        )
    ]
    console.print(f"[dim]{', '.join(sides)}[/]")
    elo = elo_words(estimate.elo, estimate.low, estimate.high)
    console.print(f"Elo {elo}   better with probability {_share(estimate.los)}")
    if test:
        console.print(test.words(result.tally))
    ended = ", ".join(f"{why} {n}" for why, n in result.endings().items())
    console.print(f"ended by: {escape(ended)}")
    console.print(f"[dim]{_openings(games, how)}[/]")
    save_contest(contest, loaded, save, console)
    return _end(done, games)


@command(
    "evoboard tournament random material mcts --game kingcapture",
    "evoboard tournament run:a run:b random --game draughts --anchor random",
    "evoboard tournament champion uci:stockfish,nodes=10 uci:stockfish,nodes=100 "
    "--game chess --gauntlet",
)
def tournament(
    texts: Annotated[list[str], typer.Argument(metavar="PLAYER", help="Two or more players.")],
    game: GameOption,
    games: Annotated[
        int,
        typer.Option(help="Games between each pair of players; an even number.", max=MOST_GAMES),
    ] = 20,
    anchor: Annotated[
        str, typer.Option(help="The player whose rating is 0; by default the first.")
    ] = "",
    gauntlet: Annotated[
        bool, typer.Option("--gauntlet", help="Only the first player meets the others.")
    ] = False,
    seed: Seed = 1,
    openings: Openings = None,
    plies: Plies = None,
    quiet: Quiet = None,
    repetitions: Repetitions = None,
    threads: Threads = 0,
    save: Save = None,
    as_json: Json = False,
) -> None:
    """Play a round robin: ratings with intervals, and the cross-table."""
    loaded = load_game(game)
    require_new(save, loaded)
    if anchor and anchor not in texts:
        raise OptionError(f"the anchor {anchor!r} is not among the players: {', '.join(texts)}.")
    if len(set(texts)) < len(texts):
        raise OptionError("a player is named twice; name each once, or give it another option.")
    rules = loaded.draws.changed(plies=plies, quiet=quiet, repetitions=repetitions)
    terms = Terms(seed, openings, rules, threads)
    contest = _with_progress(loaded, texts, games, terms, as_json, gauntlet)
    done, total = len(contest.records), _total(games, texts, gauntlet)
    how = _played_how(loaded, terms)
    standings = Standings(contest, texts.index(anchor) if anchor else 0)
    if as_json:
        header = {**how, "games": games, "gauntlet": gauntlet, "anchor": anchor or texts[0]}
        cut = {"interrupted": True} if done < total else {}
        print_json({**header, **standings.as_data(), **cut})
        save_contest(contest, loaded, save)
        return _end(done, total)
    console = table_console()
    if done < total:
        console.print(_so_many(done, total))
    console.print(_ratings(standings))
    console.print(f"[dim]{_openings(games, how)}[/]")
    save_contest(contest, loaded, save, console)
    return _end(done, total)


def _ratings(standings: Standings) -> Table:
    """Return the ratings and the cross-table for people."""
    table = plain_table()
    places = (str(n + 1) for n in range(len(standings.order)))
    for heading in ("", "player", "Elo", "95%", "points", *places):
        wide = heading == "player"
        justify: Literal["left", "right"] = "left" if wide else "right"
        table.add_column(heading, justify=justify, no_wrap=not wide, overflow="fold")
    for place, i in enumerate(standings.order):
        elo, low, high = standings.elo[i]
        interval = "anchor" if i == standings.anchor else f"{low:+.0f} … {high:+.0f}"
        points = f"{standings.points[i]:g}/{int(standings.played[i])}"
        met = [_cell(standings.cross, i, j) for j in standings.order]
        name = escape(standings.names[i])
        table.add_row(str(place + 1), name, f"{elo:+.0f}", interval, points, *met)
    return table


def _so_many(done: int, total: int) -> str:
    """Return how many games there were, and that there should have been more."""
    if done < total:
        return f"[yellow]interrupted after {done:,} of {counted(total, 'game')}[/]"
    return counted(total, "game")


def _end(done: int, total: int) -> None:
    """End the command; after Ctrl-C with the exit status that shells expect."""
    if done < total:
        raise typer.Exit(130)


def _total(games: int, texts: list[str], gauntlet: bool) -> int:
    """Return how many games a contest has."""
    pairs = len(texts) - 1 if gauntlet else len(texts) * (len(texts) - 1) // 2
    return games * pairs


def _with_progress(
    game: Game,
    texts: list[str],
    games: int,
    terms: Terms,
    quiet: bool,
    gauntlet: bool = False,
    sprt: Sprt | None = None,
) -> Contest:
    """Play with a bar that also tells how the first player stands."""
    total = _total(games, texts, gauntlet)
    counts, lock = [0, 0, 0], threading.Lock()
    ended: list[EndedGame] = []
    with progress_bars(quiet) as bar:
        task = bar.add_task("playing", total=total)

        def tell(done: EndedGame) -> None:
            with lock:
                ended.append(done)
                if 0 in (done.first, done.second):
                    result = done.record.result
                    counts[1 - result if done.first == 0 else 1 + result] += 1
                won, drawn, lost = counts
                bar.update(task, advance=1, description=f"+{won} ={drawn} -{lost}")

        try:
            return play_contest(game, texts, games, terms, tell, gauntlet=gauntlet, sprt=sprt)
        except KeyboardInterrupt:
            if not ended:
                raise
            return Contest.of(texts, ended)


def _played_how(game: Game, terms: Terms) -> dict[str, Any]:
    """Return what else decides the games of a contest, for those who want to repeat it."""
    plies = game.opening_plies if terms.opening_plies is None else terms.opening_plies
    rules = {"game": game.name, "options": game.options, "version": game.version}
    draws = vars(terms.draws or game.draws)
    return {**rules, "seed": terms.seed, "opening_plies": plies, "draw_rules": dict(draws)}


def _openings(games: int, how: dict[str, Any]) -> str:
    plies, seed = how["opening_plies"], how["seed"]
    if plies == 0:
        return f"all games from the start position, seed {seed}"
    openings, length = counted(games // 2, "opening"), counted(plies, "random ply", "random plies")
    each = "each " if games > 2 else ""
    return f"{openings} of {length}, {each}played twice with sides swapped; seed {seed}"


def _share(probability: float) -> str:
    if probability > 0.999:
        return "> 99.9%"
    return "< 0.1%" if probability < 0.001 else f"{100 * probability:.1f}%"


def _cell(cross: Any, row: int, column: int) -> str:
    if row == column:
        return "–"
    if not cross.games[row, column]:
        return ""  # they have not met
    return f"{cross.wins[row, column] + cross.draws[row, column] / 2:g}"
