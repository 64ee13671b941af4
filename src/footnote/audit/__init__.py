"""What an auditor does: take an export away, verify it alone."""

from __future__ import annotations

from footnote.audit.export import Selection, export_json, write_export
from footnote.audit.offline import verify_export

__all__ = ["export_json", "write_export", "Selection", "verify_export"]
