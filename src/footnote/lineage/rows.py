"""Rows that the engine gave, checked outside it a column at a time: conditions, and every value that can be recomputed."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from footnote.errors import TieOutError
from footnote.lineage.columnwise import Columns
from footnote.lineage.compare import Key, Notes, far_apart, mismatch, normal_value, same, shown_grain
from footnote.lineage.evaluate import evaluate, truth
from footnote.lineage.expressions import Expr, NotComputable
from footnote.lineage.lookup import Lookup, ask
from footnote.lineage.shape import Block, Output
from footnote.lineage.tied import Part


class _Unknown:
    """Stands for what could not be recomputed."""

    def __str__(self) -> str:
        return "not computable"


_UNKNOWN = _Unknown()


class CheckedRows:
    """Base columns of rows, with what they take from inner queries.

    Args:
        block: The statement that they are rows of, or witness rows of.
        grains: The grain's key of each row, by which errors name it.
        base: Base columns, as the block has them.
        parameters: Bound parameters by name.
        notes: Takes what could not be recomputed.
        lookups: For each of the block's links.
    """

    def __init__(
        self,
        block: Block,
        grains: Sequence[Key],
        base: Sequence[Sequence[Any]],
        parameters: Mapping[str, Any],
        notes: Notes,
        lookups: Sequence[Lookup],
    ) -> None:
        self._block, self._parameters, self._notes = block, parameters, notes
        self._size = len(grains)
        self._base_columns = base
        self.grains = grains
        self.base = rows_of(base, self._size)
        if any(column.zoneless for column in block.base):
            for values, key in zip(self.base, grains, strict=True):
                refuse_zones(block, values, key)
        asked = [ask(block, values, lookups, parameters) for values in self.base] if block.links else []
        self.subs: Sequence[Sequence[Any]] = [subs for subs, _ in asked] or [()] * self._size
        self.parts: Sequence[tuple[Part, ...]] = [parts for _, parts in asked] or [()] * self._size
        self._columns = Columns({"col": base, "sub": list(zip(*self.subs, strict=True))}, self._size, parameters)

    def given(self, place: int) -> Mapping[str, Sequence[Any]]:
        """What expressions over one row are computed from."""
        return {"col": self.base[place], "sub": self.subs[place]}

    def check_filters(self) -> None:
        """Whether every row meets the statement's conditions outside the engine too.

        Raises:
            TieOutError: With the first row that does not.
        """
        for check in self._block.checks:
            if check.what != "filter":
                continue
            found = self._columns.truths(check.expression)
            if found is None:
                found = [self._truth(check.expression, row) for row in range(self._size)]
            if not all(found):
                row = next(row for row, value in enumerate(found) if not value)
                raise _not_met(self._block, self.grains[row])

    def _truth(self, expression: Expr, row: int) -> Any:
        return self._recomputed(expression, row, "a filter", truth)

    def _recomputed(self, expression: Expr, row: int, what: str, read: Any = None) -> Any:
        try:
            value = evaluate(expression, self.given(row), self._parameters)
            return value if read is None else read(value)
        except NotComputable as outside:
            self._notes.add(f"{what} is taken from the engine, not recomputed ({outside}).")
            return _UNKNOWN

    def check_base(self) -> None:
        """Whether the values that are computed from others are what those give.

        Raises:
            TieOutError: With the first row where one is not.
        """
        for check in self._block.checks:
            if check.what == "base":
                self.check(self._base_columns[check.index], check.expression, "a value", "a base")

    def check(self, engine: Sequence[Any], expression: Expr, said: str, what: str) -> None:
        """Whether the engine's values are what their expression gives; what cannot be recomputed is noted.

        Raises:
            TieOutError: With the first row where one is not.
        """
        expected = self._values(expression, what)
        if any(map(operator.ne, engine, expected)):
            for row, (one, value) in enumerate(zip(engine, expected, strict=True)):
                if value is not _UNKNOWN and not same(one, value):
                    raise self._mismatch(said, row, one, value)

    def exact(self, engine: Sequence[Any], expression: Expr, said: str) -> Sequence[Any]:
        """What the expression gives, where the engine's values are rounded and only compared.

        Raises:
            TieOutError: With the first row where they are further apart than rounding, or it cannot be told.
        """
        expected = self._values(expression, "an argument")
        for row, (one, value) in enumerate(zip(engine, expected, strict=True)):
            if value is _UNKNOWN or far_apart(one, value):
                raise self._mismatch(said, row, one, value)
        return expected

    def _values(self, expression: Expr, what: str) -> Sequence[Any]:
        found = self._columns.values(expression)
        return [self._recomputed(expression, row, what) for row in range(self._size)] if found is None else found

    def _mismatch(self, said: str, row: int, engine: Any, expected: Any) -> TieOutError:
        return mismatch(f"{said} of {shown_grain(self._block, self.grains[row])}", engine, expected)


class RowsRead(CheckedRows):
    """The rows of a statement that does not aggregate: outputs, each source's key, base columns."""

    def __init__(
        self,
        block: Block,
        rows: Sequence[Sequence[Any]],
        parameters: Mapping[str, Any],
        notes: Notes,
        lookups: Sequence[Lookup],
    ) -> None:
        columns = list(zip(*rows, strict=True))
        first = start = len(block.outputs)
        places: dict[str, range] = {}
        for source in block.sources:
            places[source.alias] = range(start, start + len(source.key))
            start += len(source.key)
        grain = [columns[place] for source in block.grains for place in places[source.alias]]
        self._outputs = columns[:first]
        self.keys = rows_of(columns[first:start], len(rows))
        super().__init__(block, rows_of(grain, len(rows)), columns[start:], parameters, notes, lookups)

    def checked(self) -> list[dict[str, Any]]:
        """Every row's outputs by name, which are the engine's unless those would be rounded.

        Raises:
            TieOutError: If a row does not meet the conditions, or a value is not what its base columns give.
        """
        self.check_filters()
        self.check_base()
        outputs = [
            self._output(output, values) for output, values in zip(self._block.outputs, self._outputs, strict=True)
        ]
        names = [output.name for output in self._block.outputs]
        return [dict(zip(names, row, strict=True)) for row in rows_of(outputs, self._size)]

    def _output(self, output: Output, engine: Sequence[Any]) -> Sequence[Any]:
        if output.expression is None:
            return engine
        if output.approximate:
            return self.exact(engine, output.expression, output.name)
        self.check(engine, output.expression, output.name, f"column {output.name}")
        return engine


def rows_of(columns: Sequence[Sequence[Any]], size: int) -> Sequence[Key]:
    """Columns as rows, of which there are `size` also where there is no column."""
    return list(zip(*columns, strict=True)) if columns else [()] * size


def normal_column(values: Sequence[Any]) -> Sequence[Any]:
    """The values with booleans as integers, as `normal_value` has them."""
    return [normal_value(value) for value in values] if bool in set(map(type, values)) else values


def refuse_zones(block: Block, base: Sequence[Any], key: Key) -> None:
    """Refuse moments with a time zone where the engine compares moments as texts.

    Raises:
        TieOutError: With the first column that has one.
    """
    for column, value in zip(block.base, base, strict=True):
        if column.zoneless and isinstance(value, dt.datetime) and value.tzinfo is not None:
            raise TieOutError(
                f"{column.column} of {shown_grain(block, key)} is a moment with a time zone.",
                why="SQLite compares moments as texts, and texts of different zones cannot be compared.",
                remedy="Store the moments without a zone, or take a column of days.",
                details={"column": column.column},
            )


def _not_met(block: Block, key: Key) -> TieOutError:
    return TieOutError(
        f"The source counts {shown_grain(block, key)}, which does not meet the statement's own condition.",
        why="The engine evaluates the condition otherwise than SQL means it.",
        remedy="Check the types of the columns the condition compares.",
        details={"row": shown_grain(block, key)},
    )
