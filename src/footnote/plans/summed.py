"""Statements by which an engine adds up witness rows itself, where there are more than are fetched.

Only where that is as exact as adding them up outside: whole numbers and decimals that the engine calculates with
exactly, base tables alone, and keys and values of which it can write the same text as `lineage.rowset` does, so that it
digests the rows too. PostgreSQL and DuckDB can; elsewhere, and for other statements, the rows pass through Footnote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from footnote.lineage.expressions import Expr
from footnote.lineage.measures import Measure, arguments_of, measures_of
from footnote.lineage.rowset import CHUNK
from footnote.lineage.shape import Block, Output
from footnote.plans.shape import FIRST, INNER_PAD, LAST, OUTER_PAD, SummedPlan, Template
from footnote.sources.query import Column, ValueType

_SAFE = 2**53 - 1
_TEXTS = {
    ValueType.INTEGER: (
        f"CASE WHEN {{0}} BETWEEN -{_SAFE} AND {_SAFE} THEN CAST({{0}} AS TEXT) ELSE '\"' || CAST({{0}} AS TEXT) || '\"' END"
    ),
    ValueType.BOOLEAN: "CAST(CAST({0} AS INT) AS TEXT)",
    ValueType.DECIMAL: "'\"' || CAST({0} AS TEXT) || '\"'",
    ValueType.DATE: "'\"' || CAST({0} AS TEXT) || '\"'",
}
"""By type: a value as `rowset.line` writes it."""
_LETTERS = {"postgres": "ENCODE(CONVERT_TO({0}, 'UTF8'), 'hex')", "duckdb": "LOWER(HEX(ENCODE({0})))"}
_DIGEST = {
    "postgres": "ENCODE(SHA256(DECODE({outer}, 'hex') || SHA256(DECODE({inner}, 'hex') || CONVERT_TO({text}, 'UTF8'))), 'hex')",
    "duckdb": "SHA256(UNHEX({outer}) || UNHEX(SHA256(UNHEX({inner}) || ENCODE({text}))))",
}
"""HMAC-SHA256 (RFC 2104) of a text, with the padded keys in hex."""
_WHOLE_PART = {"postgres": "DIV({0}, {1})", "duckdb": "{0} // {1}"}

Write = Callable[[exp.Select, tuple[Column, ...]], Template]


def summed_plan(
    block: Block, witness: exp.Select, shape: tuple[Column, ...], dialect: str, write: Write
) -> SummedPlan | None:
    """How an engine adds up a statement's witness rows; None where it cannot, or not as exactly.

    Args:
        block: The statement understood.
        witness: Its witness statement.
        shape: Columns of that.
        dialect: The engine.
        write: Makes a query of a tree.
    """
    if dialect not in _DIGEST or not _can_be_added_up(block):
        return None
    unordered = witness.copy()
    unordered.set("order", None)
    writer = _Writer(block, unordered, shape, dialect, write)
    pages: dict[str, int] = {}
    first = writer.numbered(writer.grain, "1 = 1", pages)
    by_record = tuple(writer.page(output, pages, largest=False) for output in block.outputs)
    by_size = tuple(writer.page(output, pages, largest=True) for output in block.outputs)
    return SummedPlan(
        sums=writer.sums(),
        digests=writer.digests(),
        repeated=writer.repeated(),
        spreads=tuple(writer.spread(number) for number in range(len(block.spreads))),
        currencies=writer.currencies(),
        first=first,
        pages=tuple(writer.written(text, shape) for text in pages),
        by_record=by_record,
        by_size=by_size,
    )


def repeated_row(block: Block, witness: exp.Select, shape: tuple[Column, ...], write: Write) -> Template:
    """A statement for a row of the grain that stands twice among witness rows, on every engine.

    Args:
        block: The statement understood.
        witness: Its witness statement.
        shape: Columns of that.
        write: Makes a query of a tree.
    """
    unordered = witness.copy()
    unordered.set("order", None)
    present: list[str] = []
    keys: list[str] = []
    for source in block.grains:
        own = [f'"w"."__g{len(keys) + number}"' for number in range(len(source.key))]
        keys += own
        present.append(" AND ".join(f"{key} IS NOT NULL" for key in (own[:1] if source.inner else own)))
    where = f" WHERE ({') OR ('.join(present)})"
    first = len(block.key_types)
    return _Writer(block, unordered, shape, "postgres", write).twice(keys, shape[first : first + len(keys)], where)


def _can_be_added_up(block: Block) -> bool:
    if block.links or block.beside or block.lone or block.approximate or block.sources[block.grain].inner:
        return False
    if any(source.inner for source in block.sources) or set(block.added) != set(range(len(block.argument_types))):
        return False
    kinds = (*block.sources[block.grain].key_types, *block.argument_types)
    return all(kind in (*_TEXTS, ValueType.TEXT) for kind in kinds)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes statements over the witness rows, which stand in them as `w`."""

    block: Block
    witness: exp.Select
    shape: tuple[Column, ...]
    dialect: str
    write: Write

    def written(self, text: str, shape: tuple[Column, ...]) -> Template:
        """A statement over `w`."""
        tree = sqlglot.parse_one(text, read=self.dialect)
        tables = list(tree.find_all(exp.Table))
        for column in list(tree.find_all(exp.Column)):
            if column.name in (FIRST, LAST, INNER_PAD, OUTER_PAD):
                column.replace(exp.Placeholder(this=column.name))
        for table in tables:
            if table.name == "w":
                alias = exp.TableAlias(this=exp.to_identifier("w", quoted=True))
                table.replace(exp.Subquery(this=self.witness.copy(), alias=alias))
        assert isinstance(tree, exp.Select)  # noqa: S101 - as it is written here
        return self.write(tree, shape)

    # --- columns of the witness ---------------------------------------------------------------------------------------

    @property
    def _keys(self) -> list[str]:
        return [f'"w"."__k{number}"' for number in range(len(self.block.key_types))]

    @property
    def grain(self) -> list[str]:
        return [f'"w"."__g{number}"' for number in range(len(self.block.sources[self.block.grain].key))]

    def _partition(self) -> str:
        return f"PARTITION BY {', '.join(self._keys)} " if self._keys else ""

    def _grouped(self, further: tuple[str, ...] = ()) -> str:
        keys = [*self._keys, *further]
        return f" GROUP BY {', '.join(keys)}" if keys else ""

    @property
    def _key_columns(self) -> tuple[Column, ...]:
        return self.shape[: len(self.block.key_types)]

    # --- statements ---------------------------------------------------------------------------------------------------

    def sums(self) -> Template:
        """Every group with its measures."""
        measures = measures_of(self.block)
        texts = [*self._keys, *(self._measure(measure) for measure in measures)]
        shape = (*self._key_columns, *(Column(f"__m{n}", measure.type) for n, measure in enumerate(measures)))
        columns = ", ".join(f'{text} AS "{column.name}"' for text, column in zip(texts, shape, strict=True))
        return self.written(f"SELECT {columns} FROM w{self._grouped()}", shape)  # noqa: S608 (columns of our own)

    def _measure(self, measure: Measure) -> str:
        if measure.what == "rows":
            return "COUNT(*)"
        if measure.what == "strays":
            return f"COUNT(CASE WHEN {' OR '.join(f'{part} IS NULL' for part in self.grain)} THEN 1 END)"
        if measure.what in ("number", "plus", "minus"):
            return self._contributed(measure)
        argument = self.block.aggregates[measure.of].argument
        column = "*" if argument is None else f'"w"."__c{argument}"'
        forms = {"minimum": "MIN({0})", "maximum": "MAX({0})", "count distinct": "COUNT(DISTINCT {0})"}
        forms |= {"sum distinct": "SUM(DISTINCT {0})", "sum": "SUM({0})", "count": "COUNT({0})"}
        return forms[measure.what].format(column)

    def _contributed(self, measure: Measure) -> str:
        output = self.block.outputs[measure.of]
        counts = self._counts(output)
        if measure.what == "number":
            return f"COUNT(CASE WHEN {counts} THEN 1 END)"
        amount = self._amount(output)
        sign = ">" if measure.what == "plus" else "<"
        return f"COALESCE(SUM(CASE WHEN {amount} {sign} 0 THEN {amount} END), 0)"

    def _amount(self, output: Output) -> str:
        return _sql(output.contribution or ["num", "0"])

    def _counts(self, output: Output) -> str:
        """Whether a row is a contribution."""
        used = arguments_of(self.block, output)
        present = " OR ".join(f'"w"."__c{argument}" IS NOT NULL' for argument in used)
        parts = [f"({present})"] if used else []
        if output.contribution is not None and (output.case or output.method == "count"):
            parts.append(f"{self._amount(output)} <> 0")
        return " AND ".join(parts) or "1 = 1"

    def page(self, output: Output, pages: dict[str, int], *, largest: bool) -> int:
        """The position of the statement that gives rows that contribute, from one place to another; -1 if none do."""
        if output.method == "group":
            return -1
        order = [*(self._by_size(output) if largest else ()), *self.grain]
        return self.numbered(order, self._counts(output), pages)

    def numbered(self, order: list[str], condition: str, pages: dict[str, int]) -> int:
        """The position of the statement that gives rows from one place to another."""
        names = [f'"{column}"' for column in self._names()]
        inner = ", ".join(f'"w".{name}' for name in names)
        numbered = f"ROW_NUMBER() OVER ({self._partition()}ORDER BY {', '.join(order)})"
        bound, among = self._bound(order[0], condition) if self.dialect == "duckdb" else ("", "")
        rows = f'SELECT {inner}, {numbered} AS "__n" FROM w{bound} WHERE {condition}{among}'  # noqa: S608
        shown, wanted = ", ".join(names), f'"__n" > {FIRST} AND "__n" <= {LAST}'
        text = f'SELECT {shown} FROM ({rows}) AS "p" WHERE {wanted} ORDER BY "__n"'  # noqa: S608
        return pages.setdefault(text, len(pages))

    def _bound(self, first: str, condition: str) -> tuple[str, str]:
        """What FROM and WHERE need so that only the `LAST` first rows of each group are sorted, and their equals.

        DuckDB sorts all rows otherwise, which takes several times as long as finding the value of the last one.
        """
        term = first.removesuffix(" DESC").removesuffix(" ASC")
        most, least = ("MAX", "LIST_MIN") if first.endswith(" DESC") else ("MIN", "LIST_MAX")
        keys = "".join(f'{key} AS "__t{number}", ' for number, key in enumerate(self._keys))
        bound = f'SELECT {keys}{least}({most}({term}, {LAST})) AS "__t" FROM w WHERE {condition}{self._grouped()}'  # noqa: S608
        alike = [f'{key} IS NOT DISTINCT FROM "t"."__t{number}"' for number, key in enumerate(self._keys)]
        alike.append(f'{term} {">=" if most == "MAX" else "<="} "t"."__t"')
        return f', ({bound}) AS "t"', f" AND {' AND '.join(alike)}"

    def _names(self) -> list[str]:
        return [node.alias for node in self.witness.expressions]

    def _by_size(self, output: Output) -> list[str]:
        if output.method == "sum":
            return [f"ABS({self._amount(output)}) DESC"]
        used = arguments_of(self.block, output)
        if output.method == "count" or not used or self.block.argument_types[used[0]] is ValueType.TEXT:
            return []
        return [f'"w"."__c{used[0]}" {"ASC" if output.method == "minimum" else "DESC"}']

    def digests(self) -> Template:
        """A digest for each chunk of each group, as `rowset.chunk_digest` has it.

        Lines are written where they are aggregated: to number rows that carry their lines takes three times as long.
        """
        keys = [f'"__k{number}"' for number in range(len(self._keys))]
        columns = [f'"__g{number}"' for number in range(len(self.grain))]
        columns += [f'"__c{number}"' for number in range(len(self.block.argument_types))]
        needed = ", ".join(f'"w".{name} AS {name}' for name in (*keys, *columns))
        rows = f'SELECT {needed}, ROW_NUMBER() OVER ({self._partition()}ORDER BY {", ".join(self.grain)}) - 1 AS "__n" FROM w'  # noqa: S608
        told = f'CAST("__chunk" AS TEXT) || CHR(10) || STRING_AGG({self._line(columns)}, \'\' ORDER BY "__n")'
        digest = _DIGEST[self.dialect].format(outer=OUTER_PAD, inner=INNER_PAD, text=told)
        chunk = _WHOLE_PART[self.dialect].format('"__n"', CHUNK)
        shown = "".join(f"{name}, " for name in keys)
        chunked = f'SELECT "r".*, {chunk} AS "__chunk" FROM ({rows}) AS "r"'  # noqa: S608
        told = f'SELECT {shown}"__chunk", COUNT(*) AS "__rows", {digest} AS "__digest" FROM ({chunked}) AS "c"'  # noqa: S608
        text = f'{told} GROUP BY {shown}"__chunk" ORDER BY "__chunk"'
        shape = (
            Column("__chunk", ValueType.INTEGER),
            Column("__rows", ValueType.INTEGER),
            Column("__digest", ValueType.TEXT),
        )
        return self.written(text, (*self._key_columns, *shape))

    def _line(self, columns: list[str]) -> str:
        kinds = (*self.block.sources[self.block.grain].key_types, *self.block.argument_types)
        values = [f"COALESCE({self._text(column, kind)}, 'null')" for column, kind in zip(columns, kinds, strict=True)]
        inside = ", ',', ".join(values)
        return f"CONCAT('[', {inside}, ']', CHR(10))"

    def _text(self, column: str, kind: ValueType) -> str:
        if kind is ValueType.TEXT:
            letters = _LETTERS[self.dialect].format(f"CAST({column} AS TEXT)")
            return f"'\"x' || {letters} || '\"'"
        return _TEXTS[kind].format(column)

    def repeated(self) -> Template:
        """A row of the grain that stands twice, and how often."""
        return self.twice(self.grain, self.shape[len(self._keys) : len(self._keys) + len(self.grain)], "")

    def spread(self, number: int) -> Template:
        """A row of another table that is added up twice."""
        spread = self.block.spreads[number]
        first = len(self.shape) - len(self.block.base)
        argument = f'"w"."__c{spread.argument}"'
        keys = [f'"w"."__b{place}"' for place in spread.keys]
        tests = [f"{part} IS NOT NULL" for part in (argument, *keys)]
        tests += [] if spread.counts else [f"{argument} <> 0"]
        return self.twice(
            keys, tuple(self.shape[first + place] for place in spread.keys), f" WHERE {' AND '.join(tests)}"
        )

    def twice(self, keys: list[str], shape: tuple[Column, ...], where: str) -> Template:
        """A key that stands twice, and how often."""
        shown = ", ".join(f'{key} AS "__t{number}"' for number, key in enumerate(keys))
        text = f'SELECT {shown}, COUNT(*) AS "__n" FROM w{where} GROUP BY {", ".join(keys)} HAVING COUNT(*) > 1 LIMIT 1'  # noqa: S608
        return self.written(text, (*shape, Column("__n", ValueType.INTEGER)))

    def currencies(self) -> Template | None:
        """Every currency of a group's rows, with how many rows of it each output counts."""
        places = sorted(
            {place for output in self.block.outputs for place in output.currencies if isinstance(place, int)}
        )
        if not places:
            return None
        first = len(self.shape) - len(self.block.base)
        codes = tuple(f'"w"."__b{place}"' for place in places)
        counted = [self._counted(output) for output in self.block.outputs]
        shape = (
            *self._key_columns,
            *(self.shape[first + place] for place in places),
            *(Column(f"__n{number}", ValueType.INTEGER) for number in range(len(counted))),
        )
        shown = ", ".join(f'{text} AS "__s{n}"' for n, text in enumerate((*self._keys, *codes, *counted)))
        return self.written(f"SELECT {shown} FROM w{self._grouped(codes)}", shape)  # noqa: S608

    def _counted(self, output: Output) -> str:
        if output.contribution is None or output.method not in ("sum", "count"):
            return f"COUNT(CASE WHEN {self._counts(output)} THEN 1 END)"
        return f"COUNT(CASE WHEN {self._amount(output)} <> 0 THEN 1 END)"


def _sql(expr: Expr) -> str:
    """What one row adds, as SQL; `outputs._contribution` makes nothing else."""
    head, *parts = expr
    if head == "arg":
        return f'"w"."__c{parts[0]}"'
    if head == "num":
        return str(parts[0])
    if head == "coalesce":
        return f"COALESCE({', '.join(map(_sql, parts))})"
    if head == "neg":
        return f"(- {_sql(parts[0])})"
    if head in ("+", "-", "*"):
        return f"({_sql(parts[0])} {head} {_sql(parts[1])})"
    if head == "isnull":
        return f"{_sql(parts[0])} IS NULL"
    if head == "case":
        branches = " ".join(f"WHEN {_sql(test)} THEN {_sql(value)}" for test, value in parts[0])
        return f"CASE {branches} ELSE {_sql(parts[1])} END"
    raise AssertionError(head)
