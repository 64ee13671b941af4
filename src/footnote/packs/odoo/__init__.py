"""The pack `odoo`: see docs/packs.md."""
