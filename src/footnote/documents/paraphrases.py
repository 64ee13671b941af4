"""Claims of a known form, and the ways in which passages say the same: rules of `paraphrases.yaml`. Pure.

A rule grounds only if the whole claim is of its form, so that a word more, a negation or another party is out of its
reach; its slots (dates, times, places) are compared as values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from footnote.documents.folding import fold
from footnote.documents.periods import find_periods
from footnote.documents.verdict import Reason, Status

_AGREEMENT = r"(?P<agreement>(?:the|this) (?:[\w&/.,'-]+ ){0,9}?(?:agreement|contract|lease|amendment)(?: (?:with|between) [\w&.,'-]+(?: (?!is|was|are|shall|will|ends|expires|terminates|renews|runs)[\w&.,'-]+){0,4}?)?)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = rf"(?P<date>(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? ?(?:day )?(?:of )?{_MONTH},? \d{{4}}|{_MONTH} ?\d{{1,2}}(?:st|nd|rd|th)?,? ?\d{{4}}|\d{{4}}-\d\d-\d\d))"
_COUNT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|eighteen|twenty|twenty-four|thirty|"
    r"forty-five|sixty|ninety|one hundred(?: and)? twenty|one hundred(?: and)? eighty|\d{1,3})"
)
_TIME = rf"(?P<time>{_COUNT}(?: ?\(\d{{1,3}}\))?[ -](?:calendar |business )?(?:day|week|month|year)s?|each year|annually|every year|yearly|monthly periods?|monthly)"
_PLACE = (
    r"(?:the )?(?:(?:state|commonwealth|province|republic|kingdom|people's republic|district) of )?(?:the )?"
    r"(?P<place>[a-z][a-z.']+(?: (?:of|and) (?!the laws)[a-z.']+| (?!(?:without|and|as|applicable|regardless|except|but|excluding|not|in|for|"
    r"notwithstanding|with|which|that|to|or|are|is|shall|will|irrespective|including|by|then|from|u\.s)\b)[a-z.']+){0,3})"
)
_SLOTS = {"{AGREEMENT}": _AGREEMENT, "{DATE}": _DATE, "{TIME}": _TIME, "{PLACE}": _PLACE}
_SPACE = re.compile(r"\s+")
_ARTICLES = re.compile(r"^(?:the|this|a|an) ")


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that can be said in several ways.

    Attributes:
        name: For people.
        find: Words by which passages are looked for.
        claim: The whole form of the claim.
        passages: Forms of passages that state it.
        unless: What in a passage takes it back.
        preamble: Only the beginning of a document counts.
        contradicts: A slot that is filled otherwise contradicts.
    """

    name: str
    find: tuple[str, ...]
    claim: re.Pattern[str]
    passages: tuple[re.Pattern[str], ...]
    unless: re.Pattern[str] | None
    preamble: bool
    contradicts: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim as a rule reads it: the rule, the words that name the document, and the slots."""

    rule: Rule
    agreement: str
    slots: tuple[tuple[str, str], ...]


def reading_of(claim: str) -> Reading | None:
    """The rule whose form a claim has, with its slots; None if there is none."""
    text = plain(claim).rstrip(". ")
    for rule in _rules():
        match = rule.claim.fullmatch(text)
        if match is not None:
            groups = {name: value for name, value in match.groupdict().items() if value}
            agreement = _ARTICLES.sub("", groups.pop("agreement", ""))
            return Reading(rule, agreement, tuple(sorted(groups.items())))
    return None


def judge_paraphrase(reading: Reading, passage: str) -> tuple[Status, Reason] | None:
    """What a passage says about a claim of a known form; None if it is not of the form."""
    text = plain(passage)
    rule = reading.rule
    matches = [match for pattern in rule.passages for match in pattern.finditer(text)]
    if not matches or (rule.unless and rule.unless.search(text)):
        return None
    if not reading.slots:
        return Status.GROUNDED, Reason.SYNONYM
    wanted = {name: _VALUES[name](value) for name, value in reading.slots}
    for match in matches:
        if all(match.groupdict().get(name) and _VALUES[name](match[name]) == value for name, value in wanted.items()):
            return Status.GROUNDED, Reason.SYNONYM
    if rule.contradicts and all(match.groupdict().get(name) for match in matches for name in wanted):
        return Status.CONTRADICTED, _REASONS[reading.slots[0][0]]
    return None


def plain(text: str) -> str:
    """Folded, with single spaces and straight quotation marks dropped."""
    return _SPACE.sub(" ", fold(text).text.replace('"', "").replace("*", "")).strip()


def _date(text: str) -> object:
    periods = find_periods(text)
    return periods[0].key if len(periods) == 1 else text


def _time(text: str) -> object:
    if text in ("each year", "annually", "every year", "yearly"):
        return (12, "month")
    if text.startswith("monthly"):
        return (1, "month")
    words = re.sub(r"\(\d+\)", " ", text).replace("-", " ").split()
    unit = words[-1].rstrip("s")
    count = " ".join(word for word in words[:-1] if word not in ("calendar", "business", "and"))
    number = int(count) if count.isdigit() else _NUMBERS.get(count)
    business = "business" in words
    if number is None:
        return text
    if unit in ("year", "month"):
        return (number * (12 if unit == "year" else 1), "month")
    return (number * (7 if unit == "week" else 1), "business day" if business else "day")


_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
    "fifteen": 15, "eighteen": 18, "twenty": 20, "twenty four": 24, "thirty": 30, "forty five": 45, "sixty": 60, "ninety": 90,
    "one hundred twenty": 120, "one hundred eighty": 180,
}  # fmt: skip


def _place(text: str) -> object:
    return text.replace(".", "").removeprefix("the ").strip()


_VALUES: dict[str, Callable[[str], object]] = {"date": _date, "time": _time, "place": _place}
_REASONS = {"date": Reason.DATE_DIFFERS, "time": Reason.NUMBER_DIFFERS, "place": Reason.NAME_DIFFERS}


@cache
def _rules() -> tuple[Rule, ...]:
    text = resources.files("footnote.documents").joinpath("paraphrases.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return tuple(_rule(entry) for entry in data["rules"])


def _rule(entry: dict[str, Any]) -> Rule:
    passages: Sequence[str] = entry["passages"]
    return Rule(
        entry["name"],
        tuple(entry["find"].split()),
        _pattern(entry["claim"]),
        tuple(_pattern(passage) for passage in passages),
        re.compile(entry["unless"]) if entry.get("unless") else None,
        bool(entry.get("preamble")),
        bool(entry.get("contradicts")),
    )


def _pattern(text: str) -> re.Pattern[str]:
    for name, slot in _SLOTS.items():
        text = text.replace(name, slot)
    return re.compile(text)
