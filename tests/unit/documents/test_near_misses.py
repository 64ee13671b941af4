"""Vocabulary, sides of a date, steps, shares, names and units that sound alike, and what a change of order leaves as it was."""

from __future__ import annotations

import pytest

from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Status, Verdict
from footnote.documents.verify import verify


def judged(text: str, claim: str) -> Verdict:
    return verify(claim, index_from_texts({"a.md": f"# AGREEMENT\n\n1.1 {text}\n"}))


NO_SYNONYMS = [
    ("The policy covers theft.", "The policy covers burglary."),
    ("Ms Kolb is responsible for Delta GmbH.", "Ms Kolb owns Delta GmbH."),
    ("The balance due is 300 EUR.", "The invoice total is 300 EUR."),
    ("Mr Nowak was nominated as chief executive officer.", "Mr Nowak was appointed as chief executive officer."),
    ("Interest paid was 120 EUR.", "Interest expense was 120 EUR."),
    ("The closing date is 1 May 2025.", "The deadline is 1 May 2025."),
    ("The damage amounts to 500 EUR.", "The compensation amounts to 500 EUR."),
    ("The policyholder pays a premium of 400 EUR.", "The insured party pays a premium of 400 EUR."),
    ("The creditor pays 500 EUR.", "The lender pays 500 EUR."),
    ("The promissory note amounts to 500 EUR.", "The bill of exchange amounts to 500 EUR."),
    ("Der Spediteur haftet für Schäden.", "Der Frachtführer haftet für Schäden."),
    ("Die Passiva betragen 500 EUR.", "Die Verbindlichkeiten betragen 500 EUR."),
    ("Die Miete beträgt 900 EUR.", "Die Kaltmiete beträgt 900 EUR."),
    ("Die Gewährleistung beträgt zwei Jahre.", "Die Garantie beträgt zwei Jahre."),
    ("Le passif est de 500 EUR.", "Les dettes sont de 500 EUR."),
    ("Pasywa wynoszą 500 zł.", "Zobowiązania wynoszą 500 zł."),
    ("Prowizja wynosi 500 zł.", "Wynagrodzenie wynosi 500 zł."),
    ("Odsetki za zwłokę wynoszą 5 %.", "Odsetki za opóźnienie wynoszą 5 %."),
    ("The cash discount is 2 %.", "The rebate is 2 %."),
    ("Trade receivables were 500 EUR.", "Receivables were 500 EUR."),
    ("Das Skonto beträgt 2 %.", "Der Rabatt beträgt 2 %."),
    ("Die Strafe beträgt 500 EUR.", "Die Vertragsstrafe beträgt 500 EUR."),
    ("Der Vertrag wurde beendet.", "Der Vertrag wurde gekündigt."),
    ("L'amende est de 500 €.", "La pénalité est de 500 €."),
    ("Umowa została rozwiązana.", "Umowa została wypowiedziana."),
    ("Niewypłacalność dłużnika stwierdzono 3 maja 2025 r.", "Upadłość dłużnika stwierdzono 3 maja 2025 r."),
]


@pytest.mark.parametrize(("text", "claim"), NO_SYNONYMS)
def test_words_of_another_force_ground_nothing_in_either_direction(text: str, claim: str) -> None:
    assert judged(text, claim).status is not Status.GROUNDED
    assert judged(claim, text).status is not Status.GROUNDED
    assert judged(text, text).status is Status.GROUNDED


OTHERWISE = [
    ("The goods must be delivered no later than 15 July 2025.", "The goods must be delivered on 15 July 2025."),
    (
        "The goods must be delivered no later than 15 July 2025.",
        "The goods must be delivered no earlier than 15 July 2025.",
    ),
    ("The goods must be delivered by 15 July 2025.", "The goods must be delivered from 15 July 2025."),
    ("The audit shall be completed by the end of May 2025.", "The audit shall be completed in May 2025."),
    ("La livraison a lieu au plus tard le 1er juillet 2025.", "La livraison a lieu au plus tôt le 1er juillet 2025."),
    ("Le bail court du 1er mai 2025 au 30 avril 2030.", "Le bail court à partir du 30 avril 2030."),
    ("Cena obowiązuje od 1 maja 2025 r.", "Cena obowiązuje do 1 maja 2025 r."),
    ("Towar zostanie dostarczony najpóźniej 15 lipca 2025 r.", "Towar zostanie dostarczony po 15 lipca 2025 r."),
    ("Zatwierdzono podwyżkę czynszu o 6 %.", "Zatwierdzono podwyżkę czynszu do 6 %."),
    ("The meeting takes place before 15 July 2025.", "The meeting took place before 15 July 2025."),
    ("The discount is 5 % for orders over 100 pieces.", "The discount is 5 % for orders."),
    ("The price of each chair is 5 EUR.", "The price of all chairs is 5 EUR."),
    ("The store is open from 9 am to 5 pm.", "The store is open from 9 am to 5 am."),
]


@pytest.mark.parametrize(("text", "claim"), OTHERWISE)
def test_another_side_step_share_or_half_of_the_day_is_another_statement(text: str, claim: str) -> None:
    assert judged(text, claim).status is not Status.GROUNDED


SAID = [
    ("The goods must be delivered no later than 15 July 2025.", "The goods must be delivered by 15 July 2025."),
    ("The goods must be delivered before 15 July 2025.", "The goods must be delivered before 15 July 2025."),
    ("Cena obowiązuje od 1 maja 2025 r.", "Cena obowiązuje od 1 maja 2025 r."),
    ("The store is open from 9 am to 5 pm.", "The store is open from 9 am to 5 pm."),
]


@pytest.mark.parametrize(("text", "claim"), SAID)
def test_the_same_side_of_a_date_is_the_same_statement(text: str, claim: str) -> None:
    assert judged(text, claim).status is Status.GROUNDED


THREE = """# SERVICE AGREEMENT
**between Orion Freight Ltd ("the Supplier"), Vega Tools Ltd ("the Vendor") and Lyra Retail plc ("the Customer")**

1. The Supplier delivers the goods within 10 days.
2. The Vendor provides a warranty of 24 months.
"""


@pytest.mark.parametrize(
    "claim",
    [
        "The Vendor delivers the goods within 10 days.",
        "Vega Tools delivers the goods within 10 days.",
        "The Seller delivers the goods within 10 days.",
        "Orion Freight provides a warranty of 24 months.",
        "Orion Tools delivers the goods within 10 days.",
        "Orion Freights Ltd delivers the goods within 10 days.",
        "Orion Freight GmbH delivers the goods within 10 days.",
        "Orio Freight delivers the goods within 10 days.",
    ],
)
def test_a_party_is_met_by_its_own_name_or_by_the_word_that_is_its_alone(claim: str) -> None:
    index = index_from_texts({"a.md": THREE})
    assert verify(claim, index).status is not Status.GROUNDED
    assert verify("Orion Freight delivers the goods within 10 days.", index).status is Status.GROUNDED


ORDER = [
    ("Hurtex nie może potrącać swoich należności bez zgody Budomexu.", "Bez zgody Budomexu Hurtex nie może potrącać swoich należności."),
    ("Zamawiający zapłaci Wykonawcy 500 zł.", "Wykonawcy zapłaci Zamawiający 500 zł."),
    ("Der Käufer zahlt dem Verkäufer 10.000 EUR.", "Dem Verkäufer zahlt der Käufer 10.000 EUR."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "claim"), ORDER)
def test_an_order_that_leaves_every_case_as_it_was_swaps_no_roles(text: str, claim: str) -> None:
    assert judged(text, claim).status is not Status.CONTRADICTED


def test_cases_that_have_changed_are_swapped_roles() -> None:
    verdict = judged("Der Käufer zahlt dem Verkäufer 10.000 EUR.", "Der Verkäufer zahlt dem Käufer 10.000 EUR.")
    assert verdict.status is Status.CONTRADICTED


ANOTHER_THING = [
    ("The net price is 100 EUR.", "The gross price is 120 EUR."),
    ("The monthly fee is 10 EUR.", "The annual fee is 120 EUR."),
    ("The first delivery is on 3 May 2025.", "The last delivery is on 3 June 2025."),
    ("Cena netto wynosi 100 zł.", "Cena brutto wynosi 123 zł."),
    ("The fee is at least 5 EUR.", "The fee is at most 50 EUR."),
]


@pytest.mark.parametrize(("text", "claim"), ANOTHER_THING)
def test_another_figure_of_another_thing_is_not_contradicted(text: str, claim: str) -> None:
    assert judged(text, claim).status is Status.UNSUPPORTED


def test_the_same_figure_of_its_opposite_is_contradicted() -> None:
    assert judged("The net price is 100 EUR.", "The gross price is 100 EUR.").status is Status.CONTRADICTED
    assert judged("The fee is at least 5 EUR.", "The fee is at most 5 EUR.").status is Status.CONTRADICTED


REPORT = """# REPORT 2024
(in thousands of USD, except per share data)

| | 2024 | 2023 |
| --- | ---: | ---: |
| Net sales | 84,120 | 79,455 |
| Basic earnings per share (USD) | 1.42 | 1.21 |
| Employees (number) | 512 | 498 |

## Net sales by region (in millions of USD)

| Region | 2024 | 2023 |
| --- | ---: | ---: |
| Europe | 41.2 | 38.0 |

## Fees of directors (USD)

| Director | 2024 | 2023 |
| --- | ---: | ---: |
| Kolb | 45,000 | 40,000 |
"""


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("Net sales in 2024 were USD 84.12 million.", Status.GROUNDED),
        ("Basic earnings per share in 2024 were USD 1.42.", Status.GROUNDED),
        ("Basic earnings per share in 2024 were USD 1,420.", Status.CONTRADICTED),
        ("Net sales in Europe in 2024 were USD 41.2 million.", Status.GROUNDED),
        ("Net sales in Europe in 2024 were USD 41.2 thousand.", Status.CONTRADICTED),
    ],
)
def test_a_table_counts_in_what_its_own_heading_and_row_say(claim: str, status: Status) -> None:
    assert verify(claim, index_from_texts({"report.md": REPORT})).status is status


@pytest.mark.parametrize(
    "claim",
    ["The company had 512 thousand employees in 2024.", "The fees of director Kolb in 2024 were USD 45 million."],
)
def test_heads_and_rows_with_a_currency_of_their_own_are_not_scaled(claim: str) -> None:
    assert verify(claim, index_from_texts({"report.md": REPORT})).status is not Status.GROUNDED


def test_a_letter_takes_no_place_of_a_clause_that_an_amendment_has_changed() -> None:
    index = index_from_texts(
        {
            "agreement.md": "---\ntier: 1\neffective: 2024-01-10\n---\n# SUPPLY AGREEMENT\n\n4. The price is 10 EUR per kg.\n",
            "amendment.md": "---\ntier: 1\neffective: 2025-02-01\namends: agreement.md\n---\n# AMENDMENT No. 1\n\n"
            "Section 4 is replaced as follows: The price is 12 EUR per kg.\n",
            "note.md": "---\ntier: 3\ndate: 2025-06-01\n---\nThe price is 15 EUR per kg.\n",
        }
    )
    assert verify("The price is 15 EUR per kg.", index).status is not Status.GROUNDED
    assert verify("The price is 12 EUR per kg.", index).status is not Status.CONTRADICTED
