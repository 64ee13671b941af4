"""HTML: what a reader of the page sees, without scripts, styles and hidden parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from footnote.documents.extras import needed
from footnote.documents.grids import Said, write_table
from footnote.documents.layout import Block, BlockKind, Extract, TextBuilder

_SKIPPED = frozenset(
    "script style noscript template head iframe object svg canvas select button input textarea".split()
)
_BLOCKS = frozenset(
    """
    address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul
    """.split()
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em)?\s*(?:;|$)", re.IGNORECASE
)
_DEEPEST = 400


def read_html(text: str) -> Extract:
    """The visible text of a page."""
    with needed("lxml", "to read HTML"):
        from lxml import etree
        from lxml import html as lxml_html

    if not text.strip():
        return Extract("html", "", ())
    parser = lxml_html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False)
    try:
        root = lxml_html.document_fromstring(_without_declaration(text), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        return Extract("html", "", (), problems=(f"The page cannot be read: {error}.",))
    page = _Page()
    page.walk(root, 0)
    page.flush()
    title = " ".join((root.findtext(".//title") or "").split())
    return Extract(
        "html", page.builder.text, tuple(page.blocks), title=title, problems=tuple(dict.fromkeys(page.problems))
    )


def _without_declaration(text: str) -> str:
    return re.sub(r"^\ufeff?\s*<\?xml[^>]*\?>", "", text)


class _Page:
    """Walks the elements; `inline` is the paragraph that is being gathered."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self.blocks: list[Block] = []
        self.problems: list[str] = []
        self.inline: list[str] = []
        self.item = False

    def flush(self, kind: BlockKind = BlockKind.PARAGRAPH, level: int = 0) -> None:
        said = _tidy("".join(self.inline))
        self.inline = []
        if not said:
            return
        if kind is BlockKind.PARAGRAPH and self.item:
            kind = BlockKind.ITEM
        self.item = False
        start, end = self.builder.add(said)
        self.builder.add("\n\n")
        self.blocks.append(Block(kind, start, end, level=level))

    def walk(self, element: Any, depth: int) -> None:
        tag = element.tag if isinstance(element.tag, str) else ""
        if not tag or tag in _SKIPPED:
            return
        if _is_hidden(element):
            if "".join(element.itertext()).strip():
                self.problems.append("Hidden parts of the page are left out.")
            return
        if depth > _DEEPEST:
            self.problems.append("The page is nested too deeply; what is deepest is left out.")
            return
        if tag == "table" and (rows := _rows_of(element)) is not None:
            self._table(element, rows)
        elif tag == "br":
            self.inline.append("\n")
        elif tag in _BLOCKS:
            self.flush()
            self._block(element, tag, depth)
        else:
            self._inside(element, depth)

    def _block(self, element: Any, tag: str, depth: int) -> None:
        if tag == "li":
            self.item = True
        self._inside(element, depth)
        if re.fullmatch(r"h[1-6]", tag):
            self.flush(BlockKind.HEADING, int(tag[1]))
        elif tag == "dt":
            self.inline.append(": " if not "".join(self.inline).rstrip().endswith(":") else " ")
            following = element.getnext()
            if following is None or following.tag != "dd":
                self.flush()
        elif tag != "dd" or self.inline:
            self.flush()

    def _inside(self, element: Any, depth: int) -> None:
        self.inline.append(element.text or "")
        for child in element:
            if child.tag == "dd":
                self._inside(child, depth + 1)  # goes on behind its dt
                self.flush()
            else:
                self.walk(child, depth + 1)
            self.inline.append(child.tail or "")

    def _table(self, element: Any, rows: list[list[Said]]) -> None:
        self.flush()
        caption = element.find("caption")
        place: tuple[int, int] | None = None
        if caption is not None and (said := _tidy("".join(caption.itertext()))):
            place = self.builder.add(said)
            self.builder.add("\n")
        headed = sum(1 for row in rows if row and all(cell.header for cell in row if cell.text))
        headed = min(
            headed, next((n for n, row in enumerate(rows) if not all(c.header for c in row if c.text)), len(rows))
        )
        block = write_table(self.builder, rows, headed or None)
        if block is not None:
            self.blocks.append(
                Block(BlockKind.TABLE, block.start, block.end, rows=block.rows, headed=block.headed, caption=place)
            )


def _is_hidden(element: Any) -> bool:
    return "hidden" in element.attrib or bool(_HIDDEN.search(element.get("style") or ""))


def _tidy(text: str) -> str:
    """The text without space that a browser would not show; line breaks stay."""
    lines = (re.sub(r"[ \t\r\f\v]+", " ", line).strip() for line in re.sub(r"\n(?!\n)", "\n", text).split("\n"))
    return "\n".join(line for line in lines if line)


# --- tables -----------------------------------------------------------------------------------------------------------


def _rows_of(table: Any) -> list[list[Said]] | None:
    """The cells of a table; None if it only lays out a page (tables inside, or one cell a row)."""
    if table.find(".//table") is not None:
        return None
    rows: list[list[Said]] = []
    above: dict[int, tuple[int, Said]] = {}
    for tr in table.iter("tr"):
        in_head = tr.getparent() is not None and tr.getparent().tag == "thead"
        rows.append(list(_cells(tr, in_head, above)))
    if max((sum(bool(cell.text) for cell in row) for row in rows), default=0) < 2:
        return None
    return rows


def _cells(tr: Any, in_head: bool, above: dict[int, tuple[int, Said]]) -> Iterator[Said]:
    """The cells of a row, with those that reach into it from above."""
    column = 0
    for td in [*(child for child in tr if child.tag in ("td", "th")), None]:
        while column in above:
            left, cell = above.pop(column)
            if left > 1:
                above[column] = (left - 1, cell)
            yield cell
            column += cell.span
        if td is None:
            return
        said = " ".join("".join(_shown(td)).split())
        span = _number(td.get("colspan"))
        cell = Said(said, span, header=in_head or td.tag == "th")
        if (down := _number(td.get("rowspan"))) > 1:
            above[column] = (down - 1, cell)
        yield cell
        column += span


def _shown(element: Any) -> Iterator[str]:
    if element.tag in _SKIPPED or _is_hidden(element):
        return
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield " " if child.tag in _BLOCKS or child.tag == "br" else ""
            yield from _shown(child)
        yield child.tail or ""


def _number(value: str | None) -> int:
    return max(1, min(100, int(value))) if value and value.strip().isdigit() else 1
