"""The five papers, run again: one file per paper, found by its letter; a new one is a new file.

A paper's file defines PAPER, a `Paper` (base.py): who wrote what, which experiments to train, and
`report`, which turns their runs into tables, figures and claims. `bench.py` trains and measures,
and goes on where it was; `report_file.py` writes what a reader gets.
"""
