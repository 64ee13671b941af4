"""Records as one HTML file: to be read, clicked through and printed, with no network, no script and no other file.

A claim in an answer is a link to its note, a note's rows are links to the evidence. Whatever comes from a record is
escaped, and the page's own policy (Content-Security-Policy) lets nothing load or run, its one style sheet aside. The
page is for reading. It proves nothing by itself: what can be verified is the export of the same records.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from footnote.audit.reading import Note, Reading, added_up
from footnote.audit.selection import in_words
from footnote.audit.upkeep import details
from footnote.errors import counted
from footnote.figures import Figure
from footnote.provenance.verify import Verification


def page(
    readings: Iterable[Reading], *, log: str, exported_at: str, integrity: Verification, selection: Mapping[str, Any]
) -> Iterator[str]:
    """The page in pieces of text; in memory that grows by a short id for each result, not with rows.

    Args:
        readings: What is shown, in order.
        log: The log's id.
        exported_at: When the page was made, RFC 3339.
        integrity: The outcome of verifying the whole log then.
        selection: What was asked for, as an export states it.
    """
    style = files("footnote.audit").joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Footnote: records of log {escape(log[:8])}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
    yield _heading(log, exported_at, integrity, selection)
    shown: dict[str, int] = {}
    for reading in readings:
        yield from _article(reading, shown)
        for result in reading.results:
            shown.setdefault(result, reading.record.sequence)
    yield "</body>\n</html>\n"


def _heading(log: str, exported_at: str, integrity: Verification, selection: Mapping[str, Any]) -> str:
    if integrity.ok:
        facts = [f"hash of the last {escape(integrity.head)}", integrity.anchored or "no checkpoint was compared"]
        facts += [integrity.stamps.text] if integrity.stamps else []
        facts += [f"{integrity.pruned:,} before them were pruned"] if integrity.pruned else []
        state = (
            f'<span class="holds">✓ {counted(integrity.count, "record")} verified</span>; {escape("; ".join(facts))}'
        )
    else:
        state = f'<span class="fails">✗ The log does not verify.</span> {escape(integrity.reason)}'
    return (
        f"<header><h1>Records of log {escape(log)}</h1>\n"
        f'<p class="meta">Made {escape(exported_at)}. The log when this was made: {state}.<br>'
        f"Shown here: {escape(in_words(selection))}.</p>\n"
        '<p class="meta">This page is for reading. What can be verified without trusting anybody is the export of the same '
        "records: <code>footnote export --format bundle</code>.</p></header>\n"
    )


def _article(reading: Reading, shown: Mapping[str, int]) -> Iterator[str]:
    """A record. Evidence and queries of a result that was `shown` before, under that record, are not repeated."""
    record = reading.record
    about = (f"Record {record.sequence}", record.kind, record.timestamp, reading.actor, f"hash {record.hash}")
    yield (
        f'<article id="r{record.sequence}">\n<h2>{escape(reading.question or _title(reading))}</h2>\n'
        f'<p class="meta">{escape(" · ".join(filter(None, about)))}</p>\n'
    )
    yield from (f'<p class="gap">{escape(gap)}</p>\n' for gap in reading.gaps)
    yield from (f'<p class="fine">{escape(line)}</p>\n' for line in details(record))
    if reading.refusal:
        yield f"<p>{escape(reading.refusal)}</p>\n"
    notes = list(reading.claims())
    if reading.answer:
        yield f'<p class="answer">{_marked(reading.answer, notes, record.sequence)}</p>\n'
    yield from (f'<p class="fine">{escape(note)}</p>\n' for note in reading.notes)
    anchors = {key: _anchor(key, record.sequence) for key in reading.evidence}
    if notes:
        yield "<h3>Claims</h3>\n"
        yield from (_note(reading, note, anchors) for note in notes)
    elif reading.results:
        yield "<h3>Figures</h3>\n"
        yield from (_figure(reading, id, address, figure, anchors) for id, address, figure in reading.figures())
    items = {key: item for key, item in reading.evidence.items() if key[1] not in shown}
    if items:
        yield "<h3>Evidence</h3>\n"
        yield from (_item(item, anchors[key]) for key, item in items.items())
    yield from _ran(reading, shown)
    yield from (
        f'<p class="fine">The evidence and the queries of result {escape(id)} stand under '
        f'<a href="#r{shown[id]}">record {shown[id]}</a>.</p>\n'
        for id in reading.results
        if id in shown
    )
    yield "</article>\n"


def _title(reading: Reading) -> str:
    """What a record that is no question is about; a result by its operation's title too."""
    titles = [result.title for result in reading.results.values() if result.title]
    return f"{titles[0]} ({reading.subject})" if len(titles) == 1 else reading.subject


def _anchor(key: tuple[str, str], sequence: int) -> str:
    """Where an item of evidence stands on the page: the same for every record that rests on its result."""
    id, result = key
    return f"e{result or sequence}-{sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _marked(text: str, notes: Iterable[Note], sequence: int) -> str:
    """The answer with each claim as a link; spans count UTF-16 code units, and one inside another is not marked."""
    units = text.encode("utf-16-le", "surrogatepass")
    out, at = [], 0
    for note in notes:
        if not at <= note.start < note.end <= len(units) // 2:
            continue
        link = f'<a class="claim" href="#r{sequence}c{note.number}">{_part(units, note.start, note.end)}'
        out += [_part(units, at, note.start), f"{link}<sup>{note.number}</sup></a>"]
        at = note.end
    return "".join([*out, _part(units, at, len(units) // 2)])


def _part(units: bytes, start: int, end: int) -> str:
    return escape(units[2 * start : 2 * end].decode("utf-16-le", "replace"))


def _note(reading: Reading, note: Note, anchors: Mapping[tuple[str, str], str]) -> str:
    how = f"{note.address}, {note.figure.method}" if note.figure else note.origin
    links = [_link(item, anchors) for item in note.evidence] + [escape(f"{id} (not here)") for id in note.unread]
    body = f"<p>{', '.join(links)}</p>\n"
    if note.figure and note.figure.contributions:
        body = _contributions(reading, note.result, note.figure, anchors)
    anchor = f"r{reading.record.sequence}c{note.number}"
    return _box(f"{note.number}. {note.text}", how, body, anchor)


def _figure(reading: Reading, result: str, address: str, figure: Figure, anchors: Mapping[tuple[str, str], str]) -> str:
    items = [reading.evidence.get((id, result), {"id": id}) for id in figure.evidence]
    body = f"<p>{', '.join(_link(item, anchors) for item in items)}</p>\n"
    if figure.contributions:
        body = _contributions(reading, result, figure, anchors)
    return _box(figure.display, f"{address}, {figure.method}", body)


def _box(head: str, how: str, body: str, anchor: str = "") -> str:
    """A claim or figure: in a line with its evidence, or above the table of its contributions."""
    id = f' id="{anchor}"' if anchor else ""
    kind = "note" if body.startswith("<table") else "note line"
    return f'<section class="{kind}"{id}><h4>{escape(head)}</h4>\n<p class="fine">{escape(how)}</p>\n{body}</section>\n'


def _contributions(reading: Reading, result: str, figure: Figure, anchors: Mapping[tuple[str, str], str]) -> str:
    if _counts_rows(figure):
        ids = [contribution.evidence for contribution in figure.contributions]
        named = ", ".join(_named(reading.label(result, id), anchors.get((id, result))) for id in ids)
        return f'<p>{named} <span class="holds">✓ {_rows(len(ids))}</span></p>\n'
    rows = []
    for contribution in figure.contributions:
        label = reading.label(result, contribution.evidence)
        name = _named(label, anchors.get((contribution.evidence, result)))
        shown = escape(contribution.display or str(contribution.amount))
        rows.append(f'<tr><td>{name}</td><td class="number">{shown}</td></tr>')
    left, rest = figure.unlisted()
    if left > 0:
        shown = "" if rest is None else escape(f"{rest:f}")
        bound = {"maximum": ", none of them larger", "minimum": ", none of them smaller"}.get(figure.method, "")
        rows.append(f'<tr><td>{_rows(left, "further ")}{bound}</td><td class="number">{shown}</td></tr>')
    total = added_up(figure)
    foot = ""
    if total is not None:
        mark = '<span class="holds">✓ adds up</span>' if total == figure.value else '<span class="fails">✗</span>'
        foot = f'<tfoot><tr><td>{mark}</td><td class="number">{escape(figure.display)}</td></tr></tfoot>'
    return f"<table><tbody>{''.join(rows)}</tbody>{foot}</table>\n"


def _link(item: Mapping[str, Any], anchors: Mapping[tuple[str, str], str]) -> str:
    id, label = str(item.get("id", "")), str(item.get("label") or item.get("id", ""))
    anchor = anchors.get((id, str(item.get("result", "")))) or anchors.get((id, ""))
    return _named(label, anchor)


def _named(label: str, anchor: str | None) -> str:
    return f'<a href="#{anchor}">{escape(label)}</a>' if anchor else escape(label)


def _counts_rows(figure: Figure) -> bool:
    """Whether a figure is the number of the rows that are listed, a 1 from each: then a list of them is enough."""
    ones = all(contribution.amount == 1 for contribution in figure.contributions)
    return figure.method == "count" and ones and figure.value == len(figure.contributions)


def _item(item: Mapping[str, Any], anchor: str) -> str:
    fields, labels = item.get("fields"), item.get("labels")
    named = labels if isinstance(labels, dict) else {}
    pairs = [(str(named.get(key, key)), str(text)) for key, text in fields.items()] if isinstance(fields, dict) else []
    # A column of the statement and a field of the record may be one and the same to a reader: it is said once.
    told = dict.fromkeys(pairs)
    inner = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text) or '—'}</dd></div>" for name, text in told)
    where = str(item.get("url") or item.get("uri") or item.get("id", ""))
    return (
        f'<section class="item" id="{anchor}"><h4>{escape(str(item.get("label", "")))}</h4>\n'
        f'<p class="fine">{escape(where)}</p>\n' + (f"<dl>{inner}</dl>\n" if inner else "") + "</section>\n"
    )


def _ran(reading: Reading, shown: Mapping[str, int]) -> Iterator[str]:
    queries = [one for one in reading.queries() if one[1] not in shown]
    if not queries:
        return
    yield "<h3>What ran</h3>\n"
    for result in (one for one in reading.results.values() if one.id not in shown):
        asof = f", as of {result.as_of} ({result.basis})" if result.as_of else ""
        yield (
            f'<p class="fine">Result {result.id}: {escape(result.title)}{escape(asof)}, snapshot {escape(result.taken_at)} '
            f"of source {escape(result.source)}; catalog {escape(result.catalog_digest)}.</p>\n"
        )
    for name, _, query in queries:
        head = " · ".join(str(part) for part in (name, query.get("purpose"), query.get("statement")) if part)
        yield f'<p class="fine">{escape(head)}, {escape(_rows(query.get("rows", "")))}</p>\n'
        yield f"<pre>{escape(str(query.get('sql', '')))}\n{escape(_json(query.get('params', {})))}</pre>\n"


def _rows(count: object, which: str = "") -> str:
    number = f"{count:,}" if isinstance(count, int) else str(count)
    return f"{number} {which}row{'s' * (count != 1)}"


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
