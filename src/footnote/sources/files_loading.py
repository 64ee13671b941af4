"""From staged files to one DuckDB file with typed tables: the state of a folder, never changed once it is made.

DuckDB reads the copies and nothing else: it may open the folder they lie in, and no setting can be changed after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnote.sources.duckdb import CONFIG, driver
from footnote.sources.duckdb_schema import quoted
from footnote.sources.files_found import ROW, ColumnFound, Found, NotATableError, TableFound, Unread
from footnote.sources.files_options import FileOptions
from footnote.sources.files_parquet import parquet_columns
from footnote.sources.files_sheets import StagedSheet, stage_workbook
from footnote.sources.files_text import checked_header, stage_text
from footnote.sources.files_types import COUNTS, EMPTY_CAST, Decided, as_declared, decide, mark_of
from footnote.sources.query import ValueType

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Declared = Mapping[str, Mapping[str, ValueType]]
"""What a catalog reads columns as: by table and column, both in lower case."""
FORMAT = "3"
"""Raised when the same files would be read otherwise."""
_SAMPLE = 5_000
_DOCUMENT = "footnote"
"""Schema of the report that lies beside the tables."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A table that is going to be: where it comes from, and what its columns are."""

    name: str
    file: str
    sheet: str
    how: str
    relation: str
    columns: tuple[tuple[str, str, Decided], ...]
    """Name, SQL of its value in the relation, and what it is read as."""
    staged: bool = True
    note: str = ""

    @property
    def row(self) -> str:
        """SQL of the row's number."""
        return "CAST(r AS BIGINT)" if self.staged else "file_row_number + 1"

    @property
    def place(self) -> str:
        return f"{self.file}, sheet {self.sheet}" if self.sheet else self.file


def load(
    copies: Mapping[str, Path], unread: Sequence[Unread], target: Path, options: FileOptions, declared: Declared
) -> None:
    """Make the state of a folder.

    Args:
        copies: Where each file was copied to, by its name; the copies lie in one folder.
        unread: What was not even copied, for the report.
        target: The DuckDB file, which must not exist.
        options: What the URL says.
        declared: What a catalog reads columns as.

    Raises:
        UsageError: A package is not installed.
        duckdb.Error, OSError: The state cannot be written.
    """
    raw = driver().connect(str(target), config=CONFIG)
    try:
        folder = next(iter(copies.values())).parent if copies else target.parent / "none"
        raw.execute(f"SET allowed_directories = [{text_literal(str(folder))}]")
        raw.execute("SET enable_external_access = false")
        raw.execute("SET lock_configuration = true")
        loader = _Loader(raw, options, declared)
        for name, copy in copies.items():
            loader.read(name, copy)
        found = loader.finish(unread)
        raw.execute(f"CREATE SCHEMA {_DOCUMENT}")
        raw.execute(f"CREATE TABLE {_DOCUMENT}.found (report VARCHAR)")
        report = _adapter().dump_json(found).decode()
        raw.execute(f"INSERT INTO {_DOCUMENT}.found VALUES ($report)", {"report": report})  # noqa: S608
        raw.execute("CHECKPOINT")
    finally:
        raw.close()


def found_in(raw: DuckDBPyConnection) -> Found:
    """The report of a state that was made before."""
    row = raw.execute(f"SELECT report FROM {_DOCUMENT}.found").fetchone()  # noqa: S608
    return _adapter().validate_json(row[0]) if row else Found()


def is_ours(schema: str) -> bool:
    """Whether a schema of the state is Footnote's own."""
    return schema.lower() == _DOCUMENT


def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Found)


class _Loader:
    """What was read so far."""

    def __init__(self, raw: DuckDBPyConnection, options: FileOptions, declared: Declared) -> None:
        self._raw = raw
        self._options = options
        self._declared = declared
        self._sources: list[_Source] = []
        self._unread: list[Unread] = []

    def read(self, name: str, copy: Path) -> None:
        """Read one file; what cannot be read is noted with why."""
        readers = {".parquet": self._parquet, ".xlsx": self._workbook, ".xlsm": self._workbook}
        try:
            self._sources += readers.get(Path(name).suffix.lower(), self._text)(name, copy)
        except NotATableError as error:
            self._unread.append(Unread(name, str(error)))

    def finish(self, others: Iterable[Unread]) -> Found:
        """Make the tables."""
        by_name: dict[str, list[_Source]] = {}
        for source in self._sources:
            by_name.setdefault(source.name.lower(), []).append(source)
        tables = []
        for name, sources in by_name.items():
            if len(sources) > 1:
                places = " and ".join(source.place for source in sources)
                why = f"The table {name!r} would be made of {places}: rename one of them."
                self._unread += [Unread(source.place, why) for source in sources]
                continue
            try:
                tables.append(self._table(sources[0]))
            except driver().Error:
                self._unread.append(Unread(sources[0].place, "Its values cannot be read as what they look like."))
        return Found(tuple(tables), (*self._unread, *others))

    # --- each kind of file --------------------------------------------------------------------------------------------

    def _text(self, name: str, copy: Path) -> list[_Source]:
        staged = copy.with_name(copy.name + ".staged")
        done = stage_text(copy, staged, self._options)
        relation = _staged(staged, len(done.header))
        table = Path(name).stem
        columns = self._decided(table, done.header, relation)
        return [_Source(table, name, "", done.how, relation, tuple(columns), note=done.note)]

    def _decided(self, table: str, header: Sequence[str], relation: str) -> list[tuple[str, str, Decided]]:
        kinds = self._declared.get(table.lower(), {})
        counts = self._counts(relation, len(header))
        mark = self._options.decimal or mark_of(counts)
        return [
            (
                name,
                f"c{place}",
                decide(
                    counts[place],
                    mark=mark,
                    is_said=bool(self._options.decimal),
                    dates=self._options.dates,
                    declared=kinds.get(name.lower()),
                ),
            )
            for place, name in enumerate(header)
        ]

    def _counts(self, relation: str, width: int) -> list[dict[str, int]]:
        """Each of `COUNTS` over every value of each column; what fits less than half of the first is not counted further."""
        first = self._asked(f"(SELECT * FROM {relation} LIMIT {_SAMPLE})", [list(COUNTS)] * width)  # noqa: S608
        likely = [_likely(counts) for counts in first]
        return [dict.fromkeys(COUNTS, 0) | counts for counts in self._asked(relation, likely)]

    def _asked(self, relation: str, names: Sequence[Sequence[str]]) -> list[dict[str, int]]:
        """The named counts of each column, by one look at all rows."""
        trimmed = ", ".join(f"NULLIF(trim(c{place}), '') AS v{place}" for place in range(len(names)))
        wanted = [COUNTS[name].replace("$v", f"v{place}") for place, each in enumerate(names) for name in each]
        row = self._raw.execute(f"SELECT {', '.join(wanted)} FROM (SELECT {trimmed} FROM {relation})").fetchone()  # noqa: S608
        values = iter(row or ())
        return [{name: next(values) or 0 for name in each} for each in names]

    def _workbook(self, name: str, copy: Path) -> list[_Source]:
        folder = copy.with_name(copy.name + ".sheets")
        folder.mkdir()
        sheets = stage_workbook(copy, folder)
        if not sheets:
            raise NotATableError("It is empty.")
        self._unread += [Unread(f"{name}, sheet {one.sheet}", one.unread) for one in sheets if one.unread]
        return [self._sheet(name, one, only=len(sheets) == 1) for one in sheets if not one.unread]

    def _sheet(self, name: str, staged: StagedSheet, *, only: bool) -> _Source:
        table = Path(name).stem if only else staged.sheet.strip()
        kinds = self._declared.get(table.lower(), {})
        columns = tuple(
            (column, f"c{place}", as_declared(staged.columns[place], kinds.get(column.lower())))
            for place, column in enumerate(staged.header)
        )
        how = "workbook, hidden sheet" if staged.hidden else "workbook"
        relation = _staged(staged.file, len(staged.header))
        return _Source(table, name, staged.sheet, how, relation, columns, note=staged.note)

    def _parquet(self, name: str, copy: Path) -> list[_Source]:
        path = text_literal(str(copy))
        try:
            found = list(parquet_columns(self._raw, f"read_parquet({path})"))
        except driver().Error:
            raise NotATableError("It is no Parquet file that can be read.") from None
        checked_header([column for column, _ in found])
        columns = tuple((column, quoted(column), decided) for column, decided in found)
        relation = f"read_parquet({path}, file_row_number = true)"
        return [_Source(Path(name).stem, name, "", "Parquet", relation, columns, staged=False)]

    # --- tables -------------------------------------------------------------------------------------------------------

    def _table(self, source: _Source) -> TableFound:
        selected = [
            f"{_value(sql, decided, staged=source.staged)} AS {quoted(name)}" for name, sql, decided in source.columns
        ]
        selected.append(f"{source.row} AS {quoted(ROW)}")
        create = f"CREATE TABLE main.{quoted(source.name)} AS SELECT {', '.join(selected)} FROM {source.relation}"  # noqa: S608
        self._raw.execute(create)
        (rows,) = self._raw.execute(f"SELECT COUNT(*) FROM main.{quoted(source.name)}").fetchone() or (0,)  # noqa: S608
        columns = tuple(ColumnFound(name, decided.type, decided.note) for name, _, decided in source.columns)
        return TableFound(source.name, source.file, source.sheet, rows, source.how, columns, source.note)


def _likely(first: Mapping[str, int]) -> list[str]:
    """What a column may be, or mostly be, by its first values."""
    names = [name for name in COUNTS if name == "values" or 2 * first[name] >= first["values"]]
    widths = [f"{mark} {part}" for mark in ("point", "comma") if mark in names for part in ("whole", "scale")]
    return list(dict.fromkeys([*names, "marked", *widths]))


def _value(sql: str, decided: Decided, *, staged: bool) -> str:
    """SQL of a column's value: what is staged is a text, and an empty one is NULL."""
    if decided.cast == EMPTY_CAST:
        return f"CAST(NULL AS {decided.type})"
    if not decided.cast:
        return f"NULLIF({sql}, '')" if staged else sql
    return decided.cast.format(v=f"NULLIF(trim({sql}), '')" if staged else sql)


def _staged(path: Path, width: int) -> str:
    """The relation of a staged file: `r`, the row's number, then `c0`, `c1`, …, all texts."""
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in ("r", *(f"c{place}" for place in range(width))))
    return (
        f"read_csv({text_literal(str(path))}, auto_detect = false, header = false, delim = ',', quote = '\"', "
        f"escape = '\"', new_line = '\\n', strict_mode = true, null_padding = false, max_line_size = 16777216, "
        f"columns = {{{columns}}})"
    )


def text_literal(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"
