# Everything a fresh machine needs is made here: `make test` sets up .venv from the package index by itself.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: test check clean

.venv/installed: pyproject.toml
	@echo "== Making .venv and installing agboss with its test tools"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

test: .venv/installed ## the whole test suite, on real servers that it starts and ends itself
	@echo "== Running the tests: real Temporal development servers, SQLite files, worker processes"
	$(BIN)/python -m pytest -n 2

check: .venv/installed ## style, types
	@echo "== Checking style (ruff) and types (mypy --strict)"
	$(BIN)/ruff check agboss tests
	$(BIN)/ruff format --check agboss tests
	$(BIN)/mypy agboss

clean:
	rm -rf .venv .data dist build
