"""One tree of errors. Every error says what happened, why, and what would work.

Faces translate this tree and nothing else: the command line takes `exit_code`, MCP takes `recoverable` (a tool error
that the caller can mend) and `as_dict()`. An exception that is not a `FootnoteError` is a fault of ours and is shown
to nobody in full, because its text may hold SQL parameters, paths or secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something the caller may have meant: a text that resolves, and the evidence id of the record it names."""

    text: str
    evidence_id: str = ""


class FootnoteError(Exception):
    """Base of all errors.

    Args:
        what: What happened, as a sentence.
        why: The cause, as a sentence; empty if `what` says it.
        remedy: What would work, as a sentence.
        candidates: What the caller may have meant, best first.
        details: Facts for a program (names, values); text or integers only.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    recoverable: ClassVar[bool] = True
    """True if another call could succeed, so that the caller may see the text."""

    def __init__(
        self,
        what: str,
        *,
        why: str = "",
        remedy: str = "",
        candidates: Sequence[Candidate] = (),
        details: dict[str, Any] | None = None,
    ) -> None:
        self.what = what
        self.why = why
        self.remedy = remedy
        self.candidates = tuple(candidates)
        self.details = dict(details or {})
        super().__init__(self.text)

    @property
    def text(self) -> str:
        """What, why and remedy as one paragraph."""
        return " ".join(part for part in (self.what, self.why, self.remedy) if part)

    def as_dict(self) -> dict[str, Any]:
        """The error as JSON values; absent parts are left out."""
        out: dict[str, Any] = {"code": self.code, "message": self.what}
        if self.why:
            out["why"] = self.why
        if self.remedy:
            out["remedy"] = self.remedy
        if self.candidates:
            out["candidates"] = [
                {"text": c.text} | ({"evidenceId": c.evidence_id} if c.evidence_id else {}) for c in self.candidates
            ]
        if self.details:
            out["details"] = self.details
        return out


# --- wrong use (exit code 2) ------------------------------------------------------------------------------------------


class UsageError(FootnoteError):
    """The call itself is wrong: an option, a setting, a file that is not what it should be."""

    code = "usage"
    exit_code = 2


class ArgumentError(UsageError):
    """An argument is missing, unknown, of the wrong type or outside its limits."""

    code = "argument"


class UnknownOperation(ArgumentError):
    """The catalog has no operation of this name."""

    code = "unknown_operation"


class CatalogError(UsageError):
    """A catalog that cannot be used. `details` has file and line where known."""

    code = "catalog"
    recoverable = False

    def __init__(self, what: str, *, file: str = "", line: int = 0, why: str = "", remedy: str = "") -> None:
        self.file = file
        self.line = line
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        details: dict[str, Any] = {}
        if file:
            details["file"] = file
        if line:
            details["line"] = line
        super().__init__(place + what, why=why, remedy=remedy, details=details)


class StatementRefused(CatalogError):
    """A statement that is not one harmless SELECT, or that cannot be translated faithfully."""

    code = "statement_refused"


class Untraceable(CatalogError):
    """A statement whose figures cannot be traced to rows; refused when the plan is made."""

    code = "untraceable"


# --- refusals and things that do not hold (exit code 1) ---------------------------------------------------------------


class Refused(FootnoteError):
    """There is no answer, and that is the answer."""

    code = "refused"


class NameUnknown(Refused):
    """No record has this name; `candidates` has real ones."""

    code = "name_unknown"


class NameAmbiguous(Refused):
    """More than one record has this name; Footnote never guesses between two."""

    code = "name_ambiguous"


class Unroutable(Refused):
    """No operation, or more than one, fits the question."""

    code = "unroutable"


class UnboundFigure(Refused):
    """Prose brings a figure, a name or a slot that no evidence covers."""

    code = "unbound_figure"


class AccessDenied(Refused):
    """The actor may not ask this."""

    code = "access_denied"


class TieOutError(FootnoteError):
    """A figure does not add up from the rows it cites. The figure is not returned."""

    code = "tie_out"


class CheckFailed(TieOutError):
    """A control check that the catalog declares does not hold."""

    code = "control_check"


class FigureError(FootnoteError):
    """A value that is not exact, or does not fit the type, unit or currency it is said to have."""

    code = "figure"


class CurrencyMismatch(FigureError):
    """Amounts of two currencies met where only one may be; they are never added."""

    code = "currency_mismatch"


class NumeralUnreadable(FigureError):
    """A text that is not one number, amount or date in the stated form; Footnote does not guess."""

    code = "numeral_unreadable"


class UnknownLocale(FigureError):
    """There is no such locale."""

    code = "unknown_locale"
    exit_code = 2


class LogBroken(FootnoteError):
    """The log does not verify."""

    code = "log_broken"


# --- cannot reach or read (exit code 3) -------------------------------------------------------------------------------


class Unreachable(FootnoteError):
    """Something Footnote depends on cannot be reached or read."""

    code = "unreachable"
    exit_code = 3


class SourceUnavailable(Unreachable):
    """The source cannot be reached or read, or denies it."""

    code = "source_unavailable"


class ValueUnreadable(SourceUnavailable):
    """The source holds a value that cannot be read exactly as the type its column is declared with."""

    code = "value_unreadable"


class SourceTimeout(Unreachable):
    """The source was slower than its limit."""

    code = "source_timeout"


class Cancelled(Unreachable):
    """The caller withdrew the call; its statement was cancelled."""

    code = "cancelled"


class SourceChanged(Unreachable):
    """The source does not have the tables and columns that the catalog names."""

    code = "source_changed"


class TooManyRows(Refused):
    """A result or its evidence is larger than the limit."""

    code = "too_many_rows"


class LogUnavailable(Unreachable):
    """The log cannot be written or read. No record, no answer."""

    code = "log_unavailable"


def counted(count: int, one: str, more: str = "") -> str:
    """A number of something in words for people: `1 record`, `28 parts`; `more` is what `one` with an s is not."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
