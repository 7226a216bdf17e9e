# Everything a fresh machine needs is made here: `make test` sets up .venv from the package index by itself.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check bench soak clean

.venv/installed: pyproject.toml
	@echo "== Making .venv and installing agboss with its test tools"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

demo: .venv/installed ## a refund that pauses and is answered in this terminal; FLOW=approvals: two at once; FLOW=office: in free text
	@$(BIN)/python demo.py $(FLOW)

test: .venv/installed ## the whole test suite, on real servers that it starts and ends itself
	@echo "== Running the tests: real Temporal development servers, SQLite files, worker processes"
	$(BIN)/python -m pytest -n 2

bench: .venv/installed ## agboss against a gate written by hand, on a server that it starts itself
	@$(BIN)/python -m bench

check: .venv/installed ## style, types
	@echo "== Checking style (ruff) and types (mypy --strict)"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy agboss bench docs/examples application.py worker.py demo.py
	@echo "== Checking that imports go one way (import-linter)"
	$(BIN)/lint-imports

SEEDS_FROM ?= $(shell date +%s)000
soak: .venv/installed ## the simulation on new seeds, until something breaks or you stop it
	@echo "== Simulating from seed $(SEEDS_FROM); a broken seed is printed and replays with --seed"
	$(BIN)/python -m tests.simulation --from $(SEEDS_FROM)

clean:
	rm -rf .venv .data dist build
