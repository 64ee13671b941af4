"""What the operator's environment says: which catalog, which source, which log, who asks."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from footnote.access import Actor, actor_from_environment
from footnote.errors import UsageError
from footnote.provenance.log import place_of
from footnote.provenance.notary import Checkpointing
from footnote.provenance.postgres_connect import PostgresPlace
from footnote.provenance.witness_client import read_addresses

SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one session.

    Attributes:
        catalog: A pack's name or the path of a file.
        provenance_db: Where the log is; as text without a password.
        actor: Whoever asks, unless a call says otherwise.
        as_of: `AS_OF_DATE`, or None.
        seed: Whether the sample may be loaded into the source (`FOOTNOTE_SEED=1`).
        cache: Folder for compiled plans and the embedded sample.
        checkpoints: How the log's checkpoints are signed, and who else keeps them.
        documents: Folder of documents (`FOOTNOTE_DOCUMENTS`), or None.
        language: Of explanations (`FOOTNOTE_LANG`): en, pl, de or fr.
        environ: For `${NAME}` in the catalog, `DATABASE_URL` above all.
    """

    catalog: str
    provenance_db: Path | PostgresPlace
    actor: Actor
    as_of: dt.date | None
    seed: bool
    cache: Path
    checkpoints: Checkpointing
    documents: Path | None
    language: str
    environ: Mapping[str, str]


def read_settings(
    environ: Mapping[str, str],
    *,
    catalog: str | None = None,
    database_url: str | None = None,
    provenance_db: str | os.PathLike[str] | None = None,
    actor: Actor | None = None,
) -> Settings:
    """Settings from arguments first and the environment second.

    Raises:
        UsageError: A variable cannot be used; names it and what would work.
    """
    return Settings(
        catalog=catalog or environ.get("FOOTNOTE_CATALOG") or SAMPLE,
        provenance_db=_provenance_db(provenance_db or environ.get("PROVENANCE_DB") or ""),
        actor=actor or actor_from_environment(environ),
        as_of=_as_of(environ.get("AS_OF_DATE") or ""),
        seed=_flag(environ, "FOOTNOTE_SEED"),
        cache=cache_folder(environ),
        documents=_documents(environ),
        language=_language(environ),
        checkpoints=_checkpoints(environ),
        environ={**environ, "DATABASE_URL": database_url} if database_url else environ,
    )


def _provenance_db(place: str | os.PathLike[str]) -> Path | PostgresPlace:
    if place:
        found = place_of(place)
        return found if isinstance(found, PostgresPlace) else _path("PROVENANCE_DB", str(found))
    import platformdirs

    return platformdirs.user_data_path("footnote") / "provenance.db"


def _checkpoints(environ: Mapping[str, str]) -> Checkpointing:
    import platformdirs

    key = environ.get("FOOTNOTE_KEY") or ""
    outside = environ.get("FOOTNOTE_CHECKPOINTS") or ""
    tsa = environ.get("FOOTNOTE_TSA") or ""
    if outside and "://" not in outside:
        outside = str(_path("FOOTNOTE_CHECKPOINTS", outside).absolute())
    if tsa and tsa.partition("://")[0] not in {"http", "https"}:
        raise UsageError(f"FOOTNOTE_TSA is {tsa[:80]!r}.", remedy="Give the http or https address of an authority.")
    return Checkpointing(
        key=_path("FOOTNOTE_KEY", key).absolute() if key else platformdirs.user_data_path("footnote") / "signing.key",
        outside=outside,
        witnesses=read_addresses(environ.get("FOOTNOTE_WITNESS") or ""),
        tsa=tsa,
    )


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder for compiled plans, the embedded sample, and what is read from files."""
    import platformdirs

    named = environ.get("FOOTNOTE_CACHE")
    return _path("FOOTNOTE_CACHE", named) if named else platformdirs.user_cache_path("footnote")


def _documents(environ: Mapping[str, str]) -> Path | None:
    named = environ.get("FOOTNOTE_DOCUMENTS") or environ.get("MCP_REDLINE_CORPUS_DIR")
    return _path("FOOTNOTE_DOCUMENTS", named) if named else None


LANGUAGES = ("en", "pl", "de", "fr")


def _language(environ: Mapping[str, str]) -> str:
    """The language of explanations; `de_AT.UTF-8` is German."""
    named = environ.get("FOOTNOTE_LANG") or environ.get("MCP_REDLINE_LANG") or "en"
    language = named.lower().replace("-", "_").partition("_")[0].partition(".")[0]
    if language not in LANGUAGES:
        raise UsageError(f"FOOTNOTE_LANG is {named[:40]!r}.", remedy=f"Set it to one of: {', '.join(LANGUAGES)}.")
    return language


def _path(variable: str, text: str) -> Path:
    """A path as a shell would read it: `~` is the home folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise UsageError(
            f"{variable} names a home folder that there is none of: {text[:200]!r}.", remedy="Give an absolute path."
        ) from None


def _as_of(text: str) -> dt.date | None:
    if not text:
        return None
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return dt.date.fromisoformat(text)
    except ValueError:
        pass
    raise UsageError(f"AS_OF_DATE is {text[:40]!r}.", remedy="Give a date as YYYY-MM-DD.")


def _flag(environ: Mapping[str, str], name: str) -> bool:
    value = (environ.get(name) or "").lower()
    if value in ("", "0", "false", "no"):
        return False
    if value in ("1", "true", "yes"):
        return True
    raise UsageError(f"{name} is {value[:40]!r}.", remedy="Set it to 1 or 0.")
