# Everything from a fresh clone, with python3 and make alone.
PYTHON ?= python3
BIN := .venv/bin
# Bytecode is made of what is imported, when it is.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
STATIC := src/novikoff/lab/static
# Workers, and the processes that tests start, import the same modules: the first keeps the bytecode, whatever the shell
# says. Linear algebra has one thread in each, since every core has a worker.
TESTS := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-all mutants lint bench docs clean

help:  ## Say what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/.made:
	@echo "Making the environment in .venv (once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "novikoff needs Python 3.11 or newer")'
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.demo: .venv/.made pyproject.toml constraints.txt
	@echo "Installing novikoff"
	@$(INSTALL) -e .
	@touch $@

.venv/.test: .venv/.made pyproject.toml constraints.txt
	@echo "Installing novikoff and what its tests need"
	@$(INSTALL) -e '.[test]'
	@touch .venv/.demo $@

.venv/.bench: .venv/.demo
	@echo "Installing the peers"
	@$(INSTALL) -e '.[bench]'
	@touch $@

demo: .venv/.demo  ## The main job on two data sets that ship with scikit-learn
	@$(BIN)/novikoff demo

# Lint runs beside the tests, and says at the end what it found: `make lint` says it at once.
test: .venv/.test  ## Lint, types, import contracts, tests, doctests, the README's code
	@$(MAKE) --no-print-directory lint > .venv/lint.txt 2>&1 & lint=$$!; \
	$(TESTS) -n 2; tests=$$?; \
	wait $$lint; lint=$$?; \
	cat .venv/lint.txt; \
	test $$tests = 0 || echo "The tests failed: see above" >&2; \
	test $$lint = 0 || echo "Lint failed: see above" >&2; \
	test $$tests = 0 && test $$lint = 0

test-all: .venv/.test  ## The tests that take longer than those of `make test`, which are not repeated
	$(TESTS) -n 2 -m "long or compiles" tests

mutants: .venv/.test  ## Change the source in 500 small ways, one at a time, and see whether the tests notice
	$(BIN)/python -m tests.mutants

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/oxlint --deny-warnings --ignore-pattern "**/vendor/**" $(STATIC)
	$(BIN)/oxfmt --check $(STATIC)

bench: .venv/.bench  ## The benchmarks: the same work, us and the peers, in one run
	$(BIN)/python -m benchmarks

docs: .venv/.test  ## Write what is made by code in the documentation again: figures, theorems, reference
	$(BIN)/python -m docs.figures
	$(BIN)/python -m docs.theorems
	$(BIN)/python -m docs.reference

clean:  ## Remove the environment and what the tools left
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist
