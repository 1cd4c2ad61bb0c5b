# `make` lists what there is. Nothing has to be set up first: each target makes the environment that it needs, once.

MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

VENV := .venv
BIN := $(VENV)/bin
LOCK_TOOL := uv==0.13.9
LOCK := .venv-lock/bin/uv pip compile --quiet --no-header --generate-hashes --python-version 3.11 pyproject.toml
JOBS ?= 2
# Tests wait for lines and processes for a third of their time: one worker more than processors fills it.
WORKERS ?= $(shell expr $(JOBS) + 1)
ARGS ?=

# The Python to build the environment with; `make PYTHON=/path/to/python run` names another.
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3.11 python3; do \
	"$$python" -c '$(IS_NEW_ENOUGH)' 2>/dev/null && echo "$$python" && break; done)

MINUTES ?= 60

.PHONY: help run test test-mutants test-clauses simulate soak bench check format lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.installed ## Play a whole session on simulated devices (more with ARGS="--decks 6 --seed 7")
	@$(BIN)/sabot demo $(ARGS)

test: $(VENV)/.installed ## Run the tests (a part of them with ARGS="tests/protocol -k golden")
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-mutants: $(VENV)/.installed ## Put deliberate faults into the controller and see each caught (some with ARGS="NAME …")
	@$(BIN)/python -m tests.mutants --jobs $(JOBS) $(ARGS)

test-clauses: $(VENV)/.installed ## Take out each row and guard and see a test of its clause fail (some with ARGS="NAME …")
	@$(BIN)/python -m tests.clauses --jobs $(JOBS) $(ARGS)

simulate: $(VENV)/.installed ## Play short simulated shifts (more with ARGS="--faults storm --seed 7")
	@$(BIN)/sabot simulate --shifts 20 --rounds 40 --jobs $(JOBS) $(ARGS)

soak: $(VENV)/.installed ## Kill at every call, feed all rubbish, press all rhythms, play all books, look for new courses of a link, then play eight-hour shifts over all JOBS for MINUTES
	SABOT_KILLS=all SABOT_HOSTILE=full SABOT_RHYTHMS=all SABOT_DEMO_BOOKS=all \
		$(BIN)/python -m pytest -n $(JOBS) tests/kills tests/hostile tests/table/test_lamp_in_time.py tests/demo/test_demo.py
	$(BIN)/python -m pytest -n0 --hypothesis-profile=explore tests/protocol/test_model.py
	@$(BIN)/sabot simulate --minutes $(MINUTES) --faults storm --jobs $(JOBS) $(ARGS)

bench: $(VENV)/.installed ## Measure everything against the limit or a peer, by turns (some with ARGS="--json FILE decode …")
	@$(BIN)/python -m tests.benchmarks $(ARGS)

check: $(VENV)/.installed ## Before a commit: format, lint, types, import contracts, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict drivers firmware_bridge sim_hardware
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

format: $(VENV)/.installed ## Let ruff lay out the code and mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: .venv-lock/.installed ## Write the lock files anew (newer versions with ARGS=--upgrade)
	$(LOCK) $(ARGS) -o lock-run.txt
	$(LOCK) $(ARGS) --extra test -o lock-test.txt

clean: ## Remove the environments and every cache
	rm -rf $(VENV) .venv-lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis *.egg-info build
	find drivers firmware_bridge sim_hardware tests -name __pycache__ -prune -exec rm -rf {} +

# ---- the environment, in two steps, so that an edit of pyproject.toml does not fetch the libraries again

$(VENV)/.locked: lock-test.txt
	@$(MAKE) python-is-there
	$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r lock-test.txt || { \
		echo 'The locked libraries could not be installed; pip says why above. They are fetched once, so the first' \
			'`make run` or `make test` needs the network (or a package index of your own, set in pip.conf).' >&2; \
		exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv-lock/.installed: Makefile
	@$(MAKE) python-is-there
	$(PYTHON) -m venv --clear .venv-lock
	@.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check $(LOCK_TOOL)
	@touch $@

.PHONY: python-is-there
python-is-there:
	@test -n '$(PYTHON)' || { \
		echo 'Python 3.11 or newer is needed, and neither python3.11 nor python3 is one.' >&2; \
		echo 'Remedy on Debian 12 or later: sudo apt install python3 python3-venv' >&2; \
		echo 'or name one: make PYTHON=/path/to/python3.11 run' >&2; exit 1; }
	@'$(PYTHON)' -c '$(IS_NEW_ENOUGH)' || { \
		echo '$(PYTHON) is no Python 3.11 or newer. Name another: make PYTHON=/path/to/python3.11 run' >&2; exit 1; }
	@'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || { \
		echo '$(PYTHON) has no venv with pip in it. Remedy on Debian: sudo apt install python3-venv' >&2; exit 1; }
