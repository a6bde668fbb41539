#!/usr/bin/env bash
# Resolves the versions in the lock files anew; needs uv.
set -euo pipefail
cd "$(dirname "$0")/.."

compile() {
    uv pip compile pyproject.toml --group build --universal --no-header --no-annotate --no-emit-index-url \
        --generate-hashes --quiet --upgrade "$@"
}

compile -o requirements.lock
compile --extra dev -c requirements.lock -o requirements-dev.lock
compile --extra similarity -c requirements.lock -o requirements-similarity.lock
compile --extra studio -o requirements-studio.lock
