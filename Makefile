# Assay: three commands do everything.
#
#   make demo    set up, then judge the example kernels on this machine's CPU
#   make test    set up, then run the checks, the unit tests and a sample of the corpus (what CI
#                runs; under ten minutes on two cores)
#   make corpus  judge every kernel of the corpus, and run the tests marked exhaustive (an hour on
#                two cores)
#
# On a machine with a CUDA device there is a fourth: make test-gpu.
#
# Needs make, python3 (3.11 or newer, with venv) and a C++ compiler; nothing else.
#
#   PYTHON=python3.12       which interpreter to build the environment with
#   TORCH_INDEX_URL=https://download.pytorch.org/whl/cpu
#                           where torch comes from; the default is pip's own configuration
#   CORPUS_SEED=0123abc     the sample of the corpus to judge; the default is the commit, and every
#                           run prints it
#   JOBS=4                  test processes at a time; the default is one more than there are cores,
#                           because tests wait for processes of their own

PYTHON ?= python3
TORCH_INDEX_URL ?=
VENV ?= .venv
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 1) + 1)
CORPUS_SEED ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# One thread for each test process: the processes fill the cores.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --ignore=tests/gpu
TORCH_INDEX := $(if $(TORCH_INDEX_URL),--index-url $(TORCH_INDEX_URL))

# Bytecode is written wherever the shell forbids it: else each of the thousand processes that the
# tests start compiles the package anew, and pytest every test file.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo example-report test corpus test-gpu check format clean style types unit

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.stamp-run  ## judge the example kernels on this machine's CPU
	@$(BIN)/python -m assay.app.demo examples --html out/demo.html

example-report: $(VENV)/.stamp-run  ## judge every kernel of examples/ at quick, and write docs/example_report.html; ten minutes
	-$(BIN)/assay run native --candidates examples --level quick --no-timing --out out/examples
	$(BIN)/assay report out/examples -o docs/example_report.html --plain-charts --title "Assay's example kernels"

# Types are checked beside the tests: without a cache that takes a minute of one core.
test: style  ## checks, unit tests, a sample of the corpus; under ten minutes on two cores
	@$(MAKE) --no-print-directory -j 2 types unit

unit: $(VENV)/.stamp-dev
	$(BIN)/python -m pytest tests/gpu
	$(PYTEST) $(if $(CORPUS_SEED),--corpus-seed $(CORPUS_SEED))

corpus: $(VENV)/.stamp-dev  ## every kernel of the corpus and every exhaustive test; an hour
	$(PYTEST) --exhaustive -m "corpus or exhaustive"

test-gpu: $(VENV)/.stamp-dev  ## what only a CUDA device can show; under a minute
	$(BIN)/python -m pytest -v tests/gpu

check: style types  ## style, types and layers

style: $(VENV)/.stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.stamp-dev
	$(BIN)/mypy --strict
	$(BIN)/lint-imports

format: $(VENV)/.stamp-dev  ## rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist out .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf src/*.egg-info

# Each stamp is one finished step: a second `make` installs nothing.
$(VENV)/.stamp-venv:
	@echo "Making $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit("Assay needs Python 3.11 or newer: make PYTHON=python3.12 ..." if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# torch goes first and alone: an index given for it must not serve the other packages, and what
# follows must find it installed instead of choosing another build of the same version.
$(VENV)/.stamp-torch: $(VENV)/.stamp-venv constraints.txt
	@echo "Installing torch (some minutes the first time)"
	@$(PIP) install $(TORCH_INDEX) --constraint constraints.txt torch
	@touch $@

$(VENV)/.stamp-run: $(VENV)/.stamp-torch pyproject.toml
	@echo "Installing Assay with Triton and Numba"
	@$(PIP) install --constraint constraints.txt setuptools
	@$(PIP) install --no-build-isolation --constraint constraints.txt --editable '.[cpu,report]'
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-run
	@echo "Installing what the tests need"
	@$(PIP) install --no-build-isolation --constraint constraints.txt --editable '.[cpu,report,dev]'
	@touch $@
