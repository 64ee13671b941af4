"""FROM of one block, read: base tables, derived tables that are seen through, and inner queries with arms of their own.

A derived table that neither groups nor cuts its rows is seen through: its rows are rows of its tables, so its columns
are traced as if its FROM stood in the outer one. What it does not return and checks need is added to what it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sqlglot import exp

from footnote.errors import Untraceable
from footnote.lineage.columns import BaseColumns, named_column
from footnote.lineage.knowledge import Computed, Knowledge
from footnote.lineage.normal import branches_of, from_items, is_grouped, set_kind
from footnote.lineage.shape import Block, Link, LinkKind, SourceTable
from footnote.lineage.tables import optional_aliases, refuse_natural, table_name
from footnote.lineage.types import adds_exactly, infer_type
from footnote.sources.query import ValueType

GIVEN = "__o"
"""Aliases of the derived table with the values that a sub-select is asked with begin so."""
PRESENT = "__p"
"""The column of an inner query that is 1 in every row of it, so that it is NULL where an outer join found none."""


@dataclass(frozen=True, slots=True)
class Analysed:
    """A block, and the trees its statements are written from.

    Attributes:
        block: What was found.
        select: The SELECT, with what derived tables return for the sake of checks.
        keys: Trees of its group keys.
        arguments: Trees of its contribution columns.
        base: Trees of its base columns.
        source_keys: Trees of the key columns of each source.
        arms: Its inner queries, by the positions that its links name.
        types: Types of its output columns.
        exact: Which of them the engine gives exactly.
        made_of: Trees of its output columns over base tables, through all levels.
        cuts: Whether it has a LIMIT, so that its rows are those the engine chose.
    """

    block: Block
    select: exp.Select
    keys: tuple[exp.Expr, ...] = ()
    arguments: tuple[exp.Expr, ...] = ()
    base: tuple[exp.Expr, ...] = ()
    source_keys: tuple[tuple[exp.Expr, ...], ...] = ()
    arms: tuple[Analysed, ...] = ()
    types: tuple[ValueType, ...] = ()
    exact: tuple[bool, ...] = ()
    made_of: tuple[exp.Expr, ...] = ()
    cuts: bool = False


@dataclass
class Frame:
    """One SELECT whose FROM is part of the block's: the block's own, or a derived table that is seen through.

    Attributes:
        select: The tree; hidden columns are added to it.
        alias: Of the derived table; empty for the block's own.
        outer: The frame it stands in.
        optional: Whether an outer join may find no row of it.
        hidden: Names of the columns added to it, by their SQL.
    """

    select: exp.Select
    alias: str = ""
    outer: Frame | None = None
    optional: bool = False
    hidden: dict[str, str] = field(default_factory=dict)

    def projection(self, name: str) -> exp.Expr:
        """What a column of the derived table is."""
        found = next((node for node in self.select.expressions if node.alias_or_name == name), None)
        if found is None:
            raise Untraceable(f"The derived table {self.alias!r} has no column {name!r}.")
        value: exp.Expr = found.unalias()
        return value

    def outside(self, node: exp.Expr) -> exp.Expr:
        """The tree that gives, in the block's own SELECT, what `node` gives in this one."""
        if self.outer is None:
            return node
        text = node.sql()
        if text not in self.hidden:
            self.hidden[text] = f"__h{len(self.hidden)}"
            self.select.append("expressions", exp.alias_(node.copy(), self.hidden[text], quoted=True))
        return self.outer.outside(named_column(self.alias, self.hidden[text]))


@dataclass
class Sources:
    """What FROM has, as it is read.

    Attributes:
        known: What is known of columns; inner queries are added.
        found: Every source, in order.
        frames: Frames that are seen through, by alias.
        home: The frame that each alias stands in.
        given: Aliases of the correlation values.
        inner: Position of the link of each inner query, by alias.
        links: Links to inner queries.
        arms: Their arms.
        values: How many values the links give.
        base: Base columns.
    """

    known: Knowledge
    found: list[SourceTable] = field(default_factory=list)
    all_frames: list[Frame] = field(default_factory=list)
    frames: dict[str, Frame] = field(default_factory=dict)
    home: dict[str, Frame] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)
    inner: dict[str, int] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    arms: list[Analysed] = field(default_factory=list)
    values: int = 0
    base: BaseColumns = field(init=False)

    def __post_init__(self) -> None:
        self.base = BaseColumns(self.known, self.reach)

    def reach(self, alias: str, column: str) -> exp.Expr:
        """The tree by which a column is reached from the block's own SELECT."""
        return self.home[alias].outside(named_column(alias, column))

    def is_plain(self, node: exp.Expr) -> bool:
        """Whether this is a column of a base table as it stands, so that there is nothing to compute."""
        if not isinstance(node, exp.Column):
            return False
        frame = self.frames.get(node.table)
        if frame is not None:
            return not frame.optional and self.is_plain(frame.projection(node.name))
        return node.table not in self.inner

    def add_link(self, link: Link, arms: tuple[Analysed, ...], values: int) -> int:
        """Take in a link, whose arms are `arms`; the position of its first value."""
        places = tuple(range(len(self.arms), len(self.arms) + len(arms)))
        self.arms += arms
        self.links.append(replace(link, arms=places, first=self.values))
        self.values += values
        return self.values - values

    def frame_of(self, node: exp.Expr) -> Frame:
        """The frame an expression stands in."""
        select = node.find_ancestor(exp.Select)
        return next((frame for frame in self.all_frames if frame.select is select), self.all_frames[0])

    def resolved(self, node: exp.Expr, *, deep: bool = False) -> exp.Expr:
        """The expression with columns of derived tables that are seen through as what they are.

        Args:
            node: An expression of the block.
            deep: Also columns of inner queries as what they are made of; otherwise they stay, and sub-selects become a
                function of the columns they are correlated with.
        """

        def one(part: exp.Expr) -> exp.Expr:
            if isinstance(part, exp.Column) and part.table in self.frames:
                return exp.paren(self.resolved(self.frames[part.table].projection(part.name), deep=deep))
            if deep and isinstance(part, exp.Column) and part.table in self.inner:
                arm = self.arms[self.links[self.inner[part.table]].arms[0]]
                names = [output.name for output in arm.block.outputs]
                return exp.paren(arm.made_of[names.index(part.name)].copy()) if part.name in names else part
            if not deep and isinstance(part, exp.Query):
                columns = [column.copy() for column in part.find_all(exp.Column) if column.table in self.home]
                return exp.Anonymous(this="__sub", expressions=[self.resolved(column) for column in columns])
            return part

        return node.copy().transform(one)


AnalyseQuery = Callable[[exp.Select], Analysed]


def read_frame(to: Sources, frame: Frame, analyse: AnalyseQuery) -> None:
    """Take in all that stands in the FROM of a frame; `analyse` analyses inner queries.

    Raises:
        Untraceable: FROM has something that cannot be traced.
    """
    to.all_frames.append(frame)
    if frame.select.args.get("from_") is None and frame.outer is None:
        raise Untraceable("The statement reads no table.", why="A figure needs rows.")
    refuse_natural(frame.select)
    optional = optional_aliases(frame.select)
    for item in from_items(frame.select):
        alias = item.alias_or_name
        to.home[alias] = frame
        if isinstance(item, exp.Table):
            _read_table(to, item)
        elif isinstance(item, exp.Subquery):
            _read_derived(to, item, frame, analyse, optional=frame.optional or alias in optional)
        else:
            raise Untraceable(
                f"FROM has a {type(item).__name__.lower()}.", remedy="Name tables and derived tables only."
            )


def _read_table(to: Sources, item: exp.Table) -> None:
    name, known = table_name(item), to.known
    key = known.keys.get(name)
    if not key:
        raise Untraceable(
            f"Table {item.name!r} has no primary key.",
            why="A row that cannot be named cannot be evidence.",
            remedy="Declare a key in the database, or a record type with its key; a view has no key but that.",
        )
    known.tables[item.alias_or_name] = name
    types = tuple(known.type_of(name, column) for column in key)
    to.found.append(SourceTable(item.alias_or_name, name, key, key_types=types))


def _read_derived(to: Sources, item: exp.Subquery, frame: Frame, analyse: AnalyseQuery, *, optional: bool) -> None:
    query, alias = item.unnest(), item.alias
    item.set("this", query)
    if not isinstance(query, exp.Select | exp.SetOperation):
        raise Untraceable(f"FROM has a {type(query).__name__.lower()}.", remedy="Name tables and derived tables only.")
    if alias.startswith(GIVEN):
        to.given.add(alias)
    elif isinstance(query, exp.SetOperation):
        _read_set(to, item, query, analyse)
    elif is_seen_through(query):
        inner = Frame(query, alias, frame, optional)
        read_frame(to, inner, analyse)
        to.frames[alias] = inner
        for node in query.expressions:
            value = node.unalias()
            kind = infer_type(value, to.known.tables, to.known)
            exact = adds_exactly(value, to.known.tables, to.known)
            to.known.inner[to.known.tables[alias], node.alias_or_name] = Computed(kind, exact)
    else:
        _read_inner(to, item, query, analyse)


def is_seen_through(query: exp.Select) -> bool:
    """Whether each row of the derived table is a row of its tables, none of them left out but by conditions."""
    cuts = query.args.get("limit") is not None
    return not (cuts or is_grouped(query) or any(node.find(exp.Window) for node in query.expressions))


def _read_inner(to: Sources, item: exp.Subquery, query: exp.Select, analyse: AnalyseQuery) -> None:
    analysed = analyse(query.copy())
    shown = analysed.select.copy()
    shown.append("expressions", _one(1))
    key, types = [PRESENT], [ValueType.INTEGER]
    for node, kind in _identity(analysed):
        name = f"__k{len(key)}"
        shown.append("expressions", exp.alias_(node.copy(), name, quoted=True))
        key.append(name)
        types.append(kind)
    item.set("this", shown)
    _add(to, "derived", item.alias, (analysed,), key, types)


def _one(number: int) -> exp.Expr:
    return exp.alias_(exp.Literal.number(number), PRESENT, quoted=True)


def _read_set(to: Sources, item: exp.Subquery, query: exp.SetOperation, analyse: AnalyseQuery) -> None:
    kind, branches = set_kind(query), branches_of(query)
    analysed = tuple(analyse(branch.copy()) for branch in branches)
    shown = [one.select.copy() for one in analysed]
    key, types = [PRESENT], [ValueType.INTEGER]
    for number, select in enumerate(shown, 1):
        select.append("expressions", _one(number if kind == "union all" else 1))
    if kind == "union all":
        for owner, one in enumerate(analysed):
            for node, type in _identity(one):
                name = f"__k{len(key)}"
                key.append(name)
                types.append(type)
                for place, select in enumerate(shown):
                    value = node.copy() if place == owner else _null_of(type)
                    select.append("expressions", exp.alias_(value, name, quoted=True))
    else:
        key += list(branches[0].named_selects)
        types += [output_type(analysed[0], place) for place in range(len(branches[0].named_selects))]
    item.set("this", _joined(query, shown))
    _add(to, kind, item.alias, analysed, key, types)


def _joined(query: exp.SetOperation, branches: list[exp.Select]) -> exp.Expr:
    """The set operation with its branches, in order, as given."""
    out = query.copy()
    node: exp.Expr = out
    for branch in reversed(branches[2:]):
        node.set("expression", branch)
        node = node.args["this"]
    node.set("this", branches[0])
    node.set("expression", branches[1])
    return out


_WORDS = {
    ValueType.INTEGER: "BIGINT",
    ValueType.DECIMAL: "DECIMAL",
    ValueType.DATE: "DATE",
    ValueType.DATETIME: "TIMESTAMP",
    ValueType.TEXT: "TEXT",
    ValueType.BOOLEAN: "BOOLEAN",
}


def _null_of(type: ValueType) -> exp.Expr:
    """NULL of a type, since a column of nothing but NULL is a text to PostgreSQL."""
    return exp.cast(exp.Null(), _WORDS[type]) if type in _WORDS else exp.Null()


def _add(
    to: Sources, kind: LinkKind, alias: str, analysed: tuple[Analysed, ...], key: list[str], types: list[ValueType]
) -> None:
    known = to.known
    table = known.tables[alias] = f"({alias})"
    outputs = analysed[0].block.outputs
    for column, type in zip(key, types, strict=True):
        known.inner[table, column] = Computed(type, exact=True)
    for place, output in enumerate(outputs):
        kinds = {output_type(one, place) for one in analysed}
        exact = all(one.exact[place] for one in analysed)
        known.inner[table, output.name] = Computed(kinds.pop() if len(kinds) == 1 else ValueType.ANY, exact)
    under = dict.fromkeys(name for one in analysed for name in tables_under(one))
    to.found.append(SourceTable(alias, alias, tuple(key), "", inner=True, under=tuple(under), key_types=tuple(types)))
    to.inner[alias] = len(to.links)
    keys = tuple(to.base.place(alias, column) for column in key)
    to.add_link(Link(kind, alias, keys, ()), analysed, len(outputs))


def tables_under(analysed: Analysed) -> list[str]:
    """Canonical names of all base tables a query reads, its sub-selects aside."""
    return [name for source in analysed.block.sources for name in (source.under if source.inner else (source.table,))]


def output_type(analysed: Analysed, place: int) -> ValueType:
    """The type of an output column."""
    return analysed.types[place]


def _identity(analysed: Analysed) -> list[tuple[exp.Expr, ValueType]]:
    """What a row of an inner query is known by: its group keys, or the keys of its sources."""
    if analysed.block.aggregated:
        return list(zip(analysed.keys, analysed.block.key_types, strict=True))
    sources = zip(analysed.source_keys, analysed.block.sources, strict=True)
    return [pair for nodes, source in sources for pair in zip(nodes, source.key_types, strict=True)]
