"""TPC-H in a database of each engine, loaded once for a run of these tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tpch import loading

SCALE = 0.0016
"""So that no statement rests on more rows than are fetched: 9,500 line items."""


@pytest.fixture(scope="module")
def tpch(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """URL of the database by engine."""
    folder: Path = tmp_path_factory.mktemp("tpch")
    files = loading.write_csv(folder / "csv", SCALE)
    server: Any = request.getfixturevalue("mariadb_server")
    return {
        "sqlite": loading.load_sqlite(folder / "tpch.db", files),
        "duckdb": loading.load_duckdb(folder / "tpch.duckdb", files),
        "postgres": loading.load_postgres(request.getfixturevalue("postgres_url"), files),
        "mysql": loading.load_mariadb(server, request.getfixturevalue("mysql_url"), files),
    }
