"""The group of all commands, what they share, and how an error reaches the terminal.

Exit codes: 0 fine, 1 refused or the thing checked does not hold, 2 wrong use, 3 cannot reach or read, 4 a fault of ours.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from footnote.errors import FootnoteError, Unreachable, UsageError
from footnote.serve.plain import one_line

if TYPE_CHECKING:
    from footnote.session import Session

CATALOG = click.option("--catalog", "--pack", metavar="NAME|FILE", help="A pack or a catalog file. [sample]")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace the file if it is there.")


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
        print_json({"error": error.as_dict()})
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
    epilog="Environment: AS_OF_DATE, DATABASE_URL, FOOTNOTE_CACHE, FOOTNOTE_CATALOG, FOOTNOTE_CHECKPOINTS, FOOTNOTE_DOCUMENTS, FOOTNOTE_KEY, FOOTNOTE_LANG, "
    "FOOTNOTE_RESOURCE_LINKS, "
    "FOOTNOTE_SEED, FOOTNOTE_TSA, FOOTNOTE_WITNESS, PORT, PROVENANCE_ACTOR, PROVENANCE_DB, PROVENANCE_ROLE. The README says what each is for.",
)
@click.version_option(package_name="footnote-provenance", prog_name="footnote")
@click.pass_context
def main(context: click.Context) -> None:
    """Answers in which every figure opens its rows and every statement its source."""
    if context.invoked_subcommand is None:
        if sys.stdin.isatty():
            click.echo(context.get_help())
        else:
            mcp = main.get_command(context, "mcp")
            assert mcp is not None  # noqa: S101 - footnote.cli adds it
            context.invoke(mcp)


def print_json(value: Any) -> None:
    """Print a value as JSON for programs."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def session_of(catalog: str | None, **options: Any) -> Session:
    """The session that the environment and `--catalog` describe."""
    from footnote.connect.opening import open_session

    return open_session(catalog, **options)
