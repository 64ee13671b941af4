"""Libraries that are not always installed, asked for by name. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from footnote.errors import UsageError


class ExtraMissing(UsageError):
    """A library that a reader needs is not installed."""

    code = "extra_missing"


@contextmanager
def needed(library: str, purpose: str) -> Iterator[None]:
    """Turn a failing import inside into an error that says what to install.

    Raises:
        ExtraMissing: The import fails.
    """
    try:
        yield
    except ImportError:
        raise ExtraMissing(
            f"{library} is not installed; it is needed {purpose}.",
            remedy="Install it with: pip install 'footnote-provenance[documents]'.",
        ) from None
