"""Makes a GnuCash book with piecash: `python gnucash_book.py FILE CURRENCY`.

Run in an environment of its own that has piecash (GPL), which is no dependency of Footnote. The book has two currencies, a
fund counted in thousandths, customers and vendors, and documents that are posted as GnuCash does it: a transaction on the
receivable or payable account whose split is in a lot, the lot and the due day known to the document. Payments go into the
lot; some are in part, too much, or in no lot.
"""

import datetime as dt
import random
import sys
import uuid
import warnings
from decimal import Decimal

warnings.simplefilter("ignore")

import piecash  # noqa: E402
from piecash import Account, Split, Transaction  # noqa: E402
from piecash.business.invoice import Invoice  # noqa: E402
from piecash.core.transaction import Lot  # noqa: E402

FIRST = dt.date(2025, 7, 1)
DAYS = 500


def main(file, currency):
    random.seed(f"footnote {currency}")
    book = piecash.create_book(sqlite_file=file, currency=currency, overwrite=True)
    own = book.default_currency
    other = piecash.factories.create_currency_from_ISO("USD" if currency == "EUR" else "EUR")
    fund = piecash.Commodity(namespace="FUND", mnemonic="WORLD", fullname="A fund", fraction=1000)
    book.add(other)
    book.add(fund)
    accounts = chart(book.root_account, own, other, fund)
    book.flush()
    bookings(book, accounts, own)
    receivable(book, accounts, own)
    payable(book, accounts, own)
    close_the_year(book, accounts, own)
    book.save()
    book.close()


def chart(root, own, other, fund):
    made = {}

    def add(name, kind, parent, commodity=own, placeholder=False):
        made[name] = Account(name=name, type=kind, parent=parent, commodity=commodity, placeholder=placeholder)
        return made[name]

    assets = add("Assets", "ASSET", root, placeholder=True)
    add("Checking", "BANK", assets)
    add("Foreign account", "BANK", assets, other)
    add("Petty cash", "CASH", assets)
    add("Fund", "MUTUAL", assets, fund)
    add("Receivables", "RECEIVABLE", assets)
    debts = add("Debts", "LIABILITY", root, placeholder=True)
    add("Credit card", "CREDIT", debts)
    add("Payables", "PAYABLE", debts)
    add("Opening", "EQUITY", root)
    income = add("Income", "INCOME", root, placeholder=True)
    add("Sales", "INCOME", income)
    add("Interest", "INCOME", income)
    costs = add("Costs", "EXPENSE", root, placeholder=True)
    for name in ("Rent", "Travel", "Fees"):
        add(name, "EXPENSE", costs)
    return made


def book_it(book, own, day, text, *splits):
    return Transaction(currency=own, description=text, post_date=day, splits=list(splits))


def amount(least=1_000, most=90_000):
    return Decimal(random.randint(least, most)) / 100


def bookings(book, a, own):
    book_it(book, own, FIRST, "opening", Split(a["Checking"], Decimal(50_000)), Split(a["Opening"], Decimal(-50_000)))
    for number in range(160):
        day = FIRST + dt.timedelta(days=random.randrange(DAYS))
        value = amount()
        kind = random.choice(["rent", "travel", "card", "interest", "exchange", "fund", "till"])
        if kind == "rent":
            splits = [Split(a["Rent"], value), Split(a["Checking"], -value)]
        elif kind == "travel":
            fee = Decimal("1.50")
            splits = [Split(a["Travel"], value), Split(a["Fees"], fee), Split(a["Checking"], -value - fee)]
        elif kind == "card":
            splits = [Split(a["Travel"], value), Split(a["Credit card"], -value)]
        elif kind == "interest":
            splits = [Split(a["Checking"], value), Split(a["Interest"], -value)]
        elif kind == "exchange":
            bought = (value * Decimal("0.91")).quantize(Decimal("0.01"))
            splits = [Split(a["Foreign account"], value, quantity=bought), Split(a["Checking"], -value)]
        elif kind == "fund":
            units = (value / Decimal("87.3")).quantize(Decimal("0.001"))
            splits = [Split(a["Fund"], value, quantity=units), Split(a["Checking"], -value)]
        else:
            splits = [Split(a["Petty cash"], value), Split(a["Checking"], -value)]
        book_it(book, own, day, f"{kind} {number}", *splits)
    book.flush()


def post(book, own, account, against, owner, kind, number, day, value, due_in):
    """A posted document: positive values are owed to us, or by us where the account is a payable one."""
    lot = Lot(title=f"Document {number}", account=account)
    own_split = Split(account, value, lot=lot, action="Invoice")
    transaction = book_it(book, own, day, owner.name, own_split, Split(against, -value))
    book.flush()
    transaction["trans-date-due"] = dt.datetime.combine(day + dt.timedelta(days=due_in), dt.time(10, 59))
    transaction["trans-txn-type"] = "I"
    document(book, own, number, owner, kind, day, post_txn=transaction.guid, post_lot=lot.guid, post_acc=account.guid)
    return lot, transaction


def pay(book, own, account, bank, day, value, lot, text):
    split = Split(account, -value, action="Payment")
    if lot is not None:
        split.lot = lot
    book_it(book, own, day, text, Split(bank, value), split)


def document(book, own, number, owner, kind, posted, **links):
    """A row of the table of documents, which piecash reads and does not make itself."""
    moment = dt.datetime.combine(posted or FIRST, dt.time(10, 59))
    values = {"guid": uuid.uuid4().hex, "id": number, "date_opened": moment, "date_posted": moment if posted else None}
    values |= {
        "notes": "",
        "active": 1,
        "currency": own.guid,
        "owner_type": kind,
        "owner_guid": owner.guid,
        "billing_id": "",
    }
    values |= {"charge_amt_num": 0, "charge_amt_denom": 1}
    book.session.execute(Invoice.__table__.insert().values(**values, **links))


def receivable(book, a, own):
    customers = [piecash.Customer(name=f"Customer {n:02d}", currency=own, book=book) for n in range(1, 9)]
    book.flush()
    for number in range(70):
        customer = random.choice(customers)
        day = FIRST + dt.timedelta(days=random.randrange(DAYS - 20))
        value = amount() * (-1 if number % 13 == 5 else 1)
        lot, _ = post(
            book,
            own,
            a["Receivables"],
            a["Sales"],
            customer,
            2,
            f"R-{number:04d}",
            day,
            value,
            random.choice([10, 30, 60]),
        )
        share = random.choice([Decimal(0), Decimal(0), Decimal("0.4"), Decimal(1), Decimal(1), Decimal("1.1")])
        if value > 0 and share:
            for part in (share / 2, share - share / 2):
                paid = (value * part).quantize(Decimal("0.01"))
                later = day + dt.timedelta(days=random.randrange(1, 90))
                pay(book, own, a["Receivables"], a["Checking"], later, paid, lot, customer.name)
    for number in range(3):
        pay(
            book,
            own,
            a["Receivables"],
            a["Checking"],
            FIRST + dt.timedelta(days=200 + number),
            amount(),
            None,
            f"on account {number}",
        )
    document(book, own, "R-DRAFT", customers[0], 2, None)


def payable(book, a, own):
    vendors = [piecash.Vendor(name=f"Vendor {n:02d}", currency=own, book=book) for n in range(1, 4)]
    book.flush()
    for number in range(25):
        day = FIRST + dt.timedelta(days=random.randrange(DAYS - 20))
        value = -amount()
        vendor = random.choice(vendors)
        lot, _ = post(book, own, a["Payables"], a["Fees"], vendor, 4, f"B-{number:04d}", day, value, 30)
        if number % 3:
            paid = (value * random.choice([Decimal(1), Decimal("0.5")])).quantize(Decimal("0.01"))
            pay(
                book,
                own,
                a["Payables"],
                a["Checking"],
                day + dt.timedelta(days=random.randrange(1, 60)),
                paid,
                lot,
                vendor.name,
            )


def close_the_year(book, a, own):
    """What "Close Book" of GnuCash does at the end of 2025: income and expenses are carried to equity."""
    book.flush()
    day = dt.date(2025, 12, 31)
    splits, total = [], Decimal(0)
    for name in ("Sales", "Interest", "Rent", "Travel", "Fees"):
        balance = sum((s.value for s in a[name].splits if s.transaction.post_date <= day), Decimal(0))
        if balance:
            splits.append(Split(a[name], -balance))
            total += balance
    closing = book_it(book, own, day, "close the book", *splits, Split(a["Opening"], total))
    book.flush()
    closing["book_closing"] = 1


if __name__ == "__main__":
    main(*sys.argv[1:])
