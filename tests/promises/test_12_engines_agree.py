"""Promise 12: a catalog gives the same figures on every engine it declares; what cannot be translated is refused.

Every operation of the sample, for every customer and supplier, on SQLite, PostgreSQL, MariaDB, DuckDB and a folder of
files: same figures, same display, same evidence, same contributions, same refusals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.session.exported import export_sample

import footnote
from footnote.catalog.load import find_catalog, load_catalog
from footnote.connect.seed import seed_postgres, seed_sqlite
from footnote.connect.seed_others import seed_duckdb, seed_mysql
from footnote.errors import FootnoteError, StatementRefused
from footnote.session import Session

ENGINES = ("sqlite", "postgres", "mysql", "duckdb", "files")
CUSTOMERS = range(4471, 4511)


@pytest.fixture(scope="module")
def sessions(
    postgres_url: str,
    postgres_reader_url: Callable[[str], str],
    mysql_url: str,
    mysql_reader_url: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Session]]:
    folder = tmp_path_factory.mktemp("engines")
    seed_sqlite(folder / "erp.db")
    seed_postgres(postgres_url)
    seed_mysql(mysql_url)
    seed_duckdb(folder / "erp.duckdb")
    (folder / "files").mkdir()
    export_sample(folder / "files")
    urls = {
        "sqlite": f"sqlite:///{folder / 'erp.db'}",
        "postgres": postgres_reader_url(postgres_url),
        "mysql": mysql_reader_url(mysql_url),
        "duckdb": f"duckdb:///{folder / 'erp.duckdb'}",
        "files": f"files://{folder / 'files'}",
    }
    opened = {
        engine: footnote.open(
            "sample",
            database_url=url,
            environ={"FOOTNOTE_CACHE": str(folder / "cache"), "PROVENANCE_DB": str(folder / f"{engine}.db")},
        )
        for engine, url in urls.items()
    }
    yield opened
    for session in opened.values():
        session.close()


def outcome(session: Session, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a caller gets, without ids, times and the name of the source."""
    try:
        result = session.run(operation, arguments)
    except FootnoteError as error:
        told = error.as_dict()
        told.get("details", {}).pop("record", None)
        return told
    figures = {
        address: (
            figure.value,
            figure.display,
            figure.evidence,
            [(c.evidence, c.amount, c.display) for c in figure.contributions],
        )
        for address, figure in result.figures()
    }
    rows = [{k: v for k, v in item.as_dict().items() if k not in ("result", "uri", "url")} for item in result.evidence]
    for row in rows:
        for part in ("fields", "values", "labels"):
            row.get(part, {}).pop("file", None)  # which row of which file: only files say that
    answer = session.answer(result).text
    return {"figures": figures, "rows": rows, "empty": result.empty, "answer": answer, "as of": result.as_of}


def operations() -> list[str]:
    return list(load_catalog(find_catalog("sample"), environ={}).catalog.operations)


@pytest.mark.parametrize("operation", operations())
def test_every_operation_gives_the_same_on_every_engine(sessions: dict[str, Session], operation: str) -> None:
    spec = sessions["sqlite"].loaded.catalog.operations[operation]
    about = [p.name for p in spec.parameters if p.entity == "customer"]
    fixed: dict[str, Any] = {p.name: "2026" for p in spec.parameters if p.type == "period" and p.is_required}
    variants: list[dict[str, Any]] = [{}]
    variants += [{p.name: day} for p in spec.parameters if p.type == "date" for day in ("2026-03-31", "2025-12-01")]
    variants += [{p.name: period} for p in spec.parameters if p.type == "period" for period in ("2026-Q2", "2026-07")]
    variants += [{p.name: code} for p in spec.parameters if p.type == "currency" for code in ("USD", "EUR")]
    for number in CUSTOMERS if about else [0]:
        for variant in variants:
            arguments = fixed | variant | dict.fromkeys(about, str(number))
            one, *others = (outcome(sessions[engine], operation, arguments) for engine in ENGINES)
            for engine, other in zip(ENGINES[1:], others, strict=True):
                assert one == other, (engine, arguments)


@pytest.mark.parametrize(
    "name",
    ["Bergmann", "bergmann logistik gmbh", "Nord", "Oelkers", "Müller", "Mueller", "O'Brien", "Acme", "4471", "x"],
)
def test_a_name_means_the_same_on_every_engine(sessions: dict[str, Session], name: str) -> None:
    one, *others = (outcome(sessions[engine], "getOverdueInvoices", {"customer": name}) for engine in ENGINES)
    assert others == [one] * len(others)


# --- what cannot be translated is refused at load ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression",
    [
        "due_on - issued_on",
        "amount_cents / 3",
        "amount_cents % 3",
        "LOWER(number)",
        "date_trunc('month', due_on)",
        "EXTRACT(year FROM due_on)",
        "CAST(amount_cents AS DECIMAL)",
        "number LIKE 'INV%'",
        "due_on + INTERVAL '1 day'",
        "ROUND(amount_cents, -2)",
        "CONCAT(number, currency)",
        "GREATEST(amount_cents, paid_cents)",
    ],
)
def test_what_engines_do_differently_is_refused_at_load(tmp_path: Path, expression: str) -> None:
    head = Path(find_catalog("sample")).read_text(encoding="utf-8").partition("\noperations:")[0]
    file = tmp_path / "catalog.yaml"
    file.write_text(
        f"""{head}
operations:
  ask:
    title: t
    description: d
    answer: a
    statements:
      s:
        shape: many
        grain: invoice
        each: {{record: invoice, key: id}}
        statement: SELECT id, {expression} AS odd FROM invoices ORDER BY id
        columns: {{id: {{type: integer}}, odd: {{type: text}}}}
""",
        encoding="utf-8",
    )
    with pytest.raises(StatementRefused, match=r"catalog\.yaml:\d+: "):
        load_catalog(file, environ={})


def test_a_source_of_an_engine_that_the_catalog_does_not_declare_is_refused(tmp_path: Path) -> None:
    text = (
        Path(find_catalog("sample"))
        .read_text(encoding="utf-8")
        .replace("engines: [postgres, sqlite, mysql, duckdb]", "engines: [postgres]")
    )
    file = tmp_path / "catalog.yaml"
    file.write_text(text, encoding="utf-8")
    seed_sqlite(tmp_path / "erp.db")
    environ = {"FOOTNOTE_CACHE": str(tmp_path / "cache"), "PROVENANCE_DB": str(tmp_path / "log.db")}
    with (
        footnote.open(str(file), database_url=f"sqlite:///{tmp_path / 'erp.db'}", environ=environ) as session,
        pytest.raises(FootnoteError, match="declares postgres"),
    ):
        session.run("getReceivablesAging", {})
