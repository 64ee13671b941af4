"""A session's documents: statements verified against them, with a record of each verdict, quote and search.

A verdict is an answer: GROUNDED and CONTRADICTED are recorded as answers whose claim is `quoted` and rests on the quote,
UNSUPPORTED as a refusal. No record, no verdict.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from footnote.access import Actor
from footnote.documents.presenting import verdict_dict
from footnote.documents.units import Fragment, Source
from footnote.documents.verdict import Status, Verdict
from footnote.errors import ArgumentError, Unreachable, UsageError
from footnote.evidence import Json, Quote
from footnote.operations.recordable import recordable
from footnote.provenance import Receipt
from footnote.session.ledger import Ledger, ledger_of
from footnote.session.verdicts import disagreeing, quote_dict, record_of, whole

if TYPE_CHECKING:
    from footnote.documents.building import Progress
    from footnote.documents.corpus import Corpus, Hit, Quotation
    from footnote.session.session import Session

Returned = TypeVar("Returned")

LONGEST_CLAIM = 100_000
"""Characters of a claim that are looked at; the engine refuses much shorter ones, with a reason."""

MOST_CLAIMS = 200
"""Claims of one `verify_all`."""

LONGEST_QUOTE = 20_000
"""Characters of a passage that one call returns; the rest is asked for by its offset."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A verdict and the receipt of its record; with the rows of the system of record that the claim names."""

    verdict: Verdict
    receipt: Receipt
    ledger: Ledger | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The verdict as every face shows it, with its record."""
        out = verdict_dict(self.verdict) | {"notes": list(self.notes), "record": self.receipt.as_dict()}
        return out | ({"rows": [row.as_dict() for row in self.ledger.rows]} if self.ledger is not None else {})


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a quoted section.

    Attributes:
        quotation: The section.
        fragment: Verbatim, what this page has of it.
        next_offset: Where the next page starts; None at the end.
    """

    quotation: Quotation
    fragment: Fragment
    next_offset: int | None


class Documents:
    """The corpus of one session; opened when first asked for.

    Args:
        session: Whose settings name the folder, and whose log takes the records.
        folder: Instead of the folder that the settings name.
        progress: Told while files are read for the first time.
    """

    def __init__(self, session: Session, folder: Path | None = None, progress: Progress | None = None) -> None:
        self._session = session
        self._folder = folder
        self._progress = progress
        self._lock = threading.Lock()
        self._corpus: Corpus | None = None

    @property
    def corpus(self) -> Corpus:
        """The documents themselves; looking at them leaves no record.

        Raises:
            UsageError: No folder is named.
            Unreachable: The folder cannot be read, or its index not written.
        """
        with self._lock:
            if self._corpus is None:
                from footnote.documents.corpus import Corpus

                folder = chosen_folder(self._session, self._folder)
                self._corpus = Corpus.open(folder, cache=self._session.settings.cache, progress=self._progress)
            return self._corpus

    def close(self) -> None:
        """Close the corpus if it is open."""
        with self._lock:
            if self._corpus is not None:
                self._corpus.close()
            self._corpus = None

    # --- calls --------------------------------------------------------------------------------------------------------

    def verify(self, claim: str, *, tier: int | None = None, actor: Actor | None = None) -> Verified:
        """What the documents say about one statement; recorded.

        Raises:
            ArgumentError: The claim is no text, or the tier none of 1, 2 and 3.
            FootnoteError: The documents cannot be read, or the record not written; there is no verdict then.
        """
        return self._recording(
            "verify", {"claim": claim, "tier": tier}, actor, lambda who: self._verify(claim, tier, who)
        )

    def verify_all(
        self, claims: Sequence[str], *, tier: int | None = None, actor: Actor | None = None
    ) -> list[Verified]:
        """As `verify`, for several statements; each has a record of its own.

        Raises:
            ArgumentError: There are none, or too many.
        """

        def checked(who: Actor) -> list[Verified]:
            if not claims or len(claims) > MOST_CLAIMS:
                raise ArgumentError(
                    f"There are {len(claims)} claims.", remedy=f"Give at least one and at most {MOST_CLAIMS}."
                )
            for claim in claims:
                _require_claim(claim)
            return [self._verify(claim, tier, who) for claim in claims]

        return self._recording("verify_all", {"claims": list(claims)[:MOST_CLAIMS], "tier": tier}, actor, checked)

    def search(
        self, query: str, *, tier: int | None = None, limit: int = 20, offset: int = 0, actor: Actor | None = None
    ) -> list[Hit]:
        """Units that share words with a query; that they were read is recorded.

        Raises:
            ArgumentError: The tier is none of 1, 2 and 3.
        """
        asked = {"query": query, "tier": tier, "limit": limit, "offset": offset}

        def found(who: Actor) -> list[Hit]:
            _require_tier(tier)
            hits = self.corpus.search(query, tier=tier, limit=limit, offset=offset)
            units = (hit.unit for hit in hits)
            self._read("search", asked, [Quote(u.file, u.start, u.end, u.text) for u in units], who)
            return hits

        return self._recording("search", asked, actor, found)

    def quote(self, file: str, section: str = "", *, offset: int = 0, actor: Actor | None = None) -> Page:
        """A section of a document, or as much of it as one call returns; that it was read is recorded.

        Args:
            file: In the corpus.
            section: Its number, title or path; empty for the whole file.
            offset: Characters of the section that are passed over, for its next page.
            actor: Whoever asks.

        Raises:
            NameUnknown, NameAmbiguous: No such file or section, or several sections; with candidates.
        """
        asked = {"file": file, "section": section, "offset": offset}

        def found(who: Actor) -> Page:
            page = _page(self.corpus.quote(file, section), max(0, offset))
            f = page.fragment
            self._read("quote", asked, [Quote(f.file, f.start, f.end, f.text)], who)
            return page

        return self._recording("quote", asked, actor, found)

    def passage(self, file: str, start: int, end: int, *, actor: Actor | None = None) -> tuple[Fragment, Source]:
        """A passage by its position, and its source with text and units; that it was read is recorded.

        Raises:
            NameUnknown: There is no such document.
            ArgumentError: The passage lies outside of it, or is longer than one call returns.
        """
        asked = {"file": file, "start": start, "end": end}

        def found(who: Actor) -> tuple[Fragment, Source]:
            source = self.corpus.source(file)
            if not 0 <= start < end <= len(source.text) or end - start > LONGEST_QUOTE:
                raise ArgumentError(
                    f"{file[:120]} has no passage {start}-{end}.", remedy=f"It has {len(source.text):,} characters."
                )
            fragment = Fragment(file, start, end, source.text[start:end])
            self._read("quote", asked, [Quote(file, start, end, fragment.text)], who)
            return fragment, source

        return self._recording("quote", asked, actor, found)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _recording(
        self, name: str, asked: dict[str, Any], actor: Actor | None, call: Callable[[Actor], Returned]
    ) -> Returned:
        who = actor or self._session.settings.actor
        told: dict[str, Json] = {"operation": name, "arguments": recordable(asked)}
        return self._session.recording(who, told, lambda: call(who))

    def _verify(self, claim: str, tier: int | None, actor: Actor) -> Verified:
        _require_claim(claim)
        _require_tier(tier)
        ledger, notes = self._ledger(claim)
        verdict = self._verdict(claim, tier, ledger)
        verdict = replace(verdict, claim=whole(verdict.claim))
        asked = {"claim": claim} | ({"tier": tier} if tier else {})
        return Verified(verdict, self._session.append(*record_of(verdict, asked, actor, ledger, notes)), ledger, notes)

    def _ledger(self, claim: str) -> tuple[Ledger | None, tuple[str, ...]]:
        """The rows that a claim names, and what must be said about that."""
        try:
            return ledger_of(self._session, claim), ()
        except Unreachable:
            return None, ("The system of record could not be read; only documents were looked at.",)

    def _verdict(self, claim: str, tier: int | None, ledger: Ledger | None) -> Verdict:
        """The verdict of the documents, and where the claim names rows, of both; if these disagree, it is doubt."""
        language = self._session.settings.language
        papers = self.corpus.verify(claim, tier=tier, language=language)
        if ledger is None:
            return papers
        from footnote.documents.together import Together
        from footnote.documents.verify import verify

        corpus = self.corpus
        rows = verify(claim, ledger.index, language, corpus.lexicon)
        if {rows.status, papers.status} == {Status.GROUNDED, Status.CONTRADICTED}:
            return disagreeing(claim, rows, papers, language)
        for one, other in ((rows, papers), (papers, rows)):
            if one.status is other.status is not Status.UNSUPPORTED:
                return replace(one, quotes=(*one.quotes, *other.quotes))
        decided = next((one for one in (rows, papers) if one.status is Status.CONTRADICTED), None)
        return decided or verify(claim, Together(ledger.index, corpus.of_tier(tier)), language, corpus.lexicon)

    def _read(self, name: str, asked: dict[str, Any], quotes: Sequence[Quote], actor: Actor) -> None:
        operations: list[Json] = [{"name": name, "arguments": recordable(asked)}]
        about = " ".join(str(asked[key]) for key in ("query", "file", "section") if asked.get(key))
        sections: dict[str, Json] = {"question": recordable(about), "operations": operations}
        self._session.append("read", actor, sections, [quote_dict(quote) for quote in quotes])


def _page(quotation: Quotation, offset: int) -> Page:
    """The part of a section behind `offset`; cut between lines where that is possible."""
    whole = quotation.fragment
    text = whole.text[offset : offset + LONGEST_QUOTE]
    following = None
    if offset + len(text) < len(whole.text):
        text = text[: text.rfind("\n") + 1] or text
        following = offset + len(text)
    start = whole.start + min(offset, len(whole.text))
    return Page(quotation, Fragment(whole.file, start, start + len(text), text), following)


_OPEN: WeakKeyDictionary[Session, Documents] = WeakKeyDictionary()
_OPENING = threading.Lock()


def documents_of(session: Session) -> Documents:
    """The documents of a session, the same object for every face."""
    with _OPENING:
        found = _OPEN.get(session)
        if found is None:
            found = _OPEN[session] = Documents(session)
        return found


def chosen_folder(session: Session, folder: Path | None = None) -> Path:
    """The folder of documents: `folder`, else the one of the settings, else the pack's own.

    Raises:
        UsageError: There is none.
    """
    found = folder or documents_folder(session)
    if found is None:
        raise UsageError("No documents are configured.", remedy="Name their folder in FOOTNOTE_DOCUMENTS.")
    return found


def documents_folder(session: Session) -> Path | None:
    """The folder that the settings name, else the one that comes with the pack; None if there is neither."""
    if session.settings.documents is not None:
        return session.settings.documents
    name = session.settings.catalog
    if Path(name).suffix or "/" in name:
        return None
    from footnote.catalog.load import find_catalog

    folder = find_catalog(name).parent / "documents"
    return folder if folder.is_dir() else None


def _require_claim(claim: object) -> None:
    if not isinstance(claim, str) or not claim.strip():
        raise ArgumentError("There is no claim to verify.", remedy="Give one statement.")
    if len(claim) > LONGEST_CLAIM:
        raise ArgumentError(
            f"The claim has {len(claim):,} characters.", remedy="Verify one statement at a time; verify_all takes many."
        )


def _require_tier(tier: int | None) -> None:
    if tier not in (None, 1, 2, 3):
        raise ArgumentError(
            f"The tier {str(tier)[:20]!r} is none of 1, 2 and 3.", remedy="Give 1 for contracts and ledgers alone."
        )
