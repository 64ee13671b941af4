"""The pack `tryton`: receivables, payables and the ledger of Tryton 8. `catalog.yaml`."""
