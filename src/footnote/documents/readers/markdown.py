"""Markdown and plain text: the text is the file, letter by letter."""

from __future__ import annotations

from typing import Any

from footnote.documents.layout import Block, Extract
from footnote.documents.lines import blocks_of_lines, lines_of

_MARK = "---"


def read_markdown(text: str) -> Extract:
    """Markdown, with front matter if there is any."""
    meta, problems, body = front_matter(text)
    blocks = tuple(blocks_of_lines(text, lines_of(text, body), markdown=True))
    return Extract("markdown", text, blocks, title=_first_heading(text, blocks), meta=meta, problems=problems)


def read_text(text: str) -> Extract:
    """Plain text."""
    return Extract("text", text, tuple(blocks_of_lines(text, lines_of(text), markdown=False)))


def _first_heading(text: str, blocks: tuple[Block, ...]) -> str:
    return next((text[b.start : b.end] for b in blocks if b.kind == "heading" and b.level == 1), "")


def front_matter(text: str) -> tuple[dict[str, Any], tuple[str, ...], int]:
    """The mapping between two lines of `---` at the top, what is wrong with it, and where the body starts."""
    lines = lines_of(text)
    if not lines or lines[0].text != _MARK:
        return {}, (), 0
    for line in lines[1:]:
        if line.text in (_MARK, "..."):
            return *_mapping(text[lines[0].end : line.start]), line.end
    return {}, (), 0


def _mapping(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    import yaml

    try:
        value = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - builds texts, lists and mappings only
    except yaml.YAMLError as error:
        return {}, (f"The front matter is not YAML: {str(error).splitlines()[0]}.",)
    if not isinstance(value, dict):
        return {}, ("The front matter is not a mapping of keys to values.",) if value else ()
    return value, ()
