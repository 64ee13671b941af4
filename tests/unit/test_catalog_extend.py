"""A catalog that extends another, and packs that other packages bring."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from footnote.catalog.load import LoadedCatalog, find_catalog, load_catalog
from footnote.errors import CatalogError

BASE = """\
catalog: base
version: 4
source: {url: "sqlite:///erp.db", dialect: sqlite, time_zone: Europe/Vienna}
display: {locale: de-DE}
examples: [What is open?]
records:
  invoice:
    table: invoices
    key: [id]
    label: "{number}"
    fields: {number: {type: text}}
operations:
  countInvoices: &count
    title: Number of invoices
    description: How many invoices there are.
    statements:
      all: {shape: one, grain: invoice, statement: SELECT COUNT(*) AS number FROM invoices, columns: {number: {type: count}}}
    answer: "There are {number} invoices."
  countAgain: *count
"""
HEAD = "catalog: ours\nversion: 1\nextends: base.yaml\n"


def load(folder: Path, text: str, base: str = BASE) -> LoadedCatalog:
    (folder / "base.yaml").write_text(base, "utf-8")
    (folder / "ours.yaml").write_text(text, "utf-8")
    return load_catalog(folder / "ours.yaml", environ={})


def test_everything_is_taken_over_but_what_a_catalog_says_of_itself(tmp_path: Path) -> None:
    catalog = load(tmp_path, HEAD).catalog
    assert (catalog.catalog, catalog.version, catalog.examples) == ("ours", 1, [])
    assert list(catalog.operations) == ["countInvoices", "countAgain"]
    assert catalog.display.locale == "de-DE"


def test_settings_are_merged_key_by_key_and_named_things_replaced_as_a_whole(tmp_path: Path) -> None:
    own = """\
source: {timeout: 5s}
operations:
  countAgain: null
  countInvoices:
    title: Ours
    description: Ours.
    statements:
      all: {shape: one, grain: invoice, statement: SELECT COUNT(*) AS mine FROM invoices, columns: {mine: {type: count}}}
    answer: "{mine}"
"""
    catalog = load(tmp_path, HEAD + own).catalog
    assert (catalog.source.timeout, catalog.source.time_zone) == ("5s", "Europe/Vienna")
    assert list(catalog.operations) == ["countInvoices"]
    assert list(catalog.operations["countInvoices"].statements["all"].columns) == ["mine"]


def test_a_mistake_names_the_file_and_line_that_it_came_from(tmp_path: Path) -> None:
    with pytest.raises(CatalogError) as of_base:
        load(tmp_path, HEAD, BASE.replace("COUNT(*) AS number FROM invoices", "COUNT(*) AS number FROM"))
    assert (Path(of_base.value.file).name, of_base.value.line) == ("base.yaml", 17)
    with pytest.raises(CatalogError) as of_own:
        load(tmp_path, HEAD + "records:\n  bill: {table: bills, key: [id], label: x, fields: {a: {type: money}}}\n")
    assert (Path(of_own.value.file).name, of_own.value.line) == ("ours.yaml", 5)


def test_what_a_change_of_one_file_leaves_dangling_in_the_other_is_found(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="invoice") as caught:
        load(
            tmp_path,
            HEAD + "records:\n  invoice: null\n  bill: {table: b, key: [id], label: x, fields: {a: {type: text}}}\n",
        )
    assert Path(caught.value.file).name == "base.yaml"


def test_the_digest_changes_with_either_file(tmp_path: Path) -> None:
    first = load(tmp_path, HEAD)
    parts = (hashlib.sha256(text.encode()).digest() for text in (HEAD, BASE))
    assert first.digest == "sha256:" + hashlib.sha256(b"".join(parts)).hexdigest()
    assert load(tmp_path, HEAD, BASE + "# a remark\n").digest != first.digest
    assert load(tmp_path, HEAD + "# a remark\n").digest != first.digest


@pytest.mark.parametrize(
    ("extends", "said"),
    [
        ("ours.yaml", "extend one another"),
        ("gone.yaml", "no catalog `gone.yaml`"),
        ("pack:gone", "no catalog `pack:gone`"),
        ("[base.yaml]", "extends"),
        (".", "no catalog"),
    ],
)
def test_a_catalog_that_cannot_be_extended_is_an_error_in_the_line_that_names_it(
    tmp_path: Path, extends: str, said: str
) -> None:
    with pytest.raises(CatalogError, match=said) as caught:
        load(tmp_path, HEAD.replace("base.yaml", extends))
    assert caught.value.line == 3


def test_the_sample_can_be_extended_by_its_name(tmp_path: Path) -> None:
    loaded = load(tmp_path, "catalog: ours\nversion: 1\nextends: pack:sample\ndisplay: {locale: en-GB}\n")
    assert "getOverdueInvoices" in loaded.catalog.operations
    assert loaded.catalog.display.locale == "en-GB"


def test_what_is_left_out_is_left_out_of_toolsets_too(tmp_path: Path) -> None:
    base = BASE + "toolsets: {all: [countInvoices, countAgain], again: [countAgain]}\n"
    catalog = load(tmp_path, HEAD + "operations: {countAgain: null}\n", base).catalog
    assert catalog.toolsets == {"all": ["countInvoices"]}
    with pytest.raises(CatalogError, match="countAgain"):  # but one's own toolset has to be right
        load(tmp_path, HEAD + "operations: {countAgain: null}\ntoolsets: {all: [countAgain]}\n", base)


def package(folder: Path, catalog: str) -> None:
    """A package that brings the packs `acme` and `sample`, and one that is broken, as an installer lays it out."""
    (folder / "acme_packs").mkdir()
    (folder / "acme_packs" / "__init__.py").write_text("", "utf-8")
    (folder / "acme_packs" / "catalog.yaml").write_text(catalog, "utf-8")
    info = folder / "acme_packs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-packs\nVersion: 1.0\n", "utf-8")
    entries = "[footnote.packs]\nacme = acme_packs\nsample = acme_packs\nbroken = acme_nothing\n"
    (info / "entry_points.txt").write_text(entries, "utf-8")


def test_another_package_brings_a_pack_and_cannot_take_the_name_of_one_that_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, BASE)
    shipped = find_catalog("sample")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_catalog("pack:acme") == tmp_path / "acme_packs" / "catalog.yaml"
    assert load_catalog(find_catalog("acme"), environ={}).catalog.catalog == "base"
    assert find_catalog("sample") == shipped
    with pytest.raises(CatalogError, match="`broken` cannot be read") as caught:
        find_catalog("broken")
    assert "acme_nothing" in caught.value.why
    with pytest.raises(CatalogError) as unknown:
        find_catalog("pack:acmee")
    assert "acme" in unknown.value.remedy


def test_a_pack_of_another_package_answers_on_the_command_line(tmp_path: Path) -> None:
    package(tmp_path, BASE.replace("sqlite:///erp.db", f"sqlite:///{tmp_path / 'erp.db'}"))
    script = f"import sqlite3; sqlite3.connect({str(tmp_path / 'erp.db')!r}).execute('CREATE TABLE invoices (id INTEGER PRIMARY KEY, number TEXT)')"
    subprocess.run([sys.executable, "-c", script], check=True)
    source = str(Path(find_catalog("sample")).parents[3])
    environ = {"PYTHONPATH": f"{source}:{tmp_path}", "PROVENANCE_DB": str(tmp_path / "log.db")}
    ran = subprocess.run(
        [sys.executable, "-m", "footnote", "run", "countInvoices", "--pack", "acme"],
        env=environ | {"FOOTNOTE_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "There are 0 invoices." in ran.stdout, ran.stderr
