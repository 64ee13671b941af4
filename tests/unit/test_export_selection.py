"""Which records an export has: filters, samples that anyone can draw again, and cited results."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.audit import Selection, export_json, verify_export, write_export
from footnote.audit.chosen import Chosen
from footnote.audit.sampling import Sample, draw
from footnote.audit.selection import moment, select
from footnote.errors import UsageError
from footnote.provenance import Draft, Log, new_id

SIZE = 12


class Clock:
    """A day for each record, from the first of March 2026 on; that the file is made takes the time as well."""

    def __init__(self) -> None:
        self.day = -1

    def __call__(self) -> dt.datetime:
        self.day += 1
        return dt.datetime(2026, 3, max(1, self.day), 23, 59, 59, 999_000, tzinfo=dt.UTC)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    """Results and answers in turns; record 10 cites the results 1 and 9, each other answer the one before it."""
    results: list[str] = []
    with Log.open(tmp_path / "log.db", clock=Clock()) as log:
        for number in range(1, SIZE + 1):
            sections: dict[str, Any] = {
                "actor": {"id": "ana" if number <= 6 else "zoran", "role": "controller"},
                "operations": [{"name": "aging" if number % 3 else "overdue"}],
            }
            id = new_id()
            if number % 2:
                results.append(id)
            else:
                cited = [results[0], results[-1]] if number == 10 else [results[-1]]
                sections["results"] = [{"id": one, "result": one[:8]} for one in cited]
            log.append(Draft("result" if number % 2 else "answer", "", sections, [], id))
        yield log


def exported(log: Log, file: Path, selection: Selection) -> tuple[list[int], dict[str, Any]]:
    write_export(file, export_json(log, selection), overwrite=True)
    content = json.loads(file.read_text(encoding="utf-8"))
    sequences = [record["sequence"] for record in content["records"]]
    outcome = verify_export(file)
    assert (outcome.ok, outcome.count) == (True, len(sequences)), outcome.reason
    return sequences, content


@pytest.mark.parametrize(
    ("selection", "sequences"),
    [
        (Selection(actor="zoran"), [7, 8, 9, 10, 11, 12]),
        (Selection(actor="nobody"), []),
        (Selection(operation="overdue"), [3, 6, 9, 12]),
        (Selection(operation="overdue", actor="ana", kinds=("answer",)), [6]),
        (Selection(since=moment("2026-03-11", end=False)), [11, 12]),
        (Selection(until=moment("2026-03-02", end=True)), [1, 2]),
        (Selection(since=moment("2026-03-05", end=False), until=moment("2026-03-05", end=True)), [5]),
        (Selection(until=moment("2026-03-02T12:00:00+01:00", end=True)), [1]),
        (Selection(actor="zoran", limit=2), [7, 8]),
        (Selection(actor="ana", after=4), [5, 6]),
        (Selection(record=10, cited=True), [1, 9, 10]),
        (Selection(kinds=("answer",), after=6, cited=True), [1, 7, 8, 9, 10, 11, 12]),
        (Selection(after=11, cited=True), [11, 12]),
        (Selection(cited=True), list(range(1, SIZE + 1))),
    ],
)
def test_a_selection_leaves_what_it_says_and_verifies(
    log: Log, tmp_path: Path, selection: Selection, sequences: list[int]
) -> None:
    found, content = exported(log, tmp_path / "export.json", selection)
    assert found == sequences
    assert select(log, selection).count == len(sequences)
    for name in ("actor", "operation"):
        assert content["selection"].get(name) == getattr(selection, name)


def test_a_sample_is_stated_with_its_population_and_anyone_draws_it_again(log: Log, tmp_path: Path) -> None:
    selection = Selection(kinds=("answer",), sample=Sample(3, "20260814"))
    found, content = exported(log, tmp_path / "export.json", selection)
    stated = content["selection"]["sample"]
    population = [sequence for sequence in range(1, SIZE + 1) if sequence % 2 == 0]
    # As the documentation has it, without a line of ours.
    ranks = sorted((sha256(b"footnote/sample-v1\0" + b"20260814\0" + str(s).encode()).digest(), s) for s in population)
    assert found == sorted(sequence for _, sequence in ranks[:3])
    digest = sha256("".join(f"{sequence}\n" for sequence in population).encode()).hexdigest()
    assert stated == {
        "algorithm": "footnote/sample-v1",
        "count": 3,
        "seed": "20260814",
        "population": {"count": 6, "digest": f"sha256:{digest}"},
    }


def test_a_sample_of_all_records_states_all_of_them(log: Log, tmp_path: Path) -> None:
    found, content = exported(log, tmp_path / "export.json", Selection(sample=Sample(500, "x")))
    assert found == list(range(1, SIZE + 1))
    assert content["selection"]["sample"]["population"]["count"] == SIZE


@given(
    st.sets(st.integers(1, 5_000), max_size=200),
    st.integers(1, 60),
    st.integers(1, 60),
    st.text("0123456789", min_size=1, max_size=20),
)
def test_a_larger_sample_holds_the_smaller_and_order_does_not_matter(
    population: set[int], one: int, other: int, seed: str
) -> None:
    small, large = sorted((one, other))
    drawn = draw(sorted(population), Sample(small, seed))
    assert drawn == draw(sorted(population, reverse=True), Sample(small, seed))
    assert len(drawn) == min(small, len(population))
    assert set(drawn) <= set(draw(population, Sample(large, seed))) <= population
    assert drawn == sorted(drawn)


def test_every_record_is_drawn_about_as_often_as_any_other() -> None:
    """A bias would show: 20 of 100 in each of 1,000 draws gives 200 a record, with a standard deviation of 12.6."""
    times = dict.fromkeys(range(1, 101), 0)
    for seed in range(1_000):
        for sequence in draw(times, Sample(20, str(seed))):
            times[sequence] += 1
    assert all(200 - 5 * 12.7 < count < 200 + 5 * 12.7 for count in times.values())


@given(st.sets(st.integers(1, 300)))
def test_a_bitmap_is_a_set_in_order_and_its_runs_cover_it(members: set[int]) -> None:
    chosen = Chosen(300, members)
    assert list(chosen) == sorted(members)
    assert len(chosen) == len(members)
    assert all((sequence in chosen) == (sequence in members) for sequence in range(-1, 310))
    runs = list(chosen.runs())
    assert [sequence for after, upto in runs for sequence in range(after + 1, upto + 1)] == sorted(members)
    assert all(following[0] > before[1] for before, following in pairwise(runs))


@pytest.mark.parametrize("sequence", [0, -1, 11])
def test_a_bitmap_takes_no_sequence_that_the_log_does_not_have(sequence: int) -> None:
    with pytest.raises(IndexError):
        Chosen(10).add(sequence)


@pytest.mark.parametrize(
    ("count", "seed"), [(0, "1"), (-5, "1"), (100_001, "1"), (5, ""), (5, "é"), (5, "a\nb"), (5, "7" * 201)]
)
def test_what_is_no_sample_is_refused(count: int, seed: str) -> None:
    with pytest.raises(UsageError):
        Sample(count, seed)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-02-30", "14.08.2026", "2026-08-14T25:00:00Z", "9999-12-31T23:59:59-14:00"]
)
def test_what_is_no_day_and_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no day"):
        moment(text, end=True)


def test_what_cannot_go_together_is_refused() -> None:
    with pytest.raises(UsageError, match="One record"):
        Selection(record=3, actor="ana")
    with pytest.raises(UsageError, match="first few"):
        Selection(limit=3, sample=Sample(2, "1"))


def test_a_file_that_is_there_is_not_written_over_unasked(log: Log, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    file.write_text("last year's")
    with pytest.raises(UsageError, match="already"):
        write_export(file, export_json(log))
    assert file.read_text() == "last year's"
    assert list(tmp_path.glob(".*")) == []
    write_export(file, export_json(log), overwrite=True)
    assert verify_export(file).count == SIZE


def test_a_file_that_someone_makes_meanwhile_is_not_written_over(log: Log, tmp_path: Path) -> None:
    file = tmp_path / "export.json"

    def pieces() -> Iterator[str]:
        yield from export_json(log)
        file.write_text("somebody else's")

    with pytest.raises(UsageError, match="already"):
        write_export(file, pieces())
    assert file.read_text() == "somebody else's"
    assert list(tmp_path.glob(".*")) == []
