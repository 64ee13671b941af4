"""The sample company as files: three tables as CSV, each of another make, and the others as sheets of one workbook."""

from __future__ import annotations

import csv
import datetime as dt
from pathlib import Path
from typing import Any

import openpyxl

from footnote.connect.seed import Table, tables_of_pack

AS_CSV = {"customers": ("utf-16", ";"), "invoices": ("utf-8-sig", "\t"), "payments": ("utf-8", ",")}
"""Encoding and delimiter."""


def export_sample(folder: Path) -> None:
    """Write the sample's tables into a folder that is there."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for table in tables_of_pack():
        if table.name in AS_CSV:
            _as_csv(folder / f"{table.name}.csv", table, *AS_CSV[table.name])
            continue
        sheet = book.create_sheet(table.name)
        sheet.append(list(table.columns))
        for row in table.rows:
            sheet.append(list(map(_cell, row)))
    book.save(folder / "rest.xlsx")


def _as_csv(path: Path, table: Table, encoding: str, delimiter: str) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(table.columns)
        writer.writerows(["" if value is None else value for value in row] for row in table.rows)


def _cell(value: Any) -> Any:
    """As a person would have it in a workbook: numbers as numbers, days as days."""
    if not isinstance(value, str):
        return value
    if value.lstrip("-").isdigit():
        return int(value)
    try:
        return dt.datetime.fromisoformat(value)
    except ValueError:
        return value
