"""What may be sent to an engine: a text that begins as a query does, with exact parameters."""

from __future__ import annotations

import datetime as dt
import threading
import time
from decimal import Decimal
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest

from footnote.errors import ArgumentError, Cancelled, SourceTimeout, SourceUnavailable, StatementRefused, TooManyRows
from footnote.sources.cancellation import Cancellation
from footnote.sources.pool import Pool
from footnote.sources.query import Value
from footnote.sources.source import Rows
from footnote.sources.sqlite import bound
from footnote.sources.statement import require_exact, require_query


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "  select(1)", "WITH a AS (SELECT 1) SELECT * FROM a", "(SELECT 1)", "VALUES(1)"]
)
def test_a_query_is_let_through(sql: str) -> None:
    require_query(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "COMMIT",
        "SET TRANSACTION READ WRITE",
        "/* SELECT */ COMMIT",
        "-- SELECT\nCOMMIT",
        "; SELECT 1",
        "SELECTED",
        "SELECT$1",
        "\ufeffSELECT 1",
        "\u00a0SELECT 1",
        "EXPLAIN ANALYZE DELETE FROM t",
        "PRAGMA writable_schema = 1",
        "COPY t TO PROGRAM 'sh'",
        "DO $$ BEGIN END $$",
        "CALL p()",
        "ſELECT 1",
    ],
)
def test_what_does_not_begin_as_a_query_is_refused(sql: str) -> None:
    with pytest.raises(StatementRefused, match="SELECT, WITH or VALUES"):
        require_query(sql)


@pytest.mark.parametrize("value", [1.5, Decimal("NaN"), Decimal("-Infinity"), 2**63, "\ud800", "a\0b", b"x", [1]])
def test_a_parameter_that_is_not_exact_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ArgumentError, match="'customer'"):
        require_exact({"customer": value})


def test_exact_parameters_are_let_through() -> None:
    require_exact({"a": 2**63 - 1, "b": "ö", "c": None, "d": True, "e": Decimal("0.1"), "f": dt.date.max})


def test_sqlite_takes_a_decimal_as_the_number_it_equals_or_not_at_all() -> None:
    vienna = ZoneInfo("Europe/Vienna")
    noon = dt.datetime(2026, 8, 14, 12, tzinfo=dt.UTC)
    assert bound({"a": Decimal("12.00"), "b": Decimal("0.1"), "c": noon, "d": noon.date()}, vienna) == {
        "a": 12,
        "b": 0.1,
        "c": "2026-08-14 14:00:00",
        "d": "2026-08-14",
    }
    for digits in ("1234567890.1234567", "1e30"):
        with pytest.raises(ArgumentError, match="15"):
            bound({"x": Decimal(digits)}, vienna)


# --- rows -------------------------------------------------------------------------------------------------------------


def rows(*batches: list[int]) -> Rows:
    return Rows(iter([[cast(tuple[Value, ...], (n,)) for n in batch] for batch in batches]))


def test_rows_are_read_once_and_never_left_out_in_silence() -> None:
    read = rows([1, 2], [3])
    assert list(read) == [(1,), (2,), (3,)]
    with pytest.raises(RuntimeError, match="only once"):
        list(read)
    given_up = rows([1], [2])
    given_up.close()
    with pytest.raises(RuntimeError, match="given up"):
        list(given_up)


def test_more_rows_than_the_limit_are_an_error_and_as_many_are_not() -> None:
    assert rows([1, 2], [3]).all(limit=3) == [(1,), (2,), (3,)]
    with pytest.raises(TooManyRows, match="more than 2 rows"):
        rows([1, 2], [3]).all(limit=2)


# --- cancellation and pool --------------------------------------------------------------------------------------------


def test_cancelling_acts_on_what_runs_and_on_nothing_that_ended() -> None:
    acted = threading.Event()
    ended: list[str] = []
    cancel = Cancellation()
    with cancel.interrupting(lambda: ended.append("acted on what had ended")):
        pass
    with cancel.interrupting(acted.set):
        cancel.cancel()
        assert acted.wait(5)
    assert not ended
    with pytest.raises(Cancelled), cancel.interrupting(acted.set):
        pytest.fail("a cancelled call must not begin a statement")


class Kept:
    """A connection of nothing."""

    def __init__(self) -> None:
        self.closed = False

    def usable(self) -> bool:
        return not self.closed

    def close(self) -> None:
        self.closed = True


def test_a_pool_keeps_connections_and_lends_no_more_than_its_limit() -> None:
    pool = Pool(Kept, limit=2, patience=0.05)
    one, two = pool.take(Cancellation()), pool.take(Cancellation())
    with pytest.raises(SourceTimeout, match="All 2 connections are busy"):
        pool.take(Cancellation())
    pool.give_back(one)
    assert pool.take(Cancellation()) is one
    pool.discard(two)
    assert two.closed
    pool.close()
    pool.give_back(one)
    assert one.closed
    with pytest.raises(SourceUnavailable, match="closed"):
        pool.take(Cancellation())


def test_waiting_for_a_connection_can_be_cancelled() -> None:
    pool = Pool(Kept, limit=1, patience=30)
    pool.take(Cancellation())
    cancel = Cancellation()
    threading.Timer(0.05, cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        pool.take(cancel)
    assert time.monotonic() - began < 5


def test_a_connection_that_cannot_be_made_does_not_use_up_the_limit() -> None:
    def fail() -> Kept:
        raise SourceUnavailable("down")

    pool = Pool(fail, limit=1, patience=0.05)
    for _ in range(3):
        with pytest.raises(SourceUnavailable, match="down"):
            pool.take(Cancellation())
