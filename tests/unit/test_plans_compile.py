"""Statements compiled for a schema: what they are for an engine, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import yaml

from footnote.catalog.load import load_catalog
from footnote.errors import SourceChanged, StatementRefused, Untraceable
from footnote.plans.columns import Columns
from footnote.plans.compile import Address, compile_statement, tables_of
from footnote.plans.shape import StatementPlan
from footnote.sources.source import ColumnSchema, TableSchema

MONEY = {"type": "money", "currency": "EUR"}
CENTS = {"type": "money", "minor_units": True, "currency": {"column": "currency"}}


def table(
    name: str,
    columns: Mapping[str, str],
    key: tuple[str, ...] = ("id",),
    *,
    schema: str = "public",
    unique: tuple[tuple[str, ...], ...] = (),
    nullable: tuple[str, ...] = (),
    view: bool = False,
) -> TableSchema:
    shapes = tuple(ColumnSchema(column, kind, column in nullable) for column, kind in columns.items())
    return TableSchema(schema, name, shapes, key, unique, view)


INVOICE = {
    "id": "integer",
    "number": "text",
    "due": "date",
    "kind": "character(2)",
    "currency": "text",
    "amount": "bigint",
    "fee": "numeric",
    "move": "integer",
}
TABLES = {
    "invoices": table("invoices", INVOICE),
    "moves": table("moves", {"id": "integer", "total": "numeric", "label": "citext"}),
    "loose": table("loose", {"a": "integer", "b": "integer"}, ()),
    "keyed": table("keyed", {"a": "integer", "b": "integer"}, (), unique=(("b", "a"),)),
    "half": table("half", {"a": "integer", "b": "integer"}, (), unique=(("a",),), nullable=("a",)),
    "seen": table("seen", {"id": "integer"}, (), view=True),
}
RECORDS: dict[str, Any] = {
    "invoice": {
        "table": "invoices",
        "key": ["id"],
        "label": "{number}",
        "fields": {
            "number": {"type": "text"},
            "due": {"type": "date"},
            "currency": {"type": "text"},
            "amount": CENTS,
            "fee": MONEY,
        },
    },
    "move": {"table": "moves", "key": ["id"], "label": "{id}", "fields": {"total": MONEY}},
}


def plan(
    sql: str,
    columns: Mapping[str, Any],
    *,
    grain: str = "invoice",
    shape: str = "one",
    each: str = "",
    parameters: list[dict[str, Any]] | None = None,
    present: tuple[str, ...] = (),
    engine: str = "postgres",
    engines: tuple[str, ...] = ("postgres", "sqlite"),
    records: Mapping[str, Any] | None = None,
    tables: Mapping[str, TableSchema] | None = None,
) -> StatementPlan:
    statement: dict[str, Any] = {"shape": shape, "grain": grain, "statement": sql, "columns": dict(columns)}
    if each:
        statement["each"] = {"record": grain, "key": each}
    catalog = {
        "catalog": "small",
        "version": 1,
        "company": {"currency": "EUR"},
        "source": {"url": "x", "dialect": "postgres", "engines": list(engines)},
        "records": dict(RECORDS if records is None else records),
        "operations": {
            "ask": {
                "title": "t",
                "description": "d",
                "answer": "a",
                "parameters": [{"description": "d"} | parameter for parameter in parameters or []],
                "statements": {"s": statement},
            }
        },
    }
    loaded = load_catalog(yaml.safe_dump(catalog, sort_keys=False), environ={}, file_name="small.yaml")
    known = Columns.of(loaded.catalog, engine, dict(TABLES if tables is None else tables))
    return compile_statement(Address(loaded, "ask", "s"), frozenset(present), known)


COUNT = {"many": {"type": "count"}}

# --- optional segments ------------------------------------------------------------------------------------------------

PERIOD = [
    {"name": "when", "type": "period", "required": False},
    {"name": "least", "type": "integer", "required": False},
]
BY_PERIOD = (
    "SELECT COUNT(*) AS many FROM invoices WHERE TRUE "
    "[[AND due BETWEEN :when_from AND :when_to]] [[AND amount > :least]]"
)


def test_an_optional_period_that_is_given_stays() -> None:
    found = plan(BY_PERIOD, COUNT, parameters=PERIOD, present=("when",))
    assert found.statement.parameters == ("when_from", "when_to")
    assert found.witness is not None
    assert found.witness.parameters == ("when_from", "when_to")


def test_what_is_absent_is_left_out() -> None:
    assert plan(BY_PERIOD, COUNT, parameters=PERIOD).statement.parameters == ()
    assert plan(BY_PERIOD, COUNT, parameters=PERIOD, present=("least",)).statement.parameters == ("least",)


def test_a_table_in_an_optional_segment_is_looked_up() -> None:
    text = """
catalog: small
version: 1
source: {url: "x", dialect: postgres}
records: {invoice: {table: invoices, key: [id], label: "{id}", fields: {id: {type: integer}}}}
operations:
  ask:
    title: t
    description: d
    answer: a
    parameters: [{name: when, type: period, required: false, description: d}]
    statements:
      s:
        shape: one
        grain: invoice
        columns: {many: {type: count}}
        statement: SELECT COUNT(*) AS many FROM invoices i [[JOIN Moves m ON m.id = i.move AND i.due >= :when_from]]
"""
    assert tables_of(load_catalog(text, environ={}), "postgres") == ("invoices", "moves")


# --- amounts keep unit and currency -----------------------------------------------------------------------------------


def test_cents_are_not_relabelled_as_euros() -> None:
    columns = {"currency": {"type": "text"}, "total": {"type": "money", "currency": {"column": "currency"}}}
    with pytest.raises(Untraceable, match=r"small\.yaml:.*'total' is said to be in whole units"):
        plan("SELECT currency, SUM(amount) AS total FROM invoices GROUP BY currency", columns)


def test_euros_are_not_relabelled_as_cents() -> None:
    with pytest.raises(Untraceable, match="minor units"):
        plan("SELECT SUM(fee) AS total FROM invoices", {"total": MONEY | {"minor_units": True}})


def test_a_factor_may_make_euros_of_cents() -> None:
    columns = {"currency": {"type": "text"}, "total": {"type": "money", "currency": {"column": "currency"}}}
    plan("SELECT currency, SUM(amount * 0.01) AS total FROM invoices GROUP BY currency", columns)


def test_an_amount_in_euros_is_not_relabelled_as_dollars() -> None:
    with pytest.raises(Untraceable, match="said to be in USD, and what it is made of is in EUR"):
        plan("SELECT SUM(fee) AS total FROM invoices", {"total": {"type": "money", "currency": "USD"}})


def test_the_company_s_currency_is_a_currency() -> None:
    plan("SELECT SUM(fee) AS total FROM invoices", {"total": {"type": "money", "currency": "company"}})


def test_each_amount_is_held_to_the_currency_of_its_own_column() -> None:
    sql = "SELECT currency, SUM(amount) AS total, SUM(fee) AS fees FROM invoices GROUP BY currency"
    block = plan(sql, {"currency": {"type": "text"}, "total": CENTS, "fees": MONEY}).block
    total, fees = block.outputs[1:]
    (place,) = total.currencies
    assert isinstance(place, int)
    assert block.base[place].column == "currency"
    assert fees.currencies == ("EUR",)


# --- names ------------------------------------------------------------------------------------------------------------


def test_tables_carry_their_schema_and_names_are_quoted() -> None:
    odd = {
        "id": "integer",
        "Select": "numeric",
        "group": "integer",
    }
    tables = {"a-b": table("a-b", odd, schema="Sales"), "sales.a-b": table("a-b", odd, schema="Sales")}
    records = {"odd": {"table": "a-b", "key": ["id"], "label": "{id}", "fields": {"id": {"type": "integer"}}}}
    sql = 'SELECT x."group" AS "group", SUM(x."Select") AS total FROM "a-b" x GROUP BY x."group"'
    found = plan(
        sql + ' ORDER BY "group"',
        {"group": {"type": "integer"}, "total": {"type": "decimal"}},
        shape="many",
        grain="odd",
        records=records,
        tables=tables,
    )
    assert 'FROM "Sales"."a-b" AS "x"' in found.statement.sql
    assert 'SUM("x"."Select")' in found.statement.sql


def test_a_table_may_be_named_by_its_quoted_name() -> None:
    tables = {"Bills": table("Bills", {"id": "integer", "Amount": "integer"})}
    records = {"bill": {"table": "Bills", "key": ["id"], "label": "{id}", "fields": {"id": {"type": "integer"}}}}
    sql = 'SELECT SUM("Bills"."Amount") AS total FROM "Bills"'
    for engine in ("postgres", "sqlite"):
        found = plan(sql, {"total": {"type": "integer"}}, grain="bill", records=records, tables=tables, engine=engine)
        assert "SUM(" in found.statement.sql


def test_one_table_by_two_names_is_one_table() -> None:
    tables = {"invoices": TABLES["invoices"], "public.invoices": TABLES["invoices"]}
    records = {"invoice": RECORDS["invoice"] | {"table": "public.invoices"}}
    found = plan("SELECT COUNT(*) AS many FROM invoices", COUNT, records=records, tables=tables)
    assert found.block.sources[0].table == "public.invoices"
    assert found.block.sources[0].record == "invoice"


def test_an_unquoted_name_is_read_as_postgres_reads_it() -> None:
    plan("SELECT COUNT(*) AS many FROM Invoices", COUNT)


@pytest.mark.parametrize(
    "sql",
    ["SELECT COUNT(*) AS many FROM invoices JOIN nowhere n ON TRUE", "SELECT COUNT(nothing) AS many FROM invoices"],
)
def test_a_name_that_the_source_does_not_have_is_said(sql: str) -> None:
    tables = {**TABLES}
    with pytest.raises((SourceChanged, StatementRefused), match=r"nowhere|not in the source"):
        plan(sql, COUNT, tables=tables)


# --- keys -------------------------------------------------------------------------------------------------------------


def join(name: str, on: str) -> str:
    return f"SELECT COUNT(*) AS many FROM invoices i JOIN {name} x ON {on}"


def test_a_table_without_a_key_is_refused() -> None:
    with pytest.raises(Untraceable, match="no primary key"):
        plan(join("loose", "x.a = i.id"), COUNT)


def test_a_view_is_refused() -> None:
    with pytest.raises(Untraceable, match="view"):
        plan(join("seen", "x.id = i.id"), COUNT)


def test_another_key_will_do_unless_null_can_be_in_it() -> None:
    assert plan(join("keyed", "x.a = i.id"), COUNT).block.sources[1].key == ("b", "a")
    with pytest.raises(Untraceable, match="no primary key"):
        plan(join("half", "x.a = i.id"), COUNT)


def test_rows_are_known_by_the_key_of_their_record_type() -> None:
    """The primary key might be another, or in another order; another row would be cited."""
    tables = {"pairs": table("pairs", {"a": "integer", "b": "text"}, ("a", "b"))}
    records = {"pair": {"table": "pairs", "key": ["b", "a"], "label": "{a}", "fields": {"a": {"type": "integer"}}}}
    found = plan("SELECT COUNT(*) AS many FROM pairs", COUNT, grain="pair", records=records, tables=tables)
    assert found.block.sources[0].key == ("b", "a")
    assert found.witness is not None
    assert [c.type.value for c in found.witness.columns[:2]] == ["text", "integer"]


# --- what cannot be traced --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("SUM(amount) / 2", "cannot be recomputed"),
        ("SUM(amount) * SUM(amount)", "not a sum"),
        ("CASE WHEN SUM(amount) > 0 THEN SUM(amount) ELSE 0 END", "not a sum"),
        ("MIN(amount) + MAX(amount)", "mixes maximum and minimum"),
        ("AVG(DISTINCT amount)", "DISTINCT"),
        ("COUNT(DISTINCT move) + COUNT(*)", "mixes"),
    ],
)
def test_a_figure_that_is_no_sum_of_contributions_is_refused(expression: str, reason: str) -> None:
    with pytest.raises(Untraceable, match=reason):
        plan(f"SELECT {expression} AS total FROM invoices", {"total": {"type": "integer"}}, engines=("postgres",))


def test_the_smallest_of_texts_is_refused() -> None:
    with pytest.raises(Untraceable, match="minimum of texts"):
        plan("SELECT MIN(number) AS first FROM invoices", {"first": {"type": "text"}})


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE x AS (SELECT id FROM moves) SELECT COUNT(*) AS many FROM x JOIN invoices i ON i.id = x.id",
        "SELECT COUNT(*) AS many FROM moves m, (SELECT id FROM invoices) AS x, (SELECT id FROM invoices) AS y",
        "SELECT COUNT(*) AS many FROM (SELECT id FROM invoices) AS x JOIN invoices ON TRUE",
        "SELECT COUNT(*) AS many FROM invoices a JOIN invoices b ON a.id = b.move",
    ],
)
def test_what_cannot_be_traced_is_refused_with_its_place(sql: str) -> None:
    with pytest.raises((Untraceable, StatementRefused), match=r"small\.yaml:\d+: "):
        plan(sql, COUNT)


# --- what is checked outside the engine -------------------------------------------------------------------------------


def test_conditions_of_inner_joins_are_checked_row_by_row_and_those_of_outer_joins_are_not() -> None:
    inner = plan("SELECT COUNT(*) AS many FROM invoices i JOIN moves m ON m.id = i.move AND m.total > 0", COUNT)
    outer = plan("SELECT COUNT(*) AS many FROM invoices i LEFT JOIN moves m ON m.id = i.move AND m.total > 0", COUNT)
    assert [check.expression[0] for check in inner.block.checks] == [">"]
    assert outer.block.checks == ()


def test_blanks_at_the_end_of_fixed_length_text_do_not_count() -> None:
    found = plan("SELECT COUNT(*) AS many FROM invoices WHERE kind = 'a'", COUNT)
    assert found.block.checks[0].expression == ["=", ["padded", ["col", 0]], ["text", "a"]]


CASELESS = {
    "moves": replace(
        table("moves", {"id": "integer", "total": "numeric"}),
        columns=(
            ColumnSchema("id", "integer", False),
            ColumnSchema("total", "numeric", True),
            ColumnSchema("Label", "text", True, "NOCASE"),
        ),
    ),
    "invoices": TABLES["invoices"],
}


@pytest.mark.parametrize(
    "rest",
    [
        "WHERE m.label = 'A'",
        "WHERE m.label <> 'a'",
        "WHERE m.label IN ('a', 'b')",
        "WHERE m.label NOT IN ('a', 'b')",
        "WHERE m.label < 'b'",
        "WHERE m.label BETWEEN 'a' AND 'b'",
        "WHERE 'a' = COALESCE(m.label, '')",
        "WHERE CASE m.label WHEN 'a' THEN TRUE ELSE FALSE END",
        "WHERE NULLIF(m.label, 'a') IS NULL",
        "WHERE (m.label = 'a') IS NULL",
        "WHERE starts_with(m.label, 'a')",
        "JOIN invoices i ON i.number = m.label",
        "JOIN invoices i ON i.id = m.id AND m.label = 'a'",
        "HAVING COUNT(DISTINCT m.label) > 1",
    ],
)
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_column_that_holds_different_texts_for_equal_is_not_compared(rest: str, engine: str) -> None:
    tables = CASELESS if engine == "sqlite" else TABLES
    with pytest.raises(StatementRefused, match=r"compares label, whose collation is (NOCASE|citext)") as caught:
        plan(f"SELECT COUNT(m.id) AS many FROM moves m {rest}", COUNT, grain="move", engine=engine, tables=tables)
    assert "status code" in caught.value.remedy


@pytest.mark.parametrize(
    "aggregate",
    ["COUNT(DISTINCT m.label)", "SUM(CASE WHEN m.label = 'a' THEN 1 ELSE 0 END)", "COUNT(NULLIF(label, 'a'))"],
)
def test_an_aggregate_does_not_compare_such_a_column_either(aggregate: str) -> None:
    with pytest.raises(StatementRefused, match="compares label"):
        plan(f"SELECT {aggregate} AS many FROM moves m", COUNT, grain="move", engine="sqlite", tables=CASELESS)


def test_no_list_is_grouped_by_such_a_column() -> None:
    columns = {"label": {"type": "text"}} | COUNT
    sql = "SELECT m.label, COUNT(*) AS many FROM moves m GROUP BY m.label ORDER BY m.label"
    with pytest.raises(StatementRefused, match="compares label"):
        plan(sql, columns, grain="move", shape="many", engine="sqlite", tables=CASELESS)


def test_such_a_column_may_be_shown_counted_and_looked_for() -> None:
    columns = {"id": {"type": "integer"}, "label": {"type": "text"}}
    sql = "SELECT m.id, m.label FROM moves m WHERE m.label IS NOT NULL ORDER BY m.label, m.id"
    plan(sql, columns, grain="move", shape="many", each="id", engine="sqlite", tables=CASELESS)
    plan("SELECT COUNT(m.label) AS many FROM moves m", COUNT, grain="move", engine="sqlite", tables=CASELESS)


# --- SQLite -----------------------------------------------------------------------------------------------------------


def test_sqlite_compares_dates_as_dates() -> None:
    parameters = [{"name": "asOf", "type": "date"}]
    sql = "SELECT COUNT(*) AS many FROM invoices WHERE due <= :asOf"
    found = plan(sql, COUNT, parameters=parameters, present=("asOf",), engine="sqlite")
    assert 'COALESCE(DATE("invoices"."due"), "invoices"."due") <= :asOf' in found.statement.sql
    assert "DATE" not in plan(sql, COUNT, parameters=parameters, present=("asOf",)).statement.sql.replace("AS DATE", "")


def test_sqlite_does_not_compare_a_text_with_a_date() -> None:
    sql = "SELECT COUNT(*) AS many FROM moves WHERE label <= :asOf"
    tables = {"moves": table("moves", {"id": "integer", "total": "numeric", "label": "text"})}
    with pytest.raises(StatementRefused, match="compares a text with what is none"):
        plan(
            sql,
            COUNT,
            grain="move",
            parameters=[{"name": "asOf", "type": "date"}],
            present=("asOf",),
            engine="sqlite",
            records={"move": RECORDS["move"]},
            tables=tables,
        )


def test_sqlite_does_not_add_decimals_up() -> None:
    found = plan("SELECT SUM(fee) AS total FROM invoices", {"total": MONEY}, engine="sqlite")
    assert not found.block.aggregates[0].exact
    assert plan("SELECT SUM(fee) AS total FROM invoices", {"total": MONEY}).block.aggregates[0].exact


def test_a_group_that_may_mean_two_things_is_refused() -> None:
    columns = {"due": {"type": "text"}, "total": {"type": "integer"}}
    sql = "SELECT month_of(due) AS due, SUM(move) AS total FROM invoices GROUP BY {} ORDER BY 1"
    with pytest.raises(StatementRefused, match="GROUP BY due may mean"):
        plan(sql.format("due"), columns, shape="many")
    plan(sql.format("month_of(due)"), columns, shape="many")
    plan(sql.format("1"), columns, shape="many")


# --- days and moments -------------------------------------------------------------------------------------------------

CALLS = {
    "calls": table("calls", {"id": "integer", "at": "timestamp with time zone", "day": "date", "noted": "timestamp"})
}
CALL = {"call": {"table": "calls", "key": ["id"], "label": "{id}", "fields": {"id": {"type": "integer"}}}}
ASKED = [
    {"name": "to", "type": "date", "required": False},
    {"name": "upto", "type": "datetime", "required": False},
    {"name": "days", "type": "list", "of": "date", "required": False},
]


def compare(condition: str, engine: str = "postgres") -> StatementPlan:
    return plan(
        f"SELECT COUNT(*) AS many FROM calls WHERE TRUE [[AND {condition}]]",
        COUNT,
        grain="call",
        parameters=[ASKED[0], *(p for p in ASKED[1:] if f":{p['name']}" in condition)],
        present=("to", "upto", "days"),
        engine=engine,
        engines=("postgres",) if engine == "postgres" else ("postgres", "sqlite"),
        records=CALL,
        tables=CALLS,
    )


@pytest.mark.parametrize(
    "condition",
    [
        "at <= :to",
        "at = :to",
        ":to >= at",
        "at > :to",
        ":to < at",
        "at <> :to",
        "noted BETWEEN :to AND :to",
        "at <= day AND day < :to",
        "COALESCE(at, noted) <= :to",
    ],
)
@pytest.mark.parametrize("engine", ["postgres", "sqlite"])
def test_a_moment_is_not_held_against_a_day_that_would_lose_its_hours(condition: str, engine: str) -> None:
    with pytest.raises(StatementRefused, match="compares a moment with a day"):
        compare(condition, engine)


@pytest.mark.parametrize(
    "condition",
    [
        "at < :to",
        "at >= :to",
        ":to > at",
        ":to <= at",
        "day <= :to",
        "at <= :upto AND day < :to",
        "days_between(:to, at) >= 0",
    ],
)
def test_where_the_midnight_is_meant_a_moment_may_stand_beside_a_day(condition: str) -> None:
    compare(condition)


def test_a_joined_table_is_known_by_the_key_of_its_record_type_too() -> None:
    tables = TABLES | {"pairs": table("pairs", {"a": "integer", "b": "text"}, ("a", "b"))}
    pair = {"table": "pairs", "key": ["b", "a"], "label": "{a}", "fields": {"a": {"type": "integer"}}}
    found = plan(join("pairs", "x.a = i.id"), COUNT, records=RECORDS | {"pair": pair}, tables=tables)
    assert found.block.sources[1].key == ("b", "a")
    assert found.block.sources[1].record == "pair"
