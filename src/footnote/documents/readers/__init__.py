"""Readers: one module a format, each from bytes to text and the blocks in it. Heavy libraries are imported when used."""
