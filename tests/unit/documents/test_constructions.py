"""Ways in which people say what a document says, one kind of construction each; and their neighbours that say more."""

from __future__ import annotations

import pytest

from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Reason, Status
from footnote.documents.verify import verify

G, C, U = Status.GROUNDED, Status.CONTRADICTED, Status.UNSUPPORTED

TEXTS = {
    "supply.md": """# SUPPLY AGREEMENT

between Hollow Trading GmbH ("Hollow" or the "Supplier") and Marrow Foods Ltd ("Marrow" or the "Customer").

1.1 The Customer shall pay each invoice within thirty days of the invoice date.
1.2 The notice period is ninety days.
1.3 In all other cases the liability of a Party per calendar year is limited to EUR 300,000.
1.4 The Supplier may deliver in parts, provided that each part is worth at least EUR 900.
1.5 The fee is EUR 0.55 per letter, postage not included.
1.6 The Supplier grants a warranty of 18 months from delivery.
1.7 This Agreement is governed by Austrian law.
1.8 The credit limit of the Customer is EUR 45,000.
1.9 The Supplier charges a fee of EUR 35 for each reminder.
""",
    "umowa.md": """# UMOWA DOSTAWY

zawarta pomiędzy Hollow Trading GmbH („Dostawca”) a Dąb Meble sp. z o.o. („Odbiorca”).

1. Reklamacje rozpatrywane są w ciągu czternastu dni od ich zgłoszenia.
2. Minimalna wartość zamówienia wynosi 1 200 EUR.
3. Odbiorcy przysługuje rabat w wysokości 4% od zamówień o wartości powyżej 7 000 EUR.
""",
    "minutes.md": """# MINUTES OF THE CREDIT COMMITTEE

**Hollow Trading GmbH, Graz, held on 2 July 2026**

1.1 The committee refused the request of Marrow for instalments.
1.2 The credit limit of Thistle was raised from EUR 20,000 to EUR 30,000.
1.3 Marrow has failed to pay INV-77.
1.4 Invoice INV-78 over EUR 5,400.00 was not paid on time.
""",
    "mail.txt": "From: Ann Lee <lee@marrow.example>\nTo: Kai Roth <roth@hollow.example>\nSubject: account\n\nWe may return goods within 80 days.\n",
}


def told(claim: str) -> tuple[Status, tuple[Reason, ...]]:
    verdict = verify(claim, index_from_texts(TEXTS))
    return verdict.status, verdict.reason_codes


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        # whose it is, where the passage need not say it
        ("Under the supply agreement with Marrow the notice period is ninety days.", G),
        ("In the Marrow agreement the notice period is 90 days.", G),
        ("The notice period for Marrow is 90 days.", G),
        ("Marrow's notice period is 90 days.", G),
        ("The notice period for Thistle is 90 days.", U),
        ("Under the supply agreement with Thistle the notice period is ninety days.", U),
        ("Reklamacje Dębu rozpatrywane są w ciągu 14 dni od ich zgłoszenia.", U),
        ("The credit committee refused the request of Marrow for instalments.", G),
        ("The audit committee refused the request of Marrow for instalments.", U),
        # who does it stays a slot
        ("Marrow must pay invoices within 30 days of the invoice date.", G),
        ("Hollow must pay invoices within 30 days of the invoice date.", U),
        ("Marrow has a credit limit of EUR 45,000.", G),
        ("Marrow has a credit limit of EUR 54,000.", C),
        ("Hollow has a credit limit of EUR 45,000.", U),
        # the same condition in other words
        ("The Supplier may deliver in parts if each part is worth at least EUR 900.", G),
        ("The Supplier may deliver in parts unless each part is worth at least EUR 900.", U),
        ("The Supplier may deliver in parts.", U),
        # an adverbial at either end
        ("The liability of a Party per calendar year is limited to EUR 300,000 in all other cases.", G),
        ("The liability of a Party per calendar year is limited to EUR 200,000 in all other cases.", C),
        ("The fee is EUR 0.55 per letter.", G),
        ("The fee is EUR 0.55 per parcel.", U),
        ("The Supplier charges EUR 35 for each reminder.", G),
        ("The Supplier charges EUR 35 for each letter.", U),
        ("The warranty is 18 months from delivery.", G),
        ("The warranty is 18 months from the order.", U),
        # other languages
        ("Der Vertrag mit Marrow unterliegt österreichischem Recht.", G),
        ("Der Vertrag mit Marrow unterliegt deutschem Recht.", C),
        ("The minimum order value for Dąb is EUR 1,200.", G),
        ("The minimum order value for Dąb is EUR 1,300.", C),
        # both ends of a change, and one
        ("The credit limit of Thistle was raised to EUR 30,000.", G),
        ("The credit limit of Thistle was raised to EUR 20,000.", U),
        ("The credit limit of Thistle was lowered to EUR 30,000.", C),
        # what had not happened had not happened on any day before
        ("Marrow paid INV-77 on 8 June 2026.", C),
        ("Marrow paid INV-77 on 8 August 2026.", U),
        ("Invoice INV-78 was not paid on time.", G),
        ("Invoice INV-78 was paid on time.", C),
        # a message says only that somebody says so
        ("We may return goods within 80 days.", U),
    ],
)
def test_a_construction_is_understood_and_its_neighbour_is_not_taken_for_it(claim: str, status: Status) -> None:
    found, reasons = told(claim)
    assert found is status, reasons


TABLES = {
    "invoice.md": """# INVOICE INV-901

- **Invoice number:** INV-901
- **Invoice date:** 3 March 2026
- **Due date:** 2 April 2026
- **Buyer:** Marrow Foods Ltd, York
- **Delivery note:** DN-55

| Pos. | Article | Quantity | Unit price (EUR) | Amount (EUR) |
| ---: | --- | ---: | ---: | ---: |
| 1 | QX-10 Crate | 30 | 12.00 | 360.00 |
| 2 | QX-20 Lid | 30 | 2.00 | 60.00 |
| | **Total** | | | **420.00** |
""",
    "crm.csv": "id,account,country,owner,credit_limit_eur\n71,Marrow Foods Ltd,GB,Kai Roth,45000\n72,Thistle Paper AS,NO,Mia Kolb,30000\n",
    "bank-statement-2026-03.csv": "booked_on,counterparty,reference,amount_eur,balance_eur\n"
    "2026-03-20,Marrow Foods Ltd,INV-901,420.00,9420.00\n2026-03-20,Marrow Foods Ltd,INV-902,88.00,9508.00\n"
    "2026-03-21,Polder Pallets B.V.,BILL-7,-300.00,9208.00\n",
    "sheet.md": """# SPECIFICATION

| Article | Capacity | | Dimensions | | |
| --- | ---: | ---: | ---: | ---: | ---: |
| | dynamic (kg) | static (kg) | length (mm) | width (mm) | height (mm) |
| QX-10 | 500 | 1,500 | 1,200 | 800 | 144 |
| QX-20 | 450 | 1,350 | 1,100 | 900 | 975 |
""",
    "results.md": """# INCOME STATEMENT

**Hollow Trading GmbH, Graz** – in thousands of EUR

| | 2025 | 2024 |
| --- | ---: | ---: |
| Revenue | 812 | 790 |
| Interest expense | (54) | (61) |
""",
}


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("Invoice INV-901 amounts to EUR 420.00.", G),
        ("Invoice INV-901 of 3 March 2026 amounts to EUR 420.00.", G),
        ("Invoice INV-901 of 4 March 2026 amounts to EUR 420.00.", U),
        ("Invoice INV-901 amounts to EUR 360.00.", C),
        ("Invoice INV-902 amounts to EUR 420.00.", U),
        ("Invoice INV-901 is due on 2 April 2026.", G),
        ("Invoice INV-901 was issued on 3 March 2026.", G),
        ("Invoice INV-901 was issued on 2 April 2026.", C),
        ("The account of Thistle Paper AS is owned by Mia Kolb.", G),
        ("Mia Kolb owns the account of Thistle.", G),
        ("The account of Thistle Paper AS is owned by Kai Roth.", C),
        ("The account of Mia Kolb is owned by Thistle Paper AS.", U),
        ("The credit limit of Thistle is EUR 30,000.", G),
        ("The credit limit of Mia Kolb is EUR 30,000.", U),
        ("On 20 March 2026 Marrow Foods paid EUR 420.00 for INV-901.", G),
        ("On 20 March 2026 Marrow Foods paid EUR 88.00 for INV-901.", C),
        ("On 21 March 2026 Marrow Foods paid EUR 420.00 for INV-901.", U),
        ("On 20 March 2026 EUR 420.00 was paid to Marrow Foods for INV-901.", U),
        ("Polder Pallets paid EUR 300.00 for BILL-7.", U),
        ("The height of QX-20 is 975 mm.", G),
        ("The height of QX-20 is 975 cm.", C),
        ("The width of QX-20 is 975 mm.", C),
        ("The static capacity of QX-10 is 1,500 kg.", G),
        ("The dynamic capacity of QX-10 is 1,500 kg.", C),
        ("Revenue of Hollow rose from EUR 790 thousand in 2024 to EUR 812 thousand in 2025.", G),
        ("Revenue of Marrow rose from EUR 790 thousand in 2024 to EUR 812 thousand in 2025.", U),
        ("Revenue rose from EUR 812 thousand in 2024 to EUR 790 thousand in 2025.", C),
        ("Revenue rose from EUR 790 thousand in 2025 to EUR 812 thousand in 2024.", U),
        ("Revenue for 2025 was higher than for 2024.", G),
        ("Revenue for 2025 was lower than for 2024.", C),
        ("Interest expense fell by EUR 7 thousand from 2024 to 2025.", G),
        ("Interest expense rose from 2024 to 2025.", C),
        ("Interest expense was 7% of revenue in 2025.", U),
    ],
)
def test_a_row_is_understood_as_its_readers_understand_it(claim: str, status: Status) -> None:
    verdict = verify(claim, index_from_texts(TABLES))
    assert verdict.status is status, (verdict.reason_codes, verdict.quote)


CONDITIONS = {
    "terms.md": """# TERMS

1 If the goods are damaged in transit, the supplier pays compensation of 5 EUR.

2 The supplier pays a penalty of 7 EUR if the parts are damaged or lost.

3 If the availability falls below 99.2% in a month, the customer receives a discount of 15%.
"""
}


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("If the goods are damaged in transit, the supplier pays compensation of 5 EUR.", G),
        ("If the goods are damaged, the supplier pays compensation of 5 EUR.", U),
        ("The supplier pays a penalty of 7 EUR if the parts are damaged or lost.", G),
        ("The supplier pays a penalty of 7 EUR if the parts are lost.", G),
        ("If the availability falls below 99.2% in a month, the customer receives a discount of 15%.", G),
        ("If the availability falls below 99.2%, the customer receives a discount of 15%.", U),
        ("If the availability falls below 99.2% yearly, the customer receives a discount of 15%.", C),
    ],
)
def test_a_condition_that_asks_for_more_says_less(claim: str, status: Status) -> None:
    assert verify(claim, index_from_texts(CONDITIONS)).status is status


def test_what_did_not_happen_in_one_year_says_nothing_of_another() -> None:
    index = index_from_texts({"notes.md": "# NOTES\n\nNo dividend was paid for 2024.\n"})
    assert verify("No dividend was paid for 2024.", index).status is G
    assert verify("No dividend was paid for 2025.", index).status is U
    assert verify("A dividend was paid for 2024.", index).status is C
