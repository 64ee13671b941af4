"""The evidence of a recorded figure, a page at a time.

Contributions that are in the record are shown as recorded. Of a figure that rests on more rows than are recorded, the
recorded witness statement runs again with its recorded parameters, against the source as it is now; the page says
whether those are the rows that were added up, by their count and their digest. Such a reading is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from footnote.access import Actor
from footnote.errors import NameUnknown, UsageError
from footnote.evidence import Evidence, Json, Row
from footnote.figures import Contribution, Figure, exact_text
from footnote.lineage.rowset import CHUNK, RowSet
from footnote.operations.again import Page, ReadAgain, read_again
from footnote.operations.recordable import recordable_text
from footnote.operations.result import Result, ResultRow
from footnote.session.session import Session
from footnote.sources.cancellation import Cancellation

SIZE = 50
"""Rows of a page, unless a caller says otherwise."""
LARGEST_PAGE = 1_000
FURTHEST = 100_000
"""Rows down to which a page may be asked for largest first; in record order there is no limit."""


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """A page of the evidence of a figure.

    Attributes:
        result: Receipt of the result's record.
        address: Of the figure in its result.
        figure: As recorded.
        page: From 1.
        size: Rows of a page.
        total: Rows behind the figure.
        matched: Rows that are like what was searched for.
        rows: `{"id", "label", "uri", "fields", …, "amount", "display"}` for each row, as evidence is recorded.
        read: `record`, or `source` if the rows were read again.
        same: Whether they are the rows that were added up; always of what the record has.
        said: What a reader must know of that.
        receipt: Of the record of the reading.
    """

    result: dict[str, Json]
    address: str
    figure: Figure
    page: int
    size: int
    total: int
    matched: int
    rows: tuple[dict[str, Any], ...]
    read: Literal["record", "source"]
    same: bool
    said: str
    receipt: dict[str, Json]

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.matched // self.size))

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        figure = self.figure.as_dict()
        for left_out in ("evidence", "contributions"):
            figure.pop(left_out, None)
        out: dict[str, Any] = {
            "record": self.result,
            "address": self.address,
            "figure": figure,
            "page": self.page,
            "pages": self.pages,
            "size": self.size,
            "total": self.total,
            "matched": self.matched,
            "rows": list(self.rows),
            "read": self.read,
            "same": self.same,
            "said": self.said,
        }
        return out | ({"reading": self.receipt} if self.receipt else {})


def figures_of(session: Session, name: int | str) -> list[tuple[Result, str, Figure]]:
    """Every figure of a recorded result, or of the results of a recorded answer, with its address.

    Raises:
        NameUnknown, NameAmbiguous, LogBroken: As `Log.get`.
        UsageError: The record has no figures.
    """
    record = session.log.get(name)
    if record.kind == "result":
        results = [session.result(record.id)]
    else:
        cited = record.sections.get("results") if record.kind == "answer" else None
        if not isinstance(cited, list) or not cited:
            raise UsageError(
                f"Record {record.sequence} is of kind {record.kind} and has no figures.",
                remedy="Name a result, or an answer that rests on results.",
            )
        results = [session.result(str(item.get("id"))) for item in cited if isinstance(item, dict)]
    return [(result, address, figure) for result in results for address, figure in result.figures()]


def evidence_page(
    session: Session,
    name: int | str,
    address: str,
    *,
    page: int = 1,
    size: int = SIZE,
    sort: str = "record",
    search: str = "",
    actor: Actor | None = None,
    cancel: Cancellation | None = None,
) -> EvidencePage:
    """A page of the evidence of a recorded figure.

    Args:
        session: Catalog, source and log.
        name: A record's sequence or id: a result, or an answer.
        address: The figure's, such as `totals.invoiceCount`; of an answer over several results, `resultId.address`.
        page: From 1.
        size: Rows of a page, at most `LARGEST_PAGE`.
        sort: In record order, or the rows that contribute most first.
        search: Only rows that have this text: recorded rows in label, fields or amount, others in key or amount.
        actor: Whoever asks; by default the session's.
        cancel: Stops the statement that is running.

    Raises:
        NameUnknown: There is no such record or figure; with those there are.
        UsageError: The page cannot be asked for.
        FootnoteError: The source cannot be read, or its rows do not hold; recorded.
    """
    _check(page, size, sort)
    result, found, figure = _find(figures_of(session, name), address)
    place = _row_of(result, found)
    asking = _Asking(session, result, found, figure, page, size, sort, search)
    if figure.rows is None or place is None or place[1].rows is None:
        return asking.recorded()
    actor = actor or session.settings.actor
    asked: dict[str, Json] = {"operation": "evidence", "record": result.record_id, "figure": found}
    table, row = place
    return session.recording(actor, asked, lambda: asking.again(table, row, actor, cancel))


def _check(page: int, size: int, sort: str) -> None:
    if page < 1 or not 1 <= size <= LARGEST_PAGE:
        raise UsageError(
            f"There is no page {page} of {size} rows.",
            remedy=f"Pages count from 1 and have 1 to {LARGEST_PAGE:,} rows.",
        )
    if sort not in ("record", "largest"):
        raise UsageError(f"Rows cannot be sorted by {sort[:40]!r}.", remedy="Sort by `record` or `largest`.")
    if sort == "largest" and page * size > FURTHEST:
        raise UsageError(
            f"Largest first, only the first {FURTHEST:,} rows can be paged.", remedy="Sort by `record` to go further."
        )


def _find(figures: Sequence[tuple[Result, str, Figure]], address: str) -> tuple[Result, str, Figure]:
    same = [found for found in figures if address in (found[1], f"{found[0].id}.{found[1]}")]
    if not same:
        known = ", ".join(address for _, address, _ in figures[:20])
        raise NameUnknown(f"The record has no figure {address[:80]!r}.", remedy=f"There are: {known or 'none'}.")
    if len(same) > 1:
        names = ", ".join(f"{result.id}.{address}" for result, address, _ in same)
        raise UsageError(f"Several results have a figure {address!r}.", remedy=f"Name one of {names}.")
    return same[0]


def _row_of(result: Result, address: str) -> tuple[str, ResultRow] | None:
    """The table and the row that a figure stands in; None for a derived one."""
    place, _, name = address.rpartition(".")
    table, _, number = place.partition("[")
    if table not in result.tables or name not in result.tables[table].rows[0].figures:
        return None
    return table, result.tables[table].rows[int(number.rstrip("]") or 0)]


@dataclass(frozen=True, slots=True)
class _Asking:
    """One page asked for."""

    session: Session
    result: Result
    address: str
    figure: Figure
    page: int
    size: int
    sort: str
    search: str

    def recorded(self) -> EvidencePage:
        """The page from what the record has."""
        listed = self.figure.contributions or tuple(Contribution(id, None) for id in self.figure.evidence)
        rows = [self._row(one, self.result.evidence.get(one.evidence, self.result.id)) for one in listed]
        if self.search:
            rows = [row for row in rows if _has(row, self.search)]
        if self.sort == "largest":
            order = sorted(range(len(rows)), key=lambda n: -_size(rows[n]["amount"]))
            rows = [rows[n] for n in order]
        start = (self.page - 1) * self.size
        shown = tuple(rows[start : start + self.size])
        behind = self.figure.rows.count if self.figure.rows else len(listed)
        said = f"The rows are in the record, as they were at {self.result.taken_at}."
        return self._page(len(rows), shown, "record", True, said, {}, behind)

    def _row(self, one: Contribution, item: Evidence | None) -> dict[str, Any]:
        out = item.as_dict() if item is not None else {"id": one.evidence, "label": one.evidence}
        out.pop("result", None)
        out |= {"amount": exact_text(one.amount), "display": one.display}
        below = [self._row(inner, self.result.evidence.get(inner.evidence, self.result.id)) for inner in one.items]
        return out | ({"items": below} if below else {})

    def again(self, table: str, row: ResultRow, actor: Actor, cancel: Cancellation | None) -> EvidencePage:
        """The page from the source as it is now; recorded."""
        assert row.rows is not None  # noqa: S101 - whoever calls looked
        start = (self.page - 1) * self.size
        wanted = Page(table, self.figure, row.rows, start, self.size, self.sort == "largest", self.search)
        now = read_again(self.session.desk, self.result, wanted, cancel)
        shown = tuple(_shown(found, amount, display) for found, amount, display in now.rows)
        same = now.now.digest == row.rows.digest
        said = said_of(row.rows, now)
        reading: dict[str, Json] = {
            "record": self.result.record_id,
            "figure": self.address,
            "page": self.page,
            "size": self.size,
            "sort": self.sort,
            "search": recordable_text(self.search)[:200],
            "rowsNow": now.now.count,
            "same": same,
        }
        operations: list[Json] = [query.as_dict() for query in now.queries]
        evidence: list[Json] = [found.as_dict() for found, _, _ in now.rows]
        receipt = self.session.append("read", actor, {"reading": reading, "operations": operations}, evidence)
        total = self.figure.rows.count if self.figure.rows else row.rows.count
        return self._page(now.matched, shown, "source", same, said, receipt.as_dict(), total)

    def _page(
        self,
        matched: int,
        rows: tuple[dict[str, Any], ...],
        read: Literal["record", "source"],
        same: bool,
        said: str,
        receipt: dict[str, Json],
        total: int,
    ) -> EvidencePage:
        then = dict(self.result.receipt)
        return EvidencePage(
            then, self.address, self.figure, self.page, self.size, total, matched, rows, read, same, said, receipt
        )


def _shown(row: Row, amount: Any, display: str) -> dict[str, Any]:
    return row.as_dict() | {"amount": exact_text(amount), "display": display}


def said_of(then: RowSet, again: ReadAgain) -> str:
    """Whether the rows read again are those that were added up, in words."""
    now, by = again.now, "" if again.same_sql else " The statement is not the recorded one: catalog or schema changed."
    if now.digest == then.digest:
        return f"These are the {then.count:,} rows that were added up: their digest is the recorded one.{by}"
    if now.count != then.count:
        return f"The source has {now.count:,} rows behind this figure now; {then.count:,} were added up.{by}"
    changed = [n for n, (old, new) in enumerate(zip(then.chunks, now.chunks, strict=True)) if old != new]
    first = changed[0] * CHUNK + 1 if changed else 1
    return (
        f"The source has as many rows as were added up, {then.count:,}, and they are not the same: their digest is "
        f"another, first among rows {first:,} to {min(first + CHUNK - 1, then.count):,}.{by}"
    )


def _has(row: dict[str, Any], text: str) -> bool:
    told = (row["label"], row["display"], row["id"], *dict(row.get("fields") or {}).values())
    return any(text.casefold() in str(one).casefold() for one in told)


def _size(amount: Any) -> Any:
    from decimal import Decimal, InvalidOperation

    try:
        return abs(Decimal(str(amount)))
    except InvalidOperation:
        return Decimal(0)
