"""The time stamps (RFC 3161) of checkpoints, checked one after the other while a log or a bundle is verified.

A stamp has to be over its checkpoint, and its time must not lie before that of the last record that the checkpoint
covers: such a record, or the stamp, is dated falsely. Both show without anything from elsewhere. That an authority stamped at
all shows only its certificate, and whoever has none is told that the stamps were not checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from footnote.errors import UsageError
from footnote.provenance.chain import Fault, Stamped
from footnote.provenance.note import NoteInvalid
from footnote.provenance.timestamps import read_stamp

CLOCKS_APART: Final = timedelta(seconds=60)
"""How far the log's clock may be ahead of the authority's. Stamps have whole seconds, and no two clocks agree."""


@dataclass(slots=True)
class Stamps:
    """The stamps so far, held against certificates (PEM) of authorities that the verifier trusts."""

    authorities: Sequence[bytes] = ()
    found: int = 0
    good: int = 0
    unreadable: str = ""

    def fault(self, stamp: bytes, note: bytes, where: str, latest: str) -> Fault | None:
        """What is wrong with the stamp of a checkpoint.

        Args:
            stamp: The authority's response (TimeStampResp, DER).
            note: The checkpoint's bytes.
            where: The checkpoint, in a sentence.
            latest: Time of the last record that it covers, as leaves have it; empty if that is not known.

        Raises `UsageError` if there are certificates to hold it against, and rfc3161-client is not installed.
        """
        self.found += 1
        try:
            found = read_stamp(stamp, note, self.authorities)
        except NoteInvalid as error:
            reason = f"The time stamp of the checkpoint {where} does not hold. {error.what}"
            return Fault("timestamp", reason, None)
        except UsageError as error:
            if self.authorities:
                raise
            self.unreadable = error.what
            return None
        if latest and found.time + CLOCKS_APART < _moment(latest):
            reason = (
                f"The time stamp of the checkpoint {where} says {found.time:%Y-%m-%dT%H:%M:%SZ}, but the last record that "
                f"it covers says {latest}: one of the two is dated falsely."
            )
            return Fault("timestamp", reason, None)
        self.good += found.trusted
        return None

    def outcome(self) -> Stamped | None:
        """What is to be said of them; None if there were none."""
        if not self.found:
            return None
        return Stamped(self.found, self.good, self.unreadable or ("" if self.authorities else "no certificate"))


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):  # a leaf's time has its form, but need not be one: the 31st of February
        return datetime.min.replace(tzinfo=UTC)
