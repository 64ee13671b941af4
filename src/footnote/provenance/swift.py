"""The quick way to pass a page of records that hold; it never says what is wrong, only that it does not vouch for it.

A leaf has one spelling, so its members are read by one pattern, and the commitments that it should have are written
from the payload and compared as bytes. Nothing is parsed and no object is made for a part. Whatever is the least
unusual (an erased part, another type in a column, another order) is left to the careful way (`verify`), so the two can
only differ in speed: a property test holds that what passes here has no fault there. Pure.
"""

from __future__ import annotations

import re
from binascii import hexlify
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from footnote.provenance import merkle
from footnote.provenance.chain import Chain, Fault
from footnote.provenance.leaf import (
    INNER,
    INNER_REST,
    KINDS,
    MAX_EVIDENCE,
    OUTER,
    OUTER_REST,
    SALT_BYTES,
    is_section_name,
)
from footnote.provenance.store import Page, RawPart

_UUID: Final = rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_HEX: Final = rb"[0-9a-f]{64}"
_HEAD: Final = (
    rb'\{"catalog":"[!#-\[\]-~]{0,200}","format":"footnote/v1","id":"(%b)","kind":"([a-z]+)","log":"(%b)",'
    rb'"previousHash":"(%b)","sections":\{(' % (_UUID, _UUID, _HEX)
)
_TAIL: Final = (
    rb')\},"sequence":([1-9][0-9]{0,15}),'
    rb'"timestamp":"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)"\}'
)
_LEAF: Final = re.compile(_HEAD + rb"[!-~]*" + _TAIL)
"""A leaf with whatever for its sections."""

_SECTION: Final = re.compile(rb'"([a-zA-Z0-9]+)":(?:""|\{"count":(0|[1-9][0-9]{0,5}),"root":""\})')
"""One commitment without its digits."""

_DIGESTS: Final = re.compile(rb'"%b"' % _HEX)
_KINDS: Final = frozenset(kind.encode() for kind in KINDS)
_EVIDENCE: Final = b"evidence"
_CACHED_PARTS: Final = 64
"""Parts of a record up to which the form of its commitments is remembered: most records have one of a few."""


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


def holds_its_payload(page: Page) -> bool:
    """Whether the payload of all records of a page is what their leaves, taken as they are, commit to."""
    try:
        payload = _Payload(page.parts)
        for sequence, _, _, leaf, _ in page.leaves:
            match = _LEAF.fullmatch(leaf)
            if match is None or int(match[6]) != sequence or match[5] != payload.of(sequence):
                return False
        payload.end()
    except (_Unusual, TypeError, AttributeError):
        return False
    return True


def digest_of(pages: Iterable[Page]) -> bytes:
    """A digest over the leaves of pages, as they are; empty where a leaf is no bytes."""
    digest = sha256()
    try:
        for page in pages:
            for _, _, _, leaf, _ in page.leaves:
                digest.update(sha256(leaf).digest())
    except TypeError:
        return b""
    return digest.digest()


def _links(page: Page, chain: Chain, log: bytes, *, payload: bool) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Of each record that holds: its item in the Merkle tree, its hash, its time."""
    expected, before, latest = chain.sequence, chain.hash.encode(), chain.timestamp.encode()
    committed, form = _Payload(page.parts), _LEAF
    for sequence, id, kind, leaf, hash in page.leaves:
        expected += 1
        match = form.fullmatch(leaf) or _LEAF.fullmatch(leaf)
        if match is None or sequence != expected or sha256(leaf).digest() != hash:
            raise _Unusual
        own_id, own_kind, own_log, previous, sections, number, stamp = match.groups()
        if (own_id, own_kind, own_log, previous) != (id, kind, log, before) or own_kind not in _KINDS:
            raise _Unusual
        if stamp < latest or int(number) != expected:
            raise _Unusual
        if not payload:
            form = form if match.re is form is not _LEAF else _form_in(sections)
        elif sections != committed.of(sequence):
            raise _Unusual
        before, latest = hexlify(hash), stamp
        yield sha256(b"\x00" + leaf).digest(), hash, stamp
    committed.end()


class _Payload:
    """The parts of a page, taken up record by record."""

    def __init__(self, parts: Iterable[RawPart]) -> None:
        self._groups = groupby(parts, itemgetter(0))
        self._owner, self._parts = next(self._groups, _NO_PARTS)

    def of(self, sequence: int) -> bytes:
        """The commitments that the parts of the next record, this one, give; it may have none."""
        if self._owner != sequence:
            return _committed([])
        committed = _committed(list(self._parts))
        self._owner, self._parts = next(self._groups, _NO_PARTS)
        return committed

    def end(self) -> None:
        """There are no parts of a record that is not there."""
        if self._owner is not None:
            raise _Unusual


_NO_PARTS: Final[tuple[Any, Iterable[RawPart]]] = (None, ())


def _committed(parts: list[RawPart]) -> bytes:
    """The commitments that a record's parts give, as its leaf has them."""
    places = tuple([(section, position) for _, section, position, _, _ in parts])
    text, first, last = (_shape if len(places) <= _CACHED_PARTS else _shape.__wrapped__)(places)
    # HMAC-SHA256 (RFC 2104) written out, as in `leaf.hmac_sha256`, with what begins the message in one piece.
    digests = [
        sha256(
            salt.translate(OUTER)
            + OUTER_REST
            + sha256(salt.translate(INNER) + _begun(section, position) + data).digest()
        ).digest()
        for _, section, position, salt, data in parts
        if len(salt) == SALT_BYTES
    ]
    if len(digests) != len(parts):
        raise _Unusual
    root = hexlify(merkle.root(digests[first:last]))
    return text % (*map(hexlify, digests[:first]), root, *map(hexlify, digests[last:]))


@lru_cache(4096)
def _begun(section: bytes, position: int) -> bytes:
    """What stands before the data in the message of a part's HMAC: the rest of the salt's block, path and zero byte."""
    return INNER_REST + section + (b"/%d\x00" % position if section == _EVIDENCE else b"\x00")


@lru_cache(1024)
def _shape(places: tuple[tuple[bytes, int], ...]) -> tuple[bytes, int, int]:
    """Commitments with a gap for each, of parts in this order; and which of them, from and to, are rows of evidence."""
    names = sorted({section for section, _ in places} | {_EVIDENCE})
    count = sum(section == _EVIDENCE for section, _ in places)
    first = names.index(_EVIDENCE)
    due = [(name, 0) for name in names[:first]]
    due += [(_EVIDENCE, position) for position in range(count)]
    due += [(name, 0) for name in names[first + 1 :]]
    if list(places) != due or count > MAX_EVIDENCE:
        raise _Unusual
    if not all(name == _EVIDENCE or is_section_name(name.decode("ascii", "replace")) for name in names):
        raise _Unusual
    texts = {name: b'"%b":"%%b"' % name for name in names} | {
        _EVIDENCE: b'"evidence":{"count":%d,"root":"%%b"}' % count
    }
    return b",".join(texts[name] for name in names), first, first + count


def _form_in(sections: bytes) -> re.Pattern[bytes]:
    if b'""' in sections:
        raise _Unusual
    return _form_of(_DIGESTS.sub(b'""', sections))


@lru_cache(256)
def _form_of(shape: bytes) -> re.Pattern[bytes]:
    """The pattern of leaves whose sections, without the digits of their commitments, are `shape`."""
    if not _well_formed(shape):
        raise _Unusual
    return re.compile(_HEAD + re.escape(shape).replace(b'""', b'"%b"' % _HEX) + _TAIL)


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
        and all(name == _EVIDENCE or is_section_name(name.decode()) for name in names)
    )
