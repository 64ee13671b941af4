"""A figure: one typed value of a result, how it is shown, and what it rests on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from footnote.errors import FigureError
from footnote.figures.exact import Exact, exact_text, from_exact
from footnote.figures.values import FigureType, Format, Value, check_exact, check_value, exact_sum, figure_type

METHODS = (
    "sum",
    "count",
    "sum distinct",
    "count distinct",
    "running",
    "minimum",
    "maximum",
    "average",
    "group",
    "row value",
    "derived",
    "argument",
)
"""How a figure comes from what it rests on."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one row adds to a figure.

    Attributes:
        evidence: Id of the row, or of the group of rows that an inner query puts together.
        amount: Exact; negative where the row takes away. For a distinct count the value that counts once.
        display: As a person reads it.
        items: What the amount is made of, one level down: the rows of a group, or those behind a value that an inner
            query gives. Each with its own amount there, whose sum need not be this one.
    """

    evidence: str
    amount: Value
    display: str = ""
    items: tuple[Contribution, ...] = ()

    def __post_init__(self) -> None:
        check_exact(self.amount)


@dataclass(frozen=True, slots=True)
class RowsBehind:
    """All rows behind a figure that rests on more than are listed as contributions.

    Attributes:
        count: How many rows contribute.
        plus: Their positive contributions, added up exactly; None where the figure is no sum and no count.
        minus: The negative ones.
        plus_display, minus_display: As a person reads them.
    """

    count: int
    plus: int | Decimal | None = None
    minus: int | Decimal | None = None
    plus_display: str = ""
    minus_display: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As recorded."""
        out: dict[str, Any] = {"count": self.count}
        if self.plus is not None and self.minus is not None:
            out |= {"plus": exact_text(Decimal(self.plus)), "minus": exact_text(Decimal(self.minus))}
            out |= {"plusDisplay": self.plus_display, "minusDisplay": self.minus_display}
        return out

    @classmethod
    def from_dict(cls, recorded: Mapping[str, Any]) -> RowsBehind:
        """What `as_dict` gave."""
        if "plus" not in recorded:
            return cls(recorded["count"])
        plus, minus = (from_exact(recorded[name], FigureType.DECIMAL) for name in ("plus", "minus"))
        shown = (recorded["plusDisplay"], recorded["minusDisplay"])
        return cls(recorded["count"], plus, minus, *shown)  # type: ignore[arg-type]  # decimals, by their type


@dataclass(frozen=True, slots=True)
class Figure:
    """One typed value of a result, with its format, its display text and its evidence.

    Attributes:
        name: As in the catalog, such as `totalOutstanding`.
        value: Exact, of the format's type; an amount of money is a Decimal and its currency in the format.
        display: As a person reads it, made by `display`.
        evidence: Ids of what a reader can open.
        contributions: What each row adds, in record order; of more rows than are listed, the largest first.
        method: One of `METHODS`, or empty.
        decided: Ids of the rows that decided which rows count (EXISTS, IN, a looked-up limit), and of stated absences
            (NOT EXISTS); they add nothing.
        rows: All rows behind it, where not all are listed as contributions.
        formula: Of a derived figure: the expression it is computed by.
    """

    name: str
    value: Value
    format: Format
    display: str
    evidence: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    method: str = ""
    decided: tuple[str, ...] = ()
    rows: RowsBehind | None = None
    formula: str = ""

    def __post_init__(self) -> None:
        check_value(self.value, self.format.type)
        if self.method and self.method not in METHODS:
            raise FigureError(f"{self.method!r} is not how a figure is made.", remedy=f"Use {', '.join(METHODS)}.")

    def gross(self) -> tuple[Decimal, Decimal]:
        """The positive and the negative contributions of a sum, each added up; raises `FigureError` for others."""
        if self.method != "sum":
            raise FigureError(f"{self.name} is not a sum ({self.method or 'no method'}), so it has no gross.")
        if self.rows is not None and self.rows.plus is not None and self.rows.minus is not None:
            return Decimal(self.rows.plus), Decimal(self.rows.minus)
        amounts = [c.amount for c in self.contributions if c.amount is not None]
        exact = [a for a in amounts if isinstance(a, (int, Decimal)) and not isinstance(a, bool)]
        if len(exact) != len(amounts):
            raise FigureError(f"A contribution to {self.name} is not a number.")
        return exact_sum(a for a in exact if a > 0), exact_sum(a for a in exact if a < 0)

    def unlisted(self) -> tuple[int, Decimal | None]:
        """How many rows behind it are not listed, and what they come to; None where nothing is added up."""
        if self.rows is None:
            return 0, Decimal(0)
        left = self.rows.count - len(self.contributions)
        if self.rows.plus is None or self.rows.minus is None:
            return left, None
        listed = exact_sum(c.amount for c in self.contributions if isinstance(c.amount, int | Decimal))
        return left, exact_sum((Decimal(self.rows.plus), Decimal(self.rows.minus), -listed))

    def as_dict(self) -> dict[str, Any]:
        """The figure as recorded: JSON without floats; what is empty is left out."""
        out: dict[str, Any] = {
            "name": self.name,
            "type": self.format.type.value,
            "value": exact_text(self.value),
            "display": self.display,
        }
        optional = {"unit": self.format.unit, "currency": self.format.currency, "method": self.method}
        optional |= {"formula": self.formula}
        out |= {key: text for key, text in optional.items() if text}
        if self.format.scale is not None:
            out["scale"] = self.format.scale
        out["evidence"] = list(self.evidence)
        if self.contributions:
            out["contributions"] = [_contribution_as_dict(c, self.format.type) for c in self.contributions]
        if self.decided:
            out["decided"] = list(self.decided)
        if self.rows is not None:
            out["rows"] = self.rows.as_dict()
        return out

    @classmethod
    def from_dict(cls, recorded: Mapping[str, Any]) -> Figure:
        """The figure that `as_dict` gave; raises `FigureError` if it is not one."""
        try:
            type = figure_type(recorded["type"])
            format = Format(type, recorded.get("unit", ""), recorded.get("scale"), recorded.get("currency", ""))
            return cls(
                name=recorded["name"],
                value=from_exact(recorded["value"], type),
                format=format,
                display=recorded["display"],
                evidence=tuple(recorded.get("evidence", ())),
                contributions=tuple(_contribution_from(c, type) for c in recorded.get("contributions", ())),
                method=recorded.get("method", ""),
                decided=tuple(recorded.get("decided", ())),
                formula=recorded.get("formula", ""),
                rows=RowsBehind.from_dict(recorded["rows"]) if "rows" in recorded else None,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise FigureError("This is not a recorded figure.", why=f"{error.__class__.__name__}: {error}.") from None


def _contribution_as_dict(contribution: Contribution, type: FigureType) -> dict[str, Any]:
    """With a type of its own where the figure's type would not read its amount back."""
    amount = exact_text(contribution.amount)
    out: dict[str, Any] = {"evidence": contribution.evidence, "amount": amount}
    if contribution.display:
        out["display"] = contribution.display
    if not _reads_back(amount, contribution.amount, type):
        out["type"] = _own_type(contribution.amount).value
    if contribution.items:
        out["items"] = [_contribution_as_dict(item, type) for item in contribution.items]
    return out


def _contribution_from(recorded: Mapping[str, Any], type: FigureType) -> Contribution:
    own = figure_type(recorded["type"]) if "type" in recorded else type
    items = tuple(_contribution_from(item, type) for item in recorded.get("items", ()))
    return Contribution(recorded["evidence"], from_exact(recorded["amount"], own), recorded.get("display", ""), items)


def _reads_back(exact: Exact, value: Value, type: FigureType) -> bool:
    try:
        read = from_exact(exact, type)
    except FigureError:
        return False
    return read == value and isinstance(read, str) == isinstance(value, str)


def _own_type(value: Value) -> FigureType:
    if isinstance(value, bool):
        return FigureType.BOOLEAN
    if isinstance(value, int):
        return FigureType.INTEGER
    if isinstance(value, Decimal):
        return FigureType.DECIMAL
    if isinstance(value, dt.datetime):
        return FigureType.DATETIME
    return FigureType.DATE if isinstance(value, dt.date) else FigureType.TEXT
