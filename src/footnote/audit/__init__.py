"""What an auditor does: take an export away, verify it alone."""

from __future__ import annotations

from footnote.audit.export import export_json
from footnote.audit.files import write_export
from footnote.audit.offline import verify_export
from footnote.audit.selection import Selection

__all__ = ["export_json", "write_export", "Selection", "verify_export"]
