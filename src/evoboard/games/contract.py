"""Turns a game file into a namespace: options applied, form checked, rules compiled."""

# Slots have contracts, not bodies.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from evoboard.core.arrays import Array
from evoboard.core.errors import EvoboardError, OptionError, PartError, quoted
from evoboard.core.link import link, slot
from evoboard.core.options import options_model, read_options
from evoboard.core.settings import Settings
from evoboard.games.rules import DRAW, MAX_MOVES, forcing, legal_moves

RULES = {
    "initial": "initial(state, seed)",
    "legal_moves": "legal_moves(state, out)",
    "apply_move": "apply_move(state, move, out)",
    "outcome": "outcome(state)",
}
# What a game may also have: the result of being stuck, what helps searches (`games/rules.py`),
# what the pieces are worth, and what a network sees.
OPTIONAL = {
    "stuck": "stuck(state)",
    "forcing": "forcing(state, move)",
    "forcing_moves": "forcing_moves(state, out)",
    "losing": "losing(state, move)",
    "in_check": "in_check(state)",
    "pass_turn": "pass_turn(state, out)",
    "material": "material(state)",
    "encode": "encode(state, out)",
}
WORDS = {
    "reason": "reason(state)",
    "state_text": "state_text(state)",
    "parse_state": "parse_state(text, out)",
    "move_text": "move_text(state, move)",
    "move_label": "move_label(state, move)",
    "parse_move": "parse_move(state, text)",
    "view": "view(state, moves)",
}
MOST_PLIES = 1_000_000  # of a game; tournaments reserve room for all of them
TUTORIAL = "see docs/your-own-game.md"


@dataclass(frozen=True)
class DrawRules:
    """Rules of the match rather than of the position; 0 switches a rule off.

    `repetitions`: a draw when a position occurs this often (2 or more); `quiet`: a draw after
    this many plies without progress; `plies`: a draw when the game is this long.
    """

    repetitions: int = 0
    quiet: int = 0
    plies: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if type(value) is not int or not 0 <= value <= MOST_PLIES:
                raise OptionError(
                    f"{name} is {quoted(value)}; it must be a whole number up to "
                    f"{MOST_PLIES:,}, 0 for no limit."
                )
        if self.repetitions == 1:
            raise OptionError("repetitions is 1; every position occurs once, so 2 is the least.")

    def changed(self, **given: int | None) -> DrawRules:
        """Return these rules with the given ones replaced; None leaves a rule as it is."""
        return replace(self, **{name: n for name, n in given.items() if n is not None})


def apply_options(
    module: types.ModuleType, name: str, given: Mapping[str, Any]
) -> tuple[Settings, dict[str, Any]]:
    """Return the options, and the constants that differ because of them."""
    model, configure = options_model(module, name), getattr(module, "configure", None)
    if bool(model.model_fields) != bool(configure):
        raise PartError(
            f"{name}: a class Options(Settings) and a function configure(options) belong together; "
            f"add the other ({TUTORIAL})."
        )
    for option, field in model.model_fields.items():
        if field.is_required():
            raise PartError(
                f"{name}: option {option} of Options has no default; write {option}: … = … ."
            )
    options: Settings = read_options(model, given, name)
    constants = _configured(name, configure, options) if configure and given else {}
    for constant in constants:
        if not hasattr(module, constant):
            raise PartError(
                f"{name}: configure returns {quoted(constant)}, which the file does not define; "
                "define it with the value it has by default."
            )
    return options, constants


def _configured(name: str, configure: Callable[..., Any], options: Settings) -> Any:
    try:
        constants = configure(options)
    except EvoboardError:
        raise
    except ValueError as error:
        raise OptionError(f"{name}: {error}") from error
    except Exception as error:
        raise PartError(f"{name}: configure fails: {type(error).__name__}: {error}.") from error
    if not isinstance(constants, dict):
        raise PartError(
            f"{name}: configure returns {type(constants).__name__}; it must return a dict of the "
            "constants that the options change."
        )
    return constants


def rebound(
    module: types.ModuleType, constants: Mapping[str, Any], compiled: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the module's namespace with these `constants`, its functions bound to it."""
    namespace = {**vars(module), **constants}
    for name, value in vars(module).items():
        if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            defaults, closure = value.__defaults__, value.__closure__
            copy = types.FunctionType(value.__code__, namespace, name, defaults, closure)
            copy.__kwdefaults__, copy.__module__ = value.__kwdefaults__, value.__module__
            namespace[name] = copy
    namespace.update(compiled)
    return namespace


def compile_rules(namespace: Mapping[str, Any], name: str, *, trusted: bool) -> dict[str, Any]:
    """Return the rules that Python calls one by one, compiled.

    A user's rules run with bounds checks: a wrong index must not damage the memory of the process.
    """
    names = [n for n in (*RULES, "stuck") if n in namespace]
    names += [n for n in namespace.get("KERNELS", ()) if n not in names]
    if trusted:
        return {n: link(namespace[n]) for n in names}
    return {n: _named(f"{name}: {n}", link(namespace[n], target="checked")) for n in names}


def _named(where: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(rule)
    def run(*arguments: Any) -> Any:
        try:
            return rule(*arguments)
        except IndexError:
            raise PartError(
                f"{where} reads or writes outside an array; `evoboard check-game` tells where."
            ) from None
        except ZeroDivisionError:
            raise PartError(
                f"{where} divides by zero; `evoboard check-game` tells where."
            ) from None

    return run


@slot
def own_moves(state: Array, out: Array) -> int:
    """Do what the `legal_moves` of a user's file does, which may return any number."""


@slot
def own_forcing_moves(state: Array, out: Array) -> int:
    """Do what the `forcing_moves` of a user's file does."""


def bounded_moves(state: Array, out: Array) -> int:
    """Return the number of a user's `legal_moves`, as far as it can be one."""
    return min(max(own_moves(state, out), 0), MAX_MOVES)


def bounded_forcing_moves(state: Array, out: Array) -> int:
    """Return the number of a user's `forcing_moves`, as far as it can be one."""
    return min(max(own_forcing_moves(state, out), 0), MAX_MOVES)


def bounded(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return a user's rules with the number of moves bounded, so that compiled code is safe."""
    kept = {"legal_moves": bounded_moves, "own_moves": rules["legal_moves"]}
    if "forcing_moves" in rules:
        kept["forcing_moves"] = bounded_forcing_moves
        kept["own_forcing_moves"] = rules["forcing_moves"]
    return {**rules, **kept}


def nobody_is_stuck(state: Array) -> int:
    """Return DRAW: the `stuck` of a game in which both sides always have a move."""
    return DRAW


def no_such_move(state: Array, move: int) -> int:
    """Return 0: the `forcing` and `losing` of a game that does not tell moves apart."""
    return 0


def no_check(state: Array) -> int:
    """Return 0: the `in_check` of a game without threats that must be answered."""
    return 0


def no_passing(state: Array, out: Array) -> int:
    """Return 0: the `pass_turn` of a game in which passing might help."""
    return 0


def picked_forcing(state: Array, out: Array) -> int:
    """Write the legal moves that `forcing` calls so: the `forcing_moves` of most games."""
    kept = 0
    for i in range(legal_moves(state, out)):
        if forcing(state, out[i]) > 0:
            out[kept] = out[i]
            kept += 1
    return kept


DEFAULTS = {
    "stuck": nobody_is_stuck,
    "forcing": no_such_move,
    "forcing_moves": picked_forcing,
    "losing": no_such_move,
    "in_check": no_check,
    "pass_turn": no_passing,
}


def check_form(namespace: Mapping[str, Any], where: str) -> None:
    """Raise PartError if a game lacks something, or has it in a form that cannot work."""
    for name, form in RULES.items():
        if not inspect.isfunction(namespace.get(name)):
            raise PartError(f"{where} is not a complete game: it lacks the function {form}.")
    for name, form in {**RULES, **OPTIONAL, **WORDS}.items():
        if name in namespace:
            _check_function(where, name, namespace[name], form)
    _check_numbers(namespace, where)
    if ("encode" in namespace) != ("INPUTS" in namespace):
        raise PartError(f"{where}: encode(state, out) and INPUTS belong together; add the other.")
    kernels = namespace.get("KERNELS", ())
    if not isinstance(kernels, tuple | list):
        raise PartError(
            f"{where}: KERNELS is {quoted(kernels)}; write a tuple of names, ('name',)."
        )
    for name in kernels:
        if not inspect.isfunction(namespace.get(name)):
            raise PartError(f"{where}: KERNELS names {name!r}, but there is no such function.")
    if not isinstance(namespace.get("DRAWS", DrawRules()), DrawRules):
        raise PartError(f"{where}: DRAWS is not a DrawRules; write DRAWS = DrawRules(plies=200).")
    sides = namespace.get("SIDES", ("", ""))
    texts = isinstance(sides, tuple) and all(isinstance(side, str) for side in sides)
    if not (texts and len(sides) == 2):
        raise PartError(
            f"{where}: SIDES is {quoted(sides)}; write the two names, ('White', 'Black')."
        )


def _check_function(where: str, name: str, function: Any, form: str) -> None:
    if not callable(function):
        raise PartError(f"{where}: {name} is not a function; it must be {form}.")
    arguments = len(inspect.signature(function).parameters)
    wanted = form.count(",") + 1
    if arguments != wanted:
        raise PartError(f"{where}: {name} takes {arguments} arguments; it must be {form}.")


# Bounds of a number; searches reserve room for every move of every ply.
NUMBERS = {
    "STATE_SIZE": (1, 1 << 16),
    "MAX_MOVES": (1, 1 << 16),
    "TURN": (0, 1 << 16),
    "VERSION": (1, 1 << 31),
    "INPUTS": (1, 1 << 20),
    "OPENING_PLIES": (0, 1000),
}
NEEDED = ("STATE_SIZE", "MAX_MOVES", "TURN")


def _check_numbers(namespace: Mapping[str, Any], where: str) -> None:
    for name, (low, high) in NUMBERS.items():
        value = namespace.get(name, None if name in NEEDED else low)
        if value is None:
            raise PartError(f"{where} lacks the constant {name}, a whole number ({TUTORIAL}).")
        if type(value) is not int or not low <= value <= high:
            raise PartError(
                f"{where}: {name} is {quoted(value)}; it must be a whole number from {low} "
                f"to {high:,} ({TUTORIAL})."
            )
    size = namespace["STATE_SIZE"]
    cells = {"TURN": namespace["TURN"], "QUIET": namespace.get("QUIET", 0)}
    counters = namespace.get("COUNTERS", ())
    if not isinstance(counters, tuple):
        raise PartError(
            f"{where}: COUNTERS is {quoted(counters)}; write a tuple of cells, (CELL,)."
        )
    cells |= {f"COUNTERS[{i}]": cell for i, cell in enumerate(counters)}
    for name, cell in cells.items():
        if type(cell) is not int or not 0 <= cell < size:
            raise PartError(
                f"{where}: {name} is {quoted(cell)}; "
                f"it is the index of one of the {size} cells of a state ({TUTORIAL})."
            )
