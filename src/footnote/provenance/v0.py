"""Records of format footnote/v0, as other implementations export them; they can be verified here, never written.

`hash` of a record is the SHA-256 over its other members in JCS form (RFC 8785): keys in order of UTF-16 code units,
numbers as ECMAScript writes them, no white space. `previousHash` of the first record is 64 zeroes. The hash covers
plain text, so such records cannot be erased; their timestamps come from the writer's clock and may go back.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from footnote.provenance.chain import Fault, Link

FORMAT: Final = "footnote/v0"


def link(record: Any, position: int) -> Link:
    """What the chain needs to know of a record that stands at `position` (from 1) of an export."""
    if not isinstance(record, dict):
        return _broken(position, "is not an object")
    sequence = record.get("sequence")
    if type(sequence) is not int:
        return _broken(position, "has no sequence")
    for name in ("hash", "previousHash", "id", "timestamp"):
        if not isinstance(record.get(name), str):
            return _broken(sequence, f"has no {name}")
    try:
        computed = record_hash(record)
    except ValueError as error:
        return _broken(sequence, f"cannot be written in canonical form ({error})")
    fault = None
    if computed != record["hash"]:
        fault = Fault("edit", f"Record {sequence} was edited: its content does not have its hash.", sequence)
    return Link(sequence, record["hash"], record["previousHash"], record["timestamp"], fault)


def record_hash(record: dict[str, Any]) -> str:
    """The hash that a record of format v0 should have: 64 hex digits.

    Raises ValueError if it has no canonical form.
    """
    import rfc8785

    try:
        body = rfc8785.dumps({name: _as_double(value) for name, value in record.items() if name != "hash"})
    except RecursionError as error:
        raise ValueError("it nests without end") from error
    return sha256(body).hexdigest()


def _as_double(value: Any) -> Any:
    """`value` with integers that only a double could hold as JavaScript read them: as that double."""
    if isinstance(value, dict):
        return {name: _as_double(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_as_double(item) for item in value]
    if type(value) is int and abs(value) >= 2**53:
        try:
            return float(value)
        except OverflowError as error:
            raise ValueError("a number is beyond all doubles") from error
    return value


def _broken(sequence: int, what: str) -> Link:
    return Link(sequence, "", fault=Fault("edit", f"Record {sequence} {what}.", sequence))
