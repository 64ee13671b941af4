"""A claim verified against a corpus: candidates, comparison, authority, supersession, one verdict.

Same corpus and same claim give the same verdict, whatever else is in the corpus and in whatever order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from footnote.documents.align import Alignment
from footnote.documents.amendments import Change
from footnote.documents.compare import compare
from footnote.documents.constructions import reworded
from footnote.documents.derive import derivable, derive
from footnote.documents.desk import Desk, desk_of
from footnote.documents.explain import explain
from footnote.documents.index import Index
from footnote.documents.lexicon import Lexicon, language_of, package_lexicon
from footnote.documents.paraphrases import Reading, judge_paraphrase, reading_of
from footnote.documents.records import judge_record
from footnote.documents.references import resolved, since
from footnote.documents.rows import judge_row
from footnote.documents.rowstates import judge_state
from footnote.documents.rowtexts import judge_text
from footnote.documents.sieve import Sought, sought
from footnote.documents.statements import Statement, statements
from footnote.documents.supersession import change_of, superseded
from footnote.documents.tokens import Kind, Token, read
from footnote.documents.units import Fragment, Unit, UnitKind
from footnote.documents.verdict import Location, Passage, Reason, Slot, SlotOutcome, Status, Verdict

LONGEST = 2_000
"""Characters of a claim; a longer text is no statement but a document."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one unit says about one statement of the claim.

    Attributes:
        status: UNSUPPORTED if it decides nothing.
        reasons: Why.
        unit: The unit.
        tier: Of its source.
        closeness: Share of the claim's slots that are met.
        slots: What became of each.
        fragments: What is quoted of it; the whole unit if empty.
        derivation: How a figure follows from the fragments.
    """

    status: Status
    reasons: tuple[Reason, ...]
    unit: Unit
    tier: int
    closeness: float
    slots: tuple[Slot, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    derivation: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One statement of the claim decided: the finding that decides, those that disagree, and the nearest."""

    status: Status
    reasons: tuple[Reason, ...]
    decisive: Finding | None
    conflicting: tuple[Finding, ...]
    nearest: Finding | None


def verify(claim: str, index: Index, language: str = "en", lexicon: Lexicon | None = None) -> Verdict:
    """The verdict on one claim.

    Args:
        claim: A statement, in any language; grammar is known in English, German, French and Polish.
        index: The corpus.
        language: Of the explanation: en, pl, de or fr.
        lexicon: Vocabulary; the package's if None.
    """
    words = lexicon or package_lexicon()
    if len(claim) > LONGEST:
        return _refused(claim, Reason.TOO_LONG, language)
    spoken = language_of(claim)
    parts = [
        replace(p, also=reworded(p, passage=False)) for p in shared(statements(read(claim, spoken, words), spoken))
    ]
    if not parts or claim.rstrip().endswith("?"):
        return _refused(claim, Reason.NO_STATEMENT, language)
    desk = desk_of(index, words)
    reading = reading_of(claim)
    judgements = [judge(part, desk, reading) for part in (parts[:1] if reading else parts)]
    return explain(_verdict(claim, judgements), language)


def shared(parts: Sequence[Statement]) -> list[Statement]:
    """A date that one part of a compound states holds for the parts that state none."""
    dates = {t.period.key: t for part in parts for t in part.content if t.period is not None and not _is_value(t, part)}
    if len(parts) < 2 or len(dates) != 1:
        return list(parts)
    date = next(iter(dates.values()))
    return [
        part if any(t.kind is Kind.PERIOD for t in part.content) else replace(part, tokens=(*part.tokens, date))
        for part in parts
    ]


def _is_value(token: Token, part: Statement) -> bool:
    """The part says nothing but this date: "and is due on 2 May"."""
    return token.kind is Kind.PERIOD and not any(other.kind is Kind.NUMBER for other in part.content)


def judge(part: Statement, desk: Desk, reading: Reading | None = None) -> Judgement:
    """One statement of a claim decided by the corpus."""
    ways = (part, *part.also)
    whats = [sought(way, desk.lexicon, desk.letters) for way in ways]
    units = dict.fromkeys(unit for way in ways for unit in desk.candidates(way.content))
    findings = [_sifted(part, whats, unit, desk) for unit in units]
    findings.extend(_derived(part, findings, desk))
    if reading is not None:
        findings.extend(_paraphrases(reading, desk))
    findings.sort(key=lambda f: (-f.closeness, f.tier, f.unit.file, f.unit.number))
    grounded, against, replaced = _in_force(findings, desk)
    silenced = _silenced(findings, (*grounded, *against), desk)
    nearest = findings[0] if findings and findings[0].closeness > 0 else None
    if nearest is not None and not nearest.reasons:
        nearest = finding_of(part, nearest.unit, desk)
    if replaced is not None and not grounded and not against:
        return _replaced(*replaced, nearest, desk)
    if silenced is not None:
        return Judgement(Status.UNSUPPORTED, (Reason.SUPERSEDED,), None, (*grounded, *against), nearest or silenced)
    if not grounded and not against:
        reasons = nearest.reasons if nearest else (Reason.NO_PASSAGE,)
        return Judgement(Status.UNSUPPORTED, reasons, None, (), nearest)
    return _attributed(part, _weighed(grounded, against, nearest, desk), desk)


def _attributed(part: Statement, judgement: Judgement, desk: Desk) -> Judgement:
    """What nothing but a message says is decided by nothing, unless the claim says whose words they are."""
    decisive = judgement.decisive
    reported = any(token.operator == "reported" for token in part.bars)
    if decisive is None or reported or not desk.context(decisive.unit.file).message:
        return judgement
    return Judgement(Status.UNSUPPORTED, (Reason.REPORTED,), None, (decisive, *judgement.conflicting), decisive)


def _derived(part: Statement, findings: Sequence[Finding], desk: Desk) -> list[Finding]:
    """What follows from the tables whose rows come close, if no row says it."""
    if not derivable(part) or any(f.status is not Status.UNSUPPORTED for f in findings):
        return []
    rows = [f.unit for f in findings if f.unit.kind is UnitKind.ROW]
    tables = {(u.file, u.table.number): u for u in reversed(rows) if u.table is not None}
    out: list[Finding] = []
    for unit in list(tables.values())[:4]:
        found = derive(part, [desk.row(row) for row in desk.peers(unit)], desk.around(unit))
        if found is not None:
            tier = desk.context(unit.file).tier
            reasons = (Reason.DERIVED,) if found.reason is Reason.DERIVED else (found.reason, Reason.DERIVED)
            out.append(Finding(found.status, reasons, found.row.unit, tier, 1.0, (), found.fragments, found.text))
    return out


def _paraphrases(reading: Reading, desk: Desk) -> list[Finding]:
    """What passages say in the ways that a rule knows."""
    out: list[Finding] = []
    for unit in desk.found_by(reading.rule.find):
        if unit.kind in (UnitKind.HEADING, UnitKind.ROW) or (reading.rule.preamble and unit.number > _OPENING):
            continue
        said = judge_paraphrase(reading, unit.text)
        if said is not None and desk.names_itself(unit.file, reading.agreement.split()):
            out.append(Finding(said[0], (said[1],), unit, desk.context(unit.file).tier, 1.0))
    return out


_OPENING = 40
"""Units at the beginning of a document, among which it says when it was made."""


def _in_force(
    findings: Sequence[Finding], desk: Desk
) -> tuple[list[Finding], list[Finding], tuple[Finding, Change] | None]:
    """What grounds and what contradicts, without clauses that an amendment has changed; and one of those that ground."""
    grounded: list[Finding] = []
    against: list[Finding] = []
    replaced: tuple[Finding, Change] | None = None
    for finding in findings:
        if finding.status is Status.UNSUPPORTED:
            continue
        change = change_of(finding.unit, desk)
        if change is not None:
            replaced = replaced or ((finding, change) if finding.status is Status.GROUNDED else None)
        else:
            (grounded if finding.status is Status.GROUNDED else against).append(finding)
    return grounded, against, replaced


def _silenced(findings: Sequence[Finding], left: Sequence[Finding], desk: Desk) -> Finding | None:
    """A changed clause of more authority than all that is left: what it says now is not read, and no mail takes its place."""
    tier = min((finding.tier for finding in left), default=0)
    return next(
        (
            finding
            for finding in findings
            if finding.status is not Status.UNSUPPORTED and finding.tier < tier and change_of(finding.unit, desk)
        ),
        None,
    )


def _replaced(finding: Finding, change: Change, nearest: Finding | None, desk: Desk) -> Judgement:
    """A clause that would ground the claim is deleted, which contradicts it, or replaced by what does not decide."""
    tier = desk.context(change.unit.file).tier
    if not change.deleted or tier > finding.tier:
        return Judgement(Status.UNSUPPORTED, (Reason.SUPERSEDED,), None, (), nearest)
    deciding = Finding(Status.CONTRADICTED, (Reason.SUPERSEDED,), change.unit, tier, finding.closeness)
    return Judgement(Status.CONTRADICTED, (Reason.SUPERSEDED,), deciding, (finding,), nearest)


def _weighed(grounded: Sequence[Finding], against: Sequence[Finding], nearest: Finding | None, desk: Desk) -> Judgement:
    """Authority decides, then what supersedes what; between equals nothing does."""
    for_tier = min((f.tier for f in grounded), default=9)
    against_tier = min((f.tier for f in against), default=9)
    strong_for = [f for f in grounded if f.tier == for_tier]
    strong_against = [f for f in against if f.tier == against_tier]
    if for_tier < against_tier:
        return Judgement(Status.GROUNDED, _and(strong_for[0], against), strong_for[0], tuple(against), nearest)
    if against_tier < for_tier:
        return Judgement(Status.CONTRADICTED, strong_against[0].reasons, strong_against[0], tuple(grounded), nearest)
    left_for = [f for f in strong_for if not superseded(f.unit, [g.unit for g in strong_against], desk)]
    left_against = [f for f in strong_against if not superseded(f.unit, [g.unit for g in strong_for], desk)]
    weaker = tuple(f for f in against if f.tier > against_tier)
    if left_for and not left_against:
        return Judgement(Status.GROUNDED, _and(left_for[0], weaker), left_for[0], weaker, nearest)
    if left_against and not left_for:
        reasons = tuple(dict.fromkeys((Reason.SUPERSEDED, *left_against[0].reasons)))
        return Judgement(Status.CONTRADICTED, reasons, left_against[0], tuple(grounded), nearest)
    both = (*left_for, *left_against)
    return Judgement(Status.UNSUPPORTED, (Reason.SOURCES_DISAGREE,), None, both, nearest)


def _and(finding: Finding, weaker: Sequence[Finding]) -> tuple[Reason, ...]:
    return (*finding.reasons, Reason.LOWER_TIER_DISAGREES) if weaker else finding.reasons


def _sifted(part: Statement, whats: Sequence[Sought], unit: Unit, desk: Desk) -> Finding:
    """The finding of a unit that may decide; of any other one, only how close it comes."""
    if unit.kind is not UnitKind.HEADING:
        possible, closeness = max(desk.sifted(what, unit) for what in whats)
        if possible:
            return finding_of(part, unit, desk)
        return Finding(Status.UNSUPPORTED, (), unit, desk.context(unit.file).tier, closeness)
    return Finding(Status.UNSUPPORTED, (Reason.NO_PASSAGE,), unit, 9, 0.0)


def finding_of(part: Statement, unit: Unit, desk: Desk) -> Finding:
    """What one unit says about one statement of a claim."""
    context = desk.context(unit.file)
    if unit.kind is UnitKind.HEADING:
        return Finding(Status.UNSUPPORTED, (Reason.NO_PASSAGE,), unit, context.tier, 0.0)
    if unit.kind is UnitKind.ROW:
        return _row_finding(part, unit, desk)
    best = _record_finding(part, unit, desk) if unit.kind is UnitKind.PAIR else None
    effect = desk.effect(unit)
    ways = [replace(way, tokens=since(way.tokens, effect)) for way in (part, *part.also)]
    for way, statement in product(ways, desk.statements(unit)):
        claim = resolved(way, context, statement.tokens, desk.lexicon, desk.heading(unit))
        outcome = compare(claim, statement, context, desk.lexicon)
        finding = Finding(
            outcome.status, outcome.reasons, unit, context.tier, outcome.closeness, slots_of(outcome.alignment)
        )
        if best is None or _rank(finding) > _rank(best):
            best = finding
    return best or Finding(Status.UNSUPPORTED, (Reason.NO_PASSAGE,), unit, context.tier, 0.0)


_ORDER = {Status.UNSUPPORTED: 0, Status.CONTRADICTED: 1, Status.GROUNDED: 2}


def _rank(finding: Finding) -> tuple[int, float]:
    return _ORDER[finding.status], finding.closeness


def slots_of(alignment: Alignment) -> tuple[Slot, ...]:
    """What became of each slot of the claim in a passage."""
    differs = {id(mine): its for _, mine, its in alignment.differs}
    out: list[Slot] = []
    for token, place in zip(alignment.claim, alignment.at, strict=True):
        if place is not None:
            out.append(Slot(_kind(token), token.text, alignment.passage[place].text, SlotOutcome.MET))
        elif id(token) in differs:
            out.append(Slot(_kind(token), token.text, differs[id(token)].text, SlotOutcome.DIFFERS))
        else:
            out.append(Slot(_kind(token), token.text, "", SlotOutcome.MISSING))
    return tuple(out)


def _kind(token: Token) -> str:
    return "name" if token.name else "date" if token.kind is Kind.PERIOD else token.kind.value


def _record_finding(part: Statement, unit: Unit, desk: Desk) -> Finding | None:
    outcome = judge_record(
        part,
        desk.field(unit),
        desk.fields_near(unit),
        desk.identity(unit.file),
        (desk.lexicon.receives, desk.lexicon.pays),
    )
    if outcome is None:
        return None
    fragments = tuple(fragment_of(each) for each in outcome.units)
    tier = desk.context(unit.file).tier
    return Finding(outcome.status, (outcome.reason,), unit, tier, outcome.closeness, (), fragments)


def _row_finding(part: Statement, unit: Unit, desk: Desk) -> Finding:
    context = desk.context(unit.file)
    row = desk.row(unit)
    claim = resolved(part, context, (*row.label, *row.group, *row.table), desk.lexicon)
    peers = [desk.row(peer) for peer in desk.peers(unit)]
    identity = desk.identity(unit.file)
    outcome = judge_state(claim, row, identity) or judge_text(claim, row, identity, peers)
    outcome = outcome or judge_row(claim, row, desk.around(unit), identity, peers)
    return Finding(outcome.status, outcome.reasons, unit, context.tier, outcome.closeness)


def _refused(claim: str, reason: Reason, language: str) -> Verdict:
    return explain(Verdict(Status.UNSUPPORTED, claim, reason_codes=(reason,)), language)


def _verdict(claim: str, judgements: Sequence[Judgement]) -> Verdict:
    """All parts grounded: grounded. One contradicted: contradicted. Otherwise unsupported."""
    against = next((j for j in judgements if j.status is Status.CONTRADICTED), None)
    open_ = next((j for j in judgements if j.status is Status.UNSUPPORTED), None)
    compound = len(judgements) > 1
    conflicting = tuple(passage_of(f) for j in judgements for f in j.conflicting)
    if against is not None and against.decisive is not None:
        reasons = ((Reason.PART_CONTRADICTED,) if compound else ()) + against.reasons
        return _decided(Status.CONTRADICTED, claim, [against.decisive], reasons, conflicting)
    if open_ is not None:
        reasons = ((Reason.PART_UNSUPPORTED,) if compound else ()) + open_.reasons
        nearest = passage_of(open_.nearest) if open_.nearest else None
        return Verdict(Status.UNSUPPORTED, claim, reason_codes=reasons, conflicting=conflicting, nearest=nearest)
    reasons = tuple(dict.fromkeys(reason for j in judgements for reason in j.reasons))
    deciding = [j.decisive for j in judgements if j.decisive is not None]
    return _decided(Status.GROUNDED, claim, deciding, (*reasons, Reason.COMPOUND) if compound else reasons, conflicting)


def _decided(
    status: Status,
    claim: str,
    findings: Sequence[Finding],
    reasons: tuple[Reason, ...],
    conflicting: tuple[Passage, ...],
) -> Verdict:
    first = findings[0]
    quoted = (f for finding in findings for f in (finding.fragments or (fragment_of(finding.unit),)))
    fragments = tuple(dict.fromkeys(quoted))
    return Verdict(
        status,
        claim,
        fragments,
        first.unit.file,
        location_of(first.unit),
        max(finding.tier for finding in findings),
        reasons,
        slots=first.slots,
        derivation="; ".join(finding.derivation for finding in findings if finding.derivation),
        conflicting=conflicting,
    )


def fragment_of(unit: Unit) -> Fragment:
    """A unit as a verbatim passage."""
    return Fragment(unit.file, unit.start, unit.end, unit.text)


def location_of(unit: Unit) -> Location:
    """Where a unit stands."""
    return Location(unit.section, unit.page, unit.sheet, unit.start, unit.end)


def passage_of(finding: Finding) -> Passage:
    """The passage of a finding."""
    unit = finding.unit
    return Passage((fragment_of(unit),), unit.file, location_of(unit), finding.tier)
