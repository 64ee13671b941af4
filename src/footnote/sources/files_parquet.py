"""Parquet columns, with every decimal exact: what a file keeps as floats becomes the decimals these floats stand for.

A 64-bit float holds any decimal of 15 digits exactly enough to be told from every other, a 32-bit float one of 6 (IEEE
754, DBL_DIG and FLT_DIG). A column in which every float stands for such a decimal is that column of decimals; one in
which some do not, such as the trace of inexact sums, is left as text and said.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from footnote.sources.duckdb_schema import quoted
from footnote.sources.files_types import EMPTY_CAST, Decided

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DIGITS = {"DOUBLE": 15, "FLOAT": 6}
_MOST_SCALE = 15
_NARROW = 18


def parquet_columns(raw: DuckDBPyConnection, relation: str) -> Iterator[tuple[str, Decided]]:
    """Each column of a Parquet file, and what it is read as; `{v}` of `cast` is the column.

    Args:
        raw: A connection that may read the file.
        relation: SQL of the file, such as `read_parquet('…')`.
    """
    described = raw.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()  # noqa: S608 (our own copy's path)
    for name, word, *_ in described:
        if word in _DIGITS:
            yield name, _exact(raw, relation, name, word)
        elif word == "TIMESTAMP_NS":
            yield name, _micro(raw, relation, name)
        elif word.startswith(("STRUCT", "MAP", "UNION", "VARIANT")) or word.endswith("]") or word in ("BLOB", "BIT"):
            yield (
                name,
                Decided(word, note=f"It is {word.partition('(')[0].lower()}, which is kept and cannot be asked for."),
            )
        else:
            yield name, Decided(word)


def _exact(raw: DuckDBPyConnection, relation: str, name: str, word: str) -> Decided:
    """The narrowest decimals that give every float of the column back."""
    values = f"(SELECT {quoted(name)} AS v FROM {relation} WHERE {quoted(name)} IS NOT NULL)"  # noqa: S608
    digits = "ltrim(regexp_replace(split_part(CAST(v AS VARCHAR), 'e', 1), '[^0-9]', '', 'g'), '0')"
    same = [
        f"bool_and(CAST(TRY_CAST(CAST(v AS VARCHAR) AS DECIMAL(38,{scale})) AS {word}) IS NOT DISTINCT FROM v)"
        for scale in range(_MOST_SCALE + 1)
    ]
    looked = f"COUNT(*), bool_and(isfinite(v)), MAX(length(rtrim({digits}, '0'))), MAX(abs(v)), {', '.join(same)}"
    row = raw.execute(f"SELECT {looked} FROM {values}").fetchone() or (0,)  # noqa: S608
    if not row[0]:
        return Decided("DECIMAL(18,2)", EMPTY_CAST, "It has no values.")
    _, finite, most, largest, *fits = row
    scale = next((place for place, fit in enumerate(fits) if fit), None)
    if not finite or most > _DIGITS[word] or scale is None:
        why = f"Its numbers are floats, and some stand for no decimal of {_DIGITS[word]} digits: it is left as text."
        return Decided("VARCHAR", "CAST({v} AS VARCHAR)", why)
    if not scale and largest < 10.0**15:
        return Decided("BIGINT", "CAST({v} AS BIGINT)", "Its whole numbers are kept as floats; they are read exactly.")
    kind = f"DECIMAL({_NARROW if largest < 10.0 ** (_NARROW - scale) else 38},{scale})"
    return Decided(
        kind, f"CAST(CAST({{v}} AS VARCHAR) AS {kind})", "Its decimals are kept as floats; they are read exactly."
    )


def _micro(raw: DuckDBPyConnection, relation: str, name: str) -> Decided:
    """A timestamp of nanoseconds, if it has none."""
    same = f"bool_and(CAST(CAST({quoted(name)} AS TIMESTAMP) AS TIMESTAMP_NS) IS NOT DISTINCT FROM {quoted(name)})"
    row = raw.execute(f"SELECT {same} FROM {relation}").fetchone()  # noqa: S608
    if row is not None and row[0] is not False:
        return Decided("TIMESTAMP", "CAST({v} AS TIMESTAMP)")
    return Decided("TIMESTAMP_NS", note="Its moments have nanoseconds, which are kept and cannot be asked for.")
