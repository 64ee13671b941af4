"""PROV-JSON and OpenLineage: what other tools read says the same as the records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.access import Actor
from footnote.audit import Selection
from footnote.audit.outputs import TEXTS, export_of
from footnote.audit.selection import select
from footnote.errors import UsageError
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("session")
    environ = {"FOOTNOTE_CACHE": str(folder / "cache"), "FOOTNOTE_KEY": str(folder / "key.pem")}
    actor = Actor("ana kovac <a@b>", "controller")
    with footnote.open(provenance_db=folder / "log.db", actor=actor, environ=environ) as session:
        session.ask("How much does Bergmann owe?")
        session.interpret("customerAtRisk", {"customer": "Bergmann"})
        yield session


def text_of(session: Session, format: str) -> str:
    return "".join(TEXTS[format](export_of(session.log, select(session.log, Selection()))))


def test_prov_says_which_call_used_which_rows_and_who_asked(session: Session) -> None:
    from prov.model import ProvDocument

    text = text_of(session, "prov")
    document: dict[str, Any] = json.loads(text)
    records = list(session.log.records())
    entities = document["entity"]
    assert {f"log:record/{record.id}" for record in records} <= entities.keys()
    result = next(record for record in records if record.kind == "result")
    assert entities[f"log:record/{result.id}"]["log:hash"] == result.hash
    used = [one for one in document["used"].values() if one["prov:activity"] == f"log:call/{result.id}"]
    assert len(used) == len(result.evidence)
    assert {one["prov:entity"] for one in used} <= entities.keys()
    derived = {(one["prov:generatedEntity"], one["prov:usedEntity"]) for one in document["wasDerivedFrom"].values()}
    cited: Any = records[1].sections["results"]
    assert (f"log:record/{records[1].id}", f"log:record/{cited[0]['id']}") in derived
    assert len(document["agent"]) == 1
    assert ProvDocument.deserialize(content=text, format="json").serialize(format="json")


def test_openlineage_has_an_event_for_each_call(session: Session) -> None:
    events = [json.loads(line) for line in text_of(session, "openlineage").splitlines()]
    results = [record for record in session.log.records() if record.kind == "result"]
    assert [event["run"]["runId"] for event in events] == [record.id for record in results]
    first = events[0]
    assert first["job"]["name"] == "getOverdueInvoices"
    assert first["job"]["facets"]["sql"]["query"].startswith("SELECT")
    assert {one["name"] for one in first["inputs"]} == {"customer", "invoice"}
    assert first["eventTime"] == results[0].timestamp


@pytest.mark.parametrize(
    ("format", "module", "package"),
    [
        ("prov", "prov.model", "prov"),
        ("openlineage", "openlineage.client.event_v2", "openlineage-python"),
    ],
)
def test_a_package_that_is_missing_is_asked_for_by_name(
    session: Session, monkeypatch: pytest.MonkeyPatch, format: str, module: str, package: str
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(UsageError, match=package):
        text_of(session, format)
