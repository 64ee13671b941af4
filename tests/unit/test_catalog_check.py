"""Cross references: every name a catalog uses exists, and has a value where it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.catalog.load import load_catalog
from footnote.errors import CatalogError

BASE = Path(__file__).with_name("test_catalog.yaml").read_text("utf-8")

REFERENCES = [
    # records and entities
    ("record: customer, match", "record: customers, match", "record: customers", "Did you mean `customer`?"),
    ("match: [id, name]", "match: [id, nmae]", "nmae", "Did you mean `name`?"),
    ("order: id}", "order: number}", "order: number", "there is no `number`"),
    ("table: customers\n    key: [id]", "table: customers\n    key: [id, company]", "record: customer,", "key of one column"),
    ("table: customers", 'table: "customers; drop"', "table:", "is not the name of a table"),
    ("table: customers", "table: pg_authid", "table: pg_authid", "belongs to the database"),
    ("table: customers\n    key: [id]", "table: customers\n    key: [id, id]", "key: [id, id]", "each once"),
    ("table: customers\n    key: [id]", "table: customers\n    key: []", "key: []", "at least 1"),
    ('label: "{number}"', 'label: "{nummer}"', "nummer", "Did you mean `number`?"),
    ('label: "{number}"', 'label: "{number"', "{number", "without its `}`"),
    ('label: "{number}"', 'label: " "', 'label: " "', "Name a field"),
    ('link: "${ERP_URL:}/customers/{id}"', 'link: "java\tscript:alert({id})"', "link:", "https://"),
    ('link: "${ERP_URL:}/customers/{id}"', 'link: "{name}"', "link:", "https://"),
    ("      city: {type: text}", "      city: {type: text, column: c, sql: d}", "column: c", "keep one of them"),
    ("      city: {type: text}", "      city: {type: text, scale: 2}", "scale: 2", "not a number"),
    ("      city: {type: text}", "      city: {type: text, currency: EUR}", "city: {type", "not money"),
    ("      city: {type: text}", "      city: {type: money}", "city: {type", "currency: {column: name}"),
    # parameters
    ("entity: customer, description", "entity: custmer, description", "custmer", "Did you mean `customer`?"),
    ("type: entity, entity: customer,", "type: entity,", "{name: customer", "Add `entity: …`"),
    ("type: entity, entity: customer,", "type: text, entity: customer,", "{name: customer", "Write `type: entity`"),
    ("type: list, of: text", "type: list", "{name: states", "Add `of: …`"),
    ("calendar: fiscal", "calendar: fiskal", "fiskal", "Did you mean `fiscal`?"),
    ("{name: least, type: integer", "{name: asOfDate, type: integer", "{name: asOfDate, type: date", "its own name"),
    ("{name: least, type: integer", "{name: toString(), type: integer", "toString()", "A name has letters"),
    ("default: today", "default: tomorrow", "tomorrow", "2026-08-14"),
    ("default: today", "default: 2026-02-30", "2026-02-30", "2026-08-14"),
    ("default: today", "default: 20260814", "20260814", "2026-08-14"),
    ('default: "2026"', 'default: "2026-Q5"', "2026-Q5", '"2026-Q3"'),
    ('default: "2026"', "default: 2026", "default: 2026", "a period in quotes"),
    ("min_value: 1,", "min_value: one,", "min_value: one", "digits"),
    ("min_value: 1,", "min_value: 1000,", "1000", "Exchange them"),
    ("required: false, min_value: 1,", "required: true, default: 5,", "default: 5", "Remove `required` or"),
    ("required: false, min_value: 1,", "default: 1000, min_value: 1,", "1000", "within its limits"),
    ("required: false, min_value: 1,", "default: 5, allowed_values: [1, 2], min_value: 1,", "[1, 2]", "within its limits"),
    ("required: false, min_value: 1,", "required: false, allowed_values: [1, two], min_value: 1,", "two", "digits"),
    ("of: text, required: false", "of: text, default: open", "default: open", "list of values"),
    ("of: text, required: false", "of: text, min_value: 3, required: false", "min_value: 3", "no order"),
    ("parameter: asOfDate, basis", "parameter: asOf, basis", "parameter: asOf,", "Did you mean `asOfDate`?"),
    ("parameter: asOfDate, basis", "parameter: customer, basis", "parameter: customer,", "of type date"),
    ("description: The period.", "description: ''", "description: ''", "Say what it means"),
    # statements
    ("each: {record: invoice, key: id}", "each: {record: bill, key: id}", "record: bill", "there is no `bill`"),
    ("each: {record: invoice, key: id}", "each: {record: invoice, key: key}", "key: key", "there is no `key`"),
    ("each: {record: invoice, key: id}", "each: {record: invoice, key: [id, number]}", "[id, number]", "has 1"),
    ("        each: {record: invoice, key: id}\n", "", "      invoices:", "Add `each:"),
    ("key: id}\n        grain: invoice", "key: id}\n        grain: customer", "grain: customer", "grain: invoice"),
    ("grain: invoice\n        totals_of", "grain: invoce\n        totals_of", "grain: invoce", "Did you mean `invoice`?"),
    ("grain: invoice\n        totals_of: invoices", "totals_of: invoices", "      totals:", "Add `grain:`"),
    ("totals_of: invoices", "totals_of: invoce", "totals_of", "Did you mean `invoices`?"),
    ("totals_of: invoices", "totals_of: totals", "totals_of", "of shape many"),
    ("grain: invoice\n        totals_of", "grain: customer\n        totals_of", "grain: customer", "rows are added up"),
    ("totals_of: invoices", "evidence: SELECT 1", "evidence", "not a mapping"),
    ("outstanding: {type: money, minor_units: true, currency: {column: currency}}", "outstanding: {type: money}", "outstanding: {type", "has no currency"),
    ("outstanding: {type: money, minor_units: true, currency: {column: currency}}", "outstanding: {type: money, currency: {column: curency}}", "curency", "Did you mean `currency`?"),
    ("month: {type: text}", "month: {type: text, minor_units: true}", "minor_units: true}\n", "not money"),
    # what is said
    ("{customer.name} owes", "{customer.nmae} owes", "nmae", "Did you mean `name`?"),
    ("{customer.name} owes", "{custmer.name} owes", "custmer", "Did you mean `customer.name`?"),
    ("{customer.name} owes", "{asOfDate.name} owes", "asOfDate.name", "is not an entity"),
    ("{customer.name} owes", "{least} owes", "{least}", "leaves `least` out"),
    ("owes {total}", "owes {invoices.outstanding}", "owes {invoices.outstanding}", "a value for each row"),
    ("owes {total}", "owes {currency}", "{currency} across", "`hidden: true`"),
    ("owes {total}", "owes {total:euro|euros}", "euro|euros", "no word agrees"),
    ("{invoiceCount:invoice|invoices}", "{invoiceCount:invoice}", "{invoiceCount:invoice}", "two"),
    ("{invoiceCount:invoice|invoices}", "{asOfDate:a|b}", "{asOfDate:a|b}", "not a figure"),
    ("of: invoices, say", "of: totals, say", "of: totals", "there is no `totals`"),
    ("{number}: {outstanding}", "{numbr}: {outstanding}", "numbr", "Did you mean `number`?"),
    ("has nothing overdue as of {asOfDate}", "has nothing overdue as of {asOf}", "{asOf}", "Did you mean `asOfDate`?"),
    ("when: invoiceCount = 0", "when: invoiceCout = 0", "invoiceCout", "Did you mean `invoiceCount`?"),
    ("when: invoiceCount = 0", "when: invoiceCount + 0", "invoiceCount + 0", "not a condition"),
    ("when: invoiceCount = 0", "when: invoices.outstanding = 0", "invoices.outstanding = 0", "Write sum(invoices.outstanding)"),
    ("when: invoiceCount = 0", "when: totals.currency = 0", "totals.currency", "of type text"),
    ("sum(invoices.outstanding)", "sum(invoices.open)", "invoices.open", "there is no such figure"),
    ("sum(invoices.outstanding)", "count(invoices)", "count(invoices)", "Compare two amounts"),
    ("sum(invoices.outstanding)", "count(invoce)", "count(invoce)", "Did you mean `invoices`?"),
    ('"ratio(total, invoiceCount)"', '"ratio(total, total)"', "ratio(total, total)", "Declare it as decimal"),
    ('"ratio(total, invoiceCount)"', '"average"', '"average"', "there is no such figure"),
    ('"ratio(total, invoiceCount)"', '"total / invoiceCount"', "total / invoiceCount", "ratio(a, b)"),
    ("average: {type: money, currency", "total: {type: money, currency", "total: {type: money, currency: {column: currency}, expr", "Rename"),
    ("label: number", "label: nummer", "nummer", "Did you mean `number`?"),
    ("series: [outstanding]", "series: [number]", "series: [number]", "a chart draws numbers"),
    ("series: [outstanding]", "series: [open]", "series: [open]", "there is no `open`"),
    # interpretations, toolsets, names
    ("operation: getOverdue, when", "operation: getOverdues, when", "getOverdues", "Did you mean `getOverdue`?"),
    ("    parameters: [customer]", "    parameters: []", "conclusion:", "names nothing"),
    ("    parameters: [customer]", "    parameters: [customer, period]", "[customer, period]", "there is no `period`"),
    ('say: "{total} overdue"}', 'say: "{total} overdue", context: true}', "premises:", "none counts"),
    ('say: "{total} overdue"}', 'say: "{premises.count} overdue"}', "{premises.count} overdue", "names nothing"),
    ("{premises.count:sign|signs}", "{premise.count:sign|signs}", "conclusion", "Did you mean `premises.count`?"),
    ("[getOverdue, atRisk]", "[getOverdue, atRsk]", "atRsk", "Did you mean `atRisk`?"),
    ("  atRisk:", "  getoverdue:", "  getoverdue:", "Rename one of them"),
    ("  atRisk:", "  verify_all:", "  verify_all:", "one of Footnote's own tools"),
    ("  getRevenue:", "  verifyProvenanceChain:", "  verifyProvenanceChain:", "one of Footnote's own tools"),
    ("  getRevenue:", "  get-revenue:", "  get-revenue:", "A name has letters"),
    ("    title: Revenue by month", "    title: ' '", "  getRevenue:", "Say when to use it"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "at", "says"), REFERENCES)
def test_a_name_that_does_not_exist_names_its_line_and_what_would_work(old: str, new: str, at: str, says: str) -> None:
    assert BASE.count(old) == 1, f"{old!r} stands {BASE.count(old)} times"
    text = BASE.replace(old, new)
    with pytest.raises(CatalogError) as caught:
        load_catalog(text, environ={}, file_name="c.yaml")
    error = caught.value
    expected = next(number for number, line in enumerate(text.splitlines(), 1) if at.strip("\n") in line)
    assert says in error.text
    assert error.line == expected, error.text
    assert error.remedy


def test_a_hidden_field_cannot_be_said() -> None:
    start = BASE.index("  customer:")
    text = BASE[:start] + BASE[start:].replace("name: {type: text}", "name: {type: text, hidden: true}", 1)
    with pytest.raises(CatalogError, match=r"`\{customer\.name\}` is hidden, and so not said"):
        load_catalog(text, environ={})


def test_the_currency_of_the_company_must_be_told() -> None:
    text = BASE.replace("company: {currency: EUR}\n", "").replace(
        "minor_units: true, currency: EUR}", "currency: company}"
    )
    with pytest.raises(CatalogError, match="does not say which that is"):
        load_catalog(text, environ={})


def test_a_name_in_two_statements_must_be_told_apart() -> None:
    text = BASE.replace("      months:\n        shape: many", "      months:\n        shape: one")
    text = text.replace(
        '    answer: {say: "Revenue in {span}:", items', '    answer: {say: "{revenue}"}\n    x: {items'
    )
    with pytest.raises(CatalogError):
        load_catalog(text, environ={})
    twice = BASE.replace("      totals:\n", "      again:\n", 1)
    start, end = BASE.index("      totals:\n"), BASE.index("    checks:")
    twice = BASE[:end] + BASE[start:end].replace("totals:", "again:", 1) + BASE[end:]
    with pytest.raises(CatalogError, match=r"is in totals and in again|is in totals and again") as caught:
        load_catalog(twice, environ={})
    assert "again." in caught.value.remedy


def test_an_interpretation_cannot_need_two_types_of_one_parameter() -> None:
    text = BASE.replace(
        "{name: span, type: period, calendar: fiscal,", "{name: customer, type: period, calendar: fiscal,"
    )
    text = text.replace(":span_", ":customer_").replace("{span}", "{customer}")
    extra = '\n      - {operation: getRevenue, when: count(months) > 0, say: "a"}'
    text = text.replace('say: "{total} overdue"}', 'say: "{total} overdue"}' + extra)
    with pytest.raises(CatalogError, match="of one type here"):
        load_catalog(text, environ={})
