"""Numbers of things in sentences for people."""

from __future__ import annotations

from footnote.errors import counted


def test_one_is_one_and_more_are_more() -> None:
    assert [counted(n, "record") for n in (0, 1, 2, 1234)] == ["0 records", "1 record", "2 records", "1,234 records"]
    assert counted(1, "leaf verifies", "leaves verify") == "1 leaf verifies"
    assert counted(2, "leaf verifies", "leaves verify") == "2 leaves verify"
