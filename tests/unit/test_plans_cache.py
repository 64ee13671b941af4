"""Plans on disk: used again while catalog, schema, engine and versions are the same, and never otherwise."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.catalog.load import LoadedCatalog, load_catalog
from footnote.errors import FootnoteError, SourceChanged
from footnote.plans import cache
from footnote.plans.cache import Plans
from footnote.sources.opening import open_source
from footnote.sources.source import Source

CATALOG = """
catalog: small
version: 1
source: {url: "x", dialect: sqlite}
records:
  item: {table: items, key: [id], label: "{id}", fields: {id: {type: integer}, size: {type: integer}}}
  thing: {table: "${TABLE:items}", key: [id], label: "{id}", fields: {id: {type: integer}}}
entities:
  item: {record: item, match: [id]}
operations:
  ask:
    title: t
    description: d
    answer: a
    statements:
      s:
        shape: one
        grain: item
        statement: SELECT SUM(size) AS total FROM items
        columns: {total: {type: integer}}
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "items.db"
    change(path, "CREATE TABLE items (id INTEGER PRIMARY KEY, size INTEGER)")
    change(path, "CREATE TABLE others (id INTEGER PRIMARY KEY, size INTEGER)")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "plans"


@pytest.fixture
def source(database: Path) -> Iterator[Source]:
    source = open_source(f"sqlite:///{database}", timeout=5, time_zone="UTC")
    yield source
    source.close()


def change(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(sql)
    connection.close()


def loaded(text: str = CATALOG, **environ: str) -> LoadedCatalog:
    return load_catalog(text, environ=environ)


def sql_of(source: Source, folder: Path | None, catalog: LoadedCatalog | None = None) -> str:
    return Plans(catalog or loaded(), source, folder).statement("ask", "s", frozenset()).statement.sql


def plan_file(folder: Path) -> Path:
    (file,) = folder.glob("plans-*")
    return file


def replant(file: Path, old: bytes, new: bytes) -> None:
    """Change a file of the cache and its digest, as only its owner could."""
    _, _, data = file.read_bytes().partition(b"\n")
    assert old in data
    data = data.replace(old, new)
    file.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)


def test_a_plan_that_was_kept_is_used(source: Source, folder: Path) -> None:
    first = sql_of(source, folder)
    replant(plan_file(folder), b'AS \\"total\\"', b'AS  \\"total\\"')
    assert sql_of(source, folder) == first.replace('AS "total"', 'AS  "total"')


def test_all_kinds_of_plans_come_back_as_they_were(source: Source, folder: Path) -> None:
    fresh = Plans(loaded(), source, None)
    for _ in range(2):
        kept = Plans(loaded(), source, folder)
        assert kept.statement("ask", "s", frozenset()) == fresh.statement("ask", "s", frozenset())
        assert kept.record("item") == fresh.record("item")
        assert kept.entity("item") == fresh.entity("item")


@pytest.mark.parametrize("damage", ["cut", "altered", "empty", "garbage", "another"])
@pytest.mark.parametrize("kind", ["plans", "tables"])
def test_a_damaged_file_is_ignored(source: Source, folder: Path, damage: str, kind: str) -> None:
    first = sql_of(source, folder)
    (file,) = folder.glob(f"{kind}-*")
    data = file.read_bytes()
    file.write_bytes(
        {
            "cut": data[: len(data) // 2],
            "altered": data.replace(b"size", b"id"),
            "empty": b"",
            "garbage": b"\xff\x00" * 50,
            "another": hashlib.sha256(b"[1]").hexdigest().encode() + b"\n[1]",
        }[damage]
    )
    assert sql_of(source, folder) == first
    assert sql_of(source, folder) == first


def test_another_schema_is_another_plan(source: Source, folder: Path, database: Path) -> None:
    sql_of(source, folder)
    replant(plan_file(folder), b'AS \\"total\\"', b'AS  \\"total\\"')
    change(database, "ALTER TABLE items ADD COLUMN note TEXT")
    assert 'AS "total"' in sql_of(source, folder)
    change(database, "ALTER TABLE items RENAME COLUMN size TO width")
    with pytest.raises(SourceChanged):
        sql_of(source, folder)


def test_another_catalog_is_another_plan(source: Source, folder: Path) -> None:
    assert "SUM" in sql_of(source, folder)
    changed = CATALOG.replace("SUM(size)", "MAX(size)")
    assert "MAX" in sql_of(source, folder, loaded(changed))


def test_another_value_of_a_variable_is_another_plan(source: Source, folder: Path) -> None:
    for table in ("items", "others"):
        plan = Plans(loaded(TABLE=table), source, folder).record("thing")
        assert f'"main"."{table}"' in plan.fetch.sql


@pytest.mark.parametrize("what", ["FORMAT", "version", "_code"])
def test_another_version_is_another_plan(
    source: Source, folder: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    sql_of(source, folder)
    replant(plan_file(folder), b'AS \\"total\\"', b'AS  \\"total\\"')
    monkeypatch.setattr(cache, what, "0" if what == "FORMAT" else lambda *_: "0")
    assert 'AS "total"' in sql_of(source, folder)


def test_a_cache_that_cannot_be_written_is_no_error(source: Source, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert "SUM" in sql_of(source, blocked / "plans")
    assert "SUM" in sql_of(source, None)


def test_an_operation_that_does_not_exist_is_said(source: Source) -> None:
    with pytest.raises(FootnoteError, match="no operation"):
        Plans(loaded(), source, None).statement("nothing", "s", frozenset())
