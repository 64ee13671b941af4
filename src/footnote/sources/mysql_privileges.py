"""What a login of MariaDB or MySQL could write, by what SHOW GRANTS says of it and of the roles that it has.

Rights are told, never the text of a grant itself, which may hold the hash of a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from footnote.sources.privileges import Power, Privileges

if TYPE_CHECKING:
    from pymysql.connections import Connection

_NO_PUBLIC = frozenset((1064, 1141))
"""Errors of servers where nothing can be, or was, granted to everybody: no such syntax, no such grant."""
_HARMLESS = frozenset(("SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES", "PROCESS"))
_NAME = r"(?:`(?:[^`]|``)*`|'(?:[^']|'')*'|[^\s`'@]+)"
_ON_OBJECTS = re.compile(
    rf"GRANT (?P<rights>.+?) ON (?P<on>(?:[A-Z ]+ )?{_NAME}(?:[.@]{_NAME})?)"
    rf" TO (?P<to>{_NAME}(?:@{_NAME})?)(?P<rest>.*)",
    re.DOTALL,
)
_OF_ROLES = re.compile(
    rf"GRANT (?P<roles>{_NAME}(?:@{_NAME})?(?:,\s*{_NAME}(?:@{_NAME})?)*) TO (?P<to>{_NAME}(?:@{_NAME})?)"
)
_RIGHT = re.compile(r"\s*([A-Za-z_][A-Za-z_ ]*?)\s*(\([^)]*\))?\s*(?:,|$)")


def privileges(connection: Connection[Any]) -> Privileges:
    """What the login of a connection could write."""
    from pymysql import Error

    ((login,),) = _rows(connection, "SELECT CURRENT_USER()")
    own = [text for (text,) in _rows(connection, "SHOW GRANTS FOR CURRENT_USER()")]
    if any(text.startswith(("GRANT ALL PRIVILEGES ON *.*", "GRANT SUPER ON *.*")) for text in own):
        text = f"{login} is an administrator: it may write everything, and the server's files."
        return Privileges(login, (Power(text),))
    unknown: list[str] = []
    everybody = _public(connection, unknown)
    powers = [*_powers(own, login, ""), *_powers(everybody, "PUBLIC", "")]
    for role, to in _roles([*own, *everybody]):
        try:
            granted = [text for (text,) in _rows(connection, f"SHOW GRANTS FOR {role}")]
        except Error:
            unknown.append(f"{login} has the role {role}, and may not see what that may do.")
        else:
            powers += _powers(granted, login, role, f"REVOKE {role} FROM {to};")
    return Privileges(login, tuple(powers), tuple(unknown))


def _public(connection: Connection[Any], unknown: list[str]) -> list[str]:
    """What everybody was granted (MariaDB from 10.11 on): it is not among the grants of a login."""
    from pymysql import Error

    try:
        return [text for (text,) in _rows(connection, "SHOW GRANTS FOR PUBLIC")]
    except Error as error:
        if error.args[0] not in _NO_PUBLIC:
            unknown.append("Whether everybody (PUBLIC) was granted something may not be seen.")
        return []


def _roles(grants: list[str]) -> Iterator[tuple[str, str]]:
    """The roles that a login has, and the login, as SHOW GRANTS writes them."""
    for text in grants:
        found = _OF_ROLES.match(text)
        if found is not None and " ON " not in found["roles"]:
            yield from ((role, found["to"]) for role in re.findall(rf"{_NAME}(?:@{_NAME})?", found["roles"]))


def _rows(connection: Connection[Any], sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _powers(grants: list[str], login: str, role: str, leave: str = "") -> Iterator[Power]:
    who = f"{login} has the role {role}, which has" if role else f"{login} has"
    for text in grants:
        grant = _ON_OBJECTS.match(text)
        if grant is None:
            continue
        rights = [f"{name} {columns}".strip() for name, columns in _RIGHT.findall(grant["rights"])]
        writing = [right for right in rights if right.partition(" (")[0].upper() not in _HARMLESS]
        options = ["GRANT OPTION"] if "WITH GRANT OPTION" in grant["rest"] else []
        if writing or options:
            # Of ALL PRIVILEGES, the option is taken away by a statement of its own.
            each = [", ".join(writing)] * bool(writing) + options
            fix = "\n".join(f"REVOKE {some} ON {grant['on']} FROM {grant['to']};" for some in each)
            yield Power(f"{who} {', '.join(writing + options)} on {grant['on']}.", leave or fix)
