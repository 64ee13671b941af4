"""What a login could write: each way to get at it on a real PostgreSQL, and the SQL that is printed ends it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from tests.conftest import PostgresServer

from footnote.connect.role import READER, role_for, role_sql
from footnote.errors import UsageError
from footnote.sources.opening import open_source
from footnote.sources.privileges import Privileges

pytestmark = pytest.mark.postgres

_NUMBERS = itertools.count()

SCHEMA = """
CREATE TABLE invoices (id int PRIMARY KEY, "Straße {x}" text);
CREATE TABLE payments (id serial PRIMARY KEY);
CREATE SCHEMA ledger;
CREATE TABLE ledger.entries (id int PRIMARY KEY);
CREATE VIEW open_invoices AS SELECT * FROM invoices;
CREATE FUNCTION book() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'INSERT INTO invoices VALUES (1) RETURNING id';
REVOKE EXECUTE ON FUNCTION book() FROM PUBLIC;
CREATE FUNCTION look() RETURNS int LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT book()';
REVOKE EXECUTE ON FUNCTION look() FROM PUBLIC;
SELECT lo_create(4711);
"""


@pytest.fixture(scope="module")
def erp(postgres_url: str) -> str:
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(SCHEMA)
    return postgres_url


@pytest.fixture
def login(erp: str, postgres_server: PostgresServer) -> str:
    """A new login that may read all tables."""
    name = f"reader_p{next(_NUMBERS)}"
    postgres_server.execute("CREATE ROLE {} LOGIN", name, url=erp)
    postgres_server.execute("GRANT USAGE ON SCHEMA public, ledger TO {}", name, url=erp)
    postgres_server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public, ledger TO {}", name, url=erp)
    return name


@pytest.fixture
def run_sql(erp: str) -> Iterator[Callable[[str], None]]:
    with psycopg.connect(erp, autocommit=True) as admin:

        def run(text: str) -> None:
            admin.execute(sql.SQL(text))

        yield run


def privileges(erp: str, login: str) -> Privileges:
    source = open_source(erp.replace("//postgres@", f"//{login}@"))
    try:
        return source.privileges()
    finally:
        source.close()


def test_a_login_that_may_only_read_has_no_power(erp: str, login: str) -> None:
    assert privileges(erp, login) == Privileges(login)


GRANTS = {
    "a table": ("GRANT INSERT, DELETE ON invoices TO {login}", "DELETE, INSERT on the table public.invoices"),
    "a view": ("GRANT UPDATE ON open_invoices TO {login}", "UPDATE on the table public.open_invoices"),
    "every table": ("GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO {login}", "TRUNCATE on 3 tables"),
    "one column": (
        'GRANT INSERT ("Straße {{x}}") ON invoices TO {login}',
        "INSERT on the column public.invoices.Straße {x}",
    ),
    "a schema": ("GRANT CREATE ON SCHEMA ledger TO {login}", "may create objects in the schema ledger"),
    "the database": ("GRANT CREATE ON DATABASE {database} TO {login}", "may create schemas in the database"),
    "a sequence": (
        "GRANT USAGE ON SEQUENCE payments_id_seq TO {login}",
        "USAGE on the sequence public.payments_id_seq",
    ),
    "a trigger": ("GRANT TRIGGER ON invoices TO {login}", "TRIGGER on the table public.invoices"),
    "later tables": (
        "ALTER DEFAULT PRIVILEGES IN SCHEMA ledger GRANT INSERT, SELECT ON TABLES TO {login}",
        "gets INSERT on tables that postgres will make in ledger",
    ),
    "a function with its owner's rights": (
        "GRANT EXECUTE ON FUNCTION book() TO {login}",
        "may call public.book(), which runs with the rights of postgres",
    ),
    "a stable function": ("GRANT EXECUTE ON FUNCTION look() TO {login}", "may call public.look()"),
    "a large object": ("GRANT UPDATE ON LARGE OBJECT 4711 TO {login}", "UPDATE on the large object 4711"),
    "everybody": ("GRANT UPDATE ON payments TO PUBLIC", "PUBLIC has UPDATE on the table public.payments"),
    "a file of the server": (
        "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {login}",
        "pg_catalog.pg_read_file(text)",
    ),
    "an attribute": ("ALTER ROLE {login} CREATEROLE", "may create roles and grant them"),
    "a role of the server": ("GRANT pg_write_all_data TO {login}", "pg_write_all_data, which may write every table"),
}


@pytest.mark.parametrize("way", GRANTS)
def test_each_way_to_write_is_found_and_the_printed_sql_ends_it(
    erp: str, login: str, run_sql: Callable[[str], None], way: str
) -> None:
    grant, said = GRANTS[way]
    database = erp.partition("@/")[2].partition("?")[0]
    run_sql(grant.format(login=login, database=database))
    found = privileges(erp, login)
    assert any(said in power.text for power in found.powers), found
    for power in found.powers:
        run_sql(power.fix)
    assert privileges(erp, login).powers == ()


def test_a_membership_in_a_role_that_writes_is_found_though_it_is_not_inherited(
    erp: str, login: str, run_sql: Callable[[str], None]
) -> None:
    number = next(_NUMBERS)
    run_sql(f"CREATE ROLE clerks_{number}; CREATE ROLE staff_{number}; GRANT clerks_{number} TO staff_{number}")
    run_sql(f"GRANT INSERT ON invoices TO clerks_{number}")
    run_sql(f"ALTER ROLE {login} NOINHERIT")
    run_sql(f"GRANT staff_{number} TO {login}")
    (power,) = privileges(erp, login).powers
    assert f"a member of clerks_{number}, which has INSERT on the table public.invoices" in power.text
    assert power.fix == f'REVOKE "staff_{number}" FROM "{login}";'
    run_sql(power.fix)
    assert privileges(erp, login).powers == ()
    run_sql(f"DROP OWNED BY clerks_{number}; DROP ROLE staff_{number}, clerks_{number}")


def test_an_owner_and_a_superuser_need_another_login(erp: str, login: str, run_sql: Callable[[str], None]) -> None:
    run_sql(f"ALTER TABLE ledger.entries OWNER TO {login}")
    (owns,) = privileges(erp, login).powers
    assert "owns the table ledger.entries" in owns.text
    assert not owns.fix
    run_sql("ALTER TABLE ledger.entries OWNER TO postgres")
    (superuser,) = privileges(erp, "postgres").powers
    assert "is a superuser" in superuser.text
    assert not superuser.fix


def test_a_stable_function_writes_by_one_that_it_calls_and_is_a_power(
    erp: str, login: str, run_sql: Callable[[str], None]
) -> None:
    run_sql(f"GRANT EXECUTE ON FUNCTION look() TO {login}")
    try:
        with psycopg.connect(erp.replace("//postgres@", f"//{login}@"), autocommit=True) as reader:
            assert reader.execute("SELECT look()").fetchall() == [(1,)]
            assert reader.execute("SELECT id FROM invoices").fetchall() == [(1,)]  # so it could write indeed
        (power,) = privileges(erp, login).powers
        assert "may call public.look(), which runs with the rights of postgres and may write" in power.text
    finally:
        run_sql("DELETE FROM invoices")


@pytest.mark.parametrize(
    ("made", "owned"),
    [
        ("CREATE DOMAIN {name} AS int; ALTER DOMAIN {name} OWNER TO {login}", "the type public.{name}"),
        ("SELECT lo_create({number}); ALTER LARGE OBJECT {number} OWNER TO {login}", "the large object {number}"),
        ('CREATE COLLATION {name} FROM "C"; ALTER COLLATION {name} OWNER TO {login}', "the collation public.{name}"),
    ],
    ids=["type", "large object", "collation"],
)
def test_whatever_a_login_owns_is_found(
    erp: str, login: str, run_sql: Callable[[str], None], made: str, owned: str
) -> None:
    names = {"name": f"own_{login}", "login": login, "number": str(90_000 + next(_NUMBERS))}
    run_sql(made.format(**names))
    (power,) = privileges(erp, login).powers
    assert power.text == f"{login} owns {owned.format(**names)}: an owner may change everything about it."


def test_the_printed_role_reads_and_has_no_power(erp: str, run_sql: Callable[[str], None]) -> None:
    text = role_for(erp)
    run_sql(text)
    try:
        with psycopg.connect(erp.replace("//postgres@", f"//{READER}@"), autocommit=True) as reader:
            assert reader.execute("SELECT count(*) FROM invoices").fetchone() == (0,)
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                reader.execute("INSERT INTO invoices VALUES (1)")
            reader.execute("SET default_transaction_read_only = off")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute("INSERT INTO invoices VALUES (1)")
        run_sql("CREATE TABLE made_later (id int PRIMARY KEY)")
        with psycopg.connect(erp.replace("//postgres@", f"//{READER}@"), autocommit=True) as reader:
            assert reader.execute("SELECT count(*) FROM made_later").fetchone() == (0,)
        assert privileges(erp, READER) == Privileges(READER)
    finally:
        run_sql(f"DROP TABLE IF EXISTS made_later; DROP OWNED BY {READER}; DROP ROLE {READER}")


def test_the_role_is_printed_for_the_database_at_hand_and_no_password_of_it() -> None:
    text = role_for("postgresql://ana:s3cret@db:5432/erp%20live?sslmode=require")
    assert 'ON DATABASE "erp live"' in text
    assert "s3cret" not in text
    assert "CREATE USER" in role_sql("mariadb", database="a`b")
    assert "`a``b`.*" in role_sql("mariadb", database="a`b")
    assert "chmod a-w '/srv/erp'\\''s.db'" in role_for("/srv/erp's.db")
    with pytest.raises(UsageError, match="No engine is named"):
        role_for("")
    with pytest.raises(UsageError, match="no engine 'oracle'"):
        role_for("", "oracle")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="fn-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to look as another user at a file that it may not write")
def test_a_sqlite_file_is_no_power_to_whoever_may_not_write_it(open_folder: Path) -> None:
    file = open_folder / "erp.db"
    file.write_bytes(b"")
    code = (
        "import sys, pathlib; from footnote.sources.privileges import file_privileges;"
        f"found = file_privileges(pathlib.Path({str(file)!r})); print(len(found.unknown))"
    )
    for mode, expected in ((0o644, "0"), (0o666, "1")):
        file.chmod(mode)
        ran = subprocess.run(
            [sys.executable, "-c", f"import os; import footnote.sources.privileges; os.setuid(65534); {code}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert ran.stdout.strip() == expected
