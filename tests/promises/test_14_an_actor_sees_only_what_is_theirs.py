"""Promise 14, as far as it goes today: rules that are not enforced yet are refused, and no argument names the actor."""

from __future__ import annotations

from pathlib import Path

import pytest

import footnote
from footnote.access import Actor, actor_from_environment
from footnote.catalog.load import find_catalog, load_catalog
from footnote.errors import ArgumentError, CatalogError

SAMPLE = find_catalog("sample").read_text("utf-8")


@pytest.mark.parametrize(
    "rule",
    [
        "access: {allow: {getOverdueInvoices: [controller]}}",
        "access: {rows: {company: {member: company_id, values_from: actor.companies}}}",
    ],
)
def test_a_catalog_that_would_restrict_anything_is_refused_until_that_is_enforced(rule: str) -> None:
    with pytest.raises(CatalogError, match="not enforced yet"):
        load_catalog(f"{SAMPLE}\n{rule}\n", environ={})


@pytest.mark.parametrize("argument", ["actor", "role", "_actor", "PROVENANCE_ACTOR"])
def test_an_argument_cannot_name_the_actor(tmp_path: Path, argument: str) -> None:
    with footnote.open(
        "sample",
        database_url="sample",
        provenance_db=tmp_path / "log.db",
        actor=Actor("ana", "controller"),
        environ={"FOOTNOTE_CACHE": str(tmp_path)},
    ) as session:
        with pytest.raises(ArgumentError):
            session.run("getOverdueInvoices", {"customer": "4471", argument: "somebody else"})
        session.run("getOverdueInvoices", {"customer": "4471"})
        for record in session.log.records():
            assert record.sections["actor"] == {"id": "ana", "role": "controller"}


def test_the_actor_of_an_operator_comes_from_the_environment() -> None:
    assert actor_from_environment({"PROVENANCE_ACTOR": "ana", "PROVENANCE_ROLE": "auditor"}) == Actor("ana", "auditor")
    assert actor_from_environment({}).role == "unknown"
    assert actor_from_environment({}).id
