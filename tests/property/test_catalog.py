"""Whatever a catalog, a statement, an expression or a template holds, it is read or refused, never a crash."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from footnote.catalog.expressions import names_in
from footnote.catalog.functions import ALLOWED
from footnote.catalog.load import load_catalog
from footnote.catalog.place import Place
from footnote.catalog.scalars import plain_value
from footnote.catalog.sql_text import placeholders_in, tokens
from footnote.catalog.statements import parse_statement, render, split_optional, typed_function
from footnote.catalog.template import Literal, Slot, TemplateError, parse_template
from footnote.errors import CatalogError, StatementRefused

BASE = (Path(__file__).parents[1] / "unit" / "test_catalog.yaml").read_text("utf-8")
HERE = Place("c.yaml", 1, literal=True)
SECRET = "postgresql://reader:hunter2secret@db/ledger"

anything = st.text(st.characters(codec=None, categories=None), max_size=200) | st.binary(max_size=200).map(
    lambda data: data.decode("utf-8", "surrogateescape")
)
pieces_of_yaml = st.lists(
    st.sampled_from(
        "a b: : - [ ] { } , | > & * &a *a ! !!str # ' \" \n \n\n \t ? ~ null true no 1 01 1.5 2026-08-14 ${A} ${A:b} $${ %YAML --- ... \\ << "
        "catalog: version: operations: statements: statement: columns: type: money SELECT".split(" ")
    ),
    max_size=60,
).map(" ".join)
pieces_of_sql = st.lists(
    st.sampled_from(
        "SELECT FROM WHERE a b t ( ) , . * = < > <> + - / % || :: :x :y 'text' \"name\" 1 2.5 NULL AND OR NOT IN IS CASE WHEN THEN ELSE END AS JOIN LEFT ON "
        "GROUP BY ORDER HAVING LIMIT UNION ALL WITH DISTINCT SUM( COUNT( days_between( ratio( starts_with( month_of( pg_read_file( now() LIKE BETWEEN EXISTS "
        "INTERVAL EXTRACT( year date CAST( FILTER OVER PARTITION DELETE INTO FOR UPDATE LATERAL VALUES ; -- /* */ [[ ]] [ ] \n ? $1 @x { } \\ ` ' \" u&".split(
            " "
        )
    ),
    max_size=30,
).map(" ".join)


def error_of(text: str, environ: dict[str, str]) -> CatalogError | None:
    try:
        load_catalog(text, environ=environ, file_name="c.yaml")
    except CatalogError as error:
        return error
    return None


@settings(max_examples=200, deadline=None)
@given(anything | pieces_of_yaml)
@example("${X}")
@example("a: &a [*a]")
@example("? {a: b}\n: c")
@example("\ufeff\ufeff: a")
@example("a: 2026-13-45T99:99:99Z")
def test_any_text_is_a_catalog_or_a_catalog_error(text: str) -> None:
    with pytest.raises(CatalogError):
        load_catalog(text, environ={"A": "1"}, file_name="c.yaml")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(start=st.integers(0, len(BASE)), length=st.integers(0, 30), new=anything | pieces_of_yaml | pieces_of_sql)
@example(start=BASE.index("table: invoices") + 7, length=0, new="A")
def test_a_damaged_catalog_loads_or_names_a_line(start: int, length: int, new: str) -> None:
    text = BASE[:start] + new + BASE[start + length :]
    error = error_of(text, {})
    if error is not None:
        assert error.file == "c.yaml"
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + 2
        assert error.what


SCALARS = [
    line for line in BASE.splitlines() if line.strip().startswith(("title:", "today:", "label:", "ask:", "conclusion:"))
]


@settings(max_examples=60, deadline=None)
@given(line=st.sampled_from(SCALARS), before=st.text("abc {}:|.", max_size=5), quoted=st.booleans())
def test_no_value_of_the_environment_is_in_a_message(line: str, before: str, quoted: bool) -> None:
    key = line.partition(":")[0]
    value = f"'{before}${{SECRET}}'" if quoted else "${SECRET}"
    error = error_of(BASE.replace(line, f"{key}: {value}", 1), {"SECRET": SECRET})
    assert error is None or "hunter2" not in f"{error} {error.as_dict()}"


@settings(max_examples=200, deadline=None)
@given(st.from_regex(r"[-+0-9_.:eExXob]{1,12}", fullmatch=True) | st.text(max_size=8))
def test_a_plain_scalar_is_what_every_reader_says_or_is_refused(text: str) -> None:
    try:
        value = plain_value(text, HERE)
    except CatalogError:
        return
    if isinstance(value, bool | int) or value is None:
        assert yaml.safe_load(text) == value
    elif isinstance(value, str):
        assert value == text
        with contextlib.suppress(yaml.YAMLError, ValueError):
            assert not isinstance(yaml.safe_load(text), int | float), text


# --- statements -------------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(
    sql=anything | pieces_of_sql | pieces_of_sql.map("SELECT a FROM t WHERE ".__add__),
    dialect=st.sampled_from(["postgres", "sqlite"]),
)
def test_any_text_is_one_harmless_select_or_refused(sql: str, dialect: str) -> None:
    try:
        tree = parse_statement(sql, dialect, HERE)
    except StatementRefused as error:
        refused = error
    else:
        assert_is_one_harmless_select(tree, sql, dialect)
        return
    assert refused.remedy
    assert 1 <= refused.line <= sql.count("\n") + 1


def assert_is_one_harmless_select(tree: exp.Query, sql: str, dialect: str) -> None:
    assert isinstance(tree, exp.Query)
    assert all(type(node) in ALLOWED or typed_function(node) for node in tree.walk())
    generated = tree.sql(dialect=dialect, comments=False)
    assert ";" not in "".join(token.text for token in tokens(generated) if token.kind not in {"string", "quoted"})
    assert {node.this for node in tree.find_all(exp.Placeholder)} == placeholders_in(sql)


@settings(max_examples=200)
@given(anything | pieces_of_sql)
def test_the_pieces_of_a_statement_are_the_statement(sql: str) -> None:
    assert "".join(token.text for token in tokens(sql)) == sql


part = st.text("abc =<>()'\n", max_size=10).filter(lambda text: text.count("'") % 2 == 0)
placeholder = st.sampled_from(["x", "y", "z"])


@settings(max_examples=200)
@given(
    parts=st.lists(st.tuples(part, st.lists(placeholder, max_size=2), st.booleans()), max_size=6),
    present=st.frozensets(placeholder),
)
def test_a_segment_is_dropped_exactly_when_a_placeholder_in_it_is_absent(
    parts: list[tuple[str, list[str], bool]], present: frozenset[str]
) -> None:
    sql, expected = "", ""
    for text, names, optional in parts:
        body = text + "".join(f" :{name} " for name in names)
        optional = optional and bool(names)
        sql += f"[[{body}]]" if optional else body
        expected += body if not optional or present.issuperset(names) else ""
    segments = split_optional(sql)
    assert all(segment.placeholders for segment in segments if segment.optional)
    assert "".join(render(sql, present).split()) == "".join(expected.split())
    kept = {
        name for _, names, optional in parts if not (optional and names) or present.issuperset(names) for name in names
    }
    assert placeholders_in(render(sql, present)) == kept
    assert render(sql, present).count("\n") == sql.count("\n")


# --- templates and expressions ----------------------------------------------------------------------------------------

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}(\.[A-Za-z_][A-Za-z0-9_]{0,8})?", fullmatch=True)
words = st.text(st.characters(exclude_characters="{}|", exclude_categories=["Cs"]), max_size=6)
slot = st.tuples(names, st.none() | st.tuples(words, words) | st.tuples(words, words, words, words))
literal = st.text(max_size=8)


@settings(max_examples=200)
@given(st.lists(literal | slot, max_size=8))
def test_a_template_is_read_as_it_was_written(parts: list[str | tuple[str, tuple[str, ...] | None]]) -> None:
    text, expected = "", ""
    slots: list[tuple[str, tuple[str, ...]]] = []
    for piece in parts:
        if isinstance(piece, str):
            text += piece.replace("{", "{{").replace("}", "}}")
            expected += piece
        else:
            name, forms = piece
            text += f"{{{name}:{'|'.join(forms)}}}" if forms else f"{{{name}}}"
            expected += "\0"
            slots.append((name, forms or ()))
    read = parse_template(text)
    assert [(p.name, p.plural_forms) for p in read if isinstance(p, Slot)] == slots
    assert "".join(p.text if isinstance(p, Literal) else "\0" for p in read) == expected
    assert all(text[p.position] == "{" for p in read if isinstance(p, Slot))


@settings(max_examples=200)
@given(st.text(st.sampled_from("{}:|.ab 1\n"), max_size=20) | anything)
def test_any_text_is_a_template_or_a_template_error(text: str) -> None:
    with contextlib.suppress(TemplateError):
        parts = parse_template(text)
        assert [part.position for part in parts] == sorted({part.position for part in parts})
        assert all(part.text for part in parts if isinstance(part, Literal))


@settings(max_examples=200, deadline=None)
@given(
    anything
    | pieces_of_sql
    | st.lists(
        st.sampled_from("a b.c 1 0.5 + - * / ( ) = < > AND OR NOT ratio( sum( count( , e".split()), max_size=15
    ).map(" ".join)
)
def test_any_text_is_an_expression_or_a_catalog_error(text: str) -> None:
    with contextlib.suppress(CatalogError):
        assert all(name.isprintable() and name for name in names_in(text))
