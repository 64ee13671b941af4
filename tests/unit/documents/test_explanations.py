"""Every status and reason is said in every language, and stands in the documentation."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
import yaml

from footnote.documents.explain import LANGUAGES
from footnote.documents.texts import index_from_texts
from footnote.documents.verdict import Reason, Status
from footnote.documents.verify import verify

TEXTS = yaml.safe_load(resources.files("footnote.documents").joinpath("explanations.yaml").read_text(encoding="utf-8"))
DOCS = (Path(__file__).parents[3] / "docs" / "documents.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_status_and_reason_is_said(language: str) -> None:
    assert set(TEXTS[language]["status"]) == {status.value for status in Status}
    assert set(TEXTS[language]["reason"]) == {reason.value for reason in Reason}


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_documented(reason: Reason) -> None:
    assert f"| `{reason.value}` |" in DOCS


def test_the_language_changes_the_words_and_nothing_else() -> None:
    index = index_from_texts({"a.md": "# LEASE\n\n1. The rent is 700 EUR.\n"})
    verdicts = [verify("The rent is 800 EUR.", index, language) for language in (*LANGUAGES, "xx")]
    assert len({verdict.explanation for verdict in verdicts}) == len(LANGUAGES)
    assert len({(verdict.status, verdict.reason_codes, verdict.quote) for verdict in verdicts}) == 1
