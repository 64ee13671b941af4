"""Arguments: typed, or a clear error; nothing guessed, nothing ignored."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from footnote.catalog.load import LoadedCatalog, load_catalog
from footnote.errors import ArgumentError
from footnote.operations.arguments import Arguments, check_arguments

TODAY = dt.date(2026, 8, 14)

CATALOG = """
catalog: tiny
version: 1
source: {url: sample, dialect: sqlite}
calendars: {fiscal: {year_end: "03-31"}}
records:
  thing:
    table: things
    key: [id]
    label: "{name}"
    fields: {id: {type: integer}, name: {type: text}, on_day: {type: date}, amount: {type: decimal}}
entities:
  thing: {record: thing, match: [id, name]}
operations:
  find:
    title: Find
    description: Finds things.
    parameters:
      - {name: thing, type: entity, entity: thing, description: Which.}
      - {name: since, type: date, default: start_of_year, description: From.}
      - {name: least, type: decimal, required: false, min_value: 0, max_value: 1000, description: Least.}
      - {name: size, type: integer, required: false, allowed_values: [1, 2, 3], description: Size.}
      - {name: exact, type: boolean, required: false, description: Exact.}
      - {name: names, type: list, of: text, required: false, description: Names.}
      - {name: money, type: currency, required: false, description: Currency.}
      - {name: year, type: period, calendar: fiscal, required: false, description: Period.}
    statements:
      rows:
        shape: many
        each: {record: thing, key: id}
        grain: thing
        statement: |
          SELECT id, name FROM things
          WHERE id = :thing AND on_day >= :since
            [[AND amount >= :least]] [[AND id = :size]] [[AND name IN :names]] [[AND name = :money]]
            [[AND (amount > 0) = :exact]] [[AND on_day BETWEEN :year_from AND :year_to]]
        columns: {id: {type: integer, hidden: true}, name: {type: text}}
    answer: "Found."
"""


@pytest.fixture(scope="module")
def tiny() -> LoadedCatalog:
    return load_catalog(CATALOG, environ={})


def given(tiny: LoadedCatalog, **values: Any) -> Arguments:
    return check_arguments(tiny.catalog, "find", tiny.catalog.operations["find"], {"thing": "x"} | values, TODAY)


def test_a_default_is_worked_out_from_today_and_said_to_be_one(tiny: LoadedCatalog) -> None:
    arguments = given(tiny)
    assert arguments.values["since"] == dt.date(2026, 1, 1)
    (since,) = (e for e in arguments.evidence if e.name == "since")
    assert since.defaulted
    assert since.value == "2026-01-01"
    assert arguments.present == {"thing", "since"}


def test_every_type_is_read_from_what_clients_send(tiny: LoadedCatalog) -> None:
    arguments = given(tiny, least=0.1, size="2", exact="true", names="a, b", money="eur", since="today")
    assert arguments.values["least"] == Decimal("0.1")
    assert arguments.values["size"] == 2
    assert arguments.values["exact"] is True
    assert arguments.values["names"] == ("a", "b")
    assert arguments.values["money"] == "EUR"
    assert arguments.values["since"] == TODAY


def test_a_fiscal_year_ends_where_the_calendar_says_and_knows_the_one_before(tiny: LoadedCatalog) -> None:
    values = given(tiny, year="FY2026").values
    assert (values["year_from"], values["year_to"]) == (dt.date(2025, 4, 1), dt.date(2026, 3, 31))
    assert (values["year_prior_from"], values["year_prior_to"]) == (dt.date(2024, 4, 1), dt.date(2025, 3, 31))


@pytest.mark.parametrize(
    "wrong",
    [
        {"since": "2026-02-30"},
        {"since": "30.02.2026"},
        {"since": "2026-2-3"},
        {"since": 20260203},
        {"since": "2026-02-03T00:00"},
        {"since": "２０２６-02-03"},
        {"least": "1e3"},
        {"least": float("nan")},
        {"least": 0.1 + 0.2},
        {"least": -1},
        {"least": 1001},
        {"least": True},
        {"size": 4},
        {"size": 1.5},
        {"size": True},
        {"size": 2**63},
        {"exact": "yes"},
        {"exact": 1},
        {"names": []},
        {"names": ["a"] * 1001},
        {"names": {"a": 1}},
        {"names": [["a"]]},
        {"money": "XXY"},
        {"money": "EURO"},
        {"year": "2026-Q5"},
        {"year": "2026-13"},
        {"year": "2026-03-01..2026-02-01"},
        {"year": "0000"},
        {"thing": "x" * 1_000_000},
        {"thing": "lone \ud800 surrogate"},
        {"thing": "null\0byte"},
        {"thing": ""},
        {"thing": ["x"]},
        {"thing": True},
        {"extra": 1},
        {"THING": "x"},
    ],
    ids=lambda wrong: ",".join(f"{k}={str(v)[:20]!a}" for k, v in wrong.items()),
)
def test_a_wrong_argument_is_refused_and_the_error_names_it(tiny: LoadedCatalog, wrong: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError) as caught:
        given(tiny, **wrong)
    (name,) = wrong
    assert name in caught.value.text
    assert len(caught.value.text) < 1_000
    caught.value.text.encode()


def test_a_missing_argument_is_named_with_what_it_is_for(tiny: LoadedCatalog) -> None:
    with pytest.raises(ArgumentError, match=r"needs the argument 'thing'\. Which\."):
        given(tiny, thing=None)


def test_a_misspelt_argument_is_refused_with_the_near_name(tiny: LoadedCatalog) -> None:
    with pytest.raises(ArgumentError) as caught:
        given(tiny, sinse="2026-01-01")
    assert caught.value.candidates[0].text == "since"
