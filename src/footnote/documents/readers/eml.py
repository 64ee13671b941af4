"""EML (RFC 5322): the lines of its head, its body, what it quotes of other messages, and its attachments."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime

from footnote.documents.decoding import decode
from footnote.documents.layout import Block, BlockKind, Extract, Part, TextBuilder
from footnote.documents.lines import Line, blocks_of_lines, lines_of
from footnote.documents.readers.html import read_html

_HEAD = ("From", "To", "Cc", "Date", "Subject")
_WROTE = re.compile(
    r"(?:On|Am|Le|W dniu|Dnia)\b.{6,160}(?:wrote|schrieb.{0,80}|a écrit|napisał\w*|pisze|nap\.)\s*:?$", re.IGNORECASE
)
_ORIGINAL = re.compile(
    r"-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|"
    r"message transféré|wiadomość oryginalna|wiadomość przekazana)\s*-{2,}$",
    re.IGNORECASE,
)
_FROM = re.compile(r"(?:from|von|de|od)\s*:\s*(.+)$", re.IGNORECASE)
_SENT = re.compile(r"(?:sent|date|gesendet|datum|envoyé|wysłano|data)\s*:\s*(.+)$", re.IGNORECASE)


def read_eml(data: bytes) -> Extract:
    """One message; its attachments are parts."""
    message = message_from_bytes(data, policy=policy.default)
    builder = TextBuilder()
    sent, sender = _sent(message), _header(message, "From")
    blocks = list(_head(builder, message, sent, sender))
    problems: list[str] = [] if sent else ["The message has no date that can be read."]
    body, told = _body(message)
    problems += told
    offset = len(builder)
    builder.add(body)
    text = builder.text
    blocks += _body_blocks(text, offset, sent, sender)
    parts, refused = _parts(message)
    subject = _header(message, "Subject")
    date = sent.date() if sent else None
    return Extract(
        "eml", text, tuple(blocks), title=subject, date=date, problems=(*problems, *refused), parts=tuple(parts)
    )


def _header(message: Message, name: str) -> str:
    try:
        return " ".join(str(message.get(name, "")).split())
    except (ValueError, LookupError, TypeError, AttributeError):  # what the parser makes of broken headers
        return ""


def _sent(message: Message) -> dt.datetime | None:
    try:
        return parsedate_to_datetime(_header(message, "Date"))
    except (ValueError, TypeError, IndexError):
        return None


def _head(builder: TextBuilder, message: Message, sent: dt.datetime | None, sender: str) -> Iterator[Block]:
    for name in _HEAD:
        if value := _header(message, name):
            start, end = builder.add(f"{name}: {value}")
            builder.add("\n")
            yield Block(BlockKind.PARAGRAPH, start, end, sent=sent, sender=sender)
    builder.add("\n")


# --- body -------------------------------------------------------------------------------------------------------------


def _body(message: Message) -> tuple[str, list[str]]:
    """The body as text: the plain one, else what the HTML one shows."""
    assert isinstance(message, EmailMessage)  # noqa: S101 - policy.default makes these
    try:
        part = message.get_body(("plain", "html"))
    except (KeyError, ValueError, AttributeError):
        part = None
    if part is None:
        return "", ["The message has no text."]
    text, problems = _content(part)
    if part.get_content_type() == "text/html":
        page = read_html(text)
        return page.text, [*problems, *page.problems]
    return text, problems


def _content(part: Message) -> tuple[str, list[str]]:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return "", ["The body of the message cannot be decoded."]
    charset = part.get_content_charset()
    try:
        return data.decode(charset or "utf-8"), []
    except (LookupError, UnicodeDecodeError):
        text, problems = decode(data)
        return text, list(problems)


@dataclass(frozen=True, slots=True)
class _Voice:
    """Who speaks in a run of lines."""

    sent: dt.datetime | None
    sender: str
    quoted: bool


def _body_blocks(text: str, offset: int, sent: dt.datetime | None, sender: str) -> Iterator[Block]:
    for voice, lines in _voices(lines_of(text, offset), _Voice(sent, sender, False)):
        for block in blocks_of_lines(text, lines, markdown=False):
            yield replace(block, sent=voice.sent, sender=voice.sender, quoted=voice.quoted)


def _voices(lines: list[Line], own: _Voice) -> Iterator[tuple[_Voice, list[Line]]]:
    """Runs of lines of one voice: the sender's own, and those of the messages that are repeated."""
    voice = own
    other = _Voice(None, "", True)
    run: list[Line] = []
    for number, line in enumerate(lines):
        marked = line.text.startswith(">")
        below = False
        if match := _WROTE.match(line.text.lstrip("> ")):
            other = _Voice(None, _writer(match[0]), True)
            below = not marked and not any(near.text.startswith(">") for near in lines[number + 1 : number + 4])
        elif _ORIGINAL.match(line.text) or _quotes_head(lines, number):
            other, below = _original(lines[number : number + 8]), True
        following = (
            other if marked or below or (voice.quoted and voice is not own and not _returns(voice, line, run)) else own
        )
        if following != voice and run:
            yield voice, run
            run = []
        voice = following
        run.append(line)
    if run:
        yield voice, run


def _returns(voice: _Voice, line: Line, run: list[Line]) -> bool:
    """Whether a line without a mark, behind lines with marks, is the sender's own again."""
    return any(above.text.startswith(">") for above in run) and not line.text.startswith(">")


def _quotes_head(lines: list[Line], number: int) -> bool:
    """Whether a repeated message begins here, as some programs write it: From, Sent, To below one another."""
    near = [line.text for line in lines[number : number + 5]]
    return bool(near and _FROM.match(near[0]) and any(_SENT.match(text) for text in near[1:]))


def _original(lines: list[Line]) -> _Voice:
    sender = next((m[1].strip() for line in lines if (m := _FROM.match(line.text))), "")
    said = next((m[1].strip() for line in lines if (m := _SENT.match(line.text))), "")
    try:
        sent = parsedate_to_datetime(said) if said else None
    except (ValueError, TypeError, IndexError):
        sent = None
    return _Voice(sent, sender, True)


def _writer(line: str) -> str:
    """The name in "On 3 May 2024 at 10:02, Anna Nowak wrote:"."""
    said = re.sub(r"\s*(?:wrote|schrieb|a écrit|napisał\w*|pisze|nap\.)\s*.*$", "", line, flags=re.IGNORECASE)
    name = re.split(r",\s*|\d{1,2}:\d{2}(?:\s*[AP]M)?\s*", said)[-1].strip()
    return name if re.search(r"[^\W\d_]{2}", name) else ""


# --- attachments ------------------------------------------------------------------------------------------------------


def _parts(message: Message) -> tuple[list[Part], list[str]]:
    assert isinstance(message, EmailMessage)  # noqa: S101 - policy.default makes these
    out: list[Part] = []
    problems: list[str] = []
    try:
        attached = list(message.iter_attachments())
    except (ValueError, AttributeError, KeyError, TypeError):
        return [], ["The attachments of the message cannot be told apart."]
    for number, part in enumerate(attached, start=1):
        name = re.sub(r"[/\\\x00-\x1f]", "_", part.get_filename() or "") or f"part-{number}{_suffix(part)}"
        data = _bytes(part)
        if data is None:
            problems.append(f"The attachment {name} cannot be decoded.")
        else:
            out.append(Part(name, data))
    return out, problems


def _bytes(part: Message) -> bytes | None:
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        return inner[0].as_bytes() if isinstance(inner, list) and inner and isinstance(inner[0], Message) else None
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else None


def _suffix(part: Message) -> str:
    known = {
        "message/rfc822": ".eml",
        "text/plain": ".txt",
        "text/html": ".html",
        "application/pdf": ".pdf",
        "text/csv": ".csv",
    }
    return known.get(part.get_content_type(), "")
