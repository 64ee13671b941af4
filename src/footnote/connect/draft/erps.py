"""ERPs that are known by their tables."""

from __future__ import annotations

from collections.abc import Iterable

KNOWN = {
    "odoo": ("Odoo", {"account_move", "account_move_line", "ir_model", "res_partner"}),
    "erpnext": ("ERPNext", {"tabSales Invoice", "tabCustomer", "tabGL Entry"}),
    "tryton": ("Tryton", {"account_move_line", "ir_model", "party_party"}),
    "gnucash": ("GnuCash", {"accounts", "commodities", "splits", "transactions"}),
}
"""By the name of the pack: what it is called, and tables that all of them have."""


def recognised(tables: Iterable[str]) -> tuple[str, str] | None:
    """The pack's name and the ERP's, or None."""
    found = set(tables)
    return next(((pack, name) for pack, (name, needed) in KNOWN.items() if needed <= found), None)
