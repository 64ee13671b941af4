"""First operations of a draft: what is overdue, who owes it, what was paid; or at least how many rows there are."""

from __future__ import annotations

from footnote.connect.draft.owed import Owed
from footnote.connect.draft.reading import Read
from footnote.connect.draft.records import DraftRecord, money_keys
from footnote.connect.draft.text import column_name, filled, literal, scalar, statement, table_name
from footnote.connect.draft.words import identifier
from footnote.sources.query import ValueType

_OVERDUE = """
<<remarks>>
<<name>>:
  title: <<title>>
  description: <<about>>
  parameters:
    - {name: <<who>>, type: entity, entity: <<who>>, description: Name or number.}
    - {name: asOfDate, type: date, default: today, description: Overdue as of this date.}
  as_of: {parameter: asOfDate, basis: current}
  statements:
    items:
      shape: many
      each: {record: <<item>>, key: [<<keys>>]}
      grain: <<item>>
      statement: |
        <<items>>
      columns:
        <<key_columns>>
        <<number_column>>
        dueOn: {type: <<due>>, label: Due}
        <<currency_column>>
        openAmount: {<<money>>, label: Open}
        daysOverdue: {type: integer, unit: days, label: Days past due}
    totals:
      shape: one
      grain: <<item>>
      totals_of: items
      statement: |
        <<totals>>
      columns:
        <<currency_column>>
        itemCount: {type: count, label: Overdue items}
        totalOverdue: {<<money>>, label: Overdue}
        oldestDaysOverdue: {type: integer, unit: days, label: Days past due of the oldest}
  checks:
    - {equal: [totals.totalOverdue, sum(items.openAmount)], say: The total equals the items listed.}
  empty: {when: itemCount = 0, reason: "{<<who>>} has nothing overdue as of {asOfDate}."}
  answer: >-
    {<<who>>} is {totalOverdue} overdue across {itemCount} {itemCount:item|items} as of {asOfDate}, the oldest
    {oldestDaysOverdue} {oldestDaysOverdue:day|days} past due.
  <<ask>>
"""

_BY_PARTY = """
<<remarks>>
<<name>>:
  title: <<title>>
  description: <<about>>
  parameters:
    - {name: asOfDate, type: date, default: today, description: Overdue as of this date.}
  as_of: {parameter: asOfDate, basis: current}
  statements:
    parties:
      shape: many
      grain: <<item>>
      statement: |
        <<parties>>
      columns:
        party: {type: <<party_type>>, label: <<party>>}
        <<currency_column>>
        itemCount: {type: count, label: Overdue items}
        overdueAmount: {<<money>>, label: Overdue}
    totals:
      shape: one
      grain: <<item>>
      statement: |
        <<totals>>
      columns:
        <<currency_column>>
        itemTotal: {type: count, label: Overdue items}
        totalOverdue: {<<money>>, label: Overdue}
  checks:
    - {equal: [totals.totalOverdue, sum(parties.overdueAmount)], say: Every overdue item is somebody's.}
  empty: {when: itemTotal = 0, reason: "Nothing is overdue as of {asOfDate}."}
  answer: "{totalOverdue} is overdue across {itemTotal} {itemTotal:item|items} as of {asOfDate}."
  <<ask>>
"""

_PAYMENTS = """
<<name>>:
  title: <<title>>
  description: <<about>>
  parameters:
    - {name: <<who>>, type: entity, entity: <<who>>, description: Name or number.}
    - {name: period, type: period, default: this_year, description: When it was paid.}
  statements:
    payments:
      shape: many
      each: {record: <<item>>, key: [<<keys>>]}
      grain: <<item>>
      statement: |
        <<items>>
      columns:
        <<key_columns>>
        paidOn: {type: <<dated>>, label: Paid}
        <<currency_column>>
        amount: {<<money>>, label: Amount}
    totals:
      shape: one
      grain: <<item>>
      totals_of: payments
      statement: |
        <<totals>>
      columns:
        <<currency_column>>
        paymentCount: {type: count, label: Payments}
        totalPaid: {<<money>>, label: Paid}
  checks:
    - {equal: [totals.totalPaid, sum(payments.amount)], say: The total equals the payments listed.}
  empty: {when: paymentCount = 0, reason: "There is no payment of {<<who>>} in this period."}
  answer: "{paymentCount} {paymentCount:payment|payments} of {<<who>>} add up to {totalPaid}."
"""

_COUNT = """
<<name>>:
  title: <<title>>
  description: <<about>>
  statements:
    all:
      shape: one
      grain: <<item>>
      statement: |
        <<all>>
      columns: {rowCount: {type: count, label: Rows}}
  answer: <<answer>>
"""


def plural(record: DraftRecord) -> str:
    """The record type's table in the name of an operation."""
    return identifier(record.read.schema.name, capital=True)


def overdue_of_party(owed: Owed, ask: str) -> str:
    """`getOverdue…`: the overdue items of one party, and their total."""
    read, who = owed.read, owed.party.name
    where = [f"{owed.sql(owed.link.column)} = :{who}", *owed.overdue()]
    days, keys = f"days_between(:asOfDate, {owed.sql(read.due or '')})", read.schema.primary_key
    shown = {"number": read.number if read.number not in keys else None, "dueOn": read.due, "currency": read.currency}
    select = [f'{owed.sql(key)} AS "rowKey{i + 1}"' for i, key in enumerate(keys)]
    select += [f'{owed.sql(column)} AS "{alias}"' for alias, column in shown.items() if column]
    select += [f'{owed.open()} AS "openAmount"', f'{days} AS "daysOverdue"']
    order = [owed.sql(read.due or ""), *map(owed.sql, keys)]
    totals = ['COUNT(*) AS "itemCount"', f'SUM({owed.open()}) AS "totalOverdue"', f'MAX({days}) AS "oldestDaysOverdue"']
    number = shown["number"]
    return filled(
        _OVERDUE,
        _about(owed, f"getOverdue{plural(owed.item)}", f"one {who}", ask)
        | _keys(read)
        | {
            "who": who,
            "items": statement(select, table_name(read, owed.dialect), where, order=order),
            "number_column": f"number: {{type: {_key_type(read, number)}, label: Number}}" if number else "",
            "due": _date_type(read, read.due or ""),
            "totals": _totals(read, owed.dialect, totals, where),
        },
    )


def overdue_by_party(owed: Owed, ask: str) -> str:
    """`getOverdue…By…`: who is behind, with a total over all."""
    read, party, who = owed.read, owed.party.read, owed.party.name
    key = party.schema.primary_key[0]
    shown = party.name or key
    code = [owed.sql(read.currency, "i")] if read.currency else []
    source = (
        f"{table_name(read, owed.dialect)} AS i\n"
        f"JOIN {table_name(party, owed.dialect)} AS p ON {owed.sql(owed.link.column, 'i')} = {owed.sql(key, 'p')}"
    )
    select = [f'{owed.sql(shown, "p")} AS "party"', *(f'{c} AS "currency"' for c in code), 'COUNT(*) AS "itemCount"']
    select.append(f'SUM({owed.open("i")}) AS "overdueAmount"')
    group = [owed.sql(key, "p"), owed.sql(shown, "p"), *code]
    order = [owed.sql(shown, "p"), *group]
    totals = ['COUNT(*) AS "itemTotal"', f'SUM({owed.open()}) AS "totalOverdue"']
    name = f"getOverdue{plural(owed.item)}By{identifier(who, capital=True)}"
    return filled(
        _BY_PARTY,
        _about(owed, name, f"every {who}", ask)
        | {
            "parties": statement(select, source, owed.overdue("i"), group, order),
            "party_type": _key_type(party, shown),
            "party": scalar(owed.party.title),
            "totals": _totals(read, owed.dialect, totals, owed.overdue()),
        },
    )


def payments_of_party(payment: DraftRecord, party: DraftRecord, column: str, dialect: str) -> str:
    """`get…`: the payments of one party in a period, and their total."""
    read, who = payment.read, party.name
    dated, amount = (column_name(c or "", dialect) for c in (read.dated, read.amount))
    is_moment = read.kind(read.dated or "") is ValueType.DATETIME
    within = [f"{dated} >= :period_from", f"{dated} <= :period_to"]
    if is_moment:  # a moment on the last day is later than that day's midnight
        within = [f"days_between({dated}, :period_from) >= 0", f"days_between(:period_to, {dated}) >= 0"]
    where = [f"{column_name(column, dialect)} = :{who}", *within]
    keys = [column_name(key, dialect) for key in read.schema.primary_key]
    select = [*(f'{key} AS "rowKey{i + 1}"' for i, key in enumerate(keys)), f'{dated} AS "paidOn"']
    select += [f'{column_name(read.currency, dialect)} AS "currency"'] if read.currency else []
    select.append(f'{amount} AS "amount"')
    totals = ['COUNT(*) AS "paymentCount"', f'SUM({amount}) AS "totalPaid"']
    about = f"Payments of one {who} in a period, with their sum. DECIDE: say when to use it, and what cancelled ones look like."
    return filled(
        _PAYMENTS,
        _money(read, read.amount or "")
        | _keys(read)
        | {
            "name": f"get{plural(payment)}",
            "title": scalar(f"{payment.title} of one {who}"),
            "about": scalar(about),
            "who": who,
            "item": payment.name,
            "items": statement(select, table_name(read, dialect), where, order=[dated, *keys]),
            "dated": _date_type(read, read.dated or ""),
            "totals": _totals(read, dialect, totals, where),
        },
    )


def count_of(record: DraftRecord, dialect: str) -> str:
    """`count…`: how many rows a table has; for a database of which nothing else could be read."""
    title = record.title.lower()
    return filled(
        _COUNT,
        {
            "name": f"count{plural(record)}",
            "title": scalar(f"Number of {title}"),
            "about": scalar(f"How many rows of {title} there are. DECIDE: say when to use it."),
            "item": record.name,
            "all": statement(['COUNT(*) AS "rowCount"'], table_name(record.read, dialect)),
            "answer": scalar(f"{literal(record.title)}: {{rowCount}}."),
        },
    )


def _about(owed: Owed, name: str, whose: str, ask: str) -> dict[str, str]:
    about = (
        f"What {whose} owes that is past due and open, with the total. Balances are those recorded now, whatever asOfDate "
        "says. DECIDE: say when to use it and when not."
    )
    if owed.read.role == "bill":
        about = about.replace(f"What {whose} owes", f"What is owed to {whose}")
    return _money(owed.read, owed.open_column) | {
        "remarks": "\n".join(owed.remarks()),
        "name": name,
        "title": scalar(f"Overdue {owed.item.title.lower()} of {whose}"),
        "about": scalar(about),
        "item": owed.item.name,
        "ask": f"ask: [{ask}]" if ask else "",
    }


def _money(read: Read, column: str) -> dict[str, str]:
    return {
        "money": ", ".join(money_keys(read, column, "currency" if read.currency else "")),
        "currency_column": "currency: {type: text, hidden: true}" if read.currency else "",
    }


def _keys(read: Read) -> dict[str, str]:
    keys = read.schema.primary_key
    types = (f"rowKey{i + 1}: {{type: {_key_type(read, key)}, hidden: true}}" for i, key in enumerate(keys))
    return {"keys": ", ".join(f"rowKey{i + 1}" for i in range(len(keys))), "key_columns": "\n".join(types)}


def _totals(read: Read, dialect: str, select: list[str], where: list[str]) -> str:
    if not read.currency:
        return statement(select, table_name(read, dialect), where)
    code = column_name(read.currency, dialect)
    return statement([f'{code} AS "currency"', *select], table_name(read, dialect), where, [code], [code])


def _key_type(read: Read, column: str) -> str:
    return "integer, identifier: true" if read.kind(column) is ValueType.INTEGER else "text"


def _date_type(read: Read, column: str) -> str:
    return "datetime" if read.kind(column) is ValueType.DATETIME else "date"
