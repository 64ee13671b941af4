"""What a claim may leave unsaid of a row: that its total is meant, that who stands beside a payment has paid it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from footnote.documents.cells import ReadCell, ReadRow
from footnote.documents.context import LEGAL_FORMS
from footnote.documents.statements import Statement
from footnote.documents.tokens import Kind, Token


def wanted_of(claim: Statement) -> list[Token]:
    """What has to be met; "invoice" before its number says only what kind of number it is."""
    tokens = claim.tokens
    return [
        token
        for at, token in enumerate(tokens)
        if token.content
        and not (token.keys & NAMED_BY_NUMBER and at + 1 < len(tokens) and tokens[at + 1].kind is Kind.IDENTIFIER)
    ]


RECORDS = frozenset("@invoice @order @delivery_note @agreement @credit_note @number_label".split())
"""Kinds of record, which stand before a reference."""
NAMED_BY_NUMBER = RECORDS - {"@credit_note", "@delivery_note"}
"""Kinds that a reference names well enough; what an invoice is not has to be said."""


def short_name(row: ReadRow, peers: Sequence[ReadRow]) -> Token | None:
    """The first word of a company's name, by which it is called where no other row's company begins alike."""
    mine = _first_of_company(row.label)
    others = (_first_of_company(peer.label) for peer in peers if peer.unit is not row.unit)
    if mine is None or any(other is not None and other.keys & mine.keys for other in others):
        return None
    return mine


def _first_of_company(label: Sequence[Token]) -> Token | None:
    words = [token for token in label if token.kind is Kind.WORD]
    company = len(words) > 1 and any(token.text in LEGAL_FORMS for token in words[1:])
    return words[0] if company and (words[0].name or words[0].capital) and len(words[0].text) > 3 else None


def says_total(
    claim: Statement, words: Sequence[Token], row: ReadRow, cell: ReadCell, identity: Sequence[Token]
) -> bool:
    """In "invoice 8812 amounts to 5 EUR" nothing but the record is named: the amount in its row of the total is meant."""
    record = any(t.kind is Kind.IDENTIFIER and t.keys & all_keys(identity) for t in claim.tokens)
    plain = all(t.kind is Kind.IDENTIFIER or t.keys & (RECORDS | TOTALS) or says_date(t, claim) for t in words)
    label = [t for t in row.label if t.kind is Kind.WORD and not t.soft]
    heads = all_keys(cell.headers)
    amount = cell.value is not None and (bool(cell.value.currency) or len(row.cells) == 1)
    counted = heads & {"@quantity", "@unit_price"} or (cell.value is not None and cell.value.unit)
    return record and plain and bool(label) and all(t.keys & TOTALS for t in label) and amount and not counted


def says_date(token: Token, claim: Statement) -> bool:
    """The date of the record itself: "invoice 8812 of 3 May"."""
    at = next(n for n, other in enumerate(claim.tokens) if other is token)
    return token.kind is Kind.PERIOD and at > 0 and claim.tokens[at - 1].text in ("of", "dated", "vom", "du", "dnia")


TOTALS = frozenset(("@total", "@amount_due", "@invoice_total"))
"""Labels of what a record comes to."""


def pays(claim: Statement, row: ReadRow, cell: ReadCell, around: Sequence[Token]) -> bool:
    """In a bank statement whoever a positive amount stands beside has paid it: before the verb, or behind "by"."""
    keys = all_keys([*around, *row.table])
    if "@bank_statement" not in keys or cell.value is None or cell.value.value <= 0:
        return False
    verb = next((at for at, token in enumerate(claim.tokens) if "@pay" in token.keys), -1)
    names = [at for at, token in enumerate(claim.tokens) if token.keys & all_keys(row.fields) and token.name]
    first = min(names, default=-1)
    by = first > 0 and claim.tokens[first - 1].text in ("by", "from", "von", "par", "przez", "od")
    return 0 <= first < verb or by


def all_keys(tokens: Iterable[Token]) -> frozenset[str]:
    """Keys of all that says something among tokens."""
    return frozenset(key for token in tokens for key in token.keys if token.content)
