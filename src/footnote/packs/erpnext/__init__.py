"""The pack `erpnext`: see docs/packs.md."""
