# Two commands do all set-up on a machine with python3, make and git:
#   make demo   installs evoboard into .venv and shows it at work
#   make test   installs what the tests need, then lint, types, layers and tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
# Without its bytecode a command starts in 2.4 s instead of 0.8 s, and the tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test checks lint types layers unit proofs trust coverage mutations gpu-test bench docs dist format clean debian

demo: $(VENV)/installed
	$(BIN)/evoboard demo

# What is checked without running anything takes one core for 20 seconds; the tests run beside it.
test: $(VENV)/installed-dev debian
	@$(MAKE) --no-print-directory -j 2 unit checks

checks: lint types layers

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

layers: $(VENV)/installed-dev
	$(BIN)/lint-imports --no-cache

# Three workers for two cores: pages, engines and clusters are waited for a fifth of the time.
# At the first time one process compiles the bytecode that all three would compile at once.
unit: $(VENV)/installed-dev debian
	@[ -d tests/__pycache__ ] || $(BIN)/pytest --collect-only -qq >/dev/null || true
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder

# The long tests, with ten and more times as many cases, and a table of what they prove.
proofs: $(VENV)/installed-dev debian
	$(BIN)/pytest -n 2 --proofs

# Faults and hostile inputs tried for real, and a table of what came of them (docs/trust.md).
trust: $(VENV)/installed-dev
	$(BIN)/python tools/trust.py

# Which lines of Python the tests run; kernels, which are compiled, are not counted.
# With the reports of all papers, of which `make test` makes the one that compiles least.
coverage: $(VENV)/installed-dev debian
	$(BIN)/python tools/coverage_report.py --proofs tests/test_papers.py -k whole_report >/dev/null || true
	$(BIN)/python tools/coverage_report.py --more

# Signs changed in the program, one at a time, and whether the tests notice.
mutations: $(VENV)/installed-dev
	$(BIN)/python tools/mutations.py

# The backend cuda on a real GPU, every game of every case against the CPU's; says so if there is none.
gpu-test: $(VENV)/installed
	-$(PIP) install --editable ".[cuda]"
	$(BIN)/python tests/gpu_games.py 2000

bench: $(VENV)/installed-dev debian
	$(BIN)/python -m benchmarks

# The documentation, into site/; a broken link is an error.
docs: $(VENV)/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Wheel and source archive, each installed and tried in an environment of its own, demo included.
dist: $(VENV)/installed-dev
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python tools/try_dist.py --demo

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# By uv where possible, else by pip. Python compiles what is imported; nobody needs all of it compiled.
$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python tools/install.py web
	touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python tools/install.py dev
	touch $@ $(VENV)/installed

# Peers that come as Debian packages; whatever cannot be had is skipped with its reason.
debian:
	@sh tools/debian.sh stockfish fairy-stockfish chromium chromedriver:chromium-driver

clean:
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
