"""The web host's JSON over the sample company: answers, refusals, records, rows, the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import footnote
from footnote.audit.offline import verify_export
from footnote.serve.http import make_app
from footnote.session import Session

BASE = "http://127.0.0.1:4711"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def session(tmp_path: Path, cache: Path) -> Iterator[Session]:
    environ = {"FOOTNOTE_CACHE": str(cache), "PROVENANCE_ACTOR": "ada", "PROVENANCE_ROLE": "controller"}
    with footnote.open(provenance_db=tmp_path / "log.db", environ=environ) as opened:
        yield opened


@pytest.fixture
def client(session: Session) -> Iterator[TestClient]:
    with TestClient(make_app(session), base_url=BASE) as started:
        yield started


def ask(client: TestClient, question: str) -> dict[str, Any]:
    reply = client.post("/api/ask", json={"question": question})
    assert reply.status_code == 200, reply.text
    body: dict[str, Any] = reply.json()
    return body


def utf16(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


# --- asking -----------------------------------------------------------------------------------------------------------


def test_an_answer_has_a_claim_for_every_figure_at_its_place(client: TestClient) -> None:
    answer = ask(client, "How much does Bergmann owe?")
    assert answer["kind"] == "answer"
    assert "43.805,00 €" in answer["answer"].replace("\xa0", " ")
    assert all(utf16(answer["answer"], **claim["span"]) == claim["text"] for claim in answer["claims"])


def test_the_total_is_the_sum_of_its_contributions(client: TestClient) -> None:
    answer = ask(client, "How much does Bergmann owe?")
    tables = {table["name"]: table for table in answer["results"][0]["tables"]}
    total = tables["totals"]["rows"][0]["figures"]["totalOutstanding"]
    amounts = [Decimal(contribution["amount"]) for contribution in total["contributions"]]
    assert len(amounts) == 4
    assert sum(amounts) == Decimal(total["value"]) == Decimal("43805.00")


def test_an_answer_names_its_record_actor_and_locale(client: TestClient) -> None:
    answer = ask(client, "How much does Bergmann owe?")
    assert answer["record"]["sequence"] == 2
    assert answer["actor"] == {"id": "ada", "role": "controller"}
    assert answer["display"]["locale"] == "de-DE"


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Is Bergmann Logistik at risk?", "2 independent risk signals"),
        ("Has Nordwind paid anything this year?", "8.450,00"),
        ("Show me the receivables aging", "1–30 days"),
        ("Any open tickets for Adriatic Foods?", "1 open support ticket"),
    ],
)
def test_the_questions_of_the_start_page_have_answers(client: TestClient, question: str, part: str) -> None:
    assert part in ask(client, question)["answer"]


def test_a_name_that_does_not_exist_is_refused_with_names_that_do(client: TestClient) -> None:
    body = ask(client, "How much does Acme Corporation owe?")
    assert body["kind"] == "refusal"
    assert body["code"] == "name_unknown"
    assert body["candidates"]
    assert body["record"]["sequence"] == 1


def test_a_forecast_is_refused_with_questions_that_have_answers(client: TestClient) -> None:
    body = ask(client, "What will revenue be next quarter?")
    assert (body["kind"], body["code"]) == ("refusal", "unroutable")
    assert "How much does Bergmann owe?" in [candidate["text"] for candidate in body["candidates"]]


def test_an_operation_is_run_without_words(client: TestClient) -> None:
    arguments = {"customer": "4471", "asOfDate": "2026-08-14"}
    reply = client.post("/api/run", json={"operation": "getOverdueInvoices", "arguments": arguments})
    assert reply.status_code == 200
    assert "43.805,00" in reply.json()["answer"]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("getOverdueInvoices", {}),
        ("getOverdueInvoices", {"customer": "4471", "asOfDate": "2026-02-30"}),
        ("getOverdueInvoices", {"customer": "4471", "extra": "1"}),
        ("getOverdueInvoices", {"customer": {"$ne": 1}}),
        ("dropEverything", {}),
    ],
)
def test_wrong_arguments_are_refused_with_a_reason(
    client: TestClient, operation: str, arguments: dict[str, Any]
) -> None:
    reply = client.post("/api/run", json={"operation": operation, "arguments": arguments})
    assert reply.status_code == 200
    body = reply.json()
    assert body["kind"] == "refusal"
    assert body["message"]
    assert body["record"]["sequence"] == 1


def test_half_a_surrogate_pair_is_refused_and_recorded(client: TestClient) -> None:
    content = b'{"question": "How much does \\ud800 owe?"}'
    reply = client.post("/api/ask", content=content, headers={"content-type": "application/json"})
    assert reply.json()["kind"] == "refusal"
    assert reply.json()["record"]["sequence"] == 1


# --- records ----------------------------------------------------------------------------------------------------------


def test_an_answer_is_opened_again_as_it_was_given(client: TestClient) -> None:
    given = ask(client, "Is Bergmann Logistik at risk?")
    again = client.get(f"/api/record/{given['record']['id']}").json()["answer"]
    for name in ("kind", "question", "answer", "claims", "evidence", "operations", "conclusion", "notes", "actor"):
        assert again[name] == given[name], name
    assert [without_record(r) for r in again["results"]] == [without_record(r) for r in given["results"]]
    assert {name: again["record"][name] for name in given["record"]} == given["record"]


def without_record(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "record"}


def test_a_record_is_found_by_its_number_too(client: TestClient) -> None:
    given = ask(client, "How much does Bergmann owe?")
    assert client.get("/api/record/2").json()["id"] == given["record"]["id"]


def test_a_refusal_is_opened_again_as_it_was_given(client: TestClient) -> None:
    given = ask(client, "How much does Acme Corporation owe?")
    again = client.get(f"/api/record/{given['record']['id']}").json()["refusal"]
    assert again["question"] == "How much does Acme Corporation owe?"
    assert again["message"] == given["message"]
    assert again["candidates"] == given["candidates"]


def test_a_record_that_does_not_exist_is_refused(client: TestClient) -> None:
    body = client.get("/api/record/999").json()
    assert body["kind"] == "refusal"
    assert body["code"] == "name_unknown"


def test_the_last_records_are_listed_in_order_without_payload(client: TestClient) -> None:
    for _ in range(3):
        ask(client, "How much does Bergmann owe?")
    body = client.get("/api/records?limit=4").json()
    assert body["size"] == 6
    assert [record["sequence"] for record in body["records"]] == [3, 4, 5, 6]
    assert body["records"][-1]["summary"] == "How much does Bergmann owe?"
    assert "sections" not in body["records"][-1]


def test_records_behind_one_are_listed(client: TestClient) -> None:
    for _ in range(2):
        ask(client, "How much does Bergmann owe?")
    body = client.get("/api/records?after=1&limit=2").json()
    assert [record["sequence"] for record in body["records"]] == [2, 3]


@pytest.mark.parametrize("query", ["after=x", "limit=-1", "limit=1e3", "after=٣"])
def test_a_list_of_records_wants_digits(client: TestClient, query: str) -> None:
    assert client.get(f"/api/records?{query}").status_code == 400


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row_is_shown_as_now_and_as_last_recorded(client: TestClient) -> None:
    given = ask(client, "How much does Bergmann owe?")
    body = client.get("/api/row/invoice/8901").json()
    assert body["now"]["label"] == body["recorded"]["row"]["label"] == "INV-2026-8901"
    assert body["recorded"]["record"]["sequence"] == given["record"]["sequence"]


def test_a_row_that_no_record_cites_is_shown_as_now_only(client: TestClient) -> None:
    body = client.get("/api/row/customer/4475").json()
    assert body["now"]["label"] == "Adriatic Foods d.d."
    assert "recorded" not in body


def test_a_row_that_does_not_exist_is_said_to_be_absent(client: TestClient) -> None:
    body = client.get("/api/row/invoice/1").json()
    assert "now" not in body
    assert body["absence"]


def test_a_record_type_that_does_not_exist_is_refused(client: TestClient) -> None:
    assert client.get("/api/row/sqlite_master/1").json()["kind"] == "refusal"


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_chain_is_verified(client: TestClient) -> None:
    ask(client, "How much does Bergmann owe?")
    body = client.get("/api/verify").json()
    assert (body["ok"], body["count"]) == (True, 2)


def test_the_export_verifies_without_the_server(client: TestClient, tmp_path: Path) -> None:
    ask(client, "How much does Bergmann owe?")
    reply = client.get("/api/export")
    assert reply.headers["content-disposition"].startswith('attachment; filename="footnote-sample-')
    file = tmp_path / "export.json"
    file.write_bytes(reply.content)
    assert len(json.loads(reply.content)["records"]) == 2
    assert verify_export(file).ok


def test_one_record_is_exported_alone(client: TestClient) -> None:
    given = ask(client, "How much does Bergmann owe?")
    reply = client.get("/api/export", params={"record": given["record"]["id"]})
    assert [record["id"] for record in reply.json()["records"]] == [given["record"]["id"]]


def test_an_export_of_a_record_that_does_not_exist_is_refused(client: TestClient) -> None:
    assert client.get("/api/export?record=77").json()["kind"] == "refusal"


def test_an_answer_can_be_taken_away_as_a_page_and_as_a_bundle(client: TestClient, tmp_path: Path) -> None:
    from footnote.audit.bundle_verify import BundleVerification, verify_file

    given = client.post("/api/ask", json={"question": "How much does Bergmann owe?"}).json()
    about = {"record": given["record"]["id"]}
    page = client.get("/api/export", params=about | {"format": "html"})
    assert page.headers["content-disposition"].startswith("attachment")
    assert "43.805,00\u00a0€" in page.text
    reply = client.get("/api/export", params=about | {"format": "bundle"})
    assert reply.headers["content-type"] == "application/zip"
    (tmp_path / "b.zip").write_bytes(reply.content)
    outcome = verify_file(tmp_path / "b.zip")
    assert isinstance(outcome, BundleVerification)
    assert (outcome.ok, outcome.count, outcome.proved, outcome.signed) == (True, 2, 2, "UNPINNED")
    assert client.get("/api/export", params=about | {"format": "exe"}).status_code == 400


# --- about and the illustration ---------------------------------------------------------------------------------------


def test_the_page_learns_what_it_is_about(client: TestClient) -> None:
    about = client.get("/api/about").json()
    assert about["title"] == "Fabelhaft Handels GmbH"
    assert about["today"] == "2026-08-14"
    assert "How much does Bergmann owe?" in about["examples"]
    assert about["log"]["size"] == 0
    overdue = next(o for o in about["operations"] if o["name"] == "getOverdueInvoices")
    assert [p["name"] for p in overdue["parameters"] if p["required"]] == ["customer"]


def test_an_illustration_alters_every_figure_and_binds_no_claim(client: TestClient) -> None:
    given = ask(client, "How much does Bergmann owe?")
    shown = client.post("/api/illustrate", json={"record": given["record"]["id"]}).json()
    assert len(shown["claims"]) == len(given["claims"])
    for before, after in zip(given["claims"], shown["claims"], strict=True):
        assert after["origin"] == "generated"
        assert not after["evidenceIds"]
        assert utf16(shown["answer"], **after["span"]) == after["text"]
        assert after["text"] != before["text"] or not any(c.isdigit() for c in before["text"])


def test_an_illustration_is_not_recorded(client: TestClient, session: Session) -> None:
    given = ask(client, "How much does Bergmann owe?")
    before = session.log.size()
    client.post("/api/illustrate", json={"record": given["record"]["id"]})
    assert session.log.size() == before


def test_a_refusal_has_no_illustration(client: TestClient) -> None:
    given = ask(client, "How much does Acme Corporation owe?")
    assert client.post("/api/illustrate", json={"record": given["record"]["id"]}).status_code == 400


# --- interpretations and addresses ------------------------------------------------------------------------------------


def test_an_interpretation_is_offered_and_run_without_words_too(client: TestClient) -> None:
    offered = {operation["name"]: operation for operation in client.get("/api/about").json()["operations"]}
    assert [parameter["name"] for parameter in offered["customerAtRisk"]["parameters"]] == ["customer", "asOfDate"]
    body = client.post("/api/run", json={"operation": "customerAtRisk", "arguments": {"customer": "4471"}}).json()
    assert body["kind"] == "interpretation"


def test_a_row_is_found_in_the_log_however_its_key_is_written(client: TestClient) -> None:
    ask(client, "How much does Bergmann owe?")
    body = client.get("/api/row/invoice/08812").json()
    assert body["id"] == "invoice:8812"
    assert body["recorded"]["record"]["sequence"] == 2


def test_a_list_of_no_records_is_empty(client: TestClient) -> None:
    ask(client, "How much does Bergmann owe?")
    assert client.get("/api/records?limit=0").json()["records"] == []


def test_records_are_listed_by_what_people_call_an_operation(client: TestClient) -> None:
    ask(client, "How much does Bergmann owe?")
    summaries = [record["summary"] for record in client.get("/api/records").json()["records"]]
    assert summaries == ["Overdue invoices of a customer", "How much does Bergmann owe?"]
