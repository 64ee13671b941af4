"""Catalog: files that say what may be asked of a source -> a checked model. Knows SQL text, not databases.

`load` reads a file and checks it, `model` is the format, `statements` the guard for SQL, `expressions` and `template`
the two small languages for figures. Nothing heavy is imported here.
"""
