"""Engines: open a source read-only, run a `Query` within a time limit, describe its tables.

Start at `footnote.sources.opening.open_source`; `footnote.sources.source` has the protocols that callers use.
"""
