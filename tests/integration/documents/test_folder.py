"""A folder is a corpus: its index follows it, is shared by processes, and says what it leaves out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.documents.made import every_format

from footnote.documents.corpus import BESIDE, Corpus
from footnote.documents.folder import CorpusError
from footnote.errors import NameAmbiguous, NameUnknown, Unreachable

LEASE = "# LEASE\n\n## 1. Rent\n\n1.1 The rent is 900 EUR.\n\n1.2 It is due monthly.\n\n## 2. Pets\n\n2.1 Pets are welcome.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    (place / "contracts").mkdir(parents=True)
    (place / "contracts" / "lease.md").write_text(LEASE, encoding="utf-8")
    (place / "note.txt").write_text("The landlord is Anna Nowak.", encoding="utf-8")
    return place


class Reading:
    """A corpus on a folder, with a count of the files that were read."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.read: list[str] = []
        self.corpus = Corpus.open(folder, cache=cache, progress=self.progress)

    def progress(self, done: int, total: int, path: str) -> None:
        if path:
            self.read.append(path)

    def again(self) -> list[str]:
        self.read.clear()
        self.corpus.refresh(self.progress)
        return self.read

    def found(self, query: str) -> list[str]:
        return [hit.unit.text for hit in self.corpus.search(query)]


@pytest.fixture
def reading(folder: Path, tmp_path: Path) -> Iterator[Reading]:
    made = Reading(folder, tmp_path / "cache")
    yield made
    made.corpus.close()


def test_only_what_changed_is_read_again(reading: Reading, folder: Path, tmp_path: Path) -> None:
    assert reading.read == ["contracts/lease.md", "note.txt"]
    assert Reading(folder, tmp_path / "cache").read == []
    (folder / "note.txt").write_text("The landlord is Jan Kowalski.", encoding="utf-8")
    (folder / "new.md").write_text("Parking costs 40 EUR.", encoding="utf-8")
    assert reading.again() == ["new.md", "note.txt"]
    assert reading.found("landlord") == ["The landlord is Jan Kowalski."]
    assert reading.found("Anna") == []


def test_a_file_that_was_only_touched_gives_the_same_units(reading: Reading, folder: Path) -> None:
    before = reading.found("rent")
    os.utime(folder / "contracts" / "lease.md", (1, 1))
    reading.again()
    assert reading.found("rent") == before != []


def test_a_file_that_is_gone_is_not_found_and_not_quoted(reading: Reading, folder: Path) -> None:
    (hit,) = reading.corpus.search("landlord")
    (folder / "note.txt").unlink()
    with pytest.raises(NameUnknown, match=r"no document 'note\.txt'") as caught:
        reading.corpus.quote(hit.unit.file)
    assert [c.text for c in caught.value.candidates] == ["contracts/lease.md"]
    assert reading.found("landlord") == []


def test_many_changes_are_merged_and_nothing_is_lost(reading: Reading, folder: Path) -> None:
    for number in range(40):
        (folder / "note.txt").write_text(f"The landlord is number {number}.\n\n" * 30, encoding="utf-8")
        reading.again()
    assert len(reading.found("landlord")) == 20
    assert reading.corpus.search("landlord number 39")[0].unit.text == "The landlord is number 39."
    assert reading.found("rent") == ["1. Rent", "The rent is 900 EUR.", "It is due monthly."]


def test_two_processes_share_an_index(folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from footnote.documents.corpus import Corpus\n"
        f"corpus = Corpus.open({str(folder)!r}, cache=Path({str(tmp_path / 'cache')!r}))\n"
        "print([hit.unit.text for hit in corpus.search('rent')], flush=True)\n"
        "sys.stdin.readline(); corpus.refresh()\n"
        "print([hit.unit.text for hit in corpus.search('parking')], flush=True)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for process in started:
        assert process.stdout is not None
        assert "900 EUR" in process.stdout.readline()
    (folder / "new.md").write_text("Parking costs 40 EUR.", encoding="utf-8")
    said = [process.communicate("\n", timeout=60)[0] for process in started]
    assert said == ["['Parking costs 40 EUR.']\n"] * 3


def test_hidden_files_and_links_are_left_out_and_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("The password is 1234.", encoding="utf-8")
    (folder / ".hidden.md").write_text("Hidden.", encoding="utf-8")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    corpus = Corpus.open(folder, cache=tmp_path / "cache")
    assert [source.file for source in corpus.sources()] == ["contracts/lease.md", "note.txt"]
    assert corpus.search("password") == []
    assert corpus.problems == (
        "Hidden files are ignored: .hidden.md.",
        "Links are not followed: loop, out.md.",
        "These cannot be read: pipe.md (no file).",
    )


def test_an_index_may_stand_beside_its_documents(folder: Path, tmp_path: Path) -> None:
    Corpus.open(folder, cache=tmp_path / "cache", beside=True).close()
    assert (folder / BESIDE).is_file()
    assert Reading(folder, tmp_path / "other").read == []
    assert not (tmp_path / "other").exists()


def test_a_damaged_index_is_made_anew(folder: Path, tmp_path: Path) -> None:
    Corpus.open(folder, cache=tmp_path / "cache").close()
    (index,) = (tmp_path / "cache" / "documents").glob("*.db")
    index.write_bytes(b"no database" * 100)
    assert len(Reading(folder, tmp_path / "cache").found("rent")) == 3


def test_every_format_has_the_same_units_from_disk_as_when_read(folder: Path, tmp_path: Path) -> None:
    from footnote.documents.reading import sources_of_bytes

    for file, data in every_format().items():
        (folder / file).write_bytes(data)
    corpus = Corpus.open(folder, cache=tmp_path / "cache")
    for file, data in every_format().items():
        for source in sources_of_bytes(file, data):
            assert corpus.source(source.file) == source


def test_an_empty_folder_is_a_corpus_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    corpus = Corpus.open(tmp_path / "empty", cache=tmp_path / "cache")
    assert (corpus.sources(), corpus.search("rent")) == ([], [])
    with pytest.raises(NameUnknown, match="The corpus is empty"):
        corpus.quote("a.md")


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="There is no folder"):
        Corpus.open(tmp_path / "none", cache=tmp_path / "cache")


def test_an_index_that_cannot_be_written_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    with pytest.raises(Unreachable, match="cannot be used"):
        Corpus.open(folder, cache=tmp_path / "cache")


# --- corpus.yaml ------------------------------------------------------------------------------------------------------


def test_what_the_operator_says_about_files_counts_first_and_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "corpus.yaml").write_text(
        "files:\n  contracts/*: {tier: 3}\n  contracts/lease.md: {effective: 2026-04-01, amends: note.txt}\n",
        encoding="utf-8",
    )
    lease, note = Corpus.open(folder, cache=tmp_path / "cache").sources()
    assert (lease.tier, lease.tier_reason) == (3, "corpus.yaml says tier 3")
    assert (str(lease.effective), lease.effective_reason, lease.amends) == (
        "2026-04-01",
        "corpus.yaml says so",
        ("note.txt",),
    )
    assert note.tier == 2


def test_a_changed_rule_reads_the_files_it_is_about_again(reading: Reading, folder: Path) -> None:
    (folder / "corpus.yaml").write_text("files:\n  note.txt: {tier: 1}\n", encoding="utf-8")
    assert reading.again() == ["note.txt"]
    assert {source.file: source.tier for source in reading.corpus.sources()} == {"contracts/lease.md": 1, "note.txt": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("files: [", "is not YAML"),
        ("rules: {}", "a key that is not known: rules"),
        ("files: {a.md: {tier: 9}}", "'9' is none of 1, 2 and 3"),
        ("files: {a.md: {level: 1}}", "unknown key 'level'"),
        ("files: {a.md: {effective: soon}}", "'soon' cannot be read"),
        ("files: 5", "no mapping of patterns"),
        ("files: {a.md: 1}", "says nothing that can be used"),
    ],
)
def test_a_rule_that_cannot_be_used_stops_and_says_why(folder: Path, tmp_path: Path, text: str, said: str) -> None:
    (folder / "corpus.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CorpusError, match=said):
        Corpus.open(folder, cache=tmp_path / "cache")


# --- quoting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["1.1", "Clause 1.1", "LEASE › 1. Rent › 1.1"])
def test_a_clause_is_quoted_by_number_or_path(reading: Reading, said: str) -> None:
    assert reading.corpus.quote("contracts/lease.md", said).fragment.text == "The rent is 900 EUR."


@pytest.mark.parametrize("said", ["2", "2. Pets", "pets", "§ 2", "Section 2"])
def test_a_section_is_quoted_by_number_or_title(reading: Reading, said: str) -> None:
    quotation = reading.corpus.quote("contracts/lease.md", said)
    assert quotation.fragment.text == LEASE[quotation.fragment.start : quotation.fragment.end]
    assert quotation.fragment.text.split("\n\n") == ["2. Pets", "2.1 Pets are welcome."]


def test_a_section_that_is_not_there_is_an_error_with_those_that_are(reading: Reading) -> None:
    with pytest.raises(NameUnknown) as caught:
        reading.corpus.quote("contracts/lease.md", "9.9")
    assert "LEASE › 1. Rent › 1.2" in [c.text for c in caught.value.candidates]


def test_a_title_of_two_sections_is_an_error_with_both() -> None:
    corpus = Corpus.from_texts({"a.md": "# A\n\n## Terms\n\nOne.\n\n# B\n\n## Terms\n\nTwo.\n"})
    with pytest.raises(NameAmbiguous) as caught:
        corpus.quote("a.md", "Terms")
    assert [c.text for c in caught.value.candidates] == ["A › Terms", "B › Terms"]
    assert corpus.quote("a.md", "B › Terms").fragment.text.endswith("Two.")


def test_a_search_may_leave_out_lower_tiers_and_has_pages() -> None:
    corpus = Corpus.from_texts({"a.md": "# Lease\n\nRent one. Rent two.", "b.md": "# Notes\n\nRent three."})
    assert [hit.unit.text for hit in corpus.search("rent", tier=1)] == ["Rent one.", "Rent two."]
    assert [hit.unit.text for hit in corpus.search("rent", limit=2, offset=1)] == ["Rent two.", "Rent three."]
