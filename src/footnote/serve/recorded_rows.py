"""A row as the log last saw it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from footnote.provenance import Log, Record

SEARCHED = 2_000
"""How many of the last records are searched; the log has no index of rows."""

_AT_ONCE = 100


def last_recorded(log: Log, evidence_id: str, *, searched: int = SEARCHED) -> tuple[Record, Mapping[str, Any]] | None:
    """The last record among the latest ones that rests on this row, and the row as it was then; None if none does.

    That somebody looked at the row is recorded too; such a record rests on nothing, and is passed over.

    Args:
        log: The log.
        evidence_id: `type:key`.
        searched: How many of the latest records are looked at.

    Raises:
        LogBroken: A record was changed.
        LogUnavailable: The log cannot be read.
    """
    end = log.size()
    oldest = max(0, end - searched)
    while end > oldest:
        start = max(oldest, end - _AT_ONCE)
        for record in reversed(list(log.records(after=start, limit=end - start))):
            if record.kind == "read":
                continue
            for item in record.evidence:
                if isinstance(item, Mapping) and item.get("id") == evidence_id:
                    return record, item
        end = start
    return None
