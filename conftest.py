"""Settings that all tests share: how hypothesis draws its examples.

`dev` (the default) draws new examples on every run. `ci` draws the same ones every time, so that a change fails for
its own sake only. HYPOTHESIS_PROFILE chooses; where CI is set, `ci` is the default. Neither has a deadline: a slow
machine is not a wrong figure.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("dev", deadline=None, max_examples=100)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, database=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))
