"""The words a reader of claims knows: grammar words, and vocabulary that says the same in several ways.

Both are data files of the package (`grammar.yaml`; `lexicon.yaml` and the fields of business in `vocabulary/`); a corpus
may bring a `lexicon.yaml` of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module, resources
from itertools import combinations
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
_FIRST = 2
"""Letters at the beginning of a word that no inflection changes, once it is folded."""
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

    A stem alone is not trusted: German "Miete" (rent) and "Mieter" (tenant) have the same one. Stemming is slow, so an
    expression waits, under the first letters of its first word, until a word comes up that begins with them.
    """

    language: str
    listed: Phrases = field(default_factory=Phrases)
    stems: Phrases = field(default_factory=Phrases)
    forms: dict[tuple[str, ...], list[tuple[str, str]]] = field(default_factory=dict)
    waiting: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, entry: str, concept: str) -> None:
        """Let an expression stand for a concept."""
        words = words_of(entry)
        self.listed.add(words, concept)
        if words:
            self.waiting.setdefault(words[0][:_FIRST], []).append((entry, concept))

    def _stem(self, letters: str) -> None:
        for entry, concept in self.waiting.get(letters, ()):
            stems = stems_of(entry, self.language)
            self.stems.add(stems, concept)
            self.forms.setdefault(stems, []).append((" ".join(words_of(entry)), concept))
        self.waiting.pop(letters, None)  # only now: another thread may be here too, and twice does no harm

    def find(self, words: Sequence[str], stems: Sequence[str], at: int) -> tuple[int, tuple[str, ...]]:
        """How many words from `at` on are the longest expression there, and its concepts; (0, ()) if there is none."""
        if words[at][:_FIRST] in self.waiting:
            self._stem(words[at][:_FIRST])
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
        words: Concept to the words by which passages that may hold it are looked for, one of each expression.
        soft: Stems of nouns of measure that need not be met.
        light: Stems of verbs that only carry their object.
        exclusive: Concept to the set of which only one can hold.
        opposite: Concept to those that are never the same; what excludes it among them.
        receives: Concepts of roles that are paid.
        pays: Concepts of roles that pay.
        alike: Folded operators to the number of the group that says the same.
    """

    function: Mapping[str, frozenset[str]]
    operators: Mapping[str, Phrases]
    concepts: Mapping[str, Concepts]
    words: Mapping[str, tuple[str, ...]]
    soft: Mapping[str, frozenset[str]]
    light: Mapping[str, frozenset[str]]
    exclusive: Mapping[str, tuple[int, ...]]
    opposite: Mapping[str, frozenset[str]]
    receives: frozenset[str]
    pays: frozenset[str]
    alike: Mapping[str, int]

    def excludes(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """True if a thing of the concepts `one` cannot be of the concepts `other`: monthly and weekly."""
        mine, its = set(one), set(other)
        if mine & its:
            return False
        groups = {group for concept in mine for group in self.exclusive.get(concept, ())}
        return any(group in groups for concept in its for group in self.exclusive.get(concept, ()))

    def opposes(self, one: Iterable[str], other: Iterable[str]) -> bool:
        """True if what has the keys `one` is never the same as what has the keys `other`: fair value and book value."""
        its = {key[1:] for key in other if key.startswith("@")}
        return any(not its.isdisjoint(self.opposite.get(key[1:], ())) for key in one if key.startswith("@"))


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
    return build(package_data())


@cache
def package_data() -> dict[str, Any]:
    """What the vocabulary files of the package hold together, as a `lexicon.yaml` of a corpus would."""
    data = _data("lexicon.yaml")
    folder = resources.files("footnote.documents").joinpath("vocabulary")
    for name in sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml")):
        data = _merged(data, _data(f"vocabulary/{name}"), name)
    return data


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
    known = {"concepts", "exclusive", "opposite", "soft", "light", "receives", "pays"}
    if not isinstance(added, dict) or set(added) - known:
        raise LexiconUnreadable(f"{name} has keys that mean nothing here.", remedy=f"Use {', '.join(sorted(known))}.")
    merged = _merged(package_data(), added, name)
    if clash := next(clashes(merged), None):
        raise LexiconUnreadable(
            f"{name}: {clash[0]!r} stands for {clash[1]} and for {clash[2]}, which are opposites.",
            why="A statement would be met by its opposite.",
            remedy=f"Take it out of {clash[1]} or of {clash[2]}.",
        )
    return build(merged)


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
    for key in ("exclusive", "opposite", "receives", "pays"):
        out[key] = [*out[key], *(added.get(key) or [])]
    return out


def clashes(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Expressions that stand for two concepts of a group of opposites, or of what excludes one another."""
    for group in (*data["exclusive"], *data["opposite"]):
        for one, other in combinations(group, 2):
            for language in LANGUAGES:
                mine, its = _entries(data["concepts"], one, language), _entries(data["concepts"], other, language)
                yield from ((entry, one, other) for entry in sorted(mine & its))


def _entries(concepts: Mapping[str, Mapping[str, str]], concept: str, language: str) -> set[str]:
    listed = concepts.get(concept, {}).get(language, "").split("|")
    return {" ".join(words_of(entry)) for entry in listed if entry}


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
        concepts=_ByLanguage(data["concepts"]),
        words={concept: _telling(expressions) for concept, expressions in data["concepts"].items()},
        soft={lang: _stems(data["soft"], lang) for lang in LANGUAGES},
        light={lang: _stems(data["light"], lang) for lang in LANGUAGES},
        exclusive=exclusive,
        opposite=_opposites(data),
        receives=frozenset(data["receives"]),
        pays=frozenset(data["pays"]),
        alike={" ".join(words_of(e)): n for n, line in enumerate(grammar["alike"]) for e in line.split("|")},
    )


def _operators(grammar: Mapping[str, Mapping[str, str]], language: str) -> Phrases:
    phrases = Phrases()
    for operator in OPERATORS:
        for entry in grammar[operator].get(language, "").split("|"):
            phrases.add(words_of(entry), operator)
    return phrases


def _opposites(data: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for group in (*data["exclusive"], *data["opposite"]):
        for concept in group:
            out.setdefault(concept, set()).update(other for other in group if other != concept)
    return {concept: frozenset(others) for concept, others in out.items()}


class _ByLanguage(dict[str, Concepts]):
    """The concepts of each language, made when the language comes up."""

    def __init__(self, concepts: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__()
        self._listed = concepts

    def __missing__(self, language: str) -> Concepts:
        self[language] = made = _concepts(self._listed, language)
        return made


def _concepts(concepts: Mapping[str, Mapping[str, str]], language: str) -> Concepts:
    known = Concepts(language)
    for concept, expressions in concepts.items():
        for entry in expressions.get(language, "").split("|"):
            if entry:
                known.add(entry, concept)
    return known


def _telling(expressions: Mapping[str, str]) -> tuple[str, ...]:
    """The longest word of each expression: where the expression stands, it stands."""
    entries = [entry for listed in expressions.values() for entry in listed.split("|")]
    return tuple(dict.fromkeys(max(entry.replace("'", " ").split(), key=len) for entry in entries if entry))


def _stems(data: Mapping[str, str], language: str) -> frozenset[str]:
    return frozenset(stem(entry, language) for entry in data.get(language, "").split("|") if entry)


@cache
def _data(name: str) -> dict[str, Any]:
    text = resources.files("footnote.documents").joinpath(name).read_text(encoding="utf-8")
    loaded = yaml.load(text, Loader=_LOADER)  # noqa: S506 -- it is the safe loader, in C where there is one
    return dict(loaded)


_DOTTED = re.compile(r"\bsp\.\s*z\s*o\.?\s*o\.?|\b(?:[^\W\d_]\.\s?){2,}")
"""Abbreviations of legal forms, whose letters are words of some language: "d.o.o.", "sp. z o.o."."""
_CAPITALIZED = re.compile(r"\b[A-ZĄĆĘŁŃÓŚŹŻ][\w]*")


def _in_names(text: str) -> int:
    """Letters of Polish in words with a capital, which may be names in a text of any language."""
    names = _CAPITALIZED.findall(unicodedata.normalize("NFC", text))
    return sum(char in "ąęłśćńźż" for name in names for char in name.lower())


_ALIKE = frozenset(("present",))
"""Words of grammar in one language that are other words in another: "Present: Ann Lee, Kai Roth"."""


@lru_cache(maxsize=65536)
def language_of(text: str, otherwise: str = "en") -> str:
    """The language of a text by its grammar words and letters: en, de, fr or pl; `otherwise` where nothing decides."""
    lexicon = package_lexicon()
    text = _DOTTED.sub(" ", text[:4000])
    words = words_of(text)
    counts = {lang: sum(word in lexicon.function[lang] for word in words if word not in _ALIKE) for lang in LANGUAGES}
    lowered = unicodedata.normalize("NFC", text).lower()
    counts["pl"] += 2 * sum(lowered.count(char) for char in "ąęłśćńźż") - 2 * _in_names(text)
    counts["de"] += 2 * sum(lowered.count(char) for char in "äöüß")
    counts["fr"] += 2 * sum(lowered.count(char) for char in "éèêàçùœîô")
    best = max(counts.values())
    leaders = [lang for lang, count in counts.items() if count == best]
    return leaders[0] if best and len(leaders) == 1 else otherwise
