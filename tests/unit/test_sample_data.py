"""The sample's rows, read with plain SQL and counted again in Python: what public answers quote, and the hard cases."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from footnote.connect.seed import TABLES, seed_connection

TODAY = dt.date(2026, 8, 14)
NAMED = {
    4471: ("Bergmann Logistik GmbH", "DE", "enterprise", 30, "Ana Kovač"),
    4472: ("Nordwind Marine AS", "NO", "mid-market", 45, "Ana Kovač"),
    4473: ("Petrov Components d.o.o.", "RS", "mid-market", 30, "Marko Ilić"),
    4474: ("Lumière Packaging SARL", "FR", "enterprise", 60, "Marko Ilić"),
    4475: ("Adriatic Foods d.d.", "HR", "small", 14, "Ana Kovač"),
}


@dataclass(frozen=True)
class Invoice:
    id: int
    number: str
    customer: int
    issued: dt.date
    due: dt.date
    currency: str
    amount: int
    paid: int
    status: str
    credits: int | None

    @property
    def left(self) -> int:
        return self.amount - self.paid

    @property
    def days(self) -> int:
        """Days past due; negative before."""
        return (TODAY - self.due).days

    @property
    def overdue(self) -> bool:
        return self.status != "credited" and self.left > 0 and self.days > 0


@pytest.fixture(scope="module")
def sample() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    assert seed_connection(connection) is True
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def invoices(sample: sqlite3.Connection) -> dict[int, Invoice]:
    day = dt.date.fromisoformat
    return {
        row[0]: Invoice(row[0], row[1], row[2], day(row[3]), day(row[4]), *row[5:])
        for row in sample.execute("SELECT * FROM invoices ORDER BY id")
    }


def count(sample: sqlite3.Connection, table: str) -> int:
    return int(sample.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])


# --- what public answers quote ----------------------------------------------------------------------------------------


def test_the_five_named_customers_are_as_published(sample: sqlite3.Connection) -> None:
    rows = sample.execute(
        "SELECT id, name, country, segment, payment_terms_days, account_owner FROM customers WHERE id BETWEEN 4471 AND 4475"
    )
    assert {row[0]: row[1:] for row in rows} == NAMED


def test_bergmann_has_exactly_the_six_published_invoices(invoices: dict[int, Invoice]) -> None:
    found = [(i.id, i.number, i.due.isoformat(), i.amount, i.paid) for i in invoices.values() if i.customer == 4471]
    assert found == [
        (8812, "INV-2026-8812", "2026-05-02", 1_845_000, 0),
        (8834, "INV-2026-8834", "2026-05-18", 962_500, 0),
        (8901, "INV-2026-8901", "2026-06-05", 1_240_000, 400_000),
        (8977, "INV-2026-8977", "2026-06-28", 733_000, 0),
        (9002, "INV-2026-9002", "2026-07-11", 512_400, 512_400),
        (9088, "INV-2026-9088", "2026-08-29", 1_100_000, 0),
    ]


def test_bergmann_is_43805_euro_overdue_over_four_invoices_the_oldest_104_days(invoices: dict[int, Invoice]) -> None:
    overdue = [i for i in invoices.values() if i.customer == 4471 and i.overdue]
    assert [i.id for i in overdue] == [8812, 8834, 8901, 8977]
    assert [i.days for i in overdue] == [104, 88, 70, 47]
    assert (sum(i.left for i in overdue), {i.currency for i in overdue}) == (4_380_500, {"EUR"})


def open_tickets(sample: sqlite3.Connection, customer: int) -> dict[int, str]:
    """Open by the rule in the schema's comment, worked out here."""
    rows = sample.execute("SELECT id, closed_on, reopened_on, severity FROM tickets WHERE customer_id = ?", [customer])
    return {
        id: severity
        for id, closed, reopened, severity in rows
        if closed is None or (reopened is not None and reopened > closed)
    }


def test_the_named_customers_have_the_published_tickets(sample: sqlite3.Connection) -> None:
    assert open_tickets(sample, 4471) == {551: "high", 552: "medium"}
    assert open_tickets(sample, 4475) == {555: "high"}
    assert [open_tickets(sample, customer) for customer in (4472, 4473, 4474)] == [{}, {}, {}]
    closed = sample.execute("SELECT id, customer_id FROM tickets WHERE closed_on IS NOT NULL AND id IN (553, 554)")
    assert closed.fetchall() == [(553, 4471), (554, 4473)]


def test_nordwind_has_paid_once_in_2026(sample: sqlite3.Connection) -> None:
    rows = sample.execute(
        "SELECT i.id, i.number, p.received_on, p.amount_cents, p.currency FROM payments p "
        "JOIN invoices i ON i.id = p.invoice_id WHERE i.customer_id = 4472 AND p.received_on >= '2026-01-01'"
    )
    assert rows.fetchall() == [(9010, "INV-2026-9010", "2026-07-24", 845_000, "EUR")]


def test_lumiere_has_one_open_invoice_that_is_not_due(invoices: dict[int, Invoice]) -> None:
    found = [i for i in invoices.values() if i.customer == 4474 and i.left]
    assert [(i.id, i.left, i.due.isoformat(), i.overdue) for i in found] == [(9061, 2_780_000, "2026-09-07", False)]


def test_what_the_other_named_customers_owe_is_what_earlier_exports_say(invoices: dict[int, Invoice]) -> None:
    found = {i.id: i.left for i in invoices.values() if i.customer in (4472, 4473, 4475) and i.left}
    assert found == {8850: 2_310_000, 8899: 318_700, 9033: 96_400, 9044: 200_000, 9091: 141_200}


# --- a business that adds up ------------------------------------------------------------------------------------------


def test_there_are_rows_enough_to_look_like_a_business(sample: sqlite3.Connection) -> None:
    sizes = {table: count(sample, table) for table in TABLES}
    assert sizes["customers"] == 40
    assert 340 <= sizes["invoices"] <= 360
    assert (sizes["suppliers"], sizes["bills"], sizes["tickets"]) == (15, 120, 60)


def test_an_invoices_id_is_the_tail_of_its_number(invoices: dict[int, Invoice]) -> None:
    kinds = {False: "INV", True: "CRN"}
    assert all(i.number == f"{kinds[i.amount < 0]}-{i.issued.year}-{i.id}" for i in invoices.values())


def test_a_higher_number_is_never_an_earlier_day(invoices: dict[int, Invoice]) -> None:
    days = [i.issued for i in invoices.values()]
    assert days == sorted(days)


def test_payments_add_up_to_what_invoices_and_bills_say_is_paid(sample: sqlite3.Connection) -> None:
    for documents, payments, key in (("invoices", "payments", "invoice_id"), ("bills", "bill_payments", "bill_id")):
        paid: Counter[int] = Counter()
        for document, amount in sample.execute(f"SELECT {key}, amount_cents FROM {payments}"):
            paid[document] += amount
        said = dict(sample.execute(f"SELECT id, paid_cents FROM {documents}"))
        assert said == {id: paid[id] for id in said}
        assert set(paid) <= set(said)


def test_an_invoice_and_its_payments_have_one_currency(sample: sqlite3.Connection) -> None:
    for documents, payments, key in (("invoices", "payments", "invoice_id"), ("bills", "bill_payments", "bill_id")):
        mixed = sample.execute(
            f"SELECT COUNT(*) FROM {payments} p JOIN {documents} d ON d.id = p.{key} WHERE d.currency <> p.currency"
        )
        assert mixed.fetchone() == (0,)


def test_nothing_has_happened_after_today(sample: sqlite3.Connection) -> None:
    columns = {
        "customers": ["customer_since"],
        "invoices": ["issued_on"],
        "payments": ["received_on"],
        "bills": ["received_on"],
        "bill_payments": ["paid_on"],
        "tickets": ["opened_on", "closed_on", "reopened_on"],
    }
    for table, names in columns.items():
        for name in names:
            assert sample.execute(f"SELECT MAX({name}) FROM {table}").fetchone()[0] <= TODAY.isoformat(), (table, name)


def test_every_date_is_an_iso_date(sample: sqlite3.Connection) -> None:
    for table in TABLES:
        dates = [c[1] for c in sample.execute(f"PRAGMA table_info({table})") if c[2] == "DATE"]
        for name in dates:
            for (text,) in sample.execute(f"SELECT {name} FROM {table} WHERE {name} IS NOT NULL"):
                assert dt.date.fromisoformat(text).isoformat() == text


def test_no_customer_buys_before_being_one_and_each_pays_on_its_terms(
    sample: sqlite3.Connection, invoices: dict[int, Invoice]
) -> None:
    rows = sample.execute("SELECT id, customer_since, payment_terms_days FROM customers")
    since = {id: (dt.date.fromisoformat(day), terms) for id, day, terms in rows}
    for i in invoices.values():
        assert i.issued >= since[i.customer][0], i.number
        assert (i.due - i.issued).days == (since[i.customer][1] if i.amount > 0 else 0), i.number


def test_open_items_are_all_that_was_invoiced_less_all_that_was_paid(
    sample: sqlite3.Connection, invoices: dict[int, Invoice]
) -> None:
    ledger: dict[str, int] = defaultdict(int)
    for currency, amount in sample.execute("SELECT currency, amount_cents FROM invoices"):
        ledger[currency] += amount
    for currency, amount in sample.execute("SELECT currency, amount_cents FROM payments"):
        ledger[currency] -= amount
    open_items: dict[str, int] = defaultdict(int)
    for i in invoices.values():
        if i.status != "credited":
            open_items[i.currency] += i.left
    assert ledger == open_items
    assert sorted(ledger) == ["EUR", "JPY", "USD"]


# --- hard cases -------------------------------------------------------------------------------------------------------


def test_every_border_of_every_bucket_has_an_invoice(invoices: dict[int, Invoice]) -> None:
    days = {i.days for i in invoices.values() if i.status == "open" and i.amount > 0}
    assert days >= {0, 1, 30, 31, 60, 61, 90, 91}


def test_an_invoice_that_falls_due_today_is_not_overdue(invoices: dict[int, Invoice]) -> None:
    due_today = [i for i in invoices.values() if i.due == TODAY and i.left > 0]
    assert due_today
    assert not any(i.overdue for i in due_today)


def test_a_cancelled_invoice_and_its_credit_note_are_zero_together(invoices: dict[int, Invoice]) -> None:
    notes = [i for i in invoices.values() if i.status == "credited" and i.credits]
    assert len(notes) == 2
    for note in notes:
        assert note.credits is not None
        credited = invoices[note.credits]
        assert (credited.status, credited.customer, credited.currency) == ("credited", note.customer, note.currency)
        assert credited.amount + note.amount == 0


def test_a_credit_note_that_is_not_used_yet_is_open(invoices: dict[int, Invoice]) -> None:
    open_notes = [i for i in invoices.values() if i.amount < 0 and i.status == "open"]
    assert [(i.number, i.left, invoices[i.credits or 0].left) for i in open_notes] == [
        ("CRN-2026-8995", -125_000, 790_000)
    ]


def test_one_invoice_is_overpaid_and_is_not_open(invoices: dict[int, Invoice]) -> None:
    overpaid = [i for i in invoices.values() if i.paid > i.amount > 0]
    assert [(i.id, i.amount, i.paid, i.status) for i in overpaid] == [(8968, 348_000, 384_000, "paid")]


def test_some_invoices_are_paid_in_part(invoices: dict[int, Invoice]) -> None:
    assert {8901, 9015, 9044} <= {i.id for i in invoices.values() if 0 < i.paid < i.amount}


def test_one_customer_is_overdue_in_two_currencies(invoices: dict[int, Invoice]) -> None:
    found: dict[int, set[str]] = defaultdict(set)
    for i in invoices.values():
        if i.overdue:
            found[i.customer].add(i.currency)
    assert {customer for customer, currencies in found.items() if len(currencies) > 1} == {4480}


def test_yen_amounts_have_no_minor_unit(invoices: dict[int, Invoice]) -> None:
    yen = [i for i in invoices.values() if i.currency == "JPY"]
    assert {i.customer for i in yen} == {4481}
    assert any(i.left for i in yen)
    assert any(not i.left for i in yen)


def test_names_that_break_naive_lookups_are_there(sample: sqlite3.Connection) -> None:
    names = [name for (name,) in sample.execute("SELECT name FROM customers ORDER BY id")]
    assert [name for name in names if name.startswith("Helios ")] == ["Helios Energy GmbH", "Helios Print KG"]
    assert "O'Brien Ferries Ltd" in names
    assert "Müller & Söhne Apparatebau KG" in names
    first_words = Counter(name.split()[0] for name in names)
    assert [word for word, times in first_words.items() if times > 1] == ["Helios"]


def test_one_customer_has_no_invoice_at_all(sample: sqlite3.Connection) -> None:
    rows = sample.execute("SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM invoices)")
    assert rows.fetchall() == [("Wolkenkuckuck Verlag GmbH",)]


def test_a_reopened_ticket_is_open_and_one_closed_again_is_not(sample: sqlite3.Connection) -> None:
    assert 538 in open_tickets(sample, 4478)
    assert 541 not in open_tickets(sample, 4488)
    reopened = sample.execute("SELECT id FROM tickets WHERE reopened_on IS NOT NULL ORDER BY id")
    assert reopened.fetchall() == [(538,), (541,)]


def test_a_supplier_has_a_credit_note_and_bills_lie_in_every_bucket(sample: sqlite3.Connection) -> None:
    rows = sample.execute("SELECT due_on, amount_cents - paid_cents FROM bills WHERE amount_cents <> paid_cents")
    left = [((TODAY - dt.date.fromisoformat(due)).days, amount) for due, amount in rows]
    assert [amount for _, amount in left if amount < 0] == [-48_000]
    buckets = Counter(min(max(0, (days + 29) // 30), 4) for days, amount in left if amount > 0)
    assert set(buckets) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE invoices SET status = 'paid' WHERE id = 8812",
        "UPDATE invoices SET paid_cents = 1 WHERE status = 'credited'",
        "UPDATE invoices SET amount_cents = -1 WHERE id = 8812",
        "UPDATE invoices SET due_on = '2020-01-01' WHERE id = 8812",
        "UPDATE payments SET amount_cents = 0 WHERE id = 1",
        "UPDATE tickets SET reopened_on = '2026-08-01' WHERE id = 551",
        "UPDATE invoices SET customer_id = 1 WHERE id = 8812",
    ],
)
def test_the_schema_refuses_what_makes_no_sense(sample: sqlite3.Connection, change: str) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        sample.execute(change)
