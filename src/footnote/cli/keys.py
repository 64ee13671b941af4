"""The commands over a log's key: `keys show | rotate | export`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footnote.cli.group import JSON, OVERWRITE, main, print_json
from footnote.errors import LogUnavailable, counted

if TYPE_CHECKING:
    from footnote.provenance import Log
    from footnote.settings import Settings


@main.group()
def keys() -> None:
    """The key that signs the log's checkpoints."""


@keys.command()
@JSON
def show(as_json: bool) -> None:
    """Show the key's file, its public key, and what it signed last."""
    from footnote.provenance import SignedCheckpoint
    from footnote.provenance.keys import rotations_in
    from footnote.provenance.rotation import speaks_for

    settings = _settings()
    with _reading(settings) as log:
        key = _public(settings, log)
        latest = log.store.latest_checkpoint()
        told: dict[str, Any] = {
            "file": str(settings.checkpoints.key),
            "publicKey": key.text,
            "speaksForLog": speaks_for(log, key),
            "latestCheckpoint": SignedCheckpoint.parse(latest.note).size if latest else None,
            "rotations": [{"sequence": r.sequence, "publicKey": r.key.text} for r in rotations_in(log.store, key.name)],
        }
    if as_json:
        print_json(told)
        return
    click.echo(f"Key:        {told['file']}")
    click.echo(f"Public key: {told['publicKey']}")
    click.echo(
        f"Log:        {settings.provenance_db}, {'its key' if told['speaksForLog'] else 'which has ANOTHER key'}"
    )
    size = told["latestCheckpoint"]
    click.echo(f"Latest checkpoint: {counted(size, 'record') if size is not None else 'none yet'}")
    for rotation in told["rotations"]:
        click.echo(f"Since record {rotation['sequence']}: {rotation['publicKey']}")


@keys.command()
@click.option("--lost", is_flag=True, help="The old key is lost, so it cannot hand over; verifiers are told so.")
@JSON
def rotate(lost: bool, as_json: bool) -> None:
    """Make a new key; the old one hands over to it in a record, and is gone then."""
    from footnote.provenance import Log
    from footnote.provenance.rotation import rotate as rotate_key

    settings = _settings()
    with Log.open(settings.provenance_db, checkpoints=settings.checkpoints) as log:
        done = rotate_key(log, settings.checkpoints.key, dict(settings.actor.as_dict()), lost=lost)
        log.checkpoint()
    if as_json:
        print_json({"publicKey": done.new.text, "old": done.old.text if done.old else None} | done.receipt.as_dict())
        return
    click.echo(f"The log has a new key since record {done.receipt.sequence}: {done.new.text}")
    click.echo("Give it to those who verify." if lost else "Whoever has the old public key verifies with it as before.")


@keys.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@OVERWRITE
@JSON
def export(output: Path | None, overwrite: bool, as_json: bool) -> None:
    """Print the public key, for those who verify; the private key never leaves its file."""
    from footnote.audit.files import write_export

    settings = _settings()
    with _reading(settings) as log:
        text = _public(settings, log).text
    if output is not None:
        write_export(output, [text + "\n"], overwrite=overwrite, mode=0o644)
    if as_json:
        print_json({"publicKey": text, "file": str(output) if output else None})
    elif output is None:
        click.echo(text)
    else:
        click.echo(f"Wrote {output}.")


def _settings() -> Settings:
    from footnote.settings import read_settings

    return read_settings(os.environ)


def _reading(settings: Settings) -> Log:
    from footnote.provenance import Log

    return Log.open(settings.provenance_db, readonly=True)


def _public(settings: Settings, log: Log) -> Any:
    from footnote.provenance import keyfile
    from footnote.provenance.checkpoint import origin_of
    from footnote.provenance.note import Signer

    try:
        return Signer(origin_of(log.id), keyfile.load(settings.checkpoints.key)).key
    except FileNotFoundError:
        raise LogUnavailable(
            f"There is no key {settings.checkpoints.key}.",
            why="It is made when the first record is written.",
            remedy="Ask something first, or name its file (FOOTNOTE_KEY).",
        ) from None
