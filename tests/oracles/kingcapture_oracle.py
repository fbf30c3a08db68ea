"""The 6×6 game won by taking the king, as Fairy-Stockfish (pyffish) plays it.

Translated: our FEN has the board and the side only (``rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w``), theirs
gets ``- - 0 1`` appended; their promotion ``a5a6r`` is our ``a5a6``, since a pawn can become
nothing but a rook. Every question starts from a bare FEN, so counters and repetition cannot
interfere; they are switched off besides.

Traps of the variant text: a section without a parent (``[name]``) has no pieces at all in
pyffish 0.0.90, hence ``:chess``. Without a promotion key White's pawn stays a pawn on rank 6 (the
parent promotes on 8) while Black's promotes. ``promotionRank`` works in old and new releases;
old ones ignore ``promotionRegionWhite`` without a word. ``commoner = k`` takes the letter away
from the royal king, so there is no check.
"""

import pyffish

_NAME = "evoboardkingcapture"
_RULES = f"""
[{_NAME}:chess]
maxRank = 6
maxFile = 6
commoner = k
promotionRank = 6
promotionPieceTypes = r
doubleStep = false
castling = false
extinctionValue = loss
extinctionPieceTypes = k
stalemateValue = draw
nMoveRule = 0
nFoldRule = 0
startFen = rbnkbr/pppppp/6/6/PPPPPP/RBNKBR w - - 0 1
"""
pyffish.load_variant_config(_RULES)


def legal(fen: str) -> set[str]:
    """Return the moves of `fen` in our text; none once a king is gone."""
    return set(_moves(fen))


def after(fen: str, move: str) -> str:
    """Return the FEN, in our form, after `move`; an illegal one raises ValueError."""
    moves = _moves(fen)
    if move not in moves:
        raise ValueError(f"illegal move {move!r} in {fen!r}")
    return " ".join(pyffish.get_fen(_NAME, _fairy(fen), [moves[move]]).split()[:2])


def decided(fen: str) -> bool:
    """Return whether a king is gone."""
    return bool(pyffish.is_immediate_game_end(_NAME, _fairy(fen), [])[0])


def perft(fen: str, depth: int) -> int:
    """Return the number of leaves `depth` plies below `fen`; a decided game has no moves."""
    return _leaves(_fairy(fen), [], depth)


def _leaves(fen: str, line: list[str], depth: int) -> int:
    # A call costs pyffish 1.5 ms whatever it asks: one call a node, and none at the leaves.
    if depth == 0:
        return 1
    moves = pyffish.legal_moves(_NAME, fen, line)
    if depth == 1:
        return len(moves)
    return sum(_leaves(fen, [*line, move], depth - 1) for move in moves)


def _fairy(fen: str) -> str:
    return f"{fen} - - 0 1"


def _moves(fen: str) -> dict[str, str]:
    """Return Fairy-Stockfish's move for each of ours."""
    return {move[:4]: move for move in pyffish.legal_moves(_NAME, _fairy(fen), [])}
