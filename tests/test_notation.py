"""PGN and PDN: what we write, others read; what others write, we read; no text does harm."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import draughts
import pytest
from draughts.PDN import PDNReader, PDNWriter
from typer.testing import CliRunner

from evoboard.arena.game_files import decoded, games_written, notation_of_file, read_games
from evoboard.arena.game_text import MOST_VARIATIONS, game_spec, read_text, written, written_result
from evoboard.arena.game_tree import Ending, GameTree, Node
from evoboard.arena.notation import pdn, pgn
from evoboard.arena.notation.base import notation_of, notations
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError, NotationError, OptionError
from evoboard.core.rng import stream
from evoboard.games.adjudication import PLAYING
from evoboard.games.base import Game
from evoboard.games.base import load_game as load_anew
from evoboard.players.base import make_player
from evoboard.web.sessions import Sessions
from evoboard.web.uploads import open_found, read_file
from oracles.draughts_oracle import canonical

load_game = lru_cache(None)(load_anew)
CHESS, DRAUGHTS, KINGS = load_game("chess"), load_game("draughts"), load_game("kingcapture")
# Where games begin: castling both ways, promotions, many pieces of one kind, en passant.
CHESS_STARTS = [
    "",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 9",
    "8/PPPk2PP/8/8/8/8/pp2Kppp/8 b - - 0 40",
    "4k3/1N3N2/8/1N3N2/Q2Q4/8/Q2Q4/4K3 w - - 0 1",
    "4k3/8/8/3pP3/2pPp3/8/PP3PPP/4K3 b - d3 0 17",
    "R6R/8/2k5/8/8/5K2/8/R6R w - - 12 60",
]
DRAUGHTS_STARTS = [
    "",
    "W:W18,19,22,23,26,27,K30:B2,K6,9,10,11,K14",
    "B:WK6,7,K14,15,18,22,23,26,27:BK1,2,K10,11,K31",
    "B:W18,19,26,27:BK15,1",
]


def random_tree(game: Game, start: str, seed: int, plies: int, player: Any = None) -> GameTree:
    """Return a game of random moves, or of a player's after some random ones."""
    rng = stream(seed, "notation", start)
    begin = game.parse_state(start) if start else None
    tree = GameTree(game, start=begin, players=("one", "two"))
    while tree.end.ply < plies and not tree.over(tree.end):
        state = tree.end.state
        legal = game.legal_moves(state)
        move = legal[int(rng.integers(len(legal)))]
        if player and tree.end.ply >= 4:
            move = player.think(tree.history(tree.end), seed).move
        tree.play(move)
    return tree


def grown(game: Game, *lines: str, **more: Any) -> GameTree:
    """Return a game of these lines, the main one first, each told from the start."""
    tree = GameTree(game, **more)
    for line in lines:
        node = tree.root
        for word in line.split():
            node = tree.add(node, game.parse_move(node.state, word))
        if tree.end is tree.root and line is lines[0]:
            tree.end = node
    tree.settle()
    return tree


def words(tree: GameTree, nodes: Iterable[Node]) -> tuple[str, ...]:
    """Return moves as our own text has them."""
    found = (n for n in nodes if n.parent)
    return tuple(tree.game.move_text(n.parent.state, n.move) for n in found)


def moves_of(tree: GameTree) -> tuple[str, ...]:
    """Return the moves of the main line."""
    return words(tree, tree.end.path())


def lines_in(tree: GameTree) -> list[tuple[str, ...]]:
    """Return all lines but the main one, each from the start."""
    return [words(tree, nodes[-1].path()) for nodes, _ in tree.branches()[1:]]


def positions(tree: GameTree) -> list[str]:
    """Return the position after every ply of a game."""
    return [tree.game.state_text(node.state) for node in tree.end.path()]


def bare_text(tree: GameTree) -> str:
    """Return a game as text, without its tags."""
    tags, tree.tags = tree.tags, {}
    text = written(tree)
    tree.tags = tags
    return text


def one(text: str) -> GameTree:
    """Return the only game of a text."""
    (found,) = read_games(text)
    return found.tree(load_game)


def chess_games() -> Iterator[GameTree]:
    """Yield 210 games: random ones from many positions, and searched ones that end in mates."""
    for seed in range(186):
        start = CHESS_STARTS[seed % len(CHESS_STARTS)]
        yield random_tree(CHESS, start, seed, 16)
    player = make_player("material:depth=2", CHESS)
    for seed in range(24):
        yield random_tree(CHESS, CHESS_STARTS[2 + seed % 2], seed, 30, player)


# --- chess --------------------------------------------------------------------------------------


def test_python_chess_reads_our_games_and_so_do_we() -> None:
    texts = list(chess_games())
    assert len(texts) >= 200
    file = games_written(texts, Path("games.pgn"))
    assert max(map(len, file.splitlines())) < 80
    assert "\n40... " in file  # a position tells the number of its move
    labels = file.split()
    assert "O-O" in labels
    assert "O-O-O" in labels
    several = ("[NQ][a-h]x?[a-h][1-8]", "[RQ][1-8]x?[a-h][1-8]", "Q[a-h][1-8]x?[a-h]")
    for pattern in (*several, "=[NBRQ]", "[+]", "#"):
        assert any(re.search(pattern, label) for label in labels), pattern
    assert set(map(written_result, texts)) == {"1-0", "0-1", "1/2-1/2", "*"}
    stream_, found = io.StringIO(file), read_games(file)
    assert len(found) == len(texts)
    for text, ours in zip(texts, found, strict=True):
        theirs = chess.pgn.read_game(stream_)
        assert theirs is not None
        assert not theirs.errors
        assert theirs.headers["Result"] == written_result(text)
        board, seen = theirs.board(), [theirs.board().fen()]
        for move in theirs.mainline_moves():
            board.push(move)
            seen.append(board.fen())
        assert seen == positions(text)
        assert (ours.players, ours.result) == (text.players, written_result(text))
        assert bare_text(ours.tree(load_game)) == written(text)
    assert chess.pgn.read_game(stream_) is None


def annotated(seed: int) -> tuple[str, chess.pgn.Game]:
    """Return a game with comments, marks and variations within variations, by python-chess."""
    rng = stream(seed, "annotated")
    fen = CHESS_STARTS[seed % len(CHESS_STARTS)]
    game = chess.pgn.Game()
    if fen:
        game.setup(chess.Board(fen))
    game.comment = "It begins [so]; (really) 1-0"

    def grow(node: Any, plies: int, depth: int) -> None:
        for _ in range(plies):
            legal = list(node.board().legal_moves)
            if not legal:
                return
            chosen = [legal[int(i)] for i in rng.permutation(len(legal))[:2]]
            main = node.add_main_variation(chosen[0])
            if rng.random() < 0.3:
                main.comment = 'x "quoted" [%eval 0.3] (1. e4)\nand a second line'
            if rng.random() < 0.3:
                main.nags.add(int(rng.integers(1, 140)))
            if depth and len(chosen) > 1 and rng.random() < 0.4:
                other = node.add_variation(chosen[1])
                grow(other, int(rng.integers(0, 4)), depth - 1)
            node = main

    grow(game, 10, 2)
    game.headers["Result"] = "1/2-1/2"
    return str(game), game


def lines_of(node: Any, line: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every line of a game to its end, as moves in UCI."""
    if not node.variations:
        yield line
    for child in node.variations:
        yield from lines_of(child, (*line, child.move.uci()))


def noted(node: Any, board: Any = None) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield what python-chess knows of each position, siblings in the order of their moves."""
    for child in sorted(node.variations, key=lambda each: each.move.uci()):
        yield child.move.uci(), " ".join(child.comment.split()), tuple(sorted(child.nags))
        yield from noted(child)


def noted_by_us(tree: GameTree, node: Node) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield the same of ours."""
    for child in sorted(node.children, key=lambda each: words(tree, [each])):
        yield words(tree, [child])[0], child.comment, tuple(sorted(child.marks))
        yield from noted_by_us(tree, child)


def test_we_read_what_python_chess_writes_with_all_its_variations() -> None:
    several = 0
    for seed in range(24):
        file, game = annotated(seed)
        tree = one(file)
        main, *others = lines_of(game)
        assert moves_of(tree) == main
        assert written_result(tree) == "1/2-1/2" or "result in the file" in tree.tags
        assert set(lines_in(tree)) == set(others)
        several += bool(others)
        assert CHESS.state_text(tree.end.state) == game.end().board().fen()
        assert tree.root.comment == "It begins [so]; (really) 1-0"
        assert list(noted_by_us(tree, tree.root)) == list(noted(game))
        file = pgn.write(tree)  # our own writing keeps all of that, too
        assert max(map(len, file.splitlines())) < 80
        assert written(one(file)) == written(read_text(written(tree)).tree(load_game))
        theirs = chess.pgn.read_game(io.StringIO(file))
        assert theirs is not None
        assert not theirs.errors
        assert shape(theirs) == shape(game)
        assert list(noted(theirs)) == list(noted(game))
    assert several > 12


FOREIGN = """\ufeff% for another program 1. d4
[Event "A "loose" event"]\r
[White "M\u00fcller"] [Black "?"]\r
[Result "1-0"]\r
\r
1.e2-e4 {a (comment} e7e5!? 2 Ng1-f3 ; the rest 2. d4\r
2... Nb8c6 $14 3.Bb5 += (3. -- d6) 3... Nf6 4 . 0-0 Nxe4 5. Re1 a6?! (5... Nd6 1-0)
6. Rxe4 axb5 7. Pd4 d5 8. dxe5 f5 9. exf6 e.p.+ Kf7 10. Qd5 Qxd5 11. a4 h5 12. axb5 h4
13. Rxa8 h3 14. Re8 hxg2 15. fxg7 Qxf3 16. gxh8Q Kxe8 17. c3 Qxf2+ 18. Kxf2 g1/N
19. Kf1(N) 1-0
"""


def test_games_are_read_as_people_write_them() -> None:
    text = one(FOREIGN)
    told = {"event": 'A "loose" event', "dropped": "1 variation, whole or in part"}
    assert (text.players, written_result(text), text.tags) == (("M\u00fcller", ""), "1-0", told)
    board = chess.Board()
    sans = "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 Re1 a6 Rxe4 axb5 d4 d5 dxe5 f5 exf6 Kf7 Qd5 Qxd5 a4 h5"
    sans += " axb5 h4 Rxa8 h3 Re8 hxg2 fxg7 Qxf3 gxh8=Q Kxe8 c3 Qxf2+ Kxf2 g1=N Kf1"
    assert moves_of(text) == tuple(board.push_san(san).uci() for san in sans.split())
    assert [line[9:] for line in lines_in(text)] == [("e4d6",)]
    assert text.reason(text.end) == "as the file says"
    said = {node.ply: (node.comment, node.marks) for node in text.end.path()}
    assert [said[1], said[2]] == [("a (comment", ()), ("", (5,))]
    assert [said[3], said[4]] == [("the rest 2. d4", ()), ("", (14,))]
    whole = written(text)
    attached = (FOREIGN.replace(" e.p.+", ending) for ending in ("e.p.+", "ep", ".", "e.p."))
    assert all(written(one(file)) == whole for file in attached)
    latin = decoded(FOREIGN.removeprefix("\ufeff").encode("latin-1"))
    assert written(one(latin)) == whole
    assert written(one(decoded(FOREIGN.encode("utf-16")))) == whole
    assert written(one(decoded(FOREIGN.encode("utf-8")))) == whole


def test_several_games_are_told_apart_whatever_stands_between_them() -> None:
    file = '1. e4 e5 1-0 1. d4 *\n[White "a"]\n[Date "2001.02.03"]\n\n[Black "b"]\n1. c4 (1. c3\n'
    file += '[White "c"]\n\n{no moves} 0-1 ; end\n\n%\n'
    found = read_games(file)
    assert [game.players for game in found] == [("", ""), ("", ""), ("a", "b"), ("c", "")]
    assert [game.result for game in found] == ["1-0", "*", "*", "0-1"]
    assert found[2].date == "2001.02.03"
    with pytest.raises(NotationError, match=r"game 3: a variation .* never closed"):
        found[2].tree(load_game)
    last = found[3].tree(load_game)
    assert (moves_of(last), last.root.comment) == ((), "no moves")


HEADLESS = '[Event "A"]\n[White "Alice"]\n[Black "Bob"]\n[Result "*"]\n'


@pytest.mark.parametrize(
    ("between", "names"),
    [
        ('\n[Event "B"]\n', ["Alice", "Carol"]),
        ('[Event "B"]\n', ["Alice", "Carol"]),
        ('{ nothing }\n \n[Site "C"]\n', ["Alice", "Carol"]),
        ('[Site "C"]\n[Site "D"]\n', ["Alice"]),  # a slip, not a game
    ],
)
def test_a_game_without_moves_does_not_get_the_next_ones(between: str, names: list[str]) -> None:
    file = f'{HEADLESS}{between}[White "Carol"]\n[Black "Dan"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
    found = read_games(file)
    assert [game.players[0] for game in found] == names
    moves = [game.tree(load_game).end.ply for game in found]
    assert moves == [0, 2][-len(names) :]


def test_dashes_of_all_kinds_are_read_in_results() -> None:
    drawn = "1/2-1/2"
    for said, meant in {"1–0": "1-0", "0—1": "0-1", "½–½": drawn, "1/2−1/2": drawn}.items():
        assert written_result(one(f"1. e4 e5 {said}\n")) == meant
        assert written_result(one(f'[Result "{said}"]\n\n1. e4 e5 *')) == meant
    assert written_result(one("1. 11-15 2–0")) == "1-0"


def test_a_line_beyond_the_end_of_the_game_is_kept() -> None:
    tree = grown(CHESS, "e2e4 e7e5", "e2e4 e7e5 g1f3 b8c6", "e2e4 e7e5 d2d4", "d2d4")
    tree.end.comment = "enough"
    file = pgn.write(tree)
    assert "1. e4 (1. d4) 1... e5 {enough} (1... e5 2. Nf3 (2. d4) 2... Nc6) *" in file.splitlines()
    assert bare_text(one(file)) == written(tree).replace("one", "")
    empty = pgn.write(grown(CHESS, "", "d2d4", "e2e4 e7e5"))
    assert "{1. d4} {1. e4 e5} *" in empty
    assert (lines_in(one(empty)), one(empty).root.comment) == ([], "1. d4 1. e4 e5")


def test_names_may_hold_anything() -> None:
    names = ('A "B" \\ [C]', "{D} ; (E) % 1-0")
    tags = {"event": 'x"]', "whiteelo": "2000", "seed": "7"}
    tree = grown(CHESS, "e2e4", players=names, tags=tags)
    assert written(one(pgn.write(tree))) == written(tree)
    assert '[WhiteElo "2000"]' in pgn.write(tree)
    # No tag speaks for a line that our own text has.
    other = one('[Game "nim"]\n[First "random"]\n[Start "x"]\n[Reason "y"]\n\n1. e4 *')
    assert (other.game.name, other.players, other.tags) == ("chess", ("", ""), {})


def test_variations_within_variations_are_written_as_such() -> None:
    told = "1. e4 e5 2. Nf3 (2. Bc4 Nf6 (2... Nc6 3. Qh5 (3. d3 d6) 3... g6) 3. d3) 2... Nc6 *"
    tree = one(told)
    assert " ".join(pgn.write(tree).split()).endswith(told)
    assert [(b.parent, b.ply) for b in tree.branches()] == [(-1, 0), (0, 2), (1, 3), (2, 4)]
    own = written(tree)
    assert "variation of 1 at ply 4:\n2. …  b8c6\n" in own
    assert " ".join(pgn.write(one(own)).split()).endswith(told)


def test_texts_of_our_own_from_before_are_read() -> None:
    text = "evoboard game\ngame: chess\nline ended: variation 2, 3 plies, 1-0, Black resigned | "
    text += "variation 0, 1 plies, 0-1, x | variation 1, 9 plies, 0-1, y | variation 7, 1 plies, z"
    text += "\n\n1. e2e4  e7e5\nvariation at ply 2:\n1. …  c7c5\n2. g1f3\n"
    text += "variation at ply 2:\n1. …  c7c5\n2. b1c3  b8c6\n"
    tree = one(text)
    told = [(b.parent, b.ply, *words(tree, b.nodes)) for b in tree.branches()]
    assert told == [
        (-1, 0, "e2e4", "e7e5"),
        (0, 1, "c7c5", "g1f3"),
        (1, 2, "b1c3", "b8c6"),
    ]
    endings = {words(tree, n.path()): n.ending for n in tree.root.walk() if n.ending}
    assert endings == {
        ("e2e4",): Ending(-1, "x"),
        ("e2e4", "c7c5", "b1c3"): Ending(1, "Black resigned"),
    }
    assert "line ended" not in written(tree)
    assert "variation of 1 at ply 3:\n2. b1c3  b8c6\nended at ply 3: 1-0, Bl" in written(tree)
    assert written(one(written(tree))) == written(tree)


def shape(node: Any) -> Any:
    """Return the moves of a game and of all that leaves it; siblings in any order."""
    return {child.move.uci(): shape(child) for child in node.variations}


def test_too_many_variations_are_counted_not_kept() -> None:
    one_e4 = CHESS.apply(CHESS.initial(), CHESS.parse_move(CHESS.initial(), "e4"))
    lines = []
    for move in CHESS.legal_moves(one_e4):
        state = CHESS.apply(one_e4, move)
        first = CHESS.move_label(one_e4, move)
        answers = (CHESS.move_label(state, answer) for answer in CHESS.legal_moves(state))
        lines += [f"(1... {first} 2. {answer})" for answer in answers]
    lines = [line for line in lines if "1... e5" not in line][: MOST_VARIATIONS + 7]
    assert len(lines) == MOST_VARIATIONS + 7
    tree = one(f"1. e4 e5 {' '.join(lines)} 2. Nc3 (2. Ke3) *")
    assert len(tree.branches()) == 1 + MOST_VARIATIONS
    assert tree.tags["dropped"] == "8 variations, whole or in part"
    assert written(one(written(tree))) == written(tree)


def test_people_play_on_where_a_draw_could_be_claimed() -> None:
    dance = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"  # the third time the start position
    for file, over in ((f"{dance} e4 1-0", False), (f"{dance} 1-0", False), (f"{dance} *", True)):
        tree = one(f"1. {file}")
        assert tree.end.ply == len(file.split()) - 1
        assert (tree.code(tree.end) != PLAYING) == over
        again = one(written(tree))
        assert (again.end.ply, written(again)) == (tree.end.ply, written(tree))
    mated = one("1. f3 e5 2. g4 Qh4# 1-0")
    assert (written_result(mated), mated.reason(mated.end)) == ("0-1", "checkmate")
    assert mated.tags == {"result in the file": "1-0"}


BARE = '[FEN "8/8/8/3k4/8/8/3N4/3K4 w - - 0 1"]\n[SetUp "1"]\n'


def test_what_was_played_after_the_end_is_left_out_and_counted() -> None:
    text = one(f'{BARE}[Result "1/2-1/2"]\n\n1. Ke2 Ke5 1/2-1/2')
    assert (moves_of(text), written_result(text)) == ((), "1/2-1/2")
    assert text.reason(text.end) == "insufficient material"
    assert text.tags == {"dropped": "2 plies after the game's end"}
    mated = one("1. f3 e5 2. g4 Qh4# (2... a6) 3. a4 (3. a3) (3. Kf2) 1-0")
    assert (moves_of(mated)[-1], lines_in(mated)) == ("d8h4", [(*moves_of(mated)[:3], "a7a6")])
    told = "1 ply after the game's end; 2 variations, whole or in part"
    assert mated.tags == {"result in the file": "1-0", "dropped": told}
    assert one('[FEN "B:W18:B15"]\n\n1. 15x22 18-14 *').tags["dropped"].startswith("1 ply ")


def test_king_capture_chess_is_a_variant() -> None:
    for seed in range(10):
        text = random_tree(KINGS, "", seed, 40)
        file = pgn.write(text)
        assert '[Variant "kingcapture"]\n[SetUp "1"]\n[FEN "rbnkbr/' in file
        assert bare_text(one(file)) == written(text)


# --- draughts -----------------------------------------------------------------------------------


def draughts_games() -> Iterator[GameTree]:
    """Yield 200 random games from many positions."""
    for seed in range(200):
        start = DRAUGHTS_STARTS[seed % len(DRAUGHTS_STARTS)]
        yield random_tree(DRAUGHTS, start, seed, 30 if seed % 4 else 80)


def bare(fen: str) -> str:
    """Return a position without the plies since the last capture."""
    return fen.split(":H")[0]


def test_pydraughts_reads_our_games_and_so_do_we() -> None:
    texts = list(draughts_games())
    whole = ends = 0
    for number, text in enumerate(texts):
        file = pdn.write(text)
        assert max(map(len, file.splitlines())) < 80
        assert '[GameType "21"]' in file
        assert bare_text(one(file)) == written(text)
        theirs = moves_by_pydraughts(file, text)
        for move, mine in zip(theirs, moves_of(text), strict=True):
            ends += move.count("x") < mine.count("x")
            whole += move.count("x") > 1
        if number % 8 == 3 or number < 12:  # pydraughts takes its time
            expected = [bare(fen) for fen in positions(text)]
            assert seen_by_pydraughts(positions(text)[0], theirs) == expected
    assert set(map(written_result, texts)) >= {"1-0", "0-1", "*"}
    assert ends > 20
    assert whole > 20


def moves_by_pydraughts(file: str, text: GameTree) -> list[str]:
    """Return the moves that pydraughts' reader finds in a file of ours.

    It takes a FEN's B for the side that moves second, where it gives the first move twice.
    """
    other = {"B": "W", "W": "B"}
    (theirs,) = PDNReader(re.sub('(?<=FEN ")[BW]', lambda m: other[m[0]], file)).games
    assert (theirs.variant, theirs.game_ending) == ("english", written_result(text))
    return theirs.moves[1:] if positions(text)[0][0] == "W" else theirs.moves


def seen_by_pydraughts(start: str, moves: list[str]) -> list[str]:
    """Return the positions that pydraughts sees when it plays moves of a PDN text."""
    board = draughts.Board("english", start)
    found = [canonical(board.fen)]
    for move in moves:
        found.append(canonical(board.push(draughts.Move(board, pdn_move=move)).fen))
    return found


def test_we_read_what_pydraughts_writes(tmp_path: Path) -> None:
    for number, text in enumerate(list(draughts_games())[:16]):
        board = draughts.Board("english", positions(text)[0])
        for word in moves_of(text)[:14]:
            squares = list(map(int, re.findall(r"\d+", word)))
            board.push(draughts.Move(board, steps_move=squares))
        file = PDNWriter(str(tmp_path / f"{number}.pdn"), board, game_ending="0-1").pdn_text
        read = one(file)
        assert positions(read)[0] == positions(text)[0]
        assert moves_of(read) == moves_of(text)[:14]
        assert "0-1" in (written_result(read), read.tags.get("result in the file"))


def test_one_nil_is_the_win_of_black_who_begins() -> None:
    tags = '[GameType "21"]\n[FEN "B:W32:B1"]\n[White "w"]\n[Black "b"]\n[Result "1-0"]\n'
    text = one(f"{tags}\n1. 1-5 *")
    assert (text.players, written_result(text)) == (("b", "w"), "1-0")
    won = one('[FEN "B:W18:B15"]\n[Black "b"]\n\n1. 15x22 *')
    told = (written_result(won), won.reason(won.end), won.players)
    assert told == ("1-0", "no pieces", ("b", ""))
    file = pdn.write(won)
    assert '[White "?"]\n[Black "b"]\n[Result "1-0"]' in file
    other = one(file.replace("1-0", "0-1"))
    assert (written_result(other), other.tags["result in the file"]) == ("1-0", "0-1")
    # White's being first to move in a position changes nothing: Black is the first side.
    assert written_result(one('[FEN "W:W18:B15"]\n\n1... 18x11 *')) == "0-1"


def test_draughts_are_read_as_people_write_them() -> None:
    file = (
        '[Event "x"]\n\n1. 11-15* 23-19 $3 2. 8-11 {good} 2217 3. 11-16 (3. 9-13 24-20) 24-20 2-0'
    )
    text = one(file)
    assert moves_of(text) == ("11-15", "23-19", "8-11", "22-17", "11-16", "24-20")
    assert [line[4:] for line in lines_in(text)] == [("9-13", "24-20")]
    assert (written_result(text), text.end.path()[3].comment) == ("1-0", "good")
    # Our own rules and the plies since the last capture have tags of their own.
    blocked = load_game("draughts:blocked=draw")
    late = pdn.write(random_tree(DRAUGHTS, "B:W32:B1:H7", 1, 4))
    assert '[FEN "B:W32:B1"]\n[Quiet "7"]' in late
    assert positions(one(late))[0] == "B:W32:B1:H7"
    kept = grown(blocked, " ".join(moves_of(text)))
    assert bare_text(one(pdn.write(kept))) == written(kept)
    assert game_spec(one(pdn.write(kept)).game) == "draughts:blocked=draw"


# --- any text -------------------------------------------------------------------------------------


def test_a_file_is_recognised_by_what_is_in_it() -> None:
    nim = load_game("nim")
    own = written(random_tree(nim, "", 1, 4))
    assert [found.players for found in read_games(f"\n{own}\n{own}")] == [("one", "two")] * 2
    assert list(moves_of(one(own))) == read_text(own).parts[0].moves
    kinds = {"1. e4 *": "chess", "1. 11-15 *": "draughts", "e4": "chess", "1 11-15": "draughts"}
    kinds |= {'[FEN "B:W32:B1"]': "draughts", '[Event "?"] *': "chess", own: "nim"}
    for file, name in kinds.items():
        assert one(file).game.name == name
    assert notation_of(nim) is None
    assert {n.name: n.suffix for n in notations()} == {"PDN": ".pdn", "PGN": ".pgn"}
    assert notation_of_file(Path("a.PGN"), CHESS) is notation_of(CHESS)
    assert notation_of_file(Path("a.txt"), CHESS) is None
    for game, name, told in (
        (nim, "a.pgn", r"must end in \.txt"),
        (CHESS, "a.pdn", r"\.pgn or \.txt"),
    ):
        with pytest.raises(OptionError, match=told):
            notation_of_file(Path(name), game)


def all_of(text: str) -> list[GameTree]:
    """Return all games of a text."""
    return [found.tree(load_game) for found in read_games(text)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is not a game"),
        ("hello", "neither PDN nor PGN"),
        ("evoboard games", "first line"),
        ("1. e4 e5 1-0 1. e4 e5 2. Ke3", r"^game 2, move 2\. Ke3 .* Legal: Ke2, a3, .* 23 more\.$"),
        ("1. e4 Zf9", r"^game 1, move 1\.\.\. Zf9 .* write it like Nf3, .* Legal: a6, "),
        ("1. e4 --", "'--' is not a move"),
        ("1. e4 [White Me]", r"a tag is written \[White"),
        ("1. e4 )", "without its"),
        ("1. e4 (1. d4", "never closed"),
        ("1. e4 { oh", "comment .* never closed"),
        ('[FEN "8/8 w"]', "^game 1: chess position '8/8 w'"),
        ('[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"] 1. a8', "write a8=N or a8=B"),
        ('[FEN "4k3/8/8/8/8/8/8/R3K2R w - - 0 1"] 1. O-O', r"move 1\. O-O"),
        ('[Variant "Atomic"]', "variant is 'Atomic'"),
        ('[GameType "25"]', "only 21, English"),
        ("1. 11-15 24-15", r"move 1\.\.\. 24-15 .* Legal: 21-17, 22-18"),
        ("1. 11-15 x", "write it like 11-15"),
        ("x" * 1_000_001, "1,000,001 characters"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(NotationError, match=told):
        all_of(text)


def test_whoever_is_no_player_of_ours_is_a_person_with_a_name(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("EVOBOARD_GAMES", str(tmp_path))
    file = '[White "Ann: the 1st, of X"]\n[Black "random"]\n\n1. e4 e5 1-0\n'
    ((found,), shelf) = read_file(file.encode(), "a.pgn"), Sessions(load_game)
    session = open_found(found, "a.pgn", shelf)
    assert (session.seats, session.names) == (("person", "random"), ("Ann: the 1st, of X", ""))
    assert session.verdict() == "White wins: as the file says"
    again = shelf.from_text(session.text())
    assert (again.seats, again.names, again.verdict()) == (
        session.seats,
        session.names,
        session.verdict(),
    )
    assert f"{file.splitlines()[0]}\n" in pgn.write(again.described())
    new = shelf.new(CHESS)
    assert re.search(r'Date "\d{4}\.\d\d\.\d\d"', pgn.write(new.described()))
    for content, told in ((b"x" * 1_000_001, "1,000,001 bytes"), (b"\x89PNG\0", "not a game")):
        with pytest.raises(NotationError, match=f"'a.pgn'.*{told}"):
            read_file(content, "a.pgn")
    (wrong,) = read_file(b"1. e5", "b.pgn")
    with pytest.raises(NotationError, match=r"'b.pgn': game 1, move 1\. e5"):
        open_found(wrong, "b.pgn", shelf)


def test_games_of_commands_are_saved_and_converted(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, words)
        return str(done.exception or done.output)

    counts, tree = "material:depth=1", "mcts:rounds=1"
    for game, kind, second in (
        ("chess", "pgn", counts), ("draughts", "pdn", counts), ("nim", "txt", tree),
    ):  # fmt: skip
        told = run(
            "match",
            "random",
            second,
            "-g",
            game,
            "--games",
            "2",
            "--save",
            f"{game}.{kind}",
        )
        assert f"2 games saved in {game}.{kind}" in told
        assert "2 games" in run("convert", f"{game}.{kind}", f"{game}-own.txt")
        assert "2 games" in run("convert", f"{game}-own.txt", f"{game}-again.{kind}")
        first, again = (tmp_path / f"{name}.{kind}" for name in (game, f"{game}-again"))
        assert first.read_text() == again.read_text()
        assert [g.players[0] for g in read_games(first.read_text())] == ["random", second]
    refusals = {
        ("match", "random", "random", "-g", "nim", "--save", "x.pgn"): "must end in .txt",
        ("tournament", "random", "mcts", "-g", "nim", "--save", "nim.txt"): "exists already",
        ("match", "random", "mcts", "-g", "nim", "--save", "no/x.txt"): "no folder no",
        ("convert", "none.pgn", "x.txt"): "no file none.pgn",
        ("convert", "nim.txt", "x.pgn"): "games of nim",
        ("convert", "nim.txt", "x.doc"): "must end in .pdn, .pgn or .txt",
        ("convert", "nim.txt", "nim.txt"): "exists already",
        ("convert", "nim.txt", "x.txt", "--game", "none.py"): "no file none.py",
        ("convert", "nim.txt", "x.txt", "--game", "nim"): "name a Python file",
        ("convert", ".", "x.txt"): "cannot be read",
    }
    for words, told in refusals.items():
        assert told in run(*words)
    assert not list(tmp_path.glob("x.*"))


def test_convert_leaves_out_what_is_wrong_and_runs_no_file_it_is_not_told_to(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def run(source: str, target: str, *words: str) -> tuple[int, str]:
        Path("in").write_text(source, encoding="utf-8")
        done = CliRunner().invoke(app, ["convert", "in", target, *words])
        error = "" if isinstance(done.exception, SystemExit) else str(done.exception or "")
        return done.exit_code, done.output + error

    code, told = run("1. e4 *\n\n1. e5 *\n\n1. d4 *\n", "a.txt")
    assert code == 1
    assert "in: game 2, move 1. e5 cannot be played" in told
    assert "a.txt is written: 2 games; 1 game left out." in told
    assert len(read_games(Path("a.txt").read_text())) == 2
    # Our own text is played again; what no game can hold is told.
    good = "evoboard game\ngame: chess\n\n1. e2e4  e7e5\n"
    mate = "1. f2f3  e7e5\n2. g2g4  d8h4\n"
    for number, (wrong, why) in enumerate(
        {
            "game: chess\n\n1. e2e5": "game 2: ply 1 cannot be played",
            f"game: chess\nresult: 1-0\n\n{mate}": "says 1-0, but by the rules the game ends 0-1",
            f"game: chess\n\n{mate}3. a2a3": "where the game has ended",
            "game: chess\nresult: 7": "game 2: the result is '7'",
            "game: nim\n\n1. 0:1": "games of nim",
            "game: ./evil.py": "game 2: the game './evil.py' is not built in",
            "game: ./evil": "--game FILE.py",
        }.items()
    ):
        for name in ("evil.py", "evil"):
            Path(name).write_text("open('harm', 'w')")
        code, told = run(f"{good}evoboard game\n{wrong}\n", f"b{number}.pgn")
        assert (code, why in told, "1 game left out" in told) == (1, True, True), told
        assert run(f"evoboard game\n{wrong}\n", "none.pgn")[0] != 0
    assert not Path("harm").exists()
    assert not Path("none.pgn").exists()
    own = Path("mine.py").resolve()
    own.write_text(Path(load_game("nim").file).read_text(encoding="utf-8"), encoding="utf-8")
    mine = f"evoboard game\ngame: {own}:heaps=3/5\n\n1. 0:1\n"
    assert "is not built in" in run(mine, "c.txt")[1]
    assert run(mine, "c.txt", "--game", "mine.py")[0] == 0
    # A variation where the game has no ply, or that cannot be played, is counted.
    lines = "variation at ply 900:\n450. …  a7a6\nvariation at ply 2:\n1. …  a7a1\n"
    lines += "variation at ply 2:\n1. …  a7a6\n"
    for target in ("d.pgn", "d.txt"):
        assert run(good + lines, target)[0] == 0
        kept = one(Path(target).read_text(encoding="utf-8"))
        assert lines_in(kept) == [("e2e4", "a7a6")]
        assert kept.tags["dropped"] == "2 variations"


SAMPLES = [
    FOREIGN.split("4 . 0-0")[0],
    '[FEN "8/PPPk4/8/8/8/8/pp2K3/8 b - - 0 40"]\n40... b1=Q (40... a1N 41. c8=Q+ {x}) 41. b8Q *',
    '[GameType "21"]\n[White "a"]\n\n1. 11-15 23-19 (1... 22-17) 2. 8-11 22-17 {?} 1-0',
    '[FEN "B:W18,19,26,27:BK15,1"]\n1. 15x24x31x22x15 0-1\n\n[White "b"]\n1. 11-15',
]


def test_no_damage_breaks_the_reader() -> None:
    rng, signs = stream(1, "damage"), '(){}[];%"\\$!?.*-=x18KQO0 \n\r\0\ufeff½é'
    refused = 0
    samples = [*SAMPLES, written(random_tree(load_game("nim"), "", 3, 6))]
    for number in range(2000):
        text = samples[number % len(samples)]
        for _ in range(int(rng.integers(1, 5))):
            at, length = (int(rng.integers(len(text) + 1)), int(rng.integers(0, 12)))
            sign = signs[int(rng.integers(len(signs)))] * int(rng.integers(0, 3))
            text = text[:at] + sign + text[at + length :]
        try:
            for whole in all_of(decoded(text.encode("utf-8"))):
                own = written(whole)
                assert tuple(read_text(own).parts[0].moves) == moves_of(whole)
                if number % 20 == 0:
                    assert written(one(own)) == own
        except EvoboardError:
            refused += 1
    assert 400 < refused < 1950


ODD = ["{", "(", "[", '[A "', "1.", "1 ", "e4(", "(e5)", '"', "\n%", "$", "*", " ", '[A "b"] ']


def test_a_large_file_is_listed_at_once() -> None:
    game = pgn.write(random_tree(CHESS, "", 1, 80))
    file = game * (1_000_000 // len(game))
    began = time.process_time()
    assert len(read_games(file)) == file.count("[Event ")
    # A second is meant; a busy machine may need some more.
    assert time.process_time() - began < 3


def test_no_text_takes_long() -> None:
    for word in ODD:
        began = time.process_time()
        with suppress(NotationError):
            read_games(f"1. e4 {word * (60_000 // len(word))}")[0].tree(load_game)
        assert time.process_time() - began < 2, word
