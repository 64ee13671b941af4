"""One thing that `footnote check` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

State = Literal["ok", "failed", "warning", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        subject: `catalog`, `source`, `login`, `log`, or the name of a record type, entity or operation.
        state: Whether it holds; a `warning` is for a human to judge, and `skipped` says why in `text`.
        text: What was found.
        fix: SQL that mends it, for an administrator; empty if there is none.
    """

    subject: str
    state: State
    text: str
    fix: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON values."""
        out = {"subject": self.subject, "state": self.state, "text": self.text}
        return out | ({"fix": self.fix} if self.fix else {})
