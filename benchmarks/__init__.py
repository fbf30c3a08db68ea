"""Benchmarks: `make bench` or `python -m benchmarks [WORD …]`; ratios to peers, in one run."""
