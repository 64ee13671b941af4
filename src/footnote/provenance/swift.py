"""The quick way to pass a page of records that hold; it never says what is wrong, only that it does not vouch for it.

A leaf has one spelling, so its members are read by one pattern, and the commitments that it should have are written
from the payload and compared as bytes. Nothing is parsed and no object is made for a part. Whatever is the least
unusual (an erased part, another type in a column, another order) is left to the careful way (`verify`), so the two can
only differ in speed: a property test holds that what passes here has no fault there. Pure.
"""

from __future__ import annotations

import re
from binascii import hexlify
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Final

from footnote.provenance import merkle
from footnote.provenance.chain import Chain, Fault
from footnote.provenance.leaf import KINDS, MAX_EVIDENCE, SALT_BYTES, hmac_sha256, is_section_name
from footnote.provenance.store import Page, RawPart

_UUID: Final = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_HEX: Final = rb"[0-9a-f]{64}"
_LEAF: Final = re.compile(
    rb'\{"catalog":"[!#-\[\]-~]{0,200}","format":"footnote/v1","id":"(%b)","kind":"([a-z]+)","log":"(%b)",'
    rb'"previousHash":"(%b)","sections":\{([!-~]*)\},"sequence":([1-9][0-9]{0,15}),'
    rb'"timestamp":"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)"\}' % (_UUID, _UUID, _HEX)
)
_SECTION: Final = re.compile(rb'"([a-zA-Z0-9]+)":(?:""|\{"count":(0|[1-9][0-9]{0,5}),"root":""\})')
"""One commitment without its digits."""

_DIGESTS: Final = re.compile(rb'"%b"' % _HEX)
_KINDS: Final = frozenset(kind.encode() for kind in KINDS)
_EVIDENCE: Final = b"evidence"


class _Unusual(Exception):  # not an error: a page that the careful way has to look at
    """A record that is not passed."""


def passes(page: Page, chain: Chain, log: str, *, payload: bool = True) -> tuple[bool, Fault | None]:
    """Whether all records of a page hold and follow on the chain; if so, the chain has them.

    Returns False, and leaves the chain as it was, where the careful way has to look. The fault is that of a checkpoint
    that says otherwise; records before it are in the chain.
    """
    try:
        links = list(_links(page, chain, log.encode(), payload=payload))
    except (_Unusual, TypeError, AttributeError):  # the latter two: a column that has another type
        return False, None
    if not links:
        return True, None
    items, hashes, stamps = zip(*links, strict=True)
    return True, chain.extend(items, stamps, hashes[-1].hex())


def _links(page: Page, chain: Chain, log: bytes, *, payload: bool) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Of each record that holds: its item in the Merkle tree, its hash, its time."""
    expected, before, latest = chain.sequence, chain.hash.encode(), chain.timestamp.encode()
    parts = iter(page.parts)
    part = next(parts, None)
    for sequence, id, kind, leaf, hash in page.leaves:
        expected += 1
        match = _LEAF.fullmatch(leaf)
        if match is None or sequence != expected or sha256(leaf).digest() != hash:
            raise _Unusual
        own_id, own_kind, own_log, previous, sections, number, stamp = match.groups()
        if (own_id, own_kind, own_log, previous) != (id, kind, log, before) or own_kind not in _KINDS:
            raise _Unusual
        if stamp < latest or int(number) != expected:
            raise _Unusual
        if payload:
            committed, part = _committed(part, parts, sequence)
            if committed != sections:
                raise _Unusual
        elif b'""' in sections or not _well_formed(_DIGESTS.sub(b'""', sections)):
            raise _Unusual
        before, latest = hexlify(hash), stamp
        yield sha256(b"\x00" + leaf).digest(), hash, stamp
    if part is not None:
        raise _Unusual  # parts of a record that is not there


def _committed(part: RawPart | None, rest: Iterator[RawPart], sequence: int) -> tuple[bytes, RawPart | None]:
    """The commitments that a record's parts give, as its leaf has them, and the first part of the next record."""
    written: list[bytes] = []
    rows: list[bytes] = []
    before, place = b"", 0
    while part is not None and part[0] == sequence:
        _, section, position, salt, data = part
        part = next(rest, None)
        if len(salt) != SALT_BYTES:
            raise _Unusual
        if section == _EVIDENCE:
            if position != len(rows):
                raise _Unusual
            rows.append(hmac_sha256(salt, b"evidence/%d\x00%b" % (position, data)))
            continue
        if position != 0 or section <= before or not _is_name(section):
            raise _Unusual
        before = section
        place += section < _EVIDENCE
        written.append(b'"%b":"%b"' % (section, hexlify(hmac_sha256(salt, b"%b\x00%b" % (section, data)))))
    if len(rows) > MAX_EVIDENCE:
        raise _Unusual
    root = hexlify(merkle.root(rows))
    written.insert(place, b'"evidence":{"count":%d,"root":"%b"}' % (len(rows), root))
    return b",".join(written), part


@lru_cache(1024)
def _is_name(section: bytes) -> bool:
    return is_section_name(section.decode("ascii", "replace"))


@lru_cache(4096)
def _well_formed(shape: bytes) -> bool:
    """Whether commitments, without their digits, are those of a leaf: each name once, in order, and evidence."""
    names = [match[1] for match in _SECTION.finditer(shape)]
    if b",".join(match[0] for match in _SECTION.finditer(shape)) != shape or names != sorted(set(names)):
        return False
    counts = [match[2] for match in _SECTION.finditer(shape) if match[2] is not None]
    return (
        _EVIDENCE in names
        and len(counts) == 1
        and shape.count(b'"evidence":{') == 1
        and int(counts[0]) <= MAX_EVIDENCE
        and all(name == _EVIDENCE or _is_name(name) for name in names)
    )
