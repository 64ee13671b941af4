"""Settings that all tests share: how hypothesis draws its examples.

`dev` (the default) draws new examples on every run. `ci` draws the same ones every time, so that a change fails for
its own sake only. HYPOTHESIS_PROFILE chooses; where CI is set, `ci` is the default. Neither has a deadline: a slow
machine is not a wrong figure.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

settings.register_profile("dev", deadline=None, max_examples=100)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, database=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

# What goes to the user's data folder by default, a signing key above all, goes to a folder of this run instead.
os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="footnote-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], ignore_errors=True)
