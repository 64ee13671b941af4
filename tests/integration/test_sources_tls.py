"""TLS to a server: a certificate that is trusted lets us in, any other keeps us out, and no password is shown.

MariaDB speaks TLS itself. The PostgreSQL of the wheel was built without; so a terminator stands before it, as PgBouncer or
a load balancer would (it answers libpq's SSLRequest and passes on what it decrypts), and where the system has a PostgreSQL
that speaks TLS, the same tests run against that one too.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.integration.asking import ask

from footnote.errors import SourceUnavailable
from footnote.sources.opening import open_source

SSL_REQUEST = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"


@dataclass(frozen=True)
class Certificates:
    """Files in PEM form: an authority, a server's certificate and key for the name `localhost`, another authority."""

    authority: Path
    certificate: Path
    key: Path
    stranger: Path


def _issued(name: str, issuer: tuple[x509.Certificate, Any] | None) -> tuple[x509.Certificate, Any]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if issuer is not None:
        names: list[x509.GeneralName] = [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("::1"))]
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return made.sign(issuer[1] if issuer else key, hashes.SHA256()), key


@pytest.fixture(scope="module")
def certificates() -> Iterator[Certificates]:
    folder = Path(tempfile.mkdtemp(prefix="fn-tls-"))
    folder.chmod(0o755)
    authority = _issued("An authority", None)
    certificate, key = _issued("localhost", authority)
    texts = {"ca.pem": authority[0], "server.pem": certificate, "stranger.pem": _issued("Another", None)[0]}
    for name, one in texts.items():
        (folder / name).write_bytes(one.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    (folder / "server.key").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    yield Certificates(*(folder / name for name in ("ca.pem", "server.pem", "server.key", "stranger.pem")))
    shutil.rmtree(folder)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


def terminator(target: str, context: ssl.SSLContext | None) -> Iterator[int]:
    """Listens on a port and passes what it decrypts on to a Unix socket; without a context it speaks no TLS."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket) -> None:
        with suppress(OSError):
            if client.recv(8, socket.MSG_WAITALL) != SSL_REQUEST:
                client.close()  # as a server does that takes TLS connections alone
                return
            client.sendall(b"S" if context else b"N")
            if context is None:
                client.close()
                return
            with context.wrap_socket(client, server_side=True) as clear, socket.socket(socket.AF_UNIX) as server:
                server.connect(target)
                back = threading.Thread(target=pump, args=(server, clear), daemon=True)
                back.start()
                pump(clear, server)
                back.join(5)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield listener.getsockname()[1]
    listener.close()


def pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError, ValueError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def installed_postgres() -> str:
    """The folder with the programs of a PostgreSQL of the system that speaks TLS; empty if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((str(folder) for folder in found if b"SSL_CTX_new" in (folder / "postgres").read_bytes()), "")


def real_server(programs: str, certificates: Certificates) -> Iterator[int]:
    """A PostgreSQL with `ssl = on` that lets nobody in without TLS."""
    folder = Path(tempfile.mkdtemp(prefix="fn-pg-"))
    data, port = folder / "data", free_port()
    who: dict[str, Any] = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
    if who:
        shutil.chown(folder, "nobody", "nogroup")
    made = [f"{programs}/initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync"]
    subprocess.run(made, check=True, capture_output=True, cwd="/", **who)
    for name, source in (("server.crt", certificates.certificate), ("server.key", certificates.key)):
        shutil.copy(source, data / name)
        (data / name).chmod(0o600)
        if who:
            shutil.chown(data / name, "nobody", "nogroup")
    (data / "pg_hba.conf").write_text("hostssl all locked all scram-sha-256\nhostssl all all all trust\n")
    settings = {
        "ssl": "on",
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": "",
        "fsync": "off",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = subprocess.Popen(
        [f"{programs}/postgres", "-D", str(data), *options], stderr=subprocess.DEVNULL, cwd="/", **who
    )
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    with psycopg.connect(f"postgresql://postgres@localhost:{port}/postgres?sslmode=require", autocommit=True) as admin:
        admin.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
    yield port
    server.terminate()
    server.wait(20)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module", params=["a terminator", "the system's PostgreSQL"])
def postgres_port(
    request: pytest.FixtureRequest, another_postgres: Callable[[], Any], certificates: Certificates
) -> Iterator[tuple[int, str]]:
    """A port that speaks TLS, and the database behind it."""
    if request.param == "a terminator":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.certificate, certificates.key)
        server = another_postgres()
        place, database = server.url().partition("?host=")[2], server.new_database()
        server.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        (server.data / "pg_hba.conf").write_text("local all locked scram-sha-256\nlocal all all trust\n")
        server.execute("SELECT pg_reload_conf()")
        for port in terminator(f"{place}/.s.PGSQL.5432", context):
            yield port, database
        return
    programs = installed_postgres()
    if not programs:
        pytest.skip("There is no PostgreSQL of the system that speaks TLS.")
    for port in real_server(programs, certificates):
        yield port, "postgres"


def test_postgres_is_read_over_tls_that_was_verified(
    postgres_port: tuple[int, str], certificates: Certificates
) -> None:
    port, database = postgres_port
    for mode in (f"verify-full&sslrootcert={certificates.authority}", "require"):
        with closing(open_source(f"postgresql://postgres@localhost:{port}/{database}?sslmode={mode}")) as source:
            assert ask(source, "SELECT 41 + 1") == [(42,)]
            if database == "postgres":
                assert ask(source, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [(True,)]


@pytest.mark.parametrize(
    ("host", "options"),
    [
        ("localhost", "sslmode=verify-full&sslrootcert={stranger}"),
        ("localhost", "sslmode=verify-ca&sslrootcert={stranger}"),
        ("127.0.0.1", "sslmode=verify-full&sslrootcert={authority}"),
        ("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem"),
    ],
)
def test_a_certificate_that_is_not_trusted_keeps_us_from_postgres(
    postgres_port: tuple[int, str], certificates: Certificates, host: str, options: str
) -> None:
    port, database = postgres_port
    paths = options.format(stranger=certificates.stranger, authority=certificates.authority)
    with closing(open_source(f"postgresql://postgres:hunter2@{host}:{port}/{database}?{paths}", timeout=5)) as source:
        with pytest.raises(SourceUnavailable, match="TLS connection could not be made") as caught, source.snapshot():
            pytest.fail("the certificate is not for us")
        assert "sslrootcert" in caught.value.remedy
        assert "hunter2" not in str(caught.value.as_dict())


def test_a_postgres_without_tls_is_not_asked_where_the_url_wants_it() -> None:
    for port in terminator("/nowhere", None):
        url = f"postgresql://postgres:hunter2@localhost:{port}/erp?sslmode=require"
        with (
            closing(open_source(url, timeout=5)) as source,
            pytest.raises(SourceUnavailable, match="asks for TLS, which the server does not speak"),
            source.snapshot(),
        ):
            pytest.fail("nothing may be sent in the clear")


def test_a_wrong_password_is_said_and_not_shown(postgres_port: tuple[int, str]) -> None:
    port, database = postgres_port
    url = f"postgresql://locked:{{}}@localhost:{port}/{database}?sslmode=require"
    with closing(open_source(url.format("right"), timeout=5)) as source:
        assert ask(source, "SELECT 1") == [(1,)]
    with closing(open_source(url.format("hunter2"), timeout=5)) as source:
        with (
            pytest.raises(SourceUnavailable, match="does not accept the user or the password") as caught,
            source.snapshot(),
        ):
            pytest.fail("the password is another")
        assert "hunter2" not in str(caught.value.as_dict())


def test_the_system_s_postgres_lets_nobody_in_without_tls(postgres_port: tuple[int, str]) -> None:
    port, database = postgres_port
    url = f"postgresql://postgres:hunter2@localhost:{port}/{database}?sslmode=disable"
    with closing(open_source(url, timeout=5)) as source:
        with pytest.raises(SourceUnavailable) as caught, source.snapshot():
            pytest.fail("the server takes TLS alone")
        assert "hunter2" not in str(caught.value.as_dict())


# --- MariaDB ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mariadb_port(certificates: Certificates, another_mariadb: Callable[..., Any]) -> int:
    """A MariaDB that speaks TLS on a port, with a user who must and one who may."""
    port = free_port()
    server = another_mariadb(
        f"--ssl-ca={certificates.authority}",
        f"--ssl-cert={certificates.certificate}",
        f"--ssl-key={certificates.key}",
        "--skip-networking=0",
        "--bind-address=127.0.0.1",
        f"--port={port}",
    )
    server.execute(
        "CREATE DATABASE erp",
        "CREATE USER reader IDENTIFIED BY 'hunter2' REQUIRE SSL",
        "GRANT SELECT ON erp.* TO reader",
        "CREATE TABLE erp.t (id int PRIMARY KEY)",
        "INSERT INTO erp.t VALUES (42)",
    )
    return port


@pytest.mark.parametrize(
    "options", ["ssl_mode=verify_identity&ssl_ca={authority}", "ssl_ca={authority}", "ssl_mode=required"]
)
def test_mariadb_is_read_over_tls(mariadb_port: int, certificates: Certificates, options: str) -> None:
    chosen = options.format(authority=certificates.authority)
    with closing(open_source(f"mariadb://reader:hunter2@localhost:{mariadb_port}/erp?{chosen}", timeout=5)) as source:
        assert ask(source, "SELECT id FROM t") == [(42,)]
        (row,) = ask(
            source, "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'"
        )
        assert row[0], "the session is encrypted"


@pytest.mark.parametrize(
    ("host", "options", "why"),
    [
        ("localhost", "ssl_mode=verify_ca&ssl_ca={stranger}", "TLS connection could not be made"),
        ("localhost", "ssl_mode=verify_identity&ssl_ca={stranger}", "TLS connection could not be made"),
        ("127.0.0.1", "ssl_mode=verify_identity&ssl_ca={authority}", "TLS connection could not be made"),
        ("localhost", "ssl_mode=verify_identity", "TLS connection could not be made"),
        (
            "localhost",
            "ssl_mode=disabled",
            "user or the password",
        ),  # the server says no more of a user who must use TLS
    ],
)
def test_a_certificate_that_is_not_trusted_keeps_us_from_mariadb(
    mariadb_port: int, certificates: Certificates, host: str, options: str, why: str
) -> None:
    chosen = options.format(stranger=certificates.stranger, authority=certificates.authority)
    with closing(open_source(f"mariadb://reader:hunter2@{host}:{mariadb_port}/erp?{chosen}", timeout=5)) as source:
        with pytest.raises(SourceUnavailable, match=why) as caught, source.snapshot():
            pytest.fail("the certificate is not for us")
        assert "hunter2" not in str(caught.value.as_dict())
