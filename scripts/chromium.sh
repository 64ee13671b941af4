#!/bin/sh
# Finds a Chromium for the browser tests, or installs the system's where that is possible (apt, as root).
set -eu

find_chromium() {
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome google-chrome-stable; do
        command -v "$name" && return 0
    done
    return 1
}

explain() {
    echo "The browser tests need Chromium or Chrome, and none was found." >&2
    echo "Install your system's package (on Debian: apt-get install chromium), or set CHROMIUM to the program's path." >&2
    exit 1
}

if [ -n "${CHROMIUM:-}" ] && ! command -v "$CHROMIUM" >/dev/null; then
    echo "CHROMIUM names $CHROMIUM, which is not a program that can be run." >&2
    exit 1
fi
find_chromium >/dev/null && exit 0
{ [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; } || explain

echo "Installing the system's Chromium (once)"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null || explain
find_chromium >/dev/null || explain
