"""Whatever is recorded is read back, verifies, survives export, and shows any change."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.audit import export_json, verify_export, write_export
from footnote.provenance import KINDS, Draft, Log
from footnote.provenance.canonical import MAX_INTEGER
from footnote.provenance.leaf import RESERVED, Leaf, Part, decode, encode, seal
from footnote.provenance.parts import examine

scalars = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(max_size=10)
keys = st.text(st.characters(max_codepoint=127), max_size=5)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=8
)
names = st.from_regex(r"[a-z][A-Za-z0-9]{0,8}", fullmatch=True).filter(lambda name: name not in RESERVED)
drafts = st.builds(
    Draft,
    kind=st.sampled_from([kind for kind in KINDS if kind != "erasure"]),
    catalog=st.sampled_from(["", "sha256:" + "0" * 64]),
    sections=st.dictionaries(names, values, max_size=4),
    evidence=st.lists(values, max_size=5),
)


def leaf_and_parts(draft: Draft) -> tuple[Leaf, list[Part]]:
    sealed = seal(draft)
    log = "6f1d1a52-7a0e-4c80-9a60-0a3a2b6b9f11"
    data = encode(sealed, log=log, sequence=1, timestamp="2026-11-29T23:03:29.167Z", previous_hash="0" * 64)
    return decode(data), list(sealed.parts)


@given(drafts)
def test_a_sealed_draft_matches_its_leaf(draft: Draft) -> None:
    leaf, parts = leaf_and_parts(draft)
    findings = examine(leaf, parts)
    assert (sorted(findings.verified), findings.absent, findings.altered) == (sorted(parts), [], [])


@given(drafts, st.data())
def test_any_flipped_bit_of_a_payload_or_salt_shows(draft: Draft, data: st.DataObject) -> None:
    leaf, parts = leaf_and_parts(draft)
    if not parts:
        return
    number = data.draw(st.integers(0, len(parts) - 1))
    part = parts[number]
    name = data.draw(st.sampled_from(["salt", "data"]))
    old: bytes = getattr(part, name)
    place = data.draw(st.integers(0, len(old) - 1))
    new = bytearray(old)
    new[place] ^= 1 << data.draw(st.integers(0, 7))
    parts[number] = part._replace(salt=bytes(new)) if name == "salt" else part._replace(data=bytes(new))
    assert examine(leaf, parts).altered


@given(drafts, st.data())
def test_a_part_that_is_gone_or_moved_shows(draft: Draft, data: st.DataObject) -> None:
    leaf, parts = leaf_and_parts(draft)
    if not parts:
        return
    number = data.draw(st.integers(0, len(parts) - 1))
    rest = parts[:number] + parts[number + 1 :]
    assert parts[number].path in examine(leaf, rest).absent
    moved = parts[number]._replace(section="moved" if parts[number].section != "moved" else "removed")
    if moved.section not in leaf.sections:
        assert moved.path in examine(leaf, [*rest, moved]).altered
    assert examine(leaf, [*parts, parts[number]]).altered, "a part twice"


def spoiled(value: Any) -> Any:
    return [value, "and more"]


@given(st.lists(drafts, min_size=1, max_size=6), st.data())
@settings(max_examples=40)
def test_a_log_is_read_back_verified_and_exported_as_it_was_recorded(written: list[Draft], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "export.json"
        with Log.open(Path(folder) / "log.db") as log:
            receipts = [log.append(draft) for draft in written]
            records = list(log.records())
            assert [(record.id, record.hash) for record in records] == [(r.id, r.hash) for r in receipts]
            for record, draft in zip(records, written, strict=True):
                assert (record.kind, record.catalog, record.intact) == (draft.kind, draft.catalog, True)
                assert record.sections == draft.sections
                assert list(record.evidence) == list(draft.evidence)
            outcome = log.verify()
            assert (outcome.ok, outcome.count) == (True, len(written))
            write_export(file, export_json(log))
        assert verify_export(file) == outcome
        content = json.loads(file.read_text(encoding="utf-8"))
        index = data.draw(st.integers(0, len(written) - 1))
        name = data.draw(st.sampled_from(sorted(content["records"][index])))
        content["records"][index][name] = spoiled(content["records"][index][name])
        file.write_text(json.dumps(content), encoding="utf-8")
        failed = verify_export(file)
        assert (failed.ok, failed.failed_at) == (False, index + 1), f"{name}: {failed.reason}"
