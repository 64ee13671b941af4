"""Keyless routing: which operation or interpretation a question asks for, and with which arguments.

No model is involved. The longest phrase of the catalog's `ask` words wins; two equally long ones are refused with both
named. Every word of the question must then be accounted for: by that phrase, by a name that resolves, by an argument,
or by a word that restricts nothing. Whatever is left is a restriction that would be ignored, so the question is refused.
Question words are English; phrases and names may be in any language.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.answers.naming import Named, Names, Resolve, State
from footnote.answers.periods import When, find_times, first_day
from footnote.answers.question import Token, clean_question, fold, tokenise
from footnote.answers.refusals import (
    refuse_direction,
    refuse_future,
    refuse_leftover,
    refuse_missing,
    refuse_no_match,
    refuse_tie,
)
from footnote.answers.target import Kind, Target, targets
from footnote.answers.words import (
    ACRONYMS,
    DEGREES,
    FILLER_PHRASES,
    FILLERS,
    FUTURE,
    OWN_PHRASES,
    PAST,
    PRONOUNS,
    RESTRICTORS,
)
from footnote.catalog.model import Catalog, Parameter
from footnote.errors import Unroutable
from footnote.evidence import Json
from footnote.figures.currencies import MINOR_DIGITS


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question goes.

    Attributes:
        kind: `operation` or `interpretation`.
        name: Its name in the catalog.
        arguments: Arguments found in the question; parameters with a default that it does not mention are left out.
        matched: The words of the question that decided.
    """

    kind: Kind
    name: str
    arguments: Mapping[str, Json]
    matched: str


@dataclass(frozen=True, slots=True)
class _Match:
    target: Target
    tokens: tuple[int, ...]
    text: str


def route(question: str, catalog: Catalog, resolve: Resolve, *, today: dt.date | None = None) -> Route:
    """Where the question goes, with its arguments.

    Args:
        question: As asked.
        catalog: What may be asked.
        resolve: (entity, text) -> evidence id of the record; raises `NameUnknown` or `NameAmbiguous`.
        today: For "this quarter" and the like; without it they are refused unless a default says the same.

    Raises:
        ArgumentError: The question is empty, longer than 2,000 characters or not valid text.
        Unroutable: No operation fits, two fit equally, or the question restricts what cannot be restricted.
        NameUnknown: It names a record that does not exist.
        NameAmbiguous: It names more than one record.
    """
    cleaned = clean_question(question)
    tokens = tokenise(cleaned)
    known = targets(catalog)
    match = _best_match(cleaned, tokens, known, catalog)
    asked = frozenset(token.stem for target in known for phrase in target.phrases for token in phrase)
    others = frozenset(
        phrase[0].stem for t in known if t.name != match.target.name for phrase in t.phrases if len(phrase) == 1
    )
    reading = _Reading(cleaned, tokens, match, catalog, asked, others, [State.FREE] * len(tokens))
    arguments = reading.arguments(resolve, today)
    return Route(match.target.kind, match.target.name, arguments, match.text)


def _best_match(question: str, tokens: Sequence[Token], known: Sequence[Target], catalog: Catalog) -> _Match:
    found = [m for target in known for m in _matches(question, tokens, target)]
    if not found:
        raise refuse_no_match(catalog)
    longest = max(len(fold(m.text)) for m in found)
    best = [m for m in found if len(fold(m.text)) == longest]
    names = dict.fromkeys((m.target.kind, m.target.name) for m in best)
    if len(names) > 1:
        raise refuse_tie([m.target for m in best], best[0].text)
    return best[0]


def _matches(question: str, tokens: Sequence[Token], target: Target) -> list[_Match]:
    """Every place where a phrase of the target stands on word borders; `top 5 customers` has `top customers`."""
    found = []
    number = _top_number(tokens)
    places = [i for i in range(len(tokens)) if i != number]
    for phrase in target.phrases:
        for at in range(len(places) - len(phrase) + 1):
            part = tuple(places[at : at + len(phrase)])
            if all(_same(tokens[i], wanted) for i, wanted in zip(part, phrase, strict=True)):
                text = " ".join(tokens[i].text for i in part)
                found.append(_Match(target, part, text))
    return found


def _same(token: Token, wanted: Token) -> bool:
    return token.kind != "quoted" and (token.folded == wanted.folded or token.stem == wanted.stem)


def _top_number(tokens: Sequence[Token]) -> int | None:
    """Index of the number in `top 5`."""
    for index in range(1, len(tokens)):
        text = tokens[index].text
        if tokens[index - 1].folded == "top" and text.isascii() and text.isdigit() and len(text) <= 4:
            return index
    return None


@dataclass(frozen=True, slots=True)
class _Reading:
    """One question read for one target.

    `asked` are the stems of all words that targets are asked by, `others` of those that alone ask for another target;
    `states` says what each token has been taken for.
    """

    question: str
    tokens: Sequence[Token]
    match: _Match
    catalog: Catalog
    asked: frozenset[str]
    others: frozenset[str]
    states: list[State]

    @property
    def target(self) -> Target:
        return self.match.target

    def arguments(self, resolve: Resolve, today: dt.date | None) -> dict[str, Json]:
        """Every argument the question gives; raises if it says anything more."""
        for index in self.match.tokens:
            self.states[index] = State.USED
        found: dict[str, Json] = {}
        unbound = self._times(found, today)
        self._words(dated=bool(self.target.as_of) and self.target.as_of in found)
        self._limit(found)
        self._currency(found)
        self._choices(found)
        named = [self._entity(parameter, found, resolve) for parameter in self.target.entities]
        for first, after in unbound:  # only now, so that no name was looked for in them
            self.states[first:after] = [State.LIMITING] * (after - first)
        self._pronouns(named=any(named))
        self._groups()
        left = [i for i, state in enumerate(self.states) if state in (State.FREE, State.LIMITING)]
        if left:
            raise refuse_leftover(self.question, self.tokens, left, self.target, self.catalog)
        refuse_direction(self.question, self.tokens, self.match.tokens, [n for n in named if n], self.target)
        for parameter in self.target.parameters:
            if parameter.is_required and parameter.name not in found:
                raise refuse_missing(parameter, self.target, self.catalog)
        return found

    def _times(self, found: dict[str, Json], today: dt.date | None) -> list[tuple[int, int]]:
        """Bind the time expressions; return those that cannot be bound. Neither can be part of a name."""
        unbound = []
        for when in find_times(self.tokens, self.target, today=today):
            span = range(when.first, when.after)
            if any(self.states[i] is State.USED for i in span):
                continue
            for index in span:
                self.states[index] = State.USED
            if not when.bound:
                unbound.append((when.first, when.after))
            elif today is not None and self._is_to_come(when, today):
                raise refuse_future(when.value, self.target, today)
            elif when.parameter and found.setdefault(when.parameter, when.value) != when.value:
                raise Unroutable(
                    f"The question gives two values for {when.parameter}: {found[when.parameter]} and {when.value}.",
                    remedy="Ask about one at a time.",
                )
        return unbound

    def _is_to_come(self, when: When, today: dt.date) -> bool:
        """Whether a day or period that figures would be for has not begun; "since" such a day there is nothing."""
        first = first_day(when.value if self.target.fiscal else when.value.removeprefix("FY"))
        since = self.target.since
        return first is not None and first > today and (since is None or when.parameter != since.name)

    def _words(self, *, dated: bool) -> None:
        """Tell fillers, the target's own words and words that limit from what may be a name."""
        past_is_filler = dated or not self.target.as_of
        for index, token in enumerate(self.tokens):
            if self.states[index] is State.USED or token.kind == "quoted":
                continue
            if self._says_nothing(index) or (past_is_filler and token.folded in PAST):
                self.states[index] = State.PASSED
            elif self._limits(token):
                self.states[index] = State.LIMITING
        self._filler_phrases()
        self._number_words()

    def _says_nothing(self, index: int) -> bool:
        """Whether the word changes nothing for this target."""
        token = self.tokens[index]
        if token.text in ACRONYMS and any(character.islower() for character in self.question):
            return False
        if token.folded == "how":
            after = self.tokens[index + 1].folded if index + 1 < len(self.tokens) else ""
            return after in DEGREES or index + 1 in self.match.tokens
        if token.folded == "we":
            return self._we_are_owed(index)
        return token.folded in FILLERS or token.folded in PRONOUNS or self._own_word(token)

    def _own_word(self, token: Token) -> bool:
        """Whether the target is about the word anyway.

        One that alone asks for another target has to stand with the rest of a phrase of this one: "payments" is no
        part of "tell me about X" because "payment terms" would be.
        """
        if token.stem not in self.target.vocabulary or token.stem not in self.others:
            return token.stem in self.target.vocabulary
        stems = {t.stem for t in self.tokens}
        phrases = ({t.stem for t in phrase} for phrase in self.target.phrases)
        return any(token.stem in phrase and phrase <= stems for phrase in phrases)

    def _we_are_owed(self, index: int) -> bool:
        """`are we owed` and `we are owed`: we get, as if X owes."""
        around = {self.tokens[i].folded for i in (index - 1, index + 1) if 0 <= i < len(self.tokens)}
        verb = next((i for i in (index + 1, index + 2) if i in self.match.tokens), -1)
        return "are" in around and verb > 0 and self.tokens[verb].folded == "owed"

    def _pronouns(self, *, named: bool) -> None:
        """Without a name, `they` is somebody whom the question does not name."""
        if named or not self.target.entities:
            return
        for index, token in enumerate(self.tokens):
            if self.states[index] is State.PASSED and token.folded in PRONOUNS:
                self.states[index] = State.LIMITING

    def _groups(self) -> None:
        """`by customer` asks for a line each, which is there only if the phrase that matched says so."""
        for index, token in enumerate(self.tokens[:-1]):
            if token.folded != "by" or self.states[index] is not State.PASSED:
                continue
            after = index + 1
            named = after + 1 < len(self.tokens) and self.states[after + 1] is State.USED
            if self.states[after] is State.PASSED and self.tokens[after].stem in self.target.vocabulary and not named:
                self.states[index] = self.states[after] = State.LIMITING

    def _limits(self, token: Token) -> bool:
        """Whether the word changes what is asked, or asks for another target; a name is written with a capital."""
        word = token.folded
        if word in RESTRICTORS or word in PAST or word in FUTURE or word.endswith("n't"):
            return True
        return token.stem in self.asked and not token.capital

    def _filler_phrases(self) -> None:
        folded = [token.folded for token in self.tokens]
        for phrase in FILLER_PHRASES if self.target.entities else (*FILLER_PHRASES, *OWN_PHRASES):
            for at in range(len(folded) - len(phrase) + 1):
                span = range(at, at + len(phrase))
                free = all(self.states[i] is not State.USED for i in span)
                if free and tuple(folded[at : at + len(phrase)]) == phrase:
                    for index in span:
                        self.states[index] = State.PASSED

    def _number_words(self) -> None:
        """`no. 4471` and `id 4471`: the word before a number says only that it is one."""
        for index in range(len(self.tokens) - 1):
            numbered = self.tokens[index].folded in ("no", "nr", "id", "#") and self.states[index] is not State.USED
            if numbered and self.tokens[index + 1].kind == "number":
                self.states[index] = State.PASSED

    def _limit(self, found: dict[str, Json]) -> None:
        number, limit = _top_number(self.tokens), self.target.limit
        if limit is None or number is None or self.states[number] is not State.FREE:
            return
        if self.states[number - 1] is State.USED:
            found[limit.name] = int(self.tokens[number].text)
            self.states[number] = State.USED

    def _currency(self, found: dict[str, Json]) -> None:
        """`in USD`, or `USD` where a parameter takes it: bound, or left over; a currency is never a name."""
        parameter = self.target.currency
        for index, token in enumerate(self.tokens):
            led = index > 0 and self.tokens[index - 1].folded == "in"
            code = token.text.upper() if led else token.text
            if self.states[index] is not State.FREE or code not in MINOR_DIGITS or not (led or parameter):
                continue
            bound = parameter is not None and found.setdefault(parameter.name, code) == code
            self.states[index] = State.USED if bound else State.LIMITING

    def _choices(self, found: dict[str, Json]) -> None:
        """Bind a word that is an allowed value of exactly one parameter, such as a severity."""
        for index, token in enumerate(self.tokens):
            if self.states[index] is not State.FREE or token.kind != "word" or token.capital:
                continue
            fits = [(p, v) for p in self._choosable(found) for v in p.allowed_values if fold(str(v)) == token.folded]
            if len(fits) == 1:
                found[fits[0][0].name] = fits[0][1]
                self.states[index] = State.USED
                self._pass_word(fits[0][0])

    def _choosable(self, found: Mapping[str, Json]) -> list[Parameter]:
        return [p for p in self.target.parameters if p.type == "text" and p.name not in found]

    def _pass_word(self, parameter: Parameter) -> None:
        for index, token in enumerate(self.tokens):
            if token.folded == fold(parameter.name) and self.states[index] is State.FREE:
                self.states[index] = State.PASSED

    def _entity(self, parameter: Parameter, found: dict[str, Json], resolve: Resolve) -> Named | None:
        names = Names(self.question, self.tokens, self.states, parameter.entity or "", resolve).find()
        if not names:
            return None
        for named in names:
            for index in range(named.span.first, named.span.after):
                self.states[index] = State.USED
        found[parameter.name] = names[0].text
        return names[0]
