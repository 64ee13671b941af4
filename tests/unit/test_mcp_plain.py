"""What goes out on the wire is JSON that every reader takes and none rounds."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.serve.plain import LARGEST_EXACT, has_lone_surrogate, one_line, plain, plain_text

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT | st.decimals(allow_nan=False) | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=20,
)


def integers(value: Any) -> list[int]:
    if isinstance(value, dict):
        return [n for item in value.values() for n in integers(item)]
    if isinstance(value, list):
        return [n for item in value for n in integers(item)]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


@given(VALUES)
def test_whatever_comes_in_goes_out_as_utf8_json(value: Any) -> None:
    made = plain(value)
    text = json.dumps(made, ensure_ascii=False)
    assert json.loads(text.encode("utf-8")) == made
    assert all(abs(n) <= LARGEST_EXACT for n in integers(made))
    assert plain(made) == made


@given(ANY_TEXT)
def test_a_text_keeps_its_length_in_utf16_so_that_spans_still_fit(text: str) -> None:
    cleaned = plain_text(text)
    cleaned.encode("utf-8")
    assert len(cleaned.encode("utf-16-le")) == len(text.encode("utf-16-le", "surrogatepass"))


@given(st.text())
def test_a_text_without_fault_is_left_alone(text: str) -> None:
    assert plain_text(text) == text
    assert not has_lone_surrogate(text)


def test_half_of_a_surrogate_pair_becomes_the_replacement_character() -> None:
    assert plain_text("a\ud800b\udfff") == "a\ufffdb\ufffd"
    assert plain({"\udc00": ["x\ud83d"]}) == {"\ufffd": ["x\ufffd"]}


def test_two_halves_that_belong_together_become_one_character() -> None:
    assert plain_text("\ud83d\ude00") == "😀"


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**63 - 1, 10**40])
def test_an_integer_that_readers_round_goes_as_text(number: int) -> None:
    assert plain({"n": number, "m": [number]}) == {"n": str(number), "m": [str(number)]}
    assert plain(number) == str(number)


@pytest.mark.parametrize("number", [0, 2**53 - 1, -(2**53) + 1])
def test_an_integer_that_readers_keep_stays_one(number: int) -> None:
    assert plain([number]) == [number]


def test_exact_values_go_as_text() -> None:
    assert plain([Decimal("43805.00"), dt.date(2026, 8, 14)]) == ["43805.00", "2026-08-14"]


def test_what_is_plain_already_is_not_copied() -> None:
    value = {"a": [1, "zwölf", None, True], "hash": "1234567890123456789"}
    assert plain(value) is value


def test_a_lone_surrogate_is_found_however_deep() -> None:
    nested: Any = "x\ud800"
    for _ in range(5_000):
        nested = [nested]
    assert has_lone_surrogate(nested)
    assert has_lone_surrogate({"\ud800": 1})
    assert not has_lone_surrogate([{"a": ["b", 1, None]}])


@given(st.text())
def test_one_line_is_one_line_and_as_long(text: str) -> None:
    shown = one_line(text)
    assert len(shown.splitlines()) <= 1
    assert len(shown) == len(plain_text(text))
    assert not any(c in "\x1b\x07\u202e\u2066" for c in shown)


def test_a_line_of_names_and_figures_is_left_alone() -> None:
    text = "Müller & Söhne, 43.805,00\u00a0€, שלום, 👩\u200d👩\u200d👧"
    assert one_line(text) == text
