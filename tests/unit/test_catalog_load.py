"""Reading a catalog: what is right loads, what is wrong names its line and what would work."""

from __future__ import annotations

import datetime as dt
import hashlib
from decimal import Decimal
from pathlib import Path

import pytest

from footnote.catalog.load import LoadedCatalog, find_catalog, load_catalog, pack_names
from footnote.errors import CatalogError

BASE_FILE = Path(__file__).with_name("test_catalog.yaml")
BASE = BASE_FILE.read_text("utf-8")


def load(text: str, environ: dict[str, str] | None = None) -> LoadedCatalog:
    return load_catalog(text, environ=environ or {}, file_name="c.yaml")


def refused(text: str, environ: dict[str, str] | None = None) -> CatalogError:
    with pytest.raises(CatalogError) as caught:
        load(text, environ)
    return caught.value


def changed(old: str, new: str) -> str:
    assert BASE.count(old) == 1, f"{old!r} stands {BASE.count(old)} times in the base catalog"
    return BASE.replace(old, new)


def line_with(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def test_a_right_catalog_loads() -> None:
    loaded = load(BASE)
    assert loaded.catalog.catalog == "ledger"
    assert loaded.catalog.today == dt.date(2026, 8, 14)
    assert loaded.catalog.engines == ("postgres", "sqlite")
    assert loaded.catalog.source.timeout_seconds == 30


def test_the_digest_is_that_of_the_bytes_of_the_file() -> None:
    expected = "sha256:" + hashlib.sha256(BASE_FILE.read_bytes()).hexdigest()
    assert load_catalog(BASE_FILE, environ={}).digest == expected == load(BASE).digest


def test_every_pack_loads() -> None:
    for name in pack_names():
        assert load_catalog(find_catalog(name), environ={"DATABASE_URL": "postgresql://h/d"}).catalog.operations, name


def test_a_pack_is_found_by_name_and_a_file_by_path(tmp_path: Path) -> None:
    assert find_catalog("sample") == find_catalog("pack:sample")
    file = tmp_path / "mine.yaml"
    file.write_text(BASE, "utf-8")
    assert find_catalog(str(file)) == file
    for unknown in ("pack:nothing", str(tmp_path), str(tmp_path / "gone.yaml"), "pack:../x", "x\0y", ""):
        with pytest.raises(CatalogError, match="sample"):
            find_catalog(unknown)


def test_a_file_that_cannot_be_read_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(tmp_path / "gone.yaml", environ={})
    with pytest.raises(CatalogError, match="cannot be read"):
        load_catalog(tmp_path, environ={})


def test_lines_are_those_of_the_file() -> None:
    lines = load(BASE).lines
    assert lines.line("operations", "getOverdue", "checks", 0) == line_with(BASE, "The total equals the rows")
    place = lines.text("operations", "getOverdue", "statements", "invoices", "statement")
    assert place.line == line_with(BASE, 'SELECT id, number, due_on AS "dueOn"')
    assert place.at(4).line == place.line + 3
    assert lines.line("operations", "nowhere", "to", "be", "found") == line_with(BASE, "operations:")


# --- keys and values --------------------------------------------------------------------------------------------------


def test_a_typo_in_a_key_names_the_key_that_was_meant() -> None:
    text = BASE.replace("        columns:\n          month:", "        colums:\n          month:")
    error = refused(text)
    assert error.line == line_with(text, "colums:")
    assert "Unknown key `colums`" in error.what
    assert error.remedy == "Did you mean `columns`?"
    assert error.details == {"file": "c.yaml", "line": error.line}


def test_other_mistakes_are_counted() -> None:
    text = changed("title: A small ledger", "titel: A small ledger").replace("ask: [revenue]", "asks: [revenue]")
    assert refused(text).remedy == "Did you mean `title`? (1 more mistake in this file.)"
    assert "2 more mistakes" in refused(text.replace("version: 1", "version: zero")).remedy


WRONG_VALUES = [
    ("version: 1", "version: true", "version", "whole number"),
    ("version: 1", 'version: "1"', "version", "without quotes"),
    ("version: 1", "version: 0", "version", "at least 1"),
    ("version: 1\n", "", "catalog:", "Add `version: …`"),
    ("catalog: ledger", "catalog: led ger", "catalog: led", "A name has letters"),
    ("today: 2026-08-14", "today: 2026-02-30", "today", "not a date of the calendar"),
    ("today: 2026-08-14", "today: 20260814", "today", "A date is written 2026-08-14"),
    ("today: 2026-08-14", "today: 2026-08-14T10:00:00Z", "today", "A date is written 2026-08-14"),
    ("timeout: 30s", "timeout: 30 seconds", "timeout", "such as 30s"),
    ('year_end: "12-31"', "year_end: december", "year_end", "12-31"),
    ('year_end: "12-31"', 'year_end: "13-31"', "year_end", "not a day of the year"),
    ("dialect: postgres", "dialect: oracle", "dialect", "Write one of postgres, sqlite"),
    ("company: {currency: EUR}", "company: {currency: eur}", "company", "ISO 4217"),
    ("company: {currency: EUR}", "company: {currency: EUX}", "company", "not a currency code"),
    ("locale: de-DE", "locale: de-XX-yy-zz", "locale", ""),
    ("time_zone: Europe/Vienna", "time_zone: Europe/Wien", "time_zone", "Europe/Vienna"),
    ("title: A small ledger", "title: 12", "title: 12", "Write text"),
    ("title: A small ledger", "title: [a]", "title: [a]", "Write text"),
    ("display: {locale: de-DE}", "display: de-DE", "display", "not a mapping"),
    ("ask: [revenue]", "ask: revenue", "ask: revenue", "not a list"),
    ("ask: [revenue]", "ask: ['']", "ask: ['']", "is empty"),
    ("month: {type: text}", "month: {type: word}", "month: {type", "Write one of count, integer"),
    ("invoiceCount: {type: count}", "invoiceCount: {type: count, hidden: 1}", "type: count, hidden", "true or false"),
    ("currency: EUR}\n    answer", "currency: euro}\n    answer", "currency: euro", "company"),
    ("      name: {type: text}\n", "      na-me: {type: text}\n", "na-me", "A name has letters"),
    ("engines: [postgres, sqlite]", "engines: [postgres, oracle]", "engines", "Write one of postgres, sqlite, mysql"),
    ('"${LEDGER_URL:sample}"', '""', "url:", "empty"),
    ("toolsets: {", "access: {allow: {getOverdue: [controller]}}\ntoolsets: {", "access", "not enforced yet"),
    ("toolsets: {", "access: {rows: {company: {member: id}}}\ntoolsets: {", "access", "login of its own"),
]


@pytest.mark.parametrize(("old", "new", "at", "says"), WRONG_VALUES)
def test_a_wrong_value_names_its_line_and_what_would_work(old: str, new: str, at: str, says: str) -> None:
    text = changed(old, new)
    error = refused(text)
    assert error.line == line_with(text, at)
    assert says in error.text
    assert error.file == "c.yaml"
    assert error.remedy


# --- YAML -------------------------------------------------------------------------------------------------------------

TRAPS = [
    ("ask: [revenue]", "ask: [no]", "ask: [no]", '"no" in quotes'),
    ("ask: [revenue]", "ask: [On]", "ask: [On]", "ambiguous"),
    ("version: 1", "version: 0x1", "version", "decimal digits"),
    ("version: 1", "version: 01", "version", "leading zeros"),
    ("version: 1", "version: 0o1", "version", "ambiguous"),
    ("version: 1", "version: 1_0", "version", "ambiguous"),
    ("version: 1", "version: 1:30", "version", "ambiguous"),
    ("version: 1", "version: 1e3", "version", "ambiguous"),
    ("version: 1", "version: .inf", "version", "ambiguous"),
    ("version: 1", "version: 1.5", "version", "whole number"),
    ("version: 1", "version: 99999999999999999999", "version", "ambiguous"),
    ("version: 1", "version: !!int 1", "version", "tag"),
    ("version: 1", "version: !!python/object/apply:os.system [x]", "version", "tag"),
    ("version: 1", "version: *nowhere", "version", "no anchor above"),
    ("version: 1", "version: 1\nversion: 2", "version: 2", "a second time; the first is in line 3"),
    ("version: 1", "version: 1\n2: x", "2: x", "not text"),
    ("version: 1", "version: 1\nno: x", "no: x", '"no"'),
    ("version: 1", "version: 1\n? [a]\n: x", "? [a]", "not text"),
    ("version: 1", "version: 1\n<<: {title: x}", "<<:", "Write the merged keys out"),
    ("display: {locale: de-DE}", "display:\n\tlocale: de-DE", "\tlocale", "indent with spaces"),
    ("display: {locale: de-DE}", "display: {locale: ${LANG:de-DE}}", "${LANG", "in quotes"),
    ("display: {locale: de-DE}", "display: &a\n  locale: de-DE\n  more: *a", "*a", "refers to itself"),
    ("toolsets: {", "---\ntoolsets: {", "---", "One file is one catalog"),
    ("title: A small ledger", "title: a: b", "a: b", "in quotes"),
    ("title: A small ledger", "title: \x07", "title", "U+0007"),
]


@pytest.mark.parametrize(("old", "new", "at", "says"), TRAPS)
def test_what_readers_of_yaml_disagree_about_is_refused(old: str, new: str, at: str, says: str) -> None:
    text = changed(old, new)
    error = refused(text)
    assert error.line == line_with(text, at)
    assert says in error.text
    assert error.remedy


def test_dates_durations_and_days_stay_text_and_decimals_exact() -> None:
    default = "{name: least, type: decimal, default: 0.10, max_value: 12.5,"
    text = changed("{name: least, type: integer, required: false, min_value: 1, max_value: 900,", default)
    least = load(text.replace('year_end: "12-31"', "year_end: 12-31")).catalog.operations["getOverdue"].parameters[2]
    assert (least.default, least.max_value) == (Decimal("0.10"), Decimal("12.5"))
    assert str(least.default) == "0.10"


def test_an_alias_stands_for_its_anchor() -> None:
    text = changed("      name: {type: text}", "      name: &words {type: text}").replace(
        "      city: {type: text}", "      city: *words"
    )
    assert str(load(text).catalog.records["customer"].fields["city"].type) == "text"


def test_aliases_cannot_fill_the_memory() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 10)}]" for i in range(8)]
    error = refused("\n".join(lines))
    assert "once its aliases" in error.what
    assert error.line == 5


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 5_000 + "x", "{a: " * 3_000, "a: " + "[" * 60 + "]" * 60])
def test_deep_nesting_is_refused(text: str) -> None:
    assert refused(text).file == "c.yaml"


@pytest.mark.parametrize(
    ("text", "says"), [("", "empty"), ("# only a comment\n", "empty"), ("- a", "mapping"), ("x", "mapping")]
)
def test_a_file_that_is_no_mapping_is_refused(text: str, says: str) -> None:
    assert says in refused(text).what


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(b"catalog: x\ntitle: \xff\xfe\n")
    with pytest.raises(CatalogError, match="not UTF-8") as caught:
        load_catalog(file, environ={})
    assert caught.value.line == 2
    assert refused("catalog: x\ntitle: \ud800").line == 2


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + BASE.encode())
    assert load_catalog(file, environ={}).catalog.catalog == "ledger"


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_bytes(b"#" * 2_000_001)
    with pytest.raises(CatalogError, match="larger than"):
        load_catalog(file, environ={})


# --- the environment --------------------------------------------------------------------------------------------------


def test_a_variable_is_replaced_in_values() -> None:
    loaded = load(BASE, {"ERP_URL": "https://erp.example", "LEDGER_URL": "postgresql://reader@db/ledger"})
    assert loaded.catalog.records["customer"].link == "https://erp.example/customers/{id}"
    assert loaded.catalog.source.url == "postgresql://reader@db/ledger"
    assert loaded.digest == load(BASE).digest
    assert loaded.fingerprint != load(BASE).fingerprint


def test_a_default_stands_in_for_a_variable_that_is_unset_or_empty() -> None:
    assert load(BASE, {"LEDGER_URL": ""}).catalog.source.url == "sample"
    assert load(BASE).catalog.records["customer"].link == "/customers/{id}"


def test_an_unset_variable_without_a_default_names_itself_and_its_line() -> None:
    text = changed("title: A small ledger", "title: ${LEDGER_TITLE}")
    error = refused(text)
    assert error.line == line_with(text, "LEDGER_TITLE")
    assert "LEDGER_TITLE is not set" in error.what
    assert "${LEDGER_TITLE:default}" in error.remedy


def test_a_variable_in_a_block_of_text_names_its_own_line() -> None:
    text = changed("title: A small ledger", "title: |\n  one\n\n  two ${LEDGER_TITLE}")
    assert refused(text).line == line_with(text, "two ${")


def test_an_escaped_reference_is_literal() -> None:
    text = changed("title: A small ledger", 'title: "$${LEDGER_TITLE} $$ $x"')
    assert load(text, {"LEDGER_TITLE": "no"}).catalog.title == "${LEDGER_TITLE} $$ $x"


@pytest.mark.parametrize("value", ["${}", "${a b}", "${9}", "${X", "${A:${B:c}}", "${-}"])
def test_what_is_no_reference_is_refused(value: str) -> None:
    assert "${NAME:default}" in refused(changed("title: A small ledger", f"title: '{value}'")).remedy


def test_a_number_or_truth_from_the_environment_is_one() -> None:
    text = changed("version: 1", "version: ${LEDGER_VERSION:7}")
    assert load(text).catalog.version == 7
    assert load(text, {"LEDGER_VERSION": "12"}).catalog.version == 12


def test_variables_are_never_replaced_in_keys_or_in_sql() -> None:
    assert (
        "A variable"
        in refused(changed("FROM invoices\n          WHERE due_on", "FROM ${T:x}\n          WHERE due_on")).what
    )
    assert "A variable" in refused(changed('"ratio(total, invoiceCount)"', '"${E:total}"')).what
    assert "A variable" in refused(changed('sql: "amount_cents - paid_cents"', 'sql: "${E:amount_cents}"')).what
    assert "Unknown key `${K}`" in refused(changed("version: 1", "version: 1\n${K}: x"), {"K": "title"}).what


SECRET = "postgresql://reader:hunter2secret@db/ledger"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("today: 2026-08-14", "today: ${SECRET}"),
        ("version: 1", "version: ${SECRET}"),
        ("dialect: postgres", 'dialect: "${SECRET}"'),
        ("timeout: 30s", 'timeout: "${SECRET}"'),
        ("locale: de-DE", 'locale: "${SECRET}"'),
        ("currency: EUR}\ncal", 'currency: "${SECRET}"}\ncal'),
        ("entity: customer,", 'entity: "${SECRET}",'),
        ("record: customer,", 'record: "${SECRET}",'),
        ("totals_of: invoices", "totals_of: ${SECRET}"),
        ("series: [outstanding]", 'series: ["${SECRET}"]'),
        ("conclusion: ", 'conclusion: "{${SECRET}}"\n    title_: '),
        ("[getOverdue, atRisk]", '["${SECRET}"]'),
        ("default: today", 'default: "${SECRET}"'),
    ],
)
def test_a_value_of_the_environment_is_in_no_message(old: str, new: str) -> None:
    error = refused(changed(old, new), {"SECRET": SECRET})
    shown = f"{error} {error!r} {error.as_dict()} {error.__cause__} {error.__dict__}"
    assert "hunter2" not in shown
    assert error.__suppress_context__
