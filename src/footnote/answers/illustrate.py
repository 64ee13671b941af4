"""What the same answer looks like when a model writes the numbers: as convincing, and bound to nothing.

Every figure is changed, in the same format, and equals no figure that the answer or its results have. The same answer
gives the same illustration. It is marked, carries no evidence and no record, and is never recorded.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from footnote.answers.draft import utf16_length, utf16_slice
from footnote.figures.currencies import MINOR_DIGITS

_DATE = re.compile(r"(?<!\d)(?:(\d{4})([-./])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-./])(\d{1,2})\6(\d{4}))(?!\d)")
_YEAR_MONTH = re.compile(r"(?<![\w-])\d{4}-(\d{2})(?![\w-])")
_RUN = re.compile(r"\d+")
_TRIES = 200


def illustrate(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer with every figure changed.

    Args:
        answer: As `Answer.as_dict()` gives it.

    Returns:
        The same shape with `illustration: true`; every claim is of origin `generated`, without evidence; there are no
        results, operations, evidence or record.
    """
    text, true = str(answer["answer"]), frozenset(_true_texts(answer))
    said = {original: _altered(original, true, seed=text) for original in {str(c["text"]) for c in answer["claims"]}}
    written, claims, moved = _rewritten(text, answer["claims"], said)
    shown: dict[str, Any] = {
        "kind": answer.get("kind", "answer"),
        "question": answer.get("question", ""),
        "answer": written,
        "claims": claims,
        "evidence": [],
        "operations": [],
        "results": [],
        "notes": [],
        "record": {},
        "illustration": True,
    }
    conclusion = answer.get("conclusion")
    if conclusion:
        shown["conclusion"] = {key: _moved(int(conclusion[key]), moved) for key in ("start", "end")}
    return shown


def _rewritten(
    text: str, claims: Iterable[Mapping[str, Any]], said: Mapping[str, str]
) -> tuple[str, list[dict[str, Any]], list[tuple[int, int]]]:
    """The text with other claims, those claims, and how far positions have moved from where on."""
    written, out, moved, end = "", [], [], 0
    for claim in sorted(claims, key=lambda claim: int(claim["span"]["start"])):
        start, after = int(claim["span"]["start"]), int(claim["span"]["end"])
        written += utf16_slice(text, end, start)
        first = utf16_length(written)
        written += said[str(claim["text"])]
        span = {"start": first, "end": utf16_length(written)}
        out.append({"text": said[str(claim["text"])], "span": span, "evidenceIds": [], "origin": "generated"})
        moved.append((after, span["end"] - after))
        end = after
    return written + utf16_slice(text, end, utf16_length(text)), out, moved


def _moved(position: int, moved: Sequence[tuple[int, int]]) -> int:
    """Where a position of the original text is now."""
    return position + next((by for place, by in reversed(moved) if place <= position), 0)


def _true_texts(answer: Mapping[str, Any]) -> Iterator[str]:
    """Everything that is shown as true: claims, and figures of the results."""
    yield from (str(claim["text"]) for claim in answer["claims"])
    for result in answer.get("results", ()):
        for table in result.get("tables", ()):
            for row in table.get("rows", ()):
                yield from (str(figure["display"]) for figure in row["figures"].values())
        yield from (str(figure["display"]) for figure in result.get("derived", {}).values())


def _altered(original: str, taken: frozenset[str], *, seed: str) -> str:
    """`original` with other digits in the same places; itself if it has none."""
    latin = _latin(original)
    if not _RUN.search(latin):
        return original
    for attempt in range(_TRIES):
        digest = hashlib.sha256(f"{seed}\0{original}\0{attempt}".encode()).digest()
        said = _in_digits_of(original, _changed(latin, digest))
        if said != original and said not in taken:
            return said
    # So many figures of so few digits are taken that one of another length must do.
    free = (_RUN.sub(str(number), latin, count=1) for number in range(10, 100_000))
    return next(said for said in (_in_digits_of(original, text) for text in free) if said not in taken)


def _changed(text: str, digest: bytes) -> str:
    """Other digits, still a date if it was one; of an identifier only the last number changes."""
    date = _DATE.search(text)
    if date is not None:
        groups = (3, 4) if date[1] else (5, 7)
        for group, limit in zip(groups, (12, 12), strict=True):
            start, end = date.span(group)
            number = digest[group] % limit + 1
            text = text[:start] + str(number).zfill(end - start)[-(end - start) :] + text[end:]
        return text
    month = _YEAR_MONTH.search(text)
    if month is not None:
        start, end = month.span(1)
        return f"{text[:start]}{digest[0] % 12 + 1:02}{text[end:]}"
    runs = list(_RUN.finditer(text))
    letters = "".join(character for character in text if character.isalpha())
    if letters and letters not in MINOR_DIGITS:  # an identifier or a name
        return _with_digits(text, {runs[-1].start(): runs[-1].end()}, digest)
    return _with_digits(text, {run.start(): run.end() for run in runs}, digest)


def _with_digits(text: str, runs: Mapping[int, int], digest: bytes) -> str:
    """Digits of the runs replaced; a leading digit stays other than zero, final zeros (of cents) stay."""
    places = [i for start, end in runs.items() for i in range(start, end)]
    kept = len("".join(text[i] for i in places).rstrip("0")) or 1
    out = list(text)
    for number, place in enumerate(places[:kept]):
        byte = digest[number % len(digest)]
        leading = number == 0 and text[place] != "0"
        out[place] = str(byte % 9 + 1) if leading or kept == 1 else str(byte % 10)
    return "".join(out)


def _latin(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if unicodedata.decimal(c, -1) >= 0 else c for c in text)


def _in_digits_of(original: str, latin: str) -> str:
    """`latin` with its digits in the script that `original` has them in."""
    zero = next(ord(c) - unicodedata.decimal(c) for c in original if unicodedata.decimal(c, -1) >= 0)
    if zero == ord("0"):
        return latin
    return "".join(chr(zero + int(c)) if c in "0123456789" else c for c in latin)
