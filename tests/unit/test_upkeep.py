"""Records of upkeep say on page and in the workbook what was done and why."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import openpyxl
import pytest

from footnote.access import Actor
from footnote.audit.continuing import anchor
from footnote.audit.erase import erase
from footnote.audit.outputs import export_of, html_pieces, write
from footnote.audit.retain import hold, prune, release
from footnote.audit.selection import Selection, select
from footnote.audit.upkeep import upkeep
from footnote.provenance import Draft, Log
from footnote.provenance.notary import Checkpointing
from footnote.provenance.rotation import rotate

ME = Actor("eva", "auditor")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    then = [dt.datetime(2010, 5, 1, tzinfo=dt.UTC)]
    with Log.open(tmp_path / "log.db", clock=lambda: then[0], checkpoints=Checkpointing(tmp_path / "key.pem")) as log:
        log.append_all([Draft("answer", "", {"question": f"{n}?"}, [n]) for n in range(300)])
        log.checkpoint()
        then[0] = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
        yield log


def test_what_was_done_to_a_log_can_be_read_without_its_json(log: Log, tmp_path: Path) -> None:
    erase(log, {299: ["question", "evidence/0"], 300: ["question"]}, actor=ME, reason="Request <12>")
    hold(log, "Case 12", since="2026-01-01", until="2026-12-31", actor=ME, reason="The court")
    release(log, "Case 12", actor=ME, reason="Closed")
    key = rotate(log, tmp_path / "key.pem", ME.as_dict()).new.text
    write(export_of(log, select(log, Selection())), "json", tmp_path / "export.json")
    prune(log, dt.date(2016, 1, 1), tmp_path / "export.json", actor=ME, reason="Old", today=dt.date(2026, 11, 30))
    anchor(log, {"format": "footnote/v0", "log": "", "count": 1, "head": "ab", "sha256": "cd"}, actor=ME)
    again = {
        "record": {"sequence": 299},
        "operation": "aging",
        "figures": [],
        "figuresCompared": 1,
        "rows": [{}],
        "rowsCompared": 3,
    }
    log.append(Draft("reperform", "", {"reperform": again}))
    said = [upkeep(record) for record in log.records(after=300)]
    assert said[:4] == [
        "Erased 3 parts of 2 records. Reason: Request <12>",
        "The legal hold Case 12 from 2026-01-01 to 2026-12-31 came into force. Reason: The court",
        "The legal hold Case 12 was released. Reason: Closed",
        f"The log has a new key: {key}.",
    ]
    assert said[4].startswith("The records up to 256 were pruned; the export with the SHA-256 ")
    assert said[5] == "Continues 1 record, the last with the hash ab; the export with the SHA-256 cd has them."
    assert said[6] == "The call of record 299, aging, was made again. 0 of 1 figure and 1 of 3 rows differed."
    page = "".join(html_pieces(export_of(log, select(log, Selection()))))
    assert "Reason: Request &lt;12&gt;" in page
    assert "Record 299: evidence/0, question" in page
    write(export_of(log, select(log, Selection(after=300))), "xlsx", tmp_path / "book.xlsx")
    index = openpyxl.load_workbook(tmp_path / "book.xlsx")["Index"]
    assert [row[4] for row in index.iter_rows(min_row=2, values_only=True)] == said


@pytest.mark.parametrize("kind", ["erasure", "retention", "key", "import", "reperform", "answer"])
@pytest.mark.parametrize("value", [None, 7, "x", [], [7], {}, {"paths": 3}, {"hold": 1}])
def test_a_record_of_another_form_is_read_as_far_as_it_goes(log: Log, kind: str, value: object) -> None:
    names = ("erased", "hold", "release", "pruned", "rotation", "import", "reperform", "reason")
    record = log.get(log.append(Draft(kind, "", dict.fromkeys(names, value))).sequence)  # type: ignore[arg-type]
    assert isinstance(upkeep(record), str)


def test_a_field_that_a_reader_would_see_twice_is_told_once(log: Log) -> None:
    fields = {"dueOn": "2026-05-02", "due_on": "2026-05-02", "paid_on": "2026-05-02"}
    row = {"id": "invoice:1", "fields": fields, "labels": {"dueOn": "Due", "due_on": "Due", "paid_on": "Paid"}}
    log.append(Draft("answer", "", {"question": "Due?"}, [row]))
    page = "".join(html_pieces(export_of(log, select(log, Selection(after=300)))))
    assert page.count("<dt>Due</dt>") == page.count("<dt>Paid</dt>") == 1
