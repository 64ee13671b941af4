"""Checks of what is said: slots and expressions name something that has a value when it is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from footnote.catalog.expressions import Kind, Reference, kind_of, parse_expression
from footnote.catalog.model import ColumnSpec, CurrencyColumn, Derived, Operation, Parameter
from footnote.catalog.place import Place
from footnote.catalog.scope import Problems, Scope, is_always_given
from footnote.catalog.suggest import did_you_mean
from footnote.catalog.template import Slot, TemplateError, slots_in
from footnote.errors import CatalogError
from footnote.figures import FigureType
from footnote.figures.values import NUMERIC

_COUNTABLE = NUMERIC - {FigureType.MONEY, FigureType.PERCENT}
_UNSAFE_LINKS = ("javascript:", "data:", "vbscript:", "file:", "blob:")


@dataclass(frozen=True, slots=True)
class _Figures:
    """The figures of an operation, by every name they can be called.

    Attributes:
        specs: Name -> type, for names that are unambiguous.
        ambiguous: Names that several statements have.
        rows: Columns of statements of shape many, which have a value per row.
    """

    specs: Mapping[str, ColumnSpec]
    ambiguous: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, Mapping[str, ColumnSpec]]

    @classmethod
    def of(cls, operation: Operation, derived: Mapping[str, Derived]) -> _Figures:
        specs: dict[str, ColumnSpec] = dict(derived)
        owners: dict[str, list[str]] = {name: ["derive"] for name in derived}
        for statement, spec in operation.statements.items():
            if spec.shape != "one":
                continue
            for column, typed in spec.columns.items():
                specs[f"{statement}.{column}"] = typed
                specs[column] = typed
                owners.setdefault(column, []).append(statement)
        ambiguous = {name: tuple(found) for name, found in owners.items() if len(found) > 1}
        rows = {name: spec.columns for name, spec in operation.statements.items() if spec.shape == "many"}
        return cls({name: spec for name, spec in specs.items() if name not in ambiguous}, ambiguous, rows)


def operation_text_problems(scope: Scope, name: str) -> Problems:
    """What is wrong with the expressions and templates of an operation."""
    operation, path = scope.catalog.operations[name], ("operations", name)
    figures = _Figures.of(operation, operation.derive)
    yield from _derive_problems(scope, name)
    for position, check in enumerate(operation.checks):
        yield from _check_problems(scope, check.equal, figures, *path, "checks", position, "equal")
    said = _Said(scope, operation.parameters, figures)
    if operation.empty is not None:
        yield from _condition_problems(scope, operation.empty.when, figures, *path, "empty", "when")
        yield from said.problems(operation.empty.reason, *path, "empty", "reason")
    template = operation.template
    plain = isinstance(operation.answer, str)
    yield from said.problems(template.say, *path, "answer", *(() if plain else ("say",)))
    if template.items is not None:
        here = (*path, "answer", "items")
        columns = figures.rows.get(template.items.of)
        if columns is None:
            yield scope.unknown("Statements of shape many", template.items.of, figures.rows, *here, "of")
        else:
            of_row = _Said(scope, operation.parameters, figures, columns)
            yield from of_row.problems(template.items.say, *here, "say")
    yield from _chart_problems(scope, name, figures)
    yield from _word_problems(scope, operation.ask, *path, "ask")


def interpretation_problems(scope: Scope) -> Problems:
    """What is wrong with the interpretations."""
    for name, spec in scope.catalog.interpretations.items():
        path = ("interpretations", name)
        premises = [(i, p, scope.catalog.operations.get(p.operation)) for i, p in enumerate(spec.premises)]
        known: dict[str, Parameter] = {}
        for position, premise, operation in premises:
            here = (*path, "premises", position)
            if operation is None:
                yield scope.unknown("Operations", premise.operation, scope.catalog.operations, *here, "operation")
                continue
            yield from _shared_parameter_problems(scope, spec.parameters, operation, known, *here)
            figures = _Figures.of(operation, operation.derive)
            yield from _condition_problems(scope, premise.when, figures, *here, "when")
            given = [p for p in operation.parameters if p.name in spec.parameters or is_always_given(p)]
            yield from _Said(scope, given, figures).problems(premise.say, *here, "say")
        if all(premise.context for premise in spec.premises):
            remedy = "Remove `context: true` from those that count."
            yield scope.problem("Every premise is context, so none counts.", *path, "premises", remedy=remedy)
        if all(operation is not None for _, _, operation in premises):
            for position, parameter in enumerate(spec.parameters):
                if parameter not in known:
                    what = "Parameters of its operations"
                    yield scope.unknown(what, parameter, known, *path, "parameters", position)
            counted = _Figures({"premises.count": ColumnSpec(type=FigureType.COUNT)}, {}, {})
            said = _Said(scope, [known[p] for p in spec.parameters if p in known], counted)
            for key, text in (("conclusion", spec.conclusion), ("otherwise", spec.otherwise)):
                yield from said.problems(text, *path, key)
        yield from _word_problems(scope, spec.ask, *path, "ask")


def record_text_problems(scope: Scope, name: str) -> Problems:
    """What is wrong with the label and the link of a record type."""
    record, path = scope.catalog.records[name], ("records", name)
    known = [*record.fields, *record.key]
    for key, text in (("label", record.label), ("link", record.link)):
        try:
            slots = slots_in(text)
        except TemplateError as error:
            yield scope.problem(error.what, *path, key, remedy=error.remedy)
            continue
        for slot in slots:
            if slot.name not in known:
                yield scope.unknown(f"Fields of `{name}`", slot.name, known, *path, key)
            elif slot.plural_forms:
                what = f"`{{{slot.name}:…}}` chooses a word, and a {key} has none."
                yield scope.problem(what, *path, key, remedy=f"Write `{{{slot.name}}}`.")
    if not record.label.strip():
        yield scope.problem("`label` is empty.", *path, "label", remedy='Name a field, such as "{number}".')
    if "".join(record.link.split()).casefold().startswith(_UNSAFE_LINKS) or record.link.startswith("{"):
        what = "`link` does not lead to an address of the ERP."
        yield scope.problem(what, *path, "link", remedy="Write `https://…/{id}`.")


def _shared_parameter_problems(
    scope: Scope, given: Iterable[str], operation: Operation, known: dict[str, Parameter], *path: str | int
) -> Problems:
    for parameter in operation.parameters:
        first = known.setdefault(parameter.name, parameter)
        if (first.type, first.entity, first.of) != (parameter.type, parameter.entity, parameter.of):
            what = f"`{parameter.name}` is of one type here and of another in an operation above."
            yield scope.problem(what, *path, "operation", remedy="Give both the same type, or rename one.")
        if parameter.is_required and parameter.name not in given:
            what = f"The operation needs `{parameter.name}`, which the interpretation does not take."
            yield scope.problem(what, *path, "operation", remedy=f"Add `{parameter.name}` to its `parameters`.")


# --- templates --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Said:
    """What a template may name: columns of the row at hand, figures, parameters, fields of resolved entities."""

    scope: Scope
    parameters: Iterable[Parameter]
    figures: _Figures
    row: Mapping[str, ColumnSpec] = field(default_factory=dict)

    def problems(self, text: str, *path: str | int) -> Problems:
        """What is wrong with a template."""
        if not text.strip():
            yield self.scope.problem(f"`{path[-1]}` is empty.", *path, remedy="Write what is said.")
        try:
            slots = slots_in(text)
        except TemplateError as error:
            place = self.scope.lines.text(*path).at(text.count("\n", 0, error.position) + 1)
            yield CatalogError(error.what, file=place.file, line=place.line, remedy=error.remedy)
            return
        for slot in slots:
            problem = self._problem(slot)
            if problem is not None:
                place = self.scope.lines.text(*path).at(text.count("\n", 0, slot.position) + 1)
                yield CatalogError(problem[0], file=place.file, line=place.line, remedy=problem[1])

    def _problem(self, slot: Slot) -> tuple[str, str] | None:
        shown = f"`{{{slot.name}}}`"
        parameters = {parameter.name: parameter for parameter in self.parameters}
        if slot.name in self.row:
            return _spec_problem(slot, self.row[slot.name])
        if slot.name in self.figures.ambiguous:
            owners = self.figures.ambiguous[slot.name]
            return f"{shown} is in {' and in '.join(owners)}.", f"Write `{{{owners[-1]}.{slot.name}}}`."
        if slot.name in self.figures.specs:
            if slot.name in parameters:
                what = f"{shown} is both a figure and a parameter."
                return what, "Rename the column, or write `{statement.column}` for the figure."
            return _spec_problem(slot, self.figures.specs[slot.name])
        head, _, field_name = slot.name.partition(".")
        if head in parameters:
            return self._parameter_problem(slot, parameters[head], field_name)
        if field_name and field_name in self.figures.rows.get(head, {}):
            return (
                f"{shown} has a value for each row.",
                "Say it in `items`, or use a figure of a statement of shape one.",
            )
        return f"{shown} names nothing that has a value here.", did_you_mean(slot.name, self._known(parameters))

    def _parameter_problem(self, slot: Slot, parameter: Parameter, field_name: str) -> tuple[str, str] | None:
        shown = f"`{{{slot.name}}}`"
        if not is_always_given(parameter):
            what = f"{shown} has no value when the caller leaves `{parameter.name}` out."
            return what, "Say it without, or give the parameter a default."
        if slot.plural_forms:
            return f"{shown} is not a figure, so no word agrees with it.", f"Write `{{{slot.name}}}`."
        if not field_name:
            return None
        entity = self.scope.catalog.entities.get(parameter.entity or "")
        if entity is None:
            return f"`{parameter.name}` is not an entity, so it has no fields.", f"Write `{{{parameter.name}}}`."
        record = self.scope.catalog.records.get(entity.record)
        if record is None:
            return None
        if field_name not in record.fields:
            return f"`{entity.record}` has no field `{field_name}`.", did_you_mean(field_name, record.fields)
        return _spec_problem(slot, record.fields[field_name])

    def _known(self, parameters: Mapping[str, Parameter]) -> list[str]:
        names = [*self.row, *self.figures.specs, *parameters]
        for name, parameter in parameters.items():
            entity = self.scope.catalog.entities.get(parameter.entity or "")
            record = self.scope.catalog.records.get(entity.record) if entity else None
            names += [f"{name}.{field_name}" for field_name in record.fields] if record else []
        return names


def _spec_problem(slot: Slot, spec: ColumnSpec) -> tuple[str, str] | None:
    if spec.hidden:
        return f"`{{{slot.name}}}` is hidden, and so not said.", "Remove its `hidden: true`."
    if slot.plural_forms and spec.type not in _COUNTABLE:
        what = f"`{{{slot.name}:…}}` is of type {spec.type}, with which no word agrees."
        return what, "Name a count, an integer or a decimal."
    return None


# --- expressions ------------------------------------------------------------------------------------------------------


def _derive_problems(scope: Scope, name: str) -> Problems:
    operation = scope.catalog.operations[name]
    above: dict[str, Derived] = {}
    for figure, spec in operation.derive.items():
        path = ("operations", name, "derive", figure)
        figures = _Figures.of(operation, above)
        kinds = _expression_kind(scope, spec.expression, figures, *path, "expression")
        above[figure] = spec
        if isinstance(kinds, CatalogError):
            yield kinds
            continue
        if figure in figures.specs or figure in figures.ambiguous:
            what = f"`{figure}` is also a column of a statement."
            yield scope.problem(what, *path, remedy="Rename the derived figure.")
        wanted: Kind = "money" if spec.type is FigureType.MONEY else "number"
        if spec.type not in NUMERIC or kinds != wanted:
            what = f"`{figure}` is declared as {spec.type}, and its expression gives a {kinds}."
            remedy = "Declare it as money." if kinds == "money" else "Declare it as decimal, percent, integer or count."
            yield scope.problem(what, *path, "type", remedy=remedy)
        currency = spec.currency
        columns = {column for statement in operation.statements.values() for column in statement.columns}
        if isinstance(currency, CurrencyColumn) and currency.column not in columns:
            yield scope.unknown(f"Currency of `{figure}`", currency.column, columns, *path, "currency")


def _check_problems(scope: Scope, sides: list[str], figures: _Figures, *path: str | int) -> Problems:
    kinds = [_expression_kind(scope, side, figures, *path, position) for position, side in enumerate(sides)]
    errors = [kind for kind in kinds if isinstance(kind, CatalogError)]
    yield from errors
    if not errors and (kinds[0] != kinds[1] or "condition" in kinds):
        what = (
            f"A {kinds[0]} is compared with a {kinds[1]}." if kinds[0] != kinds[1] else "Two conditions are compared."
        )
        yield scope.problem(what, *path, remedy="Compare two amounts, or two numbers.")


def _condition_problems(scope: Scope, text: str, figures: _Figures, *path: str | int) -> Problems:
    kind = _expression_kind(scope, text, figures, *path)
    if isinstance(kind, CatalogError):
        yield kind
    elif kind != "condition":
        yield scope.problem(f"`{path[-1]}` is not a condition.", *path, remedy="Compare: `invoiceCount = 0`.")


def _expression_kind(scope: Scope, text: str, figures: _Figures, *path: str | int) -> Kind | CatalogError:
    where = scope.lines.text(*path)
    try:
        return kind_of(parse_expression(text, where), lambda reference: _kind(reference, figures, where), where)
    except CatalogError as error:
        return error


def _kind(reference: Reference, figures: _Figures, where: Place) -> Kind:
    statement, _, column = reference.name.rpartition(".")
    spec: ColumnSpec | None = None
    known: Iterable[str] = figures.specs
    if reference.over:
        known = (
            figures.rows if reference.over == "count" else (f"{s}.{c}" for s, cs in figures.rows.items() for c in cs)
        )
        if reference.over == "count" and reference.name in figures.rows:
            return "number"
        spec = figures.rows.get(statement, {}).get(column)
    elif reference.name in figures.ambiguous:
        owners = figures.ambiguous[reference.name]
        what = f"`{reference.name}` is in {' and in '.join(owners)}."
        raise CatalogError(what, file=where.file, line=where.line, remedy=f"Write `{owners[-1]}.{reference.name}`.")
    else:
        spec = figures.specs.get(reference.name)
        if spec is None and column in figures.rows.get(statement, {}):
            what = f"`{reference.name}` has a value for each row."
            raise CatalogError(what, file=where.file, line=where.line, remedy=f"Write sum({reference.name}).")
    if spec is None:
        what = f"The expression names `{reference.name}`, and there is no such figure."
        raise CatalogError(what, file=where.file, line=where.line, remedy=did_you_mean(reference.name, known))
    if spec.type not in NUMERIC:
        what = f"`{reference.name}` is of type {spec.type}, and an expression computes with numbers."
        raise CatalogError(what, file=where.file, line=where.line, remedy="Name a figure that is a number.")
    return "money" if spec.type is FigureType.MONEY else "number"


# --- the rest ---------------------------------------------------------------------------------------------------------


def _chart_problems(scope: Scope, name: str, figures: _Figures) -> Problems:
    chart, path = scope.catalog.operations[name].chart, ("operations", name, "chart")
    if chart is None:
        return
    columns = figures.rows.get(chart.of)
    if columns is None:
        yield scope.unknown("Statements of shape many", chart.of, figures.rows, *path, "of")
        return
    if chart.label not in columns:
        yield scope.unknown(f"Columns of `{chart.of}`", chart.label, columns, *path, "label")
    for position, series in enumerate(chart.series):
        if series not in columns:
            yield scope.unknown(f"Columns of `{chart.of}`", series, columns, *path, "series", position)
        elif columns[series].type not in NUMERIC:
            what = f"`{series}` is of type {columns[series].type}, and a chart draws numbers."
            yield scope.problem(what, *path, "series", position, remedy="Name a column that is a number.")


def _word_problems(scope: Scope, words: list[str], *path: str | int) -> Problems:
    for position, word in enumerate(words):
        if not word.strip():
            yield scope.problem("A word of `ask` is empty.", *path, position, remedy="Remove it.")
