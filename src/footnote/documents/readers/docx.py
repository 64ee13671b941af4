"""DOCX (ECMA-376): paragraphs, numbered as the reader sees them, and tables; deleted text of tracked changes is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from footnote.documents.extras import needed
from footnote.documents.grids import Said, write_table
from footnote.documents.layout import Block, BlockKind, Extract, TextBuilder
from footnote.documents.packages import Package, open_package
from footnote.documents.readers.docx_numbers import Numbering

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_EDGE = re.compile(r"word/(header|footer)\d*\.xml")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = {f"{W}del", f"{W}moveFrom", f"{W}instrText", _FALLBACK}
_BREAKS = {f"{W}br": "\n", f"{W}cr": "\n", f"{W}tab": "\t", f"{W}noBreakHyphen": "-"}


def read_docx(data: bytes) -> Extract:
    """The text of a document, its notes behind it."""
    package, problem = open_package(data)
    if package is None:
        return Extract("docx", "", (), problems=(problem,))
    body = _part(package, "word/document.xml")
    if body is None:
        return Extract("docx", "", (), problems=("The file is damaged: it has no readable document part.",))
    writer = _Writer(package)
    writer.children(next(iter(body), body))
    for name, title in (("footnotes", "Footnotes"), ("endnotes", "Endnotes")):
        writer.notes(_part(package, f"word/{name}.xml"), title)
    return Extract(
        "docx", writer.builder.text, tuple(writer.blocks), title=_title(package), problems=tuple(_told(package, body))
    )


def _part(package: Package, name: str) -> Any:
    data = package.read(name)
    if data is None:
        return None
    with needed("lxml", "to read DOCX"):
        from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        package.damaged[name] = None
        return None


def _title(package: Package) -> str:
    core = _part(package, "docProps/core.xml")
    return "" if core is None else (core.findtext("{http://purl.org/dc/elements/1.1/}title") or "").strip()


def _told(package: Package, body: Any) -> Iterator[str]:
    if any(True for _ in body.iter(f"{W}del", f"{W}ins")):
        yield "The document has tracked changes; it is read as if all were accepted."
    if package.read("word/comments.xml"):
        yield "Comments are left out."
    edges = [name for name in package.names() if _EDGE.fullmatch(name)]
    if any(part is not None and _text(part).strip() for part in (_part(package, name) for name in edges)):
        yield "Headers and footers are left out."
    for name in package.damaged:
        yield f"The part {name} is damaged; what it says is not read."
    if not any((t.text or "").strip() for t in body.iter(f"{W}t")):
        yield "There is no text in the document; it may consist of pictures."


class _Writer:
    def __init__(self, package: Package) -> None:
        self.builder = TextBuilder()
        self.blocks: list[Block] = []
        self.levels = _heading_levels(_part(package, "word/styles.xml"))
        self.numbering = Numbering(_part(package, "word/numbering.xml"), _part(package, "word/styles.xml"))

    def children(self, parent: Any) -> None:
        for child in parent:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child)
            elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}smartTag", f"{W}customXml"):
                self.children(child)

    def notes(self, part: Any, title: str) -> None:
        notes = [note for note in part if note.get(f"{W}type") is None] if part is not None else []
        if any(_text(note).strip() for note in notes):
            self._write(title, BlockKind.HEADING, 1)
            for note in notes:
                self.children(note)

    def _paragraph(self, paragraph: Any) -> None:
        said = _text(paragraph).strip()
        number = self.numbering.of(paragraph)
        if said:
            level = self.levels.get(_style(paragraph), 0)
            bullet = bool(number) and not re.search(r"\w", number)
            kind = BlockKind.HEADING if level else BlockKind.ITEM if bullet else BlockKind.PARAGRAPH
            self._write(f"{number} {said}" if number else said, kind, level)
        for box in paragraph.iter(f"{W}txbxContent"):
            if not any(above.tag == _FALLBACK for above in box.iterancestors()):
                self.children(box)

    def _write(self, said: str, kind: BlockKind, level: int = 0) -> None:
        start, end = self.builder.add(said)
        self.builder.add("\n\n")
        self.blocks.append(Block(kind, start, end, level=level))

    def _table(self, table: Any) -> None:
        rows = _rows(table)
        if max((sum(bool(cell.text) for cell in row) for row in rows), default=0) < 2:
            for cell in table.iter(f"{W}tc"):
                self.children(cell)
            return
        marked = 0
        for row in table.iterchildren(f"{W}tr"):
            if row.find(f"{W}trPr/{W}tblHeader") is None:
                break
            marked += 1
        if (block := write_table(self.builder, rows, marked or None)) is not None:
            self.blocks.append(block)


def _rows(table: Any) -> list[list[Said]]:
    """The cells of a table; one that is merged downwards is said again in each row that it covers."""
    rows: list[list[Said]] = []
    above: dict[int, str] = {}
    for tr in table.iterchildren(f"{W}tr"):
        row: list[Said] = []
        column = 0
        before = tr.find(f"{W}trPr/{W}gridBefore")
        if before is not None:
            row.append(Said("", _span(before)))
            column += row[0].span
        for tc in tr.iter(f"{W}tc"):
            if tc.getparent() is not tr and tc.getparent().tag == f"{W}tr":
                continue
            said = " ".join(_text(tc).split())
            merged = tc.find(f"{W}tcPr/{W}vMerge")
            if merged is not None:
                said = above.get(column, "") if merged.get(f"{W}val", "continue") == "continue" else said
                above[column] = said
            else:
                above.pop(column, None)
            wide = tc.find(f"{W}tcPr/{W}gridSpan")
            row.append(Said(said, _span(wide) if wide is not None else 1))
            column += row[-1].span
        rows.append(row)
    return rows


def _span(element: Any) -> int:
    value = element.get(f"{W}val") or "1"
    return max(1, min(100, int(value))) if value.isdigit() else 1


def _text(element: Any) -> str:
    return "".join(_pieces(element))


def _pieces(element: Any) -> Iterator[str]:
    """The text in an element, without what was deleted and without text boxes, which are paragraphs of their own."""
    for child in element:
        if child.tag in _LEFT_OUT or child.tag == f"{W}txbxContent":
            continue
        if child.tag == f"{W}t":
            yield child.text or ""
        elif child.tag in _BREAKS and child.getparent().tag != f"{W}tabs":
            yield _BREAKS[child.tag]
        else:
            yield from _pieces(child)
            if child.tag == f"{W}p":
                yield "\n"


def _style(paragraph: Any) -> str:
    style = paragraph.find(f"{W}pPr/{W}pStyle")
    return style.get(f"{W}val") or "" if style is not None else ""


def _heading_levels(styles: Any) -> dict[str, int]:
    """Style ids of headings, whatever language the style's id is in, with their level; the title is above all."""
    levels = {"Title": 1, **{f"Heading{level}": level + 1 for level in range(1, 10)}}
    for style in styles.iter(f"{W}style") if styles is not None else ():
        name = style.find(f"{W}name")
        said = (name.get(f"{W}val") or "").casefold() if name is not None else ""
        if said == "title":
            levels[style.get(f"{W}styleId") or ""] = 1
        elif match := re.fullmatch(r"heading (\d)", said):
            levels[style.get(f"{W}styleId") or ""] = int(match[1]) + 1
    return levels
