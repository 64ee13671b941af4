"""A claim is grounded, contradicted or unsupported: one trap each, over small documents of our own."""

from __future__ import annotations

import pytest

from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import PermittedAction, Reason, Status, Verdict
from footnote.documents.verify import verify

G, C, U = Status.GROUNDED, Status.CONTRADICTED, Status.UNSUPPORTED

SERVICES = """# SERVICE AGREEMENT

## 1 Fees
1.1 The monthly fee is 1,400 EUR.
1.2 The notice period is ninety days.
1.3 The late fee is 75 EUR.
1.4 If the customer pays late, the provider charges interest of 6%.
1.5 The annual budget shall not exceed 80,000 EUR.
1.6 The purchase price was $3.5m.
1.7 The training starts on 2025-02-03.
1.8 The kick-off took place on 04/05/2025.
1.9 Halden shall reimburse Nordby for travel costs.
1.10 The provider may use subcontractors.
1.11 The chairman said that the merger closed in May 2025.
1.12 The provider failed to deliver the report.
1.13 The guarantee covers 36 months.
"""


def told(claim: str, *texts: str) -> Verdict:
    """The verdict on a claim over documents that are numbered in order."""
    return verify(claim, index_from_texts({f"{n}.md": text for n, text in enumerate(texts or (SERVICES,))}))


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("The monthly fee is 1,400 EUR.", G),
        ("The monthly fee is EUR 1,400.00.", G),
        ("The monthly fee is 1,500 EUR.", C),
        ("The monthly fee is 1,400 USD.", C),
        ("The weekly fee is 1,400 EUR.", C),
        ("The monthly fee is not 1,400 EUR.", C),
        ("The notice period is 90 days.", G),
        ("The notice period is 60 days.", C),
        ("The notice period is 90 weeks.", C),
        ("The fee is 75 EUR.", U),
        ("The provider charges interest of 6%.", U),
        ("The annual budget is 80,000 EUR.", U),
        ("The annual budget shall not exceed 80,000 EUR.", G),
        ("The purchase price was 3,500,000 USD.", G),
        ("The purchase price was 3.5 billion USD.", C),
        ("The training starts on 3 February 2025.", G),
        ("The training starts on 3 March 2025.", C),
        ("The kick-off took place on 4 May 2025.", U),
        ("Halden shall reimburse Nordby for travel costs.", G),
        ("Nordby shall reimburse Halden for travel costs.", C),
        ("Halden and Sundby shall reimburse Nordby for travel costs.", U),
        ("The provider must use subcontractors.", U),
        ("The merger closed in May 2025.", U),
        ("The provider delivered the report.", C),
        ("The guarantee covers 3 years.", G),
        ("The guarantee covers 4 years.", C),
    ],
)
def test_a_trap_is_seen(claim: str, status: Status) -> None:
    verdict = told(claim)
    assert verdict.status is status, verdict.reason_codes


LIFT = (
    """# MAINTENANCE AGREEMENT
**Dated 2 May 2022** between Rissen Aufzug GmbH ("Contractor") and Kolm Verwaltung AG ("Owner").

1.1 The annual fee is 2,900 EUR.
1.2 The Contractor inspects the lift three times a year.
1.3 Emergency calls are included in the fee.
""",
    """# FIRST AMENDMENT
**Dated 9 June 2024** to the Maintenance Agreement between Rissen Aufzug GmbH ("Contractor") and Kolm Verwaltung AG ("Owner").

1. With effect from 1 July 2024 clause 1.1 reads: "The annual fee is 3,100 EUR."
2. Clause 1.3 is deleted.
""",
)


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("The annual fee is 3,100 EUR.", G),
        ("The annual fee is 2,900 EUR.", C),
        ("Emergency calls are included in the fee.", C),
        ("Rissen inspects the lift three times a year.", G),
        ("Kolm inspects the lift three times a year.", U),
        ("The annual fee under the Maintenance Agreement with Rissen is 3,100 EUR.", G),
        ("The annual fee under the Maintenance Agreement with Delta is 3,100 EUR.", U),
    ],
)
def test_an_amendment_replaces_what_it_names(claim: str, status: Status) -> None:
    verdict = told(claim, *LIFT)
    assert verdict.status is status, verdict.reason_codes


def test_what_may_be_done_follows_from_the_status() -> None:
    assert told("The monthly fee is 1,400 EUR.").permitted_action is PermittedAction.PRESENT_WITH_QUOTE
    assert told("The monthly fee is 1,500 EUR.").permitted_action is PermittedAction.REPORT_CONTRADICTION
    assert told("The moon is made of cheese.").permitted_action is PermittedAction.REFUSE


def test_the_quote_is_the_passage() -> None:
    verdict = told("The notice period is 90 days.")
    assert verdict.quote.endswith("The notice period is ninety days.")
    assert all(SERVICES[fragment.start : fragment.end] == fragment.text for fragment in verdict.quotes)


@pytest.mark.parametrize(
    "claim", ["", "   ", "?", "Is the fee 1,400 EUR?", "the of and", "𝟘", "x" * 100_000, "料金は千四百ユーロです。"]
)
def test_what_is_no_statement_is_refused(claim: str) -> None:
    assert told(claim).status is U


def test_a_text_that_is_too_long_says_so() -> None:
    assert told("fee " * 1000).reason_codes == (Reason.TOO_LONG,)


MARKETS = """# INCOME STATEMENT 2025

| EUR thousand | 2025 | 2024 |
|---|---|---|
| Norway | 812 | 790 |
| Sweden | 640 | 655 |
| Denmark | 300 | 120 |
"""


@pytest.mark.parametrize(
    ("claim", "status", "derivation"),
    [
        ("Norway rose by EUR 22 thousand from 2024 to 2025.", G, "812 − 790 = 22,000"),
        ("Norway rose by EUR 23 thousand from 2024 to 2025.", C, "812 − 790 = 22,000"),
        ("Norway fell by EUR 22 thousand from 2024 to 2025.", C, "812 − 790 = 22,000"),
        ("Sweden fell from 2024 to 2025.", G, "640 − 655 = -15,000"),
        ("Sweden rose from 2024 to 2025.", C, "640 − 655 = -15,000"),
        ("The largest in 2025 was Norway.", G, "max(812, 640, 300) = 812,000"),
        ("The largest in 2025 was Denmark.", C, "max(812, 640, 300) = 812,000"),
        ("The smallest in 2024 was Denmark.", G, "min(790, 655, 120) = 120,000"),
        ("The total in 2025 was EUR 1,752 thousand.", G, "812 + 640 + 300 = 1,752,000"),
        ("The total in 2025 was EUR 1,762 thousand.", C, "812 + 640 + 300 = 1,752,000"),
        ("The total in 2023 was EUR 1,752 thousand.", U, ""),
        ("Finland rose from 2024 to 2025.", U, ""),
    ],
)
def test_what_follows_exactly_from_a_table_is_derived_and_every_cell_cited(
    claim: str, status: Status, derivation: str
) -> None:
    verdict = told(claim, MARKETS)
    assert (verdict.status, verdict.derivation) == (status, derivation), verdict.reason_codes
    assert (Reason.DERIVED in verdict.reason_codes) == (status is not U)
    assert all(MARKETS[fragment.start : fragment.end] == fragment.text for fragment in verdict.quotes)
