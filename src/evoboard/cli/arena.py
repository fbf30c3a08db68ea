"""Commands about players: players, match, tournament, analyse."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from evoboard.arena.contest import Contest, Terms, play_contest
from evoboard.arena.elo import EloEstimate, Tally, elo_difference
from evoboard.arena.match import GameRecord
from evoboard.arena.ratings import RatingTable, rate
from evoboard.cli.board import draw
from evoboard.cli.printing import Json, print_json
from evoboard.core.errors import OptionError
from evoboard.games.base import Game, load_game
from evoboard.games.rules import ONGOING, Array
from evoboard.players.base import Player, make_player, player_names
from evoboard.search.base import Thought, find_search, search_names
from evoboard.search.values import BOUND, WON

PlayerText = Annotated[
    str, typer.Argument(help="KIND or KIND:option=value,… (`evoboard players`).")
]
GameOption = Annotated[str, typer.Option("--game", "-g", help="The game, with its options.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Openings = Annotated[
    int | None, typer.Option(help="Random plies before each pair of games.", min=0)
]
Threads = Annotated[int, typer.Option(help="0 uses every core.", min=0)]

MOST_GAMES = 1_000_000  # kept in memory with all their moves


def add_to(app: typer.Typer) -> None:
    """Register this file's commands."""
    app.command()(players)
    app.command()(match)
    app.command()(tournament)
    app.command()(analyse)


def players(as_json: Json = False) -> None:
    """List the kinds of players and how to write them."""
    from evoboard.core import catalog

    found = {n: catalog.find("player", "evoboard.players", n, "player_for") for n in player_names()}
    if as_json:
        return print_json(
            {n: {"summary": m.SUMMARY, "options": m.OPTIONS} for n, m in found.items()}
        )
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("player", "what it does", "options"):
        table.add_column(heading)
    for name, module in found.items():
        table.add_row(f"[cyan]{name}[/]", module.SUMMARY, module.OPTIONS or "–")
    Console().print(table)
    print(
        "\nWritten KIND or KIND:option=value,…, such as material:depth=3,search=pvs. The searches:"
    )
    for search in search_names():
        fields = find_search(search).Settings._field_defaults
        print(f"  {search}: {', '.join(f'{name}={value}' for name, value in fields.items())}")


def match(
    first: PlayerText,
    second: PlayerText,
    game: GameOption,
    games: Annotated[
        int, typer.Option(help="An even number: openings are played in pairs.", max=MOST_GAMES)
    ] = 100,
    seed: Seed = 1,
    openings: Openings = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Play A against B: wins, draws and losses of A, and Elo with its 95 % interval."""
    played = load_game(game)
    terms = Terms(seed, openings, None, threads)
    contest = _with_progress(played, [first, second], games, terms, quiet=as_json)
    tally = Tally.of_table(contest.table, 0, 1)
    estimate = elo_difference(tally)
    data = _match_data(contest, estimate)
    how = _played_how(played, terms)
    if as_json:
        return print_json({**data, "players": [first, second], **how})
    console = Console(highlight=False)
    console.print(f"[bold]{first}[/] against [bold]{second}[/], {played.name}, {games} games")
    counted = "  ".join(f"{name} {data[name]}" for name in ("wins", "draws", "losses"))
    console.print(f"{counted}  score {estimate.score:.1%}")
    console.print(f"Elo {_elo(estimate)}   better with probability {_share(estimate.los)}")
    console.print(f"ended by: {_reasons(contest.records)}")
    console.print(f"[dim]{_openings(games, how)}[/]")


def tournament(
    texts: Annotated[list[str], typer.Argument(metavar="PLAYER…", help="Two players or more.")],
    game: GameOption,
    games: Annotated[
        int, typer.Option(help="Games between every two players, even.", max=MOST_GAMES)
    ] = 20,
    anchor: Annotated[str, typer.Option(help="The player whose rating is 0; the first one.")] = "",
    seed: Seed = 1,
    openings: Openings = None,
    threads: Threads = 0,
    as_json: Json = False,
) -> None:
    """Let every player meet every other: ratings with intervals, and the cross-table."""
    played = load_game(game)
    if anchor and anchor not in texts:
        raise OptionError(f"the anchor {anchor!r} is not among the players: {', '.join(texts)}.")
    if len(set(texts)) < len(texts):
        raise OptionError("a player is named twice; name each once, or give it another option.")
    terms = Terms(seed, openings, None, threads)
    contest = _with_progress(played, texts, games, terms, as_json)
    ratings = rate(contest.table, texts.index(anchor) if anchor else 0)
    cross, points = contest.table.cross(), contest.table.points()
    order = [int(i) for i in ratings.order()]
    if as_json:
        rows = [
            {"player": texts[i], "elo": float(ratings.elo[i]), "elo_low": float(ratings.low[i]),
             "elo_high": float(ratings.high[i]), "points": float(points[i])}
            for i in order
        ]  # fmt: skip
        against = [[float(v) for v in row] for row in cross.points()]
        header = {**_played_how(played, terms), "games": games, "anchor": anchor or texts[0]}
        return print_json({**header, "ratings": rows, "players": texts, "points": against})
    table = Table(header_style="bold", box=None, padding=(0, 2, 0, 0))
    for heading in (
        "",
        "player",
        "Elo",
        "95 %",
        "points",
        *(str(n + 1) for n in range(len(order))),
    ):
        name = heading == "player"
        justify: Literal["left", "right"] = "left" if name else "right"
        table.add_column(heading, justify=justify, no_wrap=not name, overflow="fold")
    for place, i in enumerate(order):
        met = [_cell(cross, i, j) for j in order]
        interval = _interval(ratings, i)
        played_games = int(contest.table.played()[i])
        table.add_row(
            str(place + 1),
            texts[i],
            f"{ratings.elo[i]:+.0f}",
            interval,
            f"{points[i]:g}/{played_games}",
            *met,
        )
    console = Console(highlight=False)
    console.print(table)
    console.print(f"[dim]{_openings(games, _played_how(played, terms))}[/]")


def analyse(
    player: PlayerText,
    game: GameOption,
    state: Annotated[
        str | None, typer.Option("--state", help="Position; the start if left out.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Thinking time.")] = None,
    as_json: Json = False,
) -> None:
    """Ask a player about a position: its value, the best line, the value of every move."""
    played = load_game(game)
    position = played.initial() if state is None else played.parse_state(state)
    if played.outcome(position) != ONGOING:
        raise OptionError(f"the game is over in this position: {played.reason(position)}.")
    thinker = make_player(_asking_for_all(player, played), played)
    thought = _think(thinker, position, seconds)
    line, at = [], position
    for move in thought.line:
        line.append(played.move_label(at, move))
        at = played.apply(at, move)
    values = {played.move_label(position, m): v for m, v in thought.move_values.items()}
    best = dict(sorted(values.items(), key=lambda item: -item[1]))
    if as_json:
        told = {name: getattr(thought, name) for name in ("value", "nodes", "depth", "seconds")}
        answer = played.move_text(position, thought.move)
        return print_json({"move": answer, **told, "line": line, "moves": best})
    console = Console(highlight=False)
    draw(played.view(position), console)
    side = played.sides[played.side(position)]
    console.print(f"\n[bold]{side}[/] plays [bold]{played.move_label(position, thought.move)}[/]")
    console.print(f"value {_value(thought.value)}   line {' '.join(line)}", markup=False)
    looked = f"{thought.nodes:,} position{'' if thought.nodes == 1 else 's'}"
    console.print(f"{looked} looked at, depth {thought.depth}, {thought.seconds:.3f} s")
    for label, value in best.items():
        console.print(f"{label:>10} {_value(value)}", markup=False)


def _think(player: Player, state: Array, seconds: float | None) -> Thought:
    """Return the player's thought; Ctrl-C stops it, and it answers with what it has so far."""
    status = Console(stderr=True).status("thinking … (Ctrl-C: answer now)")
    with status, ThreadPoolExecutor(1) as pool:
        future = pool.submit(player.think, state, 1, seconds)
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                player.stop()


def _asking_for_all(text: str, game: Game) -> str:
    """Return the player's text with `all_values` switched on, where its search has that."""
    asking = f"{text}{',' if ':' in text else ':'}all_values=1"
    try:
        make_player(asking, game)
    except OptionError:
        return text
    return asking


def _with_progress(game: Game, texts: list[str], games: int, terms: Terms, quiet: bool) -> Contest:
    """Play with a bar that also tells how the first player stands."""
    total = games * len(texts) * (len(texts) - 1) // 2
    counts, lock = [0, 0, 0], threading.Lock()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task("playing", total=total)

        def tell(record: GameRecord, first: int, second: int) -> None:
            with lock:
                if 0 in (first, second):
                    counts[1 - record.result if first == 0 else 1 + record.result] += 1
                won, drawn, lost = counts
                bar.update(task, advance=1, description=f"+{won} ={drawn} -{lost}")

        return play_contest(game, texts, games, terms, tell)


def _match_data(contest: Contest, estimate: EloEstimate) -> dict[str, Any]:
    results = contest.table.results_of(0)
    return {
        "wins": int((results > 0).sum()),
        "draws": int((results == 0).sum()),
        "losses": int((results < 0).sum()),
        "score": estimate.score,
        "elo": estimate.elo,
        "elo_low": estimate.low,
        "elo_high": estimate.high,
        "los": estimate.los,
        "games": estimate.games,
    }


def _played_how(game: Game, terms: Terms) -> dict[str, Any]:
    """Return what else decides the games of a contest, for those who want to repeat it."""
    plies = game.opening_plies if terms.opening_plies is None else terms.opening_plies
    rules = {"game": game.name, "options": game.options, "version": game.version}
    return {**rules, "seed": terms.seed, "opening_plies": plies}


def _openings(games: int, how: dict[str, Any]) -> str:
    plies, seed = how["opening_plies"], how["seed"]
    if plies == 0:
        return f"all games from the start position, seed {seed}"
    return f"{games // 2} openings of {plies} random plies, each with both sides; seed {seed}"


def _share(probability: float) -> str:
    if probability > 0.999:
        return "> 99.9 %"
    return "< 0.1 %" if probability < 0.001 else f"{100 * probability:.1f} %"


def _elo(estimate: EloEstimate) -> str:
    return f"{estimate.elo:+.0f} ({estimate.low:+.0f} … {estimate.high:+.0f})"


def _value(value: float) -> str:
    """Return a value as people read it: a number, or a win or loss in so many plies."""
    if abs(value) <= BOUND:
        return f"{value + 0.0:+.3f}"  # never -0.000
    plies = int(WON) - int(abs(value))
    return f"{'wins' if value > 0 else 'loses'} in {plies} {'ply' if plies == 1 else 'plies'}"


def _reasons(records: tuple[GameRecord, ...]) -> str:
    counts: dict[str, int] = {}
    for record in records:
        counts[record.reason] = counts.get(record.reason, 0) + 1
    return ", ".join(f"{why} {n}" for why, n in sorted(counts.items(), key=lambda item: -item[1]))


def _interval(ratings: RatingTable, player: int) -> str:
    if player == ratings.anchor:
        return "anchor"
    return f"{ratings.low[player]:+.0f} … {ratings.high[player]:+.0f}"


def _cell(cross: Any, row: int, column: int) -> str:
    if row == column:
        return "–"
    return f"{cross.wins[row, column] + cross.draws[row, column] / 2:g}"
