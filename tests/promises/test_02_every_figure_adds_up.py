"""Promise 2: every figure adds up from the rows it cites, checked on every call, before it is returned.

An engine that lies is put between Footnote and the sample company. Whatever it changes, in a figure or in a row behind
it, no answer comes out, and the log has no result.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.catalog.load import find_catalog, load_catalog
from footnote.connect.seed import seed_sqlite
from footnote.errors import CheckFailed, FootnoteError, TieOutError
from footnote.figures import FigureType
from footnote.operations.result import Result
from footnote.session import Session
from footnote.settings import read_settings
from footnote.sources.cancellation import Cancellation
from footnote.sources.facts import Fact
from footnote.sources.indexed import Indexed
from footnote.sources.inventory import Listed
from footnote.sources.opening import open_source
from footnote.sources.privileges import Privileges
from footnote.sources.query import Query, Value
from footnote.sources.source import Dialect, Rows, Snapshot, Source, TableSchema

CUSTOMERS = range(4471, 4511)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("sample") / "erp.db"
    seed_sqlite(path)
    return f"sqlite:///{path}"


@pytest.fixture
def environ(tmp_path: Path, database: str) -> dict[str, str]:
    return {
        "FOOTNOTE_CACHE": str(tmp_path / "cache"),
        "PROVENANCE_DB": str(tmp_path / "log.db"),
        "DATABASE_URL": database,
    }


@pytest.fixture
def session(environ: dict[str, str]) -> Iterator[Session]:
    with footnote.open("sample", environ=environ) as session:
        yield session


def calls(session: Session) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every operation of the sample; those about a customer, for every customer."""
    for name, operation in session.loaded.catalog.operations.items():
        about = [p.name for p in operation.parameters if p.type == "entity" and p.entity == "customer"]
        others: dict[str, Any] = {p.name: "2026" for p in operation.parameters if p.type == "period" and p.is_required}
        for number in CUSTOMERS if about else [0]:
            yield name, others | dict.fromkeys(about, str(number))


# --- what holds of every figure ---------------------------------------------------------------------------------------


def test_every_figure_of_every_operation_adds_up_from_the_rows_it_cites(session: Session) -> None:
    seen = 0
    for operation, arguments in calls(session):
        result = session.run(operation, arguments)
        citable = {item.id for item in result.evidence}
        for address, figure in result.figures():
            where = f"{operation} {arguments} {address}"
            assert figure.evidence, where
            assert set(figure.evidence) <= citable, where
            if figure.method in ("sum", "count"):
                amounts = [c.amount for c in figure.contributions]
                assert sum(Decimal(str(amount)) for amount in amounts) == (figure.value or 0), where
                assert len({c.evidence for c in figure.contributions}) == len(amounts), where
            if figure.method in ("minimum", "maximum") and figure.value is not None:
                assert {c.amount for c in figure.contributions} == {figure.value}, where
            if figure.format.type is FigureType.MONEY and figure.value is not None:
                assert figure.format.currency, where
            seen += 1
    assert seen > 1_000


# --- an engine that lies ----------------------------------------------------------------------------------------------

Lie = Callable[[Query, list[tuple[Value, ...]]], list[tuple[Value, ...]]]


class Lying:
    """A source whose rows are changed on their way."""

    def __init__(self, source: Source, lie: Lie) -> None:
        self._source = source
        self._lie = lie

    @property
    def dialect(self) -> Dialect:
        return self._source.dialect

    @property
    def name(self) -> str:
        return self._source.name

    @contextlib.contextmanager
    def snapshot(self, cancel: Cancellation | None = None) -> Iterator[Snapshot]:
        with self._source.snapshot(cancel) as snapshot:
            yield LyingSnapshot(snapshot, self._lie)

    def tables(self, names: Iterable[str]) -> dict[str, TableSchema]:
        return self._source.tables(names)

    def listed(self) -> tuple[Listed, ...]:
        return self._source.listed()

    def facts(self) -> tuple[Fact, ...]:
        return self._source.facts()

    def indexes(self, names: Iterable[str]) -> Mapping[str, Indexed] | None:
        return self._source.indexes(names)

    def privileges(self) -> Privileges:
        return self._source.privileges()

    def close(self) -> None:
        self._source.close()


class LyingSnapshot:
    """One state of the database, told wrongly."""

    def __init__(self, snapshot: Snapshot, lie: Lie) -> None:
        self._snapshot = snapshot
        self._lie = lie

    @property
    def taken_at(self) -> dt.datetime:
        return self._snapshot.taken_at

    def run(self, query: Query) -> Rows:
        rows = self._lie(query, self._snapshot.run(query).all())
        return Rows(iter([rows] if rows else []))


def is_witness(query: Query) -> bool:
    return any(column.name.startswith("__g") for column in query.columns)


def is_statement(query: Query) -> bool:
    """An aggregated one: group keys stand at its end."""
    return query.columns[-1].name.startswith("__k") and not is_witness(query)


def changed(rows: list[tuple[Value, ...]], column: int, value: Callable[[Any], Value]) -> list[tuple[Value, ...]]:
    return [(*rows[0][:column], value(rows[0][column]), *rows[0][column + 1 :]), *rows[1:]] if rows else rows


def place(query: Query, name: str) -> int:
    return next(number for number, column in enumerate(query.columns) if column.name == name)


def figure_more(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return changed(rows, place(query, "totalOutstanding"), lambda v: v + 1) if is_statement(query) else rows


def count_more(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return changed(rows, place(query, "invoiceCount"), lambda v: v + 1) if is_statement(query) else rows


def oldest_older(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return changed(rows, place(query, "oldestDaysOverdue"), lambda v: v + 1) if is_statement(query) else rows


def other_currency(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return changed(rows, place(query, "currency"), lambda _: "USD") if is_statement(query) else rows


def total_missing(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return [] if is_statement(query) else rows


def witness_missing(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return rows[1:] if is_witness(query) else rows


def witness_twice(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return rows[:1] + rows if is_witness(query) else rows


def witness_more(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return changed(rows, place(query, "__c0"), lambda v: v + 1) if is_witness(query) else rows


def row_missing(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    return rows[1:] if query.columns[0].name == "id" and len(query.columns) > 6 else rows


def row_more(query: Query, rows: list[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    listed = any(column.name == "outstanding" for column in query.columns)
    return changed(rows, place(query, "outstanding"), lambda v: v + 1) if listed else rows


LIES = [
    figure_more,
    count_more,
    oldest_older,
    other_currency,
    total_missing,
    witness_missing,
    witness_twice,
    witness_more,
    row_missing,
    row_more,
]


@pytest.mark.parametrize("lie", LIES)
def test_an_engine_that_lies_gets_no_answer_out(environ: dict[str, str], lie: Lie) -> None:
    loaded = load_catalog(find_catalog("sample"), environ=environ)
    source = Lying(open_source(environ["DATABASE_URL"], timeout=10, time_zone="UTC"), lie)
    with Session(read_settings(environ), loaded, lambda: source) as session:
        with pytest.raises(TieOutError) as caught:
            session.run("getOverdueInvoices", {"customer": "4471"})
        assert caught.value.details["record"]["sequence"] == 1
        assert [record.kind for record in session.log.records()] == ["error"]


def test_the_error_names_both_values(environ: dict[str, str]) -> None:
    loaded = load_catalog(find_catalog("sample"), environ=environ)
    source = Lying(open_source(environ["DATABASE_URL"], timeout=10, time_zone="UTC"), figure_more)
    with Session(read_settings(environ), loaded, lambda: source) as session, pytest.raises(TieOutError) as caught:
        session.run("getOverdueInvoices", {"customer": "4471"})
    assert {caught.value.details["source"], caught.value.details["rows"]} == {"4380501", "4380500"}
    assert "4380501" in caught.value.text
    assert "4380500" in caught.value.text


# --- statements that count wrongly ------------------------------------------------------------------------------------


def with_statement(sql: str, columns: str, checks: str = "", grain: str = "invoice") -> str:
    """The sample's catalog with one operation of its own, `ask`."""
    head = Path(find_catalog("sample")).read_text(encoding="utf-8").partition("\noperations:")[0]
    return f"""{head}
operations:
  ask:
    title: t
    description: d
    answer: a
    statements:
      s: {{shape: one, grain: {grain}, columns: {{{columns}}}, statement: "{sql}"}}
      ledger:
        shape: one
        grain: invoice
        statement: SELECT SUM(amount_cents) AS billed FROM invoices WHERE currency = 'EUR'
        columns: {{billed: {EUR}}}
{checks}
"""


EUR = "{type: money, minor_units: true, currency: EUR}"
TOTAL = f"total: {EUR}"


def run(text: str, environ: dict[str, str]) -> Result:
    file = Path(environ["FOOTNOTE_CACHE"]).parent / "catalog.yaml"
    file.write_text(text, encoding="utf-8")
    with footnote.open(str(file), environ=environ) as session:
        return session.run("ask", {})


FANS_OUT = "SELECT SUM(i.amount_cents) AS total FROM invoices i JOIN payments p ON p.invoice_id = i.id WHERE i.currency = 'EUR'"


@pytest.mark.parametrize("grain", ["invoice", "payment"])
def test_a_join_that_counts_an_invoice_once_a_payment_is_caught(environ: dict[str, str], grain: str) -> None:
    with pytest.raises(TieOutError, match=r"counts invoice \d+ (twice|three times)"):
        run(with_statement(FANS_OUT, TOTAL, grain=grain), environ)


def test_what_a_customer_paid_is_not_taken_off_each_of_their_invoices_that_a_list_adds_up(
    environ: dict[str, str],
) -> None:
    """The list is right, row by row; only its sum would count the payments of a customer once for each invoice."""
    paid = "SELECT SUM(p.amount_cents) FROM payments p JOIN invoices x ON x.id = p.invoice_id"
    owed = f"i.amount_cents - ({paid} WHERE x.customer_id = i.customer_id AND x.currency = 'EUR')"
    text = with_statement("SELECT COUNT(*) AS total FROM invoices", "total: {type: count}").replace(
        "      s: ",
        f"""      listed:
        shape: many
        each: {{record: invoice, key: id}}
        grain: invoice
        statement: "SELECT i.id, {owed} AS open FROM invoices i WHERE i.currency = 'EUR' ORDER BY i.id"
        columns: {{id: {{type: integer, hidden: true}}, open: {EUR}}}
      s: """,
    )
    run(text, environ)
    with pytest.raises(TieOutError, match=r"sum\(listed.open\) counts payment:\d+ more than once"):
        run(text + f"    derive: {{all: {EUR.removesuffix('}')}, expression: sum(listed.open)}}}}\n", environ)


def test_two_currencies_are_never_added(environ: dict[str, str]) -> None:
    with pytest.raises(TieOutError, match=r"said to be EUR but its rows are in .*(USD|GBP|CHF)"):
        run(with_statement("SELECT SUM(amount_cents) AS total FROM invoices", TOTAL), environ)


def test_cents_are_never_shown_as_euros(environ: dict[str, str]) -> None:
    text = with_statement(
        "SELECT SUM(amount_cents) AS total FROM invoices WHERE currency = 'EUR'", "total: {type: money, currency: EUR}"
    )
    with pytest.raises(FootnoteError, match="minor units"):
        run(text, environ)


def test_rows_that_are_left_out_are_found_by_a_control_check(environ: dict[str, str]) -> None:
    sql = "SELECT SUM(amount_cents) AS total FROM invoices WHERE currency = 'EUR' AND status <> 'paid'"
    checks = "    checks: [{equal: [s.total, ledger.billed], say: Everything billed is there.}]"
    with pytest.raises(CheckFailed, match="Everything billed is there"):
        run(with_statement(sql, TOTAL, checks), environ)
    every = sql.removesuffix(" AND status <> 'paid'")
    assert run(with_statement(every, TOTAL, checks), environ).checks[0].say == "Everything billed is there."
