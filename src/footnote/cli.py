"""The command line: `footnote demo | mcp | serve | run | ask | check | verify | export`. Thin; every command has `--json`.

Exit codes: 0 fine, 1 refused or the thing checked does not hold, 2 wrong use, 3 cannot reach or read, 4 a fault of ours.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footnote.errors import FootnoteError, Unreachable, UsageError
from footnote.serve.plain import one_line

if TYPE_CHECKING:
    from footnote.session import Session

_CATALOG = click.option("--catalog", "--pack", metavar="NAME|FILE", help="A pack or a catalog file. [sample]")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class _Group(click.Group):
    """Errors as sentences and exit codes; without arguments and terminal, `footnote` is `footnote mcp`."""

    def main(self, *args: Any, **extra: Any) -> Any:
        extra["standalone_mode"] = False
        try:
            return super().main(*args, **extra)
        except FootnoteError as error:
            _tell(error)
            sys.exit(error.exit_code)
        except click.exceptions.Abort:
            sys.exit(130)
        except click.ClickException as error:
            if "--json" in sys.argv[1:]:
                _tell(UsageError(error.format_message(), remedy=f"See: footnote {_command(error)}--help."))
            else:
                error.show()
            sys.exit(2)
        except BrokenPipeError:  # whoever read our output has gone, as `| head` does
            _drop_output()
            sys.exit(0)
        except OSError as error:
            _drop_output()
            place = f": {error.filename}" if error.filename else ""
            _tell(Unreachable(f"A file cannot be read or written{place}.", why=f"{error.strerror or error}."))
            sys.exit(Unreachable.exit_code)
        except Exception as error:  # noqa: BLE001  # the wall to a terminal: its text may hold parameters or secrets
            from footnote.serve.failures import where

            click.echo(f"footnote: This is a fault of Footnote's own: {where(error)}.", err=True)
            sys.exit(FAULT)


FAULT = 4
"""Exit code of a fault of ours."""


def _command(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.info_name} " if context is not None and context.parent is not None else ""


def _drop_output() -> None:
    """Let what is left in the buffer of standard output go nowhere, or Python would try to write it on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _tell(error: FootnoteError) -> None:
    """An error on stderr for people, or on stdout for programs that asked for JSON."""
    if "--json" in sys.argv[1:]:
        _print_json({"error": error.as_dict()})
        return
    click.echo(f"footnote: {one_line(error.what)}", err=True)
    for line in (error.why, error.remedy):
        if line:
            click.echo(f"  {one_line(line)}", err=True)
    for candidate in error.candidates:
        click.echo(f"  - {one_line(candidate.text)}", err=True)
    record = error.details.get("record")
    if record:
        click.echo(f"  Recorded as record {record['sequence']} ({str(record['hash'])[:12]}…).", err=True)


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Environment: AS_OF_DATE, DATABASE_URL, FOOTNOTE_CACHE, FOOTNOTE_CATALOG, FOOTNOTE_RESOURCE_LINKS, "
    "FOOTNOTE_SEED, PORT, PROVENANCE_ACTOR, PROVENANCE_DB, PROVENANCE_ROLE. The README says what each is for.",
)
@click.version_option(package_name="footnote-provenance", prog_name="footnote")
@click.pass_context
def main(context: click.Context) -> None:
    """Answers in which every figure opens its rows and every statement its source."""
    if context.invoked_subcommand is None:
        if sys.stdin.isatty():
            click.echo(context.get_help())
        else:
            context.invoke(mcp)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _session(catalog: str | None, **options: Any) -> Session:
    from footnote.connect.opening import open_session

    return open_session(catalog, **options)


# --- hosts ------------------------------------------------------------------------------------------------------------


@main.command()
@click.option("--port", type=click.IntRange(0, 65535), envvar="PORT", show_envvar=True, default=4711, show_default=True)
@click.option("--postgres", is_flag=True, help="On an embedded PostgreSQL, with a read-only role.")
@_JSON
def demo(port: int, postgres: bool, as_json: bool) -> None:
    """Serve the host on the sample company, which is fictional."""
    if postgres:
        from footnote.connect.embedded import embedded_postgres

        with embedded_postgres() as url:
            _serve(_session("sample", database_url=url), "127.0.0.1", port, as_json)
        return
    _serve(_session("sample", database_url="sample"), "127.0.0.1", port, as_json)


@main.command()
@_CATALOG
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), envvar="PORT", show_envvar=True, default=4711, show_default=True)
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="A name it may be asked for under; may be repeated."
)
@_JSON
def serve(catalog: str | None, host: str, port: int, names: tuple[str, ...], as_json: bool) -> None:
    """Serve the host for people."""
    _serve(_session(catalog), host, port, as_json, names)


def _serve(session: Session, host: str, port: int, as_json: bool, names: Sequence[str] = ()) -> None:
    from footnote.serve.http import serve as serve_http

    def tell(url: str) -> None:
        told = {
            "url": url,
            "catalog": session.loaded.catalog.catalog,
            "source": source,
            "log": str(session.settings.provenance_db),
            "today": session.today.isoformat(),
        }
        if as_json:
            _print_json(told)
            sys.stdout.flush()
        else:
            click.echo(f"Footnote on {told['url']} – catalog {told['catalog']}, source {told['source']}", err=True)
            click.echo(f"Log: {told['log']}. Evaluating as of {told['today']}. Stop with Ctrl-C.", err=True)

    with session:
        source = session.source_name
        serve_http(session, host=host, port=port, names=names, listening=tell)


@main.command()
@_CATALOG
@click.option("--toolset", "toolsets", multiple=True, help="Offer only this toolset's operations; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print the tools as JSON instead of serving them.")
def mcp(catalog: str | None = None, toolsets: tuple[str, ...] = (), as_json: bool = False) -> None:
    """Serve AI clients over MCP on standard input and output."""
    from footnote.serve.mcp import serve_stdio, tools_as_json

    links = os.environ.get("FOOTNOTE_RESOURCE_LINKS", "auto")
    if as_json:
        with _session(catalog) as session:
            _print_json(tools_as_json(session.loaded.catalog, toolsets))
        return
    serve_stdio(lambda: _session(catalog), toolsets=toolsets, resource_links=links)


# --- questions --------------------------------------------------------------------------------------------------------


@main.command()
@click.argument("question")
@_CATALOG
@_JSON
def ask(question: str, catalog: str | None, as_json: bool) -> None:
    """Answer QUESTION by the catalog's words, without a model."""
    with _session(catalog) as session:
        _show(session.ask(question), as_json)


@main.command()
@click.argument("operation")
@click.option("--param", "-p", "parameters", multiple=True, metavar="NAME=VALUE", help="An argument; may be repeated.")
@_CATALOG
@_JSON
def run(operation: str, parameters: tuple[str, ...], catalog: str | None, as_json: bool) -> None:
    """Run OPERATION and show its figures with their rows."""
    arguments = dict(_split(parameters))
    with _session(catalog) as session:
        if operation in session.loaded.catalog.interpretations:
            _show(session.interpret(operation, arguments), as_json)
            return
        _show(session.call(operation, arguments), as_json)


def _split(parameters: Iterable[str]) -> Iterable[tuple[str, str]]:
    seen: set[str] = set()
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text[:80]!r} is no argument.", remedy="Write --param name=value.")
        if name in seen:
            raise UsageError(f"The argument {name!r} is given twice.", remedy="Give it once; lists take commas.")
        seen.add(name)
        yield name, value


def _show(answer: Any, as_json: bool) -> None:
    if as_json:
        _print_json(answer.as_dict())
        return
    from footnote.serve.answer_text import answer_text

    click.echo(answer_text(answer, composed=True))


# --- operators and auditors -------------------------------------------------------------------------------------------


@main.command()
@_CATALOG
@_JSON
def check(catalog: str | None, as_json: bool) -> None:
    """Check catalog, source and log, and run every operation once."""
    from footnote.connect.check import check as findings_of

    findings = []
    with _session(catalog) as session:
        for finding in findings_of(session):
            findings.append(finding)
            if not as_json:
                mark = {"ok": "✓", "failed": "✗", "skipped": "–"}[finding.state]
                click.echo(f"{mark} {finding.subject}: {one_line(finding.text)}")
    ok = all(finding.state != "failed" for finding in findings)
    if as_json:
        _print_json({"ok": ok, "findings": [finding.as_dict() for finding in findings]})
    sys.exit(0 if ok else 1)


@main.command()
@click.option("--export", "export_file", type=click.Path(path_type=Path), help="Verify an export; no log is needed.")
@_JSON
def verify(export_file: Path | None, as_json: bool) -> None:
    """Verify the log: every hash, link and section. Exit code 1 if it does not hold."""
    if export_file is not None:
        from footnote.audit.offline import verify_export

        outcome = _with_progress(as_json, lambda progress: verify_export(export_file, progress=progress))
        subject = str(export_file)
    else:
        log, subject = _log()
        with log:
            outcome = _with_progress(as_json, log.verify)
    if as_json:
        _print_json(outcome.as_dict())
    elif outcome.ok:
        click.echo(f"✓ {subject}: {outcome.count:,} records verify.")
    else:
        click.echo(f"✗ {subject}: {outcome.reason}")
    sys.exit(0 if outcome.ok else 1)


def _with_progress(as_json: bool, work: Callable[[Callable[[int, int], None] | None], Any]) -> Any:
    if as_json or not sys.stderr.isatty():
        return work(None)
    outcome = work(lambda done, total: click.echo(f"\r{done:,} of {total:,} records …", nl=False, err=True))
    click.echo("\r" + " " * 40 + "\r", nl=False, err=True)
    return outcome


@main.command()
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of standard output.")
@click.option("--record", help="Only this record: its sequence, id, or the first digits of its id.")
@click.option("--after", type=click.IntRange(0), default=0, help="Only records behind this sequence.")
@click.option("--limit", type=click.IntRange(1), help="At most so many records.")
@click.option("--kind", "kinds", multiple=True, help="Only records of this kind; may be repeated.")
@click.option(
    "--json", "as_json", is_flag=True, help="The export is JSON; with --output, say what was written as JSON."
)
def export(
    output: Path | None, record: str | None, after: int, limit: int | None, kinds: tuple[str, ...], as_json: bool
) -> None:
    """Export the log as JSON that anyone can verify offline."""
    from footnote.audit.export import export_json, write_export
    from footnote.provenance import KINDS

    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"There is no kind of record {kind[:40]!a}.", remedy=f"Kinds are: {', '.join(KINDS)}.")
    log, _ = _log()
    with log:
        pieces = export_json(log, after=after, limit=limit, kinds=kinds or None, record=record)
        if output is None:
            for piece in pieces:
                click.echo(piece, nl=False)
            return
        write_export(output, pieces)
    told = {"file": str(output), "bytes": output.stat().st_size}
    if as_json:
        _print_json(told)
    else:
        click.echo(f"Wrote {told['file']} ({told['bytes']:,} bytes). Verify it with: footnote verify --export {output}")


def _log() -> tuple[Any, str]:
    """The log for reading; none is made."""
    from footnote.provenance import Log
    from footnote.settings import read_settings

    path = read_settings(os.environ).provenance_db
    return Log.open(path, readonly=True), str(path)
