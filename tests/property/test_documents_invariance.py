"""Same corpus and same claim, same verdict: whatever the order of files, line ends, Unicode form, or what else is there."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.documents.texts import index_from_texts
from footnote.documents.verify import verify

TEXTS = {
    "umowa.md": "# UMOWA NAJMU\n\n1. Czynsz wynosi 2 400 zł miesięcznie.\n2. Najemca nie może podnająć lokalu.\n",
    "vertrag.md": "# LIEFERVERTRAG\n\n1. Die Lieferfrist beträgt zwölf Tage.\n2. Der Käufer darf nicht aufrechnen.\n",
    "bail.md": "# BAIL\n\n1. Le dépôt de garantie est de 1 800 €.\n2. Le locataire ne peut pas fumer.\n",
    "supply.md": '# SUPPLY AGREEMENT\n\nbetween Hollow Trading GmbH ("Hollow" or the "Supplier") and Dąb Meble sp. z o.o. '
    '("Dąb" or the "Customer").\n\n1.1 The notice period is ninety days.\n1.2 In all other cases the liability of a Party '
    "is limited to EUR 300,000.\n1.3 The credit limit of the Customer was raised from EUR 20,000 to EUR 30,000.\n",
    "crm.csv": "id,account,owner,credit_limit_eur\n71,Dąb Meble sp. z o.o.,Zoë Kolb,45000\n72,Thistle Paper AS,Kai Roth,30000\n",
    "pnl.md": "# INCOME STATEMENT\n\n| Item (EUR thousand) | 2025 | 2024 |\n|---|---|---|\n| Revenue | 812 | 790 |\n| Wages | 300 | 310 |\n",
}
CLAIMS = [
    "Czynsz wynosi 2400 zł miesięcznie.",
    "Czynsz wynosi 2 500 zł miesięcznie.",
    "Die Lieferfrist beträgt 12 Tage.",
    "Die Lieferfrist beträgt 14 Tage.",
    "Der Käufer darf aufrechnen.",
    "Le dépôt de garantie est de 1 800 €.",
    "Le locataire peut fumer.",
    "Revenue in 2025 was EUR 812 thousand.",
    "Revenue in 2024 was EUR 812 thousand.",
    "The notice period for Dąb is 90 days.",
    "In the agreement with Dąb the notice period is 60 days.",
    "The liability of a Party is limited to EUR 300,000 in all other cases.",
    "The credit limit of the Customer was raised to EUR 30,000.",
    "The account of Dąb Meble is owned by Zoë Kolb.",
    "The account of Thistle Paper AS is owned by Zoë Kolb.",
    "Revenue rose from EUR 790 thousand in 2024 to EUR 812 thousand in 2025.",
    "The moon is made of cheese.",
]
BASE = {claim: verify(claim, index_from_texts(TEXTS)) for claim in CLAIMS}
IRRELEVANT = {
    "menu.md": "# MENU\n\n- Soup of the day\n- Apple strudel\n",
    "zoo.txt": "The zoo opens at nine. Lions sleep all day.",
    "a_poem.md": "# POEM\n\nRoses are red.\n",
}


def test_the_claims_are_decided_in_different_ways() -> None:
    assert len({verdict.status for verdict in BASE.values()}) == 3


@given(
    order=st.permutations(sorted(TEXTS)),
    ends=st.sampled_from(["\n", "\r\n"]),
    form=st.sampled_from(["NFC", "NFD"]),
    more=st.sets(st.sampled_from(sorted(IRRELEVANT))),
    claim=st.sampled_from(CLAIMS),
)
@settings(max_examples=60, deadline=None)
def test_a_verdict_depends_on_nothing_else(order: list[str], ends: str, form: str, more: set[str], claim: str) -> None:
    texts = {name: unicodedata.normalize(form, TEXTS[name]).replace("\n", ends) for name in order}  # type: ignore[arg-type]
    texts |= {name: IRRELEVANT[name] for name in more}
    verdict = verify(unicodedata.normalize(form, claim), index_from_texts(texts))  # type: ignore[arg-type]
    expected = BASE[claim]
    assert (verdict.status, verdict.reason_codes, verdict.file) == (
        expected.status,
        expected.reason_codes,
        expected.file,
    )
    assert unicodedata.normalize("NFC", verdict.quote) == unicodedata.normalize("NFC", expected.quote)
    for fragment in verdict.quotes:
        assert texts[fragment.file][fragment.start : fragment.end] == fragment.text or ends == "\r\n"


@given(st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_the_engine(text: str) -> None:
    verify(text, index_from_texts({"a.md": text, **TEXTS}))
