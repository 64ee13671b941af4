"""A folder with three CSV files and one workbook answers as the database they came from, and says where each row stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.session.exported import export_sample

import footnote
from footnote.audit.reperform import reperform
from footnote.connect.check import check
from footnote.connect.draft.drafting import Wishes
from footnote.connect.draft.writing import write_draft
from footnote.connect.lineage import check_lineage
from footnote.connect.seed import seed_sqlite
from footnote.errors import SourceChanged, UsageError
from footnote.session import Session

Open = Callable[..., Session]

QUESTIONS = [
    "How much does Bergmann owe?",
    "Has Nordwind paid anything this year?",
    "Show me the receivables aging",
    "Any open tickets for Adriatic Foods?",
    "Is Bergmann Logistik at risk?",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "files"
    path.mkdir()
    export_sample(path)
    return path


def test_the_questions_are_answered_as_over_the_database(folder: Path, tmp_path: Path) -> None:
    seed_sqlite(tmp_path / "erp.db")
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache")}
    answers = []
    for name, url in (("db", f"sqlite:///{tmp_path / 'erp.db'}"), ("files", f"files://{folder}")):
        with footnote.open(
            "sample", database_url=url, provenance_db=tmp_path / f"{name}.log", environ=environ
        ) as opened:
            asked = [opened.ask(question) for question in QUESTIONS]
            answers.append([(answer.text, answer.claims) for answer in asked])
    (database, files) = answers
    for (text, claims), (other_text, other_claims) in zip(database, files, strict=True):
        assert text == other_text
        assert [(c.start, c.end, c.evidence) for c in claims] == [(c.start, c.end, c.evidence) for c in other_claims]


def test_a_row_says_in_which_file_sheet_and_row_it_stands(open_session: Open, folder: Path) -> None:
    session = open_session(f"files://{folder}")
    rows = {row.id: row for row in session.ask("How much does Bergmann owe?").results[0].evidence.rows()}
    lines = (folder / "invoices.csv").read_text("utf-8-sig").splitlines()
    for row in rows.values():
        file, _, number = row.fields["file"].display.partition(", row ")
        if row.type == "invoice":
            assert file == "invoices.csv"
            assert lines[int(number) - 1].startswith(row.record_id + "\t")
    tickets = session.ask("Any open tickets for Adriatic Foods?").results[0].evidence.rows()
    assert any(row.fields["file"].display.startswith("rest.xlsx, sheet tickets, row ") for row in tickets)


def test_check_says_what_is_read_from_where_and_everything_holds(open_session: Open, folder: Path) -> None:
    (folder / "broken.csv").write_text("a,b\n1\n")
    (folder / "notes.txt~").write_text("x")
    session = open_session(f"files://{folder}")
    findings = {finding.subject: finding for finding in check(session)}
    assert all(finding.state != "failed" for finding in findings.values()), findings
    assert "351 rows, read as UTF-8, divided by a tab" in findings["invoices.csv"].text
    assert "due_on date" in findings["invoices.csv"].text
    assert "60 rows" in findings["rest.xlsx, sheet tickets"].text
    assert findings["broken.csv"].state == "warning"
    assert findings["notes.txt~"].state == "skipped"
    assert "Run Footnote as a user who may not" in findings["login"].text


def test_every_statement_is_traced_and_its_replay_gives_the_same(open_session: Open, folder: Path) -> None:
    session = open_session(f"files://{folder}")
    looked_at = list(check_lineage(session))
    assert looked_at
    for operation in looked_at:
        assert operation.state == "ok", operation.text
        assert all(statement.replay == "equal" for statement in operation.statements if statement.witness)


def test_a_draft_over_a_folder_loads_and_passes_check(open_session: Open, folder: Path, tmp_path: Path) -> None:
    made = write_draft(f"files://{folder}", tmp_path / "c.yaml", Wishes(), cache=tmp_path / "cache")
    assert made.operations
    text = (tmp_path / "c.yaml").read_text("utf-8")
    assert "DECIDE: is id the key? It names every row of invoices.csv today" in text
    assert "file_row" not in text
    session = open_session(f"files://{folder}", str(tmp_path / "c.yaml"))
    findings = list(check(session))
    assert [finding for finding in findings if finding.state == "failed"] == []


def test_a_key_that_is_none_any_more_is_an_error_and_no_figure(open_session: Open, folder: Path) -> None:
    session = open_session(f"files://{folder}")
    session.ask("How much does Bergmann owe?")
    path = folder / "payments.csv"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[-1]]) + "\n", "utf-8")
    with pytest.raises(SourceChanged, match="does not name a row of payments"):
        session.ask("How much does Bergmann owe?")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert session.ask("How much does Bergmann owe?").text


def test_a_call_made_again_names_what_changed_and_what_moved(open_session: Open, folder: Path) -> None:
    session = open_session(f"files://{folder}")
    answer = session.call("getOverdueInvoices", {"customer": "4471"})
    record = str(answer.receipt["id"])
    (same,) = reperform(session, record)
    assert same.status == "same", same.as_dict()
    path = folder / "invoices.csv"
    lines = path.read_text("utf-8-sig").splitlines()
    path.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n", "utf-8-sig")
    (moved,) = reperform(session, record)
    assert moved.found.figures == (), "the figures are those of the rows, wherever these stand"
    assert moved.status != "same", "the rows are said to stand elsewhere"
    path.write_text("\n".join(line.replace("\t1845000\t", "\t1845001\t") for line in lines) + "\n", "utf-8-sig")
    (changed,) = reperform(session, record)
    assert {figure.address.rpartition(".")[2] for figure in changed.found.figures} >= {"totalOutstanding"}


def test_neither_log_nor_cache_nor_sample_goes_into_the_folder(folder: Path, tmp_path: Path) -> None:
    url, before = f"files://{folder}", sorted(folder.iterdir())
    outside = {"FOOTNOTE_CACHE": str(tmp_path / "cache")}
    for log, environ in (folder / "log.db", outside), (tmp_path / "log.db", {"FOOTNOTE_CACHE": str(folder / "cache")}):
        with pytest.raises(UsageError, match="never written"):
            footnote.open("sample", database_url=url, provenance_db=log, environ=environ)
    environ = outside | {"FOOTNOTE_SEED": "1"}
    with (
        footnote.open("sample", database_url=url, provenance_db=tmp_path / "log.db", environ=environ) as session,
        pytest.raises(UsageError, match="FOOTNOTE_SEED"),
    ):
        session.ask("How much does Bergmann owe?")
    assert sorted(folder.iterdir()) == before
