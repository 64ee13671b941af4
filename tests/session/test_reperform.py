"""A recorded call made again: the same where nothing changed, and every change named where something did."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, LiteralString

import pytest

from footnote.audit.reperform import Outcome, reperform, reperform_sample
from footnote.audit.sampling import Sample
from footnote.connect.seed import seed_postgres, seed_sqlite
from footnote.errors import LogBroken, SourceUnavailable, UsageError
from footnote.session import Session

Open = Callable[..., Session]
Change = Callable[..., None]

CALL = ("getOverdueInvoices", {"customer": "Bergmann"})
TOTAL = "totals.totalOutstanding"


@pytest.fixture(params=["sqlite", "postgres"])
def erp(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Change]]:
    """A source of the test's own, and what runs a statement in it as its owner."""
    if request.param == "sqlite":
        path = tmp_path / "erp.db"
        seed_sqlite(path)

        def change(statement: LiteralString) -> None:
            with closing(sqlite3.connect(path)) as connection, connection:
                connection.execute(statement)

        yield f"sqlite:///{path}", change
        return
    server = request.getfixturevalue("postgres_server")
    name = server.new_database()
    url = server.url(name)
    seed_postgres(url)
    yield server.reader(url), lambda statement: server.execute(statement, url=url)
    server.drop(name)


def again(session: Session, name: int | str) -> Outcome:
    (outcome,) = reperform(session, name)
    record = session.log.get(session.log.size())
    assert record.kind == "reperform"
    assert record.sections["reperform"] == outcome.as_dict()
    assert record.receipt.as_dict() == outcome.receipt
    return outcome


def figures(outcome: Outcome) -> dict[str, tuple[str, str]]:
    return {f.address: (f.then.replace("\u00a0", " "), f.now.replace("\u00a0", " ")) for f in outcome.found.figures}


def test_unchanged_data_give_the_same_figures_for_every_operation(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    answers = [
        session.call("getOverdueInvoices", {"customer": "Bergmann"}),
        session.call("getReceivablesAging", {}),
        session.call("getRevenueByMonth", {}),
        session.interpret("customerAtRisk", {"customer": "Bergmann"}),
    ]
    for answer in answers:
        for outcome in reperform(session, str(answer.receipt["id"])):
            assert outcome.status == "same", outcome.as_dict()
            assert outcome.found.figures_compared > 0
    assert session.log.verify().ok


def test_defaults_are_those_of_the_recorded_day(open_session: Open, erp: tuple[str, Change]) -> None:
    then = open_session(erp[0], AS_OF_DATE="2026-08-14").run(*CALL)
    later = open_session(erp[0], AS_OF_DATE="2026-12-24")
    assert later.run(*CALL).arguments["asOfDate"] == "2026-12-24"
    assert again(later, then.record_id).status == "same"


def test_a_changed_row_is_named_with_the_figures_it_moves(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    result = session.run(*CALL)
    erp[1]("UPDATE invoices SET paid_cents = paid_cents + 1 WHERE id = 8834")
    outcome = again(session, result.record_id)
    assert outcome.status == "different"
    assert figures(outcome)[TOTAL] == ("43.805,00 €", "43.804,99 €")
    (total,) = (f for f in outcome.found.figures if f.address == TOTAL)
    assert total.contributions == ("invoice:8834",)
    (row,) = outcome.found.rows
    assert (row.id, row.change) == ("invoice:8834", "changed")
    assert {"paid", "outstanding"} <= row.fields.keys()


def test_a_row_more_and_a_row_less_are_told_from_changed_ones(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    result = session.run(*CALL)
    erp[1]("UPDATE invoices SET status = 'credited' WHERE id = 8812")
    erp[1](
        "UPDATE invoices SET customer_id = 4471 WHERE id = (SELECT MIN(id) FROM invoices WHERE customer_id <> 4471"
        " AND status <> 'credited' AND amount_cents > paid_cents AND due_on < '2026-08-01' AND currency = 'EUR')"
    )
    outcome = again(session, result.record_id)
    assert {row.change for row in outcome.found.rows} == {"gone", "added"}
    assert next(row.id for row in outcome.found.rows if row.change == "gone") == "invoice:8812"
    # The rows that stayed are told by their record, so they do not differ although their numbers do.
    assert not any("invoices[invoice:8834]" in f.address for f in outcome.found.figures)


def test_two_changes_that_cancel_out_are_found(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    result = session.run(*CALL)
    erp[1]("UPDATE invoices SET paid_cents = paid_cents + 500 WHERE id = 8834")
    erp[1]("UPDATE invoices SET paid_cents = paid_cents - 500 WHERE id = 8901")
    outcome = again(session, result.record_id)
    assert outcome.status == "different"
    (total,) = (f for f in outcome.found.figures if f.address == TOTAL)
    assert total.then == total.now
    assert set(total.contributions) == {"invoice:8834", "invoice:8901"}


def test_a_name_means_the_record_that_it_meant(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    result = session.run(*CALL)
    erp[1]("UPDATE customers SET name = 'Nordwind AG' WHERE id = 4471")
    erp[1]("UPDATE customers SET name = 'Bergmann' WHERE id = 4488")
    outcome = again(session, result.record_id)
    assert outcome.found.figures == ()
    assert [(row.id, row.change) for row in outcome.found.rows] == [("customer:4471", "changed")]
    assert outcome.found.rows[0].fields["name"] == ("Bergmann Logistik GmbH", "Nordwind AG")


def test_nothing_that_became_something_is_said(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    erp[1](
        "UPDATE invoices SET status = 'paid', paid_cents = amount_cents WHERE customer_id = 4471 AND amount_cents > 0"
    )
    result = session.run(*CALL)
    assert result.empty
    assert again(session, result.record_id).status == "same"
    erp[1]("UPDATE invoices SET status = 'open', paid_cents = 0 WHERE id = 8812")
    outcome = again(session, result.record_id)
    assert outcome.status == "different"
    assert "no overdue invoices" in " ".join(outcome.found.said)


def test_a_customer_who_is_gone_is_an_outcome_not_a_crash(open_session: Open, erp: tuple[str, Change]) -> None:
    session = open_session(erp[0])
    result = session.run("getOverdueInvoices", {"customer": "4471"})
    erp[1]("UPDATE invoices SET customer_id = 4488 WHERE customer_id = 4471")
    erp[1]("UPDATE tickets SET customer_id = 4488 WHERE customer_id = 4471")
    erp[1]("DELETE FROM customers WHERE id = 4471")
    outcome = again(session, result.record_id)
    assert (outcome.status, outcome.ok) == ("failed", False)
    assert "customer" in str(outcome.error["message"])


def test_another_plan_is_said_even_if_it_gives_the_same(
    open_session: Open, erp: tuple[str, Change], tmp_path: Path
) -> None:
    import footnote.packs.sample

    result = open_session(erp[0]).run(*CALL)
    shipped = Path(footnote.packs.sample.__file__).with_name("catalog.yaml").read_text(encoding="utf-8")
    condition = "amount_cents > paid_cents"
    assert condition in shipped
    changed = tmp_path / "catalog.yaml"
    changed.write_text(shipped.replace(condition, f"{condition} AND amount_cents <> 0"), encoding="utf-8")
    outcome = again(open_session(erp[0], str(changed)), result.record_id)
    assert outcome.status == "other plan"
    assert outcome.catalog[0] != outcome.catalog[1]
    assert {change.what for change in outcome.found.plan} == {"SQL"}
    assert {(c.statement, c.purpose) for c in outcome.found.plan} >= {("totals", "statement"), ("totals", "witness")}


def test_an_operation_that_is_no_longer_there_is_an_outcome(open_session: Open, tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    result = open_session(f"sqlite:///{path}").run(*CALL)
    other = tmp_path / "other.yaml"
    text = (Path(__file__).parents[1] / "unit" / "test_catalog.yaml").read_text(encoding="utf-8")
    other.write_text(text, encoding="utf-8")
    session = open_session(f"sqlite:///{path}", str(other), DATABASE_URL=f"sqlite:///{path}")
    assert "getOverdueInvoices" not in session.loaded.catalog.operations
    outcome = again(session, result.record_id)
    assert (outcome.status, outcome.error["code"]) == ("failed", "unknown_operation")


def test_a_source_that_is_down_is_no_outcome_and_is_recorded_as_an_error(open_session: Open, tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    result = open_session(f"sqlite:///{path}").run(*CALL)
    path.rename(tmp_path / "moved.db")
    session = open_session(f"sqlite:///{path}")
    with pytest.raises(SourceUnavailable):
        reperform(session, result.record_id)
    assert session.log.get(session.log.size()).kind == "error"


def test_what_holds_no_call_cannot_be_made_again(open_session: Open, tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    session = open_session(f"sqlite:///{path}")
    result = session.run(*CALL)
    again(session, result.record_id)
    with pytest.raises(UsageError, match="reperform"):
        reperform(session, session.log.size())


def test_a_record_that_was_changed_is_not_made_again(open_session: Open, tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    session = open_session(f"sqlite:///{path}")
    result = session.run(*CALL)
    session.close()
    with closing(sqlite3.connect(tmp_path / "log.db")) as log, log:
        for (name,) in log.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            log.execute(f"DROP TRIGGER {name}")
        log.execute("UPDATE payload SET data = REPLACE(CAST(data AS TEXT), '43805', '43806') WHERE section = 'result'")
    with pytest.raises(LogBroken):
        reperform(open_session(f"sqlite:///{path}"), result.record_id)


def test_a_sample_is_drawn_from_all_results_and_recorded_with_each(open_session: Open, tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    seed_sqlite(path)
    session = open_session(f"sqlite:///{path}")
    for customer in (4471, 4479, 4488, 4491):
        session.call("getOverdueInvoices", {"customer": str(customer)})
    told: list[Outcome] = []
    selected, outcomes = reperform_sample(session, Sample(2, "31"), told=told.append)
    assert told == outcomes
    assert selected.population is not None
    assert list(selected.population) == [1, 3, 5, 7]
    assert [outcome.ok for outcome in outcomes] == [True, True]
    section: Any = session.log.get(session.log.size()).sections["sample"]
    assert (section["seed"], section["population"]["count"]) == ("31", 4)
    assert session.log.verify().ok
