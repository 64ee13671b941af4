"""Erasing and pruning on both stores: what goes is gone from the store's own files, and only maintenance may do it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.access import Actor
from footnote.audit import export_json, verify_export
from footnote.audit.erase import erase
from footnote.audit.files import write_export
from footnote.audit.retain import prune
from footnote.errors import FootnoteError
from footnote.provenance import Draft, Log
from footnote.provenance.postgres_schema import roles_sql

ME = Actor("auditor", "auditor")
OLD = dt.datetime(2010, 5, 1, tzinfo=dt.UTC)
SECRET = "Bergmann-Logistik-4711"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "log.db")
        return
    server = request.getfixturevalue("postgres_server")
    name = server.new_database()
    yield server.url(name)
    server.drop(name)


@pytest.fixture
def log(place: str) -> Iterator[Log]:
    with Log.open(place, clock=lambda: OLD) as log:
        drafts = [
            Draft("answer", "", {"question": f"{SECRET} {n}?", "actor": "zoran"}, [n, SECRET]) for n in range(300)
        ]
        log.append_all(drafts)
        yield log


def raw(place: str) -> bytes:
    """All that the store's own files hold of the payload."""
    if "://" not in place:
        path = Path(place)
        return b"".join(file.read_bytes() for file in path.parent.iterdir() if file.name.startswith(path.name))
    import psycopg

    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        found: Any = connection.execute(
            "SELECT pg_read_binary_file(pg_relation_filepath('footnote.payload'))"
        ).fetchone()
        return bytes(found[0])


def test_what_is_erased_is_in_none_of_the_stores_files_and_the_log_verifies(log: Log, place: str) -> None:
    assert f"{SECRET} 7?".encode() in raw(place)
    done = erase(log, {8: ["question", "evidence/1"]}, actor=ME, reason="Request")
    assert done.scrubbed
    assert f"{SECRET} 7?".encode() not in raw(place)
    assert f"{SECRET} 8?".encode() in raw(place)
    outcome = log.verify()
    assert (outcome.ok, outcome.count, outcome.erased) == (True, 301, 2)
    assert log.get(8).states == {
        "question": "erased",
        "actor": "verified",
        "evidence/0": "verified",
        "evidence/1": "erased",
    }


def test_a_log_is_pruned_and_verifies_from_there(log: Log, place: str, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    write_export(file, export_json(log))
    root = log.root(300)
    done = prune(log, dt.date(2012, 1, 1), file, actor=ME, reason="Old", today=dt.date(2026, 1, 1))
    assert (done.pruned.upto, done.scrubbed) == (256, True)
    assert f"{SECRET} 7?".encode() not in raw(place)
    outcome = log.verify()
    assert (outcome.ok, outcome.count, outcome.pruned) == (True, 45, 256), outcome.reason
    assert log.root(300) == root
    assert (log.store.stray(256), log.store.stray(257)) == (None, 257)
    assert verify_export(file).count == 300
    assert log.append(Draft("answer")).sequence == 302
    with Log.open(place) as again:
        assert again.verify().ok


@pytest.mark.postgres
def test_only_the_maintenance_role_may_erase_and_prune(postgres_server: Any, tmp_path: Path) -> None:
    name = postgres_server.new_database()
    url = postgres_server.url(name)
    file = tmp_path / "export.json"
    with Log.open(url, clock=lambda: OLD) as log:
        log.append_all([Draft("answer", "", {"question": f"{n}?"}) for n in range(300)])
        write_export(file, export_json(log))
    roles = {"serving": f"serving_{name}", "maintenance": f"maintenance_{name}"}
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for role in roles.values():
            connection.execute(f"CREATE ROLE {role} LOGIN".encode())
        connection.execute(roles_sql(**roles).encode())
    as_role = {kind: url.replace("//postgres@", f"//{role}@") for kind, role in roles.items()}

    def prune_all(log: Log) -> Any:
        return prune(log, dt.date(2012, 1, 1), file, actor=ME, reason="Old", today=dt.date(2026, 1, 1))

    with Log.open(as_role["serving"]) as log:
        for act in (lambda: erase(log, {1: ["question"]}, actor=ME, reason="Request"), lambda: prune_all(log)):
            with pytest.raises(FootnoteError):
                act()
        assert log.verify().count == 300, "neither was done nor recorded"
        assert log.append(Draft("answer")).sequence == 301
    with Log.open(as_role["maintenance"]) as log:
        done = erase(log, {1: ["question"]}, actor=ME, reason="Request")
        assert not done.scrubbed, "the table is its owner's to write anew"
        write_export(file, export_json(log), overwrite=True)
        assert not prune_all(log).scrubbed
        outcome = log.verify()
        assert (outcome.ok, outcome.pruned) == (True, 256), outcome.reason
    with Log.open(url) as log:
        assert log.scrub()
    postgres_server.drop(name)
