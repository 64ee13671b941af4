"""Which key speaks for a log, and since when: the first one, and each that the one before it named.

A rotation is a record of kind `key`. Its section `rotation` is a signed note over two lines, the log's origin and
`rotates to <the new public key>`; it bears the signatures of the old key, which hands over, and of the new one, which
shows that somebody has it. If the old key was lost, only the new one signs, and whoever verifies is told so.

The key of a checkpoint follows from its size: that of the last rotation among the records it covers. Pure: no I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from footnote.errors import LogBroken, UsageError
from footnote.provenance.canonical import Unrecordable, parse
from footnote.provenance.leaf import Leaf, Part, decode
from footnote.provenance.note import NoteInvalid, SignedNote, Signer, VerifierKey
from footnote.provenance.parts import examine
from footnote.provenance.store import Store

SECTION: Final = "rotation"
_TO: Final = "rotates to "


@dataclass(frozen=True, slots=True)
class Rotation:
    """A key that the log names for what comes after record `sequence`; `note` has who signed that."""

    sequence: int
    key: VerifierKey
    note: SignedNote

    def vouched_by(self, key: VerifierKey) -> bool:
        """Whether `key` handed over to this one."""
        try:
            return self.note.signed_by([key]) == [key]
        except NoteInvalid:
            return False


def rotation_note(new: Signer, old: Signer | None) -> SignedNote:
    """The note that has `new` follow `old`, both under the log's origin as name; None if the old key was lost."""
    text = f"{new.name}\n{_TO}{new.key.text}\n"
    return SignedNote(text, tuple(signer.sign(text) for signer in (old, new) if signer))


def rotation_of(leaf: Leaf, verified: Iterable[Part], origin: str) -> Rotation | None:
    """The rotation that a record of kind `key` is, by its verified parts; None if it is none of this log."""
    data = next((part.data for part in verified if part.section == SECTION), None)
    try:
        text = parse(data) if leaf.kind == "key" and data is not None else None
    except Unrecordable:
        return None
    return read_rotation(text, origin, leaf.sequence)


def read_rotation(text: object, origin: str, sequence: int = 0) -> Rotation | None:
    """The rotation that a note is, of record `sequence` if that is known; None if it is none of this log."""
    try:
        note = SignedNote.parse(text.encode()) if isinstance(text, str) else None
        named, _, rest = note.text.partition("\n") if note else ("", "", "")
        if note is None or named != origin or not rest.startswith(_TO):
            return None
        key = VerifierKey.parse(rest.removeprefix(_TO))
        return Rotation(sequence, key, note) if note.signed_by([key]) and key.name == origin else None
    except (NoteInvalid, UsageError, UnicodeEncodeError):
        return None


def rotations_in(store: Store, origin: str) -> list[Rotation]:
    """All rotations that the log's records name, in order."""
    found = []
    for entry in store.entries(kinds=("key",)):
        try:
            leaf = decode(entry.leaf)
        except LogBroken:
            continue  # verification reports it where it stands
        rotation = rotation_of(leaf, examine(leaf, entry.parts).verified, origin)
        if rotation is not None:
            found.append(rotation)
    return found


def with_heirs(keys: Iterable[VerifierKey], rotations: Iterable[Rotation]) -> list[VerifierKey]:
    """The keys, and those that they handed over to, one after the other; `rotations` come in order.

    For where there is no log to say since when: whoever trusts a key trusts whom it named.
    """
    found = list(keys)
    for rotation in rotations:
        if rotation.key not in found and any(rotation.vouched_by(key) for key in found):
            found.append(rotation.key)
    return found


def key_at(size: int, first: VerifierKey, rotations: Sequence[Rotation]) -> VerifierKey | None:
    """The key that may sign a checkpoint of `size` records, if `first` was the log's first key.

    None if a rotation on the way was not vouched for by the key before it.
    """
    key = first
    for rotation in rotations:
        if rotation.sequence > size:
            break
        if rotation.key == key:
            continue
        if not rotation.vouched_by(key):
            return None
        key = rotation.key
    return key
