"""The pictures of the README and of docs/concepts, made from small real runs.

    python tools/make_pictures.py neat       NEAT step by step: examples/neat-nim.toml, seed 1
    python tools/make_pictures.py strength   fitness, Elo, openings, equal search
    python tools/make_pictures.py readme     the demo's board, network and Elo

Runs are made in the folder `runs` (or EVOBOARD_RUNS) where they are not there yet. Everything is
seeded, so the same program draws the same pictures.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import evoboard as eb
from evoboard.api import Run
from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.elo import Tally, elo_difference
from evoboard.arena.standings import MatchResult
from evoboard.evolution.genomes import neat
from evoboard.evolution.operators.distance import distances
from evoboard.experiments.catalog import load
from evoboard.games.base import load_game
from evoboard.networks.graph import unpack
from evoboard.pictures.chart import COLOURS, DIM, INK
from evoboard.pictures.curves import Curve, draw_curves
from evoboard.pictures.network import draw_network
from evoboard.pictures.svg import Drawing, Picture
from evoboard.training.loop import Trainer

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "images"
NEW, SHARED, OFF = "#f6d9b8", "#dfe7f2", "#eeeae2"
GENE = 74.0  # a gene's width


def main() -> None:
    """Draw what the words name, or all of it."""
    FOLDER.mkdir(exist_ok=True)
    for word in sys.argv[1:] or ("neat", "strength", "readme"):
        {"neat": draw_neat, "strength": draw_strength, "readme": draw_readme}[word]()


def save(name: str, picture: Picture) -> None:
    """Write a picture and say so."""
    print(picture.save(FOLDER / name).relative_to(ROOT))


def beside(pictures: Sequence[Picture], captions: Sequence[str], height: float) -> Picture:
    """Return pictures in a row, equally high, each with its caption below."""
    parts, x = list[str](), 0.0
    for picture, caption in zip(pictures, captions, strict=True):
        found = re.match(
            r'<svg [^>]*viewBox="([^"]*)" width="([^"]*)" height="([^"]*)"', picture.svg
        )
        assert found
        width = height * float(found[2]) / float(found[3])
        inner = re.sub(
            r' width="[^"]*" height="[^"]*"',
            f' x="{x:g}" y="0" width="{width:g}" height="{height:g}"',
            picture.svg,
            count=1,
        )
        middle = x + width / 2
        parts.append(
            f'{inner}<text x="{middle:g}" y="{height + 20:g}" font-size="14" fill="{INK}" '
            f'text-anchor="middle">{caption}</text>'
        )
        x += width + 24
    x -= 24
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {x:g} {height + 32:g}" '
        f'width="{x:g}" height="{height + 32:g}" role="img" '
        f'font-family="DejaVu Sans, Segoe UI Symbol, sans-serif"><rect width="{x:g}" '
        f'height="{height + 32:g}" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


# --- NEAT ---------------------------------------------------------------------------------------


def draw_neat() -> None:
    """Draw genes, innovations, crossover, species and growth of one run."""
    trainer = Trainer(load(str(ROOT / "examples" / "neat-nim.toml")), 1)
    populations, champions = [], []
    while not trainer.finished():
        populations.append(trainer.strategy.ask())
        record = trainer.step()
        champions.append(record.champion_slot)
    grown = max(
        range(len(champions)), key=lambda g: _size(populations[g], champions[g]) <= 12 and g
    )
    one = neat.genome(populations[grown].genes, champions[grown])
    network = _network(trainer, populations[grown], champions[grown])
    strip = genes([(f"champion of generation {grown}", one.links)], {})
    save("neat-genome.svg", strip)
    save("neat-network.svg", network)
    save("neat-innovation.svg", _innovation(populations))
    save("neat-crossover.svg", _crossover(populations))
    save("neat-species.svg", _species(populations))
    save("neat-distances.svg", _distances(trainer, populations[-1]))
    shown = [0, len(populations) // 2, len(populations) - 1]
    pictures = [_network(trainer, populations[g], champions[g]) for g in shown]
    save("neat-growth.svg", beside(pictures, [f"generation {g}" for g in shown], 260))


def _size(population: Any, index: int) -> int:
    return len(neat.genome(population.genes, index).links)


def _network(trainer: Trainer, population: Any, index: int) -> Picture:
    pack = trainer.strategy.express(neat.take(population.genes, [index])).pack
    return draw_network(unpack(pack, 0), trainer.game, trainer.encoder, pixels=420)


def genes(rows: Sequence[tuple[str, Sequence[Any]]], colours: dict[int, str]) -> Picture:
    """Return genomes as rows of links, in columns by their innovation numbers."""
    numbers = sorted({link.number for _, links in rows for link in links})
    drawing, top = Drawing(), 12.0
    width = GENE * len(numbers) + 20
    drawing.add("rect", x=0, y=0, width=width, height=84.0 * len(rows) + 12, fill="#ffffff")
    for name, links in rows:
        drawing.text(10, top + 8, name, 13, text_anchor="start", fill=INK, font_weight="bold")
        for link in links:
            x = 10 + GENE * numbers.index(link.number)
            off = link.status in ("dead", "disabled")
            fill = OFF if off else colours.get(link.number, SHARED)
            drawing.add(
                "rect", x=x, y=top + 20, width=GENE - 6, height=48, rx=5, fill=fill,
                stroke="#8a857c", stroke_width=1,
            )  # fmt: skip
            ink = DIM if off else INK
            drawing.text(
                x + GENE / 2 - 3, top + 32, f"{link.number}", 14, fill=ink, font_weight="bold"
            )
            drawing.text(x + GENE / 2 - 3, top + 46, f"{link.source} → {link.target}", 11, fill=ink)
            told = "off" if off else f"{link.weight:+.2f}"
            drawing.text(x + GENE / 2 - 3, top + 59, told, 11, fill=ink)
        top += 84
    return drawing.finish((0, 0, width, 84.0 * len(rows) + 12), width, "genes by innovation number")


def _innovation(populations: Sequence[Any]) -> Picture:
    """Two genomes of one generation in which the same link was split for the first time."""
    for g, (before, now) in enumerate(pairwise(populations), 1):
        old = {key for i in range(before.size) for key in _nodes(before, i)}
        for key in sorted({k for i in range(now.size) for k in _nodes(now, i)} - old):
            found = [i for i in range(now.size) if key in _nodes(now, i)]
            pairs = {tuple(now.parents[i]): i for i in found}
            if len(pairs) > 1:
                chosen = list(pairs.values())[:2]
                rows = [
                    (f"individual {now.ids[i]}, generation {g}", _links(now, i)) for i in chosen
                ]
                both = [link.number for link in rows[0][1] if key in (link.source, link.target)]
                return genes(rows, dict.fromkeys(both, NEW))
    raise SystemExit("no innovation was made twice; take another seed.")


def _nodes(population: Any, index: int) -> set[int]:
    shape = population.genes.shape
    found = neat.genome(population.genes, index).nodes
    return {node.key for node in found if node.key >= shape[0] + shape[1]}


def _links(population: Any, index: int) -> tuple[Any, ...]:
    return neat.genome(population.genes, index).links


def _crossover(populations: Sequence[Any]) -> Picture:
    """A child, its parents, and which gene came from whom."""
    best, shown = 0.0, None
    for g, (before, now) in enumerate(pairwise(populations), 1):
        places = {int(identity): i for i, identity in enumerate(before.ids)}
        for i in range(now.size):
            one, two = (places.get(int(parent), -1) for parent in now.parents[i])
            if one < 0 or two < 0 or one == two:
                continue
            rows = [_links(before, one), _links(before, two), _links(now, i)]
            numbers = [{link.number for link in row} for row in rows]
            differ = len(numbers[0] - numbers[1]), len(numbers[1] - numbers[0])
            if len(numbers[0] | numbers[1] | numbers[2]) > 12 or numbers[2] - numbers[0]:
                continue  # too wide, or mutated as well
            score = min(differ) + 0.1 * sum(differ)
            if score > best:
                names = (
                    f"fitter parent {before.ids[one]}",
                    f"other parent {before.ids[two]}",
                    f"child {now.ids[i]}, generation {g}",
                )
                colours = dict.fromkeys(numbers[0] ^ numbers[1], NEW)
                best, shown = score, (list(zip(names, rows, strict=True)), colours)
    if shown is None:
        raise SystemExit("no crossover shows enough; take another seed.")
    return genes(*shown)


def _species(populations: Sequence[Any]) -> Picture:
    """How many individuals each species has, generation by generation."""
    names = sorted({int(s) for population in populations for s in population.species})
    shares = np.array([[(p.species == s).sum() for s in names] for p in populations])
    width, height, left, low = 640.0, 300.0, 50.0, 40.0
    drawing = Drawing()
    drawing.add("rect", x=0, y=0, width=width, height=height, fill="#ffffff")
    size = shares.sum(axis=1)[0]
    step = (width - left - 14) / (len(populations) - 1)
    tops = np.cumsum(shares, axis=1)
    for k in range(len(names)):
        upper = [
            (left + step * g, height - low - tops[g, k] / size * 230) for g in range(len(tops))
        ]
        below = tops[:, k] - shares[:, k]
        lower = [(left + step * g, height - low - below[g] / size * 230) for g in range(len(tops))]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in [*upper, *reversed(lower)])
        drawing.add(
            "path", d=f"M{path}z", fill=COLOURS[k % len(COLOURS)], stroke="#ffffff",
            fill_opacity=0.35 + 0.15 * (k % 4), stroke_width=1,
        )  # fmt: skip
    for g in range(0, len(populations), 5):
        drawing.text(left + step * g, height - low + 14, f"{g}", 11, fill=DIM)
    drawing.text(width / 2, height - 10, "generation", 12, fill=DIM)
    drawing.text(
        left, 14, f"{size} individuals; each band is a species", 13, text_anchor="start", fill=INK
    )
    return drawing.finish((0, 0, width, height), width, "species by generation")


def _distances(trainer: Trainer, population: Any) -> Picture:
    """How far apart the last population's genomes are, sorted by species."""
    order = np.argsort(population.species, kind="stable")
    genes = neat.take(population.genes, order)
    table = distances(trainer.strategy.settings.distance, genes, genes)
    cell, left = 6.0, 20.0
    size = cell * len(order)
    drawing = Drawing()
    drawing.add("rect", x=0, y=0, width=size + 2 * left, height=size + 60, fill="#ffffff")
    most, shades = table.max(), 12
    for step in range(1, shades + 1):  # one path a shade, so that the file stays small
        chosen = np.argwhere(np.ceil(shades * table / most).astype(int) == step)
        path = "".join(f"M{left + cell * j:g} {left + cell * i:g}h6v6h-6z" for i, j in chosen)
        shade = round(255 - 190 * step / shades)
        drawing.add("path", d=path or "M0 0", fill=f"rgb({shade},{shade},{min(255, shade + 12)})")
    start = 0
    species = population.species[order]
    for k, s in enumerate(np.unique(species)):
        count = int((species == s).sum())
        drawing.add(
            "rect", x=left + cell * start, y=left + cell * start, width=cell * count,
            height=cell * count, fill="none", stroke=COLOURS[k % len(COLOURS)], stroke_width=2,
        )  # fmt: skip
        start += count
    threshold = trainer.strategy.threshold
    told = f"white: 0, dark: {most:.1f}; frames are species, the threshold is {threshold:.1f}"
    drawing.text(left, size + left + 20, told, 12, text_anchor="start", fill=INK)
    return drawing.finish((0, 0, size + 2 * left, size + 60), 460, "distances between genomes")


# --- strength -----------------------------------------------------------------------------------


def demo_run() -> Run:
    """Return the run of the demo's experiment, seed 1."""
    try:
        return eb.open_run("demo")
    except eb.EvoboardError:
        return eb.train("kingcapture-demo", seed=1, run="demo")


def draw_strength() -> None:
    """Draw why fitness is relative, why Elo, why openings, why equal search."""
    run = demo_run()
    best, mean = (run.numbers(name) for name in ("best", "mean"))
    save(
        "fitness.svg",
        draw_curves(
            [
                Curve("best", list(best), list(best.values())),
                Curve("mean", list(mean), list(mean.values())),
            ],
            "Fitness: the share of points against each other",
            up="share of points",
        ),
    )
    save("elo.svg", elo_curve(run, "The same champions against players that never change"))
    counts = [2 * n for n in (3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500)]
    curves = []
    for share in (0.5, 0.75, 0.9):
        rows = [_surely(count, share) for count in counts]
        name = f"{share:.0%} of the points"
        curves.append(Curve(name, counts, *(list(column) for column in zip(*rows, strict=True))))
    save("games.svg", draw_curves(curves, "How sure a result is", across="games", up="Elo"))
    save("openings.svg", _openings())
    save("equal-search.svg", _equal())


def _surely(games: int, share: float) -> tuple[float, float, float]:
    """Return Elo and its interval where so many games bring that share, none of them drawn."""
    won = round(share * games)
    found = elo_difference(Tally(lone=(games - won, 0, won)))
    return found.elo, found.low, found.high


def elo_curve(run: Run, title: str, pixels: int = 640) -> Picture:
    """Return Elo by generation with its 95% band: champions and the fixed players' lines."""
    rated = eb.rate(run, games=40)
    generations = rated.lineage.generations
    curves = [Curve(*rated.curve)]
    for i, anchor in enumerate(rated.anchors, len(generations)):
        level = [float(rated.ratings.elo[i])] * 2
        curves.append(Curve(anchor, [generations[0], generations[-1]], level))
    return draw_curves(curves, title, up="Elo", pixels=pixels)


def _openings() -> Picture:
    game = load_game("kingcapture")
    plies, found = [0, 1, 2, 3, 4, 6], []
    for opening in plies:
        contest = play_contest(
            game, ["champion:depth=1", "material:depth=1"], 100, Terms(1, opening)
        )
        found.append(len({(record.start, record.moves) for record in contest.records}))
    print("different games of 100, by random plies:", dict(zip(plies, found, strict=True)))
    return draw_curves(
        [Curve("different games among 100", plies, found)],
        "champion:depth=1 against material:depth=1",
        across="random plies before the game",
        up="different games",
    )


def _equal() -> Picture:
    game, depths = load_game("kingcapture"), [1, 2, 3, 4]
    curves = []
    for name, depth in (("champion at depth 1", 1), ("champion at equal depth", 0)):
        rows = []
        for other in depths:
            players = [f"champion:depth={depth or other},quiescence=0", f"material:depth={other}"]
            result = MatchResult(play_contest(game, players, 60, Terms(1, 4)))
            estimate = result.estimate
            rows.append([100 * _share(e) for e in (estimate.elo, estimate.low, estimate.high)])
            print(name, other, result, Counter(r.reason for r in result.contest.records))
        curves.append(Curve(name, depths, *(list(column) for column in zip(*rows, strict=True))))
    return draw_curves(
        curves,
        "Share of the points against counting pieces",
        across="plies that the counter looks ahead",
        up="%",
    )


def _share(elo: float) -> float:
    return float(1 / (1 + 10 ** (-elo / 400)))


# --- README -------------------------------------------------------------------------------------


def draw_readme() -> None:
    """Draw what `evoboard demo` makes: a position of its player, its network, its Elo."""
    run, game = demo_run(), load_game("kingcapture")
    match = eb.Match(game)
    player = eb.make_player(f"{run.best},depth=3", game)
    for ply in range(14):
        match.play(player.think(match.history, ply).move)
    move = player.think(match.history, 14).move
    pictures = [
        eb.draw_board(game, match.state, move=move),
        eb.draw_network(run.best, game),
        elo_curve(run, "Elo by generation, 95% band"),
    ]
    captions = ["its next move", "its network", "how it learned"]
    save("readme.svg", beside(pictures, captions, 300))


if __name__ == "__main__":
    main()
