"""The commands over documents: `footnote documents list | search | quote | verify | eval | index`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footnote.cli.group import JSON, main, print_json, session_of

if TYPE_CHECKING:
    from footnote.documents.evaluation import Judged
    from footnote.session.documents import Documents, Verified

CORPUS = click.option(
    "--corpus", "folder", type=click.Path(path_type=Path), metavar="DIR", help="The folder. [FOOTNOTE_DOCUMENTS]"
)
TIER = click.option(
    "--tier", type=click.IntRange(1, 3), help="Only sources of this or higher authority (1 is highest)."
)
MARKS = {"GROUNDED": "✓", "CONTRADICTED": "✗", "UNSUPPORTED": "?"}


@main.group()
def documents() -> None:
    """Verify statements against documents, search and quote them."""


@documents.command("list")
@CORPUS
@TIER
@JSON
def list_command(folder: Path | None, tier: int | None, as_json: bool) -> None:
    """List the documents: title, authority and why, and what could not be read."""
    from footnote.documents.presenting import source_dict

    with _documents(folder, as_json) as opened:
        sources = opened.corpus.sources(tier=tier)
        problems = opened.corpus.problems
        if as_json:
            print_json({"sources": [source_dict(source) for source in sources], "problems": list(problems)})
            return
        for source in sources:
            since = f", from {source.effective.isoformat()}" if source.effective else ""
            click.echo(f"{source.file} – {source.title} (tier {source.tier}: {source.tier_reason}{since})")
            for problem in source.problems:
                click.echo(f"  ! {problem}")
        for problem in problems:
            click.echo(f"! {problem}")
        if not sources:
            click.echo("There are no documents.")


@documents.command()
@click.argument("query")
@CORPUS
@TIER
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True, help="At most so many passages.")
@click.option("--offset", type=click.IntRange(0), default=0, help="Pass over so many, for a next page.")
@JSON
def search(query: str, folder: Path | None, tier: int | None, limit: int, offset: int, as_json: bool) -> None:
    """Search for passages that share words, numbers and identifiers with QUERY. The search is recorded."""
    from footnote.documents.presenting import unit_dict

    with _documents(folder, as_json) as opened:
        hits = opened.search(query, tier=tier, limit=limit, offset=offset)
    if as_json:
        print_json({"hits": [unit_dict(h.unit) | {"tier": h.tier, "score": round(h.score, 2)} for h in hits]})
        return
    for hit in hits:
        click.echo(f"{_at(unit_dict(hit.unit))}\n  {_one(hit.unit.text)}")
    if not hits:
        click.echo("Nothing shares a word with that.")


@documents.command()
@click.argument("file")
@click.argument("section", default="")
@CORPUS
@click.option("--offset", type=click.IntRange(0), default=0, help="Pass over so many characters, for a next page.")
@JSON
def quote(file: str, section: str, folder: Path | None, offset: int, as_json: bool) -> None:
    """Quote FILE, or the SECTION of it with this number, title or path. The reading is recorded."""
    from footnote.documents.presenting import fragment_dict

    with _documents(folder, as_json) as opened:
        page = opened.quote(file, section, offset=offset)
    if as_json:
        told: dict[str, Any] = fragment_dict(page.fragment) | {"section": list(page.quotation.section)}
        print_json(told | ({"nextOffset": page.next_offset} if page.next_offset is not None else {}))
        return
    click.echo(page.fragment.text)
    if page.next_offset is not None:
        click.echo(f"… more: --offset {page.next_offset}", err=True)


@documents.command()
@click.argument("claims", nargs=-1, required=True, metavar="CLAIM...")
@CORPUS
@TIER
@JSON
def verify(claims: tuple[str, ...], folder: Path | None, tier: int | None, as_json: bool) -> None:
    """Verify each CLAIM: GROUNDED with its quote, CONTRADICTED with the counter-quote, or UNSUPPORTED.

    Exit code 1 if one of them is not GROUNDED.
    """
    with _documents(folder, as_json) as opened:
        found = opened.verify_all(claims, tier=tier)
    if as_json:
        values = [one.as_dict() for one in found]
        print_json(values[0] if len(values) == 1 else {"verdicts": values})
    else:
        click.echo("\n\n".join("\n".join(_lines(one)) for one in found))
    sys.exit(0 if all(one.verdict.status == "GROUNDED" for one in found) else 1)


def _lines(found: Verified) -> Iterator[str]:
    verdict = found.verdict
    yield f"{MARKS[verdict.status]} {verdict.status}: {_one(verdict.claim)}"
    if verdict.quotes and verdict.location is not None:
        yield f"  “{_one(verdict.quote)}”"
        where = f", {verdict.location.text}" if verdict.location.text else ""
        yield f"  {verdict.file}{where} (tier {verdict.tier})"
    if verdict.derivation:
        yield f"  {verdict.derivation}"
    yield f"  {verdict.explanation}"
    for passage in verdict.conflicting:
        yield f"  {passage.file} (tier {passage.tier}) disagrees: “{_one(passage.text)}”"
    if verdict.nearest is not None:
        yield f"  Nearest: “{_one(verdict.nearest.text)}” – {verdict.nearest.file}"
    yield from (f"  ! {note}" for note in found.notes)
    yield f"  Record {found.receipt.sequence} ({found.receipt.hash[:12]}…)"


@documents.command("eval")
@click.argument("file", type=click.Path(path_type=Path))
@CORPUS
@JSON
def eval_command(file: Path, folder: Path | None, as_json: bool) -> None:
    """Judge the labelled claims of FILE (JSON lines) and say how well; exit code 1 on any false GROUNDED.

    A line has claim and label, and may have id, split, kind, and docs: paths beside the file, or inline file and content.
    Lines without docs are judged over one corpus. Nothing is recorded.
    """
    from footnote.documents.evaluation import scores, table_of
    from footnote.documents.labelled import judge, read_items
    from footnote.documents.verify import verify as verify_claim

    shared = any(item.docs is None for item in read_items(file))
    with _documents(folder, as_json) as opened:
        corpus = opened.corpus if shared else None
        lexicon = corpus.lexicon if corpus else None
        judged = list(
            judge(
                file, lambda claim, index: verify_claim(claim, index, lexicon=lexicon), corpus.index if corpus else None
            )
        )
    found = scores(judged)
    wrong = [one for one in judged if not one.right]
    if as_json:
        print_json({"scores": [score.as_dict() for score in found], "errors": [_error(one) for one in wrong]})
    else:
        click.echo(table_of(found))
        for one in sorted(wrong, key=lambda one: not one.false_grounded):
            mark = "FALSE GROUNDED" if one.false_grounded else f"{one.item.label}, not {one.verdict.status}"
            click.echo(f"{one.item.id} [{one.item.kind}] {mark}: {_one(one.item.claim)}")
    sys.exit(1 if found[0].false_grounded else 0)


def _error(judged: Judged) -> dict[str, Any]:
    return {
        "id": judged.item.id,
        "kind": judged.item.kind,
        "claim": judged.item.claim,
        "label": judged.item.label.value,
        "status": judged.verdict.status.value,
        "reasonCodes": [reason.value for reason in judged.verdict.reason_codes],
        "quote": judged.verdict.quote,
    }


@documents.command()
@CORPUS
@click.option("--beside", is_flag=True, help="Keep the index in the folder itself, for all who use it.")
@JSON
def index(folder: Path | None, beside: bool, as_json: bool) -> None:
    """Read what is new or changed, and say what there is now."""
    from footnote.documents.corpus import Corpus
    from footnote.session.documents import chosen_folder

    with session_of(None) as session:
        place = chosen_folder(session, folder)
        cache = session.settings.cache
    with Corpus.open(place, cache=cache, beside=beside, progress=_progress(as_json)) as corpus:
        sources = corpus.sources()
        problems = [f"{source.file}: {problem}" for source in sources for problem in source.problems]
        problems += corpus.problems
        units = corpus.index.size
    _clear(as_json)
    if as_json:
        print_json({"folder": str(place), "documents": len(sources), "units": units, "problems": problems})
        return
    click.echo(f"{place}: {len(sources):,} documents, {units:,} units.")
    for problem in problems:
        click.echo(f"! {problem}")


# --- inside -----------------------------------------------------------------------------------------------------------


@contextmanager
def _documents(folder: Path | None, as_json: bool) -> Iterator[Documents]:
    from footnote.session.documents import Documents

    with session_of(None) as session:
        opened = Documents(session, folder, _progress(as_json))
        try:
            yield opened
        finally:
            _clear(as_json)
            opened.close()


def _progress(as_json: bool) -> Any:
    """A bar on the terminal while files are read; None where nobody would see it."""
    if as_json or not sys.stderr.isatty():
        return None

    def told(done: int, total: int, path: str) -> None:
        filled = round(24 * done / total) if total else 24
        click.echo(f"\r{'█' * filled}{'░' * (24 - filled)} {done:,} of {total:,} {path[:40]:40}", nl=False, err=True)
        if not path:
            _clear(as_json)

    return told


def _clear(as_json: bool) -> None:
    if not as_json and sys.stderr.isatty():
        click.echo("\r" + " " * 90 + "\r", nl=False, err=True)


def _at(unit: dict[str, Any]) -> str:
    where = unit["location"]["text"]
    return f"{unit['file']}, {where}" if where else str(unit["file"])


def _one(text: str) -> str:
    """A text on one line."""
    from footnote.serve.plain import one_line

    return one_line(" ".join(text.split()))
