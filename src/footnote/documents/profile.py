"""What a document is: its title, its authority and why, from when it holds, whom it is about. Pure.

What the operator says (`corpus.yaml`, front matter) comes first, then what the document says of itself, and its file's
name last: an agreement whose file is called `Mailing list.md` is an agreement.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from footnote.documents.cutting import units_of
from footnote.documents.dating import dates_in, effective_in
from footnote.documents.layout import BlockKind, Extract
from footnote.documents.parties import parties_in
from footnote.documents.units import Source


@dataclass(frozen=True, slots=True)
class Stated:
    """What the operator says about a file; None where nothing is said.

    Attributes:
        tier: 1 to 3.
        effective: From when it holds.
        amends: Files that it amends.
        title: What it is called.
        by: Where it is said, for people: `corpus.yaml`, `front matter`.
    """

    tier: int | None = None
    effective: dt.date | None = None
    amends: tuple[str, ...] = ()
    title: str = ""
    by: str = ""


_KINDS = """
2 | a draft | drafts? projekt\\s+umowy entwurf projet\\s+de\\s+contrat szkic
1 | a contract | agreements? contracts? amendments? addend\\w+ leases? deeds? umow[ay] aneks\\w* porozumienie \\w*vertrag
1 | a contract | nachtrag zusatzvereinbarung vereinbarung contrat avenant bail (?:general\\s+)?terms(?:\\s+and\\s+conditions)?
1 | a contract | regulamin agb schedules? exhibits? annex appendix anlage załącznik annexe charter statutes? policy
1 | a contract | conditions\\s+(?:générales|particulières) (?:allgemeine\\s+)?geschäftsbedingungen warunki\\s+\\w+
1 | an invoice | delivery\\s+notes? lieferschein dowód\\s+dostawy wz bon\\s+de\\s+livraison
1 | a statement of accounts | saldenbestätigung balance\\s+confirmation potwierdzenie\\s+salda
1 | a contract | articles\\s+of\\s+association purchase\\s+order zamówienie bestellung hausordnung house\\s+rules
1 | an invoice | invoices? faktur[ay] rechnung\\w* facture credit\\s+notes? nota\\s+(?:korygująca|księgowa) gutschrift avoir
1 | an invoice | receipts? paragon quittung
1 | a statement of accounts | balance\\s+sheets? income\\s+statements? profit\\s+and\\s+loss statements? ledgers? bilans\\w*
1 | a statement of accounts | rachunek\\s+zysków księg[ai] bilanz\\w* gewinn-?\\s?und\\s?verlust\\w* guv hauptbuch kontoauszug
1 | a statement of accounts | bilan compte\\s+de\\s+résultat grand\\s+livre relevé annual\\s+reports? 10-[kq] trial\\s+balance
1 | a price list or register | price\\s+lists? fee\\s+schedules? cennik preisliste registers? rejestr certificate tariff
1 | minutes | minutes protok[oó]ł\\w* sitzungsprotokoll protokoll niederschrift proc[eè]s-verbal resolutions? uchwał\\w* beschluss
2 | notes or a CRM export | crm notes? memos? memorandum notatk\\w+ notiz\\w* vermerk note\\s+interne internal export leads?
2 | notes or a CRM export | opportunit\\w+ pipeline
3 | correspondence | e-?mails? letters? correspondence messages? chat korespondencja pismo list briefe? nachricht courriels?
3 | correspondence | lettre
"""
"""What a title or a file's name says a document is, in the order in which it is tried: tier, kind, words."""

TIERS: tuple[tuple[int, str, re.Pattern[str]], ...] = tuple(
    (int(tier), what, re.compile(rf"(?:^|[\W_])(?:{'|'.join(words.split())})(?:$|[\W_])", re.IGNORECASE))
    for tier, what, words in (line.split(" | ") for line in _KINDS.strip().splitlines())
)

_MESSAGE_HEAD = re.compile(
    r"^\W{0,4}(?:from|to|subject|sent|cc|od|do|temat|wysłano|von|an|betreff|gesendet|de|à|objet|envoyé)\W{0,4}:",
    re.IGNORECASE,
)
_AMENDS = re.compile(
    r"\b(?:amend\w*|aneks\w*|nachtrag|zusatzvereinbarung|avenant|zmian\w+\s+do|änderungs\w+)", re.IGNORECASE
)


def source_of(file: str, extract: Extract, stated: Sequence[Stated] = ()) -> Source:
    """A source with its units, from what its reader found and what the operator says, the first saying first."""
    said, problems = _front_matter(extract.meta)
    sayings = [*stated, said]
    title = next((s.title for s in sayings if s.title), "") or _title(file, extract)
    tier, tier_reason = _tier(file, extract, title, sayings)
    effective, effective_reason = _effective(file, extract, title, sayings)
    return Source(
        file,
        title,
        extract.type,
        extract.text,
        units_of(file, extract),
        tier,
        tier_reason,
        effective,
        effective_reason,
        tuple(dict.fromkeys(name for s in sayings for name in s.amends)),
        parties_in(file, extract.text),
        (*extract.problems, *problems),
    )


def is_amendment(source: Source) -> bool:
    """Whether a document calls itself one that changes another."""
    return bool(_AMENDS.search(source.title))


def is_message(source: Source) -> bool:
    """Whether a document is a message, by its type or by how it begins."""
    return source.type == "eml" or source.tier_reason == _LIKE_A_MESSAGE


_LIKE_A_MESSAGE = "it begins like a message (from, to, subject)"


def _title(file: str, extract: Extract) -> str:
    if extract.title.strip():
        return " ".join(extract.title.split())[:200]
    for block in extract.blocks[:3]:
        said = " ".join(extract.text[block.start : block.end].split())
        if block.kind is BlockKind.HEADING or (block.kind is BlockKind.PARAGRAPH and len(said) <= 90):
            return said
    return PurePosixPath(file).stem


# --- tier -------------------------------------------------------------------------------------------------------------


def _tier(file: str, extract: Extract, title: str, sayings: Sequence[Stated]) -> tuple[int, str]:
    for said in sayings:
        if said.tier is not None:
            return said.tier, f"{said.by} says tier {said.tier}"
    if extract.type == "eml" or "!" in file:
        return 3, "it is a message"
    head = extract.text[:600].splitlines()
    if sum(bool(_MESSAGE_HEAD.match(line)) for line in head[:12]) >= 2:
        return 3, _LIKE_A_MESSAGE
    named = _named(title) or _named_at_top(extract)
    if named:
        return named[0], f"its title names {named[1]}: “{title[:80]}”"
    named = _named(PurePosixPath(file).name)
    if named:
        return named[0], f"its file's name says {named[1]}"
    return 2, "nothing says what kind of document it is"


def _named(text: str) -> tuple[int, str] | None:
    return next(((tier, what) for tier, what, words in TIERS if words.search(text)), None)


def _named_at_top(extract: Extract) -> tuple[int, str] | None:
    """What one of the first short blocks says it is, below a title that says nothing."""
    for block in extract.blocks[:6]:
        said = extract.text[block.start : block.end]
        if block.kind is not BlockKind.TABLE and len(said) <= 90 and (named := _named(said)):
            return named
    return None


# --- dates ------------------------------------------------------------------------------------------------------------


def _effective(file: str, extract: Extract, title: str, sayings: Sequence[Stated]) -> tuple[dt.date | None, str]:
    for said in sayings:
        if said.effective is not None:
            return said.effective, f"{said.by} says so"
    if extract.date is not None:
        return extract.date, "the message was sent then"
    kind = (_named(title) or (1, "a contract"))[1]
    amends = bool(_AMENDS.search(title))
    if extract.type not in ("csv", "xlsx") and (
        found := effective_in(extract.text, own_date_first=kind != "a contract", amends=amends)
    ):
        return found[0], f"the document says “{found[1]}”"
    named = next(iter(dates_in(PurePosixPath(file).stem.replace("_", " "))), None)
    return (named[2], "its file's name says so") if named else (None, "")


def _front_matter(meta: Mapping[str, Any]) -> tuple[Stated, tuple[str, ...]]:
    if not meta:
        return Stated(), ()
    return stated_in(meta, "front matter")


def stated_in(meta: Mapping[str, Any], by: str) -> tuple[Stated, tuple[str, ...]]:
    """What a mapping of texts says about a file, and what in it cannot be used."""
    problems: list[str] = []
    tier = str(meta.get("tier", "")).strip()
    if tier and tier not in ("1", "2", "3"):
        problems.append(f"{by}: the tier {tier[:20]!r} is none of 1, 2 and 3, so it is not used.")
        tier = ""
    effective = _as_date(meta.get("effective", meta.get("date")), by, problems)
    amends = meta.get("amends", ())
    names = [amends] if isinstance(amends, str) else amends if isinstance(amends, list) else []
    title = meta.get("title", "")
    return (
        Stated(
            int(tier) if tier else None,
            effective,
            tuple(str(name) for name in names),
            title if isinstance(title, str) else "",
            by,
        ),
        tuple(problems),
    )


def _as_date(value: Any, by: str, problems: list[str]) -> dt.date | None:
    if value is None or value == "":
        return None
    found = next(iter(dates_in(str(value))), None)
    if found is None:
        problems.append(f"{by}: the date {str(value)[:30]!r} cannot be read, so it is not used; write YYYY-MM-DD.")
        return None
    return found[2]
