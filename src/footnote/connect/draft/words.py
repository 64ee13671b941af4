"""Words by which tables and columns show what they are, in the languages that ERPs are written in.

Names are compared folded: lower case, without accents, in parts (`Rechnungs-Nr` is `rechnungs nr`). A word of at least five
letters counts anywhere in a part, since German and Polish names are compounds; a shorter one is a part as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from footnote.catalog.scalars import is_plain_text

_FOLDED: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"}
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

CUSTOMER: Final = (
    "customer client debtor kunde kunden debitor klient odbiorca cliente acheteur buyer account_holder".split()
)
SUPPLIER: Final = "supplier vendor creditor lieferant kreditor dostawca fournisseur proveedor fornitore".split()
PARTY: Final = "partner party contact geschaeftspartner kontrahent tiers company firma adresse person".split()
BILL: Final = (
    "bill bills eingangsrechnung lieferantenrechnung purchase_invoice vendor_bill supplier_invoice payable".split()
)
INVOICE: Final = "invoice rechnung faktura faktury facture factura fattura receivable forderung naleznosc".split()
PAYMENT: Final = (
    "payment payments receipt zahlung zahlungen zahlungseingang paiement platnosc wplata pago pagamento".split()
)

DUE: Final = "due faellig faelligkeit echeance termin_platnosci platnosci vencimiento scadenza zahlbar".split()
ISSUED: Final = (
    "issued issue invoice_date rechnungsdatum belegdatum buchungsdatum posting wystawienia emission date datum".split()
)
RECEIVED: Final = "received paid_on eingang zahlungsdatum valuta booked date datum wplaty reglement".split()
OPEN: Final = (
    "outstanding residual open offen offener balance saldo solde restbetrag remaining unpaid do_zaplaty".split()
)
PAID: Final = "paid bezahlt gezahlt beglichen zaplacono zaplacone paye pagado pagato settled".split()
AMOUNT: Final = "amount total gross betrag brutto summe montant kwota wartosc importe importo value".split()
PRICE: Final = "price cost preis kosten fee gebuehr netto net tax steuer vat mwst debit credit soll haben limit".split()
MINOR: Final = "cents cent minor grosze grosz rappen pence centimes".split()
NUMBER: Final = "number nummer nr no numer numero belegnr reference referenz code ref".split()
NAME: Final = "name firma bezeichnung nazwa nom nombre title titel label description".split()
STATUS: Final = "status state zustand stan statut estado etat stato docstatus".split()
CURRENCY: Final = "currency waehrung devise waluta moneda valuta curr".split()
VOID: Final = (
    "cancel cancelled canceled void voided credited draft storniert storno gutgeschrieben entwurf annule annulee "
    "anulowana anulowany szkic brouillon deleted geloescht reversed"
).split()
DELETED: Final = "deleted is_deleted geloescht usuniety supprime".split()


@lru_cache(maxsize=20_000)
def parts(name: str) -> tuple[str, ...]:
    """The parts of a name, folded: `KundenNr` and `kunden_nr` are the same."""
    plain = "".join(_FOLDED.get(c, _FOLDED.get(c.lower(), c).title() if c.lower() in _FOLDED else c) for c in name)
    ascii_name = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return tuple(part.lower() for part in _PART.findall(ascii_name))


def is_named(name: str, words: Iterable[str]) -> bool:
    """Whether one of the words stands in a name."""
    found = parts(name)
    joined = "_".join(found)
    for word in words:
        if "_" in word:
            if word in joined:
                return True
        elif any(word == part or (len(word) >= 5 and word in part) for part in found):
            return True
    return False


def identifier(name: str, taken: Iterable[str] = (), *, capital: bool = False) -> str:
    """A name that catalogs accept: ASCII letters, digits and `_`; a number behind it where it is taken already.

    `n`, `no` and `null` are no names: some readers of YAML take them for something else than texts.
    """
    base = "_".join(parts(name)) or "t"
    if base[0].isdigit() or not is_plain_text(base):
        base = f"t_{base}"
    if capital:
        base = "".join(part.title() for part in base.split("_"))
    base, used, found = base[:60], set(taken), base[:60]
    number = 2
    while found in used:
        found = f"{base}_{number}"
        number += 1
    return found


def singular(name: str) -> str:
    """An English plural as a singular; other names as they are."""
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 3:
        return name[:-1]
    return name
