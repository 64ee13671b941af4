"""The illustration of a model's answer: every figure other, same format, bound to nothing, always the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import footnote
from footnote.answers.draft import utf16_slice
from footnote.answers.illustrate import illustrate
from footnote.connect.seed import seed_sqlite
from footnote.session import Session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder: Path = tmp_path_factory.mktemp("illustration")
    seed_sqlite(folder / "erp.db")
    url = f"sqlite:///{folder / 'erp.db'}"
    environ = {"FOOTNOTE_CACHE": str(folder / "cache")}
    with footnote.open("sample", database_url=url, provenance_db=folder / "log.db", environ=environ) as opened:
        yield opened


QUESTIONS = [
    "How much does Bergmann owe?",
    "Is Bergmann Logistik at risk?",
    "Show me the receivables aging",
    "Revenue by month",
    "Who are our top customers?",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_figure_is_altered_in_the_same_format(session: Session, question: str) -> None:
    answer = session.ask(question).as_dict()
    true = {claim["text"] for claim in answer["claims"]}
    shown = illustrate(answer)
    assert len(shown["claims"]) == len(answer["claims"])
    for before, after in zip(answer["claims"], shown["claims"], strict=True):
        if re.search(r"\d", before["text"]):
            assert after["text"] not in true
            if len(re.findall(r"\d", before["text"])) > 2:
                assert re.sub(r"\d", "0", after["text"]) == re.sub(r"\d", "0", before["text"])
        else:
            assert after["text"] == before["text"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_it_is_bound_to_nothing_and_marked(session: Session, question: str) -> None:
    shown = illustrate(session.ask(question).as_dict())
    assert shown["illustration"] is True
    assert (shown["evidence"], shown["results"], shown["operations"], shown["record"]) == ([], [], [], {})
    for claim in shown["claims"]:
        assert claim["origin"] == "generated"
        assert claim["evidenceIds"] == []
        span = claim["span"]
        assert utf16_slice(shown["answer"], span["start"], span["end"]) == claim["text"]


def test_the_same_answer_gives_the_same_illustration(session: Session) -> None:
    answer = session.ask(QUESTIONS[0]).as_dict()
    assert illustrate(answer) == illustrate(answer)
    assert illustrate(answer)["answer"] != answer["answer"]


def test_the_conclusion_keeps_its_place(session: Session) -> None:
    answer = session.ask(QUESTIONS[1]).as_dict()
    conclusion = illustrate(answer)["conclusion"]
    said = utf16_slice(illustrate(answer)["answer"], conclusion["start"], conclusion["end"])
    assert said.startswith("Bergmann Logistik GmbH shows ")
    assert said.endswith(" independent risk signals.")


def answer_of(*texts: str) -> dict[str, Any]:
    written, claims = "", []
    for text in texts:
        written += " 🙂 "
        start = len(written.encode("utf-16-le")) // 2
        written += text
        end = len(written.encode("utf-16-le")) // 2
        claims.append(
            {"text": text, "span": {"start": start, "end": end}, "evidenceIds": ["a:1"], "origin": "structured"}
        )
    return {"answer": written, "claims": claims}


def test_a_date_stays_a_date_and_digits_stay_in_their_script() -> None:
    shown = illustrate(answer_of("2026-05-31", "31.05.2026", "٤٣٬٨٠٥", "INV-2026-8812", "0,00\xa0€"))
    date, local, arabic, invoice, zero = (claim["text"] for claim in shown["claims"])
    assert re.fullmatch(r"2026-(0[1-9]|1[0-2])-(0[1-9]|1[0-2])", date)
    assert re.fullmatch(r"(0[1-9]|1[0-2])\.(0[1-9]|1[0-2])\.2026", local)
    assert re.fullmatch(r"[٠-٩]{2}٬[٠-٩]{3}", arabic)
    assert re.fullmatch(r"INV-2026-\d{4}", invoice)
    assert zero != "0,00\xa0€"
    assert not {c["text"] for c in shown["claims"]} & {"2026-05-31", "31.05.2026", "٤٣٬٨٠٥", "INV-2026-8812"}


def test_when_all_short_figures_are_true_a_longer_one_is_shown() -> None:
    shown = illustrate(answer_of(*"0123456789"))
    assert not {claim["text"] for claim in shown["claims"]} & set("0123456789")
