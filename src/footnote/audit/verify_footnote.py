"""Verify an audit bundle or export of Footnote (format footnote/v1) with nothing but this file and the bundle.

    python verify_footnote.py BUNDLE.zip|EXPORT.json [--key KEY.txt]
Exit code: 0 it holds, 1 it does not (and which record), 2 wrong use or no such format, 3 it cannot be read.
UNPINNED: the signature is by the key in the bundle, which anyone could have put there. Give the key from elsewhere.
It needs Python 3.11, and the package "cryptography" to check a signature. It reads one file, as a whole, and no network.
What is checked, in the order of the code:
 1. the container: names, sizes, links and duplicates in the zip file; JSON without repeated names;
 2. each record: the SHA-256 and form of its leaf, and HMAC-SHA256(salt, path || 0x00 || JSON) of each section and row;
 3. the chain: sequence, hash of the record before, time; that records say what was erased or pruned;
 4. the checkpoint: its signature, that the records are in its tree (RFC 6962), that a time stamp is over it (README.txt);
 5. the sample, if there is one: that population and seed draw exactly these records.
"""

import argparse
import base64
import hmac
import json
import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

SMALL = {"README.txt", "verify_footnote.py", "checkpoint.txt", "key.UNPINNED.txt", "timestamp.tsr", "stamped.txt"}
SELECTION = {"after": "int", "limit": "int NoneType", "kinds": "list NoneType", "record": "int str NoneType"}
SELECTION |= dict.fromkeys("from to actor operation".split(), "str") | {"sample": "dict", "cited": "bool"}
LARGE = {"records.json", "proofs.jsonl", "population.txt"}
MOST_SMALL, MOST_LARGE, MOST_RATIO = 4 << 20, 4 << 30, 200
KINDS = "result answer refusal error erasure reperform read import key retention".split()
BESIDE = "id sequence kind timestamp catalog previousHash".split()
LEAF, NOT_SECTIONS = {*BESIDE, "format", "log", "sections"}, {*BESIDE, *"hash evidence leaf salts commitments".split()}
HEX, SECTION, SEED = map(re.compile, (r"[0-9a-f]{64}", r"[a-z][A-Za-z0-9]{0,63}", r"[ -~]{1,200}"))
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
VKEY = re.compile(r"(.+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})")
TIME, CATALOG = re.compile(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}\.[0-9]{3}Z"), re.compile(r"[!-~]{0,200}")
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
ERRORS = (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)


class Broken(Exception):
    """What does not hold; `at` is the record where that shows, `count` how many before it hold, `kind` what was done."""

    def __init__(self, reason: str, at: int | None = None, count: int = 0, kind: str = "") -> None:
        super().__init__(reason)
        self.at, self.count, self.kind = at, count, kind


def read_file(path: str) -> dict[str, bytes]:
    """The members of a bundle by name; of a plain export its records alone. Errors as zipfile has them."""
    with open(path, "rb") as file:  # noqa: PTH123 - one import less for who reads this
        if (start := file.read(2)) != b"PK":
            return {"records.json": start + file.read(MOST_LARGE)}
    with zipfile.ZipFile(path) as bundle:
        check_members(bundle.infolist())
        return {info.filename: bundle.read(info) for info in bundle.infolist()}


def check_members(infos: list[zipfile.ZipInfo]) -> None:
    """Nothing but plain files of known names and sensible sizes, each once."""
    names = [info.filename for info in infos]
    if len(names) != len(set(names)) or "records.json" not in names:
        raise Broken("A name stands twice in the zip file, or records.json is not in it.")
    for info in infos:
        name, mode = info.filename, stat.S_IFMT(info.external_attr >> 16)
        packed = not info.flag_bits & 1 and info.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if name not in SMALL | LARGE or info.orig_filename != name or mode not in {0, stat.S_IFREG} or not packed:
            raise Broken(f"{info.orig_filename[:80]!a} is encrypted, or does not belong in a bundle.")
        most = min(MOST_LARGE, max(MOST_SMALL, MOST_RATIO * info.compress_size)) if name in LARGE else MOST_SMALL
        if info.file_size > most:
            raise Broken(f"{name} would unpack to {info.file_size} bytes.")


def load(data: bytes, what: str) -> Any:
    """Strict JSON: UTF-8, no name twice in an object, no NaN, no end of memory by depth."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice in one object")
        return dict(pairs)

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=int)  # int("NaN") raises
    except (ValueError, RecursionError) as error:
        raise Broken(f"{what} is damaged: it is not JSON ({type(error).__name__}: {str(error)[:100]}).") from error


def canonical(value: Any) -> bytes:
    """RFC 8785 for what a record may hold: integers below 2^53, no floats, ASCII names, 64 levels; else ValueError."""
    below = [(value, 64)]
    for item, depth in below:  # which grows meanwhile
        if isinstance(item, float) or (isinstance(item, int) and abs(item) >= 2**53):
            raise ValueError("a number is not exact")
        if isinstance(item, (dict, list)):
            if not depth or (isinstance(item, dict) and not all(name.isascii() for name in item)):
                raise ValueError("a name is not ASCII, or there are too many levels")
            below += [(one, depth - 1) for one in (item.values() if isinstance(item, dict) else item)]
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def commitment(salt: str, path: str, value: Any) -> bytes:
    """What a leaf has instead of a value's text."""
    return hmac.digest(bytes.fromhex(salt), path.encode() + b"\0" + canonical(value), "sha256")


def tree_root(items: Iterable[bytes], start: int = 0, before: Iterable[bytes] = ()) -> bytes:
    """RFC 6962 section 2.1, by the roots of the complete subtrees so far: `before` are those of the first `start` items."""
    roots = list(before)
    for number, item in enumerate(items, start):
        hash, size = sha256(b"\0" + item).digest(), number
        while size & 1:
            hash, size = sha256(b"\1" + roots.pop() + hash).digest(), size >> 1
        roots.append(hash)
    hash = roots.pop() if roots else sha256(b"").digest()
    while roots:
        hash = sha256(b"\1" + roots.pop() + hash).digest()
    return hash


def matches(pattern: re.Pattern[str], *values: object) -> bool:
    """Whether all values are texts of this pattern."""
    return all(isinstance(value, str) and pattern.fullmatch(value) for value in values)


def is_leaf(leaf: Any, text: bytes) -> bool:
    """Whether this is a leaf: in canonical form, with exactly its members."""
    sections, evidence = leaf["sections"], leaf["sections"]["evidence"]
    if set(leaf) != LEAF or set(evidence) != {"count", "root"}:
        return False
    numbers = (type(leaf["sequence"]), type(evidence["count"])) == (int, int) and leaf["sequence"] >= 1
    named = all(SECTION.fullmatch(name) and name not in NOT_SECTIONS - {"evidence"} for name in sections)
    texts = matches(UUID, leaf["log"], leaf["id"]) and matches(TIME, leaf["timestamp"]) and leaf["kind"] in KINDS
    texts = texts and matches(CATALOG, leaf["catalog"]) and leaf["format"] == "footnote/v1"
    hexes = matches(HEX, leaf["previousHash"], evidence["root"], *(sections[one] for one in {*sections} - {"evidence"}))
    return numbers and named and texts and hexes and 0 <= evidence["count"] <= 100_000 and canonical(leaf) == text


class Record:
    """An exported record, checked by itself; `absent` are the paths of its payload that are not there."""

    def __init__(self, item: Any, log: str) -> None:
        self.item, self.bytes, self.hash = item, item["leaf"].encode("utf-8"), item["hash"]
        self.leaf = leaf = load(self.bytes, "its leaf")
        if sha256(self.bytes).hexdigest() != self.hash or not is_leaf(leaf, self.bytes) or leaf["log"] != log:
            raise ValueError("its leaf is none, does not have its hash, or belongs to another log")
        if wrong := [name for name in BESIDE if (type(item[name]), item[name]) != (type(leaf[name]), leaf[name])]:
            raise ValueError(f"its {wrong[0]} is not its leaf's")
        self.sequence, self.sections = int(leaf["sequence"]), dict(leaf["sections"])
        self.evidence = self.sections.pop("evidence")

    def check_payload(self) -> None:
        """Each section against its commitment, the rows of evidence against the root over theirs."""
        item, salts, count = self.item, self.item["salts"], self.evidence["count"]
        for name in item.keys() - NOT_SECTIONS:
            if self.sections.get(name) != commitment(salts[name], name, item[name]).hex():
                raise ValueError(f"its section {name[:40]!a} is not the one that was recorded")
        self.absent = sorted(self.sections.keys() - item.keys())
        rows: list[bytes] = []
        for number, (row, salt) in enumerate(zip(item["evidence"], salts["evidence"], strict=True)):
            path, left = f"evidence/{number}", item.get("commitments", {}).get(f"evidence/{number}")
            if salt is None and row is not None:
                raise ValueError(f"its {path} is shown without a salt, so nothing vouches for it")
            if salt is not None or left is not None:
                rows.append(bytes.fromhex(left) if salt is None else commitment(salt, path, row))
        shown = [salt is not None for salt in salts["evidence"]] + [False] * count
        self.absent += [f"evidence/{number}" for number in range(count) if not shown[number]]
        hidden = len(rows) < count and {*salts["evidence"]} <= {None}  # then there is no root, and no row to vouch for
        if len(item["evidence"]) > count or not (hidden or tree_root(rows).hex() == self.evidence["root"]):
            raise ValueError("its evidence is not what was recorded, or nothing vouches for it")

    def erasures(self) -> Iterator[tuple[int, str]]:
        """The parts of earlier records that this one says were erased."""
        named = self.item.get("erased") if self.leaf["kind"] == "erasure" else None
        for entry in named if isinstance(named, list) else []:
            if isinstance(entry, dict) and type(entry.get("sequence")) is int and entry["sequence"] < self.sequence:
                yield from ((entry["sequence"], path) for path in entry.get("paths", ()) if isinstance(path, str))


def asked_for(export: Any) -> tuple[dict[str, Any], list[str], bool, bool]:
    """The selection, its filters, whether it is all of the log, and whether it leaves records out in between."""
    asked = export.get("selection", {})
    filters = [name for name in asked if name not in {"after", "limit", "cited"} and asked[name] not in (None, "")]
    after, limit, sample = (asked.get(name) for name in ("after", "limit", "sample"))
    drawn: Any = {"count": 1, "seed": "1"} if sample is None else sample
    fits = type(drawn.get("count")) is int and 1 <= drawn["count"] <= 100_000 and matches(SEED, drawn.get("seed"))
    fits = fits and all(type(asked[name]).__name__ in SELECTION.get(name, "").split() for name in asked)
    limited = limit is not None and {"record", "sample"} & {*filters}
    if not fits or limited or min(after or 0, limit or 0) < 0 or ("record" in filters and (filters[1:] or after)):
        raise Broken("The selection that the export states is none.")
    everything = not filters and not after and limit is None
    return asked, filters, everything, bool(filters) or (asked.get("cited") is True and not everything)


def pruned_before(export: Any) -> tuple[int, str, str, list[str]]:
    """Of what was pruned before the first record: the last sequence, hash and time, and the roots of its subtrees."""
    pruned = export.get("pruned") if asked_for(export)[2] else None
    if isinstance(pruned, dict) and isinstance(tree := pruned.get("tree"), list) and type(pruned.get("upto")) is int:
        upto, hash, time = pruned["upto"], str(pruned.get("hash")), pruned.get("timestamp")
        form = matches(HEX, hash, *tree) and isinstance(time, str) and isinstance(pruned.get("export"), dict)
        if form and 0 < upto < 2**53 and len(tree) == upto.bit_count():
            return upto, hash, str(time), tree
    return 0, "0" * 64, "", []  # it says nothing of the kind


def verify_records(export: Any) -> list[Record]:
    """The records in order, each one checked; Broken at the first thing that is wrong."""
    asked, _, everything, gaps = asked_for(export)
    last, hash, time, _ = pruned_before(export)
    if after := 0 if gaps and asked.get("cited") else asked.get("after"):
        last, hash = after, ""
    records: list[Record] = []
    for item in export["records"]:
        at = last + 1
        try:
            record = Record(item, str(export.get("log", "")))
            at = record.sequence
            if at <= last or (at != last + 1 and not gaps):
                raise ValueError(f"it stands behind record {last}")
            if hash and at == last + 1 and record.leaf["previousHash"] != hash:
                raise ValueError("it names another record before it: one of the two was rewritten")
            if record.leaf["timestamp"] < time:
                raise ValueError("it is dated before the record before it")
            record.check_payload()
        except (*ERRORS, Broken) as error:
            raise Broken(f"Record {at} does not hold: {error}.", at, len(records)) from error
        last, hash, time = at, record.hash, record.leaf["timestamp"]
        records.append(record)
    check_end(export, records, last, everything=everything)
    return records


def check_end(export: Any, records: list[Record], last: int, *, everything: bool) -> None:
    """What shows once all records were read: an erasure comes after what it erased, and the count is stated."""
    said = (record.item.get("pruned") for record in records if record.leaf["kind"] == "retention")
    if (upto := pruned_before(export)[0]) and (last <= upto or export["pruned"] not in said):
        raise Broken(f"No record says that the records up to {upto} were pruned.", 1)
    redacted = export["redacted"] if isinstance(export.get("redacted"), list) else []
    gone: set[Any] = {one for one in redacted if isinstance(one, str)}
    gone.update(*(record.erasures() for record in records))
    for number, record in enumerate(records if everything else []):  # what erased a part may not be selected
        for path in record.absent:
            at, names = record.sequence, {path, path.partition("/")[0]}
            if not gone & {form for name in names for form in (name, f"{at}:{name}", (at, name))}:
                raise Broken(f"Record {at} lacks {path}, and nothing says that it was erased or redacted.", at, number)
    state = export.get("chainIntegrity")
    if not isinstance(state, dict) or state.get("ok") is not True:
        raise Broken("The export does not say that the log held when it was made.", None, len(records))
    count, before = (value if type(value := state.get(name)) is int else -1 for name in ("count", "pruned"))
    if everything and count != len(records):
        raise Broken(f"The export says that the log has {count} records.", last + 1, len(records))
    if records and last == count + max(before, 0) and state.get("head") not in (None, records[-1].hash):
        raise Broken(f"The export says that record {last} has another hash.", last, len(records))


def read_checkpoint(note: bytes) -> tuple[str, int, bytes, str, list[tuple[str, bytes]]]:
    """Origin, size, root, signed text and signatures (name; key id and signature) of a C2SP signed note."""
    try:
        text, gap, below = note.decode("utf-8").rpartition("\n\n")
        origin, size, root = text.split("\n")[:3]
        lines = [line.split(" ") for line in below.removesuffix("\n").split("\n")]
        signatures = [(name, base64.b64decode(value, validate=True)) for dash, name, value in lines if dash == "—"]
        found = base64.b64decode(root, validate=True)
        if not gap or len(signatures) != len(lines) or len(found) != 32 or not re.fullmatch(r"[1-9][0-9]{0,18}", size):
            raise ValueError("it has not the form of one")
        return origin, int(size), found, text + "\n", signatures
    except ValueError as error:
        raise Broken(f"The checkpoint is none: {error}.", kind="signature") from error


def check_signature(key: str, kind: str, origin: str, text: str, signatures: list[tuple[str, bytes]]) -> None:
    """That the key `name+id+base64` signed the text (Ed25519); Broken with this kind if it did not."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    match = VKEY.fullmatch(key.strip())
    data = base64.b64decode(match[3]) if match else b""
    id = sha256(f"{origin}\n".encode() + data).digest()[:4]
    if match is None or data[:1] != b"\1" or (match[1] == origin and id.hex() != match[2]):
        raise Broken("The public key is none.", kind="signature")
    ours = [value[4:] for name, value in signatures if (name, value[:4]) == (origin, id)]
    if match[1] != origin or not ours:
        raise Broken("The checkpoint is not signed by this key: to it, the signature is unpinned.", kind=kind)
    try:
        for signature in ours:
            Ed25519PublicKey.from_public_bytes(data[1:]).verify(signature, text.encode())
    except (InvalidSignature, ValueError):
        raise Broken("The signature of the checkpoint does not hold.", kind="signature") from None


def climb(hash: bytes, index: int, last: int, hashes: list[bytes]) -> bytes:
    """The root that a proof of inclusion leads to (RFC 9162 section 2.1.3.2); empty if it is too long or too short."""
    for sibling in hashes:
        if not last:
            return b""
        if index & 1 or index == last:
            hash = sha256(b"\1" + sibling + hash).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            hash = sha256(b"\1" + hash + sibling).digest()
        index, last = index >> 1, last >> 1
    return b"" if last else hash


def check_tree(members: dict[str, bytes], export: Any, records: list[Record], size: int, root: bytes) -> int:
    """That the records are in the tree of the checkpoint; how many were shown to be."""
    covered = [record for record in records if record.sequence <= size]
    proofs = members.get("proofs.jsonl", b"").split(b"\n")[:-1]
    if asked_for(export)[2]:
        upto, _, _, tree = pruned_before(export)
        here = tree_root((record.bytes for record in covered), upto, map(bytes.fromhex, tree))
        if upto + len(covered) != size or here != root or proofs:
            raise Broken(f"The {size} records of a checkpoint are not those that are here.", None, len(records))
        return len(covered)
    if len(proofs) != len(covered):
        raise Broken("There is not one proof for each record that is here.", None, len(records))
    for number, (line, record) in enumerate(zip(proofs, covered, strict=True)):
        proof, leaf = load(line, "proofs.jsonl"), sha256(b"\0" + record.bytes).digest()
        place, hashes = (proof["sequence"], proof["size"]), [bytes.fromhex(one) for one in proof["hashes"]]
        if place != (record.sequence, size) or climb(leaf, record.sequence - 1, size - 1, hashes) != root:
            raise Broken(f"Record {record.sequence} is not in the checkpoint's tree.", record.sequence, number)
    return len(covered)


def check_sample(selection: dict[str, Any], full: bool, size: int, lines: bytes, records: list[Record]) -> None:
    """That population and seed draw the records that no other cites; what a filter left out cannot be known from here."""
    order = sorted({int(line) for line in lines.decode("ascii", "replace").split("\n")[:-1] if line.isdecimal()})
    stated = {"count": len(order), "digest": f"sha256:{sha256(lines).hexdigest()}"}
    asked, after = selection["sample"], selection.get("after", 0)
    whole = order[:1] in ([], [after + 1]) and size <= (order or [after])[-1] == after + len(order)
    if asked.get("population") != stated or lines != b"".join(b"%d\n" % one for one in order) or (full and not whole):
        raise Broken("The population is not the one that the export states.", None, len(records))
    ranked = sorted(order, key=lambda one: sha256(f"footnote/sample-v1\0{asked['seed']}\0{one}".encode()).digest())
    drawn, here = set(ranked[: asked["count"]]), {record.sequence for record in records}
    answers = [record.item.get("results") for record in records if record.leaf["kind"] == "answer"]
    cited = {one.get("id") for some in answers if isinstance(some, list) for one in some if isinstance(one, dict)}
    extra = {record.sequence for record in records if record.leaf["id"] in cited}
    for sequence in sorted(drawn - here) + sorted(here - drawn - extra):
        raise Broken(f"Record {sequence} is missing from the sample, or not of it.", sequence, len(records))


def verify(path: str, key: str = "") -> dict[str, Any]:
    """The verdict; Broken if something does not hold, LookupError if this is no export."""
    try:
        return judge(read_file(path), key)
    except (*ZIP_ERRORS, *ERRORS) as error:
        raise Broken(f"The file is damaged: {type(error).__name__}: {str(error)[:100]}.") from error


def judge(members: dict[str, bytes], key: str) -> dict[str, Any]:
    """The verdict over the members of a bundle, or the records alone."""
    export = load(members["records.json"], "records.json")
    names = list(export) if isinstance(export, dict) else []
    if "format" not in names[: [*names, "records"].index("records")] or export["format"] != "footnote/v1":
        raise LookupError("This is no export of footnote/v1.")
    if names[-1] != "records" or not isinstance(export["records"], list):
        raise Broken("Something follows the records, or there is no list of them.")
    asked, filters, everything, _ = asked_for(export)
    points = [read_checkpoint(members[name]) for name in ("checkpoint.txt", "stamped.txt") if name in members]
    size, signed = points[0][1] if points else 0, "none"
    known = key or members.get("key.UNPINNED.txt", b"").decode("utf-8", "replace")
    if any(origin != f"footnote/{export.get('log')}" for origin, *_ in points) or len(points) > 1 + everything:
        raise Broken("A checkpoint is of another log than the records, or cannot be told to be of these.")
    if "checkpoint.txt" not in members and (key or points):
        raise Broken("There is no checkpoint, so the key that was given has signed nothing.", kind="signature")
    if points and known:
        check_signature(known, "unpinned" if key else "signature", points[0][0], *points[0][3:])
        signed = "pinned" if key else "UNPINNED"
    records = verify_records(export)
    proved = [check_tree(members, export, records, *point[1:3]) for point in points if point[1]] or [0]
    note = members.get("stamped.txt", members.get("checkpoint.txt", b""))
    if sha256(note).digest() not in members.get("timestamp.tsr", sha256(note).digest()):
        raise Broken("The time stamp is over something else than the checkpoint.", size, len(records), "timestamp")
    if asked.get("sample") is not None and len(members) > 1:  # a plain export does not have the population with it
        check_sample(asked, filters == ["sample"], size, members.get("population.txt", b""), records)
    return {"ok": True, "count": len(records), "checkpoint": size, "signature": signed, "proved": proved[0]}


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Verify an audit bundle or export of Footnote.")
    parser.add_argument("file", help="the bundle or export")
    parser.add_argument("--key", metavar="FILE", help="the public key, from elsewhere")
    given = parser.parse_args(arguments)
    try:
        verdict = verify(given.file, open(given.key, encoding="utf-8").read() if given.key else "")  # noqa: PTH123, SIM115
    except Broken as error:
        verdict = {"ok": False, "count": error.count, "failedAt": error.at, "reason": str(error), "kind": error.kind}
    except (LookupError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, LookupError) else 3
    sys.stdout.write(json.dumps(verdict, indent=1) + "\n")
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
