"""A verdict in words, in the reader's language. The codes are what counts; this says them. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import yaml

from footnote.documents.verdict import Status, Verdict

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LANGUAGES = ("en", "pl", "de", "fr")
"""Languages that explanations are written in."""


def explain(verdict: Verdict, language: str) -> Verdict:
    """The verdict with its explanation; an unknown language is English."""
    texts = _texts()[language if language in LANGUAGES else "en"]
    sentences = [texts["status"][verdict.status.value]]
    sentences += [texts["reason"][reason.value] for reason in verdict.reason_codes[:3]]
    if verdict.conflicting:
        sentences.append(texts["conflicting"].format(file=verdict.conflicting[0].file))
    if verdict.status is Status.UNSUPPORTED and verdict.nearest is not None:
        sentences.append(texts["nearest"].format(file=verdict.nearest.file))
    return replace(verdict, explanation=" ".join(sentences))


@cache
def _texts() -> dict[str, Any]:
    text = resources.files("footnote.documents").joinpath("explanations.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, Loader=_LOADER))  # noqa: S506 -- it is the safe loader, in C where there is one
