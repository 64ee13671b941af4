"""The pack `gnucash`: the ledger, receivables and payables of a GnuCash book in SQLite. `catalog.yaml`."""
