"""The host page and the `<footnote-answer>` element: static files, no build step, nothing fetched from elsewhere.

The page is served by `footnote.serve.http`; a portal that embeds the element loads `footnote-answer.js` as a module.
"""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent / "static"
"""The folder of the page's files; `index.html` is the page, everything else is served below `/static/`."""
