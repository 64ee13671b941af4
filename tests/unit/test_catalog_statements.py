"""The guard: one harmless SELECT passes, everything else is refused with its line and what would work."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from footnote.catalog.load import load_catalog
from footnote.catalog.place import Place
from footnote.catalog.statements import parse_row_expression, parse_statement, render, split_optional, typed_function
from footnote.errors import CatalogError, StatementRefused

BASE = Path(__file__).with_name("test_catalog.yaml").read_text("utf-8")
HERE = Place("c.yaml", 10, literal=True)
DIALECTS = ("postgres", "sqlite", "mysql", "duckdb")

HARMLESS = [
    "SELECT id, name FROM customers",
    "SELECT id FROM customers;",
    "select c.id from public.customers c left join invoices i on i.customer_id = c.id where not c.closed",
    "-- what it is for: :not_a_parameter ; DELETE\nSELECT id /* and more */ FROM customers",
    "SELECT COUNT(*) AS n, SUM(a - b) AS s, MIN(a) AS lo, MAX(a) AS hi, AVG(a) AS m FROM t GROUP BY x HAVING SUM(a) > 0",
    "SELECT COUNT(DISTINCT a) AS n, SUM(a) FILTER (WHERE b) AS s FROM t",
    "SELECT COALESCE(a, 0) AS a, NULLIF(b, '') AS b, ABS(c) AS c, ROUND(d, 2) AS d FROM t",
    "SELECT CASE WHEN a > 0 THEN 'x''y; DROP TABLE t' ELSE \"a\"\"b\" END AS c FROM t",
    "SELECT UPPER(a) AS u, LOWER(a) AS l, TRIM(a) AS t, SUBSTR(a, 1, 2) AS s, LENGTH(a) AS n, a || b AS j FROM t",
    "WITH x AS (SELECT a FROM t) SELECT a FROM x UNION ALL SELECT a FROM y",
    "SELECT a FROM t WHERE a IN (SELECT b FROM u) AND EXISTS (SELECT 1 FROM v) AND b BETWEEN :x AND :y",
    "SELECT a FROM t WHERE b IN :list OR c IS NULL OR d LIKE 'x%'",
    "SELECT a FROM t ORDER BY a DESC LIMIT 10",
    "SELECT days_between(:d, due) AS n, month_of(due) AS m, quarter_of(due) AS q, year_of(due) AS y FROM t",
    "SELECT ratio(a, b) AS r, money(c) AS m FROM t WHERE starts_with(name, :prefix)",
    'SELECT "größe", "Straße (m²)" FROM "tabSales Invoice" WHERE "naïve" = :x AND größe > 0',
    'SELECT id FROM "account_invoice-account_move_line"',
    "SELECT CAST(a AS text) AS a, a ->> 'en_US' AS n FROM t",
    "SELECT SUM(a) OVER (ORDER BY b) AS running FROM t",
    "SELECT id FROM t WHERE 1 = 1\r\n AND a = 2",
]

ATTACKS = [
    # another statement
    "SELECT id FROM t; DROP TABLE t",
    "SELECT id FROM t; SELECT 1",
    "SELECT 1 AS a;;SELECT 2",
    "COMMIT; DROP TABLE t",
    "SELECT 1 AS a; SET TRANSACTION READ WRITE; CREATE TABLE x (a int)",
    # not a SELECT
    "DELETE FROM t",
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET a = 1",
    "DROP TABLE t",
    "TRUNCATE t",
    "CREATE TABLE x AS SELECT 1 AS a",
    "ALTER TABLE t ADD COLUMN b int",
    "GRANT ALL ON t TO public",
    "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
    "SET TRANSACTION READ WRITE",
    "EXEC xp_cmdshell 'dir'",
    "CALL do_it()",
    "DO $x$ BEGIN END $x$",
    "COPY t TO PROGRAM 'sh'",
    "COPY (SELECT 1) TO '/tmp/x'",
    "ATTACH 'x.db' AS y",
    "ATTACH DATABASE 'x.db' AS y",
    "PRAGMA writable_schema = 1",
    "VACUUM INTO '/tmp/x'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "EXPLAIN ANALYZE DELETE FROM t",
    "VALUES (1)",
    "TABLE t",
    "(SELECT id FROM t)",
    "",
    "   ",
    "-- only a comment",
    "SELECT",
    "SELECT FROM t",
    # writes inside a SELECT
    "SELECT a INTO x FROM t",
    "SELECT a INTO OUTFILE '/tmp/x' FROM t",
    "SELECT a FROM t FOR UPDATE",
    "SELECT a FROM t FOR SHARE",
    "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
    "WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT a FROM x",
    "WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM x",
    # functions
    "SELECT pg_read_file('/etc/passwd') AS a",
    "SELECT pg_catalog.pg_read_file('/etc/passwd') AS a",
    "SELECT \"pg_read_file\"('/etc/passwd') AS a",
    "SELECT a FROM pg_read_file('/etc/passwd') AS x(a)",
    "SELECT a FROM t, LATERAL pg_ls_dir('/') AS x(a)",
    "SELECT lo_import('/etc/passwd') AS a",
    "SELECT lo_export(1, '/tmp/x') AS a",
    "SELECT a FROM dblink('host=x', 'DELETE FROM t') AS x(a int)",
    "SELECT LOAD_FILE('/etc/passwd') AS a",
    "SELECT load_extension('x') AS a",
    "SELECT writefile('/tmp/x', 'y') AS a",
    "SELECT readfile('/etc/passwd') AS a",
    "SELECT a FROM read_csv('/etc/passwd')",
    "SELECT a FROM read_csv_auto('/etc/passwd')",
    "SELECT a FROM '/etc/passwd'",
    "SELECT a FROM 'x.csv'",
    'SELECT a FROM "https://example.com/x.parquet"',
    "SELECT a FROM generate_series(1, 1000000000) AS g(a)",
    "SELECT value FROM json_each('[1]')",
    "SELECT value FROM json_each",
    "SELECT unnest(a) AS a FROM t",
    "SELECT pg_sleep(1000) AS a",
    "SELECT pg_advisory_lock(1) AS a",
    "SELECT nextval('s') AS a",
    "SELECT setval('s', 1) AS a",
    "SELECT set_config('transaction_read_only', 'off', false) AS a",
    "SELECT current_setting('x') AS a",
    "SELECT query_to_xml('DELETE FROM t', true, true, '') AS a",
    "SELECT randomblob(1000000000) AS a",
    "SELECT zeroblob(1000000000) AS a",
    "SELECT repeat('x', 1000000000) AS a",
    "SELECT xp_cmdshell('dir') AS a",
    "SELECT my_function(a) AS a FROM t",
    "SELECT a.b(1) AS a FROM t",
    "SELECT a FROM ratio(1, 2)",
    "SELECT ratio(1) AS a",
    "SELECT x.ratio(1, 2) AS a",
    # the database itself
    "SELECT usename FROM pg_shadow",
    "SELECT rolname FROM pg_catalog.pg_authid",
    "SELECT a FROM information_schema.tables",
    "SELECT a FROM INFORMATION_SCHEMA.TABLES",
    "SELECT sql FROM sqlite_master",
    "SELECT sql FROM main.sqlite_schema",
    'SELECT sql FROM "SQLITE_MASTER"',
    "SELECT name FROM pragma_database_list",
    "SELECT a FROM mysql.user",
    "SELECT a FROM temp.x",
    "SELECT a FROM other.public.t",
    # clocks and chance
    "SELECT now() AS a",
    "SELECT a FROM t WHERE d < CURRENT_DATE",
    "SELECT a FROM t WHERE d < current_timestamp",
    "SELECT a FROM t WHERE d < 'now'",
    "SELECT a FROM t WHERE d < DATE 'today'",
    "SELECT a FROM t WHERE d < date('now')",
    "SELECT a FROM t WHERE d < datetime('now', '-1 day')",
    "SELECT strftime('%s', d) AS a FROM t",
    "SELECT random() AS a",
    "SELECT a FROM t ORDER BY random()",
    "SELECT gen_random_uuid() AS a",
    "SELECT current_user AS a",
    "SELECT CAST('now' AS date) AS a",
    # whatever columns there are
    "SELECT * FROM t",
    "SELECT t.* FROM t",
    "SELECT a FROM t WHERE EXISTS (SELECT * FROM u)",
    "SELECT a FROM t NATURAL JOIN u",
    # what is not exact or not stable
    "SELECT 1e3 AS a",
    "SELECT CAST(a AS double precision) AS a FROM t",
    "SELECT CAST(a AS real) AS a FROM t",
    "SELECT a::float8 AS a FROM t",
    "SELECT a::regclass AS a FROM t",
    "SELECT a FROM t LIMIT 10",
    "SELECT a FROM t ORDER BY a LIMIT :n",
    "SELECT a FROM t ORDER BY a LIMIT ALL",
    "SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 5",
    "SELECT a FROM t ORDER BY a FETCH FIRST 1 ROW WITH TIES",
    "SELECT DISTINCT ON (a) a, b FROM t ORDER BY a",
    "SELECT a FROM t TABLESAMPLE SYSTEM (10)",
    "SELECT a FROM t GROUP BY ROLLUP (a)",
    "SELECT a FROM t WHERE a IN u",
    # placeholders of drivers
    "SELECT a FROM t WHERE a = ?",
    "SELECT a FROM t WHERE a = $1",
    "SELECT a FROM t WHERE a = %(x)s",
    "SELECT a FROM t WHERE a = @x",
    "SELECT a FROM t WHERE a = @@version",
    "SELECT a FROM t WHERE a = {x}",
    "SELECT a FROM t WHERE a = {{ x }}",
    # strings with escapes and prefixes
    r"SELECT a FROM t WHERE a = 'x\' OR 1=1 --'",
    r"SELECT a FROM t WHERE a = E'x\'; DROP TABLE t; --'",
    "SELECT a FROM t WHERE a = U&'x'",
    "SELECT a FROM t WHERE a = N'x'",
    "SELECT a FROM t WHERE a = X'00'",
    "SELECT a FROM t WHERE a = $$x$$",
    "SELECT a FROM t WHERE a = $x$; DROP TABLE t; $x$",
    "SELECT a FROM t WHERE a = 'x",
    'SELECT "a FROM t',
    "SELECT `a FROM t",
    'SELECT a FROM t WHERE "" = 1',
    # comments
    "SELECT a /*! , pg_read_file('x') */ FROM t",
    "SELECT a /*!50000 FROM t */ FROM u",
    "SELECT /*+ full(t) */ a FROM t",
    "SELECT a /* x /* y */ FROM t -- */",
    "SELECT a FROM t /* not closed",
    "SELECT a FROM t WHERE b = 5--3",
    "SELECT a FROM t # comment",
    # Unicode tricks
    "SELECT a FROM t\uff1b DROP TABLE t",
    "SELECT a FROM t\x00; DROP TABLE t",
    "SELECT a\u200b FROM t",
    "SELECT a FROM t WHERE b = '\u202e'",
    "SELECT a FROM t -- \u2066 x",
    "SELECT a\u00a0FROM t",
    "SELECT a\u3000FROM t",
    "SELECT \uff41 FROM t",
    "SELECT a FROM t WHERE b = \u2018x\u2019",
    'SELECT "a\u200d" FROM t',
    'SELECT "a\u00a0b" FROM t',
    "SELECT a\u2028FROM t",
    "SELECT a FROM t WHERE b = '\ud800'",
    "SELECT a FROM t -- x\rWHERE b",
    "SELECT a FROM t\x0bWHERE b",
    # size and depth
    "SELECT " + "(" * 5_000 + "1" + ")" * 5_000 + " AS a",
    "SELECT a FROM t WHERE " + "NOT " * 4_000 + "a",
    "SELECT a FROM t WHERE " + "NOT " * 300 + "a",
    "SELECT a FROM t WHERE a = 1" + " OR a = 1" * 300,
    "SELECT a FROM t WHERE a IN (" + "1," * 15_000 + "1)",
    # what does not parse
    "SELECT a FROM",
    "SELECT a b c FROM t",
    "SELECT a FROM t WHERE",
    "SELECT (a FROM t",
    "SELECT a[1] FROM t",
    "SELECT [a] FROM t",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", HARMLESS)
def test_a_harmless_select_passes(sql: str, dialect: str) -> None:
    tree = parse_statement(sql, dialect, HERE)
    assert tree.sql(dialect=dialect).upper().startswith(("SELECT", "WITH"))
    assert ";" not in tree.sql(dialect=dialect).replace("'x''y; DROP TABLE t'", "")
    assert "--" not in tree.sql(dialect=dialect)
    assert "/*" not in tree.sql(dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", ATTACKS, ids=[f"{i}-{s[:40]!a}" for i, s in enumerate(ATTACKS)])
def test_everything_else_is_refused_with_its_line_and_what_would_work(sql: str, dialect: str) -> None:
    with pytest.raises(StatementRefused) as caught:
        parse_statement(sql, dialect, HERE)
    error = caught.value
    assert (error.file, error.line) == ("c.yaml", 10)
    assert error.remedy
    assert "Traceback" not in error.text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_line_of_an_attack_is_the_line_it_stands_in(dialect: str) -> None:
    for line, sql in (
        (12, "SELECT a,\n  b\n, pg_read_file(a) AS x FROM t"),
        (12, "SELECT a\nFROM t\nWHERE b = 'x' ; DROP TABLE t"),
        (11, "SELECT a\nFROM pg_catalog.pg_authid\nWHERE b"),
        (12, "SELECT a\nFROM t\nWHERE b = '\u200b'"),
        (11, "SELECT a\nFROM t /*! x */\nWHERE b"),
        (12, "SELECT a\nFROM t\nWHERE d < now()"),
    ):
        with pytest.raises(StatementRefused) as caught:
            parse_statement(sql, dialect, HERE)
        assert caught.value.line == line, caught.value.text


def in_catalog(sql: str, dialect: str) -> str:
    """The base catalog with `sql` as the statement `months`, for one dialect."""
    start = BASE.index("          SELECT month_of(due_on)")
    end = BASE.index("        columns:\n          month:")
    text = BASE[:start] + textwrap.indent(sql, " " * 10) + "\n" + BASE[end:]
    return text.replace("dialect: postgres, engines: [postgres, sqlite]", f"dialect: {dialect}")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "at", "says"),
    [
        ("SELECT month_of(due_on) AS month,\n  1 AS revenue\nFROM invoices; DELETE FROM invoices", "; DELETE", "second statement"),
        ("DELETE FROM invoices", "DELETE", "one SELECT"),
        ("SELECT month_of(due_on) AS month,\n  pg_read_file('/etc/passwd') AS revenue FROM invoices", "pg_read", "`pg_read_file`"),
        ("SELECT month_of(due_on) AS month,\n  1 AS revenue\nFROM pg_read_file('x')", "FROM pg_read", "not a table"),
        ("SELECT month_of(note) AS month,\n  1 AS revenue FROM invoices", "month_of(note)", "type: date"),
        ("SELECT month_of(due_on) AS month,\n  note - paid_note AS revenue\nFROM invoices", "note - paid", "declared as text"),
        ("SELECT note AS month,\n  SUM(note) AS revenue FROM invoices GROUP BY note", "SUM(note)", "declared as text"),
    ],
)  # fmt: skip
def test_a_hostile_statement_stops_the_catalog(sql: str, at: str, says: str, dialect: str) -> None:
    text = in_catalog(sql, dialect)
    with pytest.raises(StatementRefused) as caught:
        load_catalog(text, environ={}, file_name="c.yaml")
    error = caught.value
    assert error.line == next(number for number, line in enumerate(text.splitlines(), 1) if at in line)
    assert says in error.text
    assert error.remedy


# --- parameters and columns -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("BETWEEN :span_from AND :span_to", "BETWEEN :span_from AND :spam_to", ":spam_to", "Did you mean `span_to`?"),
        ("BETWEEN :span_from AND :span_to", "= :span", "due_on = :span", ":span_from, :span_to"),
        ("BETWEEN :span_from AND :span_to", "IS NOT NULL", "{name: span", "No statement uses the parameter `span`"),
        ("BETWEEN :span_from AND :span_to", "IN :span_from", "IN :span_from", "type: list"),
        ('AND currency = \'EUR\'', "[[AND currency = 'EUR']]", "[[AND currency", "no placeholder"),
        ('AND currency = \'EUR\'', "[[AND a = :span_from [[AND b]]", "[[AND a = ", "stands in another"),
        ('AND currency = \'EUR\'', "]] AND a", "]] AND a", "without its `[[`"),
        ('AND currency = \'EUR\'', "[[AND a = :span_to", "[[AND a = :span_to", "without its `]]`"),
        ('AND currency = \'EUR\'', "AND x = 'a' AND :span_from::date > d", "AND x = 'a' AND", "not the same on sqlite"),
        ("AS revenue\n", "AS revenues\n", "SELECT month_of", 'and `columns` has revenue'),
        ("AS month, SUM", "AS month, currency, SUM", "SELECT month_of", "Add `currency: {type: …}`"),
        (", SUM(amount_cents) AS revenue", "", "SELECT month_of", 'AS "revenue"'),
        ("AS revenue\n", "\n", "SELECT month_of", "has no name"),
        ("AS month, SUM", "AS month, month_of(due_on) AS month, SUM", "SELECT month_of", "twice"),
        ("AS revenue\n", "AS Revenue\n", "SELECT month_of", 'AS "Revenue"'),
        ("          ORDER BY 1\n", "", "SELECT month_of", "Add ORDER BY"),
        ("GROUP BY month_of(due_on)", "GROUP BY number", "SELECT month_of", "to GROUP BY"),
        ("          GROUP BY month_of(due_on)\n", "", "SELECT month_of", "to GROUP BY"),
        ("          GROUP BY currency\n", "", "SELECT currency, COUNT", "to GROUP BY"),
        ("GROUP BY currency\n", "GROUP BY currency, number\n", "shape: one", "shape: many"),
        ("SELECT currency, COUNT", "SELECT MAX(currency) AS currency, COUNT", "", "several currencies"),
        ("due_on < :asOfDate\n            [[AND amount_cents >= :least]]\n            [[AND state IN :states]]\n          ORDER", "amount_cents >= :least AND due_on < :asOfDate [[AND state IN :states]]\n          ORDER", "amount_cents >= :least AND", "[[AND … :least]]"),
        ("due_on < :asOfDate\n            [[AND amount_cents >= :least]]\n            [[AND state IN :states]]\n          ORDER", "due_on < :asOfDate [[AND amount_cents >= :least]] [[AND state IN (:states)]]\n          ORDER", "", "without parentheses"),
        ("due_on < :asOfDate\n            [[AND amount_cents >= :least]]\n            [[AND state IN :states]]\n          ORDER", "due_on < :asOfDate [[AND amount_cents >= :least OR]] [[state IN :states]]\n          ORDER", "", "does not parse"),
        ("due_on < :asOfDate\n            [[AND amount_cents >= :least]]\n            [[AND state IN :states]]\n          ORDER", "note < :asOfDate [[AND amount_cents >= :least]] [[AND state IN :states]]\n          ORDER", "note < :asOfDate", "type: date"),
        ("FROM invoices\n          WHERE due_on BETWEEN", "FROM bills\n          WHERE due_on BETWEEN", "", "is not in the statement"),
        ('sql: "amount_cents - paid_cents"', 'sql: "SUM(amount_cents)"', "open:", "computed from one row"),
        ('sql: "amount_cents - paid_cents"', 'sql: "amount_cents - :x"', "open:", "computed from one row"),
        ('sql: "amount_cents - paid_cents"', 'sql: "amount_cents, 1"', "open:", "not one expression"),
        ('sql: "amount_cents - paid_cents"', 'sql: "1 FROM t"', "open:", "not one expression"),
        ('sql: "amount_cents - paid_cents"', 'sql: "(SELECT 1)"', "open:", "computed from one row"),
        ('sql: "amount_cents - paid_cents"', 'sql: "note - paid_note"', "open:", "declared as text"),
        ('sql: "amount_cents - paid_cents"', 'sql: "pg_read_file(note)"', "open:", "`pg_read_file`"),
        ('sql: "amount_cents - paid_cents"', 'sql: "amount_cents / 100"', "open:", "ratio(a, b)"),
    ],
)  # fmt: skip
def test_a_statement_that_does_not_fit_its_operation_is_refused(old: str, new: str, at: str, says: str) -> None:
    assert BASE.count(old) >= 1
    text = BASE.replace(old, new, 1)
    with pytest.raises(CatalogError) as caught:
        load_catalog(text, environ={}, file_name="c.yaml")
    error = caught.value
    assert says in error.text
    assert error.remedy
    if at:
        expected = next(number for number, line in enumerate(text.splitlines(), 1) if at in line)
        assert error.line == expected, error.text


# --- optional segments ------------------------------------------------------------------------------------------------


def test_an_optional_segment_stays_only_if_everything_in_it_is_present() -> None:
    sql = "SELECT a FROM t WHERE b = :b [[AND c = :c AND d = :d]]\n[[AND e\n= :e]] ORDER BY a"
    assert render(sql, frozenset("bcde")).split() == sql.replace("[[", "").replace("]]", "").split()
    assert render(sql, frozenset("bc")).split() == "SELECT a FROM t WHERE b = :b ORDER BY a".split()
    assert render(sql, frozenset("be")).split() == "SELECT a FROM t WHERE b = :b AND e = :e ORDER BY a".split()
    for present in (frozenset("b"), frozenset("bcde")):
        assert render(sql, present).count("\n") == sql.count("\n")


def test_brackets_in_strings_names_and_comments_are_text() -> None:
    sql = "SELECT '[[ :x ]]' AS a, \"[[b]]\" /* [[ :y */ FROM t -- ]]\n"
    (segment,) = split_optional(sql)
    assert segment.text == sql
    assert segment.placeholders == frozenset()
    assert render(sql, frozenset()) == sql


def test_a_cast_is_no_placeholder() -> None:
    (segment,) = split_optional("SELECT a::text AS b, :c::date AS d FROM t")
    assert segment.placeholders == {"c"}


# --- typed functions and row expressions ------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_typed_function_is_told_from_others(dialect: str) -> None:
    tree = parse_statement("SELECT Days_Between(:a, b) AS x, starts_with(c, 'd') AS y FROM t", dialect, HERE)
    found = [typed_function(projection.unalias()) for projection in tree.selects]
    assert [(name, len(arguments)) for name, arguments in filter(None, found)] == [
        ("days_between", 2),
        ("starts_with", 2),
    ]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_row_expression_is_computed_from_one_row(dialect: str) -> None:
    assert parse_row_expression("amount - COALESCE(paid, 0)", dialect, HERE).sql() == "amount - COALESCE(paid, 0)"
    for sql in (
        "",
        "a, b",
        "a AS b",
        "*",
        "1; SELECT 2",
        "a FROM t",
        "SUM(a)",
        ":a",
        "(SELECT 1)",
        "now()",
        "a) FROM (b",
    ):
        with pytest.raises(StatementRefused):
            parse_row_expression(sql, dialect, HERE)


def test_a_window_frame_is_called_what_it_is() -> None:
    """The parser's own word for it, SPEC, says nothing to an author."""
    sql = "SELECT a, SUM(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t"
    with pytest.raises(StatementRefused, match=r"A window frame \(ROWS or RANGE BETWEEN …\) is not allowed"):
        parse_statement(sql, "postgres", HERE)
