"""Names resolve without guessing: the first rule that finds any record decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.operations.names import Named, find_named, folds, nearest, without_legal_form

RECORDS = [
    Named((n,), (str(n), name))
    for n, name in enumerate(
        [
            "Bergmann Logistik GmbH",
            "Nordwind Marine AS",
            "Petrov Components d.o.o.",
            "Lumière Packaging SARL",
            "Helios Energy GmbH",
            "Helios Print KG",
            "O'Brien & Sons Ltd",
            "Müller & Söhne KG",
            "Żubr Meble sp. z o.o.",
            "Ærø Shipping ApS",
            "Straße & Partner AG",
            "AS",
            "株式会社テスト",
            "3M Deutschland GmbH",
            "Halle 71 Event UG",
        ],
        start=100,
    )
]


def found(text: str) -> list[str]:
    return [record.texts[1] for record in find_named(text, RECORDS)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Bergmann Logistik GmbH", "Bergmann Logistik GmbH"),
        ("bergmann logistik", "Bergmann Logistik GmbH"),
        ("BERGMANN", "Bergmann Logistik GmbH"),
        ("Berg", "Bergmann Logistik GmbH"),
        ("logistik", "Bergmann Logistik GmbH"),
        ("Lumiere Packaging", "Lumière Packaging SARL"),
        ("lumie\u0300re", "Lumière Packaging SARL"),
        ("petrov components doo", "Petrov Components d.o.o."),
        ("O'Brien", "O'Brien & Sons Ltd"),
        ("O’Brien", "O'Brien & Sons Ltd"),
        ("obrien", "O'Brien & Sons Ltd"),
        ("Mueller", "Müller & Söhne KG"),
        ("Muller", "Müller & Söhne KG"),
        ("Mueller & Soehne", "Müller & Söhne KG"),
        ("Müller und", ""),
        ("zubr meble", "Żubr Meble sp. z o.o."),
        ("Aero Shipping", "Ærø Shipping ApS"),
        ("Aeroe Shipping", "Ærø Shipping ApS"),
        ("strasse", "Straße & Partner AG"),
        ("株式会社テスト", "株式会社テスト"),
        ("3M", "3M Deutschland GmbH"),
        ("Halle 71", "Halle 71 Event UG"),
        ("Halle 7", ""),
        ("le 71", ""),
        ("-100", ""),
        ("1-0-0", ""),
        ("１００", ""),
        ("11", ""),
        ("Acme Corporation", ""),
        ("", ""),
        ("...", ""),
        ("'; DROP TABLE customers; --", ""),
    ],
)
def test_a_name_finds_the_record_it_means_or_none(text: str, name: str) -> None:
    assert found(text) == ([name] if name else [])


def test_a_word_of_a_question_is_not_looked_for_inside_of_words() -> None:
    assert find_named("mann", RECORDS)
    assert not find_named("mann", RECORDS, inside_words=False)
    assert find_named("logis", RECORDS, inside_words=False)


def test_a_first_word_that_two_records_share_finds_both_in_record_order() -> None:
    assert found("Helios") == ["Helios Energy GmbH", "Helios Print KG"]


def test_a_full_name_wins_over_names_that_contain_it() -> None:
    assert found("AS") == ["AS"]


def test_one_letter_finds_nothing_by_its_beginning() -> None:
    assert found("B") == []


def test_candidates_are_five_real_names_the_most_similar_first() -> None:
    names = [record.texts[1] for record in nearest("Bergman Logistic", RECORDS)]
    assert len(names) == 5
    assert names[0] == "Bergmann Logistik GmbH"


def test_a_name_that_is_only_a_legal_form_is_kept() -> None:
    assert without_legal_form("gmbh") == "gmbh"


@given(st.text(max_size=40))
def test_folding_never_fails_and_folding_again_changes_nothing(text: str) -> None:
    for fold in folds(text):
        assert fold in folds(fold)


@given(st.sampled_from(RECORDS), st.sampled_from([str.upper, str.lower, str.title, lambda s: f"  {s} "]))
def test_a_full_name_finds_its_record_in_any_case(record: Named, change: object) -> None:
    assert callable(change)
    assert record in find_named(change(record.texts[1]), RECORDS)
