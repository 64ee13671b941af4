"""The vocabulary of claims: what means the same stands together once, and never with its opposite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import resources
from itertools import combinations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.documents.lexicon import (
    LANGUAGES,
    LexiconUnreadable,
    build,
    clashes,
    extended,
    package_data,
    package_lexicon,
    stems_of,
    words_of,
)
from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Status
from footnote.documents.verify import verify

FOLDER = resources.files("footnote.documents")
FILES = ["lexicon.yaml", *sorted(f"vocabulary/{file.name}" for file in FOLDER.joinpath("vocabulary").iterdir())]
DATA = package_data()
CONCEPTS: dict[str, dict[str, str]] = DATA["concepts"]
OPPOSITES = {frozenset(pair) for group in (*DATA["exclusive"], *DATA["opposite"]) for pair in combinations(group, 2)}


def expressions() -> Iterator[tuple[str, str, str]]:
    """Every concept, language and expression of the package."""
    for concept, listed in CONCEPTS.items():
        for language, entries in listed.items():
            yield from ((concept, language, entry) for entry in entries.split("|"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_has_no_concept_twice(name: str) -> None:
    document = yaml.compose(FOLDER.joinpath(name).read_text(encoding="utf-8"))
    assert isinstance(document, yaml.MappingNode)
    concepts = next(value for key, value in document.value if key.value == "concepts")
    assert [n for n, count in Counter(key.value for key, _ in concepts.value).items() if count > 1] == []
    languages = {key.value: [language.value for language, _ in value.value] for key, value in concepts.value}
    assert {concept: found for concept, found in languages.items() if len(set(found)) < len(found)} == {}


@pytest.mark.parametrize("name", FILES)
def test_a_concept_has_no_expression_twice(name: str) -> None:
    listed = yaml.safe_load(FOLDER.joinpath(name).read_text(encoding="utf-8"))["concepts"]
    found = Counter(
        (concept, language, words_of(entry), stems_of(entry, language))
        for concept, entries in listed.items()
        for language in entries
        for entry in entries[language].split("|")
    )
    assert [entry for entry, count in found.items() if count > 1] == []


def test_a_concept_has_expressions_in_languages_that_are_known() -> None:
    for concept, listed in CONCEPTS.items():
        assert set(listed) <= set(LANGUAGES), concept
        assert all(words_of(entry) for entries in listed.values() for entry in entries.split("|")), concept


def test_what_is_set_against_one_another_are_concepts() -> None:
    named = [concept for key in ("exclusive", "opposite") for group in DATA[key] for concept in group]
    named += [*DATA["receives"], *DATA["pays"]]
    assert set(named) - set(CONCEPTS) == set()


def test_no_expression_stands_for_two_opposites() -> None:
    assert list(clashes(DATA)) == []


def test_every_expression_is_found_and_its_opposite_is_not() -> None:
    lexicon = package_lexicon()
    for concept, language, entry in expressions():
        words = words_of(entry)
        count, means = lexicon.concepts[language].find(words, stems_of(entry, language), 0)
        assert (count, concept in means) == (len(words), True), (concept, language, entry)
        assert not [other for other in means if frozenset((concept, other)) in OPPOSITES], (concept, language, entry)


def test_a_language_is_made_ready_when_it_comes_up_and_an_expression_when_a_word_begins_like_it() -> None:
    lexicon = build(DATA)
    concepts = lexicon.concepts["en"]
    assert list(lexicon.concepts) == ["en"]
    waiting = sum(map(len, concepts.waiting.values()))
    assert waiting == sum(language == "en" for _, language, _ in expressions())
    assert not concepts.forms
    assert concepts.find(("invoices",), stems_of("invoices", "en"), 0) == (1, ("invoice",))
    assert 0 < sum(map(len, concepts.forms.values())) < waiting / 10
    assert all(" ".join(stems).startswith("in") for stems in concepts.forms)


@settings(max_examples=20)
@given(st.sampled_from(sorted(OPPOSITES, key=sorted)), st.sampled_from(sorted(LANGUAGES)), st.booleans())
def test_a_corpus_cannot_make_opposites_the_same(pair: frozenset[str], language: str, turned: bool) -> None:
    one, other = sorted(pair, reverse=turned)
    entries = CONCEPTS[one].get(language)
    if entries is None:
        return
    added = yaml.safe_dump({"concepts": {other: {language: entries.split("|")[0]}}}, allow_unicode=True)
    with pytest.raises(LexiconUnreadable, match="opposites"):
        extended(added)


@settings(max_examples=20)
@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=9, max_size=12))
def test_a_corpus_adds_a_word_to_a_concept_of_the_package(word: str) -> None:
    lexicon = extended(yaml.safe_dump({"concepts": {"invoice": {"en": word}}}))
    assert "invoice" in lexicon.concepts["en"].find((word,), stems_of(word, "en"), 0)[1]
    assert lexicon.concepts["en"].find(("invoices",), stems_of("invoices", "en"), 0)[1] == ("invoice",)


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        ("The fee of Atlas Goods Ltd is 5 EUR.", "The fee of Atlas Products Ltd is 5 EUR."),
        ("Atlas Goods charges 8 EUR for storage.", "Atlas Products charges 8 EUR for storage."),
        ("Der Betrag der Holz Lieferung KG ist 9 EUR.", "Der Betrag der Holz Zustellung KG ist 9 EUR."),
        ("Le loyer de Delta Marchandises est de 700 EUR.", "Le loyer de Delta Produits est de 700 EUR."),
    ],
)
def test_a_proper_name_has_no_synonyms(said: str, turned: str) -> None:
    index = index_from_texts({"a.md": f"# CONTRACT\n\n{said}"})
    assert verify(said, index).status is Status.GROUNDED
    assert verify(turned, index).status is not Status.GROUNDED


def test_a_cell_is_not_what_only_the_text_beside_its_table_speaks_of_if_its_column_is_the_opposite() -> None:
    table = "| | Total fair value |\n|---|---|\n| Money market funds | $14,918 |\n| Bonds | $2,300 |\n"
    index = index_from_texts({"a.md": f"# NOTE 2\n\n{table}\nFair values approximate book values.\n"})
    assert verify("The fair value of money market funds was $14,918.", index).status is Status.GROUNDED
    assert verify("The book value of money market funds was $14,918.", index).status is not Status.GROUNDED


def test_what_a_claim_says_in_other_words_is_met() -> None:
    index = index_from_texts(
        {
            "a.md": "# AGREEMENT\n\n1.1 Defective goods shall be replaced free of charge.\n\n"
            "1.2 The annual fee amounts to EUR 12,000.\n\n1.3 The board approved the accounts on 3 March 2026.\n\n"
            "1.4 Die Lieferfrist beträgt vier Wochen.\n"
        }
    )
    for claim in (
        "Faulty products must be replaced at no cost.",
        "The annual fee runs to EUR 12,000.",
        "The board signed off the accounts on 3 March 2026.",
        "The delivery period is four weeks.",
    ):
        assert verify(claim, index).status is Status.GROUNDED, claim
