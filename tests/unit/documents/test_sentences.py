"""Sentences end where people end them, in four languages and in contracts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.documents.sentences import sentence_spans

CASES = [
    ("The fee is due. It is paid monthly.", ["The fee is due.", "It is paid monthly."]),
    ("See No. 5 and art. 5 ust. 2 of the act. Done.", ["See No. 5 and art. 5 ust. 2 of the act.", "Done."]),
    ("Alfa sp. z o.o. dostarcza towar. Beta S.A. płaci.", ["Alfa sp. z o.o. dostarcza towar.", "Beta S.A. płaci."]),
    ("Das gilt z. B. für Mieter. Es gilt ab dem 5. März 2024.", ["Das gilt z. B. für Mieter.", "Es gilt ab dem 5. März 2024."]),
    ("Acme Inc. pays J. R. Smith. Then it stops.", ["Acme Inc. pays J. R. Smith.", "Then it stops."]),
    ("Umowa z dnia 1. stycznia 2024 r. obowiązuje. Termin: 30 dni.", ["Umowa z dnia 1. stycznia 2024 r. obowiązuje.", "Termin: 30 dni."]),
    ("L’art. 3 s’applique. M. Durand paie 5 %.", ["L’art. 3 s’applique.", "M. Durand paie 5 %."]),
    ("It rose by 4.2 % to 1.250,00 EUR. 1.3 Next clause.", ["It rose by 4.2 % to 1.250,00 EUR.", "1.3 Next clause."]),
    ("He said “no.” They left.", ["He said “no.”", "They left."]),
    ("INTERPRETATION 1.1 In this Agreement: x", ["INTERPRETATION", "1.1 In this Agreement: x"]),
    ("Is it paid? Yes! Really…", ["Is it paid?", "Yes!", "Really…"]),
    ("As set out in Schedule A. The fee is 5.", ["As set out in Schedule A.", "The fee is 5."]),
    ("Signed by Acme Ltd. The fee is 5.", ["Signed by Acme Ltd.", "The fee is 5."]),
    ("approx. 5 EUR vs. 6 EUR", ["approx. 5 EUR vs. 6 EUR"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentences"), CASES, ids=[text[:30] for text, _ in CASES])
def test_a_text_is_cut_where_its_sentences_end(text: str, sentences: list[str]) -> None:
    assert [text[a:b] for a, b in sentence_spans(text)] == sentences


@given(st.text(alphabet=st.sampled_from('aA1 .!?\n"”)(*…,;:-äŁ'), max_size=60))
def test_nothing_but_space_is_lost_between_sentences(text: str) -> None:
    at = 0
    for start, end in sentence_spans(text):
        assert at <= start < end
        assert text[at:start].strip() == ""
        at = end
    assert text[at:].strip() == ""
