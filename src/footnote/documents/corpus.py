"""A corpus: a folder of documents, or texts from a call, that can be listed, searched, quoted, and verified against."""

from __future__ import annotations

import difflib
import hashlib
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from footnote.documents.building import Progress, follow, outdated, reader_version
from footnote.documents.disk import DiskIndex
from footnote.documents.folder import LEXICON, listing, read_lexicon, read_rules
from footnote.documents.keys import keys_of
from footnote.documents.memory import MemoryIndex
from footnote.documents.sections import Section, matching, sections_of
from footnote.documents.store import Store
from footnote.documents.texts import index_from_texts
from footnote.documents.tiers import OfTier
from footnote.documents.units import Fragment, Source, Unit
from footnote.documents.verdict import Verdict
from footnote.errors import Candidate, NameAmbiguous, NameUnknown

if TYPE_CHECKING:  # it costs as much as all the rest
    from footnote.documents.lexicon import Lexicon

BESIDE = ".footnote-index.db"
"""The index, where it stands beside its documents."""

LOOK_AGAIN = 50
"""How much longer than it takes to look through the folder it is at least trusted not to have changed."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A unit that a search found.

    Attributes:
        unit: Verbatim, with its place.
        score: Higher is nearer; comparable within one search only.
        tier: Of its source.
    """

    unit: Unit
    score: float
    tier: int


@dataclass(frozen=True, slots=True)
class Quotation:
    """A passage of a source.

    Attributes:
        fragment: Verbatim.
        section: Headings above it and its own.
        page: Of its beginning.
        tier: Of its source.
        units: The units in it, in order.
    """

    fragment: Fragment
    section: tuple[str, ...]
    page: int | None
    tier: int
    units: tuple[Unit, ...] = ()


class Corpus:
    """Documents that can be asked; safe to use from several threads.

    Attributes:
        problems: What of the folder is left out, in sentences; what of a file could not be read stands in its source.
    """

    def __init__(self, index: MemoryIndex | DiskIndex, folder: Folder | None = None) -> None:
        self._index = index
        self._folder = folder
        self._lock = threading.RLock()
        self._again = 0.0
        self._of_tier: dict[int, tuple[MemoryIndex | DiskIndex, OfTier]] = {}

    @classmethod
    def open(
        cls, path: str | Path, *, cache: Path | None = None, beside: bool = False, progress: Progress | None = None
    ) -> Corpus:
        """The corpus in a folder, its index brought up to date.

        Args:
            path: The folder.
            cache: Where indexes are kept; the user's cache folder if None.
            beside: Keep the index in the folder itself, as `.footnote-index.db`; also taken if that file is there.
            progress: Told while files are read.

        Raises:
            Unreachable: There is no such folder, or its index cannot be written.
            CorpusError: Its `corpus.yaml` cannot be used.
            ExtraMissing: A library that a reader needs is not installed.
        """
        folder = Folder(Path(path).expanduser().absolute(), cache, beside)
        return cls(folder.index(progress), folder)

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> Corpus:
        """A corpus of texts by file name: Markdown, unless the name's ending says plain text, CSV or HTML."""
        return cls(index_from_texts(texts))

    @property
    def index(self) -> MemoryIndex | DiskIndex:
        """The index as the engine sees it, up to date: the folder is looked through now and then."""
        if self._folder is not None and time.monotonic() >= self._again:
            self.refresh()
        return self._index

    @property
    def problems(self) -> tuple[str, ...]:
        """See the class."""
        return self._folder.problems if self._folder is not None else ()

    def refresh(self, progress: Progress | None = None) -> None:
        """Look through the folder now; what changed is read again."""
        if self._folder is None:
            return
        with self._lock:
            started = time.monotonic()
            self._index = self._folder.index(progress)
            now = time.monotonic()
            self._again = now + LOOK_AGAIN * (now - started)

    def close(self) -> None:
        """Close the index."""
        if self._folder is not None:
            self._folder.close()

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def verify(self, claim: str, *, tier: int | None = None, language: str = "en") -> Verdict:
        """What the corpus says about one statement; only GROUNDED may be presented as fact.

        Args:
            claim: A statement in any language; its grammar is known in English, Polish, German and French.
            tier: Only sources of this or higher authority (a smaller or equal tier).
            language: Of the explanation: en, pl, de or fr.
        """
        from footnote.documents.verify import verify

        return verify(claim, self.of_tier(tier), language, self.lexicon)

    def of_tier(self, tier: int | None) -> MemoryIndex | DiskIndex | OfTier:
        """The index, or the part of it with sources of this or higher authority."""
        index = self.index
        if tier is None:
            return index
        with self._lock:
            kept = self._of_tier.get(tier)
            if kept is None or kept[0] is not index:
                kept = self._of_tier[tier] = (index, OfTier(index, tier))
        return kept[1]

    @property
    def lexicon(self) -> Lexicon | None:
        """The vocabulary that stands beside the documents, with the package's; None for the package's alone."""
        return self._folder.lexicon if self._folder is not None else None

    # --- asking -------------------------------------------------------------------------------------------------------

    def sources(self, *, tier: int | None = None) -> Sequence[Source]:
        """All sources in order of their files' names, without text and units; only those of `tier` or higher authority."""
        return [source for source in self.index.sources() if tier is None or source.tier <= tier]

    def source(self, file: str) -> Source:
        """A source with its text and units.

        Raises:
            NameUnknown: The corpus has no such file (any more); with near names.
        """
        self.refresh()
        try:
            return self._index.full(file)
        except KeyError:
            files = [source.file for source in self._index.sources()]
            near = difflib.get_close_matches(file[:300], files, n=5, cutoff=0.3) or files[:5]
            raise NameUnknown(
                f"There is no document {file[:120]!r} in the corpus.",
                why="It was never there, or has been removed.",
                remedy="Take one of the names that exist, as list_sources gives them."
                if files
                else "The corpus is empty.",
                candidates=[Candidate(name) for name in near],
            ) from None

    def sections(self, file: str) -> list[Section]:
        """The sections of a file, in reading order.

        Raises:
            NameUnknown: As `source`.
        """
        return sections_of(self.source(file))

    def search(self, query: str, *, tier: int | None = None, limit: int = 20, offset: int = 0) -> list[Hit]:
        """Units that share rare words, numbers and identifiers with `query`, nearest first.

        Args:
            query: Words, in any order.
            tier: Only sources of this or higher authority (a smaller or equal tier).
            limit: At most so many.
            offset: So many are passed over, for a next page.
        """
        index = self.index
        wanted = (offset + limit) * (1 if tier is None else 8)
        hits = []
        for score, unit in index.scored([[key] for key in keys_of(query)], limit=max(1, wanted)):
            of = index.source(unit.file).tier
            if tier is None or of <= tier:
                hits.append(Hit(unit, score, of))
        return hits[offset : offset + limit]

    def quote(self, file: str, section: str = "") -> Quotation:
        """A section of a file by its number ("4.2"), title or path; the whole file without one.

        Raises:
            NameUnknown: No such file, or no such section; with those that there are.
            NameAmbiguous: Several sections are called so; with their paths.
        """
        source = self.source(file)
        if not section.strip():
            fragment = Fragment(file, 0, len(source.text), source.text)
            return Quotation(fragment, (), source.units[0].page if source.units else None, source.tier, source.units)
        all_ = sections_of(source)
        found = matching(all_, section)
        if len(found) == 1:
            start, end = found[0].start, found[0].end
            units = tuple(unit for unit in source.units if start <= unit.start and unit.end <= end)
            return Quotation(
                Fragment(file, start, end, source.text[start:end]), found[0].path, found[0].page, source.tier, units
            )
        named = [Candidate(s.name) for s in (found or all_)[:50]]
        if found:
            raise NameAmbiguous(
                f"{file} has {len(found)} sections that {section[:80]!r} may mean.",
                remedy="Give one of their paths.",
                candidates=named,
            )
        raise NameUnknown(
            f"{file} has no section {section[:80]!r}.",
            remedy="Take one of its sections." if named else "It has no sections; quote the whole file.",
            candidates=named,
        )


class Folder:
    """The folder of a corpus and where its index is kept."""

    def __init__(self, path: Path, cache: Path | None, beside: bool) -> None:
        self.path = path
        self.problems: tuple[str, ...] = ()
        self.lexicon: Lexicon | None = None
        self._words: str | None = None
        self._place = self._index_file(cache, beside)
        self._store: Store | None = None
        self._index: DiskIndex | None = None

    def _index_file(self, cache: Path | None, beside: bool) -> Path:
        if beside or (self.path / BESIDE).is_file():
            return self.path / BESIDE
        if cache is None:
            import platformdirs

            cache = platformdirs.user_cache_path("footnote")
        return (
            cache
            / "documents"
            / f"{hashlib.sha256(str(self.path).encode('utf-8', 'surrogateescape')).hexdigest()[:24]}.db"
        )

    def index(self, progress: Progress | None) -> DiskIndex:
        """The index, brought up to date; the same object as before if nothing changed."""
        rules = read_rules(self.path)
        self._read_lexicon()
        listed = listing(self.path, rules)
        if self._store is None:
            self._store = Store.open(self._place, reader_version())
        self.problems = listed.problems
        if outdated(self._store, listed):
            follow(self._store, self.path, listed, rules, progress)
            self._index = None
        if self._index is None or self._index.changed():
            self._index = DiskIndex(self._store)
        return self._index

    def _read_lexicon(self) -> None:
        """Take the words of `lexicon.yaml`; if they changed, what was made with others is made again."""
        words = read_lexicon(self.path)
        if words != self._words:
            from footnote.documents.lexicon import extended

            self.lexicon = extended(words, str(self.path / LEXICON)) if words is not None else None
            self._words, self._index = words, None

    def close(self) -> None:
        """Close the file of the index."""
        if self._store is not None:
            self._store.close()
        self._store = self._index = None
