# Frontdesk: `make run` is all that a new machine needs. PORT and DATA_DIR may be set for every target.
.DEFAULT_GOAL := help
.PHONY: install run check format test test-crash test-llm test-studio studio psql understand eval bench clean help

BIN := .venv/bin

install: .venv/.dev $(if $(SIMILARITY),.venv/.similarity) ## make .venv with what is needed to work on the desk; SIMILARITY=1 adds that tier

run: .venv/.runtime ## install if need be, start the database and serve on 127.0.0.1:8000 (PORT=... DATA_DIR=...)
	@exec $(BIN)/frontdesk serve

check: .venv/.dev ## formatting, lint, types and the arrows between packages
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/python -m pytest -q tests/test_architecture.py

format: .venv/.dev ## format the code and mend what the linter can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: .venv/.dev ## every test that needs nothing but this machine
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile $(ARGS)

test-crash: .venv/.dev ## kill real servers again and again, and count what became of everything
	$(BIN)/python -m tests.crash $(ARGS)

test-llm: .venv/.dev ## the tests against a real model server (opt-in; builds one the first time)
	$(BIN)/python -m pytest -q -m llm --timeout 1800 $(ARGS)

test-studio: .venv/.dev .venv-studio/.runtime ## the tests against LangGraph's development server (opt-in)
	$(BIN)/python -m pytest -q -m studio --timeout 300 $(ARGS)

studio: .venv-studio/.runtime ## LangGraph's development server and Studio over the same graph and database
	@PYTHONPATH=. LANGGRAPH_CLI_NO_ANALYTICS=1 exec .venv-studio/bin/langgraph dev --no-browser --no-reload $(ARGS)

psql: .venv/.runtime ## open the desk's database, or run the SQL of standard input
	@exec $(BIN)/frontdesk psql

understand: .venv/.runtime ## what the rules read in the texts of FILE=texts.jsonl
	@test -n "$(FILE)" || { echo 'usage: make understand FILE=texts.jsonl (one {"text": "..."} per line)' >&2; exit 2; }
	@exec $(BIN)/frontdesk understand --file "$(FILE)"

eval: .venv/.dev ## measure what the desk understands (MODELS=a,b BASELINE=result.json PROMPTS=folder)
	$(BIN)/frontdesk eval $(if $(MODELS),--models $(MODELS)) $(if $(BASELINE),--baseline $(BASELINE)) $(if $(PROMPTS),--prompts $(PROMPTS)) $(ARGS)

bench: .venv/.dev ## measure turns per second and milliseconds per turn
	$(BIN)/python -m bench $(ARGS)

clean: ## remove the environments and caches; the data in .frontdesk stay
	rm -rf .venv .venv-studio .mypy_cache .ruff_cache .pytest_cache .hypothesis .langgraph_api build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.venv/.runtime: requirements.lock pyproject.toml scripts/install.sh
	@scripts/install.sh .venv requirements.lock >&2 && touch $@

.venv/.dev: requirements-dev.lock pyproject.toml scripts/install.sh
	@scripts/install.sh .venv requirements-dev.lock >&2 && touch .venv/.runtime $@

.venv/.similarity: requirements-similarity.lock .venv/.dev
	@scripts/install.sh .venv requirements-similarity.lock >&2 && touch $@

.venv-studio/.runtime: requirements-studio.lock pyproject.toml scripts/install.sh
	@scripts/install.sh .venv-studio requirements-studio.lock >&2 && touch $@
