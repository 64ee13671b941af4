"""Tables of a PDF page: runs of lines whose parts stand below one another. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from footnote.documents.grids import Said, write_table
from footnote.documents.layout import Block, TextBuilder
from footnote.documents.readers.pdf_lines import PageLine, Segment

_VALUE = re.compile(r"[-+−–(\s$€£¥]*[\d][\d.,'\s\u00a0\u202f]*[)%\s]*(?:[A-Z]{3}|zł|[$€£])?$|^[-–—]$")


def table_runs(lines: Sequence[PageLine]) -> Iterator[tuple[list[PageLine], bool]]:
    """The lines of a page in runs, with whether a run is a table."""
    run: list[PageLine] = []
    at = 0
    while at < len(lines):
        length = _table_length(lines[at:])
        if length:
            table = list(lines[at : at + length])
            while run and _heads(run[-1], table):
                table.insert(0, run.pop())
            if run:
                yield run, False
            yield table, True
            run = []
            at += length
        else:
            run.append(lines[at])
            at += 1
    if run:
        yield run, False


def _heads(line: PageLine, table: Sequence[PageLine]) -> bool:
    """Whether a line of one part just above a table stands over its columns and not over its labels."""
    if len(line.segments) != 1 or line.y - table[0].y > 2.5 * max(line.height, table[0].height):
        return False
    bands = _bands(table)
    margin = min(row.segments[0].left for row in table)
    segment = line.segments[0]
    return bool(bands) and segment.left > margin + 30 and segment.right > bands[0][0] and len(table) < 400


def _table_length(lines: Sequence[PageLine]) -> int:
    """Lines at the start that make up a table: at least two with several parts, of which some hold values."""
    if not lines or len(lines[0].segments) < 2:
        return 0
    length = several = valued = 0
    for number, line in enumerate(lines):
        if number and lines[number - 1].y - line.y > 4 * max(line.height, lines[number - 1].height):
            break
        if len(line.segments) > 1:
            several += 1
            valued += any(_VALUE.match(segment.text) for segment in line.segments[1:])
            length = number + 1
        elif number - length >= 2 or len(line.text) > 70 or not _continues(lines, number):
            break
    return length if several >= 2 and valued * 2 >= several - 1 and valued else 0


def _continues(lines: Sequence[PageLine], number: int) -> bool:
    """Whether a line of one part stands inside a table: the label of a group, with rows below it."""
    below = lines[number + 1 : number + 3]
    return any(len(line.segments) > 1 for line in below)


def write_run(builder: TextBuilder, run: Sequence[PageLine]) -> Block | None:
    """A run of lines as a table of the text."""
    bands = _bands(run)
    rows = [_cells(line, bands) for line in run]
    return write_table(builder, rows, gap="  ")


def _bands(run: Sequence[PageLine]) -> list[tuple[float, float]]:
    """Where the columns behind the first one stand: parts with values that overlap make up a column."""
    valued = [s for line in run for s in line.segments[1:] if _VALUE.match(s.text)]
    named = [s for line in run for s in line.segments[1:] if not _VALUE.match(s.text)]
    bands: list[tuple[float, float]] = []
    for segment in sorted(valued, key=lambda s: s.left):
        if bands and segment.left < bands[-1][1] - 1:
            bands[-1] = (bands[-1][0], max(bands[-1][1], segment.right))
        else:
            bands.append((segment.left, segment.right))
    for segment in sorted(named, key=lambda s: s.left):
        if not any(left - 12 < segment.right and segment.left < right + 12 for left, right in bands):
            bands.append((segment.left, segment.right))
    return sorted(bands)


def _cells(line: PageLine, bands: Sequence[tuple[float, float]]) -> list[Said]:
    """The cells of a line: its first part is the label unless it stands in a column; each other one covers its bands."""
    first = line.segments[0]
    labelled = not bands or (first.left < bands[0][0] - 1 and first.right < bands[0][1])
    out = [Said(first.text if labelled else "")]
    at = 0
    for segment in line.segments[1:] if labelled else line.segments:
        covered = _covered(segment, bands, at)
        if covered is None:
            if out[-1].text or len(out) > 1:
                last = out[-1]
                out[-1] = Said(f"{last.text}  {segment.text}".strip(), last.span)
            else:
                out[-1] = Said(segment.text)
            continue
        start, end = covered
        out += [Said("")] * (start - at)
        out.append(Said(segment.text, end - start))
        at = end
    return out


def _covered(segment: Segment, bands: Sequence[tuple[float, float]], at: int) -> tuple[int, int] | None:
    """The columns, from `at` on, over which a part stands; the nearest one if it stands over none."""
    if at >= len(bands):
        return None
    over = [n for n in range(at, len(bands)) if segment.left < bands[n][1] and bands[n][0] < segment.right]
    if over:
        return over[0], over[-1] + 1
    middle = (segment.left + segment.right) / 2
    nearest = min(range(at, len(bands)), key=lambda n: abs((bands[n][0] + bands[n][1]) / 2 - middle))
    return nearest, nearest + 1
