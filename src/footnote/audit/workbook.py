"""Records as a workbook that an auditor files: what was asked, answered and claimed, the rows behind it, and live sums.

Sheets: Index, Answers, Claims, Tie-out, Evidence, SQL, Verification. On Tie-out every figure that has contributions is
a block of its rows and a last line where a formula adds them up beside the figure as recorded, with the difference.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from footnote.audit.reading import Reading
from footnote.audit.selection import in_words
from footnote.audit.sheets import Book, Column, Formula, Sheet, fits
from footnote.figures import Figure, Value
from footnote.provenance.verify import Verification

FORMULAS: Final = {
    "sum": "SUM",
    "count": "SUM",
    "count distinct": "COUNTA",
    "minimum": "MIN",
    "maximum": "MAX",
    "average": "AVERAGE",
}
"""The formula over the contributions that gives a figure, by how it is made; a count has a 1 from each row."""

_DECIMAL: Final = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

_SHEETS: Final = {
    "Index": "Record 8, Time (UTC) 23, Kind 11, Actor 20, About 50, State 30, Id 38, Hash 66",
    "Answers": "Record 8, Question 40, Answer or refusal 80, Notes 40, Result 14, As of 12, Basis 14, Snapshot 30, Source 40, "
    "Catalog 40",
    "Claims": "Record 8, No. 5, Claim 30, Value 18, Unit 8, Result 14, Figure 34, Made by 14, Origin 11, Evidence 60, "
    "From 7, To 7",
    "Tie-out": "Record 8, Result 14, Figure 34, Made by 14, Row 24, Label 30, Contribution 18, Unit 8, Formula 18, "
    "As recorded 18, Difference 12, Remark 40",
    "Evidence": "Record 8, Result 14, Evidence 24, Type 12, Label 30, Field 24, Exact value 24, As displayed 30, Where 40",
    "SQL": "Record 8, Result 14, Operation 24, Purpose 11, Statement 20, Rows 8, Milliseconds 12, SQL 100, Parameters 40",
    "Verification": "What 30, Value 110",
}
"""Each sheet's columns, and their widths in characters."""


def write_workbook(
    path: Path,
    readings: Iterable[Reading],
    *,
    log: str,
    exported_at: dt.datetime,
    integrity: Verification,
    selection: Mapping[str, Any],
    checkpoint: str = "",
) -> None:
    """Write the workbook to `path`, in memory that does not grow with the records.

    Args:
        path: The file.
        readings: What it has, in order.
        log: The log's id.
        exported_at: When it is made.
        integrity: The outcome of verifying the whole log then.
        selection: What was asked for, as an export states it.
        checkpoint: The signed checkpoint that the log has, as text; empty if there is none.

    Raises `TooManyRows` for more than a spreadsheet holds, `UsageError` if XlsxWriter is not installed, OSError.
    """
    book = Book(str(path), exported_at)
    try:
        sheets = {name: Sheet(book, name, _columns(text)) for name, text in _SHEETS.items()}
        written: set[str] = set()
        for reading in readings:
            _index(sheets["Index"], reading)
            _answer(sheets["Answers"], reading)
            _claims(sheets["Claims"], reading)
            new = frozenset({*reading.results, ""} - written)
            _tie_out(sheets["Tie-out"], reading, new)
            _evidence(sheets["Evidence"], reading, new)
            _queries(sheets["SQL"], reading, new)
            written.update(reading.results)
        _verification(sheets["Verification"], log, exported_at, integrity, selection, checkpoint)
        for sheet in sheets.values():
            sheet.close()
    finally:
        book.close()


def _columns(text: str) -> list[Column]:
    pairs = (column.rpartition(" ") for column in text.split(", "))
    return [Column(title, int(width)) for title, _, width in pairs]


def _index(sheet: Sheet, reading: Reading) -> None:
    record = reading.record
    at = dt.datetime.fromisoformat(record.timestamp)
    state = " ".join(reading.gaps) or "as recorded"
    sheet.add([record.sequence, at, record.kind, reading.actor, reading.subject, state, record.id, record.hash])


def _answer(sheet: Sheet, reading: Reading) -> None:
    if not (reading.answer or reading.refusal):
        return
    told: list[Value] = [reading.question, reading.answer or reading.refusal, " ".join(reading.notes)]
    for result in reading.results.values():
        sheet.add(
            [
                reading.record.sequence,
                *told,
                result.id,
                result.as_of,
                result.basis,
                result.taken_at,
                result.source,
                result.catalog_digest,
            ]
        )
        told = ["", "", ""]  # an answer over several results is written once
    if not reading.results:
        sheet.add([reading.record.sequence, *told])


def _claims(sheet: Sheet, reading: Reading) -> None:
    for note in reading.claims():
        figure = note.figure
        evidence = ", ".join([*(str(item.get("id", "")) for item in note.evidence), *note.unread])
        what = [figure.value, _unit(figure), note.result, note.address, figure.method] if figure else [None, ""]
        if not figure:
            what += [note.result, note.address, ""]
        sheet.add([reading.record.sequence, note.number, note.text, *what, note.origin, evidence, note.start, note.end])


def _tie_out(sheet: Sheet, reading: Reading, new: frozenset[str]) -> None:
    for result, address, figure in reading.figures():
        if result not in new or not figure.contributions:
            continue
        first = sheet.rows + 1
        sequence = reading.results[result].receipt.get("sequence")
        place: list[Value] = [sequence if isinstance(sequence, int) else None, result, address, figure.method]
        for contribution in figure.contributions:
            label = reading.label(result, contribution.evidence)
            sheet.add([*place, contribution.evidence, label, contribution.amount, _unit(figure)])
        left, rest = figure.unlisted()
        if left > 0:
            sheet.add([*place, "", f"{left:,} further rows", rest, _unit(figure)])
        formula, difference, remark = _totals(figure, first, sheet.rows)
        sheet.add([*place, "", "total", None, _unit(figure), formula, figure.value, difference, remark], bold=True)


def _totals(figure: Figure, first: int, last: int) -> tuple[Formula | None, Formula | None, str]:
    """The formula over the rows `first` to `last`, the difference from the figure (in the row below), and a remark."""
    function = FORMULAS.get(figure.method)
    left, rest = figure.unlisted()
    if function is None or (left > 0 and rest is None and figure.method not in ("minimum", "maximum")):
        return None, None, "Not made from its rows by a formula."
    numbers = [figure.value, *(c.amount for c in figure.contributions)]
    numbers += [rest] if left > 0 and rest is not None else []
    if figure.method == "count distinct":
        numbers = [figure.value]
    if not all(_is_number(value) and fits(value) for value in numbers):  # type: ignore[arg-type]  # numbers by then
        return None, None, "Not numbers, or more than 15 digits: compare as text; a spreadsheet would round."
    value = figure.value
    assert isinstance(value, int | Decimal)  # noqa: S101 - just checked
    scale = max(max(0, -int(Decimal(number).as_tuple().exponent)) for number in numbers)  # type: ignore[arg-type]
    formula = Formula(f"={function}(G{first}:G{last})", value, scale)
    return formula, Formula(f"=ROUND(I{last + 1}-J{last + 1},{scale})", 0, scale), ""


def _evidence(sheet: Sheet, reading: Reading, new: frozenset[str]) -> None:
    for (id, result), item in reading.evidence.items():
        if result not in new:
            continue
        where = str(item.get("url") or item.get("uri") or "")
        place: list[Value] = [
            reading.record.sequence,
            result,
            id,
            str(item.get("type", "")),
            str(item.get("label", "")),
        ]
        fields = item.get("fields")
        if not isinstance(fields, dict) or not fields:
            sheet.add([*place, "", _exact(item.get("value")), "", where])
            continue
        values, labels = _object(item.get("values")), _object(item.get("labels"))
        for name, shown in fields.items():
            sheet.add([*place, str(labels.get(name, name)), _exact(values.get(name)), str(shown), where])


def _queries(sheet: Sheet, reading: Reading, new: frozenset[str]) -> None:
    for name, result, query in reading.queries():
        if result not in new:
            continue
        rows = query.get("rows")
        sheet.add(
            [
                reading.record.sequence,
                result,
                name,
                str(query.get("purpose", "")),
                str(query.get("statement", "")),
                rows if isinstance(rows, int) else None,
                str(query.get("durationMs", "")),
                str(query.get("sql", "")),
                json.dumps(query.get("params", {}), ensure_ascii=False, sort_keys=True),
            ]
        )


def _verification(
    sheet: Sheet,
    log: str,
    exported_at: dt.datetime,
    integrity: Verification,
    selection: Mapping[str, Any],
    checkpoint: str,
) -> None:
    sheet.add(["Log", log])
    sheet.add(["Made (UTC)", exported_at])
    sheet.add(["Selection", in_words(selection)])
    sheet.add(["Log verified when this was made", "yes" if integrity.ok else f"NO: {integrity.reason}"])
    sheet.add(["Records verified", integrity.count])
    if integrity.pruned:
        sheet.add(["Records pruned before them", integrity.pruned])
    sheet.add(["Hash of the last record", integrity.head])
    signature = {
        "verified": "by a key that was given",
        "unpinned": "UNPINNED: compare the key with one that you have from whoever answers for the log",
        "": "none: there was no checkpoint to compare",
    }
    sheet.add(["Checkpoints compared that agree", integrity.checkpoints])
    sheet.add(["Their signature", signature[integrity.signed]])
    sheet.add(["Their time stamps", integrity.stamps.text if integrity.stamps else "none"])
    sheet.add(["Latest signed checkpoint", checkpoint or "none"])
    sheet.add(
        ["What this workbook proves", "Nothing by itself. The bundle of the same records can be verified offline."]
    )
    sheet.add(["Numbers", "More than 15 significant digits are text, because a spreadsheet would round them."])


def _unit(figure: Figure) -> str:
    return figure.format.currency or figure.format.unit


def _is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def _exact(value: object) -> Value:
    """A recorded exact value as a cell: decimals and dates typed, where that shows the same characters."""
    if isinstance(value, bool | int) or value is None:
        return value
    text = str(value)
    if _DECIMAL.fullmatch(text):
        return Decimal(text)
    try:
        return dt.date.fromisoformat(text) if _DAY.fullmatch(text) else text
    except ValueError:
        return text


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
