"""What is true of a source beside its schema, and what an operator should know before anything rests on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was looked at.

    Attributes:
        subject: What it is about, such as `clock`, or the name of a file.
        state: `ok`; `warning` if a human should look at it; `failed` if figures would be wrong; `skipped` if it was not
            looked at.
        text: What was found, as a sentence. Never a value of a row.
        fix: What mends it, for whoever administers the source; empty if nothing is to be done.
    """

    subject: str
    state: Literal["ok", "warning", "failed", "skipped"]
    text: str
    fix: str = ""
