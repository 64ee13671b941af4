"""Tied-out rows become tables of figures, each with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from footnote.catalog.model import Catalog, ColumnSpec, CurrencyColumn, Statement
from footnote.errors import TieOutError
from footnote.evidence import Absence, Definition, EvidenceSet
from footnote.figures import Contribution, Figure, FigureType, Format, Value, display
from footnote.lineage.shape import Block, Output
from footnote.lineage.tieout import TiedOut, TiedRow
from footnote.operations.result import ResultRow, Table
from footnote.operations.rows import RowReader, from_minor, spoken, typed_value


@dataclass
class TableBuilder:
    """Builds the table of one statement.

    Attributes:
        path: `operation.statement`.
        reader: Notes which rows are cited.
        evidence: Takes definitions and absences.
    """

    catalog: Catalog
    path: str
    statement: Statement
    block: Block
    reader: RowReader
    evidence: EvidenceSet
    digest: str

    def table(self, name: str, tied: TiedOut) -> Table:
        """All rows as figures."""
        return Table(name, self.statement.shape, tuple(self._row(row) for row in tied.rows))

    def _row(self, row: TiedRow) -> ResultRow:
        record = ""
        if self.statement.each:
            record = self.reader.cite(self.statement.each.record, row.grain[0])
        figures = {
            output.name: self._figure(output, self.statement.columns[output.name], row)
            for output in self.block.outputs
            if not self.statement.columns[output.name].hidden
        }
        return ResultRow(figures, record)

    def _figure(self, output: Output, spec: ColumnSpec, row: TiedRow) -> Figure:
        value, format = typed_value(self.catalog, output.name, spec, row.values[output.name], dict(row.values))
        _require_one_currency(self.path, output, spec, format, row)
        cited = [(self._grain_id(key), amount) for key, amount in row.contributions.get(output.name, ())]
        contributions = tuple(self._contribution(output, id, amount, format) for id, amount in cited)
        evidence = self._evidence(output, row, tuple(dict.fromkeys(id for id, _ in cited)))
        return Figure(output.name, value, format, self._shown(value, format), evidence, contributions, output.method)

    def _evidence(self, output: Output, row: TiedRow, cited: tuple[str, ...]) -> tuple[str, ...]:
        if output.method == "row value":
            return self._row_evidence(output, row)
        if output.method == "group":
            rows = tuple(self._grain_id(key) for key in row.grain)
            return (*self._definition(output, row), *rows) or (self._absence(output),)  # a group that a join made up
        return cited or (self._absence(output),)

    def _row_evidence(self, output: Output, row: TiedRow) -> tuple[str, ...]:
        """The rows a value is read from: the grain's own, and joined ones that are records."""
        ids = []
        for source in self.block.sources:
            own = source is self.block.sources[self.block.grain]
            if source.alias in output.tables or (own and not output.tables):
                record = source.record
                key = row.others.get(source.alias, ())
                if record and key and None not in key:
                    ids.append(self.reader.cite(record, key))
        return tuple(dict.fromkeys(ids)) or (self._grain_id(row.grain[0]),)

    def _grain_id(self, key: tuple[object, ...]) -> str:
        record = self.statement.grain or (self.statement.each.record if self.statement.each else "")
        return self.reader.cite(record, key)  # type: ignore[arg-type]  # keys come from rows, so they are values

    def _definition(self, output: Output, row: TiedRow) -> tuple[str, ...]:
        """A group label that the statement makes (an aging bucket) is a definition of the catalog."""
        key = output.expression[1] if output.expression and output.expression[0] == "key" else None
        made = any(check.what == "key" and check.index == key for check in self.block.checks)
        label = row.values[output.name]
        if not made or not isinstance(label, str):
            return ()
        return (self.evidence.add(Definition(f"{self.path}.{output.name}/{quote(label)}", label, self.digest)),)

    def _absence(self, output: Output) -> str:
        record = self.statement.grain or ""
        what = f"No row of {record} counts towards the {spoken(output.name)}."
        return self.evidence.add(Absence(f"{self.path}.{output.name}", what))

    def _contribution(self, output: Output, id: str, amount: object, format: Format) -> Contribution:
        value: Value = amount  # type: ignore[assignment]  # contributions are values of columns or sums of them
        if format.type is FigureType.MONEY and self.statement.columns[output.name].minor_units:
            value = from_minor(value, format.currency)
        shown = self._shown(value, format) if output.method != "count distinct" else str(value)
        return Contribution(id, value, shown)

    def _shown(self, value: Value, format: Format) -> str:
        return display(value, format, self.catalog.display.locale, self.catalog.display.dates)


def _require_one_currency(path: str, output: Output, spec: ColumnSpec, format: Format, row: TiedRow) -> None:
    """Two currencies are never added, and an amount never gets another currency than its rows have."""
    if format.type is not FigureType.MONEY or row.values[output.name] is None:
        return
    found = row.currencies.get(output.name, ())
    if isinstance(spec.currency, CurrencyColumn):  # the statement may give a currency to rows that have none
        found = tuple(code for code in found if code is not None)
    if set(found) - {format.currency}:
        raise TieOutError(
            f"Figure {output.name} of {path} is said to be {format.currency} but its rows are in {_listed(found)}.",
            why="Amounts of two currencies are never added.",
            remedy="Group by the currency column, and name it as the column's `currency`.",
            details={"figure": output.name},
        )


def _listed(codes: tuple[str | None, ...]) -> str:
    return ", ".join(code or "no currency" for code in codes)
