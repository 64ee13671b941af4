"""Which words of a question name a record. The longest name that resolves wins; between two, nobody guesses.

Names are resolved by the caller, who knows the source; here are only the spans worth trying.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from footnote.answers.question import Token, fold
from footnote.answers.words import JOINERS
from footnote.errors import Candidate, NameAmbiguous, NameUnknown

Resolve = Callable[[str, str], str]
"""(entity, text) -> evidence id of the one record it names; raises `NameUnknown` or `NameAmbiguous`."""

LONGEST_NAME = 8
"""Words of a name."""

MOST_TRIES = 60
"""Spans tried in one question; a question with more is not a question."""


_BEFORE_A_NAME = frozenset(
    "of for from by to does do did has have had is are was were and or no nr id number #".split()
)
_AFTER_A_NUMBER = frozenset("and or is do ha".split())


class State(Enum):
    """What a word of a question has been taken for."""

    FREE = auto()
    """Not accounted for: part of a name, or a restriction."""
    LIMITING = auto()
    """A word that changes what is asked; part of a name only if it is written like one."""
    PASSED = auto()
    """A filler, or a word the target is about."""
    USED = auto()
    """Part of the phrase that matched, or of an argument."""


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `first` up to but not including `after`, and the texts they may stand for."""

    first: int
    after: int
    texts: tuple[str, ...]

    @property
    def length(self) -> int:
        """Characters."""
        return len(self.texts[0])

    def overlaps(self, other: Span) -> bool:
        """Whether a token is in both."""
        return self.first < other.after and other.first < self.after


@dataclass(frozen=True, slots=True)
class Named:
    """A span that names a record, by the text that resolved."""

    span: Span
    text: str
    evidence_id: str


@dataclass(slots=True)
class Names:
    """The names of one question, resolved for one entity.

    Attributes:
        question: The question, as its tokens count it.
        tokens: Its tokens.
        states: What each token has been taken for.
        entity: The kind of thing to be named.
        resolve: The caller's resolver.
    """

    question: str
    tokens: Sequence[Token]
    states: Sequence[State]
    entity: str
    resolve: Resolve
    _unknown: dict[str, NameUnknown] = field(default_factory=dict)
    _tries: int = 0

    def find(self) -> tuple[Named, ...]:
        """The spans that name the one record the question is about, longest first; nothing if it has no name.

        Raises:
            NameAmbiguous: A name fits several records, or two names fit different ones.
            NameUnknown: There is a name, and no record has it.
        """
        spans = sorted(self._spans(), key=lambda s: (-s.length, s.first))
        found: list[Named] = []
        for span in spans:
            if not any(span.overlaps(named.span) for named in found):
                named = self._try(span)
                found += [named] if named else []
        self._whole_names(found)
        self._one_record(found)
        if not found:
            self._refuse_unknown(spans)
        return tuple(found)

    def _spans(self) -> Iterator[Span]:
        for first in range(len(self.tokens)):
            for after in range(first + 1, min(first + LONGEST_NAME, len(self.tokens)) + 1):
                if not self._inside(after - 1):
                    break
                if self._edge(first) and self._edge(after - 1) and self._says_something(first, after):
                    yield self._span(first, after)

    def _span(self, first: int, after: int) -> Span:
        last = self.tokens[after - 1]
        if after - first == 1 and last.kind == "quoted":
            return Span(first, after, (last.text,))
        whole = self.question[self.tokens[first].start : last.end]
        bare = whole[: len(whole) - (len(last.text) - len(last.bare))]
        return Span(first, after, tuple(dict.fromkeys((bare, whole))))

    def _inside(self, index: int) -> bool:
        """Whether the token may be part of a name at all."""
        token, state = self.tokens[index], self.states[index]
        if state is State.USED:
            return False
        return state is State.FREE or token.capital or token.folded in JOINERS

    def _edge(self, index: int) -> bool:
        token = self.tokens[index]
        if token.folded in JOINERS or token.kind == "symbol":
            return False
        return self.states[index] is State.FREE or token.capital

    def _says_something(self, first: int, after: int) -> bool:
        """Whether the span has a word that is not merely a capitalised filler, and no quotation besides others."""
        inside = range(first, after)
        if after - first > 1 and any(self.tokens[i].kind == "quoted" for i in inside):
            return False
        if all(self.tokens[i].kind in ("number", "symbol") for i in inside) and not self._is_record_number(
            first, after
        ):
            return False
        return any(self.states[i] is not State.PASSED for i in inside if self.tokens[i].folded not in JOINERS)

    def _is_record_number(self, first: int, after: int) -> bool:
        """Whether a bare number stands where a record is named: `does 4471 owe`, not `5 days` or `more than 5`."""
        before = self.tokens[first - 1] if first else None
        entity = fold(self.entity)
        led = before is None or before.folded in _BEFORE_A_NAME or entity in (before.folded, before.stem)
        led = led or self.question[self.tokens[first].start - 1 : self.tokens[first].start] == "("
        counted = after < len(self.tokens) and self.states[after] in (State.LIMITING, State.PASSED)
        return led and not (counted and self.tokens[after].stem not in _AFTER_A_NUMBER)

    def _try(self, span: Span) -> Named | None:
        for text in span.texts:
            if text in self._unknown:
                continue
            self._tries += 1
            if self._tries > MOST_TRIES:
                return None
            try:
                return Named(span, text, self.resolve(self.entity, text))
            except NameUnknown as unknown:
                self._unknown[text] = unknown
        return None

    def _one_record(self, found: Sequence[Named]) -> None:
        records = dict.fromkeys(named.evidence_id for named in found)
        if len(records) > 1:
            names = ", ".join(f"“{named.text}”" for named in found)
            raise NameAmbiguous(
                f"The question names more than one {self.entity}: {names}.",
                why="An answer is about one.",
                remedy="Ask about one at a time.",
                candidates=[Candidate(named.text, named.evidence_id) for named in found],
            )

    def _whole_names(self, found: Sequence[Named]) -> None:
        """A name that resolves only without the word beside it is not that name."""
        record = {index: n.evidence_id for n in found for index in range(n.span.first, n.span.after)}
        for named in found:
            first, after = named.span.first, named.span.after
            while first > 0 and self.states[first - 1] is State.FREE and self._joined(first):
                first -= 1
            while after < len(self.tokens) and self.states[after] is State.FREE and self._joined(after):
                after += 1
            free = [index for index in range(first, after) if self.states[index] is State.FREE]
            if len({record.get(index) for index in free}) > 1:
                raise self._unknown_name(self._span(first, after))

    def _joined(self, index: int) -> bool:
        """Whether no comma or bracket stands before the token, which would begin another name."""
        return not set(",;(") & set(self.question[self.tokens[index - 1].end : self.tokens[index].start])

    def _refuse_unknown(self, spans: Sequence[Span]) -> None:
        likely = [span for span in spans if any(self.states[i] is State.FREE for i in range(span.first, span.after))]
        if likely:
            raise self._unknown_name(min(likely, key=lambda s: (self._unlike_a_name(s), -s.length, s.first)))

    def _unlike_a_name(self, span: Span) -> int:
        tokens = self.tokens[span.first : span.after]
        if any(token.kind == "quoted" for token in tokens):
            return 0
        edges = (self.states[span.first], self.states[span.after - 1])
        if edges[0] is not State.FREE and edges[1] is not State.FREE:
            return 4
        if State.PASSED in edges and any(t.kind == "number" for t in tokens):  # "Is 8812" is 8812
            return 4
        return 1 if tokens[0].capital and span.first > 0 else 2 if any(t.kind == "number" for t in tokens) else 3

    def _unknown_name(self, span: Span) -> NameUnknown:
        text = span.texts[0]
        known = self._unknown.get(text)
        if known is not None:
            return known
        near = next((self._unknown[t] for t in self._unknown if t in text or text in t), None)
        return NameUnknown(
            f"No {self.entity} is called “{text}”.",
            why="A name must be known before anything is looked up.",
            remedy="Use the name or number as it is recorded.",
            candidates=near.candidates if near else (),
        )
