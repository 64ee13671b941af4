"""How tests ask a source: one statement, and what kind each of its columns is read as."""

from __future__ import annotations

from footnote.sources.query import Column, Parameter, Query, Value, ValueType
from footnote.sources.source import Snapshot, Source


def query(sql: str, *kinds: str, **parameters: Parameter) -> Query:
    return Query(sql, parameters, tuple(Column(f"c{n}", ValueType(kind)) for n, kind in enumerate(kinds or ("any",))))


def rows(snapshot: Snapshot, sql: str, *kinds: str, **parameters: Parameter) -> list[tuple[Value, ...]]:
    return snapshot.run(query(sql, *kinds, **parameters)).all()


def ask(source: Source, sql: str, *kinds: str, **parameters: Parameter) -> list[tuple[Value, ...]]:
    with source.snapshot() as snapshot:
        return rows(snapshot, sql, *kinds, **parameters)
