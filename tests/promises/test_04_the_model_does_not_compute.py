"""Promise 4: the model does not compute. It picks an operation and typed arguments, and nothing else reaches SQL.

What holds at the level of the catalog: a statement is written by the author and takes bound values only; what a caller
may send has a type; a placeholder is never a table, a column, a function or a piece of SQL; and no expression over
figures can do more than the arithmetic the author wrote.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from footnote.catalog.expressions import parse_expression
from footnote.catalog.load import LoadedCatalog, find_catalog, load_catalog, pack_names
from footnote.catalog.place import Place
from footnote.catalog.scope import placeholders_of, statement_texts
from footnote.catalog.statements import parse_statement, placeholders_in, render
from footnote.errors import CatalogError, StatementRefused

HERE = Place("c.yaml", 1)
BASE = Path(__file__).parents[1] / "unit" / "test_catalog.yaml"
CATALOGS = [BASE, *(find_catalog(name) for name in pack_names())]
TYPES = {"text", "integer", "decimal", "boolean", "date", "datetime", "period", "currency", "entity", "list"}


@pytest.fixture(params=CATALOGS, ids=lambda path: path.parent.name)
def loaded(request: pytest.FixtureRequest) -> LoadedCatalog:
    path: Path = request.param
    return load_catalog(path, environ={"DATABASE_URL": "postgresql://h/d"})  # packs have no database of their own


def test_everything_a_caller_may_send_is_a_typed_parameter(loaded: LoadedCatalog) -> None:
    for operation in loaded.catalog.operations.values():
        assert all(parameter.type in TYPES for parameter in operation.parameters)
        declared = {name for parameter in operation.parameters for name in placeholders_of(parameter)}
        for statement in operation.statements.values():
            for text in statement_texts(loaded.catalog, statement):
                assert placeholders_in(text.sql) <= declared


def test_a_parameter_is_only_ever_a_value(loaded: LoadedCatalog) -> None:
    for operation in loaded.catalog.operations.values():
        for statement in operation.statements.values():
            for text in statement_texts(loaded.catalog, statement):
                tree = parse_statement(render(text.sql, placeholders_in(text.sql)), text.dialect, HERE)
                for placeholder in tree.find_all(exp.Placeholder):
                    assert not isinstance(placeholder.parent, exp.Table | exp.From | exp.Join | exp.Alias | exp.Dot)
                    assert not isinstance(placeholder.parent, exp.Ordered | exp.Limit | exp.Interval | exp.DataType)


@pytest.mark.parametrize("dialect", ["postgres", "sqlite"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM :table",
        "SELECT a FROM t AS :alias",
        "SELECT a AS :alias FROM t",
        "SELECT t.:column AS a FROM t",
        "SELECT :function(a) AS a FROM t",
        "SELECT a FROM t :anything",
        "SELECT a FROM t ORDER BY a LIMIT :n",
        "SELECT a FROM t ORDER BY a :direction",
        "SELECT a FROM t ORDER BY :column",
        "SELECT COUNT(*) AS n FROM t GROUP BY :column",
        "SELECT a FROM t JOIN u USING (:column)",
        "WITH :name AS (SELECT a FROM t) SELECT a FROM t",
        "SELECT CAST(a AS :type) AS a FROM t",
    ],
)
def test_a_parameter_cannot_stand_for_a_piece_of_sql(sql: str, dialect: str) -> None:
    with pytest.raises(StatementRefused):
        parse_statement(sql, dialect, HERE)


@settings(max_examples=100)
@given(st.text(max_size=40))
def test_an_argument_is_no_part_of_the_text_of_a_statement(argument: str) -> None:
    sql = "SELECT a FROM t WHERE b = :b [[AND c = :c]] ORDER BY a"
    texts = {render(sql, present) for present in (frozenset({"b"}), frozenset({"b", "c"}))}
    assert render(sql, frozenset({"b", argument})) in texts


def test_an_operation_takes_no_sql_table_or_expression() -> None:
    text = BASE.read_text("utf-8")
    for kind in ("sql", "table", "column", "expression", "any", "object"):
        with pytest.raises(CatalogError, match="value it cannot have"):
            load_catalog(text.replace("type: date, default: today", f"type: {kind}, default: today"), environ={})


@pytest.mark.parametrize(
    "text", [":argument > 0", "a / b", "a > (SELECT 1)", "sum(a.b * c.d)", "power(a, 2)", "a || b"]
)
def test_an_expression_is_the_arithmetic_the_author_wrote_and_no_more(text: str) -> None:
    with pytest.raises(CatalogError):
        parse_expression(text, HERE)
