"""The words a reader of claims knows: grammar words, and vocabulary that says the same in several ways.

Both are data files of the package (`grammar.yaml`, `lexicon.yaml`); a corpus may bring a `lexicon.yaml` of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module, resources
from typing import Any

import yaml

from footnote.documents.extras import needed
from footnote.documents.folding import fold_word
from footnote.errors import FootnoteError

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LANGUAGES = {"en": "english", "de": "german", "fr": "french", "pl": "polish"}
WORD = re.compile(r"[^\W\d_]+n't|[^\W\d_]+'(?=[^\W\d_]{2})|[^\W\d_]+|[^\w\s]")
_ELIDED = re.compile(r"[^\W\d_]+'")
"""French "n'", "qu'" alone, which `WORD` sees before another word only."""
OPERATORS = (
    "at_least more_than at_most less_than about no_negation optional negation may must will should plan reported "
    "example condition exception harmless tail copula"
).split()
_TAILS = {
    "en": frozenset(["", *"s es ed d ing e ies y ied ting ning ping ling red led".split()]),
    "de": frozenset(["", *"e en es em er n s st t te ten ern et".split()]),
    "fr": frozenset(["", *"s e es x nt ent er ee ees ez aux al ale r".split()]),
}
"""What inflection may change at the end of a word; Polish changes more than a list holds, its stemmer decides."""


class LexiconUnreadable(FootnoteError):
    """A lexicon file is not what it should be."""

    code = "lexicon_unreadable"
    exit_code = 3


@dataclass(slots=True)
class Phrases:
    """Expressions of one or more words, found longest first."""

    entries: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    longest: dict[str, int] = field(default_factory=dict)

    def add(self, words: tuple[str, ...], meaning: str) -> None:
        """Let these words have one more meaning."""
        if words and meaning not in self.entries.get(words, ()):
            self.entries[words] = (*self.entries.get(words, ()), meaning)
            self.longest[words[0]] = max(len(words), self.longest.get(words[0], 0))

    def find(self, words: Sequence[str], at: int) -> tuple[int, tuple[str, ...]]:
        """How many words from `at` on are the longest entry there, and what it means; (0, ()) if there is none."""
        for count in range(min(self.longest.get(words[at], 0), len(words) - at), 0, -1):
            meanings = self.entries.get(tuple(words[at : at + count]))
            if meanings:
                return count, meanings
        return 0, ()


@dataclass(slots=True)
class Concepts:
    """Expressions and their concepts: as listed first, then in another inflection of what is listed.

    A stem alone is not trusted: German "Miete" (rent) and "Mieter" (tenant) have the same one.
    """

    language: str
    listed: Phrases = field(default_factory=Phrases)
    stems: Phrases = field(default_factory=Phrases)
    forms: dict[tuple[str, ...], list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, entry: str, concept: str) -> None:
        """Let an expression stand for a concept."""
        words, stems = words_of(entry), stems_of(entry, self.language)
        self.listed.add(words, concept)
        self.stems.add(stems, concept)
        self.forms.setdefault(stems, []).append((" ".join(words), concept))

    def find(self, words: Sequence[str], stems: Sequence[str], at: int) -> tuple[int, tuple[str, ...]]:
        """How many words from `at` on are the longest expression there, and its concepts; (0, ()) if there is none."""
        count, concepts = self.listed.find(words, at)
        span, _ = self.stems.find(stems, at)
        if span <= count:
            return count, concepts
        written = " ".join(words[at : at + span])
        forms = self.forms[tuple(stems[at : at + span])]
        best = max(_shared(written, form) for form, _ in forms)
        fitting = {c: None for form, c in forms if _shared(written, form) == best and self._inflects(written, form)}
        return (span, tuple(fitting)) if fitting else (count, concepts)

    def _inflects(self, one: str, other: str) -> bool:
        tails = _TAILS.get(self.language)
        shared = _shared(one, other)
        return tails is None or " " in one or (one[shared:] in tails and other[shared:] in tails)


def _shared(one: str, other: str) -> int:
    count = 0
    for mine, its in zip(one, other, strict=False):
        if mine != its:
            break
        count += 1
    return count


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words known.

    Attributes:
        function: Words without a meaning of their own, by language.
        operators: Words that steer a sentence, by language.
        concepts: What stands for a concept, by language.
        soft: Stems of nouns of measure that need not be met.
        light: Stems of verbs that only carry their object.
        exclusive: Concept to the set of which only one can hold.
        receives: Concepts of roles that are paid.
        pays: Concepts of roles that pay.
    """

    function: Mapping[str, frozenset[str]]
    operators: Mapping[str, Phrases]
    concepts: Mapping[str, Concepts]
    soft: Mapping[str, frozenset[str]]
    light: Mapping[str, frozenset[str]]
    exclusive: Mapping[str, tuple[int, ...]]
    receives: frozenset[str]
    pays: frozenset[str]

    def excludes(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """True if a thing of the concepts `one` cannot be of the concepts `other`: monthly and weekly."""
        mine, its = set(one), set(other)
        if mine & its:
            return False
        groups = {group for concept in mine for group in self.exclusive.get(concept, ())}
        return any(group in groups for concept in its for group in self.exclusive.get(concept, ()))


@lru_cache(maxsize=1 << 17)
def stem(word: str, language: str) -> str:
    """The folded stem of a word as written, in its language."""
    plain = unicodedata.normalize("NFC", word).lower()
    return fold_word(_stemmer(language).stemWord(plain))


@cache
def _stemmer(language: str) -> Any:
    with needed("snowballstemmer", "to compare words of a statement with those of a document"):
        snowball: Any = import_module("snowballstemmer")  # here, because only whoever verifies should wait for it
    return snowball.stemmer(LANGUAGES.get(language, "english"))


def words_of(text: str) -> tuple[str, ...]:
    """Words and marks of a text, folded, in the way `tokens` cuts them."""
    folded = fold_word(text)
    return (folded,) if _ELIDED.fullmatch(folded) else tuple(WORD.findall(folded))


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Stems of the words of a text, marks as they are; each word is stemmed as written."""
    plain = unicodedata.normalize("NFC", text).translate({0x2019: "'"})
    return tuple(stem(word, language) for word in WORD.findall(plain))


@cache
def package_lexicon() -> Lexicon:
    """The lexicon that comes with Footnote."""
    return build(_data("lexicon.yaml"))


def extended(text: str, name: str = "lexicon.yaml") -> Lexicon:
    """The package's lexicon and what a corpus adds in `text`, a YAML file of the same shape.

    Raises:
        LexiconUnreadable: It is no YAML, or has keys or values that mean nothing here.
    """
    try:
        added = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise LexiconUnreadable(
            f"{name} is not valid YAML.", why=str(error)[:200], remedy="Mend the file or remove it."
        ) from None
    known = {"concepts", "exclusive", "soft", "light", "receives", "pays"}
    if not isinstance(added, dict) or set(added) - known:
        raise LexiconUnreadable(f"{name} has keys that mean nothing here.", remedy=f"Use {', '.join(sorted(known))}.")
    return build(_merged(_data("lexicon.yaml"), added, name))


def _merged(base: dict[str, Any], added: dict[str, Any], name: str) -> dict[str, Any]:
    out: dict[str, Any] = {key: dict(value) if isinstance(value, dict) else list(value) for key, value in base.items()}
    for key in ("concepts", "soft", "light"):
        for entry, value in (added.get(key) or {}).items():
            if key == "concepts" and not (isinstance(value, dict) and set(value) <= set(LANGUAGES)):
                raise LexiconUnreadable(
                    f"{name}: concept {entry!r} is not a list of expressions by language.",
                    remedy=f"Write {entry}: {{en: one|another, de: …}}.",
                )
            out[key][entry] = _joined(out[key].get(entry), value)
    for key in ("exclusive", "receives", "pays"):
        out[key] = [*out[key], *(added.get(key) or [])]
    return out


def _joined(old: Any, new: Any) -> Any:
    if isinstance(new, dict):
        old = old or {}
        return {key: _joined(old.get(key), new.get(key, "")) for key in {**old, **new}}
    return "|".join(part for part in (old or "", str(new)) if part)


def build(data: Mapping[str, Any]) -> Lexicon:
    """A lexicon from the data of a file."""
    grammar = _data("grammar.yaml")
    exclusive: dict[str, tuple[int, ...]] = {}
    for number, group in enumerate(data["exclusive"]):
        for concept in group:
            exclusive[concept] = (*exclusive.get(concept, ()), number)
    return Lexicon(
        function={lang: frozenset(filter(str.isalpha, words_of(grammar["function"][lang]))) for lang in LANGUAGES},
        operators={lang: _operators(grammar, lang) for lang in LANGUAGES},
        concepts={lang: _concepts(data["concepts"], lang) for lang in LANGUAGES},
        soft={lang: _stems(data["soft"], lang) for lang in LANGUAGES},
        light={lang: _stems(data["light"], lang) for lang in LANGUAGES},
        exclusive=exclusive,
        receives=frozenset(data["receives"]),
        pays=frozenset(data["pays"]),
    )


def _operators(grammar: Mapping[str, Mapping[str, str]], language: str) -> Phrases:
    phrases = Phrases()
    for operator in OPERATORS:
        for entry in grammar[operator].get(language, "").split("|"):
            phrases.add(words_of(entry), operator)
    return phrases


def _concepts(concepts: Mapping[str, Mapping[str, str]], language: str) -> Concepts:
    known = Concepts(language)
    for concept, expressions in concepts.items():
        for entry in expressions.get(language, "").split("|"):
            if entry:
                known.add(entry, concept)
    return known


def _stems(data: Mapping[str, str], language: str) -> frozenset[str]:
    return frozenset(stem(entry, language) for entry in data.get(language, "").split("|") if entry)


@cache
def _data(name: str) -> dict[str, Any]:
    text = resources.files("footnote.documents").joinpath(name).read_text(encoding="utf-8")
    loaded = yaml.load(text, Loader=_LOADER)  # noqa: S506 -- it is the safe loader, in C where there is one
    return dict(loaded)


@lru_cache(maxsize=65536)
def language_of(text: str, otherwise: str = "en") -> str:
    """The language of a text by its grammar words and letters: en, de, fr or pl; `otherwise` where nothing decides."""
    lexicon = package_lexicon()
    words = words_of(text[:4000])
    counts = {lang: sum(word in lexicon.function[lang] for word in words) for lang in LANGUAGES}
    lowered = unicodedata.normalize("NFC", text[:4000]).lower()
    counts["pl"] += 2 * sum(lowered.count(char) for char in "ąęłśćńźż")
    counts["de"] += 2 * sum(lowered.count(char) for char in "äöüß")
    counts["fr"] += 2 * sum(lowered.count(char) for char in "éèêàçùœîô")
    best = max(counts.values())
    leaders = [lang for lang, count in counts.items() if count == best]
    return leaders[0] if best and len(leaders) == 1 else otherwise
