"""Aggregate statements over small random tables: every figure against brute force, and what it says it rests on.

Statements are put together from parts that stand here twice, as SQL and as Python. SQLite runs the SQL by way of the
whole path (catalog, plan, witness, tie-out); Python counts for itself.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote.catalog.load import load_catalog
from footnote.errors import TieOutError
from footnote.lineage import Block, TiedOut, TiedRow, tie_out_groups
from footnote.plans.cache import Plans
from footnote.plans.shape import StatementPlan
from footnote.sources.opening import open_source
from footnote.sources.source import Source

SCHEMA = """
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE items (
        id INTEGER PRIMARY KEY, customer INTEGER, kind TEXT, amount INTEGER, rate INTEGER, price NUMERIC, day DATE,
        flag BOOLEAN
    );
    CREATE TABLE tags (item INTEGER, tag TEXT, PRIMARY KEY (item, tag));
"""
HEAD = """
catalog: small
version: 1
source: {url: "x", dialect: postgres, engines: [postgres, sqlite, mysql, duckdb]}
records:
  customer: {table: customers, key: [id], label: "{id}", fields: {id: {type: integer}, name: {type: text}}}
  item:
    table: items
    key: [id]
    label: "{id}"
    fields:
      customer: {type: integer}
      kind: {type: text}
      amount: {type: integer}
      rate: {type: integer}
      price: {type: decimal}
      day: {type: date}
      flag: {type: boolean}
  tag: {table: tags, key: [item, tag], label: "{tag}", fields: {item: {type: integer}, tag: {type: text}}}
"""
AS_OF = dt.date(2026, 8, 14)
BOUND = {"asOf": AS_OF}

Item = Mapping[str, Any]
Three = bool | None


@dataclass(frozen=True)
class Figure:
    """An output column: its SQL and type, what Python makes of the rows of a group, and what one row adds, if any."""

    sql: str
    type: str
    of: Callable[[Sequence[Item]], Any]
    adds: Callable[[Item], Any] | None = None


def total(values: Iterator[Any]) -> Any:
    found = [value for value in values if value is not None]
    return sum(found) if found else None


def product(item: Item) -> Any:
    return None if item["amount"] is None or item["rate"] is None else item["amount"] * item["rate"]


def age(item: Item) -> Any:
    return None if item["day"] is None else (AS_OF - item["day"]).days


def difference(items: Sequence[Item]) -> Any:
    amount, rate = total(i["amount"] for i in items), total(i["rate"] for i in items)
    return None if amount is None or rate is None else amount - rate


def scaled(value: Any, factor: int) -> Any:
    return None if value is None else factor * value


FIGURES = [
    Figure("COUNT(*)", "count", len, lambda i: 1),
    Figure("COUNT(i.amount)", "count", lambda g: sum(i["amount"] is not None for i in g)),
    Figure("COUNT(DISTINCT i.kind)", "count", lambda g: len({i["kind"] for i in g} - {None})),
    Figure("COUNT(*) FILTER (WHERE i.flag)", "count", lambda g: sum(i["flag"] is True for i in g)),
    Figure("SUM(i.amount)", "integer", lambda g: total(i["amount"] for i in g), lambda i: i["amount"] or 0),
    Figure("SUM(i.price)", "decimal", lambda g: total(i["price"] for i in g), lambda i: i["price"] or Decimal(0)),
    Figure(
        "SUM(i.price - 0.1)",
        "decimal",
        lambda g: total(None if i["price"] is None else i["price"] - Decimal("0.1") for i in g),
    ),
    Figure("SUM(i.amount * i.rate)", "integer", lambda g: total(map(product, g)), lambda i: product(i) or 0),
    Figure("-SUM(i.amount)", "integer", lambda g: scaled(total(i["amount"] for i in g), -1)),
    Figure("2 * SUM(i.amount)", "integer", lambda g: scaled(total(i["amount"] for i in g), 2)),
    Figure("SUM(i.amount) - SUM(i.rate)", "integer", difference),
    Figure(
        "COALESCE(SUM(i.amount), 0) - COALESCE(SUM(i.rate), 0)",
        "integer",
        lambda g: (total(i["amount"] for i in g) or 0) - (total(i["rate"] for i in g) or 0),
        lambda i: (i["amount"] or 0) - (i["rate"] or 0),
    ),
    Figure(
        "SUM(CASE WHEN i.kind = 'a' THEN i.amount ELSE 0 END)",
        "integer",
        lambda g: total(i["amount"] if i["kind"] == "a" else 0 for i in g),
        lambda i: (i["amount"] or 0) if i["kind"] == "a" else 0,
    ),
    Figure("SUM(CASE WHEN i.flag THEN 1 END)", "integer", lambda g: total(1 if i["flag"] else None for i in g)),
    Figure("MIN(i.day)", "date", lambda g: min((i["day"] for i in g if i["day"]), default=None)),
    Figure(
        "MAX(i.amount)", "integer", lambda g: max((i["amount"] for i in g if i["amount"] is not None), default=None)
    ),
    Figure("MIN(i.price)", "decimal", lambda g: min((i["price"] for i in g if i["price"] is not None), default=None)),
    Figure(
        "MAX(days_between(:asOf, i.day))",
        "integer",
        lambda g: max((a for i in g if (a := age(i)) is not None), default=None),
    ),
]

KEYS: dict[str, tuple[str, Callable[[Item], Any]]] = {
    "i.kind": ("text", lambda i: i["kind"]),
    "i.customer": ("integer", lambda i: i["customer"]),
    "i.flag": ("boolean", lambda i: i["flag"]),
    "month_of(i.day)": ("text", lambda i: i["day"] and f"{i['day']:%Y-%m}"),
    "CASE WHEN i.amount > 0 THEN 'plus' WHEN i.amount <= 0 THEN 'minus' ELSE 'none' END": (
        "text",
        lambda i: "none" if i["amount"] is None else "plus" if i["amount"] > 0 else "minus",
    ),
}


def compared(value: Any, test: Callable[[Any], bool]) -> Three:
    return None if value is None else test(value)


FILTERS: dict[str, Callable[[Item], Three]] = {
    "": lambda i: True,
    "i.amount > 1": lambda i: compared(i["amount"], lambda v: v > 1),
    "i.price >= 0.3": lambda i: compared(i["price"], lambda v: v >= Decimal("0.3")),
    "i.kind = 'a'": lambda i: compared(i["kind"], lambda v: v == "a"),
    "i.kind <> 'a'": lambda i: compared(i["kind"], lambda v: v != "a"),
    "NOT i.flag": lambda i: compared(i["flag"], lambda v: not v),
    "i.kind IS NULL OR i.amount > 0": lambda i: i["kind"] is None or compared(i["amount"], lambda v: v > 0),
    "i.kind IN ('a', 'c') AND i.amount BETWEEN -2 AND 2": lambda i: (
        i["kind"] in ("a", "c") and i["amount"] is not None and -2 <= i["amount"] <= 2
    ),
    "i.day <= :asOf": lambda i: compared(i["day"], lambda v: v <= AS_OF),
    "days_between(:asOf, i.day) BETWEEN 1 AND 30": lambda i: compared(age(i), lambda v: 1 <= v <= 30),
}
HAVINGS: dict[str, Callable[[Sequence[Item]], Three]] = {
    "": lambda g: True,
    "COUNT(*) > 1": lambda g: len(g) > 1,
    "SUM(i.amount) > 0": lambda g: compared(total(i["amount"] for i in g), lambda v: v > 0),
}

items = st.fixed_dictionaries(
    {
        "customer": st.none() | st.integers(1, 2),
        "kind": st.none() | st.sampled_from("abc"),
        "amount": st.none() | st.integers(-3, 3),
        "rate": st.none() | st.integers(-2, 2),
        "price": st.none() | st.decimals(-1, 1, places=2),
        "day": st.none() | st.dates(dt.date(2026, 7, 10), dt.date(2026, 9, 3)),
        "flag": st.none() | st.booleans(),
    }
)


@dataclass(frozen=True)
class Question:
    """A statement in parts."""

    figures: list[Figure]
    keys: list[str]
    filter: str
    having: str
    join: str

    @property
    def sql(self) -> str:
        columns = [f'{key} AS "k{n}"' for n, key in enumerate(self.keys)]
        columns += [f'{figure.sql} AS "f{n}"' for n, figure in enumerate(self.figures)]
        lines = [f"SELECT {', '.join(columns)}", "FROM items i", self.join]
        lines += [f"WHERE {self.filter}"] if self.filter else []
        lines += [f"GROUP BY {', '.join(self.keys)}"] if self.keys else []
        lines += [f"HAVING {self.having}"] if self.having else []
        lines += [f"ORDER BY {', '.join(str(n + 1) for n in range(len(self.keys)))}"] if self.keys else []
        return "\n".join(line for line in lines if line)

    @property
    def types(self) -> dict[str, str]:
        keys = {f"k{n}": KEYS[key][0] for n, key in enumerate(self.keys)}
        return keys | {f"f{n}": figure.type for n, figure in enumerate(self.figures)}

    def groups(self, rows: Sequence[Item]) -> dict[tuple[Any, ...], list[Item]]:
        """The groups that Python finds."""
        found: dict[tuple[Any, ...], list[Item]] = {} if self.keys else {(): []}
        for row in rows:
            joined = not self.join or self.join.startswith("LEFT") or row["customer"] is not None
            if joined and FILTERS[self.filter](row) is True:
                found.setdefault(tuple(KEYS[key][1](row) for key in self.keys), []).append(row)
        return {key: group for key, group in found.items() if HAVINGS[self.having](group) is True}


def asked(figures: Sequence[Figure], havings: Sequence[str]) -> st.SearchStrategy[Question]:
    return st.builds(
        Question,
        figures=st.lists(st.sampled_from(figures), min_size=1, max_size=4, unique_by=lambda f: f.sql),
        keys=st.lists(st.sampled_from(sorted(KEYS)), max_size=2, unique=True),
        filter=st.sampled_from(sorted(FILTERS)),
        having=st.sampled_from(havings),
        join=st.sampled_from(
            ["", "JOIN customers c ON c.id = i.customer", "LEFT JOIN customers c ON c.id = i.customer"]
        ),
    )


questions = asked(FIGURES, sorted(HAVINGS))
sums = asked([figure for figure in FIGURES if figure.sql.lstrip("-2 *").startswith(("SUM", "COUNT", "COALESCE"))], [""])


# --- the path ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Database:
    """A SQLite file and the source that reads it."""

    path: Path
    source: Source
    plans: dict[tuple[str, str], StatementPlan] = field(default_factory=dict)

    def fill(self, rows: Sequence[Item], tags: Sequence[tuple[int, str]] = ()) -> list[Item]:
        numbered: list[Item] = [{"id": number, **row} for number, row in enumerate(rows, 1)]
        connection = sqlite3.connect(self.path, isolation_level=None)
        for table in ("tags", "items", "customers"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("INSERT INTO customers VALUES (1, 'One'), (2, NULL)")
        stored = [{**row, "price": _text(row["price"]), "day": _text(row["day"])} for row in numbered]
        connection.executemany(
            "INSERT INTO items VALUES (:id, :customer, :kind, :amount, :rate, :price, :day, :flag)", stored
        )
        connection.executemany("INSERT INTO tags VALUES (?, ?)", tags)
        connection.close()
        return numbered

    def plan(self, sql: str, types: Mapping[str, str], grain: str = "item") -> StatementPlan:
        if (sql, grain) not in self.plans:
            self.plans[sql, grain] = self._compiled(sql, types, grain)
        return self.plans[sql, grain]

    def _compiled(self, sql: str, types: Mapping[str, str], grain: str) -> StatementPlan:
        columns = ", ".join(f"{name}: {{type: {kind}}}" for name, kind in types.items())
        shape = "many" if "ORDER BY" in sql else "one"
        lines = [
            "operations:",
            "  ask:",
            "    title: t",
            "    description: d",
            "    answer: a",
            *(["    parameters: [{name: asOf, type: date, description: d}]"] if ":asOf" in sql else []),
            "    statements:",
            f'      s: {{shape: {shape}, grain: {grain}, columns: {{{columns}}}, statement: "{_quoted(sql)}"}}',
        ]
        loaded = load_catalog(HEAD + "\n".join(lines) + "\n", environ={})
        return Plans(loaded, self.source, None).statement("ask", "s", frozenset({"asOf"}))

    def rows(self, plan: StatementPlan) -> tuple[list[Any], list[Any]]:
        assert plan.witness is not None
        with self.source.snapshot() as snapshot:
            return snapshot.run(plan.statement.bind(BOUND)).all(), snapshot.run(plan.witness.bind(BOUND)).all()

    def tied(self, sql: str, types: Mapping[str, str], grain: str = "item") -> tuple[Block, TiedOut]:
        plan = self.plan(sql, types, grain)
        return plan.block, tie_out_groups(plan.block, *self.rows(plan), BOUND)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _quoted(sql: str) -> str:
    return " ".join(sql.split()).replace("\\", "\\\\").replace('"', '\\"')


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("lineage") / "small.db"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    source = open_source(f"sqlite:///{path}", timeout=10, time_zone="UTC")
    yield Database(path, source)
    source.close()


many = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])


# --- figures ----------------------------------------------------------------------------------------------------------


@many
@given(rows=st.lists(items, max_size=8), question=questions)
def test_every_figure_is_what_python_counts(database: Database, rows: list[Item], question: Question) -> None:
    expected = question.groups(database.fill(rows))
    _, tied = database.tied(question.sql, question.types)
    found = {tuple(row.values[f"k{n}"] for n in range(len(question.keys))): row for row in tied.rows}
    assert found.keys() == expected.keys()
    assert len(found) == len(tied.rows)
    for key, group in expected.items():
        assert sorted(k for (k,) in found[key].grain) == [row["id"] for row in group]
        for number, figure in enumerate(question.figures):
            assert found[key].values[f"f{number}"] == figure.of(group), figure.sql


@many
@given(rows=st.lists(items, max_size=8), question=questions)
def test_contributions_are_what_each_row_adds(database: Database, rows: list[Item], question: Question) -> None:
    by_id = {row["id"]: row for row in database.fill(rows)}
    block, tied = database.tied(question.sql, question.types)
    for row in tied.rows:
        for number, figure in enumerate(question.figures):
            value, contributions = row.values[f"f{number}"], row.contributions[f"f{number}"]
            ids = [key[0] for key, _ in contributions]
            assert len(set(ids)) == len(ids)
            assert {(id,) for id in ids} <= set(row.grain)
            method = next(output.method for output in block.outputs if output.name == f"f{number}")
            if method in ("sum", "count") and value is not None:
                assert sum(amount for _, amount in contributions) == value
            if figure.adds is not None and value is not None:
                added = dict(zip(ids, (amount for _, amount in contributions), strict=True))
                assert all(added.get(id, 0) == figure.adds(by_id[id]) for (id,) in row.grain)
            if method in ("minimum", "maximum"):
                assert {amount for _, amount in contributions} == ({value} if value is not None else set())


@many
@given(rows=st.lists(items, min_size=1, max_size=8), question=sums, data=st.data())
def test_without_a_contributor_the_sum_is_less_by_its_contribution(
    database: Database, rows: list[Item], question: Question, data: st.DataObject
) -> None:
    database.fill(rows)
    block, tied = database.tied(question.sql, question.types)
    names = [o.name for o in block.outputs if o.method in ("sum", "count")]
    cited = [(row, name, key, amount) for row in tied.rows for name in names for key, amount in row.contributions[name]]
    if not cited:
        return
    row, name, key, amount = data.draw(st.sampled_from(cited))
    connection = sqlite3.connect(database.path, isolation_level=None)
    connection.execute("DELETE FROM items WHERE id = ?", key)
    connection.close()
    _, after = database.tied(question.sql, question.types)
    rest = next((other for other in after.rows if _same_group(question, row, other)), None)
    left = rest.values[name] if rest else None
    assert left == row.values[name] - amount or (left is None and not _still_there(question, name, rest))


def _same_group(question: Question, one: TiedRow, other: TiedRow) -> bool:
    return all(one.values[f"k{n}"] == other.values[f"k{n}"] for n in range(len(question.keys)))


def _still_there(question: Question, name: str, rest: TiedRow | None) -> bool:
    """Whether a sum must have a value: SUM of nothing is NULL, and a difference of sums is if either is."""
    return rest is not None and question.figures[int(name[1:])].sql.startswith(("COUNT", "COALESCE"))


# --- what is wrong is caught ------------------------------------------------------------------------------------------

COUNTED = "SELECT i.kind AS kind, COUNT(*) AS many, SUM(i.amount) AS s FROM items i GROUP BY i.kind ORDER BY i.kind"
COUNTED_TYPES = {"kind": "text", "many": "count", "s": "integer"}


@given(rows=st.lists(items, min_size=1, max_size=6), data=st.data())
def test_a_witness_row_that_is_missing_doubled_or_altered_is_caught(
    database: Database, rows: list[Item], data: st.DataObject
) -> None:
    database.fill(rows)
    plan = database.plan(COUNTED, COUNTED_TYPES)
    main, witness = database.rows(plan)
    place = data.draw(st.integers(0, len(witness) - 1))
    row = witness[place]
    how = data.draw(st.sampled_from(["missing", "doubled", "more", "other group"]))
    changed = {
        "missing": [],
        "doubled": [row, row],
        "more": [(row[0], row[1], (row[2] or 0) + 1, *row[3:])],
        "other group": [("another", *row[1:])],
    }[how]
    with pytest.raises(TieOutError):
        tie_out_groups(plan.block, main, [*witness[:place], *changed, *witness[place + 1 :]], {})


@given(rows=st.lists(items, min_size=1, max_size=6), data=st.data())
def test_a_figure_or_a_group_that_the_engine_has_wrong_is_caught(
    database: Database, rows: list[Item], data: st.DataObject
) -> None:
    database.fill(rows)
    plan = database.plan(COUNTED, COUNTED_TYPES)
    main, witness = database.rows(plan)
    place = data.draw(st.integers(0, len(main) - 1))
    kind, count, amount, key = main[place]
    changed = data.draw(
        st.sampled_from(
            [
                [],
                [main[place], main[place]],
                [(kind, count + 1, amount, key)],
                [(kind, count, (amount or 0) + 1, key)],
                [("another", count, amount, key)],
                [(kind, count, amount, "another")],
            ]
        )
    )
    with pytest.raises(TieOutError):
        tie_out_groups(plan.block, [*main[:place], *changed, *main[place + 1 :]], witness, {})


tagged = st.lists(st.tuples(st.integers(1, 3), st.sampled_from("xyz")), min_size=1, max_size=6, unique=True)


@given(rows=st.lists(items, min_size=3, max_size=3), tags=tagged)
def test_a_join_that_fans_out_is_caught_and_one_that_does_not_is_not(
    database: Database, rows: list[Item], tags: list[tuple[int, str]]
) -> None:
    database.fill(rows, tags)
    sql = "SELECT COUNT(*) AS many, SUM(i.amount) AS s FROM items i JOIN tags t ON t.item = i.id"
    twice = len({item for item, _ in tags}) < len(tags)
    if twice:
        with pytest.raises(TieOutError, match="counts item"):
            database.tied(sql, {"many": "count", "s": "integer"})
    else:
        assert database.tied(sql, {"many": "count", "s": "integer"})[1].rows[0].values["many"] == len(tags)


@given(rows=st.lists(items, min_size=3, max_size=3), tags=tagged)
def test_an_amount_of_a_table_that_the_grain_repeats_is_caught(
    database: Database, rows: list[Item], tags: list[tuple[int, str]]
) -> None:
    """The grain is unique here, and the amounts are counted once for each tag nevertheless."""
    numbered = database.fill(rows, tags)
    sql = "SELECT COUNT(*) AS many, SUM(i.amount) AS s FROM tags t JOIN items i ON i.id = t.item"
    amounts = [row["amount"] for item, _ in tags for row in numbered if row["id"] == item]
    adding = [item for (item, _), amount in zip(tags, amounts, strict=True) if amount]
    if len(set(adding)) < len(adding):
        with pytest.raises(TieOutError, match=r"counts item \d .* in SUM|counts item \d .* in i.amount"):
            database.tied(sql, {"many": "count", "s": "integer"}, grain="tag")
    else:
        _, tied = database.tied(sql, {"many": "count", "s": "integer"}, grain="tag")
        assert tied.rows[0].values["s"] == total(iter(amounts))


@given(rows=st.lists(items, min_size=3, max_size=8), most=st.integers(1, 3))
def test_the_first_groups_are_those_that_rank_first(database: Database, rows: list[Item], most: int) -> None:
    numbered = database.fill(rows)
    sql = f"SELECT i.kind AS kind, COUNT(*) AS many FROM items i GROUP BY i.kind ORDER BY COUNT(*) DESC, i.kind LIMIT {most}"
    plan = database.plan(sql, {"kind": "text", "many": "count"})
    main, witness = database.rows(plan)
    counts = sorted((sum(r["kind"] == kind for r in numbered) for kind in {r["kind"] for r in numbered}), reverse=True)
    assert [row.values["many"] for row in tie_out_groups(plan.block, main, witness, {}).rows] == counts[:most]
    every = database.plan(sql.replace(f" LIMIT {most}", ""), {"kind": "text", "many": "count"})
    last_first = database.rows(every)[0][::-1][:most]
    if [row[1] for row in last_first] != counts[:most]:
        with pytest.raises(TieOutError, match=r"ranks before|LIMIT"):
            tie_out_groups(plan.block, last_first, witness, {})
