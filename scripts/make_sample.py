"""Makes the data files of the pack `sample`: `python scripts/make_sample.py` writes them, `--check` compares.

The company and everyone it trades with are invented. What public answers quote, and every case that is meant to be
hard, is written out literally in `sample_facts.py`; the rest is drawn from one seed. Only `Random.random()` and exact arithmetic on
whole cents are used, because that is all that Python promises to repeat on every version and platform, so that the
files come out byte for byte the same anywhere.

Numbers have gaps: the sample holds a part of the company's documents.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from sample_facts import (
    CUSTOMERS,
    SUPPLIERS,
    WITHHELD,
    Customer,
    Document,
    Supplier,
    Ticket,
    day,
    hard_cases,
    public_facts,
    written_tickets,
)

FOLDER = Path(__file__).resolve().parent.parent / "src" / "footnote" / "packs" / "sample" / "data"
TODAY = dt.date(2026, 8, 14)
SEED = 4711

T = TypeVar("T")
Cell = str | int | dt.date | None


# --- drawing ----------------------------------------------------------------------------------------------------------


class Draw:
    """Draws from one seed with `Random.random()` alone."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def share(self) -> float:
        """At least 0, below 1."""
        return self._random.random()

    def between(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int(self._random.random() * (high - low + 1))

    def one_of(self, items: Sequence[T]) -> T:
        """Each as likely as the others."""
        return items[self.between(0, len(items) - 1)]

    def weighted(self, items: Sequence[tuple[T, int]]) -> T:
        """Each as likely as its weight says."""
        point = self.between(1, sum(weight for _, weight in items))
        for item, weight in items:
            point -= weight
            if point <= 0:
                return item
        raise AssertionError("weights add up to less than their sum")

    def some_of(self, items: Sequence[T], count: int) -> list[T]:
        """`count` of them, none twice."""
        rest = list(items)
        return [rest.pop(self.between(0, len(rest) - 1)) for _ in range(count)]


def workday(when: dt.date) -> dt.date:
    """The day itself, or the Monday after a weekend."""
    return when + dt.timedelta(days=max(0, 7 - when.weekday()) if when.weekday() > 4 else 0)


def date_of(id: int, known: Sequence[tuple[int, dt.date]]) -> dt.date:
    """The day on which a number was given out, between the neighbours whose days are known."""
    low = max((pair for pair in known if pair[0] <= id), key=lambda pair: pair[0])
    high = min((pair for pair in known if pair[0] >= id), key=lambda pair: pair[0])
    days = (high[1] - low[1]).days * (id - low[0]) // max(1, high[0] - low[0])
    return min(workday(low[1] + dt.timedelta(days=days)), high[1])


SIZES = {"enterprise": 1_150_000, "mid-market": 520_000, "small": 130_000}
ENDINGS = (0, 0, 0, 0, 50, 90, 25, 40)


def amount_for(draw: Draw, customer: Customer, currency: str) -> int:
    """Minor units; most sums small, few large."""
    share = draw.share()
    size = int(SIZES[customer.segment] * (0.25 + 1.9 * share * share))
    if currency == "JPY":
        return size // 1_000 * 1_000
    return size // 1_000 * 1_000 + draw.one_of((0, 0, 500)) + draw.one_of(ENDINGS)


def payments_for(draw: Draw, document: Document, customer: Customer) -> list[tuple[dt.date, int, str]]:
    """Paid at once, in two parts, or not yet; what lies after today has not happened."""
    method = draw.weighted([("bank_transfer", 8), ("direct_debit", 2 if customer.segment == "small" else 1)])
    day_paid = workday(document.due + dt.timedelta(days=draw.between(*customer.delay)))
    parts = [(day_paid, document.amount)]
    if draw.share() < 0.07:
        first = document.amount * draw.one_of((3, 4, 5, 6)) // 10
        later = workday(day_paid + dt.timedelta(days=draw.between(9, 30)))
        parts = [(day_paid, first), (later, document.amount - first)]
    return [(when, cents, method) for when, cents in parts if when <= TODAY]


def may_buy(customer: Customer, when: dt.date) -> bool:
    """Keeps drawn invoices away from what public answers quote about the named customers."""
    if customer.id == 4472:  # one payment in 2026, so that all before it was paid in 2025
        return when <= dt.date(2025, 9, 12)
    if customer.id in {4473, 4474, 4475, 4481}:  # open: only what is written out
        return day(customer.since) <= when <= dt.date(2026, 4, 17)
    return day(customer.since) <= when


def drawn_invoices(draw: Draw, written: Sequence[Document], count: int) -> list[Document]:
    """Invoices in the gaps between those written out; a higher number is never an earlier day."""
    taken = {document.id for document in written}
    known = [(7750, dt.date(2025, 1, 2)), *((d.id, d.issued) for d in written), (9126, TODAY)]
    out = []
    for id in sorted(draw.some_of([n for n in range(7751, 9126) if n not in taken], count)):
        issued = date_of(id, known)
        customer = draw.weighted([(c, c.weight) for c in CUSTOMERS if c.weight and may_buy(c, issued)])
        currency = {4480: draw.one_of(("USD", "USD", "EUR")), 4481: "JPY"}.get(customer.id, "EUR")
        due = issued + dt.timedelta(days=customer.terms)
        document = Document(id, "INV", customer.id, issued, due, currency, amount_for(draw, customer, currency), [])
        document.payments = payments_for(draw, document, customer)
        out.append(document)
    return out


# --- suppliers --------------------------------------------------------------------------------------------------------


def bill(id: int, supplier: Supplier, received: dt.date, amount: int) -> Document:
    """A supplier's bill, due after the terms agreed with it."""
    due = received + dt.timedelta(days=supplier.terms)
    return Document(id, "BILL", supplier.id, received, due, supplier.currency, amount, [])


def bills(draw: Draw) -> list[Document]:
    """Paid in the weekly run (Tuesdays) on or after the due date, unless withheld; one supplier's credit note."""
    known = [(3000, dt.date(2025, 1, 8)), (3120, dt.date(2026, 8, 12))]
    out = []
    for id in range(3001, 3120):
        received = date_of(id, known)
        chosen = draw.weighted([(supplier, supplier.weight) for supplier in SUPPLIERS])
        share = draw.share()
        amount = int(chosen.size * (0.4 + 1.4 * share * share)) // 100 * 100 + draw.one_of(ENDINGS)
        document = bill(id, chosen, received, amount)
        run = document.due + dt.timedelta(days=(1 - document.due.weekday()) % 7)
        if run <= TODAY and id not in WITHHELD:
            document.payments = [(run, amount, "bank_transfer")]
        out.append(document)
    short = next(d for d in reversed(out) if d.partner == 705 and d.payments)
    seidenfaden = next(supplier for supplier in SUPPLIERS if supplier.id == short.partner)
    credit = bill(3120, seidenfaden, dt.date(2026, 8, 12), -48_000)  # a bolt of cloth sent back
    credit.prefix, credit.credits, credit.due = "CRN", short.id, credit.issued
    return [*out, credit]


# --- tickets ----------------------------------------------------------------------------------------------------------

SUBJECTS = [
    "Pallet arrived damaged", "Delivery short by one carton", "Wrong article delivered", "Invoice address is outdated",
    "Delivery date missed", "Please send the proof of delivery", "Price differs from the quotation",
    "Question about the customs tariff number", "Label on the carton is unreadable", "Return of unsold goods",
    "Request for a duplicate invoice", "Change of the contact person", "Certificate of origin is missing",
    "Goods do not match the sample", "Forwarder cannot reach the consignee", "Discount was not applied",
]  # fmt: skip


def tickets(draw: Draw) -> list[Ticket]:
    """Tickets around those written out, of customers that public answers do not name."""
    written = written_tickets()
    taken = {ticket[0] for ticket in written}
    known = [(500, dt.date(2025, 2, 3)), *((t[0], t[2]) for t in written), (560, dt.date(2026, 8, 13))]
    others = [c for c in CUSTOMERS if c.id > 4475]
    out = list(written)
    for id in (n for n in range(501, 561) if n not in taken):
        opened = date_of(id, known)
        customer = draw.weighted([(c, c.weight) for c in others if c.weight and day(c.since) <= opened])
        severity = draw.weighted([("low", 5), ("medium", 4), ("high", 2)])
        closed = workday(opened + dt.timedelta(days=draw.between(1, 24)))
        still_open = closed > TODAY or id in {536, 545, 548, 557, 559}
        subject = draw.one_of(SUBJECTS)
        out.append((id, customer.id, opened, None if still_open else closed, None, severity, subject))
    return sorted(out)


# --- files ------------------------------------------------------------------------------------------------------------


def table(header: str, rows: Iterable[Sequence[Cell]]) -> str:
    """CSV with LF line ends; NULL is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header.split())
    writer.writerows(rows)
    return text.getvalue()


def payment_rows(documents: Iterable[Document], first_id: int) -> list[tuple[Cell, ...]]:
    """One row a payment, numbered in the order in which the money moved."""
    flat = sorted((when, d.id, cents, method, d) for d in documents for when, cents, method in d.payments)
    return [
        (id, d.id, when, d.currency, cents, method, d.number)
        for id, (when, _, cents, method, d) in enumerate(flat, first_id)
    ]


def document_rows(documents: Iterable[Document]) -> list[tuple[Cell, ...]]:
    """One row an invoice or bill, in the order of their numbers."""
    return [
        (d.id, d.number, d.partner, d.issued, d.due, d.currency, d.amount, d.paid, d.status, d.credits)
        for d in sorted(documents, key=lambda d: d.id)
    ]


def files() -> dict[str, str]:
    """Every data file by name."""
    draw = Draw(SEED)
    written = [*public_facts(), *hard_cases()]
    invoices = [*written, *drawn_invoices(draw, written, 316)]
    payables = bills(draw)
    money = "currency amount_cents"
    return {
        "customers.csv": table(
            "id name city country segment payment_terms_days account_owner customer_since",
            [(c.id, c.name, c.city, c.country, c.segment, c.terms, c.owner, c.since) for c in CUSTOMERS],
        ),
        "suppliers.csv": table(
            "id name city country category payment_terms_days",
            [(s.id, s.name, s.city, s.country, s.category, s.terms) for s in SUPPLIERS],
        ),
        "invoices.csv": table(
            f"id number customer_id issued_on due_on {money} paid_cents status credits_invoice_id",
            document_rows(invoices),
        ),
        "payments.csv": table(f"id invoice_id received_on {money} method reference", payment_rows(invoices, 1)),
        "bills.csv": table(
            f"id number supplier_id received_on due_on {money} paid_cents status credits_bill_id",
            document_rows(payables),
        ),
        "bill_payments.csv": table(f"id bill_id paid_on {money} method reference", payment_rows(payables, 1)),
        "tickets.csv": table("id customer_id opened_on closed_on reopened_on severity subject", tickets(draw)),
    }


def main(arguments: Sequence[str]) -> int:
    """Write the files, or say which differ from what would be written."""
    differing = [
        name for name, text in files().items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_bytes() != text.encode()
    ]  # fmt: skip
    if "--check" in arguments:
        print("\n".join(f"differs: {name}" for name in differing) or "the files are as this script makes them")
        return 1 if differing else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_bytes(text.encode())
    print("\n".join(f"written: {name}" for name in differing) or "nothing to change")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
