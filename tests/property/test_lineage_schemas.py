"""Random schemas, rows and monotone statements: what Footnote says a figure rests on is what it rests on.

Two or three tables, under names that have to be quoted, with keys of every kind, some of two columns, and references that
are NULL or lead nowhere. Python joins them for itself, row by row (brute force), and so knows for each figure which rows
of every table made it. The database is then changed: without a contributor, SUM and COUNT are less by exactly what it
added; without a row that made nothing, everything stays as it was.
"""

from __future__ import annotations

import itertools
import sqlite3
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from footnote.catalog.load import load_catalog
from footnote.lineage import TiedRow, tie_out_groups
from footnote.plans.cache import Plans
from footnote.sources.opening import open_source

NAMES = ("Orders", "sale-line", "My Table", "select", "Größe", "a b", "x", "GROUP", "0st", "order by", "Ł", "line$")
KEYS: Mapping[str, tuple[str, st.SearchStrategy[Any]]] = {
    "integer": ("INTEGER", st.integers(-3, 9)),
    "text": ("TEXT", st.sampled_from(["A-1", "a-1", "ä", "1", "01", "o'brien", "x y"])),
    "uuid": ("TEXT", st.sampled_from([f"0000000{n}-0000-4000-8000-000000000000" for n in range(5)])),
}
Row = dict[str, Any]
Joined = tuple[Row | None, ...]
many = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Table:
    """A table: its name, the kinds of its key's columns, and the columns that refer to the next table's key."""

    name: str
    key: tuple[str, ...]
    refers: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(f"Key {n}" for n in range(len(self.key)))

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(f"ref-{n}" for n in range(len(self.refers)))

    def create(self) -> str:
        kinds = [*zip(self.keys, self.key, strict=True), *zip(self.references, self.refers, strict=True)]
        columns = [f"{quoted(name)} {KEYS[kind][0]}" for name, kind in kinds]
        key = ", ".join(map(quoted, self.keys))
        return (
            f'CREATE TABLE {quoted(self.name)} ({", ".join(columns)}, "Amount" INTEGER, kind TEXT, PRIMARY KEY ({key}))'
        )

    def key_of(self, row: Row) -> tuple[Any, ...]:
        return tuple(row[name] for name in self.keys)


@dataclass(frozen=True)
class Condition:
    """A comparison of a column of one table with a number or a text; NULL never meets it."""

    table: int
    column: str
    sign: str
    value: Any

    def sql(self) -> str:
        value = self.value if isinstance(self.value, int) else f"'{self.value}'"
        return f"t{self.table}.{quoted(self.column)} {self.sign} {value}"

    def holds(self, joined: Joined) -> bool:
        row = joined[self.table]
        found = None if row is None else row[self.column]
        if found is None:
            return False
        return bool({"=": found == self.value, "<>": found != self.value, ">": found > self.value}[self.sign])


@dataclass(frozen=True)
class Case:
    """A schema, its rows by table, and a statement over all of its tables, the first of which is the grain."""

    tables: tuple[Table, ...]
    rows: tuple[tuple[Row, ...], ...]
    outer: tuple[bool, ...]
    conditions: tuple[Condition, ...]
    group: int | None

    def sql(self) -> str:
        joins = [f"FROM {quoted(self.tables[0].name)} AS t0"]
        for n, outer in enumerate(self.outer, 1):
            pairs = zip(self.tables[n].keys, self.tables[n - 1].references, strict=True)
            on = " AND ".join(f"t{n}.{quoted(key)} = t{n - 1}.{quoted(reference)}" for key, reference in pairs)
            joins.append(f"{'LEFT JOIN' if outer else 'JOIN'} {quoted(self.tables[n].name)} AS t{n} ON {on}")
        where = " AND ".join(condition.sql() for condition in self.conditions)
        group = "" if self.group is None else f"t{self.group}.kind"
        return (
            f'SELECT {group and group + " AS k, "}COUNT(*) AS rows, SUM(t0."Amount") AS total {" ".join(joins)}'
            f"{where and ' WHERE ' + where}{group and f' GROUP BY {group} ORDER BY {group}'}"
        )

    def catalog(self) -> str:
        records = {
            f"r{n}": {
                "table": table.name,
                "key": list(table.keys),
                "label": "{" + f"f{len(table.keys)}" + "}",
                "fields": {
                    **{
                        f"f{i}": {"type": typed(kind), "sql": quoted(name)}
                        for i, (name, kind) in enumerate(zip(table.keys, table.key, strict=True))
                    },
                    **{
                        f"g{i}": {"type": typed(kind), "sql": quoted(name)}
                        for i, (name, kind) in enumerate(zip(table.references, table.refers, strict=True))
                    },
                    f"f{len(table.keys)}": {"type": "text", "sql": "kind"},
                    "amount": {"type": "integer", "sql": '"Amount"'},
                },
            }
            for n, table in enumerate(self.tables)
        }
        columns = {"rows": {"type": "count"}, "total": {"type": "integer"}}
        if self.group is not None:
            columns = {"k": {"type": "text"}, **columns}
        statement = {
            "shape": "one" if self.group is None else "many",
            "grain": "r0",
            "statement": self.sql(),
            "columns": columns,
        }
        operation = {"title": "t", "description": "d", "answer": "a", "parameters": [], "statements": {"s": statement}}
        source = {"url": "x", "dialect": "sqlite"}
        return yaml.safe_dump(
            {"catalog": "random", "version": 1, "source": source, "records": records, "operations": {"ask": operation}}
        )

    def provenance(self) -> dict[Any, list[Joined]]:
        """By group: every combination of rows that counts, found by nested loops."""
        found: dict[Any, list[Joined]] = {} if self.group is not None else {(): []}
        for joined in itertools.chain.from_iterable(self._combinations((row,)) for row in self.rows[0]):
            if all(condition.holds(joined) for condition in self.conditions):
                row = None if self.group is None else joined[self.group]
                key = () if self.group is None else (None if row is None else row["kind"],)
                found.setdefault(key, []).append(joined)
        return found

    def _combinations(self, joined: Joined) -> list[Joined]:
        n = len(joined)
        if n == len(self.tables):
            return [joined]
        before = joined[-1]
        reference = None if before is None else tuple(before[name] for name in self.tables[n - 1].references)
        matching = [
            row
            for row in self.rows[n]
            if reference and None not in reference and self.tables[n].key_of(row) == reference
        ]
        if not matching:
            return self._combinations((*joined, None)) if self.outer[n - 1] else []
        return [one for row in matching for one in self._combinations((*joined, row))]

    def without(self, table: int, row: Row) -> Case:
        left = tuple(other for other in self.rows[table] if other is not row)
        return Case(
            self.tables, (*self.rows[:table], left, *self.rows[table + 1 :]), self.outer, self.conditions, self.group
        )

    def ask(self, path: Path) -> dict[Any, TiedRow]:
        """What Footnote makes of it, by group, over a database made for it."""
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        for table, rows in zip(self.tables, self.rows, strict=True):
            connection.execute(table.create())
            names = (*table.keys, *table.references, "Amount", "kind")
            marks = ", ".join("?" for _ in names)
            connection.executemany(
                f"INSERT INTO {quoted(table.name)} ({', '.join(map(quoted, names))}) VALUES ({marks})",
                [[row[name] for name in names] for row in rows],
            )
        connection.commit()
        connection.close()
        source = open_source(f"sqlite:///{path}", timeout=10, time_zone="UTC")
        try:
            plan = Plans(load_catalog(self.catalog(), environ={}), source, None).statement("ask", "s", frozenset())
            assert plan.witness is not None
            with source.snapshot() as snapshot:
                found = snapshot.run(plan.statement.bind({})).all(), snapshot.run(plan.witness.bind({})).all()
            tied = tie_out_groups(plan.block, *found, {})
            return {() if self.group is None else (row.values["k"],): row for row in tied.rows}
        finally:
            source.close()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def typed(kind: str) -> str:
    return "integer" if kind == "integer" else "text"


def total(joined: Sequence[Joined]) -> int | None:
    amounts = [row["Amount"] for row, *_ in joined if row is not None and row["Amount"] is not None]
    return sum(amounts) if amounts else None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    count = draw(st.integers(2, 3))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=count, max_size=count, unique_by=str.casefold))
    kinds = st.lists(st.sampled_from(sorted(KEYS)), min_size=1, max_size=2).map(tuple)
    keys = [draw(kinds) for _ in names]
    tables = tuple(Table(name, key, after) for name, key, after in zip(names, keys, [*keys[1:], ()], strict=True))
    rows: list[tuple[Row, ...]] = []
    for table in reversed(tables):
        rows.append(tuple(draw(rows_of(table, rows[-1] if rows else ()))))
    outer = tuple(draw(st.booleans()) for _ in tables[1:])
    conditions = draw(st.lists(conditions_of(count), max_size=2).map(tuple))
    group = draw(st.none() | st.integers(0, count - 1))
    return Case(tables, tuple(reversed(rows)), outer, conditions, group)


def rows_of(table: Table, after: Sequence[Row]) -> st.SearchStrategy[list[Row]]:
    known = [tuple(value for name, value in row.items() if name.startswith("Key")) for row in after]
    anywhere = st.tuples(*(KEYS[kind][1] | st.none() for kind in table.refers))
    references = st.sampled_from(known) | anywhere if known else anywhere

    def row(key: tuple[Any, ...], refers: tuple[Any, ...], amount: int | None, kind: str | None) -> Row:
        return {
            **dict(zip(table.keys, key, strict=True)),
            **dict(zip(table.references, refers, strict=True)),
            "Amount": amount,
            "kind": kind,
        }

    keys = st.tuples(*(KEYS[kind][1] for kind in table.key))
    built = st.builds(
        row, keys, references, st.none() | st.integers(-9, 99), st.none() | st.sampled_from(string.ascii_lowercase[:3])
    )
    return st.lists(built, max_size=5, unique_by=table.key_of)


def conditions_of(count: int) -> st.SearchStrategy[Condition]:
    tables = st.integers(0, count - 1)
    amounts = st.builds(Condition, tables, st.just("Amount"), st.sampled_from(["=", "<>", ">"]), st.integers(-3, 50))
    return amounts | st.builds(Condition, tables, st.just("kind"), st.sampled_from(["=", "<>"]), st.sampled_from("abc"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "random.db"


@many
@given(case=cases())
def test_figures_and_the_rows_behind_them_are_those_of_brute_force(path: Path, case: Case) -> None:
    found, expected = case.ask(path), case.provenance()
    assert found.keys() == expected.keys()
    key_of = case.tables[0].key_of
    for key, joined in expected.items():
        row = found[key]
        assert (row.values["rows"], row.values["total"]) == (len(joined), total(joined))
        assert sorted(row.grain, key=repr) == sorted((key_of(first) for first, *_ in joined if first), key=repr)
        adds = {key_of(first): first["Amount"] for first, *_ in joined if first}
        assert {k: amount for k, amount in row.contributions["total"] if amount is not None} == {
            k: amount for k, amount in adds.items() if amount is not None
        }


@many
@given(case=cases(), data=st.data())
def test_without_a_contributor_sum_and_count_are_less_by_what_it_added(
    path: Path, case: Case, data: st.DataObject
) -> None:
    groups = {key: joined for key, joined in case.provenance().items() if joined}
    assume(groups)
    key = data.draw(st.sampled_from(sorted(groups, key=repr)))
    contributor = data.draw(st.sampled_from([first for first, *_ in groups[key]]))
    assert contributor is not None
    before, after = case.ask(path), case.without(0, contributor).ask(path)
    left = after[key].values if key in after else {"rows": 0, "total": None}
    assert left["rows"] == before[key].values["rows"] - 1
    assert (left["total"] or 0) == (before[key].values["total"] or 0) - (contributor["Amount"] or 0)
    assert {k: row.values for k, row in after.items() if k != key} == {
        k: row.values for k, row in before.items() if k != key
    }


@many
@given(case=cases(), data=st.data())
def test_without_a_row_that_made_nothing_everything_stays(path: Path, case: Case, data: st.DataObject) -> None:
    used = {id(row) for joined in case.provenance().values() for each in joined for row in each if row is not None}
    unused = [(n, row) for n, rows in enumerate(case.rows) for row in rows if id(row) not in used]
    assume(unused)
    table, row = data.draw(st.sampled_from(unused))
    before, after = case.ask(path), case.without(table, row).ask(path)
    assert {key: (one.values, one.grain, one.contributions) for key, one in before.items()} == {
        key: (one.values, one.grain, one.contributions) for key, one in after.items()
    }
