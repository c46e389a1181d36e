# Every target prepares the .venv it needs; nothing has to be installed beforehand but Python 3.11 to 3.13.
# Without a network: `make wheels` once with one, then PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/.wheels make test (pip's own cache
# holds downloads but no index, so it does not suffice).

PYTHON ?= python3
VENV   ?= .venv
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check -q
BUDGET ?= quick
# What .venv holds besides the default install. Constraints pick the version of torch, the package index its build: where that is
# gigabytes of GPU libraries, `make test EXTRAS=bench,engines,parquet,pettingzoo,search,dev` leaves the trainer out, and its tests skip.
EXTRAS ?= bench,engines,parquet,pettingzoo,search,train,dev
FUZZ_ACTIONS ?= 1000000
# Seconds of each target of the fuzzer that goes by coverage.
FUZZ_SECONDS ?= 600
# Other interpreters for the determinism matrix, as --python PATH …; they need what agentgym needs.
MATRIX ?=
# Processes that share the tests, file by file; each imports everything, which takes a quarter of a minute.
WORKERS ?= 2
# Tests start many processes: one thread each, and modules compiled once, whatever the environment says.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(PY) -m pytest
SHARED := -n $(WORKERS) --dist loadfile

BENCH := $(VENV)/.bench-installed
DEV   := $(VENV)/.dev-installed

.DEFAULT_GOAL := help
.PHONY: help bench test test-all check spelling perf fuzz matrix leaks docs hooks wheels clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-10s%s\n' "$$name" "$$what"; done

bench: $(BENCH) ## run the estimator benchmark on the CPU; writes report.html and results.json
	@echo "bench: every estimator against the true advantages, budget $(BUDGET), into the first free runs/bench-N"
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(PY) -m agentgym bench --budget $(BUDGET)

test: $(DEV) ## run the tests but those marked slow, perf or fuzz
	@echo "test: everything but slow, perf and fuzz"
	@$(PYTEST) $(SHARED) -m "not slow and not perf and not fuzz"

test-all: $(DEV) ## run the slow tests too, with many more drawn examples
	@echo "test-all: everything but perf and fuzz, 5,000 examples a property"
	@HYPOTHESIS_PROFILE=all $(PYTEST) $(SHARED) -m "not perf and not fuzz"

check: $(DEV) ## lint, format, types, layering, spelling
	@echo "check: ruff, mypy --strict, import contracts, codespell"
	@$(PY) -m ruff check -q .
	@$(PY) -m ruff format -q --check . || { echo "not formatted: run $(PY) -m ruff format ."; exit 1; }
	@$(PY) -m mypy --no-error-summary agentgym
	@$(PY) tests/layering.py
	@$(MAKE) --no-print-directory spelling

# In tests only what is not a quoted string: they misspell names on purpose and hold broken text.
spelling: $(DEV)
	@$(PY) -m codespell_lib
	@$(PY) -m codespell_lib --ignore-regex '(?<!")"[^"]*"(?!")' tests

perf: $(DEV) ## measure speeds against their baselines in the same run
	@echo "perf: ratios against in-run baselines"
	@$(PY) tests/perf/run.py

fuzz: $(DEV) ## play FUZZ_ACTIONS hostile actions in every world; fuzz what reads texts and files, by coverage
	@echo "fuzz: $(FUZZ_ACTIONS) actions a world, $(FUZZ_SECONDS) s a parser or reader"
	@AGENTGYM_FUZZ_ACTIONS=$(FUZZ_ACTIONS) AGENTGYM_FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTEST) -m fuzz

matrix: $(DEV) ## play the same chains in every process, locale, zone, version and from the wheel; none may differ
	@echo "matrix: the golden chains of every world, in every surrounding that this machine has"
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(PY) tests/matrix.py $(MATRIX)

leaks: $(DEV) ## play 10,000 episodes of every world and count what stays behind
	@echo "leaks: 10,000 episodes a world"
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(PY) tests/leaks.py

docs: $(DEV) ## build the documentation into site/, warnings as errors
	@echo "docs: into site/"
	@$(PY) -m mkdocs build --strict  # with -q it would count no warnings and pass

hooks: $(DEV) ## install the git hooks
	@$(PY) -m pre_commit install

wheels: | $(PY) ## fetch everything that .venv needs into .wheels, for machines without a network
	@echo "wheels: into .wheels/"
	@$(PIP) wheel -w .wheels -c constraints.txt setuptools '.[$(EXTRAS)]'
	@rm -f .wheels/agentgym_suite-*.whl

clean: ## remove the environment, caches and built files; runs/ and .wheels/ stay
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@echo "setup: $(VENV) from $$($(PYTHON) --version)"
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if (3, 11) <= v < (3, 14) else f"Python 3.11 to 3.13 is needed, {sys.executable} is {v.major}.{v.minor}: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)

$(BENCH): pyproject.toml constraints.txt | $(PY)
	@echo "setup: installing agentgym with what the benchmark needs into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[bench]'
	@touch $@

$(DEV): pyproject.toml constraints.txt | $(PY)
	@echo "setup: installing agentgym with the development tools into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@ $(BENCH)
