"""URLs of sources: what works opens, what does not says what would, and no password is ever shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import UsageError
from footnote.sources.opening import open_source


def test_a_sqlite_url_has_three_slashes_for_a_relative_and_four_for_an_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_source("sqlite:///books.db").name == f"sqlite:///{tmp_path}/books.db"
    assert open_source(f"sqlite:///{tmp_path}/books.db").name == f"sqlite:///{tmp_path}/books.db"
    assert open_source("sqlite+pysqlite:///books.db").dialect == "sqlite"


def test_the_bare_path_of_a_file_is_a_sqlite_source(tmp_path: Path) -> None:
    file = tmp_path / "my books.db"
    file.touch()
    assert open_source(str(file)).dialect == "sqlite"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://ann:pw@db.example:5432/erp", "postgresql://ann@db.example:5432/erp"),
        ("postgres://ann:pw@db.example/erp", "postgresql://ann@db.example/erp"),
        ("postgresql+psycopg://ann:p%40w@db.example/erp?sslmode=require", "postgresql://ann@db.example/erp"),
        ("postgresql+psycopg2://ann@/erp?host=/run/pg", "postgresql://ann@/erp?host=/run/pg"),
        ("postgresql://[::1]:5433/erp", "postgresql://[::1]:5433/erp"),
        ("postgresql://a:1,b:2/erp?target_session_attrs=read-only", "postgresql://a:1,b:2/erp"),
        ("postgresql:///erp?user=ann&password=pw&host=h", "postgresql://ann@/erp?host=h"),
        ("POSTGRESQL://h/erp", "postgresql://h/erp"),
    ],
)
def test_a_postgres_url_is_named_without_its_password(url: str, name: str) -> None:
    source = open_source(url)
    assert source.dialect == "postgres"
    assert source.name == name
    assert "pw" not in source.name


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nowhere.db",
        "mssql://u:hunter2@h/d",
        "oracle://x",
        "duckdb://",
        "duckdb:///:memory:",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_what_no_engine_opens_is_refused_with_what_works(url: str) -> None:
    with pytest.raises(UsageError, match="sqlite:///path/to/file") as caught:
        open_source(url)
    assert "hunter2" not in caught.value.text


@pytest.mark.parametrize("secret", ["hun#ter2", "hun/ter2", "hun?ter2", "hun@ter2", "hun?t=er2", "1234?t=5"])
def test_a_password_with_a_character_of_its_own_meaning_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(UsageError, match="percent codes") as caught:
        open_source(f"postgresql://ann:{secret}@db/erp")
    assert "hun" not in caught.value.text
    assert "1234" not in caught.value.text


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), min_size=5, max_size=12))
def test_no_part_of_any_password_reaches_the_name_or_an_error(secret: str) -> None:
    shown = shown_of(f"postgresql://u:{secret}@db/erp")
    assert shown == "postgresql://u@db/erp" or secret not in shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("mysql://ann:pw@db.example:3307/erp", "mysql://ann@db.example:3307/erp"),
        ("mariadb+pymysql://ann:p%40w@db.example/erp?ssl_mode=REQUIRED", "mariadb://ann@db.example/erp"),
        ("MySQL://ann@/erp?unix_socket=/run/s", "mysql://ann@/erp?unix_socket=/run/s"),
        ("mysql://[::1]/erp", "mysql://[::1]/erp"),
    ],
)
def test_a_mysql_url_is_named_without_its_password(url: str, name: str) -> None:
    source = open_source(url)
    assert source.dialect == "mysql"
    assert source.name == name
    assert "pw" not in repr(vars(source))


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), min_size=5, max_size=12))
def test_no_part_of_any_mysql_password_reaches_the_name_or_an_error(secret: str) -> None:
    shown = shown_of(f"mysql://u:{secret}@db/erp")
    assert shown == "mysql://u@db/erp" or secret not in shown


@pytest.mark.parametrize("url", ["mysql://db", "mysql://db/", "mysql://db/a/b", "mysql://db:port/a"])
def test_a_mysql_url_names_one_database(url: str) -> None:
    with pytest.raises(UsageError, match=r"names no database|cannot be read"):
        open_source(url)


def shown_of(url: str) -> str:
    """What a reader sees of a URL: the name of the source, or the error."""
    try:
        return open_source(url).name
    except UsageError as error:
        return error.text


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_must_be_a_positive_time(timeout: float) -> None:
    with pytest.raises(UsageError, match="time limit"):
        open_source("sqlite:///x.db", timeout=timeout)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "", "Europe"])
def test_a_time_zone_must_exist(zone: str) -> None:
    with pytest.raises(UsageError, match="time zone"):
        open_source("sqlite:///x.db", time_zone=zone)


def test_options_and_a_search_path_are_refused_for_a_file() -> None:
    with pytest.raises(UsageError, match="Options"):
        open_source("sqlite:///x.db?mode=rw")
    with pytest.raises(UsageError, match="search path"):
        open_source("sqlite:///x.db", search_path=["erp"])


def test_no_driver_is_imported_before_a_source_is_used() -> None:
    code = (
        "import sys; from footnote.sources.opening import open_source; [open_source(u) for u in "
        "('postgresql://h/d', 'mysql://h/d', 'duckdb:///d')]; "
        "sys.exit(any(m in sys.modules for m in ('psycopg', 'pymysql', 'duckdb', 'sqlalchemy')))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
