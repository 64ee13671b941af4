"""Asking a witness to cosign a checkpoint, as C2SP tlog-witness has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from footnote.errors import LogBroken, LogUnavailable, UsageError
from footnote.provenance.checkpoint import SignedCheckpoint
from footnote.provenance.note import COSIGNATURE, NoteInvalid, Signature, SignedNote, VerifierKey, parse_signature
from footnote.provenance.witness import SIZE_TYPE, Submission

TIMEOUT: Final = 5.0
MAX_ANSWER: Final = 100_000


class WitnessAhead(LogBroken):
    """A witness has seen more of a log than it has: it was cut off, unless it has grown meanwhile.

    `details["size"]` is what the witness has seen.
    """

    code = "witness_ahead"


@dataclass(frozen=True, slots=True)
class WitnessAddress:
    """Where a witness is, and the key by which its word is known."""

    url: str
    key: VerifierKey

    @property
    def shown(self) -> str:
        """The witness as it is named to people."""
        return f"{self.key.name} at {urlsplit(self.url).hostname}"


def read_addresses(text: str) -> tuple[WitnessAddress, ...]:
    """Witnesses from `URL#PUBLIC_KEY`, several with spaces between.

    Raises `UsageError` if one has no web address, no key, or a key that is no witness's.
    """
    found = []
    for part in text.split():
        url, _, key_text = part.partition("#")
        scheme = url.partition("://")[0]
        if scheme not in {"http", "https"} or not key_text:
            raise UsageError(
                f"{url[:80]!a} is not a witness.",
                remedy="Write its address, #, and its public key as `footnote witness serve` prints it.",
            )
        key = VerifierKey.parse(key_text)
        if key.kind != COSIGNATURE:
            raise UsageError(f"{key.name} is the key of a log, not of a witness.", remedy="Give the witness's own key.")
        found.append(WitnessAddress(url.rstrip("/"), key))
    return tuple(found)


def ask_witness(
    address: WitnessAddress, signed: SignedCheckpoint, known: int, consistency: Callable[[int, int], list[bytes]]
) -> Signature:
    """A witness's cosignature, which holds.

    Args:
        address: The witness.
        signed: The checkpoint.
        known: The size that the witness is thought to have seen last; 0 if that is not known.
        consistency: The log's proof between two sizes.

    Raises `LogBroken` if the witness has seen a log that this one does not continue, `WitnessAhead` if it has seen more
    than the checkpoint covers, `LogUnavailable` if it cannot be reached or does not watch this log.
    """
    for _ in range(3):
        proof = consistency(known, signed.size) if known else []
        status, kind, body = _post(address, Submission(known, tuple(proof), signed).format())
        if status == 200:
            return _cosignature(address, signed.note, body)
        if status != 409 or kind != SIZE_TYPE or not body.strip().isdecimal():
            break
        seen = int(body)
        if seen > signed.size:
            raise WitnessAhead(
                f"The witness {address.shown} has seen {seen} records of this log, but it has {signed.size}.",
                why="It was cut off, or an older copy took its place.",
                remedy="Verify the log; keep what is there.",
                details={"size": seen},
            )
        if seen == known:
            raise _forked(address, seen)
        known = seen
    else:
        raise LogUnavailable(f"The witness {address.shown} is busy with others of this log.")
    if status == 422:
        raise _forked(address, known)
    said = body.strip()[:200] or f"status {status}"
    raise LogUnavailable(f"The witness {address.shown} did not cosign.", why=f"It says: {said}")


def _cosignature(address: WitnessAddress, note: SignedNote, body: str) -> Signature:
    try:
        for line in body.splitlines():
            signature = parse_signature(line)
            if SignedNote(note.text, (signature,)).signed_by([address.key]):
                return signature
    except NoteInvalid as error:
        why = error.what
    else:
        why = "Its answer is signed by another key."
    raise LogUnavailable(f"The witness {address.shown} gave no cosignature that holds.", why=why)


def _forked(address: WitnessAddress, size: int) -> LogBroken:
    return LogBroken(
        f"The first {size} records of this log are not those that the witness {address.shown} has seen.",
        why="The log was rewritten, or forked.",
        remedy="Verify the log; keep what is there.",
    )


def _post(address: WitnessAddress, data: bytes) -> tuple[int, str, str]:
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    request = Request(  # noqa: S310 - read_addresses lets http and https through, nothing else
        f"{address.url}/add-checkpoint", data, {"Content-Type": "text/plain", "User-Agent": "footnote"}
    )
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 - as above
            return answer.status, answer.headers.get("Content-Type", ""), answer.read(MAX_ANSWER).decode()
    except HTTPError as error:
        with error:
            kind = error.headers.get("Content-Type", "")
            return error.code, kind, error.read(MAX_ANSWER).decode("utf-8", "replace")
    except (URLError, OSError, ValueError) as error:
        raise LogUnavailable(
            f"The witness {address.shown} cannot be reached.", why=f"{getattr(error, 'reason', None) or error}."
        ) from None
