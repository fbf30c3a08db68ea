"""English draughts as pydraughts and OpenSpiel play it, in PDN FENs and whole jump paths.

Ours: ``B:W21,K30:B1,2`` (side to move; squares ascending, kings with K; Black moves first and
towards 32), moves ``11-15``, ``15x22``, ``15x22x31`` with every square visited.

pydraughts (`legal`, `after`): any FEN. It speaks our numbering, but sorts FEN squares as text
(1,10,11,2; kings last) and shortens its PDN (``15x31``): we sort, and read ``steps_move``. It
lists every path by itself, also two paths that take the same men:
``legal("B:W18,19,26,27:BK15") == {"15x24x31x22x15", "15x22x31x24x15"}``. Promotion ends the turn:
``legal("B:W26,27:B22") == {"22x31"}``. Nothing to skip; its draw rules are not asked.

OpenSpiel (`OpenSpielGame`): cannot start from a position (no ``new_initial_state(text)`` for
checkers), so it is played along from the start. Its first player ``o`` sits at the bottom; the
board turned by 180° makes it our Black. A multi-jump is several actions of one side: merged here.
Promotion ends the turn, as in English draughts: after 11-16 22-18 9-14 18x9 6x13 24-20 2-6, White
may play 20x11x2 but not 20x11x2x9. It differs in one thing: it is over, drawn, after
40 actions without a capture (moves of men count too), then `drawn()` holds and `legal()` is
empty: stop comparing there. A side that cannot move has lost, in both.
"""

from collections.abc import Iterable, Iterator

import draughts
import pyspiel


def legal(fen: str) -> set[str]:
    """Return pydraughts' legal moves of `fen`."""
    return set(_moves(draughts.Board("english", fen)))


def after(fen: str, move: str) -> str:
    """Return the FEN after `move` by pydraughts; an illegal one raises ValueError."""
    board = draughts.Board("english", fen)
    moves = _moves(board)
    if move not in moves:
        raise ValueError(f"illegal move {move!r} in {fen!r}")
    return canonical(board.push(moves[move]).fen)


def canonical(fen: str) -> str:
    """Return `fen` with each side's squares ascending, whether man or king."""
    side, white, black = fen.split(":")
    return ":".join([side, *(part[0] + _sorted(part[1:].split(",")) for part in (white, black))])


class OpenSpielGame:
    """A game of OpenSpiel's checkers from the start position, in our texts."""

    def __init__(self, moves: Iterable[str] = ()) -> None:
        self._state = pyspiel.load_game("checkers").new_initial_state()
        for move in moves:
            self.play(move)

    def legal(self) -> set[str]:
        """Return the legal moves; none when the game is over, `drawn()` included."""
        return {text for text, _ in _paths(self._state)}

    def play(self, move: str) -> None:
        """Play a whole move; an illegal one raises ValueError."""
        for text, state in _paths(self._state):
            if text == move:
                self._state = state
                return
        raise ValueError(f"illegal move {move!r} in {self.fen()!r}")

    def fen(self) -> str:
        """Return the position; when the game is over, the side is the one that would move."""
        squares: dict[str, list[str]] = {"o": [], "+": []}
        for row in str(self._state).splitlines()[:8]:
            for file, piece in zip("abcdefgh", row[1:], strict=True):
                if piece != ".":
                    king = "K" if piece in "8*" else ""
                    man = {"8": "o", "*": "+"}.get(piece, piece)
                    squares[man].append(king + str(_square(file + row[0])))
        return f"{self._side()}:W{_sorted(squares['+'])}:B{_sorted(squares['o'])}"

    def drawn(self) -> bool:
        """Return whether OpenSpiel has called a draw: 40 actions without a capture."""
        return bool(self._state.is_terminal() and not any(self._state.returns()))

    def _side(self) -> str:
        if not self._state.is_terminal():
            return "BW"[self._state.current_player()]
        return "BW"[1 - self._state.full_history()[-1].player]


def _moves(board: draughts.Board) -> dict[str, draughts.Move]:
    """Return pydraughts' move for each of ours."""
    return {
        ("x" if move.captures else "-").join(map(str, move.steps_move)): move
        for move in board.legal_moves()
    }


def _paths(state: pyspiel.State) -> Iterator[tuple[str, pyspiel.State]]:
    """Yield each whole move of the side to move, and the state it leads to."""
    player = state.current_player()
    for action in state.legal_actions():
        text = state.action_to_string(action)
        start, end = _square(text[:2]), _square(text[2:])
        separator = "-" if abs(int(text[1]) - int(text[3])) == 1 else "x"
        child = state.child(action)
        if child.current_player() != player:
            yield f"{start}{separator}{end}", child
            continue
        # The same side again: its jump goes on from `end`, with the same piece.
        for rest, last in _paths(child):
            yield f"{start}x{rest}", last


def _square(name: str) -> int:
    """Return our number of OpenSpiel's square: a1 is 4, g1 is 1, b8 is 32."""
    file, rank = "abcdefgh".index(name[0]), int(name[1])
    return 4 * rank - file // 2


def _sorted(squares: list[str]) -> str:
    return ",".join(sorted(filter(None, squares), key=lambda square: int(square.lstrip("K"))))
