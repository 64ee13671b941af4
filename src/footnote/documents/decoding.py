"""Bytes of a text file as text: by byte order mark, then UTF-8, then by what its letters make likely; and which. Pure."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LIKELY = ["cp1250", "cp1252", "iso8859_2", "iso8859_15", "cp437", "cp852", "mac_roman"]
_POLISH = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"
_WESTERN = "äöüßÄÖÜéèêëàâçîïôûùÉÈÀÇ"


def decode(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text, and problems: which encoding was taken if the file does not say, or that it cannot be decoded."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding), ()
            except UnicodeDecodeError:
                return "", (f"The file starts like {encoding} and is not: it cannot be decoded.",)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(data)
    if _is_binary(data):
        return "", ("The file is no text: it holds zero bytes.",)
    return text, ()


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:100_000]


def _guessed(data: bytes) -> tuple[str, tuple[str, ...]]:
    if _is_binary(data):
        return "", ("The file is no text: it holds zero bytes.",)
    polish, western = data.decode("cp1250", "replace"), data.decode("cp1252", "replace")
    ours = {"cp1252": _share(western, _WESTERN), "cp1250": _share(polish, _POLISH + _WESTERN)}
    encoding = max(ours, key=lambda name: ours[name])
    if ours[encoding] < 0.8:
        encoding = _by_statistics(data) or ""
    if not encoding:
        return "", ("The file cannot be decoded: it is neither UTF-8 nor anything that its letters suggest.",)
    text = data.decode(encoding, "replace")
    problems = [f"The file is not UTF-8; it was read as {encoding}."]
    if "\ufffd" in text:
        problems.append(f"{text.count(chr(0xFFFD))} bytes have no meaning in it and stand as �.")
    return text, tuple(problems)


def _share(text: str, letters: str) -> float:
    """How many of the characters beyond ASCII are letters of our languages or usual marks."""
    beyond = [c for c in text if ord(c) > 127]
    return sum(c in letters or c in "€£§°–—„“”’‘«»…·•©®\u00a0" for c in beyond) / len(beyond) if beyond else 1.0


def _by_statistics(data: bytes) -> str | None:
    from footnote.documents.extras import needed

    with needed("charset-normalizer", "to tell the encoding of a file"):
        from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000], cp_isolation=_LIKELY).best()
    return best.encoding if best is not None else None
