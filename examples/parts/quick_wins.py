"""A fitness function: a win is worth more the sooner it comes, a loss more the later."""


def score(record, side, game):
    """Return what a finished game was worth to a side, 0 or 1."""
    result = record.result if side == 0 else -record.result
    if result > 0:
        return 1.0 + 1.0 / (1 + record.plies)
    if result == 0:
        return 0.5
    return -1.0 / (1 + record.plies)


def last_word(record, side, game):
    """Return 1 for who made the last move: another function of the same file."""
    begins = game.side(game.parse_state(record.start))
    return float((begins + record.plies - 1) % 2 == side)
