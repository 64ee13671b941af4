"""Time stamps of RFC 3161 over checkpoints: an authority's word for when a checkpoint was there at the latest.

What is stamped is the SHA-256 of the signed note's bytes. The authority's whole response is kept, as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from footnote.errors import LogUnavailable, UsageError
from footnote.provenance.note import NoteInvalid

TIMEOUT: Final = 10.0
MAX_RESPONSE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time stamp that was checked.

    Attributes:
        time: When the authority says it stamped.
        trusted: Whether its certificate leads to one of those that the verifier gave.
    """

    time: datetime
    trusted: bool


def request_stamp(url: str, note: bytes) -> bytes:
    """Have the authority at `url` stamp a note; its response (TimeStampResp, DER), which was checked to be over it.

    Raises `LogUnavailable` if there is none, `UsageError` if rfc3161-client is not installed.
    """
    from urllib.error import URLError
    from urllib.request import Request, urlopen

    client = _client()
    query = client.TimestampRequestBuilder().data(note).hash_algorithm(client.base.HashAlgorithm.SHA256).build()
    request = Request(  # noqa: S310 - settings let http and https through, nothing else
        url, query.as_bytes(), {"Content-Type": "application/timestamp-query", "User-Agent": "footnote"}
    )
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 - as above
            response: bytes = answer.read(MAX_RESPONSE)
    except (URLError, OSError, ValueError) as error:
        raise _unavailable(url, f"{getattr(error, 'reason', None) or error}.") from None
    try:
        token = client.decode_timestamp_response(response)
        if token.tst_info.nonce != query.nonce:
            raise ValueError("its answer is to another request")
        read_stamp(response, note)
    except (ValueError, NoteInvalid) as error:
        raise _unavailable(url, f"{error}.".replace("..", ".")) from None
    return response


def read_stamp(response: bytes, note: bytes, roots: Sequence[bytes] = ()) -> Stamp:
    """Check a kept time stamp over a note; `roots` are certificates (PEM) of authorities that the verifier trusts.

    Raises `NoteInvalid` if it is not a stamp over this note, or does not lead to one of the roots that were given.
    """
    from hashlib import sha256

    client = _client()
    try:
        token = client.decode_timestamp_response(response)
        imprint = token.tst_info.message_imprint.message
        time: datetime = token.tst_info.gen_time
    except ValueError:
        raise NoteInvalid("The time stamp cannot be read.") from None
    if imprint != sha256(note).digest():
        raise NoteInvalid("The time stamp is over something else than this checkpoint.")
    if not roots:
        return Stamp(time, trusted=False)
    from cryptography import x509

    given = [x509.load_pem_x509_certificate(root) for root in roots]
    try:
        client.VerifierBuilder(roots=given).build().verify(token, sha256(note).digest())
    except (client.VerificationError, ValueError) as error:
        raise NoteInvalid(
            "The time stamp's certificate leads to none that was given.",
            why=f"{error}",
            remedy="Give the root certificate that the authority publishes.",
        ) from None
    return Stamp(time, trusted=True)


def _client() -> Any:
    try:
        import rfc3161_client
        import rfc3161_client.base
    except ModuleNotFoundError:
        raise UsageError(
            "Time stamps need rfc3161-client, which is not installed.",
            remedy="Install footnote-provenance[audit], or do without FOOTNOTE_TSA and its certificate.",
        ) from None
    return rfc3161_client


def _unavailable(url: str, why: str) -> LogUnavailable:
    from urllib.parse import urlsplit

    return LogUnavailable(
        f"The time-stamping authority {urlsplit(url).hostname} gave no time stamp.",
        why=why,
        remedy="Check FOOTNOTE_TSA.",
    )
