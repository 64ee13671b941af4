"""The catalog as a checked model: what may be asked of a source.

The classes mirror the file key by key; unknown keys are errors. Cross references (does this operation's grain exist?)
are checked in `catalog.check`, SQL in `catalog.statements`; reading files with line numbers is `catalog.load`.
The JSON Schema of the format is generated from these classes.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from footnote.figures import FigureType

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
"""A name that MCP clients, SQL placeholders and templates all accept."""


def _iso_date(value: object) -> object:
    """Only `2026-08-14` is a date; pydantic alone would read a number as seconds since 1970."""
    if isinstance(value, dt.date) or (isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)):
        return value
    raise ValueError("A date is written 2026-08-14")


IsoDate = Annotated[dt.date, BeforeValidator(_iso_date)]
Whole = Annotated[int, Field(strict=True)]
"""An integer; neither true nor a text with digits in it."""
Truth = Annotated[bool, Field(strict=True)]
"""true or false; neither a number nor a word."""

Dialect = Literal["postgres", "sqlite", "mysql", "duckdb"]
ParameterType = Literal[
    "text", "integer", "decimal", "boolean", "date", "datetime", "period", "currency", "entity", "list"
]


class Model(BaseModel):
    """Base: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_enum_values=False)


class CurrencyColumn(Model):
    """The currency of a money column stands in another column of the same row."""

    column: str = Field(min_length=1)


Currency = Annotated[str, StringConstraints(pattern=r"^([A-Z]{3}|company)$")] | CurrencyColumn
"""An ISO 4217 code, `company` for the company's own (`company.currency`), or the column that has it."""


class ColumnSpec(Model):
    """The type of one column: what a value means and how it is shown."""

    type: FigureType
    unit: str = ""
    scale: Whole | None = Field(default=None, ge=0, le=12, description="Decimals shown; the value itself stays exact.")
    minor_units: Truth = Field(default=False, description="The database stores whole minor units (cents).")
    currency: Currency | None = None
    sign: Literal["", "debit_positive", "credit_positive"] = ""
    label: str = ""
    hidden: Truth = Field(
        default=False, description="Needed by the statement (a key, a currency), not shown to readers."
    )
    identifier: Truth = Field(
        default=False, description="An integer that names something, such as a number of a customer: never grouped."
    )


class FieldLookup(Model):
    """A field of the record that a column of this one refers to: the customer's name on an invoice."""

    record: Name = Field(description="The record type referred to; its key is one column.")
    by: str = Field(min_length=1, description="The database column of this table that holds its key.")
    field: Name = Field(description="Which of its fields.")


class FieldSpec(ColumnSpec):
    """A field of a record type: a column of its table, a row expression (`sql`), or a field of another (`lookup`)."""

    column: str = Field(default="", description="Name of the database column where it differs from the field's name.")
    sql: str = ""
    lookup: FieldLookup | None = None

    @property
    def is_column(self) -> bool:
        """Whether the value is what one column of the table holds."""
        return not self.sql and self.lookup is None


class RecordType(Model):
    """A table whose rows can be evidence."""

    table: str = Field(min_length=1)
    key: list[str] = Field(min_length=1)
    label: str
    link: str = ""
    title: str = ""
    fields: dict[Name, FieldSpec]


class Entity(Model):
    """A kind of thing a parameter can name; resolved against the source before any statement runs."""

    record: Name
    match: list[Name] = Field(min_length=1, description="Fields a name may stand in; the first is usually the number.")
    order: Name | None = Field(default=None, description="Field that gives the record order; default: the key.")
    legal_forms: list[str] = Field(default_factory=list, description="Company suffixes ignored beside the usual ones.")


class Parameter(Model):
    """One typed argument of an operation."""

    name: Name
    type: ParameterType
    description: str
    of: Literal["text", "integer", "decimal", "date", "currency"] | None = Field(
        default=None, description="Items of a list."
    )
    entity: Name | None = None
    calendar: Name | None = None
    default: Any = None
    required: Truth | None = Field(default=None, description="Default: true unless there is a default.")
    allowed_values: list[Any] = Field(default_factory=list)
    min_value: Whole | Decimal | str | None = None
    max_value: Whole | Decimal | str | None = None

    @property
    def is_required(self) -> bool:
        """Whether a call without it is an error."""
        return self.default is None if self.required is None else self.required


class AsOf(Model):
    """Which parameter says "as of when", and whether balances are today's or as they were."""

    parameter: Name
    basis: Literal["current", "reconstructed"]


class Each(Model):
    """A result row is a record: label, link, drill-down."""

    record: Name
    key: Name | list[Name]

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the statement that hold the record's key."""
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)


class HandEvidence(Model):
    """Where the rows behind a statement's figures cannot be derived: SQL by hand that returns them, tied out like the rest.

    One row of it is one row of the grain, with the columns of the statement under the same names: those that say which
    result row it belongs to, and for each figure the value it gives to it.
    """

    sql: str
    key: Name | list[Name] = Field(description="Columns of the SQL that hold the key of the grain.")
    groups: list[Name] = Field(default_factory=list, description="Columns that say which result row a row belongs to.")
    figures: dict[Name, Literal["sum", "count", "sum distinct", "count distinct", "minimum", "maximum", "average"]] = (
        Field(min_length=1, description="How each figure is made of the values in the column of its name.")
    )

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the SQL that hold the grain's key."""
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)


class Statement(Model):
    """One SELECT: its shape, its grain, its typed columns."""

    shape: Literal["one", "many"]
    each: Each | None = None
    grain: Name | None = None
    totals_of: Name | None = None
    statement: str | dict[Dialect, str]
    columns: dict[str, ColumnSpec]
    evidence: HandEvidence | None = None


class Check(Model):
    """A control check: two expressions over figures that must be equal."""

    equal: Annotated[list[str], Field(min_length=2, max_length=2)]
    say: str


class Derived(ColumnSpec):
    """A figure computed exactly from other figures of the same result."""

    expression: str


class Empty(Model):
    """When a result counts as empty, and what to say then."""

    when: str
    reason: str


class Items(Model):
    """A line of the answer for each row of a statement."""

    of: Name
    say: str
    most: Whole = Field(default=12, ge=1, le=200)


class AnswerTemplate(Model):
    """Text with slots: one sentence or paragraph, then a line per row."""

    say: str
    items: Items | None = None


class Chart(Model):
    """How a host may draw the result; it draws only figures the result has."""

    kind: Literal["bar", "line"]
    of: Name
    label: Name
    series: list[Name]


class Operation(Model):
    """One thing that may be asked."""

    title: str
    description: str
    parameters: list[Parameter] = Field(default_factory=list)
    as_of: AsOf | None = None
    statements: dict[Name, Statement] = Field(min_length=1)
    checks: list[Check] = Field(default_factory=list)
    derive: dict[Name, Derived] = Field(default_factory=dict)
    empty: Empty | None = None
    answer: str | AnswerTemplate
    ask: list[str] = Field(default_factory=list, description="Words and phrases for the keyless router.")
    chart: Chart | None = None
    max_rows: Whole = Field(
        default=500, ge=1, le=10_000, description="Rows of a statement returned to a caller; more is an error."
    )
    max_contributions: Whole = Field(
        default=20_000_000, ge=1, description="Rows that the figures of a statement may rest on; more is an error."
    )

    @property
    def template(self) -> AnswerTemplate:
        """The answer as a template with optional items."""
        return AnswerTemplate(say=self.answer) if isinstance(self.answer, str) else self.answer

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name."""
        return next((p for p in self.parameters if p.name == name), None)


class Premise(Model):
    """A fact an interpretation rests on: an operation, when it counts, and how it is said."""

    operation: Name
    when: str
    say: str
    context: Truth = Field(default=False, description="Stated beside the premises, not counted as one of them.")


class Interpretation(Model):
    """A conclusion marked as interpretation, then each premise as its own cited fact."""

    title: str
    description: str
    parameters: list[Name] = Field(description="Parameters of its operations that a caller gives.")
    conclusion: str
    otherwise: str = Field(description="Said when no premise holds.")
    premises: list[Premise] = Field(min_length=1)
    ask: list[str] = Field(default_factory=list)


class SourceSpec(Model):
    """Where the data are and which engines the catalog's figures are the same on."""

    url: str
    dialect: Dialect
    engines: list[Dialect] = Field(default_factory=list)
    timeout: str = Field(default="30s", pattern=r"^\d+(ms|s|m)$")
    time_zone: str = "UTC"

    @property
    def timeout_seconds(self) -> float:
        """The time limit of one statement in seconds."""
        for suffix, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0)):
            if self.timeout.endswith(suffix):
                return float(self.timeout.removesuffix(suffix)) * factor
        raise AssertionError(self.timeout)  # the pattern above leaves nothing else


class Display(Model):
    """How figures are shown."""

    locale: str = "en-US"
    dates: Literal["iso", "locale"] = "iso"


class Calendar(Model):
    """A fiscal calendar: the last month and day of its year (`12-31`)."""

    year_end: str = Field(pattern=r"^\d{2}-\d{2}$")


class Company(Model):
    """What holds for the whole source."""

    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]


class Access(Model):
    """Role and row rules. Parsed; a catalog that would restrict anything is refused until they are enforced."""

    roles: dict[str, dict[str, str]] = Field(default_factory=dict)
    allow: dict[str, list[str]] = Field(default_factory=dict)
    rows: dict[str, dict[str, str]] = Field(default_factory=dict)


class Catalog(Model):
    """One catalog file."""

    catalog: Name
    extends: str = Field(default="", description="A pack (`pack:odoo`) or a file that this one adds to or overrides.")
    version: Whole = Field(ge=1)
    title: str = ""
    notice: str = Field(default="", description="Said wherever the data are shown, such as that they are fictional.")
    source: SourceSpec
    display: Display = Display()
    today: IsoDate | None = None
    company: Company | None = None
    calendars: dict[Name, Calendar] = Field(default_factory=dict)
    records: dict[Name, RecordType]
    entities: dict[Name, Entity] = Field(default_factory=dict)
    operations: dict[Name, Operation] = Field(min_length=1)
    interpretations: dict[Name, Interpretation] = Field(default_factory=dict)
    toolsets: dict[Name, list[Name]] = Field(default_factory=dict)
    access: Access = Access()
    examples: list[str] = Field(default_factory=list, description="Questions a host offers to start with.")

    @property
    def engines(self) -> tuple[str, ...]:
        """Every engine the catalog declares, its native dialect first."""
        return tuple(dict.fromkeys((self.source.dialect, *self.source.engines)))
