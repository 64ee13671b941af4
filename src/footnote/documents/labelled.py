"""Files of labelled claims: one JSON object a line, with its documents beside the file, inline, or in one corpus for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote.documents.evaluation import Judged, Labelled
from footnote.documents.index import Index
from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Status, Verdict
from footnote.errors import Unreachable, UsageError

Verify = Callable[[str, Index], Verdict]


@dataclass(frozen=True, slots=True)
class Item:
    """A labelled claim and its documents: names and texts, or paths beside the file; None for the corpus of all."""

    labelled: Labelled
    docs: tuple[tuple[str, str | None], ...] | None


def read_items(path: Path) -> list[Item]:
    """The claims of a file.

    Raises:
        Unreachable: It cannot be read.
        UsageError: A line is no labelled claim; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unreachable(f"The file {path} cannot be read.", why=str(error)) from None
    return [_item(line, number, path) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]


def _item(line: str, number: int, path: Path) -> Item:
    def wrong(why: str) -> UsageError:
        remedy = 'A line is {"claim": …, "label": "GROUNDED" | "CONTRADICTED" | "UNSUPPORTED", "docs": […]}.'
        return UsageError(f"Line {number} of {path} is no labelled claim.", why=why, remedy=remedy)

    try:
        value = json.loads(line)
    except ValueError as error:
        raise wrong(f"It is not JSON: {error}.") from None
    if not isinstance(value, dict) or not isinstance(value.get("claim"), str):
        raise wrong("It has no claim.")
    if value.get("label") not in list(Status):
        raise wrong(f"Its label is {str(value.get('label'))[:40]!r}.")
    labelled = Labelled(
        str(value.get("id", number)),
        value["claim"],
        Status(value["label"]),
        str(value.get("split") or ""),
        str(value.get("kind") or ""),
    )
    docs = value.get("docs")
    if docs is not None and not isinstance(docs, list):
        raise wrong("Its docs are no list.")
    return Item(labelled, None if docs is None else tuple(_doc(doc, wrong) for doc in docs))


def _doc(doc: Any, wrong: Callable[[str], UsageError]) -> tuple[str, str | None]:
    if isinstance(doc, str):
        return doc, None
    if isinstance(doc, Mapping) and isinstance(doc.get("file"), str) and isinstance(doc.get("content"), str):
        return doc["file"], doc["content"]
    raise wrong("A document is neither a path nor {file, content}.")


def judge(path: Path, verify: Verify, corpus: Index | None = None) -> Iterator[Judged]:
    """Every claim of a file with its verdict.

    Args:
        path: The file.
        verify: The engine.
        corpus: For claims without documents of their own.

    Raises:
        Unreachable, UsageError: As `read_items`; also for documents that are not there.
    """
    known: dict[tuple[tuple[str, str | None], ...], Index] = {}
    for item in read_items(path):
        if item.docs is None and corpus is None:
            raise UsageError(
                f"The claim {item.labelled.id} of {path} names no documents.", remedy="Give a corpus with --corpus."
            )
        index = corpus if item.docs is None else known.get(item.docs)
        if index is None:
            index = known[item.docs or ()] = _index(item, path.parent)
        yield Judged(item.labelled, verify(item.labelled.claim, index))


def _index(item: Item, folder: Path) -> Index:
    texts: dict[str, str] = {}
    for name, content in item.docs or ():
        if content is None:
            try:
                content = (folder / name).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise Unreachable(
                    f"The document {name} of claim {item.labelled.id} cannot be read.", why=str(error)
                ) from None
        texts[name] = content
    return index_from_texts(texts)
