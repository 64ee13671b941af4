"""Plans: catalog + schema + engine -> statements a driver can run. The only place where a `Query` is made.

Row rules will be applied here and nowhere else. Compiled plans are kept by digest of catalog, schema, engine and
versions, so that a warm start parses no SQL.
"""
