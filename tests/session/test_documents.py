"""Documents through the session and its tools: every verdict, quote and search leaves its record before it is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import TextResourceContents

from footnote.connect.opening import open_session
from footnote.documents.verdict import Reason, Status
from footnote.errors import ArgumentError, LogUnavailable, NameUnknown
from footnote.serve.resources import read
from footnote.serve.tools import Tools
from footnote.session import Session
from footnote.session.documents import LONGEST_QUOTE, Documents, documents_of
from footnote.sources.cancellation import Cancellation

LEASE = "# LEASE\n\n## 1. Rent\n\n1.1 The monthly rent is 900 EUR.\n\n1.2 Pets are not permitted.\n"
LETTER = "From: bob@example.com\nTo: anna@example.com\nSubject: rent\n\nThe monthly rent is 950 EUR.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    place.mkdir()
    (place / "lease.md").write_text(LEASE, encoding="utf-8")
    (place / "letter.txt").write_text(LETTER, encoding="utf-8")
    return place


@pytest.fixture
def session(folder: Path, tmp_path: Path) -> Iterator[Session]:
    environ = {
        "FOOTNOTE_DOCUMENTS": str(folder),
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "PROVENANCE_DB": str(tmp_path / "log.db"),
        "PROVENANCE_ACTOR": "ana.kovac",
    }
    with open_session(environ=environ) as opened:
        yield opened


def kinds(session: Session) -> list[str]:
    return [record.kind for record in session.log.records()]


class Client:
    """Calls tools as a client does."""

    def __init__(self, session: Session) -> None:
        self.tools = Tools(session)

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = self.tools.call(name, arguments, cancel=Cancellation(), links=False)
        text = " ".join(block.text for block in result.content if block.type == "text")
        return {"text": text, "error": result.is_error, "meta": result.meta} | (result.structured_content or {})


@pytest.fixture
def client(session: Session) -> Client:
    return Client(session)


def test_a_grounded_claim_is_an_answer_that_rests_on_its_quote(session: Session) -> None:
    found = documents_of(session).verify("The monthly rent is 900 EUR.")
    record = session.log.get(found.receipt.id)
    (quote,) = found.verdict.evidence
    assert record.kind == "answer"
    assert record.sections["answer"] == "The monthly rent is 900 EUR."
    assert record.sections["claims"] == [
        {
            "text": "The monthly rent is 900 EUR.",
            "span": {"start": 0, "end": 28},
            "evidenceIds": [quote.id],
            "origin": "quoted",
        }
    ]
    assert [dict(item)["id"] for item in record.evidence if isinstance(item, dict)] == [quote.id]
    assert LEASE[quote.start : quote.end] == quote.text


def test_an_unsupported_claim_is_a_refusal_on_record(session: Session) -> None:
    found = documents_of(session).verify("The landlord is Anna Nowak.")
    record = session.log.get(found.receipt.id)
    assert (record.kind, record.evidence) == ("refusal", ())
    assert session.log.verify().ok


def test_without_a_log_there_is_no_verdict(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "log.db").mkdir()
    environ = {
        "FOOTNOTE_DOCUMENTS": str(folder),
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "PROVENANCE_DB": str(tmp_path / "log.db"),
    }
    with open_session(environ=environ) as session, pytest.raises(LogUnavailable):
        documents_of(session).verify("The monthly rent is 900 EUR.")


def test_what_is_read_is_recorded_and_so_is_what_is_not_there(session: Session) -> None:
    documents = documents_of(session)
    documents.search("rent")
    documents.quote("lease.md", "1.1")
    with pytest.raises(NameUnknown):
        documents.quote("lease.md", "9")
    with pytest.raises(ArgumentError):
        documents.verify(" ")
    assert kinds(session) == ["read", "read", "refusal", "refusal"]


def test_a_long_document_is_quoted_page_by_page_without_a_gap(session: Session, folder: Path) -> None:
    text = "".join(f"Line {number} says what it says.\n" for number in range(2_000))
    (folder / "long.txt").write_text(text, encoding="utf-8")
    documents = documents_of(session)
    said, offset = "", 0
    while True:
        page = documents.quote("long.txt", offset=offset)
        assert len(page.fragment.text) <= LONGEST_QUOTE
        assert page.fragment.text == text[page.fragment.start : page.fragment.end]
        said += page.fragment.text
        if page.next_offset is None:
            break
        offset = page.next_offset
    assert said == text


# --- tools ------------------------------------------------------------------------------------------------------------


def test_the_tools_over_documents_are_offered_where_there_are_documents(client: Client) -> None:
    tools = {tool.name: tool for tool in client.tools.listed()}
    assert list(tools)[-5:] == ["list_sources", "search", "quote", "verify", "verify_all"]
    for name in ("verify", "verify_all"):
        assert "Only GROUNDED may be presented as fact" in (tools[name].description or "")
    assert all(tool.annotations and tool.annotations.read_only_hint and tool.output_schema for tool in tools.values())


def test_verify_says_status_quote_and_what_may_be_done(client: Client) -> None:
    found = client("verify", claim="The monthly rent is 900 EUR.", tier=1)
    assert (found["status"], found["file"], found["tier"]) == ("GROUNDED", "lease.md", 1)
    for said in (
        "GROUNDED",
        "“The monthly rent is 900 EUR.”",
        "doc://lease.md#",
        "You may present this as fact",
        "provenance://record/",
    ):
        assert said in found["text"]
    assert found["meta"]["footnote/recordId"] == found["record"]["id"]


def test_a_source_of_lower_authority_does_not_contradict_and_may_be_left_out(client: Client) -> None:
    found = client("verify", claim="The monthly rent is 950 EUR.")
    assert found["status"] == "CONTRADICTED"
    assert "Do not present the claim as fact" in found["text"]
    assert [source["file"] for source in client("list_sources", tier=1)["sources"]] == ["lease.md"]
    assert {hit["file"] for hit in client("search", query="monthly rent", tier=2)["hits"]} == {"lease.md"}


def test_verify_all_has_pages(client: Client) -> None:
    claims = [f"The monthly rent is {900 + number} EUR." for number in range(25)]
    first = client("verify_all", claims=claims)
    assert (len(first["verdicts"]), first["nextOffset"], first["counts"]["GROUNDED"]) == (20, 20, 1)
    assert "ask with offset 20" in first["text"]
    last = client("verify_all", claims=claims, offset=20)
    assert (len(last["verdicts"]), last.get("nextOffset")) == (5, None)


def test_list_sources_says_tier_why_sections_and_problems(client: Client, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    found = client("list_sources")
    broken, lease, letter = found["sources"]
    assert broken["problems"] == ["The file is damaged: it cannot be opened as PDF."]
    assert (lease["tier"], lease["sections"][:2]) == (1, ["LEASE", "LEASE › 1. Rent"])
    assert (letter["tier"], letter["tierReason"]) == (3, "it begins like a message (from, to, subject)")


def test_a_section_that_is_not_there_is_an_error_with_those_that_are(client: Client) -> None:
    assert client("quote", file="lease.md", section="1.2")["text"].endswith("Pets are not permitted.")
    found = client("quote", file="lease.md", section="12")
    assert found["error"]
    assert "LEASE › 1. Rent › 1.1" in found["text"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("verify", {}),
        ("verify", {"claim": 5}),
        ("verify", {"claim": "x", "tier": 9}),
        ("verify", {"claim": "\ud800"}),
        ("verify", {"claim": "x" * 200_000}),
        ("verify_all", {"claims": []}),
        ("verify_all", {"claims": "one"}),
        ("verify_all", {"claims": ["x"] * 300}),
        ("search", {"query": "rent", "limit": 0}),
        ("search", {"query": "rent", "offset": -1}),
        ("quote", {"file": "../../etc/passwd"}),
        ("quote", {"file": "lease.md", "secton": "1"}),
        ("list_sources", {"tier": True}),
    ],
)
def test_an_argument_that_cannot_be_used_is_an_error_and_on_record(
    client: Client, session: Session, tool: str, arguments: dict[str, Any]
) -> None:
    found = client(tool, **arguments)
    assert found["error"]
    assert kinds(session) == ["refusal"]


@pytest.mark.parametrize(
    "claim",
    [
        "x " * 49_000,
        "その家賃は九百ユーロです。",
        "the of and",
        "?",
        "Is the rent 900 EUR?",
        "'; DROP TABLE units; --",
        "\x00\x01",
        "🙂" * 50,
    ],
)
def test_any_claim_has_a_verdict_and_none_of_these_is_grounded(client: Client, claim: str) -> None:
    found = client("verify", claim=claim)
    assert not found["error"]
    assert found["status"] == "UNSUPPORTED"


# --- resources --------------------------------------------------------------------------------------------------------


def resource(session: Session, uri: str) -> str:
    (content,) = read(session, uri, Cancellation()).contents
    assert isinstance(content, TextResourceContents)
    return content.text


def test_a_passage_can_be_read_in_its_context(session: Session) -> None:
    start = LEASE.index("The monthly")
    said = resource(session, f"doc://lease.md#{start}-{start + 28}")
    assert '"text": "The monthly rent is 900 EUR."' in said
    assert "Pets are not permitted." in said
    assert "# LEASE" in resource(session, "doc://LEASE.md")
    assert kinds(session) == ["read", "read"]


def test_a_passage_outside_of_its_document_is_refused(session: Session) -> None:
    for uri in ("doc://lease.md#5-99999", "doc://lease.md#9-3"):
        with pytest.raises(ArgumentError):
            resource(session, uri)
    with pytest.raises(NameUnknown):
        resource(session, "doc://../secret.md")


# --- rows and documents together --------------------------------------------------------------------------------------


@pytest.fixture
def sample(tmp_path: Path) -> Iterator[Session]:
    """The sample company with its own documents, and a letter of an auditor that disagrees with the ledger."""
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
    with open_session(environ=environ) as opened:
        yield opened


def test_a_claim_about_a_row_is_grounded_by_the_row(sample: Session) -> None:
    found = documents_of(sample).verify("The outstanding amount of invoice INV-2026-8812 is 18,450.00 EUR.")
    record = sample.log.get(found.receipt.id)
    assert (found.verdict.status, found.verdict.file) == (Status.GROUNDED, "erp://invoice/8812")
    claims: Any = record.sections["claims"]
    # The customer's own balance confirmation says so too, so that the claim rests on the row and on its quote.
    (ids,) = [claim["evidenceIds"] for claim in claims]
    assert [name.partition("#")[0] for name in ids] == [
        "invoice:8812",
        "quote:finance/saldenbestaetigung-bergmann.md",
    ]
    rows: list[Any] = [item for item in record.evidence if isinstance(item, dict) and "values" in item]
    assert [(row["id"], row["values"]["outstanding"]) for row in rows] == [("invoice:8812", "18450.00")]


def test_a_wrong_figure_of_a_row_is_contradicted_by_the_row(sample: Session) -> None:
    found = documents_of(sample).verify("The outstanding amount of invoice INV-2026-8812 is 19,450.00 EUR.")
    assert (found.verdict.status, found.verdict.file) == (Status.CONTRADICTED, "erp://invoice/8812")
    assert [row["id"] for row in found.as_dict()["rows"]] == ["invoice:8812"]


@pytest.mark.parametrize(
    ("claim", "status", "file"),
    [
        ("Invoice 8812 over 18.450,00 € is unpaid.", Status.GROUNDED, "erp://invoice/8812"),
        ("Invoice INV-2026-8812 has not been paid.", Status.GROUNDED, "erp://invoice/8812"),
        ("Invoice INV-2026-8812 has been paid.", Status.CONTRADICTED, "erp://invoice/8812"),
        ("Invoice 8812 over 19.450,00 € is unpaid.", Status.CONTRADICTED, "erp://invoice/8812"),
        ("Invoice 8901 is open.", Status.GROUNDED, "erp://invoice/8901"),
        ("Invoice 8901 is unpaid.", Status.UNSUPPORTED, ""),  # 4,000 of 12,400 EUR have been paid
        ("The city of Nordwind Marine AS is Bergen.", Status.GROUNDED, "erp://customer/4472"),
        ("The city of Nordwind Marine AS is Oslo.", Status.CONTRADICTED, "erp://customer/4472"),
        ("The city of Nordlicht Marine AS is Bergen.", Status.UNSUPPORTED, ""),
    ],
)
def test_a_row_says_whether_it_is_paid_and_a_customer_is_found_by_name(
    sample: Session, claim: str, status: Status, file: str
) -> None:
    verdict = documents_of(sample).verify(claim).verdict
    assert (verdict.status, verdict.file) == (status, file), verdict.reason_codes


def test_a_document_that_disagrees_with_the_ledger_leaves_doubt_and_both_are_shown(
    sample: Session, tmp_path: Path
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    said = "Invoice INV-2026-8812 has an outstanding amount of 17,000.00 EUR."
    (folder / "confirmation.md").write_text(f"# Balance confirmation\n\n{said}\n", encoding="utf-8")
    found = Documents(sample, folder).verify(said)
    assert (found.verdict.status, found.verdict.reason_codes) == (Status.UNSUPPORTED, (Reason.SOURCES_DISAGREE,))
    assert [passage.file for passage in found.verdict.conflicting] == ["erp://invoice/8812", "confirmation.md"]
    assert sample.log.get(found.receipt.id).kind == "refusal"


def test_a_row_that_is_not_there_changes_nothing(sample: Session) -> None:
    found = documents_of(sample).verify("The outstanding amount of invoice INV-2026-0001 is 18,450.00 EUR.")
    assert (found.verdict.status, found.ledger) == (Status.UNSUPPORTED, None)


def test_a_source_that_cannot_be_read_is_said_and_documents_still_speak(folder: Path, tmp_path: Path) -> None:
    environ = {
        "FOOTNOTE_DOCUMENTS": str(folder),
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "PROVENANCE_DB": str(tmp_path / "log.db"),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'none.db'}",
    }
    with open_session(environ=environ) as session:
        found = documents_of(session).verify("The monthly rent is 900 EUR, as invoice 8812 says.")
        assert found.notes == ("The system of record could not be read; only documents were looked at.",)
        assert documents_of(session).verify("The monthly rent is 900 EUR.").verdict.status is Status.GROUNDED
