"""The two small languages for figures: templates and expressions."""

from __future__ import annotations

import pytest

from footnote.catalog.expressions import Kind, Reference, kind_of, names_in, parse_expression, references_in
from footnote.catalog.place import Place
from footnote.catalog.template import Literal, Slot, TemplateError, parse_template, slots_in
from footnote.errors import CatalogError

HERE = Place("c.yaml", 7)


def test_a_template_is_literals_and_slots_with_their_positions() -> None:
    assert parse_template("{customer.name} owes {total} ({n:invoice|invoices}).") == (
        Slot("customer.name", (), 0),
        Literal(" owes ", 15),
        Slot("total", (), 21),
        Literal(" (", 28),
        Slot("n", ("invoice", "invoices"), 30),
        Literal(").", 50),
    )


def test_doubled_braces_are_literal() -> None:
    assert parse_template("a {{b}} {c}") == (Literal("a {b} ", 0), Slot("c", (), 8))
    assert parse_template("{{{a}}}") == (Literal("{", 0), Slot("a", (), 2), Literal("}", 5))
    assert parse_template("") == ()
    assert parse_template("90+ days") == (Literal("90+ days", 0),)


def test_words_may_have_two_or_four_forms() -> None:
    (slot,) = slots_in("{n:faktura|faktury|faktur|faktury}")
    assert slot.plural_forms == ("faktura", "faktury", "faktur", "faktury")
    assert slots_in("{n:|s}")[0].plural_forms == ("", "s")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "without its `}`"),
        ("a }", "without its `{`"),
        ("{}", "does not name a value"),
        ("{ a }", "does not name a value"),
        ("{a.b.c}", "does not name a value"),
        ("{9}", "does not name a value"),
        ("{a b}", "does not name a value"),
        ("{a!r}", "does not name a value"),
        ("{a[0]}", "does not name a value"),
        ("{a.__class__.b}", "does not name a value"),
        ("{a:x}", "1 plural form"),
        ("{a:}", "1 plural form"),
        ("{a:x|y|z}", "3 plural forms"),
        ("{a:{b}|c}", "plural form"),
        ("{а}", "does not name a value"),  # a Cyrillic letter
    ],
)
def test_what_is_no_template_says_what_would_work(text: str, says: str) -> None:
    with pytest.raises(TemplateError) as caught:
        parse_template(text)
    assert says in caught.value.what
    assert caught.value.remedy


# --- expressions ------------------------------------------------------------------------------------------------------

ALLOWED = {
    "invoiceCount > 0": {"invoiceCount"},
    "totals.total = sum(invoices.open) AND NOT count(invoices) < 3": {"totals.total", "invoices.open", "invoices"},
    "ratio(this, prior) - 1": {"this", "prior"},
    "-(a + b) * 0.5 <> 2 OR (c >= 1)": {"a", "b", "c"},
    "Ratio(a, b)": {"a", "b"},
    '"orderCount" > 1': {"orderCount"},
    "1": set(),
}

REFUSED = [
    "",
    " ",
    "a, b",
    "a AS b",
    "*",
    "count(*)",
    "a / b",
    "a % b",
    "a || b",
    "a ->> 'b'",
    "'text'",
    "a = 'x'",
    "a IS NULL",
    "a IN (1, 2)",
    "a BETWEEN 1 AND 2",
    "a LIKE 'x'",
    "CASE WHEN a > 0 THEN 1 END",
    "(SELECT 1)",
    "a FROM t",
    "a; SELECT 1",
    "1 WHERE pg_sleep(1)",
    "pg_read_file('x')",
    "now()",
    "current_date",
    "coalesce(a, 0)",
    "sum(a)",
    "sum(a.b + 1)",
    "sum(DISTINCT a.b)",
    "count(a.b)",
    "count(DISTINCT a)",
    "avg(a.b)",
    "max(a.b)",
    "ratio(a)",
    "ratio(a, b, c)",
    "x.ratio(a, b)",
    "a.b.c",
    "a.*",
    ":a",
    "a::text",
    "CAST(a AS int)",
    "TRUE",
    "NULL",
    "a = b = ",
    "((a)",
    "(" * 3_000,
    "NOT " * 400 + "a",
    "- " * 300 + "a",
    "a" + " + a" * 300,
    "a" * 3_000,
    "\x00",
    "\ud800",
    "a > 1e",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_an_expression_names_its_figures(text: str) -> None:
    assert names_in(text) == ALLOWED[text]


@pytest.mark.parametrize("text", REFUSED, ids=[f"{i}-{t[:20]!a}" for i, t in enumerate(REFUSED)])
def test_what_is_no_expression_over_figures_is_refused(text: str) -> None:
    with pytest.raises(CatalogError) as caught:
        parse_expression(text, HERE)
    assert (caught.value.file, caught.value.line) == ("c.yaml", 7)
    assert "ratio(a, b)" in caught.value.remedy


def test_references_tell_figures_from_rows() -> None:
    tree = parse_expression("a = sum(s.b) AND count(s) > t.c", HERE)
    assert references_in(tree, HERE) == (
        Reference("a"),
        Reference("s.b", "sum"),
        Reference("s", "count"),
        Reference("t.c"),
    )


def kind(text: str) -> Kind:
    def of(reference: Reference) -> Kind:
        return "money" if reference.name.startswith("m") else "number"

    return kind_of(parse_expression(text, HERE), of, HERE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("m", "money"),
        ("n", "number"),
        ("m - m2", "money"),
        ("m * 2", "money"),
        ("n * m", "money"),
        ("-m", "money"),
        ("ratio(m, m2)", "number"),
        ("ratio(m, n)", "money"),
        ("ratio(m, m2) - 1", "number"),
        ("m > 0", "condition"),
        ("m > -1 AND n = 2", "condition"),
        ("NOT (m = m2 OR n < 1)", "condition"),
    ],
)
def test_an_expression_gives_money_a_number_or_a_condition(text: str, expected: Kind) -> None:
    assert kind(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "m + n",
        "m + 1",
        "m * m",
        "m > n",
        "ratio(n, m)",
        "n AND m",
        "NOT n",
        "(n > 1) + 1",
        "-(n > 1)",
        "(n > 1) > 2",
        "ratio(n > 1, 2)",
    ],
)
def test_money_other_numbers_and_conditions_do_not_mix(text: str) -> None:
    with pytest.raises(CatalogError):
        kind(text)
