"""The sample's documents are what the script makes, agree with the ledger, and hold what its labelled claims say."""

from __future__ import annotations

import csv
import json
import re
import runpy
from collections import Counter
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from openpyxl import load_workbook
from pypdfium2 import PdfDocument  # it has no types

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "src" / "footnote" / "packs" / "sample"
DOCUMENTS = SAMPLE / "documents"
NOT_TEXT = {".pdf", ".xlsx"}
GAP = " […] "  # between the fragments of one piece of evidence


def claims() -> list[dict[str, Any]]:
    lines = (SAMPLE / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def table(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cents(text: str) -> int:
    return int(re.sub(r"\D", "", text)) * (-1 if text.startswith("-") else 1)


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "make_documents.py"))


def test_the_script_makes_the_files_that_are_there(script: dict[str, Any]) -> None:
    made: dict[str, bytes] = script["files"]()
    there = {str(p.relative_to(DOCUMENTS)): p.read_bytes() for p in DOCUMENTS.rglob("*") if p.suffix in NOT_TEXT}
    assert made == there


def test_check_finds_a_file_that_differs(
    script: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script["main"](["--check"]) == 0
    (tmp_path / "invoices").mkdir()
    script["main"].__globals__["FOLDER"] = tmp_path
    assert script["main"]([]) == 0
    assert script["main"](["--check"]) == 0
    (tmp_path / "invoices" / "INV-2026-8812.pdf").write_bytes(b"%PDF-1.4")
    assert script["main"](["--check"]) == 1
    assert capsys.readouterr().err == "invoices/INV-2026-8812.pdf differs from what this script makes\n"


def test_what_is_said_about_files_is_about_files_that_are_there() -> None:
    described = yaml.safe_load((DOCUMENTS / "corpus.yaml").read_text(encoding="utf-8"))["files"]
    for pattern, facts in described.items():
        assert list(DOCUMENTS.glob(pattern)), pattern
        if "amends" in facts:
            assert (DOCUMENTS / facts["amends"]).is_file()


def test_the_bank_statement_has_the_payments_of_the_ledger_and_adds_up() -> None:
    statement = table("documents/finance/bank-statement-2026-07.csv")
    paid = {(p["reference"], p["received_on"], int(p["amount_cents"])) for p in table("data/payments.csv")}
    paid |= {(p["reference"], p["paid_on"], -int(p["amount_cents"])) for p in table("data/bill_payments.csv")}
    assert {(s["reference"], s["booked_on"], cents(s["amount_eur"])) for s in statement} <= paid
    for before, after in pairwise(statement):
        assert cents(before["balance_eur"]) + cents(after["amount_eur"]) == cents(after["balance_eur"])


def test_only_the_balance_confirmation_disagrees_with_the_ledger() -> None:
    open_cents = {i["number"]: int(i["amount_cents"]) - int(i["paid_cents"]) for i in table("data/invoices.csv")}
    line = re.compile(r"^\W*(INV-2026-\d{4})\W.*?([\d.]+,\d\d)", re.MULTILINE)
    disagreeing: dict[tuple[str, str], int] = {}
    for name in ("finance/saldenbestaetigung-bergmann.md", "letters/2026-07-06-mahnung-bergmann.txt"):
        found = line.findall((DOCUMENTS / name).read_text(encoding="utf-8"))
        assert len(found) >= 4
        disagreeing |= {(name, n): cents(a) for n, a in found if cents(a) != open_cents[n]}
    assert disagreeing == {("finance/saldenbestaetigung-bergmann.md", "INV-2026-8901"): 800_000}
    assert open_cents["INV-2026-8901"] == 840_000


def text_of(path: Path) -> str:
    if path.suffix == ".pdf":
        with closing(PdfDocument(path)) as pdf:
            return "\n".join(page.get_textpage().get_text_range() for page in pdf)
    if path.suffix == ".xlsx":
        with closing(load_workbook(path)) as book:
            cells = [cell for row in book["Invoice"].iter_rows() for cell in row]
            return "\n".join(
                f"{cell.value:,.2f}" if cell.number_format == "#,##0.00" else str(cell.value) for cell in cells
            )
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["INV-2026-8812.pdf", "INV-2026-8834.md", "INV-2026-8931.txt", "INV-2026-8977.xlsx"])
def test_an_invoice_has_the_amount_and_the_customer_of_the_ledger(name: str) -> None:
    invoice = next(i for i in table("data/invoices.csv") if i["number"] == name.rpartition(".")[0])
    text = text_of(DOCUMENTS / "invoices" / name)
    amounts = re.findall(r"\d{1,3}(?:,\d{3})*\.\d\d|\d{1,3}(?: \d{3})*,\d\d", text)
    assert max(map(cents, amounts)) == int(invoice["amount_cents"])
    assert invoice["customer_id"] in text


def test_claims_are_well_formed_and_none_stands_there_twice() -> None:
    for claim in claims():
        assert set(claim) == {"id", "claim", "label", "split", "kind", "file", "evidence", "note"}
        assert claim["label"] in {"GROUNDED", "CONTRADICTED", "UNSUPPORTED"}
        assert claim["split"] in {"dev", "holdout"}
        assert (claim["evidence"] is None) == (claim["label"] == "UNSUPPORTED")
        assert (DOCUMENTS / claim["file"]).is_file()
    for key in ("id", "claim"):
        assert max(Counter(claim[key] for claim in claims()).values()) == 1


def test_both_splits_have_enough_claims_of_each_label() -> None:
    counts = Counter((claim["split"], claim["label"]) for claim in claims())
    assert sum(counts.values()) >= 120
    assert min(counts.values()) >= 20
    assert len(counts) == 6


def test_the_evidence_of_a_claim_is_in_its_source_word_for_word() -> None:
    checked = 0
    for claim in claims():
        path = DOCUMENTS / claim["file"]
        if claim["evidence"] is not None and path.suffix not in NOT_TEXT:
            text = path.read_text(encoding="utf-8")
            assert [part for part in claim["evidence"].split(GAP) if part not in text] == [], claim["id"]
            checked += 1
    assert checked >= 100
