"""What a slot of a catalog's template stands for in a result.

A slot names, in this order: a column of the row at hand (in a line for each row), a column of a statement of shape
one, a derived figure, a parameter; or, with a dot, `statement.column` or a field of a resolved entity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from footnote.answers.cited import NOT_RECORDED, Cited, Filled, count_text
from footnote.catalog.model import Operation
from footnote.errors import CatalogError
from footnote.evidence import Absence
from footnote.figures import FigureType
from footnote.operations.amounts import row_currency
from footnote.operations.result import Result, ResultRow, Table


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots that one result can fill.

    Attributes:
        operation: What the catalog says about the result.
        cited: The result and its evidence.
        locale: For numbers that Footnote counts itself.
        currency: Which row of a statement with several currencies is meant; empty if there is but one.
        row: In a line for each row: statement, index, row.
    """

    operation: Operation
    cited: Cited
    locale: str
    currency: str = ""
    row: tuple[str, int, ResultRow] | None = None

    @property
    def result(self) -> Result:
        """The result."""
        return self.cited.result

    def at(self, statement: str, index: int) -> Slots:
        """The slots as a line for this row of a statement sees them."""
        row = self.result.tables[statement].rows[index]
        return replace(self, row=(statement, index, row), currency=row_currency(row))

    def currencies(self) -> tuple[str, ...]:
        """The currencies of statements of shape one that have several, in order; `("",)` if none has.

        Raises:
            CatalogError: A statement has several rows, and nothing tells them apart.
        """
        tables = [t for t in self.result.tables.values() if t.shape == "one" and len(t.rows) > 1]
        found = tuple(dict.fromkeys(row_currency(row) for table in tables for row in table.rows))
        if "" in found:
            raise CatalogError(
                f"A statement of {self.result.operation} has several rows, and nothing says their currency.",
                remedy="Give it a money column with a currency, or the shape many.",
            )
        return found or ("",)

    def fill(self, name: str) -> Filled:
        """What the slot stands for.

        Raises:
            CatalogError: It stands for nothing, or for more than one thing.
        """
        head, dot, part = name.partition(".")
        if dot:
            return self._dotted(head, part)
        if self.row is not None and name in self.row[2].figures:
            statement, index, row = self.row
            return self.cited.figure(row.figures[name], f"{statement}[{index}].{name}", row)
        holders = [n for n, s in self.operation.statements.items() if s.shape == "one" and name in s.columns]
        if len(holders) > 1:
            raise self._unfilled(name, f"It is in {' and in '.join(holders)}.")
        if holders:
            return self._column(holders[0], name)
        if name in self.result.derived:
            return self.cited.figure(self.result.derived[name], f"derived.{name}")
        if name in self.operation.derive:
            return self._missing("derive", name, self.operation.derive[name].type)
        if self.operation.parameter(name) is not None:
            return self.cited.argument(name)
        raise self._unfilled(name, "It is neither a column, a derived figure nor a parameter.")

    def _dotted(self, head: str, part: str) -> Filled:
        if any(entity.parameter == head for entity in self.result.entities):
            return self.cited.field(head, part)
        statement = self.operation.statements.get(head)
        if statement is None or part not in statement.columns or statement.shape != "one":
            raise self._unfilled(f"{head}.{part}", f"{head} has no such figure.")
        return self._column(head, part)

    def _column(self, statement: str, name: str) -> Filled:
        table = self.result.tables.get(statement)
        if table is None:
            raise self._unfilled(name, f"The result has no statement {statement}.")
        index = self._row_index(table)
        if index is None and table.rows and not self.currency:
            raise self._unfilled(name, f"{statement} has several rows, and nothing says which is meant.")
        if index is None:
            return self._missing(statement, name, self.operation.statements[statement].columns[name].type)
        row = table.rows[index]
        if name not in row.figures:
            raise self._unfilled(name, "The column is hidden from readers.")
        place = f"{statement}[{index}]" if len(table.rows) > 1 else statement
        return self.cited.figure(row.figures[name], f"{place}.{name}", row)

    def _row_index(self, table: Table) -> int | None:
        """The row of the currency at hand; the only row where rows are not split by currency."""
        currencies = [row_currency(row) for row in table.rows]
        if self.currency and self.currency in currencies:
            return currencies.index(self.currency)
        if len(table.rows) == 1 and (not self.currency or not currencies[0]):
            return 0
        return None

    def _missing(self, statement: str, name: str, type: FigureType) -> Filled:
        """A statement without a row: a count is 0, anything else is not there; the absence is the evidence."""
        wanted = f" in {self.currency}" if self.currency else ""
        path = f"{self.result.operation}.{statement}.{name}" + (f".{self.currency}" if self.currency else "")
        evidence = (Absence(path, f"{statement} has no row{wanted} for {name}.", self.result.id),)
        if type is FigureType.COUNT:
            return Filled(count_text(0, self.locale), evidence, number=0)
        return Filled(NOT_RECORDED, evidence)

    def _unfilled(self, name: str, why: str) -> CatalogError:
        return CatalogError(
            f"The slot {{{name}}} of {self.result.operation} cannot be filled.",
            why=why,
            remedy="Name a column of a statement of shape one, a derived figure, a parameter or an entity's field.",
        )


def slots_of(operation: Operation, result: Result, locale: str) -> Slots:
    """The slots that a result can fill."""
    return Slots(operation, Cited.of(result), locale)
