"""The commands of a witness: `witness serve | cosign`. Run it where the log's administrator cannot write."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from footnote.cli.group import JSON, main, print_json

if TYPE_CHECKING:
    from footnote.provenance.witness import Witness


@main.group()
def witness() -> None:
    """Remember checkpoints of logs, and cosign only what continues them."""


def _about(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which witness it is."""
    for option in (
        click.option("--log", "logs", multiple=True, required=True, metavar="KEY", help="A log's public key; repeat."),
        click.option("--name", required=True, help="The witness's name, such as witness.example/one."),
        click.option("--memory", type=click.Path(path_type=Path), required=True, help="Folder of its key and memory."),
    ):
        command = option(command)
    return command


@witness.command()
@_about
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=4712, show_default=True)
@JSON
def serve(memory: Path, name: str, logs: tuple[str, ...], host: str, port: int, as_json: bool) -> None:
    """Answer logs over HTTP."""
    from footnote.serve.witness import serve_witness

    made, key = _witness(memory, name, logs)

    def tell(text: str) -> None:
        if not text.startswith("http"):
            click.echo(f"footnote: {text}", err=True)
        elif as_json:
            print_json({"url": text, "publicKey": key, "setting": f"FOOTNOTE_WITNESS={text}#{key}"})
            sys.stdout.flush()
        else:
            click.echo(f"Witness on {text}. Stop with Ctrl-C. For the log: FOOTNOTE_WITNESS='{text}#{key}'", err=True)

    serve_witness(made, host=host, port=port, tell=tell)


@witness.command()
@_about
@click.argument("request", type=click.File("rb"), default="-")
@JSON
def cosign(memory: Path, name: str, logs: tuple[str, ...], request: IO[bytes], as_json: bool) -> None:
    """Cosign one REQUEST, the body of an add-checkpoint call, for a witness without a network."""
    made, key = _witness(memory, name, logs)
    reply = made.add_checkpoint(request.read(1_000_001))
    if as_json:
        print_json({"ok": reply.cosigned, "status": reply.status, "answer": reply.body, "publicKey": key})
    elif reply.cosigned:
        click.echo(reply.body, nl=False)
    elif reply.status == 409:
        click.echo(f"✗ The latest checkpoint that it cosigned has {reply.body.strip()} records.", err=True)
    else:
        click.echo(f"✗ {reply.body.strip()}", err=True)
    sys.exit(0 if reply.cosigned else 1)


def _witness(memory: Path, name: str, logs: tuple[str, ...]) -> tuple[Witness, str]:
    from footnote.errors import UsageError
    from footnote.provenance import VerifierKey, keyfile
    from footnote.provenance.note import ED25519, Signer
    from footnote.provenance.witness import Witness

    if not name or "+" in name or len(name.split()) != 1:
        raise UsageError(f"A witness cannot be called {name[:80]!r}.", remedy="Use no spaces and no plus sign.")
    watched = [VerifierKey.parse(text) for text in logs]
    if any(key.kind != ED25519 for key in watched):
        raise UsageError("--log takes the public key of a log.", remedy="Take it from: footnote keys export.")
    signer = Signer(name, keyfile.load_or_make(memory / "witness.key"))
    return Witness(memory, signer, watched, time.time), signer.cosigner_key.text
