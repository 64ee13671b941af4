"""What the checks share: the catalog with its lines, and how a problem is stated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from footnote.catalog.model import Catalog, Operation, Parameter, Statement
from footnote.catalog.place import LineMap
from footnote.catalog.suggest import did_you_mean
from footnote.errors import CatalogError

Problems = Iterator[CatalogError]

PERIOD_PARTS = ("_from", "_to", "_prior_from", "_prior_to")


@dataclass(frozen=True, slots=True)
class Scope:
    """The catalog and where its values stand."""

    catalog: Catalog
    lines: LineMap

    def problem(self, what: str, *path: str | int, remedy: str = "", why: str = "") -> CatalogError:
        """An error at the line of `path`."""
        place = self.lines.place(*path)
        return CatalogError(what, file=place.file, line=place.line, remedy=remedy, why=why)

    def unknown(self, what: str, name: str, known: Iterable[str], *path: str | int) -> CatalogError:
        """An error about a name that does not exist, with the one that was meant."""
        return self.problem(f"{what}: there is no `{name}`.", *path, remedy=did_you_mean(name, known))


@dataclass(frozen=True, slots=True)
class StatementText:
    """One SQL text of a statement.

    Attributes:
        dialect: The dialect it is written in.
        sql: The text as it stands in the catalog.
        engines: The engines it runs on.
        path: Keys from the statement to it.
    """

    dialect: str
    sql: str
    engines: frozenset[str]
    path: tuple[str, ...]


def statement_texts(catalog: Catalog, statement: Statement) -> tuple[StatementText, ...]:
    """The texts of a statement: one for all engines, or one per dialect; engines without their own get the native one."""
    native = catalog.source.dialect
    if isinstance(statement.statement, str):
        return (StatementText(native, statement.statement, frozenset(catalog.engines), ("statement",)),)
    own: Mapping[str, str] = {str(dialect): sql for dialect, sql in statement.statement.items()}
    others = frozenset(engine for engine in catalog.engines if engine not in own)
    return tuple(
        StatementText(d, sql, frozenset({d}) | (others if d == native else frozenset()), ("statement", d))
        for d, sql in own.items()
    )


def text_for(catalog: Catalog, statement: Statement, engine: str) -> StatementText | None:
    """The text that runs on `engine`, or None if the statement has none for it."""
    return next((text for text in statement_texts(catalog, statement) if engine in text.engines), None)


def placeholders_of(parameter: Parameter) -> tuple[str, ...]:
    """The names after `:` that a parameter binds."""
    if parameter.type == "period":
        return tuple(parameter.name + part for part in PERIOD_PARTS)
    return (parameter.name,)


def is_always_given(parameter: Parameter) -> bool:
    """Whether the parameter has a value in every call: it is required, or has a default."""
    return parameter.is_required or parameter.default is not None


def placeholder_types(operation: Operation) -> dict[str, str]:
    """The type of each placeholder of an operation, as far as the parameter tells."""
    found: dict[str, str] = {}
    for parameter in operation.parameters:
        kind = {"period": "date", "list": parameter.of or "", "currency": "text", "entity": ""}.get(
            parameter.type, parameter.type
        )
        found |= dict.fromkeys(placeholders_of(parameter), kind)
    return found


def declared_columns(catalog: Catalog) -> dict[str, dict[str, str]]:
    """Table -> column -> declared type, where the record types of that table agree."""
    tables: dict[str, dict[str, str]] = {}
    for record in catalog.records.values():
        columns = tables.setdefault(record.table.rpartition(".")[2], {})
        for name, field in record.fields.items():
            if not field.is_column:
                continue
            column, kind = field.column or name, str(field.type)
            columns[column] = kind if columns.get(column, kind) == kind else ""
    return tables
