"""What a question can be routed to: operations and interpretations, with the words and parameters that matter for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from footnote.answers.question import Token, tokenise
from footnote.answers.words import FUTURE, PAST, RESTRICTORS
from footnote.catalog.model import Catalog, Interpretation, Operation, Parameter

Kind = Literal["operation", "interpretation"]


@dataclass(frozen=True)
class Target:
    """An operation or interpretation as the router sees it.

    Attributes:
        kind: Which of the two it is.
        name: Its name in the catalog.
        title: Its title.
        phrases: Its `ask` words as tokens.
        parameters: The parameters a question can give a value for.
        as_of: The one of them that says "as of when"; empty if there is none.
        fiscal: Whether its period follows a year that is not the calendar's.
    """

    kind: Kind
    name: str
    title: str
    phrases: tuple[tuple[Token, ...], ...]
    parameters: tuple[Parameter, ...]
    as_of: str = ""
    fiscal: bool = False

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Stems of words that restrict nothing here, because the target is about them anyway."""
        texts = [self.title, *(p.entity for p in self.entities if p.entity)]
        titled = [token for text in texts for token in tokenise(_words(text)) if token.kind == "word"]
        asked = [token for phrase in self.phrases for token in phrase]
        limiting = RESTRICTORS | PAST | FUTURE  # "not yet due" may be asked for; "not" alone may never be passed over
        return frozenset(token.stem for token in (*titled, *asked) if token.folded not in limiting)

    @property
    def entities(self) -> tuple[Parameter, ...]:
        """The parameters that name a record."""
        return tuple(p for p in self.parameters if p.type == "entity")

    @property
    def since(self) -> Parameter | None:
        """The date parameter that says from when on."""
        dates = [p for p in self.parameters if p.type == "date" and p.name != self.as_of]
        found = [p for p in dates if re.match(r"(since|from)|.*Since$", p.name)]
        return found[0] if len(found) == 1 else None

    @property
    def period(self) -> Parameter | None:
        """The one parameter that takes a period."""
        found = [p for p in self.parameters if p.type == "period"]
        return found[0] if len(found) == 1 else None

    @property
    def currency(self) -> Parameter | None:
        """The one parameter that takes a currency."""
        found = [p for p in self.parameters if p.type == "currency"]
        return found[0] if len(found) == 1 else None

    @property
    def limit(self) -> Parameter | None:
        """The parameter that says how many rows ("top 5")."""
        found = [p for p in self.parameters if p.type == "integer" and p.name in ("limit", "top", "count", "most")]
        return found[0] if len(found) == 1 else None


def targets(catalog: Catalog) -> tuple[Target, ...]:
    """Everything that a question can be routed to, in catalog order, operations first."""
    return tuple(_targets(catalog))


def _targets(catalog: Catalog) -> Iterator[Target]:
    for name, operation in catalog.operations.items():
        as_of = operation.as_of.parameter if operation.as_of else ""
        parameters = tuple(operation.parameters)
        fiscal = _is_fiscal(parameters, catalog)
        yield Target("operation", name, operation.title, _phrases(operation), parameters, as_of, fiscal)
    for name, interpretation in catalog.interpretations.items():
        operations = [catalog.operations[p.operation] for p in interpretation.premises]
        parameters = tuple(_parameters(interpretation, operations))
        names = {p.name for p in parameters}
        as_of = next((o.as_of.parameter for o in operations if o.as_of and o.as_of.parameter in names), "")
        phrases, fiscal = _phrases(interpretation), _is_fiscal(parameters, catalog)
        yield Target("interpretation", name, interpretation.title, phrases, parameters, as_of, fiscal)


def _is_fiscal(parameters: Sequence[Parameter], catalog: Catalog) -> bool:
    calendars = [catalog.calendars[p.calendar] for p in parameters if p.calendar in catalog.calendars]
    return any(calendar.year_end != "12-31" for calendar in calendars)


def _parameters(interpretation: Interpretation, operations: list[Operation]) -> Iterator[Parameter]:
    for name in interpretation.parameters:
        found = [p for operation in operations if (p := operation.parameter(name))]
        if found:
            yield next((p for p in found if p.is_required), found[0])


def _phrases(asked: Operation | Interpretation) -> tuple[tuple[Token, ...], ...]:
    return tuple(tokens for phrase in asked.ask if (tokens := tokenise(phrase)))


def _words(name: str) -> str:
    """`openTicket` and `open_ticket` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ")
