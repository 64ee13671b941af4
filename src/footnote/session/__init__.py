"""A catalog, a source and a log, opened together: the seam that every face uses.

`Session` holds them and makes the calls of a catalog. What works on further things stands beside it, a module each, as
functions over a session; they record through `Session.recording` and `Session.append`.
"""

from footnote.session.session import Session

__all__ = ["Session"]
