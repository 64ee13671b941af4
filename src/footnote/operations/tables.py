"""Tied-out rows become tables of figures, each with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import quote

from footnote.catalog.model import Catalog, ColumnSpec, CurrencyColumn, Statement
from footnote.errors import FigureError, TieOutError
from footnote.evidence import Absence, Definition, EvidenceSet
from footnote.figures import (
    Contribution,
    Figure,
    FigureType,
    Format,
    RowsBehind,
    Value,
    check_value,
    display,
    display_quotient,
    exact_text,
)
from footnote.lineage.compare import Key
from footnote.lineage.expressions import alone_in, is_of_subs
from footnote.lineage.rowset import Extent
from footnote.lineage.shape import Block, Output
from footnote.lineage.tied import TiedOut, TiedRow
from footnote.operations.levels import Levels, Show
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

    @property
    def levels(self) -> Levels:
        """Cites what figures rest on."""
        record = self.statement.grain or (self.statement.each.record if self.statement.each else "")
        return Levels(self.path, record, self.reader.cite, self.evidence)  # type: ignore[arg-type]  # keys are values

    def table(self, name: str, tied: TiedOut) -> Table:
        """All rows as figures."""
        return Table(name, self.statement.shape, tuple(self._row(row) for row in tied.rows))

    def _row(self, row: TiedRow) -> ResultRow:
        record = ""
        if self.statement.each:
            record = self._row_id(row, row.grain[0])
        figures = {
            output.name: self._figure(output, self.statement.columns[output.name], row)
            for output in self.block.outputs
            if not self.statement.columns[output.name].hidden
        }
        return ResultRow(figures, record, row.rows, self._terms(row) if record and not self.block.aggregated else {})

    def _terms(self, row: TiedRow) -> dict[str, tuple[str, ...]]:
        """Of each figure that is computed: the other rows whose amount is a term of it, such as a customer's credit."""
        found = {output.name: self._terms_of(output, row) for output in self.block.outputs if output.expression}
        return {name: ids for name, ids in found.items() if ids}

    def _terms_of(self, output: Output, row: TiedRow) -> tuple[str, ...]:
        ids = []
        own = self.block.sources[self.block.grain].alias
        aliases = {self.block.base[place].alias for place in alone_in(output.expression or ["null"], "col")}
        for source in self.block.sources:
            key = row.others.get(source.alias, ())
            if source.alias in aliases - {own} and source.record and key and None not in key:
                ids.append(self.reader.cite(source.record, key))
        for parts in list(row.parts.values())[:1] if output.alone else ():
            for sub in output.alone:
                ids += self.levels.rows_of(parts[self.block.link_of(sub)])
        return tuple(dict.fromkeys(ids))

    def _figure(self, output: Output, spec: ColumnSpec, row: TiedRow) -> Figure:
        value, format = typed_value(self.catalog, output.name, spec, row.values[output.name], dict(row.values))
        _require_one_currency(self.path, output, spec, format, row)
        method = self.levels.method(self.block, output, row) if self.block.links else output.method

        def show(amount: Value) -> tuple[Value, str]:
            if format.type is FigureType.MONEY and spec.minor_units:
                amount = from_minor(amount, format.currency)
            fits = method != "count distinct" and _is_of(format.type, amount)
            return amount, self._shown(amount, format) if fits else str(exact_text(amount))

        contributions = self.levels.contributions(self.block, output, row, show)
        cited = tuple(dict.fromkeys(contribution.evidence for contribution in contributions))
        evidence = self._evidence(output, row, cited)
        decided: tuple[str, ...] = ()
        if self.block.links:
            evidence = tuple(dict.fromkeys((*evidence, *_below(contributions))))
            decided = self.levels.decided(self.block, row)
        rows = self._rows_behind(row.extents.get(output.name), show)
        shown = self._shown(value, format, quotient=method == "average")
        return Figure(output.name, value, format, shown, evidence, contributions, method, decided, rows)

    def _rows_behind(self, extent: Extent | None, show: Show) -> RowsBehind | None:
        if extent is None or extent.plus is None or extent.minus is None:
            return None if extent is None else RowsBehind(extent.count)
        (plus, plus_shown), (minus, minus_shown) = show(extent.plus), show(extent.minus)
        assert isinstance(plus, int | Decimal)  # noqa: S101 - sums of numbers are numbers
        assert isinstance(minus, int | Decimal)  # noqa: S101
        return RowsBehind(extent.count, plus, minus, plus_shown, minus_shown)

    def _evidence(self, output: Output, row: TiedRow, cited: tuple[str, ...]) -> tuple[str, ...]:
        if output.method == "row value":
            return self._row_evidence(output, row)
        if output.method == "group":
            rows = tuple(self._row_id(row, key) for key in row.grain)
            return (*self._definition(output, row), *rows) or (self._absence(output),)  # a group that a join made up
        return cited or (self._absence(output),)

    def _row_evidence(self, output: Output, row: TiedRow) -> tuple[str, ...]:
        """The rows a value is read from: the grain's own, joined ones that are records, and those of inner queries."""
        ids = []
        inner = output.expression is not None and is_of_subs(output.expression)
        for source in () if inner else self.block.sources:
            own = source is self.block.sources[self.block.grain]
            if not source.inner and (source.alias in output.tables or (own and not output.tables)):
                key = row.others.get(source.alias, ())
                if source.record and key and None not in key:
                    ids.append(self.reader.cite(source.record, key))
        ids += self.levels.evidence_of(self.block, output, row) if self.block.links else ()
        return tuple(dict.fromkeys(ids)) or (self._row_id(row, row.grain[0]),)

    def _row_id(self, row: TiedRow, key: Key) -> str:
        return self.levels.row_id(self.block, row, key)

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

    def _shown(self, value: Value, format: Format, *, quotient: bool = False) -> str:
        show = display_quotient if quotient else display
        return show(value, format, self.catalog.display.locale, self.catalog.display.dates)


def _below(contributions: Iterable[Contribution]) -> Iterator[str]:
    """Ids of contributions and of all that they are made of."""
    for contribution in contributions:
        yield contribution.evidence
        yield from _below(contribution.items)


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


def _is_of(type: FigureType, amount: Value) -> bool:
    """Whether an amount is of the figure's type; what is behind a count may be an amount of money that decided it."""
    try:
        check_value(amount, type)
    except FigureError:
        return False
    return True
