"""The log of provenance records: tamper-evident, durable before a receipt is given, verifiable by anyone.

It knows bytes and named sections, not answers. `Log.open(path).append(Draft(...))` returns a `Receipt`; `Log.verify()`
says whether the log holds, `Log.root`, `Log.inclusion` and `Log.consistency` are its Merkle tree. The parts: `canonical` (one spelling), `leaf` (what is hashed), `merkle` and `tree`, `note` and `checkpoint` (what is signed), `parts` and `erasures`
(payload against leaf), `store`, `sqlite`, `lock`, `writer`, `log`, and for files `v0` and `jsonstream`.
"""

from __future__ import annotations

from footnote.provenance.anchors import KeptElsewhere, Known
from footnote.provenance.canonical import Unrecordable
from footnote.provenance.chain import Progress, Verification
from footnote.provenance.checkpoint import Checkpoint, SignedCheckpoint
from footnote.provenance.leaf import FORMAT, GENESIS, KINDS, Draft, new_id
from footnote.provenance.log import Log, Record, State
from footnote.provenance.note import NoteInvalid, SignedNote, VerifierKey
from footnote.provenance.store import Receipt

__all__ = [
    "Log",
    "Draft",
    "Receipt",
    "Record",
    "State",
    "new_id",
    "KINDS",
    "FORMAT",
    "GENESIS",
    "Unrecordable",
    "Checkpoint",
    "SignedCheckpoint",
    "SignedNote",
    "NoteInvalid",
    "VerifierKey",
    "Known",
    "KeptElsewhere",
    "Verification",
    "Progress",
]
