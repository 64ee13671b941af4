"""The written-out part of the pack `sample`: who trades, what public answers quote, and the cases meant to be hard.

`make_sample.py` draws the rest around it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True)
class Customer:
    """Whom the company sells to."""

    id: int
    name: str
    city: str
    country: str
    segment: str
    terms: int
    owner: str
    since: str
    weight: int
    """How often it buys, among the drawn invoices; 0: only what is written out below."""
    delay: tuple[int, int] = (-4, 12)
    """Days from due date to payment, from and to."""


ANA, MARKO, JELENA, TOBIAS = "Ana Kovač", "Marko Ilić", "Jelena Horvat", "Tobias Lindner"
PROMPT, USUAL, SLOW, POOR = (-6, 2), (-2, 12), (8, 40), (30, 150)

CUSTOMERS = [
    Customer(4471, "Bergmann Logistik GmbH", "Hamburg", "DE", "enterprise", 30, ANA, "2026-03-16", 0),
    Customer(4472, "Nordwind Marine AS", "Bergen", "NO", "mid-market", 45, ANA, "2024-05-06", 5),
    Customer(4473, "Petrov Components d.o.o.", "Novi Sad", "RS", "mid-market", 30, MARKO, "2023-11-20", 9),
    Customer(4474, "Lumière Packaging SARL", "Lyon", "FR", "enterprise", 60, MARKO, "2024-01-15", 7),
    Customer(4475, "Adriatic Foods d.d.", "Split", "HR", "small", 14, ANA, "2024-09-02", 9),
    Customer(4476, "Helios Energy GmbH", "Graz", "AT", "enterprise", 30, JELENA, "2022-02-14", 13),
    Customer(4477, "Helios Print KG", "Leipzig", "DE", "mid-market", 14, TOBIAS, "2023-06-01", 10),
    Customer(4478, "O'Brien Ferries Ltd", "Cork", "IE", "mid-market", 30, JELENA, "2023-03-27", 9, SLOW),
    Customer(4479, "Müller & Söhne Apparatebau KG", "Ulm", "DE", "enterprise", 30, TOBIAS, "2021-10-04", 14, PROMPT),
    Customer(4480, "Halyard Outfitters Inc.", "Portland", "US", "mid-market", 45, JELENA, "2024-07-22", 11),
    Customer(4481, "Kisaragi Instruments K.K.", "Kobe", "JP", "mid-market", 60, JELENA, "2025-04-07", 4, PROMPT),
    Customer(4482, "Wolkenkuckuck Verlag GmbH", "Jena", "DE", "small", 14, TOBIAS, "2026-08-03", 0),
    Customer(4483, "Quillfeather Stationers Ltd", "Bath", "GB", "small", 30, JELENA, "2023-01-09", 9),
    Customer(4484, "Zitronenfalter Textil AG", "Bern", "CH", "enterprise", 30, MARKO, "2022-08-22", 12, PROMPT),
    Customer(4485, "Fjordlys Belysning AS", "Ålesund", "NO", "small", 30, ANA, "2024-02-26", 8),
    Customer(4486, "Kupferkessel Brauhaus OG", "Linz", "AT", "small", 14, TOBIAS, "2024-04-15", 9, SLOW),
    Customer(4487, "Mirabelle Verrerie SAS", "Marseille", "FR", "mid-market", 45, MARKO, "2023-09-11", 9),
    Customer(4488, "Tramontana Ceramiche S.r.l.", "Faenza", "IT", "mid-market", 60, MARKO, "2022-05-30", 9, SLOW),
    Customer(4489, "Gavran Metal d.o.o.", "Zenica", "BA", "mid-market", 30, ANA, "2024-11-04", 7, POOR),
    Customer(4490, "Sjöstjärna Båtvarv AB", "Malmö", "SE", "mid-market", 30, ANA, "2023-04-17", 8),
    Customer(4491, "Żubr Meble sp. z o.o.", "Białystok", "PL", "mid-market", 30, JELENA, "2023-07-03", 9),
    Customer(4492, "Pilgrim Clockworks Ltd", "Leeds", "GB", "small", 30, JELENA, "2025-02-10", 7),
    Customer(4493, "Ostara Saatgut eG", "Halle", "DE", "mid-market", 30, TOBIAS, "2021-03-01", 10, PROMPT),
    Customer(4494, "Modrá Sova Nábytek s.r.o.", "Olomouc", "CZ", "small", 30, JELENA, "2024-10-21", 7),
    Customer(4495, "Tihany Levendula Kft.", "Veszprém", "HU", "small", 14, MARKO, "2025-05-12", 7),
    Customer(4496, "Maestrale Vele S.p.A.", "Genova", "IT", "enterprise", 60, MARKO, "2022-11-14", 9),
    Customer(4497, "Polarni Medved Elektro d.o.o.", "Kranj", "SI", "mid-market", 30, ANA, "2023-02-06", 10),
    Customer(4498, "Sturmvogel Spedition GmbH", "Bremen", "DE", "enterprise", 30, TOBIAS, "2022-01-10", 12),
    Customer(4499, "Marzipan & Mohn Konditorei GmbH", "Lübeck", "DE", "small", 14, TOBIAS, "2024-03-18", 9),
    Customer(4500, "Blauwe Reiger Scheepsbouw B.V.", "Utrecht", "NL", "enterprise", 30, ANA, "2023-10-09", 10),
    Customer(4501, "Grønn Fjær Tekstil AS", "Trondheim", "NO", "small", 30, ANA, "2025-08-25", 6),
    Customer(4502, "Golondrina Cerámica S.L.", "Valencia", "ES", "small", 45, MARKO, "2024-06-10", 7, SLOW),
    Customer(4503, "Papagaio Azul Lda.", "Porto", "PT", "small", 30, MARKO, "2025-01-20", 7),
    Customer(4504, "Kesäyö Sauna Oy", "Tampere", "FI", "small", 14, ANA, "2024-12-02", 7, PROMPT),
    Customer(4505, "Lunegarde Optique SA", "Liège", "BE", "mid-market", 30, MARKO, "2023-05-22", 8),
    Customer(4506, "Rotkehlchen Kinderwagen GmbH", "Nürnberg", "DE", "mid-market", 30, TOBIAS, "2022-09-26", 10),
    Customer(4507, "Emberwick Stoves Ltd", "York", "GB", "small", 30, JELENA, "2024-08-12", 7),
    Customer(4508, "Hexenbesen Reinigung e.U.", "Wien", "AT", "small", 14, TOBIAS, "2025-03-10", 6, POOR),
    Customer(4509, "Twardowski Optyka S.A.", "Kraków", "PL", "mid-market", 30, JELENA, "2023-12-04", 8),
    Customer(4510, "Murmeltier Matratzen GmbH", "Kassel", "DE", "mid-market", 30, TOBIAS, "2022-06-13", 10),
]
BY_ID = {customer.id: customer for customer in CUSTOMERS}


@dataclass
class Document:
    """An invoice (or credit note) or a supplier's bill, with its payments: (day, minor units, method)."""

    id: int
    prefix: str
    partner: int
    issued: dt.date
    due: dt.date
    currency: str
    amount: int
    payments: list[tuple[dt.date, int, str]]
    credits: int | None = None
    cancelled: bool = False

    @property
    def paid(self) -> int:
        """What was paid, in minor units."""
        return sum(amount for _, amount, _ in self.payments)

    @property
    def status(self) -> str:
        """`credited` (cancelled in full, with its credit note), `paid` or `open`."""
        if self.cancelled:
            return "credited"
        return "paid" if self.amount > 0 and self.paid >= self.amount else "open"

    @property
    def number(self) -> str:
        """The number on the paper; its tail is the id."""
        return f"{self.prefix}-{self.issued.year}-{self.id}"


def day(text: str) -> dt.date:
    """An ISO date."""
    return dt.date.fromisoformat(text)


def invoice(
    id: int, customer: int, issued: str, amount: int, *paid: tuple[str, int], currency: str = "EUR"
) -> Document:
    """An invoice written out; due after the customer's agreed terms, like every invoice of the sample."""
    due = day(issued) + dt.timedelta(days=BY_ID[customer].terms)
    payments = [(day(when), cents, "bank_transfer") for when, cents in paid]
    return Document(id, "INV", customer, day(issued), due, currency, amount, payments)


def credit_note(id: int, of: Document, issued: str, amount: int, *, cancels: bool = False) -> Document:
    """A credit note; one that cancels makes both documents `credited`, and together they are zero."""
    of.cancelled = cancels
    return Document(id, "CRN", of.partner, day(issued), day(issued), of.currency, -amount, [], of.id, cancels)


def public_facts() -> list[Document]:
    """What public answers quote. Do not change."""
    return [
        invoice(8812, 4471, "2026-04-02", 1_845_000),
        invoice(8834, 4471, "2026-04-18", 962_500),
        invoice(8901, 4471, "2026-05-06", 1_240_000, ("2026-07-01", 400_000)),
        invoice(8977, 4471, "2026-05-29", 733_000),
        invoice(9002, 4471, "2026-06-11", 512_400, ("2026-07-09", 512_400)),
        invoice(9088, 4471, "2026-07-30", 1_100_000),
        invoice(8850, 4472, "2026-04-22", 2_310_000),
        invoice(9010, 4472, "2026-06-15", 845_000, ("2026-07-24", 845_000)),
        invoice(8899, 4473, "2026-05-04", 318_700),
        invoice(9044, 4473, "2026-07-01", 426_000, ("2026-07-28", 226_000)),
        invoice(9061, 4474, "2026-07-09", 2_780_000),
        invoice(9033, 4475, "2026-06-26", 96_400),
        invoice(9091, 4475, "2026-08-01", 141_200),
    ]


def hard_cases() -> list[Document]:
    """What breaks naive systems: borders of every bucket, credit notes, an overpayment, other currencies."""
    borders = [
        invoice(9068, 4493, "2026-07-15", 684_000),  # due today: not overdue
        invoice(9067, 4497, "2026-07-14", 275_050),  # 1 day
        invoice(9043, 4477, "2026-07-01", 148_000),  # 30 days
        invoice(9041, 4499, "2026-06-30", 62_390),  # 31 days
        invoice(8983, 4486, "2026-06-01", 91_500),  # 60 days
        invoice(8931, 4491, "2026-05-15", 530_000),  # 61 days
        invoice(8831, 4500, "2026-04-16", 1_215_000),  # 90 days
        invoice(8886, 4508, "2026-05-01", 44_800),  # 91 days
    ]
    cancelled = invoice(8846, 4484, "2026-04-21", 630_000)  # billed twice by mistake, credited in full
    reduced = invoice(8948, 4498, "2026-05-20", 790_000)  # damaged goods, credited in part
    old_and_cancelled = invoice(8290, 4506, "2025-08-19", 305_000)
    return [
        *borders,
        invoice(8655, 4489, "2026-01-23", 487_000),  # an old debt
        cancelled,
        credit_note(8858, cancelled, "2026-04-24", 630_000, cancels=True),
        reduced,
        credit_note(8995, reduced, "2026-06-08", 125_000),
        old_and_cancelled,
        credit_note(8317, old_and_cancelled, "2025-09-01", 305_000, cancels=True),
        invoice(8968, 4483, "2026-05-26", 348_000, ("2026-06-24", 384_000)),  # overpaid: two digits swapped
        invoice(9015, 4476, "2026-06-17", 1_460_000, ("2026-07-20", 460_000)),  # paid in part
        invoice(8962, 4480, "2026-05-22", 780_000, currency="USD"),
        invoice(9021, 4480, "2026-06-19", 415_075, currency="USD"),
        invoice(8985, 4480, "2026-06-02", 264_000),  # the same customer in EUR
        invoice(9055, 4481, "2026-07-06", 1_250_000, currency="JPY"),  # whole yen: no minor unit
        invoice(8704, 4481, "2026-02-13", 638_500, ("2026-04-14", 638_500), currency="JPY"),
    ]


@dataclass(frozen=True)
class Supplier:
    """Whom the company buys from."""

    id: int
    name: str
    city: str
    country: str
    category: str
    terms: int
    currency: str
    weight: int
    """How often it bills us."""
    size: int
    """Minor units of a usual bill."""


SUPPLIERS = [
    Supplier(701, "Eisvogel Verpackung GmbH", "Passau", "DE", "packaging", 30, "EUR", 12, 310_000),
    Supplier(702, "Karawanken Transport GmbH", "Villach", "AT", "freight", 14, "EUR", 16, 240_000),
    Supplier(703, "Lagune Stampa S.r.l.", "Grado", "IT", "printing", 30, "EUR", 8, 120_000),
    Supplier(704, "Polder Pallets B.V.", "Almere", "NL", "packaging", 30, "EUR", 8, 180_000),
    Supplier(705, "Seidenfaden Textilien GmbH", "Krefeld", "DE", "goods", 30, "EUR", 12, 890_000),
    Supplier(706, "Školjka Commerce d.o.o.", "Pula", "HR", "goods", 30, "EUR", 10, 740_000),
    Supplier(707, "Copperfield Alloys Ltd", "Sheffield", "GB", "goods", 45, "EUR", 10, 980_000),
    Supplier(708, "Blauzahn Netzwerke GmbH", "Fulda", "DE", "communications", 14, "EUR", 7, 41_000),
    Supplier(709, "Nebelhorn Lagerhaus KG", "Kempten", "DE", "storage", 14, "EUR", 9, 265_000),
    Supplier(710, "Lindwurm Energie GmbH", "Klagenfurt", "AT", "energy", 14, "EUR", 8, 92_000),
    Supplier(711, "Papierflieger Bürobedarf GmbH", "Erfurt", "DE", "office", 14, "EUR", 5, 23_000),
    Supplier(712, "Gnomon Software Inc.", "Boulder", "US", "software", 30, "USD", 6, 150_000),
    Supplier(713, "Wichtel Wartung GmbH", "Köln", "DE", "maintenance", 14, "EUR", 5, 68_000),
    Supplier(714, "Grenzstein Zollagentur GmbH", "Salzburg", "AT", "customs", 14, "EUR", 6, 54_000),
    Supplier(715, "Mondkalb Werbung GmbH", "Berlin", "DE", "advertising", 30, "EUR", 4, 210_000),
]
WITHHELD = {3062, 3087, 3093, 3100, 3104, 3108}
"""Bills under query: not paid."""


Ticket = tuple[int, int, dt.date, dt.date | None, dt.date | None, str, str]
"""id, customer, opened, last closed, last reopened, severity, subject."""


def written_tickets() -> list[Ticket]:
    """A ticket is open when never closed, or reopened after it was last closed."""
    rows = [
        # what public answers quote
        (551, 4471, "2026-06-02", "", "", "high", "Delivery note does not match INV-2026-8812"),
        (552, 4471, "2026-06-27", "", "", "medium", "Requests a revised payment schedule"),
        (553, 4471, "2026-06-30", "2026-07-03", "", "low", "Change of the delivery address"),
        (554, 4473, "2026-07-06", "2026-07-15", "", "medium", "Certificate of conformity is missing"),
        (555, 4475, "2026-07-20", "", "", "high", "Freight surcharge in dispute"),
        # closed and reopened: open again; and reopened, then closed again: closed
        (538, 4478, "2026-01-26", "2026-02-06", "2026-08-03", "high", "Cold chain broken on the night ferry"),
        (541, 4488, "2026-02-23", "2026-05-19", "2026-04-08", "medium", "Glaze cracks after firing"),
    ]
    return [
        (id, customer, day(opened), day(closed) if closed else None, day(again) if again else None, severity, subject)
        for id, customer, opened, closed, again, severity, subject in rows
    ]
