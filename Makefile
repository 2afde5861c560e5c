# make demo            set up, run the quickstart, write its tables and figures
# make test            set up, lint, test
# make test-bounds     the tests with every index in compiled code checked; compiles all of it anew the first time
# make faults          kill, fill, damage and starve it, more often than make test does
# make reproduce-all   run every config and script in full, then the claims; what is done is not done again
# make reproduce-quick the same with few repeats and sets, in minutes
# make fuzz            read 10,000 mutated inputs of every format; SEED=7 repeats a run
# make bench           time imbfs against its peers, as ratios, and how time and memory grow
# make growth          time and peak memory against the size of the data, as docs/scale.md shows them
# make clean           remove the environment and what is built
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-bounds faults reproduce-all reproduce-quick fuzz bench growth clean

# The environment is as new as pyproject.toml; an interrupted set-up is done again.
$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(VENV)/ready
	$(BIN)/imbfs run configs/quickstart.yaml
	@echo "Tables:  results/quickstart/tables/"
	@echo "Figures: results/quickstart/figures/"

test: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n auto --dist worksteal

# Numba's cache does not tell code that checks its indices from code that does not.
test-bounds: $(VENV)/ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(VENV)/bounds $(BIN)/python -m pytest -n auto --dist worksteal

faults: $(VENV)/ready
	IMBFS_KILLS=20 $(BIN)/python -m pytest tests/test_faults.py tests/test_full_disk.py tests/test_workers.py tests/test_fetch.py tests/test_jsonfiles.py tests/test_misbehaving.py tests/test_store.py

reproduce-all: $(VENV)/ready
	$(BIN)/imbfs reproduce
	$(BIN)/imbfs report results/

reproduce-quick: $(VENV)/ready
	$(BIN)/imbfs reproduce --quick
	$(BIN)/imbfs report results/

fuzz: $(VENV)/ready
	$(BIN)/python tests/fuzz.py $(if $(SEED),--seed $(SEED))

bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/growth.py

growth: $(VENV)/ready
	$(BIN)/python benchmarks/growth.py

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis results/*-quick
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
