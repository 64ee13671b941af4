"""What grammar may move without another meaning, and what it may not: adverbials, owners, amounts, receivers, limits."""

from __future__ import annotations

import pytest

from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Status
from footnote.documents.verify import verify

SAYINGS = {
    "The customer receives a discount of 2% on all orders.": (
        [
            "The customer receives a 2% discount on all orders.",
            "On all orders the customer receives a discount of 2%.",
            "The customer receives on all orders a discount of 2%.",
        ],
        [
            "All orders receive a discount of 2% on the customer.",
            "The customer receives 2% of all orders on a discount.",
        ],
    ),
    "Delta delivers goods from Vienna to Graz.": (
        ["Delta delivers goods to Graz from Vienna.", "From Vienna Delta delivers goods to Graz."],
        ["Delta delivers goods from Graz to Vienna.", "From Graz Delta delivers goods to Vienna."],
    ),
    "The penalty is 5% of the monthly fee.": ([], ["The monthly fee is 5% of the penalty."]),
    "Delta pays a fee of 40 EUR to Borealis for storage.": (
        [
            "Delta pays Borealis a fee of 40 EUR for storage.",
            "For storage Delta pays a fee of 40 EUR to Borealis.",
            "Delta pays a fee of 40 EUR for storage to Borealis.",
        ],
        [
            "Borealis pays a fee of 40 EUR to Delta for storage.",
            "Borealis pays Delta a fee of 40 EUR for storage.",
            "For Borealis Delta pays a fee of 40 EUR to storage.",
        ],
    ),
    "The limit of Delta was raised to 500 EUR.": (
        ["Delta's limit rose to 500 EUR.", "The limit of Delta rose to 500 EUR."],
        ["Delta raised the limit to 500 EUR.", "The limit of Delta fell to 500 EUR."],
    ),
    "Leave requests of managers are approved by the team.": (
        ["The team approves leave requests of managers."],
        ["Managers approve leave requests of the team.", "Leave requests of the team are approved by managers."],
    ),
    "The tenant of the landlord pays 50 EUR.": (
        ["The landlord's tenant pays 50 EUR."],
        ["The landlord of the tenant pays 50 EUR.", "The tenant's landlord pays 50 EUR."],
    ),
    "The bank's customer pays 50 EUR.": (
        ["The customer of the bank pays 50 EUR."],
        ["The bank of the customer pays 50 EUR.", "The customer's bank pays 50 EUR."],
    ),
    "Der Mieter des Vermieters zahlt 50 EUR.": ([], ["Der Vermieter des Mieters zahlt 50 EUR."]),
    "Without the consent of the board the manager must not sell land.": (
        ["The manager must not sell land without the consent of the board."],
        [
            "The board must not sell land without the consent of the manager.",
            "Without the consent of the manager the board must not sell land.",
        ],
    ),
    "Bez pisemnej zgody Dostawcy Odbiorca nie może potrącać należności.": (
        ["Odbiorca nie może potrącać należności bez pisemnej zgody Dostawcy."],
        [
            "Dostawca nie może potrącać należności bez pisemnej zgody Odbiorcy.",
            "Bez pisemnej zgody Odbiorcy Dostawca nie może potrącać należności.",
        ],
    ),
    "Die Gewährleistung beträgt fünf Jahre, für bewegliche Teile zwei Jahre.": (
        [],
        ["Die Gewährleistung für bewegliche Teile beträgt fünf Jahre."],
    ),
    # who settles an invoice pays it; a dispute is settled otherwise
    "The invoice was settled on 3 May 2025.": (["The invoice was paid on 3 May 2025."], []),
    "The dispute was settled on 3 May 2025.": (
        ["The dispute was settled on 3 May 2025."],
        ["The dispute was paid on 3 May 2025."],
    ),
    "The dispute about invoice 8812 was settled.": (
        [],
        ["Invoice 8812 was paid.", "The dispute about invoice 8812 was paid."],
    ),
    "Le litige a été réglé.": (["Le litige a été réglé."], ["Le litige a été payé."]),
}


def judged(text: str, claim: str) -> Status:
    return verify(claim, index_from_texts({"a.md": f"# AGREEMENT\n\n1.1 {text}\n"})).status


@pytest.mark.parametrize(("text", "claim"), [(text, claim) for text, (says, _) in SAYINGS.items() for claim in says])
def test_what_only_stands_elsewhere_is_said(text: str, claim: str) -> None:
    assert judged(text, claim) is Status.GROUNDED


@pytest.mark.parametrize(("text", "claim"), [(text, claim) for text, (_, nots) in SAYINGS.items() for claim in nots])
def test_what_belongs_to_another_is_not_said(text: str, claim: str) -> None:
    assert judged(text, claim) is not Status.GROUNDED


LIMITS = [
    # a limit that follows from a stricter one is neither stated nor denied
    ("The carrier shall provide at least five lorries.", "The carrier shall provide at least three lorries.", "UNSUPPORTED"),
    ("The carrier shall provide at least five lorries.", "The carrier shall provide at least seven lorries.", "CONTRADICTED"),
    ("The load is at most 8 kg.", "The load is at most 10 kg.", "UNSUPPORTED"),
    ("The load is at most 8 kg.", "The load is at most 5 kg.", "CONTRADICTED"),
    ("The manager may approve up to 900 EUR.", "The manager may approve up to 700 EUR.", "UNSUPPORTED"),
    ("The manager may approve up to 900 EUR.", "The manager may approve up to 950 EUR.", "CONTRADICTED"),
    # a cap and a deadline are one thing, and another one is another
    ("Liability is limited to 900 EUR.", "Liability is limited to 950 EUR.", "CONTRADICTED"),
    ("Invoices are paid within 30 days.", "Invoices are paid within 45 days.", "CONTRADICTED"),
    # from percentage points no percentage follows
    ("The margin rose by 2 percentage points.", "The margin rose by 2 percent.", "UNSUPPORTED"),
    ("The margin rose by 2 percentage points.", "The margin rose by 3 percentage points.", "CONTRADICTED"),
    ("The margin rose by 2 percentage points.", "The margin rose by 200 basis points.", "GROUNDED"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "claim", "status"), LIMITS)
def test_a_limit_that_follows_from_another_is_not_denied_by_it(text: str, claim: str, status: str) -> None:
    assert judged(text, claim) is Status(status)
