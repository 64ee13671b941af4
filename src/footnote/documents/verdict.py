"""What a reader of a verdict gets: a status, the verbatim passages it rests on, and why, in codes that never change.

Only GROUNDED may be presented as fact. Codes are the same in every language; the explanation is in the reader's. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from footnote.documents.units import Fragment
from footnote.evidence import Quote

JOINT = " […] "
"""Stands in `Verdict.quote` between fragments that do not touch each other."""


class Status(StrEnum):
    """What the corpus says about a claim."""

    GROUNDED = "GROUNDED"
    CONTRADICTED = "CONTRADICTED"
    UNSUPPORTED = "UNSUPPORTED"


class PermittedAction(StrEnum):
    """What a caller may do with a claim; follows from the status alone."""

    PRESENT_WITH_QUOTE = "present_with_quote"
    """GROUNDED: present the claim as fact, with its quote."""
    REPORT_CONTRADICTION = "report_contradiction"
    """CONTRADICTED: do not present it; say what the source says, with its quote."""
    REFUSE = "refuse"
    """UNSUPPORTED: do not present it; say that no source supports it."""


PERMITTED: dict[Status, PermittedAction] = {
    Status.GROUNDED: PermittedAction.PRESENT_WITH_QUOTE,
    Status.CONTRADICTED: PermittedAction.REPORT_CONTRADICTION,
    Status.UNSUPPORTED: PermittedAction.REFUSE,
}


class Reason(StrEnum):
    """Why a verdict is what it is. A closed list; docs/documents.md says what each means."""

    # How a claim was met.
    SAME_WORDS = "same_words"
    SYNONYM = "synonym"
    CONVERTED = "converted"
    TABLE_CELL = "table_cell"
    RECORD_FIELDS = "record_fields"
    DERIVED = "derived"
    COMPOUND = "compound"
    PARTY_ALIAS = "party_alias"
    # What a source says otherwise.
    NUMBER_DIFFERS = "number_differs"
    DATE_DIFFERS = "date_differs"
    CURRENCY_DIFFERS = "currency_differs"
    UNIT_DIFFERS = "unit_differs"
    SCALE_DIFFERS = "scale_differs"
    BOUND_DIFFERS = "bound_differs"
    DIRECTION_DIFFERS = "direction_differs"
    IDENTIFIER_DIFFERS = "identifier_differs"
    NAME_DIFFERS = "name_differs"
    WORD_DIFFERS = "word_differs"
    ROLES_SWAPPED = "roles_swapped"
    NEGATED = "negated"
    SUPERSEDED = "superseded"
    PART_CONTRADICTED = "part_contradicted"
    # What keeps a claim from being decided.
    NO_STATEMENT = "no_statement"
    TOO_LONG = "too_long"
    NO_PASSAGE = "no_passage"
    NUMBER_MISSING = "number_missing"
    DATE_MISSING = "date_missing"
    IDENTIFIER_MISSING = "identifier_missing"
    NAME_MISSING = "name_missing"
    DETAIL_MISSING = "detail_missing"
    AMBIGUOUS_DATE = "ambiguous_date"
    AMBIGUOUS = "ambiguous"
    CONDITION = "condition"
    EXCEPTION = "exception"
    MODALITY = "modality"
    REPORTED = "reported"
    PROPOSED = "proposed"
    EXAMPLE = "example"
    QUANTIFIER = "quantifier"
    NARROWER = "narrower"
    BINDING = "binding"
    PART_UNSUPPORTED = "part_unsupported"
    SOURCES_DISAGREE = "sources_disagree"
    LOWER_TIER_DISAGREES = "lower_tier_disagrees"


@dataclass(frozen=True, slots=True)
class Location:
    """Where in its file a passage stands.

    Attributes:
        section: Headings above it, outermost first.
        page: From 1, where the format has pages.
        sheet: Of a workbook.
        start: In code points of the extracted text.
        end: Behind it.
    """

    section: tuple[str, ...] = ()
    page: int | None = None
    sheet: str = ""
    start: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        """For people: `4 Fees › 4.2 Payment terms, page 3`."""
        parts = [" › ".join(self.section), f"sheet {self.sheet}" if self.sheet else ""]
        parts.append(f"page {self.page}" if self.page is not None else "")
        return ", ".join(part for part in parts if part)


class SlotOutcome(StrEnum):
    """What became of one slot of the claim."""

    MET = "met"
    MISSING = "missing"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that the claim asserts, and what the passage has for it.

    Attributes:
        kind: number, date, identifier, name, word, negation, modality, condition, direction, bound or role.
        claimed: As the claim writes it.
        found: As the passage writes it; empty if it has nothing.
        outcome: Whether it is met.
    """

    kind: str
    claimed: str
    found: str
    outcome: SlotOutcome


@dataclass(frozen=True, slots=True)
class Passage:
    """A verbatim passage of one source, with its place and authority."""

    fragments: tuple[Fragment, ...]
    file: str
    location: Location
    tier: int

    @property
    def text(self) -> str:
        """Its fragments as written, joined with " […] "."""
        return JOINT.join(fragment.text for fragment in self.fragments)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One statement checked against a corpus.

    Attributes:
        status: What the corpus says about it.
        claim: As given.
        quotes: The fragments that decide, in order; empty for UNSUPPORTED. Each is a substring of its source.
        file: Of the first fragment; empty for UNSUPPORTED.
        location: Of the first fragment; None for UNSUPPORTED.
        tier: Of that source (1 to 3); None for UNSUPPORTED.
        reason_codes: Why, most telling first.
        explanation: Why, in the reader's language.
        slots: What the claim asserts and what became of it in the passage that decides or comes nearest.
        derivation: How a derived figure follows from the cells quoted ("12 + 30 = 42"); empty otherwise.
        conflicting: Passages of lower tier that disagree with a grounded claim, or agree with a contradicted one.
        nearest: The passage that comes closest when nothing decides.
    """

    status: Status
    claim: str
    quotes: tuple[Fragment, ...] = ()
    file: str = ""
    location: Location | None = None
    tier: int | None = None
    reason_codes: tuple[Reason, ...] = ()
    explanation: str = ""
    slots: tuple[Slot, ...] = ()
    derivation: str = ""
    conflicting: tuple[Passage, ...] = ()
    nearest: Passage | None = None

    @property
    def quote(self) -> str:
        """The fragments as written, joined with " […] "; empty for UNSUPPORTED."""
        return JOINT.join(fragment.text for fragment in self.quotes)

    @property
    def permitted_action(self) -> PermittedAction:
        """What a caller may do with the claim."""
        return PERMITTED[self.status]

    @property
    def evidence(self) -> tuple[Quote, ...]:
        """The fragments as evidence that a record can hold."""
        return tuple(Quote(f.file, f.start, f.end, f.text) for f in self.quotes)
