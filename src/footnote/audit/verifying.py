"""Verifying a log together with what was kept elsewhere: keys and checkpoints given by hand, the copy outside, witnesses.

Where something that should have been asked cannot be reached, the outcome says so in a remark: a log that verifies
without its witness is not a log that its witness vouches for.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from footnote.errors import FootnoteError, LogBroken, Unreachable, UsageError
from footnote.provenance.anchors import KeptElsewhere, Known
from footnote.provenance.chain import Progress, Verification
from footnote.provenance.checkpoint import Checkpoint, SignedCheckpoint, origin_of, sign_checkpoint
from footnote.provenance.log import Log
from footnote.provenance.notary import Checkpointing
from footnote.provenance.note import NoteInvalid, Signer, VerifierKey
from footnote.provenance.witness_client import WitnessAddress, WitnessAhead, ask_witness

MAX_FILE = 1_000_000
"""Bytes that a file of keys or a checkpoint may have."""


class NotReadable(Unreachable):
    """A file of keys or a kept checkpoint cannot be read."""

    code = "not_readable"


def known_from(
    keys: Sequence[str | os.PathLike[str]],
    since: Sequence[str | os.PathLike[str]],
    authorities: Sequence[str | os.PathLike[str]] = (),
) -> Known:
    """What a verifier brings along: files of public keys (one a line), of checkpoints that were kept, of certificates.

    Raises `NotReadable` if one cannot be read, `UsageError` if it is not what it should be.
    """
    found = tuple(key for file in keys for key in _keys_in(Path(file)))
    certificates = tuple(one for file in authorities for one in _certificates_in(Path(file)))
    return Known(found, tuple(_checkpoint_in(Path(file)) for file in since), certificates)


def verify_log(
    log: Log,
    known: Known,
    how: Checkpointing | None = None,
    *,
    leaves_only: bool = False,
    processes: int = 0,
    progress: Progress | None = None,
) -> Verification:
    """Verify a log, with the help of further `processes` if it is big, and hold it against all that `how` says is kept elsewhere.

    Raises `LogUnavailable` if the log cannot be read.
    """
    remarks: list[str] = []
    if how and how.outside:
        try:
            outside = _outside(log, how.outside)
        except NoteInvalid as error:
            return Verification(False, 0, None, f"The checkpoint outside the log is none. {error.what}", "signature")
        except FootnoteError as error:
            remarks.append(f"The checkpoint outside the log was not compared. {error.text}")
        else:
            if outside is None:
                remarks.append("There is no checkpoint outside the log yet, so nothing was compared.")
            else:
                known = replace(known, checkpoints=(*known.checkpoints, outside))
    outcome = log.verify(progress, known=known, leaves_only=leaves_only, processes=processes)
    for address in how.witnesses if how else ():
        if outcome.ok and how:
            outcome = _witnessed(outcome, log, address, how, remarks)
    return replace(outcome, remarks=(*outcome.remarks, *remarks))


def _outside(log: Log, place: str) -> KeptElsewhere | None:
    from footnote.provenance.outside import outside_of

    copy = outside_of(place, log.id)
    data = copy.read()
    return None if data is None else KeptElsewhere(SignedCheckpoint.parse(data), f"outside the log, {copy.name},")


def _witnessed(
    outcome: Verification, log: Log, address: WitnessAddress, how: Checkpointing, remarks: list[str]
) -> Verification:
    """The outcome, unless a witness has seen another log. It is asked about the log as it was just verified."""
    if not outcome.count or not outcome.root:
        return outcome
    try:
        signed = _signed(outcome, log, how)
        if signed is None:
            remarks.append(
                f"The witness {address.shown} was not asked: there is neither a checkpoint of the log as it is nor its key."
            )
            return outcome
        ask_witness(address, signed, 0, log.consistency)
    except WitnessAhead as error:
        if error.details["size"] <= log.size():  # it has grown, and the witness has seen that
            return outcome
        return replace(outcome, ok=False, kind="truncation", reason=error.text, failed_at=log.size() + 1)
    except LogBroken as error:
        return replace(outcome, ok=False, kind="fork", reason=error.text)
    except FootnoteError as error:
        remarks.append(f"The witness was not heard. {error.text}")
    return outcome


def _signed(outcome: Verification, log: Log, how: Checkpointing) -> SignedCheckpoint | None:
    """A signed checkpoint of the log as it was verified: the one it keeps, or one made for this question."""
    from footnote.provenance import keyfile

    size = outcome.pruned + outcome.count
    latest = log.store.latest_checkpoint()
    if latest and latest.size == size:
        return SignedCheckpoint.parse(latest.note)
    try:
        signer = Signer(origin_of(log.id), keyfile.load(how.key))
    except FileNotFoundError:
        return None
    return sign_checkpoint(Checkpoint(origin_of(log.id), size, bytes.fromhex(outcome.root)), signer)


def _keys_in(file: Path) -> list[VerifierKey]:
    lines = _read(file).decode("utf-8", "replace").splitlines()
    keys = [VerifierKey.parse(line) for line in lines if line.strip() and not line.startswith("#")]
    if not keys:
        raise UsageError(
            f"{file} has no public key.", remedy="Put one on each line, as `footnote keys export` prints it."
        )
    return keys


def _certificates_in(file: Path) -> list[bytes]:
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509 import load_pem_x509_certificates

    data = _read(file)
    try:
        return [one.public_bytes(Encoding.PEM) for one in load_pem_x509_certificates(data)]
    except ValueError as error:
        raise UsageError(
            f"{file} is no certificate.",
            why=f"{error}.",
            remedy="Give the authority's certificate as PEM (BEGIN CERTIFICATE).",
        ) from None


def _checkpoint_in(file: Path) -> KeptElsewhere:
    try:
        return KeptElsewhere(SignedCheckpoint.parse(_read(file)), f"kept in {file}")
    except NoteInvalid as error:
        raise UsageError(f"{file} is not a checkpoint.", why=error.what, remedy="Name a file that was kept.") from error


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as source:
            data = source.read(MAX_FILE + 1)
    except OSError as error:
        raise NotReadable(f"{file} cannot be read.", why=f"{error.strerror or error}.") from error
    if len(data) > MAX_FILE:
        raise UsageError(f"{file} has more than {MAX_FILE} bytes, which no key or checkpoint has.")
    return data
