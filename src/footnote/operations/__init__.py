"""The contract: validate arguments, resolve entities, run a plan, tie out -> `Result`.

Read `run.py` first: it is the path of one call, top to bottom.
"""
