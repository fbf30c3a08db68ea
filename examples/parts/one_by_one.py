"""A backend: games one by one, each reported."""

from evoboard.arena.backends import cpu


class Backend(cpu.Backend):
    """Plays as cpu does, but never two games at once."""

    def play_networks(self, task, games, progress):
        """Play the numbered games and write their results."""
        for game in games.reshape(-1, 1):
            super().play_networks(task, game, progress)
            row = int(game[0])
            print(f"game {row}: {task.buffers.results[row]:+d} in {task.buffers.plies[row]} plies")
