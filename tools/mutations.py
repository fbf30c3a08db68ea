"""Signs changed in the program, one at a time: do the tests notice?

    python tools/mutations.py [WORD…]

Each change is made in a copy of the source, where the tests that are meant to notice it are run.
It is noticed where one of them fails; not where all pass, nor where none ends. Prints a table, and
ends with 1 where a change was not noticed. WORD chooses changes by their files. First, all these
tests must pass with nothing changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
COPIED = ("src", "tests", "examples", "pyproject.toml")
PATIENCE = 600.0  # seconds for the tests of one change, on a busy machine


class Change(NamedTuple):
    """A piece of a file of the package, which is there once, what replaces it, and the tests."""

    file: str
    old: str
    new: str
    tests: str


CHANGES = (
    # --- rules
    Change(
        "games/nim.py",
        "out[move_heap(move)] -= move_amount(move)",
        "out[move_heap(move)] += move_amount(move)",
        "test_perft.py -k 'uncompiled and nim'",
    ),
    Change(
        "games/nim.py",
        "            return ONGOING\n    return WIN",
        "            return ONGOING\n    return -WIN",
        "test_rules_nim.py::test_the_winner_of_every_small_position_is_the_known_one",
    ),
    Change(
        "games/kingcapture.py",
        "            ahead = square + 6 * me",
        "            ahead = square - 6 * me",
        "test_perft.py -k 'uncompiled and kingcapture'",
    ),
    Change(
        "games/kingcapture.py",
        "return LOSS if state[KINGS] == 2 - state[TURN] else WIN",
        "return LOSS if state[KINGS] == 1 + state[TURN] else WIN",
        "test_rules_kingcapture.py::test_taking_the_king_wins_at_once",
    ),
    Change(
        "games/kingcapture.py",
        "out[QUIET] = state[QUIET] + 1",
        "out[QUIET] = state[QUIET] - 1",
        "test_rules_kingcapture.py::test_pawns_become_rooks_and_progress_is_counted",
    ),
    Change(
        "games/kingcapture.py",
        "return points * (1 - 2 * state[TURN])",
        "return points * (2 * state[TURN] - 1)",
        "test_players.py::test_material_is_counted_for_the_side_to_move",
    ),
    Change(
        "games/draughts.py",
        "captured |= bit(square - step)",
        "captured |= bit(square + step)",
        "test_rules_draughts.py::test_pieces_are_taken_and_crowned",
    ),
    Change(  # once, this one made the tests hang
        "games/draughts.py",
        "state[1 - side] & ~captured",
        "state[1 - side]",
        "test_perft.py -k 'uncompiled and draughts'",
    ),
    Change(
        "games/draughts.py",
        "popcount(mine & state[KINGS]) - popcount(other & state[KINGS])",
        "popcount(mine & state[KINGS]) + popcount(other & state[KINGS])",
        "test_players.py::test_material_is_counted_for_the_side_to_move",
    ),
    Change(
        "games/hexwar.py",
        "out[target] = state[target] + sign * amount",
        "out[target] = state[target] - sign * amount",
        "test_rules_hexwar.py::test_pieces_move_multiply_and_cancel",
    ),
    Change(
        "games/hexwar.py",
        "fallen = max(0, min(amount, -state[target] * sign))",
        "fallen = max(0, min(amount, state[target] * sign))",
        "test_rules_hexwar.py -k slow_rules",
    ),
    Change(
        "games/chess.py",
        "ahead = 16 * state[TURN] - 8",
        "ahead = 8 - 16 * state[TURN]",
        "test_perft.py -k 'uncompiled and chess'",
    ),
    Change(
        "games/chess.py",
        "return LOSS if in_check(state) else DRAW",
        "return -LOSS if in_check(state) else DRAW",
        "test_rules_chess.py::test_the_board_ends_the_game",
    ),
    Change(
        "games/chess.py",
        "out[BLACK - turn] &= ~bit(target ^ 8)",
        "out[BLACK - turn] &= bit(target ^ 8)",
        "test_rules_chess.py -k 'random_games or constructed'",
    ),
    Change(
        "games/adjudication.py",
        "range(ply - 2, first - 1, -2)",
        "range(ply - 2, first + 1, -2)",
        "test_match.py::test_repetition_counts_through_quiet_moves_only",
    ),
    Change(
        "games/adjudication.py",
        "first = ply - state[QUIET]",
        "first = ply + state[QUIET]",
        "test_match.py::test_repetition_counts_through_quiet_moves_only",
    ),
    Change(
        "games/history.py",
        "(state, code)) * (1 - 2 * game.side(state))",
        "(state, code)) * (2 * game.side(state) - 1)",
        "test_match.py -k 'ends_with_its_result and nim'",
    ),
    # --- searches
    Change(
        "search/values.py",
        "return F(result) * (WON - F(ply))",
        "return F(result) * (WON + F(ply))",
        "test_search.py -k 'plain_minimax and nim'",
    ),
    Change(
        "search/values.py",
        "        value = -value\n",
        "        value = +value\n",
        "test_players.py -k sees_as_side_0",
    ),
    Change(
        "search/alphabeta.py",
        "value = -line_value(network, settings, child, work.past, 1,",
        "value = line_value(network, settings, child, work.past, 1,",
        "test_search.py -k 'at_depth_1 or plain_minimax and nim'",
    ),
    Change(
        "search/alphabeta.py",
        "level + 1, -bounds[BETA], -bounds[ALPHA])",
        "level + 1, bounds[BETA], -bounds[ALPHA])",
        "test_search.py -k 'plain_minimax and nim'",
    ),
    Change(
        "search/quiescence.py",
        "            value = -bounds[BEST]",
        "            value = bounds[BEST]",
        "test_search.py -k 'quiescence_is_the_recursion and kingcapture'",
    ),
    Change(
        "search/table.py",
        "        return value + F(ply)",
        "        return value - F(ply)",
        "test_search.py::test_the_table_counts_wins_from_the_position",
    ),
    Change(
        "search/frames.py",
        "enter(work, child, remaining, ply, -beta, -alpha)",
        "enter(work, child, remaining, ply, -beta, alpha)",
        "test_search.py -k 'plain_minimax and nim'",
    ),
    Change(
        "search/frames.py",
        "bounds[DOUBT] = score - F(settings.margin)",
        "bounds[DOUBT] = score + F(settings.margin)",
        "test_search.py -k in_doubt",
    ),
    Change(
        "search/frames.py",
        "low = bounds[STATIC] - margin(",
        "low = bounds[STATIC] + margin(",
        "test_search.py -k says_enough",
    ),
    Change(
        "search/frames.py",
        "(abs(best - static) - swing[0])",
        "(abs(best + static) - swing[0])",
        "test_search.py -k distance_of_a_value",
    ),
    Change(
        "search/tree.py",
        "tree.mean[node] += (-value - tree.mean[node])",
        "tree.mean[node] += (value - tree.mean[node])",
        "test_mcts.py -k 'twins and tictactoe'",
    ),
    Change(
        "search/tree.py",
        "bound = tree.mean[child] + reach",
        "bound = tree.mean[child] - reach",
        "test_mcts.py -k 'twins and tictactoe'",
    ),
    Change(
        "search/mcts.py",
        "here, sign, left = 1 - here, -sign, left - 1",
        "here, sign, left = 1 - here, sign, left - 1",
        "test_mcts.py -k 'twins and tictactoe'",
    ),
    Change(
        "players/solver.py",
        "results[source] = -results[number]",
        "results[source] = results[number]",
        "test_solver.py::test_it_agrees_with_nim_theory_for_all_starts_up_to_7_7_7",
    ),
    # --- operators
    Change(
        "evolution/operators/distance.py",
        "abs(genes.weight[here] - others.weight[there])",
        "abs(genes.weight[here] + others.weight[there])",
        "test_speciation.py -k distance",
    ),
    Change(
        "evolution/operators/speciation.py",
        "max(settings.step, threshold + change)",
        "max(settings.step, threshold - change)",
        "test_speciation.py::test_a_target_moves_the_threshold_towards_it",
    ),
    Change(
        "evolution/operators/quotas.py",
        "np.argsort(quotas - entitled, ",
        "np.argsort(entitled - quotas, ",
        "test_speciation.py -k places",
    ),
    Change(
        "evolution/operators/stagnation.py",
        "answer = generation - records.since <=",
        "answer = generation + records.since <=",
        "test_speciation.py -k fertil",
    ),
    Change(
        "evolution/operators/crossover.py",
        "0.5 * (draft.real[WEIGHT, i] + genes.weight[there])",
        "0.5 * (draft.real[WEIGHT, i] - genes.weight[there])",
        "test_neat_operators.py::test_crossover_averages_or_picks_what_matches",
    ),
    Change(
        "evolution/mutations/add_node.py",
        "link_number(tables, key, target), key, target, weight)",
        "link_number(tables, key, target), key, target, -weight)",
        "test_neat_operators.py::test_splitting_keeps_the_old_link_as_its_dialect_says",
    ),
    Change(
        "evolution/strategies/morphological.py",
        "return low + inward, high - inward",
        "return low - inward, high + inward",
        "test_real_strategies.py -k interval",
    ),
    Change(
        "evolution/operators/gradient.py",
        "vector[i] -= rate *",
        "vector[i] += rate *",
        "test_learning.py::test_steps_are_adams_and_what_stays_is_the_mean_of_the_last_pass",
    ),
    Change(
        "evolution/operators/gradient.py",
        "value = values[i] * signs[lesson]",
        "value = -values[i] * signs[lesson]",
        "test_learning.py::test_the_targets_of_td_look_ahead_within_a_game",
    ),
    Change(
        "evolution/strategies/evolution_strategy.py",
        "step -= settings.decay * vectors[0]",
        "step += settings.decay * vectors[0]",
        "test_learning.py -k 'evolution_strategy or equal_scores or decay'",
    ),
    Change(
        "evolution/strategies/evolution_strategy.py",
        "slower = 1 + self.generation / settings.cooling",
        "slower = 1 - self.generation / settings.cooling",
        "test_learning.py -k cool",
    ),
    Change(
        "evolution/strategies/cmaes.py",
        "mean = vectors[0] + self.sigma * step",
        "mean = vectors[0] - self.sigma * step",
        "test_learning.py::test_cmaes_finds_a_goal_in_a_long_valley",
    ),
    Change(
        "evolution/strategies/cmaes.py",
        "c.damping * (size / c.expected - 1)",
        "c.damping * (size / c.expected + 1)",
        "test_learning.py -k cmaes",
    ),
    # --- statistics
    Change(
        "core/statistics.py",
        "(share + square / 2)",
        "(share - square / 2)",
        "test_grades.py -k wilson",
    ),
    Change(
        "core/statistics.py",
        "return value, value - below, value + above",
        "return value, value - above, value + below",
        "test_grades.py::test_sums_of_intervals",
    ),
    Change(
        "core/statistics.py",
        "(len(p) - rank) * p[place]",
        "(len(p) + rank) * p[place]",
        "test_study.py::test_many_comparisons_are_corrected",
    ),
    Change(
        "core/statistics.py",
        ">= seen - 1e-9",
        ">= seen + 1e-9",
        "test_study.py -k 'compared or dealt or least_p'",
    ),
    Change(
        "core/statistics.py",
        "term = -(a + m)",
        "term = (a + m)",
        "test_study.py::test_students_quantiles",
    ),
    Change(
        "arena/elo.py",
        "1 / (1 + 10 ** (-elo / 400))",
        "1 / (1 + 10 ** (elo / 400))",
        "test_ratings.py::test_elo_and_score_are_each_others_inverse",
    ),
    Change(
        "arena/elo.py",
        "max(self.deviance(tilt), 0.0)), -tilt)",
        "max(self.deviance(tilt), 0.0)), tilt)",
        "test_ratings.py -k superiority",
    ),
    Change(
        "arena/ratings.py",
        ".sum(1) - _PULL * strength",
        ".sum(1) + _PULL * strength",
        "test_ratings.py -k wide_prior",
    ),
    Change(
        "arena/ratings.py",
        "inverse[high, high] - 2 * inverse[low, high]",
        "inverse[high, high] + 2 * inverse[low, high]",
        "test_ratings.py::test_errors_are_those_of_the_slow_sandwich",
    ),
    Change(
        "arena/side_by_side.py",
        "boards.seats[i, games.states[i, TURN]]",
        "boards.seats[i, 1 - games.states[i, TURN]]",
        "test_side_by_side.py::test_side_by_side_as_one_by_one",
    ),
    Change(
        "arena/side_by_side.py",
        "boards.moves[i, ply - 1] = move",
        "boards.moves[i, 1 - ply] = move",
        "test_side_by_side.py::test_side_by_side_as_one_by_one",
    ),
    Change(
        "arena/scoring.py",
        "to_second = scoring.points(-self.results)",
        "to_second = scoring.points(self.results)",
        "test_scoring.py",
    ),
    Change(
        "training/intransitivity.py",
        "(elo[second] - elo[first]) / 400",
        "(elo[first] - elo[second]) / 400",
        "test_alarms.py",
    ),
    # --- storage
    Change(
        "store/blob.py",
        "if -end <= low and high < end",
        "if end >= low and high < end",
        "test_run_bytes.py",
    ),
    Change(
        "store/blob.py",
        "min(moves) >= -1 << 15",
        "min(moves) >= 1 << 15",
        "test_run_bytes.py -k moves",
    ),
    Change(
        "store/chain.py",
        "range(first + 1, count):\n        if",
        "range(first + 2, count):\n        if",
        "test_run_damage.py::test_history_that_was_changed_is_not_trained_on",
    ),
    Change(
        "store/writer.py",
        "self._put_state(record.generation + 1, packed)",
        "self._put_state(record.generation - 1, packed)",
        "test_runs.py -k 'checkpoint or interrupted'",
    ),
    Change(
        "store/writer.py",
        "WHERE generation >= ?",
        "WHERE generation > ?",
        "test_runs.py -k 'checkpoint or interrupted'",
    ),
    Change(
        "store/writer.py",
        '"9e999" if value > 0 else "-9e999"',
        '"9e999" if value < 0 else "-9e999"',
        "test_run_bytes.py -k numbers",
    ),
    Change(
        "store/games.py",
        "OFFSET {int(text[1:]) - 1}",
        "OFFSET {int(text[1:]) + 1}",
        "test_web_replay.py::test_filters_find_what_a_slow_search_finds",
    ),
    Change(
        "store/games.py",
        '"won": ("result > 0", "result < 0")',
        '"won": ("result < 0", "result > 0")',
        "test_web_replay.py::test_filters_find_what_a_slow_search_finds",
    ),
)


def main() -> int:
    """Try the changes that were asked for."""
    words = sys.argv[1:]
    chosen = [each for each in CHANGES if not words or any(word in each.file for word in words)]
    if not chosen:  # nothing tried must not look like everything noticed
        sys.exit(f"no file that is changed has {' or '.join(words)} in its name.")
    with tempfile.TemporaryDirectory(prefix="evoboard-mutations-") as folder:
        copy = Path(folder)
        for name in COPIED:
            place = ROOT / name
            if place.is_dir():
                shutil.copytree(place, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(place, copy / name)
        for file, expression in together(chosen).items():
            became, told = run_tests(copy, f"{file} -k '{expression}'" if expression else file)
            if became != "passed":
                sys.exit(f"{file}: {became} with nothing changed\n{told}")
        print("With nothing changed, all these tests pass.\n")
        print("| changed | in | noticed | by | seconds |")
        print("|---|---|---|---|---|")
        missed = 0
        for change in chosen:
            began = time.monotonic()
            became, told = try_change(copy, change)
            missed += became != "failed"
            cells = (f"`{described_change(change)}`", change.file, _noticed(became), told)
            print(f"| {' | '.join(cells)} | {time.monotonic() - began:.0f} |", flush=True)
    print(f"\n{len(chosen) - missed} of {len(chosen)} changes noticed")
    return 1 if missed else 0


def try_change(copy: Path, change: Change) -> tuple[str, str]:
    """Make a change in the copy, run its tests and take the change back."""
    place = copy / "src" / "evoboard" / change.file
    before = place.read_text(encoding="utf-8")
    if before.count(change.old) != 1:
        sys.exit(f"{change.file} holds {change.old!r} {before.count(change.old)} times, not once.")
    place.write_text(before.replace(change.old, change.new), encoding="utf-8")
    try:
        return run_tests(copy, change.tests)
    finally:
        place.write_text(before, encoding="utf-8")


def run_tests(copy: Path, tests: str) -> tuple[str, str]:
    """Return what became of tests (passed, failed, hung, broken), and the first that failed."""
    words = [f"tests/{word}" if word.startswith("test_") else word for word in _split(tests)]
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-p", "no:cacheprovider", *words]
    settings = {**os.environ, "PYTHONPATH": str(copy / "src"), "EVOBOARD_RUNS": str(copy / "runs")}
    try:
        done = subprocess.run(
            command, cwd=copy, env=settings, capture_output=True, text=True, timeout=PATIENCE,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "hung", tests
    failed = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("FAILED")]
    if done.returncode == 1 and failed:
        return "failed", failed[0].removeprefix("tests/")
    return ("passed", tests) if done.returncode == 0 else ("broken", done.stdout[-2000:])


def _split(tests: str) -> list[str]:
    files, _, expression = tests.partition(" -k ")
    return [*files.split(), *(["-k", expression.strip("'")] if expression else [])]


def together(changes: list[Change]) -> dict[str, str]:
    """Return the tests of all changes: by file, an expression that chooses them, "" for all."""
    found: dict[str, set[str]] = {}
    for change in changes:
        files, _, expression = change.tests.partition(" -k ")
        for word in files.split():
            file, _, name = word.partition("::")
            found.setdefault(file, set()).add(name or expression.strip("'"))
    return {
        file: "" if "" in each else " or ".join(f"({one})" for one in sorted(each))
        for file, each in found.items()
    }


def described_change(change: Change) -> str:
    """Return the line as it becomes, as it is told in the table."""
    before = change.old.splitlines()
    line = next(line for line in change.new.splitlines() if line not in before)
    return line.strip().replace("|", "\\|")


def _noticed(became: str) -> str:
    return {"failed": "yes", "passed": "NO"}.get(became, f"NO, {became}")


if __name__ == "__main__":
    sys.exit(main())
