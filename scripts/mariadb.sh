#!/bin/sh
# Finds a MariaDB server for the tests, or installs the system's where that is possible (apt, as root). The tests start a
# server of their own in a temporary folder; the system's is not started.
set -eu

PATH=$PATH:/usr/sbin:/usr/local/sbin

explain() {
    echo "The tests need a MariaDB server (mariadbd and mariadb-install-db), and none was found." >&2
    echo "Install your system's package; on Debian: apt-get install mariadb-server." >&2
    exit 1
}

found() {
    command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null
}

found && exit 0
{ [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; } || explain

echo "Installing the system's MariaDB server (once)"
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
fi
apt-get update -qq
apt-get install -y -qq --no-install-recommends mariadb-server >/dev/null || explain
found || explain
