"""Promise 11: every quoted fragment is a substring of its source at the stated position. When in doubt: UNSUPPORTED.

Documents of every format are verified against, searched and quoted through the session; whatever comes back is looked up
in the text that the reader found, letter by letter, and in the record that was written before it came back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.integration.documents.made import every_format

from footnote.connect.opening import open_session
from footnote.documents import Corpus
from footnote.documents.reading import sources_of_bytes
from footnote.documents.verdict import Status, Verdict
from footnote.session.documents import Documents, documents_of

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "src" / "footnote" / "packs" / "sample"
CLAIMS = [json.loads(line) for line in (SAMPLE / "claims.jsonl").read_text(encoding="utf-8").splitlines()]
RESTATED = [
    json.loads(line)
    for line in (ROOT / "tests" / "corpora" / "restated" / "claims.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Claims about the sample's documents by somebody who saw the documents and never the engine."""


def assert_exact(verdict: Verdict, texts: dict[str, str]) -> None:
    passages = [*verdict.conflicting, *([verdict.nearest] if verdict.nearest else [])]
    fragments = [*verdict.quotes, *(fragment for passage in passages for fragment in passage.fragments)]
    for fragment in fragments:
        assert texts[fragment.file][fragment.start : fragment.end] == fragment.text != ""
    assert bool(verdict.quotes) == (verdict.status is not Status.UNSUPPORTED)
    assert verdict.quote == " […] ".join(fragment.text for fragment in verdict.quotes)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Corpus, dict[str, str]]]:
    """The sample's documents, and their texts as the readers find them, without the index between."""
    folder = SAMPLE / "documents"
    files = [file for file in folder.rglob("*") if file.is_file()]
    read = (s for f in files for s in sources_of_bytes(f.relative_to(folder).as_posix(), f.read_bytes()))
    with Corpus.open(folder, cache=tmp_path_factory.mktemp("cache")) as corpus:
        yield corpus, {source.file: source.text for source in read}


def test_every_quote_of_every_verdict_stands_in_its_source(sample: tuple[Corpus, dict[str, str]]) -> None:
    corpus, texts = sample
    verdicts = [corpus.verify(item["claim"]) for item in CLAIMS]
    for verdict in verdicts:
        assert_exact(verdict, texts)
    assert {verdict.status for verdict in verdicts} == set(Status), "the claims do not try every status"


def test_no_statement_that_is_no_fact_is_grounded(sample: tuple[Corpus, dict[str, str]]) -> None:
    corpus, _ = sample
    others = [item["claim"] for item in (*CLAIMS, *RESTATED) if item["label"] != Status.GROUNDED]
    assert [claim for claim in others if corpus.verify(claim).status is Status.GROUNDED] == []
    assert len(others) > 150


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([word for item in CLAIMS for word in item["claim"].split()]), min_size=1, max_size=12))
def test_a_quote_is_exact_whatever_is_claimed(sample: tuple[Corpus, dict[str, str]], words: list[str]) -> None:
    corpus, texts = sample
    assert_exact(corpus.verify(" ".join(words)), texts)


@pytest.fixture
def documents(tmp_path: Path) -> Iterator[Documents]:
    folder = tmp_path / "documents"
    folder.mkdir()
    for file, data in every_format().items():
        (folder / file).write_bytes(data)
    environ = {
        "FOOTNOTE_DOCUMENTS": str(folder),
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "PROVENANCE_DB": str(tmp_path / "log.db"),
    }
    with open_session(environ=environ) as session:
        yield documents_of(session)


def test_searches_and_quotes_are_exact_in_every_format(documents: Documents) -> None:
    texts = {s.file: s.text for file, data in every_format().items() for s in sources_of_bytes(file, data)}
    found = {hit.unit.file for hit in documents.search("fee revenue costs", limit=50)}
    assert {"a.md", "a.txt", "a.html", "a.docx", "a.pdf", "a.xlsx", "a.eml/contract.docx"} <= found
    for hit in documents.search("fee revenue costs 2026 invoice", limit=50):
        assert texts[hit.unit.file][hit.unit.start : hit.unit.end] == hit.unit.text
    for file, text in texts.items():
        for section in documents.corpus.sections(file):
            fragment = documents.corpus.quote(file, section.name).fragment
            assert text[fragment.start : fragment.end] == fragment.text


def test_what_is_recorded_is_what_was_quoted(documents: Documents) -> None:
    found = documents.verify("The fee is 5 EUR.")
    record = documents._session.log.get(found.receipt.id)
    (quote,) = found.verdict.quotes
    evidence = [dict(item) for item in record.evidence if isinstance(item, dict)]
    assert [(e["label"], e["start"], e["end"]) for e in evidence] == [(quote.text, quote.start, quote.end)]
    assert found.verdict.status is Status.GROUNDED


def test_two_sources_of_equal_authority_that_disagree_are_doubt() -> None:
    texts = {
        "a.md": "# Agreement\n\nThe deposit of Acme is 500 EUR.",
        "b.md": "# Agreement\n\nThe deposit of Acme is 700 EUR.",
    }
    assert Corpus.from_texts(texts).verify("The deposit of Acme is 500 EUR.").status is not Status.GROUNDED


# --- same corpus, same claim, same verdict ----------------------------------------------------------------------------

TEXTS = {
    "lease.md": "# LEASE\n\n## 1. Rent\n\n1.1 Der Mieter zahlt 900 EUR im Monat.\n\n1.2 The notice period is three months.\n",
    "table.md": "| Item | 2024 | 2023 |\n|---|---|---|\n| Café revenue | 48,520 | 41,200 |\n| Costs | (5,100) | (4,900) |\n",
    "letter.txt": "From: a@example.com\nTo: b@example.com\nSubject: x\n\nThe notice period is six months.\n",
}
STATEMENTS = [
    "The notice period is three months.",
    "The notice period is four months.",
    "Café revenue was 48,520 in 2024.",
    "Café revenue was 41,200 in 2024.",
    "Der Mieter zahlt 900 EUR im Monat.",
    "The landlord is Anna Nowak.",
]


def statuses(texts: dict[str, str]) -> list[tuple[Status, str]]:
    corpus = Corpus.from_texts(texts)
    return [((verdict := corpus.verify(claim)).status, verdict.file) for claim in STATEMENTS]


@given(st.permutations(sorted(TEXTS)))
def test_the_order_of_files_does_not_matter(order: list[str]) -> None:
    assert statuses({file: TEXTS[file] for file in order}) == statuses(TEXTS)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_do_not_matter(end: str) -> None:
    assert statuses({file: text.replace("\n", end) for file, text in TEXTS.items()}) == statuses(TEXTS)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_the_unicode_form_does_not_matter(form: str) -> None:
    import unicodedata

    texts = {file: unicodedata.normalize(form, text) for file, text in TEXTS.items()}  # type: ignore[arg-type]
    corpus = Corpus.from_texts(texts)
    assert statuses(texts) == statuses(TEXTS)
    for claim in STATEMENTS:
        assert_exact(corpus.verify(claim), texts)


@settings(max_examples=20)
@given(
    st.lists(
        st.sampled_from(
            ["The weather was fine.", "Pallets are made of wood.", "| a | b |", "Invoice INV-1 was paid on 3 May 2024."]
        ),
        max_size=30,
    )
)
def test_documents_about_something_else_do_not_matter(lines: list[str]) -> None:
    assert statuses(TEXTS | {"zzz.md": "\n\n".join(lines), "aaa.txt": "\n".join(lines)}) == statuses(TEXTS)


def test_a_folder_and_texts_give_the_same_verdicts(tmp_path: Path) -> None:
    for file, text in TEXTS.items():
        (tmp_path / file).write_bytes(text.encode("utf-8"))
    with Corpus.open(tmp_path, cache=tmp_path / ".cache") as corpus:
        on_disk = [((verdict := corpus.verify(claim)).status, verdict.file, verdict.quote) for claim in STATEMENTS]
    in_memory = [
        ((verdict := Corpus.from_texts(TEXTS).verify(claim)).status, verdict.file, verdict.quote)
        for claim in STATEMENTS
    ]
    assert on_disk == in_memory
