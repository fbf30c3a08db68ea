"""check_game: every game here obeys the laws, and a broken one is told what to mend, once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import traceback
import warnings

import pytest

from evoboard.core.errors import EvoboardError
from evoboard.games.base import load_game
from evoboard.games.laws import lawful_games, rule_guard
from evoboard.games.laws.conformance import check_game

# A small game that obeys every law; each test below breaks it in one place.
ROW = '''"""Row: mark one of six cells; three neighbours of your own win."""

from evoboard.games import DRAW, LOSS, ONGOING, MoveLook, Piece, View, grid

CELLS = 6
TURN = CELLS
QUIET = CELLS + 1
STATE_SIZE = CELLS + 2
MAX_MOVES = CELLS
INPUTS = CELLS
BOARD = grid(CELLS, 1)


def initial(state, seed):
    for cell in range(STATE_SIZE):
        state[cell] = 0


def legal_moves(state, out):
    count = 0
    for cell in range(CELLS):
        if state[cell] == 0:
            out[count] = cell
            count += 1
    return count


def apply_move(state, move, out):
    for cell in range(STATE_SIZE):
        out[cell] = state[cell]
    out[move] = 1 - 2 * state[TURN]
    out[QUIET] = 0 if move == 2 else state[QUIET] + 1
    out[TURN] = 1 - state[TURN]


def outcome(state):
    for cell in range(CELLS - 2):
        if state[cell] != 0 and state[cell] == state[cell + 1] == state[cell + 2]:
            return LOSS
    return ONGOING


def stuck(state):
    return DRAW


def encode(state, out):
    for cell in range(CELLS):
        out[cell] = float(state[cell])


def state_text(state):
    return "".join(".xo"[mark] for mark in state[:CELLS]) + f" {state[TURN]}"


def parse_state(text, out):
    marks, side = text.split()
    if len(marks) != CELLS or side not in ("0", "1"):
        raise ValueError("it must be six of .xo and the side to move, 0 or 1")
    out[:CELLS] = [(0, 1, -1)[".xo".index(mark)] for mark in marks]
    out[TURN] = int(side)


def move_text(state, move):
    return BOARD.names[move]


def view(state, moves):
    pieces = [Piece(c, "x", int(state[c] < 0)) for c in range(CELLS) if state[c]]
    looks = [MoveLook(m, move_text(state, m), (m,)) for m in moves]
    return View(BOARD, tuple(pieces), tuple(looks), int(state[TURN]), ("X", "O"))
'''

LOOP = "    while True:\n        pass\n"
IMPORT_NUMPY = ("CELLS = 6\n", "import numpy as np\n\nCELLS = 6\n")
PARSED = "    marks, side = text.split()\n"
END = '("X", "O"))\n'
NO_STUCK = ("def stuck(state):\n    return DRAW\n", "")


def constant(old, new):
    """Return the change of one constant's line."""
    return (f"{old}\n", f"{new}\n")


def stuck_by(lines, before=""):
    """Return the changes that give `stuck` another body, and the file some lines before it."""
    return [("def stuck(state):\n    return DRAW\n", f"{before}def stuck(state):\n    {lines}\n")]


# What is broken: the changes to ROW, and the words that the one message must hold.
AT_LOADING = {
    "syntax error": ([("def outcome(state):", "def outcome(state)")], ["row.py, line", "syntax"]),
    "unfinished file": ([("    return DRAW\n", "")], ["row.py, line", "indented", "syntax"]),
    "unknown import": (
        [("BOARD = ", "import nothing_of_that_name\nBOARD = ")],
        ["row.py, line 11", "nothing_of_that_name", "importable"],
    ),
    "error at import": (
        [("BOARD = grid(CELLS, 1)", "BOARD = grid(CELLS, 1 // 0)")],
        ["row.py, line 11", "ZeroDivisionError", "importable"],
    ),
    "exit at import": ([("BOARD = ", "raise SystemExit\nBOARD = ")], ["row.py", "SystemExit"]),
    "empty file": ([(ROW, "")], ["row.py", "initial(state, seed)"]),
    **{
        f"no {name}": ([(f"def {name}(", f"def its_{name}(")], ["row.py", f"function {name}("])
        for name in ("initial", "legal_moves", "apply_move", "outcome")
    },
    "a number for a function": (
        [("def outcome(state):", "outcome = 3\n\n\ndef its_outcome(state):")],
        ["outcome(state)"],
    ),
    "one argument too many": (
        [("def outcome(state):", "def outcome(state, side):")],
        ["outcome takes 2 arguments", "outcome(state)"],
    ),
    "one argument too few": (
        [("def initial(state, seed):", "def initial(state):")],
        ["initial takes 1", "initial(state, seed)"],
    ),
    "stuck with two arguments": (
        [("def stuck(state):", "def stuck(state, side):")],
        ["stuck", "stuck(state)"],
    ),
    "stuck is a number": ([("def stuck(state):\n    return DRAW\n", "stuck = DRAW\n")], ["stuck"]),
    "STATE_SIZE missing": (
        [constant("STATE_SIZE = CELLS + 2", "SIZE = 8"), ("range(STATE_SIZE)", "range(SIZE)")],
        ["lacks the constant STATE_SIZE", "whole number"],
    ),
    "STATE_SIZE is text": (
        [constant("STATE_SIZE = CELLS + 2", "STATE_SIZE = '8'")],
        ["STATE_SIZE is '8'", "whole number"],
    ),
    "STATE_SIZE is zero": (
        [constant("STATE_SIZE = CELLS + 2", "STATE_SIZE = 0")],
        ["STATE_SIZE is 0", "1"],
    ),
    "MAX_MOVES is not a whole number": (
        [constant("MAX_MOVES = CELLS", "MAX_MOVES = 6.0")],
        ["MAX_MOVES is 6.0", "whole number"],
    ),
    "TURN is negative": ([constant("TURN = CELLS", "TURN = -1")], ["TURN is -1"]),
    "TURN outside": (
        [constant("TURN = CELLS", "TURN = 8")],
        ["TURN is 8", "index", "8 cells"],
    ),
    "QUIET outside": ([constant("QUIET = CELLS + 1", "QUIET = 8")], ["QUIET", "8"]),
    "QUIET is text": ([constant("QUIET = CELLS + 1", "QUIET = 'seven'")], ["QUIET"]),
    "COUNTERS outside": (
        [constant("INPUTS = CELLS", "INPUTS = CELLS\nCOUNTERS = (QUIET, 12)")],
        ["COUNTERS", "12"],
    ),
    "COUNTERS is a number": (
        [constant("INPUTS = CELLS", "INPUTS = CELLS\nCOUNTERS = QUIET")],
        ["COUNTERS"],
    ),
    "DRAWS is a dict": (
        [constant("INPUTS = CELLS", "INPUTS = CELLS\nDRAWS = {'plies': 100}")],
        ["DRAWS", "DrawRules"],
    ),
    "SIDES has one name": (
        [constant("INPUTS = CELLS", "INPUTS = CELLS\nSIDES = ('White',)")],
        ["SIDES"],
    ),
    "KERNELS names nothing": (
        [constant("INPUTS = CELLS", "INPUTS = CELLS\nKERNELS = ('landing',)")],
        ["KERNELS", "landing"],
    ),
    "KERNELS names a number": (
        [constant("INPUTS = CELLS", "INPUTS = CELLS\nKERNELS = ('TURN',)")],
        ["KERNELS", "TURN"],
    ),
    "a dict of the file": (
        stuck_by("return VALUES[0]", "VALUES = {0: DRAW}\n\n\n"),
        ["stuck (row.py, line", "'VALUES', a dict", "NumPy arrays"],
    ),
    "a list of the file": (
        stuck_by("return VALUES[0]", "VALUES = [DRAW]\n\n\n"),
        ["stuck (row.py, line", "'VALUES', a list", "NumPy arrays"],
    ),
    "recursion": (stuck_by("return stuck(state)"), ["stuck -> stuck", "loop"]),
    "recursion by way of another": (
        stuck_by("return other(state)\n\n\ndef other(state):\n    return stuck(state)"),
        ["stuck -> other -> stuck", "loop"],
    ),
    "a function of another module": (
        stuck_by("return calendar.MONDAY", "import calendar\n\n\n"),
        ["stuck (row.py, line", "calendar", "import"],
    ),
    "chance from elsewhere": (
        stuck_by("return random.randint(0, 1)", "import random\n\n\n"),
        ["stuck (row.py, line", "random", "seed"],
    ),
    "an unknown name": (stuck_by("return nothing"), ["stuck (row.py, line", "'nothing'"]),
    "a rule made inside a function": (
        [
            (
                "def stuck(state):\n    return DRAW\n",
                "def make(value):\n    def stuck(state):\n        return value\n\n"
                "    return stuck\n\n\nstuck = make(DRAW)\n",
            )
        ],
        ["stuck", "top level"],
    ),
}

AT_THE_START = {
    "initial leaves cells": (
        [("range(STATE_SIZE):\n        state[", "range(CELLS):\n        state[")],
        ["initial", "[6, 7]", "set every cell"],
    ),
    "initial builds on what was there": (
        [("        state[cell] = 0\n", "        state[cell] = state[cell] // 2\n")],
        ["initial", "unwritten", "set every cell"],
    ),
    "initial draws from elsewhere": (
        [
            IMPORT_NUMPY,
            ("        state[cell] = 0\n", "        state[cell] = np.random.randint(2)\n"),
        ],
        ["initial", "seed"],
    ),
    "initial writes no side": (
        [("        state[cell] = 0\n", "        state[cell] = 5\n")],
        ["initial puts 5 into cell TURN (6)", "0 or 1"],
    ),
    "initial writes beyond 64 bits": (
        [("        state[cell] = 0\n", "        state[cell] = 1 << 70\n")],
        ["initial fails (line", "state[cell] = 1 << 70", "too large"],
    ),
    "initial never ends": (
        [("    for cell in range(STATE_SIZE):\n        state[", f"{LOOP}    state[")],
        ["initial does not end", "loop"],
    ),
}

MOVES = {
    "apply_move alters its input": (
        [("    out[move] = 1 -", "    state[move] = 1 -")],
        ["apply_move alters its input in cells [0]", "write to `out`", "position ...... 0"],
    ),
    "legal_moves alters its input": (
        [("    count = 0\n", "    count = 0\n    state[QUIET] += 1\n")],
        ["legal_moves", "alters", "position ...... 0"],
    ),
    "outcome alters its input": (
        [("    return ONGOING\n", "    state[QUIET] += 1\n    return ONGOING\n")],
        ["outcome", "alters", "position ...... 0"],
    ),
    "apply_move leaves cells": (
        [("range(STATE_SIZE):\n        out[", "range(CELLS - 2):\n        out[")],
        ["apply_move leaves", "[4, 5]", "unwritten", "copy the state", "move 0"],
    ),
    "apply_move makes its own array": (
        [("STATE_SIZE):\n        out[cell] = state[cell]", "1):\n        out = state.copy()")],
        ["apply_move", "array", "copy"],
    ),
    "turn not passed": (
        [("out[TURN] = 1 - state[TURN]", "out[TURN] = state[TURN]")],
        ["apply_move does not pass the turn", "move 0", "position ...... 0"],
    ),
    "turn beyond 1": (
        [("out[TURN] = 1 - state[TURN]", "out[TURN] = 1 + state[TURN]")],
        ["apply_move puts 2 into cell TURN (6)", "0 or 1"],
    ),
    "QUIET counts wrongly": (
        [("state[QUIET] + 1", "state[QUIET] + 2")],
        ["apply_move sets QUIET to 2", "grows by 1 or becomes 0"],
    ),
    "a move listed twice": (
        [("out[count] = cell\n", "out[count] = cell // 2 * 2\n")],
        ["legal_moves lists the move 0 twice", "position ...... 0"],
    ),
    "MAX_MOVES too small": (
        [constant("MAX_MOVES = CELLS", "MAX_MOVES = 5")],
        ["legal_moves", "out[count] = cell", "out of bounds", "MAX_MOVES"],
    ),
    "more moves promised than MAX_MOVES": (
        [("    return count\n", "    return count + 1\n")],
        ["legal_moves returns 7, but MAX_MOVES is 6"],
    ),
    "more moves promised than written": (
        [("    return count\n", "    return count + 1\n"), ("= CELLS\nIN", "= 9\nIN")],
        ["legal_moves", "unwritten"],
    ),
    "a negative number of moves": (
        [("    return count\n", "    return -1\n")],
        ["legal_moves returns -1"],
    ),
    "legal_moves forgets to return": (
        [("    return count\n", "")],
        ["legal_moves returns", "whole number"],
    ),
    "legal_moves returns text": (
        [("    return count\n", "    return 'six'\n")],
        ["legal_moves", "number"],
    ),
    "legal_moves returns a list": (
        [("    return count\n", "    return [0, 1]\n")],
        ["legal_moves", "list"],
    ),
    "legal_moves yields": (
        [("            count += 1\n", "            yield cell\n")],
        ["legal_mo"],
    ),
    "legal_moves returns a broken number": (
        [("    return count\n", "    return count / 1\n")],
        ["legal_moves returns", "whole number"],
    ),
    "a move beyond 32 bits": (
        [
            ("out[count] = cell\n", "out[count] = cell + (1 << 40)\n"),
            ("    out[move]", "    out[move - (1 << 40)]"),
        ],
        ["legal_moves", "32 bits"],
    ),
    "a write outside": (
        [("    out[QUIET] = 0", "    out[QUIET + 1] = 0")],
        ["apply_move", "out[QUIET + 1] = 0", "index 8", "STATE_SIZE"],
    ),
    "an index below the lowest": (
        [("    out[QUIET] = 0", "    out[-9] = 0")],
        ["apply_move", "out[-9] = 0", "index -9"],
    ),
    "legal_moves never ends": ([("    count = 0\n", LOOP)], ["legal_moves does not end", "loop"]),
    "apply_move never ends": (
        [("    out[TURN] = 1 -", f"{LOOP}    out[TURN] = 1 -")],
        ["apply_move does not end", "loop"],
    ),
    "outcome never ends": (
        [("    return ONGOING\n", f"{LOOP}    return ONGOING\n")],
        ["outcome does not end", "loop"],
    ),
    "a loop that counts the wrong way": (
        [("    return ONGOING\n", "    i = 3\n    while i != 0:\n        i += 1\n    return i\n")],
        ["outcome does not end", "line", "loop"],
    ),
    "outcome divides by zero": (
        [("    return ONGOING\n", "    return ONGOING // state[QUIET]\n")],
        ["outcome", "zero", "return ONGOING // state[QUIET]"],
    ),
    "apply_move divides by zero": (
        [("    out[QUIET] = 0 if", "    out[QUIET] = 7 // state[CELLS - 1] * 0 if")],
        ["apply_move", "zero", "7 // state[CELLS - 1]"],
    ),
    "outcome returns nonsense": (
        [("            return LOSS\n", "            return 5\n")],
        ["outcome returns 5", "LOSS, DRAW, WIN or ONGOING", "position"],
    ),
    "outcome returns half a point": (
        [("            return LOSS\n", "            return 0.5\n")],
        ["outcome returns", "whole number"],
    ),
    "outcome returns text": (
        [("            return LOSS\n", "            return 'loss'\n")],
        ["outcome", "number"],
    ),
    "outcome forgets ONGOING": (
        [("    return ONGOING\n", "")],
        ["outcome returns", "whole number"],
    ),
    "over at once": (
        [("    return ONGOING\n", "    return DRAW\n")],
        ["over before its first move", "outcome"],
    ),
}

ENDS = {
    "stuck missing": ([NO_STUCK], ["no legal move", "define stuck(state)", "position"]),
    "stuck returns nonsense": (stuck_by("return 7"), ["stuck returns", "LOSS, DRAW, WIN"]),
    "stuck returns ONGOING": (stuck_by("return ONGOING"), ["stuck returns", "LOSS, DRAW, WIN"]),
    "stuck forgets to return": (
        stuck_by("DRAW + 0"),
        ["stuck returns", "whole number"],
    ),
    "stuck returns text": (stuck_by("return 'draw'"), ["stuck", "number"]),
    "stuck never ends": (stuck_by(LOOP.strip()), ["stuck does not end", "loop"]),
    "stuck alters its input": (
        stuck_by("state[0] = 0\n    return DRAW"),
        ["stuck", "alters", "position"],
    ),
    "reason returns nothing": (
        [(ROW, f"{ROW}\n\ndef reason(state):\n    pass\n")],
        ["reason", "text", "position"],
    ),
    "reason fails": (
        [(ROW, f"{ROW}\n\ndef reason(state):\n    return ('full',)[state[0]]\n")],
        ["reason", "('full',)[state[0]]"],
    ),
    "the game never ends": (
        [
            ("        if state[cell] == 0:", "        if cell >= 0:"),
            ("            return LOSS\n", "            return ONGOING\n"),
        ],
        ["still going after", "plies", "DrawRules(plies="],
    ),
}

WORDS = {
    "state_text forgets the side": (
        [('".xo"[mark] for mark in state[:CELLS]) + f" {state[TURN]}"', '"......") + " 0"')],
        ["parse_state(state_text(state)) differs in cells [", "position"],
    ),
    "parse_state forgets the side": (
        [("    out[TURN] = int(side)\n", "")],
        ["parse_state(state_text(state)) differs in cells [6]", "position"],
    ),
    "state_text returns nothing": ([('    return "".join', '    "".join')], ["state_text", "text"]),
    "state_text fails": (
        [('".xo"[mark]', '".xo"[5 * mark]')],
        ["state_text", "5 * mark", "string index out of range"],
    ),
    "parse_state refuses what state_text writes": (
        [('not in ("0", "1")', 'not in ("x", "o")')],
        ["'...... 0'", "it must be six of .xo"],
    ),
    "parse_state missing": ([("def parse_state", "def read_state")], ["parse_state"]),
    "state_text missing": ([("def state_text", "def its_text")], ["state_text"]),
    **{
        f"parse_state raises {kind}": (
            [(PARSED, f"{PARSED}    if 'x' in marks:\n        raise {kind}('odd')\n")],
            ["parse_state", kind, "odd", "x"],
        )
        for kind in (
            "AttributeError",
            "ZeroDivisionError",
            "RuntimeError",
            "AssertionError",
            "StopIteration",
            "KeyError",
            "RecursionError",
        )
    },
    "parse_state trusts its pattern": (
        [(PARSED, "    import re\n\n    marks, side = re.match('([.x]*) (.)', text).groups()\n")],
        ["parse_state", "NoneType"],
    ),
    "parse_state writes outside": (
        [("    out[TURN] = int(side)\n", "    out[TURN + 9] = int(side)\n")],
        ["parse_state", "out of bounds"],
    ),
    "parse_state never ends": ([(PARSED, PARSED + LOOP)], ["parse_state does not end"]),
    "state_text never ends": (
        [('    return "".join', f'{LOOP}    return "".join')],
        ["state_text does not end"],
    ),
    "two moves with one text": (
        [("return BOARD.names[move]", "return 'here'")],
        ["move_text gives 'here' for the moves 0 and 1", "position ...... 0"],
    ),
    "move_text returns nothing": (
        [("    return BOARD.names[move]", "    BOARD.names[move]")],
        ["move_text"],
    ),
    "move_text fails": (
        [("return BOARD.names[move]", "return BOARD.names[move + 1]")],
        ["move_text", "BOARD.names[move + 1]", "index out of range"],
    ),
    "parse_move reads another move": (
        [(ROW, f"{ROW}\n\ndef parse_move(state, text):\n    return 0\n")],
        ["parse_move reads 'b1' as 0, but it is 1", "position ...... 0"],
    ),
    "parse_move forgets to return": (
        [(ROW, f"{ROW}\n\ndef parse_move(state, text):\n    pass\n")],
        ["parse_move", "None"],
    ),
    "parse_move fails": (
        [(ROW, f"{ROW}\n\ndef parse_move(state, text):\n    return {{}}[text]\n")],
        ["parse_move", "KeyError", "return {}[text]"],
    ),
    "a piece off the board": (
        [("Piece(c,", "Piece(c + 4,")],
        ["view names cell 6", "6 cells", "position"],
    ),
    "a move off the board": ([("(m,)", "(m, -1)")], ["view names cell -1", "position"]),
    "a mark off the board": ([(END, '("X", "O"), (99,))\n')], ["view", "99", "position"]),
    "a side off the game": (
        [("int(state[TURN]), (", "2 + int(state[TURN]), (")],
        ["view", "side", "2"],
    ),
    "a piece of no side": ([("int(state[c] < 0)", "7")], ["view", "side", "7"]),
    "view returns nothing": ([("    return View", "    View")], ["view returns", "a View"]),
    "view returns a list": (
        [(f"    return View(BOARD, tuple(pieces), tuple(looks), int(state[TURN]), {END}", "")],
        ["view returns", "a View"],
    ),
    "view hides a move": (
        [("for m in moves]", "for m in moves[1:]]")],
        ["view does not show", "moves"],
    ),
    "view hides the moves' order": (
        [("for m in moves]", "for m in moves[::-1]]")],
        ["view does not show", "moves", "order"],
    ),
    "view names too many cells": (
        [("grid(CELLS, 1)", "grid(CELLS, 1)\nBOARD.__dict__['names'] += ('g1',)")],
        ["view", "7", "6 cells"],
    ),
    "a board of no known shape": (
        [("grid(CELLS, 1)", "grid(CELLS, 1)\nBOARD.__dict__['shape'] = 'triangle'")],
        ["view", "triangle", "square"],
    ),
    "a NumPy truth for a side": ([("int(state[c] < 0)", "state[c] < 0")], ["view", "int("]),
    "a NumPy number for a side": ([("int(state[TURN]), (", "state[TURN], (")], ["view", "int("]),
    "names for cells": (
        [("Piece(c,", "Piece(BOARD.names[c],")],
        ["view", "cell of a Piece is '"],
    ),
    "a glyph for a count": (
        [("int(state[c] < 0))", "int(state[c] < 0), '●')")],
        ["the count of a Piece is '●'; it must be a whole number: Piece(cell, sym"],
    ),
    "a number for cells": ([("(m,))", "m)")], ["view", "cells"]),
    "a text for a board": ([("View(BOARD", "View('BOARD'")], ["view", "Board"]),
    "view fails": ([("return View(", "return Viw(")], ["view fails (line", "return Viw(", "'Viw'"]),
    "view with one argument": (
        [("def view(state, moves):\n", "def view(state):\n    moves = []\n")],
        ["view", "view(state, moves)"],
    ),
    "view never ends": ([("    return View", f"{LOOP}    return View")], ["view does not end"]),
}

ENCODERS = {
    "encode writes too few": (
        [constant("INPUTS = CELLS", "INPUTS = 7")],
        ["encode leaves", "7", "unwritten", "position"],
    ),
    "encode writes too many": (
        [constant("INPUTS = CELLS", "INPUTS = 5")],
        ["encode", "out[cell] = float", "out of bounds", "INPUTS"],
    ),
    "encode writes NaN": (
        [IMPORT_NUMPY, ("float(state[cell])", "np.nan")],
        ["encode", "not finite", "position"],
    ),
    "encode writes infinity": (
        [IMPORT_NUMPY, ("float(state[cell])", "np.inf")],
        ["encode", "not finite", "position"],
    ),
    "encode divides by zero": (
        [("float(state[cell])", "1 / state[cell]")],
        ["encode", "out[cell] = 1 / state[cell]", "zero"],
    ),
    "encode alters its input": (
        [("float(state[cell])\n", "float(state[cell])\n        state[cell] = 0\n")],
        ["encode", "alters", "position"],
    ),
    "encode without INPUTS": ([constant("INPUTS = CELLS", "")], ["encode", "INPUTS"]),
    "INPUTS is not a whole number": (
        [constant("INPUTS = CELLS", "INPUTS = 6.0")],
        ["INPUTS", "6.0", "whole number"],
    ),
    "encode never ends": (
        [("    for cell in range(CELLS):\n        out[cell] = f", f"{LOOP}    out[0] = f")],
        ["encode does not end", "loop"],
    ),
    "encode cannot be compiled": (
        [("float(state[cell])", "float('%d' % state[cell])")],
        ["row.py, line", "numbers"],
    ),
}

COMPILED = {
    "a list in a rule": (stuck_by("return [DRAW][state[TURN]]"), ["stuck (row.py, line", "list"]),
    "a growing list in a rule": (
        stuck_by("found = []\n    found.append(DRAW)\n    return found[0]"),
        ["stuck (row.py, line", "list"],
    ),
    "a dict in a rule": (
        stuck_by("return {0: DRAW, 1: DRAW}[state[TURN]]"),
        ["row.py, line", "dict"],
    ),
    "a text in a rule": (
        stuck_by("return len('no' + 'ne') * DRAW if state[0] else len(str(state[0])) * DRAW"),
        ["row.py, line", "text"],
    ),
    "a comprehension in a rule": (
        stuck_by("return max([cell * DRAW for cell in range(CELLS)])"),
        ["stuck (row.py, line", "list"],
    ),
    "an array made in a rule": (
        [IMPORT_NUMPY, *stuck_by("return np.zeros(3, np.int64)[state[TURN]]")],
        ["stuck (row.py, line", "array"],
    ),
    "a method that rules cannot use": (
        stuck_by("return min(state.tolist()) * DRAW"),
        ["row.py, line", "tolist"],
    ),
    "a class in a rule": (
        stuck_by("return Thing.value", "class Thing:\n    value = DRAW\n\n\n"),
        ["row.py, line", "Thing"],
    ),
    "numbers beyond 64 bits": (
        [
            (
                "            count += 1\n",
                "            count += 1\n    count = (count << 60 << 10) >> 70 if count else 0\n",
            )
        ],
        ["legal_moves", "compiled", "64 bits", "position"],
    ),
    "numbers beyond 64 bits in stuck": (
        stuck_by("x = LOSS + 2\n    for _ in range(70):\n        x = x << 1\n    return x > 0"),
        ["stuck", "compiled", "64 bits", "position"],
    ),
    "numbers beyond 64 bits in encode": (
        [("float(state[cell])", "float((cell + 1 << 62) >> 62)")],
        ["encode", "compiled", "64 bits", "position"],
    ),
}

# The last pair of cells to be left empty is seldom the first pair; no game ends before.
LATE = [
    ("CELLS = 6\n", "CELLS = 12\n"),
    ("            return LOSS\n", "            return ONGOING\n"),
]
SELDOM = "(state[0] == 0 and state[1] == 0 and legal_moves_left(state) == 2)"
COUNTING = """

def legal_moves_left(state):
    left = 0
    for cell in range(CELLS):
        left += state[cell] == 0
    return left
"""
LOOPING = "does not end"
SELDOM_BROKEN = {
    "a write outside, seldom": (
        [("    return count\n", f"    if {SELDOM}:\n        out[CELLS] = 0\n    return count\n")],
        ["legal_moves", "out[CELLS] = 0", "index 12", "MAX_MOVES"],
    ),
    "a division by zero, seldom": (
        [
            (
                "    return count\n",
                f"    if {SELDOM}:\n        count //= state[0]\n    return count\n",
            )
        ],
        ["legal_moves", "zero", "count //= state[0]"],
    ),
    "an endless loop, seldom": (
        [("    return count\n", f"    while {SELDOM}:\n        count = 2\n    return count\n")],
        ["legal_moves", LOOPING, "loop"],
    ),
    "a turn not passed, seldom": (
        [("    out[TURN] = 1 -", f"    if not {SELDOM}:\n        out[TURN] = 1 -")],
        ["apply_move does not pass the turn", "position .."],
    ),
}


@pytest.fixture(scope="module", autouse=True)
def kernels_of_the_template(tmp_path_factory):
    """Load once, before all the forks, what nearly all broken games share."""
    path = broken(tmp_path_factory.mktemp("template"), [])
    assert check_game(load_game(str(path)), positions=20, games=5).problems == ()


def broken(tmp_path, changes, name="row.py"):
    """Return the file of ROW with the changes, each of which must change something."""
    text = ROW
    for old, new in changes:
        assert old in text, f"{old!r} is not in the template"
        text = text.replace(old, new)
    path = tmp_path / name
    path.write_text(text)
    return path


def apart(function, *arguments, seconds=60):
    """Return the function's text, run in a process of its own, which may hang or crash."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()

    def run():
        try:
            there.send((True, function(*arguments)))
        except BaseException:
            there.send((False, traceback.format_exc()))

    process = fork.Process(target=run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in processes with threads
        process.start()
    there.close()
    try:
        assert here.poll(seconds), f"still running after {seconds} s"
        well, text = here.recv()
    except EOFError:
        process.join()
        well, text = False, f"the process died with code {process.exitcode}"
    finally:
        process.kill()
        process.join()
    assert well, text
    return text


def told(path, positions=30, games=10):
    """Return the one problem of the game in `path`; nothing but evoboard's errors may come."""
    return apart(_told, path, positions, games)


def _told(path, positions, games):
    # A user sees Python's warnings, which must not do the work of a message.
    warnings.simplefilter("ignore", RuntimeWarning)
    try:
        report = check_game(load_game(str(path)), positions, games)
    except EvoboardError as error:
        return str(error)
    assert not report.passed, "nothing was found"
    assert len(report.problems) == 1
    assert report.laws[-1].problem == report.problems[0]
    return report.problems[0]


def assert_clear(message, words):
    for word in words:
        assert word in message
    assert len(message) <= 400
    assert "\n" not in message
    assert "Traceback" not in message


def test_every_game_obeys_the_laws(game, cases):
    positions = cases(30, 200)
    report = check_game(game, positions=positions, games=2 * positions)
    assert report.problems == ()
    assert report.passed
    assert report.game == game.name
    assert (report.positions, report.games) == (positions, 2 * positions)
    assert report.longest > 1


def test_the_template_obeys_the_laws(tmp_path):
    report = check_game(load_game(str(broken(tmp_path, []))), positions=60, games=50)
    assert report.problems == ()
    assert "the encoder fills exactly its declared inputs" in [law.text for law in report.laws]
    assert report.longest == 6


def test_another_seed_tries_other_games(tmp_path):
    game = load_game(str(broken(tmp_path, LATE)))
    lengths = {check_game(game, positions=5, games=1, seed=seed).longest for seed in range(1, 4)}
    assert lengths == {12}
    nim = load_game("nim:heaps=20/20/20")
    assert len({check_game(nim, 5, 1, seed=seed).longest for seed in range(1, 6)}) > 1


def cases(*tables):
    """Return the parameters of broken games."""
    return [pytest.param(*case, id=name) for table in tables for name, case in table.items()]


@pytest.mark.parametrize("changes, words", cases(AT_LOADING))
def test_a_file_that_is_no_game_is_refused_with_one_sentence(tmp_path, changes, words):
    assert_clear(told(broken(tmp_path, changes)), words)


@pytest.mark.parametrize("changes, words", cases(AT_THE_START, MOVES, ENDS))
def test_broken_rules_are_named_with_line_or_position(tmp_path, changes, words):
    assert_clear(told(broken(tmp_path, changes)), words)


@pytest.mark.parametrize("changes, words", cases(WORDS))
def test_broken_words_and_pictures_are_named(tmp_path, changes, words):
    assert_clear(told(broken(tmp_path, changes)), words)


@pytest.mark.parametrize("changes, words", cases(ENCODERS, COMPILED))
def test_what_cannot_run_compiled_is_named(tmp_path, changes, words):
    assert_clear(told(broken(tmp_path, changes)), words)


def test_lists_serve_where_tuples_are_meant(tmp_path):
    changes = [("(m,))", "[m])"), ("tuple(pieces), tuple(looks)", "pieces, looks")]
    path = broken(tmp_path, changes)
    assert check_game(load_game(str(path)), positions=20, games=5).problems == ()


def test_stuck_may_be_missing_where_outcome_decides_everything(tmp_path):
    full = (
        "    for cell in range(CELLS):\n        if state[cell] == 0:\n            return ONGOING\n"
    )
    changes = [NO_STUCK, ("    return ONGOING\n", f"{full}    return DRAW\n")]
    report = check_game(load_game(str(broken(tmp_path, changes))), positions=60, games=20)
    assert report.problems == ()


@pytest.mark.parametrize("changes, words", cases(SELDOM_BROKEN))
def test_a_fault_in_seldom_positions_is_found_and_placed(tmp_path, changes, words, monkeypatch):
    if LOOPING in words:
        monkeypatch.setattr(lawful_games, "STALLED", 1.0)  # so long it is waited for
        monkeypatch.setattr(rule_guard, "STEP_LIMIT", 100_000)  # and so many steps are counted
    path = broken(tmp_path, [*LATE, *changes])
    path.write_text(path.read_text() + COUNTING)
    assert_clear(told(path, positions=60, games=2000), words)


def test_more_positions_reach_a_fault_in_seldom_positions(tmp_path):
    late = [("CELLS = 6\n", "CELLS = 8\n"), LATE[1]]
    changes = [("    return count\n", f"    if {SELDOM}:\n        out[1] = 0\n    return count\n")]
    path = broken(tmp_path, [*late, *changes])
    path.write_text(path.read_text() + COUNTING)
    words = ["legal_moves lists the move 0 twice", "position .."]
    assert_clear(told(path, positions=600, games=1), words)


def test_a_message_quotes_the_line_as_it_is_now(tmp_path):
    before = told(broken(tmp_path, [("    out[QUIET] = 0", "    out[77] = 0")]))
    after = told(broken(tmp_path, [("    out[QUIET] = 0", "    out[88] = 0")]))
    assert "out[77] = 0" in before
    assert "out[88] = 0" in after


def test_rules_may_use_python_freely_outside_kernels(tmp_path):
    """Dataclasses, comprehensions and future annotations belong to ordinary files."""
    parts = (
        "import dataclasses\n\n\n@dataclasses.dataclass\nclass Names:\n    first: str = 'X'\n\n\n"
    )
    changes = [
        ("CELLS = 6\n", f"{parts}CELLS = 6\n"),
        ("from evoboard", "from __future__ import annotations\n\nfrom evoboard"),
    ]
    for some in (changes[:1], changes):
        path = broken(tmp_path, some)
        assert check_game(load_game(str(path)), positions=20, games=5).problems == ()


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = broken(tmp_path, [])
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_game(str(path)).name == "row"


SIZE = """from evoboard.core.settings import Settings


class Options(Settings):
    size: int = 6


"""
CONFIGURED = {
    "configure returns nothing": (f"{SIZE}def configure(options):\n    pass\n", ["configure"]),
    "configure fails": (
        f"{SIZE}def configure(options):\n    return {{'CELLS': options.size // 0}}\n",
        ["configure", "ZeroDivisionError"],
    ),
    "configure gives a wrong constant": (
        f"{SIZE}def configure(options):\n    return {{'TURN': 99}}\n",
        ["TURN is 99", "index"],
    ),
    "an option of an unknown type": (
        f"{SIZE.replace('int', 'Whole')}def configure(options):\n    return {{}}\n",
        ["Whole"],
    ),
    "an option of a type that is never defined": (
        f"{SIZE.replace('int', repr('Whole'))}def configure(options):\n    return {{}}\n",
        ["Options", "Whole"],
    ),
    "an option without a default": (
        f"{SIZE.replace(' = 6', '')}def configure(options):\n    return {{}}\n",
        ["Options", "size", "default"],
    ),
    "configure without options": (
        "def configure(*, size: int = 6):\n    return {}\n",
        ["Options", "configure", "belong together"],
    ),
    "options without configure": (SIZE, ["Options", "configure", "belong together"]),
    "options that are no settings": (
        "class Options:\n    size: int = 6\n\n\ndef configure(options):\n    return {}\n",
        ["Options", "evoboard.core.settings.Settings"],
    ),
}


@pytest.mark.parametrize(
    "text, words", [pytest.param(*case, id=name) for name, case in CONFIGURED.items()]
)
def test_a_broken_configure_is_named(tmp_path, text, words):
    path = broken(tmp_path, [(ROW, f"{ROW}\n\n{text}")])
    assert_clear(told(f"{path}:size=7"), words)


def test_a_position_given_as_the_start_is_where_the_check_begins(tmp_path):
    changes = [("    out[TURN] = 1 -", "    if state[0] == 0:\n        out[TURN] = 1 -")]
    path = broken(tmp_path, changes)
    message = told(f"{path}:start=x..... 1", positions=1, games=1)
    assert_clear(message, ["apply_move", "turn", "position x..... 1"])


def test_these_tests_survive_what_they_test():
    with pytest.raises(AssertionError, match=r"still running after 0\.2 s"):
        apart(time.sleep, 60, seconds=0.2)
    with pytest.raises(AssertionError, match="died with code -9"):
        apart(die)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        apart(divmod, 1, 0)


def die():
    os.kill(os.getpid(), signal.SIGKILL)
