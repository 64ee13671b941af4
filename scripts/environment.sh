#!/bin/sh
# Brings .venv up to a level: base (to run Footnote), postgres (with the embedded server), dev (with all for tests).
#
# Installs exactly what requirements/LEVEL.txt pins, with hashes, then this project itself. A stamp in .venv remembers
# what was installed and for which folder, so that a second run does nothing and a changed requirement is noticed.
set -eu
cd "$(dirname "$0")/.."

level=${1:?"usage: scripts/environment.sh base|postgres|dev"}
requirements=requirements/$level.txt

fail() {
    echo "$*" >&2
    exit 1
}

find_python() {
    for name in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

install_venv_module() {
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    advice="Python $version has no complete venv module. On Debian and Ubuntu: apt-get install python$version-venv"
    { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; } || fail "$advice"
    echo "Installing the system's venv module for Python $version (once)"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "python$version-venv" >/dev/null ||
        apt-get install -y -qq --no-install-recommends python3-venv >/dev/null || fail "$advice"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || fail "$advice"
}

stamp_text() { # what a level's stamp must hold for the level to be in place
    echo "$PWD"
    cksum pyproject.toml "requirements/$1.txt"
}

in_place() {
    [ -f ".venv/.footnote-$1" ] && [ "$(stamp_text "$1")" = "$(cat ".venv/.footnote-$1")" ]
}

[ -f "$requirements" ] || fail "There is no $requirements; the levels are base, postgres and dev."

usable=no
if [ -x .venv/bin/python ] && [ -f .venv/.footnote-folder ] && [ "$(cat .venv/.footnote-folder)" = "$PWD" ]; then
    .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && usable=yes
fi

if [ "$usable" = yes ]; then
    # dev holds all of the others.
    if in_place "$level" || in_place dev; then exit 0; fi
else
    python=$(find_python) || fail "Footnote needs Python 3.11 or later, and none was found (tried python3, python3.11 to" \
        "python3.14). Install one, or name it: make PYTHON=/path/to/python3 ..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null || install_venv_module
    echo "Creating .venv with $python"
    rm -rf .venv
    "$python" -m venv .venv || fail "$python could not create a virtual environment in $PWD/.venv."
    echo "$PWD" >.venv/.footnote-folder
fi

echo "Installing $requirements into .venv (a minute or two the first time)"
rm -f ".venv/.footnote-$level" .venv/.footnote-dev
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$requirements"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
stamp_text "$level" >".venv/.footnote-$level"
