"""Drafts a catalog over a database that is not known: what its tables are, what may be asked first, what a human decides."""
