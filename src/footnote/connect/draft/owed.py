"""Open items and who owes them: how a draft writes what is open, what is overdue, and what a human has to decide."""

from __future__ import annotations

from dataclasses import dataclass

from footnote.connect.draft import words
from footnote.connect.draft.reading import Link, Read
from footnote.connect.draft.records import DraftRecord, money_keys
from footnote.connect.draft.text import column_name, remark
from footnote.connect.draft.words import is_named
from footnote.sources.query import ValueType


@dataclass(frozen=True, slots=True)
class Owed:
    """A table of open items, who owes them, and how its columns are written.

    Attributes:
        item: The record type of the open items.
        party: The record type of whoever owes.
        link: The column that names the party.
        dialect: SQL that is written.
        statuses: Values of the status column, if there is one.
        columns: Output columns are named in English, whatever the table calls them.
    """

    item: DraftRecord
    party: DraftRecord
    link: Link
    dialect: str
    statuses: tuple[str | int, ...]

    @property
    def read(self) -> Read:
        """The table of the open items."""
        return self.item.read

    def sql(self, column: str, table: str = "") -> str:
        """A column in SQL."""
        return (f"{table}." if table else "") + column_name(column, self.dialect)

    def open(self, table: str = "") -> str:
        """What is open, in SQL."""
        read = self.read
        if read.open:
            return self.sql(read.open, table)
        assert read.amount is not None  # noqa: S101 - an open item has one of them
        whole = self.sql(read.amount, table)
        if read.paid and read.is_minor(read.paid) == read.is_minor(read.amount):
            return f"{whole} - {self.sql(read.paid, table)}"
        return whole

    @property
    def open_column(self) -> str:
        """The column whose type the open amount has."""
        return self.read.open or self.read.amount or ""

    def overdue(self, table: str = "") -> list[str]:
        """The conditions under which an item counts as overdue."""
        assert self.read.due is not None  # noqa: S101 - an open item has one
        due = self.sql(self.read.due, table)
        is_moment = self.read.kind(self.read.due) is ValueType.DATETIME
        return [
            *self._kept(table),
            f"days_between(:asOfDate, {due}) > 0" if is_moment else f"{due} < :asOfDate",
            f"{self.open(table)} > 0",
        ]

    @property
    def void(self) -> tuple[str | int, ...]:
        """Values of the status that say that a row does not count."""
        return tuple(v for v in self.statuses if isinstance(v, str) and is_named(v, words.VOID))

    def _kept(self, table: str) -> list[str]:
        kept = []
        if self.void and self.read.status:
            listed = ", ".join("'" + str(value).replace("'", "''") + "'" for value in self.void)
            status = self.sql(self.read.status, table)
            kept.append(f"({status} IS NULL OR {status} NOT IN ({listed}))")
        if self.read.deleted and self.read.kind(self.read.deleted) in {ValueType.BOOLEAN, ValueType.INTEGER}:
            no = "FALSE" if self.read.kind(self.read.deleted) is ValueType.BOOLEAN else "0"
            kept.append(f"COALESCE({self.sql(self.read.deleted, table)}, {no}) = {no}")
        return kept

    def remarks(self) -> list[str]:
        """What a human has to decide, a line each."""
        read, lines = self.read, []
        if read.status:
            found = ", ".join(repr(value) for value in self.statuses) or "not read"
            left = ", ".join(map(str, self.void)) or "none"
            lines.append(f"# DECIDE: values of {remark(read.status)}: {remark(found)}. Left out here: {remark(left)}.")
        if not read.open and not read.paid:
            lines.append("# DECIDE: no column says what is paid; the whole amount counts as open.")
        if read.deleted:
            lines.append(f"# DECIDE: {remark(read.deleted)} seems to mark deleted rows; they are left out.")
        lines.append("# DECIDE: amounts are taken to be positive for what is owed; credit notes are not deducted.")
        if not self.link.declared:
            lines.append(f"# DECIDE: {remark(self.link.column)} is taken to name a {self.party.name}; no key says so.")
        return lines

    def currency(self) -> list[str]:
        """The type of the open amount, as keys of YAML."""
        return money_keys(self.read, self.open_column, "currency" if self.read.currency else "")
