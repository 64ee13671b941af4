"""Who asks. The actor comes from a verified identity or from the operator's environment, never from an argument.

Role and row rules are parsed from catalogs but not enforced yet, so a catalog that would restrict anything is refused
when it is loaded (`catalog.load`): fail closed rather than promise what is not there.
"""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import dataclass

from footnote.errors import UsageError

LONGEST = 200
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever asks: an id (login name, subject of a token) and a role, both as recorded."""

    id: str
    role: str = "unknown"

    def as_dict(self) -> dict[str, str]:
        """The actor as recorded."""
        return {"id": self.id, "role": self.role}


def actor_from_environment(environ: Mapping[str, str]) -> Actor:
    """The operator's actor: `PROVENANCE_ACTOR` (default: the login name) and `PROVENANCE_ROLE` (default: unknown).

    Raises:
        UsageError: One of them is no name.
    """
    return Actor(
        id=_name(environ, "PROVENANCE_ACTOR") or _login_name(), role=_name(environ, "PROVENANCE_ROLE") or "unknown"
    )


def _name(environ: Mapping[str, str], variable: str) -> str:
    """A name that every record will hold; a line, since people read it in lines."""
    name = environ.get(variable) or ""
    if not name.isprintable() or len(name) > LONGEST:
        raise UsageError(
            f"{variable} is no name: {name[:40]!a}.",
            why="Every record holds it.",
            remedy=f"Give printable text of at most {LONGEST} characters.",
        )
    return name


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container user without a passwd entry has no name
        return "unknown"
