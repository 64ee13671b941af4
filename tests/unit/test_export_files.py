"""What an auditor files and reads: the workbook and the page, with hostile text and exact numbers."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footnote
from footnote.access import Actor
from footnote.audit import Selection
from footnote.audit.outputs import Export, export_of, html_pieces, write
from footnote.audit.sampling import Sample
from footnote.audit.selection import in_words, select
from footnote.audit.sheets import cell_text, fits
from footnote.errors import UsageError
from footnote.provenance import Draft, Log
from footnote.session import Session

NOW = dt.datetime(2026, 8, 14, 12, tzinfo=dt.UTC)
HOSTILE = [
    "=1+1",
    "+41 44",
    "-2",
    "@SUM(A1)",
    '=HYPERLINK("http://evil.example","x")',
    "=cmd|' /C calc'!A0",
    "\t=1+1",
    "http://evil.example/x",
    "0123",
    "1e5",
    "</table><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "_x0041_ stays",
    "\x1b[31m\x00 \ufffe",
    "𝄞 é e\u0301 \u202eLTR",
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("session")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open(provenance_db=folder / "log.db", actor=Actor("ana", "controller"), environ=environ) as session:
        session.ask("How much does Bergmann owe?")
        session.call("getReceivablesAging", {})
        session.interpret("customerAtRisk", {"customer": "Bergmann"})
        with pytest.raises(footnote.errors.FootnoteError):
            session.ask("How much does Acme Corporation owe?")
        session.log.checkpoint()  # and none comes meanwhile
        yield session


def exported(log: Log, selection: Selection | None = None) -> Export:
    return export_of(log, select(log, selection or Selection()), now=NOW)


def hostile_log(folder: Path, texts: list[str]) -> Log:
    """A log whose every text is one that somebody would like to see run."""
    log = Log.open(folder / "hostile.db")
    for text in texts:
        claims = [{"text": text, "span": {"start": 0, "end": 2}, "evidenceIds": [text], "origin": "structured"}]
        row = {"id": text, "type": text, "label": text, "fields": {"name": text}, "values": {"name": text}, "url": text}
        sections: dict[str, Any] = {
            "actor": {"id": text, "role": text},
            "question": text,
            "answer": text,
            "claims": claims,
            "operations": [{"name": text, "queries": [{"sql": text, "params": {"a": text}, "purpose": text}]}],
        }
        log.append(Draft("answer", "", sections, [row]))
    return log


# --- the workbook -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def book(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "export.xlsx"
    write(exported(session.log), "xlsx", path)
    return path


def rows_of(path: Path, sheet: str) -> list[dict[str, Any]]:
    first, *rest = openpyxl.load_workbook(path)[sheet].iter_rows(values_only=True)
    return [dict(zip(map(str, first), row, strict=True)) for row in rest]


def test_a_workbook_has_what_an_auditor_files(book: Path, session: Session) -> None:
    names = ["Index", "Answers", "Claims", "Tie-out", "Evidence", "SQL", "Verification"]
    workbook = openpyxl.load_workbook(book)
    assert workbook.sheetnames == names
    for name in names:
        sheet = workbook[name]
        assert sheet.freeze_panes == "A2"
        assert sheet.page_setup.orientation == "landscape"
        assert sheet.print_title_rows == "$1:$1"
        assert sheet.auto_filter.ref
    index = rows_of(book, "Index")
    assert [row["Record"] for row in index] == list(range(1, session.log.size() + 1))
    assert all(isinstance(row["Time (UTC)"], dt.datetime) for row in index)
    assert {row["State"] for row in index} == {"as recorded"}
    answers = rows_of(book, "Answers")
    assert answers[0]["Question"] == "How much does Bergmann owe?"
    assert any("No customer is called" in (row["Answer or refusal"] or "") for row in answers)
    verification = {row["What"]: row["Value"] for row in rows_of(book, "Verification")}
    assert verification["Log verified when this was made"] == "yes"
    assert verification["Records verified"] == session.log.size()
    assert verification["Selection"] == "all records"
    assert verification["Checkpoints compared that agree"] == session.log.verify().checkpoints
    assert verification["Their signature"].startswith("UNPINNED")
    assert verification["Their time stamps"] == "none"
    assert verification["Latest signed checkpoint"].startswith(f"footnote/{session.log.id}\n")


def test_every_result_is_tied_out_once_and_claims_lead_there(book: Path) -> None:
    tie_out = rows_of(book, "Tie-out")
    totals = [row for row in tie_out if row["Label"] == "total"]
    keys = [(row["Result"], row["Figure"]) for row in totals]
    assert len(keys) == len(set(keys)) > 5
    claims = [row for row in rows_of(book, "Claims") if row["Figure"]]
    by_sum = [row for row in claims if row["Made by"] in {"sum", "count"} and row["Value"]]
    assert by_sum
    assert all((row["Result"], row["Figure"]) in keys for row in by_sum)


def test_the_live_sums_cover_exactly_their_rows(book: Path) -> None:
    sheet = openpyxl.load_workbook(book)["Tie-out"]
    checked = 0
    for number, row in enumerate(sheet.iter_rows(min_row=2), 2):
        formula = row[8].value
        if not formula:
            continue
        match = re.fullmatch(r"=(\w+)\(G(\d+):G(\d+)\)", str(formula))
        assert match, formula
        first, last = int(match[2]), int(match[3])
        assert last == number - 1
        block = {tuple(cell.value for cell in line[1:3]) for line in sheet.iter_rows(first, last)}
        assert block == {(row[1].value, row[2].value)}
        above = tuple(cell.value for cell in sheet[first - 1][1:3])
        assert above not in block or sheet[first - 1][5].value == "total"
        if match[1] == "SUM":
            total = sum(Decimal(str(line[6].value)) for line in sheet.iter_rows(first, last))
            assert total == Decimal(str(row[9].value))
            checked += 1
    assert checked > 5


def test_libreoffice_comes_to_the_figures_as_recorded(book: Path, tmp_path: Path) -> None:
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice (soffice) is not installed here")
    home = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [soffice, home, "--headless", "--convert-to", "ods", "--outdir", str(tmp_path), str(book)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    back = [soffice, home, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", str(tmp_path)]
    subprocess.run([*back, str(tmp_path / "export.ods")], check=True, capture_output=True, timeout=300)
    sheet = openpyxl.load_workbook(tmp_path / "export.xlsx", data_only=True)["Tie-out"]
    totals = [row for row in sheet.iter_rows(min_row=2, values_only=True) if row[5] == "total" and row[8] is not None]
    assert len(totals) > 5
    for row in totals:
        assert row[8] == row[9], row
        assert row[10] == 0, row


def test_hostile_text_stays_text_in_a_workbook(tmp_path: Path) -> None:
    with hostile_log(tmp_path, HOSTILE) as log:
        write(exported(log), "xlsx", tmp_path / "hostile.xlsx")
    workbook = openpyxl.load_workbook(tmp_path / "hostile.xlsx")
    for sheet in workbook:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f", cell.value
                assert cell.hyperlink is None
    shown = [row["Question"] for row in rows_of(tmp_path / "hostile.xlsx", "Answers")]
    # `_x005F_` is how the format itself writes an underscore that would start an escape; this reader leaves it.
    codes = {"\x1b": "\\u001b", "\x00": "\\u0000", "\ufffe": "\\ufffe", "_x0041_": "_x005F_x0041_"}
    expected = HOSTILE
    for character, code in codes.items():
        expected = [text.replace(character, code) for text in expected]
    assert shown == expected


def test_a_number_that_a_spreadsheet_would_round_is_text() -> None:
    assert fits(Decimal("1234567890123.45"))
    assert fits(Decimal("-0.000000000000001"))
    assert fits(10**14)
    assert not fits(Decimal("12345678901234.567"))
    assert not fits(2**53)
    assert not fits(Decimal("1e40"))


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12))
def test_what_fits_is_the_same_number_after_a_spreadsheet_had_it(value: Decimal) -> None:
    if fits(value):
        assert Decimal(f"{float(value):.15g}") == value


@given(st.text(max_size=200))
def test_any_text_is_one_that_a_cell_can_hold(text: str) -> None:
    shown = cell_text(text.encode("utf-8", "replace").decode())
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", shown)


def test_a_text_that_no_cell_can_hold_is_cut_and_says_so() -> None:
    shown = cell_text("𝄞" * 40_000)
    assert len(shown.encode("utf-16-le")) // 2 <= 32_767
    assert "cut here" in shown


def test_a_workbook_without_its_package_is_asked_for_by_name(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(UsageError, match="XlsxWriter"):
        write(exported(session.log), "xlsx", tmp_path / "export.xlsx")
    assert list(tmp_path.iterdir()) == []


# --- the page ---------------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """What a browser would see: ids, links, elements with what could load or run."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _list(value: Any) -> list[Any]:
    assert isinstance(value, list)
    return value


def seen(export: Export) -> tuple[Reader, str]:
    html = "".join(html_pieces(export))
    reader = Reader()
    reader.feed(html)
    return reader, html


def test_every_claim_is_a_link_to_a_note_and_every_link_has_its_place(session: Session) -> None:
    reader, html = seen(exported(session.log))
    assert len(reader.ids) == len(set(reader.ids))
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)
    claims = [link for link in reader.links if re.fullmatch(r"#r\d+c\d+", link)]
    answers = [record for record in session.log.records() if record.kind == "answer"]
    made: list[Any] = [claim for answer in answers for claim in _list(answer.sections["claims"])]
    assert len(claims) == len(made)
    assert "43.805,00\u00a0€" in html


def test_what_several_records_rest_on_stands_on_the_page_once(session: Session) -> None:
    _, html = seen(exported(session.log))
    for result in (record for record in session.log.records(kinds=["result"])):
        queries = result.sections["operations"]
        assert html.count(f"The evidence and the queries of result {result.id[:8]}") >= 1, queries
        assert html.count(f"Result {result.id[:8]}") == 1
    answer = next(record for record in session.log.records(kinds=["answer"]))
    _, alone = seen(exported(session.log, Selection(record=answer.sequence)))
    assert "stand under" not in alone
    assert "<h3>Evidence</h3>" in alone


def test_a_page_says_in_words_what_is_shown_and_how_it_was_verified(session: Session) -> None:
    _, html = seen(exported(session.log, Selection(kinds=("answer",), cited=True)))
    assert "Shown here: records of kind answer, with the results that answers rest on." in html
    assert re.search(r"checkpoints? agrees?, the signature UNPINNED", html)


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(), "all records"),
        (Selection(cited=True), "all records"),
        (Selection(record=7, cited=True), "record 7, with the results that answers rest on"),
        (Selection(after=3, limit=1000), "records behind record 3, at most 1,000 of them"),
        (Selection(kinds=("answer", "refusal"), actor="ana"), "records of kind answer or refusal asked by ana"),
        (
            Selection(since="2026-01-01T00:00:00.000Z", operation="aging"),
            "records from 2026-01-01T00:00:00.000Z, of calls of aging",
        ),
        (Selection(sample=Sample(25, "7")), "all records: a random sample of 25, drawn with the seed 7"),
    ],
)
def test_a_selection_is_told_in_words(selection: Selection, words: str) -> None:
    assert in_words(selection.as_dict()) == words


def test_nothing_in_a_page_loads_or_runs(session: Session, tmp_path: Path) -> None:
    with hostile_log(tmp_path, HOSTILE) as log:
        for export in (exported(session.log), exported(log)):
            reader, html = seen(export)
            assert reader.elements.isdisjoint({"script", "img", "iframe", "link", "object", "form", "base", "svg"})
            assert reader.attributes <= {"lang", "charset", "http-equiv", "content", "name", "id", "class", "href"}
            assert all(link.startswith("#") for link in reader.links)
            assert "default-src &#x27;none&#x27;" in html
            assert "unsafe" not in html.split("</head>")[0]


def test_a_page_says_what_is_no_longer_as_recorded(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    with hostile_log(tmp_path, ["What is owed?"]) as log:
        with closing(sqlite3.connect(tmp_path / "hostile.db")) as connection, connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            connection.execute("UPDATE payload SET data = CAST('\"0,00 €\"' AS BLOB) WHERE section = 'answer'")
        _, html = seen(exported(log))
    assert "answer is altered" in html
    assert "The log does not verify" in html
    assert "0,00 €" not in html
