"""The command that proves what is in a log: `proof`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from footnote.cli.group import JSON, OVERWRITE, main, print_json
from footnote.cli.log import open_log
from footnote.errors import UsageError, counted


@main.command()
@click.argument("record", required=False)
@click.option("--row", default="", metavar="ID", help="Prove this row of its evidence, such as invoice:8812.")
@click.option("--checkpoint", default="", metavar="SIZE|FILE", help="Against this checkpoint. [the latest]")
@click.option("--tlog-proof", is_flag=True, help="Write C2SP tlog-proof instead of JSON; for a record alone.")
@click.option("--since", type=click.IntRange(0), help="Instead: what shows a witness that the log continues this size.")
@click.option(
    "--verify", "verified", type=click.Path(path_type=Path), help="Instead: verify a proof; no log is needed."
)
@click.option("--key", "given", default="", metavar="KEY|FILE", help="The log's public key, for --verify.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@OVERWRITE
@JSON
def proof(
    record: str | None,
    row: str,
    checkpoint: str,
    tlog_proof: bool,
    since: int | None,
    verified: Path | None,
    given: str,
    output: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Prove that RECORD is in the log, as a signed checkpoint has it; or verify such a proof."""
    if sum((record is not None, since is not None, verified is not None)) != 1:
        raise UsageError("Name a record, or one of --since and --verify.")
    if verified is not None:
        _verify(verified, given, as_json)
        return
    from footnote.audit.files import write_export
    from footnote.audit.proving import prove, submission

    if tlog_proof and row:
        raise UsageError("A tlog-proof is of a record alone.", remedy="Leave out --row, or --tlog-proof.")
    log, _ = open_log()
    with log:
        if record is None:
            text = submission(log, since or 0).format().decode("utf-8")
        else:
            made = prove(log, record, row=row, checkpoint=checkpoint)
            text = (
                made.as_tlog_proof() if tlog_proof else json.dumps(made.as_dict(), ensure_ascii=False, indent=2) + "\n"
            )
    if output is None:
        click.echo(text, nl=False)
        return
    write_export(output, [text], overwrite=overwrite)
    if as_json:
        print_json({"file": str(output)})
    else:
        click.echo(f"Wrote {output}. Verify it with: footnote proof --verify {output} --key KEY")


def _verify(file: Path, given: str, as_json: bool) -> None:
    from footnote.audit.proving import read_keys
    from footnote.provenance.proof import read_proof, verify_proof

    if not given:
        raise UsageError(
            "A proof is worth what the key behind it is worth.",
            remedy="Give the log's public key with --key, from whoever vouches for it (footnote keys export).",
        )
    proven = verify_proof(read_proof(file.read_bytes()), read_keys(given))
    leaf = proven.leaf
    told: dict[str, Any] = {
        "ok": True,
        "record": {"sequence": leaf.sequence, "id": leaf.id, "kind": leaf.kind, "timestamp": leaf.timestamp},
        "hash": proven.hash,
        "checkpoint": proven.size,
        "key": proven.key.text,
    }
    if proven.row is not None:
        told["row"] = proven.row
    if as_json:
        print_json(told)
        return
    click.echo(f"✓ Record {leaf.sequence} ({leaf.kind}, {leaf.timestamp}) is in the log {leaf.log}.")
    click.echo(f"  hash {proven.hash}; checkpoint of {counted(proven.size, 'record')}, signed by {proven.key.id.hex()}")
    if proven.row is not None:
        click.echo(f"  row {json.dumps(proven.row, ensure_ascii=False)}")
