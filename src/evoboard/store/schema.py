"""The tables of a run's database, and how rows are compared.

Everything in it is determined by the experiment and the seed, except `timings` and `sessions` (when
and how long the program ran), the three facts of `meta` named below, and `chain`, whose hashes
include these facts.
"""

from __future__ import annotations

# The hashes of store/chain.py; -1 is the link before generation 0.
CHAIN = "CREATE TABLE chain (generation INTEGER PRIMARY KEY, hash BLOB NOT NULL);"

SCHEMA = f"""
{CHAIN}

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE generations (
    generation INTEGER PRIMARY KEY,
    champion INTEGER NOT NULL REFERENCES genomes DEFERRABLE INITIALLY DEFERRED,
    champion_slot INTEGER NOT NULL,
    champion_origin TEXT NOT NULL,
    numbers TEXT NOT NULL);

-- Each genome once, where it was first kept: zlib-compressed JSON.
CREATE TABLE genomes (
    id INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL REFERENCES generations,
    genome BLOB NOT NULL,
    network BLOB NOT NULL);

CREATE TABLE individuals (
    generation INTEGER NOT NULL REFERENCES generations, slot INTEGER NOT NULL,
    id INTEGER NOT NULL, species INTEGER NOT NULL,
    parent1 INTEGER NOT NULL, parent2 INTEGER NOT NULL, origin INTEGER NOT NULL,
    fitness REAL, games INTEGER NOT NULL, nodes INTEGER NOT NULL, links INTEGER NOT NULL,
    PRIMARY KEY (generation, slot)) WITHOUT ROWID;

CREATE TABLE species (
    generation INTEGER NOT NULL REFERENCES generations, number INTEGER NOT NULL,
    species INTEGER NOT NULL, size INTEGER NOT NULL, best REAL, mean REAL, adjusted REAL,
    PRIMARY KEY (generation, number)) WITHOUT ROWID;

-- first and second have no type: an id is a number, any other player its text.
CREATE TABLE games (
    generation INTEGER NOT NULL REFERENCES generations, number INTEGER NOT NULL,
    purpose TEXT NOT NULL, first, second,
    game TEXT NOT NULL, version INTEGER NOT NULL, start TEXT NOT NULL, moves BLOB NOT NULL,
    result INTEGER NOT NULL, reason TEXT NOT NULL, code INTEGER NOT NULL);
CREATE INDEX games_by_generation ON games (generation);

CREATE TABLE measurements (
    generation INTEGER NOT NULL REFERENCES generations, number INTEGER NOT NULL,
    kind TEXT NOT NULL, opponent TEXT NOT NULL,
    wins INTEGER NOT NULL, draws INTEGER NOT NULL, losses INTEGER NOT NULL,
    elo REAL, low REAL, high REAL,
    PRIMARY KEY (generation, number)) WITHOUT ROWID;

CREATE TABLE alarms (
    generation INTEGER NOT NULL REFERENCES generations, number INTEGER NOT NULL,
    kind TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (generation, number)) WITHOUT ROWID;

-- How many fitness games lasted so many plies.
CREATE TABLE lengths (
    generation INTEGER NOT NULL REFERENCES generations,
    plies INTEGER NOT NULL, games INTEGER NOT NULL,
    PRIMARY KEY (generation, plies)) WITHOUT ROWID;

-- Which generations keep more than the champion: so many genomes and games.
CREATE TABLE recorded (
    generation INTEGER PRIMARY KEY REFERENCES generations,
    genomes INTEGER NOT NULL, games INTEGER NOT NULL);

CREATE TABLE finals (
    generation INTEGER PRIMARY KEY REFERENCES generations,
    champion_generation INTEGER NOT NULL, id INTEGER NOT NULL REFERENCES genomes,
    scores TEXT NOT NULL);

-- Row 0: all that is needed to play `generation` and those after it (store/blob.py). Row 1: the
-- same before the last generation, which is measured out of turn: from there a run gets longer.
CREATE TABLE checkpoint (
    row INTEGER PRIMARY KEY CHECK (row IN (0, 1)),
    generation INTEGER NOT NULL, state BLOB NOT NULL);

CREATE TABLE timings (
    generation INTEGER NOT NULL REFERENCES generations,
    step TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (generation, step)) WITHOUT ROWID;

CREATE TABLE sessions (
    number INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, reason TEXT,
    first_generation INTEGER NOT NULL, program TEXT NOT NULL, threads INTEGER NOT NULL,
    process INTEGER NOT NULL);
"""

# The columns of all tables; readers and writers of rows rely on them.
COLUMNS = """
SELECT t.name, c.name, c.type, c."notnull", c.pk
FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'
"""

# What is compared, with the order that makes rows comparable.
COMPARED = {
    "meta": "key",
    "generations": "generation",
    "genomes": "id",
    "individuals": "generation, slot",
    "species": "generation, number",
    "games": "generation, number",
    "measurements": "generation, number",
    "alarms": "generation, number",
    "lengths": "generation, plies",
    "recorded": "generation",
    "finals": "generation",
    "checkpoint": "row",
}
# Facts of `meta` that are not part of what was evolved.
NOT_COMPARED = ("name", "made", "program")
# Tables whose rows belong to a generation, those that refer to others first; not `chain`, which
# must never be without a link.
BY_GENERATION = (
    "timings",
    *(t for t in reversed(COMPARED) if t not in ("meta", "checkpoint")),
)
