"""The sample's data files are what `scripts/make_sample.py` makes, byte for byte."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "src" / "footnote" / "packs" / "sample" / "data"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return runpy.run_path(str(ROOT / "scripts" / "make_sample.py"))


def test_the_generator_makes_the_files_that_are_there(script: dict[str, Any]) -> None:
    made: dict[str, str] = script["files"]()
    there = {path.name: path.read_bytes() for path in DATA.iterdir()}
    assert {name: text.encode() for name, text in made.items()} == there


def test_made_twice_the_files_are_the_same(script: dict[str, Any]) -> None:
    files: Callable[[], dict[str, str]] = script["files"]
    assert files() == files()


def test_check_says_whether_the_files_are_as_made(script: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert script["main"](["--check"]) == 0
    assert "as this script makes them" in capsys.readouterr().out
