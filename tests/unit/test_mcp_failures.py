"""What a client is told when something goes wrong: enough to mend the call, nothing of what must stay inside."""

from __future__ import annotations

import logging
import sqlite3

import mcp_types as types
import pytest

from footnote.errors import ArgumentError, Candidate, CatalogError, NameAmbiguous, SourceUnavailable
from footnote.serve.failures import DiscreetFormatter, error_text, failed

SECRET = "hunter2 /home/ana/secret.db [parameters: 4471]"


def text_of(result: types.CallToolResult) -> str:
    block = result.content[0]
    assert isinstance(block, types.TextContent)
    return block.text


def raised(error: Exception) -> Exception:
    """The error as it looks after it was raised somewhere, on behalf of another one."""
    try:
        try:
            raise sqlite3.OperationalError(SECRET)
        except sqlite3.OperationalError as cause:
            raise error from cause
    except Exception as caught:  # noqa: BLE001  # whatever it is, with its traceback
        return caught


def test_an_error_of_ours_is_told_in_full_with_a_candidate_per_line() -> None:
    error = NameAmbiguous(
        "Two customers are called Berg.",
        why="Footnote does not choose.",
        remedy="Ask which one is meant.",
        candidates=[Candidate("Bergmann Logistik GmbH", "customer:4471"), Candidate("Bergheim AG", "customer:4490")],
    )
    result = failed(error)
    assert result.is_error
    assert text_of(result).split("\n") == [
        "Two customers are called Berg. Footnote does not choose. Ask which one is meant.",
        "Did you mean:",
        "- Bergmann Logistik GmbH (customer:4471)",
        "- Bergheim AG (customer:4490)",
    ]


def test_an_error_has_no_structured_content() -> None:
    assert failed(ArgumentError("No.")).structured_content is None


def test_a_recorded_failure_names_its_record() -> None:
    record = {"id": "9d0e4f5a", "sequence": 7, "hash": "ab"}
    result = failed(ArgumentError("No.", details={"record": record}))
    assert "provenance://record/9d0e4f5a, record 7" in text_of(result)
    assert result.meta == {
        "footnote/recordId": "9d0e4f5a",
        "footnote/recordSequence": 7,
        "footnote/recordHash": "ab",
    }


def test_the_cause_of_an_error_of_ours_is_not_told() -> None:
    told = text_of(failed(raised(SourceUnavailable("The source cannot be read."))))
    assert told == "The source cannot be read."


@pytest.mark.parametrize(
    "error", [ValueError(SECRET), KeyError("hunter2"), RuntimeError(SECRET), RecursionError(SECRET)]
)
def test_a_fault_of_ours_is_a_reference_and_nothing_else(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    result = failed(raised(error))
    told = text_of(result)
    reference = told.rstrip(".").rpartition(" ")[2]
    assert result.is_error
    assert len(reference) == 8
    assert "hunter2" not in told
    assert reference in caplog.text
    assert type(error).__name__ in caplog.text
    assert "OperationalError" in caplog.text


def test_the_servers_log_has_no_texts_of_faults_and_no_paths(caplog: pytest.LogCaptureFixture) -> None:
    failed(raised(ValueError(SECRET)))
    assert "hunter2" not in caplog.text
    assert "4471" not in caplog.text
    assert "/" not in caplog.messages[0]
    assert "test_mcp_failures.py:" in caplog.messages[0]


def test_a_catalog_that_cannot_be_used_is_the_operators_business(caplog: pytest.LogCaptureFixture) -> None:
    error = CatalogError("The column `x` has no type.", file="/etc/footnote/receivables.yaml", line=12)
    told = text_of(failed(error))
    assert "column" not in told
    assert "receivables.yaml:12: The column `x` has no type." in caplog.text
    assert "/etc/footnote" not in caplog.text


def test_a_long_error_is_cut() -> None:
    assert len(error_text(ArgumentError("x" * 1_000_000))) < 5_000


def test_an_error_that_quotes_a_lone_surrogate_can_be_sent() -> None:
    failed(ArgumentError("No 'a\ud800'.")).model_dump_json().encode("utf-8")


def test_log_lines_of_the_sdk_do_not_quote_what_failed() -> None:
    error = raised(ValueError(SECRET))
    record = logging.LogRecord("mcp", logging.ERROR, __file__, 1, "handler raised", None, (type(error), error, None))
    line = DiscreetFormatter("%(message)s").format(record)
    assert line.startswith("handler raised\nValueError at ")
    assert "hunter2" not in line
