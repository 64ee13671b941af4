"""What libpq says when it cannot connect, in words that name a remedy and show no secret, no address, no path."""

from __future__ import annotations

import pytest

from footnote.sources.postgres_connect import _unavailable

SAID = [
    (
        'connection to server at "10.1.2.3", port 5432 failed: FATAL:  password authentication failed for user "a"',
        "user or the password",
    ),
    ('connection to server at "10.1.2.3", port 5432 failed: fe_sendauth: no password supplied', "user or the password"),
    ('FATAL:  no pg_hba.conf entry for host "10.1.2.3", user "a", database "b", no encryption', "pg_hba.conf"),
    ('FATAL:  database "b" does not exist', "no such database"),
    ('FATAL:  role "a" does not exist', "no such user"),
    ('could not translate host name "db" to address: Name or service not known', "no host of this name"),
    ("[Errno -2] Name or service not known", "no host of this name"),
    ('connection to server at "10.1.2.3", port 1 failed: Connection refused', "No server listens"),
    ('connection to server on socket "/run/.s.PGSQL.5432" failed: No such file or directory', "No server listens"),
    ("connection timeout expired", "did not answer in time"),
    ("server does not support SSL, but SSL was required", "does not speak"),
    ("SSL error: certificate verify failed", "TLS connection"),
    ("FATAL:  unsupported startup parameter: options", "pooler"),
    ("FATAL:  sorry, too many clients already", "no free connection"),
    ("FATAL:  the database system is starting up", "starting or stopping"),
    ('FATAL:  permission denied for database "b"', "may not connect"),
    ("hunter2 10.1.2.3 something nobody thought of", "The connection failed"),
]


@pytest.mark.parametrize(("said", "why"), SAID)
def test_a_failed_connection_says_why_and_what_would_work(said: str, why: str) -> None:
    error = _unavailable("postgresql://a@db/b", said)
    assert why in error.why
    assert error.remedy
    for secret in ("10.1.2.3", "hunter2", "/run"):
        assert secret not in error.text
