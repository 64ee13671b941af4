"""A grounded claim with one thing changed is never grounded: a number, a date, a unit, a currency, a negation, a party.

Every grounded claim of every labelled set is changed in every way that is known here; what stays grounded is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from footnote.documents.index import Index
from footnote.documents.labelled import read_items
from footnote.documents.lexicon import language_of, package_data, package_lexicon, stems_of, words_of
from footnote.documents.memory import MemoryIndex
from footnote.documents.reading import sources_of_bytes
from footnote.documents.texts import index_from_texts
from footnote.documents.tokens import read
from footnote.documents.verdict import Status, Verdict
from footnote.documents.verify import verify

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "claims"
LEASE = ROOT / "tests" / "corpora" / "lease"
SAMPLE = ROOT / "src" / "footnote" / "packs" / "sample"
SETS = {
    "adversarial": ROOT / "tests" / "corpora" / "adversarial" / "claims.jsonl",
    "lease": LEASE / "claims.jsonl",
    "sample": SAMPLE / "claims.jsonl",
    "kinds": SHARED / "kinds.jsonl",
    "numeric": SHARED / "numeric" / "claims.jsonl",
    "contracts": SHARED / "contracts" / "claims.jsonl",
}
MONTHS = "January February March April May June July August September October November December".split()
UNITS = [
    ("days", "weeks"), ("day", "week"), ("weeks", "days"), ("months", "days"), ("month", "week"), ("years", "months"),
    ("hours", "days"), ("Tage", "Wochen"), ("Tagen", "Wochen"), ("Monate", "Tage"), ("Monaten", "Tagen"), ("jours", "mois"),
    ("mois", "jours"), ("ans", "mois"), ("dni", "miesięcy"), ("miesięcy", "dni"), ("EUR", "USD"), ("USD", "EUR"), ("$", "£"),
    ("€", "$"), ("£", "€"), ("PLN", "EUR"), ("zł", "EUR"), ("CHF", "EUR"), ("NOK", "EUR"), ("GBP", "EUR"), ("million", "billion"),
    ("thousand", "million"), ("billion", "million"), ("Mio.", "Mrd."), ("mln", "mld"), ("km", "miles"), ("kg", "tonnes"),
    ("%", " basis points"), ("monthly", "weekly"), ("annual", "monthly"), ("per year", "per month"), ("at least", "at most"),
    ("at most", "at least"), ("up to", "at least"), ("rose", "fell"), ("fell", "rose"), ("increase", "decrease"),
]  # fmt: skip
NEGATIONS = [
    (" is ", " is not "), (" are ", " are not "), (" was ", " was not "), (" were ", " were not "), (" shall ", " shall not "),
    (" may ", " may not "), (" must ", " must not "), (" will ", " will not "), (" not ", " "), (" ist ", " ist nicht "),
    (" beträgt ", " beträgt nicht "), (" darf ", " darf nicht "), (" kann ", " kann nicht "), (" muss ", " muss nicht "),
    (" nicht ", " "), (" keine ", " eine "), (" kein ", " ein "), (" nie ", " "), (" wynosi ", " nie wynosi "),
    (" może ", " nie może "), (" est ", " n'est pas "), (" peut ", " ne peut pas "), (" has ", " has not "), (" no ", " a "),
    ("No ", "A "), ("Neither ", "Either "), (" never ", " "),
]  # fmt: skip
WORDS = {
    "two": "three", "three": "four", "four": "five", "five": "six", "six": "seven", "ten": "eleven", "fifteen": "fifty",
    "thirty": "thirteen", "sixty": "sixteen", "ninety": "nineteen", "zwei": "drei", "drei": "vier", "sechs": "sieben",
    "deux": "trois", "trois": "quatre", "dwa": "trzy", "trzy": "cztery", "zehn": "elf", "dziesięć": "jedenaście",
}  # fmt: skip
STRANGERS = ("Quixotec", "Vandermolen")


def changed(claim: str, parties: list[str], *, ranged: bool) -> Iterator[tuple[str, str]]:
    """Every change of one thing, with its kind."""
    yield from (("number", other) for other in _other_numbers(claim, ranged=ranged))
    yield from (("date", other) for other in _other_months(claim))
    yield from (("unit", other) for unit, turned in UNITS for other in _swapped_word(claim, unit, turned))
    yield from (("negation", claim.replace(said, turned, 1)) for said, turned in NEGATIONS if said in claim)
    for word, turned in WORDS.items():
        yield from (("number in words", other) for other in _swapped_word(claim, word, turned))
    here = [name for name in parties if re.search(rf"\b{re.escape(name)}\b", claim)]
    for name in here:
        for stranger in STRANGERS:
            yield "party", re.sub(rf"\b{re.escape(name)}\b", stranger, claim)
    if len(here) == 2 and not _BOTH.search(claim):
        one, other = here
        yield "parties swapped", claim.replace(one, "\0").replace(other, one).replace("\0", other)


_BOTH = re.compile(r"\b(?:neither|either|between|both|and|oraz|und|et|ani)\b", re.IGNORECASE)


def _other_numbers(claim: str, *, ranged: bool) -> Iterator[str]:
    for match in re.finditer(r"\d+", claim):
        digits = match[0]
        for other in {str(int(digits) + 1).zfill(len(digits)), digits + "7", str(int(digits) * 10 + 13)}:
            if not ranged or len(other) > len(digits):
                yield claim[: match.start()] + other + claim[match.end() :]


def _other_months(claim: str) -> Iterator[str]:
    for at, month in enumerate(MONTHS):
        for match in re.finditer(rf"\b{month}\b(?=.{{0,4}}\d)|(?<=\d ){month}\b", claim):
            yield claim[: match.start()] + MONTHS[(at + 1) % 12] + claim[match.end() :]


def _swapped_word(claim: str, word: str, turned: str) -> Iterator[str]:
    left, right = (r"(?<!\w)" if word[0].isalpha() else ""), (r"(?!\w)" if word[-1].isalpha() else "")
    for match in re.finditer(left + re.escape(word) + right, claim):
        yield claim[: match.start()] + turned + claim[match.end() :]


def _indexed(name: str) -> Index | None:
    folder = {"lease": LEASE, "sample": SAMPLE}.get(name)
    if folder is None:
        return None
    documents = folder / "documents"
    files = sorted(path for path in documents.rglob("*") if path.is_file() and path.name != "corpus.yaml")
    found = [s for f in files for s in sources_of_bytes(str(f.relative_to(documents)), f.read_bytes(), lambda _: ())]
    return MemoryIndex(found)


def _claims(name: str) -> Iterator[tuple[str, Index]]:
    path, corpus = SETS[name], _indexed(name)
    for item in read_items(path):
        texts = {
            doc: (path.parent / doc).read_text(encoding="utf-8") if content is None else content
            for doc, content in item.docs or ()
        }
        index = corpus if item.docs is None else index_from_texts(texts)
        assert index is not None
        yield item.labelled.claim, index


def _states_range(verdict: Verdict) -> bool:
    tokens = read(verdict.quote, language_of(verdict.quote), package_lexicon())
    return any(token.quantity is not None and token.quantity.bound != "=" for token in tokens)


def _values(text: str) -> list[object]:
    """What a text counts, so that 4.8 changed to 4.80 is seen to be no change."""
    return [
        token.quantity and (token.quantity.value, token.quantity.upper)
        for token in read(text, language_of(text), package_lexicon())
    ]


@pytest.mark.parametrize("name", SETS)
def test_a_grounded_claim_with_one_thing_changed_is_never_grounded(name: str) -> None:
    if not SETS[name].exists():
        pytest.skip(f"{SETS[name]} is not there; it is not part of the repository")
    survivors: list[str] = []
    grounded = tried = 0
    for claim, index in _claims(name):
        verdict = verify(claim, index)
        if verdict.status is not Status.GROUNDED:
            continue
        grounded += 1
        parties = [party.name.split()[0] for source in index.sources() for party in source.parties]
        seen = {claim}
        for kind, other in changed(claim, list(dict.fromkeys(parties)), ranged=_states_range(verdict)):
            if other in seen or (kind == "number" and _values(other) == _values(claim) and "-" not in other):
                continue
            seen.add(other)
            tried += 1
            if verify(other, index).status is Status.GROUNDED:
                survivors.append(f"{kind}: {claim!r} → {other!r}")
    assert not survivors, "\n".join(survivors)
    assert grounded >= 5, "so few grounded claims test nothing"
    assert tried > grounded


def turned_into_its_opposite(claim: str) -> Iterator[str]:
    """The claim with one expression in it replaced by one that is declared to be never the same."""
    language = language_of(claim)
    lexicon, concepts = package_lexicon(), package_data()["concepts"]
    written = re.findall(r"[^\W\d_]+", claim)
    words = [words_of(word)[0] for word in written]
    stems = [stems_of(word, language)[0] for word in written]
    for at in range(len(words)):
        count, means = lexicon.concepts[language].find(words, stems, at)
        others = {other for concept in means for other in lexicon.opposite.get(concept, ())} - set(means)
        said = r"\W+".join(map(re.escape, written[at : at + count]))
        for expressions in (concepts[other].get(language, "") for other in sorted(others)):
            for entry in expressions.split("|")[:2]:
                if entry:
                    yield re.sub(rf"\b{said}\b", entry, claim, count=1)


@pytest.mark.parametrize("name", sorted(SETS))
def test_a_grounded_claim_with_a_word_turned_into_its_opposite_is_never_grounded(name: str) -> None:
    if not SETS[name].exists():
        pytest.skip(f"{SETS[name]} is not there; it is not part of the repository")
    survivors: list[str] = []
    tried = 0
    for claim, index in _claims(name):
        if verify(claim, index).status is Status.GROUNDED:
            for other in dict.fromkeys(turned_into_its_opposite(claim)):
                tried += 1
                if verify(other, index).status is Status.GROUNDED:
                    survivors.append(f"{claim!r} → {other!r}")
    assert not survivors, "\n".join(survivors)
    assert tried >= 5, "so few opposites test nothing"
