"""Catalogs that ship with Footnote: data, no code. A pack is a folder with a `catalog.yaml`."""
