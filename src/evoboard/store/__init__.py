"""A run on the disk: everything that knows its tables. Above it, no layer writes SQL.

records.py   what is stored of a generation, and what readers answer with
schema.py    the tables
run_file.py  where runs are kept, a database opened, and what is wrong with one in a sentence
writer.py    one transaction a generation
reader.py    questions about a run, also while it is being trained
games.py     which recorded games are wanted, as SQL
blob.py      checkpoints, genomes and moves as bytes

And, beside runs, ladder_file.py: the games of a ladder of players, as JSON.
"""
