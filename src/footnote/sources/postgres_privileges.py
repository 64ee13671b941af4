"""What a PostgreSQL login could write: its attributes, ownership, grants of every kind, and by which membership.

Asked from the system catalogs, whatever the size of the schema: grants are counted per schema and grantee. A right counts
whether it was given to the login, to PUBLIC, or to a role that the login is a member of, with or without INHERIT: it may
SET ROLE. A SECURITY DEFINER function counts also if it is declared STABLE, since it may call one that is not. Only grants that are written down count as rights of others; what a superuser may do is not listed one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnote.sources.privileges import Power, Privileges

if TYPE_CHECKING:
    import psycopg

_LOGIN = """
    SELECT rolname::text, rolsuper, rolcreaterole, rolcreatedb, rolreplication
    FROM pg_catalog.pg_roles WHERE rolname = session_user
"""
_REACHABLE = """
    reachable AS (
        SELECT r.oid, r.rolname::text AS name, r.rolname = session_user AS own
        FROM pg_catalog.pg_roles r WHERE pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
        UNION ALL SELECT 0::oid, 'PUBLIC', false
    ),
    spaces AS (
        SELECT oid, nspname::text AS name, nspname IN ('pg_catalog', 'information_schema') AS builtin, nspacl, nspowner
        FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\\_temp\\_%' AND nspname NOT LIKE 'pg\\_toast%'
    )
"""
_GRANTS = f"""
    WITH {_REACHABLE},
    granted (kind, space, object, detail, grantee, privilege, builtin) AS (
        SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, s.name, c.relname::text, '', a.grantee,
               a.privilege_type, s.builtin
        FROM pg_catalog.pg_class c JOIN spaces s ON s.oid = c.relnamespace, pg_catalog.aclexplode(c.relacl) a
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.privilege_type NOT IN ('SELECT', 'REFERENCES')
           OR c.relkind = 'S' AND a.privilege_type IN ('USAGE', 'UPDATE')
        UNION ALL
        SELECT 'column', s.name, c.relname::text, t.attname::text, a.grantee, a.privilege_type, s.builtin
        FROM pg_catalog.pg_attribute t JOIN pg_catalog.pg_class c ON c.oid = t.attrelid
             JOIN spaces s ON s.oid = c.relnamespace, pg_catalog.aclexplode(t.attacl) a
        WHERE a.privilege_type IN ('INSERT', 'UPDATE') AND NOT t.attisdropped
        UNION ALL
        SELECT 'schema', s.name, '', '', a.grantee, a.privilege_type, s.builtin
        FROM spaces s, pg_catalog.aclexplode(s.nspacl) a WHERE a.privilege_type = 'CREATE'
        UNION ALL
        SELECT 'database', d.datname::text, '', '', a.grantee, a.privilege_type, false
        FROM pg_catalog.pg_database d, pg_catalog.aclexplode(d.datacl) a
        WHERE d.datname = pg_catalog.current_database() AND a.privilege_type = 'CREATE'
        UNION ALL
        SELECT 'default', coalesce(s.name, ''), d.defaclrole::pg_catalog.regrole::text, d.defaclobjtype::text,
               a.grantee, a.privilege_type, false
        FROM pg_catalog.pg_default_acl d LEFT JOIN spaces s ON s.oid = d.defaclnamespace,
             pg_catalog.aclexplode(d.defaclacl) a
        WHERE (d.defaclobjtype = 'r' AND a.privilege_type NOT IN ('SELECT', 'REFERENCES')
               OR d.defaclobjtype = 'S' AND a.privilege_type IN ('USAGE', 'UPDATE')
               OR d.defaclobjtype = 'n' AND a.privilege_type = 'CREATE') AND a.grantee <> d.defaclrole
        UNION ALL
        SELECT 'large object', '', m.oid::text, '', a.grantee, a.privilege_type, false
        FROM pg_catalog.pg_largeobject_metadata m, pg_catalog.aclexplode(m.lomacl) a
        WHERE a.privilege_type = 'UPDATE' AND a.grantee <> m.lomowner
    )
    SELECT g.kind, g.space, r.name, r.own, g.detail, pg_catalog.array_agg(DISTINCT g.privilege ORDER BY g.privilege),
           pg_catalog.count(DISTINCT g.object), (pg_catalog.array_agg(DISTINCT g.object ORDER BY g.object))
               [1:CASE g.kind WHEN 'large object' THEN pg_catalog.count(*) ELSE 20 END]
    FROM granted g JOIN reachable r ON r.oid = g.grantee
    WHERE NOT (g.builtin AND g.grantee = 0)
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN spaces s ON s.oid = c.relnamespace
                      WHERE g.kind IN ('table', 'sequence', 'column') AND s.name = g.space
                        AND c.relname = g.object AND c.relowner = g.grantee)
    GROUP BY g.kind, g.space, r.name, r.own, g.detail, CASE WHEN g.kind IN ('column', 'default') THEN g.object END
    ORDER BY 1, 2, 3, 5
"""  # noqa: S608  # both parts are fixed text
_OWNED = f"""
    WITH {_REACHABLE},
    owned (kind, name, owner) AS (
        SELECT CASE c.relkind WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
               ELSE 'table' END, s.name || '.' || c.relname, c.relowner
        FROM pg_catalog.pg_class c JOIN spaces s ON s.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        UNION ALL SELECT 'schema', s.name, s.nspowner FROM spaces s
        UNION ALL SELECT 'function', s.name || '.' || p.proname, p.proowner
                  FROM pg_catalog.pg_proc p JOIN spaces s ON s.oid = p.pronamespace
        UNION ALL SELECT 'database', datname::text, datdba FROM pg_catalog.pg_database
                  WHERE datname = pg_catalog.current_database()
        UNION ALL SELECT i.type, i.identity, d.refobjid
                  FROM pg_catalog.pg_shdepend d, pg_catalog.pg_identify_object(d.classid, d.objid, 0) i
                  WHERE d.deptype = 'o' AND d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass
                    AND d.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
                    AND d.classid NOT IN ('pg_catalog.pg_class'::pg_catalog.regclass,
                                          'pg_catalog.pg_namespace'::pg_catalog.regclass,
                                          'pg_catalog.pg_proc'::pg_catalog.regclass,
                                          'pg_catalog.pg_default_acl'::pg_catalog.regclass)
    )
    SELECT o.kind, r.name, r.own, pg_catalog.count(*), (pg_catalog.array_agg(o.name ORDER BY o.name))[1:3]
    FROM owned o JOIN reachable r ON r.oid = o.owner AND r.oid <> 0
    GROUP BY o.kind, r.name, r.own ORDER BY 2, 1
"""  # noqa: S608  # both parts are fixed text
_FUNCTIONS = f"""
    WITH {_REACHABLE}
    SELECT pg_catalog.quote_ident(s.name) || '.' || pg_catalog.quote_ident(p.proname) || '('
               || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')',
           p.prosecdef, pg_catalog.pg_get_userbyid(p.proowner)::text, r.name, r.own
    FROM pg_catalog.pg_proc p JOIN spaces s ON s.oid = p.pronamespace,
         pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a, reachable r
    WHERE r.oid = a.grantee AND a.privilege_type = 'EXECUTE' AND a.grantee <> p.proowner
      AND (p.prosecdef AND NOT s.builtin
           OR p.proname = ANY (ARRAY['pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import',
                                     'lo_export', 'pg_file_write', 'pg_execute_server_program']) AND a.grantee <> 0
           OR p.proname LIKE 'dblink%%' AND p.proname <> 'dblink_get_pkey' AND p.prokind = 'f')
    ORDER BY 1
"""  # noqa: S608  # both parts are fixed text
_MEMBER = """
    SELECT g.rolname::text, ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r
                                  WHERE pg_catalog.pg_has_role(g.oid, r.oid, 'MEMBER'))
    FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON g.oid = m.roleid
         JOIN pg_catalog.pg_roles u ON u.oid = m.member
    WHERE u.rolname = session_user ORDER BY 1
"""
_WRITING = {
    "pg_write_all_data": "may write every table",
    "pg_write_server_files": "may write files of the server",
    "pg_execute_server_program": "may run programs on the server",
    "pg_read_server_files": "may read files of the server",
    "pg_maintain": "may maintain every table",
    "pg_create_subscription": "may let other servers write",
}
_ATTRIBUTES = (
    ("CREATEROLE", "create roles and grant them"),
    ("CREATEDB", "create databases"),
    ("REPLICATION", "read and steer replication"),
)
_OBJECTS = {"r": "TABLES", "S": "SEQUENCES", "n": "SCHEMAS"}


@dataclass(frozen=True, slots=True)
class _Login:
    """Who is logged in, and the roles it was granted: each with every role that it leads to."""

    name: str
    granted: tuple[tuple[str, frozenset[str]], ...]

    def leaving(self, role: str) -> str:
        """SQL that ends the memberships which lead to a role."""
        ways = [direct for direct, reached in self.granted if role in reached]
        return "\n".join(f"REVOKE {quoted(direct)} FROM {quoted(self.name)};" for direct in ways)


def privileges(connection: psycopg.Connection[Any]) -> Privileges:
    """What the login of a connection could write."""
    row = connection.execute(_LOGIN).fetchone()
    if row is None:  # a role that was dropped while it is logged in
        return Privileges("?", unknown=("The server does not know the login any more.",))
    name, superuser, *attributes = row
    if superuser:
        text = f"{name} is a superuser: it may write everything, and reach the server's files and programs."
        return Privileges(name, (Power(text),))
    granted = tuple((direct, frozenset(reached)) for direct, reached in connection.execute(_MEMBER))
    login = _Login(name, granted)
    powers = (
        *_attributes(name, attributes),
        *_memberships(login),
        *_owned(connection, login),
        *_grants(connection, login),
        *_functions(connection, login),
    )
    return Privileges(name, powers)


def _attributes(name: str, held: list[bool]) -> Iterator[Power]:
    for (attribute, can), holds in zip(_ATTRIBUTES, held, strict=True):
        if holds:
            yield Power(f"{name} has {attribute}: it may {can}.", f"ALTER ROLE {quoted(name)} NO{attribute};")


def _memberships(login: _Login) -> Iterator[Power]:
    for role, can in _WRITING.items():
        fix = login.leaving(role)
        if fix:
            yield Power(f"{login.name} is a member of {role}, which {can}.", fix)


def _owned(connection: psycopg.Connection[Any], login: _Login) -> Iterator[Power]:
    for kind, owner, own, count, some in connection.execute(_OWNED):
        what = _listed(some, count, kind)
        if own:
            yield Power(f"{login.name} owns {what}: an owner may change everything about it.")
        else:
            text = f"{login.name} is a member of {owner}, which owns {what}."
            yield Power(text, login.leaving(owner))


def _grants(connection: psycopg.Connection[Any], login: _Login) -> Iterator[Power]:
    for kind, space, grantee, own, detail, rights, count, some in connection.execute(_GRANTS):
        to = "PUBLIC" if grantee == "PUBLIC" else quoted(login.name if own else grantee)
        text, revoke = _grant(kind, space, detail, rights, count, some)
        if own or grantee == "PUBLIC":
            yield Power(f"{login.name if own else grantee} {text}", f"{revoke} FROM {to};")
        else:
            yield Power(f"{login.name} is a member of {grantee}, which {text}", login.leaving(grantee))


def _grant(kind: str, space: str, detail: str, rights: list[str], count: int, some: list[str]) -> tuple[str, str]:
    """What a grant allows, as the end of a sentence, and the SQL that revokes it, up to FROM."""
    what, schema = ", ".join(rights), quoted(space)
    names = ", ".join(f"{schema}.{quoted(name)}" for name in some)
    if kind == "schema":
        return f"may create objects in the schema {space}.", f"REVOKE CREATE ON SCHEMA {schema}"
    if kind == "database":
        return f"may create schemas in the database {space}.", f"REVOKE CREATE ON DATABASE {schema}"
    if kind == "large object":
        return f"has {what} on {_listed(some, count, kind)}.", f"REVOKE {what} ON LARGE OBJECT {', '.join(some)}"
    if kind == "column":
        columns = ", ".join(f"{right} ({quoted(detail)})" for right in rights)
        return f"has {what} on the column {space}.{some[0]}.{detail}.", f"REVOKE {columns} ON TABLE {names}"
    if kind == "default":
        within, objects = f" IN SCHEMA {schema}" if space else "", _OBJECTS[detail]
        text = f"gets {what} on {objects.lower()} that {some[0]} will make{f' in {space}' if space else ''}."
        return text, f"ALTER DEFAULT PRIVILEGES FOR ROLE {some[0]}{within} REVOKE {what} ON {objects}"
    word = kind.upper()
    target = f"{word} {names}" if count <= len(some) else f"ALL {word}S IN SCHEMA {schema}"
    shown = _listed([f"{space}.{name}" for name in some[:3]], count, kind)
    return f"has {what} on {shown}.", f"REVOKE {what} ON {target}"


def _functions(connection: psycopg.Connection[Any], login: _Login) -> Iterator[Power]:
    for function, definer, owner, grantee, own in connection.execute(_FUNCTIONS):
        why = f"which runs with the rights of {owner} and may write" if definer else "which reaches beyond the database"
        who = login.name if own else grantee
        text = f"{who} may call {function}, {why}."
        if own or grantee == "PUBLIC":
            to = "PUBLIC" if grantee == "PUBLIC" else quoted(login.name)
            yield Power(text, f"REVOKE EXECUTE ON ROUTINE {function} FROM {to};")
        else:
            yield Power(f"{login.name} is a member of {text}", login.leaving(grantee))


def _listed(some: list[str], count: int, kind: str) -> str:
    if count == 1:
        return f"the {kind} {some[0]}"
    return f"{count:,} {kind}s ({', '.join(some[:3])}{', …' if count > 3 else ''})"


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'
