"""Chess as python-chess knows it: FEN and UCI in, FEN, UCI and SAN out.

Translated: nothing but the container; FENs, UCI moves (castling as ``e1g1``) and SAN are
python-chess's own. Its FEN names the en passant square only when such a capture is legal.
Threefold repetition and the 50-move rule are not asked here: a FEN has no history.
"""

import chess


def legal(fen: str) -> set[str]:
    """Return the legal moves of `fen` in UCI."""
    return {move.uci() for move in chess.Board(fen).legal_moves}


def sans(fen: str) -> dict[str, str]:
    """Return the SAN of every legal move of `fen`, keyed by UCI."""
    board = chess.Board(fen)
    return {move.uci(): board.san(move) for move in board.legal_moves}


def after(fen: str, uci: str) -> str:
    """Return the FEN after the legal move `uci`; an illegal one raises ValueError."""
    board = chess.Board(fen)
    board.push(board.parse_uci(uci))
    return board.fen()


def end(fen: str) -> str | None:
    """Return why the game is over at `fen` ("checkmate", ...), or None if it goes on.

    "Insufficient material" is K-K, KN-K and any number of bishops that all stand on one colour.
    """
    board = chess.Board(fen)
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    return None
