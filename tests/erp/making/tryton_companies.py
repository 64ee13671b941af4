"""Makes a Tryton database on SQLite with trytond and proteus: `python tryton_companies.py FILE`.

Run in an environment of its own that has them (GPL); they are no dependency of Footnote. Two companies, one in dollars and
one in euros, that trade with the same parties: invoices with instalments, in two currencies, drafts, validated and cancelled
ones, credit notes, payments in full and in part, a payment on account, and a closing entry of the first year's result.

What Tryton itself says of it goes into the table `erp_says (company, kind, key, day, value)`: what each party owes and is
owed, aged balances, what is left to pay of each invoice, and the balance of each account.
"""

import datetime as dt
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

TODAY = dt.date(2026, 11, 29)
DAYS = (TODAY, dt.date(2026, 6, 30), dt.date(2026, 2, 10))


def main(file):
    folder = Path(tempfile.mkdtemp(prefix="tryton-"))
    settings = folder / "trytond.conf"
    settings.write_text(f"[database]\nuri = sqlite://\npath = {folder}\n[password]\nlength = 1\n")
    (folder / "password").write_text("made\n")
    admin = [str(Path(sys.executable).with_name("trytond-admin")), "-c", str(settings), "-d", "made"]
    environ = os.environ | {"TRYTONPASSFILE": str(folder / "password")}
    Path(folder / "made.sqlite").touch()
    modules = ["account_invoice"]
    subprocess.run([*admin, "--all", "-p", "--email", "admin@example.com"], check=True, env=environ)
    subprocess.run([*admin, "-u", *modules, "--activate-dependencies"], check=True, env=environ)
    os.environ["DB_NAME"] = "made"
    from proteus import config

    session = config.set_trytond("sqlite:///made", config_file=str(settings))
    session.skip_warning = True
    session.pool.get("ir.date").today = classmethod(lambda cls, timezone=None: TODAY)  # of differences of exchange
    says = populate(session)
    source = folder / "made.sqlite"
    keep(source, says, file)


def keep(source, says, file):
    """Add what Tryton says, and write all of it to one file, what is still in SQLite's own log too."""
    connection = sqlite3.connect(source)
    connection.execute("CREATE TABLE erp_says (company INTEGER, kind TEXT, key TEXT, day TEXT, value TEXT)")
    connection.executemany("INSERT INTO erp_says VALUES (?, ?, ?, ?, ?)", says)
    connection.commit()
    connection.execute("VACUUM INTO ?", (str(file),))
    connection.close()


def model(name):
    """A model of Tryton's, as proteus has it."""
    from proteus import Model

    return Model.get(name)


def populate(session):
    from trytond.modules.company.tests.tools import create_company
    from trytond.modules.currency.tests.tools import get_currency

    random.seed("footnote")
    dollar, euro = get_currency("USD"), get_currency("EUR")
    for month in range(1, 24):
        rate = euro.rates.new()
        rate.date = dt.date(2025 + (month - 1) // 12, (month - 1) % 12 + 1, 1)
        rate.rate = Decimal(random.randrange(88, 97)) / 100
    euro.save()
    party_model = model("party.party")
    people = [party_model(name=f"Customer {n:02d}") for n in range(1, 7)]
    people += [party_model(name=f"Supplier {n:02d}") for n in (1, 2)]
    for party in people:
        party.save()
    says = []
    for name, own, foreign in (("North Trading", dollar, euro), ("South Trading", euro, dollar)):
        party = party_model(name=name)
        party.save()
        create_company(party=party, currency=own)
        company = next(c for c in model("company.company").find() if c.party == party)
        change_company(session, company)
        trade(company, own, foreign, people)
        says += what_tryton_says(session, company, people)
    return says


def change_company(session, company):
    users = model("res.user")
    user = users(session.user)
    if company not in user.companies:
        user.companies.append(model("company.company")(company.id))
    user.company = company
    user.save()
    session._context = users.get_preferences(True, {})


def trade(company, own, foreign, people):
    from trytond.modules.account.tests.tools import create_chart, create_fiscalyear, create_tax, get_accounts
    from trytond.modules.account_invoice.tests.tools import set_fiscalyear_invoice_sequences

    create_chart(company=company)
    for year in (2025, 2026):
        fiscal = create_fiscalyear(company, today=(dt.date(year, 1, 1), dt.date(year, 12, 31)))
        fiscal.start_date, fiscal.end_date, fiscal.name = dt.date(year, 1, 1), dt.date(year, 12, 31), str(year)
        set_fiscalyear_invoice_sequences(fiscal)
        numbers = fiscal.invoice_sequences[0].out_invoice_sequence
        numbers.prefix = f"{year}/"
        numbers.save()
        fiscal.save()
        fiscal.click("create_period")
    accounts = get_accounts(company)
    tax = create_tax(Decimal(".10"), company=company)
    tax.save()
    method = payment_method(accounts)
    exchange(accounts)
    terms = payment_terms()
    invoices = []
    for number in range(30):
        day = TODAY - dt.timedelta(days=random.randrange(20, 480))
        kind, party = ("out", random.choice(people[:6])) if number % 4 else ("in", random.choice(people[6:]))
        currency = foreign if number % 5 == 2 else own
        invoices.append(new_invoice(kind, party, day, currency, accounts, tax, random.choice(terms), number))
    invoices.sort(key=lambda one: one.invoice_date)
    for number, invoice in enumerate(invoices):
        if number % 10 == 6 and invoice.type == "out":  # those of suppliers have an entry then, which is a draft
            invoice.click("validate_invoice")
        elif number % 10 != 3:  # which stay drafts
            invoice.click("post")
    for number, invoice in enumerate(invoices):
        if invoice.state == "posted":
            settle(invoice, number, method)
    on_account(people[0], accounts)
    carry_forward(accounts)


def payment_method(accounts):
    (cash,) = model("account.journal").find([("type", "=", "cash")])
    method = model("account.invoice.payment.method")(name="Cash", journal=cash)
    method.credit_account = method.debit_account = accounts["cash"]
    method.save()
    return method


def exchange(accounts):
    settings = model("account.configuration")(1)
    (journal,) = model("account.journal").find([("code", "=", "EXC")], limit=1)
    settings.currency_exchange_journal = journal
    settings.currency_exchange_credit_account = accounts["revenue"]
    settings.currency_exchange_debit_account = accounts["expense"]
    settings.save()


def payment_terms():
    term_model = model("account.invoice.payment_term")
    once = term_model(name="in 30 days")
    once.lines.new(type="remainder").relativedeltas.new(days=30)
    twice = term_model(name="half and half")
    half = twice.lines.new(type="percent", ratio=Decimal(".5"))
    (first,) = half.relativedeltas
    first.days = 10
    twice.lines.new(type="remainder").relativedeltas.new(days=60)
    for term in (once, twice):
        term.save()
    return once, twice


def new_invoice(kind, party, day, currency, accounts, tax, term, number):
    invoice = model("account.invoice")(type=kind)
    invoice.party, invoice.currency, invoice.invoice_date, invoice.payment_term = party, currency, day, term
    invoice.reference = f"R-{number}"
    for _ in range(random.randrange(1, 3)):
        line = invoice.lines.new()
        line.account = accounts["revenue" if kind == "out" else "expense"]
        line.quantity = random.randrange(1, 9) * (-1 if number % 11 == 5 else 1)
        line.unit_price = Decimal(random.randrange(2_000, 60_000)) / 100
        line.taxes.append(model("account.tax")(tax.id))
    invoice.save()
    return invoice


def settle(invoice, number, method):
    """Payments in full, in part, in foreign currency with a difference of exchange; a credit note for one in nine."""
    from proteus import Wizard

    if invoice.total_amount <= 0:
        return
    if number % 9 == 8 and invoice.type == "out":
        credit = Wizard("account.invoice.credit", [invoice])
        credit.form.with_refund = True
        credit.form.invoice_date = TODAY  # numbers of documents follow their dates
        credit.execute("credit")
        return
    share = (None, Decimal(1), Decimal(".3"), Decimal(".75"))[number % 4]
    if share is None:
        return
    pay = invoice.click("pay")
    pay.form.amount = (pay.form.amount * share).quantize(Decimal(".01"))
    pay.form.payment_method = method
    pay.form.date = min(TODAY, invoice.invoice_date + dt.timedelta(days=random.randrange(5, 80)))
    pay.execute("choice")
    if pay.state != "end":
        pay.form.type = "partial"
        pay.execute("pay")


def new_move(journal, day, lines):
    move = model("account.move")()
    move.journal, move.date = journal, day
    (move.period,) = model("account.period").find(
        [("start_date", "<=", day), ("end_date", ">=", day), ("type", "=", "standard")], limit=1
    )
    for account, party, debit, credit in lines:
        line = move.lines.new()
        line.account, line.debit, line.credit = account, debit, credit
        if party is not None:
            line.party = party
    move.save()
    move.click("post")


def on_account(party, accounts):
    (cash,) = model("account.journal").find([("type", "=", "cash")])
    lines = [
        (accounts["cash"], None, Decimal(250), Decimal(0)),
        (accounts["receivable"], party, Decimal(0), Decimal(250)),
    ]
    new_move(cash, dt.date(2026, 3, 3), lines)


def carry_forward(accounts):
    """The result of 2025 carried to equity, as the wizard for non-deferral accounts does it, in a journal of its own."""
    journal = model("account.journal")(name="Closing", code="CLO", type="situation")
    journal.save()
    lines, total = [], Decimal(0)
    for account in (accounts["revenue"], accounts["expense"]):
        booked = model("account.move.line").find(
            [("account", "=", account.id), ("date", "<=", dt.date(2025, 12, 31)), ("move.state", "=", "posted")]
        )
        balance = sum((line.debit - line.credit for line in booked), Decimal(0))
        total += balance
        lines.append((account, None, max(-balance, Decimal(0)), max(balance, Decimal(0))))
    (equity,) = model("account.account").find(
        [("code", "like", "3.2.%"), ("type", "!=", None), ("closed", "=", False)], limit=1
    )
    lines.append((equity, None, max(total, Decimal(0)), max(-total, Decimal(0))))
    new_move(journal, dt.date(2025, 12, 31), lines)


def what_tryton_says(session, company, people):
    says = []
    for party in model("party.party").find([("id", "in", [one.id for one in people])]):
        says += [
            (company.id, "receivable", party.name, "", str(party.receivable)),
            (company.id, "payable", party.name, "", str(party.payable)),
        ]
    for invoice in model("account.invoice").find([("company", "=", company.id), ("state", "=", "posted")]):
        kind = "to pay" if invoice.currency == company.currency else "to pay in another currency"
        says.append((company.id, kind, invoice.number, invoice.type, str(invoice.amount_to_pay)))
    for account in model("account.account").find(
        [("company", "=", company.id), ("type", "!=", None), ("closed", "=", False)]
    ):
        if account.debit or account.credit:
            says.append((company.id, "account", account.code, "", str(account.balance)))
    for day in DAYS:
        for kind in ("customer", "supplier"):
            context = {"company": company.id, "date": day, "type": kind, "posted": True, "unit": "day"}
            with session.set_context(context | {"term1": 30, "term2": 60, "term3": 90}):
                for row in model("account.aged_balance").find([]):
                    says.append((company.id, f"aged {kind}", row.party.name, str(day), str(row.balance)))
    return says


if __name__ == "__main__":
    main(*sys.argv[1:])
