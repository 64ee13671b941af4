"""From a source to the text of a catalog: reflect, read, look at a few values, write.

The draft loads and passes `footnote check`; every line that a human has to decide says DECIDE. What would have to be
guessed to be right, such as the currency of amounts that have no currency column, is asked for instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote.catalog.packs import pack_names
from footnote.connect.draft.erps import recognised
from footnote.connect.draft.operations import count_of, overdue_by_party, overdue_of_party, payments_of_party
from footnote.connect.draft.owed import Owed
from footnote.connect.draft.reading import Link, Read, read_tables
from footnote.connect.draft.records import DraftRecord, draft_records, record_lines
from footnote.connect.draft.text import remark, scalar
from footnote.errors import FootnoteError, UsageError
from footnote.plans.probes import distinct_values
from footnote.sources.source import Source, TableSchema

MOST_TABLES = 40
"""Record types of a draft; a catalog of two thousand would be of use to nobody."""
_AT_A_TIME = 50
_MOST_STATUSES = 12
_PARTIES = ("customer", "supplier", "party", "other")
_ASK = {
    "invoice": ("owe, owes, overdue, past due, arrears", "who is overdue, who is behind"),
    "bill": ("we owe, overdue bill", "whom do we owe"),
}

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What whoever asks for a draft says.

    Attributes:
        name: Of the catalog.
        tables: To be drafted, beside those that are found to matter; `table` or `schema.table`.
        currency: ISO 4217 code of amounts that have no currency column; empty if it was not said.
        time_zone: IANA name of the zone in which the source's days begin.
        locale: How figures are shown.
    """

    name: str = "draft"
    tables: tuple[str, ...] = ()
    currency: str = ""
    time_zone: str = "UTC"
    locale: str = "en-US"


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft.

    Attributes:
        text: The catalog.
        tables: Tables there are.
        records: Record types drafted.
        operations: Names of the operations.
        decide: Lines that a human has to decide.
        erp: What the database was recognised as, or empty.
        pack: The pack for it, if one ships.
    """

    text: str
    tables: int
    records: int
    operations: tuple[str, ...]
    decide: int
    erp: str = ""
    pack: str = ""

    def as_dict(self) -> dict[str, Any]:
        """What was drafted, without the text, as JSON values."""
        out: dict[str, Any] = {"tables": self.tables, "records": self.records, "operations": list(self.operations)}
        return out | {"decide": self.decide, "erp": self.erp, "pack": self.pack}


@dataclass(frozen=True, slots=True)
class _Company:
    """What was read, and what is drafted of it."""

    source: Source
    wishes: Wishes
    records: Mapping[str, DraftRecord]
    statuses: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)

    def owed(self) -> Iterator[Owed]:
        """Each table of open items, with who owes them."""
        for name, item in self.records.items():
            if item.read.role not in {"invoice", "bill"} or not item.read.is_open_item:
                continue
            party = self.party_of(item)
            if party is not None:
                link, record = party
                yield Owed(item, record, link, self.source.dialect, self.statuses.get(name, ()))

    def party_of(self, item: DraftRecord) -> tuple[Link, DraftRecord] | None:
        """The column of a table that names a party, the likeliest first."""
        ways = [(link, self.records[link.table]) for link in item.read.links if link.table in self.records]
        ways = [way for way in ways if way[1] is not item and way[1].matches]
        wanted = ("supplier",) if item.read.role == "bill" else ("customer",)
        for role in (*wanted, *_PARTIES):
            for way in ways:
                if way[1].read.role == role and (role != "other" or way[1].read.name):
                    return way
        return None


def draft(source: Source, wishes: Wishes, shown: str, *, progress: Progress | None = None) -> Draft:
    """Draft a catalog.

    Args:
        source: Of any schema.
        wishes: What was said.
        shown: The source's name for people.
        progress: Told how many tables were read, of how many.

    Raises:
        UsageError: There is no table with a primary key, a named table does not exist, or amounts have no currency.
        SourceUnavailable: The source cannot be read.
    """
    listed = source.listed()
    schemas: dict[str, TableSchema] = {}
    for start in range(0, len(listed), _AT_A_TIME):
        some = [f"{one.schema}.{one.name}" for one in listed[start : start + _AT_A_TIME]]
        schemas |= source.tables(some)
        if progress:
            progress(min(start + _AT_A_TIME, len(listed)), len(listed))
    # A MySQL database is its own only schema; elsewhere these two are what a plain name means.
    plain = {one.schema for one in listed} if source.dialect == "mysql" else {"main", "public"}
    reads = read_tables(listed, schemas, plain)
    if not reads:
        raise UsageError(
            f"{shown} has no table with a primary key that can be read.",
            why="A row that cannot be named cannot be evidence.",
            remedy="Check the database and the login's rights, or declare primary keys.",
        )
    chosen = _chosen(reads, wishes.tables)
    records = draft_records(chosen)
    pack, erp = recognised(one.name for one in listed) or ("", "")
    pack = pack if pack in pack_names() else ""
    _require_currency(chosen, wishes, f" This is {erp}: or use the pack, footnote check --pack {pack}." if pack else "")
    company = _Company(source, wishes, records, _statuses(source, records))
    operations = _operations(company)
    text = _text(company, operations, shown, len(listed))
    names = tuple(map(_name_of, operations))
    return Draft(
        text,
        len(listed),
        len(records),
        names,
        sum("DECIDE" in line for line in text.splitlines()),
        erp,
        pack,
    )


def _chosen(reads: Sequence[Read], named: Sequence[str]) -> list[Read]:
    """The tables to draft: those that were named, those with a role, and those that they refer to."""
    by_name = {read.table: read for read in reads} | {read.schema.name: read for read in reads}
    missing = next((name for name in named if name not in by_name), None)
    if missing is not None:
        raise UsageError(f"There is no table {missing[:80]!r} with a primary key.", remedy="Check the name's spelling.")
    canonical = {f"{read.schema.schema}.{read.schema.name}": read for read in reads}
    wanted = [by_name[name] for name in named]
    items = [read for read in reads if read.role in {"invoice", "bill", "payment"}]
    parties = [canonical[link.table] for read in items for link in read.links if link.table in canonical]
    rest = [read for read in reads if read.role != "other"]
    linked = [read for read in reads if any(canonical.get(link.table) in rest for link in read.links)]
    ordered = [*wanted, *items, *parties, *rest, *linked, *reads]
    unique = {f"{read.schema.schema}.{read.schema.name}": read for read in ordered}
    return list(unique.values())[:MOST_TABLES]


def _require_currency(reads: Sequence[Read], wishes: Wishes, instead: str) -> None:
    if wishes.currency:
        return
    for read in reads:
        if read.has_money and read.currency is None and (read.amount or read.paid or read.open):
            raise UsageError(
                f"The amounts of {read.table} have no column that says in which currency they are.",
                why="An amount shown in a wrong currency looks right.",
                remedy=f"Say which one it is: --currency EUR.{instead}",
            )


def _statuses(source: Source, records: Mapping[str, DraftRecord]) -> dict[str, tuple[str | int, ...]]:
    """The values of each status column; one with many values, or too slow to look at, is left out."""
    found: dict[str, tuple[str | int, ...]] = {}
    for name, record in records.items():
        read = record.read
        if read.status is None or read.role not in {"invoice", "bill"}:
            continue
        query = distinct_values(read.schema, read.status, read.kind(read.status), source.dialect, _MOST_STATUSES + 1)
        try:
            with source.snapshot() as snapshot:
                values = [row[0] for row in snapshot.run(query)]
        except FootnoteError:
            continue
        if len(values) <= _MOST_STATUSES:
            found[name] = tuple(value for value in values if isinstance(value, str | int))
    return found


def _operations(company: _Company) -> list[str]:
    written: list[str] = []
    asked: set[str] = set()
    for owed in company.owed():
        ask = ("", "") if owed.read.role in asked else _ASK[owed.read.role]
        asked.add(owed.read.role)
        written += [overdue_of_party(owed, ask[0]), overdue_by_party(owed, ask[1])]
    for record in company.records.values():
        party = company.party_of(record) if record.read.role == "payment" else None
        if party and record.read.amount and record.read.dated:
            written.append(payments_of_party(record, party[1], party[0].column, company.source.dialect))
    return written or [count_of(next(iter(company.records.values())), company.source.dialect)]


def _name_of(operation: str) -> str:
    return next(line for line in operation.split("\n") if not line.startswith("#")).rstrip(":")


def _text(company: _Company, operations: Sequence[str], shown: str, tables: int) -> str:
    wishes, dialect = company.wishes, company.source.dialect
    drafted = f"{len(company.records)} of {tables} tables are drafted; name further ones with --table."
    used = {owed.party.name for owed in company.owed()}
    used |= {way[1].name for way in map(company.party_of, company.records.values()) if way}
    lines = [
        f"# A draft over {remark(shown)}, made by `footnote init`. {drafted}",
        "# What a human has to judge is marked by a word in capitals. Then: footnote check --catalog THIS_FILE",
        f"catalog: {scalar(wishes.name)}",
        "version: 1",
        f'source: {{url: "${{DATABASE_URL}}", dialect: {dialect}, timeout: 30s, time_zone: {scalar(wishes.time_zone)}}}',
        f"display: {{locale: {scalar(wishes.locale)}}}",
        *([f"company: {{currency: {scalar(wishes.currency)}}}"] if wishes.currency else []),
        "",
        "# DECIDE: which company, if the tables hold several; add the condition to every statement.",
        "records:",
        *(f"  {line}".rstrip() for record in company.records.values() for line in [*record_lines(record), ""]),
        "entities:",
        *(
            f"  {record.name}: {{record: {record.name}, match: [{', '.join(record.matches)}], "
            f"order: {record.fields[record.read.schema.primary_key[0]]}}}"
            for record in company.records.values()
            if record.name in used
        ),
        "" if used else "  {}",
        "operations:",
        *(f"  {line}".rstrip() for operation in operations for line in [*operation.split("\n"), ""]),
    ]
    return "\n".join(lines).rstrip() + "\n"
