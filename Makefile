# make demo            set up, run the quickstart, write its tables and figures
# make test            set up, lint, test
# make reproduce-all   run every config and script in full, then the claims; what is done is not done again
# make reproduce-quick the same with few repeats and sets, in minutes
# make bench           time imbfs against its peers, as ratios, and how time and memory grow
# make growth          time and peak memory against the size of the data, as docs/scale.md shows them
# make clean           remove the environment and what is built
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test reproduce-all reproduce-quick bench growth clean

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
	$(BIN)/python -m pytest -n auto --dist loadfile

reproduce-all: $(VENV)/ready
	$(BIN)/imbfs reproduce
	$(BIN)/imbfs report results/

reproduce-quick: $(VENV)/ready
	$(BIN)/imbfs reproduce --quick
	$(BIN)/imbfs report results/

bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/growth.py

growth: $(VENV)/ready
	$(BIN)/python benchmarks/growth.py

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis results/*-quick
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
