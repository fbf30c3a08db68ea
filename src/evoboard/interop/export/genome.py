"""genome: a NEAT genome as the one line of fixed-width fields of paper A, read by import again."""

from __future__ import annotations

from evoboard.core.errors import OptionError
from evoboard.core.settings import read
from evoboard.evolution.genomes import neat, neat_text
from evoboard.evolution.genomes.neat_text import USUAL_WIDTHS
from evoboard.players.network import PlayerNetwork
from evoboard.players.run import read_address
from evoboard.store.reader import open_run

SUMMARY = "a NEAT genome of a run as paper A's line of numbers; evoboard import reads it"
ENDINGS = (".genome",)


def export(subject: PlayerNetwork) -> str:
    """Return the line of the genome behind a run's player."""
    if subject.identity is None or subject.generation is None:
        raise OptionError(
            "a genome's line can only be written for a run's player, such as run:mine@gen=40."
        )
    name = read_address(subject.text.removeprefix("run:").partition(",")[0]).run
    with open_run(name) as run:
        genome = run.genome(subject.identity).genome
        everybody = run.individuals(subject.generation)
        strategy = run.facts()["experiment"]["strategy"]
    if genome.get("kind") != "neat":
        raise OptionError(f"the genomes of the run {name} are not NEAT genomes; write --to json.")
    species = dict(zip(everybody.ids.tolist(), everybody.species.tolist(), strict=True))
    line = neat_text.write(
        neat.genome(neat.from_json(genome), 0),
        max(0, species.get(subject.identity, 0)),
        subject.identity,
        read(neat.Settings, strategy["genome"], "genome"),
        USUAL_WIDTHS,
    )
    return line + "\n"
