"""Every pack that ships loads, proves its figures by control checks, and fits into what clients can take."""

from __future__ import annotations

import pytest

from footnote.catalog.load import LoadedCatalog, load_catalog
from footnote.catalog.packs import find_catalog, pack_names
from footnote.serve.definitions import tools_of
from footnote.serve.mcp import MOST_TOOLS

ERPS = [name for name in pack_names() if name != "sample"]


def pack(name: str, **environ: str) -> LoadedCatalog:
    return load_catalog(find_catalog(name), environ={"DATABASE_URL": "postgresql://reader@/erp"} | environ)


@pytest.mark.parametrize("name", ERPS)
def test_every_operation_has_control_checks_words_and_a_reason_for_nothing(name: str) -> None:
    operations = pack(name).catalog.operations
    assert len(operations) >= 12
    for operation, spec in operations.items():
        assert spec.checks, operation
        assert spec.ask, operation
        assert len(spec.description) > 100, operation


@pytest.mark.parametrize("name", ERPS)
def test_a_pack_is_not_more_than_clients_take(name: str) -> None:
    assert len(tools_of(pack(name).catalog)) <= MOST_TOOLS


@pytest.mark.parametrize("name", ERPS)
def test_every_operation_is_in_a_toolset(name: str) -> None:
    catalog = pack(name).catalog
    offered = {tool for tools in catalog.toolsets.values() for tool in tools}
    assert offered == {*catalog.operations, *catalog.interpretations}


@pytest.mark.parametrize("name", ["odoo", "erpnext"])
def test_links_begin_with_the_address_of_the_erp(name: str) -> None:
    here = pack(name, FOOTNOTE_ERP_URL="https://erp.example.com").catalog
    nowhere = pack(name).catalog
    linked = [record for record, spec in here.records.items() if spec.link]
    assert linked
    for record in linked:
        assert here.records[record].link.startswith("https://erp.example.com/")
        assert nowhere.records[record].link.startswith("/")  # no scheme, so no link


@pytest.mark.parametrize("name", ["odoo", "erpnext"])
def test_every_operation_is_about_one_company(name: str) -> None:
    for operation, spec in pack(name).catalog.operations.items():
        company = spec.parameter("company")
        assert company is not None, operation
        assert (company.type, company.default) == ("entity", "only"), operation
        for statement in spec.statements.values():
            sql = (
                statement.statement if isinstance(statement.statement, str) else " ".join(statement.statement.values())
            )
            master = statement.grain in ("partner", "customer")
            assert ":company" in sql or master, operation
