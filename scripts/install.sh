#!/bin/sh
# Makes a virtual environment from a lock file and puts the project into it, editable: with uv where there is one, else
# with pip. Nothing is installed that the lock does not name with its hash.
# usage: scripts/install.sh .venv requirements.lock
set -eu

venv=$1 lock=$2

# The user's settings may name mirrors and caches, but not another place, interpreter or set of versions.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX \
    PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER PIP_PYTHON PIP_REQUIREMENT PIP_EDITABLE PIP_CONSTRAINT PIP_BUILD_CONSTRAINT \
    PIP_REQUIRE_VIRTUALENV PIP_REQUIRE_HASHES PIP_NO_BINARY PIP_ONLY_BINARY PIP_NO_DEPS PIP_DRY_RUN PIP_NO_INDEX \
    UV_PYTHON UV_SYSTEM_PYTHON UV_TARGET UV_PREFIX UV_CONSTRAINT UV_BUILD_CONSTRAINT UV_OVERRIDE UV_EXCLUDE_NEWER \
    UV_REQUIRE_HASHES UV_NO_BINARY UV_NO_BUILD UV_NO_INDEX UV_OFFLINE UV_RESOLUTION UV_PRERELEASE UV_NO_BUILD_ISOLATION \
    2>/dev/null || true

say() { echo "$*" >&2; }
die() { say "error: $*"; exit 1; }
version_between() { "$1" -c "import sys; sys.exit(not $2 <= sys.version_info[:2] <= $3)" 2>/dev/null; }

find_python() {
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        version_between "$name" "(3, 11)" "(3, 13)" && command -v "$name" && return
    done
    for name in python3 python3.14; do
        version_between "$name" "(3, 14)" "(3, 99)" && command -v "$name" && return
    done
    die "Python 3.11 or newer is needed (python3 here: $(python3 --version 2>&1 | head -n 1)); install it, or name it with PYTHON=/path/to/python3"
}

uv_works() { [ -z "${NO_UV:-}" ] && uv --version >/dev/null 2>&1; }

# Debian leaves ensurepip out of its Python.
make_venv_with_pip() {
    "$python" -c "import ensurepip, venv" 2>/dev/null \
        || die "this Python cannot make virtual environments; on Debian or Ubuntu: apt install python3-venv"
    "$python" -m venv --clear "$venv" || die "no virtual environment could be made in $venv"
}

with_uv() {
    version_between "$venv/bin/python" "(3, 11)" "(3, 99)" || uv venv --quiet --clear --python "$python" "$venv" || return 1
    uv pip install --quiet --python "$venv/bin/python" --require-hashes -r "$lock" || return 1
    uv pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation -e .
}

# The second try leaves the user's settings out: a mirror that is gone must not be the end.
with_pip() {
    "$venv/bin/python" -m pip --version >/dev/null 2>&1 || make_venv_with_pip
    pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"
    $pip install --require-hashes -r "$lock" \
        || { say "once more, without the settings of pip in this account"; $pip --isolated install --require-hashes -r "$lock"; } \
        || die "the packages of $lock could not be installed; is the package index reachable?"
    $pip --isolated install --no-deps --no-build-isolation -e .
}

say "installing $lock into $venv ..."
python=$(find_python) || exit 1
if uv_works; then
    with_uv || { say "uv could not; trying pip"; with_pip; }
else
    with_pip
fi
