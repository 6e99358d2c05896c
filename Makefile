SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
WORKERS ?= 4
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= tests/data/pii
TRAINING = --lists $(LISTS) $(if $(LENER),--lener $(LENER)) $(if $(SKILLS),--skills $(SKILLS))

.PHONY: help install test check demo console bench nightly docs pii pii-model

help:
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

install: $(STAMP) ## put everything the project needs into .venv (hashes checked)

# Without build isolation pip would fetch no build backend: the locked one is used.
$(STAMP): requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

test: check ## all checks and all tests, under 20 minutes (as root it installs PostgreSQL 15 if absent)
	scripts/system-packages
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

check: $(STAMP) ## lint, types, import direction and the other rules of the house
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy src tests benchmarks measure training
	$(BIN)/lint-imports
	$(BIN)/pytest -q tests/architecture

demo: $(STAMP) ## the main job, start to finish, on a throwaway folder
	$(BIN)/tarimba demo

console: $(STAMP) ## the demo's data behind a running server, to look around
	$(BIN)/tarimba demo --serve

bench: $(STAMP) ## everything that is time, as JSON with the machine named
	scripts/system-packages
	$(BIN)/python -m benchmarks

nightly: $(STAMP) ## the long tests that every change does not pay for
	scripts/system-packages nightly
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m nightly --timeout=0 --hypothesis-profile=nightly

docs: $(STAMP) ## write docs/reference/ and the pictures of the Console, run every example of the README and of docs/
	scripts/system-packages
	$(BIN)/python scripts/generate_reference.py
	$(BIN)/python -m tests.e2e.console.pictures
	$(BIN)/pytest tests/docs

pii: $(STAMP) ## what the detectors find, layer by layer, beside other tools (DATA=DIR: other sets)
	$(BIN)/python -m measure.pii $(DATA)

pii-model: $(STAMP) ## train the model of names again (LISTS=DIR; LENER=DIR and SKILLS=FILE where you have them)
	$(BIN)/python -m training.build_gazetteer $(TRAINING)
	$(BIN)/python -m training.train $(TRAINING)
