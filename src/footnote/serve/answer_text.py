"""The text of an answer for a model: complete by itself, every value with the URI of what it rests on.

In this order: the answer as recorded; a numbered line per claim with what it rests on; the figures of its results that no
claim shows; as of when, from which snapshot, under which record; how to cite. If there is too much, it is cut between
lines, never inside of one, and the text says so and where the rest is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from footnote.answers.answer import Answer, Claim
from footnote.errors import counted
from footnote.evidence import Argument, Definition, Evidence, Group, Quote, Row
from footnote.figures import Figure
from footnote.operations.result import Result, ResultRow, Table
from footnote.serve.plain import one_line

MOST_CHARACTERS = 20_000
"""Of the whole text."""

MOST_LINKS = 20
"""Deep links into the ERP that are written out; every row's is in the structured content and in the record."""

MOST_EVIDENCE = 8
"""Named on the line of one claim; the rest is counted."""

BASIS = {"current": "balances are those recorded now", "reconstructed": "balances are those of that date"}


def answer_text(answer: Answer, *, composed: bool = False) -> str:
    """The text block of an answer.

    Args:
        answer: Recorded.
        composed: The caller wrote it from results that it has already seen.
    """
    head = _head(answer)
    tail = "\n".join(map(one_line, _tail(answer) if composed else [*_tail(answer), *_how_to_cite(answer)]))
    room = MOST_CHARACTERS - len(head) - len(tail) - 300  # for the line that says what was cut
    further = [] if composed else _figure_lines(answer)
    body, left_out = _fit(map(one_line, [*_claim_lines(answer), *_deep_links(answer), *further]), room)
    if left_out:
        body.append(f"… truncated: {left_out} more lines. {where_the_rest_is(answer)}")
    return "\n\n".join(part for part in (head, "\n".join(body), tail) if part)


def where_the_rest_is(answer: Answer) -> str:
    """What to do if an answer was cut."""
    uris = ", ".join(f"provenance://record/{result.record_id}" for result in answer.results)
    return f"Everything is in the record: read the resource {uris}; or ask for less, with narrower arguments."


def places(table: Table) -> Iterator[tuple[str, ResultRow]]:
    """The rows of a table with the first part of their figures' addresses."""
    indexed = table.shape == "many" or len(table.rows) > 1
    for number, row in enumerate(table.rows):
        yield (f"{table.name}[{number}]" if indexed else table.name), row


def _head(answer: Answer) -> str:
    text = answer.text
    if len(text) <= MOST_CHARACTERS - 4_000:
        return text
    lines, left_out = _fit(text.split("\n"), MOST_CHARACTERS - 4_000)
    if not left_out or not lines:
        return text  # one long line: a figure must not be cut in two
    return "\n".join([*lines, f"… truncated: {left_out} more lines of the answer. {where_the_rest_is(answer)}"])


def _fit(lines: Iterable[str], room: int) -> tuple[list[str], int]:
    """The first lines that fit into `room` characters, and how many do not."""
    kept: list[str] = []
    left_out = 0
    for line in lines:
        room -= len(line) + 1
        if room < 0 or left_out:
            left_out += 1
        else:
            kept.append(line)
    return kept, left_out


# --- claims -----------------------------------------------------------------------------------------------------------


def _claim_lines(answer: Answer) -> list[str]:
    if not answer.claims:
        return []
    anywhere = {item.id: item for item in answer.evidence}  # for claims that rest on several results
    return ["Evidence:", *(_claim_line(n, claim, answer, anywhere) for n, claim in enumerate(answer.claims, start=1))]


def _claim_line(number: int, claim: Claim, answer: Answer, anywhere: Mapping[str, Evidence]) -> str:
    if not claim.evidence:
        return f"[{number}] {claim.text} — not bound to any evidence"
    shown = claim.evidence[:MOST_EVIDENCE]

    def find(id: str) -> Evidence | None:
        return answer.evidence.get(id, claim.result) or anywhere.get(id)

    found = [_named(id, find) for id in shown]
    more = f", and {len(claim.evidence) - len(shown)} more" if len(claim.evidence) > len(shown) else ""
    slot = f" · {{{claim.result}.{claim.figure}}}" if claim.result and claim.figure else ""
    return f"[{number}] {claim.text} — {', '.join(found)}{more}{_made_of(claim, answer)}{slot}"


def _deep_links(answer: Answer) -> list[str]:
    """Where a person opens the rows that claims cite, in the ERP itself; rows of one document have one link."""
    cited = dict.fromkeys(id for claim in answer.claims for id in claim.evidence[:MOST_EVIDENCE])
    rows = {row.id: row for row in answer.evidence.rows()}
    links: dict[str, str] = {}
    for row in (rows[id] for id in cited if id in rows):
        if row.url:
            links.setdefault(row.url, row.label or row.id)
    if not links:
        return []
    more = [f"and {len(links) - MOST_LINKS} more, in the record."] if len(links) > MOST_LINKS else []
    return ["In the ERP, for people:", *(f"{links[url]}: {url}" for url in list(links)[:MOST_LINKS]), *more]


def _made_of(claim: Claim, answer: Answer) -> str:
    """How a figure comes about where its evidence does not say: a division, gross amounts, one row of many."""
    result = next((result for result in answer.results if result.id == claim.result), None)
    figure = dict(result.figures()).get(claim.figure) if result is not None and claim.figure else None
    if result is None or figure is None:
        return ""
    if figure.formula:
        return f"; computed as {figure.formula}"
    if figure.rows is None:
        return ""
    said = "; one" if figure.method in ("minimum", "maximum") else "; the largest"
    gross = f", {figure.rows.plus_display} and {figure.rows.minus_display}" if figure.rows.minus else ""
    return f"{said} of {figure.rows.count:,} rows{gross}: evidence://{result.record_id}/{claim.figure}"


def _named(id: str, find: Callable[[str], Evidence | None]) -> str:
    evidence = find(id)
    match evidence:
        case Group() if evidence.rows and isinstance(first := find(evidence.rows[0]), Row):
            left = len(evidence.rows) - 1
            more = " and " + counted(left, "more row") if left else ""
            return f"{evidence.text} ({first.uri}{more})"
        case Row():
            return f"{evidence.label or evidence.id} {evidence.uri}"
        case Quote():
            return f"“{evidence.text}” doc://{evidence.file}#{evidence.start}-{evidence.end}"
        case Argument():
            return f"{'default' if evidence.defaulted else 'argument'} {evidence.name} = {evidence.value}"
        case Definition():
            return f"definition in the catalog ({evidence.path})"
        case None:
            return id
        case _:
            return f"{evidence.text} ({evidence.id})"


# --- figures ----------------------------------------------------------------------------------------------------------


def _figure_lines(answer: Answer) -> list[str]:
    """The figures of the results that no claim has shown."""
    said = {(claim.result, claim.figure) for claim in answer.claims}
    lines: list[str] = []
    for result in answer.results:
        unsaid = {address for address, _ in result.figures() if (result.id, address) not in said}
        if unsaid:
            lines += ["", f"Further figures of result {result.id} ({result.operation}), by address:"]
            found = [*_table_lines(result, unsaid), *_derived_lines(result, unsaid)]
            lines += sorted(found, key=lambda line: "[" in line.partition(":")[0])  # totals first: a cut spares them
    return lines


def _table_lines(result: Result, unsaid: set[str]) -> Iterator[str]:
    for table in result.tables.values():
        for place, row in places(table):
            cells = {name: figure for name, figure in row.figures.items() if f"{place}.{name}" in unsaid}
            rests_on = [row.record] if row.record else [id for figure in cells.values() for id in figure.evidence]
            if cells:
                said = "; ".join(f"{name} {shown(figure)}" for name, figure in cells.items())
                yield f"{place}: {said}{_resting_on(rests_on, result)}"


def _derived_lines(result: Result, unsaid: set[str]) -> Iterator[str]:
    for name, figure in result.derived.items():
        if f"derived.{name}" in unsaid:
            yield f"derived.{name}: {shown(figure)}{_resting_on(figure.evidence, result)}"


def _resting_on(ids: Iterable[str], result: Result) -> str:
    """What figures rest on: as on the line of a claim, the first ones are named and the rest is counted."""
    distinct = list(dict.fromkeys(ids))
    if not distinct:
        return ""

    def find(id: str) -> Evidence | None:
        return result.evidence.get(id, result.id) or result.evidence.get(id)

    named = ", ".join(_named(id, find) for id in distinct[:MOST_EVIDENCE])
    more = len(distinct) - MOST_EVIDENCE
    return f" — {named}, and {more:,} more" if more > 0 else f" — {named}"


def shown(figure: Figure) -> str:
    """A figure with its unit, or that there is none."""
    if figure.value is None:
        return "not stated"
    return f"{figure.display} {figure.format.unit}" if figure.format.unit else figure.display


# --- what it rests on, and how to go on -------------------------------------------------------------------------------


def _tail(answer: Answer) -> Iterator[str]:
    yield from (f"Note: {note}" for note in dict.fromkeys(_notes(answer)))
    for result in answer.results:
        as_of = f"as of {result.as_of} ({BASIS.get(result.basis, result.basis)}), " if result.as_of else ""
        yield f"Result {result.id}: {as_of}snapshot {result.taken_at} of source {result.source}."
    if answer.receipt:
        receipt = answer.receipt
        yield f"Record {receipt.get('sequence')}: provenance://record/{receipt.get('id')}, hash {receipt.get('hash')}."


def _notes(answer: Answer) -> Iterator[str]:
    yield from answer.notes
    for result in answer.results:
        yield from result.notes


def _how_to_cite(answer: Answer) -> Iterator[str]:
    """How a model states these figures in its own words."""
    if not answer.results:
        return
    slots = [f"{{{result.id}.{address}}}" for result in answer.results for address, _ in result.figures()]
    said = [f"{{{claim.result}.{claim.figure}}}" for claim in answer.claims if claim.result and claim.figure]
    names = [f"{{{result.id}.{e.parameter}}}" for result in answer.results for e in result.entities]
    examples = list(dict.fromkeys([*said[:1], *slots[:1], *names[:1]]))[:2]
    ids = ", ".join(f'"{result.id}"' for result in answer.results)
    such_as = f", such as {' and '.join(examples)}" if examples else ""
    yield (
        f"To say this in your own words, call compose_answer with results [{ids}] and a slot {{resultId.address}} for "
        f"each figure or name{such_as}. Do not type, round, convert or add up figures yourself."
    )
