"""ERPs are known by tables that all of their databases have, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from footnote.catalog.packs import pack_names
from footnote.connect.draft.erps import KNOWN, recognised


@pytest.mark.parametrize("pack", KNOWN)
def test_an_erp_is_recognised_among_other_tables(pack: str) -> None:
    name, tables = KNOWN[pack]
    assert recognised([*tables, "our_own_table"]) == (pack, name)


@pytest.mark.parametrize("pack", KNOWN)
def test_a_database_without_one_of_its_tables_is_not_it(pack: str) -> None:
    _, tables = KNOWN[pack]
    for missing in tables:
        assert recognised(tables - {missing}) is None


def test_tables_of_one_erp_are_not_taken_for_another() -> None:
    odoo = {"account_move", "account_move_line", "ir_model", "res_partner", "res_company"}
    tryton = {"account_move", "account_move_line", "ir_model", "party_party", "company_company"}
    assert [recognised(odoo), recognised(tryton)] == [("odoo", "Odoo"), ("tryton", "Tryton")]
    assert recognised(["customers", "invoices"]) is None


def test_the_packs_that_ship_are_for_erps_that_are_recognised() -> None:
    assert {name for name in pack_names() if name != "sample"} <= set(KNOWN)
