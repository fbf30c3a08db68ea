"""`python -m evoboard` is `evoboard`."""

from evoboard.cli.main import run

run()
