"""A run on disk: everything that knows its tables. No layer above writes SQL.

records.py   what is stored of a generation, and what readers return
schema.py    the tables
run_file.py  where runs are, opening a database, and saying in a sentence what is wrong with one
writer.py    one transaction per generation
reader.py    answers questions about a run, even while it is being trained
games.py     selecting recorded games, as SQL
blob.py      checkpoints, genomes and moves as bytes

And, besides runs, ladder_file.py: the games of a ladder of players, as JSON.
"""
