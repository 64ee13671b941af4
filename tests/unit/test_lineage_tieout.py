"""Tie-out on rows written by hand: what is caught, what is not mistaken for wrong, and what is said."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from footnote.errors import TieOutError
from footnote.lineage import Aggregate, BaseColumn, Block, Output, RowCheck, SourceTable, tie_out_groups, tie_out_rows
from footnote.lineage.compare import Notes
from footnote.lineage.shape import Cut, Method, Spread
from footnote.sources.query import ValueType

INVOICE = SourceTable("i", "public.invoices", ("id",), "invoice")
MOVE = SourceTable("m", "public.moves", ("id",), "move")
ARG, AGG, KEY = (["arg", 0], ["agg", 0], ["key", 0])
ADDS = ["coalesce", ARG, ["num", "0"]]


def block(function: Method, *, key: bool = False, exact: bool = True, **extra: Any) -> Block:
    """One aggregate over one contribution column, grouped by one key or not at all."""
    contributions: dict[str, list[Any]] = {
        "sum": ADDS,
        "count": ["case", [[["isnull", ARG], ["num", "0"]]], ["num", "1"]],
    }
    outputs = [Output("f", function, AGG, contributions.get(function), (0,))]
    outputs += [Output("k", "group", KEY)] if key else []
    return Block(
        sources=(INVOICE,),
        grain=0,
        aggregated=True,
        outputs=tuple(outputs),
        key_types=(ValueType.TEXT,) if key else (),
        argument_types=(ValueType.ANY,),
        aggregates=(Aggregate(function, 0, exact),),
        **extra,
    )


def tied(shape: Block, value: Any, *arguments: Any, **parameters: Any) -> Any:
    """The figure `f` of a block without keys, whose witness rows have these contributions."""
    rows = [(number, argument) for number, argument in enumerate(arguments, 1)]
    return tie_out_groups(shape, [(value,)], rows, parameters).rows[0]


# --- aggregates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "arguments", "value"),
    [
        ("sum", (1, -2, None, Decimal("0.5")), Decimal("-0.5")),
        ("sum", (None, None), None),
        ("sum", (), None),
        ("count", (1, None, 0), 2),
        ("count distinct", ("a", "b", "a", None), 2),
        ("count distinct", (Decimal("1.0"), 1, Decimal("1.00")), 1),
        ("minimum", (3, None, -1), -1),
        ("maximum", (dt.date(2026, 1, 1), dt.date(2026, 2, 1)), dt.date(2026, 2, 1)),
        ("maximum", (None,), None),
        ("sum", (True, False, True), 2),
    ],
)
def test_an_aggregate_that_is_right_is_let_through(function: Method, arguments: tuple[Any, ...], value: Any) -> None:
    assert tied(block(function), value, *arguments).values["f"] == value


@pytest.mark.parametrize(
    ("function", "arguments", "value"),
    [
        ("sum", (1, 2), 4),
        ("sum", (None,), 0),
        ("sum", (), 0),
        ("sum", (Decimal("0.1"), Decimal("0.2")), Decimal("0.30000000000000004")),
        ("count", (1, None), 2),
        ("count distinct", ("a", "A"), 1),
        ("minimum", (3, 1), 3),
        ("maximum", (3, 1), None),
    ],
)
def test_an_aggregate_that_is_wrong_is_caught(function: Method, arguments: tuple[Any, ...], value: Any) -> None:
    with pytest.raises(TieOutError):
        tied(block(function), value, *arguments)


def test_a_sum_over_what_is_no_number_is_caught() -> None:
    with pytest.raises(TieOutError, match="no numbers"):
        tied(block("sum"), 0, "1", "2")


def test_the_largest_of_values_that_cannot_be_compared_is_caught() -> None:
    with pytest.raises(TieOutError, match="different types"):
        tied(block("maximum"), 1, 1, dt.date(2026, 1, 1))


def test_an_average_is_footnote_s_own_and_the_engine_s_may_be_rounded() -> None:
    row = tied(block("average", exact=False), "0.333333333333333", 1, 0, 0)
    assert row.values["f"] == Decimal("0." + 34 * "3")
    with pytest.raises(TieOutError):
        tied(block("average", exact=False), "0.34", 1, 0, 0)


@pytest.mark.parametrize("engine", ["0.30000000000000004", "0.3"])
def test_a_sum_that_the_engine_rounds_is_footnote_s_own(engine: str) -> None:
    row = tied(block("sum", exact=False), engine, Decimal("0.1"), Decimal("0.2"))
    assert row.values["f"] == Decimal("0.3")


@pytest.mark.parametrize("engine", ["0.31", "0", None, "inf", "nothing"])
def test_rounding_does_not_hide_a_row(engine: str | None) -> None:
    with pytest.raises(TieOutError):
        tied(block("sum", exact=False), engine, Decimal("0.1"), Decimal("0.2"))


def test_rounding_is_measured_by_what_was_added_not_by_what_is_left() -> None:
    big = Decimal("1e12")
    assert tied(block("sum", exact=False), "0.000061", big, -big).values["f"] == 0
    with pytest.raises(TieOutError):
        tied(block("sum", exact=False), "10", Decimal("1e6"), Decimal("-1e6"))


# --- contributions ----------------------------------------------------------------------------------------------------


def test_rows_without_a_value_are_not_cited_and_zeros_of_a_sum_are() -> None:
    assert tied(block("sum"), 5, 5, None, 0).contributions["f"] == (((1,), 5), ((3,), 0))


def test_only_rows_that_attain_the_extreme_are_cited() -> None:
    assert tied(block("maximum"), 5, 5, 1, 5).contributions["f"] == (((1,), 5), ((3,), 5))


def test_an_extreme_inside_an_expression_is_cited_with_the_value_that_is_shown() -> None:
    shape = block("minimum")
    age = ["days_between", ["param", "asOf"], AGG]
    shape = _with_output(shape, Output("f", "minimum", age, None, (0,)))
    row = tied(shape, 31, dt.date(2026, 1, 1), dt.date(2026, 1, 9), asOf=dt.date(2026, 2, 1))
    assert row.contributions["f"] == (((1,), 31),)


def _with_output(shape: Block, output: Output) -> Block:
    return replace(shape, outputs=(output, *shape.outputs[1:]))


def test_a_figure_that_is_null_has_no_contributions() -> None:
    """SUM(a) - SUM(b) is NULL where b is; what the rows add would be another figure."""
    shape = Block(
        sources=(INVOICE,),
        grain=0,
        aggregated=True,
        outputs=(
            Output("f", "sum", ["-", AGG, ["agg", 1]], ["-", ADDS, ["coalesce", ["arg", 1], ["num", "0"]]], (0, 1)),
        ),
        argument_types=(ValueType.INTEGER, ValueType.INTEGER),
        aggregates=(Aggregate("sum", 0), Aggregate("sum", 1)),
    )
    row = tie_out_groups(shape, [(None,)], [(1, 5, None), (2, 6, None)], {}).rows[0]
    assert row.values["f"] is None
    assert row.contributions["f"] == ()


def test_contributions_that_do_not_add_up_are_caught_even_if_the_engine_agrees() -> None:
    shape = _with_output(block("sum"), Output("f", "sum", AGG, ["*", ["num", "2"], ADDS], (0,)))
    with pytest.raises(TieOutError):
        tied(shape, 3, 1, 2)


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_row_that_stands_in_two_groups_is_counted_twice() -> None:
    with pytest.raises(TieOutError, match="counts invoice 7 twice"):
        tie_out_groups(block("sum", key=True), [(1, "a", "a"), (1, "b", "b")], [("a", 7, 1), ("b", 7, 1)], {})


@pytest.mark.parametrize(("function", "argument"), [("count", 0), ("minimum", 0), ("sum", 3), ("count distinct", 0)])
def test_a_row_without_grain_must_add_nothing(function: Method, argument: Any) -> None:
    with pytest.raises(TieOutError, match="no row of invoice"):
        tie_out_groups(block(function), [(1,)], [(None, argument)], {})


@pytest.mark.parametrize("argument", [None, 0])
def test_a_row_without_grain_that_adds_nothing_is_no_evidence(argument: Any) -> None:
    row = tie_out_groups(block("sum"), [(2,)], [(1, 2), (None, argument)], {}).rows[0]
    assert row.grain == ((1,),)


def test_an_amount_of_another_table_may_be_added_once() -> None:
    spread = Spread(0, (1,), (0,), counts=False, text="m.total")
    shape = block("sum", base=(BaseColumn("m", "id", ValueType.INTEGER),), spreads=(spread,))
    shape = replace(shape, sources=(INVOICE, MOVE))
    assert tie_out_groups(shape, [(5,)], [(1, 2, 70), (2, 3, 71), (3, 0, 71)], {}).rows[0].values["f"] == 5
    with pytest.raises(TieOutError, match=r"counts move 71 twice in m\.total"):
        tie_out_groups(shape, [(6,)], [(1, 2, 71), (2, 4, 71)], {})


def test_a_row_that_does_not_meet_the_condition_is_caught() -> None:
    shape = block(
        "sum",
        base=(BaseColumn("i", "amount", ValueType.INTEGER),),
        checks=(RowCheck("filter", 0, [">", ["col", 0], ["num", "0"]]),),
    )
    assert tie_out_groups(shape, [(2,)], [(1, 2, 5)], {}).rows[0].values["f"] == 2
    for amount in (-1, None):
        with pytest.raises(TieOutError, match="does not meet the statement's own condition"):
            tie_out_groups(shape, [(2,)], [(1, 2, amount)], {})


def test_what_cannot_be_recomputed_is_said() -> None:
    shape = block(
        "sum",
        base=(BaseColumn("i", "name", ValueType.TEXT),),
        checks=(RowCheck("filter", 0, ["<", ["col", 0], ["text", "m"]]),),
    )
    assert "depends on the collation" in tie_out_groups(shape, [(2,)], [(1, 2, "a")], {}).notes[0]


# --- groups -----------------------------------------------------------------------------------------------------------


def test_groups_that_are_missing_or_made_up_are_caught() -> None:
    witness = [("a", 1, 1), ("b", 2, 2), (None, 3, 4)]
    rows = [(1, "a", "a"), (2, "b", "b"), (4, None, None)]
    assert len(tie_out_groups(block("sum", key=True), rows, witness, {}).rows) == 3
    for wrong in (rows[:2], [*rows, (0, "c", "c")], [*rows, rows[0]], [(1, "a", "b"), *rows[1:]]):
        with pytest.raises(TieOutError):
            tie_out_groups(block("sum", key=True), wrong, witness, {})


def test_having_is_held_to_with_its_parameters() -> None:
    shape = block("sum", key=True, having=[">", AGG, ["param", "least"]])
    witness = [("a", 1, 1), ("b", 2, 2)]
    assert len(tie_out_groups(shape, [(2, "b", "b")], witness, {"least": 1}).rows) == 1
    for wrong in ([(1, "a", "a"), (2, "b", "b")], []):
        with pytest.raises(TieOutError):
            tie_out_groups(shape, wrong, witness, {"least": 1})


def test_limit_leaves_out_the_last_and_no_others() -> None:
    shape = block("sum", key=True, cut=Cut(["num", "2"], ((AGG, True),), True))
    witness = [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]
    a, b, c = (1, "a", "a"), (2, "b", "b"), (3, "c", "c")
    assert len(tie_out_groups(shape, [c, b], witness, {}).rows) == 2
    for wrong in ([c, a], [b, c], [c], [a, b], [c, b, a]):
        with pytest.raises(TieOutError):
            tie_out_groups(shape, wrong, witness, {})


# --- row statements ---------------------------------------------------------------------------------------------------

ROWS = Block(
    sources=(INVOICE,),
    grain=0,
    aggregated=False,
    outputs=(Output("left", "row value", ["-", ["col", 0], ["col", 1]], tables=("i",)),),
    base=(BaseColumn("i", "amount", ValueType.INTEGER), BaseColumn("i", "paid", ValueType.INTEGER)),
)


def test_a_row_s_value_is_what_its_columns_give() -> None:
    assert tie_out_rows(ROWS, [(3, 1, 5, 2), (None, 2, None, 2)], {}).rows[0].values == {"left": 3}
    with pytest.raises(TieOutError, match="left of invoice 1 is 4 by the source and 3 by its rows"):
        tie_out_rows(ROWS, [(4, 1, 5, 2)], {})


def test_a_record_in_two_rows_or_in_none_is_caught() -> None:
    with pytest.raises(TieOutError, match="counts invoice 1 twice"):
        tie_out_rows(ROWS, [(3, 1, 5, 2), (3, 1, 5, 2)], {})
    with pytest.raises(TieOutError, match="no row of invoice"):
        tie_out_rows(ROWS, [(None, None, None, None)], {})


def test_columns_that_footnote_adds_up_itself_are_one_note() -> None:
    notes = Notes(("First.",))
    for column in ("net", "tax", "net", "gross"):
        notes.added_up(column)
    assert notes.all() == (
        "First.",
        "net, tax and gross are added up by Footnote from their rows, since the engine is not exact here.",
    )


def test_one_column_that_footnote_adds_up_itself_is_named_alone() -> None:
    notes = Notes(())
    notes.added_up("net")
    assert notes.all() == ("net is added up by Footnote from its rows, since the engine is not exact here.",)
