"""What an administrator does once to a PostgreSQL database, so that an agent's role can read it and nothing else.

PostgreSQL has no authorizer that a client could set; what a role may do is decided by its rights in the server. This
takes from everybody but superusers what is not reading, and gives a role of its own what is. It changes the rights of
the whole database, so agents need one of their own.
"""

from __future__ import annotations

from typing import Any, Final

SCHEMA: Final = "agentgym"
"""The schema of the functions below: the clock's, which stand before the server's own, and the one that describes."""

DESCRIBES: Final = "described"
"""The function there that gives tables, columns and keys to the engine."""

STABLE: Final = (
    "concat", "concat_ws", "date_bin", "date_part", "date_trunc", "extract", "timezone", "to_char", "to_date",
    "to_number", "to_timestamp", "like", "notlike", "text", "date", "time", "timestamptz", "array_to_string",
)  # fmt: skip
"""Functions that depend on settings such as the time zone, which are fixed, and on nothing else."""
GROWING: Final = (
    "array_fill", "format", "lpad", "repeat", "rpad", "string_to_table", "regexp_split_to_table", "xmlagg", "xmlconcat",
    "bit", "varbit", "decompress",
)  # fmt: skip
"""Functions that are the same every time but can make very much out of very little."""
SETTINGS: Final = {
    "default_transaction_read_only": "on", "search_path": f"{SCHEMA}, public, pg_catalog", "timezone": "UTC",
    "datestyle": "ISO, YMD", "work_mem": "16MB", "jit": "off", "max_parallel_workers_per_gather": "0",
    "cursor_tuple_fraction": "1", "standard_conforming_strings": "on",
}  # fmt: skip
"""Settings of an agent's connections: the same rows in the same order every time, and no write by mistake."""
ADMINISTERED: Final = {"temp_file_limit": "256MB", "lc_messages": "C"}
"""Settings that only an administrator may give a role."""

_CLOCK: Final = """
CREATE SCHEMA {schema};
CREATE FUNCTION {schema}.moment() RETURNS timestamptz STABLE SECURITY DEFINER SET search_path = pg_catalog LANGUAGE sql
    AS $$ SELECT current_setting('agentgym.clock')::timestamptz $$;
CREATE FUNCTION {schema}.now() RETURNS timestamptz STABLE LANGUAGE sql AS $$ SELECT {schema}.moment() $$;
CREATE FUNCTION {schema}.transaction_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
    AS $$ SELECT {schema}.moment() $$;
CREATE FUNCTION {schema}.statement_timestamp() RETURNS timestamptz STABLE LANGUAGE sql
    AS $$ SELECT {schema}.moment() $$;
CREATE FUNCTION {schema}.clock_timestamp() RETURNS timestamptz STABLE LANGUAGE sql AS $$ SELECT {schema}.moment() $$;
CREATE FUNCTION {schema}.day() RETURNS date STABLE LANGUAGE sql AS $$ SELECT {schema}.moment()::date $$;
CREATE FUNCTION {schema}.hour() RETURNS time STABLE LANGUAGE sql AS $$ SELECT {schema}.moment()::time $$;
CREATE FUNCTION {schema}.local() RETURNS timestamp STABLE LANGUAGE sql AS $$ SELECT {schema}.moment()::timestamp $$;
CREATE FUNCTION {schema}.age(timestamp) RETURNS interval STABLE LANGUAGE sql
    AS $$ SELECT pg_catalog.age({schema}.day()::timestamp, $1) $$;
CREATE FUNCTION {schema}.age(timestamptz) RETURNS interval STABLE LANGUAGE sql
    AS $$ SELECT pg_catalog.age({schema}.day()::timestamptz, $1) $$;
"""
_DESCRIBED: Final = """
CREATE FUNCTION {schema}.{describes}() RETURNS json STABLE SECURITY DEFINER
    SET search_path = pg_catalog LANGUAGE sql AS $$
    SELECT json_agg(json_build_object(
        'name', c.relname,
        'view', c.relkind IN ('v', 'm'),
        'columns', (
            SELECT json_agg(json_build_array(a.attname, format_type(a.atttypid, a.atttypmod), EXISTS (
                SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey)
            ), a.attnotnull) ORDER BY a.attnum)
            FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        ),
        'references', (
            SELECT json_agg(json_build_array(
                (SELECT json_agg(a.attname ORDER BY n) FROM unnest(k.conkey) WITH ORDINALITY u(at, n)
                    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = at),
                (SELECT r.relname FROM pg_class r WHERE r.oid = k.confrelid),
                (SELECT json_agg(a.attname ORDER BY n) FROM unnest(k.confkey) WITH ORDINALITY u(at, n)
                    JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = at)
            ) ORDER BY k.oid)
            FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f'
        )
    ) ORDER BY c.relkind IN ('v', 'm'), c.oid)
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
$$;
"""
_FUNCTIONS: Final = """
DO $do$ DECLARE f regprocedure; BEGIN
    FOR f IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'w') AND (
            p.proname = ANY ({growing}) OR p.proname LIKE 'pg\\_%' OR p.provolatile = 'v' OR (
                p.provolatile = 's' AND p.proname <> ALL ({stable})
                AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)
                AND NOT EXISTS (SELECT FROM pg_cast k WHERE k.castfunc = p.oid)
                AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput))
            )
        )
    LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f); END LOOP;
END $do$;
"""


def restrict(connection: Any, role: str) -> None:
    """Make a role that can read the tables and views of the schema `public`, and revoke everything else from everybody.

    The role has no password; say in pg_hba.conf, or with ALTER ROLE, how it may log in. Statistics are brought up to
    date, since the engine's budget is held against the planner's estimates.

    Args:
        connection: a psycopg connection of a superuser to the database, in autocommit mode.
        role: the role's name; one that exists keeps its password.

    Raises:
        psycopg.Error: the connection is not a superuser's, or the schema `agentgym` is there already.
    """
    from psycopg import sql

    def run(text: str, **names: str) -> None:
        parts = {key: sql.Identifier(name) for key, name in names.items()}
        connection.execute(sql.SQL(text).format(schema=sql.Identifier(SCHEMA), role=sql.Identifier(role), **parts))

    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
        run("CREATE ROLE {role} LOGIN")
    run("ALTER ROLE {role} NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS")
    run("REVOKE ALL ON DATABASE {base} FROM PUBLIC", base=connection.info.dbname)
    run("GRANT CONNECT ON DATABASE {base} TO {role}", base=connection.info.dbname)
    run(_CLOCK)
    run(_DESCRIBED, describes=DESCRIBES)
    for schema in ("public", SCHEMA):
        run("REVOKE ALL ON SCHEMA {place} FROM PUBLIC", place=schema)
        run("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA {place} FROM PUBLIC", place=schema)
        run("GRANT USAGE ON SCHEMA {place} TO {role}", place=schema)
    run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {role}")
    run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    for schema in ("pg_catalog", "information_schema"):
        run("REVOKE ALL ON ALL TABLES IN SCHEMA {place} FROM PUBLIC", place=schema)
    lists = {name: sql.Literal(list(held)) for name, held in (("growing", GROWING), ("stable", STABLE))}
    connection.execute(sql.SQL(_FUNCTIONS).format(**lists))
    for name, value in {**SETTINGS, **ADMINISTERED}.items():
        parts = sql.SQL(", ").join(map(sql.Literal, value.split(", ")))
        statement = sql.SQL("ALTER ROLE {role} SET {name} = {value}")
        connection.execute(statement.format(role=sql.Identifier(role), name=sql.Identifier(name), value=parts))
    connection.execute("ANALYZE")
